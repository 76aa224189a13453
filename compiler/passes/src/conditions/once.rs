//! Loops of one iteration at most become conditions.
//!
//! ```text
//! for j in range(0, n) { … }                    where n is 0 or 1
//!   ⇒  if 0 < n { … with j = 0 }
//! ```
//!
//! Kernels that may have nothing to do write such loops (`n = where(first < length, 1, 0)`). As loops they would load ahead for
//! iterations that never come. Loops with products of their own are left: these have copies and an order.

use melior::ir::ValueLike;

use crate::LOOP_RANGE;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, predicates};
use crate::facts::{FactAnalysis, constant_of};
use crate::ir::{Operation, arguments, name, operands, operations, region_block, yielded};

/// Makes them conditions.
pub struct Once<'c> {
    facts: FactAnalysis<'c>,
}

impl<'c> Once<'c> {
    pub fn new(function: Operation<'c>) -> Self {
        Self {
            facts: FactAnalysis::new(function),
        }
    }

    /// Whether an operation is a loop that cannot have a second iteration.
    pub fn is_it(&self, operation: Operation<'c>) -> bool {
        if name(operation) != "scf.for" {
            return false;
        }
        let has_product = || {
            let body = region_block(operation, 0).map(operations);
            let mut inside = body.into_iter().flatten();
            inside.any(|of| matches!(TileOp::of(of), Some(TileOp::Dot(_))))
        };
        let list = operands(operation);
        let range = |number: usize| self.facts.range(list[number]);
        let (Some((least, _)), Some((_, most)), Some(step)) =
            (range(0), range(1), constant_of(list[2]))
        else {
            return false;
        };
        step > 0 && most - least <= step.into() && !has_product()
    }
}

impl<'c> Rewrite<'c> for Once<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(body) = region_block(operation, 0).filter(|_| self.is_it(operation)) else {
            return Ok(false);
        };
        let list: Vec<_> = operands(operation).iter().map(|old| to.one(*old)).collect();
        let (range, initial) = list.split_at(LOOP_RANGE);
        let is_any = to.builder.compare_int(predicates::SLT, range[0], range[1]);
        let then = to.region(&[], |to, _| {
            let first = range[..1].iter().chain(initial);
            for (old, new) in arguments(body).into_iter().zip(first) {
                to.bind(old, vec![*new]);
            }
            let inside = operations(body);
            let inside = inside.split_last().map_or(&[][..], |(_, inside)| inside);
            for one in inside {
                to.operation(self, *one)?;
            }
            let given: Vec<_> = yielded(body).into_iter().map(|old| to.one(old)).collect();
            to.builder.insert("scf.yield", &given, &[], &[]);
            Ok(())
        })?;
        let otherwise = to.region(&[], |to, _| {
            to.builder.insert("scf.yield", initial, &[], &[]);
            Ok(())
        })?;
        let types: Vec<_> = initial.iter().map(ValueLike::r#type).collect();
        let regions = vec![then, otherwise];
        let new = to
            .builder
            .insert_with_regions("scf.if", &[is_any], &[], &types, regions);
        to.bind_results(operation, new);
        Ok(true)
    }
}
