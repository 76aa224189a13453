//! Rows that begin anywhere, copied to shared memory in chunks of 16 bytes.
//!
//! A piece lies in shared memory as it lies in global memory, at a multiple of 16 bytes: what is whole is copied without
//! registers (PTX ISA, "cp.async"). The first and the last piece, of which other rows have a part, are copied element by
//! element: the first threads load one each, and store it when the copies are waited for.

use melior::ir::ValueLike;

use super::ToLlvm;
use super::global::Words;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{RowCopy, RowEdge, RowRead, RowStore, RowWrite};
use crate::dialect::predicates;
use crate::encoding::buffer_layout;
use crate::ir::{Value, int_attribute};
use crate::layout::copy::SLOT_BYTES;
use crate::layout::{Layout, SharedLayout};

/// Where a row lies, in bytes from the multiple of 16 before its beginning.
struct Place<'c> {
    /// The address of that multiple, `i64`.
    start: Value<'c>,
    /// Where the row begins, 0 to 15, and ends, `i32`.
    phase: Value<'c>,
    end: Value<'c>,
}

/// 16 bytes that a thread moves.
struct Piece<'c> {
    /// Where it lies in both memories: from these addresses, `i32` and `i64`, so many bytes on.
    at: i64,
    shared: Value<'c>,
    global: Value<'c>,
    /// Whether all of it is the row's, and whether it comes after the row.
    is_whole: Value<'c>,
    is_behind: Value<'c>,
}

/// An element of a piece that is not whole.
struct Edge<'c> {
    /// Where it lies: in the buffer, `i32`, and in global memory, `i64`.
    at: Value<'c>,
    global: Value<'c>,
    /// Whether there is such a piece, and whether the element is the row's.
    exists: Value<'c>,
    is_row: Value<'c>,
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn row_copy(&mut self, to: &mut Rebuilder<'c>, copy: RowCopy<'c>) {
        let (element, shared) = buffer_layout(self.cx.context, copy.buffer());
        let bytes = crate::element_bytes(element) as i64;
        let [pointer, count, other] =
            [copy.pointer(), copy.count(), copy.other()].map(|value| to.one(value));
        let builder = &mut to.builder;
        let row = self.row(builder, pointer, count, bytes);
        let filling = filling(builder, other, bytes);
        let is_cached = int_attribute(copy.0, "cached").is_some();
        let cache = if is_cached { "ca" } else { "cg" };
        let pieces = self.pieces(builder, &row, copy.buffer(), &shared);
        for piece in &pieces {
            let at = piece.at;
            let text =
                format!("@$2 cp.async.{cache}.shared.global [$0+{at}], [$1+{at}], {SLOT_BYTES};");
            let inputs = [piece.shared, piece.global, piece.is_whole];
            inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
            let text = format!("@$2 st.shared.v4.b32 [$0+{at}], {{$1, $1, $1, $1}};");
            let inputs = [piece.shared, filling, piece.is_behind];
            inline_asm(builder, &text, "r,r,b,~{memory}", &inputs, &[], true);
        }
        let edge = self.edge(builder, &row, bytes);
        let bits = bytes * 8;
        let word = builder.int_type(bits as u32);
        let other = bits_of(builder, other, bits as u32);
        let letter = Words::of(1, bytes as u64).letter();
        let text = format!("@$2 ld.global.b{bits} $0, [$1];");
        let constraints = format!("={letter},l,b,0");
        let inputs = [edge.global, edge.is_row, other];
        let value = inline_asm(builder, &text, &constraints, &inputs, &[word], true)[0];
        to.bind(copy.result(), vec![value, edge.at, edge.exists]);
    }

    /// A row of `count` elements at a pointer.
    fn row(
        &self,
        builder: &mut Builder<'c>,
        pointer: Value<'c>,
        count: Value<'c>,
        bytes: i64,
    ) -> Place<'c> {
        let (start, phase) = start(builder, pointer);
        let width = int(builder, bytes);
        let length = builder.multiply(count, width);
        let end = builder.add(phase, length);
        Place { start, phase, end }
    }

    /// The pieces of a row that a thread moves: every so many.
    fn pieces(
        &self,
        builder: &mut Builder<'c>,
        row: &Place<'c>,
        buffer: Value<'c>,
        layout: &SharedLayout,
    ) -> Vec<Piece<'c>> {
        let slot = SLOT_BYTES as i64;
        let threads = 32 * i64::from(self.warps);
        let count = layout.size_bytes() as i64 / slot;
        let thread = self.thread(builder);
        let [size, zero, offset] =
            [slot, 0, self.buffer_offset(buffer)].map(|value| int(builder, value));
        let own = builder.multiply(thread, size);
        let shared = self.address_word(builder, offset);
        let shared = builder.add(shared, own);
        let wide = builder.int_cast(own, 64, false);
        let global = builder.add(row.start, wide);
        let rounds = (count as u64).div_ceil(threads as u64) as i64;
        let piece = |number: i64| {
            let at = number * threads * slot;
            let begin = int(builder, at);
            let begin = builder.add(own, begin);
            let after = builder.add(begin, size);
            let mut is_whole = builder.compare_int(predicates::ULE, after, row.end);
            let mut is_behind = builder.compare_int(predicates::UGE, begin, row.end);
            if number == 0 {
                let begins = builder.compare_int(predicates::UGE, begin, row.phase);
                is_whole = builder.and(is_whole, begins);
                // The first piece is an edge where it is not whole.
                let is_later = builder.compare_int(predicates::NE, thread, zero);
                is_behind = builder.and(is_behind, is_later);
            }
            if (number + 1) * threads > count {
                let limit = int(builder, count * slot);
                let exists = builder.compare_int(predicates::ULT, begin, limit);
                is_behind = builder.and(is_behind, exists);
            }
            Piece {
                at,
                shared,
                global,
                is_whole,
                is_behind,
            }
        };
        (0..rounds).map(piece).collect()
    }

    /// Where an element lies in shared memory, but for the buffer's place.
    fn address_of(
        &self,
        builder: &mut Builder<'c>,
        number: Value<'c>,
        bytes: i64,
        phase: Value<'c>,
    ) -> Value<'c> {
        let width = int(builder, bytes);
        let moved = builder.multiply(number, width);
        let moved = builder.add(moved, phase);
        self.address_word(builder, moved)
    }

    /// What a thread has of the first and last piece, where these are not whole.
    fn edge(&self, builder: &mut Builder<'c>, row: &Place<'c>, bytes: i64) -> Edge<'c> {
        let slot = SLOT_BYTES as i64;
        let each = slot / bytes;
        let thread = self.thread(builder);
        let [zero, size, width, count, both] =
            [0, slot, bytes, each, 2 * each].map(|value| int(builder, value));
        let is_first = builder.compare_int(predicates::ULT, thread, count);
        let is_thread = builder.compare_int(predicates::ULT, thread, both);
        let mask = int(builder, -slot);
        let last = builder.and(row.end, mask);
        let own = builder.multiply(thread, width);
        let before = builder.binary("arith.subi", own, size);
        let in_last = builder.add(last, before);
        let at = builder.select(is_first, own, in_last);
        // A first piece in which the row ends is the only edge.
        let is_moved = builder.compare_int(predicates::NE, row.phase, zero);
        let is_short = builder.compare_int(predicates::ULT, row.end, size);
        let has_first = builder.binary("arith.ori", is_moved, is_short);
        let is_whole = builder.compare_int(predicates::EQ, last, row.end);
        let truth = builder.constant_int(1, is_whole.r#type());
        let has_none = builder.binary("arith.ori", is_whole, is_short);
        let has_last = builder.binary("arith.xori", has_none, truth);
        let has_last = builder.and(has_last, is_thread);
        let exists = builder.select(is_first, has_first, has_last);
        let begins = builder.compare_int(predicates::UGE, at, row.phase);
        let is_before = builder.compare_int(predicates::ULT, at, row.end);
        let is_row = builder.and(begins, is_before);
        let wide = builder.int_cast(at, 64, false);
        Edge {
            at,
            global: builder.add(row.start, wide),
            exists,
            is_row: builder.and(is_row, exists),
        }
    }

    pub(super) fn row_edge(&mut self, to: &mut Rebuilder<'c>, edge: RowEdge<'c>) {
        let (element, _) = buffer_layout(self.cx.context, edge.buffer());
        let bytes = crate::element_bytes(element);
        let offset = self.buffer_offset(edge.buffer());
        let &[value, at, is_edge] = to.many(edge.edge()) else {
            return;
        };
        let builder = &mut to.builder;
        let start = self.address_word(builder, at);
        let letter = Words::of(1, bytes).letter();
        let text = format!("@$2 st.shared.b{} [$0+{offset}], $1;", bytes * 8);
        let constraints = format!("r,{letter},b,~{{memory}}");
        inline_asm(
            builder,
            &text,
            &constraints,
            &[start, value, is_edge],
            &[],
            true,
        );
    }

    pub(super) fn row_read(&mut self, to: &mut Rebuilder<'c>, read: RowRead<'c>) {
        let layout = self.encodings.layout(read.result());
        let (element, _) = buffer_layout(self.cx.context, read.buffer());
        let register = self.register_type(element);
        let bytes = crate::element_bytes(element) as i64;
        let pointer = to.one(read.pointer());
        let places = self.places(&mut to.builder, &layout, (read.buffer(), bytes), pointer);
        let bits = to.builder.int_type(bytes as u32 * 8);
        let letter = Words::of(1, bytes as u64).letter();
        let registers = self.per_register(&layout, |number| {
            let builder = &mut to.builder;
            let (start, at) = places[number];
            let text = format!("ld.shared.b{} $0, [$1+{at}];", bytes * 8);
            // What is volatile keeps its order: it is read before the next barrier, behind which others write.
            let constraints = format!("={letter},r");
            let value = inline_asm(builder, &text, &constraints, &[start], &[bits], true)[0];
            match register == bits {
                true => value,
                false => builder.value("llvm.bitcast", &[value], &[], register),
            }
        });
        to.bind(read.result(), registers);
    }

    /// Where the elements of a thread lie in the buffer of a row: a word and a constant for each register. What is no
    /// element is at the place of the last.
    fn places(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        (buffer, bytes): (Value<'c>, i64),
        pointer: Value<'c>,
    ) -> Vec<(Value<'c>, i64)> {
        let offset = self.buffer_offset(buffer);
        // What is volatile keeps its order: nothing is read before the copies have been waited for.
        let (_, phase) = start(builder, pointer);
        let text = "mov.b32 $0, $1;";
        let phase = inline_asm(builder, text, "=r,r", &[phase], &[phase.r#type()], true)[0];
        let adds = layout.is_thread_coordinate_disjoint();
        let first = self.coordinate(builder, layout, 0, 0);
        let first = self.address_of(builder, first, bytes, phase);
        let last = int(builder, layout.shape()[0] as i64 - 1);
        let place = |number: usize| {
            if adds && !layout.may_be_padding(number) {
                let at = layout.register_coordinates(number)[0] as i64 * bytes;
                return (first, offset + at);
            }
            let at = self.coordinate(builder, layout, 0, number);
            let at = builder.binary("arith.minui", at, last);
            (self.address_of(builder, at, bytes, phase), offset)
        };
        (0..layout.register_count()).map(place).collect()
    }

    pub(super) fn row_write(&mut self, to: &mut Rebuilder<'c>, write: RowWrite<'c>) {
        let layout = self.encodings.layout(write.value());
        let (element, _) = buffer_layout(self.cx.context, write.buffer());
        let bytes = crate::element_bytes(element) as i64;
        let pointer = to.one(write.pointer());
        let values = to.many(write.value()).to_vec();
        let builder = &mut to.builder;
        let places = self.places(builder, &layout, (write.buffer(), bytes), pointer);
        let letter = Words::of(1, bytes as u64).letter();
        for (number, (value, (start, at))) in values.into_iter().zip(places).enumerate() {
            let bits = bits_of(builder, value, bytes as u32 * 8);
            let mut inputs = vec![start, bits];
            let mut constraints = format!("r,{letter}");
            let mut text = format!("st.shared.b{} [$0+{at}], $1;", bytes * 8);
            if let Some(inside) = self.inside(builder, &layout, number) {
                text = format!("@$2 {text}");
                inputs.push(inside);
                constraints.push_str(",b");
            }
            constraints.push_str(",~{memory}");
            inline_asm(builder, &text, &constraints, &inputs, &[], true);
        }
    }

    pub(super) fn row_store(&mut self, to: &mut Rebuilder<'c>, store: RowStore<'c>) {
        let (element, shared) = buffer_layout(self.cx.context, store.buffer());
        let bytes = crate::element_bytes(element) as i64;
        let [pointer, count] = [store.pointer(), store.count()].map(|value| to.one(value));
        let offset = self.buffer_offset(store.buffer());
        let builder = &mut to.builder;
        let row = self.row(builder, pointer, count, bytes);
        for piece in self.pieces(builder, &row, store.buffer(), &shared) {
            let at = piece.at;
            let text = format!(
                "{{\n.reg .b32 a, b, c, d;\n\
                 @$2 ld.shared.v4.b32 {{a, b, c, d}}, [$0+{at}];\n\
                 @$2 st.global.v4.b32 [$1+{at}], {{a, b, c, d}};\n}}"
            );
            let inputs = [piece.shared, piece.global, piece.is_whole];
            inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
        }
        let edge = self.edge(builder, &row, bytes);
        let start = self.address_word(builder, edge.at);
        let bits = bytes * 8;
        let text = format!(
            "{{\n.reg .b{bits} a;\n@$2 ld.shared.b{bits} a, [$0+{offset}];\n\
             @$2 st.global.b{bits} [$1], a;\n}}"
        );
        let inputs = [start, edge.global, edge.is_row];
        inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
    }
}

/// A word full of a scalar.
fn filling<'c>(builder: &mut Builder<'c>, value: Value<'c>, bytes: i64) -> Value<'c> {
    let bits = bits_of(builder, value, bytes as u32 * 8);
    let mut word = builder.int_cast(bits, 32, false);
    if bytes == 2 {
        let half = int(builder, 16);
        let high = builder.binary("arith.shli", word, half);
        word = builder.binary("arith.ori", word, high);
    }
    word
}

fn bits_of<'c>(builder: &mut Builder<'c>, value: Value<'c>, bits: u32) -> Value<'c> {
    let word = builder.int_type(bits);
    match value.r#type() == word {
        true => value,
        false => builder.value("llvm.bitcast", &[value], &[], word),
    }
}

/// The multiple of 16 before a pointer, `i64`, and how many bytes lie between, `i32`.
fn start<'c>(builder: &mut Builder<'c>, pointer: Value<'c>) -> (Value<'c>, Value<'c>) {
    let wide = builder.int_type(64);
    let address = builder.value("llvm.ptrtoint", &[pointer], &[], wide);
    let low = builder.int_cast(address, 32, false);
    let mask = int(builder, SLOT_BYTES as i64 - 1);
    let phase = builder.and(low, mask);
    let before = builder.int_cast(phase, 64, false);
    (builder.binary("arith.subi", address, before), phase)
}
