//! Texts that messages quote: the kernel's source, and the PTX made of it.

use std::path::Path;

/// The largest file that is read to be quoted.
const LARGEST: u64 = 16 << 20;

/// The text of a source file, by the name that the PTX has for it; `None` if it is not at hand.
pub type Find<'a> = Box<dyn Fn(&str) -> Option<String> + 'a>;

/// Where texts come from.
pub struct Sources<'a> {
    /// What the PTX is called.
    pub ptx_name: String,
    /// The PTX.
    pub ptx: &'a str,
    /// Finds the sources.
    pub find: Find<'a>,
}

impl<'a> Sources<'a> {
    /// For a PTX file: sources are looked for beside it by the last part of the path that the PTX names, and there if it is a
    /// `.tile` file. What else a stranger's PTX may name is nothing to quote.
    #[must_use]
    pub fn beside(path: &'a Path, ptx: &'a str) -> Self {
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        Self {
            ptx_name: path.display().to_string(),
            ptx,
            find: Box::new(move |name| {
                let name = Path::new(name);
                let is_source = name.extension().is_some_and(|of| of == "tile");
                let places = [
                    is_source.then(|| folder.join(name)),
                    name.file_name().map(|last| folder.join(last)),
                    is_source.then(|| name.to_owned()),
                ];
                places.iter().flatten().find_map(|path| read(path))
            }),
        }
    }

    /// A line of a source file, counted from 1.
    #[must_use]
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = (self.find)(file)?;
        Some(text.lines().nth(line.checked_sub(1)? as usize)?.to_owned())
    }
}

/// A file, if it is one and can be shown.
fn read(path: &Path) -> Option<String> {
    crate::input::read_text(path, LARGEST).ok()
}

/// The columns (from 1, end exclusive) of what begins at a column: a name or a number, with the
/// brackets right behind it and all that is in them; of anything else one character. Column 0 means
/// all of the line.
#[must_use]
pub fn extent(line: &str, column: u32) -> (u32, u32) {
    let characters: Vec<char> = line.chars().collect();
    let length = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let Some(start) = column.checked_sub(1) else {
        let blank = characters.iter().take_while(|c| c.is_whitespace()).count();
        let end = line.trim_end().chars().count();
        return (length(blank) + 1, length(end.max(blank)) + 1);
    };
    let word = |c: &&char| c.is_alphanumeric() || **c == '_';
    let rest = characters.get(start as usize..).unwrap_or_default();
    let mut end = rest.iter().take_while(word).count();
    if end > 0 && matches!(rest.get(end), Some('(' | '[')) {
        let mut depth = 0_i32;
        let close = rest[end..].iter().position(|c| {
            depth += match c {
                '(' | '[' => 1,
                ')' | ']' => -1,
                _ => 0,
            };
            depth == 0
        });
        end += close.map_or(0, |close| close + 1);
    }
    (column, column + length(end.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_and_what_lies_beside_are_quoted() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [ptx, secret, source] =
            ["here/k.ptx", "secret", "kernel.tile"].map(|name| folder.path().join(name));
        std::fs::create_dir(folder.path().join("here")).expect("made");
        std::fs::write(&secret, "secret").expect("written");
        std::fs::write(&source, "kernel").expect("written");
        let sources = Sources::beside(&ptx, "");
        let line = |name: &str| sources.line(name, 1);
        assert_eq!(line(&secret.display().to_string()), None);
        assert_eq!(line("../secret"), None);
        assert_eq!(
            line(&source.display().to_string()).as_deref(),
            Some("kernel")
        );
        assert_eq!(line("../kernel.tile").as_deref(), Some("kernel"));
        std::fs::write(folder.path().join("here/secret"), "beside").expect("written");
        assert_eq!(line("/etc/secret").as_deref(), Some("beside"));
    }

    #[test]
    fn a_call_extends_to_its_bracket() {
        let part = |line: &str, column| {
            let (start, end) = extent(line, column);
            let (start, end) = (start as usize - 1, end as usize - 1);
            line.chars().take(end).skip(start).collect::<String>()
        };
        let line = "    store(z[at +: 8], x) + y;  ";
        assert_eq!(part(line, 5), "store(z[at +: 8], x)");
        assert_eq!(part(line, 11), "z[at +: 8]");
        assert_eq!(part(line, 26), "+");
        assert_eq!(part(line, 0), "store(z[at +: 8], x) + y;");
        assert_eq!(part("f(unclosed", 1), "f");
        assert_eq!(extent("", 9), (9, 10));
    }
}
