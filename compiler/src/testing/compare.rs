//! Whether values are what they should be.
//!
//! `assert_close` is NumPy's `allclose`: `|actual - expected| <= atol + rtol * |expected|` for every
//! element, in `f64`. A NaN is close to a NaN, an infinity to itself. Integers of both sides are
//! compared exactly before tolerances are looked at, so that large ones are not rounded.
//!
//! Without tolerances they are those of the coarser element, as in PyTorch; with one of them given
//! the other is 0.

use std::rc::Rc;

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{self, Scalar};

use super::session::Done;
use crate::diagnostic::messages::testing::{Difference, Element};
use crate::diagnostic::{Span, messages};
use crate::interp::value::{Tile, coordinates};

/// How wrong an element may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tolerance {
    /// Relative to the expected number.
    pub relative: f64,
    /// Absolute.
    pub absolute: f64,
}

impl Tolerance {
    /// As said, or that of the elements.
    pub fn new(
        relative: Option<f64>,
        absolute: Option<f64>,
        actual: &Tile,
        expected: &Tile,
    ) -> Self {
        if relative.is_some() || absolute.is_some() {
            return Self {
                relative: relative.unwrap_or(0.0),
                absolute: absolute.unwrap_or(0.0),
            };
        }
        let of = |tile: &Tile| match tile.as_numbers() {
            Ok((element, _)) => usual(element),
            Err(_) => (0.0, 0.0),
        };
        let (actual, expected) = (of(actual), of(expected));
        Self {
            relative: f64::max(actual.0, expected.0),
            absolute: f64::max(actual.1, expected.1),
        }
    }
}

/// Relative and absolute, by element.
const fn usual(element: ElementType) -> (f64, f64) {
    match element {
        ElementType::F64 => (1e-7, 1e-7),
        ElementType::F32 => (1.3e-6, 1e-5),
        ElementType::F16 => (1e-3, 1e-5),
        ElementType::BF16 => (1.6e-2, 1e-5),
        // Half the distance between neighbours, which rounding may cost, and as much again.
        ElementType::F8E4M3 => (0.125, 0.015_625),
        ElementType::F8E5M2 => (0.25, 0.015_625),
        _ => (0.0, 0.0),
    }
}

/// Fails unless all elements of a condition are true; `sides` are those of a comparison.
pub(super) fn holds(
    condition: &Tile,
    sides: &[&Tile],
    message: Option<&str>,
    span: Span,
) -> Done<()> {
    let malformed = |_| Box::new(messages::testing::malformed("no condition", span));
    let conditions: Vec<bool> = condition.conditions().map_err(malformed)?.collect();
    let Some(first) = conditions.iter().position(|holds| !holds) else {
        return Ok(());
    };
    let sides: Vec<String> = sides.iter().map(|side| shown(side, first)).collect();
    let wrong = conditions.iter().filter(|holds| !**holds).count();
    Err(Box::new(messages::testing::assertion_failed(
        message,
        &sides,
        &coordinates(&condition.shape, first),
        (wrong, conditions.len()),
        span,
    )))
}

/// Fails unless every element is close to what is expected.
pub(super) fn close(
    actual: &Rc<Tile>,
    expected: &Rc<Tile>,
    tolerance: Tolerance,
    span: Span,
) -> Done<()> {
    let malformed = |_| Box::new(messages::testing::malformed("no numbers", span));
    let (actual_element, actual_bits) = actual.as_numbers().map_err(malformed)?;
    let (expected_element, expected_bits) = expected.as_numbers().map_err(malformed)?;
    let mut wrong = 0;
    let mut worst: Option<(usize, f64, f64)> = None;
    let mut first: Option<(usize, f64, f64)> = None;
    for (number, (&found, &wanted)) in actual_bits.iter().zip(expected_bits).enumerate() {
        let found = numeric::to_scalar(actual_element, found);
        let wanted = numeric::to_scalar(expected_element, wanted);
        let allowed = tolerance.absolute + tolerance.relative * wanted.as_f64().abs();
        let error = distance(found, wanted);
        // Written so that NaN is wrong. Where the expected number is infinite anything would be
        // allowed, but only the same infinity is close.
        let good = error == 0.0 || (error <= allowed && error.is_finite());
        if good {
            continue;
        }
        wrong += 1;
        let place = (number, error, allowed);
        first.get_or_insert(place);
        let excess = |(_, error, allowed): (usize, f64, f64)| {
            if error.is_nan() {
                f64::INFINITY
            } else {
                error / allowed
            }
        };
        if worst.is_none_or(|worst| excess(place) > excess(worst)) {
            worst = Some(place);
        }
    }
    let (Some(worst), Some(first)) = (worst, first) else {
        return Ok(());
    };
    let told = |(number, error, allowed): (usize, f64, f64)| Element {
        position: coordinates(&actual.shape, number),
        actual: shown(actual, number),
        expected: shown(expected, number),
        error,
        allowed,
    };
    let difference = Difference {
        elements: actual_bits.len(),
        wrong,
        worst: told(worst),
        first: told(first),
    };
    Err(Box::new(messages::testing::not_close(
        &difference,
        tolerance.relative,
        tolerance.absolute,
        span,
    )))
}

/// How far two numbers are apart: 0 if they are equal or both NaN, NaN if one of them is.
fn distance(actual: Scalar, expected: Scalar) -> f64 {
    if let (Scalar::Int(actual), Scalar::Int(expected)) = (actual, expected) {
        return actual.abs_diff(expected) as f64;
    }
    let (actual, expected) = (actual.as_f64(), expected.as_f64());
    if actual == expected || (actual.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    (actual - expected).abs()
}

/// Fails unless all elements have the same bits, or are NaN on both sides.
pub(super) fn equal(actual: &Rc<Tile>, expected: &Rc<Tile>, span: Span) -> Done<()> {
    let malformed = |_| Box::new(messages::testing::malformed("no numbers", span));
    let (element, actual_bits) = actual.as_numbers().map_err(malformed)?;
    let (_, expected_bits) = expected.as_numbers().map_err(malformed)?;
    let differ = |(_, (found, wanted)): &(usize, (&u64, &u64))| {
        let both_nan = numeric::is_nan(element, **found) && numeric::is_nan(element, **wanted);
        found != wanted && !both_nan
    };
    let mut differing = actual_bits
        .iter()
        .zip(expected_bits)
        .enumerate()
        .filter(differ);
    let Some((number, (found, wanted))) = differing.next() else {
        return Ok(());
    };
    let count = 1 + differing.count();
    let (mut found, mut wanted) = (
        (shown(actual, number), *found),
        (shown(expected, number), *wanted),
    );
    if found.0 == wanted.0 {
        // The same number in other bits.
        found.0 = format!("{} ({:#x})", found.0, found.1);
        wanted.0 = format!("{} ({:#x})", wanted.0, wanted.1);
    }
    Err(Box::new(messages::testing::not_equal(
        count,
        actual_bits.len(),
        &coordinates(&actual.shape, number),
        &found.0,
        &wanted.0,
        span,
    )))
}

/// An element as the language writes it.
pub(super) fn shown(tile: &Tile, number: usize) -> String {
    let Ok((element, bits)) = tile.as_numbers() else {
        return "an address".to_owned();
    };
    let Some(&bits) = bits.get(number) else {
        return "nothing".to_owned();
    };
    match (element, numeric::to_scalar(element, bits)) {
        (ElementType::I1, value) => (value != Scalar::Int(0)).to_string(),
        (_, Scalar::Int(value)) => value.to_string(),
        (ElementType::F64, Scalar::Float(value)) => format!("{value:?}"),
        // The shortest text that is this number in f32; narrower types are exact there.
        (_, Scalar::Float(value)) => format!("{:?}", value as f32),
    }
}
