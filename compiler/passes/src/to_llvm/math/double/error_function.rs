//! The error function: below 1 the Taylor series of `erf`, from there `erfc(x) = exp(-x^2) g(x)` with `g` smooth
//! and known by a polynomial.

use super::exponential::product;
use super::pair::Pair;
use super::real::Real;

/// Coefficients, highest first, of a polynomial in `(x - 4) / (x + 4)` for `exp(x^2) erfc(x) (1 + 2 x)` on
/// `[0, 28]`: Chebyshev interpolation, 1.4e-17 relative.
const SCALED: [f64; 23] = [
    -1.8206098680308682e-09,
    -1.3670989863347383e-08,
    -7.71541861441783e-09,
    1.1534943745754157e-07,
    6.270727157198311e-08,
    -8.351619688696847e-07,
    3.0135049944875397e-07,
    5.7178872846321855e-06,
    -1.1224789135154701e-05,
    -2.4403169244974074e-05,
    0.000150622243948303,
    -0.00019925550755614952,
    -0.00075777334141333,
    0.005031969755895426,
    -0.016197734059115006,
    0.03716751556249286,
    -0.06633036581152939,
    0.09373283499679412,
    -0.10103906603635213,
    0.06809705425473732,
    0.01537965210262074,
    -0.1396211168405629,
    1.2329951186255526,
];

/// `2 / sqrt(pi)`, and what is left of it.
const SCALE: [f64; 2] = [std::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17];

/// `erfc` of a number that is not negative.
fn tail<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let x = x.at_most_or_nan(28.0);
    let place = (x - 4.0) / (x + 4.0);
    let (last, highest) = (SCALED[SCALED.len() - 1], &SCALED[..SCALED.len() - 1]);
    let product_of = Pair::product(place.polynomial(highest), place);
    let scaled = Pair::ordered(last, product_of.high);
    let scaled = Pair {
        high: scaled.high,
        low: scaled.low + product_of.low,
    };
    let below = Pair::sum(2.0 * x, 1.0);
    let smooth = scaled.over(below);
    let square = Pair::product(x, x);
    let exponent = Pair {
        high: -square.high,
        low: -square.low,
    };
    product(exponent, smooth)
}

/// `erf` of a number up to 1 in size.
fn series<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let mut factorial = 1.0;
    let mut coefficients: Vec<f64> = (1..=20)
        .map(|n| {
            factorial *= f64::from(n);
            let sign = if n % 2 == 1 { -1.0 } else { 1.0 };
            SCALE[0] * sign / (factorial * f64::from(2 * n + 1))
        })
        .collect();
    coefficients.reverse();
    let square = x * x;
    let rest = square.polynomial(&coefficients);
    x.fma(SCALE[0], rest.fma(square * x, x * SCALE[1]))
}

pub(super) fn erf<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let large = (1.0 - tail(magnitude)).copysign(x);
    let value = magnitude.below(1.0).choose(series(x), large);
    (x.equals(0.0) | x.is_nan()).choose(x, value)
}

pub(super) fn erfc<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let magnitude = x.abs();
    let right = tail(magnitude);
    let value = x.below(0.0).choose(2.0 - right, right);
    let value = magnitude.below(0.5).choose(1.0 - series(x), value);
    x.is_nan().choose(x, value)
}
