//! `flat-loads`: loads of tiles with one long axis are loads of rows.
//!
//! ```text
//! load(p + columns[None, :] * step, mask = columns[None, :] < n)  : 1x64
//!   ⇒  load(p + columns * step, mask = columns < n)[None, :]
//! ```
//!
//! Kernels that come from pointers load scales and biases with both axes of the tile that they are multiplied with. Beside products rows are
//! what later passes copy ahead, share among threads and see the steps of (H200, gemlite's product with 4 bits and scales and zeros of groups, 16 x 8192 x
//! 8192 in tiles of 64 x 64 x 64: 83 and now 49 us). Without products they only have less in common with the tile (a row times such a matrix: 1.01 to 1.08 times as long).

use std::collections::{HashMap, HashSet};

use melior::ir::{Module, ValueLike};

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::dialect::ops::Load;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, attributes, element_type, key, name, operands,
};
use crate::unused::without_unused;
use crate::{
    PassContext, constant_text, each_operation, functions, is_tile, multiplies, rebuild_functions,
};

/// The operation of numbers that are known, whose attribute has the type of its result.
const CONSTANT: &str = "arith.constant";

/// Operations that pointers and masks are read through.
const MOST_OPERATIONS: usize = 64;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let mut is_any = false;
    for function in functions(&module)
        .into_iter()
        .filter(|one| multiplies(*one))
    {
        each_operation(function, &mut |operation| {
            is_any |= flat_axis(operation).is_some();
        });
    }
    // A module has the variants of one kernel.
    if !is_any {
        return Ok(module);
    }
    let module = rebuild_functions(cx, &module, |_| Ok(FlatLoads))?;
    without_unused(cx, &module)
}

/// The axis of one element of a load that can be one of a row.
fn flat_axis(operation: Operation<'_>) -> Option<usize> {
    let load = Load::of(operation)?;
    let axis = match *TileType::of(load.result())?.shape().as_slice() {
        [1, columns] if columns > 1 => 0,
        [rows, 1] if rows > 1 => 1,
        _ => return None,
    };
    let mut seen = HashSet::new();
    is_each(operation, axis, &mut seen).then_some(axis)
}

/// Whether a tile is computed from rows that have this axis besides, and from numbers.
fn is_of_row(value: Value<'_>, axis: usize, seen: &mut HashSet<ValueKey>) -> bool {
    if !seen.insert(key(value)) {
        return true;
    }
    if seen.len() > MOST_OPERATIONS || !is_tile(value) {
        return false;
    }
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    match TileOp::of(operation) {
        None if name(operation) == CONSTANT => repeated(operation).is_some(),
        Some(TileOp::Splat(_)) => true,
        Some(TileOp::Expand(expand)) => {
            let shape = TileType::of(expand.operand()).map(TileType::shape);
            expand.axis() as usize == axis && shape.is_some_and(|shape| shape.len() == 1)
        }
        Some(TileOp::PointerOffset(_)) => is_each(operation, axis, seen),
        None if name(operation).starts_with("arith.") => is_each(operation, axis, seen),
        _ => false,
    }
}

fn is_each(operation: Operation<'_>, axis: usize, seen: &mut HashSet<ValueKey>) -> bool {
    let mut all = operands(operation).into_iter();
    all.all(|value| is_of_row(value, axis, seen))
}

/// What all elements of a constant are, as attributes have it.
fn repeated(constant: Operation<'_>) -> Option<String> {
    constant_text(constant).filter(|text| !text.starts_with('['))
}

struct FlatLoads;

/// A tile as the row that it is computed from.
fn row<'c>(
    to: &mut Rebuilder<'c>,
    value: Value<'c>,
    known: &mut HashMap<ValueKey, Value<'c>>,
) -> Value<'c> {
    if let Some(known) = known.get(&key(value)) {
        return *known;
    }
    let shape = TileType::of(value).map(TileType::shape).unwrap_or_default();
    let long = shape.iter().copied().filter(|size| *size > 1);
    let ty = TileType::new(
        &long.collect::<Vec<_>>(),
        element_type(value.r#type()),
        None,
    )
    .ty();
    let operation = defining_operation(value).expect("computed from rows");
    let found = match TileOp::of(operation) {
        None if name(operation) == CONSTANT => {
            let number = repeated(operation).expect("of one number");
            let number = to
                .builder
                .parse_attribute(&format!("dense<{number}> : {ty}"));
            to.builder.value(CONSTANT, &[], &[("value", number)], ty)
        }
        Some(TileOp::Expand(expand)) => to.one(expand.operand()),
        Some(TileOp::Splat(splat)) => {
            let scalar = to.one(splat.scalar());
            to.builder.value("tile.splat", &[scalar], &[], ty)
        }
        _ => {
            let inputs: Vec<_> = operands(operation)
                .into_iter()
                .map(|value| row(to, value, known))
                .collect();
            let all = attributes(operation);
            to.builder.value(name(operation), &inputs, &all, ty)
        }
    };
    known.insert(key(value), found);
    found
}

impl<'c> Rewrite<'c> for FlatLoads {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let (Some(load), Some(axis)) = (Load::of(operation), flat_axis(operation)) else {
            return Ok(false);
        };
        let mut known = HashMap::new();
        let inputs: Vec<_> = operands(operation)
            .into_iter()
            .map(|value| row(to, value, &mut known))
            .collect();
        let wide = load.result().r#type();
        let shape = TileType::of(load.result()).map(TileType::shape);
        let long = shape.into_iter().flatten().filter(|size| *size > 1);
        let ty = TileType::new(&long.collect::<Vec<_>>(), element_type(wide), None).ty();
        let all = attributes(operation);
        let loaded = to.builder.value(name(operation), &inputs, &all, ty);
        let attribute = [("axis", to.builder.int(axis as i64))];
        let tile = to.builder.value("tile.expand", &[loaded], &attribute, wide);
        to.bind(load.result(), vec![tile]);
        Ok(true)
    }
}
