//! [`SharedAccess`]: the addresses at which a thread's registers lie in shared memory, split into
//! what is computed once per thread and constants per register.
//!
//! The address of a group of registers is
//!
//! ```text
//! base + (thread_xor ^ group.xor) + (thread_add + group.add)
//! ```
//!
//! `thread_xor` and `thread_add` are the XOR and the sum of the terms of the bits that are set in the
//! lane's and the warp's number. Dimensions whose stride is a power of two are in the XOR part, where
//! coordinates may overlap and the swizzle acts; others are in the sum. What no thread flips moves
//! from `group.xor` to `group.add`, so that most groups share one XOR and the rest is the immediate
//! offset of the load or store.

use super::distributed::{Basis, Layout};
use super::shared::SharedLayout;

/// A bit of a thread's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadBit {
    /// A bit of the lane's number in its warp.
    Lane(u32),
    /// A bit of the warp's number in the program.
    Warp(u32),
}

/// What a bit of the thread's number contributes to the address when it is set. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadTerm {
    /// The bit.
    pub bit: ThreadBit,
    /// To XOR into `thread_xor`.
    pub xor: u64,
    /// To add to `thread_add`.
    pub add: u64,
}

/// Registers that one access moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedGroup {
    /// The registers in the order of their addresses, [`SharedAccess::vector`] of them.
    pub registers: Vec<usize>,
    /// To XOR with `thread_xor`. Bytes.
    pub xor: u64,
    /// To add afterwards. Bytes.
    pub add: u64,
}

/// How a thread's registers lie in shared memory; the [module](self) has the formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// Elements per access.
    pub vector: usize,
    /// Contributions of lane and warp bits; bits that contribute nothing are left out.
    pub thread: Vec<ThreadTerm>,
    /// All accesses of a thread. Of registers that hold the same element only the first is here
    /// ([`Layout::register_representative`]).
    pub groups: Vec<SharedGroup>,
}

impl SharedAccess {
    /// The offset in bytes of a group for the thread whose bits are in `lane` and `warp`.
    pub fn offset_bytes(&self, group: &SharedGroup, lane: u32, warp: u32) -> u64 {
        let is_set = |bit| match bit {
            ThreadBit::Lane(bit) => lane >> bit & 1 == 1,
            ThreadBit::Warp(bit) => warp >> bit & 1 == 1,
        };
        let set = || self.thread.iter().filter(|term| is_set(term.bit));
        let xor = set().fold(group.xor, |xor, term| xor ^ term.xor);
        let add: u64 = set().map(|term| term.add).sum();
        xor + add + group.add
    }
}

impl SharedLayout {
    /// The addresses of a layout's registers, in the widest accesses that hold for every thread.
    ///
    /// `None` if the layout covers more than is stored, or combines by XOR the bits of a coordinate
    /// whose stride is no power of two.
    pub fn access(&self, layout: &Layout) -> Option<SharedAccess> {
        let fits = layout
            .covered()
            .iter()
            .zip(self.shape())
            .all(|(covered, stored)| covered <= stored);
        if layout.rank() != self.shape().len() || !fits {
            return None;
        }
        let strides = self.strides_bytes();
        let mut added = (0..layout.rank()).filter(|axis| !strides[*axis].is_power_of_two());
        if !added.all(|axis| has_private_bits(layout, axis)) {
            return None;
        }
        let split = |coordinates: &[u64]| {
            let part = |xor: bool| {
                let terms = coordinates
                    .iter()
                    .zip(&strides)
                    .filter(|(_, stride)| stride.is_power_of_two() == xor);
                terms.map(|(index, stride)| index * stride).sum::<u64>()
            };
            (part(true) ^ self.swizzle_bytes(coordinates), part(false))
        };

        let lanes = layout.lane_bases().iter().zip((0..).map(ThreadBit::Lane));
        let warps = layout.warp_bases().iter().zip((0..).map(ThreadBit::Warp));
        let thread: Vec<ThreadTerm> = lanes
            .chain(warps)
            .map(|(basis, bit)| {
                let (xor, add) = split(&widen(basis));
                ThreadTerm { bit, xor, add }
            })
            .filter(|term| (term.xor, term.add) != (0, 0))
            .collect();
        let flipped_by_threads = thread.iter().fold(0, |bits, term| bits | term.xor);

        let vector_bits = self.vector_bits(layout, &strides);
        let vector_mask = vector_bits.iter().fold(0, |mask, bit| mask | 1usize << bit);
        let groups = layout
            .distinct_registers()
            .into_iter()
            .filter(|register| register & vector_mask == 0)
            .map(|first| {
                let (xor, add) = split(&layout.register_coordinates(first));
                let spread = |element: usize| {
                    let bits = vector_bits
                        .iter()
                        .enumerate()
                        .filter(|(position, _)| element >> position & 1 == 1);
                    bits.fold(first, |register, (_, bit)| register | 1 << bit)
                };
                SharedGroup {
                    registers: (0..1 << vector_bits.len()).map(spread).collect(),
                    xor: xor & flipped_by_threads,
                    add: add + (xor & !flipped_by_threads),
                }
            })
            .collect();
        Some(SharedAccess {
            vector: 1 << vector_bits.len(),
            thread,
            groups,
        })
    }

    /// The register bits that number the elements of one access: at most 16 bytes, inside one chunk
    /// of the swizzle, and aligned in every row.
    fn vector_bits(&self, layout: &Layout, strides: &[u64]) -> Vec<usize> {
        let Some(axis) = self.order().first() else {
            return Vec::new();
        };
        let mut bits = layout.vector_register_bits(*axis);
        let chunk = if self.swizzle().max_phase > 1 {
            self.swizzle().vector
        } else {
            u64::MAX
        };
        let limit = |width: u64| {
            let bytes = width * self.element_bytes();
            bytes <= 16
                && width <= chunk
                && (0..strides.len())
                    .all(|other| other == *axis || strides[other].is_multiple_of(bytes))
        };
        while !limit(1 << bits.len()) {
            bits.pop();
        }
        bits
    }
}

fn widen(basis: &Basis) -> Vec<u64> {
    basis.iter().map(|step| u64::from(*step)).collect()
}

/// Whether each bit of a coordinate is flipped by one bit of a thread or by registers, but not by
/// two thread bits or by both, so that contributions to it may be added.
fn has_private_bits(layout: &Layout, axis: usize) -> bool {
    let mut seen = layout
        .register_bases()
        .iter()
        .fold(0, |bits, basis| bits | basis[axis]);
    layout.thread_bases().all(|basis| {
        let private = seen & basis[axis] == 0;
        seen |= basis[axis];
        private
    })
}
