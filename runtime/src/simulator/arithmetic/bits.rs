//! Bits: logic, shifts, fields, counts (PTX ISA, 9.7.1 and 9.7.8).

use super::element::Element;
use super::lanes::{one_by_one, uniform};
use super::pattern::Row;
use super::table::table;
use crate::simulator::registers::{LANES, Mask, Registers, Slot};

pub(super) const ROWS: &[Row] = table! {
    Integer 0 "and.<bits>" "T = T T" [T in B16 B32 B64] |a: T, b: T| a & b;
    Integer 0 "or.<bits>" "T = T T" [T in B16 B32 B64] |a: T, b: T| a | b;
    Integer 0 "xor.<bits>" "T = T T" [T in B16 B32 B64] |a: T, b: T| a ^ b;
    Integer 0 "not.<bits>" "T = T" [T in B16 B32 B64] |a: T| !a;
    Integer 0 "cnot.<bits>" "T = T" [T in B16 B32 B64] |a: T| T::from(a == 0);
    Integer 0 "lop3.b32" "b32 = b32 b32 b32 b32" = lookup_lanes;
    Predicate 0 "lop3.<and|or>.b32" "b32 pred = b32 b32 b32 b32 pred" [C one and=And or=Or]
        = lookup_and_test::<C>;

    // Shifts by more than the width are shifts by the width.
    Integer 0 uniform "shl.<bits>" "T = T u32" [T in B16 B32 B64]
        |a: T, by: u32| if by < T::BITS { a << by } else { 0 };
    Integer 0 uniform "shr.<b16|b32|b64|u16|u32|u64>" "T = T u32" [T in B16 B32 B64 U16 U32 U64]
        |a: T, by: u32| if by < T::BITS { a >> by } else { 0 };
    Integer 0 uniform "shr.<s16|s32|s64>" "T = T u32" [T in S16 S32 S64]
        |a: T, by: u32| a >> by.min(T::BITS - 1);
    Integer 0 "shf.l.<clamp|wrap>.b32" "b32 = b32 b32 u32" [CLAMP "clamp"]
        |low: u32, high: u32, by: u32| (join(low, high) << amount(by, CLAMP) >> 32) as u32;
    Integer 0 "shf.r.<clamp|wrap>.b32" "b32 = b32 b32 u32" [CLAMP "clamp"]
        |low: u32, high: u32, by: u32| (join(low, high) >> amount(by, CLAMP)) as u32;

    Integer 0 seldom "popc.<b32|b64>" "u32 = T" [T in B32 B64] |a: T| a.count_ones();
    Integer 0 seldom "clz.<b32|b64>" "u32 = T" [T in B32 B64] |a: T| a.leading_zeros();
    Integer 0 seldom "brev.<b32|b64>" "T = T" [T in B32 B64] |a: T| a.reverse_bits();
    Integer 0 seldom "bfind{.shiftamt}.<u32|u64>" "u32 = T" [SHIFT "shiftamt"] [T in U32 U64]
        |a: T| leading::<SHIFT>(a.leading_zeros(), T::BITS);
    // The leading bit that is not the sign.
    Integer 0 seldom "bfind{.shiftamt}.<s32|s64>" "u32 = T" [SHIFT "shiftamt"] [T in S32 S64]
        |a: T| leading::<SHIFT>((a ^ a >> (T::BITS - 1)).leading_zeros(), T::BITS);
    Integer 0 seldom "fns.b32" "b32 = b32 b32 s32"
        |mask: u32, base: u32, offset: i32| nth_set(mask, base, offset);

    Integer 0 uniform "bfe.<u32|u64>" "T = T u32 u32" [T in U32 U64]
        |a: T, position: u32, length: u32| {
            let (position, length) = (position & 0xff, length & 0xff);
            let field = if position < T::BITS { a >> position } else { 0 };
            if length < T::BITS { field & !(!0 << length) } else { field }
        };
    Integer 0 uniform "bfe.<s32|s64>" "T = T u32 u32" [T in S32 S64]
        |a: T, position: u32, length: u32| {
            let (position, length) = (position & 0xff, length & 0xff);
            // Above the register there is the sign, which also fills what the field leaves.
            let field = a >> position.min(T::BITS - 1);
            let unused = T::BITS - length.min(T::BITS);
            if length == 0 { 0 } else { field << unused >> unused }
        };
    Integer 0 seldom "bfi.<b32|b64>" "T = T T u32 u32" [T in B32 B64]
        |field: T, into: T, position: u32, length: u32| {
            let (position, length) = (position & 0xff, length & 0xff);
            let ones: T = if length < T::BITS { !(!0 << length) } else { !0 };
            let at = |bits: T| if position < T::BITS { bits << position } else { 0 };
            into & !at(ones) | at(field & ones)
        };
    Integer 0 seldom "bmsk.<clamp|wrap>.b32" "b32 = b32 b32" [CLAMP "clamp"]
        |position: u32, length: u32| mask_of_bits(position, length, CLAMP);
    Integer 0 seldom "szext.<clamp|wrap>.u32" "T = T u32" [CLAMP "clamp"]
        |a: u32, length: u32| {
            let length = amount(length, CLAMP);
            if length < 32 { a & !(!0 << length) } else { a }
        };
    Integer 0 seldom "szext.<clamp|wrap>.s32" "T = T u32" [CLAMP "clamp"]
        |a: i32, length: u32| {
            let length = amount(length, CLAMP);
            if length == 0 { 0 } else { a << (32 - length) >> (32 - length) }
        };

    Integer 0 "prmt.b32" "b32 = b32 b32 b32" = permute_lanes;
    Integer 0 seldom "prmt.b32.<f4e|b4e|rc8|ecl|ecr|rc16>" "b32 = b32 b32 b32"
        [M one f4e=Forward b4e=Backward rc8=Replicate8 ecl=ClampLeft ecr=ClampRight
            rc16=Replicate16]
        |a: u32, b: u32, selector: u32| permute(join(a, b), M::SELECTORS[selector as usize & 3]);
};

fn join(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// A shift by at most 32, or by the low 5 bits.
#[inline(always)]
fn amount(by: u32, clamp: bool) -> u32 {
    if clamp { by.min(32) } else { by & 31 }
}

/// Each bit looked up by those of a, b and c, of which a is the highest.
#[inline(always)]
fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).fold(0, |result, index| {
        let wanted = |value: u32, bit: u32| if index >> bit & 1 == 1 { value } else { !value };
        let chosen = (table >> index & 1).wrapping_neg();
        result | chosen & wanted(a, 2) & wanted(b, 1) & wanted(c, 0)
    })
}

/// How a predicate is combined with a result.
pub(super) trait Combine {
    /// Whether there is a predicate to combine with.
    const COMBINES: bool = true;

    fn combine(a: Mask, b: Mask) -> Mask;

    /// The operands without the predicate that is the last, and its value.
    fn split<'o>(registers: &Registers, operands: &'o [Slot]) -> (&'o [Slot], Mask) {
        match operands.split_last() {
            Some((last, operands)) if Self::COMBINES => (operands, registers.predicate(*last)),
            _ => (operands, 0),
        }
    }
}

macro_rules! combine {
    ($($name:ident $operator:tt)*) => {$(
        pub(super) struct $name;

        impl Combine for $name {
            fn combine(a: Mask, b: Mask) -> Mask {
                a $operator b
            }
        }
    )*};
}
combine!(And & Or | Xor ^);

/// Operands `d, a, b, c, table`.
fn lookup_lanes(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let &[d, a, b, c, table] = operands else {
        return;
    };
    let [a, b, c, table] = [a, b, c, table].map(|slot| registers.row(slot));
    let mut row = [0; LANES];
    for (lane, result) in row.iter_mut().enumerate() {
        *result = lookup(a[lane], b[lane], c[lane], table[lane]);
    }
    u32::store(registers, d, mask, &[row]);
}

/// Operands `d, p, a, b, c, table, q`: a predicate for whether the result is not zero, combined.
fn lookup_and_test<C: Combine>(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let &[d, p, a, b, c, table, q] = operands else {
        return;
    };
    let [a, b, c, table] = [a, b, c, table].map(|slot| registers.row(slot));
    let mut row = [0; LANES];
    let mut set = 0;
    for (lane, result) in row.iter_mut().enumerate() {
        *result = lookup(a[lane], b[lane], c[lane], table[lane]);
        set |= u32::from(*result != 0) << lane;
    }
    let combined = C::combine(set, registers.predicate(q));
    u32::store(registers, d, mask, &[row]);
    registers.set_predicate(p, mask, combined);
}

/// The position of the leading 1, or how far it is from the top; all ones if there is none.
#[inline(always)]
fn leading<const SHIFT: bool>(zeros: u32, bits: u32) -> u32 {
    if zeros == bits {
        u32::MAX
    } else if SHIFT {
        zeros
    } else {
        bits - 1 - zeros
    }
}

/// The position of the n-th 1 from `base`: upwards if `offset` is positive, downwards if negative;
/// all ones if there is none. With offset 0 it is `base` itself that must be 1.
fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let mut position = i64::from(base);
    let mut count = i64::from(offset.unsigned_abs()).max(1);
    let step = if offset < 0 { -1 } else { 1 };
    while (0..32).contains(&position) {
        count -= i64::from(mask >> position & 1);
        if count == 0 {
            return position as u32;
        }
        if offset == 0 {
            break;
        }
        position += step;
    }
    u32::MAX
}

/// So many ones from a position on.
#[inline(always)]
fn mask_of_bits(position: u32, length: u32, clamp: bool) -> u32 {
    let (position, length) = (amount(position, clamp), amount(length, clamp));
    let ones = !(u64::MAX << length);
    (ones << position) as u32
}

/// Four bytes of eight; bit 3 of a selector takes only the byte's sign, eight times.
#[inline(always)]
fn permute(bytes: u64, selector: u32) -> u32 {
    (0..4).fold(0, |result, index| {
        let nibble = selector >> (4 * index) & 0xf;
        let byte = (bytes >> (8 * (nibble & 7))) as u8;
        let byte = if nibble & 8 == 0 {
            byte
        } else {
            ((byte as i8) >> 7) as u8
        };
        result | u32::from(byte) << (8 * index)
    })
}

/// Operands `d, a, b, selector`.
fn permute_lanes(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let [a, b, selectors] = [operands[1], operands[2], operands[3]].map(|slot| registers.row(slot));
    let Some(selector) = uniform(selectors) else {
        let row = one_by_one(mask, |lane| {
            permute(join(a[lane], b[lane]), selectors[lane])
        });
        u32::store(registers, operands[0], mask, &row);
        return;
    };
    let mut row = [0; LANES];
    for index in 0..4 {
        let nibble = selector >> (4 * index);
        let word = if nibble & 4 == 0 { a } else { b };
        let shift = 8 * (nibble & 3);
        let sign = nibble & 8 != 0;
        for (result, word) in row.iter_mut().zip(word) {
            let byte = if sign {
                (word << (24 - shift)) as i32 >> 31
            } else {
                (word >> shift) as i32
            };
            *result |= (byte as u32 & 0xff) << (8 * index);
        }
    }
    u32::store(registers, operands[0], mask, &[row]);
}

/// What a mode of `prmt` selects, by the low two bits of its operand (PTX ISA, 9.7.9, `prmt`).
trait Permutation {
    const SELECTORS: [u32; 4];
}

macro_rules! permutations {
    ($($name:ident: $($selector:literal)*;)*) => {$(
        struct $name;

        impl Permutation for $name {
            const SELECTORS: [u32; 4] = [$($selector),*];
        }
    )*};
}
permutations! {
    Forward: 0x3210 0x4321 0x5432 0x6543;
    Backward: 0x5670 0x6701 0x7012 0x0123;
    Replicate8: 0x0000 0x1111 0x2222 0x3333;
    ClampLeft: 0x3210 0x3211 0x3222 0x3333;
    ClampRight: 0x0000 0x1110 0x2210 0x3210;
    Replicate16: 0x1010 0x3232 0x1010 0x3232;
}
