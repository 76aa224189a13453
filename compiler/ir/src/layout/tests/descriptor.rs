//! Operands of `wgmma`: descriptors against the canonical layouts of the PTX ISA.

use crate::layout::*;

/// Where the ISA's canonical layout puts the element at `row` and `k` of an instruction, given the
/// descriptor's fields: PTX ISA, "Canonical Layouts", swizzled ones.
fn canonical(high: u32, low: u32, k_major: bool, bytes: u64, row: u64, k: u64) -> u64 {
    let width = match high >> 30 {
        1 => 128,
        2 => 64,
        _ => 32,
    };
    let stride = u64::from(high & 0x3fff) * 16;
    let leading = u64::from(low >> 16) * 16;
    if k_major {
        assert!(k * bytes < 32);
        row % 8 * width + row / 8 * stride + k * bytes
    } else {
        let panel = width / bytes;
        row % panel * bytes + row / panel * leading + k % 8 * width + k / 8 * stride
    }
}

/// The XOR of the swizzle on an address: PTX ISA, "Swizzling Modes".
fn swizzled(high: u32, address: u64) -> u64 {
    let mask = match high >> 30 {
        1 => 0x70,
        2 => 0x30,
        _ => 0x10,
    };
    address ^ (address >> 3 & mask)
}

#[test]
fn descriptors_find_every_element_where_the_layout_puts_it() {
    for (bytes, k_size) in [
        (2, 64),
        (2, 16),
        (2, 32),
        (2, 128),
        (4, 32),
        (1, 96),
        (1, 256),
    ] {
        for (rows, instruction) in [
            (64, 64),
            (128, 64),
            (96, 96),
            (24, 24),
            (512, 256),
            (80, 16),
        ] {
            for (k_axis, k_major) in [(0, true), (0, false), (1, true), (1, false)] {
                let mut shape = [rows, rows];
                shape[k_axis] = k_size;
                let operand = MatrixOperand::new(shape, k_axis, bytes, instruction, k_major);
                let Some(operand) = operand else {
                    assert!(!k_major, "K-major operands are always possible");
                    continue;
                };
                assert_eq!(operand.is_k_major(), k_major);
                let (high, low) = (operand.high_word(), operand.leading());
                let step = 32 / bytes;
                for row0 in (0..rows).step_by(instruction as usize) {
                    for k0 in (0..k_size).step_by(step as usize) {
                        let start = operand.part_bytes(row0, k0);
                        for (row, k) in
                            (0..instruction).flat_map(|r| (0..step).map(move |k| (r, k)))
                        {
                            let mut at = [row0 + row; 2];
                            at[k_axis] = k0 + k;
                            let found = swizzled(
                                high,
                                start + canonical(high, low, k_major, bytes, row, k),
                            );
                            assert_eq!(found, operand.layout().offset_bytes(&at));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn rows_of_tiles_as_tma_writes_them_have_the_known_constants() {
    // 128 x 64 of bf16, K-major: 128-byte swizzle, 1024 bytes from eight rows to eight rows.
    let operand =
        MatrixOperand::new([128, 64], 1, 2, 64, true).map(|a| (a.high_word(), a.leading()));
    assert_eq!(operand, Some((0x4000_0040, 1 << 16)));
    // 64 x 256, N-major: panels of 64 columns, 64 rows of 128 bytes each.
    let operand =
        MatrixOperand::new([64, 256], 0, 2, 256, false).map(|b| (b.high_word(), b.leading()));
    assert_eq!(operand, Some((0x4000_0040, 512 << 16)));
}

#[test]
fn only_16_bit_operands_may_lie_along_m_or_n() {
    assert_eq!(MatrixOperand::new([64, 32], 1, 4, 64, false), None);
    assert_eq!(MatrixOperand::new([64, 32], 1, 1, 64, false), None);
}
