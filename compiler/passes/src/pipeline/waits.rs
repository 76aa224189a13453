//! Loops that wait for what they load, whatever that is.

use crate::diagnostic::remark::{NeverAhead, RemarkKind};
use crate::dialect::TileOp;
use crate::ir::{Operation, is_loop, name, operations, region_block};
use crate::{each_operation, is_tile};

pub(super) fn has_loops(operation: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(operation, &mut |inner| found |= is_loop(inner));
    found
}

pub(super) fn is_product(operation: Operation<'_>) -> bool {
    matches!(TileOp::of(operation), Some(TileOp::Dot(_)))
}

/// That a loop with products cannot load for later iterations, why not, and what would help.
pub(super) fn never_ahead(operation: Operation<'_>) -> Option<RemarkKind> {
    let why = reason(operation)?;
    Some(RemarkKind::LoopWaits { why })
}

fn reason(operation: Operation<'_>) -> Option<NeverAhead> {
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
        return Some(NeverAhead::OpenEnd);
    }
    let inside = region_block(operation, 0)
        .map(operations)
        .unwrap_or_default();
    (!inside.into_iter().any(is_product)).then_some(NeverAhead::Condition)
}
