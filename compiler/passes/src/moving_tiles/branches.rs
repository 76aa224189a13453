//! What both branches of a condition only move is moved behind it, by a number that the condition chooses.
//!
//! ```text
//! p = if c { p + 64 } else { p - far }  ⇒  p = p + (if c { 64 } else { -far })
//! ```
//!
//! Branches that compute nothing but a few numbers are computed both, and one of each is chosen: where such numbers say what a loop
//! loads, its next iterations can be loaded ahead.

use std::collections::HashMap;

use melior::ir::operation::OperationLike;
use melior::ir::{Module, Type, ValueLike};

use super::{distance_type, moved, uniform};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::is_pure;
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, address, attributes, key, name, operand, operands, operations,
    region_block, results, yielded,
};
use crate::writes::is_pointer;
use crate::{PassContext, each_operation, functions, is_tile, may_be_idle, rebuild_functions};

/// Runs it.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let find = |function| {
        let mut found = HashMap::new();
        each_operation(function, &mut |operation| {
            found.extend(Branch::of(operation).map(|branch| (address(operation), branch)));
        });
        Branches { found }
    };
    let found: Vec<_> = functions(&module).into_iter().map(find).collect();
    if found.iter().all(|one| one.found.is_empty()) {
        return Ok(module);
    }
    let mut found = found.into_iter();
    rebuild_functions(cx, &module, |_| Ok(found.next().expect("one of each")))
}

/// Operations that are computed in vain at most, where both branches are.
const FEW: usize = 16;

/// A result of a condition that both branches only move.
struct Moved<'c> {
    number: usize,
    from: Value<'c>,
    /// What each branch adds to all elements.
    by: [Vec<Value<'c>>; 2],
}

/// A condition that changes.
struct Branch<'c> {
    moved: Vec<Moved<'c>>,
    /// What both branches compute their numbers from, where there is no more.
    numbers: Option<Vec<Operation<'c>>>,
}

struct Branches<'c> {
    /// By the address of the condition.
    found: HashMap<usize, Branch<'c>>,
}

impl<'c> Branch<'c> {
    fn of(operation: Operation<'c>) -> Option<Self> {
        if name(operation) != "scf.if" || results(operation).is_empty() {
            return None;
        }
        let blocks = [region_block(operation, 0)?, region_block(operation, 1)?];
        let [then, otherwise] = blocks;
        let [in_then, in_else] = blocks.map(yielded);
        let is_moved = |(number, (one, other)): (usize, (Value<'c>, Value<'c>))| {
            let (from, by) = distances(one, then);
            let (same, other_by) = distances(other, otherwise);
            let is_it = is_tile(one) || is_pointer(one);
            let any = !by.is_empty() || !other_by.is_empty();
            (is_it && any && key(from) == key(same)).then_some(Moved {
                number,
                from,
                by: [by, other_by],
            })
        };
        let pairs = in_then.into_iter().zip(in_else).enumerate();
        let moved: Vec<_> = pairs.filter_map(is_moved).collect();
        let chooses = !moved.is_empty() || is_carried(operation);
        let branch = Self {
            numbers: numbers(blocks, &moved).filter(|_| chooses),
            moved,
        };
        (!branch.moved.is_empty() || branch.numbers.is_some()).then_some(branch)
    }

    fn moved(&self, number: usize) -> Option<&Moved<'c>> {
        self.moved.iter().find(|one| one.number == number)
    }
}

/// All that two branches compute for what they give, if it is a few numbers, that may be computed in vain, and they do nothing else.
fn numbers<'c>(blocks: [Block<'c>; 2], moved: &[Moved<'c>]) -> Option<Vec<Operation<'c>>> {
    let (mut list, mut given) = (Vec::new(), Vec::new());
    for (which, block) in blocks.into_iter().enumerate() {
        for (number, value) in yielded(block).into_iter().enumerate() {
            match moved.iter().find(|one| one.number == number) {
                Some(one) => {
                    let by = one.by[which].iter();
                    let computed = by.filter(|far| constant_of(**far).is_none());
                    given.extend(computed.filter_map(|far| uniform(*far)));
                }
                None => given.push(value),
            }
        }
    }
    let is_needed = |operation: Operation<'c>, needed: &[Value<'c>]| {
        let own: Vec<_> = results(operation).into_iter().map(key).collect();
        needed.iter().any(|value| own.contains(&key(*value)))
    };
    if given.iter().any(|value| is_tile(*value)) {
        return None;
    }
    for block in blocks {
        let inside = operations(block);
        let (_, inside) = inside.split_last()?;
        if !inside
            .iter()
            .all(|of| is_pure(name(*of)) && of.region_count() == 0)
        {
            return None;
        }
        let mut own = Vec::new();
        for operation in inside.iter().rev() {
            if !is_needed(*operation, &given) {
                continue;
            }
            if !may_be_idle(*operation) || results(*operation).into_iter().any(is_tile) {
                return None;
            }
            given.extend(operands(*operation));
            own.push(*operation);
        }
        list.extend(own.into_iter().rev());
    }
    (list.len() <= FEW).then_some(list)
}

/// Whether all that a condition gives is what the loop around it carries.
fn is_carried(condition: Operation<'_>) -> bool {
    let around = condition.block().map(crate::ffi::block);
    let is_loop = condition
        .parent_operation()
        .is_some_and(|of| name(of) == "scf.for");
    let carried: Vec<_> = around.map(yielded).unwrap_or_default();
    let mut given = results(condition).into_iter();
    is_loop && given.all(|value| carried.iter().any(|other| key(*other) == key(value)))
}

/// What a value of a block was before the block, and what has been added to all of its elements since.
fn distances<'c>(mut value: Value<'c>, block: Block<'c>) -> (Value<'c>, Vec<Value<'c>>) {
    let mut by = Vec::new();
    let is_here = |of: &Operation<'c>| of.block().map(crate::ffi::block) == Some(block);
    while let Some(sum) = defining_operation(value).filter(is_here) {
        if !matches!(name(sum), "tile.pointer_offset" | "arith.addi") {
            break;
        }
        let sides = [0, 1].map(|number| operand(sum, number));
        let [from, far] = match name(sum) {
            "tile.pointer_offset" | "arith.addi" if uniform(sides[1]).is_some() => sides,
            "arith.addi" if uniform(sides[0]).is_some() => [sides[1], sides[0]],
            _ => break,
        };
        by.push(far);
        value = from;
    }
    (value, by)
}

/// What a branch gives, with distances in place of what is moved by them.
fn given<'c>(
    to: &mut Rebuilder<'c>,
    block: Block<'c>,
    branch: &Branch<'c>,
    which: usize,
    types: &[Type<'c>],
) -> Vec<Value<'c>> {
    let mut list = Vec::new();
    for (number, old) in yielded(block).into_iter().enumerate() {
        let value = match branch.moved(number) {
            Some(one) => {
                let none = to.builder.constant_int(0, types[number]);
                let by = one.by[which].iter();
                by.fold(none, |sum, far| {
                    let far = distance(to, *far, types[number]);
                    to.builder.add(sum, far)
                })
            }
            None => to.one(old),
        };
        list.push(value);
    }
    list
}

/// What is added to all elements, as a number of a type.
fn distance<'c>(to: &mut Rebuilder<'c>, far: Value<'c>, ty: Type<'c>) -> Value<'c> {
    if let Some(constant) = constant_of(far) {
        return to.builder.constant_int(constant, ty);
    }
    let scalar = to.one(uniform(far).expect("it is the same for all"));
    match scalar.r#type() == ty {
        true => scalar,
        false => to.builder.int_cast(scalar, 64, true),
    }
}

impl<'c> Rewrite<'c> for Branches<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(branch) = self.found.remove(&address(operation)) else {
            return Ok(false);
        };
        let old = results(operation);
        let mut types: Vec<_> = old.iter().map(ValueLike::r#type).collect();
        for one in &branch.moved {
            types[one.number] = distance_type(&to.builder, old[one.number]);
        }
        let condition = to.one(operand(operation, 0));
        let blocks = [0, 1].map(|which| region_block(operation, which).expect("it has both"));
        let new = match &branch.numbers {
            Some(all) => {
                for operation in all {
                    to.operation(self, *operation)?;
                }
                let [then, otherwise] =
                    [0, 1].map(|which| given(to, blocks[which], &branch, which, &types));
                let pairs = then.into_iter().zip(otherwise);
                pairs
                    .map(|(then, otherwise)| to.builder.select(condition, then, otherwise))
                    .collect()
            }
            None => {
                let mut regions = Vec::new();
                for (which, block) in blocks.into_iter().enumerate() {
                    let region = to.region(&[], |to, _| {
                        let inside = operations(block);
                        let (_, inside) = inside.split_last().expect("a branch yields");
                        for operation in inside {
                            to.operation(self, *operation)?;
                        }
                        let list = given(to, block, &branch, which, &types);
                        to.builder.insert("scf.yield", &list, &[], &[]);
                        Ok(())
                    })?;
                    regions.push(region);
                }
                let all = attributes(operation);
                let new =
                    to.builder
                        .insert_with_regions("scf.if", &[condition], &all, &types, regions);
                results(new)
            }
        };
        for (number, (old, new)) in old.into_iter().zip(new).enumerate() {
            let value = match branch.moved(number) {
                Some(one) => {
                    let from = to.one(one.from);
                    moved(&mut to.builder, from, new)
                }
                None => new,
            };
            to.bind(old, vec![value]);
        }
        Ok(true)
    }
}
