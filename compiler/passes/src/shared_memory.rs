//! `shared-memory`: places buffers in shared memory.
//!
//! A buffer lives from its first to its last use in program order; a use inside a loop or branch that
//! the buffer was allocated outside of counts as all of that loop or branch. Buffers that live at the
//! same time get different places, others share; small ones, such as those of reductions across warps,
//! do not, because a barrier would have to stand between one and the next.

use std::collections::{HashMap, HashSet};

use melior::ir::Module;
use melior::ir::operation::OperationLike;

use super::encoding::{allocation, buffer_layout, stage_bytes, stages};
use super::{PassContext, each_operation, function_name, rebuild_functions_with, uses};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::remark::RemarkKind;
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::{SHARED_BYTES, TileOp};
use crate::ir::{Block, Operation, ValueKey, address, attributes, key, region_block, result};

/// A buffer begins at a multiple of this: no access is wider, and swizzles repeat within it.
const ALIGNMENT: u64 = 128;

/// One of so many bytes, such as the mbarriers of a ring, at a multiple of the widest access of a thread: TMA copies to none so small, as
/// rows that it copies have several stages.
const TINY: u64 = 128;
const TINY_ALIGNMENT: u64 = 16;

/// An operand of `wgmma`, and what TMA copies to, does at a multiple of this.
const MATRIX_ALIGNMENT: u64 = crate::layout::descriptor::ALIGNMENT;

/// Bytes up to which a buffer has a place of its own.
const SMALL: u64 = 1024;

/// Bytes that small buffers may take together before they share as others do, which they do as well where there is no room.
const SMALL_TOGETHER: u64 = 4096;

/// What a buffer of so many bytes begins at a multiple of, at most.
pub const fn buffer_alignment(bytes: u64) -> u64 {
    match bytes {
        0..=TINY => TINY_ALIGNMENT,
        bytes if bytes <= SMALL => ALIGNMENT,
        _ => MATRIX_ALIGNMENT,
    }
}

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions_with(cx, &module, |function| {
        let (offsets, total) = allocate(cx, function)?;
        let top = region_block(function, 0).unwrap_or_else(|| crate::ffi::block(module.body()));
        let builder = Builder::new(cx.context, top, function.location());
        Ok((
            Offsets(offsets),
            vec![(SHARED_BYTES, builder.int(total as i64))],
        ))
    })
}

struct Buffer {
    value: ValueKey,
    bytes: u64,
    alignment: u64,
    first: usize,
    last: usize,
    what: String,
}

/// The offset of each buffer and the bytes in all.
fn allocate<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
) -> Result<(HashMap<ValueKey, u64>, u64), Diagnostic> {
    let lives = Lives::of(function);
    let matrices = matrix_operands(function);
    let mut buffers = Vec::new();
    each_operation(function, &mut |operation| {
        let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation) else {
            return;
        };
        let value = key(alloc.result());
        let (element, layout) = buffer_layout(cx.context, alloc.result());
        let sizes: Vec<_> = layout.shape().iter().map(u64::to_string).collect();
        let (mut first, mut last) = lives.span(operation);
        // Nothing else may ever lie where mbarriers are made again and again; nor where other blocks of the cluster store: what
        // this block waits for has come here, but says nothing of where the others are.
        let written_by_others = lives
            .users
            .get(&value)
            .into_iter()
            .flatten()
            .any(|user| matches!(TileOp::of(*user), Some(TileOp::ClusterStore(_))));
        if written_by_others || crate::ir::int_attribute(operation, "pinned").is_some() {
            (first, last) = (0, usize::MAX);
        }
        let bytes = match stages(alloc) {
            1 => layout.size_bytes(),
            stages => stages * stage_bytes(&layout),
        };
        let is_ring = stages(alloc) > 1 && layout.shape().len() > 1;
        buffers.push(Buffer {
            value,
            bytes,
            alignment: match matrices.contains(&value) || is_ring {
                true => MATRIX_ALIGNMENT,
                false => buffer_alignment(bytes).min(ALIGNMENT),
            },
            first,
            last,
            what: format!("a tile of {} x {element}", sizes.join(" x ")),
        });
    });
    let small: u64 = buffers
        .iter()
        .filter(|buffer| buffer.bytes <= SMALL)
        .map(|buffer| buffer.bytes.next_multiple_of(buffer.alignment))
        .sum();
    let most = cx.target.shared_bytes_per_program;
    let mut places = place(&buffers, small <= SMALL_TOGETHER);
    if places.1 > most {
        places = place(&buffers, false);
    }
    let (placed, total) = places;
    if total > most {
        let parts: Vec<_> = buffers
            .iter()
            .map(|buffer| (buffer.what.clone(), buffer.bytes))
            .collect();
        let span = cx.span(function.location());
        return Err(messages::lowering::too_much_shared(
            &parts,
            total,
            most,
            cx.target.name,
            span,
        ));
    }
    if total > 0 {
        cx.remark(
            function_name(function),
            Some(cx.span(function.location())),
            RemarkKind::SharedMemory {
                bytes: total,
                buffers: buffers.len(),
            },
        );
    }
    Ok((
        placed
            .into_iter()
            .map(|(index, offset)| (buffers[index].value, offset))
            .collect(),
        total,
    ))
}

/// The offset of each of the buffers, by its number, and the bytes in all. Small ones may have places of their own.
fn place(buffers: &[Buffer], are_apart: bool) -> (Vec<(usize, u64)>, u64) {
    let shares = |buffer: &Buffer| buffer.bytes > SMALL || !are_apart;
    // Large ones first: they are the hardest to place.
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(buffers[*index].bytes));
    let mut placed: Vec<(usize, u64)> = Vec::new();
    let mut total = 0;
    for index in order {
        let buffer = &buffers[index];
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .filter(|(other, _)| {
                let other = &buffers[*other];
                let together = other.first <= buffer.last && buffer.first <= other.last;
                together || !shares(other) || !shares(buffer)
            })
            .map(|(other, offset)| (*offset, offset + buffers[*other].bytes))
            .collect();
        taken.sort_unstable();
        let mut offset = 0u64;
        for (start, end) in taken {
            if offset + buffer.bytes <= start {
                break;
            }
            offset = offset.max(end.next_multiple_of(buffer.alignment));
        }
        total = total.max(offset + buffer.bytes);
        placed.push((index, offset));
    }
    (placed, total)
}

/// Bytes of the buffers that live when an operation runs.
pub(super) fn bytes_at<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    at: Operation<'c>,
) -> u64 {
    let mut positions = HashMap::new();
    number(function, &mut 0, &mut positions);
    let users = uses(function);
    let (start, end) = positions[&address(at)];
    let mut bytes = 0;
    each_operation(function, &mut |operation| {
        let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation) else {
            return;
        };
        let home = operation.block();
        let list = users.get(&key(alloc.result())).into_iter().flatten();
        let places: Vec<_> = list
            .map(|user| positions[&address(ancestor_in(*user, home))])
            .collect();
        let first = places.iter().map(|(first, _)| *first).min();
        let last = places.iter().map(|(_, last)| *last).max();
        if let (Some(first), Some(last)) = (first, last)
            && first <= end
            && start <= last
        {
            let (_, layout) = buffer_layout(cx.context, alloc.result());
            bytes += stages(alloc) * stage_bytes(&layout);
        }
    });
    bytes
}

/// The operands of `wgmma`.
fn matrix_operands(function: Operation<'_>) -> HashSet<ValueKey> {
    let mut found = HashSet::new();
    each_operation(function, &mut |operation| {
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation)
            && dot.path() == "wgmma"
        {
            found.extend([dot.left(), dot.right()].map(|operand| key(allocation(operand))));
        }
    });
    found
}

/// When the buffers of a function live.
pub struct Lives<'c> {
    /// Position of each operation, and of the end of what it contains.
    positions: HashMap<usize, (usize, usize)>,
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
}

impl<'c> Lives<'c> {
    pub fn of(function: Operation<'c>) -> Self {
        let mut positions = HashMap::new();
        number(function, &mut 0, &mut positions);
        Self {
            positions,
            users: uses(function),
        }
    }

    /// The positions of the first and the last operation in an operation.
    pub fn within(&self, operation: Operation<'c>) -> (usize, usize) {
        self.positions[&address(operation)]
    }

    /// From the first to the last use of an allocated buffer.
    pub fn span(&self, alloc: Operation<'c>) -> (usize, usize) {
        let home = alloc.block().map(crate::ffi::block);
        let users = self.users.get(&key(result(alloc, 0)));
        let places = users.into_iter().flatten();
        let places = places.map(|user| self.within(ancestor_in(*user, home)));
        places
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
            .unwrap_or_else(|| self.within(alloc))
    }

    /// The most bytes of buffers that live at the same time.
    pub fn most_at_once(&self, buffers: &[(Operation<'c>, u64)]) -> u64 {
        let spans = buffers
            .iter()
            .map(|(alloc, bytes)| (self.span(*alloc), *bytes));
        let spans: Vec<_> = spans.collect();
        let at = |place: usize| -> u64 {
            let alive = spans
                .iter()
                .filter(|((first, last), _)| (*first..=*last).contains(&place));
            alive.map(|(_, bytes)| bytes).sum()
        };
        spans
            .iter()
            .map(|((first, _), _)| at(*first))
            .max()
            .unwrap_or(0)
    }
}

fn number(of: Operation<'_>, next: &mut usize, positions: &mut HashMap<usize, (usize, usize)>) {
    let start = *next;
    *next += 1;
    for index in 0..of.region_count() {
        let Some(block) = region_block(of, index) else {
            continue;
        };
        for operation in crate::ir::operations(block) {
            number(operation, next, positions);
        }
    }
    positions.insert(address(of), (start, *next - 1));
}

/// The operation that contains (or is) `operation` and lies in `block`.
fn ancestor_in<'c>(operation: Operation<'c>, block: Option<Block<'c>>) -> Operation<'c> {
    let mut current = operation;
    while current.block().map(crate::ffi::block) != block {
        let Some(parent) = current.parent_operation() else {
            return operation;
        };
        current = crate::ffi::operation(parent);
    }
    current
}

struct Offsets(HashMap<ValueKey, u64>);

impl<'c> Rewrite<'c> for Offsets {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation) else {
            return Ok(false);
        };
        let offset = self.0.get(&key(alloc.result())).copied().unwrap_or(0);
        let mut list = attributes(operation);
        list.retain(|(name, _)| *name != "offset");
        list.push(("offset", to.builder.int(offset as i64)));
        to.copy_with_attributes(self, operation, &list)?;
        Ok(true)
    }
}
