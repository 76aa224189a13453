//! `histogram`.

use tile_runtime::element::ElementType;

use super::{Call, memory};
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Operand, tile};
use crate::typed::{Expr, ExprKind};

/// `histogram(x, bins, mask)`: how many elements are 0, 1, … `bins - 1`.
pub(super) fn histogram<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(bins)) = (call.take("x"), call.take("bins")) else {
        return Operand::Error;
    };
    let Some((operand, element)) = this.number_value(&x) else {
        return Operand::Error;
    };
    if operand.ty.shape.is_empty() || !element.is_integer() || element == ElementType::I1 {
        return this.error(messages::types::expected(&x, "a tile of integers"));
    }
    let Some(bins) = this.size(&bins, "the number of bins") else {
        return Operand::Error;
    };
    if !this.check_elements(&[bins], call.span) {
        return Operand::Error;
    }
    let mask = match call.take("mask") {
        Some(mask) => match memory::access_mask(this, &mask, &operand.ty) {
            Some(mask) => Some(Box::new(mask)),
            None => return Operand::Error,
        },
        None => None,
    };
    Operand::value(Expr {
        kind: ExprKind::Histogram {
            operand: Box::new(operand),
            mask,
        },
        ty: tile(ElementType::I32, vec![bins]),
        span: call.span,
    })
}
