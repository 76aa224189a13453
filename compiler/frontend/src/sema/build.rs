//! Constructors of typed expressions. They fold what is trivially known and nothing else.

use tile_runtime::element::ElementType;

use super::{numbers, operand::scalar};
use crate::diagnostic::Span;
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, Rounding, Stmt, StmtKind,
    UnaryOperation, ValueType, VariableId,
};

pub(super) const fn constant(value: Constant, ty: ValueType, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Constant(value),
        ty,
        span,
    }
}

pub(super) const fn integer(value: i128, element: ElementType, span: Span) -> Expr {
    constant(Constant::Int(value), scalar(element), span)
}

/// Zero of any number type.
pub(super) const fn zero(element: ElementType) -> Constant {
    if element.is_float() {
        Constant::Float(0.0)
    } else {
        Constant::Int(0)
    }
}

/// The operand with the shape; sizes of 1 and missing leading dimensions are repeated.
pub(super) fn broadcast(operand: Expr, shape: &[u64]) -> Expr {
    if operand.ty.shape == shape {
        return operand;
    }
    let ty = ValueType {
        element: operand.ty.element,
        shape: shape.to_vec(),
    };
    let span = operand.span;
    if let ExprKind::Constant(value) = operand.kind {
        return constant(value, ty, span);
    }
    let mut operand = operand;
    // A scalar is repeated as it is; a tile first gets its missing leading dimensions.
    if !operand.ty.shape.is_empty() {
        while operand.ty.shape.len() < shape.len() {
            operand = expand(operand, 0);
        }
        if operand.ty.shape == shape {
            return operand;
        }
    }
    Expr {
        kind: ExprKind::Broadcast(Box::new(operand)),
        ty,
        span,
    }
}

/// A new dimension of size 1; `axis` is its position in the result.
pub(super) fn expand(operand: Expr, axis: usize) -> Expr {
    let mut shape = operand.ty.shape.clone();
    shape.insert(axis.min(shape.len()), 1);
    if operand.ty.shape.is_empty() {
        return broadcast(operand, &shape);
    }
    reshaped(operand, shape, |operand| ExprKind::ExpandDimension {
        operand,
        axis,
    })
}

pub(super) fn reshape(operand: Expr, shape: Vec<u64>) -> Expr {
    if operand.ty.shape == shape {
        return operand;
    }
    // A scalar has no elements that could move.
    if operand.ty.shape.is_empty() {
        return broadcast(operand, &shape);
    }
    reshaped(operand, shape, ExprKind::Reshape)
}

/// The same elements in another shape; constants are the same in all shapes.
fn reshaped(operand: Expr, shape: Vec<u64>, kind: impl FnOnce(Box<Expr>) -> ExprKind) -> Expr {
    let ty = ValueType {
        element: operand.ty.element,
        shape,
    };
    let span = operand.span;
    let kind = match operand.kind {
        ExprKind::Constant(value) => ExprKind::Constant(value),
        _ => kind(Box::new(operand)),
    };
    Expr { kind, ty, span }
}

pub(super) fn permute(operand: Expr, permutation: Vec<usize>, span: Span) -> Expr {
    let shape = permutation
        .iter()
        .map(|&from| operand.ty.shape.get(from).copied().unwrap_or(1))
        .collect();
    let ty = ValueType {
        element: operand.ty.element,
        shape,
    };
    Expr {
        kind: ExprKind::Permute {
            operand: Box::new(operand),
            permutation,
        },
        ty,
        span,
    }
}

/// Conversion to another number type; of constants at once.
pub(super) fn cast(operand: Expr, element: ElementType) -> Expr {
    cast_rounding(operand, element, Rounding::NearestEven)
}

pub(super) fn cast_rounding(operand: Expr, element: ElementType, rounding: Rounding) -> Expr {
    if operand.ty.element == Element::Number(element) {
        return operand;
    }
    let ty = ValueType {
        element: Element::Number(element),
        shape: operand.ty.shape.clone(),
    };
    let span = operand.span;
    let kind = match operand.kind {
        ExprKind::Constant(value) if rounding == Rounding::NearestEven => {
            ExprKind::Constant(numbers::cast(value, element))
        }
        _ => ExprKind::Cast {
            operand: Box::new(operand),
            rounding,
        },
    };
    Expr { kind, ty, span }
}

pub(super) fn unary(operation: UnaryOperation, operand: Expr, span: Span) -> Expr {
    let ty = operand.ty.clone();
    Expr {
        kind: ExprKind::Unary {
            operation,
            operand: Box::new(operand),
        },
        ty,
        span,
    }
}

/// Both operands have one type.
pub(super) fn binary(operation: BinaryOperation, left: Expr, right: Expr, span: Span) -> Expr {
    let ty = left.ty.clone();
    let (left, right) = (Box::new(left), Box::new(right));
    Expr {
        kind: ExprKind::Binary {
            operation,
            left,
            right,
        },
        ty,
        span,
    }
}

/// Both hold; operands are `i1` of one shape.
pub(super) fn and(left: Expr, right: Expr, span: Span) -> Expr {
    binary(BinaryOperation::And, left, right, span)
}

/// Both operands have one type.
pub(super) fn compare(operation: CompareOperation, left: Expr, right: Expr, span: Span) -> Expr {
    let ty = ValueType {
        element: Element::Number(ElementType::I1),
        shape: left.ty.shape.clone(),
    };
    let (left, right) = (Box::new(left), Box::new(right));
    Expr {
        kind: ExprKind::Compare {
            operation,
            left,
            right,
        },
        ty,
        span,
    }
}

pub(super) fn select(condition: Expr, then: Expr, otherwise: Expr, span: Span) -> Expr {
    let ty = then.ty.clone();
    let kind = ExprKind::Select {
        condition: Box::new(condition),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    };
    Expr { kind, ty, span }
}

/// `variable = value`
pub(super) const fn assign(variable: VariableId, value: Expr) -> Stmt {
    let span = value.span;
    Stmt {
        kind: StmtKind::Assign { variable, value },
        span,
    }
}

/// The coordinate along `axis` of every element of a shape, `i32`.
pub(super) fn coordinate(shape: &[u64], axis: usize, span: Span) -> Expr {
    let size = shape.get(axis).copied().unwrap_or(1);
    let kind = ExprKind::Arange {
        lo: 0,
        hi: i64::try_from(size).unwrap_or(i64::MAX),
    };
    let ty = ValueType {
        element: Element::Number(ElementType::I32),
        shape: vec![size],
    };
    let mut count = Expr { kind, ty, span };
    for _ in axis + 1..shape.len() {
        let last = count.ty.shape.len();
        count = expand(count, last);
    }
    broadcast(count, shape)
}

/// The same bits as another element of the same width; an address counts as 64 bits.
pub(super) fn bitcast_to(operand: Expr, element: Element, span: Span) -> Expr {
    let shape = operand.ty.shape.clone();
    let kind = ExprKind::Bitcast(Box::new(operand));
    let ty = ValueType { element, shape };
    Expr { kind, ty, span }
}

/// Elements of the operand at these positions; see [`ExprKind::Gather`].
pub(super) fn gather(operand: Expr, indices: Vec<Expr>, shape: Vec<u64>, span: Span) -> Expr {
    let ty = ValueType {
        element: operand.ty.element,
        shape,
    };
    let kind = match operand.kind {
        // The same everywhere is the same anywhere.
        ExprKind::Constant(value) => ExprKind::Constant(value),
        _ => ExprKind::Gather {
            operand: Box::new(operand),
            indices,
        },
    };
    Expr { kind, ty, span }
}

/// The same integer in every element of a shape.
pub(super) fn full(value: i128, element: ElementType, shape: &[u64], span: Span) -> Expr {
    let ty = ValueType {
        element: Element::Number(element),
        shape: shape.to_vec(),
    };
    constant(Constant::Int(value), ty, span)
}

/// Same bits, other element of the same width.
pub(super) fn bitcast(operand: Expr, element: ElementType) -> Expr {
    if operand.ty.element == Element::Number(element) {
        return operand;
    }
    let ty = ValueType {
        element: Element::Number(element),
        shape: operand.ty.shape.clone(),
    };
    let span = operand.span;
    let kind = ExprKind::Bitcast(Box::new(operand));
    Expr { kind, ty, span }
}
