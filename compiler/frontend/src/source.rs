//! The source files of a run: text, names, lines and columns.

use std::io;
use std::path::{Path, PathBuf};

use tile_runtime::input;

use crate::diagnostic::Span;

/// The largest source file that is read. Spans are 32-bit, and no kernel comes near this.
pub const MAXIMUM_SIZE: u64 = 64 << 20;

/// An index into [`SourceMap`], as in [`Span::file`].
pub type FileId = u32;

/// One source file.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// As the user named it; shown in diagnostics.
    pub name: String,
    /// Where it was read from, if from disk.
    pub path: Option<PathBuf>,
    /// Its text, unchanged.
    pub text: String,
    /// Byte offset of the start of each line; the first is 0.
    line_starts: Vec<u32>,
}

/// A place in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The line.
    pub line: u32,
    /// The column in characters, not bytes.
    pub column: u32,
}

/// Why a file could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Nothing is there.
    #[error("`{path}` does not exist")]
    NotFound {
        /// As asked for.
        path: String,
    },
    /// A directory is there.
    #[error("`{path}` is a directory, not a file")]
    Directory {
        /// As asked for.
        path: String,
    },
    /// Larger than [`MAXIMUM_SIZE`].
    #[error("`{path}` is larger than 64 MiB, the most a source file may have")]
    TooLarge {
        /// As asked for.
        path: String,
    },
    /// Not text.
    #[error("`{path}` is not UTF-8: byte {offset} (line {line}) starts no character")]
    NotUtf8 {
        /// As asked for.
        path: String,
        /// Of the first bad byte, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// The system says no.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// As asked for.
        path: String,
        /// In the system's words.
        reason: String,
    },
}

/// All files of a run.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text under a name and gives the id that spans into it carry.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.insert(name.into(), None, text.into())
    }

    /// Reads a file from disk; a file already read under the same path is not read again.
    ///
    /// # Errors
    /// When the file is missing, a directory, too large, not UTF-8 or unreadable.
    pub fn load(&mut self, path: &Path) -> Result<FileId, LoadError> {
        if let Some(known) = self
            .files
            .iter()
            .position(|file| file.path.as_deref() == Some(path))
        {
            return Ok(to_u32(known));
        }
        let text = read(path)?;
        Ok(self.insert(path.display().to_string(), Some(path.to_owned()), text))
    }

    /// The file of an id.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file as usize)
    }

    /// All files with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(index, file)| (to_u32(index), file))
    }

    /// The text of a span; empty when it lies outside its file.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// `name:line:column` of the start of a span.
    #[must_use]
    pub fn describe(&self, span: Span) -> String {
        let Some(file) = self.get(span.file) else {
            return "<unknown>".to_owned();
        };
        let Location { line, column } = file.location(span.start);
        format!("{}:{line}:{column}", file.name)
    }

    /// The span from one place to another of the file of this name (lines and columns from 1).
    #[must_use]
    pub fn span_between(&self, name: &str, start: Location, end: Location) -> Option<Span> {
        let (id, file) = self.iter().find(|(_, file)| file.name == name)?;
        let start = file.offset(start)?;
        let end = file.offset(end)?.max(start);
        Some(Span {
            file: id,
            start,
            end,
        })
    }

    fn insert(&mut self, name: String, path: Option<PathBuf>, text: String) -> FileId {
        let id = to_u32(self.files.len());
        self.files.push(SourceFile::new(name, path, text));
        id
    }
}

impl SourceFile {
    fn new(name: String, path: Option<PathBuf>, text: String) -> Self {
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| to_u32(at + 1)))
            .collect();
        Self {
            name,
            path,
            text,
            line_starts,
        }
    }

    /// The byte offset of a place; `None` when the file has no such line.
    #[must_use]
    pub fn offset(&self, place: Location) -> Option<u32> {
        let range = self.line_range(place.line)?;
        let line = self.text.get(range.clone())?;
        let column = place.column.saturating_sub(1) as usize;
        let inside = line
            .char_indices()
            .nth(column)
            .map_or(line.len(), |(at, _)| at);
        Some(to_u32(range.start + inside))
    }

    /// Line and column of a byte offset. Offsets past the end are at the end; offsets inside a
    /// character are at its start.
    #[must_use]
    pub fn location(&self, offset: u32) -> Location {
        let offset = self.floor(offset);
        let line = self
            .line_starts
            .partition_point(|&start| start <= offset)
            .max(1)
            - 1;
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let before = self
            .text
            .get(start as usize..offset as usize)
            .unwrap_or_default();
        Location {
            line: to_u32(line + 1),
            column: to_u32(before.chars().count() + 1),
        }
    }

    /// How many lines; a file that ends in a line break has an empty last line.
    #[must_use]
    pub const fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The bytes of a line (from 1) without its line break.
    #[must_use]
    pub fn line_range(&self, line: u32) -> Option<std::ops::Range<usize>> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.line_starts.get(index)? as usize;
        let end = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |&next| next as usize - 1);
        let line = self.text.get(start..end)?;
        Some(start..start + line.strip_suffix('\r').unwrap_or(line).len())
    }

    /// The nearest character boundary at or before an offset.
    #[must_use]
    pub(crate) fn floor(&self, offset: u32) -> u32 {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        to_u32(offset)
    }
}

fn read(path: &Path) -> Result<String, LoadError> {
    let shown = || path.display().to_string();
    let failed = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => LoadError::NotFound { path: shown() },
        io::ErrorKind::IsADirectory => LoadError::Directory { path: shown() },
        io::ErrorKind::FileTooLarge => LoadError::TooLarge { path: shown() },
        _ => LoadError::Unreadable {
            path: shown(),
            reason: error.to_string(),
        },
    };
    let bytes = input::read(path, MAXIMUM_SIZE).map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..offset]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1;
        LoadError::NotUtf8 {
            path: shown(),
            offset,
            line,
        }
    })
}

/// Sizes are at most [`MAXIMUM_SIZE`], except for text handed to [`SourceMap::add`].
fn to_u32(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn file(text: &str) -> SourceFile {
        SourceFile::new("a.tile".to_owned(), None, text.to_owned())
    }

    fn at(text: &str, offset: u32) -> (u32, u32) {
        let Location { line, column } = file(text).location(offset);
        (line, column)
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("", 7), (1, 1));
        assert_eq!(at("ab\ncd", 2), (1, 3));
        assert_eq!(at("ab\ncd", 3), (2, 1));
        assert_eq!(at("ab\ncd\n", 6), (3, 1));
        assert_eq!(at("äöü = 1", 7), (1, 5));
        assert_eq!(at("ä", 1), (1, 1));
    }

    #[test]
    fn lines_lose_their_break() {
        let file = file("a\r\nbc\n");
        assert_eq!(file.line_range(1), Some(0..1));
        assert_eq!(file.line_range(2), Some(3..5));
        assert_eq!(file.line_range(3), Some(6..6));
        assert_eq!(file.line_range(4), None);
        assert_eq!(file.line_range(0), None);
    }

    #[test]
    fn loading_says_what_is_wrong() {
        let folder = std::env::temp_dir().join(format!("tile-source-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let bad = folder.join("bad.tile");
        fs::write(&bad, b"// fine\nab\xff").expect("a file");
        let huge = folder.join("huge.tile");
        fs::File::create(&huge)
            .and_then(|file| file.set_len(MAXIMUM_SIZE + 1))
            .expect("a file");
        let good = folder.join("good.tile");
        fs::write(&good, "").expect("a file");

        let mut map = SourceMap::new();
        assert!(matches!(
            map.load(&folder),
            Err(LoadError::Directory { .. })
        ));
        assert!(matches!(
            map.load(&folder.join("none")),
            Err(LoadError::NotFound { .. })
        ));
        assert!(matches!(map.load(&huge), Err(LoadError::TooLarge { .. })));
        assert!(matches!(
            map.load(&bad),
            Err(LoadError::NotUtf8 {
                offset: 10,
                line: 2,
                ..
            })
        ));
        assert_eq!(map.load(&good), Ok(0));
        assert_eq!(map.load(&good), Ok(0));
        fs::remove_dir_all(&folder).expect("the temporary folder goes");
    }
}
