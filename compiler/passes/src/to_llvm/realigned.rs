//! Rows that begin anywhere, in chunks of 16 bytes: copied as they lie in memory, then moved to where they are read.
//!
//! A piece is copied without registers (PTX ISA, "cp.async"); of the last one of a row only the bytes that are the row's are
//! read, the others become 0. In shared memory an aligned piece is shifted out of the two that it lies in: by words where
//! the row begins in another word, by bytes inside of a word (PTX ISA, "prmt").

use melior::ir::{Type, ValueLike};

use super::global::Words;
use super::threads::{elements, inline_asm, int, pack};
use super::{ToLlvm, storage};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Realign, RowsCopy, RowsRead, RowsStore, RowsWrite};
use crate::dialect::{kinds, predicates};
use crate::encoding::buffer_layout;
use crate::ir::{Value, int_attribute, key};
use crate::layout::copy::{SLOT_BYTES, pieces, runs_of_pieces};
use crate::layout::{Layout, SharedLayout};

/// A tile of a tensor as an operation has it.
struct Tile<'c> {
    origin: Value<'c>,
    starts: Vec<Value<'c>>,
    extents: Vec<Value<'c>>,
    kinds: Vec<i64>,
    columns: i64,
    /// Whether the first column may be less than 0.
    before: bool,
}

/// What is the same for all rows of a tile.
struct Rows<'c> {
    /// Bytes of an element.
    bytes: i64,
    /// The address of the first one, `i64`, and from row to row.
    origin: Value<'c>,
    pitch: Value<'c>,
    /// The first row in the tensor and its rows, `i32`.
    first: Value<'c>,
    size: Value<'c>,
    /// Whether any of it is the tensor's.
    exist: Value<'c>,
    /// Bytes of a row that are the tensor's: before this, `i32`.
    end: Value<'c>,
    /// And from this on, if rows may begin before the tensor.
    begin: Option<Value<'c>>,
}

/// A row of a tile.
struct Row<'c> {
    /// The multiple of 16 before it, `i64`, and how many bytes lie between.
    start: Value<'c>,
    phase: Value<'c>,
    /// In bytes from there: where what is the tensor's begins, where it may not begin at the row's beginning, and ends.
    begin: Option<Value<'c>>,
    end: Value<'c>,
}

impl<'c> Rows<'c> {
    fn of(to: &mut Rebuilder<'c>, of: Tile<'c>, bytes: i64) -> Option<Self> {
        let list = |values: Vec<Value<'c>>| values.into_iter().map(|value| to.one(value)).collect();
        let (starts, extents): (Vec<_>, Vec<_>) = (list(of.starts), list(of.extents));
        let origin = to.one(of.origin);
        let builder = &mut to.builder;
        let (pitch, sizes) = extents.split_last()?;
        let (mut rows, mut row_bytes) = (None, None);
        let mut exist: Option<Value<'c>> = None;
        let last = starts.len().checked_sub(1)?;
        for (axis, kind) in of.kinds.into_iter().enumerate() {
            let (start, size) = (starts[axis], sizes[axis]);
            if axis == last {
                row_bytes = Some((start, size));
            } else if kind == kinds::RANGE {
                rows = Some((start, builder.int_cast(size, 32, true)));
            } else {
                let size = builder.int_cast(size, 32, true);
                let is_inside = builder.compare_int(predicates::ULT, start, size);
                let exists = exist.map_or(is_inside, |other| builder.and(other, is_inside));
                exist = Some(exists);
            }
        }
        let ((first, size), (start, limit)) = (rows?, row_bytes?);
        let wide = builder.int_type(64);
        let [zero, most, width] =
            [0, of.columns, bytes].map(|number| builder.constant_int(number, wide));
        let start = builder.int_cast(start, 64, true);
        let inside = |builder: &mut Builder<'c>, count: Value<'c>| {
            let count = builder.binary("arith.maxsi", count, zero);
            let count = builder.binary("arith.minsi", count, most);
            let count = builder.multiply(count, width);
            builder.int_cast(count, 32, true)
        };
        let left = builder.binary("arith.subi", limit, start);
        let end = inside(builder, left);
        // Behind the end of a row no address is valid, nor is the multiple of 16 before it.
        let none = int(builder, 0);
        let is_any = builder.compare_int(predicates::SGT, end, none);
        let exist = exist.map_or(is_any, |other| builder.and(other, is_any));
        let begin = of.before.then(|| {
            let missing = builder.binary("arith.subi", zero, start);
            inside(builder, missing)
        });
        let origin = builder.value("llvm.ptrtoint", &[origin], &[], wide);
        let pitch = builder.multiply(*pitch, width);
        Some(Self {
            bytes,
            origin,
            pitch,
            first,
            size,
            exist,
            end,
            begin,
        })
    }

    /// Every so many rows from a first one on, with the number of each.
    fn every(
        &self,
        builder: &mut Builder<'c>,
        first: Value<'c>,
        step: i64,
        count: i64,
    ) -> Vec<(Value<'c>, Row<'c>)> {
        let first = again(builder, first);
        let wide = builder.int_cast(first, 64, false);
        let offset = builder.multiply(wide, self.pitch);
        let mut address = builder.add(self.origin, offset);
        let distance = builder.constant_int(step, address.r#type());
        let distance = builder.multiply(self.pitch, distance);
        (0..count)
            .map(|index| {
                if index > 0 {
                    address = builder.add(address, distance);
                }
                let moved = int(builder, index * step);
                let number = builder.add(first, moved);
                (number, self.row(builder, number, address))
            })
            .collect()
    }

    /// The row of this number at this address.
    fn row(&self, builder: &mut Builder<'c>, number: Value<'c>, address: Value<'c>) -> Row<'c> {
        let low = builder.int_cast(address, 32, false);
        let mask = int(builder, SLOT_BYTES as i64 - 1);
        let phase = builder.and(low, mask);
        let before = builder.int_cast(phase, 64, false);
        let start = builder.binary("arith.subi", address, before);
        let row = builder.add(self.first, number);
        let exists = builder.compare_int(predicates::ULT, row, self.size);
        let exists = builder.and(exists, self.exist);
        let zero = int(builder, 0);
        let end = builder.add(phase, self.end);
        let begin = self.begin.map(|begin| {
            let moved = builder.add(phase, begin);
            let none = builder.compare_int(predicates::EQ, begin, zero);
            builder.select(none, zero, moved)
        });
        Row {
            start,
            phase,
            begin,
            end: builder.select(exists, end, zero),
        }
    }
}

impl<'c> Rows<'c> {
    /// Where what is the tensor's begins in a row.
    fn begin_of(&self, builder: &mut Builder<'c>, row: &Row<'c>) -> Value<'c> {
        match self.begin {
            Some(begin) => builder.add(row.phase, begin),
            None => row.phase,
        }
    }
}

impl<'c> Row<'c> {
    /// How many bytes of the piece at `offset` are copied, and whether the piece is one that begins before the tensor's
    /// part of the row and ends in it, where that may be.
    fn piece(
        &self,
        builder: &mut Builder<'c>,
        offset: Value<'c>,
    ) -> (Value<'c>, Option<Value<'c>>) {
        let [zero, most] = [0, SLOT_BYTES as i64].map(|number| int(builder, number));
        let left = builder.binary("arith.subi", self.end, offset);
        let left = builder.binary("arith.maxsi", left, zero);
        let size = builder.binary("arith.minsi", left, most);
        let Some(begin) = self.begin else {
            return (size, None);
        };
        let is_before = builder.compare_int(predicates::SLT, offset, begin);
        let after = builder.add(offset, most);
        let ends_inside = builder.compare_int(predicates::SGT, after, begin);
        let is_cut = builder.and(is_before, ends_inside);
        (builder.select(is_before, zero, size), Some(is_cut))
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn rows_copy(&mut self, to: &mut Rebuilder<'c>, copy: RowsCopy<'c>) {
        let (element, raw) = buffer_layout(self.cx.context, copy.buffer());
        let bytes = crate::element_bytes(storage(&to.builder, element)) as i64;
        let &[rows, columns] = copy.shape().as_slice() else {
            return;
        };
        let tile = Tile {
            origin: copy.origin(),
            starts: copy.starts(),
            extents: copy.extents(),
            kinds: copy.kinds(),
            columns,
            before: copy.before() != 0,
        };
        let Some(of) = Rows::of(to, tile, bytes) else {
            return;
        };
        let exists = to.one(copy.condition());
        let builder = &mut to.builder;
        let share = self.share(builder, copy.buffer(), &raw, [rows, columns * bytes]);
        let (at, place) = (share.at, share.place);
        for (row, constant, is_used) in share.rows(builder, &of, rows) {
            let condition = builder.and(exists, is_used);
            let cut = start_piece(builder, &row, (at, constant), place, condition);
            if let Some(cut) = cut {
                copy_cut_piece(builder, &row, &of, (at, constant), place, cut);
            }
        }
    }

    /// Which pieces of which rows a thread moves between global memory and a buffer.
    fn share(
        &self,
        builder: &mut Builder<'c>,
        buffer: Value<'c>,
        raw: &SharedLayout,
        [rows, row_bytes]: [i64; 2],
    ) -> Share<'c> {
        let each = pieces(row_bytes as u64) as i64;
        let together = (32 * i64::from(self.warps) / each).min(rows);
        let thread = self.thread(builder);
        let thread = again(builder, thread);
        let [each_word, limit, slot] =
            [each, together, SLOT_BYTES as i64].map(|number| int(builder, number));
        let first = builder.binary("arith.divui", thread, each_word);
        let piece = builder.binary("arith.remui", thread, each_word);
        let place = builder.multiply(piece, slot);
        let is_used = builder.compare_int(predicates::ULT, first, limit);
        let row = self.place_of_row(builder, buffer, raw, first);
        Share {
            first,
            place,
            at: builder.add(row, place),
            is_used,
            together,
            pitch: (raw.row_pitch() * raw.element_bytes()) as i64,
            offset: self.buffer_offset(buffer),
        }
    }

    /// Where a row begins in this iteration's buffer, but for the buffer's place.
    fn place_of_row(
        &self,
        builder: &mut Builder<'c>,
        buffer: Value<'c>,
        raw: &SharedLayout,
        number: Value<'c>,
    ) -> Value<'c> {
        let pitch = int(builder, (raw.row_pitch() * raw.element_bytes()) as i64);
        let mut at = builder.multiply(number, pitch);
        if let Some(stage) = self.stages.get(&key(buffer)) {
            at = builder.add(at, *stage);
        }
        self.address_word(builder, at)
    }

    pub(super) fn rows_write(&mut self, to: &mut Rebuilder<'c>, write: RowsWrite<'c>) {
        let layout = self.encodings.layout(write.value());
        let (element, raw) = buffer_layout(self.cx.context, write.buffer());
        let values = to.many(write.value()).to_vec();
        let (origin, pitch) = (to.one(write.origin()), to.one(write.pitch()));
        let register = self.register_type(element);
        let stored = self.memory_type(&to.builder, register);
        let bytes = crate::element_bytes(stored) as i64;
        let offset = self.buffer_offset(write.buffer());
        let builder = &mut to.builder;
        let first = [0, 1].map(|axis| self.coordinate(builder, &layout, axis, 0));
        let elements = Elements::of(builder, (origin, pitch), &raw, (offset, first));
        let vector = (write.vector() as u64).min(layout.contiguous(1)) as usize;
        for registers in (0..values.len()).collect::<Vec<_>>().chunks(vector) {
            let address = self.element(builder, &elements, &layout, registers[0]);
            let list: Vec<_> = registers
                .iter()
                .map(|register| self.stored_value(builder, values[*register], stored))
                .collect();
            let value = match list.as_slice() {
                [single] => *single,
                _ => pack(builder, &list, stored),
            };
            let alignment = builder.int(list.len() as i64 * bytes);
            let attributes = [("alignment", alignment)];
            builder.insert("llvm.store", &[value, address], &attributes, &[]);
        }
    }

    pub(super) fn rows_read(&mut self, to: &mut Rebuilder<'c>, read: RowsRead<'c>) {
        let layout = self.encodings.layout(read.result());
        let (element, raw) = buffer_layout(self.cx.context, read.buffer());
        let (origin, pitch) = (to.one(read.origin()), to.one(read.pitch()));
        let register = self.register_type(element);
        let stored = self.memory_type(&to.builder, register);
        let bytes = crate::element_bytes(stored) as i64;
        let offset = self.buffer_offset(read.buffer());
        let builder = &mut to.builder;
        let first = [0, 1].map(|axis| self.coordinate(builder, &layout, axis, 0));
        let elements = Elements::of(builder, (origin, pitch), &raw, (offset, first));
        let registers = self.per_register(&layout, |number| {
            let builder = &mut to.builder;
            let address = self.element(builder, &elements, &layout, number);
            let alignment = [("alignment", builder.int(bytes))];
            let load = builder.insert("llvm.load", &[address], &alignment, &[stored]);
            self.loaded_value(builder, crate::ir::result(load, 0), register)
        });
        to.bind(read.result(), registers);
    }

    /// The address of a register's element in a buffer of rows as they lie in memory. What is padding is at the place of
    /// the last.
    fn element(
        &self,
        builder: &mut Builder<'c>,
        of: &Elements<'c>,
        layout: &Layout,
        register: usize,
    ) -> Value<'c> {
        let low = int(builder, SLOT_BYTES as i64 - 1);
        let [width, pitch] = [of.bytes, of.pitch].map(|number| int(builder, number));
        let phase_of = |builder: &mut Builder<'c>, row: Value<'c>| {
            let phase = of.phases.of_row(builder, row);
            builder.and(phase, low)
        };
        // Where coordinates of threads and registers are added, what is a register's is a constant.
        if layout.is_thread_coordinate_disjoint() && !layout.may_be_padding(register) {
            let own = layout.register_coordinates(register);
            let [down, along] = [own[0] as i64, own[1] as i64];
            let distance = int(builder, down);
            let row = builder.add(of.first[0], distance);
            let phase = phase_of(builder, row);
            let row = builder.multiply(of.first[0], pitch);
            let place = builder.multiply(of.first[1], width);
            let at = builder.add(row, place);
            let at = builder.add(at, phase);
            let constant = of.offset + down * of.pitch + along * of.bytes;
            return self.shared_address(builder, at, constant);
        }
        let place = |builder: &mut Builder<'c>, axis: usize| {
            let number = self.coordinate(builder, layout, axis, register);
            let last = int(builder, layout.shape()[axis] as i64 - 1);
            builder.binary("arith.minui", number, last)
        };
        let (row, column) = (place(builder, 0), place(builder, 1));
        let phase = phase_of(builder, row);
        let place = builder.multiply(column, width);
        let row = builder.multiply(row, pitch);
        let at = builder.add(row, phase);
        let at = builder.add(at, place);
        self.shared_address(builder, at, of.offset)
    }

    pub(super) fn rows_store(&mut self, to: &mut Rebuilder<'c>, store: RowsStore<'c>) {
        let (element, raw) = buffer_layout(self.cx.context, store.buffer());
        let bytes = crate::element_bytes(storage(&to.builder, element)) as i64;
        let &[rows, columns] = store.shape().as_slice() else {
            return;
        };
        let tile = Tile {
            origin: store.origin(),
            starts: store.starts(),
            extents: store.extents(),
            kinds: store.kinds(),
            columns,
            before: true,
        };
        let Some(of) = Rows::of(to, tile, bytes) else {
            return;
        };
        let builder = &mut to.builder;
        let slot = SLOT_BYTES as i64;
        let share = self.share(builder, store.buffer(), &raw, [rows, columns * bytes]);
        let after = int(builder, slot);
        let after = builder.add(share.place, after);
        for (row, constant, is_used) in share.rows(builder, &of, rows) {
            let begin = of.begin_of(builder, &row);
            let begins = builder.compare_int(predicates::SGE, share.place, begin);
            let ends = builder.compare_int(predicates::SLE, after, row.end);
            let is_whole = builder.and(begins, ends);
            let is_whole = builder.and(is_whole, is_used);
            let wide = builder.int_cast(share.place, 64, false);
            let address = builder.add(row.start, wide);
            let text = format!(
                "{{ .reg .b32 word<4>; @$2 ld.shared.v4.b32 {{word0, word1, word2, word3}}, [$0+{constant}]; @$2 \
                 st.global.v4.b32 [$1], {{word0, word1, word2, word3}}; }}"
            );
            let inputs = [share.at, address, is_whole];
            inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
        }
        self.row_ends(builder, &of, store.buffer(), &raw, rows);
    }

    /// Stores what rows have of pieces that are not theirs alone: the first and the last one, element by element.
    fn row_ends(
        &self,
        builder: &mut Builder<'c>,
        of: &Rows<'c>,
        buffer: Value<'c>,
        raw: &SharedLayout,
        rows: i64,
    ) {
        let slot = SLOT_BYTES as i64;
        let (bytes, each) = (of.bytes, slot / of.bytes);
        let together = (32 * i64::from(self.warps) / (2 * each)).min(rows);
        let thread = self.thread(builder);
        let thread = again(builder, thread);
        let [both, half, width, limit, all] =
            [2 * each, each, bytes, together, rows].map(|number| int(builder, number));
        let [slot, mask] = [slot, -slot].map(|number| int(builder, number));
        let first = builder.binary("arith.divui", thread, both);
        let element = builder.binary("arith.remui", thread, both);
        let is_first = builder.compare_int(predicates::ULT, element, half);
        let element = builder.binary("arith.remui", element, half);
        let inside = builder.multiply(element, width);
        let is_used = builder.compare_int(predicates::ULT, first, limit);
        let offset = self.buffer_offset(buffer);
        let count = rows.unsigned_abs().div_ceil(together.unsigned_abs()) as i64;
        for (number, row) in of.every(builder, first, together, count) {
            let begin = of.begin_of(builder, &row);
            let (first, last) = (builder.and(begin, mask), builder.and(row.end, mask));
            let piece = builder.select(is_first, first, last);
            let place = builder.add(piece, inside);
            // A first piece that is whole is no end, and a last one that is the first is one of the two.
            let is_cut = builder.compare_int(predicates::NE, begin, first);
            let after = builder.add(first, slot);
            let is_short = builder.compare_int(predicates::SLT, row.end, after);
            let is_end = builder.binary("arith.ori", is_cut, is_short);
            let is_other = builder.compare_int(predicates::NE, first, last);
            let exists = builder.select(is_first, is_end, is_other);
            let begins = builder.compare_int(predicates::SGE, place, begin);
            let ends = builder.compare_int(predicates::SLT, place, row.end);
            let is_row = builder.compare_int(predicates::ULT, number, all);
            let mut condition = builder.and(exists, begins);
            for other in [ends, is_row, is_used] {
                condition = builder.and(condition, other);
            }
            let at = self.place_of_row(builder, buffer, raw, number);
            let at = builder.add(at, place);
            let wide = builder.int_cast(place, 64, false);
            let address = builder.add(row.start, wide);
            let bits = bytes * 8;
            let register = if bits == 32 { 32 } else { 16 };
            let text = format!(
                "{{ .reg .b{register} element; @$2 ld.shared.b{bits} element, [$0+{offset}]; @$2 st.global.b{bits} [$1], element; }}"
            );
            let inputs = [at, address, condition];
            inline_asm(builder, &text, "r,l,b,~{memory}", &inputs, &[], true);
        }
    }

    pub(super) fn realign(&mut self, to: &mut Rebuilder<'c>, realign: Realign<'c>) {
        let (element, raw) = buffer_layout(self.cx.context, realign.from());
        let (_, aligned) = buffer_layout(self.cx.context, realign.to());
        let aligned = match int_attribute(realign.0, "transposed") {
            Some(_) => aligned.transposed(),
            None => aligned,
        };
        let bytes = crate::element_bytes(storage(&to.builder, element)) as i64;
        let &[rows, columns] = realign.shape().as_slice() else {
            return;
        };
        let layout = runs_of_pieces([rows as u64, columns as u64], bytes as u64, self.warps);
        let (Some(from), Some(into)) = (raw.access(&layout), aligned.access(&layout)) else {
            return;
        };
        let (origin, pitch) = (to.one(realign.origin()), to.one(realign.pitch()));
        let builder = &mut to.builder;
        let phases = Phases::of(builder, origin, pitch, bytes);
        let from_terms = self.buffer_terms(builder, &from, realign.from());
        let mut into_terms = self.buffer_terms(builder, &into, realign.to());
        into_terms.0 = again(builder, into_terms.0);
        let from_offset = self.buffer_offset(realign.from());
        let into_offset = self.buffer_offset(realign.to());
        let owner = self.owner(builder, &layout);
        let run = layout.contiguous(1) as usize * bytes as usize / SLOT_BYTES as usize;
        let word = builder.int_type(32);
        let four = Type::vector(&[4], word);
        let alignment = [("alignment", builder.int(SLOT_BYTES as i64))];
        let moves = |builder: &mut Builder<'c>| {
            let groups: Vec<_> = from.groups.iter().zip(&into.groups).collect();
            for groups in groups.chunks(run) {
                let first = groups[0].0.registers[0];
                let number = self.coordinate(builder, &layout, 0, first);
                let phase = phases.of_row(builder, number);
                let mut words = Vec::new();
                for piece in 0..=run {
                    // The piece after the last one follows it.
                    let (source, _) = groups[piece.min(run - 1)];
                    let more = if piece == run { SLOT_BYTES as i64 } else { 0 };
                    let offset = from_offset + more;
                    let address = self.group_address(builder, from_terms, source, offset);
                    let load = builder.insert("llvm.load", &[address], &alignment, &[four]);
                    let value = crate::ir::result(load, 0);
                    words.extend(elements(builder, value, 4, word));
                }
                let words = shifted(builder, words, phase);
                for (words, (_, target)) in words.chunks(4).zip(groups) {
                    let value = pack(builder, words, word);
                    let address = self.group_address(builder, into_terms, target, into_offset);
                    builder.insert("llvm.store", &[value, address], &alignment, &[]);
                }
            }
        };
        match owner {
            None => moves(builder),
            Some(owner) => {
                let (then, ()) = builder.region(&[], |builder, _| {
                    moves(builder);
                    builder.insert("scf.yield", &[], &[], &[]);
                });
                let otherwise = melior::ir::Region::new();
                builder.insert_with_regions("scf.if", &[owner], &[], &[], vec![then, otherwise]);
            }
        }
    }
}

/// The pieces of rows that a thread moves: one of every so many rows.
struct Share<'c> {
    /// The first row, where the piece lies in it, in bytes, and where in the buffer, but for the buffer's place.
    first: Value<'c>,
    place: Value<'c>,
    at: Value<'c>,
    /// Whether the thread moves any.
    is_used: Value<'c>,
    /// Rows that all threads move together, bytes from one to the next, and the place of the buffer.
    together: i64,
    pitch: i64,
    offset: i64,
}

impl<'c> Share<'c> {
    /// The thread's rows, what is added to where the piece of the first one lies, and whether the row is one.
    fn rows(
        &self,
        builder: &mut Builder<'c>,
        of: &Rows<'c>,
        rows: i64,
    ) -> Vec<(Row<'c>, i64, Value<'c>)> {
        let count = rows.unsigned_abs().div_ceil(self.together.unsigned_abs()) as i64;
        let all = of.every(builder, self.first, self.together, count);
        let begins = (0..rows).step_by(self.together as usize);
        all.into_iter()
            .zip(begins)
            .map(|((number, row), begin)| {
                let mut is_used = self.is_used;
                if begin + self.together > rows {
                    let all = int(builder, rows);
                    let is_row = builder.compare_int(predicates::ULT, number, all);
                    is_used = builder.and(is_used, is_row);
                }
                (row, self.offset + begin * self.pitch, is_used)
            })
            .collect()
    }
}

/// The elements of a buffer of rows as they lie in memory.
struct Elements<'c> {
    phases: Phases<'c>,
    /// Bytes of an element, and from row to row, and the place of the buffer.
    bytes: i64,
    pitch: i64,
    offset: i64,
    /// The row and column of a thread's first register.
    first: [Value<'c>; 2],
}

impl<'c> Elements<'c> {
    fn of(
        builder: &mut Builder<'c>,
        (origin, pitch): (Value<'c>, Value<'c>),
        raw: &SharedLayout,
        (offset, first): (i64, [Value<'c>; 2]),
    ) -> Self {
        let bytes = raw.element_bytes() as i64;
        Self {
            first: first.map(|value| again(builder, value)),
            phases: Phases::of(builder, origin, pitch, bytes),
            bytes,
            pitch: raw.row_pitch() as i64 * bytes,
            offset,
        }
    }
}

/// How many bytes behind a multiple of 16 rows begin: modulo 16, `i32`.
struct Phases<'c> {
    origin: Value<'c>,
    pitch: Value<'c>,
}

impl<'c> Phases<'c> {
    /// Of rows from a pointer on, as many elements apart.
    fn of(builder: &mut Builder<'c>, origin: Value<'c>, pitch: Value<'c>, bytes: i64) -> Self {
        let wide = builder.int_type(64);
        let origin = builder.value("llvm.ptrtoint", &[origin], &[], wide);
        let [origin, pitch] = [origin, pitch].map(|value| builder.int_cast(value, 32, false));
        let width = int(builder, bytes);
        let pitch = builder.multiply(pitch, width);
        let pitch = again(builder, pitch);
        Self { origin, pitch }
    }

    fn of_row(&self, builder: &mut Builder<'c>, number: Value<'c>) -> Value<'c> {
        let distance = builder.multiply(number, self.pitch);
        builder.add(self.origin, distance)
    }
}

/// The same value, and what is computed from it anew in each iteration: registers are worth more than the few instructions.
fn again<'c>(builder: &mut Builder<'c>, value: Value<'c>) -> Value<'c> {
    let text = "mov.b32 $0, $1;";
    inline_asm(builder, text, "=r,r", &[value], &[value.r#type()], true)[0]
}

/// Starts the copy of a row's piece at `place`, in bytes, to shared memory, where the condition holds. Gives where it is
/// one to be copied element by element, if there may be such.
fn start_piece<'c>(
    builder: &mut Builder<'c>,
    row: &Row<'c>,
    (at, constant): (Value<'c>, i64),
    place: Value<'c>,
    condition: Value<'c>,
) -> Option<Value<'c>> {
    let (size, is_cut) = row.piece(builder, place);
    let wide = builder.int_cast(place, 64, false);
    let address = builder.add(row.start, wide);
    let mut is_started = condition;
    if let Some(is_cut) = is_cut {
        let truth = builder.constant_int(1, is_cut.r#type());
        let is_whole = builder.binary("arith.xori", is_cut, truth);
        is_started = builder.and(condition, is_whole);
    }
    let text = format!("@$3 cp.async.cg.shared.global [$0+{constant}], [$1], {SLOT_BYTES}, $2;");
    let inputs = [at, address, size, is_started];
    inline_asm(builder, &text, "r,l,r,b,~{memory}", &inputs, &[], true);
    is_cut.map(|is_cut| builder.and(condition, is_cut))
}

/// Copies the piece in which the tensor's part of a row begins, if `is_cut`, element by element: what lies before may be
/// nobody's.
fn copy_cut_piece<'c>(
    builder: &mut Builder<'c>,
    row: &Row<'c>,
    of: &Rows<'c>,
    (at, constant): (Value<'c>, i64),
    place: Value<'c>,
    is_cut: Value<'c>,
) {
    let Some(begin) = row.begin else {
        return;
    };
    let (then, ()) = builder.region(&[], |builder, _| {
        let wide = builder.int_cast(place, 64, false);
        let start = builder.add(row.start, wide);
        let bits = of.bytes * 8;
        let letter = Words::of(1, of.bytes as u64).letter();
        let word = builder.int_type(bits as u32);
        for byte in (0..SLOT_BYTES as i64).step_by(of.bytes as usize) {
            let distance = int(builder, byte);
            let place = builder.add(place, distance);
            let is_behind = builder.compare_int(predicates::SGE, place, begin);
            let is_before = builder.compare_int(predicates::SLT, place, row.end);
            let is_inside = builder.and(is_behind, is_before);
            let none = builder.constant_int(0, word);
            let text = format!("@$2 ld.global.b{bits} $0, [$1+{byte}];");
            let constraints = format!("={letter},l,b,0");
            let inputs = [start, is_inside, none];
            let value = inline_asm(builder, &text, &constraints, &inputs, &[word], true)[0];
            let text = format!("st.shared.b{bits} [$0+{}], $1;", constant + byte);
            let constraints = format!("r,{letter},~{{memory}}");
            inline_asm(builder, &text, &constraints, &[at, value], &[], true);
        }
        builder.insert("scf.yield", &[], &[], &[]);
    });
    let otherwise = melior::ir::Region::new();
    builder.insert_with_regions("scf.if", &[is_cut], &[], &[], vec![then, otherwise]);
}

/// The bytes that begin `phase` modulo 16 bytes into these words, four words less.
fn shifted<'c>(
    builder: &mut Builder<'c>,
    words: Vec<Value<'c>>,
    phase: Value<'c>,
) -> Vec<Value<'c>> {
    let mut words = words;
    let zero = int(builder, 0);
    // By two words, by one, then by bytes.
    for distance in [2, 1] {
        let bit = int(builder, 4 * distance as i64);
        let bit = builder.and(phase, bit);
        let moves = builder.compare_int(predicates::NE, bit, zero);
        words = (0..words.len() - distance)
            .map(|index| builder.select(moves, words[index + distance], words[index]))
            .collect();
    }
    let [mask, each, none] = [3, 0x1111, 0x3210].map(|number| int(builder, number));
    let byte = builder.and(phase, mask);
    let selector = builder.multiply(byte, each);
    let selector = builder.add(selector, none);
    let word = builder.int_type(32);
    words
        .windows(2)
        .map(|pair| {
            let inputs = [pair[0], pair[1], selector];
            let text = "prmt.b32 $0, $1, $2, $3;";
            inline_asm(builder, text, "=r,r,r,r", &inputs, &[word], false)[0]
        })
        .collect()
}
