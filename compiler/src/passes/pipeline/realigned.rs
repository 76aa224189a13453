//! Tiles of a product whose rows begin anywhere come to shared memory in whole pieces.
//!
//! ```text
//! for k { x = load(p(k)); buffer = x; … buffer … }
//!   ⇒  rows_copy p(0) to stage 0, …
//!      for k { wait; barrier
//!              rows_copy p(k + D) to stage (k + D) % S
//!              realign stage k % S to buffer; barrier
//!              … buffer … }
//! ```
//!
//! Where a pitch is odd, rows begin at no multiple of what an asynchronous copy takes, and of no two rows at the same.
//! Element by element, a round waits for memory, and its stores to shared memory meet in the same banks. So rows are
//! copied ahead in pieces of 16 bytes as they lie in memory, the multiple of 16 bytes before a row with it, and moved to
//! where a product reads them when they are wanted: each thread reads two pieces of a row and shifts what it wants out of
//! them. On an H200, 2047 x 4095 x 1023 in `bf16`: 111 us for 139, 3001 x 3001 x 3001: 330 us for 444.
//!
//! The multiple of 16 before an address lies in the same allocation: those begin at multiples of 256.

use melior::ir::{Type, ValueLike};

use super::plan::Copy;
use crate::dialect::ops::{Load, PointerOffset, Splat};
use crate::facts::range_of;
use crate::ffi::defining_operation;
use crate::ir::{Rebuilder, TileType, Value, element_type, ints_attribute};
use crate::layout::SharedLayout;
use crate::layout::copy::{SLOT_BYTES, piece_rows, pieces, runs_of_pieces};
use crate::passes::encoding::{buffer_type, stage_bytes};
use crate::passes::{PassContext, element_bytes};

/// How a load comes in pieces that are realigned.
#[derive(Clone)]
pub struct Realigned<'c> {
    /// The type of the buffer that it is moved to, and its bytes.
    pub to: Type<'c>,
    pub bytes: u64,
    /// Where the tile begins in memory.
    pub origin: Value<'c>,
    /// As the load's.
    kinds: Vec<i64>,
    shape: [u64; 2],
    /// Whether its first column may come before the tensor's.
    before: bool,
}

impl<'c> Realigned<'c> {
    /// Whether and how a load can be copied so, to a buffer of this type, whose layout for the tile as it lies in memory is
    /// this one. Gives the type of the buffer of a stage and its bytes, too.
    pub fn find(
        cx: &PassContext<'_, 'c>,
        load: Load<'c>,
        warps: u32,
        to: Type<'c>,
        layout: &SharedLayout,
    ) -> Option<(Self, Type<'c>, u64)> {
        let kinds = ints_attribute(load.0, "kinds")?;
        let shape = TileType::of(load.result())?.shape();
        let [rows, columns] = *shape.as_slice() else {
            return None;
        };
        let bytes = element_bytes(load.result().r#type());
        let is_whole = layout.shape() == shape && layout.order() == [1, 0];
        if load.extents().len() != kinds.len() + 1
            || !is_whole
            || !(columns * bytes).is_multiple_of(SLOT_BYTES)
        {
            return None;
        }
        let moved = runs_of_pieces([rows, columns], bytes, warps);
        let access = layout.access(&moved)?;
        if access.vector as u64 * bytes < SLOT_BYTES
            || pieces(columns * bytes) > 32 * u64::from(warps)
        {
            return None;
        }
        let first = *load.starts().last()?;
        let raw = piece_rows([rows, columns], bytes);
        let element = element_type(load.result().r#type());
        let realigned = Self {
            to,
            bytes: stage_bytes(layout),
            origin: origin(load.pointers())?,
            kinds,
            shape: [rows, columns],
            before: range_of(first).is_none_or(|(least, _)| least < 0),
        };
        Some((
            realigned,
            buffer_type(cx.context, element, &raw),
            stage_bytes(&raw),
        ))
    }

    /// Starts the copies of a round, if `exists`.
    pub fn start(
        &self,
        to: &mut Rebuilder<'c>,
        (origin, buffer): (Value<'c>, Value<'c>),
        (starts, extents): (&[Value<'c>], &[Value<'c>]),
        exists: Value<'c>,
    ) {
        let segments = [1, 1, starts.len() as i32, extents.len() as i32, 1];
        let attributes = [
            ("before", to.builder.int(self.before.into())),
            ("kinds", to.builder.ints(&self.kinds)),
            ("shape", self.shape(to)),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        let mut list = vec![origin, buffer];
        list.extend(starts);
        list.extend(extents);
        list.push(exists);
        to.builder.insert("tile.rows_copy", &list, &attributes, &[]);
    }

    fn shape(&self, to: &Rebuilder<'c>) -> melior::ir::Attribute<'c> {
        to.builder.ints(&self.shape.map(|size| size as i64))
    }
}

/// Where the tile begins that these pointers are of: they are a scalar one and offsets from there, as `views` makes them.
pub fn origin(pointers: Value<'_>) -> Option<Value<'_>> {
    let spread = defining_operation(pointers).and_then(PointerOffset::of)?;
    let origin = defining_operation(spread.pointer()).and_then(Splat::of)?;
    Some(origin.scalar())
}

/// Moves what a round has in its stages as it lies in memory to where it is read: for each copy the stage and the buffer.
pub fn realign<'c>(to: &mut Rebuilder<'c>, copies: &[(&Copy<'c>, Value<'c>, Value<'c>)]) {
    for (copy, from, into) in copies {
        let (Some(realigned), Some(pitch)) = (&copy.realigned, copy.load.extents().last().copied())
        else {
            continue;
        };
        let mut attributes = vec![("shape", realigned.shape(to))];
        if copy.transposed.is_some() {
            attributes.push(("transposed", to.builder.int(1)));
        }
        let list = [*from, *into, to.one(realigned.origin), to.one(pitch)];
        to.builder.insert("tile.realign", &list, &attributes, &[]);
    }
}
