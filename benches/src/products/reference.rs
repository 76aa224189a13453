//! Products in float64 on the CPU, and whether a result is right.
//!
//! Every product of two elements of at most 16 bits is exact in f64, and so are sums of integers; sums of
//! floats are off by 2⁻⁵³ of what they add up. Of a large matrix, rows and columns are sampled, one of
//! each stretch, the first and the last among them; what is not sampled is checked by its sums: `C·r`
//! must be `A·(B·r)` for a vector `r` of random signs, in each row. That finds a tile that is missing, or
//! one that is another's, but no single element.
//!
//! A result is right if ‖out − ref‖ ≤ limit · ‖ref‖ over the sample, if no element of the sample is off by
//! more than 64 times the limit of the root mean square, and if no row's sum is off by more than 16 times
//! the limit of the sums' root mean square. Limits: integers are exact; a result of bf16 4e-3, of f16 6e-4,
//! which are one rounding; of f32 1e-6·√k. For fp8 it is 4e-5·√k more, twice what was seen: tensor cores
//! add up its products with about 14 bits, and neither side asks for more. What was never written is NaN and within no limit.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tile_runtime::element::ElementType;
use tile_runtime::numeric;

use super::shapes::Sizes;
use super::subject::{Fused, Kind};
use crate::reference::Numbers;

/// Rows and columns of a sample.
const SAMPLED: [usize; 2] = [64, 128];

/// A row-major matrix on the host.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    /// Its type.
    pub element: ElementType,
    /// Its elements, little-endian.
    pub bytes: &'a [u8],
    /// Elements of a row of the memory.
    pub pitch: usize,
    /// Whether it lies by its columns.
    pub by_columns: bool,
}

impl Matrix<'_> {
    /// Elements that follow each other in memory.
    fn decode(&self, start: usize, count: usize) -> Vec<f64> {
        let width = self.element.bytes() as usize;
        let range = start..start + count;
        match self.element {
            ElementType::F16 | ElementType::BF16 | ElementType::F32 => Numbers {
                element: self.element,
                bytes: self.bytes,
            }
            .decode(range),
            element if width == 1 => {
                let of = |byte: usize| numeric::to_scalar(element, byte as u64).as_f64();
                let table: Vec<f64> = (0..256).map(of).collect();
                self.bytes[range]
                    .iter()
                    .map(|&byte| table[usize::from(byte)])
                    .collect()
            }
            element => self.bytes[range.start * width..range.end * width]
                .chunks_exact(width)
                .map(|bytes| {
                    let mut word = [0; 8];
                    word[..width].copy_from_slice(bytes);
                    numeric::to_scalar(element, u64::from_le_bytes(word)).as_f64()
                })
                .collect(),
        }
    }

    /// A row of the matrix as it is multiplied (`along_columns`: a column).
    fn line(&self, number: usize, along_columns: bool, length: usize) -> Vec<f64> {
        if along_columns == self.by_columns {
            return self.decode(number * self.pitch, length);
        }
        (0..length)
            .map(|at| self.decode(at * self.pitch + number, 1)[0])
            .collect()
    }

    /// The matrix, which has so many rows in memory, times a vector.
    fn times(&self, vector: &[f64], rows: usize) -> Vec<f64> {
        let columns = self.pitch;
        if !self.by_columns {
            return in_parallel(rows, |row| {
                let row = self.decode(row * columns, columns);
                row.iter().zip(vector).map(|(x, y)| x * y).sum()
            });
        }
        // Pieces of rows, so that each thread has sums of its own.
        let pieces = 32.min(rows.max(1));
        let partial = in_parallel(pieces, |piece| {
            let mut sums = vec![0.0; columns];
            let own = rows * piece / pieces..rows * (piece + 1) / pieces;
            for (row, factor) in own.clone().zip(&vector[own]) {
                let values = self.decode(row * columns, columns);
                for (sum, value) in sums.iter_mut().zip(&values) {
                    *sum += factor * value;
                }
            }
            sums
        });
        let mut sums = vec![0.0; columns];
        for part in partial {
            for (sum, value) in sums.iter_mut().zip(&part) {
                *sum += value;
            }
        }
        sums
    }
}

/// A product of given inputs.
pub struct Reference {
    sizes: Sizes,
    rows: Vec<usize>,
    columns: Vec<usize>,
    /// Of the sampled rows and columns.
    expected: Vec<f64>,
    /// Random signs, and the product times them; not of a product that something is done to.
    sums: Option<(Vec<f64>, Vec<f64>)>,
    limit: f64,
}

/// How far a result is off.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Errors {
    /// ‖out − ref‖ / ‖ref‖ of the sample.
    pub relative: f64,
    /// The largest error of the sample, of the root mean square.
    pub largest: f64,
    /// The largest error of a row's sum, of the root mean square of the sums.
    pub of_sums: f64,
    /// Whether they are within the limits.
    pub right: bool,
}

impl Reference {
    /// Of the operands, and of what is fused.
    #[must_use]
    pub fn new(
        kind: &Kind,
        sizes: Sizes,
        left: Matrix<'_>,
        right: Matrix<'_>,
        fused: &[Matrix<'_>],
    ) -> Self {
        let Sizes { m, n, k } = sizes;
        let (rows, columns) = (sample(m, SAMPLED[0]), sample(n, SAMPLED[1]));
        let lines = |of: Matrix<'_>| in_parallel(columns.len(), |at| of.line(columns[at], true, k));
        let right_lines = lines(right);
        // It comes first where there is one.
        let is_gated = kind.fused.first() == Some(&Fused::Gate);
        let (gate, fused) = fused.split_at(usize::from(is_gated).min(fused.len()));
        let gate_lines = gate.first().map(|gate| lines(*gate));
        let of_row = |index: usize| {
            let row = left.line(rows[index], false, k);
            let dot = |line: &[f64]| row.iter().zip(line).map(|(x, y)| x * y).sum::<f64>();
            let one = |(at, column): (usize, &usize)| {
                let mut sum = dot(&right_lines[at]);
                if let Some(lines) = &gate_lines {
                    let gate = dot(&lines[at]);
                    sum *= gate / (1.0 + (-gate).exp());
                }
                finish(kind, fused, [rows[index], *column], n, sum)
            };
            columns.iter().enumerate().map(one).collect::<Vec<f64>>()
        };
        let expected = in_parallel(rows.len(), of_row).concat();
        let sums = kind.fused.is_empty().then(|| {
            let signs: Vec<f64> = (0..n).map(sign).collect();
            let right_rows = if right.by_columns { n } else { k };
            let inner = right.times(&signs, right_rows);
            let left_rows = if left.by_columns { k } else { m };
            (signs, left.times(&inner, left_rows))
        });
        Self {
            sizes,
            rows,
            columns,
            expected,
            sums,
            limit: limit(kind, k),
        }
    }

    /// Compares a result.
    #[must_use]
    pub fn compare(&self, element: ElementType, bytes: &[u8]) -> Errors {
        let out = Matrix {
            element,
            bytes,
            pitch: self.sizes.n,
            by_columns: false,
        };
        let (mut off, mut norm, mut largest) = (0.0, 0.0, 0.0_f64);
        let mut expected = self.expected.iter();
        for &row in &self.rows {
            let found = out.decode(row * self.sizes.n, self.sizes.n);
            for (&column, expected) in self.columns.iter().zip(expected.by_ref()) {
                let difference = found[column] - expected;
                off += difference * difference;
                norm += expected * expected;
                // `f64::max` would lose a NaN.
                if difference.is_nan() || difference.abs() > largest {
                    largest = difference.abs();
                }
            }
        }
        let of_sums = self.sums.as_ref().map_or(0.0, |(signs, expected)| {
            let found = out.times(signs, self.sizes.m);
            let mean = mean_square(expected);
            let errors = found.iter().zip(expected).map(|(x, y)| (x - y).abs());
            errors.fold(0.0, |worst: f64, error| {
                if error.is_nan() || error > worst {
                    error
                } else {
                    worst
                }
            }) / mean
        });
        let count = self.expected.len() as f64;
        let positive = |norm: f64| if norm == 0.0 { 1.0 } else { norm.sqrt() };
        let relative = off.sqrt() / positive(norm);
        let largest = largest / positive(norm / count);
        let within = |error: f64, times: f64| error <= times * self.limit;
        Errors {
            relative,
            largest,
            of_sums,
            right: within(relative, 1.0) && within(largest, 64.0) && within(of_sums, 16.0),
        }
    }
}

/// The root of the mean square; 1 if all are zero.
fn mean_square(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|value| value * value).sum();
    if sum == 0.0 {
        1.0
    } else {
        (sum / values.len() as f64).sqrt()
    }
}

/// What is done to a sum.
fn finish(kind: &Kind, fused: &[Matrix<'_>], [row, column]: [usize; 2], n: usize, sum: f64) -> f64 {
    let mut value = sum;
    let mut given = fused.iter();
    for one in &kind.fused {
        let at = match one {
            Fused::RowScale => row,
            Fused::ColumnScale | Fused::Bias => column,
            Fused::Residual => row * n + column,
            Fused::Relu => {
                value = value.max(0.0);
                continue;
            }
            // Done before.
            Fused::Gate => continue,
        };
        let Some(given) = given.next() else {
            return f64::NAN;
        };
        let given = given.decode(at, 1)[0];
        match one {
            Fused::RowScale | Fused::ColumnScale => value *= given,
            _ => value += given,
        }
    }
    value
}

/// What ‖out − ref‖ / ‖ref‖ may be; see the top of this file.
fn limit(kind: &Kind, k: usize) -> f64 {
    let both = |test: fn(ElementType) -> bool| test(kind.left) && test(kind.right);
    let sums = if both(|element| !element.is_float()) {
        0.0
    } else if both(|element| element.is_float() && element.bytes() == 1) {
        4e-5 * (k as f64).sqrt()
    } else {
        1e-6 * (k as f64).sqrt()
    };
    match kind.out {
        ElementType::BF16 => sums + 4e-3,
        ElementType::F16 => sums + 6e-4,
        _ => sums,
    }
}

/// A sign that looks random: the top bit of a product with an odd number.
fn sign(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63 == 0 {
        1.0
    } else {
        -1.0
    }
}

/// One of each stretch of `0..count`, the first and the last among them.
fn sample(count: usize, wanted: usize) -> Vec<usize> {
    if count <= wanted {
        return (0..count).collect();
    }
    let mut chosen: Vec<_> = (0..wanted)
        .map(|number| {
            let (start, end) = (count * number / wanted, count * (number + 1) / wanted);
            start + number.wrapping_mul(0x9e37_79b9) % (end - start)
        })
        .collect();
    chosen[0] = 0;
    chosen[wanted - 1] = count - 1;
    chosen
}

/// The results for `0..count`, in order, computed on all cores.
fn in_parallel<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<_> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..cores.min(count) {
            scope.spawn(|| {
                loop {
                    let item = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = results.get(item) else {
                        return;
                    };
                    let value = work(item);
                    if let Ok(mut slot) = slot.lock() {
                        *slot = Some(value);
                    }
                }
            });
        }
    });
    results
        .into_iter()
        .filter_map(|slot| slot.into_inner().ok().flatten())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(right_by_columns: bool, fused: Vec<Fused>) -> Kind {
        Kind {
            left: ElementType::F32,
            right: ElementType::F32,
            out: ElementType::F32,
            left_by_columns: false,
            right_by_columns,
            fused,
        }
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    fn matrix(bytes: &[u8], pitch: usize, by_columns: bool) -> Matrix<'_> {
        Matrix {
            element: ElementType::F32,
            bytes,
            pitch,
            by_columns,
        }
    }

    const SIZES: Sizes = Sizes { m: 2, n: 2, k: 3 };
    const A: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    #[test]
    fn a_product_by_hand_in_both_layouts() {
        let a = bytes(&A);
        let by_rows = bytes(&[1.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
        let by_columns = bytes(&[1.0, 0.0, 2.0, 0.0, 1.0, 2.0]);
        for (b, pitch, turned) in [(&by_rows, 2, false), (&by_columns, 3, true)] {
            let kind = kind(turned, Vec::new());
            let left = matrix(&a, 3, false);
            let reference = Reference::new(&kind, SIZES, left, matrix(b, pitch, turned), &[]);
            assert_eq!(reference.expected, [7.0, 8.0, 16.0, 17.0]);
            let right = bytes(&[7.0, 8.0, 16.0, 17.0]);
            let errors = reference.compare(ElementType::F32, &right);
            assert_eq!(
                (errors.relative, errors.of_sums, errors.right),
                (0.0, 0.0, true)
            );
            for wrong in [[7.0, 8.0, 16.0, 18.0], [7.0, 8.0, f32::NAN, 17.0]] {
                let errors = reference.compare(ElementType::F32, &bytes(&wrong));
                assert!(!errors.right, "{wrong:?}");
            }
        }
    }

    #[test]
    fn sums_find_what_the_sample_misses() {
        let sizes = Sizes {
            m: 4096,
            n: 256,
            k: 1,
        };
        let (a, b) = (bytes(&vec![1.0; 4096]), bytes(&vec![1.0; 256]));
        let kind = kind(false, Vec::new());
        let reference = Reference::new(
            &kind,
            sizes,
            matrix(&a, 1, false),
            matrix(&b, 256, false),
            &[],
        );
        let missed = (0..4096).find(|row| !reference.rows.contains(row));
        let missed = missed.expect("there are more than are sampled");
        let mut out = vec![1.0_f32; 4096 * 256];
        assert!(reference.compare(ElementType::F32, &bytes(&out)).right);
        out[missed * 256..(missed + 1) * 256].fill(f32::NAN);
        let errors = reference.compare(ElementType::F32, &bytes(&out));
        assert_eq!(errors.relative, 0.0);
        assert!(!errors.right);
    }

    #[test]
    fn what_is_fused_is_done_in_order() {
        let a = bytes(&A);
        let b = bytes(&[1.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
        let (scale, bias) = (bytes(&[2.0, -1.0]), bytes(&[0.5, 1.0]));
        let kind = kind(false, vec![Fused::RowScale, Fused::Bias, Fused::Relu]);
        let fused = [matrix(&scale, 1, false), matrix(&bias, 1, false)];
        let left = matrix(&a, 3, false);
        let reference = Reference::new(&kind, SIZES, left, matrix(&b, 2, false), &fused);
        assert_eq!(reference.expected, [14.5, 17.0, 0.0, 0.0]);
    }

    #[test]
    fn a_gate_is_a_product_of_its_own() {
        let a = bytes(&A);
        let b = bytes(&[1.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
        let gate = bytes(&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        let kind = kind(false, vec![Fused::Gate, Fused::Relu]);
        let (left, gate) = (matrix(&a, 3, false), matrix(&gate, 2, false));
        let reference = Reference::new(&kind, SIZES, left, matrix(&b, 2, false), &[gate]);
        let silu = |x: f64| x / (1.0 + (-x).exp());
        let expected = [0.0, 8.0 * silu(1.0), 0.0, 17.0 * silu(4.0)];
        assert_eq!(reference.expected, expected);
    }

    #[test]
    fn a_sample_has_one_of_each_stretch() {
        assert_eq!(sample(3, 64), [0, 1, 2]);
        let chosen = sample(8192, 64);
        assert_eq!((chosen[0], chosen[63]), (0, 8191));
        assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
