//! The operations of expressions, by number of operands.

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
    /// `fast.exp`: the approximate forms.
    FastExp,
    FastExp2,
    FastLog,
    FastLog2,
    FastSin,
    FastCos,
    FastTanh,
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

/// How a cast rounds floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    NearestEven,
    /// Toward zero.
    TowardZero,
}

/// `precision = …` of a dot of f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// f32 accuracy.
    #[default]
    Full,
    /// Operands truncated to tf32.
    Tf32,
}
