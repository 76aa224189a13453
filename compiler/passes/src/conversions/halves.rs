//! Tiles that are too large for shared memory go through it in halves: of every element the low bits first, and then
//! the high ones, through the same place.
//!
//! ```text
//! %b = tile.convert %a : tensor<256x256xf32, L1> -> tensor<256x256xf32, L2>     (262144 bytes)
//!   ⇒  %low  = tensor<256x256xi16, L1> through shared memory to L2              (131072 bytes)
//!      %high = the same
//!      %b = %low | %high << 16
//! ```

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::{Conversions, shared_between};
use crate::build::Rebuilder;
use crate::diagnostic::remark::RemarkKind;
use crate::ir::{Operation, TileType, Value, element_type};
use crate::layout::{Layout, SharedLayout};
use crate::{element_bits, element_bytes};

/// Elements of so many bits are not taken apart.
const NARROWEST: u64 = 8;

impl<'c> Conversions<'_, '_, 'c> {
    /// Whether a tile of this type, in this layout, needs more shared memory than a program may have, and can be halved.
    pub(super) fn is_too_large(&self, ty: Type<'c>, shared: &SharedLayout) -> bool {
        shared.size_bytes() > self.cx.target.shared_bytes_per_program
            && element_bits(ty) > NARROWEST
            && !element_type(ty).to_string().starts_with('!')
    }

    /// Brings a tile that is too large to the type `ty`.
    pub(super) fn in_halves(
        &self,
        to: &mut Rebuilder<'c>,
        value: Value<'c>,
        ty: Type<'c>,
        from: &Layout,
        wanted: &Layout,
    ) -> Value<'c> {
        let (old, new) = (TileType::of(value), TileType::from_type(ty));
        let (old, new) = old.zip(new).expect("tiles are converted");
        let bits = element_bits(new.element());
        let whole = to.builder.int_type(bits as u32);
        let half = to.builder.int_type(bits as u32 / 2);
        let value = cast(to, value, old.with_element(whole).ty());
        let shift = |to: &mut Rebuilder<'c>, tile: TileType<'c>| {
            let ty = tile.with_element(whole).ty();
            to.builder.constant_int(bits as i64 / 2, ty)
        };
        let down = shift(to, old);
        let high = to.builder.binary("arith.shrui", value, down);
        let [low, high] = [value, high].map(|part| {
            let cut = old.with_element(half).ty();
            let part = to.builder.value("arith.trunci", &[part], &[], cut);
            let ty = new.with_element(half).ty();
            let part = self.through_shared(to, part, ty, from, wanted);
            let wide = new.with_element(whole).ty();
            to.builder.value("arith.extui", &[part], &[], wide)
        });
        let up = shift(to, new);
        let high = to.builder.binary("arith.shli", high, up);
        let all = to.builder.binary("arith.ori", low, high);
        cast(to, all, ty)
    }

    /// Brings a tile to the type `ty`, whole or in halves.
    fn through_shared(
        &self,
        to: &mut Rebuilder<'c>,
        value: Value<'c>,
        ty: Type<'c>,
        from: &Layout,
        wanted: &Layout,
    ) -> Value<'c> {
        let shared = shared_between(from, wanted, element_bytes(ty), false);
        if self.is_too_large(ty, &shared) {
            return self.in_halves(to, value, ty, from, wanted);
        }
        let buffer = self.write(to, value, &shared);
        to.builder.value("tile.shared_load", &[buffer], &[], ty)
    }

    /// Says that a tile goes in halves.
    pub(super) fn remark_halves(&self, operation: Operation<'c>, ty: Type<'c>) {
        let tile = crate::spelled(ty);
        self.cx.remark(
            &self.function,
            Some(self.cx.span(operation.location())),
            RemarkKind::InHalves { tile },
        );
    }
}

/// The bits of a tile as another type of the same width.
fn cast<'c>(to: &mut Rebuilder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    match value.r#type() == ty {
        true => value,
        false => to.builder.value("arith.bitcast", &[value], &[], ty),
    }
}
