//! What the checks are told of asynchronous work: what it reads and writes, the groups that it is
//! in, and the waits for it.
//!
//! The machine does asynchronous work when it is issued. That it may happen later is up to the
//! checks: an access by an [`Agent`] is ordered after what its thread did before issuing it, and
//! before nothing but what follows the wait that covers it.

use std::collections::HashMap;

use crate::simulator::checks::clocks::{Agent as ClockAgent, Knowledge, Role};
use crate::simulator::checks::shadow::Mode;
use crate::simulator::checks::{Defect, Space};
use crate::simulator::machine::asynchronous::mbarrier;
use crate::simulator::machine::communicate::each;
use crate::simulator::machine::global::Kind;
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::memory::shared;
use crate::simulator::program::op::asynchronous::{Queue, Wait};
use crate::simulator::registers::{LANES, Mask};

/// A place in shared memory: the rank of the block in its cluster, and bytes from the start of its
/// shared memory.
pub type SharedPlace = (u32, u32);

/// Who accesses memory beside the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// `cp.async`, in the generic proxy: belongs to the group of its thread that is open in
    /// [`Queue::Copies`].
    Copy,
    /// A bulk copy, in the asynchronous proxy, that the phase of this mbarrier waits for which is
    /// current when it is issued.
    BulkOn(SharedPlace),
    /// A bulk copy, in the asynchronous proxy, that belongs to the group of its thread that is open
    /// in [`Queue::Bulk`].
    BulkGroup,
    /// A wgmma, in the asynchronous proxy, of the whole warpgroup: belongs to the group of each of
    /// its warps that is open in [`Queue::Wgmma`].
    Wgmma,
    /// `st.async`, `red.async`: as [`BulkOn`](Self::BulkOn), but in the generic proxy.
    StoreOn(SharedPlace),
}

/// Bytes that are accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Of shared memory.
    Shared {
        /// The first.
        place: SharedPlace,
        /// How many.
        bytes: u32,
    },
    /// Of global memory.
    Global {
        /// The first; all are in one allocation.
        address: u64,
        /// How many.
        bytes: u32,
    },
}

/// Groups of a queue of one warp. Each lane has its own, but lanes that commit together are what
/// kernels have, and what is kept here: the clock of the agent counts groups of the warp, and each
/// lane remembers which of them were its own.
#[derive(Debug, Clone)]
pub struct Groups {
    /// The clock of the group that is open.
    open: u32,
    /// The clocks of the groups that each lane has committed and not waited for.
    committed: Vec<Vec<u32>>,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            open: 1,
            committed: vec![Vec::new(); LANES],
        }
    }
}

/// What the checks keep of the asynchronous work of a cluster.
#[derive(Debug, Default)]
pub struct AsynchronousChecks {
    groups: HashMap<Role, Groups>,
    /// What was passed on to the current phase of an mbarrier, and to the one that ended last.
    phases: HashMap<SharedPlace, (Knowledge, Knowledge)>,
}

/// The role of a queue of a warp.
const fn role_of(queue: Queue, rank: u32, warp: u32) -> Role {
    match queue {
        Queue::Copies => Role::Copies(rank, warp),
        Queue::Bulk => Role::BulkCopies(rank, warp),
        Queue::Wgmma => Role::Wgmma(rank, warp),
    }
}

impl Machine<'_> {
    fn checks(&self) -> bool {
        self.launch.options.checks
    }

    fn rank(&self) -> u32 {
        self.cluster.blocks[self.current].rank
    }

    /// The agent of a queue's open group, and its clock.
    fn open_group(&mut self, warp: &Warp, queue: Queue) -> (ClockAgent, u32) {
        let role = role_of(queue, self.rank(), warp.number);
        let groups = self.cluster.asynchronous.groups.entry(role).or_default();
        (self.cluster.clocks.agent(role), groups.open)
    }

    /// The agent of an mbarrier, and its clock in the current phase.
    fn current_phase(&mut self, place: SharedPlace) -> (ClockAgent, u32) {
        let block = self.cluster.blocks.get(place.0 as usize);
        let object = block.and_then(|block| block.mbarriers.get(&place.1));
        let phase = object.map_or(0, |object| object.phase);
        let agent = self.cluster.clocks.agent(Role::Mbarrier(place.0, place.1));
        (agent, clock_of(phase))
    }

    /// An asynchronous access that a lane issues, before it happens. The bytes are inside and
    /// aligned. A wgmma is told of once, for lane 0 of the warp that came last.
    pub fn before_asynchronous(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        agent: Agent,
        region: Region,
        kind: Kind,
    ) -> Checked<()> {
        if !self.checks() {
            return Ok(());
        }
        let atomic = kind == Kind::Atomic;
        let mode = match agent {
            Agent::Copy => {
                let (agent, clock) = self.open_group(warp, Queue::Copies);
                Mode::Copy {
                    agent,
                    clock,
                    atomic,
                }
            }
            Agent::BulkOn(place) => {
                let (agent, clock) = self.current_phase(place);
                Mode::Async {
                    agent,
                    clock,
                    atomic,
                }
            }
            Agent::BulkGroup => {
                let (agent, clock) = self.open_group(warp, Queue::Bulk);
                // Writes are over later than reads: an agent of their own.
                let agent = match kind {
                    Kind::Load => agent,
                    _ => self
                        .cluster
                        .clocks
                        .agent(Role::BulkWrites(self.rank(), warp.number)),
                };
                Mode::Async {
                    agent,
                    clock,
                    atomic,
                }
            }
            Agent::Wgmma => {
                let (agent, clock) = self.open_group(warp, Queue::Wgmma);
                Mode::Async {
                    agent,
                    clock,
                    atomic,
                }
            }
            Agent::StoreOn(place) => {
                let (agent, clock) = self.current_phase(place);
                Mode::Copy {
                    agent,
                    clock,
                    atomic,
                }
            }
        };
        let writes = kind != Kind::Load;
        match region {
            Region::Shared { place, bytes } => {
                self.shared_region(warp, pc, lane, place, bytes, writes, mode)
            }
            Region::Global { address, bytes } => {
                self.global_region(warp, pc, lane, address, bytes, writes, mode)
            }
        }
    }

    fn shared_region(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        (rank, start): SharedPlace,
        bytes: u32,
        writes: bool,
        mode: Mode,
    ) -> Checked<()> {
        let initialised = &mut self.cluster.blocks[rank as usize].initialised;
        if writes {
            initialised.set(start as usize, bytes as usize);
        } else if !initialised.has(start as usize, bytes as usize) {
            let defect = Defect::UninitialisedMemory {
                space: Space::Shared,
                address: u64::from(shared::START + start),
                bytes,
                of: "the program".to_owned(),
                read: self.site(pc),
                reaches: "is used by something asynchronous".to_owned(),
            };
            return Err(self.finding(warp, pc, lane, defect));
        }
        for (start, bytes) in pieces(u64::from(start), bytes) {
            let mut places = [(0, 0); LANES];
            #[allow(clippy::cast_possible_truncation)] // shared memory has less than 2^24 bytes
            let place = start as u32;
            places[lane] = (rank, place);
            self.shared_access(warp, pc, &places, 1 << lane, bytes, writes, 1 << lane, mode)?;
        }
        Ok(())
    }

    fn global_region(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: u64,
        bytes: u32,
        writes: bool,
        mode: Mode,
    ) -> Checked<()> {
        let launch = self.launch;
        let Some(memory) = launch.memory.find(address) else {
            return Ok(());
        };
        for (start, bytes) in pieces(address - memory.address(), bytes) {
            #[allow(clippy::cast_possible_truncation)] // inside memory of the host
            let place = start as usize;
            if writes {
                memory.initialise(place, bytes);
            } else if !all_initialised(memory, place, bytes) {
                #[allow(clippy::cast_possible_truncation)] // a page at most
                let defect = Defect::UninitialisedMemory {
                    space: Space::Global,
                    address: memory.address() + start,
                    bytes: bytes as u32,
                    of: self.name_of(memory.address()),
                    read: self.site(pc),
                    reaches: "is used by something asynchronous".to_owned(),
                };
                return Err(self.finding(warp, pc, lane, defect));
            }
            let mut addresses = [0; LANES];
            addresses[lane] = memory.address() + start;
            self.global_access(
                warp,
                pc,
                memory,
                &addresses,
                1 << lane,
                bytes,
                writes,
                1 << lane,
                mode,
            )?;
        }
        Ok(())
    }

    /// Lanes close the group that is open in a queue.
    pub fn order_commit(&mut self, warp: &Warp, lanes: Mask, queue: Queue) {
        if !self.checks() {
            return;
        }
        let role = role_of(queue, self.rank(), warp.number);
        let groups = self.cluster.asynchronous.groups.entry(role).or_default();
        for lane in each(lanes) {
            groups.committed[lane].push(groups.open);
        }
        groups.open += 1;
    }

    /// Lanes have waited for groups of a queue.
    pub fn order_wait(&mut self, warp: &Warp, lanes: Mask, wait: Wait) {
        if !self.checks() {
            return;
        }
        let rank = self.rank();
        let role = role_of(wait.queue, rank, warp.number);
        let groups = self.cluster.asynchronous.groups.entry(role).or_default();
        let mut done = 0;
        for lane in each(lanes) {
            let committed = &mut groups.committed[lane];
            let over = committed
                .len()
                .saturating_sub(wait.pending.unwrap_or(0) as usize);
            if let Some(&last) = committed[..over].last() {
                done = done.max(last);
            }
            if !wait.reads_only {
                committed.drain(..over);
            }
        }
        if wait.pending.is_none() {
            done = done.max(groups.open);
            groups.open += 1;
        }
        let agent = self.cluster.clocks.agent(role);
        self.cluster
            .clocks
            .warp_mut(rank, warp.number)
            .learn(agent, done);
        if wait.queue == Queue::Bulk && !wait.reads_only {
            let agent = self
                .cluster
                .clocks
                .agent(Role::BulkWrites(rank, warp.number));
            self.cluster
                .clocks
                .warp_mut(rank, warp.number)
                .learn(agent, done);
        }
    }

    /// A lane makes an mbarrier, or ends its life.
    pub fn order_mbarrier(&mut self, place: SharedPlace) {
        self.cluster.asynchronous.phases.remove(&place);
    }

    /// A lane is about to use an mbarrier: its uses are atomic, but what makes it, or ends its life,
    /// is not, so that something must order the two.
    pub fn before_mbarrier(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        place: SharedPlace,
        mode: Mode,
    ) -> Checked<()> {
        if !self.checks() {
            return Ok(());
        }
        let mut places = [(0, 0); LANES];
        places[lane] = place;
        let bytes = mbarrier::BYTES as usize;
        self.shared_access(warp, pc, &places, 1 << lane, bytes, true, 1 << lane, mode)
    }

    /// A lane arrives at the current phase of an mbarrier; whether it releases what it wrote.
    pub fn order_arrive(&mut self, warp: &Warp, lane: usize, place: SharedPlace, releases: bool) {
        let _ = lane;
        if self.checks() && releases {
            let rank = self.rank();
            let (current, _) = self.cluster.asynchronous.phases.entry(place).or_default();
            self.cluster.clocks.release(rank, warp.number, current);
        }
    }

    /// All `cp.async` that a lane has issued so far arrive at the current phase of an mbarrier:
    /// whoever waits for it waits for them.
    pub fn order_copies_arrive(&mut self, warp: &Warp, lane: usize, place: SharedPlace) {
        let _ = lane;
        if !self.checks() {
            return;
        }
        let role = Role::Copies(self.rank(), warp.number);
        let agent = self.cluster.clocks.agent(role);
        let groups = self.cluster.asynchronous.groups.entry(role).or_default();
        let (current, _) = self.cluster.asynchronous.phases.entry(place).or_default();
        current.completes(agent, groups.open);
    }

    /// A phase of an mbarrier has ended: all arrivals and bytes are there. Phases are counted from
    /// 0.
    pub fn order_phase_end(&mut self, place: SharedPlace, phase: u64) {
        if !self.checks() {
            return;
        }
        let agent = self.cluster.clocks.agent(Role::Mbarrier(place.0, place.1));
        let (current, ended) = self.cluster.asynchronous.phases.entry(place).or_default();
        *ended = std::mem::take(current);
        ended.completes(agent, clock_of(phase));
    }

    /// A lane has seen that a phase of an mbarrier has ended; whether it acquires what others
    /// released.
    pub fn order_mbarrier_wait(
        &mut self,
        warp: &Warp,
        lane: usize,
        place: SharedPlace,
        phase: u64,
        acquires: bool,
    ) {
        let _ = (lane, phase);
        if !self.checks() {
            return;
        }
        let rank = self.rank();
        if let Some((_, ended)) = self.cluster.asynchronous.phases.get(&place) {
            let clock = self.cluster.clocks.warp_mut(rank, warp.number);
            if acquires {
                clock.acquire(ended);
            } else {
                clock.see(ended);
            }
        }
    }
}

/// The clock of an mbarrier's agent in a phase.
fn clock_of(phase: u64) -> u32 {
    u32::try_from(phase + 1).unwrap_or(u32::MAX)
}

/// The parts of a range that lie in one page each: first byte and how many.
fn pieces(start: u64, bytes: u32) -> impl Iterator<Item = (u64, usize)> {
    let (mut at, end) = (start, start + u64::from(bytes));
    let page = crate::simulator::checks::shadow::PAGE as u64;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let next = ((at / page + 1) * page).min(end);
            #[allow(clippy::cast_possible_truncation)] // a page at most
            let piece = (at, (next - at) as usize);
            at = next;
            piece
        })
    })
}

fn all_initialised(
    memory: &crate::simulator::memory::Allocation,
    start: usize,
    bytes: usize,
) -> bool {
    memory.initialised().all()
        || (start..start + bytes).all(|byte| memory.initialised().has(byte, 1))
}
