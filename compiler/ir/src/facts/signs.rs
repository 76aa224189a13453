//! Which integers cannot be negative, but for sums and products that wrap.

use crate::dialect::SIZES;
use crate::dialect::TileOp;
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, Value, ints_attribute, name, operand};

/// How many definitions are followed.
const DEPTH: u32 = 32;

/// Whether a value of a function is computed from what is not negative, by what keeps it so as long as nothing wraps.
pub fn is_natural(function: Operation<'_>, value: Value<'_>) -> bool {
    let sizes = ints_attribute(function, SIZES).unwrap_or_default();
    walk(value, &sizes, DEPTH)
}

fn walk(value: Value<'_>, sizes: &[i64], depth: u32) -> bool {
    if let Some(constant) = constant_of(value) {
        return constant >= 0;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let Some(operation) = defining_operation(value) else {
        let number = result_number(value);
        return match argument_owner(value) {
            Some(owner) if name(owner) == "func.func" => sizes.contains(&(number as i64)),
            // A counter goes up from where it begins.
            Some(owner) if name(owner) == "scf.for" && number == 0 => {
                walk(operand(owner, 0), sizes, depth)
            }
            _ => false,
        };
    };
    let is = |index: usize| walk(operand(operation, index), sizes, depth);
    if let Some(TileOp::ProgramId(_) | TileOp::NumPrograms(_)) = TileOp::of(operation) {
        return true;
    }
    match name(operation) {
        "arith.extsi" | "arith.extui" | "arith.trunci" | "arith.index_cast" => is(0),
        // The sign of a remainder is that of what is divided.
        "arith.remsi" | "arith.shrsi" => is(0),
        "arith.addi" | "arith.muli" | "arith.divsi" | "arith.ceildivsi" | "arith.floordivsi"
        | "arith.minsi" => is(0) && is(1),
        "arith.maxsi" | "arith.andi" => is(0) || is(1),
        "arith.select" => is(1) && is(2),
        _ => false,
    }
}
