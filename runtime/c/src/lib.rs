//! Compiled kernels for programs in C: what `include/tile.h` declares, which says what each function does.
#![allow(unsafe_code)] // everything here is called from C, with C's pointers

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_double, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::{Mutex, PoisonError};

use tile_runtime::device::{Device, DeviceTensor, Stream};
use tile_runtime::element::ElementType;
use tile_runtime::manifest::Parameter;
use tile_runtime::numeric::Scalar;
use tile_runtime::program::{Launcher, RawArgument};
use tile_runtime::tensor::{Tensor, dense_strides};

/// `TILE_ABI_VERSION` of the header.
const ABI_VERSION: u32 = 1;

/// The kinds of parameters and arguments, as the header numbers them.
const SCALAR: c_int = 0;
const POINTER: c_int = 1;
const TENSOR: c_int = 2;

/// The most dimensions of a tensor.
const MOST_DIMENSIONS: u32 = 5;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// What C has of a device.
pub struct OpenDevice {
    device: Device,
    /// What was allocated, by address.
    memory: HashMap<u64, DeviceTensor>,
}

/// What C has of a kernel.
pub struct LoadedKernel {
    device: Device,
    own_stream: Stream,
    /// Streams of others, by handle.
    streams: Mutex<HashMap<u64, Stream>>,
    launcher: Launcher,
    names: Vec<CString>,
}

/// `tile_parameter` of the header.
#[repr(C)]
pub struct ParameterInfo {
    name: *const c_char,
    kind: c_int,
    element: c_int,
    rank: u32,
    is_mutable: c_int,
}

/// `tile_argument` of the header.
#[repr(C)]
pub struct Argument {
    kind: c_int,
    element: c_int,
    integer: i64,
    real: c_double,
    address: u64,
    rank: u32,
    shape: *const i64,
    strides: *const i64,
}

/// Runs a function's body; an error or a panic becomes -1 and the text of [`tile_last_error`].
fn guarded(body: impl FnOnce() -> Result<(), String>) -> c_int {
    let ended = catch_unwind(AssertUnwindSafe(body));
    let said = match ended {
        Ok(Ok(())) => return 0,
        Ok(Err(said)) => said,
        Err(_) => "the library is at fault: it panicked".to_owned(),
    };
    // A text of C ends at the first zero.
    let text = CString::new(said.replace('\0', " ")).unwrap_or_default();
    LAST_ERROR.with(|last| *last.borrow_mut() = text);
    -1
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// What a pointer of C points to.
///
/// # Safety
/// It is null or points to a `T` that nobody changes meanwhile.
unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, String> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| format!("{what} is NULL"))
}

/// The same of one that is written.
///
/// # Safety
/// It is null or points to a `T` that nobody else uses meanwhile.
unsafe fn given_mut<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, String> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| format!("{what} is NULL"))
}

/// Ends what a handle stands for.
///
/// # Safety
/// It is null or came from a box of its type, and is not used any more.
unsafe fn close<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        let closed = unsafe { Box::from_raw(handle) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(closed)));
    }
}

/// # Safety
/// It is null or a text with a zero behind it.
unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, String> {
    if pointer.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| format!("{what} is not UTF-8"))
}

fn element(number: c_int) -> Result<ElementType, String> {
    let known = usize::try_from(number)
        .ok()
        .and_then(|number| ElementType::ALL.get(number));
    known
        .copied()
        .ok_or_else(|| format!("{number} is no element type"))
}

fn number_of(element: ElementType) -> c_int {
    let place = ElementType::ALL.iter().position(|known| *known == element);
    place.map_or(-1, |place| place as c_int)
}

/// As the header says.
#[unsafe(no_mangle)]
pub extern "C" fn tile_abi_version() -> u32 {
    ABI_VERSION
}

/// As the header says.
#[unsafe(no_mangle)]
pub extern "C" fn tile_last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_device_open(
    name: *const c_char,
    device: *mut *mut OpenDevice,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (name, place) = unsafe { (text(name, "name")?, given_mut(device, "device")?) };
        let open = OpenDevice {
            device: Device::parse(name).map_err(told)?,
            memory: HashMap::new(),
        };
        *place = Box::into_raw(Box::new(open));
        Ok(())
    })
}

/// # Safety
/// The handle is null or came from [`tile_device_open`], and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_device_close(device: *mut OpenDevice) {
    // SAFETY: the caller's promise.
    unsafe { close(device) }
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_device_synchronize(device: *mut OpenDevice) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let open = unsafe { given(device, "device")? };
        open.device.synchronize().map_err(told)
    })
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_allocate(
    device: *mut OpenDevice,
    bytes: usize,
    address: *mut u64,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (open, place) =
            unsafe { (given_mut(device, "device")?, given_mut(address, "address")?) };
        // No two allocations have one address, not even empty ones.
        let zeros = open.device.zeros(ElementType::U8, &[bytes.max(1)]);
        let memory = zeros.map_err(told)?;
        *place = memory.address();
        open.memory.insert(memory.address(), memory);
        Ok(())
    })
}

/// What was allocated at an address.
fn allocated(open: &OpenDevice, address: u64) -> Result<&DeviceTensor, String> {
    let known = open.memory.get(&address);
    known.ok_or_else(|| format!("{address:#x} is no address that tile_allocate gave"))
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_free(device: *mut OpenDevice, address: u64) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let open = unsafe { given_mut(device, "device")? };
        allocated(open, address)?;
        open.memory.remove(&address);
        Ok(())
    })
}

/// Bytes of the host, for a copy of so many to or from memory of the device that has them.
fn check_copy(memory: &DeviceTensor, bytes: *const c_void, count: usize) -> Result<(), String> {
    let size = memory.shape()[0];
    if count > size {
        return Err(format!("{count} bytes do not fit {size}"));
    }
    match bytes.is_null() && count > 0 {
        true => Err("bytes is NULL".to_owned()),
        false => Ok(()),
    }
}

/// # Safety
/// As the header says; `bytes` points to as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_copy_in(
    device: *mut OpenDevice,
    address: u64,
    bytes: *const c_void,
    count: usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let open = unsafe { given(device, "device")? };
        let memory = allocated(open, address)?;
        check_copy(memory, bytes, count)?;
        if count == 0 {
            return Ok(());
        }
        // SAFETY: the caller's promise; the pointer is not null.
        let new = unsafe { slice::from_raw_parts(bytes.cast::<u8>(), count) };
        let mut all = new.to_vec();
        if count < memory.shape()[0] {
            let old = memory.download().map_err(told)?;
            all.extend_from_slice(&old.storage()[count..]);
        }
        let host = Tensor::from_vec(memory.shape(), &all).map_err(told)?;
        memory.write(&host).map_err(told)
    })
}

/// # Safety
/// As the header says; `bytes` has room for as many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_copy_out(
    device: *mut OpenDevice,
    address: u64,
    bytes: *mut c_void,
    count: usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let open = unsafe { given(device, "device")? };
        let memory = allocated(open, address)?;
        check_copy(memory, bytes, count)?;
        if count == 0 {
            return Ok(());
        }
        let host = memory.download().map_err(told)?;
        // SAFETY: the caller's promise; the pointer is not null.
        let room = unsafe { slice::from_raw_parts_mut(bytes.cast::<u8>(), count) };
        room.copy_from_slice(&host.storage()[..count]);
        Ok(())
    })
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_kernel_load(
    device: *mut OpenDevice,
    ptx: *const c_char,
    name: *const c_char,
    kernel: *mut *mut LoadedKernel,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (open, ptx, place) = unsafe {
            (
                given(device, "device")?,
                text(ptx, "ptx")?,
                given_mut(kernel, "kernel")?,
            )
        };
        let name = match name.is_null() {
            true => None,
            // SAFETY: the caller's promise.
            false => Some(unsafe { text(name, "name")? }),
        };
        let loaded = open.device.load(ptx).and_then(|file| file.kernel(name));
        let loaded = loaded.map_err(told)?;
        let parameters = loaded.manifest().parameters.iter();
        let names = parameters.map(|parameter| CString::new(parameter.name()).unwrap_or_default());
        let loaded = LoadedKernel {
            names: names.collect(),
            device: open.device.clone(),
            own_stream: open.device.stream(),
            streams: Mutex::default(),
            launcher: loaded.launcher(),
        };
        *place = Box::into_raw(Box::new(loaded));
        Ok(())
    })
}

/// # Safety
/// The handle is null or came from [`tile_kernel_load`], and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_kernel_free(kernel: *mut LoadedKernel) {
    // SAFETY: the caller's promise.
    unsafe { close(kernel) }
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_kernel_parameter_count(kernel: *const LoadedKernel) -> usize {
    // SAFETY: the caller's promise.
    unsafe { kernel.as_ref() }.map_or(0, |kernel| kernel.names.len())
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_kernel_parameter(
    kernel: *const LoadedKernel,
    index: usize,
    parameter: *mut ParameterInfo,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (kernel, place) =
            unsafe { (given(kernel, "kernel")?, given_mut(parameter, "parameter")?) };
        let parameters = &kernel.launcher.kernel().manifest().parameters;
        let (Some(found), Some(name)) = (parameters.get(index), kernel.names.get(index)) else {
            return Err(format!("the kernel has {} parameters", parameters.len()));
        };
        let (kind, rank) = match found {
            Parameter::Scalar { .. } => (SCALAR, 0),
            Parameter::Pointer { .. } => (POINTER, 0),
            Parameter::Tensor { dimensions, .. } => (TENSOR, dimensions.len() as u32),
        };
        *place = ParameterInfo {
            name: name.as_ptr(),
            kind,
            element: number_of(found.element()),
            rank,
            is_mutable: c_int::from(found.is_mutable()),
        };
        Ok(())
    })
}

/// Sizes or strides that C gave.
///
/// # Safety
/// The pointer is null or points to as many.
unsafe fn numbers<'a>(pointer: *const i64, count: u32, what: &str) -> Result<&'a [i64], String> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: the caller's promise; the pointer is not null.
    Ok(unsafe { slice::from_raw_parts(pointer, count as usize) })
}

/// The strides of rows without gaps, with zeros behind them: as many as a tensor may have.
fn dense(shape: &[i64]) -> Result<[i64; MOST_DIMENSIONS as usize], String> {
    let sizes: Result<Vec<usize>, _> = shape.iter().map(|size| usize::try_from(*size)).collect();
    let sizes = sizes.map_err(|_| "a size is negative".to_owned())?;
    let mut strides = [0; MOST_DIMENSIONS as usize];
    for (place, stride) in strides.iter_mut().zip(dense_strides(&sizes)) {
        *place = stride;
    }
    Ok(strides)
}

/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tile_launch(
    kernel: *mut LoadedKernel,
    stream: u64,
    arguments: *const Argument,
    count: usize,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller's promise.
        let kernel = unsafe { given(kernel, "kernel")? };
        if arguments.is_null() && count > 0 {
            return Err("arguments is NULL".to_owned());
        }
        let list = match count {
            0 => &[],
            // SAFETY: the caller's promise; the pointer is not null.
            _ => unsafe { slice::from_raw_parts(arguments, count) },
        };
        // Dense strides are of this call.
        let mut strides = Vec::with_capacity(count);
        for (number, argument) in list.iter().enumerate() {
            let own = match argument.kind == TENSOR && argument.strides.is_null() {
                true if argument.rank <= MOST_DIMENSIONS => {
                    // SAFETY: the caller's promise.
                    let shape = unsafe { numbers(argument.shape, argument.rank, "shape") };
                    dense(shape.map_err(|error| format!("argument {number}: {error}"))?)?
                }
                _ => [0; MOST_DIMENSIONS as usize],
            };
            strides.push(own);
        }
        let mut raw = Vec::with_capacity(count);
        for (number, (argument, own)) in list.iter().zip(&strides).enumerate() {
            // SAFETY: the caller's promise.
            let one = unsafe { one_argument(argument, own) };
            raw.push(one.map_err(|error| format!("argument {number}: {error}"))?);
        }
        let stream = kernel.stream(stream)?;
        // SAFETY: the caller's promise.
        unsafe { kernel.launcher.launch(&stream, &raw) }.map_err(told)
    })
}

/// An argument as the runtime takes it.
///
/// # Safety
/// Its pointers are null or point to as many numbers as its rank says.
unsafe fn one_argument<'a>(
    argument: &'a Argument,
    own: &'a [i64; MOST_DIMENSIONS as usize],
) -> Result<RawArgument<'a>, String> {
    let of = element(argument.element)?;
    match argument.kind {
        SCALAR if of.is_float() => Ok(RawArgument::Scalar(Scalar::Float(argument.real))),
        SCALAR => Ok(RawArgument::Scalar(Scalar::Int(argument.integer.into()))),
        TENSOR if argument.rank > MOST_DIMENSIONS => Err(format!(
            "{} dimensions, at most {MOST_DIMENSIONS}",
            argument.rank
        )),
        TENSOR => {
            // SAFETY: the caller's promise.
            let shape = unsafe { numbers(argument.shape, argument.rank, "shape")? };
            let strides = match argument.strides.is_null() {
                true => &own[..shape.len()],
                // SAFETY: the caller's promise.
                false => unsafe { numbers(argument.strides, argument.rank, "strides")? },
            };
            Ok(RawArgument::Tensor {
                element: of,
                address: argument.address,
                shape,
                strides,
            })
        }
        kind => Err(format!(
            "{kind} is no kind of argument: TILE_SCALAR and TILE_TENSOR are"
        )),
    }
}

impl LoadedKernel {
    /// The stream with this handle; 0 is the device's own.
    fn stream(&self, handle: u64) -> Result<Stream, String> {
        if handle == 0 {
            return Ok(self.own_stream.clone());
        }
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stream) = streams.get(&handle) {
            return Ok(stream.clone());
        }
        // SAFETY: the caller of `tile_launch` says that it is a stream of the primary context.
        let stream = unsafe { Stream::from_raw(&self.device, handle) }.map_err(told)?;
        streams.insert(handle, stream.clone());
        Ok(stream)
    }
}
