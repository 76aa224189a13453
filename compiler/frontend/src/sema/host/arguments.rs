//! From the arguments of a launch to the parameters and generics of a kernel.

use std::collections::{BTreeMap, HashMap};

use super::arrays::ArrayView;
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::generics::binding_text;
use crate::sema::operand::{Located, Operand};
use crate::sema::suggest;
use crate::syntax::ast::{self, ExprKind, Generic, TypeExpr, TypeExprKind};
use tile_runtime::element::ElementType;

/// What a parameter is given.
pub(super) enum Given<'a> {
    /// Memory of a variable, and the expression that says which.
    View(ArrayView, &'a ast::Expr),
    /// A value.
    Value(Located<'a>),
}

/// The arguments of a launch in their places.
pub(super) struct Placed<'a> {
    /// One per parameter.
    pub parameters: Vec<Given<'a>>,
    /// Generics, as text.
    pub bindings: BTreeMap<String, String>,
}

impl Given<'_> {
    fn element(&self) -> Option<ElementType> {
        match self {
            Given::View(view, _) => Some(view.element),
            Given::Value(located) => located.operand.own_element(),
        }
    }

    fn shape(&self) -> &[u64] {
        match self {
            Given::View(view, _) => &view.shape,
            Given::Value(located) => match &located.operand {
                Operand::Value(value) => &value.ty.shape,
                _ => &[],
            },
        }
    }
}

impl<'a> Elaborator<'a> {
    /// Places the arguments of a launch; generics come from named arguments, from the types and
    /// sizes of arrays, and from the command line.
    pub(super) fn place_arguments(
        &mut self,
        kernel: &'a ast::Kernel,
        arguments: &[&'a ast::Argument],
        span: Span,
    ) -> Option<Placed<'a>> {
        let name = kernel.name.text.as_str();
        let mut slots: Vec<Option<Given<'a>>> = kernel.parameters.iter().map(|_| None).collect();
        let mut bindings = BTreeMap::new();
        let mut good = true;
        for (index, argument) in arguments.iter().enumerate() {
            let position = match &argument.name {
                None => Some(index),
                Some(named) => kernel
                    .parameters
                    .iter()
                    .position(|parameter| parameter.name.text == named.text),
            };
            match (position.and_then(|at| slots.get_mut(at)), &argument.name) {
                (Some(Some(_)), named) => {
                    let named = named.as_ref().map_or("", |named| &named.text);
                    let at = argument.value.span;
                    self.report(messages::names::argument_twice(name, named, at));
                    good = false;
                }
                (Some(_), _) => {
                    let given = self.given(&argument.value);
                    good &= given.is_some();
                    if let Some(slot) = position.and_then(|at| slots.get_mut(at)) {
                        *slot =
                            given.or(Some(Given::Value(Operand::Error.at(argument.value.span))));
                    }
                }
                (None, None) => {
                    let most = kernel.parameters.len();
                    let at = argument.value.span;
                    let declared = Some(kernel.name.span);
                    self.report(messages::names::too_many_arguments(
                        name, most, at, declared,
                    ));
                    return None;
                }
                (None, Some(named)) => {
                    good &= self.generic_argument(kernel, named, &argument.value, &mut bindings);
                }
            }
        }
        for (parameter, slot) in kernel.parameters.iter().zip(&slots) {
            if slot.is_none() {
                self.report(messages::names::missing_argument(
                    name,
                    &parameter.name.text,
                    span,
                    Some(kernel.name.span),
                ));
                good = false;
            }
        }
        let parameters: Vec<Given<'a>> = slots.into_iter().flatten().collect();
        if !good {
            return None;
        }
        infer(kernel, &parameters, &mut bindings);
        self.add_defines(kernel, &mut bindings);
        Some(Placed {
            parameters,
            bindings,
        })
    }

    fn given(&mut self, expr: &'a ast::Expr) -> Option<Given<'a>> {
        if let Some(view) = self.array_view(expr) {
            return Some(Given::View(view, expr));
        }
        let located = self.located(expr);
        let poisoned = located.operand.is_poison();
        (!poisoned).then_some(Given::Value(located))
    }

    /// `T = f16`, `BM = 64`. False if it is wrong.
    pub(super) fn generic_argument(
        &mut self,
        kernel: &'a ast::Kernel,
        name: &ast::Name,
        value: &'a ast::Expr,
        bindings: &mut BTreeMap<String, String>,
    ) -> bool {
        if !kernel
            .generics
            .iter()
            .any(|generic| generic.name.text == name.text)
        {
            let parameters = kernel.parameters.iter().map(|parameter| &parameter.name);
            let generics = kernel.generics.iter().map(|generic| &generic.name);
            let names = parameters.chain(generics).map(|name| name.text.as_str());
            let similar = suggest::nearest(&name.text, names);
            self.report(messages::names::unknown_argument(
                &kernel.name.text,
                &name.text,
                name.span,
                similar,
            ));
            return false;
        }
        let located = self.located(value);
        let text = match &located.operand {
            operand if operand.is_poison() => return false,
            operand @ (Operand::Int(_) | Operand::Float(_)) => operand
                .number()
                .and_then(|number| binding_text(&Operand::Number(number))),
            operand => binding_text(operand),
        };
        let what = format!("the generic `{}`", name.text);
        match text {
            Some(text) if bindings.contains_key(&name.text) => {
                let _ = text;
                self.report(messages::names::argument_twice(
                    &kernel.name.text,
                    &name.text,
                    value.span,
                ));
                false
            }
            Some(text) => {
                bindings.insert(name.text.clone(), text);
                true
            }
            None => {
                self.report(messages::consts::not_known(&what, &located));
                false
            }
        }
    }

    /// `-D` of the command line, for generics that are still open.
    pub(super) fn add_defines(
        &self,
        kernel: &ast::Kernel,
        bindings: &mut BTreeMap<String, String>,
    ) {
        let Some(host) = &self.host else { return };
        for generic in &kernel.generics {
            let name = &generic.name.text;
            if let (false, Some(text)) = (bindings.contains_key(name), host.defines.get(name)) {
                bindings.insert(name.clone(), text.clone());
            }
        }
    }
}

/// Generics that the types of parameters mention, from what the parameters are given.
fn infer(kernel: &ast::Kernel, given: &[Given<'_>], bindings: &mut BTreeMap<String, String>) {
    let mut found: HashMap<&str, String> = HashMap::new();
    let generic = |name: &str| -> Option<&Generic> {
        kernel
            .generics
            .iter()
            .find(|generic| generic.name.text == name)
    };
    let named = |ty: &TypeExpr| match &ty.kind {
        TypeExprKind::Named(name) => generic(name),
        _ => None,
    };
    for (parameter, given) in kernel.parameters.iter().zip(given) {
        let (element, sizes): (&TypeExpr, &[ast::Expr]) = match &parameter.ty.kind {
            TypeExprKind::Tensor {
                element,
                dimensions,
                ..
            } => (element, dimensions),
            TypeExprKind::Pointer { element, .. } => (element, &[]),
            TypeExprKind::Named(_) => (&parameter.ty, &[]),
            TypeExprKind::Field { .. } | TypeExprKind::Tile { .. } | TypeExprKind::Tuple(_) => {
                continue;
            }
        };
        if let (Some(generic), Some(element)) = (named(element), given.element()) {
            found
                .entry(&generic.name.text)
                .or_insert_with(|| element.to_string());
        }
        for (size, known) in sizes.iter().zip(given.shape()) {
            if let ExprKind::Name(name) = &size.kind
                && let Some(generic) = generic(name)
            {
                found
                    .entry(&generic.name.text)
                    .or_insert_with(|| known.to_string());
            }
        }
    }
    for (name, text) in found {
        bindings.entry(name.to_owned()).or_insert(text);
    }
}
