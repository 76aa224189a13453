//! What the language has and the compiler does not have yet.

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::typed::ValueType;

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

/// A mask on a store to a view.
#[must_use]
pub fn masked_view_store(span: Span) -> Diagnostic {
    not_yet("a mask on a store to a view", span)
        .help("bounds are checked without it; for other masks use a pointer parameter")
}

/// `return` inside a run-time loop of a function.
#[must_use]
pub fn nested_return(span: Span) -> Diagnostic {
    not_yet("`return` from inside a loop of a function", span)
        .help("keep the result in a `mut` variable and leave the loop with `break`")
}

/// `x[0 +: 64, :]` of a tile.
#[must_use]
pub fn part_of_tile(found: &ValueType, span: Span) -> Diagnostic {
    not_yet(&format!("a part of a tile (here of `{found}`)"), span)
        .help("load the part from the tensor, or compute it from `arange` and `where`")
}
