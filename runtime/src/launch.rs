//! The checked launch: named arguments and a manifest become a [`LaunchPlan`].
//!
//! Nothing here knows a device: the arguments come as [`Fact`]s, and the plan says which variant
//! runs over which grid with which entry-point arguments. The CUDA runtime, the simulator and the
//! interpreter all launch through [`plan`], so they accept and refuse the same things.
//!
//! ```text
//! kernel add(x: tensor<f32>[n], y: mut tensor<f32>[n]) grid(cdiv(n, 1024))
//! x: f32[5000] at 0x7f00…, y: f32[5000] at 0x7f01…
//!   ↓
//! variant 0 (`n` is a multiple of 8), grid 5×1×1, arguments (0x7f00…, 0x7f01…, 5000), n = 5000
//! ```
//!
//! What holds of a plan: every parameter has an argument of its type; sizes, strides and scalars
//! that share a name are equal; sizes are below 2^31; what the kernel writes was passed for
//! writing; the variant's assumptions hold; the grid is within the limits of CUDA.
//!
//! **Tuned variants.** A manifest may have variants for other values of a kernel's generics, each with the sizes that it
//! was measured to be the fastest for. Those of the nearest sizes are tried first. All compute the same.
//!
//! **Aliasing.** Two arguments may be the very same buffer, for kernels that work in place: each
//! program must then read an element before any program writes it, as the kernel's author knows.
//! Two dense tensors that overlap only in part are refused if the kernel writes one of them.
//! Views with gaps are not compared (their ranges may interlock without sharing an element).

mod error;
mod maps;
pub(crate) mod persistent;
mod sizes;
#[cfg(test)]
mod tests;
mod tuned;

use std::collections::BTreeMap;

use crate::element::ElementType;
use crate::manifest::{Argument, Assumption, Kernel, Parameter, SizeExpr, Variant};
use crate::numeric::{self, Scalar};
use crate::suggest;
use crate::tensor::is_dense;

pub use error::{Bound, LaunchError, Mismatch};
pub use maps::{MAP_ALIGNMENT, MAP_BYTES, MapValue};
use persistent::Given;
use sizes::Sizes;
pub use tuned::distance;

/// The most programs along x, y and z.
pub const GRID_LIMITS: [i64; 3] = [i32::MAX as i64, 65_535, 65_535];

/// What a launch must know of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fact<'a> {
    /// A tensor in the memory of a device.
    Tensor(TensorFact<'a>),
    /// A number.
    Scalar(Scalar),
}

/// What a launch must know of a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TensorFact<'a> {
    /// The type of its elements.
    pub element: ElementType,
    /// Its sizes, outermost first.
    pub shape: &'a [usize],
    /// Its strides in elements.
    pub strides: &'a [i64],
    /// The address of its first element, in bytes.
    pub address: u64,
    /// Whether the kernel may write to it.
    pub writable: bool,
}

/// A launch that passed all checks.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchPlan {
    /// Index of the chosen variant in [`Kernel::variants`].
    pub variant: usize,
    /// Programs along x, y, z. With a zero among them there is nothing to launch.
    pub grid: [u32; 3],
    /// The entry point's arguments, in order.
    pub arguments: Vec<ArgumentValue>,
    /// The tensor maps that follow them.
    pub maps: Vec<MapValue>,
    /// Whether blocks are in a row, and find the place of their programs by numbers.
    pub numbered: bool,
    /// The axis along which two neighbouring programs are a pair, on a cluster of two blocks, if they are.
    pub pair: Option<u32>,
    /// All names bound by the arguments: sizes, named strides, and scalar integer parameters.
    pub sizes: BTreeMap<String, i64>,
}

/// One argument of the entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentValue {
    /// The address of a tensor's first element.
    Address {
        /// The parameter.
        of: String,
        /// In bytes.
        address: u64,
    },
    /// A named size.
    Size(i32),
    /// A stride in elements.
    Stride(i64),
    /// A scalar parameter.
    Scalar {
        /// Its type.
        element: ElementType,
        /// Its bits, zero-extended.
        bits: u64,
    },
}

impl ArgumentValue {
    /// Bits, and how many bytes of them the entry point takes.
    const fn bits(&self) -> (u64, usize) {
        match self {
            Self::Address { address, .. } => (*address, 8),
            Self::Size(size) => (*size as u32 as u64, 4),
            Self::Stride(stride) => (*stride as u64, 8),
            Self::Scalar { element, bits } => (*bits, element.bytes() as usize),
        }
    }
}

impl LaunchPlan {
    /// Whether the grid holds no program at all; launching is then a success that does nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.grid.contains(&0)
    }

    /// The arguments as the parameter buffer of the entry point, and where each begins in it: at the next
    /// multiple of its own size, little-endian (the layout PTX gives to `.param`s of basic types); then, likewise, what
    /// it is given where programs take turns, close to the arguments, as each line of the constant cache is fetched for every
    /// launch; then its tensor maps as the device encoded them.
    pub(crate) fn parameters(
        &self,
        maps: &[[u8; MAP_BYTES]],
        given: &[Given],
    ) -> (Vec<u8>, Vec<usize>) {
        let mut buffer = Vec::with_capacity(self.arguments.len() * 8);
        let mut offsets = Vec::with_capacity(self.arguments.len() + given.len() + maps.len());
        let arguments = self.arguments.iter().map(ArgumentValue::bits);
        for (bits, width) in arguments.chain(given.iter().map(|given| given.bits())) {
            buffer.resize(buffer.len().next_multiple_of(width), 0);
            offsets.push(buffer.len());
            buffer.extend_from_slice(&bits.to_le_bytes()[..width]);
        }
        for map in maps {
            buffer.resize(buffer.len().next_multiple_of(MAP_ALIGNMENT), 0);
            offsets.push(buffer.len());
            buffer.extend_from_slice(map);
        }
        (buffer, offsets)
    }
}

/// Checks named arguments against a kernel and plans its launch. `grid` is the host's grid (1 to 3
/// numbers), for kernels that do not compute their own.
///
/// # Errors
/// [`LaunchError`], whose text is meant for the user.
pub fn plan(
    kernel: &Kernel,
    arguments: &[(&str, Fact<'_>)],
    grid: Option<&[i64]>,
) -> Result<LaunchPlan, LaunchError> {
    let given = by_name(kernel, arguments)?;
    let mut sizes = Sizes::default();
    let mut scalars = BTreeMap::new();
    let mut tensors = BTreeMap::new();
    for parameter in &kernel.parameters {
        match (parameter, given[parameter.name()]) {
            (Parameter::Scalar { name, element }, Fact::Scalar(value)) => {
                let bits = scalar(parameter, *element, value)?;
                if let Scalar::Int(value) = numeric::to_scalar(*element, bits)
                    && let Ok(value) = i64::try_from(value)
                {
                    sizes.bind(name, value, Bound::Argument)?;
                }
                scalars.insert(name.as_str(), (*element, bits));
            }
            (Parameter::Scalar { .. }, Fact::Tensor(_)) => {
                return Err(LaunchError::TensorForNumber {
                    parameter: parameter.to_string(),
                });
            }
            (_, Fact::Scalar(value)) => {
                return Err(LaunchError::NumberForTensor {
                    parameter: parameter.to_string(),
                    value: value.to_string(),
                });
            }
            (_, Fact::Tensor(fact)) => {
                tensor(parameter, &fact)?;
                sizes.bind_tensor(parameter, &fact)?;
                tensors.insert(parameter.name(), fact);
            }
        }
    }
    overlaps(kernel, &tensors)?;
    let inconsistent = |what: String| LaunchError::Inconsistent {
        kernel: kernel.name.clone(),
        what,
    };
    let mut values = Vec::with_capacity(kernel.arguments.len());
    for argument in &kernel.arguments {
        let missing = || inconsistent(format!("nothing gives the argument {argument:?}"));
        values.push(match argument {
            Argument::Address { of } => {
                let fact = tensors.get(of.as_str()).ok_or_else(missing)?;
                ArgumentValue::Address {
                    of: of.clone(),
                    address: fact.address,
                }
            }
            Argument::Size { name } => {
                let size = sizes.get(name).and_then(|size| i32::try_from(size).ok());
                ArgumentValue::Size(size.ok_or_else(missing)?)
            }
            Argument::Stride { of, dimension } => {
                let fact = tensors.get(of.as_str()).ok_or_else(missing)?;
                ArgumentValue::Stride(*fact.strides.get(*dimension).ok_or_else(missing)?)
            }
            Argument::Scalar { name } => {
                let (element, bits) = *scalars.get(name.as_str()).ok_or_else(missing)?;
                ArgumentValue::Scalar { element, bits }
            }
        });
    }
    let grid = grid_of(kernel, kernel.grid.as_deref(), &sizes, grid)?;
    let (variant, grid, maps) = choose(kernel, &tensors, &sizes, grid)?;
    Ok(LaunchPlan {
        numbered: kernel.variants[variant].is_numbered(),
        pair: persistent::pair(&kernel.variants[variant], grid, &maps),
        variant,
        maps,
        grid,
        arguments: values,
        sizes: sizes.into_values(),
    })
}

/// Each parameter's argument; every parameter has one.
fn by_name<'a>(
    kernel: &Kernel,
    arguments: &[(&'a str, Fact<'a>)],
) -> Result<BTreeMap<&'a str, Fact<'a>>, LaunchError> {
    let names: Vec<_> = arguments.iter().map(|(name, _)| *name).collect();
    check_names(kernel, &names)?;
    Ok(arguments.iter().copied().collect())
}

/// Checks that the names of arguments are those of the parameters, each once, in any order.
///
/// # Errors
/// A name that is unknown, given twice or missing.
pub fn check_names(kernel: &Kernel, names: &[&str]) -> Result<(), LaunchError> {
    let known = || kernel.parameters.iter().map(Parameter::name);
    for (index, &name) in names.iter().enumerate() {
        if !known().any(|known| known == name) {
            return Err(LaunchError::UnknownName {
                kernel: kernel.name.clone(),
                name: name.to_owned(),
                suggestion: suggest::nearest(name, known()),
                parameters: suggest::list(known()),
            });
        }
        if names[..index].contains(&name) {
            return Err(LaunchError::Duplicate(name.to_owned()));
        }
    }
    let missing: Vec<_> = kernel
        .parameters
        .iter()
        .filter(|parameter| !names.contains(&parameter.name()))
        .map(ToString::to_string)
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(LaunchError::Missing {
            kernel: kernel.name.clone(),
            parameters: suggest::list(missing.iter().map(String::as_str)),
        })
    }
}

/// The bits of a scalar argument.
pub(crate) fn scalar(
    parameter: &Parameter,
    element: ElementType,
    value: Scalar,
) -> Result<u64, LaunchError> {
    match (numeric::integer_range(element), value) {
        (Some(_), Scalar::Float(_)) => Err(LaunchError::FloatForInteger {
            parameter: parameter.to_string(),
            value: value.to_string(),
        }),
        (range, _) if !numeric::fits(element, value) => {
            let limit = numeric::largest_finite(element).unwrap_or_default();
            Err(LaunchError::OutOfRange {
                parameter: parameter.to_string(),
                value: value.to_string(),
                range: match range {
                    Some((low, high)) => format!("{low} to {high}"),
                    None if limit < 1e6 => format!("-{limit} to {limit}"),
                    None => format!("-{limit:e} to {limit:e}"),
                },
            })
        }
        _ => Ok(numeric::from_scalar(element, value)),
    }
}

/// Element type and permission to write.
fn tensor(parameter: &Parameter, fact: &TensorFact<'_>) -> Result<(), LaunchError> {
    if fact.element != parameter.element() {
        return Err(LaunchError::Element {
            parameter: parameter.to_string(),
            name: parameter.name().to_owned(),
            found: fact.element,
        });
    }
    if parameter.is_mutable() && !fact.writable {
        return Err(LaunchError::ReadOnly {
            parameter: parameter.to_string(),
            name: parameter.name().to_owned(),
        });
    }
    Ok(())
}

/// The aliasing rule on top of this module.
fn overlaps(kernel: &Kernel, tensors: &BTreeMap<&str, TensorFact<'_>>) -> Result<(), LaunchError> {
    let ranges: Vec<_> = kernel
        .parameters
        .iter()
        .filter_map(|parameter| Some((parameter, tensors.get(parameter.name())?)))
        .filter(|(_, fact)| is_dense(fact.shape, fact.strides))
        .map(|(parameter, fact)| {
            let elements: usize = fact.shape.iter().product();
            let bytes = elements as u64 * u64::from(fact.element.bytes());
            (parameter, fact.address..fact.address.saturating_add(bytes))
        })
        .collect();
    for (index, (first, one)) in ranges.iter().enumerate() {
        for (second, other) in &ranges[index + 1..] {
            let apart = one.end <= other.start || other.end <= one.start;
            let written = first.is_mutable() || second.is_mutable();
            if written && !apart && one != other {
                return Err(LaunchError::Overlap {
                    first: first.name().to_owned(),
                    second: second.name().to_owned(),
                    written: if second.is_mutable() { second } else { first }
                        .name()
                        .to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// The first variant whose assumptions hold, its grid and its tensor maps; `usual` is the grid of variants that have no
/// other.
fn choose(
    kernel: &Kernel,
    tensors: &BTreeMap<&str, TensorFact<'_>>,
    sizes: &Sizes,
    usual: [u32; 3],
) -> Result<(usize, [u32; 3], Vec<MapValue>), LaunchError> {
    let mut mismatches = Vec::new();
    let mut promises = Vec::new();
    for index in tuned::order(kernel, sizes) {
        let variant = &kernel.variants[index];
        let own = own_grid(kernel, variant, sizes, usual);
        // Without a program nothing gets to what was promised.
        let promise = match &own {
            Ok(grid) if !grid.contains(&0) => broken_promise(kernel, variant, sizes),
            _ => None,
        };
        promises.extend(promise.clone());
        let grid = own.as_ref().map_or(usual, |grid| *grid);
        let fits = match (promise, broken(variant, tensors, sizes, grid)) {
            (Some((promise, found)), _) => Err((format!("`{promise}`"), found)),
            (None, Some((assumption, found))) => Err((assumption.to_string(), found)),
            (None, None) => own.and_then(|grid| {
                let maps = maps::of(variant, tensors, sizes)?;
                persistent::check(variant, grid)?;
                Ok((index, grid, maps))
            }),
        };
        match fits {
            Ok(chosen) => return Ok(chosen),
            Err((assumption, found)) => mismatches.push(Mismatch {
                entry: variant.entry.clone(),
                assumption,
                found,
            }),
        }
    }
    let is_of_all =
        promises.len() == mismatches.len() && promises.iter().min() == promises.iter().max();
    Err(match promises.pop() {
        Some((promise, found)) if is_of_all => LaunchError::Promise {
            kernel: kernel.name.clone(),
            promise,
            found,
            generics: kernel.generics.keys().cloned().collect(),
        },
        _ => LaunchError::NoVariant {
            kernel: kernel.name.clone(),
            mismatches,
        },
    })
}

/// The first promise of the source that does not hold, and what was found instead.
fn broken_promise(kernel: &Kernel, variant: &Variant, sizes: &Sizes) -> Option<(String, String)> {
    let own = variant
        .tuned
        .as_ref()
        .filter(|tuned| !tuned.generics.is_empty());
    let promises = own.map_or(&kernel.promises, |tuned| &tuned.promises);
    let lookup = |name: &str| sizes.get(name);
    promises.iter().find_map(|promise| {
        let found = match promise.holds(&lookup) {
            Ok(true) => return None,
            Ok(false) => {
                let names = promise.names().into_iter();
                let values =
                    names.filter_map(|name| Some(format!("`{name}` is {}", lookup(name)?)));
                values.collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.to_string(),
        };
        Some((promise.to_string(), found))
    })
}

/// The grid of a variant; else what it relies on, and what is wrong with that.
fn own_grid(
    kernel: &Kernel,
    variant: &Variant,
    sizes: &Sizes,
    usual: [u32; 3],
) -> Result<[u32; 3], (String, String)> {
    match &variant.tuned {
        Some(tuned) if !tuned.generics.is_empty() => {
            let grid = grid_of(kernel, Some(&tuned.grid), sizes, None);
            let wrong = |error: LaunchError| ("it has a grid".to_owned(), error.to_string());
            grid.map_err(wrong)
        }
        _ => Ok(usual),
    }
}

/// The first assumption that does not hold, and what was found instead.
fn broken<'a>(
    variant: &'a Variant,
    tensors: &BTreeMap<&str, TensorFact<'_>>,
    sizes: &Sizes,
    grid: [u32; 3],
) -> Option<(&'a Assumption, String)> {
    let unknown = || "it is not an argument".to_owned();
    let stride = |of: &str, dimension: usize| {
        tensors
            .get(of)
            .and_then(|fact| fact.strides.get(dimension).copied())
    };
    // A divisor of 0 would be a fault of the compiler; nothing is divisible by it.
    let divides = |by: u64, value: u64| value.checked_rem(by) == Some(0);
    variant.assumptions.iter().find_map(|assumption| {
        let found = match assumption {
            Assumption::Aligned { of, bytes } => match tensors.get(of.as_str()) {
                Some(fact) if divides(*bytes, fact.address) => return None,
                Some(fact) => {
                    let aligned = 1u64 << fact.address.trailing_zeros().min(63);
                    format!("it is aligned to {aligned}")
                }
                None => unknown(),
            },
            Assumption::Divisible { name, by } => match sizes.get(name) {
                Some(value) if divides(*by, value.unsigned_abs()) => return None,
                Some(value) => format!("it is {value}"),
                None => unknown(),
            },
            Assumption::StrideDivisible { of, dimension, by } => match stride(of, *dimension) {
                Some(value) if divides(*by, value.unsigned_abs()) => return None,
                Some(value) => format!("it is {value}"),
                None => unknown(),
            },
            Assumption::StrideEquals {
                of,
                dimension,
                stride: wanted,
            } => match stride(of, *dimension) {
                Some(value) if value == *wanted => return None,
                Some(value) => format!("it is {value}"),
                None => unknown(),
            },
            Assumption::Within { .. } => {
                match assumption.is_within(grid, &|name| sizes.get(name)) {
                    Ok(()) => return None,
                    Err(found) => found,
                }
            }
        };
        Some((assumption, found))
    })
}

/// Blocks along x of so many programs, each a cluster of so many.
///
/// # Errors
/// If CUDA allows no such grid.
pub(crate) fn blocks(programs: u32, cluster: u32) -> Result<u32, LaunchError> {
    let count = i64::from(programs) * i64::from(cluster);
    let limit = GRID_LIMITS[0];
    u32::try_from(count)
        .ok()
        .filter(|_| count <= limit)
        .ok_or(LaunchError::GridLimit {
            axis: 'x',
            count,
            limit,
        })
}

/// Programs along x, y, z.
fn grid_of(
    kernel: &Kernel,
    own: Option<&[SizeExpr]>,
    sizes: &Sizes,
    given: Option<&[i64]>,
) -> Result<[u32; 3], LaunchError> {
    let name = || kernel.name.clone();
    let counts = match (own, given) {
        (None, None) => return Err(LaunchError::GridMissing { kernel: name() }),
        (Some(grid), Some(_)) => {
            let texts: Vec<_> = grid.iter().map(ToString::to_string).collect();
            return Err(LaunchError::GridGiven {
                kernel: name(),
                grid: texts.join(", "),
            });
        }
        (None, Some(given)) => given.to_vec(),
        (Some(grid), None) => grid
            .iter()
            .map(|expression| expression.evaluate(&|name: &str| sizes.get(name)))
            .collect::<Result<_, _>>()?,
    };
    if counts.is_empty() || counts.len() > 3 {
        return Err(LaunchError::GridRank(counts.len()));
    }
    let mut grid = [1; 3];
    for (axis, (&count, limit)) in counts.iter().zip(GRID_LIMITS).enumerate() {
        let letter = ['x', 'y', 'z'][axis];
        if count < 0 {
            return Err(LaunchError::GridNegative {
                axis: letter,
                count,
            });
        }
        if count > limit {
            return Err(LaunchError::GridLimit {
                axis: letter,
                count,
                limit,
            });
        }
        grid[axis] = count as u32;
    }
    Ok(grid)
}
