//! Errors as Python sees them.

use tile_runtime::Error;
use tile_runtime::backend::DeviceError;

/// An error of Python: its class, its text, and frames for the traceback.
pub struct Failure {
    pub kind: &'static str,
    pub message: String,
    /// `  File "add.tile", line 3, in add`, a line each.
    pub frames: String,
}

impl Failure {
    pub fn usage(message: String) -> Self {
        Self {
            kind: "TypeError",
            message,
            frames: String::new(),
        }
    }

    /// A panic: its text went to the standard error already.
    pub fn defect() -> Self {
        Self {
            kind: "RuntimeError",
            message: "this is a defect of Tile, not of your program; please report it".to_owned(),
            frames: String::new(),
        }
    }

    /// An error of a kernel's call.
    pub fn of(error: &Error, kernel: &str) -> Self {
        let (kind, frames) = match error {
            Error::Device(DeviceError::Finding(finding)) => {
                let file = finding.site.file.as_deref().unwrap_or("<kernel>");
                let line = finding.site.line;
                (
                    "tile.Finding",
                    format!("  File \"{file}\", line {line}, in {kernel}\n"),
                )
            }
            Error::Device(_) => ("tile.DeviceError", String::new()),
            Error::Manifest(_) => ("ValueError", String::new()),
            _ => ("tile.LaunchError", String::new()),
        };
        Self {
            kind,
            message: error.to_string(),
            frames,
        }
    }
}
