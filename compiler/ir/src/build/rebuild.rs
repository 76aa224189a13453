//! The rebuilder: walks an old function and builds the new one.
//!
//! A pass says what becomes of the operations it cares about ([`Rewrite::rewrite`]) and of the types
//! of block arguments and results ([`Rewrite::types`]); everything else is copied, regions included.
//! One old value may become several new ones (a tile becomes one value per register), and structured
//! control flow follows by itself: a loop that carried a tile carries its registers.

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Region, Type, ValueLike};
use rustc_hash::FxHashMap;

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Block, Operation, Value, ValueKey, arguments, attributes, key, name, operands, operations,
    region_block, results,
};

/// What a pass does.
pub trait Rewrite<'c> {
    /// Rewrites one operation and returns `true`, or returns `false` to have it copied.
    ///
    /// # Errors
    /// What the user must know: the program cannot be compiled this way.
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic>;

    /// The types of parameters that the function gets besides those it has.
    fn added(&self) -> Vec<Type<'c>> {
        Vec::new()
    }

    /// Is given the parameters of [`Self::added`] before the function is rebuilt.
    fn receive(&mut self, _added: Vec<Value<'c>>) {}

    /// The types that an old value (block argument, or result of a copied operation) has afterwards.
    fn types(&mut self, value: Value<'c>) -> Vec<Type<'c>> {
        vec![value.r#type()]
    }
}

/// State of a rebuild: the builder of the new function and what each old value became.
pub struct Rebuilder<'c> {
    /// Appends to the new function.
    pub builder: Builder<'c>,
    map: FxHashMap<ValueKey, Vec<Value<'c>>>,
}

impl<'c> Rebuilder<'c> {
    /// A rebuilder that appends to `block`.
    #[must_use]
    pub fn new(context: &'c Context, block: Block<'c>) -> Self {
        Self {
            builder: Builder::new(context, block, Location::unknown(context)),
            map: FxHashMap::default(),
        }
    }

    /// What an old value became.
    ///
    /// # Panics
    /// If it was not built yet: the old function's operations are visited in dominance order.
    #[must_use]
    pub fn many(&self, old: Value<'c>) -> &[Value<'c>] {
        self.map.get(&key(old)).map_or_else(
            || panic!("value used before it was rebuilt: {old}"),
            Vec::as_slice,
        )
    }

    /// What an old value became, for values that stay one.
    ///
    /// # Panics
    /// As [`Self::many`], or when it became several.
    #[must_use]
    pub fn one(&self, old: Value<'c>) -> Value<'c> {
        match self.many(old) {
            [value] => *value,
            several => panic!("{old} became {} values", several.len()),
        }
    }

    /// Whether an old value was built already.
    #[must_use]
    pub fn is_bound(&self, old: Value<'c>) -> bool {
        self.map.contains_key(&key(old))
    }

    /// Records what an old value became.
    pub fn bind(&mut self, old: Value<'c>, new: Vec<Value<'c>>) {
        self.map.insert(key(old), new);
    }

    /// Records that the results of an old operation became the first ones of a new one.
    pub fn bind_results(&mut self, old: Operation<'c>, new: Operation<'c>) {
        for (old, new) in results(old).into_iter().zip(results(new)) {
            self.bind(old, vec![new]);
        }
    }

    /// Rebuilds all operations of an old block at the current place.
    ///
    /// # Errors
    /// Those of the rewrite.
    pub fn block(
        &mut self,
        rewrite: &mut impl Rewrite<'c>,
        old: Block<'c>,
    ) -> Result<(), Diagnostic> {
        for operation in operations(old) {
            self.operation(rewrite, operation)?;
        }
        Ok(())
    }

    /// Rebuilds one operation: rewritten if the pass wants it, copied otherwise.
    ///
    /// # Errors
    /// Those of the rewrite.
    pub fn operation(
        &mut self,
        rewrite: &mut impl Rewrite<'c>,
        old: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        self.builder.set_location(old.location());
        if rewrite.rewrite(self, old)? {
            return Ok(());
        }
        self.copy(rewrite, old)?;
        Ok(())
    }

    /// Copies one operation with its operands replaced, its regions rebuilt and its types mapped.
    ///
    /// # Errors
    /// Those of the rewrite (in its regions).
    pub fn copy(
        &mut self,
        rewrite: &mut impl Rewrite<'c>,
        old: Operation<'c>,
    ) -> Result<Operation<'c>, Diagnostic> {
        let attributes = attributes(old);
        self.copy_with_attributes(rewrite, old, &attributes)
    }

    /// As [`Self::copy`], with these attributes instead of the old ones.
    ///
    /// # Errors
    /// Those of the rewrite (in its regions).
    pub fn copy_with_attributes(
        &mut self,
        rewrite: &mut impl Rewrite<'c>,
        old: Operation<'c>,
        attributes: &[(&'c str, melior::ir::Attribute<'c>)],
    ) -> Result<Operation<'c>, Diagnostic> {
        let new_operands: Vec<_> = operands(old)
            .into_iter()
            .flat_map(|operand| self.many(operand).to_vec())
            .collect();
        let old_results = results(old);
        let result_types: Vec<Vec<Type<'c>>> = old_results
            .iter()
            .map(|value| rewrite.types(*value))
            .collect();
        let flat: Vec<_> = result_types.iter().flatten().copied().collect();
        let regions = self.regions(rewrite, old)?;
        let new = if regions.is_empty() && flat.len() == 1 {
            let value = self
                .builder
                .value(name(old), &new_operands, attributes, flat[0]);
            self.bind(old_results[0], vec![value]);
            return Ok(crate::ffi::defining_operation(value).expect("just built"));
        } else {
            self.builder
                .insert_with_regions(name(old), &new_operands, attributes, &flat, regions)
        };
        let mut fresh = results(new).into_iter();
        for (value, types) in old_results.into_iter().zip(result_types) {
            let parts = fresh.by_ref().take(types.len()).collect();
            self.bind(value, parts);
        }
        Ok(new)
    }

    /// Rebuilds the regions of an operation (each of one block or none).
    ///
    /// # Errors
    /// Those of the rewrite.
    pub fn regions(
        &mut self,
        rewrite: &mut impl Rewrite<'c>,
        old: Operation<'c>,
    ) -> Result<Vec<Region<'c>>, Diagnostic> {
        let mut regions = Vec::new();
        for index in 0..old.region_count() {
            let Some(block) = region_block(old, index) else {
                regions.push(Region::new());
                continue;
            };
            regions.push(self.region_of(rewrite, block)?);
        }
        Ok(regions)
    }

    /// Rebuilds one block as a region of its own.
    ///
    /// # Errors
    /// Those of the rewrite.
    pub fn region_of(
        &mut self,
        rewrite: &mut impl Rewrite<'c>,
        block: Block<'c>,
    ) -> Result<Region<'c>, Diagnostic> {
        let old_arguments = arguments(block);
        let types: Vec<Vec<Type<'c>>> = old_arguments
            .iter()
            .map(|value| rewrite.types(*value))
            .collect();
        let flat: Vec<_> = types.iter().flatten().copied().collect();
        self.region(&flat, |nested, given| {
            let mut given = given.iter().copied();
            for (value, types) in old_arguments.iter().zip(&types) {
                nested.bind(*value, given.by_ref().take(types.len()).collect());
            }
            nested.block(rewrite, block)
        })
    }

    /// Builds a region of one block with the given argument types; `fill` appends to it.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn region(
        &mut self,
        arguments: &[Type<'c>],
        fill: impl FnOnce(&mut Self, &[Value<'c>]) -> Result<(), Diagnostic>,
    ) -> Result<Region<'c>, Diagnostic> {
        // The builder is moved into the closure's state and back: `region` switches blocks on it.
        let inner = std::mem::take(&mut self.map);
        let context = self.builder.context;
        let mut outcome = Ok(());
        let placeholder = Builder::new(context, self.builder.block(), self.builder.location());
        let mut builder = std::mem::replace(&mut self.builder, placeholder);
        let (region, inner_back) = builder.region(arguments, |builder, given| {
            let placeholder = Builder::new(context, builder.block(), builder.location());
            let mut nested = Rebuilder {
                builder: std::mem::replace(builder, placeholder),
                map: inner,
            };
            outcome = fill(&mut nested, given);
            let Rebuilder { builder: back, map } = nested;
            *builder = back;
            map
        });
        self.builder = builder;
        self.map = inner_back;
        outcome?;
        Ok(region)
    }

    /// Does something in the block so many levels further out, see [`Builder::in_outer_block`].
    pub fn in_outer_block<R>(&mut self, levels: usize, act: impl FnOnce(&mut Self) -> R) -> R {
        let (context, block, location) = (
            self.builder.context,
            self.builder.block(),
            self.builder.location(),
        );
        let mut builder =
            std::mem::replace(&mut self.builder, Builder::new(context, block, location));
        let outcome = builder.in_outer_block(levels, |builder| {
            std::mem::swap(builder, &mut self.builder);
            let outcome = act(self);
            std::mem::swap(builder, &mut self.builder);
            outcome
        });
        self.builder = builder;
        outcome
    }

    /// What `fill` adds is done only where `condition` holds, and gives nothing.
    pub fn only_if(
        &mut self,
        condition: Value<'c>,
        fill: impl FnOnce(&mut Self) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let then = self.region(&[], |to, _| {
            fill(to)?;
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        let regions = vec![then, Region::new()];
        self.builder
            .insert_with_regions("scf.if", &[condition], &[], &[], regions);
        Ok(())
    }
}
