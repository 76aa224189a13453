//! What a launch knows of the values that programs compute.

use std::collections::HashMap;

use melior::ir::ValueLike;
use tile_runtime::manifest::{Assumption, SizeExpr, num_programs, program_id};

use crate::dialect::TileOp;
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::guards::{is_chosen_not_negative, is_where_not_negative};
use crate::ir::{
    Operation, TileType, Value, ValueKey, arguments, element_type, key, name, operand,
    region_block, result,
};
use crate::polynomial::Polynomial;
use crate::specialize::VariantRequest;

/// Parts of an expression at most: a launch computes all of them.
pub const MOST_PARTS: usize = 256;

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
        match (TileOp::of(operation), end) {
            (Some(TileOp::ProgramId(id)), _) => {
                return Some(SizeExpr::name(program_id(id.axis() as usize)));
            }
            (Some(TileOp::NumPrograms(count)), _) => {
                return Some(SizeExpr::name(num_programs(count.axis() as usize)));
            }
            (Some(TileOp::Splat(_) | TileOp::Expand(_)), _) => {
                return self.scalar(operand(operation, 0), end, walk);
            }
            (Some(TileOp::Arange(range)), Some(end)) => {
                let length = TileType::of(value)?.shape().first().copied()?;
                return Some(SizeExpr::Const(match end {
                    End::Least => range.lo(),
                    End::Most => range.lo() + i64::try_from(length).ok()? - 1,
                }));
            }
            _ => {}
        }
        match (end, name(operation)) {
            (Some(end), "arith.divsi" | "arith.remsi") => {
                return self.divided(operation, end, walk);
            }
            (Some(end), "arith.select") => return self.chosen(operation, end, walk),
            _ => {}
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
        let value = kind(one, other);
        Some(match is_where_not_negative(operation) {
            true => SizeExpr::max(value, SizeExpr::Const(0)),
            false => value,
        })
    }

    /// An end of what is one of two numbers: that of the one or of the other. Nothing is known of which it is, so these are numbers of the launch, or a
    /// number and how far it is beyond another one (`where(a < b, a, a - b)`): what others would be asked, no launch might say yes to.
    fn chosen<'c>(&self, select: Operation<'c>, end: End, walk: &mut Walk) -> Option<SizeExpr> {
        let beyond = [1, 2].map(|index| is_chosen_not_negative(select, index));
        let mut side = |index: usize| {
            let value = operand(select, index);
            let other = defining_operation(operand(select, 3 - index));
            let is_first_of = |of: Operation<'c>| key(operand(of, 0)) == key(value);
            let is_known = beyond[index - 1]
                || beyond[2 - index] && other.is_some_and(is_first_of)
                || self.names.contains_key(&key(value))
                || constant_of(value).is_some()
                || defining_operation(value).is_some_and(|of| name(of) == "arith.select");
            let asked = walk.also.len();
            let found = self.scalar(value, Some(end), walk).filter(|_| is_known)?;
            if walk.also.len() > asked {
                return None;
            }
            Some(match beyond[index - 1] {
                true => SizeExpr::max(found, SizeExpr::Const(0)),
                false => found,
            })
        };
        let (one, other) = (side(1)?, side(2)?);
        Some(match end {
            End::Least => SizeExpr::min(one, other),
            End::Most => SizeExpr::max(one, other),
        })
    }

    /// An end of a quotient or a remainder. With counters in it, that nothing is negative nor divided by zero must be so.
    fn divided<'c>(&self, operation: Operation<'c>, end: End, walk: &mut Walk) -> Option<SizeExpr> {
        let mut exact = Walk {
            left: walk.left,
            also: Vec::new(),
        };
        if let Some(value) = self.scalar(result(operation, 0), None, &mut exact) {
            walk.left = exact.left;
            walk.also.append(&mut exact.also);
            return Some(value);
        }
        let [divided, divisor] = [0, 1].map(|number| operand(operation, number));
        let mut ends = |value| {
            let least = self.scalar(value, Some(End::Least), walk)?;
            Some((least, self.scalar(value, Some(End::Most), walk)?))
        };
        let (divided, divisor) = (ends(divided)?, ends(divisor)?);
        let all = [(&divided, 0), (&divisor, 1)];
        for ((least, most), from) in all {
            within(&mut walk.also, least.clone(), from, i32::MAX.into())?;
            within(&mut walk.also, most.clone(), from, i32::MAX.into())?;
        }
        Some(match (name(operation), end) {
            ("arith.divsi", End::Least) => SizeExpr::div(divided.0, divisor.1),
            ("arith.divsi", End::Most) => SizeExpr::div(divided.1, divisor.0),
            (_, End::Least) => SizeExpr::Const(0),
            (_, End::Most) => SizeExpr::sub(divisor.1, SizeExpr::Const(1)),
        })
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
                let last = SizeExpr::sub(beyond, SizeExpr::Const(1));
                let [from, step] = [0, 2].map(|number| constant_of(operand(owner, number)));
                let last = match (from, step) {
                    (Some(0), Some(step @ 2..)) => {
                        let step = SizeExpr::Const(step);
                        SizeExpr::mul(SizeExpr::div(last, step.clone()), step)
                    }
                    _ => last,
                };
                // A program without iterations counts nowhere.
                Some(match from {
                    Some(from) => SizeExpr::max(last, SizeExpr::Const(from)),
                    None => last,
                })
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
    /// An end of the range of a number.
    fn number(&mut self, value: Value<'_>, end: End) -> Option<SizeExpr> {
        let mut walk = Walk::new();
        let value = self.search.scalar(value, Some(end), &mut walk)?;
        walk.also
            .into_iter()
            .for_each(|one| ask(&mut self.all, one));
        Some(value)
    }

    fn within(&mut self, value: SizeExpr, least: i64, most: i64) -> Option<()> {
        within(&mut self.all, value, least, most)
    }

    /// That no number of a sum is negative: its ends are those of its numbers then.
    pub fn natural(&mut self, sum: &Polynomial<'_>) -> Option<()> {
        for number in sum.terms.iter().flat_map(|term| &term.numbers) {
            let [least, most] = [End::Least, End::Most].map(|end| self.number(*number, end));
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

    /// That a sum, of what is natural, is negative in all elements of the tile.
    pub fn negative(&mut self, sum: &Polynomial<'_>) -> Option<()> {
        let upper = self.end(sum, End::Most)?;
        self.within(upper, i32::MIN.into(), -1)
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

    fn end(&mut self, sum: &Polynomial<'_>, end: End) -> Option<SizeExpr> {
        let mut whole: Option<SizeExpr> = None;
        for term in &sum.terms {
            let end = if term.times < 0 { end.other() } else { end };
            let mut times = term.times;
            if let Some(axis) = term.axis.filter(|_| term.row().is_none()) {
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
                let number = self.number(*number, end)?;
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

/// Asks that a number lies between two others, unless it is clear; `None` where it does not.
pub fn within(all: &mut Vec<Assumption>, value: SizeExpr, least: i64, most: i64) -> Option<()> {
    let range = match &value {
        // Numbers of other sizes are none of 32 bits.
        SizeExpr::Name(name) if !is_place(name) => Some((i32::MIN.into(), i32::MAX.into())),
        _ => value.range(&|name| is_place(name).then_some((0, i32::MAX.into()))),
    };
    match range {
        Some((from, to)) if least <= from && to <= most => return Some(()),
        // No launch could say yes.
        Some((from, to)) if to < least || most < from => return None,
        _ => {}
    }
    ask(all, Assumption::Within { value, least, most });
    Some(())
}

/// Asks for one thing more. Of one number the narrower of two ranges is asked for.
pub fn ask(all: &mut Vec<Assumption>, more: Assumption) {
    let known = all.iter_mut().find_map(|one| match (one, &more) {
        (
            Assumption::Within { value, least, most },
            Assumption::Within {
                value: own,
                least: from,
                most: to,
            },
        ) if value == own => {
            (*least, *most) = ((*least).max(*from), (*most).min(*to));
            Some(())
        }
        (one, _) => (*one == more).then_some(()),
    });
    if known.is_none() {
        all.push(more);
    }
}

/// Whether a launch calls a program's place along an axis so, or the number of programs.
fn is_place(name: &str) -> bool {
    (0..3).any(|axis| program_id(axis) == name || num_programs(axis) == name)
}
