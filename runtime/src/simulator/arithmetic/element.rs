//! Types as they lie in registers.

use half::{bf16, f16};

use crate::simulator::registers::{LANES, Lanes32, Mask, Registers, Slot};

/// A value of one lane.
pub(super) trait Element: Copy {
    /// The rows of a register of this type.
    type Rows: Copy + AsRef<[Lanes32]> + AsMut<[Lanes32]>;

    /// The rows of a register, in place.
    type View<'r>: Copy;

    /// Rows to be filled.
    const EMPTY: Self::Rows;

    /// Reads a register. It may be wider than the type, whose low bits are then the value.
    fn view(registers: &Registers, slot: Slot) -> Self::View<'_>;

    /// Writes the lanes of the mask.
    fn store(registers: &mut Registers, slot: Slot, mask: Mask, rows: &Self::Rows);

    /// The value of a lane.
    fn get(view: Self::View<'_>, lane: usize) -> Self;

    /// Sets the value of a lane.
    fn put(self, rows: &mut Self::Rows, lane: usize);
}

/// Two values of one register, the first in the low half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair<T>(pub T, pub T);

/// A value, or a pair of them: what an instruction does to one it does to both.
pub(super) trait Packed: Element {
    type Of: Element;

    /// The first and the last value.
    fn halves(self) -> [Self::Of; 2];

    fn map(self, of: impl Fn(Self::Of) -> Self::Of) -> Self;
    fn zip(self, b: Self, of: impl Fn(Self::Of, Self::Of) -> Self::Of) -> Self;
    fn zip3(self, b: Self, c: Self, of: impl Fn(Self::Of, Self::Of, Self::Of) -> Self::Of) -> Self;
}

macro_rules! one_row {
    ($($type:ty: $bits:ident => $value:expr, $value_of:ident => $row:expr;)*) => {$(
        impl Element for $type {
            type Rows = [Lanes32; 1];

            type View<'r> = &'r Lanes32;

            const EMPTY: [Lanes32; 1] = [[0; LANES]];

            #[inline(always)]
            fn view(registers: &Registers, slot: Slot) -> &Lanes32 {
                registers.row(slot)
            }

            #[inline(always)]
            fn store(registers: &mut Registers, slot: Slot, mask: Mask, [row]: &[Lanes32; 1]) {
                registers.set32(slot, mask, *row);
            }

            #[inline(always)]
            fn get(row: &Lanes32, lane: usize) -> Self {
                let $bits = row[lane];
                $value
            }

            #[inline(always)]
            fn put(self, [row]: &mut [Lanes32; 1], lane: usize) {
                let $value_of = self;
                row[lane] = $row;
            }
        }
    )*};
}

macro_rules! two_rows {
    ($($type:ty: $low:ident $high:ident => $value:expr, $value_of:ident => $rows:expr;)*) => {$(
        impl Element for $type {
            type Rows = [Lanes32; 2];

            type View<'r> = [&'r Lanes32; 2];

            const EMPTY: [Lanes32; 2] = [[0; LANES]; 2];

            #[inline(always)]
            fn view(registers: &Registers, slot: Slot) -> [&Lanes32; 2] {
                [registers.row(slot), registers.row(Slot(slot.0 + 1))]
            }

            #[inline(always)]
            fn store(
                registers: &mut Registers,
                slot: Slot,
                mask: Mask,
                [low, high]: &[Lanes32; 2],
            ) {
                registers.set32(slot, mask, *low);
                registers.set32(Slot(slot.0 + 1), mask, *high);
            }

            #[inline(always)]
            fn get(view: [&Lanes32; 2], lane: usize) -> Self {
                let [$low, $high] = view.map(|row| row[lane]);
                $value
            }

            #[inline(always)]
            fn put(self, rows: &mut [Lanes32; 2], lane: usize) {
                let $value_of = self;
                let [low, high]: [u32; 2] = $rows;
                rows[0][lane] = low;
                rows[1][lane] = high;
            }
        }
    )*};
}

macro_rules! packed {
    ($($type:ty)*) => {$(
        impl Packed for $type {
            type Of = Self;

            #[inline(always)]
            fn halves(self) -> [Self; 2] {
                [self, self]
            }

            #[inline(always)]
            fn map(self, of: impl Fn(Self) -> Self) -> Self {
                of(self)
            }

            #[inline(always)]
            fn zip(self, b: Self, of: impl Fn(Self, Self) -> Self) -> Self {
                of(self, b)
            }

            #[inline(always)]
            fn zip3(self, b: Self, c: Self, of: impl Fn(Self, Self, Self) -> Self) -> Self {
                of(self, b, c)
            }
        }

        impl Packed for Pair<$type> {
            type Of = $type;

            #[inline(always)]
            fn halves(self) -> [$type; 2] {
                [self.0, self.1]
            }

            #[inline(always)]
            fn map(self, of: impl Fn($type) -> $type) -> Self {
                Self(of(self.0), of(self.1))
            }

            #[inline(always)]
            fn zip(self, b: Self, of: impl Fn($type, $type) -> $type) -> Self {
                Self(of(self.0, b.0), of(self.1, b.1))
            }

            #[inline(always)]
            fn zip3(self, b: Self, c: Self, of: impl Fn($type, $type, $type) -> $type) -> Self {
                Self(of(self.0, b.0, c.0), of(self.1, b.1, c.1))
            }
        }
    )*};
}

// Through the unsigned type of the same width on the way back, so that upper bits are zero.
one_row! {
    u8: bits => bits as u8, value => value.into();
    i8: bits => bits as i8, value => (value as u8).into();
    u16: bits => bits as u16, value => value.into();
    i16: bits => bits as i16, value => (value as u16).into();
    u32: bits => bits, value => value;
    i32: bits => bits as i32, value => value as u32;
    f16: bits => f16::from_bits(bits as u16), value => value.to_bits().into();
    bf16: bits => bf16::from_bits(bits as u16), value => value.to_bits().into();
    f32: bits => f32::from_bits(bits), value => value.to_bits();
    Pair<u16>: bits => Pair(bits as u16, (bits >> 16) as u16),
        pair => u32::from(pair.1) << 16 | u32::from(pair.0);
    Pair<i16>: bits => Pair(bits as i16, (bits >> 16) as i16),
        pair => u32::from(pair.1 as u16) << 16 | u32::from(pair.0 as u16);
    Pair<f16>: bits => Pair(f16::from_bits(bits as u16), f16::from_bits((bits >> 16) as u16)),
        pair => u32::from(pair.1.to_bits()) << 16 | u32::from(pair.0.to_bits());
    Pair<bf16>: bits => Pair(bf16::from_bits(bits as u16), bf16::from_bits((bits >> 16) as u16)),
        pair => u32::from(pair.1.to_bits()) << 16 | u32::from(pair.0.to_bits());
}

two_rows! {
    u64: low high => join(low, high), value => split(value);
    i64: low high => join(low, high) as i64, value => split(value as u64);
    f64: low high => f64::from_bits(join(low, high)), value => split(value.to_bits());
    Pair<f32>: low high => Pair(f32::from_bits(low), f32::from_bits(high)),
        pair => [pair.0.to_bits(), pair.1.to_bits()];
}

packed!(u16 i16 f16 bf16 f32);

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn split(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
