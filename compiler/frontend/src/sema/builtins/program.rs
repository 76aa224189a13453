//! Program instances, compile-time checks and promises to the compiler.

use tile_runtime::element::ElementType;

use super::Call;
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, scalar};
use crate::sema::{build, numbers};
use crate::syntax::ast::BinaryOperator;
use crate::typed::{BinaryOperation, Element, Expr, ExprKind, StmtKind};

pub(super) fn program_id<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    axis(this, call, ExprKind::ProgramId)
}

pub(super) fn num_programs<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    axis(this, call, ExprKind::NumPrograms)
}

fn axis<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    kind: fn(u8) -> ExprKind,
) -> Operand<'a> {
    let Some(axis) = call.take("axis") else {
        return Operand::Error;
    };
    let Some(value) = this.known_integer(&axis, "the axis of a program") else {
        return Operand::Error;
    };
    match u8::try_from(value) {
        Ok(value) if value <= 2 => {
            let ty = scalar(ElementType::I32);
            Operand::value(Expr {
                kind: kind(value),
                ty,
                span: call.span,
            })
        }
        _ => this.error(messages::shapes::bad_program_axis(value, axis.span)),
    }
}

/// `x / y`, rounded up.
pub(super) fn cdiv<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(y)) = (call.take("x"), call.take("y")) else {
        return Operand::Error;
    };
    let span = call.span;
    for operand in [&x, &y] {
        let element = match (&operand.operand, operand.operand.number()) {
            (_, Some(number)) => Some(number.element),
            (Operand::Value(expr), None) => match expr.ty.element {
                Element::Number(element) => Some(element),
                Element::Pointer { .. } => None,
            },
            (operand, None) if operand.is_poison() => return Operand::Error,
            _ => None,
        };
        if !element.is_some_and(|element| element.is_integer() && element != ElementType::I1) {
            return this.error(messages::types::expected(operand, "an integer"));
        }
    }
    if x.operand.number().is_some() && y.operand.number().is_some() {
        return known_cdiv(this, x, y, span);
    }
    let Some(operands) = this.common(&[&x, &y], true, call.name) else {
        return Operand::Error;
    };
    match <[Expr; 2]>::try_from(operands) {
        Ok([x, y]) => Operand::value(build::binary(BinaryOperation::CeilDivide, x, y, span)),
        Err(_) => Operand::Error,
    }
}

/// The quotient of numbers that are known, one more where the remainder has the sign of `y`.
fn known_cdiv<'a>(
    this: &mut Elaborator<'a>,
    x: Located<'a>,
    y: Located<'a>,
    span: Span,
) -> Operand<'a> {
    let quotient = this.binary(BinaryOperator::Divide, x.clone(), y.clone(), span);
    let remainder = this.binary(BinaryOperator::Remainder, x, y.clone(), span);
    match (remainder.integer(), y.operand.integer()) {
        (Some(remainder), Some(y)) if remainder != 0 && (remainder > 0) == (y > 0) => {
            let one = Operand::Int(1).at(span);
            this.binary(BinaryOperator::Add, quotient.at(span), one, span)
        }
        _ => quotient,
    }
}

pub(super) fn range<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    this.error(messages::control::range_outside_for(call.span))
}

pub(super) fn assume<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(condition) = call.take("cond") else {
        return Operand::Error;
    };
    match condition.operand {
        Operand::Bool(true) => return Operand::UNIT,
        Operand::Bool(false) => {
            return this.error(messages::consts::assumption_false(condition.span));
        }
        _ => {}
    }
    if let Some(value) = this.condition(&condition, "assume") {
        this.emit(StmtKind::Assume(value), call.span);
    }
    Operand::UNIT
}

pub(super) fn static_assert<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(condition) = call.take("cond") else {
        return Operand::Error;
    };
    let message = match call.message() {
        Ok(message) => message,
        Err(other) => return this.error(messages::types::expected(&other, "a text")),
    };
    match condition.operand {
        Operand::Bool(true) => Operand::UNIT,
        Operand::Bool(false) => this.error(messages::consts::assertion_failed(
            message.as_deref(),
            condition.span,
        )),
        Operand::Value(_) => this.error(messages::consts::not_known(
            "the condition of `static_assert`",
            &condition,
        )),
        _ => this.error(messages::types::expected(&condition, "a condition")),
    }
}

pub(super) fn static_print<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let text: Vec<String> = call
        .rest()
        .iter()
        .map(|value| shown(&value.operand))
        .collect();
    this.report(messages::consts::static_print(&text.join(" "), span));
    Operand::UNIT
}

/// A compile-time value as it is written, a run-time value as its type.
fn shown(operand: &Operand<'_>) -> String {
    match operand {
        Operand::Int(value) => value.to_string(),
        Operand::Float(value) => format!("{value:?}"),
        Operand::Bool(value) => value.to_string(),
        Operand::Str(text) => text.clone(),
        Operand::Type(element) => element.to_string(),
        Operand::Number(number) => numbers::text(*number),
        Operand::List(items) => {
            let items: Vec<String> = items.iter().map(|item| shown(&item.operand)).collect();
            format!("[{}]", items.join(", "))
        }
        Operand::Tuple(items) => {
            format!(
                "({})",
                items.iter().map(shown).collect::<Vec<_>>().join(", ")
            )
        }
        Operand::View(view) => format!("view of {}", view.ty()),
        Operand::Value(expr) => expr.ty.to_string(),
        other => other.type_name(),
    }
}
