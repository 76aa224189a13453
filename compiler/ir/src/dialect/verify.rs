//! The verifier: what holds between passes.
//!
//! MLIR and IRDL check the form of every operation (operands, attributes, regions, SSA dominance). On
//! top of that, here:
//!
//! 1. shapes: `expand` adds one dimension of size 1 at `axis`; `broadcast` keeps the rank and grows
//!    only dimensions of size 1; `permute` permutes; `reshape` keeps the number of elements;
//! 2. `load_view`, `store_view`: a start, a size and a stride for each dimension of the tensor; the shape is that of what the
//!    starts select; `load`, `store`: mask, other and value have the shape of the pointers; what is loaded has the
//!    pointee's type;
//! 3. `dot`: `[m, k] x [k, n] + [m, n]`;
//! 4. `reduce`: operands have one shape, `axis` is one of its dimensions, results lack it;
//! 5. `scan`, `gather`, `map`, `atomic`, `print`, `asm`, `prefetch`: operands, indices and results have one shape;
//! 6. `exchange`: the size along `axis` is a power of two, and `mask` is less;
//! 7. an access has up to 128 elements, and buffers of shared memory end not far behind what any GPU has: passes unroll them;
//! 8. layouts: once a function has `tile.warps`, every tile in it has a layout for that many warps.

use std::collections::HashSet;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Module, ValueLike};

use super::{TileOp, kinds};
use crate::ir::{
    Operation, TileType, Value, int_attribute, listen, name, operations, region_block, results,
};
use crate::layout::Layout;

/// Checks a module.
///
/// # Errors
/// What is wrong with the first operation that breaks an invariant.
pub fn module(context: &Context, module: &Module<'_>) -> Result<(), String> {
    let (valid, messages) = listen(context, || module.as_operation().verify());
    if !valid {
        return Err(messages);
    }
    for function in operations(crate::ffi::block(module.body())) {
        let warps = int_attribute(function, "tile.warps").filter(|_| name(function) == "func.func");
        // `tile.warps` on input only asks; layouts are there once shared memory or registers are.
        let placed = warps.filter(|_| has_layouts(function));
        inside(function, placed)?;
    }
    Ok(())
}

fn has_layouts(of: Operation<'_>) -> bool {
    let mut found = false;
    visit(of, &mut |operation| {
        found |= results(operation)
            .iter()
            .any(|value| TileType::of(*value).is_some_and(|tile| tile.encoding().is_some()));
        Ok(())
    })
    .is_ok()
        && found
}

fn visit<'c>(
    of: Operation<'c>,
    check: &mut impl FnMut(Operation<'c>) -> Result<(), String>,
) -> Result<(), String> {
    for index in 0..of.region_count() {
        let Some(block) = region_block(of, index) else {
            continue;
        };
        for operation in operations(block) {
            check(operation)?;
            visit(operation, check)?;
        }
    }
    Ok(())
}

fn inside(function: Operation<'_>, warps: Option<i64>) -> Result<(), String> {
    // Types are unique in a context: each is checked once.
    let mut checked = HashSet::new();
    visit(function, &mut |operation| {
        sizes(operation).map_err(|problem| format!("{problem}:\n{operation}"))?;
        operation_invariants(operation).map_err(|problem| format!("{problem}:\n{operation}"))?;
        if let Some(warps) = warps {
            for value in results(operation) {
                if !checked.insert(value.r#type().to_raw().ptr as usize) {
                    continue;
                }
                layout_invariant(value, warps)
                    .map_err(|problem| format!("{problem}:\n{operation}"))?;
            }
        }
        Ok(())
    })
}

fn layout_invariant(value: Value<'_>, warps: i64) -> Result<(), String> {
    let Some(tile) = TileType::of(value) else {
        return Ok(());
    };
    let Some(encoding) = tile.encoding() else {
        return Err("a tile without a layout".to_owned());
    };
    let layout = Layout::from_attribute(&encoding.to_string(), &tile.shape())
        .map_err(|error| error.to_string())?;
    if i64::from(layout.warp_count()) != warps {
        return Err(format!(
            "a layout for {} warps in a function of {warps}",
            layout.warp_count()
        ));
    }
    Ok(())
}

/// The most elements of an access: 16 bytes of bits.
const MOST_ELEMENTS: i64 = 128;

/// The most elements of a buffer of shared memory, of those of an allocation together, and of a row of it: four times what
/// the largest multiprocessor has of bytes.
const MOST_SHARED: u64 = 1 << 20;

/// What is unrolled is not without end.
fn sizes(operation: Operation<'_>) -> Result<(), String> {
    // Operations of others have none of these, and attributes cost time: this runs after each pass.
    if !name(operation).starts_with("tile.") {
        return Ok(());
    }
    for name in ["vector", "own"] {
        let elements = int_attribute(operation, name).unwrap_or(1);
        if !(1..=MOST_ELEMENTS).contains(&elements) {
            return Err(format!(
                "an access has 1 to {MOST_ELEMENTS} elements, not {elements}"
            ));
        }
    }
    if let Some(TileOp::SharedAlloc(alloc)) = TileOp::of(operation) {
        // All numbers of the type: its shape, and what its layout says of rows and swizzles.
        let text = alloc.result().r#type().to_string();
        let numbers = text.split(|letter: char| !letter.is_ascii_digit());
        let numbers = numbers.filter(|digits| !digits.is_empty());
        let largest = numbers
            .map(|digits| digits.parse().unwrap_or(u64::MAX))
            .max();
        let dimensions = text.split(['<', ',']).nth(2).unwrap_or_default().split('x');
        let elements = dimensions
            .map_while(|size| size.parse::<u64>().ok())
            .try_fold(1, u64::checked_mul);
        let stages = int_attribute(alloc.0, "stages").unwrap_or(1);
        let all = elements.zip(u64::try_from(stages).ok());
        let all = all.and_then(|(elements, stages)| elements.checked_mul(stages));
        if all.is_none_or(|all| all > MOST_SHARED) || largest > Some(MOST_SHARED) {
            return Err(format!(
                "a buffer of shared memory has up to {MOST_SHARED} elements, in rows of up to as many"
            ));
        }
    }
    Ok(())
}

fn shape(value: Value<'_>) -> Vec<u64> {
    TileType::of(value).map(TileType::shape).unwrap_or_default()
}

fn same(what: &str, a: &[u64], b: &[u64]) -> Result<(), String> {
    if a == b {
        Ok(())
    } else {
        Err(format!("{what}: {a:?} and {b:?}"))
    }
}

fn operation_invariants(operation: Operation<'_>) -> Result<(), String> {
    match TileOp::of(operation) {
        Some(TileOp::Expand(expand)) => {
            let mut expected = shape(expand.operand());
            let axis = expand.axis() as usize;
            if axis > expected.len() {
                return Err(format!("axis {axis} of a tile of rank {}", expected.len()));
            }
            expected.insert(axis, 1);
            same("expanded shape", &expected, &shape(expand.result()))
        }
        Some(TileOp::Broadcast(broadcast)) => {
            let (from, to) = (shape(broadcast.operand()), shape(broadcast.result()));
            let grows =
                from.len() == to.len() && from.iter().zip(&to).all(|(a, b)| a == b || *a == 1);
            if grows {
                Ok(())
            } else {
                Err(format!("{from:?} does not broadcast to {to:?}"))
            }
        }
        Some(TileOp::Permute(permute)) => {
            let from = shape(permute.operand());
            let expected: Option<Vec<u64>> = permute
                .permutation()
                .iter()
                .map(|d| from.get(*d as usize).copied())
                .collect();
            same(
                "permuted shape",
                &expected.ok_or("a dimension that is not there")?,
                &shape(permute.result()),
            )
        }
        Some(TileOp::Part(part)) => {
            let (from, to) = (shape(part.operand()), shape(part.result()));
            let starts = part.starts();
            let ends = to
                .iter()
                .zip(&starts)
                .map(|(size, start)| start + *size as i64);
            let is_inside = from.len() == to.len()
                && starts.len() == to.len()
                && starts.iter().all(|start| *start >= 0)
                && ends.zip(&from).all(|(end, size)| end <= *size as i64);
            match is_inside {
                true => Ok(()),
                false => Err(format!("{to:?} from {starts:?} on is no part of {from:?}")),
            }
        }
        Some(TileOp::Reshape(reshape)) => {
            let count = |value| shape(value).iter().product::<u64>();
            same(
                "elements",
                &[count(reshape.operand())],
                &[count(reshape.result())],
            )
        }
        Some(TileOp::LoadView(view)) => selected(
            &view.kinds(),
            &view.starts(),
            [view.sizes().len(), view.strides().len()],
            &shape(view.result()),
        ),
        Some(TileOp::StoreView(view)) => selected(
            &view.kinds(),
            &view.starts(),
            [view.sizes().len(), view.strides().len()],
            &shape(view.value()),
        ),
        Some(TileOp::Load(load)) => {
            let pointers = shape(load.pointers());
            for other in load
                .mask()
                .into_iter()
                .chain(load.other())
                .chain([load.result()])
            {
                same("shapes of a load", &pointers, &shape(other))?;
            }
            pointee_matches(load.pointers(), load.result())
        }
        Some(TileOp::Store(store)) => {
            let pointers = shape(store.pointers());
            for other in store.mask().into_iter().chain([store.value()]) {
                same("shapes of a store", &pointers, &shape(other))?;
            }
            pointee_matches(store.pointers(), store.value())
        }
        Some(TileOp::Dot(dot)) => {
            let (Some(_), Some(_)) = (TileType::of(dot.left()), TileType::of(dot.right())) else {
                return Ok(()); // Operands in shared memory.
            };
            let (a, b, c) = (shape(dot.left()), shape(dot.right()), shape(dot.result()));
            same("accumulator and result", &shape(dot.accumulator()), &c)?;
            if a.len() == 2 {
                same("product", &[a[0], b[1], a[1]], &[c[0], c[1], b[0]])?;
            }
            Ok(())
        }
        Some(TileOp::Scan(scan)) => {
            for other in scan.operands().into_iter().chain(results(scan.0)) {
                same("operands of a scan", &shape(scan.result()), &shape(other))?;
            }
            Ok(())
        }
        Some(TileOp::Gather(gather)) => {
            if gather.indices().len() != shape(gather.operand()).len() {
                return Err("a gather takes one index per dimension".to_owned());
            }
            for index in gather.indices() {
                same("indices", &shape(index), &shape(gather.result()))?;
            }
            Ok(())
        }
        Some(TileOp::Map(map)) => {
            for other in map.operands().into_iter().chain(results(map.0)) {
                same("tiles of a map", &shape(map.result()), &shape(other))?;
            }
            Ok(())
        }
        Some(TileOp::Histogram(histogram)) => {
            let shapes = [histogram.operand(), histogram.mask()].map(shape);
            same("values and mask", &shapes[0], &shapes[1])
        }
        Some(TileOp::Exchange(exchange)) => {
            let shape_of = shape(exchange.result());
            same("exchanged shape", &shape(exchange.operand()), &shape_of)?;
            let size = shape_of.get(exchange.axis() as usize).copied().unwrap_or(0);
            let mask = exchange.mask();
            if !size.is_power_of_two() || mask < 0 || mask as u64 >= size {
                return Err(format!("mask {mask} along a dimension of size {size}"));
            }
            Ok(())
        }
        Some(TileOp::Atomic(atomic)) => {
            let pointers = shape(atomic.pointers());
            let others = [atomic.compare(), atomic.mask()].into_iter().flatten();
            for other in others.chain([atomic.value(), atomic.result()]) {
                same("shapes of an atomic access", &pointers, &shape(other))?;
            }
            pointee_matches(atomic.pointers(), atomic.value())
        }
        Some(TileOp::Asm(asm)) => {
            for value in asm.arguments().into_iter().chain(results(asm.0)) {
                same("tiles of inline PTX", &shape(asm.result()), &shape(value))?;
            }
            Ok(())
        }
        Some(TileOp::Print(print)) => {
            let values = print.values();
            for value in &values {
                same("printed tiles", &shape(values[0]), &shape(*value))?;
            }
            Ok(())
        }
        Some(TileOp::Prefetch(prefetch)) => match prefetch.mask() {
            Some(mask) => same("mask", &shape(prefetch.pointers()), &shape(mask)),
            None => Ok(()),
        },
        Some(TileOp::Reduce(reduce)) => {
            let list = reduce.operands();
            let Some(first) = list.first() else {
                return Err("a reduction of nothing".to_owned());
            };
            for other in &list {
                same("operands of a reduction", &shape(*first), &shape(*other))?;
            }
            let mut expected = shape(*first);
            let axis = reduce.axis() as usize;
            if axis >= expected.len() {
                return Err(format!("axis {axis} of a tile of rank {}", expected.len()));
            }
            if reduce.partial() == 0 {
                expected.remove(axis);
                same("reduced shape", &expected, &shape(reduce.result()))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether a view of this shape is what these starts select.
fn selected(
    kinds: &[i64],
    starts: &[Value<'_>],
    others: [usize; 2],
    found: &[u64],
) -> Result<(), String> {
    if starts.len() != kinds.len() || others != [kinds.len(); 2] {
        return Err(format!(
            "a view of {} dimensions has {} starts, {} sizes and {} strides",
            kinds.len(),
            starts.len(),
            others[0],
            others[1]
        ));
    }
    let mut rest = found;
    for (kind, start) in kinds.iter().zip(starts) {
        let own = shape(*start);
        let dimensions = match kind {
            0 | 1 if !own.is_empty() => return Err("the start of a range is a tile".to_owned()),
            0 => 0,
            1 => 1,
            2 if own.is_empty() => return Err("a gather has no tile of positions".to_owned()),
            2 => own.len(),
            _ => return Err(format!("a view has no dimension of kind {kind}")),
        };
        let Some((head, tail)) = rest.split_at_checked(dimensions) else {
            return Err(format!(
                "a view of rank {} is too small for its starts",
                found.len()
            ));
        };
        if *kind == kinds::POSITIONS {
            same("positions and view", head, &own)?;
        }
        rest = tail;
    }
    match rest {
        [] => Ok(()),
        _ => Err(format!(
            "a view of rank {} is too large for its starts",
            found.len()
        )),
    }
}

fn pointee_matches(pointers: Value<'_>, value: Value<'_>) -> Result<(), String> {
    let pointer = crate::ir::element_type(pointers.r#type()).to_string();
    let element = crate::ir::element_type(value.r#type()).to_string();
    if pointer == format!("!tile.ptr<{element}>") {
        return Ok(());
    }
    Err(format!("{element} through {pointer}"))
}
