//! Approximations: what a GPU's special function unit computes (PTX ISA, 9.7.3 and 9.7.4).
//!
//! PTX gives bounds of the error and the results for special values; the bits in between are the
//! hardware's own. Here the function is computed in `f64` and rounded, which is within every
//! bound. `ex2`, `lg2` and `tanh` are written out, as loops that call nothing are compiled to
//! vector instructions.

use half::{bf16, f16};

use super::element::Packed;
use super::float::{Float, finish, flushed};
use super::half::Half;
use super::ieee;
use super::pattern::Row;
use super::rounding::Nearest;
use super::table::table;

pub(super) const ROWS: &[Row] = table! {
    Special 1 "ex2.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| through_f64::<FTZ>(a, exp2);
    Special 1 "lg2.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| through_f64::<FTZ>(a, log2);
    Special 1 seldom "sin.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| through_f64::<FTZ>(a, libm::sin);
    Special 1 seldom "cos.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| through_f64::<FTZ>(a, libm::cos);
    Special 1 "tanh.approx.f32" "T = T"
        |a: f32| through_f64::<false>(a, tanh);
    Special 1 "rsqrt.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| through_f64::<FTZ>(a, |a| 1.0 / a.sqrt());
    Special 1 "rcp.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| ieee::rcp::<Nearest, FTZ, _>(a);
    Special 1 "sqrt.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| ieee::sqrt::<Nearest, FTZ, _>(a);
    Special 1 "div.full{.ftz}.f32" "T = T T" [FTZ "ftz"]
        |a: f32, b: f32| ieee::div::<Nearest, FTZ, _>(a, b);
    Special 1 seldom "div.approx{.ftz}.f32" "T = T T" [FTZ "ftz"]
        |a: f32, b: f32| quotient::<FTZ>(a, b);

    Special 1 seldom "rsqrt.approx.f64" "T = T"
        |a: f64| finish::<false, false, _, 1>(1.0 / a.sqrt(), [a]);
    Special 1 seldom "rcp.approx.ftz.f64" "T = T" |a: f64| upper_half(a, |a| 1.0 / a);
    Special 1 seldom "rsqrt.approx.ftz.f64" "T = T" |a: f64| upper_half(a, |a| 1.0 / a.sqrt());

    Special 1 seldom "ex2.approx.<f16|f16x2>" "T = T" [T in F16 F16x2]
        |a: T| a.map(|a| f16::narrow(through_f64::<false>(a.wide(), exp2)));
    Special 1 seldom "ex2.approx.ftz.<bf16|bf16x2>" "T = T" [T in BF16 BF16x2]
        |a: T| a.map(|a| bf16::narrow(through_f64::<true>(a.wide(), exp2)).flush());
    Special 1 seldom "tanh.approx.<f16|f16x2>" "T = T" [T in F16 F16x2]
        |a: T| a.map(|a| f16::narrow(through_f64::<false>(a.wide(), tanh)));
    Special 1 seldom "tanh.approx.<bf16|bf16x2>" "T = T" [T in BF16 BF16x2]
        |a: T| a.map(|a| bf16::narrow(through_f64::<false>(a.wide(), tanh)));
};

/// A function of `f32`, computed in `f64`.
#[inline(always)]
fn through_f64<const FTZ: bool>(a: f32, of: impl Fn(f64) -> f64) -> f32 {
    let a = flushed::<FTZ, f32>(a);
    finish::<FTZ, false, f32, 1>(of(a.into()) as f32, [a])
}

/// `div.approx`: a divisor above 2^126 has no reciprocal, so that the quotient is a product with 0.
#[inline(always)]
fn quotient<const FTZ: bool>(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits((127 + 126) << 23);
    let quotient = ieee::div::<Nearest, FTZ, f32>(a, b);
    let vanishing = ieee::mul::<Nearest, FTZ, false, f32>(a, 0f32.with_sign(b));
    let magnitude = b.abs();
    if magnitude > LARGE && magnitude < f32::INFINITY {
        vanishing
    } else {
        quotient
    }
}

/// A function of the upper 32 bits of an `f64`, with a result that has no more.
fn upper_half(a: f64, of: impl Fn(f64) -> f64) -> f64 {
    const UPPER: u64 = u64::MAX << 32;
    let a = f64::from_bits(a.to_bits() & UPPER).flush();
    let result = of(a);
    if result.is_nan() {
        // The one `f64` instructions whose NaN is fixed (PTX ISA, 9.7.3, `rcp.approx.ftz.f64`).
        f64::from_bits(0x7fff_ffff << 32)
    } else {
        f64::from_bits(result.flush().to_bits() & UPPER)
    }
}

/// 2^x for any `f32`, with an error of 2^-41.
#[inline(always)]
pub(super) fn exp2(x: f64) -> f64 {
    // Far outside of `f32`, and far inside of `f64`.
    let x = if x > 200.0 { 200.0 } else { x };
    let x = if x < -200.0 { -200.0 } else { x };
    // Adding 1.5 * 2^52 rounds to an integer, which then lies in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let shifted = x + ROUND;
    let rest = x - (shifted - ROUND);
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    // The power series of e^t for |t| < ln(2)/2.
    let t = rest * std::f64::consts::LN_2;
    let series = (1..=10)
        .rev()
        .fold(1.0, |sum, k| 1.0 + sum * t / f64::from(k));
    series * scale
}

/// The logarithm to base 2 of any `f32`, with a relative error of 2^-44.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    // x = 2^exponent * m with m between sqrt(1/2) and sqrt(2).
    const SQRT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let above = x.to_bits().wrapping_sub(SQRT_HALF);
    let exponent = (above as i64 >> 52) as i32;
    let m = f64::from_bits((above & ((1 << 52) - 1)).wrapping_add(SQRT_HALF));
    // ln m = 2 atanh s, whose series has odd powers only.
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let series = (0..=8)
        .rev()
        .fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    let result = f64::from(exponent) + 2.0 * std::f64::consts::LOG2_E * s * series;
    if x > 0.0 && x < f64::INFINITY {
        result
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else if x > 0.0 {
        f64::INFINITY
    } else {
        f64::NAN
    }
}

/// The hyperbolic tangent of any `f32`, with a relative error below 2^-30.
#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    let power = exp2(2.0 * std::f64::consts::LOG2_E * x);
    let quotient = (power - 1.0) / (power + 1.0);
    // Near 0 the difference loses its bits.
    let small = x * (1.0 - x * x / 3.0);
    if x.abs() < 1.0 / 1024.0 {
        small
    } else {
        quotient
    }
}
