//! The loop whose threads all copy for the rounds to come while they compute.
//!
//! Comes in: a loop and its plan. Goes out: the first copies, the loop (wait for the copies of this iteration, start those
//! of a later one, realign what came as it lies in memory, compute), and the waits for what still runs when it ends. Besides what it carried before it carries
//! what the copies ahead need, the stage to read, the stage to write, and the parity of the phase to wait for.

use melior::ir::{Attribute, ValueLike};

use super::plan::{Plan, Running};
use super::realigned::realign;
use super::{Iteration, Pipeline, WARPGROUP, ring};
use crate::barrier;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::dialect::predicates;
use crate::ir::{
    Operation, Value, address, arguments, operands, operations, region_block, results,
};

/// What stays the same while a loop is rebuilt.
pub struct Frame<'c> {
    pub plan: Plan<'c>,
    /// All stages of each copy.
    pub buffers: Vec<Value<'c>>,
    /// The buffers that a copy's rows are moved to, if they are.
    pub aligned: Vec<Option<Value<'c>>>,
    /// The mbarriers of the stages, if TMA copies.
    pub mbarriers: Option<Value<'c>>,
    pub counter: Value<'c>,
    pub carried: Vec<Value<'c>>,
    pub yielded: Vec<Value<'c>>,
    pub end: Value<'c>,
    pub step: Value<'c>,
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Builds a loop that has a plan.
    pub(super) fn pipelined(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: Plan<'c>,
    ) -> Result<(), Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(());
        };
        let old = operands(operation);
        let mut range: Vec<_> = old[..3].iter().map(|value| to.one(*value)).collect();
        self.range_of(to, operation, &mut range);
        let inside = operations(body);
        let Some((last, inside)) = inside.split_last() else {
            return Ok(());
        };
        let all = arguments(body);
        let buffers = plan.copies.iter().map(|copy| {
            let (offset, stages) = (to.builder.int(-1), to.builder.int(plan.stages as i64));
            let list = [("offset", offset), ("stages", stages)];
            let new = to
                .builder
                .insert("tile.shared_alloc", &[], &list, &[copy.buffer]);
            crate::ir::result(new, 0)
        });
        let buffers = buffers.collect();
        let turns = plan.realigned_stages();
        let aligned = plan.copies.iter().map(|copy| {
            let realigned = copy.realigned.as_ref()?;
            let (offset, stages) = (to.builder.int(-1), to.builder.int(turns as i64));
            let list = [("offset", offset), ("stages", stages)];
            let new = to
                .builder
                .insert("tile.shared_alloc", &[], &list, &[realigned.to]);
            Some(crate::ir::result(new, 0))
        });
        let aligned = aligned.collect();
        let frame = Frame {
            buffers,
            aligned,
            mbarriers: plan
                .box_bytes()
                .map(|_| ring::mbarriers(self.cx, &mut to.builder, plan.stages)),
            counter: all[0],
            carried: all[1..].to_vec(),
            yielded: operands(*last),
            end: range[1],
            step: range[2],
            plan,
        };
        let first = range[0];
        let initial: Vec<_> = old[3..].iter().map(|value| to.one(*value)).collect();
        let range = (first, frame.end);
        self.around(to, operation, &frame.plan, range, &initial, |this, to| {
            this.iterations(to, operation, &frame, inside, first, &initial)
        })
    }

    /// A loop's results, given what builds it: where part of the first iteration runs before it, or products run on
    /// from round to round, it is entered only if it has a round in this range. A path around the loop must not meet the
    /// products that it leaves running: `ptxas` would take the sums of that path for a change of theirs, and serialise them.
    pub(super) fn around(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: &Plan<'c>,
        (first, end): (Value<'c>, Value<'c>),
        initial: &[Value<'c>],
        iterations: impl FnOnce(&mut Self, &mut Rebuilder<'c>) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let is_scheduled = self.scheduled.contains_key(&address(operation));
        let done = if plan.running.is_empty() && plan.fragments.is_none() && !is_scheduled {
            iterations(self, to)?
        } else {
            let is_any = to.builder.compare_int(predicates::SLT, first, end);
            let then = to.region(&[], |to, _| {
                let done = iterations(self, to)?;
                to.builder.insert("scf.yield", &done, &[], &[]);
                Ok(())
            })?;
            let otherwise = to.region(&[], |to, _| {
                // Not as constants: what is done with the sums would be done apart, and at once, for either path.
                let mut none = initial.to_vec();
                wait_for_running(to, plan, &mut none);
                self.store_kept(to)?;
                to.builder.insert("scf.yield", &none, &[], &[]);
                Ok(())
            })?;
            let types: Vec<_> = initial.iter().map(ValueLike::r#type).collect();
            let regions = vec![then, otherwise];
            let either = to
                .builder
                .insert_with_regions("scf.if", &[is_any], &[], &types, regions);
            results(either)
        };
        for (old, new) in results(operation).into_iter().zip(done) {
            to.bind(old, vec![new]);
        }
        Ok(())
    }

    /// The first copies, the loop, and what has to be waited for after it. Gives the results.
    fn iterations(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        frame: &Frame<'c>,
        inside: &[Operation<'c>],
        first: Value<'c>,
        initial: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let plan = &frame.plan;
        let count = to.builder.int(plan.stages as i64);
        if let Some(mbarriers) = frame.mbarriers {
            let count = [("count", count)];
            to.builder
                .insert("tile.mbarrier_init", &[mbarriers], &count, &[]);
        }
        // What was done with the memory of the stages before is done.
        barrier(&mut to.builder, frame.mbarriers.is_some());
        let word = to.builder.int_type(32);
        let mut ahead: Vec<_> = plan.ahead.iter().map(|index| initial[*index]).collect();
        ahead.extend(self.load_places(to, frame, (first, 0))?);
        for iteration in 0..plan.distance {
            let stage = to.builder.constant_int(iteration as i64, word);
            ahead = self.copy_ahead(to, frame, (first, iteration), &ahead, stage, false)?;
            ahead.extend(self.load_places(to, frame, (first, iteration + 1))?);
        }
        let mut list = vec![first, frame.end, frame.step];
        list.extend(initial);
        list.extend(&ahead);
        // Which of two buffers rows are moved to comes last.
        let turn = plan.realigns_in_turns().then_some(0);
        for stage in [0, plan.distance % plan.stages, 0].into_iter().chain(turn) {
            list.push(to.builder.constant_int(stage as i64, word));
        }
        if let Some(fragments) = &plan.fragments {
            list.extend(fragments.first(to, frame));
        }
        let types: Vec<_> = list[3..].iter().map(ValueLike::r#type).collect();
        let mut given_types = vec![first.r#type()];
        given_types.extend(&types);
        self.mask_bounds = self.bounds_of_masks(to, operation, plan, (first, frame.end));
        let region = to.region(&given_types, |to, given| {
            self.iteration(to, frame, inside, given)
        })?;
        self.mask_bounds = None;
        let new = to
            .builder
            .insert_like(operation, &list, &types, vec![region]);
        let mut done = results(new);
        done.truncate(initial.len());
        wait_for_running(to, plan, &mut done);
        // What comes after may use the same memory for something else.
        barrier(&mut to.builder, false);
        if let Some(mbarriers) = frame.mbarriers {
            let count = [("count", count)];
            to.builder
                .insert("tile.mbarrier_end", &[mbarriers], &count, &[]);
        }
        Ok(done)
    }

    /// The body of the new loop: `given` are the counter, what was carried before, what is carried for
    /// the copies, the stages to read and to write, the parity of the phase to wait for, which of two buffers rows
    /// are moved to, and the fragments that its products begin with.
    fn iteration(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        inside: &[Operation<'c>],
        given: &[Value<'c>],
    ) -> Result<(), Diagnostic> {
        let plan = &frame.plan;
        let (counter, given) = (given[0], &given[1..]);
        let (carried, given) = given.split_at(frame.carried.len());
        let (ahead, stages) = given.split_at(plan.ahead.len() + plan.places.loads.len());
        let (read, write, parity) = (stages[0], stages[1], stages[2]);
        // Where products need nothing new at first, copies are started between them, and the wait is for the next iteration.
        let is_beside = plan.fragments.is_some();
        if plan.has_pieces() && !is_beside {
            let pending = to.builder.int(plan.distance as i64 - 1);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", pending)], &[]);
        }
        if let Some(mbarriers) = frame.mbarriers {
            let list = [mbarriers, read, parity];
            to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        }
        if !is_beside {
            barrier(&mut to.builder, self.proxy && plan.has_pieces_in_place());
        }
        // Warps that wait for each other multiply sooner if copies are started late, among their products; where
        // blocks are small others multiply meanwhile, and copies had better start soon.
        let is_alone = self.warps > WARPGROUP && plan.distance > 1;
        // What is only an iteration ahead is started at once, unless the products need its buffer.
        let is_needed_soon = plan.realigns() && plan.distance == 1;
        let late = !is_needed_soon
            && !is_beside
            && (!plan.running.is_empty() || (plan.box_bytes().is_none() && is_alone));
        let distance = plan.distance;
        let mut next = Vec::new();
        if !late {
            next = self.copy_ahead(to, frame, (counter, distance), ahead, write, is_beside)?;
        }
        let places = self.load_places(to, frame, (counter, distance + 1))?;
        to.bind(frame.counter, vec![counter]);
        for (old, new) in frame.carried.iter().zip(carried) {
            to.bind(*old, vec![*new]);
        }
        let word = to.builder.int_type(32);
        let turn = match plan.realigns_in_turns() {
            true => stages[3],
            false => to.builder.constant_int(0, word),
        };
        let (mut own, mut moved) = (Vec::new(), Vec::new());
        for ((copy, buffer), aligned) in plan.copies.iter().zip(&frame.buffers).zip(&frame.aligned)
        {
            let list = [*buffer, read];
            let ty = copy.buffer;
            let mut stage = to.builder.value("tile.shared_stage", &list, &[], ty);
            if let (Some(aligned), Some(realigned)) = (aligned, &copy.realigned) {
                let (list, from) = ([*aligned, turn], stage);
                stage = to
                    .builder
                    .value("tile.shared_stage", &list, &[], realigned.to);
                moved.push((copy, from, stage));
            }
            if let Some(alloc) = copy.alloc {
                to.bind(crate::ir::result(alloc, 0), vec![stage]);
            }
            own.push(stage);
        }
        if !moved.is_empty() {
            for operation in &plan.slice {
                to.operation(self, *operation)?;
            }
            realign(to, &moved);
            barrier(&mut to.builder, self.proxy);
        }
        let begun = plan.fragments.as_ref().map(|fragments| {
            let [.., left, right] = *stages else {
                unreachable!("an iteration that has begun has fragments");
            };
            fragments.begin(to, frame, [left, right], (counter, read))
        });
        // Products that would end in the iteration run while copies are started.
        let runs_beside = late && plan.running.is_empty() && !self.multiplies_in_turn(plan);
        let beside = match runs_beside {
            true => plan.can_run.clone(),
            false => Vec::new(),
        };
        let outer = self.now.replace(Iteration {
            plan: plan.clone(),
            stages: own,
            begun,
            beside: beside.clone(),
        });
        for operation in inside {
            to.operation(self, *operation)?;
        }
        let now = std::mem::replace(&mut self.now, outer);
        let begun = now.and_then(|now| now.begun);
        let mut yields: Vec<_> = frame.yielded.iter().map(|value| to.one(*value)).collect();
        if late {
            next = self.copy_ahead(to, frame, (counter, distance), ahead, write, false)?;
        }
        wait_for(to, &beside, &[], &mut yields);
        yields.extend(next);
        yields.extend(places);
        for stage in [read, write] {
            yields.push(following(to, stage, plan.stages).0);
        }
        let (_, is_last) = following(to, read, plan.stages);
        let one = to.builder.constant_int(1, word);
        let other = to.builder.binary("arith.xori", parity, one);
        yields.push(to.builder.select(is_last, other, parity));
        if plan.realigns_in_turns() {
            yields.push(to.builder.binary("arith.xori", turn, one));
        }
        yields.extend(begun.into_iter().flat_map(|begun| begun.words));
        to.builder.insert("scf.yield", &yields, &[], &[]);
        Ok(())
    }
}

/// The stage after this one, and whether this one is the last.
pub fn following<'c>(
    to: &mut Rebuilder<'c>,
    stage: Value<'c>,
    stages: u64,
) -> (Value<'c>, Value<'c>) {
    let word = to.builder.int_type(32);
    let one = to.builder.constant_int(1, word);
    let zero = to.builder.constant_int(0, word);
    let last = to.builder.constant_int(stages as i64 - 1, word);
    let is_last = to.builder.compare_int(predicates::EQ, stage, last);
    let next = to.builder.add(stage, one);
    (to.builder.select(is_last, zero, next), is_last)
}

/// Waits for the products that a loop left running, whose sums are among its results.
pub fn wait_for_running<'c>(to: &mut Rebuilder<'c>, plan: &Plan<'c>, done: &mut [Value<'c>]) {
    wait_for(to, &plan.running, &[], done);
}

/// The same, with the sums in other registers from here on: LLVM has no reason then to copy them before, while a product still writes them.
pub fn wait_for_moved<'c>(to: &mut Rebuilder<'c>, plan: &Plan<'c>, done: &mut [Value<'c>]) {
    let moved = [("moved", to.builder.int(1))];
    wait_for(to, &plan.running, &moved, done);
}

/// Waits for products, and gives their sums among values that are carried.
fn wait_for<'c>(
    to: &mut Rebuilder<'c>,
    products: &[Running],
    attributes: &[(&'c str, Attribute<'c>)],
    done: &mut [Value<'c>],
) {
    for Running { carried, .. } in products {
        let (list, ty) = ([done[*carried]], done[*carried].r#type());
        let wait = to.builder.insert("tile.dot_wait", &list, attributes, &[ty]);
        done[*carried] = crate::ir::result(wait, 0);
    }
}
