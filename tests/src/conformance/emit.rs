//! Files that a GPU is compared with, as `tile-bench compare` takes them.
//!
//! Each case that runs gives `NAME.run`, the call, and `NAME.PARAMETER.npy` for each tensor that the
//! kernel writes, as the interpreter leaves it. Cases of one unit share `UNIT.ptx`.

use std::fmt::Write as _;
use std::path::Path;

use tile_runtime::manifest::Parameter;
use tile_runtime::npy;

use super::suite::{Case, Question};
use super::unit::Unit;
use crate::Program;
use crate::calls::{Call, interpret};

/// Writes the files of a unit into a folder; gives how many calls there are. `number` makes the
/// names of units differ.
///
/// # Errors
/// In words, what could not be compiled, interpreted or written.
pub fn emit(
    unit: &Unit<'_>,
    program: &Program,
    number: usize,
    folder: &Path,
) -> Result<usize, String> {
    let runs = |case: &&&Case| matches!(case.question, Question::Runs(_));
    let cases: Vec<&&Case> = unit.cases.iter().filter(runs).collect();
    if cases.is_empty() {
        return Ok(0);
    }
    let stem = unit.suite.path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-{}-{number:04}", unit.kernel());
    let of = |problem: String| format!("{name}: {problem}");
    let kernel = unit.elaborate(program).map_err(|problems| {
        of(problems.first().map_or_else(String::new, |problem| problem.message.clone()))
    })?;
    let compiled = unit.compile(program, &kernel);
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
        for parameter in launch.kernel.parameters.iter().filter(|parameter| parameter.is_mutable()) {
            let tensor = arguments.tensor(parameter_name(parameter));
            let tensor = tensor.map_err(|error| of(error.to_string()))?;
            let Some(tensor) = tensor else { continue };
            let file = format!("{call_name}.{}.npy", parameter_name(parameter));
            npy::write(folder.join(&file), &tensor).map_err(|error| format!("{file}: {error}"))?;
        }
        let mut text = format!("tolerance {tolerance}\nptx {name}.ptx\n--kernel\n{}\n", case.kernel);
        for word in &case.words {
            let _ = writeln!(text, "{word}");
        }
        write(&format!("{call_name}.run"), &text)?;
    }
    Ok(cases.len())
}

fn parameter_name(parameter: &Parameter) -> &str {
    parameter.name()
}
