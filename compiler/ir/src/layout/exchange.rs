//! [`Partners`]: who holds the element whose coordinate differs in given bits.
//!
//! The map from registers and threads to coordinates is linear, so the partner of every register of
//! every thread is found by one XOR of the register's, the lane's and the warp's number: where the
//! three are 0 nothing has to move. Registers are preferred to lanes, and lanes to warps.

use super::convert::Slots;
use super::distributed::{LANE_BITS, Layout, Packing};
use super::linear::Span;

/// Where the elements are that differ by XOR along an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partners {
    /// For each register the one that holds its partner, in the thread that `lane` and `warp` say.
    pub registers: Vec<usize>,
    /// XORed to the lane's number.
    pub lane: u32,
    /// XORed to the warp's number.
    pub warp: u32,
}

impl Layout {
    /// The partners of all elements, given what to XOR to their coordinates along `axis`. `None` if
    /// the tile's size there is no power of two above `mask`, or the layout is too large to tell.
    pub fn partners(&self, axis: usize, mask: u64) -> Option<Partners> {
        let size = *self.shape().get(axis)?;
        if !size.is_power_of_two() || mask >= size {
            return None;
        }
        let slots = Slots::of(self);
        let packing = Packing::of(&self.covered());
        let threads = LANE_BITS + self.warp_bases().len();
        if packing.width() > 63 || slots.bits() + threads > 63 {
            return None;
        }
        let mut vectors: Vec<u64> = slots
            .vectors()
            .into_iter()
            .map(|vector| packing.pack(vector))
            .collect();
        vectors.extend(self.thread_bases().map(|basis| packing.pack_basis(basis)));
        let wanted = (0..self.rank()).map(|dimension| if dimension == axis { mask } else { 0 });
        let combination = Span::of(vectors).express(packing.pack(wanted))?;
        let slot = (combination & ((1 << slots.bits()) - 1)) as usize;
        let thread = combination >> slots.bits();
        let registers = slots
            .by_register()
            .into_iter()
            .enumerate()
            // Only padding has partners that do not exist.
            .map(|(register, own)| slots.register(own ^ slot).unwrap_or(register))
            .collect();
        Some(Partners {
            registers,
            lane: (thread & ((1 << LANE_BITS) - 1)) as u32,
            warp: (thread >> LANE_BITS) as u32,
        })
    }
}
