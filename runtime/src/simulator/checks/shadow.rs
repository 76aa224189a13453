//! For every byte that a kernel touches: who wrote it last, and who has read it since.
//!
//! Bytes are kept in cells of 4, which split when narrower accesses come. Cells are in pages that
//! are made when they are first touched, so memory grows with what a kernel touches.
//!
//! What is reported does not depend on the order in which clusters run: two accesses of different
//! clusters conflict unless an atomic passed on that one is over, and those kernels run on one
//! thread.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::clocks::{Agent, Clocks, ClusterNumber, Role, WarpClock};
use crate::simulator::program::op::Scope;

/// Bytes of memory that a page describes.
pub const PAGE: usize = 4096;

/// An access that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Its cluster.
    pub cluster: ClusterNumber,
    /// Its agent there.
    pub agent: Agent,
    /// The lane of the warp.
    pub lane: u8,
    flags: u8,
    /// The agent's clock; 0 if nothing happened.
    clock: u32,
    /// The instruction.
    pub pc: u32,
}

/// The access was atomic.
const ATOMIC: u8 = 1;
/// The asynchronous proxy did it.
const ASYNC: u8 = 2;
/// Several lanes of the warp did it.
const LANES: u8 = 4;
/// `clock` is the number of a set of readers; the rest is the last of them.
const SET: u8 = 8;
/// It was atomic among the threads of its block alone.
const IN_BLOCK: u8 = 16;
/// It was atomic among the threads of its cluster alone.
const IN_CLUSTER: u8 = 32;

impl Record {
    const NONE: Self = Self {
        cluster: 0,
        agent: 0,
        lane: 0,
        flags: 0,
        clock: 0,
        pc: 0,
    };

    /// Whether it was atomic.
    #[must_use]
    pub const fn is_atomic(&self) -> bool {
        self.flags & ATOMIC != 0
    }

    /// The agent's clock when it happened.
    #[must_use]
    pub const fn clock(&self) -> u32 {
        self.clock
    }

    const fn exists(&self) -> bool {
        self.clock != 0 || self.flags & SET != 0
    }

    /// Whether the same thread did it, or the same warp did it at the same instruction.
    #[inline]
    const fn same_thread(&self, other: &Self) -> bool {
        self.cluster == other.cluster
            && self.agent == other.agent
            && self.lane == other.lane
            && self.flags & (LANES | SET) == 0
    }
}

/// How an access is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By the warp itself.
    Generic,
    /// By the warp itself, in one step with others of the scope.
    Atomic(Scope),
    /// By something asynchronous that works for the warp, in the generic proxy: `cp.async`.
    Copy {
        /// Who.
        agent: Agent,
        /// Its clock when it is done.
        clock: u32,
        /// Whether it combines, in one step, with what is there.
        atomic: bool,
    },
    /// By something asynchronous, in the asynchronous proxy: bulk copies, `wgmma`.
    Async {
        /// Who.
        agent: Agent,
        /// Its clock when it is done.
        clock: u32,
        /// Whether it combines, in one step, with what is there.
        atomic: bool,
    },
}

impl Mode {
    /// Whether the thread itself does it, so that what it does next comes after it. Asynchronous
    /// work is in no order, that of one thread neither (PTX ISA, "cp.async").
    const fn is_synchronous(self) -> bool {
        matches!(self, Self::Generic | Self::Atomic(_))
    }
}

/// Who accesses memory now.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// What the cluster's warps know.
    pub clocks: &'a Clocks,
    /// The warp that does it or asks for it.
    pub warp: &'a WarpClock,
    /// How.
    pub mode: Mode,
    /// The instruction.
    pub pc: u32,
    /// Whether readers of other clusters are kept one by one: programs may pass on that they are
    /// done.
    pub across: bool,
}

/// Two accesses that nothing orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The one that came before.
    pub earlier: Record,
    /// Whether that one wrote.
    pub wrote: bool,
    /// What is missing.
    pub missing: Missing,
    /// The first byte, within the page.
    pub byte: usize,
    /// The lane of the later one.
    pub lane: u8,
}

/// What would have ordered two accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// A barrier, or any other order between threads.
    Order,
    /// `fence.proxy.async`.
    ProxyFence,
}

/// Who has read a cell: in a kernel whose programs wait for each other all of them may have.
type Readers = BTreeMap<(ClusterNumber, Agent), Record>;

/// Who has touched a page.
#[derive(Debug, Default)]
pub struct Page {
    /// Bytes of a cell: 4, 2 or 1. 0: there are none yet.
    granule: usize,
    writes: Vec<Record>,
    reads: Vec<Record>,
    sets: Vec<Readers>,
    free: Vec<u32>,
}

impl Actor<'_> {
    /// Whether each of two atomic accesses is in the scope of the other (PTX ISA, 8.6 "morally strong").
    fn are_in_scope(&self, earlier: &Record, now: &Record) -> bool {
        let narrow = (earlier.flags | now.flags) & (IN_BLOCK | IN_CLUSTER);
        let rank = |record: &Record| self.clocks.role(record.agent).map(Role::rank);
        match narrow {
            0 => true,
            _ if earlier.cluster != now.cluster => false,
            IN_CLUSTER => true,
            _ => rank(earlier) == rank(now),
        }
    }

    /// What is kept of the access of a lane.
    #[inline]
    #[must_use]
    pub fn record(&self, lane: u8) -> Record {
        let (agent, clock, flags) = match self.mode {
            Mode::Generic => (self.warp.agent(), self.warp.clock(), 0),
            Mode::Atomic(scope) => {
                let narrow = match scope {
                    Scope::Block => IN_BLOCK,
                    Scope::Cluster => IN_CLUSTER,
                    Scope::Device => 0,
                };
                (self.warp.agent(), self.warp.clock(), ATOMIC | narrow)
            }
            Mode::Copy { agent, clock, .. } => (agent, clock, 0),
            Mode::Async { agent, clock, .. } => (agent, clock, ASYNC),
        };
        let flags = match self.mode {
            Mode::Copy { atomic: true, .. } | Mode::Async { atomic: true, .. } => flags | ATOMIC,
            _ => flags,
        };
        Record {
            cluster: self.clocks.cluster(),
            agent,
            lane,
            flags,
            clock,
            pc: self.pc,
        }
    }

    /// What is missing between an access that happened and one that happens now.
    #[inline]
    fn missing(&self, earlier: &Record, now: &Record, wrote: bool) -> Option<Missing> {
        if earlier.is_atomic() && now.is_atomic() && self.are_in_scope(earlier, now) {
            return None;
        }
        if earlier.cluster != now.cluster {
            let known = self
                .warp
                .knows_foreign(earlier.cluster, earlier.agent, earlier.clock);
            return (!known).then_some(Missing::Order);
        }
        let known = if earlier.agent == self.warp.agent() {
            // The thread itself, or a lane of its warp that has synchronised since.
            earlier.lane == now.lane && earlier.flags & LANES == 0
                || earlier.clock < self.warp.synced()
        } else {
            // What an agent did for the same group is in order.
            self.warp.knows(earlier.agent, earlier.clock)
                || earlier.agent == now.agent && earlier.clock == now.clock && !wrote
        };
        if !known {
            return Some(Missing::Order);
        }
        // What the generic proxy wrote, the asynchronous one sees after a fence. Who writes behind
        // a read needs none (PTX ISA, 8.9.2).
        let crosses = now.flags & ASYNC != 0 && earlier.flags & ASYNC == 0 && wrote;
        let is_warp = matches!(self.clocks.role(earlier.agent), Some(Role::Warp(..)));
        if crosses && !self.warp.fenced(earlier.agent, earlier.clock) && is_warp {
            return Some(Missing::ProxyFence);
        }
        None
    }
}

impl Page {
    /// Lanes read: for each the first byte within the page, its lane and how many bytes. All begin
    /// at multiples of `alignment`, and so do the bytes behind them.
    pub fn read(
        &mut self,
        actor: &Actor<'_>,
        lanes: impl Iterator<Item = (usize, u8)>,
        bytes: usize,
        alignment: usize,
    ) -> Option<Conflict> {
        self.prepare(alignment);
        if self.reads.is_empty() {
            self.reads = vec![Record::NONE; PAGE / self.granule];
        }
        let shift = self.granule.trailing_zeros();
        let mut now = actor.record(0);
        let itself = actor.mode.is_synchronous();
        for (byte, lane) in lanes {
            now.lane = lane;
            for cell in byte >> shift..=(byte + bytes - 1) >> shift {
                if let Some(write) = self.writes.get(cell).filter(|write| write.exists())
                    && !(itself && write.same_thread(&now))
                    && let Some(missing) = actor.missing(write, &now, true)
                {
                    return Some(Conflict {
                        earlier: *write,
                        wrote: true,
                        missing,
                        byte: cell << shift,
                        lane,
                    });
                }
                self.note_read(actor, cell, now);
            }
        }
        None
    }

    /// Lanes write: for each the first byte within the page, its lane, and whether it changes
    /// what is there. Writing what is there already conflicts with nothing.
    pub fn write(
        &mut self,
        actor: &Actor<'_>,
        lanes: impl Iterator<Item = (usize, u8, bool)>,
        bytes: usize,
        alignment: usize,
    ) -> Option<Conflict> {
        self.prepare(alignment);
        if self.writes.is_empty() {
            self.writes = vec![Record::NONE; PAGE / self.granule];
        }
        let shift = self.granule.trailing_zeros();
        let mut now = actor.record(0);
        let itself = actor.mode.is_synchronous();
        for (byte, lane, changes) in lanes {
            now.lane = lane;
            for cell in byte >> shift..=(byte + bytes - 1) >> shift {
                let write = self.writes[cell];
                if write.exists()
                    && !(itself && write.same_thread(&now))
                    && changes
                    && let Some(missing) = actor.missing(&write, &now, true)
                {
                    return Some(Conflict {
                        earlier: write,
                        wrote: true,
                        missing,
                        byte: cell << shift,
                        lane,
                    });
                }
                if changes && let Some(read) = self.reads.get(cell).copied().filter(Record::exists)
                {
                    if let Some(read) = self.unordered_read(actor, read, &now) {
                        return Some(Conflict {
                            earlier: read,
                            wrote: false,
                            missing: Missing::Order,
                            byte: cell << shift,
                            lane,
                        });
                    }
                    if read.flags & SET != 0 {
                        self.sets[read.clock as usize].clear();
                        self.free.push(read.clock);
                    }
                    self.reads[cell] = Record::NONE;
                }
                // An atomic access right behind the thread's own store does not hide it: others
                // know both or neither, and conflict with the store even if they are atomic.
                let behind = write.same_thread(&now) && write.clock == now.clock;
                let hides = behind && now.is_atomic() && !write.is_atomic();
                if !write.exists() || changes && !hides {
                    self.writes[cell] = now;
                }
            }
        }
        None
    }

    fn unordered_read(&self, actor: &Actor<'_>, read: Record, now: &Record) -> Option<Record> {
        if read.flags & SET == 0 {
            let conflict = !read.same_thread(now) && actor.missing(&read, now, false).is_some();
            return conflict.then_some(read);
        }
        let set = &self.sets[read.clock as usize];
        set.values()
            .copied()
            .find(|read| !read.same_thread(now) && actor.missing(read, now, false).is_some())
    }

    /// Keeps a read. Those that happened before it need no longer be kept: whoever comes after this
    /// one comes after them.
    #[inline]
    fn note_read(&mut self, actor: &Actor<'_>, cell: usize, now: Record) {
        let read = &mut self.reads[cell];
        if !read.exists() || read.same_thread(&now) {
            *read = now;
            return;
        }
        if read.flags & SET == 0 {
            if read.cluster == now.cluster && read.agent == now.agent {
                // Another lane. An earlier clock that all lanes are past is of no interest.
                let together =
                    read.clock >= actor.warp.synced() || read.agent != actor.warp.agent();
                *read = now;
                if together {
                    read.flags |= LANES;
                }
                return;
            }
            if read.cluster == now.cluster && actor.warp.knows(read.agent, read.clock) {
                *read = now;
                return;
            }
            // One of another cluster stays for all: whoever writes conflicts with it.
            if read.cluster != now.cluster && !actor.across {
                return;
            }
            let first = *read;
            let number = self.free.pop().unwrap_or_else(|| {
                self.sets.push(Readers::new());
                u32::try_from(self.sets.len() - 1).unwrap_or(0)
            });
            let both = [first, now].map(|read| ((read.cluster, read.agent), read));
            self.sets[number as usize].extend(both);
            self.reads[cell] = Record {
                clock: number,
                flags: SET,
                ..now
            };
            return;
        }
        let set = &mut self.sets[read.clock as usize];
        match set.entry((now.cluster, now.agent)) {
            Entry::Occupied(mut entry) => {
                let read = entry.get_mut();
                // What all lanes of the warp are past is of no interest.
                let past = read.agent == actor.warp.agent() && read.clock < actor.warp.synced();
                let lanes = if past {
                    0
                } else if read.lane == now.lane {
                    read.flags & LANES
                } else {
                    LANES
                };
                *read = now;
                read.flags |= lanes;
            }
            Entry::Vacant(entry) => {
                entry.insert(now);
            }
        }
    }

    /// Makes cells narrow enough for an access.
    fn prepare(&mut self, alignment: usize) {
        let wanted = alignment.clamp(1, 4);
        if self.granule == 0 {
            self.granule = wanted;
        }
        while self.granule > wanted {
            self.granule /= 2;
            for cells in [&mut self.writes, &mut self.reads] {
                *cells = cells.iter().flat_map(|cell| [*cell; 2]).collect();
            }
            // A set belongs to one cell.
            for cell in 0..self.reads.len() {
                let read = self.reads[cell];
                if cell % 2 == 1 && read.flags & SET != 0 {
                    let copy = self.sets[read.clock as usize].clone();
                    self.sets.push(copy);
                    self.reads[cell].clock = u32::try_from(self.sets.len() - 1).unwrap_or(0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::checks::clocks::Knowledge;

    /// Two warps of a block, and a page they share.
    struct Scene {
        clocks: Clocks,
        page: Page,
    }

    impl Scene {
        fn new() -> Self {
            Self {
                clocks: Clocks::new(0, 1, 2),
                page: Page::default(),
            }
        }

        fn actor(&self, warp: u32, mode: Mode) -> Actor<'_> {
            Actor {
                clocks: &self.clocks,
                warp: self.clocks.warp(0, warp),
                mode,
                pc: 0,
                across: false,
            }
        }

        fn read(&mut self, warp: u32, lane: u8, byte: usize, bytes: usize) -> Option<Missing> {
            self.read_as(warp, lane, byte, bytes, Mode::Generic)
        }

        fn read_as(
            &mut self,
            warp: u32,
            lane: u8,
            byte: usize,
            bytes: usize,
            mode: Mode,
        ) -> Option<Missing> {
            let mut page = std::mem::take(&mut self.page);
            let conflict = page.read(
                &self.actor(warp, mode),
                [(byte, lane)].into_iter(),
                bytes,
                bytes,
            );
            self.page = page;
            conflict.map(|conflict| conflict.missing)
        }

        fn write(&mut self, warp: u32, lane: u8, byte: usize, bytes: usize) -> Option<Missing> {
            self.write_as(warp, lane, byte, bytes, Mode::Generic)
        }

        fn write_as(
            &mut self,
            warp: u32,
            lane: u8,
            byte: usize,
            bytes: usize,
            mode: Mode,
        ) -> Option<Missing> {
            let mut page = std::mem::take(&mut self.page);
            let lanes = [(byte, lane, true)].into_iter();
            let conflict = page.write(&self.actor(warp, mode), lanes, bytes, bytes);
            self.page = page;
            conflict.map(|conflict| conflict.missing)
        }

        fn barrier(&mut self) {
            let mut passed = Knowledge::default();
            for warp in 0..2 {
                self.clocks.release(0, warp, &mut passed);
            }
            for warp in 0..2 {
                self.clocks.warp_mut(0, warp).acquire(&passed);
                self.clocks.warp_mut(0, warp).sync();
            }
        }
    }

    #[test]
    fn a_barrier_orders() {
        let mut scene = Scene::new();
        assert_eq!(scene.write(0, 0, 8, 4), None);
        scene.barrier();
        assert_eq!(scene.read(1, 0, 8, 4), None);
        scene.barrier();
        assert_eq!(scene.write(0, 3, 8, 4), None);
        assert_eq!(scene.read(1, 0, 8, 4), Some(Missing::Order));
    }

    #[test]
    fn writing_behind_a_reader_is_a_race() {
        let mut scene = Scene::new();
        assert_eq!(scene.read(0, 0, 8, 4), None);
        assert_eq!(scene.read(1, 0, 8, 4), None);
        assert_eq!(scene.write(1, 0, 8, 4), Some(Missing::Order));
        scene.barrier();
        assert_eq!(scene.write(1, 0, 8, 4), None);
    }

    #[test]
    fn readers_before_a_barrier_do_not_hide_those_after_it() {
        let mut scene = Scene::new();
        assert_eq!(scene.read(0, 0, 8, 4), None);
        assert_eq!(scene.read(1, 0, 8, 4), None);
        scene.barrier();
        assert_eq!(scene.read(0, 0, 8, 4), None);
        assert_eq!(scene.write(1, 0, 8, 4), Some(Missing::Order));
    }

    #[test]
    fn who_reads_again_after_a_barrier_may_write() {
        let mut scene = Scene::new();
        for warp in [0, 1] {
            for lane in [0, 1] {
                assert_eq!(scene.read(warp, lane, 8, 4), None);
            }
        }
        scene.barrier();
        assert_eq!(scene.read(0, 0, 8, 4), None);
        assert_eq!(scene.write(0, 0, 8, 4), None);
        assert_eq!(scene.write(0, 1, 8, 4), Some(Missing::Order));
    }

    #[test]
    fn lanes_of_a_warp_need_a_sync_too() {
        let mut scene = Scene::new();
        assert_eq!(scene.write(0, 0, 8, 4), None);
        assert_eq!(scene.read(0, 0, 8, 4), None);
        assert_eq!(scene.read(0, 1, 8, 4), Some(Missing::Order));
        scene.clocks.warp_mut(0, 0).sync();
        assert_eq!(scene.read(0, 1, 8, 4), None);
        assert_eq!(scene.read(0, 2, 8, 4), None);
        assert_eq!(scene.write(0, 1, 8, 4), Some(Missing::Order));
        scene.clocks.warp_mut(0, 0).sync();
        assert_eq!(scene.write(0, 1, 8, 4), None);
    }

    #[test]
    fn neighbours_in_a_word_do_not_conflict() {
        let mut scene = Scene::new();
        assert_eq!(scene.write(0, 0, 8, 2), None);
        assert_eq!(scene.write(1, 0, 10, 2), None);
        assert_eq!(scene.write(1, 1, 9, 1), Some(Missing::Order));
        let mut scene = Scene::new();
        assert_eq!(scene.write(0, 0, 8, 4), None);
        assert_eq!(scene.write(1, 0, 12, 1), None);
        assert_eq!(scene.write(1, 0, 11, 1), Some(Missing::Order));
    }

    #[test]
    fn atomics_do_not_race_with_each_other() {
        let mut scene = Scene::new();
        assert_eq!(
            scene.write_as(0, 0, 8, 4, Mode::Atomic(Scope::Device)),
            None
        );
        assert_eq!(
            scene.write_as(1, 0, 8, 4, Mode::Atomic(Scope::Device)),
            None
        );
        assert_eq!(scene.read(0, 0, 8, 4), Some(Missing::Order));
    }

    #[test]
    fn an_atomic_does_not_hide_the_store_before_it() {
        let mut scene = Scene::new();
        assert_eq!(scene.write(0, 0, 8, 4), None);
        assert_eq!(
            scene.write_as(0, 0, 8, 4, Mode::Atomic(Scope::Device)),
            None
        );
        assert_eq!(
            scene.write_as(1, 0, 8, 4, Mode::Atomic(Scope::Device)),
            Some(Missing::Order)
        );
        scene.barrier();
        assert_eq!(
            scene.write_as(1, 0, 8, 4, Mode::Atomic(Scope::Device)),
            None
        );
    }

    #[test]
    fn asynchronous_reductions_do_not_race_with_each_other() {
        let mut scene = Scene::new();
        let agents = [0, 1].map(|warp| scene.clocks.agent(Role::BulkWrites(0, warp)));
        let [first, second] = agents.map(|agent| Mode::Async {
            agent,
            clock: 1,
            atomic: true,
        });
        assert_eq!(scene.write_as(0, 0, 8, 4, first), None);
        assert_eq!(scene.write_as(1, 0, 8, 4, second), None);
        assert_eq!(scene.write(1, 0, 8, 4), Some(Missing::Order));
    }

    #[test]
    fn the_asynchronous_proxy_wants_a_fence() {
        let mut scene = Scene::new();
        let agent = scene.clocks.agent(Role::Wgmma(0, 1));
        let wgmma = Mode::Async {
            agent,
            clock: 1,
            atomic: false,
        };
        assert_eq!(scene.write(0, 0, 8, 4), None);
        assert_eq!(scene.read_as(1, 0, 8, 4, wgmma), Some(Missing::Order));
        scene.barrier();
        assert_eq!(scene.read_as(1, 0, 8, 4, wgmma), Some(Missing::ProxyFence));
        scene.clocks.warp_mut(0, 0).fence_proxy();
        scene.barrier();
        assert_eq!(scene.read_as(1, 0, 8, 4, wgmma), None);
        // It may still read until it is waited for.
        scene.barrier();
        assert_eq!(scene.write(1, 0, 8, 4), Some(Missing::Order));
        scene.clocks.warp_mut(0, 1).learn(agent, 1);
        assert_eq!(scene.write(1, 0, 8, 4), None);
    }

    #[test]
    fn copies_of_one_thread_are_in_no_order() {
        let mut scene = Scene::new();
        let agent = scene.clocks.agent(Role::Copies(0, 0));
        let copy = |clock| Mode::Copy {
            agent,
            clock,
            atomic: false,
        };
        assert_eq!(scene.write_as(0, 0, 8, 4, copy(1)), None);
        assert_eq!(scene.write_as(0, 0, 8, 4, copy(2)), Some(Missing::Order));
        scene.clocks.warp_mut(0, 0).learn(agent, 1);
        assert_eq!(scene.write_as(0, 0, 8, 4, copy(2)), None);
    }

    #[test]
    fn a_copy_is_seen_by_whom_it_is_waited_for() {
        let mut scene = Scene::new();
        let agent = scene.clocks.agent(Role::Mbarrier(0, 0));
        let copy = Mode::Async {
            agent,
            clock: 1,
            atomic: false,
        };
        assert_eq!(scene.write_as(0, 0, 8, 4, copy), None);
        assert_eq!(scene.read(0, 0, 8, 4), Some(Missing::Order));
        scene.clocks.warp_mut(0, 1).learn(agent, 1);
        assert_eq!(scene.read(1, 0, 8, 4), None);
        assert_eq!(scene.read(0, 0, 8, 4), Some(Missing::Order));
    }

    #[test]
    fn programs_that_wait_for_each_other_are_kept_once_each() {
        let mut page = Page::default();
        let clusters: Vec<Clocks> = (0..3).map(|number| Clocks::new(number, 1, 1)).collect();
        for clocks in clusters.iter().chain(&clusters) {
            let actor = Actor {
                clocks,
                warp: clocks.warp(0, 0),
                mode: Mode::Generic,
                pc: 0,
                across: true,
            };
            assert_eq!(page.read(&actor, [(0, 0)].into_iter(), 4, 4), None);
        }
        let kept: Vec<ClusterNumber> = page.sets[0].values().map(|read| read.cluster).collect();
        assert_eq!(kept, [0, 1, 2]);
    }

    #[test]
    fn clusters_conflict_on_what_one_of_them_writes() {
        let mut page = Page::default();
        let clusters = [0, 1, 2].map(|number| Clocks::new(number, 1, 1));
        let actor = |number: usize| Actor {
            clocks: &clusters[number],
            warp: clusters[number].warp(0, 0),
            mode: Mode::Generic,
            pc: 0,
            across: false,
        };
        for number in 0..3 {
            assert_eq!(page.read(&actor(number), [(0, 0)].into_iter(), 4, 4), None);
        }
        assert!(
            page.write(&actor(0), [(0, 0, false)].into_iter(), 4, 4)
                .is_none()
        );
        assert!(
            page.write(&actor(1), [(0, 0, true)].into_iter(), 4, 4)
                .is_some()
        );
        assert!(
            page.write(&actor(0), [(4, 0, true)].into_iter(), 4, 4)
                .is_none()
        );
        assert!(page.read(&actor(1), [(4, 0)].into_iter(), 4, 4).is_some());
    }
}
