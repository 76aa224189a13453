//! Tiles of a tensor whose rows begin anywhere, as they lie in memory: what copies and stores of whole pieces need to know.
//!
//! The multiple of 16 before an address lies in the same allocation, as those begin at multiples of 256: a row is copied from
//! there on.

use melior::ir::{Attribute, Type, ValueLike};

use super::COPYING_WARPS;
use crate::build::Rebuilder;
use crate::dialect::ops::{Load, PointerOffset, Splat, Store};
use crate::encoding::{buffer_type, stage_bytes};
use crate::facts::range_of;
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, element_type, int_attribute, ints_attribute};
use crate::layout::copy::{SLOT_BYTES, piece_rows, pieces};
use crate::{PassContext, element_bytes, is_tile};

/// A tile of rows.
#[derive(Clone)]
pub struct RawRows<'c> {
    /// Where the tile begins in memory.
    pub origin: Value<'c>,
    /// As those of the load or store.
    starts: Vec<Value<'c>>,
    extents: Vec<Value<'c>>,
    kinds: Vec<i64>,
    pub shape: [u64; 2],
    tile: Value<'c>,
}

impl<'c> RawRows<'c> {
    pub fn of_load(load: Load<'c>, warps: u32) -> Option<Self> {
        let lists = (load.starts(), load.extents());
        Self::find(load.0, load.pointers(), load.result(), lists, warps)
    }

    pub fn of_store(store: Store<'c>, warps: u32) -> Option<Self> {
        let lists = (store.starts(), store.extents());
        Self::find(store.0, store.pointers(), store.value(), lists, warps)
    }

    fn find(
        access: Operation<'c>,
        pointers: Value<'c>,
        tile: Value<'c>,
        (starts, extents): (Vec<Value<'c>>, Vec<Value<'c>>),
        warps: u32,
    ) -> Option<Self> {
        let kinds = ints_attribute(access, "kinds")?;
        let shape = TileType::of(tile)?.shape();
        let [rows, columns] = *shape.as_slice() else {
            return None;
        };
        let bytes = element_bytes(tile.r#type());
        let row_bytes = columns * bytes;
        if !is_tile(tile)
            || extents.len() != kinds.len() + 1
            || !matches!(bytes, 1 | 2 | 4)
            || !row_bytes.is_multiple_of(SLOT_BYTES)
            || pieces(row_bytes) > 32 * u64::from(warps)
            // Runs of pieces are dealt out by bits of the warp's number, all of which have to be there.
            || !warps.is_power_of_two()
        {
            return None;
        }
        // Pointers are a scalar one and offsets from there, as `views` makes them.
        let spread = defining_operation(pointers).and_then(PointerOffset::of)?;
        let origin = defining_operation(spread.pointer()).and_then(Splat::of)?;
        Some(Self {
            origin: origin.scalar(),
            starts,
            extents,
            kinds,
            shape: [rows, columns],
            tile,
        })
    }

    /// What says where the rows lie.
    pub fn needs(&self) -> impl Iterator<Item = Value<'c>> {
        let lists = self.starts.iter().chain(&self.extents);
        lists.copied().chain([self.origin])
    }

    /// From row to row, in elements.
    pub fn pitch(&self) -> Value<'c> {
        *self.extents.last().expect("a pitch")
    }

    /// The type of a buffer for them, and its bytes.
    pub fn buffer(&self, cx: &PassContext<'_, 'c>) -> (Type<'c>, u64) {
        let layout = piece_rows(self.shape, element_bytes(self.tile.r#type()));
        let element = element_type(self.tile.r#type());
        let ty = buffer_type(cx.context, element, &layout);
        (ty, stage_bytes(&layout))
    }

    /// The attribute of the operations on them.
    pub fn shape_attribute(&self, to: &Rebuilder<'c>) -> Attribute<'c> {
        to.builder.ints(&self.shape.map(|size| size as i64))
    }

    /// Starts copying them to a buffer, if `condition` holds.
    pub fn copy(&self, to: &mut Rebuilder<'c>, buffer: Value<'c>, condition: Value<'c>) {
        let first = self.starts.last().copied();
        let begins_inside = first
            .and_then(range_of)
            .is_some_and(|(least, _)| least >= 0);
        let (mut list, counts) = self.operands(to, buffer);
        list.push(condition);
        let segments = [1, 1, counts[0], counts[1], 1];
        let attributes = [
            ("before", to.builder.int((!begins_inside).into())),
            ("kinds", to.builder.ints(&self.kinds)),
            ("shape", self.shape_attribute(to)),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        to.builder.insert("tile.rows_copy", &list, &attributes, &[]);
    }

    /// Stores them from a buffer.
    pub fn store(&self, to: &mut Rebuilder<'c>, buffer: Value<'c>) {
        let (list, counts) = self.operands(to, buffer);
        let attributes = [
            ("kinds", to.builder.ints(&self.kinds)),
            ("shape", self.shape_attribute(to)),
            (
                "operandSegmentSizes",
                to.builder.ints32(&[1, 1, counts[0], counts[1]]),
            ),
        ];
        to.builder
            .insert("tile.rows_store", &list, &attributes, &[]);
    }

    /// The operands of a copy or store, and how many starts and extents are among them.
    fn operands(&self, to: &Rebuilder<'c>, buffer: Value<'c>) -> (Vec<Value<'c>>, [i32; 2]) {
        let lists = self.starts.iter().chain(&self.extents);
        let mut list = vec![to.one(self.origin), buffer];
        list.extend(lists.map(|value| to.one(*value)));
        let counts = [self.starts.len() as i32, self.extents.len() as i32];
        (list, counts)
    }
}

/// Whether barriers are for all of a program's threads, and buffers one block's: where warps have roles, no barrier is for all
/// of them, and a cluster's blocks have copies of each buffer.
pub fn is_plain(function: Operation<'_>) -> bool {
    int_attribute(function, COPYING_WARPS).is_none()
        && int_attribute(function, "tile.cluster").unwrap_or(1) == 1
        && int_attribute(function, crate::dialect::SPLIT).unwrap_or(1) == 1
}
