//! Which stores TMA can do: those of a program's own boxes, from fragments.
//!
//! ```text
//! buffer = fragment; barrier; store(p, buffer in rows)  ⇒  box_store(map, starts, fragment)
//! ```
//!
//! Each warp hands its own boxes to TMA, through buffers of its own, and goes on: no warp waits for
//! another, and what is computed next overlaps with the stores. They are in order neither with other
//! stores nor with loads, so a parameter is stored to in one place, outside of loops, and never read.

use std::cell::RefCell;
use std::collections::HashMap;

use melior::ir::ValueLike;

use super::boxes::{Map, dimensions_of};
use crate::dialect::TileOp;
use crate::dialect::ops::Store;
use crate::encoding::{Encodings, RARE};
use crate::facts::{FactAnalysis, is_natural};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, int_attribute, ints_attribute, key,
};
use crate::layout::warp_boxes::{BOX_ROW_BYTES, BOX_ROWS};
use crate::writes::parameter;
use crate::{PassContext, begins_at_pieces, each_operation, element_bytes, in_loop, is_tile, uses};

/// A store that TMA does.
#[derive(Clone)]
pub struct BoxStore<'c> {
    pub store: Store<'c>,
    /// What is stored, where it was computed.
    pub value: Value<'c>,
    /// The number of the map.
    pub map: usize,
    /// What brought the value to other threads: a buffer, the store to it and the load from it.
    pub conversion: Vec<usize>,
}

/// What address and pitches are multiples of.
const ADDRESS_BYTES: i64 = 16;

/// Buffers of a warp: it fills one while TMA reads the other.
pub const BUFFERS: u64 = 2;

/// What a value is where it was computed, and what brought it to other threads: a buffer, the store to it and the load from it. `None` where
/// others need that, too.
pub fn computed<'c>(
    value: Value<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> Option<(Value<'c>, Vec<usize>)> {
    let Some(TileOp::SharedLoad(load)) = defining_operation(value).and_then(TileOp::of) else {
        return Some((value, Vec::new()));
    };
    let alloc = defining_operation(load.buffer())?;
    let of_buffer = users.get(&key(load.buffer()))?;
    let mut stored = of_buffer.iter().filter_map(|user| match TileOp::of(*user) {
        Some(TileOp::SharedStore(stored)) => Some(stored),
        _ => None,
    });
    let stored = stored.next().filter(|_| of_buffer.len() == 2)?;
    let is_alone = users.get(&key(value))?.len() == 1;
    is_alone.then(|| {
        let conversion = [alloc, stored.0, load.0];
        (stored.value(), conversion.map(address).to_vec())
    })
}

/// All stores of a function that TMA can do; their maps are added to `maps`.
pub fn find<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
    maps: &mut Vec<Map>,
) -> Vec<BoxStore<'c>> {
    let mut accesses = Vec::new();
    let mut stores = Vec::new();
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        // Of the same tile, in programs that do not store it as a box.
        Some(TileOp::Store(store)) if int_attribute(store.0, RARE).is_some() => {}
        Some(TileOp::Store(store)) => {
            accesses.push(parameter(store.pointers()));
            stores.push(store);
        }
        Some(TileOp::Load(load)) => accesses.push(parameter(load.pointers())),
        Some(TileOp::Atomic(atomic)) => accesses.push(parameter(atomic.pointers())),
        Some(TileOp::Asm(asm)) if asm.effects() != 0 => accesses.push(None),
        _ => {}
    });
    let maps = RefCell::new(maps);
    let facts = FactAnalysis::new(function);
    let users = uses(function);
    let of = |store: &Store<'c>| {
        let number = parameter(store.pointers())?;
        let touched = accesses
            .iter()
            .filter(|access| access.is_none_or(|access| access == number));
        let alone = touched.count() == 1;
        let plain = store.cache().is_empty() && store.evict().is_empty();
        let aligned = ints_attribute(function, crate::dialect::DIVISIBILITY)?;
        if !alone || !plain || in_loop(store.0) || *aligned.get(number)? < ADDRESS_BYTES {
            return None;
        }
        let kinds = ints_attribute(store.0, "kinds")?;
        if store.starts().len() != kinds.len() || !is_tile(store.value()) {
            return None;
        }
        let (value, conversion) = computed(store.value(), &users)?;
        let bytes = element_bytes(value.r#type());
        // Rows that may begin anywhere are stored by threads: others of the variant's copies would not run where a launch has such rows.
        let extents = store.extents();
        let pitch = extents.last().filter(|_| extents.len() > kinds.len());
        let is_aligned = |pitch: &Value<'c>| {
            facts.of(*pitch).divisor_at(0, 1) * bytes >= ADDRESS_BYTES.unsigned_abs()
        };
        if !pitch.is_none_or(is_aligned) {
            return None;
        }
        // A store that begins before its tensor is illegal, too.
        let begins_inside = store
            .starts()
            .into_iter()
            .all(|start| is_natural(function, start));
        if !matches!(bytes, 2 | 4)
            || !begins_inside
            || !begins_at_pieces(&facts, &store.starts(), bytes)
        {
            return None;
        }
        let layout = encodings.layout(value);
        let turned = layout.warp_boxes(bytes).is_none();
        let (rows, row_bytes) = match turned {
            false => (BOX_ROWS, BOX_ROW_BYTES),
            true => {
                layout.turned_warp_boxes(bytes)?;
                (BOX_ROW_BYTES / bytes, BOX_ROWS * bytes)
            }
        };
        let rank = TileType::of(value)?.shape().len();
        let mut sizes = [rows, row_bytes / bytes].into_iter();
        let tile = kinds.iter().map(|kind| match kind {
            1 => sizes.next().map(|size| size as u32),
            _ => Some(1),
        });
        let map = Map {
            parameter: number,
            swizzle: row_bytes as u32,
            tile: tile.collect::<Option<_>>()?,
            dimensions: dimensions_of(store.0),
        };
        (rank == 2).then_some(())?;
        let mut maps = maps.borrow_mut();
        maps.push(map);
        Some(BoxStore {
            store: *store,
            value,
            map: maps.len() - 1,
            conversion,
        })
    };
    if !cx.target.has_tensor_copies || int_attribute(function, "tile.cluster").unwrap_or(1) > 1 {
        return Vec::new();
    }
    stores.iter().filter_map(of).collect()
}
