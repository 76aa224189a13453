//! Kernels that do something wrong while the interpreter runs them.

use crate::diagnostic::{Code, Diagnostic};
use crate::interp::{Fault, InterpError};

/// A run that stopped.
#[must_use]
pub fn stopped(error: &InterpError) -> Diagnostic {
    let label = match (error.program_id, &error.position) {
        (None, _) => String::new(),
        (Some([x, y, z]), None) => format!("in program ({x}, {y}, {z})"),
        (Some([x, y, z]), Some(position)) => {
            format!("in program ({x}, {y}, {z}), for element {position:?} of the tile")
        }
    };
    let (code, help) = match &error.fault {
        Fault::OutOfBounds { .. } => (
            Code::AccessOutOfBounds,
            Some("`mask = …` leaves elements out"),
        ),
        Fault::BrokenBounds { .. } => (
            Code::BrokenPromise,
            Some("without `bounds = unchecked` the compiler checks, where it cannot prove it"),
        ),
        Fault::Immutable { .. } => (Code::StoreToImmutable, Some("declare the parameter `mut`")),
        Fault::DivisionByZero { .. } => (
            Code::DivisionByZero,
            Some("on a GPU the result is undefined; `where(d == 0, 1, d)` makes a divisor safe"),
        ),
        Fault::BrokenAssumption => (Code::BrokenPromise, None),
        Fault::ZeroStep | Fault::EndlessLoop { .. } => (Code::EndlessLoop, None),
        Fault::Launch(_) => (Code::ArgumentMismatch, None),
        Fault::Malformed(_) => (
            Code::CompilerDefect,
            Some("this is no fault of the program: please report it, with the program"),
        ),
    };
    let diagnostic = Diagnostic::error(code, error.fault.to_string()).label(error.span, label);
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}
