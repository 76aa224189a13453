//! The simulator as a device: memory, modules, launches.
//!
//! Everything happens at once: when a launch returns it has run, so streams are always done. Captured streams are not: their
//! work runs when the graph is launched.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::capture::{Captures, Number, Work};
use super::machine::{self, Launch, LaunchChecks, Options, Watched};
use super::matrix::swizzle::Swizzle;
use super::memory::{Allocation, Allocations, View};
use super::profile::Profile;
use super::program::decode::decode;
use super::program::{Entry, Program};
use super::ptx;
use super::tensor_map::{DataType, Fill, TensorMap};
use crate::backend::{
    Backend, DeviceError, Function, Graph, Mark, Memory, Module, Properties, Queue, RawLaunch,
    Resources, Start,
};
use crate::graph;
use crate::launch::{MAP_BYTES, MapValue};

/// A simulated GPU.
#[derive(Debug)]
pub struct Simulator {
    state: Arc<State>,
    properties: Properties,
}

#[derive(Debug)]
struct State {
    memory: Allocations,
    options: Options,
    /// What the launches since the last question did.
    profile: Mutex<Vec<Profile>>,
    /// What is watched instead of what the options say, and what was seen of it.
    watch: Mutex<(Option<Range<u64>>, Watched)>,
    captures: Mutex<Captures>,
    /// The number of the next stream; 0 is that of the first.
    next_stream: AtomicU64,
}

/// What a thread left when it panicked is as good as before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn is(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other)
    }
}

impl Simulator {
    /// A simulated GPU that runs as the options say.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::named("simulator".to_owned(), options)
    }

    /// A simulated GPU where a real one was looked for, and why there is none.
    #[must_use]
    pub fn instead(reason: &str, options: Options) -> Self {
        Self::named(format!("simulator ({reason})"), options)
    }

    fn named(name: String, options: Options) -> Self {
        let threads = rayon::current_num_threads();
        let checks = if options.checks {
            "checks on"
        } else {
            "checks off"
        };
        let properties = Properties {
            name,
            architecture: "any target".to_owned(),
            driver: match threads {
                1 => format!("1 thread, {checks}"),
                threads => format!("{threads} threads, {checks}"),
            },
            memory_bytes: 1 << 40,
            multiprocessors: options.multiprocessors,
            shared_bytes: shared_limit("sm_90"),
            l2_bytes: 0,
        };
        let state = Arc::new(State {
            memory: Allocations::default(),
            options,
            profile: Mutex::default(),
            watch: Mutex::default(),
            captures: Mutex::default(),
            next_stream: AtomicU64::new(1),
        });
        Self { state, properties }
    }

    /// How it runs.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// What the launches since the last question did, in order. Empty unless the options ask for a
    /// profile.
    #[must_use]
    pub fn take_profiles(&self) -> Vec<Profile> {
        std::mem::take(&mut *lock(&self.state.profile))
    }

    /// From now on, remembers who stores to these addresses of global memory.
    pub fn watch(&self, addresses: Range<u64>) {
        *lock(&self.state.watch) = (Some(addresses), Watched::default());
    }

    /// What was seen of the watched addresses since the last question.
    #[must_use]
    pub fn take_watched(&self) -> Watched {
        std::mem::take(&mut lock(&self.state.watch).1)
    }
}

/// Whether the simulator knows the version and the target of a module; else why not.
fn known(module: &ptx::ast::Module<'_>) -> Result<(), String> {
    /// The version that knows all instructions of the simulator, and those that later ones may still change nothing of.
    const NEWEST: u32 = 9;
    let (major, minor) = module.version;
    if !(1..=NEWEST).contains(&major) {
        return Err(format!(
            "`.version {major}.{minor}`: the simulator knows PTX 1.0 to {NEWEST}.x"
        ));
    }
    let target = module.architecture();
    let digits = target.strip_prefix("sm_").unwrap_or_default();
    let number: Option<u32> = digits.trim_end_matches(['a', 'f']).parse().ok();
    match number {
        Some(50..=129) => Ok(()),
        _ => Err(format!(
            "`.target {target}`: the simulator knows sm_50 to sm_121"
        )),
    }
}

/// The most bytes of shared memory that a block may have (CUDA C++ Programming Guide, "Compute
/// Capabilities").
fn shared_limit(target: &str) -> u32 {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    match digits.parse().unwrap_or(90u32) {
        ..70 => 48 << 10,
        70 | 72 => 96 << 10,
        75 => 64 << 10,
        80 | 87 => 163 << 10,
        86 | 89 | 120.. => 99 << 10,
        _ => 227 << 10,
    }
}

impl Backend for Simulator {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn tensor_map(&self, map: &MapValue) -> Result<[u8; MAP_BYTES], DeviceError> {
        let failed = |text: String| DeviceError::Driver {
            doing: "making a tensor map".to_owned(),
            text,
            code: "simulator".to_owned(),
        };
        let swizzle = match map.swizzle {
            0 => Swizzle::None,
            32 => Swizzle::B32,
            64 => Swizzle::B64,
            128 => Swizzle::B128,
            other => return Err(failed(format!("there is no swizzle of {other} bytes"))),
        };
        let data_type = DataType::of_code(map.element.tensor_map_code());
        let data_type = data_type.ok_or_else(|| failed("no such element type".to_owned()))?;
        let rank = map.sizes.len();
        let first = |list: &[u64], axis: usize, other| list.get(axis).copied().unwrap_or(other);
        TensorMap {
            data_type,
            rank,
            address: map.address,
            sizes: std::array::from_fn(|axis| first(&map.sizes, axis, 1)),
            strides: std::array::from_fn(|axis| first(&map.strides, axis, 0)),
            box_sizes: std::array::from_fn(|axis| map.tile.get(axis).copied().unwrap_or(1)),
            element_strides: [1; 5],
            interleave: 0,
            swizzle,
            promotion: 2,
            fill: Fill::Zeros,
        }
        .encode()
        .map_err(|error| failed(error.to_string()))
    }

    fn load(&self, text: &str) -> Result<Arc<dyn Module>, DeviceError> {
        let refused = |log: String| DeviceError::Refused {
            code: "simulator".to_owned(),
            log,
        };
        let tree = ptx::parse(text).map_err(|error| refused(error.to_string()))?;
        known(&tree).map_err(refused)?;
        let program = decode(&tree, text, self.state.options.functions)
            .map_err(|error| refused(error.to_string()))?;
        let mut globals = Vec::with_capacity(program.globals.len());
        for variable in &program.globals {
            let bytes = usize::try_from(variable.bytes).unwrap_or(usize::MAX);
            let memory = self.state.new_memory(bytes, variable.constant)?;
            let initial = &variable.initial[..variable.initial.len().min(bytes)];
            memory.write(0, initial);
            memory.initialise(0, bytes); // what is not given is zero (PTX ISA, 5.4.4)
            globals.push(memory);
        }
        Ok(Arc::new(Loaded {
            state: Arc::clone(&self.state),
            program: Arc::new(program),
            globals: Arc::new(globals),
        }))
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(SimulatedMemory {
            allocation: self.state.new_memory(bytes, false)?,
            state: Arc::clone(&self.state),
        }))
    }

    fn main_queue(&self) -> Arc<dyn Queue> {
        Arc::new(SimulatedQueue {
            state: Arc::clone(&self.state),
            number: 0,
        })
    }

    fn new_queue(&self) -> Result<Arc<dyn Queue>, DeviceError> {
        Ok(Arc::new(SimulatedQueue {
            state: Arc::clone(&self.state),
            number: self.state.next_stream.fetch_add(1, Ordering::Relaxed),
        }))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.state.while_host_waits(|| ())
    }
}

impl State {
    fn new_memory(&self, bytes: usize, constant: bool) -> Result<Arc<Allocation>, DeviceError> {
        self.memory
            .allocate(bytes, constant)
            .ok_or(DeviceError::OutOfMemory {
                bytes: bytes as u64,
                free: 0,
                total: self.memory.bytes(),
            })
    }
}

/// A module that is ready to run.
#[derive(Debug)]
struct Loaded {
    state: Arc<State>,
    program: Arc<Program>,
    globals: Arc<Vec<Arc<Allocation>>>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // Functions hold clones; the last one frees.
        if Arc::strong_count(&self.globals) == 1 {
            for memory in self.globals.iter() {
                self.state.memory.free(memory);
            }
        }
    }
}

impl Module for Loaded {
    fn log(&self) -> &str {
        ""
    }

    fn function(
        &self,
        entry: &str,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<Arc<dyn Function>, DeviceError> {
        let found = self
            .program
            .entries
            .iter()
            .find(|found| found.name == entry);
        let found = found.ok_or_else(|| DeviceError::NoEntry(entry.to_owned()))?;
        let needed = u64::from(found.static_shared_bytes) + u64::from(shared_bytes);
        let limit = shared_limit(&self.program.target).into();
        if needed > limit {
            return Err(DeviceError::SharedMemory {
                entry: entry.to_owned(),
                needed,
                limit,
            });
        }
        let limit = max_threads(found);
        if threads > limit {
            return Err(DeviceError::Threads {
                entry: entry.to_owned(),
                threads,
                registers: 0,
                limit,
            });
        }
        Ok(Arc::new(SimulatedFunction {
            state: Arc::clone(&self.state),
            program: Arc::clone(&self.program),
            globals: Arc::clone(&self.globals),
            entry: Arc::clone(found),
        }))
    }
}

/// The most threads that a block of an entry point may have.
fn max_threads(entry: &Entry) -> u32 {
    let required = entry
        .required_threads
        .map(|threads| threads.iter().product());
    required.or(entry.max_threads).unwrap_or(1024).min(1024)
}

#[derive(Debug)]
struct SimulatedFunction {
    state: Arc<State>,
    program: Arc<Program>,
    globals: Arc<Vec<Arc<Allocation>>>,
    entry: Arc<Entry>,
}

impl SimulatedFunction {
    fn launch(&self, raw: &RawLaunch) -> Result<(), DeviceError> {
        let entry = &self.entry;
        let invalid = |text: String| DeviceError::Driver {
            doing: format!("launching `{}`", entry.name),
            text,
            code: "simulator".to_owned(),
        };
        if raw.parameters.len() < entry.parameter_bytes as usize {
            return Err(invalid(format!(
                "it takes parameters of {} bytes, but {} are given",
                entry.parameter_bytes,
                raw.parameters.len()
            )));
        }
        let given = [raw.threads, raw.programs_per_block(), 1];
        let threads = entry.required_threads.unwrap_or(given);
        let product = |threads: [u32; 3]| threads.iter().try_fold(1u32, |a, &b| a.checked_mul(b));
        if raw.threads == 0 || product(threads) != product(given) {
            return Err(invalid(format!(
                "it must have {threads:?} threads per program, but {} are given",
                raw.threads
            )));
        }
        let cluster = [raw.cluster.unwrap_or(1), 1, 1];
        let cluster = entry.required_cluster.unwrap_or(cluster);
        let blocks = raw.grid.iter().try_fold(1u32, |a, &b| a.checked_mul(b));
        let blocks = blocks.filter(|&blocks| blocks > 0);
        let divides = |(grid, cluster): (&u32, u32)| cluster > 0 && grid % cluster == 0;
        if blocks.is_none() || !raw.grid.iter().zip(cluster).all(divides) {
            return Err(invalid(format!(
                "a grid of {:?} programs in clusters of {cluster:?} cannot be launched",
                raw.grid
            )));
        }
        let memory = self.state.memory.view();
        let mut options = self.state.options.clone();
        if let (Some(addresses), _) = &*lock(&self.state.watch) {
            options.watch = Some(addresses.clone());
        }
        let launch = Launch {
            checks: LaunchChecks::new(&memory),
            program: &self.program,
            entry,
            options: &options,
            globals: &self.globals,
            parameters: &raw.parameters,
            grid: raw.grid,
            cluster,
            threads,
            dependent: raw.dependent,
            dynamic_shared_bytes: raw.shared_bytes,
            unwritten: unwritten(raw, &memory),
            memory,
            executed: AtomicU64::new(0),
            multiprocessors: self.state.options.multiprocessors,
        };
        let counters = machine::run(&launch).map_err(|mut finding| {
            if let Some(shared) = raw.shared_blocks {
                finding.name_programs(shared);
            }
            DeviceError::Finding(finding)
        })?;
        if options.profile {
            let profile = Profile::new(&launch, &counters);
            lock(&self.state.profile).push(profile);
        }
        lock(&self.state.watch).1.add(&counters.watched);
        Ok(())
    }
}

/// The first addresses of memory that parameters of a launch point into, none of which the kernel may write through.
fn unwritten(raw: &RawLaunch, memory: &View) -> Vec<u64> {
    let start = |number: usize| {
        let bytes = raw.parameters.get(*raw.offsets.get(number)?..)?;
        let address = u64::from_le_bytes(*bytes.first_chunk()?);
        memory.find(address).map(Allocation::address)
    };
    let of = |mutable: bool| {
        let addresses = raw.addresses.iter().filter(move |(_, own)| *own == mutable);
        addresses.filter_map(|(number, _)| start(*number))
    };
    let written: Vec<u64> = of(true).collect();
    of(false).filter(|read| !written.contains(read)).collect()
}

impl Function for SimulatedFunction {
    fn resources(&self) -> Resources {
        Resources {
            registers: 0,
            local_bytes: self.entry.local_bytes,
            static_shared_bytes: self.entry.static_shared_bytes,
            max_threads: max_threads(&self.entry),
        }
    }

    fn bind(&self, queue: &Arc<dyn Queue>, launch: RawLaunch) -> Result<Start, DeviceError> {
        let stream = self.state.own_queue(queue)?;
        let state = Arc::clone(&self.state);
        let function = Self {
            state: Arc::clone(&self.state),
            program: Arc::clone(&self.program),
            globals: Arc::clone(&self.globals),
            entry: Arc::clone(&self.entry),
        };
        let work: Work = Arc::new(move || function.launch(&launch));
        Ok(Box::new(move || state.give(stream, &work)))
    }
}

impl State {
    /// The number of a queue, if it is one of this device.
    fn own_queue(self: &Arc<Self>, queue: &Arc<dyn Queue>) -> Result<Number, DeviceError> {
        let queue = Arc::clone(queue) as Arc<dyn std::any::Any + Send + Sync>;
        match queue.downcast::<SimulatedQueue>() {
            Ok(queue) if queue.state.is(self) => Ok(queue.number),
            _ => Err(DeviceError::OtherDevice("the stream")),
        }
    }

    /// Gives work to a stream, which does it at once unless it is captured.
    fn give(&self, stream: Number, work: &Work) -> Result<(), DeviceError> {
        let is_captured = lock(&self.captures).take(stream, work);
        if is_captured { Ok(()) } else { work() }
    }

    /// The host waits for all streams, and then does something.
    fn while_host_waits(&self, act: impl FnOnce()) -> Result<(), DeviceError> {
        if graph::is_capturing() {
            lock(&self.captures).host_waits(None)?;
        }
        graph::host_waits(act)
    }
}

#[derive(Debug)]
struct SimulatedMemory {
    state: Arc<State>,
    allocation: Arc<Allocation>,
}

impl SimulatedMemory {
    fn check(&self, offset: usize, bytes: usize) -> Result<(), DeviceError> {
        let size = self.allocation.bytes();
        match offset.checked_add(bytes) {
            Some(end) if end <= size => Ok(()),
            end => Err(DeviceError::OutOfMemoryRange {
                start: offset,
                end: end.unwrap_or(usize::MAX),
                size,
            }),
        }
    }
}

impl Drop for SimulatedMemory {
    fn drop(&mut self) {
        self.state.memory.free(&self.allocation);
    }
}

impl Memory for SimulatedMemory {
    fn address(&self) -> u64 {
        self.allocation.address()
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len())?;
        self.state.while_host_waits(|| {
            self.allocation.write(offset, bytes);
            self.allocation.initialise(offset, bytes.len());
        })
    }

    fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len())?;
        self.state
            .while_host_waits(|| self.allocation.read(offset, bytes))
    }

    fn fill(&self, value: u8, queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        let stream = self.state.own_queue(queue)?;
        let allocation = Arc::clone(&self.allocation);
        let work: Work = Arc::new(move || {
            allocation.fill(value);
            allocation.initialise(0, allocation.bytes());
            Ok(())
        });
        self.state.give(stream, &work)
    }

    fn copy_from(
        &self,
        source: &Arc<dyn Memory>,
        bytes: usize,
        queue: &Arc<dyn Queue>,
    ) -> Result<(), DeviceError> {
        let stream = self.state.own_queue(queue)?;
        let source = (source.as_ref() as &dyn std::any::Any)
            .downcast_ref::<Self>()
            .filter(|source| source.state.is(&self.state))
            .ok_or(DeviceError::OtherDevice("the memory to copy from"))?;
        self.check(0, bytes)?;
        source.check(0, bytes)?;
        let (to, from) = (Arc::clone(&self.allocation), Arc::clone(&source.allocation));
        let work: Work = Arc::new(move || {
            let mut copy = vec![0; bytes];
            from.read(0, &mut copy);
            to.write(0, &copy);
            to.initialise(0, bytes);
            Ok(())
        });
        self.state.give(stream, &work)
    }
}

/// A stream: its work is done when it is asked for.
#[derive(Debug)]
struct SimulatedQueue {
    state: Arc<State>,
    number: Number,
}

impl SimulatedQueue {
    fn captures(&self) -> MutexGuard<'_, Captures> {
        lock(&self.state.captures)
    }
}

impl Queue for SimulatedQueue {
    fn capture(&self) -> Result<Option<u64>, DeviceError> {
        Ok(self.captures().number(self.number))
    }

    fn begin_capture(&self) -> Result<(), DeviceError> {
        self.captures().begin(self.number)
    }

    fn end_capture(&self, _last: Option<Box<dyn Graph>>) -> Result<Box<dyn Graph>, DeviceError> {
        let work = self.captures().end(self.number)?;
        Ok(Box::new(SimulatedGraph {
            state: Arc::clone(&self.state),
            work: Arc::new(move || work.iter().try_for_each(|work| work())),
        }))
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.captures().host_waits(Some(self.number))
    }

    fn mark(&self) -> Result<Arc<dyn Mark>, DeviceError> {
        Ok(Arc::new(SimulatedMark {
            state: Arc::clone(&self.state),
            at: Instant::now(),
            of: (self.number, self.capture()?),
        }))
    }

    fn wait(&self, mark: &Arc<dyn Mark>) -> Result<(), DeviceError> {
        let mark = self.state.own_mark(mark)?;
        self.captures().wait(self.number, mark.of)
    }
}

/// What was captured.
struct SimulatedGraph {
    state: Arc<State>,
    work: Work,
}

impl Graph for SimulatedGraph {
    fn start(&self, queue: &Arc<dyn Queue>) -> Result<(), DeviceError> {
        let stream = self.state.own_queue(queue)?;
        self.state.give(stream, &self.work)
    }
}

impl fmt::Debug for SimulatedGraph {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a graph of the simulator")
    }
}

/// A moment of the host's clock.
#[derive(Debug)]
struct SimulatedMark {
    state: Arc<State>,
    at: Instant,
    /// The stream, and the capture that it was part of.
    of: (Number, Option<u64>),
}

impl State {
    fn own_mark(self: &Arc<Self>, mark: &Arc<dyn Mark>) -> Result<Arc<SimulatedMark>, DeviceError> {
        let mark = Arc::clone(mark) as Arc<dyn std::any::Any + Send + Sync>;
        match mark.downcast::<SimulatedMark>() {
            Ok(mark) if mark.state.is(self) => Ok(mark),
            _ => Err(DeviceError::OtherDevice("the event")),
        }
    }
}

impl Mark for SimulatedMark {
    fn synchronize(&self) -> Result<(), DeviceError> {
        match self.of {
            (_, None) => Ok(()),
            (stream, Some(_)) => lock(&self.state.captures).host_waits(Some(stream)),
        }
    }

    fn elapsed_ms(&self, later: &Arc<dyn Mark>) -> Result<f64, DeviceError> {
        let later = self.state.own_mark(later)?;
        Ok(later.at.saturating_duration_since(self.at).as_secs_f64() * 1e3)
    }
}
