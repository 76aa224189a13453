//! Rows that begin anywhere come to shared memory in whole pieces.
//!
//! ```text
//! x = load(p + arange, mask = arange < n); … sum(x) …; store(q + arange, y, mask = arange < n)
//!   ⇒  a = row_copy(p, n); wait; x = row_read(a); … sum(x) …; b = row_write(y); row_store(q, n, b)
//! ```
//!
//! Where rows are as long as they like, most begin at no multiple of an access wider than an element. Element by element,
//! a warp asks for 64 bytes of `bf16` at a time and writes as many, each of which lie in three sectors of the level-2
//! cache, two of them in part; that cache is then busy for 9 of 10 clocks. In chunks of 16 bytes, with the ends apart, it
//! is not, and no element needs a mask. Of the copy, on an H200, 16384 rows of 4097 columns of `bf16`: RMS norm 0.95 for
//! 0.87, softmax 0.90 for 0.83; of `f32` 0.95 for 0.89 and 0.96 for 0.94.
//!
//! What is read is read once, where it is first needed: weights after the reductions that they wait for.
//!
//! This is for straight code that reduces; the loads must be of consecutive elements, a number of them from the first on.

use std::collections::HashMap;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Load, SharedAlloc, Store};
use crate::dialect::{TileOp, predicates};
use crate::encoding::{Encodings, buffer_layout, buffer_type, stage_bytes};
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, int_attribute, key, name, operand, operands,
    operations, region_block, result,
};
use crate::layout::copy::SLOT_BYTES;
use crate::layout::{SharedLayout, Swizzle};
use crate::sink::{is_same_for_all_programs, widens};
use crate::writes::{parameter, written};
use crate::{PassContext, each_operation, element_bytes, function_name, seen};

/// Registers of a thread that reads a row, besides those of its elements.
const BESIDES: u64 = 28;

/// Shared memory that the hardware takes of each program's, and what is lost between buffers.
const LOST: u64 = 1536;

/// A thread's part of a row of so many bytes takes at most two accesses as it lies: chunks of it would be no fewer.
const SHORT_BYTES: u64 = 4;

/// The rows of a function.
pub(super) struct Unaligned<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    name: String,
    rows: HashMap<usize, Row<'c>>,
    /// What has been copied: the edge and the buffer of each row, until all are waited for, and the buffers.
    edges: Vec<(Value<'c>, Value<'c>)>,
    buffers: HashMap<ValueKey, Value<'c>>,
    /// Rows and what makes wider elements of them that is not built yet.
    delayed: HashMap<ValueKey, Operation<'c>>,
}

/// A load or store of consecutive elements.
struct Row<'c> {
    access: Operation<'c>,
    /// What is loaded or stored.
    tile: Value<'c>,
    pointer: Value<'c>,
    /// How many there are at most, and whether there are any: all if not given.
    ends: Vec<End<'c>>,
    conditions: Vec<Value<'c>>,
    other: Option<Value<'c>>,
}

/// Elements end before a number.
struct End<'c> {
    number: Value<'c>,
    is_signed: bool,
}

impl<'a, 'b, 'c> Unaligned<'a, 'b, 'c> {
    /// Finds the rows, none where they are read in wide accesses or would not leave room for other programs.
    pub(super) fn find(
        cx: &'a PassContext<'b, 'c>,
        encodings: &Encodings,
        function: Operation<'c>,
    ) -> Self {
        let rows = rows(cx, encodings, function).unwrap_or_default();
        Self {
            cx,
            name: function_name(function).to_owned(),
            rows: rows
                .into_iter()
                .map(|row| (address(row.access), row))
                .collect(),
            edges: Vec::new(),
            buffers: HashMap::new(),
            delayed: HashMap::new(),
        }
    }

    fn start(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) {
        let Some(row) = self.rows.get(&address(operation)) else {
            return;
        };
        let element = crate::ir::element_type(row.tile.r#type());
        let buffer = row.buffer(self.cx, to);
        let count = row.count(to);
        let other = match row.other {
            Some(other) => to.one(other),
            None => to.builder.zero(element),
        };
        let list = [to.one(row.pointer), count, buffer, other];
        let is_same = operands(operation)
            .into_iter()
            .all(is_same_for_all_programs);
        let cached = is_same.then(|| ("cached", to.builder.int(1)));
        let attributes: Vec<_> = cached.into_iter().collect();
        let word = to.builder.int_type(32);
        let edge = to
            .builder
            .insert("tile.row_copy", &list, &attributes, &[word]);
        self.edges.push((result(edge, 0), buffer));
        self.buffers.insert(key(row.tile), buffer);
        self.delayed.insert(key(row.tile), operation);
        if self.buffers.len() == 1 {
            let span = self.cx.span(operation.location());
            self.cx
                .remark(&self.name, Some(span), RemarkKind::UnalignedRow);
        }
    }

    /// Builds what is delayed of these values.
    fn need(&mut self, to: &mut Rebuilder<'c>, values: &[Value<'c>]) -> Result<(), Diagnostic> {
        for value in values {
            let Some(operation) = self.delayed.remove(&key(*value)) else {
                continue;
            };
            let here = to.builder.location();
            to.builder.set_location(operation.location());
            match self.buffers.get(&key(*value)).copied() {
                None => {
                    self.need(to, &operands(operation))?;
                    to.copy(self, operation)?;
                }
                Some(buffer) => {
                    self.wait(to);
                    let pointer = to.one(self.rows[&address(operation)].pointer);
                    let list = [buffer, pointer];
                    let ty = value.r#type();
                    let read = to.builder.value("tile.row_read", &list, &[], ty);
                    to.bind(*value, vec![read]);
                }
            }
            to.builder.set_location(here);
        }
        Ok(())
    }

    /// Waits for the copies that have been started.
    fn wait(&mut self, to: &mut Rebuilder<'c>) {
        let edges = std::mem::take(&mut self.edges);
        if edges.is_empty() {
            return;
        }
        for (edge, buffer) in edges {
            to.builder
                .insert("tile.row_edge", &[edge, buffer], &[], &[]);
        }
        to.builder.insert("tile.async_commit", &[], &[], &[]);
        let none = to.builder.int(0);
        to.builder
            .insert("tile.async_wait", &[], &[("pending", none)], &[]);
    }
}

impl<'c> Row<'c> {
    fn buffer(&self, cx: &PassContext<'_, 'c>, to: &mut Rebuilder<'c>) -> Value<'c> {
        let element = crate::ir::element_type(self.tile.r#type());
        let ty = buffer_type(cx.context, element, &layout(self.tile));
        let offset = [("offset", to.builder.int(-1))];
        result(
            to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]),
            0,
        )
    }

    /// Stores a row through shared memory.
    fn store(&self, cx: &PassContext<'_, 'c>, to: &mut Rebuilder<'c>) {
        let buffer = self.buffer(cx, to);
        let count = self.count(to);
        let (value, pointer) = (to.one(self.tile), to.one(self.pointer));
        let list = [value, buffer, pointer];
        to.builder.insert("tile.row_write", &list, &[], &[]);
        let list = [pointer, count, buffer];
        to.builder.insert("tile.row_store", &list, &[], &[]);
    }

    /// How many elements there are: `i32`, at most as many as the tile has.
    fn count(&self, to: &mut Rebuilder<'c>) -> Value<'c> {
        let word = to.builder.int_type(32);
        let size = size(self.tile);
        let mut count = to.builder.constant_int(size as i64, word);
        for end in &self.ends {
            let mut number = to.one(end.number);
            if end.is_signed {
                let zero = to.builder.constant_int(0, word);
                number = to.builder.binary("arith.maxsi", number, zero);
            }
            count = to.builder.binary("arith.minui", count, number);
        }
        let none = to.builder.constant_int(0, word);
        for condition in &self.conditions {
            let condition = to.one(*condition);
            count = to.builder.select(condition, count, none);
        }
        count
    }
}

/// Elements of a tile.
fn size(tile: Value<'_>) -> u64 {
    let shape = TileType::of(tile).map(TileType::shape);
    shape.unwrap_or_default().iter().product()
}

/// The buffer of a row, which begins somewhere in its first piece.
fn layout(tile: Value<'_>) -> SharedLayout {
    let bytes = element_bytes(tile.r#type());
    let each = SLOT_BYTES / bytes;
    let elements = (size(tile) + each - 1).next_multiple_of(each);
    SharedLayout::new(&[elements], &[0], bytes, Swizzle::NONE)
}

fn rows<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
) -> Option<Vec<Row<'c>>> {
    let inside = operations(region_block(function, 0)?);
    let (mut reduces, mut is_straight) = (false, true);
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::Reduce(_)) => reduces = true,
        Some(TileOp::Dot(_) | TileOp::Asm(_) | TileOp::AsyncCopy(_) | TileOp::Atomic(_)) => {
            is_straight = false;
        }
        _ => is_straight &= !name(operation).starts_with("scf."),
    });
    if !reduces || !is_straight || int_attribute(function, "tile.cluster").unwrap_or(1) > 1 {
        return None;
    }
    let written = written(function)?;
    // What nobody reads nobody would wait for.
    let seen = seen(function);
    let threads = 32 * int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u64;
    let accesses: Vec<_> = inside
        .iter()
        .filter(|operation| Load::of(**operation).is_some() || Store::of(**operation).is_some())
        .map(|operation| parameter(operand(*operation, 0)))
        .collect();
    let (mut list, mut taken, mut registers) = (Vec::new(), LOST, 0);
    let (mut rows, mut constants, mut stored) = (0, 0, 0);
    for operation in inside {
        if let Some(alloc) = SharedAlloc::of(operation) {
            taken += stage_bytes(&buffer_layout(cx.context, alloc.result()).1);
        }
        let Some(row) = row(operation) else {
            continue;
        };
        let own = encodings.layout(row.tile);
        let is_load = Load::of(operation).is_some();
        // What a program loads after it stored it, or stores twice, needs barriers between, which see no rows.
        let is_used = |of| match is_load {
            true => written.contains(&of),
            false => {
                accesses
                    .iter()
                    .filter(|other| other.is_none_or(|other| other == of))
                    .count()
                    > 1
            }
        };
        let is_used = parameter(operand(operation, 0)).is_none_or(is_used);
        let is_unread = is_load && !seen.contains(&key(row.tile));
        let bytes = element_bytes(row.tile.r#type());
        let is_short = own.register_count() as u64 * bytes <= SHORT_BYTES;
        if is_used || is_unread || is_short || !own.owners().are_all_threads() {
            continue;
        }
        let size = layout(row.tile).size_bytes();
        match (is_load, is_same_for_all_programs(operand(operation, 0))) {
            (false, _) => stored = size.max(stored),
            (true, true) => constants += size,
            (true, false) => rows += size,
        }
        registers = (own.register_count() as u64).max(registers);
        list.push(row);
    }
    let fit = cx.target.registers_per_program / (threads * (registers + BESIDES));
    // What is stored lies where rows lay that were loaded, mostly; never is there more than this at once.
    let loaded = rows + constants + taken;
    let fits = loaded + stored + LOST <= cx.target.shared_bytes_per_program;
    let room = cx.target.shared_bytes_per_multiprocessor / loaded.max(stored + taken);
    // A quarter of the programs that registers have room for may be missing (RMS norm of 4097 columns of `f32`: 6 of 8).
    let is_room = 4 * room >= 3 * fit.max(1);
    // Each element is then an access to shared memory instead: with several of what all programs read, which level 1 has
    // anyway, these take as long.
    (rows > 0 && constants <= rows && fits && is_room).then_some(list)
}

/// A load or store as one of consecutive elements that is done in narrow accesses, if it is one.
fn row(access: Operation<'_>) -> Option<Row<'_>> {
    let (tile, pointers, mask, other, hints) = match TileOp::of(access)? {
        TileOp::Load(load) => {
            let hints = [load.cache(), load.evict()];
            (
                load.result(),
                load.pointers(),
                load.mask(),
                load.other(),
                hints,
            )
        }
        TileOp::Store(store) => {
            let hints = [store.cache(), store.evict()];
            (store.value(), store.pointers(), store.mask(), None, hints)
        }
        _ => return None,
    };
    let shape = TileType::of(tile).map(TileType::shape)?;
    let element = crate::ir::element_type(tile.r#type()).to_string();
    let is_number = matches!(element.as_str(), "bf16" | "f16" | "f32" | "i16" | "i32");
    let is_narrow = int_attribute(access, "vector").unwrap_or(1) == 1;
    let is_plain = hints.iter().all(|hint| hint.is_empty());
    if shape.len() != 1 || !is_number || !is_narrow || !is_plain {
        return None;
    }
    let other = match other {
        None => None,
        Some(other) => Some(splat(other)?),
    };
    let mut row = Row {
        access,
        tile,
        pointer: start(pointers)?,
        ends: Vec::new(),
        conditions: Vec::new(),
        other,
    };
    let mut left: Vec<_> = mask.into_iter().collect();
    while let Some(mask) = left.pop() {
        let operation = defining_operation(mask)?;
        match name(operation) {
            "arith.andi" => left.extend(operands(operation)),
            "arith.cmpi" => row.ends.push(end(operation)?),
            _ => row.conditions.push(splat(mask)?),
        }
    }
    Some(row)
}

/// The scalar that a tile is full of.
fn splat(tile: Value<'_>) -> Option<Value<'_>> {
    let operation = defining_operation(tile)?;
    matches!(TileOp::of(operation), Some(TileOp::Splat(_))).then(|| operand(operation, 0))
}

/// Where consecutive elements begin that these pointers point to.
fn start(pointers: Value<'_>) -> Option<Value<'_>> {
    let operation = defining_operation(pointers)?;
    let Some(TileOp::PointerOffset(_)) = TileOp::of(operation) else {
        return None;
    };
    is_arange(operand(operation, 1)).then(|| splat(operand(operation, 0)))?
}

/// A comparison as the end of consecutive elements.
fn end(operation: Operation<'_>) -> Option<End<'_>> {
    let predicate = int_attribute(operation, "predicate")?;
    let is_signed = predicate == predicates::SLT;
    let number = splat(operand(operation, 1))?;
    let is_word = number.r#type().to_string() == "i32";
    let is_end = is_signed || predicate == predicates::ULT;
    (is_end && is_word && is_arange(operand(operation, 0))).then_some(End { number, is_signed })
}

/// Whether a tile holds 0, 1, 2, ….
fn is_arange(tile: Value<'_>) -> bool {
    let Some(operation) = defining_operation(tile) else {
        return false;
    };
    match (TileOp::of(operation), name(operation)) {
        (Some(TileOp::Arange(arange)), _) => arange.lo() == 0,
        (_, "arith.extsi" | "arith.extui") => is_arange(operand(operation, 0)),
        (_, "arith.addi") => {
            let is_zero = |value| splat(value).and_then(constant_of) == Some(0);
            let [a, b] = [operand(operation, 0), operand(operation, 1)];
            is_zero(a) && is_arange(b) || is_zero(b) && is_arange(a)
        }
        _ => false,
    }
}

impl<'c> Rewrite<'c> for Unaligned<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.rows.is_empty() {
            return Ok(false);
        }
        let row = self.rows.get(&address(operation));
        if row.is_some() && Load::of(operation).is_some() {
            self.start(to, operation);
            return Ok(true);
        }
        if widens(operation) && self.delayed.contains_key(&key(operand(operation, 0))) {
            self.delayed.insert(key(result(operation, 0)), operation);
            return Ok(true);
        }
        let mut used = operands(operation);
        each_operation(operation, &mut |inner| used.extend(operands(inner)));
        self.need(to, &used)?;
        let Some(row) = self.rows.get(&address(operation)) else {
            return Ok(false);
        };
        row.store(self.cx, to);
        Ok(true)
    }
}
