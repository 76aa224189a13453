//! `sink`: conversions to wider types move down to where their results are first used.
//!
//! ```text
//! %w = tile.load … : bf16     %f = arith.extf %w     …reductions…     arith.mulf %x, %f
//!   ⇒  %w = tile.load … : bf16     …reductions…     %f = arith.extf %w     arith.mulf %x, %f
//! ```
//!
//! A row of weights then waits for the reductions in half the registers, or a quarter. Nothing is
//! computed twice or in a loop that it was not in before.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};

use super::{PassContext, each_operation, element_bits, is_tile, rebuild_functions};
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Operation, Rebuilder, Rewrite, Value, ValueKey, key, name, operand, operands, result,
};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions(cx, &module, |_| Ok(Sink::default()))
}

#[derive(Default)]
struct Sink<'c> {
    /// What was met and not built yet, by its result.
    delayed: HashMap<ValueKey, Operation<'c>>,
}

impl<'c> Sink<'c> {
    /// Builds what is delayed of these values.
    fn build(&mut self, to: &mut Rebuilder<'c>, values: &[Value<'c>]) -> Result<(), Diagnostic> {
        for value in values {
            let Some(operation) = self.delayed.remove(&key(*value)) else {
                continue;
            };
            self.build(to, &operands(operation))?;
            let here = to.builder.location();
            to.builder.set_location(operation.location());
            to.copy(self, operation)?;
            to.builder.set_location(here);
        }
        Ok(())
    }
}

impl<'c> Rewrite<'c> for Sink<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if widens(operation) {
            self.delayed.insert(key(result(operation, 0)), operation);
            return Ok(true);
        }
        let mut used = operands(operation);
        each_operation(operation, &mut |inner| used.extend(operands(inner)));
        self.build(to, &used)?;
        Ok(false)
    }
}

/// Whether an operation makes wider elements of narrower ones, and nothing else.
fn widens(operation: Operation<'_>) -> bool {
    matches!(
        name(operation),
        "arith.extf" | "arith.extsi" | "arith.extui"
    ) && is_tile(result(operation, 0))
        && element_bits(operand(operation, 0).r#type()) >= 8
}
