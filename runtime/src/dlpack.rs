//! Tensors of other libraries and for them, by DLPack (`dlpack.h` 1.x): what PyTorch, JAX, candle and CuPy hand to each other.
//!
//! Whoever hands a tensor on also says when its content is there: by the same stream, an event, or by waiting.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::c_void;

use crate::backend::DeviceError;
use crate::device::{Device, DeviceTensor};
use crate::element::ElementType;
use crate::error::Error;
use crate::graph;
use crate::tensor::dense_strides;

/// `DLTensor`.
#[derive(Debug)]
#[repr(C)]
pub struct DlTensor {
    data: *mut u8,
    device_type: i32,
    device: i32,
    rank: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    strides: *const i64,
    byte_offset: u64,
}

/// `DLManagedTensor`: a tensor that says how it is given back.
#[derive(Debug)]
#[repr(C)]
pub struct ManagedTensor {
    /// The tensor.
    pub tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

const _: () = assert!(size_of::<DlTensor>() == 48 && size_of::<ManagedTensor>() == 64);

/// What a tensor lies in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Memory of the host.
    Host,
    /// That of a GPU, by its number.
    Gpu(i32),
}

/// `kDLCPU` and `kDLCUDA`.
const CPU: i32 = 1;
const CUDA: i32 = 2;

impl DlTensor {
    /// Where it lies.
    ///
    /// # Errors
    /// The number of the kind of device (`DLDeviceType`), if it is neither.
    pub const fn place(&self) -> Result<Place, i32> {
        match self.device_type {
            CPU => Ok(Place::Host),
            CUDA => Ok(Place::Gpu(self.device)),
            other => Err(other),
        }
    }

    /// `DLDataType`: code, bits and lanes.
    #[must_use]
    pub const fn data_type(&self) -> (u8, u8, u16) {
        (self.code, self.bits, self.lanes)
    }

    /// The element type; `None` if kernels know none such.
    #[must_use]
    pub fn element(&self) -> Option<ElementType> {
        let mut all = ElementType::ALL.into_iter();
        all.find(|element| data_type(*element) == self.data_type())
    }

    fn list(&self, of: *const i64) -> Option<&[i64]> {
        let rank = usize::try_from(self.rank).ok()?;
        if rank == 0 {
            return Some(&[]);
        }
        // SAFETY: as many as the tensor has dimensions (`dlpack.h`), for as long as the tensor.
        (!of.is_null()).then(|| unsafe { std::slice::from_raw_parts(of, rank) })
    }

    /// The sizes, outermost first.
    #[must_use]
    pub fn sizes(&self) -> &[i64] {
        self.list(self.shape).unwrap_or_default()
    }

    /// The sizes, outermost first.
    #[must_use]
    pub fn shape(&self) -> Vec<usize> {
        let sizes = self.sizes().iter();
        sizes
            .map(|size| usize::try_from(*size).unwrap_or(0))
            .collect()
    }

    /// In elements; where it says none, it is dense.
    #[must_use]
    pub fn strides(&self) -> Cow<'_, [i64]> {
        match self.list(self.strides) {
            Some(strides) => strides.into(),
            None => dense_strides(&self.shape()).into(),
        }
    }

    /// Of the first element.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.data as u64 + self.byte_offset
    }
}

/// `DLDataTypeCode` and bits of an element type; one lane.
const fn data_type(element: ElementType) -> (u8, u8, u16) {
    let code = match element {
        ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64 => 0,
        ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => 1,
        ElementType::F16 | ElementType::F32 | ElementType::F64 => 2,
        ElementType::BF16 => 4,
        ElementType::I1 => 6,
        ElementType::F8E4M3 => 10,
        ElementType::F8E5M2 => 12,
    };
    (code, element.bytes() as u8 * 8, 1)
}

impl DeviceTensor {
    /// A tensor of another library, which gets it back when the last view of it has gone and the device's work is done. The host
    /// does not read or write it through this crate.
    ///
    /// # Safety
    /// The pointer is null, or a tensor that was handed over, as `dlpack.h` says, and all of it is true. Nobody writes to the tensor
    /// while a kernel that is given it runs, and nobody reads it while one does that writes to it.
    ///
    /// # Errors
    /// If the tensor is not on this device, or kernels know no such elements or strides. Then it is still the caller's.
    pub unsafe fn from_dlpack(device: &Device, tensor: *mut ManagedTensor) -> Result<Self, Error> {
        let refused = |what: String| Error::from(DeviceError::Dlpack(what));
        // SAFETY: it is null or alive, as the caller promises.
        let given = unsafe { tensor.as_ref() };
        let given = &given
            .ok_or_else(|| refused("there is none".to_owned()))?
            .tensor;
        let place = given.place();
        if place.ok() != device.backend().gpu().map(Place::Gpu) {
            let where_it_is = match place {
                Ok(Place::Host) => "in memory of the host".to_owned(),
                Ok(Place::Gpu(number)) => format!("on cuda:{number}"),
                Err(kind) => format!("on a device of kind {kind} (DLDeviceType)"),
            };
            let name = &device.properties().name;
            return Err(refused(format!("it is {where_it_is}, not on {name}")));
        }
        let element = given.element().ok_or_else(|| {
            let (code, bits, lanes) = given.data_type();
            refused(format!(
                "kernels know no such element type (code {code}, {bits} bits, {lanes} lanes)"
            ))
        })?;
        if given.rank < 0 || given.sizes().len() != given.rank as usize {
            return Err(refused("it has no sizes".to_owned()));
        }
        let (shape, strides, address) = (given.shape(), given.strides(), given.address());
        // SAFETY: the caller's promise; the memory is kept below.
        let borrowed = unsafe { Self::borrowed(element, address, &shape, &strides)? };
        let owner = Imported {
            tensor,
            device: device.clone(),
        };
        Ok(borrowed.owned_by(owner, device))
    }

    /// The tensor for another library, which shares the memory and gives it back by the `deleter`.
    ///
    /// # Errors
    /// If the tensor is borrowed, or its device is no GPU.
    pub fn to_dlpack(&self) -> Result<*mut ManagedTensor, Error> {
        let device = self.device().ok_or(DeviceError::Borrowed)?;
        let gpu = device.backend().gpu().ok_or_else(|| {
            DeviceError::Dlpack(format!(
                "{} has no memory for others",
                device.properties().name
            ))
        })?;
        let (code, bits, lanes) = data_type(self.element());
        let mut exported = Box::new(Exported {
            managed: ManagedTensor {
                tensor: DlTensor {
                    data: self.address() as *mut u8,
                    device_type: CUDA,
                    device: gpu,
                    rank: self.shape().len() as i32,
                    code,
                    bits,
                    lanes,
                    shape: std::ptr::null(),
                    strides: std::ptr::null(),
                    byte_offset: 0,
                },
                context: std::ptr::null_mut(),
                deleter: Some(take_back),
            },
            shape: self.shape().iter().map(|size| *size as i64).collect(),
            strides: self.strides().to_vec(),
            _tensor: self.clone(),
        });
        exported.managed.tensor.shape = exported.shape.as_ptr();
        exported.managed.tensor.strides = exported.strides.as_ptr();
        let exported = Box::into_raw(exported);
        // SAFETY: it is this function's own. The tensor is reached by way of the whole, which `take_back` needs.
        unsafe {
            (*exported).managed.context = exported.cast();
            Ok(&raw mut (*exported).managed)
        }
    }
}

/// A tensor that others have.
struct Exported {
    managed: ManagedTensor,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _tensor: DeviceTensor,
}

/// The deleter of what was handed out.
unsafe extern "C" fn take_back(tensor: *mut ManagedTensor) {
    // SAFETY: who has the tensor gives it back once (`dlpack.h`); its context is what `to_dlpack` leaked.
    drop(unsafe { Box::from_raw((*tensor).context.cast::<Exported>()) });
}

/// A tensor that was handed over, and is given back when this is dropped.
struct Imported {
    tensor: *mut ManagedTensor,
    device: Device,
}

// SAFETY: the tensor is this object's alone, and a deleter may be called from any thread.
unsafe impl Send for Imported {}
// SAFETY: nothing of the tensor is touched until it is given back.
unsafe impl Sync for Imported {}

impl Drop for Imported {
    fn drop(&mut self) {
        let (tensor, device) = (self.tensor, self.device.clone());
        if graph::is_capturing() {
            return graph::keep(|| Self { tensor, device });
        }
        let _ = graph::host_waits(|| {
            // Work on any stream may still use it.
            let _ = device.synchronize();
            // SAFETY: it is alive until its deleter is called, which happens once.
            unsafe {
                if let Some(deleter) = (*tensor).deleter {
                    deleter(tensor);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types_are_told_apart() {
        for element in ElementType::ALL {
            let (code, bits, lanes) = data_type(element);
            let tensor = DlTensor {
                data: std::ptr::null_mut(),
                device_type: CPU,
                device: 0,
                rank: 0,
                code,
                bits,
                lanes,
                shape: std::ptr::null(),
                strides: std::ptr::null(),
                byte_offset: 0,
            };
            assert_eq!(tensor.element(), Some(element));
            let several = DlTensor { lanes: 4, ..tensor };
            assert_eq!(several.element(), None);
        }
    }
}
