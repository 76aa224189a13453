//! Which parameters a function or loop writes through, and which one pointers come from: what is read through others may be read
//! earlier, or again.

use std::collections::HashSet;

use melior::ir::ValueLike;

use crate::dialect::{TileOp, is_pure};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Operation, Value, address, element_type, key, name, operand, operands, operations, region_block,
};
use crate::{LOOP_RANGE, each_operation, uses};

/// Whether pointers are into parameters that are not among those that are written.
pub fn is_unwritten(pointers: Value<'_>, written: &HashSet<usize>) -> bool {
    origins(pointers).is_some_and(|found| found.is_disjoint(written))
}

/// The parameter that pointers come from, if that is one.
pub fn parameter(pointers: Value<'_>) -> Option<usize> {
    let mut found = origins(pointers)?.into_iter();
    found.next().filter(|_| found.next().is_none())
}

/// The parameters that pointers may come from: a walk through what moves, spreads, carries and chooses them.
fn origins(pointers: Value<'_>) -> Option<HashSet<usize>> {
    let (mut found, mut seen, mut open) = (HashSet::new(), HashSet::new(), vec![pointers]);
    while let Some(pointers) = open.pop() {
        if !seen.insert(key(pointers)) {
            continue;
        }
        let Some(operation) = defining_operation(pointers) else {
            let owner = argument_owner(pointers)?;
            let number = result_number(pointers);
            match name(owner) {
                "func.func" => _ = found.insert(number),
                "scf.for" => open.extend(carried(owner, number.checked_sub(1)?)?),
                _ => return None,
            }
            continue;
        };
        match (name(operation), TileOp::of(operation)) {
            ("scf.for", _) => open.extend(carried(operation, result_number(pointers))?),
            ("arith.select", _) => open.extend([1, 2].map(|index| operand(operation, index))),
            (
                _,
                Some(
                    TileOp::PointerOffset(_)
                    | TileOp::PointerCast(_)
                    | TileOp::Splat(_)
                    | TileOp::Expand(_)
                    | TileOp::Broadcast(_)
                    | TileOp::Reshape(_)
                    | TileOp::Permute(_)
                    | TileOp::Convert(_),
                ),
            ) => open.push(operand(operation, 0)),
            _ => return None,
        }
    }
    Some(found)
}

/// What pointers that a loop carries are at first, and after an iteration.
fn carried(of: Operation<'_>, number: usize) -> Option<[Value<'_>; 2]> {
    let body = region_block(of, 0)?;
    let first = *operands(of).get(LOOP_RANGE + number)?;
    let last = *operands(*operations(body).last()?).get(number)?;
    Some([first, last])
}

/// The atomic accesses of a function that no program sees anything of: their results are not used, and what they change is
/// touched by nothing but such accesses and stores. No program can wait for another by them.
pub fn unseen(function: Operation<'_>) -> HashSet<usize> {
    let users = uses(function);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut is_known = true;
    let mut see = |pointers: Value<'_>| match origins(pointers) {
        Some(found) => seen.extend(found),
        None => is_known = false,
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::Store(_) | TileOp::StoreView(_)) => {}
        Some(TileOp::Atomic(atomic)) => {
            let users = users.get(&key(atomic.result()));
            match users.is_none_or(Vec::is_empty) {
                true => found.push((address(operation), parameter(atomic.pointers()))),
                false => see(atomic.pointers()),
            }
        }
        _ if is_pure(name(operation)) => {}
        _ => operands(operation)
            .into_iter()
            .filter(|operand| is_pointer(*operand))
            .for_each(&mut see),
    });
    let mut unseen = HashSet::new();
    if is_known {
        let hidden = |(_, parameter): &(usize, Option<usize>)| {
            parameter.is_some_and(|number| !seen.contains(&number))
        };
        unseen.extend(found.into_iter().filter(hidden).map(|(place, _)| place));
    }
    unseen
}

/// Whether a value is an address, or a tile of them.
pub fn is_pointer(value: Value<'_>) -> bool {
    element_type(value.r#type())
        .to_string()
        .starts_with("!tile.ptr")
}

/// The parameters that an operation with regions writes through; `None` if that is not known, or if threads
/// or programs tell each other there when to read.
pub fn written(inside: Operation<'_>) -> Option<HashSet<usize>> {
    let mut written = Some(HashSet::new());
    each_operation(
        inside,
        &mut |inner| match (written_by(inner), &mut written) {
            (Some(more), Some(written)) => written.extend(more),
            _ => written = None,
        },
    );
    written
}

/// The same of one operation.
pub fn written_by(operation: Operation<'_>) -> Option<HashSet<usize>> {
    match TileOp::of(operation) {
        Some(TileOp::Store(store)) => origins(store.pointers()),
        Some(TileOp::StoreView(store)) => origins(store.base()),
        Some(TileOp::RowsStore(store)) => origins(store.origin()),
        Some(TileOp::Atomic(atomic)) if atomic.order() == "relaxed" => origins(atomic.pointers()),
        Some(TileOp::Atomic(_)) => None,
        Some(TileOp::Asm(asm)) if asm.effects() != 0 => None,
        _ => Some(HashSet::new()),
    }
}
