//! Why a launch is refused. The texts name the parameter as declared, what was found and what
//! was expected, and where it helps what to do.

use std::fmt;

use crate::element::ElementType;
use crate::manifest::SizeError;
use crate::suggest;

/// A launch that cannot be. The argument is at fault, never the device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum LaunchError {
    #[error("kernel `{kernel}` has no parameter `{name}`{suggestion}: it takes {parameters}")]
    UnknownName {
        kernel: String,
        name: String,
        suggestion: String,
        parameters: String,
    },
    #[error("argument `{0}` is given twice")]
    Duplicate(String),
    #[error("kernel `{kernel}` also needs {parameters}")]
    Missing { kernel: String, parameters: String },
    #[error("`{parameter}` takes a number, but a tensor is given")]
    TensorForNumber { parameter: String },
    #[error("`{parameter}` takes a tensor, but the number {value} is given")]
    NumberForTensor { parameter: String, value: String },
    #[error("`{parameter}` takes an integer, but {value} is given")]
    FloatForInteger { parameter: String, value: String },
    #[error("{value} does not fit `{parameter}` ({range})")]
    OutOfRange {
        parameter: String,
        value: String,
        range: String,
    },
    #[error("`{name}` has elements of type {found}, but the kernel takes `{parameter}`")]
    Element {
        parameter: String,
        name: String,
        found: ElementType,
    },
    #[error(
        "`{name}` is read-only here, but the kernel writes to it (`{parameter}`): pass it for \
         writing"
    )]
    ReadOnly { parameter: String, name: String },
    #[error(
        "`{name}` has rank {} (shape {shape:?}), but the kernel takes `{parameter}`", .shape.len()
    )]
    Rank {
        parameter: String,
        name: String,
        shape: Vec<usize>,
    },
    #[error(
        "`{name}` has size {} in dimension {dimension} (shape {shape:?}), but the kernel takes \
         `{parameter}`", .shape[*dimension]
    )]
    FixedSize {
        parameter: String,
        name: String,
        dimension: usize,
        shape: Vec<usize>,
    },
    #[error(
        "`{name}` has size {size} in dimension {dimension}, but sizes must be below 2^31 = \
         2147483648"
    )]
    SizeLimit {
        name: String,
        dimension: usize,
        size: usize,
    },
    #[error("`{name}` is {value} as {bound}, but {other_value} as {other}")]
    Disagree {
        name: String,
        value: i64,
        bound: Box<Bound>,
        other_value: i64,
        other: Box<Bound>,
    },
    #[error(
        "`{name}` is not dense: strides {strides:?} for shape {shape:?}, but `{parameter}` needs \
         {expected:?}: pass a dense copy, or declare `strides({})` in the kernel", 
        vec!["_"; .strides.len()].join(", ")
    )]
    NotDense {
        parameter: String,
        name: String,
        shape: Vec<usize>,
        strides: Vec<i64>,
        expected: Vec<i64>,
    },
    #[error(
        "`{name}` has stride {} in dimension {dimension} (strides {strides:?}), but the kernel \
         takes `{parameter}`", .strides[*dimension]
    )]
    FixedStride {
        parameter: String,
        name: String,
        dimension: usize,
        strides: Vec<i64>,
    },
    #[error(
        "`{first}` and `{second}` overlap in part, and the kernel writes to `{written}`: pass \
         separate tensors, or the very same one"
    )]
    Overlap {
        first: String,
        second: String,
        written: String,
    },
    #[error("kernel `{kernel}` has no `grid` of its own, so the launch must give one")]
    GridMissing { kernel: String },
    #[error("kernel `{kernel}` computes its own grid ({grid}): do not give another")]
    GridGiven { kernel: String, grid: String },
    #[error("a grid has 1 to 3 axes, not {0}")]
    GridRank(usize),
    #[error("the grid has {count} programs along {axis}")]
    GridNegative { axis: char, count: i64 },
    #[error("the grid has {count} programs along {axis}, but the limit is {limit}{}", elsewhere(*.axis))]
    GridLimit { axis: char, count: i64, limit: i64 },
    #[error("the grid cannot be computed: {0}")]
    Grid(#[from] SizeError),
    #[error("no compiled variant of `{kernel}` fits these arguments{}", lines(.mismatches))]
    NoVariant {
        kernel: String,
        mismatches: Vec<Mismatch>,
    },
    #[error(
        "kernel `{kernel}` promises `{promise}` (an `assume`), but {found}{}",
        other_generics(.generics)
    )]
    Promise {
        kernel: String,
        promise: String,
        found: String,
        generics: Vec<String>,
    },
    #[error("the manifest of `{kernel}` contradicts itself: {what}")]
    Inconsistent { kernel: String, what: String },
}

/// What may help when a promise does not hold.
fn other_generics(generics: &[String]) -> String {
    if generics.is_empty() {
        return String::new();
    }
    let list = suggest::list(generics.iter().map(String::as_str));
    format!(": compile it for other generics ({list}), if it depends on them")
}

/// Why a variant does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The variant's entry point.
    pub entry: String,
    /// What it relies on, in words.
    pub assumption: String,
    /// What holds instead, in words.
    pub found: String,
}

fn lines(mismatches: &[Mismatch]) -> String {
    mismatches
        .iter()
        .map(|mismatch| {
            format!(
                "\n  {} relies on this: {}; {}",
                mismatch.entry, mismatch.assumption, mismatch.found
            )
        })
        .collect()
}

/// Which axis takes more programs than this one.
fn elsewhere(axis: char) -> String {
    match axis {
        'x' => String::new(),
        _ => format!(
            "; along x there may be {}: make the longest axis of the grid the first one",
            super::GRID_LIMITS[0]
        ),
    }
}

/// Where a name got its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// A size of a tensor.
    Size {
        /// The tensor.
        of: String,
        /// Which dimension.
        dimension: usize,
        /// All its sizes.
        shape: Vec<usize>,
    },
    /// A stride of a tensor.
    Stride {
        /// The tensor.
        of: String,
        /// Which dimension.
        dimension: usize,
        /// All its strides.
        strides: Vec<i64>,
    },
    /// The scalar argument of that name.
    Argument,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size {
                of,
                dimension,
                shape,
            } => write!(f, "size {dimension} of `{of}` (shape {shape:?})"),
            Self::Stride {
                of,
                dimension,
                strides,
            } => write!(f, "stride {dimension} of `{of}` (strides {strides:?})"),
            Self::Argument => f.write_str("an argument"),
        }
    }
}
