//! What masks compare: which integers, and where that holds for all elements of a tile.
//!
//! A mask is a comparison of integers whose sides are a loop's counter at most, scalars from outside and ranges of numbers
//! ([`Side`]). Sums, products with constants and truncations are exact modulo 2^32, so a side is what it seems if that fits its 32 bits.
//! What is computed of it is computed in 64.
//!
//! A side may be the smaller or the larger of two: a last tile that is moved back into its tensor begins at
//! `min(j, end - N)`, and counts from `j` on. What min(a, b) is no less than, both are no less than: two masks. What it is no more
//! than, one of them has to be: here the one with the counter.

use std::collections::HashSet;

use melior::ir::ValueLike;

use crate::build::{Builder, Rebuilder};
use crate::dialect::{TileOp, predicates};
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, TileType, Value, address, int_attribute, name, operand};
use crate::{each_operation, is_tile};

/// Bounds of a loop that are taken: sums with what is added to them stay within 64 bits.
pub const FARTHEST: i64 = 1 << 40;

/// Terms of a side, for the same reason.
const MOST_SCALARS: usize = 16;

/// Sets of comparisons of which one is enough.
const MOST_ALTERNATIVES: usize = 4;

/// Sides of which a value is the smallest or the largest.
const MOST_SIDES: usize = 4;

/// What the counter or a term is multiplied by at most, for the same reason: 2^60 + 16 · 2^51 + 2^40 < 2^63.
const LARGEST_FACTOR: i64 = 1 << 20;

/// `counter · factor + scalars + [low, high]`, over all elements of a tile.
#[derive(Clone)]
pub struct Side<'c> {
    pub factor: i64,
    /// Of 32 bits, from outside of the loop, with their factors.
    scalars: Vec<(i64, Value<'c>)>,
    pub low: i64,
    high: i64,
}

impl<'c> Side<'c> {
    pub const fn constant(low: i64, high: i64) -> Self {
        Self {
            factor: 0,
            scalars: Vec::new(),
            low,
            high,
        }
    }

    fn negated(self) -> Option<Self> {
        self.times(-1)
    }

    pub fn plus(mut self, other: Self) -> Option<Self> {
        self.scalars.extend(other.scalars);
        Self {
            factor: self.factor + other.factor,
            scalars: self.scalars,
            low: self.low + other.low,
            high: self.high + other.high,
        }
        .if_small()
    }

    pub fn times(mut self, by: i64) -> Option<Self> {
        for (factor, _) in &mut self.scalars {
            *factor = factor.checked_mul(by)?;
        }
        let [low, high] = [self.low, self.high].map(|bound| bound.checked_mul(by));
        let (low, high) = (low?, high?);
        Self {
            factor: self.factor.checked_mul(by)?,
            scalars: self.scalars,
            low: low.min(high),
            high: low.max(high),
        }
        .if_small()
    }

    fn if_small(self) -> Option<Self> {
        let is_factor = |factor: i64| (-LARGEST_FACTOR..=LARGEST_FACTOR).contains(&factor);
        let is_small = self.scalars.len() <= MOST_SCALARS
            && self.low > -FARTHEST
            && self.high < FARTHEST
            && is_factor(self.factor)
            && self.scalars.iter().all(|(factor, _)| is_factor(*factor));
        is_small.then_some(self)
    }

    /// Its number, if it is one.
    fn as_constant(&self) -> Option<i64> {
        (self.factor == 0 && self.scalars.is_empty() && self.low == self.high).then_some(self.low)
    }

    /// The sum of its scalars and a number, in 64 bits.
    pub fn sum(&self, to: &mut Rebuilder<'c>, more: i64) -> Value<'c> {
        let wide = to.builder.int_type(64);
        let mut sum = to.builder.constant_int(more, wide);
        for (factor, scalar) in &self.scalars {
            let scalar = to.one(*scalar);
            let mut scalar = to.builder.int_cast(scalar, 64, true);
            if factor.abs() != 1 {
                let factor = to.builder.constant_int(factor.abs(), wide);
                scalar = to.builder.multiply(scalar, factor);
            }
            let operation = if *factor < 0 {
                "arith.subi"
            } else {
                "arith.addi"
            };
            sum = to.builder.binary(operation, sum, scalar);
        }
        sum
    }

    /// Whether it fits 31 bits and a sign, or 31 bits, for all counters in a range.
    fn fits(
        &self,
        to: &mut Rebuilder<'c>,
        (first, last): (Value<'c>, Value<'c>),
        is_signed: bool,
    ) -> Value<'c> {
        let least = if is_signed { i64::from(i32::MIN) } else { 0 };
        let (mut low, mut high) = (self.sum(to, self.low), self.sum(to, self.high));
        let builder = &mut to.builder;
        let scaled = |builder: &mut Builder<'c>, value: Value<'c>| match self.factor.abs() {
            1 => value,
            factor => {
                let factor = builder.constant_int(factor, value.r#type());
                builder.multiply(value, factor)
            }
        };
        if self.factor != 0 {
            let (first, last) = (scaled(builder, first), scaled(builder, last));
            if self.factor > 0 {
                low = builder.add(low, first);
                high = builder.add(high, last);
            } else {
                low = builder.binary("arith.subi", low, last);
                high = builder.binary("arith.subi", high, first);
            }
        }
        let [least, most] =
            [least, i64::from(i32::MAX)].map(|bound| builder.constant_int(bound, low.r#type()));
        let is_above = builder.compare_int(predicates::SGE, low, least);
        let is_below = builder.compare_int(predicates::SLE, high, most);
        builder.and(is_above, is_below)
    }
}

/// A comparison that holds for all elements from or up to some iteration, or in all if `difference` ≥ 0 has no counter.
#[derive(Clone)]
pub struct Mask<'c> {
    /// What must be what it seems: the sides, and what the smaller or larger of is one.
    pub sides: Vec<Side<'c>>,
    pub difference: Side<'c>,
    is_signed: bool,
}

impl<'c> Mask<'c> {
    /// Whether all that it is made of is there.
    pub fn is_bound(&self, to: &Rebuilder<'c>) -> bool {
        let mut scalars = self.sides.iter().flat_map(|side| &side.scalars);
        scalars.all(|(_, scalar)| to.is_bound(*scalar))
    }

    /// What all must hold for its sides to be what they seem, for all counters in a range.
    pub fn is_what_it_seems(
        &self,
        to: &mut Rebuilder<'c>,
        counters: (Value<'c>, Value<'c>),
    ) -> Vec<Value<'c>> {
        let sides = self.sides.iter();
        sides
            .map(|side| side.fits(to, counters, self.is_signed))
            .collect()
    }
}

/// Which of several numbers a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Smallest,
    Largest,
}

impl Extreme {
    const fn other(self) -> Self {
        match self {
            Self::Smallest => Self::Largest,
            Self::Largest => Self::Smallest,
        }
    }
}

/// One of several that a side of a comparison may be.
#[derive(Clone)]
struct Bound<'c> {
    side: Side<'c>,
    /// Whether the comparison has to hold for it.
    counts: bool,
}

impl Bound<'_> {
    fn negated(self) -> Option<Self> {
        Some(Self {
            side: self.side.negated()?,
            ..self
        })
    }
}

/// The sums of each of one list and each of another.
fn sums<'c>(left: &[Bound<'c>], right: &[Bound<'c>]) -> Option<Vec<Bound<'c>>> {
    let pairs = left
        .iter()
        .flat_map(|left| right.iter().map(move |right| (left, right)));
    let all = pairs.map(|(left, right)| {
        Some(Bound {
            side: left.side.clone().plus(right.side.clone())?,
            counts: left.counts && right.counts,
        })
    });
    let all: Option<Vec<_>> = all.collect();
    all.filter(|all| all.len() <= MOST_SIDES)
}

/// Whether a mask of what is there already is what is `wanted` for all elements of its tile, if that is known.
pub fn is_everywhere<'c>(
    to: &mut Rebuilder<'c>,
    mask: Value<'c>,
    wanted: bool,
) -> Option<Value<'c>> {
    let reader = Reader {
        of: None,
        inside: HashSet::new(),
    };
    reader.is_everywhere(to, mask, wanted)
}

/// The same in all iterations of a loop, before it; `None` for what an iteration makes as well.
pub fn is_everywhere_within<'c>(
    to: &mut Rebuilder<'c>,
    of: Operation<'c>,
    mask: Value<'c>,
    wanted: bool,
) -> Option<Value<'c>> {
    Reader::within(of).is_everywhere(to, mask, wanted)
}

/// Reads masks, of a loop or of none.
pub struct Reader<'c> {
    of: Option<Operation<'c>>,
    inside: HashSet<usize>,
}

impl<'c> Reader<'c> {
    pub fn within(of: Operation<'c>) -> Self {
        let mut inside = HashSet::new();
        each_operation(of, &mut |operation| {
            inside.insert(address(operation));
        });
        Self {
            of: Some(of),
            inside,
        }
    }

    fn is_everywhere(
        &self,
        to: &mut Rebuilder<'c>,
        mask: Value<'c>,
        wanted: bool,
    ) -> Option<Value<'c>> {
        let mut alternatives = self.alternatives(mask, wanted)?;
        let is_known = |to: &Rebuilder<'c>, mask: &Mask<'c>| {
            mask.is_bound(to) && mask.sides.iter().all(|side| side.factor == 0)
        };
        alternatives.retain(|masks| masks.iter().all(|mask| is_known(to, mask)));
        let mut each = Vec::new();
        for masks in &alternatives {
            let wide = to.builder.int_type(64);
            let zero = to.builder.constant_int(0, wide);
            let mut all = Vec::new();
            for mask in masks {
                all.extend(mask.is_what_it_seems(to, (zero, zero)));
                let least = mask.difference.sum(to, mask.difference.low);
                all.push(to.builder.compare_int(predicates::SGE, least, zero));
            }
            each.extend(all.into_iter().reduce(|all, one| to.builder.and(all, one)));
        }
        let either = |any, one| to.builder.binary("arith.ori", any, one);
        each.into_iter().reduce(either)
    }

    pub fn is_inside(&self, value: Value<'c>) -> bool {
        match defining_operation(value) {
            Some(operation) => self.inside.contains(&address(operation)),
            None => argument_owner(value).is_some_and(|owner| {
                Some(owner) == self.of || self.inside.contains(&address(owner))
            }),
        }
    }

    /// Sets of comparisons: where all of one set hold, a condition is what is `wanted`.
    pub fn alternatives(&self, condition: Value<'c>, wanted: bool) -> Option<Vec<Vec<Mask<'c>>>> {
        let operation = defining_operation(condition)?;
        let of = |number| self.alternatives(operand(operation, number), wanted);
        match (name(operation), wanted) {
            ("arith.andi", true) | ("arith.ori", false) => {
                let (left, right) = (of(0)?, of(1)?);
                let pairs = left
                    .iter()
                    .flat_map(|left| right.iter().map(move |right| [&left[..], right].concat()));
                let both: Vec<_> = pairs.collect();
                (both.len() <= MOST_ALTERNATIVES).then_some(both)
            }
            // What is known of one of them is enough.
            ("arith.ori", true) | ("arith.andi", false) => {
                let mut either = of(0).unwrap_or_default();
                either.extend(of(1).unwrap_or_default());
                (1..=MOST_ALTERNATIVES)
                    .contains(&either.len())
                    .then_some(either)
            }
            ("arith.cmpi", _) => Some(vec![self.mask(operation, wanted)?]),
            _ => match TileOp::of(operation)? {
                TileOp::Splat(_)
                | TileOp::Expand(_)
                | TileOp::Broadcast(_)
                | TileOp::Convert(_)
                | TileOp::Permute(_)
                | TileOp::Reshape(_) => of(0),
                _ => None,
            },
        }
    }

    fn mask(&self, comparison: Operation<'c>, wanted: bool) -> Option<Vec<Mask<'c>>> {
        use predicates::{SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
        let predicate = int_attribute(comparison, "predicate")?;
        let predicate = match wanted {
            true => predicate,
            false => predicates::opposite(predicate)?,
        };
        let [left, right] = [0, 1].map(|number| operand(comparison, number));
        if crate::ir::element_type(left.r#type()).to_string() != "i32" {
            return None;
        }
        let (small, large) = match predicate {
            SLT | SLE | ULT | ULE => (left, right),
            SGT | SGE | UGT | UGE => (right, left),
            _ => return None,
        };
        let is_strict = matches!(predicate, SLT | SGT | ULT | UGT);
        let less = i64::from(is_strict);
        let mut sides = Vec::new();
        let small = self.sides(small, Extreme::Largest, &mut sides)?;
        let large = self.sides(large, Extreme::Smallest, &mut sides)?;
        sides.extend(small.iter().chain(&large).map(|bound| bound.side.clone()));
        let mut masks = Vec::new();
        for large in large.iter().filter(|bound| bound.counts) {
            for small in small.iter().filter(|bound| bound.counts) {
                let difference = large.side.clone().plus(small.side.clone().negated()?)?;
                let difference = difference.plus(Side::constant(-less, -less))?;
                let factor = u64::try_from(difference.factor.abs()).ok()?;
                let always = factor == 0 && difference.scalars.is_empty() && difference.low >= 0;
                if always {
                    continue;
                }
                let is_taken = factor == 0 || factor.is_power_of_two();
                masks.push(is_taken.then(|| Mask {
                    sides: sides.clone(),
                    difference,
                    is_signed: matches!(predicate, SLT | SLE | SGT | SGE),
                })?);
            }
        }
        (!masks.is_empty()).then_some(masks)
    }

    /// Sides of which a value is one; those that count say together that it is no further out. What the value is computed from and
    /// must be what it seems is added to `exact`.
    fn sides(
        &self,
        value: Value<'c>,
        extreme: Extreme,
        exact: &mut Vec<Side<'c>>,
    ) -> Option<Vec<Bound<'c>>> {
        if let Some(side) = self.side(value) {
            return Some(vec![Bound { side, counts: true }]);
        }
        let operation = defining_operation(value).filter(|_| self.is_inside(value))?;
        let mut of = |number, extreme| self.sides(operand(operation, number), extreme, exact);
        let of_two = match name(operation) {
            "arith.minsi" => Extreme::Smallest,
            "arith.maxsi" => Extreme::Largest,
            "arith.addi" => return sums(&of(0, extreme)?, &of(1, extreme)?),
            "arith.subi" => {
                let right = of(1, extreme.other())?;
                let right: Option<Vec<_>> = right.into_iter().map(Bound::negated).collect();
                return sums(&of(0, extreme)?, &right?);
            }
            _ => {
                return match TileOp::of(operation)? {
                    TileOp::Splat(_)
                    | TileOp::Expand(_)
                    | TileOp::Broadcast(_)
                    | TileOp::Convert(_)
                    | TileOp::Permute(_)
                    | TileOp::Reshape(_) => of(0, extreme),
                    _ => None,
                };
            }
        };
        if crate::ir::element_type(value.r#type()).to_string() != "i32" {
            return None;
        }
        let (mut left, mut right) = (of(0, extreme)?, of(1, extreme)?);
        if of_two != extreme {
            // One of the two is enough: that with the counter.
            let has_counter = |bound: &Bound<'c>| bound.side.factor != 0;
            let other = match left.iter().any(has_counter) {
                true => &mut right,
                false => &mut left,
            };
            for bound in other {
                bound.counts = false;
            }
        }
        let both = [left, right].concat();
        exact.extend(both.iter().map(|bound| bound.side.clone()));
        (both.len() <= MOST_SIDES).then_some(both)
    }

    fn side(&self, value: Value<'c>) -> Option<Side<'c>> {
        if let Some(number) = constant_of(value) {
            let is_small = i32::try_from(number).is_ok();
            return is_small.then(|| Side::constant(number, number));
        }
        if !is_tile(value) && !self.is_inside(value) {
            let is_word = value.r#type().to_string() == "i32";
            return is_word.then(|| Side {
                scalars: vec![(1, value)],
                ..Side::constant(0, 0)
            });
        }
        let Some(operation) = defining_operation(value) else {
            let owner = argument_owner(value)?;
            let is_counter = Some(owner) == self.of && result_number(value) == 0;
            return is_counter.then(|| Side {
                factor: 1,
                ..Side::constant(0, 0)
            });
        };
        let both = || {
            Some((
                self.side(operand(operation, 0))?,
                self.side(operand(operation, 1))?,
            ))
        };
        match name(operation) {
            "arith.addi" => both().and_then(|(a, b)| a.plus(b)),
            "arith.subi" => both().and_then(|(a, b)| a.plus(b.negated()?)),
            "arith.muli" => {
                let (a, b) = both()?;
                match (a.as_constant(), b.as_constant()) {
                    (_, Some(by)) => a.times(by),
                    (Some(by), _) => b.times(by),
                    _ => None,
                }
            }
            // Of positions in a tile, as several of its rows belong to one.
            "arith.divsi" | "arith.divui" => {
                let (of, by) = both()?;
                let by = by.as_constant().filter(|by| *by > 0)?;
                let is_plain = of.factor == 0 && of.scalars.is_empty() && of.low >= 0;
                is_plain.then(|| Side::constant(of.low / by, of.high / by))
            }
            "arith.trunci" => self.side(operand(operation, 0)),
            _ => match TileOp::of(operation)? {
                TileOp::Arange(arange) => {
                    let count = TileType::of(value)?.shape().iter().product::<u64>();
                    let low = arange.lo();
                    let high = low.checked_add(i64::try_from(count).ok()?)? - 1;
                    let is_word = i32::try_from(low).is_ok() && i32::try_from(high).is_ok();
                    is_word.then(|| Side::constant(low, high))
                }
                TileOp::Splat(_)
                | TileOp::Expand(_)
                | TileOp::Broadcast(_)
                | TileOp::Convert(_)
                | TileOp::Permute(_)
                | TileOp::Reshape(_) => self.side(operand(operation, 0)),
                _ => None,
            },
        }
    }
}

/// Whether a value is a constant, or one spread over a tile.
pub fn constant(value: Value<'_>) -> bool {
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    match name(operation) {
        "arith.constant" => true,
        "tile.splat" | "tile.expand" | "tile.broadcast" => constant(operand(operation, 0)),
        _ => false,
    }
}
