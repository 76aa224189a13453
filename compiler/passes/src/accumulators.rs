//! Loops whose variables are accumulators: their iterations may be computed in parts, which are then added.
//!
//! That is right where all a loop carries are accumulators of 32 bits that nothing in it reads, and where neither it
//! nor what stands before it has effects, as every part does that.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::each_operation;
use crate::dialect::TileOp;
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, TileType, Value, ValueKey, arguments, key, name, operands, operations,
    region_block, results,
};

/// Whether an operation, or one in it, does something that must be done once.
pub fn has_effects(operation: Operation<'_>) -> bool {
    let mut found = false;
    let mut look = |inner: Operation<'_>| {
        found |= match TileOp::of(inner) {
            Some(TileOp::Asm(asm)) => asm.effects() != 0,
            Some(own) => matches!(
                own,
                TileOp::Store(_)
                    | TileOp::StoreView(_)
                    | TileOp::Atomic(_)
                    | TileOp::Print(_)
                    | TileOp::Assert(_)
            ),
            None => false,
        };
    };
    look(operation);
    each_operation(operation, &mut look);
    found
}

/// Whether an operation is a counted loop whose variables are all sums, which it only adds to.
pub fn only_accumulates<'c>(
    of: Operation<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> bool {
    // Of 64 bits: the next iteration's number must not overflow.
    let counts = |of| operands(of).first().map(|first| first.r#type().to_string());
    if name(of) != "scf.for" || results(of).is_empty() || counts(of).as_deref() != Some("i64") {
        return false;
    }
    let Some(body) = region_block(of, 0) else {
        return false;
    };
    let all = operations(body);
    let Some(last) = all.last() else {
        return false;
    };
    let sums = arguments(body).into_iter().skip(1).zip(operands(*last));
    sums.into_iter()
        .all(|(carried, next)| is_sum(carried, next, body, users))
}

/// Whether `next` is what an iteration makes of `carried` by adding alone: a chain of products' sums and
/// additions leads from one to the other, and nothing else looks at it on the way.
pub fn is_sum<'c>(
    carried: Value<'c>,
    next: Value<'c>,
    body: Block<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> bool {
    let Some(tile) = TileType::of(carried) else {
        return false;
    };
    if !matches!(tile.element().to_string().as_str(), "f32" | "i32") {
        return false;
    }
    let mut at = next;
    loop {
        let once = users.get(&key(at)).is_some_and(|users| users.len() == 1);
        if key(at) == key(carried) {
            // Unused but for the chain that led here, and changed in it.
            return once && key(at) != key(next);
        }
        let here =
            |operation: Operation<'c>| operation.block().map(crate::ffi::block) == Some(body);
        let Some(operation) = defining_operation(at).filter(|operation| here(*operation)) else {
            return false;
        };
        if !once {
            return false;
        }
        at = match TileOp::of(operation) {
            Some(TileOp::Dot(dot)) => dot.accumulator(),
            Some(_) => return false,
            None if matches!(name(operation), "arith.addf" | "arith.addi") => {
                let [left, right] = operands(operation)[..] else {
                    return false;
                };
                // Which of the two the chain comes through: one at most, as it has a user only.
                match (reaches(left, carried, body), reaches(right, carried, body)) {
                    (true, false) => left,
                    (false, true) => right,
                    _ => return false,
                }
            }
            None => return false,
        };
    }
}

/// Whether a value of the loop's body is made of another.
fn reaches<'c>(value: Value<'c>, of: Value<'c>, body: Block<'c>) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if key(value) == key(of) {
            return true;
        }
        if !seen.insert(key(value)) {
            continue;
        }
        if let Some(operation) = defining_operation(value)
            && operation.block().map(crate::ffi::block) == Some(body)
        {
            open.extend(operands(operation));
            // What a construct in the body reads from around it.
            each_operation(operation, &mut |inner| open.extend(operands(inner)));
        }
    }
    false
}

/// Whether a value is a tile of zeros, of either sign, that the program wrote down.
pub fn is_zero(value: Value<'_>) -> bool {
    crate::facts::constant_number(value) == Some(0.0)
}
