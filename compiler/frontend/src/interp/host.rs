//! Programs of the host: the body of a `test` block, run with the semantics of kernels.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::diagnostic::Span;
use crate::inline_ptx::Runner;
use crate::typed::Kernel;
use crate::typed::host::HostStep;

use super::Options;
use super::fault::{Fault, InterpError};
use super::memory::Memory;
use super::program::{Outcome, Program};
use super::value::Tile;

/// Does what the interpreter leaves to others: launches, assertions, random arrays.
pub trait Host {
    /// Does a step with the values of its operands; gives one value per result.
    ///
    /// # Errors
    /// The program ends here. Why, the host keeps to itself ([`Fault::Host`]), or tells as a fault
    /// of the step.
    fn step(
        &mut self,
        step: &HostStep,
        span: Span,
        operands: &[Rc<Tile>],
    ) -> Result<Vec<Tile>, Fault>;
}

/// Runs a program of the host.
///
/// # Errors
/// It did what is not allowed, or a step failed. The caller gives it a stack as large as that of
/// [`run`](super::run): expressions nest deeply.
pub fn run_host(
    program: &Kernel,
    host: &mut dyn Host,
    options: Options,
) -> Result<(), Box<InterpError>> {
    let mut memory = Memory {
        buffers: &mut [],
        regions: Vec::new(),
        watch: None,
    };
    let mut asm = Runner::default();
    Program {
        kernel: program,
        memory: &mut memory,
        asm: &mut asm,
        variables: vec![None; program.variables.len()],
        id: [0; 3],
        grid: [1; 3],
        rounds: 0,
        max_rounds: options.max_rounds,
        prints: options.prints,
        deviation: None,
        reduced: &BTreeSet::new(),
        host: Some(host),
    }
    .run()
}

impl Program<'_, '_> {
    /// Evaluates the operands, lets the host do the step, and assigns the results.
    pub(super) fn host_step(&mut self, step: &HostStep, span: Span) -> Outcome<()> {
        let operands = self.evaluate_all(&step.operands)?;
        let done = match &mut self.host {
            Some(host) => host.step(step, span, &operands),
            None => Err(Fault::Malformed("a step of the host in a kernel")),
        };
        let results = done.map_err(|fault| self.error(span, fault))?;
        if results.len() != step.results.len() {
            let fault = Fault::Malformed("a step of the host with other results");
            return Err(self.error(span, fault));
        }
        for (variable, result) in step.results.iter().zip(results) {
            self.assign(*variable, Rc::new(result), span)?;
        }
        Ok(())
    }
}
