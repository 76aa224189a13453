//! Warpgroups that multiply in turn (see `multiplies_in_turn` in `pipeline/split.rs`).
//!
//! Each has a barrier of its own (PTX ISA, "barrier.cta"), numbered from [`FIRST_BARRIER`], at which it waits before it
//! issues a product, and at which the one before it arrives when it has issued its own. The last arrives once
//! before all products, so that the first begins.

use super::ToLlvm;
use super::threads::{inline_asm, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::ops::FirstWarpgroup;
use crate::dialect::predicates;
use crate::ir::Value;
use crate::layout::mma::WARPGROUP;

/// Barrier 0 is the whole block's, 1 that of all threads that compute.
const FIRST_BARRIER: i64 = 2;

/// Threads at a barrier: those of the warpgroup that waits, and of the one that arrives.
const THREADS: u32 = 2 * 32 * WARPGROUP;

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The last warpgroup gives the turn to the first.
    pub(super) fn begin_turns(&self, builder: &mut Builder<'c>) {
        let own = self.warpgroup(builder);
        let last = int(builder, self.warpgroups() - 1);
        let is_last = builder.compare_int(predicates::EQ, own, last);
        let first = int(builder, FIRST_BARRIER);
        let text = format!("@$1 bar.arrive $0, {THREADS};");
        inline_asm(
            builder,
            &text,
            "r,b,~{memory}",
            &[first, is_last],
            &[],
            true,
        );
    }

    /// Waits until it is this warpgroup's turn.
    pub(super) fn wait_for_turn(&self, builder: &mut Builder<'c>) {
        let own = self.warpgroup(builder);
        let first = int(builder, FIRST_BARRIER);
        let barrier = builder.add(own, first);
        let text = format!("bar.sync $0, {THREADS};");
        inline_asm(builder, &text, "r,~{memory}", &[barrier], &[], true);
    }

    /// It is the next warpgroup's turn.
    pub(super) fn pass_turn(&self, builder: &mut Builder<'c>) {
        let own = self.warpgroup(builder);
        let last = int(builder, self.warpgroups() - 1);
        let is_last = builder.compare_int(predicates::EQ, own, last);
        let [first, second] = [0, 1].map(|more| int(builder, FIRST_BARRIER + more));
        let next = builder.add(own, second);
        let barrier = builder.select(is_last, first, next);
        let text = format!("bar.arrive $0, {THREADS};");
        inline_asm(builder, &text, "r,~{memory}", &[barrier], &[], true);
    }

    pub(super) fn first_warpgroup(&self, to: &mut Rebuilder<'c>, of: FirstWarpgroup<'c>) {
        let own = self.warpgroup(&mut to.builder);
        let first = int(&mut to.builder, 0);
        let is_first = to.builder.compare_int(predicates::EQ, own, first);
        to.bind(of.result(), vec![is_first]);
    }

    /// Warpgroups that compute.
    fn warpgroups(&self) -> i64 {
        i64::from(self.warps / WARPGROUP)
    }

    /// The number of this thread's.
    fn warpgroup(&self, builder: &mut Builder<'c>) -> Value<'c> {
        let warp = self.warp(builder);
        let places = int(builder, WARPGROUP.ilog2().into());
        builder.binary("arith.shrui", warp, places)
    }
}
