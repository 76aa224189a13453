//! Sine and cosine of f32.
//!
//! The argument is `j pi/2 + r` with `|r|` up to `pi/4`: `r` goes into a series, `j % 4` says which and
//! with which sign. Up to [`NEAR`] three fused multiply-adds take `j pi/2` away: the first is exact, as
//! both sides are multiples of one unit and their difference fits 24 bits. Beyond, `x = m 2^e` with an
//! integer `m`, and the product with `2/pi` is wanted modulo 4 only: 96 bits of `2/pi`, taken where they
//! count, times `m` in 64-bit integers (Payne and Hanek, "Radian reduction for trigonometric
//! functions", 1983). That part is a branch, which is not taken where no lane of a warp needs it.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

use super::Math;
use crate::dialect::predicates as p;
use crate::ir::{Value, results};

/// The largest argument of the simple reduction.
const NEAR: f64 = 48_000.0;

/// `2/pi` in binary, 32 bits a word, behind 32 zeros.
const TWO_OVER_PI: [i64; 8] = [
    0,
    0xA2F9_836E,
    0x4E44_1529,
    0xFC27_57D1,
    0xF534_DDC0,
    0xDB62_9599,
    0x3C43_9041,
    0xFE51_63AB,
];

/// Coefficients of the series in `r * r`, highest first: `sin(r) = r + r^3 (…)`.
const SINE: [f64; 4] = [1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0];

/// `cos(r) = 1 + r^2 (…)`.
const COSINE: [f64; 5] = [
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -1.0 / 2.0,
];

/// `sin(x + quarters pi/2)`.
pub(super) fn sine<'c>(math: &mut Math<'_, 'c>, x: Value<'c>, quarters: i64) -> Value<'c> {
    let float = math.ty;
    let magnitude = math.builder.value("math.absf", &[x], &[], float);
    let near = math.constant(NEAR);
    let is_far = math.compare(p::OGT, magnitude, near);
    let word = math.builder.int_type(32);

    // The other result, where x is not finite: its quarter and rest do not matter.
    let infinity = math.constant(f64::INFINITY);
    let is_finite = math.compare(p::OLT, magnitude, infinity);
    let is_far = math.builder.and(is_far, is_finite);

    // `yield` ends both regions; the outer builder goes on behind them.
    let (then, ()) = math.builder.region(&[], |builder, _| {
        let mut math = Math { builder, ty: float };
        let (quarter, rest) = far(&mut math, x);
        math.builder.insert("scf.yield", &[quarter, rest], &[], &[]);
    });
    let (otherwise, ()) = math.builder.region(&[], |builder, _| {
        let mut math = Math { builder, ty: float };
        let (quarter, rest) = reduced(&mut math, x);
        math.builder.insert("scf.yield", &[quarter, rest], &[], &[]);
    });
    let branch = math.builder.insert_with_regions(
        "scf.if",
        &[is_far],
        &[],
        &[word, float],
        vec![then, otherwise],
    );
    let [quarter, rest] = <[Value<'c>; 2]>::try_from(results(branch)).expect("two results");
    let offset = math.int(quarters);
    let quarter = math.builder.add(quarter, offset);

    let square = math.builder.binary("arith.mulf", rest, rest);
    let sine = series(math, square, &SINE);
    let cubed = math.builder.binary("arith.mulf", square, rest);
    let sine = math.fma(sine, cubed, rest);
    let cosine = series(math, square, &COSINE);
    let one = math.constant(1.0);
    let cosine = math.fma(cosine, square, one);
    let bit = |math: &mut Math<'_, 'c>, mask: i64| {
        let mask = math.int(mask);
        let masked = math.builder.and(quarter, mask);
        let zero = math.int(0);
        math.builder.compare_int(p::NE, masked, zero)
    };
    let is_cosine = bit(math, 1);
    let value = math.builder.select(is_cosine, cosine, sine);
    let is_negative = bit(math, 2);
    let negative = math.builder.value("arith.negf", &[value], &[], float);
    let mut value = math.builder.select(is_negative, negative, value);
    if quarters == 0 {
        // The sign of -0 is lost when the argument is reduced.
        let zero = math.constant(0.0);
        let is_zero = math.compare(p::OEQ, x, zero);
        value = math.builder.select(is_zero, x, value);
    }
    let nan = math.constant(f64::NAN);
    math.builder.select(is_finite, value, nan)
}

fn series<'c>(math: &mut Math<'_, 'c>, square: Value<'c>, coefficients: &[f64]) -> Value<'c> {
    let mut sum = math.constant(coefficients[0]);
    for coefficient in &coefficients[1..] {
        let coefficient = math.constant(*coefficient);
        sum = math.fma(sum, square, coefficient);
    }
    sum
}

/// The quarter and the rest of an argument that is not large.
fn reduced<'c>(math: &mut Math<'_, 'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let scaled = math.mul(x, FRAC_2_PI);
    let nearest = math
        .builder
        .value("math.roundeven", &[scaled], &[], math.ty);
    let word = math.builder.int_type(32);
    let quarter = math.builder.value("arith.fptosi", &[nearest], &[], word);
    let mut rest = x;
    let mut left = FRAC_PI_2;
    for _ in 0..3 {
        let part = f64::from(left as f32);
        left -= part;
        let part = math.constant(-part);
        rest = math.fma(nearest, part, rest);
    }
    (quarter, rest)
}

/// The quarter and the rest of a large argument.
fn far<'c>(math: &mut Math<'_, 'c>, x: Value<'c>) -> (Value<'c>, Value<'c>) {
    let bits = math.bits(x);
    let wide = math.builder.int_type(64);
    let int = |math: &mut Math<'_, 'c>, value: i64| math.int(value);
    let places = int(math, 23);
    let exponent = math.builder.binary("arith.shrui", bits, places);
    let mask = int(math, 0xff);
    let exponent = math.builder.and(exponent, mask);
    // x = m 2^(exponent - 150); the bits of weight 2 and less begin 2^(exponent - 150) further on.
    let offset = int(math, 30 - 150);
    let start = math.builder.add(exponent, offset);
    let five = int(math, 5);
    let first = math.builder.binary("arith.shrui", start, five);
    let mask = int(math, 31);
    let shift = math.builder.and(start, mask);
    let words: Vec<_> = (0..4)
        .map(|word| {
            let mut value = math.builder.constant_int(TWO_OVER_PI[word], wide);
            for from in 1..5usize {
                let from_word = int(math, from as i64);
                let is_there = math.builder.compare_int(p::EQ, first, from_word);
                let there = math.builder.constant_int(TWO_OVER_PI[word + from], wide);
                value = math.builder.select(is_there, there, value);
            }
            value
        })
        .collect();
    // Each 32 bits of the window: two neighbours, shifted.
    let shift = math.builder.int_cast(shift, 64, false);
    let thirty_two = math.builder.constant_int(32, wide);
    let window: Vec<_> = (0..3)
        .map(|word| {
            let upper = math.builder.binary("arith.shli", words[word], thirty_two);
            let both = math.builder.binary("arith.ori", upper, words[word + 1]);
            let moved = math.builder.binary("arith.shli", both, shift);
            math.builder.binary("arith.shrui", moved, thirty_two)
        })
        .collect();
    let mask = int(math, 0x007f_ffff);
    let mantissa = math.builder.and(bits, mask);
    let hidden = int(math, 0x0080_0000);
    let mantissa = math.builder.binary("arith.ori", mantissa, hidden);
    let mantissa = math.builder.int_cast(mantissa, 64, false);
    let upper = math.builder.binary("arith.shli", window[0], thirty_two);
    let upper = math.builder.binary("arith.ori", upper, window[1]);
    let product = math.builder.multiply(upper, mantissa);
    let rest = math.builder.multiply(window[2], mantissa);
    let rest = math.builder.binary("arith.shrui", rest, thirty_two);
    let product = math.builder.add(product, rest);
    // Two bits of the quarter, 62 of the fraction; to the nearest quarter.
    let half = math.builder.constant_int(1 << 61, wide);
    let rounded = math.builder.add(product, half);
    let places = math.builder.constant_int(62, wide);
    let quarter = math.builder.binary("arith.shrui", rounded, places);
    let whole = math.builder.binary("arith.shli", quarter, places);
    let fraction = math.builder.binary("arith.subi", product, whole);
    let fraction = math
        .builder
        .value("arith.sitofp", &[fraction], &[], math.ty);
    let rest = math.mul(fraction, FRAC_PI_2 * 2f64.powi(-62));
    let quarter = math.builder.int_cast(quarter, 32, false);
    // sin(-x) = -sin(x): quarter and rest change signs together.
    let zero = math.int(0);
    let is_negative = math.builder.compare_int(p::SLT, bits, zero);
    let other = math.builder.binary("arith.subi", zero, quarter);
    let quarter = math.builder.select(is_negative, other, quarter);
    let other = math.builder.value("arith.negf", &[rest], &[], math.ty);
    let rest = math.builder.select(is_negative, other, rest);
    (quarter, rest)
}
