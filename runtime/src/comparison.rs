//! Whether a tensor is what it should be.
//!
//! What each element may be off by is known, or there is a tolerance for all: then integers must be
//! the same, and floats may differ by a part of the largest magnitude in the element's row (of a
//! vector: in all of it), as a sum that cancels is as wrong as its terms are large. Rows of subnormal
//! numbers count as if they had the smallest normal one. Any NaN is as good as another.

use std::fmt;

use crate::element::ElementType;
use crate::numeric::{self, Scalar};
use crate::tensor::{Tensor, TensorError};

/// How many units in the last place a float may be wrong, unless something else is said.
pub const UNITS: f64 = 4.0;

/// How wrong an element may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance<'a> {
    /// Relative to the largest magnitude of its row.
    Relative(f64),
    /// By so much, element by element in row-major order.
    Elements(&'a [f64]),
}

/// How a tensor compares with what is expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// How many elements there are.
    pub elements: usize,
    /// Those whose bits differ.
    pub different: usize,
    /// Of these, those that differ by more than the tolerance.
    pub wrong: usize,
    /// The error that exceeds what it may be by most, or comes nearest to it, relative to the
    /// largest magnitude of its row; integers have none.
    pub largest: f64,
    /// What that one may be, relative to the same.
    pub tolerance: f64,
    /// The first element that is wrong.
    pub first: Option<Mismatch>,
    /// The type of the elements.
    pub element: ElementType,
}

/// An element that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where it is, outermost first.
    pub index: Vec<usize>,
    /// Its type.
    pub element: ElementType,
    /// The bits that it should have.
    pub expected: u64,
    /// Those it has.
    pub found: u64,
}

impl Comparison {
    /// Compares; without a tolerance it is [`UNITS`] units in the last place.
    ///
    /// # Errors
    /// If element types or shapes differ.
    pub fn new(
        expected: &Tensor,
        found: &Tensor,
        tolerance: Option<f64>,
    ) -> Result<Self, TensorError> {
        let usual = || UNITS * unit(expected.element());
        let tolerance = tolerance.unwrap_or_else(usual);
        Self::within(expected, found, Tolerance::Relative(tolerance))
    }

    /// Compares.
    ///
    /// # Errors
    /// If element types or shapes differ.
    pub fn within(
        expected: &Tensor,
        found: &Tensor,
        tolerance: Tolerance<'_>,
    ) -> Result<Self, TensorError> {
        let element = expected.element();
        if found.element() != element {
            return Err(TensorError::Element {
                found: found.element(),
                expected: element,
            });
        }
        if expected.shape() != found.shape() {
            return Err(TensorError::Shape {
                found: found.shape().to_vec(),
                expected: expected.shape().to_vec(),
            });
        }
        let mut comparison = Self {
            elements: expected.len(),
            different: 0,
            wrong: 0,
            largest: 0.0,
            tolerance: match tolerance {
                Tolerance::Relative(tolerance) => tolerance,
                Tolerance::Elements(_) => 0.0,
            },
            first: None,
            element,
        };
        let expected_bits: Vec<_> = expected.bits().collect();
        let found_bits: Vec<_> = found.bits().collect();
        let row = match *expected.shape() {
            [.., _, columns] => columns.max(1),
            _ => expected_bits.len().max(1),
        };
        let rows = expected_bits.chunks(row).zip(found_bits.chunks(row));
        for (number, (expected_row, found_row)) in rows.enumerate() {
            let tolerance = match tolerance {
                Tolerance::Elements(all) => {
                    let row = all.get(number * row..).unwrap_or_default();
                    Tolerance::Elements(row)
                }
                relative @ Tolerance::Relative(_) => relative,
            };
            if let Some(column) = comparison.row(expected_row, found_row, tolerance) {
                comparison.first.get_or_insert_with(|| Mismatch {
                    index: position(number * row + column, expected.shape()),
                    element,
                    expected: expected_row[column],
                    found: found_row[column],
                });
            }
        }
        Ok(comparison)
    }

    /// Compares a row; gives the first column that is wrong.
    fn row(&mut self, expected: &[u64], found: &[u64], tolerance: Tolerance<'_>) -> Option<usize> {
        let element = self.element;
        let value = |bits: u64| numeric::to_scalar(element, bits).as_f64();
        let magnitude = expected
            .iter()
            .map(|&bits| value(bits).abs())
            .filter(|magnitude| magnitude.is_finite())
            .fold(0.0, f64::max);
        // Below the normal numbers, units in the last place get no smaller.
        let magnitude = match magnitude {
            0.0 => 0.0,
            some => some.max(smallest_normal(element)),
        };
        let mut first = None;
        for (column, (&want, &got)) in expected.iter().zip(found).enumerate() {
            if want == got {
                continue;
            }
            let (want, got) = (value(want), value(got));
            if want.is_nan() && got.is_nan() {
                continue;
            }
            self.different += 1;
            let error = (want - got).abs();
            let allowed = match tolerance {
                Tolerance::Elements(row) => row.get(column).copied().unwrap_or_default(),
                Tolerance::Relative(tolerance) if element.is_float() => tolerance * magnitude,
                Tolerance::Relative(_) => 0.0,
            };
            if error != 0.0 && element.is_float() {
                // NaN and infinity are as wrong as can be.
                let relative = Some(error / magnitude).filter(|error| error.is_finite());
                let relative = relative.unwrap_or(f64::INFINITY);
                match tolerance {
                    Tolerance::Relative(_) => self.largest = self.largest.max(relative),
                    // Which part of what it may be, without a quotient of zeros.
                    Tolerance::Elements(_) => {
                        let may = allowed / magnitude;
                        if self.largest == 0.0 || relative * self.tolerance > self.largest * may {
                            (self.largest, self.tolerance) = (relative, may);
                        }
                    }
                }
            }
            if error <= allowed {
                continue;
            }
            self.wrong += 1;
            first.get_or_insert(column);
        }
        first
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_right(&self) -> bool {
        self.wrong == 0
    }
}

/// As `3 of 100 wrong, error 1.0e-3 of 4.8e-7; [1, 2] is 3 instead of 4`.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elements,
            different,
            wrong,
            largest,
            tolerance,
            ..
        } = self;
        let Some(first) = &self.first else {
            return match different {
                0 => f.write_str("as expected, bit for bit"),
                _ => write!(
                    f,
                    "as expected: {different} of {elements} elements differ, error {largest:.1e} \
                     of {tolerance:.1e}"
                ),
            };
        };
        write!(f, "{wrong} of {elements} wrong")?;
        if self.element.is_float() {
            write!(f, ", error {largest:.1e} of {tolerance:.1e}")?;
        }
        write!(f, "; {first}")
    }
}

impl Mismatch {
    /// How many numbers of the type lie between the two; `None` for integers and NaN.
    #[must_use]
    pub fn ulps(&self) -> Option<u64> {
        let element = self.element;
        let is_nan = |bits| numeric::is_nan(element, bits);
        if !element.is_float() || is_nan(self.expected) || is_nan(self.found) {
            return None;
        }
        // Floats are sign and magnitude: without the sign, bits count up as values do.
        let ordered = |bits: u64| {
            let sign = 1u64 << (element.bits() - 1);
            let magnitude = i128::from(bits & (sign - 1));
            if bits & sign == 0 {
                magnitude
            } else {
                -magnitude
            }
        };
        let distance = ordered(self.expected) - ordered(self.found);
        u64::try_from(distance.unsigned_abs()).ok()
    }

    /// As `3.5e0 (0x40600000) instead of 3e0 (0x40400000)`.
    #[must_use]
    pub fn values(&self) -> String {
        let shown = |bits: u64| match numeric::to_scalar(self.element, bits) {
            Scalar::Int(value) => value.to_string(),
            Scalar::Float(value) => format!("{value:e} ({bits:#x})"),
        };
        format!("{} instead of {}", shown(self.found), shown(self.expected))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is {}", self.index, self.values())
    }
}

/// The distance between 1 and the next number.
fn unit(element: ElementType) -> f64 {
    match element {
        ElementType::F64 => f64::EPSILON,
        ElementType::F32 => f64::from(f32::EPSILON),
        ElementType::F16 => half::f16::EPSILON.to_f64(),
        ElementType::BF16 => half::bf16::EPSILON.to_f64(),
        ElementType::F8E4M3 => 0.125,
        ElementType::F8E5M2 => 0.25,
        _ => 0.0,
    }
}

/// The least positive number that has all fraction bits.
fn smallest_normal(element: ElementType) -> f64 {
    match element {
        ElementType::F64 => f64::MIN_POSITIVE,
        ElementType::F32 => f64::from(f32::MIN_POSITIVE),
        ElementType::F16 => half::f16::MIN_POSITIVE.to_f64(),
        ElementType::BF16 => half::bf16::MIN_POSITIVE.to_f64(),
        ElementType::F8E4M3 => 0.015_625,
        ElementType::F8E5M2 => half::f16::MIN_POSITIVE.to_f64(),
        _ => 0.0,
    }
}

/// The indices of an element by its number.
fn position(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut indices: Vec<_> = shape
        .iter()
        .rev()
        .map(|&size| {
            let index = at % size.max(1);
            at /= size.max(1);
            index
        })
        .collect();
    indices.reverse();
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(values: &[f32]) -> Tensor {
        Tensor::from_vec(&[values.len() / 2, 2], values).expect("pairs")
    }

    fn compare(expected: &Tensor, found: &Tensor, tolerance: Option<f64>) -> Comparison {
        Comparison::new(expected, found, tolerance).expect("of one shape")
    }

    #[test]
    fn an_error_is_measured_by_the_largest_of_its_row() {
        let expected = tensor(&[1.0, 1000.0, 1.0, f32::NAN]);
        let found = tensor(&[1.0001, 1000.0, 1.0, -f32::NAN]);
        let close = compare(&expected, &found, Some(1e-6));
        assert_eq!(
            close.to_string(),
            "as expected: 1 of 4 elements differ, error 1.0e-7 of 1.0e-6"
        );
        assert!(compare(&expected, &found, None).is_right());
        let found = tensor(&[1.0, 1000.0, 1.0001, 2.0]);
        let wrong = compare(&expected, &found, Some(1e-6)).to_string();
        assert!(
            wrong.starts_with("2 of 4 wrong, error inf of 1.0e-6; [1, 0] is "),
            "{wrong}"
        );
    }

    #[test]
    fn each_element_has_its_own_tolerance() {
        let expected = tensor(&[1.0, 1000.0, 1.0, 0.0]);
        let found = tensor(&[1.25, 1000.0, 1.0, 0.0]);
        let within = |found, allowed: &[f64]| {
            let tolerance = Tolerance::Elements(allowed);
            Comparison::within(&expected, found, tolerance).expect("of one shape")
        };
        let close = within(&found, &[0.5, 0.0, 0.0, 0.0]);
        assert_eq!(
            close.to_string(),
            "as expected: 1 of 4 elements differ, error 2.5e-4 of 5.0e-4"
        );
        let wrong = within(&found, &[0.0, 1.0, 1.0, 1.0]).to_string();
        assert!(
            wrong.starts_with("1 of 4 wrong, error 2.5e-4 of 0.0e0; [0, 0] is "),
            "{wrong}"
        );
        let found = tensor(&[1.0, 1000.25, 1.0, 1.0]);
        let worst = within(&found, &[0.0, 1.0, 0.0, 0.5]);
        assert_eq!((worst.different, worst.wrong), (2, 1));
        assert_eq!((worst.largest, worst.tolerance), (1.0, 0.5));
    }

    #[test]
    fn integers_may_have_a_tolerance_of_their_own() {
        let expected = Tensor::from_vec(&[2], &[1, 2]).expect("two");
        let found = Tensor::from_vec(&[2], &[2, 3]).expect("two");
        let tolerance = Tolerance::Elements(&[1.0, 0.0]);
        let comparison = Comparison::within(&expected, &found, tolerance).expect("of one shape");
        assert_eq!(
            comparison.to_string(),
            "1 of 2 wrong; [1] is 3 instead of 2"
        );
    }

    #[test]
    fn units_of_subnormal_numbers_are_all_the_same() {
        let tiny = |units: u32| tensor(&[f32::from_bits(0x0011_c807 - units), 0.0]);
        assert!(compare(&tiny(0), &tiny(4), None).is_right());
        assert!(!compare(&tiny(0), &tiny(5), None).is_right());
        let zero = tensor(&[0.0, 0.0]);
        let least = tensor(&[f32::from_bits(1), 0.0]);
        assert!(!compare(&zero, &least, None).is_right());
    }

    #[test]
    fn integers_are_equal_or_wrong() {
        let expected = Tensor::from_vec(&[3], &[1, 2, 3]).expect("three");
        let found = Tensor::from_vec(&[3], &[1, 2, 4]).expect("three");
        assert_eq!(
            compare(&expected, &found, Some(1.0)).to_string(),
            "1 of 3 wrong; [2] is 4 instead of 3"
        );
        assert_eq!(
            compare(&expected, &expected, None).to_string(),
            "as expected, bit for bit"
        );
    }

    #[test]
    fn units_in_the_last_place_count_through_zero() {
        let between = |expected: f32, found: f32| {
            let comparison = compare(&tensor(&[expected, 1.0]), &tensor(&[found, 1.0]), Some(0.0));
            comparison.first.and_then(|first| first.ulps())
        };
        assert_eq!(between(1.0, 1.0 + f32::EPSILON), Some(1));
        assert_eq!(
            between(f32::from_bits(2), f32::from_bits(0x8000_0001)),
            Some(3)
        );
        assert_eq!(between(1.0, f32::NAN), None);
        assert_eq!(between(0.0, -0.0), None, "as good as equal");
    }

    #[test]
    fn other_shapes_are_told() {
        let pair = Tensor::from_vec(&[2], &[1, 2]).expect("two");
        let three = Tensor::from_vec(&[3], &[1, 2, 4]).expect("three");
        let error = Comparison::new(&pair, &three, None).expect_err("another shape");
        assert_eq!(error.to_string(), "the shape is [3], not [2]");
    }
}
