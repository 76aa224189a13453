//! Layouts of the results of shape operations that move no data: slices (reductions), inserted
//! dimensions, operands of broadcasts, permutations.
//!
//! Each result has the threads of its source, in the same places. Register numbers may differ;
//! which register of one is which of the other is found by their coordinates
//! ([`Layout::register_with_coordinates`]) and, for permutations, by
//! [`Layout::permuted_registers`].

use super::distributed::{Basis, Layout, Packing, valid};
use super::linear::Span;

impl Layout {
    /// The layout of what is left when a reduction along `axis` is done and each thread that took
    /// part keeps the result: the coordinate is dropped. Registers that then hold the same element
    /// become one; lanes and warps become copies.
    pub fn remove_dimension(&self, axis: usize) -> Layout {
        self.with_bases(without(self.shape(), axis), |basis| without(basis, axis))
    }

    /// The layout of the tile with a dimension of size 1 inserted, so that it becomes number
    /// `axis`.
    pub fn insert_dimension(&self, axis: usize) -> Layout {
        let mut shape = self.shape().to_vec();
        shape.insert(axis, 1);
        let insert = |basis: &Basis| {
            let mut basis = basis.clone();
            basis.insert(axis, 0);
            basis
        };
        let all = |bases: &[Basis]| bases.iter().map(insert).collect();
        valid(self.remade(
            shape,
            all(self.register_bases()),
            all(self.lane_bases()),
            all(self.warp_bases()),
        ))
    }

    /// The layout that an operand of size 1 along `axis` has to have so that broadcasting it gives
    /// this layout without moving data. Registers that hold the same element become one.
    pub fn project(&self, axis: usize) -> Layout {
        let mut shape = self.shape().to_vec();
        shape[axis] = 1;
        self.with_bases(shape, |basis| {
            let mut basis = basis.clone();
            basis[axis] = 0;
            basis
        })
    }

    /// The layout of the tile whose axis of size 1 is broadcast to `size`, a power of two, if each thread takes copies of what
    /// it has: lanes that hold the same share them out, and each takes all of the rest.
    pub fn broadcast_in_place(&self, axis: usize, size: u64) -> Option<Layout> {
        let mut shape = self.shape().to_vec();
        if shape[axis] != 1 || !size.is_power_of_two() || self.block()[axis] != 1 {
            return None;
        }
        shape[axis] = size;
        let step = |bit: u32| {
            let mut basis = vec![0; self.rank()];
            basis[axis] = 1 << bit;
            basis
        };
        let mut left = 0..size.trailing_zeros();
        let mut lanes = self.lane_bases().to_vec();
        for basis in &mut lanes {
            if basis.iter().all(|step| *step == 0)
                && let Some(bit) = left.next_back()
            {
                *basis = step(bit);
            }
        }
        let registers = left.map(step);
        let registers = registers.chain(self.register_bases().iter().cloned());
        let warps = self.warp_bases().to_vec();
        self.remade(shape, registers.collect(), lanes, warps).ok()
    }

    /// The layout of the transposed tile: dimension `i` of the result is dimension
    /// `permutation[i]` of this one.
    ///
    /// # Panics
    /// If `permutation` is none.
    pub fn permute(&self, permutation: &[usize]) -> Layout {
        assert!(
            permutation.len() == self.rank()
                && (0..self.rank()).all(|axis| permutation.contains(&axis))
        );
        let permuted = |basis: &Basis| permutation.iter().map(|axis| basis[*axis]).collect();
        let all = |bases: &[Basis]| bases.iter().map(permuted).collect();
        let shape = permutation.iter().map(|axis| self.shape()[*axis]).collect();
        valid(self.remade(
            shape,
            all(self.register_bases()),
            all(self.lane_bases()),
            all(self.warp_bases()),
        ))
    }

    /// For each register of [`permute`](Self::permute)'s result the register of this layout that
    /// holds the same element. Only repetitions are renumbered.
    pub fn permuted_registers(&self, permutation: &[usize]) -> Vec<usize> {
        let repeat: Vec<u64> = permutation
            .iter()
            .map(|axis| self.repeat()[*axis])
            .collect();
        let per_block = self.block_register_count();
        (0..self.register_count())
            .map(|register| {
                let mut rest = (register / per_block) as u64;
                let mut repetition = vec![0; self.rank()];
                for (axis, count) in permutation.iter().zip(&repeat).rev() {
                    repetition[*axis] = rest % count;
                    rest /= count;
                }
                let number = repetition
                    .iter()
                    .zip(self.repeat())
                    .fold(0, |number, (index, count)| number * count + index);
                number as usize * per_block + register % per_block
            })
            .collect()
    }

    /// The layout with every basis mapped, without the register bits that this makes superfluous.
    fn with_bases(&self, shape: Vec<u64>, map: impl Fn(&Basis) -> Basis) -> Layout {
        let all = |bases: &[Basis]| -> Vec<Basis> { bases.iter().map(&map).collect() };
        let mut registers = all(self.register_bases());
        let block: Vec<u64> = (0..shape.len())
            .map(|axis| {
                registers
                    .iter()
                    .fold(0, |bits, basis| bits | u64::from(basis[axis]))
                    + 1
            })
            .collect();
        let packing = Packing::of(&block);
        let mut reached = Span::default();
        registers.retain(|basis| reached.insert(packing.pack_basis(basis)));
        valid(self.remade(
            shape,
            registers,
            all(self.lane_bases()),
            all(self.warp_bases()),
        ))
    }
}

fn without<T: Clone>(values: &[T], axis: usize) -> Vec<T> {
    let mut values = values.to_vec();
    values.remove(axis);
    values
}
