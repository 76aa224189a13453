//! The C ABI of tvm-ffi, as far as it is needed (`tvm/ffi/c_api.h` of apache-tvm-ffi 0.1), and the two
//! symbols that are exported. Almost all `unsafe` of the crate is here.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use tile_runtime::dlpack::DlTensor;

use crate::failure::Failure;
use crate::kernel::Loaded;

/// `TVMFFIAny`: a tagged value of 16 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Any {
    pub tag: i32,
    /// Of a string that lies in `bits`.
    length: u32,
    pub bits: u64,
}

/// `TVMFFITypeIndex`.
pub mod tag {
    pub const NONE: i32 = 0;
    pub const INT: i32 = 1;
    pub const BOOL: i32 = 2;
    pub const FLOAT: i32 = 3;
    pub const DL_TENSOR: i32 = 7;
    pub const RAW_STRING: i32 = 8;
    pub const SMALL_STRING: i32 = 11;
    pub const STRING: i32 = 65;
    pub const FUNCTION: i32 = 68;
    pub const TENSOR: i32 = 70;
}

/// `TVMFFIObject`: what an object begins with; its own part lies behind it.
const OBJECT_BYTES: usize = 24;

/// `TVMFFIByteArray`.
#[repr(C)]
struct Bytes {
    data: *const u8,
    size: usize,
}

const _: () = assert!(size_of::<Any>() == 16 && size_of::<Bytes>() == 16);

type SafeCall = unsafe extern "C" fn(*mut c_void, *const Any, i32, *mut Any) -> c_int;

unsafe extern "C" {
    fn TVMFFIFunctionCreate(
        this: *mut c_void,
        call: SafeCall,
        drop: Option<unsafe extern "C" fn(*mut c_void)>,
        function: *mut *mut c_void,
    ) -> c_int;
    fn TVMFFIErrorCreate(
        kind: *const Bytes,
        message: *const Bytes,
        backtrace: *const Bytes,
        error: *mut *mut c_void,
    ) -> c_int;
    fn TVMFFIErrorSetRaised(error: *mut c_void);
    fn TVMFFIObjectDecRef(object: *mut c_void) -> c_int;
    fn TVMFFIEnvGetStream(device_type: i32, device: i32) -> *mut c_void;
    fn TVMFFIStringFromByteArray(text: *const Bytes, result: *mut Any) -> c_int;
}

/// `kDLCUDA`.
const CUDA: i32 = 2;

/// The stream that is current on this thread for a GPU, as the driver's handle.
pub fn current_stream(device: i32) -> u64 {
    // SAFETY: the call only reads a table of the thread.
    unsafe { TVMFFIEnvGetStream(CUDA, device) as u64 }
}

impl Any {
    const NONE: Self = Self {
        tag: tag::NONE,
        length: 0,
        bits: 0,
    };

    /// The tensor that it is.
    pub fn tensor(&self) -> Option<&DlTensor> {
        let address = self.bits as *const u8;
        // SAFETY: the tags say what the bits point to, and whoever calls keeps it alive for the call.
        match self.tag {
            tag::DL_TENSOR => unsafe { address.cast::<DlTensor>().as_ref() },
            tag::TENSOR => unsafe { address.add(OBJECT_BYTES).cast::<DlTensor>().as_ref() },
            _ => None,
        }
    }

    /// The text that it is.
    pub fn text(&self) -> Option<&str> {
        // SAFETY: as above. A string object's part is `{ data, size }`, and a raw string ends with 0.
        let bytes = match self.tag {
            tag::SMALL_STRING => unsafe {
                std::slice::from_raw_parts(
                    (&raw const self.bits).cast(),
                    self.length.min(8) as usize,
                )
            },
            tag::STRING => unsafe {
                let Bytes { data, size } = (self.bits as *const u8)
                    .add(OBJECT_BYTES)
                    .cast::<Bytes>()
                    .read();
                std::slice::from_raw_parts(data, size)
            },
            tag::RAW_STRING => unsafe {
                std::ffi::CStr::from_ptr(self.bits as *const std::ffi::c_char).to_bytes()
            },
            _ => return None,
        };
        std::str::from_utf8(bytes).ok()
    }
}

/// Raises an error of Python.
fn raise(failure: &Failure) -> c_int {
    let bytes = |text: &str| Bytes {
        data: text.as_ptr(),
        size: text.len(),
    };
    let (kind, message, frames) = (
        bytes(failure.kind),
        bytes(&failure.message),
        bytes(&failure.frames),
    );
    let mut error = ptr::null_mut();
    // SAFETY: the texts live until the call returns, which copies them; the error is given up once.
    unsafe {
        if TVMFFIErrorCreate(
            &raw const kind,
            &raw const message,
            &raw const frames,
            &raw mut error,
        ) == 0
        {
            TVMFFIErrorSetRaised(error);
            TVMFFIObjectDecRef(error);
        }
    }
    -1
}

/// Runs what a caller in C asked for: errors are raised, and panics end here.
fn guarded(result: *mut Any, act: impl FnOnce() -> Result<Any, Failure>) -> c_int {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(value)) => {
            // SAFETY: the caller gives room for one value.
            unsafe { result.write(value) };
            0
        }
        Ok(Err(failure)) => raise(&failure),
        Err(_) => raise(&Failure::defect()),
    }
}

/// The arguments of a call.
unsafe fn given<'a>(arguments: *const Any, count: i32) -> &'a [Any] {
    match usize::try_from(count) {
        Ok(count) if count > 0 => {
            // SAFETY: the caller says how many there are; they live for the call.
            unsafe { std::slice::from_raw_parts(arguments, count) }
        }
        _ => &[],
    }
}

/// `load(ptx, kernel, device)`: a function that launches the kernel. A fourth text says which parameter each argument is, as
/// `0,2,1`: who calls may have fixed another order, as JAX has.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tvm_ffi_load(
    _: *mut c_void,
    arguments: *const Any,
    count: i32,
    result: *mut Any,
) -> c_int {
    guarded(result, || {
        // SAFETY: tvm-ffi's calling convention.
        let given = unsafe { given(arguments, count) };
        let texts: Option<Vec<&str>> = given.iter().map(Any::text).collect();
        let (Some([ptx, name, device]), order) = (match texts.as_deref() {
            Some([first @ .., order]) if first.len() == 3 => (Some(first), Some(*order)),
            texts => (texts, None),
        }) else {
            return Err(Failure::usage(
                "load takes three texts: PTX, kernel and device; and perhaps an order".to_owned(),
            ));
        };
        let loaded = Loaded::new(ptx, name, device, order)?;
        let loaded = Box::into_raw(Box::new(loaded));
        let mut function = ptr::null_mut();
        // SAFETY: `call` and `forget` take the box that is given here, and tvm-ffi forgets it once.
        let code =
            unsafe { TVMFFIFunctionCreate(loaded.cast(), call, Some(forget), &raw mut function) };
        if code != 0 {
            // SAFETY: nobody else has it then.
            drop(unsafe { Box::from_raw(loaded) });
            return Err(Failure::defect());
        }
        Ok(Any {
            tag: tag::FUNCTION,
            length: 0,
            bits: function as u64,
        })
    })
}

/// A text, which is copied.
fn text(text: &str) -> Result<Any, Failure> {
    let bytes = Bytes {
        data: text.as_ptr(),
        size: text.len(),
    };
    let mut value = Any::NONE;
    // SAFETY: the text is copied, and the value is this function's own.
    match unsafe { TVMFFIStringFromByteArray(&raw const bytes, &raw mut value) } {
        0 => Ok(value),
        _ => Err(Failure::defect()),
    }
}

/// `version()`: this library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tvm_ffi_version(
    _: *mut c_void,
    _: *const Any,
    _: i32,
    result: *mut Any,
) -> c_int {
    guarded(result, || text(env!("CARGO_PKG_VERSION")))
}

unsafe extern "C" fn call(
    this: *mut c_void,
    arguments: *const Any,
    count: i32,
    result: *mut Any,
) -> c_int {
    guarded(result, || {
        // SAFETY: `__tvm_ffi_load` gave the box, which lives until `forget`; the rest is tvm-ffi's calling convention.
        let (loaded, given) = unsafe { (&*this.cast::<Loaded>(), given(arguments, count)) };
        // A word before the arguments asks something of the launch.
        match given
            .split_first()
            .map(|(first, rest)| (first.text(), rest))
        {
            Some((Some("plan"), rest)) => text(&loaded.plan(rest)?),
            Some((Some("check"), rest)) => text(&loaded.check(rest)?),
            _ => loaded.call(given).map(|()| Any::NONE),
        }
    })
}

unsafe extern "C" fn forget(this: *mut c_void) {
    // SAFETY: the box of `__tvm_ffi_load`, given up once.
    drop(unsafe { Box::from_raw(this.cast::<Loaded>()) });
}
