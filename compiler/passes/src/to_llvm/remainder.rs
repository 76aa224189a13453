//! The remainder of floats, exactly, as C's `fmod`.
//!
//! With `|x| = m 2^e` and `|y| = n 2^f` (`m` and `n` integers) and `e > f`, the remainder is that of
//! `m 2^(e - f)` by `n`, times `2^f`. Long division with as many bits at a time as 64-bit integers hold.

use melior::ir::Type;

use crate::build::Builder;
use crate::dialect::predicates as p;
use crate::ir::{Value, results};

/// What a float type is made of.
struct Format<'c> {
    ty: Type<'c>,
    bits: u32,
    mantissa_bits: i64,
}

/// `x % y` of f32 or f64.
pub(super) fn remainder<'c>(
    builder: &mut Builder<'c>,
    x: Value<'c>,
    y: Value<'c>,
    ty: Type<'c>,
) -> Value<'c> {
    let format = if ty.to_string() == "f64" {
        Format {
            ty,
            bits: 64,
            mantissa_bits: 52,
        }
    } else {
        Format {
            ty,
            bits: 32,
            mantissa_bits: 23,
        }
    };
    let wide = builder.int_type(64);
    let magnitude = builder.value("math.absf", &[x], &[], ty);
    let divisor = builder.value("math.absf", &[y], &[], ty);
    let (m, e) = parts(builder, &format, magnitude);
    let (n, f) = parts(builder, &format, divisor);
    let distance = builder.binary("arith.subi", e, f);
    // Where y is larger the loop does not run, and x is the result.
    let first = {
        let zero = builder.constant_int(0, wide);
        let one = builder.constant_int(1, wide);
        let is_zero = builder.compare_int(p::EQ, n, zero);
        builder.select(is_zero, one, n)
    };
    let start = builder.binary("arith.remui", m, first);
    let zero = builder.constant_int(0, wide);
    let types = [wide, wide];
    let (before, ()) = builder.region(&types, |builder, given| {
        let more = builder.compare_int(p::SGT, given[1], zero);
        builder.insert("scf.condition", &[more, given[0], given[1]], &[], &[]);
    });
    let step = 63 - (format.mantissa_bits + 1);
    let (body, ()) = builder.region(&types, |builder, given| {
        let step = builder.constant_int(step, wide);
        let bits = builder.binary("arith.minsi", given[1], step);
        let moved = builder.binary("arith.shli", given[0], bits);
        let rest = builder.binary("arith.remui", moved, first);
        let left = builder.binary("arith.subi", given[1], bits);
        builder.insert("scf.yield", &[rest, left], &[], &[]);
    });
    let done = builder.insert_with_regions(
        "scf.while",
        &[start, distance],
        &[],
        &types,
        vec![before, body],
    );
    let rest = results(done)[0];
    // The rest is below 2^(mantissa bits + 1), so this is exact, and so is each half of the scaling.
    let number = builder.value("arith.uitofp", &[rest], &[], ty);
    let scaled = scale(builder, &format, number, f);
    let smaller = builder.compare_floats(p::OLT, magnitude, divisor);
    let result = builder.select(smaller, magnitude, scaled);
    let result = builder.value("math.copysign", &[result, x], &[], ty);
    // Infinity by anything, anything by zero, and NaN are NaN.
    let infinity = builder.constant_float(f64::INFINITY, ty);
    let zero = builder.constant_float(0.0, ty);
    let finite = builder.compare_floats(p::OLT, magnitude, infinity);
    let divides = builder.compare_floats(p::OGT, divisor, zero);
    let fine = builder.and(finite, divides);
    let nan = builder.constant_float(f64::NAN, ty);
    builder.select(fine, result, nan)
}

/// A positive float as an integer and the power of two of its unit, as `i64`. Subnormal numbers have
/// the unit of the smallest normal ones.
fn parts<'c>(
    builder: &mut Builder<'c>,
    format: &Format<'c>,
    value: Value<'c>,
) -> (Value<'c>, Value<'c>) {
    let int = builder.int_type(format.bits);
    let wide = builder.int_type(64);
    let bits = builder.value("arith.bitcast", &[value], &[], int);
    let bits = builder.int_cast(bits, 64, false);
    let places = builder.constant_int(format.mantissa_bits, wide);
    let biased = builder.binary("arith.shrui", bits, places);
    let mask = builder.constant_int((1 << format.mantissa_bits) - 1, wide);
    let low = builder.and(bits, mask);
    let zero = builder.constant_int(0, wide);
    let is_normal = builder.compare_int(p::NE, biased, zero);
    let hidden = builder.constant_int(1 << format.mantissa_bits, wide);
    let with_hidden = builder.binary("arith.ori", low, hidden);
    let mantissa = builder.select(is_normal, with_hidden, low);
    let one = builder.constant_int(1, wide);
    let exponent = builder.binary("arith.maxui", biased, one);
    (mantissa, exponent)
}

/// `value * 2^(exponent - bias - mantissa bits)` for a biased exponent, in two exact steps.
fn scale<'c>(
    builder: &mut Builder<'c>,
    format: &Format<'c>,
    value: Value<'c>,
    exponent: Value<'c>,
) -> Value<'c> {
    let wide = builder.int_type(64);
    let bias = (1i64 << (i64::from(format.bits) - format.mantissa_bits - 2)) - 1;
    // 2^(-mantissa bits) first: the value becomes less than 2, and small factors lose nothing.
    let down = builder.constant_float(2f64.powi(-(format.mantissa_bits as i32)), format.ty);
    let value = builder.binary("arith.mulf", value, down);
    let one = builder.constant_int(1, wide);
    let half = builder.constant_int(bias, wide);
    let power = builder.binary("arith.subi", exponent, half);
    let first = builder.binary("arith.shrsi", power, one);
    let second = builder.binary("arith.subi", power, first);
    let mut result = value;
    for part in [first, second] {
        let biased = builder.add(part, half);
        let places = builder.constant_int(format.mantissa_bits, wide);
        let bits = builder.binary("arith.shli", biased, places);
        let bits = builder.int_cast(bits, format.bits, false);
        let factor = builder.value("arith.bitcast", &[bits], &[], format.ty);
        result = builder.binary("arith.mulf", result, factor);
    }
    result
}
