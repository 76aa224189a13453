//! The sizes that products are measured at.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::subject::Kind;

/// `m` by `k` times `k` by `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Rows of the result.
    pub m: usize,
    /// Columns of the result.
    pub n: usize,
    /// Products of a sum.
    pub k: usize,
}

impl Sizes {
    const fn new(m: usize, n: usize, k: usize) -> Self {
        Self { m, n, k }
    }

    /// Multiplications and additions.
    #[must_use]
    pub fn operations(self) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.m == self.n && self.n == self.k {
            return f.pad(&format!("{}³", self.m));
        }
        f.pad(&format!("{}x{}x{}", self.m, self.n, self.k))
    }
}

impl FromStr for Sizes {
    type Err = String;

    /// `MxNxK`, or one number for all three.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is neither MxNxK nor one size");
        let sizes: Vec<usize> = text
            .split('x')
            .map(|size| size.parse().ok().filter(|&size| size > 0))
            .collect::<Option<_>>()
            .ok_or_else(wrong)?;
        match sizes.as_slice() {
            [size] => Ok(Self::new(*size, *size, *size)),
            [m, n, k] => Ok(Self::new(*m, *n, *k)),
            _ => Err(wrong()),
        }
    }
}

/// All shapes: large and small cubes, layers of language models, few rows as in decoding, sizes that no
/// tile divides, rows whose bytes no vector divides, and few outputs with long sums.
const ALL: [Sizes; 15] = [
    Sizes::new(8192, 8192, 8192),
    Sizes::new(4096, 4096, 4096),
    Sizes::new(2048, 2048, 2048),
    Sizes::new(1024, 1024, 1024),
    Sizes::new(16384, 4096, 4096),
    Sizes::new(4096, 14336, 4096),
    Sizes::new(128, 8192, 8192),
    Sizes::new(16, 8192, 8192),
    Sizes::new(5000, 5000, 5000),
    Sizes::new(1000, 3000, 2000),
    Sizes::new(3333, 2222, 4440),
    Sizes::new(2047, 4095, 1023),
    Sizes::new(256, 256, 16384),
    Sizes::new(512, 512, 32768),
    Sizes::new(4096, 4096, 512),
];

/// Of kinds whose kernels differ little from one that has them all.
const FEW: [Sizes; 4] = [
    Sizes::new(8192, 8192, 8192),
    Sizes::new(4096, 4096, 4096),
    Sizes::new(1024, 1024, 1024),
    Sizes::new(5000, 5000, 5000),
];

/// What is asked of a kind.
#[must_use]
pub fn of(kind: &Kind) -> &'static [Sizes] {
    let same = kind.left == kind.right && !kind.left_by_columns && kind.fused.is_empty();
    let name = (kind.left.name(), kind.out.name());
    let leads = matches!(name, ("bf16", "bf16")) && !kind.right_by_columns
        || matches!(name, ("f8e4m3", "bf16"));
    if same && leads { &ALL } else { &FEW }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        assert_eq!("4096".parse(), Ok(Sizes::new(4096, 4096, 4096)));
        assert_eq!("16x8192x64".parse(), Ok(Sizes::new(16, 8192, 64)));
        assert_eq!(Sizes::new(16, 8192, 64).to_string(), "16x8192x64");
        assert_eq!(Sizes::new(5, 5, 5).to_string(), "5³");
        assert!("16x8192".parse::<Sizes>().is_err());
        assert!("0".parse::<Sizes>().is_err());
    }
}
