//! Operands of `wgmma`: written to shared memory in a layout that it reads.
//!
//! An operand that a loop only reads is written once, before the loop.

use std::cmp::Ordering;

use melior::ir::ValueLike;
use melior::ir::r#type::TypeLike;

use super::Conversions;
use crate::dialect::TileOp;
use crate::dialect::ops::Dot;
use crate::ir::{Operation, Rebuilder, TileType, Value, attributes};
use crate::layout::{Layout, MatrixOperand, SharedLayout, mma};
use crate::passes::encoding::buffer_type;
use crate::passes::{each_operation, element_bits, element_bytes};

/// Which operand of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl<'c> Conversions<'_, '_, 'c> {
    /// Writes the operands of a product to shared memory, and has it read them there.
    pub(super) fn warpgroup_product(&self, to: &mut Rebuilder<'c>, dot: Dot<'c>) {
        let mut all = attributes(dot.0);
        all.push(("depth", self.depth(to, dot)));
        let left = if self.is_fragment(dot) {
            to.one(dot.left())
        } else {
            self.matrix(to, dot, Side::Left)
        };
        let right = self.matrix(to, dot, Side::Right);
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
            if to.is_bound(dot.left()) && !self.is_fragment(dot) {
                self.matrix(to, dot, Side::Left);
            }
            if to.is_bound(dot.right()) {
                self.matrix(to, dot, Side::Right);
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
    fn matrix(&self, to: &mut Rebuilder<'c>, dot: Dot<'c>, side: Side) -> Value<'c> {
        let operand = match side {
            Side::Left => dot.left(),
            Side::Right => dot.right(),
        };
        let element = TileType::of(operand).expect("a tile").element();
        let layout = self.matrix_layout(dot, operand, side);
        let ty = buffer_type(self.cx.context, element, &layout);
        let key = (operand.to_raw().ptr as usize, ty.to_raw().ptr as usize);
        if let Some(buffer) = to.builder.recall(key) {
            return buffer;
        }
        let value = to.one(operand);
        let buffer = self.buffer(to, element, &layout);
        to.builder
            .insert("tile.shared_store", &[value, buffer], &[], &[]);
        to.builder.remember(key, buffer);
        buffer
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
