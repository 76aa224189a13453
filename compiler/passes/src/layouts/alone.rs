//! Programs that do little else than reduce one row of 16-bit floats.
//!
//! With 64 elements per thread three programs of 16384 columns fit on a multiprocessor where two did with 32, and one loads
//! while others compute: on an H200 softmax went from 0.88 to 0.95 of the copy, its logarithm from 0.88 to 0.97. All that has
//! room is the row, once: as it was loaded, or in f32. Where more is held or computed, registers would be kept in memory,
//! and all is lost (a mean taken off under a mask, 0.74 for 0.91; layer norm, whose weights are rows as well, 0.74 for 0.94).

use std::collections::{HashMap, HashSet};

use crate::dialect::TileOp;
use crate::facts::FactAnalysis;
use crate::ir::{
    Operation, TileType, Value, ValueKey, key, name, operand, operands, operations, region_block,
    results,
};

use super::choose::widest_along;
use crate::element_bits;

/// The attribute of a function that says how many of its programs should fit on a multiprocessor.
pub const AT_ONCE: &str = "tile.at_once";

/// Programs that should fit on a multiprocessor.
pub const ROWS_AT_ONCE: u64 = 3;

/// Registers of a thread besides its part of the row.
pub const BESIDES_ROW: u64 = 16;

/// What may be computed for each element.
const LIGHT: [&str; 13] = [
    "tile.load",
    "tile.splat",
    "tile.broadcast",
    "arith.constant",
    "arith.extf",
    "arith.truncf",
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.negf",
    "math.exp",
    "math.exp2",
];

/// Whether this is all that a function does.
pub fn reduces_one_row<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>) -> bool {
    let body = region_block(function, 0)
        .map(operations)
        .unwrap_or_default();
    let is_row = |value: &Value<'c>| {
        TileType::of(*value).is_some_and(|tile| {
            tile.shape().len() == 1 && !tile.element().to_string().starts_with(['i', '!'])
        })
    };
    let mut loads = 0;
    // Reductions so far, and the values that hold a row: what was loaded is the same wherever it is widened.
    let mut phase = 0;
    let mut made: HashMap<ValueKey, (ValueKey, usize)> = HashMap::new();
    let mut held: HashMap<usize, HashSet<ValueKey>> = HashMap::new();
    for operation in body {
        for value in operands(operation) {
            if let Some((row, since)) = made.get(&key(value)) {
                for crossed in *since..phase {
                    held.entry(crossed).or_default().insert(*row);
                }
            }
        }
        match TileOp::of(operation) {
            Some(TileOp::Reduce(_)) => phase += 1,
            Some(TileOp::Load(load)) if is_row(&load.result()) => {
                let tile = TileType::of(load.result());
                let is_narrow = tile.is_some_and(|tile| element_bits(tile.ty()) == 16);
                if !is_narrow || widest_along(load, facts).is_none() {
                    return false;
                }
                loads += 1;
            }
            Some(TileOp::Dot(_) | TileOp::Scan(_) | TileOp::Exchange(_) | TileOp::Map(_)) => {
                return false;
            }
            _ if name(operation).starts_with("scf.") => return false,
            _ => {}
        }
        for value in results(operation).into_iter().filter(is_row) {
            if !LIGHT.contains(&name(operation)) {
                return false;
            }
            let own = (key(value), phase);
            let made_of = match name(operation) {
                "arith.extf" => made.get(&key(operand(operation, 0))).copied(),
                "tile.splat" | "tile.broadcast" | "arith.constant" => continue,
                _ => None,
            };
            made.insert(key(value), made_of.unwrap_or(own));
        }
    }
    loads == 1 && phase > 0 && held.values().all(|rows| rows.len() <= 1)
}
