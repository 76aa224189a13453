//! A launch: its clusters, spread over the threads of the host.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::block::{Block, Cluster};
use super::delays::Delays;
use super::order::LaunchChecks;
use super::order::asynchronous::AsynchronousChecks;
use super::step::{Machine, Progress, TURNS};
use crate::simulator::arithmetic::Functions;
use crate::simulator::checks::Finding;
use crate::simulator::checks::clocks::{Clocks, Knowledge};
use crate::simulator::counters::Counters;
use crate::simulator::memory::{Allocation, View};
use crate::simulator::program::{Entry, Program};

/// How to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether to look for races, uninitialised memory and the like. Bounds, alignment and
    /// barriers are always checked.
    pub checks: bool,
    /// Whether to count transactions and conflicts.
    pub profile: bool,
    /// Warp instructions that a block may execute; all blocks together as many as that times 100.
    pub steps: u64,
    /// Delays blocks and warps, chosen by this seed, for as long as others go on: finds waits that are missing.
    pub delays: Option<u64>,
    /// Multiprocessors that the device claims to have: persistent kernels have as many blocks.
    pub multiprocessors: u32,
    /// How approximate functions come out.
    pub functions: Functions,
    /// Addresses of global memory whose stores are remembered.
    pub watch: Option<Range<u64>>,
}

/// A launch may execute so many times the instructions that a block may.
pub const RUN: u64 = 100;

/// What the start of a block counts as, in instructions.
const START: u64 = 256;

/// Multiprocessors of an H200.
const H200: u32 = 132;

impl Default for Options {
    fn default() -> Self {
        Self {
            checks: true,
            profile: false,
            steps: 200_000_000,
            delays: None,
            multiprocessors: H200,
            functions: Functions::Exact,
            watch: None,
        }
    }
}

/// What to run on what.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The module.
    pub program: &'a Program,
    /// Its entry point.
    pub entry: &'a Entry,
    /// How.
    pub options: &'a Options,
    /// All memory.
    pub memory: View,
    /// What the checks know of it.
    pub checks: LaunchChecks,
    /// The module's variables.
    pub globals: &'a [Arc<Allocation>],
    /// The parameter buffer.
    pub parameters: &'a [u8],
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Blocks of a cluster along x, y, z; divides `grid`.
    pub cluster: [u32; 3],
    /// Threads of a block along x, y, z.
    pub threads: [u32; 3],
    /// Whether the kernel in front of it may still run.
    pub dependent: bool,
    /// Bytes of shared memory beyond the static ones.
    pub dynamic_shared_bytes: u32,
    /// Multiprocessors that the device claims to have.
    pub multiprocessors: u32,
    /// Memory that the kernel is not to write, by its first address.
    pub unwritten: Vec<u64>,
    /// Instructions that were executed so far.
    pub executed: AtomicU64,
}

impl Launch<'_> {
    /// How many clusters a device holds at once, at most (CUDA C++ Programming Guide, "Compute Capabilities"). Registers are not
    /// counted where the PTX does not say how many there are.
    fn resident_clusters(&self) -> usize {
        /// Threads, blocks and bytes of shared memory of a multiprocessor, and bytes that each block takes besides its own.
        const THREADS: u32 = 2048;
        const BLOCKS: u32 = 32;
        const SHARED: u32 = 228 << 10;
        const OWN: u32 = 1 << 10;
        let threads = self.block_threads().next_multiple_of(32);
        let registers = (1 << 16) / (self.entry.max_registers.unwrap_or(1) * threads).max(1);
        let blocks = (THREADS / threads)
            .min(BLOCKS)
            .min(SHARED / (self.shared_bytes() + OWN))
            .min(registers)
            .max(1);
        (self.multiprocessors * blocks / self.cluster_blocks()).max(1) as usize
    }

    /// Counts instructions of the run, and says whether they are too many.
    pub fn has_executed(&self, steps: u64) -> bool {
        let before = self.executed.fetch_add(steps, Relaxed);
        before + steps > self.options.steps.saturating_mul(RUN)
    }

    /// Threads of a block.
    #[must_use]
    pub fn block_threads(&self) -> u32 {
        self.threads.iter().product()
    }

    /// Bytes of shared memory of a block.
    #[must_use]
    pub const fn shared_bytes(&self) -> u32 {
        self.entry.static_shared_bytes + self.dynamic_shared_bytes
    }

    /// Registers that each thread has at the start: what `.maxnreg` says, or as many as fit.
    #[must_use]
    pub fn register_count(&self) -> u32 {
        /// Registers of a multiprocessor.
        const REGISTERS: u32 = 1 << 16;
        let threads = self.entry.max_threads.unwrap_or(self.block_threads());
        let blocks = self.entry.min_blocks.unwrap_or(1).max(1);
        let fit = REGISTERS / threads.saturating_mul(blocks).max(1);
        // They are given out by eights.
        let most = self
            .entry
            .max_registers
            .map(|most| most.next_multiple_of(8));
        most.unwrap_or(fit / 8 * 8).min(256)
    }

    /// Whether the kernel asks for clusters.
    #[must_use]
    pub fn explicit_cluster(&self) -> bool {
        self.entry.required_cluster.is_some()
    }

    /// Blocks of a cluster.
    #[must_use]
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// The number of a block: x counts fastest.
    #[must_use]
    pub fn block_number(&self, id: [u32; 3]) -> u32 {
        id[0].wrapping_add(
            self.grid[0].wrapping_mul(id[1].wrapping_add(self.grid[1].wrapping_mul(id[2]))),
        )
    }

    /// Clusters of the grid.
    fn clusters(&self) -> u32 {
        self.grid
            .iter()
            .zip(self.cluster)
            .map(|(grid, cluster)| grid / cluster)
            .product()
    }

    /// The blocks of a cluster at their start.
    fn cluster(&self, number: u32) -> Cluster {
        let blocks = (0..self.cluster_blocks())
            .map(|rank| Block::new(self, self.block_of(number, rank), rank));
        self.has_executed(START * u64::from(self.cluster_blocks()));
        let warps = self.block_threads().div_ceil(32);
        Cluster {
            blocks: blocks.collect(),
            clocks: Clocks::new(number, self.cluster_blocks(), warps),
            phase: 0,
            arrived: 0,
            passed: Knowledge::default(),
            done: Knowledge::default(),
            asynchronous: AsynchronousChecks::default(),
            passed_at: HashMap::new(),
            passed_within: HashMap::new(),
            delays: self.options.delays.map(|seed| Delays::new(seed, number)),
        }
    }
}

/// Runs a launch to its end.
///
/// # Errors
/// The first defect: that of the lowest cluster that has one, whatever ran first.
pub fn run(launch: &Launch<'_>) -> Result<Counters, Box<Finding>> {
    if launch.entry.communicates || launch.entry.prints {
        return run_together(launch);
    }
    let mut counters = Counters::new(launch);
    let clusters = launch.clusters();
    let mut start = 0;
    while start < clusters {
        let end = start.saturating_add(PART).min(clusters);
        match run_apart(launch, start..end) {
            (_, Some((_, mut finding))) => {
                finding.order_parties();
                return Err(finding);
            }
            (more, None) => counters.add(&more),
        }
        start = end;
    }
    Ok(counters)
}

/// So many clusters are given to the threads of the host at once: what comes behind a defect is not even looked at.
const PART: u32 = 1 << 16;

/// Runs clusters that do not talk to each other, on all threads. Gives what they counted, and the first that failed.
fn run_apart(launch: &Launch<'_>, clusters: Range<u32>) -> (Counters, Option<(u32, Box<Finding>)>) {
    // Clusters above one that has failed need not run: what is reported is that of the lowest.
    let failed = AtomicU32::new(u32::MAX);
    clusters
        .into_par_iter()
        .fold(
            || (Counters::new(launch), None::<(u32, Box<Finding>)>),
            |(mut counters, mut found), number| {
                if number < failed.load(Relaxed) {
                    let mut machine = Machine::new(launch, launch.cluster(number), &mut counters);
                    if let Err(finding) = machine.run_to_end() {
                        failed.fetch_min(number, Relaxed);
                        if found.as_ref().is_none_or(|(lowest, _)| number < *lowest) {
                            found = Some((number, finding));
                        }
                    }
                }
                (counters, found)
            },
        )
        .reduce(
            || (Counters::new(launch), None),
            |(mut counters, first), (more, second)| {
                counters.add(&more);
                let found = first
                    .into_iter()
                    .chain(second)
                    .min_by_key(|(number, _)| *number);
                (counters, found)
            },
        )
}

/// Rounds in which all clusters ask in vain, after which they wait for one that cannot start.
const VAIN: u32 = 3;

/// Of so many clusters the next that runs is chosen where some are delayed.
const CHOICE: usize = 64;

/// Runs clusters in order on this thread. One that makes no headway lets the next one start, if the device holds so many; those
/// that have started take turns.
fn run_together(launch: &Launch<'_>) -> Result<Counters, Box<Finding>> {
    let mut counters = Counters::new(launch);
    let mut random = launch.options.delays.map(fastrand::Rng::with_seed);
    let mut waiting = (0..launch.clusters()).peekable();
    let most = launch.resident_clusters();
    let mut resident: VecDeque<Cluster> = VecDeque::new();
    // Clusters in a row that have asked for something in vain, and nothing else.
    let mut vain = 0;
    loop {
        let cluster = match &mut random {
            None => {
                let full = resident.len() >= most;
                let next = waiting.next_if(|_| !full);
                next.map(|number| launch.cluster(number))
                    .or_else(|| resident.pop_front())
            }
            // Any of those that may have started.
            Some(random) => {
                while resident.len() < most.min(CHOICE)
                    && let Some(number) = waiting.next()
                {
                    resident.push_back(launch.cluster(number));
                }
                let count = resident.len();
                (count > 0)
                    .then(|| random.usize(..count))
                    .and_then(|chosen| resident.swap_remove_back(chosen))
            }
        };
        let Some(cluster) = cluster else {
            return Ok(counters);
        };
        let mut machine = Machine::new(launch, cluster, &mut counters);
        let stuck = resident.len() + 1 >= most && waiting.peek().is_some();
        machine.hurried = vain > 0;
        let progress = machine.run_for_a_while(if stuck { 1 } else { TURNS })?;
        let asked = machine.asked_in_vain() && progress == Progress::Unfinished;
        vain = if stuck && asked { vain + 1 } else { 0 };
        if vain as usize > most.saturating_mul(VAIN as usize) {
            return Err(machine.not_resident(most, waiting.next().unwrap_or_default()));
        }
        if progress == Progress::Unfinished {
            resident.push_back(machine.into_cluster());
        }
    }
}
