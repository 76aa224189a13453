//! Buffers that go round between a producer and consumers.
//!
//! A stage is *full* when its copies have arrived, and *empty* when every warp of the consumers has said
//! that it is done with it: an mbarrier for each (PTX ISA, "mbarrier"). Copies that are first and last read at different places
//! of an iteration are *channels* of their own, with mbarriers of their own. Which stage comes next, and the
//! parity of its phase, is a variable of each role, so that it goes on through whatever loops and
//! branches are around: LLVM makes registers of them.

use melior::ir::{Type, ValueLike};

use super::WARPGROUP;
use super::computed::Computed;
use super::plan::{Copy, Plan};
use crate::PassContext;
use crate::build::{Builder, Rebuilder};
use crate::dialect::predicates;
use crate::encoding::buffer_type;
use crate::ir::Value;
use crate::layout::{SharedLayout, Swizzle};

/// The buffers of a loop.
#[derive(Clone)]
pub struct Ring<'c> {
    pub plan: Plan<'c>,
    /// All stages of each copy.
    pub buffers: Vec<Value<'c>>,
    /// What comes and goes together; all copies are of one.
    pub channels: Vec<Channel<'c>>,
    pub producer: PipelineState<'c>,
    pub consumer: PipelineState<'c>,
    /// Where the iteration before was, whose stage products that run on or later still read.
    pub before: PipelineState<'c>,
    /// What the producer loads for its next iteration, if it does: the type and the variable of each tile.
    pub loaded: Vec<(Type<'c>, Value<'c>)>,
}

/// Copies that are waited for and released together.
#[derive(Clone)]
pub struct Channel<'c> {
    /// By number.
    pub copies: Vec<usize>,
    /// The mbarriers of the stages.
    pub full: Value<'c>,
    pub empty: Value<'c>,
}

impl<'c> Channel<'c> {
    /// Makes the mbarriers of so many stages: a full one has so many arrivals, an empty one of so many warps,
    /// those of both blocks where programs may be pairs.
    pub fn new(
        cx: &PassContext<'_, 'c>,
        builder: &mut Builder<'c>,
        copies: Vec<usize>,
        stages: u64,
        (copying, warps): (i64, i64),
        may_pair: bool,
    ) -> Self {
        let mut mbarriers = |arrivals, pairs| {
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
        };
        Self {
            copies,
            full: mbarriers(copying, false),
            empty: mbarriers(warps, may_pair),
        }
    }
}

impl<'c> Channel<'c> {
    /// What the producer computes of it, with the buffers of each.
    pub fn computed<'a>(
        &'a self,
        ring: &'a Ring<'c>,
    ) -> impl Iterator<Item = (&'a Computed<'c>, Value<'c>)> {
        let copies = self.copies_of(ring);
        copies.filter_map(|(copy, buffers)| Some((copy.computed.as_ref()?, buffers)))
    }
}

impl Channel<'_> {
    /// Its copies, with the buffers of each.
    pub fn copies_of<'a, 'c>(
        &'a self,
        ring: &'a Ring<'c>,
    ) -> impl Iterator<Item = (&'a Copy<'c>, Value<'c>)> {
        let numbers = self.copies.iter();
        numbers.map(|number| (&ring.plan.copies[*number], ring.buffers[*number]))
    }
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

/// Which stage a role is at (CUTLASS, `PipelineState`).
#[derive(Clone, Copy)]
pub struct PipelineState<'c> {
    stage: Variable<'c>,
    parity: Variable<'c>,
}

impl<'c> PipelineState<'c> {
    /// At the first stage, with this parity to wait for.
    pub fn new(builder: &mut Builder<'c>, parity: i64) -> Self {
        Self {
            stage: Variable::new(builder, 0),
            parity: Variable::new(builder, parity),
        }
    }

    /// Its stage, and the parity to wait for.
    pub fn now(self, builder: &mut Builder<'c>) -> (Value<'c>, Value<'c>) {
        (self.stage.get(builder), self.parity.get(builder))
    }

    /// Goes where another one is.
    pub fn follow(self, builder: &mut Builder<'c>, other: Self) {
        let (stage, parity) = other.now(builder);
        self.stage.set(builder, stage);
        self.parity.set(builder, parity);
    }

    /// Goes to the next stage.
    pub fn advance(self, builder: &mut Builder<'c>, stages: u64) {
        let (stage, parity) = self.now(builder);
        let word = stage.r#type();
        let [zero, one, last] =
            [0, 1, stages as i64 - 1].map(|value| builder.constant_int(value, word));
        let other = builder.binary("arith.xori", parity, one);
        // LLVM would not find out that the only stage is the first one.
        if stages == 1 {
            self.parity.set(builder, other);
            return;
        }
        let is_last = builder.compare_int(predicates::EQ, stage, last);
        let next = builder.add(stage, one);
        let next = builder.select(is_last, zero, next);
        self.stage.set(builder, next);
        let next = builder.select(is_last, other, parity);
        self.parity.set(builder, next);
    }
}

impl<'c> Ring<'c> {
    /// Makes a loop's buffers and the mbarriers of its channels, of which each has these copies; `warps` consume, those of
    /// both blocks where programs may be pairs, and `copying` threads copy pieces.
    pub fn new(
        cx: &PassContext<'_, 'c>,
        builder: &mut Builder<'c>,
        plan: Plan<'c>,
        channels: Vec<Vec<usize>>,
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
        let channels = channels.into_iter().map(|copies| {
            let computes = copies
                .iter()
                .any(|copy| plan.copies[*copy].computed.is_some());
            let computing = if computes { WARPGROUP } else { 0 };
            let arrivals = (1 + copying + computing, warps);
            Channel::new(cx, builder, copies, stages, arrivals, may_pair)
        });
        let channels = channels.collect();
        Self {
            plan,
            buffers,
            channels,
            // Stages are empty at first: the phase before the first is over (parity 1).
            producer: PipelineState::new(builder, 1),
            consumer: PipelineState::new(builder, 0),
            before: PipelineState::new(builder, 0),
            loaded: Vec::new(),
        }
    }

    /// Keeps what was loaded for the next iteration.
    pub fn keep(&self, to: &mut Rebuilder<'c>, loaded: &[Value<'c>]) {
        for ((_, variable), value) in self.loaded.iter().zip(loaded) {
            to.builder
                .insert("tile.keep", &[*value, *variable], &[], &[]);
        }
    }

    /// What was kept in the iteration before.
    pub fn kept(&self, to: &mut Rebuilder<'c>) -> Vec<Value<'c>> {
        let variables = self.loaded.iter();
        let kept =
            variables.map(|(ty, variable)| to.builder.value("tile.kept", &[*variable], &[], *ty));
        kept.collect()
    }

    /// The producer waits until a channel's next stage is empty; which that is.
    pub fn wait_until_empty(&self, builder: &mut Builder<'c>, channel: &Channel<'c>) -> Value<'c> {
        let (stage, parity) = self.producer.now(builder);
        let list = [channel.empty, stage, parity];
        builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        stage
    }

    /// The consumers wait for the next stage of all channels; which that is.
    pub fn wait_until_full(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let (stage, parity) = self.consumer.now(builder);
        for channel in &self.channels {
            let list = [channel.full, stage, parity];
            builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        }
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
