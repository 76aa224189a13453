//! `split-sums`: the blocks of a cluster share the rounds of a loop whose variables are sums.
//!
//! ```text
//! %s = scf.for %i = %a to %b step %c iter_args(%x = 0) { … tile.dot(…, %x) … }
//! rest(%s)
//!   ⇒  %r = tile.block_rank
//!      %p = scf.for %i = %a + %r·%c to %b step 4·%c iter_args(%x = 0) { … }
//!      tile.shared_put %p, %buffer
//!      tile.cluster_barrier
//!      %s = scf.if %r == 0 { tile.cluster_sum %p, %buffer }
//!      tile.cluster_barrier
//!      scf.if %r == 0 { rest(%s) }
//! ```
//!
//! For few programs with long sums, which would leave most of the GPU idle. `#[split(n)]` asks for it: how
//! many programs there will be is known at launch only. What holds after: each block computes what a program
//! would have computed, of its own rounds; parts are added in the order of the blocks, so that results are
//! the same in every run; the first block alone goes on; no block ends while another reads its memory.
//!
//! It is done where that is right: the loop stands in the kernel's own block, all it carries are sums of 32
//! bits that nothing in it reads, nothing before it or in it writes to memory or has other effects.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Module, Region, ValueLike};

use super::encoding::{Encodings, buffer_type};
use super::{
    PassContext, each_operation, element_bytes, function_name, rebuild_functions_with, uses,
};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, predicates};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Rebuilder, Rewrite, TileType, Value, ValueKey, arguments, int_attribute, key,
    name, operands, operations, region_block, result, results,
};
use crate::layout::{SharedLayout, Swizzle};

/// The function's attribute: blocks that share a loop's rounds.
pub const SPLIT: &str = "tile.split";

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions_with(cx, &module, |function| {
        let blocks = int_attribute(function, SPLIT).unwrap_or(1);
        let mut rewrite = Split {
            encodings: &encodings,
            blocks,
            loop_at: None,
            rest: Vec::new(),
            done: HashSet::new(),
        };
        let mut attributes = Vec::new();
        if blocks > 1 {
            let span = Some(cx.span(function.location()));
            match find(cx, function, blocks) {
                Ok((at, rest)) => {
                    let message = format!(
                        "{blocks} blocks of a cluster share the rounds of the loop, and the first of them \
                         adds their sums"
                    );
                    let at_loop = Some(cx.span(at.location()));
                    cx.decided("split-sums", function_name(function), at_loop, message);
                    rewrite.loop_at = Some(address(at));
                    rewrite.rest = rest;
                }
                Err(why) => {
                    let message = format!("nothing is split: {why}");
                    cx.missed("split-sums", function_name(function), span, message);
                    let top = crate::ffi::block(module.body());
                    let builder = crate::ir::Builder::new(cx.context, top, function.location());
                    attributes.push((SPLIT, builder.int(1)));
                }
            }
        }
        Ok((rewrite, attributes))
    })
}

fn address(operation: Operation<'_>) -> usize {
    operation.to_raw().ptr as usize
}

/// The loop, and what follows it.
fn find<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    blocks: i64,
) -> Result<(Operation<'c>, Vec<Operation<'c>>), &'static str> {
    if i64::from(cx.target.blocks_per_cluster) < blocks {
        return Err("the target has no clusters");
    }
    if int_attribute(function, "tile.cluster").unwrap_or(1) > 1 {
        return Err("the program's rows are spread over a cluster already");
    }
    let body = region_block(function, 0).ok_or("the kernel is empty")?;
    let all = operations(body);
    let users = uses(function);
    let is_loop_of_sums = |operation: &Operation<'c>| is_loop_of_sums(*operation, &users);
    let position = all
        .iter()
        .position(is_loop_of_sums)
        .ok_or("no loop of the kernel carries sums alone")?;
    let (before, from) = all.split_at(position);
    let (of, after) = from.split_first().ok_or("there is no loop")?;
    if before.iter().any(|operation| has_effects(*operation)) {
        return Err("what stands before the loop has effects");
    }
    if has_effects(*of) {
        return Err("the loop has effects besides its sums");
    }
    let mut asks = false;
    each_operation(function, &mut |operation| {
        asks |= matches!(TileOp::of(operation), Some(TileOp::Asm(_)));
    });
    if asks {
        return Err("inline PTX may ask which block it is in");
    }
    let rest = after
        .iter()
        .filter(|operation| name(**operation) != "func.return");
    Ok((*of, rest.copied().collect()))
}

/// Whether an operation, or one in it, does something that must be done once.
fn has_effects(operation: Operation<'_>) -> bool {
    let mut found = false;
    let mut look = |inner: Operation<'_>| {
        found |= match TileOp::of(inner) {
            Some(TileOp::Asm(asm)) => asm.effects() != 0,
            Some(own) => matches!(
                own,
                TileOp::Store(_)
                    | TileOp::StoreView(_)
                    | TileOp::Atomic(_)
                    | TileOp::Print(_)
                    | TileOp::Assert(_)
            ),
            None => false,
        };
    };
    look(operation);
    each_operation(operation, &mut look);
    found
}

/// Whether an operation is a counted loop whose variables are all sums, which it only adds to.
fn is_loop_of_sums<'c>(of: Operation<'c>, users: &HashMap<ValueKey, Vec<Operation<'c>>>) -> bool {
    // Of 64 bits: the next round's number must not overflow.
    let counts = |of| operands(of).first().map(|first| first.r#type().to_string());
    if name(of) != "scf.for" || results(of).is_empty() || counts(of).as_deref() != Some("i64") {
        return false;
    }
    let Some(body) = region_block(of, 0) else {
        return false;
    };
    let all = operations(body);
    let Some(last) = all.last() else {
        return false;
    };
    let sums = arguments(body).into_iter().skip(1).zip(operands(*last));
    sums.into_iter()
        .all(|(carried, next)| is_sum(carried, next, body, users))
}

/// Whether `next` is what a round makes of `carried` by adding alone: a chain of products' sums and
/// additions leads from one to the other, and nothing else looks at it on the way.
fn is_sum<'c>(
    carried: Value<'c>,
    next: Value<'c>,
    body: Block<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> bool {
    let Some(tile) = TileType::of(carried) else {
        return false;
    };
    if !matches!(tile.element().to_string().as_str(), "f32" | "i32") {
        return false;
    }
    let mut at = next;
    loop {
        let once = users.get(&key(at)).is_some_and(|users| users.len() == 1);
        if key(at) == key(carried) {
            // Unused but for the chain that led here, and changed in it.
            return once && key(at) != key(next);
        }
        let here =
            |operation: Operation<'c>| operation.block().map(crate::ffi::block) == Some(body);
        let Some(operation) = defining_operation(at).filter(|operation| here(*operation)) else {
            return false;
        };
        if !once {
            return false;
        }
        at = match TileOp::of(operation) {
            Some(TileOp::Dot(dot)) => dot.accumulator(),
            Some(_) => return false,
            None if matches!(name(operation), "arith.addf" | "arith.addi") => {
                let [left, right] = operands(operation)[..] else {
                    return false;
                };
                // Which of the two the chain comes through: one at most, as it has a user only.
                match (reaches(left, carried, body), reaches(right, carried, body)) {
                    (true, false) => left,
                    (false, true) => right,
                    _ => return false,
                }
            }
            None => return false,
        };
    }
}

/// Whether a value of the loop's body is made of another.
fn reaches<'c>(value: Value<'c>, of: Value<'c>, body: Block<'c>) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if key(value) == key(of) {
            return true;
        }
        if !seen.insert(key(value)) {
            continue;
        }
        if let Some(operation) = defining_operation(value)
            && operation.block().map(crate::ffi::block) == Some(body)
        {
            open.extend(operands(operation));
            // What a construct in the body reads from around it.
            each_operation(operation, &mut |inner| open.extend(operands(inner)));
        }
    }
    false
}

/// Whether a value is a tile of zeros, of either sign, that the program wrote down.
fn is_zero(value: Value<'_>) -> bool {
    super::constant_number(value) == Some(0.0)
}

struct Split<'a, 'c> {
    encodings: &'a Encodings,
    blocks: i64,
    /// The loop.
    loop_at: Option<usize>,
    /// What follows it, which the first block does.
    rest: Vec<Operation<'c>>,
    /// The same, once that is built.
    done: HashSet<usize>,
}

impl<'c> Split<'_, 'c> {
    fn split(&mut self, to: &mut Rebuilder<'c>, of: Operation<'c>) -> Result<(), Diagnostic> {
        let word = to.builder.int_type(32);
        let rank = to.builder.value("tile.block_rank", &[], &[], word);
        let mut list: Vec<_> = operands(of).into_iter().map(|old| to.one(old)).collect();
        // In 64 bits, where nothing overflows.
        let wide = to.builder.int_cast(rank, 64, false);
        let moved = to.builder.multiply(wide, list[2]);
        list[0] = to.builder.add(list[0], moved);
        let blocks = to.builder.constant_int(self.blocks, list[2].r#type());
        list[2] = to.builder.multiply(list[2], blocks);
        let initial = list.split_off(3);
        let mut added = Vec::new();
        for (old, new) in operands(of)[3..].iter().zip(&initial) {
            let ty = new.r#type();
            let is_integer = crate::ir::element_type(ty).to_string() == "i32";
            list.push(match (is_zero(*old), is_integer) {
                (true, _) => *new,
                (false, true) => to.builder.constant_int(0, ty),
                (false, false) => to.builder.constant_float(0.0, ty),
            });
            added.push((!is_zero(*old)).then_some(*new));
        }
        let types: Vec<_> = initial.iter().map(ValueLike::r#type).collect();
        let regions = to.regions(self, of)?;
        let new = to.builder.insert_like(of, &list, &types, regions);
        let mut parts = Vec::new();
        for part in results(new) {
            let buffer = self.buffer(to, part);
            to.builder
                .insert("tile.shared_put", &[part, buffer], &[], &[]);
            parts.push((part, buffer));
        }
        to.builder.insert("tile.cluster_barrier", &[], &[], &[]);
        let zero = to.builder.constant_int(0, word);
        let is_first = to.builder.compare_int(predicates::EQ, rank, zero);
        let add_parts = to.region(&[], |to, _| {
            let mut sums = Vec::new();
            for ((part, buffer), added) in parts.iter().zip(&added) {
                let blocks = [("blocks", to.builder.int(self.blocks))];
                let ty = part.r#type();
                let sum = to
                    .builder
                    .insert("tile.cluster_sum", &[*part, *buffer], &blocks, &[ty]);
                let sum = result(sum, 0);
                let add = match crate::ir::element_type(ty).to_string().as_str() {
                    "i32" => "arith.addi",
                    _ => "arith.addf",
                };
                sums.push(match added {
                    Some(added) => to.builder.binary(add, *added, sum),
                    None => sum,
                });
            }
            to.builder.insert("scf.yield", &sums, &[], &[]);
            Ok(())
        })?;
        let keep_parts = to.region(&[], |to, _| {
            let parts: Vec<_> = parts.iter().map(|(part, _)| *part).collect();
            to.builder.insert("scf.yield", &parts, &[], &[]);
            Ok(())
        })?;
        let regions = vec![add_parts, keep_parts];
        let sums = to
            .builder
            .insert_with_regions("scf.if", &[is_first], &[], &types, regions);
        for (old, new) in results(of).into_iter().zip(results(sums)) {
            to.bind(old, vec![new]);
        }
        // What the first block reads stays until it has.
        to.builder.insert("tile.cluster_barrier", &[], &[], &[]);
        let rest = std::mem::take(&mut self.rest);
        let region = to.region(&[], |to, _| {
            for operation in &rest {
                to.operation(self, *operation)?;
            }
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        let regions = vec![region, Region::new()];
        to.builder
            .insert_with_regions("scf.if", &[is_first], &[], &[], regions);
        self.done = rest.into_iter().map(address).collect();
        Ok(())
    }

    /// A buffer with a row per register and a column per thread: what a register holds lies side by side.
    fn buffer(&self, to: &mut Rebuilder<'c>, part: Value<'c>) -> Value<'c> {
        let layout = self.encodings.layout(part);
        let element = crate::ir::element_type(part.r#type());
        let threads = 32 * u64::from(layout.warp_count());
        let covered = [layout.register_count() as u64, threads];
        let shared = SharedLayout::new(&covered, &[1, 0], element_bytes(element), Swizzle::NONE);
        let ty = buffer_type(to.builder.context, element, &shared);
        let offset = [("offset", to.builder.int(-1))];
        // Not numbered: two buffers of one type are two buffers.
        result(
            to.builder.insert("tile.shared_alloc", &[], &offset, &[ty]),
            0,
        )
    }
}

impl<'c> Rewrite<'c> for Split<'_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let at = address(operation);
        if self.loop_at == Some(at) {
            self.loop_at = None;
            self.split(to, operation)?;
            return Ok(true);
        }
        Ok(self.done.contains(&at))
    }
}
