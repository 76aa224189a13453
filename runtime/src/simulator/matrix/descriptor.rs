//! Matrix descriptors of `wgmma`: 64 bits that say where an operand lies in shared memory
//! (PTX ISA, "Matrix Descriptor Format").

use super::swizzle::Swizzle;

/// A decoded descriptor. Addresses and offsets are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The address of the first element, in the window of shared memory (18 bits).
    pub start: u32,
    /// The leading dimension byte offset.
    pub leading: u32,
    /// The stride dimension byte offset.
    pub stride: u32,
    /// The base offset: the number, of 8, of the 128-byte line in which the swizzle pattern starts.
    pub base: u32,
    /// The swizzle.
    pub swizzle: Swizzle,
}

/// Which dimension of an operand is contiguous in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Major {
    /// K is contiguous: `imm-trans` is 0.
    K,
    /// M of A, or N of B, is contiguous: `imm-trans` is 1.
    MN,
}

/// Why a descriptor cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// Bits that must be zero are not.
    #[error("bits {bits:#018x} of the matrix descriptor {descriptor:#018x} are reserved")]
    Reserved {
        /// The descriptor.
        descriptor: u64,
        /// Those of its bits that must be zero.
        bits: u64,
    },
}

/// Where the elements of an operand lie: chunks of 16 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The addresses of the chunks in shared memory. All are multiples of 16.
    pub chunks: Vec<u32>,
}

impl Descriptor {
    /// Takes the fields apart.
    ///
    /// # Errors
    /// If bits are set that must be zero.
    pub fn decode(bits: u64) -> Result<Self, DescriptorError> {
        let _ = bits;
        todo!()
    }
}
