//! Devices, and tensors in their memory.

#[cfg(feature = "simulator")]
mod simulated;

use std::any::Any;
use std::sync::Arc;

use crate::backend::{Backend, DeviceError, Mark, Memory, Properties, Queue};
use crate::cuda::Cuda;
use crate::element::ElementType;
use crate::error::Error;
use crate::graph;
use crate::launch::{Fact, TensorFact};
use crate::numeric::Scalar;
use crate::program::Program;
#[cfg(feature = "simulator")]
use crate::simulator::device::Simulator;
use crate::tensor::{Tensor, TensorError, check_view, count, dense_strides, is_dense};

/// The environment variable that names the device which [`Device::auto`] takes.
const DEVICE_VARIABLE: &str = "TILE_DEVICE";

/// What gives a simulator, or an error instead: of a GPU that there is not, or none if the simulator is asked for.
type Simulated<'a> = &'a dyn Fn(Option<DeviceError>) -> Result<Device, DeviceError>;

/// A device that runs kernels. Clones are the same device.
#[derive(Debug, Clone)]
pub struct Device {
    backend: Arc<dyn Backend>,
    /// The same once more, if it is a simulator: to ask what no GPU can answer.
    #[cfg(feature = "simulator")]
    simulator: Option<Arc<Simulator>>,
}

impl Device {
    /// The device that the environment variable `TILE_DEVICE` names (see [`Self::parse`]); without one the first GPU, or the
    /// simulator if this machine has none. So the tests of a program run without a GPU, with all checks: `TILE_DEVICE=sim cargo
    /// test`.
    ///
    /// # Errors
    /// If the variable names no device, or there is a GPU, but it cannot be used; without the feature `simulator` also if
    /// there is none.
    pub fn auto() -> Result<Self, DeviceError> {
        Self::parse("auto")
    }

    /// The GPU of that number, in the driver's order.
    ///
    /// # Errors
    /// If this machine has no driver or not as many GPUs.
    pub fn cuda(index: usize) -> Result<Self, DeviceError> {
        Ok(Self::from_backend(Arc::new(Cuda::open(index)?)))
    }

    /// The GPU whose context is current on this thread, as another library has made it so. Memory and streams of a GPU's primary
    /// context are this device's as well.
    ///
    /// # Errors
    /// If there is no driver, no current context, or one that is not the primary one of its GPU.
    pub fn current() -> Result<Self, DeviceError> {
        Ok(Self::from_backend(Arc::new(Cuda::current()?)))
    }

    /// A device by name: `auto`, `sim` or `cuda:N`.
    ///
    /// # Errors
    /// If the name is none, or there is no such device.
    pub fn parse(name: &str) -> Result<Self, DeviceError> {
        #[cfg(feature = "simulator")]
        return Self::parse_with(name, crate::simulator::machine::Options::default());
        #[cfg(not(feature = "simulator"))]
        Self::named(
            name,
            &|error| Err(error.unwrap_or(DeviceError::NoSimulator)),
        )
    }

    /// A device by name.
    fn named(name: &str, simulated: Simulated<'_>) -> Result<Self, DeviceError> {
        match name.split_once(':') {
            None if name == "auto" => match std::env::var(DEVICE_VARIABLE) {
                Ok(name) if !matches!(name.as_str(), "" | "auto") => Self::named(&name, simulated)
                    .map_err(|error| match error {
                        DeviceError::Unknown(name) => {
                            DeviceError::Unknown(format!("{DEVICE_VARIABLE}={name}"))
                        }
                        other => other,
                    }),
                _ => Self::first(simulated),
            },
            None if name == "sim" => simulated(None),
            None if name == "cuda" => Self::cuda(0),
            Some(("cuda", index)) if index.bytes().all(|byte| byte.is_ascii_digit()) => {
                let unknown = |_| DeviceError::Unknown(name.to_owned());
                Self::cuda(index.parse().map_err(unknown)?)
            }
            _ => Err(DeviceError::Unknown(name.to_owned())),
        }
    }

    /// The first GPU, or what simulates one.
    fn first(simulated: Simulated<'_>) -> Result<Self, DeviceError> {
        match Self::cuda(0) {
            Err(
                error @ (DeviceError::NoDriver
                | DeviceError::NoDevice(_)
                | DeviceError::NoSuchDevice { .. }),
            ) => simulated(Some(error)),
            other => other,
        }
    }

    /// Any other implementation of a device.
    #[must_use]
    pub fn from_backend(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            #[cfg(feature = "simulator")]
            simulator: None,
        }
    }

    /// What the device is.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        self.backend.properties()
    }

    /// Loads PTX that carries a manifest.
    ///
    /// # Errors
    /// If it has no manifest, is for another target, or the device refuses it.
    pub fn load(&self, ptx: &str) -> Result<Program, Error> {
        Program::load(self, ptx)
    }

    /// Copies a tensor to the device; the copy is dense.
    ///
    /// # Errors
    /// If device memory is short or the device fails.
    pub fn upload(&self, tensor: &Tensor) -> Result<DeviceTensor, DeviceError> {
        self.upload_strided(&tensor.to_dense())
    }

    /// Copies a tensor to the device with its strides: all the bytes it is a view of are copied.
    ///
    /// # Errors
    /// If device memory is short or the device fails.
    pub fn upload_strided(&self, tensor: &Tensor) -> Result<DeviceTensor, DeviceError> {
        let memory = self.backend.allocate(tensor.storage().len())?;
        memory.write(0, tensor.storage())?;
        Ok(DeviceTensor {
            element: tensor.element(),
            shape: tensor.shape().to_vec(),
            strides: tensor.strides().to_vec(),
            offset: tensor.offset(),
            storage_bytes: tensor.storage().len(),
            memory,
            device: Some(self.clone()),
        })
    }

    /// A new tensor of zeros on the device.
    ///
    /// # Errors
    /// If device memory is short or the device fails.
    pub fn zeros(&self, element: ElementType, shape: &[usize]) -> Result<DeviceTensor, Error> {
        let storage_bytes = count(element, shape)? * element.bytes() as usize;
        let memory = self.backend.allocate(storage_bytes)?;
        let queue = self.backend.main_queue();
        memory.fill(0, &queue)?;
        // Other streams may use the tensor right away.
        queue.synchronize()?;
        Ok(DeviceTensor {
            element,
            shape: shape.to_vec(),
            strides: dense_strides(shape),
            offset: 0,
            storage_bytes,
            memory,
            device: Some(self.clone()),
        })
    }

    /// The stream that launches go to by default: the same one each time.
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream {
            queue: self.backend.main_queue(),
        }
    }

    /// One more stream, unordered with the others except through [`Stream::wait`].
    ///
    /// # Errors
    /// If the device fails.
    pub fn new_stream(&self) -> Result<Stream, DeviceError> {
        let queue = self.backend.new_queue()?;
        Ok(Stream { queue })
    }

    /// Waits until all work of the device is done.
    ///
    /// # Errors
    /// If some of it failed: a kernel that went out of bounds is reported here.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.backend.synchronize()
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Whether both are one: the same simulator, or the same GPU, which may have been opened twice.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        #[cfg(feature = "simulator")]
        let is_gpu = |device: &Self| device.simulator.is_none();
        #[cfg(not(feature = "simulator"))]
        let is_gpu = |_: &Self| true;
        Arc::ptr_eq(&self.backend, &other.backend)
            || (is_gpu(self) && is_gpu(other) && self.properties() == other.properties())
    }
}

/// A stream: work that runs in order.
#[derive(Debug, Clone)]
pub struct Stream {
    pub(crate) queue: Arc<dyn Queue>,
}

impl Stream {
    /// A stream that somebody else made, by the driver's handle of it (`CUstream`; 0 is the default stream).
    ///
    /// # Safety
    /// The stream is one of the device's context, for the GPU with the same number its primary one, and lives as long
    /// as launches are made on it.
    ///
    /// # Errors
    /// The device has no streams but its own.
    #[allow(unsafe_code)] // the caller's promise, see above
    pub unsafe fn from_raw(device: &Device, handle: u64) -> Result<Self, DeviceError> {
        let queue = device.backend.foreign_queue(handle)?;
        Ok(Self { queue })
    }

    /// Waits until its work so far is done.
    ///
    /// # Errors
    /// If some of that work failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.queue.synchronize()
    }

    /// An event after its work so far.
    ///
    /// # Errors
    /// If the device fails.
    pub fn record(&self) -> Result<Event, DeviceError> {
        let mark = self.queue.mark()?;
        Ok(Event { mark })
    }

    /// Lets later work of this stream wait for an event of any stream of the device.
    ///
    /// # Errors
    /// If the event is of another device.
    pub fn wait(&self, event: &Event) -> Result<(), DeviceError> {
        self.queue.wait(&event.mark)
    }
}

/// A point in the work of a stream.
#[derive(Debug, Clone)]
pub struct Event {
    mark: Arc<dyn Mark>,
}

impl Event {
    /// Waits until the work before it is done.
    ///
    /// # Errors
    /// If some of that work failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        self.mark.synchronize()
    }

    /// Milliseconds of device time from this event to a later one; waits for both.
    ///
    /// # Errors
    /// If the other is of another device, or work failed.
    pub fn elapsed_ms(&self, later: &Self) -> Result<f64, DeviceError> {
        self.mark.elapsed_ms(&later.mark)
    }
}

/// A tensor in device memory. Clones and views share the memory.
///
/// Whether a kernel may write to it is said at the launch ([`Arg::Mut`]); ordering between work
/// that writes and work that reads is that of streams, and reading back waits for all of it.
#[derive(Debug, Clone)]
pub struct DeviceTensor {
    element: ElementType,
    shape: Vec<usize>,
    strides: Vec<i64>,
    /// In elements.
    offset: usize,
    /// Of all that the tensor is a view of.
    storage_bytes: usize,
    memory: Arc<dyn Memory>,
    /// Whose memory it is; of borrowed memory its owner knows.
    device: Option<Device>,
}

impl DeviceTensor {
    /// The type of the elements.
    #[must_use]
    pub const fn element(&self) -> ElementType {
        self.element
    }

    /// The sizes, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The strides in elements, outermost first.
    #[must_use]
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// The device address of the first element.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.memory.address() + (self.offset * self.element.bytes() as usize) as u64
    }

    /// The device addresses of an element; `None` if there is no such element.
    #[must_use]
    pub fn element_addresses(&self, index: &[usize]) -> Option<std::ops::Range<u64>> {
        if index.len() != self.shape.len() || index.iter().zip(&self.shape).any(|(at, of)| at >= of)
        {
            return None;
        }
        let steps = index.iter().zip(&self.strides);
        let elements: i64 = steps.map(|(&at, &stride)| at as i64 * stride).sum();
        let bytes = u64::from(self.element.bytes());
        let start = self
            .address()
            .wrapping_add_signed(elements * i64::from(self.element.bytes()));
        Some(start..start + bytes)
    }

    /// A tensor in memory that somebody else keeps; `address` is that of its first element.
    ///
    /// # Safety
    /// The memory is the device's that it is used on, holds all elements of the view, and lives until all launches that were
    /// given the tensor have run.
    ///
    /// # Errors
    /// Strides that are not as many as sizes, or negative ones; more elements than there can be.
    #[allow(unsafe_code)] // the caller's promise, see above
    pub unsafe fn borrowed(
        element: ElementType,
        address: u64,
        shape: &[usize],
        strides: &[i64],
    ) -> Result<Self, TensorError> {
        let last = shape
            .iter()
            .zip(strides)
            .try_fold(0usize, |sum, (&size, &stride)| {
                let reach = usize::try_from(stride)
                    .ok()?
                    .checked_mul(size.saturating_sub(1))?;
                sum.checked_add(reach)
            });
        let elements = last.and_then(|last| last.checked_add(1));
        check_view(element, shape, strides, 0, elements.unwrap_or(0))?;
        Ok(Self {
            element,
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            offset: 0,
            storage_bytes: elements.unwrap_or(0) * element.bytes() as usize,
            memory: Arc::new(Borrowed {
                address,
                _owner: None,
            }),
            device: None,
        })
    }

    /// The same view of borrowed memory, with what gives that back when the last view has gone.
    pub(crate) fn owned_by(self, owner: impl Any + Send + Sync, device: &Device) -> Self {
        Self {
            memory: Arc::new(Borrowed {
                address: self.memory.address(),
                _owner: Some(Box::new(owner)),
            }),
            device: Some(device.clone()),
            ..self
        }
    }

    /// A view with the dimensions in reverse order.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut view = self.clone();
        view.shape.reverse();
        view.strides.reverse();
        view
    }

    /// A view of the memory: element `[i, j, …]` is number
    /// `offset + i * strides[0] + j * strides[1] + …` of it.
    ///
    /// # Errors
    /// [`TensorError::OutOfStorage`] if an element would lie outside.
    pub fn viewed(
        &self,
        shape: &[usize],
        strides: &[i64],
        offset: usize,
    ) -> Result<Self, TensorError> {
        let elements = self.storage_bytes / self.element.bytes() as usize;
        check_view(self.element, shape, strides, offset, elements)?;
        Ok(Self {
            shape: shape.to_vec(),
            strides: strides.to_vec(),
            offset,
            ..self.clone()
        })
    }

    /// Copies the tensor to the host, after all work of the device.
    ///
    /// # Errors
    /// If the device fails, or work before the copy failed.
    pub fn download(&self) -> Result<Tensor, Error> {
        let mut bytes = vec![0; self.storage_bytes];
        self.memory.read(0, &mut bytes)?;
        Ok(Tensor::from_storage(
            self.element,
            &self.shape,
            &self.strides,
            self.offset,
            bytes,
        )?)
    }

    /// Overwrites the elements, after all work of the device. The layout of this tensor must be
    /// dense and without offset, as that of a new one is.
    ///
    /// # Errors
    /// If element type or shape differ, or the device fails.
    pub fn write(&self, tensor: &Tensor) -> Result<(), Error> {
        if tensor.element() != self.element {
            return Err(TensorError::Element {
                found: tensor.element(),
                expected: self.element,
            }
            .into());
        }
        let bytes = tensor.dense_bytes();
        let dense = is_dense(&self.shape, &self.strides) && bytes.len() == self.storage_bytes;
        if tensor.shape() != self.shape || !dense {
            return Err(TensorError::Length {
                shape: self.shape.clone(),
                expected: self.storage_bytes / self.element.bytes() as usize,
                found: tensor.len(),
            }
            .into());
        }
        Ok(self.memory.write(0, &bytes)?)
    }

    /// Sets each byte of the memory, in the order of the stream.
    ///
    /// # Errors
    /// If the device fails or the stream is of another device.
    pub fn fill_bytes(&self, value: u8, stream: &Stream) -> Result<(), DeviceError> {
        graph::keep(|| Arc::clone(&self.memory));
        self.memory.fill(value, &stream.queue)
    }

    /// Overwrites the memory with that of another tensor of as many bytes, in the order of the
    /// stream. Bytes are copied as they lie, whatever the element types and shapes.
    ///
    /// # Errors
    /// If the sizes differ, the device fails, or something is of another device.
    pub fn copy_from(&self, source: &Self, stream: &Stream) -> Result<(), DeviceError> {
        if source.storage_bytes != self.storage_bytes {
            return Err(DeviceError::OutOfMemoryRange {
                start: 0,
                end: source.storage_bytes,
                size: self.storage_bytes,
            });
        }
        graph::keep(|| [Arc::clone(&self.memory), Arc::clone(&source.memory)]);
        self.memory
            .copy_from(&source.memory, source.storage_bytes, &stream.queue)
    }

    /// Bytes of all that the tensor is a view of.
    pub(crate) const fn storage_bytes(&self) -> usize {
        self.storage_bytes
    }

    pub(crate) const fn memory(&self) -> &Arc<dyn Memory> {
        &self.memory
    }

    pub(crate) const fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    /// What a launch must know of it.
    #[must_use]
    pub fn fact(&self, writable: bool) -> TensorFact<'_> {
        TensorFact {
            element: self.element,
            shape: &self.shape,
            strides: &self.strides,
            address: self.address(),
            writable,
        }
    }
}

/// Memory that somebody else keeps.
#[derive(Debug)]
struct Borrowed {
    address: u64,
    /// Gives it back, if that is to be done.
    _owner: Option<Box<dyn Any + Send + Sync>>,
}

impl Memory for Borrowed {
    fn address(&self) -> u64 {
        self.address
    }

    fn write(&self, _offset: usize, _bytes: &[u8]) -> Result<(), DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn read(&self, _offset: usize, _bytes: &mut [u8]) -> Result<(), DeviceError> {
        Err(DeviceError::Borrowed)
    }

    fn fill(&self, _value: u8, _queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        Err(DeviceError::Borrowed)
    }
}

/// An argument of a launch.
#[derive(Debug, Clone, Copy)]
pub enum Arg<'a> {
    /// A tensor that the kernel only reads.
    Tensor(&'a DeviceTensor),
    /// A tensor that the kernel may write to.
    Mut(&'a DeviceTensor),
    /// A number.
    Scalar(Scalar),
}

impl<'a> Arg<'a> {
    /// A number of any type that is an element type.
    pub fn scalar(value: impl Into<Scalar>) -> Self {
        Self::Scalar(value.into())
    }

    /// What a launch must know of it.
    #[must_use]
    pub fn fact(&self) -> Fact<'a> {
        match *self {
            Self::Tensor(tensor) => Fact::Tensor(tensor.fact(false)),
            Self::Mut(tensor) => Fact::Tensor(tensor.fact(true)),
            Self::Scalar(value) => Fact::Scalar(value),
        }
    }
}
