//! Positions that are only compared, such as those of a mask: their sums get a promise that they do not wrap.
//!
//! LLVM does not know what divides the place where an iteration begins. With the promise a position is its first one and
//! a constant, also in a comparison. Those of which anything else is made are left as they are: a thread has them anyway (H100, attention
//! with slopes by distance: about 0.94 and 0.97 with the promise, two runs, each against the same compiler).

use std::collections::{HashMap, HashSet};

use crate::dialect::TileOp;
use crate::facts::FactAnalysis;
use crate::ir::{Operation, Value, ValueKey, address, key, name, operand, result};
use crate::{each_operation, is_tile, uses};

/// The sums of a function that do not wrap, and are only compared.
pub(super) fn sums(function: Operation<'_>) -> HashSet<usize> {
    let users = uses(function);
    let facts = FactAnalysis::new(function);
    let mut found = HashSet::new();
    each_operation(function, &mut |operation| {
        if name(operation) == "arith.addi"
            && is_tile(result(operation, 0))
            && is_only_compared(&users, result(operation, 0))
            && facts.sum_fits(operand(operation, 0), operand(operation, 1))
        {
            found.insert(address(operation));
        }
    });
    found
}

fn is_only_compared<'c>(users: &HashMap<ValueKey, Vec<Operation<'c>>>, value: Value<'c>) -> bool {
    let Some(users_of) = users.get(&key(value)) else {
        return false;
    };
    users_of.iter().all(|user| match TileOp::of(*user) {
        Some(TileOp::Expand(_) | TileOp::Broadcast(_)) => is_only_compared(users, result(*user, 0)),
        _ => name(*user) == "arith.cmpi",
    })
}
