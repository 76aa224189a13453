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
    let diagnostic =
        |code| Diagnostic::error(code, error.fault.to_string()).label(error.span, label);
    match &error.fault {
        Fault::OutOfBounds { .. } => {
            diagnostic(Code::AccessOutOfBounds).help("`mask = …` leaves elements out")
        }
        Fault::BrokenBounds { .. } => diagnostic(Code::BrokenPromise)
            .help("without `bounds = unchecked` elements out of bounds are left out"),
        Fault::Immutable { .. } => {
            diagnostic(Code::StoreToImmutable).help("declare the parameter `mut`")
        }
        Fault::DivisionByZero { .. } => diagnostic(Code::DivisionByZero)
            .note("elements that `load` filled with 0 out of bounds divide too")
            .help("`where(d == 0, 1, d)` makes a divisor safe"),
        Fault::NoBuffer { .. } | Fault::Misaligned { .. } => diagnostic(Code::AccessOutOfBounds),
        Fault::OutsideTile { .. } => diagnostic(Code::AccessOutOfBounds)
            .help("positions given to `gather` lie inside the tile, also those that a mask hides"),
        Fault::BrokenAssumption => diagnostic(Code::BrokenPromise),
        Fault::Asm { .. } => diagnostic(Code::FailedAsm),
        Fault::AssertionFailed { .. } => diagnostic(Code::FailedAssertion),
        Fault::ZeroStep | Fault::EndlessLoop { .. } => diagnostic(Code::EndlessLoop),
        Fault::Launch(_) => diagnostic(Code::ArgumentMismatch),
        Fault::Host => diagnostic(Code::TestFailed),
        Fault::Malformed(_) => diagnostic(Code::CompilerDefect)
            .help("this is no fault of the program; please report it together with the program"),
    }
}
