//! Fragments against the formulas of the PTX ISA, written out by hand.

use crate::layout::*;

/// Compares a layout with `expected(row tile, column tile, element, lane, warp)`.
fn check(layout: &Layout, expected: impl Fn(u64, u64, u64, u64, u64) -> [u64; 2]) {
    let [rows, columns] = [layout.repeat()[0], layout.repeat()[1]];
    let elements = layout.block_register_count();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        for (element, lane, warp) in (0..elements).flat_map(|element| {
            let lanes = move |warp| (0..32).map(move |lane| (element, lane, warp));
            (0..layout.warp_count()).flat_map(lanes)
        }) {
            let register = layout.tile_register(row as usize, column as usize, element);
            assert_eq!(
                layout.coordinates(Register(register), Lane(lane), Warp(warp)),
                expected(
                    row,
                    column,
                    element as u64,
                    u64::from(lane),
                    u64::from(warp)
                ),
                "element {element} of lane {lane}, warp {warp}, tile ({row}, {column})"
            );
        }
    }
}

#[test]
fn mma_accumulators_follow_the_isa() {
    let layout = Layout::mma_accumulator([128, 48], [4, 2]);
    assert_eq!(layout.repeat(), [2, 3]);
    check(&layout, |m, n, i, lane, warp| {
        let row = lane / 4 + if i >= 2 { 8 } else { 0 };
        let column = 2 * (lane % 4) + i % 2;
        [
            (m * 4 + warp % 4) * 16 + row,
            (n * 2 + warp / 4) * 8 + column,
        ]
    });
}

#[test]
fn mma_left_operands_follow_the_isa() {
    check(
        &Layout::mma_operand_a([64, 80], [2, 2], 16),
        |m, k, i, lane, warp| {
            let row = lane / 4 + if matches!(i, 0 | 1 | 4 | 5) { 0 } else { 8 };
            let column = 2 * (lane % 4) + i % 2 + if i >= 4 { 8 } else { 0 };
            [(m * 2 + warp % 2) * 16 + row, k * 16 + column]
        },
    );
    check(
        &Layout::mma_operand_a([32, 16], [2, 1], 32),
        |m, k, i, lane, warp| {
            let row = lane / 4 + if i == 0 || i == 2 { 0 } else { 8 };
            [
                (m * 2 + warp) * 16 + row,
                k * 8 + lane % 4 + if i >= 2 { 4 } else { 0 },
            ]
        },
    );
    check(
        &Layout::mma_operand_a([16, 96], [1, 2], 8),
        |m, k, i, lane, _| {
            let row = lane / 4 + if i < 4 || (8..12).contains(&i) { 0 } else { 8 };
            [
                m * 16 + row,
                k * 32 + 4 * (lane % 4) + i % 4 + if i >= 8 { 16 } else { 0 },
            ]
        },
    );
}

#[test]
fn mma_right_operands_follow_the_isa() {
    check(
        &Layout::mma_operand_b([48, 64], [2, 4], 16),
        |k, n, i, lane, warp| {
            let row = 2 * (lane % 4) + i % 2 + if i >= 2 { 8 } else { 0 };
            [k * 16 + row, (n * 4 + warp / 2) * 8 + lane / 4]
        },
    );
    check(
        &Layout::mma_operand_b([16, 8], [1, 1], 32),
        |k, n, i, lane, _| [k * 8 + lane % 4 + 4 * i, n * 8 + lane / 4],
    );
    check(
        &Layout::mma_operand_b([64, 24], [1, 1], 8),
        |k, n, i, lane, _| {
            let row = 4 * (lane % 4) + i % 4 + if i >= 4 { 16 } else { 0 };
            [k * 32 + row, n * 8 + lane / 4]
        },
    );
}

#[test]
fn wgmma_accumulators_follow_the_isa() {
    // One instruction of 96 columns for each of two warpgroups and two row tiles.
    let layout = Layout::wgmma_accumulator([256, 96], [2, 1]);
    for tile in 0..2u64 {
        for (i, lane, warp) in (0..48u64)
            .flat_map(|i| (0..32).flat_map(move |lane| (0..8).map(move |warp| (i, lane, warp))))
        {
            let (lane_number, warp_number) = (u64::from(lane), u64::from(warp));
            let row = 16 * (warp_number % 4) + lane_number / 4 + 8 * (i / 2 % 2);
            let column = 8 * (i / 4) + 2 * (lane_number % 4) + i % 2;
            let register = Register((tile * 48 + i) as usize);
            let expected = [(tile * 2 + warp_number / 4) * 64 + row, column];
            assert_eq!(
                layout.coordinates(register, Lane(lane), Warp(warp)),
                expected
            );
        }
    }
}

#[test]
fn wgmma_warpgroups_along_n_have_neighbouring_halves() {
    let layout = Layout::wgmma_accumulator([128, 64], [1, 2]);
    for (tile, i, lane, warp) in [(0u64, 13u64, 6u32, 5u32), (1, 15, 31, 7), (1, 2, 9, 2)] {
        let (lane_number, warp_number) = (u64::from(lane), u64::from(warp));
        let row = 64 * tile + 16 * (warp_number % 4) + lane_number / 4 + 8 * (i / 2 % 2);
        let column = 32 * (warp_number / 4) + 8 * (i / 4) + 2 * (lane_number % 4) + i % 2;
        let register = Register((tile * 16 + i) as usize);
        assert_eq!(
            layout.coordinates(register, Lane(lane), Warp(warp)),
            [row, column]
        );
    }
}

#[test]
fn two_accumulator_tiles_are_one_left_operand_tile() {
    // What lets the result of one product feed the next without moving data (flash attention).
    let accumulator = Layout::mma_accumulator([64, 64], [4, 1]);
    let operand = Layout::mma_operand_a([64, 64], [4, 1], 16);
    for register in 0..operand.register_count() {
        assert_eq!(
            accumulator.register_coordinates(register),
            operand.register_coordinates(register)
        );
    }
    assert_eq!(accumulator.lane_bases(), operand.lane_bases());
}

#[test]
fn small_tiles_are_padded_and_surplus_warps_hold_copies() {
    let layout = Layout::mma_accumulator([16, 5], [4, 1]);
    assert_eq!(layout.block(), [16, 8]);
    assert_eq!(layout.free_warp_bits(), 0b11);
    assert!(layout.may_be_padding(0));
}

#[test]
fn threads_of_an_fma_product_have_the_operands_they_need() {
    for (shape, k, warps) in [
        ([64, 64], 16, 4),
        ([128, 48], 8, 8),
        ([5, 3], 7, 2),
        ([1, 512], 4, 4),
    ] {
        let accumulator = Layout::fma_accumulator(shape, warps);
        let (a, b) = (accumulator.fma_operand_a(k), accumulator.fma_operand_b(k));
        for register in 0..accumulator.register_count() {
            let at = accumulator.register_coordinates(register);
            for step in 0..k {
                assert!(a.register_with_coordinates(&[at[0], step]).is_some());
                assert!(b.register_with_coordinates(&[step, at[1]]).is_some());
            }
        }
        for thread in [(Lane(13), Warp(1)), (Lane(31), Warp(0))] {
            let at = accumulator.thread_coordinates(thread.0, thread.1);
            assert_eq!(a.thread_coordinates(thread.0, thread.1), [at[0], 0]);
            assert_eq!(b.thread_coordinates(thread.0, thread.1), [0, at[1]]);
        }
    }
    let accumulator = Layout::fma_accumulator([128, 128], 4);
    assert_eq!(accumulator.block(), [32, 64]);
    assert_eq!(accumulator.fma_operand_a(16).contiguous(1), 4);
    assert_eq!(accumulator.fma_operand_b(16).contiguous(1), 4);
}

/// Three warpgroups: those that the bits of a fourth one number would have rows from 192 on.
#[test]
fn products_of_192_rows_have_three_warpgroups() {
    let grid = Layout::warpgroup_grid([192, 96], 12);
    assert_eq!(grid, [3, 1]);
    let layout = Layout::wgmma_accumulator([192, 96], grid);
    assert_eq!((layout.warp_count(), layout.register_count()), (12, 48));
    assert_eq!(layout.covered(), [192, 96]);
    assert!((0..48).all(|register| !layout.may_be_padding(register)));
    assert!(layout.lacks_warps_along(0) && !layout.lacks_warps_along(1));
    assert_eq!(layout.warp_boxes(2), None, "48 bytes are no box");
    let text = layout.to_attribute();
    assert!(text.ends_with("warps = [12]}"));
    assert_eq!(
        Layout::from_attribute(&text, &[192, 96]),
        Ok(layout.clone())
    );

    let rows = layout.remove_dimension(1);
    assert_eq!((rows.warp_count(), rows.covered()), (12, vec![192]));
    let columns = layout.remove_dimension(0);
    assert_eq!(columns.owners().redundant_warp_bits, 0b1111);

    // Rows that the last warps would have to hold are refused.
    let whole = Layout::wgmma_accumulator([256, 96], [4, 1]);
    assert_eq!(whole.clone().with_warp_count(12), Err(LayoutError::Holes));
    for count in [0, 8, 17] {
        let refused = LayoutError::WarpCount {
            bits: 4,
            found: count,
        };
        assert_eq!(whole.clone().with_warp_count(count), Err(refused));
    }
    assert_eq!(Layout::warpgroup_grid([128, 96], 12), [2, 1]);
}
