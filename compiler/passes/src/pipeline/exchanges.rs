//! What the blocks of a cluster tell each other goes with its own arrival (PTX ISA, "st.async").
//!
//! ```text
//! buffer = partial; barrier of the cluster; all = buffer
//!   ⇒  mbarriers, once; buffer = partial, told to the mbarrier of each block; wait for the own mbarrier; all = buffer
//! ```
//!
//! A barrier of the cluster is also a fence of the whole GPU, for which each thread waits until all that it ever loaded or
//! stored is done: about a thousand clocks. An mbarrier counts the bytes that have come, and is waited for locally.
//!
//! This is for straight code in which each buffer is written once and read once, with one element of a warp: results of
//! reductions. All else keeps the barriers.

use std::collections::HashMap;

use melior::ir::ValueLike;

use super::ring::mbarriers;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::dialect::ops::{SharedLoad, SharedStore};
use crate::encoding::Encodings;
use crate::ir::{
    Operation, Value, ValueKey, int_attribute, key, name, operands, operations, region_block,
};
use crate::{PassContext, each_operation, element_bytes};

/// Bytes of what `st.async` can store that reductions give.
const WORD: u64 = 4;

/// The exchanges of a function.
pub(super) struct Exchanges<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    /// The number of each buffer's mbarrier, and the bytes that it waits for.
    buffers: HashMap<ValueKey, (i64, u64)>,
    mbarriers: Option<Value<'c>>,
}

impl<'a, 'b, 'c> Exchanges<'a, 'b, 'c> {
    /// Finds them, none where barriers have to stay.
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let mut exchanges = Self {
            cx,
            buffers: HashMap::new(),
            mbarriers: None,
        };
        if exchanges.search(encodings, function).is_none() {
            exchanges.buffers.clear();
        }
        exchanges
    }

    fn search(&mut self, encodings: &Encodings, function: Operation<'c>) -> Option<()> {
        if int_attribute(function, "tile.cluster").unwrap_or(1) == 1 {
            return None;
        }
        let (mut stores, mut loads) = (HashMap::new(), HashMap::new());
        let mut others = false;
        each_operation(function, &mut |operation| match TileOp::of(operation) {
            Some(TileOp::SharedStore(store)) => {
                *stores.entry(key(store.buffer())).or_insert(0) += 1;
                let layout = encodings.layout(store.value());
                let owners = layout.owners();
                let warps = u64::from(layout.warp_count());
                let bytes = element_bytes(store.value().r#type());
                let is_alone = layout.register_count() == 1
                    && owners.redundant_lane_bits == 31
                    && owners.redundant_warp_bits == 0;
                others |= !is_alone || bytes != WORD;
                let number = self.buffers.len() as i64;
                self.buffers
                    .insert(key(store.buffer()), (number, warps * bytes));
            }
            Some(TileOp::SharedLoad(load)) => {
                *loads.entry(key(load.buffer())).or_insert(0) += 1;
            }
            Some(TileOp::SharedAlloc(_)) => {}
            Some(_) => {
                let types = operands(operation).into_iter();
                others |= types
                    .map(|value| value.r#type().to_string())
                    .any(|ty| ty.starts_with("!tile.shared"));
            }
            None => others |= name(operation).starts_with("scf."),
        });
        let once = |counts: &HashMap<ValueKey, i32>| counts.values().all(|count| *count == 1);
        let is_plain = !others && once(&stores) && once(&loads) && stores.len() == loads.len();
        let body = operations(region_block(function, 0)?);
        (is_plain && !self.buffers.is_empty() && !body.is_empty()).then_some(())
    }

    /// Makes the mbarriers, and says how much will come.
    fn begin(&self, to: &mut Rebuilder<'c>) -> Result<Value<'c>, Diagnostic> {
        let count = self.buffers.len();
        let mbarriers = mbarriers(self.cx, &mut to.builder, count as u64);
        let number = [("count", to.builder.int(count as i64))];
        to.builder
            .insert("tile.mbarrier_init", &[mbarriers], &number, &[]);
        let truth = to.builder.int_type(1);
        let first = to.builder.value("tile.first_thread", &[], &[], truth);
        to.only_if(first, |to| {
            let mut list: Vec<_> = self.buffers.values().copied().collect();
            list.sort_unstable();
            for (number, bytes) in list {
                let word = to.builder.int_type(32);
                let number = to.builder.constant_int(number, word);
                let bytes = [("bytes", to.builder.int(bytes as i64))];
                to.builder
                    .insert("tile.mbarrier_expect", &[mbarriers, number], &bytes, &[]);
            }
            Ok(())
        })?;
        Ok(mbarriers)
    }
}

impl<'c> Rewrite<'c> for Exchanges<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.buffers.is_empty() {
            return Ok(false);
        }
        let mbarriers = match self.mbarriers {
            Some(mbarriers) => mbarriers,
            None => *self.mbarriers.insert(self.begin(to)?),
        };
        let word = to.builder.int_type(32);
        let number = |buffer: Value<'c>| self.buffers.get(&key(buffer)).map(|(number, _)| *number);
        if let Some(store) = SharedStore::of(operation)
            && let Some(number) = number(store.buffer())
        {
            let number = to.builder.constant_int(number, word);
            let list = [
                to.one(store.value()),
                to.one(store.buffer()),
                mbarriers,
                number,
            ];
            to.builder.insert("tile.cluster_store", &list, &[], &[]);
            return Ok(true);
        }
        if let Some(load) = SharedLoad::of(operation)
            && let Some(number) = number(load.buffer())
        {
            let number = to.builder.constant_int(number, word);
            let parity = to.builder.constant_int(0, word);
            let list = [mbarriers, number, parity];
            to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        }
        Ok(false)
    }
}
