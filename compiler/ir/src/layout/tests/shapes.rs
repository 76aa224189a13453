//! Layouts of the results of shape operations.

use super::strategies::*;
use crate::layout::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// What a thread holds, as a set.
fn held_set(layout: &Layout, lane: Lane, warp: Warp) -> BTreeSet<Vec<u64>> {
    held(layout, lane, warp).into_iter().collect()
}

fn mapped(
    layout: &Layout,
    lane: Lane,
    warp: Warp,
    map: impl Fn(&mut Vec<u64>),
) -> BTreeSet<Vec<u64>> {
    let mut elements: Vec<Vec<u64>> = held(layout, lane, warp);
    elements.iter_mut().for_each(map);
    elements.into_iter().collect()
}

proptest! {
    #[test]
    fn a_slice_stays_in_its_threads(layout in layout(), axis in 0usize..5) {
        let axis = axis % layout.rank();
        let slice = layout.remove_dimension(axis);
        prop_assert_eq!(slice.distinct_registers().len(), slice.register_count());
        prop_assert_eq!(slice.lane_bases().len(), 5);
        for (lane, warp) in threads(&layout) {
            let expected = mapped(&layout, lane, warp, |element| {
                element.remove(axis);
            });
            prop_assert_eq!(held_set(&slice, lane, warp), expected);
        }
    }

    #[test]
    fn a_projection_is_a_slice_with_its_dimension_put_back(layout in layout(), axis in 0usize..5) {
        let axis = axis % layout.rank();
        let projected = layout.project(axis);
        prop_assert_eq!(
            &projected,
            &layout.remove_dimension(axis).insert_dimension(axis)
        );
        prop_assert_eq!(projected.project(axis), projected);
    }

    #[test]
    fn every_register_of_a_broadcast_finds_its_operand(layout in layout(), axis in 0usize..5) {
        let axis = axis % layout.rank();
        let operand = layout.project(axis);
        for register in registers(&layout) {
            let mut wanted = layout.register_coordinates(register);
            wanted[axis] = 0;
            let source = operand.register_with_coordinates(&wanted);
            prop_assert!(source.is_some());
            for (lane, warp) in threads(&layout).take(40) {
                let mut element = layout.coordinates(Register(register), lane, warp);
                element[axis] = 0;
                prop_assert_eq!(
                    operand.coordinates(Register(source.unwrap()), lane, warp),
                    element
                );
            }
        }
    }

    #[test]
    fn inserting_and_removing_a_dimension_is_nothing(layout in layout(), axis in 0usize..6) {
        let axis = axis % (layout.rank() + 1);
        let inserted = layout.insert_dimension(axis);
        prop_assert_eq!(inserted.shape()[axis], 1);
        if layout.distinct_registers().len() == layout.register_count() {
            prop_assert_eq!(inserted.remove_dimension(axis), layout);
        }
    }

    #[test]
    fn what_is_broadcast_in_place_comes_from_where_it_was(layout in layout(), axis in 0usize..6, bits in 0u32..4) {
        let axis = axis % (layout.rank() + 1);
        let size = 1 << bits;
        let inserted = layout.insert_dimension(axis);
        let broadcast = inserted.broadcast_in_place(axis, size).unwrap();
        prop_assert_eq!(broadcast.shape()[axis], size);
        // Lanes that hold the same share the copies out.
        let same = inserted.lane_bases().iter().filter(|basis| basis.iter().all(|step| *step == 0));
        let shared = (same.count() as u32).min(bits);
        prop_assert_eq!(broadcast.register_count() as u64, (inserted.register_count() as u64 * size) >> shared);
        if inserted.distinct_registers().len() == inserted.register_count() {
            prop_assert_eq!(broadcast.project(axis), inserted);
        }
    }

    #[test]
    fn permuting_there_and_back_is_nothing((layout, permutation) in layout().prop_flat_map(|layout| {
        let axes: Vec<usize> = (0..layout.rank()).collect();
        (Just(layout), Just(axes).prop_shuffle())
    })) {
        let permuted = layout.permute(&permutation);
        let mut inverse = vec![0; permutation.len()];
        permutation
            .iter()
            .enumerate()
            .for_each(|(axis, source)| inverse[*source] = axis);
        prop_assert_eq!(&permuted.permute(&inverse), &layout);
        let sources = layout.permuted_registers(&permutation);
        for (register, source) in sources.iter().enumerate() {
            for (lane, warp) in threads(&layout).take(40) {
                let element = layout.coordinates(Register(*source), lane, warp);
                let expected: Vec<u64> = permutation.iter().map(|axis| element[*axis]).collect();
                prop_assert_eq!(
                    permuted.coordinates(Register(register), lane, warp),
                    expected
                );
            }
        }
    }

    #[test]
    fn a_reshape_keeps_row_major_offsets((layout, shape) in reshapes()) {
        if let Some(reshaped) = layout.reshape(&shape) {
            // And back: to the layout itself, whose registers may be in another order than those of the layout reshaped twice.
            for (from, to) in [(&layout, &reshaped), (&reshaped, &layout)] {
                let sources = from.reshaped_registers(to).unwrap();
                prop_assert_eq!(sources.len(), to.register_count());
                for (lane, warp) in threads(from) {
                    for (register, source) in sources.iter().enumerate() {
                        let before = from.coordinates(Register(*source), lane, warp);
                        let after = to.coordinates(Register(register), lane, warp);
                        prop_assert_eq!(
                            is_inside(&before, from.shape()),
                            is_inside(&after, to.shape())
                        );
                        if is_inside(&after, to.shape()) {
                            prop_assert_eq!(flat(&before, from.shape()), flat(&after, to.shape()));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn powers_of_two_without_padding_reshape(bits in prop::collection::vec(0u32..=3, 2..=4), warps in 0usize..=2) {
        let shape: Vec<u64> = bits.iter().map(|bits| 1 << bits).collect();
        let flat: u64 = shape.iter().product();
        let mut sizes = vec![1; shape.len()];
        *sizes.last_mut().unwrap() = 32;
        let warps: Vec<u64> = (0..shape.len())
            .map(|axis| if axis == 0 { 1 << warps } else { 1 })
            .collect();
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let layout = Layout::blocked(&shape, &vec![1; shape.len()], &sizes, &warps, &order);
        let reshaped = layout.reshape(&[flat]);
        prop_assert!(reshaped.is_some());
        prop_assert!(reshaped.unwrap().reshape(&shape).is_some());
    }
}

/// A layout, and a shape with the same number of elements.
fn reshapes() -> impl Strategy<Value = (Layout, Vec<u64>)> {
    let factors = prop::collection::vec(prop::sample::select(vec![1u64, 2, 2, 2, 3, 4, 8]), 1..=4);
    let cuts = prop::collection::vec(any::<bool>(), 4);
    (factors, cuts.clone(), cuts, 0usize..=1).prop_flat_map(|(factors, left, right, mixing)| {
        let merge = |cuts: &[bool]| {
            let mut shape: Vec<u64> = vec![1];
            for (factor, cut) in factors.iter().zip(cuts) {
                if *cut {
                    shape.push(1);
                }
                *shape.last_mut().unwrap() *= factor;
            }
            shape
        };
        let target = merge(&right);
        (layout_of(merge(&left), 1, mixing), Just(target))
    })
}

fn flat(coordinates: &[u64], shape: &[u64]) -> u64 {
    coordinates
        .iter()
        .zip(shape)
        .fold(0, |offset, (index, size)| offset * size + index)
}

#[test]
fn a_column_of_rows_that_are_no_power_of_two_reshapes() {
    let layout = Layout::blocked(&[96], &[4], &[32], &[1], &[0]);
    assert_eq!(layout.reshape(&[3, 32]).unwrap().shape(), [3, 32]);
    assert_eq!(layout.reshape(&[1, 96, 1]).unwrap().repeat(), [1, 1, 1]);
    assert_eq!(layout.reshape(&[32, 3]), None);
    assert_eq!(layout.reshape(&[95]), None);
}
