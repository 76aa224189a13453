//! Diagnostics: one value, one renderer, one place for all English.
//!
//! Every stage reports problems as a [`Diagnostic`]: a [`Code`], one sentence, labelled spans and
//! hints. [`render`] turns them into text for people or JSON for machines; the constructors live in
//! [`messages`], so that wording is changed in one file and tests see it.

/// A range of bytes in one source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Which file: an index into [`SourceMap`](crate::source::SourceMap).
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both (of the same file; else the first).
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}
