//! Divisions of tiles that no program of a launch divides negative numbers for.
//!
//! ```text
//! %columns = splat(%first) + arange(0, 256);  %columns % splat(%n), %columns / 8   ⇒   the same of numbers without a sign
//! ```
//!
//! Kernels that wrap rows and columns around at the end of a matrix, as Triton's do, load whole vectors only where a run of columns
//! stays a run, and remainders of negative numbers are 0 and then negative. What lies eight to a word is loaded once for these
//! eight where their quotients are the same, and those of negative numbers are rounded up. That `%first` is none depends on how the program's
//! number, the sizes and the grid belong together: with the last group of programs that share columns, say. A launch knows all of
//! them as numbers, so the variant asks it ([`Assumption::Within`]). A loop's counter lies between its bounds.
//!
//! Large tiles that are divided by numbers of the launch, as where positions of all dimensions are counted as one, ask as well: without a sign
//! a quotient takes three instructions instead of ten ([`integers`](crate::to_llvm)).

use std::collections::HashSet;

use melior::ir::ValueLike;
use tile_runtime::manifest::{Assumption, SizeExpr};

use super::VariantRequest;
use super::demands::widths;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{NATURAL, TileOp};
use crate::each_operation;
use crate::facts::{self, FactAnalysis, constant_of};
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, address, name, operand, operands, results};
use crate::launch::{End, MOST_PARTS, Search, Walk, is_wide, within};

/// Elements of a tile from which on it is worth asking for fewer instructions.
const MANY: u64 = 512;

/// The divisions of a function that have no sign, and what the launch has to know for that.
#[derive(Default)]
pub struct Unsigned {
    of: HashSet<usize>,
    pub assumptions: Vec<Assumption>,
}

impl Unsigned {
    pub fn find<'c>(function: Operation<'c>, variant: &VariantRequest) -> Self {
        if variant.names.is_empty() {
            return Self::default();
        }
        let mut found: Vec<(usize, Vec<Assumption>)> = Vec::new();
        let mut slow = HashSet::new();
        let facts = FactAnalysis::new(function);
        let search = Search::of(function, variant);
        each_operation(function, &mut |operation| {
            let is_tile = || TileType::of(results(operation)[0]).is_some();
            let [divided, divisor] = match name(operation) {
                "arith.remsi" | "arith.divsi" if is_tile() => {
                    [operand(operation, 0), operand(operation, 1)]
                }
                _ => return,
            };
            let is_number = constant_of(divisor).is_some();
            let elements =
                |value| TileType::of(value).map_or(1, |tile| tile.shape().iter().product());
            // What is negative in some launches is not asked about for that: they would have no fast variant.
            let is_natural = is_natural_tile(function, divided, MOST_PARTS);
            let is_slow = is_natural && !is_number && elements(divided) >= MANY;
            // Runs of other quotients are not known either way.
            let is_known = is_natural && facts::power_of_two_divisor(operation).is_some();
            if name(operation) == "arith.divsi" && !is_known && !is_slow {
                return;
            }
            if !is_slow && facts.range(divided).is_some_and(|(least, _)| least >= 0) {
                return;
            }
            if let Some(all) = search.assumptions(divided, divisor) {
                found.push((address(operation), all));
                if is_slow {
                    slow.insert(address(operation));
                }
            }
        });
        // Of others without which accesses are as wide nothing is asked.
        let wide = |found: &[(usize, Vec<Assumption>)]| {
            let of = found.iter().map(|(address, _)| *address).collect();
            let facts = FactAnalysis::new(function).with_unsigned(of);
            widths(function, &facts, variant.has_rows)
        };
        let wanted = wide(&found);
        for index in (0..found.len()).rev() {
            if slow.contains(&found[index].0) {
                continue;
            }
            let one = found.remove(index);
            if wide(&found) != wanted {
                found.insert(index, one);
            }
        }
        let mut unsigned = Self::default();
        for (address, all) in found {
            unsigned.of.insert(address);
            for assumption in all {
                if !unsigned.assumptions.contains(&assumption) {
                    unsigned.assumptions.push(assumption);
                }
            }
        }
        unsigned
    }
}

impl Search<'_> {
    /// What must be so that neither is negative, nor zero is divided by.
    fn assumptions<'c>(&self, divided: Value<'c>, divisor: Value<'c>) -> Option<Vec<Assumption>> {
        let mut walk = Walk::new();
        let mut list = self.assumptions_in(divided, divisor, &mut walk)?;
        list.append(&mut walk.also);
        Some(list)
    }

    fn assumptions_in<'c>(
        &self,
        divided: Value<'c>,
        divisor: Value<'c>,
        walk: &mut Walk,
    ) -> Option<Vec<Assumption>> {
        let ends = [End::Least, End::Most].map(|end| self.tile(divided, end, walk));
        let [(value, from), (last, to)] = [ends[0].clone()?, ends[1].clone()?];
        let by = self.divisor(divisor, End::Least, walk)?;
        let most = i64::from(i32::MAX);
        let is_one = value == last;
        let mut list = Vec::new();
        within(&mut list, value, -from, most - to.max(from))?;
        // Where a loop counts, it begins with one and ends with the other.
        if !is_one {
            within(&mut list, last, -most, most - to)?;
        }
        within(&mut list, by, 1, most)?;
        Some(list)
    }

    /// What all elements are divided by: a number, or an end of what it may be.
    fn divisor<'c>(&self, value: Value<'c>, end: End, walk: &mut Walk) -> Option<SizeExpr> {
        let Some(TileOp::Splat(splat)) = defining_operation(value).and_then(TileOp::of) else {
            return constant_of(value).map(SizeExpr::Const);
        };
        let number = splat.scalar();
        let is_chosen = defining_operation(number).is_some_and(|of| name(of) == "arith.select");
        self.scalar(number, is_chosen.then_some(end), walk)
    }

    /// An end of what a tile has: a number that all elements have in common, and what is added to it.
    fn tile<'c>(&self, value: Value<'c>, end: End, walk: &mut Walk) -> Option<(SizeExpr, i64)> {
        let operation = defining_operation(value).filter(|_| is_wide(value))?;
        match (name(operation), TileOp::of(operation)) {
            (_, Some(TileOp::Splat(splat))) => {
                Some((self.scalar(splat.scalar(), Some(end), walk)?, 0))
            }
            (_, Some(TileOp::Arange(arange))) => {
                let length = i64::try_from(*TileType::of(value)?.shape().first()?).ok()?;
                let more = match end {
                    End::Least => arange.lo(),
                    End::Most => arange.lo() + length - 1,
                };
                Some((SizeExpr::Const(0), more))
            }
            ("arith.addi", _) => {
                let one = self.tile(operand(operation, 0), end, walk)?;
                let other = self.tile(operand(operation, 1), end, walk)?;
                let sum = match (one.0, other.0) {
                    (sum, SizeExpr::Const(0)) | (SizeExpr::Const(0), sum) => sum,
                    (one, other) => SizeExpr::add(one, other),
                };
                Some((sum, one.1 + other.1))
            }
            ("arith.subi", _) => {
                let one = self.tile(operand(operation, 0), end, walk)?;
                let other = self.tile(operand(operation, 1), end.other(), walk)?;
                Some((SizeExpr::sub(one.0, other.0), one.1 - other.1))
            }
            ("arith.divsi" | "arith.remsi", _) => {
                let [divided, divisor] = [0, 1].map(|number| operand(operation, number));
                walk.left = walk.left.checked_sub(1)?;
                let list = self.assumptions_in(divided, divisor, walk)?;
                walk.also.extend(list);
                let value = match (name(operation), end) {
                    ("arith.divsi", _) => {
                        let by = self.divisor(divisor, end.other(), walk)?;
                        let (value, more) = self.tile(divided, end, walk)?;
                        SizeExpr::div(SizeExpr::add(value, SizeExpr::Const(more)), by)
                    }
                    (_, End::Least) => SizeExpr::Const(0),
                    (_, End::Most) => {
                        let by = self.divisor(divisor, end, walk)?;
                        SizeExpr::sub(by, SizeExpr::Const(1))
                    }
                };
                Some((value, 0))
            }
            // Wider numbers of the same value.
            ("arith.extsi", _) => self.tile(operand(operation, 0), end, walk),
            _ => Some((SizeExpr::Const(constant_of(value)?), 0)),
        }
    }
}

/// Whether a tile is computed from what is not negative, by what keeps it so as long as nothing wraps.
fn is_natural_tile<'c>(function: Operation<'c>, value: Value<'c>, depth: usize) -> bool {
    if let Some(number) = constant_of(value) {
        return number >= 0;
    }
    let (Some(depth), Some(operation)) = (depth.checked_sub(1), defining_operation(value)) else {
        return false;
    };
    let is = |number| is_natural_tile(function, operand(operation, number), depth);
    match TileOp::of(operation) {
        Some(TileOp::Splat(splat)) => facts::is_natural(function, splat.scalar()),
        Some(TileOp::Arange(arange)) => arange.lo() >= 0,
        Some(TileOp::Expand(_) | TileOp::Broadcast(_)) => is(0),
        Some(_) => false,
        None => match name(operation) {
            "arith.addi" | "arith.muli" => is(0) && is(1),
            // That nothing is divided by what is negative is asked for as well.
            "arith.divsi" | "arith.remsi" | "arith.extsi" => is(0),
            _ => false,
        },
    }
}

impl Unsigned {
    /// The operations, by address.
    pub fn divisions(&self) -> &HashSet<usize> {
        &self.of
    }
}

impl<'c> Rewrite<'c> for Unsigned {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if !self.of.contains(&address(operation)) {
            return Ok(false);
        }
        let list: Vec<_> = operands(operation).iter().map(|old| to.one(*old)).collect();
        let result = results(operation)[0];
        let without_sign = match name(operation) {
            "arith.divsi" => "arith.divui",
            _ => "arith.remui",
        };
        let natural = [(NATURAL, to.builder.int(1))];
        let new = to
            .builder
            .value(without_sign, &list, &natural, result.r#type());
        to.bind(result, vec![new]);
        Ok(true)
    }
}
