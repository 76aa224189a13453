//! Comparisons (PTX ISA, 9.7.6), whose result is a predicate.

use half::{bf16, f16};

use super::bits::Combine;
use super::element::{Packed, Pair};
use super::pattern::Row;
use super::relation::{Comparable, Comparison, High, Low, Ordered, Relations};
use super::table::table;
use crate::simulator::registers::{Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Predicate 0 "setp.<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<u16|u32|u64>"
        "pred = T T or pred pred = T T" [C order] [T in U16 U32 U64] = setp::<C, T, false, First>;
    Predicate 0 "setp.<eq|ne|lt|le|gt|ge>.<s16|s32|s64>"
        "pred = T T or pred pred = T T" [C order] [T in S16 S32 S64] = setp::<C, T, false, First>;
    Predicate 0 "setp.<eq|ne>.<bits>" "pred = T T or pred pred = T T" [C equality]
        [T in B16 B32 B64] = setp::<C, T, false, First>;
    Predicate 0 "setp.<cmp>{.ftz}.f32" "pred = T T or pred pred = T T" [C comparison]
        [FTZ "ftz"] = setp::<C, f32, FTZ, First>;
    Predicate 0 "setp.<cmp>.f64" "pred = T T or pred pred = T T" [C comparison]
        = setp::<C, f64, false, First>;
    Predicate 0 "setp.<cmp>{.ftz}.f16" "pred = T T" [C comparison] [FTZ "ftz"]
        = setp::<C, f16, FTZ, First>;
    Predicate 0 "setp.<cmp>.bf16" "pred = T T" [C comparison] = setp::<C, bf16, false, First>;

    Predicate 0 "setp.<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<bool>.<u16|u32|u64>"
        "pred = T T pred or pred pred = T T pred" [C order] [B combination] [T in U16 U32 U64]
        = setp::<C, T, false, B>;
    Predicate 0 "setp.<eq|ne|lt|le|gt|ge>.<bool>.<s16|s32|s64>"
        "pred = T T pred or pred pred = T T pred" [C order] [B combination] [T in S16 S32 S64]
        = setp::<C, T, false, B>;
    Predicate 0 "setp.<eq|ne>.<bool>.<bits>" "pred = T T pred or pred pred = T T pred"
        [C equality] [B combination] [T in B16 B32 B64] = setp::<C, T, false, B>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.f32" "pred = T T pred or pred pred = T T pred"
        [C comparison] [B combination] [FTZ "ftz"] = setp::<C, f32, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.f64" "pred = T T pred or pred pred = T T pred" [C comparison]
        [B combination] = setp::<C, f64, false, B>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.f16" "pred = T T pred" [C comparison] [B combination]
        [FTZ "ftz"] = setp::<C, f16, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.bf16" "pred = T T pred" [C comparison] [B combination]
        = setp::<C, bf16, false, B>;

    // Of the low half and of the high half.
    Predicate 0 "setp.<cmp>{.ftz}.f16x2" "pred pred = T T" [C comparison] [FTZ "ftz"]
        = setp_halves::<C, Pair<f16>, FTZ, First>;
    Predicate 0 "setp.<cmp>.bf16x2" "pred pred = T T" [C comparison]
        = setp_halves::<C, Pair<bf16>, false, First>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.f16x2" "pred pred = T T pred" [C comparison]
        [B combination] [FTZ "ftz"] = setp_halves::<C, Pair<f16>, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.bf16x2" "pred pred = T T pred" [C comparison]
        [B combination] = setp_halves::<C, Pair<bf16>, false, B>;
};

/// No predicate to combine with.
pub(super) struct First;

impl Combine for First {
    const COMBINES: bool = false;

    fn combine(a: Mask, _: Mask) -> Mask {
        a
    }
}

/// Operands `p, a, b` or `p, q, a, b`, and `c` if it is combined with one; `q` has the opposite
/// combined.
fn setp<C: Comparison, T: Comparable, const FTZ: bool, B: Combine>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let (operands, with) = B::split(registers, operands);
    let &[p, .., a, b] = operands else { return };
    let holds = C::holds::<T, FTZ>(&Relations::new(registers, a, b));
    if let &[_, q, _, _] = operands {
        registers.set_predicate(q, mask, B::combine(!holds, with));
    }
    registers.set_predicate(p, mask, B::combine(holds, with));
}

/// Operands `p, q, a, b`, and `c` if it is combined with one.
fn setp_halves<C: Comparison, P: Packed<Of: Ordered>, const FTZ: bool, B: Combine>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let (operands, with) = B::split(registers, operands);
    let &[p, q, a, b] = operands else { return };
    let low = C::holds::<Low<P>, FTZ>(&Relations::new(registers, a, b));
    let high = C::holds::<High<P>, FTZ>(&Relations::new(registers, a, b));
    registers.set_predicate(p, mask, B::combine(low, with));
    registers.set_predicate(q, mask, B::combine(high, with));
}
