//! Reductions along one dimension, in the order the [module](super) fixes.

use std::convert::Infallible;

use tile_runtime::element::ElementType;

use crate::typed::ReduceOperation;

use super::arithmetic::{maximum_number, minimum_number};
use super::deviation::Deviation;
use super::fault::Fault;
use super::value::Tile;

/// Where nothing stands for a result of no elements, which only arrays in tests have, there is always something to reduce.
const NOTHING: Fault = Fault::Malformed("a reduction of nothing");

/// Reduces `operand` along `axis`, which disappears.
pub(super) fn reduce(
    operation: ReduceOperation,
    operand: &Tile,
    axis: usize,
    deviation: Option<&Deviation>,
) -> Result<Tile, Fault> {
    let (element, _) = operand.as_numbers()?;
    let columns = Columns::new(&operand.shape, axis)?;
    let shape = &columns.shape;
    match operation {
        ReduceOperation::ArgMax | ReduceOperation::ArgMin => {
            let largest = operation == ReduceOperation::ArgMax;
            let results = if element.is_float() {
                index_of(&columns, &operand.floats()?, largest)?
            } else {
                index_of(&columns, &operand.integers()?, largest)?
            };
            Ok(Tile::from_integers(
                ElementType::I32,
                shape,
                results.into_iter(),
            ))
        }
        _ if element.is_float() => {
            let combine = float_combiner(operation, element)?;
            let nothing = match operation {
                ReduceOperation::Sum => Some(0.0),
                ReduceOperation::Product => Some(1.0),
                _ => None,
            };
            let operand = operand.floats()?;
            let mut results = columns.reduce(&operand, nothing, combine)?;
            if let Some(deviation) = deviation {
                let other =
                    columns.fold(&operand, nothing, |column| deviation.fold(column, combine))?;
                results = deviation.instead_of(&results, other);
            }
            Ok(Tile::from_floats(element, shape, results.into_iter()))
        }
        _ => {
            let combine = integer_combiner(operation)?;
            let nothing = match operation {
                ReduceOperation::Sum | ReduceOperation::Or | ReduceOperation::Xor => Some(0),
                ReduceOperation::Product => Some(1),
                ReduceOperation::And => Some(-1),
                _ => None,
            };
            let results = columns.reduce(&operand.integers()?, nothing, combine)?;
            Ok(Tile::from_integers(element, shape, results.into_iter()))
        }
    }
}

/// How many elements are each of the numbers below the size of the result, where the mask is true.
pub(super) fn histogram(operand: &Tile, mask: Option<&Tile>, shape: &[u64]) -> Result<Tile, Fault> {
    let mut counts = vec![0; shape.iter().product::<u64>() as usize];
    let values = operand.integers()?;
    let counted: Vec<bool> = match mask {
        Some(mask) => mask.conditions()?.collect(),
        None => vec![true; values.len()],
    };
    for (value, is_counted) in values.into_iter().zip(counted) {
        let bin = usize::try_from(value).ok().filter(|_| is_counted);
        if let Some(count) = bin.and_then(|bin| counts.get_mut(bin)) {
            *count += 1;
        }
    }
    Ok(Tile::from_integers(
        ElementType::I32,
        shape,
        counts.into_iter(),
    ))
}

/// Combines `items` as a balanced binary tree; `None` if there are none.
pub(super) fn tree<T: Clone, E>(
    items: &[T],
    combine: &mut impl FnMut(T, T) -> Result<T, E>,
) -> Result<Option<T>, E> {
    if let [] | [_] = items {
        return Ok(items.first().cloned());
    }
    let (left, right) = items.split_at(items.len() / 2);
    match (tree(left, combine)?, tree(right, combine)?) {
        (Some(left), Some(right)) => combine(left, right).map(Some),
        (one, other) => Ok(one.or(other)),
    }
}

/// A tile cut into the columns that a reduction makes one element of each.
pub(super) struct Columns {
    /// The shape of the result.
    pub shape: Vec<u64>,
    /// Elements of a column.
    length: usize,
    /// From one element of a column to the next.
    stride: usize,
}

impl Columns {
    /// Cuts along `axis`.
    pub fn new(shape: &[u64], axis: usize) -> Result<Self, Fault> {
        let mut rest = shape.to_vec();
        if axis >= shape.len() {
            return Err(Fault::Malformed(
                "a reduction along a dimension that is not there",
            ));
        }
        let length = rest.remove(axis) as usize;
        let stride = rest[axis..].iter().product::<u64>() as usize;
        Ok(Self {
            shape: rest,
            length,
            stride,
        })
    }

    /// For every element of the result, the numbers of the elements of its column.
    pub fn elements(&self) -> impl Iterator<Item = impl Iterator<Item = usize>> {
        let count = self.shape.iter().product::<u64>() as usize;
        (0..count).map(move |column| {
            let (outer, inner) = (column / self.stride, column % self.stride);
            let first = outer * self.length * self.stride + inner;
            (0..self.length).map(move |index| first + index * self.stride)
        })
    }

    /// Combines every column of `values`; `nothing` is what no elements are.
    fn reduce<T: Copy>(
        &self,
        values: &[T],
        nothing: Option<T>,
        combine: fn(T, T) -> T,
    ) -> Result<Vec<T>, Fault> {
        let combine = &mut |left, right| Ok(combine(left, right));
        self.fold(values, nothing, |column| {
            let result: Result<Option<T>, Infallible> = tree(column, combine);
            result.unwrap_or_else(|never| match never {})
        })
    }

    /// Makes one of every column of `values`.
    fn fold<T: Copy>(
        &self,
        values: &[T],
        nothing: Option<T>,
        mut fold: impl FnMut(&[T]) -> Option<T>,
    ) -> Result<Vec<T>, Fault> {
        self.elements()
            .map(|elements| {
                let column: Vec<T> = elements.map(|element| values[element]).collect();
                fold(&column).or(nothing).ok_or(NOTHING)
            })
            .collect()
    }
}

/// The index of the first largest (or smallest) element of every column; NaN counts as nothing.
fn index_of<T: PartialOrd + Copy>(
    columns: &Columns,
    values: &[T],
    largest: bool,
) -> Result<Vec<i128>, Fault> {
    let is_nan = |value: T| value.partial_cmp(&value).is_none();
    let better = |new: T, old: T| is_nan(old) || if largest { new > old } else { new < old };
    let mut indices = Vec::new();
    for elements in columns.elements() {
        let column: Vec<(i128, T)> = (0..).zip(elements.map(|element| values[element])).collect();
        let first = tree(&column, &mut |left: (i128, T), right| {
            let takes = better(right.1, left.1) && !is_nan(right.1);
            Ok(if takes { right } else { left })
        })?;
        indices.push(first.ok_or(NOTHING)?.0);
    }
    Ok(indices)
}

/// How two partial results combine: in `f64`, or in `f32` for everything narrower.
fn float_combiner(
    operation: ReduceOperation,
    element: ElementType,
) -> Result<fn(f64, f64) -> f64, Fault> {
    Ok(match (operation, element) {
        (ReduceOperation::Sum, ElementType::F64) => |left, right| left + right,
        (ReduceOperation::Product, ElementType::F64) => |left, right| left * right,
        (ReduceOperation::Sum, _) => |left, right| f64::from((left + right) as f32),
        (ReduceOperation::Product, _) => |left, right| f64::from((left * right) as f32),
        (ReduceOperation::Max, _) => maximum_number,
        (ReduceOperation::Min, _) => minimum_number,
        _ => return Err(Fault::Malformed("a reduction of integers on floats")),
    })
}

/// How two partial results combine; wrapping at the end is as good as wrapping at each step.
fn integer_combiner(operation: ReduceOperation) -> Result<fn(i128, i128) -> i128, Fault> {
    Ok(match operation {
        ReduceOperation::Sum => i128::wrapping_add,
        ReduceOperation::Product => i128::wrapping_mul,
        ReduceOperation::Max => i128::max,
        ReduceOperation::Min => i128::min,
        ReduceOperation::And => |left, right| left & right,
        ReduceOperation::Or => |left, right| left | right,
        ReduceOperation::Xor => |left, right| left ^ right,
        ReduceOperation::ArgMax | ReduceOperation::ArgMin => {
            return Err(Fault::Malformed("a combiner of indices"));
        }
    })
}
