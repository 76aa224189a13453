//! The functions in float64 on the CPU, and how a result compares with them.
//!
//! A result is compared by rows, so that of a large matrix product a sample of rows is enough:
//! each row of the sample is computed whole. That every element was written is a matter of a scan
//! and not of the reference, see [`not_numbers`].

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use half::{bf16, f16};
use tile_runtime::element::ElementType;

use crate::problem::{Limit, Shape};

/// Elements of a row, where the output is a vector.
const PIECE: usize = 1 << 16;

/// Whether tensors of this type can be compared.
#[must_use]
pub const fn supports(element: ElementType) -> bool {
    matches!(
        element,
        ElementType::F16 | ElementType::BF16 | ElementType::F32 | ElementType::F64
    )
}

/// Floats as little-endian bytes, in logical order. Of a type that [`supports`] denies, every
/// element reads as NaN.
#[derive(Debug, Clone, Copy)]
pub struct Numbers<'a> {
    /// Their type.
    pub element: ElementType,
    /// Their bytes.
    pub bytes: &'a [u8],
}

impl Numbers<'_> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len() / self.element.bytes() as usize
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Some of them.
    #[must_use]
    pub fn decode(&self, range: Range<usize>) -> Vec<f64> {
        let width = self.element.bytes() as usize;
        let bytes = &self.bytes[range.start * width..range.end * width];
        match self.element {
            ElementType::F16 => words(bytes, |word| f16::from_le_bytes(word).to_f64()),
            ElementType::BF16 => words(bytes, |word| bf16::from_le_bytes(word).to_f64()),
            ElementType::F32 => words(bytes, |word| f32::from_le_bytes(word).into()),
            ElementType::F64 => words(bytes, f64::from_le_bytes),
            _ => vec![f64::NAN; range.len()],
        }
    }
}

fn words<const WIDTH: usize>(bytes: &[u8], number: impl Fn([u8; WIDTH]) -> f64) -> Vec<f64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| number(*word)).collect()
}

/// The nearest number of the type.
fn round(element: ElementType, value: f64) -> f64 {
    match element {
        ElementType::F16 => f16::from_f64(value).to_f64(),
        ElementType::BF16 => bf16::from_f64(value).to_f64(),
        ElementType::F32 => f64::from(value as f32),
        _ => value,
    }
}

/// A function of given inputs.
pub struct Reference<'a> {
    shape: Shape,
    inputs: &'a [Numbers<'a>],
    /// The right matrix of a product; each row needs all of it.
    right: Vec<f64>,
}

impl<'a> Reference<'a> {
    /// `inputs` are as many and as long as the shape says.
    #[must_use]
    pub fn new(shape: Shape, inputs: &'a [Numbers<'a>]) -> Self {
        let right = match shape {
            Shape::Matmul { n, k, .. } => inputs[1].decode(0..k * n),
            _ => Vec::new(),
        };
        Self {
            shape,
            inputs,
            right,
        }
    }

    /// Rows of the output.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self.shape {
            Shape::Add { n } => n.div_ceil(PIECE),
            Shape::Softmax { rows, .. } => rows,
            Shape::Matmul { m, .. } => m,
        }
    }

    /// All rows, or, where that would be long, about as many as `sample`, the first and the last
    /// ones among them.
    #[must_use]
    pub fn choose_rows(&self, sample: usize) -> Vec<usize> {
        let rows = self.rows();
        let all = match self.shape {
            Shape::Matmul { m, n, k } => m * n * k <= 1 << 24,
            _ => self.inputs[0].len() <= 1 << 25,
        };
        if all || rows <= sample {
            return (0..rows).collect();
        }
        // Evenly spread, moved about by a multiplicative hash so that no power of two is favoured.
        let step = rows as f64 / (sample - 1) as f64;
        let mut chosen: Vec<_> = (0..sample - 1)
            .map(|number| {
                let jitter = (number.wrapping_mul(0x9e37_79b9) % 1024) as f64 / 1024.0;
                ((number as f64 + jitter) * step) as usize
            })
            .collect();
        chosen[0] = 0;
        chosen.push(rows - 1);
        chosen.dedup();
        chosen
    }

    /// Where a row lies in the output.
    #[must_use]
    pub fn range(&self, row: usize) -> Range<usize> {
        match self.shape {
            Shape::Add { n } => row * PIECE..((row + 1) * PIECE).min(n),
            Shape::Softmax { columns, .. } => row * columns..(row + 1) * columns,
            Shape::Matmul { n, .. } => row * n..(row + 1) * n,
        }
    }

    /// A row as it should be.
    #[must_use]
    pub fn row(&self, row: usize) -> Vec<f64> {
        match self.shape {
            Shape::Add { .. } => {
                let range = self.range(row);
                let [x, y] = [0, 1].map(|input: usize| self.inputs[input].decode(range.clone()));
                x.iter().zip(&y).map(|(x, y)| x + y).collect()
            }
            Shape::Softmax { .. } => {
                let x = self.inputs[0].decode(self.range(row));
                let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let exponentials: Vec<_> = x.iter().map(|x| (x - max).exp()).collect();
                let sum: f64 = exponentials.iter().sum();
                exponentials.iter().map(|e| e / sum).collect()
            }
            Shape::Matmul { n, k, .. } => {
                let left = self.inputs[0].decode(row * k..(row + 1) * k);
                let mut sums = vec![0.0; n];
                for (factor, right) in left.iter().zip(self.right.chunks_exact(n)) {
                    for (sum, right) in sums.iter_mut().zip(right) {
                        *sum += factor * right;
                    }
                }
                // The example ends in relu.
                sums.iter().map(|sum| sum.max(0.0)).collect()
            }
        }
    }

    /// Compares some rows of a result.
    #[must_use]
    pub fn compare(&self, output: Numbers<'_>, rows: &[usize], limit: Limit) -> Difference {
        let compare = |number: usize| {
            let mut expected = self.row(rows[number]);
            if limit == Limit::Exact {
                for value in &mut expected {
                    *value = round(output.element, *value);
                }
            }
            let found = output.decode(self.range(rows[number]));
            let mut sums = Sums::default();
            for (found, expected) in found.iter().zip(&expected) {
                let difference = found - expected;
                sums.difference += difference * difference;
                sums.reference += expected * expected;
                // `f64::max` would lose a NaN.
                if difference.is_nan() || difference.abs() > sums.largest {
                    sums.largest = difference.abs();
                }
            }
            sums
        };
        let mut total = Sums::default();
        for sums in in_parallel(rows.len(), compare) {
            total.difference += sums.difference;
            total.reference += sums.reference;
            if sums.largest.is_nan() || sums.largest > total.largest {
                total.largest = sums.largest;
            }
        }
        let norm = total.reference.sqrt();
        Difference {
            relative: total.difference.sqrt() / if norm == 0.0 { 1.0 } else { norm },
            largest: total.largest,
        }
    }
}

#[derive(Default, Clone, Copy)]
struct Sums {
    difference: f64,
    reference: f64,
    largest: f64,
}

/// How far a result is off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// ‖out − ref‖ / ‖ref‖.
    pub relative: f64,
    /// The largest difference of two elements.
    pub largest: f64,
}

/// How many are NaN. An output is filled with those before the run, so these were not written, or
/// are wrong.
#[must_use]
pub fn not_numbers(numbers: Numbers<'_>) -> usize {
    let pieces = numbers.len().div_ceil(PIECE);
    let count = |piece: usize| {
        let range = piece * PIECE..((piece + 1) * PIECE).min(numbers.len());
        let numbers = numbers.decode(range);
        numbers.iter().filter(|number| number.is_nan()).count()
    };
    in_parallel(pieces, count).iter().sum()
}

/// The results for `0..count`, in no particular order, computed on all cores.
fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if count < 4 || cores == 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let take = || {
            let mut results = Vec::new();
            loop {
                let item = next.fetch_add(1, Ordering::Relaxed);
                if item >= count {
                    return results;
                }
                results.push(work(item));
            }
        };
        let threads: Vec<_> = (0..cores.min(count)).map(|_| scope.spawn(take)).collect();
        threads
            .into_iter()
            .flat_map(|thread| match thread.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    fn numbers(bytes: &[u8]) -> Numbers<'_> {
        Numbers {
            element: ElementType::F32,
            bytes,
        }
    }

    #[test]
    fn a_product_by_hand() {
        let (a, b) = (
            bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            bytes(&[1.0, 0.0, 0.0, 1.0, 2.0, 2.0]),
        );
        let inputs = [numbers(&a), numbers(&b)];
        let reference = Reference::new(Shape::Matmul { m: 2, n: 2, k: 3 }, &inputs);
        assert_eq!(reference.rows(), 2);
        assert_eq!(reference.row(0), [7.0, 8.0]);
        assert_eq!(reference.row(1), [16.0, 17.0]);
        let output = bytes(&[7.0, 8.0, 16.0, 20.0]);
        let rows = reference.choose_rows(48);
        let difference = reference.compare(numbers(&output), &rows, Limit::Relative(0.0));
        assert_eq!(difference.largest, 3.0);
        let norm = (49.0f64 + 64.0 + 256.0 + 289.0).sqrt();
        assert_eq!(difference.relative, 3.0 / norm);
    }

    #[test]
    fn softmax_of_large_numbers_does_not_overflow() {
        let x = bytes(&[1000.0, 1000.0, -1000.0, 0.0]);
        let inputs = [numbers(&x)];
        let shape = Shape::Softmax {
            rows: 2,
            columns: 2,
        };
        let reference = Reference::new(shape, &inputs);
        assert_eq!(reference.row(0), [0.5, 0.5]);
        assert_eq!(reference.row(1), [0.0, 1.0]);
    }

    #[test]
    fn an_exact_sum_is_rounded_once() {
        let (x, y) = (bytes(&[1.0; 3]), bytes(&[1e-8; 3]));
        let inputs = [numbers(&x), numbers(&y)];
        let reference = Reference::new(Shape::Add { n: 3 }, &inputs);
        let exact = reference.compare(numbers(&x), &[0], Limit::Exact);
        assert_eq!(exact.relative, 0.0);
        let relative = reference.compare(numbers(&x), &[0], Limit::Relative(0.0));
        assert!(relative.relative > 0.0);
    }

    #[test]
    fn a_nan_is_never_lost() {
        let (x, y) = (bytes(&[1.0; 200_000]), bytes(&[1.0; 200_000]));
        let inputs = [numbers(&x), numbers(&y)];
        let reference = Reference::new(Shape::Add { n: 200_000 }, &inputs);
        let mut result = vec![2.0; 200_000];
        result[70_000] = f32::from_bits(u32::MAX);
        let output = bytes(&result);
        let rows = reference.choose_rows(48);
        assert_eq!(rows, [0, 1, 2, 3]);
        let difference = reference.compare(numbers(&output), &rows, Limit::Exact);
        assert!(difference.relative.is_nan() && difference.largest.is_nan());
        assert_eq!(not_numbers(numbers(&output)), 1);
    }

    #[test]
    fn a_sample_has_the_first_and_the_last_row_and_no_row_twice() {
        let (a, b) = (vec![0; 4 * 2048 * 16], vec![0; 4 * 16 * 2048]);
        let inputs = [numbers(&a), numbers(&b)];
        let shape = Shape::Matmul {
            m: 2048,
            n: 2048,
            k: 16,
        };
        let rows = Reference::new(shape, &inputs).choose_rows(48);
        assert!((45..=48).contains(&rows.len()), "{rows:?}");
        assert_eq!((rows[0], rows[rows.len() - 1]), (0, 2047));
        assert!(rows.is_sorted_by(|one, next| one < next), "{rows:?}");
        assert!(rows.iter().any(|row| row % 2 == 1), "{rows:?}");
    }

    #[test]
    fn halves_are_decoded() {
        let bytes: Vec<u8> = [f16::from_f32(0.5), f16::from_f32(-2.0)]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let numbers = Numbers {
            element: ElementType::F16,
            bytes: &bytes,
        };
        assert_eq!(numbers.decode(0..2), [0.5, -2.0]);
        assert_eq!(numbers.decode(1..2), [-2.0]);
    }
}
