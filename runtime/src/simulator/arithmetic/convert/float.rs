//! Conversions between floats.

use half::{bf16, f16};

use super::integer::ToIntegral;
use crate::simulator::arithmetic::float::{Float, finish, flushed, rectified, saturated};
use crate::simulator::arithmetic::half::{Half, to_odd};
use crate::simulator::arithmetic::pattern::Row;
use crate::simulator::arithmetic::rounding::Rounding;
use crate::simulator::arithmetic::table::table;

pub(crate) const ROWS: &[Row] = table! {
    // To a wider type.
    Conversion 0 "cvt{.ftz}.f32.<f16|bf16>" "D = T" [A in F16 BF16] |a: A| f32::nearest(a);
    Conversion 0 seldom "cvt.<rnd>{.ftz}.f32.bf16" "D = T" |a: bf16| f32::nearest(a);
    Conversion 0 seldom "cvt{.<rnd>}.f64.bf16" "D = T" |a: bf16| f64::nearest(a.wide());
    Conversion 0 "cvt.f64.f32" "D = T" |a: f32| f64::nearest(a);
    Conversion 0 seldom "cvt{.ftz}.sat.f32.f16" "D = T" |a: f16| saturated(f32::nearest(a));
    Conversion 0 seldom "cvt{.ftz}{.sat}.f64.f32" "D = T" [FTZ "ftz"] [SAT "sat"]
        |a: f32| clamped::<SAT, f64>(f64::nearest(flushed::<FTZ, _>(a)));
    Conversion 0 seldom "cvt{.sat}.f64.f16" "D = T" [SAT "sat"]
        |a: f16| clamped::<SAT, f64>(f64::nearest(a.wide()));

    // To a narrower type.
    Conversion 0 "cvt.rn.f32.f64" "D = T" |a: f64| f32::nearest(a);
    Conversion 0 "cvt.rn.<f16|bf16>.f32" "D = T" [D before F16 BF16] |a: f32| D::nearest(a);
    Conversion 0 seldom "cvt.<rnd>{.ftz}{.sat}.f32.f64" "D = T"
        [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f64| clamped::<SAT, f32>(flushed::<FTZ, _>(f32::narrowed::<R>(a)));
    Conversion 0 seldom "cvt.<rnd>{.ftz}{.sat}.f16.f32" "D = T"
        [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f32| clamped::<SAT, f16>(f16::narrowed::<R>(flushed::<FTZ, _>(a)));
    Conversion 0 seldom "cvt.<rnd>{.ftz}.bf16.f32" "D = T" [R rounding] [FTZ "ftz"]
        |a: f32| bf16::narrowed::<R>(flushed::<FTZ, _>(a));
    Conversion 0 seldom "cvt.<rn|rz>.relu{.satfinite}.<f16|bf16>.f32" "D = T"
        [R rounding] [FINITE "satfinite"] [D before F16 BF16]
        |a: f32| rectified(finite::<FINITE, D>(D::narrowed::<R>(a)));
    Conversion 0 seldom "cvt.<rn|rz>.satfinite.<f16|bf16>.f32" "D = T"
        [R rounding] [D before F16 BF16]
        |a: f32| finite::<true, D>(D::narrowed::<R>(a));
    Conversion 0 seldom "cvt.<rnd>{.sat}.f16.f64" "D = T" [R rounding] [SAT "sat"]
        |a: f64| clamped::<SAT, f16>(f16::narrowed::<R>(a));
    Conversion 0 seldom "cvt.<rnd>.bf16.f64" "D = T" [R rounding]
        |a: f64| bf16::narrowed::<R>(a);
    Conversion 0 seldom "cvt{.<rnd>}.f16.bf16" "D = T" [R rounding]
        |a: bf16| f16::narrowed::<R>(a.wide());
    Conversion 0 seldom "cvt{.<rnd>}.bf16.f16" "D = T" [R rounding]
        |a: f16| bf16::narrowed::<R>(a.wide());

    // To an integral number of the same type, or the same number.
    Conversion 0 "cvt.<irnd>.f32.f32" "D = T"
        [I integral]
        |a: f32| settled(I::round(a));
    Conversion 0 seldom "cvt.<irnd>{.ftz}{.sat}.f32.f32" "D = T"
        [I integral] [FTZ "ftz"] [SAT "sat"]
        |a: f32| clamped::<SAT, f32>(settled(I::round(flushed::<FTZ, _>(a))));
    Conversion 0 seldom "cvt.<irnd>{.sat}.f64.f64" "D = T"
        [I integral] [SAT "sat"]
        |a: f64| clamped::<SAT, f64>(finish::<false, false, _, 1>(I::round(a), [a]));
    Conversion 0 seldom "cvt.<irnd>{.sat}.f16.f16" "D = T"
        [I integral] [SAT "sat"]
        |a: f16| clamped::<SAT, f16>(f16::nearest(I::round(a.wide())));
    Conversion 0 seldom "cvt.<irnd>.bf16.bf16" "D = T"
        [I integral]
        |a: bf16| bf16::nearest(I::round(a.wide()));
    Conversion 0 seldom "cvt{.ftz}{.sat}.f32.f32" "D = T" [FTZ "ftz"] [SAT "sat"]
        |a: f32| clamped::<SAT, f32>(settled(flushed::<FTZ, _>(a)));
    Conversion 0 seldom "cvt{.sat}.f64.f64" "D = T" [SAT "sat"]
        |a: f64| clamped::<SAT, f64>(a);
    Conversion 0 seldom "cvt{.sat}.f16.f16" "D = T" [SAT "sat"]
        |a: f16| clamped::<SAT, f16>(a);
    Conversion 0 seldom "cvt.bf16.bf16" "D = T" |a: bf16| a;
};

/// Conversions that round to nearest, or need not round.
trait Nearest<A>: Float {
    fn nearest(value: A) -> Self;
}

/// Conversions that round in any mode.
pub(super) trait Narrowed<A> {
    fn narrowed<R: Rounding>(value: A) -> Self;
}

impl<A: Float, D: Nearest<A>> Narrowed<A> for D {
    #[inline(always)]
    fn narrowed<R: Rounding>(value: A) -> D {
        if R::NEAREST {
            D::nearest(value)
        } else {
            D::from_bits(D::FORMAT.encode(A::FORMAT.decode(value.bits()), R::MODE))
        }
    }
}

macro_rules! nearest {
    ($($from:ty => $to:ty: $value:ident => $result:expr;)*) => {$(
        impl Nearest<$from> for $to {
            #[inline(always)]
            fn nearest($value: $from) -> $to {
                $result
            }
        }
    )*};
}
nearest! {
    f16 => f32: value => value.wide();
    // The bits, those of a NaN too: hardware shifts.
    bf16 => f32: value => value.wide();
    f32 => f64: value => if value.is_nan() { widened_nan(value) } else { value.into() };
    f64 => f32: value => settled(value as f32);
    f32 => f16: value => f16::narrow(value);
    f32 => bf16: value => bf16::narrow(value);
    f64 => f16: value => f16::narrow(to_odd(value));
    f64 => bf16: value => bf16::narrow(to_odd(value));
}

/// The payload of a NaN as CPUs widen it; PTX says nothing.
fn widened_nan(value: f32) -> f64 {
    let bits = u64::from(value.to_bits());
    let payload = (bits & 0x7f_ffff) << 29;
    f64::from_bits((bits & 0x8000_0000) << 32 | 0x7ff8 << 48 | payload)
}

/// One NaN for all.
#[inline(always)]
fn settled(value: f32) -> f32 {
    if value.is_nan() {
        f32::NO_NUMBER
    } else {
        value
    }
}

/// With `.sat`.
#[inline(always)]
fn clamped<const SAT: bool, T: Float>(value: T) -> T {
    if SAT { saturated(value) } else { value }
}

/// With `.satfinite`: the largest number for what is above it.
#[inline(always)]
pub(super) fn finite<const FINITE: bool, T: Float>(value: T) -> T {
    let infinite = !value.is_nan() && value.abs().bits() > T::FORMAT.largest;
    if FINITE && infinite {
        T::from_bits(T::FORMAT.largest).with_sign(value)
    } else {
        value
    }
}
