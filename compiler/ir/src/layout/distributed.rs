//! [`Layout`]: the elements of a tile that each register of each thread holds.

use super::attribute::LayoutError;
use super::linear::Span;

/// The coordinates, one per dimension, that a bit contributes to an element's coordinates.
pub type Basis = Vec<u32>;

/// The number of bits of a lane's number: a warp has 32 lanes on every NVIDIA GPU.
pub const LANE_BITS: usize = 5;

/// A register of a thread: the position of an element among those that the thread holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub usize);

/// A thread's number in its warp, below 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

/// A warp's number in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Warp(pub u32);

/// A bit of a thread's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadBit {
    /// A bit of the lane's number in its warp.
    Lane(u32),
    /// A bit of the warp's number in the program.
    Warp(u32),
}

/// Which element of a tile each (register, lane, warp) holds; the [module](super) has the model.
///
/// Two layouts are equal when they are written the same way. Whether two different ones put every
/// element in the same place is asked of [`Conversion`](super::Conversion).
///
/// Invariants: every basis has one coordinate per dimension; there are five lane bits; together the
/// bases reach every element of the block; the block repeated covers the shape, and no repetition
/// lies outside it entirely; if the number of warps is no power of two, the warps that the bits number besides
/// hold padding or copies alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layout {
    shape: Vec<u64>,
    registers: Vec<Basis>,
    lanes: Vec<Basis>,
    warps: Vec<Basis>,
    warp_count: u32,
    repeat: Vec<u64>,
}

impl Layout {
    /// The layout with these bases (lowest bit first), repeated as often as covers the shape.
    ///
    /// # Errors
    /// When the invariants of [`Layout`] cannot hold.
    pub fn new(
        shape: Vec<u64>,
        registers: Vec<Basis>,
        lanes: Vec<Basis>,
        warps: Vec<Basis>,
    ) -> Result<Layout, LayoutError> {
        if let Some(axis) = shape.iter().position(|size| *size == 0) {
            return Err(LayoutError::EmptyDimension { axis });
        }
        if lanes.len() != LANE_BITS {
            return Err(LayoutError::LaneBits { found: lanes.len() });
        }
        let all = || registers.iter().chain(&lanes).chain(&warps);
        if let Some(basis) = all().find(|basis| basis.len() != shape.len()) {
            return Err(LayoutError::Rank {
                expected: shape.len(),
                found: basis.len(),
            });
        }
        let block = block_of(shape.len(), all());
        let packing = Packing::of(&block);
        let bits = registers.len() + LANE_BITS + warps.len();
        if packing.width() > 63 || bits > 63 || warps.len() > 31 {
            return Err(LayoutError::TooLarge);
        }
        let reached = Span::of(all().map(|basis| packing.pack_basis(basis)));
        if reached.dimension() != packing.width() as usize {
            return Err(LayoutError::Holes);
        }
        let repeat = shape
            .iter()
            .zip(&block)
            .map(|(size, block)| size.div_ceil(*block))
            .collect();
        Ok(Layout {
            shape,
            registers,
            lanes,
            warp_count: 1 << warps.len(),
            warps,
            repeat,
        })
    }

    /// The layout of so many warps, of which the last ones that the bits could number are not there.
    ///
    /// # Errors
    /// When such a warp holds what no other one does, or the bits do not number so many.
    pub fn with_warp_count(mut self, count: u32) -> Result<Layout, LayoutError> {
        let bits = self.warps.len();
        if count == 0 || count > 1 << bits || count.next_power_of_two() != 1 << bits {
            return Err(LayoutError::WarpCount { bits, found: count });
        }
        self.warp_count = count;
        let lanes: Vec<Span> = (0..self.rank()).map(|axis| self.lane_span(axis)).collect();
        let is_held = |of_warp: Vec<u64>| {
            (0..self.register_count()).any(|register| {
                let coordinates = self.register_coordinates(register);
                let parts = coordinates.iter().zip(&of_warp).zip(&lanes);
                let mut least = parts.map(|((own, of_warp), lanes)| lanes.smallest(own ^ of_warp));
                self.shape.iter().all(|size| least.next() < Some(*size))
            })
        };
        if self.missing_warps().into_iter().any(is_held) {
            return Err(LayoutError::Holes);
        }
        Ok(self)
    }

    /// The coordinates of the warps that are not there, but would own what they hold.
    fn missing_warps(&self) -> Vec<Vec<u64>> {
        if self.warp_count.is_power_of_two() {
            return Vec::new();
        }
        let redundant = self.owners().redundant_warp_bits;
        (self.warp_count..self.warp_count.next_power_of_two())
            .filter(|warp| warp & redundant == 0)
            .map(|warp| combine(self.rank(), &self.warps, warp.into()))
            .collect()
    }

    /// What `make` makes for the most of these warps that are a power of two, with copies in the others.
    pub fn of_warps(count: u32, make: impl FnOnce(u32) -> Layout) -> Layout {
        make(1 << count.ilog2()).with_copies(count)
    }

    /// The layout for so many warps, where those that this one lacks hold copies.
    ///
    /// # Panics
    /// If it is for more warps.
    pub fn with_copies(mut self, count: u32) -> Layout {
        assert!(self.warp_count <= count, "copies are in further warps");
        if self.warp_count == count {
            return self;
        }
        let bits = count.next_power_of_two().trailing_zeros() as usize;
        self.warps.resize(bits, vec![0; self.shape.len()]);
        self.warp_count = count;
        self
    }

    /// The layout of the same warps with other bases.
    pub(super) fn remade(
        &self,
        shape: Vec<u64>,
        registers: Vec<Basis>,
        lanes: Vec<Basis>,
        warps: Vec<Basis>,
    ) -> Result<Layout, LayoutError> {
        Layout::new(shape, registers, lanes, warps)?.with_warp_count(self.warp_count)
    }

    /// What the lanes of a warp contribute to a coordinate.
    fn lane_span(&self, axis: usize) -> Span {
        Span::of(self.lanes.iter().map(|basis| u64::from(basis[axis])))
    }

    /// What each warp contributes to a coordinate.
    fn warp_parts(&self, axis: usize) -> impl Iterator<Item = u64> {
        (0..self.warp_count).map(move |warp| {
            let bases = self.warps.iter().enumerate();
            let set = bases.filter(|(bit, _)| warp >> bit & 1 == 1);
            set.fold(0, |sum, (_, basis)| sum ^ u64::from(basis[axis]))
        })
    }

    /// Whether warps that are not there would have a part along this axis.
    #[must_use]
    pub fn lacks_warps_along(&self, axis: usize) -> bool {
        self.missing_warps().iter().any(|parts| parts[axis] != 0)
    }

    /// A layout whose invariants follow from how it was made.
    pub(super) fn derived(
        shape: Vec<u64>,
        registers: Vec<Basis>,
        lanes: Vec<Basis>,
        warps: Vec<Basis>,
    ) -> Layout {
        valid(Layout::new(shape, registers, lanes, warps))
    }

    /// The sizes of the tile.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The sizes, powers of two, of what all threads hold in one repetition.
    pub fn block(&self) -> Vec<u64> {
        block_of(self.rank(), self.bases())
    }

    /// How often the block is repeated along each dimension.
    pub fn repeat(&self) -> &[u64] {
        &self.repeat
    }

    /// The sizes of what is held: the shape and its padding.
    pub fn covered(&self) -> Vec<u64> {
        let block = self.block();
        let whole = block.iter().zip(&self.repeat).enumerate();
        whole
            .map(|(axis, (block, repeat))| {
                if self.warp_count.is_power_of_two() {
                    return block * repeat;
                }
                let inside = self.registers.iter().chain(&self.lanes);
                let inside = Span::of(inside.map(|basis| u64::from(basis[axis])));
                let largest = self.warp_parts(axis).map(|warp| inside.largest(warp)).max();
                block * (repeat - 1) + largest.unwrap_or(0) + 1
            })
            .collect()
    }

    /// The basis vectors of the register bits inside the block, lowest bit first.
    pub fn register_bases(&self) -> &[Basis] {
        &self.registers
    }

    /// The basis vectors of the five lane bits, lowest bit first.
    pub fn lane_bases(&self) -> &[Basis] {
        &self.lanes
    }

    /// The basis vectors of the warp bits, lowest bit first.
    pub fn warp_bases(&self) -> &[Basis] {
        &self.warps
    }

    /// The basis vectors of all bits: registers, lanes, warps.
    pub fn bases(&self) -> impl Iterator<Item = &Basis> {
        self.registers.iter().chain(self.thread_bases())
    }

    /// The basis vectors of the bits that number threads: lanes, then warps.
    pub fn thread_bases(&self) -> impl Iterator<Item = &Basis> {
        self.lanes.iter().chain(&self.warps)
    }

    /// The registers of a thread in one repetition of the block.
    pub fn block_register_count(&self) -> usize {
        1 << self.registers.len()
    }

    /// The registers of a thread, all repetitions included.
    pub fn register_count(&self) -> usize {
        self.block_register_count() * self.repeat.iter().product::<u64>() as usize
    }

    /// The number of warps that hold the tile.
    pub fn warp_count(&self) -> u32 {
        self.warp_count
    }

    /// The part of a register's coordinates that is the same in every thread. XORed with
    /// [`thread_coordinates`](Self::thread_coordinates) it gives the element's coordinates.
    pub fn register_coordinates(&self, register: usize) -> Vec<u64> {
        let mut coordinates = combine(self.rank(), &self.registers, register as u64);
        let mut repetition = (register >> self.registers.len()) as u64;
        let block = self.block();
        for axis in (0..self.rank()).rev() {
            coordinates[axis] += repetition % self.repeat[axis] * block[axis];
            repetition /= self.repeat[axis];
        }
        coordinates
    }

    /// The part of an element's coordinates that depends on the thread.
    pub fn thread_coordinates(&self, lane: Lane, warp: Warp) -> Vec<u64> {
        let mut coordinates = combine(self.rank(), &self.lanes, u64::from(lane.0));
        xor_into(
            &mut coordinates,
            &combine(self.rank(), &self.warps, u64::from(warp.0)),
        );
        coordinates
    }

    /// The coordinates of the element that the register of this thread holds.
    pub fn coordinates(&self, register: Register, lane: Lane, warp: Warp) -> Vec<u64> {
        let mut coordinates = self.register_coordinates(register.0);
        xor_into(&mut coordinates, &self.thread_coordinates(lane, warp));
        coordinates
    }

    /// The first register whose [`register_coordinates`](Self::register_coordinates) are these.
    /// It relates the registers of two layouts with the same threads: those of a tile and of its
    /// broadcast, say.
    pub fn register_with_coordinates(&self, coordinates: &[u64]) -> Option<usize> {
        let block = self.block();
        let mut repetition = 0;
        for (axis, coordinate) in coordinates.iter().enumerate() {
            let index = coordinate / block[axis];
            if index >= self.repeat[axis] {
                return None;
            }
            repetition = repetition * self.repeat[axis] + index;
        }
        let packing = Packing::of(&block);
        let registers = Span::of(self.registers.iter().map(|basis| packing.pack_basis(basis)));
        let inside = coordinates
            .iter()
            .zip(&block)
            .map(|(coordinate, block)| coordinate % block);
        let first = registers.express(packing.pack(inside))?;
        Some(repetition as usize * self.block_register_count() + first as usize)
    }

    /// Whether registers and threads set different bits of every coordinate, so that coordinates
    /// may be added where the model says XOR.
    pub fn is_thread_coordinate_disjoint(&self) -> bool {
        (0..self.rank()).all(|axis| {
            let touched = |bases: &mut dyn Iterator<Item = &Basis>| {
                bases.fold(0, |bits, basis| bits | basis[axis])
            };
            touched(&mut self.registers.iter()) & touched(&mut self.thread_bases()) == 0
        })
    }

    /// How far the element of register `b` is from that of register `a` along each axis; `None` if that is not the same
    /// in every thread.
    pub fn distance(&self, a: usize, b: usize) -> Option<Vec<i64>> {
        let (a, b) = (self.register_coordinates(a), self.register_coordinates(b));
        let touched = |axis: usize| {
            let bits = self.thread_bases().map(|basis| u64::from(basis[axis]));
            bits.fold(0, |all, bit| all | bit)
        };
        let each = a.iter().zip(&b).enumerate();
        each.map(|(axis, (a, b))| ((a ^ b) & touched(axis) == 0).then(|| *b as i64 - *a as i64))
            .collect()
    }

    /// Whether the register is padding in at least one thread.
    pub fn may_be_padding(&self, register: usize) -> bool {
        self.exceeds_shape(register, Span::largest, u64::max)
    }

    /// Whether one of the register's coordinates is outside the shape in every thread, so that the
    /// register need not exist. (False does not promise an element inside.)
    pub fn is_padding(&self, register: usize) -> bool {
        self.exceeds_shape(register, Span::smallest, u64::min)
    }

    fn exceeds_shape(
        &self,
        register: usize,
        extreme: fn(&Span, u64) -> u64,
        of_two: fn(u64, u64) -> u64,
    ) -> bool {
        let coordinates = self.register_coordinates(register);
        coordinates.iter().enumerate().any(|(axis, coordinate)| {
            let found = if self.warp_count.is_power_of_two() {
                let threads = Span::of(self.thread_bases().map(|basis| u64::from(basis[axis])));
                extreme(&threads, *coordinate)
            } else {
                let lanes = self.lane_span(axis);
                let warps = self.warp_parts(axis);
                let each = warps.map(|warp| extreme(&lanes, coordinate ^ warp));
                each.reduce(of_two).unwrap_or(*coordinate)
            };
            found >= self.shape[axis]
        })
    }

    /// The widest vector, in elements, that every thread holds along an axis in consecutive
    /// registers: registers `i * width .. (i + 1) * width` hold elements that follow each other,
    /// the first at a multiple of `width`. A power of two.
    pub fn contiguous(&self, axis: usize) -> u64 {
        let bits = self.vector_register_bits(axis);
        let in_order = bits
            .iter()
            .enumerate()
            .take_while(|(position, bit)| position == *bit)
            .count();
        self.aligned_prefix(axis, &bits[..in_order])
    }

    /// The register bits that together number a vector along an axis, lowest first: bit i of the
    /// result steps by `2^i` elements along the axis and nowhere else, and all other bits of the
    /// layout step by multiples of the vector's width. Unlike [`contiguous`](Self::contiguous) it
    /// finds vectors whose registers are not consecutive.
    pub fn vector_register_bits(&self, axis: usize) -> Vec<usize> {
        let mut found = Vec::new();
        while let Some(bit) = self
            .registers
            .iter()
            .position(|basis| is_unit(basis, axis, 1u32.wrapping_shl(found.len() as u32)))
        {
            found.push(bit);
        }
        let width = self.aligned_prefix(axis, &found);
        found.truncate(width.trailing_zeros() as usize);
        found
    }

    /// The distinct registers in groups that differ in these register bits only, each in the order
    /// of the number that the bits form, the first of `bits` being the lowest.
    pub fn register_groups(&self, bits: &[usize]) -> Vec<Vec<usize>> {
        let mask = bits.iter().fold(0, |mask, bit| mask | 1usize << bit);
        let member = |first: usize, number: usize| {
            let set = bits
                .iter()
                .enumerate()
                .filter(|(position, _)| number >> position & 1 == 1);
            set.fold(first, |register, (_, bit)| register | 1 << bit)
        };
        let firsts = self
            .distinct_registers()
            .into_iter()
            .filter(|register| register & mask == 0);
        firsts
            .map(|first| {
                (0..1 << bits.len())
                    .map(|number| member(first, number))
                    .collect()
            })
            .collect()
    }

    /// The width of the longest vector numbered by the first of these register bits such that every
    /// bit but these steps by a multiple of the width.
    fn aligned_prefix(&self, axis: usize, bits: &[usize]) -> u64 {
        let mut length = bits.len();
        while length > 0 {
            let chosen = &bits[..length];
            let registers = self.registers.iter().enumerate();
            let others = registers
                .filter(|(bit, _)| !chosen.contains(bit))
                .map(|(_, basis)| basis);
            if others
                .chain(self.thread_bases())
                .all(|basis| basis[axis].trailing_zeros() as usize >= length)
            {
                break;
            }
            length -= 1;
        }
        1 << length
    }
}

/// A layout that follows from a valid one, as one knows of how it is made.
pub(super) fn valid(layout: Result<Layout, LayoutError>) -> Layout {
    match layout {
        Ok(layout) => layout,
        Err(error) => panic!("a layout derived from a valid one is valid: {error}"),
    }
}

/// The coordinates of all bits set in `number`.
fn combine(rank: usize, bases: &[Basis], number: u64) -> Vec<u64> {
    let mut coordinates = vec![0; rank];
    for (bit, basis) in bases.iter().enumerate() {
        if number >> bit & 1 == 1 {
            basis
                .iter()
                .zip(&mut coordinates)
                .for_each(|(step, coordinate)| *coordinate ^= u64::from(*step));
        }
    }
    coordinates
}

fn xor_into(coordinates: &mut [u64], other: &[u64]) {
    coordinates
        .iter_mut()
        .zip(other)
        .for_each(|(coordinate, other)| *coordinate ^= other);
}

fn is_unit(basis: &Basis, axis: usize, step: u32) -> bool {
    basis
        .iter()
        .enumerate()
        .all(|(dimension, coordinate)| *coordinate == if dimension == axis { step } else { 0 })
}

fn block_of<'a>(rank: usize, bases: impl Iterator<Item = &'a Basis>) -> Vec<u64> {
    let mut touched = vec![0u64; rank];
    for basis in bases {
        basis
            .iter()
            .zip(&mut touched)
            .for_each(|(step, bits)| *bits |= u64::from(*step));
    }
    touched
        .iter()
        .map(|bits| (bits + 1).next_power_of_two())
        .collect()
}

/// Coordinates as one number: every dimension gets its own field of bits, the last one lowest.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    widths: Vec<u32>,
}

impl Packing {
    /// Fields wide enough for coordinates below these sizes.
    pub(super) fn of(sizes: &[u64]) -> Packing {
        Packing {
            widths: sizes
                .iter()
                .map(|size| super::linear::bits_for(*size))
                .collect(),
        }
    }

    pub(super) fn width(&self) -> u32 {
        self.widths.iter().sum()
    }

    pub(super) fn pack(&self, coordinates: impl IntoIterator<Item = u64>) -> u64 {
        coordinates
            .into_iter()
            .zip(&self.widths)
            .fold(0, |packed, (coordinate, width)| {
                packed << width | coordinate
            })
    }

    pub(super) fn pack_basis(&self, basis: &Basis) -> u64 {
        self.pack(basis.iter().map(|step| u64::from(*step)))
    }
}
