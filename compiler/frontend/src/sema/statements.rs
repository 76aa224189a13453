//! Blocks and statements.

use tile_runtime::element::ElementType;

use super::elaborator::{Elaborator, FrameKind, Jump, Loop};
use super::operand::{Located, Operand};
use super::types::Annotation;
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, BinaryOperator, ExprKind, Pattern, Stmt, StmtKind, TypeExpr};
use crate::typed;

/// Whether control gets past a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    /// What follows is never reached.
    Stops,
}

impl<'a> Elaborator<'a> {
    /// The value of a block; [`Operand::Never`] if it ends in a jump.
    pub fn block(&mut self, block: &'a ast::Block, expected: Option<ElementType>) -> Operand<'a> {
        self.scoped(|this| {
            for statement in &block.statements {
                if this.is_exhausted() {
                    return Operand::Error;
                }
                if this.statement_stops(statement) {
                    return Operand::Never;
                }
            }
            match &block.tail {
                Some(tail) => this.expr_expecting(tail, expected),
                None => Operand::UNIT,
            }
        })
    }

    /// Whether control does not get past the statement.
    pub fn statement_stops(&mut self, statement: &'a Stmt) -> bool {
        self.statement(statement) == Flow::Stops
    }

    fn statement(&mut self, statement: &'a Stmt) -> Flow {
        match &statement.kind {
            StmtKind::Let { pattern, ty, value } => self.let_statement(pattern, ty.as_ref(), value),
            StmtKind::Assign {
                target,
                operator,
                value,
            } => self.assignment(target, *operator, value, statement.span),
            StmtKind::For {
                attributes,
                is_static,
                pattern,
                range,
                body,
            } => self.for_statement(attributes, *is_static, pattern, range, body, statement.span),
            StmtKind::While {
                attributes,
                condition,
                body,
            } => self.while_statement(attributes, condition, body, statement.span),
            StmtKind::Break => self.jump_in_loop(Jump::Break, statement.span),
            StmtKind::Continue => self.jump_in_loop(Jump::Continue, statement.span),
            StmtKind::Return(value) => self.return_statement(value.as_ref(), statement.span),
            StmtKind::Expr(expr) => self.expression_statement(expr),
            StmtKind::Error => Flow::Next,
        }
    }

    fn let_statement(
        &mut self,
        pattern: &'a Pattern,
        ty: Option<&'a TypeExpr>,
        value: &'a ast::Expr,
    ) -> Flow {
        self.check_pattern(pattern);
        let annotation = ty.map_or(Annotation::Any, |ty| self.annotation(ty));
        let operand = self.expr_expecting(value, annotation.element());
        if matches!(operand, Operand::Never) {
            return Flow::Stops;
        }
        let operand = self.conform(operand.at(value.span), &annotation);
        if let Operand::Tuple(items) = &operand
            && items.is_empty()
            && matches!(pattern, Pattern::Name { .. })
        {
            self.report(messages::types::binding_of_nothing(value.span));
            self.bind_poison(pattern);
            return Flow::Next;
        }
        self.bind_pattern(pattern, operand.at(value.span));
        Flow::Next
    }

    /// A name twice in one pattern.
    fn check_pattern(&mut self, pattern: &'a Pattern) {
        let mut names = Vec::new();
        pattern_names(pattern, &mut names);
        for (index, name) in names.iter().enumerate() {
            let earlier = names
                .iter()
                .take(index)
                .find(|earlier| earlier.text == name.text);
            if let Some(first) = earlier {
                self.report(messages::names::duplicate(
                    &name.text, name.span, first.span,
                ));
            }
        }
    }

    fn assignment(
        &mut self,
        target: &'a ast::Expr,
        operator: Option<BinaryOperator>,
        value: &'a ast::Expr,
        span: Span,
    ) -> Flow {
        let operand = match operator {
            None => {
                let expected = self.assigned_element(target);
                self.expr_expecting(value, expected)
            }
            Some(operator) => {
                if let ExprKind::Index { .. } = &target.kind {
                    self.report(messages::memory::assign_to_element(target.span));
                    return Flow::Next;
                }
                let mut operands = self.operands([target, value]).into_iter();
                match (operands.next(), operands.next()) {
                    (Some(left), Some(right)) => self.binary(operator, left, right, span),
                    _ => Operand::Error,
                }
            }
        };
        if matches!(operand, Operand::Never) {
            return Flow::Stops;
        }
        let at = if operator.is_some() { span } else { value.span };
        self.assign(target, operand.at(at));
        Flow::Next
    }

    /// The element of the variable that is assigned.
    fn assigned_element(&self, target: &ast::Expr) -> Option<ElementType> {
        let ExprKind::Name(name) = &target.kind else {
            return None;
        };
        match &self.scopes.find(self.environment, name)?.operand {
            Operand::Value(expr) => match expr.ty.element {
                typed::Element::Number(element) => Some(element),
                typed::Element::Pointer { .. } => None,
            },
            _ => None,
        }
    }

    fn expression_statement(&mut self, expr: &'a ast::Expr) -> Flow {
        let operand = match &expr.kind {
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.deeper(expr.span, |this| {
                this.conditional_statement(condition, then, otherwise.as_ref(), expr.span)
            }),
            _ => self.expr(expr),
        };
        match operand {
            Operand::Never => Flow::Stops,
            Operand::View(_) => {
                self.report(messages::memory::unused_view(expr.span));
                Flow::Next
            }
            _ => Flow::Next,
        }
    }

    fn jump_in_loop(&mut self, jump: Jump<'a>, span: Span) -> Flow {
        let frame = self.frame();
        match frame.loops.last_mut() {
            None => {
                self.report(messages::control::outside_loop(keyword(&jump), span));
                return Flow::Next;
            }
            Some(Loop::Running) => {
                let kind = match jump {
                    Jump::Break => typed::StmtKind::Break,
                    _ => typed::StmtKind::Continue,
                };
                self.emit(kind, span);
            }
            Some(Loop::Static(unrolled)) => {
                let stops = matches!(jump, Jump::Break);
                // Where the running program may have gone on to the next iteration, that iteration exists.
                if unrolled.control == frame.control && !(stops && unrolled.skips) {
                    frame.jump = Some(jump);
                    return Flow::Stops;
                }
                let label = if stops {
                    unrolled.stops = true;
                    unrolled.rounds
                } else {
                    unrolled.skips = true;
                    unrolled.round
                };
                self.emit(typed::StmtKind::Leave(label), span);
            }
        }
        Flow::Stops
    }

    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span) -> Flow {
        let expected = self.frame().returning.as_ref();
        let expected = expected.and_then(|returning| returning.expected);
        let value: Located<'a> = match value {
            Some(value) => self.expr_expecting(value, expected).at(value.span),
            None => Operand::UNIT.at(span),
        };
        let kind = self.frame().kind;
        match kind {
            FrameKind::Kernel => {
                let unit = matches!(&value.operand, Operand::Tuple(items) if items.is_empty());
                if !unit && !value.operand.is_poison() {
                    self.report(messages::control::kernel_returns_value(value.span));
                }
                self.emit(typed::StmtKind::Return, span);
            }
            FrameKind::Function if self.is_certain() => {
                self.frame().jump = Some(Jump::Return(value));
            }
            FrameKind::Function => self.return_early(value, span),
        }
        Flow::Stops
    }
}

const fn keyword(jump: &Jump<'_>) -> &'static str {
    match jump {
        Jump::Break => "break",
        Jump::Continue => "continue",
        Jump::Return(_) => "return",
    }
}

/// The names a pattern binds, in order.
pub(super) fn pattern_names<'a>(pattern: &'a Pattern, names: &mut Vec<&'a ast::Name>) {
    match pattern {
        Pattern::Wildcard(_) => {}
        Pattern::Name { name, .. } => names.push(name),
        Pattern::Tuple { items, .. } => {
            for item in items {
                pattern_names(item, names);
            }
        }
    }
}
