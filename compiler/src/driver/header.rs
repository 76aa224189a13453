//! The call in a file's header: what `tilec run FILE` does without arguments.
//!
//! ```text
//! //! run: softmax x=randn(1823,781) y=zeros(1823,781) -D T=bf16
//! ```
//!
//! The first word is the kernel (left out in a file with one), the rest is what would be written
//! behind `tilec run FILE`. A file with several kernels may have a line for each; the first is the
//! default. Paths of `@file.npy` are relative to the source.

use std::path::Path;

use clap::Parser;
use tile_runtime::arguments::ArgumentExpr;
use tile_runtime::run::RunOptions;

use super::options::Defines;
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::ast::HeaderLine;

/// A call, parsed.
#[derive(Parser, Debug, Clone, Default)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub struct HeaderCall {
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub defines: Defines,
}

/// The call for a kernel, or the first one; `None` if the header has none.
pub fn default_call(
    header: &[HeaderLine],
    kernel: Option<&str>,
    source: &Path,
) -> Result<Option<HeaderCall>, Box<Diagnostic>> {
    for line in header {
        let Some(call) = line.text.strip_prefix("run:") else {
            continue;
        };
        let mut call = parse(call).map_err(|problem| bad_call(line, &problem))?;
        if kernel.is_some() && call.run.kernel.is_some() && kernel != call.run.kernel.as_deref() {
            continue;
        }
        let folder = source.parent().unwrap_or_else(|| Path::new(""));
        for argument in &mut call.run.arguments {
            if let ArgumentExpr::File(path) = &mut argument.value {
                *path = folder.join(&*path);
            }
        }
        return Ok(Some(call));
    }
    Ok(None)
}

fn parse(call: &str) -> Result<HeaderCall, String> {
    let mut words = words(call);
    let named = words
        .first()
        .is_some_and(|word| !word.contains('=') && !word.starts_with('-'));
    let kernel = named.then(|| words.remove(0));
    let mut call = HeaderCall::try_parse_from(words).map_err(|error| {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        first.trim_start_matches("error: ").trim().to_owned()
    })?;
    if kernel.is_some() {
        call.run.kernel = kernel;
    }
    Ok(call)
}

/// Words between blanks; blanks inside brackets belong to a word: `rand(-1, 1; 512)`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match words.last_mut() {
            Some(last) if depth > 0 || !character.is_whitespace() => last.push(character),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn bad_call(line: &HeaderLine, problem: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(Code::BadHeader, "the call in this header cannot be understood")
            .label(line.span, "not a call")
            .note(problem.to_owned())
            .help("write `//! run: KERNEL NAME=VALUE …`, such as `//! run: add x=randn(1000) y=zeros(1000)`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;

    fn header(lines: &[&str]) -> Vec<HeaderLine> {
        let line = |text: &&str| HeaderLine {
            text: (*text).to_owned(),
            span: Span::default(),
        };
        lines.iter().map(line).collect()
    }

    fn call(lines: &[&str], kernel: Option<&str>) -> Option<HeaderCall> {
        default_call(&header(lines), kernel, Path::new("folder/a.tile")).expect("a good call")
    }

    #[test]
    fn a_call_is_a_kernel_and_its_arguments() {
        let call = call(
            &[
                "About this file.",
                "run: f x=rand(-1, 1; 8) n=8 -D T=bf16 --seed 3",
            ],
            None,
        )
        .expect("a call");
        assert_eq!(call.run.kernel.as_deref(), Some("f"));
        assert_eq!(call.run.arguments.len(), 2);
        assert_eq!(call.defines.define.len(), 1);
        assert_eq!(call.run.seed, 3);
    }

    #[test]
    fn each_kernel_may_have_a_call() {
        let lines = ["run: f n=1", "run: g n=2"];
        let kernel = |name| call(&lines, name).and_then(|call| call.run.kernel);
        assert_eq!(kernel(None).as_deref(), Some("f"));
        assert_eq!(kernel(Some("g")).as_deref(), Some("g"));
        assert_eq!(kernel(Some("h")), None);
    }

    #[test]
    fn files_are_beside_the_source() {
        let call = call(&["run: x=@x.npy"], None).expect("a call");
        let expected = ArgumentExpr::File("folder/x.npy".into());
        assert_eq!(
            call.run.arguments.first().map(|argument| &argument.value),
            Some(&expected)
        );
    }

    #[test]
    fn a_bad_call_says_what_is_wrong() {
        let problem = default_call(&header(&["run: f x=rnadn(4)"]), None, Path::new("a.tile"));
        let notes = problem.expect_err("no such function").notes.concat();
        assert!(notes.contains("did you mean `randn`?"), "{notes}");
    }
}
