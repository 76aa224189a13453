//! Other shapes of the same elements.

use super::Call;
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand};
use crate::sema::{broadcast as shapes, build};
use crate::typed::MOST_DIMENSIONS;

/// A size of `-1` is what remains, as in NumPy.
pub(super) fn reshape<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(shape)) = (call.take("x"), call.take("shape")) else {
        return Operand::Error;
    };
    let Some(value) = this.value(&x) else {
        return Operand::Error;
    };
    let elements: u64 = value.ty.shape.iter().product();
    let shape = with_remainder(shape, elements);
    let open = open_sizes(&shape);
    if let Some(first) = open.first() {
        return this.error(messages::shapes::no_remainder(
            &value.ty,
            open.len() > 1,
            *first,
        ));
    }
    let Some(shape_sizes) = this.shape(&shape) else {
        return Operand::Error;
    };
    if shape_sizes.iter().product::<u64>() != elements {
        return this.error(messages::shapes::reshape_elements(
            &value.ty,
            &shape_sizes,
            shape.span,
        ));
    }
    let mut reshaped = build::reshape(value, shape_sizes);
    reshaped.span = call.span;
    Operand::value(reshaped)
}

/// Replaces one `-1` by the size that makes the number of elements right.
fn with_remainder(shape: Located<'_>, elements: u64) -> Located<'_> {
    let Operand::List(mut items) = shape.operand else {
        return shape;
    };
    let open: Vec<usize> = (0..items.len())
        .filter(|&at| items.get(at).and_then(|item| item.operand.integer()) == Some(-1))
        .collect();
    if let &[open] = &open[..] {
        let others = items
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != open)
            .try_fold(1_i128, |product, (_, item)| {
                product.checked_mul(item.operand.integer()?)
            });
        let elements = i128::from(elements);
        if let (Some(others), Some(item)) = (others, items.get_mut(open))
            && others > 0
            && elements % others == 0
        {
            item.operand = Operand::Int(elements / others);
        }
    }
    Operand::List(items).at(shape.span)
}

/// The sizes of `-1`.
fn open_sizes(shape: &Located<'_>) -> Vec<Span> {
    let Operand::List(items) = &shape.operand else {
        return Vec::new();
    };
    let open = items
        .iter()
        .filter(|item| item.operand.integer() == Some(-1));
    open.map(|item| item.span).collect()
}

pub(super) fn permute<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(order)) = (call.take("x"), call.take("order")) else {
        return Operand::Error;
    };
    let Some(value) = this.value(&x) else {
        return Operand::Error;
    };
    let Operand::List(items) = &order.operand else {
        return this.error(messages::types::expected(
            &order,
            "a list of dimensions such as `[1, 0]`",
        ));
    };
    let rank = value.ty.shape.len();
    let mut permutation = Vec::new();
    for item in items {
        let Some(axis) = this.known_integer(item, "a dimension of `permute`") else {
            return Operand::Error;
        };
        match usize::try_from(axis) {
            Ok(axis) if axis < rank && !permutation.contains(&axis) => permutation.push(axis),
            _ => return this.error(messages::shapes::not_a_permutation(&value.ty, order.span)),
        }
    }
    if permutation.len() != rank {
        return this.error(messages::shapes::not_a_permutation(&value.ty, order.span));
    }
    Operand::value(build::permute(value, permutation, call.span))
}

pub(super) fn broadcast<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(shape)) = (call.take("x"), call.take("shape")) else {
        return Operand::Error;
    };
    let (Some(value), Some(shape)) = (this.value(&x), this.shape(&shape)) else {
        return Operand::Error;
    };
    match shapes::common(&value.ty.shape, &shape) {
        Ok(common) if common == shape => {
            let mut stretched = build::broadcast(value, &shape);
            stretched.span = call.span;
            Operand::value(stretched)
        }
        _ => this.error(messages::shapes::cannot_stretch(&value.ty, &shape, x.span)),
    }
}

pub(super) fn expand_dims<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let (Some(x), Some(axis)) = (call.take("x"), call.take("axis")) else {
        return Operand::Error;
    };
    let Some(value) = this.value(&x) else {
        return Operand::Error;
    };
    let Some(at) = this.known_integer(&axis, "the axis of `expand_dims`") else {
        return Operand::Error;
    };
    let rank = value.ty.shape.len();
    match usize::try_from(at) {
        Ok(_) if rank >= MOST_DIMENSIONS => {
            this.error(messages::shapes::rank_too_high(rank + 1, call.span))
        }
        Ok(at) if at <= rank => {
            let mut expanded = build::expand(value, at);
            expanded.span = call.span;
            Operand::value(expanded)
        }
        _ => this.error(messages::shapes::bad_new_axis(at, &value.ty, axis.span)),
    }
}
