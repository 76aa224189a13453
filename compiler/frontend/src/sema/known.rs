//! Operators on what is known at compile time.

use tile_runtime::element::ElementType;

use super::arithmetic::undefined;
use super::elaborator::Elaborator;
use super::expressions::literal;
use super::numbers;
use super::operand::{Located, Number, Operand};
use super::promotion::{promote, promote_literal};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::BinaryOperator;
use crate::typed::{Constant, Element};

impl<'a> Elaborator<'a> {
    /// The result, if both operands are known at compile time.
    pub fn compile_time(
        &mut self,
        operator: BinaryOperator,
        left: &Located<'a>,
        right: &Located<'a>,
        span: Span,
    ) -> Option<Operand<'a>> {
        let equality = match operator {
            BinaryOperator::Equal => Some(true),
            BinaryOperator::NotEqual => Some(false),
            _ => None,
        };
        let known = match (&left.operand, &right.operand, equality) {
            (Operand::Str(left), Operand::Str(right), Some(equal)) => (left == right) == equal,
            (Operand::Type(left), Operand::Type(right), Some(equal)) => (left == right) == equal,
            (Operand::Bool(left), Operand::Bool(right), _) => match operator {
                BinaryOperator::Equal => left == right,
                BinaryOperator::NotEqual | BinaryOperator::BitXor => left != right,
                BinaryOperator::BitAnd => *left && *right,
                BinaryOperator::BitOr => *left || *right,
                _ => return None,
            },
            (left_operand, right_operand, _) => {
                let (a, b) = (left_operand.number()?, right_operand.number()?);
                return Some(self.compile_time_numbers(operator, (left, a), (right, b), span));
            }
        };
        Some(Operand::Bool(known))
    }

    fn compile_time_numbers(
        &mut self,
        operator: BinaryOperator,
        (left, a): (&Located<'a>, Number),
        (right, b): (&Located<'a>, Number),
        span: Span,
    ) -> Operand<'a> {
        let untyped =
            |operand: &Operand<'a>| matches!(operand, Operand::Int(_) | Operand::Float(_));
        if untyped(&left.operand) && untyped(&right.operand) {
            if let Some(result) = numbers::compare(operator, a.value, b.value) {
                return Operand::Bool(result);
            }
            return match numbers::literals(operator, a.value, b.value) {
                Ok(value) => literal(value),
                Err(problem) => self.error(messages::consts::arithmetic(
                    problem, operator, left, right, span,
                )),
            };
        }
        let division = matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder);
        let shift = matches!(
            operator,
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
        );
        let element = match (a.flexible, b.flexible) {
            _ if shift => Ok(a.element),
            (true, false) => promote_literal(b.element, a.element, division),
            (false, true) => promote_literal(a.element, b.element, division),
            _ if untyped(&left.operand) => promote_literal(b.element, a.element, division),
            _ if untyped(&right.operand) => promote_literal(a.element, b.element, division),
            _ => promote(a.element, b.element, division),
        };
        let element = match element {
            Ok(element) => element,
            Err(problem) => {
                return self.error(messages::types::no_common_type(
                    operator.symbol(),
                    left,
                    right,
                    problem,
                ));
            }
        };
        let amount = if shift && b.element.is_integer() {
            Some(b.value)
        } else {
            None
        };
        let (Some(a_value), Some(b_value)) = (
            self.fit(a.value, element, left.span),
            amount.or_else(|| self.fit(b.value, element, right.span)),
        ) else {
            return Operand::Error;
        };
        if let Some(result) = numbers::compare(operator, a_value, b_value) {
            return Operand::Bool(result);
        }
        if let Some(problem) = undefined(operator, Element::Number(element)) {
            return self.error(messages::types::operator_undefined(
                operator, left, right, problem, span,
            ));
        }
        match numbers::typed(operator, element, a_value, b_value) {
            Ok(value) => Operand::Number(Number {
                element,
                value,
                flexible: a.flexible && b.flexible,
            }),
            Err(problem) => self.error(messages::consts::arithmetic(
                problem, operator, left, right, span,
            )),
        }
    }

    /// A literal as a number of the type, or a report that it does not fit.
    pub fn fit(&mut self, value: Constant, element: ElementType, span: Span) -> Option<Constant> {
        match numbers::fit(value, element) {
            Ok(value) => Some(value),
            Err(misfit) => {
                let range = if element.is_integer() {
                    let (low, high) = numbers::integer_range(element);
                    format!("{low} to {high}")
                } else {
                    format!("numbers up to {:?}", numbers::largest_float(element))
                };
                self.report(messages::types::literal_misfit(
                    value, element, misfit, &range, span,
                ));
                None
            }
        }
    }
}
