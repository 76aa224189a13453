//! Operands that the producer computes: what a loop makes of its loads alone and stores to shared memory for its products.
//!
//! ```text
//! for k { x = load(p(k)); store f(x) to b; wait for all; … dot b …; wait for all }
//!   ⇒  producer:  for k { x = load(p(k)); wait until stage s is empty; store f(x) to s }
//!      consumers: for k { wait until stage s is full; … dot s … }
//! ```
//!
//! Left to those who multiply, all of them wait twice in an iteration, as each stores a part of what all read; and tensor cores
//! do nothing while they compute. This is for loops in which a product waits for arithmetic on another one's sums: where products
//! only add up, the producer is the slower one (products of floats in three of halves: 0.56 to 0.93). FlashAttention-3 has its producer transpose values of 8 bits so; here it may be whatever needs no other
//! thread's registers.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::masked::is_masked_load;
use super::plan::{CopiedBy, Copy, Plan, Search, Slice};
use super::ring::{Channel, Ring};
use super::scheduled::{word_count, words_variable};
use super::work::work;
use super::{Pipeline, WARPGROUP};
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::dialect::ops::{Dot, Load, SharedAlloc, SharedStore};
use crate::encoding::{Encodings, buffer_layout, stage_bytes};
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, ValueKey, address, key, name, operands, operations, results};
use crate::load_if::load_if;
use crate::target::machine::{Unit, Work};
use crate::writes::is_unwritten;
use crate::{PassContext, each_operation, element_bytes, is_tile};

/// Registers of a thread that what it loads may take.
const MOST_REGISTERS: u64 = 64;

/// Instructions that load them: each has an address.
const MOST_LOADS: u64 = 16;

/// What computing may take of its busiest unit, in clocks of tensor cores for the iteration's products. Beside these it runs at a third of its
/// speed, but so it would in those who multiply, who would do nothing else then (H100, attention with keys and values of
/// 8 bits: 0.4 to 1.0 of that, and 1.5 times as fast; with keys that are rotated 0.65, 1.3 times).
const MOST_OF_PRODUCTS: f64 = 1.3;

/// Bytes of a register.
const REGISTER_BYTES: u64 = 4;

/// How a buffer's tile is computed.
#[derive(Clone)]
pub struct Computed<'c> {
    pub store: SharedStore<'c>,
    /// What it is computed from in the loop, as far as it is tiles, in order.
    pub tiles: Vec<Operation<'c>>,
    /// Those of them that load.
    pub loads: Vec<Load<'c>>,
}

impl<'c> Computed<'c> {
    /// What it needs that its tiles do not give.
    pub fn needs(&self) -> Vec<Value<'c>> {
        let given: HashSet<_> = self
            .tiles
            .iter()
            .flat_map(|tile| results(*tile))
            .map(key)
            .collect();
        let all = self.tiles.iter().flat_map(|tile| operands(*tile));
        all.filter(|value| !given.contains(&key(*value))).collect()
    }

    /// What it loads, and all that is computed from that.
    fn loaded_values(&self) -> impl Iterator<Item = Value<'c>> {
        let mut known: HashSet<_> = HashSet::new();
        let each = self.tiles.iter().filter(move |tile| {
            let mut all = operands(**tile).into_iter();
            let is_one = Load::of(**tile).is_some() || all.any(|value| known.contains(&key(value)));
            if is_one {
                known.extend(results(**tile).into_iter().map(key));
            }
            is_one
        });
        each.flat_map(|tile| results(*tile))
    }

    /// What says where its loads load, and whether.
    fn places(&self) -> Vec<Value<'c>> {
        let all = self.loads.iter().flat_map(|load| operands(load.0));
        all.collect()
    }

    /// Instructions with which a thread loads in a pass.
    fn instructions(&self, encodings: &Encodings) -> u64 {
        let of = |load: &Load<'_>| {
            let count = encodings.layout(load.pointers()).register_count() as u64;
            let vector = crate::ir::int_attribute(load.0, "vector").unwrap_or(1) as u64;
            count.div_ceil(vector)
        };
        self.loads.iter().map(of).sum()
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Whether the producer loads what it computes the next iteration from before it computes this one: where registers hold
    /// both, and places follow from the counter alone.
    fn loads_next(&self, plan: &Plan<'c>) -> bool {
        let encodings = Encodings::default();
        let registers = registers_of(plan.computed(), &encodings, self.warps as u64);
        let scalars = plan.slice.iter().copied();
        let of_loads = self.tiles_for(plan.computed().flat_map(Computed::places).collect());
        plan.computed().next().is_some()
            && plan.ahead.is_empty()
            && fits_twice(registers)
            && plan
                .computed()
                .flat_map(|one| &one.loads)
                .all(|load| word_count(&encodings, load.result()).is_some())
            && scalars
                .chain(of_loads)
                .all(|operation| Load::of(operation).is_none())
    }

    /// Variables for what the producer loads for its next iteration, if it does.
    pub(super) fn variables(
        &self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
    ) -> Vec<(Type<'c>, Value<'c>)> {
        let mut list = Vec::new();
        if !self.loads_next(&ring.plan) {
            return list;
        }
        let encodings = Encodings::default();
        for channel in &ring.channels {
            for _ in 0..self.warps / WARPGROUP {
                for load in self.loads_of(channel, ring) {
                    let words = word_count(&encodings, load.result()).unwrap_or_default();
                    list.push((load.result().r#type(), words_variable(to, words)));
                }
            }
        }
        list
    }

    /// The loads of an iteration for what the producer computes, by channel and pass; nothing is loaded unless it exists.
    pub(super) fn load_at(
        &mut self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
        counter: Value<'c>,
        now: Value<'c>,
        exists: Option<Value<'c>>,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        self.scalars_at(to, &ring.plan, counter, now)?;
        let mut loaded = Vec::new();
        for channel in &ring.channels {
            let computed: Vec<_> = channel.computed(ring).collect();
            let places = computed.iter().flat_map(|(computed, _)| computed.places());
            let places = self.tiles_for(places.collect());
            let loads = self.loads_of(channel, ring);
            for pass in 0..self.warps / WARPGROUP {
                self.pass = Some(pass);
                for operation in &places {
                    self.tile_of_pass(to, *operation)?;
                }
                for load in &loads {
                    if places.contains(&load.0) {
                        loaded.push(to.one(load.result()));
                    } else if let Some(exists) = exists {
                        loaded.push(load_if(to, *load, exists, &[]));
                    } else {
                        to.operation(self, load.0)?;
                        loaded.push(to.one(load.result()));
                    }
                }
            }
            self.pass = None;
        }
        Ok(loaded)
    }

    /// The loads of a channel, in order.
    fn loads_of(&self, channel: &Channel<'c>, ring: &Ring<'c>) -> Vec<Load<'c>> {
        let all = channel
            .computed(ring)
            .flat_map(|(computed, _)| &computed.loads);
        let all = self.in_order(&all.map(|load| address(load.0)).collect());
        all.into_iter().filter_map(Load::of).collect()
    }

    /// Computes what it does of a channel to a stage, from what was loaded; gives what is left of that.
    pub(super) fn compute_operands<'a>(
        &mut self,
        to: &mut Rebuilder<'c>,
        ring: &Ring<'c>,
        channel: &Channel<'c>,
        stage: Value<'c>,
        mut loaded: &'a [Value<'c>],
    ) -> Result<&'a [Value<'c>], Diagnostic> {
        let computed: Vec<_> = channel.computed(ring).collect();
        if computed.is_empty() {
            return Ok(loaded);
        }
        let loads = self.loads_of(channel, ring);
        let needs = computed.iter().flat_map(|(computed, _)| computed.needs());
        let mut tiles = self.tiles_for(needs.collect());
        let inside = computed.iter().flat_map(|(computed, _)| &computed.tiles);
        tiles.extend(self.in_order(&inside.map(|tile| address(*tile)).collect()));
        for pass in 0..self.warps / WARPGROUP {
            self.pass = Some(pass);
            let (own, others) = loaded.split_at(loads.len());
            loaded = others;
            for operation in &tiles {
                match loads.iter().position(|load| load.0 == *operation) {
                    Some(number) => to.bind(results(*operation)[0], vec![own[number]]),
                    None => self.tile_of_pass(to, *operation)?,
                }
            }
            for (computed, buffers) in &computed {
                let ty = computed.store.buffer().r#type();
                let buffer = to
                    .builder
                    .value("tile.shared_stage", &[*buffers, stage], &[], ty);
                let list = [to.one(computed.store.value()), buffer];
                let attributes = [("pass", to.builder.int(pass))];
                to.builder
                    .insert("tile.shared_store", &list, &attributes, &[]);
            }
        }
        self.pass = None;
        // Tensor cores read it.
        to.builder.insert("tile.proxy_fence", &[], &[], &[]);
        let attributes = [("meets", to.builder.int(1))];
        let list = [channel.full, stage];
        to.builder
            .insert("tile.mbarrier_arrive", &list, &attributes, &[]);
        Ok(loaded)
    }
}

impl<'c> Search<'_, '_, 'c> {
    /// What the producer computes of the loop, with what else it needs for that.
    pub(super) fn computed(&self) -> Vec<(Copy<'c>, Slice)> {
        if self.copied_by != CopiedBy::PerhapsProducer || !self.has_chain() {
            return Vec::new();
        }
        let stores = operations(self.body).into_iter();
        let mut found: Vec<_> = stores
            .filter_map(SharedStore::of)
            .filter_map(|store| self.computed_by(store))
            .collect();
        let warps = self.warps();
        let mut kept: Vec<Computed<'c>> = Vec::new();
        found.retain(|(computed, _)| {
            kept.push(computed.clone());
            let fits = registers_of(kept.iter(), self.encodings, warps) <= MOST_REGISTERS;
            if !fits {
                kept.pop();
            }
            fits
        });
        // What others need as well they load themselves.
        loop {
            let inside: HashSet<usize> = found
                .iter()
                .flat_map(|(computed, _)| &computed.tiles)
                .chain(found.iter().map(|(computed, _)| &computed.store.0))
                .map(|operation| address(*operation))
                .collect();
            let before = found.len();
            found.retain(|(computed, _)| {
                computed.loaded_values().all(|value| {
                    let mut users = self.users.get(&key(value)).into_iter().flatten();
                    users.all(|user| inside.contains(&address(*user)))
                })
            });
            if found.len() == before {
                break;
            }
        }
        if !self.is_worth_it(found.iter().map(|(computed, _)| computed)) {
            return Vec::new();
        }
        let copy = |(computed, slice): (Computed<'c>, Slice)| {
            let alloc = defining_operation(computed.store.buffer())?;
            let buffer = computed.store.buffer().r#type();
            let (_, layout) = buffer_layout(self.cx.context, computed.store.buffer());
            let copy = Copy {
                load: *computed.loads.first()?,
                alloc: Some(alloc),
                buffer,
                transposed: None,
                masked: None,
                vector: 1,
                bytes: stage_bytes(&layout),
                boxes: None,
                realigned: None,
                half: None,
                is_for_warpgroups: true,
                computed: Some(computed),
            };
            Some((copy, slice))
        };
        found.into_iter().filter_map(copy).collect()
    }

    /// Whether a product's operand is computed from what another one of the iteration gives, so that tensor cores wait for arithmetic.
    pub(super) fn has_chain(&self) -> bool {
        let mut known: HashSet<ValueKey> = HashSet::new();
        let mut found = false;
        each_operation(self.operation, &mut |operation| {
            let is_known = |value: &Value<'c>| known.contains(&key(*value));
            let dot = Dot::of(operation);
            found |= dot.is_some_and(|dot| is_known(&dot.left()) || is_known(&dot.right()));
            let follows = dot.is_some() || operands(operation).iter().any(is_known);
            if follows {
                known.extend(results(operation).into_iter().map(key));
                known.extend(SharedStore::of(operation).map(|store| key(store.buffer())));
            }
        });
        found
    }

    /// Whether the producer has the time, which is one warpgroup for all of those who multiply.
    fn is_worth_it<'a>(&self, computed: impl Iterator<Item = &'a Computed<'c>>) -> bool
    where
        'c: 'a,
    {
        let warpgroups = (self.warps() / WARPGROUP as u64).max(1) as usize;
        let own = work_of(self.cx, self.encodings, warpgroups, computed);
        let inside = operations(self.body).into_iter();
        let products =
            inside.map(|operation| work(self.cx, self.encodings, 1, operation).of(Unit::Tensor));
        let products: u32 = products.sum();
        let most = Unit::ALL.map(|unit| own.of(unit)).into_iter().max();
        f64::from(most.unwrap_or(0)) <= MOST_OF_PRODUCTS * f64::from(products)
    }

    /// How a store's tile is computed, if the producer can do that.
    fn computed_by(&self, store: SharedStore<'c>) -> Option<(Computed<'c>, Slice)> {
        let alloc = defining_operation(store.buffer()).and_then(SharedAlloc::of)?;
        let users = self.users.get(&key(alloc.result()))?;
        let stores = users
            .iter()
            .filter(|user| SharedStore::of(**user).is_some());
        if !self.is_here(alloc.0) || stores.count() != 1 || !self.is_for_warpgroups(alloc.0) {
            return None;
        }
        let mut slice = Slice::default();
        let mut seen = HashSet::new();
        let mut left = vec![store.value()];
        while let Some(value) = left.pop() {
            if !is_tile(value) {
                self.reach(value, &mut slice).ok()?;
                continue;
            }
            let operation = defining_operation(value)?;
            if !self.is_of_a_thread(operation) {
                return None;
            }
            if seen.insert(address(operation)) {
                left.extend(operands(operation));
            }
        }
        let inside = operations(self.body).into_iter();
        let tiles: Vec<_> = inside
            .filter(|operation| seen.contains(&address(*operation)))
            .collect();
        let loads: Vec<_> = tiles.iter().filter_map(|tile| Load::of(*tile)).collect();
        if loads.is_empty() || is_loaded(store.value()) || is_masked_load(store.value()) {
            return None;
        }
        let computed = Computed {
            store,
            tiles,
            loads,
        };
        (computed.instructions(self.encodings) <= MOST_LOADS).then_some((computed, slice))
    }

    /// The warps of the function.
    fn warps(&self) -> u64 {
        let warps = crate::ir::int_attribute(self.function, "tile.warps");
        warps.unwrap_or(1).max(1) as u64
    }

    /// Whether an operation is the loop's own, and in no branch.
    fn is_here(&self, operation: Operation<'c>) -> bool {
        operation.block().map(crate::ffi::block) == Some(self.body)
    }

    /// Whether each thread computes its part of a tile alone, from what never changes.
    fn is_of_a_thread(&self, operation: Operation<'c>) -> bool {
        if let Some(load) = Load::of(operation) {
            let unwritten = self.written;
            return unwritten.is_some_and(|written| is_unwritten(load.pointers(), written));
        }
        let is_own = matches!(
            TileOp::of(operation),
            Some(
                TileOp::Arange(_)
                    | TileOp::Splat(_)
                    | TileOp::Expand(_)
                    | TileOp::Broadcast(_)
                    | TileOp::Reshape(_)
                    | TileOp::Permute(_)
                    | TileOp::PointerOffset(_)
                    | TileOp::PointerCast(_)
            )
        );
        let is_arithmetic =
            name(operation).starts_with("arith.") || name(operation).starts_with("math.");
        is_own || is_arithmetic
    }
}

/// Tiles that were loaded, as words: what unpacks them comes later, when there is a place for that.
pub fn settled<'c>(to: &mut Rebuilder<'c>, loaded: &[Value<'c>]) -> Vec<Value<'c>> {
    let encodings = Encodings::default();
    let each = loaded
        .iter()
        .map(|value| match word_count(&encodings, *value) {
            Some(_) => to
                .builder
                .value("tile.settle", &[*value], &[], value.r#type()),
            None => *value,
        });
    each.collect()
}

/// What a producer computes in an iteration for so many warpgroups.
pub fn work_of<'a, 'c: 'a>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    warpgroups: usize,
    computed: impl Iterator<Item = &'a Computed<'c>>,
) -> Work {
    let mut known = HashSet::new();
    let mut pass = Work::NONE;
    for tile in computed.flat_map(|one| &one.tiles) {
        if known.insert(address(*tile)) {
            pass = pass.and(work(cx, encodings, warpgroups, *tile));
        }
    }
    (1..warpgroups).fold(pass, |all, _| all.and(pass))
}

/// Registers of a thread for what a loop's producer loads to compute from it: of two iterations, where that fits.
pub fn loaded(plan: &Plan<'_>, warps: u64) -> u64 {
    let one = registers_of(plan.computed(), &Encodings::default(), warps);
    if fits_twice(one) { 2 * one } else { one }
}

/// Registers of a thread for what is loaded for these, for all warps.
fn registers_of<'a, 'c: 'a>(
    computed: impl Iterator<Item = &'a Computed<'c>>,
    encodings: &Encodings,
    warps: u64,
) -> u64 {
    let mut known = HashSet::new();
    let loads = computed.flat_map(|one| &one.loads);
    let registers = loads
        .filter(|load| known.insert(address(load.0)))
        .map(|load| {
            let count = encodings.layout(load.result()).register_count() as u64;
            (count * element_bytes(load.result().r#type())).div_ceil(REGISTER_BYTES)
        });
    registers.sum::<u64>() * (warps / WARPGROUP as u64)
}

/// Whether registers hold what is loaded for this iteration and the next.
const fn fits_twice(registers: u64) -> bool {
    2 * registers <= MOST_REGISTERS
}

/// Whether a tile is what was loaded, perhaps transposed: then it is copied.
fn is_loaded(value: Value<'_>) -> bool {
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    match TileOp::of(operation) {
        Some(TileOp::Permute(permute)) => is_loaded(permute.operand()),
        Some(TileOp::Load(_)) => true,
        _ => false,
    }
}
