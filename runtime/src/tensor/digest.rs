//! A short fingerprint of a tensor, for people to compare and scripts to assert.

use std::fmt;

use super::Tensor;
use crate::element::ElementType;
use crate::numeric;

/// A hash of the contents, and a few numbers that say at a glance what they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// FNV-1a over element type, shape and the elements' bits in logical order. Every NaN counts
    /// as the same NaN; `-0.0` and `0.0` differ. The same on every machine.
    pub hash: u64,
    /// The smallest element that is not NaN.
    pub min: f64,
    /// The largest element that is not NaN.
    pub max: f64,
    /// The mean of the elements that are not NaN.
    pub mean: f64,
    /// How many elements are NaN.
    pub nan: usize,
    /// How many elements there are.
    pub elements: usize,
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.hash)?;
        if self.elements > self.nan {
            write!(
                f,
                "  min {:.6}  max {:.6}  mean {:.6}",
                self.min, self.max, self.mean
            )?;
        }
        if self.nan > 0 {
            write!(f, "  NaN {} of {}", self.nan, self.elements)?;
        }
        Ok(())
    }
}

impl Tensor {
    /// The fingerprint of the elements in logical order.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let element = self.element();
        let width = element.bytes() as usize;
        let mut hash = Fnv::new();
        hash.write(element.name().as_bytes());
        for &size in self.shape() {
            hash.write(&(size as u64).to_le_bytes());
        }
        let mut digest = Digest {
            hash: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            mean: 0.0,
            nan: 0,
            elements: self.len(),
        };
        let one_nan = numeric::from_scalar(element, f64::NAN.into());
        let mut sum = 0.0;
        for bits in self.bits() {
            let value = numeric::to_scalar(element, bits).as_f64();
            if value.is_nan() {
                digest.nan += 1;
                hash.write(&one_nan.to_le_bytes()[..width]);
                continue;
            }
            hash.write(&canonical(element, bits).to_le_bytes()[..width]);
            digest.min = digest.min.min(value);
            digest.max = digest.max.max(value);
            sum += value;
        }
        digest.mean = sum / (digest.elements - digest.nan).max(1) as f64;
        digest.hash = hash.0;
        digest
    }
}

/// A byte of `i1` is true unless it is 0, so any other byte counts as 1.
fn canonical(element: ElementType, bits: u64) -> u64 {
    if element == ElementType::I1 {
        u64::from(bits != 0)
    } else {
        bits
    }
}

/// FNV-1a, 64 bits: five lines that will never change, which is what a recorded hash needs.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// FNV-1a of a text: the random stream of a named tensor.
pub(crate) fn hash_text(text: &str) -> u64 {
    let mut hash = Fnv::new();
    hash.write(text.as_bytes());
    hash.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_count_and_layout_does_not() {
        let tensor = Tensor::from_vec(&[2, 2], &[1.0f32, 2.0, 3.0, f32::NAN]).expect("four");
        let twice = tensor.transposed().to_dense().transposed();
        assert_eq!(tensor.digest(), twice.digest());
        assert_ne!(tensor.digest().hash, tensor.transposed().digest().hash);
        assert_ne!(
            tensor.digest().hash,
            tensor.reshaped(&[4]).expect("four").digest().hash
        );
        assert_eq!(
            tensor.digest().to_string(),
            "dd5d801cabf21954  min 1.000000  max 3.000000  mean 2.000000  NaN 1 of 4"
        );
    }

    #[test]
    fn every_nan_is_the_same() {
        let of = |bits| {
            Tensor::from_vec(&[1], &[f32::from_bits(bits)])
                .expect("one")
                .digest()
        };
        assert_eq!(of(0x7fc0_0000).hash, of(0xffff_ffff).hash);
    }
}
