//! Programs that take turns on the blocks there are.
//!
//! ```text
//! body(program_id)  ⇒  for n = block; n < programs; n += blocks { body(n) }
//! ```
//!
//! As many blocks are launched as run at once. What is set up once per block (mbarriers) is set up
//! once, and a producer begins the next program's copies while the consumers still store.
//! The numbers of programs along the axes are parameters, as the grid's are those of blocks.
//!
//! Numbers are 32 bits: the runtime takes another variant for 2^31 programs and more.

use super::pairs::PROGRAMS;
use crate::dialect::predicates;
use crate::ir::{Builder, Value};

/// The attribute of a function whose programs take turns.
pub const TURNS: &str = "tile.turns";

/// A block's programs, and where the first one is. That is known before its threads meet for the first time, and the
/// first copy then waits for nothing else.
#[derive(Clone, Copy)]
pub struct Turns<'c> {
    /// First program of a block, the end, and from each of a block's programs to the next; or of pairs.
    pub range: [Value<'c>; 3],
    pub first: Place<'c>,
}

/// The numbers of programs that a function gets as parameters.
#[derive(Clone, Copy)]
pub struct Counts<'c> {
    pub counts: [Value<'c>; 3],
    /// The axis along which two programs are a pair, on neighbouring blocks.
    pub pair: Option<u32>,
    /// Rows of programs in a group.
    pub rows: Option<i64>,
}

/// A program.
#[derive(Clone, Copy)]
pub struct Place<'c> {
    /// Its numbers along the axes.
    pub numbers: [Value<'c>; 3],
    /// Whether it is one of the grid's: a pair may have one that is not, `i1`.
    pub is_real: Option<Value<'c>>,
}

impl<'c> Place<'c> {
    /// All that a program needs to know, as values that a loop carries.
    pub fn values(&self) -> Vec<Value<'c>> {
        self.numbers.into_iter().chain(self.is_real).collect()
    }

    /// What [`values`](Self::values) gave.
    pub fn of(values: &[Value<'c>]) -> Option<Self> {
        let (numbers, rest) = values.split_first_chunk()?;
        Some(Self {
            numbers: *numbers,
            is_real: rest.first().copied(),
        })
    }
}

impl<'c> Counts<'c> {
    /// The numbers of blocks along the axes, or of pairs of them.
    fn blocks(self, builder: &mut Builder<'c>) -> [Value<'c>; 3] {
        let mut counts = self.counts;
        if let Some(count) = self.pair.and_then(|axis| counts.get_mut(axis as usize)) {
            let word = builder.int_type(32);
            let one = builder.constant_int(1, word);
            let more = builder.add(*count, one);
            *count = builder.binary("arith.shrui", more, one);
        }
        counts
    }

    /// The programs of this block.
    pub fn turns(self, builder: &mut Builder<'c>) -> Turns<'c> {
        let range = self.range(builder);
        let first = self.place(builder, range[0]);
        Turns { range, first }
    }

    pub fn range(self, builder: &mut Builder<'c>) -> [Value<'c>; 3] {
        let word = builder.int_type(32);
        let of = if self.pair.is_some() {
            "cluster"
        } else {
            "cta"
        };
        let mut read = |name: String| {
            let name = format!("nvvm.read.ptx.sreg.{name}.x");
            builder.value(&name, &[], &[], word)
        };
        let [first, all] = [format!("{of}id"), format!("n{of}id")].map(&mut read);
        let [x, y, z] = self.blocks(builder);
        let plane = builder.multiply(x, y);
        [first, builder.multiply(plane, z), all]
    }

    /// The numbers along the axes of the program that is as many after `place` as `further` is after the first: a sum
    /// with carries, which is cheaper than divisions. No axes are in groups.
    pub fn after(
        self,
        builder: &mut Builder<'c>,
        place: [Value<'c>; 3],
        further: [Value<'c>; 3],
    ) -> [Value<'c>; 3] {
        let word = builder.int_type(32);
        let one = builder.constant_int(1, word);
        let [x, y, _] = self.counts;
        let mut carry = None;
        let mut sum = |builder: &mut Builder<'c>, axis: usize, size: Option<Value<'c>>| {
            let mut sum = builder.add(place[axis], further[axis]);
            if let Some(carry) = carry {
                let more = builder.add(sum, one);
                sum = builder.select(carry, more, sum);
            }
            let Some(size) = size else { return sum };
            let exceeds = builder.compare_int(predicates::UGE, sum, size);
            carry = Some(exceeds);
            let rest = builder.binary("arith.subi", sum, size);
            builder.select(exceeds, rest, sum)
        };
        [
            sum(builder, 0, Some(x)),
            sum(builder, 1, Some(y)),
            sum(builder, 2, None),
        ]
    }

    /// The program (of a pair, this block's) with this number: axis 0 first, or in groups along axis 0
    /// (see [`order`](crate::passes::tensor_cores::order)).
    pub fn place(self, builder: &mut Builder<'c>, number: Value<'c>) -> Place<'c> {
        let [x, y, _] = self.blocks(builder);
        let word = builder.int_type(32);
        let plane = builder.multiply(x, y);
        let third = quotient(builder, number, plane);
        let before = builder.multiply(third, plane);
        let number = builder.binary("arith.subi", number, before);
        let rows = match (self.rows, self.pair) {
            (Some(rows), Some(0)) => Some((rows / PROGRAMS as i64).max(1)),
            (rows, _) => rows,
        };
        let (first, number, width) = match rows {
            None => (builder.constant_int(0, word), number, x),
            Some(rows) => {
                let rows = builder.constant_int(rows, word);
                let in_group = builder.multiply(rows, y);
                let group = quotient(builder, number, in_group);
                let before = builder.multiply(group, in_group);
                let place = builder.binary("arith.subi", number, before);
                let first = builder.multiply(group, rows);
                let left = builder.binary("arith.subi", x, first);
                (first, place, builder.binary("arith.minui", left, rows))
            }
        };
        let by_width = |builder: &mut Builder<'c>| builder.binary("arith.divui", number, width);
        let second = match rows {
            None => by_width(builder),
            // A constant in all groups but the last.
            Some(rows) => {
                let rows = builder.constant_int(rows, word);
                let is_whole = builder.compare_int(predicates::EQ, width, rows);
                let by_rows =
                    |builder: &mut Builder<'c>| builder.binary("arith.divui", number, rows);
                either(builder, is_whole, by_rows, by_width)
            }
        };
        let before = builder.multiply(second, width);
        let inside = builder.binary("arith.subi", number, before);
        let mut numbers = [builder.add(first, inside), second, third];
        let mut is_real = None;
        if let Some(axis) = self.pair {
            let (number, count) = (&mut numbers[axis as usize], self.counts[axis as usize]);
            let one = builder.constant_int(1, word);
            let even = builder.binary("arith.shli", *number, one);
            let rank = rank(builder);
            let own = builder.add(even, rank);
            let real = builder.compare_int(predicates::ULT, own, count);
            *number = builder.select(real, own, even);
            is_real = Some(real);
        }
        Place { numbers, is_real }
    }
}

/// A quotient that is mostly 0, and then known at once.
fn quotient<'c>(builder: &mut Builder<'c>, number: Value<'c>, divisor: Value<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    let is_less = builder.compare_int(predicates::ULT, number, divisor);
    let zero = |builder: &mut Builder<'c>| builder.constant_int(0, word);
    either(builder, is_less, zero, |builder| {
        builder.binary("arith.divui", number, divisor)
    })
}

/// One of two words. Unlike a selection it is a branch: a division takes longer than all else before the first
/// copy, as code that is not there yet has to be fetched.
fn either<'c>(
    builder: &mut Builder<'c>,
    condition: Value<'c>,
    yes: impl FnOnce(&mut Builder<'c>) -> Value<'c>,
    no: impl FnOnce(&mut Builder<'c>) -> Value<'c>,
) -> Value<'c> {
    let word = builder.int_type(32);
    let (yes, ()) = builder.region(&[], |builder, _| {
        let value = yes(builder);
        builder.insert("scf.yield", &[value], &[], &[]);
    });
    let (no, ()) = builder.region(&[], |builder, _| {
        let value = no(builder);
        builder.insert("scf.yield", &[value], &[], &[]);
    });
    let chosen = builder.insert_with_regions("scf.if", &[condition], &[], &[word], vec![yes, no]);
    crate::ir::result(chosen, 0)
}

/// Which block of a pair this is, `i32`.
pub fn rank<'c>(builder: &mut Builder<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    builder.value("nvvm.read.ptx.sreg.cluster.ctarank", &[], &[], word)
}
