//! Operands that are masked where they were copied to.
//!
//! ```text
//! x = load(t[j +: N, :]); store select(m, x, 0) to b; wait for all; … dot b …
//!   ⇒  wait until stage s is full; unless m holds everywhere { store 0 to s where m does not hold; wait for all }; … dot s …
//! ```
//!
//! Copies run ahead of what says which elements count, and TMA knows the bounds of a tensor alone, not those of a sequence in it. In
//! a buffer of its own the tile would be copied once more in each iteration, by threads that wait for each other before and after it
//! (H200, attention of sequences in one tensor, values masked at their ends: 0.56 to 0.79 of equal sequences that fill their tiles, for 0.91 to
//! 1.01 now). Where the mask holds everywhere, which [`segments`](super::segments) knows of most iterations, nothing is left of it here, nor of
//! the wait before it: values are waited for behind the product before theirs (1.01 to 1.04 times as fast without a causal mask).

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::plan::{Plan, Search};
use super::segments::{Bounds, Segments};
use super::{Pipeline, WARPGROUP};
use crate::barrier;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Load;
use crate::dialect::{TileOp, is_pure, predicates};
use crate::encoding::Encodings;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, address, arguments, key, name, operand, result, results,
};
use crate::masks::is_everywhere_within;

impl<'c> Search<'_, '_, 'c> {
    /// The selection that is all that a load is for, if it takes either what was loaded or what is no tile of its own.
    pub(super) fn masking(&self, load: Load<'c>) -> Option<Operation<'c>> {
        let users = self.users.get(&key(load.result()))?;
        let [select] = users.as_slice() else {
            return None;
        };
        is_masking(*select, load.result()).then_some(*select)
    }
}

/// Whether an operation takes elements of a tile or of another that is one number.
pub(super) fn is_masking<'c>(select: Operation<'c>, tile: Value<'c>) -> bool {
    let is_one = |number: usize| key(operand(select, number)) == key(tile);
    name(select) == "arith.select"
        && match (is_one(1), is_one(2)) {
            (true, false) => is_uniform(operand(select, 2)),
            (false, true) => is_uniform(operand(select, 1)),
            _ => false,
        }
}

/// Whether all elements of a tile are one number.
fn is_uniform(value: Value<'_>) -> bool {
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    if matches!(TileOp::of(operation), Some(TileOp::Splat(_))) {
        return true;
    }
    // One number, not a list of them.
    let constant = operation.attribute("value").ok();
    name(operation) == "arith.constant"
        && constant.is_some_and(|constant| !constant.to_string().starts_with("dense<["))
}

/// Whether a value is a load that a selection masks, perhaps transposed, and nothing else.
pub(super) fn is_masked_load(value: Value<'_>) -> bool {
    match defining_operation(value).and_then(TileOp::of) {
        Some(TileOp::Permute(permute)) => is_masked_load(permute.operand()),
        _ => masked_load(value).is_some(),
    }
}

/// The selection that gives a value, and what it masks, if that is a load.
pub(super) fn masked_load(value: Value<'_>) -> Option<(Operation<'_>, Value<'_>)> {
    let select = defining_operation(value).filter(|of| name(*of) == "arith.select")?;
    let mut sides = [1, 2].map(|number| operand(select, number)).into_iter();
    let is_loaded = |side: &Value<'_>| defining_operation(*side).and_then(Load::of).is_some();
    let loaded = sides.find(|side| is_loaded(side) && is_masking(select, *side))?;
    Some((select, loaded))
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Masks an operand in its stage, if an operation of the iteration does that.
    pub(super) fn mask_in_place(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(now) = &self.now else {
            return Ok(false);
        };
        let mut copies = now.plan.copies.iter().zip(&now.stages);
        let found = copies.find(|(copy, _)| copy.is_masked_by(operation));
        let Some((Some(masked), stage)) = found.map(|(copy, stage)| (copy.masked, *stage)) else {
            return Ok(false);
        };
        // Nothing reads the tile but the products, in the stage.
        to.bind(result(operation, 0), vec![stage]);
        if self.is_left_out(operation) {
            return Ok(true);
        }
        to.builder.set_location(operation.location());
        let outside = self.outside_of_bounds(to, operation);
        match self.masks_before_turn {
            true => self.fill_by_first(to, masked, stage, outside)?,
            false => masked.fill(to, stage, outside)?,
        }
        Ok(true)
    }

    /// Whether one warpgroup can mask what a selection does: a mask of rows, of which any thread computes any part.
    pub(super) fn is_masked_by_any(&self, select: Operation<'c>) -> bool {
        let mask = operand(select, 0);
        let is_of_thread = |of: &Operation<'c>| {
            let is_convert = matches!(TileOp::of(*of), Some(TileOp::Convert(_)));
            is_pure(name(*of)) && of.region_count() == 0 && !is_convert
        };
        is_of_rows(mask) && self.tiles_for(vec![mask]).iter().all(is_of_thread)
    }

    /// The first warpgroup masks all of an operand. The others see that when it passes the turn, and its own threads when it waits for
    /// its own.
    fn fill_by_first(
        &mut self,
        to: &mut Rebuilder<'c>,
        masked: Masked<'c>,
        stage: Value<'c>,
        outside: Option<Value<'c>>,
    ) -> Result<(), Diagnostic> {
        let tiles = self.tiles_for(vec![masked.needs()[0]]);
        let values = tiles.iter().flat_map(|of| results(*of));
        let known: Vec<_> = values
            .filter(|value| to.is_bound(*value))
            .map(|value| (value, to.one(value)))
            .collect();
        let truth = to.builder.int_type(1);
        let mut first = to.builder.value("tile.first_warpgroup", &[], &[], truth);
        if let Some(outside) = outside {
            first = to.builder.and(first, outside);
        }
        to.only_if(first, |to| {
            for pass in 0..self.warps / WARPGROUP {
                self.pass = Some(pass);
                for operation in &tiles {
                    to.operation(self, *operation)?;
                }
                masked.fill_rows(to, stage, self.pass);
            }
            self.pass = None;
            to.builder.insert("tile.proxy_fence", &[], &[], &[]);
            Ok(())
        })?;
        for (old, new) in known {
            to.bind(old, vec![new]);
        }
        Ok(())
    }

    /// Whether a selection's masks hold in all iterations of the loop that is being built.
    pub(super) fn is_left_out(&self, select: Operation<'c>) -> bool {
        self.taken.contains_key(&address(select))
    }

    /// Whether the iteration is none of those in which the masks of operands hold, where that is asked in the loop.
    fn outside_of_bounds(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Option<Value<'c>> {
        let bounds = self.mask_bounds.as_ref()?;
        let body = operation.block().map(crate::ffi::block)?;
        let counter = to.one(*arguments(body).first()?);
        let mut compare = |predicate, bound: Option<Value<'c>>| {
            bound.map(|bound| to.builder.compare_int(predicate, counter, bound))
        };
        let before = compare(predicates::SLT, bounds.begin);
        let behind = compare(predicates::SGE, bounds.end);
        match (before, behind) {
            (Some(before), Some(behind)) => Some(to.builder.binary("arith.ori", before, behind)),
            (one, other) => one.or(other),
        }
    }

    /// Where the masks of a loop's operands hold, for a loop that has none of its own for those iterations.
    pub(super) fn bounds_of_masks(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        plan: &Plan<'c>,
        (first, end): (Value<'c>, Value<'c>),
    ) -> Option<Bounds<'c>> {
        let masks: Vec<_> = plan.copies.iter().filter_map(|copy| copy.masked).collect();
        if masks.is_empty() {
            return None;
        }
        let is_one = |select| {
            let mut all = masks.iter();
            all.any(|mask| address(mask.select) == address(select))
                .then_some(0)
        };
        let Some(segments) = Segments::of(operation, is_one) else {
            return bounds_of_constant_masks(to, operation, &masks, (first, end));
        };
        // One that has no bounds is asked for in each iteration, and so are all.
        let is_known = segments.count() == masks.len() && segments.is_bound(to);
        is_known.then(|| segments.bounds(to, first, end))
    }
}

/// The iterations of a loop in which masks hold that are the same in all of them: all or none.
fn bounds_of_constant_masks<'c>(
    to: &mut Rebuilder<'c>,
    of: Operation<'c>,
    masks: &[Masked<'c>],
    (first, end): (Value<'c>, Value<'c>),
) -> Option<Bounds<'c>> {
    let each = masks.iter().map(|masked| {
        let mask = operand(masked.select, 0);
        is_everywhere_within(to, of, mask, masked.takes_loaded())
    });
    let each: Option<Vec<_>> = each.collect();
    let all = each?
        .into_iter()
        .reduce(|all, one| to.builder.and(all, one))?;
    Some(Bounds {
        begin: Some(to.builder.select(all, first, end)),
        end: None,
    })
}

/// Whether all that lies side by side in memory has one value of a mask.
fn is_of_rows(mask: Value<'_>) -> bool {
    match defining_operation(mask).and_then(TileOp::of) {
        Some(TileOp::Convert(convert)) => is_of_rows(convert.operand()),
        Some(TileOp::Splat(_)) => true,
        Some(TileOp::Broadcast(broadcast)) => {
            let shape = TileType::of(broadcast.operand()).map(TileType::shape);
            shape.is_some_and(|shape| shape.last() == Some(&1))
        }
        _ => false,
    }
}

/// A tile that a copy brings without its mask.
#[derive(Clone, Copy)]
pub(super) struct Masked<'c> {
    /// What masks it.
    pub select: Operation<'c>,
    /// What was loaded.
    pub loaded: Value<'c>,
    /// What transposes the masked tile, if the buffer is one for that.
    pub transposed: Option<Operation<'c>>,
}

impl<'c> Masked<'c> {
    /// What fills it, and where: values in the old function.
    pub fn needs(&self) -> [Value<'c>; 2] {
        let other = if self.takes_loaded() { 2 } else { 1 };
        [0, other].map(|number| operand(self.select, number))
    }

    /// Whether it is what was loaded where its condition holds, or where that does not.
    pub fn takes_loaded(&self) -> bool {
        key(operand(self.select, 1)) == key(self.loaded)
    }

    /// Masks it in a buffer, if `condition` holds, where there is one; all threads meet then.
    pub fn fill(
        &self,
        to: &mut Rebuilder<'c>,
        buffer: Value<'c>,
        condition: Option<Value<'c>>,
    ) -> Result<(), Diagnostic> {
        match condition {
            None => self.fill_always(to, buffer),
            Some(condition) => to.only_if(condition, |to| {
                self.fill_always(to, buffer);
                Ok(())
            })?,
        }
        Ok(())
    }

    fn fill_always(&self, to: &mut Rebuilder<'c>, stage: Value<'c>) {
        match is_of_rows(operand(self.select, 0)) {
            true => self.fill_rows(to, stage, None),
            false => self.select_elements(to, stage),
        }
        barrier(&mut to.builder, true);
    }

    /// Writes to rows that the mask leaves out; as other warps' threads, where there is a pass.
    fn fill_rows(&self, to: &mut Rebuilder<'c>, stage: Value<'c>, pass: Option<i64>) {
        let [mut condition, mut other] = self.needs().map(|value| to.one(value));
        if let Some(of) = self.transposed {
            let ty = result(of, 0).r#type();
            let element = crate::ir::element_type(condition.r#type());
            let truths = TileType::of(result(of, 0)).map(|tile| tile.with_element(element).ty());
            other = transpose(to, other, ty);
            condition = transpose(to, condition, truths.unwrap_or(ty));
        }
        let mut attributes = vec![("holds", to.builder.int(i64::from(!self.takes_loaded())))];
        attributes.extend(pass.map(|pass| ("pass", to.builder.int(pass))));
        let list = [other, condition, stage];
        to.builder
            .insert("tile.shared_fill", &list, &attributes, &[]);
    }

    /// Reads the tile and writes it back as the mask has it.
    fn select_elements(&self, to: &mut Rebuilder<'c>, stage: Value<'c>) {
        let [condition, other] = self.needs().map(|value| to.one(value));
        let loaded = self.loaded.r#type();
        let stored = self.transposed.map(|of| result(of, 0).r#type());
        let ty = stored.unwrap_or(loaded);
        let mut tile = to.builder.value("tile.shared_load", &[stage], &[], ty);
        // Where several threads have an element one of them stores it: the others have read it before.
        let layout = Encodings::default().layout(tile);
        if !layout.owners().are_all_threads() {
            barrier(&mut to.builder, false);
        }
        if stored.is_some() {
            tile = transpose(to, tile, loaded);
        }
        tile = match self.takes_loaded() {
            true => to.builder.select(condition, tile, other),
            false => to.builder.select(condition, other, tile),
        };
        if let Some(ty) = stored {
            tile = transpose(to, tile, ty);
        }
        let list = [tile, stage];
        to.builder.insert("tile.shared_store", &list, &[], &[]);
    }
}

/// A transposed tile.
fn transpose<'c>(to: &mut Rebuilder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let attributes = [("permutation", to.builder.ints(&[1, 0]))];
    to.builder.value("tile.permute", &[value], &attributes, ty)
}
