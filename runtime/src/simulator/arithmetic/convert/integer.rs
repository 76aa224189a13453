//! Conversions to and from integers.

use half::{bf16, f16};

use crate::simulator::arithmetic::element::Element;
use crate::simulator::arithmetic::exact;
use crate::simulator::arithmetic::float::{Float, flushed, saturated};
use crate::simulator::arithmetic::half::Half;
use crate::simulator::arithmetic::pattern::Row;
use crate::simulator::arithmetic::rounding::Rounding;
use crate::simulator::arithmetic::table::table;

pub(crate) const ROWS: &[Row] = table! {
    // The low bits, or the sign or zeros above.
    Conversion 0 "cvt.<integer>.<integer>" "D = T"
        [D word before_last] [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| a as D;
    Conversion 0 seldom "cvt.sat.<integer>.<integer>" "D = T"
        [D before U8 S8 U16 S16 U32 S32 U64 S64] [A in U8 S8 U16 S16 U32 S32 U64 S64]
        [if A::LEAST < D::LEAST || A::MOST > D::MOST]
        |a: A| D::saturating(a.into());

    // Conversions from floats saturate, with `.sat` or without.
    Conversion 0 "cvt.rzi{.sat}.<integer>.f32" "D = T" [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: f32| D::from_single(a);
    Conversion 0 seldom "cvt.<irnd>{.ftz}{.sat}.<integer>.f32" "D = T"
        [I integral] [FTZ "ftz"] [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: f32| D::from_single(I::round(flushed::<FTZ, _>(a)));
    Conversion 0 seldom "cvt.<irnd>{.sat}.<integer>.f16" "D = T"
        [I integral] [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: f16| D::from_single(I::round(a.wide()));
    Conversion 0 seldom "cvt.<irnd>.<integer>.bf16" "D = T"
        [I integral] [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: bf16| D::from_single(I::round(a.wide()));
    Conversion 0 seldom "cvt.<irnd>{.sat}.<integer>.f64" "D = T"
        [I integral] [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: f64| D::from_double(I::round(a));

    Conversion 0 "cvt.rn{.ftz}.f32.<integer>" "D = T" [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| a as f32;
    Conversion 0 "cvt.rn.f64.<integer>" "D = T" [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| a as f64;
    Conversion 0 seldom "cvt.<rnd>{.ftz}{.sat}.f32.<integer>" "D = T" [R rounding] [SAT "sat"]
        [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| from_integer::<R, SAT, f32>(a.into());
    Conversion 0 seldom "cvt.<rnd>{.sat}.<f16|f64>.<integer>" "D = T" [R rounding] [SAT "sat"]
        [D before F16 F64] [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| from_integer::<R, SAT, D>(a.into());
    Conversion 0 seldom "cvt.<rnd>.bf16.<integer>" "D = T" [R rounding]
        [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| from_integer::<R, false, bf16>(a.into());
};

/// Rounding to an integral number of the same type.
///
/// Adding 2^23 (2^52 for `f64`) to a magnitude leaves no bits for a fraction. Written with
/// nothing but sums and comparisons this is vector code on every CPU; `floor` and its like are
/// calls where there is no instruction for them.
pub(crate) trait Integral: Float {
    fn even(self) -> Self;
    fn truncate(self) -> Self;
    fn floor(self) -> Self;
    fn ceiling(self) -> Self;
}

macro_rules! integral {
    ($($type:ty: $large:literal)*) => {$(
        impl Integral for $type {
            #[inline(always)]
            fn even(self) -> Self {
                let magnitude = Float::abs(self);
                let rounded = magnitude + $large - $large;
                // Above are integers only, infinity and NaN.
                (if magnitude < $large { rounded } else { magnitude }).with_sign(self)
            }

            #[inline(always)]
            fn truncate(self) -> Self {
                let magnitude = Float::abs(self);
                let even = magnitude.even();
                (if even > magnitude { even - 1.0 } else { even }).with_sign(self)
            }

            #[inline(always)]
            fn floor(self) -> Self {
                let even = self.even();
                (if even > self { even - 1.0 } else { even }).with_sign(self)
            }

            #[inline(always)]
            fn ceiling(self) -> Self {
                let even = self.even();
                (if even < self { even + 1.0 } else { even }).with_sign(self)
            }
        }
    )*};
}
integral!(f32: 8_388_608.0 f64: 4_503_599_627_370_496.0);

/// A way of rounding to an integral number.
pub(crate) trait ToIntegral {
    fn round<T: Integral>(value: T) -> T;
}

macro_rules! to_integral {
    ($($name:ident $function:ident)*) => {$(
        pub(crate) struct $name;

        impl ToIntegral for $name {
            #[inline(always)]
            fn round<T: Integral>(value: T) -> T {
                Integral::$function(value)
            }
        }
    )*};
}
to_integral!(Even even Truncate truncate Floor floor Ceiling ceiling);

/// An integer type.
trait Integer: Element {
    const LEAST: i128;
    const MOST: i128;

    /// The nearest.
    fn saturating(value: i128) -> Self;

    /// Towards zero, the nearest if out of range. A NaN is 0, except in 64 bits, where only the
    /// highest bit is set (PTX ISA, 9.7.9.21).
    fn from_single(value: f32) -> Self;

    /// Towards zero, the nearest if out of range; only the highest bit for a NaN.
    fn from_double(value: f64) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Integer for $type {
            const LEAST: i128 = Self::MIN as i128;
            const MOST: i128 = Self::MAX as i128;

            #[inline(always)]
            fn saturating(value: i128) -> Self {
                value.clamp(Self::LEAST, Self::MOST) as Self
            }

            #[inline(always)]
            fn from_single(value: f32) -> Self {
                if Self::BITS == 64 && value.is_nan() { HIGHEST as Self } else { value as Self }
            }

            #[inline(always)]
            fn from_double(value: f64) -> Self {
                if value.is_nan() {
                    (HIGHEST >> (64 - Self::BITS)) as Self
                } else {
                    value as Self
                }
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 u32 i32 u64 i64);

const HIGHEST: u64 = 1 << 63;

/// The float of an integer of at most 64 bits.
fn from_integer<R: Rounding, const SAT: bool, D: Float>(value: i128) -> D {
    let rounded = D::from_bits(exact::from_integer(&D::FORMAT, value, R::MODE));
    if SAT { saturated(rounded) } else { rounded }
}
