//! `prefetch`, through pointers and through views.

use super::{Call, memory};
use crate::diagnostic::messages;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::Operand;
use crate::sema::{build, view_pointers};
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
            let (rank, name) = (this.tensor_rank(*tensor), this.tensor_name(*tensor).0);
            return this.error(messages::memory::whole_tensor(
                call.name, &name, rank, from.span,
            ));
        }
        operand if operand.is_poison() => return Operand::Error,
        _ => return this.error(messages::memory::not_loadable(call.name, &from)),
    };
    let asked = match mask.map(|mask| memory::access_mask(this, &mask, &pointers.ty)) {
        Some(None) => return Operand::Error,
        asked => asked.flatten(),
    };
    let mask = match (inside, asked) {
        (Some(inside), Some(asked)) => Some(build::and(inside, asked, span)),
        (inside, asked) => inside.or(asked),
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
