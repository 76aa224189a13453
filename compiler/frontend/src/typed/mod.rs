//! The typed program: a kernel with every question answered.
//!
//! [`crate::sema`] makes it from the syntax tree and a choice of generics. What holds here:
//!
//! - generics and consts are bound, functions and closures inlined, `static for` unrolled;
//! - every value has a [`ValueType`]: an element and a shape known at compile time. A scalar is a
//!   value of rank 0. Tuples are gone: a tuple variable is several variables;
//! - broadcasting, promotion and literal types are explicit ([`ExprKind::Broadcast`],
//!   [`ExprKind::Cast`]): both sides of a binary operation have the same shape and element;
//! - a variable is assigned before it is read on every path and never changes its type;
//! - evaluation order is the order of the text: statements top to bottom, operands left to right.
//!
//! ```text
//! let at = program_id(0) * BLOCK + arange(0, BLOCK);      (BLOCK = 1024)
//!   ⇒  v0 : i32[1024] = add(broadcast(mul(program_id 0, 1024)), arange 0..1024)
//! ```
//!
//! Two executors consume it: [`crate::interp`] gives the reference semantics,
//! The dialect of the compiler builds MLIR from it.

use std::collections::BTreeMap;

use tile_runtime::element::ElementType;
use tile_runtime::manifest::{Promise, SizeExpr};

use crate::diagnostic::Span;
use crate::inline_ptx::InlinePtx;

pub mod host;
mod operations;
mod print;
pub mod printing;
pub mod programs;
mod release;
pub mod strides;
mod structure;
pub mod walk;

pub use operations::{
    AtomicOperation, BinaryOperation, CompareOperation, MemoryOrder, MemoryScope, Precision,
    ReduceOperation, Rounding, Sorted, UnaryOperation,
};
pub use release::{LeftOut, release};
pub use structure::{may_end_early, structured};

/// How many values a `print` or `asm` takes at most.
pub const MOST_OPERANDS: usize = 12;

/// How many values an `asm` gives at most.
pub const MOST_RESULTS: usize = 6;

/// What a value is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// Numbers.
    Number(ElementType),
    /// Addresses of numbers.
    Pointer {
        /// What they point to.
        pointee: ElementType,
        /// Whether a store through them is allowed.
        mutable: bool,
    },
}

/// Dimensions of a tile or a tensor at most.
pub const MOST_DIMENSIONS: usize = 5;

/// The type of a value: element and shape. Rank 0 is a scalar.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueType {
    /// What it is made of.
    pub element: Element,
    /// Sizes, outermost first; all positive.
    pub shape: Vec<u64>,
}

/// A kernel ready to run or compile.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// Its name in the source.
    pub name: String,
    /// Doc comment, lines joined by `\n`.
    pub docs: String,
    /// Where its name stands.
    pub span: Span,
    /// Generics as bound, as text: `T` = `f16`, `BM` = `128`.
    pub generics: BTreeMap<String, String>,
    /// Parameters as the user wrote them.
    pub parameters: Vec<Parameter>,
    /// Sizes bound by tensor parameters, in order of first appearance: name and its variable
    /// (an `i32` scalar).
    pub sizes: Vec<(String, VariableId)>,
    /// Programs along x, y, z, if the kernel says.
    pub grid: Option<Vec<SizeExpr>>,
    /// The loop over programs whose iterations are programs now, if there was one ([`programs`]).
    pub spread: Option<Span>,
    /// What every program promises of sizes and integers before anything else: what a launch can check.
    pub promises: Vec<Promise>,
    /// `#[warps(n)]` and the like, checked: overrides for experts.
    pub overrides: Overrides,
    /// All variables, indexed by [`VariableId`]; parameters come first.
    pub variables: Vec<Variable>,
    /// What it does.
    pub body: Block,
}

/// Whether a program may have so many warps: a power of two from 1 to 32, or the 12 of three warpgroups.
pub fn is_number_of_warps(count: u32) -> bool {
    count == 12 || (count.is_power_of_two() && count <= 32)
}

/// Decisions the user took from the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overrides {
    /// `#[warps(n)]`, as [`is_number_of_warps`] takes them.
    pub warps: Option<u32>,
    /// `#[stages(n)]`.
    pub stages: Option<u32>,
    /// `#[split(n)]`: blocks that share the iterations of a program's loop, a power of two from 1 to 8; `None` leaves it
    /// to the compiler and the launch.
    pub split: Option<u32>,
}

/// A parameter and the variables it arrives in.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameter {
    /// A number by value.
    Scalar {
        /// Name.
        name: String,
        /// The variable that holds it.
        variable: VariableId,
    },
    /// A bare pointer.
    Pointer {
        /// Name.
        name: String,
        /// The variable that holds the address.
        variable: VariableId,
    },
    /// Pointer, sizes and strides.
    Tensor(TensorParameter),
}

/// A tensor parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorParameter {
    /// Name.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// The variable that holds the address; its element says what and whether mutable.
    pub pointer: VariableId,
    /// Sizes, outermost first.
    pub dimensions: Vec<Dimension>,
    /// Strides in elements, same order.
    pub strides: Vec<Stride>,
}

/// A size of a tensor parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Known.
    Fixed(u64),
    /// Known at launch: an index into [`Kernel::sizes`].
    Size(usize),
}

/// A stride of a tensor parameter, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    /// Row-major: the product of the sizes that follow.
    Dense,
    /// Known.
    Fixed(i64),
    /// Known at launch: an `i64` scalar variable. `named` says whether the user gave it a name.
    Variable {
        /// Holds the stride.
        variable: VariableId,
        /// Whether `strides(s, 1)` named it (shared names agree at launch).
        named: bool,
    },
}

/// A variable of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source, or one made up (`%3`).
    pub name: String,
    /// What it holds.
    pub ty: ValueType,
    /// Where it is declared.
    pub span: Span,
}

/// An index into [`Kernel::variables`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// The name of a [`StmtKind::Labelled`], unique in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// Statements in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Stmt>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// `variable = value`.
    Assign {
        /// Assigned (declared here, if for the first time).
        variable: VariableId,
        /// The value.
        value: Expr,
    },
    /// `(a, b) = operation`: several results at once.
    AssignMany {
        /// One per result.
        variables: Vec<VariableId>,
        /// The operation.
        operation: MultiOperation,
    },
    /// Writes a tile through pointers.
    Store {
        /// A tile (or scalar) of mutable pointers.
        pointers: Expr,
        /// Same shape.
        value: Expr,
        /// `i1`, same shape; absent means everywhere.
        mask: Option<Expr>,
        /// Cache hints.
        cache: CacheHints,
    },
    /// Writes a tile to a view of a tensor.
    StoreView {
        /// Where.
        view: View,
        /// Of the view's shape.
        value: Expr,
        /// `i1`, same shape; absent means everywhere.
        mask: Option<Expr>,
        /// Whether bounds are checked.
        bounds: Bounds,
        /// Cache hints.
        cache: CacheHints,
    },
    /// Reads, combines and writes back each element at once.
    Atomic {
        /// What was there before; absent when nobody asks.
        variable: Option<VariableId>,
        /// How.
        operation: AtomicOperation,
        /// A tile (or scalar) of mutable pointers.
        pointers: Expr,
        /// For `cas`: what must be there. Same shape.
        compare: Option<Expr>,
        /// Same shape.
        value: Expr,
        /// `i1`, same shape; absent means everywhere. Where it is false the old value is 0.
        mask: Option<Expr>,
        /// What other accesses it orders.
        order: MemoryOrder,
        /// Among whom.
        scope: MemoryScope,
    },
    /// `for variable in range(lo, hi, step)`; `hi` excluded, `step` not 0.
    For {
        /// The loop variable; all four have its type (`i32` or `i64`).
        variable: VariableId,
        /// First.
        lo: Expr,
        /// Limit.
        hi: Expr,
        /// Increment.
        step: Expr,
        /// Overrides on the loop.
        overrides: Overrides,
        /// The body.
        body: Block,
    },
    /// `while`: `condition` runs before each iteration; then `test` decides.
    While {
        /// Statements that compute the condition.
        condition: Block,
        /// `i1` scalar.
        test: Expr,
        /// The body.
        body: Block,
    },
    /// `if` on a scalar. Its value, if any, is assigned to variables in both branches.
    If {
        /// `i1` scalar.
        condition: Expr,
        /// When true.
        then: Block,
        /// When false.
        otherwise: Block,
    },
    /// Leaves the innermost loop.
    Break,
    /// Next iteration of the innermost loop.
    Continue,
    /// Ends the program instance.
    Return,
    /// A block that [`Leave`](Self::Leave) leaves: an inlined function with `return` in a loop, an
    /// unrolled loop, or one iteration of it.
    Labelled {
        /// Its own.
        label: Label,
        /// What may be left.
        body: Block,
    },
    /// Goes on behind the block with this label, which is around it.
    Leave(Label),
    /// A promise of the user about a scalar `i1`.
    Assume(Expr),
    /// A check: an element that is false stops the kernel.
    Assert {
        /// `i1`, of any shape.
        condition: Expr,
        /// What is said then; may be empty.
        message: String,
    },
    /// Prints a line per element, see [`printing`].
    Print {
        /// What each line starts with.
        label: String,
        /// Numbers, all of one shape.
        values: Vec<Expr>,
        /// Whether the bits are printed.
        hex: bool,
    },
    /// `(a, b) = asm("…", …)`: PTX done for each element.
    Asm {
        /// One per result.
        variables: Vec<VariableId>,
        /// The text and its operands.
        asm: InlinePtx,
        /// Numbers, all of one shape, that of the results.
        arguments: Vec<Expr>,
    },
    /// Asks for memory to be cached; changes nothing else.
    Prefetch {
        /// A tile (or scalar) of pointers.
        pointers: Expr,
        /// `i1`, same shape; absent means everywhere.
        mask: Option<Expr>,
        /// Where to.
        level: CacheLevel,
    },
    /// Something that only the host does: in the body of a [`host::Test`], never in a kernel.
    Host(Box<host::HostStep>),
}

/// A cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheLevel {
    /// That of a multiprocessor.
    L1,
    /// That of the device.
    L2,
}

impl CacheLevel {
    /// As in the language and in PTX.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
        }
    }
}

/// An operation with several results: tiles of one shape combined along an axis, or mapped.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiOperation {
    /// What the results are.
    pub kind: MultiKind,
    /// Same shape each.
    pub inputs: Vec<Expr>,
    /// Along which dimension; no matter for a map.
    pub axis: usize,
    /// How two partial results combine; must be associative, and for a reduction commutative. A map
    /// has nothing on the right, and as many results as it likes.
    pub combine: Combine,
}

/// What a [`MultiOperation`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MultiKind {
    /// All elements along the axis combined; the axis disappears.
    Reduce,
    /// Every element combined with those before it along the axis, or with those behind it, the last one first.
    Scan {
        /// From the last to the first.
        reverse: bool,
    },
    /// Every element by itself, with control flow of its own.
    Map,
}

/// A combiner of tuples of scalars: `(a…, b…) -> results`.
#[derive(Debug, Clone, PartialEq)]
pub struct Combine {
    /// The left partial result, one variable per input.
    pub left: Vec<VariableId>,
    /// The right one.
    pub right: Vec<VariableId>,
    /// Computes the results.
    pub body: Block,
    /// One per input.
    pub results: Vec<Expr>,
}

/// A region of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Index into [`Kernel::parameters`]; a [`Parameter::Tensor`].
    pub tensor: usize,
    /// One per dimension of the tensor.
    pub indices: Vec<ViewIndex>,
    /// Where it was written.
    pub span: Span,
}

/// How a view selects along one dimension.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewIndex {
    /// One position (`i32` or `i64` scalar); the dimension disappears.
    At(Expr),
    /// `start +: width`; `start` is an `i32` or `i64` scalar.
    Range {
        /// First position.
        start: Expr,
        /// How many.
        width: u64,
    },
    /// Positions from an integer tile, whose dimensions take the place of this one.
    Gather(Expr),
}

impl View {
    /// The shape of the tile it selects.
    #[must_use]
    pub fn shape(&self) -> Vec<u64> {
        self.indices
            .iter()
            .flat_map(|index| match index {
                ViewIndex::At(_) => Vec::new(),
                ViewIndex::Range { width, .. } => vec![*width],
                ViewIndex::Gather(positions) => positions.ty.shape.clone(),
            })
            .collect()
    }
}

/// Whether an access to a view is checked against the tensor's sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Bounds {
    /// Elements out of bounds are not read or written.
    #[default]
    Checked,
    /// The user promises that all are inside.
    Unchecked,
}

/// `cache = …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)]
pub enum CacheModifier {
    #[default]
    Default,
    Ca,
    Cg,
    Cs,
    Cv,
    Wb,
    Wt,
}

/// `evict = …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)]
pub enum Evict {
    #[default]
    Normal,
    First,
    Last,
}

/// Hints that change speed and never results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CacheHints {
    /// PTX cache operator.
    pub modifier: CacheModifier,
    /// L1 eviction priority.
    pub evict: Evict,
}

/// An expression with its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Of the result.
    pub ty: ValueType,
    /// Where.
    pub span: Span,
}

/// A constant number. Integers are stored sign- or zero-extended according to their type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// For integer elements (`i1`: 0 or 1).
    Int(i128),
    /// For float elements: the value before rounding to the element type.
    Float(f64),
}

/// The forms of an expression. Unless said otherwise operands have the shape of the result.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// The same constant everywhere.
    Constant(Constant),
    /// The value of a variable.
    Variable(VariableId),
    /// Which program along the axis (0 to 2); `i32` scalar.
    ProgramId(u8),
    /// How many programs along the axis; `i32` scalar.
    NumPrograms(u8),
    /// `lo, lo + 1, …, hi - 1`; `i32[hi - lo]`.
    Arange {
        /// First.
        lo: i64,
        /// One past the last.
        hi: i64,
    },
    /// NumPy broadcast of the operand to the result's shape (rank 0 or same rank with 1s).
    Broadcast(Box<Expr>),
    /// A new dimension of size 1 at `axis` of the result.
    ExpandDimension {
        /// The operand.
        operand: Box<Expr>,
        /// Position in the result.
        axis: usize,
    },
    /// Same elements in row-major order, other shape.
    Reshape(Box<Expr>),
    /// Result dimension `i` is operand dimension `permutation[i]`.
    Permute {
        /// The operand.
        operand: Box<Expr>,
        /// One operand dimension per result dimension.
        permutation: Vec<usize>,
    },
    /// One operand.
    Unary {
        /// Which.
        operation: UnaryOperation,
        /// Operand.
        operand: Box<Expr>,
    },
    /// Two operands of the same type as the result.
    Binary {
        /// Which.
        operation: BinaryOperation,
        /// Left.
        left: Box<Expr>,
        /// Right.
        right: Box<Expr>,
    },
    /// Two operands of one type; result `i1`.
    Compare {
        /// Which.
        operation: CompareOperation,
        /// Left.
        left: Box<Expr>,
        /// Right.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`, per element.
    Select {
        /// `i1`.
        condition: Box<Expr>,
        /// When true.
        then: Box<Expr>,
        /// When false.
        otherwise: Box<Expr>,
    },
    /// `a * b + c` rounded once.
    FusedMultiplyAdd {
        /// Factors and addend.
        operands: Box<[Expr; 3]>,
    },
    /// Conversion of numbers to the result's element.
    Cast {
        /// The operand.
        operand: Box<Expr>,
        /// How floats are rounded.
        rounding: Rounding,
    },
    /// Same bits, other element of the same width; an address is 64 bits.
    Bitcast(Box<Expr>),
    /// `pointer + offset` in elements; offset `i32` or `i64`.
    PointerOffset {
        /// Pointers.
        pointer: Box<Expr>,
        /// Integers of the same shape.
        offset: Box<Expr>,
    },
    /// Reduces `operand` along `axis`, which disappears.
    Reduce {
        /// Operand.
        operand: Box<Expr>,
        /// Which dimension.
        axis: usize,
        /// How.
        operation: ReduceOperation,
    },
    /// Result element `i` is the operand's element at `indices[0][i], indices[1][i], …`.
    Gather {
        /// Where from.
        operand: Box<Expr>,
        /// `i32`, of the result's shape, one per dimension of the operand; all inside of it.
        indices: Vec<Expr>,
    },
    /// The first of the operand's elements in order along `axis`, as many as the result has there.
    /// The order is total and stable; [`crate::interp`] says where NaN and -0 stand.
    Sort {
        /// Operand.
        operand: Box<Expr>,
        /// Which dimension.
        axis: usize,
        /// Whether the largest come first.
        descending: bool,
        /// The elements, or where they were.
        gives: Sorted,
    },
    /// How many elements of the operand are 0, 1, …: `i32`, of rank 1. Others are not counted.
    Histogram {
        /// Integers.
        operand: Box<Expr>,
        /// `i1` of the operand's shape; absent means everywhere.
        mask: Option<Box<Expr>>,
    },
    /// Matrix product of `[m, k]` and `[k, n]` plus `accumulator` of the result's type.
    Dot {
        /// `[m, k]`.
        left: Box<Expr>,
        /// `[k, n]`.
        right: Box<Expr>,
        /// `[m, n]`.
        accumulator: Box<Expr>,
        /// For f32 operands.
        precision: Precision,
    },
    /// Reads through pointers.
    Load {
        /// A tile (or scalar) of pointers.
        pointers: Box<Expr>,
        /// `i1`; absent means everywhere.
        mask: Option<Box<Expr>>,
        /// Where the mask is false; absent means 0.
        other: Option<Box<Expr>>,
        /// Cache hints.
        cache: CacheHints,
    },
    /// Reads a view of a tensor.
    LoadView {
        /// Where.
        view: View,
        /// Scalar for elements out of bounds; absent means 0.
        other: Option<Box<Expr>>,
        /// Whether bounds are checked.
        bounds: Bounds,
        /// Cache hints.
        cache: CacheHints,
    },
}
