//! Functions of one number.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, from_scalar, to_scalar};

use crate::interp::math::unary;
use crate::interp::value::Tile;
use crate::typed::UnaryOperation as U;

fn apply(operation: U, element: ElementType, bits: u64) -> u64 {
    let tile = unary(operation, &Tile::numbers(element, &[], vec![bits]), None).expect("no fault");
    tile.as_numbers().expect("a number").1[0]
}

fn of(operation: U, element: ElementType, value: f64) -> f64 {
    let bits = apply(
        operation,
        element,
        from_scalar(element, Scalar::Float(value)),
    );
    to_scalar(element, bits).as_f64()
}

/// The host's own library is another implementation than the crate `libm`.
fn host(operation: U) -> fn(f64) -> f64 {
    match operation {
        U::Exp => f64::exp,
        U::Exp2 => f64::exp2,
        U::Log => f64::ln,
        U::Log2 => f64::log2,
        U::Sqrt => f64::sqrt,
        U::Sin => f64::sin,
        U::Cos => f64::cos,
        U::Tanh => f64::tanh,
        U::Rsqrt => |value| value.sqrt().recip(),
        U::Sigmoid => |value| (value / 2.0).tanh() / 2.0 + 0.5,
        other => panic!("{other:?} is not compared"),
    }
}

#[test]
fn functions_are_rounded_to_f32() {
    for operation in [
        U::Exp,
        U::Exp2,
        U::Log,
        U::Log2,
        U::Sqrt,
        U::Sin,
        U::Cos,
        U::Tanh,
        U::Rsqrt,
        U::Sigmoid,
    ] {
        for step in 0..2000 {
            let value = f64::from(step as f32 * 0.0371 + 0.001);
            let exact = host(operation)(value);
            let found = of(operation, ElementType::F32, value as f32 as f64);
            let exact_of_f32 = host(operation)(f64::from(value as f32));
            assert_eq!(
                found,
                f64::from(exact_of_f32 as f32),
                "{operation:?}({value})"
            );
            // Narrower: the f32 result, rounded.
            let half = to_scalar(
                ElementType::F16,
                from_scalar(ElementType::F16, Scalar::Float(value)),
            )
            .as_f64();
            let expected = half::f16::from_f32(host(operation)(half) as f32);
            let found = of(operation, ElementType::F16, value);
            assert_eq!(
                found,
                expected.to_f64(),
                "{operation:?}({half}) near {exact}"
            );
        }
    }
}

#[test]
fn known_values_of_erf() {
    // Abramowitz and Stegun, table 7.1.
    for (value, expected) in [
        (0.0, 0.0),
        (0.5, 0.520_499_877_8),
        (1.0, 0.842_700_792_9),
        (2.0, 0.995_322_265),
    ] {
        assert!((of(U::Erf, ElementType::F64, value) - expected).abs() < 1e-9);
        assert!((of(U::Erf, ElementType::F32, -value) + expected).abs() < 1e-7);
    }
}

#[test]
fn rounding_functions_go_to_integers() {
    for (value, floor, ceil, round) in [
        (2.5, 2.0, 3.0, 2.0),
        (3.5, 3.0, 4.0, 4.0),
        (-2.5, -3.0, -2.0, -2.0),
        (7.0, 7.0, 7.0, 7.0),
    ] {
        for element in [
            ElementType::F8E4M3,
            ElementType::F16,
            ElementType::F32,
            ElementType::F64,
        ] {
            assert_eq!(of(U::Floor, element, value), floor);
            assert_eq!(of(U::Ceil, element, value), ceil);
            assert_eq!(of(U::Round, element, value), round);
        }
    }
}

#[test]
fn edges_are_those_of_ieee() {
    assert_eq!(of(U::Exp, ElementType::F32, f64::NEG_INFINITY), 0.0);
    assert_eq!(of(U::Exp, ElementType::F32, 200.0), f64::INFINITY);
    assert_eq!(of(U::Log, ElementType::F32, 0.0), f64::NEG_INFINITY);
    assert!(of(U::Sqrt, ElementType::F32, -1.0).is_nan());
    assert_eq!(of(U::Rsqrt, ElementType::F32, 0.0), f64::INFINITY);
    assert_eq!(of(U::Sigmoid, ElementType::F32, -1000.0), 0.0);
    assert_eq!(of(U::Sigmoid, ElementType::F16, 0.0), 0.5);
    assert_eq!(
        of(U::Sigmoid, ElementType::F32, -100.0),
        f64::from(f32::from_bits(27))
    );
    assert_eq!(of(U::Sigmoid, ElementType::F64, -740.0), libm::exp(-740.0));
    assert!(of(U::Sigmoid, ElementType::F32, f64::NAN).is_nan());
    assert_eq!(of(U::Exp, ElementType::F8E4M3, 100.0), 448.0);
}

#[test]
fn negation_and_abs_touch_the_sign_bit_only() {
    assert_eq!(apply(U::Negate, ElementType::F32, 0x7f80_0001), 0xff80_0001);
    assert_eq!(apply(U::Abs, ElementType::F16, 0xfc00), 0x7c00);
    assert_eq!(apply(U::Abs, ElementType::F8E5M2, 0xfc), 0x7c);
    assert_eq!(apply(U::Negate, ElementType::BF16, 0), 0x8000);
}

#[test]
fn integers_wrap() {
    assert_eq!(apply(U::Negate, ElementType::I8, 0x80), 0x80);
    assert_eq!(apply(U::Abs, ElementType::I8, 0x80), 0x80);
    assert_eq!(apply(U::Abs, ElementType::I8, 0xff), 1);
    assert_eq!(apply(U::Not, ElementType::U16, 0x00ff), 0xff00);
    assert_eq!(apply(U::Not, ElementType::I1, 1), 0);
    assert_eq!(apply(U::Negate, ElementType::U32, 1), 0xffff_ffff);
}

#[test]
fn a_function_of_floats_on_integers_is_a_defect_not_a_panic() {
    let tile = Tile::numbers(ElementType::I32, &[], vec![1]);
    assert!(unary(U::Exp, &tile, None).is_err());
    assert!(unary(U::Not, &Tile::numbers(ElementType::F32, &[], vec![1]), None).is_err());
}
