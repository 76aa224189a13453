//! Comparisons whose result is a number: all ones or 1.0 if it holds, else 0 (PTX ISA, 9.7.6).

use half::{bf16, f16};

use super::bits::Combine;
use super::compare::First;
use super::element::{Element, Packed, Pair};
use super::pattern::Row;
use super::relation::{Comparable, Comparison, High, Low, Ordered, Relations};
use super::table::table;
use crate::simulator::registers::{BIT, Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Predicate 0 "set.<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<u32|s32|f32>.<u16|u32|u64>" "D = T T"
        [C order] [D before U32 S32 F32] [T in U16 U32 U64] = set::<C, T, false, First, D>;
    Predicate 0 "set.<eq|ne|lt|le|gt|ge>.<u32|s32|f32>.<s16|s32|s64>" "D = T T" [C order]
        [D before U32 S32 F32] [T in S16 S32 S64] = set::<C, T, false, First, D>;
    Predicate 0 "set.<eq|ne>.<u32|s32|f32>.<bits>" "D = T T" [C equality] [D before U32 S32 F32]
        [T in B16 B32 B64] = set::<C, T, false, First, D>;
    Predicate 0 "set.<cmp>{.ftz}.<u32|s32|f32>.f32" "D = T T" [C comparison] [FTZ "ftz"]
        [D before U32 S32 F32] = set::<C, f32, FTZ, First, D>;
    Predicate 0 "set.<cmp>.<u32|s32|f32>.f64" "D = T T" [C comparison] [D before U32 S32 F32]
        = set::<C, f64, false, First, D>;
    Predicate 0 "set.<cmp>{.ftz}.<u16|s16|u32|s32|f16>.f16" "D = T T" [C comparison] [FTZ "ftz"]
        [D before U16 S16 U32 S32 F16] = set::<C, f16, FTZ, First, D>;
    Predicate 0 "set.<cmp>.<u16|s16|u32|s32|bf16>.bf16" "D = T T" [C comparison]
        [D before U16 S16 U32 S32 BF16] = set::<C, bf16, false, First, D>;
    // All ones or zeros in either half.
    Predicate 0 "set.<cmp>{.ftz}.<u32|s32>.f16x2" "D = T T" [C comparison] [FTZ "ftz"]
        = set_halves::<C, Pair<f16>, FTZ, u16>;
    Predicate 0 "set.<cmp>.<u32|s32>.bf16x2" "D = T T" [C comparison]
        = set_halves::<C, Pair<bf16>, false, u16>;
    Predicate 0 "set.<cmp>{.ftz}.f16x2.f16x2" "D = T T" [C comparison] [FTZ "ftz"]
        = set_halves::<C, Pair<f16>, FTZ, f16>;
    Predicate 0 "set.<cmp>.bf16x2.bf16x2" "D = T T" [C comparison]
        = set_halves::<C, Pair<bf16>, false, bf16>;

    Predicate 0 "set.<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<bool>.<u32|s32|f32>.<u16|u32|u64>"
        "D = T T pred" [C order] [B combination] [D before U32 S32 F32] [T in U16 U32 U64]
        = set::<C, T, false, B, D>;
    Predicate 0 "set.<eq|ne|lt|le|gt|ge>.<bool>.<u32|s32|f32>.<s16|s32|s64>" "D = T T pred"
        [C order] [B combination] [D before U32 S32 F32] [T in S16 S32 S64]
        = set::<C, T, false, B, D>;
    Predicate 0 "set.<eq|ne>.<bool>.<u32|s32|f32>.<bits>" "D = T T pred" [C equality]
        [B combination] [D before U32 S32 F32] [T in B16 B32 B64] = set::<C, T, false, B, D>;
    Predicate 0 "set.<cmp>.<bool>{.ftz}.<u32|s32|f32>.f32" "D = T T pred" [C comparison]
        [B combination] [FTZ "ftz"] [D before U32 S32 F32] = set::<C, f32, FTZ, B, D>;
    Predicate 0 "set.<cmp>.<bool>.<u32|s32|f32>.f64" "D = T T pred" [C comparison] [B combination]
        [D before U32 S32 F32] = set::<C, f64, false, B, D>;
};

/// What is true as a number.
trait Truth: Element {
    const TRUE: u32;
}

macro_rules! truths {
    ($($type:ty: $true:expr),*) => {$(
        impl Truth for $type {
            const TRUE: u32 = $true;
        }
    )*};
}
truths!(u16: 0xffff, i16: 0xffff, u32: u32::MAX, i32: u32::MAX, f16: 0x3c00, bf16: 0x3f80,
    f32: 0x3f80_0000);

/// Operands `d, a, b`, and `c` if it is combined with one.
fn set<C: Comparison, T: Comparable, const FTZ: bool, B: Combine, D: Truth>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let (operands, with) = B::split(registers, operands);
    let &[d, a, b] = operands else { return };
    let holds = C::holds::<T, FTZ>(&Relations::new(registers, a, b));
    write(
        registers,
        d,
        mask,
        [(B::combine(holds, with), D::TRUE), (0, 0)],
    );
}

/// Operands `d, a, b`.
fn set_halves<C: Comparison, P: Packed<Of: Ordered>, const FTZ: bool, D: Truth>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let &[d, a, b] = operands else { return };
    let low = C::holds::<Low<P>, FTZ>(&Relations::new(registers, a, b));
    let high = C::holds::<High<P>, FTZ>(&Relations::new(registers, a, b));
    write(registers, d, mask, [(low, D::TRUE), (high, D::TRUE << 16)]);
}

/// These bits in these lanes, and others in others.
#[inline(never)]
fn write(registers: &mut Registers, slot: Slot, mask: Mask, parts: [(Mask, u32); 2]) {
    let row = BIT.map(|bit| {
        let [low, high] = parts.map(|(holds, value)| if holds & bit == 0 { 0 } else { value });
        low | high
    });
    u32::store(registers, slot, mask, &[row]);
}
