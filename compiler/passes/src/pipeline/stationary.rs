//! Stationary operands: they stay for a whole loop, and the producer copies them before it.
//!
//! ```text
//! x = load(p); buffer = x;  for k { … dot(buffer, …) … }  …
//!   ⇒  producer   wait until the buffer is empty; copy p to it;  for k { … }
//!      consumers  wait until it is full;  for k { … dot(buffer, …) … };  say that it is empty;  …
//! ```
//!
//! The queries of attention are such an operand. Threads that loaded them would wait for memory at the start of each program,
//! with nothing under way that hides it. By TMA they come while the program before still computes its last results and
//! stores them, to a second buffer where warpgroups start products in turn and shared memory has room for it.
//!
//! Where shared memory is short, what the program stores goes through the buffer of such an operand, and the consumers say that it is
//! empty when TMA has read that:
//!
//! ```text
//! consumers  wait until it is full;  for k { … };  barrier;  box_store(buffer, …);  box_stores_done;  say that it is empty
//! ```

use std::cell::RefCell;
use std::collections::HashSet;

use melior::ir::operation::OperationLike;

use super::Pipeline;
use super::boxes::{BoxCopy, Map};
use super::copies::start_boxes;
use super::epilogue_loads::has_one_user;
use super::masked::{Masked, masked_load};
use super::plan::Plans;
use super::ring::{Channel, PipelineState};
use super::roles::{needs, only_computes};
use super::stores::BoxStore;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Load, SharedStore};
use crate::dialect::{TileOp, is_pure};
use crate::encoding::{buffer_layout, stage_bytes};
use crate::facts::FactAnalysis;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Block, Operation, Value, address, key, name, operand, operations, region_block, result,
};
use crate::masks::is_everywhere;
use crate::writes::{is_unwritten, written};
use crate::{PassContext, each_operation, is_positive_zero, is_tile, uses};

/// An operand that is copied before a loop.
pub struct Stationary<'c> {
    pub load: Load<'c>,
    /// How it is masked, if it is.
    pub masked: Option<Masked<'c>>,
    /// The buffer, and what stores to it.
    alloc: Operation<'c>,
    store: Operation<'c>,
    /// What is not done any more.
    pub replaced: Vec<usize>,
    /// What has the last product that reads it, in the block that stores it; what follows that, where the block is not the
    /// function's body.
    pub last: usize,
    next: Option<usize>,
    pub boxes: BoxCopy<'c>,
    /// Whether what the program stores goes through its buffer as well, once the products have read it.
    pub holds_staging: bool,
}

impl<'c> Stationary<'c> {
    /// Whether this is its buffer.
    pub fn is_in(&self, alloc: Operation<'_>) -> bool {
        address(self.alloc) == address(alloc)
    }

    /// Bytes of its buffer.
    pub fn bytes(&self, cx: &PassContext<'_, 'c>) -> u64 {
        stage_bytes(&buffer_layout(cx.context, result(self.alloc, 0)).1)
    }

    /// Whether all boxes are stored behind the last product that reads it, and its buffer has as many bytes.
    pub fn can_hold(&self, cx: &PassContext<'_, 'c>, stores: &[BoxStore<'c>], bytes: u64) -> bool {
        let Some(block) = self.store.block().map(crate::ffi::block) else {
            return false;
        };
        let inside = operations(block);
        let place = |at: usize| inside.iter().position(|one| address(*one) == at);
        let last = place(self.last);
        let is_behind = |store: &BoxStore<'c>| {
            let outer = around(store.store.0, block);
            outer.and_then(|outer| place(*outer.last()?)) > last
        };
        self.next.is_none()
            && last.is_some()
            && self.bytes(cx) >= bytes
            && stores.iter().all(is_behind)
    }
}

/// The buffers of an operand and their mbarriers, with where each role is.
#[derive(Clone)]
pub struct Slot<'c> {
    channel: Channel<'c>,
    buffers: Value<'c>,
    count: u64,
    producer: PipelineState<'c>,
    consumer: PipelineState<'c>,
}

/// All operands of a function that can be copied so; their maps are added to `maps`.
pub fn find<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    plans: &Plans<'c>,
    maps: &mut Vec<Map>,
) -> Vec<Stationary<'c>> {
    let (Some(body), Some(written)) = (region_block(function, 0), written(function)) else {
        return Vec::new();
    };
    let users = uses(function);
    let facts = FactAnalysis::new(function);
    let cell = RefCell::new(std::mem::take(maps));
    let find = |store: SharedStore<'c>| -> Option<Stationary<'c>> {
        let block = store.0.block().map(crate::ffi::block)?;
        // An iteration may be built more than once.
        let mut outside = around(store.0, body)?.into_iter();
        if outside.any(|at| plans.contains_key(&at)) {
            return None;
        }
        let alloc = defining_operation(store.buffer())?;
        let mut layout = buffer_layout(cx.context, store.buffer()).1;
        let mut loaded = store.value();
        let mut replaced = vec![address(alloc), address(store.0)];
        if let Some(TileOp::Permute(permute)) = defining_operation(loaded).and_then(TileOp::of)
            && permute.permutation() == [1, 0]
            && has_one_user(&users, loaded)
        {
            replaced.push(address(permute.0));
            loaded = operand(permute.0, 0);
            layout = layout.transposed();
        }
        let transposed = defining_operation(store.value())
            .filter(|of| matches!(TileOp::of(*of), Some(TileOp::Permute(_))));
        let masked = masked_load(loaded).filter(|_| has_one_user(&users, loaded));
        let masked = masked.map(|(select, loaded)| Masked {
            select,
            loaded,
            transposed,
        });
        if let Some(masked) = &masked {
            replaced.push(address(masked.select));
            loaded = masked.loaded;
        }
        let Some(TileOp::Load(load)) = defining_operation(loaded).and_then(TileOp::of) else {
            return None;
        };
        replaced.push(address(load.0));
        let is_plain = load.cache().is_empty() && load.evict().is_empty();
        let is_only = has_one_user(&users, load.result());
        let is_zero = load.other().is_none_or(is_positive_zero);
        if !is_plain || !is_only || !is_zero || !is_unwritten(load.pointers(), &written) {
            return None;
        }
        let mut starts = load.starts().into_iter();
        if !starts.all(|start| is_known_early(start, &written)) {
            return None;
        }
        let inside = operations(block);
        let (mut last, mut is_ahead) = (None, false);
        for user in users.get(&key(store.buffer()))? {
            if address(*user) == address(store.0) {
                continue;
            }
            // The tensor cores see what TMA has written, and are done with it when they are waited for.
            let by_warpgroups =
                matches!(TileOp::of(*user), Some(TileOp::Dot(dot)) if dot.path() == "wgmma");
            let around = by_warpgroups.then(|| around(*user, block)).flatten()?;
            is_ahead |= around.iter().any(|at| plans.contains_key(at));
            let at = around.last()?;
            last = last.max(inside.iter().position(|one| address(*one) == *at));
        }
        let (last, next) = (inside.get(last?)?, inside.get(last? + 1)?);
        // Where nothing is copied ahead the operand would come no earlier.
        if !is_ahead {
            return None;
        }
        Some(Stationary {
            load,
            masked,
            alloc,
            store: store.0,
            replaced,
            last: address(*last),
            next: (block != body).then(|| address(*next)),
            boxes: BoxCopy::find(cx, function, &facts, load, &layout, &cell)?,
            holds_staging: false,
        })
    };
    let mut stores = Vec::new();
    each_operation(function, &mut |operation| {
        if let Some(TileOp::SharedStore(store)) = TileOp::of(operation) {
            stores.push(store);
        }
    });
    let found = stores.into_iter().filter_map(find).collect();
    *maps = cell.into_inner();
    found
}

/// An operation and those around it, from the inside to that of a block; `None` if it is not in the block.
fn around<'c>(operation: Operation<'c>, block: Block<'c>) -> Option<Vec<usize>> {
    let mut inner = operation;
    let mut all = vec![address(inner)];
    while inner.block().map(crate::ffi::block) != Some(block) {
        inner = crate::ffi::operation(inner.parent_operation()?);
        all.push(address(inner));
    }
    Some(all)
}

/// Whether a scalar is computed from parameters, the program's number, counters of loops, and what the kernel never writes.
fn is_known_early(value: Value<'_>, written: &HashSet<usize>) -> bool {
    let Some(operation) = defining_operation(value) else {
        return argument_owner(value).is_some_and(|owner| match name(owner) {
            "func.func" => true,
            name => name == "scf.for" && result_number(value) == 0,
        });
    };
    let is_constant = match TileOp::of(operation) {
        Some(TileOp::Load(load)) => is_unwritten(load.pointers(), written),
        _ if operation.region_count() > 0 => only_computes(operation, written),
        _ => is_pure(name(operation)),
    };
    is_constant
        && !is_tile(value)
        && needs(operation)
            .into_iter()
            .all(|value| is_known_early(value, written))
}

impl<'c> Slot<'c> {
    fn buffer(&self, to: &mut Rebuilder<'c>, stage: Value<'c>) -> Value<'c> {
        let ty = melior::ir::ValueLike::r#type(&self.buffers);
        let list = [self.buffers, stage];
        to.builder.value("tile.shared_stage", &list, &[], ty)
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Makes the buffers of these operands and their mbarriers; the products read them there.
    pub(super) fn make_slots(&mut self, to: &mut Rebuilder<'c>) {
        // Loops whose warpgroups do not start in turn gained nothing by two, and one lost (H100, stick-breaking attention of 128 x 128: about 0.8).
        let count = match &self.share {
            Some(share) if self.has_turns() => share.stationary_buffers,
            _ => 1,
        };
        for one in &self.stationary {
            let list = [
                ("offset", to.builder.int(-1)),
                ("pinned", to.builder.int(1)),
                ("stages", to.builder.int(count as i64)),
            ];
            let ty = melior::ir::ValueLike::r#type(&result(one.alloc, 0));
            let buffers = to.builder.value("tile.shared_alloc", &[], &list, ty);
            if one.holds_staging {
                self.staging = Some(buffers);
            }
            let channel = Channel::new(
                self.cx,
                &mut to.builder,
                Vec::new(),
                count,
                (1, self.warps),
                false,
            );
            self.slots.push(Slot {
                channel,
                buffers,
                count,
                producer: PipelineState::new(&mut to.builder, 1),
                consumer: PipelineState::new(&mut to.builder, 0),
            });
            let span = Some(self.cx.span(one.load.0.location()));
            let holds_staging = one.holds_staging;
            let kind = RemarkKind::StationaryOperand {
                buffers: count,
                holds_staging,
            };
            self.cx.remark(&self.name, span, kind);
            if one.masked.is_some() {
                self.cx.remark(&self.name, span, RemarkKind::MaskedInPlace);
            }
        }
    }

    /// The operand that an operation stores, with its slot, if it is copied.
    fn stationary(&self, operation: Operation<'c>) -> Option<(&Stationary<'c>, Slot<'c>)> {
        let mut all = self.stationary.iter().zip(&self.slots);
        let (one, slot) = all.find(|(one, _)| address(one.store) == address(operation))?;
        Some((one, slot.clone()))
    }

    /// The producer copies an operand, if this operation stores one.
    pub(super) fn copy_stationary(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let Some((one, slot)) = self.stationary(operation) else {
            return Ok(());
        };
        to.builder.set_location(one.load.0.location());
        let boxes = one.boxes.clone();
        let starts = boxes.starts.iter().map(|start| to.one(*start));
        let starts: Vec<_> = starts.collect();
        let (stage, parity) = slot.producer.now(&mut to.builder);
        let list = [slot.channel.empty, stage, parity];
        to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        self.by_one(to, |this, to| {
            let bytes = [("bytes", to.builder.int(boxes.expected as i64))];
            let list = [slot.channel.full, stage];
            to.builder
                .insert("tile.mbarrier_expect", &list, &bytes, &[]);
            let buffer = slot.buffer(to, stage);
            let list = [this.maps[boxes.map], buffer, slot.channel.full, stage];
            start_boxes(to, &boxes, &list, &starts, None);
            Ok(())
        })?;
        slot.producer.advance(&mut to.builder, slot.count);
        Ok(())
    }

    /// The consumers wait for an operand, if this operation stores one.
    pub(super) fn take_stationary(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some((one, slot)) = self.stationary(operation) else {
            return Ok(false);
        };
        let (stage, parity) = slot.consumer.now(&mut to.builder);
        let list = [slot.channel.full, stage, parity];
        to.builder.insert("tile.mbarrier_wait", &list, &[], &[]);
        let buffer = slot.buffer(to, stage);
        to.bind(result(one.alloc, 0), vec![buffer]);
        if let Some(masked) = &one.masked {
            let mask = operand(masked.select, 0);
            let holds = is_everywhere(to, mask, masked.takes_loaded());
            let fails = holds.map(|holds| {
                let truth = to.builder.int_type(1);
                let one = to.builder.constant_int(1, truth);
                to.builder.binary("arith.xori", holds, one)
            });
            masked.fill(to, buffer, fails)?;
        }
        Ok(true)
    }

    /// Behind the last operation that reads operands the consumers say that their buffers are empty: `behind` an operation of
    /// the function's body, or before the one that follows in another block.
    pub(super) fn release_stationary(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        behind: bool,
    ) {
        for (one, slot) in self.stationary.iter().zip(&self.slots) {
            let place = match behind {
                true => one.next.is_none().then_some(one.last),
                false => one.next,
            };
            if place != Some(address(operation)) {
                continue;
            }
            match one.holds_staging {
                // All warps have read it before one writes what it stores.
                true => crate::barrier(&mut to.builder, false),
                false => self.release_slot(to, slot),
            }
        }
    }

    /// At the end of a program the consumers say that the buffer is empty that their stores went through, once TMA has read it.
    pub(super) fn release_staging(&self, to: &mut Rebuilder<'c>) {
        for (one, slot) in self.stationary.iter().zip(&self.slots) {
            if one.holds_staging {
                to.builder.insert("tile.box_stores_done", &[], &[], &[]);
                self.release_slot(to, slot);
            }
        }
    }

    fn release_slot(&self, to: &mut Rebuilder<'c>, slot: &Slot<'c>) {
        let (stage, _) = slot.consumer.now(&mut to.builder);
        self.release_one(to, &slot.channel, stage, None, false);
        slot.consumer.advance(&mut to.builder, slot.count);
    }
}
