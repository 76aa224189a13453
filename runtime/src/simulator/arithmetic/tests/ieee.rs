//! `f32` and `f64` in every rounding mode, against rational numbers.

use super::exact::{Ratio, round, round_where};
use super::samples::Samples;
use super::{for_each, run_one};
use crate::simulator::arithmetic::format::{F32, F64, Format};
use crate::simulator::arithmetic::rounding::Mode;

const MODES: [(&str, Mode); 4] = [
    ("rn", Mode::Nearest),
    ("rz", Mode::Zero),
    ("rm", Mode::Down),
    ("rp", Mode::Up),
];

/// The value of bits, exact in either format.
fn wide(format: &Format, bits: u64) -> f64 {
    if format.magnitude == F32.magnitude {
        f32::from_bits(bits as u32).into()
    } else {
        f64::from_bits(bits)
    }
}

/// The bits of a special value.
fn special(format: &Format, value: f64) -> u64 {
    if format.magnitude == F32.magnitude {
        (value as f32).to_bits().into()
    } else {
        value.to_bits()
    }
}

/// What an operation should give for these operands, or nothing for NaN.
fn expected(operation: &str, format: &Format, mode: Mode, operands: &[u64]) -> Option<u64> {
    let values: Vec<_> = operands.iter().map(|bits| wide(format, *bits)).collect();
    let zero = |negative| if negative { format.sign() } else { 0 };
    if values.iter().all(|value| value.is_finite()) {
        let ratio = |index: usize| Ratio::of(format, operands[index]);
        let negative = |index: usize| values[index].is_sign_negative();
        let product_sign = values.len() > 1 && negative(0) != negative(1);
        match operation {
            "add" | "sub" | "fma" => {
                let (first, first_sign, last) = match operation {
                    "fma" => (ratio(0).times(&ratio(1)), product_sign, 2),
                    _ => (ratio(0), negative(0), 1),
                };
                let (last, last_sign) = match operation {
                    "sub" => (ratio(last).negated(), !negative(last)),
                    _ => (ratio(last), negative(last)),
                };
                let sum = first.plus(&last);
                if !sum.is_zero() {
                    return Some(round(format, mode, &sum));
                }
                // Zeros of one sign keep it; else the mode says which zero it is.
                let same = first_sign == last_sign;
                return Some(zero(if same { first_sign } else { mode == Mode::Down }));
            }
            "mul" => {
                let product = ratio(0).times(&ratio(1));
                if product.is_zero() {
                    return Some(zero(product_sign));
                }
                return Some(round(format, mode, &product));
            }
            "div" if values[1] != 0.0 => {
                if values[0] == 0.0 {
                    return Some(zero(product_sign));
                }
                return Some(round(format, mode, &ratio(0).over(&ratio(1))));
            }
            "sqrt" if values[0] > 0.0 => {
                let of = ratio(0);
                let compare = |candidate: &Ratio| candidate.times(candidate).compare(&of);
                return Some(round_where(format, mode, false, compare));
            }
            _ => {}
        }
    }
    // Infinities, NaN, divisions by zero and roots of what is not positive round nowhere.
    let result = match operation {
        "add" => values[0] + values[1],
        "sub" => values[0] - values[1],
        "mul" => values[0] * values[1],
        "div" => values[0] / values[1],
        "sqrt" => values[0].sqrt(),
        _ => values[0].mul_add(values[1], values[2]),
    };
    (!result.is_nan()).then(|| special(format, result))
}

/// Checks an operation of a type in all modes.
fn check(operation: &str, operands: usize, kind: &str, format: &Format, count: usize) {
    let mut samples = Samples::new(20);
    for (word, mode) in MODES {
        let name = format!("{operation}.{word}.{kind}");
        let draw = || {
            let mut drawn = vec![samples.float(format)];
            while drawn.len() < operands {
                let last = drawn[drawn.len() - 1];
                drawn.push(match samples.below(2) {
                    0 => samples.float(format),
                    _ => samples.float_near(format, last),
                });
            }
            drawn
        };
        for_each(&name, draw, count, |bits, result| {
            match expected(operation, format, mode, bits) {
                Some(expected) => assert_eq!(result, expected, "{name} {bits:x?}"),
                None => assert!(wide(format, result).is_nan(), "{name} {bits:x?}"),
            }
        });
    }
}

#[test]
fn f32_is_rounded_once_in_every_mode() {
    for (operation, operands) in [
        ("add", 2),
        ("sub", 2),
        ("mul", 2),
        ("fma", 3),
        ("div", 2),
        ("sqrt", 1),
    ] {
        check(operation, operands, "f32", &F32, 3000);
    }
}

#[test]
fn f64_is_rounded_once_in_every_mode() {
    for (operation, operands) in [
        ("add", 2),
        ("sub", 2),
        ("mul", 2),
        ("fma", 3),
        ("div", 2),
        ("sqrt", 1),
    ] {
        check(operation, operands, "f64", &F64, 400);
    }
}

#[test]
fn fused_products_cancel_to_their_last_bit() {
    // c is the product rounded, so that the sum is what rounding lost.
    let mut samples = Samples::new(21);
    for (kind, format) in [("f32", &F32), ("f64", &F64)] {
        let draw = || {
            let [a, b] = [samples.float(format), samples.float(format)];
            let product = run_one(&format!("mul.rn.{kind}"), &[a, b]);
            vec![a, b, product ^ format.sign()]
        };
        let name = format!("fma.rn.{kind}");
        for_each(&name, draw, 640, |bits, result| {
            if let Some(expected) = expected("fma", format, Mode::Nearest, bits) {
                assert_eq!(result, expected, "{name} {bits:x?}");
            }
        });
    }
}

#[test]
fn other_names_of_the_same_arithmetic() {
    let mut samples = Samples::new(22);
    for _ in 0..200 {
        let [a, b, c] = [(); 3].map(|()| samples.float(&F32));
        let one = 1f32.to_bits().into();
        for mode in ["rn", "rz", "rm", "rp"] {
            let of =
                |name: &str, operands: &[u64]| run_one(&format!("{name}.{mode}.f32"), operands);
            assert_eq!(of("mad", &[a, b, c]), of("fma", &[a, b, c]));
            assert_eq!(of("rcp", &[a]), of("div", &[one, a]));
        }
        assert_eq!(run_one("add.f32", &[a, b]), run_one("add.rn.f32", &[a, b]));
        for (name, operands) in [
            ("add", vec![a, b]),
            ("sub", vec![a, b]),
            ("mul", vec![a, b]),
            ("fma", vec![a, b, c]),
        ] {
            let pairs: Vec<_> = operands.iter().map(|bits| c << 32 | bits).collect();
            let both = run_one(&format!("{name}.rn.f32x2"), &pairs);
            let high = vec![c; operands.len()];
            assert_eq!(
                both & 0xffff_ffff,
                run_one(&format!("{name}.rn.f32"), &operands)
            );
            assert_eq!(both >> 32, run_one(&format!("{name}.rn.f32"), &high));
        }
    }
}

#[test]
fn nan_of_f32_is_one_and_that_of_f64_keeps_its_payload() {
    let nan = 0xffa0_1234;
    for name in [
        "add.f32",
        "mul.rz.f32",
        "sub.ftz.f32",
        "div.rn.f32",
        "min.f32",
    ] {
        assert_eq!(run_one(name, &[nan, nan]), 0x7fff_ffff, "{name}");
    }
    for name in ["neg.f32", "abs.f32", "sqrt.rn.f32"] {
        assert_eq!(run_one(name, &[nan]), 0x7fff_ffff, "{name}");
    }
    let infinity = f32::INFINITY.to_bits().into();
    assert_eq!(run_one("sub.f32", &[infinity, infinity]), 0x7fff_ffff);
    assert_eq!(run_one("fma.rn.f32", &[infinity, 0, 0]), 0x7fff_ffff);
    let signalling = 0x7ff0_0000_0000_0123;
    let one = 1f64.to_bits();
    assert_eq!(
        run_one("add.f64", &[one, signalling]),
        0x7ff8_0000_0000_0123
    );
    assert_eq!(
        run_one("mul.rp.f64", &[signalling, f64::NAN.to_bits()]),
        0x7ff8_0000_0000_0123
    );
    assert_eq!(
        run_one("fma.rn.f64", &[one, one, signalling]),
        0x7ff8_0000_0000_0123
    );
    let infinity = f64::INFINITY.to_bits();
    assert_eq!(
        run_one("sub.f64", &[infinity, infinity]),
        0xfff8_0000_0000_0000
    );
}

#[test]
fn ftz_makes_zeros_of_subnormal_operands_and_results() {
    let bits = |value: f32| u64::from(value.to_bits());
    let tiny = f32::MIN_POSITIVE;
    for (name, operands, plain, flushed) in [
        ("add", vec![1, bits(tiny)], 0x0080_0001, bits(tiny)),
        (
            "sub",
            vec![bits(tiny), 0x0080_0001],
            0x8000_0001,
            0x8000_0000,
        ),
        (
            "mul",
            vec![bits(-tiny), bits(0.5)],
            0x8040_0000,
            0x8000_0000,
        ),
        (
            "mul",
            vec![0x8000_0001, bits(1e10)],
            bits(-f32::from_bits(1) * 1e10),
            0x8000_0000,
        ),
        ("fma.rn", vec![bits(tiny), bits(0.5), 0], 0x0040_0000, 0),
        ("fma.rz", vec![bits(tiny), bits(0.5), 0], 0x0040_0000, 0),
        (
            "fma.rn",
            vec![bits(1.0), 0x8000_0001, 0x8000_0000],
            0x8000_0001,
            0x8000_0000,
        ),
        ("div.rn", vec![bits(tiny), bits(2.0)], 0x0040_0000, 0),
        ("rcp.rn", vec![bits(f32::MAX)], 0x0020_0000, 0),
        ("sqrt.rn", vec![4], bits(f32::from_bits(4).sqrt()), 0),
        ("neg", vec![1], 0x8000_0001, 0x8000_0000),
        ("abs", vec![0x8000_0001], 1, 0),
        ("max", vec![1, 0x8000_0001], 1, 0),
        ("min", vec![1, 0x8000_0001], 0x8000_0001, 0x8000_0000),
    ] {
        assert_eq!(run_one(&format!("{name}.f32"), &operands), plain, "{name}");
        assert_eq!(
            run_one(&format!("{name}.ftz.f32"), &operands),
            flushed,
            "{name}.ftz"
        );
    }
}

#[test]
fn sat_clamps_to_zero_and_one() {
    let bits = |value: f32| u64::from(value.to_bits());
    for (a, b, expected) in [
        (0.25, 0.5, 0.75),
        (0.75, 0.5, 1.0),
        (-1.0, 0.5, 0.0),
        (-0.0, -0.0, 0.0),
        (f32::NAN, 1.0, 0.0),
        (f32::INFINITY, 0.0, 1.0),
        (f32::NEG_INFINITY, 0.0, 0.0),
    ] {
        for name in ["add.sat.f32", "add.rz.sat.f32", "add.ftz.sat.f32"] {
            assert_eq!(
                run_one(name, &[bits(a), bits(b)]),
                bits(expected),
                "{a} + {b}"
            );
        }
        for name in ["fma.rn.sat.f32", "mad.rp.ftz.sat.f32"] {
            let result = run_one(name, &[bits(a), bits(1.0), bits(b)]);
            assert_eq!(result, bits(expected), "{name} {a} + {b}");
        }
    }
}

#[test]
fn the_smaller_and_the_larger() {
    let nan = f64::NAN;
    // a, b, the smaller, the larger
    for (a, b, smaller, larger) in [
        (1.0, 2.0, 1.0, 2.0),
        (-0.0, 0.0, -0.0, 0.0),
        (0.0, -0.0, -0.0, 0.0),
        (nan, 1.0, 1.0, 1.0),
        (1.0, nan, 1.0, 1.0),
        (f64::NEG_INFINITY, nan, f64::NEG_INFINITY, f64::NEG_INFINITY),
        (-1.0, -2.0, -2.0, -1.0),
        (f64::INFINITY, -1.0, -1.0, f64::INFINITY),
        (5e-324, -5e-324, -5e-324, 5e-324),
    ] {
        let of = |name: &str| run_one(name, &[a, b].map(|value: f64| value.to_bits()));
        assert_eq!(of("min.f64"), smaller.to_bits(), "{a} {b}");
        assert_eq!(of("max.f64"), larger.to_bits(), "{a} {b}");
        let of = |name: &str| run_one(name, &[a, b].map(|value| (value as f32).to_bits().into()));
        assert_eq!(
            of("min.f32"),
            u64::from((smaller as f32).to_bits()),
            "{a} {b}"
        );
        assert_eq!(
            of("max.f32"),
            u64::from((larger as f32).to_bits()),
            "{a} {b}"
        );
        if a.is_nan() || b.is_nan() {
            assert_eq!(of("min.NaN.f32"), 0x7fff_ffff);
            assert_eq!(of("max.ftz.NaN.f32"), 0x7fff_ffff);
        } else {
            assert_eq!(of("min.NaN.f32"), of("min.f32"));
        }
    }
    assert_eq!(
        run_one("min.f64", &[nan.to_bits(), nan.to_bits()]),
        0xfff8_0000_0000_0000
    );
}

#[test]
fn extremes_of_magnitudes_and_of_three() {
    let bits = |value: f32| u64::from(value.to_bits());
    let of = |name: &str, operands: &[f32]| {
        let operands: Vec<_> = operands.iter().map(|value| bits(*value)).collect();
        f32::from_bits(run_one(name, &operands) as u32)
    };
    assert_eq!(of("min.xorsign.abs.f32", &[-1.0, 2.0]), -1.0);
    assert_eq!(of("max.xorsign.abs.f32", &[-1.0, 2.0]), -2.0);
    assert_eq!(of("max.xorsign.abs.f32", &[-1.0, -2.0]), 2.0);
    assert_eq!(of("max.xorsign.abs.f32", &[1.0, -2.0]), -2.0);
    assert_eq!(of("min.f32", &[3.0, -1.0, 2.0]), -1.0);
    assert_eq!(of("max.f32", &[3.0, -5.0, 2.0]), 3.0);
    assert_eq!(of("max.abs.f32", &[3.0, -5.0, 2.0]), 5.0);
    assert_eq!(of("min.f32", &[f32::NAN, f32::NAN, 2.0]), 2.0);
    assert!(of("min.NaN.f32", &[1.0, f32::NAN, 2.0]).is_nan());
}

#[test]
fn signs_are_copied_from_the_first_operand() {
    let of = |a: f32, b: f32| {
        f32::from_bits(run_one("copysign.f32", &[a.to_bits().into(), b.to_bits().into()]) as u32)
    };
    assert_eq!([of(-1.0, 2.0), of(1.0, -2.0)], [-2.0, 2.0]);
    let double = run_one("copysign.f64", &[(-0.0f64).to_bits(), 3f64.to_bits()]);
    assert_eq!(f64::from_bits(double), -3.0);
}

#[test]
fn operands_of_16_bits_in_arithmetic_of_32() {
    let mut samples = Samples::new(23);
    for _ in 0..100 {
        let [a, b] = [samples.bits() & 0x7bff, samples.bits() & 0x7bff];
        let c = samples.float(&F32);
        for (kind, [a32, b32]) in [
            (
                "f16",
                [a, b].map(|bits| half::f16::from_bits(bits as u16).to_f32()),
            ),
            (
                "bf16",
                [a, b].map(|bits| half::bf16::from_bits(bits as u16).to_f32()),
            ),
        ] {
            let [a32, b32] = [a32, b32].map(|value| u64::from(value.to_bits()));
            for mode in ["rn", "rz"] {
                let mixed = |name: &str, operands: &[u64]| {
                    run_one(&format!("{name}.{mode}.f32.{kind}"), operands)
                };
                let plain =
                    |name: &str, operands: &[u64]| run_one(&format!("{name}.{mode}.f32"), operands);
                assert_eq!(mixed("add", &[a, c]), plain("add", &[a32, c]));
                assert_eq!(mixed("sub", &[a, c]), plain("sub", &[a32, c]));
                assert_eq!(mixed("fma", &[a, b, c]), plain("fma", &[a32, b32, c]));
            }
        }
    }
}
