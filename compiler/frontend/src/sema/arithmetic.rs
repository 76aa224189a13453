//! Operators: what is known is computed, the rest becomes a typed expression.

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::{Located, Number, Operand, tile};
use super::pointers::is_pointer;
use super::{build, numbers};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, BinaryOperator, UnaryOperator};
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, UnaryOperation,
};

impl<'a> Elaborator<'a> {
    pub fn binary_expr(
        &mut self,
        operator: BinaryOperator,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Operand<'a> {
        if matches!(
            operator,
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr
        ) {
            return self.logical(operator, left, right, span);
        }
        let mut operands = self.operands([left, right]).into_iter();
        match (operands.next(), operands.next()) {
            (Some(left), Some(right)) => self.binary(operator, left, right, span),
            _ => Operand::Error,
        }
    }

    /// `left operator right`, except `&&` and `||`.
    pub fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Located<'a>,
        right: Located<'a>,
        span: Span,
    ) -> Operand<'a> {
        if left.operand.is_poison() || right.operand.is_poison() {
            return Operand::Error;
        }
        if let Some(result) = self.compile_time(operator, &left, &right, span) {
            return result;
        }
        if is_pointer(&left.operand) || is_pointer(&right.operand) {
            return self.pointer_arithmetic(operator, left, right, span);
        }
        if matches!(
            operator,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
        ) {
            return self.shift(operator, left, right, span);
        }
        let division = matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder);
        let Some(operands) = self.common(&[&left, &right], division, operator.symbol()) else {
            return Operand::Error;
        };
        let Ok([left_value, right_value]) = <[Expr; 2]>::try_from(operands) else {
            return Operand::Error;
        };
        let element = left_value.ty.element;
        if let Some(operation) = comparison(operator) {
            return Operand::value(build::compare(operation, left_value, right_value, span));
        }
        let Some(operation) = operation(operator) else {
            return Operand::Error;
        };
        if let Some(problem) = undefined(operator, element) {
            return self.error(messages::types::operator_undefined(
                operator, &left, &right, problem, span,
            ));
        }
        if division && is_zero(&right_value) && is_integer(element) {
            return self.error(messages::consts::division_by_zero(right.span));
        }
        Operand::value(build::binary(operation, left_value, right_value, span))
    }

    fn shift(
        &mut self,
        operator: BinaryOperator,
        left: Located<'a>,
        right: Located<'a>,
        span: Span,
    ) -> Operand<'a> {
        let (Some(value), Some(amount)) = (self.value(&left), self.value(&right)) else {
            return Operand::Error;
        };
        let (Element::Number(element), Element::Number(by)) = (value.ty.element, amount.ty.element)
        else {
            return Operand::Error;
        };
        // A literal on the left of a run-time amount has the amount's type.
        let element = if left.operand.number().is_some_and(|number| number.flexible) {
            by
        } else {
            element
        };
        if element.is_float() || by.is_float() || element == ElementType::I1 {
            let problem = messages::types::Undefined::IntegersOnly;
            return self.error(messages::types::operator_undefined(
                operator, &left, &right, problem, span,
            ));
        }
        if right.operand.integer().is_some_and(|amount| amount < 0) {
            return self.error(messages::consts::negative_shift(right.span));
        }
        let most = i128::from(element.bits());
        let amount = match amount.kind {
            ExprKind::Constant(Constant::Int(by)) => {
                let ty = tile(element, amount.ty.shape);
                build::constant(Constant::Int(by.min(most)), ty, right.span)
            }
            _ => build::cast(amount, element),
        };
        let Some(value) = self.value_as(&left, element) else {
            return Operand::Error;
        };
        let Some(operands) =
            self.common_shape(vec![value, amount], &[&left, &right], operator.symbol())
        else {
            return Operand::Error;
        };
        match (<[Expr; 2]>::try_from(operands), operation(operator)) {
            (Ok([value, amount]), Some(operation)) => {
                Operand::value(build::binary(operation, value, amount, span))
            }
            _ => Operand::Error,
        }
    }

    pub fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: Located<'a>,
        span: Span,
    ) -> Operand<'a> {
        if operand.operand.is_poison() {
            return Operand::Error;
        }
        match (operator, &operand.operand) {
            (UnaryOperator::Not, Operand::Bool(value)) => return Operand::Bool(!value),
            (UnaryOperator::Not, Operand::Int(value)) => return Operand::Int(!value),
            (UnaryOperator::Negate, Operand::Float(value)) => return Operand::Float(-value),
            (UnaryOperator::Negate, Operand::Int(value)) => {
                return match value.checked_neg() {
                    Some(value) => Operand::Int(value),
                    None => self.error(messages::consts::literal_too_large(span)),
                };
            }
            _ => {}
        }
        let Some(value) = self.value(&operand) else {
            return Operand::Error;
        };
        let Element::Number(element) = value.ty.element else {
            return self.error(messages::types::pointer_in_arithmetic("-", &operand));
        };
        let operation = match operator {
            UnaryOperator::Negate if element.is_float() || element.is_signed() => {
                UnaryOperation::Negate
            }
            UnaryOperator::Not if element.is_integer() => UnaryOperation::Not,
            UnaryOperator::Negate => {
                return self.error(messages::types::negate_undefined(&operand, span));
            }
            UnaryOperator::Not => {
                return self.error(messages::types::not_undefined(&operand, span));
            }
        };
        if let Some(number) = operand.operand.number() {
            let value = match (operator, number.value) {
                (UnaryOperator::Negate, Constant::Int(value)) => {
                    Constant::Int(value.saturating_neg())
                }
                (UnaryOperator::Negate, Constant::Float(value)) => Constant::Float(-value),
                (UnaryOperator::Not, Constant::Int(value)) => {
                    numbers::cast(Constant::Int(!value), element)
                }
                (UnaryOperator::Not, value) => value,
            };
            return match self.fit(value, element, span) {
                Some(value) => Operand::Number(Number { value, ..number }),
                None => Operand::Error,
            };
        }
        Operand::value(build::unary(operation, value, span))
    }
}

const fn is_integer(element: Element) -> bool {
    matches!(element, Element::Number(element) if element.is_integer())
}

const fn is_zero(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(Constant::Int(0)))
}

pub(super) const fn comparison(operator: BinaryOperator) -> Option<CompareOperation> {
    Some(match operator {
        BinaryOperator::Equal => CompareOperation::Equal,
        BinaryOperator::NotEqual => CompareOperation::NotEqual,
        BinaryOperator::Less => CompareOperation::Less,
        BinaryOperator::LessEqual => CompareOperation::LessEqual,
        BinaryOperator::Greater => CompareOperation::Greater,
        BinaryOperator::GreaterEqual => CompareOperation::GreaterEqual,
        _ => return None,
    })
}

const fn operation(operator: BinaryOperator) -> Option<BinaryOperation> {
    Some(match operator {
        BinaryOperator::Add => BinaryOperation::Add,
        BinaryOperator::Subtract => BinaryOperation::Subtract,
        BinaryOperator::Multiply => BinaryOperation::Multiply,
        BinaryOperator::Divide => BinaryOperation::Divide,
        BinaryOperator::Remainder => BinaryOperation::Remainder,
        BinaryOperator::BitAnd => BinaryOperation::And,
        BinaryOperator::BitOr => BinaryOperation::Or,
        BinaryOperator::BitXor => BinaryOperation::Xor,
        BinaryOperator::ShiftLeft => BinaryOperation::ShiftLeft,
        BinaryOperator::ShiftRight => BinaryOperation::ShiftRight,
        _ => return None,
    })
}

/// Why the operator does not exist for the (common) element, if it does not.
pub(super) const fn undefined(
    operator: BinaryOperator,
    element: Element,
) -> Option<messages::types::Undefined> {
    use messages::types::Undefined;
    let Element::Number(element) = element else {
        return None;
    };
    match operator {
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Remainder => {
            if matches!(element, ElementType::I1) {
                Some(Undefined::NotOnBool)
            } else {
                None
            }
        }
        BinaryOperator::BitAnd | BinaryOperator::BitOr | BinaryOperator::BitXor => {
            if element.is_float() {
                Some(Undefined::IntegersOnly)
            } else {
                None
            }
        }
        _ => None,
    }
}
