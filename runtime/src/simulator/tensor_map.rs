//! Tensor maps: what TMA instructions know of a tensor in global memory (PTX ISA, "Tensors").
//!
//! On a GPU the 128 bytes are the driver's secret. Here they are an encoding of our own: a
//! [`TensorMap`] takes the arguments of `cuTensorMapEncodeTiled` and obeys its rules, so that a host
//! that makes its maps with that function can make them with [`TensorMap::encode`] too.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `TensrMap` |
//! | 8..16 | address |
//! | 16, 17 | data type, rank |
//! | 18..22 | interleave, swizzle, L2 promotion, fill |
//! | 22..32 | box, 5 x 16 bits |
//! | 32..72 | sizes, 5 x 64 bits |
//! | 72..104 | strides, 4 x 64 bits |
//! | 104..109 | element strides, 5 x 8 bits |
//! | 109.. | zeros |

use crate::simulator::matrix::swizzle::Swizzle;

/// Bytes of a map.
pub const BYTES: usize = 128;
/// What the address of a map is a multiple of.
pub const ALIGNMENT: u32 = 64;
/// Dimensions at most.
pub const RANK: usize = 5;

const MAGIC: [u8; 8] = *b"TensrMap";

/// The type of an element: `CUtensorMapDataType`, in its order.
#[allow(missing_docs)] // the names are CUDA's
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    Uint8,
    Uint16,
    Uint32,
    Int32,
    Uint64,
    Int64,
    Float16,
    Float32,
    Float64,
    Bfloat16,
    Float32Ftz,
    Tfloat32,
    Tfloat32Ftz,
}

impl DataType {
    const ALL: [Self; 13] = [
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Int32,
        Self::Uint64,
        Self::Int64,
        Self::Float16,
        Self::Float32,
        Self::Float64,
        Self::Bfloat16,
        Self::Float32Ftz,
        Self::Tfloat32,
        Self::Tfloat32Ftz,
    ];

    /// By the driver's number.
    #[must_use]
    pub fn of_code(code: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Uint8 => 1,
            Self::Uint16 | Self::Float16 | Self::Bfloat16 => 2,
            Self::Uint64 | Self::Int64 | Self::Float64 => 8,
            _ => 4,
        }
    }

    /// The NaN that stands for elements outside the tensor; `None` of integers.
    #[must_use]
    pub const fn nan(self) -> Option<u64> {
        match self {
            Self::Float16 | Self::Bfloat16 => Some(0x7fff),
            Self::Float32 | Self::Float32Ftz | Self::Tfloat32 | Self::Tfloat32Ftz => {
                Some(0x7fff_ffff)
            }
            Self::Float64 => Some(0x7fff_ffff_ffff_ffff),
            _ => None,
        }
    }
}

/// How elements outside the tensor are filled: `CUtensorMapFloatOOBfill`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// With zeros.
    Zeros,
    /// With a NaN; of float types alone.
    Nan,
}

/// A tensor, and the box of it that an instruction moves. Dimension 0 is the contiguous one; what is
/// beyond the rank is 1, strides 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    /// `tensorDataType`
    pub data_type: DataType,
    /// `tensorRank`
    pub rank: usize,
    /// `globalAddress`
    pub address: u64,
    /// `globalDim`, in elements.
    pub sizes: [u64; RANK],
    /// `globalStrides`, in bytes, from dimension 1 on.
    pub strides: [u64; RANK - 1],
    /// `boxDim`, in elements.
    pub box_sizes: [u32; RANK],
    /// `elementStrides`: of dimension 0 it is not looked at.
    pub element_strides: [u32; RANK],
    /// `interleave`: 0, for none, is all that is known here.
    pub interleave: u32,
    /// `swizzle`
    pub swizzle: Swizzle,
    /// `l2Promotion`, 0 to 3: a hint.
    pub promotion: u32,
    /// `oobFill`
    pub fill: Fill,
}

/// Why there is no such map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum TensorMapError {
    #[error("the 128 bytes are no tensor map")]
    NoMap,
    #[error("a tensor map has 1 to 5 dimensions, not {0}")]
    Rank(usize),
    #[error("the tensor's address {0:#x} is not a multiple of 16")]
    Address(u64),
    #[error("dimension {0} has {1} elements; it must have 1 to 2^32")]
    Size(usize, u64),
    #[error("the stride of dimension {0}, {1} bytes, is not a multiple of 16 below 2^40")]
    Stride(usize, u64),
    #[error("the box has {1} elements along dimension {0}; it must have 1 to 256")]
    Box(usize, u32),
    #[error("the element stride of dimension {0} is {1}; it must be 1 to 8")]
    ElementStride(usize, u32),
    #[error("a row of the box has {0} bytes, which is not a multiple of 16")]
    Row(u32),
    #[error("a row of the box has {0} bytes, more than the {1} of the swizzle")]
    RowOfSwizzle(u32, u32),
    #[error("interleaved tensors are not known here")]
    Interleave,
    #[error("the L2 promotion {0} is not 0 to 3")]
    Promotion(u32),
    #[error("only floats can be filled with NaN")]
    Fill,
}

impl TensorMap {
    /// The map as bytes.
    ///
    /// # Errors
    /// What `cuTensorMapEncodeTiled` refuses.
    pub fn encode(&self) -> Result<[u8; BYTES], TensorMapError> {
        self.check()?;
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.extend(MAGIC);
        bytes.extend(self.address.to_le_bytes());
        let swizzle = match self.swizzle {
            Swizzle::None => 0,
            Swizzle::B32 => 1,
            Swizzle::B64 => 2,
            Swizzle::B128 => 3,
        };
        #[allow(clippy::cast_possible_truncation)] // all were checked
        bytes.extend([
            self.data_type as u8,
            self.rank as u8,
            self.interleave as u8,
            swizzle,
            self.promotion as u8,
            u8::from(self.fill == Fill::Nan),
        ]);
        #[allow(clippy::cast_possible_truncation)] // 256 at most
        bytes.extend(
            self.box_sizes
                .iter()
                .flat_map(|&size| (size as u16).to_le_bytes()),
        );
        bytes.extend(self.sizes.iter().flat_map(|size| size.to_le_bytes()));
        bytes.extend(self.strides.iter().flat_map(|stride| stride.to_le_bytes()));
        #[allow(clippy::cast_possible_truncation)] // 8 at most
        bytes.extend(self.element_strides.iter().map(|&stride| stride as u8));
        bytes.resize(BYTES, 0);
        bytes.try_into().map_err(|_| TensorMapError::NoMap)
    }

    /// The map that bytes are.
    ///
    /// # Errors
    /// If they are none.
    pub fn decode(bytes: &[u8; BYTES]) -> Result<Self, TensorMapError> {
        let number = |at: usize, width: usize| {
            let bytes = bytes[at..at + width].iter().rev();
            bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let byte = |at: usize| u32::from(bytes[at]);
        let fill = match byte(21) {
            0 => Some(Fill::Zeros),
            1 => Some(Fill::Nan),
            _ => None,
        };
        let known = (
            DataType::of_code(byte(16)),
            Swizzle::of_tensor_map(byte(19)),
            fill,
        );
        let rest_is_zero = bytes[109..].iter().all(|&byte| byte == 0);
        let (Some(data_type), Some(swizzle), Some(fill)) = known else {
            return Err(TensorMapError::NoMap);
        };
        if bytes[..8] != MAGIC || !rest_is_zero {
            return Err(TensorMapError::NoMap);
        }
        #[allow(clippy::cast_possible_truncation)] // 16 bits
        let map = Self {
            data_type,
            rank: bytes[17].into(),
            address: number(8, 8),
            sizes: std::array::from_fn(|axis| number(32 + 8 * axis, 8)),
            strides: std::array::from_fn(|axis| number(72 + 8 * axis, 8)),
            box_sizes: std::array::from_fn(|axis| number(22 + 2 * axis, 2) as u32),
            element_strides: std::array::from_fn(|axis| byte(104 + axis)),
            interleave: byte(18),
            swizzle,
            promotion: byte(20),
            fill,
        };
        map.check()?;
        Ok(map)
    }

    /// The rules of the driver. One it states but does not enforce, that each stride be a multiple
    /// of the one before, is left out: maps of permuted or broadcast tensors break it, and work.
    fn check(&self) -> Result<(), TensorMapError> {
        use TensorMapError as E;
        if !(1..=RANK).contains(&self.rank) {
            return Err(E::Rank(self.rank));
        }
        if !self.address.is_multiple_of(16) {
            return Err(E::Address(self.address));
        }
        if self.interleave != 0 {
            return Err(E::Interleave);
        }
        if self.promotion > 3 {
            return Err(E::Promotion(self.promotion));
        }
        for axis in 0..RANK {
            let (size, box_size) = (self.sizes[axis], self.box_sizes[axis]);
            let stride = self.element_strides[axis];
            let there = axis < self.rank;
            if !(1..=1 << 32).contains(&size) || !there && size != 1 {
                return Err(E::Size(axis, size));
            }
            if !(1..=256).contains(&box_size) || !there && box_size != 1 {
                return Err(E::Box(axis, box_size));
            }
            if axis > 0 && (!(1..=8).contains(&stride) || !there && stride != 1) {
                return Err(E::ElementStride(axis, stride));
            }
        }
        for (axis, &stride) in (1..self.rank).zip(&self.strides) {
            if !stride.is_multiple_of(16) || stride >= 1 << 40 {
                return Err(E::Stride(axis, stride));
            }
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(16) {
            return Err(E::Row(row));
        }
        if self.swizzle != Swizzle::None && row > self.swizzle.row_bytes() {
            return Err(E::RowOfSwizzle(row, self.swizzle.row_bytes()));
        }
        if self.fill == Fill::Nan && self.data_type.nan().is_none() {
            return Err(E::Fill);
        }
        Ok(())
    }

    /// Bytes of the box along dimension 0.
    #[must_use]
    pub const fn row_bytes(&self) -> u32 {
        self.box_sizes[0] * self.data_type.bytes()
    }

    /// Bytes from one row of the box to the next in shared memory: with a swizzle its rows are as
    /// long as the pattern's, even if the box fills only a part of them.
    #[must_use]
    pub const fn row_pitch(&self) -> u32 {
        match self.swizzle {
            Swizzle::None => self.row_bytes(),
            swizzle => swizzle.row_bytes(),
        }
    }

    /// Elements of the box along a dimension, as many as there are with its stride.
    #[must_use]
    pub const fn extent(&self, axis: usize) -> u32 {
        match axis {
            0 => self.box_sizes[0],
            _ => self.box_sizes[axis].div_ceil(self.element_strides[axis]),
        }
    }

    /// Rows of the box.
    #[must_use]
    pub fn rows(&self) -> u32 {
        (1..RANK).map(|axis| self.extent(axis)).product()
    }

    /// Bytes that an instruction moves, and counts on its mbarrier: all of the box, in the tensor or
    /// not.
    #[must_use]
    pub fn box_bytes(&self) -> u32 {
        self.rows() * self.row_bytes()
    }

    /// Where in global memory a row of the box starts, whose first element has these coordinates but
    /// for the number of the row: at dimension 0 of the tensor. `None` if the row is outside.
    #[must_use]
    pub fn row_address(&self, coordinates: &[i32; RANK], row: u32) -> Option<u64> {
        let mut rest = row;
        let mut address = self.address;
        for (axis, &coordinate) in coordinates.iter().enumerate().take(self.rank).skip(1) {
            let index = rest % self.extent(axis);
            rest /= self.extent(axis);
            let place =
                i64::from(coordinate) + i64::from(index) * i64::from(self.element_strides[axis]);
            let place = u64::try_from(place).ok()?;
            if place >= self.sizes[axis] {
                return None;
            }
            address = address.wrapping_add(place.wrapping_mul(self.strides[axis - 1]));
        }
        Some(address)
    }

    /// The elements of a row that are in the tensor, counted from the start of the box.
    #[must_use]
    pub fn row_inside(&self, coordinates: &[i32; RANK]) -> std::ops::Range<u32> {
        let first = i64::from(coordinates[0]);
        let width = i64::from(self.box_sizes[0]);
        #[allow(clippy::cast_possible_wrap)] // 2^32 at most
        let end = (self.sizes[0] as i64 - first).clamp(0, width);
        let start = (-first).clamp(0, end);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the box
        (start as u32..end as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            data_type: DataType::Bfloat16,
            rank: 3,
            address: 0x1_0000_0040,
            sizes: [100, 50, 7, 1, 1],
            strides: [208, 10400, 0, 0],
            box_sizes: [64, 32, 3, 1, 1],
            element_strides: [1, 2, 1, 1, 1],
            interleave: 0,
            swizzle: Swizzle::B128,
            promotion: 2,
            fill: Fill::Zeros,
        }
    }

    #[test]
    fn bytes_are_read_as_they_were_written() {
        let bytes = map().encode().expect("valid");
        assert_eq!(TensorMap::decode(&bytes), Ok(map()));
        let mut garbage = bytes;
        garbage[3] ^= 1;
        assert_eq!(TensorMap::decode(&garbage), Err(TensorMapError::NoMap));
        assert_eq!(TensorMap::decode(&[0; BYTES]), Err(TensorMapError::NoMap));
    }

    #[test]
    fn the_rules_of_the_driver_hold() {
        use TensorMapError as E;
        let refused = |change: fn(&mut TensorMap)| {
            let mut changed = map();
            change(&mut changed);
            changed.encode().expect_err("refused")
        };
        assert_eq!(refused(|map| map.address += 8), E::Address(0x1_0000_0048));
        assert_eq!(refused(|map| map.strides[1] += 8), E::Stride(2, 10408));
        assert_eq!(
            refused(|map| map.strides[1] = 1 << 40),
            E::Stride(2, 1 << 40)
        );
        assert_eq!(refused(|map| map.box_sizes[1] = 257), E::Box(1, 257));
        assert_eq!(refused(|map| map.box_sizes[0] = 60), E::Row(120));
        assert_eq!(
            refused(|map| map.box_sizes[0] = 72),
            E::RowOfSwizzle(144, 128)
        );
        assert_eq!(
            refused(|map| map.element_strides[1] = 9),
            E::ElementStride(1, 9)
        );
        assert_eq!(refused(|map| map.sizes[2] = 0), E::Size(2, 0));
        assert_eq!(refused(|map| map.rank = 6), E::Rank(6));
        assert_eq!(refused(|map| map.interleave = 1), E::Interleave);
        let nan = |map: &mut TensorMap| (map.data_type, map.fill) = (DataType::Uint16, Fill::Nan);
        assert_eq!(refused(nan), E::Fill);
    }

    #[test]
    fn a_box_may_be_partly_outside() {
        let map = map();
        assert_eq!((map.rows(), map.box_bytes()), (16 * 3, 48 * 128));
        assert_eq!(map.row_inside(&[-3, 0, 0, 0, 0]), 3..64);
        assert_eq!(map.row_inside(&[90, 0, 0, 0, 0]), 0..10);
        assert_eq!(map.row_inside(&[200, 0, 0, 0, 0]), 0..0);
        assert!(map.row_inside(&[-200, 0, 0, 0, 0]).is_empty());
        // Row 17 is the second of the second plane, at every other row of the tensor.
        let address = map.address + 10400 * 6 + 208 * 42;
        assert_eq!(map.row_address(&[0, 40, 5, 0, 0], 17), Some(address));
        assert_eq!(map.row_address(&[0, 49, 5, 0, 0], 17), None);
        assert_eq!(map.row_address(&[0, -1, 5, 0, 0], 0), None);
    }
}
