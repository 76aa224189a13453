//! Angles: `atan`, `atan2`, `asin`, `acos`. All are the angle of a point, `atan(y / x)` with the smaller of the
//! two above: near a multiple of about `pi/8` its tangent is taken away, and the rest, up to `pi/16`, is a
//! series.

use super::constants::{ATAN_53_128, HALF_PI, PI, QUARTER_PI};
use super::pair::Pair;
use super::real::{Flag, Real};

/// `1 / (2 n + 1)` for `n` from 13 to 1.
const SERIES: [f64; 13] = [
    1.0 / 27.0,
    1.0 / 25.0,
    1.0 / 23.0,
    1.0 / 21.0,
    1.0 / 19.0,
    1.0 / 17.0,
    1.0 / 15.0,
    1.0 / 13.0,
    1.0 / 11.0,
    1.0 / 9.0,
    1.0 / 7.0,
    1.0 / 5.0,
    1.0 / 3.0,
];

/// `atan(y / x)` for `0 <= y <= x`.
fn octant<'b, 'c>(y: Pair<'b, 'c>, x: Pair<'b, 'c>) -> Pair<'b, 'c> {
    let tangent = y.high / x.high;
    // Between the tangents of pi/16, 3 pi/16 and pi/4.
    let is_middle = tangent.above(0.198_912_367_379_658);
    let is_large = tangent.above(0.668_178_637_919_298_9);
    let zero = tangent.constant(0.0);
    let taken = is_middle.choose(53.0 / 128.0, zero);
    let taken = is_large.choose(1.0, taken);
    let angle = Pair::choose(
        is_middle,
        Pair::constant(zero, ATAN_53_128),
        Pair::exact(zero),
    );
    let angle = Pair::choose(is_large, Pair::constant(zero, QUARTER_PI), angle);
    let above = Pair {
        high: (-taken).fma(x.high, y.high),
        low: (-taken).fma(x.low, y.low),
    };
    let below = Pair {
        high: taken.fma(y.high, x.high),
        low: taken.fma(y.low, x.low),
    };
    let rest = above.over(below);
    let square = rest.high * rest.high;
    let series = (-square).polynomial(&SERIES);
    let low = (-rest.high * square).fma(series, rest.low);
    let sum = Pair::sum(angle.high, rest.high);
    sum.plus(low + angle.low)
}

/// `whole - angle`.
fn rest_of<'b, 'c>(whole: [f64; 2], angle: Pair<'b, 'c>) -> Pair<'b, 'c> {
    let difference = Pair::ordered(whole[0], -angle.high);
    difference.plus(whole[1] - angle.low)
}

/// The angle from 0 to pi of the point `(x, y)`, given without signs.
fn angle<'b, 'c>(y: Pair<'b, 'c>, x: Pair<'b, 'c>, is_left: Flag<'b, 'c>) -> Real<'b, 'c> {
    let is_steep = y.high.above(x.high);
    let small = Pair::choose(is_steep, x, y);
    let large = Pair::choose(is_steep, y, x);
    let one = x.high.constant(1.0);
    let factor = large.high.below(1e-200).choose(2f64.powi(200), one);
    let factor = large.high.above(1e300).choose(2f64.powi(-200), factor);
    let (mut small, mut large) = (small.scaled(factor), large.scaled(factor));
    // 0 / 0 and infinity / infinity have an angle here.
    let zero = one.constant(0.0);
    let is_endless = large.high.equals(f64::INFINITY);
    let is_diagonal = is_endless & y.high.equals(x.high);
    let is_flat = small.high.equals(0.0) | (is_endless & !is_diagonal);
    small.high = is_diagonal.choose(1.0, is_flat.choose(0.0, small.high));
    large.high = (is_diagonal | is_flat).choose(1.0, large.high);
    small.low = (is_diagonal | is_flat).choose(0.0, small.low);
    large.low = (is_diagonal | is_flat).choose(0.0, large.low);
    let flat = octant(small, large);
    let flat = Pair::choose(is_flat, Pair::exact(zero), flat);
    let folded = Pair::choose(is_steep, rest_of([HALF_PI[0], HALF_PI[1]], flat), flat);
    Pair::choose(is_left, rest_of(PI, folded), folded).high
}

pub(super) fn atan2<'b, 'c>(y: Real<'b, 'c>, x: Real<'b, 'c>) -> Real<'b, 'c> {
    let value = angle(Pair::exact(y.abs()), Pair::exact(x.abs()), x.is_negative());
    let value = value.copysign(y);
    (x.is_nan() | y.is_nan()).choose(f64::NAN, value)
}

pub(super) fn atan<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let one = x.constant(1.0);
    let magnitude = x.abs();
    let value = angle(Pair::exact(magnitude), Pair::exact(one), one.below(0.0));
    (magnitude.below(1e-8) | x.is_nan()).choose(x, value.copysign(x))
}

/// `sqrt(1 - x^2)`.
fn other_side<'b, 'c>(x: Real<'b, 'c>) -> Pair<'b, 'c> {
    let square = Pair::product(x, x);
    let left = Pair::ordered(1.0, -square.high);
    left.plus(-square.low).sqrt()
}

pub(super) fn asin<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let right = magnitude.below(0.0);
    let value = angle(Pair::exact(magnitude), other_side(magnitude), right);
    let value = magnitude
        .at_most(1.0)
        .choose(value.copysign(x), x.constant(f64::NAN));
    magnitude.below(1e-8).choose(x, value)
}

pub(super) fn acos<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let value = angle(other_side(magnitude), Pair::exact(magnitude), x.below(0.0));
    magnitude.at_most(1.0).choose(value, x.constant(f64::NAN))
}
