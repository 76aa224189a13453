//! Programs of unequal length, spread over the blocks of a persistent kernel.
//!
//! Numbers go along axis 0 first. Where the programs of a row divide the blocks evenly, a block gets the same place of every
//! row: in causal attention, one all the long loops and another all the short ones. So a block's programs are others:
//!
//! ```text
//! many programs (4 in a row, 3 blocks): a long one and a short one of the same row, which are alike together
//!   in this order         0 3 1 2 | 4 7 5 6 | 8 11 9 10
//!   block 0 gets          0 3, then 5 6; block 1: 1 2, then 8 11; …
//! few programs: the longest of all rows first, and every other turn backwards (4 in a row, 3 blocks)
//!   turn 0                3 7 11
//!   turn 1                2 6 10, backwards: block 0 gets 10
//! ```
//!
//! With many programs those that run at once are of few rows, whose operands fit L2. The longest first balances better, but
//! needs the operands of all rows at once (causal attention of 4096 keys and 112 heads fell from 0.86 to 0.68 of cuDNN). Of 132
//! blocks the busiest has so much more than its share:
//!
//! | heads x rows | numbers as they are, every other turn backwards | here |
//! |---|---|---|
//! | 8 x 40 | 1.79 | 1.11 |
//! | 16 x 32 | 1.28 | 1.02 |
//! | 16 x 64 | 1.41 | 1.03 |
//! | 16 x 128 | 1.48 | 1.03 |
//! | 112 x 32 | 1.07 | 1.03 |

use std::collections::HashSet;

use melior::ir::ValueLike;

use super::plan::Plans;
use super::programs::{Counts, either};
use super::ring::Variable;
use crate::build::Builder;
use crate::dialect::{TileOp, is_pure, predicates};
use crate::each_operation;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, address, name, operands};

/// So many programs of a block, on average, are few.
const FEW: i64 = 6;

/// Which programs of a row have the most iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Longest {
    First,
    Last,
}

/// Which programs along axis 0 have the most iterations of a loop that has a plan, if the number of iterations depends on the place:
/// the last where the end of its range does, the first where only the start does. Right results need neither.
pub fn longest<'c>(function: Operation<'c>, plans: &Plans<'c>) -> Option<Longest> {
    let mut longest = None;
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) && name(operation) == "scf.for" {
            let range = operands(operation);
            let depends = |bound: usize| range.get(bound).is_some_and(|of| depends_on_place(*of));
            if depends(1) {
                longest = Some(Longest::Last);
            } else if depends(0) {
                longest = longest.or(Some(Longest::First));
            }
        }
    });
    longest
}

/// Whether the length of programs is known only when they have loaded something: how often a loop that has a plan runs, or whether.
pub fn depends_on_loads<'c>(function: Operation<'c>, plans: &Plans<'c>) -> bool {
    let is_load = |operation: Operation<'_>| matches!(TileOp::of(operation), Some(TileOp::Load(_)));
    let mut depends = false;
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) && name(operation) == "scf.for" {
            let bounds = operands(operation).into_iter().take(2);
            depends |= bounds.into_iter().any(|bound| is_from(bound, is_load));
        }
    });
    depends
}

/// Whether a value is computed from the program's number along axis 0.
fn depends_on_place(value: Value<'_>) -> bool {
    is_from(
        value,
        |operation| matches!(TileOp::of(operation), Some(TileOp::ProgramId(query)) if query.axis() == 0),
    )
}

/// Whether a value is computed from what such an operation gives.
fn is_from(value: Value<'_>, is_source: impl Fn(Operation<'_>) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        // The counter of a loop around it takes all its values in each program.
        let Some(operation) = defining_operation(value) else {
            continue;
        };
        if is_source(operation) {
            return true;
        }
        if is_pure(name(operation)) && seen.insert(address(operation)) {
            left.extend(operands(operation));
        }
    }
    false
}

/// The number of the program of which a block takes this number from a counter: where there are few, the longest of all rows first,
/// else of one row after the other, so that those that run at once are of few rows.
pub fn of_ticket<'c>(
    builder: &mut Builder<'c>,
    counts: &Counts<'c>,
    longest: Option<Longest>,
    number: Value<'c>,
    range: [Value<'c>; 3],
) -> Value<'c> {
    let Some(longest) = longest else {
        return number;
    };
    let truth = builder.int_type(1);
    let turn = Turn {
        number,
        is_second: builder.constant_int(0, truth),
        range,
    };
    let is_few = turn.is_few(builder);
    let [number] = either(
        builder,
        is_few,
        |builder| [turn.by_length(builder, counts, longest)],
        |builder| [turn.of_row(builder, counts, longest)],
    );
    number
}

/// Which program a block has in each of its turns.
#[derive(Clone, Copy)]
pub struct Order<'c> {
    longest: Longest,
    /// 1 in every other turn.
    is_second: Variable<'c>,
}

/// A block's turn.
#[derive(Clone, Copy)]
struct Turn<'c> {
    /// The number of the program that it would be, if numbers went from block to block.
    number: Value<'c>,
    /// Whether it is a second one, `i1`.
    is_second: Value<'c>,
    /// The block, how many programs there are, and how many blocks.
    range: [Value<'c>; 3],
}

impl<'c> Order<'c> {
    /// In front of the first turn. Variables are made before there are branches.
    pub fn new(builder: &mut Builder<'c>, longest: Longest) -> Self {
        Self {
            longest,
            is_second: Variable::new(builder, 0),
        }
    }

    /// The number of the program of a block's first turn.
    pub fn first(
        self,
        builder: &mut Builder<'c>,
        counts: &Counts<'c>,
        range: [Value<'c>; 3],
    ) -> Value<'c> {
        let truth = builder.int_type(1);
        let turn = Turn {
            number: range[0],
            is_second: builder.constant_int(0, truth),
            range,
        };
        self.program(builder, counts, turn)
    }

    /// The number of the program of the next turn, given the one it would be if numbers went from block to block.
    pub fn next(
        self,
        builder: &mut Builder<'c>,
        counts: &Counts<'c>,
        number: Value<'c>,
        range: [Value<'c>; 3],
    ) -> Value<'c> {
        let now = self.is_second.get(builder);
        let one = builder.constant_int(1, now.r#type());
        let is_second = builder.binary("arith.xori", now, one);
        self.is_second.set(builder, is_second);
        let turn = Turn {
            number,
            is_second: builder.compare_int(predicates::EQ, is_second, one),
            range,
        };
        self.program(builder, counts, turn)
    }

    fn program(self, builder: &mut Builder<'c>, counts: &Counts<'c>, turn: Turn<'c>) -> Value<'c> {
        let is_few = turn.is_few(builder);
        let [number] = either(
            builder,
            is_few,
            |builder| [turn.by_length(builder, counts, self.longest)],
            |builder| [turn.in_pairs(builder, counts)],
        );
        number
    }
}

impl<'c> Turn<'c> {
    /// Whether blocks have few programs.
    fn is_few(self, builder: &mut Builder<'c>) -> Value<'c> {
        let [_, end, blocks] = self.range;
        let few = builder.constant_int(FEW, end.r#type());
        let few = builder.multiply(blocks, few);
        builder.compare_int(predicates::ULE, end, few)
    }

    /// The longest of a row first.
    fn of_row(self, builder: &mut Builder<'c>, counts: &Counts<'c>, longest: Longest) -> Value<'c> {
        if longest == Longest::First {
            return self.number;
        }
        let (row, place) = counts.row(builder, self.number);
        let one = builder.constant_int(1, place.r#type());
        let last = builder.binary("arith.subi", counts.counts[0], one);
        let place = builder.binary("arith.subi", last, place);
        let before = builder.multiply(row, counts.counts[0]);
        builder.add(before, place)
    }

    /// The longest of all rows first; every other turn runs backwards.
    fn by_length(
        self,
        builder: &mut Builder<'c>,
        counts: &Counts<'c>,
        longest: Longest,
    ) -> Value<'c> {
        let [block, end, blocks] = self.range;
        let [width, y, z] = counts.counts;
        let one = builder.constant_int(1, end.r#type());
        // The last turn may be short.
        let first = builder.binary("arith.subi", self.number, block);
        let after = builder.add(first, blocks);
        let after = builder.binary("arith.minsi", after, end);
        let last = builder.binary("arith.subi", after, one);
        let reversed = builder.binary("arith.subi", last, block);
        let number = builder.select(self.is_second, reversed, self.number);
        let rows = builder.multiply(y, z);
        let rows = builder.binary("arith.maxui", rows, one);
        let mut place = builder.binary("arith.divui", number, rows);
        let before = builder.multiply(place, rows);
        let row = builder.binary("arith.subi", number, before);
        if longest == Longest::Last {
            let last = builder.binary("arith.subi", width, one);
            place = builder.binary("arith.subi", last, place);
        }
        let before = builder.multiply(row, width);
        builder.add(before, place)
    }

    /// Neighbours in the order first, last, second, last but one, … of each row. What is left after the last two whole turns goes
    /// to all blocks, as two to the first of them.
    fn in_pairs(self, builder: &mut Builder<'c>, counts: &Counts<'c>) -> Value<'c> {
        let [block, end, blocks] = self.range;
        let word = end.r#type();
        let [zero, one] = [0, 1].map(|number| builder.constant_int(number, word));
        let before = builder.select(self.is_second, blocks, zero);
        let base = builder.binary("arith.subi", self.number, block);
        let base = builder.binary("arith.subi", base, before);
        let left = builder.binary("arith.subi", end, base);
        let left = builder.binary("arith.subi", left, blocks);
        let left = builder.binary("arith.maxsi", left, zero);
        let with_two = builder.binary("arith.minsi", left, blocks);
        let own = builder.add(base, block);
        let first = builder.add(own, block);
        let alone = builder.add(own, with_two);
        let has_two = builder.compare_int(predicates::ULT, block, with_two);
        let only = builder.select(has_two, first, alone);
        let second = builder.add(first, one);
        let position = builder.select(self.is_second, second, only);
        let (row, place) = counts.row(builder, position);
        let half = builder.binary("arith.shrui", place, one);
        let last = builder.binary("arith.subi", counts.counts[0], one);
        let mirrored = builder.binary("arith.subi", last, half);
        let odd = builder.binary("arith.andi", place, one);
        let is_odd = builder.compare_int(predicates::EQ, odd, one);
        let place = builder.select(is_odd, mirrored, half);
        let before = builder.multiply(row, counts.counts[0]);
        builder.add(before, place)
    }
}
