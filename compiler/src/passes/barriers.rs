//! `barriers`: the fewest barriers that order accesses to shared memory.
//!
//! Walks the program with the accesses since the last barrier. An access that conflicts with one of
//! them (same bytes, one of the two a write) gets a barrier in front. A loop is walked until what its
//! end leaves behind is known at its start. Branches are taken by all threads alike, since their
//! conditions are scalars of the program, so barriers inside them are safe.

use std::collections::BTreeSet;

use melior::ir::Module;
use melior::ir::operation::OperationLike;

use super::encoding::buffer_layout;
use super::{PassContext, rebuild_functions};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::ffi::defining_operation;
use crate::ir::{Block, Operation, Rebuilder, Rewrite, Value, name, operations, region_block};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions(cx, &module, |function| {
        let mut search = Search {
            cx,
            needed: BTreeSet::new(),
        };
        if let Some(body) = region_block(function, 0) {
            search.block(body, Pending::default());
        }
        Ok(Insert {
            before: search.needed,
        })
    })
}

/// Bytes `start..end` of shared memory.
type Bytes = (u64, u64);

/// Accesses since the last barrier.
#[derive(Clone, Default, PartialEq, Eq)]
struct Pending {
    reads: BTreeSet<Bytes>,
    writes: BTreeSet<Bytes>,
}

impl Pending {
    fn join(mut self, other: &Self) -> Self {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self
    }
}

fn overlaps(set: &BTreeSet<Bytes>, bytes: Bytes) -> bool {
    set.iter()
        .any(|other| other.0 < bytes.1 && bytes.0 < other.1)
}

struct Search<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    needed: BTreeSet<usize>,
}

impl<'c> Search<'_, '_, 'c> {
    fn bytes(&self, buffer: Value<'c>) -> Option<Bytes> {
        let Some(TileOp::SharedAlloc(alloc)) = defining_operation(buffer).and_then(TileOp::of)
        else {
            return None;
        };
        let start = u64::try_from(alloc.offset()).ok()?;
        let (_, layout) = buffer_layout(self.cx.context, buffer);
        Some((start, start + layout.size_bytes()))
    }

    fn block(&mut self, block: Block<'c>, mut pending: Pending) -> Pending {
        for operation in operations(block) {
            pending = self.operation(operation, pending);
        }
        pending
    }

    fn operation(&mut self, operation: Operation<'c>, mut pending: Pending) -> Pending {
        let (reads, writes): (Vec<Bytes>, Vec<Bytes>) = match TileOp::of(operation) {
            Some(TileOp::SharedStore(store)) => {
                (vec![], self.bytes(store.buffer()).into_iter().collect())
            }
            Some(TileOp::SharedLoad(load)) => {
                (self.bytes(load.buffer()).into_iter().collect(), vec![])
            }
            Some(TileOp::Dot(dot)) => (
                [dot.left(), dot.right()]
                    .into_iter()
                    .filter_map(|value| self.bytes(value))
                    .collect(),
                vec![],
            ),
            Some(TileOp::Barrier(_)) => return Pending::default(),
            Some(_) => return pending,
            None => return self.control(operation, pending),
        };
        let conflict = reads.iter().any(|bytes| overlaps(&pending.writes, *bytes))
            || writes
                .iter()
                .any(|bytes| overlaps(&pending.writes, *bytes) || overlaps(&pending.reads, *bytes));
        if conflict {
            self.needed.insert(operation.to_raw().ptr as usize);
            pending = Pending::default();
        }
        pending.reads.extend(reads);
        pending.writes.extend(writes);
        pending
    }

    fn control(&mut self, operation: Operation<'c>, pending: Pending) -> Pending {
        let blocks: Vec<_> = (0..operation.region_count())
            .filter_map(|index| region_block(operation, index))
            .collect();
        match name(operation) {
            "scf.if" => blocks.iter().fold(pending.clone(), |joined, block| {
                let after = self.block(*block, pending.clone());
                joined.join(&after)
            }),
            _ if blocks.is_empty() => pending,
            _ => {
                // A loop: what its end leaves is pending at its start. Grows until stable.
                let mut state = pending;
                loop {
                    let mut after = state.clone();
                    for block in &blocks {
                        after = self.block(*block, after);
                    }
                    let next = state.clone().join(&after);
                    if next == state {
                        return next;
                    }
                    state = next;
                }
            }
        }
    }
}

struct Insert {
    before: BTreeSet<usize>,
}

impl<'c> Rewrite<'c> for Insert {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.before.contains(&(operation.to_raw().ptr as usize)) {
            to.builder.insert("tile.barrier", &[], &[], &[]);
        }
        Ok(false)
    }
}
