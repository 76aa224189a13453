//! How many stages the loops of a function have with a warpgroup that copies for the others, and how
//! registers are shared out between the two.

use super::computed;
use super::epilogue_loads::{self, EpilogueLoad};
use super::plan::{Copy, Plan, Plans};
use super::scheduled::OTHERS_AND_ROWS;
use super::stages::{
    LOST, OTHER_REGISTERS, STAGES_TO_SHARE, WARPS_PER_MULTIPROCESSOR, accumulators,
    accumulators_of_instruction, known_iterations, product_elements,
};
use super::stationary::Stationary;
use super::stores::{BUFFERS, BoxStore};
use crate::diagnostic::remark::NoProducer;
use crate::dialect::TileOp;
use crate::dialect::ops::Load;
use crate::encoding::{Encodings, RARE, buffer_layout, stage_bytes};
use crate::ir::{
    Operation, TileType, Value, address, int_attribute, operations, region_block, results,
};
use crate::layout::mma::THREE_WARPGROUPS;
use crate::layout::warp_boxes::{BOX_ROW_BYTES, BOX_ROWS};
use crate::order::in_any_order;
use crate::shared_memory::{Lives, buffer_alignment};
use crate::{PassContext, each_operation, is_tile};

/// The most stages: copies go on while the others store, so that more are worth having where they are
/// small.
const MOST_STAGES: u64 = 8;

/// The same for small programs that have a multiprocessor for themselves.
const MOST_STAGES_ALONE: u64 = 16;

/// Buffers with which a program shares a multiprocessor whose products wait for each other: another one multiplies meanwhile (H200, attention to chosen blocks, 64 rows, 128 columns:
/// 743 us alone with three, 472 with two and two).
const STAGES_OF_CHAINS: u64 = 2;

/// So few iterations are less work than what is done after them.
const FEW_ITERATIONS: i64 = 4;

/// Threads that copy: one does where TMA copies all, of a warpgroup.
pub const COPYING_THREADS: u64 = 128;

/// Registers of threads that copy pieces, for pointers and positions, of which one follows from the other.
const COPYING_REGISTERS_FOR_PIECES: u64 = 72;

/// Registers of threads that compute what they store, besides what they load for that: places of both, and what is being computed. With
/// fewer, places are kept in memory, and loads come late (H100, attention whose keys are rotated: 1.16 times as long with 88, 1.7 with 72).
const COPYING_REGISTERS_TO_COMPUTE: u64 = 104;

/// So few pieces of a thread, such as those of rows that go with a tile, take no more than boxes do.
const FEW_PIECES: u64 = 4;

/// Pieces of a thread in an iteration at most: places in shared memory take registers, too (128 pieces spilled 316 bytes).
const MOST_PIECES: u64 = 64;

/// Registers that there are at the start have to hold the sums of an instruction and so many others, or `ptxas` refuses it
/// (operands of `wgmma` in registers, sums of 256 columns: 154).
const BESIDES_INSTRUCTION: u64 = 26;

/// Registers of these, for the numbers of programs and the places of boxes; with further boxes after the iterations there are
/// more of both. As little as 32 leave three warpgroups 160 registers for 152; where they leave the others nothing, products
/// are slower (scaled fp8 0.98).
const COPYING_REGISTERS: u64 = 40;
const COPYING_REGISTERS_BESIDE_THREE: u64 = 32;
const COPYING_REGISTERS_WITH_EPILOGUE_LOADS: u64 = 56;

/// Registers of a thread come in so many, and no thread gets more than these (PTX ISA, "setmaxnreg";
/// `ptxas` needs some of 255).
const REGISTERS_AT_ONCE: u64 = 8;
const MOST_REGISTERS: u64 = 240;

/// Shared memory for the two mbarriers of a stage of a channel of copies, and what is lost behind those of all stages.
const MBARRIERS_OF_STAGE: u64 = 2 * 8;
const BEHIND_MBARRIERS: u64 = 2 * 8;

/// Registers of a thread besides what it stores, if threads store: places and masks, which
/// `ptxas` keeps from program to program (a product of 192 x 80 by four warps spilled 200 bytes).
const STORING_REGISTERS: u64 = 128;

/// How programs share a multiprocessor, and threads its registers.
pub struct Share {
    /// Programs on a multiprocessor.
    pub programs: u64,
    /// Registers of a thread when it begins, and of each role.
    pub entry: u64,
    pub producer: u64,
    pub consumers: u64,
    /// Whether all threads that copy do, in pieces.
    pub has_pieces: bool,
    /// The operand that stays for the loop before, of all such, through whose buffer boxes are stored, if one is needed.
    pub staging_operand: Option<usize>,
    /// Buffers of each operand that stays for a loop.
    pub stationary_buffers: u64,
}

impl Share {
    /// Registers if so many programs of so many threads that compute share a multiprocessor, of which those that copy
    /// need some.
    fn of(programs: u64, threads: u64, registers: u64, producer: u64, has_pieces: bool) -> Self {
        let whole = |count: u64| count / REGISTERS_AT_ONCE * REGISTERS_AT_ONCE;
        let all = threads + COPYING_THREADS;
        let entry = whole(registers / programs / all);
        let left = (entry * all).saturating_sub(producer * COPYING_THREADS);
        Self {
            programs,
            entry,
            producer,
            consumers: whole(left / threads).min(MOST_REGISTERS),
            has_pieces,
            staging_operand: None,
            stationary_buffers: 1,
        }
    }
}

/// Pieces that a copying thread has in an iteration, of the loop where it has most.
fn pieces(plans: &Plans<'_>, threads: u64) -> u64 {
    let encodings = Encodings::default();
    let of = |plan: &Plan<'_>| -> u64 {
        let copies = plan.copies.iter();
        let copies = copies.filter(|copy| copy.is_in_pieces());
        let pieces = copies.map(|copy| {
            let registers = encodings.layout(copy.load.pointers()).register_count();
            (registers as u64).div_ceil(copy.vector)
        });
        pieces.sum()
    };
    let most = plans.values().map(of).max().unwrap_or(0);
    most * threads / COPYING_THREADS
}

/// Registers of a thread for all tiles that a loop carries, of the loop where they are most.
fn carried<'c>(function: Operation<'c>, plans: &Plans<'c>) -> u64 {
    let encodings = Encodings::default();
    let registers = |tile: Value<'c>| encodings.registers(tile);
    let mut most = 0;
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) {
            let tiles = results(operation)
                .into_iter()
                .filter(|value| is_tile(*value));
            most = most.max(tiles.map(registers).sum());
        }
    });
    most
}

/// Elements that the products of a loop give, of the loop where they are most.
fn products_of_a_loop(function: Operation<'_>, plans: &Plans<'_>) -> u64 {
    let mut most = 0;
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) {
            most = most.max(product_elements(operation));
        }
    });
    most
}

/// Whether all loops together are known to have few iterations.
fn are_short<'c>(function: Operation<'c>, plans: &Plans<'c>) -> bool {
    let mut count = Some(0_i64);
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) {
            count = count
                .zip(known_iterations(operation))
                .and_then(|(sum, of)| sum.checked_add(of));
        }
    });
    count.is_some_and(|count| count <= FEW_ITERATIONS)
}

/// Registers of a thread for the largest tile that a loop with copies loads where it reads it.
fn read_in_place<'c>(function: Operation<'c>, plans: &Plans<'c>) -> u64 {
    let encodings = Encodings::default();
    let mut most = 0;
    each_operation(function, &mut |operation| {
        let Some(plan) = plans.get(&address(operation)) else {
            return;
        };
        let body = region_block(operation, 0).map(operations);
        for load in body.into_iter().flatten().filter_map(Load::of) {
            let of_producer = plan.computed().flat_map(|computed| &computed.loads);
            let mut copied = plan.copies.iter().map(|copy| &copy.load).chain(of_producer);
            let is_copied = copied.any(|other| other.0 == load.0);
            let rank = TileType::of(load.result()).map_or(0, |tile| tile.shape().len());
            if rank > 1 && !is_copied {
                most = most.max(encodings.layout(load.result()).register_count() as u64);
            }
        }
    });
    most
}

/// Has loops go through one ring whose stages have the same buffers. No such loop is inside of another, so producer and consumers come
/// to them in one order, and a ring goes on from loop to loop. What a loop's ring brings besides its iterations does not.
fn share_rings(plans: &mut Plans<'_>, epilogue_loads: &[EpilogueLoad<'_>]) {
    let brings_more = |of: usize| epilogue_loads.iter().any(|load| load.of == of);
    let all = || plans.iter().filter(|(of, _)| !brings_more(**of));
    let first = |plan: &Plan<'_>| all().find(|(_, other)| other.fills_as(plan));
    let shared: Vec<_> = all()
        .filter_map(|(of, plan)| Some((*of, *first(plan)?.0)))
        .filter(|(of, first)| of != first)
        .collect();
    for (of, first) in shared {
        plans[&of].ring_of = Some(first);
    }
}

/// The copies of all rings.
fn copies_of_rings<'a, 'c>(plans: &'a Plans<'c>) -> impl Iterator<Item = &'a Copy<'c>> {
    let firsts = plans.values().filter(|plan| plan.ring_of.is_none());
    firsts.flat_map(|plan| &plan.copies)
}

/// Sets the numbers of stages of all loops, whose buffers are there at once; or says what is in the way.
pub fn choose<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    plans: &mut Plans<'c>,
    stores: &[BoxStore<'c>],
    epilogue_loads: &[EpilogueLoad<'c>],
    stationary: impl Fn(&Plans<'c>) -> Vec<Stationary<'c>>,
    loads_rows: bool,
) -> Result<Share, NoProducer> {
    share_rings(plans, epilogue_loads);
    let (mut buffers, mut padding) = (Vec::new(), 0);
    each_operation(function, &mut |operation| {
        if let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation)
            && !plans.values().any(|plan| plan.is_copied(alloc.result()))
            && !epilogue_loads::is_replaced(epilogue_loads, operation)
            && !stores
                .iter()
                .any(|store| store.conversion.contains(&address(operation)))
        {
            let bytes = stage_bytes(&buffer_layout(cx.context, alloc.result()).1);
            buffers.push((operation, bytes));
            padding += bytes.next_multiple_of(buffer_alignment(bytes)) - bytes;
        }
    });
    let others: u64 = buffers.iter().map(|(_, bytes)| bytes).sum();
    // Where they do not fit so, a program does not share its multiprocessor, but runs. What stays for a loop is copied while the program before ends.
    let staying = stationary(plans);
    let (kept, rest): (Vec<_>, Vec<_>) = buffers
        .into_iter()
        .partition(|(alloc, _)| staying.iter().any(|one| one.is_in(*alloc)));
    let kept: u64 = kept.iter().map(|(_, bytes)| bytes).sum();
    let others_at_once = kept + Lives::of(function).most_at_once(&rest);
    let bytes: u64 = copies_of_rings(plans).map(|copy| copy.bytes).sum();
    let target = cx.target;
    let warps = int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u64;
    let threads = 32 * warps;
    let staging = match stores.is_empty() {
        true => 0,
        false => BUFFERS * warps * BOX_ROWS * BOX_ROW_BYTES,
    };
    let (mut stored, mut through_shared) = (None, false);
    let encodings = Encodings::default();
    each_operation(function, &mut |operation| {
        let is_box = || {
            let mut all = stores.iter();
            all.any(|store| address(store.store.0) == address(operation))
        };
        if let Some(TileOp::Store(store)) = TileOp::of(operation)
            && !is_box()
            && int_attribute(operation, RARE).is_none()
        {
            // A row of results has few places.
            let registers = TileType::of(store.value())
                .map_or(1, |_| encodings.layout(store.value()).register_count());
            let registers = registers as u64;
            stored = stored.max((registers > FEW_PIECES).then_some(registers));
            // A vector goes from registers to where it belongs.
            through_shared |= TileType::of(store.value()).is_some_and(|ty| ty.shape().len() > 1);
        }
    });
    let has_pieces = plans.values().any(Plan::has_pieces);
    let multiplying =
        accumulators(function) / threads + OTHER_REGISTERS + read_in_place(function, plans);
    let carrying = carried(function, plans) + OTHER_REGISTERS;
    let needed = multiplying
        .max(carrying)
        .max(stored.map_or(0, |registers| registers + STORING_REGISTERS));
    let loaded = plans.values().map(|plan| computed::loaded(plan, warps));
    let loaded = loaded.max().unwrap_or(0);
    let copying = match (has_pieces, epilogue_loads.is_empty()) {
        _ if loaded > 0 => {
            (COPYING_REGISTERS_TO_COMPUTE + loaded).next_multiple_of(REGISTERS_AT_ONCE)
        }
        (true, _) if loads_rows || pieces(plans, threads) > FEW_PIECES => {
            COPYING_REGISTERS_FOR_PIECES
        }
        (_, true) if warps == u64::from(THREE_WARPGROUPS) => COPYING_REGISTERS_BESIDE_THREE,
        (true, true) => COPYING_REGISTERS,
        (true, false) => COPYING_REGISTERS_FOR_PIECES,
        (false, true) => COPYING_REGISTERS,
        (false, false) => COPYING_REGISTERS_WITH_EPILOGUE_LOADS,
    };
    // Without a producer the stages make room for what goes through shared memory, so that two programs share a multiprocessor, and
    // one stores while the other multiplies: that is worth more (H100, gathered rows times experts, 128 x 128: 0.67 of a
    // batched product for 0.49 with a producer; 64 x 256, which has a multiprocessor for itself: 0.82 for 0.92).
    // So do loops whose products wait for each other (state of chunks, 64 x 64: 323 us for 350).
    let only_adds = plans.values().all(|plan| !plan.can_run.is_empty());
    let has_room = 2 * STAGES_TO_SHARE * bytes <= target.shared_bytes_per_multiprocessor;
    // What one product gives is there while another one runs.
    let together = match only_adds {
        true => multiplying,
        false => product_elements(function) / threads + OTHER_REGISTERS,
    };
    // In a loop whose products wait for each other there may be all that they give, which is no reason to do without a producer.
    let waiting = match only_adds {
        true => multiplying,
        false => products_of_a_loop(function, plans) / threads + OTHERS_AND_ROWS,
    };
    let could_share =
        2 * threads * together <= target.registers_per_program && (has_room || !only_adds);
    if has_pieces
        && (!threads.is_multiple_of(COPYING_THREADS) || pieces(plans, threads) > MOST_PIECES)
    {
        return Err(NoProducer::NoRoom);
    }
    let at_once = accumulators_of_instruction(function) + BESIDES_INSTRUCTION;
    // The fewest stages that are worth it, and programs that share a multiprocessor, most first.
    let several = (WARPS_PER_MULTIPROCESSOR / warps).max(2);
    let asked = plans.values().filter_map(|plan| plan.asked).max();
    // Loops that only add products up wait for nothing but copies: small programs are faster one by one, with all of
    // the memory in flight, than two with half of it each (H200, 64 x 128 x 128: 1024 x 1024 x 1024 in bf16 8.1 instead
    // of 8.9 us, 4096 x 4096 x 4096 211 instead of 222 us, 16 x 8192 x 8192 in fp8 27.8 instead of 33.9 us). After few iterations there is more to do than in them, and
    // another program multiplies meanwhile (output of the gated delta rule, loops of two iterations: 112 µs for 153).
    let is_small = only_adds && warps < WARPS_PER_MULTIPROCESSOR && !are_short(function, plans);
    let most = match is_small {
        true => MOST_STAGES_ALONE,
        false => MOST_STAGES,
    };
    let most = most.max(asked.unwrap_or(0));
    let sharing = (several, asked.unwrap_or(STAGES_TO_SHARE));
    let few = (several, asked.unwrap_or(STAGES_OF_CHAINS));
    let choices = match only_adds {
        true => vec![sharing, (1, 2)],
        false => vec![sharing, few, (1, 2)],
    };
    let mut choices = choices.into_iter().skip(usize::from(is_small));
    let fits = |programs: u64, fewest: u64, taken: u64, stage: u64| {
        let room = target.shared_bytes_per_multiprocessor / programs;
        let room = room.min(target.shared_bytes_per_program);
        let stages = room.saturating_sub(taken) / stage.max(1);
        let registers = target.registers_per_program;
        let share = Share::of(programs, threads, registers, copying, has_pieces);
        let is_short = programs > 1 && waiting > share.consumers;
        let fits = needed <= share.consumers && at_once <= share.entry && !is_short;
        (stages >= fewest && fits).then_some((share, stages.min(most)))
    };
    let found = choices.find_map(|(programs, fewest)| {
        let others = if programs > 1 { others_at_once } else { others };
        fits(programs, fewest, others + staging + LOST, bytes)
    });
    // Where that is too much, boxes go through the buffer of an operand that stays. What is lost is counted exactly, as all
    // memory may be taken.
    let through_operand = || {
        let operands = stationary(plans);
        let mut all = operands.iter();
        let holding = all.position(|one| one.can_hold(cx, stores, staging))?;
        let channels = (copies_of_rings(plans).count() + operands.len()) as u64;
        let lost = padding + channels * BEHIND_MBARRIERS;
        let stage = bytes + channels * MBARRIERS_OF_STAGE;
        let (mut share, stages) = fits(1, asked.unwrap_or(2), others + lost, stage)?;
        share.staging_operand = Some(holding);
        Some((share, stages))
    };
    let found = match staging {
        0 => found,
        _ => found.or_else(through_operand),
    };
    let (mut share, stages) = found.ok_or(NoProducer::NoRoom)?;
    // The same is so of loops that only threads copy for, and do nothing but add products up, or load something where it is read (H200, `f16` products 4096 x 4096 x 4096 of
    // rows and columns in any order: 197 us for 296; the second one's places not known to be neighbours: 529 for 870).
    let copies_no_boxes = plans.values().all(|plan| plan.box_bytes().is_none());
    let waits = plans.values().any(|plan| plan.waits);
    let fills_gaps = through_shared || copies_no_boxes && (only_adds || waits);
    // Where two programs share one with a producer as well, that takes nothing from them (H200, gradients of keys of sequences, 64 columns: 0.73
    // of the loop without masks, and 1.05 with a producer).
    if has_pieces && fills_gaps && could_share && share.programs == 1 {
        return Err(NoProducer::ProgramsFillGaps);
    }
    // With a second buffer an operand is there when its program begins: the producer need not wait until the one before has read its own
    // (H100, attention of 64 columns and 1400 to 2000 keys, with products in turn before the loop: 1.04 to 1.06 times as fast).
    if share.staging_operand.is_none() && in_any_order(function) {
        let operands: u64 = stationary(plans).iter().map(|one| one.bytes(cx)).sum();
        let taken = others + staging + LOST + operands;
        if operands > 0 && fits(share.programs, stages, taken, bytes).is_some() {
            share.stationary_buffers = 2;
        }
    }
    for plan in plans.values_mut() {
        plan.stages = plan.asked.unwrap_or(most).min(stages);
        plan.distance = plan.stages;
        plan.fragments = None;
        plan.running = match plan.stages {
            // A product that runs on keeps a second stage.
            0..3 => Vec::new(),
            _ => plan.can_run.clone(),
        };
    }
    Ok(share)
}
