//! A loop as those run it who compute: they wait for full stages, and say which are empty.
//!
//! ```text
//! for k { wait until stage s is full; … s …; say that s is empty; s = next }
//! ```
//!
//! Products that only add up stay running for an iteration, and release the stage of the iteration before. What was kept of the
//! program before is stored beside the first iteration ([`late_stores`](super::late_stores)).

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::copies::stage_of;
use super::iterations::{wait_for_moved, wait_for_running};
use super::plan::Copy;
use super::ring::{Channel, Ring};
use super::segments::Segments;
use super::{Iteration, Pipeline};
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::predicates;
use crate::encoding::Encodings;
use crate::facts::constant_of;
use crate::ir::{
    Block, Operation, Value, address, arguments, operands, operations, region_block, results,
};

/// Whether an iteration has another one before it, whose stage products may still read.
#[derive(Clone, Copy)]
enum Before<'c> {
    None,
    Always,
    /// All but that with this counter.
    From(Value<'c>),
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// A loop as the consumers run it.
    pub(super) fn consumed(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        ring: &Ring<'c>,
    ) -> Result<(), Diagnostic> {
        let mut given: Vec<_> = operands(operation).iter().map(|old| to.one(*old)).collect();
        self.range_of(to, operation, &mut given);
        let range = (given[0], given[1]);
        if let Some(scheduled) = self.scheduled.get(&address(operation)).cloned() {
            return self.around(to, operation, &ring.plan, range, &given[3..], |this, to| {
                this.expand(to, operation, ring, &scheduled, &given)
            });
        }
        self.around(to, operation, &ring.plan, range, &given[3..], |this, to| {
            this.iterations_of(to, operation, ring, &given)
        })
    }

    /// The iterations of a loop that has at least one. What was kept of the program before is stored beside the first.
    fn iterations_of(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        ring: &Ring<'c>,
        given: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(Vec::new());
        };
        let mut given = given.to_vec();
        let mut before = Before::From(given[0]);
        if !self.late.is_empty() {
            let mut now = vec![given[0]];
            now.extend(&given[3..]);
            let sums = self.iteration_of(to, ring, body, Before::None, &now)?;
            self.store_kept(to)?;
            given[0] = to.builder.add(given[0], given[2]);
            given.splice(3.., sums);
            before = Before::Always;
        }
        let segments = self.segments(to, operation, ring, |_| Some(0));
        if segments.is_none() {
            self.mask_bounds =
                self.bounds_of_masks(to, operation, &ring.plan, (given[0], given[1]));
        }
        let range = [given[0], given[1], given[2]];
        let initial = given[3..].to_vec();
        let mut done =
            self.in_segments(to, segments.as_ref(), range, initial, |this, to, given| {
                this.loop_of(to, (operation, ring), before, given)
            })?;
        self.mask_bounds = None;
        // A loop that runs for sure has no path around it that joins here, and its sums are carried to the next program, which stores them: LLVM then
        // copies them in front of the wait, out of registers that a product still writes.
        let ends = operands(operation);
        let is_certain = ends.iter().take(2).all(|end| constant_of(*end).is_some());
        match is_certain && !self.late.is_empty() {
            true => wait_for_moved(to, &ring.plan, &mut done),
            false => wait_for_running(to, &ring.plan, &mut done),
        }
        if !ring.plan.running.is_empty() {
            let (before, _) = ring.before.now(&mut to.builder);
            self.release(to, ring, before, None, false);
        }
        Ok(done)
    }

    /// A loop in the segments of its range, one loop after the other; `emit` is given the range and what is carried.
    pub(super) fn in_segments(
        &mut self,
        to: &mut Rebuilder<'c>,
        segments: Option<&Segments<'c>>,
        [first, end, step]: [Value<'c>; 3],
        carried: Vec<Value<'c>>,
        mut emit: impl FnMut(
            &mut Self,
            &mut Rebuilder<'c>,
            &[Value<'c>],
        ) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let Some(segments) = segments else {
            return emit(self, to, &[&[first, end, step], &carried[..]].concat());
        };
        let bounds = segments.bounds(to, first, end);
        let mut carried = carried;
        if let Some(begin) = bounds.begin {
            carried = emit(self, to, &[&[first, begin, step], &carried[..]].concat())?;
        }
        self.taken.extend(segments.taken());
        let range = [
            bounds.begin.unwrap_or(first),
            bounds.end.unwrap_or(end),
            step,
        ];
        carried = emit(self, to, &[&range, &carried[..]].concat())?;
        self.taken.clear();
        if let Some(until) = bounds.end {
            carried = emit(self, to, &[&[until, end, step], &carried[..]].concat())?;
        }
        Ok(carried)
    }

    /// The iterations of a range; gives the loop's results.
    fn loop_of(
        &mut self,
        to: &mut Rebuilder<'c>,
        (operation, ring): (Operation<'c>, &Ring<'c>),
        before: Before<'c>,
        given: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(Vec::new());
        };
        let types: Vec<_> = given[3..].iter().map(ValueLike::r#type).collect();
        let mut inner = vec![given[0].r#type()];
        inner.extend(&types);
        let region = to.region(&inner, |to, new| {
            let yielded = self.iteration_of(to, ring, body, before, new)?;
            to.builder.insert("scf.yield", &yielded, &[], &[]);
            Ok(())
        })?;
        let new = to
            .builder
            .insert_like(operation, given, &types, vec![region]);
        Ok(results(new))
    }

    /// The iterations of a loop in which its masks hold, if they get a loop of their own. Products that run on from iteration to
    /// iteration would have to end between the loops. `may_take` says which selections may be left out, see [`Segments::find`].
    pub(super) fn segments(
        &self,
        to: &Rebuilder<'c>,
        operation: Operation<'c>,
        ring: &Ring<'c>,
        may_take: impl Fn(usize) -> Option<i64>,
    ) -> Option<Segments<'c>> {
        if !ring.plan.running.is_empty() || !self.late.is_empty() {
            return None;
        }
        let segments = Segments::find(&Encodings::default(), operation, may_take)?;
        if !segments.is_bound(to) {
            return None;
        }
        let span = Some(self.cx.span(operation.location()));
        let kind = RemarkKind::MasksSplitOff {
            masks: segments.count(),
        };
        self.cx.remark(&self.name, span, kind);
        Some(segments)
    }

    /// An iteration of the consumers; gives what it yields.
    fn iteration_of(
        &mut self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
        body: Block<'c>,
        has_before: Before<'c>,
        given: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let plan = &ring.plan;
        let stage = ring.wait_until_full(&mut to.builder);
        // Tensor cores see what threads have copied only then.
        let by_threads = |copy: &Copy<'c>| copy.is_in_pieces() && copy.is_for_warpgroups;
        if plan.copies.iter().any(by_threads) {
            to.builder.insert("tile.proxy_fence", &[], &[], &[]);
        }
        for (old, new) in arguments(body).into_iter().zip(given) {
            to.bind(old, vec![*new]);
        }
        let mut own = Vec::new();
        for (copy, buffers) in plan.copies.iter().zip(&ring.buffers) {
            let buffer = stage_of(to, *buffers, stage, copy);
            if let Some(alloc) = copy.alloc {
                to.bind(crate::ir::result(alloc, 0), vec![buffer]);
            }
            own.push(buffer);
        }
        let outer = self.now.replace(Iteration {
            plan: plan.clone(),
            stages: own,
            begun: None,
            beside: Vec::new(),
        });
        let inside = operations(body);
        let Some((last, inside)) = inside.split_last() else {
            return Ok(Vec::new());
        };
        for operation in inside {
            to.operation(self, *operation)?;
        }
        self.now = outer;
        let yielded: Vec<_> = operands(*last).iter().map(|value| to.one(*value)).collect();
        if plan.running.is_empty() {
            self.release(to, ring, stage, None, false);
        } else {
            let is_later = match has_before {
                Before::From(first) => {
                    Some(to.builder.compare_int(predicates::SGT, given[0], first))
                }
                Before::Always | Before::None => None,
            };
            if !matches!(has_before, Before::None) {
                let (before, _) = ring.before.now(&mut to.builder);
                self.release(to, ring, before, is_later, false);
            }
            ring.before.follow(&mut to.builder, ring.consumer);
        }
        ring.consumer.advance(&mut to.builder, plan.stages);
        Ok(yielded)
    }

    /// Each warp of the consumers says that it is done with a stage; where `condition` holds, if there is
    /// one. `is_read` where its threads read the stage themselves, besides what the loop's plan says.
    pub(super) fn release(
        &self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
        stage: Value<'c>,
        condition: Option<Value<'c>>,
        is_read: bool,
    ) {
        for channel in &ring.channels {
            let mut copies = channel.copies_of(ring);
            let is_read = is_read || copies.any(|(copy, _)| !copy.is_for_warpgroups);
            self.release_one(to, channel, stage, condition, is_read);
        }
    }

    /// The same of one channel, which threads read themselves or not.
    pub(super) fn release_one(
        &self,
        to: &mut Rebuilder<'c>,
        channel: &Channel<'c>,
        stage: Value<'c>,
        condition: Option<Value<'c>>,
        is_read: bool,
    ) {
        let mut list = vec![channel.empty, stage];
        list.extend(condition);
        // A thread speaks for its warp. Products are the whole warp's; what threads read is their own.
        let mut attributes = vec![("meets", to.builder.int(i64::from(is_read)))];
        if self.pair.is_some() {
            attributes.push(("pairs", to.builder.int(1)));
        }
        to.builder
            .insert("tile.mbarrier_arrive", &list, &attributes, &[]);
    }
}
