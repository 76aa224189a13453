//! What a launch knows of the values that programs compute.

use std::collections::HashMap;

use melior::ir::ValueLike;
use tile_runtime::manifest::{Assumption, SizeExpr, program_id};

use crate::dialect::TileOp;
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Operation, Value, ValueKey, arguments, element_type, key, name, operand, region_block,
};
use crate::polynomial::Polynomial;
use crate::specialize::VariantRequest;

/// Parts of an expression at most: a launch computes all of them.
pub const MOST_PARTS: usize = 64;

/// An end of a range.
#[derive(Clone, Copy)]
pub enum End {
    Least,
    Most,
}

impl End {
    pub const fn other(self) -> Self {
        match self {
            Self::Least => Self::Most,
            Self::Most => Self::Least,
        }
    }
}

/// What following a value has come to.
pub struct Walk {
    /// Parts that an expression may still have.
    pub left: usize,
    /// What must be so for it to be what it seems.
    pub also: Vec<Assumption>,
}

impl Walk {
    pub const fn new() -> Self {
        Self {
            left: MOST_PARTS,
            also: Vec::new(),
        }
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
        self.scalar(value, None, &mut Walk::new())
    }

    /// An end of the range of a number.
    pub fn end(&self, value: Value<'_>, end: End) -> Option<SizeExpr> {
        self.scalar(value, Some(end), &mut Walk::new())
    }

    /// A number as a launch computes it; with the counters of loops at an end of their range, where one is given.
    pub fn scalar<'c>(
        &self,
        value: Value<'c>,
        end: Option<End>,
        walk: &mut Walk,
    ) -> Option<SizeExpr> {
        walk.left = walk.left.checked_sub(1).filter(|_| is_wide(value))?;
        if let Some(name) = self.names.get(&key(value)) {
            return Some(SizeExpr::name(*name));
        }
        if let Some(number) = constant_of(value) {
            return Some(SizeExpr::Const(number));
        }
        let Some(operation) = defining_operation(value) else {
            return self.counter(value, end?, walk);
        };
        if let Some(TileOp::ProgramId(id)) = TileOp::of(operation) {
            return Some(SizeExpr::name(program_id(id.axis() as usize)));
        }
        let [first, second] = [end, end.map(End::other)];
        // With numbers at an end of their range the result is at one where it grows with them.
        let (kind, ends): (fn(SizeExpr, SizeExpr) -> SizeExpr, _) = match name(operation) {
            "arith.addi" => (SizeExpr::add, [first; 2]),
            "arith.subi" => (SizeExpr::sub, [first, second]),
            "arith.muli" => match constant_of(operand(operation, 1)) {
                Some(1..) => (SizeExpr::mul, [first, None]),
                _ => (SizeExpr::mul, [None; 2]),
            },
            "arith.divsi" => (SizeExpr::div, [None; 2]),
            "arith.remsi" => (SizeExpr::rem, [None; 2]),
            "arith.ceildivsi" => (SizeExpr::cdiv, [None; 2]),
            "arith.minsi" => (SizeExpr::min, [first; 2]),
            "arith.maxsi" => (SizeExpr::max, [first; 2]),
            // A launch finds out whether numbers are of 32 bits.
            "arith.extsi" | "arith.trunci" => {
                return self.scalar(operand(operation, 0), end, walk);
            }
            _ => return None,
        };
        let one = self.scalar(operand(operation, 0), ends[0], walk)?;
        let other = self.scalar(operand(operation, 1), ends[1], walk)?;
        Some(kind(one, other))
    }

    /// An end of the range of a loop's counter.
    fn counter<'c>(&self, value: Value<'c>, end: End, walk: &mut Walk) -> Option<SizeExpr> {
        let owner = argument_owner(value).filter(|owner| name(*owner) == "scf.for")?;
        if result_number(value) != 0 {
            return None;
        }
        match end {
            End::Least => self.scalar(operand(owner, 0), Some(end), walk),
            End::Most => {
                let beyond = self.scalar(operand(owner, 1), Some(end), walk)?;
                Some(SizeExpr::sub(beyond, SizeExpr::Const(1)))
            }
        }
    }
}

/// Whether integers have the 32 bits that a launch computes in, or more.
pub fn is_wide(value: Value<'_>) -> bool {
    matches!(&*element_type(value.r#type()).to_string(), "i32" | "i64")
}

/// What a launch is asked, so that positions of a tile are what they seem.
pub struct Asked<'a, 'b> {
    pub search: &'b Search<'a>,
    /// The sizes of the tile.
    pub shape: Vec<u64>,
    pub all: Vec<Assumption>,
}

impl Asked<'_, '_> {
    fn within(&mut self, value: SizeExpr, least: i64, most: i64) -> Option<()> {
        let range = match &value {
            SizeExpr::Const(value) => Some((*value, *value)),
            // Numbers of other sizes are none of 32 bits.
            SizeExpr::Name(name) if is_place(name) => Some((0, i32::MAX.into())),
            SizeExpr::Name(_) => Some((i32::MIN.into(), i32::MAX.into())),
            _ => None,
        };
        if range.is_some_and(|range| least <= range.0 && range.1 <= most) {
            return Some(());
        }
        if matches!(value, SizeExpr::Const(_)) {
            return None;
        }
        let one = Assumption::Within { value, least, most };
        if !self.all.contains(&one) {
            self.all.push(one);
        }
        Some(())
    }

    /// That no number of a sum is negative: its ends are those of its numbers then.
    pub fn natural(&mut self, sum: &Polynomial<'_>) -> Option<()> {
        for number in sum.terms.iter().flat_map(|term| &term.numbers) {
            let [least, most] = [End::Least, End::Most].map(|end| self.search.end(*number, end));
            self.both(least?, most?, 0)?;
        }
        Some(())
    }

    /// That a sum, of what is natural, lies between two numbers in all elements of the tile.
    pub fn bounded(&mut self, sum: &Polynomial<'_>, least: i64) -> Option<()> {
        let (lower, upper) = (self.end(sum, End::Least)?, self.end(sum, End::Most)?);
        // Of what is natural no part of a sum is negative.
        match sum.terms.iter().all(|term| term.times > 0) {
            true => self.within(upper, 0, i32::MAX.into()),
            false => self.both(lower, upper, least),
        }
    }

    /// That the ends of a range are numbers of 32 bits and not below a number.
    fn both(&mut self, lower: SizeExpr, upper: SizeExpr, least: i64) -> Option<()> {
        let is_one = lower == upper;
        self.within(lower, least, i32::MAX.into())?;
        match is_one {
            true => Some(()),
            false => self.within(upper, i32::MIN.into(), i32::MAX.into()),
        }
    }

    fn end(&self, sum: &Polynomial<'_>, end: End) -> Option<SizeExpr> {
        let mut whole: Option<SizeExpr> = None;
        for term in &sum.terms {
            let end = if term.times < 0 { end.other() } else { end };
            let mut times = term.times;
            if let Some(axis) = term.axis {
                times *= match end {
                    End::Least => 0,
                    End::Most => i64::try_from(*self.shape.get(axis)?).ok()? - 1,
                };
            }
            if times == 0 {
                continue;
            }
            let mut product: Option<SizeExpr> = None;
            for number in &term.numbers {
                let number = self.search.end(*number, end)?;
                product = Some(match product {
                    Some(product) => SizeExpr::mul(product, number),
                    None => number,
                });
            }
            let product = match product {
                Some(product) if times == 1 => product,
                Some(product) => SizeExpr::mul(product, SizeExpr::Const(times)),
                None => SizeExpr::Const(times),
            };
            whole = Some(match whole {
                Some(whole) => SizeExpr::add(whole, product),
                None => product,
            });
        }
        Some(whole.unwrap_or(SizeExpr::Const(0)))
    }
}

/// Whether a launch calls a program's place along an axis so.
fn is_place(name: &str) -> bool {
    (0..3).any(|axis| program_id(axis) == name)
}
