//! Element types: the numbers that tensors, pointers and scalars are made of.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use half::{bf16, f16};

/// The type of one element, spelled as in the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ElementType {
    I1,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    BF16,
    F32,
    F64,
    /// OCP e4m3 ("fn": no infinities, NaN is `0x7f`).
    F8E4M3,
    /// OCP e5m2 (IEEE-like).
    F8E5M2,
}

impl ElementType {
    /// All element types, in the order of the language reference.
    pub const ALL: [Self; 15] = [
        Self::I1,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
        Self::F8E4M3,
        Self::F8E5M2,
    ];

    /// Bits of a value: 1 for `i1`.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I8 | Self::U8 | Self::F8E4M3 | Self::F8E5M2 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 => 64,
        }
    }

    /// Bytes in memory: 1 for `i1`.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The number of the type in tensor maps: `CUtensorMapDataType`. What only moves has no need of
    /// more than its width.
    #[must_use]
    pub const fn tensor_map_code(self) -> u32 {
        match self {
            Self::F16 => 6,
            Self::F32 => 7,
            Self::F64 => 8,
            Self::BF16 => 9,
            _ => match self.bytes() {
                1 => 0,
                2 => 1,
                4 => 2,
                _ => 4,
            },
        }
    }

    /// Any floating-point type.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16 | Self::BF16 | Self::F32 | Self::F64 | Self::F8E4M3 | Self::F8E5M2
        )
    }

    /// Any integer type, `i1` included.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// A signed integer (`i1` counts as unsigned: its values are 0 and 1).
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// The name in the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F8E4M3 => "f8e4m3",
            Self::F8E5M2 => "f8e5m2",
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is no element type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no element type")]
pub struct UnknownElementType(pub String);

impl FromStr for ElementType {
    type Err = UnknownElementType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|element| element.name() == text)
            .ok_or_else(|| UnknownElementType(text.to_owned()))
    }
}
