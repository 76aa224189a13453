//! Who holds what: coverage, replication, padding, vectors, the text form.

use super::strategies::*;
use crate::layout::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_element_has_a_place_and_one_owner(layout in layout()) {
        let places = places(&layout);
        prop_assert_eq!(places.len() as u64, layout.shape().iter().product::<u64>());
        let owners = layout.owners();
        for (element, places) in places {
            let mut owning: Vec<_> = places
                .iter()
                .filter(|(_, lane, warp)| owners.contains(*lane, *warp))
                .collect();
            owning.dedup_by_key(|(register, ..)| layout.register_representative(*register));
            let threads: std::collections::BTreeSet<_> = owning
                .iter()
                .map(|(_, lane, warp)| (*lane, *warp))
                .collect();
            prop_assert_eq!(threads.len(), 1, "{:?}", element);
        }
    }

    #[test]
    fn distinct_registers_are_the_first_of_each_element(layout in layout()) {
        let coordinates = held(&layout, Lane(0), Warp(0));
        let first = |register: usize| {
            coordinates
                .iter()
                .position(|other| *other == coordinates[register])
                .unwrap()
        };
        let expected: Vec<usize> = registers(&layout)
            .filter(|register| first(*register) == *register)
            .collect();
        prop_assert_eq!(layout.distinct_registers(), expected);
        for register in registers(&layout) {
            prop_assert_eq!(layout.register_representative(register), first(register));
        }
    }

    #[test]
    fn the_register_that_stands_for_a_run_is_in_it_in_every_thread(
        layout in layout(),
        exponents in proptest::collection::vec(0u32..5, 4),
        lane in 0u32..32,
    ) {
        let runs: Vec<u64> = exponents.iter().take(layout.rank()).map(|e| 1 << e).collect();
        let warp = Warp(layout.warp_count() - 1);
        let run = |register: usize| -> Vec<u64> {
            let coordinates = layout.coordinates(Register(register), Lane(lane), warp);
            coordinates.iter().zip(&runs).map(|(c, run)| c / run).collect()
        };
        for register in registers(&layout) {
            let first = layout.run_representative(register, &runs);
            prop_assert!(first <= register);
            prop_assert_eq!(run(first), run(register));
            // It stands for itself, so it is computed before it is asked for.
            prop_assert_eq!(layout.run_representative(first, &runs), first);
        }
    }

    #[test]
    fn a_distance_is_the_same_in_every_thread(layout in layout(), a in any::<usize>(), b in any::<usize>()) {
        let (a, b) = (a % layout.register_count(), b % layout.register_count());
        let in_thread = |lane, warp| -> Vec<i64> {
            let of = |register| layout.coordinates(Register(register), Lane(lane), Warp(warp));
            of(a).iter().zip(of(b)).map(|(a, b)| b as i64 - *a as i64).collect()
        };
        let mut threads = (0..layout.warp_count()).flat_map(|warp| (0..32).map(move |lane| (lane, warp)));
        let first = in_thread(0, 0);
        let is_same = threads.all(|(lane, warp)| in_thread(lane, warp) == first);
        prop_assert_eq!(layout.distance(a, b), is_same.then_some(first));
    }

    #[test]
    fn free_bits_number_copies(layout in layout(), lane in 0u32..32) {
        let free = layout.free_lane_bits();
        prop_assert_eq!(
            held(&layout, Lane(lane), Warp(0)),
            held(&layout, Lane(lane & !free), Warp(0))
        );
        prop_assert_eq!(free & !layout.owners().redundant_lane_bits, 0);
        for warp in 0..layout.warp_count() {
            let first = Warp(warp & !layout.free_warp_bits());
            prop_assert_eq!(
                held(&layout, Lane(lane), Warp(warp)),
                held(&layout, Lane(lane), first)
            );
        }
    }

    #[test]
    fn padding_is_what_lies_outside(layout in layout()) {
        for register in registers(&layout) {
            let outside = |(lane, warp)| {
                !is_inside(
                    &layout.coordinates(Register(register), lane, warp),
                    layout.shape(),
                )
            };
            prop_assert_eq!(
                layout.may_be_padding(register),
                threads(&layout).any(outside)
            );
            prop_assert!(!layout.is_padding(register) || threads(&layout).all(outside));
        }
    }

    #[test]
    fn disjoint_coordinates_add(layout in layout()) {
        let adds = threads(&layout).all(|(lane, warp)| {
            let thread = layout.thread_coordinates(lane, warp);
            registers(&layout).all(|register| {
                let sum: Vec<u64> = layout
                    .register_coordinates(register)
                    .iter()
                    .zip(&thread)
                    .map(|(a, b)| a + b)
                    .collect();
                sum == layout.coordinates(Register(register), lane, warp)
            })
        });
        prop_assert_eq!(layout.is_thread_coordinate_disjoint(), adds);
    }

    #[test]
    fn vectors_are_consecutive_in_every_thread(layout in layout(), axis in 0usize..5) {
        let axis = axis % layout.rank();
        let width = layout.contiguous(axis) as usize;
        let bits = layout.vector_register_bits(axis);
        prop_assert!(width <= 1 << bits.len());
        for (lane, warp) in threads(&layout) {
            let held = held(&layout, lane, warp);
            for (register, coordinates) in held.iter().enumerate() {
                let mut expected = held[register - register % width].clone();
                prop_assert_eq!(expected[axis] as usize % width, 0);
                expected[axis] += (register % width) as u64;
                prop_assert_eq!(coordinates, &expected);

                let first = bits
                    .iter()
                    .fold(register, |register, bit| register & !(1 << bit));
                prop_assert_eq!(held[first][axis] % (1 << bits.len()), 0);
                let element: u64 = bits
                    .iter()
                    .enumerate()
                    .map(|(i, bit)| (register as u64 >> bit & 1) << i)
                    .sum();
                let mut expected = held[first].clone();
                expected[axis] += element;
                prop_assert_eq!(coordinates, &expected);
            }
        }
    }

    #[test]
    fn the_attribute_reads_back(layout in layout()) {
        prop_assert_eq!(
            Layout::from_attribute(&layout.to_attribute(), layout.shape()),
            Ok(layout)
        );
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[{}\\[\\]lanerg=, 0-9µ]{0,40}") {
        let _ = Layout::from_attribute(&text, &[8]);
    }

    #[test]
    fn blocked_threads_hold_vectors_side_by_side(
        shape in prop::collection::vec(1u64..=70, 2), vector in 0u32..=3, lanes in 0u32..=5, warps in 0u32..=2, swap: bool,
    ) {
        let order = if swap { [0, 1] } else { [1, 0] };
        let fast = order[0];
        let along = |fast_size: u64, slow_size: u64| {
            if fast == 1 {
                [slow_size, fast_size]
            } else {
                [fast_size, slow_size]
            }
        };
        let vector = 1u64 << vector;
        let layout = Layout::blocked(
            &shape,
            &along(vector, 1),
            &along(1 << lanes, 32 >> lanes),
            &along(1, 1 << warps),
            &order,
        );
        prop_assert_eq!(
            layout.contiguous(fast),
            vector.min(shape[fast].next_power_of_two())
        );
        prop_assert!(
            layout
                .block()
                .iter()
                .zip(&shape)
                .all(|(block, size)| *block <= size.next_power_of_two())
        );
        prop_assert!(layout.is_thread_coordinate_disjoint());
        prop_assert_eq!(layout.warp_count(), 1 << warps);
        let next = layout.coordinates(Register(0), Lane(1), Warp(0));
        if lanes > 0 && shape[fast] > vector {
            prop_assert_eq!(next, along(vector, 0).to_vec());
        }
    }
}

#[test]
fn a_blocked_layout_in_full() {
    let layout = Layout::blocked(&[24, 64], &[1, 4], &[4, 8], &[4, 1], &[1, 0]);
    assert_eq!(
        layout.to_attribute(),
        "{lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], reg = [[0, 1], [0, 2]], repeat = [2, 2], \
         warp = [[4, 0], [8, 0]]}"
    );
    assert_eq!(layout.register_count(), 16);
    assert_eq!(layout.register_coordinates(6), [0, 34]);
    assert_eq!(layout.register_coordinates(9), [16, 1]);
    assert_eq!(layout.coordinates(Register(9), Lane(9), Warp(1)), [21, 5]);
    assert!(layout.may_be_padding(8) && !layout.may_be_padding(7));
}

#[test]
fn what_is_no_layout_is_refused_with_a_reason() {
    let read = |text: &str| Layout::from_attribute(text, &[64]).unwrap_err().to_string();
    assert_eq!(
        read("{lane = [[1], [2], [4], [8]], reg = [], repeat = [4], warp = []}"),
        "a warp has 5 lane bits, not 4"
    );
    assert_eq!(
        read("{lane = [[1], [2], [4], [8], [32]], reg = [], repeat = [1], warp = []}"),
        "some elements of the block are held by no thread"
    );
    assert_eq!(
        read("{lane = [[1], [2], [4], [8], [16]], reg = [], repeat = [1], warp = []}"),
        "the block has to be repeated [2] times to cover the shape, not [1]"
    );
    assert_eq!(
        read("{lane = [[1, 2"),
        "expected `,` or `]` at byte 14 of the layout"
    );
}
