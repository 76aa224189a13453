//! Tiles that a program needs after its loop, copied through the loop's buffers.
//!
//! ```text
//! for k { … }  x = load(p); buffer = x; … = buffer
//!   ⇒  producer   for k { copy … to stage s; s = next }  copy p to stages s, s + 1; s = next
//!      consumers  for k { … }                            wait for both; … = stages s, s + 1; say that they are empty
//! ```
//!
//! What is added to a product, as in a residual block, does not depend on it. A load for it after the loop
//! would have the tensor cores wait for memory, then for a buffer that brings it to the threads that have the
//! sums, and that buffer would take the place of stages. As copies of the ring they are on their way while the
//! last iterations multiply.
//!
//! A box of TMA is a panel of 128 bytes of all rows, and a stage has as many as fit into the largest of its
//! buffers. The threads read from there what they need for their own sums, so no threads wait for each
//! other: fragments only, as [`stores`](super::stores) has them.

use std::cell::RefCell;
use std::collections::HashMap;

use super::Pipeline;
use super::boxes::{BoxCopy, Map};
use super::copies::{stage_of, start_boxes};
use super::plan::{Plan, Plans};
use super::ring::Ring;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::Load;
use crate::dialect::{TileOp, is_pure};
use crate::encoding::Encodings;
use crate::facts::FactAnalysis;
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, key, name, operands, operations, region_block,
    results,
};
use crate::layout::SharedLayout;
use crate::layout::warp_boxes::BOX_ROW_BYTES;
use crate::writes::{parameter, written};
use crate::{PassContext, element_bytes, is_positive_zero, is_tile, uses};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

/// The most stages for a tile: the others get the next program's first iterations meanwhile.
const MOST_STAGES: u64 = 2;

/// A tile that is copied after a loop.
#[derive(Clone)]
pub struct EpilogueLoad<'c> {
    pub load: Load<'c>,
    /// What gives the fragment.
    fragment: Operation<'c>,
    /// What brought it to the threads that need it: the load, a buffer and the store to it.
    pub replaced: Vec<usize>,
    /// The loop before it, and which of its copies has the buffers.
    pub of: usize,
    copy: usize,
    pub boxes: BoxCopy<'c>,
    rows: u64,
    /// Boxes in a stage.
    panels: u64,
}

impl EpilogueLoad<'_> {
    fn stages(&self) -> u64 {
        self.boxes.panels.div_ceil(self.panels)
    }
}

/// All tiles of a function that can be copied so; their maps are added to `maps`.
pub fn find<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
    plans: &Plans<'c>,
    maps: &mut Vec<Map>,
) -> Vec<EpilogueLoad<'c>> {
    let (Some(body), Some(written)) = (region_block(function, 0), written(function)) else {
        return Vec::new();
    };
    let users = uses(function);
    let facts = FactAnalysis::new(function);
    let cell = RefCell::new(std::mem::take(maps));
    let mut before: Option<&Plan<'c>> = None;
    let mut at_loop = 0;
    let mut found = Vec::new();
    for operation in operations(body) {
        if let Some(plan) = plans.get(&address(operation)) {
            (before, at_loop) = (Some(plan), address(operation));
        }
        let (Some(plan), Some(TileOp::SharedLoad(fragment))) = (before, TileOp::of(operation))
        else {
            continue;
        };
        let of = || {
            let alloc = defining_operation(fragment.buffer())?;
            let [first, second] = users.get(&key(fragment.buffer()))?.as_slice() else {
                return None;
            };
            let mut both = [*first, *second].into_iter();
            let stored = both.find_map(|user| match TileOp::of(user) {
                Some(TileOp::SharedStore(stored)) => Some(stored),
                _ => None,
            })?;
            let Some(TileOp::Load(load)) = defining_operation(stored.value()).and_then(TileOp::of)
            else {
                return None;
            };
            let is_plain = load.cache().is_empty() && load.evict().is_empty();
            let is_only = has_one_user(&users, load.result());
            if !is_plain || !is_only || load.other().is_some_and(|other| !is_positive_zero(other)) {
                return None;
            }
            if written.contains(&parameter(load.pointers())?) {
                return None;
            }
            if !load.starts().into_iter().all(is_known_early) {
                return None;
            }
            let bytes = element_bytes(fragment.result().r#type());
            let layout = encodings.layout(fragment.result());
            let shape = TileType::of(fragment.result())?.shape();
            let [rows, columns] = *shape.as_slice() else {
                return None;
            };
            let by_rows = layout.warp_bases().iter().all(|basis| basis[1] == 0);
            if !matches!(bytes, 2 | 4) || !by_rows || layout.warp_boxes(bytes).is_none() {
                return None;
            }
            let panels = SharedLayout::panels([rows, columns], [1, 0], bytes, BOX_ROW_BYTES);
            let largest = plan.copies.iter().enumerate();
            let (copy, largest) = largest.max_by_key(|(_, copy)| copy.bytes)?;
            let in_stage = largest.bytes / (rows * BOX_ROW_BYTES);
            let count = (columns * bytes).div_ceil(BOX_ROW_BYTES);
            if in_stage == 0 || count.div_ceil(in_stage) > MOST_STAGES {
                return None;
            }
            let boxes = BoxCopy::find(cx, function, &facts, load, &panels, &cell)?;
            Some(EpilogueLoad {
                load,
                fragment: operation,
                replaced: [load.0, alloc, stored.0].map(address).to_vec(),
                of: at_loop,
                copy,
                boxes,
                rows,
                panels: in_stage,
            })
        };
        found.extend(of());
    }
    *maps = cell.into_inner();
    found
}

/// Whether one operation alone uses a value; a pass may have left behind others whose results nothing uses.
pub fn has_one_user<'c>(users: &HashMap<ValueKey, Vec<Operation<'c>>>, value: Value<'c>) -> bool {
    let is_used = |user: &&Operation<'c>| {
        let mut all = results(**user).into_iter();
        let any = all.any(|value| users.get(&key(value)).is_some_and(|list| !list.is_empty()));
        any || !is_pure(name(**user))
    };
    let all = users.get(&key(value)).into_iter().flatten();
    all.filter(is_used).count() == 1
}

/// Whether a scalar is computed from nothing but parameters and the program's number.
fn is_known_early(value: Value<'_>) -> bool {
    match defining_operation(value) {
        None => argument_owner(value).is_some_and(|owner| name(owner) == "func.func"),
        Some(operation) => {
            is_pure(name(operation))
                && operation.region_count() == 0
                && !is_tile(value)
                && operands(operation).into_iter().all(is_known_early)
        }
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// The tile that an operation gives, if the ring brings it.
    fn epilogue_load(&self, operation: Operation<'c>) -> Option<(EpilogueLoad<'c>, Ring<'c>)> {
        let mut all = self.epilogue_loads.iter();
        let epilogue_load =
            all.find(|epilogue_load| address(epilogue_load.fragment) == address(operation))?;
        Some((
            epilogue_load.clone(),
            self.rings.get(&epilogue_load.of)?.clone(),
        ))
    }

    /// The remarks on tiles that the ring brings.
    pub(super) fn say_epilogue_loads(&self) {
        for epilogue_load in &self.epilogue_loads {
            let span = Some(self.cx.span(epilogue_load.load.0.location()));
            let stages = epilogue_load.stages();
            self.cx
                .remark(&self.name, span, RemarkKind::EpilogueLoad { stages });
        }
    }

    /// The producer copies a tile, if this operation gives one.
    pub(super) fn copy_epilogue_load(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let Some((epilogue_load, ring)) = self.epilogue_load(operation) else {
            return Ok(());
        };
        // A ring that brings more than an iteration's copies has one channel.
        let [channel] = ring.channels.as_slice() else {
            return Ok(());
        };
        let starts: Vec<_> = epilogue_load.load.starts();
        let starts: Vec<_> = starts.into_iter().map(|start| to.one(start)).collect();
        for number in 0..epilogue_load.stages() {
            let first = number * epilogue_load.panels;
            let panels = epilogue_load.panels.min(epilogue_load.boxes.panels - first);
            let boxes = BoxCopy {
                panels,
                bytes: epilogue_load.rows * BOX_ROW_BYTES,
                ..epilogue_load.boxes.clone()
            };
            let stage = ring.wait_until_empty(&mut to.builder, channel);
            self.by_one(to, |this, to| {
                let bytes = to.builder.int((panels * boxes.bytes) as i64);
                let list = [channel.full, stage];
                to.builder
                    .insert("tile.mbarrier_expect", &list, &[("bytes", bytes)], &[]);
                let copy = &ring.plan.copies[epilogue_load.copy];
                let buffer = stage_of(to, ring.buffers[epilogue_load.copy], stage, copy);
                let mut starts = starts.clone();
                if let Some(innermost) = starts.last_mut() {
                    let ty = innermost.r#type();
                    let moved = (first * boxes.panel) as i64;
                    let moved = to.builder.constant_int(moved, ty);
                    *innermost = to.builder.add(*innermost, moved);
                }
                let list = [this.maps[boxes.map], buffer, channel.full, stage];
                start_boxes(to, &boxes, &list, &starts, None);
                Ok(())
            })?;
            self.end_pieces(to, channel, stage);
            ring.producer.advance(&mut to.builder, ring.plan.stages);
        }
        Ok(())
    }

    /// The consumers read a tile, if this operation gives one.
    pub(super) fn read_epilogue_load(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> bool {
        let Some((epilogue_load, ring)) = self.epilogue_load(operation) else {
            return false;
        };
        let mut stages = Vec::new();
        let mut buffers = Vec::new();
        for _ in 0..epilogue_load.stages() {
            let stage = ring.wait_until_full(&mut to.builder);
            let copy = &ring.plan.copies[epilogue_load.copy];
            buffers.push(stage_of(to, ring.buffers[epilogue_load.copy], stage, copy));
            stages.push(stage);
            ring.consumer.advance(&mut to.builder, ring.plan.stages);
        }
        let attributes = [
            ("rows", to.builder.int(epilogue_load.rows as i64)),
            ("panels", to.builder.int(epilogue_load.panels as i64)),
        ];
        let ty = results(operation)[0].r#type();
        let read = to
            .builder
            .insert("tile.box_load", &buffers, &attributes, &[ty]);
        to.bind(results(operation)[0], results(read));
        for stage in stages {
            self.release(to, &ring, stage, None, true);
        }
        true
    }

    /// The consumers take the tiles that a loop's ring brings, and do nothing with them.
    pub(super) fn drop_epilogue_loads(&mut self, to: &mut Rebuilder<'c>, of: Operation<'c>) {
        let all = self
            .epilogue_loads
            .iter()
            .filter(|epilogue_load| epilogue_load.of == address(of));
        let count: u64 = all.map(EpilogueLoad::stages).sum();
        let Some(ring) = self.rings.get(&address(of)).cloned() else {
            return;
        };
        for _ in 0..count {
            let stage = ring.wait_until_full(&mut to.builder);
            ring.consumer.advance(&mut to.builder, ring.plan.stages);
            self.release(to, &ring, stage, None, false);
        }
    }
}

/// Whether a buffer is one that no tile needs any more, as the ring brings it.
pub fn is_replaced<'c>(epilogue_loads: &[EpilogueLoad<'c>], operation: Operation<'c>) -> bool {
    epilogue_loads
        .iter()
        .any(|epilogue_load| epilogue_load.replaced.contains(&address(operation)))
}
