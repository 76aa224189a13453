//! What the checks are told of asynchronous work: what it reads and writes, the groups that it is
//! in, and the waits for it.
//!
//! The machine does asynchronous work when it is issued. That it may happen later is up to the
//! checks: an access by an [`Agent`] is ordered after what its thread did before issuing it, and
//! before nothing but what follows the wait that covers it.

use crate::simulator::machine::global::Kind;
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::program::op::asynchronous::{Queue, Wait};
use crate::simulator::registers::Mask;

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
    /// current when it is issued. [`order_complete`](Machine::order_complete) follows.
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

impl Machine<'_> {
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
        let _ = (warp, pc, lane, agent, region, kind);
        Ok(())
    }

    /// Lanes close the group that is open in a queue.
    pub fn order_commit(&mut self, warp: &mut Warp, lanes: Mask, queue: Queue) {
        let _ = (warp, lanes, queue);
    }

    /// Lanes have waited for groups of a queue.
    pub fn order_wait(&mut self, warp: &mut Warp, lanes: Mask, wait: Wait) {
        let _ = (warp, lanes, wait);
    }

    /// A lane makes an mbarrier, or ends its life.
    pub fn order_mbarrier(&mut self, warp: &mut Warp, lane: usize, place: SharedPlace, live: bool) {
        let _ = (warp, lane, place, live);
    }

    /// A lane arrives at the current phase of an mbarrier; whether it releases what it wrote.
    pub fn order_arrive(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        place: SharedPlace,
        releases: bool,
    ) {
        let _ = (warp, lane, place, releases);
    }

    /// All `cp.async` that a lane has issued so far arrive at the current phase of an mbarrier:
    /// whoever waits for it waits for them.
    pub fn order_copies_arrive(&mut self, warp: &mut Warp, lane: usize, place: SharedPlace) {
        let _ = (warp, lane, place);
    }

    /// Bytes of an asynchronous copy, that a lane issued, complete on the current phase of an
    /// mbarrier.
    pub fn order_complete(&mut self, warp: &Warp, lane: usize, place: SharedPlace, bytes: u32) {
        let _ = (warp, lane, place, bytes);
    }

    /// A phase of an mbarrier has ended: all arrivals and bytes are there. Phases are counted from
    /// 0.
    pub fn order_phase_end(&mut self, place: SharedPlace, phase: u64) {
        let _ = (place, phase);
    }

    /// A lane has seen that a phase of an mbarrier has ended; whether it acquires what others
    /// released.
    pub fn order_mbarrier_wait(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        place: SharedPlace,
        phase: u64,
        acquires: bool,
    ) {
        let _ = (warp, lane, place, phase, acquires);
    }
}
