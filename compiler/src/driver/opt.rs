//! `tilec opt`: MLIR text in, passes, MLIR text out.

use std::io::Read;
use std::path::Path;

use super::caught;
use super::console::{Console, Exit};
use super::options::OptOptions;
use super::output::{Output, keep_inputs};
use super::program;
use crate::dialect;
use crate::passes::PassContext;
use crate::source::{FileId, SourceMap};

/// Parses, verifies, runs the passes, verifying after each, and prints.
pub fn opt(console: &Console, options: &OptOptions) -> Result<(), Exit> {
    let output = options
        .output
        .as_deref()
        .map_or(Output::Stdout, Output::named);
    keep_inputs(console, &output, [options.file.as_path()])?;
    let (sources, root) = open(console, &options.file)?;
    let Some(file) = sources.get(root) else {
        return Ok(());
    };
    let context = dialect::context();
    let mut module = dialect::parse(&context, &file.name, &file.text).map_err(|problem| {
        let help = "`tilec build FILE.tile --emit tile` shows what is expected";
        console.error(&problem, &[help]);
        Exit::Program
    })?;
    if let Err(problem) = dialect::verify::module(&context, &module) {
        console.error(&format!("{}: {problem}", file.name), &[]);
        return Err(Exit::Program);
    }
    let cx = PassContext::new(&context, options.target.target, &sources, &[]);
    for pass in &options.pass {
        // Passes rely on what those before them make, which MLIR's verifier does not know.
        let done = caught(|| pass.run(&cx, module)).map_err(|said| {
            let message = format!("{}: the pass `{}` cannot take this: {said}", file.name, pass.name);
            let help = "a pass takes what the one before it makes: see `tilec passes`, and `tilec build FILE.tile --emit PASS`";
            console.error(&message, &[help]);
            Exit::Program
        })?;
        module = done.map_err(|diagnostic| {
            console.diagnostics(&[diagnostic], &sources);
            Exit::Program
        })?;
    }
    output.text(
        console,
        &format!("{}\n", dialect::print(&module).trim_end()),
    )
}

fn open(console: &Console, path: &Path) -> Result<(SourceMap, FileId), Exit> {
    if path.as_os_str() != "-" {
        return program::open(console, path);
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| console.wrong_call(format_args!("stdin cannot be read: {error}")))?;
    let mut sources = SourceMap::new();
    let root = sources.add("<stdin>", text);
    Ok((sources, root))
}
