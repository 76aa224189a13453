//! How many programs of a kernel should run on a multiprocessor at once, where `ptxas` does not see it.
//!
//! `ptxas` orders instructions for as many threads as it thinks worth having, and to save registers it starts
//! a load of a loop only when the one before it has come and is used up: column sums of `bf16` ran at 0.82 of the
//! copy for it. Told how many blocks there will be (PTX ISA, `.minnctapersm`), it takes the registers that are then
//! free, and starts all loads of a round together.
//!
//! Where a row is in registers and what all programs share is loaded late (`sink`), it takes a few registers more than
//! it needs, and a program less fits: layer norm of 5000 columns ran at 0.93 of the copy for 0.97.
//!
//! Of loops that follow each other it computes before the first one where all of them load: nine of a convolution took 184 registers for
//! 128, and the second program that works while the first one begins a loop did not fit.

use std::collections::HashSet;

use melior::ir::ValueLike;
use melior::ir::r#type::TypeLike;

use super::cluster::CLUSTER;
use super::math;
use crate::dialect::ops::Load;
use crate::dialect::{KEPT, SHARED_BYTES, TileOp};
use crate::encoding::Encodings;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, int_attribute, key, name, operand, operands, operations,
    region_block, results,
};
use crate::layouts::AT_ONCE;
use crate::layouts::spread::is_known_anywhere;
use crate::pipeline::COPYING_WARPS;
use crate::target::Target;
use crate::{each_operation, is_tile};

/// Registers of a thread for addresses, counters, masks and what is computed between.
const BESIDES: u64 = 24;

/// The same where late loads have registers as well.
const BESIDES_LATE: u64 = 40;

/// The same where they make two programs of one, which do not wait at the same time: few are then kept in memory, or
/// none (rows of 16384 elements of `f32` on an H200, of the copy: softmax 0.96 for 0.765, layer norm 0.93 for 0.88).
const BESIDES_SECOND: u64 = 32;

/// The same for the block of a cluster that reduces a row: on an H200 two of 16384 elements of `bf16` are worth the few
/// registers that are then kept in memory (of the copy: softmax 0.54 for 0.37, RMS norm 0.67 for 0.51).
const BESIDES_CLUSTERED: u64 = 32;

/// Threads that a multiprocessor should have at least: the others work while some wait.
const FEWEST_THREADS: u64 = 512;

/// Blocks of a multiprocessor at most.
const MOST_BLOCKS: u64 = 32;

/// Registers beyond which `ptxas` would have to keep some in memory for [`FEWEST_THREADS`] (it needs fewer
/// than are counted here, where values are not all in use at once).
const MOST_REGISTERS: u64 = 168;

/// Loops with products from which on what is computed before all of them takes registers.
const MANY_LOOPS: usize = 3;

/// Registers of a thread that such loops should have besides their accumulators: what does not fit is kept in memory (a convolution of 3 x 3 whose
/// 256 threads have 64 more: 100 bytes, and 79 us for 110 on an H200).
const BESIDES_ACCUMULATORS: u64 = 56;

/// The fewest blocks for a function, `None` where it has no loop that this is about.
pub(super) fn blocks(
    function: Operation<'_>,
    encodings: &Encodings,
    target: &Target,
    threads: u64,
) -> Option<u64> {
    if let Some(programs) = int_attribute(function, AT_ONCE) {
        return Some(programs as u64);
    }
    if let Some(programs) = of_many_loops(function, encodings, target, threads) {
        return Some(programs);
    }
    let (mut needed, mut row, mut is_late, mut is_plain) = (None, 0, false, true);
    let (mut reduces, mut multiplies) = (false, false);
    // Without pointers, of which there is one for each vector, or fewer.
    let (mut values, mut is_single) = (0, false);
    each_operation(function, &mut |operation| {
        if name(operation) == "scf.for" {
            needed = needed.max(registers(operation, encodings, target));
        }
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) => {
                is_late |= int_attribute(load.0, "late").is_some();
                // What is loaded alone is in a register alone.
                let is_alone = int_attribute(load.0, "vector").unwrap_or(1) == 1;
                is_single |= is_tile(load.result()) && is_alone;
            }
            None | Some(TileOp::Store(_)) => {}
            Some(TileOp::Dot(_)) => multiplies = true,
            // Reductions of several dimensions keep partial results that are not counted here.
            Some(TileOp::Reduce(_)) => {
                let tiles = operands(operation).into_iter().filter_map(TileType::of);
                is_plain &= tiles.map(TileType::shape).all(|shape| shape.len() == 1);
                reduces = true;
            }
            Some(other) => is_plain &= !keeps_more(&other),
        }
        if !is_index(operation) {
            let tiles = results(operation)
                .into_iter()
                .filter(|value| is_tile(*value));
            for value in tiles {
                row = row.max(encodings.registers(value));
                if !is_pointer(value) {
                    values = values.max(encodings.registers(value));
                }
            }
        }
    });
    // Products keep what is not counted here: all that is there at once, and the operands of several instructions.
    if multiplies {
        return None;
    }
    // Rows of several blocks.
    let kept = int_attribute(function, KEPT).map_or(0, |kept| kept.unsigned_abs() / threads);
    (row, values) = (row.max(kept), values.max(kept));
    let is_clustered = int_attribute(function, CLUSTER).is_some_and(|blocks| blocks > 1);
    if needed.is_none() && is_plain {
        let fit = |registers: u64| target.registers_per_program / (threads * registers);
        let is_second = fit(values + BESIDES_LATE) < 2 && fit(values + BESIDES_SECOND) == 2;
        if reduces && is_second && !is_clustered && !is_single {
            return Some(2);
        }
        needed = match (is_clustered, is_late) {
            (true, _) => Some(values + BESIDES_CLUSTERED).filter(|_| !is_single),
            (false, true) => Some(row + BESIDES_LATE),
            (false, false) => None,
        };
    }
    let needed = needed.filter(|needed| *needed <= MOST_REGISTERS)?;
    let fit = target.registers_per_program / (threads * needed.next_multiple_of(8));
    let most = u64::from(target.threads_per_multiprocessor) / threads;
    Some(
        fit.max(FEWEST_THREADS.div_ceil(threads))
            .min(most.min(MOST_BLOCKS)),
    )
}

/// Two, where a function has many loops with products, the same threads copy and multiply, and there is room for two programs.
fn of_many_loops(
    function: Operation<'_>,
    encodings: &Encodings,
    target: &Target,
    threads: u64,
) -> Option<u64> {
    if int_attribute(function, COPYING_WARPS).is_some_and(|warps| warps > 0) {
        return None;
    }
    let (mut loops, mut accumulators) = (0, 0);
    each_operation(function, &mut |operation| {
        let body = region_block(operation, 0).filter(|_| name(operation) == "scf.for");
        let inside = body.map(operations).unwrap_or_default();
        let multiplies = |inner: &Operation<'_>| matches!(TileOp::of(*inner), Some(TileOp::Dot(_)));
        if inside.iter().any(multiplies) {
            loops += 1;
            let carried = results(operation).into_iter();
            accumulators = accumulators.max(carried.map(|value| encodings.registers(value)).sum());
        }
    });
    let shared = int_attribute(function, SHARED_BYTES).map_or(0, i64::unsigned_abs);
    let registers = target.registers_per_program / (2 * threads);
    let all = target.shared_bytes_per_multiprocessor;
    let reserved = all - target.shared_bytes_per_program;
    let fit = 2 * (shared + reserved) <= all && registers >= accumulators + BESIDES_ACCUMULATORS;
    (loops >= MANY_LOOPS && fit).then_some(2)
}

/// Whether an operation keeps more registers than its operands and results have, or copies.
fn keeps_more(operation: &TileOp<'_>) -> bool {
    matches!(
        operation,
        TileOp::AsyncCopy(_)
            | TileOp::Dot(_)
            | TileOp::Exchange(_)
            | TileOp::SharedExchange(_)
            | TileOp::Scan(_)
            | TileOp::Map(_)
    )
}

/// Registers that a loop needs that loads and does not multiply, about.
fn registers(operation: Operation<'_>, encodings: &Encodings, target: &Target) -> Option<u64> {
    let body = operations(region_block(operation, 0)?);
    let (mut loads, mut is_plain) = (0, true);
    let mut places = HashSet::new();
    each_operation(operation, &mut |inner| match TileOp::of(inner) {
        Some(TileOp::Load(load)) if is_tile(load.result()) => {
            loads += encodings.loaded_registers(load);
            if let Some(place) = computed_places(load)
                && places.insert(key(place))
            {
                loads += encodings.registers(place);
            }
        }
        Some(other) if keeps_more(&other) => is_plain = false,
        // Instructions are the bound then, and warps matter more than loads that are under way (H200, Jensen-Shannon divergence of
        // 2048 x 32000, with logarithms: 163 us for 141).
        _ => is_plain &= !crate::ir::is_loop(inner) && !math::is_polynomial(inner),
    });
    if loads == 0 || !is_plain {
        return None;
    }
    let carried: u64 = results(operation)
        .into_iter()
        .map(|value| encodings.registers(value))
        .sum();
    // Of the others `ptxas` needs three quarters.
    let held = from_outside(operation, encodings) * MOST_REGISTERS * FEWEST_THREADS
        / target.registers_per_program;
    Some(BESIDES + loads + carried + held + kept(&body, encodings))
}

/// Where elements are that come one by one, if each place has to be computed: by quotients, or of what was loaded.
fn computed_places(load: Load<'_>) -> Option<Value<'_>> {
    let from = defining_operation(load.pointers())?;
    let is_alone = int_attribute(load.0, "vector").unwrap_or(1) == 1;
    let is_moved = is_alone && matches!(TileOp::of(from), Some(TileOp::PointerOffset(_)));
    let place = is_moved.then(|| operand(from, 1))?;
    (is_tile(place) && !is_known_anywhere(place)).then_some(place)
}

/// Registers of tiles that were computed before a loop and are used in it.
fn from_outside(of: Operation<'_>, encodings: &Encodings) -> u64 {
    let (mut made, mut used) = (HashSet::new(), HashSet::new());
    let mut registers = 0;
    each_operation(of, &mut |inner| {
        for value in operands(inner) {
            let is_held = is_tile(value)
                && !is_pointer(value)
                && defining_operation(value).is_some_and(|from| !is_cheap(from))
                && !made.contains(&key(value))
                && used.insert(key(value));
            if is_held {
                registers += encodings.registers(value);
            }
        }
        made.extend(results(inner).into_iter().map(key));
    });
    registers
}

/// Whether an operation gives indices or masks, or the same number everywhere.
fn is_cheap(operation: Operation<'_>) -> bool {
    is_index(operation)
        || name(operation) == "arith.constant"
        || matches!(TileOp::of(operation), Some(TileOp::Splat(_)))
}

/// Registers of what is computed or brought before the first reduction of a loop's body and used after it.
fn kept(body: &[Operation<'_>], encodings: &Encodings) -> u64 {
    let reduces =
        |operation: &Operation<'_>| matches!(TileOp::of(*operation), Some(TileOp::Reduce(_)));
    let first = body.iter().position(reduces).unwrap_or(body.len());
    let (before, after) = body.split_at(first);
    let used: HashSet<_> = after
        .iter()
        .flat_map(|operation| operands(*operation))
        .map(key)
        .collect();
    let computed = before
        .iter()
        .filter(|operation| name(**operation).starts_with("arith.") && !is_index(**operation))
        .flat_map(|operation| results(*operation));
    computed
        .filter(|value| used.contains(&key(*value)))
        .map(|value| encodings.registers(value))
        .sum()
}

/// Whether an operation gives integers, which are mostly indices and masks that vectors share.
fn is_index(operation: Operation<'_>) -> bool {
    results(operation).first().is_some_and(|value| {
        let element = crate::ir::element_type(value.r#type());
        element.is_integer() || element.is_index()
    })
}

fn is_pointer(value: Value<'_>) -> bool {
    let element = crate::ir::element_type(value.r#type());
    element.to_string().starts_with("!tile.ptr")
}
