//! Expressions: what each form of syntax means.

use tile_runtime::element::ElementType;

use super::builtins::{Builtin, Signature};
use super::elaborator::Elaborator;
use super::operand::{Function, Located, Operand};
use super::suggest;
use crate::diagnostic::{Span, messages};
use crate::syntax::ast::{self, ExprKind, Item, TypeExprKind};
use crate::typed::{Constant, Element};

/// Values that a tuple may have, those of tuples inside included.
const MOST_VALUES: usize = 4096;

impl<'a> Elaborator<'a> {
    pub fn expr(&mut self, expr: &'a ast::Expr) -> Operand<'a> {
        self.expr_expecting(expr, None)
    }

    pub fn located(&mut self, expr: &'a ast::Expr) -> Located<'a> {
        self.expr(expr).at(expr.span)
    }

    /// `expected` is the element that the context asks for: literals under an `if` or a block need
    /// it before their value leaves it.
    pub fn expr_expecting(
        &mut self,
        expr: &'a ast::Expr,
        expected: Option<ElementType>,
    ) -> Operand<'a> {
        self.deeper(expr.span, |this| {
            let operand = this.expr_kind(expr, expected);
            // Keeps typed expressions shallow however deep the source is.
            if this.is_deep() {
                this.once_operand(operand, None)
            } else {
                operand
            }
        })
    }

    fn expr_kind(&mut self, expr: &'a ast::Expr, expected: Option<ElementType>) -> Operand<'a> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(Some(value)) => match i128::try_from(*value) {
                Ok(value) => Operand::Int(value),
                Err(_) => self.error(messages::consts::literal_too_large(span)),
            },
            ExprKind::Int(None) | ExprKind::Error => Operand::Error,
            ExprKind::Float(value) => Operand::Float(*value),
            ExprKind::Bool(value) => Operand::Bool(*value),
            ExprKind::Str(text) => Operand::Str(text.clone()),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Type(ty) => match self.element_type(ty) {
                Some(element) => Operand::Type(element),
                None => Operand::Error,
            },
            ExprKind::Unary { operator, operand } => {
                let operand = self.located(operand);
                self.unary(*operator, operand, span)
            }
            ExprKind::Binary {
                operator,
                left,
                right,
            } => self.binary_expr(*operator, left, right, span),
            ExprKind::Cast { value, ty } => {
                let value = self.located(value);
                if let TypeExprKind::Pointer { mutable, element } = &ty.kind {
                    return match self.element_type(element) {
                        Some(pointee) => self.cast_to_pointer(value, pointee, *mutable, span),
                        None => Operand::Error,
                    };
                }
                match self.element_type(ty) {
                    Some(element) => self.cast_operand(value, element, span),
                    None => Operand::Error,
                }
            }
            ExprKind::Call { callee, arguments } => self.call_expr(callee, arguments, span),
            ExprKind::Index { base, indices } => self.index_expr(base, indices, span),
            ExprKind::Field { base, name } => self.field(base, name, span),
            ExprKind::TupleField { base, index } => self.tuple_field(base, *index, span),
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then, otherwise.as_ref(), expected, span),
            ExprKind::Block(block) => self.block(block, expected),
            ExprKind::Tuple(items) => {
                let items = self.operands(items).into_iter();
                let items: Vec<_> = items.map(|located| located.operand).collect();
                if items.iter().map(Operand::values).sum::<usize>() > MOST_VALUES {
                    return self.error(messages::consts::large_tuple(MOST_VALUES, span));
                }
                Operand::Tuple(items)
            }
            ExprKind::List(items) => Operand::List(self.operands(items)),
            ExprKind::Closure { parameters, body } => Operand::Function(Function::Closure {
                parameters,
                body,
                environment: self.environment,
                file: self.file,
            }),
        }
    }

    /// What a name means here: innermost first, then the file, then the language.
    pub fn name(&mut self, name: &str, span: Span) -> Operand<'a> {
        if let Some(binding) = self.scopes.find(self.environment, name) {
            let mut operand = binding.operand.clone();
            relocate(&mut operand, span);
            return operand;
        }
        if let Some(declaration) = self.files.find(self.file, name) {
            return match declaration.item {
                Item::Function(function) => Operand::Function(Function::Item {
                    file: declaration.file,
                    function,
                }),
                Item::Const(constant) => self.constant(declaration, constant, span),
                Item::Kernel(kernel) => self.error(messages::names::kernel_as_value(
                    name,
                    span,
                    kernel.name.span,
                )),
                Item::Test(_) | Item::Import(_) => {
                    self.error(messages::names::unknown(name, span, None))
                }
            };
        }
        // Imported from a file that could not be loaded: reported there.
        if self.files.imports(self.file, name) {
            return Operand::Error;
        }
        match builtin_name(name) {
            Some(operand) => operand,
            None => self.unknown_name(name, span),
        }
    }

    pub fn unknown_name(&mut self, name: &str, span: Span) -> Operand<'a> {
        if let Some(diagnostic) = messages::names::foreign(name, span) {
            return self.error(diagnostic);
        }
        let mut names: Vec<&str> = Signature::names().collect();
        names.extend(ElementType::ALL.iter().map(|element| element.name()));
        names.extend(self.files.names(self.file));
        names.extend(self.variables());
        if self.host.is_some() {
            names.extend(super::host::names().map(|name: &str| name));
        }
        let similar = match suggest::translation(name) {
            Some(translation) => Some(translation.to_owned()),
            None => suggest::nearest(name, names).map(str::to_owned),
        };
        self.error(messages::names::unknown(name, span, similar.as_deref()))
    }

    /// The target of an assignment that nothing in scope is called. From here on it is known, so
    /// that this is said once.
    pub fn unknown_target(&mut self, name: &'a str, span: Span) {
        let similar = suggest::nearest(name, self.variables()).map(str::to_owned);
        self.report(messages::names::unknown_target(
            name,
            span,
            similar.as_deref(),
        ));
        self.bind(name, Operand::Error, true, span);
    }

    fn variables(&self) -> impl Iterator<Item = &str> {
        self.scopes
            .iter(self.environment)
            .map(|binding| binding.name.as_str())
    }

    fn field(&mut self, base: &'a ast::Expr, name: &'a ast::Name, span: Span) -> Operand<'a> {
        // `fast.exp` is a name with a point in it, unless something else is called `fast`.
        if let ExprKind::Name(namespace) = &base.kind
            && namespace == "fast"
            && self.scopes.find(self.environment, namespace).is_none()
        {
            let full = format!("fast.{}", name.text);
            return match Builtin::find(&full) {
                Some(builtin) => Operand::Function(Function::Builtin(builtin)),
                None => {
                    let fast = Signature::names().filter_map(|name| name.strip_prefix("fast."));
                    let known: Vec<&str> = fast.collect();
                    let similar = suggest::nearest(&name.text, known.iter().copied());
                    self.error(messages::names::unknown_fast(
                        &name.text, name.span, similar, &known,
                    ))
                }
            };
        }
        let base = self.located(base);
        self.field_of(base, name, span)
    }

    /// `base.name`.
    pub fn field_of(&mut self, base: Located<'a>, name: &'a ast::Name, span: Span) -> Operand<'a> {
        if name.text == "dtype"
            && let Some(element) = self.element_of(&base.operand)
        {
            return Operand::Type(element);
        }
        match (&base.operand, name.text.as_str()) {
            (operand, _) if operand.is_poison() => Operand::Error,
            (Operand::Value(_), "T") => self.transpose(base, span),
            (Operand::Value(_) | Operand::Tensor(_), "shape") => self.sizes_of(base, span),
            _ => self.error(messages::names::unknown_field(&base, name)),
        }
    }

    /// The type of the numbers that an operand consists of.
    fn element_of(&self, operand: &Operand<'a>) -> Option<ElementType> {
        match operand {
            Operand::Number(number) => Some(number.element),
            Operand::Value(expr) => match expr.ty.element {
                Element::Number(element) => Some(element),
                Element::Pointer { .. } => None,
            },
            Operand::Tensor(index) => {
                let pointer = self.tensor(*index)?.pointer;
                match self.variables[pointer.0 as usize].ty.element {
                    Element::Pointer { pointee, .. } => Some(pointee),
                    Element::Number(_) => None,
                }
            }
            _ => None,
        }
    }

    fn tuple_field(&mut self, base: &'a ast::Expr, index: u32, span: Span) -> Operand<'a> {
        let base = self.located(base);
        match base.operand {
            Operand::Tuple(ref items) => match items.get(index as usize) {
                Some(item) => item.clone(),
                None => self.error(messages::names::tuple_field_missing(
                    index,
                    items.len(),
                    span,
                )),
            },
            ref operand if operand.is_poison() => Operand::Error,
            _ => self.error(messages::types::expected(&base, "a tuple")),
        }
    }
}

/// Reading a binding is an expression at the place of the reading.
fn relocate(operand: &mut Operand<'_>, span: Span) {
    match operand {
        Operand::Value(expr) => expr.span = span,
        Operand::View(view) => view.view.span = span,
        Operand::Tuple(items) => {
            for item in items {
                relocate(item, span);
            }
        }
        Operand::List(items) => {
            for item in items {
                relocate(&mut item.operand, span);
                item.span = span;
            }
        }
        _ => {}
    }
}

/// Names that are part of the language.
pub(super) fn builtin_name<'a>(name: &str) -> Option<Operand<'a>> {
    match name {
        "inf" => return Some(Operand::Float(f64::INFINITY)),
        "nan" => return Some(Operand::Float(f64::NAN)),
        "bool" => return Some(Operand::Type(ElementType::I1)),
        _ => {}
    }
    if let Ok(element) = name.parse::<ElementType>() {
        return Some(Operand::Type(element));
    }
    Builtin::find(name).map(|builtin| Operand::Function(Function::Builtin(builtin)))
}

/// A compile-time number as a literal would be written.
pub(super) const fn literal<'a>(value: Constant) -> Operand<'a> {
    match value {
        Constant::Int(value) => Operand::Int(value),
        Constant::Float(value) => Operand::Float(value),
    }
}
