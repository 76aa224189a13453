//! Files from strangers: whatever is in them, they are answered. No panic, no hang, no end of the process.
//!
//! Each [`Input`] has files to begin with, a way to change them, and what must hold of the answer. `random-inputs` tries
//! changed files, the targets in `tests/fuzz` let libFuzzer look for them, and the tests try those that once failed.

mod array;
mod artifact;
mod change;
mod ir;
mod record;
pub mod source;

use std::fs;
use std::path::Path;

use clap::ValueEnum;

use change::Ways;

use crate::random::Choices;
use crate::root;

/// A kind of file that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Input {
    /// A source for the front end
    Source,
    /// PTX with a manifest for the simulator
    Artifact,
    /// An array in a `.npy` file
    Array,
    /// A record of tuning
    Record,
    /// MLIR text for `tilec opt`
    Ir,
}

/// Words of everything but sources: numbers that are too large or of the wrong sign, and nothing.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "3",
    "32",
    "65536",
    "4294967296",
    "-9223372036854775808",
    "18446744073709551616",
    "1e999",
    "0x",
    "",
    "null",
    "true",
    "[]",
    "{}",
    "()",
    "\"\"",
    "\"",
    "[",
    "{",
    "(",
    "%0",
    "%r1",
    "@x",
    "?",
    "i1",
    "f64",
    ".b8",
    ".u64",
];

impl Input {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Source,
        Self::Artifact,
        Self::Array,
        Self::Record,
        Self::Ir,
    ];

    /// The folder of the files that once failed, and the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Artifact => "artifact",
            Self::Array => "array",
            Self::Record => "record",
            Self::Ir => "ir",
        }
    }

    /// Files to begin with: those of this repository.
    #[must_use]
    pub fn corpus(self) -> Vec<Vec<u8>> {
        match self {
            Self::Source => source::corpus(),
            Self::Artifact => artifact::corpus(),
            Self::Array => array::corpus(),
            Self::Record => record::corpus(),
            Self::Ir => ir::corpus(),
        }
    }

    /// A file with a few changes.
    #[must_use]
    pub fn changed(self, corpus: &[Vec<u8>], choices: &mut Choices) -> Vec<u8> {
        let ways = match self {
            // A part of a program is enough, and faster.
            Self::Source => Ways {
                words: source::WORDS,
                most: 400,
                changes: 6,
                alike: 30,
            },
            _ => Ways {
                words: WORDS,
                most: usize::MAX,
                changes: 3,
                alike: 85,
            },
        };
        change::changed(corpus, &ways, choices)
    }

    /// Reads a file as its reader does.
    ///
    /// # Errors
    /// What is wrong with the answer.
    pub fn examine(self, input: &[u8]) -> Result<(), String> {
        match (self, str::from_utf8(input)) {
            (Self::Array, _) => array::examine(input),
            // What is no text is refused before.
            (_, Err(_)) => Ok(()),
            (Self::Source, Ok(text)) => source::examine(text),
            (Self::Artifact, Ok(text)) => artifact::examine(text),
            (Self::Record, Ok(text)) => record::examine(text),
            (Self::Ir, Ok(text)) => ir::examine(text),
        }
    }
}

/// The texts of all files with this ending below a folder of the repository, by path.
fn files(folder: &str, ending: &str) -> Vec<String> {
    fn add(folder: &Path, ending: &str, to: &mut Vec<String>) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                add(&path, ending, to);
            } else if path.extension().is_some_and(|end| end == ending) {
                to.extend(fs::read_to_string(&path));
            }
        }
    }
    let mut texts = Vec::new();
    add(&root().join(folder), ending, &mut texts);
    texts
}

/// Whether a message is one: some words, and no more than somebody reads.
fn is_said(message: &str) -> Result<(), String> {
    match message.len() {
        0 => Err("nothing is said".to_owned()),
        1..100_000 => Ok(()),
        length => Err(format!("a message of {length} bytes")),
    }
}
