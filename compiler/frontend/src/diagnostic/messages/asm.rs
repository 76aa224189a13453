//! Inline PTX.

use tile_runtime::element::ElementType;

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::inline_ptx::Mistake;

/// `asm` without `type`.
#[must_use]
pub fn no_type(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAsm, "`asm` does not say what its result is")
        .label(span, "`type` is missing")
        .help("name the type of `$0`: `asm(\"…\", …, type = f32)`; of several: `type = (f32, i32)`")
}

/// A `type` that is none.
#[must_use]
pub fn result_types(found: impl Into<Found>, most: usize) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::BadAsm,
        format!(
            "`type` of `asm` is an element type, or up to {most} of them in parentheses; found {}",
            found.what
        ),
    )
    .label(found.span, "expected a type such as `f32`")
}

/// `pack = 3`
#[must_use]
pub fn bad_pack(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAsm, "`pack` of `asm` is 1, 2 or 4").label(span, "")
}

/// Elements that are too wide to share a register.
#[must_use]
pub fn does_not_pack(element: ElementType, pack: u32, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadAsm,
        format!("{pack} elements of `{element}` do not fit one register of 32 bits"),
    )
    .label(span, format!("this is `{element}`"))
    .note("with `pack`, all results and arguments are packed alike")
}

/// A text that is no PTX, or none that `asm` can take.
#[must_use]
pub fn wrong_text(text: &str, mistake: &Mistake, span: Span) -> Diagnostic {
    let Mistake {
        line,
        text: found,
        message,
        known,
    } = mistake;
    let label = if found.is_empty() || text.trim() == found {
        String::new()
    } else if text.lines().count() > 1 {
        format!("line {line} of the text: `{found}`")
    } else {
        format!("this: `{found}`")
    };
    let mut diagnostic =
        Diagnostic::error(Code::BadAsm, format!("in inline PTX: {message}")).label(span, label);
    for form in known {
        diagnostic = diagnostic.note(format!("known: {form}"));
    }
    diagnostic
}
