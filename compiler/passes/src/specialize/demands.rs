//! Which divisors of numbers a kernel has a use for.
//!
//! A variant asks all numbers that places are computed from to be multiples of a vector. That is too much: how many rows there
//! are, say, decides nothing about vectors along a row, and a launch with an odd number would get a variant that loads single
//! elements. So each of them is tried by itself, and may be a multiple of the smallest power of two with which every access stays as wide as it was: any number, or
//! one of 4 where a row is stored in words.

use std::collections::HashSet;

use super::VariantRequest;
use crate::dialect::TileOp;
use crate::facts::{self, FactAnalysis};
use crate::ir::{Operation, TileType, Value};
use crate::layout::copy::NARROWEST_COPY;
use crate::{each_operation, in_loop, multiplies, tile_bytes};

/// Bytes of an access at most.
const WIDEST: u64 = 16;

/// A row of this part of the bytes of the largest access is little.
const SMALL: u64 = 8;

/// What a variant asks of the arguments of its function, if that is less than what was said. `unsigned` are the remainders that
/// have no sign in it, and `wrapped` are positions that will be others.
pub fn fewer<'c>(
    function: Operation<'c>,
    variant: &VariantRequest,
    unsigned: &HashSet<usize>,
    wrapped: &[[Value<'c>; 2]],
) -> Option<Vec<i64>> {
    let numbers: Vec<usize> = (0..variant.names.len())
        .filter(|index| variant.names[*index].is_some() && variant.divisibility[*index] > 1)
        .collect();
    if numbers.is_empty() {
        return None;
    }
    let mut list = variant.divisibility.clone();
    let facts = |list: &[i64]| {
        let facts = FactAnalysis::with_divisibility(function, list.to_vec());
        facts.with_unsigned(unsigned.clone())
    };
    let bounded =
        |list: &[i64]| widths(function, &facts(list).with_same(wrapped), variant.has_rows);
    // Without any that wrap around this is the same.
    let around = |list: &[i64]| {
        let is_other = !wrapped.is_empty();
        is_other.then(|| widths(function, &facts(list), variant.has_rows))
    };
    let wanted = bounded(&list);
    for number in numbers {
        let divisor = list[number];
        let wanted_around = around(&list);
        list[number] = 1;
        let mut is_as_wide = bounded(&list) == wanted;
        // The smallest power of two with which all is as wide, also what wraps around: bounds will mask it in vectors.
        while !is_as_wide && list[number] < divisor {
            list[number] *= 2;
            is_as_wide = bounded(&list) == wanted && around(&list) == wanted_around;
        }
    }
    (list != variant.divisibility).then_some(list)
}

/// How wide accesses may be, in order, along each dimension, and of views what decides that. Rows through pointers that are few beside tiles ask for nothing: scales, say, not for how many rows there are. With `rows`, narrow ones that a loop loads are not among them.
pub fn widths<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>, rows: bool) -> Vec<Vec<u64>> {
    let mut list = Vec::new();
    let has_products = multiplies(function);
    let mut largest = 0;
    each_operation(function, &mut |operation| {
        largest = largest.max(moved(operation));
    });
    each_operation(function, &mut |operation| {
        if let Some((pointers, mask)) = through_pointers(operation) {
            let is_narrow = facts::pointee_bytes(pointers) < NARROWEST_COPY;
            let is_copied = rows && is_narrow && in_loop(operation);
            let is_little =
                is_row(pointers) && (has_products || moved(operation) * SMALL <= largest);
            if is_copied || !is_little {
                list.push(width(facts, pointers, mask));
            }
            return;
        }
        match TileOp::of(operation) {
            Some(TileOp::LoadView(load)) => {
                let tensor = (load.base(), load.sizes(), load.strides());
                list.push(divisors(facts, tensor, &load.starts(), None));
            }
            Some(TileOp::StoreView(store)) => {
                let tensor = (store.base(), store.sizes(), store.strides());
                list.push(divisors(facts, tensor, &store.starts(), store.mask()));
            }
            _ => {}
        }
    });
    list
}

/// Whether a tile, or a number, has one long axis at most.
fn is_row(tile: Value<'_>) -> bool {
    let shape = TileType::of(tile).map(TileType::shape).unwrap_or_default();
    shape.iter().filter(|size| **size > 1).count() < 2
}

/// The pointers and the mask of an access, if it is one through pointers.
fn through_pointers<'c>(operation: Operation<'c>) -> Option<(Value<'c>, Option<Value<'c>>)> {
    Some(match TileOp::of(operation)? {
        TileOp::Load(load) => (load.pointers(), load.mask()),
        TileOp::Store(store) => (store.pointers(), store.mask()),
        TileOp::Atomic(atomic) => (atomic.pointers(), atomic.mask()),
        TileOp::Prefetch(prefetch) => (prefetch.pointers(), prefetch.mask()),
        _ => return None,
    })
}

/// Bytes of the tile that is loaded or stored.
fn moved(operation: Operation<'_>) -> u64 {
    match TileOp::of(operation) {
        Some(TileOp::Load(load)) => tile_bytes(load.result()),
        Some(TileOp::LoadView(load)) => tile_bytes(load.result()),
        Some(TileOp::Store(store)) => tile_bytes(store.value()),
        Some(TileOp::StoreView(store)) => tile_bytes(store.value()),
        Some(TileOp::Atomic(atomic)) => tile_bytes(atomic.value()),
        _ => 0,
    }
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
        .chain(of.constancy.iter().copied())
        .collect()
}

/// What decides how wide a view's accesses may be, up to a vector: what divides its address, the steps between its rows, where
/// it begins along each dimension, how long rows are, and how long runs of its mask.
fn divisors<'c>(
    facts: &FactAnalysis<'c>,
    (base, sizes, strides): (Value<'c>, Vec<Value<'c>>, Vec<Value<'c>>),
    starts: &[Value<'c>],
    mask: Option<Value<'c>>,
) -> Vec<u64> {
    let vector = WIDEST / facts::pointee_bytes(base).clamp(1, WIDEST);
    let divisor = |value| facts.of(value).divisibility.into_iter().min().unwrap_or(1);
    let mut list = vec![divisor(base).min(WIDEST)];
    for ((start, size), stride) in starts.iter().zip(&sizes).zip(&strides) {
        let step = divisor(*stride);
        list.push(step.min(vector));
        list.push(divisor(*start).saturating_mul(step).min(vector));
        let start = facts.of(*start);
        list.extend(start.contiguity);
        list.extend(start.constancy);
        if facts::constant_of(*stride) == Some(1) {
            list.push(divisor(*size).min(vector));
        }
    }
    list.extend(mask.into_iter().flat_map(|mask| facts.of(mask).constancy));
    list
}
