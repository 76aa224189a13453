//! Programs that multiply once do it in a loop of one iteration.
//!
//! ```text
//! %a = tile.load …  %b = tile.load …  %c = tile.dot(%a, %b, 0)
//!   ⇒  %c = scf.for … 0 to 1 iter_args(%x = 0) { %a = tile.load …  %b = tile.load …  scf.yield tile.dot(%a, %b, %x) }
//! ```
//!
//! What `pipeline` does for loops helps them as well: the kernel becomes persistent, a warp of its own copies the next program's
//! operands while this one's results are stored. Without, operands go through registers to shared memory, and nothing runs
//! meanwhile (H200, 8192 x 128 x 8192 in tiles of 128 x 128: 93 us for 48).
//!
//! That is done for tiles of two warpgroups, of which few programs run at once; where there are many of smaller ones, they
//! work while others wait.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Module, Type, ValueLike};

use crate::accumulators::{has_effects, is_zero};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Dot;
use crate::dialect::{TileOp, is_pure};
use crate::facts::FactAnalysis;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, ValueKey, address, attributes, is_loop, key, name, operands, operations,
    region_block, results,
};
use crate::layouts::warps;
use crate::writes::{is_unwritten, written};
use crate::{PassContext, each_operation, functions, is_tile, rebuild_functions, tile_bytes, uses};

/// Warps of two warpgroups.
const FEWEST_WARPS: u32 = 8;

/// Tiles that leave the loop at most.
const MOST_RESULTS: usize = 4;

/// Runs when the products' ways are chosen.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let found: Vec<_> = functions(&module)
        .into_iter()
        .map(|function| Round::find(cx, function).unwrap_or_default())
        .collect();
    if found.iter().all(|round| round.inside.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    rebuild_functions(cx, &module, |_| Ok(found.next().unwrap_or_default()))
}

/// What becomes a loop.
#[derive(Default)]
struct Round<'c> {
    /// In order; the last one is a product.
    inside: Vec<Operation<'c>>,
    of: HashSet<usize>,
    /// What is used after it, and the product that begins its sum, if it is one from zero.
    results: Vec<(Value<'c>, Option<Dot<'c>>)>,
}

impl<'c> Round<'c> {
    fn find(cx: &PassContext<'_, 'c>, function: Operation<'c>) -> Option<Self> {
        let all = operations(region_block(function, 0)?);
        let is_product = |operation: &Operation<'c>| {
            Dot::of(*operation).is_some_and(|dot| dot.path() == "wgmma")
        };
        let last = all.iter().rposition(is_product)?;
        let before = &all[..=last];
        let is_straight = !all.iter().any(|operation| is_loop(*operation));
        if !is_straight || before.iter().any(|operation| has_effects(*operation)) {
            return None;
        }
        if warps(function, &FactAnalysis::new(function), cx.target) < FEWEST_WARPS {
            return None;
        }
        let written = written(function)?;
        // What products multiply that is loaded, and all that is computed from it for others.
        let mut loaded = HashSet::new();
        for operation in before.iter().filter(|operation| is_product(operation)) {
            let dot = Dot::of(*operation)?;
            let copied = [dot.left(), dot.right()].map(|operand| copied(operand, &written));
            loaded.extend(copied.into_iter().flatten().map(address));
        }
        let mut made: HashSet<ValueKey> = HashSet::new();
        let mut inside = Vec::new();
        for operation in before {
            let is_of_it = loaded.contains(&address(*operation))
                || is_product(operation)
                || uses_any(*operation, &made);
            if is_of_it {
                let is_plain = operation.region_count() == 0 || TileOp::of(*operation).is_some();
                let is_movable = loaded.contains(&address(*operation))
                    || is_pure(name(*operation))
                    || matches!(TileOp::of(*operation), Some(TileOp::Reduce(_)));
                if !is_plain || !is_movable {
                    return None;
                }
                made.extend(results(*operation).into_iter().map(key));
                inside.push(*operation);
            }
        }
        // Of two programs: the next one's while this one's are multiplied.
        let copied = inside
            .iter()
            .filter(|operation| loaded.contains(&address(**operation)));
        let bytes: u64 = copied
            .map(|operation| tile_bytes(results(*operation)[0]))
            .sum();
        if bytes == 0 || 2 * bytes > cx.target.shared_bytes_per_program {
            return None;
        }
        let of: HashSet<usize> = inside.iter().map(|operation| address(*operation)).collect();
        let users = uses(function);
        let is_used_after = |value: &Value<'c>| {
            let users = users.get(&key(*value)).into_iter().flatten();
            users.into_iter().any(|user| !of.contains(&address(*user)))
        };
        let after: Vec<Value<'c>> = inside
            .iter()
            .flat_map(|operation| results(*operation))
            .filter(is_used_after)
            .collect();
        if after.len() > MOST_RESULTS || !after.iter().all(|value| is_tile(*value)) {
            return None;
        }
        let results = after
            .into_iter()
            .map(|value| (value, beginning(value, &of)))
            .collect();
        Some(Self {
            inside,
            of,
            results,
        })
    }
}

/// Whether an operation, or one in it, uses any of the values.
fn uses_any(operation: Operation<'_>, values: &HashSet<ValueKey>) -> bool {
    let uses = |operation| {
        let mut operands = operands(operation).into_iter();
        operands.any(|value| values.contains(&key(value)))
    };
    let mut found = uses(operation);
    each_operation(operation, &mut |inner| found |= uses(inner));
    found
}

/// The load that an operand is, perhaps transposed, if nothing that the kernel does changes what it reads.
fn copied<'c>(operand: Value<'c>, written: &HashSet<usize>) -> Option<Operation<'c>> {
    let mut operation = defining_operation(operand)?;
    if let Some(TileOp::Permute(permute)) = TileOp::of(operation) {
        operation = defining_operation(permute.operand())?;
    }
    match TileOp::of(operation) {
        Some(TileOp::Load(load)) if is_unwritten(load.pointers(), written) => Some(operation),
        _ => None,
    }
}

/// The product with which a sum of products begins at zero.
fn beginning<'c>(value: Value<'c>, of: &HashSet<usize>) -> Option<Dot<'c>> {
    let mut dot = Dot::of(defining_operation(value)?)?;
    while !is_zero(dot.accumulator()) {
        let before = defining_operation(dot.accumulator())?;
        dot = Dot::of(before).filter(|_| of.contains(&address(before)))?;
    }
    Some(dot)
}

impl<'c> Rewrite<'c> for Round<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if !self.of.contains(&address(operation)) {
            return Ok(false);
        }
        if self.inside.last().map(|last| address(*last)) != Some(address(operation)) {
            return Ok(true);
        }
        let inside = std::mem::take(&mut self.inside);
        let results_of = std::mem::take(&mut self.results);
        let counter = to.builder.int_type(64);
        let types: Vec<Type<'c>> = results_of.iter().map(|(value, _)| value.r#type()).collect();
        let mut list = [0, 1, 1]
            .map(|number| to.builder.constant_int(number, counter))
            .to_vec();
        list.extend(types.iter().map(|ty| to.builder.zero(*ty)));
        let given: Vec<Type<'c>> = std::iter::once(counter)
            .chain(types.iter().copied())
            .collect();
        let region = to.region(&given, |nested, arguments| {
            let sums: HashMap<usize, Value<'c>> = results_of
                .iter()
                .zip(&arguments[1..])
                .filter_map(|((_, first), argument)| Some((address(first.as_ref()?.0), *argument)))
                .collect();
            for operation in &inside {
                nested.builder.set_location(operation.location());
                match (sums.get(&address(*operation)), Dot::of(*operation)) {
                    (Some(sum), Some(dot)) => {
                        let list = [nested.one(dot.left()), nested.one(dot.right()), *sum];
                        let ty = dot.result().r#type();
                        let all = attributes(*operation);
                        let product = nested.builder.value("tile.dot", &list, &all, ty);
                        nested.bind(dot.result(), vec![product]);
                    }
                    _ => _ = nested.copy(self, *operation)?,
                }
            }
            let yielded: Vec<_> = results_of
                .iter()
                .map(|(value, _)| nested.one(*value))
                .collect();
            nested.builder.insert("scf.yield", &yielded, &[], &[]);
            Ok(())
        })?;
        to.builder.set_location(operation.location());
        let new = to
            .builder
            .insert_with_regions("scf.for", &list, &[], &types, vec![region]);
        for ((old, _), new) in results_of.iter().zip(results(new)) {
            to.bind(*old, vec![new]);
        }
        Ok(true)
    }
}
