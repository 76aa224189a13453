//! `barriers`: the fewest barriers that order accesses to memory among the threads of a program.
//!
//! Walks the program with the accesses since the last barrier. An access that conflicts with one of
//! them (same bytes, one of the two a write) gets a barrier in front. A loop is walked until what its
//! end leaves behind is known at its start; a barrier that only accesses before the loop ask for stands
//! before the loop.
//!
//! Shared memory is compared by bytes. Global memory is compared by parameter: a program runs its
//! statements in order, so what it stores through a parameter it must see when it loads through it,
//! and what it loaded must not have been overwritten. Accesses through the very same tile of
//! pointers, each element by one thread, need nothing: every thread sees its own accesses in order.
//! Branches are taken by all threads alike, since their
//! conditions are scalars of the program, so barriers inside them are safe.
//!
//! Programs that one block runs one after the other have no order in global memory, as those of different blocks.
//!
//! Buffers with stages are not looked at: `pipeline`, which made them, has ordered their accesses.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexSet;
use melior::ir::Module;
use melior::ir::operation::OperationLike;

use super::encoding::{Encodings, buffer_layout};
use super::pipeline::EACH_PROGRAM;
use super::{PassContext, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::ffi::defining_operation;
use crate::ir::{Block, Operation, Value, ValueKey, address, key, name, operations, region_block};
use crate::writes::parameter;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions(cx, &module, |function| {
        let mut search = Search {
            cx,
            encodings: &encodings,
            needed: BTreeSet::new(),
            known: HashMap::new(),
            tiles: IndexSet::new(),
        };
        if let Some(body) = region_block(function, 0) {
            search.block(body, Pending::default());
        }
        Ok(Insert {
            before: search.needed,
            proxy: super::has_warpgroup_products(function),
        })
    })
}

/// Bytes `start..end` of shared memory.
type Bytes = (u64, u64);

/// An access to global memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct GlobalAccess {
    /// The parameter it goes through; `None` when that is not known.
    parameter: Option<usize>,
    /// The number of the tile of pointers, if each element is accessed by one thread; `None` after a loop's iteration,
    /// when the same pointers have other values.
    pointers: Option<usize>,
    is_write: bool,
}

impl GlobalAccess {
    /// An access that orders those of all threads of the program, whatever they go through: one
    /// thread does it for the others, who wait before and after.
    const SYNCHRONIZING: Self = Self {
        parameter: None,
        pointers: None,
        is_write: true,
    };

    fn conflicts(self, earlier: Self) -> bool {
        let same_place = match (self.parameter, earlier.parameter) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        let own = self.pointers.is_some() && self.pointers == earlier.pointers;
        (self.is_write || earlier.is_write) && same_place && !own
    }
}

/// Accesses since the last barrier.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Pending {
    reads: BTreeSet<Bytes>,
    writes: BTreeSet<Bytes>,
    global: BTreeSet<GlobalAccess>,
}

impl Pending {
    fn join(mut self, other: &Self) -> Self {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.global.extend(&other.global);
        self
    }

    /// The same at the start of a loop's next iteration. What another program accesses in global memory has no order anyway.
    fn next_round(mut self, is_program: bool) -> Self {
        if is_program {
            self.global.clear();
        }
        self.global = self
            .global
            .into_iter()
            .map(|access| GlobalAccess {
                pointers: None,
                ..access
            })
            .collect();
        self
    }
}

fn overlaps(set: &BTreeSet<Bytes>, bytes: Bytes) -> bool {
    set.iter()
        .any(|other| other.0 < bytes.1 && bytes.0 < other.1)
}

struct Search<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
    needed: BTreeSet<usize>,
    /// What loops were found to need and to leave, by what was pending before them: a loop around asks several times.
    known: HashMap<(usize, Pending), (BTreeSet<usize>, Pending)>,
    /// Tiles of pointers, in the order in which they were found.
    tiles: IndexSet<ValueKey>,
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

    fn global(&mut self, pointers: Value<'c>, is_write: bool) -> GlobalAccess {
        let by_one_thread =
            crate::is_tile(pointers) && self.encodings.layout(pointers).owners().are_all_threads();
        GlobalAccess {
            parameter: parameter(pointers),
            pointers: by_one_thread.then(|| self.tiles.insert_full(key(pointers)).0),
            is_write,
        }
    }

    fn block(&mut self, block: Block<'c>, mut pending: Pending) -> Pending {
        for operation in operations(block) {
            pending = self.operation(operation, pending);
        }
        pending
    }

    fn operation(&mut self, operation: Operation<'c>, mut pending: Pending) -> Pending {
        let global = match TileOp::of(operation) {
            Some(TileOp::Load(load)) => Some(self.global(load.pointers(), false)),
            Some(TileOp::AsyncCopy(copy)) => Some(self.global(copy.pointers(), false)),
            Some(TileOp::RowsCopy(copy)) => Some(self.global(copy.origin(), false)),
            Some(TileOp::Store(store)) => Some(self.global(store.pointers(), true)),
            Some(TileOp::RowsStore(store)) => Some(self.global(store.origin(), true)),
            Some(TileOp::Atomic(atomic)) if atomic.order() == "relaxed" => {
                Some(self.global(atomic.pointers(), true))
            }
            Some(TileOp::Atomic(_)) => Some(GlobalAccess::SYNCHRONIZING),
            _ => None,
        };
        if let Some(access) = global {
            if pending
                .global
                .iter()
                .any(|earlier| access.conflicts(*earlier))
            {
                self.needed.insert(address(operation));
                pending = Pending::default();
            }
            // Those that are between global and shared memory.
            let (read, written) = match TileOp::of(operation) {
                Some(TileOp::RowsStore(store)) => (self.bytes(store.buffer()), None),
                Some(TileOp::RowsCopy(copy)) => (None, self.bytes(copy.buffer())),
                _ => (None, None),
            };
            pending = self.shared(operation, pending, read.as_slice(), written.as_slice());
            pending.global.insert(access);
            return pending;
        }
        if let Some(TileOp::RowEdge(edge)) = TileOp::of(operation) {
            // Other bytes than those of the copy that it belongs to. A barrier since then has not seen them, nor the copy,
            // which is waited for only now.
            pending.writes.extend(self.bytes(edge.buffer()));
            return pending;
        }
        let (reads, writes): (Vec<Bytes>, Vec<Bytes>) = match TileOp::of(operation) {
            Some(TileOp::SharedStore(store)) => {
                (vec![], self.bytes(store.buffer()).into_iter().collect())
            }
            // What it reads has stages.
            Some(TileOp::Realign(realign)) => {
                (vec![], self.bytes(realign.to()).into_iter().collect())
            }
            Some(TileOp::TicketShow(show)) => {
                (vec![], self.bytes(show.buffer()).into_iter().collect())
            }
            Some(TileOp::TicketRead(read)) => {
                (self.bytes(read.buffer()).into_iter().collect(), vec![])
            }
            Some(TileOp::RowCopy(copy)) => {
                (vec![], self.bytes(copy.buffer()).into_iter().collect())
            }
            Some(TileOp::RowWrite(write)) => {
                (vec![], self.bytes(write.buffer()).into_iter().collect())
            }
            Some(TileOp::RowsRead(read)) => {
                (self.bytes(read.buffer()).into_iter().collect(), vec![])
            }
            Some(TileOp::RowsWrite(write)) => {
                (vec![], self.bytes(write.buffer()).into_iter().collect())
            }
            Some(TileOp::RowStore(store)) => {
                (self.bytes(store.buffer()).into_iter().collect(), vec![])
            }
            Some(TileOp::RowRead(read)) => {
                (self.bytes(read.buffer()).into_iter().collect(), vec![])
            }
            Some(TileOp::SharedPut(put)) => {
                (vec![], self.bytes(put.buffer()).into_iter().collect())
            }
            // Atomic among themselves, and the only ones between the stores and the load of a buffer.
            Some(TileOp::SharedCount(count)) => {
                (vec![], self.bytes(count.buffer()).into_iter().collect())
            }
            Some(TileOp::SharedExchange(exchange)) => {
                (self.bytes(exchange.buffer()).into_iter().collect(), vec![])
            }
            Some(TileOp::SharedGather(gather)) => {
                (self.bytes(gather.buffer()).into_iter().collect(), vec![])
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
            Some(TileOp::Barrier(_) | TileOp::ClusterBarrier(_)) => return Pending::default(),
            Some(_) => return pending,
            None => return self.control(operation, pending),
        };
        self.shared(operation, pending, &reads, &writes)
    }

    /// What is pending after an operation that reads and writes these bytes.
    fn shared(
        &mut self,
        operation: Operation<'c>,
        mut pending: Pending,
        reads: &[Bytes],
        writes: &[Bytes],
    ) -> Pending {
        let conflict = reads.iter().any(|bytes| overlaps(&pending.writes, *bytes))
            || writes
                .iter()
                .any(|bytes| overlaps(&pending.writes, *bytes) || overlaps(&pending.reads, *bytes));
        if conflict {
            self.needed.insert(address(operation));
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
            "scf.if" => {
                // Where there is no second arm, what was before may still be pending.
                let skipped = match blocks.len() {
                    2 => Pending::default(),
                    _ => pending.clone(),
                };
                blocks.iter().fold(skipped, |joined, block| {
                    let after = self.block(*block, pending.clone());
                    joined.join(&after)
                })
            }
            _ if blocks.is_empty() => pending,
            _ => self.repeated(operation, &blocks, pending),
        }
    }

    /// What is pending after a loop. Where accesses before the loop cost barriers in it that its iterations do not need
    /// among themselves, one barrier before the loop settles them: it is paid once, and warps may drift apart in the loop.
    fn repeated(
        &mut self,
        operation: Operation<'c>,
        blocks: &[Block<'c>],
        pending: Pending,
    ) -> Pending {
        let number = address(operation);
        let asked = (number, pending);
        if let Some((needed, after)) = self.known.get(&asked) {
            self.needed.extend(needed);
            return after.clone();
        }
        let mut outside = std::mem::take(&mut self.needed);
        let mut after = self.iterate(operation, blocks, asked.1.clone());
        let needed = std::mem::take(&mut self.needed);
        let after_alone = self.iterate(operation, blocks, Pending::default());
        if self.needed.len() < needed.len() {
            self.needed.insert(number);
            after = after_alone;
        } else {
            self.needed = needed;
        }
        let answer = (self.needed.clone(), after.clone());
        self.known.insert(asked, answer);
        self.needed.append(&mut outside);
        after
    }

    /// Walks a loop until what its end leaves is pending at its start; gives what is pending behind it. The barriers of a walk
    /// that knew less are forgotten, since a barrier that is found later may make them needless.
    fn iterate(
        &mut self,
        operation: Operation<'c>,
        blocks: &[Block<'c>],
        pending: Pending,
    ) -> Pending {
        let is_program = operation.has_attribute(EACH_PROGRAM);
        let mut state = pending;
        loop {
            self.needed.clear();
            let mut after = state.clone();
            let mut after_first = None;
            for block in blocks {
                after = self.block(*block, after);
                after_first.get_or_insert_with(|| after.clone());
            }
            let next = state.clone().join(&after.next_round(is_program));
            if next == state {
                return match (name(operation), after_first) {
                    // It is left behind its condition.
                    ("scf.while", Some(after_condition)) => after_condition,
                    _ => next,
                };
            }
            state = next;
        }
    }
}

struct Insert {
    before: BTreeSet<usize>,
    /// Whether barriers order accesses by tensor cores, too. A write may be ordered by a barrier that
    /// is there for others, so all barriers of a program that needs it do.
    proxy: bool,
}

impl<'c> Rewrite<'c> for Insert {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.before.contains(&address(operation)) {
            super::barrier(&mut to.builder, self.proxy);
        }
        Ok(false)
    }
}
