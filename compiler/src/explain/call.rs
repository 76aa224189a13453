//! A call whose sizes are known: what its arguments would be, without making them.

use tile_runtime::Error;
use tile_runtime::arguments::{ArgumentExpr, NamedArgument};
use tile_runtime::launch::{self, ArgumentValue, Fact, LaunchPlan, TensorFact};
use tile_runtime::manifest::{Assumption, Kernel, Parameter};
use tile_runtime::npy;
use tile_runtime::numeric::{self, Scalar};
use tile_runtime::run::RunOptions;

use super::data::CallData;

/// Arguments, and programs where the kernel does not say.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// As on the command line.
    pub arguments: Vec<NamedArgument>,
    /// Programs along x, y, z.
    pub grid: Vec<i64>,
    /// Whether the header of the file says it.
    pub from_header: bool,
}

impl Call {
    /// That of a run.
    #[must_use]
    pub fn of(options: &RunOptions) -> Self {
        Self {
            arguments: options.arguments.clone(),
            grid: options.grid.clone(),
            from_header: false,
        }
    }
}

/// A tensor that is not made.
struct Shape {
    shape: Vec<usize>,
    strides: Vec<i64>,
}

impl Shape {
    fn dense(shape: Vec<usize>) -> Self {
        let mut strides = vec![1i64; shape.len()];
        for axis in (0..shape.len().saturating_sub(1)).rev() {
            strides[axis] = strides[axis + 1].saturating_mul(shape[axis + 1] as i64);
        }
        Self { shape, strides }
    }
}

/// What is launched, and what to say of it.
///
/// # Errors
/// Whatever is wrong with the call.
pub fn plan(kernel: &Kernel, call: &Call) -> Result<(LaunchPlan, CallData), Error> {
    let mut shapes = Vec::new();
    for argument in &call.arguments {
        shapes.push(shape(argument)?);
    }
    let element = |name: &str| {
        let parameters = kernel.parameters.iter();
        parameters
            .filter(|parameter| parameter.name() == name)
            .map(Parameter::element)
            .next()
    };
    let mut facts = Vec::new();
    let mut words = Vec::new();
    let mut tensor_bytes = 0u64;
    for ((argument, shape), number) in call.arguments.iter().zip(&shapes).zip(1u64..) {
        let name = argument.name.as_str();
        match (shape, &argument.value) {
            (Some(tensor), _) => {
                let element = element(name).unwrap_or(tile_runtime::element::ElementType::F32);
                // Made-up addresses, as far apart and as aligned as those of real memory.
                facts.push((
                    name,
                    Fact::Tensor(TensorFact {
                        element,
                        shape: &tensor.shape,
                        strides: &tensor.strides,
                        address: number << 44,
                        writable: true,
                    }),
                ));
                let sizes: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
                words.push(format!("{name} = {element}[{}]", sizes.join(", ")));
                let elements = tensor.shape.iter().product::<usize>() as u64;
                tensor_bytes =
                    tensor_bytes.saturating_add(elements.saturating_mul(element.bytes().into()));
            }
            (None, ArgumentExpr::Number(value)) => {
                facts.push((name, Fact::Scalar(*value)));
                words.push(format!("{name} = {value}"));
            }
            (None, ArgumentExpr::Truth(value)) => {
                facts.push((name, Fact::Scalar((*value).into())));
                words.push(format!("{name} = {value}"));
            }
            (None, _) => {}
        }
    }
    let grid = (!call.grid.is_empty()).then_some(call.grid.as_slice());
    let plan = launch::plan(kernel, &facts, grid)?;
    let data = CallData {
        arguments: words,
        grid: plan.grid,
        programs: plan.grid.iter().map(|count| u64::from(*count)).product(),
        tensor_bytes,
        broken: broken(kernel, &plan, &facts),
        from_header: call.from_header,
    };
    Ok((plan, data))
}

/// What the first variant relies on and the call does not keep. Addresses are as aligned as those of
/// real memory, so sizes and strides are all that can be.
fn broken(kernel: &Kernel, plan: &LaunchPlan, facts: &[(&str, Fact<'_>)]) -> Vec<String> {
    let stride = |of: &str, dimension: usize| {
        let found = facts.iter().find(|(name, _)| *name == of);
        found.and_then(|(_, fact)| match fact {
            Fact::Tensor(tensor) => tensor.strides.get(dimension).copied(),
            Fact::Scalar(_) => None,
        })
    };
    let assumptions = kernel.variants.first().map(|variant| &variant.assumptions);
    let found = assumptions.into_iter().flatten().filter_map(|assumption| {
        let (value, kept) = match assumption {
            Assumption::Aligned { .. } => return None,
            Assumption::Divisible { name, by } => {
                let size = *plan.sizes.get(name)?;
                (size, size.unsigned_abs().is_multiple_of(*by))
            }
            Assumption::StrideDivisible { of, dimension, by } => {
                let stride = stride(of, *dimension)?;
                (stride, stride.unsigned_abs().is_multiple_of(*by))
            }
            Assumption::StrideEquals {
                of,
                dimension,
                stride: wanted,
            } => {
                let stride = stride(of, *dimension)?;
                (stride, stride == *wanted)
            }
            Assumption::Within { .. } => {
                let size = |name: &str| plan.sizes.get(name).copied();
                let found = assumption.is_within(plan.grid, &size).err()?;
                return Some(format!("{assumption} (here {found})"));
            }
        };
        (!kept).then(|| format!("{assumption} (here it is {value})"))
    });
    found.collect()
}

/// The shape of a tensor; `None` for a number.
fn shape(argument: &NamedArgument) -> Result<Option<Shape>, Error> {
    Ok(match &argument.value {
        ArgumentExpr::Number(_) | ArgumentExpr::Truth(_) => None,
        ArgumentExpr::File(path) => Some(Shape::dense(npy::read(path)?.shape().to_vec())),
        ArgumentExpr::New {
            shape, transposed, ..
        } => {
            let mut dense = Shape::dense(shape.clone());
            if *transposed {
                dense.shape.reverse();
                dense.strides.reverse();
            }
            Some(dense)
        }
    })
}

/// The values of the entry point's arguments: sizes, strides and integers.
#[must_use]
pub fn values(plan: &LaunchPlan) -> Vec<Option<i64>> {
    let value = |argument: &ArgumentValue| match argument {
        ArgumentValue::Address { .. } => None,
        ArgumentValue::Size(size) => Some(i64::from(*size)),
        ArgumentValue::Stride(stride) => Some(*stride),
        ArgumentValue::Scalar { element, bits } => match numeric::to_scalar(*element, *bits) {
            Scalar::Int(value) => i64::try_from(value).ok(),
            Scalar::Float(_) => None,
        },
    };
    plan.arguments.iter().map(value).collect()
}
