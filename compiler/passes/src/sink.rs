//! `sink`: conversions to wider types, and loads of what all programs read alike, move down to where
//! their results are first used.
//!
//! ```text
//! %w = tile.load … : bf16     %f = arith.extf %w     …reductions…     arith.mulf %x, %f
//!   ⇒  %w = tile.load … : bf16     …reductions…     %f = arith.extf %w     arith.mulf %x, %f
//! ```
//!
//! A row of weights then waits for the reductions in half the registers, or a quarter. Nothing is
//! computed twice or in a loop that it was not in before.
//!
//! A load whose address is the same in all programs finds its data in a cache. Where it has registers
//! enough to keep another program out ([`REGISTERS_WAITING`]), it does not wait for reductions in them
//! at all, but is marked `late`: `to-llvm` makes it an instruction that may move, and
//! [`schedule`](crate::backend) starts it shortly before its use. Only memory that the kernel does not
//! write through the same parameter is read late.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};

use super::encoding::Encodings;
use super::pipeline::{COPYING_WARPS, TURNS};
use super::{PassContext, each_operation, element_bits, is_tile, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Load, SharedLoad};
use crate::dialect::{TileOp, is_pure};
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, Value, ValueKey, attributes, int_attribute, key, name, operand, operands,
    operations, region_block, result,
};
use crate::writes::{is_unwritten, written};

/// Registers that such loads take, from which on they are late: layer norm gains by it at any number of columns, RMS
/// norm, whose weights take half as many, at 32768 columns only (`benches/results/loops-h200-2026-11-22.md`).
const REGISTERS_WAITING: u64 = 32;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions(cx, &module, |function| {
        Ok(Sink {
            delayed: HashMap::new(),
            late: late(function, &encodings),
        })
    })
}

/// The loads that are late: those that can wait until they are needed, if they have many registers together.
fn late(function: Operation<'_>, encodings: &Encodings) -> HashSet<ValueKey> {
    let mut reduces = false;
    each_operation(function, &mut |inner| {
        reduces |= matches!(TileOp::of(inner), Some(TileOp::Reduce(_)));
    });
    if !reduces {
        // There is nothing to wait for.
        return HashSet::new();
    }
    let written = written(function);
    let is_constant = |load: &Load<'_>| {
        let written = written.as_ref();
        written.is_some_and(|written| is_unwritten(load.pointers(), written))
    };
    // Not those in loops, where more comes between a load and its use than can be seen here; but for the loop over
    // programs of a persistent kernel.
    let mut body = region_block(function, 0)
        .map(operations)
        .unwrap_or_default();
    if int_attribute(function, TURNS).is_some() && int_attribute(function, COPYING_WARPS).is_none()
    {
        let loops = body.clone();
        let inside = loops.into_iter().filter_map(|inner| match name(inner) {
            "scf.for" => region_block(inner, 0),
            "scf.while" => region_block(inner, 1),
            _ => None,
        });
        body.extend(inside.flat_map(operations));
    }
    let list: Vec<_> = body
        .into_iter()
        .filter_map(Load::of)
        .filter(|load| {
            let addresses = std::iter::once(load.pointers());
            let mut addresses = addresses.chain(load.mask()).chain(load.other());
            let is_plain = load.cache().is_empty() && load.evict().is_empty();
            is_tile(load.result())
                && is_plain
                && is_constant(load)
                && addresses.all(is_same_for_all_programs)
        })
        .collect();
    let registers: u64 = list
        .iter()
        .map(|load| {
            let bits = element_bits(load.result().r#type());
            encodings.layout(load.result()).register_count() as u64 * bits / 32
        })
        .sum();
    match registers >= REGISTERS_WAITING {
        true => list.iter().map(|load| key(load.result())).collect(),
        false => HashSet::new(),
    }
}

struct Sink<'c> {
    /// What was met and not built yet, by its result.
    delayed: HashMap<ValueKey, Operation<'c>>,
    /// The loads that are late.
    late: HashSet<ValueKey>,
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
            if Load::of(operation).is_some() {
                let mut list = attributes(operation);
                list.push(("late", to.builder.int(1)));
                to.copy_with_attributes(self, operation, &list)?;
            } else {
                to.copy(self, operation)?;
            }
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
        let is_kept =
            SharedLoad::of(operation).is_some_and(|load| int_attribute(load.0, "late").is_some());
        if widens(operation)
            || is_kept
            || Load::of(operation).is_some_and(|load| self.late.contains(&key(load.result())))
        {
            self.delayed.insert(key(result(operation, 0)), operation);
            return Ok(true);
        }
        let mut used = operands(operation);
        each_operation(operation, &mut |inner| used.extend(operands(inner)));
        self.build(to, &used)?;
        Ok(false)
    }
}

/// Whether a value is computed from parameters and constants alone.
pub(super) fn is_same_for_all_programs(value: Value<'_>) -> bool {
    let (mut seen, mut left) = (HashSet::new(), vec![value]);
    while let Some(value) = left.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        let Some(operation) = defining_operation(value) else {
            if argument_owner(value).is_none_or(|owner| name(owner) != "func.func") {
                return false;
            }
            continue;
        };
        if !is_pure(name(operation)) || matches!(TileOp::of(operation), Some(TileOp::ProgramId(_)))
        {
            return false;
        }
        left.extend(operands(operation));
    }
    true
}

/// Whether an operation makes wider elements of narrower ones, and nothing else.
pub(super) fn widens(operation: Operation<'_>) -> bool {
    matches!(
        name(operation),
        "arith.extf" | "arith.extsi" | "arith.extui"
    ) && is_tile(result(operation, 0))
        && element_bits(operand(operation, 0).r#type()) >= 8
}
