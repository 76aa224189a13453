//! How one line of a header becomes many.
//!
//! - `//! axis N = 1 7 96` defines a named axis. `$N` in a line stands for its values, everywhere
//!   in the line for the same one.
//! - `//! axis T LO HI = i8 -9 9 | u8 0 18` defines a linked axis: rows between `|` hold a value for
//!   each of its names, and the names go along the rows together.
//! - `{1,7,96}` is an axis without a name. Commas inside round brackets do not separate, and what
//!   is chosen may hold names of axes.
//!
//! A line stands for the product of all its axes: those without names are chosen first, so they vary
//! slowest, and among each kind those that appear first.

/// A named or linked axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Axis {
    /// Reads what stands behind `axis`: `N = 1 7 96`.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (names, values) = text
            .split_once('=')
            .ok_or_else(|| format!("`axis {text}` needs `=`"))?;
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let names = words(names);
        let rows: Vec<Vec<String>> = match names.len() {
            1 => words(values).into_iter().map(|value| vec![value]).collect(),
            _ => values.split('|').map(words).collect(),
        };
        if names.is_empty() || rows.is_empty() {
            return Err(format!("`axis {text}` needs names and values"));
        }
        match rows.iter().find(|row| row.len() != names.len()) {
            Some(row) => Err(format!(
                "`{}` has {} values for {} names",
                row.join(" "),
                row.len(),
                names.len()
            )),
            None => Ok(Self { names, rows }),
        }
    }
}

/// All lines that a line stands for.
///
/// # Errors
/// In words: an axis that nobody defined, or a brace without partner.
pub fn expand(line: &str, known: &[Axis]) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for line in choose(line)? {
        lines.extend(replace(&line, known)?);
    }
    Ok(lines)
}

/// A line for each choice among braces.
fn choose(line: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = line.split_once(['{', '}']) else {
        return Ok(vec![line.to_owned()]);
    };
    if line[before.len()..].starts_with('}') {
        return Err(format!("`}}{rest}` closes nothing"));
    }
    let (inside, behind) = rest
        .split_once('}')
        .ok_or_else(|| format!("`{{{rest}` is not closed"))?;
    let behind = choose(behind)?;
    let with_rest = |item: String| {
        behind
            .iter()
            .map(move |rest| format!("{before}{item}{rest}"))
    };
    Ok(items(inside).into_iter().flat_map(with_rest).collect())
}

/// A line for each value of the first name in it, and so on.
fn replace(line: &str, known: &[Axis]) -> Result<Vec<String>, String> {
    let Some((_, rest)) = line.split_once('$') else {
        return Ok(vec![line.to_owned()]);
    };
    let name = &rest[..name_length(rest)];
    // The latest definition counts, so that a file may use a name again.
    let found = known
        .iter()
        .rev()
        .find(|axis| axis.names.iter().any(|of| of == name));
    let axis = found.ok_or_else(|| format!("`${name}` is no axis"))?;
    let mut lines = Vec::new();
    for row in &axis.rows {
        lines.extend(replace(&in_row(line, axis, row), known)?);
    }
    Ok(lines)
}

/// The line with the names of an axis replaced by a row of it.
fn in_row(line: &str, axis: &Axis, row: &[String]) -> String {
    let mut result = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('$') {
        let (name, behind) = behind.split_at(name_length(behind));
        result.push_str(before);
        match axis.names.iter().position(|of| of == name) {
            Some(column) => result.push_str(&row[column]),
            None => {
                result.push('$');
                result.push_str(name);
            }
        }
        rest = behind;
    }
    result + rest
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len())
}

/// Items between commas that no round bracket holds.
fn items(text: &str) -> Vec<String> {
    split_outside_brackets(text, |letter| letter == ',')
}

/// The pieces between separators that no round bracket holds.
pub fn split_outside_brackets(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match pieces.last_mut() {
            Some(last) if depth > 0 || !is_separator(letter) => last.push(letter),
            _ => pieces.push(String::new()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(texts: &[&str]) -> Vec<Axis> {
        let axis = |text: &&str| Axis::parse(text).expect("an axis");
        texts.iter().map(axis).collect()
    }

    #[test]
    fn a_line_without_axes_stands_for_itself() {
        assert_eq!(
            expand("f x=ones(4)", &[]),
            Ok(vec!["f x=ones(4)".to_owned()])
        );
    }

    #[test]
    fn braces_multiply_and_the_first_varies_slowest() {
        let lines = expand("f {a,b(1,2)} {,x}", &[]).expect("it is fine");
        assert_eq!(lines, ["f a ", "f a x", "f b(1,2) ", "f b(1,2) x"]);
    }

    #[test]
    fn a_named_axis_has_one_value_in_a_line() {
        let lines = expand("x=ones($N) y=ones($N,{3,4})", &axes(&["N = 1 7"])).expect("it is fine");
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1], "x=ones(7) y=ones(7,3)");
    }

    #[test]
    fn names_of_a_linked_axis_go_together() {
        let axes = axes(&["T LO = i8 -9 | u8 0"]);
        let lines = expand("randint($LO,9) $T", &axes).expect("it is fine");
        assert_eq!(lines, ["randint(-9,9) i8", "randint(0,9) u8"]);
        let chosen = expand("{f($T),g}", &axes).expect("it is fine");
        assert_eq!(chosen, ["f(i8)", "f(u8)", "g"]);
        let only = expand("$T", &axes).expect("it is fine");
        assert_eq!(only, ["i8", "u8"]);
    }

    #[test]
    fn the_latest_axis_of_a_name_counts() {
        let lines = expand("$N", &axes(&["N = 1 2", "N = 3"])).expect("it is fine");
        assert_eq!(lines, ["3"]);
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |line: &str| expand(line, &[]).expect_err("it is wrong");
        assert_eq!(wrong("f $N"), "`$N` is no axis");
        assert_eq!(wrong("f {1,2"), "`{1,2` is not closed");
        assert_eq!(wrong("f 1}"), "`}` closes nothing");
        let wrong = |text: &str| Axis::parse(text).expect_err("it is wrong");
        assert_eq!(wrong("A B = 1 2 | 3"), "`3` has 1 values for 2 names");
        assert_eq!(wrong("A"), "`axis A` needs `=`");
    }
}
