//! Loops of the consumers whose iterations have an order of their own.
//!
//! Comes in: a loop with a ring and several products. Its iteration becomes a [`Graph`] ([`Pipeline::schedule`]), and a
//! [`Schedule`] is expanded ([`Pipeline::expand`]) to what runs before the new loop, its iterations, and what runs after it.
//! A channel of the ring is waited for before its first reader and released behind the last, so that copies are under way
//! again while the rest of the iteration runs.
//!
//! Tiles that a round leaves to the next one go from round to round as the loop's variables; those of elements narrower
//! than a register in words of a thread's variable (`tile.keep`), so that nothing packs them again.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::computed::work_of;
use super::copies::stage_of;
use super::plan::Plan;
use super::reader::{FEW, Reader};
use super::rescaled::is_rescaling;
use super::ring::{Channel, PipelineState, Ring};
use super::rings::Share;
use super::segments::Segments;
use super::{Iteration, Pipeline, WARPGROUP};
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{KeepsOrder, NotScheduled, RemarkKind};
use crate::dialect::ops::Dot;
use crate::encoding::{Encodings, PASSES_TURN, UNLESS_ONE, WAITS_FOR_TURN};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, ValueKey, address, arguments, attributes, key, name, region_block,
    result, results, yielded,
};
use crate::schedule::model::Resident;
use crate::schedule::{Graph, Reason, Schedule, Stage, Step};
use crate::target::machine::{Machine, Work};
use crate::{LoopOrder, element_bytes, is_tile};

/// Registers of a thread besides those of tiles: addresses, descriptors, counters, and some that `ptxas` needs.
const OTHERS: u64 = 34;

/// The same with values of a row, in a loop where all of this matters: with fewer `ptxas` runs products one by one (80 registers for tiles
/// of 104, and 208 of 232).
pub const OTHERS_AND_ROWS: u64 = 32;

/// Bytes of a register.
const REGISTER_BYTES: u64 = 4;

/// How much more an iteration has to take in its order than overlapped, if there are as few registers as that, or masks are to be made
/// anew in iterations that have them: more than the model may err. H100, attention, of which that is said: 128 columns and 144 or
/// 160 keys 1.08 to 1.15 times as fast, 64 and 176 1.03 to 1.16, 96 and 160 1.14 to 1.16, 256 and 80 1.10 to 1.18, three warpgroups of 64
/// columns and 128 keys 1.07 to 1.12. Sequences of different lengths with one warpgroup, to which it promises 1.07, are slower (0.93).
const WORTH_ALL_REGISTERS: f64 = 1.1;

/// Stages of which one is missed: one is read, one is read for the second time, and copies go to the others.
const FEW_STAGES: u64 = 3;

/// A loop in its order.
#[derive(Clone)]
pub struct Scheduled<'c> {
    graph: Graph,
    schedule: Schedule,
    nodes: Vec<Member<'c>>,
    /// What stage 1 needs of stage 0.
    crossing: Vec<Crossing<'c>>,
    /// How many copies its plan has.
    copies: usize,
    /// Products that a warp leaves out where its factors are 1.
    rescaling: Vec<usize>,
}

/// A value that goes from a round to the next, and the variable that it goes in, if it does.
#[derive(Clone, Copy)]
struct Crossing<'c> {
    value: Value<'c>,
    variable: Option<Value<'c>>,
}

/// A node's operation.
#[derive(Clone)]
pub struct Member<'c> {
    pub operation: Operation<'c>,
    /// All that it reads, in its regions, too.
    pub values: Vec<Value<'c>>,
    /// The numbers of the copies that it reads.
    pub copies: Vec<usize>,
    /// The number of the copy that it masks, if it does.
    pub masks: Option<usize>,
    /// What it needs that is computed anew where it runs, in order, if all of that follows from the counter.
    pub recomputed: Option<Vec<Operation<'c>>>,
}

/// The steps in which copies are first read and last.
type Ends = (Option<usize>, Option<usize>);

/// Where a channel is waited for and released: the stage, and the number of the step.
#[derive(Clone, Copy)]
struct Span {
    acquire: (Stage, Option<usize>),
    release: (Stage, Option<usize>),
}

impl<'c> Scheduled<'c> {
    /// The copies of each channel: those that are read first and last in the same steps, where what is read an iteration later
    /// would hold a stage that the loop has too few of. Else all are of one: each channel has its own waits, and costs more
    /// than copies that begin earlier bring (H100, attention of 64 columns with five stages: 5 %).
    pub fn channels(&self, stages: u64) -> Vec<Vec<usize>> {
        if !self.schedule.is_staggered() || stages > FEW_STAGES {
            return vec![(0..self.copies).collect()];
        }
        let mut channels: Vec<(Ends, Vec<usize>)> = Vec::new();
        for copy in 0..self.copies {
            let span = self.span(&[copy], &self.schedule.steps, &|_| false);
            let ends = (span.acquire.1, span.release.1);
            match channels.iter_mut().find(|(other, _)| *other == ends) {
                Some((_, copies)) => copies.push(copy),
                None => channels.push((ends, vec![copy])),
            }
        }
        channels.into_iter().map(|(_, copies)| copies).collect()
    }

    /// Whether what takes time runs at the end of these steps, after the last start or wait.
    fn has_work_before(&self, steps: &[Step]) -> bool {
        let runs = steps.iter().rev().map_while(|step| match step {
            Step::Run { node, .. } if !self.graph.nodes[*node].is_asynchronous => Some(*node),
            _ => None,
        });
        runs.into_iter().any(|node| self.graph.nodes[node].is_work)
    }

    /// What warpgroups that start in turn do around the start at this place: the first one behind a wait waits for the turn,
    /// the last one before the next wait passes it on.
    /// Where all of them meet is a wait as well: `meets` says that of each step.
    fn turn(&self, steps: &[Step], place: usize, meets: &[bool]) -> i64 {
        let is_start = |step: &&Step| match step {
            Step::Run { node, .. } => self.graph.nodes[*node].is_asynchronous,
            Step::Wait { .. } => false,
        };
        let runs = |(step, meets): &(&Step, &bool)| matches!(step, Step::Run { .. }) && !*meets;
        let all = || steps.iter().zip(meets);
        let mut before = all().take(place).rev().take_while(runs);
        let mut after = all().skip(place + 1).take_while(runs);
        let is_first = !before.any(|(step, _)| is_start(&step));
        let is_last = !after.any(|(step, _)| is_start(&step));
        let waits = if is_first { WAITS_FOR_TURN } else { 0 };
        let passes = if is_last { PASSES_TURN } else { 0 };
        waits | passes
    }

    /// Whether a step runs right before products that start in turn, and none that wait for the same turn were started.
    fn is_before_turn(&self, steps: &[Step], place: usize) -> bool {
        let is_start = |step: &Step| match step {
            Step::Run { node, .. } => self.graph.nodes[*node].is_asynchronous,
            Step::Wait { .. } => false,
        };
        let is_deferred = |step: &&Step| match step {
            Step::Run { node, .. } => self.graph.nodes[*node].is_deferred,
            Step::Wait { .. } => false,
        };
        let mut next = steps[place + 1..].iter().skip_while(is_deferred);
        let runs = |step: &&Step| matches!(step, Step::Run { .. });
        let mut before = steps[..place].iter().rev().take_while(runs);
        next.next().is_some_and(is_start) && !before.any(is_start)
    }

    /// Whether what takes time, and is more than what makes operands of the next iteration, runs in these steps.
    fn has_work_after(&self, steps: &[Step]) -> bool {
        steps.iter().any(|step| match step {
            Step::Run { node, .. } => {
                let mut edges = self.graph.edges.iter();
                let is_held = edges.any(|edge| edge.from == *node && edge.reason == Reason::Held);
                let node = self.graph.nodes[*node];
                node.is_work && !node.is_conversion && !node.is_asynchronous && !is_held
            }
            Step::Wait { .. } => false,
        })
    }

    /// Where copies are first read and last among these steps, of which some do nothing.
    fn span(
        &self,
        copies: &[usize],
        steps: &[Step],
        does_nothing: &impl Fn(usize) -> bool,
    ) -> Span {
        let reads = |node: usize| {
            self.nodes[node]
                .copies
                .iter()
                .any(|copy| copies.contains(copy))
        };
        let readers = (0..self.nodes.len()).filter(|node| reads(*node));
        let stages: Vec<Stage> = readers.map(|node| self.schedule.stages[node]).collect();
        let first = stages.iter().copied().min().unwrap_or(0);
        let last = stages.iter().copied().max().unwrap_or(0);
        let begins = |step: &Step| matches!(step, Step::Run { node, stage } if *stage == first && reads(*node));
        let acts = |step: &Step| {
            begins(step) && matches!(step, Step::Run { node, .. } if !does_nothing(*node))
        };
        let ends = |step: &Step| match step {
            Step::Run { node, stage } => {
                *stage == last && reads(*node) && !self.graph.nodes[*node].is_asynchronous
            }
            Step::Wait { done, .. } => done
                .iter()
                .any(|(node, stage)| *stage == last && reads(*node)),
        };
        Span {
            acquire: (
                first,
                steps
                    .iter()
                    .position(acts)
                    .or_else(|| steps.iter().position(begins)),
            ),
            release: (last, steps.iter().rposition(ends)),
        }
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// The order of a loop's iterations, if it has several products of warpgroups that need no memory of their own.
    pub(super) fn schedule(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: &Plan<'c>,
    ) -> Option<Scheduled<'c>> {
        let body = region_block(operation, 0)?;
        let mut order = LoopOrder {
            function: self.name.clone(),
            span: self.cx.span(operation.location()),
            graph: Graph::default(),
            operations: Vec::new(),
            schedule: None,
            available: 0,
            resident: Resident::alone((self.warps / WARPGROUP).max(1) as usize),
            machine: Machine::of(self.cx.target),
            refused: None,
        };
        let keeps = |mut order: LoopOrder, why: KeepsOrder| {
            order.refused = Some(RemarkKind::SourceOrder { why });
            self.cx.loops.borrow_mut().push(order);
            None
        };
        let share = match self.share_for_schedule(operation, plan) {
            Ok(share) => share,
            Err(why) => return keeps(order, KeepsOrder::NotScheduled(why)),
        };
        let encodings = Encodings::default();
        order.resident.programs = share.programs as usize;
        let all = order.resident.warpgroups;
        order.resident.producer = work_of(self.cx, &Encodings::default(), all, plan.computed());
        let resident = order.resident;
        let warpgroups = resident.warpgroups;
        let inside = (operation, body);
        let reader = Reader::new(self.cx, plan, &encodings, warpgroups, inside, &self.unused);
        let (mut graph, nodes) = reader.graph();
        let mut masks = Vec::new();
        if let Some(segments) = Segments::find(&encodings, operation, |_| Some(0)) {
            let taken = segments.taken().map(|(select, _)| select).collect();
            masks = reader.masks(&graph, &taken);
            for node in &masks {
                graph.nodes[*node].work = Work::default();
            }
        }
        order.graph = graph.clone();
        let place = |of: Operation<'c>| (name(of).to_owned(), self.cx.span(of.location()));
        order.operations = nodes.iter().map(|node| place(node.operation)).collect();
        if !graph.nodes.iter().any(|node| node.is_asynchronous) {
            return keeps(order, KeepsOrder::NotScheduled(NotScheduled::Written));
        }
        let mut available = share.consumers.saturating_sub(OTHERS);
        let (mut schedule, mut refusal) = graph.schedule(available);
        if !schedule.is_staggered() {
            // What a mask compares can be made for one element after the other, and is not there at all in most iterations.
            let mut other = graph.clone();
            masks.retain(|node| name(nodes[*node].operation) != "arith.select");
            for node in masks {
                other.nodes[node].registers = 0;
            }
            for node in &mut other.nodes {
                node.registers = if node.registers < FEW {
                    0
                } else {
                    node.registers
                };
            }
            let all = share.consumers.saturating_sub(OTHERS_AND_ROWS);
            let overlapped = other.schedule(all).0;
            let clocks = |schedule: &Schedule| {
                let estimate = graph.estimate_of(schedule, order.machine?, resident)?;
                Some(f64::from(estimate.clocks))
            };
            let both = clocks(&schedule).zip(clocks(&overlapped));
            let is_worth = both.is_some_and(|(now, other)| now >= WORTH_ALL_REGISTERS * other);
            if overlapped.is_staggered() && is_worth {
                (graph, schedule, refusal) = (other, overlapped, None);
                order.graph = graph.clone();
                available = all;
            }
        }
        order.available = available;
        let span = Some(order.span);
        if plan.products == 1 && !schedule.is_staggered() {
            return keeps(order, KeepsOrder::NotScheduled(NotScheduled::OneProduct));
        }
        if schedule.registers > available {
            let needed = schedule.registers;
            let why = KeepsOrder::Registers { needed, available };
            self.cx
                .remark(&self.name, span, RemarkKind::SourceOrder { why });
            return keeps(order, why);
        }
        if schedule.is_staggered() {
            let kind = RemarkKind::Overlapped {
                products: schedule.overlapping(&graph),
                registers: schedule.registers,
            };
            self.cx.remark(&self.name, span, kind);
        } else if let Some(refusal) = refusal {
            let kind = RemarkKind::NotOverlapped { why: refusal };
            order.refused = Some(kind.clone());
            self.cx.remark(&self.name, span, kind);
        }
        order.schedule = Some(schedule.clone());
        let machine = order.machine;
        self.cx.loops.borrow_mut().push(order);
        let mut rescaling = Vec::new();
        if warpgroups > 1 && schedule.is_staggered() {
            rescaling = (0..nodes.len())
                .filter(|node| is_rescaling(body, nodes[*node].operation))
                .collect();
        }
        if !rescaling.is_empty() {
            let estimate = machine.and_then(|of| graph.estimate_of(&schedule, of, resident));
            if !estimate.is_some_and(|estimate| estimate.waits_for_instructions()) {
                rescaling.clear();
            }
        }
        let mut crossing: Vec<Crossing<'c>> = Vec::new();
        for (member, stage) in nodes.iter().zip(&schedule.stages) {
            for value in member.values.iter().filter(|_| *stage == 1) {
                let is_known = crossing.iter().any(|one| key(one.value) == key(*value));
                if !is_known && reader.stage_of(*value, &schedule.stages) == Some(0) {
                    crossing.push(Crossing {
                        value: *value,
                        variable: word_variable(to, &encodings, *value),
                    });
                }
            }
        }
        Some(Scheduled {
            graph,
            schedule,
            nodes,
            crossing,
            copies: plan.copies.len(),
            rescaling,
        })
    }

    /// The registers that a loop's order may take, or why it is that of the source.
    fn share_for_schedule(
        &self,
        operation: Operation<'c>,
        plan: &Plan<'c>,
    ) -> Result<&Share, NotScheduled> {
        let Some(share) = &self.share else {
            return Err(NotScheduled::NoProducer);
        };
        if !plan.may_be_scheduled() {
            return Err(match plan.products < 2 {
                true => NotScheduled::OneProduct,
                false => NotScheduled::OwnAccumulators,
            });
        }
        if self
            .epilogue_loads
            .iter()
            .any(|epilogue_load| epilogue_load.of == address(operation))
        {
            return Err(NotScheduled::CopiesBehind);
        }
        if self.pair.is_some() && plan.products > 1 {
            return Err(NotScheduled::Pair);
        }
        Ok(share)
    }

    /// Whether warpgroups start the products of a loop in turn. Left alone they start them together: tensor cores take
    /// instructions of all by turns, so that all wait at once and all compute at once (H100, two products of 128 x 64 with
    /// powers between them: 483 instead of 666 us).
    pub(super) fn starts_in_turn(&self, scheduled: &Scheduled<'c>) -> bool {
        self.warps > WARPGROUP && scheduled.schedule.is_staggered()
    }

    /// Whether they do so in one of the loops.
    pub(super) fn has_turns(&self) -> bool {
        let mut all = self.scheduled.values();
        all.any(|scheduled| self.starts_in_turn(scheduled))
    }

    /// The iterations of a loop that has at least one, in their order; gives its results.
    pub(super) fn expand(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        ring: &Ring<'c>,
        scheduled: &Scheduled<'c>,
        given: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(Vec::new());
        };
        let (all, yields) = (arguments(body), yielded(body));
        let schedule = &scheduled.schedule;
        let is_staggered = schedule.is_staggered();
        let places = places(scheduled);
        let mut expansion = Expansion {
            ring,
            scheduled,
            body,
            late: yields
                .iter()
                .map(|value| {
                    let node = defining_operation(*value).and_then(|of| places.get(&address(of)));
                    node.is_some_and(|node| schedule.stages[*node] == 1)
                })
                .collect(),
            values: Default::default(),
            slots: Default::default(),
            is_first: false,
            // Also before the loop: products that start at once end late for all (H100, attention of 128 columns and 1000 to 2000 keys:
            // up to 3 %).
            takes_turns: self.starts_in_turn(scheduled),
        };
        let carried: Vec<usize> = (0..yields.len())
            .filter(|number| !expansion.late[*number])
            .collect();
        let crossing = scheduled
            .crossing
            .iter()
            .filter(|one| one.variable.is_none());
        let crossing: Vec<Value<'c>> = crossing.map(|one| one.value).collect();
        let mut list = vec![given[0], given[1], given[2]];
        self.mask_bounds = self.bounds_of_masks(to, operation, &ring.plan, (given[0], given[1]));
        if is_staggered {
            expansion.is_first = true;
            expansion.begin(to, &all, &given[..1], &given[3..]);
            self.walk(to, &mut expansion, &schedule.prologue)?;
            list[0] = to.builder.add(given[0], given[2]);
            list.extend(
                carried
                    .iter()
                    .map(|number| expansion.of(to, yields[*number], 0)),
            );
            list.extend(crossing.iter().map(|value| expansion.of(to, *value, 0)));
            expansion.is_first = false;
        } else {
            list.extend(&given[3..]);
        }
        let types: Vec<Type<'c>> = list[3..].iter().map(ValueLike::r#type).collect();
        let mut inner = vec![list[0].r#type()];
        inner.extend(&types);
        let old: Vec<Value<'c>> = carried.iter().map(|number| all[1 + number]).collect();
        // What masks an operand does so in the iteration that reads it.
        let segments = self.segments(to, operation, ring, |select| {
            let node = *places.get(&select)?;
            let stage = schedule.stages[node];
            (stage == 0 || scheduled.nodes[node].masks.is_some()).then_some(stage as i64)
        });
        let (range, initial) = ([list[0], list[1], list[2]], list[3..].to_vec());
        let ended =
            self.in_segments(to, segments.as_ref(), range, initial, |this, to, given| {
                let region = to.region(&inner, |to, new| {
                    let (now, before) = new[1..].split_at(carried.len());
                    expansion.begin(to, &[vec![all[0]], old.clone()].concat(), &new[..1], now);
                    expansion.after(to, &crossing, before);
                    this.walk(to, &mut expansion, &schedule.steps)?;
                    let mut next: Vec<_> = carried
                        .iter()
                        .map(|number| expansion.of(to, yields[*number], 0))
                        .collect();
                    next.extend(crossing.iter().map(|value| expansion.of(to, *value, 0)));
                    to.builder.insert("scf.yield", &next, &[], &[]);
                    Ok(())
                })?;
                let new = to
                    .builder
                    .insert_like(operation, given, &types, vec![region]);
                Ok(results(new))
            })?;
        // Behind the loop the first one still masks operands for the others.
        let masks_late =
            |(member, stage): (&Member<'c>, &Stage)| *stage == 1 && member.masks.is_some();
        let stages = scheduled.nodes.iter().zip(&schedule.stages);
        expansion.takes_turns &= stages.into_iter().any(masks_late);
        let (now, before) = ended.split_at(carried.len());
        if is_staggered {
            expansion.values = Default::default();
            expansion.after(to, &crossing, before);
            self.walk(to, &mut expansion, &schedule.epilogue)?;
        }
        self.mask_bounds = None;
        let mut now = now.iter().copied();
        let done = yields.iter().zip(expansion.late.clone());
        let done = done.map(|(value, is_late)| match is_late {
            true => Some(expansion.of(to, *value, 1)),
            false => now.next(),
        });
        Ok(done.flatten().collect())
    }

    /// Runs some steps.
    fn walk(
        &mut self,
        to: &mut Rebuilder<'c>,
        expansion: &mut Expansion<'_, 'c>,
        steps: &[Step],
    ) -> Result<(), Diagnostic> {
        let (ring, scheduled) = (expansion.ring, expansion.scheduled);
        let is_staggered = scheduled.schedule.is_staggered();
        let runs = |stage: Stage| {
            steps
                .iter()
                .any(|step| matches!(step, Step::Run { stage: of, .. } if *of == stage))
        };
        let (begins, ends) = (runs(0), runs(1));
        if begins {
            expansion.slots[0] = Some(Slot::of(to, ring, ring.consumer));
        }
        if ends {
            expansion.slots[1] = Some(Slot::of(to, ring, ring.before));
        }
        let channels = ring.channels.iter();
        // A mask that holds everywhere waits for nothing: values that it would mask may come while the product before theirs runs.
        let is_left_out = |node: usize| {
            let member = &scheduled.nodes[node];
            member.masks.is_some() && self.is_left_out(member.operation)
        };
        let channels: Vec<_> = channels
            .map(|channel| {
                (
                    channel,
                    scheduled.span(&channel.copies, steps, &is_left_out),
                )
            })
            .collect();
        let outer = self.now.take();
        let member = |place: usize| match steps[place] {
            Step::Run { node, .. } => Some(&scheduled.nodes[node]),
            Step::Wait { .. } => None,
        };
        let by_any: Vec<bool> = (0..steps.len())
            .map(|place| {
                member(place).is_some_and(|member| {
                    member.recomputed.is_some() && self.is_masked_by_any(member.operation)
                })
            })
            .collect();
        let takes_turns = expansion.takes_turns;
        let masks_before_turn =
            |place: usize| takes_turns && by_any[place] && scheduled.is_before_turn(steps, place);
        let meets: Vec<bool> = (0..steps.len())
            .map(|place| {
                let masks = member(place).is_some_and(|member| {
                    member.masks.is_some() && !self.is_left_out(member.operation)
                });
                masks && !masks_before_turn(place)
            })
            .collect();
        for (place, step) in steps.iter().enumerate() {
            for (channel, span) in &channels {
                if span.acquire.1 == Some(place) {
                    expansion.acquire(to, channel, span.acquire.0);
                }
            }
            match step {
                Step::Run { node, stage } => {
                    let turn = match expansion.takes_turns {
                        true => scheduled.turn(steps, place, &meets),
                        false => 0,
                    };
                    self.masks_before_turn = masks_before_turn(place);
                    self.run(to, expansion, (*node, *stage), turn)?;
                    self.masks_before_turn = false;
                }
                Step::Wait { pending, done } => {
                    // Where another warpgroup's turn fills what a wait that comes early leaves, `ptxas` may mix what reads
                    // the results with the work before it (H100, attention of 128 columns: 4 to 7 %); what only makes
                    // operands of the next iteration gains nothing by that, and loses 4 %.
                    let mixes =
                        self.starts_in_turn(scheduled) && scheduled.has_work_after(&steps[place..]);
                    if scheduled.has_work_before(&steps[..place]) && !mixes {
                        expansion.settle(to, &steps[..place]);
                        expansion.hold(to, done);
                    }
                    expansion.wait(to, *pending, done);
                }
            }
            for (channel, span) in &channels {
                if span.release.1 == Some(place)
                    && let Some(slot) = &expansion.slots[span.release.0]
                {
                    let mut copies = channel.copies_of(ring);
                    let is_read = copies.any(|(copy, _)| !copy.is_for_warpgroups);
                    self.release_one(to, channel, slot.stage, None, is_read);
                }
            }
        }
        self.now = outer;
        if begins {
            if is_staggered {
                ring.before.follow(&mut to.builder, ring.consumer);
            }
            ring.consumer.advance(&mut to.builder, ring.plan.stages);
        }
        Ok(())
    }

    /// Runs or starts an operation.
    fn run(
        &mut self,
        to: &mut Rebuilder<'c>,
        expansion: &mut Expansion<'_, 'c>,
        (node, stage): (usize, Stage),
        turn: i64,
    ) -> Result<(), Diagnostic> {
        let scheduled = expansion.scheduled;
        let member = &scheduled.nodes[node];
        for value in &member.values {
            if let Some(new) = expansion.find(*value, stage) {
                to.bind(*value, vec![new]);
            }
        }
        let operation = member.operation;
        if scheduled.graph.nodes[node].is_asynchronous {
            let mut list = attributes(operation);
            // Its wait is a step of its own.
            list.push(("running", to.builder.int(-1)));
            if turn != 0 {
                list.push(("in_turn", to.builder.int(turn)));
            }
            to.builder.set_location(operation.location());
            to.copy_with_attributes(self, operation, &list)?;
        } else {
            self.now = expansion.slots[stage].as_ref().map(|slot| Iteration {
                plan: expansion.ring.plan.clone(),
                stages: slot.buffers.clone(),
                begun: None,
                beside: Vec::new(),
            });
            // In front of the loop a sum is what it begins with: LLVM knows the product.
            if !expansion.is_first && scheduled.rescaling.contains(&node) {
                let mut list = attributes(operation);
                list.push((UNLESS_ONE, to.builder.unit()));
                to.builder.set_location(operation.location());
                to.copy_with_attributes(self, operation, &list)?;
            } else {
                if !self.is_left_out(operation) {
                    for needed in member.recomputed.iter().flatten() {
                        to.operation(self, *needed)?;
                    }
                }
                to.operation(self, operation)?;
            }
            self.now = None;
        }
        for value in results(operation) {
            let new = to.one(value);
            expansion.set(to, stage, value, new);
        }
        Ok(())
    }
}

/// The numbers of operations.
fn places(scheduled: &Scheduled<'_>) -> HashMap<usize, usize> {
    let nodes = scheduled.nodes.iter().enumerate();
    nodes
        .map(|(number, member)| (address(member.operation), number))
        .collect()
}

/// How many words a thread's part of a tile of numbers is; `None` where it is no whole ones.
pub fn word_count(encodings: &Encodings, value: Value<'_>) -> Option<u64> {
    let element = crate::ir::element_type(value.r#type()).to_string();
    let bytes = element_bytes(value.r#type());
    if !is_tile(value) || element == "i1" || element.starts_with('!') || bytes > REGISTER_BYTES {
        return None;
    }
    let bytes = encodings.layout(value).register_count() as u64 * bytes;
    bytes
        .is_multiple_of(REGISTER_BYTES)
        .then_some(bytes / REGISTER_BYTES)
}

/// A variable of words for a tile of narrow elements; `None` for others.
fn word_variable<'c>(
    to: &mut Rebuilder<'c>,
    encodings: &Encodings,
    value: Value<'c>,
) -> Option<Value<'c>> {
    let words =
        word_count(encodings, value).filter(|_| element_bytes(value.r#type()) < REGISTER_BYTES)?;
    Some(words_variable(to, words))
}

/// A variable of so many words of each thread.
pub fn words_variable<'c>(to: &mut Rebuilder<'c>, words: u64) -> Value<'c> {
    let builder = &mut to.builder;
    let word = builder.int_type(32);
    let one = builder.constant_int(1, word);
    let array = builder.parse_type(&format!("!llvm.array<{words} x i32>"));
    let attributes = [("elem_type", builder.type_attribute(array))];
    let pointer = builder.parse_type("!llvm.ptr");
    builder.value("llvm.alloca", &[one], &attributes, pointer)
}

/// The buffers of an iteration.
struct Slot<'c> {
    stage: Value<'c>,
    parity: Value<'c>,
    /// Of each copy.
    buffers: Vec<Value<'c>>,
}

impl<'c> Slot<'c> {
    fn of(to: &mut Rebuilder<'c>, ring: &Ring<'c>, turn: PipelineState<'c>) -> Self {
        let (stage, parity) = turn.now(&mut to.builder);
        let copies = ring.plan.copies.iter().zip(&ring.buffers);
        let buffers = copies.map(|(copy, buffers)| stage_of(to, *buffers, stage, copy));
        Self {
            stage,
            parity,
            buffers: buffers.collect(),
        }
    }
}

/// A loop that is being expanded.
struct Expansion<'a, 'c> {
    ring: &'a Ring<'c>,
    scheduled: &'a Scheduled<'c>,
    body: Block<'c>,
    /// By carried value: whether stage 1 computes it.
    late: Vec<bool>,
    /// What old values are, of this iteration and of the one before.
    values: [HashMap<ValueKey, Value<'c>>; 2],
    slots: [Option<Slot<'c>>; 2],
    /// Whether it is the first iteration, which has none before it.
    is_first: bool,
    /// Whether warpgroups start products in turn.
    takes_turns: bool,
}

impl<'c> Expansion<'_, 'c> {
    /// An iteration begins, with this counter and carried values (`old` has both).
    fn begin(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: &[Value<'c>],
        counter: &[Value<'c>],
        carried: &[Value<'c>],
    ) {
        self.values = Default::default();
        for (old, new) in old.iter().zip(counter.iter().chain(carried)) {
            self.values[0].insert(key(*old), *new);
            to.bind(*old, vec![*new]);
        }
    }

    /// What the iteration before left: `old` as the loop's variables, the others in variables of a thread.
    fn after(&mut self, to: &mut Rebuilder<'c>, old: &[Value<'c>], new: &[Value<'c>]) {
        for (old, new) in old.iter().zip(new) {
            self.values[1].insert(key(*old), *new);
        }
        for one in &self.scheduled.crossing {
            if let Some(variable) = one.variable {
                let ty = one.value.r#type();
                let kept = to.builder.insert("tile.kept", &[variable], &[], &[ty]);
                self.values[1].insert(key(one.value), result(kept, 0));
            }
        }
    }

    /// What an old value is at a stage; `None` if it is none of the loop's.
    fn find(&self, value: Value<'c>, stage: Stage) -> Option<Value<'c>> {
        let copies = self.ring.plan.copies.iter();
        let mut allocs = copies.map(|copy| copy.alloc.map(|alloc| key(result(alloc, 0))));
        if let Some(copy) = allocs.position(|alloc| alloc == Some(key(value))) {
            return self.slots[stage].as_ref().map(|slot| slot.buffers[copy]);
        }
        let number = carried_number(self.body, value);
        if let Some(number) = number
            && stage == 0
            && self.late[number]
            && !self.is_first
        {
            // What the iteration before gives is made in this one.
            let yielded = yielded(self.body)[number];
            return self.values[1].get(&key(yielded)).copied();
        }
        self.values[stage].get(&key(value)).copied()
    }

    /// The same of a value that may come from outside.
    fn of(&self, to: &Rebuilder<'c>, value: Value<'c>, stage: Stage) -> Value<'c> {
        self.find(value, stage).unwrap_or_else(|| to.one(value))
    }

    /// Waits for a channel's copies.
    fn acquire(&self, to: &mut Rebuilder<'c>, channel: &Channel<'c>, stage: Stage) {
        let Some(slot) = &self.slots[stage] else {
            return;
        };
        let list = [channel.full, slot.stage, slot.parity];
        to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        // Tensor cores see what threads have copied only then.
        let mut copies = channel.copies_of(self.ring);
        if copies.any(|(copy, _)| copy.is_in_pieces() && copy.is_for_warpgroups) {
            to.builder.insert("tile.proxy_fence", &[], &[], &[]);
        }
    }

    /// What an old value is from here on.
    fn set(&mut self, to: &mut Rebuilder<'c>, stage: Stage, old: Value<'c>, new: Value<'c>) {
        self.values[stage].insert(key(old), new);
        let mut crossing = self.scheduled.crossing.iter();
        let kept = crossing.find(|one| stage == 0 && key(one.value) == key(old));
        if let Some(variable) = kept.and_then(|one| one.variable) {
            to.builder.insert("tile.keep", &[new, variable], &[], &[]);
        }
    }

    /// Has what these steps compute for later ones alone done here. LLVM places what only computes where it is used.
    fn settle(&mut self, to: &mut Rebuilder<'c>, steps: &[Step]) {
        let scheduled = self.scheduled;
        let graph = &scheduled.graph;
        let encodings = Encodings::default();
        let is_used = |node: usize, stage: Stage| {
            let mut edges = graph.edges.iter();
            edges.any(|edge| {
                let user = Step::Run {
                    node: edge.to,
                    stage: stage + edge.distance,
                };
                edge.from == node && edge.reason != Reason::Order && steps.contains(&user)
            })
        };
        for step in steps {
            let Step::Run { node, stage } = *step else {
                continue;
            };
            let of = graph.nodes[node];
            if !of.is_work || of.is_asynchronous || is_used(node, stage) {
                continue;
            }
            for value in results(scheduled.nodes[node].operation) {
                if let Some(now) = self.find(value, stage)
                    && word_count(&encodings, value).is_some()
                {
                    let ty = value.r#type();
                    let settled = to.builder.insert("tile.settle", &[now], &[], &[ty]);
                    self.set(to, stage, value, result(settled, 0));
                }
            }
        }
    }

    /// Keeps work in front of a wait for products. `ptxas` moves waits up within a basic block, so here one ends: at a branch
    /// that asks once more whether the copies are there that one of the products reads. They are, and nobody is told yet that
    /// their stage is empty, so that phase is still the last one.
    fn hold(&self, to: &mut Rebuilder<'c>, done: &[(usize, Stage)]) {
        let channel = done.iter().find_map(|(node, stage)| {
            let copies = &self.scheduled.nodes[*node].copies;
            let mut channels = self.ring.channels.iter();
            let channel =
                channels.find(|channel| copies.iter().any(|copy| channel.copies.contains(copy)))?;
            Some((channel, *stage))
        });
        if let Some((channel, stage)) = channel
            && let Some(slot) = &self.slots[stage]
        {
            let list = [channel.full, slot.stage, slot.parity];
            to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        }
    }

    /// Waits for products.
    fn wait(&mut self, to: &mut Rebuilder<'c>, pending: usize, done: &[(usize, Stage)]) {
        let goes_on = |(node, stage): &&(usize, Stage)| {
            let mut edges = self.scheduled.graph.edges.iter();
            let next = edges.find(|edge| edge.from == *node && edge.reason == Reason::Chained);
            next.is_some_and(|edge| {
                let next = result(self.scheduled.nodes[edge.to].operation, 0);
                self.values[*stage].contains_key(&key(next))
            })
        };
        // Sums of a product that another one goes on with are that one's.
        let done: Vec<_> = done.iter().filter(|one| !goes_on(one)).collect();
        for (number, (node, stage)) in done.into_iter().enumerate() {
            let Some(dot) = Dot::of(self.scheduled.nodes[*node].operation) else {
                continue;
            };
            let sums = self.of(to, dot.result(), *stage);
            let mut list = vec![sums];
            if is_tile(dot.left()) {
                list.push(self.of(to, dot.left(), *stage));
            }
            let pending = if number == 0 { pending as i64 } else { -1 };
            let attributes = [("pending", to.builder.int(pending))];
            let ty = sums.r#type();
            let wait = to
                .builder
                .insert("tile.dot_wait", &list, &attributes, &[ty]);
            self.values[*stage].insert(key(dot.result()), result(wait, 0));
        }
    }
}

/// The number of a value that a loop carries; `None` for others, and its counter.
fn carried_number(body: Block<'_>, value: Value<'_>) -> Option<usize> {
    let all = arguments(body);
    let place = all
        .iter()
        .position(|argument| key(*argument) == key(value))?;
    place.checked_sub(1)
}
