//! Tiles whose rows begin anywhere are stored in whole pieces, where threads have little of each row.
//!
//! ```text
//! store(p, x)  ⇒  buffer = rows_write(x); barrier; rows_store(p, buffer)
//! ```
//!
//! The sums of a product lie in threads two by two, four threads in a row: where rows are aligned to an element or two, each
//! access would write parts of eight sectors, and `layouts` brings them to other threads to be stored. Through shared memory, where a row lies as many bytes behind a multiple of 16 as
//! in global memory, all but the ends of rows is written in chunks of 16 bytes, neighbours by neighbouring threads. On an
//! H200 a tile of 128 x 256 in `bf16` took 24 us, as long as twelve iterations of its product: 2047 x 4095 x 1023 went from 111 us
//! to 83. Elements of 4 bytes need no pieces: a warp stores whole lines of them. Nor do kernels with a producer, whose threads have few registers
//! and little time (rows of `w` 768 long, 4096 x 50257 sums in `bf16`: 592 us in pieces, 546 in elements).

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::raw_rows::{RawRows, is_plain};
use super::stages::LOST;
use super::stores::computed;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::Store;
use crate::encoding::Encodings;
use crate::ir::{Operation, Value, address, int_attribute, result};
use crate::layout::Layout;
use crate::shared_memory::bytes_at;
use crate::{PassContext, each_operation, element_bytes, function_name, in_loop, is_tile, uses};

/// Bytes of a row that an access of a warp has side by side from which on it is stored as it is: two sectors.
const ENOUGH_TOGETHER: u64 = 64;

/// Bytes that a thread stores together from which on four neighbours of a fragment fill half a sector.
const WORD: u64 = 4;

/// The stores of a function that go through shared memory.
pub(super) struct RowStores<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    stores: HashMap<usize, RowStore<'c>>,
    /// What brought their values to other threads.
    conversions: HashSet<usize>,
}

struct RowStore<'c> {
    /// What is stored, where it was computed.
    value: Value<'c>,
    /// Elements that a thread has side by side there, as far as the access takes them at once.
    vector: u64,
    rows: RawRows<'c>,
}

impl<'a, 'b, 'c> RowStores<'a, 'b, 'c> {
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let (mut stores, mut conversions) = (HashMap::new(), HashSet::new());
        let is_plain = is_plain(function);
        let users = uses(function);
        each_operation(function, &mut |operation| {
            let Some(store) = Store::of(operation).filter(|_| is_plain) else {
                return;
            };
            let Some((value, conversion)) = computed(store.value(), &users) else {
                return;
            };
            if let Some(found) = RowStore::find(cx, encodings, function, store, value) {
                stores.insert(address(operation), found);
                conversions.extend(conversion);
            }
        });
        Self {
            cx,
            name: function_name(function).to_owned(),
            stores,
            conversions,
        }
    }
}

impl<'c> RowStore<'c> {
    fn find(
        cx: &PassContext<'_, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
        store: Store<'c>,
        value: Value<'c>,
    ) -> Option<Self> {
        if !store.cache().is_empty() || !store.evict().is_empty() || !is_tile(store.value()) {
            return None;
        }
        let layout = encodings.layout(value);
        let rows = RawRows::of_store(store, layout.warp_count())?;
        let bytes = element_bytes(store.value().r#type());
        let vector = int_attribute(store.0, "vector").unwrap_or(1) as u64;
        let vector = vector.min(layout.contiguous(1));
        let room = cx.target.shared_bytes_per_program.saturating_sub(LOST);
        let fits = bytes_at(cx, function, store.0) + rows.buffer(cx).1 <= room;
        let is_whole = layout.covered() == rows.shape;
        let is_scattered = together(&layout, vector) * bytes < ENOUGH_TOGETHER;
        // In a loop around, what a thread needs for it takes registers from the copies of words.
        let is_worth_it = vector * bytes < WORD || !in_loop(store.0);
        let is_narrow = bytes < WORD && is_worth_it;
        let found = Self {
            value,
            vector,
            rows,
        };
        (fits && is_whole && is_narrow && is_scattered).then_some(found)
    }

    fn build(&self, cx: &PassContext<'_, 'c>, to: &mut Rebuilder<'c>) {
        let (ty, _) = self.rows.buffer(cx);
        let offset = [("offset", to.builder.int(-1))];
        let alloc = to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]);
        let buffer = result(alloc, 0);
        let [value, origin, pitch] =
            [self.value, self.rows.origin, self.rows.pitch()].map(|value| to.one(value));
        let attributes = [("vector", to.builder.int(self.vector as i64))];
        to.builder.insert(
            "tile.rows_write",
            &[value, buffer, origin, pitch],
            &attributes,
            &[],
        );
        self.rows.store(to, buffer);
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
            return Ok(self.conversions.contains(&address(operation)));
        };
        let span = self.cx.span(operation.location());
        self.cx
            .remark(&self.name, Some(span), RemarkKind::UnalignedRowsStored);
        found.build(self.cx, to);
        Ok(true)
    }
}
