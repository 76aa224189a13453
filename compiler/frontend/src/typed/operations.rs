//! The operations of expressions, by number of operands.

use tile_runtime::manifest::SizeExpr;

/// One-operand operations. Float functions work on every float type, computed in f32 where narrower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOperation {
    Negate,
    /// Bitwise; on `i1` logical.
    Not,
    Abs,
    Exp,
    Exp2,
    Log,
    Log2,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Tanh,
    Erf,
    Floor,
    Ceil,
    /// To nearest, ties to even.
    Round,
    Sigmoid,
    Asin,
    Acos,
    Atan,
    Tan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Expm1,
    Log1p,
    Log10,
    Cbrt,
    Erfc,
    /// Toward zero.
    Trunc,
    /// `fast.exp`: the approximate forms.
    FastExp,
    FastExp2,
    FastLog,
    FastLog2,
    FastSin,
    FastCos,
    FastTanh,
    FastReciprocal,
}

/// Two-operand operations. Signedness comes from the element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperation {
    Add,
    Subtract,
    Multiply,
    /// Integers round to zero; by zero is undefined as on the GPU (the interpreter reports it).
    Divide,
    /// Of integers, rounded up: `cdiv`.
    CeilDivide,
    Remainder,
    And,
    Or,
    Xor,
    /// Amounts of the width or more give 0 (arithmetic right: the sign).
    ShiftLeft,
    ShiftRight,
    /// IEEE 754 `minimumNumber`: a NaN loses against a number.
    Minimum,
    /// IEEE 754 `maximumNumber`.
    Maximum,
    /// High half of the product.
    MultiplyHigh,
    /// `left` to the power of `right`; floats only, as are those that follow.
    Power,
    /// The angle of the point with `left` up and `right` along.
    Atan2,
    /// The length of that.
    Hypot,
    /// `left` with the sign of `right`.
    CopySign,
}

impl BinaryOperation {
    /// The same of what a launch computes, if it can.
    #[must_use]
    pub fn of_sizes(self) -> Option<fn(SizeExpr, SizeExpr) -> SizeExpr> {
        Some(match self {
            Self::Add => SizeExpr::add,
            Self::Subtract => SizeExpr::sub,
            Self::Multiply => SizeExpr::mul,
            Self::Divide => SizeExpr::div,
            Self::CeilDivide => SizeExpr::cdiv,
            Self::Remainder => SizeExpr::rem,
            Self::Minimum => SizeExpr::min,
            Self::Maximum => SizeExpr::max,
            _ => return None,
        })
    }
}

/// Comparisons; with NaN all but `NotEqual` are false.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CompareOperation {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Built-in reductions. The order of combination is not specified. Floats narrower than f32 are
/// combined in f32 and rounded once; integers narrower than 32 bits were widened before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ReduceOperation {
    Sum,
    Product,
    /// `maximumNumber`.
    Max,
    /// `minimumNumber`.
    Min,
    /// Bitwise on integers; `all` on `i1`.
    And,
    /// `any` on `i1`.
    Or,
    Xor,
    /// Index (`i32`) of the first largest element.
    ArgMax,
    /// Index (`i32`) of the first smallest element.
    ArgMin,
}

/// What a sort gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sorted {
    /// The elements.
    Values,
    /// Their coordinates along the axis before they were sorted (`i32`).
    Indices,
}

/// How a cast rounds floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    NearestEven,
    /// Toward zero.
    TowardZero,
}

/// `precision = …` of a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// That of the operands' type: f32 has f32's, fp8 has sums of about 14 bits where that is faster.
    #[default]
    Usual,
    /// f32 accuracy, also of the sums of fp8.
    Full,
    /// Operands truncated to tf32.
    Tf32,
}

/// What an atomic access does. Floats compare as numbers; a NaN given to `Max` or `Min` changes
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOperation {
    Add,
    Max,
    Min,
    And,
    Or,
    Xor,
    /// Writes the value.
    Exchange,
    /// Writes the value where the bits of what is there are those of `compare`.
    CompareExchange,
}

/// `order = …` of an atomic access, as in the PTX memory consistency model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)]
pub enum MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    #[default]
    AcquireRelease,
}

/// `scope = …` of an atomic access: who may see it happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MemoryScope {
    /// The program.
    Program,
    /// All programs on the device.
    #[default]
    Device,
    /// All devices and the host.
    System,
}

impl AtomicOperation {
    /// What stands after `atomic_` in the language and after `atom` in PTX.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Max => "max",
            Self::Min => "min",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Exchange => "xchg",
            Self::CompareExchange => "cas",
        }
    }
}

impl MemoryOrder {
    /// Its word in the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcquireRelease => "acq_rel",
        }
    }
}

impl MemoryScope {
    /// Its word in the language, which is that of PTX.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Program => "cta",
            Self::Device => "gpu",
            Self::System => "sys",
        }
    }
}
