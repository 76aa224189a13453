//! `assume(columns <= 4096)`: what a launch can check of what a kernel promises.
//!
//! A promise counts if every program gets to it, and if it compares what a launcher knows: sizes, integer parameters and
//! constants. The launch then refuses arguments for which it does not hold, before a program computes anything with them.
//! Other promises are the kernel's own; the interpreter checks those as well.

use std::collections::HashMap;

use tile_runtime::element::ElementType;
use tile_runtime::manifest::{Comparison, Promise};

use super::elaborator::Elaborator;
use crate::typed::{
    BinaryOperation, CompareOperation, Element, Expr, ExprKind, Stmt, StmtKind, VariableId,
};

impl Elaborator<'_> {
    /// Those among the statements of a kernel, in order.
    pub(super) fn promises(&self, statements: &[Stmt]) -> Vec<Promise> {
        let mut lets = HashMap::new();
        let mut promises = Vec::new();
        for statement in statements {
            match &statement.kind {
                StmtKind::Assign { variable, value } if !self.may_change(*variable) => {
                    lets.insert(*variable, value.clone());
                }
                StmtKind::Assume(condition) => self.promised(condition, &lets, &mut promises),
                // Some programs may not get further.
                _ if may_return(statement) => break,
                _ => {}
            }
        }
        promises
    }

    /// The comparisons of a condition, which hold together.
    fn promised(
        &self,
        condition: &Expr,
        lets: &HashMap<VariableId, Expr>,
        promises: &mut Vec<Promise>,
    ) {
        match &condition.kind {
            ExprKind::Variable(variable) => {
                if let Some(value) = lets.get(variable) {
                    self.promised(value, lets, promises);
                }
            }
            ExprKind::Binary {
                operation: BinaryOperation::And,
                left,
                right,
            } => {
                self.promised(left, lets, promises);
                self.promised(right, lets, promises);
            }
            ExprKind::Compare {
                operation,
                left,
                right,
            } if !may_wrap(left, lets) && !may_wrap(right, lets) => {
                let sides = (self.size_expr(left, lets), self.size_expr(right, lets));
                if let (Ok(left), Ok(right)) = sides {
                    promises.push(Promise {
                        left,
                        comparison: match operation {
                            CompareOperation::Equal => Comparison::Equal,
                            CompareOperation::NotEqual => Comparison::NotEqual,
                            CompareOperation::Less => Comparison::Less,
                            CompareOperation::LessEqual => Comparison::LessEqual,
                            CompareOperation::Greater => Comparison::Greater,
                            CompareOperation::GreaterEqual => Comparison::GreaterEqual,
                        },
                        right,
                    });
                }
            }
            _ => {}
        }
    }
}

fn may_return(statement: &Stmt) -> bool {
    let blocks = statement.blocks();
    let mut inside = blocks.iter().flat_map(|block| &block.statements);
    matches!(statement.kind, StmtKind::Return) || inside.any(may_return)
}

/// Whether a difference of unsigned numbers is in it: a launcher computes without wrapping, and such a difference is often
/// meant to wrap.
fn may_wrap(expr: &Expr, lets: &HashMap<VariableId, Expr>) -> bool {
    let is_unsigned = matches!(
        expr.ty.element,
        Element::Number(ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64)
    );
    match &expr.kind {
        ExprKind::Binary {
            operation: BinaryOperation::Subtract,
            ..
        } if is_unsigned => true,
        ExprKind::Variable(variable) => lets
            .get(variable)
            .is_some_and(|value| may_wrap(value, lets)),
        _ => expr
            .children()
            .into_iter()
            .any(|child| may_wrap(child, lets)),
    }
}
