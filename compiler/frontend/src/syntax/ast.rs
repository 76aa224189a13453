//! The abstract syntax tree: a `.tile` file as written, every node with its span.
//!
//! Nothing here is resolved or checked: names are text, numbers are digits, a tile size is an
//! expression. [`crate::sema`] gives it meaning.

use crate::diagnostic::Span;

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// `//!` lines at the top, without the marker and one leading space.
    pub header: Vec<HeaderLine>,
    /// What it declares, in order.
    pub items: Vec<Item>,
}

/// A `//!` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderLine {
    /// The text behind `//!`, trimmed.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A declaration at file level.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// `kernel name<…>(…) grid(…) { … }`
    Kernel(Kernel),
    /// `fn name(…) { … }`
    Function(Function),
    /// `const NAME: i32 = …;`
    Const(ConstItem),
    /// `import "file.tile" { a, b };`
    Import(Import),
    /// `test name { … }`
    Test(TestBlock),
}

/// A kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// `///` lines, without marker and leading space.
    pub docs: Vec<String>,
    /// `#[…]`
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// `<T: float = f16, const BM: i32 = 128>`
    pub generics: Vec<Generic>,
    /// Run-time parameters.
    pub parameters: Vec<Parameter>,
    /// `grid(x, y, z)`
    pub grid: Option<Grid>,
    /// `tune BM in [64, 128]` clauses.
    pub tunes: Vec<Tune>,
    /// What it does.
    pub body: Block,
    /// From `kernel` to the closing brace.
    pub span: Span,
}

/// `grid(x, y, z)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// One to three expressions (the number is checked later).
    pub axes: Vec<Expr>,
    /// With `grid`.
    pub span: Span,
}

/// `#[name(args)]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Name.
    pub name: Name,
    /// Arguments, if any.
    pub arguments: Vec<Expr>,
    /// With the brackets.
    pub span: Span,
}

/// A generic parameter of a kernel or function.
#[derive(Debug, Clone, PartialEq)]
pub struct Generic {
    /// Its name.
    pub name: Name,
    /// Type or const.
    pub kind: GenericKind,
    /// The default.
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// What a generic stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum GenericKind {
    /// `T: float`: an element type of a class (`float`, `int`, `any`).
    Type {
        /// The class.
        class: Name,
    },
    /// `const N: i32`.
    Const {
        /// `i32`, `bool`, `f32`, `str`, …
        ty: Name,
    },
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeExpr,
    /// All of it.
    pub span: Span,
}

/// `tune NAME in [a, b, c]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tune {
    /// The generic it is for.
    pub name: Name,
    /// The values to try; the first is the default.
    pub values: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// A function: generic by omission, inlined.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// `///` lines.
    pub docs: Vec<String>,
    /// `#[…]`
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// `<…>`
    pub generics: Vec<Generic>,
    /// Parameters, types optional.
    pub parameters: Vec<FunctionParameter>,
    /// `-> type`
    pub result: Option<TypeExpr>,
    /// What it does; its value is the block's.
    pub body: Block,
    /// From `fn` to the closing brace.
    pub span: Span,
}

/// A parameter of a function or closure.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionParameter {
    /// `const name`: known at compile time.
    pub is_const: bool,
    /// What it binds.
    pub pattern: Pattern,
    /// `: type`
    pub ty: Option<TypeExpr>,
    /// `= default`
    pub default: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// `const NAME: ty = value;`
#[derive(Debug, Clone, PartialEq)]
pub struct ConstItem {
    /// `///` lines.
    pub docs: Vec<String>,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Option<TypeExpr>,
    /// Its value.
    pub value: Expr,
    /// All of it.
    pub span: Span,
}

/// `import "path" { names };`
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The path as written, relative to the importing file.
    pub path: String,
    /// Where the path stands.
    pub path_span: Span,
    /// What is taken.
    pub names: Vec<Name>,
    /// All of it.
    pub span: Span,
}

/// `test name { … }`
#[derive(Debug, Clone, PartialEq)]
pub struct TestBlock {
    /// `///` lines.
    pub docs: Vec<String>,
    /// `#[ignore]`.
    pub attributes: Vec<Attribute>,
    /// Its name.
    pub name: Name,
    /// Host-level statements.
    pub body: Block,
    /// All of it.
    pub span: Span,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeExpr {
    /// Which.
    pub kind: TypeExprKind,
    /// Where.
    pub span: Span,
}

/// The forms of a type.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeExprKind {
    /// `f32`, `T`, `bool`, `str`.
    Named(String),
    /// `x.dtype`, the element type of a value.
    Field {
        /// The value.
        of: Name,
        /// `dtype`.
        field: Name,
    },
    /// `ptr<T>`, `mut ptr<T>`.
    Pointer {
        /// `mut`.
        mutable: bool,
        /// What it points to.
        element: Box<TypeExpr>,
    },
    /// `tensor<T>[m, k]`, `mut tensor<T>[m, k] strides(s, 1)`.
    Tensor {
        /// `mut`.
        mutable: bool,
        /// Its elements.
        element: Box<TypeExpr>,
        /// Sizes: names to bind, literals or generics.
        dimensions: Vec<Expr>,
        /// `strides(…)`.
        strides: Option<Vec<StrideExpr>>,
    },
    /// `tile<T>[a, b]`.
    Tile {
        /// Its elements.
        element: Box<TypeExpr>,
        /// Its sizes.
        shape: Vec<Expr>,
    },
    /// `(a, b)`.
    Tuple(Vec<TypeExpr>),
}

/// A stride in `strides(…)`.
#[derive(Debug, Clone, PartialEq)]
pub enum StrideExpr {
    /// `_`: free.
    Free(Span),
    /// A name to bind, or a constant.
    Value(Expr),
}

/// `{ statements; tail }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// In order.
    pub statements: Vec<Stmt>,
    /// The value of the block, if it ends in an expression without `;`.
    pub tail: Option<Box<Expr>>,
    /// With the braces.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where, `;` included.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// `let pattern: ty = value;`
    Let {
        /// What it binds.
        pattern: Pattern,
        /// `: type`
        ty: Option<TypeExpr>,
        /// The value.
        value: Expr,
    },
    /// `target = value;` or `target += value;`
    Assign {
        /// A name or a tuple of them (checked later).
        target: Expr,
        /// The operator of a compound assignment.
        operator: Option<BinaryOperator>,
        /// The value.
        value: Expr,
    },
    /// `for pattern in range { … }`, `static for …`.
    For {
        /// `#[…]` on the loop.
        attributes: Vec<Attribute>,
        /// `static for`.
        is_static: bool,
        /// The variable.
        pattern: Pattern,
        /// `range(lo, hi, step)`.
        range: Expr,
        /// The body.
        body: Block,
    },
    /// `while condition { … }`
    While {
        /// `#[…]` on the loop.
        attributes: Vec<Attribute>,
        /// Scalar condition.
        condition: Expr,
        /// The body.
        body: Block,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;` or `return value;`
    Return(Option<Expr>),
    /// An expression for its effect, or `if` / a block as a statement.
    Expr(Expr),
    /// Text that did not parse; already reported.
    Error,
}

/// What `let`, `for` and parameters bind.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// `x`, `mut x`.
    Name {
        /// `mut`.
        mutable: bool,
        /// The name.
        name: Name,
    },
    /// `_`.
    Wildcard(Span),
    /// `(a, _)`.
    Tuple {
        /// In order.
        items: Vec<Pattern>,
        /// With the parentheses.
        span: Span,
    },
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `42`, `0xff`, `1_000`. `None` when it does not fit 128 bits (already reported).
    Int(Option<u128>),
    /// `1.5`, `1e-5`, `inf`, `nan` are names; this is a literal with a point or exponent.
    Float(f64),
    /// `true`, `false`.
    Bool(bool),
    /// `"text"`, escapes resolved.
    Str(String),
    /// A name.
    Name(String),
    /// A type where an expression may stand: `zeros([4], f32)`, `full(s, 0, tile…)`. Plain type
    /// names arrive as [`ExprKind::Name`].
    Type(Box<TypeExpr>),
    /// `-x`, `!x`.
    Unary {
        /// Operator.
        operator: UnaryOperator,
        /// Operand.
        operand: Box<Expr>,
    },
    /// `a + b`.
    Binary {
        /// Operator.
        operator: BinaryOperator,
        /// Left.
        left: Box<Expr>,
        /// Right.
        right: Box<Expr>,
    },
    /// `x as f16`.
    Cast {
        /// The value.
        value: Box<Expr>,
        /// The type.
        ty: TypeExpr,
    },
    /// `f(a, name = b)`, also `f<f32, 4>(a)`? No: generics of functions are inferred.
    Call {
        /// A name, or a field such as `fast.exp`.
        callee: Box<Expr>,
        /// In order.
        arguments: Vec<Argument>,
    },
    /// `x[i +: 4, :, None]`.
    Index {
        /// A tensor or tile.
        base: Box<Expr>,
        /// One per dimension.
        indices: Vec<Index>,
    },
    /// `x.T`, `fast.exp`.
    Field {
        /// What it is of.
        base: Box<Expr>,
        /// The field.
        name: Name,
    },
    /// `t.0`.
    TupleField {
        /// The tuple.
        base: Box<Expr>,
        /// The position.
        index: u32,
    },
    /// `if c { … } else { … }`; `else if` is an else block with an `if` tail.
    If {
        /// Scalar condition.
        condition: Box<Expr>,
        /// Taken when true.
        then: Block,
        /// Taken when false.
        otherwise: Option<Block>,
    },
    /// `{ … }`.
    Block(Block),
    /// `(a, b)`, `()`.
    Tuple(Vec<Expr>),
    /// `[a, b]`: a shape or a list.
    List(Vec<Expr>),
    /// `|x, y| x + y`.
    Closure {
        /// Parameters.
        parameters: Vec<FunctionParameter>,
        /// The value.
        body: Box<Expr>,
    },
    /// Text that did not parse; already reported.
    Error,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// `name =`.
    pub name: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// One position inside `[…]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Index {
    /// `:`.
    Full(Span),
    /// `None`: a new dimension of size 1.
    NewAxis(Span),
    /// `start +: width`.
    Range {
        /// Where it starts.
        start: Expr,
        /// How many (known at compile time).
        width: Expr,
    },
    /// A scalar (drops the dimension) or a tile of indices (gather).
    At(Expr),
}

/// Prefix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`: logical on `bool`, bitwise on integers.
    Not,
}

/// Infix operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    LogicalAnd,
    LogicalOr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl BinaryOperator {
    /// How it is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// Whether it yields `i1`.
    #[must_use]
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }
}
