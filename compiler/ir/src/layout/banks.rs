//! Bank conflicts: how many passes over shared memory one access of a warp takes.
//!
//! Shared memory has 32 banks of 4 bytes, which serve one word each at a time; lanes that read the
//! same word share it. A pass is called a *wavefront*, as the profilers do. Accesses of 8 bytes are
//! made by half a warp at a time and those of 16 bytes by a quarter, which is what they need anyway
//! when all lanes have different words.
//! (CUDA C++ programming guide, "Shared Memory"; the phases are those that Nsight Compute counts.)

use super::distributed::{Layout, ThreadBit};
use super::linear::apply;
use super::shared::SharedLayout;
use super::shared_access::ThreadTerm;

const BANKS: usize = 32;
const BANK_BYTES: u64 = 4;

/// The cost of reading or writing a tile in shared memory, for each warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankConflicts {
    /// Load or store instructions that a warp needs.
    pub accesses: u64,
    /// Wavefronts that each of them takes.
    pub wavefronts: u64,
    /// Wavefronts that each would take if its words were spread evenly over the banks.
    pub ideal: u64,
}

impl BankConflicts {
    /// Issue slots and wavefronts together: what a choice of layout should make small.
    pub fn cost(self) -> u64 {
        self.accesses * (1 + self.wavefronts)
    }
}

impl SharedLayout {
    /// The bank conflicts of reading or writing a tile of this layout in the widest accesses;
    /// `None` when there is no [`access`](Self::access).
    ///
    /// It is the first access of the first warp that is counted. The constants of other registers
    /// and warps permute the banks when they are XORed, and rotate them when they are added, so
    /// theirs is the same; only a swizzle on rows whose pitch is no power of two can make them
    /// differ a little.
    pub fn bank_conflicts(&self, layout: &Layout) -> Option<BankConflicts> {
        let terms = self.thread_terms(layout)?;
        let vector = 1u64 << self.vector_bits(layout).len();
        let registers = layout.register_count() >> layout.redundant_register_bits().count_ones();
        let access_bytes = vector * self.element_bytes();
        let starts = lane_offsets(&terms);
        let words = words(&starts, access_bytes);
        Some(BankConflicts {
            accesses: registers as u64 / vector,
            wavefronts: wavefronts(&starts, access_bytes),
            ideal: words.len().div_ceil(BANKS) as u64,
        })
    }
}

/// The wavefronts of an access of `access_bytes` (1 to 16) by each lane at the offsets `starts`.
pub fn wavefronts(starts: &[u64; 32], access_bytes: u64) -> u64 {
    let lanes_at_once = if access_bytes <= BANK_BYTES {
        32
    } else {
        128 / access_bytes as usize
    };
    let phase = |starts: &[u64]| {
        let mut load = [0u64; BANKS];
        words(starts, access_bytes)
            .iter()
            .for_each(|word| load[*word as usize % BANKS] += 1);
        load.into_iter().fold(0, u64::max)
    };
    starts.chunks(lanes_at_once).map(phase).sum()
}

/// The words, each once, that accesses of so many bytes at these offsets touch.
fn words(starts: &[u64], access_bytes: u64) -> Vec<u64> {
    let mut words: Vec<u64> = starts
        .iter()
        .flat_map(|start| start / BANK_BYTES..(start + access_bytes).div_ceil(BANK_BYTES))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The offsets in bytes at which the lanes of the first warp access their first registers.
fn lane_offsets(terms: &[ThreadTerm]) -> [u64; 32] {
    let mut xor = [0; 5];
    let mut add = [0; 5];
    for term in terms {
        if let ThreadBit::Lane(bit) = term.bit {
            xor[bit as usize] = term.xor;
            add[bit as usize] = term.add;
        }
    }
    std::array::from_fn(|lane| {
        let added: u64 = (0..5)
            .filter(|bit| lane >> bit & 1 == 1)
            .map(|bit| add[bit])
            .sum();
        apply(&xor, lane as u64) + added
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_in_a_row_meet_no_conflict_whatever_the_width() {
        for (bytes, expected) in [(1, 1), (2, 1), (4, 1), (8, 2), (16, 4)] {
            assert_eq!(
                wavefronts(&std::array::from_fn(|lane| lane as u64 * bytes), bytes),
                expected
            );
        }
    }

    #[test]
    fn a_column_of_rows_of_128_bytes_is_in_one_bank() {
        assert_eq!(
            wavefronts(&std::array::from_fn(|lane| lane as u64 * 128), 4),
            32
        );
        assert_eq!(
            wavefronts(&std::array::from_fn(|lane| lane as u64 * 132), 4),
            1
        );
        assert_eq!(
            wavefronts(&std::array::from_fn(|lane| lane as u64 * 128), 16),
            32
        );
    }

    #[test]
    fn lanes_that_read_the_same_word_share_it() {
        assert_eq!(wavefronts(&[64; 32], 4), 1);
        assert_eq!(
            wavefronts(&std::array::from_fn(|lane| lane as u64 / 2 * 4), 4),
            1
        );
    }
}
