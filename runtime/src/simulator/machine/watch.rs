//! Who stored what is in memory: the addresses that [`Options::watch`](super::Options) names.

use serde::Serialize;

use super::communicate::each;
use super::global::Kind;
use super::step::Machine;
use super::warp::Warp;
use crate::simulator::checks::{Site, Thread};
use crate::simulator::registers::{LANES, Lanes64, Mask};

/// A store to watched memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stored {
    /// The instruction.
    pub site: Site,
    /// The program that executed it: x, y, z.
    pub program: [u32; 3],
    /// The thread that did.
    pub thread: Thread,
}

/// What was seen of watched memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    /// How often a thread stored there.
    pub stores: u64,
    /// The last one. Programs run at once and in no order: of several, that of the highest.
    pub last: Option<Stored>,
}

impl Watched {
    /// Adds what programs after these did.
    pub fn add(&mut self, later: &Self) {
        self.stores += later.stores;
        if later.last.is_some() {
            self.last.clone_from(&later.last);
        }
    }
}

impl Machine<'_> {
    /// A bulk copy that a lane has issued touches bytes in a row of global memory.
    pub fn transfer(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: u64,
        bytes: u32,
        kind: Kind,
    ) {
        if self.launch.options.profile {
            self.counters.transfer(pc, address, bytes);
        }
        if kind != Kind::Load && self.launch.options.watch.is_some() {
            self.watch(warp, pc, &[address; LANES], 1 << lane, bytes);
        }
    }

    /// Lanes store so many bytes each to global memory.
    pub fn watch(&mut self, warp: &Warp, pc: u32, addresses: &Lanes64, lanes: Mask, bytes: u32) {
        let Some(watch) = &self.launch.options.watch else {
            return;
        };
        let hits = |lane: &usize| {
            let start = addresses[*lane];
            start < watch.end && watch.start < start + u64::from(bytes)
        };
        for lane in each(lanes).filter(hits) {
            self.counters.watched.stores += 1;
            #[allow(clippy::cast_possible_truncation)] // less than 32
            let thread = self.thread(warp.number, lane as u32);
            self.counters.watched.last = Some(Stored {
                site: self.site(pc),
                program: self.cluster.blocks[self.current].id,
                thread,
            });
        }
    }
}
