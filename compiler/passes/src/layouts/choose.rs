//! Which layout a memory access wants, and how many warps a program has.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::alone::{BESIDES_ROW, ROWS_AT_ONCE, reduces_one_row};
use super::shape_of;
use super::spread::{is_known_anywhere, scattered as scattered_loads};
use super::widths::Neighbours;
use crate::diagnostic::remark::WarpsFor;
use crate::dialect::ops::{Dot, Load};
use crate::dialect::{ROW, TileOp, WINDOW};
use crate::encoding::RARE;
use crate::facts::{self, FactAnalysis, Facts, pointee_bytes};
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, TileType, Value, address, arguments, int_attribute, ints_attribute, key, name,
    operands, operations, region_block, results,
};
use crate::late_reductions::late;
use crate::layout::Layout;
use crate::layout::copy::NARROWEST_COPY;
use crate::layout::mma::{THREE_WARPGROUPS, WARPGROUP_M};
use crate::target::{Target, WIDEST_ACCESS};
use crate::{
    each_operation, element_bits, element_bytes, in_loop, is_positive_zero, is_tile, reads_product,
    tile_bytes, uses,
};

/// Bytes of the widest access that one thread should have in a kernel that only computes element by
/// element: two 16-byte vectors keep enough bytes in flight.
const BYTES_PER_THREAD: u64 = 32;

/// Accesses of a thread to a tile of which each moves few bytes: with 32 for a tile of bytes few threads fit (H200, grey of the bytes of three colours side by side: 293
/// to 190 us; a median of nine bytes in rows of 16383: 837 to 673, a stencil there 453 to 520; with 8 those of `bf16` take 1.04 to 1.3 times as long).
const NARROW_ACCESSES: u64 = 16;

/// The same where a loop carries a tile that it makes of what it loads, and at most so many warps for it. With half of the registers for an iteration twice as many
/// iterations are on their way, and a step is half as long (H200, 256 means of up to 512 rows of 1024 `bf16`: 142 to 65 us, moving
/// averages 458 to 312; with programs for all of a GPU 0.97 to 1.08 times as fast). What is reduced after the loop changes nothing (norms of rows in chunks
/// of 1024, 64 to 16384 rows: 0.91 to 1.9 times as fast as with what a reduction wants).
const BYTES_PER_THREAD_CARRIED: u64 = 16;
const WARPS_CARRYING: u64 = 8;

/// Elements per thread of a kernel that reduces: shuffles and the exchange between warps cost every
/// thread the same, so each should have many elements to share them; more than these take so many
/// registers that fewer threads fit. On an H200 32 are best or within 2 % of it for softmax, layer and
/// RMS norm of 1024 to 16384 columns, f32, f16 and bf16 (`benches/results/warps-h200-2026-11-21.md`).
/// What a loop carries takes registers besides, and half as much of the rest.
const ELEMENTS_PER_THREAD_REDUCING: u64 = 32;

/// The same where all reductions are along columns, of which a thread has several side by side: what warps exchange is as many tiles of these
/// as there are warps (H200, softmax and norms along the first of two dimensions, 4096 to 16384 elements: 1.01 to 2.1 times as fast as with 32).
const ELEMENTS_PER_THREAD_ACROSS: u64 = 64;

/// The same for a loop that loads in each iteration, and reduces what it carries: all warps wait for each other in each of
/// them, so that fewer are faster (H100: the delta rule token by token with states of 128 x 32 and 128 x 64 1.14 and 1.37
/// times as fast as with 32, inverses of triangles of 64 x 64 1.18). Without loads there is nothing else to wait for (rows and
/// columns of 64 x 64 brought to sums of 1 by turns: 0.79).
const CARRIED_PER_THREAD: u64 = 64;

/// And where a warp has all that is reduced to one, a short last dimension, so that none waits for another: more of them
/// hide what each waits for (selective scans with 16 states of 64 and 128 channels 1.9 and 1.14 times as fast as with 32).
const CARRIED_PER_THREAD_OF_A_WARP: u64 = 16;

/// Instructions for each element in a loop from which on a reduction costs little beside them, and elements per thread then: an exchange
/// between warps is hidden by what they compute (H200, the largest of 64, 256, 4096 and 16384 rows of logits with random noise, in blocks of 1024: 4.9,
/// 3.2, 1.7 and 1.06 times as fast as with 32).
const MANY_INSTRUCTIONS: u64 = 64;
const ELEMENTS_PER_THREAD_OF_MANY_INSTRUCTIONS: u64 = 4;

/// Warps from which on a barrier costs more than the registers of twice as many elements per thread
/// (measured there at 32768 columns).
const WARPS_REDUCING: u64 = 16;

/// Bytes of a row from which on it has [`WARPS_REDUCING`] warps, however few elements that leaves for each thread, where
/// it is loaded in vectors: 8192 columns of `f32` on an H200, of the copy, with 16 elements per thread for 32: layer norm
/// 0.983 for 0.973, RMS norm 0.994 for 0.970, softmax 0.986 for 0.970; at 4096 columns 0.5 to 1 % less.
const BYTES_OF_WIDE_ROW: u64 = 32 << 10;

/// Elements that one block of [`WARPS_REDUCING`] warps can hold in registers. Only longer rows are spread
/// over a cluster: its barriers take so much longer that two blocks of half a row are slower than one of
/// a whole row (16384 columns of `bf16`, of the copy: softmax 0.66 for 0.86, RMS norm 0.77 for 0.97). Sums of columns are
/// not spread at all (H200, `f16`, blocks of 1024 x 64: 64 columns by 64 258 to 45 us, those of 2048 x 64 560 to 90).
const ELEMENTS_PER_BLOCK: u64 = 32 * 64 * WARPS_REDUCING;

/// Warps of a block of a cluster at least.
const WARPS_OF_CLUSTERED_BLOCK: u64 = 8;

/// Elements of a thread where all that a program multiplies is small: so few are worth no barriers among warps (H200, inverses of triangles of 64 x 64 by blocks
/// of 16: 106 µs with a warp, 148 with two and 137 with four; blocks of 16 x 16 beside the diagonal of gated linear attention, 32 and 64 columns at a time: 109, 116 and
/// 128 µs, and 124, 121 and 133).
const ELEMENTS_OF_SMALL_PRODUCT: u64 = 16;

/// Elements per thread that a kernel that sorts should have at most: each is compared in every one of
/// many steps, and in most steps stays in its warp whatever the number of warps.
const SORTED_PER_THREAD: u64 = 8;

/// Accumulator elements of a dot per warp: 128 x 128 on 8 warps is 64 registers per thread.
const ACCUMULATORS_PER_WARP: u64 = 2048;

/// The same for a kernel whose only product is by `mma`: 64 x 64 read from shared memory half of what 64 x 32
/// read for each product, and two blocks of 4 warps fit a multiprocessor, which do not wait at the same time
/// (bf16, 4096 x 4096 x 4096 on an H200: 450 instead of 360 TFLOP/s).
const ACCUMULATORS_PER_WARP_ALONE: u64 = 4096;

/// Warps of products that wait for each other, two warpgroups with 64 rows each: two such programs share a multiprocessor, and
/// sixteen warps hide what eight of twice as many accumulators wait for (H100, tiles of 128 x 64 with 64 columns: attention 1.04 to
/// 1.1 times as fast, gated units 1.29, gradients of queries 1.35 to 1.55). That takes stores by TMA: threads that store
/// have places and masks in registers, so that one program fits, which is slower (variable lengths 0.85).
const CHAINED_WARPS: u64 = 8;
const CHAINED_ROWS: u64 = 128;

/// Rows of products that three warpgroups compute, if they wait for each other or are reduced: each has 64, and needs nothing of
/// another one. While one computes, the products of two others keep tensor cores busy (H100, attention of 64 columns: 192 x 128 is 1.13 to
/// 1.18 times as fast as 128 x 128 with 4096 and 8192 keys, 1.07 with 2048).
const ROWS_OF_THREE_WARPGROUPS: u64 = 3 * WARPGROUP_M;

/// Registers of a thread that sums of `wgmma` may take: they stay where they are, and little else is
/// needed besides (`ptxas` needs 32).
const SUMS_PER_THREAD: u64 = 192;

/// The same of all accumulators that a loop carries, if there are several: what becomes of one after the loop is computed beside the others
/// (H100, gradients of chunks of 64 rows, of which a thread of four warps had 160 and spilled 1744 bytes: 1.9 times as fast with eight).
const CARRIED_ACCUMULATORS_PER_THREAD: u64 = 128;

/// Registers of a thread that tiles beside the products of a loop may take, with what these give: a loop that adds up by itself what it makes of
/// two products, and of a tile from before it, has all of that at once (H200, gradients of a bias that a batch shares, 64 x 128: 140 to 118 us).
const BESIDE_PRODUCTS_PER_THREAD: u64 = 216;

/// How many warps a program has.
pub struct Warps {
    /// All of them.
    pub warps: u32,
    /// Blocks that they are spread over; each has as many.
    pub cluster: u32,
    /// Programs that should fit on a multiprocessor, where that is for `ptxas` to know.
    pub at_once: Option<u64>,
    /// Why.
    pub why: WarpsFor,
}

/// The number of warps per program, and why.
pub fn warps<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>, target: &Target) -> Warps {
    if let Some(asked) = crate::ir::int_attribute(function, "tile.warps") {
        return Warps {
            warps: asked as u32,
            cluster: 1,
            at_once: None,
            why: WarpsFor::Asked,
        };
    }
    let mut product = 0;
    let (mut products, mut copied) = (0, 0);
    let mut sums = 0;
    let mut carried_accumulators: HashMap<usize, u64> = HashMap::new();
    let (mut all_sums, mut fewest_rows, mut stores_boxes) = (0, u64::MAX, true);
    let mut has_three_warpgroups = true;
    let mut bytes = 0;
    let mut elements = 0;
    let mut largest = 0;
    let mut sorted = 0;
    let mut carried = 0;
    let (lies_apart, mut scattered) = (scattered_loads(function, facts), 0);
    let (mut reduces, mut reduces_in_loop, mut is_row) = (false, false, true);
    let late = late(function);
    // Whether all reductions are along columns.
    let mut is_across = true;
    let mut note = |value: Value<'_>| {
        if let Some(tile) = TileType::of(value) {
            largest = largest
                .max(tile.shape().iter().product::<u64>() * element_bits(value.r#type()) / 8);
        }
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        None if name(operation) == "scf.for" => {
            let words = |value| padded_elements(value) * element_bits(value.r#type()) / 32;
            carried = carried.max(results(operation).into_iter().map(words).sum());
        }
        Some(TileOp::Dot(dot)) => {
            let elements =
                TileType::of(dot.result()).map_or(0, |tile| tile.shape().iter().product());
            product = product.max(elements);
            products += 1;
            copied += u32::from(dot.path() == "mma" && is_copied(dot, facts));
            if dot.path() == "wgmma" {
                sums = sums.max(elements);
                if let Some(owner) = argument_owner(dot.accumulator()) {
                    *carried_accumulators.entry(address(owner)).or_default() += elements;
                }
                all_sums += elements;
                let rows = TileType::of(dot.result()).map_or(0, |tile| tile.shape()[0]);
                fewest_rows = fewest_rows.min(rows);
                has_three_warpgroups &= rows == ROWS_OF_THREE_WARPGROUPS;
            } else {
                note(dot.result());
            }
        }
        Some(TileOp::Load(load)) => {
            note(load.result());
            bytes = bytes.max(tile_bytes(load.result()));
            elements = elements.max(padded_elements(load.result()));
            if lies_apart.contains(&key(load.result())) {
                scattered = scattered.max(padded_elements(load.result()));
            }
            if let Some(tile) = TileType::of(load.result()) {
                is_row &= tile.shape().len() == 1 && widest_along(load, facts).is_some();
            }
        }
        Some(TileOp::Reduce(_) | TileOp::Scan(_)) => {
            reduces = true;
            reduces_in_loop |= in_loop(operation) && !late.contains(&address(operation));
            is_across &= TileOp::of(operation).is_some_and(|of| reduces_across(&of));
            // What is computed in registers may be larger than all that is loaded.
            for operand in operands(operation) {
                note(operand);
                elements = elements.max(padded_elements(operand));
            }
        }
        Some(TileOp::Exchange(exchange)) => {
            note(exchange.result());
            let elements =
                TileType::of(exchange.result()).map_or(0, |tile| tile.shape().iter().product());
            sorted = sorted.max(elements);
        }
        Some(TileOp::Store(store)) => {
            note(store.value());
            stores_boxes &= !is_matrix(store.value())
                || int_attribute(store.0, RARE).is_some()
                || ints_attribute(store.0, "kinds")
                    .is_some_and(|kinds| store.starts().len() == kinds.len());
            bytes = bytes.max(tile_bytes(store.value()));
            elements = elements.max(padded_elements(store.value()));
        }
        _ => {}
    });
    // Rows of several blocks are in registers of all threads together.
    let row = int_attribute(function, ROW).map(i64::unsigned_abs);
    // Blocks of a cluster would exchange all columns, which takes longer than a block that goes over more of them.
    let is_large = reduces && elements > ELEMENTS_PER_BLOCK;
    let streams = is_large && reduces_as_it_loads(function);
    let held = if streams { bytes } else { 2 * largest };
    let is_block =
        is_large && held <= 4 * target.registers_per_program && reduces_columns(function);
    if is_block && streams {
        // No thread has all of its part at once, so that it asks for no more threads.
        largest = 0;
    }
    if is_large && row.is_none() && !is_block && may_be_clustered(function) {
        let clustered = elements / (32 * ELEMENTS_PER_THREAD_REDUCING * WARPS_OF_CLUSTERED_BLOCK);
        let cluster = (clustered.next_power_of_two() as u32).min(target.blocks_per_cluster);
        if cluster > 1 {
            let all = (elements / (32 * ELEMENTS_PER_THREAD_REDUCING)).next_power_of_two();
            let each = (all / u64::from(cluster)).clamp(WARPS_OF_CLUSTERED_BLOCK, 32) as u32;
            return Warps {
                warps: each * cluster,
                cluster,
                at_once: None,
                why: WarpsFor::Reduced { elements },
            };
        }
    }
    let alone = (products, copied) == (1, 1);
    let is_chained = || {
        2 * product <= ACCUMULATORS_PER_WARP * CHAINED_WARPS
            && all_sums >= ACCUMULATORS_PER_WARP * CHAINED_WARPS
            && fewest_rows >= CHAINED_ROWS
            && stores_boxes
            && has_chain(function)
    };
    let is_wide = reduces
        && is_row
        && carried == 0
        && bytes >= BYTES_OF_WIDE_ROW
        && elements < 32 * ELEMENTS_PER_THREAD_REDUCING * WARPS_REDUCING;
    let (wanted, why) = if sorted > 0 {
        (
            (sorted / (32 * SORTED_PER_THREAD)).clamp(1, 32),
            WarpsFor::Sorted { elements: sorted },
        )
    } else if product > 0
        && product <= sums
        && has_three_warpgroups
        && (reduces || has_chain(function))
    {
        return Warps {
            warps: THREE_WARPGROUPS,
            cluster: 1,
            at_once: None,
            why: WarpsFor::ThreeWarpgroups,
        };
    } else if product > 0 && product <= sums && is_chained() {
        (CHAINED_WARPS, WarpsFor::Chained { elements: all_sums })
    } else if product > 0 {
        let each = match alone {
            true => ACCUMULATORS_PER_WARP_ALONE,
            false => ACCUMULATORS_PER_WARP,
        };
        let fewest = match sums {
            0 => (product.max(elements) / (32 * ELEMENTS_OF_SMALL_PRODUCT)).clamp(1, 4),
            _ => 4,
        };
        // What is loaded where it is read has registers beside the sums, and so have its places.
        (
            ((product + scattered) / each).clamp(fewest, 8),
            WarpsFor::Product { elements: product },
        )
    } else if is_wide {
        (WARPS_REDUCING, WarpsFor::ReducedRow { bytes })
    } else if let Some(each) = carried_per_thread(function) {
        (
            (elements.max(carried) / (32 * each)).clamp(1, WARPS_REDUCING),
            WarpsFor::Reduced { elements },
        )
    } else if reduces {
        let all = row.map_or(elements, |row| row.max(elements)) + carried / 2;
        let each = if is_across && carried < elements {
            ELEMENTS_PER_THREAD_ACROSS
        } else if instructions_per_element(function, elements) >= MANY_INSTRUCTIONS {
            ELEMENTS_PER_THREAD_OF_MANY_INSTRUCTIONS
        } else {
            ELEMENTS_PER_THREAD_REDUCING
        };
        // What only ends a loop costs no barrier in it; of what is reduced as it is loaded each thread should have many elements none the less.
        let fewest = match reduces_in_loop || !late.is_empty() && carried < elements {
            true => 1,
            false => warps_carrying(function, bytes),
        };
        (
            (all / (32 * each)).max(fewest).clamp(1, WARPS_REDUCING),
            WarpsFor::Reduced { elements },
        )
    } else {
        let fewest = warps_carrying(function, bytes);
        (
            warps_accessing(function, facts).max(fewest).clamp(1, 32),
            WarpsFor::Access { bytes },
        )
    };
    // The sums of a product are what is stored: nothing else is held besides them.
    let half = match sums > 0 || alone {
        true => target.registers_per_thread.div_ceil(2),
        false => target.registers_per_thread / 2,
    };
    let carried_accumulators = carried_accumulators.into_values();
    let most_carried = carried_accumulators
        .filter(|all| *all > sums)
        .max()
        .unwrap_or(0);
    // Large values need more threads to fit their registers at all.
    let fit = largest
        .div_ceil(32 * 4 * half)
        .max(u64::div_ceil(sums, 32 * SUMS_PER_THREAD))
        .max(u64::div_ceil(
            most_carried,
            32 * CARRIED_ACCUMULATORS_PER_THREAD,
        ))
        .max(u64::div_ceil(
            beside_products(function),
            32 * BESIDE_PRODUCTS_PER_THREAD,
        ));
    let warps = wanted.max(fit).next_power_of_two();
    let warps = if wanted.max(fit) == warps {
        warps
    } else {
        warps / 2
    }
    .max(fit.next_power_of_two());
    let warps = warps.clamp(1, u64::from(target.warps_per_program));
    // Programs that fit, if a thread has little besides its part of a row.
    let rows =
        |warps: u64| target.registers_per_program / (elements + 32 * warps * BESIDES_ROW).max(1);
    let is_alone =
        reduces && !is_wide && rows(warps) < 2 * ROWS_AT_ONCE && reduces_one_row(function, facts);
    let fewer = match warps {
        WARPS_REDUCING if is_alone && rows(warps / 2) >= ROWS_AT_ONCE => warps / 2,
        _ => warps,
    };
    let at_once =
        (is_alone && rows(fewer) >= ROWS_AT_ONCE).then(|| (rows(fewer) - 1).max(ROWS_AT_ONCE));
    Warps {
        warps: fewer as u32,
        cluster: 1,
        at_once,
        why,
    }
}

/// The most elements of tiles that a loop has at once besides operands, if threads compute what it carries: what its products give, what it
/// carries, and what it computes with from before it.
fn beside_products(function: Operation<'_>) -> u64 {
    let mut most = 0;
    each_operation(function, &mut |operation| {
        let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
            return;
        };
        let inside = operations(body);
        let dots: Vec<_> = inside.iter().filter_map(|one| Dot::of(*one)).collect();
        let is_alone = |dot: &Dot<'_>| dot.path() == "wgmma" && is_positive_zero(dot.accumulator());
        if dots.is_empty() || !dots.iter().all(is_alone) {
            return;
        }
        let mut outside = HashMap::new();
        for one in inside
            .iter()
            .filter(|one| name(**one).starts_with("arith."))
        {
            for value in operands(*one) {
                let from = defining_operation(value).filter(|from| from.block() != one.block());
                let is_held = |from| match TileOp::of(from) {
                    Some(of) => matches!(of, TileOp::Load(_)),
                    None => !is_known_anywhere(value),
                };
                if from.is_some_and(is_held) {
                    outside.insert(key(value), padded_elements(value));
                }
            }
        }
        let given = dots.iter().map(|dot| padded_elements(dot.result()));
        let kept = results(operation).into_iter().map(padded_elements);
        most = most.max(given.chain(kept).chain(outside.into_values()).sum());
    });
    most
}

/// Warps for the loads and stores of a function: one for as many bytes as threads should access, or as narrow accesses.
fn warps_accessing<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>) -> u64 {
    let mut most = 0;
    let mut add = |tile, pointers, mask: Option<Value<'c>>, overlaps: bool| {
        let (_, width) = accessed(pointers, mask, facts);
        // Of loads that overlap a thread does few.
        let each = match overlaps {
            true => BYTES_PER_THREAD,
            false => BYTES_PER_THREAD.min(NARROW_ACCESSES * width * pointee_bytes(pointers)),
        };
        most = most.max(tile_bytes(tile) / (32 * each.max(1)));
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::Load(load)) if is_tile(load.result()) => {
            let overlaps = ints_attribute(operation, WINDOW).is_some();
            add(load.result(), load.pointers(), load.mask(), overlaps);
        }
        Some(TileOp::Store(store)) if is_tile(store.value()) => {
            add(store.value(), store.pointers(), store.mask(), false);
        }
        _ => {}
    });
    most
}

/// Warps that a loop which carries a tile should have at least, for accesses of so many bytes.
fn warps_carrying(function: Operation<'_>, bytes: u64) -> u64 {
    match has_recurrence(function) {
        true => (bytes / (32 * BYTES_PER_THREAD_CARRIED)).min(WARPS_CARRYING),
        false => 1,
    }
}

/// Instructions for each element of tiles of so many in the loop that has most of them, those of what has none of its own roughly.
fn instructions_per_element(function: Operation<'_>, of: u64) -> u64 {
    let is_one = |value: &Value<'_>| is_tile(*value) && padded_elements(*value) == of;
    let instructions = |operation: Operation<'_>| match name(operation) {
        "math.exp2" | "math.rsqrt" | "math.sqrt" | "math.absf" | "math.fma" => 1,
        "math.exp" => 8,
        "arith.divf" => 10,
        of if of.starts_with("math.") => 20,
        of if of.starts_with("arith.") => 1,
        _ => 0,
    };
    let mut most = 0;
    each_operation(function, &mut |operation| {
        let body = region_block(operation, 0).filter(|_| name(operation) == "scf.for");
        let inside = body.map(operations).unwrap_or_default();
        let inside = inside
            .into_iter()
            .filter(|one| results(*one).first().is_some_and(is_one));
        most = most.max(inside.map(instructions).sum());
    });
    most
}

/// Whether a loop carries a tile, and loads one in each iteration.
fn has_recurrence(function: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(function, &mut |operation| {
        let body = region_block(operation, 0).filter(|_| name(operation) == "scf.for");
        let inside = body.map(operations).unwrap_or_default();
        let carries = results(operation).into_iter().any(is_tile);
        found |= carries
            && inside
                .into_iter()
                .filter_map(Load::of)
                .any(|load| is_tile(load.result()));
    });
    found
}

/// Whether an operation reduces along another dimension than the last.
fn reduces_across(operation: &TileOp<'_>) -> bool {
    let TileOp::Reduce(reduce) = operation else {
        return false;
    };
    let rank = reduce
        .operands()
        .first()
        .and_then(|operand| TileType::of(*operand))
        .map_or(0, |tile| tile.shape().len());
    reduce.axis() as usize + 1 < rank
}

/// Whether what is too large for a block as others are is reduced to columns, of which it has several.
fn reduces_columns(function: Operation<'_>) -> bool {
    let mut all = true;
    each_operation(function, &mut |operation| {
        let large = |value: &Value<'_>| padded_elements(*value) > ELEMENTS_PER_BLOCK;
        if let Some(of @ TileOp::Reduce(reduce)) = &TileOp::of(operation)
            && reduce.operands().iter().any(large)
        {
            let columns = reduce.operands().first().copied().and_then(TileType::of);
            let columns = columns.and_then(|tile| tile.shape().last().copied());
            all &= reduces_across(of) && columns.is_some_and(|columns| columns > 1);
        }
    });
    all
}

/// Whether each large tile has one use, as what is loaded, converted and added up: no thread needs all of its elements at once.
fn reduces_as_it_loads(function: Operation<'_>) -> bool {
    let users = uses(function);
    let mut all = true;
    each_operation(function, &mut |operation| {
        for value in results(operation) {
            if padded_elements(value) > ELEMENTS_PER_BLOCK && !is_known_anywhere(value) {
                let by = users.get(&key(value)).into_iter().flatten();
                all &= by.map(|user| address(*user)).collect::<HashSet<_>>().len() <= 1;
            }
        }
    });
    all
}

/// Whether a tile has two dimensions.
fn is_matrix(value: Value<'_>) -> bool {
    TileType::of(value).is_some_and(|tile| tile.shape().len() > 1)
}

/// How many elements a thread should have of what a loop carries and reduces, if one does and loads besides.
fn carried_per_thread(function: Operation<'_>) -> Option<u64> {
    let mut found = None;
    each_operation(function, &mut |operation| {
        let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
            return;
        };
        let (mut loads, mut here) = (false, None);
        let largest = results(operation).into_iter().map(padded_elements).max();
        let carried = largest.filter(|elements| *elements > 1);
        let arguments = arguments(body).into_iter();
        let is_largest = |one: &Value<'_>| Some(padded_elements(*one)) == carried;
        let mut of_carried: HashSet<_> = arguments.filter(is_largest).map(key).collect();
        each_operation(operation, &mut |inner| {
            loads |= matches!(TileOp::of(inner), Some(TileOp::Load(_)));
            let list = operands(inner);
            let mut carries = list.iter().filter(|one| of_carried.contains(&key(**one)));
            let Some(operand) = carries.next().copied() else {
                return;
            };
            if let Some(TileOp::Reduce(reduce)) = TileOp::of(inner)
                && is_largest(&operand)
                && let Some(tile) = TileType::of(operand)
            {
                let axis = reduce.axis() as usize;
                let is_of_a_warp = axis + 1 == tile.shape().len() && tile.shape()[axis] <= 32;
                let each = match is_of_a_warp {
                    true => CARRIED_PER_THREAD_OF_A_WARP,
                    false => CARRIED_PER_THREAD,
                };
                here = here.max(Some(each));
            }
            of_carried.extend(results(inner).into_iter().map(key));
        });
        if loads {
            found = found.max(here);
        }
    });
    found
}

/// Whether an operand of a product is computed from what another product gives in the same iteration.
pub fn has_chain(function: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(function, &mut |operation| {
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation) {
            found |= [dot.left(), dot.right()].into_iter().any(reads_product);
        }
    });
    found
}

/// Whether both operands of a product can be copied to shared memory, and used as they lie there: nothing takes
/// registers besides the sums and the fragments.
fn is_copied<'c>(dot: Dot<'c>, facts: &FactAnalysis<'c>) -> bool {
    [dot.left(), dot.right()].into_iter().all(|operand| {
        let mut defined = defining_operation(operand).and_then(TileOp::of);
        if let Some(TileOp::Permute(permute)) = defined {
            defined = defining_operation(permute.operand()).and_then(TileOp::of);
        }
        let Some(TileOp::Load(load)) = defined else {
            return false;
        };
        let Some(tile) = TileType::of(load.result()) else {
            return false;
        };
        let is_byte = element_bytes(load.result().r#type()) == 1;
        let is_fp8 = is_byte && tile.element().to_string().starts_with('f');
        // Narrower pieces would each want an address in registers that are not there beside so many sums.
        !is_fp8 && widest_along(load, facts).is_some()
    })
}

/// Whether a program may be spread over blocks: all that its threads tell each other goes through
/// buffers that are stored and loaded as tiles, of which every block has a copy.
fn may_be_clustered(function: Operation<'_>) -> bool {
    let mut may = true;
    each_operation(function, &mut |operation| {
        may &= match TileOp::of(operation) {
            Some(
                TileOp::ProgramId(_)
                | TileOp::NumPrograms(_)
                | TileOp::Arange(_)
                | TileOp::Splat(_)
                | TileOp::Expand(_)
                | TileOp::Broadcast(_)
                | TileOp::PointerOffset(_)
                | TileOp::PointerCast(_)
                | TileOp::Load(_)
                | TileOp::Store(_)
                | TileOp::Reduce(_)
                | TileOp::Assume(_),
            ) => true,
            Some(_) => false,
            None => !name(operation).starts_with("scf."),
        };
    });
    may
}

/// Elements that registers are needed for: layouts pad all dimensions to powers of two but one.
fn padded_elements(value: Value<'_>) -> u64 {
    let Some(tile) = TileType::of(value) else {
        return 0;
    };
    let shape = tile.shape();
    let largest = shape.iter().copied().max().unwrap_or(1);
    let padded: u64 = shape.iter().map(|size| size.next_power_of_two()).product();
    padded / largest.next_power_of_two() * largest
}

/// The layout for an access through `pointers` that is as wide and coalesced as the facts allow, to elements of so many bytes, of which a
/// thread has such neighbours.
pub fn coalesced(
    shape: &[u64],
    (element_bytes, neighbours): (u64, Neighbours),
    pointers: &Facts,
    mask: Option<&Facts>,
    warps: u32,
) -> Layout {
    let (mut order, vector) = together(shape, element_bytes, pointers, mask);
    if let Some(axis) = neighbours.beside.filter(|_| pointers.is_scattered()) {
        order.retain(|other| *other != axis);
        order.insert(0, axis);
    }
    let vector = vector.min(neighbours.most.unwrap_or(vector));
    let vector = neighbours.of_window.unwrap_or(vector);
    let vector = enough_for_all(shape, vector, warps).max(neighbours.least);
    if let Some(axis) = neighbours.run.filter(|axis| order.first() != Some(axis)) {
        return in_runs(shape, &order, (vector, axis), warps);
    }
    as_many_rows(shape, &order, vector, warps)
        .unwrap_or_else(|| blocked(shape, &order, vector, warps))
}

/// As [`blocked`], but what a thread has besides one vector follows along an axis.
fn in_runs(shape: &[u64], order: &[usize], (vector, axis): (u64, usize), warps: u32) -> Layout {
    let elements: u64 = shape.iter().map(|size| size.next_power_of_two()).product();
    let all = elements / (32 << warps.ilog2());
    let mut vectors = along_fastest(order, vector);
    vectors[axis] = (all / vector).clamp(1, power_of_two_factor(shape[axis]));
    of_vectors(shape, order, vectors, warps)
}

/// Elements of a thread along each axis: so many along the fastest.
fn along_fastest(order: &[usize], vector: u64) -> Vec<u64> {
    let each = |axis| {
        if order.first() == Some(&axis) {
            vector
        } else {
            1
        }
    };
    (0..order.len()).map(each).collect()
}

/// The dimensions from the fastest on, and how many elements along that a thread should have next to each other: as many as one access takes.
fn together(
    shape: &[u64],
    element_bytes: u64,
    pointers: &Facts,
    mask: Option<&Facts>,
) -> (Vec<usize>, u64) {
    let (mut order, mut vector) = widest(shape, element_bytes, pointers, mask);
    if vector == 1
        && let Some((axis, run)) = longest_run(pointers, mask)
    {
        // What several elements have in one place is loaded once.
        order.retain(|other| *other != axis);
        order.insert(0, axis);
        vector = run.min(WIDEST_ACCESS / element_bytes.clamp(1, WIDEST_ACCESS));
    }
    (order, vector)
}

/// The same of an access through these pointers.
pub fn accessed<'c>(
    pointers: Value<'c>,
    mask: Option<Value<'c>>,
    facts: &FactAnalysis<'c>,
) -> (Vec<usize>, u64) {
    let mask = mask.map(|mask| facts.of(mask));
    let (shape, bytes) = (shape_of(pointers), pointee_bytes(pointers));
    together(&shape, bytes, &facts.of(pointers), mask.as_ref())
}

/// The dimension along which most elements have one place each, if there is one, and how many.
fn longest_run(pointers: &Facts, mask: Option<&Facts>) -> Option<(usize, u64)> {
    let runs = pointers.constancy.iter().enumerate().map(|(axis, run)| {
        let run = mask.map_or(*run, |mask| *run.min(&mask.constancy[axis]));
        (axis, 1 << run.max(1).trailing_zeros())
    });
    runs.filter(|(_, run)| *run > 1).max_by_key(|(_, run)| *run)
}

/// The same for a row that is copied ahead: as few threads as have pieces of [`NARROWEST_COPY`] bytes.
pub fn copied_ahead(
    size: u64,
    element_bytes: u64,
    pointers: &Facts,
    mask: Option<&Facts>,
    warps: u32,
) -> Layout {
    let (order, most) = widest(&[size], element_bytes, pointers, mask);
    let threads = 32 << warps.ilog2();
    let wide = (size.next_power_of_two() / threads).max(NARROWEST_COPY / element_bytes.clamp(1, 4));
    blocked(&[size], &order, wide.clamp(1, most), warps)
}

/// The dimensions from the fastest on, and how many elements along that one access may take.
fn widest(
    shape: &[u64],
    element_bytes: u64,
    pointers: &Facts,
    mask: Option<&Facts>,
) -> (Vec<usize>, u64) {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    order.sort_by_key(|d| std::cmp::Reverse(pointers.contiguity[*d]));
    let most = 16 / element_bytes.clamp(1, 16);
    let vector = order.first().map_or(1, |fastest| {
        facts::access_width(shape, element_bytes, pointers, mask, *fastest, most)
    });
    (order, vector)
}

/// The dimension along which a load is as wide as an access can be, if it is.
pub fn widest_along<'c>(load: Load<'c>, facts: &FactAnalysis<'c>) -> Option<usize> {
    wide_along(load, facts, WIDEST_ACCESS)
}

/// The dimension along which a load's accesses have so many bytes, if they have.
pub fn wide_along<'c>(load: Load<'c>, facts: &FactAnalysis<'c>, least: u64) -> Option<usize> {
    let bytes = element_bytes(load.result().r#type());
    let mask = load.mask().map(|mask| facts.of(mask));
    let pointers = facts.of(load.pointers());
    let (order, vector) = widest(&shape_of(load.result()), bytes, &pointers, mask.as_ref());
    let fastest = order.first().copied();
    fastest.filter(|_| vector * bytes >= least)
}

/// The layout of a tile that no access prefers.
pub fn neutral(shape: &[u64], element_bytes: u64, warps: u32) -> Layout {
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    let last = shape.last().copied().unwrap_or(1);
    let widest = 16 / element_bytes.clamp(1, 16);
    spread(shape, &order, power_of_two_factor(last).min(widest), warps)
}

/// Whether a scan along `axis` finds what is before an element in this layout without other warps: in registers of its thread, in
/// lanes that are neighbours and follow each other along the axis, and in registers again.
pub fn can_be_scanned(layout: &Layout, axis: usize) -> bool {
    let is_across = |base: &Vec<u32>| base[axis] == 0;
    let is_along = |base: &Vec<u32>| (0..base.len()).all(|d| d == axis || base[d] == 0);
    let bases = layout.lane_bases();
    let along: Vec<usize> = (0..bases.len())
        .filter(|bit| !is_across(&bases[*bit]))
        .collect();
    layout.warp_bases().iter().all(is_across)
        && along.iter().all(|bit| is_along(&bases[*bit]))
        && along
            .windows(2)
            .all(|bits| bits[1] == bits[0] + 1 && bases[bits[1]][axis] == 2 * bases[bits[0]][axis])
        && layout
            .register_bases()
            .iter()
            .all(|base| is_across(base) || is_along(base))
}

/// The layout for a scan along `axis`: each thread holds a run of neighbours, the lanes of a warp
/// follow each other, then the warps; nothing is repeated along the axis, so that whatever comes
/// before an element is held by threads before its own.
pub fn scanned(shape: &[u64], axis: usize, warps: u32) -> Layout {
    Layout::of_warps(warps, |warps| scanned_by(shape, axis, warps))
}

fn scanned_by(shape: &[u64], axis: usize, warps: u32) -> Layout {
    let rank = shape.len();
    let size = |d: usize| shape[d].next_power_of_two();
    let mut order: Vec<usize> = (0..rank).rev().filter(|d| *d != axis).collect();
    order.insert(0, axis);
    let mut lanes = vec![1; rank];
    let mut left = 32;
    for &d in &order {
        lanes[d] = left.min(size(d));
        left /= lanes[d];
    }
    lanes[axis] *= left;
    let mut grid = vec![1; rank];
    let mut left = u64::from(warps);
    // Along other dimensions first: warps that do not meet need not exchange anything.
    for &d in order.iter().rev() {
        let wanted = (size(d) / lanes[d]).max(1);
        grid[d] = left.min(wanted);
        left /= grid[d];
    }
    grid[axis] *= left;
    let mut vectors = vec![1; rank];
    vectors[axis] = (size(axis) / (lanes[axis] * grid[axis])).max(1);
    Layout::blocked(shape, &vectors, &lanes, &grid, &order)
}

/// The layout for exchanges of elements along `axis`: as many of them as there are for each thread in
/// its registers, where an exchange costs nothing, then in the lanes of a warp, and in other warps
/// only if there are no other dimensions to give them.
pub fn exchanged(shape: &[u64], axis: usize, warps: u32) -> Layout {
    // The partner of a warp that holds copies holds copies, too: it must be there as well.
    let whole = 1 << warps.trailing_zeros();
    exchanged_by(shape, axis, whole).with_copies(warps)
}

fn exchanged_by(shape: &[u64], axis: usize, warps: u32) -> Layout {
    let rank = shape.len();
    let size = |d: usize| shape[d].next_power_of_two();
    let elements: u64 = (0..rank).map(size).product();
    let mut order: Vec<usize> = (0..rank).rev().filter(|d| *d != axis).collect();
    order.insert(0, axis);
    let mut vectors = vec![1; rank];
    vectors[axis] = (elements / (32 * u64::from(warps))).clamp(1, size(axis));
    let mut lanes = vec![1; rank];
    let mut left = 32;
    for &d in &order {
        lanes[d] = left.min(size(d) / vectors[d]);
        left /= lanes[d];
    }
    lanes[axis] *= left;
    let mut grid = vec![1; rank];
    let mut left = u64::from(warps);
    for &d in order.iter().rev() {
        grid[d] = left.min((size(d) / (vectors[d] * lanes[d])).max(1));
        left /= grid[d];
    }
    grid[axis] *= left;
    Layout::blocked(shape, &vectors, &lanes, &grid, &order)
}

fn power_of_two_factor(number: u64) -> u64 {
    if number == 0 {
        1
    } else {
        1 << number.trailing_zeros()
    }
}

/// Vectors along the fastest dimension, lanes along it first, warps along the slowest first: a warp
/// touches whole lines and a reduction along rows stays inside warps when there are rows enough.
fn spread(shape: &[u64], order: &[usize], vector: u64, warps: u32) -> Layout {
    blocked(shape, order, enough_for_all(shape, vector, warps), warps)
}

/// So short a vector that all threads have one.
fn enough_for_all(shape: &[u64], vector: u64, warps: u32) -> u64 {
    let threads = 32 << warps.ilog2();
    let elements: u64 = shape.iter().map(|size| size.next_power_of_two()).product();
    vector.min((elements / threads).max(1)).max(1)
}

/// The same with vectors of this length.
fn blocked(shape: &[u64], order: &[usize], vector: u64, warps: u32) -> Layout {
    of_vectors(shape, order, along_fastest(order, vector), warps)
}

/// The same with so many elements of a thread along each axis.
fn of_vectors(shape: &[u64], order: &[usize], vectors: Vec<u64>, warps: u32) -> Layout {
    let lanes = lanes(shape, order, &vectors);
    Layout::of_warps(warps, |warps| {
        let mut grid = vec![1; shape.len()];
        let mut left = u64::from(warps);
        for &d in order.iter().rev() {
            let wanted = shape[d].div_ceil(vectors[d] * lanes[d]).next_power_of_two();
            grid[d] = left.min(wanted);
            left /= grid[d];
        }
        if let Some(&fastest) = order.first() {
            grid[fastest] *= left;
        }
        Layout::blocked(shape, &vectors, &lanes, &grid, order)
    })
}

/// The lanes of a warp, each of which has so many elements.
fn lanes(shape: &[u64], order: &[usize], vectors: &[u64]) -> Vec<u64> {
    let mut lanes = vec![1; shape.len()];
    let Some(&fastest) = order.first() else {
        return lanes;
    };
    let mut left = 32;
    for &d in order {
        let wanted = shape[d].div_ceil(vectors[d]).next_power_of_two();
        lanes[d] = left.min(wanted);
        left /= lanes[d];
    }
    lanes[fastest] *= left;
    lanes
}

/// The layout in which each warp has as many of the slowest dimension, one after the other, as a warp of a product has rows: then
/// warps that are no power of two have something to do each.
fn as_many_rows(shape: &[u64], order: &[usize], vector: u64, warps: u32) -> Option<Layout> {
    let slowest = *order.last()?;
    let each = shape[slowest] / u64::from(warps);
    let is_whole = each.is_power_of_two() && each * u64::from(warps) == shape[slowest];
    let mut vectors = along_fastest(order, vector);
    let lanes = lanes(shape, order, &vectors);
    let boxed = vectors[slowest] * lanes[slowest];
    if warps.is_power_of_two() || !is_whole || each < boxed || order.len() < 2 {
        return None;
    }
    vectors[slowest] *= each / boxed;
    let mut grid = vec![1; shape.len()];
    grid[slowest] = u64::from(warps.next_power_of_two());
    let whole = Layout::blocked(shape, &vectors, &lanes, &grid, order);
    whole.with_warp_count(warps).ok()
}

/// The grid of warps (along M, along N) of a product: as square as the shape allows, which shares
/// both operands best. Of warps that are no power of two the last ones have no place in it.
pub fn warp_grid(shape: [u64; 2], warps: u32) -> [u32; 2] {
    let warps = 1 << warps.ilog2();
    let mut grid = [1u32, 1u32];
    while grid[0] * grid[1] < warps {
        let rows = shape[0] as f64 / f64::from(grid[0]);
        let columns = shape[1] as f64 / f64::from(grid[1]);
        // An instruction is 16 rows by 8 columns.
        let axis = usize::from(rows < columns || rows <= 16.0 && columns > 8.0);
        grid[axis] *= 2;
    }
    grid
}
