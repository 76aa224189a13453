//! Which integers cannot be negative, but for sums and products that wrap.

use crate::dialect::{GRID, SIZES, TileOp};
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, Value, ints_attribute, name, operand};

/// How many definitions are followed.
const DEPTH: u32 = 32;

/// Whether a value of a function is computed from what is not negative, by what keeps it so as long as nothing wraps.
pub fn is_natural(function: Operation<'_>, value: Value<'_>) -> bool {
    let known = Known {
        sizes: ints_attribute(function, SIZES).unwrap_or_default(),
        grid: ints_attribute(function, GRID).unwrap_or_default(),
    };
    walk(value, &known, DEPTH)
}

/// What a function says of its arguments.
struct Known {
    sizes: Vec<i64>,
    grid: Vec<i64>,
}

impl Known {
    /// Whether a value is how many programs an axis of the grid has.
    fn is_extent(&self, value: Value<'_>, axis: i64) -> bool {
        let Some(operation) = defining_operation(value) else {
            return self.is_argument(value, axis, 1);
        };
        let is = |index: usize| operand(operation, index);
        match name(operation) {
            "arith.trunci" | "arith.extsi" => self.is_extent(is(0), axis),
            "arith.ceildivsi" => {
                let by = constant_of(is(1));
                by.is_some_and(|by| self.is_argument(is(0), axis, by))
            }
            _ => {
                matches!(TileOp::of(operation), Some(TileOp::NumPrograms(of)) if of.axis() == axis)
            }
        }
    }

    /// Whether an axis of the grid is this argument divided by a constant.
    fn is_argument(&self, value: Value<'_>, axis: i64, by: i64) -> bool {
        if let Some(operation) = defining_operation(value) {
            let is_same = matches!(name(operation), "arith.trunci" | "arith.extsi");
            return is_same && self.is_argument(operand(operation, 0), axis, by);
        }
        let is_function = argument_owner(value).is_some_and(|owner| name(owner) == "func.func");
        let axis = self.grid.chunks_exact(2).nth(axis as usize);
        is_function && axis == Some(&[result_number(value) as i64, by])
    }

    /// Whether a value is a program's number counted from the end: `n - 1 - number` or `n - number - 1` of `n` programs.
    fn is_number_from_end(&self, operation: Operation<'_>) -> bool {
        let last = operand(operation, 1);
        let inner = defining_operation(operand(operation, 0));
        let is_sum = |of: &Operation<'_>| matches!(name(*of), "arith.subi" | "arith.addi");
        let Some(inner) = inner.filter(is_sum) else {
            return false;
        };
        let [number, one] = match constant_of(last) {
            Some(_) => [operand(inner, 1), last],
            None => [last, operand(inner, 1)],
        };
        let one = constant_of(one).map(|one| {
            if name(inner) == "arith.addi" {
                -one
            } else {
                one
            }
        });
        let number = defining_operation(number).and_then(TileOp::of);
        one == Some(1)
            && matches!(number, Some(TileOp::ProgramId(of)) if self.is_extent(operand(inner, 0), of.axis()))
    }
}

fn walk(value: Value<'_>, known: &Known, depth: u32) -> bool {
    if let Some(constant) = constant_of(value) {
        return constant >= 0;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let Some(operation) = defining_operation(value) else {
        let number = result_number(value);
        return match argument_owner(value) {
            Some(owner) if name(owner) == "func.func" => known.sizes.contains(&(number as i64)),
            // A counter goes up from where it begins.
            Some(owner) if name(owner) == "scf.for" && number == 0 => {
                walk(operand(owner, 0), known, depth)
            }
            _ => false,
        };
    };
    let is = |index: usize| walk(operand(operation, index), known, depth);
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
        "arith.subi" => known.is_number_from_end(operation),
        _ => false,
    }
}
