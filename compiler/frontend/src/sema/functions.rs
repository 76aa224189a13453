//! Calls: functions and closures are inlined, with the operands as their arguments.
//!
//! ```text
//! fn relu(x) { max(x, 0.0) }        relu(acc + 1.0)
//!   ⇒  let x: tile<f32>[64] = acc + 1.0
//!      max(x, full([64], 0.0))
//! ```

use std::collections::HashMap;

use super::builtins::Builtin;
use super::elaborator::{Elaborator, Frame, FrameKind, Jump};
use super::environment::Environment;
use super::operand::{Function, Located, Operand};
use super::suggest;
use super::types::Annotation;
use crate::diagnostic::{Span, messages};
use crate::source::FileId;
use crate::syntax::ast::{self, ExprKind, FunctionParameter, GenericKind, Name, Pattern};
use crate::typed;

/// Functions inside functions: beyond this it is a recursion that does not end.
const MAXIMUM_CALLS: usize = 64;

/// An argument of a call, elaborated.
pub(super) struct Passed<'a> {
    pub name: Option<&'a Name>,
    pub value: Located<'a>,
}

/// What is called, apart from builtins.
struct Callee<'a> {
    /// Closures have none.
    name: &'a str,
    generics: &'a [ast::Generic],
    parameters: &'a [FunctionParameter],
    environment: Environment,
    file: FileId,
    span: Span,
}

impl<'a> Callee<'a> {
    /// Its name in messages; closures have none.
    const fn shown(&self) -> &'a str {
        self.name
    }
}

impl<'a> Elaborator<'a> {
    pub fn call_expr(
        &mut self,
        callee: &'a ast::Expr,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Operand<'a> {
        if let Some(diagnostic) = method_call(callee) {
            return self.error(diagnostic);
        }
        if let Some(result) = self.host_call(callee, arguments, span) {
            return result;
        }
        let located = self.located(callee);
        match located.operand {
            Operand::Function(Function::Builtin(builtin)) => {
                match self.bind_arguments(builtin.signature(), arguments, span) {
                    Some(call) => builtin.run(self, call),
                    None => Operand::Error,
                }
            }
            Operand::Function(function) => {
                let passed = self.pass(arguments);
                self.call(function, passed, span)
            }
            Operand::Type(element) => {
                self.operands(arguments.iter().map(|argument| &argument.value));
                self.error(messages::types::type_called(element, located.span))
            }
            ref operand => {
                self.operands(arguments.iter().map(|argument| &argument.value));
                if operand.is_poison() {
                    return Operand::Error;
                }
                let mut diagnostic = messages::types::not_callable(&located);
                if let ExprKind::Name(name) = &callee.kind
                    && let Some(binding) = self.scopes.find(self.environment, name)
                    && (self.files.find(self.file, name).is_some() || Builtin::find(name).is_some())
                {
                    diagnostic = diagnostic
                        .secondary(binding.span, format!("this `{name}` hides the function"))
                        .help(format!("give one of the two another name than `{name}`"));
                }
                self.error(diagnostic)
            }
        }
    }

    /// Elaborates the arguments of a call.
    pub fn pass(&mut self, arguments: &'a [ast::Argument]) -> Vec<Passed<'a>> {
        let values = self.operands(arguments.iter().map(|argument| &argument.value));
        let names = arguments.iter().map(|argument| argument.name.as_ref());
        names
            .zip(values)
            .map(|(name, value)| Passed { name, value })
            .collect()
    }

    /// Calls anything that can be called with positional operands.
    pub fn call_with(
        &mut self,
        function: Function<'a>,
        values: Vec<Located<'a>>,
        span: Span,
    ) -> Operand<'a> {
        let passed = values
            .into_iter()
            .map(|value| Passed { name: None, value })
            .collect();
        self.call(function, passed, span)
    }

    fn call(&mut self, function: Function<'a>, passed: Vec<Passed<'a>>, span: Span) -> Operand<'a> {
        match function {
            Function::Builtin(builtin) => match self.bind_passed(builtin.signature(), passed, span)
            {
                Some(call) => builtin.run(self, call),
                None => Operand::Error,
            },
            Function::Item { file, function } => {
                let callee = Callee {
                    name: &function.name.text,
                    generics: &function.generics,
                    parameters: &function.parameters,
                    environment: Environment::default(),
                    file,
                    span: function.name.span,
                };
                self.inline(&callee, passed, span, |this| {
                    let wanted = match &function.result {
                        Some(ty) => this.annotation(ty),
                        None => Annotation::Any,
                    };
                    let value = this.function_block(&function.body, wanted.element());
                    let at = function
                        .body
                        .tail
                        .as_ref()
                        .map_or(function.name.span, |tail| tail.span);
                    let value = match this.frame().jump.take() {
                        Some(Jump::Return(value)) => value,
                        _ => value.at(at),
                    };
                    this.conform(value, &wanted)
                })
            }
            Function::Closure {
                parameters,
                body,
                environment,
                file,
            } => {
                let callee = Callee {
                    name: "",
                    generics: &[],
                    parameters,
                    environment,
                    file,
                    span: body.span,
                };
                self.inline(&callee, passed, span, |this| {
                    let value = match &body.kind {
                        ExprKind::Block(block) => this.function_block(block, None),
                        _ => this.expr(body),
                    };
                    match this.frame().jump.take() {
                        Some(Jump::Return(value)) => value.operand,
                        _ => value,
                    }
                })
            }
        }
    }

    /// Binds the arguments where the callee was written and elaborates its body there.
    fn inline(
        &mut self,
        callee: &Callee<'a>,
        passed: Vec<Passed<'a>>,
        span: Span,
        body: impl FnOnce(&mut Self) -> Operand<'a>,
    ) -> Operand<'a> {
        if self.frames.len() > MAXIMUM_CALLS {
            return self.error(messages::consts::recursion(
                callee.name,
                MAXIMUM_CALLS,
                span,
            ));
        }
        let Some((slots, generics)) = self.match_arguments(callee, passed, span) else {
            return Operand::Error;
        };
        let caller = (self.environment, self.file);
        (self.environment, self.file) = (callee.environment, callee.file);
        let mut frame = Frame::new(FrameKind::Function);
        frame.call = Some((callee.name, span));
        self.frames.push(frame);
        let good = self.bind_generics(callee, generics, &slots)
            && self.bind_parameters(callee, slots, span);
        let result = if good {
            self.deeper(span, body)
        } else {
            Operand::Error
        };
        self.frames.pop();
        (self.environment, self.file) = caller;
        result
    }

    /// Which parameter each argument is for; generics may be named as well.
    #[allow(clippy::type_complexity)]
    fn match_arguments(
        &mut self,
        callee: &Callee<'a>,
        passed: Vec<Passed<'a>>,
        span: Span,
    ) -> Option<(Vec<Option<Located<'a>>>, HashMap<&'a str, Located<'a>>)> {
        let parameters = callee.parameters;
        let mut slots: Vec<Option<Located<'a>>> = vec![None; parameters.len()];
        let mut generics = HashMap::new();
        let mut good = true;
        for (index, argument) in passed.into_iter().enumerate() {
            let position = match argument.name {
                None => Some(index),
                Some(name) => parameters
                    .iter()
                    .position(|parameter| parameter_name(parameter) == name.text),
            };
            match (
                position.and_then(|position| slots.get_mut(position)),
                argument.name,
            ) {
                (Some(slot), name) if slot.is_some() => {
                    let name = name.map_or("", |name| &name.text);
                    self.report(messages::names::argument_twice(
                        callee.shown(),
                        name,
                        argument.value.span,
                    ));
                    good = false;
                }
                (Some(slot), _) => *slot = Some(argument.value),
                (None, None) => {
                    self.report(messages::names::too_many_arguments(
                        callee.shown(),
                        parameters.len(),
                        argument.value.span,
                        Some(callee.span),
                    ));
                    return None;
                }
                (None, Some(name)) => {
                    match callee
                        .generics
                        .iter()
                        .find(|generic| generic.name.text == name.text)
                    {
                        Some(generic) => {
                            generics.insert(generic.name.text.as_str(), argument.value);
                        }
                        None => {
                            let names = parameters.iter().map(parameter_name);
                            let similar = suggest::nearest(&name.text, names);
                            self.report(messages::names::unknown_argument(
                                callee.shown(),
                                &name.text,
                                name.span,
                                similar,
                            ));
                            good = false;
                        }
                    }
                }
            }
        }
        for (parameter, slot) in parameters.iter().zip(&slots) {
            if slot.is_none() && parameter.default.is_none() {
                let name = parameter_name(parameter);
                self.report(messages::names::missing_argument(
                    callee.shown(),
                    name,
                    span,
                    Some(callee.span),
                ));
                good = false;
            }
        }
        good.then_some((slots, generics))
    }

    /// Generics are inferred from the arguments, or given by name, or have a default.
    fn bind_generics(
        &mut self,
        callee: &Callee<'a>,
        mut given: HashMap<&'a str, Located<'a>>,
        slots: &[Option<Located<'a>>],
    ) -> bool {
        let unknown: Vec<&'a ast::Generic> = callee
            .generics
            .iter()
            .filter(|generic| !given.contains_key(generic.name.text.as_str()))
            .collect();
        let mut found = HashMap::new();
        for (parameter, slot) in callee.parameters.iter().zip(slots) {
            if let (Some(ty), Some(located)) = (&parameter.ty, slot) {
                self.infer(ty, &located.operand, &unknown, &mut found);
            }
        }
        let mut good = true;
        for generic in callee.generics {
            let name = &generic.name;
            let located = given
                .remove(name.text.as_str())
                .or_else(|| Some(found.remove(name.text.as_str())?.at(name.span)))
                .or_else(|| Some(self.located(generic.default.as_ref()?)));
            let Some(located) = located else {
                self.report(messages::generics::not_inferred(
                    callee.shown(),
                    &name.text,
                    name.span,
                ));
                good = false;
                continue;
            };
            let operand = match &generic.kind {
                GenericKind::Type { class } => self.check_class(class, located),
                GenericKind::Const { ty } => self.check_const(&name.text, ty, located),
            };
            good &= !operand.is_poison();
            self.bind(&name.text, operand, false, name.span);
        }
        good
    }

    fn bind_parameters(
        &mut self,
        callee: &Callee<'a>,
        slots: Vec<Option<Located<'a>>>,
        span: Span,
    ) -> bool {
        let mut names: Vec<&'a Name> = Vec::new();
        for parameter in callee.parameters {
            super::statements::pattern_names(&parameter.pattern, &mut names);
        }
        for (index, name) in names.iter().enumerate() {
            if let Some(first) = names
                .iter()
                .take(index)
                .find(|first| first.text == name.text)
            {
                self.report(messages::names::duplicate(
                    &name.text, name.span, first.span,
                ));
                return false;
            }
        }
        let mut good = true;
        for (parameter, slot) in callee.parameters.iter().zip(slots) {
            let value = match (slot, &parameter.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.located(default),
                (None, None) => Operand::Error.at(span),
            };
            let at = value.span;
            if parameter.is_const && !is_known(&value.operand) {
                if !value.operand.is_poison() {
                    let what = format!("the const parameter `{}`", parameter_name(parameter));
                    self.report(messages::consts::not_known(&what, &value));
                }
                good = false;
            }
            let annotation = match &parameter.ty {
                Some(ty) => self.annotation(ty),
                None => Annotation::Any,
            };
            // Without a type a literal stays a literal: `max(x, 0.0)` decides in the body.
            let operand = self.conform(value, &annotation);
            good &= !matches!(operand, Operand::Error);
            self.bind_argument(&parameter.pattern, operand.at(at));
        }
        good
    }

    /// As [`bind_pattern`](Self::bind_pattern), but literals keep waiting for their type.
    fn bind_argument(&mut self, pattern: &'a Pattern, value: Located<'a>) {
        match (pattern, &value.operand) {
            (
                Pattern::Name {
                    mutable: false,
                    name,
                },
                Operand::Int(_) | Operand::Float(_),
            ) => {
                self.bind(&name.text, value.operand, false, name.span);
            }
            // An array of a test is passed as what it is, not copied: a launch may write to it.
            (
                Pattern::Name {
                    mutable: false,
                    name,
                },
                Operand::Value(expr),
            ) if self.host.is_some() && is_array_variable(expr) => {
                self.bind(&name.text, value.operand, false, name.span);
            }
            (Pattern::Tuple { items, .. }, Operand::Tuple(parts)) if items.len() == parts.len() => {
                for (item, part) in items.iter().zip(parts.clone()) {
                    self.bind_argument(item, part.at(value.span));
                }
            }
            _ => self.bind_pattern(pattern, value),
        }
    }
}

/// The name of a parameter, for named arguments; patterns have none.
fn parameter_name(parameter: &FunctionParameter) -> &str {
    match &parameter.pattern {
        Pattern::Name { name, .. } => &name.text,
        _ => "_",
    }
}

/// Whether an operand exists at compile time.
pub(super) fn is_known(operand: &Operand<'_>) -> bool {
    match operand {
        Operand::Value(_) | Operand::View(_) | Operand::Tensor(_) => false,
        Operand::Tuple(items) => items.iter().all(is_known),
        Operand::List(items) => items.iter().all(|item| is_known(&item.operand)),
        _ => true,
    }
}

fn is_array_variable(expr: &typed::Expr) -> bool {
    matches!(expr.kind, typed::ExprKind::Variable(_)) && !expr.ty.shape.is_empty()
}

/// `x.to(f16)`, `tl.load(…)`: ways of other languages.
fn method_call(callee: &ast::Expr) -> Option<crate::diagnostic::Diagnostic> {
    let ExprKind::Field { base, name } = &callee.kind else {
        return None;
    };
    let mut root = base;
    while let ExprKind::Field { base, .. } = &root.kind {
        root = base;
    }
    if let ExprKind::Name(namespace) = &root.kind {
        match namespace.as_str() {
            "tl" | "triton" | "libdevice" | "np" | "torch" | "math" => {
                return Some(messages::names::no_namespace(
                    namespace,
                    &name.text,
                    base.span.to(name.span),
                ));
            }
            "fast" => return None,
            _ => {}
        }
    }
    Some(messages::names::no_methods(&name.text, name.span))
}
