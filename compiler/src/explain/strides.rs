//! How the elements of a tile of addresses follow each other: the distance along each dimension, as far
//! as it is the same everywhere.
//!
//! ```text
//! %p + (row * n + column) * 4      rows: a multiple of 16 bytes (n % 4 == 0), or known with n
//!                                  columns: 4 bytes
//! ```

use melior::ir::ValueLike;

use super::numbers::Numbers;
use crate::dialect::TileOp;
use crate::facts::{FactAnalysis, constant_of, pointee_bytes};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{TileType, Value, name, operand, region_block};

/// Memory of a device starts at multiples of this, whatever a variant promises.
const ALLOCATION: u64 = 256;

/// How many definitions are followed.
const DEPTH: u32 = 64;

/// The distance between neighbours along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    /// Exactly this.
    Known(i64),
    /// The same everywhere, and a multiple of this.
    Multiple(u64),
    /// It may differ from one pair to the next.
    Irregular,
}

/// A tile (or a scalar, which has no strides) as `start + sum(index * stride)`. Pointers count in
/// bytes, integers in themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affine {
    /// One per dimension.
    pub strides: Vec<Stride>,
    /// What divides the start.
    pub start_divisor: u64,
}

/// The analysis of one function.
pub struct Strides<'a, 'c> {
    /// What is known of divisors.
    pub facts: &'a FactAnalysis<'c>,
    /// What is known of values.
    pub numbers: &'a Numbers,
}

fn common(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        _ => 1 << a.trailing_zeros().min(b.trailing_zeros()),
    }
}

impl Stride {
    /// What divides it; 0 for 0, which everything divides.
    fn divisor(self) -> u64 {
        match self {
            Self::Known(stride) => stride.unsigned_abs(),
            Self::Multiple(divisor) => divisor,
            Self::Irregular => 1,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => Self::Known(a.saturating_add(b)),
            (Self::Irregular, _) | (_, Self::Irregular) => Self::Irregular,
            (a, b) => Self::Multiple(common(a.divisor(), b.divisor()).max(1)),
        }
    }

    fn times(self, factor: Option<i64>, divisor: u64) -> Self {
        match (self, factor) {
            (Self::Known(0), _) => self,
            (Self::Known(stride), Some(factor)) => Self::Known(stride.saturating_mul(factor)),
            (Self::Irregular, _) => self,
            _ => Self::Multiple(self.divisor().saturating_mul(divisor).max(1)),
        }
    }
}

impl Affine {
    fn is_uniform(&self) -> bool {
        self.strides
            .iter()
            .all(|stride| *stride == Stride::Known(0))
    }

    fn irregular(rank: usize) -> Self {
        Self {
            strides: vec![Stride::Irregular; rank],
            start_divisor: 1,
        }
    }
}

impl<'c> Strides<'_, 'c> {
    /// The strides of a tile of pointers, in bytes.
    #[must_use]
    pub fn of(&self, value: Value<'c>) -> Affine {
        self.walk(value, DEPTH)
    }

    fn rank(value: Value<'c>) -> usize {
        TileType::of(value).map_or(0, |tile| tile.shape().len())
    }

    /// The argument that an address comes from, by its number.
    #[must_use]
    pub fn base(&self, value: Value<'c>) -> Option<usize> {
        let mut value = value;
        for _ in 0..DEPTH {
            let Some(operation) = defining_operation(value) else {
                let owner = argument_owner(value)?;
                let number = result_number(value);
                match name(owner) {
                    "func.func" => return Some(number),
                    // What a loop carries, as it begins.
                    "scf.for" if number > 0 => value = operand(owner, number + 2),
                    _ => return None,
                }
                continue;
            };
            value = match TileOp::of(operation) {
                Some(
                    TileOp::PointerOffset(_)
                    | TileOp::Splat(_)
                    | TileOp::Expand(_)
                    | TileOp::Broadcast(_)
                    | TileOp::Permute(_)
                    | TileOp::Reshape(_)
                    | TileOp::Convert(_)
                    | TileOp::PointerCast(_),
                ) => operand(operation, 0),
                _ => return None,
            };
        }
        None
    }

    fn walk(&self, value: Value<'c>, depth: u32) -> Affine {
        let rank = Self::rank(value);
        let Some(depth) = depth.checked_sub(1) else {
            return Affine::irregular(rank);
        };
        if rank == 0 {
            return self.scalar(value, depth);
        }
        let Some(operation) = defining_operation(value) else {
            return self.carried(value, depth);
        };
        let one = |index| self.walk(operand(operation, index), depth);
        match TileOp::of(operation) {
            Some(TileOp::Arange(arange)) => Affine {
                strides: vec![Stride::Known(1)],
                start_divisor: arange.lo().unsigned_abs(),
            },
            Some(TileOp::Splat(_)) => Affine {
                strides: vec![Stride::Known(0); rank],
                start_divisor: one(0).start_divisor,
            },
            Some(TileOp::Expand(expand)) => {
                let mut inner = one(0);
                let axis = (expand.axis() as usize).min(inner.strides.len());
                inner.strides.insert(axis, Stride::Known(0));
                inner
            }
            Some(TileOp::Broadcast(broadcast)) => {
                let mut inner = one(0);
                let [from, to] = [broadcast.operand(), value]
                    .map(|value| TileType::of(value).map(TileType::shape).unwrap_or_default());
                for (axis, stride) in inner.strides.iter_mut().enumerate() {
                    if from.get(axis) != to.get(axis) {
                        *stride = Stride::Known(0);
                    }
                }
                inner
            }
            Some(TileOp::Permute(permute)) => {
                let inner = one(0);
                let pick = permute.permutation().into_iter();
                let strides = pick.map(|axis| inner.strides.get(axis as usize).copied());
                Affine {
                    strides: strides
                        .map(|stride| stride.unwrap_or(Stride::Irregular))
                        .collect(),
                    ..inner
                }
            }
            Some(TileOp::Convert(_)) => one(0),
            Some(TileOp::PointerOffset(offset)) => {
                let bytes = pointee_bytes(offset.pointer());
                let elements = self.walk(offset.offset(), depth);
                sum(&one(0), &scaled(&elements, Some(bytes as i64), bytes))
            }
            Some(_) => Affine::irregular(rank),
            None => match name(operation) {
                "arith.constant" => match constant_of(value) {
                    Some(constant) => Affine {
                        strides: vec![Stride::Known(0); rank],
                        start_divisor: constant.unsigned_abs(),
                    },
                    None => Affine::irregular(rank),
                },
                "arith.extsi" | "arith.extui" | "arith.trunci" | "arith.index_cast" => one(0),
                "arith.addi" => sum(&one(0), &one(1)),
                "arith.subi" => sum(&one(0), &scaled(&one(1), Some(-1), 1)),
                "arith.muli" => self.product(operand(operation, 0), operand(operation, 1), depth),
                _ => Affine::irregular(rank),
            },
        }
    }

    /// A product with something that is the same everywhere.
    fn product(&self, left: Value<'c>, right: Value<'c>, depth: u32) -> Affine {
        let [a, b] = [left, right].map(|value| self.walk(value, depth));
        let (tile, factor, value) = if b.is_uniform() {
            (a, b, right)
        } else if a.is_uniform() {
            (b, a, left)
        } else {
            return Affine::irregular(a.strides.len());
        };
        let number = uniform(value).and_then(|scalar| self.numbers.of(scalar));
        scaled(&tile, number, factor.start_divisor)
    }

    fn scalar(&self, value: Value<'c>, depth: u32) -> Affine {
        let is_pointer = value.r#type().to_string().starts_with("!tile.ptr");
        let operation = defining_operation(value);
        let start_divisor = match (is_pointer, operation) {
            (true, Some(operation)) => match TileOp::of(operation) {
                Some(TileOp::PointerOffset(offset)) => {
                    let bytes = pointee_bytes(offset.pointer());
                    let base = self.walk(offset.pointer(), depth).start_divisor;
                    let elements = self.walk(offset.offset(), depth).start_divisor;
                    common(base, elements.saturating_mul(bytes))
                }
                _ => self.divisor(value),
            },
            (true, None) => match argument_owner(value) {
                Some(owner) if name(owner) == "func.func" => ALLOCATION,
                _ => self.divisor(value),
            },
            (false, _) => match self.numbers.of(value) {
                Some(number) => number.unsigned_abs(),
                None => self.divisor(value),
            },
        };
        Affine {
            strides: Vec::new(),
            start_divisor,
        }
    }

    fn divisor(&self, value: Value<'c>) -> u64 {
        let facts = self.facts.of(value);
        facts.divisibility.first().copied().unwrap_or(1)
    }

    /// What a loop carries has the strides with which it begins if each iteration adds the same to all of
    /// it. The start moves by what the facts say.
    fn carried(&self, value: Value<'c>, depth: u32) -> Affine {
        let rank = Self::rank(value);
        let unknown = Affine::irregular(rank);
        let Some(owner) = argument_owner(value).filter(|owner| name(*owner) == "scf.for") else {
            return unknown;
        };
        let number = result_number(value);
        if number == 0 {
            return unknown;
        }
        let steady = region_block(owner, 0)
            .and_then(|block| crate::ir::yielded(block).get(number - 1).copied())
            .is_some_and(|yielded| self.is_moved(yielded, value, depth));
        if !steady {
            return unknown;
        }
        let first = self.walk(operand(owner, number + 2), depth);
        let facts = self.facts.of(value);
        let divisor = facts.divisibility.iter().copied().max().unwrap_or(1);
        Affine {
            start_divisor: common(first.start_divisor, divisor).max(1),
            ..first
        }
    }

    /// Whether `value` is `from` plus the same for every element.
    fn is_moved(&self, value: Value<'c>, from: Value<'c>, depth: u32) -> bool {
        if value == from {
            return true;
        }
        let Some(operation) = defining_operation(value) else {
            return false;
        };
        match (TileOp::of(operation), name(operation)) {
            (Some(TileOp::PointerOffset(offset)), _) => {
                self.is_moved(offset.pointer(), from, depth)
                    && self.walk(offset.offset(), depth).is_uniform()
            }
            (Some(TileOp::Convert(convert)), _) => self.is_moved(convert.operand(), from, depth),
            (None, "arith.addi") => {
                let [a, b] = [0, 1].map(|index| operand(operation, index));
                self.is_moved(a, from, depth) && self.walk(b, depth).is_uniform()
            }
            _ => false,
        }
    }
}

/// The scalar of which every element of a tile is a copy.
fn uniform<'c>(value: Value<'c>) -> Option<Value<'c>> {
    let mut value = value;
    for _ in 0..DEPTH {
        let operation = defining_operation(value)?;
        value = match (TileOp::of(operation), name(operation)) {
            (Some(TileOp::Splat(splat)), _) => return Some(splat.scalar()),
            (Some(TileOp::Broadcast(_) | TileOp::Expand(_) | TileOp::Convert(_)), _)
            | (None, "arith.extsi" | "arith.trunci") => operand(operation, 0),
            (None, "arith.constant") => return Some(value),
            _ => return None,
        };
    }
    None
}

fn sum(a: &Affine, b: &Affine) -> Affine {
    let strides = a.strides.iter().zip(&b.strides);
    Affine {
        strides: strides.map(|(a, b)| a.plus(*b)).collect(),
        start_divisor: common(a.start_divisor, b.start_divisor),
    }
}

fn scaled(tile: &Affine, factor: Option<i64>, divisor: u64) -> Affine {
    let strides = tile.strides.iter();
    Affine {
        strides: strides
            .map(|stride| stride.times(factor, divisor))
            .collect(),
        start_divisor: tile
            .start_divisor
            .saturating_mul(factor.map_or(divisor, i64::unsigned_abs)),
    }
}
