//! Conversions to and from integers.

use half::{bf16, f16};

use crate::simulator::arithmetic::element::Element;
use crate::simulator::arithmetic::exact;
use crate::simulator::arithmetic::float::{Float, finish, flushed};
use crate::simulator::arithmetic::half::Half;
use crate::simulator::arithmetic::pattern::Row;
use crate::simulator::arithmetic::rounding::{Nearest, Rounding};
use crate::simulator::arithmetic::table::table;

pub(crate) const ROWS: &[Row] = table! {
    Conversion 0 "cvt{.sat}.<integer>.<integer>" "D = T" [SAT "sat"]
        [D before U8 S8 U16 S16 U32 S32 U64 S64] [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| if SAT { D::saturating(a.wide()) } else { D::wrapping(a.wide()) };

    // Conversions from floats saturate, with `.sat` or without.
    Conversion 0 "cvt.<irnd>{.ftz}{.sat}.<integer>.f32" "D = T"
        [I one rni=Even rzi=Truncate rmi=Floor rpi=Ceiling] [FTZ "ftz"]
        [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: f32| D::from_single(I::round32(flushed::<FTZ, _>(a)));
    Conversion 0 "cvt.<irnd>{.sat}.<integer>.<f16|bf16>" "D = T"
        [I one rni=Even rzi=Truncate rmi=Floor rpi=Ceiling]
        [D before U8 S8 U16 S16 U32 S32 U64 S64] [A in F16 BF16]
        |a: A| D::from_single(I::round32(a.wide()));
    Conversion 0 "cvt.<irnd>{.sat}.<integer>.f64" "D = T"
        [I one rni=Even rzi=Truncate rmi=Floor rpi=Ceiling]
        [D before U8 S8 U16 S16 U32 S32 U64 S64]
        |a: f64| D::from_double(I::round64(a));

    Conversion 0 "cvt.<rnd>{.ftz}{.sat}.f32.<integer>" "D = T" [R rounding] [SAT "sat"]
        [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| finish::<false, SAT, f32, 0>(f32::from_integer::<R, _>(a), []);
    Conversion 0 "cvt.<rnd>{.sat}.<f16|bf16|f64>.<integer>" "D = T" [R rounding] [SAT "sat"]
        [D before F16 BF16 F64] [A in U8 S8 U16 S16 U32 S32 U64 S64]
        |a: A| finish::<false, SAT, D, 0>(D::from_integer::<R, _>(a), []);
};

/// Rounding to an integer.
pub(crate) trait ToIntegral {
    fn round32(value: f32) -> f32;
    fn round64(value: f64) -> f64;
}

macro_rules! to_integral {
    ($($name:ident $function:ident;)*) => {$(
        pub(crate) struct $name;

        impl ToIntegral for $name {
            #[inline(always)]
            fn round32(value: f32) -> f32 {
                value.$function()
            }

            #[inline(always)]
            fn round64(value: f64) -> f64 {
                value.$function()
            }
        }
    )*};
}
to_integral! {
    Even round_ties_even;
    Truncate trunc;
    Floor floor;
    Ceiling ceil;
}

/// An integer type.
trait Integer: Element {
    /// The same number.
    fn wide(self) -> i128;

    /// The nearest.
    fn saturating(value: i128) -> Self;

    /// The low bits.
    fn wrapping(value: i128) -> Self;

    /// The nearest to an integral number. A NaN is 0, except in 64 bits, where only the highest
    /// bit is set.
    fn from_single(value: f32) -> Self;

    /// The nearest to an integral number; only the highest bit for a NaN.
    fn from_double(value: f64) -> Self;

    /// As `f32` and `f64`, to nearest.
    fn single(self) -> f32;
    fn double(self) -> f64;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn wide(self) -> i128 {
                self.into()
            }

            #[inline(always)]
            fn saturating(value: i128) -> Self {
                value.clamp(Self::MIN.into(), Self::MAX.into()) as Self
            }

            #[inline(always)]
            fn wrapping(value: i128) -> Self {
                value as Self
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

            #[inline(always)]
            fn single(self) -> f32 {
                self as f32
            }

            #[inline(always)]
            fn double(self) -> f64 {
                self as f64
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 u32 i32 u64 i64);

const HIGHEST: u64 = 1 << 63;

/// A float type that integers are rounded to.
trait FromInteger: Float {
    fn from_integer<R: Rounding, A: Integer>(value: A) -> Self {
        if R::NEAREST {
            Self::nearest(value)
        } else {
            Self::exactly::<R, A>(value)
        }
    }

    fn exactly<R: Rounding, A: Integer>(value: A) -> Self {
        Self::from_bits(exact::from_integer(&Self::FORMAT, value.wide(), R::MODE))
    }

    fn nearest<A: Integer>(value: A) -> Self;
}

impl FromInteger for f32 {
    #[inline(always)]
    fn nearest<A: Integer>(value: A) -> Self {
        value.single()
    }
}

impl FromInteger for f64 {
    #[inline(always)]
    fn nearest<A: Integer>(value: A) -> Self {
        value.double()
    }
}

impl FromInteger for f16 {
    fn nearest<A: Integer>(value: A) -> Self {
        Self::exactly::<Nearest, A>(value)
    }
}

impl FromInteger for bf16 {
    fn nearest<A: Integer>(value: A) -> Self {
        Self::exactly::<Nearest, A>(value)
    }
}
