//! `split-k`: the blocks of a cluster share the iterations of a loop whose variables are accumulators.
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
//! would have computed, of its own iterations; parts are added in the order of the blocks, so that results are
//! the same in every run; the first block alone goes on; no block ends while another reads its memory.
//!
//! It is done where that is right: the loop stands in the kernel's own block, all it carries are accumulators of 32
//! bits that nothing in it reads, nothing before it or in it writes to memory or has other effects.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};

use super::accumulators::{has_effects, is_zero, only_accumulates};
use super::encoding::{Encodings, buffer_type};
use super::{
    PassContext, each_operation, element_bytes, function_name, rebuild_functions_with, uses,
};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{NoSplit, RemarkKind};
use crate::dialect::SPLIT;
use crate::dialect::{TileOp, predicates};
use crate::ir::{
    Operation, Value, address, int_attribute, name, operands, operations, region_block, result,
    results,
};
use crate::layout::{SharedLayout, Swizzle};

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
                    let at_loop = Some(cx.span(at.location()));
                    let blocks = blocks.unsigned_abs();
                    cx.remark(
                        function_name(function),
                        at_loop,
                        RemarkKind::SplitK { blocks },
                    );
                    rewrite.loop_at = Some(address(at));
                    rewrite.rest = rest;
                }
                Err(why) => {
                    cx.remark(function_name(function), span, RemarkKind::NoSplitK { why });
                    let top = crate::ffi::block(module.body());
                    let builder = crate::build::Builder::new(cx.context, top, function.location());
                    attributes.push((SPLIT, builder.int(1)));
                }
            }
        }
        Ok((rewrite, attributes))
    })
}

/// The loop, and what follows it.
fn find<'c>(
    cx: &PassContext<'_, 'c>,
    function: Operation<'c>,
    blocks: i64,
) -> Result<(Operation<'c>, Vec<Operation<'c>>), NoSplit> {
    if i64::from(cx.target.blocks_per_cluster) < blocks {
        return Err(NoSplit::NoClusters);
    }
    if int_attribute(function, "tile.cluster").unwrap_or(1) > 1 {
        return Err(NoSplit::RowsOnCluster);
    }
    let body = region_block(function, 0).ok_or(NoSplit::Empty)?;
    let all = operations(body);
    let users = uses(function);
    let only_accumulates = |operation: &Operation<'c>| only_accumulates(*operation, &users);
    let position = all
        .iter()
        .position(only_accumulates)
        .ok_or(NoSplit::NoLoop)?;
    let (before, from) = all.split_at(position);
    let (of, after) = from.split_first().ok_or(NoSplit::NoLoop)?;
    if before.iter().any(|operation| has_effects(*operation)) {
        return Err(NoSplit::EffectsBefore);
    }
    if has_effects(*of) {
        return Err(NoSplit::Effects);
    }
    let mut asks = false;
    each_operation(function, &mut |operation| {
        asks |= matches!(TileOp::of(operation), Some(TileOp::Asm(_)));
    });
    if asks {
        return Err(NoSplit::InlinePtx);
    }
    let rest = after
        .iter()
        .filter(|operation| name(**operation) != "func.return");
    Ok((*of, rest.copied().collect()))
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
            list.push(match is_zero(*old) {
                true => *new,
                false => to.builder.zero(ty),
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
        to.bind_results(of, sums);
        // What the first block reads stays until it has.
        to.builder.insert("tile.cluster_barrier", &[], &[], &[]);
        let rest = std::mem::take(&mut self.rest);
        to.only_if(is_first, |to| {
            for operation in &rest {
                to.operation(self, *operation)?;
            }
            Ok(())
        })?;
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
