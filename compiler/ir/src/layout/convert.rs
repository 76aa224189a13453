//! [`Conversion`]: what it takes to bring a tile from one layout into another.
//!
//! The question is a system of linear equations over F2. Element by element, a register `d` of lane
//! `l` and warp `w` in the new layout must get what register `s` of lane `l ^ delta` and the same
//! warp has in the old one:
//!
//! ```text
//! from(s) ^ from(delta) = to(d) ^ to(l) ^ from(l) ^ to(w) ^ from(w)
//! ```
//!
//! The right-hand side is linear in the bits of d, l and w, so it is enough to solve for each of
//! them. If that fails, data has to cross warps. If no solution needs `delta`, data stays in its
//! thread. Registers are preferred, so lanes exchange no more than they must.
//!
//! Repetitions enter as bits of their own, numbering the repetitions along each dimension; those
//! beyond the last one do not exist, and are only ever asked for padding.

use super::distributed::{Layout, Packing};
use super::linear::{Span, bits_for};
use super::shuffle::ShufflePlan;

/// How to get a tile from one layout into another. Padding may be anything afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Every register is already what it has to be.
    Identity,
    /// Register i becomes register `p[i]` of the same thread.
    Registers(Vec<usize>),
    /// Lanes of a warp exchange registers, or choose among their own. Whether shared memory is
    /// cheaper is for the caller to judge by the number of shuffles and selects.
    Shuffles(ShufflePlan),
    /// Elements cross warps, so they go through shared memory:
    /// [`SharedLayout::for_round_trip`](super::SharedLayout::for_round_trip).
    Shared,
}

impl Conversion {
    /// The cheapest kind of conversion.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn plan(from: &Layout, to: &Layout) -> Conversion {
        assert!(from.shape() == to.shape(), "a conversion keeps the shape");
        if is_identity(from, to) {
            return Conversion::Identity;
        }
        let Some(equations) = Equations::solve(from, to) else {
            return Conversion::Shared;
        };
        if let Some(sources) = equations.registers_only(to) {
            return Conversion::Registers(sources);
        }
        Conversion::Shuffles(ShufflePlan::new(&equations, from, to))
    }
}

fn is_identity(from: &Layout, to: &Layout) -> bool {
    from.thread_bases().eq(to.thread_bases())
        && from.warp_count() == to.warp_count()
        && from.register_count() == to.register_count()
        && (0..to.register_count()).all(|register| {
            to.is_padding(register)
                || from.register_coordinates(register) == to.register_coordinates(register)
        })
}

/// The register numbers of a layout with the repetitions along each dimension as bits of their own,
/// which follow the register bits of the block: a *slot*. Slots of repetitions beyond the last one
/// have no register.
pub(super) struct Slots<'a> {
    layout: &'a Layout,
    /// The bits that number repetitions: dimension and weight.
    repetition_bits: Vec<(usize, u64)>,
}

impl Slots<'_> {
    pub(super) fn of(layout: &Layout) -> Slots<'_> {
        let axes = (0..layout.rank()).rev();
        let bits = axes
            .flat_map(|axis| (0..bits_for(layout.repeat()[axis])).map(move |bit| (axis, 1 << bit)));
        Slots {
            layout,
            repetition_bits: bits.collect(),
        }
    }

    pub(super) fn bits(&self) -> usize {
        self.layout.register_bases().len() + self.repetition_bits.len()
    }

    /// The coordinates of each bit.
    pub(super) fn vectors(&self) -> Vec<Vec<u64>> {
        let block = self.layout.block();
        let registers = self.layout.register_bases().iter();
        let registers = registers.map(|basis| basis.iter().map(|step| u64::from(*step)).collect());
        let repetitions = self.repetition_bits.iter().map(|(axis, weight)| {
            let mut vector = vec![0; self.layout.rank()];
            vector[*axis] = weight * block[*axis];
            vector
        });
        registers.chain(repetitions).collect()
    }

    /// The register of a slot.
    pub(super) fn register(&self, slot: usize) -> Option<usize> {
        let mut repetition = vec![0; self.layout.rank()];
        for (bit, (axis, weight)) in self.repetition_bits.iter().enumerate() {
            if slot >> (self.layout.register_bases().len() + bit) & 1 == 1 {
                repetition[*axis] += weight;
            }
        }
        let mut number = 0;
        for (index, count) in repetition.iter().zip(self.layout.repeat()) {
            if index >= count {
                return None;
            }
            number = number * count + index;
        }
        let per_block = self.layout.block_register_count();
        Some(number as usize * per_block + slot % per_block)
    }

    /// The slots of all registers, by register.
    pub(super) fn by_register(&self) -> Vec<usize> {
        let mut slots = vec![0; self.layout.register_count()];
        for slot in 0..1 << self.bits() {
            if let Some(register) = self.register(slot) {
                slots[register] = slot;
            }
        }
        slots
    }
}

/// Where a bit of the new layout finds its elements in the old one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// The slot, XORed together from the bits' slots.
    pub slot: usize,
    /// The difference between the lane that needs the element and the lane that has it.
    pub lane: u32,
}

impl Source {
    pub(super) fn xor(self, other: Source) -> Source {
        Source {
            slot: self.slot ^ other.slot,
            lane: self.lane ^ other.lane,
        }
    }

    /// The XOR of the sources of all bits set in `number`.
    pub(super) fn of_bits(sources: &[Source], number: usize) -> Source {
        let set = sources
            .iter()
            .enumerate()
            .filter(|(bit, _)| number >> bit & 1 == 1);
        set.fold(Source::default(), |sum, (_, source)| sum.xor(*source))
    }
}

/// The solution of the equations above.
pub(super) struct Equations {
    /// For each bit of the new layout's slots.
    pub slots: Vec<Source>,
    /// For each lane bit.
    pub lanes: Vec<Source>,
    /// For each warp bit.
    pub warps: Vec<Source>,
    /// Differences that lead to the same element in the old layout: its copies.
    pub copies: Vec<Source>,
    from_registers: Vec<Option<usize>>,
}

impl Equations {
    /// `None` when elements have to cross warps.
    fn solve(from: &Layout, to: &Layout) -> Option<Equations> {
        if from.warp_bases().len() != to.warp_bases().len() {
            return None;
        }
        let (from_slots, to_slots) = (Slots::of(from), Slots::of(to));
        let sizes: Vec<u64> = from
            .covered()
            .iter()
            .zip(to.covered())
            .map(|(a, b)| (*a).max(b))
            .collect();
        let packing = Packing::of(&sizes);
        // Bits of coordinates that no element of the tile has set are of no interest in the result.
        let inside: Vec<u64> = to
            .shape()
            .iter()
            .map(|size| size.next_power_of_two() - 1)
            .collect();
        let inside = packing.pack(inside.iter().copied());
        let widths_fit = packing.width() <= 63 && from_slots.bits() + from.lane_bases().len() <= 64;
        if !widths_fit {
            return None;
        }

        let pack = |vector: Vec<u64>| packing.pack(vector);
        let mut reachable: Vec<u64> = from_slots.vectors().into_iter().map(pack).collect();
        reachable.extend(
            from.lane_bases()
                .iter()
                .map(|basis| packing.pack_basis(basis)),
        );
        let source = |combination: u64| Source {
            slot: (combination & ((1 << from_slots.bits()) - 1)) as usize,
            lane: (combination >> from_slots.bits()) as u32,
        };
        let mut span = Span::default();
        let mut copies = Vec::new();
        for (bit, vector) in reachable.iter().enumerate() {
            if let Some(combination) = span.express(*vector) {
                copies.push(source(combination | 1 << bit));
            }
            span.insert(*vector);
        }
        let solve = |vector: u64| span.express(vector).map(source);

        let slots = to_slots
            .vectors()
            .into_iter()
            .map(|vector| solve(pack(vector) & inside));
        let threads = |to: &[Vec<u32>], from: &[Vec<u32>]| -> Option<Vec<Source>> {
            let pairs = to.iter().zip(from);
            pairs
                .map(|(to, from)| solve(packing.pack_basis(to) & inside ^ packing.pack_basis(from)))
                .collect()
        };
        Some(Equations {
            slots: slots.collect::<Option<_>>()?,
            lanes: threads(to.lane_bases(), from.lane_bases())?,
            warps: threads(to.warp_bases(), from.warp_bases())?,
            copies,
            from_registers: (0..1 << from_slots.bits())
                .map(|slot| from_slots.register(slot))
                .collect(),
        })
    }

    /// The source register of each register, if no thread needs anything from another one.
    fn registers_only(&self, to: &Layout) -> Option<Vec<usize>> {
        let stays = self.slots.iter().all(|source| source.lane == 0)
            && self
                .lanes
                .iter()
                .chain(&self.warps)
                .all(|source| *source == Source::default());
        let source =
            |slot: usize| self.from_registers[Source::of_bits(&self.slots, slot).slot].unwrap_or(0);
        stays.then(|| {
            Slots::of(to)
                .by_register()
                .into_iter()
                .map(source)
                .collect()
        })
    }
}
