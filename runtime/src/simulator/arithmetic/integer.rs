//! Integers (PTX ISA, 9.7.1).
//!
//! Sums and products wrap. What PTX leaves open, hardware decides: a division by zero gives all
//! ones as quotient and as remainder, the smallest number by -1 itself and no remainder.

use super::Class::Integer;
use super::choose::{by_flag, by_type, each_lane};
use super::pattern::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        "add.<u16|u32|u64|s16|s64>",
        "T = T T",
        Integer,
        0,
        |parts| {
            by_type!(parts.last(), T in [U16 U32 U64 S16 S64] =>
            each_lane!(|a: T, b: T| a.wrapping_add(b)))
        },
    ),
    row("add{.sat}.s32", "T = T T", Integer, 0, |parts| {
        if parts.has("sat") {
            each_lane!(|a: i32, b: i32| a.saturating_add(b))
        } else {
            each_lane!(|a: i32, b: i32| a.wrapping_add(b))
        }
    }),
    row("add.<u16x2|s16x2>", "T = T T", Integer, 0, |_| {
        each_lane!(|a: u32, b: u32| by_halves(a, b, u16::wrapping_add))
    }),
    row(
        "sub.<u16|u32|u64|s16|s64>",
        "T = T T",
        Integer,
        0,
        |parts| {
            by_type!(parts.last(), T in [U16 U32 U64 S16 S64] =>
            each_lane!(|a: T, b: T| a.wrapping_sub(b)))
        },
    ),
    row("sub{.sat}.s32", "T = T T", Integer, 0, |parts| {
        if parts.has("sat") {
            each_lane!(|a: i32, b: i32| a.saturating_sub(b))
        } else {
            each_lane!(|a: i32, b: i32| a.wrapping_sub(b))
        }
    }),
    row("mul.lo.<int>", "T = T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T| a.wrapping_mul(b)))
    }),
    row("mul.hi.<int>", "T = T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T| high(a, b)))
    }),
    row(
        "mul.wide.<u16|u32|s16|s32>",
        "W = T T",
        Integer,
        0,
        |parts| {
            by_type!(parts.last(), T in [U16 U32 S16 S32] =>
            each_lane!(|a: T, b: T| a.widen() * b.widen()))
        },
    ),
    row("mad.lo.<int>", "T = T T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c)))
    }),
    row("mad.hi.<int>", "T = T T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T, c: T| high(a, b).wrapping_add(c)))
    }),
    row("mad.hi.sat.s32", "T = T T T", Integer, 0, |_| {
        each_lane!(|a: i32, b: i32, c: i32| high(a, b).saturating_add(c))
    }),
    row(
        "mad.wide.<u16|u32|s16|s32>",
        "W = T T W",
        Integer,
        0,
        |parts| {
            by_type!(parts.last(), T in [U16 U32 S16 S32] => {
                type Wide = <T as Widen>::Wide;
                each_lane!(|a: T, b: T, c: Wide| (a.widen() * b.widen()).wrapping_add(c))
            })
        },
    ),
    row("mul24.<lo|hi>.<u32|s32>", "T = T T", Integer, 0, |parts| {
        by_flag!(parts.has("hi"), HI => by_type!(parts.last(), T in [U32 S32] =>
            each_lane!(|a: T, b: T| a.product24(b, HI))))
    }),
    row(
        "mad24.<lo|hi>.<u32|s32>",
        "T = T T T",
        Integer,
        0,
        |parts| {
            by_flag!(parts.has("hi"), HI => by_type!(parts.last(), T in [U32 S32] =>
            each_lane!(|a: T, b: T, c: T| a.product24(b, HI).wrapping_add(c))))
        },
    ),
    row("mad24.hi.sat.s32", "T = T T T", Integer, 0, |_| {
        each_lane!(|a: i32, b: i32, c: i32| a.product24(b, true).saturating_add(c))
    }),
    row("sad.<int>", "T = T T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T, c: T| c.wrapping_add(a.max(b).wrapping_sub(a.min(b)))))
    }),
    row("div.<int>", "T = T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) }))
    }),
    row("rem.<int>", "T = T T", Integer, 0, |parts| {
        by_type!(parts.last(), T in [U16 U32 U64 S16 S32 S64] =>
            each_lane!(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_rem(b) }))
    }),
    row(
        "abs.<s16|s32|s64>",
        "T = T",
        Integer,
        0,
        |parts| by_type!(parts.last(), T in [S16 S32 S64] => each_lane!(|a: T| a.wrapping_abs())),
    ),
    row(
        "neg.<s16|s32|s64>",
        "T = T",
        Integer,
        0,
        |parts| by_type!(parts.last(), T in [S16 S32 S64] => each_lane!(|a: T| a.wrapping_neg())),
    ),
    row(
        "min.<u16|u32|u64|s16|s64>",
        "T = T T",
        Integer,
        0,
        |parts| by_type!(parts.last(), T in [U16 U32 U64 S16 S64] => each_lane!(|a: T, b: T| a.min(b))),
    ),
    row(
        "max.<u16|u32|u64|s16|s64>",
        "T = T T",
        Integer,
        0,
        |parts| by_type!(parts.last(), T in [U16 U32 U64 S16 S64] => each_lane!(|a: T, b: T| a.max(b))),
    ),
    row("min{.relu}.s32", "T = T T", Integer, 0, |parts| {
        if parts.has("relu") {
            each_lane!(|a: i32, b: i32| a.min(b).max(0))
        } else {
            each_lane!(|a: i32, b: i32| a.min(b))
        }
    }),
    row("max{.relu}.s32", "T = T T", Integer, 0, |parts| {
        if parts.has("relu") {
            each_lane!(|a: i32, b: i32| a.max(b).max(0))
        } else {
            each_lane!(|a: i32, b: i32| a.max(b))
        }
    }),
    row("min.u16x2", "T = T T", Integer, 0, |_| {
        each_lane!(|a: u32, b: u32| by_halves(a, b, u16::min))
    }),
    row("max.u16x2", "T = T T", Integer, 0, |_| {
        each_lane!(|a: u32, b: u32| by_halves(a, b, u16::max))
    }),
    row("min{.relu}.s16x2", "T = T T", Integer, 0, |parts| {
        if parts.has("relu") {
            each_lane!(|a: u32, b: u32| by_halves(a, b, signed(|a, b| a.min(b).max(0))))
        } else {
            each_lane!(|a: u32, b: u32| by_halves(a, b, signed(|a, b| a.min(b))))
        }
    }),
    row("max{.relu}.s16x2", "T = T T", Integer, 0, |parts| {
        if parts.has("relu") {
            each_lane!(|a: u32, b: u32| by_halves(a, b, signed(|a, b| a.max(b).max(0))))
        } else {
            each_lane!(|a: u32, b: u32| by_halves(a, b, signed(|a, b| a.max(b))))
        }
    }),
];

/// Integers whose products fit a type twice as wide.
trait Widen: Copy {
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
fn high<T: Widen<Wide: High<T>>>(a: T, b: T) -> T {
    High::high_of_product(a.widen(), b.widen())
}

/// The upper half of a product of two numbers that fit half the type.
trait High<Half> {
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

/// Products of the low 24 bits.
trait Product24 {
    /// The lower 32 of the 48 bits, or the upper 32.
    fn product24(self, other: Self, high: bool) -> Self;
}

macro_rules! product24 {
    ($($narrow:ty, $wide:ty);*) => {$(
        impl Product24 for $narrow {
            #[inline(always)]
            fn product24(self, other: Self, high: bool) -> Self {
                // Shifting up and down again clears the upper bits, or fills them with the sign.
                let [a, b] = [self, other].map(|value| <$wide>::from(value << 8 >> 8));
                (a * b >> if high { 16 } else { 0 }) as $narrow
            }
        }
    )*};
}
product24!(u32, u64; i32, i64);

/// The same of both halves of a word.
#[inline(always)]
fn by_halves(a: u32, b: u32, of: impl Fn(u16, u16) -> u16) -> u32 {
    let [low, high] = [0, 16].map(|shift| of((a >> shift) as u16, (b >> shift) as u16));
    u32::from(high) << 16 | u32::from(low)
}

/// A function of signed numbers as one of their bits.
#[inline(always)]
fn signed(of: impl Fn(i16, i16) -> i16) -> impl Fn(u16, u16) -> u16 {
    move |a, b| of(a as i16, b as i16) as u16
}
