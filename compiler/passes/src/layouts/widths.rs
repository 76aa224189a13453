//! How many elements an access takes, where tiles of one shape have elements of several sizes.
//!
//! ```text
//! m: f32, v: f32, p: f32, g: bf16   ⇒  4 elements at once: 16 bytes of most tiles, 8 of `g`
//! ```
//!
//! With eight, a thread's elements of `f32` are two accesses that lie apart from those of the next thread, each of which touches all sectors
//! and uses half of them, or they change threads (H200, AdamW with gradients of `bf16`: 0.92 of the copy for 0.98). What most bytes go
//! through decides; what all programs read alike comes from caches and counts for nothing.

use std::collections::{BTreeMap, HashMap};

use melior::ir::ValueLike;

use crate::dialect::TileOp;
use crate::ir::{Operation, TileType, Value};
use crate::sink::is_same_for_all_programs;
use crate::target::WIDEST_ACCESS;
use crate::{each_operation, element_bytes, in_loop};

/// How often a loop is taken to run.
const ITERATIONS: u64 = 16;

/// The most elements that an access may take, of shapes where that is fewer than the widest access of some tile has.
pub fn find(function: Operation<'_>) -> HashMap<Vec<u64>, u64> {
    // Bytes that move for an element of a shape, by the size of the elements.
    let mut moved: HashMap<Vec<u64>, BTreeMap<u64, u64>> = HashMap::new();
    let mut has_own = false;
    let mut add = |operation: Operation<'_>, tile: Value<'_>, pointers: Value<'_>| {
        let Some(ty) = TileType::of(tile).filter(|_| !is_same_for_all_programs(pointers)) else {
            return;
        };
        let bytes = element_bytes(tile.r#type());
        let often = if in_loop(operation) { ITERATIONS } else { 1 };
        let of_shape = moved.entry(ty.shape()).or_default();
        *of_shape.entry(bytes).or_default() += often * bytes;
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::Load(load)) => add(operation, load.result(), load.pointers()),
        Some(TileOp::Store(store)) => add(operation, store.value(), store.pointers()),
        // Where these have tiles is theirs to say, and rows come in the widest accesses.
        Some(TileOp::Dot(_) | TileOp::Reduce(_) | TileOp::Scan(_) | TileOp::Exchange(_)) => {
            has_own = true;
        }
        _ => {}
    });
    if has_own {
        return HashMap::new();
    }
    let most = |of_shape: BTreeMap<u64, u64>| {
        let all: u64 = of_shape.values().sum();
        let smallest = *of_shape.keys().next()?;
        let (bytes, most) = of_shape.into_iter().max_by_key(|(_, moved)| *moved)?;
        (bytes > smallest && 2 * most > all).then(|| (WIDEST_ACCESS / bytes).max(1))
    };
    let all = moved.into_iter();
    all.filter_map(|(shape, of_shape)| Some((shape, most(of_shape)?)))
        .collect()
}
