//! Files that a GPU is compared with, as `tile-bench compare` takes them.
//!
//! Each case that runs gives `NAME.run`, the call, and `NAME.PARAMETER.npy` for each tensor that the
//! kernel writes, as the interpreter leaves it. Cases of one unit share `UNIT.ptx`. Names begin with
//! the name of the corpus: the folder that the sources are in.

use std::fmt::Write as _;
use std::path::Path;

use tile_runtime::npy;
use tilec::target::Target;

use super::suite::{Case, Question};
use super::unit::Unit;
use crate::Program;
use crate::calls::{Call, interpret};

/// Removes what was written for a corpus before, so that nothing older is compared.
///
/// # Errors
/// In words, what could not be removed.
pub fn clear(folder: &Path, corpus: &Path) -> Result<(), String> {
    let of = |error: std::io::Error| format!("{}: {error}", folder.display());
    let start = format!(
        "{}-",
        corpus.file_name().unwrap_or_default().to_string_lossy()
    );
    for entry in std::fs::read_dir(folder).map_err(of)? {
        let path = entry.map_err(of)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ours = [".ptx", ".run", ".npy"]
            .iter()
            .any(|end| name.ends_with(end));
        if ours && name.starts_with(&start) {
            std::fs::remove_file(&path).map_err(of)?;
        }
    }
    Ok(())
}

/// Writes the files of a unit into a folder; gives how many calls there are. `number` makes the
/// names of units differ.
///
/// # Errors
/// In words, what could not be compiled, interpreted or written.
pub fn emit(
    unit: &Unit<'_>,
    program: &Program,
    number: usize,
    target: &'static Target,
    folder: &Path,
) -> Result<usize, String> {
    let runs = |case: &&&Case| matches!(case.question, Question::Runs(_));
    let cases: Vec<&&Case> = unit.cases.iter().filter(runs).collect();
    if cases.is_empty() {
        return Ok(0);
    }
    let stem = unit
        .suite
        .path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let corpus = unit.suite.path.parent().and_then(Path::file_name);
    let corpus = corpus.unwrap_or_default().to_string_lossy();
    let name = format!("{corpus}-{stem}-{}-{number:04}", unit.kernel());
    let of = |problem: String| format!("{name}: {problem}");
    let kernel = unit.elaborate(program).map_err(|problems| {
        of(problems
            .first()
            .map_or_else(String::new, |problem| problem.message.clone()))
    })?;
    let compiled = unit.compile(program, &kernel, target);
    let compiled = compiled.map_err(|problem| of(problem.message))?;
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    write(&format!("{name}.ptx"), &compiled.ptx)?;
    let tolerance = unit.suite.tolerance(unit.kernel());
    let tolerance = tolerance.map_or("default".to_owned(), |number| number.to_string());
    for (at, case) in cases.iter().enumerate() {
        let call = Call::parse(&case.words).map_err(of)?;
        let launch = call.prepare(&compiled.manifest).map_err(of)?;
        let arguments = interpret(&kernel, &launch).map_err(|error| of(error.to_string()))?;
        let call_name = format!("{name}-{at:02}");
        let parameters = launch.kernel.parameters.iter();
        for parameter in parameters.filter(|parameter| parameter.is_mutable()) {
            let tensor = arguments.tensor(parameter.name());
            let tensor = tensor.map_err(|error| of(error.to_string()))?;
            let Some(tensor) = tensor else { continue };
            let file = format!("{call_name}.{}.npy", parameter.name());
            npy::write(folder.join(&file), &tensor).map_err(|error| format!("{file}: {error}"))?;
        }
        let mut text = format!(
            "tolerance {tolerance}\nptx {name}.ptx\n--kernel\n{}\n",
            case.kernel
        );
        for word in &case.words {
            let _ = writeln!(text, "{word}");
        }
        write(&format!("{call_name}.run"), &text)?;
    }
    Ok(cases.len())
}
