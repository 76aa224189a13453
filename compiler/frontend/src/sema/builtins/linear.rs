//! `dot`.

use tile_runtime::element::ElementType::{self, BF16, F8E4M3, F8E5M2, F16, F32, F64, I8, I32};

use super::{Call, movement};
use crate::diagnostic::{Span, messages};
use crate::sema::build;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, tile};
use crate::typed::{CompareOperation, Expr, ExprKind, Precision};

pub(super) fn dot<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(a), Some(b)) = (call.take("a"), call.take("b")) else {
        return Operand::Error;
    };
    let accumulator = call.take("acc");
    let precision = match call.word("precision") {
        Some((word, _)) if word == "tf32" => Precision::Tf32,
        Some(_) => Precision::Full,
        None => Precision::Usual,
    };
    let (Some((left, left_element)), Some((right, right_element))) =
        (this.number_value(&a), this.number_value(&b))
    else {
        return Operand::Error;
    };
    if let (&[batch, rows, inner], &[batch_right, inner_right, columns]) =
        (&left.ty.shape[..], &right.ty.shape[..])
        && batch == batch_right
        && inner == inner_right
    {
        let elements = (left_element, a.span, right_element, b.span);
        let shape = vec![batch, rows, columns];
        let Some(accumulator) = summed(this, elements, accumulator, shape, call.span) else {
            return Operand::Error;
        };
        return batched(this, [left, right, accumulator], precision, call.span);
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
    let elements = (left_element, a.span, right_element, b.span);
    let Some(accumulator) = summed(this, elements, accumulator, vec![rows, columns], call.span)
    else {
        return Operand::Error;
    };
    Operand::value(product([left, right, accumulator], precision, call.span))
}

pub(super) fn product(
    [left, right, accumulator]: [Expr; 3],
    precision: Precision,
    span: Span,
) -> Expr {
    let ty = accumulator.ty.clone();
    let kind = ExprKind::Dot {
        left: Box::new(left),
        right: Box::new(right),
        accumulator: Box::new(accumulator),
        precision,
    };
    Expr { kind, ty, span }
}

/// One product after the other, put together again.
fn batched<'a>(
    this: &mut Elaborator<'a>,
    operands: [Expr; 3],
    precision: Precision,
    span: Span,
) -> Operand<'a> {
    let [left, right, accumulator] = operands.map(|operand| this.once(operand, None));
    let shape = accumulator.ty.shape.clone();
    let part = |value: &Expr, number: u64| {
        let sizes = [1, value.ty.shape[1], value.ty.shape[2]];
        let starts = [i128::from(number), 0, 0];
        let part = movement::part(value.clone(), &starts, &sizes, span);
        build::reshape(part, sizes[1..].to_vec())
    };
    let mut all: Option<Expr> = None;
    for number in 0..shape[0] {
        let parts = [&left, &right, &accumulator].map(|value| part(value, number));
        let one = build::expand(product(parts, precision, span), 0);
        let one = build::broadcast(one, &shape);
        let next = match all {
            None => one,
            Some(others) => {
                let at = build::coordinate(&shape, 0, span);
                let number = build::full(i128::from(number), ElementType::I32, &shape, span);
                let is_this = build::compare(CompareOperation::Equal, at, number, span);
                build::select(is_this, one, others, span)
            }
        };
        all = Some(this.once(next, None));
    }
    all.map_or(Operand::Error, Operand::value)
}

/// What the products are added to: what was given, checked, or zeros.
pub(super) fn summed<'a>(
    this: &mut Elaborator<'a>,
    (left, left_span, right, right_span): (ElementType, Span, ElementType, Span),
    accumulator: Option<Located<'a>>,
    shape: Vec<u64>,
    span: Span,
) -> Option<Expr> {
    let Some(natural) = accumulator_of(left, right) else {
        this.report(messages::types::dot_elements(
            (left, left_span),
            (right, right_span),
        ));
        return None;
    };
    if !this.check_elements(&shape, span) {
        return None;
    }
    let Some(located) = accumulator else {
        let zeros = build::zero(natural);
        return Some(build::constant(zeros, tile(natural, shape), span));
    };
    let (value, element) = this.number_value(&located)?;
    let half = element == F16 && matches!(left, F16 | F8E4M3 | F8E5M2);
    if (element != natural && !half) || value.ty.shape != shape {
        let wanted = tile(natural, shape);
        this.report(messages::shapes::dot_accumulator(
            &wanted,
            &value.ty,
            located.span,
        ));
        return None;
    }
    Some(value)
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
