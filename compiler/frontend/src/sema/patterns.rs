//! `let`, parameters and assignments: where values go.

use super::elaborator::Elaborator;
use super::operand::{Located, Operand};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, ExprKind, Pattern};
use crate::typed::{ExprKind as TypedKind, StmtKind, VariableId};

impl<'a> Elaborator<'a> {
    /// Binds the names of a pattern to (the parts of) an operand.
    pub fn bind_pattern(&mut self, pattern: &'a Pattern, value: Located<'a>) {
        match pattern {
            Pattern::Wildcard(_) => {}
            Pattern::Name { mutable, name } => {
                let operand = if *mutable {
                    self.place(&name.text, name.span, value)
                } else {
                    self.fixed(&name.text, name.span, value)
                };
                self.bind(&name.text, operand, *mutable, name.span);
            }
            Pattern::Tuple { items, span } => match value.operand {
                Operand::Tuple(parts) if parts.len() == items.len() => {
                    for (item, part) in items.iter().zip(parts) {
                        self.bind_pattern(item, part.at(value.span));
                    }
                }
                operand => {
                    if !operand.is_poison() {
                        let located = operand.at(value.span);
                        self.report(messages::types::pattern_mismatch(
                            items.len(),
                            *span,
                            &located,
                        ));
                    }
                    self.bind_poison(pattern);
                }
            },
        }
    }

    /// Binds the names of a pattern so that using them reports nothing more.
    pub fn bind_poison(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::Wildcard(_) => {}
            Pattern::Name { mutable, name } => {
                self.bind(&name.text, Operand::Error, *mutable, name.span);
            }
            Pattern::Tuple { items, .. } => {
                for item in items {
                    self.bind_poison(item);
                }
            }
        }
    }

    /// A name that never changes: compile-time values stay what they are, the rest is computed now.
    fn fixed(&mut self, name: &str, at: Span, value: Located<'a>) -> Operand<'a> {
        let span = value.span;
        match self.settle(value) {
            // Memory of its own: a launch may write to it.
            Operand::Value(expr) if self.host.is_some() && !expr.ty.shape.is_empty() => {
                self.place(name, at, Operand::Value(expr).at(span))
            }
            Operand::Value(expr) => {
                // A temporary made for exactly this value takes the name.
                if let TypedKind::Variable(variable) = expr.kind
                    && !self.may_change(variable)
                {
                    self.adopt(variable, name, at);
                    return Operand::Value(expr);
                }
                let variable = self.variable(name, expr.ty.clone(), at, false);
                self.emit(
                    StmtKind::Assign {
                        variable,
                        value: *expr,
                    },
                    span,
                );
                Operand::value(self.read(variable, span))
            }
            Operand::Tuple(items) => {
                let items = items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| self.fixed(&format!("{name}.{index}"), at, item.at(span)))
                    .collect();
                Operand::Tuple(items)
            }
            other => self.once_operand(other, None),
        }
    }

    fn adopt(&mut self, variable: VariableId, name: &str, at: Span) {
        if let Some(variable) = self.variables.get_mut(variable.0 as usize)
            && variable.name.starts_with('%')
        {
            name.clone_into(&mut variable.name);
            variable.span = at;
        }
    }

    /// A `mut` name: a variable of the running program.
    fn place(&mut self, name: &str, at: Span, value: Located<'a>) -> Operand<'a> {
        match value.operand {
            Operand::Tuple(items) => {
                let items = items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| {
                        self.place(&format!("{name}.{index}"), at, item.at(value.span))
                    })
                    .collect();
                Operand::Tuple(items)
            }
            ref operand if operand.is_poison() => Operand::Error,
            _ if matches!(value.operand, Operand::Value(_)) || value.operand.number().is_some() => {
                let Some(expr) = self.value(&value) else {
                    return Operand::Error;
                };
                let variable = self.variable(name, expr.ty.clone(), at, true);
                self.emit(
                    StmtKind::Assign {
                        variable,
                        value: expr,
                    },
                    value.span,
                );
                Operand::value(self.read(variable, value.span))
            }
            _ => self.error(messages::memory::mutable_compile_time(name, &value)),
        }
    }

    /// `target = value`.
    pub fn assign(&mut self, target: &'a ast::Expr, value: Located<'a>) {
        let mut moves = Vec::new();
        self.plan(target, value, &mut moves);
        // `(a, b) = (b, a)`: all values are computed before the first is written.
        if moves.len() > 1 {
            for (_, located) in &mut moves {
                let operand = std::mem::replace(&mut located.operand, Operand::Error);
                located.operand = match operand {
                    Operand::Value(expr) => {
                        let span = expr.span;
                        let temporary = self.temporary(expr.ty.clone(), span);
                        self.emit(
                            StmtKind::Assign {
                                variable: temporary,
                                value: *expr,
                            },
                            span,
                        );
                        Operand::value(self.read(temporary, span))
                    }
                    other => other,
                };
            }
        }
        for (variable, located) in moves {
            if let Operand::Value(value) = located.operand {
                self.emit(
                    StmtKind::Assign {
                        variable,
                        value: *value,
                    },
                    located.span,
                );
            }
        }
    }

    fn plan(
        &mut self,
        target: &'a ast::Expr,
        value: Located<'a>,
        moves: &mut Vec<(VariableId, Located<'a>)>,
    ) {
        match &target.kind {
            ExprKind::Name(name) if name == "_" => {}
            ExprKind::Name(name) => match self.scopes.find(self.environment, name) {
                Some(binding) => {
                    let (place, mutable, span) =
                        (binding.operand.clone(), binding.mutable, binding.span);
                    if !mutable {
                        if !place.is_poison() {
                            let heading = self.files.is_in_heading(span);
                            self.report(messages::memory::assign_to_immutable(
                                name,
                                target.span,
                                span,
                                heading,
                            ));
                        }
                        return;
                    }
                    self.plan_place(name, &place, value, moves);
                }
                None if self.files.find(self.file, name).is_some() => {
                    self.report(messages::memory::assign_to_item(name, target.span));
                }
                None if self.files.imports(self.file, name) => {}
                None => self.unknown_target(name, target.span),
            },
            ExprKind::Tuple(targets) => match value.operand {
                Operand::Tuple(values) if values.len() == targets.len() => {
                    for (target, part) in targets.iter().zip(values) {
                        self.plan(target, part.at(value.span), moves);
                    }
                }
                operand if operand.is_poison() => {}
                operand => {
                    let located = operand.at(value.span);
                    self.report(messages::types::pattern_mismatch(
                        targets.len(),
                        target.span,
                        &located,
                    ));
                }
            },
            ExprKind::TupleField { base, index } => match &base.kind {
                ExprKind::Name(name) => {
                    let found = self.scopes.find(self.environment, name);
                    let part = found.and_then(|binding| match &binding.operand {
                        Operand::Tuple(items) if binding.mutable => {
                            items.get(*index as usize).cloned()
                        }
                        _ => None,
                    });
                    match part {
                        Some(place) => {
                            self.plan_place(&format!("{name}.{index}"), &place, value, moves)
                        }
                        None => self.report(messages::memory::not_assignable(target.span)),
                    }
                }
                _ => self.report(messages::memory::not_assignable(target.span)),
            },
            ExprKind::Index { .. } => {
                self.report(messages::memory::assign_to_element(target.span));
            }
            ExprKind::Error => {}
            _ => self.report(messages::memory::not_assignable(target.span)),
        }
    }

    fn plan_place(
        &mut self,
        name: &str,
        place: &Operand<'a>,
        value: Located<'a>,
        moves: &mut Vec<(VariableId, Located<'a>)>,
    ) {
        match (place, value.operand) {
            (Operand::Tuple(places), Operand::Tuple(values)) if places.len() == values.len() => {
                for (index, (place, part)) in places.iter().zip(values).enumerate() {
                    self.plan_place(
                        &format!("{name}.{index}"),
                        place,
                        part.at(value.span),
                        moves,
                    );
                }
            }
            (place, operand) if place.is_poison() || operand.is_poison() => {}
            (Operand::Value(place), operand) => {
                let TypedKind::Variable(variable) = place.kind else {
                    return;
                };
                let located = operand.at(value.span);
                if self.combiner.is_some_and(|first| variable.0 < first) {
                    self.report(messages::control::effect_in_combiner(
                        "an assignment",
                        located.span,
                    ));
                    return;
                }
                let declared = self
                    .variables
                    .get(variable.0 as usize)
                    .map(|variable| variable.span);
                let expr = match place.ty.element {
                    crate::typed::Element::Number(element)
                        if place.ty.shape.is_empty()
                            && located
                                .operand
                                .number()
                                .is_some_and(|number| number.flexible) =>
                    {
                        self.exactly(&located, element, "the variable")
                    }
                    _ => self.value(&located),
                };
                let Some(expr) = expr else { return };
                if expr.ty == place.ty {
                    moves.push((variable, Operand::value(expr).at(located.span)));
                } else {
                    self.report(messages::control::variable_changes_type(
                        name,
                        &place.ty,
                        &expr.ty,
                        located.span,
                        declared,
                    ));
                }
            }
            (place, operand) => {
                let located = operand.at(value.span);
                self.report(messages::types::mismatch(&place.type_name(), &located));
            }
        }
    }
}
