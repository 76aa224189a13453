//! `ldmatrix`, `stmatrix` and `movmatrix`.

use super::isa;
use super::matrix::{Asked, collect, matrix, product, random, slots, spread};
use crate::simulator::matrix::kind::Kind;
use crate::simulator::matrix::mma::Mma;
use crate::simulator::matrix::movement::{LoadMatrix, MoveMatrix, Row, StoreMatrix};
use crate::simulator::registers::{FULL, LANES, Registers, Slot};

fn load(opcode: &str) -> LoadMatrix {
    LoadMatrix::find(&opcode.split('.').collect::<Vec<_>>()).unwrap_or_else(|| panic!("{opcode}"))
}

fn store(opcode: &str) -> StoreMatrix {
    StoreMatrix::find(&opcode.split('.').collect::<Vec<_>>()).unwrap_or_else(|| panic!("{opcode}"))
}

/// Rows whose 16-bit elements say where they are: `row << 8 | column`.
fn numbered(rows: usize) -> Vec<Row> {
    let byte = |row: usize, byte: usize| {
        (if byte.is_multiple_of(2) {
            byte / 2
        } else {
            row
        }) as u8
    };
    (0..rows)
        .map(|row| std::array::from_fn(|index| byte(row, index)))
        .collect()
}

fn element(row: usize, column: usize) -> u32 {
    (row << 8 | column) as u32
}

#[test]
fn ldmatrix_gives_each_lane_two_elements_of_a_row_of_each_matrix() {
    for (number, opcode) in [(1, "x1"), (2, "x2"), (4, "x4")] {
        let load = load(&format!("ldmatrix.sync.aligned.m8n8.{opcode}.shared.b16"));
        assert_eq!(
            (load.rows(), load.registers(), load.generic()),
            (8 * number, number, false)
        );
        let mut registers = Registers::new(4, 0);
        load.run(&numbered(8 * number), &mut registers, &slots(0, number, 32));
        for matrix in 0..number {
            let lanes = registers.get32(Slot(matrix as u32));
            for (lane, word) in lanes.into_iter().enumerate() {
                let (row, column) = (8 * matrix + lane / 4, 2 * (lane % 4));
                assert_eq!(word, element(row, column) | element(row, column + 1) << 16);
            }
        }
    }
}

#[test]
fn ldmatrix_trans_gives_each_lane_two_elements_of_a_column() {
    let load = load("ldmatrix.sync.aligned.m8n8.x4.trans.b16");
    assert!(load.generic());
    let mut registers = Registers::new(4, 0);
    load.run(&numbered(32), &mut registers, &slots(0, 4, 32));
    for matrix in 0..4 {
        let lanes = registers.get32(Slot(matrix as u32));
        for (lane, word) in lanes.into_iter().enumerate() {
            let (row, column) = (8 * matrix + 2 * (lane % 4), lane / 4);
            assert_eq!(word, element(row, column) | element(row + 1, column) << 16);
        }
    }
}

/// The layouts of CuTe's copy traits, in bits: a shape and strides for the lane that has an address,
/// for the lane that has an element, and for the elements of the lane.
fn cute(mut index: usize, shape: &[usize], strides: &[usize]) -> usize {
    shape.iter().zip(strides).fold(0, |sum, (size, stride)| {
        let digit = index % size;
        index /= size;
        sum + digit * stride
    })
}

#[test]
fn the_8_bit_forms_move_elements_as_cutes_copy_traits_say() {
    // For each: the bit where row `i` starts, the strides of lanes, the sizes and strides of bytes.
    let load = load("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8");
    assert_eq!((load.rows(), load.registers()), (32, 4));
    let rows: Vec<Row> = (0..32)
        .map(|row| std::array::from_fn(|byte| (16 * row + byte) as u8))
        .collect();
    let mut registers = Registers::new(4, 0);
    // In two halves, since bytes count to 255 only.
    for half in 0..2 {
        let mut rows = rows.clone();
        rows[16 * (1 - half)..][..16].fill([0; 16]);
        load.run(&rows, &mut registers, &slots(0, 4, 32));
        for lane in 0..LANES {
            for byte in 8 * half..8 * half + 8 {
                let bit = cute(lane, &[4, 8], &[256, 8]) + cute(byte, &[2, 2, 4], &[128, 64, 1024]);
                let row = (0..32).find(|row| {
                    cute(*row, &[2, 2, 4, 2], &[128, 1024, 256, 2048]) == bit / 128 * 128
                });
                let expected = rows[row.expect("a row")][bit % 128 / 8];
                let word = registers.get32(Slot(byte as u32 / 4))[lane];
                assert_eq!(
                    (word >> (byte % 4 * 8)) as u8,
                    expected,
                    "byte {byte} of lane {lane}"
                );
            }
        }
    }
    let store = store("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8");
    assert_eq!((store.rows(), store.registers()), (32, 4));
    for register in 0..4 {
        let mut registers = Registers::new(4, 0);
        let word = |lane| u32::from_le_bytes([0, 1, 2, 3].map(|byte| 4 * lane as u8 + byte));
        registers.set32(Slot(register), FULL, std::array::from_fn(word));
        let rows = store.run(&registers, &slots(0, 4, 32));
        for lane in 0..LANES {
            for byte in 0..4 {
                let index = byte + 4 * register as usize;
                let bit =
                    cute(lane, &[4, 8], &[256, 8]) + cute(index, &[2, 2, 4], &[128, 64, 1024]);
                assert_eq!(rows[bit / 128][bit % 128 / 8], (4 * lane + byte) as u8);
            }
        }
    }
}

#[test]
fn stmatrix_undoes_ldmatrix() {
    for (number, opcode) in [
        (1, "x1"),
        (2, "x2"),
        (4, "x4"),
        (4, "x4.trans"),
        (2, "x2.trans"),
        (1, "x1.trans"),
    ] {
        let rows = numbered(8 * number);
        let mut registers = Registers::new(4, 0);
        let slots = slots(0, number, 32);
        load(&format!(
            "ldmatrix.sync.aligned.m8n8.{opcode}.shared::cta.b16"
        ))
        .run(&rows, &mut registers, &slots);
        let store = store(&format!(
            "stmatrix.sync.aligned.m8n8.{opcode}.shared::cta.b16"
        ));
        assert_eq!(store.run(&registers, &slots), rows, "{opcode}");
    }
}

#[test]
fn movmatrix_is_a_store_and_a_transposing_load() {
    let rows = numbered(8);
    let mut registers = Registers::new(3, 0);
    load("ldmatrix.sync.aligned.m8n8.x1.shared.b16").run(&rows, &mut registers, &[Slot(0)]);
    load("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16").run(&rows, &mut registers, &[Slot(1)]);
    let parts: Vec<_> = MoveMatrix::FORM.split('.').collect();
    let movement = MoveMatrix::find(&parts).expect("its own opcode");
    movement.run(&mut registers, Slot(2), Slot(0));
    assert_eq!(registers.get32(Slot(2)), registers.get32(Slot(1)));
    movement.run(&mut registers, Slot(2), Slot(2));
    assert_eq!(
        registers.get32(Slot(2)),
        registers.get32(Slot(0)),
        "in place, and back"
    );
}

#[test]
fn opcodes_are_found_in_any_order() {
    let parts: Vec<_> = "ldmatrix.sync.aligned.x4.m8n8.shared.b16.trans"
        .split('.')
        .collect();
    assert_eq!(
        LoadMatrix::find(&parts),
        Some(load("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"))
    );
    for form in LoadMatrix::forms() {
        load(&form);
        assert_eq!(
            StoreMatrix::find(&form.split('.').collect::<Vec<_>>()),
            None
        );
    }
    for form in StoreMatrix::forms() {
        store(&form);
    }
    for wrong in [
        "ldmatrix.sync.aligned.m16n16.x4.trans.shared.b8",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16",
    ] {
        assert_eq!(
            LoadMatrix::find(&wrong.split('.').collect::<Vec<_>>()),
            None,
            "{wrong}"
        );
    }
}

/// A small matmul as a kernel would do it: A (16 x 16, row by row) and B (16 x 16, row by row, or
/// column by column) from shared memory, D (f16) back to it.
#[test]
fn ldmatrix_mma_and_stmatrix_multiply_matrices_in_shared_memory() {
    let mut random = random();
    let mma = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
    let mma = Mma::find(&mma.split('.').collect::<Vec<_>>()).expect("a known opcode");
    for column_by_column in [false, true] {
        let a = matrix(&mut random, Kind::F16, 16, 16);
        let b = matrix(&mut random, Kind::F16, 16, 16);
        let mut memory = Vec::new();
        for row in a.iter().take(16) {
            memory.extend(row.iter().flat_map(|bits| (*bits as u16).to_le_bytes()));
        }
        for (row, across) in b.iter().enumerate().take(16) {
            let line = (0..16).map(|column| {
                if column_by_column {
                    b[column][row]
                } else {
                    across[column]
                }
            });
            memory.extend(line.flat_map(|bits| (bits as u16).to_le_bytes()));
        }
        memory.resize(3 * 512, 0);
        let row_at = |address: usize| -> Row { std::array::from_fn(|byte| memory[address + byte]) };

        let mut registers = Registers::new(16, 0);
        // Lane L: row L % 16, and the upper 8 columns from lane 16 on.
        let rows: Vec<Row> = (0..32)
            .map(|lane| row_at(lane % 16 * 32 + lane / 16 * 16))
            .collect();
        load("ldmatrix.sync.aligned.m8n8.x4.shared.b16").run(
            &rows,
            &mut registers,
            &slots(0, 4, 32),
        );
        // Registers: k 0..8 and 8..16 of columns 0..8, then of columns 8..16.
        let (rows, opcode): (Vec<Row>, _) = if column_by_column {
            let row =
                |lane: usize| row_at(512 + (lane % 8 + lane / 16 * 8) * 32 + lane / 8 % 2 * 16);
            (
                (0..32).map(row).collect(),
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
            )
        } else {
            let row = |lane: usize| row_at(512 + lane % 16 * 32 + lane / 16 * 16);
            (
                (0..32).map(row).collect(),
                "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
            )
        };
        load(opcode).run(&rows, &mut registers, &slots(4, 4, 32));
        for half in 0..2 {
            let (d, b) = (slots(8 + 2 * half, 2, 32), slots(4 + 2 * half, 2, 32));
            mma.run(&mut registers, &d, &slots(0, 4, 32), &b, &d);
        }
        // Registers 8..12: rows 0..8 and 8..16 of columns 0..8, then of columns 8..16.
        let store = store("stmatrix.sync.aligned.m8n8.x4.shared.b16");
        for (lane, row) in store.run(&registers, &slots(8, 4, 32)).iter().enumerate() {
            let address = 1024 + lane % 16 * 32 + lane / 16 * 16;
            memory[address..address + 16].copy_from_slice(row);
        }
        let asked = Asked {
            a: Kind::F16,
            b: Kind::F16,
            c: Kind::F16,
            d: Kind::F16,
            saturate: false,
            xor: false,
        };
        let expected = product(asked, &a, &b, &vec![vec![0; 16]; 16]);
        let words = memory[1024..]
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 8);
        assert_eq!(
            words.collect::<Vec<_>>(),
            expected.concat(),
            "B column by column: {column_by_column}"
        );
    }
}

#[test]
fn an_accumulator_is_stored_by_stmatrix_as_a_row_major_matrix() {
    let mut random = random();
    let d = matrix(&mut random, Kind::F16, 16, 8);
    let mut registers = Registers::new(2, 0);
    spread(
        &mut registers,
        (&slots(0, 2, 32), 32),
        Kind::F16,
        &d,
        |lane, i| isa::c(16, lane, i),
    );
    let rows = store("stmatrix.sync.aligned.m8n8.x2.shared.b16").run(&registers, &slots(0, 2, 32));
    let words = rows.concat();
    let words = words
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 8);
    assert_eq!(words.collect::<Vec<_>>(), d.concat());
    let back = collect(
        &registers,
        (&slots(0, 2, 32), 32),
        Kind::F16,
        (16, 8),
        |lane, i| isa::c(16, lane, i),
    );
    assert_eq!(back, d);
}
