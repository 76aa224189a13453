//! Evaluation order: operands left to right, even when a later one emits statements.
//!
//! ```text
//! x + { x = 1; x }     the `x` on the left is read before the assignment:
//!   ⇒  %5 = x; x = 1;  %5 + x
//! ```

use super::elaborator::Elaborator;
use super::operand::{Located, Operand};
use crate::diagnostic::Span;
use crate::syntax::ast;
use crate::typed::{Block, Expr, ExprKind, StmtKind, View, ViewIndex};

impl<'a> Elaborator<'a> {
    /// Elaborates expressions in order.
    pub fn operands(&mut self, exprs: impl IntoIterator<Item = &'a ast::Expr>) -> Vec<Located<'a>> {
        let mut operands = Vec::new();
        for expr in exprs {
            let mark = self.statements.len();
            let operand = self.expr(expr);
            self.protect(&mut operands, mark);
            operands.push(operand.at(expr.span));
        }
        operands
    }

    /// Operands were elaborated before the statements from `mark` on were emitted. Those that would
    /// now see the effects of the statements are computed before them.
    pub fn protect(&mut self, operands: &mut [Located<'a>], mark: usize) {
        if !self
            .statements
            .iter()
            .skip(mark)
            .any(|statement| self.has_effect(&statement.kind))
        {
            return;
        }
        let later = self.statements.split_off(mark);
        for located in operands {
            if self.operand_is_fragile(&located.operand) {
                let operand = std::mem::replace(&mut located.operand, Operand::Error);
                located.operand = self.once_operand(operand, None);
            }
        }
        self.statements.extend(later);
    }

    /// Whether it can change what an expression before it would read.
    fn has_effect(&self, statement: &StmtKind) -> bool {
        match statement {
            StmtKind::Assign { variable, .. } => self.may_change(*variable),
            StmtKind::Asm { asm, .. } => asm.effects,
            StmtKind::AssignMany { .. }
            | StmtKind::Assume(_)
            | StmtKind::Assert { .. }
            | StmtKind::Print { .. }
            | StmtKind::Prefetch { .. } => false,
            _ => true,
        }
    }

    fn operand_is_fragile(&self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Value(expr) => self.is_fragile(expr),
            Operand::View(view) => self.view_is_fragile(&view.view),
            Operand::Tuple(items) => items.iter().any(|item| self.operand_is_fragile(item)),
            Operand::List(items) => items
                .iter()
                .any(|item| self.operand_is_fragile(&item.operand)),
            _ => false,
        }
    }

    fn view_is_fragile(&self, view: &View) -> bool {
        view.indices.iter().any(|index| match index {
            ViewIndex::At(expr)
            | ViewIndex::Range { start: expr, .. }
            | ViewIndex::Gather(expr) => self.is_fragile(expr),
        })
    }

    /// Whether it reads memory or a variable that may be assigned again.
    fn is_fragile(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Load { .. } | ExprKind::LoadView { .. } => true,
            ExprKind::Variable(variable) => self.may_change(*variable),
            _ => expr
                .children()
                .into_iter()
                .any(|child| self.is_fragile(child)),
        }
    }
}

/// Whether computing it where the program would not have is wrong: it reads memory, or divides
/// integers (by zero is undefined).
pub(super) fn is_guarded(expr: &Expr) -> bool {
    use crate::typed::BinaryOperation::{CeilDivide, Divide, Remainder};
    match &expr.kind {
        ExprKind::Load { .. } | ExprKind::LoadView { .. } => true,
        ExprKind::Binary {
            operation: Divide | CeilDivide | Remainder,
            ..
        } => true,
        _ => expr.children().into_iter().any(is_guarded),
    }
}

/// Where a block computes with tiles, if it does.
pub(super) fn find_tile(block: &Block) -> Option<Span> {
    block
        .statements
        .iter()
        .find_map(|statement| match &statement.kind {
            StmtKind::Assign { value, .. } => find_tile_expr(value),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => find_tile_expr(condition)
                .or_else(|| find_tile(then))
                .or_else(|| find_tile(otherwise)),
            StmtKind::For { body, .. } => find_tile(body),
            StmtKind::While {
                condition,
                test,
                body,
            } => find_tile(condition)
                .or_else(|| find_tile_expr(test))
                .or_else(|| find_tile(body)),
            StmtKind::AssignMany { .. } => Some(statement.span),
            _ => None,
        })
}

/// The same for an expression.
pub(super) fn find_tile_expr(expr: &Expr) -> Option<Span> {
    if !expr.ty.shape.is_empty() {
        return Some(expr.span);
    }
    if expr.is_load() {
        return None;
    }
    expr.children().into_iter().find_map(find_tile_expr)
}
