//! Fragments that TMA stores, warp by warp (PTX ISA, "cp.async.bulk.tensor", "stmatrix").
//!
//! A warp writes a box of 16 rows of 128 bytes to one of its buffers, swizzled as TMA reads it, and one of
//! its lanes starts the copy. Before a buffer is written again its copy must have been read.

use melior::ir::ValueLike;

use super::ToLlvm;
use super::shared::address_word;
use super::threads::{inline_asm, int, pack};
use crate::dialect::ops::BoxStore;
use crate::dialect::predicates;
use crate::ir::{Builder, Rebuilder, TileType, Value, ints_attribute};
use crate::layout::warp_boxes::{BOX_ROW_BYTES, BOX_ROWS};
use crate::passes::element_bytes;
use crate::passes::pipeline::BUFFERS;

/// Bytes of a box.
const BOX_BYTES: u64 = BOX_ROWS * BOX_ROW_BYTES;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn box_store(&mut self, to: &mut Rebuilder<'c>, store: BoxStore<'c>) {
        let value = store.value();
        let layout = self.encodings.layout(value);
        let element = TileType::of(value).expect("a tile").element();
        let bytes = element_bytes(element);
        let boxes = layout.warp_boxes(bytes).expect("`pipeline` chose it");
        let registers = to.many(value).to_vec();
        let map = to.one(store.map());
        let starts: Vec<_> = store.starts().into_iter().map(|old| to.one(old)).collect();
        let condition = store.condition().map(|condition| to.one(condition));
        let kinds = ints_attribute(store.0, "kinds").unwrap_or_default();
        let builder = &mut to.builder;
        let lane = self.lane(builder);
        let warp = self.warp(builder);
        let zero = int(builder, 0);
        let mut speaks = builder.compare_int(predicates::EQ, lane, zero);
        if let Some(condition) = condition {
            speaks = builder.and(speaks, condition);
        }
        // The warp's part of the tile, and its buffers.
        let warps = |axis: usize| -> Vec<u32> {
            layout
                .warp_bases()
                .iter()
                .map(|basis| basis[axis])
                .collect()
        };
        let own = [0, 1].map(|axis| self.linear(builder, &[], &warps(axis)));
        let size = int(builder, (BUFFERS * BOX_BYTES) as i64);
        let mut place = builder.multiply(warp, size);
        let offset = int(builder, self.buffer_offset(store.buffer()));
        place = builder.add(place, offset);
        let place = address_word(builder, place);
        let lane_place = self.lane_place(builder, lane, bytes);
        for (number, corner) in boxes.iter().enumerate() {
            let buffer = int(builder, (number as u64 % BUFFERS * BOX_BYTES) as i64);
            let buffer = builder.add(place, buffer);
            // What was stored before may have ended with any buffer, and is long read.
            let running = if number == 0 { 0 } else { BUFFERS - 1 };
            let text =
                format!("cp.async.bulk.wait_group.read {running};\nbar.warp.sync 0xffffffff;");
            inline_asm(builder, &text, "~{memory}", &[], &[], true);
            let register = |row: u64, column: u64| {
                let at = [corner.row + row, corner.column + column];
                registers[layout.register_with_coordinates(&at).expect("a whole box")]
            };
            let lane_address = builder.add(buffer, lane_place);
            match bytes {
                2 => matrices(builder, lane_address, &register),
                _ => pairs(builder, lane_address, &register),
            }
            // What all lanes wrote is seen by TMA, and one says so.
            let text = "fence.proxy.async.shared::cta;\nbar.warp.sync 0xffffffff;";
            inline_asm(builder, text, "~{memory}", &[], &[], true);
            let mut corner = [corner.row, corner.column].into_iter().zip(own);
            let mut list: Vec<_> = starts
                .iter()
                .zip(&kinds)
                .map(|(start, kind)| match (kind, *kind == 1) {
                    (_, true) => corner.next().map_or(*start, |(constant, own)| {
                        let constant = int(builder, constant as i64);
                        let inside = builder.add(own, constant);
                        builder.add(*start, inside)
                    }),
                    _ => *start,
                })
                .collect();
            list.reverse();
            let rank = list.len();
            let names: Vec<_> = (0..rank).map(|axis| format!("${}", axis + 3)).collect();
            let text = format!(
                "@$2 cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [$1, {{{}}}], [$0];\n\
                 cp.async.bulk.commit_group;",
                names.join(", ")
            );
            // A group for each box, also where nothing is stored: what is waited for is a number of them.
            let mut inputs = vec![buffer, map, speaks];
            inputs.extend(list);
            let constraints = format!("r,l,b{},~{{memory}}", ",r".repeat(rank));
            inline_asm(builder, &text, &constraints, &inputs, &[], true);
        }
    }

    /// Where a lane writes in a box, before the column: the XOR of 16-byte pieces with the row is in it.
    fn lane_place(&self, builder: &mut Builder<'c>, lane: Value<'c>, bytes: u64) -> Value<'c> {
        let field = |builder: &mut Builder<'c>, first: i64, mask: i64| {
            let first = int(builder, first);
            let field = builder.binary("arith.shrui", lane, first);
            let mask = int(builder, mask);
            builder.and(field, mask)
        };
        // `stmatrix`: lanes give the addresses of rows, 16 lanes for 8 columns, the others for the next.
        // Else a lane has two columns of row `lane / 4`, and four lanes have two pieces.
        let (row, piece, inside) = match bytes {
            2 => (field(builder, 0, 15), field(builder, 4, 1), None),
            _ => {
                let inside = field(builder, 0, 1);
                (field(builder, 2, 7), field(builder, 1, 1), Some(inside))
            }
        };
        let seven = int(builder, 7);
        let turn = builder.and(row, seven);
        let piece = builder.binary("arith.xori", piece, turn);
        let mut scaled = |value, factor| {
            let factor = int(builder, factor);
            builder.multiply(value, factor)
        };
        let row = scaled(row, BOX_ROW_BYTES as i64);
        let piece = scaled(piece, 16);
        let inside = inside.map(|inside| scaled(inside, 8));
        let place = builder.add(row, piece);
        match inside {
            Some(inside) => builder.add(place, inside),
            None => place,
        }
    }
}

/// A box of 16-bit elements: `stmatrix` of 16 columns at a time.
fn matrices<'c>(
    builder: &mut Builder<'c>,
    address: Value<'c>,
    register: &impl Fn(u64, u64) -> Value<'c>,
) {
    let word = builder.int_type(32);
    for step in 0..4 {
        let column = 16 * step;
        let words = [(0, 0), (8, 0), (0, 8), (8, 8)].map(|(row, next)| {
            let pair = [0, 1].map(|odd| register(row, column + next + odd));
            let pair = pack(builder, &pair, pair[0].r#type());
            builder.value("llvm.bitcast", &[pair], &[], word)
        });
        // Buffers begin at multiples of their rows, so the column's bits are not there yet.
        let flip = int(builder, 32 * step as i64);
        let address = builder.binary("arith.xori", address, flip);
        let mut inputs = vec![address];
        inputs.extend(words);
        let text = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};";
        inline_asm(builder, text, "r,r,r,r,r,~{memory}", &inputs, &[], true);
    }
}

/// A box of 32-bit elements: two columns of a lane at a time.
fn pairs<'c>(
    builder: &mut Builder<'c>,
    address: Value<'c>,
    register: &impl Fn(u64, u64) -> Value<'c>,
) {
    let word = builder.int_type(32);
    for step in 0..4 {
        let flip = int(builder, 32 * step as i64);
        let address = builder.binary("arith.xori", address, flip);
        for row in [0, 8] {
            let mut inputs = vec![address];
            inputs.extend([0, 1].map(|odd| {
                let value = register(row, 8 * step + odd);
                match value.r#type() == word {
                    true => value,
                    false => builder.value("llvm.bitcast", &[value], &[], word),
                }
            }));
            let at = row * BOX_ROW_BYTES;
            let text = format!("st.shared.v2.b32 [$0+{at}], {{$1, $2}};");
            inline_asm(builder, &text, "r,r,r,~{memory}", &inputs, &[], true);
        }
    }
}

/// Waits until TMA has read all that this thread gave it: shared memory must be there as long.
pub(super) fn done(builder: &mut Builder<'_>) {
    let text = "cp.async.bulk.wait_group.read 0;";
    inline_asm(builder, text, "~{memory}", &[], &[], true);
}
