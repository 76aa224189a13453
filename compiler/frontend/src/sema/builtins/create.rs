//! Tiles from nothing: `arange`, `zeros`, `full`.

use tile_runtime::element::ElementType;

use super::Call;
use crate::diagnostic::messages;
use crate::sema::build;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, scalar, tile};
use crate::typed::{Element, Expr, ExprKind};

/// `arange(lo, hi)`, or `arange(hi)` from 0.
pub(super) fn arange<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(first) = call.take("lo") else {
        return Operand::Error;
    };
    let (lo, hi) = match call.take("hi") {
        Some(hi) => (first, hi),
        None => (Operand::Int(0).at(first.span), first),
    };
    let (Some(from), Some(to)) = (
        this.known_integer(&lo, "the start of `arange`"),
        this.known_integer(&hi, "the end of `arange`"),
    ) else {
        return Operand::Error;
    };
    let count = to
        .checked_sub(from)
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0);
    if count == 0 {
        return this.error(messages::shapes::empty_arange(from, to, call.span));
    }
    if !this.check_elements(&[count], call.span) {
        return Operand::Error;
    }
    // The last value is `hi - 1`: it must be an i32.
    let last = (i32::try_from(from), i32::try_from(to - 1));
    let (Ok(_), Ok(_), Ok(lo), Ok(hi)) = (last.0, last.1, i64::try_from(from), i64::try_from(to))
    else {
        return this.error(messages::consts::literal_too_large(call.span));
    };
    let ty = tile(ElementType::I32, vec![count]);
    Operand::value(Expr {
        kind: ExprKind::Arange { lo, hi },
        ty,
        span: call.span,
    })
}

/// `zeros(shape, T)`; `f32` when no type is given.
pub(super) fn zeros<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(shape), ty) = (call.take("shape"), call.take("type")) else {
        return Operand::Error;
    };
    let shape = this.shape(&shape);
    let element = match ty {
        Some(ty) => this.type_operand(&ty),
        None => Some(ElementType::F32),
    };
    match (shape, element) {
        (Some(shape), Some(element)) => Operand::value(build::constant(
            build::zero(element),
            tile(element, shape),
            call.span,
        )),
        _ => Operand::Error,
    }
}

/// `full(shape, value, T)`; the type of the value when none is given.
pub(super) fn full<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(shape), Some(value)) = (call.take("shape"), call.take("value")) else {
        return Operand::Error;
    };
    let element = match call.take("type") {
        Some(ty) => match this.type_operand(&ty) {
            Some(element) => Some(element),
            None => return Operand::Error,
        },
        None => None,
    };
    match this.shape(&shape) {
        Some(shape) => filled(this, &value, element, &shape, &call),
        None => Operand::Error,
    }
}

pub(super) fn zeros_like<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(like) = call.take("x") else {
        return Operand::Error;
    };
    match this.number_value(&like) {
        Some((value, element)) => {
            Operand::value(build::constant(build::zero(element), value.ty, call.span))
        }
        None => Operand::Error,
    }
}

pub(super) fn full_like<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(like), Some(value)) = (call.take("x"), call.take("value")) else {
        return Operand::Error;
    };
    match this.number_value(&like) {
        Some((tile, element)) => filled(this, &value, Some(element), &tile.ty.shape, &call),
        None => Operand::Error,
    }
}

fn filled<'a>(
    this: &mut Elaborator<'a>,
    value: &Located<'a>,
    element: Option<ElementType>,
    shape: &[u64],
    call: &Call<'a>,
) -> Operand<'a> {
    let scalar_value = match element {
        Some(element) => this.exactly(value, element, call.name),
        None => this.value(value),
    };
    let Some(scalar_value) = scalar_value else {
        return Operand::Error;
    };
    let is_scalar = matches!(scalar_value.ty.element, Element::Number(element) if scalar_value.ty == scalar(element));
    if !is_scalar {
        return this.error(messages::types::expected(value, "a scalar"));
    }
    let mut filled = build::broadcast(scalar_value, shape);
    filled.span = call.span;
    Operand::value(filled)
}
