//! New tensors: constant, counted, and random from a seed.
//!
//! Random tensors are the same on every machine for the same seed and stream: ChaCha8 gives the
//! bits, and the logarithms and sines of the normal distribution come from `libm`, because those
//! of the system's C library differ in the last bit from one version to the next.

use std::f64::consts::TAU;
use std::fs;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Tensor, TensorError, count, dense_strides};
use crate::element::ElementType;
use crate::numeric::{self, Scalar};

/// Where random numbers come from: a seed, and a stream for each tensor made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed {
    /// The seed.
    pub seed: u64,
    /// Tensors of different streams are independent of each other.
    pub stream: u64,
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Self { seed, stream: 0 }
    }
}

impl Seed {
    fn generator(self) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        generator.set_stream(self.stream);
        generator
    }
}

/// A number in `[0, 1)` with 53 random bits.
fn unit(generator: &mut ChaCha8Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Bytes from which on it is asked how much memory there is.
const MANY_BYTES: usize = 1 << 30;

/// Whether so many bytes can be held. Some allocators give more than there is, and the process ends when it is used.
fn fits_memory(bytes: usize) -> bool {
    bytes < MANY_BYTES || available_memory().is_none_or(|available| bytes <= available)
}

/// Bytes that a process may still have on Linux: `MemAvailable` (proc(5)), or what its control group may have in all
/// (cgroups(7), `memory.max`), if that is less. `None` where nobody says.
fn available_memory() -> Option<usize> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let most = group.and_then(|text| text.trim().parse().ok());
    Some(
        kilobytes
            .saturating_mul(1024)
            .min(most.unwrap_or(usize::MAX)),
    )
}

impl Tensor {
    /// A dense tensor whose elements, in logical order, have the bits that `next` returns.
    pub(super) fn fill_with(
        element: ElementType,
        shape: &[usize],
        mut next: impl FnMut() -> u64,
    ) -> Result<Self, TensorError> {
        let elements = count(element, shape)?;
        let width = element.bytes() as usize;
        let too_large = || TensorError::TooLarge(shape.to_vec());
        if !fits_memory(elements * width) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(elements * width)
            .map_err(|_| too_large())?;
        for _ in 0..elements {
            bytes.extend_from_slice(&next().to_le_bytes()[..width]);
        }
        Ok(Self {
            element,
            shape: shape.to_vec(),
            strides: dense_strides(shape),
            offset: 0,
            bytes: Arc::new(bytes),
        })
    }

    /// All zero.
    ///
    /// # Errors
    /// [`TensorError::TooLarge`] if memory cannot hold the shape (true of all constructors here).
    pub fn zeros(element: ElementType, shape: &[usize]) -> Result<Self, TensorError> {
        Self::fill_with(element, shape, || 0)
    }

    /// All the same number.
    ///
    /// # Errors
    /// [`TensorError::Value`] if it does not fit the element type.
    pub fn full(element: ElementType, shape: &[usize], value: Scalar) -> Result<Self, TensorError> {
        let value = fitting(element, value)?;
        let bits = numeric::from_scalar(element, value);
        Self::fill_with(element, shape, || bits)
    }

    /// `start, start + step, …` in logical order (rounded to the element type).
    ///
    /// # Errors
    /// [`TensorError::Value`] if the first or the last number does not fit the element type.
    pub fn arange(
        element: ElementType,
        shape: &[usize],
        start: i64,
        step: i64,
    ) -> Result<Self, TensorError> {
        let elements = count(element, shape)?;
        let at = |index: usize| Scalar::Int(start as i128 + step as i128 * index as i128);
        if let Some(last) = elements.checked_sub(1) {
            fitting(element, at(0))?;
            fitting(element, at(last))?;
        }
        let mut index = 0;
        Self::fill_with(element, shape, || {
            index += 1;
            numeric::from_scalar(element, at(index - 1))
        })
    }

    /// One dimension, with these elements.
    ///
    /// # Errors
    /// If the element type has not one of them, or there is no memory.
    pub fn list(element: ElementType, list: &[Scalar]) -> Result<Self, TensorError> {
        let fits = |value: &Scalar| fitting(element, *value);
        let values: Vec<_> = list.iter().map(fits).collect::<Result<_, _>>()?;
        let mut bits = values
            .into_iter()
            .map(|value| numeric::from_scalar(element, value));
        Self::fill_with(element, &[list.len()], || bits.next().unwrap_or_default())
    }

    /// Normally distributed, mean 0, standard deviation 1 (Box-Muller); integers are rounded
    /// towards zero.
    ///
    /// # Errors
    /// [`TensorError::TooLarge`].
    pub fn randn(
        element: ElementType,
        shape: &[usize],
        seed: impl Into<Seed>,
    ) -> Result<Self, TensorError> {
        let mut generator = seed.into().generator();
        let mut second = None;
        Self::fill_with(element, shape, || {
            let value = second.take().unwrap_or_else(|| {
                // 1 - unit is in (0, 1], so the logarithm is finite.
                let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(&mut generator)));
                let (sin, cos) = libm::sincos(TAU * unit(&mut generator));
                second = Some(radius * sin);
                radius * cos
            });
            numeric::from_scalar(element, Scalar::Float(value))
        })
    }

    /// Uniform in `[low, high)` before rounding to the element type.
    ///
    /// # Errors
    /// [`TensorError::Value`] if an end does not fit.
    pub fn rand(
        element: ElementType,
        shape: &[usize],
        low: f64,
        high: f64,
        seed: impl Into<Seed>,
    ) -> Result<Self, TensorError> {
        if element.is_float() {
            fitting(element, Scalar::Float(low))?;
            fitting(element, Scalar::Float(high))?;
        }
        let mut generator = seed.into().generator();
        Self::fill_with(element, shape, || {
            let value = low + (high - low) * unit(&mut generator);
            numeric::from_scalar(element, Scalar::Float(value))
        })
    }

    /// Uniform integers in `low..high`, for float element types too.
    ///
    /// # Errors
    /// If the range is empty or an end does not fit the element type.
    pub fn randint(
        element: ElementType,
        shape: &[usize],
        low: i64,
        high: i64,
        seed: impl Into<Seed>,
    ) -> Result<Self, TensorError> {
        if low >= high {
            return Err(TensorError::EmptyRange { low, high });
        }
        fitting(element, low.into())?;
        fitting(element, (high - 1).into())?;
        let width = (high as i128 - low as i128) as u128;
        let mut generator = seed.into().generator();
        Self::fill_with(element, shape, || {
            // The high half of a product (Lemire): the bias is below 2^-64 times the range.
            let step = (u128::from(generator.next_u64()) * width) >> 64;
            numeric::from_scalar(element, Scalar::Int(low as i128 + step as i128))
        })
    }
}

/// The number, if the element type can take it. A float that is whole is an integer where one is
/// wanted, so that `full(4, 1.0)` works for integers.
fn fitting(element: ElementType, value: Scalar) -> Result<Scalar, TensorError> {
    let value = match value {
        Scalar::Float(float) if element.is_integer() && float.fract() == 0.0 => {
            Scalar::Int(float as i128)
        }
        other => other,
    };
    if numeric::fits(element, value) {
        Ok(value)
    } else {
        Err(TensorError::Value {
            value: value.to_string(),
            element,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_stream_others() {
        let make = |seed, stream| {
            Tensor::randn(ElementType::F32, &[64], Seed { seed, stream }).expect("small")
        };
        assert_eq!(make(1, 0), make(1, 0));
        assert_ne!(make(1, 0), make(2, 0));
        assert_ne!(make(1, 0), make(1, 1));
        // Pinned: a change here changes every recorded digest.
        assert_eq!(
            make(0, 0).digest().to_string(),
            "bb74ef43f0cc7bba  min -2.619941  max 2.948815  mean 0.043786"
        );
    }

    #[test]
    fn distributions_have_the_right_moments() {
        let normal = Tensor::randn(ElementType::F64, &[10_000], 7)
            .expect("small")
            .to_f64();
        let mean = normal.iter().sum::<f64>() / 1e4;
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e4;
        assert!(
            mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05,
            "{mean} {variance}"
        );
        let uniform = Tensor::rand(ElementType::F64, &[10_000], 2.0, 4.0, 7).expect("small");
        assert!(uniform.to_f64().iter().all(|x| (2.0..4.0).contains(x)));
        assert!((uniform.to_f64().iter().sum::<f64>() / 1e4 - 3.0).abs() < 0.05);
        let integers = Tensor::randint(ElementType::I8, &[1000], -3, 4, 7)
            .expect("small")
            .to_i64();
        assert_eq!(integers.iter().min(), Some(&-3));
        assert_eq!(integers.iter().max(), Some(&3));
    }

    #[test]
    fn numbers_that_do_not_fit_are_errors() {
        let text = |result: Result<Tensor, TensorError>| result.expect_err("no fit").to_string();
        assert_eq!(
            text(Tensor::full(ElementType::I8, &[2], Scalar::Int(200))),
            "200 does not fit i8"
        );
        assert_eq!(
            text(Tensor::full(ElementType::I32, &[2], Scalar::Float(0.5))),
            "0.5 does not fit i32"
        );
        assert_eq!(
            text(Tensor::arange(ElementType::U8, &[300], 0, 1)),
            "299 does not fit u8"
        );
        assert_eq!(
            text(Tensor::randint(ElementType::I32, &[2], 3, 3, 0)),
            "`3..3` is an empty range"
        );
        assert!(Tensor::full(ElementType::I8, &[2], Scalar::Float(1.0)).is_ok());
    }
}
