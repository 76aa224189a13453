//! Loops that reduce, and recurrences, load the tiles of their next iterations ahead: into registers, or to shared memory.
//!
//! ```text
//! for k { x = load(p(k)); … sum(x) … }
//!   ⇒  n = load(p(0))
//!      for k { x = n; n = load(p(k + 1)); … sum(x) … }
//! ```
//!
//! While threads wait for each other in a reduction, nothing else of the program is in flight; with this
//! the next iteration's loads are. That needs neither shared memory nor barriers, and costs the registers of
//! what is loaded, in the type that it has in memory. Loads of an iteration that will not be are masked.
//!
//! A recurrence, whose loop carries a tile and reduces nothing, waits as well: the arithmetic of an iteration needs its loads, and the
//! loads of the next one stand behind it. Its iterations are short, so several are on their way, and as many are in the loop one
//! after the other, each with registers of its own: to move what has not come yet is to wait for it.
//!
//! ```text
//! for k { h = f(h, load(p(k))) }
//!   ⇒  n0 = load(p(0)); n1 = load(p(1))
//!      for k step 2 { h = f(h, n0); n0 = load(p(k + 2)); if k + 1 exists { h = f(h, n1) }; n1 = load(p(k + 3)) }
//! ```
//!
//! H200, `gated_recurrence` of `benches/loops.sh`: 939 to 246 µs. Where lanes reduce in each step, more than one brings nothing, and registers
//! are short (a state of 64 x 32 took 1.8 times as long with four).
//!
//! Loops with products have most of their tiles in buffers already, and numbers come a little too late where each iteration needs the one before: those are
//! ahead in such loops. H200, states of the gated delta rule in chunks: 165 to 152 µs, and 240 to 218; where products only add up, it costs more
//! than it brings (product of blocks of `fp8` with a scale each, 1.02 to 1.03 times as long). So are rows whose elements are too narrow for copies, as scales of 16 bits
//! for each key are, also where such a number says where they lie (decoding 64 x 3650 keys of bytes: 324 to 275 µs).
//!
//! A loop that stores in each iteration waits as well, whatever it carries: its next loads stand behind the stores, as nobody knows that they are of other memory. H200, gradients of
//! group norms 164 to 141 µs, weight norms 160 to 144, batch norms 128 to 118 (second loops, which store what they scale).
//!
//! A scalar is loaded by the first lane of each warp, and the others are told in the iteration that needs it: where all lanes
//! load it, `ptxas` brings it to a uniform register as soon as it has come, and the warp waits for it in the iteration before.
//!
//! A loop that reduces and carries a tile as large as what it loads is one of few programs, often: as many as there are multiprocessors, each of which has many rows. One iteration
//! ahead is not enough there. Where each thread can copy what it reads, the tiles of up to eight iterations are on their way to shared memory, and only numbers
//! come in registers.
//!
//! ```text
//! for k { x = load(p(k)); s += f(x, sum(x)) }
//!   ⇒  copy p(0) to buffer[0]; copy p(1) to buffer[1]; …
//!      for k { wait for buffer[k % 8]; x = buffer[k % 8]; copy p(k + 8) to buffer[k % 8]; s += f(x, sum(x)) }
//! ```
//!
//! H200, gradients of a layer norm, 16384 x 2048 `bf16`, 132 programs: 105 µs with one iteration in registers, 73 so, the copy of as much 53. Loops that carry numbers
//! alone stay as they are: there a program has one row, and many programs run at once (cross entropy of 4096 x 32000 took 1.5 times as long).
//!
//! What a load needs (pointers and mask) must depend on the loop's counter and on values from outside
//! only, and the loop must not write through the parameter that it reads.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::copies::position;
use super::own_copies::OwnCopy;
use super::stages::known_iterations;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{RemarkCode, RemarkKind};
use crate::dialect::ops::{Load, Reduce, SharedAlloc};
use crate::dialect::{THREADS_APART, TileOp, is_pure, predicates};
use crate::encoding::{Encodings, buffer_layout, stage_bytes};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Block, Operation, TileType, Value, address, arguments, int_attribute, key, name, operands,
    operations, region_block, results,
};
use crate::load_if::load_if;
use crate::writes::{is_unwritten, written};
use crate::{
    PassContext, barrier, each_operation, element_bits, function_name, is_of_iteration, is_tile,
    is_within, uses,
};

/// Registers of a thread that the next iterations may take.
const REGISTERS_AHEAD: u64 = 32;

/// The same where each of more than so few iterations stores, so that none of its loads is on its way before: of few iterations there are many programs, which hide what each
/// waits for (H200, gradients of gates, 2048 steps: 721 to 649 us with four iterations ahead for two; gradients of sums of 16 steps, of 16384 programs: 186 to 206 with three
/// ahead for none).
const REGISTERS_AHEAD_BEHIND_STORES: u64 = 48;
const FEW_ITERATIONS: i64 = 16;

/// Registers of a thread for those and for tiles that a loop carries or has from before it: others are for addresses and for what an iteration computes (H200, a
/// causal convolution of four steps whose weights and last three rows are 64 registers: 236 bytes of spills with eight iterations ahead, 8 with four).
const REGISTERS_OF_TILES: u64 = 80;

/// Numbers that loops with products load ahead at most, and registers of a thread for rows: these have few to spare.
const MOST_NUMBERS: usize = 4;
const REGISTERS_OF_ROWS: u64 = 8;

/// Warps of a multiprocessor of whose registers each thread has 128.
const FULL_WARPS: u64 = 16;

/// Iterations that shared memory has room for, at least and at most: fewer are no more than what registers hold.
const FEWEST_STAGES: u64 = 3;
const MOST_STAGES: u64 = 8;

/// Iterations of a recurrence that are ahead: as many as are worth it, fewer where each stores, at most so many, and operations of a body that is there so often (H200, three
/// iterations of 16 registers: cross entropy of 131072 words, which stores nothing in its loop, 145 to 158 us; weight norms, whose second loop stores, 160 to 144).
const FEWEST_AHEAD: u64 = 4;
const FEWEST_AHEAD_BEHIND_STORES: u64 = 2;
const MOST_AHEAD: u64 = 8;
const MOST_OPERATIONS: usize = 64;

/// How the loops of a function load ahead.
pub(super) struct Ahead<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    plans: HashMap<usize, Plan<'c>>,
}

/// How one loop does.
struct Plan<'c> {
    /// Into registers.
    loads: Vec<Load<'c>>,
    /// To shared memory.
    rows: Vec<OwnCopy<'c>>,
    /// For how many iterations there is room there.
    stages: u64,
    /// What computes pointers and masks, in order.
    slice: Vec<Operation<'c>>,
    /// Registers that an iteration takes.
    registers: u64,
    /// How many iterations it is ahead.
    distance: u64,
}

impl<'a, 'b, 'c> Ahead<'a, 'b, 'c> {
    /// The plans of the loops of a function that are not planned otherwise.
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let users = uses(function);
        let warps = int_attribute(function, "tile.warps").unwrap_or(1) as u64;
        let mut taken = 0;
        each_operation(function, &mut |operation| {
            if let Some(alloc) = SharedAlloc::of(operation) {
                taken += stage_bytes(&buffer_layout(cx.context, alloc.result()).1);
            }
        });
        // As much as a program has where as many fit as have registers for each thread.
        let room = (cx.target.shared_bytes_per_multiprocessor * warps / FULL_WARPS)
            .min(cx.target.shared_bytes_per_program)
            .saturating_sub(taken);
        // What the next iteration is given is on its way until then.
        let is_passed_on = |user: &Operation<'c>| {
            let around = user.parent_operation().map(crate::ffi::operation);
            name(*user) == "scf.yield" && around.is_some_and(|around| name(around) == "scf.for")
        };
        let is_used = |value| {
            let mut all = users.get(&key(value)).into_iter().flatten();
            all.any(|user| !is_passed_on(user))
        };
        let mut plans = HashMap::new();
        each_operation(function, &mut |operation| {
            if name(operation) != "scf.for" {
                return;
            }
            let Some(body) = region_block(operation, 0) else {
                return;
            };
            if let Some(plan) = Plan::find(encodings, operation, body, &is_used, (warps, room)) {
                plans.insert(address(operation), plan);
            }
        });
        Self {
            cx,
            name: function_name(function).to_owned(),
            plans,
        }
    }
}

impl<'c> Plan<'c> {
    fn find(
        encodings: &Encodings,
        operation: Operation<'c>,
        body: Block<'c>,
        is_used: &impl Fn(Value<'c>) -> bool,
        (warps, room): (u64, u64),
    ) -> Option<Self> {
        let (mut waits, mut multiplies, mut keeps_parts) = (false, false, false);
        let (mut is_plain, mut has_loops) = (true, false);
        each_operation(operation, &mut |inner| match TileOp::of(inner) {
            Some(TileOp::Reduce(reduce)) if reduce.partial() == THREADS_APART => keeps_parts = true,
            Some(TileOp::Reduce(reduce)) => {
                let axis = reduce.axis() as usize;
                let layout = encodings.layout(reduce.operands()[0]);
                let mut lanes = layout.lane_bases().iter().chain(layout.warp_bases());
                waits |= lanes.any(|basis| basis[axis] != 0);
            }
            Some(TileOp::Dot(_)) => multiplies = true,
            Some(
                TileOp::AsyncCopy(_)
                | TileOp::TensorCopy(_)
                | TileOp::Exchange(_)
                | TileOp::SharedExchange(_),
            ) => is_plain = false,
            Some(_) => {}
            None => has_loops |= crate::ir::is_loop(inner),
        });
        let carries = || results(operation).into_iter().any(is_tile);
        let is_whole = match multiplies {
            true => multiplies_carried(body),
            false => is_plain && (waits || carries() || stores(body)),
        };
        if has_loops || !is_whole {
            return None;
        }
        let written = written(operation)?;
        let mut plan = Self {
            loads: Vec::new(),
            rows: Vec::new(),
            stages: 0,
            slice: Vec::new(),
            registers: 0,
            distance: 1,
        };
        let (mut slice, mut rows) = (HashSet::new(), 0);
        let inside = operations(body);
        for load in inside.iter().filter_map(|inner| Load::of(*inner)) {
            let constant = is_unwritten(load.pointers(), &written);
            // Of loops with products, tiles that have no buffers are large, or rows.
            let registers = encodings.loaded_registers(load);
            let is_row = multiplies && is_tile(load.result());
            let is_long = is_row && rows + registers > REGISTERS_OF_ROWS;
            if is_long || !constant || !is_used(load.result()) {
                continue;
            }
            // Where rows lie may be such a number.
            let numbers = match is_row {
                true => plan.numbers().map(|load| address(load.0)).collect(),
                false => HashSet::new(),
            };
            let mut more = HashSet::new();
            let needs = operands(load.0);
            if !needs
                .iter()
                .all(|value| reach(operation, body, *value, (&mut more, &numbers)))
                || more.is_empty()
            {
                continue;
            }
            if is_row {
                rows += registers;
            }
            plan.registers += registers;
            plan.loads.push(load);
            slice.extend(more);
        }
        plan.slice = inside
            .iter()
            .filter(|inner| slice.contains(&address(**inner)))
            .copied()
            .collect();
        if multiplies {
            let is_short = plan.numbers().count() <= MOST_NUMBERS;
            return (is_short && !plan.loads.is_empty()).then_some(plan);
        }
        // What is loaded where another load says waits for that.
        let all = inside.iter().filter_map(|inner| Load::of(*inner));
        let mut others = all.filter(|load| !plan.loads.iter().any(|one| one.0 == load.0));
        let has_others = others.any(|load| is_tile(load.result()));
        let tiles = plan.loads.iter().any(|load| is_tile(load.result()));
        // Sums of what is loaded, not of what is reduced of it.
        let elements = |value: Value<'c>| -> u64 {
            TileType::of(value).map_or(0, |tile| tile.shape().iter().product())
        };
        let loaded = plan.loads.iter().map(|load| elements(load.result())).max();
        let next = inside.last().map(|last| operands(*last));
        let next = next.into_iter().flatten();
        let whole = next.filter(|value| !combines_parts(*value));
        let carried = whole.map(elements).max();
        waits |= keeps_parts && (has_others || carried >= loaded);
        if tiles && waits && carried >= loaded {
            plan.use_shared_memory(encodings, warps, room);
        }
        if !tiles || waits && plan.registers > REGISTERS_AHEAD {
            return None;
        }
        if !waits {
            // A counter of fewer bits might not hold that of an iteration further on.
            let is_wide = element_bits(operands(operation)[0].r#type()) == 64;
            let free = REGISTERS_OF_TILES.saturating_sub(held(encodings, operation));
            let is_short = known_iterations(operation).is_some_and(|all| all <= FEW_ITERATIONS);
            let (most, fewest) = match stores(body) && !is_short {
                true => (REGISTERS_AHEAD_BEHIND_STORES, FEWEST_AHEAD_BEHIND_STORES),
                false => (REGISTERS_AHEAD, FEWEST_AHEAD),
            };
            plan.distance = (free.min(most) / plan.registers).min(MOST_AHEAD);
            if !is_wide || plan.distance < fewest || inside.len() > MOST_OPERATIONS {
                return None;
            }
        }
        Some(plan)
    }
}

impl<'c> Plan<'c> {
    /// The loads of single numbers.
    fn numbers(&self) -> impl Iterator<Item = &Load<'c>> {
        self.loads.iter().filter(|load| !is_tile(load.result()))
    }

    /// Has the tiles of several iterations come to shared memory, if there is room and each thread can copy what it reads.
    fn use_shared_memory(&mut self, encodings: &Encodings, warps: u64, room: u64) {
        let tiles = self.loads.iter().filter(|load| is_tile(load.result()));
        let rows = tiles.map(|load| OwnCopy::of(encodings, *load, warps));
        let Some(rows) = rows.collect::<Option<Vec<_>>>() else {
            return;
        };
        let bytes: u64 = rows.iter().map(|row| stage_bytes(&row.layout)).sum();
        let stages = (room / bytes).min(MOST_STAGES);
        if stages < FEWEST_STAGES {
            return;
        }
        self.loads.retain(|load| !is_tile(load.result()));
        self.registers = self.loads.len() as u64;
        (self.rows, self.stages) = (rows, stages);
    }
}

/// Whether each iteration stores a tile: loads of the next one stand behind that, as the same memory may be meant.
fn stores(body: Block<'_>) -> bool {
    let inside = operations(body).into_iter();
    let mut stores = inside.filter_map(|operation| match TileOp::of(operation) {
        Some(TileOp::Store(store)) => Some(store.value()),
        _ => None,
    });
    stores.any(is_tile)
}

/// Whether products of a loop multiply what it computes of the tiles that it carries: then no iteration begins before the one before it is over.
fn multiplies_carried(body: Block<'_>) -> bool {
    let carried = arguments(body).into_iter().filter(|value| is_tile(*value));
    let mut of_carried: HashSet<_> = carried.map(key).collect();
    operations(body).into_iter().any(|operation| {
        let read = operands(operation);
        let is_of_carried = |value: &Value<'_>| of_carried.contains(&key(*value));
        if let Some(TileOp::Dot(_)) = TileOp::of(operation) {
            return read[..2].iter().any(is_of_carried);
        }
        if read.iter().any(is_of_carried) {
            let written = read.last().filter(|_| is_shared_store(operation));
            of_carried.extend(
                results(operation)
                    .iter()
                    .chain(written)
                    .map(|value| key(*value)),
            );
        }
        false
    })
}

fn is_shared_store(operation: Operation<'_>) -> bool {
    matches!(TileOp::of(operation), Some(TileOp::SharedStore(_)))
}

/// Whether a value is what threads have of a reduction each.
fn combines_parts(value: Value<'_>) -> bool {
    let parts = defining_operation(value).map(operands).unwrap_or_default();
    let mut from = parts.into_iter().filter_map(defining_operation);
    from.any(|of| Reduce::of(of).is_some_and(|reduce| reduce.partial() == THREADS_APART))
}

/// Registers of a thread for the tiles of numbers that a loop carries, and for those from before it that it uses.
fn held(encodings: &Encodings, operation: Operation<'_>) -> u64 {
    let mut used = HashSet::new();
    let mut registers = 0;
    let mut add = |value: Value<'_>| {
        let bits = element_bits(value.r#type());
        let is_number = is_tile(value) && (16..=32).contains(&bits);
        let is_computed = defining_operation(value).is_none_or(|from| {
            !matches!(TileOp::of(from), Some(TileOp::Splat(_) | TileOp::Arange(_)))
                && name(from) != "arith.constant"
        });
        if is_number && is_computed {
            registers += encodings.registers(value);
        }
    };
    results(operation).into_iter().for_each(&mut add);
    each_operation(operation, &mut |inner| {
        let from_before = |value: &Value<'_>| {
            defining_operation(*value).is_some() && !is_of_iteration(*value, operation)
        };
        for value in operands(inner).into_iter().filter(from_before) {
            if used.insert(key(value)) {
                add(value);
            }
        }
    });
    registers
}

/// Whether a value is computed from a loop's counter, from values outside of it and from these numbers that it loads; what computes it is
/// added to `slice`.
fn reach<'c>(
    operation: Operation<'c>,
    body: Block<'c>,
    value: Value<'c>,
    (slice, numbers): (&mut HashSet<usize>, &HashSet<usize>),
) -> bool {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        let Some(defined) = defining_operation(value) else {
            let is_own = argument_owner(value).map(address) == Some(address(operation));
            if is_own && result_number(value) > 0 {
                return false;
            }
            if is_own {
                // The counter: it differs from round to round.
                slice.insert(address(operation));
            }
            continue;
        };
        if defined.block().map(crate::ffi::block) != Some(body) {
            if is_within(defined, operation) {
                return false;
            }
            continue;
        }
        let is_computed = is_pure(name(defined)) && defined.region_count() == 0;
        if !is_computed && !numbers.contains(&address(defined)) {
            return false;
        }
        if slice.insert(address(defined)) {
            left.extend(operands(defined));
        }
    }
    true
}

/// A loop that is being rebuilt.
struct Frame<'c> {
    plan: Plan<'c>,
    body: Block<'c>,
    counter: Value<'c>,
    end: Value<'c>,
    step: Value<'c>,
}

impl<'c> Ahead<'_, '_, 'c> {
    fn iterations(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: Plan<'c>,
    ) -> Result<(), Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(());
        };
        let given = arguments(body);
        let old = operands(operation);
        let frame = Frame {
            plan,
            body,
            counter: given[0],
            end: to.one(old[1]),
            step: to.one(old[2]),
        };
        if !frame.plan.rows.is_empty() {
            return self.rings(to, operation, &frame);
        }
        let distance = frame.plan.distance as i64;
        let first = to.one(old[0]);
        let mut list: Vec<_> = old.iter().map(|value| to.one(*value)).collect();
        if distance > 1 {
            let ty = frame.step.r#type();
            let count = to.builder.constant_int(distance, ty);
            list[2] = to.builder.multiply(frame.step, count);
        }
        for ahead in 0..distance {
            list.extend(self.load(to, &frame, first, ahead)?);
        }
        let types: Vec<_> = list[3..].iter().map(ValueLike::r#type).collect();
        let mut given_types = vec![first.r#type()];
        given_types.extend(&types);
        let count = given.len() - 1;
        let region = to.region(&given_types, |to, new| {
            let (counter, new) = (new[0], &new[1..]);
            let mut carried = new[..count].to_vec();
            let mut loaded = Vec::new();
            for ahead in 0..distance {
                // Those of a single iteration are moved when the one before it is over.
                if distance == 1 {
                    loaded.extend(self.load(to, &frame, counter, 1)?);
                }
                let of = frame.plan.loads.len();
                let values = &new[count + ahead as usize * of..][..of];
                carried = match ahead {
                    0 => self.iteration(to, &frame, counter, (&carried, values))?,
                    _ => self.iteration_if(to, &frame, (counter, ahead), (&carried, values))?,
                };
                if distance > 1 {
                    loaded.extend(self.load(to, &frame, counter, distance + ahead)?);
                }
            }
            carried.extend(loaded);
            to.builder.insert("scf.yield", &carried, &[], &[]);
            Ok(())
        })?;
        let new = to
            .builder
            .insert_like(operation, &list, &types, vec![region]);
        to.bind_results(operation, new);
        Ok(())
    }

    /// The same of a loop whose tiles come to shared memory.
    fn rings(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        frame: &Frame<'c>,
    ) -> Result<(), Diagnostic> {
        let old = operands(operation);
        let rows = &frame.plan.rows;
        let stages = frame.plan.stages as i64;
        let buffers = rows
            .iter()
            .map(|row| row.buffer(self.cx.context, to, stages));
        let buffers: Vec<_> = buffers.collect();
        // Others may still read what lay there before.
        barrier(&mut to.builder, false);
        let word = to.builder.int_type(32);
        let mut list: Vec<_> = old.iter().map(|value| to.one(*value)).collect();
        let first = list[0];
        for iteration in 0..stages {
            let stage = to.builder.constant_int(iteration, word);
            self.copy(to, frame, (first, iteration), (&buffers, stage))?;
        }
        list.push(to.builder.constant_int(0, word));
        list.extend(self.load(to, frame, first, 0)?);
        let types: Vec<_> = list[3..].iter().map(ValueLike::r#type).collect();
        let mut given_types = vec![first.r#type()];
        given_types.extend(&types);
        let count = arguments(frame.body).len() - 1;
        let region = to.region(&given_types, |to, new| {
            let (counter, new) = (new[0], &new[1..]);
            let (carried, rest) = new.split_at(count);
            let (stage, loaded) = (rest[0], &rest[1..]);
            let pending = to.builder.int(stages - 1);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", pending)], &[]);
            let read = rows.iter().zip(&buffers).map(|(row, buffer)| {
                let ty = row.ty(self.cx.context);
                let list = [*buffer, stage];
                let buffer = to.builder.value("tile.shared_stage", &list, &[], ty);
                row.read(to, buffer, false)
            });
            let read: Vec<_> = read.collect();
            self.copy(to, frame, (counter, stages), (&buffers, stage))?;
            let next = self.load(to, frame, counter, 1)?;
            for (row, value) in rows.iter().zip(read) {
                to.bind(row.load.result(), vec![value]);
            }
            let mut done = self.iteration(to, frame, counter, (carried, loaded))?;
            let [one, zero, all] =
                [1, 0, stages].map(|number| to.builder.constant_int(number, word));
            let later = to.builder.add(stage, one);
            let is_last = to.builder.compare_int(predicates::EQ, later, all);
            done.push(to.builder.select(is_last, zero, later));
            done.extend(next);
            to.builder.insert("scf.yield", &done, &[], &[]);
            Ok(())
        })?;
        let new = to
            .builder
            .insert_like(operation, &list, &types, vec![region]);
        // What comes after may use the same memory for something else.
        barrier(&mut to.builder, false);
        to.bind_results(operation, new);
        Ok(())
    }

    /// Starts the copies of the iteration `distance` after the one that begins at `counter`, if there is one.
    fn copy(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        (counter, distance): (Value<'c>, i64),
        (buffers, stage): (&[Value<'c>], Value<'c>),
    ) -> Result<(), Diagnostic> {
        let (position, exists) = position(to, counter, frame.end, frame.step, distance);
        to.bind(frame.counter, vec![position]);
        for operation in &frame.plan.slice {
            to.operation(self, *operation)?;
        }
        for (row, buffer) in frame.plan.rows.iter().zip(buffers) {
            let ty = row.ty(self.cx.context);
            let list = [*buffer, stage];
            let buffer = to.builder.value("tile.shared_stage", &list, &[], ty);
            row.copy(to, buffer, exists);
        }
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        Ok(())
    }

    /// An iteration: what it carries on.
    fn iteration(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        counter: Value<'c>,
        (carried, loaded): (&[Value<'c>], &[Value<'c>]),
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let given = arguments(frame.body);
        to.bind(given[0], vec![counter]);
        for (old, new) in given[1..].iter().zip(carried) {
            to.bind(*old, vec![*new]);
        }
        for (load, value) in frame.plan.loads.iter().zip(loaded) {
            let value = known(to, *load, *value);
            to.bind(load.result(), vec![value]);
        }
        let loads = frame.plan.loads.iter();
        let rows = frame.plan.rows.iter().map(OwnCopy::address);
        let loads: HashSet<usize> = loads.map(|load| address(load.0)).chain(rows).collect();
        let inside = operations(frame.body);
        let Some((last, inside)) = inside.split_last() else {
            return Ok(carried.to_vec());
        };
        for operation in inside {
            if !loads.contains(&address(*operation)) {
                to.operation(self, *operation)?;
            }
        }
        Ok(operands(*last).iter().map(|value| to.one(*value)).collect())
    }

    /// The same of one that may not be: then what is carried stays.
    fn iteration_if(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        (counter, ahead): (Value<'c>, i64),
        (carried, loaded): (&[Value<'c>], &[Value<'c>]),
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let (counter, exists) = position(to, counter, frame.end, frame.step, ahead);
        let then = to.region(&[], |to, _| {
            let done = self.iteration(to, frame, counter, (carried, loaded))?;
            to.builder.insert("scf.yield", &done, &[], &[]);
            Ok(())
        })?;
        let otherwise = to.region(&[], |to, _| {
            to.builder.insert("scf.yield", carried, &[], &[]);
            Ok(())
        })?;
        let types: Vec<_> = carried.iter().map(ValueLike::r#type).collect();
        let regions = vec![then, otherwise];
        let new = to
            .builder
            .insert_with_regions("scf.if", &[exists], &[], &types, regions);
        Ok(results(new))
    }

    /// The loads of the iteration `distance` after the one that begins at `counter`, if there is one.
    fn load(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        counter: Value<'c>,
        distance: i64,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let (position, exists) = position(to, counter, frame.end, frame.step, distance);
        to.bind(frame.counter, vec![position]);
        let mut values = vec![None; frame.plan.loads.len()];
        let own = |of: Operation<'c>| frame.plan.loads.iter().position(|load| load.0 == of);
        for operation in &frame.plan.slice {
            let Some(number) = own(*operation) else {
                to.operation(self, *operation)?;
                continue;
            };
            // A number that says where rows are is wanted at once.
            let load = frame.plan.loads[number];
            let value = ahead(to, load, exists);
            let known = known(to, load, value);
            to.bind(load.result(), vec![known]);
            values[number] = Some(value);
        }
        let loads = frame.plan.loads.iter().zip(values);
        Ok(loads
            .map(|(load, value)| value.unwrap_or_else(|| ahead(to, *load, exists)))
            .collect())
    }
}

/// A load of a later iteration, if there is one: of a number by the first lane.
fn ahead<'c>(to: &mut Rebuilder<'c>, load: Load<'c>, exists: Value<'c>) -> Value<'c> {
    let alone = match is_tile(load.result()) {
        true => None,
        false => Some(("alone", to.builder.int(1))),
    };
    load_if(to, load, exists, alone.as_slice())
}

/// What has been loaded, in all lanes.
fn known<'c>(to: &mut Rebuilder<'c>, load: Load<'c>, value: Value<'c>) -> Value<'c> {
    match is_tile(load.result()) {
        true => value,
        false => {
            let ty = value.r#type();
            to.builder.value("tile.first_lane", &[value], &[], ty)
        }
    }
}

impl<'c> Rewrite<'c> for Ahead<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(plan) = self.plans.remove(&address(operation)) else {
            return Ok(false);
        };
        let span = Some(self.cx.span(operation.location()));
        if !plan.rows.is_empty() {
            let kind = RemarkKind::RowsAhead {
                loads: plan.rows.len(),
                iterations: plan.stages,
                bytes: plan.rows.iter().map(|row| stage_bytes(&row.layout)).sum(),
            };
            self.cx.remark(&self.name, span, kind);
        }
        for load in &plan.loads {
            let span = self.cx.span(load.0.location());
            self.cx.retract(&self.name, span, RemarkCode::LoadWaits);
        }
        if !plan.loads.is_empty() {
            let (loads, iterations) = (plan.loads.len(), plan.distance);
            let kind = RemarkKind::LoadsAheadInRegisters {
                loads,
                iterations,
                registers: plan.registers * iterations,
            };
            self.cx.remark(&self.name, span, kind);
        }
        self.iterations(to, operation, plan)?;
        Ok(true)
    }
}
