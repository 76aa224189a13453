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

use super::plan::{address, is_zero};
use super::realigned::origin;
use super::row_stores::is_plain;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Load;
use crate::dialect::{TileOp, is_pure};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Rebuilder, Rewrite, TileType, Value, ValueKey, element_type, ints_attribute, key,
    name, operations, region_block, result, results,
};
use crate::layout::copy::{SLOT_BYTES, piece_rows, pieces};
use crate::passes::barriers::{parameter, written};
use crate::passes::encoding::{Encodings, buffer_type, stage_bytes};
use crate::passes::shared_memory::bytes_at;
use crate::passes::{PassContext, element_bytes, function_name, is_tile, uses};

/// Shared memory that the hardware takes of each program's, and what is lost between buffers.
const LOST: u64 = 2048;

/// The loads of a function that come so.
pub(super) struct RowLoads<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    loads: HashMap<usize, RowLoad<'c>>,
    /// What is not done any more: buffers of the conversions, and the stores to them.
    unused: HashSet<usize>,
    /// The load of each of these buffers, and where it is in the new function: the buffer, the origin and the pitch.
    sources: HashMap<ValueKey, usize>,
    copied: HashMap<usize, Copied<'c>>,
}

struct RowLoad<'c> {
    load: Load<'c>,
    origin: Value<'c>,
    shape: [u64; 2],
    kinds: Vec<i64>,
    before: bool,
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

    /// Loads outside of loops and branches: those inside would have to count the loop's own copies.
    fn search(&mut self, encodings: &Encodings, function: Operation<'c>, written: &HashSet<usize>) {
        let users = uses(function);
        let inside = region_block(function, 0)
            .map(operations)
            .unwrap_or_default();
        let here: HashSet<usize> = inside.iter().map(|operation| address(*operation)).collect();
        let room = self.cx.target.shared_bytes_per_program.saturating_sub(LOST);
        let mut taken = 0;
        for load in inside.into_iter().filter_map(Load::of) {
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
                .all(|user| here.contains(&address(*user)));
            let is_constant =
                parameter(load.pointers()).is_some_and(|from| !written.contains(&from));
            if !is_only_read || !is_here || !is_constant {
                continue;
            }
            let Some((row_load, bytes)) = RowLoad::find(encodings, load) else {
                continue;
            };
            if bytes_at(self.cx, function, load.0) + taken + bytes > room {
                continue;
            }
            taken += bytes;
            self.unused
                .extend(dead.into_iter().chain([alloc, *store]).map(address));
            self.sources.insert(key(stored.buffer()), address(load.0));
            self.loads.insert(address(load.0), row_load);
        }
    }

    fn start(&self, to: &mut Rebuilder<'c>, found: &RowLoad<'c>) -> Option<Copied<'c>> {
        let load = found.load;
        let element = element_type(load.result().r#type());
        let raw = piece_rows(found.shape, element_bytes(load.result().r#type()));
        let ty = buffer_type(self.cx.context, element, &raw);
        let offset = [("offset", to.builder.int(-1))];
        let alloc = to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]);
        let buffer = result(alloc, 0);
        let all = |list: Vec<Value<'c>>| list.into_iter().map(|value| to.one(value)).collect();
        let (starts, extents): (Vec<_>, Vec<_>) = (all(load.starts()), all(load.extents()));
        let (origin, pitch) = (to.one(found.origin), *extents.last()?);
        let truth = to.builder.int_type(1);
        let always = to.builder.constant_int(1, truth);
        let segments = [1, 1, starts.len() as i32, extents.len() as i32, 1];
        let attributes = [
            ("before", to.builder.int(found.before.into())),
            ("kinds", to.builder.ints(&found.kinds)),
            (
                "shape",
                to.builder.ints(&found.shape.map(|size| size as i64)),
            ),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        let mut list = vec![origin, buffer];
        list.extend(starts);
        list.extend(extents);
        list.push(always);
        to.builder.insert("tile.rows_copy", &list, &attributes, &[]);
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        Some(Copied {
            buffer,
            origin,
            pitch,
            is_waited_for: false,
        })
    }
}

impl<'c> RowLoad<'c> {
    fn find(encodings: &Encodings, load: Load<'c>) -> Option<(Self, u64)> {
        let kinds = ints_attribute(load.0, "kinds")?;
        let is_whole = load.cache().is_empty()
            && load.evict().is_empty()
            && load.extents().len() == kinds.len() + 1
            && load.other().is_none_or(is_zero);
        if !is_whole || !is_tile(load.result()) {
            return None;
        }
        let shape = TileType::of(load.result())?.shape();
        let [rows, columns] = *shape.as_slice() else {
            return None;
        };
        let element = element_type(load.result().r#type()).to_string();
        let bytes = element_bytes(load.result().r#type());
        let threads = 32 * u64::from(encodings.layout(load.result()).warp_count());
        if element == "i1"
            || !matches!(bytes, 1 | 2 | 4)
            || !(columns * bytes).is_multiple_of(SLOT_BYTES)
            || pieces(columns * bytes) > threads
        {
            return None;
        }
        let first = *load.starts().last()?;
        let found = Self {
            load,
            origin: origin(load.pointers())?,
            shape: [rows, columns],
            kinds,
            before: crate::facts::range_of(first).is_none_or(|(least, _)| least < 0),
        };
        Some((found, stage_bytes(&piece_rows([rows, columns], bytes))))
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
        if let Some(found) = self.loads.remove(&place) {
            let span = self.cx.span(operation.location());
            let message = "rows may begin anywhere: they are copied to shared memory in pieces of 16 bytes as they lie, and \
                           read from there";
            self.cx
                .decided("pipeline", &self.name, Some(span), message.to_owned());
            if let Some(copied) = self.start(to, &found) {
                self.copied.insert(place, copied);
            }
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
            crate::passes::barrier(&mut to.builder, false);
        }
        let list = [copied.buffer, copied.origin, copied.pitch];
        let ty = load.result().r#type();
        let value = to.builder.value("tile.rows_read", &list, &[], ty);
        to.bind(load.result(), vec![value]);
        Ok(true)
    }
}
