//! Stores that wait for the products of a block's next program.
//!
//! ```text
//! for each program { sums = iterations; box_store(f(sums)) }
//!   ⇒  for each program { first iteration; box_store(kept); sums = and the others; kept = f(sums) }
//!      box_store(kept)
//! ```
//!
//! All warps that compute come to the end of a program at once, and while they store the tensor cores have nothing to
//! do. What is stored takes few registers, as it is narrower than the sums: it stays there until the first product of the
//! next program runs, and goes to memory beside it. `kept` is a variable of each thread, of which LLVM makes registers.
//!
//! Done where the kernel is persistent, it has no effects but stores by TMA (which are in no order), and its
//! only loop with copies has products that run on and stands in the kernel's own block; and where a thread has registers for
//! the sums and what is stored at once.

use melior::ir::operation::OperationLike;
use melior::ir::{Region, Type, ValueLike};

use super::Pipeline;
use super::ring::Variable;
use super::stages::accumulators;
use super::stores::BoxStore;
use crate::accumulators::has_effects;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::{TileOp, predicates};
use crate::encoding::Encodings;
use crate::ir::{Value, address, ints_attribute, region_block, result};
use crate::{each_operation, element_bytes};

/// Registers of a thread besides sums and what is kept: places, barriers and descriptors.
const OTHERS: u64 = 32;

/// Bytes of a register.
const REGISTER_BYTES: u64 = 4;

/// A store that waits.
pub struct Late<'c> {
    /// The store in the old function.
    store: usize,
    /// What is kept: a variable of each thread, and the tile's type.
    variable: Value<'c>,
    ty: Type<'c>,
    /// Where it goes.
    starts: Vec<Variable<'c>>,
    map: usize,
    kinds: Vec<i64>,
    /// Whether anything is kept: 1 or 0.
    is_kept: Variable<'c>,
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Makes variables for what TMA stores, if that is to wait.
    pub(super) fn find_late_stores(&mut self, to: &mut Rebuilder<'c>) {
        if !self.may_store_late() {
            return;
        }
        let encodings = Encodings::default();
        let threads = 32 * self.warps as u64;
        let words = |store: &BoxStore<'c>| {
            let registers = encodings.layout(store.value).register_count() as u64;
            registers * element_bytes(store.value.r#type()) / REGISTER_BYTES
        };
        let kept: u64 = self.stores.iter().map(words).sum();
        let all = accumulators(self.function) / threads + kept + OTHERS;
        if self
            .share
            .as_ref()
            .is_none_or(|share| all > share.consumers)
        {
            return;
        }
        for store in &self.stores {
            let builder = &mut to.builder;
            let word = builder.int_type(32);
            let one = builder.constant_int(1, word);
            let array = builder.parse_type(&format!("!llvm.array<{} x i32>", words(store)));
            let attributes = [("elem_type", builder.type_attribute(array))];
            let pointer = builder.parse_type("!llvm.ptr");
            let variable = builder.value("llvm.alloca", &[one], &attributes, pointer);
            let starts = store.store.starts().len();
            self.late.push(Late {
                store: address(store.store.0),
                variable,
                ty: store.value.r#type(),
                starts: (0..starts).map(|_| Variable::new(builder, 0)).collect(),
                map: store.map,
                kinds: ints_attribute(store.store.0, "kinds").unwrap_or_default(),
                is_kept: Variable::new(builder, 0),
            });
        }
        let span = Some(self.cx.span(self.function.location()));
        self.cx
            .remark(&self.name, span, RemarkKind::OverlappedEpilogue);
    }

    fn may_store_late(&self) -> bool {
        let body = region_block(self.function, 0);
        let mut rings = Vec::new();
        let mut other_effects = false;
        each_operation(self.function, &mut |operation| {
            if let Some(ring) = self.rings.get(&address(operation)) {
                let is_own = operation.block().map(crate::ffi::block) == body;
                rings.push(is_own && !ring.plan.running.is_empty());
            }
            let is_box = || {
                let mut all = self.stores.iter();
                all.any(|store| address(store.store.0) == address(operation))
            };
            other_effects |= match TileOp::of(operation) {
                Some(TileOp::Store(_)) => !is_box(),
                _ => operation.region_count() == 0 && has_effects(operation),
            };
        });
        self.counts.is_some() && rings == [true] && !other_effects
    }

    /// Keeps what a store would have stored; whether it does.
    pub(super) fn keep(
        &self,
        to: &mut Rebuilder<'c>,
        store: &BoxStore<'c>,
        condition: Option<Value<'c>>,
    ) -> bool {
        let mut all = self.late.iter();
        let Some(late) = all.find(|late| late.store == address(store.store.0)) else {
            return false;
        };
        let value = to.one(store.value);
        to.builder
            .insert("tile.keep", &[value, late.variable], &[], &[]);
        for (variable, start) in late.starts.iter().zip(store.store.starts()) {
            let start = to.one(start);
            variable.set(&mut to.builder, start);
        }
        let word = to.builder.int_type(32);
        let is_kept = match condition {
            Some(condition) => to.builder.value("arith.extui", &[condition], &[], word),
            None => to.builder.constant_int(1, word),
        };
        late.is_kept.set(&mut to.builder, is_kept);
        true
    }

    /// Stores what is kept, if anything is.
    pub(super) fn store_kept(&self, to: &mut Rebuilder<'c>) -> Result<(), Diagnostic> {
        let Some(staging) = self.staging else {
            return Ok(());
        };
        for late in &self.late {
            let is_kept = late.is_kept.get(&mut to.builder);
            let zero = to.builder.constant_int(0, is_kept.r#type());
            let condition = to.builder.compare_int(predicates::NE, is_kept, zero);
            let store = to.region(&[], |to, _| {
                let builder = &mut to.builder;
                let kept = builder.insert("tile.kept", &[late.variable], &[], &[late.ty]);
                let starts: Vec<_> = late.starts.iter().map(|start| start.get(builder)).collect();
                let what = [result(kept, 0), staging, self.maps[late.map]];
                self.insert_box_store(to, what, None, &starts, &late.kinds);
                late.is_kept.set(&mut to.builder, zero);
                to.builder.insert("scf.yield", &[], &[], &[]);
                Ok(())
            })?;
            let regions = vec![store, Region::new()];
            to.builder
                .insert_with_regions("scf.if", &[condition], &[], &[], regions);
        }
        Ok(())
    }
}
