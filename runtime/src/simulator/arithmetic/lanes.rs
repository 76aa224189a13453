//! Loops over the lanes of a warp.
//!
//! An instruction says what one lane does; [`unary`], [`binary`] and so on do it for all 32. They
//! are plain loops over arrays, inlined together with what the lane does, which is what compilers
//! turn into vector instructions. Sources are read in place and results are handed on by
//! reference: arrays that move are taken apart into 32 numbers, and no longer vectors.

use super::element::Element;
use crate::simulator::registers::{BIT, LANES, Lanes32, Mask, Registers, Slot};

/// Operands `d, a`.
#[inline(always)]
pub(super) fn unary<A: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A) -> D,
) {
    let a = A::view(registers, operands[1]);
    let mut rows = D::EMPTY;
    for index in 0..LANES {
        lane(A::get(a, index)).put(&mut rows, index);
    }
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b`.
#[inline(always)]
pub(super) fn binary<A: Element, B: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A, B) -> D,
) {
    let a = A::view(registers, operands[1]);
    let b = B::view(registers, operands[2]);
    let mut rows = D::EMPTY;
    for index in 0..LANES {
        lane(A::get(a, index), B::get(b, index)).put(&mut rows, index);
    }
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b, c`.
#[inline(always)]
pub(super) fn ternary<A: Element, B: Element, C: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A, B, C) -> D,
) {
    let a = A::view(registers, operands[1]);
    let b = B::view(registers, operands[2]);
    let c = C::view(registers, operands[3]);
    let mut rows = D::EMPTY;
    for index in 0..LANES {
        lane(A::get(a, index), B::get(b, index), C::get(c, index)).put(&mut rows, index);
    }
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b`, where `b` is mostly the same in all lanes.
#[inline(always)]
pub(super) fn binary_uniform<A: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A, u32) -> D,
) {
    let a = A::view(registers, operands[1]);
    let b = registers.row(operands[2]);
    let rows = if let Some(b) = uniform(b) {
        let mut rows = D::EMPTY;
        for index in 0..LANES {
            lane(A::get(a, index), b).put(&mut rows, index);
        }
        rows
    } else {
        one_by_one(mask, |index| lane(A::get(a, index), b[index]))
    };
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b, c`, where `b` and `c` are mostly the same in all lanes.
#[inline(always)]
pub(super) fn ternary_uniform<A: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: impl Fn(A, u32, u32) -> D,
) {
    let a = A::view(registers, operands[1]);
    let [b, c] = [operands[2], operands[3]].map(|slot| registers.row(slot));
    let rows = if let (Some(b), Some(c)) = (uniform(b), uniform(c)) {
        let mut rows = D::EMPTY;
        for index in 0..LANES {
            lane(A::get(a, index), b, c).put(&mut rows, index);
        }
        rows
    } else {
        one_by_one(mask, |index| lane(A::get(a, index), b[index], c[index]))
    };
    D::store(registers, operands[0], mask, &rows);
}

/// The value of all lanes, if they have the same.
#[inline(always)]
pub(super) fn uniform(lanes: &Lanes32) -> Option<u32> {
    let first = lanes[0];
    // Not a search that ends early, so that it is a comparison of vectors.
    let difference = lanes
        .iter()
        .fold(0, |difference, value| difference | value ^ first);
    (difference == 0).then_some(first)
}

/// Operands `d, a`, one lane at a time.
#[inline(never)]
pub(super) fn unary_seldom<A: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: fn(A) -> D,
) {
    let a = A::view(registers, operands[1]);
    let rows = one_by_one(mask, |index| lane(A::get(a, index)));
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b`, one lane at a time.
#[inline(never)]
pub(super) fn binary_seldom<A: Element, B: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: fn(A, B) -> D,
) {
    let a = A::view(registers, operands[1]);
    let b = B::view(registers, operands[2]);
    let rows = one_by_one(mask, |index| lane(A::get(a, index), B::get(b, index)));
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b, c`, one lane at a time.
#[inline(never)]
pub(super) fn ternary_seldom<A: Element, B: Element, C: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: fn(A, B, C) -> D,
) {
    let a = A::view(registers, operands[1]);
    let b = B::view(registers, operands[2]);
    let c = C::view(registers, operands[3]);
    let rows = one_by_one(mask, |index| {
        lane(A::get(a, index), B::get(b, index), C::get(c, index))
    });
    D::store(registers, operands[0], mask, &rows);
}

/// Operands `d, a, b, c, e`, one lane at a time.
#[inline(never)]
pub(super) fn quaternary_seldom<A: Element, B: Element, C: Element, E: Element, D: Element>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
    lane: fn(A, B, C, E) -> D,
) {
    let a = A::view(registers, operands[1]);
    let b = B::view(registers, operands[2]);
    let c = C::view(registers, operands[3]);
    let e = E::view(registers, operands[4]);
    let rows = one_by_one(mask, |index| {
        let (a, b) = (A::get(a, index), B::get(b, index));
        lane(a, b, C::get(c, index), E::get(e, index))
    });
    D::store(registers, operands[0], mask, &rows);
}

/// The lanes of the mask, and no others, as what is computed may be slow.
#[inline(always)]
pub(super) fn one_by_one<D: Element>(mask: Mask, lane: impl Fn(usize) -> D) -> D::Rows {
    let mut rows = D::EMPTY;
    let mut rest = mask;
    while rest != 0 {
        let index = rest.trailing_zeros() as usize;
        lane(index).put(&mut rows, index);
        rest &= rest - 1;
    }
    rows
}

/// The lanes of two registers for which something holds.
#[inline(always)]
pub(super) fn test<A: Element, B: Element>(
    registers: &Registers,
    [a, b]: [Slot; 2],
    holds: impl Fn(A, B) -> bool,
) -> Mask {
    let a = A::view(registers, a);
    let b = B::view(registers, b);
    let mut bits = [0; LANES];
    for index in 0..LANES {
        let holds = holds(A::get(a, index), B::get(b, index));
        bits[index] = if holds { BIT[index] } else { 0 };
    }
    bits.iter().fold(0, |mask, bit| mask | bit)
}
