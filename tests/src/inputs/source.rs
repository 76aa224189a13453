//! Sources: the front end answers each with diagnostics, and every place they name is in the text.

use tilec::diagnostic::{Diagnostic, Span, render};
use tilec::sema;
use tilec::source::SourceMap;

use super::files;
use crate::Program;

/// Takes a text through the front end: lexed, parsed, checked, its problems rendered.
///
/// # Errors
/// What is wrong with the answer.
pub fn examine(text: &str) -> Result<(), String> {
    let program = Program::new("text.tile", text);
    let mut diagnostics = program.diagnostics.clone();
    if diagnostics.is_empty() {
        diagnostics = sema::check(&program.files);
    }
    for diagnostic in &diagnostics {
        within(&program.sources, diagnostic)?;
        for color in [false, true] {
            let style = render::Style {
                color,
                width: color.then_some(80),
            };
            if render::text(diagnostic, &program.sources, style).is_empty() {
                return Err(format!("nothing is said: {diagnostic:?}"));
            }
        }
        if render::json(diagnostic, &program.sources).is_empty() {
            return Err(format!("nothing is said in JSON: {diagnostic:?}"));
        }
    }
    Ok(())
}

/// Whether all places of a diagnostic are in the text.
fn within(sources: &SourceMap, diagnostic: &Diagnostic) -> Result<(), String> {
    let labels = diagnostic.labels.iter().map(|label| label.span);
    let suggestion = diagnostic.suggestion.iter().map(|edit| edit.span);
    for Span { file, start, end } in labels.chain(suggestion) {
        let text = sources
            .iter()
            .nth(file as usize)
            .map(|(_, source)| source.text.as_str());
        let is_inside = text
            .and_then(|text| text.get(start as usize..end as usize))
            .is_some();
        if !is_inside {
            return Err(format!(
                "{start}..{end} is no place of file {file}: {diagnostic:?}"
            ));
        }
    }
    Ok(())
}

/// The programs of this repository: examples, kernels of tests, wrong programs.
pub(super) fn corpus() -> Vec<Vec<u8>> {
    // Calls are comments to the front end, and most of these files.
    let code = |text: String| {
        let lines = text.lines().filter(|line| !line.starts_with("//!"));
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    };
    let folders = ["lang-examples", "tests/kernels", "tests/ui"];
    let texts = folders.iter().flat_map(|folder| files(folder, "tile"));
    texts.map(code).collect()
}

/// Words that mean something somewhere.
pub const WORDS: &[&str] = &[
    "kernel",
    "fn",
    "let",
    "mut",
    "if",
    "else",
    "for",
    "in",
    "while",
    "return",
    "break",
    "continue",
    "static",
    "const",
    "import",
    "test",
    "tune",
    "grid",
    "ptr",
    "tensor",
    "tile",
    "strides",
    "as",
    "true",
    "false",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "<<",
    ">>",
    "<=",
    "==",
    "!=",
    "&&",
    "||",
    "&",
    "|",
    "^",
    "!",
    "-",
    "+",
    "+:",
    "*",
    "/",
    "%",
    "=",
    "+=",
    ",",
    ";",
    ":",
    ".",
    "->",
    "#",
    "_",
    "None",
    "0",
    "1",
    "-1",
    "7",
    "1.5",
    "1e400",
    "0x_",
    "99999999999999999999999",
    "\"",
    "\"a\"",
    "'",
    "`",
    "\\",
    "ä",
    "\u{200b}",
    "i1",
    "i8",
    "u64",
    "f16",
    "f32",
    "f64",
    "f8e4m3",
    "T",
    "x",
    "load(x)",
    "store(x, 1)",
    "dot",
    "sum",
    "reduce",
    "scan",
    "range",
    "arange(0, 4)",
    "where",
    "reshape",
    "permute",
    "cat",
    "split(x)",
    ".T",
    ".0",
    "[:, None]",
    "[0]",
    "axis = 0",
    "|a, b| a",
    "(1, 2)",
    "zeros([4], f32)",
    "program_id(0)",
    "9223372036854775808",
    "/*",
    "//",
    "\n",
    "inf",
    "nan",
    "bitcast",
    "cast",
    "gather",
    "atomic_add",
    "fast.exp",
    "dot(x, x)",
    "[3, 0]",
    "[]",
    "()",
    "#[warps(3)]",
    "1 << 70",
    "1 / 0",
    "x as u8",
    "return;",
    "};",
];
