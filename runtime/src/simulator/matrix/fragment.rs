//! Fragments: which element of a matrix a lane holds.

/// The position of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Row.
    pub row: usize,
    /// Column.
    pub column: usize,
}
