//! `test` blocks: programs of the host, whose tiles are whole arrays.
//!
//! A test is typed as a kernel is, and the interpreter runs it with the same semantics. What only the
//! host can do is one form of statement, [`HostStep`]: values go in, the host does something, values
//! come out.
//!
//! ```text
//! let z = zeros([1000], f32);
//! relu(x, z);                    ⇒  v2 : f32[1000] = 0.0
//! assert_close(z, y);                (v2) = host launch 0 (v1, v2)
//!                                    () = host assert_close (v2, v3)
//! ```

use super::{Expr, Kernel, ValueType, VariableId};
use crate::diagnostic::Span;

/// A `test` block ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its name in the source.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The body, as a kernel without parameters. Tiles may have any size, and there are
    /// [`HostStep`]s.
    pub program: Kernel,
    /// The kernels it launches and examines, with generics bound.
    pub kernels: Vec<Kernel>,
    /// What is said of how they were bound.
    pub notes: Vec<String>,
}

/// Something that the host does.
#[derive(Debug, Clone, PartialEq)]
pub struct HostStep {
    /// What.
    pub operation: HostOperation,
    /// The values it is done with, in order of evaluation.
    pub operands: Vec<Expr>,
    /// The variables that are assigned afterwards.
    pub results: Vec<VariableId>,
}

/// What the host can do.
#[derive(Debug, Clone, PartialEq)]
pub enum HostOperation {
    /// Makes an array of random numbers. No operands, one result.
    Random(Random),
    /// Runs a kernel. The operands are named by the arguments; the results are the arrays that
    /// the kernel may write to.
    Launch(Launch),
    /// Fails unless all of operand 0, which is `i1`, is true. Operands 1 and 2, if there, are the two
    /// sides of the comparison that gave it, of the same shape.
    Assert {
        /// What the program says about it.
        message: Option<String>,
    },
    /// Fails unless operand 0 is close to operand 1: `|a - e| <= atol + rtol * |e|` everywhere. Both
    /// have one shape.
    AssertClose {
        /// Relative to the expected number.
        rtol: Option<f64>,
        /// Absolute.
        atol: Option<f64>,
    },
    /// Fails unless the two operands, of one type, are the same bit for bit; any NaN is as good as
    /// another.
    AssertEqual,
    /// Fails unless the PTX of a kernel is as said. No operands.
    AssertPtx(PtxProperties),
    /// Fails unless a kernel takes no more than said. No operands.
    AssertResources {
        /// An index into [`Test::kernels`].
        kernel: usize,
        /// All must hold.
        limits: Vec<Limit>,
    },
}

/// An array of random numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Random {
    /// From what distribution.
    pub distribution: Distribution,
    /// The same seed gives the same array.
    pub seed: u64,
    /// Arrays of one seed and different streams are independent.
    pub stream: u64,
    /// Its type.
    pub ty: ValueType,
}

/// A distribution of random numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// Mean 0, deviation 1.
    Normal,
    /// From `low` to below `high`.
    Uniform {
        /// The smallest.
        low: f64,
        /// The limit.
        high: f64,
    },
    /// Integers from `low` to below `high`.
    Integers {
        /// The smallest.
        low: i64,
        /// The limit.
        high: i64,
    },
}

/// A launch of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// An index into [`Test::kernels`].
    pub kernel: usize,
    /// One per parameter of the kernel, in its order.
    pub arguments: Vec<LaunchArgument>,
    /// The operands that are the programs along x, y and z, for a kernel without `grid`.
    pub grid: Vec<usize>,
    /// If the launch must fail: what its message must contain.
    pub refusal: Option<String>,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum LaunchArgument {
    /// A number, of the parameter's type.
    Scalar {
        /// Which operand.
        operand: usize,
    },
    /// An array, or a view of one. Arguments of one operand share its memory.
    Array {
        /// Which operand holds the elements, dense and row-major.
        operand: usize,
        /// Sizes of the view, outermost first.
        shape: Vec<u64>,
        /// In elements, one per size.
        strides: Vec<i64>,
        /// The first element of the view.
        offset: u64,
        /// Which result is the array as the kernel left it, if the kernel may write to it.
        result: Option<usize>,
    },
}

/// What the PTX of a kernel must look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxProperties {
    /// An index into [`Test::kernels`].
    pub kernel: usize,
    /// Texts that occur.
    pub contains: Vec<String>,
    /// How often the one text in `contains` occurs.
    pub count: Option<u64>,
    /// Texts that do not.
    pub lacks: Vec<String>,
    /// The target compiled for; `None` for that of the run.
    pub target: Option<String>,
}

/// What a kernel may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Of what.
    pub resource: Resource,
    /// How the number that is found relates to `value`.
    pub relation: Relation,
    /// The number.
    pub value: u64,
}

/// What a kernel takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Registers per thread.
    Registers,
    /// Bytes of spilled registers, stored and loaded.
    Spills,
    /// Bytes of shared memory per program.
    Shared,
    /// Bytes of stack per thread.
    Stack,
    /// Warps per program.
    Warps,
}

impl Resource {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Registers,
        Self::Spills,
        Self::Shared,
        Self::Stack,
        Self::Warps,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Spills => "spills",
            Self::Shared => "shared",
            Self::Stack => "stack",
            Self::Warps => "warps",
        }
    }
}

/// How two numbers must relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Relation {
    Equal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Relation {
    /// As it is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// Whether it holds.
    #[must_use]
    pub const fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

impl HostOperation {
    /// A word for it, for the printed program.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Random(_) => "random",
            Self::Launch(_) => "launch",
            Self::Assert { .. } => "assert",
            Self::AssertClose { .. } => "assert_close",
            Self::AssertEqual => "assert_equal",
            Self::AssertPtx(_) => "assert_ptx",
            Self::AssertResources { .. } => "assert_resources",
        }
    }
}
