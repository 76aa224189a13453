//! Along which axis neighbours lie nearest each other, where no fact says how they lie.
//!
//! ```text
//! (i * 64 + arange(0, 64)) % width                  beside each other: only where a line ends another one follows
//! (i * 64 + arange(0, 64)) / width                  nearly in one place
//! rows[:, None] * row + columns[None, :] * column   nearest along the axis whose stride is declared last, as a tensor's dimensions are
//! ```
//!
//! Lanes along such an axis ask for fewer sectors, though each takes an element by itself.

use std::cmp::Reverse;

use crate::dialect::TileOp;
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, TileType, Value, name, operand, operands};

/// How far it is looked back what positions are computed from.
const DEPTH: u32 = 64;

/// By how much most neighbours along an axis differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Constant(u64),
    /// By the argument of this number.
    Argument(usize),
}

/// The axis along which neighbours are nearest, if that is known.
pub fn axis(pointers: Value<'_>) -> Option<usize> {
    let shape = TileType::of(pointers)?.shape();
    let long = (0..shape.len()).filter(|axis| shape[*axis] > 1);
    let steps: Vec<_> = long
        .map(|axis| (axis, step(pointers, axis, DEPTH)))
        .collect();
    let near = |step: Option<Step>| match step? {
        Step::Constant(1) => Some(0),
        Step::Constant(0) => Some(1),
        _ => None,
    };
    let nearest = steps
        .iter()
        .filter_map(|(axis, step)| Some((near(*step)?, *axis)));
    if let Some((_, axis)) = nearest.min() {
        return Some(axis);
    }
    let far = |(axis, step): &(usize, Option<Step>)| match (*step)? {
        Step::Constant(distance) => Some(((Reverse(usize::MAX), distance), *axis)),
        Step::Argument(number) => Some(((Reverse(number), 0), *axis)),
    };
    let all: Option<Vec<_>> = steps.iter().map(far).collect();
    all?.into_iter().min().map(|(_, axis)| axis)
}

fn step(value: Value<'_>, axis: usize, depth: u32) -> Option<Step> {
    let shape = TileType::of(value).map(TileType::shape);
    if shape.is_none_or(|shape| shape.get(axis).is_none_or(|size| *size == 1)) {
        return Some(Step::Constant(0));
    }
    let of = |value, axis| step(value, axis, depth.checked_sub(1)?);
    let Some(operation) = defining_operation(value) else {
        // What a loop carries moves as a whole.
        let owner = argument_owner(value).filter(|owner| name(*owner) == "scf.for")?;
        let first = operands(owner).get(2 + result_number(value)).copied()?;
        return of(first, axis);
    };
    match TileOp::of(operation) {
        Some(TileOp::Arange(_)) => return Some(Step::Constant(1)),
        Some(TileOp::Splat(_)) => return Some(Step::Constant(0)),
        Some(TileOp::Broadcast(broadcast)) => return of(broadcast.operand(), axis),
        Some(TileOp::Expand(expand)) => {
            let new = expand.axis() as usize;
            return of(expand.operand(), axis - usize::from(new < axis));
        }
        Some(TileOp::PointerOffset(_)) => return sum(operation, |value| of(value, axis)),
        Some(_) => return None,
        None => {}
    }
    let [one, other] = [0, 1].map(|number| operands(operation).get(number).copied());
    let is_one_place = |value| of(value, axis) == Some(Step::Constant(0));
    match name(operation) {
        "arith.constant" => constant_of(value).map(|_| Step::Constant(0)),
        "arith.extsi" | "arith.extui" | "arith.trunci" => of(one?, axis),
        "arith.addi" => sum(operation, |value| of(value, axis)),
        "arith.subi" | "arith.remsi" | "arith.remui" if is_one_place(other?) => of(one?, axis),
        "arith.divsi" | "arith.divui" | "arith.floordivsi" if is_one_place(other?) => {
            of(one?, axis).map(|_| Step::Constant(0))
        }
        "arith.muli" => match [of(one?, axis)?, of(other?, axis)?] {
            [Step::Constant(step), Step::Constant(0)] => scaled(step, other?),
            [Step::Constant(0), Step::Constant(step)] => scaled(step, one?),
            _ => None,
        },
        "arith.minsi" | "arith.maxsi" if is_one_place(other?) => of(one?, axis),
        _ => None,
    }
}

/// That of two that are added.
fn sum<'c>(operation: Operation<'c>, of: impl Fn(Value<'c>) -> Option<Step>) -> Option<Step> {
    match [0, 1].map(|number| of(operand(operation, number))) {
        [Some(Step::Constant(0)), other] | [other, Some(Step::Constant(0))] => other,
        [Some(Step::Constant(one)), Some(Step::Constant(other))] => {
            one.checked_add(other).map(Step::Constant)
        }
        _ => None,
    }
}

/// A step times a number that is the same for all.
fn scaled(step: u64, by: Value<'_>) -> Option<Step> {
    if step == 0 {
        return Some(Step::Constant(0));
    }
    if let Some(number) = constant_of(by) {
        let number = u64::try_from(number).ok()?;
        return step.checked_mul(number).map(Step::Constant);
    }
    let mut number = by;
    while let Some(operation) = defining_operation(number) {
        let is_passed_on = matches!(
            TileOp::of(operation),
            Some(TileOp::Splat(_) | TileOp::Broadcast(_))
        ) || name(operation) == "arith.extsi";
        number = is_passed_on.then(|| operand(operation, 0))?;
    }
    argument_owner(number).filter(|owner| name(*owner) == "func.func" && step == 1)?;
    Some(Step::Argument(result_number(number)))
}
