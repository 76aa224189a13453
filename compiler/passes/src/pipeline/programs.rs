//! Persistent kernels: as many blocks as run at once walk over the programs; and how a block finds the place of a program by its number.
//!
//! ```text
//! body(program_id)  ⇒  for n = block; n < programs; n += blocks { body(n) }
//! ```
//!
//! As many blocks are launched as run at once. What is set up once per block (mbarriers) is set up
//! once, and a producer begins the next program's copies while the consumers still store.
//! The numbers of programs along the axes are parameters, as the grid's are those of blocks.
//!
//! Numbers are 32 bits: a launch of more than 2^30 programs is refused. A block finds the place of a program
//! without a division: the launch says how to do with multiplications. On an H200 that made 4096 x 4096 x 512 faster by 1 %,
//! whose programs have eight iterations, and a kernel of 1420 instructions one of 1210.

use melior::ir::{Type, ValueLike};

use super::pairs::is_paired;
use super::stream_k::Sharing;
use crate::build::Builder;
use crate::dialect::predicates;
use crate::ir::{Value, result};
use crate::order::Group;

/// The attribute of a persistent kernel.
pub const TURNS: &str = "tile.turns";

/// The attribute of a function that finds the places of its programs by their numbers, if these go in groups: of how many
/// programs along axis 0.
pub const NUMBERS_GROUP: &str = "tile.numbers_group";

/// A block's programs, and where the first one is. That is known before its threads meet for the first time, and the
/// first copy then waits for nothing else.
#[derive(Clone, Copy)]
pub struct Turns<'c> {
    /// First program of a block, the end, and from each of a block's programs to the next; or of pairs.
    pub range: [Value<'c>; 3],
    pub first: Place<'c>,
}

/// How numbers of programs are divided by a number that the launch knows: a multiplication to 64 bits and a shift.
#[derive(Clone, Copy)]
pub struct Reciprocal<'c> {
    multiplier: Value<'c>,
    shift: Value<'c>,
}

impl<'c> Reciprocal<'c> {
    /// From parameters, the first of these.
    pub fn receive(added: &mut impl Iterator<Item = Value<'c>>) -> Option<Self> {
        Some(Self {
            multiplier: added.next()?,
            shift: added.next()?,
        })
    }

    /// The quotient of a number below 2^30.
    pub fn quotient(self, builder: &mut Builder<'c>, number: Value<'c>) -> Value<'c> {
        let [number, multiplier, shift] =
            [number, self.multiplier, self.shift].map(|value| builder.int_cast(value, 64, false));
        let product = builder.multiply(number, multiplier);
        let quotient = builder.binary("arith.shrui", product, shift);
        builder.int_cast(quotient, 32, false)
    }
}

/// Parameters that [`Counts`] come from.
const COUNTS: usize = 9;

/// The numbers of programs that a function gets as parameters, and what divides the number of one (see
/// `Variant::turns` of the manifest).
#[derive(Clone, Copy)]
pub struct Counts<'c> {
    /// Programs along the axes.
    pub counts: [Value<'c>; 3],
    plane: Reciprocal<'c>,
    group: Reciprocal<'c>,
    width: Reciprocal<'c>,
    /// The axis along which two programs may be a pair, on neighbouring blocks.
    pub pair: Option<u32>,
    /// How programs run in groups.
    pub groups: Option<Group>,
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

/// A part of a program (see [`stream_k`](super::stream_k)).
#[derive(Clone, Copy)]
pub struct Part<'c> {
    /// Its number among the parts, and how many there are: 1 of what one block computes.
    pub number: Value<'c>,
    pub count: Value<'c>,
    /// The number of the part among all that blocks walk over.
    pub of: Value<'c>,
}

impl<'c> Place<'c> {
    /// All that a program needs to know, as values that a loop carries besides its counter.
    pub fn values(&self) -> Vec<Value<'c>> {
        let part = self.part.map(|part| [part.number, part.count]);
        let part = part.into_iter().flatten();
        self.numbers
            .into_iter()
            .chain(self.is_real)
            .chain(part)
            .collect()
    }

    /// A program of a grid with one axis.
    pub fn in_row(builder: &mut Builder<'c>, number: Value<'c>) -> Self {
        let none = builder.constant_int(0, number.r#type());
        Self {
            numbers: [number, none, none],
            is_real: None,
            part: None,
        }
    }

    /// The counter, and what [`values`](Self::values) gave.
    pub fn of(given: &[Value<'c>]) -> Option<Self> {
        let (of, values) = given.split_first()?;
        let (numbers, rest) = values.split_first_chunk()?;
        let (is_real, part) = match rest.len() % 2 {
            1 => (rest.first().copied(), &rest[1..]),
            _ => (None, rest),
        };
        let part = match part {
            [number, count] => Some(Part {
                number: *number,
                count: *count,
                of: *of,
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
    /// The types of the parameters.
    pub fn types(word: Type<'c>) -> Vec<Type<'c>> {
        vec![word; COUNTS]
    }

    /// From parameters, the first of these.
    pub fn receive(
        added: &mut impl Iterator<Item = Value<'c>>,
        pair: Option<u32>,
        groups: Option<Group>,
    ) -> Option<Self> {
        let counts = [added.next()?, added.next()?, added.next()?];
        Some(Self {
            counts,
            plane: Reciprocal::receive(added)?,
            group: Reciprocal::receive(added)?,
            width: Reciprocal::receive(added)?,
            pair,
            groups,
        })
    }

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

    /// The row along axis 0 that a number is in, if numbers go along it first, and the place in it.
    pub fn row(self, builder: &mut Builder<'c>, number: Value<'c>) -> (Value<'c>, Value<'c>) {
        let row = self.width.quotient(builder, number);
        let before = builder.multiply(row, self.counts[0]);
        (row, builder.binary("arith.subi", number, before))
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
        let [mut first, mut all] =
            ["ctaid.x", "nctaid.x"].map(|register| builder.special_register(register));
        if self.pair.is_some() {
            // Clusters of one or two blocks. The registers with their numbers are divisions.
            let paired = is_paired(builder);
            [first, all] = [first, all].map(|count| builder.binary("arith.shrui", count, paired));
        }
        let [x, y, z] = self.blocks(builder);
        let plane = builder.multiply(x, y);
        [first, builder.multiply(plane, z), all]
    }

    /// The program (of a pair, this block's) with this number: axis 0 first, or in groups along an axis
    /// (see [`order`](crate::order)).
    pub fn place(self, builder: &mut Builder<'c>, number: Value<'c>) -> Place<'c> {
        let [x, y, _] = self.blocks(builder);
        let word = builder.int_type(32);
        let plane = builder.multiply(x, y);
        let third = self.plane.quotient(builder, number);
        let before = builder.multiply(third, plane);
        let number = builder.binary("arith.subi", number, before);
        let axis = self.groups.map_or(0, |groups| groups.axis);
        let [x, y] = match axis {
            0 => [x, y],
            _ => [y, x],
        };
        let (first, number, width, second) = match self.groups {
            None => {
                let second = self.width.quotient(builder, number);
                (builder.constant_int(0, word), number, x, second)
            }
            Some(Group { rows, axis }) => {
                let mut places = builder.constant_int(i64::from(rows.ilog2()), word);
                if self.pair == Some(axis) {
                    // Of pairs, half as many.
                    let paired = is_paired(builder);
                    places = builder.binary("arith.subi", places, paired);
                }
                let one = builder.constant_int(1, word);
                let rows = builder.binary("arith.shli", one, places);
                let group = self.group.quotient(builder, number);
                let in_group = builder.multiply(rows, y);
                let before = builder.multiply(group, in_group);
                let place = builder.binary("arith.subi", number, before);
                let first = builder.multiply(group, rows);
                let left = builder.binary("arith.subi", x, first);
                let width = builder.binary("arith.minui", left, rows);
                // A power of two in all groups but the last.
                let is_whole = builder.compare_int(predicates::EQ, width, rows);
                let by_rows = builder.binary("arith.shrui", place, places);
                let by_width = self.width.quotient(builder, place);
                let second = builder.select(is_whole, by_rows, by_width);
                (first, place, width, second)
            }
        };
        let before = builder.multiply(second, width);
        let inside = builder.binary("arith.subi", number, before);
        let along = builder.add(first, inside);
        let mut numbers = match axis {
            0 => [along, second, third],
            _ => [second, along, third],
        };
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

/// What one of two computes. Unlike a selection it is a branch, around what takes long.
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
