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
    Move 0 "mov.b64" "b32 b32 = b64" = unpack64::<2, 32>;
    Move 0 "mov.b64" "b16 b16 b16 b16 = b64" = unpack64::<4, 16>;
    Move 0 "mov.b16" "b16 = b8 b8" = pack::<2, 8>;
    Move 0 "mov.b32" "b32 = b16 b16" = pack::<2, 16>;
    Move 0 "mov.b32" "b32 = b8 b8 b8 b8" = pack::<4, 8>;
    Move 0 "mov.b64" "b64 = b32 b32" = pack64::<2, 32>;
    Move 0 "mov.b64" "b64 = b16 b16 b16 b16" = pack64::<4, 16>;

    Move 0 "selp.<type>" "T = T T pred" [T word last] = select::<T>;
    Move 0 seldom "slct.<type>.s32" "D = D D T" [D word before_last]
        |a: D, b: D, c: i32| if c >= 0 { a } else { b };
    Move 0 seldom "slct{.ftz}.<type>.f32" "D = D D T" [FTZ "ftz"] [D word before_last]
        |a: D, b: D, c: f32| if flushed::<FTZ, _>(c) >= 0.0 { a } else { b };
};

/// Operands `d, a, b, p`.
fn select<T: Element>(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let a = T::load(registers, operands[1]);
    let mut rows = T::load(registers, operands[2]);
    let chosen = registers.predicate(operands[3]);
    for (row, a) in rows.as_mut().iter_mut().zip(a.as_ref()) {
        for ((value, a), bit) in row.iter_mut().zip(a).zip(BIT) {
            *value = if chosen & bit == 0 { *value } else { *a };
        }
    }
    T::store(registers, operands[0], mask, rows);
}

/// The parts of a word, the lowest first.
fn unpack<const PARTS: usize, const BITS: u32>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let word = registers.get32(operands[PARTS]);
    for (slot, shift) in operands[..PARTS].iter().zip((0..).step_by(BITS as usize)) {
        let part = word.map(|word| word >> shift & (u32::MAX >> (32 - BITS)));
        registers.set32(*slot, mask, part);
    }
}

/// A word of parts, the lowest first.
fn pack<const PARTS: usize, const BITS: u32>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let mut word: Lanes32 = [0; LANES];
    for (slot, shift) in operands[1..=PARTS].iter().zip((0..).step_by(BITS as usize)) {
        let part = registers.get32(*slot);
        for lane in 0..LANES {
            word[lane] |= (part[lane] & (u32::MAX >> (32 - BITS))) << shift;
        }
    }
    registers.set32(operands[0], mask, word);
}

/// The parts of a double word, the lowest first.
fn unpack64<const PARTS: usize, const BITS: u32>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let rows = u64::load(registers, operands[PARTS]);
    for (slot, shift) in operands[..PARTS].iter().zip((0..).step_by(BITS as usize)) {
        let row = rows[shift / 32];
        let part = row.map(|row| row >> (shift % 32) & (u32::MAX >> (32 - BITS)));
        registers.set32(*slot, mask, part);
    }
}

/// A double word of parts, the lowest first.
fn pack64<const PARTS: usize, const BITS: u32>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let mut rows = u64::EMPTY;
    for (slot, shift) in operands[1..=PARTS].iter().zip((0..).step_by(BITS as usize)) {
        let part = registers.get32(*slot);
        for lane in 0..LANES {
            rows[shift / 32][lane] |= (part[lane] & (u32::MAX >> (32 - BITS))) << (shift % 32);
        }
    }
    u64::store(registers, operands[0], mask, rows);
}
