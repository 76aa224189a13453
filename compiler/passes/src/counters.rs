//! `counters`: what counts as a loop does, from another number on, is the loop's counter and a number.
//!
//! ```text
//! t = start - step;  for tile in range(start, tiles, step) { …; t += step; store(c + t …) }  ⇒  for tile in … { t = tile - step; … }
//! ```
//!
//! Persistent kernels count once for what they load and once for what they store, so that one need not wait for the other. What both compute of their counter is the
//! same then, and what is known of the one is known of the other: that rows which a store leaves out need not be loaded, for one (`wrapped`).

use std::collections::HashMap;

use melior::ir::{Module, ValueLike};

use super::{
    LOOP_RANGE, PassContext, before_widened, each_operation, element_bits, functions,
    rebuild_functions, simplify,
};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, address, arguments, key, name, operand, operands, operations, region_block,
};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let found: Vec<_> = functions(&module).into_iter().map(Counters::find).collect();
    if found.iter().all(|one| one.of_loop.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    let rebuilt = rebuild_functions(cx, &module, |_| Ok(found.next().unwrap_or_default()))?;
    simplify::run(cx, rebuilt)
}

/// What a loop carries that counts as it does.
struct Second<'c> {
    carried: Value<'c>,
    counter: Value<'c>,
    /// How the number is got from the counter, where they differ: what is done, and with which number.
    offset: Option<(&'static str, Value<'c>)>,
}

impl<'c> Second<'c> {
    /// Those of a loop.
    fn all(operation: Operation<'c>) -> Vec<Self> {
        let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
            return Vec::new();
        };
        let inside = arguments(body);
        let next = operations(body).last().map(|last| operands(*last));
        let next = next.unwrap_or_default();
        let range = [0, 2].map(|number| before_widened(operand(operation, number)));
        let begins = operands(operation).into_iter().skip(LOOP_RANGE);
        let carried = inside.iter().skip(1).zip(begins).zip(next);
        let of = |((carried, begin), next): ((&Value<'c>, Value<'c>), Value<'c>)| {
            let [first, step] = range;
            let is_number = matches!(&*carried.r#type().to_string(), "i32" | "i64");
            let is_same = |one: Value<'_>, other: Value<'_>| {
                let (number, own) = (constant_of(one), constant_of(other));
                key(one) == key(other) || number.is_some() && number == own
            };
            let by = added_to(next, |value| key(value) == key(*carried))?;
            let is_second = is_number && by.0 == "arith.addi" && is_same(by.1, step);
            let offset = match is_same(begin, first) {
                true => None,
                false => Some(added_to(begin, |value| is_same(value, first))?),
            };
            is_second.then_some(Self {
                carried: *carried,
                counter: inside[0],
                offset,
            })
        };
        carried.filter_map(of).collect()
    }
}

/// What a sum adds to a number or takes away from it, and how.
fn added_to<'c>(
    sum: Value<'c>,
    is_it: impl Fn(Value<'c>) -> bool,
) -> Option<(&'static str, Value<'c>)> {
    let sum = defining_operation(sum)?;
    let kind = ["arith.addi", "arith.subi"]
        .into_iter()
        .find(|kind| name(sum) == *kind)?;
    let [left, right] = [0, 1].map(|number| operand(sum, number));
    match (is_it(left), is_it(right)) {
        (true, false) => Some((kind, right)),
        (false, true) => (kind == "arith.addi").then_some((kind, left)),
        _ => None,
    }
}

#[derive(Default)]
struct Counters<'c> {
    /// Those of each loop, by the address of the first operation inside it.
    of_loop: HashMap<usize, Vec<Second<'c>>>,
}

impl<'c> Counters<'c> {
    fn find(function: Operation<'c>) -> Self {
        let mut of_loop = HashMap::new();
        each_operation(function, &mut |operation| {
            let all = Second::all(operation);
            let inside = region_block(operation, 0).filter(|_| !all.is_empty());
            let inside = inside.map(operations).unwrap_or_default();
            if let Some(first) = inside.first() {
                of_loop.insert(address(*first), all);
            }
        });
        Self { of_loop }
    }
}

impl<'c> Rewrite<'c> for Counters<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        for second in self.of_loop.remove(&address(operation)).unwrap_or_default() {
            let bits = element_bits(second.carried.r#type()) as u32;
            let counter = to.one(second.counter);
            let mut value = to.builder.int_cast(counter, bits, true);
            if let Some((kind, number)) = second.offset {
                let number = to.one(number);
                value = to.builder.binary(kind, value, number);
            }
            to.bind(second.carried, vec![value]);
        }
        Ok(false)
    }
}
