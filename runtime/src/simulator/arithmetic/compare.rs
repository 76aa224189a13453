//! Comparisons, and logic of predicates (PTX ISA, 9.7.5, 9.7.6 and 9.7.8).

use std::marker::PhantomData;
use std::num::FpCategory;

use half::{bf16, f16};

use super::bits::{And, Combine, Or, Xor};
use super::element::{Element, Packed, Pair, test};
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
    Predicate 0 "setp.<cmp>{.ftz}.f32" "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [FTZ "ftz"]
        = setp::<C, f32, FTZ, First>;
    Predicate 0 "setp.<cmp>.f64" "pred = T T or pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        = setp::<C, f64, false, First>;
    Predicate 0 "setp.<cmp>{.ftz}.f16" "pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [FTZ "ftz"]
        = setp::<C, f16, FTZ, First>;
    Predicate 0 "setp.<cmp>.bf16" "pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        = setp::<C, bf16, false, First>;

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
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.f32" "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor] [FTZ "ftz"]
        = setp::<C, f32, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.f64" "pred = T T pred or pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor]
        = setp::<C, f64, false, B>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.f16" "pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor] [FTZ "ftz"]
        = setp::<C, f16, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.bf16" "pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor]
        = setp::<C, bf16, false, B>;

    // Of the low half and of the high half.
    Predicate 0 "setp.<cmp>{.ftz}.f16x2" "pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [FTZ "ftz"]
        = setp_halves::<C, Pair<f16>, FTZ, First>;
    Predicate 0 "setp.<cmp>.bf16x2" "pred pred = T T"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        = setp_halves::<C, Pair<bf16>, false, First>;
    Predicate 0 "setp.<cmp>.<bool>{.ftz}.f16x2" "pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor] [FTZ "ftz"]
        = setp_halves::<C, Pair<f16>, FTZ, B>;
    Predicate 0 "setp.<cmp>.<bool>.bf16x2" "pred pred = T T pred"
        [C one eq=Eq ne=Ne lt=Lt le=Le gt=Gt ge=Ge
            equ=Equ neu=Neu ltu=Ltu leu=Leu gtu=Gtu geu=Geu num=Num nan=Nan]
        [B one and=And or=Or xor=Xor]
        = setp_halves::<C, Pair<bf16>, false, B>;

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

/// What has an order.
pub(super) trait Ordered: Copy {
    type As: PartialOrd;
    /// Whether two values may be in no order.
    const NAN: bool;

    /// The same number of a type that the CPU compares.
    fn ordered<const FTZ: bool>(self) -> Self::As;
}

macro_rules! ordered {
    ($($type:ty as $as:ty, $nan:literal: $value:ident => $ordered:expr;)*) => {$(
        impl Ordered for $type {
            type As = $as;
            const NAN: bool = $nan;

            #[inline(always)]
            fn ordered<const FTZ: bool>(self) -> $as {
                let $value = self;
                $ordered
            }
        }
    )*};
}
ordered! {
    u16 as u16, false: value => value;
    u32 as u32, false: value => value;
    u64 as u64, false: value => value;
    i16 as i16, false: value => value;
    i32 as i32, false: value => value;
    i64 as i64, false: value => value;
    f16 as f32, true: value => flushed::<FTZ, f16>(value).wide();
    bf16 as f32, true: value => value.wide();
    f32 as f32, true: value => flushed::<FTZ, f32>(value);
    f64 as f64, true: value => value;
}

/// What can be compared in a register: its value, or one of two values.
pub(super) trait Comparable {
    type Of: Ordered;
    type In: Element;

    fn pick(value: Self::In) -> Self::Of;
}

impl<T: Element + Ordered> Comparable for T {
    type Of = T;
    type In = T;

    #[inline(always)]
    fn pick(value: T) -> T {
        value
    }
}

/// The low half of a pair.
pub(super) struct Low<P>(PhantomData<P>);

/// The high half of a pair.
pub(super) struct High<P>(PhantomData<P>);

impl<P: Packed<Of: Ordered>> Comparable for Low<P> {
    type Of = P::Of;
    type In = P;

    #[inline(always)]
    fn pick(value: P) -> P::Of {
        value.halves()[0]
    }
}

impl<P: Packed<Of: Ordered>> Comparable for High<P> {
    type Of = P::Of;
    type In = P;

    #[inline(always)]
    fn pick(value: P) -> P::Of {
        value.halves()[1]
    }
}

/// How two registers relate, lane by lane. All comparisons are made of four loops per type.
pub(super) struct Relations<'r, T, const FTZ: bool> {
    registers: &'r Registers,
    a: Slot,
    b: Slot,
    of: PhantomData<T>,
}

impl<'r, T: Comparable, const FTZ: bool> Relations<'r, T, FTZ> {
    pub fn new(registers: &'r Registers, a: Slot, b: Slot) -> Self {
        Self {
            registers,
            a,
            b,
            of: PhantomData,
        }
    }

    #[inline(always)]
    fn lanes(
        &self,
        slots: [Slot; 2],
        holds: impl Fn(<T::Of as Ordered>::As, <T::Of as Ordered>::As) -> bool,
    ) -> Mask {
        test(self.registers, slots, |a: T::In, b: T::In| {
            holds(T::pick(a).ordered::<FTZ>(), T::pick(b).ordered::<FTZ>())
        })
    }

    #[inline(never)]
    fn less_of(&self, slots: [Slot; 2]) -> Mask {
        self.lanes(slots, |a, b| a < b)
    }

    #[inline(never)]
    fn at_most_of(&self, slots: [Slot; 2]) -> Mask {
        self.lanes(slots, |a, b| a <= b)
    }

    fn less(&self) -> Mask {
        self.less_of([self.a, self.b])
    }

    fn greater(&self) -> Mask {
        self.less_of([self.b, self.a])
    }

    fn at_most(&self) -> Mask {
        if T::Of::NAN {
            self.at_most_of([self.a, self.b])
        } else {
            !self.greater()
        }
    }

    fn at_least(&self) -> Mask {
        if T::Of::NAN {
            self.at_most_of([self.b, self.a])
        } else {
            !self.less()
        }
    }

    #[inline(never)]
    fn equal(&self) -> Mask {
        self.lanes([self.a, self.b], |a, b| a == b)
    }

    #[inline(never)]
    fn unordered(&self) -> Mask {
        #[allow(clippy::eq_op)] // a number equals itself, a NaN does not
        self.lanes([self.a, self.b], |a, b| a != a || b != b)
    }
}

/// A comparison.
pub(super) trait Comparison {
    fn holds<T: Comparable, const FTZ: bool>(of: &Relations<T, FTZ>) -> Mask;
}

macro_rules! comparisons {
    ($($name:ident: $of:ident => $holds:expr;)*) => {$(
        pub(super) struct $name;

        impl Comparison for $name {
            fn holds<T: Comparable, const FTZ: bool>($of: &Relations<T, FTZ>) -> Mask {
                $holds
            }
        }
    )*};
}
comparisons! {
    Eq: of => of.equal();
    Ne: of => if T::Of::NAN { !of.equal() & !of.unordered() } else { !of.equal() };
    Lt: of => of.less();
    Le: of => of.at_most();
    Gt: of => of.greater();
    Ge: of => of.at_least();
    Equ: of => of.equal() | of.unordered();
    Neu: of => !of.equal();
    Ltu: of => !of.at_least();
    Leu: of => !of.greater();
    Gtu: of => !of.at_most();
    Geu: of => !of.less();
    Num: of => !of.unordered();
    Nan: of => of.unordered();
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
