//! Addresses: `p + i` and `p - i`, counted in elements.

use tile_runtime::element::ElementType;

use super::build;
use super::elaborator::Elaborator;
use super::operand::{Located, Operand};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::BinaryOperator;
use crate::typed::{Constant, Element, Expr, ExprKind, UnaryOperation};

impl<'a> Elaborator<'a> {
    pub fn pointer_arithmetic(
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
                // The smallest i32 has no opposite: negate with room to spare.
                _ => {
                    let wide = build::cast(offset_value, ElementType::I64);
                    build::unary(UnaryOperation::Negate, wide, offset.span)
                }
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
}

pub(super) fn is_pointer(operand: &Operand<'_>) -> bool {
    matches!(operand, Operand::Value(expr) if matches!(expr.ty.element, Element::Pointer { .. }))
}
