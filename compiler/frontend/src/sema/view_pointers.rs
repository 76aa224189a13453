//! A view of a tensor as pointers to its elements and which of them exist.

use tile_runtime::element::ElementType;

use super::build;
use super::elaborator::Elaborator;
use super::operand::scalar;
use crate::diagnostic::Span;
use crate::typed::{
    BinaryOperation, CompareOperation, Dimension, Element, Expr, ExprKind, Parameter, Stride,
    TensorParameter, ValueType, View, ViewIndex,
};

/// The pointers of a view and the mask of those inside the tensor. Positions and offsets are
/// computed in 64 bits.
pub(super) fn view_pointers(
    this: &mut Elaborator<'_>,
    view: &View,
    span: Span,
) -> Option<(Expr, Expr)> {
    let Some(Parameter::Tensor(tensor)) = this.parameters.get(view.tensor) else {
        return None;
    };
    let tensor = tensor.clone();
    let shape = view.shape();
    let mut kept = 0;
    let mut offset: Option<Expr> = None;
    let mut inside: Option<Expr> = None;
    for (dimension, index) in view.indices.iter().enumerate() {
        let positions = match index {
            ViewIndex::At(at) => build::broadcast(wide(at.clone()), &shape),
            ViewIndex::Range { start, .. } => {
                let start = build::broadcast(wide(start.clone()), &shape);
                let count = wide(build::coordinate(&shape, kept, span));
                kept += 1;
                build::binary(BinaryOperation::Add, start, count, span)
            }
            ViewIndex::Gather(positions) => {
                let mut positions = wide(positions.clone());
                kept += positions.ty.shape.len();
                for _ in kept..shape.len() {
                    let last = positions.ty.shape.len();
                    positions = build::expand(positions, last);
                }
                build::broadcast(positions, &shape)
            }
        };
        let positions = this.once(positions, None);
        let all = |value: Expr| build::broadcast(wide(value), &shape);
        let zero = build::full(0, ElementType::I64, &shape, span);
        let size = all(size(this, &tensor, dimension, span));
        let above = build::compare(
            CompareOperation::GreaterEqual,
            positions.clone(),
            zero,
            span,
        );
        let below = build::compare(CompareOperation::Less, positions.clone(), size, span);
        let ok = build::and(above, below, span);
        inside = Some(match inside {
            Some(inside) => build::and(inside, ok, span),
            None => ok,
        });
        let stride = all(stride(this, &tensor, dimension, span));
        let moved = build::binary(BinaryOperation::Multiply, positions, stride, span);
        offset = Some(match offset {
            Some(offset) => build::binary(BinaryOperation::Add, offset, moved, span),
            None => moved,
        });
    }
    let base = this.read(tensor.pointer, span);
    let ty = ValueType {
        element: base.ty.element,
        shape: shape.clone(),
    };
    let kind = ExprKind::PointerOffset {
        pointer: Box::new(build::broadcast(base, &shape)),
        offset: Box::new(offset?),
    };
    Some((Expr { kind, ty, span }, inside?))
}

fn wide(value: Expr) -> Expr {
    debug_assert!(matches!(value.ty.element, Element::Number(element) if element.is_integer()));
    build::cast(value, ElementType::I64)
}

fn size(this: &Elaborator<'_>, tensor: &TensorParameter, dimension: usize, span: Span) -> Expr {
    match tensor.dimensions[dimension] {
        Dimension::Fixed(size) => build::integer(i128::from(size), ElementType::I64, span),
        Dimension::Size(index) => {
            let ty = scalar(ElementType::I32);
            let kind = ExprKind::Variable(this.sizes[index].1);
            wide(Expr { kind, ty, span })
        }
    }
}

fn stride(this: &Elaborator<'_>, tensor: &TensorParameter, dimension: usize, span: Span) -> Expr {
    match tensor.strides[dimension] {
        Stride::Fixed(stride) => build::integer(i128::from(stride), ElementType::I64, span),
        Stride::Variable { variable, .. } => {
            let ty = scalar(ElementType::I64);
            let kind = ExprKind::Variable(variable);
            Expr { kind, ty, span }
        }
        Stride::Dense => {
            let one = build::integer(1, ElementType::I64, span);
            (dimension + 1..tensor.dimensions.len()).fold(one, |product, next| {
                let size = size(this, tensor, next, span);
                build::binary(BinaryOperation::Multiply, product, size, span)
            })
        }
    }
}
