//! Generics of a kernel: from `-D`, from `tune`, from defaults.

use std::collections::BTreeMap;

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::{Located, Number, Operand};
use super::values::truth;
use super::{numbers, suggest};
use crate::diagnostic::messages;
use crate::syntax::ast::{self, Generic, GenericKind, Kernel, Name};
use crate::typed::Constant;

/// Whether an element type is of a class, or `None` if there is no such class.
pub(super) fn is_of_class(element: ElementType, class: &str) -> Option<bool> {
    Some(match class {
        "float" => element.is_float(),
        "int" => element.is_integer() && element != ElementType::I1,
        "any" => true,
        _ => return None,
    })
}

/// The type that stands for a class when a file is only checked.
pub(super) fn representative(class: &str) -> &'static str {
    if class == "int" { "i32" } else { "f32" }
}

impl<'a> Elaborator<'a> {
    /// Binds the generics of the kernel in order; later ones may use earlier ones. The result is
    /// what they are bound to, as text.
    pub fn bind_kernel_generics(
        &mut self,
        kernel: &'a Kernel,
        bindings: &BTreeMap<String, String>,
    ) -> Option<BTreeMap<String, String>> {
        let mut good = self.check_binding_names(kernel, bindings);
        let mut bound = BTreeMap::new();
        let mut seen: Vec<&Name> = Vec::new();
        for generic in &kernel.generics {
            let name = &generic.name;
            if let Some(first) = seen.iter().find(|first| first.text == name.text) {
                self.report(messages::names::duplicate(
                    &name.text, name.span, first.span,
                ));
            }
            seen.push(name);
            let operand = self.kernel_generic(kernel, generic, bindings.get(&name.text));
            good &= !operand.is_poison();
            if let Some(text) = binding_text(&operand) {
                bound.insert(name.text.clone(), text);
            }
            self.bind(&name.text, operand, false, name.span);
        }
        self.check_tunes(kernel);
        good.then_some(bound)
    }

    /// The generics with `tune` clauses in the order in which they are declared, each with the texts of its values, once
    /// each. The generics must be bound.
    pub fn tune_choices(&mut self, kernel: &'a Kernel) -> Vec<(String, Vec<String>)> {
        let mut choices = Vec::new();
        for generic in &kernel.generics {
            let name = &generic.name.text;
            let Some(tune) = kernel.tunes.iter().find(|tune| tune.name.text == *name) else {
                continue;
            };
            let mut texts = Vec::new();
            for value in &tune.values {
                let located = self.located(value);
                let operand = self.check_generic(generic, located);
                texts.extend(binding_text(&operand).filter(|text| !texts.contains(text)));
            }
            choices.push((name.clone(), texts));
        }
        choices
    }

    fn check_binding_names(
        &mut self,
        kernel: &Kernel,
        bindings: &BTreeMap<String, String>,
    ) -> bool {
        let mut good = true;
        for name in bindings.keys() {
            if kernel
                .generics
                .iter()
                .any(|generic| generic.name.text == *name)
            {
                continue;
            }
            let names: Vec<&str> = kernel
                .generics
                .iter()
                .map(|generic| generic.name.text.as_str())
                .collect();
            let similar = suggest::nearest(name, names.iter().copied());
            self.report(messages::generics::unknown_binding(
                name,
                &kernel.name.text,
                kernel.name.span,
                similar,
                &names,
            ));
            good = false;
        }
        good
    }

    fn kernel_generic(
        &mut self,
        kernel: &'a Kernel,
        generic: &'a Generic,
        text: Option<&String>,
    ) -> Operand<'a> {
        let name = &generic.name;
        if let Some(text) = text {
            return self.bound_by_text(generic, text);
        }
        let tune = kernel.tunes.iter().find(|tune| tune.name.text == name.text);
        let default = tune
            .and_then(|tune| tune.values.first())
            .or(generic.default.as_ref());
        let Some(default) = default else {
            return self.error(match &generic.kind {
                GenericKind::Type { class } => {
                    messages::generics::missing_type(&name.text, &class.text, self.bound, name.span)
                }
                GenericKind::Const { ty } => {
                    messages::generics::missing_const(&name.text, &ty.text, self.bound, name.span)
                }
            });
        };
        let located = self.located(default);
        self.check_generic(generic, located)
    }

    fn check_generic(&mut self, generic: &'a Generic, located: Located<'a>) -> Operand<'a> {
        match &generic.kind {
            GenericKind::Type { class } => self.check_class(class, located),
            GenericKind::Const { ty } => self.check_const(&generic.name.text, ty, located),
        }
    }

    /// Values of `tune` are checked even where the first one or `-D` is taken.
    fn check_tunes(&mut self, kernel: &'a Kernel) {
        let mut seen: Vec<&Name> = Vec::new();
        for tune in &kernel.tunes {
            if let Some(first) = seen.iter().find(|first| first.text == tune.name.text) {
                self.report(messages::generics::tuned_twice(
                    &tune.name.text,
                    tune.name.span,
                    first.span,
                ));
            }
            seen.push(&tune.name);
            let Some(generic) = kernel
                .generics
                .iter()
                .find(|generic| generic.name.text == tune.name.text)
            else {
                let names = kernel
                    .generics
                    .iter()
                    .map(|generic| generic.name.text.as_str());
                let similar = suggest::nearest(&tune.name.text, names);
                self.report(messages::generics::unknown_tune(
                    &tune.name.text,
                    tune.name.span,
                    similar,
                ));
                continue;
            };
            if tune.values.is_empty() {
                self.report(messages::generics::empty_tune(&tune.name.text, tune.span));
            }
            for value in &tune.values {
                let located = self.located(value);
                self.check_generic(generic, located);
            }
        }
    }

    /// A type of the class.
    pub fn check_class(&mut self, class: &'a Name, located: Located<'a>) -> Operand<'a> {
        match located.operand {
            Operand::Type(element) => match is_of_class(element, &class.text) {
                Some(true) => Operand::Type(element),
                Some(false) => self.error(messages::generics::wrong_class(
                    element,
                    &class.text,
                    located.span,
                )),
                None => self.error(messages::generics::unknown_class(&class.text, class.span)),
            },
            ref operand if operand.is_poison() => Operand::Error,
            _ => self.error(messages::types::expected(
                &located,
                "an element type such as `f32`",
            )),
        }
    }

    /// A compile-time value of the type of a `const`.
    pub fn check_const(&mut self, name: &str, ty: &'a Name, located: Located<'a>) -> Operand<'a> {
        let span = located.span;
        let what = format!("the const `{name}`");
        match (&located.operand, ty.text.as_str()) {
            (operand, _) if operand.is_poison() => Operand::Error,
            (Operand::Str(_), "str") | (Operand::Bool(_), "bool" | "i1") => located.operand,
            (Operand::Value(_), _) => self.error(messages::consts::not_known(&what, &located)),
            (_, "str" | "bool" | "i1") => self.error(messages::types::mismatch(&ty.text, &located)),
            (operand, wanted) => match (wanted.parse::<ElementType>(), operand.number()) {
                (Err(_), _) => {
                    self.error(messages::generics::unknown_const_type(&ty.text, ty.span))
                }
                (Ok(_), None) => self.error(messages::types::mismatch(&ty.text, &located)),
                (Ok(element), Some(number)) => {
                    let untyped = matches!(operand, Operand::Int(_) | Operand::Float(_));
                    let boolean = number.element == ElementType::I1;
                    if boolean || (!untyped && number.element.is_float() && element.is_integer()) {
                        return self.error(messages::types::mismatch(&ty.text, &located));
                    }
                    match self.fit(number.value, element, span) {
                        Some(value) => Operand::Number(Number {
                            element,
                            value,
                            flexible: true,
                        }),
                        None => Operand::Error,
                    }
                }
            },
        }
    }

    /// `-D NAME=text`.
    fn bound_by_text(&mut self, generic: &'a Generic, text: &str) -> Operand<'a> {
        let name = &generic.name;
        let at = name.span;
        match &generic.kind {
            GenericKind::Type { class } => match text.parse::<ElementType>() {
                Ok(element) => self.check_class(class, Operand::Type(element).at(at)),
                Err(_) => {
                    let names = ElementType::ALL.iter().map(|element| element.name());
                    let similar =
                        suggest::translation(text).or_else(|| suggest::nearest(text, names));
                    self.error(messages::generics::bad_type_text(
                        &name.text, text, self.bound, at, similar,
                    ))
                }
            },
            GenericKind::Const { ty } => match parse_text(text, &ty.text) {
                Some(operand) => self.check_const(&name.text, ty, operand.at(at)),
                None => self.error(messages::generics::bad_const_text(
                    &name.text, &ty.text, text, self.bound, at,
                )),
            },
        }
    }
}

/// The text of a const on the command line.
fn parse_text<'a>(text: &str, ty: &str) -> Option<Operand<'a>> {
    match ty {
        "str" => Some(Operand::Str(text.to_owned())),
        "bool" | "i1" => text.parse().ok().map(Operand::Bool),
        _ => {
            let digits = text.replace('_', "");
            if let Some(hex) = digits.strip_prefix("0x") {
                return i128::from_str_radix(hex, 16).ok().map(Operand::Int);
            }
            match digits.parse::<i128>() {
                Ok(value) => Some(Operand::Int(value)),
                Err(_) => {
                    let value = digits.parse::<f64>().ok()?;
                    let is_float = ty.parse::<ElementType>().is_ok_and(ElementType::is_float);
                    // A number that is too large is refused, as in the source.
                    let written =
                        value.is_finite() || !digits.contains(|c: char| c.is_ascii_digit());
                    (is_float && written).then_some(Operand::Float(value))
                }
            }
        }
    }
}

pub(super) fn binding_text(operand: &Operand<'_>) -> Option<String> {
    match operand {
        Operand::Type(element) => Some(element.to_string()),
        Operand::Str(text) => Some(text.clone()),
        Operand::Bool(value) => Some(value.to_string()),
        Operand::Number(number) if number.element == ElementType::I1 => {
            Some(truth(number.value).to_string())
        }
        Operand::Number(Number {
            value: Constant::Int(value),
            ..
        }) => Some(value.to_string()),
        Operand::Number(number) => Some(numbers::text(*number)),
        _ => None,
    }
}

/// Whether the kernel can be elaborated without any `-D`: for checking a file.
pub(super) fn defaults_suffice(kernel: &ast::Kernel) -> Option<BTreeMap<String, String>> {
    let mut bindings = BTreeMap::new();
    for generic in &kernel.generics {
        let tuned = kernel
            .tunes
            .iter()
            .any(|tune| tune.name.text == generic.name.text);
        if generic.default.is_some() || tuned {
            continue;
        }
        match &generic.kind {
            GenericKind::Type { class } => {
                bindings.insert(
                    generic.name.text.clone(),
                    representative(&class.text).to_owned(),
                );
            }
            GenericKind::Const { .. } => return None,
        }
    }
    Some(bindings)
}
