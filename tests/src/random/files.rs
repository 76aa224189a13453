//! Files of a program: its source, and what comparing a GPU needs.

use std::fs;
use std::io;
use std::path::Path;

use tile_runtime::npy;

use super::run::{Expected, Finding, Subject};

/// Writes `NAME.tile` with a header that says how it is run and, as comments, what is wrong.
///
/// # Errors
/// If the file cannot be written.
pub fn source(folder: &Path, program: &dyn Subject, finding: Option<&Finding>) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = String::new();
    if let Some(finding) = finding {
        for line in finding.to_string().lines() {
            text += &format!("// {line}\n");
        }
    }
    text += &listing(program);
    fs::write(folder.join(format!("{}.tile", program.name())), text)
}

/// The source with the header of `tests/kernels`.
#[must_use]
pub fn listing(program: &dyn Subject) -> String {
    let (name, call) = (program.name(), program.call().join(" "));
    let tolerance = match program.tolerance() {
        Some(tolerance) => format!("//! tolerance: {name} {tolerance}\n"),
        None => String::new(),
    };
    format!(
        "//!\n//! target: {}\n{tolerance}//! run: {name} {call}\n\n{}",
        program.target(),
        program.text()
    )
}

/// Writes `NAME.ptx`, `NAME.run` and `NAME.PARAMETER.npy`, as `tile-bench compare` reads them.
///
/// # Errors
/// If a file cannot be written.
pub fn comparison(folder: &Path, program: &dyn Subject, expected: &Expected) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let base = |end: &str| folder.join(format!("{}.{end}", program.name()));
    fs::write(base("ptx"), &expected.compiled.ptx)?;
    let tolerance = match program.tolerance() {
        Some(tolerance) => tolerance.to_string(),
        None => "default".to_owned(),
    };
    let mut words = vec![format!("tolerance {tolerance}"), "--kernel".to_owned()];
    words.push(program.name().to_owned());
    words.extend(program.call());
    fs::write(base("run"), words.join("\n") + "\n")?;
    let parameters = &expected.compiled.manifest.kernels[0].parameters;
    let is_written = |name: &str| {
        let mut all = parameters.iter();
        all.any(|parameter| parameter.name() == name && parameter.is_mutable())
    };
    for (name, tensor) in &expected.tensors {
        if is_written(name) {
            npy::write(base(&format!("{name}.npy")), tensor).map_err(io::Error::other)?;
        }
    }
    Ok(())
}
