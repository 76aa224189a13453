//! How many buffers a pipelined loop has: as many as hide the latency of memory, as far as shared
//! memory goes.

use super::plan::Plan;
use crate::dialect::STAGES;
use crate::dialect::TileOp;
use crate::encoding::{buffer_layout, stage_bytes};
use crate::facts::constant_of;
use crate::ir::{Operation, TileType, int_attribute, operand};
use crate::layout::Layout;
use crate::layout::mma::warpgroup_columns;
use crate::shared_memory::Lives;
use crate::{PassContext, each_operation, loop_around};

/// The buffers that were asked for.
pub fn asked(function: Operation<'_>, of: Operation<'_>) -> Option<u64> {
    let number = int_attribute(of, STAGES).or_else(|| int_attribute(function, STAGES))?;
    Some(number.max(1) as u64)
}

/// The most buffers: with four, copies are two or three iterations ahead, which is some thousand cycles of
/// products; a load from memory takes less than a thousand.
const MOST_STAGES: u64 = 4;

/// Warps that a multiprocessor should have at least: two for each of its four schedulers. Programs of
/// fewer warps share a multiprocessor, and its memory.
pub const WARPS_PER_MULTIPROCESSOR: u64 = 8;

/// Buffers that a program needs so that it is worth its while to share a multiprocessor: with fewer,
/// memory is waited for.
pub const STAGES_TO_SHARE: u64 = 3;

/// Warps that share a multiprocessor at most where each waits for its own products: four for each scheduler.
const MOST_WARPS: u64 = 16;

/// Registers of a thread besides the sums of a product on `wgmma`, about.
pub const OTHER_REGISTERS: u64 = 60;

/// Shared memory that the hardware takes of each program's, and that is lost between buffers.
pub const LOST: u64 = 2048;

/// Bytes of shared memory for one loop's buffers.
pub struct Room {
    /// If the program has a multiprocessor for itself.
    alone: u64,
    /// If it shares one with as many as it has to, so that there are warps enough.
    shared: u64,
    /// If it shares one with one program more than it has to, whose products run while this one waits; `None` if the registers
    /// of all do not fit.
    paired: Option<u64>,
    /// If more share one than have to, the most first: where each warp waits for its own products, others fill the gaps.
    at_higher_occupancy: Vec<u64>,
}

/// What there is for a loop's buffers besides those that live at the same time.
pub fn room<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    of: Operation<'c>,
    plan: &Plan<'c>,
    has_chain: bool,
) -> Room {
    let lives = Lives::of(function);
    let (start, end) = lives.within(of);
    let mut others = Vec::new();
    each_operation(function, &mut |operation| {
        let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation) else {
            return;
        };
        let (first, last) = lives.span(operation);
        if first <= end && start <= last && !plan.is_copied(alloc.result()) {
            let bytes = stage_bytes(&buffer_layout(cx.context, alloc.result()).1);
            others.push((operation, bytes));
        }
    });
    let at_once = lives.most_at_once(&others);
    let others = others.iter().map(|(_, bytes)| bytes).sum();
    let target = cx.target;
    let warps = int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u64;
    let programs = (WARPS_PER_MULTIPROCESSOR / warps).max(1);
    let besides = |programs: u64, others: u64| {
        let share = target.shared_bytes_per_multiprocessor / programs;
        let bytes = share.min(target.shared_bytes_per_program);
        bytes.saturating_sub(others + LOST)
    };
    let left = |programs| besides(programs, others);
    let sums = accumulators(function);
    let threads = 32 * warps;
    let registers = threads * (sums / threads + OTHER_REGISTERS);
    // H200, tiles of 64 x 128 of four warps, three programs with three stages each for two with four: `experts`, 512 tokens by 8 experts from 130 to 106 us,
    // 4096 by 64 from 252 to 231, 4096 by 8 from 578 to 595; Unsloth's grouped product by 396 programs from 425 to 284, by 264 from 332 to 322.
    let of_all = (programs + 1) * registers;
    let is_paired = sums > 0 && programs <= 2 && of_all <= target.registers_per_program;
    let most = match has_chain && sums == 0 {
        true => {
            let each = threads * (product_elements(of) / threads + OTHER_REGISTERS);
            (MOST_WARPS / warps).min(target.registers_per_program / each)
        }
        false => 0,
    };
    Room {
        alone: left(1),
        shared: left(programs),
        paired: is_paired.then(|| left(programs + 1)),
        at_higher_occupancy: (programs + 1..=most)
            .rev()
            .map(|programs| besides(programs, at_once))
            .collect(),
    }
}

/// Elements that the products in an operation give.
pub fn product_elements(of: Operation<'_>) -> u64 {
    let mut elements = 0;
    each_operation(of, &mut |operation| {
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation) {
            let shape = TileType::of(dot.result()).map(TileType::shape);
            elements += shape.unwrap_or_default().iter().product::<u64>();
        }
    });
    elements
}

/// Sums of a thread that are made apart at a time, of one instruction: see `apart` of `tile.dot`.
const SUMS_APART: u64 = 64;

/// Sums of the largest product on `wgmma`, with those that are made apart.
pub fn accumulators(function: Operation<'_>) -> u64 {
    let threads = 32 * int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u64;
    let mut most = 0;
    each_operation(function, &mut |operation| {
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation)
            && dot.path() == "wgmma"
        {
            let shape = TileType::of(dot.result()).map(TileType::shape);
            let elements = shape.unwrap_or_default().iter().product::<u64>();
            let apart = match int_attribute(dot.0, "apart") {
                Some(_) => elements.min(SUMS_APART * threads),
                None => 0,
            };
            most = most.max(elements + apart);
        }
    });
    most
}

/// Sums of a thread that one instruction `wgmma` has, at most.
pub fn accumulators_of_instruction(function: Operation<'_>) -> u64 {
    let warps = int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u32;
    let mut most = 0;
    each_operation(function, &mut |operation| {
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation)
            && dot.path() == "wgmma"
            && let Some([rows, columns]) =
                TileType::of(dot.result()).map(TileType::shape).as_deref()
        {
            let [_, along] = Layout::warpgroup_grid([*rows, *columns], warps);
            let columns = columns / u64::from(along);
            most = most.max(warpgroup_columns(columns, false).unwrap_or(columns) / 2);
        }
    });
    most
}

/// How many iterations a loop has that is in no other one, if that is known.
pub fn known_iterations(of: Operation<'_>) -> Option<i64> {
    let [first, end, step] = [0, 1, 2].map(|number| constant_of(operand(of, number)));
    if loop_around(of).is_some() {
        return None;
    }
    let distance = end?.checked_sub(first?)?.max(0);
    let step = step.filter(|step| *step > 0)?;
    distance.checked_add(step - 1)?.checked_div(step)
}

/// Sets the numbers of stages and of iterations ahead, 0 if there is no room. `iterations` are those of the loop, if they are known.
pub fn choose(plan: &mut Plan<'_>, room: &Room, iterations: Option<i64>) {
    let bytes: u64 = plan.copies.iter().map(|copy| copy.bytes).sum();
    plan.running.clone_from(&plan.can_run);
    // What is realigned has buffers besides.
    let realigned = plan.realigned_bytes();
    let left = |room: u64, stages: u64| room.saturating_sub(stages * realigned) / bytes.max(1);
    let all_realigned = plan.copies.iter().all(|copy| copy.realigned.is_some());
    if all_realigned && left(room.alone, 2) < 2 {
        plan.running.clear();
    }
    let turns = plan.realigned_stages();
    // A product that runs on needs one more than there are iterations.
    let useful = iterations.map(|all| all as u64 + u64::from(!plan.can_run.is_empty()));
    let most = useful.map_or(MOST_STAGES, |useful| useful.clamp(2, MOST_STAGES));
    let fits = |room: u64| left(room, turns).min(most);
    let to_share = STAGES_TO_SHARE.min(most);
    let paired = room.paired.map(fits).filter(|fit| *fit >= to_share);
    let raises_occupancy = room.at_higher_occupancy.iter().any(|room| fits(*room) >= 2);
    plan.stages = match (plan.asked, paired.unwrap_or_else(|| fits(room.shared))) {
        (Some(asked), _) => left(room.alone, turns).min(asked),
        (None, _) if raises_occupancy => 2,
        // Two of a program of its own are better than none.
        (None, 0..2) => fits(room.alone).min(2),
        (None, stages) => stages,
    };
    // A product that runs on needs its buffer for another iteration. Where another program's products fill
    // the gaps, a copy that is an iteration further ahead is worth more.
    let is_paired = paired.is_some() && plan.asked.is_none();
    let few = if all_realigned { 2 } else { 3 };
    if plan.stages < few || plan.stages < MOST_STAGES && is_paired {
        plan.running.clear();
    }
    // What is realigned is read before the products.
    let kept = if plan.running.is_empty() || all_realigned {
        1
    } else {
        2
    };
    plan.distance = plan.stages.saturating_sub(kept);
}
