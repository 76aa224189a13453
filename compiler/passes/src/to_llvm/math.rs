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
//! | `log`, `log2` | exponent and mantissa, minimax polynomial | 1, 2 ulp |
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
use crate::dialect::{may_approximate, predicates as p};
use crate::ir::{Operation, Value, attributes, name};

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
    let fast = may_approximate(attributes);
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

/// Whether an operation evaluates a polynomial for each element, and so takes tens of instructions.
pub(super) fn is_polynomial(operation: Operation<'_>) -> bool {
    let function = name(operation).strip_prefix("math.");
    let is_short =
        function.is_none_or(|of| ["exp", "exp2", "rsqrt", "sqrt", "fma", "absf"].contains(&of));
    !is_short && !may_approximate(&attributes(operation))
}

/// `x / y` of f32, by the approximate reciprocal.
pub(super) fn fast_quotient<'c>(
    builder: &mut Builder<'c>,
    x: Value<'c>,
    y: Value<'c>,
) -> Value<'c> {
    let ty = y.r#type();
    let reciprocal = Math { builder, ty }.approximate("rcp.approx.ftz.f32", y);
    builder.binary("arith.mulf", x, reciprocal)
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

    /// Natural logarithm times `scale`: `x = 2^k (1 + f)` with `f` from -1/3 to 1/3, and a minimax polynomial for `log(1 + f)`.
    fn log(&mut self, x: Value<'c>, scale: f64) -> Value<'c> {
        // Subnormal numbers are scaled up first.
        let tiny = self.constant(f64::from(f32::MIN_POSITIVE));
        let is_tiny = self.compare(p::OLT, x, tiny);
        let scaled = self.mul(x, f64::from(1u32 << 25));
        let y = self.builder.select(is_tiny, scaled, x);
        let bits = self.bits(y);
        // The exponent, where it is in a float: k times 2^23.
        let two_thirds = self.int(i64::from((2.0_f32 / 3.0).to_bits()));
        let above = self.builder.binary("arith.subi", bits, two_thirds);
        let exponent_mask = self.int(0xff80_0000_u32 as i32 as i64);
        let exponent = self.builder.and(above, exponent_mask);
        let mantissa = self.builder.binary("arith.subi", bits, exponent);
        let [tiny_exponent, none] = [25 << 23, 0].map(|value| self.int(value));
        let scaled_by = self.builder.select(is_tiny, tiny_exponent, none);
        let exponent = self.builder.binary("arith.subi", exponent, scaled_by);
        let k = self
            .builder
            .value("arith.sitofp", &[exponent], &[], self.ty);
        let m = self
            .builder
            .value("arith.bitcast", &[mantissa], &[], self.ty);
        let minus_one = self.constant(-1.0);
        let f = self.builder.binary("arith.addf", m, minus_one);
        // Of (log(1 + f) - f + f^2 / 2) / f^3, highest first; 4.7e-9 relative to the logarithm.
        let coefficients = [
            -0.128_916_86,
            0.139_844_37,
            -0.121_842_61,
            0.140_058_7,
            -0.166_804_88,
            0.200_104_06,
            -0.249_997_97,
            0.333_332_15,
            -0.5,
        ];
        let mut sum = self.constant(coefficients[0]);
        for coefficient in &coefficients[1..] {
            let coefficient = self.constant(*coefficient);
            sum = self.fma(sum, f, coefficient);
        }
        let square = self.builder.binary("arith.mulf", f, f);
        let log_m = self.fma(sum, square, f);
        let of_place = 1.0 / f64::from(1u32 << 23);
        let result = if scale == 1.0 {
            let factor = self.constant(std::f64::consts::LN_2 * of_place);
            self.fma(k, factor, log_m)
        } else {
            let k = self.mul(k, of_place);
            let factor = self.constant(scale);
            self.fma(log_m, factor, k)
        };
        // log(0) = -inf, log(negative) = NaN, log(inf) = inf, log(NaN) = NaN: as the instruction has it, which sees no subnormal number.
        let [one, finite] =
            [1, i64::from(f32::INFINITY.to_bits()) - 1].map(|value| self.int(value));
        let own_bits = self.bits(x);
        let below = self.builder.binary("arith.subi", own_bits, one);
        let is_usual = self.builder.compare_int(p::ULT, below, finite);
        let special = self.approximate("lg2.approx.ftz.f32", y);
        self.builder.select(is_usual, result, special)
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
