//! Numbers of the narrow types, against `numeric`.

use super::matrix::number;
use crate::simulator::matrix::kind::Kind;

#[test]
fn every_narrow_number_is_unpacked_from_every_place() {
    for kind in [
        Kind::F16,
        Kind::Bf16,
        Kind::E4m3,
        Kind::E5m2,
        Kind::S8,
        Kind::U8,
        Kind::S4,
        Kind::U4,
    ] {
        for bits in 0..1_u64 << kind.bits() {
            for place in 0..kind.packed() {
                let shift = place * kind.bits();
                // The other places are all ones, or all zeros.
                let alone = (bits as u32) << shift;
                let others = !((u32::MAX >> (32 - kind.bits())) << shift) | alone;
                let expected = number(kind, bits);
                for found in kind.unpack(&[alone, others], place) {
                    let same = found.to_bits() == expected.to_bits();
                    assert!(
                        same || found.is_nan() && expected.is_nan(),
                        "{kind:?} {bits:#x} {found}"
                    );
                }
            }
        }
    }
}

#[test]
fn wide_numbers_are_unpacked() {
    let words = [0x3fff_ffff, 0x8000_0001, 0xff80_0000];
    let minus_infinity = f64::NEG_INFINITY;
    let exact = f64::from(f32::from_bits(0x3fff_ffff));
    assert_eq!(
        Kind::F32.unpack(&words, 0),
        [exact, -(2_f64.powi(-149)), minus_infinity]
    );
    let cut = 2.0 - 2_f64.powi(-10);
    assert_eq!(Kind::Tf32.unpack(&words, 0), [cut, 0.0, minus_infinity]);
    assert_eq!(
        Kind::S32.unpack(&words, 0),
        [0x3fff_ffff as f64, -(i32::MAX as f64), -8_388_608.0]
    );
}

#[test]
fn types_are_found_by_their_qualifier() {
    assert_eq!(Kind::find("bf16"), Some(Kind::Bf16));
    assert_eq!(Kind::find("b16"), None);
    assert_eq!(Kind::E5m2.name(), "e5m2");
}
