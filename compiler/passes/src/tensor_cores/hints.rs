//! Loads of kernels with products have no hints for caches.
//!
//! Such loads are copied to shared memory ahead of the products, past L1, and what few programs read of one operand is in L2
//! anyway. A load with a hint would be one of each thread that waits in every iteration. `cv`, which asks to read again what
//! others may have written, stays.

use melior::ir::Module;
use melior::ir::operation::OperationLike;

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::TileOp;
use crate::dialect::ops::Load;
use crate::ir::{Operation, attributes};
use crate::{PassContext, each_operation, function_name, functions, is_tile, rebuild_functions};

/// Runs before all else.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let (mut multiplies, mut hinted) = (false, false);
    for function in functions(&module) {
        each_operation(function, &mut |operation| match TileOp::of(operation) {
            Some(TileOp::Dot(_)) => multiplies = true,
            Some(TileOp::Load(load)) => hinted |= has_hints(load),
            _ => {}
        });
    }
    // A module has the variants of one kernel.
    if !multiplies || !hinted {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |function| {
        Ok(Hints {
            cx,
            function: function_name(function).to_owned(),
        })
    })
}

/// Whether a load has hints that are left out.
fn has_hints(load: Load<'_>) -> bool {
    let has_one = !load.cache().is_empty() || !load.evict().is_empty();
    has_one && load.cache() != "cv" && is_tile(load.result())
}

struct Hints<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: String,
}

impl<'c> Rewrite<'c> for Hints<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if !Load::of(operation).is_some_and(has_hints) {
            return Ok(false);
        }
        let mut all = attributes(operation);
        for (name, value) in &mut all {
            if matches!(*name, "cache" | "evict") {
                *value = to.builder.text("");
            }
        }
        to.copy_with_attributes(self, operation, &all)?;
        let span = Some(self.cx.span(operation.location()));
        self.cx
            .remark(&self.function, span, RemarkKind::HintsLeftOut);
        Ok(true)
    }
}
