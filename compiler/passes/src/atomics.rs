//! `atomics`: atomic accesses that no program sees anything of order nothing else.
//!
//! ```text
//! tile.atomic %p, %v {operation = "add", order = "acq_rel"}      result unused, %p read nowhere
//!   ⇒  tile.atomic %p, %v {operation = "add", order = "relaxed"}
//! ```
//!
//! An order is a promise to programs that read the new value: none does. In another order each element waits for
//! everything before it.

use std::collections::HashSet;

use melior::ir::Module;

use super::{PassContext, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Atomic;
use crate::ir::{Operation, address, attributes};
use crate::writes::unseen;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions(cx, &module, |function| {
        Ok(Relax {
            unseen: unseen(function),
        })
    })
}

struct Relax {
    unseen: HashSet<usize>,
}

impl<'c> Rewrite<'c> for Relax {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let atomic = Atomic::of(operation).filter(|atomic| {
            // Programs on other devices may look while the kernel runs.
            self.unseen.contains(&address(operation)) && atomic.scope() != "sys"
        });
        if atomic.is_none() {
            return Ok(false);
        }
        let mut all = attributes(operation);
        all.retain(|(name, _)| *name != "order");
        all.push(("order", to.builder.text("relaxed")));
        to.copy_with_attributes(self, operation, &all)?;
        Ok(true)
    }
}
