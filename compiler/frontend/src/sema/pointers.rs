//! Addresses: `p + i`, `p - i` and `p - q`, counted in elements, comparisons, and casts.
//!
//! An address is 64 bits. `p as i64` gives them as a number and `n as ptr<T>` takes them back, which is
//! how a table of addresses is read; `p as ptr<T>` changes what is at the address, not the address.

use tile_runtime::element::ElementType;

use super::arithmetic::comparison;
use super::build;
use super::elaborator::Elaborator;
use super::operand::{Located, Operand};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::BinaryOperator;
use crate::typed::{
    BinaryOperation, CompareOperation, Constant, Element, Expr, ExprKind, UnaryOperation,
};

impl<'a> Elaborator<'a> {
    pub fn pointer_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Located<'a>,
        right: Located<'a>,
        span: Span,
    ) -> Operand<'a> {
        if let (Operand::Value(first), Operand::Value(second)) = (&left.operand, &right.operand)
            && let (
                Element::Pointer { pointee, .. },
                Element::Pointer {
                    pointee: other_pointee,
                    ..
                },
            ) = (first.ty.element, second.ty.element)
            && pointee == other_pointee
        {
            let compares = comparison(operator);
            if compares.is_some() || operator == BinaryOperator::Subtract {
                return self.two_pointers(compares, pointee, [&left, &right], operator, span);
            }
        }
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

    /// A comparison of two addresses, or the elements between them.
    fn two_pointers(
        &mut self,
        comparison: Option<CompareOperation>,
        pointee: ElementType,
        operands: [&Located<'a>; 2],
        operator: BinaryOperator,
        span: Span,
    ) -> Operand<'a> {
        // Addresses have no sign; a distance does.
        let element = if comparison.is_some() {
            ElementType::U64
        } else {
            ElementType::I64
        };
        let numbers = operands
            .iter()
            .filter_map(|operand| match &operand.operand {
                Operand::Value(pointer) => Some(build::bitcast_to(
                    (**pointer).clone(),
                    Element::Number(element),
                    operand.span,
                )),
                _ => None,
            });
        let numbers = numbers.collect();
        let Some(values) = self.common_shape(numbers, &operands, operator.symbol()) else {
            return Operand::Error;
        };
        let Ok([left, right]) = <[Expr; 2]>::try_from(values) else {
            return Operand::Error;
        };
        if let Some(operation) = comparison {
            return Operand::value(build::compare(operation, left, right, span));
        }
        let bytes = build::binary(BinaryOperation::Subtract, left, right, span);
        let size = i128::from(pointee.bytes());
        let size = build::full(size, ElementType::I64, &bytes.ty.shape, span);
        Operand::value(build::binary(BinaryOperation::Divide, bytes, size, span))
    }

    /// `p as i64`.
    pub fn pointer_as_number(
        &mut self,
        located: &Located<'a>,
        element: ElementType,
        span: Span,
    ) -> Operand<'a> {
        match &located.operand {
            Operand::Value(pointer) if matches!(element, ElementType::I64 | ElementType::U64) => {
                let element = Element::Number(element);
                Operand::value(build::bitcast_to((**pointer).clone(), element, span))
            }
            _ => self.error(messages::types::cannot_cast(located, element)),
        }
    }

    /// `x as ptr<pointee>` or `x as mut ptr<pointee>`, of another address or of 64 bits.
    pub fn cast_to_pointer(
        &mut self,
        located: Located<'a>,
        pointee: ElementType,
        mutable: bool,
        span: Span,
    ) -> Operand<'a> {
        let wanted = Element::Pointer { pointee, mutable };
        let value = match &located.operand {
            operand if operand.is_poison() => return Operand::Error,
            Operand::Int(_) => self.value_as(&located, ElementType::I64),
            Operand::Value(_) | Operand::Number(_) => self.value(&located),
            _ => {
                return self.error(messages::types::cannot_become_pointer(wanted, &located));
            }
        };
        let Some(value) = value else {
            return Operand::Error;
        };
        match value.ty.element {
            Element::Number(ElementType::I64 | ElementType::U64) => {}
            // Through an integer everything goes; what looks harmless must be.
            Element::Pointer { mutable: false, .. } if mutable => {
                return self.error(messages::types::pointer_becomes_mutable(&located));
            }
            Element::Pointer { .. } => {}
            Element::Number(_) => {
                return self.error(messages::types::cannot_become_pointer(wanted, &located));
            }
        }
        if value.ty.element == wanted {
            return Operand::value(value);
        }
        Operand::value(build::bitcast_to(value, wanted, span))
    }
}

pub(super) fn is_pointer(operand: &Operand<'_>) -> bool {
    matches!(operand, Operand::Value(expr) if matches!(expr.ty.element, Element::Pointer { .. }))
}
