//! The inverse hyperbolic functions: logarithms of `1 + t`, where `t` is a pair. Beyond `2^30` the 1 below
//! the root is nothing, and they are `ln(2 x)`.

use super::logarithm::{log_of_one_and, log_of_twice};
use super::pair::Pair;
use super::real::Real;

/// Above it `sqrt(x^2 + 1)` is `x`.
const FAR: f64 = (1_u64 << 30) as f64;
/// Below it the functions of small numbers are the number itself.
const NEAR: f64 = 1.0 / FAR;

fn sum<'b, 'c>(a: Pair<'b, 'c>, b: Pair<'b, 'c>) -> Pair<'b, 'c> {
    Pair::sum(a.high, b.high).plus(a.low + b.low)
}

/// `ln(1 + t)` with `t = |x| + x^2 / (1 + sqrt(x^2 + 1))`.
pub(super) fn asinh<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let inside = magnitude.at_most_or_nan(FAR);
    let square = Pair::product(inside, inside);
    let one = Pair::exact(x.constant(1.0));
    let more = square.over(sum(one, sum(square, one).sqrt()));
    let near = log_of_one_and(sum(Pair::exact(inside), more));
    let value = magnitude.above(FAR).choose(log_of_twice(magnitude), near);
    (magnitude.below(NEAR) | x.is_nan()).choose(x, value.copysign(x))
}

/// `ln(1 + t)` with `t = (x - 1) + sqrt((x - 1) (x + 1))`; NaN below 1.
pub(super) fn acosh<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let inside = x.at_most_or_nan(FAR);
    let (less, more) = (Pair::sum(inside, -1.0), Pair::sum(inside, 1.0));
    let near = log_of_one_and(sum(less, less.times(more).sqrt()));
    let value = x.above(FAR).choose(log_of_twice(x), near);
    x.below(1.0).choose(f64::NAN, value)
}

/// Half of `ln(1 + t)` with `t = 2 |x| / (1 - |x|)`; infinity at 1, NaN beyond.
pub(super) fn atanh<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let quotient = Pair::exact(2.0 * magnitude).over(Pair::sum(-magnitude, 1.0));
    let value = 0.5 * log_of_one_and(Pair::ordered(quotient.high, quotient.low));
    let value = magnitude.equals(1.0).choose(f64::INFINITY, value);
    (magnitude.below(NEAR) | x.is_nan()).choose(x, value.copysign(x))
}
