//! What an expression elaborates to: something known at compile time, or a typed expression.

use tile_runtime::element::ElementType;

use super::builtins::Builtin;
use super::environment::Environment;
use crate::diagnostic::Span;
use crate::diagnostic::messages::Found;
use crate::source::FileId;
use crate::syntax::ast;
use crate::typed::{Constant, Element, Expr, ValueType, View};

/// The meaning of an expression.
#[derive(Debug, Clone)]
pub(super) enum Operand<'a> {
    /// Already reported; whatever is done with it is silently an error again.
    Error,
    /// Control never gets here: the value of a block that ends in `return`, `break` or `continue`.
    Never,
    /// An integer literal, or arithmetic on literals: takes the type its context asks for.
    Int(i128),
    /// The same with a point.
    Float(f64),
    /// A number known at compile time, with a type.
    Number(Number),
    /// `true` or `false` known at compile time.
    Bool(bool),
    /// Text; exists at compile time only.
    Str(String),
    /// An element type as a value: `f32` in `zeros([4], f32)`.
    Type(ElementType),
    /// Something that can be called.
    Function(Function<'a>),
    /// `[a, b]`: a shape or a list of choices.
    List(Vec<Located<'a>>),
    /// `(a, b)`; `()` is the value of statements.
    Tuple(Vec<Operand<'a>>),
    /// A tensor parameter: an index into the kernel's parameters.
    Tensor(usize),
    /// A region of a tensor.
    View(Box<ViewOperand>),
    /// A value of the running program.
    Value(Box<Expr>),
}

/// An operand and the expression it came from.
#[derive(Debug, Clone)]
pub(super) struct Located<'a> {
    pub operand: Operand<'a>,
    pub span: Span,
}

/// A number known at compile time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub element: ElementType,
    pub value: Constant,
    /// Whether it takes the type of a run-time value it meets, as a literal does. Consts and `let`s
    /// of literals are flexible, `1.0 as f64` is not.
    pub flexible: bool,
}

/// A region of a tensor, and what loading it gives.
#[derive(Debug, Clone)]
pub(super) struct ViewOperand {
    pub view: View,
    pub element: ElementType,
    pub mutable: bool,
}

/// Something that can be called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Function<'a> {
    /// Part of the language.
    Builtin(Builtin),
    /// `fn`: the file it is in and its declaration.
    Item {
        file: FileId,
        function: &'a ast::Function,
    },
    /// `|x| …` with what it can see.
    Closure {
        parameters: &'a [ast::FunctionParameter],
        body: &'a ast::Expr,
        /// What it can see: where it was written, not where it is called.
        environment: Environment,
        file: FileId,
    },
}

impl From<&Located<'_>> for Found {
    fn from(located: &Located<'_>) -> Self {
        Self {
            what: located.operand.describe(),
            span: located.span,
        }
    }
}

impl ViewOperand {
    /// The type of the tile it selects.
    pub fn ty(&self) -> ValueType {
        ValueType {
            element: Element::Number(self.element),
            shape: self.view.shape(),
        }
    }
}

impl<'a> Operand<'a> {
    /// `()`
    pub const UNIT: Self = Operand::Tuple(Vec::new());

    pub fn value(expr: Expr) -> Self {
        Operand::Value(Box::new(expr))
    }

    pub const fn at(self, span: Span) -> Located<'a> {
        Located {
            operand: self,
            span,
        }
    }

    /// Whether a problem in it was reported already (or it is never computed).
    pub const fn is_poison(&self) -> bool {
        matches!(self, Operand::Error | Operand::Never)
    }

    /// The type of a number, or of a tile's elements, that has one by itself; literals have none.
    pub fn own_element(&self) -> Option<ElementType> {
        match self {
            Operand::Value(value) => match value.ty.element {
                Element::Number(element) => Some(element),
                Element::Pointer { .. } => None,
            },
            operand => operand
                .number()
                .filter(|number| !number.flexible)
                .map(|number| number.element),
        }
    }

    /// A number known at compile time, literals with the type they have by themselves.
    pub const fn number(&self) -> Option<Number> {
        match self {
            Operand::Int(value) => Some(Number {
                element: ElementType::I32,
                value: Constant::Int(*value),
                flexible: true,
            }),
            Operand::Float(value) => Some(Number {
                element: ElementType::F32,
                value: Constant::Float(*value),
                flexible: true,
            }),
            Operand::Bool(value) => Some(Number {
                element: ElementType::I1,
                value: Constant::Int(*value as i128),
                flexible: true,
            }),
            Operand::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// How many values it holds, those of tuples inside included.
    pub fn values(&self) -> usize {
        match self {
            Operand::Tuple(items) => items.iter().map(Self::values).sum(),
            _ => 1,
        }
    }

    /// An integer known at compile time.
    pub const fn integer(&self) -> Option<i128> {
        match self {
            Operand::Int(value)
            | Operand::Number(Number {
                value: Constant::Int(value),
                ..
            }) => Some(*value),
            _ => None,
        }
    }

    /// What it is, for a diagnostic: `tile<f32>[64]`, "the text `"a"`", "a function".
    pub fn describe(&self) -> String {
        match self {
            Operand::Error | Operand::Never => "nothing".to_owned(),
            Operand::Int(value) => format!("the integer `{value}`"),
            Operand::Float(value) => format!("the number `{value:?}`"),
            Operand::Number(number) => format!("`{}`", number.element),
            Operand::Bool(_) => "`bool`".to_owned(),
            Operand::Str(text) => format!("the text `{text:?}`"),
            Operand::Type(element) => format!("the type `{element}`"),
            Operand::Function(Function::Builtin(builtin)) => {
                format!("the function `{}`", builtin.name())
            }
            Operand::Function(Function::Item { function, .. }) => {
                format!("the function `{}`", function.name.text)
            }
            Operand::Function(Function::Closure { .. }) => "a closure".to_owned(),
            Operand::List(_) => "a list".to_owned(),
            Operand::Tuple(items) if items.is_empty() => "`()`, no value".to_owned(),
            Operand::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Operand::type_name).collect();
                format!("the tuple `({})`", items.join(", "))
            }
            Operand::Tensor(_) => "a tensor".to_owned(),
            Operand::View(view) => format!("a view of `{}`", view.ty()),
            Operand::Value(expr) => format!("`{}`", expr.ty),
        }
    }

    /// Its type in the user's spelling, for use inside other types.
    pub fn type_name(&self) -> String {
        match self {
            Operand::Value(expr) => expr.ty.to_string(),
            Operand::Tuple(items) => {
                let items: Vec<String> = items.iter().map(Operand::type_name).collect();
                format!("({})", items.join(", "))
            }
            Operand::Str(_) => "str".to_owned(),
            Operand::Bool(_) => "bool".to_owned(),
            Operand::View(view) => format!("view of {}", view.ty()),
            Operand::Tensor(_) => "tensor".to_owned(),
            Operand::Function(_) => "function".to_owned(),
            Operand::List(_) => "list".to_owned(),
            Operand::Type(_) => "type".to_owned(),
            Operand::Error | Operand::Never => "_".to_owned(),
            Operand::Int(_) | Operand::Float(_) | Operand::Number(_) => self
                .number()
                .map_or_else(String::new, |number| number.element.to_string()),
        }
    }
}

/// The type of a scalar.
pub(super) const fn scalar(element: ElementType) -> ValueType {
    ValueType {
        element: Element::Number(element),
        shape: Vec::new(),
    }
}

/// The type of a tile, or of a scalar when the shape is empty.
pub(super) const fn tile(element: ElementType, shape: Vec<u64>) -> ValueType {
    ValueType {
        element: Element::Number(element),
        shape,
    }
}
