//! Replication: elements that are held more than once, and which copy counts.
//!
//! Two cases differ in what a pass does about them. A thread may hold an element in several
//! registers: computing once and using the result twice removes that
//! ([`Layout::distinct_registers`]). Several threads may hold an element: they all compute it, and
//! where it matters that only one acts (stores, atomics, sums over threads), the [`Owners`] do.

use super::distributed::{Basis, Lane, Layout, Packing, Warp};
use super::linear::Span;

/// The threads that hold the first copy of their elements: those whose redundant bits are all zero.
/// Every element has exactly one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owners {
    /// Lane bits that only number further copies.
    pub redundant_lane_bits: u32,
    /// Warp bits that only number further copies.
    pub redundant_warp_bits: u32,
}

impl Owners {
    /// Whether this thread is the owner of what it holds.
    pub fn contains(self, lane: Lane, warp: Warp) -> bool {
        lane.0 & self.redundant_lane_bits == 0 && warp.0 & self.redundant_warp_bits == 0
    }

    /// Whether all threads are owners, so that no predicate is needed.
    pub fn are_all_threads(self) -> bool {
        self.redundant_lane_bits == 0 && self.redundant_warp_bits == 0
    }
}

impl Layout {
    /// Register bits with a zero basis vector, as a mask.
    pub fn free_register_bits(&self) -> u32 {
        zero_vectors(self.register_bases())
    }

    /// Lane bits with a zero basis vector, as a mask: lanes that differ there hold the same
    /// elements in the same registers.
    pub fn free_lane_bits(&self) -> u32 {
        zero_vectors(self.lane_bases())
    }

    /// Warp bits with a zero basis vector, as a mask.
    pub fn free_warp_bits(&self) -> u32 {
        zero_vectors(self.warp_bases())
    }

    /// The threads that hold the first copy of each element.
    ///
    /// A bit is redundant when the bits below it (registers, then lanes, then warps) already reach
    /// what it reaches. That finds zero vectors, and also a lane that holds what another lane, or
    /// another register of its own, holds.
    pub fn owners(&self) -> Owners {
        let packing = Packing::of(&self.block());
        let mut reached = Span::of(
            self.register_bases()
                .iter()
                .map(|basis| packing.pack_basis(basis)),
        );
        let mut redundant = |bases: &[Basis]| {
            bases.iter().enumerate().fold(0, |mask, (bit, basis)| {
                if reached.insert(packing.pack_basis(basis)) {
                    mask
                } else {
                    mask | 1 << bit
                }
            })
        };
        Owners {
            redundant_lane_bits: redundant(self.lane_bases()),
            redundant_warp_bits: redundant(self.warp_bases()),
        }
    }

    /// The first register of its thread that holds the same element as this one.
    pub fn register_representative(&self, register: usize) -> usize {
        let packing = Packing::of(&self.block());
        let vectors: Vec<u64> = self
            .register_bases()
            .iter()
            .map(|basis| packing.pack_basis(basis))
            .collect();
        let in_block = register & (self.block_register_count() - 1);
        let element = super::linear::apply(&vectors, in_block as u64);
        let first = Span::of(vectors)
            .express(element)
            .expect("a register's element is in the span of the registers");
        register - in_block + first as usize
    }

    /// The register of this thread that stands for this one in a tile whose elements are the same
    /// along runs: of `runs[d]` positions, a power of two, that start at its multiples.
    pub fn run_representative(&self, register: usize, runs: &[u64]) -> usize {
        let mut first = self.register_coordinates(register);
        for (coordinate, run) in first.iter_mut().zip(runs) {
            debug_assert!(run.is_power_of_two());
            *coordinate -= *coordinate % run;
        }
        let own = self.register_representative(register);
        self.register_with_coordinates(&first)
            .map_or(own, |first| self.register_representative(first).min(own))
    }

    /// One register for each element that a thread holds, in ascending order.
    pub fn distinct_registers(&self) -> Vec<usize> {
        let redundant = self.redundant_register_bits();
        (0..self.register_count())
            .filter(|register| register & redundant == 0)
            .collect()
    }

    /// The register bits of the block that the register bits below them make superfluous.
    pub(super) fn redundant_register_bits(&self) -> usize {
        let packing = Packing::of(&self.block());
        let mut reached = Span::default();
        self.register_bases()
            .iter()
            .enumerate()
            .fold(0, |mask, (bit, basis)| {
                if reached.insert(packing.pack_basis(basis)) {
                    mask
                } else {
                    mask | 1 << bit
                }
            })
    }
}

fn zero_vectors(bases: &[Basis]) -> u32 {
    bases.iter().enumerate().fold(0, |mask, (bit, basis)| {
        if basis.iter().all(|step| *step == 0) {
            mask | 1 << bit
        } else {
            mask
        }
    })
}
