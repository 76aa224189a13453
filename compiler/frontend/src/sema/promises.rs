//! `assume(columns <= 4096)`: what a launch can check of what a kernel promises.
//!
//! A promise counts if every program gets to it, and if it compares what a launcher knows: sizes, integer parameters and
//! constants. The launch then refuses arguments for which it does not hold, before a program computes anything with them.
//! Other promises are the kernel's own; the interpreter checks those as well.

use tile_runtime::manifest::{Comparison, Promise};

use super::elaborator::Elaborator;
use super::grid::{Lets, Reading};
use crate::typed::{BinaryOperation, CompareOperation, Element, Expr, ExprKind, Stmt, StmtKind};

impl Elaborator<'_> {
    /// Those among the statements of a kernel, in order.
    pub(super) fn promises(&self, statements: &[Stmt]) -> Vec<Promise> {
        let mut lets = Lets::new();
        let mut promises = Vec::new();
        for statement in statements {
            match &statement.kind {
                StmtKind::Assign { variable, value } if !self.may_change(*variable) => {
                    lets.insert(*variable, value);
                }
                StmtKind::Assume(condition) => {
                    self.promised(condition, &mut Reading::new(&lets), &mut promises);
                }
                // Some programs may not get further.
                _ if may_return(statement) => break,
                _ => {}
            }
        }
        promises
    }

    /// The comparisons of a condition, which hold together.
    fn promised(&self, condition: &Expr, reading: &mut Reading<'_>, promises: &mut Vec<Promise>) {
        if reading.step().is_none() {
            return;
        }
        match &condition.kind {
            ExprKind::Variable(variable) => {
                if let Some(value) = reading.lets.get(variable) {
                    self.promised(value, reading, promises);
                }
            }
            ExprKind::Binary {
                operation: BinaryOperation::And,
                left,
                right,
            } => {
                self.promised(left, reading, promises);
                self.promised(right, reading, promises);
            }
            ExprKind::Compare {
                operation,
                left,
                right,
            } if !may_wrap(left, reading) && !may_wrap(right, reading) => {
                let left = self.size_expr(left, reading);
                if let (Ok(left), Ok(right)) = (left, self.size_expr(right, reading)) {
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

/// Whether a difference of unsigned numbers is in it, or it is too long to tell: a launcher computes without wrapping, and such
/// a difference is often meant to wrap.
fn may_wrap(expr: &Expr, reading: &mut Reading<'_>) -> bool {
    if reading.step().is_none() {
        return true;
    }
    let is_difference = matches!(
        expr.kind,
        ExprKind::Binary {
            operation: BinaryOperation::Subtract,
            ..
        }
    );
    let is_unsigned = matches!(expr.ty.element, Element::Number(number) if number.is_integer() && !number.is_signed());
    match &expr.kind {
        _ if is_difference && is_unsigned => true,
        ExprKind::Variable(variable) => match reading.lets.get(variable) {
            Some(value) => may_wrap(value, reading),
            None => false,
        },
        _ => expr
            .children()
            .into_iter()
            .any(|child| may_wrap(child, reading)),
    }
}
