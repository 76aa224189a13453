//! The element types of tensor-core instructions: their names, which of them go together, and
//! their numbers.
//!
//! Every number is held as an `f64`, which has room for all of them: products of two 16-bit, 8-bit
//! or tf32 floats are exact in it (at most 22 of 53 bits), and so are sums of 32-bit integers.

use crate::element::ElementType;
use crate::numeric::{Scalar, from_scalar};

/// An element type, as PTX names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// The upper 19 bits of an `f32`; the lower 13 are ignored.
    Tf32,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// 8 bits with 4 of exponent; no infinity.
    E4m3,
    /// 8 bits with 5 of exponent.
    E5m2,
    /// Signed integers of 8 bits.
    S8,
    /// Unsigned integers of 8 bits.
    U8,
    /// Signed integers of 4 bits.
    S4,
    /// Unsigned integers of 4 bits.
    U4,
    /// Single bits, taken 32 at a time: as an `f64` it is the bits, not the number, of a word.
    B1,
    /// Signed integers of 32 bits.
    S32,
}

/// What a GPU writes for a NaN that it makes.
const NAN_32: u32 = 0x7fff_ffff;
const NAN_16: u32 = 0x7fff;

impl Kind {
    const ALL: [(&'static str, Self); 13] = [
        ("f16", Self::F16),
        ("bf16", Self::Bf16),
        ("tf32", Self::Tf32),
        ("f32", Self::F32),
        ("f64", Self::F64),
        ("e4m3", Self::E4m3),
        ("e5m2", Self::E5m2),
        ("s8", Self::S8),
        ("u8", Self::U8),
        ("s4", Self::S4),
        ("u4", Self::U4),
        ("b1", Self::B1),
        ("s32", Self::S32),
    ];

    /// The type of a qualifier, such as `bf16`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, kind)| *kind)
    }

    /// The qualifier.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }

    /// Bits of an element.
    #[must_use]
    pub const fn bits(self) -> usize {
        match self {
            Self::B1 => 1,
            Self::S4 | Self::U4 => 4,
            Self::E4m3 | Self::E5m2 | Self::S8 | Self::U8 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 | Self::F32 | Self::S32 => 32,
            Self::F64 => 64,
        }
    }

    /// Bits of the pieces that products are made of: a word of single bits, or an element.
    #[must_use]
    pub const fn piece_bits(self) -> usize {
        match self {
            Self::B1 => 32,
            other => other.bits(),
        }
    }

    /// Bits of a register that holds elements of the type.
    #[must_use]
    pub const fn register_bits(self) -> u32 {
        match self {
            Self::F64 => 64,
            _ => 32,
        }
    }

    /// Pieces in a register.
    #[must_use]
    pub const fn packed(self) -> usize {
        self.register_bits() as usize / self.piece_bits()
    }

    /// The numbers at one place of some 32-bit words: place 0 is in the lowest bits. Not for
    /// `f64`, which takes two words.
    #[inline]
    #[must_use]
    pub fn unpack<const N: usize>(self, words: &[u32; N], place: usize) -> [f64; N] {
        let shift = (place * self.piece_bits()) as u32;
        // One loop for each type, so that each can use the vector unit.
        match self {
            Self::F16 => words.map(|word| f64::from(from_f16(word >> shift))),
            Self::Bf16 => words.map(|word| f64::from(f32::from_bits(word >> shift << 16))),
            Self::Tf32 => words.map(|word| f64::from(f32::from_bits(word & 0xffff_e000))),
            Self::F32 => words.map(|word| f64::from(f32::from_bits(word))),
            Self::E4m3 => words.map(|word| f64::from(from_e4m3(word >> shift))),
            // The upper half of an f16.
            Self::E5m2 => words.map(|word| f64::from(from_f16(word >> shift << 8))),
            Self::S8 => words.map(|word| f64::from((word >> shift) as i8)),
            Self::U8 => words.map(|word| f64::from((word >> shift) as u8)),
            Self::S4 => words.map(|word| f64::from((word << (28 - shift)) as i32 >> 28)),
            Self::U4 => words.map(|word| f64::from(word >> shift & 0xf)),
            Self::S32 => words.map(|word| f64::from(word as i32)),
            Self::B1 | Self::F64 => words.map(|word| f64::from_bits(word.into())),
        }
    }

    /// The low bits that hold a sum, rounded once, to nearest even. An integer that is out of
    /// range loses its upper bits, or with `saturate` becomes the nearest that is in range.
    #[inline]
    #[must_use]
    pub fn pack<const N: usize>(self, sums: &[f64; N], saturate: bool) -> [u32; N] {
        match self {
            Self::F16 => sums.map(|sum| {
                if sum.is_nan() {
                    NAN_16
                } else {
                    from_scalar(ElementType::F16, Scalar::Float(sum)) as u32
                }
            }),
            Self::S32 if saturate => sums.map(|sum| sum as i32 as u32),
            Self::S32 => sums.map(|sum| sum as i64 as u32),
            _ => sums.map(|sum| {
                if sum.is_nan() {
                    NAN_32
                } else {
                    (sum as f32).to_bits()
                }
            }),
        }
    }
}

/// The number of the lower 16 bits. Shifting exponent and mantissa to where an `f32` has them
/// leaves an exponent that is too small by the difference of the biases, for subnormal numbers too.
#[inline]
fn from_f16(bits: u32) -> f32 {
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((112 + 127) << 23);
    let special = if bits & 0x7c00 == 0x7c00 {
        0xff << 23
    } else {
        0
    };
    f32::from_bits(magnitude.to_bits() | special | (bits & 0x8000) << 16)
}

/// The number of the lower 8 bits, in the same way. All ones is the only NaN.
#[inline]
fn from_e4m3(bits: u32) -> f32 {
    let magnitude = f32::from_bits((bits & 0x7f) << 20) * f32::from_bits((120 + 127) << 23);
    let special = if bits & 0x7f == 0x7f { 0x1ff << 22 } else { 0 };
    f32::from_bits(magnitude.to_bits() | special | (bits & 0x80) << 24)
}

/// Types that multiply each other, what they are summed in, and the shapes of `mma.sync`.
#[derive(Debug)]
pub(super) struct Family {
    /// The types of A and B, in any mix.
    pub operands: &'static [Kind],
    /// The types of C and D.
    pub accumulators: &'static [Kind],
    /// M and K of `mma.sync`; N is 8.
    pub shapes: &'static [(usize, usize)],
    /// Whether there is a `wgmma`, of 256 bits along K.
    pub warpgroup: bool,
}

impl Family {
    /// PTX ISA, "Matrix Data-types" and "Matrix Shape" of `mma` and of `wgmma`.
    pub const ALL: &'static [Self] = &[
        Self::of(
            &[Kind::F16],
            &[Kind::F16, Kind::F32],
            &[(16, 8), (16, 16)],
            true,
        ),
        Self::of(&[Kind::Bf16], &[Kind::F32], &[(16, 8), (16, 16)], true),
        Self::of(&[Kind::Tf32], &[Kind::F32], &[(16, 4), (16, 8)], true),
        Self::of(
            &[Kind::E4m3, Kind::E5m2],
            &[Kind::F16, Kind::F32],
            &[(16, 16), (16, 32)],
            true,
        ),
        Self::of(
            &[Kind::F64],
            &[Kind::F64],
            &[(8, 4), (16, 4), (16, 8), (16, 16)],
            false,
        ),
        Self::of(
            &[Kind::S8, Kind::U8],
            &[Kind::S32],
            &[(8, 16), (16, 16), (16, 32)],
            true,
        ),
        Self::of(
            &[Kind::S4, Kind::U4],
            &[Kind::S32],
            &[(8, 32), (16, 32), (16, 64)],
            false,
        ),
        Self::of(
            &[Kind::B1],
            &[Kind::S32],
            &[(8, 128), (16, 128), (16, 256)],
            true,
        ),
    ];

    const fn of(
        operands: &'static [Kind],
        accumulators: &'static [Kind],
        shapes: &'static [(usize, usize)],
        warpgroup: bool,
    ) -> Self {
        Self {
            operands,
            accumulators,
            shapes,
            warpgroup,
        }
    }

    /// The family that multiplies an `a` by a `b` into a `d`.
    pub fn find(d: Kind, a: Kind, b: Kind) -> Option<&'static Self> {
        Self::ALL.iter().find(|family| {
            family.accumulators.contains(&d)
                && family.operands.contains(&a)
                && family.operands.contains(&b)
        })
    }

    /// Types of D, A and B that go together.
    pub fn types(&self) -> impl Iterator<Item = (Kind, Kind, Kind)> {
        self.accumulators.iter().flat_map(move |&d| {
            let pairs = self.operands.iter();
            pairs.flat_map(move |&a| self.operands.iter().map(move |&b| (d, a, b)))
        })
    }
}
