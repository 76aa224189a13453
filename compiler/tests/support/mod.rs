//! Runs of `tilec` in a folder.

use std::path::Path;
use std::process::Command;

/// How a run ended.
pub struct Ended {
    /// The exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
}

/// Runs `tilec` in a folder, with the devices hidden, so that a GPU machine behaves as one without.
pub fn tilec(folder: &Path, arguments: &[&str]) -> Ended {
    let output = Command::new(env!("CARGO_BIN_EXE_tilec"))
        .args(arguments)
        .current_dir(folder)
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .expect("tilec runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ended {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
