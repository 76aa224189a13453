//! `tilec --explain`: the page of an error or a remark, or the list of all codes.

use anstyle::{AnsiColor, Style};

use super::console::{Console, Exit};
use crate::diagnostic::Code;
use crate::diagnostic::remark::RemarkCode;

/// How many codes are proposed for one that does not exist.
const PROPOSED: usize = 3;

/// What is known of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    number: &'static str,
    title: &'static str,
    page: &'static str,
}

/// All of them: errors, then remarks.
fn entries() -> impl Iterator<Item = Entry> {
    let errors = Code::ALL.iter().map(|code| Entry {
        number: code.number(),
        title: code.title(),
        page: code.page(),
    });
    let remarks = RemarkCode::ALL.iter().map(|code| Entry {
        number: code.number(),
        title: code.title(),
        page: code.page(),
    });
    errors.chain(remarks)
}

/// Prints the page of a code (`E0601`, `e0601`, `0601`, `601`; of a remark `R0501`), or for no code a list.
pub fn explain(console: &Console, code: &str) -> Result<(), Exit> {
    if code.is_empty() {
        return console.print(&list());
    }
    match find(code) {
        Some(entry) => console.print(&styled(entry.page)),
        None => {
            let near: Vec<String> = nearest(code)
                .iter()
                .map(|entry| format!("{}: {}", entry.number, entry.title))
                .collect();
            let mut helps: Vec<&str> = near.iter().map(String::as_str).collect();
            helps.push("`tilec --explain` lists all codes");
            console.error(&format!("no error or remark has the code `{code}`"), &helps);
            Err(Exit::Call)
        }
    }
}

/// Every code and its title.
fn list() -> String {
    let mut text = String::new();
    for entry in entries() {
        text.push_str(&format!("{}  {}\n", entry.number, entry.title));
    }
    text.push_str(
        "\n`tilec --explain E0601` explains an error, `tilec --explain R0501` a remark.\n",
    );
    text
}

/// The letter of a code, that of errors if it has none, and its number.
fn parts(text: &str) -> Option<(char, u32)> {
    let letter = text.chars().next()?.to_ascii_uppercase();
    let (letter, digits) = match letter {
        'E' | 'R' => (letter, &text[1..]),
        _ => ('E', text),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain
        .then(|| digits.parse().ok())
        .flatten()
        .map(|number| (letter, number))
}

fn find(text: &str) -> Option<Entry> {
    let (letter, number) = parts(text)?;
    let wanted = format!("{letter}{number:04}");
    entries().find(|entry| entry.number == wanted)
}

/// The codes that somebody who mistyped may have meant: those nearest in number, or, if it is no
/// number, in spelling.
fn nearest(text: &str) -> Vec<Entry> {
    let mut all: Vec<Entry> = entries().collect();
    let upper = text.to_uppercase();
    let wanted = parts(text);
    all.sort_by_cached_key(|entry| {
        let spelling = strsim::damerau_levenshtein(&upper, entry.number);
        let distance = match (wanted, parts(entry.number)) {
            (Some((letter, wanted)), Some((own_letter, own))) => {
                (letter != own_letter, wanted.abs_diff(own))
            }
            _ => (false, 0),
        };
        (distance, spelling)
    });
    all.truncate(PROPOSED);
    all
}

/// Markdown with headings, code and fences in colours; the stream takes them out again where it is
/// no terminal.
fn styled(page: &str) -> String {
    let heading = Style::new().bold();
    let code = Style::new().fg_color(Some(AnsiColor::Cyan.into()));
    let fence = Style::new().dimmed();
    let mut inside = false;
    let mut text = String::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = !inside;
            text.push_str(&format!("{fence}{line}{fence:#}"));
        } else if inside {
            text.push_str(line);
        } else if line.starts_with('#') {
            text.push_str(&format!("{heading}{line}{heading:#}"));
        } else {
            // Every second piece between backticks is code.
            for (index, piece) in line.split('`').enumerate() {
                if index % 2 == 1 {
                    text.push_str(&format!("{code}`{piece}`{code:#}"));
                } else {
                    text.push_str(piece);
                }
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_may_be_written_in_several_ways() {
        for text in ["E0601", "e0601", "0601", "601"] {
            let found = find(text).map(|entry| entry.number);
            assert_eq!(found, Some(Code::TileCondition.number()), "{text}");
        }
        for text in ["R0501", "r0501", "R501"] {
            let found = find(text).map(|entry| entry.number);
            assert_eq!(found, Some(RemarkCode::LoadsAhead.number()), "{text}");
        }
        for text in [
            "E9999",
            "R9999",
            "E",
            "R",
            "",
            "x601",
            "-601",
            "99999999999999999999",
            "E06 01",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn the_nearest_codes_are_proposed() {
        let first = |text| nearest(text).first().map(|entry| entry.number);
        assert_eq!(first("E0609"), Some(Code::EffectInCombiner.number()));
        assert_eq!(first("EO601"), Some(Code::TileCondition.number()));
        assert_eq!(first("R0512"), Some(RemarkCode::RowsAhead.number()));
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        for entry in entries() {
            let plain = anstream::adapter::strip_str(&styled(entry.page)).to_string();
            assert_eq!(plain, entry.page);
        }
    }
}
