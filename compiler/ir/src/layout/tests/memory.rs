//! Costs of memory accesses: banks of shared memory, sectors of global memory.

use super::strategies::*;
use crate::layout::access::AffineAccess;
use crate::layout::banks::wavefronts;
use crate::layout::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_access_of_every_warp_has_the_same_conflicts(
        layout in layout(), fast in 0usize..5, bytes in 0u32..=3, vector in 0u32..=2, phases in 0u32..=3,
    ) {
        let shape: Vec<u64> = layout
            .covered()
            .iter()
            .map(|size| size.next_power_of_two())
            .collect();
        let fast = fast % shape.len();
        let order: Vec<usize> = std::iter::once(fast)
            .chain((0..shape.len()).rev().filter(|axis| *axis != fast))
            .collect();
        let swizzle = Swizzle {
            vector: 1 << vector,
            per_phase: 1,
            max_phase: 1 << phases,
        };
        let shared = SharedLayout::new(&shape, &order, 1 << bytes, swizzle);
        let access = shared.access(&layout).unwrap();
        let conflicts = shared.bank_conflicts(&layout).unwrap();
        prop_assert_eq!(access.groups.len() as u64, conflicts.accesses);
        prop_assert!(conflicts.wavefronts >= conflicts.ideal);
        for group in &access.groups {
            for warp in 0..layout.warp_count() {
                let starts =
                    std::array::from_fn(|lane| access.offset_bytes(group, lane as u32, warp));
                prop_assert_eq!(
                    wavefronts(&starts, (access.vector as u64) << bytes),
                    conflicts.wavefronts
                );
            }
        }
    }

    #[test]
    fn vectors_are_aligned_and_in_one_piece(
        layout in layout(), strides in prop::collection::vec(prop::sample::select(vec![1i64, 1, 2, 4, 8, 48, -16, 0]), 5),
        bytes in 0u32..=3, alignment in 0u32..=4,
    ) {
        let access = AffineAccess {
            strides: strides[..layout.rank()].to_vec(),
            element_bytes: 1 << bytes,
            alignment_bytes: 1 << alignment,
        };
        let global = GlobalAccess::analyse(&layout, &access);
        let address = |element: &[u64]| -> i64 {
            element
                .iter()
                .zip(&access.strides)
                .map(|(index, stride)| *index as i64 * stride)
                .sum()
        };
        let groups = layout.register_groups(&global.vector_bits);
        prop_assert_eq!(groups.len(), global.instructions);
        prop_assert!(global.vector() << bytes <= 16);
        for (lane, warp) in threads(&layout) {
            for group in &groups {
                let elements: Vec<Vec<u64>> = group
                    .iter()
                    .map(|register| layout.coordinates(Register(*register), lane, warp))
                    .collect();
                let first = address(&elements[0]);
                if global.vector() > 1 {
                    prop_assert_eq!(first % global.vector() as i64, 0);
                    prop_assert_eq!(access.alignment_bytes % (global.vector() << bytes), 0);
                }
                for (position, element) in elements.iter().enumerate() {
                    prop_assert_eq!(address(element), first + position as i64);
                    prop_assert_eq!(
                        is_inside(element, layout.shape()),
                        is_inside(&elements[0], layout.shape())
                    );
                }
            }
        }
        prop_assert!(global.efficiency() > 0.0 && global.efficiency() <= 1.0);
        prop_assert!(global.lines <= global.sectors && global.sectors <= 4 * global.lines);
    }
}

#[test]
fn rows_read_in_vectors_are_coalesced() {
    let layout = Layout::blocked(&[64, 128], &[1, 8], &[2, 16], &[4, 1], &[1, 0]);
    let access = AffineAccess {
        strides: vec![4096, 1],
        element_bytes: 2,
        alignment_bytes: 16,
    };
    let global = GlobalAccess::analyse(&layout, &access);
    assert_eq!(
        (global.vector(), global.sectors, global.lines, global.bytes),
        (8, 16, 4, 512)
    );
    assert_eq!(global.efficiency(), 1.0);
    let unaligned = GlobalAccess::analyse(
        &layout,
        &AffineAccess {
            alignment_bytes: 4,
            ..access.clone()
        },
    );
    assert_eq!((unaligned.vector(), unaligned.efficiency()), (2, 0.25));
    let odd_rows = GlobalAccess::analyse(
        &layout,
        &AffineAccess {
            strides: vec![4095, 1],
            ..access
        },
    );
    assert_eq!(odd_rows.vector(), 1);
}

#[test]
fn columns_of_a_row_major_matrix_waste_their_sectors() {
    let layout = Layout::blocked(&[128], &[1], &[32], &[4], &[0]);
    let access = AffineAccess {
        strides: vec![1000],
        element_bytes: 4,
        alignment_bytes: 16,
    };
    let global = GlobalAccess::analyse(&layout, &access);
    assert_eq!(
        (global.sectors, global.lines, global.efficiency()),
        (32, 32, 0.125)
    );
}
