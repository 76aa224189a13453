//! Positions along a dimension as a sum: `step * arange(0, n) + scalars + constant`.

use std::collections::HashMap;

use melior::ir::ValueLike;

use crate::build::Rebuilder;
use crate::dialect::TileOp;
use crate::facts::{FactAnalysis, constant_of};
use crate::ffi::defining_operation;
use crate::ir::{Value, ValueKey, element_type, key, name, operand};
use crate::is_tile;

/// Operations that a sum is read through.
const MOST_OPERATIONS: u32 = 16;

/// Such a sum of `i32` numbers, modulo 2³².
#[derive(Default)]
pub struct Affine<'c> {
    /// How far one position is from the one before it.
    pub step: i64,
    pub constant: i64,
    /// How often each scalar is in it.
    pub scalars: Vec<(i64, Value<'c>)>,
}

impl<'c> Affine<'c> {
    /// The sum that a number or a row of numbers is. What is computed in 64 bits does not wrap where this does.
    pub fn of(positions: Value<'c>) -> Option<Self> {
        let mut sum = Self::default();
        let is_narrow = element_type(positions.r#type()).to_string() == "i32";
        (is_narrow && sum.add(positions, 1, &mut 0).is_some()).then_some(())?;
        Some(sum.without_zeros())
    }

    fn add(&mut self, value: Value<'c>, times: i64, seen: &mut u32) -> Option<()> {
        *seen += 1;
        if *seen > MOST_OPERATIONS {
            return None;
        }
        if let Some(constant) = constant_of(value) {
            self.constant = self.constant.checked_add(constant.checked_mul(times)?)?;
            return Some(());
        }
        let operation = defining_operation(value);
        let sides = || operation.map(|of| [0, 1].map(|number| operand(of, number)));
        match operation.map(|of| (name(of), TileOp::of(of))) {
            Some((_, Some(TileOp::Arange(range)))) => {
                self.step = self.step.checked_add(times)?;
                self.constant = self.constant.checked_add(range.lo().checked_mul(times)?)?;
            }
            Some((_, Some(TileOp::Splat(splat)))) => return self.add(splat.scalar(), times, seen),
            Some(("arith.addi", _)) => {
                let [left, right] = sides()?;
                self.add(left, times, seen)?;
                self.add(right, times, seen)?;
            }
            Some(("arith.subi", _)) => {
                let [left, right] = sides()?;
                self.add(left, times, seen)?;
                self.add(right, times.checked_neg()?, seen)?;
            }
            Some(("arith.muli", _)) if sides()?.iter().any(|side| constant_of(*side).is_some()) => {
                let [left, right] = sides()?;
                let (of, by) = match constant_of(right) {
                    Some(by) => (left, by),
                    None => (right, constant_of(left)?),
                };
                self.add(of, times.checked_mul(by)?, seen)?;
            }
            _ if is_tile(value) => return None,
            _ => {
                let mut known = self.scalars.iter_mut();
                match known.find(|(_, other)| key(*other) == key(value)) {
                    Some((sum, _)) => *sum = sum.checked_add(times)?,
                    None => self.scalars.push((times, value)),
                }
            }
        }
        Some(())
    }

    /// Builds the first of the numbers.
    pub fn begin(&self, to: &mut Rebuilder<'c>) -> Value<'c> {
        let ty = to.builder.int_type(32);
        let mut begin = to.builder.constant_int(self.constant, ty);
        for (times, scalar) in &self.scalars {
            let scalar = to.one(*scalar);
            let builder = &mut to.builder;
            let scaled = match times {
                1 => scalar,
                _ => {
                    let times = builder.constant_int(*times, ty);
                    builder.multiply(scalar, times)
                }
            };
            // Without a 0, which is a number of its own where starts are compared.
            begin = match constant_of(begin) {
                Some(0) => scaled,
                _ => builder.add(scaled, begin),
            };
        }
        begin
    }

    /// This without another sum.
    pub fn without(mut self, other: &Self) -> Option<Self> {
        self.step = self.step.checked_sub(other.step)?;
        self.constant = self.constant.checked_sub(other.constant)?;
        for (times, value) in &other.scalars {
            self.add(*value, times.checked_neg()?, &mut 0)?;
        }
        Some(self.without_zeros())
    }

    /// Between which numbers the first of them is, were nothing to wrap.
    pub fn range(&self, facts: &FactAnalysis<'c>) -> Option<(i128, i128)> {
        let mut range = (self.constant.into(), self.constant.into());
        for (times, value) in &self.scalars {
            let (least, most) = facts.range(*value)?;
            let ends = [least, most].map(|end| end * i128::from(*times));
            range.0 += ends[0].min(ends[1]);
            range.1 += ends[0].max(ends[1]);
        }
        Some(range)
    }

    fn without_zeros(mut self) -> Self {
        self.scalars.retain(|(times, _)| *times != 0);
        self
    }

    /// The scalars, whatever their order.
    pub fn of_scalars(&self) -> HashMap<ValueKey, i64> {
        let each = self.scalars.iter();
        each.map(|(times, value)| (key(*value), *times)).collect()
    }

    /// Whether two sums are the same numbers.
    pub fn is(&self, other: &Self) -> bool {
        (self.step, self.constant) == (other.step, other.constant)
            && self.of_scalars() == other.of_scalars()
    }
}
