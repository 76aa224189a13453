//! A launch: its clusters, spread over the threads of the host.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::block::{Block, Cluster};
use super::order::LaunchChecks;
use super::order::asynchronous::AsynchronousChecks;
use super::step::{Machine, Progress};
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
    /// Warp instructions that a block may execute.
    pub steps: u64,
    /// Multiprocessors that the device claims to have: programs that take turns do so on as many blocks.
    pub multiprocessors: u32,
    /// Addresses of global memory whose stores are remembered.
    pub watch: Option<Range<u64>>,
}

/// Multiprocessors of an H200.
const H200: u32 = 132;

impl Default for Options {
    fn default() -> Self {
        Self {
            checks: true,
            profile: false,
            steps: 200_000_000,
            multiprocessors: H200,
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
    /// Bytes of shared memory beyond the static ones.
    pub dynamic_shared_bytes: u32,
    /// Multiprocessors that the device claims to have.
    pub multiprocessors: u32,
}

impl Launch<'_> {
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
    // Clusters above one that has failed need not run: what is reported is that of the lowest.
    let failed = AtomicU32::new(u32::MAX);
    let outcome = (0..launch.clusters())
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
        );
    match outcome {
        (_, Some((_, mut finding))) => {
            finding.order_parties();
            Err(finding)
        }
        (counters, None) => Ok(counters),
    }
}

/// Clusters that may be on the device at once when they wait for each other.
const RESIDENT: usize = 1024;

/// Runs clusters in order on this thread. One that makes no headway lets the next one start; those
/// that have started take turns.
fn run_together(launch: &Launch<'_>) -> Result<Counters, Box<Finding>> {
    let mut counters = Counters::new(launch);
    let mut waiting = (0..launch.clusters()).fuse();
    let mut resident: std::collections::VecDeque<Cluster> = std::collections::VecDeque::new();
    loop {
        let cluster = if resident.len() < RESIDENT {
            waiting.next().map(|number| launch.cluster(number))
        } else {
            None
        };
        let Some(cluster) = cluster.or_else(|| resident.pop_front()) else {
            return Ok(counters);
        };
        let mut machine = Machine::new(launch, cluster, &mut counters);
        if machine.run_for_a_while()? == Progress::Unfinished {
            resident.push_back(machine.into_cluster());
        }
    }
}
