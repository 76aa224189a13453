//! Types as written, resolved.

use std::collections::HashMap;
use std::fmt;

use tile_runtime::element::ElementType;

use super::elaborator::Elaborator;
use super::operand::{Located, Operand, scalar, tile};
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, ExprKind, TypeExpr, TypeExprKind};
use crate::typed::{Element, ValueType};

/// What a `: type` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Annotation {
    /// Nothing (or a type that did not resolve, reported).
    Any,
    Str,
    Value(ValueType),
    Tuple(Vec<Annotation>),
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("_"),
            Self::Str => f.write_str("str"),
            Self::Value(ty) => write!(f, "{ty}"),
            Self::Tuple(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(f, "({})", items.join(", "))
            }
        }
    }
}

impl Annotation {
    /// What literals become.
    pub fn element(&self) -> Option<ElementType> {
        match self {
            Self::Value(ValueType {
                element: Element::Number(element),
                ..
            }) => Some(*element),
            _ => None,
        }
    }
}

impl<'a> Elaborator<'a> {
    /// A type that must be an element type.
    pub fn element_type(&mut self, ty: &'a TypeExpr) -> Option<ElementType> {
        match &ty.kind {
            TypeExprKind::Named(name) => match self.type_name(name, ty.span) {
                Operand::Type(element) => Some(element),
                operand if operand.is_poison() => None,
                _ => {
                    self.report(messages::types::not_a_type(name, ty.span));
                    None
                }
            },
            kind => {
                if let TypeExprKind::Field { of, field } = kind {
                    let of = self.name(&of.text, of.span).at(of.span);
                    match self.field_of(of, field, ty.span) {
                        Operand::Type(element) => return Some(element),
                        operand if operand.is_poison() => return None,
                        _ => {}
                    }
                }
                self.report(messages::types::expected_element_type(ty.span));
                None
            }
        }
    }

    fn type_name(&mut self, name: &str, span: Span) -> Operand<'a> {
        if let Some(binding) = self.scopes.find(self.environment, name) {
            return binding.operand.clone();
        }
        if name == "bool" {
            return Operand::Type(ElementType::I1);
        }
        match name.parse() {
            Ok(element) => Operand::Type(element),
            Err(_) => {
                let similar = super::suggest::translation(name).or_else(|| {
                    super::suggest::nearest(
                        name,
                        ElementType::ALL.iter().map(|element| element.name()),
                    )
                });
                self.error(messages::names::unknown_type(name, span, similar))
            }
        }
    }

    /// A type behind a `:`.
    pub fn annotation(&mut self, ty: &'a TypeExpr) -> Annotation {
        match &ty.kind {
            TypeExprKind::Named(name) if name == "str" => Annotation::Str,
            TypeExprKind::Named(_) | TypeExprKind::Field { .. } => match self.element_type(ty) {
                Some(element) => Annotation::Value(scalar(element)),
                None => Annotation::Any,
            },
            TypeExprKind::Pointer { mutable, element } => match self.element_type(element) {
                Some(pointee) => Annotation::Value(ValueType {
                    element: Element::Pointer {
                        pointee,
                        mutable: *mutable,
                    },
                    shape: Vec::new(),
                }),
                None => Annotation::Any,
            },
            TypeExprKind::Tile { element, shape } => self.tile_annotation(element, shape, ty.span),
            TypeExprKind::Tuple(items) => {
                Annotation::Tuple(items.iter().map(|item| self.annotation(item)).collect())
            }
            TypeExprKind::Tensor { .. } => {
                self.report(messages::types::tensor_type_here(ty.span));
                Annotation::Any
            }
        }
    }

    fn tile_annotation(
        &mut self,
        element: &'a TypeExpr,
        shape: &'a [ast::Expr],
        span: Span,
    ) -> Annotation {
        let pointer = match &element.kind {
            TypeExprKind::Pointer { mutable, element } => Some((*mutable, element)),
            _ => None,
        };
        let element = match pointer {
            Some((mutable, pointee)) => self
                .element_type(pointee)
                .map(|pointee| Element::Pointer { pointee, mutable }),
            None => self.element_type(element).map(Element::Number),
        };
        let mut sizes = Vec::new();
        for size in shape {
            let located = self.located(size);
            match self.size(&located, "a size of a tile") {
                Some(size) => sizes.push(size),
                None => return Annotation::Any,
            }
        }
        match element {
            Some(element) if self.check_elements(&sizes, span) => Annotation::Value(ValueType {
                element,
                shape: sizes,
            }),
            _ => Annotation::Any,
        }
    }

    /// Binds the generics of a function that its parameter types mention, from the arguments.
    pub fn infer(
        &self,
        ty: &'a TypeExpr,
        operand: &Operand<'a>,
        unknown: &[&'a ast::Generic],
        found: &mut HashMap<&'a str, Operand<'a>>,
    ) {
        let generic = |name: &str| unknown.iter().find(|generic| generic.name.text == name);
        let value_type = match operand {
            Operand::Value(expr) => expr.ty.clone(),
            operand => match operand.number() {
                Some(number) => scalar(number.element),
                None => tile(ElementType::I1, Vec::new()),
            },
        };
        match (&ty.kind, operand) {
            (TypeExprKind::Named(name), _) => {
                if let (Some(generic), Element::Number(element)) =
                    (generic(name), value_type.element)
                {
                    found
                        .entry(&generic.name.text)
                        .or_insert(Operand::Type(element));
                }
            }
            (TypeExprKind::Tuple(types), Operand::Tuple(items)) => {
                for (ty, item) in types.iter().zip(items) {
                    self.infer(ty, item, unknown, found);
                }
            }
            (TypeExprKind::Pointer { element, .. }, _) => {
                if let (TypeExprKind::Named(name), Element::Pointer { pointee, .. }) =
                    (&element.kind, value_type.element)
                    && let Some(generic) = generic(name)
                {
                    found
                        .entry(&generic.name.text)
                        .or_insert(Operand::Type(pointee));
                }
            }
            (TypeExprKind::Tile { element, shape }, _) => {
                let element_of = value_type.element;
                let inner = match (&element.kind, element_of) {
                    (TypeExprKind::Pointer { element, .. }, Element::Pointer { pointee, .. }) => {
                        Some((element.as_ref(), pointee))
                    }
                    (_, Element::Number(number)) => Some((element.as_ref(), number)),
                    _ => None,
                };
                if let Some((
                    TypeExpr {
                        kind: TypeExprKind::Named(name),
                        ..
                    },
                    number,
                )) = inner
                    && let Some(generic) = generic(name)
                {
                    found
                        .entry(&generic.name.text)
                        .or_insert(Operand::Type(number));
                }
                for (size, known) in shape.iter().zip(&value_type.shape) {
                    if let ExprKind::Name(name) = &size.kind
                        && let Some(generic) = generic(name)
                    {
                        found
                            .entry(&generic.name.text)
                            .or_insert(Operand::Int(i128::from(*known)));
                    }
                }
            }
            _ => {}
        }
    }

    /// The element type an operand names.
    pub fn type_operand(&mut self, located: &Located<'a>) -> Option<ElementType> {
        match located.operand {
            Operand::Type(element) => Some(element),
            ref operand if operand.is_poison() => None,
            _ => {
                self.report(messages::types::expected(
                    located,
                    "an element type such as `f32`",
                ));
                None
            }
        }
    }
}
