//! Types as they lie in registers, and loops over the lanes of a warp.
//!
//! An instruction says what one lane does; [`unary`], [`binary`] and so on do it for all 32. They
//! are plain loops over arrays, inlined together with what the lane does, which is what compilers
//! turn into vector instructions.

use half::{bf16, f16};

use crate::simulator::registers::{LANES, Lanes32, Mask, Registers, Slot};

/// A value of one lane.
pub(super) trait Element: Copy {
    /// The rows of a register of this type.
    type Rows: Copy;

    /// Rows to be filled.
    const ZERO: Self::Rows;

    /// Reads a register. It may be wider than the type; bits above the type's are ignored where a
    /// type is narrower than a row.
    fn load(registers: &Registers, slot: Slot) -> Self::Rows;

    /// Writes the lanes of the mask.
    fn store(registers: &mut Registers, slot: Slot, mask: Mask, rows: Self::Rows);

    /// The value of a lane.
    fn get(rows: &Self::Rows, lane: usize) -> Self;

    /// Sets the value of a lane.
    fn put(self, rows: &mut Self::Rows, lane: usize);
}

macro_rules! one_row {
    ($($type:ty: $bits:ident => $value:expr, $value_of:ident => $row:expr;)*) => {$(
        impl Element for $type {
            type Rows = Lanes32;

            const ZERO: Lanes32 = [0; LANES];

            #[inline(always)]
            fn load(registers: &Registers, slot: Slot) -> Lanes32 {
                registers.get32(slot)
            }

            #[inline(always)]
            fn store(registers: &mut Registers, slot: Slot, mask: Mask, rows: Lanes32) {
                registers.set32(slot, mask, rows);
            }

            #[inline(always)]
            fn get(rows: &Lanes32, lane: usize) -> Self {
                let $bits = rows[lane];
                $value
            }

            #[inline(always)]
            fn put(self, rows: &mut Lanes32, lane: usize) {
                let $value_of = self;
                rows[lane] = $row;
            }
        }
    )*};
}

// Through the unsigned type of the same width on the way back, so that upper bits are zero.
one_row! {
    u8: bits => bits as u8, value => u32::from(value);
    i8: bits => bits as i8, value => u32::from(value as u8);
    u16: bits => bits as u16, value => u32::from(value);
    i16: bits => bits as i16, value => u32::from(value as u16);
    u32: bits => bits, value => value;
    i32: bits => bits as i32, value => value as u32;
    f16: bits => f16::from_bits(bits as u16), value => u32::from(value.to_bits());
    bf16: bits => bf16::from_bits(bits as u16), value => u32::from(value.to_bits());
    f32: bits => f32::from_bits(bits), value => value.to_bits();
}

macro_rules! two_rows {
    ($($type:ty: $bits:ident => $value:expr, $value_of:ident => $row:expr;)*) => {$(
        impl Element for $type {
            type Rows = [Lanes32; 2];

            const ZERO: [Lanes32; 2] = [[0; LANES]; 2];

            #[inline(always)]
            fn load(registers: &Registers, slot: Slot) -> [Lanes32; 2] {
                [registers.get32(slot), registers.get32(Slot(slot.0 + 1))]
            }

            #[inline(always)]
            fn store(registers: &mut Registers, slot: Slot, mask: Mask, rows: [Lanes32; 2]) {
                let [low, high] = rows;
                registers.set32(slot, mask, low);
                registers.set32(Slot(slot.0 + 1), mask, high);
            }

            #[inline(always)]
            fn get(rows: &[Lanes32; 2], lane: usize) -> Self {
                let $bits = u64::from(rows[1][lane]) << 32 | u64::from(rows[0][lane]);
                $value
            }

            #[inline(always)]
            fn put(self, rows: &mut [Lanes32; 2], lane: usize) {
                let $value_of = self;
                let bits: u64 = $row;
                rows[0][lane] = bits as u32;
                rows[1][lane] = (bits >> 32) as u32;
            }
        }
    )*};
}

two_rows! {
    u64: bits => bits, value => value;
    i64: bits => bits as i64, value => value as u64;
    f64: bits => f64::from_bits(bits), value => value.to_bits();
}

/// Operands `d, a`.
#[inline(always)]
pub(super) fn unary<A: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A) -> D,
) {
    let a = A::load(registers, operands[1]);
    let mut rows = D::ZERO;
    for index in 0..LANES {
        lane(A::get(&a, index)).put(&mut rows, index);
    }
    D::store(registers, operands[0], mask, rows);
}

/// Operands `d, a, b`.
#[inline(always)]
pub(super) fn binary<A: Element, B: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A, B) -> D,
) {
    let a = A::load(registers, operands[1]);
    let b = B::load(registers, operands[2]);
    let mut rows = D::ZERO;
    for index in 0..LANES {
        lane(A::get(&a, index), B::get(&b, index)).put(&mut rows, index);
    }
    D::store(registers, operands[0], mask, rows);
}

/// Operands `d, a, b, c`.
#[inline(always)]
pub(super) fn ternary<A: Element, B: Element, C: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A, B, C) -> D,
) {
    let a = A::load(registers, operands[1]);
    let b = B::load(registers, operands[2]);
    let c = C::load(registers, operands[3]);
    let mut rows = D::ZERO;
    for index in 0..LANES {
        lane(A::get(&a, index), B::get(&b, index), C::get(&c, index)).put(&mut rows, index);
    }
    D::store(registers, operands[0], mask, rows);
}
