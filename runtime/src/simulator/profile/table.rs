//! A profile for people.
//!
//! ```text
//! profile of add: 4 programs of 128 threads, 704 warp instructions
//!
//!                      global memory
//! line  instr.  lanes  requests  sectors each  effic.   bytes
//!   10     256   98 %        32           4.0   100 %  4.0 kB  let x = load(…)
//! ```
//!
//! A group of columns is left out where no line has anything in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Count, Line, Profile, Traffic, short};
use crate::sources::Sources;

/// Columns of source text that are shown.
const SOURCE: usize = 48;

/// A column: its group, its name, and its cell for a line; an empty cell is nothing to tell.
struct Column {
    group: &'static str,
    name: &'static str,
    cell: fn(&Count) -> String,
}

const COLUMNS: [Column; 10] = [
    column("", "instr.", |count| thousands(count.warps)),
    column("", "lanes", |count| percent(count.lane_efficiency())),
    column("global memory", "requests", |count| some(count.requests)),
    column("global memory", "sectors each", |count| {
        decimal(count.sectors_per_request())
    }),
    column("global memory", "effic.", |count| {
        percent(count.sector_efficiency())
    }),
    column("global memory", "bytes", |count| match count.bytes {
        0 => String::new(),
        size => bytes(size),
    }),
    column("shared memory", "requests", |count| {
        some(count.shared_requests)
    }),
    column("shared memory", "passes each", |count| {
        decimal(count.wavefronts_per_request())
    }),
    column("shared memory", "conflicts", |count| {
        some(count.conflicts())
    }),
    column("branches", "diverged", |count| some(count.diverged)),
];

const fn column(group: &'static str, name: &'static str, cell: fn(&Count) -> String) -> Column {
    Column { group, name, cell }
}

impl Profile {
    /// The profile as a table, with source lines where they are at hand; with colours if asked
    /// for.
    #[must_use]
    pub fn table(&self, sources: &Sources<'_>, color: bool) -> String {
        let paint = |style: Style| if color { style } else { Style::new() };
        let bold = paint(Style::new().bold());
        let head = paint(Style::new().bold().fg_color(Some(AnsiColor::Cyan.into())));
        let bad = paint(Style::new().fg_color(Some(AnsiColor::Yellow.into())));
        let programs: u64 = self.grid.iter().map(|&count| u64::from(count)).product();
        // Writing to a string does not fail.
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{head}profile{head:#} of {}: {} program{} of {} threads, {} warp instructions\n",
            self.entry,
            thousands(programs),
            if programs == 1 { "" } else { "s" },
            self.threads,
            thousands(self.total.count.warps)
        );
        let rows: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| {
                let cells = COLUMNS.iter().map(|column| (column.cell)(&line.count));
                cells.collect()
            })
            .collect();
        let used = |group: &str| {
            let columns = COLUMNS.iter().enumerate();
            let mut of_group = columns.filter(|(_, column)| column.group == group);
            of_group.any(|(number, _)| rows.iter().any(|row| !row[number].is_empty()))
        };
        let shown: Vec<(usize, &Column, usize)> = COLUMNS
            .iter()
            .enumerate()
            .filter(|(_, column)| used(column.group))
            .map(|(number, column)| {
                let widest = rows.iter().map(|row| row[number].chars().count()).max();
                let width = column.name.chars().count().max(widest.unwrap_or(0));
                (number, column, width)
            })
            .collect();
        let mut groups = format!("{:4}", "");
        let mut names = "line".to_owned();
        let mut group = "";
        for (_, column, width) in &shown {
            let start = names.chars().count() + 2;
            let _ = write!(names, "  {:>width$}", column.name);
            if column.group != group {
                group = column.group;
                let _ = write!(groups, "{:1$}{group}", "", start - groups.chars().count());
            }
        }
        if group.is_empty() {
            groups.clear();
        }
        let _ = writeln!(text, "{bold}{}{bold:#}", groups.trim_end());
        let _ = writeln!(text, "{bold}{names}{bold:#}");
        let texts = SourceLines::new(self, sources);
        for (line, row) in self.lines.iter().zip(&rows) {
            let style = if line.count.advice().is_some() {
                bad
            } else {
                Style::new()
            };
            let number = match line.line {
                0 => "-".to_owned(),
                number => number.to_string(),
            };
            let mut cells = format!("{number:>4}");
            for (number, _, width) in &shown {
                let _ = write!(cells, "  {:>width$}", row[*number]);
            }
            let source = texts.of(line);
            let _ = writeln!(
                text,
                "{style}{}{style:#}",
                format!("{cells}  {source}").trim_end()
            );
        }
        text.push('\n');
        self.totals(&mut text, head);
        for line in &self.lines {
            if let Some(advice) = line.count.advice() {
                let place = match (&line.file, line.line) {
                    (Some(file), number) => format!("{file}:{number}"),
                    (None, _) => "code of no line".to_owned(),
                };
                let _ = writeln!(text, "{bad}{place}{bad:#}: {advice}");
            }
        }
        text
    }

    /// What the whole launch did.
    fn totals(&self, text: &mut String, head: Style) {
        let total = &self.total.count;
        let mut row = |label: &str, line: &str| {
            let _ = writeln!(text, "{head}{label:>12}{head:#}  {line}");
        };
        for (label, traffic) in [("loads", &self.total.loads), ("stores", &self.total.stores)] {
            if traffic.requests > 0 {
                row(label, &moved(traffic));
            }
        }
        if let Some(share) = total.sector_efficiency() {
            let share = percent(Some(share));
            row("coalescing", &format!("{share} of the sectors are needed"));
        }
        if total.shared_requests > 0 {
            let (conflicts, passes) = (thousands(total.conflicts()), thousands(total.wavefronts));
            let line =
                format!("{conflicts} of {passes} passes through shared memory are conflicts");
            row("conflicts", &line);
        }
        if let Some(share) = total.lane_efficiency() {
            let share = percent(Some(share));
            let diverged = match total.diverged {
                0 => "no branch diverged".to_owned(),
                1 => "1 branch diverged".to_owned(),
                count => format!("{} branches diverged", thousands(count)),
            };
            row("lanes", &format!("{share} of them acted; {diverged}"));
        }
        if total.tensor_instructions > 0 {
            let share = super::ratio(total.tensor_instructions, total.warps);
            let line = format!(
                "{} in {} instructions, {} of all",
                flops(total.tensor_flops),
                thousands(total.tensor_instructions),
                percent(share)
            );
            row("tensor cores", &line);
        }
        let mut classes: Vec<_> = self.total.classes.iter().collect();
        classes.sort_by_key(|(class, count)| (std::cmp::Reverse(**count), **class));
        let classes: Vec<_> = classes
            .into_iter()
            .filter(|(_, count)| **count * 200 >= total.warps)
            .map(|(class, &count)| {
                let share = percent(super::ratio(count, total.warps));
                format!("{} {share}", class.name())
            })
            .collect();
        row("instructions", &classes.join(", "));
    }
}

/// Lines of the sources, each file read once.
struct SourceLines<'a>(BTreeMap<&'a str, Vec<String>>);

impl<'a> SourceLines<'a> {
    fn new(profile: &'a Profile, sources: &Sources<'_>) -> Self {
        let mut texts = BTreeMap::new();
        for file in profile.lines.iter().filter_map(|line| line.file.as_deref()) {
            texts.entry(file).or_insert_with(|| {
                let text = (sources.find)(file).unwrap_or_default();
                text.lines().map(|line| line.trim().to_owned()).collect()
            });
        }
        Self(texts)
    }

    /// The text of a line, cut to what is shown.
    fn of(&self, line: &Line) -> String {
        let Some(file) = line.file.as_deref() else {
            return String::new();
        };
        let text = self
            .0
            .get(file)
            .and_then(|lines| lines.get(line.line.checked_sub(1)? as usize));
        let text = text.map_or("", String::as_str);
        if text.chars().count() <= SOURCE {
            return text.to_owned();
        }
        let start: String = text.chars().take(SOURCE - 1).collect();
        format!("{start}…")
    }
}

/// `4.0 MB in 98 304 sectors, 1.3 times the 3.1 MB of different ones`
fn moved(traffic: &Traffic) -> String {
    let sectors = thousands(traffic.sectors);
    let size = bytes(traffic.moved_bytes);
    if traffic.moved_bytes == traffic.least_bytes {
        return format!("{size} in {sectors} sectors, each touched once");
    }
    let times =
        super::ratio(traffic.moved_bytes, traffic.least_bytes).map_or_else(String::new, short);
    let least = bytes(traffic.least_bytes);
    format!("{size} in {sectors} sectors, {times} times the {least} of different ones")
}

fn some(number: u64) -> String {
    match number {
        0 => String::new(),
        number => thousands(number),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0))
}

fn decimal(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:.1}"))
}

/// `12 345`
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

fn bytes(number: u64) -> String {
    scaled(number, ["B", "kB", "MB", "GB", "TB"])
}

fn flops(number: u64) -> String {
    scaled(number, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"])
}

/// In the largest unit that gives at least 1; powers of 1000.
#[allow(clippy::cast_precision_loss)] // for people
fn scaled(number: u64, units: [&str; 5]) -> String {
    let (mut value, mut unit) = (number as f64, 0);
    while value >= 999.95 && unit < units.len() - 1 {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{number} {}", units[0]),
        _ => format!("{value:.1} {}", units[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::profile::Total;
    use crate::simulator::program::Class;

    #[test]
    fn numbers_are_made_to_be_read() {
        assert_eq!(thousands(1_234_567), "1 234 567");
        assert_eq!(thousands(999), "999");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(999_999), "1.0 MB");
        assert_eq!(flops(4_096_000), "4.1 MFLOP");
    }

    #[test]
    fn empty_groups_are_left_out_and_bad_lines_are_told() {
        let strided = Count {
            warps: 64,
            lanes: 2048,
            active: 2048,
            requests: 32,
            sectors: 1024,
            ideal_sectors: 128,
            bytes: 4096,
            ..Count::default()
        };
        let line = |number, count| Line {
            file: Some("a.tile".to_owned()),
            line: number,
            count,
        };
        let profile = Profile {
            entry: "add".to_owned(),
            grid: [2, 1, 1],
            threads: 512,
            total: Total {
                count: strided,
                classes: BTreeMap::from([(Class::Memory, 32), (Class::Integer, 32)]),
                loads: Traffic {
                    requests: 32,
                    sectors: 1024,
                    moved_bytes: 32768,
                    least_bytes: 16384,
                },
                stores: Traffic::default(),
            },
            lines: vec![line(2, strided)],
        };
        let sources = Sources {
            ptx_name: "a.ptx".to_owned(),
            ptx: "",
            find: Box::new(|name| (name == "a.tile").then(|| "one\n  let x = y;\n".to_owned())),
        };
        assert_eq!(
            profile.table(&sources, false),
            "\
profile of add: 2 programs of 512 threads, 64 warp instructions

                     global memory
line  instr.  lanes  requests  sectors each  effic.   bytes
   2      64  100 %        32          32.0    12 %  4.1 kB  let x = y;

       loads  32.8 kB in 1 024 sectors, 2 times the 16.4 kB of different ones
  coalescing  12 % of the sectors are needed
       lanes  100 % of them acted; no branch diverged
instructions  integer 50 %, memory 50 %
a.tile:2: each warp touches 32 sectors where 4 would do: neighbouring lanes should access \
neighbouring addresses
"
        );
        assert!(profile.table(&sources, true).contains('\u{1b}'));
    }
}
