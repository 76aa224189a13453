//! Arithmetic of 16 bits, against numbers of as many bits as it takes.
//!
//! All finite `f16` are multiples of 2^-24 below 2^16, so that sums of products are integers of
//! 2^-48 in an `i128`. `bf16` reaches too far for that and goes by rational numbers.

use half::f16;

use super::exact::{Ratio, round};
use super::samples::Samples;
use super::{for_each, run, run_one};
use crate::simulator::arithmetic::format::{BF16, F16, Format};
use crate::simulator::arithmetic::rounding::Mode;

const INFINITY: u64 = 0x7c00;

/// A finite `f16` as a multiple of 2^-24.
fn fixed(bits: u64) -> i128 {
    let (field, fraction) = (bits >> 10 & 31, i128::from(bits & 0x3ff));
    let magnitude = match field {
        0 => fraction,
        field => (1024 + fraction) << (field - 1),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// All finite magnitudes as multiples of 2^-48, ascending with their bits, and the step after.
fn magnitudes() -> Vec<i128> {
    (0..INFINITY)
        .map(|bits| fixed(bits) << 24)
        .chain([1 << (16 + 48)])
        .collect()
}

/// The bits of the `f16` nearest to a multiple of 2^-48 that is not zero, by search.
fn nearest(magnitudes: &[i128], value: i128) -> u64 {
    let magnitude = value.abs();
    let at = magnitudes.partition_point(|candidate| *candidate <= magnitude) - 1;
    let bits = match magnitudes.get(at + 1) {
        None => at as u64,
        Some(above) => {
            let (down, up) = (magnitude - magnitudes[at], above - magnitude);
            at as u64 + u64::from(up < down || up == down && at % 2 == 1)
        }
    };
    if value < 0 { 0x8000 | bits } else { bits }
}

/// Two operands and a third, often near each other.
fn draw(samples: &mut Samples, format: &Format, operands: usize) -> Vec<u64> {
    let mut drawn = vec![samples.float(format)];
    while drawn.len() < operands {
        let last = drawn[drawn.len() - 1];
        drawn.push(if samples.below(2) == 0 {
            samples.float(format)
        } else {
            samples.float_near(format, last)
        });
    }
    drawn
}

fn is_finite(format: &Format, bits: u64) -> bool {
    bits & (format.sign() - 1) <= format.largest
}

#[test]
fn f16_sums_and_products_are_rounded_once() {
    let magnitudes = magnitudes();
    let mut samples = Samples::new(30);
    for (name, operands) in [
        ("add.rn.f16", 2),
        ("sub.f16", 2),
        ("mul.rn.f16", 2),
        ("fma.rn.f16", 3),
    ] {
        for_each(
            name,
            || draw(&mut samples, &F16, operands),
            1_000_000,
            |bits, result| {
                if !bits.iter().all(|bits| is_finite(&F16, *bits)) {
                    return;
                }
                let [a, b] = [fixed(bits[0]), fixed(bits[1])];
                let exact = match &name[..3] {
                    "add" => (a + b) << 24,
                    "sub" => (a - b) << 24,
                    "mul" => a * b,
                    _ => a * b + (fixed(bits[2]) << 24),
                };
                if exact == 0 {
                    assert_eq!(result & 0x7fff, 0, "{name} {bits:x?}");
                } else {
                    assert_eq!(result, nearest(&magnitudes, exact), "{name} {bits:x?}");
                }
            },
        );
    }
}

#[test]
fn bf16_sums_and_products_are_rounded_once() {
    let mut samples = Samples::new(31);
    for (name, operands) in [
        ("add.rn.bf16", 2),
        ("sub.bf16", 2),
        ("mul.rn.bf16", 2),
        ("fma.rn.bf16", 3),
    ] {
        for_each(
            name,
            || draw(&mut samples, &BF16, operands),
            20_000,
            |bits, result| {
                if !bits.iter().all(|bits| is_finite(&BF16, *bits)) {
                    return;
                }
                let value = |index: usize| Ratio::of(&BF16, bits[index]);
                let exact = match &name[..3] {
                    "add" => value(0).plus(&value(1)),
                    "sub" => value(0).plus(&value(1).negated()),
                    "mul" => value(0).times(&value(1)),
                    _ => value(0).times(&value(1)).plus(&value(2)),
                };
                if exact.is_zero() {
                    assert_eq!(result & 0x7fff, 0, "{name} {bits:x?}");
                } else {
                    assert_eq!(
                        result,
                        round(&BF16, Mode::Nearest, &exact),
                        "{name} {bits:x?}"
                    );
                }
            },
        );
    }
}

#[test]
fn bf16_products_below_f32_are_rounded_once() {
    // Rounded to f32 first, this product would be a tie for bf16.
    let (a, b) = (0x0081, 0x3f7f); // a little above the smallest normal number, just below 1
    let exact = Ratio::of(&BF16, a).times(&Ratio::of(&BF16, b));
    assert_eq!(
        run_one("mul.bf16", &[a, b]),
        round(&BF16, Mode::Nearest, &exact)
    );
    let mut samples = Samples::new(32);
    let tiny = |samples: &mut Samples| samples.bits() & 0x87ff;
    let small = |samples: &mut Samples| 0x3000 + samples.below(0x1000);
    let draw = || vec![tiny(&mut samples), small(&mut samples)];
    for_each("mul.bf16", draw, 20_000, |bits, result| {
        let exact = Ratio::of(&BF16, bits[0]).times(&Ratio::of(&BF16, bits[1]));
        if !exact.is_zero() {
            assert_eq!(result, round(&BF16, Mode::Nearest, &exact), "{bits:x?}");
        }
    });
}

#[test]
fn zeros_infinities_and_nan() {
    let (one, minus) = (0x3c00, 0x8000);
    for (name, operands, expected) in [
        ("add.f16", vec![0, minus], 0),
        ("add.f16", vec![minus, minus], minus),
        ("add.f16", vec![one, one | minus], 0),
        ("sub.f16", vec![minus, 0], minus),
        ("mul.f16", vec![minus, one], minus),
        ("fma.rn.f16", vec![minus, one, minus], minus),
        ("fma.rn.f16", vec![minus, one, 0], 0),
        ("add.f16", vec![INFINITY, INFINITY | minus], 0x7fff),
        ("mul.f16", vec![INFINITY, 0], 0x7fff),
        ("mul.f16", vec![INFINITY | minus, one], INFINITY | minus),
        ("fma.rn.f16", vec![INFINITY, one, INFINITY | minus], 0x7fff),
        ("fma.rn.f16", vec![one, one, INFINITY], INFINITY),
        ("add.f16", vec![0xfd01, one], 0x7fff),
        ("neg.f16", vec![0xfd01], 0x7fff),
        ("add.bf16", vec![0x7f80, 0xff80], 0x7fff),
        ("abs.bf16", vec![0xffc0], 0x7fff),
        ("fma.rn.bf16", vec![0x7f7f, 0x7f7f, 0xff80], 0xff80),
    ] {
        assert_eq!(run_one(name, &operands), expected, "{name} {operands:x?}");
    }
}

#[test]
fn pairs_are_two_numbers() {
    let mut samples = Samples::new(33);
    for kind in ["f16", "bf16"] {
        for (name, operands) in [
            ("add", 2),
            ("sub", 2),
            ("mul", 2),
            ("fma.rn", 3),
            ("neg", 1),
            ("abs", 1),
            ("min", 2),
            ("max", 2),
            ("min.NaN", 2),
            ("max.xorsign.abs", 2),
            ("fma.rn.relu", 3),
        ] {
            for _ in 0..30 {
                let low: Vec<_> = (0..operands)
                    .map(|_| [(); 32].map(|()| samples.bits() & 0xffff))
                    .collect();
                let high: Vec<_> = (0..operands)
                    .map(|_| [(); 32].map(|()| samples.bits() & 0xffff))
                    .collect();
                let pairs: Vec<[u64; 32]> = low
                    .iter()
                    .zip(&high)
                    .map(|(low, high)| std::array::from_fn(|lane| high[lane] << 16 | low[lane]))
                    .collect();
                let both = run(&format!("{name}.{kind}x2"), &pairs);
                let low = run(&format!("{name}.{kind}"), &low);
                let high = run(&format!("{name}.{kind}"), &high);
                for lane in 0..32 {
                    assert_eq!(both[lane], high[lane] << 16 | low[lane], "{name}.{kind}x2");
                }
            }
        }
    }
}

#[test]
fn every_f16_is_negated_and_compared_with_zero() {
    for start in (0..0x1_0000u64).step_by(32) {
        let values: [u64; 32] = std::array::from_fn(|lane| start + lane as u64);
        let zero = [0u64; 32];
        let results = ["neg.f16", "abs.f16"].map(|name| run(name, &[values]));
        let extremes = ["min.f16", "max.f16", "min.NaN.f16"].map(|name| run(name, &[values, zero]));
        for (lane, bits) in values.into_iter().enumerate() {
            let value = f16::from_bits(bits as u16);
            let [neg, abs] = results.map(|lanes| lanes[lane]);
            let [min, max, min_nan] = extremes.map(|lanes| lanes[lane]);
            if value.is_nan() {
                assert_eq!(
                    [neg, abs, min, max, min_nan],
                    [0x7fff, 0x7fff, 0, 0, 0x7fff]
                );
            } else {
                let negative = bits & 0x8000 != 0;
                assert_eq!([neg, abs], [bits ^ 0x8000, bits & 0x7fff]);
                assert_eq!(min, if negative { bits } else { 0 });
                assert_eq!(max, if negative { 0 } else { bits });
                assert_eq!(min_nan, min);
            }
        }
    }
}

#[test]
fn modifiers() {
    let bits = |value: f32| u64::from(f16::from_f32(value).to_bits());
    for (name, operands, expected) in [
        ("add.sat.f16", vec![bits(0.75), bits(0.5)], bits(1.0)),
        ("add.sat.f16", vec![bits(-0.75), bits(0.5)], 0),
        ("add.sat.f16", vec![0x7e00, bits(0.5)], 0),
        ("mul.ftz.f16", vec![0x0400, bits(0.5)], 0),
        ("mul.f16", vec![0x0400, bits(0.5)], 0x0200),
        ("add.ftz.f16", vec![0x8001, 0x8000], 0x8000),
        ("fma.rn.relu.f16", vec![bits(1.0), bits(-1.0), bits(0.5)], 0),
        (
            "fma.rn.relu.f16",
            vec![bits(1.0), bits(1.0), bits(0.5)],
            bits(1.5),
        ),
        (
            "fma.rn.relu.f16",
            vec![0x7e00, bits(1.0), bits(0.5)],
            0x7fff,
        ),
        ("fma.rn.ftz.f16", vec![0x0001, bits(1.0), 0], 0),
        ("neg.ftz.f16", vec![0x0001], 0x8000),
        ("min.ftz.f16", vec![0x0001, 0x0002], 0),
        (
            "min.xorsign.abs.f16",
            vec![bits(-1.0), bits(2.0)],
            bits(-1.0),
        ),
        ("max.NaN.bf16", vec![0x7fc0, 0x3f80], 0x7fff),
    ] {
        assert_eq!(run_one(name, &operands), expected, "{name} {operands:x?}");
    }
}
