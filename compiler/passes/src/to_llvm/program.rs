//! The number of a program where programs run in groups: see
//! [`order`](crate::order).
//!
//! ```text
//! n = y * X + x                      the hardware's order, axis 0 first
//! group = n / (rows * Y)             groups of `rows` along axis 0, the last one perhaps smaller
//! x = group * rows + n % (rows * Y) % height
//! y = n % (rows * Y) / height        height = min(rows, X - group * rows)
//! ```
//!
//! In groups of one this is `x = n / Y`, `y = n % Y`. Groups along axis 1 have `x` and `y` the other way round.

use melior::ir::ValueLike;

use crate::build::Builder;
use crate::dialect::predicates;
use crate::facts::most_programs;
use crate::ir::Value;
use crate::order::Group;

/// A program's number along an axis, in the bits that it can have: else LLVM does not know that what is computed from it is
/// not negative either.
pub(super) fn bounded<'c>(builder: &mut Builder<'c>, axis: i64, number: Value<'c>) -> Value<'c> {
    let mask = (most_programs(axis) as u64 + 1).next_power_of_two() - 1;
    let mask = builder.constant_int(mask as i64, number.r#type());
    builder.and(number, mask)
}

/// The numbers of the hardware.
struct Grid<'c> {
    numbers: [Value<'c>; 3],
    counts: [Value<'c>; 3],
    /// Whether there are fewer than 2^32 programs: those of more run in the hardware's order, as divisions of 64 bits take long.
    is_small: Value<'c>,
}

impl<'c> Grid<'c> {
    /// Reads the registers that have the number and the count of programs.
    fn read(builder: &mut Builder<'c>, [number, count]: [&str; 2]) -> Self {
        let mut all = |name: &str| {
            ["x", "y", "z"].map(|axis| builder.special_register(&format!("{name}.{axis}")))
        };
        let (numbers, counts) = (all(number), all(count));
        let [x, y, z] = counts.map(|count| builder.int_cast(count, 64, false));
        let plane = builder.multiply(x, y);
        let programs = builder.multiply(plane, z);
        let most = builder.constant_int(1 << 32, builder.int_type(64));
        let is_small = builder.compare_int(predicates::ULT, programs, most);
        Self {
            numbers,
            counts,
            is_small,
        }
    }
}

/// The program's number along an axis where the axes of the grid run in another order, from the one on along which neighbours run. `registers`
/// have the number and the count of programs.
pub(super) fn in_order<'c>(
    builder: &mut Builder<'c>,
    order: &[i64],
    axis: i64,
    registers: [&str; 2],
) -> Value<'c> {
    let grid = Grid::read(builder, registers);
    let [x, y, z] = grid.numbers;
    let [width, height, _] = grid.counts;
    let before = builder.multiply(z, height);
    let rows = builder.add(before, y);
    let before = builder.multiply(rows, width);
    let mut number = builder.add(before, x);
    let mut left = order.iter().peekable();
    while let Some(along) = left.next() {
        let count = grid.counts[*along as usize];
        if *along == axis {
            if left.peek().is_some() {
                number = builder.binary("arith.remui", number, count);
            }
            break;
        }
        number = builder.binary("arith.divui", number, count);
    }
    let number = builder.select(grid.is_small, number, grid.numbers[axis as usize]);
    bounded(builder, axis, number)
}

/// The program's number along axis 0 or 1, `i32`. `registers` have the number and the count of programs.
pub(super) fn in_groups<'c>(
    builder: &mut Builder<'c>,
    group: Group,
    axis: i64,
    registers: [&str; 2],
) -> Value<'c> {
    let grid = Grid::read(builder, registers);
    let [x, y, _] = grid.numbers;
    let [width, height, _] = grid.counts;
    let before = builder.multiply(y, width);
    let number = builder.add(before, x);
    let [along, across] = match group.axis {
        0 => [width, height],
        _ => [height, width],
    };
    let is_along = axis == i64::from(group.axis);
    let own = grid.numbers[axis as usize];
    if group.rows == 1 {
        let place = match is_along {
            true => "arith.divui",
            false => "arith.remui",
        };
        let number = builder.binary(place, number, across);
        return builder.select(grid.is_small, number, own);
    }
    let word = builder.int_type(32);
    let [zero, one, rows] = [0, 1, group.rows].map(|of| builder.constant_int(of, word));
    // Of fewer rows than those of a group all are in one. What does not fit is not divided by.
    let rows = builder.binary("arith.minui", rows, along);
    let in_group = builder.multiply(rows, across);
    let in_group = builder.select(grid.is_small, in_group, one);
    let number = builder.select(grid.is_small, number, zero);
    let group = builder.binary("arith.divui", number, in_group);
    let place = builder.binary("arith.remui", number, in_group);
    let first = builder.multiply(group, rows);
    let left = builder.binary("arith.subi", along, first);
    let own_rows = builder.binary("arith.minui", left, rows);
    let result = match is_along {
        true => {
            let row = builder.binary("arith.remui", place, own_rows);
            builder.add(first, row)
        }
        false => builder.binary("arith.divui", place, own_rows),
    };
    builder.select(grid.is_small, result, own)
}
