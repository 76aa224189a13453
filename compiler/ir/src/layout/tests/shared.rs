//! Shared memory: every element has its own bytes, and the split addresses are the right ones.

use super::strategies::*;

use crate::layout::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn shared_layout_for(layout: &Layout) -> impl Strategy<Value = SharedLayout> + use<> {
    let shape = layout.covered();
    let axes: Vec<usize> = (0..shape.len()).collect();
    (
        Just(axes).prop_shuffle(),
        0u32..=3,
        0u32..=3,
        0u32..=2,
        0u32..=3,
        0u64..=2,
    )
        .prop_map(
            move |(order, bytes, vector, per_phase, max_phase, padding)| {
                let swizzle = Swizzle {
                    vector: 1 << vector,
                    per_phase: 1 << per_phase,
                    max_phase: 1 << max_phase,
                };
                SharedLayout::new(&shape, &order, 1 << bytes, swizzle)
                    .with_row_padding(padding * swizzle.span())
            },
        )
}

pub fn check_access(
    layout: &Layout,
    shared: &SharedLayout,
    access: &SharedAccess,
) -> Result<(), TestCaseError> {
    let mut reached = BTreeSet::new();
    for group in &access.groups {
        prop_assert_eq!(group.registers.len(), access.vector);
        reached.extend(group.registers.iter().copied());
        for (lane, warp) in threads(layout) {
            let offset = access.offset_bytes(group, lane.0, warp.0);
            prop_assert_eq!(offset % (access.vector as u64 * shared.element_bytes()), 0);
            for (position, register) in group.registers.iter().enumerate() {
                let coordinates = layout.coordinates(Register(*register), lane, warp);
                let element = offset + position as u64 * shared.element_bytes();
                prop_assert_eq!(element, shared.offset_bytes(&coordinates));
                prop_assert!(element + shared.element_bytes() <= shared.size_bytes());
            }
        }
    }
    prop_assert_eq!(
        reached.into_iter().collect::<Vec<_>>(),
        layout.distinct_registers()
    );
    Ok(())
}

proptest! {
    #[test]
    fn what_is_in_a_row_lies_as_it_does_in_memory(
        (layout, pitch) in (0u32..=10, 0u32..=2, 0u32..=3, 0u32..=6).prop_map(|(size, per_phase, max_phase, pitch)| {
            let swizzle = Swizzle { vector: 8, per_phase: 1 << per_phase, max_phase: 1 << max_phase };
            (SharedLayout::new(&[8 << size], &[0], 2, swizzle), swizzle.span() << pitch)
        }),
        shorter in any::<bool>(),
    ) {
        let layout = if shorter { layout.with_row_pitch(pitch) } else { layout };
        let lies = (0..layout.shape()[0]).all(|index| layout.offset_bytes(&[index]) == 2 * index);
        prop_assert!(lies || !layout.is_in_a_row());
    }

    #[test]
    fn split_addresses_are_the_offsets((layout, shared) in layout().prop_flat_map(|layout| {
        let shared = shared_layout_for(&layout);
        (Just(layout), shared)
    })) {
        match shared.access(&layout) {
            Some(access) => check_access(&layout, &shared, &access)?,
            None => prop_assert!(
                !shared
                    .strides_bytes()
                    .iter()
                    .all(|stride| stride.is_power_of_two())
            ),
        }
    }

    #[test]
    fn no_two_elements_share_a_byte((layout, shared) in layout().prop_flat_map(|layout| {
        let shared = shared_layout_for(&layout);
        (Just(layout), shared)
    })) {
        let mut taken = BTreeSet::new();
        let covered = layout.covered();
        let count: u64 = covered.iter().product();
        for number in 0..count {
            let mut rest = number;
            let coordinates: Vec<u64> = covered
                .iter()
                .map(|size| {
                    let index = rest % size;
                    rest /= size;
                    index
                })
                .collect();
            let offset = shared.offset_bytes(&coordinates);
            prop_assert!(offset + shared.element_bytes() <= shared.size_bytes());
            prop_assert_eq!(offset % shared.element_bytes(), 0);
            prop_assert!(taken.insert(offset));
        }
    }

    #[test]
    fn matrices_of_ldmatrix_have_no_bank_conflicts(rows in 8u64..=64, columns in 1u64..=200, bits in 0u32..=2) {
        let element_bytes = 1 << bits;
        let shared = SharedLayout::for_ldmatrix(&[rows, columns], &[1, 0], element_bytes);
        let elements = 16 / element_bytes;
        for column in (0..columns).step_by(elements as usize) {
            for first in (0..=rows - 8).step_by(8) {
                let banks: BTreeSet<u64> = (first..first + 8)
                    .map(|row| shared.offset_bytes(&[row, column]) / 16 % 8)
                    .collect();
                prop_assert_eq!(banks.len(), 8);
            }
        }
    }
}

#[test]
fn ldmatrix_swizzles_are_those_of_tma() {
    for (columns, bits) in [(64, 3), (32, 2), (16, 1)] {
        let shared = SharedLayout::for_ldmatrix(&[64, columns], &[1, 0], 2);
        for row in 0..64 {
            for column in 0..columns {
                let plain = (row * columns + column) * 2;
                let mask = 0x70 >> (3 - bits) & 0x70;
                assert_eq!(
                    shared.offset_bytes(&[row, column]),
                    plain ^ (plain >> 3 & mask)
                );
            }
        }
    }
}

#[test]
fn a_transposed_store_is_vectorised_through_registers_that_are_not_neighbours() {
    let layout = Layout::mma_accumulator([32, 32], [1, 1]);
    let shared = SharedLayout::new(
        &[32, 32],
        &[1, 0],
        4,
        Swizzle {
            vector: 4,
            per_phase: 1,
            max_phase: 8,
        },
    );
    let access = shared.access(&layout).unwrap();
    assert_eq!((access.vector, access.groups.len()), (2, 16));
    let transposed = Layout::new(
        vec![32, 32],
        vec![vec![0, 1], vec![1, 0], vec![2, 0]],
        vec![vec![4, 0], vec![8, 0], vec![16, 0], vec![0, 2], vec![0, 4]],
        vec![],
    )
    .unwrap();
    let column_major = SharedLayout::new(&[32, 32], &[0, 1], 4, Swizzle::NONE);
    let access = column_major.access(&transposed).unwrap();
    assert_eq!(access.vector, 4);
    assert_eq!(access.groups[0].registers, [0, 2, 4, 6]);
}

#[test]
fn every_piece_of_every_thread_has_a_slot_of_its_own() {
    let layout = Layout::blocked(&[4096], &[8], &[32], &[4], &[0]);
    let access = copy::own_slots(&layout, 4, 8);
    let mut reached = BTreeSet::new();
    for group in &access.groups {
        for (lane, warp) in (0..32).flat_map(|lane| (0..4).map(move |warp| (lane, warp))) {
            let offset = access.offset_bytes(group, lane, warp);
            assert!(offset.is_multiple_of(copy::SLOT_BYTES));
            assert!(reached.insert(offset), "{offset} is taken");
        }
    }
    assert_eq!(reached.len(), 4096 / 8);
    assert_eq!(reached.last(), Some(&(4096 * 2 - copy::SLOT_BYTES)));
}
