//! Jumps out of several constructs at once: `return` from a loop of a function, `break` and `continue`
//! of a `static for` under a run-time condition. What is left is put into a block with a label:
//!
//! ```text
//! for i in range(0, n) {               'l1: {
//!     if load(x + i) == 0.0 {              for i in range(0, n) {
//!         return i;                 ⇒          if load(x + i) == 0.0 { %2 = i; leave 'l1 }
//!     }                                    }
//! }                                        %2 = n
//! n                                    }
//! ```

use tile_runtime::element::ElementType;

use super::elaborator::{Elaborator, Loop};
use super::operand::{Located, Operand};
use super::{build, promotion};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast;
use crate::typed::{Block, Element, ExprKind, Label, StmtKind};

/// What a function gives that returns from inside of a loop.
#[derive(Debug)]
pub(super) struct Returning<'a> {
    /// The block around its body.
    label: Label,
    /// What literals become.
    pub expected: Option<ElementType>,
    /// Made of variables, by the first `return` that is not certain.
    result: Option<Located<'a>>,
}

impl<'a> Elaborator<'a> {
    /// A block, with its label if it may be left.
    pub fn labelled(&mut self, label: Label, mut body: Block, is_left: bool, span: Span) {
        if is_left {
            self.emit(StmtKind::Labelled { label, body }, span);
        } else {
            self.statements.append(&mut body.statements);
        }
    }

    /// The body of a function that may return from inside of its loops.
    pub fn leaving_block(
        &mut self,
        block: &'a ast::Block,
        expected: Option<ElementType>,
    ) -> Operand<'a> {
        let label = self.label();
        self.frame().returning = Some(Returning {
            label,
            expected,
            result: None,
        });
        let span = block.tail.as_ref().map_or(block.span, |tail| tail.span);
        let (value, body) = self.nested(|this| {
            let value = this.block(block, expected);
            let may_leave = |this: &mut Self| {
                let returning = this.frame().returning.as_ref();
                returning.is_some_and(|returning| returning.result.is_some())
            };
            if !value.is_poison() && may_leave(this) {
                this.give_result(value.clone().at(span));
            }
            value
        });
        let result = self.frame().returning.take();
        let result = result.and_then(|returning| returning.result);
        self.labelled(label, body, result.is_some(), span);
        match result {
            Some(_) if matches!(value, Operand::Error) => Operand::Error,
            Some(result) => result.operand,
            None => value,
        }
    }

    /// Whether a `return` here is the only way on: under no condition of the running program.
    pub fn is_certain(&mut self) -> bool {
        let frame = self.frame();
        let returning = frame.returning.as_ref();
        let is_first = returning.is_none_or(|returning| returning.result.is_none());
        let is_reached = |open: &Loop| match open {
            Loop::Running => false,
            Loop::Static(unrolled) => !unrolled.stops && !unrolled.skips,
        };
        frame.control == 0 && is_first && frame.loops.iter().all(is_reached)
    }

    /// `return` under conditions of the running program.
    pub fn return_early(&mut self, value: Located<'a>, span: Span) {
        let Some(label) = self
            .frame()
            .returning
            .as_ref()
            .map(|returning| returning.label)
        else {
            self.report(messages::support::nested_return(span));
            return;
        };
        if !value.operand.is_poison() {
            self.give_result(value);
        }
        self.emit(StmtKind::Leave(label), span);
    }

    /// Assigns the result; the first one says what it is made of.
    fn give_result(&mut self, value: Located<'a>) {
        let Some(returning) = &self.frame().returning else {
            return;
        };
        let (expected, result) = (returning.expected, returning.result.clone());
        let result = match result {
            Some(first) => {
                self.assign_result(&first, value);
                return;
            }
            None => self.first_result(value.operand, expected, value.span),
        };
        if let Some(returning) = &mut self.frame().returning {
            returning.result = Some(result.at(value.span));
        }
    }

    /// Variables for the numbers and addresses in an operand, with its values.
    fn first_result(
        &mut self,
        operand: Operand<'a>,
        expected: Option<ElementType>,
        span: Span,
    ) -> Operand<'a> {
        if let Operand::Tuple(items) = operand {
            let items = items.into_iter();
            let items = items.map(|item| self.first_result(item, None, span));
            return Operand::Tuple(items.collect());
        }
        let located = operand.at(span);
        let element = located.operand.number().filter(|number| number.flexible);
        let element = element.and_then(|number| {
            expected.filter(|wanted| promotion::kind(number.element) <= promotion::kind(*wanted))
        });
        let value = match (element, &located.operand) {
            (Some(element), _) => self.value_as(&located, element),
            (None, Operand::Value(_)) => self.value(&located),
            (None, operand) if operand.number().is_some() => self.value(&located),
            _ => return located.operand,
        };
        let Some(value) = value else {
            return Operand::Error;
        };
        let variable = self.temporary(value.ty.clone(), span);
        self.statements.push(build::assign(variable, value));
        Operand::value(self.read(variable, span))
    }

    /// Another value for the same variables.
    fn assign_result(&mut self, first: &Located<'a>, value: Located<'a>) {
        match (&first.operand, &value.operand) {
            (Operand::Error, _) => {}
            (Operand::Tuple(variables), Operand::Tuple(values))
                if variables.len() == values.len() =>
            {
                let pairs: Vec<_> = variables
                    .iter()
                    .cloned()
                    .zip(values.iter().cloned())
                    .collect();
                for (variable, item) in pairs {
                    self.assign_result(&variable.at(first.span), item.at(value.span));
                }
            }
            (Operand::Value(target), operand) => {
                let ExprKind::Variable(variable) = target.kind else {
                    return;
                };
                let given = match (operand.number(), target.ty.element) {
                    (Some(number), Element::Number(element))
                        if number.flexible && target.ty.shape.is_empty() =>
                    {
                        self.value_as(&value, element)
                    }
                    _ => self.value(&value),
                };
                let Some(given) = given else { return };
                if given.ty == target.ty {
                    self.statements.push(build::assign(variable, given));
                } else {
                    self.returns_differ(first, &value);
                }
            }
            (Operand::Str(left), Operand::Str(right)) if left == right => {}
            (Operand::Type(left), Operand::Type(right)) if left == right => {}
            _ => self.returns_differ(first, &value),
        }
    }

    fn returns_differ(&mut self, first: &Located<'a>, value: &Located<'a>) {
        self.report(messages::control::return_types(first, value));
    }
}

/// Whether there is a `return` in it that [`returns`](super::returns) does not see: in a loop, or in
/// an `if` whose value is used.
pub(super) fn returns_from_inside(block: &ast::Block) -> bool {
    block.statements.iter().any(inside_statement)
        || block.tail.as_deref().is_some_and(inside_branches)
}

fn inside_statement(statement: &ast::Stmt) -> bool {
    use ast::StmtKind as S;
    match &statement.kind {
        S::For { body, .. } | S::While { body, .. } => anywhere(body),
        S::Let { value, .. } | S::Assign { value, .. } => anywhere_in(value),
        S::Expr(expr) => inside_branches(expr),
        S::Return(_) | S::Break | S::Continue | S::Error => false,
    }
}

/// The same in the branches of an `if`, or in a block.
fn inside_branches(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::If {
            then, otherwise, ..
        } => returns_from_inside(then) || otherwise.as_ref().is_some_and(returns_from_inside),
        ast::ExprKind::Block(block) => returns_from_inside(block),
        _ => false,
    }
}

/// Whether there is any `return` in it.
fn anywhere(block: &ast::Block) -> bool {
    use ast::StmtKind as S;
    let statement = |statement: &ast::Stmt| match &statement.kind {
        S::Return(_) => true,
        S::Expr(expr) => anywhere_in(expr),
        _ => inside_statement(statement),
    };
    block.statements.iter().any(statement) || block.tail.as_deref().is_some_and(anywhere_in)
}

fn anywhere_in(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ast::ExprKind::If {
            then, otherwise, ..
        } => anywhere(then) || otherwise.as_ref().is_some_and(anywhere),
        ast::ExprKind::Block(block) => anywhere(block),
        _ => false,
    }
}
