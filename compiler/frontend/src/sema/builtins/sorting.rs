//! Tiles in order: `sort`, `argsort`, `topk`. The order itself is in [`crate::interp`].

use tile_runtime::element::ElementType;

use super::arguments::known_bool;
use super::{Call, movement};
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand, tile};
use crate::typed::{Element, Expr, ExprKind, Sorted};

/// `sort(x, axis, descending)`; of a tuple the first tile says the order, and all follow it.
pub(super) fn sort<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    let Operand::Tuple(items) = x.operand else {
        let Some((keys, axis, descending)) = keys(this, &mut call, &x) else {
            return Operand::Error;
        };
        let shape = keys.ty.shape.clone();
        return Operand::value(sorted(keys, axis, descending, Sorted::Values, shape, span));
    };
    let mut items = items.into_iter().map(|item| item.at(x.span));
    let Some(first) = items.next() else {
        return this.error(messages::types::expected(
            &Operand::UNIT.at(x.span),
            "a tile",
        ));
    };
    let Some((keys, axis, descending)) = keys(this, &mut call, &first) else {
        return Operand::Error;
    };
    let keys = this.once(keys, None);
    let mut values = vec![keys.clone()];
    for item in items {
        let Some((value, _)) = this.number_value(&item) else {
            return Operand::Error;
        };
        if value.ty.shape != keys.ty.shape {
            return this.error(messages::shapes::sorted_together(
                &keys.ty, &value.ty, x.span,
            ));
        }
        values.push(value);
    }
    let shape = keys.ty.shape.clone();
    let order = sorted(keys, axis, descending, Sorted::Indices, shape, span);
    let order = this.once(order, None);
    let follow = |value| Operand::value(movement::along(value, order.clone(), axis, span));
    Operand::Tuple(values.into_iter().map(follow).collect())
}

/// `argsort(x, axis, descending)`: where the elements of `sort(x)` were.
pub(super) fn argsort<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    let Some((keys, axis, descending)) = keys(this, &mut call, &x) else {
        return Operand::Error;
    };
    let shape = keys.ty.shape.clone();
    Operand::value(sorted(keys, axis, descending, Sorted::Indices, shape, span))
}

/// `topk(x, k, axis, largest)`: the first `k` elements in order, and where they were.
pub(super) fn topk<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let (Some(x), Some(k)) = (call.take("x"), call.take("k")) else {
        return Operand::Error;
    };
    let Some(largest) = known_bool(this, &mut call, "largest", true) else {
        return Operand::Error;
    };
    let Some((keys, axis, _)) = keys(this, &mut call, &x) else {
        return Operand::Error;
    };
    let Some(count) = this.size(&k, "`k`") else {
        return Operand::Error;
    };
    let mut shape = keys.ty.shape.clone();
    match shape.get_mut(axis) {
        Some(size) if count <= *size => *size = count,
        _ => {
            return this.error(messages::shapes::too_many_of_the_top(
                count, axis, &keys.ty, k.span,
            ));
        }
    }
    let keys = this.once(keys, None);
    let order = sorted(keys.clone(), axis, largest, Sorted::Indices, shape, span);
    let order = this.once(order, None);
    let values = movement::along(keys, order.clone(), axis, span);
    Operand::Tuple(vec![Operand::value(values), Operand::value(order)])
}

/// The tile that says the order, the axis, and whether the largest come first.
fn keys<'a>(
    this: &mut Elaborator<'a>,
    call: &mut Call<'a>,
    x: &Located<'a>,
) -> Option<(Expr, usize, bool)> {
    let (value, axis) = movement::value_and_axis_of(this, call, x)?;
    let descending = known_bool(this, call, "descending", false)?;
    Some((value, axis, descending))
}

fn sorted(
    keys: Expr,
    axis: usize,
    descending: bool,
    gives: Sorted,
    shape: Vec<u64>,
    span: Span,
) -> Expr {
    let element = match (gives, keys.ty.element) {
        (Sorted::Values, Element::Number(element)) => element,
        _ => ElementType::I32,
    };
    let kind = ExprKind::Sort {
        operand: Box::new(keys),
        axis,
        descending,
        gives,
    };
    Expr {
        kind,
        ty: tile(element, shape),
        span,
    }
}
