//! `&&` and `||`: the right side is not evaluated when the left side decides.
//!
//! ```text
//! i < n && load(p + i) > 0      ⇒  if i < n { %4 = load(p + i) > 0 } else { %4 = false }
//! i < n && i > 0                ⇒  i < n & i > 0
//! ```

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::Operand;
use super::{build, order};
use crate::diagnostic::Span;
use crate::syntax::ast::{self, BinaryOperator};
use crate::typed::{BinaryOperation, Block, StmtKind};

impl<'a> Elaborator<'a> {
    /// `&&` and `||`: the right side is not evaluated when the left side decides.
    pub fn logical(
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
        block.statements.push(build::assign(result, value));
        let known = build::integer(i128::from(decisive), ElementType::I1, span);
        let other = Block {
            statements: vec![build::assign(result, known)],
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
