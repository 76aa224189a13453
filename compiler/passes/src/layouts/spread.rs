//! Loads of rows and columns that are spread over fragments.
//!
//! ```text
//! acc + load(bias)[None, :]  acc * load(scale)[:, None]
//! ```
//!
//! In wide vectors, each element by one thread, such a load would come to the threads that need it through
//! shared memory, with a barrier of all warps where those of a product need not meet. And what is computed from
//! a row and a column alone would be a whole tile in the wrong threads. These loads have no home: each thread loads
//! what it needs of them, which comes from the L1 cache.
//!
//! That is done outside of loops and branches, in kernels with products on tensor cores, for what the kernel does
//! not write to. In loops it is done for rows that say where else a loop reads, so that a thread can ask for what is read in a later
//! iteration without another one.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;

use super::{is_address_arithmetic, shape_of};
use crate::dialect::ops::Load;
use crate::dialect::{TileOp, is_pure};
use crate::facts::{FactAnalysis, constant_of};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, ValueKey, address, key, name, operand, operands, operations, region_block,
    results,
};
use crate::writes::{is_unwritten, written};
use crate::{each_operation, is_tile, uses};

/// The loads of a function that have no home.
pub fn find<'c>(function: Operation<'c>) -> HashSet<ValueKey> {
    let mut has_products = false;
    each_operation(function, &mut |operation| {
        has_products |= multiplies(&operation)
    });
    let (true, Some(body), Some(written)) =
        (has_products, region_block(function, 0), written(function))
    else {
        return HashSet::new();
    };
    let users = uses(function);
    let here: HashSet<usize> = operations(body).into_iter().map(address).collect();
    let is_spread = |load: Operation<'_>| {
        let mut rest = results(load);
        let mut seen = HashSet::new();
        let mut expands = false;
        while let Some(value) = rest.pop() {
            // What is used twice in each step would be looked at 2^steps times.
            if !seen.insert(key(value)) {
                continue;
            }
            for user in users.get(&key(value)).into_iter().flatten() {
                if !here.contains(&address(*user)) || user.region_count() > 0 {
                    return false;
                }
                let spreads = matches!(TileOp::of(*user), Some(TileOp::Expand(_)));
                let is_arithmetic = TileOp::of(*user).is_none() && is_pure(name(*user));
                if is_row(value) && !spreads && !is_arithmetic {
                    return false;
                }
                expands |= spreads;
                if is_pure(name(*user)) {
                    rest.extend(results(*user).into_iter().filter(|value| is_tile(*value)));
                }
            }
        }
        expands
    };
    let rows = |inside: Vec<Operation<'c>>| {
        let loads = inside.into_iter().filter_map(Load::of);
        loads.filter(|load| is_row(load.result()) && is_unwritten(load.pointers(), &written))
    };
    let mut found: HashSet<_> = rows(operations(body))
        .filter(|load| is_spread(load.0))
        .map(|load| key(load.result()))
        .collect();
    // So do they where they say where a loop reads, before it.
    for inside in before_loops(function) {
        let indices = rows(inside).filter(|load| is_index(&users, *load));
        found.extend(indices.map(|load| key(load.result())));
    }
    for inside in multiplying_loops(function) {
        let indices = rows(inside).filter(|load| is_index(&users, *load));
        found.extend(indices.map(|load| key(load.result())));
    }
    found
}

/// Whether a row says where a tile lies, or another such row, or which elements of it there are.
fn is_index(users: &HashMap<ValueKey, Vec<Operation<'_>>>, row: Load<'_>) -> bool {
    let mut rest = vec![row.result()];
    let mut seen = HashSet::new();
    while let Some(value) = rest.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        for user in users.get(&key(value)).into_iter().flatten() {
            match TileOp::of(*user) {
                Some(TileOp::Load(load)) if !is_row(load.result()) => return true,
                Some(
                    TileOp::Load(_)
                    | TileOp::Expand(_)
                    | TileOp::Broadcast(_)
                    | TileOp::PointerOffset(_),
                ) => rest.extend(results(*user)),
                None if is_pure(name(*user)) && user.region_count() == 0 => {
                    rest.extend(results(*user));
                }
                _ => {}
            }
        }
    }
    false
}

/// Whether a value is a tile of one dimension.
fn is_row(value: Value<'_>) -> bool {
    is_tile(value) && shape_of(value).len() == 1
}

/// Rows that a loop with a product on tensor cores loads: they are copied ahead, of which a thread's chunks have 4 bytes or more.
pub fn looped(function: Operation<'_>) -> HashSet<ValueKey> {
    let inside = multiplying_loops(function).into_iter().flatten();
    let loads = inside.filter_map(Load::of);
    let rows = loads.filter(|load| is_row(load.result()));
    rows.map(|load| key(load.result())).collect()
}

/// Tiles that such a loop loads and nothing writes: where they are copied ahead, any thread reads any part of them.
pub fn at_hand(function: Operation<'_>) -> HashSet<ValueKey> {
    let Some(written) = written(function) else {
        return HashSet::new();
    };
    let inside = multiplying_loops(function).into_iter().flatten();
    let loads = inside.filter_map(Load::of).filter(|load| {
        shape_of(load.result()).len() == 2 && is_unwritten(load.pointers(), &written)
    });
    loads.map(|load| key(load.result())).collect()
}

/// Those of them whose elements lie apart: each thread loads its own, wherever it is.
pub fn scattered<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>) -> HashSet<ValueKey> {
    let mut found = HashSet::new();
    let at_hand = at_hand(function);
    each_operation(function, &mut |operation| {
        if let Some(load) = Load::of(operation)
            && at_hand.contains(&key(load.result()))
            && facts.of(load.pointers()).is_scattered()
        {
            found.insert(key(load.result()));
        }
    });
    found
}

/// What is in each block that has such a loop and is in none.
fn before_loops<'c>(function: Operation<'c>) -> Vec<Vec<Operation<'c>>> {
    let (mut blocks, mut open) = (Vec::new(), vec![function]);
    while let Some(operation) = open.pop() {
        for index in 0..operation.region_count() {
            let inside = region_block(operation, index)
                .map(operations)
                .unwrap_or_default();
            open.extend(inside.iter().filter(|inner| name(**inner) == "scf.if"));
            let has_loop = inside.iter().any(|inner| {
                let body = region_block(*inner, 0).filter(|_| crate::ir::is_loop(*inner));
                body.map(operations)
                    .is_some_and(|body| body.iter().any(multiplies))
            });
            if has_loop {
                blocks.push(inside);
            }
        }
    }
    blocks
}

/// What is in each loop with a product on tensor cores.
fn multiplying_loops<'c>(function: Operation<'c>) -> Vec<Vec<Operation<'c>>> {
    let mut loops = Vec::new();
    each_operation(function, &mut |operation| {
        let body = region_block(operation, 0).filter(|_| crate::ir::is_loop(operation));
        loops.extend(body.map(operations));
    });
    loops.retain(|inside| inside.iter().any(multiplies));
    loops
}

/// Whether an operation is a product on tensor cores, or a condition around one.
fn multiplies(operation: &Operation<'_>) -> bool {
    match TileOp::of(*operation) {
        Some(TileOp::Dot(dot)) => dot.path() != "fma",
        _ if name(*operation) == "scf.if" => {
            let regions =
                (0..operation.region_count()).filter_map(|index| region_block(*operation, index));
            regions.flat_map(operations).any(|inner| multiplies(&inner))
        }
        _ => false,
    }
}

/// Rows that a loop with a product on tensor cores computes from rows that it loads, cheaply: where they are wanted elsewhere,
/// the loads go there, which copies ahead bring to any thread, and not the result. And places that it computes from rows
/// that are there before it: those go where the places are wanted, once, and not the places in each iteration.
pub fn computed(function: Operation<'_>) -> HashSet<ValueKey> {
    let Some(written) = written(function) else {
        return HashSet::new();
    };
    let mut rows = HashSet::new();
    for inside in multiplying_loops(function) {
        computed_in(&inside, &written, &mut rows);
    }
    rows
}

/// The same in one loop.
fn computed_in(inside: &[Operation<'_>], written: &HashSet<usize>, rows: &mut HashSet<ValueKey>) {
    let (mut loaded, mut places) = (HashSet::new(), HashSet::new());
    let here: HashSet<_> = inside.iter().copied().map(address).collect();
    // Brought there once, before the loop.
    let is_before = |value: &Value<'_>| {
        let source = defining_operation(*value);
        let is_outside = source.is_some_and(|source| !here.contains(&address(source)));
        is_row(*value) && is_outside && !is_known_anywhere(*value)
    };
    for operation in inside {
        let Some(value) = results(*operation).first().copied() else {
            continue;
        };
        if !is_row(value) {
            continue;
        }
        if let Some(load) = Load::of(*operation) {
            if is_unwritten(load.pointers(), written) {
                loaded.insert(key(value));
            }
            continue;
        }
        let is_at_hand =
            |value: &Value<'_>| loaded.contains(&key(*value)) || rows.contains(&key(*value));
        let list = operands(*operation);
        let is_known = |value: &Value<'_>| is_at_hand(value) || is_known_anywhere(*value);
        let is_computed = list.iter().any(is_at_hand) && list.iter().all(is_known);
        let is_placed = |value: &Value<'_>| is_before(value) || places.contains(&key(*value));
        let is_place = is_address_arithmetic(*operation, value)
            && list.iter().any(is_placed)
            && list.iter().all(|value| is_known(value) || is_placed(value));
        if is_place {
            places.insert(key(value));
        }
        if is_place || is_computed && CHEAP.contains(&name(*operation)) {
            rows.insert(key(value));
        }
    }
}

/// Arithmetic of one instruction or two.
pub const CHEAP: [&str; 9] = [
    "arith.select",
    "arith.negf",
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.extf",
    "arith.truncf",
    "arith.maximumf",
    "arith.minimumf",
];

/// Whether any thread knows the elements of a tile without a load: they are all the same, or follow from their indices, as
/// those of a mask do.
pub fn is_known_anywhere(value: Value<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        if !is_tile(value) || !seen.insert(key(value)) {
            continue;
        }
        let Some(operation) = defining_operation(value) else {
            return false;
        };
        match name(operation) {
            "tile.splat" | "arith.constant" | "tile.arange" => {}
            "arith.addi" | "arith.subi" | "arith.muli" | "arith.cmpi" | "arith.andi"
            | "arith.ori" | "arith.xori" | "arith.shli" | "arith.shrsi" | "arith.shrui"
            | "arith.minsi" | "arith.maxsi" | "arith.minui" | "arith.maxui" | "arith.extsi"
            | "arith.extui" | "tile.expand" | "tile.broadcast" => {
                rest.extend(operands(operation));
            }
            // By a constant these are no divisions in the end.
            "arith.divsi" | "arith.remsi" | "arith.divui" | "arith.remui"
                if constant_of(operand(operation, 1)).is_some() =>
            {
                rest.extend(operands(operation));
            }
            _ => return false,
        }
    }
    true
}

/// Rows that are loaded and computed with to say where something lies, and are for nothing else: the axis that they are
/// spread along, and the first load of a tile whose rows or columns they place.
pub fn places<'c>(function: Operation<'c>) -> HashMap<ValueKey, (usize, Load<'c>)> {
    let users = uses(function);
    let mut places = HashMap::new();
    each_operation(function, &mut |operation| {
        let Some(load) = Load::of(operation).filter(|load| is_tile(load.result())) else {
            return;
        };
        if shape_of(load.result()).len() == 1
            && let Some(found) = place(&users, load)
        {
            places.insert(key(load.result()), found);
        }
    });
    places
}

/// The same of one row.
fn place<'c>(
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
    row: Load<'c>,
) -> Option<(usize, Load<'c>)> {
    let mut rest = vec![(row.result(), None)];
    let mut seen = HashSet::new();
    let mut found = None;
    while let Some((value, axis)) = rest.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        for user in users.get(&key(value)).into_iter().flatten() {
            let spread = match TileOp::of(*user) {
                Some(TileOp::Expand(expand)) if axis.is_none() => Some(expand.axis() as usize),
                Some(TileOp::Load(load)) if is_tile(load.result()) => {
                    // Of a row that is gathered the places are brought there, once.
                    let is_plane = shape_of(load.result()).len() == 2;
                    found = found.or(axis.filter(|_| is_plane).map(|axis| (axis, load)));
                    continue;
                }
                Some(TileOp::Store(store)) if key(store.value()) != key(value) => continue,
                // What makes one element a row of many is another row.
                Some(TileOp::Broadcast(_)) if axis.is_none() => return None,
                Some(TileOp::Broadcast(_) | TileOp::PointerOffset(_)) => axis,
                None if is_pure(name(*user)) && user.region_count() == 0 => axis,
                _ => return None,
            };
            rest.extend(results(*user).into_iter().map(|value| (value, spread)));
        }
    }
    found
}
