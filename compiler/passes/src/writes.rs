//! Which parameters a function or loop writes through, and which one pointers come from: what is read through others may be read
//! earlier, or again.

use std::collections::HashSet;

use crate::dialect::TileOp;
use crate::each_operation;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, Value, name, operand};

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

/// The parameters that an operation with regions writes through; `None` if that is not known, or if threads
/// or programs tell each other there when to read.
pub fn written(inside: Operation<'_>) -> Option<HashSet<usize>> {
    let mut written = Some(HashSet::new());
    each_operation(inside, &mut |inner| {
        let parameter = match TileOp::of(inner) {
            Some(TileOp::Store(store)) => parameter(store.pointers()),
            Some(TileOp::StoreView(store)) => parameter(store.base()),
            Some(TileOp::RowsStore(store)) => parameter(store.origin()),
            Some(TileOp::Atomic(atomic)) if atomic.order() == "relaxed" => {
                parameter(atomic.pointers())
            }
            Some(TileOp::Atomic(_)) => None,
            Some(TileOp::Asm(asm)) if asm.effects() != 0 => None,
            _ => return,
        };
        match (parameter, &mut written) {
            (Some(number), Some(written)) => {
                written.insert(number);
            }
            _ => written = None,
        }
    });
    written
}
