//! Turns that are left out, at random: what another order of events would break breaks then.

use std::ops::RangeInclusive;

/// For how many turns something is delayed.
const TURNS: RangeInclusive<u32> = 1..=32;

/// Whose turns a cluster leaves out, one after the other.
#[derive(Debug)]
pub struct Delays {
    random: fastrand::Rng,
    now: Delayed,
    left: u32,
}

/// Whose turn is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delayed {
    /// Nobody's.
    Nobody,
    /// That of all warps of a block.
    Block(usize),
    /// That of a warp: its block and its number.
    Warp(usize, usize),
}

impl Delayed {
    /// Whether a warp of a block has no turn.
    pub const fn is(self, block: usize, warp: usize) -> bool {
        match self {
            Self::Nobody => false,
            Self::Block(delayed) => delayed == block,
            Self::Warp(of, delayed) => of == block && delayed == warp,
        }
    }
}

impl Delays {
    /// Those of a cluster.
    pub fn new(seed: u64, cluster: u32) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let own = random.u64(..) ^ u64::from(cluster).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            random: fastrand::Rng::with_seed(own),
            now: Delayed::Nobody,
            left: 0,
        }
    }

    /// Who is delayed in the next turn of a cluster with so many blocks of so many warps.
    pub fn turn(&mut self, blocks: usize, warps: usize) -> Delayed {
        if self.left == 0 {
            self.left = self.random.u32(TURNS);
            let block = self.random.usize(..blocks.max(1));
            self.now = match self.random.u32(..3) {
                0 => Delayed::Nobody,
                1 if blocks > 1 => Delayed::Block(block),
                _ => Delayed::Warp(block, self.random.usize(..warps.max(1))),
            };
        }
        self.left -= 1;
        self.now
    }

    /// Ends the delay that there is; whether there was one.
    pub fn end(&mut self) -> bool {
        self.left = 0;
        std::mem::replace(&mut self.now, Delayed::Nobody) != Delayed::Nobody
    }
}
