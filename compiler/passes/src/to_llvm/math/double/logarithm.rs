//! Logarithms and powers. `x = 2^k m` with `m` from `sqrt(1/2)` to `sqrt(2)`; `ln m = 2 atanh(s)` with
//! `s = (m - 1) / (m + 1)`, whose series is computed in pairs as far as it shows in a power.

use super::constants::{LN_2, LOG2_E, LOG10_2, LOG10_E, TWO_THIRDS};
use super::exponential::exp2;
use super::pair::Pair;
use super::real::Real;

/// `2 / (2 i + 1)` for `i` from 12 to 2.
const SERIES: [f64; 11] = [
    2.0 / 25.0,
    2.0 / 23.0,
    2.0 / 21.0,
    2.0 / 19.0,
    2.0 / 17.0,
    2.0 / 15.0,
    2.0 / 13.0,
    2.0 / 11.0,
    2.0 / 9.0,
    2.0 / 7.0,
    2.0 / 5.0,
];

/// The bits of `sqrt(1/2)` and of 1.
const ROOT_BITS: i64 = 0x3fe6_a09e_667f_3bcd;
const ONE_BITS: i64 = 0x3ff0_0000_0000_0000;

/// `k` and `ln m` of a positive, finite, normal number.
fn parts<'b, 'c>(x: Pair<'b, 'c>) -> (Real<'b, 'c>, Pair<'b, 'c>) {
    let moved = x.high.bits() + (ONE_BITS - ROOT_BITS);
    let k = (moved >> 52) + -1023;
    let mantissa = (moved & 0x000f_ffff_ffff_ffff) + ROOT_BITS;
    let f = mantissa.as_bits() - 1.0;
    // The second part counts only where 2^-k is a number.
    let down = k.constant(0) - k;
    let is_small = down.compare(crate::dialect::predicates::SGT, -1023);
    let down = is_small.choose_word(down, k.constant(-1023));
    let more = x.low * down.power_of_two();
    let mut below = Pair::ordered(2.0, f);
    below.low = below.low + more;
    let quotient = Pair { high: f, low: more }.over(below);
    let s = Pair::ordered(quotient.high, quotient.low);
    let square = Pair::product(s.high, s.high);
    let square = Pair {
        high: square.high,
        low: square.low + 2.0 * s.high * s.low,
    };
    let rest = square.high * square.high * square.high.polynomial(&SERIES);
    let first = square.times(Pair::constant(f, TWO_THIRDS));
    let mut series = Pair::ordered(first.high, rest);
    series.low = series.low + first.low;
    let cubic = s.times(series);
    let sum = Pair::ordered(2.0 * s.high, cubic.high);
    (k.to_real(), sum.plus(2.0 * s.low + cubic.low))
}

/// `k unit + ln m scale`, for every `x` above 0.
fn logarithm<'b, 'c>(x: Pair<'b, 'c>, unit: [f64; 2], scale: Option<[f64; 2]>) -> Pair<'b, 'c> {
    let is_tiny = x.high.below(f64::MIN_POSITIVE);
    let high = is_tiny.choose(x.high * 2f64.powi(54), x.high);
    let (k, mut ln) = parts(Pair { high, low: x.low });
    let k = is_tiny.choose(k - 54.0, k);
    if let Some(scale) = scale {
        ln = ln.times(Pair::constant(k, scale));
    }
    let whole = Pair::product(k, unit[0]);
    let low = k.fma(unit[1], whole.low);
    let sum = Pair::choose(
        k.equals(0.0),
        Pair::ordered(ln.high, whole.high),
        Pair::ordered(whole.high, ln.high),
    );
    sum.plus(low + ln.low)
}

/// The logarithm of what has none: 0, infinity, NaN and negative numbers.
fn special<'b, 'c>(x: Real<'b, 'c>, value: Real<'b, 'c>) -> Real<'b, 'c> {
    let value = x.equals(0.0).choose(f64::NEG_INFINITY, value);
    let value = x.below(f64::INFINITY).choose(value, x);
    x.below(0.0).choose(f64::NAN, value)
}

pub(super) fn log<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    special(x, logarithm(Pair::exact(x), LN_2, None).high)
}

pub(super) fn log2<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let value = logarithm(Pair::exact(x), [1.0, 0.0], Some(LOG2_E));
    special(x, value.high)
}

pub(super) fn log10<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let value = logarithm(Pair::exact(x), LOG10_2, Some(LOG10_E));
    special(x, value.high)
}

/// `ln(1 + x)`; the sum is a pair.
pub(super) fn log1p<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let value = log_of_one_and(Pair::exact(x));
    // Below half a unit of 1 the logarithm is the number itself.
    x.abs().below(2f64.powi(-60)).choose(x, value)
}

/// `ln(1 + x)` of a number that is not tiny.
pub(super) fn log_of_one_and<'b, 'c>(x: Pair<'b, 'c>) -> Real<'b, 'c> {
    let sum = Pair::sum(x.high, 1.0);
    let high = sum.high;
    let is_finite = high.below(f64::INFINITY);
    let low = is_finite.choose(sum.low + x.low, high.constant(0.0));
    special(high, logarithm(Pair { high, low }, LN_2, None).high)
}

/// `ln(2 x)` of any number: twice the largest is none.
pub(super) fn log_of_twice<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let log = logarithm(Pair::exact(x), LN_2, None);
    let sum = Pair::ordered(log.high, x.constant(LN_2[0]));
    special(x, sum.plus(log.low).high)
}

/// `x^y = 2^(y log2 |x|)`, with the sign of `x` for odd `y`; special cases as in C99 (annex F).
pub(super) fn pow<'b, 'c>(x: Real<'b, 'c>, y: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let log = logarithm(Pair::exact(magnitude), [1.0, 0.0], Some(LOG2_E));
    let high = special(magnitude, log.high);
    let is_number = magnitude.above(0.0) & magnitude.below(f64::INFINITY);
    let low = is_number.choose(log.low, x.constant(0.0));
    let exponent = Pair::product(y, high);
    let more = y.fma(low, exponent.low);
    // Where the result is 0 or infinity the low part is nothing, or not a number.
    let counts = exponent.high.abs().below(2000.0);
    let low = counts.choose(more, x.constant(0.0));
    let value = exp2(Pair {
        high: exponent.high,
        low,
    });
    let value = magnitude.equals(1.0).choose(1.0, value);
    let is_integer = y.trunc().equals(y);
    let half = 0.5 * y;
    let is_odd = is_integer & !half.trunc().equals(half);
    let value = (x.is_negative() & is_odd).choose(-value, value);
    let no_power = x.below(0.0) & !is_integer & magnitude.below(f64::INFINITY);
    let value = (no_power | x.is_nan() | y.is_nan()).choose(f64::NAN, value);
    (y.equals(0.0) | x.equals(1.0)).choose(1.0, value)
}

/// The cube root: a third of the exponent, two steps of Halley, one of Newton with an exact square.
pub(super) fn cbrt<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let is_tiny = magnitude.below(f64::MIN_POSITIVE);
    let is_large = magnitude.above(1e300);
    let factor = is_large.choose(2f64.powi(-54), x.constant(1.0));
    let factor = is_tiny.choose(2f64.powi(54), factor);
    let y = magnitude * factor;
    let third = y.bits();
    let third = third.with("arith.divui", third.constant(3));
    let mut root = (third + 0x2a9f_7893_782d_a1ce).as_bits();
    for _ in 0..2 {
        let ratio = root * root * root / y;
        root = root * ((ratio + 2.0) / (2.0 * ratio + 1.0));
    }
    let square = Pair::product(root, root);
    let rest = square.high.fma(root, -y) + square.low * root;
    let root = root - rest / (3.0 * square.high);
    let back = is_large.choose(2f64.powi(18), x.constant(1.0));
    let back = is_tiny.choose(2f64.powi(-18), back);
    let value = (root * back).copysign(x);
    let is_number = magnitude.above(0.0) & magnitude.below(f64::INFINITY);
    is_number.choose(value, x)
}
