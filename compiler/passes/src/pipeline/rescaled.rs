//! Products by factors that are 1 in most iterations.
//!
//! ```text
//! new = maximum(largest, …);  acc = acc * exp2(largest - new)[:, None];  largest = new
//! ```
//!
//! Of values in no particular order, the n-th is the largest so far one time in n: a factor that follows from what such a
//! value was and is now is 1 ever more often. A product by 1 changes no number, so a warp whose factors are all 1 leaves it out
//! (`tile.unless_one`, [`unless_one`](../../to_llvm/unless_one.rs)). That costs a vote and a branch, which work of the other
//! iteration cannot cross: it pays where threads bound a loop, not tensor cores (H100, attention of 128 x 128, as many times
//! as fast: 64 columns 1.00 with 1000 keys, 1.04 with 2048, 1.07 to 1.09 from 4096, causal up to 1.05; 128 columns 0.94 to 0.97).

use std::collections::HashSet;

use crate::dialect::TileOp;
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Block, Operation, Value, address, arguments, key, name, operands, region_block, result, yielded,
};
use crate::is_tile;

/// Whether a product of tiles has a factor that is 1 where a value that the loop carries stayed what it was.
pub(super) fn is_rescaling(body: Block<'_>, operation: Operation<'_>) -> bool {
    if name(operation) != "arith.mulf" || !is_tile(result(operation, 0)) {
        return false;
    }
    let mut seen = HashSet::new();
    operands(operation).into_iter().any(|factor| {
        let is_spread = defining_operation(factor)
            .is_some_and(|of| matches!(TileOp::of(of), Some(TileOp::Broadcast(_))));
        is_spread && follows_what_stays(body, factor, &mut seen)
    })
}

/// Whether a value is computed, element by element, from one that an iteration may leave as it was.
fn follows_what_stays(body: Block<'_>, value: Value<'_>, seen: &mut HashSet<usize>) -> bool {
    if argument_owner(value).is_some() {
        let mut carried = arguments(body).into_iter().skip(1).zip(yielded(body));
        return carried
            .any(|(argument, next)| key(argument) == key(value) && may_stay(argument, next));
    }
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    let is_elementwise = match TileOp::of(operation) {
        Some(one) => matches!(one, TileOp::Broadcast(_) | TileOp::Expand(_)),
        None => region_block(operation, 0).is_none(),
    };
    is_elementwise
        && seen.insert(address(operation))
        && operands(operation)
            .into_iter()
            .any(|operand| follows_what_stays(body, operand, seen))
}

/// Whether an iteration chooses between a value and another: by their size, or by a condition.
fn may_stay<'c>(now: Value<'c>, next: Value<'c>) -> bool {
    let Some(operation) = defining_operation(next) else {
        return false;
    };
    let chooses = [
        "arith.maxnumf",
        "arith.minnumf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.select",
    ];
    chooses.contains(&name(operation))
        && operands(operation).iter().any(|one| key(*one) == key(now))
}
