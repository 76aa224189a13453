//! Runs `test` blocks: the host's side of a [`Test`].
//!
//! What comes in is a typed test, which [`crate::interp`] runs; each [`HostStep`] of it is done here:
//! arrays are made, kernels launched on the device of the run, results compared. What goes out is
//! nothing, or the problem that ended the test, pointing at the statement.
//!
//! | what | where |
//! |---|---|
//! | steps, compiled kernels | [`session`] |
//! | launches | [`launch`], [`arrays`] |
//! | comparing values | [`compare`] |
//! | looking at compiled kernels | [`properties`] |
//!
//! [`HostStep`]: crate::typed::host::HostStep

mod arrays;
mod compare;
mod launch;
mod properties;
mod session;

use tile_runtime::device::Device;

use crate::diagnostic::{Diagnostic, messages};
use crate::interp::{self, Fault};
use crate::source::SourceMap;
use crate::stack::on_deep_stack;
use crate::target::Target;
use crate::typed::host::Test;
use session::Session;

/// What a test runs with.
#[derive(Debug, Clone)]
pub struct Setup<'a> {
    /// The sources of the test and its kernels.
    pub sources: &'a SourceMap,
    /// The name of the test's file.
    pub file: &'a str,
    /// Where kernels run; `None` is the interpreter.
    pub device: Option<Device>,
    /// What kernels are compiled for.
    pub target: &'static Target,
}

/// A test that ran to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passed {
    /// What was not looked at, and why.
    pub notes: Vec<String>,
}

/// What a test prints is seen, as on a device.
const OPTIONS: interp::Options = interp::Options {
    max_rounds: 10_000_000,
    prints: true,
};

/// Runs a test.
///
/// # Errors
/// What ended it.
pub fn run(test: &Test, setup: &Setup<'_>) -> Result<Passed, Box<Diagnostic>> {
    on_deep_stack(|| run_here(test, setup)).unwrap_or_else(|error| {
        let reason = format!("no thread to run on: {error}");
        Err(Box::new(messages::testing::launch_failed(
            &reason, test.span,
        )))
    })
}

fn run_here(test: &Test, setup: &Setup<'_>) -> Result<Passed, Box<Diagnostic>> {
    let mut session = Session::new(test, setup);
    match interp::run_host(&test.program, &mut session, OPTIONS) {
        Ok(()) => Ok(Passed {
            notes: session.notes,
        }),
        Err(mut error) => {
            if let (Fault::Host, Some(failure)) = (&error.fault, session.failure) {
                return Err(failure);
            }
            // The host is no program of a grid.
            error.program_id = None;
            Err(Box::new(messages::runtime::stopped(&error)))
        }
    }
}
