//! Value ranges of integers, of scalars and of all elements of tiles, by a short walk over their definitions.

use std::collections::HashSet;

use melior::ir::ValueLike;
use melior::ir::r#type::IntegerType;
use tile_runtime::launch::GRID_LIMITS;

use super::constant_of;
use crate::dialect::TileOp;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{TileType, Value, ValueKey, element_type, key, name, operand};

/// How many definitions are followed, one behind the other.
const DEPTH: u32 = 32;

/// How many in all: what is used twice in each step would be looked at 2^steps times.
const STEPS: u32 = 256;

/// Smallest and largest value, `None` when nothing better than the type's limits is known.
pub fn of(value: Value<'_>) -> Option<(i128, i128)> {
    of_promised(value, &HashSet::new())
}

/// The same where these are not negative.
pub fn of_promised(value: Value<'_>, natural: &HashSet<ValueKey>) -> Option<(i128, i128)> {
    let mut walk = Walk {
        natural,
        steps: STEPS,
    };
    walk.value(value, DEPTH)
}

/// The most programs along an axis.
pub fn most_programs(axis: i64) -> i64 {
    let limit = GRID_LIMITS.get(axis as usize).copied();
    limit.unwrap_or(i64::from(i32::MAX))
}

/// A walk over definitions.
struct Walk<'a> {
    natural: &'a HashSet<ValueKey>,
    /// How many may still be looked at.
    steps: u32,
}

impl Walk<'_> {
    fn value(&mut self, value: Value<'_>, depth: u32) -> Option<(i128, i128)> {
        if let Some(constant) = constant_of(value) {
            return Some((constant.into(), constant.into()));
        }
        self.steps = self.steps.checked_sub(1)?;
        let range = self.defined(value, depth.checked_sub(1)?);
        match self.natural.contains(&key(value)) {
            true => range
                .or_else(|| limits(value))
                .map(|(least, most)| (least.max(0), most.max(0))),
            false => range,
        }
    }

    /// The range of a value that is no constant.
    fn defined(&mut self, value: Value<'_>, depth: u32) -> Option<(i128, i128)> {
        let Some(operation) = defining_operation(value) else {
            let owner = argument_owner(value)?;
            if name(owner) == "scf.for" && result_number(value) == 0 {
                let (lo, _) = self.value(operand(owner, 0), depth)?;
                let end = operand(owner, 1);
                let (_, hi) = self.value(end, depth).or_else(|| limits(end))?;
                return Some((lo, (hi - 1).max(lo)));
            }
            return None;
        };
        match TileOp::of(operation) {
            Some(TileOp::ProgramId(query)) => {
                return Some((0, i128::from(most_programs(query.axis())) - 1));
            }
            Some(TileOp::NumPrograms(query)) => {
                return Some((1, most_programs(query.axis()).into()));
            }
            Some(TileOp::Arange(arange)) => {
                let size = TileType::of(value)?.shape().iter().product::<u64>();
                let lo = i128::from(arange.lo());
                return Some((lo, lo + i128::from(size) - 1));
            }
            Some(
                TileOp::Splat(_)
                | TileOp::Expand(_)
                | TileOp::Broadcast(_)
                | TileOp::Permute(_)
                | TileOp::Reshape(_)
                | TileOp::Convert(_),
            ) => return self.value(operand(operation, 0), depth),
            _ => {}
        }
        let mut of = |index| self.value(operand(operation, index), depth);
        let (lo, hi) = match name(operation) {
            "arith.extsi" => {
                let narrow = operand(operation, 0);
                return of(0).or_else(|| limits(narrow));
            }
            "arith.extui" => {
                let known = of(0).filter(|(lo, _)| *lo >= 0);
                // Without a sign, its numbers are as many from 0 on.
                let all = limits(operand(operation, 0)).map(|(lo, hi)| (0, hi - lo));
                return known.or(all);
            }
            "arith.trunci" => of(0)?,
            "arith.addi" => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0 + b.0, a.1 + b.1)
            }
            "arith.subi" => {
                let (a, b) = (of(0)?, of(1)?);
                (a.0 - b.1, a.1 - b.0)
            }
            "arith.muli" => {
                let (a, b) = (of(0)?, of(1)?);
                let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                (corners.into_iter().min()?, corners.into_iter().max()?)
            }
            "arith.divsi" | "arith.ceildivsi" => {
                let [dividend, divisor] = [0, 1].map(|index| operand(operation, index));
                let by = constant_of(divisor).map(i128::from).filter(|by| *by > 0)?;
                let (least, most) = of(0).or_else(|| limits(dividend))?;
                match name(operation) {
                    "arith.divsi" => (least / by, most / by),
                    _ => (-(-least).div_euclid(by), -(-most).div_euclid(by)),
                }
            }
            // The sign is that of what is divided, and nothing is farther from 0 than that.
            "arith.remsi" => {
                let dividend = operand(operation, 0);
                let (least, most) = of(0).or_else(|| limits(dividend))?;
                let (least, most) = (least.min(0), most.max(0));
                match of(1) {
                    Some((1.., by)) => (least.max(1 - by), most.min(by - 1)),
                    _ => (least, most),
                }
            }
            "arith.select" => {
                let (a, b) = (of(1)?, of(2)?);
                (a.0.min(b.0), a.1.max(b.1))
            }
            // The bits that a mask leaves are at most all of it.
            "arith.andi" => {
                let masks = [of(0), of(1)].into_iter().flatten();
                (0, masks.filter(|(lo, _)| *lo >= 0).map(|(_, hi)| hi).min()?)
            }
            "arith.shrui" => {
                let (least, most) = of(1)?;
                let (_, largest) = limits(value)?;
                if least < 1 || most > 64 {
                    return None;
                }
                // Of the unsigned number, whose bits are one more.
                (0, (2 * largest + 1) >> least)
            }
            _ => return None,
        };
        // A result that may have wrapped says nothing.
        let (least, most) = limits(value)?;
        (lo >= least && hi <= most).then_some((lo, hi))
    }
}

/// What a signed integer of this type can be.
fn limits(value: Value<'_>) -> Option<(i128, i128)> {
    let bits = IntegerType::try_from(element_type(value.r#type()))
        .ok()?
        .width();
    let limit = 1i128 << (bits - 1);
    Some((-limit, limit - 1))
}
