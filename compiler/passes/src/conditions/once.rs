//! Loops of one iteration at most become conditions, and loops of one iteration are none.
//!
//! ```text
//! for j in range(0, n) { … }                    where n is 0 or 1
//!   ⇒  if 0 < n { … with j = 0 }
//! for j in range(i * 64, (i + 1) * 64, 64) { … }
//!   ⇒  … with j = i * 64
//! ```
//!
//! Kernels that may have nothing to do write such loops (`n = where(first < length, 1, 0)`). As loops they would load ahead for
//! iterations that never come. Loops with products of their own have copies and an order: they are left where they may have no iteration, or where their range is known.

use melior::ir::ValueLike;

use crate::LOOP_RANGE;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, predicates};
use crate::facts::{FactAnalysis, constant_of};
use crate::ir::{
    Block, Operation, Value, arguments, name, operands, operations, region_block, results, yielded,
};
use crate::polynomial::Reader;

/// Of a loop that is none.
#[derive(PartialEq)]
pub enum Iterations {
    One,
    AtMostOne,
}

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

    /// How many iterations an operation has, if it is a loop that cannot have a second one.
    pub fn iterations(&self, operation: Operation<'c>) -> Option<Iterations> {
        if name(operation) != "scf.for" {
            return None;
        }
        if self.has_one(operation) {
            return Some(Iterations::One);
        }
        let list = operands(operation);
        let range = |number: usize| self.facts.range(list[number]);
        let ((least, _), (_, most), step) = (range(0)?, range(1)?, constant_of(list[2])?);
        let is_short = step > 0 && most - least <= step.into();
        (is_short && !has_product(operation)).then_some(Iterations::AtMostOne)
    }

    /// Whether a loop has one iteration: it ends no more than a step behind where it begins.
    fn has_one(&self, operation: Operation<'c>) -> bool {
        let list = operands(operation);
        let mut reader = Reader::default();
        let mut read = |number: usize| reader.read(list[number], &[]);
        let (Some(first), Some(end), Some(step)) = (read(0), read(1), constant_of(list[2])) else {
            return false;
        };
        let distance = end.plus(&first, -1).and_then(|more| more.number());
        let ranges = [0, 1].map(|number| self.facts.range(list[number]));
        let (Some(distance), [Some(first), Some(end)]) = (distance, ranges) else {
            return false;
        };
        let is_known = first.0 == first.1;
        if is_known && has_product(operation) {
            return false;
        }
        // What might wrap around is not a distance from anything.
        let is_exact = [first.0, first.1].map(|at| at + i128::from(distance)) == [end.0, end.1];
        is_exact && 0 < distance && distance <= step
    }

    /// Builds the iteration, and has what it gives. `list` are the loop's operands.
    fn inside(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        list: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let first = list[..1].iter().chain(&list[LOOP_RANGE..]);
        for (old, new) in arguments(body).into_iter().zip(first) {
            to.bind(old, vec![*new]);
        }
        let inside = operations(body);
        let inside = inside.split_last().map_or(&[][..], |(_, inside)| inside);
        for one in inside {
            to.operation(self, *one)?;
        }
        Ok(yielded(body).into_iter().map(|old| to.one(old)).collect())
    }
}

fn has_product(of: Operation<'_>) -> bool {
    let body = region_block(of, 0).map(operations);
    let mut inside = body.into_iter().flatten();
    inside.any(|of| matches!(TileOp::of(of), Some(TileOp::Dot(_))))
}

impl<'c> Rewrite<'c> for Once<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(iterations) = self.iterations(operation) else {
            return Ok(false);
        };
        let body = region_block(operation, 0).expect("a loop has a body");
        let list: Vec<_> = operands(operation).iter().map(|old| to.one(*old)).collect();
        let (range, initial) = list.split_at(LOOP_RANGE);
        if iterations == Iterations::One {
            let given = self.inside(to, body, &list)?;
            for (old, new) in results(operation).into_iter().zip(given) {
                to.bind(old, vec![new]);
            }
            return Ok(true);
        }
        let is_any = to.builder.compare_int(predicates::SLT, range[0], range[1]);
        let then = to.region(&[], |to, _| {
            let given = self.inside(to, body, &list)?;
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
