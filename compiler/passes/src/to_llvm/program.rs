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
//! In groups of one this is `x = n / Y`, `y = n % Y`.

use melior::ir::ValueLike;

use crate::build::Builder;
use crate::facts::most_programs;
use crate::ir::Value;

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
    rows: i64,
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
    if rows == 1 {
        let place = match axis {
            0 => "arith.divui",
            _ => "arith.remui",
        };
        let result = builder.binary(place, number, height);
        return builder.value("arith.trunci", &[result], &[], word);
    }
    let rows = builder.constant_int(rows, wide);
    let in_group = builder.multiply(rows, height);
    let group = builder.binary("arith.divui", number, in_group);
    let place = builder.binary("arith.remui", number, in_group);
    let first = builder.multiply(group, rows);
    let left = builder.binary("arith.subi", width, first);
    let own_rows = builder.binary("arith.minui", left, rows);
    let result = match axis {
        0 => {
            let row = builder.binary("arith.remui", place, own_rows);
            builder.add(first, row)
        }
        _ => builder.binary("arith.divui", place, own_rows),
    };
    builder.value("arith.trunci", &[result], &[], word)
}
