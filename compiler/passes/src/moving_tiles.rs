//! `moving-tiles`: of a tile of integers that a loop only moves by a number, the number is carried.
//!
//! ```text
//! l = arange(0, 64);  for … { load(a[rows, l]); l += 64 }
//!   ⇒  s = 0;  for … { l = arange(0, 64) + s; load(a[rows, l]); s += 64 }
//! ```
//!
//! Where positions are is known then (`ranges`), and a number takes one register.

use melior::ir::{Module, ValueLike};

use super::{LOOP_RANGE, PassContext, each_operation, functions, is_tile, rebuild_functions};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, Value, arguments, attributes, element_type, key, name, operand, operands,
    operations, region_block, results,
};

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let finds_any = |function| {
        let mut any = false;
        each_operation(function, &mut |operation| {
            any |= !moves(operation).is_empty()
        });
        any
    };
    if !functions(&module).into_iter().any(finds_any) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |_| Ok(MovingTiles))
}

/// Which of the tiles that a loop carries move, and what by.
fn moves(operation: Operation<'_>) -> Vec<(usize, Distance<'_>)> {
    let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
        return Vec::new();
    };
    let next = operations(body).last().map(|last| operands(*last));
    let carried = arguments(body).into_iter().skip(1);
    let each = carried.zip(next.into_iter().flatten()).enumerate();
    each.filter(|(_, (carried, _))| is_tile(*carried))
        .filter_map(|(number, (carried, next))| Some((number, Distance::of(carried, next)?)))
        .collect()
}

/// What is added to all elements of a tile in each iteration.
#[derive(Clone, Copy)]
enum Distance<'c> {
    Constant(i64),
    Scalar(Value<'c>),
}

impl<'c> Distance<'c> {
    fn of(carried: Value<'c>, next: Value<'c>) -> Option<Self> {
        let sum = defining_operation(next).filter(|of| name(*of) == "arith.addi")?;
        let sides = [0, 1].map(|number| operand(sum, number));
        let other = match sides.map(|side| key(side) == key(carried)) {
            [true, false] => sides[1],
            [false, true] => sides[0],
            _ => return None,
        };
        match defining_operation(other).and_then(TileOp::of) {
            Some(TileOp::Splat(splat)) => Some(Self::Scalar(splat.scalar())),
            _ => constant_of(other).map(Self::Constant),
        }
    }
}

struct MovingTiles;

/// A tile with a number added to each element.
fn moved<'c>(builder: &mut Builder<'c>, tile: Value<'c>, by: Value<'c>) -> Value<'c> {
    let by = builder.value("tile.splat", &[by], &[], tile.r#type());
    builder.add(tile, by)
}

impl<'c> Rewrite<'c> for MovingTiles {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let moving = moves(operation);
        let Some(body) = region_block(operation, 0).filter(|_| !moving.is_empty()) else {
            return Ok(false);
        };
        let mut list: Vec<_> = operands(operation)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        let mut begins = Vec::new();
        for (number, _) in &moving {
            let begin = list[LOOP_RANGE + number];
            let zero = to.builder.constant_int(0, element_type(begin.r#type()));
            list[LOOP_RANGE + number] = zero;
            begins.push(begin);
        }
        let range = list[0].r#type();
        let carried: Vec<_> = list[LOOP_RANGE..].iter().map(ValueLike::r#type).collect();
        let types: Vec<_> = [range].into_iter().chain(carried.iter().copied()).collect();
        let region = to.region(&types, |to, given| {
            for (old, new) in arguments(body).into_iter().zip(given) {
                to.bind(old, vec![*new]);
            }
            for ((number, _), begin) in moving.iter().zip(&begins) {
                let tile = moved(&mut to.builder, *begin, given[1 + number]);
                to.bind(arguments(body)[1 + number], vec![tile]);
            }
            let inside = operations(body);
            let (last, inside) = inside.split_last().expect("a loop yields");
            for operation in inside {
                to.operation(self, *operation)?;
            }
            let mut next: Vec<_> = operands(*last).into_iter().map(|old| to.one(old)).collect();
            for (number, distance) in &moving {
                let at = given[1 + number];
                let distance = match distance {
                    Distance::Scalar(scalar) => to.one(*scalar),
                    Distance::Constant(constant) => to.builder.constant_int(*constant, at.r#type()),
                };
                next[*number] = to.builder.add(at, distance);
            }
            to.builder.insert("scf.yield", &next, &[], &[]);
            Ok(())
        })?;
        let all = attributes(operation);
        let new = to
            .builder
            .insert_with_regions("scf.for", &list, &all, &carried, vec![region]);
        let mut given = results(new);
        for ((number, _), begin) in moving.iter().zip(begins) {
            given[*number] = moved(&mut to.builder, begin, given[*number]);
        }
        for (old, new) in results(operation).into_iter().zip(given) {
            to.bind(old, vec![new]);
        }
        Ok(true)
    }
}
