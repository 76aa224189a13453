//! Pairs of programs that copy for each other.
//!
//! Neighbours along one axis of the grid run on two blocks of a cluster. Of what they both read each
//! copies one half, and TMA writes it to the shared memory of both (PTX ISA, "cp.async.bulk.tensor",
//! `.multicast::cluster`): the cache is asked for it once.
//!
//! Both have the same iterations, then, so nothing that says how many there are may depend on the axis. Where
//! the number of programs along it is odd, the last one's neighbour does the same as that and stores
//! nothing; so nothing but stores by TMA may have effects.
//!
//! The blocks wait for each other in every iteration, and begin together. That pays where each row of a box lies in
//! two lines of the cache (5000 x 5000 x 5000 got a third faster on an H200), and where there are very many programs (1 %);
//! in small products it costs 2 to 4 %. A block ends when all its stages are empty: nobody accesses its shared memory
//! then, and what it copied for its neighbour has come. A launch knows the pitches and the numbers, so it decides: the code is right for
//! clusters of one block and of two, and asks how many there are.

use std::cell::RefCell;

use melior::ir::operation::OperationLike;

use super::boxes::{Half, Map};
use super::plan::Plans;
use super::stores::BoxStore;
use crate::build::Builder;
use crate::dialect::TileOp;
use crate::each_operation;
use crate::ir::{Operation, Value, address, name, operands};
use crate::order::axes;

/// The attribute of a function whose programs may be in pairs: along which axis.
pub const PAIR: &str = "tile.pair";
/// The attribute of such a function that has the maps of what both read.
pub const PAIR_MAPS: &str = "tile.pair_maps";

/// How programs may be in pairs.
pub struct Pairing {
    pub axis: u32,
    /// The maps of what both read: the launch looks at their pitches.
    pub maps: Vec<i64>,
}

/// Whether this is a block of a pair: 1 if so, else 0, `i32`.
pub fn is_paired<'c>(builder: &mut Builder<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    let blocks = builder.special_register("cluster.nctaid.x");
    let one = builder.constant_int(1, word);
    builder.binary("arith.subi", blocks, one)
}

/// What part of all that is copied has to be shared, at least: `1 / SHARED`.
const SHARED: u64 = 4;

/// How programs may be in pairs, if they may; notes in the plans what they share.
pub fn find<'c>(
    function: Operation<'c>,
    plans: &mut Plans<'c>,
    stores: &[BoxStore<'c>],
    maps: &mut Vec<Map>,
) -> Option<Pairing> {
    let mut controls: Vec<Value<'c>> = Vec::new();
    let mut has_effects = false;
    // Along other axes there is one program, or all do the same.
    let mut differs_along = [false; 2];
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) {
            controls.extend(controls_of(operation));
        }
        has_effects |= match TileOp::of(operation) {
            Some(TileOp::Store(_)) => !stores
                .iter()
                .any(|store| address(store.store.0) == address(operation)),
            Some(TileOp::Atomic(_) | TileOp::Assert(_) | TileOp::Print(_)) => true,
            Some(TileOp::Asm(asm)) => asm.effects() != 0,
            _ => false,
        };
        if let Some(TileOp::ProgramId(query)) = TileOp::of(operation)
            && let Some(differs) = differs_along.get_mut(query.axis() as usize)
        {
            *differs = true;
        }
    });
    if has_effects {
        return None;
    }
    let known = RefCell::new(maps);
    let shared = |axis: usize| -> (u64, Vec<(usize, usize, Half)>) {
        let mut bytes = 0;
        let mut list = Vec::new();
        if !differs_along[axis] || controls.iter().any(|value| axes(*value)[axis]) {
            return (0, list);
        }
        for (at, plan) in plans.iter() {
            for (index, copy) in plan.copies.iter().enumerate() {
                let Some(boxes) = &copy.boxes else {
                    continue;
                };
                let differs = boxes.starts.iter().any(|start| axes(*start)[axis]);
                if differs {
                    continue;
                }
                if let Some(half) = boxes.half(copy.load, &known) {
                    bytes += copy.bytes;
                    list.push((*at, index, half));
                }
            }
        }
        (bytes, list)
    };
    let [first, second] = [0, 1].map(shared);
    let (axis, (bytes, list)) = match first.0 >= second.0 {
        true => (0, first),
        false => (1, second),
    };
    let copies = plans.values().flat_map(|plan| &plan.copies);
    let all: u64 = copies.map(|copy| copy.bytes).sum();
    if bytes == 0 || bytes * SHARED < all {
        return None;
    }
    let mut maps = Vec::new();
    for (at, index, half) in list {
        if let Some(plan) = plans.get_mut(&at) {
            let copy = &mut plan.copies[index];
            copy.half = Some(half);
            maps.extend(copy.boxes.as_ref().map(|boxes| boxes.map as i64));
        }
    }
    Some(Pairing { axis, maps })
}

/// What says whether a loop runs, and how many iterations.
fn controls_of(of: Operation<'_>) -> Vec<Value<'_>> {
    let mut list: Vec<_> = operands(of).into_iter().take(3).collect();
    let mut inner = of;
    while let Some(parent) = inner.parent_operation() {
        let parent = crate::ffi::operation(parent);
        let count = match name(parent) {
            "scf.for" => 3,
            "scf.if" => 1,
            _ => break,
        };
        list.extend(operands(parent).into_iter().take(count));
        inner = parent;
    }
    list
}
