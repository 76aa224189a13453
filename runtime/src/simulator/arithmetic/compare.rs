//! Comparisons, and logic of predicates (PTX ISA, 9.7.5, 9.7.6 and 9.7.8).

use std::num::FpCategory;

use half::{bf16, f16};

use super::bits::{And, Combine, Or, Xor};
use super::element::{Element, Packed, test};
use super::float::flushed;
use super::half::Half;
use super::pattern::Row;
use super::table::table;
use crate::simulator::registers::{Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Predicate 0 "setp.<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<u16|u32|u64>"
        "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge lo=Lt ls=Le hi=Gt hs=Ge]
        [T in U16 U32 U64]
        = setp::<C, T, false, First>;
    Predicate 0 "setp.<eq|ne|lt|le|gt|ge>.<s16|s32|s64>"
        "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge] [T in S16 S32 S64]
        = setp::<C, T, false, First>;
    Predicate 0 "setp.<eq|ne>.<bits>" "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne] [T in B16 B32 B64]
        = setp::<C, T, false, First>;
    Predicate 0 "setp.<cmp>{.ftz}.<f16|f32>" "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [FTZ "ftz"] [T in F16 F32]
        = setp::<C, T, FTZ, First>;
    Predicate 0 "setp.<cmp>.<bf16|f64>" "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [T in BF16 F64]
        = setp::<C, T, false, First>;

    Predicate 0 "setp.<eq|ne|lt|le|gt|ge|lo|ls|hi|hs>.<bool>.<u16|u32|u64>"
        "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge lo=Lt ls=Le hi=Gt hs=Ge]
        [B one and=And or=Or xor=Xor] [T in U16 U32 U64]
        = setp::<C, T, false, B>;
    Predicate 0 "setp.<eq|ne|lt|le|gt|ge>.<bool>.<s16|s32|s64>"
        "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge] [B one and=And or=Or xor=Xor]
        [T in S16 S32 S64]
        = setp::<C, T, false, B>;
    Predicate 0 "setp.<eq|ne>.<bool>.<bits>" "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne] [B one and=And or=Or xor=Xor] [T in B16 B32 B64]
        = setp::<C, T, false, B>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.<f16|f32>" "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor] [FTZ "ftz"] [T in F16 F32]
        = setp::<C, T, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.<bf16|f64>" "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor] [T in BF16 F64]
        = setp::<C, T, false, B>;

    // Of the low half and of the high half.
    Predicate 0 "setp.<cmp>{.ftz}.<f16x2|bf16x2>" "pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [FTZ "ftz"] [T in F16x2 BF16x2]
        = setp_halves::<C, T, FTZ, First>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.<f16x2|bf16x2>" "pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor] [FTZ "ftz"] [T in F16x2 BF16x2]
        = setp_halves::<C, T, FTZ, B>;

    Predicate 0 "and.pred" "pred = pred pred" = combine::<And>;
    Predicate 0 "or.pred" "pred = pred pred" = combine::<Or>;
    Predicate 0 "xor.pred" "pred = pred pred" = combine::<Xor>;
    Predicate 0 "not.pred" "pred = pred" = invert;
    Predicate 0 "mov.pred" "pred = pred" = copy;
    Predicate 0 "testp.<finite|infinite|number|notanumber|normal|subnormal>.<f32|f64>" "pred = T"
        [P one finite=Finite infinite=Infinite number=Number notanumber=NotANumber normal=Normal
            subnormal=Subnormal]
        [T in F32 F64]
        = classify::<P, T>;
};

/// What can be compared.
pub(super) trait Comparable: Element {
    type As: PartialOrd;

    /// The same number of a type that has an order.
    fn comparable<const FTZ: bool>(self) -> Self::As;
}

macro_rules! comparable {
    ($($type:ty as $as:ty: $value:ident => $comparable:expr;)*) => {$(
        impl Comparable for $type {
            type As = $as;

            #[inline(always)]
            fn comparable<const FTZ: bool>(self) -> $as {
                let $value = self;
                $comparable
            }
        }
    )*};
}
comparable! {
    u16 as u16: value => value;
    u32 as u32: value => value;
    u64 as u64: value => value;
    i16 as i16: value => value;
    i32 as i32: value => value;
    i64 as i64: value => value;
    f16 as f32: value => flushed::<FTZ, f16>(value).wide();
    bf16 as f32: value => value.wide();
    f32 as f32: value => flushed::<FTZ, f32>(value);
    f64 as f64: value => value;
}

/// A comparison.
pub(super) trait Comparison {
    fn holds<T: PartialOrd>(a: T, b: T) -> bool;
}

macro_rules! comparisons {
    ($($name:ident: $a:ident $b:ident => $holds:expr;)*) => {$(
        pub(super) struct $name;

        impl Comparison for $name {
            #[inline(always)]
            #[allow(clippy::eq_op)] // a number equals itself, a NaN does not
            fn holds<T: PartialOrd>($a: T, $b: T) -> bool {
                $holds
            }
        }
    )*};
}
comparisons! {
    Eq: a b => a == b;
    // Not equal and not NaN.
    Ne: a b => a != b && a == a && b == b;
    Lt: a b => a < b;
    Le: a b => a <= b;
    Gt: a b => a > b;
    Ge: a b => a >= b;
    Equ: a b => a == b || a != a || b != b;
    Neu: a b => a != b;
    Ltu: a b => a < b || a != a || b != b;
    Leu: a b => a <= b || a != a || b != b;
    Gtu: a b => a > b || a != a || b != b;
    Geu: a b => a >= b || a != a || b != b;
    Num: a b => a == a && b == b;
    Nan: a b => a != a || b != b;
}

/// No predicate to combine with.
pub(super) struct First;

impl Combine for First {
    const COMBINES: bool = false;

    fn combine(a: Mask, _: Mask) -> Mask {
        a
    }
}

/// What has categories.
trait Classify: Element {
    fn category(self) -> FpCategory;
}

impl Classify for f32 {
    fn category(self) -> FpCategory {
        self.classify()
    }
}

impl Classify for f64 {
    fn category(self) -> FpCategory {
        self.classify()
    }
}

/// A category of numbers.
trait Category {
    fn holds(of: FpCategory) -> bool;
}

macro_rules! categories {
    ($($name:ident: $pattern:pat,)*) => {$(
        struct $name;

        impl Category for $name {
            #[inline(always)]
            fn holds(of: FpCategory) -> bool {
                matches!(of, $pattern)
            }
        }
    )*};
}
categories! {
    Finite: FpCategory::Zero | FpCategory::Subnormal | FpCategory::Normal,
    Infinite: FpCategory::Infinite,
    Number: FpCategory::Zero | FpCategory::Subnormal | FpCategory::Normal | FpCategory::Infinite,
    NotANumber: FpCategory::Nan,
    // Zeros are said to be normal.
    Normal: FpCategory::Zero | FpCategory::Normal,
    Subnormal: FpCategory::Subnormal,
}

/// The lanes for which a comparison holds.
#[inline(never)] // shared by all that is then made of it
pub(super) fn compare<C: Comparison, T: Comparable, const FTZ: bool>(
    registers: &Registers,
    a: Slot,
    b: Slot,
) -> Mask {
    test(registers, [a, b], |a: T, b: T| {
        C::holds(a.comparable::<FTZ>(), b.comparable::<FTZ>())
    })
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
    let holds = compare::<C, T, FTZ>(registers, a, b);
    if let &[_, q, _, _] = operands {
        registers.set_predicate(q, mask, B::combine(!holds, with));
    }
    registers.set_predicate(p, mask, B::combine(holds, with));
}

/// Operands `p, q, a, b`, and `c` if it is combined with one.
fn setp_halves<C: Comparison, T, const FTZ: bool, B: Combine>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) where
    T: Packed<Of: Comparable>,
{
    let (operands, with) = B::split(registers, operands);
    let &[p, q, a, b] = operands else { return };
    let holds = |a: T::Of, b: T::Of| C::holds(a.comparable::<FTZ>(), b.comparable::<FTZ>());
    let low = test(registers, [a, b], |a: T, b: T| {
        holds(a.halves()[0], b.halves()[0])
    });
    let high = test(registers, [a, b], |a: T, b: T| {
        holds(a.halves()[1], b.halves()[1])
    });
    registers.set_predicate(p, mask, B::combine(low, with));
    registers.set_predicate(q, mask, B::combine(high, with));
}

/// Operands `p, a, b`.
fn combine<B: Combine>(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let [a, b] = [operands[1], operands[2]].map(|slot| registers.predicate(slot));
    registers.set_predicate(operands[0], mask, B::combine(a, b));
}

/// Operands `p, a`.
fn invert(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let value = !registers.predicate(operands[1]);
    registers.set_predicate(operands[0], mask, value);
}

/// Operands `p, a`.
fn copy(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let value = registers.predicate(operands[1]);
    registers.set_predicate(operands[0], mask, value);
}

/// Operands `p, a`.
fn classify<C: Category, T: Classify>(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let a = operands[1];
    let holds = test(registers, [a, a], |a: T, _: T| C::holds(a.category()));
    registers.set_predicate(operands[0], mask, holds);
}
