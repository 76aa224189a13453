//! Moves, packing, and choosing.

use super::{run, run_all, run_one};

#[test]
fn moves_keep_every_bit() {
    let nan = 0x7fa0_1234; // a signalling NaN with a payload
    assert_eq!(run_one("mov.f32", &[nan]), nan);
    assert_eq!(run_one("selp.f32", &[nan, 0, 1]), nan);
    assert_eq!(
        run_one("mov.f64", &[0x7ff4_0000_0000_0123]),
        0x7ff4_0000_0000_0123
    );
    assert_eq!(run_one("mov.b16", &[0xfedc]), 0xfedc);
    assert_eq!(run_one("mov.pred", &[1]), 1);
}

#[test]
fn vectors_are_packed_and_unpacked_from_the_low_end() {
    assert_eq!(run_one("mov.b32", &[0x1111, 0x2222]), 0x2222_1111);
    assert_eq!(
        run_one("mov.b64", &[0x1111_2222, 0x3333_4444]),
        0x3333_4444_1111_2222
    );
    assert_eq!(
        run_one("mov.b64", &[0x1111, 0x2222, 0x3333, 0x4444]),
        0x4444_3333_2222_1111
    );
    assert_eq!(run_one("mov.b32", &[1, 2, 3, 0xff]), 0xff03_0201);
    assert_eq!(run_one("mov.b16", &[0x12, 0x34]), 0x3412);
    let parts = |name, count, value: u64| -> Vec<u64> {
        run_all(name, count, &[[value; 32]])
            .iter()
            .map(|lanes| lanes[9])
            .collect()
    };
    assert_eq!(parts("mov.b32", 2, 0x2222_1111), [0x1111, 0x2222]);
    assert_eq!(parts("mov.b32", 4, 0xff03_0201), [1, 2, 3, 0xff]);
    assert_eq!(
        parts("mov.b64", 2, 0x3333_4444_1111_2222),
        [0x1111_2222, 0x3333_4444]
    );
    assert_eq!(
        parts("mov.b64", 4, 0x4444_3333_2222_1111),
        [0x1111, 0x2222, 0x3333, 0x4444]
    );
    assert_eq!(parts("mov.b16", 2, 0x3412), [0x12, 0x34]);
}

#[test]
fn a_predicate_chooses_per_lane() {
    let a = std::array::from_fn(|lane| 100 + lane as u64);
    let b = std::array::from_fn(|lane| 0xffff_0000_0000 + lane as u64);
    let p = std::array::from_fn(|lane| u64::from(lane % 3 == 0));
    for name in ["selp.b64", "selp.s64", "selp.f64"] {
        let expected = std::array::from_fn(|lane| if lane % 3 == 0 { a[lane] } else { b[lane] });
        assert_eq!(run(name, &[a, b, p]), expected, "{name}");
    }
    assert_eq!(run_one("selp.b16", &[5, 6, 0]), 6);
    assert_eq!(run_one("selp.u32", &[5, 6, 1]), 5);
}

#[test]
fn a_sign_chooses() {
    let negative = |value: i32| u64::from(value as u32);
    assert_eq!(run_one("slct.b32.s32", &[5, 6, 0]), 5);
    assert_eq!(run_one("slct.u64.s32", &[5, 6, negative(-1)]), 6);
    let of = |value: f32| run_one("slct.f32.f32", &[5, 6, value.to_bits().into()]);
    assert_eq!(
        [of(0.0), of(-0.0), of(1.0), of(-1.0), of(f32::NAN)],
        [5, 5, 5, 6, 6]
    );
    assert_eq!(run_one("slct.b16.f32", &[5, 6, 0x8000_0001]), 6);
    assert_eq!(run_one("slct.ftz.b16.f32", &[5, 6, 0x8000_0001]), 5);
}
