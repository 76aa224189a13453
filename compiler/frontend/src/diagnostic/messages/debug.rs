//! `print` and `assert`.

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Span};

/// `what` is no text; as in "the label of `print`".
#[must_use]
pub fn expected_text(what: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!("{what} must be a text, found {}", found.what),
    )
    .label(found.span, "expected a text in quotes")
}

/// A text with a zero in it.
#[must_use]
pub fn zero_in_text(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::NotAValue, format!("{what} has a character `\\0`"))
        .label(span, "the text would end there")
}

/// `assert(x, …)` of something that is no truth value.
#[must_use]
pub fn assert_condition(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!(
            "the condition of `assert` must be of `i1`, found {}",
            found.what
        ),
    )
    .label(found.span, "not a truth value")
    .help("compare: `assert(x != 0, …)`; all elements of a tile must hold")
}

/// More values than fit one call.
#[must_use]
pub fn too_many_values(function: &str, given: usize, most: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("`{function}` takes at most {most} values, found {given}"),
    )
    .label(span, "too many values")
}
