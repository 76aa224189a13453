//! Moves, packing, and choosing between values (PTX ISA, 9.7.6 and 9.7.9).

use super::element::Element;
use super::float::flushed;
use super::pattern::Row;
use super::table::table;
use crate::simulator::registers::{BIT, LANES, Lanes32, Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Move 0 "mov.<type>" "T = T" [T word last] |a: T| a;
    Move 0 "mov.b16" "b8 b8 = b16" = unpack::<2, 8>;
    Move 0 "mov.b32" "b16 b16 = b32" = unpack::<2, 16>;
    Move 0 "mov.b32" "b8 b8 b8 b8 = b32" = unpack::<4, 8>;
    Move 0 "mov.b64" "b32 b32 = b64" = unpack::<2, 32>;
    Move 0 "mov.b64" "b16 b16 b16 b16 = b64" = unpack::<4, 16>;
    Move 0 "mov.b16" "b16 = b8 b8" = pack::<u16, 2, 8>;
    Move 0 "mov.b32" "b32 = b16 b16" = pack::<u32, 2, 16>;
    Move 0 "mov.b32" "b32 = b8 b8 b8 b8" = pack::<u32, 4, 8>;
    Move 0 "mov.b64" "b64 = b32 b32" = pack::<u64, 2, 32>;
    Move 0 "mov.b64" "b64 = b16 b16 b16 b16" = pack::<u64, 4, 16>;

    Move 0 "selp.<type>" "T = T T pred" [T word last] = select::<T>;
    Move 0 seldom "slct.<type>.s32" "D = D D T" [D word before_last]
        |a: D, b: D, c: i32| if c >= 0 { a } else { b };
    Move 0 seldom "slct{.ftz}.<type>.f32" "D = D D T" [FTZ "ftz"] [D word before_last]
        |a: D, b: D, c: f32| if flushed::<FTZ, _>(c) >= 0.0 { a } else { b };
};

/// Operands `d, a, b, p`.
fn select<T: Element>(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let chosen = registers.predicate(operands[3]);
    let mut rows = T::EMPTY;
    for (row, offset) in rows.as_mut().iter_mut().zip(0..) {
        let [a, b] = [operands[1], operands[2]].map(|slot| registers.row(Slot(slot.0 + offset)));
        for lane in 0..LANES {
            row[lane] = if chosen & BIT[lane] == 0 {
                b[lane]
            } else {
                a[lane]
            };
        }
    }
    T::store(registers, operands[0], mask, &rows);
}

/// The parts of a register, the lowest first: operands as many destinations as parts, and a
/// source.
fn unpack<const PARTS: usize, const BITS: u32>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let source = operands[PARTS];
    let word = |at: u32| *registers.row(Slot(source.0 + at / 32));
    // All of them are read before the first is written, which may be the source.
    let parts: [Lanes32; PARTS] = std::array::from_fn(|part| {
        let at = part as u32 * BITS;
        word(at).map(|word| word >> (at % 32) & (u32::MAX >> (32 - BITS)))
    });
    for (slot, part) in operands.iter().zip(&parts) {
        u32::store(registers, *slot, mask, &[*part]);
    }
}

/// A register of parts, the lowest first: operands `d` and as many sources.
fn pack<T: Element, const PARTS: usize, const BITS: u32>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let mut rows = T::EMPTY;
    for (slot, at) in operands[1..=PARTS].iter().zip((0..).step_by(BITS as usize)) {
        let row = &mut rows.as_mut()[at / 32];
        for (word, part) in row.iter_mut().zip(registers.row(*slot)) {
            *word |= (part & (u32::MAX >> (32 - BITS))) << (at % 32);
        }
    }
    T::store(registers, operands[0], mask, &rows);
}
