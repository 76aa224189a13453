//! Long rows wait in shared memory.
//!
//! ```text
//! x = load(p); m = sum(x) / n; v = sum((x - m)²) / n; store((x - m) * rsqrt(v))
//!   ⇒  buffer = copy(p); x = buffer; m = sum(x) / n
//!      x = buffer; v = sum((x - m)²) / n
//!      x = buffer; store((x - m) * rsqrt(v))
//! ```
//!
//! Where a row takes so many registers that few programs fit, they all wait together: they load, reduce and
//! store in turns, and memory is idle in between. A row in shared memory takes half the room or less (it has
//! the type that it has in memory), and none of it is registers: each reduction, and the store at the end, reads it
//! anew, and computes again what comes from it element by element. That pays while what is computed again is cheap
//! ([`MOST_COMPUTED_AGAIN`]).
//!
//! Each thread copies what it reads itself, so there is nothing to wait for but its own copies.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Load, SharedAlloc};
use crate::dialect::{TileOp, is_pure};
use crate::encoding::{Encodings, buffer_layout, buffer_type, stage_bytes};
use crate::ir::{
    Operation, Value, ValueKey, address, int_attribute, key, name, operand, operands, operations,
    region_block, result, results,
};
use crate::layout::SharedLayout;
use crate::layout::copy::copies;
use crate::writes::{is_unwritten, written_by};
use crate::{
    PassContext, each_operation, element_bits, element_bytes, function_name, is_tile, seen,
};

/// Programs of a multiprocessor that are enough for some to load while others compute, with rows in registers. On an
/// H200 two of 16384 columns of `bf16` are faster there (layer norm 0.95 of the copy for 0.93, RMS norm 0.98 for 0.96),
/// one of 32768 in shared memory (0.87 for 0.84, 0.95 for 0.95).
const ENOUGH_PROGRAMS: u64 = 2;

/// Programs that shared memory must have room for.
const PROGRAMS_IN_SHARED: u64 = 3;

/// Registers of a thread besides those of its part of the row.
const BESIDES: u64 = 28;

/// Instructions per element that may be computed again: not `exp`, with which softmax would take more than
/// there is time for.
const MOST_COMPUTED_AGAIN: u64 = 5;

/// Which rows of a function wait in shared memory.
pub(super) struct Rows<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
    name: String,
    /// The loads of rows, and what is computed from them element by element.
    loads: HashSet<usize>,
    derived: HashSet<ValueKey>,
    /// The operations that give them.
    sources: HashMap<ValueKey, Operation<'c>>,
    buffers: HashMap<ValueKey, Value<'c>>,
    /// Reductions so far, and when each value was built.
    phase: usize,
    built: HashMap<ValueKey, usize>,
    /// Whether all copies that have begun have been waited for.
    arrived: bool,
}

impl<'a, 'b, 'c> Rows<'a, 'b, 'c> {
    /// Finds the rows of a function, none where they fit into registers or cost too much to read again.
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &'a Encodings,
        function: Operation<'c>,
    ) -> Self {
        let mut rows = Self {
            cx,
            encodings,
            name: function_name(function).to_owned(),
            loads: HashSet::new(),
            derived: HashSet::new(),
            sources: HashMap::new(),
            buffers: HashMap::new(),
            phase: 0,
            built: HashMap::new(),
            arrived: false,
        };
        if !rows.search(function) {
            rows.loads.clear();
            rows.derived.clear();
        }
        rows
    }

    /// Whether none waits there.
    pub(super) fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Fills in the rows and what comes from them; `false` if they had better stay in registers.
    fn search(&mut self, function: Operation<'c>) -> bool {
        let Some(body) = region_block(function, 0) else {
            return false;
        };
        let target = self.cx.target;
        let threads = 32 * int_attribute(function, "tile.warps").unwrap_or(1) as u64;
        let inside = operations(body);
        let is_straight = inside.iter().all(|operation| {
            !name(*operation).starts_with("scf.")
                && !matches!(TileOp::of(*operation), Some(TileOp::Dot(_)))
        });
        if !is_straight || int_attribute(function, "tile.cluster").unwrap_or(1) > 1 {
            return false;
        }
        // What nobody reads nobody would wait for.
        let seen = seen(function);
        let mut bytes = 0;
        let mut taken = 0;
        // Registers of the rows as they are computed with: of 32 bits.
        let mut registers = 0;
        for operation in &inside {
            if let Some(alloc) = SharedAlloc::of(*operation) {
                taken += stage_bytes(&buffer_layout(self.cx.context, alloc.result()).1);
            }
            let is_read = |load: &Load<'c>| seen.contains(&key(load.result()));
            let Some(load) = Load::of(*operation).filter(is_read) else {
                continue;
            };
            let Some(layout) = self.buffer(load) else {
                continue;
            };
            bytes += stage_bytes(&layout);
            registers += self.encodings.layout(load.result()).register_count() as u64;
            self.loads.insert(address(*operation));
            self.derived.insert(key(load.result()));
            self.sources.insert(key(load.result()), *operation);
        }
        let fit = target.registers_per_program / (threads * (registers + BESIDES));
        let room = target.shared_bytes_per_multiprocessor / (bytes + taken).max(1);
        if self.loads.is_empty() || fit >= ENOUGH_PROGRAMS || room < PROGRAMS_IN_SHARED {
            return false;
        }
        for operation in &inside {
            let list = operands(*operation);
            let derives = list.iter().any(|value| self.derived.contains(&key(*value)));
            let [value] = results(*operation)[..] else {
                continue;
            };
            if derives
                && is_tile(value)
                && is_pure(name(*operation))
                && operation.region_count() == 0
            {
                self.derived.insert(key(value));
                self.sources.insert(key(value), *operation);
            }
        }
        self.again(&inside) <= MOST_COMPUTED_AGAIN
    }

    /// The layout of a buffer for a row, if its load can be a copy: it is different in each program, and
    /// each thread copies what it reads.
    fn buffer(&self, load: Load<'c>) -> Option<SharedLayout> {
        if !is_tile(load.result()) || !load.cache().is_empty() || !load.evict().is_empty() {
            return None;
        }
        let own = self.encodings.layout(load.result());
        let element = crate::ir::element_type(load.result().r#type()).to_string();
        let is_number = element != "i1" && !element.starts_with("!tile.ptr");
        let mut addresses = std::iter::once(load.pointers()).chain(load.mask());
        let is_shared = addresses.all(crate::sink::is_same_for_all_programs);
        if !is_number || is_shared || own.rank() != 1 || !own.owners().are_all_threads() {
            return None;
        }
        let vector = int_attribute(load.0, "vector").unwrap_or(1) as u64;
        let bytes = element_bytes(load.result().r#type());
        let layout = SharedLayout::for_ldmatrix(&own.covered(), &[0], bytes);
        let (_, width) = copies(&own, &layout, vector)?;
        (width * bytes == 16).then_some(layout)
    }

    /// Instructions per element that are computed again, in all phases together.
    fn again(&self, inside: &[Operation<'c>]) -> u64 {
        let mut phase = 0;
        let mut built: HashMap<ValueKey, usize> = HashMap::new();
        let mut cost = 0;
        for operation in inside {
            let [value] = results(*operation)[..] else {
                cost += self.cost(&operands(*operation), phase, &mut built);
                continue;
            };
            if self.derived.contains(&key(value)) {
                continue;
            }
            cost += self.cost(&operands(*operation), phase, &mut built);
            phase += usize::from(self.ends_phase(*operation));
        }
        cost
    }

    fn cost(
        &self,
        needed: &[Value<'c>],
        phase: usize,
        built: &mut HashMap<ValueKey, usize>,
    ) -> u64 {
        let mut cost = 0;
        let mut left = needed.to_vec();
        while let Some(value) = left.pop() {
            if !self.derived.contains(&key(value)) || built.get(&key(value)) == Some(&phase) {
                continue;
            }
            let operation = self.sources[&key(value)];
            if built.insert(key(value), phase).is_some() {
                cost += match name(operation) {
                    "tile.load" | "tile.broadcast" | "tile.expand" | "tile.splat" => 0,
                    "arith.divf" | "arith.remf" => 8,
                    other if other.starts_with("math.") => 8,
                    _ => 1,
                };
            }
            if Load::of(operation).is_none() {
                left.extend(operands(operation));
            }
        }
        cost
    }

    /// Whether a reduction of a row ends here: what comes after it waits for all threads.
    fn ends_phase(&self, operation: Operation<'c>) -> bool {
        matches!(TileOp::of(operation), Some(TileOp::Reduce(_)))
            && operands(operation)
                .iter()
                .any(|value| self.derived.contains(&key(*value)))
    }

    /// Builds what comes from rows among these values, unless it was built since the last reduction.
    fn need(&mut self, to: &mut Rebuilder<'c>, values: &[Value<'c>]) -> Result<(), Diagnostic> {
        for value in values {
            let number = key(*value);
            if !self.derived.contains(&number) || self.built.get(&number) == Some(&self.phase) {
                continue;
            }
            self.built.insert(number, self.phase);
            let operation = self.sources[&number];
            if Load::of(operation).is_some() {
                self.wait(to);
                let list = [self.buffers[&number]];
                let read = to
                    .builder
                    .insert("tile.shared_load", &list, &[], &[value.r#type()]);
                to.bind(*value, results(read));
                continue;
            }
            self.need(to, &operands(operation))?;
            let here = to.builder.location();
            to.builder.set_location(operation.location());
            to.copy(self, operation)?;
            to.builder.set_location(here);
        }
        Ok(())
    }

    /// Waits for the copies that have begun.
    fn wait(&mut self, to: &mut Rebuilder<'c>) {
        if !std::mem::replace(&mut self.arrived, true) {
            let none = to.builder.int(0);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", none)], &[]);
        }
    }

    /// Whether an operation may write to what a row comes from.
    fn overwrites(&self, operation: Operation<'c>) -> bool {
        let is_unwritten = |written: &HashSet<usize>| {
            let mut rows = self.buffers.keys().map(|row| self.sources[row]);
            rows.all(|load| is_unwritten(operand(load, 0), written))
        };
        !self.buffers.is_empty() && !written_by(operation).as_ref().is_some_and(is_unwritten)
    }

    fn start(&mut self, to: &mut Rebuilder<'c>, load: Load<'c>) {
        let Some(layout) = self.buffer(load) else {
            return;
        };
        let element = crate::ir::element_type(load.result().r#type());
        let offset = [("offset", to.builder.int(-1))];
        let ty = buffer_type(self.cx.context, element, &layout);
        let alloc = to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]);
        let buffer = result(alloc, 0);
        let mut list = vec![to.one(load.pointers()), buffer];
        list.extend(load.mask().map(|mask| to.one(mask)));
        list.extend(load.other().map(|other| to.one(other)));
        let vector = int_attribute(load.0, "vector").unwrap_or(1);
        let given = |value: Option<Value<'c>>| i32::from(value.is_some());
        let segments = [1, 1, given(load.mask()), given(load.other()), 0];
        let attributes = [
            ("vector", to.builder.int(vector)),
            ("operandSegmentSizes", to.builder.ints32(&segments)),
        ];
        to.builder
            .insert("tile.async_copy", &list, &attributes, &[]);
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        self.arrived = false;
        self.buffers.insert(key(load.result()), buffer);
        let kind = RemarkKind::RowInSharedMemory {
            elements: self.encodings.layout(load.result()).shape()[0],
            bits: element_bits(load.result().r#type()),
        };
        let span = self.cx.span(load.0.location());
        self.cx.remark(&self.name, Some(span), kind);
    }
}

impl<'c> Rewrite<'c> for Rows<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.loads.is_empty() {
            return Ok(false);
        }
        if let Some(load) = Load::of(operation).filter(|_| self.loads.contains(&address(operation)))
        {
            self.start(to, load);
            return Ok(true);
        }
        if let [value] = results(operation)[..]
            && self.derived.contains(&key(value))
        {
            return Ok(true);
        }
        if self.overwrites(operation) {
            self.wait(to);
        }
        let mut used = operands(operation);
        each_operation(operation, &mut |inner| used.extend(operands(inner)));
        self.need(to, &used)?;
        self.phase += usize::from(self.ends_phase(operation));
        Ok(false)
    }
}
