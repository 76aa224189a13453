//! `f32` and `f64`: what IEEE 754 defines exactly (PTX ISA, 9.7.3).
//!
//! The CPU's own arithmetic rounds to nearest as a GPU's does; other modes take the road of
//! integers (`exact`).

use super::element::Packed;
use super::exact;
use super::float::{Float, extreme, extreme_xorsign, finish, flushed};
use super::fused::{fma32, fma64};
use super::half::Half;
use super::pattern::Row;
use super::rounding::{Nearest, Rounding};
use super::table::table;

pub(super) const ROWS: &[Row] = table! {
    F32 1 "add{.rn}{.ftz}{.sat}.f32" "T = T T" [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32| add::<Nearest, FTZ, SAT, _>(a, b);
    F32 1 "sub{.rn}{.ftz}{.sat}.f32" "T = T T" [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32| sub::<Nearest, FTZ, SAT, _>(a, b);
    F32 1 "mul{.rn}{.ftz}{.sat}.f32" "T = T T" [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32| mul::<Nearest, FTZ, SAT, _>(a, b);
    F32 2 "fma.rn{.ftz}{.sat}.f32" "T = T T T" [FTZ "ftz"] [SAT "sat"] = fma32::<FTZ, SAT>;
    F32 2 "mad.rn{.ftz}{.sat}.f32" "T = T T T" [FTZ "ftz"] [SAT "sat"] = fma32::<FTZ, SAT>;
    F32 1 "div.rn{.ftz}.f32" "T = T T" [FTZ "ftz"] |a: f32, b: f32| div::<Nearest, FTZ, _>(a, b);
    F32 1 "rcp.rn{.ftz}.f32" "T = T" [FTZ "ftz"] |a: f32| rcp::<Nearest, FTZ, _>(a);
    F32 1 "sqrt.rn{.ftz}.f32" "T = T" [FTZ "ftz"] |a: f32| sqrt::<Nearest, FTZ, _>(a);

    F32 1 seldom "add.<rz|rm|rp>{.ftz}{.sat}.f32" "T = T T" [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32| add::<R, FTZ, SAT, _>(a, b);
    F32 1 seldom "sub.<rz|rm|rp>{.ftz}{.sat}.f32" "T = T T" [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32| sub::<R, FTZ, SAT, _>(a, b);
    F32 1 seldom "mul.<rz|rm|rp>{.ftz}{.sat}.f32" "T = T T" [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32| mul::<R, FTZ, SAT, _>(a, b);
    F32 2 seldom "fma.<rz|rm|rp>{.ftz}{.sat}.f32" "T = T T T"
        [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32, c: f32| fma::<R, FTZ, SAT, _>(a, b, c);
    F32 2 seldom "mad.<rz|rm|rp>{.ftz}{.sat}.f32" "T = T T T"
        [R rounding] [FTZ "ftz"] [SAT "sat"]
        |a: f32, b: f32, c: f32| fma::<R, FTZ, SAT, _>(a, b, c);
    F32 1 seldom "div.<rz|rm|rp>{.ftz}.f32" "T = T T" [R rounding] [FTZ "ftz"]
        |a: f32, b: f32| div::<R, FTZ, _>(a, b);
    F32 1 seldom "rcp.<rz|rm|rp>{.ftz}.f32" "T = T" [R rounding] [FTZ "ftz"]
        |a: f32| rcp::<R, FTZ, _>(a);
    F32 1 seldom "sqrt.<rz|rm|rp>{.ftz}.f32" "T = T" [R rounding] [FTZ "ftz"]
        |a: f32| sqrt::<R, FTZ, _>(a);

    F64 1 "add{.rn}.f64" "T = T T" |a: f64, b: f64| add::<Nearest, false, false, _>(a, b);
    F64 1 "sub{.rn}.f64" "T = T T" |a: f64, b: f64| sub::<Nearest, false, false, _>(a, b);
    F64 1 "mul{.rn}.f64" "T = T T" |a: f64, b: f64| mul::<Nearest, false, false, _>(a, b);
    F64 2 "fma.rn.f64" "T = T T T" = fma64;
    F64 2 "mad.rn.f64" "T = T T T" = fma64;
    F64 1 "div.rn.f64" "T = T T" |a: f64, b: f64| div::<Nearest, false, _>(a, b);
    F64 1 "rcp.rn.f64" "T = T" |a: f64| rcp::<Nearest, false, _>(a);
    F64 1 "sqrt.rn.f64" "T = T" |a: f64| sqrt::<Nearest, false, _>(a);

    F64 1 seldom "add.<rz|rm|rp>.f64" "T = T T" [R rounding]
        |a: f64, b: f64| add::<R, false, false, _>(a, b);
    F64 1 seldom "sub.<rz|rm|rp>.f64" "T = T T" [R rounding]
        |a: f64, b: f64| sub::<R, false, false, _>(a, b);
    F64 1 seldom "mul.<rz|rm|rp>.f64" "T = T T" [R rounding]
        |a: f64, b: f64| mul::<R, false, false, _>(a, b);
    F64 2 seldom "fma.<rz|rm|rp>.f64" "T = T T T" [R rounding]
        |a: f64, b: f64, c: f64| fma::<R, false, false, _>(a, b, c);
    F64 2 seldom "mad.<rz|rm|rp>.f64" "T = T T T" [R rounding]
        |a: f64, b: f64, c: f64| fma::<R, false, false, _>(a, b, c);
    F64 1 seldom "div.<rz|rm|rp>.f64" "T = T T" [R rounding]
        |a: f64, b: f64| div::<R, false, _>(a, b);
    F64 1 seldom "rcp.<rz|rm|rp>.f64" "T = T" [R rounding] |a: f64| rcp::<R, false, _>(a);
    F64 1 seldom "sqrt.<rz|rm|rp>.f64" "T = T" [R rounding] |a: f64| sqrt::<R, false, _>(a);

    F32 1 seldom "add{.<rnd>}{.ftz}.f32x2" "T = T T" [R rounding] [FTZ "ftz"] [T in F32x2]
        |a: T, b: T| a.zip(b, add::<R, FTZ, false, _>);
    F32 1 seldom "sub{.<rnd>}{.ftz}.f32x2" "T = T T" [R rounding] [FTZ "ftz"] [T in F32x2]
        |a: T, b: T| a.zip(b, sub::<R, FTZ, false, _>);
    F32 1 seldom "mul{.<rnd>}{.ftz}.f32x2" "T = T T" [R rounding] [FTZ "ftz"] [T in F32x2]
        |a: T, b: T| a.zip(b, mul::<R, FTZ, false, _>);
    F32 2 seldom "fma.<rnd>{.ftz}.f32x2" "T = T T T" [R rounding] [FTZ "ftz"] [T in F32x2]
        |a: T, b: T, c: T| a.zip3(b, c, fma::<R, FTZ, false, _>);

    // One operand of 16 bits in arithmetic of 32.
    F32 1 seldom "add{.<rnd>}{.sat}.f32.<f16|bf16>" "D = T D"
        [R rounding] [SAT "sat"] [T in F16 BF16]
        |a: T, c: f32| add::<R, false, SAT, _>(a.wide(), c);
    F32 1 seldom "sub{.<rnd>}{.sat}.f32.<f16|bf16>" "D = T D"
        [R rounding] [SAT "sat"] [T in F16 BF16]
        |a: T, c: f32| sub::<R, false, SAT, _>(a.wide(), c);
    F32 2 seldom "fma.<rnd>{.sat}.f32.<f16|bf16>" "D = T T D"
        [R rounding] [SAT "sat"] [T in F16 BF16]
        |a: T, b: T, c: f32| fma::<R, false, SAT, _>(a.wide(), b.wide(), c);

    F32 0 "neg{.ftz}.f32" "T = T" [FTZ "ftz"] |a: f32| sign_changed::<FTZ, _>(a.neg());
    F32 0 "abs{.ftz}.f32" "T = T" [FTZ "ftz"] |a: f32| sign_changed::<FTZ, _>(a.abs());
    F64 0 "neg.f64" "T = T" |a: f64| sign_changed::<false, _>(a.neg());
    F64 0 "abs.f64" "T = T" |a: f64| sign_changed::<false, _>(a.abs());
    F32 0 "copysign.f32" "T = T T" |a: f32, b: f32| b.with_sign(a);
    F64 0 "copysign.f64" "T = T T" |a: f64, b: f64| b.with_sign(a);

    F32 0 "min{.NaN}.f32" "T = T T" [NAN "NaN"]
        |a: f32, b: f32| extreme::<false, NAN, _>(a, b);
    F32 0 "max{.NaN}.f32" "T = T T" [NAN "NaN"]
        |a: f32, b: f32| extreme::<true, NAN, _>(a, b);
    F32 0 seldom "min.ftz{.NaN}.f32" "T = T T" [NAN "NaN"]
        |a: f32, b: f32| extreme::<false, NAN, _>(a.flush(), b.flush());
    F32 0 seldom "max.ftz{.NaN}.f32" "T = T T" [NAN "NaN"]
        |a: f32, b: f32| extreme::<true, NAN, _>(a.flush(), b.flush());
    F32 0 seldom "min{.ftz}{.NaN}.xorsign.abs.f32" "T = T T" [FTZ "ftz"] [NAN "NaN"]
        |a: f32, b: f32| {
            extreme_xorsign::<false, NAN, _>(flushed::<FTZ, _>(a), flushed::<FTZ, _>(b))
        };
    F32 0 seldom "max{.ftz}{.NaN}.xorsign.abs.f32" "T = T T" [FTZ "ftz"] [NAN "NaN"]
        |a: f32, b: f32| {
            extreme_xorsign::<true, NAN, _>(flushed::<FTZ, _>(a), flushed::<FTZ, _>(b))
        };
    F32 0 seldom "min{.ftz}{.NaN}{.abs}.f32" "T = T T T" [FTZ "ftz"] [NAN "NaN"] [ABS "abs"]
        |a: f32, b: f32, c: f32| extreme_of_three::<false, NAN, FTZ, ABS>([a, b, c]);
    F32 0 seldom "max{.ftz}{.NaN}{.abs}.f32" "T = T T T" [FTZ "ftz"] [NAN "NaN"] [ABS "abs"]
        |a: f32, b: f32, c: f32| extreme_of_three::<true, NAN, FTZ, ABS>([a, b, c]);
    F64 0 "min.f64" "T = T T" |a: f64, b: f64| extreme::<false, false, _>(a, b);
    F64 0 "max.f64" "T = T T" |a: f64, b: f64| extreme::<true, false, _>(a, b);
};

/// What the CPU computes as IEEE 754 defines it, to nearest.
pub(super) trait Native: Float {
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn times(self, b: Self) -> Self;
    fn over(self, b: Self) -> Self;
    fn root(self) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
}

macro_rules! native {
    ($($type:ty)*) => {$(
        impl Native for $type {
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                self + b
            }

            #[inline(always)]
            fn minus(self, b: Self) -> Self {
                self - b
            }

            #[inline(always)]
            fn times(self, b: Self) -> Self {
                self * b
            }

            #[inline(always)]
            fn over(self, b: Self) -> Self {
                self / b
            }

            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }

            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
        }
    )*};
}
native!(f32 f64);

#[inline(always)]
fn add<R: Rounding, const FTZ: bool, const SAT: bool, T: Native>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    let sum = if R::NEAREST {
        a.plus(b)
    } else {
        T::from_bits(exact::add(&T::FORMAT, [a.bits(), b.bits()], R::MODE))
    };
    finish::<FTZ, SAT, T, 2>(sum, [a, b])
}

#[inline(always)]
fn sub<R: Rounding, const FTZ: bool, const SAT: bool, T: Native>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    let difference = if R::NEAREST {
        a.minus(b)
    } else {
        T::from_bits(exact::add(&T::FORMAT, [a.bits(), b.neg().bits()], R::MODE))
    };
    finish::<FTZ, SAT, T, 2>(difference, [a, b])
}

#[inline(always)]
pub(super) fn mul<R: Rounding, const FTZ: bool, const SAT: bool, T: Native>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    let product = if R::NEAREST {
        a.times(b)
    } else {
        T::from_bits(exact::mul(&T::FORMAT, [a.bits(), b.bits()], R::MODE))
    };
    finish::<FTZ, SAT, T, 2>(product, [a, b])
}

#[inline(always)]
fn fma<R: Rounding, const FTZ: bool, const SAT: bool, T: Native>(a: T, b: T, c: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    let c = flushed::<FTZ, T>(c);
    let sum = if R::NEAREST {
        a.fused(b, c)
    } else {
        T::from_bits(exact::fma(
            &T::FORMAT,
            [a.bits(), b.bits(), c.bits()],
            R::MODE,
        ))
    };
    finish::<FTZ, SAT, T, 3>(sum, [a, b, c])
}

#[inline(always)]
pub(super) fn div<R: Rounding, const FTZ: bool, T: Native>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    let quotient = if R::NEAREST {
        a.over(b)
    } else {
        T::from_bits(exact::div(&T::FORMAT, [a.bits(), b.bits()], R::MODE))
    };
    finish::<FTZ, false, T, 2>(quotient, [a, b])
}

#[inline(always)]
pub(super) fn rcp<R: Rounding, const FTZ: bool, T: Native>(a: T) -> T {
    div::<R, FTZ, T>(T::ONE, a)
}

#[inline(always)]
pub(super) fn sqrt<R: Rounding, const FTZ: bool, T: Native>(a: T) -> T {
    let a = flushed::<FTZ, T>(a);
    let root = if R::NEAREST {
        a.root()
    } else {
        T::from_bits(exact::sqrt(&T::FORMAT, a.bits(), R::MODE))
    };
    finish::<FTZ, false, T, 1>(root, [a])
}

/// `.neg` and `.abs` are arithmetic: a NaN stays no number but not the same one.
#[inline(always)]
fn sign_changed<const FTZ: bool, T: Float>(value: T) -> T {
    finish::<FTZ, false, T, 1>(value, [value])
}

#[inline(always)]
fn extreme_of_three<const MAX: bool, const NAN: bool, const FTZ: bool, const ABS: bool>(
    operands: [f32; 3],
) -> f32 {
    let [a, b, c] = operands.map(|operand| {
        let operand = flushed::<FTZ, f32>(operand);
        if ABS { operand.abs() } else { operand }
    });
    extreme::<MAX, NAN, f32>(extreme::<MAX, NAN, f32>(a, b), c)
}
