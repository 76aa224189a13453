//! One program instance: its variables, and how it reports what goes wrong.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::diagnostic::Span;
use crate::inline_ptx::Runner;
use crate::typed::{Expr, Kernel, VariableId};

use super::deviation::Deviation;
use super::fault::{ElementFault, Fault, InterpError};
use super::host::Host;
use super::memory::Memory;
use super::value::{Tile, coordinates};

/// The result of anything a program does. The error is boxed because it is large and rare.
pub(super) type Outcome<T> = Result<T, Box<InterpError>>;

/// The variables, indexed by [`VariableId`]; `None` before the first assignment.
pub(super) type Variables = Vec<Option<Rc<Tile>>>;

/// A program instance at work.
pub(super) struct Program<'k, 'm> {
    /// What it runs.
    pub kernel: &'k Kernel,
    /// What it shares with the others.
    pub memory: &'m mut Memory<'k>,
    /// Runs inline PTX.
    pub asm: &'m mut Runner,
    /// What it has computed.
    pub variables: Variables,
    /// Which one it is.
    pub id: [u32; 3],
    /// How many there are.
    pub grid: [u32; 3],
    /// Iterations of loops so far.
    pub rounds: u64,
    /// Where to stop.
    pub max_rounds: u64,
    /// Whether `print` writes anything.
    pub prints: bool,
    /// What it does otherwise than usual.
    pub deviation: Option<&'m Deviation>,
    /// The variables that hold what a reduction gives, where it does something otherwise.
    pub reduced: &'m BTreeSet<VariableId>,
    /// Does the host's steps; `None` in a kernel, where there are none.
    pub host: Option<&'m mut dyn Host>,
}

impl Program<'_, '_> {
    /// Runs it to its end.
    pub fn run(mut self) -> Outcome<()> {
        self.block(&self.kernel.body).map(drop)
    }

    /// The value of a variable.
    pub fn read(&self, variable: VariableId, span: Span) -> Outcome<Rc<Tile>> {
        match self.variables.get(variable.0 as usize) {
            Some(Some(tile)) => Ok(Rc::clone(tile)),
            _ => Err(self.error(
                span,
                Fault::Malformed("a variable read before it is assigned"),
            )),
        }
    }

    /// Gives a variable a value.
    pub fn assign(&mut self, variable: VariableId, tile: Rc<Tile>, span: Span) -> Outcome<()> {
        match self.variables.get_mut(variable.0 as usize) {
            Some(place) => {
                *place = Some(tile);
                Ok(())
            }
            None => Err(self.error(span, Fault::Malformed("a variable without a declaration"))),
        }
    }

    /// The value of an integer scalar.
    pub fn integer(&mut self, expr: &Expr) -> Outcome<i128> {
        let tile = self.evaluate(expr)?;
        tile.integer().map_err(|fault| self.error(expr.span, fault))
    }

    /// The value of an `i1` scalar.
    pub fn condition(&mut self, expr: &Expr) -> Outcome<bool> {
        let tile = self.evaluate(expr)?;
        tile.condition()
            .map_err(|fault| self.error(expr.span, fault))
    }

    /// One more iteration of a loop.
    pub fn count_round(&mut self, span: Span) -> Outcome<()> {
        if self.rounds == self.max_rounds {
            let rounds = self.max_rounds;
            return Err(self.error(span, Fault::EndlessLoop { rounds }));
        }
        self.rounds += 1;
        Ok(())
    }

    /// A fault of a whole expression or statement.
    pub fn error(&self, span: Span, fault: Fault) -> Box<InterpError> {
        self.error_in(span, fault.into(), &[])
    }

    /// A fault, perhaps of one element of a tile of this shape.
    pub fn error_in(&self, span: Span, fault: ElementFault, shape: &[u64]) -> Box<InterpError> {
        let element = fault.element.filter(|_| !shape.is_empty());
        Box::new(InterpError {
            fault: fault.fault,
            span,
            program_id: Some(self.id),
            position: element.map(|number| coordinates(shape, number)),
        })
    }
}
