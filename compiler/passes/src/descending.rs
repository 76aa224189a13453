//! `descending`: what a loop counts down is counted up from where it ends.
//!
//! ```text
//! for i in range(0, n) { … (n - 1) * 64 - i * 64 … }  ⇒  for i in range(0, n) { d = n - 1 - i; … (n - 1) * 64 + (d * 64 - (n - 1) * 64) … }
//! ```
//!
//! The sum says then, where it is read as one, that it is `d * 64`, of which no part is negative (`guards`): positions that a mask bounds at the end
//! alone are those of a view (`pointer-views`). Where the number of iterations is a quotient, as of `range(end, 0, -64)`, that is so if nothing
//! is left over: `n * 64` is what was divided.
//!
//! Pointers that move back are multiples of the counter already (`moving-tiles`).

use melior::ir::{Module, ValueLike};

use super::{PassContext, each_operation, functions, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::facts::{FactAnalysis, constant_of, sum_with_constant};
use crate::ffi::defining_operation;
use crate::guards::counted;
use crate::ir::{Operation, Value, name, operand, result};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let descends = |function| {
        let mut any = false;
        each_operation(function, &mut |operation| {
            any |= Descent::of(operation).is_some()
        });
        any
    };
    if !functions(&module).into_iter().any(descends) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |function| {
        let facts = FactAnalysis::new(function);
        Ok(Descending { facts })
    })
}

/// The counter of a loop from 0 on in steps of 1, times a number that is subtracted.
struct Descent<'c> {
    counter: Value<'c>,
    /// The number of iterations.
    count: Value<'c>,
    /// What the counter is multiplied by.
    by: Value<'c>,
    /// The same with the other sign: a constant, or a number times 1.
    opposite: (i64, Option<Value<'c>>),
}

impl<'c> Descent<'c> {
    fn of(operation: Operation<'c>) -> Option<Self> {
        if name(operation) != "arith.muli" {
            return None;
        }
        let [counter, by] = [0, 1].map(|number| operand(operation, number));
        let (owner, count) = counted(counter)?;
        let range = |number| constant_of(operand(owner, number));
        if (range(0), range(2)) != (Some(0), Some(1)) {
            return None;
        }
        let opposite = match constant_of(by) {
            Some(constant) => (constant.checked_neg().filter(|by| *by > 0)?, None),
            None => {
                let negated = defining_operation(by).filter(|by| name(*by) == "arith.subi")?;
                constant_of(operand(negated, 0)).filter(|from| *from == 0)?;
                (1, Some(operand(negated, 1)))
            }
        };
        Some(Self {
            counter,
            count,
            by,
            opposite,
        })
    }
}

struct Descending<'c> {
    facts: FactAnalysis<'c>,
}

impl<'c> Descending<'c> {
    /// What the number of iterations times a number is, if it is a quotient of which nothing is left over: a value and what it is multiplied by,
    /// and a constant.
    fn whole(&self, descent: &Descent<'c>) -> Option<(Value<'c>, i64, i64)> {
        let (times, None) = descent.opposite else {
            return None;
        };
        let quotient = defining_operation(descent.count).filter(|of| name(*of) == "arith.divsi")?;
        let by = constant_of(operand(quotient, 1)).filter(|by| *by > 0 && times % by == 0)?;
        let (divided, constant) = sum_with_constant(operand(quotient, 0));
        let divided = divided?;
        let is_multiple =
            i64::try_from(*self.facts.of(divided).divisibility.first()?).ok()? % by == 0;
        // Where the sum is negative there are no iterations.
        let rest = constant.div_euclid(by).checked_mul(by)?;
        is_multiple.then_some((divided, times / by, rest))
    }
}

impl<'c> Rewrite<'c> for Descending<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(descent) = Descent::of(operation) else {
            return Ok(false);
        };
        let ty = descent.counter.r#type();
        let [counter, count, by] =
            [descent.counter, descent.count, descent.by].map(|old| to.one(old));
        let one = to.builder.constant_int(1, ty);
        let last = to.builder.binary("arith.subi", count, one);
        let left = to.builder.binary("arith.subi", last, counter);
        let opposite = match descent.opposite {
            (constant, None) => to.builder.constant_int(constant, ty),
            (_, Some(number)) => to.one(number),
        };
        let up = to.builder.multiply(left, opposite);
        let end = match self.whole(&descent) {
            Some((divided, times, rest)) => {
                let divided = to.one(divided);
                let constant = to.builder.constant_int(-times, ty);
                let end = to.builder.multiply(divided, constant);
                let (opposite, _) = descent.opposite;
                let rest = to
                    .builder
                    .constant_int(opposite.wrapping_sub(rest.wrapping_mul(times)), ty);
                to.builder.add(end, rest)
            }
            None => to.builder.multiply(last, by),
        };
        let sum = to.builder.add(up, end);
        to.bind(result(operation, 0), vec![sum]);
        Ok(true)
    }
}
