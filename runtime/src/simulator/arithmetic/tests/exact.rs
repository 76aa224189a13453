//! The reference: rational numbers, rounded by looking at the neighbours.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use crate::simulator::arithmetic::format::{Format, Specials};
use crate::simulator::arithmetic::rounding::Mode;

/// A fraction; the denominator is positive.
#[derive(Debug, Clone)]
pub struct Ratio {
    numerator: BigInt,
    denominator: BigInt,
}

impl Ratio {
    pub fn integer(value: impl Into<BigInt>) -> Self {
        Self {
            numerator: value.into(),
            denominator: BigInt::from(1),
        }
    }

    /// 2^exponent.
    fn power(exponent: i64) -> Self {
        let power = BigInt::from(1) << exponent.unsigned_abs();
        if exponent < 0 {
            Self {
                numerator: BigInt::from(1),
                denominator: power,
            }
        } else {
            Self::integer(power)
        }
    }

    /// The value of the bits of a finite float, by the definition of the format.
    pub fn of(format: &Format, bits: u64) -> Self {
        let magnitude = bits % format.sign();
        let ulps = 1u64 << format.fraction;
        let (field, fraction) = (magnitude / ulps, magnitude % ulps);
        let (leading, exponent) = if field == 0 {
            (0, 1 - format.bias)
        } else {
            (ulps, field as i32 - format.bias)
        };
        let scale = Self::power(i64::from(exponent) - i64::from(format.fraction));
        let value = Self::integer(leading + fraction).times(&scale);
        if bits < format.sign() {
            value
        } else {
            value.negated()
        }
    }

    pub fn negated(&self) -> Self {
        Self {
            numerator: -&self.numerator,
            denominator: self.denominator.clone(),
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub fn times(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub fn over(&self, other: &Self) -> Self {
        let flipped = match other.numerator.sign() {
            Sign::Minus => Self {
                numerator: -&other.denominator,
                denominator: -&other.numerator,
            },
            _ => Self {
                numerator: other.denominator.clone(),
                denominator: other.numerator.clone(),
            },
        };
        self.times(&flipped)
    }

    pub fn is_zero(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }

    pub fn is_negative(&self) -> bool {
        self.numerator.sign() == Sign::Minus
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// The bits of a number that is not zero, rounded.
pub fn round(format: &Format, mode: Mode, exact: &Ratio) -> u64 {
    let negative = exact.is_negative();
    let magnitude = if negative {
        exact.negated()
    } else {
        exact.clone()
    };
    round_where(format, mode, negative, |candidate| {
        candidate.compare(&magnitude)
    })
}

/// The bits of a positive number, given by how others compare to it, or of its opposite.
pub fn round_where(
    format: &Format,
    mode: Mode,
    negative: bool,
    compare: impl Fn(&Ratio) -> Ordering,
) -> u64 {
    // The largest float that is not above, looked for in all of them.
    let (mut low, mut high) = (0, format.largest + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if compare(&Ratio::of(format, middle)).is_gt() {
            high = middle;
        } else {
            low = middle;
        }
    }
    let exact = compare(&Ratio::of(format, low)).is_eq();
    // What follows the largest float would be one more step, if there were one.
    let (below, above) = (Ratio::of(format, low), Ratio::of(format, low + 1));
    let middle = below.plus(&above).over(&Ratio::integer(2));
    let up = match mode {
        Mode::Nearest => match compare(&middle) {
            Ordering::Less => true,
            Ordering::Equal => low % 2 == 1,
            Ordering::Greater => false,
        },
        Mode::NearestAway => !compare(&middle).is_gt(),
        Mode::Zero => false,
        Mode::Down => negative,
        Mode::Up => !negative,
    };
    let magnitude = if exact || !up { low } else { low + 1 };
    let magnitude = if format.specials == Specials::Ieee {
        magnitude
    } else {
        magnitude.min(format.largest)
    };
    magnitude + if negative { format.sign() } else { 0 }
}

#[test]
fn the_reference_rounds_as_the_cpu_does() {
    let third = Ratio::integer(1).over(&Ratio::integer(3));
    let format = crate::simulator::arithmetic::format::F64;
    assert_eq!(
        round(&format, Mode::Nearest, &third),
        (1.0f64 / 3.0).to_bits()
    );
    let minus = third.negated();
    assert_eq!(
        round(&format, Mode::Down, &minus),
        (-1.0f64 / 3.0).next_down().to_bits()
    );
    assert_eq!(
        Ratio::of(&format, 0.75f64.to_bits()).compare(&Ratio::integer(3).over(&Ratio::integer(4))),
        Ordering::Equal
    );
}
