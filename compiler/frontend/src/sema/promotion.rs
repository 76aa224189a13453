//! The common type of two operands: Triton's rules.
//!
//! | operands | result |
//! |---|---|
//! | any `f64` | `f64` |
//! | any `f32` | `f32` |
//! | any `f16` | `f16` (`f32` for `/` and `%`) |
//! | two `bf16` | `bf16` (`f32` for `/` and `%`) |
//! | `bf16` and another | `f32` |
//! | two different fp8 | `f16` |
//! | integers of one signedness | the wider |
//! | integers of both | the unsigned one unless it is narrower |
//!
//! A literal of the same or a lower kind (`i1` < integer < float) takes no part.

use crate::diagnostic::messages::types::NoPromotion;
use tile_runtime::element::ElementType::{self, BF16, F8E4M3, F8E5M2, F16, F32, F64};

/// `i1` < integer < float.
pub(super) const fn kind(element: ElementType) -> u8 {
    if matches!(element, ElementType::I1) {
        0
    } else if element.is_integer() {
        1
    } else {
        2
    }
}

const fn is_fp8(element: ElementType) -> bool {
    matches!(element, F8E4M3 | F8E5M2)
}

/// The common type of two operands that both take part.
pub(super) fn promote(
    left: ElementType,
    right: ElementType,
    division: bool,
) -> Result<ElementType, NoPromotion> {
    let either = |element| left == element || right == element;
    if either(F64) {
        return Ok(F64);
    }
    if either(F32) {
        return Ok(F32);
    }
    if either(F16) {
        return Ok(if division { F32 } else { F16 });
    }
    if either(BF16) {
        return Ok(if left == right && !division {
            BF16
        } else {
            F32
        });
    }
    match (is_fp8(left), is_fp8(right)) {
        (true, true) => Ok(if left == right { left } else { F16 }),
        (true, false) | (false, true) => Err(NoPromotion::Fp8AndInteger),
        (false, false) => integers(left, right, division),
    }
}

/// The common type of a value and a literal (or flexible const) of type `literal`.
pub(super) fn promote_literal(
    value: ElementType,
    literal: ElementType,
    division: bool,
) -> Result<ElementType, NoPromotion> {
    if kind(literal) <= kind(value) {
        return Ok(if division && matches!(value, F16 | BF16) {
            F32
        } else {
            value
        });
    }
    promote(value, literal, division)
}

fn integers(
    left: ElementType,
    right: ElementType,
    division: bool,
) -> Result<ElementType, NoPromotion> {
    if left.is_signed() == right.is_signed() {
        return Ok(if left.bits() >= right.bits() {
            left
        } else {
            right
        });
    }
    if division {
        return Err(NoPromotion::MixedSigns);
    }
    let (signed, unsigned) = if left.is_signed() {
        (left, right)
    } else {
        (right, left)
    };
    Ok(if unsigned.bits() >= signed.bits() {
        unsigned
    } else {
        signed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tile_runtime::element::ElementType::{I1, I8, I32, I64, U8, U32};

    #[test]
    fn floats_follow_triton() {
        assert_eq!(promote(F16, F32, false), Ok(F32));
        assert_eq!(promote(F16, BF16, false), Ok(F16));
        assert_eq!(promote(BF16, BF16, false), Ok(BF16));
        assert_eq!(promote(BF16, I32, false), Ok(F32));
        assert_eq!(promote(F16, F16, true), Ok(F32));
        assert_eq!(promote(F8E4M3, F8E5M2, false), Ok(F16));
        assert_eq!(promote(F8E4M3, I32, false), Err(NoPromotion::Fp8AndInteger));
    }

    #[test]
    fn integers_follow_c() {
        assert_eq!(promote(I8, I32, false), Ok(I32));
        assert_eq!(promote(I32, U32, false), Ok(U32));
        assert_eq!(promote(I64, U32, false), Ok(I64));
        assert_eq!(promote(I32, U8, true), Err(NoPromotion::MixedSigns));
    }

    #[test]
    fn literals_never_widen() {
        assert_eq!(promote_literal(F16, F32, false), Ok(F16));
        assert_eq!(promote_literal(I8, I32, false), Ok(I8));
        assert_eq!(promote_literal(I8, F32, false), Ok(F32));
        assert_eq!(promote_literal(I1, I32, false), Ok(I32));
        assert_eq!(promote_literal(BF16, I32, true), Ok(F32));
    }
}
