//! What the checks are told: accesses, and what orders them.

pub mod asynchronous;

use super::global::Kind;
use super::shared::Places;
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::simulator::memory::Allocation;
use crate::simulator::program::op::{Access, Fence};
use crate::simulator::registers::{Lanes64, Mask};

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
        let _ = (warp, pc, access, memory, addresses, lanes, kind, values);
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
        let _ = (warp, pc, access, places, addresses, lanes, kind, values);
        Ok(())
    }

    /// A warp has arrived at a barrier of its block; whether it waits, and whether all have come.
    pub fn order_barrier(&mut self, warp: &mut Warp, barrier: u32, waits: bool, over: bool) {
        let _ = (warp, barrier, waits, over);
    }

    /// A warp has arrived at the barrier of the cluster.
    pub fn order_cluster_arrive(&mut self, warp: &mut Warp, release: bool, over: bool) {
        let _ = (warp, release, over);
    }

    /// A warp has waited at the barrier of the cluster.
    pub fn order_cluster_wait(&mut self, warp: &mut Warp) {
        let _ = warp;
    }

    /// `bar.warp.sync`
    pub fn warp_barrier(&mut self, warp: &mut Warp, lanes: Mask) {
        let _ = (warp, lanes);
    }

    /// `membar`, `fence`.
    pub fn fence(&mut self, warp: &mut Warp, fence: Fence, lanes: Mask) {
        let _ = (warp, fence, lanes);
    }

    /// The cluster has ended.
    pub fn at_end(&mut self) -> Checked<()> {
        for block in &self.cluster.blocks {
            self.counters.steps += block.steps;
        }
        Ok(())
    }
}
