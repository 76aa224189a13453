//! The iterations of a loop in which its masks hold everywhere, apart from the others.
//!
//! ```text
//! for j { … where(j + arange(0, N) < n, s, -inf) … }
//!   ⇒  for j < bound { … s … }; for j ≥ bound { … where(j + arange(0, N) < n, s, -inf) … }
//! ```
//!
//! Both loops are of one ring and carry the same values: the producer keeps its one loop. The bound is computed before the loop, from what
//! [`masks`](crate::masks) compare; where a side might not be what it seems, no iteration is taken to hold. A mask may begin to hold as well
//! (the keys of causal attention's gradients): then the loop before the others has it. Where one of several masks is enough
//! (`j < prefix || j <= i`) the longest of their ranges is taken, which the sizes of a launch decide.

use melior::ir::ValueLike;

use crate::build::{Builder, Rebuilder};
use crate::dialect::predicates;
use crate::encoding::Encodings;
use crate::facts::constant_of;
use crate::ir::{
    Block, Operation, Value, address, key, name, operand, operands, operations, region_block,
    result,
};
use crate::masks::{FARTHEST, Mask, Reader, Side, constant};
use crate::{each_operation, is_positive_zero, is_tile};

/// Elements of a thread from which on a mask is worth another loop.
const WORTH: usize = 16;

/// A selection that takes one side where all masks of one of its alternatives hold.
struct Choice<'c> {
    select: Operation<'c>,
    taken: Value<'c>,
    alternatives: Vec<Vec<Mask<'c>>>,
}

impl<'c> Choice<'c> {
    /// What a selection takes where its masks hold: what the loop computes, and not what fills it up. Of what is added to others it is the 0.
    fn of(reader: &Reader<'c>, body: Block<'c>, select: Operation<'c>) -> Option<Self> {
        let is_filler = |value: Value<'c>| !reader.is_inside(value) || constant(value);
        let [condition, yes, no] = [0, 1, 2].map(|number| operand(select, number));
        let (taken, wanted) = match (is_filler(yes), is_filler(no)) {
            (false, true) => (yes, true),
            (true, false) => (no, false),
            (true, true) if is_only_added(body, result(select, 0)) => {
                match [yes, no].map(is_positive_zero) {
                    [true, false] => (yes, true),
                    [false, true] => (no, false),
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(Self {
            select,
            taken,
            alternatives: reader.alternatives(condition, wanted)?,
        })
    }

    /// The same where the counter is larger by so much than that of the selection's iteration.
    fn late(mut self, by: i64) -> Option<Self> {
        for mask in self.alternatives.iter_mut().flatten() {
            for side in mask.sides.iter_mut().chain([&mut mask.difference]) {
                *side = side
                    .clone()
                    .plus(Side::constant(-by, -by).times(side.factor)?)?;
            }
        }
        Some(self)
    }

    /// The alternatives of which all that they are made of is there.
    fn bound(&self, to: &Rebuilder<'c>) -> Vec<&[Mask<'c>]> {
        let all = self.alternatives.iter().map(Vec::as_slice);
        all.filter(|masks| masks.iter().all(|mask| mask.is_bound(to)))
            .collect()
    }
}

/// Whether a value of a loop is only added to others.
fn is_only_added<'c>(body: Block<'c>, value: Value<'c>) -> bool {
    let mut inside = operations(body).into_iter();
    inside.all(|operation| {
        let reads = |of| operands(of).into_iter().any(|own| key(own) == key(value));
        let mut any = false;
        each_operation(operation, &mut |of| any |= reads(of));
        !any || name(operation) == "arith.addf"
    })
}

/// The counters of a loop, in 64 bits.
#[derive(Clone, Copy)]
struct Range<'c> {
    first: Value<'c>,
    last: Value<'c>,
    end: Value<'c>,
    /// Whether they are small enough to be computed with.
    is_known: Value<'c>,
}

impl<'c> Range<'c> {
    /// The longer of two ranges within it.
    fn longest(&self, builder: &mut Builder<'c>, one: Bounds<'c>, other: Bounds<'c>) -> Bounds<'c> {
        let both = [one, other];
        let [begins, ends] = [
            both.map(|bounds| bounds.begin.unwrap_or(self.first)),
            both.map(|bounds| bounds.end.unwrap_or(self.end)),
        ];
        let [here, there] =
            [0, 1].map(|number| builder.binary("arith.subi", ends[number], begins[number]));
        let is_longer = builder.compare_int(predicates::SGE, here, there);
        let mut longer = |[one, other]: [Value<'c>; 2]| builder.select(is_longer, one, other);
        Bounds {
            begin: both
                .iter()
                .any(|bounds| bounds.begin.is_some())
                .then(|| longer(begins)),
            end: both
                .iter()
                .any(|bounds| bounds.end.is_some())
                .then(|| longer(ends)),
        }
    }

    /// What is in two ranges within it.
    fn common(&self, builder: &mut Builder<'c>, one: Bounds<'c>, other: Bounds<'c>) -> Bounds<'c> {
        let mut both =
            |operation, one: Option<Value<'c>>, other: Option<Value<'c>>| match (one, other) {
                (Some(one), Some(other)) => Some(builder.binary(operation, one, other)),
                (one, other) => one.or(other),
            };
        let begin = both("arith.maxsi", one.begin, other.begin);
        let end = both("arith.minsi", one.end, other.end);
        let end = end.map(|end| builder.binary("arith.maxsi", end, begin.unwrap_or(self.first)));
        Bounds { begin, end }
    }
}

/// What is known of a loop's masks.
pub struct Segments<'c> {
    choices: Vec<Choice<'c>>,
    step: i64,
}

/// The ends of the iterations in which all masks hold; `None` where they hold from the first or to the last.
#[derive(Clone, Copy)]
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
            Choice::of(&reader, body, select)?.late(late * step)
        };
        let choices: Vec<_> = selects.filter_map(choice).collect();
        let mut masks = choices
            .iter()
            .flat_map(|choice| choice.alternatives.iter().flatten());
        let any = masks.any(|mask| mask.difference.factor != 0);
        any.then_some(Self { choices, step })
    }

    /// Whether all that the masks are made of is there.
    pub fn is_bound(&self, to: &Rebuilder<'c>) -> bool {
        let mut choices = self.choices.iter();
        choices.all(|choice| !choice.bound(to).is_empty())
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
        let is_known = to.builder.and(is_above, is_below);
        let range = Range {
            first,
            last,
            end,
            is_known,
        };
        // What must hold at once has one range; where one of several is enough, each has its own.
        let (mut at_once, mut each) = (Vec::new(), Vec::new());
        for choice in &self.choices {
            match choice.bound(to)[..] {
                [only] => at_once.extend(only),
                ref several => each.push(several.to_vec()),
            }
        }
        let mut ranges = Vec::new();
        if !at_once.is_empty() {
            ranges.push(self.bounds_of(to, range, &at_once));
        }
        for alternatives in each {
            let mut longest = None;
            for masks in alternatives {
                let masks: Vec<_> = masks.iter().collect();
                let bounds = self.bounds_of(to, range, &masks);
                longest = Some(match longest {
                    Some(other) => range.longest(&mut to.builder, other, bounds),
                    None => bounds,
                });
            }
            ranges.extend(longest);
        }
        let builder = &mut to.builder;
        let common = ranges
            .into_iter()
            .reduce(|one, other| range.common(builder, one, other));
        let bits = if ty == wide { 64 } else { 32 };
        let mut narrow = |value: Value<'c>| builder.int_cast(value, bits, true);
        Bounds {
            begin: common.and_then(|bounds| bounds.begin).map(&mut narrow),
            end: common.and_then(|bounds| bounds.end).map(&mut narrow),
        }
    }

    /// Where masks begin to hold, and where they end, all at once.
    fn bounds_of(
        &self,
        to: &mut Rebuilder<'c>,
        Range {
            first,
            last,
            end,
            mut is_known,
        }: Range<'c>,
        masks: &[&Mask<'c>],
    ) -> Bounds<'c> {
        let wide = first.r#type();
        let one = to.builder.constant_int(1, wide);
        let (mut from, mut until) = (None, None);
        for mask in masks {
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
        // Those that are the same in all iterations hold in all or in none.
        let end = match (begin, until) {
            (None, None) => Some(builder.select(is_known, end, first)),
            _ => until,
        };
        Bounds { begin, end }
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
