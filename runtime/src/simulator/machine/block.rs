//! A block, and the cluster of blocks that share a thread of the host.

use std::collections::{BTreeMap, HashMap};

use super::asynchronous::mbarrier_object::MbarrierObject;
use super::asynchronous::watch::WgmmaRegisters;
use super::barrier::NamedBarrier;
use super::delays::Delays;
use super::grid::Launch;
use super::order::asynchronous::AsynchronousChecks;
use super::order::exit::Remote;
use super::warp::{Group, Warp, lanes};
use crate::simulator::checks::clocks::{Agent, Clocks, Knowledge};
use crate::simulator::checks::initialised::SharedInitialised;
use crate::simulator::checks::shadow::Page;
use crate::simulator::memory::shared;
use crate::simulator::program::Constant;
use crate::simulator::program::op::Special;
use crate::simulator::registers::{LANES, Registers};

/// Barriers of a block (PTX ISA, "bar").
pub const BARRIERS: usize = 16;

/// A block that runs.
#[derive(Debug)]
pub struct Block {
    /// Its place in the grid.
    pub id: [u32; 3],
    /// Its rank in the cluster.
    pub rank: u32,
    /// Its warps. One that executes right now is taken out.
    pub warps: Vec<Warp>,
    /// Its shared memory, from [`shared::START`] on.
    pub shared: Vec<u8>,
    /// Who has touched it, by page.
    pub shadow: Vec<Page>,
    /// What other blocks of the cluster did to it last, by agent.
    pub remote: BTreeMap<Agent, Remote>,
    /// Which of it has a value.
    pub initialised: SharedInitialised,
    /// Its barriers.
    pub barriers: [NamedBarrier; BARRIERS],
    /// Its mbarriers, by their places in shared memory, which has their bytes too.
    pub mbarriers: BTreeMap<u32, MbarrierObject>,
    /// Registers that warpgroups have given back, and not taken again.
    pub free_registers: u32,
    /// Threads that have not exited.
    pub alive: u32,
    /// Warp instructions it has executed.
    pub steps: u64,
}

impl Block {
    /// A block at its start.
    pub fn new(launch: &Launch<'_>, id: [u32; 3], rank: u32) -> Self {
        let threads = launch.block_threads();
        let warps = threads.div_ceil(32);
        let block = Self {
            id,
            rank,
            warps: Vec::new(),
            shared: vec![0; launch.shared_bytes() as usize],
            shadow: Vec::new(),
            remote: BTreeMap::new(),
            initialised: SharedInitialised::none(launch.shared_bytes() as usize),
            barriers: Default::default(),
            mbarriers: BTreeMap::new(),
            free_registers: 0,
            alive: threads,
            steps: 0,
        };
        let warps = (0..warps)
            .map(|number| block.warp(launch, number))
            .collect();
        Self { warps, ..block }
    }

    fn warp(&self, launch: &Launch<'_>, number: u32) -> Warp {
        let entry = launch.entry;
        let mask = lanes(number, launch.block_threads());
        let mut warp = Warp {
            number,
            registers: Registers::new(entry.rows as usize, entry.predicates as usize),
            alive: mask,
            lanes: mask,
            groups: vec![Group {
                pc: 0,
                mask,
                wait: None,
            }],
            initialised: vec![0; entry.tracked.len()],
            local: vec![0; entry.local_bytes as usize * LANES],
            wgmma: WgmmaRegisters::new(entry.wgmma_registers.len()),
            register_count: launch.register_count(),
            waits_for_launch: launch.dependent && launch.options.checks,
            ..Warp::default()
        };
        for &(slot, constant) in &entry.constants {
            let registers = &mut warp.registers;
            let all = u32::MAX;
            match constant {
                Constant::Bits32(value) => registers.set32(slot, all, [value; LANES]),
                Constant::Bits64(value) => registers.set64(slot, all, [value; LANES]),
                Constant::Predicate(value) => {
                    registers.set_predicate(slot, all, if value { all } else { 0 });
                }
                Constant::Carry => registers.set_predicate(slot, all, 0),
                Constant::Global(number, offset) => {
                    let address = launch.globals[number as usize].address();
                    let address = address.wrapping_add_signed(offset);
                    registers.set64(slot, all, [address; LANES]);
                }
                Constant::Special(special, wide) => {
                    let values = self.special(launch, number, special);
                    if wide {
                        registers.set64(slot, all, values.map(u64::from));
                    } else {
                        registers.set32(slot, all, values);
                    }
                }
            }
        }
        warp
    }

    /// The lanes of a special register in a warp.
    fn special(&self, launch: &Launch<'_>, warp: u32, special: Special) -> [u32; LANES] {
        let axis = |axis: u8| usize::from(axis).min(2);
        let threads = launch.threads;
        let lane = |f: &dyn Fn(u32) -> u32| {
            let mut values = [0; LANES];
            for (lane, value) in (0..).zip(&mut values) {
                *value = f(lane);
            }
            values
        };
        let cluster = launch.cluster;
        let within = |a: usize| self.id[a] % cluster[a];
        let uniform = match special {
            Special::Tid(a) => {
                return lane(&|lane| {
                    let thread = warp * 32 + lane;
                    match axis(a) {
                        0 => thread % threads[0],
                        1 => thread / threads[0] % threads[1],
                        _ => thread / threads[0] / threads[1],
                    }
                });
            }
            Special::LaneId => return lane(&|lane| lane),
            Special::LaneMaskEq => return lane(&|lane| 1 << lane),
            Special::LaneMaskLt => return lane(&|lane| (1 << lane) - 1),
            Special::LaneMaskLe => return lane(&|lane| u32::MAX >> (31 - lane)),
            Special::LaneMaskGe => return lane(&|lane| u32::MAX << lane),
            Special::LaneMaskGt => return lane(&|lane| u32::MAX << lane << 1),
            Special::Ntid(a) => threads[axis(a)],
            Special::CtaId(a) => self.id[axis(a)],
            Special::NctaId(a) => launch.grid[axis(a)],
            Special::ClusterId(a) => self.id[axis(a)] / cluster[axis(a)],
            Special::NclusterId(a) => launch.grid[axis(a)].div_ceil(cluster[axis(a)]),
            Special::ClusterCtaId(a) => within(axis(a)),
            Special::ClusterNctaId(a) => cluster[axis(a)],
            Special::ClusterCtaRank => self.rank,
            Special::ClusterNctaRank => cluster.iter().product(),
            Special::IsExplicitCluster => u32::from(launch.explicit_cluster()),
            Special::WarpId => warp,
            Special::NwarpId => launch.block_threads().div_ceil(32),
            Special::SmId => launch.block_number(self.id) % launch.multiprocessors,
            Special::NsmId => launch.multiprocessors,
            Special::DynamicSharedBytes => launch.dynamic_shared_bytes,
            Special::TotalSharedBytes => launch.shared_bytes(),
            // The others change while the kernel runs and are no constants.
            Special::GridId | Special::Clock | Special::GlobalTimer => 0,
        };
        [uniform; LANES]
    }

    /// The place of an address in `shared`, if so many bytes are there.
    #[inline]
    pub fn place(&self, address: u32, bytes: u32) -> Option<usize> {
        let start = shared::place(address).checked_sub(shared::START)? as usize;
        (start + bytes as usize <= self.shared.len()).then_some(start)
    }
}

/// Blocks that run together.
#[derive(Debug)]
pub struct Cluster {
    /// By rank.
    pub blocks: Vec<Block>,
    /// Phases of the cluster's barrier that have ended.
    pub phase: u64,
    /// Threads that have arrived in this phase.
    pub arrived: u32,
    /// Who knows of whose accesses.
    pub clocks: Clocks,
    /// What has been passed on to the barrier in this phase.
    pub passed: Knowledge,
    /// What had been when the last phase ended.
    pub done: Knowledge,
    /// Groups and phases of what is asynchronous.
    pub asynchronous: AsynchronousChecks,
    /// What was passed on through words of shared memory.
    pub passed_at: HashMap<(u32, u32), Knowledge>,
    /// What was passed on through words of global memory to the cluster, or to the block of a rank, alone.
    pub passed_within: HashMap<(Option<u32>, u64), Knowledge>,
    /// Whose turns are left out, if any are to be.
    pub delays: Option<Delays>,
}
