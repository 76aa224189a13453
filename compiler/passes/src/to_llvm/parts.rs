//! Parts of a program's sums, which other blocks write to global memory and one adds.
//!
//! A part lies there as threads hold it: a thread's registers in vectors, each vector of all threads in a row,
//! so that a warp writes whole lines. Nothing else needs to know that order.

use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::threads::{elements, inline_asm, int, pack};
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{PartArrive, PartStore, PartSum};
use crate::dialect::predicates;
use crate::ir::{Value, results};

/// Bytes of a register.
const REGISTER_BYTES: i64 = 4;

/// Registers that are added in one loop: all their loads may be in flight at once, beside the sums of all others.
/// With 128 `ptxas` spilled some of 128 x 256 sums by 256 threads.
const REGISTERS_IN_FLIGHT: usize = 64;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn part_store(&mut self, to: &mut Rebuilder<'c>, store: PartStore<'c>) {
        let layout = self.encodings.layout(store.value());
        let mut values = to.many(store.value()).to_vec();
        let address = to.one(store.address());
        let builder = &mut to.builder;
        for (register, value) in values.iter_mut().enumerate() {
            // Sums of padding are sums of what nobody wrote.
            *value = self.without_garbage(builder, &layout, register, *value);
        }
        let width = width(values.len());
        let start = self.part_start(builder, address, width);
        for (number, group) in values.chunks(width).enumerate() {
            let vector = match group {
                [single] => *single,
                several => pack(builder, several, several[0].r#type()),
            };
            let place = self.part_place(builder, start, width, number);
            let attributes = [("alignment", builder.int(width as i64 * REGISTER_BYTES))];
            builder.insert("llvm.store", &[vector, place], &attributes, &[]);
        }
    }

    /// A loop over the parts, for some of the registers at a time.
    pub(super) fn part_sum(
        &mut self,
        to: &mut Rebuilder<'c>,
        sum: PartSum<'c>,
    ) -> Result<(), Diagnostic> {
        let count = self.encodings.layout(sum.result()).register_count();
        let element = self.register_type(sum.result().r#type());
        let [first, between, parts] =
            [sum.first(), sum.between(), sum.count()].map(|value| to.one(value));
        let width = width(count);
        let vector = match width {
            1 => element,
            _ => Type::vector(&[width as u64], element),
        };
        let is_integer = element.to_string() == "i32";
        let add = if is_integer {
            "arith.addi"
        } else {
            "arith.addf"
        };
        let zero = to.builder.zero(element);
        let [none, one] = [0, 1].map(|value| int(&mut to.builder, value));
        let start = self.part_start(&mut to.builder, first, width);
        let vectors: Vec<usize> = (0..count / width).collect();
        let mut registers = Vec::with_capacity(count);
        for some in vectors.chunks(REGISTERS_IN_FLIGHT / width) {
            let types = vec![element; some.len() * width];
            let mut inner = vec![none.r#type()];
            inner.extend(&types);
            let body = to.region(&inner, |to, given| {
                let builder = &mut to.builder;
                let number = builder.int_cast(given[0], 64, false);
                let moved = builder.multiply(number, between);
                let start = self.moved(builder, start, moved);
                let mut sums = Vec::with_capacity(types.len());
                for (number, before) in some.iter().zip(given[1..].chunks(width)) {
                    let place = self.part_place(builder, start, width, *number);
                    let bytes = width as i64 * REGISTER_BYTES;
                    let attributes = [("alignment", builder.int(bytes))];
                    let load = builder.insert("llvm.load", &[place], &attributes, &[vector]);
                    let load = crate::ir::result(load, 0);
                    let part = match width {
                        1 => vec![load],
                        _ => elements(builder, load, width, element),
                    };
                    let both = before.iter().zip(part);
                    sums.extend(both.map(|(before, part)| builder.binary(add, *before, part)));
                }
                builder.insert("scf.yield", &sums, &[], &[]);
                Ok(())
            })?;
            let mut list = vec![none, parts, one];
            list.extend(std::iter::repeat_n(zero, types.len()));
            let builder = &mut to.builder;
            let sums = builder.insert_with_regions("scf.for", &list, &[], &types, vec![body]);
            registers.extend(results(sums));
        }
        to.bind(sum.result(), registers);
        Ok(())
    }

    /// One thread counts for the block, and a barrier tells all threads what it found. What they wrote before
    /// the first barrier comes before the atomic operation, which releases and acquires for them (PTX ISA,
    /// "Causality order"); at the last part it makes the counter 0 again ("atom", `.inc`). Of a vote `ptxas` knows
    /// that it is the same in all lanes, of the barrier's result it does not: it would take warps to have parted from
    /// there on, and compute the operands of `wgmma` in each thread, in every iteration.
    pub(super) fn part_arrive(&mut self, to: &mut Rebuilder<'c>, arrive: PartArrive<'c>) {
        let counter = to.one(arrive.counter());
        let count = to.one(arrive.count());
        let builder = &mut to.builder;
        self.barrier(builder, false);
        let one = int(builder, 1);
        let last = builder.binary("arith.subi", count, one);
        let thread = self.thread(builder);
        let zero = int(builder, 0);
        let speaks = builder.compare_int(predicates::EQ, thread, zero);
        let threads = 32 * self.warps;
        let barrier = match self.has_copying_warps {
            true => format!("1, {threads}"),
            false => "0".to_owned(),
        };
        let text = format!(
            "{{\n.reg .pred last;\n.reg .b32 before;\n\
             setp.ne.u32 last, $2, $2;\n\
             @$3 atom.acq_rel.gpu.global.inc.u32 before, [$1], $2;\n\
             @$3 setp.eq.u32 last, before, $2;\n\
             bar.red.or.pred last, {barrier}, last;\n\
             vote.sync.any.pred last, last, 0xffffffff;\n\
             selp.b32 $0, 1, 0, last;\n}}"
        );
        let word = builder.int_type(32);
        let inputs = [counter, last, speaks];
        let found = inline_asm(
            builder,
            &text,
            "=&r,l,r,b,~{memory}",
            &inputs,
            &[word],
            true,
        )[0];
        let is_last = builder.compare_int(predicates::NE, found, zero);
        to.bind(arrive.result(), vec![is_last]);
    }

    /// Where this thread's first vector lies in a part.
    fn part_start(&self, builder: &mut Builder<'c>, address: Value<'c>, width: usize) -> Value<'c> {
        let thread = self.thread(builder);
        let bytes = int(builder, width as i64 * REGISTER_BYTES);
        let moved = builder.multiply(thread, bytes);
        let moved = builder.int_cast(moved, 64, false);
        let place = builder.add(address, moved);
        let pointer = builder.parse_type("!llvm.ptr<1>");
        builder.value("llvm.inttoptr", &[place], &[], pointer)
    }

    /// Where its vector of this number lies.
    fn part_place(
        &self,
        builder: &mut Builder<'c>,
        start: Value<'c>,
        width: usize,
        number: usize,
    ) -> Value<'c> {
        let row = 32 * i64::from(self.warps) * width as i64 * REGISTER_BYTES;
        let moved = int(builder, number as i64 * row);
        self.moved(builder, start, moved)
    }

    /// An address so many bytes further on.
    fn moved(&self, builder: &mut Builder<'c>, start: Value<'c>, bytes: Value<'c>) -> Value<'c> {
        let byte = builder.int_type(8);
        let place = [
            ("elem_type", builder.type_attribute(byte)),
            ("rawConstantIndices", builder.ints32(&[i32::MIN])),
        ];
        let pointer = builder.parse_type("!llvm.ptr<1>");
        builder.value("llvm.getelementptr", &[start, bytes], &place, pointer)
    }
}

/// Registers of a vector: what 16 bytes hold, if a thread's registers are whole vectors of so many.
const fn width(registers: usize) -> usize {
    match registers % 4 {
        0 => 4,
        2 => 2,
        _ => 1,
    }
}
