//! What a kernel is launched with, and how it meets the kernel's parameters.

use std::collections::BTreeMap;
use std::rc::Rc;

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{self, Scalar};
use tile_runtime::tensor::{Tensor, TensorError};

use crate::diagnostic::Span;
use crate::typed::{
    Dimension, Element, Kernel, Parameter, Stride, TensorParameter, Variable, VariableId,
};

use super::fault::{Fault, InterpError};
use super::memory::{self, Buffer, BufferId, LastStore, Memory, Region, Watch};
use super::program::{Outcome, Variables};
use super::value::{Address, Tile};

/// Arguments by parameter name, and the buffers they point into. Two arguments that point into one
/// buffer alias.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arguments {
    buffers: Vec<Buffer>,
    values: BTreeMap<String, Argument>,
    watch: Option<Watch>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// For a scalar parameter; must fit its type.
    Scalar(Scalar),
    /// For a pointer parameter.
    Pointer {
        /// What it points into.
        buffer: BufferId,
        /// At which element.
        offset: i64,
    },
    /// For a tensor parameter; for a pointer parameter it is its first element.
    Tensor {
        /// Where its elements are.
        buffer: BufferId,
        /// Which element of the buffer is its first.
        offset: i64,
        /// Outermost first.
        sizes: Vec<u64>,
        /// In elements, outermost first.
        strides: Vec<i64>,
    },
}

impl Arguments {
    /// No arguments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds memory to point into.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId(self.buffers.len() - 1)
    }

    /// The address of an element of a buffer, as `p as i64` gives it and `n as ptr<T>` takes it: what a
    /// table of addresses holds. It is the same in every run.
    ///
    /// # Panics
    ///
    /// The number comes from other `Arguments`.
    #[must_use]
    pub fn address(&self, buffer: BufferId, element: i64) -> i64 {
        let bytes = i64::from(self.buffers[buffer.0].element.bytes());
        (memory::start(buffer) as i64).wrapping_add(element.wrapping_mul(bytes))
    }

    /// Gives a parameter its argument.
    pub fn set(&mut self, parameter: &str, argument: Argument) {
        self.values.insert(parameter.to_owned(), argument);
    }

    /// Gives a scalar parameter its number.
    pub fn set_scalar(&mut self, parameter: &str, value: impl Into<Scalar>) {
        self.set(parameter, Argument::Scalar(value.into()));
    }

    /// Gives a tensor or pointer parameter a copy of a tensor, in a buffer of its own;
    /// [`tensor`](Self::tensor) gives it back after the run.
    pub fn set_tensor(&mut self, parameter: &str, tensor: &Tensor) {
        let buffer = self.add_buffer(Buffer {
            element: tensor.element(),
            bytes: tensor.storage().to_vec(),
        });
        let argument = Argument::Tensor {
            buffer,
            offset: tensor.offset() as i64,
            sizes: tensor.shape().iter().map(|&size| size as u64).collect(),
            strides: tensor.strides().to_vec(),
        };
        self.set(parameter, argument);
    }

    /// The tensor that a parameter was given, as it is now; `None` if it was given none.
    ///
    /// # Errors
    ///
    /// The argument describes elements outside its buffer.
    pub fn tensor(&self, parameter: &str) -> Result<Option<Tensor>, TensorError> {
        let Some(Argument::Tensor {
            buffer,
            offset,
            sizes,
            strides,
        }) = self.values.get(parameter)
        else {
            return Ok(None);
        };
        let Some(Buffer { element, bytes }) = self.buffers.get(buffer.0) else {
            return Ok(None);
        };
        let shape: Vec<usize> = sizes.iter().map(|&size| size as usize).collect();
        Tensor::from_storage(*element, &shape, strides, *offset as usize, bytes.clone()).map(Some)
    }

    /// From now on, remembers who stores to an element of a tensor argument;
    /// [`last_store`](Self::last_store) tells. Nothing is watched if there is no such element.
    pub fn watch(&mut self, parameter: &str, index: &[usize]) {
        let Some(Argument::Tensor {
            buffer,
            offset,
            sizes,
            strides,
        }) = self.values.get(parameter)
        else {
            return;
        };
        let inside = index.len() == sizes.len()
            && index
                .iter()
                .zip(sizes)
                .all(|(&at, &size)| (at as u64) < size);
        let steps = index.iter().zip(strides);
        let element = steps.fold(*offset, |sum, (&at, &stride)| sum + at as i64 * stride);
        self.watch = usize::try_from(element)
            .ok()
            .filter(|_| inside)
            .map(|element| Watch {
                buffer: *buffer,
                element,
                last: None,
            });
    }

    /// The last store to the watched element; `None` if there was none.
    #[must_use]
    pub fn last_store(&self) -> Option<&LastStore> {
        self.watch.as_ref()?.last.as_ref()
    }

    /// The memory that [`add_buffer`](Self::add_buffer) gave this number.
    ///
    /// # Panics
    ///
    /// The number comes from other `Arguments`.
    #[must_use]
    pub fn buffer(&self, buffer: BufferId) -> &Buffer {
        &self.buffers[buffer.0]
    }

    /// Checks the arguments against the parameters, and gives the variables that hold them.
    pub(super) fn bind<'a>(&'a mut self, kernel: &Kernel) -> Outcome<(Variables, Memory<'a>)> {
        let mut binding = Binding {
            kernel,
            buffers: &self.buffers,
            variables: vec![None; kernel.variables.len()],
            regions: Vec::new(),
        };
        for parameter in &kernel.parameters {
            let name = name_of(parameter);
            let Some(argument) = self.values.get(name) else {
                return Err(refuse(
                    kernel.span,
                    format!("no argument is given for `{name}`"),
                ));
            };
            let region = binding.parameter(parameter, argument)?;
            binding.regions.push(region);
        }
        let (variables, regions) = (binding.variables, binding.regions);
        let memory = Memory {
            buffers: &mut self.buffers,
            regions,
            watch: self.watch.as_mut(),
        };
        Ok((variables, memory))
    }
}

/// The name in the source.
fn name_of(parameter: &Parameter) -> &str {
    match parameter {
        Parameter::Scalar { name, .. } | Parameter::Pointer { name, .. } => name,
        Parameter::Tensor(tensor) => &tensor.name,
    }
}

/// A launch that cannot start.
fn refuse(span: Span, reason: String) -> Box<InterpError> {
    Box::new(InterpError {
        fault: Fault::Launch(reason),
        span,
        program_id: None,
        position: None,
    })
}

/// Arguments on their way into variables and regions.
struct Binding<'a> {
    kernel: &'a Kernel,
    buffers: &'a [Buffer],
    variables: Variables,
    regions: Vec<Option<Region>>,
}

impl Binding<'_> {
    fn variable(&self, id: VariableId) -> Outcome<&Variable> {
        let malformed = Fault::Malformed("a parameter without a variable");
        self.kernel.variables.get(id.0 as usize).ok_or_else(|| {
            Box::new(InterpError {
                fault: malformed,
                span: self.kernel.span,
                program_id: None,
                position: None,
            })
        })
    }

    /// Binds one parameter; gives its memory if it has any.
    fn parameter(&mut self, parameter: &Parameter, argument: &Argument) -> Outcome<Option<Region>> {
        match (parameter, argument) {
            (Parameter::Scalar { name, variable }, Argument::Scalar(value)) => {
                self.scalar(name, *variable, *value)?;
                Ok(None)
            }
            (
                Parameter::Pointer { name, variable },
                Argument::Pointer { buffer, offset } | Argument::Tensor { buffer, offset, .. },
            ) => self.pointer(name, *variable, *buffer, *offset).map(Some),
            (
                Parameter::Tensor(tensor),
                Argument::Tensor {
                    buffer,
                    offset,
                    sizes,
                    strides,
                },
            ) => {
                let region = self.pointer(&tensor.name, tensor.pointer, *buffer, *offset)?;
                self.layout(tensor, sizes, strides)?;
                Ok(Some(Region {
                    sizes: sizes.clone(),
                    strides: strides.clone(),
                    ..region
                }))
            }
            _ => {
                let (name, span) = (name_of(parameter), self.kernel.span);
                Err(refuse(
                    span,
                    format!("the argument for `{name}` is of another kind"),
                ))
            }
        }
    }

    fn scalar(&mut self, name: &str, id: VariableId, value: Scalar) -> Outcome<()> {
        let Variable { ty, span, .. } = self.variable(id)?;
        let Element::Number(element) = ty.element else {
            return Err(refuse(
                *span,
                format!("`{name}` takes an address, not a number"),
            ));
        };
        if !numeric::fits(element, value) {
            return Err(refuse(
                *span,
                format!("{value} does not fit `{name}: {element}`"),
            ));
        }
        self.variables[id.0 as usize] = Some(Rc::new(Tile::scalar(element, value)));
        Ok(())
    }

    fn pointer(
        &mut self,
        name: &str,
        id: VariableId,
        buffer: BufferId,
        base: i64,
    ) -> Outcome<Region> {
        let Variable { ty, span, .. } = self.variable(id)?;
        let Element::Pointer { pointee, mutable } = ty.element else {
            return Err(refuse(
                *span,
                format!("`{name}` takes a number, not an address"),
            ));
        };
        match self.buffers.get(buffer.0) {
            Some(Buffer { element, .. }) if *element == pointee => {}
            Some(Buffer { element, .. }) => {
                let reason = format!("`{name}` points to {pointee}, but is given {element}");
                return Err(refuse(*span, reason));
            }
            None => return Err(refuse(*span, format!("`{name}` is given no buffer"))),
        }
        let address = Address {
            parameter: Some(self.regions.len()),
            offset: 0,
        };
        self.variables[id.0 as usize] = Some(Rc::new(Tile::addresses(&[], vec![address])));
        Ok(Region {
            name: name.to_owned(),
            element: pointee,
            mutable,
            buffer,
            base,
            sizes: Vec::new(),
            strides: Vec::new(),
        })
    }

    /// Checks sizes and strides of a tensor, and binds those that have names.
    fn layout(&mut self, tensor: &TensorParameter, sizes: &[u64], strides: &[i64]) -> Outcome<()> {
        let name = &tensor.name;
        let rank = tensor.dimensions.len();
        if (sizes.len(), strides.len()) != (rank, rank) {
            let reason = format!(
                "`{name}` has rank {rank}, but is given rank {}",
                sizes.len()
            );
            return Err(refuse(tensor.span, reason));
        }
        for (dimension, (declared, &size)) in tensor.dimensions.iter().zip(sizes).enumerate() {
            let expected = match declared {
                Dimension::Fixed(fixed) => Some(*fixed),
                Dimension::Size(index) => match self.kernel.sizes.get(*index) {
                    Some((_, variable)) => self.bind_once(*variable, ElementType::I32, size.into()),
                    None => None,
                }
                .map(|bound| bound as u64),
            };
            if expected != Some(size) {
                let reason = match expected {
                    Some(expected) => format!(
                        "dimension {dimension} of `{name}` must have size {expected}, but has {size}"
                    ),
                    None => format!("dimension {dimension} of `{name}`, {size}, does not fit i32"),
                };
                return Err(refuse(tensor.span, reason));
            }
        }
        let mut dense = 1;
        for dimension in (0..rank).rev() {
            let (size, stride) = (sizes[dimension], strides[dimension]);
            let expected = match tensor.strides.get(dimension) {
                Some(Stride::Dense) => dense,
                Some(Stride::Fixed(fixed)) => *fixed,
                // Names shared between tensors agree.
                Some(Stride::Variable { variable, .. }) => self
                    .bind_once(*variable, ElementType::I64, stride.into())
                    .map_or(stride, |bound| bound as i64),
                None => stride,
            };
            // A stride that is never taken may be anything.
            if expected != stride && size > 1 {
                let reason = format!(
                    "dimension {dimension} of `{name}` must have stride {expected}, but has {stride}"
                );
                return Err(refuse(tensor.span, reason));
            }
            dense = dense.wrapping_mul(size as i64);
        }
        Ok(())
    }

    /// Gives a variable its number unless it has one, and returns the one it has then; `None` if
    /// the number does not fit.
    fn bind_once(&mut self, id: VariableId, element: ElementType, value: i128) -> Option<i128> {
        let place = self.variables.get_mut(id.0 as usize)?;
        if let Some(bound) = place {
            return bound.integer().ok();
        }
        if !numeric::fits(element, Scalar::Int(value)) {
            return None;
        }
        *place = Some(Rc::new(Tile::scalar(element, Scalar::Int(value))));
        Some(value)
    }
}
