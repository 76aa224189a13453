//! `conversions`: layout conversions become register moves, shuffles or round trips through shared memory.
//!
//! ```text
//! %b = tile.convert %a : tensor<128x64xf16, L1> -> tensor<128x64xf16, L2>
//!   ⇒  %s = tile.shared_alloc : !tile.shared<tensor<128x64xf16, {…}>>
//!      tile.shared_store %a, %s
//!      %b = tile.shared_load %s
//! ```
//!
//! A conversion that stays inside threads, or takes a few shuffles, remains a `tile.convert`. The buffer is swizzled so that
//! neither side meets bank conflicts. A dot takes its operands from shared memory itself, one step
//! along K at a time: a thread's share of all of K is more than registers should hold. What products read both as it is and
//! transposed is there once ([`warp`]). Those of `wgmma` are written from where they are ([`warpgroup`]).

use std::collections::HashMap;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module, ValueLike};

use super::encoding::{Encodings, buffer_type};
use super::to_llvm::reads_matrices;
use super::{PassContext, each_operation, element_bytes, function_name, rebuild_functions, uses};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::remark::{RemarkKind, Trip};
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::TileOp;
use crate::dialect::ops::Dot;
use crate::ir::{Operation, TileType, Value, ValueKey, attributes, is_loop, operations};
use crate::layout::{Conversion, Layout, SharedLayout, ShufflePlan, Swizzle};

mod halves;
mod warp;
mod warpgroup;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions(cx, &module, |function| {
        Ok(Conversions {
            cx,
            function: function_name(function).to_owned(),
            encodings: &encodings,
            users: uses(function),
            stored: HashMap::new(),
            converted: HashMap::new(),
            invariant_bytes: 0,
        })
    })
}

struct Conversions<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: String,
    encodings: &'a Encodings,
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
    /// The buffers of conversions that follow, already written.
    stored: HashMap<ValueKey, Value<'c>>,
    /// What conversions in a loop give that are done before it.
    converted: HashMap<ValueKey, Value<'c>>,
    /// Bytes of loop-invariant operands, which are written before the loop.
    invariant_bytes: u64,
}

/// Shuffles that a conversion inside a warp may take. A round trip through shared memory costs about
/// as much as this many: two barriers, and the latency of a store and a load.
const MOST_SHUFFLES: usize = 8;

/// Registers of a thread up to which conversions that follow each other are written together: buffers that live at the
/// same time take room.
const MOST_TOGETHER: usize = 4;

/// Of a program's shared memory loop-invariant operands take this part at most, and no more than half together with
/// what an iteration exchanges, which could have the same place otherwise.
const INVARIANT_PART: u64 = 4;

/// Selects that it may take besides.
const MOST_SELECTS: usize = 32;

/// A layout in shared memory is clearly dearer than another from this ratio on, 5 / 4.
const CLEARLY: (u64, u64) = (4, 5);

/// How to convert without shared memory: registers of the same thread, or a few shuffles.
#[must_use]
pub fn inside_warps(from: &Layout, to: &Layout) -> Option<Conversion> {
    let plan = Conversion::plan(from, to);
    match &plan {
        Conversion::Identity | Conversion::Registers(_) => Some(plan),
        Conversion::Shuffles(shuffles) => {
            let cheap = shuffles.shuffle_count() <= MOST_SHUFFLES
                && shuffles.select_count() <= MOST_SELECTS;
            cheap.then_some(plan)
        }
        Conversion::Shared => None,
    }
}

/// How lanes of a warp bring pairs of 8-bit elements from one layout to another, in a shuffle for each pair at most: a store and
/// a load of shared memory take as many instructions, and warps wait for each other besides.
#[must_use]
pub fn pairs_between(from: &Layout, to: &Layout, bits: u32) -> Option<ShufflePlan> {
    if bits != 8 {
        return None;
    }
    let (from, to) = (from.of_pairs()?, to.of_pairs()?);
    match Conversion::plan(&from, &to) {
        Conversion::Shuffles(plan) if plan.shuffle_count() <= to.register_count() => Some(plan),
        _ => None,
    }
}

/// The dimensions, fastest first, such that what `from` writes is contiguous.
fn order_of(from: &Layout, to: &Layout) -> Vec<usize> {
    let mut order: Vec<usize> = (0..from.rank()).rev().collect();
    order.sort_by_key(|axis| {
        let written = from.vector_register_bits(*axis).len();
        let read = to.vector_register_bits(*axis).len();
        std::cmp::Reverse((written, read))
    });
    order
}

/// How a tile lies in shared memory on its way from one layout to another. Rows of 16-byte chunks are what
/// `ldmatrix` reads and asynchronous copies write; where neither has a part, and bank conflicts or narrow
/// accesses make them clearly dearer, it is the cheapest layout that there is.
fn shared_between(
    from: &Layout,
    wanted: &Layout,
    element_bytes: u64,
    feeds_dot: bool,
) -> SharedLayout {
    let covered = from.covered().into_iter().zip(wanted.covered());
    let covered: Vec<u64> = covered.map(|(a, b)| a.max(b)).collect();
    let rows = SharedLayout::for_ldmatrix(&covered, &order_of(from, wanted), element_bytes);
    // Words of other elements only products take whole.
    if feeds_dot || element_bytes == 2 && reads_matrices(wanted, &rows) {
        return rows;
    }
    let cost = |shared: &SharedLayout| {
        Some(shared.bank_conflicts(from)?.cost() + shared.bank_conflicts(wanted)?.cost())
    };
    let best = SharedLayout::for_round_trip(from, wanted, element_bytes);
    let cheaper = match (cost(&best), cost(&rows)) {
        (Some(best), Some(rows)) => best * CLEARLY.1 < rows * CLEARLY.0,
        (best, _) => best.is_some(),
    };
    if cheaper { best } else { rows }
}

impl<'c> Conversions<'_, '_, 'c> {
    fn buffer(
        &self,
        to: &mut Rebuilder<'c>,
        element: melior::ir::Type<'c>,
        layout: &SharedLayout,
    ) -> Value<'c> {
        let ty = buffer_type(self.cx.context, element, layout);
        let offset = to.builder.int(-1);
        // Not numbered: two buffers of one type are two buffers.
        crate::ir::result(
            to.builder
                .insert("tile.shared_alloc", &[], &[("offset", offset)], &[ty]),
            0,
        )
    }

    /// Writes a tile to a new buffer from which it is read in the layout `wanted`.
    fn exchange(
        &self,
        to: &mut Rebuilder<'c>,
        operand: Value<'c>,
        from: &Layout,
        wanted: &Layout,
    ) -> Value<'c> {
        let bytes = element_bytes(operand.r#type());
        let shared = shared_between(from, wanted, bytes, false);
        let value = to.one(operand);
        self.write(to, value, &shared)
    }

    /// Writes a tile to a new buffer of this layout.
    fn write(&self, to: &mut Rebuilder<'c>, value: Value<'c>, shared: &SharedLayout) -> Value<'c> {
        let element = TileType::of(value).expect("a tile").element();
        let buffer = self.buffer(to, element, shared);
        to.builder
            .insert("tile.shared_store", &[value, buffer], &[], &[]);
        buffer
    }

    /// Of the small conversions that follow this one, writes what is there already: one barrier is enough for all.
    fn store_next(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) {
        let mut next = operation.next_in_block();
        while let Some(following) = next {
            let Some(TileOp::Convert(convert)) = TileOp::of(following) else {
                return;
            };
            let from = self.encodings.layout(convert.operand());
            let wanted = self.encodings.layout(convert.result());
            let number = crate::ir::key(convert.result());
            if !to.is_bound(convert.operand())
                || self.stored.contains_key(&number)
                || self.feeds_dot(convert.result())
                || inside_warps(&from, &wanted).is_some()
                || from.register_count() > MOST_TOGETHER
            {
                return;
            }
            let buffer = self.exchange(to, convert.operand(), &from, &wanted);
            self.stored.insert(number, buffer);
            next = following.next_in_block();
        }
    }

    /// Before a loop: converts what is there already and takes few registers, such as rows that go with a tile, so that no
    /// iteration goes through shared memory for it, and writes what products on `mma` read there.
    fn converted_before(&mut self, to: &mut Rebuilder<'c>, of: Operation<'c>) {
        let mut rows = Vec::new();
        let mut exchanged = 0;
        each_operation(of, &mut |operation| {
            let moved = match TileOp::of(operation) {
                Some(TileOp::Convert(convert)) => {
                    rows.push(convert);
                    convert.operand()
                }
                Some(TileOp::Gather(gather)) => gather.operand(),
                Some(TileOp::Exchange(exchange)) => exchange.operand(),
                _ => return,
            };
            exchanged = exchanged.max(self.bytes(moved));
        });
        for convert in rows {
            let from = self.encodings.layout(convert.operand());
            let wanted = self.encodings.layout(convert.result());
            let number = crate::ir::key(convert.result());
            if !to.is_bound(convert.operand())
                || self.converted.contains_key(&number)
                || self.stored.contains_key(&number)
                || inside_warps(&from, &wanted).is_some()
            {
                continue;
            }
            if self.feeds_dot(convert.result()) {
                let invariant = self.invariant_bytes + self.bytes(convert.operand());
                let has = self.cx.target.shared_bytes_per_program;
                if invariant <= has / INVARIANT_PART && invariant + exchanged <= has / 2 {
                    self.invariant_bytes = invariant;
                    let buffer = self.buffer_for_dot(to, convert);
                    self.stored.insert(number, buffer);
                }
                continue;
            }
            if from.register_count().max(wanted.register_count()) > MOST_TOGETHER {
                continue;
            }
            let buffer = self.exchange(to, convert.operand(), &from, &wanted);
            let ty = convert.result().r#type();
            let value = to.builder.value("tile.shared_load", &[buffer], &[], ty);
            self.converted.insert(number, value);
        }
    }

    /// Bytes that a tile has in shared memory, if it goes through it.
    fn bytes(&self, tile: Value<'c>) -> u64 {
        let covered = self.encodings.layout(tile).covered();
        covered.iter().product::<u64>() * element_bytes(tile.r#type())
    }

    /// Says that a tile goes through shared memory in each iteration of a loop with a product, which waits for it, and why.
    fn remark_trip(&self, at: Operation<'c>, value: Value<'c>, why: Trip) {
        let is_product =
            |inside: &Operation<'c>| matches!(TileOp::of(*inside), Some(TileOp::Dot(_)));
        let around = at.block().map(crate::ffi::block);
        let is_in_loop = around.is_some_and(|block| {
            let parent = block.parent_operation();
            parent.is_some_and(|of| is_loop(crate::ffi::operation(of)))
                && operations(block).iter().any(is_product)
        });
        // What is loaded there comes as a copy, which any thread reads, or `pipeline` says why it does not.
        let source = crate::ffi::defining_operation(value);
        let is_loaded = source.is_some_and(|source| {
            matches!(TileOp::of(source), Some(TileOp::Load(_)))
                && source.block().map(crate::ffi::block) == around
        });
        if is_in_loop && !is_loaded {
            let tile = super::spelled(value.r#type()).replace("!tile.", "");
            let span = Some(self.cx.span(at.location()));
            let kind = RemarkKind::SharedMemoryTrip { tile, why };
            self.cx.remark(&self.function, span, kind);
        }
    }

    /// A result that one thread of several has: the others are told, if anyone uses it.
    fn told(&self, to: &mut Rebuilder<'c>, old: Value<'c>, new: Value<'c>) -> Value<'c> {
        let users = self.users.get(&crate::ir::key(old));
        let layout = self.encodings.layout(new);
        if users.is_none_or(Vec::is_empty) || layout.owners().are_all_threads() {
            return new;
        }
        let element = TileType::of(new).expect("a tile").element();
        let order: Vec<usize> = (0..layout.rank()).rev().collect();
        let bytes = element_bytes(element);
        let shared = SharedLayout::new(&layout.covered(), &order, bytes, Swizzle::NONE);
        let buffer = self.buffer(to, element, &shared);
        to.builder
            .insert("tile.shared_store", &[new, buffer], &[], &[]);
        to.builder
            .value("tile.shared_load", &[buffer], &[], new.r#type())
    }

    /// K of a product. A buffer may cover more than that: padding, which is not to be multiplied.
    fn depth(&self, to: &Rebuilder<'c>, dot: Dot<'c>) -> Attribute<'c> {
        let shape = TileType::of(dot.left())
            .map(TileType::shape)
            .unwrap_or_default();
        to.builder.int(shape.last().copied().unwrap_or(0) as i64)
    }
}

impl<'c> Rewrite<'c> for Conversions<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        match TileOp::of(operation) {
            Some(TileOp::Convert(convert)) => {
                if let Some(value) = self.converted.get(&crate::ir::key(convert.result())) {
                    to.bind(convert.result(), vec![*value]);
                    return Ok(true);
                }
                let from = self.encodings.layout(convert.operand());
                let wanted = self.encodings.layout(convert.result());
                if inside_warps(&from, &wanted).is_some() {
                    return Ok(false);
                }
                let feeds_dot = self.feeds_dot(convert.result());
                let ty = convert.result().r#type();
                if !feeds_dot {
                    self.remark_trip(operation, convert.operand(), Trip::OtherThreads);
                }
                let buffer = match self.stored.remove(&crate::ir::key(convert.result())) {
                    Some(buffer) => buffer,
                    None if feeds_dot => self.buffer_for_dot(to, convert),
                    None if let Some(layout) = self.operand_that_is_read(convert) => {
                        self.written_once(to, convert.operand(), &layout).0
                    }
                    None => {
                        let shared = shared_between(&from, &wanted, element_bytes(ty), false);
                        let value = to.one(convert.operand());
                        if self.is_too_large(ty, &shared) {
                            let value = self.in_halves(to, value, ty, &from, &wanted);
                            self.remark_halves(operation, ty);
                            to.bind(convert.result(), vec![value]);
                            return Ok(true);
                        }
                        self.write(to, value, &shared)
                    }
                };
                self.store_next(to, operation);
                let value = if feeds_dot {
                    buffer
                } else {
                    to.builder.value("tile.shared_load", &[buffer], &[], ty)
                };
                to.bind(convert.result(), vec![value]);
                Ok(true)
            }
            Some(TileOp::Gather(gather)) => {
                let layout = self.encodings.layout(gather.operand());
                let element = TileType::of(gather.operand()).expect("a tile").element();
                let order: Vec<usize> = (0..layout.rank()).rev().collect();
                // Anything may be read from anywhere: no swizzle helps.
                let bytes = element_bytes(element);
                let shared = SharedLayout::new(&layout.covered(), &order, bytes, Swizzle::NONE);
                let value = to.one(gather.operand());
                let buffer = self.buffer(to, element, &shared);
                to.builder
                    .insert("tile.shared_store", &[value, buffer], &[], &[]);
                let mut list = vec![buffer];
                list.extend(gather.indices().into_iter().map(|index| to.one(index)));
                let all = attributes(operation);
                let ty = gather.result().r#type();
                let read = to.builder.insert("tile.shared_gather", &list, &all, &[ty]);
                to.bind(gather.result(), crate::ir::results(read));
                Ok(true)
            }
            Some(TileOp::Histogram(histogram)) => {
                let layout = self.encodings.layout(histogram.result());
                let ty = histogram.result().r#type();
                let element = crate::ir::element_type(ty);
                let bytes = element_bytes(element);
                let shared = SharedLayout::new(&layout.covered(), &[0], bytes, Swizzle::NONE);
                let buffer = self.buffer(to, element, &shared);
                let zeros = to.builder.constant_int(0, ty);
                to.builder
                    .insert("tile.shared_store", &[zeros, buffer], &[], &[]);
                let [values, mask] = [histogram.operand(), histogram.mask()].map(|v| to.one(v));
                to.builder
                    .insert("tile.shared_count", &[values, mask, buffer], &[], &[]);
                let counts = to.builder.insert("tile.shared_load", &[buffer], &[], &[ty]);
                to.bind(histogram.result(), crate::ir::results(counts));
                Ok(true)
            }
            Some(TileOp::Exchange(exchange)) => {
                let layout = self.encodings.layout(exchange.result());
                let (axis, mask) = (exchange.axis() as usize, exchange.mask() as u64);
                let partners = layout.partners(axis, mask).ok_or_else(|| {
                    let span = self.cx.span(operation.location());
                    messages::lowering::not_lowered("a tile as large as this one here", span)
                })?;
                if partners.warp == 0 {
                    return Ok(false);
                }
                self.cx.remark(
                    &self.function,
                    Some(self.cx.span(operation.location())),
                    RemarkKind::ExchangeBetweenWarps,
                );
                // What a register holds is in the same place for all threads, side by side: no bank
                // conflicts, whatever the layout.
                let element = TileType::of(exchange.operand()).expect("a tile").element();
                let threads = 32 * u64::from(layout.warp_count());
                let covered = [layout.register_count() as u64, threads];
                let bytes = element_bytes(element);
                let shared = SharedLayout::new(&covered, &[1, 0], bytes, Swizzle::NONE);
                let value = to.one(exchange.operand());
                let buffer = self.buffer(to, element, &shared);
                to.builder
                    .insert("tile.shared_put", &[value, buffer], &[], &[]);
                let all = attributes(operation);
                let ty = exchange.result().r#type();
                let read = to
                    .builder
                    .insert("tile.shared_exchange", &[buffer], &all, &[ty]);
                to.bind(exchange.result(), crate::ir::results(read));
                Ok(true)
            }
            Some(TileOp::Atomic(atomic)) => {
                let users = self.users.get(&crate::ir::key(atomic.result()));
                let returns = users.is_some_and(|users| !users.is_empty());
                let mut all = attributes(operation);
                all.push(("returns", to.builder.int(i64::from(returns))));
                let new = to.copy_with_attributes(self, operation, &all)?;
                let told = self.told(to, atomic.result(), crate::ir::result(new, 0));
                to.bind(atomic.result(), vec![told]);
                Ok(true)
            }
            Some(TileOp::Asm(asm)) if asm.effects() != 0 => {
                let new = to.copy(self, operation)?;
                let old = crate::ir::results(operation).into_iter();
                for (old, new) in old.zip(crate::ir::results(new)) {
                    let told = self.told(to, old, new);
                    to.bind(old, vec![told]);
                }
                Ok(true)
            }
            Some(TileOp::Dot(dot)) if dot.path() == "mma" => {
                self.warp_product(to, dot);
                Ok(true)
            }
            Some(TileOp::Dot(dot)) if dot.path() == "wgmma" => {
                self.warpgroup_product(to, dot);
                Ok(true)
            }
            Some(TileOp::Permute(_)) => Ok(self.is_read_turned(operation)),
            None if is_loop(operation) => {
                self.operands_before(to, operation);
                self.converted_before(to, operation);
                Ok(false)
            }
            Some(TileOp::Dot(dot)) if dot.path() == "fma" => {
                let accumulator = self.encodings.layout(dot.result()).covered();
                let mut list = Vec::new();
                for (index, operand) in [dot.left(), dot.right()].into_iter().enumerate() {
                    let tile = TileType::of(operand).expect("a tile");
                    let mut covered = self.encodings.layout(operand).covered();
                    covered[index] = covered[index].max(accumulator[index]);
                    let bytes = element_bytes(tile.element());
                    // Rows are read at a moving position along K, which a swizzle would not survive;
                    // 16 more bytes per row spread its columns over the banks.
                    let shared = SharedLayout::new(&covered, &[1, 0], bytes, Swizzle::NONE)
                        .with_row_padding((16 / bytes).max(1));
                    let value = to.one(operand);
                    let buffer = self.buffer(to, tile.element(), &shared);
                    to.builder
                        .insert("tile.shared_store", &[value, buffer], &[], &[]);
                    list.push(buffer);
                }
                list.push(to.one(dot.accumulator()));
                let mut all = attributes(operation);
                all.push(("depth", self.depth(to, dot)));
                product(to, dot, &list, &all);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// A product of these operands with these attributes, and never an earlier one instead: operands in shared memory may
/// have other contents by now.
fn product<'c>(
    to: &mut Rebuilder<'c>,
    dot: Dot<'c>,
    list: &[Value<'c>],
    attributes: &[(&'c str, Attribute<'c>)],
) {
    let types = [dot.result().r#type()];
    let new = to.builder.insert("tile.dot", list, attributes, &types);
    to.bind_results(dot.0, new);
}
