//! The order of programs: those that run at the same time should read the same memory, or neighbours.
//!
//! Products share operands. Programs start in the order of their numbers, axis 0 first: with a column of output tiles after
//! another, the programs that are there at once read all of A. In groups of some tiles along axis 0 they
//! make a rectangle, which reads the fewest bytes if it is as wide as it is high. That is so where one
//! operand goes by axis 0 and the other by axis 1; in attention both go by the head, and programs of
//! one head should stay together. `to-llvm` makes other
//! numbers of the hardware's ([`GROUP`]); each is there once, so a kernel cannot tell, unless it counts
//! on the order: one with atomics keeps its own.
//!
//! Without a product each byte is read once, and DRAM is fastest where all that run read one stretch of memory: a
//! kernel whose axis 1 goes along rows and whose axis 0 goes from row to row runs along axis 1, in groups of one
//! (H100, `silu(gate) * up` of 8192 x 14336 in bf16 by tiles of 16 x 128: 3.00 TB/s for 2.87).

use std::collections::HashSet;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::dialect::TileOp;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, TileType, Value, key, name, operands, region_block, yielded};
use crate::{each_operation, element_bits};

/// The attribute of a function whose programs run in groups of so many along axis 0.
pub const GROUP: &str = "tile.group";

/// Programs that run at once, about: one per multiprocessor of an H100.
const PROGRAMS: f64 = 132.0;

/// Rows of tiles that a group has, if the function is a product over a grid of two dimensions.
pub fn group(function: Operation<'_>) -> Option<u64> {
    let mut largest: Option<[u64; 2]> = None;
    let mut keeps = !in_any_order(function);
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::NumPrograms(_)) => keeps = true,
        Some(TileOp::Dot(dot)) => {
            let shape = TileType::of(dot.result()).map(TileType::shape);
            let apart = matches!(
                (axes(dot.left()), axes(dot.right())),
                ([true, false], [false, true]) | ([false, true], [true, false])
            );
            keeps |= !apart;
            if let Some([m, n]) = shape.as_deref()
                && largest.is_none_or(|[rows, columns]| rows * columns < m * n)
            {
                largest = Some([*m, *n]);
            }
        }
        _ => {}
    });
    let [rows, columns] = largest?;
    if keeps {
        return None;
    }
    // As many rows as columns of elements, in a rectangle of all that run.
    let ideal = (PROGRAMS * columns as f64 / rows as f64).sqrt();
    Some(1 << (ideal.log2().round().clamp(1.0, 5.0) as u64))
}

/// Whether programs run along axis 1 first. That is where there is no product, and for most bytes that are loaded and stored the
/// innermost dimension whose start depends on the program depends on axis 1 alone, and an outer one on axis 0.
pub fn runs_along_rows(function: Operation<'_>) -> bool {
    let mut keeps = !in_any_order(function);
    // Bytes of a program that lie along axis 1, and along axis 0.
    let mut bytes = [0, 0];
    let mut add = |tile: Value<'_>, starts: &[Value<'_>]| {
        let Some(ty) = TileType::of(tile) else {
            return;
        };
        let own = ty.shape().iter().product::<u64>() * element_bits(tile.r#type()) / 8;
        let mut inner = starts.iter().rev().map(|start| axes(*start));
        match inner.find(|axes| axes.contains(&true)) {
            Some([false, true]) if inner.any(|[by_first, _]| by_first) => bytes[0] += own,
            Some([true, _]) => bytes[1] += own,
            _ => {}
        }
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::NumPrograms(_) | TileOp::Dot(_)) => keeps = true,
        Some(TileOp::LoadView(load)) => add(load.result(), &load.starts()),
        Some(TileOp::StoreView(store)) => add(store.value(), &store.starts()),
        _ => {}
    });
    !keeps && bytes[0] > bytes[1]
}

/// Whether programs may run in another order than that of the hardware: none can tell which have run, or wait for
/// those that started before it.
pub fn in_any_order(function: Operation<'_>) -> bool {
    let mut any_order = true;
    each_operation(function, &mut |operation| {
        any_order &= match TileOp::of(operation) {
            Some(TileOp::Atomic(_)) => false,
            Some(TileOp::Asm(asm)) => asm.effects() == 0,
            _ => true,
        };
    });
    any_order
}

/// What an argument of a loop's body comes from: its counter, or what it carries.
fn of_loop(of: Operation<'_>, argument: usize) -> Vec<Value<'_>> {
    let given = operands(of);
    let (bounds, initial) = given.split_at(given.len().min(3));
    let Some(carried) = argument.checked_sub(1) else {
        return bounds.to_vec();
    };
    let next = region_block(of, 0).and_then(|body| yielded(body).get(carried).copied());
    initial
        .get(carried)
        .copied()
        .into_iter()
        .chain(next)
        .collect()
}

/// Whether a value depends on the program's number along axis 0, and along axis 1.
pub fn axes(value: Value<'_>) -> [bool; 2] {
    let mut found = [false; 2];
    let mut seen = HashSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if !seen.insert(key(value)) {
            continue;
        }
        let of = match defining_operation(value) {
            Some(operation) => operation,
            None => match argument_owner(value) {
                Some(owner) if name(owner) == "scf.for" => {
                    open.extend(of_loop(owner, result_number(value)));
                    continue;
                }
                Some(owner) if name(owner) != "func.func" => owner,
                _ => continue,
            },
        };
        if let Some(TileOp::ProgramId(query)) = TileOp::of(of) {
            match query.axis() {
                0 => found[0] = true,
                1 => found[1] = true,
                _ => {}
            }
        }
        open.extend(operands(of));
        // What a loop or a branch gives, and what a loop carries.
        for index in 0..of.region_count() {
            open.extend(region_block(of, index).map(yielded).unwrap_or_default());
        }
    }
    found
}
