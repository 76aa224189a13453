//! Atomic accesses, through pointers and through views.

use tile_runtime::element::ElementType;

use super::{Call, memory};
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand};
use crate::sema::view_pointers;
use crate::typed::{AtomicOperation, Element, Expr, MemoryOrder, MemoryScope, StmtKind};

macro_rules! atomics {
    ($($name:ident = $operation:ident;)*) => {
        $(pub(super) fn $name<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
            atomic(this, call, AtomicOperation::$operation)
        })*
    };
}

atomics! {
    add = Add;
    max = Max;
    min = Min;
    and = And;
    or = Or;
    xor = Xor;
    exchange = Exchange;
    compare_exchange = CompareExchange;
}

/// Whether hardware can do it (PTX ISA, "atom"): no element narrower than 16 bits can be compared and
/// exchanged, which is what other operations are made of.
fn is_supported(operation: AtomicOperation, element: ElementType) -> bool {
    use AtomicOperation as A;
    let is_bits = matches!(operation, A::And | A::Or | A::Xor);
    element.bits() >= 16 && !(is_bits && element.is_float())
}

fn atomic<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    operation: AtomicOperation,
) -> Operand<'a> {
    let span = call.span;
    let (Some(to), Some(value)) = (call.take("to"), call.take("value")) else {
        return Operand::Error;
    };
    let (compare, mask) = (call.take("compare"), call.take("mask"));
    let order = match call.word("order").as_ref().map(|(word, _)| word.as_str()) {
        Some("relaxed") => MemoryOrder::Relaxed,
        Some("acquire") => MemoryOrder::Acquire,
        Some("release") => MemoryOrder::Release,
        _ => MemoryOrder::AcquireRelease,
    };
    let scope = match call.word("scope").as_ref().map(|(word, _)| word.as_str()) {
        Some("cta") => MemoryScope::Program,
        Some("sys") => MemoryScope::System,
        _ => MemoryScope::Device,
    };
    if this.combiner.is_some() {
        return this.error(messages::control::effect_in_combiner(
            "an atomic access",
            span,
        ));
    }
    let Some((pointers, inside)) = target(this, &call, &to.operand, to.span) else {
        return Operand::Error;
    };
    let Element::Pointer { pointee, .. } = pointers.ty.element else {
        return this.error(messages::memory::not_loadable(call.name, &to));
    };
    if !is_supported(operation, pointee) {
        return this.error(messages::types::no_atomic(call.name, pointee, to.span));
    }
    let shape = pointers.ty.shape.clone();
    let mut given = |operand: &Located<'a>| {
        let what = "the elements written to";
        let value = this.exactly(operand, pointee, what)?;
        memory::stretch(this, value, &shape, "value", operand.span)
    };
    let Some(value) = given(&value) else {
        return Operand::Error;
    };
    let compare = match compare.as_ref().map(&mut given) {
        Some(None) => return Operand::Error,
        given => given.flatten(),
    };
    let Some(mask) = memory::accessed(this, inside, mask.as_ref(), &pointers.ty, span) else {
        return Operand::Error;
    };
    let mut ty = pointers.ty.clone();
    ty.element = Element::Number(pointee);
    let variable = this.temporary(ty, span);
    this.emit(
        StmtKind::Atomic {
            variable: Some(variable),
            operation,
            pointers,
            compare,
            value,
            mask,
            order,
            scope,
        },
        span,
    );
    Operand::value(this.read(variable, span))
}

/// The pointers written through, and which of them lie inside the tensor.
fn target<'a>(
    this: &mut Elaborator<'a>,
    call: &Call<'a>,
    to: &Operand<'a>,
    span: Span,
) -> Option<(Expr, Option<Expr>)> {
    match to {
        Operand::View(view) => {
            if !view.mutable {
                let tensor = this.tensor_name(view.view.tensor);
                this.report(messages::memory::store_to_immutable_tensor(
                    &tensor.0, span, tensor.1,
                ));
                return None;
            }
            let (pointers, inside) = view_pointers(this, &view.view, span)?;
            Some((pointers, Some(inside)))
        }
        Operand::Value(pointers) => match pointers.ty.element {
            Element::Pointer { pointee, mutable } => {
                if !mutable {
                    let root = memory::root_pointer(this, pointers);
                    this.report(messages::memory::store_to_immutable_pointer(
                        pointee, span, root,
                    ));
                    return None;
                }
                Some(((**pointers).clone(), None))
            }
            Element::Number(_) => {
                let located = to.clone().at(span);
                this.report(messages::memory::not_loadable(call.name, &located));
                None
            }
        },
        Operand::Tensor(tensor) => {
            memory::whole_tensor(this, call.name, *tensor, span);
            None
        }
        other if other.is_poison() => None,
        other => {
            let located = other.clone().at(span);
            this.report(messages::memory::not_loadable(call.name, &located));
            None
        }
    }
}
