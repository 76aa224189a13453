//! The iterations of a loop in which its masks hold everywhere, apart from the others.
//!
//! ```text
//! for j { … where(j + arange(0, N) < n, s, -inf) … }
//!   ⇒  for j < bound { … s … }; for j ≥ bound { … where(j + arange(0, N) < n, s, -inf) … }
//! ```
//!
//! Both loops are of one ring and carry the same values: the producer keeps its one loop. A mask is a comparison of integers
//! whose sides are the loop's counter at most, scalars from outside and ranges of numbers ([`Side`]). The bound is computed
//! before the loop, in 64 bits: sums, products with constants and truncations are exact modulo 2^32, so a side is what it seems if
//! that fits its 32 bits; where one might not, no iteration is taken to hold. A mask may begin to hold as well (the keys of
//! causal attention's gradients): then the loop before the others has it.
//!
//! A side may be the smaller or the larger of two: a last tile that is moved back into its tensor begins at
//! `min(j, end - N)`, and counts from `j` on. What min(a, b) is no less than, both are no less than: two masks. What it is no more
//! than, one of them has to be: here the one with the counter.

use std::collections::HashSet;

use melior::ir::ValueLike;

use crate::build::{Builder, Rebuilder};
use crate::dialect::{TileOp, predicates};
use crate::encoding::Encodings;
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Operation, TileType, Value, address, int_attribute, name, operand, operands, operations,
    region_block, result,
};
use crate::{each_operation, is_tile};

/// Elements of a thread from which on a mask is worth another loop.
const WORTH: usize = 16;

/// Bounds of a loop that are taken: sums with what is added to them stay within 64 bits.
const FARTHEST: i64 = 1 << 40;

/// Terms of a side, for the same reason.
const MOST_SCALARS: usize = 16;

/// Sides of which a value is the smallest or the largest.
const MOST_SIDES: usize = 4;

/// What the counter or a term is multiplied by at most, for the same reason: 2^60 + 16 · 2^51 + 2^40 < 2^63.
const LARGEST_FACTOR: i64 = 1 << 20;

/// `counter · factor + scalars + [low, high]`, over all elements of a tile.
#[derive(Clone)]
struct Side<'c> {
    factor: i64,
    /// Of 32 bits, from outside of the loop, with their factors.
    scalars: Vec<(i64, Value<'c>)>,
    low: i64,
    high: i64,
}

impl<'c> Side<'c> {
    const fn constant(low: i64, high: i64) -> Self {
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

    fn plus(mut self, other: Self) -> Option<Self> {
        self.scalars.extend(other.scalars);
        Self {
            factor: self.factor + other.factor,
            scalars: self.scalars,
            low: self.low + other.low,
            high: self.high + other.high,
        }
        .if_small()
    }

    fn times(mut self, by: i64) -> Option<Self> {
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
    fn sum(&self, to: &mut Rebuilder<'c>, more: i64) -> Value<'c> {
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
struct Mask<'c> {
    /// What must be what it seems: the sides, and what the smaller or larger of is one.
    sides: Vec<Side<'c>>,
    difference: Side<'c>,
    is_signed: bool,
}

impl<'c> Mask<'c> {
    /// Whether all that it is made of is there.
    fn is_bound(&self, to: &Rebuilder<'c>) -> bool {
        let mut scalars = self.sides.iter().flat_map(|side| &side.scalars);
        scalars.all(|(_, scalar)| to.is_bound(*scalar))
    }

    /// What all must hold for its sides to be what they seem, for all counters in a range.
    fn is_what_it_seems(
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

/// A selection that takes one side where its masks hold.
struct Choice<'c> {
    select: Operation<'c>,
    taken: Value<'c>,
    masks: Vec<Mask<'c>>,
}

impl Choice<'_> {
    /// The same where the counter is larger by so much than that of the selection's iteration.
    fn late(mut self, by: i64) -> Option<Self> {
        for mask in &mut self.masks {
            for side in mask.sides.iter_mut().chain([&mut mask.difference]) {
                *side = side
                    .clone()
                    .plus(Side::constant(-by, -by).times(side.factor)?)?;
            }
        }
        Some(self)
    }
}

/// What is known of a loop's masks.
pub struct Segments<'c> {
    choices: Vec<Choice<'c>>,
    step: i64,
}

/// The ends of the iterations in which all masks hold; `None` where they hold from the first or to the last.
pub struct Bounds<'c> {
    pub begin: Option<Value<'c>>,
    pub end: Option<Value<'c>>,
}

impl<'c> Segments<'c> {
    /// The masks of a loop, if they are worth loops of their own, of those selections that may be left out: `may_take` gives how many
    /// iterations after their own these run.
    pub fn find(
        encodings: &Encodings,
        of: Operation<'c>,
        may_take: impl Fn(usize) -> Option<i64>,
    ) -> Option<Self> {
        let is_large = |select: Operation<'c>| {
            let value = result(select, 0);
            is_tile(value) && encodings.layout(value).register_count() >= WORTH
        };
        Self::of(of, |select| {
            may_take(address(select)).filter(|_| is_large(select))
        })
    }

    /// The masks of those selections for which `may_take` says how many iterations after their own they run.
    pub fn of(of: Operation<'c>, may_take: impl Fn(Operation<'c>) -> Option<i64>) -> Option<Self> {
        let body = region_block(of, 0)?;
        let step =
            constant_of(*operands(of).get(2)?).filter(|step| (1..FARTHEST).contains(step))?;
        let reader = Reader::within(of);
        let selects = operations(body)
            .into_iter()
            .filter(|operation| name(*operation) == "arith.select");
        let choice = |select| {
            let late = may_take(select)?;
            reader.choice(select)?.late(late * step)
        };
        let choices: Vec<_> = selects.filter_map(choice).collect();
        let mut masks = choices.iter().flat_map(|choice| &choice.masks);
        let any = masks.any(|mask| mask.difference.factor != 0);
        any.then_some(Self { choices, step })
    }

    /// Whether all that the masks are made of is there.
    pub fn is_bound(&self, to: &Rebuilder<'c>) -> bool {
        let mut masks = self.choices.iter().flat_map(|choice| &choice.masks);
        masks.all(|mask| mask.is_bound(to))
    }

    /// How many selections the loop in the middle does without.
    pub fn count(&self) -> usize {
        self.choices.len()
    }

    /// The selections, and what they take in the loop in the middle.
    pub fn taken(&self) -> impl Iterator<Item = (usize, Value<'c>)> {
        let choices = self.choices.iter();
        choices.map(|choice| (address(choice.select), choice.taken))
    }

    /// Where the masks begin to hold, and where they end, for a loop in this range.
    pub fn bounds(&self, to: &mut Rebuilder<'c>, first: Value<'c>, end: Value<'c>) -> Bounds<'c> {
        let ty = first.r#type();
        let [first, end] = [first, end].map(|value| to.builder.int_cast(value, 64, true));
        let wide = first.r#type();
        let one = to.builder.constant_int(1, wide);
        let last = to.builder.binary("arith.subi", end, one);
        let [least, most] = [-FARTHEST, FARTHEST].map(|bound| to.builder.constant_int(bound, wide));
        let is_above = to.builder.compare_int(predicates::SGE, first, least);
        let is_below = to.builder.compare_int(predicates::SLE, end, most);
        let mut is_known = to.builder.and(is_above, is_below);
        let (mut from, mut until) = (None, None);
        for mask in self.choices.iter().flat_map(|choice| &choice.masks) {
            for fits in mask.is_what_it_seems(to, (first, last)) {
                is_known = to.builder.and(is_known, fits);
            }
            let least = mask.difference.sum(to, mask.difference.low);
            let builder = &mut to.builder;
            let factor = mask.difference.factor;
            if factor == 0 {
                // Holds in all iterations or in none.
                let zero = builder.constant_int(0, wide);
                let holds = builder.compare_int(predicates::SGE, least, zero);
                is_known = builder.and(is_known, holds);
                continue;
            }
            // Divided by a power of two, rounded down.
            let least = match factor.abs() {
                1 => least,
                factor => {
                    let bits = builder.constant_int(factor.trailing_zeros().into(), wide);
                    builder.binary("arith.shrsi", least, bits)
                }
            };
            if factor < 0 {
                // Holds while the counter is no more than this.
                let bound = builder.add(least, one);
                until = Some(match until {
                    Some(other) => builder.binary("arith.minsi", bound, other),
                    None => bound,
                });
            } else {
                // Holds where the counter is no less than its negative.
                let zero = builder.constant_int(0, wide);
                let bound = builder.binary("arith.subi", zero, least);
                from = Some(match from {
                    Some(other) => builder.binary("arith.maxsi", bound, other),
                    None => bound,
                });
            }
        }
        let builder = &mut to.builder;
        let begin = from.map(|from| {
            let from = self.counter_from(builder, (first, end), from);
            builder.select(is_known, from, end)
        });
        let until = until.map(|until| {
            let until = self.counter_from(builder, (first, end), until);
            let begin = begin.unwrap_or(first);
            let until = builder.select(is_known, until, begin);
            builder.binary("arith.maxsi", until, begin)
        });
        let bits = if ty == wide { 64 } else { 32 };
        let mut narrow = |value: Value<'c>| builder.int_cast(value, bits, true);
        Bounds {
            begin: begin.map(&mut narrow),
            end: until.map(&mut narrow),
        }
    }

    /// The first counter of an iteration that is no less than a number, within the range of the loop.
    fn counter_from(
        &self,
        builder: &mut Builder<'c>,
        (first, end): (Value<'c>, Value<'c>),
        bound: Value<'c>,
    ) -> Value<'c> {
        let wide = first.r#type();
        let [zero, less, step] =
            [0, self.step - 1, self.step].map(|value| builder.constant_int(value, wide));
        // Before the division: neither a negative distance nor one that is too large.
        let bound = builder.binary("arith.minsi", bound, end);
        let distance = builder.binary("arith.subi", bound, first);
        let distance = builder.binary("arith.maxsi", distance, zero);
        let rounded = builder.add(distance, less);
        let iterations = builder.binary("arith.divui", rounded, step);
        let distance = builder.multiply(iterations, step);
        let counter = builder.add(first, distance);
        builder.binary("arith.minsi", counter, end)
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

/// Whether a mask of what is there already is what is `wanted` for all elements of its tile, if it can be told.
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
struct Reader<'c> {
    of: Option<Operation<'c>>,
    inside: HashSet<usize>,
}

impl<'c> Reader<'c> {
    fn within(of: Operation<'c>) -> Self {
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
        let mut masks = Vec::new();
        self.masks(mask, wanted, &mut masks)?;
        let is_constant = |mask: &Mask<'c>| mask.sides.iter().all(|side| side.factor == 0);
        if !masks
            .iter()
            .all(|mask| is_constant(mask) && mask.is_bound(to))
        {
            return None;
        }
        let wide = to.builder.int_type(64);
        let zero = to.builder.constant_int(0, wide);
        let mut holds = None;
        for mask in &masks {
            let mut all = mask.is_what_it_seems(to, (zero, zero));
            let least = mask.difference.sum(to, mask.difference.low);
            all.push(to.builder.compare_int(predicates::SGE, least, zero));
            for one in all {
                holds = Some(match holds {
                    Some(before) => to.builder.and(before, one),
                    None => one,
                });
            }
        }
        holds
    }

    fn is_inside(&self, value: Value<'c>) -> bool {
        match defining_operation(value) {
            Some(operation) => self.inside.contains(&address(operation)),
            None => argument_owner(value).is_some_and(|owner| {
                Some(owner) == self.of || self.inside.contains(&address(owner))
            }),
        }
    }

    /// What a selection takes where its masks hold: what the loop computes, and not what fills it up.
    fn choice(&self, select: Operation<'c>) -> Option<Choice<'c>> {
        let is_filler = |value: Value<'c>| !self.is_inside(value) || constant(value);
        let [condition, yes, no] = [0, 1, 2].map(|number| operand(select, number));
        let (taken, wanted) = match (is_filler(yes), is_filler(no)) {
            (false, true) => (yes, true),
            (true, false) => (no, false),
            _ => return None,
        };
        let mut masks = Vec::new();
        self.masks(condition, wanted, &mut masks)?;
        Some(Choice {
            select,
            taken,
            masks,
        })
    }

    /// The comparisons that a condition is made of, which all hold or all do not.
    fn masks(&self, condition: Value<'c>, wanted: bool, masks: &mut Vec<Mask<'c>>) -> Option<()> {
        let operation = defining_operation(condition)?;
        match (name(operation), wanted) {
            ("arith.andi", true) | ("arith.ori", false) => {
                self.masks(operand(operation, 0), wanted, masks)?;
                self.masks(operand(operation, 1), wanted, masks)
            }
            ("arith.cmpi", _) => {
                masks.extend(self.mask(operation, wanted)?);
                Some(())
            }
            _ => match TileOp::of(operation)? {
                TileOp::Splat(_)
                | TileOp::Expand(_)
                | TileOp::Broadcast(_)
                | TileOp::Convert(_)
                | TileOp::Permute(_)
                | TileOp::Reshape(_) => self.masks(operand(operation, 0), wanted, masks),
                _ => None,
            },
        }
    }

    fn mask(&self, comparison: Operation<'c>, wanted: bool) -> Option<Vec<Mask<'c>>> {
        use predicates::{SGE, SGT, SLE, SLT, UGE, UGT, ULE, ULT};
        let predicate = int_attribute(comparison, "predicate")?;
        let predicate = match (predicate, wanted) {
            (_, true) => predicate,
            (SLT, _) => SGE,
            (SLE, _) => SGT,
            (SGT, _) => SLE,
            (SGE, _) => SLT,
            (ULT, _) => UGE,
            (ULE, _) => UGT,
            (UGT, _) => ULE,
            (UGE, _) => ULT,
            _ => return None,
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
fn constant(value: Value<'_>) -> bool {
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    match name(operation) {
        "arith.constant" => true,
        "tile.splat" | "tile.expand" | "tile.broadcast" => constant(operand(operation, 0)),
        _ => false,
    }
}
