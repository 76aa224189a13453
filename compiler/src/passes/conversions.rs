//! `conversions`: layout conversions become register moves or round trips through shared memory.
//!
//! ```text
//! %b = tile.convert %a : tensor<128x64xf16, L1> -> tensor<128x64xf16, L2>
//!   ⇒  %s = tile.shared_alloc : !tile.shared<tensor<128x64xf16, {…}>>
//!      tile.shared_store %a, %s
//!      %b = tile.shared_load %s
//! ```
//!
//! A conversion that stays inside threads remains a `tile.convert`. The buffer is swizzled so that
//! neither side meets bank conflicts. Operands of a dot on FMA units go to shared memory whole:
//! each thread needs all of K of its rows and columns, more than registers hold.

use melior::ir::{Module, ValueLike};

use super::encoding::{Encodings, buffer_type};
use super::{PassContext, element_bytes, rebuild_functions};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::ir::{Operation, Rebuilder, Rewrite, TileType, Value, attributes};
use crate::layout::{Layout, SharedLayout, Swizzle};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions(cx, &module, |_| Ok(Conversions { cx, encodings: &encodings }))
}

struct Conversions<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
}

/// For each register of `to` the register of `from` in the same thread that holds its element, if
/// there is one for every register.
#[must_use]
pub fn register_moves(from: &Layout, to: &Layout) -> Option<Vec<usize>> {
    let same_threads = from.lane_bases() == to.lane_bases() && from.warp_bases() == to.warp_bases();
    if !same_threads || from.shape() != to.shape() {
        return None;
    }
    (0..to.register_count())
        .map(|register| from.register_with_coordinates(&to.register_coordinates(register)))
        .collect()
}

/// The dimensions, fastest first, such that what `from` writes is contiguous.
fn order_of(from: &Layout, to: &Layout) -> Vec<usize> {
    let mut order: Vec<usize> = (0..from.rank()).rev().collect();
    order.sort_by_key(|axis| {
        let written = from.vector_register_bits(*axis).len();
        let read = to.vector_register_bits(*axis).len();
        std::cmp::Reverse((written, read))
    });
    order
}

impl<'c> Conversions<'_, '_, 'c> {
    fn buffer(&self, to: &mut Rebuilder<'c>, element: melior::ir::Type<'c>, layout: &SharedLayout) -> Value<'c> {
        let ty = buffer_type(self.cx.context, element, layout);
        let offset = to.builder.int(-1);
        to.builder.value("tile.shared_alloc", &[], &[("offset", offset)], ty)
    }
}

impl<'c> Rewrite<'c> for Conversions<'_, '_, 'c> {
    fn rewrite(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) -> Result<bool, Diagnostic> {
        match TileOp::of(operation) {
            Some(TileOp::Convert(convert)) => {
                let from = self.encodings.layout(convert.operand());
                let wanted = self.encodings.layout(convert.result());
                if register_moves(&from, &wanted).is_some() {
                    return Ok(false);
                }
                let element = TileType::of(convert.operand()).expect("a tile").element();
                let bytes = element_bytes(element);
                let covered: Vec<u64> =
                    from.covered().iter().zip(wanted.covered()).map(|(a, b)| (*a).max(b)).collect();
                let shared = SharedLayout::for_ldmatrix(&covered, &order_of(&from, &wanted), bytes);
                let value = to.one(convert.operand());
                let buffer = self.buffer(to, element, &shared);
                to.builder.insert("tile.shared_store", &[value, buffer], &[], &[]);
                let loaded = to.builder.value("tile.shared_load", &[buffer], &[], convert.result().r#type());
                to.bind(convert.result(), vec![loaded]);
                Ok(true)
            }
            Some(TileOp::Dot(dot)) if dot.path() == "fma" => {
                let accumulator = self.encodings.layout(dot.result()).covered();
                let mut list = Vec::new();
                for (index, operand) in [dot.left(), dot.right()].into_iter().enumerate() {
                    let tile = TileType::of(operand).expect("a tile");
                    let mut covered = self.encodings.layout(operand).covered();
                    covered[index] = covered[index].max(accumulator[index]);
                    let bytes = element_bytes(tile.element());
                    // Rows are read at a moving position along K, which a swizzle would not survive;
                    // 16 more bytes per row spread its columns over the banks.
                    let shared = SharedLayout::new(&covered, &[1, 0], bytes, Swizzle::NONE)
                        .with_row_padding((16 / bytes).max(1));
                    let value = to.one(operand);
                    let buffer = self.buffer(to, tile.element(), &shared);
                    to.builder.insert("tile.shared_store", &[value, buffer], &[], &[]);
                    list.push(buffer);
                }
                list.push(to.one(dot.accumulator()));
                let all = attributes(operation);
                let named: Vec<_> = all.iter().map(|(n, a)| (n.as_str(), *a)).collect();
                // Reads shared memory: not to be merged with another that saw other contents.
                let new = to.builder.insert("tile.dot", &list, &named, &[dot.result().r#type()]);
                to.bind(dot.result(), crate::ir::results(new));
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
