//! The Rust types that tensors are made from and read back as.

use half::{bf16, f16};

use crate::element::ElementType;
use crate::numeric::{Scalar, to_scalar};

/// A Rust type that is an element type.
pub trait Native: Copy {
    /// The element type.
    const ELEMENT: ElementType;
    /// Its bits, zero-extended.
    fn to_bits64(self) -> u64;
    /// The value with these bits.
    fn from_bits64(bits: u64) -> Self;
}

/// An OCP e4m3 float, as its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct F8E4M3(pub u8);

/// An OCP e5m2 float, as its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct F8E5M2(pub u8);

impl From<F8E4M3> for Scalar {
    fn from(value: F8E4M3) -> Self {
        to_scalar(ElementType::F8E4M3, value.0.into())
    }
}

impl From<F8E5M2> for Scalar {
    fn from(value: F8E5M2) -> Self {
        to_scalar(ElementType::F8E5M2, value.0.into())
    }
}

macro_rules! native {
    ($($native:ty, $element:ident, $value:ident => $to:expr, $bits:ident => $from:expr;)*) => {$(
        impl Native for $native {
            const ELEMENT: ElementType = ElementType::$element;
            fn to_bits64(self) -> u64 { let $value = self; $to }
            fn from_bits64($bits: u64) -> Self { $from }
        }
    )*};
}
native! {
    bool, I1, value => value.into(), bits => bits & 0xff != 0;
    i8, I8, value => (value as u8).into(), bits => bits as i8;
    i16, I16, value => (value as u16).into(), bits => bits as i16;
    i32, I32, value => (value as u32).into(), bits => bits as i32;
    i64, I64, value => value as u64, bits => bits as i64;
    u8, U8, value => value.into(), bits => bits as u8;
    u16, U16, value => value.into(), bits => bits as u16;
    u32, U32, value => value.into(), bits => bits as u32;
    u64, U64, value => value, bits => bits;
    f16, F16, value => value.to_bits().into(), bits => f16::from_bits(bits as u16);
    bf16, BF16, value => value.to_bits().into(), bits => bf16::from_bits(bits as u16);
    f32, F32, value => value.to_bits().into(), bits => f32::from_bits(bits as u32);
    f64, F64, value => value.to_bits(), bits => f64::from_bits(bits);
    F8E4M3, F8E4M3, value => value.0.into(), bits => F8E4M3(bits as u8);
    F8E5M2, F8E5M2, value => value.0.into(), bits => F8E5M2(bits as u8);
}
