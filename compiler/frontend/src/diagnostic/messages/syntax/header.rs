//! Lines at the top of a file that say how it is run.

use super::words::shorten;
use crate::diagnostic::{Code, Diagnostic, Span};

const RUN_LINE: &str = "a default call is written `//! run: kernel x=randn(16,16) n=3`";

/// `//! run:` and nothing more.
#[must_use]
pub fn run_line_without_kernel(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadHeader, "the `run:` line names no kernel")
        .label(span, "")
        .help(RUN_LINE)
}

/// Two `//! run:` lines.
#[must_use]
pub fn second_run_line(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::BadHeader, "a file has one default call")
        .label(second, "second `run:` line")
        .secondary(first, "first `run:` line")
}

/// A `run:` line for a kernel that the file does not have.
#[must_use]
pub fn run_line_unknown_kernel(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::BadHeader,
        format!("the `run:` line names `{name}`, and this file has no such kernel"),
    )
    .label(span, "no such kernel");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic,
    }
}

/// An argument that is not `name=value`.
#[must_use]
pub fn run_line_argument(argument: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadHeader,
        format!("`{}` is not of the form `name=value`", shorten(argument)),
    )
    .label(span, "")
    .help(RUN_LINE)
}

/// Brackets or quotes in a `run:` line that do not match.
#[must_use]
pub fn run_line_bracket(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadHeader,
        "the brackets of the `run:` line do not match",
    )
    .label(span, "no partner for this")
    .help(RUN_LINE)
}
