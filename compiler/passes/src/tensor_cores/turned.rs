//! Products whose right operand is computed become those of the transposed operands.
//!
//! ```text
//! %s = scf.for … iter_args(%x = %a) { … scf.yield tile.dot(%l, %r, %x) }
//!   ⇒  %t = scf.for … iter_args(%x = permute %a) { … scf.yield tile.dot(permute %r, permute %l, %x) }
//!      %s = permute %t
//! ```
//!
//! `wgmma` takes its left operand alone from registers (PTX ISA, "wgmma.mma_async"). A right operand that is computed
//! in every iteration, as weights of few bits are, would go through shared memory once more, and all threads would wait
//! for it. Turned around, each thread computes what it multiplies, in the layout that `layouts` finds for it. The
//! sums are transposed, which layouts say without moving anything, and rows are put together once, after the loop.
//!
//! So are those of so few rows that `wgmma` has no instructions for them as they are: 16 rows times 64 columns are 64 times 16. They are worth it where threads read whole words (H200,
//! 16 x 4096 x 4096 with codes of 4 bits: 39 to 25 us; with weights of 8 bits 16 x 8192 x 8192 39 to 45).
//!
//! That is done in loops which carry the sums and do nothing else with them, or sums of what they compute of them, as of products that have scales, where the left operand is only
//! loaded.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Module, Type, ValueLike};

use super::{PRODUCTS_OF_16_BITS, is_load, most_sums};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{DotPath, RemarkKind};
use crate::dialect::TileOp;
use crate::dialect::ops::{Dot, Permute};
use crate::facts::FactAnalysis;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, arguments, attributes, int_attribute, key, name,
    operands, operations, region_block, results,
};
use crate::layout::descriptor::STEP_BYTES;
use crate::layout::mma::{WARPGROUP, WARPGROUP_M, warpgroup_columns};
use crate::layouts::{Operand, warps};
use crate::{
    PassContext, each_operation, element_bytes, function_name, functions, is_positive_zero,
    rebuild_functions, uses,
};

/// Turns what can be turned.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let mut found = functions(&module)
        .into_iter()
        .map(|function| Swap::find(cx, function))
        .collect::<Vec<_>>()
        .into_iter();
    if found.as_slice().iter().all(|swap| swap.dots.is_empty()) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |_| Ok(found.next().unwrap_or_default()))
}

/// The products of a function that are turned.
#[derive(Default)]
struct Swap {
    dots: HashSet<usize>,
    /// Those of them that add to nothing, and are transposed again where they are.
    alone: HashSet<usize>,
    /// The loops of the others, with the numbers of the sums that these carry.
    loops: HashMap<usize, Vec<usize>>,
    /// Sums as arguments of the loops.
    carried: HashSet<ValueKey>,
    /// What transposed operands for these products alone.
    unused: HashSet<usize>,
}

impl Swap {
    fn find<'c>(cx: &PassContext<'_, 'c>, function: Operation<'c>) -> Self {
        let mut swap = Self::default();
        let mut products = Vec::new();
        let has_warpgroups = most_sums(cx, function) > 0;
        each_operation(function, &mut |operation| match TileOp::of(operation) {
            Some(TileOp::Dot(dot)) if has_warpgroups && may_turn(dot) => products.push(dot),
            _ => {}
        });
        if products.is_empty() {
            return swap;
        }
        let facts = FactAnalysis::new(function);
        let users = uses(function);
        let warps = warps(function, &facts, cx.target).max(WARPGROUP);
        for dot in products {
            let operand = Operand {
                dot,
                computed: dot.right(),
                other: dot.left(),
                is_right: true,
            };
            let found = sums(dot, &users);
            let is_alone = found.is_none() && adds_up(dot, &users);
            let is_turned = (found.is_some() || is_alone)
                && fits(dot)
                && operand.loads(&facts, &users, cx.target, warps).is_some()
                && (dot.path() == "wgmma" || operand.is_read_in_words(&facts, &users));
            let span = Some(cx.span(dot.0.location()));
            let remark = |kind| cx.remark(function_name(function), span, kind);
            if dot.path() == "mma" {
                let path = match is_turned {
                    true => "wgmma",
                    false => PRODUCTS_OF_16_BITS,
                };
                remark(super::remark(dot, DotPath::TensorCores(path)));
            }
            if !is_turned {
                continue;
            }
            swap.dots.insert(address(dot.0));
            match found {
                Some((around, number, argument)) => {
                    swap.loops.entry(address(around)).or_default().push(number);
                    swap.carried.insert(key(argument));
                }
                None => _ = swap.alone.insert(address(dot.0)),
            }
            let permutes = [dot.left(), dot.right()].into_iter().filter_map(transposes);
            let for_this = permutes.filter(|permute| {
                let users = users.get(&key(permute.result()));
                users.is_some_and(|users| users.len() == 1)
            });
            swap.unused
                .extend(for_this.map(|permute| address(permute.0)));
            remark(RemarkKind::OperandSwap);
        }
        swap
    }
}

/// The loop that carries a product's sums, if it does nothing else with them, their number and its argument.
fn sums<'c>(
    dot: Dot<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> Option<(Operation<'c>, usize, Value<'c>)> {
    let around = dot.0.parent_operation().map(crate::ffi::operation)?;
    if name(around) != "scf.for" {
        return None;
    }
    let body = region_block(around, 0)?;
    let carried = arguments(body);
    let number = carried
        .iter()
        .skip(1)
        .position(|argument| key(*argument) == key(dot.accumulator()))?;
    let yielded = operations(body).last().map(|last| operands(*last))?;
    let is_yielded = key(*yielded.get(number)?) == key(dot.result());
    let once = |value: Value<'c>| users.get(&key(value)).is_some_and(|users| users.len() == 1);
    let is_sum = is_yielded && once(dot.result()) && once(dot.accumulator());
    is_sum.then_some((around, number, dot.accumulator()))
}

/// Whether a product adds to nothing, and a loop carries no more of it than sums of what is computed of its elements, as of products with scales.
fn adds_up<'c>(dot: Dot<'c>, users: &HashMap<ValueKey, Vec<Operation<'c>>>) -> bool {
    if !is_positive_zero(dot.accumulator()) {
        return false;
    }
    let body = dot.0.block().map(crate::ffi::block);
    let (mut left, mut is_carried) = (vec![dot.result()], false);
    let mut seen = HashSet::new();
    while let Some(value) = left.pop() {
        for user in users.get(&key(value)).into_iter().flatten() {
            let is_here = user.block().map(crate::ffi::block) == body;
            match name(*user) {
                "scf.yield" if is_here => is_carried = true,
                "arith.addf" | "arith.mulf" | "math.fma" if is_here => {
                    if seen.insert(address(*user)) {
                        left.extend(results(*user));
                    }
                }
                _ => return false,
            }
        }
    }
    is_carried
}

/// Whether a product is on `wgmma`, or would be if it were turned.
fn may_turn(dot: Dot<'_>) -> bool {
    dot.path() == "wgmma" || dot.path() == "mma" && is_narrow(dot)
}

/// Whether a product of what is loaded has too few rows for `wgmma`, which counts them by 64, but may have as many columns.
pub fn is_narrow(dot: Dot<'_>) -> bool {
    let shape = TileType::of(dot.left()).map(TileType::shape);
    let bytes = element_bytes(dot.left().r#type());
    let of =
        |shape: Vec<u64>| shape[0] < WARPGROUP_M && shape[1].is_multiple_of(STEP_BYTES / bytes);
    let loaded = transposes(dot.left()).map_or(dot.left(), |permute| permute.operand());
    bytes == 2 && is_load(loaded) && shape.is_some_and(of)
}

/// Whether `wgmma` has instructions for the turned product. Elements of other sizes than 16 bits have to lie
/// along K in shared memory.
fn fits(dot: Dot<'_>) -> bool {
    let shape = |value| TileType::of(value).map(TileType::shape).unwrap_or_default();
    let (left, right) = (shape(dot.left()), shape(dot.right()));
    let ([m, _], [_, n]) = (left.as_slice(), right.as_slice()) else {
        return false;
    };
    let bytes = element_bytes(dot.left().r#type());
    let is_load = matches!(
        defining_operation(dot.left()).and_then(TileOp::of),
        Some(TileOp::Load(_))
    );
    let is_integer = crate::ir::element_type(dot.left().r#type()).is_integer();
    n.is_multiple_of(WARPGROUP_M)
        && warpgroup_columns(*m, is_integer).is_some()
        && (bytes == 2 || is_load)
        && int_attribute(dot.0, "apart").is_none()
}

/// The type of the transposed tile.
fn transposed(ty: Type<'_>) -> Type<'_> {
    TileType::from_type(ty).map_or(ty, |tile| {
        let mut shape = tile.shape();
        shape.reverse();
        TileType::new(&shape, tile.element(), tile.encoding()).ty()
    })
}

/// The transposed tile of a new value.
fn permute<'c>(to: &mut Rebuilder<'c>, value: Value<'c>) -> Value<'c> {
    let permutation = [("permutation", to.builder.ints(&[1, 0]))];
    let ty = transposed(value.r#type());
    to.builder.value("tile.permute", &[value], &permutation, ty)
}

/// What transposes an operand.
fn transposes(operand: Value<'_>) -> Option<Permute<'_>> {
    let permute = Permute::of(defining_operation(operand)?)?;
    (permute.permutation() == [1, 0]).then_some(permute)
}

/// The transposed tile of an operand: what it is the transposed tile of, if it is.
fn turned<'c>(to: &mut Rebuilder<'c>, operand: Value<'c>) -> Value<'c> {
    match transposes(operand) {
        Some(permute) => to.one(permute.operand()),
        None => {
            let value = to.one(operand);
            permute(to, value)
        }
    }
}

impl<'c> Rewrite<'c> for Swap {
    fn types(&mut self, value: Value<'c>) -> Vec<Type<'c>> {
        match self.carried.contains(&key(value)) {
            true => vec![transposed(value.r#type())],
            false => vec![value.r#type()],
        }
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.unused.contains(&address(operation)) {
            return Ok(true);
        }
        let all = attributes(operation);
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation)
            && self.dots.contains(&address(operation))
        {
            let ty = transposed(dot.result().r#type());
            let is_alone = self.alone.contains(&address(operation));
            let list = [
                turned(to, dot.right()),
                turned(to, dot.left()),
                match is_alone {
                    true => to.builder.zero(ty),
                    false => to.one(dot.accumulator()),
                },
            ];
            let mut all = all;
            all.retain(|(name, _)| *name != "path");
            all.push(("path", to.builder.text("wgmma")));
            let mut product = to.builder.value("tile.dot", &list, &all, ty);
            if is_alone {
                product = permute(to, product);
            }
            to.bind(dot.result(), vec![product]);
            return Ok(true);
        }
        let Some(numbers) = self.loops.get(&address(operation)).cloned() else {
            return Ok(false);
        };
        let mut list: Vec<_> = operands(operation).iter().map(|old| to.one(*old)).collect();
        let mut types: Vec<_> = results(operation).iter().map(ValueLike::r#type).collect();
        for number in &numbers {
            // The range comes first.
            let initial = operands(operation)[3 + number];
            list[3 + number] = match is_positive_zero(initial) {
                true => to.builder.zero(transposed(initial.r#type())),
                false => permute(to, list[3 + number]),
            };
            types[*number] = transposed(types[*number]);
        }
        let regions = to.regions(self, operation)?;
        let new = to
            .builder
            .insert_with_regions(name(operation), &list, &all, &types, regions);
        for (number, (old, new)) in results(operation).into_iter().zip(results(new)).enumerate() {
            let value = match numbers.contains(&number) {
                true => permute(to, new),
                false => new,
            };
            to.bind(old, vec![value]);
        }
        Ok(true)
    }
}
