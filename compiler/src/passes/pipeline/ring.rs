//! Buffers that go round between a producer and consumers.
//!
//! A stage is *full* when its copies have arrived, and *empty* when every warp of the consumers has said
//! that it is done with it: an mbarrier for each (PTX ISA, "mbarrier"). Which stage comes next, and the
//! parity of its phase, is a variable of each role, so that it goes on through whatever loops and
//! branches are around: LLVM makes registers of them.

use melior::ir::ValueLike;

use super::plan::Plan;
use crate::dialect::predicates;
use crate::ir::{Builder, Value};
use crate::layout::{SharedLayout, Swizzle};
use crate::passes::PassContext;
use crate::passes::encoding::buffer_type;

/// The buffers of a loop.
#[derive(Clone)]
pub struct Ring<'c> {
    pub plan: Plan<'c>,
    /// All stages of each copy.
    pub buffers: Vec<Value<'c>>,
    /// The mbarriers of the stages.
    pub full: Value<'c>,
    pub empty: Value<'c>,
    pub producer: Turn<'c>,
    pub consumer: Turn<'c>,
    /// The stage of the round before, which products that run on still read.
    pub before: Variable<'c>,
}

/// A variable of 32 bits.
#[derive(Clone, Copy)]
pub struct Variable<'c>(Value<'c>);

impl<'c> Variable<'c> {
    pub fn new(builder: &mut Builder<'c>, value: i64) -> Self {
        let word = builder.int_type(32);
        let one = builder.constant_int(1, word);
        let attributes = [("elem_type", builder.type_attribute(word))];
        let pointer = builder.parse_type("!llvm.ptr");
        let variable = Self(builder.value("llvm.alloca", &[one], &attributes, pointer));
        let value = builder.constant_int(value, word);
        variable.set(builder, value);
        variable
    }

    pub fn get(self, builder: &mut Builder<'c>) -> Value<'c> {
        let word = builder.int_type(32);
        builder.value("llvm.load", &[self.0], &[], word)
    }

    pub fn set(self, builder: &mut Builder<'c>, value: Value<'c>) {
        builder.insert("llvm.store", &[value, self.0], &[], &[]);
    }
}

/// Where a role is.
#[derive(Clone, Copy)]
pub struct Turn<'c> {
    stage: Variable<'c>,
    parity: Variable<'c>,
}

impl<'c> Turn<'c> {
    /// The stage whose turn it is, and the parity to wait for.
    pub fn now(self, builder: &mut Builder<'c>) -> (Value<'c>, Value<'c>) {
        (self.stage.get(builder), self.parity.get(builder))
    }

    /// The next one's turn.
    pub fn advance(self, builder: &mut Builder<'c>, stages: u64) {
        let (stage, parity) = self.now(builder);
        let word = stage.r#type();
        let [zero, one, last] =
            [0, 1, stages as i64 - 1].map(|value| builder.constant_int(value, word));
        let is_last = builder.compare_int(predicates::EQ, stage, last);
        let next = builder.add(stage, one);
        let next = builder.select(is_last, zero, next);
        self.stage.set(builder, next);
        let other = builder.binary("arith.xori", parity, one);
        let next = builder.select(is_last, other, parity);
        self.parity.set(builder, next);
    }
}

impl<'c> Ring<'c> {
    /// Makes a loop's buffers and their mbarriers; `warps` consume, those of both blocks where programs may be pairs, and
    /// `copying` threads copy pieces.
    pub fn new(
        cx: &PassContext<'_, 'c>,
        builder: &mut Builder<'c>,
        plan: Plan<'c>,
        (warps, copying): (i64, i64),
        may_pair: bool,
    ) -> Self {
        let stages = plan.stages;
        let buffers = plan.copies.iter().map(|copy| {
            let list = [
                ("offset", builder.int(-1)),
                ("pinned", builder.int(1)),
                ("stages", builder.int(stages as i64)),
            ];
            let new = builder.insert("tile.shared_alloc", &[], &list, &[copy.buffer]);
            crate::ir::result(new, 0)
        });
        let buffers = buffers.collect();
        let [full, empty] = [(1 + copying, false), (warps, may_pair)].map(|(arrivals, pairs)| {
            let buffer = mbarriers(cx, builder, stages);
            let mut list = vec![
                ("count", builder.int(stages as i64)),
                ("arrivals", builder.int(arrivals)),
            ];
            if pairs {
                list.push(("pairs", builder.int(1)));
            }
            builder.insert("tile.mbarrier_init", &[buffer], &list, &[]);
            buffer
        });
        let turn = |builder: &mut Builder<'c>, parity| Turn {
            stage: Variable::new(builder, 0),
            parity: Variable::new(builder, parity),
        };
        Self {
            plan,
            buffers,
            full,
            empty,
            // Stages are empty at first: the phase before the first is over (parity 1).
            producer: turn(builder, 1),
            consumer: turn(builder, 0),
            before: Variable::new(builder, 0),
        }
    }

    /// The producer waits for its next stage; which that is.
    pub fn wait_until_empty(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let (stage, parity) = self.producer.now(builder);
        let list = [self.empty, stage, parity];
        builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        stage
    }

    /// The consumers wait for their next stage; which that is.
    pub fn wait_until_full(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let (stage, parity) = self.consumer.now(builder);
        let list = [self.full, stage, parity];
        builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        stage
    }
}

/// An mbarrier for each stage.
pub fn mbarriers<'c>(
    cx: &PassContext<'_, 'c>,
    builder: &mut Builder<'c>,
    stages: u64,
) -> Value<'c> {
    let layout = SharedLayout::new(&[stages], &[0], 8, Swizzle::NONE);
    let wide = builder.int_type(64);
    let ty = buffer_type(cx.context, wide, &layout);
    let attributes = [("offset", builder.int(-1)), ("pinned", builder.int(1))];
    let new = builder.insert("tile.shared_alloc", &[], &attributes, &[ty]);
    crate::ir::result(new, 0)
}
