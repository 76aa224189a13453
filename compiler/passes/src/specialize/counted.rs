//! Loops that count by themselves.
//!
//! ```text
//! %x, %v = scf.while (%a = %x0, %i = %i0) { scf.condition(%i < %n) %a, %i } do { … scf.yield %b, %i + 64 }
//!   ⇒  %x = scf.for %c = %i0 to %n step 64 iter_args(%a = %x0) { %i = trunc %c; … scf.yield %b }
//! ```
//!
//! Only an iteration of a `while` loop knows whether there is another, so its loads wait. A counter of 32 bits goes on from below
//! where `%n` is so large that the last step passes what 32 bits hold; so that is asked of the launch, or known.
//!
//! That is done for loops that load tiles.

use std::collections::HashMap;

use melior::ir::ValueLike;
use tile_runtime::manifest::Assumption;

use super::VariantRequest;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, predicates};
use crate::each_operation;
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, address, arguments, int_attribute, key, name, operands, operations,
    region_block, results,
};
use crate::is_tile;
use crate::launch::Search;

/// A loop that counts.
#[derive(Clone, Copy)]
struct Loop<'c> {
    /// Which of the values that it carries is the counter.
    number: usize,
    end: Value<'c>,
    step: i64,
}

/// The loops of a function that count, and what the launch has to know for that.
#[derive(Default)]
pub struct Counted<'c> {
    loops: HashMap<usize, Loop<'c>>,
    pub assumptions: Vec<Assumption>,
}

impl<'c> Counted<'c> {
    pub fn find(function: Operation<'c>, variant: &VariantRequest) -> Self {
        let mut counted = Self::default();
        let search = Search::of(function, variant);
        each_operation(function, &mut |operation| {
            let Some(of) = counter(operation).filter(|_| loads_tiles(operation)) else {
                return;
            };
            let most = i64::from(i32::MAX) - of.step;
            let is_small = constant_of(of.end).is_some_and(|end| end <= most);
            if !is_small {
                let Some(value) = search.number(of.end) else {
                    return;
                };
                let least = i64::from(i32::MIN);
                let assumption = Assumption::Within { value, least, most };
                if !counted.assumptions.contains(&assumption) {
                    counted.assumptions.push(assumption);
                }
            }
            counted.loops.insert(address(operation), of);
        });
        counted
    }

    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }
}

/// How a loop counts, if it is one that goes on while its counter is below a number and adds to it in the end.
fn counter(operation: Operation<'_>) -> Option<Loop<'_>> {
    if name(operation) != "scf.while" {
        return None;
    }
    let (before, after) = (region_block(operation, 0)?, region_block(operation, 1)?);
    let is_number = |operation: &Operation<'_>| name(*operation) == "arith.constant";
    let tests: Vec<_> = operations(before);
    let tests: Vec<_> = tests.into_iter().filter(|one| !is_number(one)).collect();
    let [comparison, condition] = tests[..] else {
        return None;
    };
    let is_below = name(comparison) == "arith.cmpi"
        && int_attribute(comparison, "predicate") == Some(predicates::SLT);
    let [value, end] = operands(comparison)[..] else {
        return None;
    };
    let given: Vec<_> = arguments(before).into_iter().map(key).collect();
    let passed: Vec<_> = operands(condition).into_iter().map(key).collect();
    let is_of_it = passed.first() == results(comparison).first().copied().map(key).as_ref();
    if !is_below || !is_of_it || passed[1..] != given[..] || given.contains(&key(end)) {
        return None;
    }
    let number = given.iter().position(|given| *given == key(value))?;
    let is_word = value.r#type().to_string() == "i32";
    let next = *operands(*operations(after).last()?).get(number)?;
    let added = defining_operation(next).filter(|from| name(*from) == "arith.addi")?;
    let [from, by] = operands(added)[..] else {
        return None;
    };
    let counts = key(from) == key(*arguments(after).get(number)?);
    let step = constant_of(by).filter(|step| *step > 0)?;
    (is_word && counts).then_some(Loop { number, end, step })
}

/// Whether a loop loads tiles, itself or in what is in it.
fn loads_tiles(operation: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(operation, &mut |inner| {
        found |= match TileOp::of(inner) {
            Some(TileOp::Load(load)) => is_tile(load.result()),
            Some(TileOp::LoadView(load)) => is_tile(load.result()),
            _ => false,
        };
    });
    found
}

impl<'c> Rewrite<'c> for Counted<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(Loop { number, end, step }) = self.loops.get(&address(operation)).copied() else {
            return Ok(false);
        };
        let Some(body) = region_block(operation, 1) else {
            return Ok(false);
        };
        let (word, wide) = (to.builder.int_type(32), to.builder.int_type(64));
        let initial: Vec<_> = operands(operation).iter().map(|old| to.one(*old)).collect();
        let first = to
            .builder
            .value("arith.extsi", &[initial[number]], &[], wide);
        let end = match constant_of(end) {
            // It may stand in the condition.
            Some(end) => to.builder.constant_int(end, word),
            None => to.one(end),
        };
        let end = to.builder.value("arith.extsi", &[end], &[], wide);
        let step = to.builder.constant_int(step, wide);
        let others = |place: &usize| *place != number;
        let carried: Vec<_> = (0..initial.len()).filter(others).collect();
        let types: Vec<_> = carried
            .iter()
            .map(|place| initial[*place].r#type())
            .collect();
        let mut list = vec![first, end, step];
        list.extend(carried.iter().map(|place| initial[*place]));
        let mut given = vec![wide];
        given.extend(&types);
        let region = to.region(&given, |nested, arguments_of| {
            let counter = nested
                .builder
                .value("arith.trunci", &[arguments_of[0]], &[], word);
            let old = arguments(body);
            nested.bind(old[number], vec![counter]);
            for (place, new) in carried.iter().zip(&arguments_of[1..]) {
                nested.bind(old[*place], vec![*new]);
            }
            let all = operations(body);
            let Some((last, rest)) = all.split_last() else {
                return Ok(());
            };
            for operation in rest {
                nested.operation(self, *operation)?;
            }
            let yielded = operands(*last);
            let yielded: Vec<_> = carried
                .iter()
                .map(|place| nested.one(yielded[*place]))
                .collect();
            nested.builder.insert("scf.yield", &yielded, &[], &[]);
            Ok(())
        })?;
        let new = to
            .builder
            .insert_with_regions("scf.for", &list, &[], &types, vec![region]);
        for (place, value) in carried.iter().zip(results(new)) {
            to.bind(results(operation)[*place], vec![value]);
        }
        // Where the counter ends: as many steps further as there were iterations.
        let far = to.builder.binary("arith.subi", end, first);
        let rounds = to.builder.binary("arith.ceildivsi", far, step);
        let none = to.builder.constant_int(0, wide);
        let rounds = to.builder.binary("arith.maxsi", rounds, none);
        let passed = to.builder.binary("arith.muli", rounds, step);
        let last = to.builder.binary("arith.addi", first, passed);
        let last = to.builder.value("arith.trunci", &[last], &[], word);
        to.bind(results(operation)[number], vec![last]);
        Ok(true)
    }
}
