//! Programs of unequal length, spread over the blocks that take turns with them.
//!
//! ```text
//! turn 0:  0 1 2 3        block 0 gets 0, 7, 8; block 3 gets 3, 4, 11:
//! turn 1:  7 6 5 4        the sums are alike, where lengths grow along a row of programs
//! turn 2:  8 9 …
//! ```
//!
//! Numbers go along axis 0 first. Where the programs of a row divide the blocks evenly, a block gets the same place of every
//! row: in causal attention, one all the long loops and another all the short ones. So every other turn runs backwards. A turn
//! has the same programs as before, so those that run at once share what they read in L2 as before.
//!
//! Tried as well, and slower: longest first, with axis 0 slowest. That balances better on paper, but the operands of all
//! rows at once do not fit L2 (causal attention of 4096 keys fell from 0.86 to 0.68 of cuDNN).

use std::collections::HashSet;

use melior::ir::ValueLike;

use super::plan::{Plans, address};
use super::ring::Variable;
use crate::dialect::{TileOp, is_pure, predicates};
use crate::ffi::defining_operation;
use crate::ir::{Builder, Operation, Value, name, operands};
use crate::passes::each_operation;

/// Whether the number of rounds of a loop that has a plan depends on the place of its program along axis 0.
pub fn is_uneven<'c>(function: Operation<'c>, plans: &Plans<'c>) -> bool {
    let mut is_uneven = false;
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) && name(operation) == "scf.for" {
            let range = operands(operation);
            is_uneven |= range.iter().take(2).any(|bound| depends_on_place(*bound));
        }
    });
    is_uneven
}

/// Whether a value is computed from the program's number along axis 0.
fn depends_on_place(value: Value<'_>) -> bool {
    let mut seen = HashSet::new();
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        // The counter of a loop around it takes all its values in each program.
        let Some(operation) = defining_operation(value) else {
            continue;
        };
        if let Some(TileOp::ProgramId(query)) = TileOp::of(operation)
            && query.axis() == 0
        {
            return true;
        }
        if is_pure(name(operation)) && seen.insert(address(operation)) {
            left.extend(operands(operation));
        }
    }
    false
}

/// Which way a block's turns run.
#[derive(Clone, Copy)]
pub struct Direction<'c> {
    /// 1 in the turns that run backwards.
    is_backward: Variable<'c>,
}

impl<'c> Direction<'c> {
    /// Of the first turn, which runs forward. Variables are made before there are branches.
    pub fn new(builder: &mut Builder<'c>) -> Self {
        Self {
            is_backward: Variable::new(builder, 0),
        }
    }

    /// The number of the program that this block has in the next turn, given the one it would have if all ran forward, and the
    /// range of a block's numbers.
    pub fn next(
        self,
        builder: &mut Builder<'c>,
        number: Value<'c>,
        [block, end, blocks]: [Value<'c>; 3],
    ) -> Value<'c> {
        let now = self.is_backward.get(builder);
        let one = builder.constant_int(1, now.r#type());
        let is_backward = builder.binary("arith.xori", now, one);
        self.is_backward.set(builder, is_backward);
        // The last turn may be short.
        let first = builder.binary("arith.subi", number, block);
        let after = builder.add(first, blocks);
        let after = builder.binary("arith.minsi", after, end);
        let last = builder.binary("arith.subi", after, one);
        let reversed = builder.binary("arith.subi", last, block);
        let is_backward = builder.compare_int(predicates::EQ, is_backward, one);
        builder.select(is_backward, reversed, number)
    }
}
