//! Numbers as bits: every conversion between element types goes through this file.
//!
//! An element is held as its bits in a `u64` (zero-extended) together with its
//! [`ElementType`]; a [`Scalar`] is the number itself, wide enough for all of them. So
//! `from_scalar(element, to_scalar(element, bits)) == bits` for everything but NaN payloads.
//!
//! Rules of conversion:
//! - to a float: round to nearest, ties to even, exactly once (no detour through a narrower
//!   type); `f16` and `bf16` overflow to infinity, `f8e4m3` and `f8e5m2` saturate at their largest
//!   finite value, infinities included, as the hardware's `cvt.rn.satfinite` does; a NaN stays
//!   a NaN (`0x7f` in the 8-bit types);
//! - float to integer: towards zero, saturating, NaN to 0, as Rust's `as`;
//! - integer to integer: the low bits, as Rust's `as`;
//! - to `i1`: 1 unless the number is 0.

use std::fmt;

use half::{bf16, f16};

use crate::element::ElementType;

/// A number of any element type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    /// An integer; `i1` is 0 or 1.
    Int(i128),
    /// A float.
    Float(f64),
}

impl Scalar {
    /// The nearest `f64`.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// The integer, or the float towards zero, saturating at the ends of `i64`.
    #[must_use]
    pub fn as_i64(self) -> i64 {
        match self {
            Self::Int(value) => {
                i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
            }
            Self::Float(value) => value as i64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            // `{:?}` keeps the point that tells a float from an integer.
            Self::Float(value) => fmt::Debug::fmt(value, f),
        }
    }
}

macro_rules! scalar_from {
    ($($native:ty => $variant:ident),* $(,)?) => {$(
        impl From<$native> for Scalar {
            fn from(value: $native) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}
scalar_from!(
    bool => Int, i8 => Int, i16 => Int, i32 => Int, i64 => Int, u8 => Int, u16 => Int, u32 => Int,
    u64 => Int, f16 => Float, bf16 => Float, f32 => Float, f64 => Float,
);

impl From<usize> for Scalar {
    fn from(value: usize) -> Self {
        Self::Int(value as i128)
    }
}

/// The bits of `value` as an `element`, by the rules on top of this file.
#[must_use]
pub fn from_scalar(element: ElementType, value: Scalar) -> u64 {
    use ElementType as E;
    let float = match value {
        Scalar::Int(value) => to_odd(value),
        Scalar::Float(value) => value,
    };
    // Saturation first (only floats saturate), then the low bits.
    macro_rules! integer {
        ($native:ty, $bits:ty) => {
            match value {
                Scalar::Int(value) => value as $native as $bits as u64,
                Scalar::Float(value) => value as $native as $bits as u64,
            }
        };
    }
    match element {
        E::I1 => u64::from(value != Scalar::Int(0) && value != Scalar::Float(0.0)),
        E::I8 => integer!(i8, u8),
        E::I16 => integer!(i16, u16),
        E::I32 => integer!(i32, u32),
        E::I64 => integer!(i64, u64),
        E::U8 => integer!(u8, u8),
        E::U16 => integer!(u16, u16),
        E::U32 => integer!(u32, u32),
        E::U64 => integer!(u64, u64),
        E::F16 => narrow(&F16, float),
        E::BF16 => narrow(&BF16, float),
        E::F32 => u64::from((float as f32).to_bits()),
        // `as` rounds an integer to nearest even; the to-odd value is only for narrowing.
        E::F64 => value.as_f64().to_bits(),
        E::F8E4M3 => narrow(&F8E4M3, float),
        E::F8E5M2 => narrow(&F8E5M2, float),
    }
}

/// The number whose bits as an `element` are `bits` (bits above the element's are ignored).
#[must_use]
pub fn to_scalar(element: ElementType, bits: u64) -> Scalar {
    use ElementType as E;
    match element {
        E::I1 => Scalar::Int(i128::from(bits & 0xff != 0)),
        E::I8 => (bits as i8).into(),
        E::I16 => (bits as i16).into(),
        E::I32 => (bits as i32).into(),
        E::I64 => (bits as i64).into(),
        E::U8 => (bits as u8).into(),
        E::U16 => (bits as u16).into(),
        E::U32 => (bits as u32).into(),
        E::U64 => bits.into(),
        E::F16 => f16::from_bits(bits as u16).into(),
        E::BF16 => bf16::from_bits(bits as u16).into(),
        E::F32 => f32::from_bits(bits as u32).into(),
        E::F64 => f64::from_bits(bits).into(),
        E::F8E4M3 => Scalar::Float(widen(&F8E4M3, bits)),
        E::F8E5M2 => Scalar::Float(widen(&F8E5M2, bits)),
    }
}

/// Converts bits between element types; the identity when they are the same.
#[must_use]
pub fn convert(bits: u64, from: ElementType, to: ElementType) -> u64 {
    if from == to {
        bits
    } else {
        from_scalar(to, to_scalar(from, bits))
    }
}

/// `left / right`, rounded up: what `cdiv` is everywhere. `None` if `right` is 0.
#[must_use]
pub const fn divide_up(left: i128, right: i128) -> Option<i128> {
    match left.checked_div(right) {
        // Rounding to zero rounded up already where the exact quotient is negative.
        Some(quotient) if left % right != 0 && (left < 0) == (right < 0) => Some(quotient + 1),
        quotient => quotient,
    }
}

/// The smallest and the largest integer of an integer type; `None` for floats.
#[must_use]
pub const fn integer_range(element: ElementType) -> Option<(i128, i128)> {
    let bits = element.bits();
    if element.is_float() {
        None
    } else if element.is_signed() {
        Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
    } else {
        Some((0, (1 << bits) - 1))
    }
}

/// The largest finite number of a float type; `None` for integers.
#[must_use]
pub fn largest_finite(element: ElementType) -> Option<f64> {
    match element {
        ElementType::F16 => Some(65504.0),
        ElementType::BF16 => Some(bf16::MAX.to_f64()),
        ElementType::F32 => Some(f64::from(f32::MAX)),
        ElementType::F64 => Some(f64::MAX),
        ElementType::F8E4M3 => Some(448.0),
        ElementType::F8E5M2 => Some(57344.0),
        _ => None,
    }
}

/// Whether a number can be passed as an `element` without changing its kind or leaving its range:
/// integers in range, numbers that do not overflow a float type (rounding is fine; infinities and
/// NaN fit every float type).
#[must_use]
pub fn fits(element: ElementType, value: Scalar) -> bool {
    match (integer_range(element), value) {
        (Some((low, high)), Scalar::Int(value)) => (low..=high).contains(&value),
        (Some(_), Scalar::Float(_)) => false,
        (None, Scalar::Float(value)) if !value.is_finite() => true,
        (None, value) => largest_finite(element).is_some_and(|limit| value.as_f64().abs() <= limit),
    }
}

/// Whether these bits are a NaN of a float type.
#[must_use]
pub fn is_nan(element: ElementType, bits: u64) -> bool {
    matches!(to_scalar(element, bits), Scalar::Float(value) if value.is_nan())
}

/// A float format of at most 16 bits.
struct Format {
    mantissa_bits: i32,
    bias: i32,
    /// Bits of the largest finite value.
    largest: u64,
    sign: u64,
    nan: u64,
    /// Bits of infinity; `None` where conversions saturate.
    overflow: Option<u64>,
}

const F16: Format = Format {
    mantissa_bits: 10,
    bias: 15,
    largest: 0x7bff,
    sign: 0x8000,
    nan: 0x7e00,
    overflow: Some(0x7c00),
};
const BF16: Format = Format {
    mantissa_bits: 7,
    bias: 127,
    largest: 0x7f7f,
    sign: 0x8000,
    nan: 0x7fc0,
    overflow: Some(0x7f80),
};
const F8E4M3: Format = Format {
    mantissa_bits: 3,
    bias: 7,
    largest: 0x7e,
    sign: 0x80,
    nan: 0x7f,
    overflow: None,
};
const F8E5M2: Format = Format {
    mantissa_bits: 2,
    bias: 15,
    largest: 0x7b,
    sign: 0x80,
    nan: 0x7f,
    overflow: None,
};

/// Rounds to a narrow format, to nearest even.
///
/// Works on the bits of the `f64`: below the format's normal range the mantissa is shifted right
/// further (the format's subnormals), and a carry out of the mantissa walks into the exponent by
/// itself, because exponent and mantissa are adjacent.
fn narrow(format: &Format, value: f64) -> u64 {
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() {
        format.sign
    } else {
        0
    };
    if value.is_nan() {
        return format.nan;
    }
    if value.is_infinite() {
        return sign | format.overflow.unwrap_or(format.largest);
    }
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    if exponent < -1000 {
        return sign; // far below every format; also all subnormal f64
    }
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let smallest = 1 - format.bias; // exponent of the smallest normal
    let shift = 52 - format.mantissa_bits + (smallest - exponent).max(0);
    if shift > 62 {
        return sign;
    }
    let kept = mantissa >> shift;
    let rest = mantissa & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let up = u64::from(rest > half || (rest == half && kept & 1 == 1));
    // `kept` holds the leading 1 of a normal number, which counts as one exponent step.
    let steps = (exponent - smallest).max(0) as u64;
    let magnitude = (steps << format.mantissa_bits) + kept + up;
    if magnitude > format.largest {
        sign | format.overflow.unwrap_or(format.largest)
    } else {
        sign | magnitude
    }
}

/// The value of the bits of an 8-bit float (exact).
fn widen(format: &Format, bits: u64) -> f64 {
    let magnitude = bits & (format.sign - 1);
    let sign = if bits & format.sign == 0 { 1.0 } else { -1.0 };
    if magnitude > format.largest {
        // e5m2 has an infinity right after its largest finite value; e4m3 has only NaN there.
        let infinite = format.mantissa_bits == 2 && magnitude == format.largest + 1;
        return if infinite {
            sign * f64::INFINITY
        } else {
            f64::NAN
        };
    }
    let field = (magnitude >> format.mantissa_bits) as i32;
    let fraction = (magnitude & ((1 << format.mantissa_bits) - 1)) as f64;
    let unit = f64::from(1 << format.mantissa_bits);
    if field == 0 {
        sign * fraction / unit * 2f64.powi(1 - format.bias)
    } else {
        sign * (1.0 + fraction / unit) * 2f64.powi(field - format.bias)
    }
}

/// An integer as an `f64` that is rounded to odd where it is not exact, so that rounding it again
/// to a narrower type gives the correctly rounded result.
fn to_odd(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let sticky = u128::from(magnitude & ((1 << excess) - 1) != 0);
    let exact = (((magnitude >> excess) | sticky) << excess) as f64;
    if value < 0 { -exact } else { exact }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All finite values of a format of at most 16 bits, ascending from +0.
    fn finite(element: ElementType) -> Vec<(u64, f64)> {
        let limit = 1u64 << (element.bits() - 1);
        (0..limit)
            .map(|bits| (bits, to_scalar(element, bits).as_f64()))
            .filter(|(_, value)| value.is_finite())
            .collect()
    }

    const NARROW: [ElementType; 4] = [
        ElementType::F8E4M3,
        ElementType::F8E5M2,
        ElementType::F16,
        ElementType::BF16,
    ];

    #[test]
    fn every_narrow_float_survives_the_way_there_and_back() {
        for element in NARROW {
            for bits in 0..1u64 << element.bits() {
                let value = to_scalar(element, bits).as_f64();
                let back = from_scalar(element, Scalar::Float(value));
                if value.is_nan() {
                    assert!(is_nan(element, back), "{element} {bits:#x}");
                } else if value.is_infinite() && element == ElementType::F8E5M2 {
                    assert_eq!(back & 0x7f, 0x7b, "infinity saturates");
                } else {
                    assert_eq!(back, bits, "{element} {bits:#x} = {value}");
                }
            }
        }
    }

    #[test]
    fn between_neighbours_the_nearer_wins_and_a_tie_goes_to_even() {
        for element in NARROW {
            for pair in finite(element).windows(2) {
                let ((low_bits, low), (high_bits, high)) = (pair[0], pair[1]);
                let middle = low + (high - low) / 2.0; // exact: both have few bits
                let to = |value: f64| from_scalar(element, Scalar::Float(value));
                let even = if low_bits % 2 == 0 {
                    low_bits
                } else {
                    high_bits
                };
                assert_eq!(
                    to(middle),
                    even,
                    "{element}: the middle of {low} and {high}"
                );
                assert_eq!(to(middle.next_down()), low_bits);
                assert_eq!(to(middle.next_up()), high_bits);
                let sign = 1 << (element.bits() - 1);
                assert_eq!(to(-middle), sign | even);
            }
        }
    }

    #[test]
    fn past_the_largest_value_f8_saturates_and_f16_overflows() {
        let to = |element, value| from_scalar(element, Scalar::Float(value));
        assert_eq!(to(ElementType::F8E4M3, 449.0), 0x7e);
        assert_eq!(to(ElementType::F8E4M3, 1e300), 0x7e);
        assert_eq!(to(ElementType::F8E4M3, f64::NEG_INFINITY), 0xfe);
        assert_eq!(to(ElementType::F8E5M2, f64::INFINITY), 0x7b);
        assert_eq!(to(ElementType::F16, 65519.999), 0x7bff);
        assert_eq!(to(ElementType::F16, 65520.0), 0x7c00);
        assert_eq!(to(ElementType::BF16, f64::MAX), 0x7f80);
        assert_eq!(to(ElementType::F8E4M3, f64::NAN), 0x7f);
    }

    #[test]
    fn known_values_of_the_eight_bit_floats() {
        let of = |element, bits| to_scalar(element, bits).as_f64();
        assert_eq!(of(ElementType::F8E4M3, 0x7e), 448.0);
        assert_eq!(of(ElementType::F8E4M3, 0x01), 2f64.powi(-9));
        assert_eq!(of(ElementType::F8E4M3, 0x38), 1.0);
        assert_eq!(of(ElementType::F8E5M2, 0x7b), 57344.0);
        assert_eq!(of(ElementType::F8E5M2, 0x01), 2f64.powi(-16));
        assert_eq!(of(ElementType::F8E5M2, 0xbc), -1.0);
        assert!(of(ElementType::F8E5M2, 0x7c).is_infinite());
    }

    #[test]
    fn integers_saturate_from_floats_and_wrap_from_integers() {
        let to = |element, value: Scalar| from_scalar(element, value);
        assert_eq!(to(ElementType::I8, Scalar::Float(-1e9)), 0x80);
        assert_eq!(to(ElementType::I8, Scalar::Int(200)), 200);
        assert_eq!(to(ElementType::U32, Scalar::Float(f64::NAN)), 0);
        assert_eq!(
            to(ElementType::I32, Scalar::Float(-1.9)),
            u64::from(u32::MAX)
        );
        assert_eq!(to(ElementType::I1, Scalar::Int(256)), 1);
        assert_eq!(to(ElementType::I1, Scalar::Float(0.25)), 1);
    }

    #[test]
    fn what_fits_and_what_does_not() {
        assert!(fits(ElementType::U8, 255.into()));
        assert!(!fits(ElementType::U8, 256.into()));
        assert!(!fits(ElementType::I32, 1.0.into()));
        assert!(fits(ElementType::F16, 65504.into()));
        assert!(!fits(ElementType::F16, 70000.0.into()));
        assert!(fits(ElementType::F8E4M3, f64::INFINITY.into()));
        assert!(fits(ElementType::I64, i64::MIN.into()));
        assert!(!fits(ElementType::I1, 2.into()));
    }

    proptest! {
        #[test]
        fn f32_and_half_agree_with_the_half_crate(value in any::<f32>()) {
            let to = |element| from_scalar(element, value.into());
            prop_assert_eq!(to(ElementType::F32), u64::from(value.to_bits()));
            if !value.is_nan() {
                prop_assert_eq!(to(ElementType::F16), u64::from(f16::from_f32(value).to_bits()));
                prop_assert_eq!(to(ElementType::BF16), u64::from(bf16::from_f32(value).to_bits()));
            }
        }

        #[test]
        fn integers_round_to_f32_once(value in any::<i64>()) {
            prop_assert_eq!(
                from_scalar(ElementType::F32, value.into()),
                u64::from((value as f32).to_bits())
            );
        }
    }
}
