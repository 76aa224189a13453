//! Functions of the `math` dialect, on scalars.
//!
//! There is no library behind PTX. f32 functions are built from the approximate instructions of the
//! special-function unit with the argument reduction that keeps them accurate; errors are in units in
//! the last place (ulp) over the whole range, infinities, NaN and subnormal results included.
//!
//! | function | method | largest error |
//! |---|---|---|
//! | `exp` | whole and rest of `x log2 e`, `ex2.approx` of the rest | 2 ulp |
//! | `exp2` | `ex2.approx` | 2 ulp |
//! | `log`, `log2` | exponent and mantissa, series in `s = f / (2 + f)` | 2 ulp |
//! | `sqrt` | `sqrt.rn` | exact |
//! | `rsqrt` | `rsqrt.approx` | 2 ulp |
//! | `sin`, `cos` | reduction by `pi/2`, with all bits of `2/pi` for large arguments; series | 2 ulp |
//! | `erf` | series below 1, else by `exp` of a polynomial for `ln erfc` | 3 ulp |
//! | `tanh` | series below 0.55, else by `exp` | 3 ulp |
//! | `asin acos atan atan2 tan sinh cosh asinh acosh atanh expm1 log1p log10 pow cbrt erfc` | in f64, rounded once | 0.51 ulp |
//! | of f64 | see `double` | 2 ulp |
//! | `fast.*` | one approximate instruction | as the PTX ISA says |
//!
//! `fast.exp` and `fast.exp2` flush subnormal numbers: with those `ex2.approx` is four instructions, and cross entropy of
//! `bf16` ran at 0.88 of the copy for 0.91.

use melior::ir::{Attribute, Type, ValueLike};

use super::threads::inline_asm;
use crate::build::Builder;
use crate::dialect::predicates as p;
use crate::ir::Value;

mod double;
mod trigonometry;

/// Functions of f32 that are computed in f64.
const IN_DOUBLE: [&str; 16] = [
    "asin", "acos", "atan", "atan2", "tan", "sinh", "cosh", "asinh", "acosh", "atanh", "expm1",
    "log1p", "log10", "powf", "cbrt", "erfc",
];

/// Coefficients of a polynomial for `ln erfc(2.5 + 1.5 u)`, `u` from -1 to 1, highest first; 1.2e-7
/// relative to `erf`.
const LOG_ERFC: [f64; 8] = [
    -0.000_227_403_412_3,
    0.000_964_304_145_7,
    -0.003_190_472_81,
    0.010_909_415_78,
    -0.036_647_494_92,
    -2.123_750_349,
    -8.029_021_022,
    -7.806_815_6,
];

/// The value of a function of the `math` dialect, `None` to leave it to upstream.
pub(super) fn expand<'c>(
    builder: &mut Builder<'c>,
    function: &str,
    inputs: &[Value<'c>],
    attributes: &[(&str, Attribute<'c>)],
    ty: Type<'c>,
) -> Option<Value<'c>> {
    match ty.to_string().as_str() {
        "f64" => return double::expand(builder, function, inputs),
        "f32" if IN_DOUBLE.contains(&function) => {
            let wide = builder.parse_type("f64");
            let inputs: Vec<_> = inputs
                .iter()
                .map(|input| builder.value("arith.extf", &[*input], &[], wide))
                .collect();
            let value = double::expand(builder, function, &inputs)?;
            return Some(builder.value("arith.truncf", &[value], &[], ty));
        }
        "f32" => {}
        _ => return None,
    }
    let fast = attributes
        .iter()
        .any(|(name, value)| *name == "fastmath" && value.to_string().contains("afn"));
    let x = *inputs.first()?;
    let mut math = Math { builder, ty };
    Some(match (function, fast) {
        ("exp", true) => {
            let scaled = math.mul(x, std::f64::consts::LOG2_E);
            math.approximate("ex2.approx.ftz.f32", scaled)
        }
        ("exp", false) => math.exp(x),
        ("exp2", true) => math.approximate("ex2.approx.ftz.f32", x),
        ("exp2", false) => math.approximate("ex2.approx.f32", x),
        ("log", true) => {
            let log2 = math.approximate("lg2.approx.f32", x);
            math.mul(log2, std::f64::consts::LN_2)
        }
        ("log2", true) => math.approximate("lg2.approx.f32", x),
        ("log", false) => math.log(x, 1.0),
        ("log2", false) => math.log(x, std::f64::consts::LOG2_E),
        ("rsqrt", _) => math.approximate("rsqrt.approx.f32", x),
        ("tanh", true) => math.approximate("tanh.approx.f32", x),
        ("tanh", false) => math.tanh(x),
        ("sin", false) => trigonometry::sine(&mut math, x, 0),
        ("cos", false) => trigonometry::sine(&mut math, x, 1),
        ("erf", _) => math.erf(x),
        ("sin", true) => math.approximate("sin.approx.f32", x),
        ("cos", true) => math.approximate("cos.approx.f32", x),
        _ => return None,
    })
}

/// `1 / x`, rounded to nearest, of an f32 that is a normal number as its reciprocal is, or a NaN: without a branch.
pub(super) fn reciprocal<'c>(builder: &mut Builder<'c>, x: Value<'c>) -> Value<'c> {
    let ty = x.r#type();
    Math { builder, ty }.reciprocal(x)
}

struct Math<'a, 'c> {
    builder: &'a mut Builder<'c>,
    ty: Type<'c>,
}

impl<'c> Math<'_, 'c> {
    fn constant(&mut self, value: f64) -> Value<'c> {
        self.builder.constant_float(value, self.ty)
    }

    fn mul(&mut self, x: Value<'c>, factor: f64) -> Value<'c> {
        let factor = self.constant(factor);
        self.builder.binary("arith.mulf", x, factor)
    }

    fn fma(&mut self, a: Value<'c>, b: Value<'c>, c: Value<'c>) -> Value<'c> {
        self.builder.value("math.fma", &[a, b, c], &[], self.ty)
    }

    fn compare(&mut self, predicate: i64, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let i1 = self.builder.int_type(1);
        let predicate = self.builder.int(predicate);
        self.builder
            .value("arith.cmpf", &[a, b], &[("predicate", predicate)], i1)
    }

    /// A multiplication and addition in one instruction that LLVM has no name for.
    fn fma_with(
        &mut self,
        instruction: &str,
        a: Value<'c>,
        b: Value<'c>,
        c: Value<'c>,
    ) -> Value<'c> {
        let text = format!("{instruction} $0, $1, $2, $3;");
        inline_asm(
            self.builder,
            &text,
            "=f,f,f,f",
            &[a, b, c],
            &[self.ty],
            false,
        )[0]
    }

    fn approximate(&mut self, instruction: &str, x: Value<'c>) -> Value<'c> {
        let text = format!("{instruction} $0, $1;");
        inline_asm(self.builder, &text, "=f,f", &[x], &[self.ty], false)[0]
    }

    fn bits(&mut self, x: Value<'c>) -> Value<'c> {
        let word = self.builder.int_type(32);
        self.builder.value("arith.bitcast", &[x], &[], word)
    }

    fn int(&mut self, value: i64) -> Value<'c> {
        super::threads::int(self.builder, value)
    }

    /// `2^n 2^f` with `x log2 e = n + f`, `n` whole. The unit for `ex2` sees `f` alone, from 0 to 1,
    /// so it needs no case of its own for small results; `n` stops at -126 and 126, and what is
    /// beyond stays in `f`, whose power then becomes 0 or infinity, or scales a subnormal result.
    fn exp(&mut self, x: Value<'c>) -> Value<'c> {
        const STEPS: f64 = 252.0;
        // From 2^23 on floats are whole numbers: rounding down to one of these rounds to a whole
        // number, and leaves it in the low bits, here with the bias of an exponent.
        const WHOLE: f64 = 12_582_913.0;
        let per_step = self.constant(std::f64::consts::LOG2_E / STEPS);
        let half = self.constant(0.5);
        let place = self.fma_with("fma.rn.sat.f32", x, per_step, half);
        let (steps, whole) = (self.constant(STEPS), self.constant(WHOLE));
        let shifted = self.fma_with("fma.rm.f32", place, steps, whole);
        let negative = self.constant(-(WHOLE + STEPS / 2.0));
        let n = self.builder.binary("arith.addf", shifted, negative);
        let n = self.builder.value("arith.negf", &[n], &[], self.ty);
        let high = f64::from(std::f64::consts::LOG2_E as f32);
        let factor = self.constant(high);
        let f = self.fma(x, factor, n);
        let rest = self.constant(std::f64::consts::LOG2_E - high);
        let f = self.fma(x, rest, f);
        let power = self.approximate("ex2.approx.ftz.f32", f);
        let bits = self.bits(shifted);
        let places = self.int(23);
        let bits = self.builder.binary("arith.shli", bits, places);
        let scale = self.builder.value("arith.bitcast", &[bits], &[], self.ty);
        self.builder.binary("arith.mulf", power, scale)
    }

    /// Natural logarithm times `scale`. `x = 2^k (1 + f)` with `1 + f` from `sqrt(1/2)` to `sqrt(2)`;
    /// `log(1 + f) = f - f²/2 + s (f²/2 + R(s²))`, `s = f / (2 + f)`, as in FreeBSD's `logf`.
    fn log(&mut self, x: Value<'c>, scale: f64) -> Value<'c> {
        // Subnormal numbers are scaled up first.
        let tiny = self.constant(f64::from(f32::MIN_POSITIVE));
        let zero = self.constant(0.0);
        let is_tiny = self.compare(p::OLT, x, tiny);
        let scaled = self.mul(x, f64::from(1u32 << 25));
        let y = self.builder.select(is_tiny, scaled, x);
        let bits = self.bits(y);
        let offset = self.int(0x3f80_0000 - 0x3f35_04f3);
        let moved = self.builder.add(bits, offset);
        let places = self.int(23);
        let exponent = self.builder.binary("arith.shrui", moved, places);
        let minus_bias = self.int(-127);
        let exponent = self.builder.add(exponent, minus_bias);
        let minus_25 = self.int(-25);
        let adjusted = self.builder.add(exponent, minus_25);
        let exponent = self.builder.select(is_tiny, adjusted, exponent);
        let k = self
            .builder
            .value("arith.sitofp", &[exponent], &[], self.ty);
        let mantissa_mask = self.int(0x007f_ffff);
        let mantissa = self.builder.and(moved, mantissa_mask);
        let base = self.int(0x3f35_04f3);
        let mantissa = self.builder.add(mantissa, base);
        let m = self
            .builder
            .value("arith.bitcast", &[mantissa], &[], self.ty);
        let minus_one = self.constant(-1.0);
        let f = self.builder.binary("arith.addf", m, minus_one);
        let two = self.constant(2.0);
        let denominator = self.builder.binary("arith.addf", f, two);
        let s = self.quotient(f, denominator);
        let z = self.builder.binary("arith.mulf", s, s);
        let w = self.builder.binary("arith.mulf", z, z);
        let polynomial = |math: &mut Self, a: f64, b: f64| {
            let (a, b) = (math.constant(a), math.constant(b));
            math.fma(w, a, b)
        };
        let even = polynomial(self, 0.242_790_788_41, 0.400_009_721_52);
        let even = self.builder.binary("arith.mulf", w, even);
        let odd = polynomial(self, 0.284_987_866_88, 0.666_666_626_93);
        let odd = self.builder.binary("arith.mulf", z, odd);
        let r = self.builder.binary("arith.addf", even, odd);
        let half = self.mul(f, 0.5);
        let half_square = self.builder.binary("arith.mulf", half, f);
        let sum = self.builder.binary("arith.addf", half_square, r);
        let correction = self.builder.binary("arith.mulf", s, sum);
        let difference = self.builder.binary("arith.subf", correction, half_square);
        let log_m = self.builder.binary("arith.addf", difference, f);
        let result = if scale == 1.0 {
            let low = self.mul(k, 9.058_000_614_5e-6);
            let sum = self.builder.binary("arith.addf", log_m, low);
            let high = self.constant(0.693_138_122_56);
            self.fma(k, high, sum)
        } else {
            let factor = self.constant(scale);
            self.fma(log_m, factor, k)
        };
        // log(0) = -inf, log(negative) = NaN, log(inf) = inf, log(NaN) = NaN.
        let minus_infinity = self.constant(f64::NEG_INFINITY);
        let is_zero = self.compare(p::OEQ, x, zero);
        let result = self.builder.select(is_zero, minus_infinity, result);
        let infinity = self.constant(f64::INFINITY);
        let is_finite = self.compare(p::OLT, x, infinity);
        let result = self.builder.select(is_finite, result, x);
        let nan = self.constant(f64::NAN);
        let is_negative = self.compare(p::OLT, x, zero);
        self.builder.select(is_negative, nan, result)
    }

    /// Below 1 the Taylor series; from there to 4, where the result becomes 1, `1 - exp(q(x))`.
    fn erf(&mut self, x: Value<'c>) -> Value<'c> {
        let magnitude = self.builder.value("math.absf", &[x], &[], self.ty);
        let square = self.builder.binary("arith.mulf", x, x);
        // (-1)^n / (n! (2 n + 1)) for n from 10 to 1.
        let coefficient = |n: i32| {
            let factorial: f64 = (1..=n).map(f64::from).product();
            (-1f64).powi(n) / (factorial * f64::from(2 * n + 1))
        };
        let scale = std::f64::consts::FRAC_2_SQRT_PI;
        let mut series = self.constant(scale * coefficient(10));
        for n in (1..10).rev() {
            let next = self.constant(scale * coefficient(n));
            series = self.fma(series, square, next);
        }
        // scale x + x^3 (…), the part of the scale that f32 drops included.
        let rounded = f64::from(scale as f32);
        let lost = self.mul(x, scale - rounded);
        let cubed = self.builder.binary("arith.mulf", square, x);
        let rest = self.fma(series, cubed, lost);
        let factor = self.constant(rounded);
        let small = self.fma(x, factor, rest);

        let four = self.constant(4.0);
        let beyond = self.compare(p::OGT, magnitude, four);
        let clamped = self.builder.select(beyond, four, magnitude);
        let middle = self.constant(-2.5);
        let moved = self.builder.binary("arith.addf", clamped, middle);
        let place = self.mul(moved, 1.0 / 1.5);
        // Chebyshev interpolation of ln erfc(2.5 + 1.5 u).
        let mut exponent = self.constant(LOG_ERFC[0]);
        for next in &LOG_ERFC[1..] {
            let next = self.constant(*next);
            exponent = self.fma(exponent, place, next);
        }
        let exp = self.exp(exponent);
        let one = self.constant(1.0);
        let large = self.builder.binary("arith.subf", one, exp);
        // NaN is not below 1: the series keeps it.
        let is_large = self.compare(p::OGE, magnitude, one);
        let value = self.builder.select(is_large, large, small);
        // That of -0 is lost in the series.
        self.builder
            .value("math.copysign", &[value, x], &[], self.ty)
    }

    /// `1 / x`, rounded to nearest, if it and `x` are normal numbers (or `x` is a NaN). `rcp.rn` of all numbers has a branch,
    /// and nothing goes on beside it.
    fn reciprocal(&mut self, x: Value<'c>) -> Value<'c> {
        let near = self.approximate("rcp.approx.ftz.f32", x);
        let minus_one = self.constant(-1.0);
        let error = self.fma(x, near, minus_one);
        let correction = self.builder.value("arith.negf", &[error], &[], self.ty);
        self.fma(near, correction, near)
    }

    /// `x / y`, rounded to nearest, for `x` that are zero or from `2^-100` to `2^100` and `y` from `2^-24` to `2^24`, by the
    /// reciprocal and two corrections (see [`divide`](super::divide)).
    fn quotient(&mut self, x: Value<'c>, y: Value<'c>) -> Value<'c> {
        let reciprocal = self.reciprocal(y);
        super::divide::quotient(self.builder, x, y, reciprocal, self.ty)
    }

    /// `1 - 2 e / (1 + e)`, `e = exp(-2 |x|)`, with the sign of x; below 0.55 a series, where that would cancel.
    fn tanh(&mut self, x: Value<'c>) -> Value<'c> {
        let magnitude = self.builder.value("math.absf", &[x], &[], self.ty);
        let doubled = self.mul(magnitude, -2.0);
        let exp = self.exp(doubled);
        let one = self.constant(1.0);
        let sum = self.builder.binary("arith.addf", exp, one);
        let reciprocal = self.reciprocal(sum);
        let part = self.builder.binary("arith.mulf", exp, reciprocal);
        let minus_two = self.constant(-2.0);
        let large = self.fma(part, minus_two, one);
        let square = self.builder.binary("arith.mulf", x, x);
        // Minimax polynomial of (tanh(x) - x) / x^3 in x^2 on [0, 0.55].
        let mut series = self.constant(-0.006_264_368_54);
        for coefficient in [
            0.021_064_138_0,
            -0.053_850_296_9,
            0.133_325_651_3,
            -0.333_333_164_5,
        ] {
            let coefficient = self.constant(coefficient);
            series = self.fma(series, square, coefficient);
        }
        let cubed = self.builder.binary("arith.mulf", square, x);
        let small = self.fma(series, cubed, x);
        let limit = self.constant(0.55);
        let is_small = self.compare(p::OLT, magnitude, limit);
        let value = self.builder.select(is_small, small, large);
        // That of -0 is lost in the series.
        self.builder
            .value("math.copysign", &[value, x], &[], self.ty)
    }
}
