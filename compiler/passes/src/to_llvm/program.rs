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

/// The program's number along axis 0 or 1, `i32`. In 64 bits, since a grid may have more than 2^32.
/// `registers` have the number and the count of programs.
pub(super) fn in_groups<'c>(
    builder: &mut Builder<'c>,
    group: Group,
    axis: i64,
    [number, count]: [&str; 2],
) -> Value<'c> {
    let word = builder.int_type(32);
    let wide = builder.int_type(64);
    let mut read = |name: &str| {
        let value = builder.special_register(name);
        builder.int_cast(value, 64, false)
    };
    let [x, y] = ["x", "y"].map(|axis| read(&format!("{number}.{axis}")));
    let [width, height] = ["x", "y"].map(|axis| read(&format!("{count}.{axis}")));
    let before = builder.multiply(y, width);
    let number = builder.add(before, x);
    let [along, across] = match group.axis {
        0 => [width, height],
        _ => [height, width],
    };
    let is_along = axis == i64::from(group.axis);
    if group.rows == 1 {
        let place = match is_along {
            true => "arith.divui",
            false => "arith.remui",
        };
        let result = builder.binary(place, number, across);
        return builder.value("arith.trunci", &[result], &[], word);
    }
    let rows = builder.constant_int(group.rows, wide);
    let in_group = builder.multiply(rows, across);
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
    builder.value("arith.trunci", &[result], &[], word)
}
