//! `dot`.

use tile_runtime::element::ElementType::{self, BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32};

use super::Call;
use crate::diagnostic::messages;
use crate::sema::build;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Operand, tile};
use crate::typed::{Expr, ExprKind, Precision};

pub(super) fn dot<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(a), Some(b)) = (call.take("a"), call.take("b")) else {
        return Operand::Error;
    };
    let accumulator = call.take("acc");
    let tf32 = matches!(call.word("precision"), Some((word, _)) if word == "tf32");
    let (Some((left, left_element)), Some((right, right_element))) =
        (this.number_value(&a), this.number_value(&b))
    else {
        return Operand::Error;
    };
    if left.ty.shape.len() == 3 && right.ty.shape.len() == 3 {
        return this.error(messages::support::not_yet(
            "batched `dot` of rank 3",
            call.span,
        ));
    }
    let (&[rows, inner], &[inner_right, columns]) = (&left.ty.shape[..], &right.ty.shape[..])
    else {
        return this.error(messages::shapes::dot_rank(&left.ty, &right.ty, call.span));
    };
    if inner != inner_right {
        return this.error(messages::shapes::dot_inner(
            (&left.ty, a.span),
            (&right.ty, b.span),
        ));
    }
    let Some(natural) = accumulator_of(left_element, right_element) else {
        return this.error(messages::types::dot_elements(
            (left_element, a.span),
            (right_element, b.span),
        ));
    };
    let shape = vec![rows, columns];
    if !this.check_elements(&shape, call.span) {
        return Operand::Error;
    }
    let accumulator = match accumulator {
        None => build::constant(
            build::zero(natural),
            tile(natural, shape.clone()),
            call.span,
        ),
        Some(located) => {
            let Some((value, element)) = this.number_value(&located) else {
                return Operand::Error;
            };
            let half = element == F16 && matches!(left_element, F16 | F8E4M3 | F8E5M2);
            if (element != natural && !half) || value.ty.shape != shape {
                let wanted = tile(natural, shape);
                return this.error(messages::shapes::dot_accumulator(
                    &wanted,
                    &value.ty,
                    located.span,
                ));
            }
            value
        }
    };
    let ty = accumulator.ty.clone();
    let kind = ExprKind::Dot {
        left: Box::new(left),
        right: Box::new(right),
        accumulator: Box::new(accumulator),
        precision: if tf32 {
            Precision::Tf32
        } else {
            Precision::Full
        },
    };
    Operand::value(Expr {
        kind,
        ty,
        span: call.span,
    })
}

/// What products of the two are summed in, if they can be multiplied.
fn accumulator_of(left: ElementType, right: ElementType) -> Option<ElementType> {
    match (left, right) {
        (F8E4M3 | F8E5M2, F8E4M3 | F8E5M2) | (F16, F16) | (BF16, BF16) | (F32, F32) => Some(F32),
        (F64, F64) => Some(F64),
        (I8, I8) => Some(I32),
        _ => None,
    }
}
