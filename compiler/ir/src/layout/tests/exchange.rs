//! Partners, against the coordinates of every element.

use super::strategies::*;
use crate::layout::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn partners_hold_the_elements_across(
        layout in layout(), axis in 0usize..5, mask in any::<u64>(),
    ) {
        let axis = axis % layout.rank();
        let size = layout.shape()[axis];
        let mask = mask % size;
        let Some(partners) = layout.partners(axis, mask) else {
            prop_assert!(!size.is_power_of_two());
            return Ok(());
        };
        for register in registers(&layout) {
            for (lane, warp) in threads(&layout) {
                let mut wanted = layout.coordinates(Register(register), lane, warp);
                let inside = wanted.iter().zip(layout.shape()).all(|(at, size)| at < size);
                if !inside {
                    continue;
                }
                wanted[axis] ^= mask;
                let found = layout.coordinates(
                    Register(partners.registers[register]),
                    Lane(lane.0 ^ partners.lane),
                    Warp(warp.0 ^ partners.warp),
                );
                prop_assert_eq!(found, wanted);
            }
        }
    }
}

#[test]
fn partners_in_the_same_thread_are_preferred() {
    // 4 neighbours per thread, 32 threads, 2 warps, twice.
    let layout = Layout::blocked(&[512], &[4], &[32], &[2], &[0]);
    let of = |mask| layout.partners(0, mask).expect("a power of two");
    assert_eq!((of(2).lane, of(2).warp), (0, 0));
    assert_eq!(of(2).registers, [2, 3, 0, 1, 6, 7, 4, 5]);
    assert_eq!((of(4).lane, of(4).warp), (1, 0));
    assert_eq!((of(128).lane, of(128).warp), (0, 1));
    assert_eq!(of(256).registers, [4, 5, 6, 7, 0, 1, 2, 3]);
    assert_eq!((of(511).lane, of(511).warp), (31, 1));
}

#[test]
fn sizes_that_are_no_powers_of_two_have_no_partners() {
    let layout = Layout::blocked(&[500], &[4], &[32], &[2], &[0]);
    assert_eq!(layout.partners(0, 1), None);
    assert_eq!(layout.partners(1, 1), None);
}
