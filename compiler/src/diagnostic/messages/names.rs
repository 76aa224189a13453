//! Names that mean nothing, or two things.

use crate::diagnostic::{Code, Diagnostic, Span};

/// A name that nothing in scope has. `similar` is the closest name that exists.
#[must_use]
pub fn unknown(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::UnknownName, format!("no `{name}` is known here"))
        .label(span, "not found");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic,
    }
}

/// Two definitions of one name in one scope.
#[must_use]
pub fn duplicate(name: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::DuplicateName, format!("`{name}` is defined twice"))
        .label(second, "defined again here")
        .secondary(first, "first defined here")
}
