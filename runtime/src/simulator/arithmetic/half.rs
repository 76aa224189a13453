//! Floats of 16 bits, and pairs of them (PTX ISA, 9.7.4).
//!
//! Arithmetic is done in a wider type and rounded. That rounds twice, which is right when the
//! wider type has more than twice as many bits (so `f32` is wide enough for one sum, and for a
//! product of `f16`), or when the first rounding is to odd: the lowest bit is set if anything was
//! lost, so the second rounding still sees on which side of a tie the number lay.

use half::{bf16, f16};

use super::element::Packed;
use super::float::{Float, extreme, extreme_xorsign, finish, flushed, rectified};
use super::pattern::Row;
use super::table::table;

pub(super) const ROWS: &[Row] = table! {
    F16 1 "add{.rn}.<f16|f16x2|bf16|bf16x2>" "T = T T" [T in F16 F16x2 BF16 BF16x2]
        |a: T, b: T| a.zip(b, add::<false, false, _>);
    F16 1 "sub{.rn}.<f16|f16x2|bf16|bf16x2>" "T = T T" [T in F16 F16x2 BF16 BF16x2]
        |a: T, b: T| a.zip(b, sub::<false, false, _>);
    F16 1 "mul{.rn}.<f16|f16x2|bf16|bf16x2>" "T = T T" [T in F16 F16x2 BF16 BF16x2]
        |a: T, b: T| a.zip(b, mul::<false, false, _>);
    F16 2 "fma.rn.<f16|f16x2|bf16|bf16x2>" "T = T T T" [T in F16 F16x2 BF16 BF16x2]
        |a: T, b: T, c: T| a.zip3(b, c, fma::<false, false, _>);
    F16 1 seldom "add{.rn}{.ftz}{.sat}.<f16|f16x2>" "T = T T"
        [FTZ "ftz"] [SAT "sat"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, add::<FTZ, SAT, _>);
    F16 1 seldom "sub{.rn}{.ftz}{.sat}.<f16|f16x2>" "T = T T"
        [FTZ "ftz"] [SAT "sat"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, sub::<FTZ, SAT, _>);
    F16 1 seldom "mul{.rn}{.ftz}{.sat}.<f16|f16x2>" "T = T T"
        [FTZ "ftz"] [SAT "sat"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, mul::<FTZ, SAT, _>);
    F16 2 seldom "fma.rn{.ftz}{.sat}.<f16|f16x2>" "T = T T T"
        [FTZ "ftz"] [SAT "sat"] [T in F16 F16x2]
        |a: T, b: T, c: T| a.zip3(b, c, fma::<FTZ, SAT, _>);
    F16 2 seldom "fma.rn{.ftz}.relu.<f16|f16x2>" "T = T T T" [FTZ "ftz"] [T in F16 F16x2]
        |a: T, b: T, c: T| a.zip3(b, c, |a, b, c| rectified(fma::<FTZ, false, _>(a, b, c)));
    F16 2 seldom "fma.rn.relu.<bf16|bf16x2>" "T = T T T" [T in BF16 BF16x2]
        |a: T, b: T, c: T| a.zip3(b, c, |a, b, c| rectified(fma::<false, false, _>(a, b, c)));

    F16 0 "neg.<f16|f16x2|bf16|bf16x2>" "T = T" [T in F16 F16x2 BF16 BF16x2]
        |a: T| a.map(|a| sign_changed::<false, _>(a.neg()));
    F16 0 "abs.<f16|f16x2|bf16|bf16x2>" "T = T" [T in F16 F16x2 BF16 BF16x2]
        |a: T| a.map(|a| sign_changed::<false, _>(a.abs()));
    F16 0 seldom "neg.ftz.<f16|f16x2>" "T = T" [T in F16 F16x2]
        |a: T| a.map(|a| sign_changed::<true, _>(a.neg()));
    F16 0 seldom "abs.ftz.<f16|f16x2>" "T = T" [T in F16 F16x2]
        |a: T| a.map(|a| sign_changed::<true, _>(a.abs()));

    F16 0 "min.<f16|f16x2|bf16|bf16x2>" "T = T T" [T in F16 F16x2 BF16 BF16x2]
        |a: T, b: T| a.zip(b, extreme::<false, false, _>);
    F16 0 "max.<f16|f16x2|bf16|bf16x2>" "T = T T" [T in F16 F16x2 BF16 BF16x2]
        |a: T, b: T| a.zip(b, extreme::<true, false, _>);
    F16 0 seldom "min{.ftz}{.NaN}.<f16|f16x2>" "T = T T" [FTZ "ftz"] [NAN "NaN"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, minmax::<false, FTZ, NAN, _>);
    F16 0 seldom "max{.ftz}{.NaN}.<f16|f16x2>" "T = T T" [FTZ "ftz"] [NAN "NaN"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, minmax::<true, FTZ, NAN, _>);
    F16 0 seldom "min{.ftz}{.NaN}.xorsign.abs.<f16|f16x2>" "T = T T"
        [FTZ "ftz"] [NAN "NaN"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, minmax_xorsign::<false, FTZ, NAN, _>);
    F16 0 seldom "max{.ftz}{.NaN}.xorsign.abs.<f16|f16x2>" "T = T T"
        [FTZ "ftz"] [NAN "NaN"] [T in F16 F16x2]
        |a: T, b: T| a.zip(b, minmax_xorsign::<true, FTZ, NAN, _>);
    F16 0 seldom "min.NaN.<bf16|bf16x2>" "T = T T" [T in BF16 BF16x2]
        |a: T, b: T| a.zip(b, extreme::<false, true, _>);
    F16 0 seldom "max.NaN.<bf16|bf16x2>" "T = T T" [T in BF16 BF16x2]
        |a: T, b: T| a.zip(b, extreme::<true, true, _>);
    F16 0 seldom "min{.NaN}.xorsign.abs.<bf16|bf16x2>" "T = T T" [NAN "NaN"] [T in BF16 BF16x2]
        |a: T, b: T| a.zip(b, minmax_xorsign::<false, false, NAN, _>);
    F16 0 seldom "max{.NaN}.xorsign.abs.<bf16|bf16x2>" "T = T T" [NAN "NaN"] [T in BF16 BF16x2]
        |a: T, b: T| a.zip(b, minmax_xorsign::<true, false, NAN, _>);
};

/// A float of 16 bits.
pub(super) trait Half: Float {
    /// The same number.
    fn wide(self) -> f32;

    /// Rounded to nearest.
    fn narrow(value: f32) -> Self;

    /// The product, rounded to nearest.
    fn times(self, b: Self) -> Self;
}

impl Half for f16 {
    #[inline(always)]
    fn wide(self) -> f32 {
        let bits = u32::from(self.to_bits());
        let sign = (bits & 0x8000) << 16;
        let magnitude = (bits & 0x7fff) << 13;
        // Read as `f32` the exponent is too small by the difference of the biases, 112.
        // Multiplied by 2^112 that is right, for subnormal numbers as well.
        let number = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
        let infinity = magnitude | 0x7f80_0000;
        let magnitude = if magnitude < 0x1f << 23 {
            number
        } else {
            infinity
        };
        let nan = magnitude > 0x7f80_0000;
        f32::from_bits(if nan { 0x7fff_ffff } else { sign | magnitude })
    }

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        let sign = bits >> 16 & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        // The 13 bits that go, rounded by adding a half; a carry walks into the exponent.
        let odd = magnitude >> 13 & 1;
        let normal = (magnitude.wrapping_add(0xfff + odd) >> 13).wrapping_sub(112 << 10);
        // A sum with 0.5, whose lowest bit counts 2^-24 as that of subnormal `f16` does.
        let subnormal = (f32::from_bits(magnitude) + 0.5)
            .to_bits()
            .wrapping_sub(0.5f32.to_bits());
        let result = if magnitude < 113 << 23 {
            subnormal
        } else {
            normal
        };
        // From 65520 on the nearest is infinity.
        let result = if magnitude >= 0x477f_f000 {
            0x7c00
        } else {
            result
        };
        let nan = magnitude > 0x7f80_0000;
        Self::from_bits(if nan { 0x7fff } else { sign | result } as u16)
    }

    #[inline(always)]
    fn times(self, b: Self) -> Self {
        Self::narrow(self.wide() * b.wide())
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn wide(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        let nan = bits & 0x7fff_ffff > 0x7f80_0000;
        let odd = bits >> 16 & 1;
        let rounded = bits.wrapping_add(0x7fff + odd) >> 16;
        Self::from_bits(if nan { 0x7fff } else { rounded } as u16)
    }

    #[inline(always)]
    fn times(self, b: Self) -> Self {
        // In `f32` the product may be subnormal, with fewer bits than rounding twice needs.
        Self::narrow(to_odd(f64::from(self.wide()) * f64::from(b.wide())))
    }
}

/// Rounded to odd: of the two `f32` around a number that is neither, the one that is odd.
#[inline(always)]
pub(super) fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let even = nearest.to_bits() & 1 == 0;
    let step = if back.abs() > value.abs() {
        u32::MAX
    } else {
        1
    };
    let inexact = (back - value).abs() > 0.0; // not so for NaN
    let bits = nearest.to_bits();
    f32::from_bits(if inexact && even {
        bits.wrapping_add(step)
    } else {
        bits
    })
}

/// `a * b + c` with one rounding.
#[inline(always)]
fn fused<T: Half>(a: T, b: T, c: T) -> T {
    // The product is exact; what the sum loses is exact too (Knuth's two-sum).
    let product = f64::from(a.wide()) * f64::from(b.wide());
    let c = f64::from(c.wide());
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    let even = sum.to_bits() & 1 == 0;
    let step = if (lost > 0.0) == (sum > 0.0) {
        1
    } else {
        u64::MAX
    };
    let inexact = lost.abs() > 0.0; // not so for NaN
    let bits = sum.to_bits();
    let odd = f64::from_bits(if inexact && even {
        bits.wrapping_add(step)
    } else {
        bits
    });
    T::narrow(to_odd(odd))
}

#[inline(always)]
fn add<const FTZ: bool, const SAT: bool, T: Half>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    finish::<FTZ, SAT, T, 2>(T::narrow(a.wide() + b.wide()), [a, b])
}

#[inline(always)]
fn sub<const FTZ: bool, const SAT: bool, T: Half>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    finish::<FTZ, SAT, T, 2>(T::narrow(a.wide() - b.wide()), [a, b])
}

#[inline(always)]
fn mul<const FTZ: bool, const SAT: bool, T: Half>(a: T, b: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    finish::<FTZ, SAT, T, 2>(a.times(b), [a, b])
}

#[inline(always)]
fn fma<const FTZ: bool, const SAT: bool, T: Half>(a: T, b: T, c: T) -> T {
    let (a, b) = (flushed::<FTZ, T>(a), flushed::<FTZ, T>(b));
    let c = flushed::<FTZ, T>(c);
    finish::<FTZ, SAT, T, 3>(fused(a, b, c), [a, b, c])
}

#[inline(always)]
fn sign_changed<const FTZ: bool, T: Half>(value: T) -> T {
    finish::<FTZ, false, T, 1>(value, [value])
}

#[inline(always)]
fn minmax<const MAX: bool, const FTZ: bool, const NAN: bool, T: Half>(a: T, b: T) -> T {
    extreme::<MAX, NAN, T>(flushed::<FTZ, T>(a), flushed::<FTZ, T>(b))
}

#[inline(always)]
fn minmax_xorsign<const MAX: bool, const FTZ: bool, const NAN: bool, T: Half>(a: T, b: T) -> T {
    extreme_xorsign::<MAX, NAN, T>(flushed::<FTZ, T>(a), flushed::<FTZ, T>(b))
}
