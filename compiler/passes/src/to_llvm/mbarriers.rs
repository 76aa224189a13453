//! Copies of whole boxes by TMA, and the mbarriers that say when they have arrived (PTX ISA,
//! "cp.async.bulk.tensor", "mbarrier").
//!
//! One thread does what is done once: it makes the mbarriers, expects the bytes of an iteration, and starts
//! its copies.

use melior::ir::{Attribute, ValueLike};

use super::ToLlvm;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::{
    AsyncArrive, ClusterStore, FirstThread, MbarrierArrive, MbarrierEnd, MbarrierExpect,
    MbarrierInit, MbarrierWait, Producer, TensorCopy, TensorPrefetch,
};
use crate::dialect::predicates;
use crate::encoding::buffer_layout;
use crate::ir::{Operation, Value, arguments, int_attribute, key, region_block};
use crate::pipeline::is_paired;

/// Bytes of an mbarrier.
const MBARRIER_BYTES: i64 = 8;

/// The attributes of a function's parameters if some of them are tensor maps: these lie in constant
/// memory as they were passed, which is where TMA wants them.
pub(super) fn map_attributes<'c>(
    builder: &Builder<'c>,
    function: Operation<'c>,
) -> Option<Attribute<'c>> {
    let list = arguments(region_block(function, 0)?);
    let is_map = |value: &Value<'c>| value.r#type().to_string() == "!llvm.ptr";
    if !list.iter().any(is_map) {
        return None;
    }
    let each: Vec<_> = list
        .iter()
        .map(|value| match is_map(value) {
            true => {
                "{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"
            }
            false => "{}",
        })
        .collect();
    Some(builder.parse_attribute(&format!("[{}]", each.join(", "))))
}

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn first_thread(&mut self, to: &mut Rebuilder<'c>, of: FirstThread<'c>) {
        let first = self.is_first_thread(&mut to.builder);
        to.bind(of.result(), vec![first]);
    }

    /// Whether this is the thread that works for the others of its block, `i1`.
    fn is_first_thread(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let thread = self.thread_of_block(builder);
        let zero = int(builder, 0);
        builder.compare_int(predicates::EQ, thread, zero)
    }

    /// Warps that only copy come after the others.
    pub(super) fn producer(&mut self, to: &mut Rebuilder<'c>, of: Producer<'c>) {
        let predicate = match of.alone() {
            1 => predicates::EQ,
            _ => predicates::SGE,
        };
        let is = self.compare_with_producer(&mut to.builder, predicate);
        to.bind(of.result(), vec![is]);
    }

    /// How this thread's number compares with that of the one that copies, `i1`.
    fn compare_with_producer(&self, builder: &mut Builder<'c>, predicate: i64) -> Value<'c> {
        let thread = self.thread(builder);
        let first = int(builder, i64::from(32 * self.warps));
        builder.compare_int(predicate, thread, first)
    }

    /// The first copy would wait for its map.
    pub(super) fn tensor_prefetch(&mut self, to: &mut Rebuilder<'c>, prefetch: TensorPrefetch<'c>) {
        let maps: Vec<_> = prefetch.maps().into_iter().map(|map| to.one(map)).collect();
        let builder = &mut to.builder;
        let copies = self.compare_with_producer(builder, predicates::EQ);
        for map in maps {
            let text = "@$1 prefetch.tensormap [$0];";
            inline_asm(builder, text, "l,b,~{memory}", &[map, copies], &[], true);
        }
    }

    pub(super) fn mbarrier_arrive(&mut self, to: &mut Rebuilder<'c>, arrive: MbarrierArrive<'c>) {
        let number = to.one(arrive.number());
        let condition = arrive.condition().map(|condition| to.one(condition));
        let builder = &mut to.builder;
        let at = self.mbarrier(builder, arrive.buffer(), Some(number));
        let lane = self.lane(builder);
        let of_lane = |builder: &mut Builder<'c>, number: i64| {
            let number = int(builder, number);
            let is = builder.compare_int(predicates::EQ, lane, number);
            match condition {
                Some(condition) => builder.and(is, condition),
                None => is,
            }
        };
        let speaks = of_lane(builder, 0);
        let mut text = "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];".to_owned();
        let (mut inputs, mut constraints) = (vec![at, speaks], "r,b,~{memory}");
        if int_attribute(arrive.0, "pairs").is_some() {
            // Another lane for the other block, if there is one. Nothing was written that others must see, so a fence of
            // the whole GPU, which an arrival with the scope of the cluster would be, is not needed.
            let paired = is_paired(builder);
            let speaks = of_lane(builder, 1);
            let none = int(builder, 0);
            let is_paired = builder.compare_int(predicates::NE, paired, none);
            let speaks = builder.and(speaks, is_paired);
            let rank = self.block_rank(builder);
            let other = builder.binary("arith.xori", rank, paired);
            text.push_str(
                "\n{\n.reg .b32 there;\n\
                 @$2 mapa.shared::cluster.u32 there, $0, $3;\n\
                 @$2 mbarrier.arrive.shared::cluster.b64 _, [there];\n}",
            );
            inputs.extend([speaks, other]);
            constraints = "r,b,b,r,~{memory}";
        }
        if arrive.meets() == 1 {
            text.insert_str(0, "bar.warp.sync 0xffffffff;\n");
        }
        inline_asm(builder, &text, constraints, &inputs, &[], true);
    }

    /// A lane for each block: all lanes have the value.
    pub(super) fn cluster_store(&mut self, to: &mut Rebuilder<'c>, store: ClusterStore<'c>) {
        let value = to.one(store.value());
        let number = to.one(store.number());
        let layout = self.encodings.layout(store.value());
        let (_, shared) = buffer_layout(self.cx.context, store.buffer());
        let access = shared
            .access(&layout)
            .expect("conversions made the buffer for this layout");
        let builder = &mut to.builder;
        let (xor, add) = self.buffer_terms(builder, &access, store.buffer());
        let offset = int(builder, self.buffer_offset(store.buffer()));
        let bytes = builder.add(xor, add);
        let bytes = builder.add(bytes, offset);
        let place = self.address_word(builder, bytes);
        let at = self.mbarrier(builder, store.mbarriers(), Some(number));
        let lane = self.lane(builder);
        let blocks = int(builder, i64::from(self.cluster.blocks));
        let speaks = builder.compare_int(predicates::ULT, lane, blocks);
        let word = builder.int_type(32);
        let bits = match value.r#type() == word {
            true => value,
            false => builder.value("arith.bitcast", &[value], &[], word),
        };
        let text = "{\n.reg .b32 there, told;\n\
             @$4 mapa.shared::cluster.u32 there, $0, $3;\n\
             @$4 mapa.shared::cluster.u32 told, $1, $3;\n\
             @$4 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [there], $2, [told];\n}";
        let inputs = [place, at, bits, lane, speaks];
        inline_asm(builder, text, "r,r,r,r,b,~{memory}", &inputs, &[], true);
    }

    /// The address of an mbarrier, `i32`.
    fn mbarrier(
        &self,
        builder: &mut Builder<'c>,
        buffer: Value<'c>,
        number: Option<Value<'c>>,
    ) -> Value<'c> {
        let mut bytes = int(builder, self.buffer_offset(buffer));
        if let Some(number) = number {
            let size = int(builder, MBARRIER_BYTES);
            let moved = builder.multiply(number, size);
            bytes = builder.add(bytes, moved);
        }
        self.address_word(builder, bytes)
    }

    pub(super) fn mbarrier_init(&mut self, to: &mut Rebuilder<'c>, init: MbarrierInit<'c>) {
        let builder = &mut to.builder;
        let first = self.is_first_thread(builder);
        let start = self.mbarrier(builder, init.buffer(), None);
        // A branch: `ptxas` would predicate each instruction, with constants of its own.
        let mut text = "{\n@!$1 bra made;\n".to_owned();
        let of_block = int_attribute(init.0, "arrivals").unwrap_or(1);
        let (mut inputs, mut constraints) = (vec![start, first], "r,b,~{memory}");
        let mut arrivals = of_block.to_string();
        if int_attribute(init.0, "pairs").is_some() {
            let paired = is_paired(builder);
            let of_block = int(builder, of_block);
            inputs.push(builder.binary("arith.shli", of_block, paired));
            (arrivals, constraints) = ("$2".to_owned(), "r,b,r,~{memory}");
        }
        for number in 0..init.count() {
            let at = number * MBARRIER_BYTES;
            text.push_str(&format!(
                "mbarrier.init.shared::cta.b64 [$0+{at}], {arrivals};\n"
            ));
        }
        // TMA arrives at them; the barrier that follows has the fence for its proxy.
        text.push_str("fence.mbarrier_init.release.cluster;\nmade:\n}");
        inline_asm(builder, &text, constraints, &inputs, &[], true);
    }

    pub(super) fn mbarrier_end(&mut self, to: &mut Rebuilder<'c>, end: MbarrierEnd<'c>) {
        let builder = &mut to.builder;
        let first = self.is_first_thread(builder);
        let start = self.mbarrier(builder, end.buffer(), None);
        let mut text = String::new();
        for number in 0..end.count() {
            let at = number * MBARRIER_BYTES;
            text.push_str(&format!("@$1 mbarrier.inval.shared::cta.b64 [$0+{at}];\n"));
        }
        inline_asm(builder, &text, "r,b,~{memory}", &[start, first], &[], true);
    }

    /// The thread arrives when its copies have come: `.noinc`, as the mbarrier counts it among its arrivals.
    pub(super) fn async_arrive(&mut self, to: &mut Rebuilder<'c>, arrive: AsyncArrive<'c>) {
        let number = to.one(arrive.number());
        let builder = &mut to.builder;
        let at = self.mbarrier(builder, arrive.buffer(), Some(number));
        let text = "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];";
        inline_asm(builder, text, "r,~{memory}", &[at], &[], true);
    }

    pub(super) fn mbarrier_expect(&mut self, to: &mut Rebuilder<'c>, expect: MbarrierExpect<'c>) {
        let number = to.one(expect.number());
        let builder = &mut to.builder;
        let at = self.mbarrier(builder, expect.buffer(), Some(number));
        let text = format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {};",
            expect.bytes()
        );
        inline_asm(builder, &text, "r,~{memory}", &[at], &[], true);
    }

    /// A loop, since `try_wait` may give up early.
    pub(super) fn mbarrier_wait(&mut self, to: &mut Rebuilder<'c>, wait: MbarrierWait<'c>) {
        let number = to.one(wait.number());
        let parity = to.one(wait.parity());
        let builder = &mut to.builder;
        let at = self.mbarrier(builder, wait.buffer(), Some(number));
        let text = "{\n.reg .pred done;\nwaits:\n\
            mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\
            @!done bra waits;\n}";
        inline_asm(builder, text, "r,r,~{memory}", &[at, parity], &[], true);
    }

    pub(super) fn tensor_copy(&mut self, to: &mut Rebuilder<'c>, copy: TensorCopy<'c>) {
        let map = to.one(copy.map());
        let number = to.one(copy.number());
        let starts: Vec<_> = copy
            .starts()
            .into_iter()
            .map(|start| to.one(start))
            .collect();
        let builder = &mut to.builder;
        let barrier = self.mbarrier(builder, copy.barriers(), Some(number));
        let mut bytes = int(builder, self.buffer_offset(copy.buffer()));
        if let Some(stage) = self.stages.get(&key(copy.buffer())) {
            bytes = builder.add(bytes, *stage);
        }
        let half = int_attribute(copy.0, "half");
        if let Some(half) = half {
            let rank = self.block_rank(builder);
            let half = int(builder, half);
            let moved = builder.multiply(rank, half);
            bytes = builder.add(bytes, moved);
        }
        let place = self.address_word(builder, bytes);
        let rank = starts.len();
        for panel in 0..copy.panels() {
            let mut list = starts.clone();
            if let Some(innermost) = list.last_mut() {
                let moved = int(builder, panel * copy.panel());
                *innermost = builder.add(*innermost, moved);
            }
            list.reverse();
            let names: Vec<_> = (0..rank).map(|axis| format!("${}", axis + 3)).collect();
            let (multicast, to_both) = match half {
                Some(_) => (".multicast::cluster", ", both"),
                None => ("", ""),
            };
            let mut text = format!(
                "cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier\
                 ::complete_tx::bytes{multicast} [$0+{}], [$1, {{{}}}], [$2]{to_both};",
                panel * copy.bytes(),
                names.join(", ")
            );
            if half.is_some() {
                text = format!("{{\n.reg .b16 both;\nmov.b16 both, 3;\n{text}\n}}");
            }
            let mut inputs = vec![place, map, barrier];
            inputs.extend(list);
            let constraints = format!("r,l,r{},~{{memory}}", ",r".repeat(rank));
            inline_asm(builder, &text, &constraints, &inputs, &[], true);
        }
    }
}
