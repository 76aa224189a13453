//! The swizzles of shared memory: 16-byte chunks permuted inside a pattern of 256, 512 or 1024
//! bytes, so that a column of chunks spreads over all banks (PTX ISA, "Swizzling Modes").
//!
//! Tensor maps (TMA) and matrix descriptors (`wgmma`) share the permutation, not its encoding.

/// A swizzle of shared memory, named after the length of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Nothing moves.
    None,
    /// Rows of 32 bytes.
    B32,
    /// Rows of 64 bytes.
    B64,
    /// Rows of 128 bytes.
    B128,
}

impl Swizzle {
    /// The mode of a tensor map: 0 none, 1, 2, 3 for 32, 64 and 128 bytes.
    #[must_use]
    pub const fn of_tensor_map(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::B32),
            2 => Some(Self::B64),
            3 => Some(Self::B128),
            _ => None,
        }
    }

    /// Bytes of a row: the longest run of the inner dimension; 16 without a swizzle.
    #[must_use]
    pub const fn row_bytes(self) -> u32 {
        match self {
            Self::None => 16,
            Self::B32 => 32,
            Self::B64 => 64,
            Self::B128 => 128,
        }
    }

    /// After so many bytes the pattern repeats; 16 without a swizzle.
    #[must_use]
    pub const fn pattern_bytes(self) -> u32 {
        match self {
            Self::None => 16,
            swizzled => 8 * swizzled.row_bytes(),
        }
    }

    /// Where the byte of a logical address lies, and the other way round: bits 7.. of the address
    /// are exclusive-ored into the number of the chunk, bits 4.., of which they are not a part.
    #[must_use]
    pub const fn apply(self, address: u32) -> u32 {
        address ^ (address >> 3 & (self.row_bytes() - 16))
    }
}
