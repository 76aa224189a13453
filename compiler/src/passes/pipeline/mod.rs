//! `pipeline`: loops load what their next rounds need while they compute.
//!
//! ```text
//! for k { x = load(p(k)); buffer = x; … buffer … }
//!   ⇒  copy p(0) to stage 0, …, p(D - 1) to stage D - 1
//!      for k { wait for the copy to stage k % S; barrier
//!              copy p(k + D) to stage (k + D) % S
//!              … stage k % S … }
//! ```
//!
//! What a load needs (pointers and mask) is computed `D` rounds ahead of everything else. That is
//! possible where it depends on the loop's counter, on values from outside, and on carried values that
//! depend on nothing else in turn ([`plan`] proves it). Copies are asynchronous and go to shared memory
//! directly. A copy for a round that will not be is not started, so loops of any number of rounds
//! are right, and when the loop ends no copy is left.
//!
//! There is one barrier per round. It says that all threads' copies for this round have arrived, and
//! that all threads are done with the round before, whose stage the new copies overwrite. Products of
//! warpgroups that only add up may stay running for a round: then copies overwrite the stage of the
//! round before that.
//!
//! Where TMA can copy whole boxes of a tensor ([`boxes`]), one thread starts them, and an mbarrier per
//! stage says when they have arrived; the function gets a parameter for each tensor map. Other loads are
//! copied by all threads, in pieces of 4 to 16 bytes.
//!
//! Where TMA copies all that the products of warpgroups need, a warpgroup of its own does it: [`roles`] finds its
//! part, [`split`] builds both, [`rings`] says how they share memory and registers. Programs then take turns on a
//! block ([`programs`]), several blocks share one that is left over ([`leftovers`]), two programs may share copies
//! ([`pairs`]), TMA stores what they computed ([`stores`]), and what is added to it comes as copies of the same ring
//! ([`tails`]).
//!
//! Loops that reduce load ahead into registers ([`registers`]). Programs of long rows take turns, and the next one's
//! row comes while this one is computed ([`turns`]). Rows too long for registers wait in shared memory ([`rows`]).
//!
//! Blocks of a cluster tell each other results of reductions through mbarriers ([`exchanges`]).
//!
//! Comes in: buffers that are explicit but not placed. Goes out: the same, some with `stages`, whose
//! accesses are in order: `barriers` leaves them alone.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Module, Type, ValueLike};

use super::{PassContext, function_name, is_tile, rebuild_functions, rebuild_functions_with};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, predicates};
use crate::ir::{
    Builder, Operation, Rebuilder, Rewrite, Value, arguments, attributes, int_attribute, key, name,
    operands, operations, region_block, results,
};

mod boxes;
mod exchanges;
mod leftovers;
mod pairs;
mod plan;
mod programs;
mod registers;
mod ring;
mod rings;
mod roles;
mod rows;
mod split;
mod stages;
mod stores;
mod tails;
mod turns;

use boxes::{BoxCopy, Half};
pub use boxes::{MAPS, Map};
pub use leftovers::PART_BYTES;
use leftovers::{Given, Leftovers, Sharing};
pub use pairs::{PAIR, PAIR_MAPS, is_paired};
use plan::{Copy, Plan, Plans, Running, address};
pub use programs::TURNS;
use programs::{Counts, Place, Turns};
use ring::Ring;
use rings::Share;
use roles::Roles;
pub use split::{COPYING_WARPS, PROGRAMS};
pub use stages::STAGES;
pub use stores::BUFFERS;
use stores::BoxStore;
use tails::Tail;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = super::encoding::Encodings::default();
    let module = rebuild_functions_with(cx, &module, |function| {
        let (mut plans, mut maps) = plan::find(cx, &encodings, function);
        let of_loads = maps.len();
        let tails = tails::find(cx, &encodings, function, &plans, &mut maps);
        let stores = stores::find(cx, &encodings, function, &mut maps);
        let split = split::roles(cx, function, &mut plans, &stores, &tails);
        let (mut pair, mut leftovers) = (None, None);
        match &split {
            None => maps.truncate(of_loads),
            Some((roles, _)) if roles.any_order => {
                pair = pairs::find(function, &mut plans, &stores, &mut maps);
                leftovers = leftovers::find(cx, &encodings, function, &plans);
            }
            Some(_) => {}
        }
        let top = crate::ffi::block(module.body());
        let builder = Builder::new(cx.context, top, function.location());
        let mut attributes = Vec::new();
        if !maps.is_empty() {
            attributes.push((MAPS, builder.ints(&Map::write(&maps))));
        }
        if let Some((roles, share)) = &split {
            attributes.push((COPYING_WARPS, builder.int(WARPGROUP)));
            attributes.push((PROGRAMS, builder.int(share.programs as i64)));
            if roles.any_order {
                attributes.push((TURNS, builder.int(1)));
            }
            if let Some(pair) = &pair {
                attributes.push((PAIR, builder.int(pair.axis.into())));
                attributes.push((PAIR_MAPS, builder.ints(&pair.maps)));
                split::say_pair(cx, function, pair.axis);
            }
            if let Some(leftovers) = &leftovers {
                attributes.push((PART_BYTES, builder.int(leftovers.part_bytes() as i64)));
            }
        }
        let (roles, share) = split.unzip();
        let pipeline = Pipeline {
            function,
            plans,
            proxy: super::has_warpgroup_products(function),
            now: None,
            name: function_name(function).to_owned(),
            warps: int_attribute(function, "tile.warps").unwrap_or(1),
            map_count: maps.len(),
            maps: Vec::new(),
            roles,
            share,
            rings: HashMap::new(),
            stores,
            tails,
            unused: HashSet::new(),
            staging: None,
            consumes: false,
            is_split: false,
            group: int_attribute(function, super::tensor_cores::order::GROUP),
            pair: pair.map(|pair| pair.axis),
            leftovers,
            sharing: None,
            given: None,
            counts: None,
            turns: None,
            place: None,
            cx,
        };
        Ok((pipeline, attributes))
    })?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(registers::Ahead::find(cx, &encodings, function))
    })?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(rows::Rows::find(cx, &encodings, function))
    })?;
    let module = rebuild_functions_with(cx, &module, |function| {
        let turns = turns::Turns::find(cx, &encodings, function);
        let attributes = turns.attributes(&module);
        Ok((turns, attributes))
    })?;
    rebuild_functions(cx, &module, |function| {
        Ok(exchanges::Exchanges::find(cx, &encodings, function))
    })
}

struct Pipeline<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: Operation<'c>,
    name: String,
    /// Those that compute.
    warps: i64,
    plans: Plans<'c>,
    /// Whether barriers order accesses of tensor cores.
    proxy: bool,
    /// The function's tensor maps.
    map_count: usize,
    maps: Vec<Value<'c>>,
    /// The loop whose body is being rebuilt.
    now: Option<Round<'c>>,
    /// What a warp that only copies does, if there is one; the buffers of each loop then, and whether it
    /// is the consumers' part that is being rebuilt.
    roles: Option<Roles>,
    share: Option<Share>,
    rings: HashMap<usize, Ring<'c>>,
    /// What TMA stores for the consumers, through buffers of each warp, and what is not computed then.
    stores: Vec<BoxStore<'c>>,
    /// What the ring of a loop brings after its rounds.
    tails: Vec<Tail<'c>>,
    staging: Option<Value<'c>>,
    unused: HashSet<usize>,
    consumes: bool,
    is_split: bool,
    /// Rows of programs in a group.
    group: Option<i64>,
    /// The axis along which programs that may share copies lie next to each other.
    pair: Option<u32>,
    /// The loop whose rounds blocks share for programs that are left over, what the launch says of these, and
    /// how many blocks each has.
    leftovers: Option<Leftovers<'c>>,
    given: Option<Given<'c>>,
    sharing: Option<Sharing<'c>>,
    /// Where programs take turns on a block: how many there are, and which one it is now.
    counts: Option<Counts<'c>>,
    turns: Option<Turns<'c>>,
    place: Option<Place<'c>>,
}

/// A round of the loop that is being rebuilt.
struct Round<'c> {
    plan: Plan<'c>,
    /// The buffer of each copy for this round.
    stages: Vec<Value<'c>>,
}

/// Warps of a warpgroup.
const WARPGROUP: i64 = 4;

/// What stays the same while a loop is rebuilt.
struct Frame<'c> {
    plan: Plan<'c>,
    /// All stages of each copy.
    buffers: Vec<Value<'c>>,
    /// The mbarriers of the stages, if TMA copies.
    mbarriers: Option<Value<'c>>,
    counter: Value<'c>,
    carried: Vec<Value<'c>>,
    yielded: Vec<Value<'c>>,
    end: Value<'c>,
    step: Value<'c>,
}

impl<'c> Pipeline<'_, '_, 'c> {
    fn pipelined(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: Plan<'c>,
    ) -> Result<(), Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(());
        };
        let old = operands(operation);
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
        let frame = Frame {
            buffers,
            mbarriers: plan
                .box_bytes()
                .map(|_| ring::mbarriers(self.cx, &mut to.builder, plan.stages)),
            counter: all[0],
            carried: all[1..].to_vec(),
            yielded: operands(*last),
            end: to.one(old[1]),
            step: to.one(old[2]),
            plan,
        };
        let first = to.one(old[0]);
        let initial: Vec<_> = old[3..].iter().map(|value| to.one(*value)).collect();
        let range = (first, frame.end);
        self.around(to, operation, &frame.plan, range, &initial, |this, to| {
            this.rounds(to, operation, &frame, inside, first, &initial)
        })
    }

    /// A loop's results, given what builds it: where products run on from round to round, it is entered only if it
    /// has a round in this range. A path around the loop must not meet the products that it leaves running:
    /// `ptxas` would take the sums of that path for a change of theirs, and serialise them.
    fn around(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: &Plan<'c>,
        (first, end): (Value<'c>, Value<'c>),
        initial: &[Value<'c>],
        rounds: impl FnOnce(&mut Self, &mut Rebuilder<'c>) -> Result<Vec<Value<'c>>, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let done = if plan.running.is_empty() {
            rounds(self, to)?
        } else {
            let is_any = to.builder.compare_int(predicates::SLT, first, end);
            let then = to.region(&[], |to, _| {
                let done = rounds(self, to)?;
                to.builder.insert("scf.yield", &done, &[], &[]);
                Ok(())
            })?;
            let otherwise = to.region(&[], |to, _| {
                // Not as constants: what is done with the sums would be done apart, and at once, for either path.
                let mut none = initial.to_vec();
                wait_for_running(to, plan, &mut none);
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
    fn rounds(
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
        super::barrier(&mut to.builder, frame.mbarriers.is_some());
        let word = to.builder.int_type(32);
        let mut ahead: Vec<_> = plan.ahead.iter().map(|index| initial[*index]).collect();
        for round in 0..plan.distance {
            let stage = to.builder.constant_int(round as i64, word);
            ahead = self.copy_ahead(to, frame, first, round, &ahead, stage)?;
        }
        let mut list = vec![first, frame.end, frame.step];
        list.extend(initial);
        list.extend(&ahead);
        for stage in [0, plan.distance, 0] {
            list.push(to.builder.constant_int(stage as i64, word));
        }
        let types: Vec<_> = list[3..].iter().map(ValueLike::r#type).collect();
        let mut given_types = vec![first.r#type()];
        given_types.extend(&types);
        let region = to.region(&given_types, |to, given| {
            self.round(to, frame, inside, given)
        })?;
        let new = to
            .builder
            .insert_like(operation, &list, &types, vec![region]);
        let mut done = results(new);
        done.truncate(initial.len());
        wait_for_running(to, plan, &mut done);
        // What comes after may use the same memory for something else.
        super::barrier(&mut to.builder, false);
        if let Some(mbarriers) = frame.mbarriers {
            let count = [("count", count)];
            to.builder
                .insert("tile.mbarrier_end", &[mbarriers], &count, &[]);
        }
        Ok(done)
    }

    /// The body of the new loop: `given` are the counter, what was carried before, what is carried for
    /// the copies, the stages to read and to write, and the parity of the phase to wait for.
    fn round(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        inside: &[Operation<'c>],
        given: &[Value<'c>],
    ) -> Result<(), Diagnostic> {
        let plan = &frame.plan;
        let (counter, given) = (given[0], &given[1..]);
        let (carried, given) = given.split_at(frame.carried.len());
        let (ahead, stages) = given.split_at(plan.ahead.len());
        let (read, write, parity) = (stages[0], stages[1], stages[2]);
        if plan.has_pieces() {
            let pending = to.builder.int(plan.distance as i64 - 1);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", pending)], &[]);
        }
        if let Some(mbarriers) = frame.mbarriers {
            let list = [mbarriers, read, parity];
            to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        }
        super::barrier(&mut to.builder, self.proxy && plan.has_pieces());
        // Warps that wait for each other multiply sooner if copies are started late, among their products; where
        // blocks are small others multiply meanwhile, and copies had better start soon.
        let is_alone = self.warps > WARPGROUP && plan.distance > 1;
        let late = !plan.running.is_empty() || (plan.box_bytes().is_none() && is_alone);
        let distance = plan.distance;
        let mut next = Vec::new();
        if !late {
            next = self.copy_ahead(to, frame, counter, distance, ahead, write)?;
        }
        to.bind(frame.counter, vec![counter]);
        for (old, new) in frame.carried.iter().zip(carried) {
            to.bind(*old, vec![*new]);
        }
        let mut own = Vec::new();
        for (copy, buffer) in plan.copies.iter().zip(&frame.buffers) {
            let list = [*buffer, read];
            let ty = copy.buffer;
            let stage = to.builder.value("tile.shared_stage", &list, &[], ty);
            if let Some(alloc) = copy.alloc {
                to.bind(crate::ir::result(alloc, 0), vec![stage]);
            }
            own.push(stage);
        }
        let outer = self.now.replace(Round {
            plan: plan.clone(),
            stages: own,
        });
        for operation in inside {
            to.operation(self, *operation)?;
        }
        self.now = outer;
        let mut yields: Vec<_> = frame.yielded.iter().map(|value| to.one(*value)).collect();
        if late {
            next = self.copy_ahead(to, frame, counter, distance, ahead, write)?;
        }
        yields.extend(next);
        for stage in [read, write] {
            yields.push(self.following(to, stage, plan.stages).0);
        }
        let (_, is_last) = self.following(to, read, plan.stages);
        let word = to.builder.int_type(32);
        let one = to.builder.constant_int(1, word);
        let other = to.builder.binary("arith.xori", parity, one);
        yields.push(to.builder.select(is_last, other, parity));
        to.builder.insert("scf.yield", &yields, &[], &[]);
        Ok(())
    }

    /// The stage after this one, and whether this one is the last.
    fn following(
        &self,
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

    /// Starts the copies of the round `distance` after the one that begins at `counter`, if there is
    /// one. `ahead` are the values that are carried for it; gives those of the round after it.
    fn copy_ahead(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        counter: Value<'c>,
        distance: u64,
        ahead: &[Value<'c>],
        stage: Value<'c>,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let plan = &frame.plan;
        let distance = distance as i64;
        let (position, exists) = position(to, counter, frame.end, frame.step, distance);
        to.bind(frame.counter, vec![position]);
        for (index, value) in plan.ahead.iter().zip(ahead) {
            to.bind(frame.carried[*index], vec![*value]);
        }
        for operation in &plan.slice {
            to.operation(self, *operation)?;
        }
        let sources: Vec<_> = plan
            .copies
            .iter()
            .map(|copy| Source::of(to, copy))
            .collect();
        let each = || plan.copies.iter().zip(&sources).zip(&frame.buffers);
        for ((copy, source), buffers) in each() {
            if let Source::Pieces(pointers, mask) = source {
                let buffer = stage_of(to, *buffers, stage, copy);
                self.start_pieces(to, copy, (*pointers, *mask), buffer, exists);
            }
        }
        if let (Some(mbarriers), Some(bytes)) = (frame.mbarriers, plan.box_bytes()) {
            to.only_if(exists, |to| {
                let truth = to.builder.int_type(1);
                let first = to.builder.value("tile.first_thread", &[], &[], truth);
                to.only_if(first, |to| {
                    let bytes = [("bytes", to.builder.int(bytes as i64))];
                    let list = [mbarriers, stage];
                    to.builder
                        .insert("tile.mbarrier_expect", &list, &bytes, &[]);
                    for ((copy, source), buffers) in each() {
                        if let (Source::Boxes(starts), Some(boxes)) = (source, &copy.boxes) {
                            let buffer = stage_of(to, *buffers, stage, copy);
                            let list = [self.maps[boxes.map], buffer, mbarriers, stage];
                            start_boxes(to, boxes, &list, starts, None);
                        }
                    }
                    Ok(())
                })
            })?;
        }
        if plan.has_pieces() {
            to.builder.insert("tile.async_commit", &[], &[], &[]);
        }
        let next = plan.ahead.iter().map(|index| frame.yielded[*index]);
        Ok(next.map(|value| to.one(value)).collect())
    }
}

/// Waits for the products that a loop left running, whose sums are among its results.
fn wait_for_running<'c>(to: &mut Rebuilder<'c>, plan: &Plan<'c>, done: &mut [Value<'c>]) {
    for Running { carried, .. } in &plan.running {
        let (list, ty) = ([done[*carried]], done[*carried].r#type());
        let wait = to.builder.insert("tile.dot_wait", &list, &[], &[ty]);
        done[*carried] = crate::ir::result(wait, 0);
    }
}

/// Where the counter of a loop is `distance` rounds after the one that begins at `counter`, and whether there is
/// such a round.
fn position<'c>(
    to: &mut Rebuilder<'c>,
    counter: Value<'c>,
    end: Value<'c>,
    step: Value<'c>,
    distance: i64,
) -> (Value<'c>, Value<'c>) {
    // In 64 bits, where nothing overflows.
    let narrow = counter.r#type();
    let bits = |to: &mut Rebuilder<'c>, value| match narrow.to_string().as_str() {
        "index" => {
            let wide = to.builder.int_type(64);
            to.builder.value("arith.index_cast", &[value], &[], wide)
        }
        _ => to.builder.int_cast(value, 64, true),
    };
    let (from, end, step) = (bits(to, counter), bits(to, end), bits(to, step));
    let wide = to.builder.int_type(64);
    let rounds = to.builder.constant_int(distance, wide);
    let moved = to.builder.multiply(rounds, step);
    let position = to.builder.add(from, moved);
    let exists = to.builder.compare_int(predicates::SLT, position, end);
    let position = match narrow.to_string().as_str() {
        "index" => to
            .builder
            .value("arith.index_cast", &[position], &[], narrow),
        _ if narrow == wide => position,
        _ => to.builder.value("arith.trunci", &[position], &[], narrow),
    };
    (position, exists)
}

/// What a copy reads, in the new function.
enum Source<'c> {
    Pieces(Value<'c>, Option<Value<'c>>),
    Boxes(Vec<Value<'c>>),
}

impl<'c> Source<'c> {
    fn of(to: &Rebuilder<'c>, copy: &Copy<'c>) -> Self {
        match &copy.boxes {
            Some(boxes) => Self::Boxes(boxes.starts.iter().map(|start| to.one(*start)).collect()),
            None => {
                let mask = copy.load.mask().map(|mask| to.one(mask));
                Self::Pieces(to.one(copy.load.pointers()), mask)
            }
        }
    }
}

/// One of the buffers of a copy.
fn stage_of<'c>(
    to: &mut Rebuilder<'c>,
    buffers: Value<'c>,
    stage: Value<'c>,
    copy: &Copy<'c>,
) -> Value<'c> {
    to.builder
        .value("tile.shared_stage", &[buffers, stage], &[], copy.buffer)
}

/// Starts the copies of a load's boxes: `list` are the map, the buffer, the mbarriers and the number.
fn start_boxes<'c>(
    to: &mut Rebuilder<'c>,
    boxes: &BoxCopy<'c>,
    list: &[Value<'c>],
    starts: &[Value<'c>],
    half: Option<Half>,
) {
    let number = |number: u64| to.builder.int(number as i64);
    let panels = half.map_or(boxes.panels, |half| half.panels);
    let mut attributes = vec![
        ("panels", number(panels)),
        ("panel", number(boxes.panel)),
        ("bytes", number(boxes.bytes)),
    ];
    if let Some(half) = half {
        attributes.push(("half", number(half.bytes)));
    }
    let mut list = list.to_vec();
    list.extend(starts);
    to.builder
        .insert("tile.tensor_copy", &list, &attributes, &[]);
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Starts the copies of a load's pieces.
    fn start_pieces(
        &self,
        to: &mut Rebuilder<'c>,
        copy: &Copy<'c>,
        (pointers, mask): (Value<'c>, Option<Value<'c>>),
        buffer: Value<'c>,
        exists: Value<'c>,
    ) {
        let mut list = vec![pointers, buffer];
        list.extend(mask);
        list.push(exists);
        let segments = [1, 1, i32::from(mask.is_some()), 0, 1];
        let mut attributes = vec![
            ("vector", to.builder.int(copy.vector as i64)),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        if copy.transposed.is_some() {
            attributes.push(("transposed", to.builder.int(1)));
        }
        to.builder
            .insert("tile.async_copy", &list, &attributes, &[]);
    }
}

impl<'c> Rewrite<'c> for Pipeline<'_, '_, 'c> {
    fn added(&self) -> Vec<Type<'c>> {
        let pointer = Type::parse(self.cx.context, "!llvm.ptr");
        let maps = pointer
            .into_iter()
            .flat_map(|pointer| vec![pointer; self.map_count]);
        let takes_turns = self.roles.as_ref().is_some_and(|roles| roles.any_order);
        let word = Type::parse(self.cx.context, "i32");
        let counts = word.into_iter().flat_map(|word| match takes_turns {
            true => vec![word; if self.leftovers.is_some() { 5 } else { 3 }],
            false => Vec::new(),
        });
        let wide = Type::parse(self.cx.context, "i64");
        let workspace = wide.filter(|_| self.leftovers.is_some());
        maps.chain(counts).chain(workspace).collect()
    }

    fn receive(&mut self, mut added: Vec<Value<'c>>) {
        let mut counts = added.split_off(self.map_count);
        if self.leftovers.is_some()
            && let [first, spare, workspace] = counts.split_off(counts.len().min(3))[..]
        {
            self.given = Some(Given {
                first,
                spare,
                workspace,
            });
        }
        self.counts = counts.try_into().ok().map(|counts| Counts {
            counts,
            pair: self.pair,
            rows: self.group,
        });
        self.maps = added;
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.roles.is_some() {
            let body = region_block(self.function, 0);
            let is_top = operation.block().map(crate::ffi::block) == body;
            match body {
                Some(body) if self.rings.is_empty() => {
                    self.split(to, body)?;
                    return Ok(name(operation) != "func.return");
                }
                // Done with the first.
                _ if is_top && self.is_split => return Ok(name(operation) != "func.return"),
                _ => {}
            }
        }
        match (TileOp::of(operation), self.place, self.counts) {
            (Some(TileOp::ProgramId(query)), Some(place), _) => {
                if let Some(number) = place.numbers.get(query.axis() as usize) {
                    to.bind(query.result(), vec![*number]);
                }
                return Ok(true);
            }
            (Some(TileOp::NumPrograms(query)), _, Some(counts)) => {
                if let Some(number) = counts.counts.get(query.axis() as usize) {
                    to.bind(query.result(), vec![*number]);
                }
                return Ok(true);
            }
            _ => {}
        }
        if let Some(plan) = self.plans.shift_remove(&address(operation)) {
            self.say(operation, &plan);
            self.pipelined(to, operation, plan)?;
            return Ok(true);
        }
        if self.consumes && self.unused.contains(&address(operation)) {
            return Ok(true);
        }
        if self.consumes && (self.box_store(to, operation) || self.read_tail(to, operation)) {
            return Ok(true);
        }
        if self.consumes
            && let Some(ring) = self.rings.get(&address(operation)).cloned()
        {
            self.consumed(to, operation, &ring)?;
            return Ok(true);
        }
        let Some(now) = &self.now else {
            return Ok(false);
        };
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) if is_tile(load.result()) => {
                let position = now
                    .plan
                    .copies
                    .iter()
                    .position(|copy| address(copy.load.0) == address(operation));
                let Some(position) = position else {
                    return Ok(false);
                };
                if now.plan.copies[position].alloc.is_none() {
                    let (list, ty) = ([now.stages[position]], load.result().r#type());
                    let read = to.builder.insert("tile.shared_load", &list, &[], &[ty]);
                    to.bind(load.result(), results(read));
                }
                Ok(true)
            }
            Some(TileOp::Permute(_)) => Ok(now
                .plan
                .copies
                .iter()
                .any(|copy| copy.transposed.map(address) == Some(address(operation)))),
            Some(TileOp::SharedStore(store)) => Ok(now.plan.is_copied(store.buffer())),
            Some(TileOp::SharedAlloc(alloc)) => Ok(now.plan.is_copied(alloc.result())),
            Some(TileOp::Dot(_)) => {
                let Some(running) = now.plan.in_flight(address(operation)) else {
                    return Ok(false);
                };
                let mut list = attributes(operation);
                list.push(("running".to_owned(), to.builder.int(running)));
                to.copy_with_attributes(self, operation, &list)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// Whether a value is this one.
fn is_same(a: Value<'_>, b: Value<'_>) -> bool {
    key(a) == key(b)
}
