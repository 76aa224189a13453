//! What the language has and the compiler does not have yet.

use crate::diagnostic::{Code, Diagnostic, Span};

/// `what` is a piece of the language.
#[must_use]
pub fn not_yet(what: &str, span: Span) -> Diagnostic {
    let plural = what.starts_with("attributes");
    let verb = if plural { "are" } else { "is" };
    Diagnostic::error(
        Code::NotSupportedYet,
        format!("{what} {verb} not supported yet"),
    )
    .label(span, "part of the language, but not of this version")
}

/// `return` inside a run-time loop of a function.
#[must_use]
pub fn nested_return(span: Span) -> Diagnostic {
    not_yet("`return` from inside a loop of a function", span)
        .help("keep the result in a `mut` variable and leave the loop with `break`")
}
