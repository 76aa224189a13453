//! `conditions`: loops with products do without the conditions that only mask a tile, or hold in the first iteration alone; loops of
//! one iteration at most become conditions ([`once`]).
//!
//! ```text
//! for j { … s = if j + N > i { where(m, s, -inf) } else { s } … }  ⇒  for j { … s = where(m | j + N <= i, s, -inf) … }
//! for j from 0 { … if j == 0 { acc += x } … }                      ⇒  if 0 < end { acc += x }; for j from 0 { … }
//! ```
//!
//! Both sides of a condition are in one layout, so that what a loop's products give and take goes through shared memory
//! there; and iterations with a condition around a product are not spread over others. A mask instead is free where
//! it holds everywhere ([`masks`](crate::masks)).

use melior::ir::Module;
use melior::ir::operation::OperationLike;

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::ir::{Operation, name};
use crate::writes::written;
use crate::{PassContext, each_operation, functions, multiplies, rebuild_functions, uses};

mod choices;
mod first;
mod once;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let is_once = |function| {
        let (once, mut found) = (once::Once::new(function), false);
        each_operation(function, &mut |of| found |= once.iterations(of).is_some());
        found
    };
    let module = match functions(&module).into_iter().any(is_once) {
        true => rebuild_functions(cx, &module, |function| Ok(once::Once::new(function)))?,
        false => module,
    };
    let mut any = false;
    for function in functions(&module) {
        each_operation(function, &mut |of| any |= name(of) == "scf.if");
    }
    if !any {
        return Ok(module);
    }
    let module = rebuild_functions(cx, &module, |_| Ok(Choices))?;
    rebuild_functions(cx, &module, |function| {
        Ok(first::First::new(uses(function), written(function)))
    })
}

struct Choices;

impl<'c> Rewrite<'c> for Choices {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let around = operation.parent_operation().map(crate::ffi::operation);
        let is_in_loop = around.is_some_and(|of| name(of) == "scf.for" && multiplies(of));
        match choices::Choice::of(operation).filter(|_| is_in_loop) {
            Some(choice) => choice.build(self, to).map(|()| true),
            None => Ok(false),
        }
    }
}
