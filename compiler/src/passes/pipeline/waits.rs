//! Loops that wait for what they load, whatever that is.

use melior::ir::operation::OperationLike;

use crate::dialect::TileOp;
use crate::ir::{Operation, is_loop, name, operations, region_block};
use crate::passes::{PassContext, Remark, each_operation, function_name, is_tile};

pub(super) fn has_loops(operation: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(operation, &mut |inner| found |= is_loop(inner));
    found
}

pub(super) fn is_product(operation: Operation<'_>) -> bool {
    matches!(TileOp::of(operation), Some(TileOp::Dot(_)))
}

/// That a loop with products cannot load for later rounds, why not, and what would help.
pub(super) fn never_ahead<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    operation: Operation<'c>,
) -> Option<Remark> {
    let (why, help) = reason(operation)?;
    Some(Remark {
        pass: "pipeline",
        function: function_name(function).to_owned(),
        span: Some(cx.span(operation.location())),
        message: format!("loads of this loop wait in every round: {why}"),
        missed: true,
        help: Some(help.to_owned()),
    })
}

fn reason(operation: Operation<'_>) -> Option<(&'static str, &'static str)> {
    let mut multiplies = false;
    let mut loads = false;
    each_operation(operation, &mut |inner| {
        multiplies |= is_product(inner);
        loads |= matches!(TileOp::of(inner), Some(TileOp::Load(load)) if is_tile(load.result()));
    });
    if !multiplies || !loads {
        return None;
    }
    if name(operation) == "scf.while" {
        return Some((
            "only in a round is it known whether there is another",
            "count the rounds before: `for i in range(…)` without `break` or `return`",
        ));
    }
    let inside = region_block(operation, 0)
        .map(operations)
        .unwrap_or_default();
    (!inside.into_iter().any(is_product)).then_some((
        "its product is computed under a condition",
        "let the limits of the loop leave those rounds out, or load 0 in them",
    ))
}
