//! Logic of predicates, and kinds of floats (PTX ISA, 9.7.3, 9.7.8 and 9.7.9).

use std::num::FpCategory;

use super::bits::{And, Combine, Or, Xor};
use super::element::Element;
use super::lanes::test;
use super::pattern::Row;
use super::table::table;
use crate::simulator::registers::{Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Predicate 0 "and.pred" "pred = pred pred" = combine::<And>;
    Predicate 0 "or.pred" "pred = pred pred" = combine::<Or>;
    Predicate 0 "xor.pred" "pred = pred pred" = combine::<Xor>;
    Predicate 0 "not.pred" "pred = pred" = invert;
    Predicate 0 "mov.pred" "pred = pred" = copy;
    Predicate 0 "testp.<finite|infinite|number|notanumber|normal|subnormal>.<f32|f64>" "pred = T"

        [P one finite=Finite infinite=Infinite number=Number notanumber=NotANumber normal=Normal
            subnormal=Subnormal]
        [T in F32 F64] = classify::<P, T>;
};

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
