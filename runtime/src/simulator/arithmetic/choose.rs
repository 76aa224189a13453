//! From the parts of an opcode to the copy of a function that was compiled for them.
//!
//! A [`Compute`](super::Compute) is a plain function: what an opcode says is decided when the
//! instruction is decoded, and costs nothing when it runs. So each combination of modifiers is a
//! function of its own. `by_type!(parts.last(), T in [U32 S32] => each_lane!(|a: T, b: T| …))`
//! compiles the body once per type in the list, and picks one of the copies.

use half::{bf16, f16};

/// The Rust types of PTX types.
#[allow(non_camel_case_types, missing_docs, dead_code)]
pub(super) mod native {
    pub type B8 = u8;
    pub type U8 = u8;
    pub type S8 = i8;
    pub type B16 = u16;
    pub type U16 = u16;
    pub type S16 = i16;
    pub type B32 = u32;
    pub type U32 = u32;
    pub type S32 = i32;
    pub type B64 = u64;
    pub type U64 = u64;
    pub type S64 = i64;
    pub type F16 = super::f16;
    pub type F16x2 = super::f16;
    pub type BF16 = super::bf16;
    pub type BF16x2 = super::bf16;
    pub type F32 = f32;
    pub type F64 = f64;
}

/// The body for one type of several.
macro_rules! by_type {
    ($type:expr, $T:ident in [$($variant:ident)*] => $body:expr) => {
        match $type {
            $(Some($crate::simulator::arithmetic::pattern::Type::$variant) => {
                type $T = $crate::simulator::arithmetic::choose::native::$variant;
                $body
            })*
            _ => None,
        }
    };
}

/// The body with a constant for whether a modifier is there.
macro_rules! by_flag {
    ($flag:expr, $FLAG:ident => $body:expr) => {
        if $flag {
            const $FLAG: bool = true;
            $body
        } else {
            const $FLAG: bool = false;
            $body
        }
    };
}

/// What one lane does, as a function of all lanes.
macro_rules! each_lane {
    (|$a:ident: $A:ty| $body:expr) => {
        Some(
            (|registers, operands, mask| {
                $crate::simulator::arithmetic::element::unary(
                    registers,
                    operands,
                    mask,
                    |$a: $A| $body,
                )
            }) as $crate::simulator::arithmetic::Compute,
        )
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| $body:expr) => {
        Some(
            (|registers, operands, mask| {
                $crate::simulator::arithmetic::element::binary(
                    registers,
                    operands,
                    mask,
                    |$a: $A, $b: $B| $body,
                )
            }) as $crate::simulator::arithmetic::Compute,
        )
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| $body:expr) => {
        Some(
            (|registers, operands, mask| {
                $crate::simulator::arithmetic::element::ternary(
                    registers,
                    operands,
                    mask,
                    |$a: $A, $b: $B, $c: $C| $body,
                )
            }) as $crate::simulator::arithmetic::Compute,
        )
    };
}

pub(super) use {by_flag, by_type, each_lane};
