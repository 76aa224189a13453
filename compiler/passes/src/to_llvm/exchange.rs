//! Exchanges: every element from a partner whose coordinate differs in known bits.
//!
//! The partner of a register is a register of the thread whose number differs by a XOR that is the
//! same for all ([`Partners`](crate::layout::Partners)): other registers of the same thread are only
//! renamed, other lanes take a butterfly shuffle each, and other warps go through shared memory.

use super::ToLlvm;
use super::reduce::{Shuffle, shuffle};
use super::threads::int;
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{Exchange, SharedExchange, SharedPut};
use crate::encoding::buffer_layout;
use crate::ir::Value;
use crate::layout::{Layout, Partners};

fn partners(layout: &Layout, axis: i64, mask: i64) -> Partners {
    layout
        .partners(axis as usize, mask as u64)
        .expect("conversions found the partners of this layout")
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn exchange(&mut self, to: &mut Rebuilder<'c>, exchange: Exchange<'c>) {
        let layout = self.encodings.layout(exchange.result());
        let partners = partners(&layout, exchange.axis(), exchange.mask());
        let source = to.many(exchange.operand()).to_vec();
        let registers = self.per_register(&layout, |register| {
            let value = source[partners.registers[register]];
            match partners.lane {
                0 => value,
                lane => shuffle(&mut to.builder, value, Shuffle::Butterfly(lane)),
            }
        });
        to.bind(exchange.result(), registers);
    }

    /// A row per register, a column per thread.
    pub(super) fn shared_put(&mut self, to: &mut Rebuilder<'c>, put: SharedPut<'c>) {
        let layout = self.encodings.layout(put.value());
        let (element, shared) = buffer_layout(self.cx.context, put.buffer());
        let stored = self.memory_type(&to.builder, self.register_type(element));
        let values = to.many(put.value()).to_vec();
        let offset = self.buffer_offset(put.buffer());
        let strides = shared.strides_bytes();
        let builder = &mut to.builder;
        let column = self.column(builder, strides[1], 0);
        for register in layout.distinct_registers() {
            let row = (register as u64 * strides[0]) as i64;
            let address = self.shared_address(builder, column, offset + row);
            let value = self.stored_value(builder, values[register], stored);
            let alignment = builder.int(shared.element_bytes() as i64);
            let attributes = [("alignment", alignment)];
            builder.insert("llvm.store", &[value, address], &attributes, &[]);
        }
    }

    pub(super) fn shared_exchange(&mut self, to: &mut Rebuilder<'c>, read: SharedExchange<'c>) {
        let layout = self.encodings.layout(read.result());
        let partners = partners(&layout, read.axis(), read.mask());
        let (element, shared) = buffer_layout(self.cx.context, read.buffer());
        let register_type = self.register_type(element);
        let stored = self.memory_type(&to.builder, register_type);
        let offset = self.buffer_offset(read.buffer());
        let strides = shared.strides_bytes();
        let flip = i64::from(partners.warp << 5 | partners.lane);
        let column = self.column(&mut to.builder, strides[1], flip);
        let registers = self.per_register(&layout, |register| {
            let builder = &mut to.builder;
            let source = layout.register_representative(partners.registers[register]);
            let row = (source as u64 * strides[0]) as i64;
            let address = self.shared_address(builder, column, offset + row);
            let alignment = builder.int(shared.element_bytes() as i64);
            let attributes = [("alignment", alignment)];
            let load = builder.insert("llvm.load", &[address], &attributes, &[stored]);
            let value = crate::ir::result(load, 0);
            self.loaded_value(builder, value, register_type)
        });
        to.bind(read.result(), registers);
    }

    /// Where the column of the thread whose number differs by `flip` begins, in bytes.
    pub(super) fn column(&self, builder: &mut Builder<'c>, stride: u64, flip: i64) -> Value<'c> {
        let mut thread = self.thread(builder);
        if flip != 0 {
            let flip = int(builder, flip);
            thread = builder.binary("arith.xori", thread, flip);
        }
        let stride = int(builder, stride as i64);
        builder.multiply(thread, stride)
    }
}
