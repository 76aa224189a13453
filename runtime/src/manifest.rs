//! The manifest: everything a launcher must know about a compiled file.
//!
//! `tilec` writes it as comment lines at the top of the PTX, so that one file is enough:
//!
//! ```text
//! //tile: {
//! //tile:   "format": 5,
//! //tile:   …
//! //tile: }
//! ```
//!
//! The types are shared by the compiler, which fills them in, and the runtime, which checks a
//! launch against them. Sizes are in elements, strides in elements, alignments in bytes.

mod entry;
mod promise;
mod size;
mod text;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::element::ElementType;

pub use promise::{Comparison, Promise};
pub use size::{SizeError, SizeExpr};
pub use text::ManifestError;

/// The version of the manifest's layout this crate writes and reads.
pub const FORMAT: u32 = 5;

/// Bytes of the counters that a workspace begins with: one of 4 bytes for each block of a launch that may use it. It
/// is the same for all kernels, so that they can use one workspace after another.
pub const COUNTERS_BYTES: usize = 1 << 16;

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
    /// What the source promises of sizes and integers (`assume`): a launch for which one does not hold is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// Compiled versions, the most specialised first; the launcher takes the first whose
    /// assumptions hold, after those that are [`Tuned`] for sizes near those of the launch.
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

impl Parameter {
    /// Name in the source.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Scalar { name, .. } | Self::Pointer { name, .. } | Self::Tensor { name, .. } => {
                name
            }
        }
    }

    /// Type of the scalar, or of the elements.
    #[must_use]
    pub const fn element(&self) -> ElementType {
        match self {
            Self::Scalar { element, .. }
            | Self::Pointer { element, .. }
            | Self::Tensor { element, .. } => *element,
        }
    }

    /// Whether the kernel may write to what the parameter points to.
    #[must_use]
    pub const fn is_mutable(&self) -> bool {
        match self {
            Self::Scalar { .. } => false,
            Self::Pointer { mutable, .. } | Self::Tensor { mutable, .. } => *mutable,
        }
    }
}

impl fmt::Display for Parameter {
    /// As declared in the source: `a: mut tensor<f16>[m, 64] strides(_, 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, element) = (self.name(), self.element());
        let mutable = if self.is_mutable() { "mut " } else { "" };
        match self {
            Self::Scalar { .. } => write!(f, "{name}: {element}"),
            Self::Pointer { .. } => write!(f, "{name}: {mutable}ptr<{element}>"),
            Self::Tensor {
                dimensions,
                strides,
                ..
            } => {
                let sizes: Vec<_> = dimensions.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "{name}: {mutable}tensor<{element}>[{}]",
                    sizes.join(", ")
                )?;
                if strides.iter().any(|stride| *stride != Stride::Dense) {
                    let strides: Vec<_> = strides.iter().map(ToString::to_string).collect();
                    write!(f, " strides({})", strides.join(", "))?;
                }
                Ok(())
            }
        }
    }
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

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(size) => size.fmt(f),
            Self::Named(name) => name.fmt(f),
        }
    }
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

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dense => f.write_str("dense"),
            Self::Fixed(stride) => stride.fmt(f),
            Self::Named(name) => name.fmt(f),
            Self::Free => f.write_str("_"),
        }
    }
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

/// One compiled version of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The PTX entry point.
    pub entry: String,
    /// What the code relies on; checked at launch.
    pub assumptions: Vec<Assumption>,
    /// Threads of a block: of a program, unless it runs on a cluster of blocks.
    pub threads: u32,
    /// Blocks per program: a cluster of neighbours along x.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub cluster: u32,
    /// Whether the kernel is persistent: as many blocks are launched as run at once, along x. Then, and where blocks share programs
    /// (`part_bytes`), blocks find the place of their programs by numbers, and the entry point takes more, after its
    /// arguments. First, as `i32`, the numbers of programs along x, y and z, then three times two words that say
    /// how the number of a program below 2^30 is divided, by a multiplication to 64 bits with the first and a shift to the
    /// right by the second: by the programs of a plane along x and y; by those of a group; and by those of the last group along
    /// its axis if that has fewer (of all along x, without groups). Of pairs these are numbers of pairs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub turns: bool,
    /// How many programs may share a block, at most: threads are one of the program along x and a program along y. Where more than
    /// one may, the blocks of a launch are in a row and programs have numbers, those of a block one after the other; the entry
    /// point takes what `turns` says. A launch may put fewer in each, and the last block may have warps without a program.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub programs_per_block: u32,
    /// Along an axis so many programs are a group, in which their numbers go along it first; 0 for no groups. A power of two. Of
    /// pairs along it half as many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub group: u32,
    /// The axis of groups: 0 for x, 1 for y.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub group_axis: u32,
    /// How two neighbouring programs may be a pair, which runs on a cluster of two blocks; only where programs take
    /// turns. A launch may do with single blocks, of no cluster, in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<Pair>,
    /// Bytes that a block writes of a program that it shares with others, 0 where none is shared. After what `turns` says
    /// the entry point then takes, as `i32`, the number of the first program that is left over when all blocks that run at once
    /// have had as many (that of all programs if none is), how many blocks each of these may have (0 or 1: they are not
    /// shared), and two words for a division by how many they are, numbers of pairs where programs are pairs; and, as `i64`,
    /// the address of a workspace: [`COUNTERS_BYTES`] of counters, which are 0 before each launch and after it, then so many
    /// bytes for each part of a program: as many as there are blocks of a persistent kernel. In others a block has
    /// one, and for each that is left over there are as many blocks along x as it may have, at most 16.
    /// No two launches that may run at once have one workspace.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub part_bytes: u32,
    /// Whether blocks take the numbers of their programs from a counter; only in persistent kernels, and blocks share
    /// none (`part_bytes` is 0). After what `turns` says the entry point then takes, as `i64`, the address of a
    /// workspace, whose first counter it uses: see `part_bytes`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tickets: bool,
    /// Whether the entry point waits by itself until the kernel before it in the stream has ended (`griddepcontrol.wait`), so that
    /// the launch need not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dependent: bool,
    /// Whether it is for some launches of those that another variant takes, which it runs faster: it is tried before them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub narrow: bool,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// Tensor maps that the entry point takes last, in order: 128 bytes each, at
    /// multiples of 64. That they can be made of the arguments is an assumption, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<TensorMap>,
    /// What it was measured to be the fastest for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuned: Option<Tuned>,
    /// What the compiler decided, one short sentence each, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
}

impl Variant {
    /// Whether blocks are in a row, and find the place of their programs by numbers: the kernel is persistent, blocks share
    /// some, or programs share a block.
    #[must_use]
    pub const fn is_numbered(&self) -> bool {
        self.turns || self.part_bytes > 0 || self.programs_per_block > 1
    }
}

/// What a variant was measured to be the fastest for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuned {
    /// Generics that are bound to something else than those of the kernel; none for a variant of the kernel's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub generics: BTreeMap<String, String>,
    /// Programs along x, y, z, if there are such generics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grid: Vec<SizeExpr>,
    /// What the source promises with such generics, in the place of what it promises with those of the kernel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// The names that the arguments of a launch bound when it was measured, once per measurement.
    pub sizes: Vec<BTreeMap<String, i64>>,
    /// Whether it is for these sizes alone, and not for others that are near.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exact: bool,
}

/// Programs that copy for each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The axis along which they are neighbours.
    pub axis: u32,
    /// The numbers of the maps of what both read: pairs are faster where its rows do not begin with lines of the cache.
    pub maps: Vec<u32>,
}

const fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_false(flag: &bool) -> bool {
    !flag
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What TMA is to know of a tensor parameter, besides what its argument says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TensorMap {
    /// The tensor or pointer parameter.
    pub of: String,
    /// The sizes of the box that one instruction copies, outermost first, one per dimension.
    pub tile: Vec<u32>,
    /// Bytes of the swizzle with which boxes lie in shared memory: 0 (none), 32, 64 or 128.
    pub swizzle: u32,
    /// The dimensions of what a pointer points to, outermost first; empty for a tensor, which has its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<MapDimension>,
}

/// A dimension of what a pointer points to, as the program computes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MapDimension {
    /// Elements along it.
    pub size: SizeExpr,
    /// From one to the next, in elements.
    pub stride: SizeExpr,
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
    /// In every program `value`, computed in 32 bits, lies between `least` and `most`.
    Within {
        /// What the program computes. [`program_id`] names its place along an axis, [`num_programs`] how many there are.
        value: SizeExpr,
        /// The least that it may be.
        least: i64,
        /// The most that it may be.
        most: i64,
    },
}

/// Characters of an expression that is shown.
const MOST_SHOWN: usize = 40;

/// What an expression of a program calls its place along an axis.
#[must_use]
pub fn program_id(axis: usize) -> String {
    format!("program_id({axis})")
}

/// What it calls the number of programs along an axis.
#[must_use]
pub fn num_programs(axis: usize) -> String {
    format!("num_programs({axis})")
}

impl fmt::Display for Assumption {
    /// The fact in words: "`n` is a multiple of 16".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aligned { of, bytes } => write!(f, "`{of}` is aligned to {bytes} bytes"),
            Self::Divisible { name, by } => write!(f, "`{name}` is a multiple of {by}"),
            Self::StrideDivisible { of, dimension, by } => write!(
                f,
                "the stride of dimension {dimension} of `{of}` is a multiple of {by}"
            ),
            Self::StrideEquals {
                of,
                dimension,
                stride,
            } => write!(
                f,
                "the stride of dimension {dimension} of `{of}` is {stride}"
            ),
            Self::Within { value, least, most } => {
                let text = value.to_string();
                if least == most {
                    return write!(f, "`{text}` is {least}");
                }
                if text.len() <= MOST_SHOWN {
                    return write!(f, "`{text}` lies between {least} and {most}");
                }
                let mut names = Vec::new();
                value.add_names(&mut names);
                let names = names.join("`, `");
                write!(
                    f,
                    "what programs compute of `{names}` lies between {least} and {most}"
                )
            }
        }
    }
}

impl Assumption {
    /// What is assumed in words, one for each but for expressions that are too long to be shown: those are one together.
    #[must_use]
    pub fn in_words(all: &[Self]) -> Vec<String> {
        let expression = |one: &Self| match one {
            Self::Within { value, .. } if value.to_string().len() > MOST_SHOWN => {
                Some(value.clone())
            }
            _ => None,
        };
        let long: Vec<_> = all.iter().filter_map(expression).collect();
        if long.len() < 2 {
            return all.iter().map(Self::to_string).collect();
        }
        let short = all.iter().filter(|one| expression(one).is_none());
        let mut words: Vec<_> = short.map(Self::to_string).collect();
        let mut names = Vec::new();
        long.iter().for_each(|value| value.add_names(&mut names));
        words.push(format!(
            "{} numbers that programs compute of `{}` lie in their ranges",
            long.len(),
            names.join("`, `")
        ));
        words
    }

    /// Whether [`Self::Within`] holds in a launch of so many programs along each axis.
    ///
    /// # Errors
    /// What is known of the value instead.
    pub fn is_within(
        &self,
        grid: [u32; 3],
        size: &impl Fn(&str) -> Option<i64>,
    ) -> Result<(), String> {
        let Self::Within { value, least, most } = self else {
            return Ok(());
        };
        let places = |name: &str| {
            grid.iter().enumerate().find_map(|(axis, programs)| {
                let programs = i64::from(*programs);
                if program_id(axis) == name {
                    return Some((0, programs - 1));
                }
                (num_programs(axis) == name).then_some((programs, programs))
            })
        };
        let range =
            value.range(&|name| places(name).or_else(|| size(name).map(|size| (size, size))));
        match range {
            Some(range) if *least <= range.0 && range.1 <= *most => Ok(()),
            Some((from, to)) => Err(format!("it lies between {from} and {to}")),
            None => Err("nothing is known of it".to_owned()),
        }
    }
}
