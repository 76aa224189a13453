//! What goes through shared memory, and the banks it meets there. Comes in: a function after the pass
//! `barriers`.

use melior::Context;
use melior::ir::operation::OperationLike;

use super::data::ExchangeData;
use super::gather::{element_of, layout_of};
use crate::dialect::TileOp;
use crate::ir::{Operation, TileType, Value};
use crate::passes::{buffer_layout, each_operation, span_of};
use crate::source::SourceMap;

/// The tiles that are stored and loaded, and how many barriers there are.
pub fn function<'c>(
    context: &'c Context,
    sources: &SourceMap,
    function: Operation<'c>,
) -> (Vec<ExchangeData>, u32) {
    let mut exchanges = Vec::new();
    let mut barriers = 0;
    each_operation(function, &mut |operation| {
        let (kind, tile, buffer) = match TileOp::of(operation) {
            Some(TileOp::SharedStore(store)) => ("store", store.value(), store.buffer()),
            Some(TileOp::SharedLoad(load)) => ("load", load.result(), load.buffer()),
            Some(TileOp::Barrier(_)) => {
                barriers += 1;
                return;
            }
            _ => return,
        };
        let span = span_of(sources, operation.location());
        let data = exchange(context, kind, tile, buffer);
        exchanges.extend(data.map(|data| ExchangeData {
            place: super::place(sources, span),
            ..data
        }));
    });
    (exchanges, barriers)
}

fn exchange<'c>(
    context: &'c Context,
    kind: &'static str,
    tile: Value<'c>,
    buffer: Value<'c>,
) -> Option<ExchangeData> {
    let (_, shared) = buffer_layout(context, buffer);
    let layout = layout_of(tile)?;
    let conflicts = shared.bank_conflicts(&layout)?;
    // Wide accesses are made by a part of the lanes at a time, however few words they want.
    let vector = (layout.distinct_registers().len() as u64).div_ceil(conflicts.accesses.max(1));
    let least = vector * shared.element_bytes() / 4;
    Some(ExchangeData {
        place: None,
        kind,
        element: element_of(tile),
        shape: TileType::of(tile)?.shape(),
        accesses: conflicts.accesses,
        wavefronts: conflicts.wavefronts,
        ideal_wavefronts: conflicts.ideal.max(least),
    })
}
