//! Facts about integer and pointer values, per dimension: what vector widths and mask removal need.
//!
//! An analysis, not a pass: it is asked about values of a function and remembers the answers. For
//! a tile, per dimension `d`:
//!
//! - `contiguity[d] = c`: along `d`, cut into runs of `c` positions that start at multiples of `c`, each
//!   run counts up by one (for pointers: by one element);
//! - `divisibility[d] = v`: the first value of every such run is a multiple of `v` (for pointers: in
//!   bytes), wherever the run lies in the other dimensions;
//! - `constancy[d] = k`: along `d`, runs of `k` positions (at multiples of `k`) hold one value.
//!
//! Divisors are powers of two. Those survive wrapping at 2³² and 2⁶⁴, so no range is needed to trust
//! them; an odd factor would not, and no memory access gets wider by it. `assume(n % 8 == 0)` promises
//! one.
//!
//! ```text
//! pid * 1024 + arange(0, 1024)   contiguity [1024], divisibility [1024], constancy [1]
//! that < n, n % 16 == 0          constancy [16]
//! ```
//!
//! Apart from that: ranges of integers ([`range_of`]) and of floats ([`float_range_of`]), and which integers are not negative
//! ([`is_natural`]).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, ValueLike, attribute::IntegerAttribute};

use crate::dialect::TileOp;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, int_attribute, ints_attribute, key, name,
    operand, operands, region_block, yielded,
};

mod float_ranges;
mod promises;
mod ranges;
mod signs;

pub use float_ranges::{constant_number, of as float_range_of};
pub use ranges::{most_programs, of as range_of};
pub use signs::is_natural;
mod rules;

use rules::{chosen, comparison, constant_runs, pointer_sum, product, quotient, remainder, sum};

/// No value is known to be divisible by more than this.
const LARGEST: u64 = 1 << 32;

/// How far it is looked back what the first counter of a loop was chosen from.
const DEPTH: u32 = 8;

/// What is known about a value; vectors have one entry per dimension, a scalar counts as one
/// dimension of size 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Length of runs that count up.
    pub contiguity: Vec<u64>,
    /// What divides the first value of each run.
    pub divisibility: Vec<u64>,
    /// Length of runs of one value.
    pub constancy: Vec<u64>,
}

/// The largest power of two that divides both.
fn common_power(a: u64, b: u64) -> u64 {
    let low = |x: u64| {
        if x == 0 {
            LARGEST
        } else {
            (1u64 << x.trailing_zeros()).min(LARGEST)
        }
    };
    low(a).min(low(b))
}

/// The largest number that divides both; of 0 and another that one.
#[must_use]
pub fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

impl Facts {
    /// Whether nothing is known of how neighbours follow each other.
    #[must_use]
    pub fn is_scattered(&self) -> bool {
        let mut runs = self.contiguity.iter().chain(&self.constancy);
        runs.all(|length| *length == 1)
    }

    fn unknown(rank: usize) -> Self {
        Self {
            contiguity: vec![1; rank],
            divisibility: vec![1; rank],
            constancy: vec![1; rank],
        }
    }

    fn uniform(shape: &[u64], divisibility: u64) -> Self {
        Self {
            contiguity: vec![1; shape.len()],
            divisibility: vec![divisibility; shape.len()],
            constancy: shape.to_vec(),
        }
    }

    /// What divides the values at multiples of `length` along `d`.
    #[must_use]
    pub fn divisor_at(&self, d: usize, length: u64) -> u64 {
        let run = self.contiguity[d];
        if length.is_multiple_of(run) {
            self.divisibility[d]
        } else {
            common_power(self.divisibility[d], greatest_common_divisor(length, run))
        }
    }

    /// As [`Self::divisor_at`] for pointers, in bytes: a step inside a run is one element.
    #[must_use]
    pub fn byte_divisor_at(&self, d: usize, length: u64, element_bytes: u64) -> u64 {
        let run = self.contiguity[d];
        if length.is_multiple_of(run) {
            self.divisibility[d]
        } else {
            let steps = greatest_common_divisor(length, run);
            common_power(self.divisibility[d], steps * element_bytes)
        }
    }

    /// What divides every single value.
    fn divisor_everywhere(&self) -> u64 {
        (0..self.contiguity.len())
            .map(|d| self.divisor_at(d, 1))
            .min()
            .unwrap_or(1)
    }

    /// What both hold.
    fn meet(&self, other: &Self) -> Self {
        let rank = self.contiguity.len();
        let contiguity: Vec<_> = (0..rank)
            .map(|d| greatest_common_divisor(self.contiguity[d], other.contiguity[d]))
            .collect();
        Self {
            divisibility: (0..rank)
                .map(|d| {
                    common_power(
                        self.divisor_at(d, contiguity[d]),
                        other.divisor_at(d, contiguity[d]),
                    )
                })
                .collect(),
            constancy: (0..rank)
                .map(|d| greatest_common_divisor(self.constancy[d], other.constancy[d]))
                .collect(),
            contiguity,
        }
    }
}

/// The analysis of one function.
pub struct FactAnalysis<'c> {
    divisibility: Vec<i64>,
    /// Addresses of operations.
    unsigned: HashSet<usize>,
    of: PhantomData<Operation<'c>>,
    promised: promises::Promises,
    known: RefCell<HashMap<ValueKey, Facts>>,
}

impl<'c> FactAnalysis<'c> {
    /// An analysis of a `func.func`, whose attribute `tile.divisibility` says what divides each
    /// argument (pointers in bytes; 1 where nothing is known).
    #[must_use]
    pub fn new(function: Operation<'c>) -> Self {
        let divisibility = ints_attribute(function, crate::dialect::DIVISIBILITY);
        Self::with_divisibility(function, divisibility.unwrap_or_default())
    }

    /// This analysis, were these operations divisions of numbers without a sign.
    #[must_use]
    pub fn with_unsigned(mut self, divisions: HashSet<usize>) -> Self {
        self.unsigned = divisions;
        self
    }

    /// An analysis as [`Self::new`], were this the attribute.
    #[must_use]
    pub fn with_divisibility(function: Operation<'c>, divisibility: Vec<i64>) -> Self {
        Self {
            divisibility,
            unsigned: HashSet::new(),
            of: PhantomData,
            promised: promises::of(function),
            known: RefCell::new(HashMap::new()),
        }
    }

    /// This analysis, were the first of each pair the second.
    #[must_use]
    pub fn with_same(self, pairs: &[[Value<'c>; 2]]) -> Self {
        for [value, other] in pairs {
            let facts = self.of(*other);
            self.known.borrow_mut().insert(key(*value), facts);
        }
        self
    }

    /// What is known about a value.
    #[must_use]
    pub fn of(&self, value: Value<'c>) -> Facts {
        if let Some(facts) = self.known.borrow().get(&key(value)) {
            return facts.clone();
        }
        let mut facts = self.compute(value);
        if let Some(promised) = self.promised.divisors.get(&key(value)) {
            for divisor in &mut facts.divisibility {
                *divisor = (*divisor).max(*promised);
            }
        }
        self.known.borrow_mut().insert(key(value), facts.clone());
        facts
    }

    fn shape(value: Value<'c>) -> Vec<u64> {
        TileType::of(value).map_or_else(|| vec![1], TileType::shape)
    }

    /// Whatever an operation computes, equal inputs give equal outputs.
    fn runs_of_inputs(&self, operation: Operation<'c>, shape: Vec<u64>) -> Facts {
        let unknown = Facts::unknown(shape.len());
        let mut constancy = shape;
        for input in operands(operation) {
            let facts = self.of(input);
            for (run, of_input) in constancy.iter_mut().zip(&facts.constancy) {
                *run = greatest_common_divisor(*run, *of_input);
            }
        }
        Facts {
            constancy,
            ..unknown
        }
    }

    fn compute(&self, value: Value<'c>) -> Facts {
        let shape = Self::shape(value);
        let unknown = Facts::unknown(shape.len());
        let Some(operation) = defining_operation(value) else {
            return self.of_argument(value, unknown);
        };
        if let Some(own) = TileOp::of(operation) {
            return self.of_tile_op(own, &shape).unwrap_or(unknown);
        }
        match name(operation) {
            "arith.constant" => constant_divisor(operation)
                .map_or(unknown, |divisor| Facts::uniform(&shape, divisor)),
            "arith.addi" => {
                let [a, b] = self.pair(operation);
                sum(&a, &b, true)
            }
            "arith.subi" => {
                let [a, b] = self.pair(operation);
                sum(&a, &b, false)
            }
            "arith.muli" => {
                let [a, b] = self.pair(operation);
                product(&a, &b)
            }
            "arith.shli" => {
                let [a, b] = self.pair(operation);
                match constant_of(operand(operation, 1)) {
                    Some(amount) if (0..32).contains(&amount) => {
                        product(&a, &Facts::uniform(&shape, 1 << amount))
                    }
                    _ => constant_runs(&a, &b),
                }
            }
            "arith.extsi" | "arith.extui" | "arith.trunci" | "arith.index_cast" => {
                self.of(operand(operation, 0))
            }
            "arith.remsi" | "arith.remui" => {
                let [a, b] = self.pair(operation);
                // Remainders of negative numbers are 0 and then negative: a run breaks at its first element.
                let is_unsigned =
                    name(operation) == "arith.remui" || self.unsigned.contains(&address(operation));
                let range = || self.range(operand(operation, 0));
                let is_natural = range().is_some_and(|(least, _)| least >= 0)
                    || self.is_promised_natural(operand(operation, 0));
                match is_unsigned || is_natural {
                    true => remainder(&a, &b, &shape),
                    false => constant_runs(&a, &b),
                }
            }
            "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.shrsi" | "arith.shrui"
                if let Some(divisor) = power_of_two_divisor(operation) =>
            {
                let divided = operand(operation, 0);
                // Towards 0, those of negative numbers are rounded up.
                let rounds_down = name(operation) != "arith.divsi"
                    || self.unsigned.contains(&address(operation))
                    || self.range(divided).is_some_and(|(least, _)| least >= 0);
                quotient(&self.of(divided), divisor, rounds_down)
            }
            "arith.cmpi" => {
                let [a, b] = self.pair(operation);
                comparison(&a, &b, int_attribute(operation, "predicate").unwrap_or(-1))
            }
            "arith.select" => {
                let condition = self.of(operand(operation, 0));
                let then = self.of(operand(operation, 1));
                let otherwise = self.of(operand(operation, 2));
                chosen(&then, &otherwise, &condition.constancy)
            }
            "arith.minsi" | "arith.maxsi" | "arith.minui" | "arith.maxui" => {
                let [a, b] = self.pair(operation);
                // Where neither changes, all are of the same one.
                let runs = a.constancy.iter().zip(&b.constancy);
                let steady: Vec<_> = runs
                    .map(|(one, other)| greatest_common_divisor(*one, *other))
                    .collect();
                chosen(&a, &b, &steady)
            }
            "scf.for" => self.of_loop(operation, result_number(value)),
            "scf.while" => self.of_passed(operation, result_number(value), unknown),
            "scf.if" => {
                let number = result_number(value);
                let yields: Vec<_> = (0..2)
                    .filter_map(|index| region_block(operation, index))
                    .filter_map(|block| yielded(block).get(number).copied())
                    .map(|value| self.of(value))
                    .collect();
                match yields.as_slice() {
                    [a, b] => a.meet(b),
                    _ => unknown,
                }
            }
            other if other.starts_with("arith.") && !operands(operation).is_empty() => {
                self.runs_of_inputs(operation, shape)
            }
            _ => unknown,
        }
    }

    fn pair(&self, operation: Operation<'c>) -> [Facts; 2] {
        [
            self.of(operand(operation, 0)),
            self.of(operand(operation, 1)),
        ]
    }

    fn of_argument(&self, value: Value<'c>, unknown: Facts) -> Facts {
        let Some(owner) = argument_owner(value) else {
            return unknown;
        };
        let number = result_number(value);
        if name(owner) == "func.func" {
            let divisor = self.divisibility.get(number).copied().unwrap_or(1);
            return Facts::uniform(
                &Self::shape(value),
                u64::try_from(divisor).unwrap_or(1).max(1),
            );
        }
        if name(owner) == "scf.for" {
            if number == 0 {
                let [first, end, step] = [0, 1, 2].map(|index| operand(owner, index));
                let first = self.of_first(first, end, DEPTH);
                let divisor = common_power(first, self.of(step).divisibility[0]);
                return Facts::uniform(&[1], divisor);
            }
            return self.of_loop(owner, number - 1);
        }
        if name(owner) == "scf.while" {
            let is_carried = region_block(owner, 0)
                .is_some_and(|before| crate::ir::arguments(before).contains(&value));
            return match is_carried {
                true => self.of_loop(owner, number),
                false => self.of_passed(owner, number, unknown),
            };
        }
        unknown
    }

    /// What divides the first counter of a loop that has iterations: it is not the end, where others stop that it may be.
    fn of_first(&self, first: Value<'c>, end: Value<'c>, depth: u32) -> u64 {
        if key(first) == key(end) {
            return LARGEST;
        }
        let sides = defining_operation(first).and_then(|operation| match name(operation) {
            "arith.minsi" | "arith.maxsi" => Some([0, 1].map(|index| operand(operation, index))),
            "arith.select" => Some([1, 2].map(|index| operand(operation, index))),
            _ => None,
        });
        match sides.filter(|_| depth > 0) {
            Some(sides) => {
                let [one, other] = sides.map(|side| self.of_first(side, end, depth - 1));
                common_power(one, other)
            }
            None => self.of(first).divisibility[0],
        }
    }

    /// What the condition of a `scf.while` passes on: to its body, and to what follows it.
    fn of_passed(&self, owner: Operation<'c>, number: usize, unknown: Facts) -> Facts {
        let condition = region_block(owner, 0).map(yielded).unwrap_or_default();
        let passed = condition.get(1 + number).copied();
        passed.map_or(unknown, |value| self.of(value))
    }

    /// What holds for a value carried by a loop: assumed to be what holds at entry, then weakened
    /// until the loop preserves it.
    fn of_loop(&self, owner: Operation<'c>, number: usize) -> Facts {
        // A counter, its limits and its step are not carried.
        let (counter, limits, body) = match name(owner) {
            "scf.for" => (1, 3, 0),
            _ => (0, 0, 1),
        };
        let (Some(head), Some(body)) = (region_block(owner, 0), region_block(owner, body)) else {
            return Facts::unknown(1);
        };
        let arguments = crate::ir::arguments(head);
        let carried: Vec<Value<'c>> = arguments.into_iter().skip(counter).collect();
        let next = yielded(body);
        let initial = operands(owner).into_iter().skip(limits);
        let mut assumed: Vec<Facts> = initial.map(|value| self.of(value)).collect();
        for round in 0.. {
            let outside = self.known.borrow().clone();
            for (value, facts) in carried.iter().zip(&assumed) {
                let rank = facts.contiguity.len();
                let facts = if round < 6 {
                    facts.clone()
                } else {
                    Facts::unknown(rank)
                };
                self.known.borrow_mut().insert(key(*value), facts);
            }
            let next: Vec<Facts> = std::iter::zip(&assumed, &next)
                .map(|(assumed, value)| assumed.meet(&self.of(*value)))
                .collect();
            let stable = next == assumed || round >= 6;
            if stable {
                // Facts derived inside the loop under a proved assumption stay.
                break;
            }
            *self.known.borrow_mut() = outside;
            assumed = next;
        }
        let known = self.known.borrow().get(&key(carried[number])).cloned();
        known.unwrap_or_else(|| Facts::unknown(Self::shape(carried[number]).len()))
    }

    fn of_tile_op(&self, operation: TileOp<'c>, shape: &[u64]) -> Option<Facts> {
        Some(match operation {
            TileOp::Arange(arange) => Facts {
                contiguity: shape.to_vec(),
                divisibility: vec![common_power(arange.lo().unsigned_abs(), 0)],
                constancy: vec![1],
            },
            TileOp::Splat(splat) => {
                Facts::uniform(shape, self.of(splat.scalar()).divisor_everywhere())
            }
            TileOp::Expand(expand) => {
                let inner = self.of(expand.operand());
                let axis = expand.axis() as usize;
                let everywhere = inner.divisor_everywhere();
                let mut facts = inner;
                facts.contiguity.insert(axis, 1);
                facts.divisibility.insert(axis, everywhere);
                facts.constancy.insert(axis, 1);
                facts
            }
            TileOp::Broadcast(broadcast) => {
                let mut facts = self.of(broadcast.operand());
                let from = Self::shape(broadcast.operand());
                for d in 0..shape.len() {
                    if from[d] != shape[d] {
                        facts.divisibility[d] = facts.divisor_everywhere();
                        facts.contiguity[d] = 1;
                        facts.constancy[d] = shape[d];
                    }
                }
                facts
            }
            TileOp::Reshape(reshape) => {
                let inner = self.of(reshape.operand());
                let from = Self::shape(reshape.operand());
                let mut facts = Facts::unknown(shape.len());
                facts.divisibility = vec![inner.divisor_everywhere(); shape.len()];
                // The last dimensions stay what they are, where they have the same sizes.
                let pairs = from.iter().rev().zip(shape.iter().rev());
                let same = pairs.take_while(|(from, to)| from == to).count();
                for (old, new) in (0..from.len()).rev().zip((0..shape.len()).rev()).take(same) {
                    facts.contiguity[new] = inner.contiguity[old];
                    facts.divisibility[new] = inner.divisibility[old];
                    facts.constancy[new] = inner.constancy[old];
                }
                facts
            }
            TileOp::Permute(permute) => {
                let inner = self.of(permute.operand());
                let pick = |list: &[u64]| {
                    permute
                        .permutation()
                        .iter()
                        .map(|d| list[*d as usize])
                        .collect::<Vec<_>>()
                };
                Facts {
                    contiguity: pick(&inner.contiguity),
                    divisibility: pick(&inner.divisibility),
                    constancy: pick(&inner.constancy),
                }
            }
            TileOp::PointerOffset(offset) => {
                let bytes = pointee_bytes(offset.pointer());
                let pointer = self.of(offset.pointer());
                let mut elements = self.of(offset.offset());
                for divisor in &mut elements.divisibility {
                    *divisor = (*divisor).saturating_mul(bytes).min(LARGEST);
                }
                pointer_sum(&pointer, &elements, bytes)
            }
            TileOp::PointerCast(cast) => {
                let inner = self.of(cast.operand());
                let step = if is_pointer(cast.operand()) {
                    pointee_bytes(cast.operand())
                } else {
                    1
                };
                let rank = inner.contiguity.len();
                Facts {
                    contiguity: vec![1; rank],
                    divisibility: (0..rank)
                        .map(|d| inner.byte_divisor_at(d, 1, step))
                        .collect(),
                    constancy: inner.constancy,
                }
            }
            TileOp::Convert(convert) => self.of(convert.operand()),
            // What lies in one place is one value.
            TileOp::Load(load) => self.runs_of_inputs(load.0, shape.to_vec()),
            _ => return None,
        })
    }
}

/// Whether it is a pointer or a tile of pointers.
fn is_pointer(value: Value<'_>) -> bool {
    let text = crate::ir::element_type(value.r#type()).to_string();
    text.starts_with("!tile.ptr<")
}

/// Bytes of what a pointer (or tile of pointers) points to.
#[must_use]
pub fn pointee_bytes(pointer: Value<'_>) -> u64 {
    let text = crate::ir::element_type(pointer.r#type()).to_string();
    let inner = text
        .strip_prefix("!tile.ptr<")
        .and_then(|rest| rest.strip_suffix('>'));
    let digits: String = match inner {
        Some(inner) if inner.starts_with("f8") => "8".into(),
        Some(inner) => inner.chars().filter(char::is_ascii_digit).collect(),
        None => "8".into(),
    };
    digits.parse::<u64>().map_or(1, |bits| bits.div_ceil(8))
}

/// The value of an integer constant, scalar or splat.
#[must_use]
pub fn constant_of(value: Value<'_>) -> Option<i64> {
    let operation = defining_operation(value)?;
    match name(operation) {
        "arith.constant" => constant_attribute(operation.attribute("value").ok()?),
        "tile.splat" | "arith.extsi" | "arith.extui" | "arith.trunci" => {
            constant_of(operand(operation, 0))
        }
        // One of two strides that a launch has both as 1.
        "arith.select" => {
            let [one, other] = [1, 2].map(|index| operand(operation, index));
            constant_of(one).filter(|one| constant_of(other) == Some(*one))
        }
        _ => None,
    }
}

/// The vector width, in elements along `axis`, that the facts allow for an access: contiguous,
/// aligned, under one mask, and either all padding or none.
#[must_use]
pub fn access_width(
    shape: &[u64],
    element_bytes: u64,
    pointers: &Facts,
    mask: Option<&Facts>,
    axis: usize,
    most: u64,
) -> u64 {
    let factor = |number: u64| match number {
        0 => 1,
        _ => common_power(number, 0),
    };
    let mut width = most
        .min(factor(pointers.contiguity[axis]))
        .min(factor(shape[axis]));
    if let Some(mask) = mask {
        width = width.min(factor(mask.constancy[axis]));
    }
    while width > 1 && pointers.byte_divisor_at(axis, width, element_bytes) < width * element_bytes
    {
        width /= 2;
    }
    width.max(1)
}

/// A number as the sum of another one, if it is no constant itself, and a constant, which may be 0. Both wrap around as the number does.
pub fn sum_with_constant(mut value: Value<'_>) -> (Option<Value<'_>>, i64) {
    let mut sum = 0_i64;
    while let Some(operation) = defining_operation(value)
        && let is_sum = name(operation) == "arith.addi"
        && (is_sum || name(operation) == "arith.subi")
    {
        let [left, right] = [0, 1].map(|number| operand(operation, number));
        let (rest, added) = match (constant_of(left), constant_of(right)) {
            (_, Some(added)) if is_sum => (left, added),
            (_, Some(taken)) => (left, taken.wrapping_neg()),
            (Some(added), None) if is_sum => (right, added),
            _ => break,
        };
        sum = sum.wrapping_add(added);
        value = rest;
    }
    match constant_of(value) {
        Some(constant) => (None, sum.wrapping_add(constant)),
        None => (Some(value), sum),
    }
}

/// The power of two that a division or a shift to the right divides by.
pub fn power_of_two_divisor(operation: Operation<'_>) -> Option<u64> {
    let amount = u64::try_from(constant_of(operand(operation, 1))?).ok()?;
    let divisor = match name(operation) {
        "arith.shrsi" | "arith.shrui" => 1_u64.checked_shl(u32::try_from(amount).ok()?)?,
        _ => amount,
    };
    (divisor.is_power_of_two() && divisor < LARGEST / 2).then_some(divisor)
}

fn constant_attribute(attribute: Attribute<'_>) -> Option<i64> {
    if let Ok(integer) = IntegerAttribute::try_from(attribute) {
        return Some(integer.value());
    }
    // A splat: `dense<5> : tensor<4xi32>`.
    let text = attribute.to_string();
    let inner = text.strip_prefix("dense<")?.split('>').next()?;
    match inner {
        "true" => Some(1),
        "false" => Some(0),
        number => number.parse().ok(),
    }
}

fn constant_divisor(operation: Operation<'_>) -> Option<u64> {
    let element = crate::ir::element_type(crate::ir::result(operation, 0).r#type());
    if IntegerType::try_from(element).is_err() {
        return None;
    }
    let value = constant_attribute(operation.attribute("value").ok()?)?;
    Some(common_power(value.unsigned_abs(), 0))
}

impl<'c> FactAnalysis<'c> {
    /// The smallest and largest value of an integer, or of a tile of them, as far as is known.
    #[must_use]
    pub fn range(&self, value: Value<'c>) -> Option<(i128, i128)> {
        ranges::of_promised(value, &self.promised.natural)
    }

    /// Whether nothing in a tile is negative, as its elements are a number that is promised not to be and what there is room for behind it.
    fn is_promised_natural(&self, value: Value<'c>) -> bool {
        if self.promised.natural.contains(&key(value)) {
            return true;
        }
        let Some(operation) = defining_operation(value) else {
            return false;
        };
        let is = |number| operand(operation, number);
        match (name(operation), TileOp::of(operation)) {
            (_, Some(TileOp::Splat(_) | TileOp::Broadcast(_) | TileOp::Expand(_))) => {
                self.is_promised_natural(is(0))
            }
            ("arith.addi", _) => {
                let from = |base, offset| {
                    let offset_range = self.range(offset);
                    self.is_promised_natural(base)
                        && offset_range.is_some_and(|(least, _)| least >= 0)
                        && self.sum_fits(base, offset)
                };
                from(is(0), is(1)) || from(is(1), is(0))
            }
            _ => false,
        }
    }

    /// Whether the sum of two integers of one type, or of any two elements of tiles of them, fits that type.
    #[must_use]
    pub fn sum_fits(&self, one: Value<'c>, other: Value<'c>) -> bool {
        // Below the bits of a multiple of a power of two there is room.
        let fills = |base: Value<'c>, offset: Value<'c>| {
            let power = common_power(self.of(base).divisor_everywhere(), 0);
            self.range(offset)
                .is_some_and(|(least, most)| 0 <= least && most < power.into())
        };
        fills(one, other) || fills(other, one)
    }
}
