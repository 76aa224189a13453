//! `ranges`: positions that follow each other are a range.
//!
//! ```text
//! rows = i + arange(0, 64);  load(x[rows, columns])  ⇒  load(x[i +: 64, …])
//! ```
//!
//! Kernels that come from pointers say each position. Only of ranges it is seen where a tile begins: boxes, which TMA copies,
//! and windows are made of these.

use melior::ir::{Module, ValueLike};

use super::{PassContext, each_operation, functions, rebuild_functions};
use crate::affine::Affine;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, kinds};
use crate::ir::{Operation, TileType, Value, attributes, name, operands, result, results};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let finds_any = |function| {
        let mut any = false;
        each_operation(function, &mut |operation| {
            any |= !found(operation).is_empty()
        });
        any
    };
    if !functions(&module).into_iter().any(finds_any) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |_| Ok(Ranges))
}

struct Ranges;

impl<'c> Rewrite<'c> for Ranges {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let ranges = found(operation);
        if ranges.is_empty() {
            return Ok(false);
        }
        let mut list: Vec<_> = operands(operation)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        let (first, mut kinds) = match TileOp::of(operation) {
            Some(TileOp::StoreView(store)) => (2, store.kinds()),
            Some(TileOp::LoadView(load)) => (1, load.kinds()),
            _ => return Ok(false),
        };
        for (dimension, positions) in ranges {
            list[first + dimension] = positions.begin(to);
            kinds[dimension] = kinds::RANGE;
        }
        let mut all = attributes(operation);
        for (name, value) in &mut all {
            if *name == "kinds" {
                *value = to.builder.ints(&kinds);
            }
        }
        let types: Vec<_> = results(operation).iter().map(ValueLike::r#type).collect();
        let new = to.builder.insert(name(operation), &list, &all, &types);
        if !types.is_empty() {
            to.bind(result(operation, 0), vec![result(new, 0)]);
        }
        Ok(true)
    }
}

/// The dimensions along which an access has positions that follow each other.
fn found(operation: Operation<'_>) -> Vec<(usize, Affine<'_>)> {
    let (starts, kinds) = match TileOp::of(operation) {
        Some(TileOp::LoadView(load)) => (load.starts(), load.kinds()),
        Some(TileOp::StoreView(store)) => (store.starts(), store.kinds()),
        _ => return Vec::new(),
    };
    let each = starts.into_iter().zip(kinds).enumerate();
    each.filter(|(_, (_, kind))| *kind == kinds::POSITIONS)
        .filter_map(|(dimension, (start, _))| Some((dimension, row(start)?)))
        .filter(|(_, positions)| positions.step == 1)
        .collect()
}

/// A row of positions as a sum.
fn row(positions: Value<'_>) -> Option<Affine<'_>> {
    let is_row = TileType::of(positions)?.shape().len() == 1;
    Affine::of(positions).filter(|_| is_row)
}
