//! Tiles whose rows begin anywhere are stored in whole pieces, where threads have little of each row.
//!
//! ```text
//! store(p, x)  ⇒  buffer = rows_write(x); barrier; rows_store(p, buffer)
//! ```
//!
//! The sums of a product lie in threads two by two, four threads in a row: where rows are aligned to an element or two, each
//! access writes parts of eight sectors. Through shared memory, where a row lies as many bytes behind a multiple of 16 as
//! in global memory, all but the ends of rows is written in pieces of 16 bytes, neighbours by neighbouring threads. On an
//! H200 a tile of 128 x 256 in `bf16` took 24 us, as long as twelve rounds of its product: 2047 x 4095 x 1023 went from 111 us
//! to 83.

use std::collections::HashMap;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::COPYING_WARPS;
use super::plan::address;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Store;
use crate::ir::{
    Operation, Rebuilder, Rewrite, TileType, Value, element_type, int_attribute, ints_attribute,
    result,
};
use crate::layout::Layout;
use crate::layout::copy::{SLOT_BYTES, piece_rows, pieces};
use crate::passes::encoding::{Encodings, buffer_type, stage_bytes};
use crate::passes::shared_memory::bytes_at;
use crate::passes::{PassContext, each_operation, element_bytes, function_name, is_tile};

/// Bytes of a row that an access of a warp has side by side from which on it is stored as it is: two sectors.
const ENOUGH_TOGETHER: u64 = 64;

/// Shared memory that the hardware takes of each program's, and what is lost between buffers.
const LOST: u64 = 2048;

/// The stores of a function that go through shared memory.
pub(super) struct RowStores<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    stores: HashMap<usize, RowStore<'c>>,
}

struct RowStore<'c> {
    store: Store<'c>,
    origin: Value<'c>,
    shape: [u64; 2],
    kinds: Vec<i64>,
}

impl<'a, 'b, 'c> RowStores<'a, 'b, 'c> {
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let mut stores = HashMap::new();
        let is_plain = is_plain(function);
        each_operation(function, &mut |operation| {
            let Some(store) = Store::of(operation).filter(|_| is_plain) else {
                return;
            };
            if let Some(found) = RowStore::find(cx, encodings, function, store) {
                stores.insert(address(operation), found);
            }
        });
        Self {
            cx,
            name: function_name(function).to_owned(),
            stores,
        }
    }
}

/// Whether barriers are for all of a program's threads, and buffers one block's: where warps have roles, no barrier is for all
/// of them, and a cluster's blocks have copies of each buffer.
pub(super) fn is_plain(function: Operation<'_>) -> bool {
    int_attribute(function, COPYING_WARPS).is_none()
        && int_attribute(function, "tile.cluster").unwrap_or(1) == 1
        && int_attribute(function, crate::passes::SPLIT).unwrap_or(1) == 1
}

impl<'c> RowStore<'c> {
    fn find(
        cx: &PassContext<'_, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
        store: Store<'c>,
    ) -> Option<Self> {
        let kinds = ints_attribute(store.0, "kinds")?;
        let is_whole = store.cache().is_empty()
            && store.evict().is_empty()
            && store.extents().len() == kinds.len() + 1;
        if !is_whole || !is_tile(store.value()) {
            return None;
        }
        let shape = TileType::of(store.value())?.shape();
        let [rows, columns] = *shape.as_slice() else {
            return None;
        };
        let layout = encodings.layout(store.value());
        let bytes = element_bytes(store.value().r#type());
        let row_bytes = columns * bytes;
        let vector = int_attribute(store.0, "vector").unwrap_or(1) as u64;
        let threads = 32 * u64::from(layout.warp_count());
        if layout.covered() != shape
            || !matches!(bytes, 1 | 2 | 4)
            || !row_bytes.is_multiple_of(SLOT_BYTES)
            || pieces(row_bytes) > threads
            || together(&layout, vector) * bytes >= ENOUGH_TOGETHER
        {
            return None;
        }
        let buffer = stage_bytes(&piece_rows([rows, columns], bytes));
        let room = cx.target.shared_bytes_per_program.saturating_sub(LOST);
        if bytes_at(cx, function, store.0) + buffer > room {
            return None;
        }
        Some(Self {
            store,
            origin: super::realigned::origin(store.pointers())?,
            shape: [rows, columns],
            kinds,
        })
    }

    fn build(&self, cx: &PassContext<'_, 'c>, to: &mut Rebuilder<'c>) {
        let store = self.store;
        let value = store.value();
        let bytes = element_bytes(value.r#type());
        let raw = piece_rows(self.shape, bytes);
        let ty = buffer_type(cx.context, element_type(value.r#type()), &raw);
        let offset = [("offset", to.builder.int(-1))];
        let alloc = to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]);
        let buffer = result(alloc, 0);
        let all = |list: Vec<Value<'c>>| list.into_iter().map(|value| to.one(value)).collect();
        let (starts, extents): (Vec<_>, Vec<_>) = (all(store.starts()), all(store.extents()));
        let origin = to.one(self.origin);
        let Some(pitch) = extents.last() else {
            return;
        };
        let list = [to.one(value), buffer, origin, *pitch];
        let vector = int_attribute(store.0, "vector").unwrap_or(1);
        let attributes = [("vector", to.builder.int(vector))];
        to.builder
            .insert("tile.rows_write", &list, &attributes, &[]);
        let segments = [1, 1, starts.len() as i32, extents.len() as i32];
        let attributes = [
            ("kinds", to.builder.ints(&self.kinds)),
            (
                "shape",
                to.builder.ints(&self.shape.map(|size| size as i64)),
            ),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        let mut list = vec![origin, buffer];
        list.extend(starts);
        list.extend(extents);
        to.builder
            .insert("tile.rows_store", &list, &attributes, &[]);
    }
}

/// Elements that an access of a warp has side by side in a row.
fn together(layout: &Layout, vector: u64) -> u64 {
    let mut together = vector;
    for basis in layout.lane_bases() {
        if basis[0] == 0 && u64::from(basis[1]) == together {
            together *= 2;
        }
    }
    together
}

impl<'c> Rewrite<'c> for RowStores<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(found) = self.stores.remove(&address(operation)) else {
            return Ok(false);
        };
        let span = self.cx.span(operation.location());
        let message =
            "rows may begin anywhere: they are stored in pieces of 16 bytes, through shared memory";
        self.cx
            .decided("pipeline", &self.name, Some(span), message.to_owned());
        found.build(self.cx, to);
        Ok(true)
    }
}
