//! Integers against `i128`.

use super::samples::Samples;
use super::{for_each, run_all, run_one};

/// The number that these bits are.
fn number(bits: u64, width: u32, signed: bool) -> i128 {
    let value = i128::from(bits);
    if signed && bits >> (width - 1) & 1 == 1 {
        value - (1 << width)
    } else {
        value
    }
}

/// The low bits of a number.
fn wrap(value: i128, width: u32) -> u64 {
    value.rem_euclid(1i128 << width) as u64
}

/// Checks an instruction for each of these types against a function of numbers and their width.
fn check(
    pattern: &str,
    types: &str,
    operands: usize,
    expected: impl Fn(&[i128], u32, bool) -> i128,
) {
    let mut samples = Samples::new(1);
    for name in types.split(' ') {
        let (signed, width) = (name.starts_with('s'), name[1..].parse().expect("a width"));
        let instruction = pattern.replace('*', name);
        let draw = || (0..operands).map(|_| samples.integer(width)).collect();
        for_each(&instruction, draw, 4000, |bits, result| {
            let numbers: Vec<_> = bits
                .iter()
                .map(|bits| number(*bits, width, signed))
                .collect();
            let expected = wrap(expected(&numbers, width, signed), width);
            assert_eq!(result, expected, "{instruction} {bits:x?}");
        });
    }
}

const ALL: &str = "u16 u32 u64 s16 s32 s64";
const SIGNED: &str = "s16 s32 s64";

fn largest(width: u32, signed: bool) -> i128 {
    (1i128 << (width - u32::from(signed))) - 1
}

fn smallest(width: u32, signed: bool) -> i128 {
    if signed { -(1i128 << (width - 1)) } else { 0 }
}

#[test]
fn sums_and_differences_wrap_or_saturate() {
    check("add.*", ALL, 2, |n, _, _| n[0] + n[1]);
    check("sub.*", ALL, 2, |n, _, _| n[0] - n[1]);
    let clamp =
        |value: i128, width, signed| value.clamp(smallest(width, signed), largest(width, signed));
    check("add.sat.*", "s32", 2, |n, width, signed| {
        clamp(n[0] + n[1], width, signed)
    });
    check("sub.sat.*", "s32", 2, |n, width, signed| {
        clamp(n[0] - n[1], width, signed)
    });
}

#[test]
fn products_are_whole_in_their_two_halves() {
    check("mul.lo.*", ALL, 2, |n, _, _| n[0].wrapping_mul(n[1]));
    // Two 64-bit numbers without sign have a product that fits no i128; modulo 2^128 it does.
    check("mul.hi.*", ALL, 2, |n, width, signed| {
        let product = n[0].wrapping_mul(n[1]);
        if signed {
            product >> width
        } else {
            (product as u128 >> width) as i128
        }
    });
    check("mad.lo.*", ALL, 3, |n, _, _| {
        n[0].wrapping_mul(n[1]).wrapping_add(n[2])
    });
    check("mad.hi.*", ALL, 3, |n, width, signed| {
        let product = n[0].wrapping_mul(n[1]);
        n[2] + if signed {
            product >> width
        } else {
            (product as u128 >> width) as i128
        }
    });
    check("mad.hi.sat.*", "s32", 3, |n, width, signed| {
        let sum = n[2] + ((n[0] * n[1]) >> width);
        sum.clamp(smallest(width, signed), largest(width, signed))
    });
}

#[test]
fn wide_products_are_twice_as_wide() {
    let mut samples = Samples::new(2);
    for (name, width, signed) in [
        ("u16", 16, false),
        ("s16", 16, true),
        ("u32", 32, false),
        ("s32", 32, true),
    ] {
        let draw = || {
            vec![
                samples.integer(width),
                samples.integer(width),
                samples.integer(2 * width),
            ]
        };
        let product =
            |bits: &[u64]| number(bits[0], width, signed) * number(bits[1], width, signed);
        for_each(&format!("mad.wide.{name}"), draw, 4000, |bits, result| {
            let expected = product(bits) + i128::from(bits[2]);
            assert_eq!(result, wrap(expected, 2 * width), "{name} {bits:x?}");
        });
        let draw = || vec![samples.integer(width), samples.integer(width)];
        for_each(&format!("mul.wide.{name}"), draw, 4000, |bits, result| {
            assert_eq!(result, wrap(product(bits), 2 * width), "{name} {bits:x?}");
        });
    }
}

#[test]
fn products_of_24_bits() {
    let low = |value: i128, signed: bool| number(wrap(value, 24), 24, signed);
    for (pattern, operands) in [("mul24", 2), ("mad24", 3)] {
        let added = move |n: &[i128]| n.get(2).copied().unwrap_or(0);
        check(
            &format!("{pattern}.lo.*"),
            "u32 s32",
            operands,
            |n, _, signed| low(n[0], signed) * low(n[1], signed) + added(n),
        );
        check(
            &format!("{pattern}.hi.*"),
            "u32 s32",
            operands,
            |n, _, signed| ((low(n[0], signed) * low(n[1], signed)) >> 16) + added(n),
        );
    }
    check("mad24.hi.sat.*", "s32", 3, |n, width, signed| {
        let sum = ((low(n[0], true) * low(n[1], true)) >> 16) + n[2];
        sum.clamp(smallest(width, signed), largest(width, signed))
    });
}

#[test]
fn quotients_are_towards_zero_and_all_ones_by_zero() {
    check(
        "div.*",
        ALL,
        2,
        |n, _, _| if n[1] == 0 { -1 } else { n[0] / n[1] },
    );
    check(
        "rem.*",
        ALL,
        2,
        |n, _, _| if n[1] == 0 { -1 } else { n[0] % n[1] },
    );
    assert_eq!(run_one("div.s32", &[1 << 31, 0xffff_ffff]), 1 << 31);
    assert_eq!(run_one("rem.s32", &[1 << 31, 0xffff_ffff]), 0);
    assert_eq!(run_one("div.s16", &[7, 0]), 0xffff);
    assert_eq!(run_one("rem.u64", &[7, 0]), u64::MAX);
}

#[test]
fn order_and_distance() {
    check("min.*", ALL, 2, |n, _, _| n[0].min(n[1]));
    check("max.*", ALL, 2, |n, _, _| n[0].max(n[1]));
    check("min.relu.*", "s32", 2, |n, _, _| n[0].min(n[1]).max(0));
    check("max.relu.*", "s32", 2, |n, _, _| n[0].max(n[1]).max(0));
    check("sad.*", ALL, 3, |n, _, _| n[2] + (n[0] - n[1]).abs());
    check("abs.*", SIGNED, 1, |n, _, _| n[0].abs());
    check("neg.*", SIGNED, 1, |n, _, _| -n[0]);
}

#[test]
fn pairs_are_two_numbers() {
    type Of = fn(i128, i128) -> i128;
    let cases: [(&str, bool, Of); 12] = [
        ("add.u16x2", false, |a, b| a + b),
        ("add.s16x2", true, |a, b| a + b),
        ("sub.u16x2", false, |a, b| a - b),
        ("sub.s16x2", true, |a, b| a - b),
        ("min.u16x2", false, i128::min),
        ("max.u16x2", false, i128::max),
        ("min.s16x2", true, i128::min),
        ("max.s16x2", true, i128::max),
        ("min.relu.s16x2", true, |a, b| a.min(b).max(0)),
        ("max.relu.s16x2", true, |a, b| a.max(b).max(0)),
        ("neg.s16x2", true, |a, _| -a),
        ("neg.u16x2", false, |a, _| -a),
    ];
    let mut samples = Samples::new(3);
    for (name, signed, of) in cases {
        let operands = if name.starts_with("neg") { 1 } else { 2 };
        let mut pair = || samples.integer(16) << 16 | samples.integer(16);
        for_each(
            name,
            || (0..operands).map(|_| pair()).collect(),
            2000,
            |bits, result| {
                let b = bits.last().copied().unwrap_or(0);
                for shift in [0, 16] {
                    let [a, b] =
                        [bits[0], b].map(|bits| number(bits >> shift & 0xffff, 16, signed));
                    assert_eq!(
                        result >> shift & 0xffff,
                        wrap(of(a, b), 16),
                        "{name} {bits:x?}"
                    );
                }
            },
        );
    }
}

#[test]
fn dot_products_of_bytes() {
    let mut samples = Samples::new(4);
    for (a_type, b_type) in [
        ("u32", "u32"),
        ("u32", "s32"),
        ("s32", "u32"),
        ("s32", "s32"),
    ] {
        let part = |bits: u64, index: u32, width: u32, of: &str| {
            number(
                bits >> (index * width) & ((1 << width) - 1),
                width,
                of == "s32",
            )
        };
        let draw = || (0..3).map(|_| samples.bits() & 0xffff_ffff).collect();
        for_each(
            &format!("dp4a.{a_type}.{b_type}"),
            draw,
            2000,
            |bits, result| {
                let sum: i128 = (0..4)
                    .map(|index| part(bits[0], index, 8, a_type) * part(bits[1], index, 8, b_type))
                    .sum();
                assert_eq!(result, wrap(sum + i128::from(bits[2]), 32), "{bits:x?}");
            },
        );
        for (half, first) in [("lo", 0), ("hi", 2)] {
            let draw = || (0..3).map(|_| samples.bits() & 0xffff_ffff).collect();
            for_each(
                &format!("dp2a.{half}.{a_type}.{b_type}"),
                draw,
                2000,
                |bits, result| {
                    let sum: i128 = (0..2)
                        .map(|index| {
                            part(bits[0], index, 16, a_type)
                                * part(bits[1], first + index, 8, b_type)
                        })
                        .sum();
                    assert_eq!(result, wrap(sum + i128::from(bits[2]), 32), "{bits:x?}");
                },
            );
        }
    }
}

#[test]
fn carries_make_one_number_of_several() {
    let mut samples = Samples::new(5);
    for _ in 0..300 {
        let [a, b] = [(); 2].map(|()| [(); 32].map(|()| samples.integer(64)));
        let [a1, b1] = [(); 2].map(|()| [(); 32].map(|()| samples.integer(64)));
        let whole = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
        for (first, second, of) in [
            (
                "add.cc.u64",
                "addc.cc.s64",
                u128::overflowing_add as fn(u128, u128) -> (u128, bool),
            ),
            ("sub.cc.s64", "subc.cc.u64", u128::overflowing_sub),
        ] {
            let low = run_all(first, 1, &[a, b, [1; 32]]);
            let high = run_all(second, 1, &[a1, b1, low[1]]);
            for lane in 0..32 {
                let (expected, carry) = of(whole(a[lane], a1[lane]), whole(b[lane], b1[lane]));
                assert_eq!(whole(low[0][lane], high[0][lane]), expected, "{first}");
                assert_eq!(high[1][lane], u64::from(carry), "{first}");
            }
        }
    }
}

#[test]
fn carries_make_long_products() {
    // 64 x 64 bits in words of 32, as schoolbooks do it.
    let mut samples = Samples::new(6);
    for _ in 0..300 {
        let (a, b) = (samples.integer(64), samples.integer(64));
        let words = |value: u64| [value & 0xffff_ffff, value >> 32];
        let [a0, a1] = words(a);
        let [b0, b1] = words(b);
        let step = |name: &str, operands: [u64; 3], carry: u64| {
            let sources: Vec<_> = operands.iter().chain([&carry]).map(|n| [*n; 32]).collect();
            let results = run_all(name, 1, &sources);
            (results[0][7], results[1][7])
        };
        let low = step("mad.lo.cc.u32", [a0, b0, 0], 0).0;
        let (one, carry) = step("mad.hi.cc.u32", [a0, b0, 0], 0);
        assert_eq!(carry, 0);
        let (one, carry) = step("mad.lo.cc.u32", [a0, b1, one], carry);
        let (two, carry) = step("madc.hi.cc.u32", [a0, b1, 0], carry);
        let three = carry;
        let (one, carry) = step("mad.lo.cc.u32", [a1, b0, one], 0);
        let (two, carry) = step("madc.hi.cc.u32", [a1, b0, two], carry);
        let three = three + carry;
        let (two, carry) = step("mad.lo.cc.u32", [a1, b1, two], 0);
        let (three, _) = step("madc.hi.u32", [a1, b1, three], carry);
        let result = [low, one, two, three];
        let expected = u128::from(a) * u128::from(b);
        for (index, word) in result.into_iter().enumerate() {
            assert_eq!(
                word,
                (expected >> (32 * index)) as u64 & 0xffff_ffff,
                "{a:x} * {b:x}"
            );
        }
    }
}

#[test]
fn without_cc_the_carry_stays() {
    let results = run_all("addc.u32", 1, &[[u32::MAX.into(); 32], [5; 32], [1; 32]]);
    assert_eq!((results[0][0], results[1][0]), (5, 1));
    let results = run_all("subc.u32", 1, &[[0; 32], [0; 32], [1; 32]]);
    assert_eq!((results[0][0], results[1][0]), (u32::MAX.into(), 1));
}
