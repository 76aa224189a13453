//! All English in one place: each function makes one [`Diagnostic`](super::Diagnostic).
//!
//! One file per family. A message is one sentence without a full stop that says what was found and
//! what was expected, in the user's spelling, with code in backticks; the label is shorter and
//! points; a help says what to write instead.

pub mod files;
pub mod lowering;
pub mod names;
pub mod runtime;
pub mod syntax;
