//! Integers (PTX ISA, 9.7.1).
//!
//! Sums and products wrap. What PTX leaves open, hardware decides: a division by zero gives all
//! ones as quotient and as remainder; the smallest number divided by -1 gives itself, and no
//! remainder.

use super::element::Packed;
use super::pattern::Row;
use super::table::table;

pub(super) const ROWS: &[Row] = table! {
    Integer 0 "add.<int>" "T = T T" [T word last] |a: T, b: T| a.wrapping_add(b);
    Integer 0 "add.sat.s32" "T = T T" |a: i32, b: i32| a.saturating_add(b);
    Integer 0 "add.<u16x2|s16x2>" "T = T T" [T in U16x2 S16x2]
        |a: T, b: T| a.zip(b, |a, b| a.wrapping_add(b));
    Integer 0 "sub.<int>" "T = T T" [T word last] |a: T, b: T| a.wrapping_sub(b);
    Integer 0 "sub.sat.s32" "T = T T" |a: i32, b: i32| a.saturating_sub(b);
    Integer 0 "sub.<u16x2|s16x2>" "T = T T" [T in U16x2 S16x2]
        |a: T, b: T| a.zip(b, |a, b| a.wrapping_sub(b));

    Integer 0 "mul.lo.<int>" "T = T T" [T word last]
        |a: T, b: T| a.wrapping_mul(b);
    Integer 0 "mul.hi.<int>" "T = T T" [T in U16 U32 U64 S16 S32 S64]
        |a: T, b: T| high(a, b);
    Integer 0 "mul.wide.<u16|u32|s16|s32>" "W = T T" [T in U16 U32 S16 S32]
        |a: T, b: T| a.widen() * b.widen();
    Integer 0 "mad.lo.<int>" "T = T T T" [T word last]
        |a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c);
    Integer 0 seldom "mad.hi.<int>" "T = T T T" [T in U16 U32 U64 S16 S32 S64]
        |a: T, b: T, c: T| high(a, b).wrapping_add(c);
    Integer 0 seldom "mad.hi.sat.s32" "T = T T T"
        |a: i32, b: i32, c: i32| high(a, b).saturating_add(c);
    Integer 0 "mad.wide.<u16|u32|s16|s32>" "W = T T W" [T in U16 U32 S16 S32]
        |a: T, b: T, c: <T as Widen>::Wide| (a.widen() * b.widen()).wrapping_add(c);
    Integer 0 seldom "mul24.<lo|hi>.<u32|s32>" "T = T T" [HI "hi"] [T in U32 S32]
        |a: T, b: T| a.product24(b, HI);
    Integer 0 seldom "mad24.<lo|hi>.<u32|s32>" "T = T T T" [HI "hi"] [T in U32 S32]
        |a: T, b: T, c: T| a.product24(b, HI).wrapping_add(c);
    Integer 0 seldom "mad24.hi.sat.s32" "T = T T T"
        |a: i32, b: i32, c: i32| a.product24(b, true).saturating_add(c);

    Integer 0 seldom "sad.<int>" "T = T T T" [T in U16 U32 U64 S16 S32 S64]
        |a: T, b: T, c: T| c.wrapping_add(a.max(b).wrapping_sub(a.min(b)));
    Integer 0 seldom "div.<int>" "T = T T" [T in U16 U32 U64 S16 S32 S64]
        |a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) };
    Integer 0 seldom "rem.<int>" "T = T T" [T in U16 U32 U64 S16 S32 S64]
        |a: T, b: T| if b == 0 { !0 } else { a.wrapping_rem(b) };
    Integer 0 "abs.<s16|s32|s64>" "T = T" [T in S16 S32 S64]
        |a: T| a.wrapping_abs();
    Integer 0 "neg.<s16|s32|s64>" "T = T" [T in S16 S32 S64]
        |a: T| a.wrapping_neg();
    Integer 0 "neg.<u16x2|s16x2>" "T = T" [T in U16x2 S16x2]
        |a: T| a.map(|a| a.wrapping_neg());

    Integer 0 "min.<int>" "T = T T" [T in U16 U32 U64 S16 S32 S64] |a: T, b: T| a.min(b);
    Integer 0 "max.<int>" "T = T T" [T in U16 U32 U64 S16 S32 S64] |a: T, b: T| a.max(b);
    Integer 0 "min.relu.s32" "T = T T" |a: i32, b: i32| a.min(b).max(0);
    Integer 0 "max.relu.s32" "T = T T" |a: i32, b: i32| a.max(b).max(0);
    Integer 0 "min.<u16x2|s16x2>" "T = T T" [T in U16x2 S16x2]
        |a: T, b: T| a.zip(b, |a, b| a.min(b));
    Integer 0 "max.<u16x2|s16x2>" "T = T T" [T in U16x2 S16x2]
        |a: T, b: T| a.zip(b, |a, b| a.max(b));
    Integer 0 "min.relu.s16x2" "T = T T" [T in S16x2]
        |a: T, b: T| a.zip(b, |a, b| a.min(b).max(0));
    Integer 0 "max.relu.s16x2" "T = T T" [T in S16x2]
        |a: T, b: T| a.zip(b, |a, b| a.max(b).max(0));

    Integer 0 seldom "dp4a.<u32|s32>.<u32|s32>" "s32 = D T s32" [A before U32 S32] [B in U32 S32]
        |a: A, b: B, c: u32| (0..4).fold(c, |sum, at| {
            sum.wrapping_add(a.byte(at).wrapping_mul(b.byte(at)))
        });
    Integer 0 seldom "dp2a.<lo|hi>.<u32|s32>.<u32|s32>" "s32 = D T s32"
        [HI "hi"] [A before U32 S32] [B in U32 S32]
        |a: A, b: B, c: u32| (0..2).fold(c, |sum, at| {
            let byte = b.byte(if HI { at + 2 } else { at });
            sum.wrapping_add(a.half(at).wrapping_mul(byte))
        });
};

/// Integers whose products fit a type twice as wide.
pub(super) trait Widen: Copy {
    type Wide;

    /// The same number.
    fn widen(self) -> Self::Wide;
}

macro_rules! widen {
    ($($narrow:ty => $wide:ty),*) => {$(
        impl Widen for $narrow {
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                self.into()
            }
        }
    )*};
}
widen!(u16 => u32, u32 => u64, u64 => u128, i16 => i32, i32 => i64, i64 => i128);

/// The upper half of a product.
#[inline(always)]
pub(super) fn high<T: Widen<Wide: High<T>>>(a: T, b: T) -> T {
    High::high_of_product(a.widen(), b.widen())
}

/// Products of numbers that fit half the type.
pub(super) trait High<Half> {
    /// The upper half.
    fn high_of_product(self, other: Self) -> Half;
}

macro_rules! high {
    ($($wide:ty => $narrow:ty),*) => {$(
        impl High<$narrow> for $wide {
            #[inline(always)]
            fn high_of_product(self, other: Self) -> $narrow {
                (self * other >> <$narrow>::BITS) as $narrow
            }
        }
    )*};
}
high!(u32 => u16, u64 => u32, u128 => u64, i32 => i16, i64 => i32, i128 => i64);

/// Numbers in parts of a word.
trait Fields: Sized {
    /// A byte, extended as the type is signed or not, as the bits of a word.
    fn byte(self, index: u32) -> u32;

    /// 16 bits likewise.
    fn half(self, index: u32) -> u32;

    /// The product of the low 24 bits: the lower 32 of its 48 bits, or the upper 32.
    fn product24(self, other: Self, high: bool) -> Self;
}

macro_rules! fields {
    ($($word:ty: $byte:ty, $half:ty, $wide:ty);*) => {$(
        impl Fields for $word {
            #[inline(always)]
            fn byte(self, index: u32) -> u32 {
                Self::from((self >> (8 * index)) as $byte) as u32
            }

            #[inline(always)]
            fn half(self, index: u32) -> u32 {
                Self::from((self >> (16 * index)) as $half) as u32
            }

            #[inline(always)]
            fn product24(self, other: Self, high: bool) -> Self {
                // Shifted up and down again: the upper bits become zero, or the sign.
                let [a, b] = [self, other].map(|value| <$wide>::from(value << 8 >> 8));
                (a * b >> if high { 16 } else { 0 }) as Self
            }
        }
    )*};
}
fields!(u32: u8, u16, u64; i32: i8, i16, i64);
