//! Which divisors of numbers a kernel with pointers has a use for.
//!
//! A variant asks all numbers that places are computed from to be multiples of a vector. That is too much: how many rows there
//! are, say, decides nothing about vectors along a row, and a launch with an odd number would get a variant that loads single
//! elements. So each of them is left out by itself, and where every access stays as wide as it was, it may be any number.

use std::collections::HashSet;

use super::VariantRequest;
use crate::dialect::TileOp;
use crate::each_operation;
use crate::facts::{self, FactAnalysis};
use crate::ir::{Operation, TileType, Value};

/// Bytes of an access at most.
const WIDEST: u64 = 16;

/// What a variant asks of the arguments of its function, if that is less than what was said. `unsigned` are the remainders that
/// have no sign in it.
pub fn fewer<'c>(
    function: Operation<'c>,
    variant: &VariantRequest,
    unsigned: &HashSet<usize>,
) -> Option<Vec<i64>> {
    let numbers: Vec<usize> = (0..variant.names.len())
        .filter(|index| variant.names[*index].is_some() && variant.divisibility[*index] > 1)
        .collect();
    if numbers.is_empty() {
        return None;
    }
    let mut list = variant.divisibility.clone();
    let wide = |list: &[i64]| {
        let facts = FactAnalysis::with_divisibility(function, list.to_vec());
        widths(function, &facts.with_unsigned(unsigned.clone()))
    };
    let wanted = wide(&list)?;
    for number in numbers {
        let divisor = std::mem::replace(&mut list[number], 1);
        if wide(&list)? != wanted {
            list[number] = divisor;
        }
    }
    (list != variant.divisibility).then_some(list)
}

/// How wide accesses may be, in order, along each dimension; `None` where they are no pointers yet, or not all that matters.
pub fn widths<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>) -> Option<Vec<Vec<u64>>> {
    let (mut list, mut is_known) = (Vec::new(), true);
    each_operation(function, &mut |operation| {
        let (pointers, mask) = match TileOp::of(operation) {
            Some(TileOp::Load(load)) => (load.pointers(), load.mask()),
            Some(TileOp::Store(store)) => (store.pointers(), store.mask()),
            Some(TileOp::Atomic(atomic)) => (atomic.pointers(), atomic.mask()),
            Some(TileOp::Prefetch(prefetch)) => (prefetch.pointers(), prefetch.mask()),
            Some(TileOp::LoadView(_) | TileOp::StoreView(_) | TileOp::Asm(_)) => {
                is_known = false;
                return;
            }
            _ => return,
        };
        list.push(width(facts, pointers, mask));
    });
    is_known.then_some(list)
}

/// How wide an access may be along each dimension.
fn width<'c>(facts: &FactAnalysis<'c>, pointers: Value<'c>, mask: Option<Value<'c>>) -> Vec<u64> {
    let Some(tile) = TileType::of(pointers) else {
        return Vec::new();
    };
    let shape = tile.shape();
    let bytes = facts::pointee_bytes(pointers);
    let most = WIDEST / bytes.clamp(1, WIDEST);
    let (of, mask) = (facts.of(pointers), mask.map(|mask| facts.of(mask)));
    (0..shape.len())
        .map(|d| facts::access_width(&shape, bytes, &of, mask.as_ref(), d, most))
        .collect()
}
