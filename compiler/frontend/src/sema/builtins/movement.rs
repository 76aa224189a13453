//! Elements in other places: gathers, parts, and tiles put together.

use tile_runtime::element::ElementType;

use super::{Call, reduce};
use crate::diagnostic::{Span, messages};
use crate::sema::build;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand};
use crate::typed::{
    BinaryOperation, CompareOperation, Element, Expr, ExprKind, MOST_DIMENSIONS, ReduceOperation,
};

/// The tile with the order along `axis` reversed.
pub(super) fn flipped(value: Expr, axis: usize, span: Span) -> Expr {
    let shape = value.ty.shape.clone();
    let indices = (0..shape.len())
        .map(|dimension| {
            let at = build::coordinate(&shape, dimension, span);
            if dimension != axis {
                return at;
            }
            let last = i128::from(shape[dimension]) - 1;
            let last = build::full(last, ElementType::I32, &shape, span);
            build::binary(BinaryOperation::Subtract, last, at, span)
        })
        .collect();
    build::gather(value, indices, shape, span)
}

/// The part of a tile that starts at `starts` and has these sizes.
pub(in crate::sema) fn part(value: Expr, starts: &[i128], shape: &[u64], span: Span) -> Expr {
    let indices = starts
        .iter()
        .enumerate()
        .map(|(dimension, start)| {
            let at = build::coordinate(shape, dimension, span);
            if *start == 0 {
                return at;
            }
            let start = build::full(*start, ElementType::I32, shape, span);
            build::binary(BinaryOperation::Add, at, start, span)
        })
        .collect();
    build::gather(value, indices, shape.to_vec(), span)
}

pub(super) fn flip<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some((value, axis)) = value_and_axis(this, &mut call) else {
        return Operand::Error;
    };
    Operand::value(flipped(value, axis, call.span))
}

/// A tile and one of its dimensions, the last one when none is named.
fn value_and_axis<'a>(this: &mut Elaborator<'a>, call: &mut Call<'a>) -> Option<(Expr, usize)> {
    let x = call.take("x")?;
    value_and_axis_of(this, call, &x)
}

/// The same of an argument that was taken already.
pub(super) fn value_and_axis_of<'a>(
    this: &mut Elaborator<'a>,
    call: &mut Call<'a>,
    x: &Located<'a>,
) -> Option<(Expr, usize)> {
    let (value, _) = this.number_value(x)?;
    if value.ty.shape.is_empty() {
        this.report(messages::types::expected(x, "a tile"));
        return None;
    }
    let axis = match call.take("axis") {
        Some(axis) => reduce::axis_of(this, &axis, &value)?,
        None => value.ty.shape.len() - 1,
    };
    Some((value, axis))
}

/// `gather(x, index, axis)`: as `numpy.take_along_axis`.
pub(super) fn gather<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(index) = call.take("index") else {
        return Operand::Error;
    };
    let Some((value, axis)) = value_and_axis(this, &mut call) else {
        return Operand::Error;
    };
    let Some((positions, element)) = this.number_value(&index) else {
        return Operand::Error;
    };
    let shape = positions.ty.shape.clone();
    let alike = shape.len() == value.ty.shape.len()
        && (0..shape.len()).all(|d| d == axis || shape[d] == value.ty.shape[d]);
    if element.is_float() || element == ElementType::I1 || !alike {
        let wanted = format!(
            "integers with the shape of `{}` in all dimensions but {axis}",
            value.ty
        );
        return this.error(messages::types::expected(&index, &wanted));
    }
    Operand::value(along(value, positions, axis, call.span))
}

/// The elements at these positions along `axis`, which have the shape of the result.
pub(super) fn along(value: Expr, positions: Expr, axis: usize, span: Span) -> Expr {
    let shape = positions.ty.shape.clone();
    let positions = build::cast(positions, ElementType::I32);
    let indices = (0..shape.len())
        .map(|dimension| {
            if dimension == axis {
                positions.clone()
            } else {
                build::coordinate(&shape, dimension, span)
            }
        })
        .collect();
    build::gather(value, indices, shape, span)
}

/// Two tiles of one element, shapes as they are.
fn two<'a>(
    this: &mut Elaborator<'a>,
    call: &mut Call<'a>,
) -> Option<(Located<'a>, Located<'a>, Expr, Expr)> {
    let (a, b) = (call.take("a")?, call.take("b")?);
    let element = this.common_element(&[&a, &b], false, call.name)?;
    let (left, right) = (this.value_as(&a, element)?, this.value_as(&b, element)?);
    Some((a, b, left, right))
}

/// `cat(a, b, axis)`: `b` after `a`.
pub(super) fn cat<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let axis = call.take("axis");
    let Some((_, second, a, b)) = two(this, &mut call) else {
        return Operand::Error;
    };
    let axis = match axis {
        Some(axis) => match reduce::axis_of(this, &axis, &a) {
            Some(axis) => axis,
            None => return Operand::Error,
        },
        None => 0,
    };
    let rank = a.ty.shape.len();
    let alike = rank > axis
        && rank == b.ty.shape.len()
        && (0..rank).all(|d| d == axis || a.ty.shape[d] == b.ty.shape[d]);
    if !alike {
        let wanted = format!(
            "a tile with the shape of `{}` in all dimensions but {axis}",
            a.ty
        );
        return this.error(messages::types::expected(&second, &wanted));
    }
    let (first, mut shape) = (a.ty.shape[axis], a.ty.shape.clone());
    shape[axis] += b.ty.shape[axis];
    if !this.check_elements(&shape, span) {
        return Operand::Error;
    }
    if a.ty.shape == b.ty.shape && rank < MOST_DIMENSIONS {
        return Operand::value(build::reshape(stacked(a, b, axis, span), shape));
    }
    let border = |value: i128| build::full(value, ElementType::I32, &shape, span);
    let at = build::coordinate(&shape, axis, span);
    let first = i128::from(first);
    let in_a = build::binary(
        BinaryOperation::Minimum,
        at.clone(),
        border(first - 1),
        span,
    );
    let in_b = build::binary(BinaryOperation::Subtract, at.clone(), border(first), span);
    let in_b = build::binary(BinaryOperation::Maximum, in_b, border(0), span);
    let taken = |value: Expr, along: Expr| {
        let indices = (0..rank)
            .map(|dimension| {
                if dimension == axis {
                    along.clone()
                } else {
                    build::coordinate(&shape, dimension, span)
                }
            })
            .collect();
        build::gather(value, indices, shape.clone(), span)
    };
    let (a, b) = (taken(a, in_a), taken(b, in_b));
    let is_first = build::compare(CompareOperation::Less, at, border(first), span);
    Operand::value(build::select(is_first, a, b, span))
}

/// `join(a, b)`: a new last dimension of size 2.
pub(super) fn join<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let joined =
        two_alike(this, &mut call).and_then(|[left, right]| joined(this, left, right, call.span));
    joined.map_or(Operand::Error, Operand::value)
}

/// `interleave(a, b)`: elements of both in turn along the last dimension.
pub(super) fn interleave<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some([left, right]) = two_alike(this, &mut call) else {
        return Operand::Error;
    };
    let mut shape = left.ty.shape.clone();
    match shape.last_mut() {
        Some(last) => *last *= 2,
        None => shape.push(2),
    }
    // Between joining and the result there is a dimension more: those in front are one meanwhile, so
    // that tiles of any rank can be interleaved.
    let flat = |value: Expr| match value.ty.shape[..] {
        [first, second, ref rest @ ..] if rest.len() >= 3 => {
            let shape = [&[first * second], rest].concat();
            build::reshape(value, shape)
        }
        _ => value,
    };
    match joined(this, flat(left), flat(right), call.span) {
        Some(joined) => Operand::value(build::reshape(joined, shape)),
        None => Operand::Error,
    }
}

/// The operands `a` and `b`, stretched to one shape.
fn two_alike<'a>(this: &mut Elaborator<'a>, call: &mut Call<'a>) -> Option<[Expr; 2]> {
    let (a, b, left, right) = two(this, call)?;
    let values = this.common_shape(vec![left, right], &[&a, &b], call.name)?;
    values.try_into().ok()
}

fn joined(this: &mut Elaborator<'_>, left: Expr, right: Expr, span: Span) -> Option<Expr> {
    let rank = left.ty.shape.len();
    if rank >= MOST_DIMENSIONS {
        this.report(messages::shapes::rank_too_high(rank + 1, span));
        return None;
    }
    let joined = stacked(left, right, rank, span);
    this.check_elements(&joined.ty.shape, span)
        .then_some(joined)
}

/// Two tiles of one shape, along a new axis of size 2.
fn stacked(first: Expr, second: Expr, axis: usize, span: Span) -> Expr {
    let mut shape = first.ty.shape.clone();
    shape.insert(axis, 2);
    let at = build::coordinate(&shape, axis, span);
    let zero = build::full(0, ElementType::I32, &shape, span);
    let is_first = build::compare(CompareOperation::Equal, at, zero, span);
    let wide = |value: Expr| build::broadcast(build::expand(value, axis), &shape);
    build::select(is_first, wide(first), wide(second), span)
}

/// `split(x)`: the two halves of a last dimension of size 2. Each is what remains of the bits when
/// those of the other are cleared.
pub(super) fn split<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    let Some((value, element)) = this.number_value(&x) else {
        return Operand::Error;
    };
    if value.ty.shape.last() != Some(&2) {
        return this.error(messages::types::expected(
            &x,
            "a tile whose last dimension has size 2",
        ));
    }
    let value = this.once(value, None);
    let shape = value.ty.shape.clone();
    let axis = shape.len() - 1;
    let bits = unsigned(element);
    let halves = [0, 1].map(|half| {
        let at = build::coordinate(&shape, axis, span);
        let half = build::full(half, ElementType::I32, &shape, span);
        let is_half = build::compare(CompareOperation::Equal, at, half, span);
        let zero = build::full(0, bits, &shape, span);
        let kept = build::select(is_half, build::bitcast(value.clone(), bits), zero, span);
        Operand::value(build::bitcast(xor_along(kept, axis), element))
    });
    Operand::Tuple(halves.to_vec())
}

/// The integer type of the same width without a sign.
pub(super) const fn unsigned(element: ElementType) -> ElementType {
    match element.bits() {
        1 => ElementType::I1,
        8 => ElementType::U8,
        16 => ElementType::U16,
        32 => ElementType::U32,
        _ => ElementType::U64,
    }
}

/// The XOR of all elements along an axis, which disappears.
pub(super) fn xor_along(operand: Expr, axis: usize) -> Expr {
    let mut ty = operand.ty.clone();
    ty.shape.remove(axis);
    let span = operand.span;
    debug_assert!(matches!(ty.element, Element::Number(element) if element.is_integer()));
    let kind = ExprKind::Reduce {
        operand: Box::new(operand),
        axis,
        operation: ReduceOperation::Xor,
    };
    Expr { kind, ty, span }
}
