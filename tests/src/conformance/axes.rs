//! How one line of a header becomes many.
//!
//! - `//! axis N = 1 7 96` defines a named axis. `$N` in a line stands for its values, everywhere
//!   in the line for the same one.
//! - `//! axis T LO HI = i8 -9 9 | u8 0 18` defines a linked axis: rows between `|` hold a value for
//!   each of its names, and the names go along the rows together.
//! - `{1,7,96}` is an axis without a name. Commas inside round brackets do not separate.
//!
//! A line stands for the product of all its axes. The axis that appears first varies slowest.

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
        let words = |text: &str| -> Vec<String> {
            text.split_whitespace().map(str::to_owned).collect()
        };
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

/// A line with its axes found.
enum Piece {
    Text(String),
    /// A column of an axis.
    Column { axis: usize, column: usize },
}

/// All lines that a line stands for.
///
/// # Errors
/// In words: an axis that nobody defined, or a brace without partner.
pub fn expand(line: &str, known: &[Axis]) -> Result<Vec<String>, String> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['$', '{', '}']) {
        pieces.push(Piece::Text(rest[..at].to_owned()));
        let (sign, behind) = rest[at..].split_at(1);
        rest = match sign {
            "$" => {
                let length = behind
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(behind.len());
                let (name, behind) = behind.split_at(length);
                let column_of = |axis: &Axis| axis.names.iter().position(|of| of == name);
                // The latest definition counts, so that a file may use a name again.
                let found = known.iter().rev().find_map(|axis| Some((axis, column_of(axis)?)));
                let (found, column) = found.ok_or_else(|| format!("`${name}` is no axis"))?;
                let axis = axes.iter().position(|axis| axis == found);
                let axis = axis.unwrap_or_else(|| {
                    axes.push(found.clone());
                    axes.len() - 1
                });
                pieces.push(Piece::Column { axis, column });
                behind
            }
            "{" => {
                let (inside, behind) = behind
                    .split_once('}')
                    .ok_or_else(|| format!("`{{{behind}` is not closed"))?;
                let rows = items(inside).into_iter().map(|item| vec![item]).collect();
                axes.push(Axis {
                    names: Vec::new(),
                    rows,
                });
                let axis = axes.len() - 1;
                pieces.push(Piece::Column { axis, column: 0 });
                behind
            }
            _ => return Err(format!("`}}{behind}` closes nothing")),
        };
    }
    pieces.push(Piece::Text(rest.to_owned()));
    let count: usize = axes.iter().map(|axis| axis.rows.len()).product();
    Ok((0..count).map(|number| line_of(number, &axes, &pieces)).collect())
}

/// The line of that number, which counts through the axes, the last one fastest.
fn line_of(mut number: usize, axes: &[Axis], pieces: &[Piece]) -> String {
    let mut rows = vec![0; axes.len()];
    for (row, axis) in rows.iter_mut().zip(axes).rev() {
        *row = number % axis.rows.len();
        number /= axis.rows.len();
    }
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Column { axis, column } => axes[*axis].rows[rows[*axis]][*column].clone(),
    };
    pieces.iter().map(text).collect()
}

/// Items between commas that no round bracket holds.
fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match items.last_mut() {
            Some(last) if depth > 0 || letter != ',' => last.push(letter),
            _ => items.push(String::new()),
        }
    }
    items
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
        assert_eq!(expand("f x=ones(4)", &[]), Ok(vec!["f x=ones(4)".to_owned()]));
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
        assert_eq!(lines[2], "x=ones(7) y=ones(7,3)");
    }

    #[test]
    fn names_of_a_linked_axis_go_together() {
        let axes = axes(&["T LO = i8 -9 | u8 0"]);
        let lines = expand("randint($LO,9) $T", &axes).expect("it is fine");
        assert_eq!(lines, ["randint(-9,9) i8", "randint(0,9) u8"]);
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
