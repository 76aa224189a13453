//! `tilec --explain`: the page of an error code, or the list of all codes.

use anstyle::{AnsiColor, Style};

use super::console::{Console, Exit};
use crate::diagnostic::Code;

/// How many codes are proposed for one that does not exist.
const PROPOSED: usize = 3;

/// Prints the page of a code (`E0601`, `e0601`, `0601`, `601`), or for no code a list.
pub fn explain(console: &Console, code: &str) -> Result<(), Exit> {
    if code.is_empty() {
        return console.print(&list());
    }
    match find(code) {
        Some(code) => console.print(&styled(code.page())),
        None => {
            let near: Vec<String> = nearest(code)
                .iter()
                .map(|code| format!("{code}: {}", code.title()))
                .collect();
            let mut helps: Vec<&str> = near.iter().map(String::as_str).collect();
            helps.push("`tilec --explain` lists all codes");
            console.error(&format!("no error has the code `{code}`"), &helps);
            Err(Exit::Call)
        }
    }
}

/// Every code and its title.
fn list() -> String {
    let mut text = String::new();
    for code in Code::ALL {
        text.push_str(&format!("{code}  {}\n", code.title()));
    }
    text.push_str("\n`tilec --explain E0601` explains one of them.\n");
    text
}

fn find(text: &str) -> Option<Code> {
    let number = number(text)?;
    let wanted = format!("E{number:04}");
    let mut codes = Code::ALL.iter().copied();
    codes.find(|code| code.number() == wanted)
}

/// The digits of a code, whether or not it has its `E`.
fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix(['E', 'e']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// The codes that somebody who mistyped may have meant: those nearest in number, or, if it is no
/// number, in spelling.
fn nearest(text: &str) -> Vec<Code> {
    let mut codes = Code::ALL.to_vec();
    let upper = text.to_uppercase();
    codes.sort_by_cached_key(|code| {
        let spelling = strsim::damerau_levenshtein(&upper, code.number());
        let own = self::number(code.number()).unwrap_or(0);
        let distance = self::number(text).map_or(0, |wanted| wanted.abs_diff(own));
        (distance, spelling)
    });
    codes.truncate(PROPOSED);
    codes
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
            assert_eq!(find(text), Some(Code::TileCondition), "{text}");
        }
        for text in [
            "E9999",
            "E",
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
        assert_eq!(nearest("E0609").first(), Some(&Code::EffectInCombiner));
        assert_eq!(nearest("EO601").first(), Some(&Code::TileCondition));
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        for code in Code::ALL {
            let plain = anstream::adapter::strip_str(&styled(code.page())).to_string();
            assert_eq!(plain, code.page());
        }
    }
}
