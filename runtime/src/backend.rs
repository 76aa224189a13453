//! What a device must be able to do to run compiled kernels.
//!
//! [`Device`](crate::device::Device) wraps one of these. The CUDA driver is one; a simulator is
//! another. Handles are trait objects, so a backend may live in any crate; a handle given to a
//! backend that did not make it is an error, never a crash.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use crate::ffi::HostMemory;
use crate::launch::{MAP_BYTES, MapValue};
use crate::manifest::COUNTERS_BYTES;

/// What a device is and what it is limited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// For people: `NVIDIA H200 (cuda:0)`.
    pub name: String,
    /// The architecture it runs, such as `sm_90`.
    pub architecture: String,
    /// Driver or simulator and its version, such as `CUDA 13.0`.
    pub driver: String,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// The most bytes of shared memory that a program may have, after opting in.
    pub shared_bytes: u32,
    /// Bytes of level-2 cache (0: none).
    pub l2_bytes: u64,
}

/// What one compiled entry point uses of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resources {
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes of local memory of a thread: stack and spilled registers.
    pub local_bytes: u32,
    /// Bytes of statically declared shared memory.
    pub static_shared_bytes: u32,
    /// The most threads a program of it may have.
    pub max_threads: u32,
}

/// A launch as the hardware sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLaunch {
    /// Programs along x, y, z; none is 0.
    pub grid: [u32; 3],
    /// Programs of a cluster along x, where the code does not say it.
    pub cluster: Option<u32>,
    /// Whether it may begin before the kernel in front of it has ended: its code waits for that (programmatic dependent
    /// launch).
    pub dependent: bool,
    /// Threads of a program.
    pub threads: u32,
    /// How programs share blocks, if they may.
    pub shared_blocks: Option<SharedBlocks>,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The entry point's parameter buffer.
    pub parameters: Vec<u8>,
    /// Where each parameter begins in it; may be left empty for the simulator.
    pub offsets: Vec<usize>,
    /// The numbers of parameters that are addresses, and whether the kernel may write there.
    pub addresses: Vec<(usize, bool)>,
}

impl RawLaunch {
    /// Programs of a block.
    #[must_use]
    pub fn programs_per_block(&self) -> u32 {
        self.shared_blocks
            .map_or(1, |shared| shared.programs_per_block)
    }
}

/// Programs of few warps that share blocks, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedBlocks {
    /// Programs of a block, along y.
    pub programs_per_block: u32,
    /// Warps of a program.
    pub warps: u32,
    /// Programs along x, y, z.
    pub programs: [u32; 3],
    /// Programs of a group along its axis, 0 for no groups.
    pub group: u32,
    /// The axis of groups, 0 or 1.
    pub group_axis: u32,
}

impl SharedBlocks {
    /// The program with a number.
    #[must_use]
    pub fn place(&self, number: u32) -> [u32; 3] {
        let axis = self.group_axis.min(1) as usize;
        let [x, y, _] = self.programs.map(|count| count.max(1));
        let [along, across] = match axis {
            0 => [x, y],
            _ => [y, x],
        };
        let (third, place) = (number / (x * y), number % (x * y));
        let rows = match self.group {
            0 => along,
            rows => rows,
        };
        let (group, place) = (place / (rows * across), place % (rows * across));
        let width = rows.min(along - group * rows);
        let (first, second) = (group * rows + place % width, place / width);
        match axis {
            0 => [first, second, third],
            _ => [second, first, third],
        }
    }
}

/// A device.
pub trait Backend: Send + Sync + fmt::Debug {
    /// What it is.
    fn properties(&self) -> &Properties;

    /// The number that the driver gives it, if it is a GPU of the driver.
    fn gpu(&self) -> Option<i32> {
        None
    }

    /// Compiles PTX for this device.
    ///
    /// # Errors
    /// [`DeviceError::Refused`] with the compiler's log if the PTX is wrong.
    fn load(&self, ptx: &str) -> Result<Arc<dyn Module>, DeviceError>;

    /// Memory of the given size, at an address that is a multiple of 256. Its content is
    /// undefined.
    ///
    /// # Errors
    /// If there is not enough.
    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, DeviceError>;

    /// Memory of at least so many bytes that begins with [`COUNTERS_BYTES`] zeros, for launches that go to this
    /// queue and leave the zeros there. It may be the same for all of them, as they run one after another, and is
    /// none of another queue's.
    ///
    /// # Errors
    /// If there is not enough, or the queue is of another device.
    fn workspace(
        &self,
        _queue: &Arc<dyn Queue>,
        bytes: usize,
    ) -> Result<Arc<dyn Memory>, DeviceError> {
        let memory = self.allocate(bytes)?;
        memory.write(0, &[0; COUNTERS_BYTES])?;
        Ok(memory)
    }

    /// Host memory of zeros that the device copies while host and kernels go on, if it can.
    ///
    /// # Errors
    /// If there is not enough.
    fn allocate_host(&self, bytes: usize) -> Result<HostMemory, DeviceError> {
        Ok(HostMemory::plain(bytes))
    }

    /// A tensor map as this device's kernels take it.
    ///
    /// # Errors
    /// If the device has no such maps, or refuses this one.
    fn tensor_map(&self, map: &MapValue) -> Result<[u8; MAP_BYTES], DeviceError>;

    /// The stream that work goes to by default: the same one each time.
    fn main_queue(&self) -> Arc<dyn Queue>;

    /// One more stream, unordered with the others.
    ///
    /// # Errors
    /// If the device fails.
    fn new_queue(&self) -> Result<Arc<dyn Queue>, DeviceError>;

    /// The queue of a stream that somebody else made, by the driver's handle of it; the same one for the same handle. Work
    /// that is given to it after the stream has ended is an error of the driver.
    ///
    /// # Errors
    /// The device has no streams but its own.
    fn foreign_queue(&self, _handle: u64) -> Result<Arc<dyn Queue>, DeviceError> {
        Err(DeviceError::OtherDevice("the stream"))
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// If some of that work failed.
    fn synchronize(&self) -> Result<(), DeviceError>;
}

/// Loaded PTX.
pub trait Module: Send + Sync + fmt::Debug {
    /// What the compiler said while loading; often empty.
    fn log(&self) -> &str;

    /// An entry point, ready for programs of this many threads and bytes of dynamic shared
    /// memory.
    ///
    /// # Errors
    /// If there is no such entry point, or it cannot run with these.
    fn function(
        &self,
        entry: &str,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<Arc<dyn Function>, DeviceError>;
}

/// Something that can be started again and again.
pub type Start = Box<dyn Fn() -> Result<(), DeviceError> + Send + Sync>;

/// An entry point.
pub trait Function: Send + Sync + fmt::Debug {
    /// What it uses.
    fn resources(&self) -> Resources;

    /// How many programs of so many threads and so much dynamic shared memory the driver says that a
    /// multiprocessor holds at once; `None` where no driver says anything.
    ///
    /// # Errors
    /// If the driver refuses.
    fn programs_per_multiprocessor(
        &self,
        _threads: u32,
        _shared_bytes: u32,
    ) -> Result<Option<u32>, DeviceError> {
        Ok(None)
    }

    /// Binds all of a launch, so that starting it costs as little as can be. The caller keeps the
    /// memory alive that the parameters point to.
    ///
    /// # Errors
    /// If the queue is of another device.
    fn bind(&self, queue: &Arc<dyn Queue>, launch: RawLaunch) -> Result<Start, DeviceError>;

    /// Starts one launch.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and what the device says of the launch.
    fn start(&self, queue: &Arc<dyn Queue>, launch: &RawLaunch) -> Result<(), DeviceError> {
        self.bind(queue, launch.clone())?()
    }
}

/// Device memory; freed when dropped, after work that may use it.
pub trait Memory: Any + Send + Sync + fmt::Debug {
    /// The device address of the first byte.
    fn address(&self) -> u64;

    /// Copies into the memory from `offset` (bytes), after all work of the device.
    ///
    /// # Errors
    /// If the device fails, or the range is outside the memory.
    fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies out of the memory from `offset` (bytes), after all work of the device.
    ///
    /// # Errors
    /// If the device fails, or the range is outside the memory.
    fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Sets each byte, in the order of the queue.
    ///
    /// # Errors
    /// If the device fails or the queue is of another device.
    fn fill(&self, value: u8, queue: &Arc<dyn Queue>) -> Result<(), DeviceError>;

    /// Copies the first bytes of other memory to the start of this one, in the order of the queue.
    /// Unless a backend does better, they go through the host once the queue's work is done.
    ///
    /// # Errors
    /// If the device fails, either memory is smaller, or something is of another device.
    fn copy_from(
        &self,
        source: &Arc<dyn Memory>,
        bytes: usize,
        queue: &Arc<dyn Queue>,
    ) -> Result<(), DeviceError> {
        queue.synchronize()?;
        let mut copy = vec![0; bytes];
        source.read(0, &mut copy)?;
        self.write(0, &copy)
    }

    /// Copies host memory to the start of this one, in the order of the queue. Whoever calls it keeps both, and leaves the host
    /// memory alone, until the copy is done. Unless a backend does better, that is when it returns.
    ///
    /// # Errors
    /// If the device fails, the memory is smaller, or something is of another device.
    fn copy_from_host(
        &self,
        source: &HostMemory,
        queue: &Arc<dyn Queue>,
    ) -> Result<(), DeviceError> {
        queue.synchronize()?;
        source.give(|bytes| self.write(0, bytes))
    }

    /// Copies the first bytes to all of host memory, in the order of the queue; otherwise as
    /// [`copy_from_host`](Self::copy_from_host).
    ///
    /// # Errors
    /// If the device fails, the memory is smaller, or something is of another device.
    fn copy_to_host(&self, to: &HostMemory, queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        queue.synchronize()?;
        to.take(|bytes| self.read(0, bytes))
    }
}

/// A stream: its work runs in order.
pub trait Queue: Any + Send + Sync + fmt::Debug {
    /// The number of the capture (of a graph) that records what the queue is given, if one does.
    ///
    /// # Errors
    /// The device does not say.
    fn capture(&self) -> Result<Option<u64>, DeviceError> {
        Ok(None)
    }

    /// Begins to capture the work that the queue is given, which does not run then.
    ///
    /// # Errors
    /// If that is captured already, or the device has no graphs.
    fn begin_capture(&self) -> Result<(), DeviceError> {
        Err(DeviceError::NoGraphs)
    }

    /// Ends the capture, and gives what was captured. `last` is a graph that is needed no more: alike but for its
    /// arguments, it may become the new one.
    ///
    /// # Errors
    /// If none was begun, or something was done that cannot be captured.
    fn end_capture(&self, _last: Option<Box<dyn Graph>>) -> Result<Box<dyn Graph>, DeviceError> {
        Err(DeviceError::NoGraphs)
    }

    /// Waits until its work so far is done.
    ///
    /// # Errors
    /// If some of that work failed.
    fn synchronize(&self) -> Result<(), DeviceError>;

    /// A mark after its work so far.
    ///
    /// # Errors
    /// If the device fails.
    fn mark(&self) -> Result<Arc<dyn Mark>, DeviceError>;

    /// Lets later work of this stream wait for a mark of any stream.
    ///
    /// # Errors
    /// If the mark is of another device.
    fn wait(&self, mark: &Arc<dyn Mark>) -> Result<(), DeviceError>;
}

/// Work that was captured. Who has it keeps the memory and the modules that it needs.
pub trait Graph: Any + Send + Sync + fmt::Debug {
    /// Runs it in the order of a queue.
    ///
    /// # Errors
    /// If the device refuses, or the queue is of another device.
    fn start(&self, queue: &Arc<dyn Queue>) -> Result<(), DeviceError>;
}

/// A point in the work of a stream.
pub trait Mark: Any + Send + Sync + fmt::Debug {
    /// Waits until the work before it is done.
    ///
    /// # Errors
    /// If some of that work failed.
    fn synchronize(&self) -> Result<(), DeviceError>;

    /// Milliseconds from this mark to a later one, both waited for.
    ///
    /// # Errors
    /// If the other is of another device.
    fn elapsed_ms(&self, later: &Arc<dyn Mark>) -> Result<f64, DeviceError>;
}

/// What a capture was ended by.
pub(crate) const CAPTURE_BROKEN: &str = "the host waited for the device, or copied to or from it";

/// What a capture lacked at its end.
pub(crate) const CAPTURE_UNJOINED: &str =
    "a stream that it took in is not joined: the captured one must wait for an event of it";

/// What can go wrong on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum DeviceError {
    #[error(
        "no NVIDIA driver is installed here (libcuda.so was not found): running on a GPU needs \
         one; the CUDA toolkit is not needed"
    )]
    NoDriver,
    #[error("the NVIDIA driver is installed, but it finds no GPU: {0}")]
    NoDevice(String),
    #[error("there is no device cuda:{index}: this machine has {count} (cuda:0 is the first)")]
    NoSuchDevice { index: usize, count: usize },
    #[error("`{0}` is no device: use `auto`, `sim` or `cuda:N`, such as `cuda:0`")]
    Unknown(String),
    #[error(
        "`{option}` is an option of the simulator, and this runs on {device}: add `--device sim`"
    )]
    SimulatorOption {
        option: &'static str,
        device: String,
    },
    #[error("while {doing}: {text} ({code})")]
    Driver {
        doing: String,
        text: String,
        code: String,
    },
    #[error("a kernel failed: {text} ({code}); the GPU's memory is lost to this process")]
    KernelFault { text: String, code: String },
    #[error(
        "an `assert` of the kernel failed ({code}): the lines that the driver printed say which and \
         where; the GPU's memory is lost to this process"
    )]
    AssertionFailed { code: String },
    #[error("the driver refuses the PTX ({code}){}", indented(.log))]
    Refused { code: String, log: String },
    #[error(
        "the PTX was compiled for {target}, but {device} is {architecture}: compile with \
         `--target {architecture}`"
    )]
    Target {
        target: String,
        device: String,
        architecture: String,
    },
    #[error(
        "this program has no simulator: the feature `simulator` of the crate tile-runtime brings it"
    )]
    NoSimulator,
    #[cfg(feature = "simulator")]
    #[error("{0}")]
    Finding(Box<crate::simulator::checks::Finding>),
    #[error("the PTX has a NUL byte, which the driver would take for its end")]
    NulInPtx,
    #[error("the PTX has no entry point `{0}`, though its manifest names it")]
    NoEntry(String),
    #[error("not enough device memory: {bytes} bytes wanted, {free} of {total} free")]
    OutOfMemory { bytes: u64, free: u64, total: u64 },
    #[error(
        "`{entry}` needs {needed} bytes of shared memory per program, but the device gives at \
         most {limit}"
    )]
    SharedMemory {
        entry: String,
        needed: u64,
        limit: u64,
    },
    #[error(
        "`{entry}` has programs of {threads} threads, but with its {registers} registers the \
         device runs at most {limit}"
    )]
    Threads {
        entry: String,
        threads: u32,
        registers: u32,
        limit: u32,
    },
    #[error("{0} belongs to another device")]
    OtherDevice(&'static str),
    #[error("this device has no graphs")]
    NoGraphs,
    #[error("the graph is empty: its last update failed")]
    NoGraph,
    #[error("while capturing a graph: {0}")]
    Capture(&'static str),
    #[error("the current CUDA context cannot be used: {0}")]
    NoCurrent(&'static str),
    #[error("the DLPack tensor cannot be taken or given: {0}")]
    Dlpack(String),
    #[error("this memory is borrowed: only who lent it reads and writes it from the host")]
    Borrowed,
    #[error("bytes {start}..{end} are outside device memory of {size} bytes")]
    OutOfMemoryRange {
        start: usize,
        end: usize,
        size: usize,
    },
}

fn indented(log: &str) -> String {
    log.lines().map(|line| format!("\n  {line}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_along_x_or_through_groups() {
        let shared = |group, group_axis| SharedBlocks {
            programs_per_block: 8,
            warps: 1,
            programs: [5, 3, 2],
            group,
            group_axis,
        };
        let places = |shared: SharedBlocks| {
            (0..30)
                .map(|number| shared.place(number))
                .collect::<Vec<_>>()
        };
        let along_x = places(shared(0, 0));
        assert_eq!(
            along_x[..6],
            [
                [0, 0, 0],
                [1, 0, 0],
                [2, 0, 0],
                [3, 0, 0],
                [4, 0, 0],
                [0, 1, 0]
            ]
        );
        assert_eq!(along_x[29], [4, 2, 1]);
        // Along y first.
        assert_eq!(
            places(shared(1, 0))[..4],
            [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 0, 0]]
        );
        // The last group has one program along x.
        let grouped = places(shared(4, 0));
        assert_eq!(grouped[3..6], [[3, 0, 0], [0, 1, 0], [1, 1, 0]]);
        assert_eq!(
            grouped[11..15],
            [[3, 2, 0], [4, 0, 0], [4, 1, 0], [4, 2, 0]]
        );
        let mut across = places(shared(2, 1));
        assert_eq!(across[..3], [[0, 0, 0], [0, 1, 0], [1, 0, 0]]);
        // Each program once.
        across.sort_unstable();
        across.dedup();
        assert_eq!(across.len(), 30);
    }
}
