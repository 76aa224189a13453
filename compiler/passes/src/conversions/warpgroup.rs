//! Operands of `wgmma`: written to shared memory in a layout that it reads.
//!
//! An operand that a loop only reads is written once, before the loop. A tile of 16-bit elements that products read both as
//! it is and transposed is written once, too: `wgmma` reads either way along K, so the transposed one is another view of the
//! same bytes (`left_turned` and `right_turned` of `dot`).

use std::cmp::Ordering;

use melior::ir::ValueLike;
use melior::ir::r#type::TypeLike;

use super::Conversions;
use crate::build::Rebuilder;
use crate::diagnostic::remark::Trip;
use crate::dialect::TileOp;
use crate::dialect::ops::{Convert, Dot};
use crate::encoding::buffer_type;
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, attributes, key, results};
use crate::layout::{Layout, MatrixOperand, SharedLayout, mma};
use crate::{each_operation, element_bits, element_bytes};

/// Which operand of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn operand(self, dot: Dot<'_>) -> Value<'_> {
        match self {
            Self::Left => dot.left(),
            Self::Right => dot.right(),
        }
    }
}

/// An operand as it is written to shared memory.
struct Stored<'c> {
    value: Value<'c>,
    /// Whether the product reads the transposed tile.
    is_turned: bool,
    layout: SharedLayout,
}

/// Bytes of elements that `wgmma` and `ldmatrix` read along either dimension.
pub(super) const EITHER_WAY_BYTES: u64 = 2;

impl<'c> Conversions<'_, '_, 'c> {
    /// Writes the operands of a product to shared memory, and has it read them there.
    pub(super) fn warpgroup_product(&self, to: &mut Rebuilder<'c>, dot: Dot<'c>) {
        let mut all = attributes(dot.0);
        all.push(("depth", self.depth(to, dot)));
        let mut read = |to: &mut Rebuilder<'c>, side, turned| {
            let stored = self.stored(dot, side);
            if stored.is_turned {
                all.push((turned, to.builder.int(1)));
            }
            self.matrix(to, &stored)
        };
        let left = if self.is_fragment(dot) {
            to.one(dot.left())
        } else {
            read(to, Side::Left, "left_turned")
        };
        let right = read(to, Side::Right, "right_turned");
        let list = [left, right, to.one(dot.accumulator())];
        let types = [dot.result().r#type()];
        // Reads shared memory: not to be merged with another that saw other contents.
        let new = to.builder.insert("tile.dot", &list, &all, &types);
        to.bind(dot.result(), crate::ir::results(new));
    }

    /// Before a loop: writes those operands of products in it that are there already.
    pub(super) fn operands_before(&self, to: &mut Rebuilder<'c>, of: Operation<'c>) {
        each_operation(of, &mut |operation| {
            let Some(TileOp::Dot(dot)) = TileOp::of(operation) else {
                return;
            };
            if dot.path() != "wgmma" {
                return;
            }
            for side in [Side::Left, Side::Right] {
                if side == Side::Left && self.is_fragment(dot) {
                    continue;
                }
                let stored = self.stored(dot, side);
                if to.is_bound(stored.value) {
                    self.matrix(to, &stored);
                }
            }
        });
    }

    /// Whether A is in the registers from which `wgmma` takes it.
    fn is_fragment(&self, dot: Dot<'c>) -> bool {
        let layout = self.encodings.layout(dot.left());
        let accumulator = self.encodings.layout(dot.result());
        let bits = element_bits(dot.left().r#type()) as u32;
        let shape = [layout.shape()[0], layout.shape()[1]];
        let columns = accumulator.shape()[1];
        *layout == Layout::wgmma_operand_a(shape, columns, accumulator.warp_count(), bits)
    }

    /// The buffer with an operand: one that there is, or a new one.
    fn matrix(&self, to: &mut Rebuilder<'c>, stored: &Stored<'c>) -> Value<'c> {
        let (buffer, is_new) = self.written_once(to, stored.value, &stored.layout);
        // Before the loop it is stored once.
        if is_new && let Some(source) = defining_operation(stored.value) {
            let loaded = turned(stored.value).unwrap_or(stored.value);
            self.remark_trip(source, loaded, Trip::ComputedOperand);
        }
        buffer
    }

    /// The buffer with a tile in this layout, and whether it is a new one.
    pub(super) fn written_once(
        &self,
        to: &mut Rebuilder<'c>,
        tile: Value<'c>,
        layout: &SharedLayout,
    ) -> (Value<'c>, bool) {
        let element = TileType::of(tile).expect("a tile").element();
        let ty = buffer_type(self.cx.context, element, layout);
        let key = (tile.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(buffer) = to.builder.recall(key) {
            return (buffer, false);
        }
        let value = to.one(tile);
        let buffer = self.write(to, value, layout);
        to.builder.remember(key, buffer);
        (buffer, true)
    }

    /// The layout in which a product reads from shared memory what is brought to other threads, if these can read it there as well as anywhere.
    pub(super) fn operand_that_is_read(&self, convert: Convert<'c>) -> Option<SharedLayout> {
        let value = convert.operand();
        let from = self.encodings.layout(value);
        let wanted = self.encodings.layout(convert.result());
        let users = self.users.get(&key(value)).into_iter().flatten();
        let mut stored = users.filter_map(|user| {
            let dot = Dot::of(*user).filter(|dot| dot.path() == "wgmma")?;
            let is_left = key(dot.left()) == key(value) && !self.is_fragment(dot);
            let side = if is_left { Side::Left } else { Side::Right };
            let stored = self.stored(dot, side);
            (key(side.operand(dot)) == key(value) && !stored.is_turned).then_some(stored.layout)
        });
        let layout = stored.next()?;
        let bytes = element_bytes(value.r#type());
        let best = SharedLayout::for_round_trip(&from, &wanted, bytes).bank_conflicts(&wanted)?;
        let own = layout.bank_conflicts(&wanted)?;
        (own.cost() <= best.cost()).then_some(layout)
    }

    /// How an operand is stored: alone, or with others that read the same tile the other way around.
    fn stored(&self, dot: Dot<'c>, side: Side) -> Stored<'c> {
        let value = side.operand(dot);
        let alone = || Stored {
            value,
            is_turned: false,
            layout: self.matrix_layout(dot, value, side),
        };
        if element_bytes(value.r#type()) != EITHER_WAY_BYTES {
            return alone();
        }
        let source = turned(value).unwrap_or(value);
        self.shared_layout(source)
            .map_or_else(alone, |layout| Stored {
                value: source,
                is_turned: key(source) != key(value),
                layout,
            })
    }

    /// The layout in which all products on `wgmma` read a tile from shared memory, if some read it as it is, others
    /// transposed, and one layout serves all of them.
    fn shared_layout(&self, source: Value<'c>) -> Option<SharedLayout> {
        let as_it_is = self.layouts_of(source);
        let transposed = self.transposed_from(source);
        let transposed = transposed.flat_map(|value| self.layouts_of(value));
        let transposed: Vec<_> = transposed.map(SharedLayout::transposed).collect();
        if as_it_is.is_empty() || transposed.is_empty() {
            return None;
        }
        let all = || as_it_is.iter().chain(&transposed);
        let first = all().next()?;
        let is_alike =
            |other: &SharedLayout| other.order() == first.order() && other.shape() == first.shape();
        // Panels as narrow as the narrowest: both ways take those.
        let width = all()
            .map(|layout| layout.row_pitch() * EITHER_WAY_BYTES)
            .min()?;
        let ([rows, columns], [major, minor]) = (first.shape(), first.order()) else {
            return None;
        };
        all().all(is_alike).then(|| {
            SharedLayout::panels([*rows, *columns], [*major, *minor], EITHER_WAY_BYTES, width)
        })
    }

    /// The transposed tiles of a tile.
    pub(super) fn transposed_from(&self, source: Value<'c>) -> impl Iterator<Item = Value<'c>> {
        let users = self.users.get(&key(source)).into_iter().flatten();
        users.filter_map(move |user| {
            let value = results(*user).first().copied()?;
            (turned(value).map(key) == Some(key(source))).then_some(value)
        })
    }

    /// The layouts in which products on `wgmma` would read a value from shared memory.
    fn layouts_of(&self, value: Value<'c>) -> Vec<SharedLayout> {
        let users = self.users.get(&key(value)).into_iter().flatten();
        let dots = users.filter_map(|user| Dot::of(*user).filter(|dot| dot.path() == "wgmma"));
        let mut layouts = Vec::new();
        for dot in dots {
            if key(dot.left()) == key(value) && !self.is_fragment(dot) {
                layouts.push(self.matrix_layout(dot, value, Side::Left));
            }
            if key(dot.right()) == key(value) {
                layouts.push(self.matrix_layout(dot, value, Side::Right));
            }
        }
        layouts
    }

    /// Whether a transposition is there for products alone that read what it transposes.
    pub(super) fn is_read_turned(&self, permute: Operation<'c>) -> bool {
        let value = results(permute)[0];
        let reads = |user: &Operation<'c>| {
            self.multiplies_transposed(*user, value) || self.brings_transposed(*user)
        };
        let users = self.users.get(&key(value));
        turned(value).is_some() && users.is_some_and(|users| users.iter().all(reads))
    }

    /// Whether an operation is a product on `wgmma` that reads what this is the transposed tile of.
    fn multiplies_transposed(&self, user: Operation<'c>, value: Value<'c>) -> bool {
        let Some(dot) = Dot::of(user).filter(|dot| dot.path() == "wgmma") else {
            return false;
        };
        let sides = [Side::Left, Side::Right].into_iter();
        let mut sides = sides.filter(|side| key(side.operand(dot)) == key(value));
        sides.all(|side| {
            !(side == Side::Left && self.is_fragment(dot)) && self.stored(dot, side).is_turned
        })
    }

    /// Elements that are neighbours in registers stay neighbours, if `wgmma` reads that.
    fn matrix_layout(&self, dot: Dot<'c>, operand: Value<'c>, side: Side) -> SharedLayout {
        let from = self.encodings.layout(operand);
        let accumulator = self.encodings.layout(dot.result());
        let bytes = element_bytes(operand.r#type());
        let (k_axis, rows) = match side {
            Side::Left => (1, mma::WARPGROUP_M),
            Side::Right => {
                let own = 2 * accumulator.register_count() as u64 / accumulator.repeat()[0];
                (0, mma::warpgroup_columns(own, bytes == 1).unwrap_or(own))
            }
        };
        let mut shape = [from.covered()[0], from.covered()[1]];
        shape[1 - k_axis] = shape[1 - k_axis].max(accumulator.covered()[1 - k_axis]);
        let run = |axis: usize| from.vector_register_bits(axis).len();
        // Without neighbours in registers, those in lanes are stored to neighbouring banks.
        let is_first = |axis: usize| {
            from.lane_bases()
                .first()
                .is_some_and(|basis| basis[axis] == 1)
        };
        let k_major = match run(k_axis).cmp(&run(1 - k_axis)) {
            Ordering::Equal => run(k_axis) > 0 || !is_first(1 - k_axis),
            order => order.is_gt(),
        };
        let make = |k_major| MatrixOperand::new(shape, k_axis, bytes, rows, k_major);
        make(k_major)
            .or_else(|| make(true))
            .expect("K of a product on `wgmma` is whole steps")
            .layout()
            .clone()
    }
}

/// What a value is the transposed tile of.
pub(super) fn turned(value: Value<'_>) -> Option<Value<'_>> {
    let Some(TileOp::Permute(permute)) = defining_operation(value).and_then(TileOp::of) else {
        return None;
    };
    (permute.permutation() == [1, 0]).then(|| permute.operand())
}
