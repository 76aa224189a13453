//! What each element of a result may be off by, from runs that err as far as a target may.
//!
//! ```text
//! reference      1.000000   0.000003   8.000000
//! other runs     1.000001   0.000003   8.000002
//!                1.000000   0.000004   8.000000
//! spread         0.000001   0.000001   0.000002
//! allowed        four times that
//! ```
//!
//! Two runs may agree on an element by chance, most of all where it is rounded to few bits. So an
//! element may be off by what the others show as well: by the largest spread of its row (at least
//! that of the middle one of all rows, relative to the largest number of the row), or by the largest
//! spread of any element relative to its number, whichever is less: of functions of one number the
//! second holds, of sums that cancel the first. (Where elements are rounded to 16 bits or fewer, the
//! first alone: attention in `bf16` on an H100 was off by five units in a number that cancels, where
//! neither run had moved one of that kind.) A program in which anything may be rounded otherwise
//! may be off by one unit anywhere: of the number itself, or, of 16 bits or fewer, of the largest of its row, as
//! a number on the way that is rounded to so few may fall to either side, and seldom does in two runs.
//! So seldom that it is in few rows of each run, and in others of a target's: where numbers on the way are rounded so, a wider
//! result may be off by what any row shows, relative to its largest number and no more than any is off at all; and as it may
//! be in no row of either, a third run rounds many numbers to the other side: of what that makes of any row, a result may be off by all.

use tile_runtime::numeric;
use tile_runtime::tensor::{Tensor, TensorError};

use super::deviation::{Deviation, ROUNDED, RUNS, gap};
use super::{Arguments, Options, run_otherwise};
use crate::typed::Kernel;

/// How many times the spread a result may be off. The runs' errors are as random as a target's: of
/// the sums of 10 000 elements some are three times as far off as the two runs are.
const FACTOR: f64 = 4.0;

/// Of how many elements that is said; of ten times as many some are off by once more than the runs are.
const ELEMENTS: f64 = 1e4;

/// How much of what [`ROUNDED`]'s run shows is allowed, [`FACTOR`] times: all of it and no more, as many more numbers fall to
/// the other side there than on a target.
const OF_ROUNDED: f64 = 0.25;

/// What runs that deviate from the usual one left.
#[derive(Debug, Clone)]
pub struct Spread {
    runs: Vec<Arguments>,
    /// The run in which many numbers fell to the other side when they were rounded, if any are.
    rounded: Option<Arguments>,
    changed: Changed,
}

/// What the runs did otherwise on their way.
#[derive(Debug, Clone, Copy, Default)]
struct Changed {
    /// Any number became another one.
    any: bool,
    /// Numbers were rounded to 16 bits or fewer after that.
    rounded: bool,
}

impl Spread {
    /// Runs the launch as often as there are [ways](RUNS) to deviate. A run that stops says nothing, as
    /// an assertion may hold for the usual numbers alone.
    #[must_use]
    pub fn of(kernel: &Kernel, grid: [u32; 3], arguments: &Arguments, options: Options) -> Self {
        let mut changed = Changed::default();
        let mut run = |number| {
            let deviation = Deviation::new(number);
            let mut arguments = arguments.clone();
            run_otherwise(kernel, grid, &mut arguments, options, &deviation).ok()?;
            changed.any |= deviation.has_changed();
            changed.rounded |= deviation.has_rounded();
            Some((arguments, deviation.has_rounded()))
        };
        let runs: Vec<_> = (0..RUNS).filter_map(&mut run).collect();
        let has_rounded = runs.iter().any(|(_, has_rounded)| *has_rounded);
        let rounded = has_rounded.then(|| run(ROUNDED)).flatten();
        Self {
            runs: runs.into_iter().map(|(arguments, _)| arguments).collect(),
            rounded: rounded.map(|(arguments, _)| arguments),
            changed,
        }
    }

    /// By how much each element of a parameter may differ from what the usual run left, in row-major
    /// order; `None` if no run came to its end.
    ///
    /// # Errors
    /// If the parameter's tensor is not inside its buffer.
    pub fn allowed(&self, name: &str, usual: &Tensor) -> Result<Option<Vec<f64>>, TensorError> {
        let others = self.runs.iter().map(|arguments| arguments.tensor(name));
        let others: Vec<Tensor> = others
            .filter_map(Result::transpose)
            .collect::<Result<_, _>>()?;
        let rounded = self.rounded.as_ref().map(|run| run.tensor(name));
        let rounded = rounded.and_then(Result::transpose).transpose()?;
        let allowed = || allowed(usual, &others, rounded.as_ref(), self.changed);
        Ok((!others.is_empty()).then(allowed))
    }
}

/// By how much each element may differ from `expected`, in row-major order. `others` are what other
/// runs left, `rounded` that of [`ROUNDED`]; `changed` says whether they computed anything else on their way.
fn allowed(
    expected: &Tensor,
    others: &[Tensor],
    rounded: Option<&Tensor>,
    changed: Changed,
) -> Vec<f64> {
    let element = expected.element();
    let values = numbers(expected);
    let mut spread = vec![0.0; values.len()];
    for other in others {
        for ((spread, value), other) in spread.iter_mut().zip(&values).zip(numbers(other)) {
            *spread = f64::max(*spread, distance(*value, other));
        }
    }
    if !element.is_float() {
        return of_integers(spread);
    }
    let row = match *expected.shape() {
        [.., _, columns] => columns.max(1),
        _ => values.len().max(1),
    };
    let largest = |numbers: &[f64]| {
        let finite = numbers.iter().map(|number| number.abs());
        finite
            .filter(|number| number.is_finite())
            .fold(0.0, f64::max)
    };
    let rows = || values.chunks(row).zip(spread.chunks(row));
    let of_rows: Vec<f64> = rows()
        .map(|(values, spread)| largest(spread) / largest(values))
        .filter(|part| part.is_finite())
        .collect();
    let most_of_rows = largest(&of_rows);
    let rounded: Vec<f64> = rounded.map(numbers).unwrap_or_default();
    let of_rounded = values.iter().zip(rounded);
    let of_rounded: Vec<f64> = of_rounded
        .map(|(value, other)| distance(*value, other))
        .collect();
    let of_rounded = values.chunks(row).zip(of_rounded.chunks(row));
    let of_rounded = of_rounded.map(|(values, apart)| largest(apart) / largest(values));
    let of_rounded: Vec<f64> = of_rounded.filter(|part| part.is_finite()).collect();
    let of_rounded = OF_ROUNDED * largest(&of_rounded);
    let most_of_all = largest(&spread);
    let factor = FACTOR + (values.len() as f64 / ELEMENTS).log10().max(0.0);
    let of_rows = median_of_positive(of_rows);
    let of_elements = spread.iter().zip(&values);
    let of_elements: Vec<f64> = of_elements.map(|(spread, value)| spread / value).collect();
    let of_elements = largest(&of_elements);
    for (values, spread) in values.chunks(row).zip(spread.chunks_mut(row)) {
        let most = largest(values);
        let mut of_row = largest(spread).max(of_rows * most);
        let is_wide = element.bits() >= 32;
        if changed.rounded && is_wide {
            of_row = of_row.max((most_of_rows * most).min(most_of_all));
            of_row = of_row.max(of_rounded * most);
        }
        for (spread, value) in spread.iter_mut().zip(values) {
            let others = match element.bits() {
                // Rounding hides how far the numbers were apart before.
                ..32 => of_row,
                // What one number on the way was rounded by is nothing relative to what it was added to.
                _ if changed.rounded => of_row,
                _ => of_row.min(of_elements * value.abs()),
            };
            let least = match changed.any && value.is_finite() && *value != 0.0 {
                true if element.bits() < 32 => gap(element, most),
                true => gap(element, *value),
                false => 0.0,
            };
            // Of a number that is not finite, nothing: both are the same or as far as can be.
            let others = if others.is_finite() { others } else { 0.0 };
            *spread = (factor * spread.max(others)).max(least);
        }
    }
    spread
}

/// The middle one of those that are not zero, or zero.
fn median_of_positive(mut numbers: Vec<f64>) -> f64 {
    numbers.retain(|number| *number > 0.0);
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// Integers have no magnitude that says how far they are off. Where some are, as numbers that were
/// rounded, all may be off by as little as any.
fn of_integers(mut spread: Vec<f64>) -> Vec<f64> {
    let nonzero = spread.iter().copied().filter(|spread| *spread > 0.0);
    let least = nonzero.fold(f64::INFINITY, f64::min);
    if least.is_finite() {
        for spread in &mut spread {
            *spread = spread.max(least);
        }
    }
    spread
}

/// How far two numbers lie apart; infinitely if only one is a number.
fn distance(value: f64, other: f64) -> f64 {
    if value == other || value.is_nan() && other.is_nan() {
        return 0.0;
    }
    let distance = (value - other).abs();
    if distance.is_nan() {
        f64::INFINITY
    } else {
        distance
    }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    let element = tensor.element();
    let bits = tensor.bits();
    bits.map(|bits| numeric::to_scalar(element, bits).as_f64())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Changed = Changed {
        any: false,
        rounded: false,
    };
    const ANY: Changed = Changed {
        any: true,
        rounded: false,
    };

    fn tensor(values: &[f32]) -> Tensor {
        Tensor::from_vec(&[values.len()], values).expect("a vector")
    }

    #[test]
    fn what_never_changes_is_exact() {
        let values = tensor(&[1.0, 2.0]);
        let same = [values.clone(), values.clone()];
        assert_eq!(allowed(&values, &same, None, NONE), [0.0, 0.0]);
        let unit = f64::from(f32::EPSILON);
        assert_eq!(allowed(&values, &same, None, ANY), [unit, 2.0 * unit]);
    }

    #[test]
    fn elements_that_agree_by_chance_get_what_the_others_of_their_row_have() {
        let values = tensor(&[1.0, 1.0, 1024.0, 0.0]);
        let other = tensor(&[1.5, 1.0, 1024.0, 0.0]);
        // Half of it, but no more than half a unit; of nothing nothing.
        let expected = [2.0, 2.0, 2.0, 0.0];
        assert_eq!(allowed(&values, &[other], None, NONE), expected);
        // What vanishes beside a large number is much beside a small one.
        let other = tensor(&[1.0, 1.0, 1024.5, 0.0]);
        let small = 4.0 / 2048.0;
        assert_eq!(
            allowed(&values, &[other], None, NONE),
            [small, small, 2.0, 0.0]
        );
    }

    #[test]
    fn what_is_rounded_to_few_bits_may_be_off_by_a_unit_of_its_row() {
        let values = [1.0, 0.25].map(half::f16::from_f32);
        let values = Tensor::from_vec(&[2], &values).expect("a vector");
        let same = std::slice::from_ref(&values);
        let unit = f64::from(half::f16::EPSILON);
        assert_eq!(allowed(&values, same, None, ANY), [unit, unit]);
        assert_eq!(allowed(&values, same, None, NONE), [0.0, 0.0]);
    }

    #[test]
    fn numbers_that_are_rounded_on_the_way_may_fall_to_either_side_in_any_row() {
        let values = Tensor::from_vec(&[5, 1], &[1.0_f32, 1.0, 1.0, 8.0, 0.0]).expect("rows");
        let near = 1.0 + f32::EPSILON;
        let other = Tensor::from_vec(&[5, 1], &[near, near, 1.25, 8.0, 0.0]).expect("rows");
        let rounded = Changed {
            any: true,
            rounded: true,
        };
        // By no more than any number is off.
        assert_eq!(
            allowed(&values, &[other], None, rounded),
            [1.0, 1.0, 1.0, 1.0, 0.0]
        );
        // Where neither run has one, by what the third has.
        let same = std::slice::from_ref(&values);
        let third = Tensor::from_vec(&[5, 1], &[1.0_f32, 1.5, 1.0, 8.0, 0.0]).expect("rows");
        let all = [0.5, 0.5, 0.5, 4.0, 0.0];
        assert_eq!(allowed(&values, same, Some(&third), rounded), all);
    }

    #[test]
    fn integers_that_were_rounded_may_be_off_by_as_little_as_any() {
        let values = Tensor::from_vec(&[3], &[1, 2, 3]).expect("three");
        let other = Tensor::from_vec(&[3], &[1, 3, 9]).expect("three");
        let same = std::slice::from_ref(&values);
        assert_eq!(allowed(&values, same, None, ANY), [0.0; 3]);
        assert_eq!(allowed(&values, &[other], None, ANY), [1.0, 1.0, 6.0]);
    }

    #[test]
    fn what_may_overflow_may_be_anything() {
        let values = tensor(&[f32::MAX, 1.0]);
        let other = tensor(&[f32::INFINITY, 1.0]);
        let allowed = allowed(&values, &[other], None, ANY);
        assert_eq!(allowed[0], f64::INFINITY);
        assert_eq!(allowed[1], f64::from(f32::EPSILON));
        let nan = tensor(&[f32::NAN, f32::INFINITY]);
        let same = std::slice::from_ref(&nan);
        assert_eq!(super::allowed(&nan, same, None, ANY), [0.0, 0.0]);
    }
}
