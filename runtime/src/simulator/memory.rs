//! Device memory of the simulator, and the map of all addresses.
//!
//! Generic addresses have 64 bits; the upper half says what is meant, so that looking an address up
//! is one array access, and one allocation never runs into the next:
//!
//! | upper 32 bits | what |
//! |---|---|
//! | 1 … 0x7ffc | an allocation; it has as many numbers as it fills 4 GiB pieces, and at least 1; 8 between two are free |
//! | 0x7ffd | the entry point's parameters |
//! | 0x7ffe | local memory of the thread |
//! | 0x7fff | shared memory; see [`shared`] |
//!
//! Blocks run on several threads of the host at once, so memory is made of atomic words. That
//! costs nothing where words are loaded and stored whole, and needs no `unsafe`.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use super::checks::initialised::Initialised;

/// Upper half of addresses of parameters.
pub const PARAMETERS: u32 = 0x7ffd;
/// Upper half of addresses of local memory.
pub const LOCAL: u32 = 0x7ffe;
/// Upper half of addresses of shared memory.
pub const SHARED: u32 = 0x7fff;
/// Numbers below this one are allocations.
const END: u32 = PARAMETERS;
/// Numbers that stay free between two allocations, while there are enough: an offset of 32 bits in elements of 16 bytes, added
/// to the address of one, then leads to none.
const GAP: u32 = 8;

/// An address in shared memory: the low 24 bits are the place, the upper 8 the rank of the block in
/// its cluster plus 1, or 0 for the block that asks.
pub mod shared {
    /// Where shared memory of a block starts. Below is what CUDA keeps for itself on Hopper; that
    /// also makes 0 no address of anything.
    pub const START: u32 = 1024;
    /// Bits of the place.
    pub const PLACE_BITS: u32 = 24;
    /// The place within the block.
    #[must_use]
    pub const fn place(address: u32) -> u32 {
        address & ((1 << PLACE_BITS) - 1)
    }
    /// The rank of the block, unless it is the one that asks.
    #[must_use]
    pub const fn rank(address: u32) -> Option<u32> {
        (address >> PLACE_BITS).checked_sub(1)
    }
    /// The address of a place in the block of that rank.
    #[must_use]
    pub const fn of_rank(address: u32, rank: u32) -> u32 {
        place(address) | (rank + 1) << PLACE_BITS
    }
}

/// Memory that was allocated at once.
#[derive(Debug)]
pub struct Allocation {
    words: Box<[AtomicU32]>,
    bytes: usize,
    address: u64,
    initialised: Initialised,
    /// Whether kernels may not write to it.
    pub constant: bool,
}

impl Allocation {
    fn new(bytes: usize, address: u64, constant: bool) -> Option<Self> {
        Some(Self {
            words: bytemuck::try_zeroed_slice_box(bytes.div_ceil(4)).ok()?,
            initialised: Initialised::none(bytes),
            bytes,
            address,
            constant,
        })
    }

    /// The address of its first byte.
    #[must_use]
    pub const fn address(&self) -> u64 {
        self.address
    }

    /// Bytes it has.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sets each byte.
    pub fn fill(&self, value: u8) {
        let word = u32::from_le_bytes([value; 4]);
        for own in &self.words {
            own.store(word, Relaxed);
        }
    }

    /// The bytes have a value from now on.
    pub fn initialise(&self, offset: usize, bytes: usize) {
        self.initialised.set(offset, bytes);
    }

    /// Which bytes have a value.
    #[must_use]
    pub const fn initialised(&self) -> &Initialised {
        &self.initialised
    }

    /// The word that has the byte `offset`.
    #[inline]
    #[must_use]
    pub fn load32(&self, offset: usize) -> u32 {
        self.words[offset / 4].load(Relaxed)
    }

    /// 1, 2, 4 or 8 bytes at `offset`, which is a multiple of their number.
    #[inline]
    #[must_use]
    pub fn load(&self, offset: usize, bytes: u32) -> u64 {
        let word = u64::from(self.load32(offset));
        match bytes {
            8 => word | u64::from(self.load32(offset + 4)) << 32,
            4 => word,
            _ => word >> (offset % 4 * 8) & ((1 << (bytes * 8)) - 1),
        }
    }

    /// Overwrites a word.
    #[inline]
    pub fn store32(&self, offset: usize, value: u32) {
        self.words[offset / 4].store(value, Relaxed);
    }

    /// Overwrites 1, 2, 4 or 8 bytes at `offset`, which is a multiple of their number.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the parts
    pub fn store(&self, offset: usize, bytes: u32, value: u64) {
        match bytes {
            8 => {
                self.store32(offset, value as u32);
                self.store32(offset + 4, (value >> 32) as u32);
            }
            4 => self.store32(offset, value as u32),
            _ => {
                // Two instructions, since blocks on other threads may write the bytes beside.
                let shift = offset % 4 * 8;
                let mask = ((1u32 << (bytes * 8)) - 1) << shift;
                let word = &self.words[offset / 4];
                word.fetch_and(!mask, Relaxed);
                word.fetch_or((value as u32) << shift & mask, Relaxed);
            }
        }
    }

    /// Copies bytes out; the range is inside.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let word = self.load32(at).to_le_bytes();
            let part = &word[at % 4..];
            let length = part.len().min(rest.len());
            let (head, tail) = rest.split_at_mut(length);
            head.copy_from_slice(&part[..length]);
            rest = tail;
            at += length;
        }
    }

    /// Copies bytes in; the range is inside.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let mut at = offset;
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if at.is_multiple_of(4) && rest.len() >= 4 {
                let (word, tail) = rest.split_at(4);
                self.store32(
                    at,
                    word.iter()
                        .rev()
                        .fold(0, |word, &byte| word << 8 | u32::from(byte)),
                );
                rest = tail;
                at += 4;
            } else {
                self.store(at, 1, u64::from(first));
                rest = &rest[1..];
                at += 1;
            }
        }
    }
}

/// All allocations that there are.
#[derive(Debug, Default)]
pub struct Allocations {
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// By the upper half of the address; entry 0 is never used.
    pieces: Vec<Option<Arc<Allocation>>>,
    /// The number to try next: freed numbers rest as long as can be, so that a use after free is
    /// found.
    next: u32,
    bytes: u64,
}

impl Allocations {
    /// New memory, or `None` if there is no memory, or no addresses, left.
    #[must_use]
    pub fn allocate(&self, bytes: usize, constant: bool) -> Option<Arc<Allocation>> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let pieces = u32::try_from(bytes >> 32).ok()? + 1;
        let first = table.room(pieces)?;
        let allocation = Allocation::new(bytes, u64::from(first) << 32, constant)?;
        let allocation = Arc::new(allocation);
        for piece in first..first + pieces {
            table.pieces[piece as usize] = Some(Arc::clone(&allocation));
        }
        table.next = first + pieces + GAP;
        table.bytes += bytes as u64;
        Some(allocation)
    }

    /// Forgets memory: launches that already run keep it.
    pub fn free(&self, allocation: &Arc<Allocation>) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        for piece in &mut table.pieces {
            if piece
                .as_ref()
                .is_some_and(|piece| Arc::ptr_eq(piece, allocation))
            {
                *piece = None;
            }
        }
        table.bytes -= allocation.bytes as u64;
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.bytes
    }

    /// The allocations as they are now.
    #[must_use]
    pub fn view(&self) -> View {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        View {
            pieces: table.pieces.clone(),
        }
    }
}

impl Table {
    /// The first of so many free numbers in a row, with a gap around if there is room for that.
    fn room(&mut self, pieces: u32) -> Option<u32> {
        let free = |table: &Self, first: u32, gap: u32| {
            first + pieces <= END
                && (first.saturating_sub(gap)..first + pieces + gap)
                    .all(|piece| table.pieces.get(piece as usize).is_none_or(Option::is_none))
        };
        let start = self.next.clamp(1, END);
        let find = |gap| {
            (start..END)
                .chain(1..start)
                .find(|&first| free(self, first, gap))
        };
        let first = find(GAP).or_else(|| find(0))?;
        let end = (first + pieces) as usize;
        if self.pieces.len() < end {
            self.pieces.resize(end, None);
        }
        Some(first)
    }
}

/// The allocations that a launch sees.
#[derive(Debug, Default)]
pub struct View {
    pieces: Vec<Option<Arc<Allocation>>>,
}

impl View {
    /// The allocation that an address points to, by its upper half alone: the place may be past
    /// the end.
    #[inline]
    #[must_use]
    pub fn find(&self, address: u64) -> Option<&Allocation> {
        self.pieces.get((address >> 32) as usize)?.as_deref()
    }

    /// How many upper halves of addresses are in use, at most.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// All of them, each once.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Allocation>> {
        self.pieces
            .iter()
            .zip(0u64..)
            .filter_map(|(piece, number)| {
                piece.as_ref().filter(|piece| piece.address >> 32 == number)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beside_a_store_keep_their_value() {
        let memory = Allocations::default();
        let allocation = memory.allocate(13, false).expect("room");
        allocation.write(1, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        allocation.store(6, 2, 0xffff_aabb);
        allocation.store(9, 1, 0x77);
        let mut bytes = [0; 13];
        allocation.read(0, &mut bytes);
        assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 0xbb, 0xaa, 8, 0x77, 10, 11, 12]);
        assert_eq!(allocation.load(6, 2), 0xaabb);
    }

    #[test]
    fn freed_addresses_rest() {
        let memory = Allocations::default();
        let first = memory.allocate(4, false).expect("room");
        let second = memory.allocate((1 << 32) + 4, false);
        assert!(second.is_some_and(|second| second.address() == 10 << 32));
        memory.free(&first);
        assert!(memory.view().find(first.address()).is_none());
        let third = memory.allocate(4, false).expect("room");
        assert_eq!(third.address(), 20 << 32);
        assert_eq!(memory.view().all().count(), 2);
    }

    #[test]
    fn no_offset_of_32_bits_leads_from_one_allocation_to_another() {
        let memory = Allocations::default();
        let kept: Vec<_> = (0..3).map(|_| memory.allocate(64, false)).collect();
        let view = memory.view();
        for allocation in kept.iter().flatten() {
            for elements in [i64::from(i32::MIN), 1 << 30, i64::from(i32::MAX)] {
                for bytes in [1, 4, 8, 16] {
                    let address = allocation.address().wrapping_add_signed(elements * bytes);
                    let found = view.find(address);
                    assert!(found.is_none_or(|found| found.address() == allocation.address()));
                }
            }
        }
    }

    #[test]
    fn without_room_for_gaps_there_is_none() {
        let memory = Allocations::default();
        let kept: Vec<_> = (0..5000).map(|_| memory.allocate(4, false)).collect();
        assert!(kept.iter().all(Option::is_some));
    }
}
