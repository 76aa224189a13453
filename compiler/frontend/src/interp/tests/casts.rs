//! Conversions. Nearest-even is `tile_runtime::numeric`'s and tested there, exhaustively.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, from_scalar, to_scalar};

use crate::interp::cast::{bitcast, cast};
use crate::interp::value::Tile;
use crate::typed::Rounding;

fn toward_zero(from: ElementType, to: ElementType, value: Scalar) -> u64 {
    let tile = cast(&Tile::scalar(from, value), to, Rounding::TowardZero).expect("no fault");
    tile.as_numbers().expect("a number").1[0]
}

#[test]
fn toward_zero_takes_the_smaller_neighbour() {
    for element in [
        ElementType::F8E4M3,
        ElementType::F8E5M2,
        ElementType::F16,
        ElementType::BF16,
    ] {
        let sign = 1u64 << (element.bits() - 1);
        let value = |bits| to_scalar(element, bits).as_f64();
        for bits in (0..sign - 1).filter(|bits| value(bits + 1).is_finite()) {
            let (low, high) = (value(bits), value(bits + 1));
            for between in [low, (low + high) / 2.0, high.next_down()] {
                let to = |value: f64| toward_zero(ElementType::F64, element, Scalar::Float(value));
                assert_eq!(to(between), bits, "{element} {between}");
                assert_eq!(to(-between), bits | sign, "{element} -{between}");
            }
        }
    }
}

#[test]
fn toward_zero_never_overflows_a_finite_number() {
    let to = |from, to, value| to_scalar(to, toward_zero(from, to, value)).as_f64();
    let float = Scalar::Float;
    assert_eq!(to(ElementType::F32, ElementType::F16, float(1e6)), 65504.0);
    assert_eq!(
        to(ElementType::F64, ElementType::F32, float(-1e300)),
        f64::from(f32::MIN)
    );
    assert_eq!(
        to(ElementType::F32, ElementType::F16, float(f64::INFINITY)),
        f64::INFINITY
    );
    assert_eq!(
        to(ElementType::I32, ElementType::F16, Scalar::Int(-70000)),
        -65504.0
    );
    assert_eq!(
        to(ElementType::I32, ElementType::F8E4M3, Scalar::Int(1000)),
        448.0
    );
}

#[test]
fn integers_round_toward_zero_exactly() {
    for value in [i64::MAX, (1 << 24) + 1, -((1 << 24) + 3), (1 << 53) + 1, 7] {
        for (element, digits) in [(ElementType::F32, 24), (ElementType::F64, 53)] {
            let bits = toward_zero(ElementType::I64, element, Scalar::Int(value.into()));
            let excess = (64 - value.unsigned_abs().leading_zeros()).saturating_sub(digits);
            let magnitude = value.unsigned_abs() >> excess << excess;
            let expected = if value < 0 {
                -(magnitude as f64)
            } else {
                magnitude as f64
            };
            assert_eq!(
                to_scalar(element, bits).as_f64(),
                expected,
                "{value} as {element}"
            );
        }
    }
}

#[test]
fn floats_to_integers_saturate() {
    let to = |to, value| {
        let tile = Tile::scalar(ElementType::F32, Scalar::Float(value));
        cast(&tile, to, Rounding::NearestEven)
            .and_then(|tile| tile.integer())
            .expect("a number")
    };
    assert_eq!(to(ElementType::I32, 2.9), 2);
    assert_eq!(to(ElementType::I32, -2.9), -2);
    assert_eq!(to(ElementType::I32, f64::NAN), 0);
    assert_eq!(to(ElementType::I8, 1e9), 127);
    assert_eq!(to(ElementType::U8, -1.0), 0);
    assert_eq!(to(ElementType::U64, f64::INFINITY), i128::from(u64::MAX));
}

#[test]
fn bits_survive_a_bitcast_even_of_a_signaling_nan() {
    let bits = 0x7f80_0001;
    let tile = Tile::numbers(ElementType::U32, &[], vec![bits]);
    let float = bitcast(&tile, ElementType::F32).expect("no fault");
    assert_eq!(bitcast(&float, ElementType::U32), Ok(tile));
    assert!(bitcast(&float, ElementType::F16).is_err());
    assert_eq!(
        from_scalar(ElementType::F32, Scalar::Float(1.0)),
        0x3f80_0000
    );
}
