//! `moving-tiles`: of a tile of integers that a loop only moves by a number, the number is carried.
//!
//! ```text
//! l = arange(0, 64);  for … { load(a[rows, l]); l += 64 }
//!   ⇒  s = 0;  for … { l = arange(0, 64) + s; load(a[rows, l]); s += 64 }
//! ```
//!
//! Where positions are is known then (`ranges`), and a number takes one register. Pointers move in 64 bits, as addresses do. Where
//! the loop counts by a part of the distance and nobody reads the pointers behind it, nothing is carried for them: they have moved by a multiple
//! of what it has counted, which says where they are in each iteration (`pointer-views`).
//!
//! ```text
//! p = a + offsets;  for i in range(0, n) { load(p); p += 64 }  ⇒  for i in range(0, n) { load(a + offsets + i * 64) }
//! ```
//!
//! Numbers that move so, as those of rows that programs share out, are multiples of the counter as well: what is loaded at them can be loaded ahead.
//!
//! What is moved in both branches of a condition is moved by a number as well ([`branches`]).

use std::collections::HashSet;

use melior::ir::{Module, Type, ValueLike};

use super::{
    LOOP_RANGE, PassContext, each_operation, element_bits, functions, is_of_iteration, is_tile,
    rebuild_functions, uses,
};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, arguments, attributes, element_type, key, name, operand,
    operands, operations, region_block, results,
};
use crate::writes::is_pointer;

mod branches;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let module = branches::run(cx, module)?;
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
    rebuild_functions(cx, &module, |function| {
        let read = uses(function).into_keys().collect();
        Ok(MovingTiles { read })
    })
}

/// A value that a loop carries and only moves.
struct Moving<'c> {
    /// Which of those that it carries.
    number: usize,
    by: Distance<'c>,
}

/// Those that a loop carries.
fn moves(operation: Operation<'_>) -> Vec<Moving<'_>> {
    let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
        return Vec::new();
    };
    let next = operations(body).last().map(|last| operands(*last));
    let carried = arguments(body).into_iter().skip(1);
    let each = carried.zip(next.into_iter().flatten()).enumerate();
    each.filter(|(_, (carried, _))| is_tile(*carried) || is_pointer(*carried) || is_count(*carried))
        .filter_map(|(number, (carried, next))| {
            let by = Distance::of(carried, next)?;
            Some(Moving { number, by })
        })
        .collect()
}

/// What is added to all elements in each iteration.
#[derive(Clone, Copy)]
enum Distance<'c> {
    Constant(i64),
    Scalar(Value<'c>),
    /// A number that is subtracted.
    Back(Value<'c>),
}

impl<'c> Distance<'c> {
    fn of(carried: Value<'c>, next: Value<'c>) -> Option<Self> {
        let moves = |of: &Operation<'c>| {
            matches!(
                name(*of),
                "arith.addi" | "arith.subi" | "tile.pointer_offset"
            )
        };
        let sum = defining_operation(next).filter(moves)?;
        let sides = || [0, 1].map(|number| operand(sum, number));
        let is_it = |side| key(side) == key(carried);
        let other = match (name(sum), sides().map(is_it)) {
            (_, [true, false]) => sides()[1],
            ("arith.addi", [false, true]) => sides()[0],
            _ => return None,
        };
        match (name(sum) == "arith.subi", constant_of(other)) {
            (true, Some(constant)) => constant.checked_neg().map(Self::Constant),
            (true, None) => uniform(other).map(Self::Back),
            (false, Some(constant)) => Some(Self::Constant(constant)),
            (false, None) => uniform(other).map(Self::Scalar),
        }
    }

    /// What is moved while a loop counts by one, if its steps divide the distance.
    fn per_count(self, step: i64) -> Option<(i64, Option<Value<'c>>)> {
        let (times, scalar) = match self {
            Self::Constant(constant) => (constant, None),
            Self::Scalar(scalar) | Self::Back(scalar) => {
                let product = defining_operation(scalar).filter(|of| name(*of) == "arith.muli");
                let factors = product.map(|of| [0, 1].map(|number| operand(of, number)));
                let factor = factors.and_then(|[left, right]| Some((constant_of(right)?, left)));
                let (times, scalar) = factor.unwrap_or((1, scalar));
                let times = match self {
                    Self::Back(_) => times.checked_neg()?,
                    _ => times,
                };
                (times, Some(scalar))
            }
        };
        let is_whole = step > 0 && times % step == 0;
        is_whole.then(|| (times / step, scalar))
    }

    fn build(self, to: &mut Rebuilder<'c>, ty: Type<'c>) -> Value<'c> {
        match self {
            Self::Constant(constant) => to.builder.constant_int(constant, ty),
            Self::Scalar(scalar) | Self::Back(scalar) => {
                let scalar = to.one(scalar);
                let scalar = match scalar.r#type() == ty {
                    true => scalar,
                    false => to.builder.int_cast(scalar, 64, true),
                };
                match self {
                    Self::Back(_) => {
                        let zero = to.builder.constant_int(0, ty);
                        to.builder.binary("arith.subi", zero, scalar)
                    }
                    _ => scalar,
                }
            }
        }
    }
}

/// The number that all elements are; a constant is itself.
fn uniform(value: Value<'_>) -> Option<Value<'_>> {
    match defining_operation(value).and_then(TileOp::of) {
        Some(TileOp::Splat(splat)) => Some(splat.scalar()),
        _ => (constant_of(value).is_some() || !is_tile(value)).then_some(value),
    }
}

struct MovingTiles {
    /// Values that are read.
    read: HashSet<ValueKey>,
}

impl MovingTiles {
    /// How far a pointer or a number has moved as a multiple of what a loop has counted, if it is one and nobody reads the value behind the loop.
    fn counted<'c>(
        &self,
        of: Operation<'c>,
        moving: &Moving<'c>,
    ) -> Option<(i64, Option<Value<'c>>)> {
        let value = results(of)[moving.number];
        if self.read.contains(&key(value)) {
            return None;
        }
        let (times, scalar) = moving.by.per_count(constant_of(operand(of, 2))?)?;
        let is_outside = scalar.is_none_or(|scalar| !is_of_iteration(scalar, of));
        is_outside.then_some((times, scalar))
    }
}

/// Whether a value is a whole number, as those are by which programs count.
fn is_count(value: Value<'_>) -> bool {
    matches!(&*value.r#type().to_string(), "i32" | "i64")
}

/// The type of how far a value moves.
fn distance_type<'c>(builder: &Builder<'c>, value: Value<'c>) -> Type<'c> {
    match is_pointer(value) {
        true => builder.int_type(64),
        false => element_type(value.r#type()),
    }
}

/// A value, moved by a number.
fn moved<'c>(builder: &mut Builder<'c>, value: Value<'c>, by: Value<'c>) -> Value<'c> {
    let ty = match TileType::of(value) {
        Some(tile) => TileType::new(&tile.shape(), by.r#type(), None).ty(),
        None => by.r#type(),
    };
    let by = match is_tile(value) {
        true => builder.value("tile.splat", &[by], &[], ty),
        false => by,
    };
    match is_pointer(value) {
        true => builder.value("tile.pointer_offset", &[value, by], &[], value.r#type()),
        false => builder.add(value, by),
    }
}

impl<'c> Rewrite<'c> for MovingTiles {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        // What is a number already and no multiple of the counter stays as it is.
        let mut moving = moves(operation);
        moving.retain(|one| {
            !is_count(results(operation)[one.number]) || self.counted(operation, one).is_some()
        });
        let Some(body) = region_block(operation, 0).filter(|_| !moving.is_empty()) else {
            return Ok(false);
        };
        let old: Vec<_> = operands(operation);
        let mut list: Vec<_> = old.iter().map(|old| to.one(*old)).collect();
        let mut begins = Vec::new();
        for one in &moving {
            let begin = list[LOOP_RANGE + one.number];
            let ty = distance_type(&to.builder, begin);
            list[LOOP_RANGE + one.number] = to.builder.constant_int(0, ty);
            begins.push(begin);
        }
        let mut counted = Vec::new();
        let mut moved_by = Vec::new();
        for (one, begin) in moving.into_iter().zip(begins) {
            match self.counted(operation, &one) {
                Some(multiple) => counted.push((one, begin, multiple)),
                None => moved_by.push((one, begin)),
            }
        }
        let moving = moved_by;
        let is_carried = |number: &usize| counted.iter().all(|(one, ..)| one.number != *number);
        let carried: Vec<_> = (0..list.len() - LOOP_RANGE).filter(is_carried).collect();
        let mut all = list[..LOOP_RANGE].to_vec();
        all.extend(carried.iter().map(|number| list[LOOP_RANGE + number]));
        let types: Vec<_> = all[LOOP_RANGE..].iter().map(ValueLike::r#type).collect();
        let given: Vec<_> = [all[0].r#type()]
            .into_iter()
            .chain(types.iter().copied())
            .collect();
        let place = |number: usize| carried.iter().position(|own| *own == number);
        let region = to.region(&given, |to, given| {
            let old = arguments(body);
            to.bind(old[0], vec![given[0]]);
            for (number, new) in carried.iter().zip(&given[1..]) {
                to.bind(old[1 + number], vec![*new]);
            }
            for (one, begin) in &moving {
                let at = given[1 + place(one.number).expect("it is carried")];
                let value = moved(&mut to.builder, *begin, at);
                to.bind(old[1 + one.number], vec![value]);
            }
            for (one, begin, (times, scalar)) in &counted {
                let ty = distance_type(&to.builder, *begin);
                let bits = element_bits(ty) as u32;
                let mut by = to.builder.int_cast(given[0], bits, true);
                if constant_of(operand(operation, 0)) != Some(0) {
                    let first = to.builder.int_cast(all[0], bits, true);
                    by = to.builder.binary("arith.subi", by, first);
                }
                if let Some(scalar) = scalar {
                    let scalar = to.one(*scalar);
                    let scalar = to.builder.int_cast(scalar, bits, true);
                    by = to.builder.multiply(by, scalar);
                }
                if *times != 1 {
                    let times = to.builder.constant_int(*times, ty);
                    by = to.builder.multiply(by, times);
                }
                let value = moved(&mut to.builder, *begin, by);
                to.bind(old[1 + one.number], vec![value]);
            }
            let inside = operations(body);
            let (last, inside) = inside.split_last().expect("a loop yields");
            for operation in inside {
                to.operation(self, *operation)?;
            }
            let last = operands(*last);
            let mut next = Vec::new();
            for number in &carried {
                let one = moving.iter().find(|(one, _)| one.number == *number);
                next.push(match one {
                    Some((one, _)) => {
                        let at = given[1 + next.len()];
                        let distance = one.by.build(to, at.r#type());
                        to.builder.add(at, distance)
                    }
                    None => to.one(last[*number]),
                });
            }
            to.builder.insert("scf.yield", &next, &[], &[]);
            Ok(())
        })?;
        let attributes = attributes(operation);
        let new =
            to.builder
                .insert_with_regions("scf.for", &all, &attributes, &types, vec![region]);
        let new = results(new);
        for (number, old) in results(operation).into_iter().enumerate() {
            let Some(place) = place(number) else {
                continue;
            };
            let mut value = new[place];
            if let Some((_, begin)) = moving.iter().find(|(one, _)| one.number == number) {
                value = moved(&mut to.builder, *begin, value);
            }
            to.bind(old, vec![value]);
        }
        Ok(true)
    }
}
