//! The CUDA driver as a [`Backend`]. Needs libcuda (part of NVIDIA's driver) at run time only.

use std::any::Any;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{CUdevice_attribute, CUevent_flags, CUfunction_attribute, CUresult};
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError};

use crate::backend::{
    Backend, CAPTURE_BROKEN, CAPTURE_UNJOINED, DeviceError, Function, Graph, HostMemory, Mark,
    Memory, Module, Properties, Queue, RawLaunch, Resources, Start,
};
use crate::ffi;
use crate::graph;
use crate::launch::{MAP_BYTES, MapValue};
use crate::manifest::COUNTERS_BYTES;

/// Dynamic shared memory that every function may have without opting in.
const SHARED_WITHOUT_OPT_IN: u32 = 48 * 1024;

/// One GPU.
#[derive(Debug)]
pub(crate) struct Cuda {
    context: Arc<CudaContext>,
    main: Arc<CudaQueue>,
    properties: Properties,
    /// Whether launches may begin before those in front of them have ended, in graphs as well.
    may_begin_early: bool,
    /// Tensor maps that were asked for: the driver takes microseconds for each.
    maps: Mutex<HashMap<MapValue, [u8; MAP_BYTES]>>,
    /// Queues of streams that others made: each keeps the workspace of its launches.
    foreign: Mutex<HashMap<u64, Arc<CudaQueue>>>,
}

/// CUDA 12.3, the first that captures them (CUDA Programming Guide, "Programmatic Dependent Launch in CUDA Graphs").
const GRAPHS_HAVE_EARLY_LAUNCHES: i32 = 12030;

/// Tensor maps that are kept at most; then all are forgotten.
const MOST_MAPS: usize = 1024;

/// Puts a driver error into words.
fn failed(doing: &str) -> impl Fn(DriverError) -> DeviceError + use<> {
    let doing = doing.to_owned();
    move |error| {
        let (text, code) = words(error);
        if error.0 == CUresult::CUDA_ERROR_ASSERT {
            return DeviceError::AssertionFailed { code };
        }
        if is_fault(error) {
            return DeviceError::KernelFault { text, code };
        }
        DeviceError::Driver {
            doing: doing.clone(),
            text,
            code,
        }
    }
}

/// Whether the error is that of a kernel that ran earlier. The driver reports it from whatever
/// call comes next, so that call must not be blamed.
fn is_fault(error: DriverError) -> bool {
    matches!(
        error.0,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
    )
}

/// The driver's sentence and name for an error.
fn words(error: DriverError) -> (String, String) {
    let text = error.error_string().map(|text| text.to_string_lossy());
    let name = error.error_name().map(|name| name.to_string_lossy());
    (
        text.map_or_else(|_| "unknown error".to_owned(), Into::into),
        name.map_or_else(|_| format!("code {}", error.0 as u32), Into::into),
    )
}

impl Cuda {
    /// The GPU of that number, in the driver's order.
    pub(crate) fn open(index: usize) -> Result<Self, DeviceError> {
        if !ffi::driver_is_present() {
            return Err(DeviceError::NoDriver);
        }
        let count = match CudaContext::device_count() {
            Ok(count) => usize::try_from(count).unwrap_or(0),
            Err(error) => return Err(DeviceError::NoDevice(words(error).0)),
        };
        if count == 0 {
            return Err(DeviceError::NoDevice("it counts none".to_owned()));
        }
        if index >= count {
            return Err(DeviceError::NoSuchDevice { index, count });
        }
        let context = CudaContext::new(index).map_err(failed("opening the GPU"))?;
        let properties = properties(&context, index).map_err(failed("asking the GPU"))?;
        let stream = context.new_stream().map_err(failed("making a stream"))?;
        Ok(Self {
            main: Arc::new(CudaQueue::new(stream)),
            may_begin_early: ffi::driver_version(&context)
                .is_ok_and(|version| version >= GRAPHS_HAVE_EARLY_LAUNCHES),
            context,
            properties,
            maps: Mutex::default(),
            foreign: Mutex::default(),
        })
    }
}

impl Cuda {
    /// The GPU whose context is current on this thread, if that is its primary one.
    pub(crate) fn current() -> Result<Self, DeviceError> {
        if !ffi::driver_is_present() {
            return Err(DeviceError::NoDriver);
        }
        let current = ffi::current().map_err(failed("asking for the current context"))?;
        let (index, context) = current.ok_or(DeviceError::NoCurrent("there is none"))?;
        let device = Self::open(index)?;
        match device.context.cu_ctx() == context {
            true => Ok(device),
            false => Err(DeviceError::NoCurrent(
                "it is not the primary one of its GPU",
            )),
        }
    }
}

fn properties(context: &Arc<CudaContext>, index: usize) -> Result<Properties, DriverError> {
    let attribute = |attribute| {
        let value = context.attribute(attribute)?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let (major, minor) = context.compute_capability()?;
    let version = ffi::driver_version(context)?;
    Ok(Properties {
        name: format!("{} (cuda:{index})", context.name()?),
        architecture: format!("sm_{major}{minor}"),
        driver: format!("CUDA {}.{}", version / 1000, version % 1000 / 10),
        memory_bytes: context.total_mem()? as u64,
        multiprocessors: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_bytes: attribute(
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )?,
        l2_bytes: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
    })
}

impl Backend for Cuda {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn gpu(&self) -> Option<i32> {
        i32::try_from(self.context.ordinal()).ok()
    }

    fn load(&self, ptx: &str) -> Result<Arc<dyn Module>, DeviceError> {
        let text = CString::new(ptx).map_err(|_| DeviceError::NulInPtx)?;
        match ffi::Module::load(&self.context, &text) {
            Ok((module, log)) => Ok(Arc::new(CudaModule {
                module: Arc::new(module),
                log,
                shared_limit: self.properties.shared_bytes,
                may_begin_early: self.may_begin_early,
            })),
            Err(failure) => Err(DeviceError::Refused {
                code: words(failure.error).1,
                log: failure.log,
            }),
        }
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, DeviceError> {
        match ffi::Memory::new(&self.context, bytes) {
            Ok(memory) => Ok(Arc::new(CudaMemory(memory))),
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let (free, total) = self.context.mem_get_info().unwrap_or_default();
                Err(DeviceError::OutOfMemory {
                    bytes: bytes as u64,
                    free: free as u64,
                    total: total as u64,
                })
            }
            Err(error) => Err(failed("allocating device memory")(error)),
        }
    }

    fn allocate_host(&self, bytes: usize) -> Result<HostMemory, DeviceError> {
        let doing = failed("allocating pinned host memory");
        HostMemory::pinned(&self.context, bytes).map_err(doing)
    }

    fn workspace(
        &self,
        queue: &Arc<dyn Queue>,
        bytes: usize,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let queue = queue_of(queue)?;
        if let Some(capture) = queue.capture()? {
            return queue.workspace_of(capture, &self.context, bytes);
        }
        let mut kept = queue
            .workspace
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((memory, _)) = kept.as_ref().filter(|(_, room)| *room >= bytes) {
            return Ok(Arc::clone(memory));
        }
        let memory = self.allocate(bytes)?;
        memory.write(0, &[0; COUNTERS_BYTES])?;
        *kept = Some((Arc::clone(&memory), bytes));
        Ok(memory)
    }

    fn tensor_map(&self, map: &MapValue) -> Result<[u8; MAP_BYTES], DeviceError> {
        let mut known = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = known.get(map) {
            return Ok(*bytes);
        }
        let bytes = ffi::tensor_map(&self.context, map).map_err(failed("making a tensor map"))?;
        if known.len() >= MOST_MAPS {
            known.clear();
        }
        known.insert(map.clone(), bytes);
        Ok(bytes)
    }

    fn main_queue(&self) -> Arc<dyn Queue> {
        self.main.clone()
    }

    fn new_queue(&self) -> Result<Arc<dyn Queue>, DeviceError> {
        let stream = self
            .context
            .new_stream()
            .map_err(failed("making a stream"))?;
        Ok(Arc::new(CudaQueue::new(stream)))
    }

    fn foreign_queue(&self, handle: u64) -> Result<Arc<dyn Queue>, DeviceError> {
        let mut known = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = known.entry(handle).or_insert_with(|| {
            Arc::new(CudaQueue::new(ffi::foreign_stream(&self.context, handle)))
        });
        Ok(Arc::<CudaQueue>::clone(queue))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        graph::host_waits(|| self.context.synchronize())?.map_err(failed("waiting for the GPU"))
    }
}

#[derive(Debug)]
struct CudaModule {
    module: Arc<ffi::Module>,
    log: String,
    shared_limit: u32,
    may_begin_early: bool,
}

impl Module for CudaModule {
    fn log(&self) -> &str {
        &self.log
    }

    fn function(
        &self,
        entry: &str,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<Arc<dyn Function>, DeviceError> {
        let no_entry = || DeviceError::NoEntry(entry.to_owned());
        let name = CString::new(entry).map_err(|_| no_entry())?;
        let function = match self.module.function(&name) {
            Err(DriverError(CUresult::CUDA_ERROR_NOT_FOUND)) => return Err(no_entry()),
            other => other.map_err(failed("looking up the entry point"))?,
        };
        let attribute = |attribute| {
            let value = function.attribute(attribute);
            let value = value.map_err(failed("asking for the attributes of a kernel"))?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        let resources = Resources {
            registers: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared_bytes: attribute(
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            )?,
            max_threads: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        };
        let needed = u64::from(resources.static_shared_bytes) + u64::from(shared_bytes);
        if needed > u64::from(self.shared_limit) {
            return Err(DeviceError::SharedMemory {
                entry: entry.to_owned(),
                needed,
                limit: self.shared_limit.into(),
            });
        }
        if threads > resources.max_threads {
            return Err(DeviceError::Threads {
                entry: entry.to_owned(),
                threads,
                registers: resources.registers,
                limit: resources.max_threads,
            });
        }
        if shared_bytes + resources.static_shared_bytes > SHARED_WITHOUT_OPT_IN {
            function
                .set_attribute(
                    CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    shared_bytes as i32,
                )
                .map_err(failed("opting in to large shared memory"))?;
        }
        Ok(Arc::new(CudaFunction {
            entry: entry.to_owned(),
            function,
            resources,
            may_begin_early: self.may_begin_early,
        }))
    }
}

#[derive(Debug)]
struct CudaFunction {
    entry: String,
    function: ffi::Function,
    resources: Resources,
    may_begin_early: bool,
}

impl Function for CudaFunction {
    fn resources(&self) -> Resources {
        self.resources
    }

    fn programs_per_multiprocessor(
        &self,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<Option<u32>, DeviceError> {
        let programs = self
            .function
            .programs_per_multiprocessor(threads, shared_bytes);
        programs
            .map(Some)
            .map_err(failed("asking how many programs a multiprocessor holds"))
    }

    fn bind(&self, queue: &Arc<dyn Queue>, launch: RawLaunch) -> Result<Start, DeviceError> {
        let stream = Arc::clone(stream_of(queue)?);
        let (function, entry) = (self.function.clone(), self.entry.clone());
        let may_begin_early = self.may_begin_early;
        Ok(Box::new(move || {
            let started = function.launch(&stream, &launch, may_begin_early);
            started.map_err(|error| not_launched(&entry, error))
        }))
    }

    fn start(&self, queue: &Arc<dyn Queue>, launch: &RawLaunch) -> Result<(), DeviceError> {
        let started = self
            .function
            .launch(stream_of(queue)?, launch, self.may_begin_early);
        started.map_err(|error| not_launched(&self.entry, error))
    }
}

#[cold]
fn not_launched(entry: &str, error: DriverError) -> DeviceError {
    failed(&format!("launching `{entry}`"))(error)
}

#[derive(Debug)]
struct CudaMemory(ffi::Memory);

impl CudaMemory {
    fn check(&self, offset: usize, bytes: usize) -> Result<(), DeviceError> {
        let end = offset.saturating_add(bytes);
        if end > self.0.len() {
            return Err(DeviceError::OutOfMemoryRange {
                start: offset,
                end,
                size: self.0.len(),
            });
        }
        Ok(())
    }
}

impl CudaMemory {
    /// The stream of a copy from or to host memory, all of which must have room here.
    fn stream_for_host<'a>(
        &self,
        host: &HostMemory,
        queue: &'a Arc<dyn Queue>,
    ) -> Result<&'a Arc<CudaStream>, DeviceError> {
        self.check(0, host.len())?;
        let stream = stream_of(queue)?;
        match stream.context() == self.0.context() {
            true => Ok(stream),
            false => Err(DeviceError::OtherDevice("the stream")),
        }
    }
}

impl Memory for CudaMemory {
    fn address(&self) -> u64 {
        self.0.address()
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len())?;
        graph::host_waits(|| self.0.write(offset, bytes))?.map_err(failed("copying to the GPU"))
    }

    fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len())?;
        graph::host_waits(|| self.0.read(offset, bytes))?
            .map_err(failed("waiting for the GPU and copying from it"))
    }

    fn fill(&self, value: u8, queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        let stream = stream_of(queue)?;
        if stream.context() != self.0.context() {
            return Err(DeviceError::OtherDevice("the stream"));
        }
        self.0
            .fill(value, stream)
            .map_err(failed("filling device memory"))
    }

    fn copy_from_host(
        &self,
        source: &HostMemory,
        queue: &Arc<dyn Queue>,
    ) -> Result<(), DeviceError> {
        let stream = self.stream_for_host(source, queue)?;
        self.0
            .copy_from_host(source, stream)
            .map_err(failed("copying from pinned host memory"))
    }

    fn copy_to_host(&self, to: &HostMemory, queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        let stream = self.stream_for_host(to, queue)?;
        self.0
            .copy_to_host(to, stream)
            .map_err(failed("copying to pinned host memory"))
    }

    fn copy_from(
        &self,
        source: &Arc<dyn Memory>,
        bytes: usize,
        queue: &Arc<dyn Queue>,
    ) -> Result<(), DeviceError> {
        let source = (source.as_ref() as &dyn Any)
            .downcast_ref::<Self>()
            .filter(|source| source.0.context() == self.0.context())
            .ok_or(DeviceError::OtherDevice("the memory to copy from"))?;
        let stream = stream_of(queue)?;
        if stream.context() != self.0.context() {
            return Err(DeviceError::OtherDevice("the stream"));
        }
        self.check(0, bytes)?;
        source.check(0, bytes)?;
        self.0
            .copy_from(&source.0, bytes, stream)
            .map_err(failed("copying in device memory"))
    }
}

#[derive(Debug)]
struct CudaQueue {
    stream: Arc<CudaStream>,
    /// The workspace of its launches, and its bytes; launches that were prepared keep one that became too small.
    workspace: Mutex<Option<(Arc<dyn Memory>, usize)>>,
    /// Those of graphs that were captured from it, by the numbers of the captures. A graph may run beside the queue's own
    /// launches and beside other graphs, and nobody says when it is gone: they stay.
    captured: Mutex<Vec<(u64, Arc<CudaMemory>, usize)>>,
}

impl CudaQueue {
    fn new(stream: Arc<CudaStream>) -> Self {
        Self {
            stream,
            workspace: Mutex::default(),
            captured: Mutex::default(),
        }
    }

    /// The workspace of a graph: its counters are set to 0 whenever the graph runs.
    fn workspace_of(
        &self,
        capture: u64,
        context: &Arc<CudaContext>,
        bytes: usize,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let mut captured = self.captured.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = captured.iter();
        if let Some((_, memory, _)) = known.find(|(of, _, room)| *of == capture && *room >= bytes) {
            return Ok(Arc::<CudaMemory>::clone(memory));
        }
        let doing = "making a workspace for a graph that is captured";
        let memory = ffi::outside_of_captures(|| ffi::Memory::new(context, bytes));
        let memory = memory.and_then(|memory| memory).map_err(failed(doing))?;
        let cleared = memory.fill_first(COUNTERS_BYTES, 0, &self.stream);
        cleared.map_err(failed(doing))?;
        let memory = Arc::new(CudaMemory(memory));
        captured.push((capture, Arc::clone(&memory), bytes));
        Ok(memory)
    }

    /// Those of a graph that is kept by somebody who says when it is gone.
    fn take_workspaces_of(&self, capture: u64) -> Vec<Arc<CudaMemory>> {
        let mut captured = self.captured.lock().unwrap_or_else(PoisonError::into_inner);
        let own = captured.extract_if(.., |(of, _, _)| *of == capture);
        own.map(|(_, memory, _)| memory).collect()
    }
}

/// Why a capture came to nothing.
#[cold]
fn not_captured(error: DriverError) -> DeviceError {
    match error.0 {
        CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED => DeviceError::Capture(CAPTURE_BROKEN),
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNJOINED => DeviceError::Capture(CAPTURE_UNJOINED),
        _ => failed("ending the capture of a stream")(error),
    }
}

/// A graph that was captured.
#[derive(Debug)]
struct CudaGraph {
    /// Calls of the driver for one graph must follow one another. Dropped first.
    graph: Mutex<ffi::Graph>,
    /// Nobody else's, so that it runs beside other launches of the stream.
    workspaces: Vec<Arc<CudaMemory>>,
}

impl Graph for CudaGraph {
    fn start(&self, queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        let stream = stream_of(queue)?;
        let graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        if stream.context() != graph.context() {
            return Err(DeviceError::OtherDevice("the stream"));
        }
        graph.launch(stream).map_err(failed("launching a graph"))
    }
}

fn queue_of(queue: &Arc<dyn Queue>) -> Result<&CudaQueue, DeviceError> {
    (queue.as_ref() as &dyn Any)
        .downcast_ref()
        .ok_or(DeviceError::OtherDevice("the stream"))
}

/// The CUDA stream of a queue.
fn stream_of(queue: &Arc<dyn Queue>) -> Result<&Arc<CudaStream>, DeviceError> {
    queue_of(queue).map(|queue| &queue.stream)
}

impl Queue for CudaQueue {
    fn capture(&self) -> Result<Option<u64>, DeviceError> {
        ffi::capture(&self.stream).map_err(failed("asking whether a stream is captured"))
    }

    fn begin_capture(&self) -> Result<(), DeviceError> {
        ffi::begin_capture(&self.stream).map_err(failed("beginning to capture a stream"))
    }

    fn end_capture(&self, last: Option<Box<dyn Graph>>) -> Result<Box<dyn Graph>, DeviceError> {
        let workspaces = match self.capture()? {
            Some(capture) => self.take_workspaces_of(capture),
            None => Vec::new(),
        };
        let captured = ffi::Captured::end(&self.stream).map_err(not_captured)?;
        let last = last.and_then(|last| (last as Box<dyn Any>).downcast::<CudaGraph>().ok());
        if let Some(mut last) = last {
            let graph = last.graph.get_mut().unwrap_or_else(PoisonError::into_inner);
            let is_updated = graph.update(&captured);
            if is_updated.map_err(failed("updating a graph"))? {
                last.workspaces = workspaces;
                return Ok(last);
            }
        }
        let graph = ffi::Graph::new(&captured).map_err(failed("making a graph"))?;
        Ok(Box::new(CudaGraph {
            graph: Mutex::new(graph),
            workspaces,
        }))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.stream
            .synchronize()
            .map_err(failed("waiting for a stream of the GPU"))
    }

    fn mark(&self) -> Result<Arc<dyn Mark>, DeviceError> {
        let event = self
            .stream
            .record_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        Ok(Arc::new(CudaMark(
            event.map_err(failed("recording an event"))?,
        )))
    }

    fn wait(&self, mark: &Arc<dyn Mark>) -> Result<(), DeviceError> {
        self.stream
            .wait(&event_of(mark)?.0)
            .map_err(failed("waiting for an event"))
    }
}

#[derive(Debug)]
struct CudaMark(CudaEvent);

fn event_of(mark: &Arc<dyn Mark>) -> Result<&CudaMark, DeviceError> {
    (mark.as_ref() as &dyn Any)
        .downcast_ref()
        .ok_or(DeviceError::OtherDevice("the event"))
}

impl Mark for CudaMark {
    fn synchronize(&self) -> Result<(), DeviceError> {
        self.0.synchronize().map_err(failed("waiting for an event"))
    }

    fn elapsed_ms(&self, later: &Arc<dyn Mark>) -> Result<f64, DeviceError> {
        ffi::elapsed_ms(&self.0, &event_of(later)?.0)
            .map(f64::from)
            .map_err(failed("reading the time between two events"))
    }
}
