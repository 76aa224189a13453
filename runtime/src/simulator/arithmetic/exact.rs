//! Arithmetic on floats of any format, rounded once, in any mode.
//!
//! Operands are decoded to integers with an exponent, the operation is done on integers, and the
//! result is rounded. Where a result has no end (division, roots, sums of numbers far apart) its
//! lowest bit says that something follows, which is all that rounding needs to know.

use super::format::{Format, Number, Value};
use super::rounding::Mode;

/// `a + b`.
pub(super) fn add(format: &Format, [a, b]: [u64; 2], mode: Mode) -> u64 {
    format.encode(sum(format.decode(a), format.decode(b), mode), mode)
}

/// `a * b`.
pub(super) fn mul(format: &Format, [a, b]: [u64; 2], mode: Mode) -> u64 {
    format.encode(product(format.decode(a), format.decode(b)), mode)
}

/// `a * b + c`, rounded once.
pub(super) fn fma(format: &Format, [a, b, c]: [u64; 3], mode: Mode) -> u64 {
    let product = product(format.decode(a), format.decode(b));
    format.encode(sum(product, format.decode(c), mode), mode)
}

/// `a / b`.
pub(super) fn div(format: &Format, [a, b]: [u64; 2], mode: Mode) -> u64 {
    format.encode(quotient(format.decode(a), format.decode(b)), mode)
}

/// The square root.
pub(super) fn sqrt(format: &Format, a: u64, mode: Mode) -> u64 {
    format.encode(root(format.decode(a)), mode)
}

/// An integer of at most 64 bits.
pub(super) fn from_integer(format: &Format, value: i128, mode: Mode) -> u64 {
    let number = Number {
        negative: value < 0,
        exponent: 0,
        significand: value.unsigned_abs(),
    };
    format.round(number, mode)
}

impl Number {
    /// The same number with its leading bit at this position, which must be at or above where it
    /// is.
    fn with_leading(self, position: u32) -> Self {
        let shift = position - self.significand.ilog2();
        Self {
            exponent: self.exponent - shift as i32,
            significand: self.significand << shift,
            ..self
        }
    }
}

fn sum(a: Value, b: Value, mode: Mode) -> Value {
    use Value::{Finite, Infinity, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinity { negative: a }, Infinity { negative: b }) if a != b => Nan,
        (Infinity { negative }, _) | (_, Infinity { negative }) => Infinity { negative },
        (Finite(a), Finite(b)) => Finite(sum_of_numbers(a, b, mode)),
    }
}

fn sum_of_numbers(a: Number, b: Number, mode: Mode) -> Number {
    let zero = |negative| Number {
        negative,
        exponent: 0,
        significand: 0,
    };
    // IEEE 754, 6.3: a sum of opposites is +0, but -0 when rounding down.
    match (a.significand, b.significand) {
        (0, 0) if a.negative == b.negative => return a,
        (0, 0) => return zero(mode == Mode::Down),
        (0, _) => return b,
        (_, 0) => return a,
        _ => {}
    }
    let (a, b) = (a.with_leading(125), b.with_leading(125));
    let (large, small) = if a.exponent >= b.exponent {
        (a, b)
    } else {
        (b, a)
    };
    let shift = large.exponent - small.exponent;
    // Cancellation of more than one bit happens only where nothing is shifted out, because
    // operands, products among them, have 20 bits of room below.
    let shifted = if shift > 126 {
        1
    } else {
        let lost = small.significand & ((1 << shift) - 1) != 0;
        small.significand >> shift | u128::from(lost)
    };
    let (negative, significand) = if a.negative == b.negative {
        (large.negative, large.significand + shifted)
    } else if large.significand >= shifted {
        (large.negative, large.significand - shifted)
    } else {
        (small.negative, shifted - large.significand)
    };
    if significand == 0 {
        return zero(mode == Mode::Down);
    }
    Number {
        negative,
        exponent: large.exponent,
        significand,
    }
}

fn product(a: Value, b: Value) -> Value {
    use Value::{Finite, Infinity, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinity { .. }, Finite(Number { significand: 0, .. }))
        | (Finite(Number { significand: 0, .. }), Infinity { .. }) => Nan,
        (Infinity { negative }, other) | (other, Infinity { negative }) => Infinity {
            negative: negative != other.is_negative(),
        },
        (Finite(a), Finite(b)) => Finite(Number {
            negative: a.negative != b.negative,
            exponent: a.exponent + b.exponent,
            significand: a.significand * b.significand,
        }),
    }
}

fn quotient(a: Value, b: Value) -> Value {
    use Value::{Finite, Infinity, Nan};
    let negative = a.is_negative() != b.is_negative();
    let zero = Number {
        negative,
        exponent: 0,
        significand: 0,
    };
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinity { .. }, Infinity { .. }) => Nan,
        (Infinity { .. }, Finite(_)) => Infinity { negative },
        (Finite(_), Infinity { .. }) => Finite(zero),
        (Finite(a), Finite(b)) => match (a.significand, b.significand) {
            (0, 0) => Nan,
            (_, 0) => Infinity { negative },
            (0, _) => Finite(zero),
            _ => {
                let a = a.with_leading(126);
                let remains = a.significand % b.significand != 0;
                Finite(Number {
                    negative,
                    exponent: a.exponent - b.exponent,
                    significand: (a.significand / b.significand) | u128::from(remains),
                })
            }
        },
    }
}

fn root(a: Value) -> Value {
    match a {
        Value::Finite(a) if a.significand == 0 => Value::Finite(a),
        Value::Finite(a) if !a.negative => {
            let leading = 126 - u32::from(a.with_leading(126).exponent % 2 != 0);
            let a = a.with_leading(leading);
            let root = a.significand.isqrt();
            let remains = root * root != a.significand;
            Value::Finite(Number {
                negative: false,
                exponent: a.exponent / 2,
                significand: root | u128::from(remains),
            })
        }
        Value::Infinity { negative: false } => a,
        _ => Value::Nan,
    }
}

impl Value {
    /// The sign; a NaN has none.
    pub fn is_negative(self) -> bool {
        match self {
            Self::Nan => false,
            Self::Infinity { negative } | Self::Finite(Number { negative, .. }) => negative,
        }
    }
}
