//! Rows that a loop loads, where the tiles are that they are repeated beside.
//!
//! ```text
//! for j { %k = load row; %t = %tile * %k[None, :] }     %k: the columns that each thread has of %tile
//! ```
//!
//! With each element in one thread, a row would come to the others through shared memory, and all warps would wait for
//! each other in each iteration. Where one access takes all that a thread needs of the row, each thread loads that: no
//! more instructions, and the same lines, from the L1 cache (H200, diagonal blocks of gated linear attention: 222 µs for 262).

use std::collections::HashMap;

use super::{Homes, shape_of};
use crate::dialect::TileOp;
use crate::dialect::ops::Load;
use crate::facts::{access_width, pointee_bytes};
use crate::ir::{Operation, Value, ValueKey, key, name, operands, result};
use crate::layout::Layout;
use crate::target::WIDEST_ACCESS;
use crate::writes::{is_unwritten, written};
use crate::{each_operation, loop_around, uses};

impl<'c> Homes<'_, '_, 'c> {
    /// Moves rows of loops to the tiles beside which they are.
    pub(super) fn rows_beside_tiles(&mut self, function: Operation<'c>) {
        let Some(written) = written(function) else {
            return;
        };
        let users = uses(function);
        let mut found = Vec::new();
        each_operation(function, &mut |operation| {
            let Some(load) = Load::of(operation) else {
                return;
            };
            let row = load.result();
            let is_row = crate::is_tile(row) && shape_of(row).len() == 1;
            let has_place = self.looped.contains(&key(row)) || self.places.contains_key(&key(row));
            if is_row
                && !has_place
                && self.home(row).is_some()
                && loop_around(operation).is_some()
                && is_unwritten(load.pointers(), &written)
                && let Some((values, layout)) = self.beside(&users, row)
                && self.is_one_access(load, &layout)
            {
                found.extend(values.into_iter().map(|value| (value, layout.clone())));
            }
        });
        for (value, layout) in found {
            self.set_home(value, layout);
        }
    }

    /// A row and what it is when converted, if tiles of one layout are all that is beside it, and the part of that layout.
    fn beside(
        &self,
        users: &HashMap<ValueKey, Vec<Operation<'c>>>,
        row: Value<'c>,
    ) -> Option<(Vec<Value<'c>>, Layout)> {
        let of = |value: Value<'c>| users.get(&key(value)).map_or(&[][..], Vec::as_slice);
        let mut rows = vec![row];
        let mut layouts = Vec::new();
        let mut next = 0;
        while let Some(row) = rows.get(next).copied() {
            next += 1;
            for user in of(row) {
                if let Some(TileOp::Expand(expand)) = TileOp::of(*user) {
                    let axis = expand.axis() as usize;
                    for repeated in of(expand.result()) {
                        let broadcast = match TileOp::of(*repeated)? {
                            TileOp::Broadcast(broadcast) => broadcast,
                            _ => return None,
                        };
                        for tile in of(broadcast.result()) {
                            if !name(*tile).starts_with("arith.") {
                                return None;
                            }
                            let home = self.home(result(*tile, 0))?;
                            layouts.push(home.remove_dimension(axis));
                        }
                    }
                } else if name(*user).starts_with("arith.") && operands(*user).len() == 1 {
                    rows.push(result(*user, 0));
                } else {
                    return None;
                }
            }
        }
        let layout = layouts.pop()?;
        let is_same = layouts.iter().all(|other| *other == layout);
        is_same.then_some((rows, layout))
    }

    /// Whether one access takes all that a thread has of a row in such a layout.
    fn is_one_access(&self, load: Load<'c>, layout: &Layout) -> bool {
        let bytes = pointee_bytes(load.pointers());
        let mask = load.mask().map(|mask| self.facts.of(mask));
        let most = WIDEST_ACCESS / bytes.clamp(1, WIDEST_ACCESS);
        let width = access_width(
            &shape_of(load.result()),
            bytes,
            &self.facts.of(load.pointers()),
            mask.as_ref(),
            0,
            layout.contiguous(0).min(most),
        );
        layout.register_count() as u64 <= width
    }
}
