//! Bits, one by one.

use super::samples::Samples;
use super::{for_each, run, run_all, run_one};

/// A word from a function of the positions of its bits.
fn word(width: u32, bit: impl Fn(i64) -> bool) -> u64 {
    (0..width).fold(0, |word, position| {
        word | u64::from(bit(position.into())) << position
    })
}

/// A bit of a word; none outside.
fn bit(value: u64, position: i64) -> bool {
    (0..64).contains(&position) && value >> position & 1 == 1
}

/// Amounts of all sizes, of shifts and lengths of fields.
fn amount(samples: &mut Samples) -> u64 {
    match samples.below(4) {
        0 => samples.bits() & 0xffff_ffff,
        1 => samples.below(300),
        _ => samples.below(67),
    }
}

#[test]
fn logic_bit_by_bit() {
    let mut samples = Samples::new(10);
    for width in [16, 32, 64] {
        type Of = fn(bool, bool) -> bool;
        let of: [(&str, Of); 3] = [
            ("and", |a, b| a & b),
            ("or", |a, b| a | b),
            ("xor", |a, b| a ^ b),
        ];
        for (name, of) in of {
            let draw = || vec![samples.integer(width), samples.integer(width)];
            for_each(&format!("{name}.b{width}"), draw, 500, |bits, result| {
                assert_eq!(
                    result,
                    word(width, |at| of(bit(bits[0], at), bit(bits[1], at)))
                );
            });
        }
        for_each(
            &format!("not.b{width}"),
            || vec![samples.integer(width)],
            500,
            |bits, result| {
                assert_eq!(result, word(width, |at| !bit(bits[0], at)));
            },
        );
        for_each(
            &format!("cnot.b{width}"),
            || vec![samples.integer(width)],
            500,
            |bits, result| {
                assert_eq!(result, u64::from(bits[0] == 0));
            },
        );
    }
}

#[test]
fn logic_of_three_by_a_table() {
    let mut samples = Samples::new(11);
    let table = |bits: &[u64]| {
        word(32, |at| {
            let index = [0, 1, 2].map(|operand| u32::from(bit(bits[operand], at)));
            bits[3] >> (4 * index[0] + 2 * index[1] + index[2]) & 1 == 1
        })
    };
    let draw = || (0..4).map(|_| samples.bits() & 0xffff_ffff).collect();
    for_each("lop3.b32", draw, 5000, |bits, result| {
        assert_eq!(result, table(bits))
    });
    // The table of a known function, as the manual computes it from those of a, b and c.
    assert_eq!(
        run_one("lop3.b32", &[0xf0, 0xcc, 0xaa, (0xf0 & 0xcc) ^ 0xaa]),
        (0xf0 & 0xcc) ^ 0xaa
    );
    let sources = [[0; 32], [0; 32], [0; 32], [0xfe; 32], [1; 32]];
    let results = run_all("lop3.or.b32", 2, &sources);
    assert_eq!((results[0][3], results[1][3]), (0, 1));
    assert_eq!(run_all("lop3.and.b32", 2, &sources)[1][3], 0);
}

#[test]
fn shifts_by_more_than_the_width_are_shifts_by_the_width() {
    let mut samples = Samples::new(12);
    for width in [16, 32, 64] {
        for (name, kind) in [("shl", "b"), ("shr", "b"), ("shr", "u"), ("shr", "s")] {
            let draw = || vec![samples.integer(width), amount(&mut samples)];
            for_each(
                &format!("{name}.{kind}{width}"),
                draw,
                2000,
                |bits, result| {
                    let by = i64::try_from(bits[1]).expect("32 bits");
                    let top = i64::from(width) - 1;
                    let expected = word(width, |at| match (name, kind) {
                        ("shl", _) => bit(bits[0], at - by),
                        (_, "s") => bit(bits[0], (at + by).min(top)),
                        _ => bit(bits[0], at + by),
                    });
                    assert_eq!(result, expected, "{name}.{kind}{width} {bits:x?}");
                },
            );
        }
    }
}

#[test]
fn shifts_by_the_same_amount_in_all_lanes() {
    let mut samples = Samples::new(13);
    for by in (0..70).chain([255, 256, 1 << 31, u64::from(u32::MAX)]) {
        let values = [(); 32].map(|()| samples.bits());
        let shifted = |value: u64| value.checked_shl(by as u32).unwrap_or(0);
        assert_eq!(
            run("shl.b64", &[values, [by; 32]]),
            values.map(shifted),
            "{by}"
        );
        let words = values.map(|value| value as u32);
        let sources = [words.map(u64::from), [by; 32]];
        let expected = words.map(|word| u64::from(word.checked_shr(by as u32).unwrap_or(0)));
        assert_eq!(run("shr.u32", &sources), expected, "{by}");
        let expected = words.map(|word| u64::from((i64::from(word as i32) >> by.min(63)) as u32));
        assert_eq!(run("shr.s32", &sources), expected, "{by}");
    }
}

#[test]
fn funnel_shifts() {
    let mut samples = Samples::new(14);
    for left in [true, false] {
        for clamp in [true, false] {
            let name = format!(
                "shf.{}.{}.b32",
                if left { "l" } else { "r" },
                if clamp { "clamp" } else { "wrap" }
            );
            let draw = || {
                vec![
                    samples.integer(32),
                    samples.integer(32),
                    amount(&mut samples),
                ]
            };
            for_each(&name, draw, 2000, |bits, result| {
                let both = bits[1] << 32 | bits[0];
                let by = if clamp { bits[2].min(32) } else { bits[2] % 32 } as i64;
                let expected = word(32, |at| {
                    bit(both, if left { at + 32 - by } else { at + by })
                });
                assert_eq!(result, expected, "{name} {bits:x?}");
            });
        }
    }
}

#[test]
fn counting() {
    let mut samples = Samples::new(15);
    for width in [32u32, 64] {
        let top = i64::from(width) - 1;
        let draw = &mut || vec![samples.integer(width)];
        for_each(
            &format!("popc.b{width}"),
            &mut *draw,
            1000,
            |bits, result| {
                assert_eq!(
                    result,
                    (0..64).filter(|at| bit(bits[0], *at)).count() as u64
                );
            },
        );
        for_each(
            &format!("clz.b{width}"),
            &mut *draw,
            1000,
            |bits, result| {
                let zeros = (0..=top).rev().take_while(|at| !bit(bits[0], *at)).count();
                assert_eq!(result, zeros as u64);
            },
        );
        for_each(
            &format!("brev.b{width}"),
            &mut *draw,
            1000,
            |bits, result| {
                assert_eq!(result, word(width, |at| bit(bits[0], top - at)));
            },
        );
        for signed in [false, true] {
            let name = format!("{}{width}", if signed { "s" } else { "u" });
            let leading = |bits: u64| {
                let negative = signed && bit(bits, top);
                (0..=top).rev().find(|at| bit(bits, *at) != negative)
            };
            for_each(
                &format!("bfind.{name}"),
                &mut *draw,
                1000,
                |bits, result| {
                    let expected = leading(bits[0]).map_or(u64::from(u32::MAX), |at| at as u64);
                    assert_eq!(result, expected, "{name} {bits:x?}");
                },
            );
            for_each(
                &format!("bfind.shiftamt.{name}"),
                &mut *draw,
                1000,
                |bits, result| {
                    let expected =
                        leading(bits[0]).map_or(u64::from(u32::MAX), |at| (top - at) as u64);
                    assert_eq!(result, expected, "{name} {bits:x?}");
                },
            );
        }
    }
}

#[test]
fn the_nth_one() {
    for (mask, base, offset, expected) in [
        (0b1011_0100u64, 0u64, 1i32, 2i64),
        (0b1011_0100, 2, 1, 2),
        (0b1011_0100, 3, 1, 4),
        (0b1011_0100, 0, 3, 5),
        (0b1011_0100, 0, 5, -1),
        (0b1011_0100, 31, -1, 7),
        (0b1011_0100, 6, -2, 4),
        (0b1011_0100, 5, 0, 5),
        (0b1011_0100, 6, 0, -1),
        (0b1011_0100, 0, i32::MIN, -1),
        (u64::from(u32::MAX), 31, 1, 31),
        (u64::from(u32::MAX), 31, 2, -1),
    ] {
        let result = run_one("fns.b32", &[mask, base, u64::from(offset as u32)]);
        assert_eq!(
            result,
            u64::from(expected as u32),
            "{mask:b} {base} {offset}"
        );
    }
}

#[test]
fn fields_are_taken_out_and_put_in() {
    let mut samples = Samples::new(16);
    for width in [32u32, 64] {
        let top = i64::from(width) - 1;
        // Only the low 8 bits of a position and a length count.
        let low = |value: u64| (value % 256) as i64;
        for signed in [false, true] {
            let name = format!("bfe.{}{width}", if signed { "s" } else { "u" });
            let draw = || {
                vec![
                    samples.integer(width),
                    amount(&mut samples),
                    amount(&mut samples),
                ]
            };
            for_each(&name, draw, 4000, |bits, result| {
                let (position, length) = (low(bits[1]), low(bits[2]));
                let sign = signed && length > 0 && bit(bits[0], (position + length - 1).min(top));
                let expected = word(width, |at| {
                    if at < length && position + at <= top {
                        bit(bits[0], position + at)
                    } else {
                        sign
                    }
                });
                assert_eq!(result, expected, "{name} {bits:x?}");
            });
        }
        let draw = || {
            let into = samples.integer(width);
            vec![
                samples.integer(width),
                into,
                amount(&mut samples),
                amount(&mut samples),
            ]
        };
        for_each(&format!("bfi.b{width}"), draw, 4000, |bits, result| {
            let (position, length) = (low(bits[2]), low(bits[3]));
            let expected = word(width, |at| {
                let inside = at >= position && at < position + length;
                if inside {
                    bit(bits[0], at - position)
                } else {
                    bit(bits[1], at)
                }
            });
            assert_eq!(result, expected, "bfi.b{width} {bits:x?}");
        });
    }
}

#[test]
fn masks_and_extensions() {
    let mut samples = Samples::new(17);
    for clamp in [true, false] {
        let mode = if clamp { "clamp" } else { "wrap" };
        let count = |value: u64| if clamp { value.min(32) } else { value % 32 } as i64;
        let draw = || vec![amount(&mut samples), amount(&mut samples)];
        for_each(&format!("bmsk.{mode}.b32"), draw, 2000, |bits, result| {
            let (position, length) = (count(bits[0]), count(bits[1]));
            let expected = word(32, |at| at >= position && at < position + length);
            assert_eq!(result, expected, "{mode} {bits:x?}");
        });
        for signed in [false, true] {
            let name = format!("szext.{mode}.{}32", if signed { "s" } else { "u" });
            let draw = || vec![samples.integer(32), amount(&mut samples)];
            for_each(&name, draw, 2000, |bits, result| {
                let length = count(bits[1]);
                let sign = signed && length > 0 && bit(bits[0], length - 1);
                let expected = word(32, |at| if at < length { bit(bits[0], at) } else { sign });
                assert_eq!(result, expected, "{name} {bits:x?}");
            });
        }
    }
}

#[test]
fn bytes_are_permuted() {
    let mut samples = Samples::new(18);
    let permuted = |bits: &[u64]| {
        let bytes = bits[1] << 32 | bits[0];
        (0..4).fold(0, |result, index| {
            let selector = bits[2] >> (4 * index) & 15;
            let byte = bytes >> (8 * (selector % 8)) & 0xff;
            let byte = match (selector >= 8, byte >= 0x80) {
                (false, _) => byte,
                (true, sign) => u64::from(sign) * 0xff,
            };
            result | byte << (8 * index)
        })
    };
    let draw = || (0..3).map(|_| samples.bits() & 0xffff_ffff).collect();
    for_each("prmt.b32", draw, 5000, |bits, result| {
        assert_eq!(result, permuted(bits))
    });
    // The same selector in all lanes.
    for _ in 0..500 {
        let selector = samples.bits() & 0xffff;
        let [a, b] = [(); 2].map(|()| [(); 32].map(|()| samples.bits() & 0xffff_ffff));
        let results = run("prmt.b32", &[a, b, [selector; 32]]);
        for lane in 0..32 {
            assert_eq!(
                results[lane],
                permuted(&[a[lane], b[lane], selector]),
                "{selector:x}"
            );
        }
    }
}

#[test]
fn modes_of_permutations() {
    // Bytes are named by their index: b has 7 6 5 4, a has 3 2 1 0.
    let of = |mode: &str| {
        [0, 1, 2, 3].map(|n| run_one(&format!("prmt.b32.{mode}"), &[0x0302_0100, 0x0706_0504, n]))
    };
    assert_eq!(
        of("f4e"),
        [0x0302_0100, 0x0403_0201, 0x0504_0302, 0x0605_0403]
    );
    assert_eq!(
        of("b4e"),
        [0x0506_0700, 0x0607_0001, 0x0700_0102, 0x0001_0203]
    );
    assert_eq!(of("rc8"), [0, 0x0101_0101, 0x0202_0202, 0x0303_0303]);
    assert_eq!(
        of("ecl"),
        [0x0302_0100, 0x0302_0101, 0x0302_0202, 0x0303_0303]
    );
    assert_eq!(of("ecr"), [0, 0x0101_0100, 0x0202_0100, 0x0302_0100]);
    assert_eq!(
        of("rc16"),
        [0x0100_0100, 0x0302_0302, 0x0100_0100, 0x0302_0302]
    );
}
