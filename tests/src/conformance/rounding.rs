//! Conversions of numbers to element types, from their definitions; shared with nothing.

use tile_runtime::element::ElementType::{self, BF16, F8E4M3, F8E5M2, F16, F32, F64, I1};

/// A float format: bits of the fraction, exponent of the smallest normal number, largest number.
struct Format {
    fraction: i32,
    smallest: i32,
    largest: f64,
    saturates: bool,
}

fn format(element: ElementType) -> Option<Format> {
    let format = |fraction, smallest, largest, saturates| Format {
        fraction,
        smallest,
        largest,
        saturates,
    };
    Some(match element {
        F16 => format(10, -14, 65_504.0, false),
        BF16 => format(7, -126, 255.0 * 120_f64.exp2(), false),
        F32 => format(23, -126, f64::from(f32::MAX), false),
        F8E4M3 => format(3, -6, 448.0, true),
        F8E5M2 => format(2, -14, 57_344.0, true),
        _ => return None,
    })
}

/// The nearest number of a type, in doubt the even one; toward zero if asked for. Floats become
/// integers toward zero and saturate.
#[must_use]
pub fn cast(element: ElementType, value: f64, toward_zero: bool) -> f64 {
    if element == F64 {
        return value;
    }
    if element == I1 {
        return f64::from(value != 0.0);
    }
    let Some(format) = format(element) else {
        let (low, high) = range(element);
        // NaN becomes 0.
        return if value.is_nan() {
            0.0
        } else {
            value.trunc().clamp(low, high)
        };
    };
    if value.is_nan() || value == 0.0 {
        return value;
    }
    if value.is_infinite() {
        return if format.saturates {
            format.largest.copysign(value)
        } else {
            value
        };
    }
    // Two numbers next to each other are `unit` apart. Powers of two are exact, and so is all of it.
    let mut exponent = value.abs().log2().floor() as i32;
    // The logarithm may be rounded to the next integer.
    exponent -= i32::from(f64::from(exponent).exp2() > value.abs());
    exponent += i32::from(f64::from(exponent + 1).exp2() <= value.abs());
    let unit = f64::from(exponent.max(format.smallest) - format.fraction).exp2();
    let units = value / unit;
    let rounded = unit
        * if toward_zero {
            units.trunc()
        } else {
            units.round_ties_even()
        };
    match rounded.abs() > format.largest {
        true if format.saturates || toward_zero => format.largest.copysign(value),
        true => f64::INFINITY.copysign(value),
        // The sign of what becomes zero stays.
        false => rounded.copysign(value),
    }
}

/// The low bits of an integer, as a number of the type.
#[must_use]
pub fn wrap(element: ElementType, value: f64) -> f64 {
    if element == I1 {
        return f64::from(value != 0.0);
    }
    let modulus = 1_i128 << element.bits();
    let low = (value as i128).rem_euclid(modulus);
    let is_negative = element.is_signed() && low >= modulus / 2;
    (if is_negative { low - modulus } else { low }) as f64
}

fn range(element: ElementType) -> (f64, f64) {
    let bits = f64::from(element.bits());
    if element.is_signed() {
        (-(bits - 1.0).exp2(), (bits - 1.0).exp2() - 1.0)
    } else {
        (0.0, bits.exp2() - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tile_runtime::element::ElementType::{I8, U16};

    #[test]
    fn floats_round_to_even() {
        assert_eq!(cast(F16, 2049.0, false), 2048.0);
        assert_eq!(cast(F16, 2051.0, false), 2052.0);
        assert_eq!(cast(BF16, 1.0 + 1.0 / 256.0, false), 1.0);
        assert_eq!(cast(F32, 1.0 / 3.0, false), f64::from(1.0_f32 / 3.0));
        assert_eq!(cast(F16, 3e-8, false), 2_f64.powi(-24));
        assert_eq!(cast(F16, 2.9e-8, false), 0.0);
    }

    #[test]
    fn what_is_too_large_is_infinite_or_saturates() {
        assert_eq!(cast(F16, 65_519.9, false), 65_504.0);
        assert_eq!(cast(F16, 65_520.0, false), f64::INFINITY);
        assert_eq!(cast(F16, 1e9, true), 65_504.0);
        assert_eq!(cast(F8E4M3, -1e9, false), -448.0);
        assert_eq!(cast(F8E5M2, f64::INFINITY, false), 57_344.0);
    }

    #[test]
    fn integers_saturate_or_wrap() {
        assert_eq!(cast(I8, -300.5, false), -128.0);
        assert_eq!(cast(U16, 7.9, false), 7.0);
        assert_eq!(wrap(I8, 200.0), -56.0);
        assert_eq!(wrap(U16, -1.0), 65_535.0);
    }
}
