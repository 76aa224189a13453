//! `print` and `assert`: what a kernel says of itself while it is being written.

use tile_runtime::element::ElementType;

use super::Call;
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand};
use crate::typed::MOST_OPERANDS;
use crate::typed::{Element, StmtKind};

pub(super) fn assert<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(condition) = call.take("cond") else {
        return Operand::Error;
    };
    let message = match call.take("message") {
        None => String::new(),
        Some(located) => match text(this, located, "the message of `assert`") {
            Some(message) => message,
            None => return Operand::Error,
        },
    };
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner("`assert`", call.span));
    }
    if matches!(condition.operand, Operand::Bool(true)) {
        return Operand::UNIT;
    }
    let Some(value) = this.value(&condition) else {
        return Operand::Error;
    };
    if value.ty.element != Element::Number(ElementType::I1) {
        return this.error(messages::debug::assert_condition(&condition));
    }
    let kind = StmtKind::Assert {
        condition: value,
        message,
    };
    this.emit(kind, call.span);
    Operand::UNIT
}

pub(super) fn print<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(label) = call.take("label") else {
        return Operand::Error;
    };
    let hex = match call.take("hex") {
        None => false,
        Some(located) => match located.operand {
            Operand::Bool(hex) => hex,
            _ => {
                return this.error(messages::types::expected(&located, "`true` or `false`"));
            }
        },
    };
    let Some(label) = text(this, label, "the label of `print`") else {
        return Operand::Error;
    };
    let span = call.span;
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner("`print`", span));
    }
    let located = call.rest();
    if located.len() > MOST_OPERANDS {
        return this.error(messages::debug::too_many_values(
            "print",
            located.len(),
            MOST_OPERANDS,
            span,
        ));
    }
    let mut values = Vec::new();
    for value in &located {
        match this.number_value(value) {
            Some((value, _)) => values.push(value),
            None => return Operand::Error,
        }
    }
    let operands: Vec<&Located<'a>> = located.iter().collect();
    if let Some(values) = this.common_shape(values, &operands, "print") {
        this.emit(StmtKind::Print { label, values, hex }, span);
    }
    Operand::UNIT
}

/// A text without zeros, which would end it early.
pub(super) fn text<'a>(
    this: &mut Elaborator<'a>,
    located: Located<'a>,
    what: &str,
) -> Option<String> {
    match located.operand {
        Operand::Str(text) if !text.contains('\0') => Some(text),
        Operand::Str(_) => {
            this.report(messages::debug::zero_in_text(what, located.span));
            None
        }
        ref operand if operand.is_poison() => None,
        _ => {
            this.report(messages::debug::expected_text(what, &located));
            None
        }
    }
}
