//! Operators: common types, broadcasting, and the split between compile time and run time.

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::expressions::literal;
use super::operand::{Located, Number, Operand, scalar};
use super::promotion::{promote, promote_literal};
use super::{broadcast, build, numbers, order};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, BinaryOperator, UnaryOperator};
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, StmtKind, UnaryOperation,
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

    /// The result, if both operands are known at compile time.
    fn compile_time(
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

    /// Brings numbers to their common type and shape.
    pub fn common(
        &mut self,
        operands: &[&Located<'a>],
        division: bool,
        what: &str,
    ) -> Option<Vec<Expr>> {
        let element = self.common_element(operands, division, what)?;
        let values: Option<Vec<Expr>> = operands
            .iter()
            .map(|operand| self.value_as(operand, element))
            .collect();
        self.common_shape(values?, operands, what)
    }

    /// Brings values to their common shape.
    pub fn common_shape(
        &mut self,
        values: Vec<Expr>,
        operands: &[&Located<'a>],
        what: &str,
    ) -> Option<Vec<Expr>> {
        let mut shape: Vec<u64> = Vec::new();
        for (index, value) in values.iter().enumerate() {
            match broadcast::common(&shape, &value.ty.shape) {
                Ok(common) => shape = common,
                Err(dimension) => {
                    let earlier = operands.get(..index).unwrap_or_default();
                    let other = earlier.iter().zip(&values).rev().find(|(_, earlier)| {
                        broadcast::common(&earlier.ty.shape, &value.ty.shape).is_err()
                    });
                    let (span, ty) = other.map_or((value.span, &value.ty), |(located, value)| {
                        (located.span, &value.ty)
                    });
                    let here = operands
                        .get(index)
                        .map_or(value.span, |located| located.span);
                    self.report(messages::shapes::no_broadcast(
                        what,
                        (ty, span),
                        (&value.ty, here),
                        dimension,
                    ));
                    return None;
                }
            }
        }
        if let Some(located) = operands.first()
            && !self.check_elements(&shape, located.span)
        {
            return None;
        }
        Some(
            values
                .into_iter()
                .map(|value| build::broadcast(value, &shape))
                .collect(),
        )
    }

    pub fn common_element(
        &mut self,
        operands: &[&Located<'a>],
        division: bool,
        what: &str,
    ) -> Option<ElementType> {
        let mut firm: Option<(ElementType, &Located<'a>)> = None;
        let mut flexible: Option<(ElementType, &Located<'a>)> = None;
        for &located in operands {
            let (element, slot) = match (&located.operand, located.operand.number()) {
                (operand, _) if operand.is_poison() => return None,
                (_, Some(number)) if number.flexible => (number.element, &mut flexible),
                (_, Some(number)) => (number.element, &mut firm),
                (Operand::Value(expr), None) => match expr.ty.element {
                    Element::Number(element) => (element, &mut firm),
                    Element::Pointer { .. } => {
                        self.report(messages::types::pointer_in_arithmetic(what, located));
                        return None;
                    }
                },
                _ => {
                    self.report(messages::types::expected_number(located));
                    return None;
                }
            };
            // Division rounds once, at the end: 16-bit floats go to f32 below.
            *slot = Some(match *slot {
                None => (element, located),
                Some((other, earlier)) => match promote(other, element, division) {
                    Ok(common) => (common, located),
                    Err(problem) => {
                        self.report(messages::types::no_common_type(
                            what, earlier, located, problem,
                        ));
                        return None;
                    }
                },
            });
        }
        match (firm, flexible) {
            (Some((value, at)), Some((literal, literal_at))) => {
                match promote_literal(value, literal, division) {
                    Ok(element) => Some(element),
                    Err(problem) => {
                        self.report(messages::types::no_common_type(
                            what, at, literal_at, problem,
                        ));
                        None
                    }
                }
            }
            (Some((element, _)), None) | (None, Some((element, _))) => Some(element),
            (None, None) => None,
        }
    }

    /// The operand as a number of the element type: literals must fit, values are converted.
    pub fn value_as(&mut self, located: &Located<'a>, element: ElementType) -> Option<Expr> {
        match &located.operand {
            Operand::Value(expr) => Some(build::cast((**expr).clone(), element)),
            operand => {
                let number = operand.number()?;
                let value = if number.flexible {
                    self.fit(number.value, element, located.span)?
                } else {
                    numbers::cast(number.value, element)
                };
                Some(build::constant(value, scalar(element), located.span))
            }
        }
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
                build::constant(Constant::Int(by.min(most)), scalar(element), right.span)
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

    fn pointer_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Located<'a>,
        right: Located<'a>,
        span: Span,
    ) -> Operand<'a> {
        let (pointer, offset) = match (
            operator,
            is_pointer(&left.operand),
            is_pointer(&right.operand),
        ) {
            (BinaryOperator::Add, true, false) => (&left, &right),
            (BinaryOperator::Add, false, true) => (&right, &left),
            (BinaryOperator::Subtract, true, false) => (&left, &right),
            _ => {
                return self.error(messages::types::pointer_operator(
                    operator, &left, &right, span,
                ));
            }
        };
        let Operand::Value(pointer_value) = &pointer.operand else {
            return Operand::Error;
        };
        let Some(offset_value) = self.value(offset) else {
            return Operand::Error;
        };
        let element = match offset_value.ty.element {
            Element::Number(element) if element.is_integer() && element != ElementType::I1 => {
                element
            }
            _ => return self.error(messages::types::pointer_offset(offset)),
        };
        let wide = element.bits() == 64 || element == ElementType::U32;
        let mut offset_value = build::cast(
            offset_value,
            if wide {
                ElementType::I64
            } else {
                ElementType::I32
            },
        );
        if operator == BinaryOperator::Subtract {
            offset_value = match offset_value.kind {
                ExprKind::Constant(Constant::Int(value)) => Expr {
                    kind: ExprKind::Constant(Constant::Int(-value)),
                    ..offset_value
                },
                _ => build::unary(UnaryOperation::Negate, offset_value, offset.span),
            };
        }
        let values = vec![(**pointer_value).clone(), offset_value];
        let Some(values) = self.common_shape(values, &[pointer, offset], operator.symbol()) else {
            return Operand::Error;
        };
        let Ok([pointer, offset]) = <[Expr; 2]>::try_from(values) else {
            return Operand::Error;
        };
        let ty = pointer.ty.clone();
        let kind = ExprKind::PointerOffset {
            pointer: Box::new(pointer),
            offset: Box::new(offset),
        };
        Operand::value(Expr { kind, ty, span })
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

    /// `&&` and `||`: the right side is not evaluated when the left side decides.
    fn logical(
        &mut self,
        operator: BinaryOperator,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Operand<'a> {
        let decisive = operator == BinaryOperator::LogicalOr;
        let left = self.located(left);
        match left.operand {
            Operand::Bool(known) if known == decisive => {
                self.check_names(right);
                return Operand::Bool(decisive);
            }
            Operand::Bool(_) => {
                let right = self.located(right);
                return match right.operand {
                    Operand::Bool(known) => Operand::Bool(known),
                    _ => self
                        .condition(&right, operator.symbol())
                        .map_or(Operand::Error, Operand::value),
                };
            }
            _ => {}
        }
        let Some(condition) = self.condition(&left, operator.symbol()) else {
            self.located(right);
            return Operand::Error;
        };
        let ((right, value), mut block) = self.controlled(|this| {
            let right = this.located(right);
            let value = this.condition(&right, operator.symbol());
            (right, value)
        });
        let Some(value) = value else {
            return Operand::Error;
        };
        if block.statements.is_empty() && !order::is_guarded(&value) {
            if let Operand::Bool(known) = right.operand {
                return if known == decisive {
                    Operand::Bool(known)
                } else {
                    Operand::value(condition)
                };
            }
            let operation = if decisive {
                BinaryOperation::Or
            } else {
                BinaryOperation::And
            };
            return Operand::value(build::binary(operation, condition, value, span));
        }
        let result = self.temporary(condition.ty.clone(), span);
        block.statements.push(assign(result, value));
        let known = build::integer(i128::from(decisive), ElementType::I1, span);
        let other = crate::typed::Block {
            statements: vec![assign(result, known)],
        };
        let (then, otherwise) = if decisive {
            (other, block)
        } else {
            (block, other)
        };
        self.emit(
            StmtKind::If {
                condition,
                then,
                otherwise,
            },
            span,
        );
        Operand::value(self.read(result, span))
    }
}

pub(super) const fn assign(variable: crate::typed::VariableId, value: Expr) -> crate::typed::Stmt {
    let span = value.span;
    crate::typed::Stmt {
        kind: StmtKind::Assign { variable, value },
        span,
    }
}

pub(super) fn is_pointer(operand: &Operand<'_>) -> bool {
    matches!(operand, Operand::Value(expr) if matches!(expr.ty.element, Element::Pointer { .. }))
}

const fn is_integer(element: Element) -> bool {
    matches!(element, Element::Number(element) if element.is_integer())
}

const fn is_zero(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(Constant::Int(0)))
}

const fn comparison(operator: BinaryOperator) -> Option<CompareOperation> {
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
const fn undefined(
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
