//! `for`, `static for` and `while`.

use tile_runtime::element::ElementType;

use super::elaborator::{Elaborator, Jump, Loop, Unrolled};
use super::operand::{Located, Number, Operand, scalar};
use super::statements::Flow;
use super::{build, builtins};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, Attribute, ExprKind, Pattern};
use crate::typed::{Constant, Element, Expr, StmtKind, may_end_early};

/// Iterations of one `static for`.
const MAXIMUM_ROUNDS: i128 = 4096;

/// How an iteration of an unrolled loop ended.
enum Round {
    Next,
    /// With `break`.
    Last,
    /// With a jump out of the loop.
    Stops,
}

impl<'a> Elaborator<'a> {
    pub fn for_statement(
        &mut self,
        attributes: &'a [Attribute],
        is_static: bool,
        pattern: &'a Pattern,
        range: &'a ast::Expr,
        body: &'a ast::Block,
        span: Span,
    ) -> Flow {
        let overrides = self.overrides(attributes);
        let unrolls = is_static || self.host.is_some();
        self.check_place(attributes, if is_static { "static for" } else { "for" });
        if unrolls && !matches!(range.kind, ExprKind::Call { .. }) {
            return self.for_each(pattern, range, body);
        }
        let Some(limits) = self.range(range) else {
            self.body_after_error(pattern, body);
            return Flow::Next;
        };
        // In a test the variable may be a size, so it is known wherever it can be.
        let known = || limits.iter().all(|limit| limit.operand.integer().is_some());
        if is_static || (unrolls && known()) {
            return self.static_for(pattern, limits, body, span);
        }
        let Some([lo, hi, step]) = self.limits(limits, span) else {
            self.body_after_error(pattern, body);
            return Flow::Next;
        };
        let (name, mutable, at) = match pattern {
            Pattern::Name { mutable, name } => (name.text.as_str(), *mutable, name.span),
            Pattern::Wildcard(span) => ("_", false, *span),
            Pattern::Tuple { span, .. } => {
                self.report(messages::control::loop_pattern(*span));
                self.body_after_error(pattern, body);
                return Flow::Next;
            }
        };
        let variable = self.variable(name, lo.ty.clone(), at, false);
        let ((), body) = self.loop_body(|this| {
            this.scoped(|this| {
                let mut value = Operand::value(this.read(variable, at));
                if mutable {
                    let copy = this.variable(name, lo.ty.clone(), at, true);
                    let read = this.read(variable, at);
                    this.emit(
                        StmtKind::Assign {
                            variable: copy,
                            value: read,
                        },
                        at,
                    );
                    value = Operand::value(this.read(copy, at));
                }
                this.bind(name, value, mutable, at);
                this.block(body, None);
            });
        });
        if overrides.stages.is_some() && may_end_early(&body) {
            let stages = attributes.iter().find(|one| one.name.text == "stages");
            let at = stages.map_or(span, |attribute| attribute.span);
            self.report(messages::control::stages_of_loop_that_ends_early(at));
        }
        self.emit(
            StmtKind::For {
                variable,
                lo,
                hi,
                step,
                overrides,
                body,
            },
            span,
        );
        Flow::Next
    }

    /// A loop of the running program whose iterations are counted may have `stages`, and no loop anything else.
    fn check_place(&mut self, attributes: &[Attribute], place: &str) {
        for attribute in attributes {
            let name = attribute.name.text.as_str();
            let exists = super::kernel::ATTRIBUTES.contains(&name);
            if exists && (name != "stages" || place != "for") {
                self.report(messages::control::attribute_place(
                    name,
                    place,
                    attribute.span,
                ));
            }
        }
    }

    /// The body of a loop that is broken otherwise: for the problems in it.
    fn body_after_error(&mut self, pattern: &'a Pattern, body: &'a ast::Block) {
        self.loop_body(|this| {
            this.scoped(|this| {
                this.bind_poison(pattern);
                this.block(body, None);
            });
        });
    }

    fn loop_body(&mut self, inside: impl FnOnce(&mut Self)) -> ((), crate::typed::Block) {
        self.frame().loops.push(Loop::Running);
        let result = self.controlled(inside);
        self.frame().loops.pop();
        result
    }

    /// The arguments of `range(…)`: lo, hi and step.
    fn range(&mut self, range: &'a ast::Expr) -> Option<[Located<'a>; 3]> {
        let arguments = match &range.kind {
            ExprKind::Call { callee, arguments } => match &callee.kind {
                ExprKind::Name(name) if name == "range" => arguments,
                ExprKind::Name(name) if name == "static_range" => {
                    self.report(messages::control::static_range(range.span));
                    return None;
                }
                _ => {
                    self.report(messages::control::expected_range(range.span));
                    return None;
                }
            },
            ExprKind::Error => return None,
            _ => {
                self.report(messages::control::expected_range(range.span));
                return None;
            }
        };
        // `range(hi)` counts from 0, as in Triton.
        let signature = if arguments.len() == 1 {
            &builtins::RANGE_TO
        } else {
            &builtins::RANGE
        };
        let mut bound = self.bind_arguments(signature, arguments, range.span)?;
        let zero = Operand::Int(0).at(range.span);
        let one = Operand::Int(1).at(range.span);
        let lo = bound.take("lo").unwrap_or(zero);
        let hi = bound.take("hi")?;
        let step = bound.take("step").unwrap_or(one);
        Some([lo, hi, step])
    }

    /// The limits of a run-time loop in their common type.
    fn limits(&mut self, limits: [Located<'a>; 3], span: Span) -> Option<[Expr; 3]> {
        let [lo, hi, step] = &limits;
        if step.operand.integer() == Some(0) {
            self.report(messages::control::zero_step(step.span));
            return None;
        }
        let mut element = ElementType::I32;
        let mut good = true;
        for limit in [lo, hi, step] {
            // Literals and consts adapt to the others below.
            if limit
                .operand
                .number()
                .is_some_and(|number| number.flexible && number.element.is_integer())
            {
                continue;
            }
            match self.index(limit, "a limit of a loop") {
                Some(value) if value.ty.element == Element::Number(ElementType::I64) => {
                    element = ElementType::I64;
                }
                Some(_) => {}
                None => good = false,
            }
        }
        if !good {
            return None;
        }
        let lo = self.value_as(lo, element)?;
        let hi = self.value_as(hi, element)?;
        let step = self.value_as(step, element)?;
        debug_assert!(lo.ty == scalar(element), "limits at {span:?} are scalars");
        Some([lo, hi, step])
    }

    fn static_for(
        &mut self,
        pattern: &'a Pattern,
        limits: [Located<'a>; 3],
        body: &'a ast::Block,
        span: Span,
    ) -> Flow {
        let mut known = [0_i128; 3];
        for (slot, limit) in known.iter_mut().zip(&limits) {
            match self.known_integer(limit, "a limit of a `static for`") {
                Some(value) => *slot = value,
                None => {
                    self.body_after_error(pattern, body);
                    return Flow::Next;
                }
            }
        }
        let [lo, hi, step] = known;
        if step == 0 {
            self.report(messages::control::zero_step(limits[2].span));
            return Flow::Next;
        }
        let mut at = Some(lo);
        let mut rounds = 0;
        self.unroll(pattern, body, span, |this| {
            let value = at.filter(|at| if step > 0 { *at < hi } else { *at > hi })?;
            rounds += 1;
            if rounds > MAXIMUM_ROUNDS {
                this.report(messages::control::too_many_rounds(MAXIMUM_ROUNDS, span));
                return None;
            }
            at = value.checked_add(step);
            let number = Number {
                element: ElementType::I32,
                value: this.fit(Constant::Int(value), ElementType::I32, span)?,
                flexible: true,
            };
            Some(Operand::Number(number).at(span))
        })
    }

    /// `static for x in [a, b]`: an iteration per item.
    fn for_each(
        &mut self,
        pattern: &'a Pattern,
        items: &'a ast::Expr,
        body: &'a ast::Block,
    ) -> Flow {
        let span = items.span;
        let mut items = match self.expr(items) {
            Operand::List(items) => items.into_iter(),
            operand => {
                if !operand.is_poison() {
                    self.report(messages::control::expected_range(span));
                }
                self.body_after_error(pattern, body);
                return Flow::Next;
            }
        };
        self.unroll(pattern, body, span, |_| items.next())
    }

    /// An iteration for each value there is.
    fn unroll(
        &mut self,
        pattern: &'a Pattern,
        body: &'a ast::Block,
        span: Span,
        mut next: impl FnMut(&mut Self) -> Option<Located<'a>>,
    ) -> Flow {
        let control = self.frame().control;
        let label = self.label();
        // Whether the running program may leave the loop.
        let mut stops = false;
        let (reaches_end, block) = self.nested(|this| {
            while let Some(value) = next(this) {
                let unrolled = Unrolled {
                    control,
                    rounds: label,
                    stops,
                    round: this.label(),
                    skips: false,
                };
                let known = this.errors();
                let (round, unrolled) = this.round(pattern, value, body, unrolled, span);
                stops = unrolled.stops;
                // The next iterations would mostly tell of what is wrong in this one.
                if this.errors() > known {
                    break;
                }
                match round {
                    Round::Next => {}
                    Round::Last => break,
                    Round::Stops => return false,
                }
                if this.is_exhausted() {
                    break;
                }
            }
            true
        });
        self.labelled(label, block, stops, span);
        if reaches_end || stops {
            Flow::Next
        } else {
            Flow::Stops
        }
    }

    /// An iteration of a loop that is unrolled, in a block of its own.
    fn round(
        &mut self,
        pattern: &'a Pattern,
        value: Located<'a>,
        body: &'a ast::Block,
        unrolled: Unrolled,
        span: Span,
    ) -> (Round, Unrolled) {
        self.frame().loops.push(Loop::Static(unrolled));
        let (value, block) = self.nested(|this| {
            this.scoped(|this| {
                this.bind_pattern(pattern, value);
                this.block(body, None)
            })
        });
        let unrolled = match self.frame().loops.pop() {
            Some(Loop::Static(after)) => after,
            _ => unrolled,
        };
        self.labelled(unrolled.round, block, unrolled.skips, span);
        let round = match self.frame().jump.take() {
            Some(Jump::Break) => Round::Last,
            Some(Jump::Continue) => Round::Next,
            Some(jump @ Jump::Return(_)) => {
                self.frame().jump = Some(jump);
                Round::Stops
            }
            None if matches!(value, Operand::Never) && !unrolled.skips => Round::Stops,
            None => Round::Next,
        };
        (round, unrolled)
    }

    pub fn while_statement(
        &mut self,
        attributes: &'a [Attribute],
        condition: &'a ast::Expr,
        body: &'a ast::Block,
        span: Span,
    ) -> Flow {
        self.overrides(attributes);
        self.check_place(attributes, "while");
        let ((located, test), prelude) = self.nested(|this| {
            let located = this.located(condition);
            let test = this.condition(&located, "while");
            (located, test)
        });
        if matches!(located.operand, Operand::Bool(false)) {
            self.check_block_names(body);
            return Flow::Next;
        }
        let ((), body) = self.loop_body(|this| {
            this.block(body, None);
        });
        let test = test.unwrap_or_else(|| build::integer(0, ElementType::I1, condition.span));
        self.emit(
            StmtKind::While {
                condition: prelude,
                test,
                body,
            },
            span,
        );
        Flow::Next
    }
}
