//! `repeated-loads`: of elements that lie in one place the first is loaded, and repeated.
//!
//! ```text
//! load(words[at, (j + arange(0, 64)) / 8])  : 32x64
//!   ⇒  w = load(words[at, j / 8 +: 8])  : 32x8;  reshape(broadcast(w[:, :, None]))  : 32x64
//! ```
//!
//! Several numbers lie in a word, and several elements have a factor in common. Kernels that say so by dividing positions would
//! load, or copy ahead, each place as often as it has elements; a range of places is copied by TMA besides.

use melior::ir::{Module, ValueLike};
use tile_frontend::typed::MOST_DIMENSIONS;

use super::{PassContext, each_operation, functions, is_number_or_row, is_tile, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::LoadView;
use crate::dialect::{NATURAL, TileOp, kinds};
use crate::encoding::MOST_COPIES;
use crate::facts::{FactAnalysis, power_of_two_divisor};
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, int_attribute, name, operand, operands};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let finds_any = |function| {
        let repeat = Repeat {
            facts: FactAnalysis::new(function),
        };
        let mut any = false;
        each_operation(function, &mut |operation| {
            any |= LoadView::of(operation).is_some_and(|load| !repeat.dimensions(load).is_empty());
        });
        any
    };
    if !functions(&module).into_iter().any(finds_any) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |function| {
        Ok(Repeat {
            facts: FactAnalysis::new(function),
        })
    })
}

struct Repeat<'c> {
    facts: FactAnalysis<'c>,
}

/// Positions of which so many neighbours are one, from `scalar + first` on.
struct Places<'c> {
    scalar: Option<Value<'c>>,
    first: i64,
    /// Whether the scalar is divided as well.
    is_divided: bool,
    by: u64,
    /// As many as are divided by, or the whole row.
    copies: u64,
}

impl<'c> Repeat<'c> {
    /// The dimensions of a tensor along which a load has places of several elements each, and the tile's axes.
    fn dimensions(&self, load: LoadView<'c>) -> Vec<(usize, usize, Places<'c>)> {
        let mut found = Vec::new();
        let Some(tile) = TileType::of(load.result()) else {
            return found;
        };
        let shape = tile.shape();
        let (starts, kinds) = (load.starts(), load.kinds());
        if shape.len() >= MOST_DIMENSIONS
            || !starts.iter().all(is_number_or_row)
            || load.other().is_some_and(is_tile)
        {
            return found;
        }
        // The tile has all dimensions of the tensor but those of which it has one position.
        let mut axis = 0;
        for (dimension, start) in starts.into_iter().enumerate() {
            let places = match kinds[dimension] {
                kinds::POSITIONS => self.places(start, shape[axis]),
                _ => None,
            };
            found.extend(places.map(|places| (dimension, axis, places)));
            axis += usize::from(kinds[dimension] != kinds::ONE);
        }
        found
    }

    fn places(&self, positions: Value<'c>, length: u64) -> Option<Places<'c>> {
        let operation = defining_operation(positions)?;
        match name(operation) {
            "arith.divsi" | "arith.divui" => {
                let (scalar, first, by) = self.quotient(operation, length)?;
                Some(Places {
                    scalar,
                    first,
                    is_divided: true,
                    by,
                    copies: by.min(length),
                })
            }
            // A number and quotients of a range.
            "arith.addi" => {
                let sides = [0, 1].map(|number| operand(operation, number));
                sides
                    .iter()
                    .zip(sides.iter().rev())
                    .find_map(|(one, other)| {
                        let quotient = defining_operation(*other)?;
                        let (None, first, by) = self.quotient(quotient, length)? else {
                            return None;
                        };
                        Some(Places {
                            scalar: Some(scalar_of(*one)?),
                            first,
                            is_divided: false,
                            by,
                            copies: by.min(length),
                        })
                    })
            }
            _ => None,
        }
    }

    /// What is divided, a number and a range from here on, and by what, if all quotients of one divisor's length are the same, or all of the row.
    fn quotient(
        &self,
        operation: Operation<'c>,
        length: u64,
    ) -> Option<(Option<Value<'c>>, i64, u64)> {
        let is_exact = match name(operation) {
            // Others may wrap around.
            "arith.divui" => int_attribute(operation, NATURAL).is_some(),
            "arith.divsi" => {
                let range = self.facts.range(operand(operation, 0));
                range.is_some_and(|(least, _)| least >= 0)
            }
            _ => return None,
        };
        let by = power_of_two_divisor(operation)
            .filter(|by| is_exact && *by > 1 && is_tile(operand(operation, 0)))?;
        let copies = by.min(length);
        let are_whole = by.is_multiple_of(copies) && length.is_multiple_of(copies);
        // A row of which all elements are one is as long as it was.
        if copies < length && copies > MOST_COPIES || !are_whole {
            return None;
        }
        let divided = operand(operation, 0);
        let sum = defining_operation(divided)?;
        let (scalar, range) = match name(sum) {
            "arith.addi" => {
                let sides = [0, 1].map(|number| operand(sum, number));
                let mut both = sides.iter().zip(sides.iter().rev());
                both.find_map(|(one, other)| Some((Some(scalar_of(*one)?), *other)))?
            }
            _ => (None, divided),
        };
        let Some(TileOp::Arange(range)) = defining_operation(range).and_then(TileOp::of) else {
            return None;
        };
        let divides = |scalar: &Value<'c>| {
            let divisors = self.facts.of(*scalar).divisibility;
            divisors
                .into_iter()
                .min()
                .unwrap_or(1)
                .is_multiple_of(copies)
        };
        let first = range.lo();
        let is_whole = u64::try_from(first).is_ok_and(|first| first.is_multiple_of(copies));
        let is_whole = is_whole && scalar.iter().all(divides);
        is_whole.then_some((scalar, first, by))
    }
}

/// The number that all elements of a tile are.
fn scalar_of(tile: Value<'_>) -> Option<Value<'_>> {
    match defining_operation(tile).and_then(TileOp::of)? {
        TileOp::Splat(splat) => Some(splat.scalar()),
        _ => None,
    }
}

impl<'c> Rewrite<'c> for Repeat<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(load) = LoadView::of(operation) else {
            return Ok(false);
        };
        let found = self.dimensions(load);
        let Some(tile) = TileType::of(load.result()).filter(|_| !found.is_empty()) else {
            return Ok(false);
        };
        let mut list: Vec<_> = operands(operation)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        let (mut kinds, mut shape, mut ones) = (load.kinds(), tile.shape(), Vec::new());
        for (dimension, axis, places) in &found {
            let scalar = places.scalar.map(|scalar| to.one(scalar));
            // The base comes before the starts.
            let start = &mut list[1 + dimension];
            let builder = &mut to.builder;
            let ty = crate::ir::element_type(start.r#type());
            *start = match (scalar, places.is_divided) {
                (Some(scalar), true) => {
                    let [first, by] = [places.first, places.by as i64]
                        .map(|number| builder.constant_int(number, ty));
                    let at = builder.add(scalar, first);
                    builder.binary("arith.divui", at, by)
                }
                (scalar, _) => {
                    let first = builder.constant_int(places.first / places.by as i64, ty);
                    match scalar {
                        Some(scalar) => builder.add(scalar, first),
                        None => first,
                    }
                }
            };
            shape[*axis] /= places.copies;
            // A row of one place is one position, unless nothing else is left.
            let is_one = shape[*axis] == 1 && shape.len() - ones.len() > 1;
            kinds[*dimension] = match is_one {
                true => kinds::ONE,
                false => kinds::RANGE,
            };
            ones.extend(is_one.then_some(*axis));
        }
        let mut loaded = shape.clone();
        for axis in ones.iter().rev() {
            loaded.remove(*axis);
        }
        let builder = &mut to.builder;
        let mut attributes = crate::ir::attributes(operation);
        attributes.retain(|(name, _)| *name != "kinds");
        attributes.push(("kinds", builder.ints(&kinds)));
        let typed = |shape: &[u64]| TileType::new(shape, tile.element(), None).ty();
        let mut value = builder.value("tile.load_view", &list, &attributes, typed(&loaded));
        for axis in ones {
            loaded.insert(axis, 1);
            let of_axis = [("axis", builder.int(axis as i64))];
            value = builder.value("tile.expand", &[value], &of_axis, typed(&loaded));
        }
        for (_, axis, places) in found {
            if shape[axis] == 1 {
                shape[axis] = places.copies;
                value = builder.value("tile.broadcast", &[value], &[], typed(&shape));
                continue;
            }
            let mut apart = shape.clone();
            apart.insert(axis + 1, 1);
            let of_axis = [("axis", builder.int(axis as i64 + 1))];
            value = builder.value("tile.expand", &[value], &of_axis, typed(&apart));
            apart[axis + 1] = places.copies;
            value = builder.value("tile.broadcast", &[value], &[], typed(&apart));
            shape[axis] *= places.copies;
            value = builder.value("tile.reshape", &[value], &[], typed(&shape));
        }
        to.bind(load.result(), vec![value]);
        Ok(true)
    }
}
