//! A warp: 32 lanes, their registers, and where they are.
//!
//! Lanes that are at the same instruction form a [`Group`]. A warp that has not diverged has one.
//! The group at the lowest instruction goes first, until it meets or passes another: code is laid
//! out so that branches come together below, so lanes meet again as early as they can, with no
//! analysis of the control flow. A group that waits lets the others go on, as independent thread
//! scheduling does since Volta; one that spins gives way after a while.

use super::asynchronous::watch::WgmmaRegisters;
use super::order::asynchronous::SharedPlace;
use super::poison::Poison;
use crate::simulator::registers::{FULL, Mask, Registers};

/// Lanes at the same instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The instruction they execute next.
    pub pc: u32,
    /// Which lanes.
    pub mask: Mask,
    /// What they wait for.
    pub wait: Option<Wait>,
}

/// What a group may wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// These other lanes of the warp, to execute the instruction together.
    Lanes(Mask),
    /// The end of a phase of a barrier of the block.
    Barrier {
        /// Which.
        barrier: u32,
        /// The phase.
        phase: u64,
        /// How many threads it waits for.
        expected: u32,
    },
    /// The end of a phase of the cluster's barrier.
    Cluster {
        /// The phase.
        phase: u64,
    },
    /// The other warps of the warpgroup, to execute the instruction together. The last to come lets
    /// the others go on.
    Warpgroup,
    /// Registers for each thread of the warpgroup.
    Registers {
        /// How many more.
        count: u32,
    },
    /// The end of one of these phases of mbarriers, by their parities.
    Mbarriers(Vec<(SharedPlace, bool)>),
}

/// A warp of a block.
#[derive(Debug)]
pub struct Warp {
    /// Its number in the block.
    pub number: u32,
    /// What its lanes compute with.
    pub registers: Registers,
    /// Lanes that are there and have not exited.
    pub alive: Mask,
    /// Lanes by where they are; the masks are disjoint and make up `alive`.
    pub groups: Vec<Group>,
    /// What of its registers comes from memory that was never written.
    pub poison: Option<Box<Poison>>,
    /// For each register that is watched: lanes where it has a value.
    pub initialised: Vec<Mask>,
    /// Local memory: that of lane 0, then lane 1, …
    pub local: Vec<u8>,
    /// Lanes that are there.
    pub lanes: Mask,
    /// The barrier, and its phase, at which the warp has arrived and wants a result of.
    pub at_barrier: Option<(u32, u64)>,
    /// Lanes that have arrived at the barrier of the cluster and not waited yet.
    pub cluster_arrived: Mask,
    /// The phase in which they have.
    pub cluster_phase: u64,
    /// Whether it has yet to wait for the kernel in front of this one, before it may touch global memory.
    pub waits_for_launch: bool,
    /// What wgmmas do to its registers.
    pub wgmma: WgmmaRegisters,
    /// Registers that each of its threads may have.
    pub register_count: u32,
}

impl Default for Warp {
    /// A warp with no lanes; stands in for one that executes.
    fn default() -> Self {
        Self {
            number: 0,
            registers: Registers::new(0, 0),
            alive: 0,
            groups: Vec::new(),
            poison: None,
            initialised: Vec::new(),
            local: Vec::new(),
            lanes: 0,
            at_barrier: None,
            cluster_arrived: 0,
            cluster_phase: 0,
            waits_for_launch: false,
            wgmma: WgmmaRegisters::default(),
            register_count: 0,
        }
    }
}

impl Warp {
    /// Merges groups that are at the same instruction and wait for nothing but each other.
    pub fn merge(&mut self) {
        if self.groups.len() < 2 {
            return;
        }
        self.groups.sort_by_key(|group| group.pc);
        let mut merged: Vec<Group> = Vec::with_capacity(self.groups.len());
        for group in self.groups.drain(..) {
            let free = |wait: &Option<Wait>| matches!(wait, None | Some(Wait::Lanes(_)));
            match merged
                .iter_mut()
                .find(|other| other.pc == group.pc && free(&other.wait) && free(&group.wait))
            {
                Some(other) => {
                    other.mask |= group.mask;
                    other.wait = None;
                }
                None => merged.push(group),
            }
        }
        self.groups = merged;
    }

    /// Ends the lanes.
    pub fn exit(&mut self, mask: Mask) {
        self.alive &= !mask;
    }
}

/// Lanes of the warp of that number in a block of so many threads.
#[must_use]
pub const fn lanes(number: u32, threads: u32) -> Mask {
    match threads.saturating_sub(number * 32) {
        0 => 0,
        rest @ 1..32 => (1 << rest) - 1,
        _ => FULL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_that_meet_go_on_together() {
        let group = |pc, mask, wait| Group { pc, mask, wait };
        let mut warp = Warp {
            groups: vec![
                group(7, 0b1000, None),
                group(5, 0b0001, Some(Wait::Lanes(0b11))),
                group(5, 0b0010, None),
                group(5, 0b0100, Some(Wait::Cluster { phase: 0 })),
            ],
            ..Warp::default()
        };
        warp.merge();
        assert_eq!(warp.groups.len(), 3);
        assert_eq!(warp.groups[0], group(5, 0b0011, None));
    }

    #[test]
    fn the_last_warp_may_be_short() {
        assert_eq!(lanes(0, 40), FULL);
        assert_eq!(lanes(1, 40), 0xff);
        assert_eq!(lanes(2, 40), 0);
        assert_eq!(lanes(1, 64), FULL);
    }
}
