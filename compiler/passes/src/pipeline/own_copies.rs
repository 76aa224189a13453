//! Data that comes to shared memory by the threads that read it there.
//!
//! Each thread copies what it reads itself, so there is nothing to wait for but its own copies, and a thread that has read a buffer may copy to it again.

use melior::Context;
use melior::ir::{Type, ValueLike};

use crate::build::Rebuilder;
use crate::dialect::ops::Load;
use crate::encoding::{Encodings, buffer_type};
use crate::ir::{Value, address, int_attribute, result};
use crate::layout::copy::SLOT_BYTES;
use crate::layout::{SharedLayout, Swizzle};
use crate::{element_bytes, is_tile};

/// A load whose data threads copy.
pub(super) struct OwnCopy<'c> {
    pub load: Load<'c>,
    pub layout: SharedLayout,
    /// Elements of a copy.
    width: u64,
}

impl<'c> OwnCopy<'c> {
    /// How a load can be copied by the threads that want its data, if it can.
    pub(super) fn of(encodings: &Encodings, load: Load<'c>, warps: u64) -> Option<Self> {
        if !is_tile(load.result()) || !load.cache().is_empty() || !load.evict().is_empty() {
            return None;
        }
        let layout = encodings.layout(load.result());
        let element = crate::ir::element_type(load.result().r#type()).to_string();
        let is_number = element != "i1" && !element.starts_with("!tile.ptr");
        let count = layout.register_count();
        let is_whole =
            layout.owners().are_all_threads() && layout.distinct_registers().len() == count;
        let width = int_attribute(load.0, "vector").unwrap_or(1) as u64;
        let bytes = element_bytes(load.result().r#type());
        if !is_number || !is_whole || width * bytes != SLOT_BYTES {
            return None;
        }
        let elements = count as u64 * 32 * warps;
        Some(Self {
            load,
            layout: SharedLayout::new(&[elements], &[0], bytes, Swizzle::NONE),
            width,
        })
    }

    /// Room for so many of them.
    pub(super) fn buffer(
        &self,
        context: &'c Context,
        to: &mut Rebuilder<'c>,
        stages: i64,
    ) -> Value<'c> {
        let ty = self.ty(context);
        let mut attributes = vec![("offset", to.builder.int(-1))];
        if stages > 1 {
            attributes.push(("stages", to.builder.int(stages)));
        }
        let new = to
            .builder
            .insert("tile.shared_alloc", &[], &attributes, &[ty]);
        result(new, 0)
    }

    /// The type of a buffer.
    pub(super) fn ty(&self, context: &'c Context) -> Type<'c> {
        let element = crate::ir::element_type(self.load.result().r#type());
        buffer_type(context, element, &self.layout)
    }

    pub(super) fn address(&self) -> usize {
        address(self.load.0)
    }

    /// Starts a copy, if there is anything to copy.
    pub(super) fn copy(&self, to: &mut Rebuilder<'c>, buffer: Value<'c>, exists: Value<'c>) {
        let load = self.load;
        let mut list = vec![to.one(load.pointers()), buffer];
        list.extend(load.mask().map(|mask| to.one(mask)));
        list.extend(load.other().map(|other| to.one(other)));
        list.push(exists);
        let given = |value: Option<Value<'c>>| i32::from(value.is_some());
        let segments = [1, 1, given(load.mask()), given(load.other()), 1];
        let width = to.builder.int(self.width as i64);
        let attributes = [
            ("vector", width),
            ("own", width),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        to.builder
            .insert("tile.async_copy", &list, &attributes, &[]);
    }

    /// What a thread copied.
    pub(super) fn read(
        &self,
        to: &mut Rebuilder<'c>,
        buffer: Value<'c>,
        is_late: bool,
    ) -> Value<'c> {
        let mut list = vec![("own", to.builder.int(self.width as i64))];
        list.extend(is_late.then(|| ("late", to.builder.int(1))));
        let ty = self.load.result().r#type();
        to.builder.value("tile.shared_load", &[buffer], &list, ty)
    }
}
