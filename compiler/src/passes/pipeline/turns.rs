//! Programs of long rows take turns, and the next one's rows come while one is computed.
//!
//! ```text
//! x = load(p(program_id)); … sum(x) …
//!   ⇒  copy p(block) to buffer
//!      for n = block; n < programs; n += blocks {
//!          wait; x = buffer; copy p(n + blocks) to buffer; … sum(x) …
//!      }
//! ```
//!
//! Where rows take so many registers that only one program fits on a multiprocessor, it loads, reduces and stores in
//! turns, and memory is idle while it reduces. Here as many blocks are launched as run at once
//! ([`programs`](super::programs)), and each copies the rows of its next program to shared memory as soon as it has this
//! one's in registers. Where two programs fit, they are faster without (softmax of 16384 columns of `bf16`: 0.86 of the
//! copy for 0.83), and a cluster's barriers would wait for the copies.
//!
//! Each thread copies what it reads itself, so there is nothing to wait for but its own copies, and one buffer is enough:
//! a thread that copies has read what was there before.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module, Type, ValueLike};

use super::plan::address;
use super::programs::{Counts, TURNS};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Load, SharedAlloc};
use crate::dialect::{TileOp, is_pure, predicates};
use crate::ffi::defining_operation;
use crate::ir::{
    Builder, Operation, Rebuilder, Rewrite, Value, int_attribute, name, operands, operations,
    region_block, result, results,
};
use crate::layout::copy::SLOT_BYTES;
use crate::layout::{SharedLayout, Swizzle};
use crate::passes::barriers::{parameter, written};
use crate::passes::encoding::{Encodings, buffer_layout, buffer_type, stage_bytes};
use crate::passes::sink::is_same_for_all_programs;
use crate::passes::{PassContext, each_operation, element_bytes, function_name, is_tile};

/// Registers of a thread besides those of its part of the rows.
const BESIDES: u64 = 28;

/// A load whose data a thread copies for its next program.
struct Row<'c> {
    load: Load<'c>,
    layout: SharedLayout,
    /// Elements of a copy.
    width: u64,
}

/// How the programs of a function take turns, if they do.
pub(super) struct Turns<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    rows: Vec<Row<'c>>,
    /// What computes the pointers and masks of rows, in order.
    slice: Vec<Operation<'c>>,
    body: Vec<Operation<'c>>,
    counts: Option<Counts<'c>>,
    /// The program that is being built.
    place: [Option<Value<'c>>; 3],
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Before,
    Inside,
    After,
}

impl<'a, 'b, 'c> Turns<'a, 'b, 'c> {
    /// Finds the rows of a function, none where its programs had better not take turns.
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let mut turns = Self {
            cx,
            name: function_name(function).to_owned(),
            rows: Vec::new(),
            slice: Vec::new(),
            body: region_block(function, 0)
                .map(operations)
                .unwrap_or_default(),
            counts: None,
            place: [None; 3],
            state: State::Before,
        };
        if turns.search(encodings, function).is_none() {
            turns.rows.clear();
        }
        turns
    }

    /// The attribute of the new function.
    pub(super) fn attributes(&self, module: &Module<'c>) -> Vec<(&'static str, Attribute<'c>)> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let top = crate::ffi::block(module.body());
        let location = self.rows[0].load.0.location();
        let builder = Builder::new(self.cx.context, top, location);
        vec![(TURNS, builder.int(1))]
    }

    /// Fills in rows and slice; `None` if there are none that pay.
    fn search(&mut self, encodings: &Encodings, function: Operation<'c>) -> Option<()> {
        let warps = int_attribute(function, "tile.warps").unwrap_or(1) as u64;
        if !may_take_turns(function) {
            return None;
        }
        let written = written(function)?;
        let mut slice = HashSet::new();
        let (mut bytes, mut taken, mut registers) = (0, 0, 0);
        for operation in &self.body {
            if let Some(alloc) = SharedAlloc::of(*operation) {
                taken += stage_bytes(&buffer_layout(self.cx.context, alloc.result()).1);
            }
            let Some(row) = Load::of(*operation).and_then(|load| row(encodings, load, warps))
            else {
                continue;
            };
            let is_constant =
                parameter(row.load.pointers()).is_some_and(|of| !written.contains(&of));
            let mut more = HashSet::new();
            if !is_constant || !operands(*operation).iter().all(|of| reach(*of, &mut more)) {
                continue;
            }
            slice.extend(more);
            bytes += stage_bytes(&row.layout);
            registers += encodings.layout(row.load.result()).register_count() as u64;
            self.rows.push(row);
        }
        let target = self.cx.target;
        let fit = target.registers_per_program / (32 * warps * (registers + BESIDES));
        let room = bytes + taken <= target.shared_bytes_per_program;
        if self.rows.is_empty() || fit > 1 || !room {
            return None;
        }
        let is_needed = |operation: &Operation<'c>| slice.contains(&address(*operation));
        self.slice = self.body.iter().copied().filter(is_needed).collect();
        Some(())
    }

    /// The loop over the programs of a block.
    fn build(&mut self, to: &mut Rebuilder<'c>) -> Result<(), Diagnostic> {
        let Some(counts) = self.counts else {
            return Ok(());
        };
        self.say();
        let buffers: Vec<_> = self.rows.iter().map(|row| self.buffer(to, row)).collect();
        let range = counts.range(&mut to.builder);
        let [first, end, step] = range;
        let [place, further] =
            [first, step].map(|number| counts.place(&mut to.builder, number).numbers);
        // No block is launched that has no program.
        let truth = to.builder.int_type(1);
        let exists = to.builder.constant_int(1, truth);
        self.copy(to, &buffers, place, exists)?;
        let mut list = range.to_vec();
        list.extend(place);
        let word = to.builder.int_type(32);
        let region = to.region(&[word; 4], |to, given| {
            let number = given[0];
            let now = [given[1], given[2], given[3]];
            let none = to.builder.int(0);
            to.builder
                .insert("tile.async_wait", &[], &[("pending", none)], &[]);
            let mut rows = Vec::new();
            for (row, buffer) in self.rows.iter().zip(&buffers) {
                let own = [("own", to.builder.int(row.width as i64))];
                let ty = row.load.result().r#type();
                rows.push(to.builder.value("tile.shared_load", &[*buffer], &own, ty));
            }
            let next = to.builder.add(number, step);
            let exists = to.builder.compare_int(predicates::SLT, next, end);
            let place = counts.after(&mut to.builder, now, further);
            self.copy(to, &buffers, place, exists)?;
            self.place = now.map(Some);
            for (row, value) in self.rows.iter().zip(rows) {
                to.bind(row.load.result(), vec![value]);
            }
            let copied: HashSet<_> = self.rows.iter().map(|row| address(row.load.0)).collect();
            for operation in self.body.clone() {
                if name(operation) != "func.return" && !copied.contains(&address(operation)) {
                    to.operation(self, operation)?;
                }
            }
            to.builder.insert("scf.yield", &place, &[], &[]);
            Ok(())
        })?;
        // What a program computes again is cheap; kept, it would take registers from the row.
        let stays = "#llvm.loop_annotation<licm = <disable = true>>";
        let stays = [("llvm.loop_annotation", to.builder.parse_attribute(stays))];
        to.builder
            .insert_with_regions("scf.for", &list, &stays, &[word; 3], vec![region]);
        Ok(())
    }

    fn buffer(&self, to: &mut Rebuilder<'c>, row: &Row<'c>) -> Value<'c> {
        let element = crate::ir::element_type(row.load.result().r#type());
        let ty = buffer_type(self.cx.context, element, &row.layout);
        let offset = [("offset", to.builder.int(-1))];
        result(
            to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]),
            0,
        )
    }

    /// Starts the copies of a program's rows, if it exists.
    fn copy(
        &mut self,
        to: &mut Rebuilder<'c>,
        buffers: &[Value<'c>],
        place: [Value<'c>; 3],
        exists: Value<'c>,
    ) -> Result<(), Diagnostic> {
        self.place = place.map(Some);
        for operation in self.slice.clone() {
            to.operation(self, operation)?;
        }
        for (row, buffer) in self.rows.iter().zip(buffers) {
            let mut list = vec![to.one(row.load.pointers()), *buffer];
            list.extend(row.load.mask().map(|mask| to.one(mask)));
            list.extend(row.load.other().map(|other| to.one(other)));
            list.push(exists);
            let given = |value: Option<Value<'c>>| i32::from(value.is_some());
            let segments = [1, 1, given(row.load.mask()), given(row.load.other()), 1];
            let width = to.builder.int(row.width as i64);
            let attributes = [
                ("vector", width),
                ("own", width),
                ("operandSegmentSizes", to.builder.ints32(&segments)),
            ];
            to.builder
                .insert("tile.async_copy", &list, &attributes, &[]);
        }
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        Ok(())
    }

    fn say(&self) {
        let [row, ..] = &self.rows[..] else {
            return;
        };
        let span = self.cx.span(row.load.0.location());
        let message = "programs take turns, and the next one's rows come to shared memory while one is computed";
        self.cx
            .decided("pipeline", &self.name, Some(span), message.to_owned());
    }
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
        && is_one_block(crate::passes::SPLIT)
}

/// How a load can be copied by the threads that want its data, if it is another one for each program.
fn row<'c>(encodings: &Encodings, load: Load<'c>, warps: u64) -> Option<Row<'c>> {
    if !is_tile(load.result()) || !load.cache().is_empty() || !load.evict().is_empty() {
        return None;
    }
    let layout = encodings.layout(load.result());
    let element = crate::ir::element_type(load.result().r#type()).to_string();
    let is_number = element != "i1" && !element.starts_with("!tile.ptr");
    let mut addresses = std::iter::once(load.pointers()).chain(load.mask());
    let is_shared = addresses.all(is_same_for_all_programs);
    let count = layout.register_count();
    let is_whole = layout.owners().are_all_threads() && layout.distinct_registers().len() == count;
    let width = int_attribute(load.0, "vector").unwrap_or(1) as u64;
    let bytes = element_bytes(load.result().r#type());
    if !is_number || is_shared || !is_whole || width * bytes != SLOT_BYTES {
        return None;
    }
    let elements = count as u64 * 32 * warps;
    Some(Row {
        load,
        layout: SharedLayout::new(&[elements], &[0], bytes, Swizzle::NONE),
        width,
    })
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

impl<'c> Rewrite<'c> for Turns<'_, '_, 'c> {
    fn added(&self) -> Vec<Type<'c>> {
        let word = Type::parse(self.cx.context, "i32").filter(|_| !self.rows.is_empty());
        word.into_iter().flat_map(|word| vec![word; 3]).collect()
    }

    fn receive(&mut self, added: Vec<Value<'c>>) {
        self.counts = added.try_into().ok().map(|counts| Counts {
            counts,
            pair: None,
            rows: None,
        });
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        match self.state {
            State::Before => {
                self.state = State::Inside;
                self.build(to)?;
                self.state = State::After;
                Ok(name(operation) != "func.return")
            }
            State::After => Ok(name(operation) != "func.return"),
            State::Inside => {
                let number = match TileOp::of(operation) {
                    Some(TileOp::ProgramId(query)) => {
                        self.place.get(query.axis() as usize).copied().flatten()
                    }
                    Some(TileOp::NumPrograms(query)) => self
                        .counts
                        .and_then(|counts| counts.counts.get(query.axis() as usize).copied()),
                    _ => None,
                };
                if let Some(number) = number {
                    to.bind(results(operation)[0], vec![number]);
                }
                Ok(number.is_some())
            }
        }
    }
}
