//! Conversions, against numbers of any size.

use half::{bf16, f16};

use super::exact::{Ratio, round};
use super::samples::Samples;
use super::{for_each, run, run_one};
use crate::simulator::arithmetic::format::{
    BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, F32, F64, Format, TF32,
};
use crate::simulator::arithmetic::rounding::Mode;

const MODES: [(&str, Mode); 4] = [
    ("rn", Mode::Nearest),
    ("rz", Mode::Zero),
    ("rm", Mode::Down),
    ("rp", Mode::Up),
];
const FLOATS: [(&str, &Format); 4] = [("f16", &F16), ("bf16", &BF16), ("f32", &F32), ("f64", &F64)];
const INTEGERS: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];

/// The number that these bits are.
fn number(bits: u64, kind: &str) -> i128 {
    let width: u32 = kind[1..].parse().expect("a width");
    let value = i128::from(bits);
    let negative = kind.starts_with('s') && bits >> (width - 1) & 1 == 1;
    if negative {
        value - (1 << width)
    } else {
        value
    }
}

fn width(kind: &str) -> u32 {
    kind[1..].parse().expect("a width")
}

/// The smallest and the largest integer of a type.
fn range(kind: &str) -> (i128, i128) {
    let bits = width(kind);
    if kind.starts_with('s') {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

fn is_finite(format: &Format, bits: u64) -> bool {
    bits % format.sign() <= format.largest
}

fn is_zero(format: &Format, bits: u64) -> bool {
    bits.is_multiple_of(format.sign())
}

#[test]
fn integers_wrap_extend_or_saturate() {
    let mut samples = Samples::new(50);
    for to in INTEGERS {
        for from in INTEGERS {
            let draw = || vec![samples.integer(width(from))];
            for_each(&format!("cvt.{to}.{from}"), draw, 400, |bits, result| {
                let expected = number(bits[0], from).rem_euclid(1 << width(to)) as u64;
                assert_eq!(result, expected, "cvt.{to}.{from} {bits:x?}");
            });
            let ((low, high), (least, most)) = (range(to), range(from));
            if least >= low && most <= high {
                continue; // there is nothing to saturate
            }
            let draw = || vec![samples.integer(width(from))];
            for_each(
                &format!("cvt.sat.{to}.{from}"),
                draw,
                400,
                |bits, result| {
                    let expected = number(bits[0], from).clamp(low, high);
                    assert_eq!(
                        result,
                        expected.rem_euclid(1 << width(to)) as u64,
                        "{bits:x?}"
                    );
                },
            );
        }
    }
}

#[test]
fn a_source_in_a_wider_register_is_cut() {
    assert_eq!(run_one("cvt.u32.u16", &[0x1234_5678]), 0x5678);
    assert_eq!(run_one("cvt.s32.s8", &[0x1234_5681]), 0xffff_ff81);
    assert_eq!(
        run_one("cvt.f32.f16", &[0xffff_3c00]),
        u64::from(1f32.to_bits())
    );
}

#[test]
fn floats_become_integers() {
    // The integer around a number: below it, and whether it is that, above it, or between.
    let round_to = |word: &str, value: f64| match word {
        "rni" => {
            let below = value.floor();
            let rest = value - below;
            let up = rest > 0.5 || rest == 0.5 && below % 2.0 != 0.0;
            below + f64::from(u8::from(up))
        }
        "rzi" => value.trunc(),
        "rmi" => value.floor(),
        _ => value.ceil(),
    };
    let mut samples = Samples::new(51);
    for (from, format) in FLOATS {
        for to in INTEGERS {
            for word in ["rni", "rzi", "rmi", "rpi"] {
                let draw = || vec![samples.float(format)];
                for_each(
                    &format!("cvt.{word}.{to}.{from}"),
                    draw,
                    2000,
                    |bits, result| {
                        let value = match from {
                            "f16" => f16::from_bits(bits[0] as u16).to_f64(),
                            "bf16" => bf16::from_bits(bits[0] as u16).to_f64(),
                            "f32" => f32::from_bits(bits[0] as u32).into(),
                            _ => f64::from_bits(bits[0]),
                        };
                        let (low, high) = range(to);
                        let expected = if value.is_nan() {
                            // 0, or the highest bit where 64 bits take part.
                            let wide = from == "f64" || width(to) == 64;
                            if wide { 1 << (width(to) - 1) } else { 0 }
                        } else {
                            // An i128 holds all numbers up to the limits of the types.
                            (round_to(word, value) as i128).clamp(low, high)
                        };
                        let expected = expected.rem_euclid(1 << width(to)) as u64;
                        assert_eq!(result, expected, "cvt.{word}.{to}.{from} {value:e}");
                    },
                );
            }
        }
    }
    assert_eq!(run_one("cvt.rpi.ftz.s32.f32", &[1]), 0);
    assert_eq!(run_one("cvt.rpi.s32.f32", &[1]), 1);
}

#[test]
fn integers_become_floats() {
    let mut samples = Samples::new(52);
    for (to, format) in FLOATS {
        for from in INTEGERS {
            for (word, mode) in MODES {
                let draw = || vec![samples.integer(width(from))];
                let name = format!("cvt.{word}.{to}.{from}");
                for_each(&name, draw, 320, |bits, result| {
                    let value = number(bits[0], from);
                    let expected = match value {
                        0 => 0,
                        value => round(format, mode, &Ratio::integer(value)),
                    };
                    assert_eq!(result, expected, "{name} {value}");
                });
            }
        }
    }
    assert_eq!(
        run_one("cvt.rn.sat.f32.s32", &[7]),
        u64::from(1f32.to_bits())
    );
    assert_eq!(run_one("cvt.rn.sat.f16.s32", &[u64::from(u32::MAX)]), 0);
}

#[test]
fn floats_become_narrower_in_every_mode() {
    let mut samples = Samples::new(53);
    for (to, format) in FLOATS {
        for (from, source) in FLOATS {
            // `bf16` and `f16` have numbers that the other has not.
            let narrower = source.magnitude > format.magnitude
                || (source.magnitude == 15 && format.magnitude == 15 && to != from);
            if !narrower {
                continue;
            }
            for (word, mode) in MODES {
                let name = format!("cvt.{word}.{to}.{from}");
                for_each(
                    &name,
                    || vec![samples.float(source)],
                    3000,
                    |bits, result| {
                        if !is_finite(source, bits[0]) {
                            let infinite = bits[0] % source.sign() == source.largest + 1;
                            let expected = if infinite {
                                format.largest + 1
                            } else {
                                format.nan
                            };
                            assert_eq!(result % format.sign(), expected % format.sign(), "{name}");
                            return;
                        }
                        let expected = if is_zero(source, bits[0]) {
                            if bits[0] == 0 { 0 } else { format.sign() }
                        } else {
                            round(format, mode, &Ratio::of(source, bits[0]))
                        };
                        assert_eq!(result, expected, "{name} {bits:x?}");
                    },
                );
            }
        }
    }
}

#[test]
fn every_float_of_16_bits_becomes_wider_and_comes_back() {
    for start in (0..0x1_0000u64).step_by(32) {
        let values: [u64; 32] = std::array::from_fn(|lane| start + lane as u64);
        let single = run("cvt.f32.f16", &[values]);
        let double = run("cvt.f64.f16", &[values]);
        let back = run("cvt.rn.f16.f32", &[single]);
        let back64 = run("cvt.rn.f16.f64", &[double]);
        let brain = run("cvt.f32.bf16", &[values]);
        let brain_back = run("cvt.rn.bf16.f32", &[brain]);
        for lane in 0..32 {
            let value = f16::from_bits(values[lane] as u16);
            assert_eq!(
                brain[lane],
                values[lane] << 16,
                "bits of bf16 are those of f32"
            );
            if value.is_nan() {
                assert_eq!((single[lane], back[lane]), (0x7fff_ffff, 0x7fff));
            } else {
                assert_eq!(single[lane], u64::from(value.to_f32().to_bits()));
                assert_eq!(double[lane], value.to_f64().to_bits());
                assert_eq!((back[lane], back64[lane]), (values[lane], values[lane]));
            }
            let nan = bf16::from_bits(values[lane] as u16).is_nan();
            assert_eq!(brain_back[lane], if nan { 0x7fff } else { values[lane] });
        }
    }
}

#[test]
fn f32_between_two_f16_goes_to_the_nearer() {
    // Every pair of neighbours: the middle, and the numbers on both sides of it.
    for bits in (0..0x7bffu64).step_by(8) {
        let starts: [u64; 8] = std::array::from_fn(|index| (bits + index as u64).min(0x7bfe));
        let value = |bits: u64| f16::from_bits(bits as u16).to_f32();
        let mut sources = [0; 32];
        let mut expected = [0; 32];
        for (index, low) in starts.into_iter().enumerate() {
            let middle = value(low) + (value(low + 1) - value(low)) / 2.0;
            let even = low + low % 2;
            let cases = [
                (middle, even),
                (middle.next_down(), low),
                (middle.next_up(), low + 1),
                (-middle, 0x8000 | even),
            ];
            for (place, (source, result)) in cases.into_iter().enumerate() {
                sources[4 * index + place] = source.to_bits().into();
                expected[4 * index + place] = result;
            }
        }
        assert_eq!(run("cvt.rn.f16.f32", &[sources]), expected);
    }
    let of = |value: f32| run_one("cvt.rn.f16.f32", &[value.to_bits().into()]);
    assert_eq!(
        [of(65519.996), of(65520.0), of(1e30)],
        [0x7bff, 0x7c00, 0x7c00]
    );
}

#[test]
fn integral_numbers_of_the_same_type() {
    let mut samples = Samples::new(54);
    for (word, of) in [
        ("rni", f64::round_ties_even as fn(f64) -> f64),
        ("rzi", f64::trunc),
        ("rmi", f64::floor),
        ("rpi", f64::ceil),
    ] {
        for_each(
            &format!("cvt.{word}.f64.f64"),
            || vec![samples.float(&F64)],
            4000,
            |bits, result| {
                let value = f64::from_bits(bits[0]);
                if !value.is_nan() {
                    assert_eq!(result, of(value).to_bits(), "{word} {value:e}");
                }
            },
        );
        for_each(
            &format!("cvt.{word}.f32.f32"),
            || vec![samples.float(&F32)],
            4000,
            |bits, result| {
                let value = f32::from_bits(bits[0] as u32);
                let expected = if value.is_nan() {
                    f32::from_bits(0x7fff_ffff)
                } else {
                    of(value.into()) as f32
                };
                assert_eq!(result, u64::from(expected.to_bits()), "{word} {value:e}");
            },
        );
        for_each(
            &format!("cvt.{word}.f16.f16"),
            || vec![samples.bits() & 0xffff],
            4000,
            |bits, result| {
                let value = f16::from_bits(bits[0] as u16);
                let expected = if value.is_nan() {
                    0x7fff
                } else {
                    f16::from_f64(of(value.to_f64())).to_bits()
                };
                assert_eq!(result, u64::from(expected), "{word} {value}");
            },
        );
        for_each(
            &format!("cvt.{word}.bf16.bf16"),
            || vec![samples.bits() & 0xffff],
            4000,
            |bits, result| {
                let value = bf16::from_bits(bits[0] as u16);
                let expected = if value.is_nan() {
                    0x7fff
                } else {
                    bf16::from_f64(of(value.to_f64())).to_bits()
                };
                assert_eq!(result, u64::from(expected), "{word} {value}");
            },
        );
    }
    // Halves go to the even neighbour, and a zero keeps the sign of what it was.
    let of = |word: &str, value: f32| {
        f32::from_bits(run_one(&format!("cvt.{word}.f32.f32"), &[value.to_bits().into()]) as u32)
    };
    assert_eq!(
        [of("rni", 0.5), of("rni", 1.5), of("rni", 2.5)],
        [0.0, 2.0, 2.0]
    );
    assert!(of("rni", -0.5).is_sign_negative() && of("rpi", -0.5).is_sign_negative());
    assert_eq!(of("rmi", -0.5), -1.0);
}

#[test]
fn modifiers_of_floats() {
    let bits = |value: f32| u64::from(value.to_bits());
    for (name, operand, expected) in [
        ("cvt.sat.f32.f32", bits(2.0), bits(1.0)),
        ("cvt.sat.f32.f32", bits(-0.0), 0),
        ("cvt.sat.f32.f32", bits(f32::NAN), 0),
        ("cvt.ftz.f32.f32", 0x8000_0001, 0x8000_0000),
        ("cvt.rni.ftz.f32.f32", bits(1.5), bits(2.0)),
        (
            "cvt.rn.ftz.f32.f64",
            f64::from(f32::from_bits(1)).to_bits(),
            0,
        ),
        ("cvt.rn.f32.f64", f64::from(f32::from_bits(1)).to_bits(), 1),
        ("cvt.rp.f16.f32", 1, 1),
        ("cvt.rp.ftz.f16.f32", 1, 0),
        ("cvt.ftz.f64.f32", 0x8000_0001, (-0f64).to_bits()),
        ("cvt.rn.sat.f16.f32", bits(-3.0), 0),
        ("cvt.rn.relu.f16.f32", bits(-3.0), 0),
        ("cvt.rn.relu.f16.f32", bits(3.0), 0x4200),
        ("cvt.rn.relu.bf16.f32", bits(f32::NAN), 0x7fff),
        ("cvt.rn.satfinite.f16.f32", bits(1e30), 0x7bff),
        ("cvt.rn.satfinite.f16.f32", bits(f32::NEG_INFINITY), 0xfbff),
        ("cvt.rn.satfinite.bf16.f32", bits(f32::INFINITY), 0x7f7f),
        ("cvt.rn.satfinite.bf16.f32", bits(f32::NAN), 0x7fff),
        ("cvt.rz.relu.satfinite.f16.f32", bits(f32::NEG_INFINITY), 0),
        ("cvt.f64.f32", bits(f32::INFINITY), f64::INFINITY.to_bits()),
        ("cvt.rn.f32.f64", f64::NAN.to_bits(), 0x7fff_ffff),
        ("cvt.f64.f64", 0x7ff4_0000_0000_0001, 0x7ff4_0000_0000_0001),
        (
            "cvt.rni.f64.f64",
            0x7ff4_0000_0000_0001,
            0x7ffc_0000_0000_0001,
        ),
    ] {
        assert_eq!(run_one(name, &[operand]), expected, "{name} {operand:x}");
    }
}

#[test]
fn tf32_has_ten_bits_of_fraction() {
    let mut samples = Samples::new(55);
    for (word, mode) in [
        ("rna", Mode::NearestAway),
        ("rn", Mode::Nearest),
        ("rz", Mode::Zero),
    ] {
        let name = format!("cvt.{word}.tf32.f32");
        for_each(
            &name,
            || vec![samples.float(&F32)],
            3000,
            |bits, result| {
                if is_finite(&F32, bits[0]) && !is_zero(&F32, bits[0]) {
                    let expected = round(&TF32, mode, &Ratio::of(&F32, bits[0])) << 13;
                    assert_eq!(result, expected, "{name} {bits:x?}");
                }
            },
        );
    }
    let of = |name: &str, bits: u32| run_one(name, &[bits.into()]) as u32;
    assert_eq!(of("cvt.rna.tf32.f32", 0x3f80_1000), 0x3f80_2000); // a tie goes away from zero
    assert_eq!(of("cvt.rn.tf32.f32", 0x3f80_1000), 0x3f80_0000);
    assert_eq!(of("cvt.rna.tf32.f32", 0x7f7f_ffff), 0x7f80_0000);
    assert_eq!(of("cvt.rna.satfinite.tf32.f32", 0x7f7f_ffff), 0x7f7f_e000);
    assert_eq!(of("cvt.rn.satfinite.tf32.f32", 0xff80_0000), 0xff7f_e000);
    assert_eq!(of("cvt.rn.satfinite.relu.tf32.f32", 0xbf80_0000), 0);
    assert!(f32::from_bits(of("cvt.rn.tf32.f32", 0x7fc0_0000)).is_nan());
}

const NARROW: [(&str, &Format, u32); 5] = [
    ("e4m3x2", &E4M3, 8),
    ("e5m2x2", &E5M2, 8),
    ("e3m2x2", &E3M2, 8),
    ("e2m3x2", &E2M3, 8),
    ("e2m1x2", &E2M1, 4),
];

#[test]
fn f32_become_floats_of_few_bits() {
    let mut samples = Samples::new(56);
    for (kind, format, bits_of_one) in NARROW {
        let expected = |bits: u64, relu: bool| {
            let negative = bits >> 31 == 1;
            let sign = if negative { format.sign() } else { 0 };
            if bits % F32.sign() > F32.largest + 1 {
                format.nan
            } else if negative && relu {
                0
            } else if !is_finite(&F32, bits) {
                sign | format.largest
            } else if is_zero(&F32, bits) {
                sign
            } else {
                let rounded = round(format, Mode::Nearest, &Ratio::of(&F32, bits));
                sign | (rounded % format.sign()).min(format.largest)
            }
        };
        for relu in [false, true] {
            let name = format!(
                "cvt.rn.satfinite{}.{kind}.f32",
                if relu { ".relu" } else { "" }
            );
            let draw = || {
                // Mostly of the size that the format has.
                let moderate = |bits: u64| bits & 0x83ff_ffff | 0x3c00_0000;
                let [a, b] = [samples.float(&F32), samples.float(&F32)];
                if samples.below(4) == 0 {
                    vec![a, b]
                } else {
                    vec![moderate(a), moderate(b)]
                }
            };
            for_each(&name, draw, 4000, |bits, result| {
                let both = expected(bits[0], relu) << bits_of_one | expected(bits[1], relu);
                assert_eq!(result, both, "{name} {bits:x?}");
            });
        }
    }
}

#[test]
fn every_float_of_few_bits_becomes_f16_and_comes_back() {
    for (kind, format, bits_of_one) in NARROW {
        let count = 2 * format.sign();
        for bits in 0..count {
            let pair = run_one(&format!("cvt.rn.f16x2.{kind}"), &[bits << bits_of_one]);
            assert_eq!(pair & 0xffff, 0, "the low half");
            let wide = pair >> 16;
            let brain = run_one(&format!("cvt.rn.bf16x2.{kind}"), &[bits << bits_of_one]) >> 16;
            if bits % format.sign() > format.largest {
                let nan = !(kind == "e5m2x2" && bits % format.sign() == 0x7c);
                let expected = if nan { [0x7fff; 2] } else { [0x7c00, 0x7f80] };
                assert_eq!([wide % 0x8000, brain % 0x8000], expected, "{kind} {bits:x}");
                continue;
            }
            let value = Ratio::of(format, bits);
            assert!(
                Ratio::of(&F16, wide).compare(&value).is_eq(),
                "{kind} {bits:x}"
            );
            assert!(
                Ratio::of(&BF16, brain).compare(&value).is_eq(),
                "{kind} {bits:x}"
            );
            assert_eq!(
                wide >> 15,
                bits / format.sign(),
                "the sign of {kind} {bits:x}"
            );
            let relu = run_one(&format!("cvt.rn.relu.f16x2.{kind}"), &[bits]);
            assert_eq!(relu, if bits < format.sign() { wide } else { 0 });
            let back = run_one(&format!("cvt.rn.satfinite.{kind}.f16x2"), &[wide << 16]);
            assert_eq!(back, bits << bits_of_one, "{kind}");
            let back = run_one(&format!("cvt.rn.satfinite.{kind}.bf16x2"), &[brain]);
            assert_eq!(back, bits, "{kind}");
        }
    }
}

#[test]
fn the_first_of_two_sources_is_the_upper_half() {
    let bits = |value: f32| u64::from(value.to_bits());
    let operands = [bits(2.0), bits(1.0)];
    assert_eq!(run_one("cvt.rn.f16x2.f32", &operands), 0x4000_3c00);
    assert_eq!(run_one("cvt.rn.bf16x2.f32", &operands), 0x4000_3f80);
    assert_eq!(
        run_one("cvt.rz.f16x2.f32", &[bits(65519.0), bits(1.0)]),
        0x7bff_3c00
    );
    assert_eq!(
        run_one("cvt.rn.relu.bf16x2.f32", &[bits(-1.0), bits(1.0)]),
        0x3f80
    );
    assert_eq!(
        run_one("cvt.rn.satfinite.f16x2.f32", &[bits(1e9), bits(-1e9)]),
        0x7bff_fbff
    );
    let mut samples = Samples::new(57);
    for _ in 0..200 {
        let [a, b] = [samples.float(&F32), samples.float(&F32)];
        for (one, pair) in [
            ("cvt.rn.f16.f32", "cvt.rn.f16x2.f32"),
            ("cvt.rz.bf16.f32", "cvt.rz.bf16x2.f32"),
        ] {
            assert_eq!(
                run_one(pair, &[a, b]),
                run_one(one, &[a]) << 16 | run_one(one, &[b])
            );
        }
    }
}

#[test]
fn integers_are_packed_with_saturation() {
    let signed = |value: i32| u64::from(value as u32);
    for (name, operands, expected) in [
        (
            "cvt.pack.sat.u16.s32",
            vec![signed(70000), signed(-3)],
            0xffff_0000u64,
        ),
        (
            "cvt.pack.sat.s16.s32",
            vec![signed(-70000), signed(-3)],
            0x8000_fffd,
        ),
        (
            "cvt.pack.sat.u8.s32.b32",
            vec![300, signed(-1), 0x1234_5678],
            0x5678_ff00,
        ),
        (
            "cvt.pack.sat.s8.s32.b32",
            vec![200, signed(-200), 0],
            0x7f80,
        ),
        ("cvt.pack.sat.u4.s32.b32", vec![20, 3, 0xab], 0xabf3),
        ("cvt.pack.sat.s4.s32.b32", vec![signed(-1), 9, 0], 0xf7),
        ("cvt.pack.sat.u2.s32.b32", vec![1, 7, 0x5], 0x57),
        ("cvt.pack.sat.s2.s32.b32", vec![signed(-5), 5, 0], 0x9),
    ] {
        assert_eq!(run_one(name, &operands), expected, "{name} {operands:x?}");
    }
}
