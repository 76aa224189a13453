//! What a launch did, by line of the kernel's source.

use serde::Serialize;

use super::counters::{Count, Counters};
use super::machine::Launch;

/// Counts of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The entry point.
    pub entry: String,
    /// Programs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a program.
    pub threads: u32,
    /// By line, in the order of the file; instructions of no line come first.
    pub lines: Vec<Line>,
}

/// Counts of one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The source; `None` if the PTX does not say.
    pub file: Option<String>,
    /// From 1; 0 if the PTX does not say.
    pub line: u32,
    /// What its instructions did together.
    #[serde(flatten)]
    pub count: Count,
}

impl Profile {
    /// Adds up the counters of instructions by line.
    #[must_use]
    pub fn new(launch: &Launch<'_>, counters: &Counters) -> Self {
        let mut lines = std::collections::BTreeMap::<(u32, u32), Count>::new();
        for (instruction, count) in launch.entry.code.iter().zip(&counters.counts) {
            let (file, line, _) = instruction.location.unwrap_or_default();
            lines.entry((file, line)).or_default().add(count);
        }
        let name = |file: u32| {
            let found = launch
                .program
                .files
                .iter()
                .find(|(number, _)| *number == file);
            found.map(|(_, name)| name.clone())
        };
        Self {
            entry: launch.entry.name.clone(),
            grid: launch.grid,
            threads: launch.block_threads(),
            lines: lines
                .into_iter()
                .map(|((file, line), count)| Line {
                    file: name(file).filter(|_| line != 0),
                    line,
                    count,
                })
                .collect(),
        }
    }
}
