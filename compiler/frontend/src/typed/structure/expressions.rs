//! The expressions that flags and counters are made of.

use std::collections::BTreeSet;

use tile_runtime::element::ElementType;

use crate::diagnostic::Span;
use crate::typed::walk::with_nested;
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, Rounding, Stmt, StmtKind,
    UnaryOperation, ValueType, VariableId,
};

/// The value of an integer constant.
pub(super) fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Constant(Constant::Int(value)) => i64::try_from(*value).ok(),
        ExprKind::Cast { operand, .. } => constant(operand),
        _ => None,
    }
}

/// Whether a value is known not to be zero: the number of programs, and what is assigned nothing else.
pub(super) fn is_never_zero(expr: &Expr, variables: &BTreeSet<VariableId>) -> bool {
    match &expr.kind {
        ExprKind::Constant(Constant::Int(value)) => *value != 0,
        ExprKind::NumPrograms(_) => true,
        ExprKind::Variable(variable) => variables.contains(variable),
        // A wider type keeps the value.
        ExprKind::Cast { operand, .. } => {
            operand.ty.element == Element::Number(ElementType::I32)
                && matches!(expr.ty.element, Element::Number(ElementType::I64))
                && is_never_zero(operand, variables)
        }
        _ => false,
    }
}

/// The variables that are assigned no zero, as far as [`is_never_zero`] sees.
pub(super) fn never_zero(statements: &[Stmt]) -> BTreeSet<VariableId> {
    let mut variables = BTreeSet::new();
    let mut others = BTreeSet::new();
    for statement in with_nested(statements) {
        if let StmtKind::Assign { variable, value } = &statement.kind {
            if is_never_zero(value, &variables) {
                variables.insert(*variable);
            } else {
                others.insert(*variable);
            }
        }
    }
    variables.retain(|variable| !others.contains(variable));
    variables
}

/// Whether a loop at `at` has another iteration. A step that is not known may be negative; one of 0 is
/// an error of the program, and ends the loop.
pub(super) fn inside(at: &Expr, end: &Expr, by: &Expr) -> Expr {
    use CompareOperation::{Greater, Less};
    let up = compare(Less, at.clone(), end.clone());
    let down = compare(Greater, at.clone(), end.clone());
    match constant(by) {
        Some(step) if step > 0 => up,
        Some(_) => down,
        None => {
            let zero = || wide(0, by.span);
            let up = both(up, compare(Greater, by.clone(), zero()));
            let down = both(down, compare(Less, by.clone(), zero()));
            binary(BinaryOperation::Or, up, down)
        }
    }
}

/// How many iterations a loop has: the distance over the step, rounded up; negative if none.
pub(super) fn rounds(at: &Expr, end: &Expr, by: &Expr) -> Expr {
    let span = by.span;
    let is_up = compare(CompareOperation::Greater, by.clone(), wide(0, span));
    let subtract = |a: &Expr, b: &Expr| binary(BinaryOperation::Subtract, a.clone(), b.clone());
    let step = select(is_up.clone(), by.clone(), subtract(&wide(0, span), by));
    let is_zero = compare(CompareOperation::Equal, by.clone(), wide(0, span));
    let step = select(is_zero.clone(), wide(1, span), step);
    let distance = select(is_up, subtract(end, at), subtract(at, end));
    let distance = select(is_zero, wide(0, span), distance);
    let last = subtract(&step, &wide(1, span));
    binary(BinaryOperation::Divide, add(distance, last), step)
}

pub(super) fn scalar(element: ElementType) -> ValueType {
    ValueType {
        element: Element::Number(element),
        shape: Vec::new(),
    }
}

pub(super) fn expr(kind: ExprKind, ty: ValueType, span: Span) -> Expr {
    Expr { kind, ty, span }
}

pub(super) fn variable(id: VariableId, ty: ValueType, span: Span) -> Expr {
    expr(ExprKind::Variable(id), ty, span)
}

pub(super) fn read_wide(id: VariableId, span: Span) -> Expr {
    variable(id, scalar(ElementType::I64), span)
}

pub(super) fn wide(value: i64, span: Span) -> Expr {
    let value = Constant::Int(i128::from(value));
    expr(ExprKind::Constant(value), scalar(ElementType::I64), span)
}

pub(super) fn truth(value: bool, span: Span) -> Expr {
    let value = Constant::Int(i128::from(value));
    expr(ExprKind::Constant(value), scalar(ElementType::I1), span)
}

pub(super) fn assign(variable: VariableId, value: Expr) -> Stmt {
    let span = value.span;
    Stmt {
        kind: StmtKind::Assign { variable, value },
        span,
    }
}

pub(super) fn set(flag: VariableId, value: bool, span: Span) -> Stmt {
    assign(flag, truth(value, span))
}

pub(super) fn binary(operation: BinaryOperation, left: Expr, right: Expr) -> Expr {
    let (ty, span) = (left.ty.clone(), left.span);
    let (left, right) = (Box::new(left), Box::new(right));
    let kind = ExprKind::Binary {
        operation,
        left,
        right,
    };
    expr(kind, ty, span)
}

pub(super) fn both(left: Expr, right: Expr) -> Expr {
    match right.kind {
        ExprKind::Constant(Constant::Int(1)) => left,
        _ => binary(BinaryOperation::And, left, right),
    }
}

pub(super) fn add(left: Expr, right: Expr) -> Expr {
    binary(BinaryOperation::Add, left, right)
}

pub(super) fn multiply(left: Expr, right: Expr) -> Expr {
    binary(BinaryOperation::Multiply, left, right)
}

pub(super) fn not(operand: Expr) -> Expr {
    let (ty, span) = (operand.ty.clone(), operand.span);
    let operation = UnaryOperation::Not;
    let operand = Box::new(operand);
    expr(ExprKind::Unary { operation, operand }, ty, span)
}

pub(super) fn compare(operation: CompareOperation, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    let (left, right) = (Box::new(left), Box::new(right));
    let kind = ExprKind::Compare {
        operation,
        left,
        right,
    };
    expr(kind, scalar(ElementType::I1), span)
}

pub(super) fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    let (ty, span) = (then.ty.clone(), then.span);
    let kind = ExprKind::Select {
        condition: Box::new(condition),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    };
    expr(kind, ty, span)
}

pub(super) fn cast(operand: Expr, element: ElementType) -> Expr {
    if operand.ty.element == Element::Number(element) {
        return operand;
    }
    let (ty, span) = (scalar(element), operand.span);
    let kind = ExprKind::Cast {
        operand: Box::new(operand),
        rounding: Rounding::NearestEven,
    };
    expr(kind, ty, span)
}

/// A 64-bit count in the type of the loop's variable.
pub(super) fn narrow(value: Expr, ty: &ValueType) -> Expr {
    match ty.element {
        Element::Number(element) => cast(value, element),
        Element::Pointer { .. } => value,
    }
}
