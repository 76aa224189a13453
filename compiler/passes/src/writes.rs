//! Which parameters a function or loop writes through, and which one pointers come from: what is read through others may be read
//! earlier, or again.

use std::collections::HashSet;

use melior::ir::ValueLike;

use crate::dialect::{TileOp, is_pure};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, Value, address, element_type, key, name, operand, operands};
use crate::{each_operation, uses};

/// Whether pointers are into a parameter that is not among those that are written.
pub fn is_unwritten(pointers: Value<'_>, written: &HashSet<usize>) -> bool {
    parameter(pointers).is_some_and(|number| !written.contains(&number))
}

/// The parameter that pointers come from: a walk through what moves and spreads them.
pub fn parameter(pointers: Value<'_>) -> Option<usize> {
    let Some(operation) = defining_operation(pointers) else {
        let owner = argument_owner(pointers)?;
        // What a loop carries may change from one parameter to another.
        return (name(owner) == "func.func").then(|| result_number(pointers));
    };
    match TileOp::of(operation)? {
        TileOp::PointerOffset(_)
        | TileOp::PointerCast(_)
        | TileOp::Splat(_)
        | TileOp::Expand(_)
        | TileOp::Broadcast(_)
        | TileOp::Reshape(_)
        | TileOp::Permute(_)
        | TileOp::Convert(_) => parameter(operand(operation, 0)),
        _ => None,
    }
}

/// The atomic accesses of a function that no program sees anything of: their results are not used, and what they change is
/// touched by nothing but such accesses and stores. No program can wait for another by them.
pub fn unseen(function: Operation<'_>) -> HashSet<usize> {
    let users = uses(function);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut is_known = true;
    let mut see = |pointers: Value<'_>| match parameter(pointers) {
        Some(number) => _ = seen.insert(number),
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
    let parameter = match TileOp::of(operation) {
        Some(TileOp::Store(store)) => parameter(store.pointers()),
        Some(TileOp::StoreView(store)) => parameter(store.base()),
        Some(TileOp::RowsStore(store)) => parameter(store.origin()),
        Some(TileOp::Atomic(atomic)) if atomic.order() == "relaxed" => parameter(atomic.pointers()),
        Some(TileOp::Atomic(_)) => None,
        Some(TileOp::Asm(asm)) if asm.effects() != 0 => None,
        _ => return Some(HashSet::new()),
    };
    parameter.map(|number| HashSet::from([number]))
}
