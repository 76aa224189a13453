//! What `assume` promises about divisors: `assume(n % 8 == 0)`.
//!
//! A promise counts for its value everywhere if it stands in the block that defines the value: who gets
//! to the definition gets to the promise. One inside an `if` says nothing about the code outside.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;

use super::{common_power, constant_of};
use crate::dialect::{TileOp, predicates};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, ValueKey, arguments, int_attribute, key, name, operand, operations,
    region_block, results,
};

/// The promised divisor, a power of two, of each value that has one.
pub fn of(function: Operation<'_>) -> HashMap<ValueKey, u64> {
    let mut promised = HashMap::new();
    if let Some(block) = region_block(function, 0) {
        walk(block, &mut promised);
    }
    promised
}

fn walk(block: Block<'_>, promised: &mut HashMap<ValueKey, u64>) {
    let mut defined: HashSet<_> = arguments(block).into_iter().map(key).collect();
    for operation in operations(block) {
        if let Some(TileOp::Assume(assume)) = TileOp::of(operation)
            && let Some((value, divisor)) = divisible(assume.condition())
            && defined.contains(&key(value))
        {
            let known = promised.entry(key(value)).or_insert(1);
            *known = divisor.max(*known);
        }
        defined.extend(results(operation).into_iter().map(key));
        for index in 0..operation.region_count() {
            if let Some(inner) = region_block(operation, index) {
                walk(inner, promised);
            }
        }
    }
}

/// `value % divisor == 0`.
fn divisible(condition: Value<'_>) -> Option<(Value<'_>, u64)> {
    let comparison = defining_operation(condition)?;
    let is_equality = name(comparison) == "arith.cmpi"
        && int_attribute(comparison, "predicate") == Some(predicates::EQ);
    if !is_equality || constant_of(operand(comparison, 1)) != Some(0) {
        return None;
    }
    let remainder = defining_operation(operand(comparison, 0))?;
    if !matches!(name(remainder), "arith.remsi" | "arith.remui") {
        return None;
    }
    let divisor = constant_of(operand(remainder, 1)).filter(|divisor| *divisor != 0)?;
    Some((
        operand(remainder, 0),
        common_power(divisor.unsigned_abs(), 0),
    ))
}
