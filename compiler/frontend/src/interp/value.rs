//! Tiles as the interpreter holds them, and everything that moves elements without looking at them.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{self, Scalar};

use super::fault::Fault;

/// A value: the elements of a tile in row-major order. A scalar has rank 0 and one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// Sizes, outermost first.
    pub shape: Vec<u64>,
    /// The elements, as many as the shape says.
    pub content: Content,
}

/// The elements of a tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Numbers.
    Numbers {
        /// Their type.
        element: ElementType,
        /// Their bits, zero-extended.
        bits: Vec<u64>,
    },
    /// Addresses.
    Addresses(Vec<Address>),
}

/// Where a pointer points. One that comes from a parameter never changes to another, however far it
/// moves; one made from an integer may point anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Index of the parameter among the kernel's parameters; `None` for an address made from an
    /// integer.
    pub parameter: Option<usize>,
    /// In bytes, from where the parameter points; without one, the address itself.
    pub offset: i64,
}

impl Tile {
    /// A tile of numbers.
    #[must_use]
    pub fn numbers(element: ElementType, shape: &[u64], bits: Vec<u64>) -> Self {
        debug_assert_eq!(bits.len() as u64, shape.iter().product::<u64>());
        Self {
            shape: shape.to_vec(),
            content: Content::Numbers { element, bits },
        }
    }

    /// A scalar, converted to its type.
    #[must_use]
    pub fn scalar(element: ElementType, value: Scalar) -> Self {
        Self::numbers(element, &[], vec![numeric::from_scalar(element, value)])
    }

    /// A tile of addresses.
    #[must_use]
    pub fn addresses(shape: &[u64], addresses: Vec<Address>) -> Self {
        Self {
            shape: shape.to_vec(),
            content: Content::Addresses(addresses),
        }
    }

    /// Rounds floats to `element`, to nearest even.
    #[must_use]
    pub fn from_floats(
        element: ElementType,
        shape: &[u64],
        values: impl Iterator<Item = f64>,
    ) -> Self {
        let bits = match element {
            ElementType::F32 => values.map(|v| u64::from((v as f32).to_bits())).collect(),
            ElementType::F64 => values.map(f64::to_bits).collect(),
            _ => values
                .map(|value| numeric::from_scalar(element, Scalar::Float(value)))
                .collect(),
        };
        Self::numbers(element, shape, bits)
    }

    /// Wraps integers to `element`.
    #[must_use]
    pub fn from_integers(
        element: ElementType,
        shape: &[u64],
        values: impl Iterator<Item = i128>,
    ) -> Self {
        let mask = u64::MAX >> (64 - element.bits());
        Self::numbers(element, shape, values.map(|v| v as u64 & mask).collect())
    }

    /// The type of the numbers and their bits.
    pub fn as_numbers(&self) -> Result<(ElementType, &[u64]), Fault> {
        match &self.content {
            Content::Numbers { element, bits } => Ok((*element, bits)),
            Content::Addresses(_) => Err(Fault::Malformed("an address where a number is needed")),
        }
    }

    /// The addresses.
    pub fn as_addresses(&self) -> Result<&[Address], Fault> {
        match &self.content {
            Content::Addresses(addresses) => Ok(addresses),
            Content::Numbers { .. } => Err(Fault::Malformed("a number where an address is needed")),
        }
    }

    /// The numbers as floats: exact for float types.
    pub fn floats(&self) -> Result<Vec<f64>, Fault> {
        let (element, bits) = self.as_numbers()?;
        Ok(match element {
            ElementType::F32 => bits
                .iter()
                .map(|&bits| f64::from(f32::from_bits(bits as u32)))
                .collect(),
            ElementType::F64 => bits.iter().map(|&bits| f64::from_bits(bits)).collect(),
            _ => bits
                .iter()
                .map(|&bits| numeric::to_scalar(element, bits).as_f64())
                .collect(),
        })
    }

    /// The numbers as integers; they must be.
    pub fn integers(&self) -> Result<Vec<i128>, Fault> {
        let (element, bits) = self.as_numbers()?;
        if element.is_float() {
            return Err(Fault::Malformed("a float where an integer is needed"));
        }
        let above = 64 - element.bits();
        Ok(if element.is_signed() {
            let extend = |&bits: &u64| i128::from((bits << above) as i64 >> above);
            bits.iter().map(extend).collect()
        } else {
            bits.iter().map(|&bits| i128::from(bits)).collect()
        })
    }

    /// The number of an integer scalar.
    pub fn integer(&self) -> Result<i128, Fault> {
        match self.integers()?.as_slice() {
            [value] => Ok(*value),
            _ => Err(Fault::Malformed("a tile where a scalar is needed")),
        }
    }

    /// The elements of an `i1` tile.
    pub fn conditions(&self) -> Result<impl Iterator<Item = bool>, Fault> {
        match self.as_numbers()? {
            (ElementType::I1, bits) => Ok(bits.iter().map(|&bits| bits != 0)),
            _ => Err(Fault::Malformed("a number where a condition is needed")),
        }
    }

    /// The truth of an `i1` scalar.
    pub fn condition(&self) -> Result<bool, Fault> {
        let mut conditions = self.conditions()?;
        match (conditions.next(), conditions.next()) {
            (Some(condition), None) => Ok(condition),
            _ => Err(Fault::Malformed("a tile where a scalar is needed")),
        }
    }

    /// The tile whose elements are those of `self` at `sources` (row-major numbers).
    #[must_use]
    pub fn gathered(&self, shape: &[u64], sources: &[usize]) -> Self {
        Self {
            shape: shape.to_vec(),
            content: match &self.content {
                Content::Numbers { element, bits } => Content::Numbers {
                    element: *element,
                    bits: sources.iter().map(|&source| bits[source]).collect(),
                },
                Content::Addresses(addresses) => {
                    Content::Addresses(sources.iter().map(|&source| addresses[source]).collect())
                }
            },
        }
    }

    /// The tile made of these scalars in row-major order; `None` if they are not of one type.
    #[must_use]
    pub fn assembled(element: ElementType, shape: &[u64], scalars: &[&Self]) -> Option<Self> {
        let bits = scalars.iter().map(|scalar| match scalar.as_numbers() {
            Ok((other, &[bits])) if other == element => Some(bits),
            _ => None,
        });
        Some(Self::numbers(element, shape, bits.collect::<Option<_>>()?))
    }

    /// Same elements, other shape.
    pub fn reshaped(&self, shape: &[u64]) -> Result<Self, Fault> {
        if shape.iter().product::<u64>() != self.shape.iter().product::<u64>() {
            return Err(Fault::Malformed("a reshape to another number of elements"));
        }
        Ok(Self {
            shape: shape.to_vec(),
            content: self.content.clone(),
        })
    }

    /// NumPy broadcast from rank 0 or the same rank.
    pub fn broadcast(&self, shape: &[u64]) -> Result<Self, Fault> {
        let strides = if self.shape.is_empty() {
            vec![0; shape.len()]
        } else if self.shape.len() == shape.len() {
            // A size of 1 stays in place while the result moves on.
            let sizes = self.shape.iter().zip(shape);
            if !sizes.clone().all(|(from, to)| from == to || *from == 1) {
                return Err(Fault::Malformed("a broadcast of other sizes than 1"));
            }
            let stay = sizes.map(|(from, to)| from != to);
            let move_on = row_major(&self.shape);
            stay.zip(move_on)
                .map(|(stay, stride)| if stay { 0 } else { stride })
                .collect()
        } else {
            return Err(Fault::Malformed("a broadcast to another rank"));
        };
        Ok(self.gathered(shape, &walk(shape, &strides)))
    }

    /// Result dimension `i` is dimension `permutation[i]`.
    pub fn permuted(&self, permutation: &[usize]) -> Result<Self, Fault> {
        let strides = row_major(&self.shape);
        let pick = |from: &[u64]| -> Option<Vec<u64>> {
            permutation
                .iter()
                .map(|&dimension| from.get(dimension).copied())
                .collect()
        };
        match (pick(&self.shape), pick(&strides)) {
            (Some(shape), Some(strides)) if shape.len() == self.shape.len() => {
                Ok(self.gathered(&shape, &walk(&shape, &strides)))
            }
            _ => Err(Fault::Malformed("a permutation of other dimensions")),
        }
    }
}

/// Strides of a dense tile, in elements.
#[must_use]
pub fn row_major(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension] * shape[dimension];
    }
    strides
}

/// The offset of every element of a strided tile, in row-major order.
fn walk(shape: &[u64], strides: &[u64]) -> Vec<usize> {
    let mut offsets = vec![0];
    for (&size, &stride) in shape.iter().zip(strides) {
        offsets = offsets
            .iter()
            .flat_map(|base| (0..size).map(move |index| base + (index * stride) as usize))
            .collect();
    }
    offsets
}

/// The coordinates of the element with this row-major number.
#[must_use]
pub fn coordinates(shape: &[u64], number: usize) -> Vec<u64> {
    row_major(shape)
        .iter()
        .zip(shape)
        .map(|(stride, size)| number as u64 / stride % size)
        .collect()
}
