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
    /// For a PTX file: sources are looked for beside it, then from here, by the path that the PTX
    /// names and by its last part.
    #[must_use]
    pub fn beside(path: &'a Path, ptx: &'a str) -> Self {
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        Self {
            ptx_name: path.display().to_string(),
            ptx,
            find: Box::new(move |name| {
                let name = Path::new(name);
                let places = [
                    Some(folder.join(name)),
                    name.file_name().map(|last| folder.join(last)),
                    Some(name.to_owned()),
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
    let metadata = std::fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.len() <= LARGEST)
        .then(|| std::fs::read_to_string(path).ok())
        .flatten()
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
