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
    /// Whether the scalar is divided by the copies, too.
    is_divided: bool,
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
                kinds::POSITIONS => self.places(start),
                _ => None,
            };
            if let Some(places) = places.filter(|places| shape[axis].is_multiple_of(places.copies))
            {
                found.push((dimension, axis, places));
            }
            axis += usize::from(kinds[dimension] != kinds::ONE);
        }
        found
    }

    fn places(&self, positions: Value<'c>) -> Option<Places<'c>> {
        let operation = defining_operation(positions)?;
        match name(operation) {
            "arith.divsi" | "arith.divui" => {
                let (scalar, first, copies) = self.quotient(operation)?;
                Some(Places {
                    scalar,
                    first,
                    is_divided: true,
                    copies,
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
                        let (None, first, copies) = self.quotient(quotient)? else {
                            return None;
                        };
                        Some(Places {
                            scalar: Some(scalar_of(*one)?),
                            first,
                            is_divided: false,
                            copies,
                        })
                    })
            }
            _ => None,
        }
    }

    /// What is divided, a number and a range from here on, and by what, if all quotients of one divisor's length are the same.
    fn quotient(&self, operation: Operation<'c>) -> Option<(Option<Value<'c>>, i64, u64)> {
        let is_exact = match name(operation) {
            // Others may wrap around.
            "arith.divui" => int_attribute(operation, NATURAL).is_some(),
            "arith.divsi" => {
                let range = self.facts.range(operand(operation, 0));
                range.is_some_and(|(least, _)| least >= 0)
            }
            _ => return None,
        };
        let copies = power_of_two_divisor(operation).filter(|copies| {
            is_exact && (2..=MOST_COPIES).contains(copies) && is_tile(operand(operation, 0))
        })?;
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
        is_whole.then_some((scalar, first, copies))
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
        let (mut kinds, mut shape) = (load.kinds(), tile.shape());
        for (dimension, axis, places) in &found {
            let scalar = places.scalar.map(|scalar| to.one(scalar));
            // The base comes before the starts.
            let start = &mut list[1 + dimension];
            let builder = &mut to.builder;
            let ty = crate::ir::element_type(start.r#type());
            let first = builder.constant_int(places.first / places.copies as i64, ty);
            *start = match scalar {
                None => first,
                Some(scalar) => {
                    let copies = builder.constant_int(places.copies as i64, ty);
                    let at = match places.is_divided {
                        true => builder.binary("arith.divui", scalar, copies),
                        false => scalar,
                    };
                    builder.add(at, first)
                }
            };
            kinds[*dimension] = kinds::RANGE;
            shape[*axis] /= places.copies;
        }
        let builder = &mut to.builder;
        let mut attributes = crate::ir::attributes(operation);
        attributes.retain(|(name, _)| *name != "kinds");
        attributes.push(("kinds", builder.ints(&kinds)));
        let typed = |shape: &[u64]| TileType::new(shape, tile.element(), None).ty();
        let mut value = builder.value("tile.load_view", &list, &attributes, typed(&shape));
        for (_, axis, places) in found {
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
