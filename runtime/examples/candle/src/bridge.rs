//! candle's tensors as the arguments of a kernel.
//!
//! On a GPU a kernel reads and writes candle's own memory, on candle's stream: nothing is copied, and nothing waits. On the CPU tensors
//! are copied to the simulator and back.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use candle_core::backend::BackendStorage;
use candle_core::{
    CpuStorage, CudaStorage, DType, Error, Layout, Result, Shape, Storage, Tensor, op::BackpropOp,
};
use tile_runtime::device::{Device, Stream};
use tile_runtime::tensor::Native;
use tile_runtime::typed;

use crate::kernels::Kernels;

/// An element that candle and Tile both have.
pub trait Element: candle_core::WithDType + Native + OnCuda {}
impl<T: candle_core::WithDType + Native + OnCuda> Element for T {}

#[cfg(feature = "cuda")]
pub trait OnCuda: candle_core::cuda::CudaDType + cudarc::driver::DeviceRepr {}
#[cfg(feature = "cuda")]
impl<T: candle_core::cuda::CudaDType + cudarc::driver::DeviceRepr> OnCuda for T {}

#[cfg(not(feature = "cuda"))]
pub trait OnCuda {}
#[cfg(not(feature = "cuda"))]
impl<T> OnCuda for T {}

/// A tensor that a kernel reads.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    memory: Memory<'a>,
    layout: &'a Layout,
}

#[derive(Clone, Copy)]
enum Memory<'a> {
    Cpu(&'a CpuStorage),
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    Cuda(&'a CudaStorage),
}

impl Memory<'_> {
    fn dtype(&self) -> DType {
        match self {
            Self::Cpu(storage) => storage.dtype(),
            Self::Cuda(storage) => storage.dtype(),
        }
    }
}

impl<'a> Input<'a> {
    pub const fn on_cpu(storage: &'a CpuStorage, layout: &'a Layout) -> Self {
        Self {
            memory: Memory::Cpu(storage),
            layout,
        }
    }

    pub const fn on_cuda(storage: &'a CudaStorage, layout: &'a Layout) -> Self {
        Self {
            memory: Memory::Cuda(storage),
            layout,
        }
    }

    fn of(storage: &'a Storage, layout: &'a Layout) -> Result<Self> {
        match storage {
            Storage::Cpu(storage) => Ok(Self::on_cpu(storage, layout)),
            Storage::Cuda(storage) => Ok(Self::on_cuda(storage, layout)),
            Storage::Metal(_) => Err(Error::Msg("Tile has no kernels for Metal".into())),
        }
    }

    pub fn dims(&self) -> &[usize] {
        self.layout.dims()
    }

    /// Where its kernels run.
    pub fn place(&self) -> Result<Arc<Place>> {
        match self.memory {
            Memory::Cpu(_) => Place::of(Key::Simulator, || Ok(Place::simulated())),
            #[cfg(feature = "cuda")]
            Memory::Cuda(storage) => Place::of(Key::Cuda(storage.device.id()), || {
                Place::on_cuda(&storage.device)
            }),
            #[cfg(not(feature = "cuda"))]
            Memory::Cuda(_) => Err(Error::NotCompiledWithCudaSupport),
        }
    }

    /// It as an argument with this type of element and number of dimensions.
    ///
    /// # Errors
    /// If it has others, or its elements are not row by row.
    pub fn argument<T: Element, const RANK: usize>(
        &self,
        place: &Place,
    ) -> Result<typed::Tensor<T, RANK>> {
        self.read::<T, T, RANK>(place, |value| value)
    }

    /// A tensor of 32-bit integers as an argument of `i32`. candle's own are often `u32`, and it has no kernels for casts between both; the
    /// bits are the same.
    ///
    /// # Errors
    /// As [`argument`](Self::argument).
    pub fn integers<const RANK: usize>(&self, place: &Place) -> Result<typed::Tensor<i32, RANK>> {
        match self.memory.dtype() {
            DType::U32 => self.read::<u32, i32, RANK>(place, u32::cast_signed),
            _ => self.argument(place),
        }
    }

    /// `convert` gives the same bits another type.
    fn read<T: Element, U: Element, const RANK: usize>(
        &self,
        place: &Place,
        convert: fn(T) -> U,
    ) -> Result<typed::Tensor<U, RANK>> {
        let shape = <[usize; RANK]>::try_from(self.dims());
        let shape = shape
            .map_err(|_| Error::Msg(format!("{:?} has not {RANK} dimensions", self.dims())).bt())?;
        let Some((start, end)) = self.layout.contiguous_offsets() else {
            return Err(Error::Msg("elements are not row by row: call `contiguous`".into()).bt());
        };
        match self.memory {
            Memory::Cpu(storage) => {
                let values = storage.as_slice::<T>()?[start..end].iter();
                let values: Vec<U> = values.copied().map(convert).collect();
                typed::Tensor::from_slice(&place.device, shape, &values).map_err(Error::wrap)
            }
            #[cfg(feature = "cuda")]
            Memory::Cuda(storage) => {
                place.borrow(&storage.as_cuda_slice::<T>()?.slice(start..end), shape)
            }
            #[cfg(not(feature = "cuda"))]
            Memory::Cuda(_) => Err(Error::NotCompiledWithCudaSupport),
        }
    }
}

/// Calls `kernel` with tensors that are not part of a graph of operations, as the backward pass has them.
pub fn with<const N: usize, R>(
    tensors: [&Tensor; N],
    kernel: impl FnOnce(&Place, [Input<'_>; N]) -> Result<R>,
) -> Result<R> {
    let held = tensors.map(Tensor::storage_and_layout);
    let mut inputs = Vec::with_capacity(N);
    for (storage, layout) in &held {
        inputs.push(Input::of(storage, layout)?);
    }
    let inputs: [Input<'_>; N] = inputs
        .try_into()
        .unwrap_or_else(|_| unreachable!("N tensors are N inputs"));
    let place = inputs[0].place()?;
    kernel(&place, inputs)
}

/// A tensor that a kernel writes: memory of candle on a GPU, of the simulator on the CPU.
pub struct Output<T: Element, const RANK: usize> {
    pub view: typed::Tensor<T, RANK>,
    #[cfg(feature = "cuda")]
    owner: Option<CudaStorage>,
}

impl<T: Element, const RANK: usize> Output<T, RANK> {
    /// What candle's operations return.
    pub fn into_storage(self) -> Result<(Storage, Shape)> {
        let shape = Shape::from(self.view.shape().to_vec());
        #[cfg(feature = "cuda")]
        if let Some(storage) = self.owner {
            return Ok((Storage::Cuda(storage), shape));
        }
        let values = self.view.to_vec().map_err(Error::wrap)?;
        Ok((Storage::Cpu(T::to_cpu_storage_owned(values)), shape))
    }

    /// A tensor that no operation made, as far as gradients are concerned.
    pub fn into_tensor(self) -> Result<Tensor> {
        let (storage, shape) = self.into_storage()?;
        Ok(Tensor::from_storage(
            storage,
            shape,
            BackpropOp::none(),
            false,
        ))
    }
}

/// A device of candle's with the kernels that are loaded there.
pub struct Place {
    device: Device,
    pub stream: Stream,
    kernels: OnceLock<Kernels>,
    /// Keeps the stream.
    #[cfg(feature = "cuda")]
    owner: Option<candle_core::CudaDevice>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Simulator,
    #[cfg(feature = "cuda")]
    Cuda(candle_core::cuda_backend::DeviceId),
}

impl Place {
    /// The one of this device, which is made once: a process loads its kernels one time.
    fn of(key: Key, make: impl FnOnce() -> Result<Self>) -> Result<Arc<Self>> {
        static PLACES: LazyLock<Mutex<HashMap<Key, Arc<Place>>>> = LazyLock::new(Mutex::default);
        let mut places = PLACES
            .lock()
            .map_err(|_| Error::Msg("a thread died while it loaded kernels".into()))?;
        if let Some(place) = places.get(&key) {
            return Ok(place.clone());
        }
        let made = Arc::new(make()?);
        places.insert(key, made.clone());
        Ok(made)
    }

    fn simulated() -> Self {
        let device = Device::sim();
        Self {
            stream: device.stream(),
            device,
            kernels: OnceLock::new(),
            #[cfg(feature = "cuda")]
            owner: None,
        }
    }

    #[cfg(feature = "cuda")]
    fn on_cuda(owner: &candle_core::CudaDevice) -> Result<Self> {
        let theirs = owner.cuda_stream();
        let device = Device::cuda(theirs.context().ordinal()).map_err(Error::wrap)?;
        // SAFETY: candle's stream is one of the GPU's primary context, and `owner` keeps it.
        let stream =
            unsafe { Stream::from_raw(&device, theirs.cu_stream() as u64) }.map_err(Error::wrap)?;
        Ok(Self {
            device,
            stream,
            kernels: OnceLock::new(),
            owner: Some(owner.clone()),
        })
    }

    /// Its kernels, loaded at the first use.
    pub fn kernels(&self) -> Result<&Kernels> {
        if self.kernels.get().is_none() {
            let loaded = Kernels::load(&self.device).map_err(Error::wrap)?;
            // Another thread may have been faster; its kernels are as good.
            let _ = self.kernels.set(loaded);
        }
        Ok(self.kernels.get().expect("they were just set"))
    }

    /// Memory for a result; what is in it is undefined on a GPU.
    pub fn output<T: Element, const RANK: usize>(
        &self,
        shape: [usize; RANK],
    ) -> Result<Output<T, RANK>> {
        #[cfg(feature = "cuda")]
        if let Some(owner) = &self.owner {
            // SAFETY: the kernel writes all elements before anybody reads them.
            let slice = unsafe { owner.alloc::<T>(shape.iter().product()) }?;
            let view = self.borrow(&slice.slice(..), shape)?;
            let owner = Some(CudaStorage::wrap_cuda_slice(slice, owner.clone()));
            return Ok(Output { view, owner });
        }
        Ok(Output {
            view: typed::Tensor::zeros(&self.device, shape).map_err(Error::wrap)?,
            #[cfg(feature = "cuda")]
            owner: None,
        })
    }

    /// Memory of candle as a tensor of elements `U`, which are as wide.
    #[cfg(feature = "cuda")]
    fn borrow<T: Element, U: Element, const RANK: usize>(
        &self,
        slice: &cudarc::driver::CudaView<'_, T>,
        shape: [usize; RANK],
    ) -> Result<typed::Tensor<U, RANK>> {
        use cudarc::driver::DevicePtr;
        let owner = self
            .owner
            .as_ref()
            .expect("memory of a GPU is of a place there");
        let (address, _) = slice.device_ptr(&owner.cuda_stream());
        let mut strides = [1; RANK];
        for at in (1..RANK).rev() {
            strides[at - 1] = strides[at] * shape[at] as i64;
        }
        // SAFETY: candle keeps the memory until its stream has passed the launch, and the kernel runs on that stream.
        unsafe { typed::Tensor::borrowed(address, shape, strides) }.map_err(Error::wrap)
    }
}
