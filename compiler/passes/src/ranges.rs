//! `ranges`: positions that follow each other are a range.
//!
//! ```text
//! rows = i + arange(0, 64);  load(x[rows, columns])  ⇒  load(x[i +: 64, …])
//! ```
//!
//! Kernels that come from pointers say each position. Only of ranges it is seen where a tile begins: boxes, which TMA copies,
//! and windows are made of these.

use melior::ir::{Module, ValueLike};

use super::{PassContext, each_operation, functions, is_number_or_row, rebuild_functions};
use crate::access::Access;
use crate::affine::Affine;
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::kinds;
use crate::ir::{Operation, name, operands, results};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let finds_any = |function| {
        let mut any = false;
        each_operation(function, &mut |operation| {
            any |= Access::of(operation).is_some_and(|access| !found(&access).is_empty());
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
        let Some(access) = Access::of(operation) else {
            return Ok(false);
        };
        let ranges = found(&access);
        if ranges.is_empty() {
            return Ok(false);
        }
        let mut list: Vec<_> = operands(operation)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        let mut kinds = access.kinds.clone();
        for (dimension, positions) in ranges {
            list[access.first_start() + dimension] = positions.begin(to);
            kinds[dimension] = kinds::RANGE;
        }
        let all = access.attributes_with(&to.builder, &kinds);
        let types: Vec<_> = results(operation).iter().map(ValueLike::r#type).collect();
        let new = to.builder.insert(name(operation), &list, &all, &types);
        to.bind_results(operation, new);
        Ok(true)
    }
}

/// The dimensions along which an access has positions that follow each other.
fn found<'c>(access: &Access<'c>) -> Vec<(usize, Affine<'c>)> {
    let each = access.starts.iter().zip(&access.kinds).enumerate();
    each.filter(|(_, (start, kind))| **kind == kinds::POSITIONS && is_number_or_row(start))
        .filter_map(|(dimension, (start, _))| Some((dimension, Affine::of(*start)?)))
        .filter(|(_, positions)| positions.step == 1)
        .collect()
}
