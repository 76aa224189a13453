//! Conversions, executed on arrays of element names.

use super::shared::check_access;
use super::strategies::*;
use crate::layout::*;
use proptest::prelude::*;

/// An element's coordinates; `None` for what is undefined.
type Value = Option<Vec<u64>>;

/// The value of every register, by warp, lane and register.
fn contents(layout: &Layout) -> Vec<Vec<Vec<Value>>> {
    let lanes = |warp| {
        (0..32)
            .map(|lane| {
                held(layout, Lane(lane), Warp(warp))
                    .into_iter()
                    .map(Some)
                    .collect()
            })
            .collect()
    };
    (0..layout.warp_count()).map(lanes).collect()
}

fn is_set(bit: ThreadBit, lane: u32, warp: u32) -> bool {
    match bit {
        ThreadBit::Lane(bit) => lane >> bit & 1 == 1,
        ThreadBit::Warp(bit) => warp >> bit & 1 == 1,
    }
}

fn exchange(values: Vec<Value>, exchanges: &[Exchange], lane: u32, warp: u32) -> Vec<Value> {
    let active = exchanges
        .iter()
        .filter(|exchange| is_set(exchange.bit, lane, warp));
    active.fold(values, |values, exchange| {
        (0..values.len())
            .map(|slot| values[slot ^ exchange.mask].clone())
            .collect()
    })
}

fn shuffle(plan: &ShufflePlan, registers: &[Vec<Value>], warp: u32) -> Vec<Vec<Value>> {
    let given: Vec<Vec<Value>> = (0..32u32)
        .map(|lane| {
            let first = plan.first_slots.iter().map(|register| {
                register.and_then(|register| registers[lane as usize][register].clone())
            });
            exchange(first.collect(), &plan.before, lane, warp)
        })
        .collect();
    (0..32u32)
        .map(|lane| {
            let set = plan
                .source_lane
                .iter()
                .filter(|(bit, _)| is_set(*bit, lane, warp));
            let source_lane = set.fold(0, |sum, (_, mask)| sum ^ mask);
            let mut moved = vec![None; plan.last_slots];
            for round in &plan.rounds {
                moved[round.destination] =
                    given[(source_lane ^ round.lane_xor) as usize][round.source].clone();
            }
            let moved = exchange(moved, &plan.after, lane, warp);
            plan.result_slots
                .iter()
                .map(|slot| moved[*slot].clone())
                .collect()
        })
        .collect()
}

/// Carries out a conversion that does not go through shared memory.
fn execute(conversion: &Conversion, from: &Layout) -> Vec<Vec<Vec<Value>>> {
    let contents = contents(from);
    let warps = contents.into_iter().zip(0..);
    warps
        .map(|(registers, warp)| match conversion {
            Conversion::Identity => registers,
            Conversion::Registers(sources) => {
                let convert = |registers: Vec<Value>| {
                    sources
                        .iter()
                        .map(|source| registers[*source].clone())
                        .collect()
                };
                registers.into_iter().map(convert).collect()
            }
            Conversion::Shuffles(plan) => shuffle(plan, &registers, warp),
            Conversion::Shared => panic!("not through registers"),
        })
        .collect()
}

fn check(conversion: &Conversion, from: &Layout, to: &Layout) -> Result<(), TestCaseError> {
    let result = execute(conversion, from);
    for (lane, warp) in threads(to) {
        let expected = held(to, lane, warp);
        let found = &result[warp.0 as usize][lane.0 as usize];
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            if is_inside(&expected, to.shape()) {
                prop_assert_eq!(found, &Some(expected), "{:?} {:?}", lane, warp);
            }
        }
    }
    Ok(())
}

fn check_round_trip(from: &Layout, to: &Layout, element_bytes: u64) -> Result<(), TestCaseError> {
    let shared = SharedLayout::for_round_trip(from, to, element_bytes);
    for layout in [from, to] {
        let access = shared.access(layout);
        prop_assert!(access.is_some());
        check_access(layout, &shared, &access.unwrap())?;
    }
    Ok(())
}

/// Two layouts of one shape.
fn pair() -> impl Strategy<Value = (Layout, Layout)> {
    (shape(), 0usize..=2, 0usize..=3).prop_flat_map(|(shape, warps, mixing)| {
        let both = (
            layout_of(shape.clone(), warps, mixing),
            layout_of(shape, warps, mixing),
        );
        both.prop_map(|(from, to)| match fewer_warps([from.clone(), to.clone()]) {
            Some([from, to]) => (from, to),
            None => (from, to),
        })
    })
}

/// Two layouts of one shape with the same warps, so that nothing crosses them.
fn pair_in_warps() -> impl Strategy<Value = (Layout, Layout)> {
    let bit = prop::sample::select(vec![0usize, 1, 2]);
    (
        layout(),
        prop::collection::vec((0usize..16, 0usize..16, bit), 0..12),
    )
        .prop_map(|(layout, steps)| {
            let mut bases: Vec<Basis> = layout
                .lane_bases()
                .iter()
                .chain(layout.register_bases())
                .cloned()
                .collect();
            let mut warps = layout.warp_bases().to_vec();
            let count = bases.len();
            for (a, b, kind) in steps {
                let (a, b) = (a % count, b % count);
                match kind {
                    0 => bases.swap(a, b),
                    1 if a != b => {
                        let source = bases[a].clone();
                        bases[b]
                            .iter_mut()
                            .zip(source)
                            .for_each(|(step, other)| *step ^= other);
                    }
                    _ if !warps.is_empty() => {
                        let index = b % warps.len();
                        warps[index]
                            .iter_mut()
                            .zip(&bases[a])
                            .for_each(|(step, other)| *step ^= other);
                    }
                    _ => {}
                }
            }
            let registers = bases.split_off(5);
            let to = Layout::new(layout.shape().to_vec(), registers, bases, warps).unwrap();
            let whole = layout.warp_count().next_power_of_two();
            match to.clone().with_warp_count(layout.warp_count()) {
                Ok(to) => (layout, to),
                Err(_) => (layout.with_warp_count(whole).unwrap(), to),
            }
        })
}

/// Two layouts that differ in the order of the register bits only.
fn pair_in_threads() -> impl Strategy<Value = (Layout, Layout)> {
    layout().prop_flat_map(|layout| {
        let registers = Just(layout.register_bases().to_vec()).prop_shuffle();
        (Just(layout), registers).prop_map(|(from, registers)| {
            let threads = (from.lane_bases().to_vec(), from.warp_bases().to_vec());
            let to = Layout::new(from.shape().to_vec(), registers, threads.0, threads.1);
            let to = to.unwrap().with_warp_count(from.warp_count()).unwrap();
            (from, to)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn elements_arrive_where_they_should((from, to) in pair()) {
        let conversion = Conversion::plan(&from, &to);
        if conversion != Conversion::Shared {
            check(&conversion, &from, &to)?;
        }
    }

    #[test]
    fn what_stays_in_a_warp_never_goes_through_shared_memory((from, to) in pair_in_warps()) {
        let conversion = Conversion::plan(&from, &to);
        prop_assert_ne!(&conversion, &Conversion::Shared);
        check(&conversion, &from, &to)?;
    }

    #[test]
    fn registers_in_another_order_stay_in_their_threads((from, to) in pair_in_threads()) {
        let conversion = Conversion::plan(&from, &to);
        prop_assert!(matches!(
            conversion,
            Conversion::Identity | Conversion::Registers(_)
        ));
        check(&conversion, &from, &to)?;
    }

    #[test]
    fn a_layout_converts_to_itself_by_doing_nothing(layout in layout()) {
        prop_assert_eq!(Conversion::plan(&layout, &layout), Conversion::Identity);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_round_trip_is_right_for_both_sides((from, to) in pair(), bytes in 0u32..=3) {
        check_round_trip(&from, &to, 1 << bytes)?;
    }
}

#[test]
fn bits_of_registers_in_another_order_move_no_lane() {
    let from = Layout::blocked(&[8, 64], &[2, 2], &[1, 32], &[1, 1], &[1, 0]);
    let to = Layout::blocked(&[8, 64], &[2, 2], &[1, 32], &[1, 1], &[0, 1]);
    let Conversion::Registers(sources) = Conversion::plan(&from, &to) else {
        panic!("registers suffice")
    };
    assert_eq!(sources[..8], [0, 2, 1, 3, 4, 6, 5, 7]);
}

#[test]
fn a_transposition_takes_a_shuffle_for_each_register_that_moves() {
    let from = Layout::blocked(&[4, 32], &[4, 1], &[1, 32], &[1, 1], &[0, 1]);
    let to = Layout::blocked(&[4, 32], &[1, 4], &[4, 8], &[1, 1], &[1, 0]);
    let Conversion::Shuffles(plan) = Conversion::plan(&from, &to) else {
        panic!("inside a warp")
    };
    assert!(
        plan.rounds.len() == 4 && plan.shuffle_count() <= 4,
        "{plan:?}"
    );
}

#[test]
fn a_two_by_two_transposition_in_full() {
    let lanes = |first: [u32; 2]| {
        vec![
            first.to_vec(),
            vec![2, 0],
            vec![4, 0],
            vec![8, 0],
            vec![16, 0],
        ]
    };
    let from = Layout::new(vec![32, 2], vec![vec![0, 1]], lanes([1, 0]), vec![]).unwrap();
    let to = Layout::new(vec![32, 2], vec![vec![1, 0]], lanes([0, 1]), vec![]).unwrap();
    let Conversion::Shuffles(plan) = Conversion::plan(&from, &to) else {
        panic!("inside a warp")
    };
    let exchange = Exchange {
        bit: ThreadBit::Lane(0),
        mask: 1,
    };
    assert_eq!(
        (&plan.before[..], &plan.after[..]),
        (&[exchange][..], &[exchange][..])
    );
    assert!(plan.is_butterfly());
    assert_eq!(plan.shuffle_count(), 1);
}

#[test]
fn dropping_copies_takes_no_shuffle() {
    let row = Layout::blocked(&[64, 8], &[1, 8], &[32, 1], &[2, 1], &[1, 0]).remove_dimension(0);
    let spread = Layout::blocked(&[8], &[1], &[32], &[2], &[0]);
    let Conversion::Shuffles(plan) = Conversion::plan(&row, &spread) else {
        panic!("each lane selects")
    };
    assert_eq!(plan.shuffle_count(), 0);
    assert_eq!(plan.before.len(), 3);
}

#[test]
fn accumulators_become_left_operands_for_free() {
    let from = Layout::mma_accumulator([64, 64], [4, 1]);
    let to = Layout::mma_operand_a([64, 64], [4, 1], 16);
    assert_eq!(Conversion::plan(&from, &to), Conversion::Identity);
}

#[test]
fn accumulators_become_left_operands_of_8_bits_by_a_shuffle_for_each_pair() {
    let from = Layout::wgmma_accumulator([64, 64], [1, 1]);
    let to = Layout::wgmma_operand_a([64, 64], 64, 4, 8);
    let pairs = [&from, &to].map(|layout| layout.of_pairs().expect("pairs"));
    let Conversion::Shuffles(plan) = Conversion::plan(&pairs[0], &pairs[1]) else {
        panic!("inside a warp")
    };
    assert_eq!(pairs[1].register_count(), 16);
    assert!(plan.shuffle_count() <= 16, "{plan:?}");
    // Rows are no neighbours.
    assert_eq!(from.permute(&[1, 0]).of_pairs(), None);
}

#[test]
fn a_transposition_through_shared_memory_has_no_bank_conflicts() {
    for element_bytes in [2, 4, 8] {
        let from = Layout::blocked(
            &[64, 64],
            &[1, 16 / element_bytes],
            &[4, 8],
            &[4, 1],
            &[1, 0],
        );
        let to = Layout::blocked(
            &[64, 64],
            &[16 / element_bytes, 1],
            &[8, 4],
            &[1, 4],
            &[0, 1],
        );
        assert_eq!(Conversion::plan(&from, &to), Conversion::Shared);
        let shared = SharedLayout::for_round_trip(&from, &to, element_bytes);
        for layout in [&from, &to] {
            let conflicts = shared.bank_conflicts(layout).unwrap();
            assert_eq!(
                conflicts.wavefronts, conflicts.ideal,
                "{element_bytes} bytes: {shared:?}"
            );
        }
    }
}

#[test]
fn fragments_are_stored_without_bank_conflicts() {
    let from = Layout::mma_accumulator([128, 64], [2, 2]);
    let to = Layout::blocked(&[128, 64], &[1, 4], &[2, 16], &[4, 1], &[1, 0]);
    let shared = SharedLayout::for_round_trip(&from, &to, 4);
    for layout in [&from, &to] {
        let conflicts = shared.bank_conflicts(layout).unwrap();
        assert_eq!(conflicts.wavefronts, conflicts.ideal, "{shared:?}");
    }
}

/// From neighbours in lanes to runs of each thread, as scans want them.
#[test]
fn runs_of_a_row_are_read_without_bank_conflicts() {
    for (element_bytes, run) in [(4, 32), (4, 8), (2, 32), (8, 16), (1, 64)] {
        let vector = 16 / element_bytes;
        let size = 4 * 32 * run;
        let from = Layout::blocked(&[size], &[vector], &[32], &[4], &[0]);
        let to = Layout::blocked(&[size], &[run], &[32], &[4], &[0]);
        let shared = SharedLayout::for_round_trip(&from, &to, element_bytes);
        assert_eq!(shared.size_bytes(), size * element_bytes);
        for layout in [&from, &to] {
            let conflicts = shared.bank_conflicts(layout).unwrap();
            assert_eq!(conflicts.wavefronts, conflicts.ideal, "{shared:?}");
        }
    }
}

#[test]
fn a_single_value_is_a_tile_of_no_dimensions() {
    let value = Layout::blocked(&[64], &[2], &[32], &[4], &[0]).remove_dimension(0);
    assert_eq!((value.rank(), value.register_count()), (0, 1));
    assert_eq!(
        value.owners(),
        Owners {
            redundant_lane_bits: 31,
            redundant_warp_bits: 3
        }
    );
    assert_eq!(
        Layout::from_attribute(&value.to_attribute(), &[]),
        Ok(value.clone())
    );
    assert_eq!(Conversion::plan(&value, &value), Conversion::Identity);
    assert_eq!(
        SharedLayout::for_round_trip(&value, &value, 4).size_bytes(),
        4
    );
}

#[test]
fn padding_of_an_instruction_asks_for_nothing() {
    let from = Layout::blocked(&[5, 3], &[1, 1], &[8, 4], &[1, 1], &[1, 0]);
    let to = Layout::mma_accumulator([5, 3], [1, 1]);
    let conversion = Conversion::plan(&from, &to);
    assert!(
        matches!(conversion, Conversion::Shuffles(_)),
        "{conversion:?}"
    );
    check(&conversion, &from, &to).unwrap();
    check(&Conversion::plan(&to, &from), &to, &from).unwrap();
}
