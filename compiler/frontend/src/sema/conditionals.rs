//! `if`: decided at compile time, or a branch of the running program whose values merge.

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::{Located, Operand};
use super::{build, promotion};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, ExprKind};
use crate::typed::{Block, Element, StmtKind};

/// A branch that was elaborated: its value and its statements.
pub(super) struct Branch<'a> {
    value: Located<'a>,
    block: Block,
}

impl<'a> Elaborator<'a> {
    /// What is taken of an `if` whose condition is known: a branch or nothing. Names are checked in the other branch.
    pub(super) fn taken(
        &mut self,
        condition: &Located<'a>,
        then: &'a ast::Block,
        otherwise: Option<&'a ast::Block>,
    ) -> Option<Option<&'a ast::Block>> {
        let Operand::Bool(holds) = condition.operand else {
            return None;
        };
        let (taken, skipped) = if holds {
            (Some(then), otherwise)
        } else {
            (otherwise, Some(then))
        };
        if let Some(skipped) = skipped {
            self.check_block_names(skipped);
        }
        Some(taken)
    }

    /// An `if` whose value is used.
    pub fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Block,
        otherwise: Option<&'a ast::Block>,
        expected: Option<ElementType>,
        span: Span,
    ) -> Operand<'a> {
        let decided = self.located(condition);
        if let Some(taken) = self.taken(&decided, then, otherwise) {
            return taken.map_or(Operand::UNIT, |taken| self.block(taken, expected));
        }
        let condition = self.condition(&decided, "if");
        let then = self.branch(then, |this, block| this.block(block, expected));
        let otherwise = match otherwise {
            Some(otherwise) => self.branch(otherwise, |this, block| this.block(block, expected)),
            None => Branch {
                value: Operand::UNIT.at(span),
                block: Block::default(),
            },
        };
        let Some(condition) = condition else {
            return Operand::Error;
        };
        self.join(condition, then, otherwise, expected, span)
    }

    /// An `if` whose value nobody wants: the branches may have different ones.
    pub fn conditional_statement(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Block,
        otherwise: Option<&'a ast::Block>,
        span: Span,
    ) -> Operand<'a> {
        let decided = self.located(condition);
        if let Some(taken) = self.taken(&decided, then, otherwise) {
            return taken.map_or(Operand::UNIT, |taken| self.block(taken, None));
        }
        let condition = self.condition(&decided, "if");
        let discard = |this: &mut Self, block: &'a ast::Block| match this.statement_block(block) {
            Operand::Never => Operand::Never,
            _ => Operand::UNIT,
        };
        let then = self.branch(then, discard);
        let otherwise = match otherwise {
            Some(otherwise) => self.branch(otherwise, discard),
            None => Branch {
                value: Operand::UNIT.at(span),
                block: Block::default(),
            },
        };
        let Some(condition) = condition else {
            return Operand::Error;
        };
        self.join(condition, then, otherwise, None, span)
    }

    /// A block whose tail, if it is an `if`, is a statement as well (`else if` chains).
    fn statement_block(&mut self, block: &'a ast::Block) -> Operand<'a> {
        match block.tail.as_deref() {
            Some(ast::Expr {
                kind:
                    ExprKind::If {
                        condition,
                        then,
                        otherwise,
                    },
                span,
            }) if block.statements.is_empty() => self.deeper(*span, |this| {
                this.conditional_statement(condition, then, otherwise.as_ref(), *span)
            }),
            _ => self.block(block, None),
        }
    }

    /// Elaborates one side of a run-time `if`.
    pub fn branch(
        &mut self,
        block: &'a ast::Block,
        inside: impl FnOnce(&mut Self, &'a ast::Block) -> Operand<'a>,
    ) -> Branch<'a> {
        let span = block.tail.as_ref().map_or(block.span, |tail| tail.span);
        self.branch_at(span, |this| inside(this, block))
    }

    /// The same; `span` is where its value is.
    pub fn branch_at(
        &mut self,
        span: Span,
        inside: impl FnOnce(&mut Self) -> Operand<'a>,
    ) -> Branch<'a> {
        let (value, block) = self.controlled(inside);
        Branch {
            value: value.at(span),
            block,
        }
    }

    /// Emits the `if` and makes one value of the values of its branches.
    pub fn join(
        &mut self,
        condition: crate::typed::Expr,
        mut then: Branch<'a>,
        mut otherwise: Branch<'a>,
        expected: Option<ElementType>,
        span: Span,
    ) -> Operand<'a> {
        let values = (then.value.clone(), otherwise.value.clone());
        let value = self.merge(
            values.0,
            values.1,
            expected,
            &mut then.block,
            &mut otherwise.block,
            span,
        );
        let (then, otherwise) = (then.block, otherwise.block);
        if !(then.statements.is_empty() && otherwise.statements.is_empty()) {
            self.emit(
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                },
                span,
            );
        }
        value
    }

    fn merge(
        &mut self,
        then: Located<'a>,
        otherwise: Located<'a>,
        expected: Option<ElementType>,
        then_block: &mut Block,
        otherwise_block: &mut Block,
        span: Span,
    ) -> Operand<'a> {
        match (&then.operand, &otherwise.operand) {
            (Operand::Error, _) | (_, Operand::Error) => return Operand::Error,
            (Operand::Never, _) => return otherwise.operand,
            (_, Operand::Never) => return then.operand,
            (Operand::Tuple(left), Operand::Tuple(right)) if left.len() == right.len() => {
                let pairs: Vec<_> = left.iter().cloned().zip(right.iter().cloned()).collect();
                let items = pairs
                    .into_iter()
                    .map(|(left, right)| {
                        let (left, right) = (left.at(then.span), right.at(otherwise.span));
                        self.merge(left, right, expected, then_block, otherwise_block, span)
                    })
                    .collect();
                return Operand::Tuple(items);
            }
            (Operand::Str(left), Operand::Str(right)) if left == right => return then.operand,
            (Operand::Type(left), Operand::Type(right)) if left == right => return then.operand,
            _ => {}
        }
        let is_value = |operand: &Operand<'a>| {
            matches!(operand, Operand::Value(_)) || operand.number().is_some()
        };
        if !is_value(&then.operand) || !is_value(&otherwise.operand) {
            return self.error(messages::control::branch_types(&then, &otherwise, span));
        }
        let element = self.branch_element(&then, &otherwise, expected);
        let mut convert = |located: &Located<'a>| match (element, &located.operand) {
            (Some(element), operand) if operand.number().is_some() => {
                self.value_as(located, element)
            }
            _ => self.value(located),
        };
        let (Some(left), Some(right)) = (convert(&then), convert(&otherwise)) else {
            return Operand::Error;
        };
        if left.ty != right.ty {
            return self.error(messages::control::branch_types(&then, &otherwise, span));
        }
        let result = self.temporary(left.ty.clone(), span);
        then_block.statements.push(build::assign(result, left));
        otherwise_block
            .statements
            .push(build::assign(result, right));
        Operand::value(self.read(result, span))
    }

    /// The element that literals at the ends of branches take.
    fn branch_element(
        &self,
        then: &Located<'a>,
        otherwise: &Located<'a>,
        expected: Option<ElementType>,
    ) -> Option<ElementType> {
        let firm = |located: &Located<'a>| match (&located.operand, located.operand.number()) {
            (Operand::Value(expr), _) => match expr.ty.element {
                Element::Number(element) => Some(element),
                Element::Pointer { .. } => None,
            },
            (_, Some(number)) if !number.flexible => Some(number.element),
            _ => None,
        };
        let flexible =
            |located: &Located<'a>| located.operand.number().filter(|number| number.flexible);
        match (firm(then), firm(otherwise)) {
            // A literal on one side becomes what the other side is, if it can.
            (Some(element), None) | (None, Some(element)) => {
                let literal = flexible(then).or_else(|| flexible(otherwise))?;
                (promotion::kind(literal.element) <= promotion::kind(element)).then_some(element)
            }
            (None, None) => match (flexible(then), flexible(otherwise)) {
                (Some(left), Some(right)) => {
                    let common = promotion::promote(left.element, right.element, false).ok()?;
                    match expected {
                        Some(expected) if promotion::kind(common) <= promotion::kind(expected) => {
                            Some(expected)
                        }
                        _ => Some(common),
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }
}
