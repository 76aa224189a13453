//! Tiles to and from shared memory, in vectors where the layouts agree.

use melior::ir::{Type, ValueLike};

use super::global::Words;
use super::threads::{elements, inline_asm, int, pack};
use super::{SHARED_SYMBOL, ToLlvm, storage};
use crate::build::{Builder, Rebuilder};
use crate::dialect::TileOp;
use crate::dialect::ops::{SharedFill, SharedGather, SharedLoad, SharedStore};
use crate::dialect::predicates;
use crate::encoding::{allocation, buffer_layout};
use crate::ffi::defining_operation;
use crate::ir::{Value, int_attribute, key};
use crate::layout::copy::own_slots;
use crate::layout::{Layout, SharedAccess, SharedGroup, SharedLayout, ThreadBit};

/// A tile that is written to shared memory.
struct Written<'c> {
    /// Of the thread's registers.
    values: Vec<Value<'c>>,
    buffer: Value<'c>,
    /// Where the buffer begins.
    offset: i64,
    access: SharedAccess,
    /// The type of an element in memory, and its bytes.
    stored: Type<'c>,
    bytes: u64,
}

/// What only threads do for which a condition holds.
fn only_if<'c>(
    builder: &mut Builder<'c>,
    condition: Value<'c>,
    act: impl FnOnce(&mut Builder<'c>),
) {
    let (then, ()) = builder.region(&[], |builder, _| {
        act(builder);
        builder.insert("scf.yield", &[], &[], &[]);
    });
    let regions = vec![then, melior::ir::Region::new()];
    builder.insert_with_regions("scf.if", &[condition], &[], &[], regions);
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// Where a buffer begins in shared memory, in bytes.
    pub(super) fn buffer_offset(&self, buffer: Value<'c>) -> i64 {
        match defining_operation(allocation(buffer)).and_then(TileOp::of) {
            Some(TileOp::SharedAlloc(alloc)) => alloc.offset(),
            _ => 0,
        }
    }

    /// The parts of a thread's addresses in a buffer: what XOR acts on, and what is added.
    pub(super) fn buffer_terms(
        &self,
        builder: &mut Builder<'c>,
        access: &SharedAccess,
        buffer: Value<'c>,
    ) -> (Value<'c>, Value<'c>) {
        let (xor, add) = self.thread_terms(builder, access);
        match self.stages.get(&key(buffer)) {
            Some(stage) => (xor, builder.add(add, *stage)),
            None => (xor, add),
        }
    }

    /// Where the program's shared memory begins.
    fn shared_base(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let pointer = builder.parse_type("!llvm.ptr<3>");
        let symbol = builder.parse_attribute(&format!("@{SHARED_SYMBOL}"));
        let attributes = [("global_name", symbol)];
        let base = builder.value("llvm.mlir.addressof", &[], &attributes, pointer);
        let Some(bytes) = self.bytes_in_block else {
            return base;
        };
        let own = builder.special_register("tid.y");
        let bytes = int(builder, bytes);
        let before = builder.multiply(own, bytes);
        let byte = builder.int_type(8);
        let dynamic = [
            ("elem_type", builder.type_attribute(byte)),
            ("rawConstantIndices", builder.ints32(&[i32::MIN])),
        ];
        builder.value("llvm.getelementptr", &[base, before], &dynamic, pointer)
    }

    /// The address `bytes` into shared memory as a number, `i32`.
    pub(super) fn address_word(&self, builder: &mut Builder<'c>, bytes: Value<'c>) -> Value<'c> {
        let base = self.shared_base(builder);
        let word = builder.int_type(32);
        let base = builder.value("llvm.ptrtoint", &[base], &[], word);
        builder.add(base, bytes)
    }

    /// The address `bytes` (an `i32` value plus a constant) into shared memory.
    pub(super) fn shared_address(
        &self,
        builder: &mut Builder<'c>,
        bytes: Value<'c>,
        constant: i64,
    ) -> Value<'c> {
        let base = self.shared_base(builder);
        let pointer = base.r#type();
        let byte = builder.int_type(8);
        let dynamic = [
            ("elem_type", builder.type_attribute(byte)),
            ("rawConstantIndices", builder.ints32(&[i32::MIN])),
        ];
        let moved = builder.value("llvm.getelementptr", &[base, bytes], &dynamic, pointer);
        if constant == 0 {
            return moved;
        }
        let fixed = [
            ("elem_type", builder.type_attribute(byte)),
            ("rawConstantIndices", builder.ints32(&[constant as i32])),
        ];
        builder.value("llvm.getelementptr", &[moved], &fixed, pointer)
    }

    /// The part of the addresses that XOR acts on and the part that is added, for this thread.
    pub(super) fn thread_terms(
        &self,
        builder: &mut Builder<'c>,
        access: &SharedAccess,
    ) -> (Value<'c>, Value<'c>) {
        let warp_bits = self.warps.next_power_of_two().trailing_zeros() as usize;
        let mut lanes = [vec![0u32; 5], vec![0u32; 5]];
        let mut warps = [vec![0u32; warp_bits], vec![0u32; warp_bits]];
        for term in &access.thread {
            for (part, value) in [term.xor, term.add].into_iter().enumerate() {
                match term.bit {
                    ThreadBit::Lane(bit) => lanes[part][bit as usize] = value as u32,
                    ThreadBit::Warp(bit) => warps[part][bit as usize] = value as u32,
                }
            }
        }
        let xor = self.linear(builder, &lanes[0], &warps[0]);
        // A sum: the terms of different bits may share bits of the address.
        let mut sum = int(builder, 0);
        let lane = self.lane(builder);
        let warp = self.warp(builder);
        for (source, terms) in [(lane, &lanes[1]), (warp, &warps[1])] {
            for (bit, value) in terms.iter().enumerate().filter(|(_, value)| **value != 0) {
                let shift = int(builder, bit as i64);
                let one = int(builder, 1);
                let field = builder.binary("arith.shrui", source, shift);
                let field = builder.and(field, one);
                let value = int(builder, i64::from(*value));
                let term = builder.multiply(field, value);
                sum = builder.add(sum, term);
            }
        }
        (xor, sum)
    }

    /// The address of a group of registers.
    pub(super) fn group_address(
        &self,
        builder: &mut Builder<'c>,
        terms: (Value<'c>, Value<'c>),
        group: &SharedGroup,
        offset: i64,
    ) -> Value<'c> {
        let mut bytes = terms.0;
        if group.xor != 0 {
            let flip = int(builder, group.xor as i64);
            bytes = builder.binary("arith.xori", bytes, flip);
        }
        let bytes = builder.add(bytes, terms.1);
        self.shared_address(builder, bytes, offset + group.add as i64)
    }

    pub(super) fn shared_store(&mut self, to: &mut Rebuilder<'c>, store: SharedStore<'c>) {
        self.write_tile(
            to,
            store.value(),
            store.buffer(),
            |this, builder, written| {
                let terms = this.buffer_terms(builder, &written.access, written.buffer);
                for group in &written.access.groups {
                    this.write_group(builder, written, terms, group);
                }
            },
        );
    }

    pub(super) fn shared_fill(&mut self, to: &mut Rebuilder<'c>, fill: SharedFill<'c>) {
        let masks = to.many(fill.mask()).to_vec();
        let holds = fill.holds() == 1;
        self.write_tile(to, fill.value(), fill.buffer(), |this, builder, written| {
            let terms = this.buffer_terms(builder, &written.access, written.buffer);
            for group in &written.access.groups {
                // A mask of whole rows is one value for all that lies side by side.
                let is_one = |register: &usize| masks[*register] == masks[group.registers[0]];
                let parts = match group.registers.iter().all(is_one) {
                    true => vec![group.clone()],
                    false => group.elements(written.bytes),
                };
                for part in parts {
                    let mut mask = masks[part.registers[0]];
                    if !holds {
                        let truth = builder.constant_int(1, mask.r#type());
                        mask = builder.binary("arith.xori", mask, truth);
                    }
                    only_if(builder, mask, |builder| {
                        this.write_group(builder, written, terms, &part);
                    });
                }
            }
        });
    }

    /// Writes a tile to a buffer, as `write` does it in the threads that own its elements.
    fn write_tile(
        &mut self,
        to: &mut Rebuilder<'c>,
        value: Value<'c>,
        buffer: Value<'c>,
        write: impl FnOnce(&Self, &mut Builder<'c>, &Written<'c>),
    ) {
        let layout = self.encodings.layout(value);
        let (element, shared) = buffer_layout(self.cx.context, buffer);
        let access = shared
            .access(&layout)
            .expect("conversions made the buffer for this layout");
        let register = self.register_type(element);
        let written = Written {
            values: to.many(value).to_vec(),
            offset: self.buffer_offset(buffer),
            stored: self.memory_type(&to.builder, register),
            bytes: crate::element_bytes(element),
            buffer,
            access,
        };
        let builder = &mut to.builder;
        match self.owner(builder, &layout) {
            None => write(self, builder, &written),
            Some(owner) => only_if(builder, owner, |builder| write(self, builder, &written)),
        }
    }

    fn write_group(
        &self,
        builder: &mut Builder<'c>,
        written: &Written<'c>,
        terms: (Value<'c>, Value<'c>),
        group: &SharedGroup,
    ) {
        let address = self.group_address(builder, terms, group, written.offset);
        let list: Vec<_> = group
            .registers
            .iter()
            .map(|r| self.stored_value(builder, written.values[*r], written.stored))
            .collect();
        let value = if list.len() == 1 {
            list[0]
        } else {
            pack(builder, &list, written.stored)
        };
        let alignment = builder.int((list.len() as u64 * written.bytes) as i64);
        for address in self.copies(builder, address) {
            let attributes = [("alignment", alignment)];
            builder.insert("llvm.store", &[value, address], &attributes, &[]);
        }
    }

    pub(super) fn shared_load(&mut self, to: &mut Rebuilder<'c>, load: SharedLoad<'c>) {
        let layout = self.encodings.layout(load.result());
        let builder = &mut to.builder;
        let registers = match int_attribute(load.0, "own") {
            None => {
                let (_, shared) = buffer_layout(self.cx.context, load.buffer());
                self.read_buffer(builder, load.buffer(), &shared, &layout)
            }
            Some(width) => {
                let access = own_slots(&layout, self.warps, width as u64);
                let terms = self.buffer_terms(builder, &access, load.buffer());
                let offset = self.buffer_offset(load.buffer());
                let (element, _) = buffer_layout(self.cx.context, load.buffer());
                let register = self.register_type(element);
                match int_attribute(load.0, "late") {
                    None => self.read_groups(builder, &access, &layout, terms, offset, register),
                    Some(_) => self.read_late(builder, &access, terms, offset, register),
                }
            }
        };
        to.bind(load.result(), registers);
    }

    /// Each register from its own position.
    pub(super) fn shared_gather(&mut self, to: &mut Rebuilder<'c>, gather: SharedGather<'c>) {
        let layout = self.encodings.layout(gather.result());
        let (element, shared) = buffer_layout(self.cx.context, gather.buffer());
        let offset = self.buffer_offset(gather.buffer());
        let register = self.register_type(element);
        let stored = self.memory_type(&to.builder, register);
        let bytes = crate::element_bytes(element);
        let indices: Vec<_> = gather
            .indices()
            .into_iter()
            .map(|index| to.many(index).to_vec())
            .collect();
        let strides = shared.strides_bytes();
        let sizes = shared.shape().to_vec();
        let registers = self.per_register(&layout, |register_number| {
            let builder = &mut to.builder;
            let inside = self.inside(builder, &layout, register_number);
            // Of a buffer with stages it is this iteration's that is read.
            let stage = self.stages.get(&key(gather.buffer()));
            let mut sum = stage.copied().unwrap_or_else(|| int(builder, 0));
            for ((index, stride), size) in indices.iter().zip(&strides).zip(&sizes) {
                // A wrong position is an error of the program; it must not leave the buffer.
                let last = int(builder, *size as i64 - 1);
                let at = builder.binary("arith.minui", index[register_number], last);
                // What padding holds may never have been written, and is no place to read at.
                let at = match inside {
                    None => at,
                    Some(inside) => {
                        let first = int(builder, 0);
                        builder.select(inside, at, first)
                    }
                };
                let stride = int(builder, *stride as i64);
                let moved = builder.multiply(at, stride);
                sum = builder.add(sum, moved);
            }
            let address = self.shared_address(builder, sum, offset);
            let alignment = builder.int(bytes as i64);
            let attributes = [("alignment", alignment)];
            let load = builder.insert("llvm.load", &[address], &attributes, &[stored]);
            let value = crate::ir::result(load, 0);
            self.loaded_value(builder, value, register)
        });
        to.bind(gather.result(), registers);
    }

    /// The registers of a layout read from a buffer whose bytes lie so.
    pub(super) fn read_buffer(
        &self,
        builder: &mut Builder<'c>,
        buffer: Value<'c>,
        shared: &SharedLayout,
        layout: &Layout,
    ) -> Vec<Value<'c>> {
        let (element, _) = buffer_layout(self.cx.context, buffer);
        let offset = self.buffer_offset(buffer);
        let register = self.register_type(element);
        let found = match shared.element_bytes() {
            // Of others a word would have to be taken apart.
            2 => self.matrices(builder, layout, shared, buffer),
            _ => None,
        };
        if let Some((matrices, instructions)) = found {
            let mut registers: Vec<Option<Value<'c>>> = vec![None; layout.register_count()];
            for instruction in &instructions {
                for (first, word) in self.load_matrices(builder, &matrices, instruction) {
                    for (index, value) in
                        self.halves(builder, word, register).into_iter().enumerate()
                    {
                        registers[first + index] = Some(value);
                    }
                }
            }
            return registers.into_iter().flatten().collect();
        }
        let access = shared
            .access(layout)
            .expect("conversions made the buffer for this layout");
        let terms = self.buffer_terms(builder, &access, buffer);
        self.read_groups(builder, &access, layout, terms, offset, register)
    }

    /// The registers of a layout, read in the groups of an access from `offset` bytes on.
    pub(super) fn read_groups(
        &self,
        builder: &mut Builder<'c>,
        access: &SharedAccess,
        layout: &Layout,
        terms: (Value<'c>, Value<'c>),
        offset: i64,
        register: Type<'c>,
    ) -> Vec<Value<'c>> {
        let stored = self.memory_type(builder, register);
        let bytes = crate::element_bytes(register);
        let mut registers: Vec<Option<Value<'c>>> = vec![None; layout.register_count()];
        for group in &access.groups {
            let address = self.group_address(builder, terms, group, offset);
            let count = group.registers.len();
            // As in `global`: two of `bf16` are the halves of a word.
            let are_cut = count.is_multiple_of(2) && register.to_string() == "bf16";
            let (pieces, piece) = match are_cut {
                true => (count / 2, builder.int_type(32)),
                false => (count, stored),
            };
            let ty = match pieces {
                1 => piece,
                _ => Type::vector(&[pieces as u64], piece),
            };
            let alignment = builder.int((count as u64 * bytes) as i64);
            let load = builder.insert("llvm.load", &[address], &[("alignment", alignment)], &[ty]);
            let loaded = crate::ir::result(load, 0);
            let mut list = match pieces {
                1 => vec![loaded],
                _ => elements(builder, loaded, pieces, piece),
            };
            if are_cut {
                // A move, which costs nothing, keeps LLVM from making it a vector of 16 bits again.
                let cut = |word| {
                    let text = "mov.b32 $0, $1;";
                    let word = inline_asm(builder, text, "=r,r", &[word], &[piece], false)[0];
                    super::global::halves(builder, word, stored)
                };
                list = list.into_iter().flat_map(cut).collect();
            }
            for (index, value) in group.registers.iter().zip(list) {
                registers[*index] = Some(self.loaded_value(builder, value, register));
            }
        }
        (0..registers.len())
            .filter_map(|index| {
                registers[index].or(registers[layout.register_representative(index)])
            })
            .collect()
    }

    /// The same of a buffer that nothing changes any more, by instructions that may move down.
    fn read_late(
        &self,
        builder: &mut Builder<'c>,
        access: &SharedAccess,
        terms: (Value<'c>, Value<'c>),
        offset: i64,
        register: Type<'c>,
    ) -> Vec<Value<'c>> {
        let stored = self.memory_type(builder, register);
        let words = Words::of(access.vector as u64, crate::element_bytes(register));
        let word = builder.int_type(words.bits as u32);
        let start = builder.add(terms.0, terms.1);
        let start = self.address_word(builder, start);
        // What is volatile keeps its order: nothing is read before the copies have been waited for.
        let text = "mov.b32 $0, $1;";
        let start = inline_asm(builder, text, "=r,r", &[start], &[start.r#type()], true)[0];
        let outputs: Vec<_> = (0..words.count).map(|index| format!("${index}")).collect();
        let constraints = format!("{}r", format!("={},", words.letter()).repeat(words.count));
        let mut registers = Vec::new();
        for group in &access.groups {
            let at = offset as u64 + group.add;
            let text = format!(
                "ld.shared{}.b{} {{{}}}, [${}+{at}];",
                words.vector(),
                words.bits,
                outputs.join(", "),
                words.count
            );
            let types = vec![word; words.count];
            let loaded = inline_asm(builder, &text, &constraints, &[start], &types, false);
            let count = group.registers.len();
            let values = self.words_to_values(builder, &loaded, count, stored, &words);
            for value in values {
                registers.push(self.loaded_value(builder, value, register));
            }
        }
        registers
    }

    /// What a register is in memory: `i1` and fp8 are bytes, pointers 64-bit integers.
    pub(super) fn memory_type(&self, builder: &Builder<'c>, register: Type<'c>) -> Type<'c> {
        match register.to_string().as_str() {
            "i1" => builder.int_type(8),
            "!llvm.ptr<1>" => builder.int_type(64),
            _ => storage(builder, register),
        }
    }

    pub(super) fn stored_value(
        &self,
        builder: &mut Builder<'c>,
        value: Value<'c>,
        stored: Type<'c>,
    ) -> Value<'c> {
        match value.r#type().to_string().as_str() {
            "i1" => builder.value("arith.extui", &[value], &[], stored),
            "!llvm.ptr<1>" => builder.value("llvm.ptrtoint", &[value], &[], stored),
            _ => value,
        }
    }

    pub(super) fn loaded_value(
        &self,
        builder: &mut Builder<'c>,
        value: Value<'c>,
        register: Type<'c>,
    ) -> Value<'c> {
        match register.to_string().as_str() {
            "i1" => {
                let zero = builder.constant_int(0, value.r#type());
                builder.compare_int(predicates::NE, value, zero)
            }
            "!llvm.ptr<1>" => builder.value("llvm.inttoptr", &[value], &[], register),
            _ => value,
        }
    }
}
