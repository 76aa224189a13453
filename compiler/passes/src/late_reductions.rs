//! `late-reductions`: what a loop combines of reductions is combined across threads behind it.
//!
//! ```text
//! for … iter_args(%acc = %init) { %s = tile.reduce %x axis 0;  yield %acc * %c + %s }
//!   ⇒  for … iter_args(%parts = 0) { %s = tile.reduce %x axis 0 {partial};  yield %parts * %c + %s }
//!      %acc = %init + tile.reduce %parts axis 0
//! ```
//!
//! Each thread keeps what it has combined itself, in as many registers as the result took, and the loop has no shuffles and no barriers for it. The order in
//! which numbers are added changes by that, which the language leaves open. A factor, as that of a running softmax, is the same for all
//! parts of a result; parts that cancel must not become infinite by it, so that it has to be known to be small.

use std::collections::{HashMap, HashSet};

use melior::ir::attribute::{ArrayAttribute, Attribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Module, Type, ValueLike};

use super::encoding::{Encodings, with_layout};
use super::{LOOP_RANGE, PassContext, each_operation, functions, rebuild_functions, uses};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Convert, Reduce};
use crate::dialect::{THREADS_APART, predicates};
use crate::facts::{constant_number, float_range_of};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, TileType, Value, ValueKey, address, arguments, attributes, element_type, key,
    name, operands, operations, region_block, result, results,
};
use crate::layout::Layout;

/// A factor that is computed and known to be at most 1 is at most this, as far as ranges say.
const LARGEST_FACTOR: f64 = 1.0 + 1.0 / 1024.0;

/// Loops in loops that one sum goes through at most.
const MOST_NESTED: usize = 4;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, mut module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    // What is behind a loop may be in another one.
    for _ in 0..MOST_NESTED {
        let mut found = false;
        for function in functions(&module) {
            let users = uses(function);
            each_operation(function, &mut |operation| {
                let mut all = Late::all(&users, operation).into_iter();
                found |= all.any(|late| late.parts(&encodings).is_some());
            });
        }
        if !found {
            break;
        }
        module = rebuild_functions(cx, &module, |function| {
            Ok(LateReductions {
                cx,
                encodings: &encodings,
                users: uses(function),
                steps: HashMap::new(),
                carried: HashMap::new(),
            })
        })?;
    }
    Ok(module)
}

/// The reductions of a function that are late, if threads have parts of the same results at all: they cost a loop no shuffles, and none of its threads waits for another one.
pub fn late(function: Operation<'_>) -> HashSet<usize> {
    let users = uses(function);
    let mut found = HashSet::new();
    each_operation(function, &mut |operation| {
        found.extend(
            Late::all(&users, operation)
                .iter()
                .map(|late| address(late.reduce.0)),
        );
    });
    found
}

/// A value that a loop carries, and combines with a reduction in each iteration.
struct Late<'c> {
    /// Which of those that it carries.
    number: usize,
    reduce: Reduce<'c>,
    /// What brings its result to where the loop has it.
    convert: Option<Convert<'c>>,
    /// What multiplies the value before, and by what.
    scale: Option<(Operation<'c>, Value<'c>)>,
    /// What combines both.
    combine: Operation<'c>,
}

impl<'c> Late<'c> {
    /// Those of an operation, if it is a loop.
    fn all(users: &HashMap<ValueKey, Vec<Operation<'c>>>, operation: Operation<'c>) -> Vec<Self> {
        let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
            return Vec::new();
        };
        let next = operations(body).last().map(|last| operands(*last));
        let carried = arguments(body).into_iter().skip(1);
        let each = carried.zip(next.into_iter().flatten()).enumerate();
        each.filter_map(|(number, pair)| Self::of(users, body, number, pair))
            .collect()
    }

    /// The layout of the parts, if threads have parts of the same results.
    fn parts(&self, encodings: &Encodings) -> Option<Layout> {
        let operand = self.reduce.operands()[0];
        parts(&encodings.layout(operand), self.reduce.axis() as usize)
    }

    fn of(
        users: &HashMap<ValueKey, Vec<Operation<'c>>>,
        body: Block<'c>,
        number: usize,
        (carried, next): (Value<'c>, Value<'c>),
    ) -> Option<Self> {
        let is_once =
            |value: Value<'c>| users.get(&key(value)).is_some_and(|users| users.len() == 1);
        let here = |value: Value<'c>| {
            let from = defining_operation(value)?;
            (from.block().map(crate::ffi::block) == Some(body)).then_some(from)
        };
        let combine = here(next).filter(|_| is_once(next) && is_once(carried))?;
        if !may_be_reordered(combine) {
            return None;
        }
        let [left, right] = operands(combine)[..] else {
            return None;
        };
        // What the value before is there, and its factor.
        let before = |value: Value<'c>| {
            if key(value) == key(carried) {
                return Some(None);
            }
            let scale = here(value).filter(|scale| name(*scale) == "arith.mulf")?;
            let [left, right] = operands(scale)[..] else {
                return None;
            };
            let factor = match (key(left) == key(carried), key(right) == key(carried)) {
                (true, false) => right,
                (false, true) => left,
                _ => return None,
            };
            (is_once(value) && is_small(factor) && name(combine) == "arith.addf")
                .then_some(Some((scale, factor)))
        };
        let (scale, mut given) = match (before(left), before(right)) {
            (Some(scale), None) => (scale, right),
            (None, Some(scale)) => (scale, left),
            _ => return None,
        };
        let mut from = here(given).filter(|_| is_once(given))?;
        let convert = Convert::of(from).filter(|_| scale.is_none());
        if let Some(convert) = convert {
            given = convert.operand();
            from = here(given).filter(|_| is_once(given))?;
        }
        let reduce = Reduce::of(from)?;
        let is_alone = reduce.operands().len() == 1 && reduce.partial() == 0;
        let is_known = is_alone && combines_by(reduce, name(combine));
        (is_known && identity(reduce).is_some()).then_some(Self {
            number,
            reduce,
            convert,
            scale,
            combine,
        })
    }
}

/// Whether a factor is no larger than 1, whatever its sign.
fn is_small(factor: Value<'_>) -> bool {
    if let Some(number) = constant_number(factor) {
        return number.abs() <= 1.0;
    }
    let (low, high) = float_range_of(factor);
    low > -LARGEST_FACTOR && high < LARGEST_FACTOR
}

/// What changes nothing in a reduction of one tile, if that is known. Of a function of the program it is said to be 0, which is so of sums and of bits that one of two has.
fn identity<'c>(reduce: Reduce<'c>) -> Option<Attribute<'c>> {
    let list = ArrayAttribute::try_from(reduce.identity()?).ok()?;
    let identity = list.element(0).ok()?;
    let only = operations(region_block(reduce.0, 0)?).first().copied()?;
    let text = identity.to_string();
    let number = text
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok());
    let is_zero = number == Some(0.0) || text == "false";
    let keeps_zero = ["arith.addf", "arith.addi", "arith.ori", "arith.xori"].contains(&name(only));
    (keeps_zero == is_zero).then_some(identity)
}

/// Whether what an operation combines may be combined in another order: numbers of few bits would be rounded to other ones, or be too large.
fn may_be_reordered(combine: Operation<'_>) -> bool {
    let element = operands(combine)
        .first()
        .map(|value| element_type(value.r#type()).to_string());
    match name(combine) {
        "arith.addf" => matches!(element.as_deref(), Some("f32" | "f64")),
        "arith.addi" | "arith.andi" | "arith.ori" | "arith.xori" | "arith.maxnumf"
        | "arith.minnumf" | "arith.maxsi" | "arith.minsi" | "arith.maxui" | "arith.minui" => true,
        _ => false,
    }
}

/// Whether a reduction's function is this operation alone.
fn combines_by(reduce: Reduce<'_>, operation: &str) -> bool {
    let Some(body) = region_block(reduce.0, 0) else {
        return false;
    };
    let [only, end] = operations(body)[..] else {
        return false;
    };
    let given: Vec<_> = arguments(body).into_iter().map(key).collect();
    let mut taken: Vec<_> = operands(only).into_iter().map(key).collect();
    if taken != given {
        taken.reverse();
    }
    let yielded: Vec<_> = operands(end).into_iter().map(key).collect();
    let made: Vec<_> = results(only).into_iter().map(key).collect();
    name(only) == operation && taken == given && yielded == made
}

/// The layout of what each thread has of a tile along an axis, if threads have parts of the same results.
fn parts(layout: &Layout, axis: usize) -> Option<Layout> {
    let inside = layout.remove_dimension(axis).insert_dimension(axis);
    let mut next = 1u32;
    let mut apart = |own: &[Vec<u32>], inside: &[Vec<u32>]| -> Vec<Vec<u32>> {
        let each = own.iter().zip(inside);
        each.map(|(own, inside)| {
            let mut basis = inside.clone();
            if own[axis] != 0 {
                basis[axis] = next;
                next *= 2;
            }
            basis
        })
        .collect()
    };
    let lanes = apart(layout.lane_bases(), inside.lane_bases());
    let warps = apart(layout.warp_bases(), inside.warp_bases());
    if next == 1 {
        return None;
    }
    let mut shape = inside.shape().to_vec();
    shape[axis] = next.into();
    let registers = inside.register_bases().to_vec();
    let made = Layout::new(shape, registers, lanes, warps);
    made.and_then(|made| made.with_warp_count(layout.warp_count()))
        .ok()
}

/// What an operation of a loop becomes.
#[derive(Clone, Copy)]
enum Step<'c> {
    /// The reduction: parts, of this type.
    Partial(Type<'c>),
    /// The product with the value before: of parts, by this, which is the same along an axis.
    Scale(Type<'c>, Value<'c>, usize),
    /// What brought the result elsewhere: nothing.
    Nothing,
    /// What combines: parts.
    Combine(Type<'c>),
}

struct LateReductions<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
    steps: HashMap<usize, Step<'c>>,
    /// The types of the parts that loops carry.
    carried: HashMap<ValueKey, Type<'c>>,
}

impl<'c> LateReductions<'_, '_, 'c> {
    /// A value, the same for all parts of a result, for each of them.
    fn for_parts(
        &self,
        builder: &mut Builder<'c>,
        value: Value<'c>,
        axis: usize,
        ty: Type<'c>,
    ) -> Value<'c> {
        if TileType::of(value).is_none() {
            return builder.value("tile.splat", &[value], &[], ty);
        }
        let one = self.encodings.of_type(ty).project(axis);
        let one = with_layout(self.cx.context, value.r#type(), &one);
        let at = builder.int(axis as i64);
        let expanded = builder.value("tile.expand", &[value], &[("axis", at)], one);
        builder.value("tile.broadcast", &[expanded], &[], ty)
    }

    /// What the parts begin with: what changes nothing, or where they are multiplied what the loop began with, in one of them.
    fn begin(
        &self,
        to: &mut Rebuilder<'c>,
        late: &Late<'c>,
        parts: &Layout,
        begin: Value<'c>,
    ) -> Value<'c> {
        let axis = late.reduce.axis() as usize;
        let ty = with_layout(self.cx.context, begin.r#type(), parts);
        let element = element_type(ty);
        let builder = &mut to.builder;
        let identity = identity(late.reduce).expect("it was found with one");
        let neutral = builder.value("arith.constant", &[], &[("value", identity)], element);
        let neutral = builder.value("tile.splat", &[neutral], &[], ty);
        if late.scale.is_none() {
            return neutral;
        }
        let whole = self.for_parts(builder, begin, axis, ty);
        if constant_number(begin) == Some(0.0) {
            return whole;
        }
        let mut along = parts.clone();
        for other in (0..parts.rank()).rev().filter(|other| *other != axis) {
            along = along.remove_dimension(other);
        }
        let word = builder.int_type(32);
        let numbers = with_layout(self.cx.context, word, &along);
        let lo = builder.int(0);
        let number = builder.value("tile.arange", &[], &[("lo", lo)], numbers);
        let zero = builder.constant_int(0, word);
        let zero = builder.value("tile.splat", &[zero], &[], numbers);
        let mut is_first = builder.compare_int(predicates::EQ, number, zero);
        for other in (0..parts.rank()).filter(|other| *other != axis) {
            let layout = self.encodings.layout(is_first).insert_dimension(other);
            let one = with_layout(self.cx.context, is_first.r#type(), &layout);
            let at = builder.int(other as i64);
            is_first = builder.value("tile.expand", &[is_first], &[("axis", at)], one);
        }
        let truths = with_layout(self.cx.context, is_first.r#type(), parts);
        let is_first = match is_first.r#type() == truths {
            true => is_first,
            false => builder.value("tile.broadcast", &[is_first], &[], truths),
        };
        builder.select(is_first, whole, neutral)
    }

    /// What a loop has combined, of the parts that it gives.
    fn end(
        &mut self,
        to: &mut Rebuilder<'c>,
        late: &Late<'c>,
        begin: Value<'c>,
        parts: Value<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let given = late.reduce.result().r#type();
        let mut value = self.reduce(to, late.reduce, parts, given, 0)?;
        if let Some(convert) = late.convert {
            let ty = convert.result().r#type();
            value = to.builder.value("tile.convert", &[value], &[], ty);
        }
        Ok(match late.scale {
            Some(_) => value,
            None => to.builder.binary(name(late.combine), begin, value),
        })
    }

    fn reduce(
        &mut self,
        to: &mut Rebuilder<'c>,
        reduce: Reduce<'c>,
        operand: Value<'c>,
        ty: Type<'c>,
        partial: i64,
    ) -> Result<Value<'c>, Diagnostic> {
        let is_partial = |(name, _): &(&str, Attribute<'c>)| *name == "partial";
        let mut all = attributes(reduce.0);
        all.retain(|one| !is_partial(one));
        all.push(("partial", to.builder.int(partial)));
        let body = region_block(reduce.0, 0).expect("verified region");
        let region = to.region_of(self, body)?;
        let new =
            to.builder
                .insert_with_regions("tile.reduce", &[operand], &all, &[ty], vec![region]);
        Ok(result(new, 0))
    }
}

impl<'c> Rewrite<'c> for LateReductions<'_, '_, 'c> {
    fn types(&mut self, value: Value<'c>) -> Vec<Type<'c>> {
        let parts = self.carried.get(&key(value)).copied();
        vec![parts.unwrap_or_else(|| value.r#type())]
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if let Some(step) = self.steps.get(&address(operation)).copied() {
            let list = operands(operation);
            let value = match step {
                Step::Partial(ty) => {
                    let operand = to.one(list[0]);
                    let reduce = Reduce::of(operation).expect("it was one");
                    self.reduce(to, reduce, operand, ty, THREADS_APART)?
                }
                Step::Nothing => to.one(list[0]),
                Step::Scale(ty, factor, axis) => {
                    let factor_is_last = key(list[1]) == key(factor);
                    let parts = to.one(list[usize::from(!factor_is_last)]);
                    let factor = to.one(factor);
                    let factor = self.for_parts(&mut to.builder, factor, axis, ty);
                    to.builder.value("arith.mulf", &[parts, factor], &[], ty)
                }
                Step::Combine(ty) => {
                    let list: Vec<_> = list.iter().map(|value| to.one(*value)).collect();
                    let new = to.builder.insert_like(operation, &list, &[ty], Vec::new());
                    result(new, 0)
                }
            };
            to.bind(result(operation, 0), vec![value]);
            return Ok(true);
        }
        let all = Late::all(&self.users, operation).into_iter();
        let with_parts = |late: Late<'c>| Some((late.parts(self.encodings)?, late));
        let all: Vec<_> = all.filter_map(with_parts).collect();
        let Some(body) = region_block(operation, 0).filter(|_| !all.is_empty()) else {
            return Ok(false);
        };
        let old = operands(operation);
        let mut list: Vec<_> = old.iter().map(|old| to.one(*old)).collect();
        let mut begins = Vec::new();
        for (parts, late) in &all {
            let place = LOOP_RANGE + late.number;
            begins.push(list[place]);
            list[place] = self.begin(to, late, parts, list[place]);
            let ty = list[place].r#type();
            self.carried
                .insert(key(arguments(body)[1 + late.number]), ty);
            let mut add = |of: Operation<'c>, step| self.steps.insert(address(of), step);
            add(late.reduce.0, Step::Partial(ty));
            add(late.combine, Step::Combine(ty));
            if let Some(convert) = late.convert {
                add(convert.0, Step::Nothing);
            }
            if let Some((scale, factor)) = late.scale {
                let axis = late.reduce.axis() as usize;
                add(scale, Step::Scale(ty, factor, axis));
            }
        }
        let types: Vec<_> = list[LOOP_RANGE..].iter().map(ValueLike::r#type).collect();
        let region = to.region_of(self, body)?;
        let own = attributes(operation);
        let new = to
            .builder
            .insert_with_regions("scf.for", &list, &own, &types, vec![region]);
        let mut given = results(new);
        for ((_, late), begin) in all.iter().zip(begins) {
            given[late.number] = self.end(to, late, begin, given[late.number])?;
        }
        for (old, new) in results(operation).into_iter().zip(given) {
            to.bind(old, vec![new]);
        }
        Ok(true)
    }
}
