//! Files that are written whole or not at all.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use tile_runtime::output;

use super::console::{Console, Exit};
use super::program::Program;

/// Where a result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Printed.
    Stdout,
    /// Written to this file.
    File(PathBuf),
}

impl Output {
    /// What `-o` says; `-` is stdout.
    pub fn named(path: &Path) -> Self {
        if path.as_os_str() == "-" {
            Self::Stdout
        } else {
            Self::File(path.to_owned())
        }
    }

    /// Writes text.
    pub fn text(&self, console: &Console, text: &str) -> Result<(), Exit> {
        match self {
            Self::Stdout => console.print(text),
            Self::File(path) => write(console, path, text.as_bytes()),
        }
    }

    /// Writes bytes that are no text: a terminal would choke on them.
    pub fn bytes(&self, console: &Console, bytes: &[u8]) -> Result<(), Exit> {
        match self {
            Self::Stdout if std::io::stdout().is_terminal() => {
                console.error(
                    "a cubin is no text for a terminal",
                    &["write it to a file: `-o kernel.cubin`"],
                );
                Err(Exit::Call)
            }
            Self::Stdout => {
                let mut stdout = std::io::stdout();
                console.printed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
            }
            Self::File(path) => write(console, path, bytes),
        }
    }
}

/// Refuses to write over what a command reads: `-o` once mistyped would lose it.
pub fn keep_inputs<'a>(
    console: &Console,
    output: &Output,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Exit> {
    let Output::File(path) = output else {
        return Ok(());
    };
    let inputs: Vec<PathBuf> = inputs.into_iter().map(Path::to_owned).collect();
    output::check([path.as_path()], inputs.iter().map(PathBuf::as_path))
        .map_err(|error| console.wrong_call(error))
}

/// The files that a program is made of.
pub fn sources(program: &Program) -> impl Iterator<Item = &Path> {
    let files = program.sources.iter();
    files.filter_map(|(_, file)| file.path.as_deref())
}

/// Writes a file in one step: who reads it sees the old one or all of the new one.
fn write(console: &Console, path: &Path, bytes: &[u8]) -> Result<(), Exit> {
    output::replace(path, &[bytes]).map_err(|error| {
        console.wrong_call(format_args!("cannot write `{}`: {error}", path.display()))
    })
}
