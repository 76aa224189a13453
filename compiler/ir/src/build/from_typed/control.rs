//! Control flow: structured loops and branches carry the variables they change.

use std::collections::BTreeSet;

use melior::ir::{Region, Type};

use super::{Lowering, expressions};
use crate::build::Builder;
use crate::diagnostic::{Diagnostic, Span};
use crate::ir::Value;
use crate::typed::walk::assigned;
use crate::typed::{Block, Element, Expr, VariableId};

impl<'c> Lowering<'_, 'c> {
    pub(super) fn counted_loop(
        &mut self,
        variable: VariableId,
        [lo, hi, step]: [&Expr; 3],
        stages: Option<u32>,
        body: &Block,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let Some(increment) = expressions::constant_int(step).filter(|value| *value > 0) else {
            unreachable!("`structured` left positive constant steps");
        };
        let bits = match lo.ty.element {
            Element::Number(number) => number.bits(),
            Element::Pointer { .. } => 64,
        };
        let lo = self.expr(lo)?;
        let hi = self.expr(hi)?;
        self.at(span);
        let lo = self.builder.int_cast(lo, 64, true);
        let hi = self.builder.int_cast(hi, 64, true);
        let wide = self.builder.int_type(64);
        let step = self.builder.constant_int(increment, wide);

        let carried = self.carried([body]);
        let initial: Vec<_> = carried.iter().map(|id| self.values[id]).collect();
        let mut types = vec![wide];
        types.extend(initial.iter().map(melior::ir::ValueLike::r#type));
        let region = self.branch_region(&types, |state, given| {
            let counter = state.builder.int_cast(given[0], bits, true);
            state.values.insert(variable, counter);
            for (id, value) in carried.iter().zip(&given[1..]) {
                state.values.insert(*id, *value);
            }
            state.block(&body.statements)?;
            let results: Vec<_> = carried.iter().map(|id| state.values[id]).collect();
            state.builder.insert("scf.yield", &results, &[], &[]);
            Ok(())
        })?;
        let mut list = vec![lo, hi, step];
        list.extend(&initial);
        let mut attributes = Vec::new();
        if let Some(stages) = stages {
            attributes.push((crate::dialect::STAGES, self.builder.int(i64::from(stages))));
        }
        let new = self.builder.insert_with_regions(
            "scf.for",
            &list,
            &attributes,
            &types[1..],
            vec![region],
        );
        self.finish_loop(new, &carried);
        Ok(())
    }

    pub(super) fn while_loop(
        &mut self,
        condition: &Block,
        test: &Expr,
        body: &Block,
    ) -> Result<(), Diagnostic> {
        let carried = self.carried([condition, body]);
        let initial: Vec<_> = carried.iter().map(|id| self.values[id]).collect();
        let types: Vec<_> = initial.iter().map(melior::ir::ValueLike::r#type).collect();
        // What the condition computes is visible in the body: it travels along.
        let mut computed: Vec<_> = assigned(&condition.statements)
            .into_iter()
            .filter(|id| !carried.contains(id))
            .collect();
        let before = self.branch_region(&types, |state, given| {
            for (id, value) in carried.iter().zip(given) {
                state.values.insert(*id, *value);
            }
            state.block(&condition.statements)?;
            let mut list = vec![state.expr(test)?];
            // What only one branch of an `if` assigns is not visible after it.
            computed.retain(|id| state.values.contains_key(id));
            list.extend(carried.iter().chain(&computed).map(|id| state.values[id]));
            state.builder.insert("scf.condition", &list, &[], &[]);
            Ok(())
        })?;
        let mut forwarded = types.clone();
        forwarded.extend(
            computed
                .iter()
                .map(|id| self.ty(&self.kernel.variables[id.0 as usize].ty)),
        );
        let after = self.branch_region(&forwarded, |state, given| {
            for (id, value) in carried.iter().chain(&computed).zip(given) {
                state.values.insert(*id, *value);
            }
            state.block(&body.statements)?;
            let results: Vec<_> = carried.iter().map(|id| state.values[id]).collect();
            state.builder.insert("scf.yield", &results, &[], &[]);
            Ok(())
        })?;
        let new = self.builder.insert_with_regions(
            "scf.while",
            &initial,
            &[],
            &forwarded,
            vec![before, after],
        );
        self.finish_loop(new, &carried);
        Ok(())
    }

    /// The variables have the loop's results from here on.
    fn finish_loop(&mut self, operation: crate::ir::Operation<'c>, carried: &[VariableId]) {
        for (id, value) in carried.iter().zip(crate::ir::results(operation)) {
            self.values.insert(*id, value);
        }
    }

    /// Variables that a loop changes and that live outside it, in a fixed order.
    fn carried<'b>(&self, blocks: impl IntoIterator<Item = &'b Block>) -> Vec<VariableId> {
        let changed: BTreeSet<_> = blocks
            .into_iter()
            .flat_map(|block| assigned(&block.statements))
            .collect();
        changed
            .into_iter()
            .filter(|id| self.values.contains_key(id))
            .collect()
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
    ) -> Result<(), Diagnostic> {
        let condition = self.expr(condition)?;
        let in_then = assigned(&then.statements);
        let in_otherwise = assigned(&otherwise.statements);
        let merged: Vec<_> = in_then
            .union(&in_otherwise)
            .copied()
            .filter(|id| {
                self.values.contains_key(id) || (in_then.contains(id) && in_otherwise.contains(id))
            })
            .collect();
        let types: Vec<_> = merged
            .iter()
            .map(|id| self.ty(&self.kernel.variables[id.0 as usize].ty))
            .collect();
        let mut regions = Vec::new();
        for branch in [then, otherwise] {
            regions.push(self.branch_region(&[], |state, _| {
                state.block(&branch.statements)?;
                let results: Vec<_> = merged.iter().map(|id| state.values[id]).collect();
                state.builder.insert("scf.yield", &results, &[], &[]);
                Ok(())
            })?);
        }
        let operation =
            self.builder
                .insert_with_regions("scf.if", &[condition], &[], &types, regions);
        for (id, value) in merged.iter().zip(crate::ir::results(operation)) {
            self.values.insert(*id, value);
        }
        Ok(())
    }

    /// A region whose assignments end with it.
    pub(super) fn branch_region(
        &mut self,
        types: &[Type<'c>],
        fill: impl FnOnce(&mut Self, &[Value<'c>]) -> Result<(), Diagnostic>,
    ) -> Result<Region<'c>, Diagnostic> {
        let saved = self.values.clone();
        let placeholder = Builder::new(
            self.builder.context,
            self.builder.block(),
            self.builder.location(),
        );
        let mut builder = std::mem::replace(&mut self.builder, placeholder);
        let (region, outcome) = builder.region(types, |inner, given| {
            std::mem::swap(&mut self.builder, inner);
            let outcome = fill(self, given);
            std::mem::swap(&mut self.builder, inner);
            outcome
        });
        self.builder = builder;
        self.values = saved;
        outcome?;
        Ok(region)
    }
}
