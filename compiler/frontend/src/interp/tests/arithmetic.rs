//! Two-operand operations, bit for bit.

use half::{bf16, f16};
use proptest::prelude::*;
use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, from_scalar, to_scalar};

use crate::interp::arithmetic::{binary, compare, fused_multiply_add};
use crate::interp::fault::Fault;
use crate::interp::value::Tile;
use crate::typed::{BinaryOperation, CompareOperation};

fn scalar(element: ElementType, bits: u64) -> Tile {
    Tile::numbers(element, &[], vec![bits])
}

fn bits_of(tile: &Tile) -> u64 {
    tile.as_numbers().expect("a number").1[0]
}

fn apply(operation: BinaryOperation, element: ElementType, left: u64, right: u64) -> u64 {
    let tile = binary(
        operation,
        &scalar(element, left),
        &scalar(element, right),
        None,
    );
    bits_of(&tile.expect("no fault"))
}

fn is_nan(element: ElementType, bits: u64) -> bool {
    to_scalar(element, bits).as_f64().is_nan()
}

/// Equal bits, or both NaN.
fn agree(element: ElementType, found: u64, expected: u64) -> bool {
    found == expected || (is_nan(element, found) && is_nan(element, expected))
}

/// Operations that native floats have too.
const NATIVE: [BinaryOperation; 5] = [
    BinaryOperation::Add,
    BinaryOperation::Subtract,
    BinaryOperation::Multiply,
    BinaryOperation::Divide,
    BinaryOperation::Remainder,
];

macro_rules! native {
    ($operation:expr, $left:expr, $right:expr) => {
        match $operation {
            BinaryOperation::Add => $left + $right,
            BinaryOperation::Subtract => $left - $right,
            BinaryOperation::Multiply => $left * $right,
            BinaryOperation::Divide => $left / $right,
            _ => $left % $right,
        }
    };
}

/// Bits of floats, with special values and subnormals more often than chance would have them.
fn float_bits(width: u32) -> impl Strategy<Value = u64> {
    let mask = u64::MAX >> (64 - width);
    prop_oneof![
        4 => any::<u64>().prop_map(move |bits| bits & mask),
        1 => (0..8u64, any::<bool>())
            .prop_map(move |(bits, negative)| bits | u64::from(negative) << (width - 1)),
    ]
}

proptest! {
    #[test]
    fn f32_is_ieee(left in float_bits(32), right in float_bits(32)) {
        for operation in NATIVE {
            let (l, r) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            let expected: f32 = native!(operation, l, r);
            let found = apply(operation, ElementType::F32, left, right);
            prop_assert!(agree(ElementType::F32, found, expected.to_bits().into()), "{operation:?}");
        }
    }

    #[test]
    fn f64_is_ieee(left in float_bits(64), right in float_bits(64)) {
        for operation in NATIVE {
            let (l, r) = (f64::from_bits(left), f64::from_bits(right));
            let expected: f64 = native!(operation, l, r);
            let found = apply(operation, ElementType::F64, left, right);
            prop_assert!(agree(ElementType::F64, found, expected.to_bits()), "{operation:?}");
        }
    }

    /// The crate `half` computes in f32 and rounds: enough for one operation on 11 bits.
    #[test]
    fn f16_and_bf16_round_once(left in float_bits(16), right in float_bits(16)) {
        for operation in NATIVE {
            let (l, r) = (f16::from_bits(left as u16), f16::from_bits(right as u16));
            let expected: f16 = native!(operation, l, r);
            let found = apply(operation, ElementType::F16, left, right);
            prop_assert!(agree(ElementType::F16, found, expected.to_bits().into()), "{operation:?}");

            let (l, r) = (bf16::from_bits(left as u16), bf16::from_bits(right as u16));
            let expected: bf16 = native!(operation, l, r);
            let found = apply(operation, ElementType::BF16, left, right);
            prop_assert!(agree(ElementType::BF16, found, expected.to_bits().into()), "{operation:?}");
        }
    }

    #[test]
    fn fma_of_f32_is_native(a in float_bits(32), b in float_bits(32), c in float_bits(32)) {
        let [x, y, z] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
        let [a, b, c] = [a, b, c].map(|bits| scalar(ElementType::F32, bits));
        let found = bits_of(&fused_multiply_add([&a, &b, &c]).expect("no fault"));
        let expected = x.mul_add(y, z).to_bits().into();
        prop_assert!(agree(ElementType::F32, found, expected), "{found:x} {expected:x}");
    }

    /// Exact sums in integers of 2^-62, for exponents that fit 128 bits.
    #[test]
    fn fma_of_narrow_floats_rounds_once(
        a in (0..256i64, -20..16i32), b in (0..256i64, -20..16i32), c in (0..256i64, -20..24i32),
        minus in any::<bool>(), element in prop_oneof![
            Just(ElementType::BF16), Just(ElementType::F16), Just(ElementType::F8E5M2),
        ],
    ) {
        let round = |(mantissa, exponent): (i64, i32)| {
            from_scalar(element, Scalar::Float(mantissa as f64 * 2f64.powi(exponent)))
        };
        let bits = [round(a), round(b), round(c) | u64::from(minus) << (element.bits() - 1)];
        let exact = |bits: u64| (to_scalar(element, bits).as_f64() * 2f64.powi(31)) as i128;
        let [x, y, z] = bits.map(exact);
        prop_assume!([x, y, z].iter().all(|number| number.unsigned_abs() < 1 << 62));
        let sum = x * y + (z << 31);
        let tiles = bits.map(|bits| scalar(element, bits));
        let [a, b, c] = &tiles;
        let found = bits_of(&fused_multiply_add([a, b, c]).expect("no fault"));
        // Odd in the last of many bits stands for everything below: 2^-62 units keep 90 bits, an f64
        // 53, so halve until it fits and remember what was lost.
        let mut magnitude = sum.unsigned_abs();
        let mut exponent = -62;
        while magnitude >= 1 << 53 {
            magnitude = (magnitude >> 1) | (magnitude & 1);
            exponent += 1;
        }
        let sign = if sum < 0 { -1.0 } else { 1.0 };
        let expected = from_scalar(
            element,
            Scalar::Float(sign * magnitude as f64 * 2f64.powi(exponent)),
        );
        let zero = |bits| to_scalar(element, bits).as_f64() == 0.0;
        prop_assert!(found == expected || (zero(found) && zero(expected)), "{found:x} {expected:x}");
    }
}

#[test]
fn fma_of_bf16_does_not_round_twice() {
    let bits = |value: f64| from_scalar(ElementType::BF16, Scalar::Float(value));
    let number = |value: f64| scalar(ElementType::BF16, bits(value));
    let [a, b] = [number(129.0 / 128.0), number(1.5)];
    let sum = |c: f64| bits_of(&fused_multiply_add([&a, &b, &number(c)]).expect("no fault"));
    // The product, 387/256, lies halfway between two bf16, so what is added decides. In an f64 sum
    // it would be lost.
    assert_eq!(sum(2f64.powi(-60)), bits(388.0 / 256.0));
    assert_eq!(sum(-(2f64.powi(-60))), bits(386.0 / 256.0));
    assert_eq!(sum(0.0), bits(388.0 / 256.0));
}

#[test]
fn eight_bit_floats_saturate() {
    let bits = |element, value: f64| from_scalar(element, Scalar::Float(value));
    let multiply = |element, left, right| {
        apply(
            BinaryOperation::Multiply,
            element,
            bits(element, left),
            bits(element, right),
        )
    };
    assert_eq!(multiply(ElementType::F8E4M3, 448.0, 2.0), 0x7e);
    assert_eq!(multiply(ElementType::F8E5M2, -57344.0, 2.0), 0xfb);
    assert_eq!(multiply(ElementType::F16, 65504.0, 2.0), 0x7c00);
}

#[test]
fn minimum_and_maximum_prefer_numbers_and_order_zeros() {
    for element in [
        ElementType::F16,
        ElementType::BF16,
        ElementType::F32,
        ElementType::F64,
    ] {
        let bits = |value: f64| from_scalar(element, Scalar::Float(value));
        let minimum = |l, r| apply(BinaryOperation::Minimum, element, bits(l), bits(r));
        let maximum = |l, r| apply(BinaryOperation::Maximum, element, bits(l), bits(r));
        for (left, right) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!(minimum(left, right), bits(-0.0));
            assert_eq!(maximum(left, right), bits(0.0));
        }
        for (left, right) in [(f64::NAN, 2.0), (2.0, f64::NAN), (2.0, 2.0)] {
            assert_eq!(minimum(left, right), bits(2.0));
            assert_eq!(maximum(left, right), bits(2.0));
        }
        assert_eq!(minimum(-1.0, f64::NEG_INFINITY), bits(f64::NEG_INFINITY));
        assert_eq!(maximum(-1.0, 3.0), bits(3.0));
        assert!(is_nan(element, minimum(f64::NAN, f64::NAN)));
        assert!(is_nan(element, maximum(f64::NAN, f64::NAN)));
    }
}

#[test]
fn comparisons_with_nan_are_false_except_not_equal() {
    let number = |value: f64| Tile::from_floats(ElementType::F32, &[], [value].into_iter());
    let holds = |operation, left, right| {
        let tile = compare(operation, &number(left), &number(right)).expect("no fault");
        tile.condition().expect("an i1")
    };
    for operation in [
        CompareOperation::Equal,
        CompareOperation::Less,
        CompareOperation::LessEqual,
        CompareOperation::Greater,
        CompareOperation::GreaterEqual,
    ] {
        assert!(!holds(operation, f64::NAN, 1.0));
        assert!(!holds(operation, 1.0, f64::NAN));
    }
    assert!(holds(CompareOperation::NotEqual, f64::NAN, f64::NAN));
    assert!(holds(CompareOperation::Equal, 0.0, -0.0));
    assert!(holds(CompareOperation::Less, 1.0, 2.0));
    assert!(holds(CompareOperation::GreaterEqual, 2.0, 2.0));
}

macro_rules! integers_are_native {
    ($($test:ident: $native:ty, $unsigned:ty, $wide:ty, $element:ident;)*) => {
        proptest! {$(
            #[test]
            fn $test(left: $native, right: $native) {
                let found = |operation| {
                    let element = ElementType::$element;
                    apply(operation, element, left as $unsigned as u64, right as $unsigned as u64)
                };
                let bits = |value: $native| value as $unsigned as u64;
                prop_assert_eq!(found(BinaryOperation::Add), bits(left.wrapping_add(right)));
                prop_assert_eq!(found(BinaryOperation::Subtract), bits(left.wrapping_sub(right)));
                prop_assert_eq!(found(BinaryOperation::Multiply), bits(left.wrapping_mul(right)));
                prop_assert_eq!(found(BinaryOperation::And), bits(left & right));
                prop_assert_eq!(found(BinaryOperation::Or), bits(left | right));
                prop_assert_eq!(found(BinaryOperation::Xor), bits(left ^ right));
                prop_assert_eq!(found(BinaryOperation::Minimum), bits(left.min(right)));
                prop_assert_eq!(found(BinaryOperation::Maximum), bits(left.max(right)));
                let high = (left as $wide * right as $wide) >> <$native>::BITS;
                prop_assert_eq!(found(BinaryOperation::MultiplyHigh), bits(high as $native));
                if right != 0 {
                    prop_assert_eq!(found(BinaryOperation::Divide), bits(left.wrapping_div(right)));
                    prop_assert_eq!(
                        found(BinaryOperation::Remainder),
                        bits(left.wrapping_rem(right))
                    );
                }
            }
        )*}
    };
}

integers_are_native! {
    i8_is_native: i8, u8, i16, I8;
    i16_is_native: i16, u16, i32, I16;
    i32_is_native: i32, u32, i64, I32;
    i64_is_native: i64, u64, i128, I64;
    u8_is_native: u8, u8, u16, U8;
    u16_is_native: u16, u16, u32, U16;
    u32_is_native: u32, u32, u64, U32;
    u64_is_native: u64, u64, u128, U64;
}

#[test]
fn the_smallest_integer_over_minus_one_wraps() {
    let element = ElementType::I32;
    let (smallest, minus_one) = (0x8000_0000, 0xffff_ffff);
    assert_eq!(
        apply(BinaryOperation::Divide, element, smallest, minus_one),
        smallest
    );
    assert_eq!(
        apply(BinaryOperation::Remainder, element, smallest, minus_one),
        0
    );
}

#[test]
fn shifts_of_the_width_or_more_leave_zero_or_the_sign() {
    use BinaryOperation::{ShiftLeft, ShiftRight};
    let minus_eight = 0xf8;
    for amount in [8, 9, 0x80, 0xff] {
        assert_eq!(apply(ShiftLeft, ElementType::I8, minus_eight, amount), 0);
        assert_eq!(
            apply(ShiftRight, ElementType::I8, minus_eight, amount),
            0xff
        );
        assert_eq!(apply(ShiftRight, ElementType::I8, 8, amount), 0);
        assert_eq!(apply(ShiftRight, ElementType::U8, minus_eight, amount), 0);
    }
    assert_eq!(apply(ShiftLeft, ElementType::I8, 0xff, 7), 0x80);
    assert_eq!(apply(ShiftRight, ElementType::I8, minus_eight, 2), 0xfe);
    assert_eq!(apply(ShiftRight, ElementType::U8, minus_eight, 2), 0x3e);
    assert_eq!(apply(ShiftLeft, ElementType::U64, 1, 63), 1 << 63);
    assert_eq!(apply(ShiftLeft, ElementType::U64, 1, 64), 0);
}

#[test]
fn one_bit_arithmetic_is_modulo_two() {
    let element = ElementType::I1;
    assert_eq!(apply(BinaryOperation::Add, element, 1, 1), 0);
    assert_eq!(apply(BinaryOperation::Multiply, element, 1, 1), 1);
    assert_eq!(apply(BinaryOperation::Maximum, element, 0, 1), 1);
}

#[test]
fn a_zero_divisor_is_blamed_on_its_element() {
    let tile = |values: [i128; 3]| Tile::from_integers(ElementType::I32, &[3], values.into_iter());
    let fault = binary(
        BinaryOperation::Remainder,
        &tile([1, 2, -3]),
        &tile([1, 2, 0]),
        None,
    )
    .expect_err("division by zero");
    assert_eq!(fault.element, Some(2));
    let expected = Fault::DivisionByZero {
        dividend: -3,
        operator: '%',
    };
    assert_eq!(fault.fault, expected);
}
