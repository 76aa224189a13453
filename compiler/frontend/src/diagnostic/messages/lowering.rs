//! Programs that are right but cannot be compiled: no lowering yet, or beyond the target's limits.

use crate::diagnostic::{Code, Diagnostic, Span};

/// The construct runs in the interpreter but has no code generation.
#[must_use]
pub fn not_lowered(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NotSupportedYet,
        format!("{what} cannot be compiled yet"),
    )
    .label(span, "no code is generated for this")
    .note("the reference interpreter runs it: `--device interp`")
}

/// A tile that the registers of a program cannot hold.
#[must_use]
pub fn too_many_registers(
    tile: &str,
    needed: u64,
    available: u64,
    target: &str,
    span: Span,
) -> Diagnostic {
    Diagnostic::error(
        Code::TooLargeForTarget,
        format!("a tile of type `{tile}` does not fit the registers of a program"),
    )
    .label(
        span,
        format!("this needs {needed} bytes of registers; {target} has {available} for one program"),
    )
    .help("make the tile smaller: lower the generics that set its shape, such as `-D BLOCK=1024`")
}

/// Buffers that shared memory cannot hold.
#[must_use]
pub fn too_much_shared(
    parts: &[(String, u64)],
    needed: u64,
    available: u64,
    target: &str,
    span: Span,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(
        Code::TooLargeForTarget,
        format!("the kernel needs {needed} bytes of shared memory, but {target} has {available} for one program"),
    )
    .label(span, "in this kernel");
    for (what, bytes) in parts {
        diagnostic = diagnostic.note(format!("{bytes} bytes hold {what}"));
    }
    diagnostic.help(
        "make the tiles smaller: lower the generics that set their shapes, such as `-D BK=32`",
    )
}

/// Parameters of more bytes than a launch can pass.
#[must_use]
pub fn too_many_parameters(most: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TooLargeForTarget,
        format!(
            "the parameters of this kernel need more than the {most} bytes that a launch can pass"
        ),
    )
    .label(span, "with this one they are too many")
    .help("pass a tensor of numbers instead")
}
