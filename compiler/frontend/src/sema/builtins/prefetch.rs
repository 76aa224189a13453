//! `prefetch`, through pointers and through views.

use super::{Call, memory};
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::Operand;
use crate::sema::view_pointers;
use crate::typed::{CacheLevel, Element, StmtKind};

pub(super) fn prefetch<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some(from) = call.take("from") else {
        return Operand::Error;
    };
    let mask = call.take("mask");
    let level = match call.word("level").as_ref().map(|(word, _)| word.as_str()) {
        Some("L1") => CacheLevel::L1,
        _ => CacheLevel::L2,
    };
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner("`prefetch`", span));
    }
    let (pointers, inside) = match &from.operand {
        Operand::View(view) => match view_pointers(this, &view.view, span) {
            Some((pointers, inside)) => (pointers, Some(inside)),
            None => return Operand::Error,
        },
        Operand::Value(pointers) if matches!(pointers.ty.element, Element::Pointer { .. }) => {
            ((**pointers).clone(), None)
        }
        Operand::Tensor(tensor) => {
            return memory::whole_tensor(this, call.name, *tensor, from.span);
        }
        operand if operand.is_poison() => return Operand::Error,
        _ => return this.error(messages::memory::not_loadable(call.name, &from)),
    };
    let Some(mask) = memory::accessed(this, inside, mask.as_ref(), &pointers.ty, span) else {
        return Operand::Error;
    };
    this.emit(
        StmtKind::Prefetch {
            pointers,
            mask,
            level,
        },
        span,
    );
    Operand::UNIT
}
