//! Divisions by what may be 0 leave loops, as other invariants do.
//!
//! ```text
//! for k { load(x[rows / group, k]) }  ⇒  r = rows / group; for k { load(x[r, k]) }
//! ```
//!
//! Upstream leaves a division in a loop that may have no iteration, since it has no result if the divisor is 0. On a GPU it has one, which nobody asks for then. What depends on it would stay in
//! the loop as well: rows of a list would be brought to other threads in each iteration. A division that has left a loop is marked ([`AHEAD`]), and
//! nothing divides by 0 there.
//!
//! A remainder that is written out is one: `x - x / n * n` becomes `x % n`, of which a launch knows the ends.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, ValueLike};

use super::{PassContext, each_operation, functions, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{AHEAD, is_integer_division, is_pure};
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, Value, address, attributes, key, name, operand, operands, result, results,
};

/// Operations at most that leave a loop with a division.
const MOST_MOVED: usize = 32;

/// Moves the divisions of all functions.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let mut found: Vec<_> = functions(&module)
        .into_iter()
        .map(Divisions::find)
        .collect();
    if found.iter().all(Divisions::is_empty) {
        return Ok(module);
    }
    let mut found = found.drain(..);
    rebuild_functions(cx, &module, |_| Ok(found.next().unwrap_or_default()))
}

#[derive(Default)]
struct Divisions<'c> {
    /// What leaves a loop, in order, by the loop's address.
    of_loop: HashMap<usize, Vec<Operation<'c>>>,
    moved: HashSet<usize>,
    /// Remainders that are written out, by the address of the difference.
    remainders: HashMap<usize, Operation<'c>>,
}

impl<'c> Divisions<'c> {
    fn is_empty(&self) -> bool {
        self.of_loop.is_empty() && self.remainders.is_empty()
    }

    fn find(function: Operation<'c>) -> Self {
        let mut found = Self::default();
        let mut inside: HashMap<usize, HashSet<usize>> = HashMap::new();
        each_operation(function, &mut |operation| {
            if let Some(quotient) = remainder(operation) {
                found.remainders.insert(address(operation), quotient);
            }
            if !is_integer_division(name(operation)) {
                return;
            }
            let division = operation;
            let mut farthest = None;
            let mut at = division;
            while let Some(parent) = parent(at).filter(|parent| name(*parent) == "scf.for") {
                let within = inside.entry(address(parent)).or_insert_with(|| {
                    let mut all = HashSet::new();
                    each_operation(parent, &mut |of| _ = all.insert(address(of)));
                    all
                });
                let mut needs = Vec::new();
                if !needed(division, parent, within, &mut needs) {
                    break;
                }
                farthest = Some((parent, needs));
                at = parent;
            }
            if let Some((from, needs)) = farthest {
                let list = found.of_loop.entry(address(from)).or_default();
                for operation in needs {
                    if !list.iter().any(|own| address(*own) == address(operation)) {
                        list.push(operation);
                    }
                }
            }
        });
        found
    }
}

/// The quotient of a difference that is what remains of a division.
fn remainder(difference: Operation<'_>) -> Option<Operation<'_>> {
    let sides = |of| [0, 1].map(|number| operand(of, number));
    let is = |of: Operation<'_>, wanted| name(of) == wanted;
    if !is(difference, "arith.subi") {
        return None;
    }
    let [whole, product] = sides(difference);
    let product = defining_operation(product).filter(|of| is(*of, "arith.muli"))?;
    let same = |one, other| {
        key(one) == key(other) || constant_of(one).is_some_and(|of| constant_of(other) == Some(of))
    };
    let [left, right] = sides(product);
    [(left, right), (right, left)]
        .into_iter()
        .find_map(|(quotient, times)| {
            let quotient = defining_operation(quotient)?;
            let is_quotient = is(quotient, "arith.divsi") || is(quotient, "arith.divui");
            let [divided, divisor] = is_quotient.then(|| sides(quotient))?;
            (same(divided, whole) && same(divisor, times)).then_some(quotient)
        })
}

fn parent(of: Operation<'_>) -> Option<Operation<'_>> {
    let parent = of.block()?.parent_operation()?;
    Some(crate::ffi::operation(parent))
}

/// Adds what an operation of a loop is computed from in the loop, and the operation; whether that does not depend on the iteration.
fn needed<'c>(
    operation: Operation<'c>,
    from: Operation<'c>,
    within: &HashSet<usize>,
    list: &mut Vec<Operation<'c>>,
) -> bool {
    if list.iter().any(|own| address(*own) == address(operation)) {
        return true;
    }
    let is_plain = is_pure(name(operation)) && operation.region_count() == 0;
    if !is_plain || list.len() >= MOST_MOVED {
        return false;
    }
    let mut is_there = |value: Value<'c>| match defining_operation(value) {
        Some(source) if within.contains(&address(source)) => needed(source, from, within, list),
        Some(_) => true,
        None => argument_owner(value).is_none_or(|owner| {
            address(owner) != address(from) && !within.contains(&address(owner))
        }),
    };
    let is_there = operands(operation).into_iter().all(&mut is_there);
    if is_there {
        list.push(operation);
    }
    is_there
}

impl<'c> Rewrite<'c> for Divisions<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.moved.contains(&address(operation)) {
            return Ok(true);
        }
        if let Some(quotient) = self.remainders.get(&address(operation)) {
            let kind = match name(*quotient) {
                "arith.divui" => "arith.remui",
                _ => "arith.remsi",
            };
            let given = operands(*quotient).into_iter().map(|value| to.one(value));
            let given: Vec<_> = given.collect();
            let value = to
                .builder
                .value(kind, &given, &attributes(*quotient), given[0].r#type());
            to.bind(result(operation, 0), vec![value]);
            return Ok(true);
        }
        let Some(list) = self.of_loop.remove(&address(operation)) else {
            return Ok(false);
        };
        for one in list {
            if !self.moved.insert(address(one)) {
                continue;
            }
            let mut all = attributes(one);
            if is_integer_division(name(one)) && !all.iter().any(|(name, _)| *name == AHEAD) {
                all.push((AHEAD, to.builder.int(1)));
            }
            let given: Vec<_> = operands(one)
                .into_iter()
                .map(|value| to.one(value))
                .collect();
            let types: Vec<_> = results(one)
                .iter()
                .map(melior::ir::ValueLike::r#type)
                .collect();
            let new = to.builder.insert(name(one), &given, &all, &types);
            to.bind_results(one, new);
        }
        Ok(false)
    }
}
