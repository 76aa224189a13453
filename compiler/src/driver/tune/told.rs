//! What is printed of tuning: a table for people, an object for machines.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use indicatif::ProgressStyle;
use serde_json::{Value, json};
use tile_runtime::device::Device;
use tile_runtime::report::time;

use super::Job;
use crate::driver::console::{Exit, count};
use crate::driver::options::TuneFormat;
use crate::tuning::Outcome;
use crate::tuning::space::{Space, in_words, sizes_in_words};

/// What there is to tell.
pub struct Told<'a> {
    pub job: &'a Job<'a>,
    pub device: &'a Device,
    pub sizes: &'a BTreeMap<String, i64>,
    pub outcomes: &'a [Outcome],
    pub winner: Option<usize>,
}

/// How progress looks; nothing is shown where stderr is no terminal.
pub fn bar() -> ProgressStyle {
    ProgressStyle::with_template("{msg:>17} {wide_bar} {pos}/{len}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The values of a configuration, in words.
pub fn values(space: &Space, configuration: usize) -> String {
    let values = space.configurations.get(configuration);
    values.map_or_else(String::new, |values| in_words(&space.names, values))
}

impl Told<'_> {
    /// Prints it; `recorded` is where the winner was written.
    pub fn tell(&self, format: TuneFormat, recorded: Option<&PathBuf>) -> Result<(), Exit> {
        let text = match format {
            TuneFormat::Text => self.text(recorded),
            TuneFormat::Json => {
                serde_json::to_string_pretty(&self.json(recorded)).unwrap_or_default() + "\n"
            }
        };
        self.job.console.print(&text)
    }

    const fn table(&self) -> Table<'_> {
        Table {
            space: self.job.space,
            outcomes: self.outcomes,
            winner: self.winner,
        }
    }

    fn text(&self, recorded: Option<&PathBuf>) -> String {
        let style = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        let line = |label: &str, what: &str| format!("{style}{label:>9}{style:#}  {what}\n");
        let (space, properties) = (self.job.space, self.device.properties());
        let mut text = line("device", &properties.name);
        let with = [
            in_words(space.fixed.keys(), &space.fixed),
            sizes_in_words(self.sizes),
        ];
        let with: Vec<&str> = with
            .iter()
            .map(String::as_str)
            .filter(|words| !words.is_empty())
            .collect();
        let kernel = &self.job.usual.name;
        let target = self.job.target.name;
        text.push_str(&line(
            "kernel",
            &format!("{kernel} for {target}, with {}", with.join(", ")),
        ));
        text.push('\n');
        text.push_str(&self.table().text());
        text.push('\n');
        let values = self.winner.map(|winner| values(space, winner));
        let last = match (values, recorded) {
            (Some(values), Some(path)) => {
                line("recorded", &format!("{values} in {}", path.display()))
            }
            (Some(values), None) => line("winner", &format!("{values}; nothing is recorded")),
            (None, _) => line(
                "recorded",
                "nothing: the simulator has no clock that says anything about a GPU",
            ),
        };
        text + &last
    }

    fn json(&self, recorded: Option<&PathBuf>) -> Value {
        let space = self.job.space;
        let configurations: Vec<Value> = space
            .configurations
            .iter()
            .zip(self.outcomes)
            .map(|(values, outcome)| self.configuration(values, outcome))
            .collect();
        let winner = self.winner.and_then(|winner| configurations.get(winner));
        json!({
            "device": self.device.properties().name, "target": self.job.target.name,
            "kernel": self.job.usual.name, "generics": space.fixed, "sizes": self.sizes,
            "winner": winner.map(|winner| &winner["values"]),
            "record": recorded.map(|path| path.display().to_string()),
            "configurations": configurations,
        })
    }

    fn configuration(&self, values: &BTreeMap<String, String>, outcome: &Outcome) -> Value {
        let (word, timing, reason) = match outcome {
            Outcome::Skipped(reason) => ("skipped", None, Some(reason)),
            Outcome::Wrong(reason) => ("wrong", None, Some(reason)),
            Outcome::Right => ("right", None, None),
            Outcome::Timed(measured) => {
                let word = if measured.dropped { "dropped" } else { "timed" };
                (word, Some(measured.timing), None)
            }
        };
        let ratio = timing.and_then(|timing| Some(timing.median_ms / self.table().of_default()?));
        json!({
            "values": values, "outcome": word, "reason": reason,
            "runs": timing.map(|timing| timing.runs),
            "median_us": timing.map(|timing| timing.median_ms * 1e3),
            "min_us": timing.map(|timing| timing.min_ms * 1e3),
            "max_us": timing.map(|timing| timing.max_ms * 1e3),
            "ratio": ratio,
        })
    }
}

/// Configurations and what became of them.
struct Table<'a> {
    space: &'a Space,
    outcomes: &'a [Outcome],
    winner: Option<usize>,
}

impl Table<'_> {
    /// The median time of the default in milliseconds.
    fn of_default(&self) -> Option<f64> {
        match self.outcomes.first()? {
            Outcome::Timed(measured) => Some(measured.timing.median_ms),
            _ => None,
        }
    }

    fn text(&self) -> String {
        let space = self.space;
        let names = space.names.iter();
        let widths: Vec<usize> = names
            .map(|name| {
                let values = space.configurations.iter().filter_map(|own| own.get(name));
                let lengths = values.map(|value| value.chars().count());
                lengths.fold(name.chars().count(), usize::max)
            })
            .collect();
        let mut heading = String::new();
        for (name, width) in space.names.iter().zip(&widths) {
            heading.push_str(&format!("{name:>width$}  "));
        }
        if self.of_default().is_some() {
            heading.push_str(&format!(
                "{:>10}  {:>24}  {:>10}",
                "median", "fastest to slowest", "of default"
            ));
        }
        let mut table = format!("{}\n", heading.trim_end());
        for (number, (values, outcome)) in
            space.configurations.iter().zip(self.outcomes).enumerate()
        {
            let mut row = String::new();
            for (name, width) in space.names.iter().zip(&widths) {
                let value = values.get(name).map_or("", String::as_str);
                row.push_str(&format!("{value:>width$}  "));
            }
            row.push_str(&self.cells(number, outcome));
            table.push_str(row.trim_end());
            table.push('\n');
        }
        table
    }

    fn cells(&self, number: usize, outcome: &Outcome) -> String {
        let bold = |text: &str, color: AnsiColor| {
            let style = Style::new().bold().fg_color(Some(color.into()));
            format!("{style}{text}{style:#}")
        };
        let mut cells = match outcome {
            Outcome::Skipped(reason) => return format!("skipped: {reason}"),
            Outcome::Wrong(reason) => {
                return format!("{}: {reason}", bold("WRONG", AnsiColor::Red));
            }
            Outcome::Right => "right".to_owned(),
            Outcome::Timed(measured) => {
                let timing = measured.timing;
                let between = format!("{} to {}", time(timing.min_ms), time(timing.max_ms));
                let ratio = self
                    .of_default()
                    .map_or_else(String::new, |of| format!("{:.3}", timing.median_ms / of));
                let dropped = match measured.dropped {
                    true => format!("  dropped after {}", count(timing.runs as usize, "run")),
                    false => String::new(),
                };
                let median = time(timing.median_ms);
                format!("{median:>10}  {between:>24}  {ratio:>10}{dropped}")
            }
        };
        if number == 0 {
            cells.push_str("  default");
        }
        if Some(number) == self.winner {
            cells.push_str(&format!("  {}", bold("fastest", AnsiColor::Green)));
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::race::Measured;
    use crate::tuning::winner;
    use tile_runtime::report::Timing;

    #[test]
    fn reads_as_a_table() {
        let values = |m: &str, n: &str| {
            let pair = [("BM", m), ("BN", n)];
            BTreeMap::from(pair.map(|(name, value)| (name.to_owned(), value.to_owned())))
        };
        let space = Space {
            names: vec!["BM".to_owned(), "BN".to_owned()],
            fixed: BTreeMap::new(),
            configurations: vec![
                values("128", "128"),
                values("128", "64"),
                values("64", "128"),
                values("64", "64"),
                values("32", "8"),
            ],
        };
        let timed = |times_ms: &[f64], dropped| {
            let timing = Timing::of(times_ms.to_vec()).expect("some times");
            Outcome::Timed(Measured { timing, dropped })
        };
        let outcomes = [
            timed(&[0.2, 0.21, 0.19], false),
            Outcome::Skipped("E0703: too much shared memory".to_owned()),
            timed(&[0.15, 0.151, 0.149], false),
            timed(&[0.9], true),
            Outcome::Wrong("`c`: 1 of 4 wrong".to_owned()),
        ];
        let table = Table {
            space: &space,
            outcomes: &outcomes,
            winner: winner(&outcomes),
        };
        let plain = anstream::adapter::strip_str(&table.text()).to_string();
        assert_eq!(
            plain,
            " BM   BN      median        fastest to slowest  of default
128  128   200.00 µs    190.00 µs to 210.00 µs       1.000  default
128   64  skipped: E0703: too much shared memory
 64  128   150.00 µs    149.00 µs to 151.00 µs       0.750  fastest
 64   64   900.00 µs    900.00 µs to 900.00 µs       4.500  dropped after 1 run
 32    8  WRONG: `c`: 1 of 4 wrong
"
        );
    }
}
