//! Raw calls of the CUDA driver that `cudarc` has no safe form of: loading with a log, launching
//! from a parameter buffer, function attributes, plain memory.
//!
//! All `unsafe` of this crate is here. Common to all blocks: the functions of `cudarc::driver::sys`
//! need the driver library, and every object here holds an `Arc<CudaContext>`, which exists only
//! after [`driver_is_present`] said yes and `cuInit` succeeded; that `Arc` also keeps the context
//! alive, and it is made current on the calling thread before each call. Kernels run in the GPU's
//! address space, in which no Rust object lives: whatever a kernel does to its memory, host memory
//! stays sound, and a fault comes back as an error code.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_uint, c_void};
use std::ptr;
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::{self, CUfunction_attribute, CUjit_option};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result};

use crate::backend::RawLaunch;
use crate::graph;
use crate::launch::{MAP_BYTES, MapValue};

/// Size of each log buffer of the driver's compiler.
const LOG_BYTES: usize = 64 * 1024;

/// Whether the driver library can be opened. To be asked before anything of `cudarc`, which panics
/// without the library. `cudarc` has this question too, but not where another crate of the program links the driver.
pub(crate) fn driver_is_present() -> bool {
    ["libcuda.so", "libcuda.so.1", "nvcuda.dll"]
        .into_iter()
        // SAFETY: opens and closes libcuda; its initialisers are those of the system's own driver.
        .any(|name| unsafe { libloading::Library::new(name) }.is_ok())
}

/// The number of the GPU whose context is current on this thread, and the context; the driver is there.
pub(crate) fn current() -> Result<Option<(usize, sys::CUcontext)>, DriverError> {
    let (mut context, mut number) = (ptr::null_mut(), 0);
    // SAFETY: writes a handle to a live variable. Before `cuInit` it is an error, and no context is current.
    if unsafe { sys::cuCtxGetCurrent(&raw mut context) } != sys::CUresult::CUDA_SUCCESS
        || context.is_null()
    {
        return Ok(None);
    }
    // SAFETY: writes one int to a live variable.
    unsafe { sys::cuCtxGetDevice(&raw mut number) }.result()?;
    Ok(usize::try_from(number).ok().map(|number| (number, context)))
}

/// The CUDA version the driver supports: 1000 × major + 10 × minor.
pub(crate) fn driver_version(context: &CudaContext) -> Result<i32, DriverError> {
    context.bind_to_thread()?;
    let mut version = 0;
    // SAFETY: writes one int to a live variable.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }.result()?;
    Ok(version)
}

/// Parameters whose addresses need no allocation.
const FEW_PARAMETERS: usize = 64;

/// A stream that somebody else made, and ends.
pub(crate) fn foreign_stream(context: &Arc<CudaContext>, handle: u64) -> Arc<CudaStream> {
    // SAFETY: nothing is done with the handle but to hand it to the driver, which says if it is none; that it lives while it
    // is used is what whoever calls `Stream::from_raw` promises.
    unsafe { context.wrap_borrowed_stream(handle as usize as sys::CUstream) }
}

/// The number of the capture that records a stream, if one does.
pub(crate) fn capture(stream: &CudaStream) -> Result<Option<u64>, DriverError> {
    use sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_ACTIVE as ACTIVE;
    use sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE as NONE;
    stream.context().bind_to_thread()?;
    let (mut status, mut number) = (NONE, 0);
    let ask = versioned(&CAPTURE_INFO, c"cuStreamGetCaptureInfo")?;
    // SAFETY: the type is that of CUDA 12.0. It writes two live variables; nothing else is asked for.
    unsafe {
        let ask: CaptureInfo = std::mem::transmute::<*const c_void, CaptureInfo>(ask);
        ask(
            stream.cu_stream(),
            &raw mut status,
            &raw mut number,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
        )
    }
    .result()?;
    Ok((status == ACTIVE).then_some(number))
}

static CAPTURE_INFO: OnceLock<usize> = OnceLock::new();

/// `cuStreamGetCaptureInfo` of CUDA 12.0.
type CaptureInfo = unsafe extern "C" fn(
    sys::CUstream,
    *mut sys::CUstreamCaptureStatus,
    *mut sys::cuuint64_t,
    *mut sys::CUgraph,
    *mut *const sys::CUgraphNode,
    *mut usize,
) -> sys::CUresult;

/// The milliseconds between two events, after both.
pub(crate) fn elapsed_ms(earlier: &CudaEvent, later: &CudaEvent) -> Result<f32, DriverError> {
    earlier.synchronize()?;
    later.synchronize()?;
    let mut milliseconds = 0.0;
    let ask = versioned(&ELAPSED_TIME, c"cuEventElapsedTime")?;
    // SAFETY: the type is that of CUDA 12.0. It writes one live variable.
    unsafe {
        let ask: ElapsedTime = std::mem::transmute::<*const c_void, ElapsedTime>(ask);
        ask(&raw mut milliseconds, earlier.cu_event(), later.cu_event())
    }
    .result()?;
    Ok(milliseconds)
}

static ELAPSED_TIME: OnceLock<usize> = OnceLock::new();

/// `cuEventElapsedTime` of CUDA 12.0.
type ElapsedTime = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> sys::CUresult;

/// A function as CUDA 12.0 has it, which each driver since then has too. What `cudarc` declares is that of the version which
/// some crate of the program asks for, or of the newest: by another name, with other parameters, and not in older drivers.
fn versioned(known: &OnceLock<usize>, name: &CStr) -> Result<*const c_void, DriverError> {
    if let Some(known) = known.get() {
        return Ok(*known as *const c_void);
    }
    let mut function = ptr::null_mut();
    // SAFETY: the name ends with 0, and one live variable is written.
    unsafe {
        sys::cuGetProcAddress_v2(name.as_ptr(), &raw mut function, 12000, 0, ptr::null_mut())
    }
    .result()?;
    if function.is_null() {
        return Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_FOUND));
    }
    Ok(*known.get_or_init(|| function as usize) as *const c_void)
}

/// Begins to capture what a stream is given. Calls that may wait for the device, such as those that allocate, stay allowed: which
/// of them may be, the driver says.
pub(crate) fn begin_capture(stream: &CudaStream) -> Result<(), DriverError> {
    let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
    stream.begin_capture(mode)
}

/// What was captured, before it can run.
#[derive(Debug)]
pub(crate) struct Captured {
    handle: sys::CUgraph,
    context: Arc<CudaContext>,
}

impl Captured {
    /// Ends the capture of a stream.
    pub(crate) fn end(stream: &CudaStream) -> Result<Self, DriverError> {
        let context = Arc::clone(stream.context());
        context.bind_to_thread()?;
        // SAFETY: the stream is alive; the driver gives a graph, or none with an error.
        let handle = unsafe { result::stream::end_capture(stream.cu_stream()) }?;
        Ok(Self { handle, context })
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            let _ = self.context.bind_to_thread();
            // SAFETY: the graph is this object's, which made no copy of the handle; what was instantiated of it lives on.
            let _ = unsafe { result::graph::destroy(self.handle) };
        }
    }
}

/// A graph that can run.
#[derive(Debug)]
pub(crate) struct Graph {
    handle: sys::CUgraphExec,
    context: Arc<CudaContext>,
}

// SAFETY: driver handles may be used from any thread to which the context is bound. There is no `Sync`: calls for one graph must
// follow one another.
unsafe impl Send for Graph {}

impl Graph {
    pub(crate) fn new(captured: &Captured) -> Result<Self, DriverError> {
        captured.context.bind_to_thread()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the captured graph is alive, and `handle` a live variable.
        unsafe { sys::cuGraphInstantiateWithFlags(&raw mut handle, captured.handle, 0) }
            .result()?;
        Ok(Self {
            handle,
            context: Arc::clone(&captured.context),
        })
    }

    /// Takes over the arguments of a graph that is alike otherwise; `false` if it is not.
    pub(crate) fn update(&mut self, captured: &Captured) -> Result<bool, DriverError> {
        if !Arc::ptr_eq(&self.context, &captured.context) {
            return Ok(false);
        }
        self.context.bind_to_thread()?;
        let mut info = sys::CUgraphExecUpdateResultInfo {
            result: sys::CUgraphExecUpdateResult_enum::CU_GRAPH_EXEC_UPDATE_ERROR,
            errorNode: ptr::null_mut(),
            errorFromNode: ptr::null_mut(),
        };
        // SAFETY: both graphs are alive, and `info` is a live variable.
        let status =
            unsafe { sys::cuGraphExecUpdate_v2(self.handle, captured.handle, &raw mut info) };
        match status.result() {
            Err(DriverError(sys::CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)) => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Runs it in the order of a stream of the same context.
    pub(crate) fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the graph and the stream are alive.
        unsafe { result::graph::launch(self.handle, stream.cu_stream()) }
    }

    pub(crate) const fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _ = self.context.bind_to_thread();
        // SAFETY: the graph is this object's; one that runs goes when it is done (cuGraphExecDestroy).
        let _ = unsafe { result::graph::exec_destroy(self.handle) };
    }
}

/// Does what a capture on this thread would otherwise forbid, such as allocating: it is no part of the graph.
pub(crate) fn outside_of_captures<R>(act: impl FnOnce() -> R) -> Result<R, DriverError> {
    let mut mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: exchanges the thread's mode with a live variable, here and back.
    unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut mode) }.result()?;
    let done = act();
    // SAFETY: as above.
    unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut mode) }.result()?;
    Ok(done)
}

/// Bytes that L2 reads at once for a tensor map, at most.
const PROMOTED_BYTES: u64 = 256;

/// A tensor map as `cuTensorMapEncodeTiled` makes it.
pub(crate) fn tensor_map(
    context: &Arc<CudaContext>,
    map: &MapValue,
) -> Result<[u8; MAP_BYTES], DriverError> {
    use sys::CUtensorMapFloatOOBfill_enum::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE as ZEROS;
    use sys::CUtensorMapInterleave_enum::CU_TENSOR_MAP_INTERLEAVE_NONE as NOT_INTERLEAVED;
    use sys::CUtensorMapL2promotion_enum::{
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B as ONE_LINE,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B as TWO_LINES,
    };
    use sys::CUtensorMapSwizzle_enum as Swizzle;
    let invalid = || DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    let rank = map.sizes.len();
    if !(1..=5).contains(&rank) || map.tile.len() != rank || map.strides.len() + 1 != rank {
        return Err(invalid());
    }
    let swizzle = match map.swizzle {
        0 => Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
        32 => Swizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        64 => Swizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        128 => Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        _ => return Err(invalid()),
    };
    let element = data_type(map.element.tensor_map_code()).ok_or_else(invalid)?;
    // What is next to a row of a box is wanted soon. Where rows do not begin with such pairs of lines, a pair more
    // would be read for many of them (5000 x 5000 x 5000 in bf16 on an H200: 397 instead of 357 us).
    let aligned = |bytes: u64| bytes.is_multiple_of(PROMOTED_BYTES);
    let promotion = match aligned(map.address) && map.strides.iter().copied().all(aligned) {
        true => TWO_LINES,
        false => ONE_LINE,
    };
    context.bind_to_thread()?;
    let strides = [1; 5];
    let mut encoded = sys::CUtensorMap_st { opaque: [0; 16] };
    // SAFETY: the driver reads `rank` sizes and boxes and one stride less, which there are, and writes
    // the map, a live variable aligned as its type says. It does not look at the tensor's memory.
    unsafe {
        sys::cuTensorMapEncodeTiled(
            &raw mut encoded,
            element,
            rank as u32,
            ptr::without_provenance_mut(map.address as usize),
            map.sizes.as_ptr(),
            map.strides.as_ptr(),
            map.tile.as_ptr(),
            strides.as_ptr(),
            NOT_INTERLEAVED,
            swizzle,
            promotion,
            ZEROS,
        )
    }
    .result()?;
    let mut bytes = [0; MAP_BYTES];
    for (word, bytes) in encoded.opaque.iter().zip(bytes.chunks_exact_mut(8)) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    Ok(bytes)
}

/// The driver's element type of a number.
fn data_type(code: u32) -> Option<sys::CUtensorMapDataType> {
    use sys::CUtensorMapDataType_enum as Type;
    Some(match code {
        0 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        1 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT16,
        2 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT32,
        4 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        6 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        7 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        8 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        9 => Type::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        _ => return None,
    })
}

/// Loaded PTX; unloaded when dropped.
#[derive(Debug)]
pub(crate) struct Module {
    handle: sys::CUmodule,
    context: Arc<CudaContext>,
}

// SAFETY: driver handles may be used from any thread to which the context is bound.
unsafe impl Send for Module {}
// SAFETY: the driver locks the objects behind its handles.
unsafe impl Sync for Module {}

/// A failed load: the driver's code, and its compiler's words.
pub(crate) struct LoadFailure {
    pub(crate) error: DriverError,
    pub(crate) log: String,
}

impl Module {
    /// Compiles PTX. Also gives the compiler's log, which is empty if the driver had the code in
    /// its cache.
    pub(crate) fn load(
        context: &Arc<CudaContext>,
        ptx: &CStr,
    ) -> Result<(Self, String), LoadFailure> {
        let failure = |error, log| LoadFailure { error, log };
        context
            .bind_to_thread()
            .map_err(|error| failure(error, String::new()))?;
        let mut info = vec![0u8; LOG_BYTES];
        let mut errors = vec![0u8; LOG_BYTES];
        let mut options = [
            CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_LOG_VERBOSE,
        ];
        // Numbers travel in the pointers themselves; the driver writes the sizes used back.
        let mut values: [*mut c_void; 5] = [
            info.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
            errors.as_mut_ptr().cast(),
            ptr::without_provenance_mut(LOG_BYTES),
            ptr::without_provenance_mut(1),
        ];
        let mut handle = ptr::null_mut();
        // SAFETY: `ptx` is NUL-terminated text, which the driver reads up to its NUL; the two
        // arrays have the five entries announced; the log buffers have the sizes announced and
        // outlive the call; `handle` is a live variable.
        let status = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut handle,
                ptx.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match status.result() {
            Ok(()) => {
                let context = Arc::clone(context);
                Ok((Self { handle, context }, log_text(&info)))
            }
            Err(error) => {
                let log = [log_text(&errors), log_text(&info)];
                Err(failure(error, log.join("\n").trim().to_owned()))
            }
        }
    }

    /// The entry point of that name.
    pub(crate) fn function(self: &Arc<Self>, name: &CStr) -> Result<Function, DriverError> {
        self.context.bind_to_thread()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the module is loaded (it is unloaded only in `drop`), the name NUL-terminated.
        unsafe { sys::cuModuleGetFunction(&raw mut handle, self.handle, name.as_ptr()) }
            .result()?;
        Ok(Function {
            handle,
            module: Arc::clone(self),
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let (handle, context) = (self.handle, Arc::clone(&self.context));
        if graph::is_capturing() {
            return graph::keep(|| Self { handle, context });
        }
        let _ = graph::host_waits(|| {
            // A kernel of this module may still run. Errors have nowhere to go in `drop`, and the
            // next call reports them again.
            let _ = context.synchronize();
            // SAFETY: loaded by `load`, unloaded once; no `Function` outlives it (each holds an Arc).
            let _ = unsafe { sys::cuModuleUnload(handle) };
        });
    }
}

/// The text in a log buffer, up to its first NUL.
fn log_text(buffer: &[u8]) -> String {
    let text = buffer.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_owned()
}

/// An entry point of a loaded module.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    handle: sys::CUfunction,
    module: Arc<Module>,
}

// SAFETY: as for `Module`.
unsafe impl Send for Function {}
// SAFETY: as for `Module`.
unsafe impl Sync for Function {}

impl Function {
    pub(crate) fn attribute(&self, attribute: CUfunction_attribute) -> Result<i32, DriverError> {
        self.module.context.bind_to_thread()?;
        let mut value = 0;
        // SAFETY: writes one int to a live variable; the function's module is loaded.
        unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, self.handle) }.result()?;
        Ok(value)
    }

    pub(crate) fn set_attribute(
        &self,
        attribute: CUfunction_attribute,
        value: i32,
    ) -> Result<(), DriverError> {
        self.module.context.bind_to_thread()?;
        // SAFETY: the function's module is loaded; the driver refuses values out of range.
        unsafe { sys::cuFuncSetAttribute(self.handle, attribute, value) }.result()
    }

    /// Programs of so many threads and so much dynamic shared memory that a multiprocessor holds.
    pub(crate) fn programs_per_multiprocessor(
        &self,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<u32, DriverError> {
        self.module.context.bind_to_thread()?;
        let mut programs = 0;
        // SAFETY: writes one int to a live variable; the function's module is loaded.
        unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut programs,
                self.handle,
                threads as i32,
                shared_bytes as usize,
            )
        }
        .result()?;
        Ok(u32::try_from(programs).unwrap_or(0))
    }

    /// Starts the function on a stream of the same context, early if it may and the driver can, in clusters of so many blocks along x if its code does not
    /// say of how many.
    pub(crate) fn launch(
        &self,
        stream: &CudaStream,
        launch: &RawLaunch,
        may_begin_early: bool,
    ) -> Result<(), DriverError> {
        let RawLaunch {
            grid,
            cluster,
            dependent,
            threads,
            shared_bytes,
            ref parameters,
            ref offsets,
            ..
        } = *launch;
        let dependent = dependent && may_begin_early;
        self.module.context.bind_to_thread()?;
        // The whole buffer at once (`CU_LAUNCH_PARAM_BUFFER_POINTER`) is refused where a tensor map is
        // among the parameters.
        let pointer =
            |offset: &usize| -> *mut c_void { parameters[*offset..].as_ptr().cast_mut().cast() };
        let (mut few, mut many) = ([ptr::null_mut(); FEW_PARAMETERS], Vec::new());
        let each = if offsets.len() <= FEW_PARAMETERS {
            for (to, offset) in few.iter_mut().zip(offsets) {
                *to = pointer(offset);
            }
            &mut few[..]
        } else {
            many.extend(offsets.iter().map(pointer));
            &mut many[..]
        };
        if cluster.is_none() && !dependent {
            // SAFETY: the module is loaded and the stream alive; the driver copies the parameters (it only
            // reads them) before it returns, as many bytes of each as the function's signature says, which
            // the manifest of the same file described.
            return unsafe {
                sys::cuLaunchKernel(
                    self.handle,
                    grid[0],
                    grid[1],
                    grid[2],
                    threads,
                    launch.programs_per_block(),
                    1,
                    shared_bytes,
                    stream.cu_stream(),
                    each.as_mut_ptr(),
                    ptr::null_mut(),
                )
            }
            .result();
        }
        let mut attributes = [
            dependent_attribute(dependent),
            cluster_attribute(cluster.unwrap_or(1)),
        ];
        let attributes = &mut attributes[..1 + usize::from(cluster.is_some())];
        let config = sys::CUlaunchConfig {
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: threads,
            blockDimY: launch.programs_per_block(),
            blockDimZ: 1,
            sharedMemBytes: shared_bytes,
            hStream: stream.cu_stream(),
            attrs: attributes.as_mut_ptr(),
            numAttrs: attributes.len() as u32,
        };
        // SAFETY: as above; the attributes that are announced are live.
        unsafe {
            sys::cuLaunchKernelEx(
                &raw const config,
                self.handle,
                each.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
        .result()
    }
}

/// What says whether a kernel may begin before the one in front of it has ended.
fn dependent_attribute(dependent: bool) -> sys::CUlaunchAttribute {
    sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue {
            programmaticStreamSerializationAllowed: i32::from(dependent),
        },
    }
}

/// What says that blocks are launched in clusters of so many along x.
fn cluster_attribute(blocks: u32) -> sys::CUlaunchAttribute {
    sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue {
            clusterDim: sys::CUlaunchAttributeValue_union__bindgen_ty_1 {
                x: blocks,
                y: 1,
                z: 1,
            },
        },
    }
}

/// Host memory that a device copies. It may be page-locked: then copies run beside host and kernels.
#[derive(Debug)]
pub struct HostMemory {
    start: ptr::NonNull<u8>,
    bytes: usize,
    /// Whose driver locked the pages, if one did.
    pinned: Option<Arc<CudaContext>>,
}

// SAFETY: the block is this object's alone, and nothing in it belongs to a thread.
unsafe impl Send for HostMemory {}
// SAFETY: what reads and writes the block is unsafe, and says who must not at the same time.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Zeros that no driver knows of.
    #[must_use]
    pub fn plain(bytes: usize) -> Self {
        let block = Box::leak(vec![0u8; bytes].into_boxed_slice());
        Self {
            start: ptr::NonNull::from(block).cast(),
            bytes,
            pinned: None,
        }
    }

    /// Page-locked zeros.
    pub(crate) fn pinned(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: plain allocation of at least one byte.
        let start = unsafe { result::malloc_host(bytes.max(1), 0) }?;
        let start = ptr::NonNull::new(start.cast::<u8>());
        let start = start.ok_or(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY))?;
        // SAFETY: the block has so many bytes and nobody else knows of it.
        unsafe { start.write_bytes(0, bytes.max(1)) };
        Ok(Self {
            start,
            bytes,
            pinned: Some(Arc::clone(context)),
        })
    }

    /// How many bytes there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The bytes.
    ///
    /// # Safety
    /// Nothing writes to them meanwhile: no copy, and nobody with [`Self::bytes_mut`].
    pub(crate) const unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the block is live and initialised; nobody writes, as the caller promises.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// The bytes, to be changed.
    ///
    /// # Safety
    /// Nothing else reads them or writes to them meanwhile.
    #[allow(clippy::mut_from_ref)] // the caller's promise, as for a cell
    pub(crate) const unsafe fn bytes_mut(&self) -> &mut [u8] {
        // SAFETY: as above; there is no other reference, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }

    /// Gives the bytes to a copy from here that is done when it returns.
    pub(crate) fn give<R>(&self, copy: impl FnOnce(&[u8]) -> R) -> R {
        // SAFETY: who asks for a copy leaves the memory as it is until that is done (`Memory::copy_from_host`).
        copy(unsafe { self.bytes() })
    }

    /// Gives the bytes to a copy to here that is done when it returns.
    pub(crate) fn take<R>(&self, copy: impl FnOnce(&mut [u8]) -> R) -> R {
        // SAFETY: who asks for a copy leaves the memory alone until that is done (`Memory::copy_to_host`).
        copy(unsafe { self.bytes_mut() })
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        match &self.pinned {
            Some(context) => {
                let _ = context.bind_to_thread();
                // SAFETY: allocated by `pinned`, freed once.
                let _ = unsafe { result::free_host(self.start.as_ptr().cast()) };
            }
            None => {
                let block = ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.bytes);
                // SAFETY: leaked by `plain`, taken back once.
                drop(unsafe { Box::from_raw(block) });
            }
        }
    }
}

/// A block of device memory; freed when dropped.
#[derive(Debug)]
pub(crate) struct Memory {
    address: sys::CUdeviceptr,
    bytes: usize,
    context: Arc<CudaContext>,
}

impl Memory {
    /// At least one byte is allocated, so that every block has an address.
    pub(crate) fn new(context: &Arc<CudaContext>, bytes: usize) -> Result<Self, DriverError> {
        context.bind_to_thread()?;
        // SAFETY: plain allocation; the content is read only by copies to the host as bytes.
        let address = unsafe { result::malloc_sync(bytes.max(1)) }?;
        let context = Arc::clone(context);
        Ok(Self {
            address,
            bytes,
            context,
        })
    }

    pub(crate) const fn address(&self) -> u64 {
        self.address
    }

    pub(crate) const fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) const fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Copies to the device; the caller has checked that the range is inside the block.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DriverError> {
        assert!(
            offset + bytes.len() <= self.bytes,
            "range checked by the caller"
        );
        self.context.synchronize()?;
        // SAFETY: the range is inside the live block (asserted), and the call returns after it has read
        // all of `bytes`.
        unsafe { result::memcpy_htod_sync(self.address + offset as u64, bytes) }?;
        // It may return before the bytes have arrived: those of pageable memory are copied to a buffer of
        // the driver, and go to the device from there ("API synchronization behavior" in the manual of
        // the driver API). Streams do not wait for that, as they are made not to wait for the default
        // stream. So a kernel could read what was there before, or have its results overwritten.
        self.context.synchronize()
    }

    /// Copies from the device; the caller has checked that the range is inside the block.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DriverError> {
        assert!(
            offset + bytes.len() <= self.bytes,
            "range checked by the caller"
        );
        self.context.synchronize()?;
        // SAFETY: as in `write`; `bytes` is exclusively borrowed until the copy is done.
        unsafe { result::memcpy_dtoh_sync(bytes, self.address + offset as u64) }
    }

    /// Sets each byte, in stream order; the stream is of the same context.
    pub(crate) fn fill(&self, value: u8, stream: &CudaStream) -> Result<(), DriverError> {
        self.fill_first(self.bytes, value, stream)
    }

    /// Sets the first bytes, in stream order; the stream is of the same context.
    pub(crate) fn fill_first(
        &self,
        bytes: usize,
        value: u8,
        stream: &CudaStream,
    ) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let bytes = bytes.min(self.bytes);
        // SAFETY: the block is live and has so many bytes, and `drop` waits for the stream before it frees it.
        unsafe { result::memset_d8_async(self.address, value, bytes, stream.cu_stream()) }
    }

    /// Copies all of a host block, in stream order; the stream is of the same context, and the caller has checked that there
    /// is room, keeps both blocks and leaves the host's alone until the copy is done.
    pub(crate) fn copy_from_host(
        &self,
        source: &HostMemory,
        stream: &CudaStream,
    ) -> Result<(), DriverError> {
        assert!(source.len() <= self.bytes, "range checked by the caller");
        self.context.bind_to_thread()?;
        // SAFETY: the range is inside both live blocks (asserted), which stay as they are until the copy is done.
        unsafe { result::memcpy_htod_async(self.address, source.bytes(), stream.cu_stream()) }
    }

    /// Copies to all of a host block, otherwise as [`Self::copy_from_host`].
    pub(crate) fn copy_to_host(
        &self,
        to: &HostMemory,
        stream: &CudaStream,
    ) -> Result<(), DriverError> {
        assert!(to.len() <= self.bytes, "range checked by the caller");
        self.context.bind_to_thread()?;
        // SAFETY: as above.
        unsafe { result::memcpy_dtoh_async(to.bytes_mut(), self.address, stream.cu_stream()) }
    }

    /// Copies the first bytes of another block, in stream order; all three are of the same context,
    /// and the caller has checked that both blocks have that many bytes.
    pub(crate) fn copy_from(
        &self,
        source: &Self,
        bytes: usize,
        stream: &CudaStream,
    ) -> Result<(), DriverError> {
        assert!(
            bytes <= self.bytes && bytes <= source.bytes,
            "range checked by the caller"
        );
        self.context.bind_to_thread()?;
        // SAFETY: the range is inside both live blocks (asserted), and `drop` of either waits for
        // the stream before it frees.
        unsafe {
            result::memcpy_dtod_async(self.address, source.address, bytes, stream.cu_stream())
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let (address, bytes, context) = (self.address, self.bytes, Arc::clone(&self.context));
        if graph::is_capturing() {
            return graph::keep(|| Self {
                address,
                bytes,
                context,
            });
        }
        let _ = graph::host_waits(|| {
            // Work on any stream may still use the block.
            let _ = context.synchronize();
            // SAFETY: allocated by `new`, freed once: where this object went, it is another one that frees.
            let _ = unsafe { result::free_sync(address) };
        });
    }
}
