//! Row-major reshapes that move no data.
//!
//! A reshape splits the dimensions into groups whose products agree, `[6, 8, 4] -> [6, 32]` into
//! `6 -> 6` and `8, 4 -> 32`. In a group the bits of the coordinates are the bits of one row-major
//! offset, as long as all sizes but the first one are powers of two; then the same bits mean the
//! coordinates of the other side. Repetitions that end up inside a block become register bits.

use super::distributed::{Basis, Layout};
use std::collections::BTreeMap;

/// Dimensions of the source that together become dimensions of the result.
struct Group {
    source: Vec<usize>,
    target: Vec<usize>,
}

impl Layout {
    /// The layout of the tile reshaped in row-major order to `new_shape`, if it is one: `None` when
    /// the sizes involved are not powers of two, or the element counts differ.
    pub fn reshape(&self, new_shape: &[u64]) -> Option<Layout> {
        let groups = groups(self.shape(), new_shape)?;
        let block = self.block();
        let dropped_ones_are_single =
            (0..self.rank()).all(|axis| self.shape()[axis] > 1 || block[axis] == 1);
        if !dropped_ones_are_single {
            return None;
        }
        let mut folded: Vec<Basis> = Vec::new();
        for group in &groups {
            for (axis, count) in self.repetitions_to_fold(group, new_shape, &block)? {
                for bit in 0..count.trailing_zeros() {
                    let mut basis = vec![0; self.rank()];
                    basis[axis] = u32::try_from(block[axis] << bit).ok()?;
                    folded.push(basis);
                }
            }
        }
        let map = |basis: &Basis| -> Option<Basis> {
            let coordinates: Vec<u64> = basis.iter().map(|step| u64::from(*step)).collect();
            let reshaped = reshape_coordinates(&groups, self.shape(), new_shape, &coordinates);
            reshaped
                .iter()
                .map(|coordinate| u32::try_from(*coordinate).ok())
                .collect()
        };
        let registers = self
            .register_bases()
            .iter()
            .chain(&folded)
            .map(map)
            .collect::<Option<_>>()?;
        let lanes = self.lane_bases().iter().map(map).collect::<Option<_>>()?;
        let warps = self.warp_bases().iter().map(map).collect::<Option<_>>()?;
        self.remade(new_shape.to_vec(), registers, lanes, warps)
            .ok()
    }

    /// The layout of pairs of neighbours along the last dimension, where registers hold both one after the other.
    pub fn of_pairs(&self) -> Option<Layout> {
        let last = self.rank().checked_sub(1)?;
        let (first, registers) = self.register_bases().split_first()?;
        let is_pair = (0..self.rank()).all(|axis| first[axis] == u32::from(axis == last));
        let halved = |bases: &[Basis]| -> Option<Vec<Basis>> {
            let half = |basis: &Basis| {
                let mut basis = basis.clone();
                basis[last] /= 2;
                basis
            };
            let is_even = bases.iter().all(|basis| basis[last].is_multiple_of(2));
            is_even.then(|| bases.iter().map(half).collect())
        };
        let mut shape = self.shape().to_vec();
        if !is_pair || !shape[last].is_multiple_of(2) {
            return None;
        }
        shape[last] /= 2;
        let [lanes, warps] = [self.lane_bases(), self.warp_bases()].map(halved);
        self.remade(shape, halved(registers)?, lanes?, warps?).ok()
    }

    /// For each register of a layout of the reshaped tile the register of this layout that holds the same element; `None` unless each
    /// thread has the same elements in both. Their registers may be in another order than those of [`reshape`](Self::reshape).
    pub fn reshaped_registers(&self, result: &Layout) -> Option<Vec<usize>> {
        let new_shape = result.shape();
        let groups = groups(self.shape(), new_shape)?;
        let wide =
            |basis: &Basis| -> Vec<u64> { basis.iter().map(|step| (*step).into()).collect() };
        let is_same = |(before, after): (&Basis, &Basis)| {
            reshape_coordinates(&groups, self.shape(), new_shape, &wide(before)) == wide(after)
        };
        let lanes = self.lane_bases().iter().zip(result.lane_bases());
        let warps = self.warp_bases().iter().zip(result.warp_bases());
        if !lanes.chain(warps).all(is_same) {
            return None;
        }
        let mut source = BTreeMap::new();
        for register in 0..self.register_count() {
            let coordinates = self.register_coordinates(register);
            source
                .entry(reshape_coordinates(
                    &groups,
                    self.shape(),
                    new_shape,
                    &coordinates,
                ))
                .or_insert(register);
        }
        (0..result.register_count())
            .map(|register| source.get(&result.register_coordinates(register)).copied())
            .collect()
    }

    /// The axes of a group whose repetitions have to become register bits, each with how many of
    /// them, a power of two. `None` if the group cannot be reshaped.
    fn repetitions_to_fold(
        &self,
        group: &Group,
        new_shape: &[u64],
        block: &[u64],
    ) -> Option<Vec<(usize, u64)>> {
        let (Some((first, inner)), Some((_, inner_target))) =
            (group.source.split_first(), group.target.split_first())
        else {
            return None;
        };
        let filled = |axis: &usize| {
            let size = self.shape()[*axis];
            size.is_power_of_two() && size == block[*axis] * self.repeat()[*axis]
        };
        let inner_are_bits = inner.iter().all(filled)
            && inner_target
                .iter()
                .all(|axis| new_shape[*axis].is_power_of_two());
        if !inner_are_bits {
            return None;
        }
        let mut fold: Vec<(usize, u64)> = inner
            .iter()
            .map(|axis| (*axis, self.repeat()[*axis]))
            .collect();
        let inner_size: u64 = inner.iter().map(|axis| self.shape()[*axis]).product();
        let inner_target_size: u64 = inner_target.iter().map(|axis| new_shape[*axis]).product();
        let missing =
            (inner_target_size / (block[*first] * inner_size).min(inner_target_size)).max(1);
        if !self.repeat()[*first].is_multiple_of(missing) {
            return None;
        }
        fold.push((*first, missing));
        Some(fold)
    }
}

/// Splits both shapes, without their ones, into the smallest groups of equal products.
fn groups(source: &[u64], target: &[u64]) -> Option<Vec<Group>> {
    let axes = |shape: &[u64]| {
        (0..shape.len())
            .filter(|axis| shape[*axis] != 1)
            .collect::<Vec<_>>()
    };
    let (source_axes, target_axes) = (axes(source), axes(target));
    let (mut source_axes, mut target_axes) = (source_axes.into_iter(), target_axes.into_iter());
    let mut groups = Vec::new();
    while let Some(first) = source_axes.next() {
        let mut group = Group {
            source: vec![first],
            target: vec![target_axes.next()?],
        };
        let (mut left, mut right) = (source[first], target[group.target[0]]);
        while left != right {
            if left < right {
                let axis = source_axes.next()?;
                left *= source[axis];
                group.source.push(axis);
            } else {
                let axis = target_axes.next()?;
                right *= target[axis];
                group.target.push(axis);
            }
        }
        groups.push(group);
    }
    target_axes.next().is_none().then_some(groups)
}

fn reshape_coordinates(
    groups: &[Group],
    source: &[u64],
    target: &[u64],
    coordinates: &[u64],
) -> Vec<u64> {
    let mut reshaped = vec![0; target.len()];
    for group in groups {
        let mut offset = group.source.iter().fold(0, |offset, axis| {
            offset * source[*axis] + coordinates[*axis]
        });
        for (position, axis) in group.target.iter().enumerate().rev() {
            // The first dimension takes what is left: coordinates of padding exceed its size.
            let size = if position == 0 {
                u64::MAX
            } else {
                target[*axis]
            };
            reshaped[*axis] = offset % size;
            offset /= size;
        }
    }
    reshaped
}
