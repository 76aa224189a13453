//! How many buffers a pipelined loop has: as many as hide the latency of memory, as far as shared
//! memory goes.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;

use super::plan::Plan;
use crate::dialect::TileOp;
use crate::ir::{Operation, int_attribute, key};
use crate::passes::encoding::{buffer_layout, stage_bytes};
use crate::passes::shared_memory::{address, ancestor_in, number};
use crate::passes::{PassContext, each_operation, uses};

/// The most buffers: with four, copies are two or three rounds ahead, which is some thousand cycles of
/// products; a load from memory takes less than a thousand.
const MOST_STAGES: u64 = 4;

/// Warps that a multiprocessor should have at least: two for each of its four schedulers. Programs of
/// fewer warps share a multiprocessor, and its memory.
const WARPS_PER_MULTIPROCESSOR: u64 = 8;

/// The same of loops that reduce: more of their instructions wait for each other than of products.
const WARPS_REDUCING: u64 = 16;

/// Shared memory that the hardware takes of each program's, and that is lost between buffers.
const LOST: u64 = 2048;

/// Bytes of shared memory for one loop's buffers.
pub fn room<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    of: Operation<'c>,
    plan: &Plan<'c>,
) -> (u64, u64) {
    let mut positions = HashMap::new();
    number(function, &mut 0, &mut positions);
    let users = uses(function);
    let (start, end) = positions[&address(of)];
    let mut others = 0;
    each_operation(function, &mut |operation| {
        let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation) else {
            return;
        };
        let list = users.get(&key(alloc.result())).into_iter().flatten();
        let places: Vec<_> = list
            .map(|user| {
                positions[&address(ancestor_in(*user, operation.block().map(crate::ffi::block)))]
            })
            .collect();
        let first = places.iter().map(|(first, _)| *first).min();
        let last = places.iter().map(|(_, last)| *last).max();
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        if first <= end && start <= last && !plan.is_copied(alloc.result()) {
            others += stage_bytes(&buffer_layout(cx.context, alloc.result()).1);
        }
    });
    let target = cx.target;
    let warps = int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u64;
    let enough = match plan.multiplies {
        true => WARPS_PER_MULTIPROCESSOR,
        false => WARPS_REDUCING,
    };
    let programs = (enough / warps).max(1);
    let shared = target.shared_bytes_per_multiprocessor / programs;
    let left = |bytes: u64| bytes.saturating_sub(others + LOST);
    (
        left(target.shared_bytes_per_program),
        left(shared.min(target.shared_bytes_per_program)),
    )
}

/// Sets the numbers of stages and of rounds ahead, 0 if there is no room: `room` is what there is at
/// most, and what there is while other programs share the multiprocessor.
pub fn choose(plan: &mut Plan<'_>, (most, shared): (u64, u64)) {
    let bytes: u64 = plan.copies.iter().map(|copy| copy.bytes).sum();
    let fits = |room: u64| (room / bytes.max(1)).min(MOST_STAGES);
    // Two of a program of its own are better than none.
    plan.stages = match fits(shared) {
        0..2 => fits(most).min(2),
        stages => stages,
    };
    // A product that runs on needs its buffer for another round.
    if plan.stages < 3 {
        plan.running.clear();
    }
    let kept = if plan.running.is_empty() { 1 } else { 2 };
    plan.distance = plan.stages.saturating_sub(kept);
}
