//! The dynamic tile scheduler: which program a block has next is decided when it asks.
//!
//! ```text
//! for n = block; n < programs; n += blocks { … }
//!   ⇒  producer:  n = block; while n < programs { copies of n; n = blocks + ticket; pass n on }
//!      consumers: n = block; while n < programs { n; n = what was passed on }
//! ```
//!
//! Where a program's length is known only when it has loaded something (sequences one after the other, pages of a cache), no order
//! that is fixed before is even: of 132 blocks the busiest has 1.2 to 1.6 times its share. Where it is known, blocks are not equally fast. So the
//! producer takes the number of the next program from a counter ([`tickets`](super::tickets)), and shows it to the consumers in a ring of two
//! slots with mbarriers of their own (FlashAttention-3, `DynamicPersistentTileScheduler`). A block begins with the program of its own number, and takes one number for
//! each program that it has: as many as there are programs, after which the counter is 0 again.

use melior::ir::ValueLike;

use super::WARPGROUP;
use super::balance::{ByTicket, Longest};
use super::programs::Counts;
use super::ring::{Channel, PipelineState};
use super::tickets::slot_type;
use crate::PassContext;
use crate::build::{Builder, Rebuilder};
use crate::ir::{Value, result, results};

/// Slots: the producer is a program ahead of the consumers.
const SLOTS: u64 = 2;

/// How the threads of a block learn which program is next.
#[derive(Clone)]
pub(super) struct TileScheduler<'c> {
    /// The address of the counter, and the last number that it gives.
    counter: Value<'c>,
    last: Value<'c>,
    slots: Value<'c>,
    channel: Channel<'c>,
    producer: PipelineState<'c>,
    reader: PipelineState<'c>,
    counts: Counts<'c>,
    /// Which program has a number, where it is known which are the longest.
    order: Option<ByTicket<'c>>,
    /// The block, how many programs there are, and how many blocks.
    range: [Value<'c>; 3],
}

impl<'c> TileScheduler<'c> {
    /// `counter` is the address of a counter that is 0. So many warps of consumers read what is passed on, and all of the
    /// producer where all of its threads copy.
    pub fn new(
        cx: &PassContext<'_, 'c>,
        builder: &mut Builder<'c>,
        counter: Value<'c>,
        (counts, longest): (Counts<'c>, Option<Longest>),
        (warps, all_copy): (i64, bool),
    ) -> Self {
        let range = counts.range(builder);
        let readers = warps + if all_copy { WARPGROUP } else { 0 };
        let word = range[1].r#type();
        let one = builder.constant_int(1, word);
        let list = [
            ("offset", builder.int(-1)),
            ("pinned", builder.int(1)),
            ("stages", builder.int(SLOTS as i64)),
        ];
        let slots = builder.insert("tile.shared_alloc", &[], &list, &[slot_type(cx, word)]);
        Self {
            counter,
            last: builder.binary("arith.subi", range[1], one),
            slots: result(slots, 0),
            channel: Channel::new(cx, builder, Vec::new(), SLOTS, (1, readers), false),
            producer: PipelineState::new(builder, 1),
            reader: PipelineState::new(builder, 0),
            counts,
            order: longest.map(|longest| ByTicket::new(builder, &counts, longest, range)),
            range,
        }
    }

    /// The number of a block's first program, and its place.
    pub fn first(&self, builder: &mut Builder<'c>) -> Vec<Value<'c>> {
        self.with_place(builder, self.range[0])
    }

    /// Whether there is a program with this number.
    pub fn exists(&self, builder: &mut Builder<'c>, number: Value<'c>) -> Value<'c> {
        let predicate = crate::dialect::predicates::ULT;
        builder.compare_int(predicate, number, self.range[1])
    }

    /// One thread takes the number of the next program, and passes it on with its place; gives both. It has started all copies of its program,
    /// of which the consumers have some stages left: earlier, a block that is busy for long would take as many as others (H200, causal
    /// attention of 8 heads and 5120 keys 0.77 to 0.96 of a fixed order).
    pub fn take(&self, to: &mut Rebuilder<'c>) -> Vec<Value<'c>> {
        let alone = [("alone", to.builder.int(1))];
        let list = [self.counter, self.last];
        let ticket = to
            .builder
            .value("tile.ticket", &list, &alone, self.last.r#type());
        let number = to.builder.add(ticket, self.range[2]);
        let next = self.with_place(&mut to.builder, number);
        let (stage, parity) = self.producer.now(&mut to.builder);
        let list = [self.channel.empty, stage, parity];
        to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        let mut list = vec![self.slot(&mut to.builder, stage)];
        list.extend(&next);
        to.builder.insert("tile.ticket_show", &list, &alone, &[]);
        let bytes = [("bytes", to.builder.int(0))];
        let list = [self.channel.full, stage];
        to.builder
            .insert("tile.mbarrier_expect", &list, &bytes, &[]);
        self.producer.advance(&mut to.builder, SLOTS);
        next
    }

    /// The next number that was passed on and its place, and which slot they were in.
    pub fn receive(&self, to: &mut Rebuilder<'c>) -> (Vec<Value<'c>>, Value<'c>) {
        let (stage, parity) = self.reader.now(&mut to.builder);
        let list = [self.channel.full, stage, parity];
        to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        let slot = self.slot(&mut to.builder, stage);
        let types = [self.last.r#type(); 4];
        let next = to.builder.insert("tile.ticket_read", &[slot], &[], &types);
        self.reader.advance(&mut to.builder, SLOTS);
        (results(next), stage)
    }

    fn slot(&self, builder: &mut Builder<'c>, stage: Value<'c>) -> Value<'c> {
        let ty = self.slots.r#type();
        builder.value("tile.shared_stage", &[self.slots, stage], &[], ty)
    }

    /// What the readers release.
    pub const fn channel(&self) -> &Channel<'c> {
        &self.channel
    }

    /// A number, and the place of the program that has it.
    fn with_place(&self, builder: &mut Builder<'c>, number: Value<'c>) -> Vec<Value<'c>> {
        let program = match self.order {
            Some(order) => order.program(builder, &self.counts, number),
            None => number,
        };
        let place = self.counts.place(builder, program).numbers;
        std::iter::once(number).chain(place).collect()
    }
}
