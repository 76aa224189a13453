//! Sorting: a bitonic network over the next power of two.
//!
//! Elements become unsigned integers whose order is the one wanted, so that all types and both
//! directions are one network. Where the indices are asked for, an index stands in the low bits of
//! each word (or in a second tile, if both have more than 64 bits): no two words are equal, and the
//! network, which is not stable, has one result only. Padding is all ones, and ends up last.
//!
//! ```text
//! 3 -1 2       keys   80000003 7fffffff 80000002 ffffffff       (i32, ascending)
//!              words  7fffffff|1 80000002|2 80000003|0 ffffffff|3
//! ```
//!
//! A merge of two sorted runs of `n` begins with the exchange of mirrored elements (XOR with
//! `2n - 1`), after which all runs ascend: which of two partners keeps the smaller one depends on one
//! bit of its coordinate in every step.

use melior::ir::{Type, ValueLike};
use tile_runtime::element::ElementType;

use super::Lowering;
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::dialect::predicates;
use crate::ir::{TileType, Value};
use crate::typed::{Element, Expr, Sorted};

/// How elements become keys: unsigned integers of the same width.
#[derive(Clone, Copy)]
struct Keys {
    element: ElementType,
    descending: bool,
}

impl<'c> Lowering<'_, 'c> {
    /// The first elements of a tile in order along `axis`, as many as `ty` has there.
    pub(super) fn sort(
        &mut self,
        operand: &Expr,
        axis: usize,
        descending: bool,
        gives: Sorted,
        ty: Type<'c>,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        let Element::Number(element) = operand.ty.element else {
            return Err(messages::lowering::not_lowered("sorting pointers", span));
        };
        let keys = Keys {
            element,
            descending,
        };
        let value = self.expr(operand)?;
        self.at(span);
        let shape = &operand.ty.shape;
        let size = shape[axis];
        if size == 1 {
            return Ok(match gives {
                Sorted::Values => value,
                Sorted::Indices => self.builder.constant_int(0, ty),
            });
        }
        let mut padded = shape.clone();
        padded[axis] = size.next_power_of_two();
        let index_bits = padded[axis].trailing_zeros();
        let wanted = TileType::from_type(ty).map_or(1, |tile| tile.shape()[axis]);
        let key = self.keys(keys, value);
        let sorted = match gives {
            Sorted::Values => {
                let bits = element.bits().max(32);
                let words = self.builder.int_cast(key, bits, false);
                let words = self.with_padding(words, axis, size, &padded);
                let sorted = self.network(vec![words], axis, wanted)[0];
                let sorted = self.builder.int_cast(sorted, element.bits(), false);
                self.unkeyed(keys, sorted)
            }
            Sorted::Indices if element.bits() + index_bits <= 64 => {
                let bits = if element.bits() + index_bits <= 32 {
                    32
                } else {
                    64
                };
                let words = self.builder.int_cast(key, bits, false);
                let shift = self.builder.constant_int(index_bits.into(), words.r#type());
                let words = self.builder.binary("arith.shli", words, shift);
                let index = self.coordinate(shape, axis);
                let index = self.builder.int_cast(index, bits, false);
                let words = self.builder.binary("arith.ori", words, index);
                let words = self.with_padding(words, axis, size, &padded);
                let sorted = self.network(vec![words], axis, wanted)[0];
                let ones = (1 << index_bits) - 1;
                let ones = self.builder.constant_int(ones, sorted.r#type());
                let index = self.builder.and(sorted, ones);
                self.builder.int_cast(index, 32, false)
            }
            Sorted::Indices => {
                let key = self.with_padding(key, axis, size, &padded);
                let index = self.coordinate(&padded, axis);
                self.network(vec![key, index], axis, wanted)[1]
            }
        };
        Ok(self.first(sorted, ty))
    }

    /// Unsigned integers in the order of the elements. Of floats: the bits, all of them flipped for
    /// negative numbers and the sign alone for others; NaN is the largest key.
    fn keys(&mut self, keys: Keys, value: Value<'c>) -> Value<'c> {
        let Keys {
            element,
            descending,
        } = keys;
        let width = self.builder.int_type(element.bits());
        let ty = TileType::of(value).map_or(width, |tile| tile.with_element(width).ty());
        let mut key = value;
        if element.is_float() {
            let bits = self.builder.value("arith.bitcast", &[value], &[], ty);
            let negative = self.signs(bits, element);
            let sign = self.sign(element, ty);
            let flipped = self.builder.binary("arith.ori", negative, sign);
            key = self.builder.binary("arith.xori", bits, flipped);
            let rest = self
                .builder
                .constant_int(i64::MAX >> (64 - element.bits()), ty);
            let magnitude = self.builder.and(bits, rest);
            let infinity = self.builder.constant_int(largest_magnitude(element), ty);
            let nan = self
                .builder
                .compare_int(predicates::UGT, magnitude, infinity);
            let last = self.builder.constant_int(-1, ty);
            key = self.builder.select(nan, last, key);
        } else if element.is_signed() {
            let sign = self.sign(element, ty);
            key = self.builder.binary("arith.xori", key, sign);
        }
        if descending {
            let ones = self.builder.constant_int(-1, ty);
            key = self.builder.binary("arith.xori", key, ones);
        }
        key
    }

    /// The elements with these keys.
    fn unkeyed(&mut self, keys: Keys, key: Value<'c>) -> Value<'c> {
        let Keys {
            element,
            descending,
        } = keys;
        let ty = key.r#type();
        let ones = self.builder.constant_int(-1, ty);
        let mut bits = key;
        if descending {
            bits = self.builder.binary("arith.xori", bits, ones);
        }
        if element.is_float() {
            let positive = self.signs(bits, element);
            let negative = self.builder.binary("arith.xori", positive, ones);
            let sign = self.sign(element, ty);
            let flipped = self.builder.binary("arith.ori", negative, sign);
            bits = self.builder.binary("arith.xori", bits, flipped);
            let float = super::number_type(&self.builder, element);
            let ty = TileType::of(bits).map_or(float, |tile| tile.with_element(float).ty());
            return self.builder.value("arith.bitcast", &[bits], &[], ty);
        }
        if element.is_signed() {
            let sign = self.sign(element, ty);
            bits = self.builder.binary("arith.xori", bits, sign);
        }
        bits
    }

    /// The first bit in all bits.
    fn signs(&mut self, bits: Value<'c>, element: ElementType) -> Value<'c> {
        let last = i64::from(element.bits()) - 1;
        let last = self.builder.constant_int(last, bits.r#type());
        self.builder.binary("arith.shrsi", bits, last)
    }

    fn sign(&mut self, element: ElementType, ty: Type<'c>) -> Value<'c> {
        self.builder
            .constant_int(i64::MIN >> (64 - element.bits()), ty)
    }

    /// The tile with all ones behind its elements along `axis`.
    fn with_padding(
        &mut self,
        value: Value<'c>,
        axis: usize,
        size: u64,
        padded: &[u64],
    ) -> Value<'c> {
        if padded[axis] == size {
            return value;
        }
        let element = crate::ir::element_type(value.r#type());
        let ty = TileType::new(padded, element, None).ty();
        let positions: Vec<_> = (0..padded.len())
            .map(|dimension| {
                let at = self.coordinate(padded, dimension);
                if dimension != axis {
                    return at;
                }
                let last = self.constant_like(size - 1, at);
                self.builder.binary("arith.minui", at, last)
            })
            .collect();
        let moved = self.gather_at(value, &positions, ty);
        let at = self.coordinate(padded, axis);
        let size = self.constant_like(size, at);
        let inside = self.builder.compare_int(predicates::ULT, at, size);
        let ones = self.builder.constant_int(-1, ty);
        self.builder.select(inside, moved, ones)
    }

    /// The part of a tile at its beginning.
    fn first(&mut self, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        if value.r#type() == ty {
            return value;
        }
        let shape = TileType::from_type(ty)
            .map(TileType::shape)
            .unwrap_or_default();
        let positions: Vec<_> = (0..shape.len())
            .map(|dimension| self.coordinate(&shape, dimension))
            .collect();
        self.gather_at(value, &positions, ty)
    }

    /// Brings tiles of words, a power of two of them along `axis`, in order as far as the first
    /// `wanted` go; the first tile counts most.
    ///
    /// Runs grow by merging as long as they are not longer than that. Of two runs that are, the
    /// smaller halves meet in the first one, and what is in the second is no matter any more.
    fn network(&mut self, mut words: Vec<Value<'c>>, axis: usize, wanted: u64) -> Vec<Value<'c>> {
        let shape = TileType::of(words[0])
            .map(TileType::shape)
            .unwrap_or_default();
        let longest = wanted.next_power_of_two().min(shape[axis]);
        let run_bits = longest.trailing_zeros();
        for bits in 1..=shape[axis].trailing_zeros() {
            let mirrored = (1 << bits.min(run_bits)) - 1;
            let mask = if bits <= run_bits {
                mirrored
            } else {
                1 << (bits - 1) | mirrored
            };
            words = self.compare_exchange(&words, axis, mask);
            let merged = if bits <= run_bits { bits - 1 } else { run_bits };
            for bit in (0..merged).rev() {
                words = self.compare_exchange(&words, axis, 1 << bit);
            }
        }
        words
    }

    /// Of an element and its partner the one with the lower coordinate keeps the smaller.
    fn compare_exchange(&mut self, words: &[Value<'c>], axis: usize, mask: u64) -> Vec<Value<'c>> {
        let attributes = [
            ("axis", self.builder.int(axis as i64)),
            ("mask", self.builder.int(mask as i64)),
        ];
        let mut less = None;
        let mut equal = None;
        let mut others = Vec::new();
        for (position, own) in words.iter().enumerate() {
            let other = self
                .builder
                .value("tile.exchange", &[*own], &attributes, own.r#type());
            let smaller = self.builder.compare_int(predicates::ULT, other, *own);
            less = Some(match (less, equal) {
                (Some(less), Some(equal)) => {
                    let tie = self.builder.and(equal, smaller);
                    self.builder.binary("arith.ori", less, tie)
                }
                _ => smaller,
            });
            if position + 1 < words.len() {
                equal = Some(self.builder.compare_int(predicates::EQ, other, *own));
            }
            others.push(other);
        }
        let (Some(less), Some(first)) = (less, words.first()) else {
            return Vec::new();
        };
        let shape = TileType::of(*first)
            .map(TileType::shape)
            .unwrap_or_default();
        let at = self.coordinate(&shape, axis);
        // The highest bit that differs says which of the two is the upper one.
        let highest = self.constant_like(1 << mask.ilog2(), at);
        let bit = self.builder.and(at, highest);
        let upper = self.is_nonzero(bit);
        let takes = self.builder.binary("arith.xori", less, upper);
        words
            .iter()
            .zip(others)
            .map(|(own, other)| self.builder.select(takes, other, *own))
            .collect()
    }
}

/// The bits of infinity, or of the largest number of a type without one: NaN is what is above.
const fn largest_magnitude(element: ElementType) -> i64 {
    match element {
        ElementType::F8E4M3 => 0x7e,
        ElementType::F8E5M2 => 0x7c,
        ElementType::F16 => 0x7c00,
        ElementType::BF16 => 0x7f80,
        ElementType::F64 => 0x7ff0_0000_0000_0000,
        _ => 0x7f80_0000,
    }
}
