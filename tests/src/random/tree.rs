//! What a random program is made of: a tree that can be printed and made smaller.
//!
//! An expression is a text with holes (`max($0, $1)`) and what fills them. So whatever shrinks a
//! program needs no knowledge of the language: only types count.

use tile_runtime::element::ElementType;

/// The type of a value, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// The element.
    pub element: ElementType,
    /// Sizes; none for a scalar.
    pub shape: Vec<usize>,
    /// If known, all elements are whole numbers of at most this magnitude. Sums of such floats are
    /// exact in any order.
    pub bound: Option<u64>,
}

impl Type {
    /// Anything of an element and a shape.
    #[must_use]
    pub fn of(element: ElementType, shape: &[usize]) -> Self {
        Self {
            element,
            shape: shape.to_vec(),
            bound: None,
        }
    }

    /// Any scalar.
    #[must_use]
    pub fn scalar(element: ElementType) -> Self {
        Self::of(element, &[])
    }

    /// The same with whole numbers up to a bound.
    #[must_use]
    pub fn bounded(mut self, bound: Option<u64>) -> Self {
        self.bound = bound;
        self
    }

    /// The same with another shape.
    #[must_use]
    pub fn with_shape(&self, shape: &[usize]) -> Self {
        Self {
            shape: shape.to_vec(),
            ..self.clone()
        }
    }

    /// The same with another element.
    #[must_use]
    pub fn of_element(&self, element: ElementType) -> Self {
        Self {
            element,
            ..self.clone()
        }
    }

    /// How many elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether every value of this type is one of `wanted`.
    #[must_use]
    pub fn fits(&self, wanted: &Self) -> bool {
        let narrow = match (wanted.bound, self.bound) {
            (None, _) => true,
            (Some(_), None) => self.element == ElementType::I1,
            (Some(wanted), Some(bound)) => bound <= wanted,
        };
        narrow && self.element == wanted.element && self.shape == wanted.shape
    }

    /// As it is written.
    #[must_use]
    pub fn text(&self) -> String {
        if self.shape.is_empty() {
            return self.element.to_string();
        }
        format!("tile<{}>{:?}", self.element, self.shape)
    }
}

/// The largest number up to which the element holds all whole numbers.
#[must_use]
pub const fn most_exact(element: ElementType) -> u64 {
    match element {
        ElementType::I1 => 1,
        ElementType::I8 => 127,
        ElementType::U8 => 255,
        ElementType::I16 => 32_767,
        ElementType::U16 => 65_535,
        ElementType::I32 | ElementType::U32 => 1 << 30,
        ElementType::I64 | ElementType::U64 => 1 << 40,
        ElementType::F16 => 2048,
        ElementType::BF16 => 256,
        ElementType::F32 => 1 << 24,
        ElementType::F64 => 1 << 40,
        ElementType::F8E4M3 => 16,
        ElementType::F8E5M2 => 8,
    }
}

/// A variable by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub usize);

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it may be assigned to.
    pub mutable: bool,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub kind: Kind,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A variable.
    Variable(Name),
    /// A text with holes `$0`, `$1`, … and what fills them.
    Form(String, Vec<Expr>),
}

impl Expr {
    /// A variable.
    #[must_use]
    pub fn variable(variable: &Variable) -> Self {
        Self {
            ty: variable.ty.clone(),
            kind: Kind::Variable(variable.name),
        }
    }

    /// A text with holes.
    #[must_use]
    pub fn form(ty: &Type, text: impl Into<String>, operands: Vec<Self>) -> Self {
        Self {
            ty: ty.clone(),
            kind: Kind::Form(text.into(), operands),
        }
    }

    /// What fills the holes.
    #[must_use]
    pub fn operands(&self) -> &[Self] {
        match &self.kind {
            Kind::Variable(_) => &[],
            Kind::Form(_, operands) => operands,
        }
    }

    /// The simplest value of a type.
    #[must_use]
    pub fn simplest(ty: &Type) -> Self {
        let value = if ty.element == ElementType::I1 {
            "true"
        } else {
            "1"
        };
        Self::constant(ty, value)
    }

    /// The same number everywhere.
    #[must_use]
    pub fn constant(ty: &Type, value: &str) -> Self {
        let element = ty.element;
        let text = if ty.shape.is_empty() {
            format!("cast({value}, {element})")
        } else {
            format!("full({:?}, {value}, {element})", ty.shape)
        };
        Self::form(ty, text, Vec::new())
    }

    /// Calls a function with this and all that is inside, outermost first.
    pub fn walk<'a>(&'a mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        if let Kind::Form(_, operands) = &mut self.kind {
            for operand in operands {
                operand.walk(visit);
            }
        }
    }
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// `let (a, b) = value;`; one name has its type written.
    Let {
        /// The new variables.
        targets: Vec<Variable>,
        /// What they get.
        value: Expr,
    },
    /// `a = value;`
    Assign {
        /// The variable.
        target: Name,
        /// What it gets.
        value: Expr,
    },
    /// A store and the like: what it does is in the form of the expression.
    Effect(Expr),
    /// `if`, `for` and `while`.
    Block {
        /// Which of them.
        heading: Heading,
        /// What is done.
        body: Vec<Statement>,
        /// What `if` does else.
        otherwise: Vec<Statement>,
    },
    /// `break`, `continue` or `return`.
    Jump(&'static str),
}

/// The start of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heading {
    /// `if condition`
    If(Expr),
    /// `for variable in range`: the range is the form of the expression.
    For {
        /// What counts.
        variable: Variable,
        /// The range.
        range: Expr,
        /// Whether it is unrolled.
        is_static: bool,
    },
    /// `while counter < rounds && condition`, where the counter is first counted up.
    While {
        /// What counts.
        counter: Variable,
        /// How often at most.
        rounds: usize,
        /// What else must hold.
        condition: Expr,
    },
}

impl Statement {
    /// The expressions that belong to the statement itself.
    pub fn expressions(&mut self) -> Option<&mut Expr> {
        match self {
            Self::Let { value, .. } | Self::Assign { value, .. } | Self::Effect(value) => {
                Some(value)
            }
            Self::Block { heading, .. } => Some(match heading {
                Heading::If(condition) | Heading::While { condition, .. } => condition,
                Heading::For { range, .. } => range,
            }),
            Self::Jump(_) => None,
        }
    }
}

/// Calls a function with all expressions, outermost first.
pub fn walk(statements: &mut [Statement], visit: &mut dyn FnMut(&mut Expr)) {
    for statement in statements {
        if let Some(expression) = statement.expressions() {
            expression.walk(visit);
        }
        if let Statement::Block {
            body, otherwise, ..
        } = statement
        {
            walk(body, visit);
            walk(otherwise, visit);
        }
    }
}

/// A parameter and the argument it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, as written.
    pub declaration: String,
    /// The argument, as `tilec run` takes it.
    pub argument: String,
}

/// A kernel and one call of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Its parameters; those that nothing uses are not printed.
    pub parameters: Vec<Parameter>,
    /// The grid.
    pub grid: [usize; 3],
    /// `#[warps(n)]`, if the kernel says so.
    pub warps: Option<usize>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Whether results are only good to a few units in the last place.
    pub approximate: bool,
    /// The target.
    pub target: &'static str,
}
