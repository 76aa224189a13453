//! `exp` and what is made of it. The argument is `n ln 2 + r` with `|r|` up to `ln 2 / 2`; `exp(r) - 1` is its
//! Taylor series, whose rest after 13 terms is below 2^-57.

use super::constants::{LN_2, LOG2_E};
use super::pair::Pair;
use super::real::{Real, Word};

/// `1 / n!` from 13 down to 2.
const SERIES: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// `exp(r) - 1` of a small number.
fn growth<'b, 'c>(r: Pair<'b, 'c>) -> Pair<'b, 'c> {
    let square = r.high * r.high;
    let low = r.low.fma(r.high, r.low);
    let rest = square.fma(r.high.polynomial(&SERIES), low);
    Pair::ordered(r.high, rest)
}

/// `n` and `r` of `x = n ln 2 + r`.
fn reduced<'b, 'c>(x: Pair<'b, 'c>) -> (Real<'b, 'c>, Pair<'b, 'c>) {
    let n = (x.high * LOG2_E[0]).nearest();
    // Exact: both are multiples of one unit, and the difference is small.
    let high = n.fma(-LN_2[0], x.high);
    let low = n.fma(-LN_2[1], x.low);
    (n, Pair::ordered(high, low))
}

/// `value 2^n`, in two steps: `2^n` alone may be no number where the result is one.
fn times_power<'b, 'c>(value: Real<'b, 'c>, n: Word<'b, 'c>) -> Real<'b, 'c> {
    let half = n.with("arith.shrsi", n.constant(1));
    value * half.power_of_two() * (n - half).power_of_two()
}

/// `exp(x) factor 2^more` of a number whose size is below 1000.
fn power<'b, 'c>(x: Pair<'b, 'c>, factor: Option<Pair<'b, 'c>>, more: i64) -> Real<'b, 'c> {
    let (n, r) = reduced(x);
    let grown = growth(r);
    let mut value = Pair::ordered(1.0, grown.high);
    value.low = value.low + grown.low;
    let value = match factor {
        Some(factor) => value.times(factor),
        None => value,
    };
    times_power(value.rounded(), n.integer() + more)
}

/// `exp(x) factor`; `x` is not above 700 and its size below 1000.
pub(super) fn product<'b, 'c>(x: Pair<'b, 'c>, factor: Pair<'b, 'c>) -> Real<'b, 'c> {
    power(x, Some(factor), 0)
}

/// `exp(x) 2^more`.
pub(super) fn exp_scaled<'b, 'c>(x: Real<'b, 'c>, more: i64) -> Real<'b, 'c> {
    let inside = x.at_least_or_nan(-1000.0).at_most_or_nan(1000.0);
    x.is_nan().choose(x, power(Pair::exact(inside), None, more))
}

pub(super) fn exp<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    exp_scaled(x, 0)
}

/// `2^x`.
pub(super) fn exp2<'b, 'c>(x: Pair<'b, 'c>) -> Real<'b, 'c> {
    let inside = x.high.at_least_or_nan(-2000.0).at_most_or_nan(2000.0);
    let low = inside.equals(x.high).choose(x.low, x.low.constant(0.0));
    let n = inside.nearest();
    let rest = Pair::product(inside - n, LN_2[0]);
    let more = (inside - n).fma(LN_2[1], low * LN_2[0]);
    let grown = growth(Pair::sum(rest.high, rest.low + more));
    let one = Pair::ordered(1.0, grown.high);
    let value = one.high + (one.low + grown.low);
    let result = times_power(value, n.integer());
    x.high.is_nan().choose(x.high, result)
}

/// `exp(x) - 1` of a number whose size is below 100.
fn growth_of<'b, 'c>(x: Real<'b, 'c>) -> Pair<'b, 'c> {
    let (n, r) = reduced(Pair::exact(x));
    let grown = growth(r);
    let factor = n.integer().power_of_two();
    let sum = Pair::sum(factor * grown.high, factor - 1.0);
    sum.plus(factor * grown.low)
}

pub(super) fn expm1<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let inside = x.at_least_or_nan(-60.0).at_most_or_nan(60.0);
    let small = growth_of(inside).high;
    let value = x.above(60.0).choose(exp(x), small);
    // Zero keeps its sign, NaN its bits.
    (x.equals(0.0) | x.is_nan()).choose(x, value)
}

/// `t = exp(|x|) - 1`; half of `t + t / (t + 1)`.
pub(super) fn sinh<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let grown = growth_of(magnitude.at_most_or_nan(30.0));
    let mut above = Pair::sum(grown.high, 1.0);
    above.low = above.low + grown.low;
    let other = grown.over(above);
    let sum = Pair::sum(grown.high, other.high);
    let small = 0.5 * (sum.high + (sum.low + (grown.low + other.low)));
    let value = magnitude
        .above(22.0)
        .choose(exp_scaled(magnitude, -1), small);
    (x.equals(0.0) | x.is_nan()).choose(x, value.copysign(x))
}

/// Half of `e + 1 / e`.
pub(super) fn cosh<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let half = exp_scaled(x.abs(), -1);
    half + 0.25 / half
}

/// `t / (t + 2)` with `t = exp(2 |x|) - 1`.
pub(super) fn tanh<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let grown = growth_of(2.0 * x.abs().at_most_or_nan(22.0));
    let mut above = Pair::sum(grown.high, 2.0);
    above.low = above.low + grown.low;
    let value = grown.over(above).rounded();
    (x.equals(0.0) | x.is_nan()).choose(x, value.copysign(x))
}
