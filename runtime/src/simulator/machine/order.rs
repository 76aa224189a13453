//! What the checks are told: accesses, and what orders them.

pub mod asynchronous;
pub mod exit;

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::communicate::each;
use super::global::{Kind, offset};
use super::grid::Launch;
use super::memory::{ELEMENTS, Unknown, Values};
use super::poison::Source;
use super::shared::Places;
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::simulator::checks::clocks::{Knowledge, Role, WarpClock};
use crate::simulator::checks::global::GlobalShadow;
use crate::simulator::checks::shadow::{Actor, Conflict, Missing, Mode, PAGE, Record};
use crate::simulator::checks::{Asynchronous, Defect, Finding, Party, Space, Thread};
use crate::simulator::memory::{Allocation, View, shared};
use crate::simulator::program::op::{Access, Fence, Order, Scope};
use crate::simulator::registers::{LANES, Lanes64, Mask};

/// What the checks keep for all clusters of a launch.
#[derive(Debug)]
pub struct LaunchChecks {
    /// By the upper half of addresses.
    shadows: Vec<OnceLock<GlobalShadow>>,
    /// What was passed on through words of global memory.
    passed: Mutex<HashMap<u64, Knowledge>>,
}

impl LaunchChecks {
    /// For the memory that a launch sees.
    #[must_use]
    pub fn new(memory: &View) -> Self {
        Self {
            shadows: (0..memory.pieces()).map(|_| OnceLock::new()).collect(),
            passed: Mutex::default(),
        }
    }

    fn shadow(&self, memory: &Allocation) -> Option<&GlobalShadow> {
        let shadow = self.shadows.get((memory.address() >> 32) as usize)?;
        Some(shadow.get_or_init(|| GlobalShadow::new(memory.bytes())))
    }
}

/// Lanes whose write changes memory, of which `current` says what it holds. Lanes that write the
/// same to the same place count once.
fn changing(
    addresses: &Lanes64,
    lanes: Mask,
    values: &[Lanes64],
    bytes: u32,
    current: impl Fn(usize, usize) -> u64,
) -> Mask {
    let narrow = u64::MAX >> (64 - 8 * bytes);
    let mut changing = 0;
    for lane in each(lanes) {
        let changes = (0..)
            .zip(values)
            .any(|(element, values)| current(lane, element) != values[lane] & narrow);
        changing |= u32::from(changes) << lane;
    }
    let mut last = None;
    let rising = each(changing).all(|lane| {
        let rises = last.is_none_or(|last| addresses[lane] > last);
        last = Some(addresses[lane]);
        rises
    });
    if !rising {
        for lane in each(changing) {
            let first = each(changing & ((1 << lane) - 1)).find(|&other| {
                addresses[other] == addresses[lane]
                    && values
                        .iter()
                        .all(|values| (values[other] ^ values[lane]) & narrow == 0)
            });
            if first.is_some() {
                changing &= !(1 << lane);
            }
        }
    }
    changing
}

impl Machine<'_> {
    /// Lanes are about to access global memory; they are inside and aligned.
    pub fn before_global(
        &mut self,
        warp: &Warp,
        pc: u32,
        access: Access,
        memory: &Allocation,
        addresses: &Lanes64,
        lanes: Mask,
        kind: Kind,
        values: &[Lanes64],
    ) -> Checked<()> {
        if !self.launch.options.checks {
            return Ok(());
        }
        let base = memory.address();
        let bytes = (access.bytes * access.count) as usize;
        if !memory.initialised().all() {
            for lane in each(lanes) {
                let start = offset(addresses[lane], base);
                if kind == Kind::Store {
                    memory.initialise(start, bytes);
                } else if kind == Kind::Atomic && !memory.initialised().has(start, bytes) {
                    let defect = Defect::UninitialisedMemory {
                        space: Space::Global,
                        address: addresses[lane],
                        bytes: access.bytes * access.count,
                        of: self.name_of(base),
                        read: self.site(pc),
                        reaches: "is changed by an atomic".to_owned(),
                    };
                    return Err(self.finding(warp, pc, lane, defect));
                }
            }
        }
        let changes = match kind {
            Kind::Load => 0,
            Kind::Atomic => lanes,
            Kind::Store => changing(addresses, lanes, values, access.bytes, |lane, element| {
                let at = offset(addresses[lane], base) + element * access.bytes as usize;
                memory.load(at, access.bytes)
            }),
        };
        let mode = mode_of(kind, access);
        self.global_access(
            warp,
            pc,
            memory,
            addresses,
            lanes,
            bytes,
            kind != Kind::Load,
            changes,
            mode,
        )?;
        if matches!(mode, Mode::Atomic(_)) {
            let mut done = None;
            for lane in each(lanes) {
                if done != Some(addresses[lane]) {
                    done = Some(addresses[lane]);
                    self.pass_on_global(warp, addresses[lane], kind, access);
                }
            }
        }
        Ok(())
    }

    /// Tells the shadow of global memory of an access.
    pub fn global_access(
        &mut self,
        warp: &Warp,
        pc: u32,
        memory: &Allocation,
        addresses: &Lanes64,
        lanes: Mask,
        bytes: usize,
        writes: bool,
        changes: Mask,
        mode: Mode,
    ) -> Checked<()> {
        let launch = self.launch;
        let Some(shadow) = launch.checks.shadow(memory) else {
            return Ok(());
        };
        let base = memory.address();
        let clocks = &self.cluster.clocks;
        let actor = Actor {
            clocks,
            warp: clocks.warp(self.cluster.blocks[self.current].rank, warp.number),
            mode,
            pc,
            across: launch.entry.communicates,
        };
        let places: [usize; LANES] = addresses.map(|address| address.wrapping_sub(base) as usize);
        let mut rest = lanes;
        while rest != 0 {
            let page = places[rest.trailing_zeros() as usize] / PAGE;
            let here = rest
                & (0..LANES).fold(0, |mask, lane| {
                    mask | u32::from(places[lane] / PAGE == page) << lane
                });
            let conflict = shadow.with_page(page * PAGE, |page| {
                on_page(page, &actor, &places, here, bytes, writes, changes)
            });
            if let Some(conflict) = conflict {
                let address = base + (page * PAGE + conflict.byte) as u64;
                return Err(self.conflict(
                    warp,
                    pc,
                    &conflict,
                    Space::Global,
                    address,
                    bytes,
                    writes,
                    mode,
                ));
            }
            rest &= !here;
        }
        Ok(())
    }

    /// Lanes are about to access shared memory; they are inside and aligned.
    pub fn before_shared(
        &mut self,
        warp: &Warp,
        pc: u32,
        access: Access,
        places: &Places,
        addresses: &Lanes64,
        lanes: Mask,
        kind: Kind,
        values: &[Lanes64],
    ) -> Checked<()> {
        if !self.launch.options.checks {
            return Ok(());
        }
        let bytes = (access.bytes * access.count) as usize;
        for lane in each(lanes) {
            let (rank, place) = places[lane];
            let initialised = &mut self.cluster.blocks[rank as usize].initialised;
            if kind == Kind::Store {
                initialised.set(place as usize, bytes);
            } else if kind == Kind::Atomic && !initialised.has(place as usize, bytes) {
                let defect = Defect::UninitialisedMemory {
                    space: Space::Shared,
                    address: addresses[lane],
                    bytes: access.bytes * access.count,
                    of: "the program".to_owned(),
                    read: self.site(pc),
                    reaches: "is changed by an atomic".to_owned(),
                };
                return Err(self.finding(warp, pc, lane, defect));
            }
        }
        let flat = places.map(|(rank, place)| u64::from(rank) << 32 | u64::from(place));
        let changes = match kind {
            Kind::Load => 0,
            Kind::Atomic => lanes,
            Kind::Store => changing(&flat, lanes, values, access.bytes, |lane, element| {
                let (rank, place) = places[lane];
                let start = place as usize + element * access.bytes as usize;
                let memory = &self.cluster.blocks[rank as usize].shared;
                super::memory::little_endian(&memory[start..start + access.bytes as usize])
            }),
        };
        let mode = mode_of(kind, access);
        self.shared_access(
            warp,
            pc,
            places,
            lanes,
            bytes,
            kind != Kind::Load,
            changes,
            mode,
        )?;
        if matches!(mode, Mode::Atomic(_)) {
            let rank = self.cluster.blocks[self.current].rank;
            for lane in each(lanes) {
                let at = self.cluster.passed_at.entry(places[lane]).or_default();
                let clocks = &mut self.cluster.clocks;
                if kind != Kind::Store {
                    learn(clocks.warp_mut(rank, warp.number), at, access.order);
                }
                if kind != Kind::Load && releases(clocks.warp(rank, warp.number), access) {
                    clocks.release(rank, warp.number, at);
                }
            }
        }
        Ok(())
    }

    /// The bits that lanes load of an allocation and nobody wrote.
    pub fn unknown_global(
        &self,
        pc: u32,
        memory: &Allocation,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
    ) -> Unknown {
        let bytes = access.bytes * access.count;
        let start = |lane: usize| offset(addresses[lane], memory.address());
        let known = |lane: usize| memory.initialised().has(start(lane), bytes as usize);
        let first = each(lanes).find(|&lane| !known(lane))?;
        let source = Source {
            pc,
            space: Space::Global,
            address: addresses[first],
            bytes,
            of: self.name_of(memory.address()),
        };
        let has = |lane: usize, byte: usize| memory.initialised().has(start(lane) + byte, 1);
        Some(Box::new((unknown_bits(access, lanes, has), source)))
    }

    /// The bits that lanes load of shared memory and nobody wrote.
    pub fn unknown_shared(
        &self,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        places: &Places,
        lanes: Mask,
    ) -> Unknown {
        let bytes = access.bytes * access.count;
        let has = |lane: usize, byte: usize, bytes: usize| {
            let (rank, place) = places[lane];
            self.cluster.blocks[rank as usize]
                .initialised
                .has(place as usize + byte, bytes)
        };
        let first = each(lanes).find(|&lane| !has(lane, 0, bytes as usize))?;
        let source = Source {
            pc,
            space: Space::Shared,
            address: addresses[first],
            bytes,
            of: "the program".to_owned(),
        };
        Some(Box::new((
            unknown_bits(access, lanes, |lane, byte| has(lane, byte, 1)),
            source,
        )))
    }

    /// What lanes have just stored to shared memory is not known where bits are set.
    pub fn forget_shared(
        &mut self,
        addresses: &Lanes64,
        access: Access,
        lanes: Mask,
        unknown: &Values,
    ) {
        let own = self.cluster.blocks[self.current].rank;
        for lane in each(lanes) {
            #[allow(clippy::cast_possible_truncation)] // shared addresses have 32 bits
            let address = addresses[lane] as u32;
            let rank = shared::rank(address).unwrap_or(own);
            let start = (shared::place(address) - shared::START) as usize;
            for (element, unknown) in unknown[..access.count as usize].iter().enumerate() {
                for byte in 0..access.bytes as usize {
                    if unknown[lane] >> (8 * byte) & 0xff != 0 {
                        let at = start + element * access.bytes as usize + byte;
                        self.cluster.blocks[rank as usize].initialised.unset(at);
                    }
                }
            }
        }
    }

    /// Tells the shadow of shared memory of an access.
    pub fn shared_access(
        &mut self,
        warp: &Warp,
        pc: u32,
        places: &Places,
        lanes: Mask,
        bytes: usize,
        writes: bool,
        changes: Mask,
        mode: Mode,
    ) -> Checked<()> {
        let own = self.cluster.blocks[self.current].rank;
        let flat: [usize; LANES] = places.map(|(_, place)| place as usize);
        let mut rest = lanes;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let (rank, page) = (places[first].0, flat[first] / PAGE);
            let here = rest
                & (0..LANES).fold(0, |mask, lane| {
                    mask | u32::from(places[lane].0 == rank && flat[lane] / PAGE == page) << lane
                });
            let super::block::Cluster { blocks, clocks, .. } = &mut self.cluster;
            let clocks = &*clocks;
            let actor = Actor {
                clocks,
                warp: clocks.warp(own, warp.number),
                mode,
                pc,
                across: false,
            };
            let shadow = &mut blocks[rank as usize].shadow;
            if shadow.len() <= page {
                shadow.resize_with(page + 1, Default::default);
            }
            if let Some(conflict) = on_page(
                &mut shadow[page],
                &actor,
                &flat,
                here,
                bytes,
                writes,
                changes,
            ) {
                let place = shared::START + u32::try_from(page * PAGE + conflict.byte).unwrap_or(0);
                let address = if rank == own {
                    place
                } else {
                    shared::of_rank(place, rank)
                };
                return Err(self.conflict(
                    warp,
                    pc,
                    &conflict,
                    Space::Shared,
                    address.into(),
                    bytes,
                    writes,
                    mode,
                ));
            }
            if rank != own {
                #[allow(clippy::cast_possible_truncation)] // less than 32
                let record = actor.record(first as u8);
                let remote = &mut blocks[rank as usize].remote;
                remote.insert(record.agent, (record, writes));
            }
            rest &= !here;
        }
        Ok(())
    }

    /// A conflict as a finding.
    fn conflict(
        &self,
        warp: &Warp,
        pc: u32,
        conflict: &Conflict,
        space: Space,
        address: u64,
        bytes: usize,
        write: bool,
        mode: Mode,
    ) -> Box<Finding> {
        let lane = usize::from(conflict.lane);
        let (asynchronous, party) = self.party(&conflict.earlier, conflict.wrote);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let earlier = party;
        let defect = match (conflict.missing, asynchronous) {
            (Missing::ProxyFence, _) => Defect::MissingProxyFence {
                earlier,
                write,
                space,
                address,
                bytes,
            },
            (Missing::Order, Some(what)) => Defect::AsyncNotWaited {
                what,
                earlier,
                write,
                space,
                address,
                bytes,
            },
            (Missing::Order, None) => Defect::Race {
                earlier,
                write,
                atomic: matches!(mode, Mode::Atomic(_)),
                space,
                address,
                bytes,
            },
        };
        self.finding(warp, pc, lane, defect)
    }

    pub fn party(&self, record: &Record, wrote: bool) -> (Option<Asynchronous>, Party) {
        let launch = self.launch;
        let warps = launch.block_threads().div_ceil(32);
        let own = record.cluster == self.cluster.clocks.cluster();
        let agent = u32::from(record.agent);
        let role = match self.cluster.clocks.role(record.agent) {
            Some(role) if own => role,
            _ => Role::Warp(agent / warps % launch.cluster_blocks(), agent % warps),
        };
        let (rank, number, asynchronous) = match role {
            Role::Warp(rank, warp) => (rank, warp, None),
            Role::Copies(rank, warp) => (rank, warp, Some(Asynchronous::CpAsync)),
            Role::BulkCopies(rank, warp) | Role::BulkWrites(rank, warp) => {
                (rank, warp, Some(Asynchronous::BulkStore))
            }
            Role::Wgmma(rank, warp) => (rank, warp, Some(Asynchronous::Wgmma)),
            Role::Mbarrier(rank, _) => (rank, 0, Some(Asynchronous::BulkLoad)),
        };
        let party = Party {
            write: wrote,
            atomic: record.is_atomic(),
            program: launch.block_of(record.cluster, rank),
            thread: match role {
                Role::Mbarrier(..) => Thread::default(),
                _ => self.thread(number, record.lane.into()),
            },
            site: self.site(record.pc),
            asynchronous,
        };
        (asynchronous, party)
    }

    /// A warp has arrived at a barrier of its block; whether it waits, and whether all have come.
    pub fn order_barrier(&mut self, warp: &Warp, barrier: u32, waits: bool, over: bool) {
        if !self.launch.options.checks {
            return;
        }
        let super::block::Cluster { blocks, clocks, .. } = &mut self.cluster;
        let block = &mut blocks[self.current];
        let state = &mut block.barriers[barrier as usize];
        clocks.release(block.rank, warp.number, &mut state.passed);
        if waits {
            state.waiting.push(warp.number);
        }
        if over {
            let passed = std::mem::take(&mut state.passed);
            for number in std::mem::take(&mut state.waiting) {
                let waiting = clocks.warp_mut(block.rank, number);
                waiting.acquire(&passed);
                waiting.sync();
            }
        }
    }

    /// A warp has arrived at the barrier of the cluster; whether all have come.
    pub fn order_cluster_arrive(&mut self, warp: &Warp, release: bool, over: bool) {
        let super::block::Cluster {
            blocks,
            clocks,
            passed,
            done,
            ..
        } = &mut self.cluster;
        // A relaxed arrival after a fence releases as well. That of `fence.mbarrier_init` does so
        // only for the making of mbarriers; here it does for all.
        if release
            || clocks
                .warp(blocks[self.current].rank, warp.number)
                .fence()
                .is_some_and(|scope| scope >= Scope::Cluster)
        {
            clocks.release(blocks[self.current].rank, warp.number, passed);
        }
        if over {
            *done = std::mem::take(passed);
        }
    }

    /// A warp has waited at the barrier of the cluster.
    pub fn order_cluster_wait(&mut self, warp: &Warp) {
        let super::block::Cluster {
            blocks,
            clocks,
            done,
            ..
        } = &mut self.cluster;
        let waiting = clocks.warp_mut(blocks[self.current].rank, warp.number);
        waiting.acquire(done);
        waiting.sync();
    }

    /// `bar.warp.sync`
    pub fn warp_barrier(&mut self, warp: &Warp, lanes: Mask) {
        // Of the lanes that are not named nothing is known; taking them in hides what they do.
        let _ = lanes;
        let rank = self.cluster.blocks[self.current].rank;
        self.cluster.clocks.warp_mut(rank, warp.number).sync();
    }

    /// `membar`, `fence`.
    pub fn fence(&mut self, warp: &Warp, fence: Fence) {
        let rank = self.cluster.blocks[self.current].rank;
        let clock = self.cluster.clocks.warp_mut(rank, warp.number);
        match fence {
            Fence::Memory(scope) => clock.fence_memory(scope),
            Fence::BarrierInit => clock.fence_memory(Scope::Cluster),
            Fence::AsyncProxy => clock.fence_proxy(),
            Fence::OtherProxy => {}
        }
    }

    /// The cluster has ended.
    pub fn at_end(&mut self) -> Checked<()> {
        for block in &self.cluster.blocks {
            self.counters.steps += block.steps;
        }
        Ok(())
    }
}

/// For each element and lane the bits of bytes that have no value.
fn unknown_bits(access: Access, lanes: Mask, has: impl Fn(usize, usize) -> bool) -> Values {
    let mut unknown = [[0; LANES]; ELEMENTS];
    for (element, unknown) in unknown[..access.count as usize].iter_mut().enumerate() {
        for lane in each(lanes) {
            for byte in 0..access.bytes as usize {
                if !has(lane, element * access.bytes as usize + byte) {
                    unknown[lane] |= 0xff << (8 * byte);
                }
            }
        }
    }
    unknown
}

fn on_page(
    page: &mut crate::simulator::checks::shadow::Page,
    actor: &Actor<'_>,
    places: &[usize; LANES],
    lanes: Mask,
    bytes: usize,
    writes: bool,
    changes: Mask,
) -> Option<Conflict> {
    // Whatever is not a multiple of 4 is a power of two, or comes from one copy.
    let alignment = match lanes.count_ones() {
        1 => 1 << (bytes | places[lanes.trailing_zeros() as usize] | 4).trailing_zeros(),
        _ => bytes,
    };
    #[allow(clippy::cast_possible_truncation)] // less than 32
    let at = |lane: usize| (places[lane] % PAGE, lane as u8);
    if writes {
        let lanes = each(lanes).map(|lane| {
            let (byte, number) = at(lane);
            (byte, number, changes >> lane & 1 == 1)
        });
        page.write(actor, lanes, bytes, alignment)
    } else {
        page.read(actor, each(lanes).map(at), bytes, alignment)
    }
}

const fn mode_of(kind: Kind, access: Access) -> Mode {
    if matches!(kind, Kind::Atomic) || !matches!(access.order, Order::Weak) {
        Mode::Atomic(access.scope)
    } else {
        Mode::Generic
    }
}

/// What a read of an atomic or ordered access learns.
fn learn(clock: &mut WarpClock, at: &Knowledge, order: Order) {
    match order {
        Order::Acquire | Order::AcquireRelease => clock.acquire(at),
        _ => clock.see(at),
    }
}

/// Whether a write of an atomic or ordered access passes on what its warp knows.
fn releases(clock: &WarpClock, access: Access) -> bool {
    matches!(access.order, Order::Release | Order::AcquireRelease)
        || clock.fence().is_some_and(|fence| fence >= access.scope)
}

impl Machine<'_> {
    /// What an atomic or ordered access at a word of global memory passes on, and learns. Those that are not for the whole
    /// device pass it on to their cluster, or to their block.
    fn pass_on_global(&mut self, warp: &Warp, address: u64, kind: Kind, access: Access) {
        let rank = self.cluster.blocks[self.current].rank;
        let cluster = self.cluster.clocks.cluster();
        let own = self.cluster.clocks.warp(rank, warp.number);
        let releases = kind != Kind::Load && releases(own, access);
        let places = [(None, address), (Some(rank), address)];
        let mut passed = self
            .launch
            .checks
            .passed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if kind != Kind::Store {
            let clock = self.cluster.clocks.warp_mut(rank, warp.number);
            if let Some(at) = passed.get(&address) {
                let mut at = at.in_cluster(cluster);
                if access.scope != Scope::Device {
                    at = at.of_own_cluster();
                }
                learn(clock, &at, access.order);
            }
            let visible = if access.scope == Scope::Block { 1 } else { 0 };
            for place in &places[visible..] {
                if let Some(at) = self.cluster.passed_within.get(place) {
                    learn(clock, at, access.order);
                }
            }
        }
        if releases {
            let clocks = &mut self.cluster.clocks;
            let place = match access.scope {
                Scope::Device => {
                    let at = passed.entry(address).or_default();
                    clocks.release_to_all(rank, warp.number, at);
                    return;
                }
                Scope::Cluster => places[0],
                Scope::Block => places[1],
            };
            let at = self.cluster.passed_within.entry(place).or_default();
            clocks.release(rank, warp.number, at);
        }
    }
}

impl Launch<'_> {
    /// The block of that rank in a cluster.
    #[must_use]
    pub fn block_of(&self, cluster: u32, rank: u32) -> [u32; 3] {
        let across = [0, 1].map(|axis| self.grid[axis] / self.cluster[axis]);
        let corner = [
            cluster % across[0],
            cluster / across[0] % across[1],
            cluster / across[0] / across[1],
        ];
        let size = self.cluster;
        let within = [
            rank % size[0],
            rank / size[0] % size[1],
            rank / size[0] / size[1],
        ];
        std::array::from_fn(|axis| corner[axis] * size[axis] + within[axis])
    }
}
