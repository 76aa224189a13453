//! What a launch did, counted per instruction.
//!
//! Units are those of the hardware's own counters, so that they can be compared: a *request* is one
//! memory instruction of one warp, a *sector* 32 bytes of global memory, a *wavefront* one pass
//! through shared memory, which serves 32 banks of 4 bytes.

use std::collections::BTreeMap;

use serde::Serialize;

use super::machine::{Launch, Watched};
use super::program::Instruction;
use super::registers::Mask;

/// Counts of one instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Warps that executed it.
    pub warps: u64,
    /// Lanes that were there.
    pub lanes: u64,
    /// Lanes whose guard held.
    pub active: u64,
    /// Branches at which lanes of a warp parted.
    pub diverged: u64,
    /// Accesses to global memory, per warp.
    pub requests: u64,
    /// Sectors they touched.
    pub sectors: u64,
    /// Sectors that the bytes would fill if they lay side by side.
    pub ideal_sectors: u64,
    /// Bytes that lanes asked for: of global memory.
    pub bytes: u64,
    /// Accesses to shared memory, per warp.
    pub shared_requests: u64,
    /// Passes through shared memory.
    pub wavefronts: u64,
    /// Passes that there would be without conflicts.
    pub ideal_wavefronts: u64,
    /// Bytes that lanes asked for: of shared memory.
    pub shared_bytes: u64,
    /// Instructions of the tensor cores, per warp.
    pub tensor_instructions: u64,
    /// Multiplications and additions in them.
    pub tensor_flops: u64,
}

impl Count {
    /// Adds other counts.
    pub const fn add(&mut self, other: &Self) {
        self.warps += other.warps;
        self.lanes += other.lanes;
        self.active += other.active;
        self.diverged += other.diverged;
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
        self.bytes += other.bytes;
        self.shared_requests += other.shared_requests;
        self.wavefronts += other.wavefronts;
        self.ideal_wavefronts += other.ideal_wavefronts;
        self.shared_bytes += other.shared_bytes;
        self.tensor_instructions += other.tensor_instructions;
        self.tensor_flops += other.tensor_flops;
    }
}

/// Counts of all instructions of an entry point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// By instruction; empty unless a profile is wanted.
    pub counts: Vec<Count>,
    /// Warp instructions, all together.
    pub steps: u64,
    /// Sectors of global memory that were read at least once.
    pub read: Sectors,
    /// Sectors of global memory that were written, or updated by an atomic, at least once.
    pub written: Sectors,
    /// Stores to what the options watch.
    pub watched: Watched,
    /// By instruction: whether it writes to global memory.
    writes: Vec<bool>,
}

/// A set of sectors: bits, by 4 GiB piece of the address space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sectors(BTreeMap<u64, Vec<u64>>);

impl Sectors {
    /// Sectors of a piece, in bits.
    const PIECE: u32 = 32 - 5;

    /// Adds a sector: an address divided by 32.
    #[allow(clippy::cast_possible_truncation)] // less than 2^27
    fn insert(&mut self, sector: u64) {
        let words = self.0.entry(sector >> Self::PIECE).or_default();
        let bit = (sector & ((1 << Self::PIECE) - 1)) as usize;
        if words.len() <= bit / 64 {
            words.resize(bit / 64 + 1, 0);
        }
        words[bit / 64] |= 1 << (bit % 64);
    }

    fn extend(&mut self, sectors: &[u64]) {
        for &sector in sectors {
            self.insert(sector);
        }
    }

    fn add(&mut self, other: &Self) {
        for (&piece, others) in &other.0 {
            let words = self.0.entry(piece).or_default();
            words.resize(words.len().max(others.len()), 0);
            for (word, other) in words.iter_mut().zip(others) {
                *word |= other;
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        let words = self.0.values().flatten();
        words.map(|word| u64::from(word.count_ones())).sum()
    }
}

impl Counters {
    /// All zero.
    #[must_use]
    pub fn new(launch: &Launch<'_>) -> Self {
        let code = if launch.options.profile {
            &launch.entry.code[..]
        } else {
            &[]
        };
        let writes = |instruction: &Instruction| instruction.op.writes_global();
        Self {
            counts: vec![Count::default(); code.len()],
            writes: code.iter().map(writes).collect(),
            ..Self::default()
        }
    }

    /// Adds what another thread of the host counted.
    pub fn add(&mut self, other: &Self) {
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            own.add(other);
        }
        self.steps += other.steps;
        self.read.add(&other.read);
        self.written.add(&other.written);
        self.watched.add(&other.watched);
    }

    /// A warp executed an instruction.
    pub fn executed(&mut self, pc: u32, mask: Mask, active: Mask) {
        let count = &mut self.counts[pc as usize];
        count.warps += 1;
        count.lanes += u64::from(mask.count_ones());
        count.active += u64::from(active.count_ones());
    }

    /// The warp waits and executes the instruction again: that is once, not twice.
    pub fn executes_again(&mut self, pc: u32, mask: Mask, active: Mask) {
        let count = &mut self.counts[pc as usize];
        count.warps -= 1;
        count.lanes -= u64::from(mask.count_ones());
        count.active -= u64::from(active.count_ones());
    }

    /// Lanes of a warp parted.
    pub fn diverged(&mut self, pc: u32) {
        self.counts[pc as usize].diverged += 1;
    }

    /// A warp accessed global memory: `addresses` of the lanes of `mask`, `bytes` each.
    pub fn global(&mut self, pc: u32, addresses: &[u64; 32], mask: Mask, bytes: u32) {
        let count = &mut self.counts[pc as usize];
        let lanes = u64::from(mask.count_ones());
        let mut sectors: Vec<u64> = super::machine::each(mask)
            .flat_map(|lane| {
                let (first, last) = (addresses[lane], addresses[lane] + u64::from(bytes) - 1);
                first / 32..=last / 32
            })
            .collect();
        sectors.sort_unstable();
        sectors.dedup();
        touched(&self.writes, &mut self.read, &mut self.written, pc).extend(&sectors);
        // Lanes that ask for the same bytes need them once.
        let mut starts: Vec<u64> = super::machine::each(mask)
            .map(|lane| addresses[lane])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        count.requests += 1;
        count.sectors += sectors.len() as u64;
        count.ideal_sectors += (starts.len() as u64 * u64::from(bytes)).div_ceil(32);
        count.bytes += lanes * u64::from(bytes);
    }

    /// A bulk copy touched bytes in a row of global memory.
    pub fn transfer(&mut self, pc: u32, address: u64, bytes: u32) {
        if bytes == 0 {
            return;
        }
        let bytes = u64::from(bytes);
        let sectors: Vec<u64> = (address / 32..=(address + bytes - 1) / 32).collect();
        touched(&self.writes, &mut self.read, &mut self.written, pc).extend(&sectors);
        let count = &mut self.counts[pc as usize];
        count.requests += 1;
        count.sectors += sectors.len() as u64;
        count.ideal_sectors += bytes.div_ceil(32);
        count.bytes += bytes;
    }

    /// A warp accessed shared memory: `addresses` of the lanes of `mask`, `bytes` each.
    ///
    /// Lanes are served in groups whose bytes fill one pass: 32 lanes of up to 4 bytes, 16 of 8,
    /// 8 of 16. In a pass each bank gives one word, and lanes that ask for the same word share it.
    /// Two neighbouring groups that take one pass together do, but not the rows of `ldmatrix`, of
    /// which each matrix is fetched for itself. (Measured on an H200 with
    /// `benches/counters.py`.)
    pub fn shared(&mut self, pc: u32, addresses: &[u32; 32], mask: Mask, bytes: u32, matrix: bool) {
        let group = (128 / bytes.max(4)).clamp(8, 32);
        let mut all: Vec<u32> = Vec::new();
        let (mut passes, mut before, mut before_takes) = (0, Vec::<u32>::new(), 0);
        for start in (0..32).step_by(group as usize) {
            let lanes = mask & (u32::MAX >> (32 - group)) << start;
            if (start / group).is_multiple_of(2) {
                passes += before_takes;
                (before, before_takes) = (Vec::new(), 0);
            }
            if lanes == 0 {
                continue;
            }
            let words: Vec<u32> = super::machine::each(lanes)
                .flat_map(|lane| addresses[lane] / 4..=(addresses[lane] + bytes - 1) / 4)
                .collect();
            all.extend(&words);
            let takes = passes_for(&words);
            before.extend(&words);
            let joined = before_takes == 1 && !matrix && passes_for(&before) == 1;
            if !joined {
                passes += before_takes;
                (before, before_takes) = (words, takes);
            }
        }
        passes += before_takes;
        all.sort_unstable();
        all.dedup();
        let ideal = (all.len() as u64).div_ceil(32);
        let count = &mut self.counts[pc as usize];
        count.shared_requests += 1;
        count.wavefronts += passes;
        count.ideal_wavefronts += ideal;
        count.shared_bytes += u64::from(mask.count_ones() * bytes);
    }
}

/// Passes that 32 banks take to give these words, each once.
fn passes_for(words: &[u32]) -> u64 {
    let mut words = words.to_vec();
    words.sort_unstable();
    words.dedup();
    let mut banks = [0; 32];
    for word in words {
        banks[word as usize % 32] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}

/// The sectors that an instruction reads, or writes.
fn touched<'a>(
    writes: &[bool],
    read: &'a mut Sectors,
    written: &'a mut Sectors,
    pc: u32,
) -> &'a mut Sectors {
    if writes[pc as usize] { written } else { read }
}

#[cfg(test)]
mod tests {
    use super::passes_for;

    #[test]
    fn a_bank_gives_one_word_per_pass() {
        assert_eq!(passes_for(&[0, 1, 2, 31]), 1);
        assert_eq!(passes_for(&[5, 5, 5]), 1);
        assert_eq!(passes_for(&[0, 32, 64, 1]), 3);
    }
}
