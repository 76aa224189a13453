//! `bounds`: masks that say no more than the bounds of a tensor do are dropped.
//!
//! ```text
//! load(x[rows, columns], mask = (rows < m)[:, None] & (columns < n)[None, :])  ⇒  load(x[rows, columns])
//! ```
//!
//! An access of a view is checked against the sizes of its tensor, and kernels that come from pointers check once more. Without that a load may be
//! a box, which is copied by TMA, and nothing is selected.

use melior::ir::Module;

use super::{
    PassContext, each_operation, functions, is_beside, is_number_or_row, is_tile, rebuild_functions,
};
use crate::access::Access;
use crate::affine::Affine;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{LoadView, StoreView};
use crate::dialect::{TileOp, kinds, predicates};
use crate::facts::{FactAnalysis, constant_of};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, attributes, int_attribute, key, name, operand, operands, result,
};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let finds_any = |function| {
        let bounds = Bounds::new(function);
        let mut any = false;
        each_operation(function, &mut |operation| {
            any |=
                bounds.selected(operation).is_some() || bounds.masked_in_vain(operation).is_some();
        });
        any
    };
    if !functions(&module).into_iter().any(finds_any) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |function| Ok(Bounds::new(function)))
}

struct Bounds<'c> {
    facts: FactAnalysis<'c>,
}

impl<'c> Bounds<'c> {
    fn new(function: Operation<'c>) -> Self {
        Self {
            facts: FactAnalysis::new(function),
        }
    }

    /// What is loaded, if a selection leaves all of it: what the mask does not choose is out of bounds, and so is what it is replaced by already.
    fn selected(&self, select: Operation<'c>) -> Option<Value<'c>> {
        if name(select) != "arith.select" || !is_tile(operand(select, 0)) {
            return None;
        }
        let [mask, loaded, otherwise] = [0, 1, 2].map(|number| operand(select, number));
        let load = LoadView::of(defining_operation(loaded)?)?;
        (is_beside(load, otherwise) && self.implies(load.0, mask)).then_some(loaded)
    }

    /// A store with such a mask.
    fn masked_in_vain(&self, operation: Operation<'c>) -> Option<StoreView<'c>> {
        let store = StoreView::of(operation)?;
        self.implies(operation, store.mask()?).then_some(store)
    }

    /// Whether a mask holds for all elements of a checked access that are inside of the tensor.
    fn implies(&self, operation: Operation<'c>, mask: Value<'c>) -> bool {
        let access = Access::of(operation).filter(|access| access.checked);
        access.is_some_and(|access| {
            let facts = &self.facts;
            View { facts, access }.implies(mask)
        })
    }
}

impl<'c> Rewrite<'c> for Bounds<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if let Some(loaded) = self.selected(operation) {
            let loaded = to.one(loaded);
            to.bind(result(operation, 0), vec![loaded]);
            return Ok(true);
        }
        let Some(store) = self.masked_in_vain(operation) else {
            return Ok(false);
        };
        let mut list: Vec<_> = operands(store.0)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        list.pop();
        let mut all = attributes(store.0);
        for (name, value) in &mut all {
            if *name == "operandSegmentSizes" {
                let text = value.to_string();
                let without = text.rsplit_once(',').map_or("", |(rest, _)| rest);
                *value = to.builder.parse_attribute(&format!("{without}, 0>"));
            }
        }
        to.builder.insert("tile.store_view", &list, &all, &[]);
        Ok(true)
    }
}

struct View<'a, 'c> {
    facts: &'a FactAnalysis<'c>,
    access: Access<'c>,
}

impl<'c> View<'_, 'c> {
    /// Whether a mask holds for all elements that are inside of the tensor.
    fn implies(&self, mask: Value<'c>) -> bool {
        if !self.access.starts.iter().all(is_number_or_row) {
            return false;
        }
        let of_axes = (0..self.access.kinds.len())
            .filter(|dimension| self.access.kinds[*dimension] != kinds::ONE);
        self.holds(mask, &of_axes.collect::<Vec<_>>())
    }

    /// The same of a mask whose axes belong to these dimensions.
    fn holds(&self, mask: Value<'c>, axes: &[usize]) -> bool {
        let (mask, axes) = unrepeated(mask, axes);
        let Some(operation) = defining_operation(mask) else {
            return false;
        };
        let sides = || [0, 1].map(|number| operand(operation, number));
        match name(operation) {
            "arith.andi" => sides().into_iter().all(|side| self.holds(side, &axes)),
            "arith.cmpi" => {
                let [left, right] = sides();
                match int_attribute(operation, "predicate") {
                    Some(predicates::SLT | predicates::ULT) => self.is_below(left, right, &axes),
                    Some(predicates::SGT | predicates::UGT) => self.is_below(right, left, &axes),
                    Some(predicates::SGE) => self.is_positive(left, right, &axes),
                    Some(predicates::SLE) => self.is_positive(right, left, &axes),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether numbers are the positions of a dimension, and others its size.
    fn is_below(&self, positions: Value<'c>, size: Value<'c>, axes: &[usize]) -> bool {
        let Some(dimension) = self.dimension(positions, axes) else {
            return self.is_below_rest(positions, size, axes) == Some(true);
        };
        let own = self.access.sizes[dimension];
        let (bound, _) = unrepeated(size, axes);
        match (constant_of(bound), constant_of(own)) {
            (Some(bound), Some(size)) => size <= bound,
            _ => key(bound) == key(own),
        }
    }

    /// Whether numbers are how far positions are from a start that is not negative, and others what the size is more than that: `arange(0, 64) < n - i`.
    /// Were a sum to wrap the position would be none inside of the tensor.
    fn is_below_rest(&self, numbers: Value<'c>, rest: Value<'c>, axes: &[usize]) -> Option<bool> {
        let (rest, _) = unrepeated(rest, axes);
        let (numbers, axes) = unrepeated(numbers, axes);
        let [dimension] = axes[..] else {
            return None;
        };
        if is_tile(rest) {
            return None;
        }
        let numbers = Affine::of(numbers)?;
        let size = Affine::of(self.access.sizes[dimension])?;
        let start = size.without(&Affine::of(rest)?)?;
        let (least, most) = start.range(self.facts)?;
        let is_natural = least >= 0 && most <= i32::MAX.into();
        let is_offset = numbers.scalars.is_empty() && numbers.constant >= 0 && numbers.step >= 0;
        let positions = self.positions(dimension)?.without(&start)?;
        Some(is_natural && is_offset && positions.is(&numbers))
    }

    /// The positions of a dimension as a sum.
    fn positions(&self, dimension: usize) -> Option<Affine<'c>> {
        let mut positions = Affine::of(self.access.starts[dimension])?;
        positions.step += i64::from(self.access.kinds[dimension] == kinds::RANGE);
        Some(positions)
    }

    fn is_positive(&self, positions: Value<'c>, least: Value<'c>, axes: &[usize]) -> bool {
        constant_of(least).is_some_and(|least| least <= 0)
            && self.dimension(positions, axes).is_some()
    }

    /// The dimension whose positions numbers are.
    fn dimension(&self, numbers: Value<'c>, axes: &[usize]) -> Option<usize> {
        let (numbers, axes) = unrepeated(numbers, axes);
        let is_it = |dimension: &usize| {
            let start = self.access.starts[*dimension];
            if self.access.kinds[*dimension] != kinds::RANGE && key(start) == key(numbers) {
                return true;
            }
            let both = Affine::of(numbers).zip(self.positions(*dimension));
            both.is_some_and(|(own, positions)| own.is(&positions))
        };
        match axes[..] {
            // One position for the whole tile.
            [] => (0..self.access.kinds.len())
                .find(|dimension| self.access.kinds[*dimension] == kinds::ONE && is_it(dimension)),
            [dimension] => Some(dimension).filter(is_it),
            _ => None,
        }
    }
}

/// What a tile repeats, and the dimensions that its axes belong to.
fn unrepeated<'c>(tile: Value<'c>, axes: &[usize]) -> (Value<'c>, Vec<usize>) {
    match defining_operation(tile).and_then(TileOp::of) {
        Some(TileOp::Broadcast(broadcast)) => unrepeated(broadcast.operand(), axes),
        Some(TileOp::Expand(expand)) => {
            let mut rest = axes.to_vec();
            rest.remove(expand.axis() as usize);
            unrepeated(expand.operand(), &rest)
        }
        Some(TileOp::Splat(splat)) => unrepeated(splat.scalar(), &[]),
        _ => (tile, axes.to_vec()),
    }
}
