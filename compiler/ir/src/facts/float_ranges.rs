//! Value ranges of f32, of scalars and of all elements of tiles, by a short walk over their definitions.
//!
//! A NaN is in no range and may still be there. What an operation computes is rounded, and `exp` is not exact, so each range
//! is made wider: a small error is a large part of what is left where two numbers cancel.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::dialect::{TileOp, predicates};
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, int_attribute, key, name, operand};

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
            let is_negative = is_at_most(operand(operation, 0), operand(operation, 1), depth);
            let high = if is_negative { 0.0 } else { f64::INFINITY };
            (a.0 - b.1, (a.1 - b.0).min(high))
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

/// Whether a number is at most another, if both are numbers: the other is a maximum of it, or both are multiples of such numbers. Where the other
/// is no finite number, one that is chosen instead of it may be less.
fn is_at_most(left: Value<'_>, right: Value<'_>, depth: u32) -> bool {
    if key(left) == key(right) {
        return true;
    }
    let (Some(more), Some(depth)) = (defining_operation(right), depth.checked_sub(1)) else {
        return false;
    };
    match name(more) {
        "arith.maxnumf" => return (0..2).any(|index| key(operand(more, index)) == key(left)),
        "arith.select" => {
            let is_less = [1, 2].map(|index| is_at_most(left, operand(more, index), depth));
            let or_instead = |index: usize| is_less[index - 1] || is_instead(more, index);
            return is_less.contains(&true) && or_instead(1) && or_instead(2);
        }
        _ => {}
    }
    let Some(less) = defining_operation(left).filter(|less| name(*less) == name(more)) else {
        return false;
    };
    let both = |index| (operand(less, index), operand(more, index));
    let is_same = |(one, other): (Value<'_>, Value<'_>)| {
        let constants = (constant_number(one), constant_number(other));
        key(one) == key(other) || constants.0.is_some() && constants.0 == constants.1
    };
    let is_less = |(one, other): (Value<'_>, Value<'_>)| is_at_most(one, other, depth);
    let is_positive = |index| walk(both(index).0, depth).is_some_and(|range| range.0 >= 0.0);
    match name(more) {
        "arith.mulf" => (0..2)
            .any(|index| is_same(both(index)) && is_positive(index) && is_less(both(1 - index))),
        _ => is_moved(more) && attributes_agree(less, more) && is_less(both(0)),
    }
}

/// Whether this operand of a selection is a constant that is chosen where the other one is minus infinity, as what is at most that is then.
fn is_instead(select: Operation<'_>, index: usize) -> bool {
    let is_finite = constant_number(operand(select, index)).is_some_and(f64::is_finite);
    let condition = defining_operation(operand(select, 0)).filter(|of| name(*of) == "arith.cmpf");
    let Some(condition) = condition.filter(|_| is_finite) else {
        return false;
    };
    let chosen_if = match int_attribute(condition, "predicate") {
        Some(predicates::OEQ) => 1,
        Some(predicates::OGT | predicates::UNE) => 2,
        _ => return false,
    };
    let compared = operand(condition, 0);
    let other = operand(select, 3 - index);
    let is_multiple = || {
        let times = defining_operation(other).filter(|of| name(*of) == "arith.mulf");
        let is_positive = |value| constant_number(value).is_some_and(|number| number > 0.0);
        times.is_some_and(|of| {
            (0..2).any(|one| {
                key(operand(of, one)) == key(compared) && is_positive(operand(of, 1 - one))
            })
        })
    };
    let is_other = key(other) == key(compared) || is_multiple();
    index == chosen_if && is_other && is_minus_infinity(operand(condition, 1))
}

fn is_minus_infinity(value: Value<'_>) -> bool {
    let constant = defining_operation(value).and_then(|of| of.attribute("value").ok());
    // MLIR prints infinities as their bits.
    let text = constant.map(|value| value.to_string()).unwrap_or_default();
    text.contains("0xFF800000") || text.contains("0xFFF0000000000000")
}

/// Whether two operations that move elements move them alike.
fn attributes_agree(one: Operation<'_>, other: Operation<'_>) -> bool {
    let types = |of| (operand(of, 0).r#type(), crate::ir::result(of, 0).r#type());
    let said = |of| {
        let all = crate::ir::attributes(of).into_iter();
        all.map(|(name, value)| (name, value.to_string()))
            .collect::<Vec<_>>()
    };
    types(one) == types(other) && said(one) == said(other)
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
