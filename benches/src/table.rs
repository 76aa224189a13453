//! A table printed line by line, so that what is done stays readable if the rest never comes.

use std::io::{self, Write};

/// A column: its title, how wide it is at least, and on which side its cells are.
#[derive(Debug, Clone)]
pub struct Column {
    title: &'static str,
    width: usize,
    right: bool,
}

impl Column {
    /// Of words.
    #[must_use]
    pub const fn left(title: &'static str, width: usize) -> Self {
        Self {
            title,
            width,
            right: false,
        }
    }

    /// Of numbers.
    #[must_use]
    pub const fn right(title: &'static str, width: usize) -> Self {
        Self {
            title,
            width,
            right: true,
        }
    }
}

/// The columns.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
}

impl Table {
    /// With these columns.
    #[must_use]
    pub const fn new(columns: Vec<Column>) -> Self {
        Self { columns }
    }

    /// Writes the titles.
    ///
    /// # Errors
    /// If writing fails.
    pub fn header(&self, to: &mut dyn Write) -> io::Result<()> {
        self.line(to, self.columns.iter().map(|column| column.title))
    }

    /// Writes a line; a cell that is too wide pushes the next ones.
    ///
    /// # Errors
    /// If writing fails.
    pub fn row(&self, to: &mut dyn Write, cells: &[String]) -> io::Result<()> {
        self.line(to, cells.iter().map(String::as_str))
    }

    fn line<'a>(&self, to: &mut dyn Write, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
        let mut line = String::new();
        for (column, cell) in self.columns.iter().zip(cells) {
            let width = column.width.max(column.title.chars().count());
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            if !line.is_empty() {
                line.push_str("  ");
            }
            if column.right {
                line.push_str(&padding);
            }
            line.push_str(cell);
            if !column.right {
                line.push_str(&padding);
            }
        }
        writeln!(to, "{}", line.trim_end())?;
        to.flush()
    }
}

/// An error with two digits.
#[must_use]
pub fn scientific(number: Option<f64>) -> String {
    match number {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(number) => format!("{number:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_on_the_right_and_nothing_trails() {
        let table = Table::new(vec![
            Column::left("name", 6),
            Column::right("µs", 4),
            Column::left("ok", 4),
        ]);
        let mut text = Vec::new();
        table.header(&mut text).expect("memory");
        let cells = ["1×1", "2.5", "ok"].map(str::to_owned);
        table.row(&mut text, &cells).expect("memory");
        let text = String::from_utf8(text).expect("UTF-8");
        assert_eq!(text, "name      µs  ok\n1×1      2.5  ok\n");
        assert_eq!(scientific(Some(0.00123)), "1.2e-3");
        assert_eq!(scientific(Some(0.0)), "0");
        assert_eq!(scientific(None), "-");
    }
}
