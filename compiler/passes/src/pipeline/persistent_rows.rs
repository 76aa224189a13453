//! Persistent kernels of long rows: the next program's rows come while one is computed.
//!
//! ```text
//! w = load(q); x = load(p(program_id)); … sum(x) … x · w …
//!   ⇒  copy q to one buffer, p(block) to another
//!      for n in the numbers that this block takes {
//!          wait; x = buffer; copy p(next n) to buffer; … sum(x) …; w = buffer; … x · w …
//!      }
//! ```
//!
//! Where rows take so many registers that only one program fits on a multiprocessor, it loads, reduces and stores in
//! turns, and memory is idle while it reduces. Here as many blocks are launched as run at once
//! ([`programs`](super::programs)), and each copies the rows of its next program to shared memory as soon as it has this
//! one's in registers. Which one that is a counter says ([`tickets`](super::tickets)). What all programs read alike is
//! copied once, if there is room: asked for by each program anew, weights and biases are more than the row, and the
//! level-2 cache is busy with them (layer norm of 32768 columns of `bf16`: 0.88 of the copy for 0.955). Where two programs
//! fit, they are faster without (softmax of 16384 columns: 0.86 of the copy for 0.83, layer norm 0.94 for 0.935), and a
//! cluster's barriers would wait for the copies.
//!
//! Each thread copies what it reads itself, so there is nothing to wait for but its own copies, and one buffer is enough:
//! a thread that copies has read what was there before.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module, Type};

use super::own_copies::OwnCopy;
use super::programs::{Counts, TURNS};
use super::tickets::{TICKETS, Tickets};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Load, SharedAlloc, SharedLoad, SharedStore};
use crate::dialect::{TileOp, is_pure, predicates};
use crate::encoding::{Encodings, buffer_layout, stage_bytes};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, address, int_attribute, name, operands, operations, region_block, results,
};
use crate::sink::is_same_for_all_programs;
use crate::writes::{is_unwritten, written};
use crate::{PassContext, each_operation, function_name};

/// Registers of a thread besides those of its part of the rows.
const BESIDES: u64 = 28;

/// Loads whose data is copied, and what computes their pointers and masks, in order.
#[derive(Default)]
struct Copied<'c> {
    list: Vec<OwnCopy<'c>>,
    slice: Vec<Operation<'c>>,
}

/// How a function becomes a persistent kernel, if it does.
pub(super) struct PersistentRows<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    /// Another one's for each program.
    rows: Copied<'c>,
    /// The same for all.
    constants: Copied<'c>,
    body: Vec<Operation<'c>>,
    counts: Option<Counts<'c>>,
    counter: Option<Value<'c>>,
    /// The program that is being built, and the buffers of constants.
    place: [Option<Value<'c>>; 3],
    kept: HashMap<usize, Value<'c>>,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Before,
    Inside,
    After,
}

impl<'a, 'b, 'c> PersistentRows<'a, 'b, 'c> {
    /// Finds the rows of a function, none where it had better not be persistent.
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let body = region_block(function, 0)
            .map(operations)
            .unwrap_or_default();
        let found = search(cx, encodings, function, &body);
        let (rows, constants) = found.unwrap_or_default();
        Self {
            cx,
            name: function_name(function).to_owned(),
            rows,
            constants,
            body,
            counts: None,
            counter: None,
            place: [None; 3],
            kept: HashMap::new(),
            state: State::Before,
        }
    }

    /// The attributes of the new function.
    pub(super) fn attributes(&self, module: &Module<'c>) -> Vec<(&'static str, Attribute<'c>)> {
        let Some(row) = self.rows.list.first() else {
            return Vec::new();
        };
        let top = crate::ffi::block(module.body());
        let builder = Builder::new(self.cx.context, top, row.load.0.location());
        vec![(TURNS, builder.int(1)), (TICKETS, builder.int(1))]
    }

    /// The loop over the programs of a block.
    fn build(&mut self, to: &mut Rebuilder<'c>) -> Result<(), Diagnostic> {
        let (Some(counts), Some(counter)) = (self.counts, self.counter) else {
            return Ok(());
        };
        self.say();
        let buffers = self.buffers(to, &self.rows);
        let kept = self.buffers(to, &self.constants);
        let [first, programs, blocks] = counts.range(&mut to.builder);
        let place = counts.place(&mut to.builder, first).numbers;
        let tickets = Tickets::new(self.cx, &mut to.builder, counter, [programs, blocks]);
        // No block is launched that has no program.
        let truth = to.builder.int_type(1);
        let exists = to.builder.constant_int(1, truth);
        self.copy(to, |turns| &turns.constants, &kept, exists)?;
        let loads = self.constants.list.iter().map(|row| address(row.load.0));
        self.kept = loads.zip(kept).collect();
        self.at(&place);
        self.copy(to, |turns| &turns.rows, &buffers, exists)?;
        let number = tickets.take(&mut to.builder);
        tickets.show(&mut to.builder, counts, number);
        let mut list = vec![first];
        list.extend(place);
        list.extend(tickets.read(&mut to.builder));
        let word = to.builder.int_type(32);
        let types = [word; 8];
        let (test, ()) = to.builder.region(&types, |builder, given| {
            let exists = builder.compare_int(predicates::SLT, given[0], programs);
            let mut list = vec![exists];
            list.extend(given);
            builder.insert("scf.condition", &list, &[], &[]);
        });
        let iteration = to.region(&types, |to, given| {
            let (now, next) = given.split_at(4);
            let later = tickets.take(&mut to.builder);
            let none = to.builder.int(0);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", none)], &[]);
            let rows = self.rows.list.iter().zip(&buffers);
            let rows: Vec<_> = rows.map(|(row, at)| row.read(to, *at, false)).collect();
            let exists = to.builder.compare_int(predicates::SLT, next[0], programs);
            self.at(&next[1..]);
            self.copy(to, |turns| &turns.rows, &buffers, exists)?;
            self.at(&now[1..]);
            for (row, value) in self.rows.list.iter().zip(rows) {
                to.bind(row.load.result(), vec![value]);
            }
            let later = self.program(
                to,
                |to| tickets.show(&mut to.builder, counts, later),
                |to| tickets.read(&mut to.builder),
            )?;
            let mut list = next.to_vec();
            list.extend(later);
            to.builder.insert("scf.yield", &list, &[], &[]);
            Ok(())
        })?;
        to.builder
            .insert_with_regions("scf.while", &list, &[], &types, vec![test, iteration]);
        Ok(())
    }

    /// From here on it is this program that is built.
    fn at(&mut self, place: &[Value<'c>]) {
        self.place = std::array::from_fn(|axis| place.get(axis).copied());
    }

    /// One program, whose rows are there already, and what is known of a later one. That is shown before the last store to
    /// shared memory, for whose barrier all wait anyway, and read after it.
    fn program<T>(
        &mut self,
        to: &mut Rebuilder<'c>,
        show: impl FnOnce(&mut Rebuilder<'c>),
        read: impl FnOnce(&mut Rebuilder<'c>) -> T,
    ) -> Result<T, Diagnostic> {
        let rows: HashSet<_> = self.rows.list.iter().map(OwnCopy::address).collect();
        let is_built = |operation: &&Operation<'c>| {
            name(**operation) == "func.return" || rows.contains(&address(**operation))
        };
        let inside = self.body.iter().filter(|operation| !is_built(operation));
        let inside: Vec<_> = inside.copied().collect();
        let is_store = |operation: &Operation<'c>| SharedStore::of(*operation).is_some();
        let is_load = |operation: &Operation<'c>| SharedLoad::of(*operation).is_some();
        let (before, rest) = inside.split_at(last(&inside, is_store));
        let (between, after) = rest.split_at(last(rest, is_load));
        for operation in before {
            to.operation(self, *operation)?;
        }
        show(to);
        for operation in between {
            to.operation(self, *operation)?;
        }
        let later = read(to);
        for operation in after {
            to.operation(self, *operation)?;
        }
        Ok(later)
    }

    fn buffers(&self, to: &mut Rebuilder<'c>, rows: &Copied<'c>) -> Vec<Value<'c>> {
        let mut of = |row: &OwnCopy<'c>| row.buffer(self.cx.context, to, 1);
        rows.list.iter().map(&mut of).collect()
    }

    /// Starts the copies of rows of the program at `place`, if it exists.
    fn copy(
        &mut self,
        to: &mut Rebuilder<'c>,
        rows: impl Fn(&Self) -> &Copied<'c>,
        buffers: &[Value<'c>],
        exists: Value<'c>,
    ) -> Result<(), Diagnostic> {
        for operation in rows(self).slice.clone() {
            to.operation(self, operation)?;
        }
        for (row, buffer) in rows(self).list.iter().zip(buffers) {
            row.copy(to, *buffer, exists);
        }
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        Ok(())
    }

    fn say(&self) {
        let say = |rows: &Copied<'c>, kind: RemarkKind| {
            if let Some(row) = rows.list.first() {
                let span = self.cx.span(row.load.0.location());
                self.cx.remark(&self.name, Some(span), kind);
            }
        };
        say(&self.rows, RemarkKind::PersistentRows);
        say(&self.constants, RemarkKind::PersistentConstants);
    }
}

/// The rows of a function, and what all programs read if that can be copied once; `None` if they do not pay.
fn search<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
    body: &[Operation<'c>],
) -> Option<(Copied<'c>, Copied<'c>)> {
    let warps = int_attribute(function, "tile.warps").unwrap_or(1) as u64;
    if !may_take_turns(function) {
        return None;
    }
    let written = written(function)?;
    let (mut rows, mut constants) = (Found::default(), Found::default());
    let mut taken = SLACK;
    for operation in body {
        if let Some(alloc) = SharedAlloc::of(*operation) {
            taken += stage_bytes(&buffer_layout(cx.context, alloc.result()).1);
        }
        let Some(row) = Load::of(*operation).and_then(|load| OwnCopy::of(encodings, load, warps))
        else {
            continue;
        };
        let is_unchanged = is_unwritten(row.load.pointers(), &written);
        let mut slice = HashSet::new();
        if !is_unchanged || !operands(*operation).iter().all(|of| reach(*of, &mut slice)) {
            continue;
        }
        let is_same = operands(*operation)
            .into_iter()
            .all(is_same_for_all_programs);
        let found = if is_same { &mut constants } else { &mut rows };
        found.slice.extend(slice);
        found.bytes += stage_bytes(&row.layout);
        found.registers += encodings.layout(row.load.result()).register_count() as u64;
        found.list.push(row);
    }
    let target = cx.target;
    let fit = target.registers_per_program / (32 * warps * (rows.registers + BESIDES));
    let has_room = |bytes: u64| bytes + taken <= target.shared_bytes_per_program;
    if rows.list.is_empty() || fit > 1 || !has_room(rows.bytes) {
        return None;
    }
    if constants.list.is_empty() || !has_room(rows.bytes + constants.bytes) {
        constants = Found::default();
        // Several programs whose rows wait in shared memory are then faster.
        if !super::rows::Rows::find(cx, encodings, function).is_empty() {
            return None;
        }
    }
    Some((rows.of(body), constants.of(body)))
}

/// Bytes that are lost between buffers.
const SLACK: u64 = 4096;

/// Rows that were found.
#[derive(Default)]
struct Found<'c> {
    list: Vec<OwnCopy<'c>>,
    slice: HashSet<usize>,
    bytes: u64,
    /// Of a thread.
    registers: u64,
}

impl<'c> Found<'c> {
    fn of(self, body: &[Operation<'c>]) -> Copied<'c> {
        let is_needed = |operation: &&Operation<'c>| self.slice.contains(&address(**operation));
        Copied {
            slice: body.iter().filter(is_needed).copied().collect(),
            list: self.list,
        }
    }
}

/// Where the last operation of some kind is; the end if there is none.
fn last<'c>(list: &[Operation<'c>], is: impl Fn(&Operation<'c>) -> bool) -> usize {
    list.iter().rposition(is).unwrap_or(list.len())
}

/// Whether the programs of a function are straight code that reduces, and may run in any order.
fn may_take_turns(function: Operation<'_>) -> bool {
    let (mut may, mut reduces) = (true, false);
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::Reduce(_)) => reduces = true,
        Some(
            // A program may wait for those that started before it.
            TileOp::Atomic(_)
            | TileOp::Asm(_)
            | TileOp::Dot(_)
            | TileOp::AsyncCopy(_)
            | TileOp::TensorCopy(_)
            | TileOp::ClusterBarrier(_),
        ) => may = false,
        Some(_) => {}
        None => may &= !name(operation).starts_with("scf."),
    });
    let is_one_block = |name| int_attribute(function, name).unwrap_or(1) == 1;
    may && reduces
        && int_attribute(function, TURNS).is_none()
        && is_one_block("tile.cluster")
        && is_one_block(crate::dialect::SPLIT)
}

/// Whether a value is computed from parameters, constants and the program's number; what computes it is added to
/// `slice`.
fn reach(value: Value<'_>, slice: &mut HashSet<usize>) -> bool {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        let Some(operation) = defining_operation(value) else {
            continue;
        };
        if !is_pure(name(operation)) || operation.region_count() > 0 {
            return false;
        }
        if slice.insert(address(operation)) {
            left.extend(operands(operation));
        }
    }
    true
}

impl<'c> Rewrite<'c> for PersistentRows<'_, '_, 'c> {
    fn added(&self) -> Vec<Type<'c>> {
        if self.rows.list.is_empty() {
            return Vec::new();
        }
        let [word, wide] = ["i32", "i64"].map(|text| Type::parse(self.cx.context, text));
        let counts = word.map(Counts::types).unwrap_or_default();
        counts.into_iter().chain(wide).collect()
    }

    fn receive(&mut self, added: Vec<Value<'c>>) {
        let mut added = added.into_iter();
        self.counts = Counts::receive(&mut added, None, None);
        self.counter = added.next();
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.rows.list.is_empty() {
            return Ok(false);
        }
        match self.state {
            State::Before => {
                self.state = State::Inside;
                self.build(to)?;
                self.state = State::After;
                return Ok(name(operation) != "func.return");
            }
            State::After => return Ok(name(operation) != "func.return"),
            State::Inside => {}
        }
        let value = match TileOp::of(operation) {
            Some(TileOp::ProgramId(query)) => {
                self.place.get(query.axis() as usize).copied().flatten()
            }
            Some(TileOp::NumPrograms(query)) => self
                .counts
                .and_then(|counts| counts.counts.get(query.axis() as usize).copied()),
            Some(TileOp::Load(_)) => {
                let buffer = self.kept.get(&address(operation)).copied();
                let mut constants = self.constants.list.iter();
                let row = constants.find(|row| row.address() == address(operation));
                buffer
                    .zip(row)
                    .map(|(buffer, row)| row.read(to, buffer, true))
            }
            _ => None,
        };
        if let Some(value) = value {
            to.bind(results(operation)[0], vec![value]);
        }
        Ok(value.is_some())
    }
}
