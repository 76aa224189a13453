//! All English in one place: each function makes one [`Diagnostic`](super::Diagnostic).
//!
//! One file per family. A message is one sentence without a full stop that says what was found and
//! what was expected, in the user's spelling, with code in backticks; the label is shorter and
//! points; a help says what to write instead.

use crate::diagnostic::Span;

pub mod asm;
pub mod consts;
pub mod control;
pub mod debug;
pub mod files;
pub mod generics;
pub mod host;
pub mod lowering;
pub mod memory;
pub mod names;
pub mod runtime;
pub mod shapes;
pub mod support;
pub mod syntax;
pub mod testing;
pub mod types;

/// Something in the program that is not what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is, in the user's spelling: "`tile<f32>[64]`", "a function".
    pub what: String,
    /// Where it is.
    pub span: Span,
}
