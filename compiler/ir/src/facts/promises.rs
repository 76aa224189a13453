//! What `assume` promises: divisors, as in `assume(n % 8 == 0)`, and that a number is not negative, as in `assume(start >= 0)`.
//!
//! A promise counts for its value everywhere if it stands in the block that defines the value: who gets
//! to the definition gets to the promise. One inside an `if` says nothing about the code outside.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;

use super::{common_power, constant_of};
use crate::dialect::{TileOp, predicates};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, ValueKey, arguments, int_attribute, key, name, operand, operands,
    operations, region_block, results,
};

/// What is promised of the values of a function.
#[derive(Debug, Default)]
pub struct Promises {
    /// Divisors, powers of two.
    pub divisors: HashMap<ValueKey, u64>,
    /// Those that are not negative.
    pub natural: HashSet<ValueKey>,
}

/// All promises of a function.
pub fn of(function: Operation<'_>) -> Promises {
    let mut promised = Promises::default();
    if let Some(block) = region_block(function, 0) {
        walk(block, &mut promised);
    }
    promised
}

fn walk(block: Block<'_>, promised: &mut Promises) {
    let mut defined: HashSet<_> = arguments(block).into_iter().map(key).collect();
    for operation in operations(block) {
        if let Some(TileOp::Assume(assume)) = TileOp::of(operation) {
            let mut open = vec![assume.condition()];
            while let Some(condition) = open.pop() {
                let both = defining_operation(condition).filter(|of| name(*of) == "arith.andi");
                open.extend(both.into_iter().flat_map(operands));
                if let Some((value, divisor)) = divisible(condition)
                    && defined.contains(&key(value))
                {
                    let known = promised.divisors.entry(key(value)).or_insert(1);
                    *known = divisor.max(*known);
                }
                let natural = natural(condition).map(key);
                promised
                    .natural
                    .extend(natural.filter(|value| defined.contains(value)));
            }
        }
        defined.extend(results(operation).into_iter().map(key));
        for index in 0..operation.region_count() {
            if let Some(inner) = region_block(operation, index) {
                walk(inner, promised);
            }
        }
    }
}

/// The `value` of `value >= 0`, and of what says more.
fn natural(condition: Value<'_>) -> Option<Value<'_>> {
    let comparison = defining_operation(condition).filter(|of| name(*of) == "arith.cmpi")?;
    let least = constant_of(operand(comparison, 1))?;
    let is_natural = match int_attribute(comparison, "predicate")? {
        predicates::SGE => least >= 0,
        predicates::SGT => least >= -1,
        _ => false,
    };
    is_natural.then(|| operand(comparison, 0))
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
