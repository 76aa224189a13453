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

use melior::ir::ValueLike;

use super::leftovers::Sharing;
use super::pairs::is_paired;
use crate::dialect::predicates;
use crate::ir::{Builder, Value, result};

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
    /// The axis along which two programs may be a pair, on neighbouring blocks.
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
    /// Which part of it, where blocks may share it.
    pub part: Option<Part<'c>>,
}

/// A part of a program (see [`leftovers`](super::leftovers)).
#[derive(Clone, Copy)]
pub struct Part<'c> {
    /// Its number among the parts, and how many there are: 1 of what one block computes.
    pub number: Value<'c>,
    pub count: Value<'c>,
    /// The number of the program among those that are left over; of a pair, the pair's.
    pub index: Value<'c>,
}

impl<'c> Place<'c> {
    /// All that a program needs to know, as values that a loop carries.
    pub fn values(&self) -> Vec<Value<'c>> {
        let part = self
            .part
            .map(|part| [part.number, part.count, part.index])
            .into_iter()
            .flatten();
        self.numbers
            .into_iter()
            .chain(self.is_real)
            .chain(part)
            .collect()
    }

    /// What [`values`](Self::values) gave.
    pub fn of(values: &[Value<'c>]) -> Option<Self> {
        let (numbers, rest) = values.split_first_chunk()?;
        let (is_real, part) = match rest.len() % 3 {
            1 => (rest.first().copied(), &rest[1..]),
            _ => (None, rest),
        };
        let part = match part {
            [number, count, index] => Some(Part {
                number: *number,
                count: *count,
                index: *index,
            }),
            _ => None,
        };
        Some(Self {
            numbers: *numbers,
            is_real,
            part,
        })
    }
}

impl<'c> Counts<'c> {
    /// The numbers of blocks along the axes, or of pairs of them.
    fn blocks(self, builder: &mut Builder<'c>) -> [Value<'c>; 3] {
        let mut counts = self.counts;
        if let Some(count) = self.pair.and_then(|axis| counts.get_mut(axis as usize)) {
            let paired = is_paired(builder);
            let more = builder.add(*count, paired);
            *count = builder.binary("arith.shrui", more, paired);
        }
        counts
    }

    /// The programs of this block, some of which it may share with others.
    pub fn turns(self, builder: &mut Builder<'c>, sharing: Option<Sharing<'c>>) -> Turns<'c> {
        let range = self.range(builder);
        let first = self.shared_place(builder, sharing, range[0]);
        Turns { range, first }
    }

    /// The program, or part of one, with this number.
    pub fn shared_place(
        self,
        builder: &mut Builder<'c>,
        sharing: Option<Sharing<'c>>,
        number: Value<'c>,
    ) -> Place<'c> {
        let Some(sharing) = sharing else {
            return self.place(builder, number);
        };
        let (number, part) = sharing.part(builder, number);
        Place {
            part: Some(part),
            ..self.place(builder, number)
        }
    }

    /// First, end and step of the numbers.
    pub fn range(self, builder: &mut Builder<'c>) -> [Value<'c>; 3] {
        let of = if self.pair.is_some() {
            "cluster"
        } else {
            "cta"
        };
        let [first, all] = [format!("{of}id.x"), format!("n{of}id.x")]
            .map(|register| builder.special_register(&register));
        let [x, y, z] = self.blocks(builder);
        let plane = builder.multiply(x, y);
        [first, builder.multiply(plane, z), all]
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
        let all_rows = builder.constant_int(self.rows.unwrap_or(1).max(2), word);
        let rows = self.rows.map(|_| {
            // Of pairs, half as many.
            let rows = all_rows;
            match self.pair {
                Some(0) => {
                    let paired = is_paired(builder);
                    builder.binary("arith.shrui", rows, paired)
                }
                _ => rows,
            }
        });
        let (first, number, width) = match rows {
            None => (builder.constant_int(0, word), number, x),
            Some(rows) => {
                let in_group = builder.multiply(rows, y);
                let group = quotient(builder, number, in_group);
                let before = builder.multiply(group, in_group);
                let place = builder.binary("arith.subi", number, before);
                let first = builder.multiply(group, rows);
                let left = builder.binary("arith.subi", x, first);
                (first, place, builder.binary("arith.minui", left, rows))
            }
        };
        let by_width = |builder: &mut Builder<'c>| [builder.binary("arith.divui", number, width)];
        let [second] = match rows {
            None => [quotient(builder, number, width)],
            // A constant in all groups but the last, of which pairs have half.
            Some(rows) => {
                let is_whole = builder.compare_int(predicates::EQ, width, rows);
                let by_rows = |builder: &mut Builder<'c>| {
                    let mut number = number;
                    if self.pair == Some(0) {
                        let paired = is_paired(builder);
                        number = builder.binary("arith.shli", number, paired);
                    }
                    [builder.binary("arith.divui", number, all_rows)]
                };
                either(builder, is_whole, by_rows, by_width)
            }
        };
        let before = builder.multiply(second, width);
        let inside = builder.binary("arith.subi", number, before);
        let mut numbers = [builder.add(first, inside), second, third];
        let mut is_real = None;
        if let Some(axis) = self.pair {
            let (number, count) = (&mut numbers[axis as usize], self.counts[axis as usize]);
            let paired = is_paired(builder);
            let even = builder.binary("arith.shli", *number, paired);
            let rank = rank(builder);
            let own = builder.add(even, rank);
            let real = builder.compare_int(predicates::ULT, own, count);
            *number = builder.select(real, own, even);
            is_real = Some(real);
        }
        Place {
            numbers,
            is_real,
            part: None,
        }
    }
}

/// A quotient that is mostly 0, and then known at once.
fn quotient<'c>(builder: &mut Builder<'c>, number: Value<'c>, divisor: Value<'c>) -> Value<'c> {
    let word = builder.int_type(32);
    let is_less = builder.compare_int(predicates::ULT, number, divisor);
    let zero = |builder: &mut Builder<'c>| [builder.constant_int(0, word)];
    let [quotient] = either(builder, is_less, zero, |builder| {
        [builder.binary("arith.divui", number, divisor)]
    });
    quotient
}

/// What one of two computes. Unlike a selection it is a branch: a division takes longer than all else before the
/// first copy, as code that is not there yet has to be fetched.
pub fn either<'c, const N: usize>(
    builder: &mut Builder<'c>,
    condition: Value<'c>,
    yes: impl FnOnce(&mut Builder<'c>) -> [Value<'c>; N],
    no: impl FnOnce(&mut Builder<'c>) -> [Value<'c>; N],
) -> [Value<'c>; N] {
    let (first, types) = builder.region(&[], |builder, _| {
        let list = yes(builder);
        builder.insert("scf.yield", &list, &[], &[]);
        list.map(|value| value.r#type())
    });
    let (second, ()) = builder.region(&[], |builder, _| {
        let list = no(builder);
        builder.insert("scf.yield", &list, &[], &[]);
    });
    let regions = vec![first, second];
    let new = builder.insert_with_regions("scf.if", &[condition], &[], &types, regions);
    std::array::from_fn(|index| result(new, index))
}

/// Which block of its cluster this is, `i32`.
pub fn rank<'c>(builder: &mut Builder<'c>) -> Value<'c> {
    builder.special_register("cluster.ctarank")
}
