//! Files that are written whole or not at all.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::console::{Console, Exit};

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
            Self::Stdout => std::io::stdout()
                .write_all(bytes)
                .map_err(|_| Exit::Program),
            Self::File(path) => write(console, path, bytes),
        }
    }
}

/// Refuses to write over a source: `-o` once mistyped would lose it.
pub fn keep_source(console: &Console, output: &Output, source: &Path) -> Result<(), Exit> {
    if let Output::File(path) = output
        && let (Ok(to), Ok(from)) = (path.canonicalize(), source.canonicalize())
        && to == from
    {
        return Err(console.wrong_call(format_args!(
            "`{}` is the source: write to another file",
            path.display()
        )));
    }
    Ok(())
}

/// Writes a file in one step: who reads it sees the old one or all of the new one.
fn write(console: &Console, path: &Path, bytes: &[u8]) -> Result<(), Exit> {
    replace(path, bytes).map_err(|error| {
        let error = error.to_string();
        // The temporary file beside it, which the user knows nothing of.
        let reason = error.split(" at path ").next().unwrap_or_default();
        console.wrong_call(format_args!("cannot write `{}`: {reason}", path.display()))
    })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // Something that is there and no file is a device or a pipe (`/dev/null`): it stays what it is.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::write(path, bytes);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tilec-");
    #[cfg(unix)]
    {
        // As any new file, less what the umask takes away; temporary files are private by default.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
