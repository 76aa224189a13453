//! `reductions`: a reduction whose axis is spread over warps becomes one inside each warp, an
//! exchange of the warps' results, and one of those.
//!
//! ```text
//! %s = tile.reduce %x axis 0 : tensor<4096xf32> on 8 warps
//!   ⇒  %p = tile.reduce %x axis 0 {partial} : tensor<8xf32>     one element per warp
//!      %q = tile.convert %p                                      all eight in each thread
//!      %s = tile.reduce %q axis 0
//! ```

use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};

use super::encoding::{Encodings, with_layout};
use super::{PassContext, rebuild_functions};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Scan;
use crate::dialect::{TileOp, mixed_segments, several_segments};
use crate::ir::{Operation, Rebuilder, Rewrite, TileType, attributes, region_block, results};
use crate::layout::Layout;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions(cx, &module, |_| {
        Ok(Reductions {
            cx,
            encodings: &encodings,
        })
    })
}

struct Reductions<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
}

/// Bits of the number of warps whose results every thread reads. Those of more warps are spread over the lanes of
/// each, where they are free: 128 results cost a thread 32 loads and 127 additions, or one load and five shuffles.
const MOST_IN_REGISTERS: usize = 4;

/// The layouts of the warps' results: one element per warp along the axis, and all of them in every
/// thread, or in every warp if there are more than `most` bits of them.
fn exchange(layout: &Layout, axis: usize, most: usize) -> Option<(Layout, Layout)> {
    let along = |basis: &Vec<u32>| basis[axis] != 0;
    let count = layout
        .warp_bases()
        .iter()
        .filter(|basis| along(basis))
        .count();
    if count == 0 {
        return None;
    }
    let inside = layout.remove_dimension(axis).insert_dimension(axis);
    let mut shape = inside.shape().to_vec();
    shape[axis] = 1 << count;
    let mut next = 1u32;
    let warps = inside
        .warp_bases()
        .iter()
        .zip(layout.warp_bases())
        .map(|(basis, original)| {
            let mut basis = basis.clone();
            if along(original) {
                basis[axis] = next;
                next *= 2;
            }
            basis
        })
        .collect();
    let lanes = inside.lane_bases().to_vec();
    let partial = Layout::new(
        shape.clone(),
        inside.register_bases().to_vec(),
        lanes.clone(),
        warps,
    )
    .ok()?;
    let mut lanes = lanes;
    let free: Vec<usize> = (0..lanes.len())
        .filter(|lane| lanes[*lane].iter().all(|part| *part == 0))
        .collect();
    let in_lanes = match count > most {
        true => free.len().min(count),
        false => 0,
    };
    let place = |bit: usize| {
        let mut basis = vec![0; shape.len()];
        basis[axis] = 1 << bit;
        basis
    };
    let in_registers = count - in_lanes;
    let mut registers: Vec<Vec<u32>> = (0..in_registers).map(place).collect();
    for (lane, bit) in free.into_iter().zip(in_registers..count) {
        lanes[lane] = place(bit);
    }
    registers.extend(inside.register_bases().iter().cloned());
    let gathered = Layout::new(
        shape.clone(),
        registers,
        lanes,
        inside.warp_bases().to_vec(),
    )
    .ok()?;
    Some((partial, gathered))
}

impl<'c> Reductions<'_, '_, 'c> {
    /// A scan over warps gets what each warp has in all; the lowering combines those before its own.
    fn scan(&mut self, to: &mut Rebuilder<'c>, scan: Scan<'c>) -> Result<bool, Diagnostic> {
        let axis = scan.axis() as usize;
        let layout = self.encodings.layout(scan.result());
        // The lowering of scans combines what each thread has read.
        let Some((partial, gathered)) = exchange(&layout, axis, usize::MAX) else {
            return Ok(false);
        };
        let Some(body) = region_block(scan.0, 0) else {
            return Ok(false);
        };
        let context = self.cx.context;
        let old: Vec<_> = scan
            .operands()
            .iter()
            .map(|operand| to.one(*operand))
            .collect();
        let partial_types: Vec<_> = old
            .iter()
            .map(|value| with_layout(context, value.r#type(), &partial))
            .collect();
        let segments: Vec<_> = several_segments(old.len()).collect();
        let segments = to.builder.ints32(&segments);
        let axis_attribute = to.builder.int(axis as i64);
        let none = ArrayAttribute::new(context, &[]).into();
        // In order: the combiner need not be commutative.
        let attributes = [
            ("axis", axis_attribute),
            ("identity", none),
            ("partial", to.builder.int(1)),
            ("ordered", to.builder.int(1)),
            ("operandSegmentSizes", segments),
            ("resultSegmentSizes", segments),
        ];
        let region = to.region_of(self, body)?;
        let totals = to.builder.insert_with_regions(
            "tile.reduce",
            &old,
            &attributes,
            &partial_types,
            vec![region],
        );
        let mut list = old.clone();
        for total in results(totals) {
            let ty = with_layout(context, total.r#type(), &gathered);
            list.push(to.builder.value("tile.convert", &[total], &[], ty));
        }
        let sizes: Vec<_> = several_segments(old.len())
            .chain(mixed_segments(old.len()))
            .collect();
        let attributes = [
            ("axis", axis_attribute),
            ("operandSegmentSizes", to.builder.ints32(&sizes)),
            ("resultSegmentSizes", segments),
        ];
        let region = to.region_of(self, body)?;
        let types: Vec<_> = old.iter().map(ValueLike::r#type).collect();
        let new =
            to.builder
                .insert_with_regions("tile.scan", &list, &attributes, &types, vec![region]);
        for (old, new) in results(scan.0).into_iter().zip(results(new)) {
            to.bind(old, vec![new]);
        }
        Ok(true)
    }
}

impl<'c> Rewrite<'c> for Reductions<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let reduce = match TileOp::of(operation) {
            Some(TileOp::Reduce(reduce)) => reduce,
            Some(TileOp::Scan(scan)) => return self.scan(to, scan),
            _ => return Ok(false),
        };
        let axis = reduce.axis() as usize;
        let layout = self.encodings.layout(reduce.operands()[0]);
        let Some((partial, gathered)) = exchange(&layout, axis, MOST_IN_REGISTERS) else {
            return Ok(false);
        };
        let Some(body) = region_block(operation, 0) else {
            return Ok(false);
        };
        let context = self.cx.context;
        let elements: Vec<_> = reduce
            .operands()
            .iter()
            .map(|operand| TileType::of(*operand).expect("a tile").element())
            .collect();
        let partial_types: Vec<_> = elements
            .iter()
            .map(|ty| with_layout(context, *ty, &partial))
            .collect();
        let old: Vec<_> = reduce
            .operands()
            .iter()
            .map(|operand| to.one(*operand))
            .collect();
        let mut first = attributes(operation);
        first.retain(|(name, _)| name != "partial");
        let second = {
            let mut list = first.clone();
            list.push(("partial".to_owned(), to.builder.int(0)));
            list
        };
        first.push(("partial".to_owned(), to.builder.int(1)));
        let region = to.region_of(self, body)?;
        let named: Vec<_> = first.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let inside = to.builder.insert_with_regions(
            "tile.reduce",
            &old,
            &named,
            &partial_types,
            vec![region],
        );
        let mut exchanged = Vec::new();
        for (value, element) in results(inside).into_iter().zip(&elements) {
            let ty = with_layout(context, *element, &gathered);
            exchanged.push(to.builder.value("tile.convert", &[value], &[], ty));
        }
        let region = to.region_of(self, body)?;
        let named: Vec<_> = second.iter().map(|(n, a)| (n.as_str(), *a)).collect();
        let types: Vec<_> = results(operation)
            .iter()
            .zip(&elements)
            .map(|(value, element)| match TileType::of(*value) {
                Some(_) => with_layout(context, *element, &gathered.remove_dimension(axis)),
                None => value.r#type(),
            })
            .collect();
        let among =
            to.builder
                .insert_with_regions("tile.reduce", &exchanged, &named, &types, vec![region]);
        for (old, (new, wanted)) in results(operation)
            .into_iter()
            .zip(results(among).into_iter().zip(results(operation)))
        {
            // The result's layout is the same map; a different spelling is a conversion of nothing.
            let value = if new.r#type() == wanted.r#type() {
                new
            } else {
                to.builder
                    .value("tile.convert", &[new], &[], wanted.r#type())
            };
            to.bind(old, vec![value]);
        }
        debug_assert_eq!(operation.region_count(), 1);
        Ok(true)
    }
}
