//! Approximations: their special values, and how far off they are.

use super::samples::Samples;
use super::{for_each, run_one};
use crate::simulator::arithmetic::format::F32;

fn bits(value: f32) -> u64 {
    value.to_bits().into()
}

/// Checks an instruction against a function: the error, relative and in absolute terms (the
/// larger is allowed), for operands in a range.
fn check(name: &str, of: fn(f64) -> f64, range: (f32, f32), relative: f64, absolute: f64) {
    let mut samples = Samples::new(40);
    let draw = || {
        let uniform = (samples.bits() >> 40) as f32 / (1 << 24) as f32;
        let bits = match samples.below(2) {
            0 => range.0 + uniform * (range.1 - range.0),
            _ => f32::from_bits(samples.float(&F32) as u32),
        };
        vec![u64::from(bits.to_bits())]
    };
    for_each(name, draw, 50_000, |operands, result| {
        let operand = f32::from_bits(operands[0] as u32);
        if !(range.0..=range.1).contains(&operand) {
            return;
        }
        let expected = of(operand.into());
        let result = f64::from(f32::from_bits(result as u32));
        // Half a unit of subnormal numbers is always allowed.
        let limit = (expected.abs() * relative)
            .max(absolute)
            .max(2f64.powi(-150));
        let error = (result - expected).abs();
        assert!(
            error <= limit,
            "{name} {operand:e}: {result:e}, not {expected:e}"
        );
    });
}

#[test]
fn errors_are_below_what_ptx_allows() {
    // Half a unit in the last place, and a little for the computation: better than all bounds
    // (2^-22 of `ex2`, 2^-20.5 of `sin`, 2^-11 of `tanh`).
    let half_unit = 2f64.powi(-24) * 1.001;
    check(
        "ex2.approx.f32",
        f64::exp2,
        (-150.0, 127.99),
        half_unit,
        0.0,
    );
    check(
        "lg2.approx.f32",
        f64::log2,
        (1e-45, f32::MAX),
        half_unit,
        0.0,
    );
    check("sin.approx.f32", f64::sin, (-100.0, 100.0), half_unit, 0.0);
    check("cos.approx.f32", f64::cos, (-100.0, 100.0), half_unit, 0.0);
    check("tanh.approx.f32", f64::tanh, (-20.0, 20.0), half_unit, 0.0);
    check(
        "rsqrt.approx.f32",
        |x| 1.0 / x.sqrt(),
        (1e-45, f32::MAX),
        half_unit,
        0.0,
    );
    check(
        "sqrt.approx.f32",
        f64::sqrt,
        (0.0, f32::MAX),
        half_unit,
        0.0,
    );
    check(
        "rcp.approx.f32",
        |x| 1.0 / x,
        (1e-38, f32::MAX),
        half_unit,
        0.0,
    );
}

#[test]
fn special_values() {
    const INFINITY: f32 = f32::INFINITY;
    let tiny = f32::from_bits(1);
    let nan = f32::NAN;
    for (name, operand, expected) in [
        ("ex2.approx.f32", -INFINITY, 0.0),
        ("ex2.approx.f32", INFINITY, INFINITY),
        ("ex2.approx.f32", -0.0, 1.0),
        ("ex2.approx.f32", 128.0, INFINITY),
        ("ex2.approx.f32", -149.0, tiny),
        ("ex2.approx.ftz.f32", -149.0, 0.0),
        ("ex2.approx.f32", -1e30, 0.0),
        ("ex2.approx.f32", 10.0, 1024.0),
        ("lg2.approx.f32", -INFINITY, nan),
        ("lg2.approx.f32", -1.0, nan),
        ("lg2.approx.f32", -tiny, nan),
        ("lg2.approx.ftz.f32", -tiny, -INFINITY),
        ("lg2.approx.f32", 0.0, -INFINITY),
        ("lg2.approx.f32", -0.0, -INFINITY),
        ("lg2.approx.f32", INFINITY, INFINITY),
        ("lg2.approx.f32", 1.0, 0.0),
        ("lg2.approx.f32", tiny, -149.0),
        ("sin.approx.f32", INFINITY, nan),
        ("sin.approx.f32", -0.0, -0.0),
        ("cos.approx.f32", -INFINITY, nan),
        ("cos.approx.f32", 0.0, 1.0),
        ("tanh.approx.f32", INFINITY, 1.0),
        ("tanh.approx.f32", -INFINITY, -1.0),
        ("tanh.approx.f32", -0.0, -0.0),
        ("tanh.approx.f32", -tiny, -tiny),
        ("rsqrt.approx.f32", -0.0, -INFINITY),
        ("rsqrt.approx.f32", INFINITY, 0.0),
        ("rsqrt.approx.f32", -1.0, nan),
        ("rsqrt.approx.ftz.f32", tiny, INFINITY),
        ("rcp.approx.f32", -0.0, -INFINITY),
        ("rcp.approx.f32", -INFINITY, -0.0),
        ("rcp.approx.ftz.f32", -tiny, -INFINITY),
        ("rcp.approx.ftz.f32", f32::MAX, 0.0),
        ("sqrt.approx.f32", -0.0, -0.0),
        ("sqrt.approx.f32", -1.0, nan),
        ("sqrt.approx.f32", INFINITY, INFINITY),
        ("tanh.approx.f32", nan, nan),
        ("ex2.approx.f32", nan, nan),
        ("lg2.approx.f32", nan, nan),
        ("cos.approx.f32", nan, nan),
    ] {
        let expected = if expected.is_nan() {
            0x7fff_ffff
        } else {
            bits(expected)
        };
        assert_eq!(
            run_one(name, &[bits(operand)]),
            expected,
            "{name} {operand:e}"
        );
    }
}

#[test]
fn approximate_division() {
    let of = |name: &str, a: f32, b: f32| f32::from_bits(run_one(name, &[bits(a), bits(b)]) as u32);
    let large = 2f32.powi(127);
    assert_eq!(of("div.full.f32", 1.0, 3.0), 1.0 / 3.0);
    assert_eq!(of("div.full.f32", large, large), 1.0);
    assert_eq!(of("div.approx.f32", 1.0, 3.0), 1.0 / 3.0);
    // Between 2^126 and 2^128 a divisor has no reciprocal.
    assert_eq!(of("div.approx.f32", large, large), 0.0);
    assert_eq!(bits(of("div.approx.f32", 1.0, -large)), bits(-0.0));
    assert!(of("div.approx.f32", f32::INFINITY, large).is_nan());
    assert_eq!(of("div.approx.f32", 6.0, f32::INFINITY), 0.0);
    assert_eq!(of("div.approx.f32", 6.0, large / 2.0), 6.0 / (large / 2.0));
    assert_eq!(of("div.approx.ftz.f32", f32::from_bits(1), 1e-10), 0.0);
}

#[test]
fn halves_of_a_double() {
    let of = |name: &str, value: f64| f64::from_bits(run_one(name, &[value.to_bits()]));
    let close = |result: f64, expected: f64| {
        assert_eq!(result.to_bits() as u32, 0, "the low half is zero");
        assert!(
            (result / expected - 1.0).abs() < 2f64.powi(-19),
            "{result} {expected}"
        );
    };
    close(of("rcp.approx.ftz.f64", 3.0), 1.0 / 3.0);
    close(of("rcp.approx.ftz.f64", -1e300), -1e-300);
    close(of("rsqrt.approx.ftz.f64", 2.0), 0.5f64.sqrt());
    assert_eq!(of("rcp.approx.ftz.f64", 1e-310), f64::INFINITY);
    assert_eq!(
        run_one("rcp.approx.ftz.f64", &[f64::NAN.to_bits()]),
        0x7fff_ffff_0000_0000
    );
    assert_eq!(
        run_one("rsqrt.approx.ftz.f64", &[(-1f64).to_bits()]),
        0x7fff_ffff_0000_0000
    );
    assert_eq!(of("rsqrt.approx.f64", 4.0), 0.5);
    assert_eq!(of("rsqrt.approx.f64", -0.0), f64::NEG_INFINITY);
}

#[test]
fn approximations_of_16_bits() {
    let half = |value: f32| u64::from(half::f16::from_f32(value).to_bits());
    let brain = |value: f32| u64::from(half::bf16::from_f32(value).to_bits());
    assert_eq!(run_one("ex2.approx.f16", &[half(-3.0)]), half(0.125));
    assert_eq!(
        run_one("ex2.approx.f16", &[half(-20.0)]),
        half(2f32.powi(-20))
    );
    assert_eq!(run_one("ex2.approx.f16", &[0x7e00]), 0x7fff);
    let pair = run_one("ex2.approx.f16x2", &[half(4.0) << 16 | half(1.0)]);
    assert_eq!(pair, half(16.0) << 16 | half(2.0));
    assert_eq!(run_one("ex2.approx.ftz.bf16", &[brain(5.0)]), brain(32.0));
    assert_eq!(run_one("ex2.approx.ftz.bf16", &[brain(-128.0)]), 0);
    assert_eq!(
        run_one("tanh.approx.f16", &[half(0.5)]),
        half(0.5f32.tanh())
    );
    assert_eq!(run_one("tanh.approx.bf16", &[brain(-9.0)]), brain(-1.0));
}
