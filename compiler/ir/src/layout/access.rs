//! Global memory accesses: how wide a vector each thread may use, and how much of what the memory
//! system moves is of use.
//!
//! Memory moves in sectors of 32 bytes, four of which are a cache line. A warp's access is
//! coalesced when its lanes use whole sectors.

use super::distributed::{Lane, Layout, Register, Warp};
use std::collections::BTreeSet;

/// The widest access of a thread, in bytes.
const WIDEST_BYTES: u64 = 16;

/// What is known about the address of an element: `base + element_bytes * sum(index * stride)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineAccess {
    /// Elements from one index to the next along each dimension.
    pub strides: Vec<i64>,
    /// Bytes of an element: a power of two up to 16.
    pub element_bytes: u64,
    /// Bytes of which the base address is known to be a multiple.
    pub alignment_bytes: u64,
}

/// What accessing a tile in a layout costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalAccess {
    /// Register bits that number the elements of one access, lowest first; see
    /// [`Layout::register_groups`].
    pub vector_bits: Vec<usize>,
    /// Instructions that a warp needs.
    pub instructions: usize,
    /// Sectors of 32 bytes that the first instruction of the first warp touches.
    pub sectors: u64,
    /// Lines of 128 bytes that it touches.
    pub lines: u64,
    /// Different bytes that it uses.
    pub bytes: u64,
}

impl GlobalAccess {
    /// The cost of accessing a tile of this layout in the widest vectors that are aligned, inside
    /// the tile or outside it as a whole, and in one piece in memory.
    pub fn analyse(layout: &Layout, access: &AffineAccess) -> GlobalAccess {
        let vector_bits = vector_bits(layout, access);
        let width = 1u64 << vector_bits.len();
        let access_bytes = (width * access.element_bytes) as i64;
        let starts: BTreeSet<i64> = (0..32)
            .map(|lane| layout.coordinates(Register(0), Lane(lane), Warp(0)))
            .filter(|element| {
                element
                    .iter()
                    .zip(layout.shape())
                    .all(|(index, size)| index < size)
            })
            .map(|element| {
                let terms = element.iter().zip(&access.strides);
                terms
                    .map(|(index, stride)| *index as i64 * stride)
                    .sum::<i64>()
                    * access.element_bytes as i64
            })
            .collect();
        let pieces = |bytes: i64| {
            let touched = starts.iter().flat_map(|start| {
                start.div_euclid(bytes)..=(start + access_bytes - 1).div_euclid(bytes)
            });
            touched.collect::<BTreeSet<i64>>().len() as u64
        };
        GlobalAccess {
            instructions: layout.register_groups(&vector_bits).len(),
            sectors: pieces(32),
            lines: pieces(128),
            bytes: pieces(1),
            vector_bits,
        }
    }

    /// Elements that a thread accesses at once.
    pub fn vector(&self) -> u64 {
        1 << self.vector_bits.len()
    }

    /// The part of the bytes moved that is used, from 0 to 1.
    pub fn efficiency(&self) -> f64 {
        self.bytes as f64 / (self.sectors * 32) as f64
    }
}

/// The register bits of the widest vector along a dimension of stride 1.
fn vector_bits(layout: &Layout, access: &AffineAccess) -> Vec<usize> {
    let along = |axis: usize| {
        let mut bits = layout.vector_register_bits(axis);
        let allowed = |width: u64| {
            let bytes = width * access.element_bytes;
            let others =
                (0..layout.rank()).filter(|other| *other != axis && layout.shape()[*other] > 1);
            bytes <= WIDEST_BYTES
                && access.alignment_bytes.is_multiple_of(bytes)
                && layout.shape()[axis].is_multiple_of(width)
                && others
                    .into_iter()
                    .all(|other| access.strides[other].unsigned_abs().is_multiple_of(width))
        };
        while !bits.is_empty() && !allowed(1 << bits.len()) {
            bits.pop();
        }
        bits
    };
    let contiguous = (0..layout.rank()).filter(|axis| access.strides[*axis] == 1);
    contiguous
        .map(along)
        .max_by_key(Vec::len)
        .unwrap_or_default()
}
