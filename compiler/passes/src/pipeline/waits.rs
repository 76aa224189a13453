//! Loops that wait for what they load, whatever that is.

use crate::diagnostic::remark::{NeverAhead, RemarkKind};
use crate::dialect::TileOp;
use crate::ir::{Operation, is_loop, name};
use crate::{each_operation, is_tile};

pub(super) fn has_loops(operation: Operation<'_>) -> bool {
    let mut found = false;
    each_operation(operation, &mut |inner| found |= is_loop(inner));
    found
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
        multiplies |= matches!(TileOp::of(inner), Some(TileOp::Dot(_)));
        loads |= matches!(TileOp::of(inner), Some(TileOp::Load(load)) if is_tile(load.result()));
    });
    let waits = multiplies && loads && name(operation) == "scf.while";
    waits.then_some(NeverAhead::OpenEnd)
}
