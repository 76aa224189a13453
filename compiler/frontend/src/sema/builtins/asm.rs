//! `asm`: PTX written by hand.

use tile_runtime::element::ElementType;

use super::{Call, debug};
use crate::diagnostic::messages;
use crate::inline_ptx::{self, InlinePtx};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, tile};
use crate::typed::StmtKind;
use crate::typed::{MOST_OPERANDS, MOST_RESULTS};

pub(super) fn asm<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let (Some(text), Some(types)) = (call.take("text"), call.take("type")) else {
        return this.error(messages::asm::no_type(span));
    };
    let at = text.span;
    let Some(text) = debug::text(this, text, "the PTX of `asm`") else {
        return Operand::Error;
    };
    let Some((results, is_tuple)) = result_types(this, &types) else {
        return Operand::Error;
    };
    let effects = match call.take("pure") {
        None => false,
        Some(located) => match located.operand {
            Operand::Bool(pure) => !pure,
            _ => {
                return this.error(messages::types::expected(&located, "`true` or `false`"));
            }
        },
    };
    let pack = match call.take("pack") {
        None => 1,
        Some(located) => match this.known_integer(&located, "`pack`") {
            Some(1) => 1,
            Some(2) => 2,
            Some(4) => 4,
            Some(_) => return this.error(messages::asm::bad_pack(located.span)),
            None => return Operand::Error,
        },
    };
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner("`asm`", span));
    }
    if effects && pack > 1 {
        return this.error(messages::support::not_yet(
            "`pack` together with `pure = false`",
            span,
        ));
    }
    let located = call.rest();
    if located.len() > MOST_OPERANDS {
        return this.error(messages::debug::too_many_values(
            "asm",
            located.len(),
            MOST_OPERANDS,
            span,
        ));
    }
    let mut arguments = Vec::new();
    let mut elements = Vec::new();
    for argument in &located {
        let Some((value, element)) = this.number_value(argument) else {
            return Operand::Error;
        };
        arguments.push(value);
        elements.push(element);
    }
    for (element, at) in results
        .iter()
        .map(|element| (*element, types.span))
        .chain(elements.iter().copied().zip(located.iter().map(|l| l.span)))
    {
        if !inline_ptx::fits(element, pack) {
            return this.error(messages::asm::does_not_pack(element, pack, at));
        }
    }
    let operands: Vec<&Located<'a>> = located.iter().collect();
    let Some(arguments) = this.common_shape(arguments, &operands, "asm") else {
        return Operand::Error;
    };
    let asm = InlinePtx {
        text,
        results,
        arguments: elements,
        pack,
        effects,
    };
    if let Err(mistake) = inline_ptx::check(&asm) {
        return this.error(messages::asm::wrong_text(&asm.text, &mistake, at));
    }
    let shape = arguments
        .first()
        .map_or_else(Vec::new, |argument| argument.ty.shape.clone());
    let variables: Vec<_> = asm
        .results
        .iter()
        .map(|element| this.temporary(tile(*element, shape.clone()), span))
        .collect();
    let mut values: Vec<Operand<'a>> = variables
        .iter()
        .map(|variable| Operand::value(this.read(*variable, span)))
        .collect();
    this.emit(
        StmtKind::Asm {
            variables,
            asm,
            arguments,
        },
        span,
    );
    if is_tuple {
        Operand::Tuple(values)
    } else {
        values.pop().unwrap_or(Operand::Error)
    }
}

/// `f32`, or `(f32, i32)`: the types, and whether they are in parentheses.
fn result_types<'a>(
    this: &mut Elaborator<'a>,
    types: &Located<'a>,
) -> Option<(Vec<ElementType>, bool)> {
    let found: Option<Vec<ElementType>> = match &types.operand {
        Operand::Type(element) => return Some((vec![*element], false)),
        operand if operand.is_poison() => return None,
        Operand::Tuple(items) if !items.is_empty() && items.len() <= MOST_RESULTS => items
            .iter()
            .map(|item| match item {
                Operand::Type(element) => Some(*element),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    if found.is_none() {
        this.report(messages::asm::result_types(types, MOST_RESULTS));
    }
    found.map(|found| (found, true))
}
