//! Pinned host memory: what the device copies by itself, while host and kernels go on.
//!
//! ```
//! use tile_runtime::device::Device;
//! use tile_runtime::pinned::Pinned;
//! use tile_runtime::typed::Tensor;
//!
//! # fn main() -> Result<(), tile_runtime::Error> {
//! # let device = Device::sim();
//! let stream = device.new_stream()?;
//! let mut host = Pinned::from_slice(&device, &[1.0f32, 2.0, 3.0])?;
//! let mut x = Tensor::<f32, 1>::zeros(&device, [3])?;
//! x.copy_from_host(&host, &stream)?;          // returns at once; in the order of the stream
//! x.copy_to_host(&mut host, &stream)?;
//! assert_eq!(host.to_vec::<f32>()?, [1.0, 2.0, 3.0]);     // waits for the copies
//! # Ok(())
//! # }
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use crate::backend::{DeviceError, HostMemory, Mark};
use crate::device::{Device, DeviceTensor, Stream};
use crate::error::Error;
use crate::graph;
use crate::tensor::{Native, load};

/// Pinned host memory. The host sees it when the copies that it was given to are done: until then, reading waits.
#[derive(Debug)]
pub struct Pinned {
    memory: Arc<HostMemory>,
    /// The last copy of each stream, by its queue.
    copies: Mutex<Vec<(usize, Arc<dyn Mark>)>>,
}

impl Pinned {
    /// So many bytes of zeros, for copies of this device.
    ///
    /// # Errors
    /// If memory is short.
    pub fn zeros(device: &Device, bytes: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            memory: Arc::new(device.backend().allocate_host(bytes)?),
            copies: Mutex::default(),
        })
    }

    /// Memory with these elements.
    ///
    /// # Errors
    /// If memory is short.
    pub fn from_slice<T: Native>(device: &Device, values: &[T]) -> Result<Self, DeviceError> {
        let mut pinned = Self::zeros(device, values.len() * T::ELEMENT.bytes() as usize)?;
        pinned.write(values)?;
        Ok(pinned)
    }

    /// How many bytes there are.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// The bytes, after the copies.
    ///
    /// # Errors
    /// If work before the copies failed.
    #[allow(unsafe_code)] // copies are over, and new ones to it need it mutably
    pub fn as_bytes(&self) -> Result<&[u8], DeviceError> {
        self.wait()?;
        // SAFETY: what writes to the memory is `as_bytes_mut` and copies, both of which take `self` mutably.
        Ok(unsafe { self.memory.bytes() })
    }

    /// The bytes, after the copies, to be changed.
    ///
    /// # Errors
    /// If work before the copies failed.
    #[allow(unsafe_code)] // copies are over, and new ones need `self`
    pub fn as_bytes_mut(&mut self) -> Result<&mut [u8], DeviceError> {
        self.wait()?;
        // SAFETY: copies from and to the memory take `self`, which is borrowed mutably.
        Ok(unsafe { self.memory.bytes_mut() })
    }

    /// Overwrites the first elements, after the copies.
    ///
    /// # Errors
    /// If there is no room for them, or work before the copies failed.
    pub fn write<T: Native>(&mut self, values: &[T]) -> Result<(), DeviceError> {
        let width = T::ELEMENT.bytes() as usize;
        let (size, end) = (self.bytes(), values.len().saturating_mul(width));
        let bytes = self.as_bytes_mut()?;
        let room = bytes.get_mut(..end);
        let room = room.ok_or(DeviceError::OutOfMemoryRange {
            start: 0,
            end,
            size,
        })?;
        for (place, value) in room.chunks_exact_mut(width).zip(values) {
            place.copy_from_slice(&value.to_bits64().to_le_bytes()[..width]);
        }
        Ok(())
    }

    /// All of it as elements, after the copies; bytes that make up no element are left out.
    ///
    /// # Errors
    /// If work before the copies failed.
    pub fn to_vec<T: Native>(&self) -> Result<Vec<T>, DeviceError> {
        let bytes = self.as_bytes()?;
        let each = bytes.chunks_exact(T::ELEMENT.bytes() as usize);
        Ok(each.map(|bits| T::from_bits64(load(bits))).collect())
    }

    /// Waits for the copies that it was given to.
    fn wait(&self) -> Result<(), DeviceError> {
        // Held meanwhile: another thread that finds no copies takes them to be over.
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let waited: Vec<_> = copies
            .drain(..)
            .map(|(_, mark)| mark.synchronize())
            .collect();
        waited.into_iter().collect()
    }

    /// Starts a copy of as many bytes as the memory has.
    fn copy(
        &self,
        tensor: &DeviceTensor,
        stream: &Stream,
        start: impl FnOnce(&HostMemory) -> Result<(), DeviceError>,
    ) -> Result<(), Error> {
        let (size, end) = (tensor.storage_bytes(), self.bytes());
        if size != end {
            return Err(DeviceError::OutOfMemoryRange {
                start: 0,
                end,
                size,
            }
            .into());
        }
        // A graph would copy whenever it runs, and nobody would know until when.
        let started = graph::host_waits(|| {
            if stream.queue.capture()?.is_some() {
                return Err(DeviceError::Capture(
                    "host memory is copied by streams, not by graphs",
                ));
            }
            start(&self.memory)?;
            let mark = stream.queue.mark().inspect_err(|_| {
                // Nothing would say when it is over.
                let _ = stream.queue.synchronize();
            })?;
            let queue = Arc::as_ptr(&stream.queue).cast::<u8>() as usize;
            let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
            copies.retain(|(of, _)| *of != queue);
            copies.push((queue, mark));
            Ok(())
        });
        Ok(started??)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // What failed is told by the next call of the device.
        let _ = self.wait();
    }
}

impl DeviceTensor {
    /// Overwrites the memory of the tensor with host memory of as many bytes, in the order of the stream; returns at once.
    ///
    /// # Errors
    /// If the sizes differ, the stream is captured, the device fails, or something is of another device.
    pub fn copy_from_host(&self, source: &Pinned, stream: &Stream) -> Result<(), Error> {
        let start = |host: &HostMemory| self.memory().copy_from_host(host, &stream.queue);
        source.copy(self, stream, start)
    }

    /// Copies the memory of the tensor to host memory of as many bytes, in the order of the stream; returns at once.
    ///
    /// # Errors
    /// As [`Self::copy_from_host`].
    pub fn copy_to_host(&self, to: &mut Pinned, stream: &Stream) -> Result<(), Error> {
        let start = |host: &HostMemory| self.memory().copy_to_host(host, &stream.queue);
        to.copy(self, stream, start)
    }
}
