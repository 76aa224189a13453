//! Remainders of tiles that no program of a launch divides negative numbers for.
//!
//! ```text
//! %columns = splat(%first) + arange(0, 256);  %columns % splat(%n)   ⇒   the same of numbers without a sign
//! ```
//!
//! Kernels that wrap rows and columns around at the end of a matrix, as Triton's do, load whole vectors only where a run of columns
//! stays a run, and remainders of negative numbers are 0 and then negative. That `%first` is none depends on how the program's
//! number, the sizes and the grid belong together: with the last group of programs that share columns, say. A launch knows all of
//! them as numbers, so the variant asks it ([`Assumption::Within`]).

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use tile_runtime::manifest::{Assumption, SizeExpr, program_id};

use super::VariantRequest;
use super::demands::widths;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::each_operation;
use crate::facts::{FactAnalysis, constant_of};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, arguments, element_type, key, name, operand,
    operands, region_block, results,
};

/// Parts of an expression at most: a launch computes all of them.
const MOST_PARTS: usize = 64;

/// The remainders of a function that have no sign, and what the launch has to know for that.
#[derive(Default)]
pub struct Remainders {
    of: HashSet<usize>,
    pub assumptions: Vec<Assumption>,
}

impl Remainders {
    pub fn find<'c>(function: Operation<'c>, variant: &VariantRequest) -> Self {
        if variant.names.is_empty() {
            return Self::default();
        }
        let mut found: Vec<(usize, Vec<Assumption>)> = Vec::new();
        let facts = FactAnalysis::new(function);
        let search = Search::of(function, variant);
        each_operation(function, &mut |operation| {
            let is_tile = || TileType::of(results(operation)[0]).is_some();
            if name(operation) != "arith.remsi" || !is_tile() {
                return;
            }
            let [divided, divisor] = [operand(operation, 0), operand(operation, 1)];
            if facts.range(divided).is_some_and(|(least, _)| least >= 0) {
                return;
            }
            if let Some(all) = search.assumptions(divided, divisor) {
                found.push((address(operation), all));
            }
        });
        // Of those without which accesses are as wide nothing is asked.
        let wide = |found: &[(usize, Vec<Assumption>)]| {
            let of = found.iter().map(|(address, _)| *address).collect();
            widths(function, &FactAnalysis::new(function).with_unsigned(of))
        };
        let wanted = wide(&found);
        for index in (0..found.len()).rev() {
            let one = found.remove(index);
            if wide(&found) != wanted {
                found.insert(index, one);
            }
        }
        let mut remainders = Self::default();
        for (address, all) in found {
            remainders.of.insert(address);
            for assumption in all {
                if !remainders.assumptions.contains(&assumption) {
                    remainders.assumptions.push(assumption);
                }
            }
        }
        remainders
    }
}

/// What a launch knows of a function's values.
pub struct Search<'a> {
    /// Arguments by name.
    names: HashMap<ValueKey, &'a str>,
}

impl<'a> Search<'a> {
    pub fn of(function: Operation<'_>, variant: &'a VariantRequest) -> Self {
        let arguments = region_block(function, 0).map(arguments).unwrap_or_default();
        let names = arguments.into_iter().map(key).zip(&variant.names);
        let names = names.filter_map(|(key, name)| Some((key, name.as_deref()?)));
        Self {
            names: names.collect(),
        }
    }

    /// A number as a launch computes it, if it can.
    pub fn number(&self, value: Value<'_>) -> Option<SizeExpr> {
        self.scalar(value, &mut { MOST_PARTS })
    }

    /// What must be so that neither is negative, nor zero is divided by.
    fn assumptions<'c>(&self, divided: Value<'c>, divisor: Value<'c>) -> Option<Vec<Assumption>> {
        let mut left = MOST_PARTS;
        let (value, from, to) = self.tile(divided, &mut left)?;
        let (by, 0, 0) = self.tile(divisor, &mut left)? else {
            return None;
        };
        let most = i64::from(i32::MAX);
        let mut list = vec![Assumption::Within {
            value,
            least: -from,
            most: most - to,
        }];
        if !matches!(by, SizeExpr::Const(1..)) {
            list.push(Assumption::Within {
                value: by,
                least: 1,
                most,
            });
        }
        Some(list)
    }

    /// A tile as a number that all elements have in common, and what is added to it: from so much to so much.
    fn tile<'c>(&self, value: Value<'c>, left: &mut usize) -> Option<(SizeExpr, i64, i64)> {
        let operation = defining_operation(value).filter(|_| is_wide(value))?;
        match (name(operation), TileOp::of(operation)) {
            (_, Some(TileOp::Splat(splat))) => Some((self.scalar(splat.scalar(), left)?, 0, 0)),
            (_, Some(TileOp::Arange(arange))) => {
                let length = i64::try_from(*TileType::of(value)?.shape().first()?).ok()?;
                let first = arange.lo();
                Some((SizeExpr::Const(0), first, first + length - 1))
            }
            ("arith.addi", _) => {
                let one = self.tile(operand(operation, 0), left)?;
                let other = self.tile(operand(operation, 1), left)?;
                let sum = match (one.0, other.0) {
                    (sum, SizeExpr::Const(0)) | (SizeExpr::Const(0), sum) => sum,
                    (one, other) => SizeExpr::add(one, other),
                };
                Some((sum, one.1 + other.1, one.2 + other.2))
            }
            ("arith.subi", _) => {
                let one = self.tile(operand(operation, 0), left)?;
                let other = self.tile(operand(operation, 1), left)?;
                let difference = SizeExpr::sub(one.0, other.0);
                Some((difference, one.1 - other.2, one.2 - other.1))
            }
            // Wider numbers of the same value.
            ("arith.extsi", _) => self.tile(operand(operation, 0), left),
            _ => Some((SizeExpr::Const(constant_of(value)?), 0, 0)),
        }
    }

    /// A number as a launch computes it.
    fn scalar<'c>(&self, value: Value<'c>, left: &mut usize) -> Option<SizeExpr> {
        *left = left.checked_sub(1).filter(|_| is_wide(value))?;
        if let Some(name) = self.names.get(&key(value)) {
            return Some(SizeExpr::name(*name));
        }
        if let Some(number) = constant_of(value) {
            return Some(SizeExpr::Const(number));
        }
        let operation = defining_operation(value)?;
        if let Some(TileOp::ProgramId(id)) = TileOp::of(operation) {
            return Some(SizeExpr::name(program_id(id.axis() as usize)));
        }
        let kind = match name(operation) {
            "arith.addi" => SizeExpr::add,
            "arith.subi" => SizeExpr::sub,
            "arith.muli" => SizeExpr::mul,
            "arith.divsi" => SizeExpr::div,
            "arith.remsi" => SizeExpr::rem,
            "arith.ceildivsi" => SizeExpr::cdiv,
            "arith.minsi" => SizeExpr::min,
            "arith.maxsi" => SizeExpr::max,
            "arith.extsi" => return self.scalar(operand(operation, 0), left),
            _ => return None,
        };
        let one = self.scalar(operand(operation, 0), left)?;
        Some(kind(one, self.scalar(operand(operation, 1), left)?))
    }
}

/// Whether integers have the 32 bits that a launch computes in, or more.
fn is_wide(value: Value<'_>) -> bool {
    matches!(&*element_type(value.r#type()).to_string(), "i32" | "i64")
}

impl Remainders {
    /// The operations, by address.
    pub fn unsigned(&self) -> &HashSet<usize> {
        &self.of
    }
}

impl<'c> Rewrite<'c> for Remainders {
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
        let new = to.builder.value("arith.remui", &list, &[], result.r#type());
        to.bind(result, vec![new]);
        Ok(true)
    }
}
