//! Fragments that TMA stores, warp by warp, and that it has loaded (PTX ISA, "cp.async.bulk.tensor", "stmatrix",
//! "ldmatrix").
//!
//! A warp writes a box of 16 rows of 128 bytes (or the transposed box: [`turned_boxes`]) to one of its buffers,
//! swizzled as TMA reads it, and one of its lanes starts the copy. Before a buffer is written again its copy must have been read. What TMA loaded for all
//! warps lies in panels, of which each warp has such a box.

use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::{elements, inline_asm, int, pack};
use super::turned_boxes;
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{BoxLoad, BoxStore};
use crate::dialect::{kinds, predicates};
use crate::element_bytes;
use crate::ir::{TileType, Value, ints_attribute, key};
use crate::layout::warp_boxes::{BOX_ROW_BYTES, BOX_ROWS};
use crate::pipeline::BUFFERS;

/// Bytes of a box.
const BOX_BYTES: u64 = BOX_ROWS * BOX_ROW_BYTES;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn box_store(&mut self, to: &mut Rebuilder<'c>, store: BoxStore<'c>) {
        let value = store.value();
        let layout = self.encodings.layout(value);
        let element = TileType::of(value).expect("a tile").element();
        let bytes = element_bytes(element);
        let straight = layout.warp_boxes(bytes);
        let turned = straight.is_none();
        let boxes = straight.or_else(|| layout.turned_warp_boxes(bytes));
        let boxes = boxes.expect("`pipeline` chose it");
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
        let place = self.address_word(builder, place);
        let lane_place = match turned {
            false => self.lane_place(builder, lane, bytes),
            true => turned_boxes::lane_place(builder, lane, bytes),
        };
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
            match (bytes, turned) {
                (2, false) => matrices(builder, lane_address, &register),
                (2, true) => turned_boxes::matrices(builder, lane_address, &register),
                (_, false) => pairs(builder, lane_address, &register),
                (_, true) => turned_boxes::numbers(builder, lane_address, &register),
            }
            // What all lanes wrote is seen by TMA, and one says so.
            let text = "fence.proxy.async.shared::cta;\nbar.warp.sync 0xffffffff;";
            inline_asm(builder, text, "~{memory}", &[], &[], true);
            let mut corner = [corner.row, corner.column].into_iter().zip(own);
            let mut list: Vec<_> = starts
                .iter()
                .zip(&kinds)
                .map(|(start, kind)| match (kind, *kind == kinds::RANGE) {
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

    pub(super) fn box_load(&mut self, to: &mut Rebuilder<'c>, load: BoxLoad<'c>) {
        let layout = self.encodings.layout(load.result());
        let element = TileType::of(load.result()).expect("a tile").element();
        let bytes = element_bytes(element);
        let boxes = layout.warp_boxes(bytes).expect("`pipeline` chose it");
        let panel_columns = BOX_ROW_BYTES / bytes;
        let buffers = load.buffers();
        let (rows, panels) = (load.rows() as u64, load.panels() as u64);
        let builder = &mut to.builder;
        let lane = self.lane(builder);
        let lane_place = self.lane_place(builder, lane, bytes);
        let own: Vec<u32> = layout.warp_bases().iter().map(|basis| basis[0]).collect();
        let own = self.linear(builder, &[], &own);
        let pitch = int(builder, BOX_ROW_BYTES as i64);
        let own = builder.multiply(own, pitch);
        let own = builder.add(own, lane_place);
        let starts: Vec<_> = buffers
            .into_iter()
            .map(|buffer| {
                let mut bytes = int(builder, self.buffer_offset(buffer));
                if let Some(stage) = self.stages.get(&key(buffer)) {
                    bytes = builder.add(bytes, *stage);
                }
                let start = self.address_word(builder, bytes);
                builder.add(start, own)
            })
            .collect();
        let mut registers = vec![None; layout.register_count()];
        for corner in boxes {
            let panel = corner.column / panel_columns;
            let inside = panel % panels * rows + corner.row;
            let inside = int(builder, (inside * BOX_ROW_BYTES) as i64);
            let start = builder.add(starts[(panel / panels) as usize], inside);
            let mut set = |row: u64, column: u64, value: Value<'c>| {
                let at = [corner.row + row, corner.column + column];
                let register = layout.register_with_coordinates(&at);
                registers[register.expect("a whole box")] = Some(value);
            };
            match bytes {
                2 => read_matrices(builder, start, element, &mut set),
                _ => read_pairs(builder, start, element, &mut set),
            }
        }
        let registers = registers.into_iter().flatten().collect();
        to.bind(load.result(), registers);
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

/// Rows and columns at which the four 8 x 8 matrices begin that one instruction moves.
const MATRICES: [(u64, u64); 4] = [(0, 0), (8, 0), (0, 8), (8, 8)];

/// Where a lane reads or writes 32 bytes of its row further on, `step` times. Buffers begin at multiples of their
/// rows, so the column's bits are not there yet.
fn at_step<'c>(builder: &mut Builder<'c>, address: Value<'c>, step: u64) -> Value<'c> {
    let flip = int(builder, 32 * step as i64);
    builder.binary("arith.xori", address, flip)
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
        let words = MATRICES.map(|(row, next)| {
            let pair = [0, 1].map(|odd| register(row, column + next + odd));
            let pair = pack(builder, &pair, pair[0].r#type());
            builder.value("llvm.bitcast", &[pair], &[], word)
        });
        let address = at_step(builder, address, step);
        let mut inputs = vec![address];
        inputs.extend(words);
        let text = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};";
        inline_asm(builder, text, "r,r,r,r,r,~{memory}", &inputs, &[], true);
    }
}

/// A box of 16-bit elements from panels: `ldmatrix` of 16 columns at a time.
fn read_matrices<'c>(
    builder: &mut Builder<'c>,
    address: Value<'c>,
    element: Type<'c>,
    set: &mut impl FnMut(u64, u64, Value<'c>),
) {
    let word = builder.int_type(32);
    for step in 0..4 {
        let address = at_step(builder, address, step);
        let text = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, [$4];";
        let constraints = "=r,=r,=r,=r,r,~{memory}";
        let words = inline_asm(builder, text, constraints, &[address], &[word; 4], true);
        for ((row, next), value) in MATRICES.into_iter().zip(words) {
            let pair = Type::vector(&[2], element);
            let pair = builder.value("llvm.bitcast", &[value], &[], pair);
            for (odd, value) in (0..).zip(elements(builder, pair, 2, element)) {
                set(row, 16 * step + next + odd, value);
            }
        }
    }
}

/// A box of 32-bit elements from panels: two columns of a lane at a time.
fn read_pairs<'c>(
    builder: &mut Builder<'c>,
    address: Value<'c>,
    element: Type<'c>,
    set: &mut impl FnMut(u64, u64, Value<'c>),
) {
    let word = builder.int_type(32);
    for step in 0..4 {
        let address = at_step(builder, address, step);
        for row in [0, 8] {
            let at = row * BOX_ROW_BYTES;
            let text = format!("ld.shared.v2.b32 {{$0, $1}}, [$2+{at}];");
            let constraints = "=r,=r,r,~{memory}";
            let words = inline_asm(builder, &text, constraints, &[address], &[word; 2], true);
            for (odd, value) in (0..).zip(words) {
                let value = match element == word {
                    true => value,
                    false => builder.value("llvm.bitcast", &[value], &[], element),
                };
                set(row, 8 * step + odd, value);
            }
        }
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
        let address = at_step(builder, address, step);
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
