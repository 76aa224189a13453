//! Which pieces of a copy lie inside of a tensor.
//!
//! ```text
//! %m = broadcast(expand(splat(%i) + arange(64) < splat(%rows))) & broadcast(expand(…))
//!   ⇒  where the first piece lies along each axis; from there to the others it is so many rows or columns
//! ```
//!
//! LLVM would compute what stays the same from round to round before the loop: the row of each piece, a register for
//! each, which a loop of products does not have. In a round it takes one instruction, beside the products.

use melior::ir::ValueLike;

use super::ToLlvm;
use super::steps::are_neighbours;
use super::threads::inline_asm;
use crate::build::{Builder, Rebuilder};
use crate::dialect::{TileOp, predicates};
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, int_attribute, name, operand};
use crate::layout::Layout;

/// A part of the mask of a piece.
#[derive(Clone, Copy)]
pub(super) enum Part<'c> {
    Holds(Value<'c>),
    /// So far from a position it is less than a limit.
    Below(Value<'c>, i64, Value<'c>),
}

impl<'c> Part<'c> {
    /// Whether it holds, `i1`.
    fn get(self, builder: &mut Builder<'c>) -> Value<'c> {
        match self {
            Self::Holds(holds) => holds,
            Self::Below(from, distance, limit) => {
                let distance = builder.constant_int(distance, from.r#type());
                let position = builder.add(from, distance);
                builder.compare_int(predicates::ULT, position, limit)
            }
        }
    }

    /// Whether all hold; `None` if there are none.
    pub(super) fn all(builder: &mut Builder<'c>, parts: &[Self]) -> Option<Value<'c>> {
        let parts = parts
            .iter()
            .map(|part| part.get(builder))
            .collect::<Vec<_>>();
        parts.into_iter().reduce(|all, one| builder.and(all, one))
    }
}

/// A part of a mask that depends on the position along one axis, or on none.
struct Condition<'c> {
    axis: Option<usize>,
    /// A tile of that axis, or a scalar.
    holds: Value<'c>,
}

/// The parts of which all have to hold; `None` if that is not what a mask is made of.
fn conditions(mask: Value<'_>) -> Option<Vec<Condition<'_>>> {
    let operation = defining_operation(mask)?;
    match TileOp::of(operation) {
        Some(TileOp::Splat(splat)) => {
            return Some(vec![Condition {
                axis: None,
                holds: splat.scalar(),
            }]);
        }
        Some(TileOp::Expand(expand)) => {
            let added = expand.axis() as usize;
            let mut list = conditions(expand.operand())?;
            for axis in list.iter_mut().filter_map(|one| one.axis.as_mut()) {
                *axis += usize::from(*axis >= added);
            }
            return Some(list);
        }
        Some(TileOp::Broadcast(broadcast)) => {
            let sizes = TileType::of(broadcast.operand())?.shape();
            let list = conditions(broadcast.operand())?;
            // A position that is repeated is the same everywhere.
            let is_repeated = |one: &Condition<'_>| one.axis.is_some_and(|axis| sizes[axis] == 1);
            return (!list.iter().any(is_repeated)).then_some(list);
        }
        _ => {}
    }
    if name(operation) == "arith.andi" {
        let mut list = conditions(operand(operation, 0))?;
        list.extend(conditions(operand(operation, 1))?);
        return Some(list);
    }
    let is_row = TileType::of(mask)?.shape().len() == 1;
    is_row.then(|| {
        vec![Condition {
            axis: Some(0),
            holds: mask,
        }]
    })
}

/// The positions that a condition compares, and what they have to be less than.
fn compared(condition: Operation<'_>) -> Option<(Value<'_>, Value<'_>)> {
    let is_below = name(condition) == "arith.cmpi"
        && int_attribute(condition, "predicate") == Some(predicates::ULT);
    if !is_below {
        return None;
    }
    let (positions, limit) = (operand(condition, 0), operand(condition, 1));
    let TileOp::Splat(limit) = defining_operation(limit).and_then(TileOp::of)? else {
        return None;
    };
    // A row is counted from where it starts.
    let sum = defining_operation(positions)?;
    if name(sum) != "arith.addi" {
        return None;
    }
    let is_start = |value: Value<'_>| {
        let defined = defining_operation(value).and_then(TileOp::of);
        matches!(defined, Some(TileOp::Splat(_)))
    };
    let [a, b] = [0, 1].map(|index| operand(sum, index));
    let is_row = is_start(a) && are_neighbours(b) || are_neighbours(a) && is_start(b);
    is_row.then(|| (positions, limit.scalar()))
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The masks of these registers, in parts; as they are, if they are not to be computed close to where they are used.
    pub(super) fn bounded(
        &self,
        to: &mut Rebuilder<'c>,
        layout: &Layout,
        mask: Value<'c>,
        registers: &[usize],
        is_close: bool,
    ) -> Vec<Vec<Part<'c>>> {
        let found = to.many(mask).to_vec();
        let as_found = || {
            let each = registers.iter().map(|register| found[*register]);
            each.map(|holds| vec![Part::Holds(holds)]).collect()
        };
        if !is_close {
            return as_found();
        }
        let (Some(list), Some(base)) = (conditions(mask), registers.first().copied()) else {
            return as_found();
        };
        let moved: Option<Vec<_>> = registers
            .iter()
            .map(|register| layout.distance(base, *register))
            .collect();
        let Some(moved) = moved else {
            return as_found();
        };
        let mut all: Vec<Vec<Part<'c>>> = vec![Vec::new(); registers.len()];
        for condition in list {
            let Some(holds) = self.along(to, layout, &condition, registers, &moved) else {
                return as_found();
            };
            for (all, holds) in all.iter_mut().zip(holds) {
                all.push(holds);
            }
        }
        all
    }

    /// Whether a condition holds for each of these registers, which are so far from the first.
    fn along(
        &self,
        to: &mut Rebuilder<'c>,
        layout: &Layout,
        condition: &Condition<'c>,
        registers: &[usize],
        moved: &[Vec<i64>],
    ) -> Option<Vec<Part<'c>>> {
        let Some(axis) = condition.axis else {
            let holds = to.one(condition.holds);
            return Some(vec![Part::Holds(holds); registers.len()]);
        };
        let of = |to: &Rebuilder<'c>, tile: Value<'c>, register: usize| {
            let at = layout.register_coordinates(register)[axis];
            let own = self.encodings.layout(tile);
            let register = own.register_with_coordinates(&[at])?;
            to.many(tile).get(register).copied()
        };
        let is_spread = moved.iter().any(|moved| moved[axis] != 0);
        let compared = defining_operation(condition.holds).and_then(compared);
        let Some((positions, limit)) = compared.filter(|_| is_spread) else {
            let each = registers.iter();
            let each = each.map(|register| of(to, condition.holds, *register).map(Part::Holds));
            return each.collect();
        };
        let first = of(to, positions, registers[0])?;
        let limit = to.one(limit);
        let ty = first.r#type();
        let (bits, letter) = match ty.to_string().as_str() {
            "i32" => (32, "r"),
            "i64" => (64, "l"),
            _ => return None,
        };
        // In this iteration, as far as LLVM knows.
        let text = format!("mov.b{bits} $0, $1;");
        let constraints = format!("={letter},{letter}");
        let first = inline_asm(&mut to.builder, &text, &constraints, &[first], &[ty], true)[0];
        let each = moved
            .iter()
            .map(|moved| Part::Below(first, moved[axis], limit));
        Some(each.collect())
    }
}
