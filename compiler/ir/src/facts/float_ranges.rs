//! Value ranges of f32, of scalars and of all elements of tiles, by a short walk over their definitions.
//!
//! A NaN is in no range and may still be there. What an operation computes is rounded, and `exp` is not exact, so each range
//! is made wider: a small error is a large part of what is left where two numbers cancel.

use melior::ir::operation::OperationLike;

use crate::dialect::TileOp;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, name, operand};

/// How many definitions are followed.
const DEPTH: u32 = 16;

/// Smallest and largest value.
pub fn of(value: Value<'_>) -> (f64, f64) {
    walk(value, DEPTH).unwrap_or(ANY)
}

/// The number that a constant of the program is, in all its elements.
pub fn constant_number(value: Value<'_>) -> Option<f64> {
    let operation = defining_operation(value)?;
    if name(operation) != "arith.constant" {
        return None;
    }
    let text = operation.attribute("value").ok()?.to_string();
    let number = text.trim_start_matches("dense<");
    number.split(['>', ' ']).next()?.parse().ok()
}

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

fn walk(value: Value<'_>, depth: u32) -> Option<(f64, f64)> {
    if let Some(constant) = constant_number(value) {
        return Some((constant, constant));
    }
    let operation = defining_operation(value)?;
    let depth = depth.checked_sub(1)?;
    let at = |index| walk(operand(operation, index), depth).unwrap_or(ANY);
    if is_moved(operation) {
        return Some(at(0));
    }
    let range = match name(operation) {
        "arith.negf" => {
            let (low, high) = at(0);
            (-high, -low)
        }
        "math.absf" => {
            let (low, high) = at(0);
            (low.max(-high).max(0.0), high.max(-low))
        }
        "math.exp" => {
            let (low, high) = at(0);
            (low.exp(), high.exp())
        }
        "math.exp2" => {
            let (low, high) = at(0);
            (low.exp2(), high.exp2())
        }
        "arith.addf" => {
            let (a, b) = (at(0), at(1));
            (a.0 + b.0, a.1 + b.1)
        }
        "arith.subf" => {
            let (a, b) = (at(0), at(1));
            (a.0 - b.1, a.1 - b.0)
        }
        "arith.mulf" => {
            let (a, b) = (at(0), at(1));
            let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            // A zero times infinity: nothing is known.
            if all.iter().any(|product| product.is_nan()) {
                return None;
            }
            let low = all.into_iter().fold(f64::INFINITY, f64::min);
            (low, all.into_iter().fold(f64::NEG_INFINITY, f64::max))
        }
        "arith.divf" => {
            let (a, b) = (at(0), at(1));
            if a.0 < 0.0 || b.0 <= 0.0 {
                return None;
            }
            (a.0 / b.1, a.1 / b.0)
        }
        "arith.select" => {
            let (a, b) = (at(1), at(2));
            (a.0.min(b.0), a.1.max(b.1))
        }
        _ => return None,
    };
    // Infinities that cancel.
    (!range.0.is_nan() && !range.1.is_nan()).then(|| computed(range))
}

/// What may come of results in a range: rounded, too small for f32, or too large.
fn computed((low, high): (f64, f64)) -> (f64, f64) {
    // More than `exp` is wrong by, also the fast one, whose exponent is rounded.
    const ERROR: f64 = 1.0 / 4096.0;
    let room = |bound: f64| bound.abs() * ERROR + f64::from(f32::MIN_POSITIVE);
    let largest = f64::from(f32::MAX);
    let (low, high) = (low - room(low), high + room(high));
    let low = if low < -largest {
        ANY.0
    } else {
        low.min(largest)
    };
    let high = if high > largest {
        ANY.1
    } else {
        high.max(-largest)
    };
    (low, high)
}

/// Whether an operation gives its operand's elements, in other places.
fn is_moved(operation: Operation<'_>) -> bool {
    matches!(
        TileOp::of(operation),
        Some(
            TileOp::Splat(_)
                | TileOp::Expand(_)
                | TileOp::Broadcast(_)
                | TileOp::Permute(_)
                | TileOp::Reshape(_)
                | TileOp::Convert(_)
        )
    )
}
