//! What a loop's sum of products begins with is added to it in the end.
//!
//! ```text
//! %b = broadcast(load(bias));  %s = scf.for … iter_args(%x = %b) { … scf.yield tile.dot(%l, %r, %x) }
//!   ⇒  %t = scf.for … iter_args(%x = 0) { … };  %b = broadcast(load(bias));  %s = %t + %b
//! ```
//!
//! A sum that begins at zero needs no registers before its first product, so those of one program can be stored while the next
//! one's are made, and several blocks can share a program. What is added comes with the other operands of the epilogue.
//!
//! That is done where what it begins with is loaded for that and nothing else; the sum of a loop before would take twice the registers.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Module, ValueLike};

use crate::accumulators::{has_effects, is_sum, is_zero};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, is_pure};
use crate::ir::{
    Operation, Value, ValueKey, address, arguments, attributes, element_type, key, name, operands,
    operations, region_block, results,
};
use crate::{LOOP_RANGE, PassContext, each_operation, functions, is_tile, rebuild_functions, uses};

/// Runs when sums are what products add to.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let found: Vec<_> = functions(&module).into_iter().map(Initial::find).collect();
    if found.iter().all(|initial| initial.loops.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    rebuild_functions(cx, &module, |_| Ok(found.next().unwrap_or_default()))
}

/// What moves behind loops.
#[derive(Default)]
struct Initial<'c> {
    /// By loop: the numbers of the sums, and what their beginnings are computed from, in order.
    loops: HashMap<usize, (Vec<usize>, Vec<Operation<'c>>)>,
    moved: HashSet<usize>,
}

impl<'c> Initial<'c> {
    fn find(function: Operation<'c>) -> Self {
        let mut initial = Self::default();
        let users = uses(function);
        each_operation(function, &mut |operation| {
            let Some(body) = region_block(operation, 0) else {
                return;
            };
            if name(operation) != "scf.for" || has_effects(operation) {
                return;
            }
            let carried = arguments(body).into_iter().skip(1);
            let next = operations(body).last().map(|last| operands(*last));
            let begins = operands(operation).into_iter().skip(LOOP_RANGE);
            let all = carried.zip(next.into_iter().flatten()).zip(begins);
            let (mut numbers, mut moved) = (Vec::new(), Vec::new());
            for (number, ((carried, next), begin)) in all.enumerate() {
                if is_zero(begin) || !is_tile(begin) || !is_sum(carried, next, body, &users) {
                    continue;
                }
                if let Some(made) = made_for(begin, operation, &users) {
                    numbers.push(number);
                    moved.extend(made);
                }
            }
            if !numbers.is_empty() {
                initial.moved.extend(moved.iter().copied().map(address));
                initial.loops.insert(address(operation), (numbers, moved));
            }
        });
        initial
    }
}

/// What a value is computed from for one operation alone, in order, if something is loaded for it.
fn made_for<'c>(
    value: Value<'c>,
    of: Operation<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> Option<Vec<Operation<'c>>> {
    let of_value = |value: Value<'c>| users.get(&key(value)).map_or(&[][..], Vec::as_slice);
    let all = operations(of.block().map(crate::ffi::block)?);
    let place = all
        .iter()
        .position(|operation| address(*operation) == address(of))?;
    if of_value(value).len() != 1 {
        return None;
    }
    let (mut wanted, mut made) = (HashSet::from([key(value)]), HashSet::new());
    let (mut list, mut loads) = (Vec::new(), false);
    for operation in all[..place].iter().rev() {
        // What was loaded before a store may be something else behind it.
        if has_effects(*operation) {
            break;
        }
        let [result] = results(*operation)[..] else {
            continue;
        };
        let is_load = matches!(TileOp::of(*operation), Some(TileOp::Load(_)));
        let is_alone = key(result) == key(value)
            || of_value(result)
                .iter()
                .all(|user| made.contains(&address(*user)));
        if wanted.contains(&key(result))
            && is_alone
            && is_tile(result)
            && (is_load || is_cheap(*operation))
        {
            loads |= is_load;
            made.insert(address(*operation));
            wanted.extend(operands(*operation).into_iter().map(key));
            list.push(*operation);
        }
    }
    list.reverse();
    loads.then_some(list)
}

/// Whether an operation gives the same anywhere, and costs little.
fn is_cheap(operation: Operation<'_>) -> bool {
    !matches!(TileOp::of(operation), Some(TileOp::Dot(_)))
        && is_pure(name(operation))
        && operation.region_count() == 0
}

impl<'c> Rewrite<'c> for Initial<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.moved.contains(&address(operation)) {
            return Ok(true);
        }
        let Some((numbers, moved)) = self.loops.remove(&address(operation)) else {
            return Ok(false);
        };
        let old = operands(operation);
        let list: Vec<_> = old
            .iter()
            .enumerate()
            .map(
                |(place, value)| match numbers.iter().any(|number| LOOP_RANGE + number == place) {
                    true => to.builder.zero(value.r#type()),
                    false => to.one(*value),
                },
            )
            .collect();
        let types: Vec<_> = results(operation).iter().map(ValueLike::r#type).collect();
        let regions = to.regions(self, operation)?;
        let all = attributes(operation);
        let new = to
            .builder
            .insert_with_regions("scf.for", &list, &all, &types, regions);
        to.bind_results(operation, new);
        for operation in moved {
            to.builder.set_location(operation.location());
            to.copy(self, operation)?;
        }
        for number in numbers {
            let (begin, sum) = (to.one(old[LOOP_RANGE + number]), results(new)[number]);
            let adds = match element_type(sum.r#type()).is_integer() {
                true => "arith.addi",
                false => "arith.addf",
            };
            let whole = to.builder.binary(adds, sum, begin);
            to.bind(results(operation)[number], vec![whole]);
        }
        Ok(true)
    }
}
