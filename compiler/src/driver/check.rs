//! `tilec check`: all mistakes of some files, and nothing compiled.

use super::console::{Console, Exit, count};
use super::options::CheckOptions;
use super::program::Program;
use crate::sema;

/// Checks each file, even after others failed.
pub fn check(console: &Console, options: &CheckOptions) -> Result<(), Exit> {
    let mut failed: Vec<Exit> = Vec::new();
    for path in &options.files {
        let checked = Program::load(console, path).and_then(|program| {
            let diagnostics = sema::check(&program.files);
            console.stop_on_errors(&diagnostics, &program.sources, Exit::Program)
        });
        failed.extend(checked.err());
    }
    let files = count(options.files.len(), "file");
    if failed.is_empty() {
        console.status("Checked", &format!("{files}: no errors"));
        return Ok(());
    }
    if options.files.len() > 1 && console.is_text() {
        console.error(&format!("{} of {files} failed", failed.len()), &[]);
    }
    // A wrong program weighs more: the other files were looked at all the same.
    Err(if failed.contains(&Exit::Program) {
        Exit::Program
    } else {
        Exit::Call
    })
}
