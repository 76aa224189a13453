//! Comparisons, against what an order is.

use std::cmp::Ordering;

use super::{run, run_all, run_one};

/// Whether a comparison holds for operands in this order; `None` with a NaN.
fn holds(name: &str, order: Option<Ordering>) -> bool {
    use Ordering::{Equal, Greater, Less};
    match (name, order) {
        ("num", order) => order.is_some(),
        ("nan", order) => order.is_none(),
        (name, None) => name.ends_with('u') && name != "nu",
        ("eq" | "equ", Some(order)) => order == Equal,
        ("ne" | "neu", Some(order)) => order != Equal,
        ("lt" | "ltu" | "lo", Some(order)) => order == Less,
        ("le" | "leu" | "ls", Some(order)) => order != Greater,
        ("gt" | "gtu" | "hi", Some(order)) => order == Greater,
        ("ge" | "geu" | "hs", Some(order)) => order != Less,
        (name, _) => panic!("{name}"),
    }
}

const FLOATS: [&str; 14] = [
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];
const VALUES: [f32; 10] = [
    f32::NEG_INFINITY,
    -2.0,
    -1.0,
    -0.0,
    0.0,
    1.0,
    2.0,
    f32::INFINITY,
    f32::NAN,
    1.5,
];

/// A value of a float type.
fn bits(name: &str, value: f32) -> u64 {
    match name {
        "f16" => half::f16::from_f32(value).to_bits().into(),
        "bf16" => half::bf16::from_f32(value).to_bits().into(),
        "f32" => value.to_bits().into(),
        _ => f64::from(value).to_bits(),
    }
}

#[test]
fn floats_are_ordered_or_not() {
    for name in FLOATS {
        for kind in ["f16", "bf16", "f32", "f64"] {
            for a in VALUES {
                for b in VALUES {
                    let expected = u64::from(holds(name, a.partial_cmp(&b)));
                    let operands = [bits(kind, a), bits(kind, b)];
                    let result = run_one(&format!("setp.{name}.{kind}"), &operands);
                    assert_eq!(result, expected, "setp.{name}.{kind} {a} {b}");
                }
            }
        }
    }
}

#[test]
fn integers_are_ordered_by_their_type() {
    let values = [0u64, 1, 2, 0x7fff, 0x8000, 0xffff];
    for kind in [
        "u16", "s16", "u32", "s32", "u64", "s64", "b16", "b32", "b64",
    ] {
        let width: u32 = kind[1..].parse().expect("a width");
        // The same values at the top of the type.
        let values = values.map(|value| value << (width - 16));
        let number = |value: u64| {
            let value = i128::from(value);
            let wraps = kind.starts_with('s') && value >> (width - 1) == 1;
            if wraps { value - (1 << width) } else { value }
        };
        let names: &[&str] = match &kind[..1] {
            "b" => &["eq", "ne"],
            "s" => &["eq", "ne", "lt", "le", "gt", "ge"],
            _ => &["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"],
        };
        for name in names {
            for a in values {
                for b in values {
                    let expected = holds(name, Some(number(a).cmp(&number(b))));
                    let result = run_one(&format!("setp.{name}.{kind}"), &[a, b]);
                    assert_eq!(
                        result,
                        u64::from(expected),
                        "setp.{name}.{kind} {a:x} {b:x}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_second_predicate_is_the_opposite_combined() {
    for (word, of) in [
        ("and", (|a, b| a & b) as fn(bool, bool) -> bool),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
    ] {
        for (a, b) in [(1u64, 2u64), (2, 1), (1, 1)] {
            for c in [0, 1] {
                let less = a < b;
                let sources = [[a; 32], [b; 32], [c; 32]];
                let results = run_all(&format!("setp.lt.{word}.s32"), 2, &sources);
                assert_eq!(results[0][4], u64::from(of(less, c == 1)), "{word}");
                assert_eq!(results[1][4], u64::from(of(!less, c == 1)), "{word}");
                let alone = run(&format!("setp.lt.{word}.s32"), &sources);
                assert_eq!(alone, results[0]);
            }
        }
    }
    // The opposite of a comparison with a NaN holds.
    let nan = u64::from(f32::NAN.to_bits());
    let results = run_all("setp.lt.f32", 2, &[[nan; 32], [0; 32]]);
    assert_eq!((results[0][0], results[1][0]), (0, 1));
}

#[test]
fn lanes_are_compared_each_on_its_own() {
    let a: [u64; 32] = std::array::from_fn(|lane| lane as u64);
    let expected = std::array::from_fn(|lane| u64::from(lane < 11));
    for kind in ["u16", "s32", "u64", "s64"] {
        assert_eq!(
            run(&format!("setp.lt.{kind}"), &[a, [11; 32]]),
            expected,
            "{kind}"
        );
    }
    let a = a.map(|lane| (lane as f64).to_bits());
    assert_eq!(run("setp.lt.f64", &[a, [11f64.to_bits(); 32]]), expected);
}

#[test]
fn halves_of_a_pair_have_a_predicate_each() {
    let pair = |low: f32, high: f32| bits("f16", high) << 16 | bits("f16", low);
    let sources = [[pair(1.0, 5.0); 32], [pair(2.0, 3.0); 32]];
    let results = run_all("setp.lt.f16x2", 2, &sources);
    assert_eq!((results[0][0], results[1][0]), (1, 0));
    let sources = [sources[0], sources[1], [1; 32]];
    let results = run_all("setp.lt.xor.f16x2", 2, &sources);
    assert_eq!((results[0][0], results[1][0]), (0, 1));
    let pair = |low: f32, high: f32| bits("bf16", high) << 16 | bits("bf16", low);
    let results = run_all(
        "setp.geu.bf16x2",
        2,
        &[[pair(1.0, f32::NAN); 32], [pair(2.0, 3.0); 32]],
    );
    assert_eq!((results[0][0], results[1][0]), (0, 1));
}

#[test]
fn subnormal_numbers_are_zero_with_ftz() {
    assert_eq!(run_one("setp.gt.f32", &[1, 0]), 1);
    assert_eq!(run_one("setp.gt.ftz.f32", &[1, 0]), 0);
    assert_eq!(run_one("setp.eq.ftz.f32", &[0x8000_0001, 0]), 1);
    assert_eq!(run_one("setp.gt.ftz.f16", &[1, 0]), 0);
    assert_eq!(run_one("setp.gt.f16", &[1, 0]), 1);
    assert_eq!(run_one("set.gt.ftz.u32.f32", &[1, 0]), 0);
}

#[test]
fn what_holds_as_a_number() {
    let one = u64::from(1f32.to_bits());
    for (name, operands, expected) in [
        ("set.lt.u32.s32", vec![1, 2], 0xffff_ffff),
        ("set.lt.s32.s32", vec![2, 1], 0),
        ("set.lt.f32.s32", vec![1, 2], one),
        ("set.hi.u32.u64", vec![u64::MAX, 1], 0xffff_ffff),
        ("set.eq.and.u32.b16", vec![7, 7, 0], 0),
        ("set.eq.or.f32.b16", vec![7, 8, 1], one),
        ("set.ne.u32.f32", vec![f32::NAN.to_bits().into(), 0], 0),
        ("set.neu.u32.f64", vec![f64::NAN.to_bits(), 0], 0xffff_ffff),
        ("set.ge.u16.f16", vec![0x3c00, 0x3c00], 0xffff),
        ("set.ge.f16.f16", vec![0x3c00, 0x3c00], 0x3c00),
        ("set.ge.bf16.bf16", vec![0x3f80, 0x3f80], 0x3f80),
        (
            "set.lt.f16x2.f16x2",
            vec![0x3c00_0000, 0x0000_3c00],
            0x0000_3c00,
        ),
        (
            "set.lt.u32.f16x2",
            vec![0x3c00_0000, 0x0000_3c00],
            0x0000_ffff,
        ),
        (
            "set.gt.bf16x2.bf16x2",
            vec![0x3f80_0000, 0x0000_3f80],
            0x3f80_0000,
        ),
    ] {
        assert_eq!(run_one(name, &operands), expected, "{name}");
    }
}

#[test]
fn kinds_of_floats() {
    let samples: [(f32, [u64; 6]); 8] = [
        // finite, infinite, number, notanumber, normal, subnormal
        (0.0, [1, 0, 1, 0, 1, 0]),
        (-0.0, [1, 0, 1, 0, 1, 0]),
        (1.0, [1, 0, 1, 0, 1, 0]),
        (f32::from_bits(1), [1, 0, 1, 0, 0, 1]),
        (f32::MIN_POSITIVE, [1, 0, 1, 0, 1, 0]),
        (f32::INFINITY, [0, 1, 1, 0, 0, 0]),
        (f32::NEG_INFINITY, [0, 1, 1, 0, 0, 0]),
        (f32::NAN, [0, 0, 0, 1, 0, 0]),
    ];
    let names = [
        "finite",
        "infinite",
        "number",
        "notanumber",
        "normal",
        "subnormal",
    ];
    for (value, expected) in samples {
        for (name, expected) in names.into_iter().zip(expected) {
            let result = run_one(&format!("testp.{name}.f32"), &[value.to_bits().into()]);
            assert_eq!(result, expected, "{name} {value}");
        }
    }
    assert_eq!(run_one("testp.subnormal.f64", &[1]), 1);
    assert_eq!(
        run_one(
            "testp.normal.f64",
            &[f64::from(f32::from_bits(1)).to_bits()]
        ),
        1
    );
}

#[test]
fn logic_of_predicates() {
    for a in [0, 1] {
        assert_eq!(run_one("not.pred", &[a]), 1 - a);
        for b in [0, 1] {
            assert_eq!(run_one("and.pred", &[a, b]), a & b);
            assert_eq!(run_one("or.pred", &[a, b]), a | b);
            assert_eq!(run_one("xor.pred", &[a, b]), a ^ b);
        }
    }
}
