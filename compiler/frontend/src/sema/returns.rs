//! The body of a function, with `return` from inside of `if`s.
//!
//! A function is inlined, so there is nothing to return from. Instead, what follows an `if` that may
//! return moves into the branches that do not:
//!
//! ```text
//! if c { return 1.0; }          if c { %3 = 1.0 }
//! let y = load(p);         ⇒    else { let y = load(p); %3 = y }
//! y
//! ```

use tile_runtime::element::ElementType;

use super::conditionals::Branch;
use super::elaborator::Elaborator;
use super::environment::Environment;
use super::leaving;
use super::operand::Operand;
use crate::diagnostic::Span;
use crate::syntax::ast::{self, Block, ExprKind, StmtKind};

/// What runs after a block that did not return: the rest of the block around it, and so on.
#[derive(Clone, Copy)]
struct Rest<'r, 'a> {
    block: &'a Block,
    from: usize,
    environment: Environment,
    outer: Option<&'r Rest<'r, 'a>>,
}

impl<'a> Elaborator<'a> {
    /// The value of a function with this body.
    pub fn function_block(
        &mut self,
        block: &'a Block,
        expected: Option<ElementType>,
    ) -> Operand<'a> {
        if leaving::returns_from_inside(block) {
            return self.leaving_block(block, expected);
        }
        self.scoped(|this| this.run(block, 0, None, expected))
    }

    fn run(
        &mut self,
        block: &'a Block,
        from: usize,
        rest: Option<&Rest<'_, 'a>>,
        expected: Option<ElementType>,
    ) -> Operand<'a> {
        for (index, statement) in block.statements.iter().enumerate().skip(from) {
            if self.is_exhausted() {
                return Operand::Error;
            }
            match &statement.kind {
                StmtKind::Return(Some(value)) => return self.expr_expecting(value, expected),
                StmtKind::Return(None) => return Operand::UNIT,
                StmtKind::Expr(expr) if may_return_expr(expr) => {
                    let environment = self.environment;
                    let after = Rest {
                        block,
                        from: index + 1,
                        environment,
                        outer: rest,
                    };
                    return self.run_expr(expr, Some(&after), expected);
                }
                _ if self.statement_stops(statement) => return Operand::Never,
                _ => {}
            }
        }
        match (&block.tail, rest) {
            (Some(tail), _) if may_return_expr(tail) => self.run_expr(tail, rest, expected),
            (Some(tail), None) => self.expr_expecting(tail, expected),
            (tail, Some(rest)) => {
                if let Some(tail) = tail {
                    self.expr(tail);
                }
                self.run_rest(rest, expected)
            }
            (None, None) => Operand::UNIT,
        }
    }

    /// An `if` or a block that may return, and what follows it.
    fn run_expr(
        &mut self,
        expr: &'a ast::Expr,
        rest: Option<&Rest<'_, 'a>>,
        expected: Option<ElementType>,
    ) -> Operand<'a> {
        match &expr.kind {
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.deeper(expr.span, |this| {
                this.run_if(
                    condition,
                    then,
                    otherwise.as_ref(),
                    rest,
                    expected,
                    expr.span,
                )
            }),
            ExprKind::Block(block) => self.scoped(|this| this.run(block, 0, rest, expected)),
            _ => self.expr(expr),
        }
    }

    fn run_if(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a Block,
        otherwise: Option<&'a Block>,
        rest: Option<&Rest<'_, 'a>>,
        expected: Option<ElementType>,
        span: Span,
    ) -> Operand<'a> {
        let decided = self.located(condition);
        if let Some(taken) = self.taken(&decided, then, otherwise) {
            return self.run_branch(taken, rest, expected);
        }
        let condition = self.condition(&decided, "if");
        let then = self.branch(then, |this, then| {
            this.run_branch(Some(then), rest, expected)
        });
        let otherwise: Branch<'a> = match otherwise {
            Some(block) => self.branch(block, |this, block| {
                this.run_branch(Some(block), rest, expected)
            }),
            None => {
                let at = rest.map_or(span, |rest| rest.block.span);
                self.branch_at(at, |this| this.run_branch(None, rest, expected))
            }
        };
        match condition {
            Some(condition) => self.join(condition, then, otherwise, expected, span),
            None => Operand::Error,
        }
    }

    /// A branch and what follows the `if`.
    fn run_branch(
        &mut self,
        block: Option<&'a Block>,
        rest: Option<&Rest<'_, 'a>>,
        expected: Option<ElementType>,
    ) -> Operand<'a> {
        self.scoped(|this| match (block, rest) {
            (Some(block), _) => this.run(block, 0, rest, expected),
            (None, Some(rest)) => this.run_rest(rest, expected),
            (None, None) => Operand::UNIT,
        })
    }

    fn run_rest(&mut self, rest: &Rest<'_, 'a>, expected: Option<ElementType>) -> Operand<'a> {
        self.scoped(|this| {
            this.environment = rest.environment;
            this.run(rest.block, rest.from, rest.outer, expected)
        })
    }
}

/// Whether there is a `return` in it that is not inside of a loop.
fn may_return(block: &Block) -> bool {
    let statement = |statement: &ast::Stmt| match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::Expr(expr) => may_return_expr(expr),
        _ => false,
    };
    block.statements.iter().any(statement) || block.tail.as_deref().is_some_and(may_return_expr)
}

fn may_return_expr(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::If {
            then, otherwise, ..
        } => may_return(then) || otherwise.as_ref().is_some_and(may_return),
        ExprKind::Block(block) => may_return(block),
        _ => false,
    }
}
