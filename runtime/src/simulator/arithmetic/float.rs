//! What all float types have in common: NaN, subnormals flushed, saturation, order.

use half::{bf16, f16};

use super::element::Element;
use super::format::{self, Format};

/// A float type.
pub(super) trait Float: Element {
    const FORMAT: Format;
    const ZERO: Self;
    const ONE: Self;
    /// What results that are not a number are. (Not `NAN`: the types have one of their own.)
    const NO_NUMBER: Self;

    /// A signed integer as wide as the type.
    type Key: Ord + Copy;

    /// Puts everything but NaN in order, -0 before +0.
    fn key(self) -> Self::Key;

    fn bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
    fn is_nan(self) -> bool;

    /// Zero of the same sign if subnormal.
    fn flush(self) -> Self;

    /// The magnitude.
    fn abs(self) -> Self;

    /// The opposite.
    fn neg(self) -> Self;

    /// This magnitude with the sign of another.
    fn with_sign(self, of: Self) -> Self;

    /// The NaN that an operation on these gives.
    #[inline(always)]
    fn nan_of<const N: usize>(_operands: [Self; N]) -> Self {
        Self::NO_NUMBER
    }
}

macro_rules! floats {
    ($($type:ty: $bits:ty, $key:ty, $format:ident, $one:literal $(, $nan_of:item)?;)*) => {$(
        impl Float for $type {
            const FORMAT: Format = format::$format;
            const ZERO: Self = <$type>::from_bits(0);
            const ONE: Self = <$type>::from_bits($one);
            const NO_NUMBER: Self = <$type>::from_bits(format::$format.nan as $bits);

            type Key = $key;

            #[inline(always)]
            fn key(self) -> $key {
                // Negative numbers in reverse.
                let bits = self.to_bits() as $key;
                bits ^ (bits >> (<$key>::BITS - 1)) & <$key>::MAX
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                <$type>::from_bits(bits as $bits)
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }

            #[inline(always)]
            fn flush(self) -> Self {
                const NORMAL: $bits = 1 << format::$format.fraction;
                let bits = self.to_bits();
                let magnitude = bits & <$key>::MAX as $bits;
                <$type>::from_bits(if magnitude < NORMAL { bits ^ magnitude } else { bits })
            }

            #[inline(always)]
            fn abs(self) -> Self {
                <$type>::from_bits(self.to_bits() & <$key>::MAX as $bits)
            }

            #[inline(always)]
            fn neg(self) -> Self {
                <$type>::from_bits(self.to_bits() ^ <$key>::MIN as $bits)
            }

            #[inline(always)]
            fn with_sign(self, of: Self) -> Self {
                let magnitude = self.to_bits() & <$key>::MAX as $bits;
                <$type>::from_bits(magnitude | of.to_bits() & <$key>::MIN as $bits)
            }

            $($nan_of)?
        }
    )*};
}

floats! {
    f16: u16, i16, F16, 0x3c00;
    bf16: u16, i16, BF16, 0x3f80;
    f32: u32, i32, F32, 0x3f80_0000;
    // Payloads are kept (PTX ISA, 9.7.3); that it is the first operand's is how CPUs do it.
    f64: u64, i64, F64, 0x3ff0_0000_0000_0000,
        #[inline(always)]
        fn nan_of<const N: usize>(operands: [Self; N]) -> Self {
            const QUIET: u64 = 1 << 51;
            operands.into_iter().rev().fold(Self::NO_NUMBER, |nan, operand| {
                if operand.is_nan() {
                    Self::from_bits(operand.to_bits() | QUIET)
                } else {
                    nan
                }
            })
        };
}

/// The operands of an instruction that may have `.ftz`.
#[inline(always)]
pub(super) fn flushed<const FTZ: bool, T: Float>(value: T) -> T {
    if FTZ { value.flush() } else { value }
}

/// The result of an instruction on these operands that may have `.ftz` and `.sat`.
#[inline(always)]
pub(super) fn finish<const FTZ: bool, const SAT: bool, T: Float, const N: usize>(
    result: T,
    operands: [T; N],
) -> T {
    let result = flushed::<FTZ, T>(result);
    if SAT {
        saturated(result)
    } else if result.is_nan() {
        T::nan_of(operands)
    } else {
        result
    }
}

/// Clamped to 0 to 1, NaN to 0 (PTX ISA, 9.7.3, `.sat`).
#[inline(always)]
pub(super) fn saturated<T: Float>(value: T) -> T {
    if value.is_nan() || value.key() < T::ZERO.key() {
        T::ZERO
    } else if value.key() > T::ONE.key() {
        T::ONE
    } else {
        value
    }
}

/// 0 if negative (PTX ISA, 9.7.4, `.relu`).
#[inline(always)]
pub(super) fn rectified<T: Float>(value: T) -> T {
    if value.is_nan() {
        T::NO_NUMBER
    } else if value.key() < T::ZERO.key() {
        T::ZERO
    } else {
        value
    }
}

/// The smaller or the larger; -0 is smaller than +0. A NaN loses against a number, unless
/// `.NaN` says that it wins (PTX ISA, 9.7.3, `min`).
#[inline(always)]
pub(super) fn extreme<const MAX: bool, const NAN: bool, T: Float>(a: T, b: T) -> T {
    let first = if MAX {
        a.key() > b.key()
    } else {
        a.key() < b.key()
    };
    let result = if first { a } else { b };
    if NAN {
        let result = if a.is_nan() { T::NO_NUMBER } else { result };
        return if b.is_nan() { T::NO_NUMBER } else { result };
    }
    let result = if a.is_nan() { b } else { result };
    let result = if b.is_nan() { a } else { result };
    if result.is_nan() {
        T::NO_NUMBER
    } else {
        result
    }
}

/// The extreme of magnitudes, with the product of the signs.
#[inline(always)]
pub(super) fn extreme_xorsign<const MAX: bool, const NAN: bool, T: Float>(a: T, b: T) -> T {
    let result = extreme::<MAX, NAN, T>(a.abs(), b.abs());
    let sign = if a.key() < T::ZERO.key() { b.neg() } else { b };
    if result.is_nan() {
        T::NO_NUMBER
    } else {
        result.with_sign(sign)
    }
}
