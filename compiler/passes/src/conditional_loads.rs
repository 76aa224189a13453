//! `conditional-loads`: what a product under a condition multiplies is loaded before the condition.
//!
//! ```text
//! for … { if c { x = load(t[at, :]); … dot(x, …) … } }
//!   ⇒  for … { x = load(t[c ? at : end, :]); if c { … dot(x, …) … } }
//! ```
//!
//! Loops load what later iterations multiply while they compute ([`pipeline`](crate::pipeline)), but not what only some
//! iterations load. Where the condition does not hold the load begins behind the tensor: all of it is out of
//! bounds, so no memory is read, and nobody looks at what comes of it. What is loaded through pointers has the condition in its mask.
//!
//! Loads of tensors that the kernel may write to stay, and so do those that count on the condition for their bounds, and
//! those that say how they are cached, which no loop loads ahead.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, ValueLike};

use super::{PassContext, element_bits, is_tile, rebuild_functions};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Load, LoadView};
use crate::dialect::{TileOp, UNBOUNDED, is_integer_division, is_pure, kinds, predicates};
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Block, Operation, Value, address, name, operand, operands, operations, region_block, result,
};
use crate::load_if::load_if;
use crate::writes::{is_unwritten, written};

/// Starts that are behind a tensor are a multiple of this, as those of most tiles are: less would make accesses narrower.
const MULTIPLE: i64 = 64;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions(cx, &module, |function| {
        Ok(Lift {
            written: written(function),
        })
    })
}

struct Lift {
    written: Option<HashSet<usize>>,
}

/// A block that runs under a condition, in each iteration of a loop.
struct Arm<'c> {
    block: Block<'c>,
    /// The body of the loop.
    body: Block<'c>,
    /// The condition in the new function, and whether it holds in the block.
    condition: (Value<'c>, bool),
    multiplies: bool,
}

impl<'c> Arm<'c> {
    /// The arms of a branch in a loop that have a product, or only compute what is cheap of what they load.
    fn of(branch: Operation<'c>, to: &Rebuilder<'c>) -> Vec<Self> {
        let body = branch.block().map(crate::ffi::block);
        let body = body.filter(|body| {
            let parent = body.parent_operation().map(crate::ffi::operation);
            name(branch) == "scf.if" && parent.is_some_and(|of| name(of) == "scf.for")
        });
        let Some(body) = body else {
            return Vec::new();
        };
        let blocks =
            [(0, true), (1, false)].map(|(index, holds)| (region_block(branch, index), holds));
        let arms = blocks.into_iter().filter_map(|(block, holds)| {
            let block = block?;
            let condition = (to.one(operand(branch, 0)), holds);
            let is_product =
                |inside: &Operation<'_>| matches!(TileOp::of(*inside), Some(TileOp::Dot(_)));
            let is_cheap = |inside: &Operation<'_>| {
                let loads = matches!(
                    TileOp::of(*inside),
                    Some(TileOp::LoadView(_) | TileOp::Load(_))
                );
                loads || name(*inside) == "scf.yield" || is_pure(name(*inside))
            };
            let inside = operations(block);
            let multiplies = inside.iter().any(is_product);
            (multiplies || inside.iter().all(is_cheap)).then_some(Self {
                block,
                body,
                condition,
                multiplies,
            })
        });
        arms.collect()
    }

    /// Whether a load is worth having ahead: without products one that is the same in each iteration is for few of them, as what a loop begins with.
    fn is_worth_it(&self, load: Operation<'c>) -> bool {
        let (mut seen, mut open) = (HashSet::new(), operands(load));
        while let Some(value) = open.pop() {
            let Some(from) = defining_operation(value) else {
                if argument_owner(value).and_then(|owner| region_block(owner, 0)) == Some(self.body)
                {
                    return true;
                }
                continue;
            };
            if seen.insert(address(from)) {
                open.extend(operands(from));
            }
        }
        self.multiplies
    }

    fn has(&self, operation: Operation<'c>) -> bool {
        operation.block().map(crate::ffi::block) == Some(self.block)
    }

    /// The dimension along which a load can begin behind its tensor: the outermost one whose start is of the iteration, as those
    /// of others cost nothing there so far.
    fn dimension(&self, load: LoadView<'c>) -> Option<usize> {
        let starts = load.starts();
        let kinds = load.kinds();
        let sizes = load.sizes();
        let is_bounded = |axis: usize| constant_of(sizes[axis]) != Some(UNBOUNDED);
        let one: Vec<_> = (0..starts.len())
            .filter(|axis| kinds.get(*axis) != Some(&kinds::POSITIONS) && is_bounded(*axis))
            .collect();
        let is_of_iteration = |axis: &usize| {
            let of = match defining_operation(starts[*axis]) {
                Some(source) => source.block().map(crate::ffi::block),
                None => argument_owner(starts[*axis]).and_then(|owner| region_block(owner, 0)),
            };
            of == Some(self.body) || of == Some(self.block)
        };
        one.iter()
            .copied()
            .find(is_of_iteration)
            .or(one.first().copied())
    }
}

impl Lift {
    /// What a load under a condition needs there, and itself, if all of it may run where the condition does not hold.
    fn liftable<'c>(&self, arm: &Arm<'c>, load: Operation<'c>) -> Option<Vec<Operation<'c>>> {
        let mut list = Vec::new();
        self.may_run(arm, load, &mut list).then_some(list)
    }

    /// Whether an operation of an arm may run where the condition does not hold; `list` gets what it needs, and itself.
    fn may_run<'c>(
        &self,
        arm: &Arm<'c>,
        operation: Operation<'c>,
        list: &mut Vec<Operation<'c>>,
    ) -> bool {
        if !arm.has(operation)
            || list
                .iter()
                .any(|other| address(*other) == address(operation))
        {
            return true;
        }
        let may = match TileOp::of(operation) {
            Some(TileOp::LoadView(load)) => self.may_begin_behind(arm, load),
            Some(TileOp::Load(load)) => self.may_be_masked(load),
            _ => is_pure(name(operation)) && operation.region_count() == 0 && has_result(operation),
        };
        let sources = operands(operation)
            .into_iter()
            .filter_map(defining_operation);
        let may = may
            && sources
                .into_iter()
                .all(|source| self.may_run(arm, source, list));
        list.push(operation);
        may
    }

    /// Whether a load reads nothing where it begins behind its tensor, and gives the same before the condition as under it.
    fn may_begin_behind<'c>(&self, arm: &Arm<'c>, load: LoadView<'c>) -> bool {
        let is_plain = load.cache().is_empty() && load.evict().is_empty();
        let may = self.is_unwritten(load.base()) && is_plain;
        may && load.checked() != 0 && arm.dimension(load).is_some()
    }

    /// Whether a load through pointers gives the same before the condition as under it.
    fn may_be_masked(&self, load: Load<'_>) -> bool {
        let is_plain = load.cache().is_empty() && load.evict().is_empty();
        self.is_unwritten(load.pointers()) && is_plain
    }

    fn is_unwritten(&self, pointers: Value<'_>) -> bool {
        let written = self.written.as_ref();
        written.is_some_and(|written| is_unwritten(pointers, written))
    }
}

/// Builds a load of an arm that begins behind its tensor along `axis` where the condition does not hold.
fn view_before<'c>(to: &mut Rebuilder<'c>, arm: &Arm<'c>, load: LoadView<'c>, axis: usize) {
    let mut list: Vec<_> = operands(load.0)
        .into_iter()
        .map(|value| to.one(value))
        .collect();
    let (start, size) = (to.one(load.starts()[axis]), to.one(load.sizes()[axis]));
    let ty = start.r#type();
    let builder = &mut to.builder;
    let size = builder.int_cast(size, element_bits(ty) as u32, true);
    let [multiple, more] = [MULTIPLE, MULTIPLE - 1].map(|value| builder.constant_int(value, ty));
    let behind = builder.add(size, more);
    let behind = builder.binary("arith.divui", behind, multiple);
    let behind = builder.multiply(behind, multiple);
    let (condition, holds) = arm.condition;
    let [start, other] = match holds {
        true => [start, behind],
        false => [behind, start],
    };
    // The base comes before the starts.
    list[1 + axis] = builder.select(condition, start, other);
    let new = builder.insert_like(load.0, &list, &[load.result().r#type()], Vec::new());
    to.bind_results(load.0, new);
}

/// Builds a load of an arm through pointers, which has the condition in its mask.
fn load_before<'c>(to: &mut Rebuilder<'c>, arm: &Arm<'c>, load: Load<'c>) {
    let (condition, holds) = arm.condition;
    let holds = to
        .builder
        .constant_int(i64::from(holds), condition.r#type());
    let runs = to.builder.compare_int(predicates::EQ, condition, holds);
    let value = load_if(to, load, runs, &[]);
    to.bind(load.result(), vec![value]);
}

impl<'c> Rewrite<'c> for Lift {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        // What moved before its branch is not built again in it.
        if operation.result_count() == 1 && to.is_bound(result(operation, 0)) {
            return Ok(true);
        }
        for arm in Arm::of(operation, to) {
            let is_load = |inside: &Operation<'c>| {
                let is_any = matches!(
                    TileOp::of(*inside),
                    Some(TileOp::LoadView(_) | TileOp::Load(_))
                );
                is_any && is_tile(result(*inside, 0))
            };
            let loads = operations(arm.block).into_iter().filter(is_load);
            for load in loads.filter(|load| arm.is_worth_it(*load)) {
                for needed in self.liftable(&arm, load).unwrap_or_default() {
                    if to.is_bound(result(needed, 0)) {
                        continue;
                    }
                    to.builder.set_location(needed.location());
                    match TileOp::of(needed) {
                        Some(TileOp::LoadView(load)) => {
                            if let Some(axis) = arm.dimension(load) {
                                view_before(to, &arm, load, axis);
                            }
                        }
                        Some(TileOp::Load(load)) => load_before(to, &arm, load),
                        _ => {
                            to.copy(self, needed)?;
                        }
                    }
                }
            }
        }
        to.builder.set_location(operation.location());
        Ok(false)
    }
}

/// Whether an operation has a result for all operands: a quotient may have none.
fn has_result(operation: Operation<'_>) -> bool {
    !is_integer_division(name(operation))
        || constant_of(operand(operation, 1)).is_some_and(|by| !matches!(by, 0 | -1))
}
