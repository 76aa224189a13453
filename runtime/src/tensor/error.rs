//! Why a tensor cannot be.

use std::fmt;

use crate::element::ElementType;

/// What is wrong with the description of a tensor, or with an operation on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum TensorError {
    #[error("shape [{}] needs {expected} elements, but {found} are given", list(.shape))]
    Length {
        shape: Vec<usize>,
        expected: usize,
        found: usize,
    },
    #[error("shape [{}] has more elements than memory can hold", list(.0))]
    TooLarge(Vec<usize>),
    #[error("shape [{}] and strides [{}] differ in rank", list(.shape), list(.strides))]
    StrideRank {
        shape: Vec<usize>,
        strides: Vec<i64>,
    },
    #[error(
        "shape [{}] with strides [{}] and offset {offset} reaches outside {elements} elements",
        list(.shape), list(.strides)
    )]
    OutOfStorage {
        shape: Vec<usize>,
        strides: Vec<i64>,
        offset: usize,
        elements: usize,
    },
    #[error("the elements are {found}, not {expected}")]
    Element {
        found: ElementType,
        expected: ElementType,
    },
    #[error("there are {found} dimensions, not {expected}")]
    Rank { found: usize, expected: usize },
    #[error("the shape is [{}], not [{}]", list(.found), list(.expected))]
    Shape {
        found: Vec<usize>,
        expected: Vec<usize>,
    },
    #[error("{value} does not fit {element}")]
    Value { value: String, element: ElementType },
    #[error("dimension {dimension} of a tensor of rank {rank}")]
    NoSuchDimension { dimension: usize, rank: usize },
    #[error("{start}..{end} is outside dimension {dimension} of size {size}")]
    Slice {
        start: usize,
        end: usize,
        dimension: usize,
        size: usize,
    },
    #[error("{0:?} is no permutation of the dimensions")]
    Permutation(Vec<usize>),
    #[error("`{low}..{high}` is an empty range")]
    EmptyRange { low: i64, high: i64 },
}

pub(super) fn list<T: fmt::Display>(items: &[T]) -> String {
    let texts: Vec<_> = items.iter().map(ToString::to_string).collect();
    texts.join(", ")
}
