//! [`SharedAccess`]: the addresses at which a thread's registers lie in shared memory, split into
//! what is computed once per thread and constants per register.
//!
//! The address of a group of registers is
//!
//! ```text
//! base + (thread_xor ^ group.xor) + (thread_add + group.add)
//! ```
//!
//! `thread_xor` and `thread_add` are the XOR and the sum of the terms of the bits that are set in
//! the lane's and the warp's number. Dimensions whose stride is a power of two are in the XOR part,
//! where coordinates may overlap and the swizzle acts; others are in the sum. What no thread flips
//! moves from `group.xor` to `group.add`, so that most groups share one XOR and the rest is the
//! immediate offset of the load or store.

use super::distributed::{Basis, Layout, ThreadBit};
use super::shared::SharedLayout;

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

impl SharedGroup {
    /// The same, element by element, of so many bytes.
    #[must_use]
    pub fn elements(&self, bytes: u64) -> Vec<Self> {
        let registers = self.registers.iter().zip(0..);
        let each = registers.map(|(register, place)| Self {
            registers: vec![*register],
            xor: self.xor,
            add: self.add + place * bytes,
        });
        each.collect()
    }
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
        let thread = self.thread_terms(layout)?;
        let flipped_by_threads = thread.iter().fold(0, |bits, term| bits | term.xor);
        let vector_bits = self.vector_bits(layout);
        let group = |registers: Vec<usize>| {
            let (xor, add) = self.split_offset(&layout.register_coordinates(registers[0]));
            SharedGroup {
                registers,
                xor: xor & flipped_by_threads,
                add: add + (xor & !flipped_by_threads),
            }
        };
        let groups = layout
            .register_groups(&vector_bits)
            .into_iter()
            .map(group)
            .collect();
        Some(SharedAccess {
            vector: 1 << vector_bits.len(),
            thread,
            groups,
        })
    }

    /// What lane and warp bits contribute; `None` when there is no [`access`](Self::access).
    pub(super) fn thread_terms(&self, layout: &Layout) -> Option<Vec<ThreadTerm>> {
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
        if !added.all(|axis| has_private_bits(layout, axis, u32::MAX)) {
            return None;
        }
        if let (Some(panel), Some(axis)) = (self.panel_bytes(), self.order().first()) {
            // Panels begin at sums, unless their sizes are bits of their own.
            let number = !(self.row_pitch() as u32 - 1);
            if !panel.is_power_of_two() && !has_private_bits(layout, *axis, number) {
                return None;
            }
        }
        let lanes = layout.lane_bases().iter().zip((0..).map(ThreadBit::Lane));
        let warps = layout.warp_bases().iter().zip((0..).map(ThreadBit::Warp));
        let terms = lanes.chain(warps).map(|(basis, bit)| {
            let (xor, add) = self.split_offset(&widen(basis));
            ThreadTerm { bit, xor, add }
        });
        Some(
            terms
                .filter(|term| (term.xor, term.add) != (0, 0))
                .collect(),
        )
    }

    /// The offset of an element as a part that is linear over F2 and a part to be added.
    fn split_offset(&self, coordinates: &[u64]) -> (u64, u64) {
        let terms = self.terms(coordinates);
        let part = |linear: bool| {
            let terms = terms.iter();
            let terms = terms.filter(|(_, stride)| stride.is_power_of_two() == linear);
            terms.map(|(index, stride)| index * stride).sum::<u64>()
        };
        (part(true) ^ self.swizzle_bytes(coordinates), part(false))
    }

    /// The register bits that number the elements of one access: at most 16 bytes, inside one chunk
    /// of the swizzle, and aligned in every row.
    pub(super) fn vector_bits(&self, layout: &Layout) -> Vec<usize> {
        let Some(axis) = self.order().first() else {
            return Vec::new();
        };
        let strides = self.strides_bytes();
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

/// Whether each bit of a coordinate in `mask` is flipped by one bit of a thread or by registers, but
/// not by two thread bits or by both, so that contributions to it may be added.
fn has_private_bits(layout: &Layout, axis: usize, mask: u32) -> bool {
    let mut seen = layout
        .register_bases()
        .iter()
        .fold(0, |bits, basis| bits | basis[axis] & mask);
    layout.thread_bases().all(|basis| {
        let bits = basis[axis] & mask;
        let private = seen & bits == 0;
        seen |= bits;
        private
    })
}
