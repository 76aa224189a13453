//! The order of the programs of a product: those that run at the same time should share operands.
//!
//! Programs start in the order of their numbers, axis 0 first: with a column of output tiles after
//! another, the programs that are there at once read all of A. In groups of some tiles along axis 0 they
//! make a rectangle, which reads the fewest bytes if it is as wide as it is high. `to-llvm` makes other
//! numbers of the hardware's ([`GROUP`]); each is there once, so a kernel cannot tell, unless it counts
//! on the order: one with atomics keeps its own.

use crate::dialect::TileOp;
use crate::ir::{Operation, TileType};
use crate::passes::each_operation;

/// The attribute of a function whose programs run in groups of so many along axis 0.
pub const GROUP: &str = "tile.group";

/// Programs that run at once, about: one per multiprocessor of an H100.
const PROGRAMS: f64 = 132.0;

/// Rows of tiles that a group has, if the function is a product over a grid of two dimensions.
pub fn group(function: Operation<'_>) -> Option<u64> {
    let mut axes = [false; 3];
    let mut largest: Option<[u64; 2]> = None;
    let mut keeps = false;
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::ProgramId(query)) => axes[query.axis().clamp(0, 2) as usize] = true,
        Some(TileOp::NumPrograms(_) | TileOp::Atomic(_)) => keeps = true,
        Some(TileOp::Asm(asm)) => keeps |= asm.effects() != 0,
        Some(TileOp::Dot(dot)) => {
            let shape = TileType::of(dot.result()).map(TileType::shape);
            if let Some([m, n]) = shape.as_deref()
                && largest.is_none_or(|[rows, columns]| rows * columns < m * n)
            {
                largest = Some([*m, *n]);
            }
        }
        _ => {}
    });
    let [rows, columns] = largest?;
    if keeps || !axes[0] || !axes[1] {
        return None;
    }
    // As many rows as columns of elements, in a rectangle of all that run.
    let ideal = (PROGRAMS * columns as f64 / rows as f64).sqrt();
    Some(1 << (ideal.log2().round().clamp(1.0, 5.0) as u64))
}
