//! Matrix descriptors of `wgmma`: 64 bits that say where an operand lies in shared memory
//! (PTX ISA, "Matrix Descriptor Format" and "Canonical Layouts").
//!
//! | bits | field |
//! |---|---|
//! | 0..14 | start address / 16 |
//! | 16..30 | leading dimension byte offset / 16 |
//! | 32..46 | stride dimension byte offset / 16 |
//! | 49..52 | base offset |
//! | 62..64 | swizzle: 0 none, 1, 2, 3 of 128, 64, 32 bytes |
//!
//! An operand is made of chunks of 16 bytes: neighbours along K, or along M or N. A chunk lies at
//! the start address plus a sum of strides, and the swizzle is then applied to the address.

use super::swizzle::Swizzle;

/// Bytes of an operand along K: K times the width of an element, for every `wgmma`.
const K_BYTES: u32 = 32;
/// K of the 16-bit types, the only ones that can lie MN-major.
const K_OF_16_BITS: u32 = 16;

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
    /// A base offset, but no swizzle that it could be for.
    #[error("the matrix descriptor has a base offset, {base}, but no swizzle")]
    BaseWithoutSwizzle {
        /// The base offset.
        base: u32,
    },
    /// The start address is not in the first row of the swizzle pattern.
    #[error(
        "the matrix starts at {start:#x}, not in the first row of a {}-byte swizzle pattern: \
         with the base offset {base} patterns start {} bytes after multiples of {} bytes",
        .swizzle.row_bytes(), first_pattern(*.swizzle, *.base), .swizzle.pattern_bytes()
    )]
    Start {
        /// The start address.
        start: u32,
        /// The base offset.
        base: u32,
        /// The swizzle.
        swizzle: Swizzle,
    },
    /// A row of the operand would run over the end of a row of the swizzle pattern.
    #[error(
        "{bytes} bytes from {start:#x} run over the end of a row of the {}-byte swizzle",
        .swizzle.row_bytes()
    )]
    Row {
        /// The start address.
        start: u32,
        /// Bytes of the operand along its contiguous dimension, as far as one row should have them.
        bytes: u32,
        /// The swizzle.
        swizzle: Swizzle,
    },
}

/// Where the first pattern starts.
fn first_pattern(swizzle: Swizzle, base: u32) -> u32 {
    (base << 7) % swizzle.pattern_bytes()
}

/// Where the elements of an operand lie: chunks of 16 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    pub(super) major: Major,
    /// Rows of A or columns of B.
    pub(super) rows: usize,
    chunks: Vec<u32>,
}

impl Tile {
    /// The addresses of the chunks in shared memory, all multiples of 16. They are not bounded by
    /// the size of the memory. If K is contiguous the first two are the first row of A, or column
    /// of B, and so on; otherwise the first `rows / 8` are the first column of A, or row of B.
    #[must_use]
    pub fn chunks(&self) -> &[u32] {
        &self.chunks
    }
}

impl Descriptor {
    /// Takes the fields apart.
    ///
    /// # Errors
    /// If bits are set that must be zero.
    pub fn decode(bits: u64) -> Result<Self, DescriptorError> {
        const FIELDS: u64 = 0x3fff | 0x3fff << 16 | 0x3fff << 32 | 0x7 << 49 | 0x3 << 62;
        if bits & !FIELDS != 0 {
            return Err(DescriptorError::Reserved {
                descriptor: bits,
                bits: bits & !FIELDS,
            });
        }
        let field = |from: u32| (bits >> from & 0x3fff) as u32 * 16;
        let descriptor = Self {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: (bits >> 49 & 7) as u32,
            swizzle: match bits >> 62 {
                0 => Swizzle::None,
                1 => Swizzle::B128,
                2 => Swizzle::B64,
                _ => Swizzle::B32,
            },
        };
        match descriptor {
            Self {
                swizzle: Swizzle::None,
                base: base @ 1..,
                ..
            } => Err(DescriptorError::BaseWithoutSwizzle { base }),
            _ => Ok(descriptor),
        }
    }

    /// The descriptor as bits. Whatever does not fit its field is cut off.
    #[must_use]
    pub fn encode(&self) -> u64 {
        let field = |value: u32, at: u32| u64::from(value >> 4 & 0x3fff) << at;
        let swizzle = match self.swizzle {
            Swizzle::None => 0,
            Swizzle::B128 => 1,
            Swizzle::B64 => 2,
            Swizzle::B32 => 3,
        };
        field(self.start, 0)
            | field(self.leading, 16)
            | field(self.stride, 32)
            | u64::from(self.base & 7) << 49
            | swizzle << 62
    }

    /// The chunks of an operand of `rows` rows (columns, if it is B).
    pub(super) fn tile(&self, rows: usize, major: Major) -> Result<Tile, DescriptorError> {
        let row_count = rows as u32;
        self.check(row_count, major)?;
        let mut chunks = Vec::with_capacity(2 * rows);
        match major {
            Major::K => {
                for row in 0..row_count {
                    chunks.extend([0, 1].map(|chunk| self.address(self.k_major(row, chunk))));
                }
            }
            Major::MN => {
                for k in 0..K_OF_16_BITS {
                    let pieces = 0..row_count / 8;
                    chunks.extend(pieces.map(|piece| self.address(self.mn_major(piece, k))));
                }
            }
        }
        Ok(Tile {
            major,
            rows,
            chunks,
        })
    }

    /// Offset of a chunk of 16 bytes along K.
    fn k_major(&self, row: u32, chunk: u32) -> u32 {
        let between_chunks = match self.swizzle {
            Swizzle::None => self.leading,
            // One row of the pattern has all of K; the leading offset is not used.
            _ => 16,
        };
        row % 8 * self.swizzle.row_bytes() + row / 8 * self.stride + chunk * between_chunks
    }

    /// Offset of a chunk of 8 elements along M or N.
    fn mn_major(&self, piece: u32, k: u32) -> u32 {
        let pieces = self.swizzle.row_bytes() / 16;
        // Without a swizzle the two offsets change places.
        let (between_panels, between_groups) = match self.swizzle {
            Swizzle::None => (self.stride, self.leading),
            _ => (self.leading, self.stride),
        };
        piece % pieces * 16
            + piece / pieces * between_panels
            + k % 8 * self.swizzle.row_bytes()
            + k / 8 * between_groups
    }

    /// The address of what is at an offset: the swizzle goes by the line of the pattern, and the
    /// base offset is the line of shared memory in which the pattern starts.
    fn address(&self, offset: u32) -> u32 {
        let logical = self.start + offset;
        let shift = self.base << 7;
        self.swizzle
            .apply(logical.wrapping_sub(shift))
            .wrapping_add(shift)
    }

    /// Whether the start address is where the swizzle can be told from.
    fn check(&self, rows: u32, major: Major) -> Result<(), DescriptorError> {
        let &Self {
            start,
            base,
            swizzle,
            ..
        } = self;
        if swizzle == Swizzle::None {
            return Ok(());
        }
        let in_pattern = start.wrapping_sub(base << 7) % swizzle.pattern_bytes();
        if in_pattern >= swizzle.row_bytes() {
            return Err(DescriptorError::Start {
                start,
                base,
                swizzle,
            });
        }
        let bytes = match major {
            Major::K => K_BYTES,
            Major::MN => (2 * rows).min(swizzle.row_bytes()),
        };
        // Along M or N a row may also go on in the next panel, but then it must start at a panel.
        let goes_on = major == Major::MN && 2 * rows > swizzle.row_bytes();
        if in_pattern + bytes > swizzle.row_bytes() || goes_on && in_pattern != 0 {
            return Err(DescriptorError::Row {
                start,
                bytes,
                swizzle,
            });
        }
        Ok(())
    }
}
