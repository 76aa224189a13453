//! The function in two roles: some warps copy, the others compute.
//!
//! ```text
//! for k { x = load(p(k)); … x … }
//!   ⇒  if producer { for k { wait until stage s is empty; copy p(k) to s; s = next } }
//!      else        { for k { wait until stage s is full; … s …; say that s is empty; s = next } }
//! ```
//!
//! There is no barrier among the consumers in an iteration: their warpgroups drift apart, and one computes
//! while another waits. Products that only add up stay running for an iteration, and release the stage of the
//! iteration before. One thread copies. It has a warpgroup of its own, as each quarter of a multiprocessor has
//! registers of its own, and only whole warpgroups can pass on theirs (PTX ISA, "setmaxnreg"). What TMA cannot copy all
//! threads of the producer do, in pieces. Layouts say who of those that compute would: a warp does that for several of them,
//! one after the other.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Region, ValueLike};

use super::computed::settled;
use super::copies::{Source, Start, position, stage_of, start_boxes, start_pieces};
use super::epilogue_loads::EpilogueLoad;
use super::pairs;
use super::plan::{Copy, Plan, Plans};
use super::programs::{Place, rank};
use super::ring::{Channel, Ring};
use super::rings::{self, COPYING_THREADS, Share};
use super::roles::Roles;
use super::stores::{BUFFERS, BoxStore};
use super::tile_scheduler::TileScheduler;
use super::{Map, Pipeline, WARPGROUP, roles, stationary};
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{NoProducer, Producer, RemarkCode, RemarkKind};
use crate::dialect::ops::Load;
use crate::dialect::{SPLIT, is_integer_division, is_pure, predicates};
use crate::encoding::buffer_type;
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, ValueKey, address, arguments, int_attribute, ints_attribute, key,
    name, operands, operations, region_block, results,
};
use crate::layout::SharedLayout;
use crate::layout::warp_boxes::{BOX_ROW_BYTES, BOX_ROWS};
use crate::{PassContext, function_name, has_warpgroup_products, is_tile};

/// The attribute of a function with warps that only copy: how many.
pub const COPYING_WARPS: &str = "tile.copying_warps";

/// The attribute of a function whose registers are shared out: how many programs a multiprocessor holds.
pub const PROGRAMS: &str = "tile.programs_per_multiprocessor";

/// The attribute of a loop of which each iteration is a program of its own, that need not wait for the one before.
pub const EACH_PROGRAM: &str = "tile.each_program";

/// The roles of a function, if a warp of its own is to copy for it, and what they share out; `plans` then
/// have the stages of rings.
pub fn roles<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    plans: &mut Plans<'c>,
    stores: &[BoxStore<'c>],
    epilogue_loads: &[EpilogueLoad<'c>],
    maps: &[Map],
) -> Option<(Roles, Share)> {
    let multiplies = cx.target.has_warpgroup_products && has_warpgroup_products(function);
    // All threads of a cluster meet where its blocks share a loop, and its programs are no blocks.
    if int_attribute(function, SPLIT).unwrap_or(1) > 1 {
        return None;
    }
    let copies_in_place =
        |plan: &Plan<'c>| plan.box_bytes().is_some() || plan.has_pieces_in_place();
    if !multiplies || !plans.values().any(copies_in_place) {
        return None;
    }
    let refuse = |at: Operation<'c>, why: NoProducer| {
        let span = Some(cx.span(at.location()));
        cx.remark(
            function_name(function),
            span,
            RemarkKind::NoProducer { why },
        );
    };
    match roles::find(function, plans, epilogue_loads) {
        Ok(roles) => match rings::choose(
            cx,
            function,
            plans,
            stores,
            epilogue_loads,
            |plans| stationary::find(cx, function, plans, &mut maps.to_vec()),
            roles.loads_rows,
        ) {
            Ok(share) => Some((roles, share)),
            Err(why) => {
                refuse(function, why);
                None
            }
        },
        Err(refusal) => {
            refuse(refusal.at, refusal.why);
            None
        }
    }
}

/// A loop that needs a ring.
struct LoopOfRing<'c> {
    operation: Operation<'c>,
    plan: Plan<'c>,
    channels: Vec<Vec<usize>>,
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// The whole body of a function, but for its return.
    pub(super) fn split(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
    ) -> Result<(), Diagnostic> {
        let all = operations(body);
        let maps = self.maps.clone();
        to.builder.insert("tile.tensor_prefetch", &maps, &[], &[]);
        let mut plans = Vec::new();
        crate::each_operation(self.function, &mut |operation| {
            plans.extend(
                self.plans
                    .shift_remove(&address(operation))
                    .map(|plan| (operation, plan)),
            );
        });
        self.unused = self.unused(plans.iter().map(|(_, plan)| plan));
        let mut loops: Vec<LoopOfRing<'c>> = Vec::new();
        for (operation, plan) in plans {
            self.say(operation, &plan);
            let scheduled = self.schedule(to, operation, &plan);
            let channels = match &scheduled {
                Some(scheduled) => scheduled.channels(plan.stages),
                None => vec![(0..plan.copies.len()).collect()],
            };
            self.scheduled
                .extend(scheduled.map(|scheduled| (address(operation), scheduled)));
            loops.push(LoopOfRing {
                operation,
                plan,
                channels,
            });
        }
        self.make_rings(to, loops);
        let through_operand = self.stationary.iter().any(|one| one.holds_staging);
        if !self.stores.is_empty() && !through_operand {
            self.staging = Some(self.staging(to));
            // Variables are made before there are branches: elsewhere LLVM would keep them in memory.
            self.find_late_stores(to);
        }
        self.say_epilogue_loads();
        self.make_slots(to);
        self.share(to)?;
        let sharing = self.sharing;
        let longest = self.longest;
        if let (Some(counter), Some(counts)) = (self.counter, self.counts) {
            let (given, threads) = ((counts, longest), (self.warps, self.has_pieces()));
            let scheduler = TileScheduler::new(self.cx, &mut to.builder, counter, given, threads);
            self.tile_scheduler = Some(scheduler);
        }
        self.turns = self
            .counts
            .map(|counts| counts.turns(&mut to.builder, sharing));
        let reach = if self.pair.is_some() {
            "cluster"
        } else {
            "block"
        };
        let whole = [("proxy", to.builder.int(1)), (reach, to.builder.int(1))];
        to.builder.insert("tile.barrier", &[], &whole, &[]);
        let truth = to.builder.int_type(1);
        let [any, alone] = [0, 1].map(|alone| {
            let alone = [("alone", to.builder.int(alone))];
            to.builder.value("tile.producer", &[], &alone, truth)
        });
        let by_threads = self.has_pieces();
        let producer = to.region(&[], |to, _| {
            self.keep_registers(to);
            if by_threads {
                self.alone = Some(alone);
                self.produce_all(to, &all)?;
            } else {
                to.only_if(alone, |to| self.produce_all(to, &all))?;
            }
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        let consumers = to.region(&[], |to, _| {
            self.consumes = true;
            self.hoisted.clear();
            self.keep_registers(to);
            let mut rings = self.rings.values();
            let mut scheduled = self.scheduled.values();
            if rings.any(|ring| self.multiplies_in_turn(&ring.plan))
                || scheduled.any(|scheduled| self.starts_in_turn(scheduled))
            {
                to.builder.insert("tile.dot_turns", &[], &[], &[]);
            }
            self.each_program(to, |this, to| {
                this.compute(to, &all)?;
                this.release_staging(to);
                Ok(())
            })?;
            self.store_kept(to)?;
            if self.staging.is_some() {
                to.builder.insert("tile.box_stores_done", &[], &[], &[]);
            }
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        let regions = vec![producer, consumers];
        to.builder
            .insert_with_regions("scf.if", &[any], &[], &[], regions);
        Ok(())
    }

    /// A ring for loops that are alike, of the channels that all of them want, or else of one.
    fn make_rings(&mut self, to: &mut Rebuilder<'c>, loops: Vec<LoopOfRing<'c>>) {
        let copying = if self.has_pieces() {
            COPYING_THREADS
        } else {
            0
        };
        let threads = (self.warps, copying as i64);
        let may_pair = self.pair.is_some();
        for one in &loops {
            let at = address(one.operation);
            let plan = one.plan.clone();
            // The first loop of a ring comes before the others.
            let first = plan.ring_of.and_then(|first| self.rings.get(&first));
            let ring = match first.cloned() {
                Some(ring) => Ring { plan, ..ring },
                None => {
                    let mut sharing = loops.iter().filter(|one| one.plan.ring_of == Some(at));
                    let channels = match sharing.all(|other| other.channels == one.channels) {
                        true => one.channels.clone(),
                        false => vec![(0..plan.copies.len()).collect()],
                    };
                    let builder = &mut to.builder;
                    let mut ring = Ring::new(self.cx, builder, plan, channels, threads, may_pair);
                    ring.loaded = self.variables(to, &ring);
                    ring
                }
            };
            self.rings.insert(at, ring);
        }
    }

    /// Buffers for the boxes that each warp stores.
    fn staging(&self, to: &mut Rebuilder<'c>) -> Value<'c> {
        let shape = [BOX_ROWS, BOX_ROW_BYTES];
        let layout = SharedLayout::panels(shape, [1, 0], 1, BOX_ROW_BYTES);
        let byte = to.builder.int_type(8);
        let ty = buffer_type(self.cx.context, byte, &layout);
        let list = [
            ("offset", to.builder.int(-1)),
            ("pinned", to.builder.int(1)),
            ("stages", to.builder.int(BUFFERS as i64 * self.warps)),
        ];
        let new = to.builder.insert("tile.shared_alloc", &[], &list, &[ty]);
        crate::ir::result(new, 0)
    }

    /// A store that TMA does, if it is one.
    pub(super) fn box_store(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) -> bool {
        let mut all = self.stores.iter();
        let found = all.find(|store| address(store.store.0) == address(operation));
        let (Some(found), Some(staging)) = (found, self.staging) else {
            return false;
        };
        let condition = self.place.and_then(|place| place.is_real);
        if self.keep(to, found, condition) {
            return true;
        }
        let starts = found.store.starts();
        let starts: Vec<_> = starts.into_iter().map(|start| to.one(start)).collect();
        let kinds = ints_attribute(operation, "kinds").unwrap_or_default();
        let what = [to.one(found.value), staging, self.maps[found.map]];
        self.insert_box_store(to, what, condition, &starts, &kinds);
        true
    }

    /// A store by TMA of a tile through a buffer, with a map.
    pub(super) fn insert_box_store(
        &self,
        to: &mut Rebuilder<'c>,
        what: [Value<'c>; 3],
        condition: Option<Value<'c>>,
        starts: &[Value<'c>],
        kinds: &[i64],
    ) {
        let mut list = what.to_vec();
        list.extend(condition);
        list.extend(starts);
        let segments = [1, 1, 1, i32::from(condition.is_some()), starts.len() as i32];
        let attributes = [
            ("kinds", to.builder.ints(kinds)),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        to.builder.insert("tile.box_store", &list, &attributes, &[]);
    }

    /// What the consumers need not do, since TMA does it: conversions of what it stores, and all that is
    /// computed for nothing else than to say where threads would load and store.
    fn unused<'a>(&self, plans: impl Iterator<Item = &'a Plan<'c>>) -> HashSet<usize>
    where
        'c: 'a,
    {
        let mut unused: HashSet<usize> = HashSet::new();
        let mut replaced: HashSet<usize> = HashSet::new();
        let mut loaded: HashSet<usize> = HashSet::new();
        for store in &self.stores {
            unused.extend(&store.conversion);
            replaced.insert(address(store.store.0));
        }
        for epilogue_load in &self.epilogue_loads {
            unused.extend(&epilogue_load.replaced);
            replaced.insert(address(epilogue_load.load.0));
        }
        for one in &self.stationary {
            unused.extend(&one.replaced);
        }
        for plan in plans {
            let loads = plan.copies.iter().filter(|copy| copy.computed.is_none());
            replaced.extend(loads.map(|copy| address(copy.load.0)));
            for computed in plan.computed() {
                replaced.insert(address(computed.store.0));
                loaded.extend(computed.loads.iter().map(|load| address(load.0)));
            }
        }
        // What the producer loads is written by nobody.
        let places = self.roles.as_ref().map(|roles| &roles.values);
        // What these still need is said by `starts`, and by the fragment.
        let mut needed: HashSet<ValueKey> = HashSet::new();
        for store in &self.stores {
            needed.extend(store.store.starts().into_iter().map(key));
            needed.insert(key(store.value));
        }
        let masked = self.stationary.iter().filter_map(|one| one.masked);
        needed.extend(masked.flat_map(|masked| masked.needs()).map(key));
        let mut all = Vec::new();
        crate::each_operation(self.function, &mut |operation| all.push(operation));
        let users = crate::uses(self.function);
        for operation in all.into_iter().rev() {
            let is_computed = is_pure(name(operation)) && operation.region_count() == 0;
            let is_place = places.is_some_and(|list| list.contains(&address(operation)));
            if !is_computed && !is_place && !loaded.contains(&address(operation)) {
                continue;
            }
            let is_unused = results(operation).into_iter().all(|value| {
                let mut users = users.get(&key(value)).into_iter().flatten();
                !needed.contains(&key(value))
                    && users.all(|user| {
                        unused.contains(&address(*user)) || replaced.contains(&address(*user))
                    })
            });
            if is_unused {
                unused.insert(address(operation));
            }
        }
        unused
    }

    /// The threads of a role keep the registers that they need, or take them.
    fn keep_registers(&self, to: &mut Rebuilder<'c>) {
        let Some(share) = &self.share else {
            return;
        };
        let count = match self.consumes {
            true => share.consumers,
            false => share.producer,
        };
        // Else all have enough from the start.
        if share.consumers > share.entry {
            let attributes = [
                ("count", to.builder.int(count as i64)),
                ("takes", to.builder.int(i64::from(self.consumes))),
            ];
            to.builder.insert("tile.registers", &[], &attributes, &[]);
        }
    }

    /// What each program does: once, or in a loop over a block's programs.
    fn each_program(
        &mut self,
        to: &mut Rebuilder<'c>,
        act: impl FnOnce(&mut Self, &mut Rebuilder<'c>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if let Some(scheduler) = self.tile_scheduler.clone() {
            return self.each_that_is_taken(to, &scheduler, act);
        }
        let (Some(counts), Some(turns)) = (self.counts, self.turns) else {
            return act(self, to);
        };
        let sharing = self.sharing;
        let first = turns.first.values();
        let types: Vec<_> = first.iter().map(ValueLike::r#type).collect();
        let mut inner = vec![turns.range[0].r#type()];
        inner.extend(&types);
        let region = to.region(&inner, |to, given| {
            self.place = Place::of(given);
            act(self, to)?;
            let next = to.builder.add(given[0], turns.range[2]);
            let place = move |builder: &mut Builder<'c>| {
                counts.shared_place(builder, sharing, next).values()
            };
            if !self.consumes {
                let next = place(&mut to.builder);
                to.builder.insert("scf.yield", &next, &[], &[]);
                return Ok(());
            }
            // After the last one no store waits for a division.
            let end = match sharing {
                Some(sharing) => sharing.end(&mut to.builder),
                None => turns.range[1],
            };
            let goes_on = to.builder.compare_int(predicates::SLT, next, end);
            let following = to.region(&[], |to, _| {
                let next = place(&mut to.builder);
                to.builder.insert("scf.yield", &next, &[], &[]);
                Ok(())
            })?;
            let any = to.region(&[], |to, _| {
                to.builder.insert("scf.yield", &given[1..], &[], &[]);
                Ok(())
            })?;
            let regions = vec![following, any];
            let next = to
                .builder
                .insert_with_regions("scf.if", &[goes_on], &[], &types, regions);
            to.builder.insert("scf.yield", &results(next), &[], &[]);
            Ok(())
        })?;
        let mut list = turns.range.to_vec();
        if let Some(sharing) = sharing {
            // Not known before: LLVM would make one branch of the producer's two, that this is one thread and that it
            // has a program, and `ptxas` would not see that it is one thread.
            list[1] = sharing.end(&mut to.builder);
        }
        list.extend(first);
        to.builder.set_location(self.function.location());
        let attributes = self.attributes_of_programs(&to.builder);
        to.builder
            .insert_with_regions("scf.for", &list, &attributes, &types, vec![region]);
        Ok(())
    }

    /// The attributes of the loop over a block's programs.
    fn attributes_of_programs(&self, builder: &Builder<'c>) -> Vec<(&'static str, Attribute<'c>)> {
        // What a program computes again is cheap, and kept it would take registers from the products.
        let stays = "#llvm.loop_annotation<licm = <disable = true>>";
        let mut list = vec![("llvm.loop_annotation", builder.parse_attribute(stays))];
        if self.sharing.is_none() && self.is_in_antiphase() {
            list.push((EACH_PROGRAM, builder.int(1)));
        }
        list
    }

    /// What each program does, in a loop over those that the dynamic tile scheduler gives a block.
    fn each_that_is_taken(
        &mut self,
        to: &mut Rebuilder<'c>,
        scheduler: &TileScheduler<'c>,
        act: impl FnOnce(&mut Self, &mut Rebuilder<'c>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let first = scheduler.first(&mut to.builder);
        let types: Vec<_> = first.iter().map(ValueLike::r#type).collect();
        let (test, ()) = to.builder.region(&types, |builder, given| {
            let mut list = vec![scheduler.exists(builder, given[0])];
            list.extend(given);
            builder.insert("scf.condition", &list, &[], &[]);
        });
        // Those of the producer that all copy have one among them that speaks, else it is alone here.
        let alone = self.alone.filter(|_| !self.consumes);
        let iteration = to.region(&types, |to, given| {
            self.place = Place::of(given);
            act(self, to)?;
            let next = if self.consumes || alone.is_some() {
                if let Some(alone) = alone {
                    to.only_if(alone, |to| {
                        scheduler.take(to);
                        Ok(())
                    })?;
                    // The others of its warp would wait for the one that writes.
                    to.builder.insert("tile.warp_sync", &[], &[], &[]);
                }
                let (next, slot) = scheduler.receive(to);
                self.release_one(to, scheduler.channel(), slot, None, true);
                next
            } else {
                scheduler.take(to)
            };
            to.builder.insert("scf.yield", &next, &[], &[]);
            Ok(())
        })?;
        to.builder.set_location(self.function.location());
        let attributes = self.attributes_of_programs(&to.builder);
        let regions = vec![test, iteration];
        to.builder
            .insert_with_regions("scf.while", &first, &attributes, &types, regions);
        Ok(())
    }

    /// Whether two warpgroups that start in turn have a multiprocessor for themselves: where the end of a program does not join them, one ends it
    /// while the other multiplies. The others gained nothing by that, or lost (H100: without turns, nearest codes, 0.97; three, causal, 64 columns
    /// and 8192 keys, 0.95; two programs beside each other, 128 x 64 with 64 columns, 0.98).
    fn is_in_antiphase(&self) -> bool {
        let is_alone = self.share.as_ref().is_some_and(|share| share.programs == 1);
        is_alone && self.warps == 2 * WARPGROUP && self.has_turns()
    }

    /// The producer's part of all of a block's programs.
    fn produce_all(
        &mut self,
        to: &mut Rebuilder<'c>,
        all: &[Operation<'c>],
    ) -> Result<(), Diagnostic> {
        self.each_program(to, |this, to| this.produce(to, all))?;
        if self.pair.is_some() {
            self.wait_for_neighbour(to)?;
        }
        Ok(())
    }

    /// A block may end when nobody accesses its shared memory: when the stages are empty, as then its neighbour has said
    /// for the last time that it is done with one, and has got what this block copied for it.
    fn wait_for_neighbour(&self, to: &mut Rebuilder<'c>) -> Result<(), Diagnostic> {
        let rings = self.rings.values();
        for ring in rings.filter(|ring| ring.plan.ring_of.is_none()) {
            let word = to.builder.int_type(32);
            let range = [0, ring.plan.stages as i64, 1];
            let range = range.map(|value| to.builder.constant_int(value, word));
            let region = to.region(&[word], |to, _| {
                for channel in &ring.channels {
                    ring.wait_until_empty(&mut to.builder, channel);
                }
                ring.producer.advance(&mut to.builder, ring.plan.stages);
                to.builder.insert("scf.yield", &[], &[], &[]);
                Ok(())
            })?;
            to.builder
                .insert_with_regions("scf.for", &range, &[], &[], vec![region]);
        }
        Ok(())
    }

    /// The producer's part of a program.
    fn produce(&mut self, to: &mut Rebuilder<'c>, all: &[Operation<'c>]) -> Result<(), Diagnostic> {
        for operation in all {
            let at = address(*operation);
            to.builder.set_location(operation.location());
            let Some(roles) = &self.roles else {
                return Ok(());
            };
            if let Some(ring) = self.rings.get(&at).cloned() {
                self.copies_of(to, *operation, &ring)?;
            } else if let Some(kept) = roles.around.get(&at) {
                let kept: Vec<_> = kept.iter().copied().collect();
                self.produce_around(to, *operation, &kept)?;
            } else if roles.values.contains(&at) {
                match gives_tile(*operation) {
                    false => to.operation(self, *operation)?,
                    true if is_costly(*operation) => self.hoist(to, *operation)?,
                    // Others are computed where they are needed.
                    true => {}
                }
            } else {
                self.copy_stationary(to, *operation)?;
                self.copy_epilogue_load(to, *operation)?;
            }
        }
        Ok(())
    }

    /// Computes a tile for all passes where it stands, before the loops that need it.
    fn hoist(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let tiles = self.tiles_for(operands(operation));
        let mut values = Vec::new();
        for pass in 0..self.warps / WARPGROUP {
            self.pass = Some(pass);
            for tile in &tiles {
                self.tile_of_pass(to, *tile)?;
            }
            to.operation(self, operation)?;
            values.push(to.one(results(operation)[0]));
        }
        self.pass = None;
        self.hoisted.insert(address(operation), values);
        Ok(())
    }

    /// Computes a tile for this pass, unless it was hoisted.
    pub(super) fn tile_of_pass(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let hoisted = self.hoisted.get(&address(operation));
        match hoisted.zip(self.pass) {
            Some((values, pass)) => {
                to.bind(results(operation)[0], vec![values[pass as usize]]);
                Ok(())
            }
            None => to.operation(self, operation),
        }
    }

    /// A loop or branch around copies, with what the producer needs of its values.
    fn produce_around(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        kept: &[usize],
    ) -> Result<(), Diagnostic> {
        let controls = if name(operation) == "scf.for" { 3 } else { 1 };
        let given = operands(operation);
        let mut list: Vec<_> = given[..controls].iter().map(|old| to.one(*old)).collect();
        if controls == 3 {
            list.extend(kept.iter().map(|index| to.one(given[controls + index])));
        }
        let all = results(operation);
        let types: Vec<_> = kept.iter().map(|index| all[*index].r#type()).collect();
        let mut regions = Vec::new();
        for index in 0..operation.region_count() {
            let Some(block) = region_block(operation, index) else {
                regions.push(Region::new());
                continue;
            };
            let old = arguments(block);
            let old: Vec<_> = match old.split_first() {
                None => Vec::new(),
                Some((counter, carried)) => std::iter::once(*counter)
                    .chain(kept.iter().map(|index| carried[*index]))
                    .collect(),
            };
            let inner: Vec<_> = old.iter().map(ValueLike::r#type).collect();
            regions.push(to.region(&inner, |to, new| {
                for (old, new) in old.iter().zip(new) {
                    to.bind(*old, vec![*new]);
                }
                let all = operations(block);
                self.produce(to, &all)?;
                let yielded = all.last().map(|last| operands(*last)).unwrap_or_default();
                let yielded: Vec<_> = kept.iter().map(|index| to.one(yielded[*index])).collect();
                to.builder.insert("scf.yield", &yielded, &[], &[]);
                Ok(())
            })?);
        }
        let new = to.builder.insert_like(operation, &list, &types, regions);
        for (index, new) in kept.iter().zip(results(new)) {
            to.bind(all[*index], vec![new]);
        }
        Ok(())
    }

    /// The copies of all iterations of a loop.
    fn copies_of(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        ring: &Ring<'c>,
    ) -> Result<(), Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(());
        };
        let plan = &ring.plan;
        let old = arguments(body);
        let given = operands(operation);
        let ahead = || plan.ahead.iter().copied();
        let mut list: Vec<_> = given[..3].iter().map(|old| to.one(*old)).collect();
        self.range_of(to, operation, &mut list);
        list.extend(ahead().map(|index| to.one(given[3 + index])));
        let range = [list[0], list[1], list[2]];
        let carried: Vec<_> = ahead().map(|index| old[1 + index]).collect();
        let yielded = operations(body).last().map(|last| operands(*last));
        let yielded = yielded.unwrap_or_default();
        let loads_next = !ring.loaded.is_empty();
        if loads_next {
            let (counter, exists) = position(to, range[0], range[1], range[2], 0);
            let first = self.load_at(to, ring, old[0], counter, Some(exists))?;
            ring.keep(to, &first);
        }
        let types: Vec<_> = carried.iter().map(ValueLike::r#type).collect();
        let mut inner = vec![old[0].r#type()];
        inner.extend(&types);
        let region = to.region(&inner, |to, new| {
            for (old, new) in carried.iter().zip(&new[1..]) {
                to.bind(*old, vec![*new]);
            }
            let mut after = None;
            let loaded = match plan.computed().next() {
                None => {
                    self.scalars_at(to, plan, old[0], new[0])?;
                    Vec::new()
                }
                Some(_) if loads_next => {
                    let kept = ring.kept(to);
                    let (counter, exists) = position(to, new[0], range[1], range[2], 1);
                    after = Some(self.load_at(to, ring, old[0], counter, Some(exists))?);
                    self.scalars_at(to, plan, old[0], new[0])?;
                    kept
                }
                Some(_) => {
                    let loaded = self.load_at(to, ring, old[0], new[0], None)?;
                    settled(to, &loaded)
                }
            };
            let mut loaded = loaded.as_slice();
            for channel in &ring.channels {
                let stage = ring.wait_until_empty(&mut to.builder, channel);
                self.boxes_of(to, ring, channel, stage)?;
                self.pieces_of(to, ring, channel, stage)?;
                self.end_pieces(to, channel, stage);
                loaded = self.compute_operands(to, ring, channel, stage, loaded)?;
            }
            ring.producer.advance(&mut to.builder, plan.stages);
            if let Some(after) = after {
                ring.keep(to, &after);
            }
            let next: Vec<_> = ahead().map(|index| to.one(yielded[index])).collect();
            to.builder.insert("scf.yield", &next, &[], &[]);
            Ok(())
        })?;
        to.builder
            .insert_like(operation, &list, &types, vec![region]);
        Ok(())
    }

    /// What the producer needs of an iteration that is no tile, and where its counter is this.
    pub(super) fn scalars_at(
        &mut self,
        to: &mut Rebuilder<'c>,
        plan: &Plan<'c>,
        counter: Value<'c>,
        now: Value<'c>,
    ) -> Result<(), Diagnostic> {
        to.bind(counter, vec![now]);
        let mut slice = plan.slice.iter();
        slice.try_for_each(|operation| match gives_tile(*operation) {
            true => Ok(()),
            false => to.operation(self, *operation),
        })
    }

    /// The copies of pieces to a stage.
    fn pieces_of(
        &mut self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
        channel: &Channel<'c>,
        stage: Value<'c>,
    ) -> Result<(), Diagnostic> {
        if !self.has_pieces() {
            return Ok(());
        }
        let tiles = self.tiles_of(channel.copies_of(ring).map(|(copy, _)| copy));
        for pass in 0..self.warps / WARPGROUP {
            self.pass = Some(pass);
            for operation in &tiles {
                self.tile_of_pass(to, *operation)?;
            }
            for (copy, buffers) in channel.copies_of(ring) {
                if !copy.is_in_pieces() {
                    continue;
                }
                if let Source::Pieces(pointers, mask) = Source::of(to, copy) {
                    let buffer = stage_of(to, buffers, stage, copy);
                    let when = Start::By(pass);
                    start_pieces(to, copy, (pointers, mask), buffer, when);
                }
            }
        }
        self.pass = None;
        Ok(())
    }

    /// What the pointers and masks of these copies are computed from, as far as it is tiles: others in each pass, also those
    /// that are computed before the loop.
    fn tiles_of<'a>(&self, copies: impl Iterator<Item = &'a Copy<'c>>) -> Vec<Operation<'c>>
    where
        'c: 'a,
    {
        let pieces = copies.filter(|copy| copy.is_in_pieces());
        let left = pieces
            .flat_map(|copy| copy.load.mask().into_iter().chain([copy.load.pointers()]))
            .collect();
        self.tiles_for(left)
    }

    /// What these values are computed from, as far as it is tiles.
    pub(super) fn tiles_for(&self, mut left: Vec<Value<'c>>) -> Vec<Operation<'c>> {
        let mut needed = HashSet::new();
        while let Some(value) = left.pop() {
            if let Some(operation) = defining_operation(value)
                && is_tile(value)
                && needed.insert(address(operation))
                && !self.hoisted.contains_key(&address(operation))
            {
                left.extend(operands(operation));
            }
        }
        self.in_order(&needed)
    }

    /// These operations, in the order of the program.
    pub(super) fn in_order(&self, addresses: &HashSet<usize>) -> Vec<Operation<'c>> {
        let mut list = Vec::new();
        crate::each_operation(self.function, &mut |operation| {
            if addresses.contains(&address(operation)) {
                list.push(operation);
            }
        });
        list
    }

    /// Says, when all that this thread has copied has come, that a stage has its pieces, if threads copy any.
    pub(super) fn end_pieces(
        &self,
        to: &mut Rebuilder<'c>,
        channel: &Channel<'c>,
        stage: Value<'c>,
    ) {
        if self.alone.is_some() {
            let list = [channel.full, stage];
            to.builder.insert("tile.async_arrive", &list, &[], &[]);
        }
    }

    /// What one thread does: here all that run are it, or this is a branch of its own.
    pub(super) fn by_one(
        &mut self,
        to: &mut Rebuilder<'c>,
        act: impl FnOnce(&mut Self, &mut Rebuilder<'c>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        match self.alone {
            Some(alone) => to.only_if(alone, |to| act(self, to)),
            None => act(self, to),
        }
    }

    /// The copies of boxes to a stage.
    fn boxes_of(
        &mut self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
        channel: &Channel<'c>,
        stage: Value<'c>,
    ) -> Result<(), Diagnostic> {
        self.by_one(to, |this, to| {
            let boxes = channel
                .copies_of(ring)
                .filter_map(|(copy, _)| copy.boxes.as_ref());
            let bytes: u64 = boxes.map(|copy| copy.expected).sum();
            let bytes = [("bytes", to.builder.int(bytes as i64))];
            let list = [channel.full, stage];
            to.builder
                .insert("tile.mbarrier_expect", &list, &bytes, &[]);
            for (copy, buffers) in channel.copies_of(ring) {
                // Of pieces the pointers are made later.
                let Some(boxes) = &copy.boxes else {
                    continue;
                };
                let Source::Boxes(mut starts) = Source::of(to, copy) else {
                    continue;
                };
                let buffer = stage_of(to, buffers, stage, copy);
                let list = [this.maps[boxes.map], buffer, channel.full, stage];
                let Some(half) = copy.half else {
                    start_boxes(to, boxes, &list, &starts, None);
                    continue;
                };
                let whole = to.region(&[], |to, _| {
                    start_boxes(to, boxes, &list, &starts, None);
                    to.builder.insert("scf.yield", &[], &[], &[]);
                    Ok(())
                })?;
                let shared = to.region(&[], |to, _| {
                    let builder = &mut to.builder;
                    let rank = rank(builder);
                    let step = builder.constant_int(half.step as i64, rank.r#type());
                    let moved = builder.multiply(rank, step);
                    starts[half.axis] = builder.add(starts[half.axis], moved);
                    let list = [this.maps[half.map], buffer, channel.full, stage];
                    start_boxes(to, boxes, &list, &starts, Some(half));
                    to.builder.insert("scf.yield", &[], &[], &[]);
                    Ok(())
                })?;
                let is_paired = pairs::is_paired(&mut to.builder);
                let none = to.builder.constant_int(0, is_paired.r#type());
                let is_paired = to.builder.compare_int(predicates::NE, is_paired, none);
                let regions = vec![shared, whole];
                to.builder
                    .insert_with_regions("scf.if", &[is_paired], &[], &[], regions);
            }
            Ok(())
        })
    }

    /// Whether the warpgroups that compute multiply in turn in a loop: where each computes what it multiplies next while
    /// others multiply. Left alone they compute and multiply at the same time: they wait for the same copies, and
    /// the tensor cores take instructions of all of them by turns, so that all are done at once.
    pub(super) fn multiplies_in_turn(&self, plan: &Plan<'c>) -> bool {
        self.consumes && self.warps > WARPGROUP && plan.takes_registers && plan.products == 1
    }

    /// Whether all threads of the producer copy.
    fn has_pieces(&self) -> bool {
        self.share.as_ref().is_some_and(|share| share.has_pieces)
    }

    /// The remark on a loop.
    pub(super) fn say(&self, operation: Operation<'c>, plan: &Plan<'c>) {
        let producer = match (&self.roles, self.has_pieces()) {
            (None, _) => Producer::None,
            (Some(_), false) => Producer::Warp,
            (Some(_), true) => Producer::Warpgroup,
        };
        // Those who multiply do not meet for it any more.
        for store in plan
            .computed()
            .filter_map(|one| defining_operation(one.store.value()))
        {
            let span = self.cx.span(store.location());
            self.cx
                .retract(&self.name, span, RemarkCode::SharedMemoryTrip);
        }
        for copy in &plan.copies {
            let Some(masked) = copy.masked else {
                continue;
            };
            for stored in [Some(masked.select), masked.transposed]
                .into_iter()
                .flatten()
            {
                let span = self.cx.span(stored.location());
                self.cx
                    .retract(&self.name, span, RemarkCode::SharedMemoryTrip);
            }
            let span = Some(self.cx.span(copy.load.0.location()));
            self.cx.remark(&self.name, span, RemarkKind::MaskedInPlace);
        }
        let span = Some(self.cx.span(operation.location()));
        self.cx.remark(&self.name, span, plan.remark(producer));
    }
}

/// Whether an operation is worth being done once: LLVM may move neither what loads nor what divides out of a loop that may never end.
fn is_costly(operation: Operation<'_>) -> bool {
    is_integer_division(name(operation)) || Load::of(operation).is_some()
}

/// Whether an operation's result is a tile.
fn gives_tile(operation: Operation<'_>) -> bool {
    results(operation)
        .first()
        .is_some_and(|value| is_tile(*value))
}

/// The remark on pairs.
pub fn say_pair<'c>(cx: &PassContext<'_, 'c>, function: Operation<'c>, axis: u32) {
    let span = Some(cx.span(function.location()));
    cx.remark(function_name(function), span, RemarkKind::Cluster { axis });
}
