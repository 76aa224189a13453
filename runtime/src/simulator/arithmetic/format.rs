//! Float formats as data: what their bits mean, and how a number is rounded to one.
//!
//! This is the exact road that every format and rounding mode can take; what a program does often
//! has a faster one (`float`, `half`) that gives the same bits.

use super::rounding::Mode;

/// The number ± significand × 2^exponent.
///
/// The significand's lowest bit may stand for everything below it: a 1 there says that the number
/// is not exact and lies strictly between two even significands. So long as two more bits are to
/// be rounded away, no rounding can tell the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub negative: bool,
    pub exponent: i32,
    /// Below 2^127.
    pub significand: u128,
}

/// What the bits of a float are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Nan,
    Infinity { negative: bool },
    Finite(Number),
}

/// What lies above the largest finite number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Specials {
    /// Infinity, and NaN above it, as IEEE 754 has it.
    Ieee,
    /// One NaN.
    Nan,
    /// Nothing.
    None,
}

/// A float format: sign, exponent, fraction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    /// Bits of the fraction.
    pub fraction: u32,
    /// Bits of exponent and fraction.
    pub magnitude: u32,
    pub bias: i32,
    pub specials: Specials,
    /// Bits of the largest finite number.
    pub largest: u64,
    /// The NaN that results are.
    pub nan: u64,
}

const fn ieee(exponent: u32, fraction: u32, nan: u64) -> Format {
    Format {
        fraction,
        magnitude: exponent + fraction,
        bias: (1 << (exponent - 1)) - 1,
        specials: Specials::Ieee,
        largest: (((1 << exponent) - 1) << fraction) - 1,
        nan,
    }
}

/// NaN results are all ones but the sign (PTX ISA, 9.7.3 leaves it open; CUDA's headers give these
/// bits as the NaN of each type).
pub(super) const F16: Format = ieee(5, 10, 0x7fff);
pub(super) const BF16: Format = ieee(8, 7, 0x7fff);
pub(super) const F32: Format = ieee(8, 23, 0x7fff_ffff);
/// `f64` keeps the payload of a NaN operand (PTX ISA, 9.7.3); this is the NaN that operations make.
pub(super) const F64: Format = ieee(11, 52, 0xfff8_0000_0000_0000);
/// A float of 32 bits of which the lower 13 are zero.
pub(super) const TF32: Format = ieee(8, 10, 0x7fff_ffff >> 13);
pub(super) const E5M2: Format = ieee(5, 2, 0x7f);
pub(super) const E4M3: Format = Format {
    specials: Specials::Nan,
    largest: 0x7e,
    ..ieee(4, 3, 0x7f)
};
/// Formats without NaN give their largest number for one (PTX ISA, 9.7.9, `cvt`).
pub(super) const E3M2: Format = Format {
    specials: Specials::None,
    largest: 0x1f,
    ..ieee(3, 2, 0x1f)
};
pub(super) const E2M3: Format = Format {
    specials: Specials::None,
    largest: 0x1f,
    ..ieee(2, 3, 0x1f)
};
pub(super) const E2M1: Format = Format {
    specials: Specials::None,
    largest: 0x7,
    ..ieee(2, 1, 0x7)
};

impl Format {
    /// The sign bit.
    pub const fn sign(&self) -> u64 {
        1 << self.magnitude
    }

    /// Bits of +infinity, or of what lies above the largest number.
    const fn infinity(&self) -> u64 {
        self.largest + 1
    }

    /// The exponent of the lowest bit of subnormal numbers.
    const fn smallest(&self) -> i32 {
        1 - self.bias - self.fraction as i32
    }

    /// What these bits are.
    pub fn decode(&self, bits: u64) -> Value {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        if magnitude > self.largest {
            return if self.specials == Specials::Ieee && magnitude == self.infinity() {
                Value::Infinity { negative }
            } else {
                Value::Nan
            };
        }
        let field = (magnitude >> self.fraction) as i32;
        let fraction = magnitude & ((1 << self.fraction) - 1);
        let hidden = u64::from(field > 0) << self.fraction;
        Value::Finite(Number {
            negative,
            exponent: self.smallest() + (field - 1).max(0),
            significand: (hidden | fraction).into(),
        })
    }

    /// The bits of a number, rounded.
    pub fn round(&self, number: Number, mode: Mode) -> u64 {
        let Number {
            negative,
            exponent,
            significand,
        } = number;
        let sign = if negative { self.sign() } else { 0 };
        if significand == 0 {
            return sign;
        }
        let leading = exponent + significand.ilog2() as i32;
        // The exponent of the lowest bit that the result has.
        let unit = (leading - self.fraction as i32).max(self.smallest());
        let shift = unit - exponent;
        let kept = if shift <= 0 {
            (significand << -shift) as u64
        } else {
            // Below a quarter of a unit nothing is told apart.
            let (shift, significand) = if shift > 127 {
                (2, 1)
            } else {
                (shift, significand)
            };
            let kept = (significand >> shift) as u64;
            let rest = significand & ((1 << shift) - 1);
            let half = 1 << (shift - 1);
            let up = match mode {
                Mode::Nearest => rest > half || rest == half && kept & 1 == 1,
                Mode::NearestAway => rest >= half,
                Mode::Zero => false,
                Mode::Down => negative && rest > 0,
                Mode::Up => !negative && rest > 0,
            };
            kept + u64::from(up)
        };
        // The leading 1 of a normal number counts as one step of the exponent, and so does a carry
        // out of the fraction.
        let steps = (unit - self.smallest()) as u64;
        let magnitude = (steps << self.fraction) + kept;
        if magnitude > self.largest {
            sign | self.overflow(negative, mode)
        } else {
            sign | magnitude
        }
    }

    /// What a number above the largest becomes: infinity, unless rounding leads back.
    fn overflow(&self, negative: bool, mode: Mode) -> u64 {
        let back = match mode {
            Mode::Nearest | Mode::NearestAway => false,
            Mode::Zero => true,
            Mode::Down => !negative,
            Mode::Up => negative,
        };
        if back || self.specials != Specials::Ieee {
            self.largest
        } else {
            self.infinity()
        }
    }

    /// The bits of a value, rounded if it is a number.
    pub fn encode(&self, value: Value, mode: Mode) -> u64 {
        match value {
            Value::Nan => self.nan,
            Value::Infinity { negative } => {
                let sign = if negative { self.sign() } else { 0 };
                sign | if self.specials == Specials::Ieee {
                    self.infinity()
                } else {
                    self.largest
                }
            }
            Value::Finite(number) => self.round(number, mode),
        }
    }
}
