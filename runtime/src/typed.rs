//! Tensors and kernels whose element types and ranks the Rust compiler checks. What `tilec build FILE --emit rust` writes is
//! made of these: a function for each kernel, with its parameters by name.
//!
//! ```
//! use tile_runtime::device::Device;
//! use tile_runtime::typed::Tensor;
//!
//! # fn main() -> Result<(), tile_runtime::Error> {
//! let device = Device::sim();
//! let x = Tensor::from_slice(&device, [2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! assert_eq!(x.shape(), [2, 3]);
//! assert_eq!(x.transposed().to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
//! # Ok(())
//! # }
//! ```

use std::marker::PhantomData;
use std::sync::Arc;

use crate::device::{Arg, Device, DeviceTensor, Stream};
use crate::error::Error;
use crate::graph;
use crate::numeric::Scalar;
use crate::pinned::Pinned;
use crate::program::{self, Launcher, Program, RawArgument};
use crate::tensor::{self, Native, TensorError};

/// A tensor in device memory with elements of type `T` and so many dimensions. It is the only one that has this memory, so that
/// a kernel which writes to it, and takes it as `&mut`, reads it by no other name.
///
/// Other elements or another number of dimensions do not compile:
///
/// ```compile_fail
/// # use tile_runtime::typed::Tensor;
/// fn reads(_: &Tensor<f32, 2>) {}
/// fn other_elements(x: &Tensor<i32, 2>) { reads(x) }
/// ```
/// ```compile_fail
/// # use tile_runtime::typed::Tensor;
/// fn reads(_: &Tensor<f32, 2>) {}
/// fn other_rank(x: &Tensor<f32, 1>) { reads(x) }
/// ```
#[derive(Debug)]
pub struct Tensor<T, const RANK: usize> {
    inner: DeviceTensor,
    shape: [i64; RANK],
    of: PhantomData<T>,
}

impl<T: Native, const RANK: usize> Tensor<T, RANK> {
    /// A tensor of zeros.
    ///
    /// # Errors
    /// If device memory is short or the device fails.
    pub fn zeros(device: &Device, shape: [usize; RANK]) -> Result<Self, Error> {
        Self::try_from(device.zeros(T::ELEMENT, &shape)?)
    }

    /// A tensor of these elements, row by row.
    ///
    /// # Errors
    /// If they are not as many as the shape says, device memory is short, or the device fails.
    pub fn from_slice(device: &Device, shape: [usize; RANK], values: &[T]) -> Result<Self, Error> {
        let host = tensor::Tensor::from_vec(&shape, values)?;
        Self::try_from(device.upload(&host)?)
    }

    /// A tensor in memory that somebody else keeps; `address` is that of its first element, strides are in elements.
    ///
    /// # Safety
    /// The memory is the device's that it is used on, holds all elements, lives until all launches that were given the tensor
    /// have run, and nobody else writes to it while one that reads it runs, or reads it while one that writes to it does.
    ///
    /// # Errors
    /// Negative strides, or more elements than there can be.
    #[allow(unsafe_code)] // the caller's promise, see above
    pub unsafe fn borrowed(
        address: u64,
        shape: [usize; RANK],
        strides: [i64; RANK],
    ) -> Result<Self, Error> {
        // SAFETY: the caller's promise.
        let inner = unsafe { DeviceTensor::borrowed(T::ELEMENT, address, &shape, &strides)? };
        Self::try_from(inner)
    }

    /// The sizes, outermost first.
    #[must_use]
    pub fn shape(&self) -> [usize; RANK] {
        self.shape.map(|size| size as usize)
    }

    /// The elements, row by row, after all work of the device.
    ///
    /// # Errors
    /// If the device fails, or work before failed; if the memory is [borrowed](Self::borrowed).
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        Ok(self.inner.download()?.to_vec()?)
    }

    /// Overwrites the elements, after all work of the device.
    ///
    /// # Errors
    /// If they are not as many, the tensor is transposed, or the device fails.
    pub fn write(&mut self, values: &[T]) -> Result<(), Error> {
        let host = tensor::Tensor::from_vec(&self.shape(), values)?;
        self.inner.write(&host)
    }

    /// Overwrites all memory of the tensor with pinned host memory of as many bytes, in the order of the stream; returns at once.
    ///
    /// # Errors
    /// As [`DeviceTensor::copy_from_host`].
    pub fn copy_from_host(&mut self, source: &Pinned, stream: &Stream) -> Result<(), Error> {
        self.inner.copy_from_host(source, stream)
    }

    /// Copies all memory of the tensor to pinned host memory of as many bytes, in the order of the stream; returns at once.
    ///
    /// # Errors
    /// As [`DeviceTensor::copy_from_host`].
    pub fn copy_to_host(&self, to: &mut Pinned, stream: &Stream) -> Result<(), Error> {
        self.inner.copy_to_host(to, stream)
    }

    /// The same memory with the dimensions in reverse order.
    #[must_use]
    pub fn transposed(mut self) -> Self {
        self.inner = self.inner.transposed();
        self.shape.reverse();
        self
    }

    /// The tensor without its type, for what this one does not offer.
    #[must_use]
    pub const fn untyped(&self) -> &DeviceTensor {
        &self.inner
    }

    /// It as an argument that the kernel reads.
    #[must_use]
    pub fn argument(&self) -> Argument<'_> {
        Argument {
            raw: RawArgument::Tensor {
                element: T::ELEMENT,
                address: self.inner.address(),
                shape: &self.shape,
                strides: self.inner.strides(),
            },
            tensor: Some(&self.inner),
        }
    }

    /// It as an argument that the kernel may write to.
    #[must_use]
    pub fn argument_mut(&mut self) -> Argument<'_> {
        self.argument()
    }
}

impl<T: Native, const RANK: usize> TryFrom<DeviceTensor> for Tensor<T, RANK> {
    type Error = Error;

    /// # Errors
    /// If it has other elements or another number of dimensions.
    fn try_from(inner: DeviceTensor) -> Result<Self, Error> {
        if inner.element() != T::ELEMENT {
            return Err(TensorError::Element {
                found: inner.element(),
                expected: T::ELEMENT,
            }
            .into());
        }
        let shape = <[usize; RANK]>::try_from(inner.shape());
        let rank = |_| TensorError::Rank {
            found: inner.shape().len(),
            expected: RANK,
        };
        Ok(Self {
            shape: shape.map_err(rank)?.map(|size| size as i64),
            inner,
            of: PhantomData,
        })
    }
}

/// An argument of a typed kernel.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    raw: RawArgument<'a>,
    tensor: Option<&'a DeviceTensor>,
}

impl Argument<'_> {
    /// A number.
    pub fn scalar(value: impl Into<Scalar>) -> Self {
        Self {
            raw: RawArgument::Scalar(value.into()),
            tensor: None,
        }
    }
}

/// A kernel that takes [`Argument`]s in the order of its parameters. A launch that is like an earlier one finds what that has
/// decided: it looks up no name and allocates nothing.
#[derive(Debug)]
pub struct Kernel(Launcher);

/// So many arguments need no allocation.
const FEW: usize = 16;

impl Kernel {
    /// The kernel of this name.
    ///
    /// # Errors
    /// If the program has none.
    pub fn of(program: &Program, name: &str) -> Result<Self, Error> {
        Ok(Self(program.kernel(Some(name))?.launcher()))
    }

    /// Checks the arguments, where a launch like it has not been checked before, and starts the kernel.
    ///
    /// # Errors
    /// If the arguments do not suit the kernel, or the device refuses.
    pub fn launch(&self, stream: &Stream, arguments: &[Argument<'_>]) -> Result<(), Error> {
        for tensor in arguments.iter().filter_map(|argument| argument.tensor) {
            self.untyped().check_device(tensor)?;
            graph::keep(|| Arc::clone(tensor.memory()));
        }
        let mut few = [RawArgument::Scalar(Scalar::Int(0)); FEW];
        let many: Vec<RawArgument<'_>>;
        let raw = match few.get_mut(..arguments.len()) {
            Some(few) => {
                for (place, argument) in few.iter_mut().zip(arguments) {
                    *place = argument.raw;
                }
                &*few
            }
            None => {
                many = arguments.iter().map(|argument| argument.raw).collect();
                &many
            }
        };
        // SAFETY: tensors are this device's, as was checked, or borrowed, which is their owner's promise; and memory waits for
        // all work of its device before it goes.
        #[allow(unsafe_code)]
        unsafe {
            self.0.launch(stream, raw)
        }
    }

    /// The same for a kernel that does not compute its grid: of 1 to 3 numbers of programs.
    ///
    /// # Errors
    /// As [`Self::launch`].
    pub fn launch_on_grid(
        &self,
        stream: &Stream,
        grid: &[i64],
        arguments: &[Argument<'_>],
    ) -> Result<(), Error> {
        let given = arguments.iter().map(|argument| match argument.raw {
            RawArgument::Scalar(value) => Some(Arg::Scalar(value)),
            RawArgument::Tensor { .. } => argument.tensor.map(Arg::Tensor),
        });
        let named = self.untyped().named(given.flatten());
        let prepared = self.untyped().prepare_on(stream, &named, Some(grid))?;
        prepared.launch()
    }

    /// The kernel without types.
    #[must_use]
    pub const fn untyped(&self) -> &program::Kernel {
        self.0.kernel()
    }
}
