//! What an access to global memory costs: sectors that a warp touches, and why vectors are no wider.
//!
//! Memory moves in sectors of 32 bytes. Comes in: the pointers of an access, its mask, the layout of
//! its tile and the width of its vectors. Goes out: how many sectors the first request of the first
//! warp touches, when the tile begins at the beginning of a sector and wherever it may begin else.

use std::collections::{BTreeMap, BTreeSet};

use super::data::Pattern;
use super::strides::{Affine, Stride};
use crate::diagnostic::remark::Narrow;
use crate::facts::Facts;
use crate::layout::{Lane, Layout, Register, Warp};

/// Bytes of a sector.
const SECTOR: i64 = 32;

/// Bytes of the widest access of a lane.
const WIDEST: u64 = 16;

/// An access through a tile of pointers.
pub struct TileAccess<'a> {
    /// Of the tile.
    pub layout: &'a Layout,
    /// Of the addresses.
    pub addresses: &'a Affine,
    /// What else is known of them.
    pub facts: &'a Facts,
    /// What is known of the mask.
    pub mask: Option<&'a Facts>,
    /// Of an element.
    pub element_bytes: u64,
    /// Elements of one instruction of one lane.
    pub vector: u64,
    /// Whether one thread of those that hold an element acts: a store.
    pub by_owners: bool,
}

/// What a request costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Instructions of all warps of a program.
    pub requests: u64,
    /// Sectors that one touches when the tile begins at the beginning of one.
    pub sectors: u64,
    /// The most that it touches, wherever the tile begins.
    pub at_most: u64,
    /// Sectors that would hold what it uses.
    pub ideal: u64,
    /// How lanes access.
    pub pattern: Pattern,
}

/// Bytes that lie at a fixed distance from each other: where nothing is known of the distance they
/// are in different pieces.
type Pieces = BTreeMap<Vec<u64>, BTreeSet<i64>>;

impl TileAccess<'_> {
    /// The cost.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let pieces = self.pieces();
        let bytes = (self.vector * self.element_bytes) as i64;
        let touched = |starts: &BTreeSet<i64>, offset: i64| {
            let sectors = starts.iter().flat_map(|start| {
                let start = start + offset;
                start.div_euclid(SECTOR)..=(start + bytes - 1).div_euclid(SECTOR)
            });
            sectors.collect::<BTreeSet<i64>>().len() as u64
        };
        // 0 is what everything divides.
        let step = match self.divisor() {
            0 => SECTOR,
            divisor => divisor.min(SECTOR as u64) as i64,
        };
        let most = |starts| {
            (0..SECTOR)
                .step_by(step as usize)
                .map(|at| touched(starts, at))
                .max()
        };
        let sectors = pieces.values().map(|starts| touched(starts, 0)).sum();
        let used: u64 = pieces
            .values()
            .map(|starts| {
                let used = starts.iter().flat_map(|start| *start..start + bytes);
                used.collect::<BTreeSet<i64>>().len() as u64
            })
            .sum();
        let ideal = used.div_ceil(SECTOR as u64);
        let pattern = if used <= bytes as u64 {
            Pattern::Uniform
        } else if 2 * sectors <= 3 * ideal {
            // What is beyond are rows that begin inside of a sector.
            Pattern::Coalesced
        } else if self.addresses.strides.contains(&Stride::Irregular) {
            Pattern::Scattered
        } else {
            Pattern::Strided
        };
        Cost {
            requests: self.requests(),
            sectors,
            at_most: pieces.values().filter_map(most).sum(),
            ideal,
            pattern,
        }
    }

    fn requests(&self) -> u64 {
        let registers = self.layout.distinct_registers().into_iter();
        let real = registers.filter(|register| !self.layout.is_padding(*register));
        let instructions = (real.count() as u64).div_ceil(self.vector);
        let idle = if self.by_owners {
            self.layout.owners().redundant_warp_bits.count_ones()
        } else {
            0
        };
        instructions * u64::from(self.layout.warp_count() >> idle)
    }

    /// What divides the address at which a piece begins.
    fn divisor(&self) -> u64 {
        let start = self.addresses.start_divisor;
        let distances = self.addresses.strides.iter().map(|stride| match stride {
            Stride::Multiple(divisor) => *divisor,
            _ => 0,
        });
        distances.fold(start, |a, b| match (a, b) {
            (0, other) | (other, 0) => other,
            _ => 1 << a.trailing_zeros().min(b.trailing_zeros()),
        })
    }

    /// Where the lanes of the first warp access their first vectors.
    fn pieces(&self) -> Pieces {
        let shape = self.layout.shape();
        let owners = self.layout.owners();
        let mut pieces = Pieces::new();
        for lane in (0..32).map(Lane) {
            if self.by_owners && !owners.contains(lane, Warp(0)) {
                continue;
            }
            let element = self.layout.coordinates(Register(0), lane, Warp(0));
            if element.iter().zip(shape).any(|(index, size)| index >= size) {
                continue;
            }
            let mut far = Vec::new();
            let mut near = 0;
            for (axis, index) in element.iter().enumerate() {
                match self.addresses.strides.get(axis) {
                    Some(Stride::Known(stride)) => near += *index as i64 * stride,
                    Some(Stride::Multiple(_)) => far.push(*index),
                    _ => {
                        // Runs that count up are all that is known.
                        let run = self.facts.contiguity.get(axis).copied().unwrap_or(1).max(1);
                        let steady = self.facts.constancy.get(axis).copied().unwrap_or(1).max(1);
                        if run > 1 {
                            far.push(index / run);
                            near += (index % run * self.element_bytes) as i64;
                        } else {
                            far.push(index / steady);
                        }
                    }
                }
            }
            pieces.entry(far).or_default().insert(near);
        }
        pieces
    }

    /// Why vectors are no wider than they are, if they could be.
    #[must_use]
    pub fn narrow(&self) -> Option<Narrow> {
        let wide = WIDEST / self.element_bytes.clamp(1, WIDEST);
        if self.vector >= wide {
            return None;
        }
        let distinct = self.layout.distinct_registers().len() as u64;
        let shape = self.layout.shape();
        let next_to_each_other = |axis: &usize| {
            self.facts.contiguity[*axis] > 1
                || self.addresses.strides.get(*axis)
                    == Some(&Stride::Known(self.element_bytes as i64))
        };
        let axes = 0..shape.len().min(self.facts.contiguity.len());
        let Some(axis) = axes
            .filter(next_to_each_other)
            .max_by_key(|axis| shape[*axis])
        else {
            return Some(Narrow::Apart);
        };
        if distinct <= self.vector {
            return Some(Narrow::FewElements);
        }
        let next = self.vector * 2;
        let run = power_of_two(self.facts.contiguity[axis]);
        if !shape[axis].is_multiple_of(next) {
            return Some(Narrow::Shape { size: shape[axis] });
        }
        let aligned = self.facts.byte_divisor_at(axis, next, self.element_bytes);
        if run < next || aligned < next * self.element_bytes {
            return Some(Narrow::Alignment {
                bytes: aligned
                    .min(run * self.element_bytes)
                    .max(self.element_bytes),
            });
        }
        if self
            .mask
            .is_some_and(|mask| power_of_two(mask.constancy[axis]) < next)
        {
            return Some(Narrow::Mask);
        }
        Some(Narrow::Layout)
    }
}

fn power_of_two(number: u64) -> u64 {
    match number {
        0 => 1,
        _ => 1 << number.trailing_zeros(),
    }
}
