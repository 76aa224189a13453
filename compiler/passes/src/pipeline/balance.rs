//! Programs of unequal length, spread over the blocks of a persistent kernel.
//!
//! Numbers go along axis 0 first. Where the programs of a row differ in length, as in causal attention, or where how long they are is
//! loaded, blocks take the next one when they are free ([`tile_scheduler`](super::tile_scheduler)). In which order decides
//! what runs at the end, and at the same time:
//!
//! ```text
//! one row after the other, the longest first, then the last rows by length (4 in a row, 5 rows, the last 2)
//!   3 2 1 0 | 7 6 5 4 | 11 10 9 8 | 15 19 14 18 13 17 12 16
//! ```
//!
//! Programs that run at once are of few rows, whose operands fit L2: the longest of all rows first balances as well, but needs the
//! operands of all rows at once (causal attention of 4096 keys and 112 heads fell from 0.86 to 0.68 of cuDNN). Of 132 blocks the busiest has
//! so much more than its share, if all are as fast:
//!
//! | heads x rows | row after row | by length | here |
//! |---|---|---|---|
//! | 229 x 8 | 1.06 | 1.01 | 1.02 |
//! | 112 x 16 | 1.07 | 1.01 | 1.01 |
//! | 56 x 32 | 1.08 | 1.01 | 1.01 |
//! | 8 heads of 16 sequences of 1024 to 2048 keys, 264 blocks | 1.16 | 1.03 | 1.03 |
//!
//! An order that is fixed before, as near to even as this where lengths follow from the numbers, was slower: on an H200 causal attention of 128
//! columns by 1.00 to 1.05 (but of 256 it was 1.01 times as fast), of 64 by 1.02 to 1.12, with a window by 0.98 to 1.14, and sequences of mixed lengths by
//! 1.11 to 1.26.

use std::collections::HashSet;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::plan::Plans;
use super::programs::{Counts, either};
use crate::build::Builder;
use crate::dialect::{TileOp, is_pure, predicates};
use crate::each_operation;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, address, name, operands};

/// So many programs of a block are by length at the end, where blocks take them from a counter.
const LAST: i64 = 4;

/// Which programs have the most iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Longest {
    /// Whether that is known of the numbers along axis 0, and not of those along another one.
    is_in_row: bool,
    /// Whether it is those with the highest numbers.
    is_last: bool,
}

/// Which programs have the most iterations of a loop that has a plan, if the number of iterations depends on the place: the last
/// where the end of its range does, the first where only the start does. Right results need neither.
pub fn longest<'c>(function: Operation<'c>, plans: &Plans<'c>) -> Option<Longest> {
    let (mut in_row, mut elsewhere) = (None, None);
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) && name(operation) == "scf.for" {
            let range = operands(operation);
            let depends = |bound: usize, in_row: bool| depends_on_place(range[bound], in_row);
            match [0, 1].map(|bound| depends(bound, true)) {
                [_, true] => in_row = Some(true),
                [true, false] => in_row = in_row.or(Some(false)),
                _ => {}
            }
            // With both its range may be as long everywhere, as that of a part of a sum is.
            match [0, 1].map(|bound| depends(bound, false)) {
                [false, true] => elsewhere = Some(true),
                [true, false] => elsewhere = elsewhere.or(Some(false)),
                _ => {}
            }
        }
    });
    let is_in_row = in_row.is_some();
    let is_last = in_row.or(elsewhere)?;
    Some(Longest { is_in_row, is_last })
}

/// Whether the length of programs is known only when they have loaded something: how often a loop that has a plan runs, or whether it does.
/// Where rows of groups lie one after the other, half of the programs may have none.
pub fn depends_on_loads<'c>(function: Operation<'c>, plans: &Plans<'c>) -> bool {
    let is_load = |operation: Operation<'_>| matches!(TileOp::of(operation), Some(TileOp::Load(_)));
    let mut depends = false;
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) && name(operation) == "scf.for" {
            let bounds = operands(operation).into_iter().take(2);
            let mut conditions = Vec::new();
            let mut inner = operation;
            while let Some(parent) = inner.parent_operation() {
                inner = crate::ffi::operation(parent);
                if name(inner) == "scf.if" {
                    conditions.push(operands(inner)[0]);
                }
            }
            let mut all = bounds.into_iter().chain(conditions);
            depends |= all.any(|value| is_from(value, is_load));
        }
    });
    depends
}

/// Whether a value is computed from the program's number along axis 0, or along another one.
fn depends_on_place(value: Value<'_>, in_row: bool) -> bool {
    is_from(
        value,
        |operation| matches!(TileOp::of(operation), Some(TileOp::ProgramId(query)) if (query.axis() == 0) == in_row),
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

/// Which program has a number that blocks take from a counter, as they become free.
///
/// One row after the other, the longest program of each first, so that those that run at once are of few rows. The last rows, of which blocks have
/// [`LAST`] programs each, are by length: else the busiest block would have 1.06 to 1.16 of its share, and so it has 1.01 to 1.03. Where the
/// length depends on another axis, all are in the order of their numbers, or backwards.
#[derive(Clone, Copy)]
pub struct ByTicket<'c> {
    longest: Longest,
    /// How many programs there are.
    end: Value<'c>,
    /// The first number of the last rows, the first one of these, and how many there are.
    start: Value<'c>,
    row: Value<'c>,
    rows: Value<'c>,
}

impl<'c> ByTicket<'c> {
    /// In front of the first program.
    pub fn new(
        builder: &mut Builder<'c>,
        counts: &Counts<'c>,
        longest: Longest,
        [_, end, blocks]: [Value<'c>; 3],
    ) -> Self {
        let [width, y, z] = counts.counts;
        let [one, last] = [1, LAST].map(|count| builder.constant_int(count, width.r#type()));
        let all = builder.multiply(y, z);
        let programs = builder.multiply(blocks, last);
        let (rows, _) = counts.row(builder, programs);
        let rows = builder.binary("arith.maxui", rows, one);
        let rows = builder.binary("arith.minui", rows, all);
        let row = builder.binary("arith.subi", all, rows);
        Self {
            longest,
            end,
            start: builder.multiply(row, width),
            row,
            rows,
        }
    }

    /// The number of the program, as numbers go along axis 0 first.
    pub fn program(
        self,
        builder: &mut Builder<'c>,
        counts: &Counts<'c>,
        number: Value<'c>,
    ) -> Value<'c> {
        let width = counts.counts[0];
        let one = builder.constant_int(1, width.r#type());
        let backwards = |builder: &mut Builder<'c>, count: Value<'c>, number: Value<'c>| {
            let last = builder.binary("arith.subi", count, one);
            builder.binary("arith.subi", last, number)
        };
        if !self.longest.is_in_row {
            return match self.longest.is_last {
                true => backwards(builder, self.end, number),
                false => number,
            };
        }
        let is_last = builder.compare_int(predicates::UGE, number, self.start);
        let [row, place] = either(
            builder,
            is_last,
            |builder| {
                let number = builder.binary("arith.subi", number, self.start);
                let place = builder.binary("arith.divui", number, self.rows);
                let before = builder.multiply(place, self.rows);
                let row = builder.binary("arith.subi", number, before);
                [builder.add(row, self.row), place]
            },
            |builder| {
                let (row, place) = counts.row(builder, number);
                [row, place]
            },
        );
        let place = match self.longest.is_last {
            true => backwards(builder, width, place),
            false => place,
        };
        let before = builder.multiply(row, width);
        builder.add(before, place)
    }
}
