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

    /// First program of a block, the end, and from each of a block's programs to the next; or of pairs.
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
        let third = builder.binary("arith.divui", number, plane);
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
                let group = builder.binary("arith.divui", number, in_group);
                let before = builder.multiply(group, in_group);
                let place = builder.binary("arith.subi", number, before);
                let first = builder.multiply(group, rows);
                let left = builder.binary("arith.subi", x, first);
                (first, place, builder.binary("arith.minui", left, rows))
            }
        };
        let second = builder.binary("arith.divui", number, width);
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

/// Which block of a pair this is, `i32`.
pub fn rank<'c>(builder: &mut Builder<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    builder.value("nvvm.read.ptx.sreg.cluster.ctarank", &[], &[], word)
}
