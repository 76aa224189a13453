//! Wrong texts of all kinds for the front end, which must answer each with diagnostics: no panic,
//! no hang, no place outside the text.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tilec::diagnostic::{Diagnostic, Span, render};
use tilec::sema;
use tilec::source::SourceMap;

use crate::random::Choices;
use crate::{Program, root};

/// How long the front end may take for one text, in a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Takes a text through the front end: lexed, parsed, checked, its problems rendered.
///
/// # Errors
/// What is wrong with the answer.
pub fn examine(text: &str) -> Result<(), String> {
    let start = Instant::now();
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
    if start.elapsed() > PATIENCE {
        return Err(format!("it took {:?}", start.elapsed()));
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
///
/// # Panics
/// If a file cannot be read.
#[must_use]
pub fn corpus() -> Vec<String> {
    fn add(folder: &Path, to: &mut Vec<String>) {
        let mut paths: Vec<_> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                add(&path, to);
            } else if path.extension().is_some_and(|end| end == "tile") {
                let text = fs::read_to_string(&path).expect("a source is text");
                // Calls are comments to the front end, and most of these files.
                let lines = text.lines().filter(|line| !line.starts_with("//!"));
                to.push(lines.collect::<Vec<_>>().join("\n"));
            }
        }
    }
    let mut texts = Vec::new();
    for folder in ["lang-examples", "tests/kernels", "tests/ui"] {
        add(&root().join(folder), &mut texts);
    }
    texts
}

/// Words, numbers, signs and blanks of a text, in order; together they are the text.
#[must_use]
pub fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let now = kind(c);
        if before.is_some_and(|before| before != now || now == 2) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(now);
    }
    pieces.push(&text[start..]);
    pieces
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

/// One of the texts with a few changes, or a part of it beside a part of another.
#[must_use]
pub fn mutated(corpus: &[String], choices: &mut Choices) -> String {
    let pick = |choices: &mut Choices| -> Vec<&str> {
        let text = corpus.get(choices.below(corpus.len()));
        pieces(text.map_or("", String::as_str))
    };
    let mut text = pick(choices);
    // A part is enough, and faster.
    if text.len() > 400 {
        let start = choices.below(text.len() - 300);
        let whole = |at: &usize| matches!(text[*at], "kernel" | "fn" | "const");
        let start = (0..=start).rev().find(whole).unwrap_or(0);
        let end = (start + 400).min(text.len());
        text = text[start..end].to_vec();
    }
    if choices.chance(20) {
        let other = pick(choices);
        let (from, to) = (choices.below(text.len()), choices.below(other.len()));
        let end = (to + 60).min(other.len());
        text.splice(from..from, other[to..end].iter().copied());
    }
    for _ in 0..=choices.below(6) {
        let at = choices.below(text.len());
        if text.is_empty() {
            break;
        }
        match choices.below(7) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, choices.pick(WORDS)),
            2 => text[at] = choices.pick(WORDS),
            3 => {
                let other = choices.below(text.len());
                text.swap(at, other);
            }
            4 => {
                // One of the words near it again.
                let near = (at + choices.below(12)).min(text.len() - 1);
                text.insert(at, text[near]);
            }
            5 => {
                let end = (at + choices.below(20)).min(text.len());
                let part = text[at..end].to_vec();
                text.splice(at..at, part);
            }
            _ => {
                let end = (at + choices.below(20)).min(text.len());
                text.drain(at..end);
            }
        }
    }
    text.concat()
}
