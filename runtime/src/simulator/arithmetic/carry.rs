//! Sums wider than a register: the carry flag of the condition code (PTX ISA, 9.7.2).
//!
//! The flag is one more operand, a predicate after the others. Subtraction keeps the borrow in it.

use super::element::Element;
use super::integer::high;
use super::pattern::Row;
use super::table::table;
use crate::simulator::registers::{LANES, Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Integer 0 "add.cc.<u32|s32|u64|s64>" "T = T T CC" [T in U32 S32 U64 S64]
        = sum::<T, false, true, false>;
    Integer 0 "addc{.cc}.<u32|s32|u64|s64>" "T = T T CC" [CC "cc"] [T in U32 S32 U64 S64]
        = sum::<T, true, CC, false>;
    Integer 0 "sub.cc.<u32|s32|u64|s64>" "T = T T CC" [T in U32 S32 U64 S64]
        = sum::<T, false, true, true>;
    Integer 0 "subc{.cc}.<u32|s32|u64|s64>" "T = T T CC" [CC "cc"] [T in U32 S32 U64 S64]
        = sum::<T, true, CC, true>;
    Integer 0 "mad.<lo|hi>.cc.<u32|s32|u64|s64>" "T = T T T CC" [HI "hi"] [T in U32 S32 U64 S64]
        = product_sum::<T, HI, false, true>;
    Integer 0 "madc.<lo|hi>{.cc}.<u32|s32|u64|s64>" "T = T T T CC"
        [HI "hi"] [CC "cc"] [T in U32 S32 U64 S64]
        = product_sum::<T, HI, true, CC>;
};

/// Integers of 32 or 64 bits. Sums have the same bits whether signed or not, and so has the carry.
trait Limb: Element {
    /// `self + b + carry`, and whether it wrapped.
    fn add(self, b: Self, carry: bool) -> (Self, bool);

    /// `self - b - borrow`, and whether it wrapped.
    fn subtract(self, b: Self, borrow: bool) -> (Self, bool);

    /// Either half of `self * b`.
    fn product(self, b: Self, high: bool) -> Self;
}

macro_rules! limbs {
    ($($type:ty as $bits:ty),*) => {$(
        impl Limb for $type {
            #[inline(always)]
            fn add(self, b: Self, carry: bool) -> (Self, bool) {
                let (sum, first) = (self as $bits).overflowing_add(b as $bits);
                let (sum, second) = sum.overflowing_add(carry.into());
                (sum as Self, first | second)
            }

            #[inline(always)]
            fn subtract(self, b: Self, borrow: bool) -> (Self, bool) {
                let (rest, first) = (self as $bits).overflowing_sub(b as $bits);
                let (rest, second) = rest.overflowing_sub(borrow.into());
                (rest as Self, first | second)
            }

            #[inline(always)]
            fn product(self, b: Self, upper: bool) -> Self {
                if upper { high(self, b) } else { self.wrapping_mul(b) }
            }
        }
    )*};
}
limbs!(u32 as u32, i32 as u32, u64 as u64, i64 as u64);

/// `d = a ± b ± carry`, operands `d, a, b, cc`.
fn sum<T: Limb, const IN: bool, const OUT: bool, const MINUS: bool>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let [a, b] = [operands[1], operands[2]].map(|slot| T::view(registers, slot));
    let carry = if IN {
        registers.predicate(operands[3])
    } else {
        0
    };
    let (rows, carry) = chain::<T>(carry, |lane, carry| {
        let (a, b) = (T::get(a, lane), T::get(b, lane));
        if MINUS {
            a.subtract(b, carry)
        } else {
            a.add(b, carry)
        }
    });
    T::store(registers, operands[0], mask, &rows);
    if OUT {
        registers.set_predicate(operands[3], mask, carry);
    }
}

/// `d = a * b + c + carry`, operands `d, a, b, c, cc`.
fn product_sum<T: Limb, const HIGH: bool, const IN: bool, const OUT: bool>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let [a, b, c] = [operands[1], operands[2], operands[3]].map(|slot| T::view(registers, slot));
    let carry = if IN {
        registers.predicate(operands[4])
    } else {
        0
    };
    let (rows, carry) = chain::<T>(carry, |lane, carry| {
        let product = T::get(a, lane).product(T::get(b, lane), HIGH);
        product.add(T::get(c, lane), carry)
    });
    T::store(registers, operands[0], mask, &rows);
    if OUT {
        registers.set_predicate(operands[4], mask, carry);
    }
}

/// Results of all lanes and the carries that go out, from those that come in.
#[inline(always)]
fn chain<T: Limb>(carry_in: Mask, of: impl Fn(usize, bool) -> (T, bool)) -> (T::Rows, Mask) {
    let mut carry_out = 0;
    let mut rows = T::EMPTY;
    for lane in 0..LANES {
        let (value, carry) = of(lane, carry_in >> lane & 1 == 1);
        value.put(&mut rows, lane);
        carry_out |= u32::from(carry) << lane;
    }
    (rows, carry_out)
}
