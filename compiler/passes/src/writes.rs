//! Which parameters a function or loop writes through, and which one pointers come from: what is read through others may be read
//! earlier, or again.

use std::collections::HashSet;

use melior::ir::ValueLike;

use crate::dialect::{TileOp, is_pure};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Operation, Value, ValueKey, address, arguments, element_type, key, name, operand, operands,
    operations, region_block,
};
use crate::{LOOP_RANGE, each_operation, uses};

/// Whether pointers are into a parameter that is not among those that are written.
pub fn is_unwritten(pointers: Value<'_>, written: &HashSet<usize>) -> bool {
    parameter(pointers).is_some_and(|number| !written.contains(&number))
}

/// The parameter that pointers come from: a walk through what moves, spreads and carries them.
pub fn parameter(pointers: Value<'_>) -> Option<usize> {
    origin(pointers, &mut Vec::new())?
}

/// The same, `Some(None)` for pointers that come from one that is being looked at: `open` are those that loops carry.
fn origin(pointers: Value<'_>, open: &mut Vec<ValueKey>) -> Option<Option<usize>> {
    let Some(operation) = defining_operation(pointers) else {
        let owner = argument_owner(pointers)?;
        let number = result_number(pointers);
        return match name(owner) {
            "func.func" => Some(Some(number)),
            "scf.for" => carried(owner, number.checked_sub(1)?, open),
            _ => None,
        };
    };
    if name(operation) == "scf.for" {
        return carried(operation, result_number(pointers), open);
    }
    match TileOp::of(operation)? {
        TileOp::PointerOffset(_)
        | TileOp::PointerCast(_)
        | TileOp::Splat(_)
        | TileOp::Expand(_)
        | TileOp::Broadcast(_)
        | TileOp::Reshape(_)
        | TileOp::Permute(_)
        | TileOp::Convert(_) => origin(operand(operation, 0), open),
        _ => None,
    }
}

/// That of pointers that a loop carries, if an iteration does not change them for others.
fn carried(of: Operation<'_>, number: usize, open: &mut Vec<ValueKey>) -> Option<Option<usize>> {
    let body = region_block(of, 0)?;
    let own = key(*arguments(body).get(number + 1)?);
    if open.contains(&own) {
        return Some(None);
    }
    let first = *operands(of).get(LOOP_RANGE + number)?;
    let last = *operands(*operations(body).last()?).get(number)?;
    open.push(own);
    let both = origin(first, open).zip(origin(last, open));
    open.pop();
    match both? {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => Some(one.or(other)),
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
