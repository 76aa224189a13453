//! Host tensors: elements of one type with a shape and strides, over shared bytes.
//!
//! Sizes and strides count elements, offsets too; bytes are little-endian. Cloning and viewing
//! share the bytes; writing copies them first if they are shared. *Logical order* is row-major
//! order of the shape, whatever the strides.

mod create;
mod digest;
mod error;
mod native;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::element::ElementType;
use crate::numeric::{self, Scalar};

pub use create::Seed;
pub use digest::Digest;
pub(crate) use digest::hash_text;
pub use error::TensorError;
pub use native::{F8E4M3, F8E5M2, Native};

/// A tensor in host memory.
#[derive(Clone)]
pub struct Tensor {
    element: ElementType,
    shape: Vec<usize>,
    strides: Vec<i64>,
    offset: usize,
    bytes: Arc<Vec<u8>>,
}

/// Strides of a dense row-major tensor, in elements.
#[must_use]
pub fn dense_strides(shape: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for dimension in (1..shape.len()).rev() {
        // Wrapping only where a size is 0 and no element exists that a stride could reach.
        strides[dimension - 1] = strides[dimension].wrapping_mul(shape[dimension] as i64);
    }
    strides
}

/// Whether these strides address the elements of `shape` densely in row-major order. A stride that
/// is never taken (size 1, or no elements at all) may be anything.
#[must_use]
pub fn is_dense(shape: &[usize], strides: &[i64]) -> bool {
    shape.contains(&0)
        || dense_strides(shape)
            .iter()
            .zip(strides)
            .zip(shape)
            .all(|((dense, stride), &size)| size == 1 || dense == stride)
}

/// The number of elements of a shape, if its bytes can be addressed.
pub(crate) fn count(element: ElementType, shape: &[usize]) -> Result<usize, TensorError> {
    // Zeros are left out so that the strides of an empty tensor stay in range too.
    shape
        .iter()
        .map(|&size| size.max(1))
        .try_fold(element.bytes() as usize, usize::checked_mul)
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .map(|_| shape.iter().product())
        .ok_or_else(|| TensorError::TooLarge(shape.to_vec()))
}

/// Whether all elements of a view lie inside storage of so many elements.
pub(crate) fn check_view(
    element: ElementType,
    shape: &[usize],
    strides: &[i64],
    offset: usize,
    elements: usize,
) -> Result<(), TensorError> {
    count(element, shape)?;
    if shape.len() != strides.len() {
        return Err(TensorError::StrideRank {
            shape: shape.to_vec(),
            strides: strides.to_vec(),
        });
    }
    let (mut low, mut high) = (offset as i128, offset as i128);
    for (&size, &stride) in shape.iter().zip(strides) {
        let reach = stride as i128 * (size as i128 - 1).max(0);
        low += reach.min(0);
        high += reach.max(0);
    }
    if !shape.contains(&0) && (low < 0 || high >= elements as i128) {
        return Err(TensorError::OutOfStorage {
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            offset,
            elements,
        });
    }
    Ok(())
}

impl Tensor {
    /// A dense tensor of the given elements in logical order.
    ///
    /// # Errors
    /// [`TensorError::Length`] if `values` are not as many as the shape needs.
    pub fn from_vec<T: Native>(shape: &[usize], values: &[T]) -> Result<Self, TensorError> {
        let expected = count(T::ELEMENT, shape)?;
        if expected != values.len() {
            return Err(TensorError::Length {
                shape: shape.to_vec(),
                expected,
                found: values.len(),
            });
        }
        let mut values = values.iter();
        Self::fill_with(T::ELEMENT, shape, || {
            values.next().map_or(0, |value| value.to_bits64())
        })
    }

    /// A dense tensor over the given little-endian bytes.
    ///
    /// # Errors
    /// [`TensorError::Length`] if the bytes are not exactly those of the shape.
    pub fn from_bytes(
        element: ElementType,
        shape: &[usize],
        bytes: Vec<u8>,
    ) -> Result<Self, TensorError> {
        let expected = count(element, shape)?;
        let width = element.bytes() as usize;
        if expected * width != bytes.len() {
            return Err(TensorError::Length {
                shape: shape.to_vec(),
                expected,
                found: bytes.len() / width,
            });
        }
        Self::from_storage(element, shape, &dense_strides(shape), 0, bytes)
    }

    /// A view of the given bytes: element `[i, j, …]` is number
    /// `offset + i * strides[0] + j * strides[1] + …` of them.
    ///
    /// # Errors
    /// [`TensorError::OutOfStorage`] if an element would lie outside the bytes.
    pub fn from_storage(
        element: ElementType,
        shape: &[usize],
        strides: &[i64],
        offset: usize,
        bytes: Vec<u8>,
    ) -> Result<Self, TensorError> {
        let elements = bytes.len() / element.bytes() as usize;
        check_view(element, shape, strides, offset, elements)?;
        Ok(Self {
            element,
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            offset,
            bytes: Arc::new(bytes),
        })
    }

    /// The type of the elements.
    #[must_use]
    pub const fn element(&self) -> ElementType {
        self.element
    }

    /// The sizes, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The strides in elements, outermost first.
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// Number of the first element in [`storage`](Self::storage), in elements.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// All bytes the tensor is a view of.
    #[must_use]
    pub fn storage(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the elements lie densely in row-major order.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        is_dense(&self.shape, &self.strides)
    }

    /// The elements' bytes in logical order; borrowed if the tensor is dense.
    #[must_use]
    pub fn dense_bytes(&self) -> Cow<'_, [u8]> {
        let width = self.element.bytes() as usize;
        if self.is_empty() {
            return Cow::Borrowed(&[]);
        }
        if self.is_dense() {
            let start = self.offset * width;
            return Cow::Borrowed(&self.bytes[start..start + self.len() * width]);
        }
        let mut bytes = Vec::with_capacity(self.len() * width);
        for at in self.positions() {
            bytes.extend_from_slice(&self.bytes[at * width..(at + 1) * width]);
        }
        Cow::Owned(bytes)
    }

    /// The same elements, dense, over storage that holds nothing else.
    #[must_use]
    pub fn to_dense(&self) -> Self {
        let packed = self.bytes.len() == self.len() * self.element.bytes() as usize;
        if packed && self.is_dense() && self.strides == dense_strides(&self.shape) {
            return self.clone();
        }
        Self {
            element: self.element,
            shape: self.shape.clone(),
            strides: dense_strides(&self.shape),
            offset: 0,
            bytes: Arc::new(self.dense_bytes().into_owned()),
        }
    }

    /// Element numbers in the storage, in logical order.
    fn positions(&self) -> Positions<'_> {
        Positions {
            tensor: self,
            index: vec![0; self.shape.len()],
            at: self.offset as i64,
            left: self.len(),
        }
    }

    /// The bits of each element in logical order.
    pub fn bits(&self) -> impl ExactSizeIterator<Item = u64> {
        let width = self.element.bytes() as usize;
        self.positions()
            .map(move |at| load(&self.bytes[at * width..(at + 1) * width]))
    }

    /// The elements in logical order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Scalar> {
        self.bits()
            .map(|bits| numeric::to_scalar(self.element, bits))
    }

    /// The elements in logical order, each as the nearest `f64`.
    #[must_use]
    pub fn to_f64(&self) -> Vec<f64> {
        self.values().map(Scalar::as_f64).collect()
    }

    /// The elements in logical order as `i64` (floats towards zero; `u64` saturates).
    #[must_use]
    pub fn to_i64(&self) -> Vec<i64> {
        self.values().map(Scalar::as_i64).collect()
    }

    /// The elements in logical order.
    ///
    /// # Errors
    /// [`TensorError::Element`] if they are not of type `T`.
    pub fn to_vec<T: Native>(&self) -> Result<Vec<T>, TensorError> {
        if self.element == T::ELEMENT {
            Ok(self.bits().map(T::from_bits64).collect())
        } else {
            Err(TensorError::Element {
                found: self.element,
                expected: T::ELEMENT,
            })
        }
    }

    /// The element at `index`; `None` outside the tensor.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<Scalar> {
        let width = self.element.bytes() as usize;
        let at = self.position(index)? * width;
        let bits = load(&self.bytes[at..at + width]);
        Some(numeric::to_scalar(self.element, bits))
    }

    /// Writes the element at `index`, converted by the rules of [`numeric`]; other tensors that
    /// share the bytes do not see it. False outside the tensor.
    pub fn set(&mut self, index: &[usize], value: Scalar) -> bool {
        let Some(at) = self.position(index) else {
            return false;
        };
        let width = self.element.bytes() as usize;
        let bits = numeric::from_scalar(self.element, value).to_le_bytes();
        Arc::make_mut(&mut self.bytes)[at * width..(at + 1) * width]
            .copy_from_slice(&bits[..width]);
        true
    }

    fn position(&self, index: &[usize]) -> Option<usize> {
        let inside = index.len() == self.shape.len()
            && index.iter().zip(&self.shape).all(|(at, size)| at < size);
        let steps = index.iter().zip(&self.strides);
        inside.then(|| {
            let at = steps.fold(self.offset as i64, |at, (&i, stride)| {
                at + i as i64 * stride
            });
            at as usize
        })
    }

    /// The same numbers as another element type (dense), by the rules of [`numeric`].
    #[must_use]
    pub fn convert(&self, element: ElementType) -> Self {
        if element == self.element {
            return self.clone();
        }
        let width = element.bytes() as usize;
        let mut bytes = Vec::with_capacity(self.len() * width);
        for bits in self.bits() {
            let bits = numeric::convert(bits, self.element, element);
            bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
        Self {
            element,
            shape: self.shape.clone(),
            strides: dense_strides(&self.shape),
            offset: 0,
            bytes: Arc::new(bytes),
        }
    }

    /// A view with the dimensions in another order: dimension `i` of the view is dimension
    /// `order[i]` of the tensor.
    ///
    /// # Errors
    /// [`TensorError::Permutation`] if `order` does not name each dimension once.
    pub fn permuted(&self, order: &[usize]) -> Result<Self, TensorError> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if sorted != (0..self.shape.len()).collect::<Vec<_>>() {
            return Err(TensorError::Permutation(order.to_vec()));
        }
        Ok(Self {
            shape: order.iter().map(|&from| self.shape[from]).collect(),
            strides: order.iter().map(|&from| self.strides[from]).collect(),
            ..self.clone()
        })
    }

    /// A view with the dimensions in reverse order.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self {
            shape: self.shape.iter().rev().copied().collect(),
            strides: self.strides.iter().rev().copied().collect(),
            ..self.clone()
        }
    }

    /// A view of `start..end` of one dimension.
    ///
    /// # Errors
    /// If there is no such dimension or range.
    pub fn sliced(&self, dimension: usize, start: usize, end: usize) -> Result<Self, TensorError> {
        let rank = self.shape.len();
        let &size = self
            .shape
            .get(dimension)
            .ok_or(TensorError::NoSuchDimension { dimension, rank })?;
        if start > end || end > size {
            return Err(TensorError::Slice {
                start,
                end,
                dimension,
                size,
            });
        }
        let mut view = self.clone();
        view.shape[dimension] = end - start;
        if !view.is_empty() {
            view.offset = (self.offset as i64 + start as i64 * self.strides[dimension]) as usize;
        }
        Ok(view)
    }

    /// The same elements with another shape.
    ///
    /// # Errors
    /// [`TensorError::Length`] if the shape needs another number of elements.
    pub fn reshaped(&self, shape: &[usize]) -> Result<Self, TensorError> {
        let expected = count(self.element, shape)?;
        if expected != self.len() {
            return Err(TensorError::Length {
                shape: shape.to_vec(),
                expected,
                found: self.len(),
            });
        }
        Ok(Self {
            shape: shape.to_vec(),
            strides: dense_strides(shape),
            ..self.to_dense()
        })
    }
}

/// Reads up to 8 little-endian bytes.
pub(crate) fn load(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Walks the storage in logical order.
struct Positions<'a> {
    tensor: &'a Tensor,
    index: Vec<usize>,
    at: i64,
    left: usize,
}

impl Iterator for Positions<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let at = self.at as usize;
        for dimension in (0..self.index.len()).rev() {
            let (size, stride) = (self.tensor.shape[dimension], self.tensor.strides[dimension]);
            self.index[dimension] += 1;
            self.at += stride;
            if self.index[dimension] < size {
                break;
            }
            self.at -= stride * size as i64;
            self.index[dimension] = 0;
        }
        Some(at)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Positions<'_> {}

impl fmt::Debug for Tensor {
    /// Type, shape and the first few elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] (", self.element, error::list(&self.shape))?;
        for (number, value) in self.values().take(8).enumerate() {
            write!(f, "{}{value}", if number == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.len() > 8 { ", …)" } else { ")" })
    }
}

impl PartialEq for Tensor {
    /// Same type, same shape and same bits; strides and sharing do not matter.
    fn eq(&self, other: &Self) -> bool {
        self.element == other.element
            && self.shape == other.shape
            && self.dense_bytes() == other.dense_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted() -> Tensor {
        Tensor::from_vec(&[2, 3], &[0i32, 1, 2, 3, 4, 5]).expect("six elements")
    }

    #[test]
    fn views_share_the_bytes_and_keep_logical_order() {
        let tensor = counted();
        assert_eq!(tensor.transposed().to_i64(), [0, 3, 1, 4, 2, 5]);
        let column = tensor.sliced(1, 1, 2).expect("in range");
        assert_eq!(column.to_i64(), [1, 4]);
        assert!(!column.is_dense());
        assert_eq!(column.to_dense().strides(), [1, 1]);
        assert_eq!(column.storage().as_ptr(), tensor.storage().as_ptr());
        let permuted = tensor.permuted(&[1, 0]).expect("a permutation");
        assert_eq!(permuted, tensor.transposed());
        assert_eq!(
            tensor.transposed().reshaped(&[6]).expect("six").to_i64(),
            [0, 3, 1, 4, 2, 5]
        );
    }

    #[test]
    fn writing_leaves_other_owners_alone() {
        let tensor = counted();
        let mut copy = tensor.transposed();
        assert!(copy.set(&[2, 0], Scalar::Int(9)));
        assert!(!copy.set(&[3, 0], Scalar::Int(9)));
        assert_eq!(copy.get(&[2, 0]), Some(Scalar::Int(9)));
        assert_eq!(tensor.get(&[0, 2]), Some(Scalar::Int(2)));
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let text = |error: TensorError| error.to_string();
        assert_eq!(
            text(Tensor::from_vec(&[2, 2], &[1.0f32]).expect_err("too few")),
            "shape [2, 2] needs 4 elements, but 1 are given"
        );
        assert_eq!(
            text(counted().sliced(1, 2, 4).expect_err("outside")),
            "2..4 is outside dimension 1 of size 3"
        );
        assert_eq!(
            text(counted().to_vec::<f32>().expect_err("wrong type")),
            "the elements are i32, not f32"
        );
        let storage = Tensor::from_storage(ElementType::I8, &[2], &[4], 0, vec![0; 4]);
        assert_eq!(
            text(storage.expect_err("outside")),
            "shape [2] with strides [4] and offset 0 reaches outside 4 elements"
        );
        assert!(Tensor::zeros(ElementType::F64, &[usize::MAX, 2]).is_err());
        assert!(Tensor::zeros(ElementType::F64, &[usize::MAX, 0]).is_err());
    }

    #[test]
    fn empty_and_rank_zero_tensors() {
        let empty = Tensor::zeros(ElementType::F32, &[0, 3]).expect("empty");
        assert!(empty.is_empty() && empty.is_dense() && empty.to_f64().is_empty());
        assert!(empty.transposed().dense_bytes().is_empty());
        let scalar = Tensor::from_vec(&[], &[7u8]).expect("one element");
        assert_eq!(scalar.to_i64(), [7]);
    }

    #[test]
    fn conversion_rounds_to_nearest_even() {
        let tensor = Tensor::from_vec(&[3], &[1.0f32, 2049.0, -500.0]).expect("three");
        assert_eq!(
            tensor.convert(ElementType::F16).to_f64(),
            [1.0, 2048.0, -500.0]
        );
        assert_eq!(
            tensor.convert(ElementType::F8E4M3).to_f64(),
            [1.0, 448.0, -448.0]
        );
        assert_eq!(tensor.convert(ElementType::I8).to_i64(), [1, 127, -128]);
    }
}
