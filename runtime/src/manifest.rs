//! The manifest: everything a launcher must know about a compiled file.
//!
//! `tilec` writes it as comment lines at the top of the PTX, so that one file is enough:
//!
//! ```text
//! //tile: {
//! //tile:   "format": 1,
//! //tile:   …
//! //tile: }
//! ```
//!
//! The types are shared by the compiler, which fills them in, and the runtime, which checks a
//! launch against them. Sizes are in elements, strides in elements, alignments in bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::element::ElementType;

/// The version of the manifest's layout this crate writes and reads.
pub const FORMAT: u32 = 1;

/// The manifest of one PTX file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// Name and version of the compiler.
    pub compiler: String,
    /// The target the PTX is for, such as `sm_90a`.
    pub target: String,
    /// File name of the source, for messages.
    pub source: String,
    /// The kernels, in source order.
    pub kernels: Vec<Kernel>,
}

/// One kernel of the source with the generics it was compiled for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The name in the source.
    pub name: String,
    /// Its doc comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub docs: String,
    /// The generics as bound: `T` to `f16`, `BM` to `128`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub generics: BTreeMap<String, String>,
    /// The parameters as the user sees them.
    pub parameters: Vec<Parameter>,
    /// The parameters as the entry point takes them: parameters flattened, in order.
    pub arguments: Vec<Argument>,
    /// Programs along x, y, z (1 to 3 expressions); `None` when the host must give the grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Vec<SizeExpr>>,
    /// Compiled versions, the most specialised first; the launcher takes the first whose
    /// assumptions hold.
    pub variants: Vec<Variant>,
}

/// A kernel parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Parameter {
    /// A number passed by value.
    Scalar {
        /// Name in the source.
        name: String,
        /// Its type.
        element: ElementType,
    },
    /// A bare pointer to elements, without sizes.
    Pointer {
        /// Name in the source.
        name: String,
        /// What it points to.
        element: ElementType,
        /// Whether the kernel may write through it.
        mutable: bool,
    },
    /// Pointer, sizes and strides in one.
    Tensor {
        /// Name in the source.
        name: String,
        /// The type of its elements.
        element: ElementType,
        /// Whether the kernel may write to it.
        mutable: bool,
        /// Its sizes, outermost first (rank 1 to 5).
        dimensions: Vec<Dimension>,
        /// Its strides, same order and length.
        strides: Vec<Stride>,
    },
}

/// A size of a tensor parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Must be exactly this.
    Fixed(u64),
    /// Binds the name; a name used twice must agree.
    Named(String),
}

/// A stride of a tensor parameter, in elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stride {
    /// Dense row-major: the product of the sizes that follow (1 for the last).
    Dense,
    /// Must be exactly this.
    Fixed(i64),
    /// Binds the name (shared between tensors as sizes are).
    Named(String),
    /// Anything.
    Free,
}

/// One argument of the entry point, in the order of the PTX parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Argument {
    /// The address (64 bits) of the named pointer or tensor parameter.
    Address {
        /// The parameter.
        of: String,
    },
    /// A named size, as `i32`.
    Size {
        /// The name bound in the brackets.
        name: String,
    },
    /// A stride of a tensor in elements, as `i64` (only for strides that are not dense or fixed).
    Stride {
        /// The tensor.
        of: String,
        /// Which dimension.
        dimension: usize,
    },
    /// A scalar parameter, in its own type.
    Scalar {
        /// The parameter.
        name: String,
    },
}

/// An integer expression over size names, scalar integer parameters and constants. 64-bit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeExpr {
    /// A constant.
    Const(i64),
    /// A size bound by a tensor, or a scalar integer parameter.
    Name(String),
    /// `a + b`
    Add(Box<SizeExpr>, Box<SizeExpr>),
    /// `a - b`
    Sub(Box<SizeExpr>, Box<SizeExpr>),
    /// `a * b`
    Mul(Box<SizeExpr>, Box<SizeExpr>),
    /// `a / b`, rounded to zero.
    Div(Box<SizeExpr>, Box<SizeExpr>),
    /// `a % b`, of the sign of `a`.
    Rem(Box<SizeExpr>, Box<SizeExpr>),
    /// `a / b`, rounded up.
    CeilDiv(Box<SizeExpr>, Box<SizeExpr>),
    /// The smaller.
    Min(Box<SizeExpr>, Box<SizeExpr>),
    /// The larger.
    Max(Box<SizeExpr>, Box<SizeExpr>),
}

/// One compiled version of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The PTX entry point.
    pub entry: String,
    /// What the code relies on; checked at launch.
    pub assumptions: Vec<Assumption>,
    /// Threads per program.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// What the compiler decided, one short sentence each, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
}

/// A fact about the arguments that a variant relies on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Assumption {
    /// The address of the pointer or tensor parameter is a multiple of `bytes`.
    Aligned {
        /// The parameter.
        of: String,
        /// A power of two.
        bytes: u64,
    },
    /// The size or scalar integer parameter is a multiple of `by`.
    Divisible {
        /// Size name or scalar parameter.
        name: String,
        /// The divisor.
        by: u64,
    },
    /// The stride of a tensor's dimension is a multiple of `by` elements.
    StrideDivisible {
        /// The tensor.
        of: String,
        /// Which dimension.
        dimension: usize,
        /// The divisor.
        by: u64,
    },
    /// The stride of a tensor's dimension is exactly `stride` elements.
    StrideEquals {
        /// The tensor.
        of: String,
        /// Which dimension.
        dimension: usize,
        /// In elements.
        stride: i64,
    },
}
