//! The functions, the shapes they are run at, and how far a result may be off.

use std::fmt;

use serde::{Deserialize, Serialize};
use tile_runtime::element::ElementType;

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Elementwise sum of two vectors.
    Add,
    /// Softmax of each row of a matrix.
    Softmax,
    /// Product of two matrices.
    Matmul,
}

impl Family {
    /// By the start of the kernel's name.
    #[must_use]
    pub fn of_kernel(name: &str) -> Option<Self> {
        [
            ("add", Self::Add),
            ("vector_add", Self::Add),
            ("softmax", Self::Softmax),
            ("matmul", Self::Matmul),
        ]
        .iter()
        .find_map(|(start, family)| name.starts_with(start).then_some(*family))
    }

    /// How many tensors it reads.
    #[must_use]
    pub const fn inputs(self) -> usize {
        match self {
            Self::Add | Self::Matmul => 2,
            Self::Softmax => 1,
        }
    }

    /// What results are checked at.
    #[must_use]
    pub fn check_cases(self) -> Vec<Case> {
        let plain = |shape| Case {
            shape,
            placement: Placement::Dense,
        };
        let case = |shape, placement| Case { shape, placement };
        match self {
            Self::Add => {
                let sizes = [1, 1000, 1024, 1_000_003, 1 << 20, (1 << 24) + 16];
                let mut cases: Vec<_> = sizes.map(|n| plain(Shape::Add { n })).into();
                cases.push(case(Shape::Add { n: 1000 }, Placement::Shifted));
                cases
            }
            Self::Softmax => {
                let sizes = [
                    (1, 1),
                    (7, 781),
                    (1823, 781),
                    (64, 4096),
                    (33, 4095),
                    (128, 1000),
                ];
                let mut cases: Vec<_> = sizes
                    .map(|(rows, columns)| plain(Shape::Softmax { rows, columns }))
                    .into();
                let (rows, columns) = (128, 1024);
                cases.push(case(Shape::Softmax { rows, columns }, Placement::Shifted));
                cases
            }
            Self::Matmul => {
                let sizes = [
                    (128, 128, 64),
                    (256, 512, 384),
                    (1000, 1000, 1000),
                    (77, 129, 65),
                    (1, 4096, 512),
                    (2048, 2048, 2048),
                    (333, 16, 48),
                ];
                let mut cases: Vec<_> = sizes
                    .map(|(m, n, k)| plain(Shape::Matmul { m, n, k }))
                    .into();
                let shape = |m, n, k| Shape::Matmul { m, n, k };
                cases.push(case(shape(256, 256, 128), Placement::Shifted));
                cases.push(case(shape(256, 384, 320), Placement::TransposedA));
                cases.push(case(shape(256, 384, 320), Placement::TransposedB));
                cases.push(case(shape(77, 129, 65), Placement::TransposedB));
                cases
            }
        }
    }

    /// What time is measured at.
    #[must_use]
    pub fn speed_shapes(self) -> Vec<Shape> {
        match self {
            Self::Add => [20, 24, 28]
                .map(|power| Shape::Add { n: 1 << power })
                .into(),
            Self::Softmax => [(16384, 4096), (32768, 1024), (4096, 32768)]
                .map(|(rows, columns)| Shape::Softmax { rows, columns })
                .into(),
            Self::Matmul => {
                let size = 4096;
                vec![Shape::Matmul {
                    m: size,
                    n: size,
                    k: size,
                }]
            }
        }
    }
}

/// A function with its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Vectors of `n` elements.
    Add {
        /// Elements.
        n: usize,
    },
    /// A matrix of `rows` by `columns`.
    Softmax {
        /// Rows.
        rows: usize,
        /// Elements of a row.
        columns: usize,
    },
    /// `m` by `k` times `k` by `n`.
    Matmul {
        /// Rows of the result.
        m: usize,
        /// Columns of the result.
        n: usize,
        /// Elements of a sum.
        k: usize,
    },
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { n } => {
                let power = n.ilog2();
                match n - (1 << power) {
                    0 if power >= 20 => write!(f, "2^{power}"),
                    rest if power >= 24 => write!(f, "2^{power}+{rest}"),
                    _ => write!(f, "{n}"),
                }
            }
            Self::Softmax { rows, columns } => write!(f, "{rows}×{columns}"),
            Self::Matmul { m, n, k } => write!(f, "{m}×{n}×{k}"),
        }
    }
}

impl Shape {
    /// Shapes of the inputs.
    #[must_use]
    pub fn inputs(self) -> Vec<Vec<usize>> {
        match self {
            Self::Add { n } => vec![vec![n]; 2],
            Self::Softmax { rows, columns } => vec![vec![rows, columns]],
            Self::Matmul { m, n, k } => vec![vec![m, k], vec![k, n]],
        }
    }

    /// Shape of the output.
    #[must_use]
    pub fn output(self) -> Vec<usize> {
        match self {
            Self::Add { n } => vec![n],
            Self::Softmax { rows, columns } => vec![rows, columns],
            Self::Matmul { m, n, .. } => vec![m, n],
        }
    }

    /// Multiplications and additions of a matrix product; `None` where memory is the limit.
    #[must_use]
    pub fn operations(self) -> Option<f64> {
        match self {
            Self::Matmul { m, n, k } => Some(2.0 * m as f64 * n as f64 * k as f64),
            _ => None,
        }
    }

    /// Whether it ends soon even where every access is checked by a tool that slows it down a
    /// hundred times.
    #[must_use]
    pub fn is_small(self) -> bool {
        match self {
            Self::Add { n } => n <= 1 << 20,
            Self::Softmax { rows, columns } => rows * columns <= 1 << 21,
            Self::Matmul { m, n, k } => m * n * k <= 1 << 26,
        }
    }

    /// How far a result may be off, as ‖out − ref‖ / ‖ref‖.
    #[must_use]
    pub fn limit(self, element: ElementType) -> Limit {
        let by_type = |f32_limit, f16, bf16| match element {
            ElementType::F16 => f16,
            ElementType::BF16 => bf16,
            _ => f32_limit,
        };
        match self {
            Self::Add { .. } => Limit::Exact,
            Self::Softmax { .. } => Limit::Relative(by_type(1e-6, 1e-3, 5e-3)),
            // Rounding errors of a sum of k terms grow as √k. This is too tight for tf32.
            Self::Matmul { k, .. } => {
                Limit::Relative(by_type(1e-6 * (k as f64).sqrt(), 2e-3, 8e-3))
            }
        }
    }
}

/// How far a result may be off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Limit {
    /// Every element is the exact result, rounded once to its type.
    Exact,
    /// ‖out − ref‖ / ‖ref‖ is at most this.
    Relative(f64),
}

impl Limit {
    /// Whether this error is within it; one that is no number never is.
    #[must_use]
    pub fn allows(self, relative: f64) -> bool {
        match self {
            Self::Exact => relative == 0.0,
            Self::Relative(limit) => relative <= limit,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.pad("exact"),
            Self::Relative(limit) => f.pad(&format!("{limit:.0e}")),
        }
    }
}

/// How tensors lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Row-major from an address that is a multiple of 256.
    Dense,
    /// The same, but each tensor starts one element later: code that assumes alignment must not
    /// be chosen.
    Shifted,
    /// The first input is column-major.
    TransposedA,
    /// The second input is column-major.
    TransposedB,
}

impl Placement {
    /// The input that is column-major.
    #[must_use]
    pub const fn transposed(self) -> Option<usize> {
        match self {
            Self::Dense | Self::Shifted => None,
            Self::TransposedA => Some(0),
            Self::TransposedB => Some(1),
        }
    }
}

/// A shape and how its tensors lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Case {
    /// The shape.
    pub shape: Shape,
    /// How its tensors lie.
    pub placement: Placement,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.fmt(f)?;
        match self.placement {
            Placement::Dense => Ok(()),
            Placement::Shifted => f.write_str(" shifted"),
            Placement::TransposedA => f.write_str(" aᵀ"),
            Placement::TransposedB => f.write_str(" bᵀ"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_function() {
        assert_eq!(Family::of_kernel("add_tensor"), Some(Family::Add));
        assert_eq!(Family::of_kernel("softmax"), Some(Family::Softmax));
        assert_eq!(Family::of_kernel("attention"), None);
    }

    #[test]
    fn shapes_are_written_as_people_write_them() {
        let text = |n| Shape::Add { n }.to_string();
        assert_eq!(text(1), "1");
        assert_eq!(text(1024), "1024");
        assert_eq!(text(1_000_003), "1000003");
        assert_eq!(text(1 << 28), "2^28");
        assert_eq!(text((1 << 24) + 16), "2^24+16");
        let case = Case {
            shape: Shape::Matmul { m: 1, n: 2, k: 3 },
            placement: Placement::TransposedB,
        };
        assert_eq!(case.to_string(), "1×2×3 bᵀ");
    }

    #[test]
    fn no_limit_allows_what_is_no_number() {
        assert!(!Limit::Exact.allows(f64::NAN));
        assert!(!Limit::Relative(1.0).allows(f64::NAN));
        assert!(Limit::Relative(1e-3).allows(1e-3));
        assert!(!Limit::Exact.allows(1e-300));
    }
}
