//! Tiles whose rows begin anywhere come to where sums of a product are in whole pieces.
//!
//! ```text
//! x = load(p); buffer = x; … y = buffer  ⇒  rows_copy(p, raw); … wait; barrier; y = rows_read(raw)
//! ```
//!
//! What is added to a product, or scales it, is loaded in rows and wanted in fragments. Where rows are aligned to an element
//! or two, each element would be loaded, stored to shared memory and loaded from there by itself, and all of them would wait
//! in registers besides the sums. Copied in pieces as they lie in memory they take no registers.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::raw_rows::{RawRows, is_plain};
use super::stages::LOST;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::Load;
use crate::dialect::{TileOp, is_pure};
use crate::encoding::Encodings;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, ValueKey, address, element_type, key, name, result, results};
use crate::shared_memory::bytes_at;
use crate::writes::{is_unwritten, written};
use crate::{PassContext, each_operation, function_name, in_loop, is_positive_zero, is_tile, uses};

/// The loads of a function that come so.
pub(super) struct RowLoads<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    loads: HashMap<usize, RawRows<'c>>,
    /// What is not done any more: buffers of the conversions, and the stores to them.
    unused: HashSet<usize>,
    /// The load of each of these buffers, and where it is in the new function: the buffer, the origin and the pitch.
    sources: HashMap<ValueKey, usize>,
    copied: HashMap<usize, Copied<'c>>,
}

/// A tile that is being copied.
#[derive(Clone, Copy)]
struct Copied<'c> {
    buffer: Value<'c>,
    origin: Value<'c>,
    pitch: Value<'c>,
    is_waited_for: bool,
}

impl<'a, 'b, 'c> RowLoads<'a, 'b, 'c> {
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let mut found = Self {
            cx,
            name: function_name(function).to_owned(),
            loads: HashMap::new(),
            unused: HashSet::new(),
            sources: HashMap::new(),
            copied: HashMap::new(),
        };
        if let (true, Some(written)) = (is_plain(function), written(function)) {
            found.search(encodings, function, &written);
        }
        found
    }

    /// Loads outside of loops: those inside would have to count the loop's own copies.
    fn search(&mut self, encodings: &Encodings, function: Operation<'c>, written: &HashSet<usize>) {
        let users = uses(function);
        let mut loads = Vec::new();
        each_operation(function, &mut |operation| {
            let load = Load::of(operation).filter(|load| is_tile(load.result()));
            loads.extend(load.filter(|_| !in_loop(operation)));
        });
        let room = self.cx.target.shared_bytes_per_program.saturating_sub(LOST);
        let mut taken = 0;
        for load in loads {
            // The conversion of a value may have left it where it was, for nobody.
            let is_dead = |user: &Operation<'c>| {
                let mut results = results(*user).into_iter();
                is_pure(name(*user))
                    && user.region_count() == 0
                    && results.all(|value| users.get(&key(value)).is_none_or(Vec::is_empty))
            };
            let list = users.get(&key(load.result())).into_iter().flatten();
            let (dead, live): (Vec<Operation<'c>>, Vec<_>) = list.copied().partition(is_dead);
            let [store] = live.as_slice() else {
                continue;
            };
            let Some(TileOp::SharedStore(stored)) = TileOp::of(*store) else {
                continue;
            };
            let Some(alloc) = defining_operation(stored.buffer()) else {
                continue;
            };
            let reads = users.get(&key(stored.buffer())).into_iter().flatten();
            let is_only_read = reads.clone().all(|user| {
                address(*user) == address(*store)
                    || matches!(TileOp::of(*user), Some(TileOp::SharedLoad(_)))
            });
            let is_here = reads
                .chain([&alloc])
                .all(|user| user.block() == load.0.block());
            let is_constant = is_unwritten(load.pointers(), written);
            let is_whole = load.cache().is_empty()
                && load.evict().is_empty()
                && load.other().is_none_or(is_positive_zero)
                && element_type(load.result().r#type()).to_string() != "i1";
            if !is_only_read || !is_here || !is_constant || !is_whole {
                continue;
            }
            let warps = encodings.layout(load.result()).warp_count();
            let Some(rows) = RawRows::of_load(load, warps) else {
                continue;
            };
            let (_, bytes) = rows.buffer(self.cx);
            if bytes_at(self.cx, function, load.0) + taken + bytes > room {
                continue;
            }
            taken += bytes;
            self.unused
                .extend(dead.into_iter().chain([alloc, *store]).map(address));
            self.sources.insert(key(stored.buffer()), address(load.0));
            self.loads.insert(address(load.0), rows);
        }
    }

    fn start(&self, to: &mut Rebuilder<'c>, rows: &RawRows<'c>) -> Copied<'c> {
        let (ty, _) = rows.buffer(self.cx);
        let offset = [("offset", to.builder.int(-1))];
        let alloc = to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]);
        let buffer = result(alloc, 0);
        let truth = to.builder.int_type(1);
        let always = to.builder.constant_int(1, truth);
        rows.copy(to, buffer, always);
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        Copied {
            buffer,
            origin: to.one(rows.origin),
            pitch: to.one(rows.pitch()),
            is_waited_for: false,
        }
    }
}

impl<'c> Rewrite<'c> for RowLoads<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let place = address(operation);
        if self.unused.contains(&place) {
            return Ok(true);
        }
        if let Some(rows) = self.loads.remove(&place) {
            let span = self.cx.span(operation.location());
            self.cx
                .remark(&self.name, Some(span), RemarkKind::UnalignedRowsLoaded);
            let copied = self.start(to, &rows);
            self.copied.insert(place, copied);
            return Ok(true);
        }
        let Some(TileOp::SharedLoad(load)) = TileOp::of(operation) else {
            return Ok(false);
        };
        let source = self.sources.get(&key(load.buffer()));
        let Some(copied) = source.and_then(|source| self.copied.get_mut(source)) else {
            return Ok(false);
        };
        if !copied.is_waited_for {
            copied.is_waited_for = true;
            let none = to.builder.int(0);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", none)], &[]);
            crate::barrier(&mut to.builder, false);
        }
        let list = [copied.buffer, copied.origin, copied.pitch];
        let ty = load.result().r#type();
        let value = to.builder.value("tile.rows_read", &list, &[], ty);
        to.bind(load.result(), vec![value]);
        Ok(true)
    }
}
