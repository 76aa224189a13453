//! Conversions of several values at once, and formats that only `cvt` knows.

use half::{bf16, f16};

use super::float::{Narrowed, finite};
use crate::simulator::arithmetic::element::{Packed, Pair};
use crate::simulator::arithmetic::float::{Float, rectified};
use crate::simulator::arithmetic::format::{
    self, E2M1, E2M3, E3M2, E4M3, E5M2, Format, Number, TF32, Value,
};
use crate::simulator::arithmetic::half::Half;
use crate::simulator::arithmetic::pattern::Row;
use crate::simulator::arithmetic::rounding::{Mode, Rounding};
use crate::simulator::arithmetic::table::table;

pub(crate) const ROWS: &[Row] = table! {
    // The first source is the upper half.
    Conversion 0 "cvt.rn.f16x2.f32" "D = T T"
        |a: f32, b: f32| Pair(f16::narrow(b), f16::narrow(a));
    Conversion 0 "cvt.rn.bf16x2.f32" "D = T T"
        |a: f32, b: f32| Pair(bf16::narrow(b), bf16::narrow(a));
    Conversion 0 seldom "cvt.<rn|rz>{.relu}{.satfinite}.f16x2.f32" "D = T T"
        [R rounding] [RELU "relu"] [FINITE "satfinite"]
        |a: f32, b: f32| {
            let [a, b] = [a, b].map(half::<f16, R, RELU, FINITE>);
            Pair(b, a)
        };
    Conversion 0 seldom "cvt.<rn|rz>{.relu}{.satfinite}.bf16x2.f32" "D = T T"
        [R rounding] [RELU "relu"] [FINITE "satfinite"]
        |a: f32, b: f32| {
            let [a, b] = [a, b].map(half::<bf16, R, RELU, FINITE>);
            Pair(b, a)
        };

    Conversion 0 seldom "cvt.rna{.satfinite}.tf32.f32" "b32 = T" [FINITE "satfinite"]
        |a: f32| tf32::<false, FINITE>(a, Mode::NearestAway);
    Conversion 0 seldom "cvt.<rn|rz>{.satfinite}{.relu}.tf32.f32" "b32 = T"
        [R rounding] [RELU "relu"] [FINITE "satfinite"]
        |a: f32| tf32::<RELU, FINITE>(a, R::MODE);

    Conversion 0 seldom "cvt.rn.satfinite{.relu}.<e4m3x2|e5m2x2|e3m2x2|e2m3x2>.f32" "D = T T"
        [RELU "relu"] [F one e4m3x2=Bytes4 e5m2x2=Bytes5 e3m2x2=Bytes3 e2m3x2=Bytes2]
        |a: f32, b: f32| F::pack(a, b, RELU);
    Conversion 0 seldom "cvt.rn.satfinite{.relu}.<e4m3x2|e5m2x2|e3m2x2|e2m3x2>.<f16x2|bf16x2>"
        "D = T"
        [RELU "relu"] [F one e4m3x2=Bytes4 e5m2x2=Bytes5 e3m2x2=Bytes3 e2m3x2=Bytes2]
        [A in F16x2 BF16x2]
        |a: A| F::pack(a.1.wide(), a.0.wide(), RELU);
    Conversion 0 seldom "cvt.rn{.relu}.<f16x2|bf16x2>.<e4m3x2|e5m2x2|e3m2x2|e2m3x2>" "D = T"
        [RELU "relu"] [F one e4m3x2=Bytes4 e5m2x2=Bytes5 e3m2x2=Bytes3 e2m3x2=Bytes2]
        [D before F16x2 BF16x2]
        |a: u16| F::unpack::<<D as Packed>::Of>(a, RELU);
    Conversion 0 seldom "cvt.rn.satfinite{.relu}.e2m1x2.f32" "D = T T" [RELU "relu"]
        |a: f32, b: f32| pack_nibbles(a, b, RELU);
    Conversion 0 seldom "cvt.rn.satfinite{.relu}.e2m1x2.<f16x2|bf16x2>" "D = T"
        [RELU "relu"] [A in F16x2 BF16x2]
        |a: A| pack_nibbles(a.1.wide(), a.0.wide(), RELU);
    Conversion 0 seldom "cvt.rn{.relu}.<f16x2|bf16x2>.e2m1x2" "D = T"
        [RELU "relu"] [D before F16x2 BF16x2]
        |a: u8| Pair::<<D as Packed>::Of>(widen(&E2M1, a & 0xf, RELU), widen(&E2M1, a >> 4, RELU));

    Conversion 0 seldom "cvt.pack.sat.<u16|s16>.s32" "b32 = T T" [S "s16"]
        |a: i32, b: i32| pack(a, b, 16, S);
    Conversion 0 seldom "cvt.pack.sat.<u8|s8>.s32.b32" "b32 = s32 s32 b32" [S "s8"]
        |a: i32, b: i32, c: u32| c << 16 | pack(a, b, 8, S);
    Conversion 0 seldom "cvt.pack.sat.<u4|s4>.s32.b32" "b32 = s32 s32 b32" [S "s4"]
        |a: i32, b: i32, c: u32| c << 8 | pack(a, b, 4, S);
    Conversion 0 seldom "cvt.pack.sat.<u2|s2>.s32.b32" "b32 = s32 s32 b32" [S "s2"]
        |a: i32, b: i32, c: u32| c << 4 | pack(a, b, 2, S);
};

#[inline(always)]
fn half<T, R, const RELU: bool, const FINITE: bool>(value: f32) -> T
where
    T: Narrowed<f32> + Float,
    R: Rounding,
{
    let value = finite::<FINITE, T>(T::narrowed::<R>(value));
    if RELU { rectified(value) } else { value }
}

/// An `f32` of which the lower 13 bits are zero.
fn tf32<const RELU: bool, const FINITE: bool>(value: f32, mode: Mode) -> u32 {
    let value = if RELU { rectified(value) } else { value };
    let bits = TF32.encode(format::F32.decode(value.bits()), mode);
    let infinite = bits & (TF32.sign() - 1) == TF32.largest + 1;
    let bits = if FINITE && infinite { bits - 1 } else { bits };
    (bits as u32) << 13
}

/// Rounded to nearest; what is too large becomes the largest.
fn narrow(format: &Format, value: f32, relu: bool) -> u8 {
    let bits = match format::F32.decode(value.bits()) {
        Value::Nan => format.nan,
        number if number.is_negative() && relu => 0,
        Value::Infinity { negative: true } => format.sign() | format.largest,
        Value::Infinity { negative: false } => format.largest,
        Value::Finite(number) => {
            let bits = format.round(number, Mode::Nearest);
            let infinite = bits & (format.sign() - 1) > format.largest;
            if infinite { bits - 1 } else { bits }
        }
    };
    bits as u8
}

/// The same number.
fn widen<T: Float>(format: &Format, bits: u8, relu: bool) -> T {
    let value = match format.decode(bits.into()) {
        number if number.is_negative() && relu => Value::Finite(Number {
            negative: false,
            exponent: 0,
            significand: 0,
        }),
        value => value,
    };
    T::from_bits(T::FORMAT.encode(value, Mode::Nearest))
}

/// Two floats of 4 bits in a byte.
fn pack_nibbles(high: f32, low: f32, relu: bool) -> u8 {
    let [high, low] = [high, low].map(|value| narrow(&E2M1, value, relu));
    high << 4 | low
}

/// Two floats of at most 8 bits, each in a byte.
trait Bytes {
    const FORMAT: Format;

    fn pack(high: f32, low: f32, relu: bool) -> u16 {
        let [high, low] = [high, low].map(|value| narrow(&Self::FORMAT, value, relu));
        u16::from_be_bytes([high, low])
    }

    fn unpack<T: Float>(bits: u16, relu: bool) -> Pair<T> {
        let [high, low] = bits
            .to_be_bytes()
            .map(|byte| widen(&Self::FORMAT, byte, relu));
        Pair(low, high)
    }
}

macro_rules! bytes {
    ($($name:ident $format:ident),*) => {$(
        struct $name;

        impl Bytes for $name {
            const FORMAT: Format = $format;
        }
    )*};
}
bytes!(Bytes4 E4M3, Bytes5 E5M2, Bytes3 E3M2, Bytes2 E2M3);

/// Two integers, each saturated to so many bits; the first is the upper.
fn pack(high: i32, low: i32, bits: u32, signed: bool) -> u32 {
    let limits = if signed {
        (-1i32 << (bits - 1), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    let [high, low] = [high, low].map(|value| value.clamp(limits.0, limits.1) as u32);
    let ones = (1 << bits) - 1;
    (high & ones) << bits | low & ones
}
