//! What only computes, and nobody uses, is left out: what a pass computed otherwise, say. Passes that ask who uses a value would
//! find it.

use std::collections::HashSet;

use melior::ir::Module;
use melior::ir::operation::OperationLike;

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::is_pure;
use crate::ir::{Operation, address, key, name, operands, results};
use crate::{PassContext, each_operation, rebuild_functions};

/// The module without such operations.
pub fn without_unused<'c>(
    cx: &PassContext<'_, 'c>,
    module: &Module<'c>,
) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions(cx, module, |function| Ok(Unused::of(function)))
}

struct Unused(HashSet<usize>);

impl Unused {
    fn of(function: Operation<'_>) -> Self {
        let (mut all, mut used, mut unused) = (Vec::new(), HashSet::new(), HashSet::new());
        each_operation(function, &mut |operation| all.push(operation));
        for operation in all.into_iter().rev() {
            let mut results = results(operation).into_iter();
            let is_computed = is_pure(name(operation)) && operation.region_count() == 0;
            if is_computed && !results.any(|value| used.contains(&key(value))) {
                unused.insert(address(operation));
            } else {
                used.extend(operands(operation).into_iter().map(key));
            }
        }
        Self(unused)
    }
}

impl<'c> Rewrite<'c> for Unused {
    fn rewrite(
        &mut self,
        _: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        Ok(self.0.contains(&address(operation)))
    }
}
