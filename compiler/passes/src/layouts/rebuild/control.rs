//! Loops and branches: what goes into them and what comes out of their regions goes to the homes of what it becomes.

use melior::ir::operation::OperationLike;

use super::Place;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::ir::{Operation, Value, arguments, name, operands, region_block, results};
use crate::layout::Layout;

impl<'c> Place<'_, '_, 'c> {
    /// Rebuilds an operation of structured control flow, if it is one.
    pub(super) fn structured(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let arguments_of = |index| {
            let block = region_block(operation, index);
            block.map(arguments).unwrap_or_default()
        };
        match name(operation) {
            "scf.for" => {
                let carried = arguments_of(0);
                let homes = self.homes_of(carried.get(1..).unwrap_or_default());
                let mut list = vec![None; 3];
                list.extend(homes.iter().cloned());
                self.control(to, operation, &list, vec![homes])?;
            }
            "scf.if" => {
                let homes = self.homes_of(&results(operation));
                let count = operation.region_count();
                self.control(to, operation, &[None], vec![homes; count])?;
            }
            "scf.while" => {
                let before = self.homes_of(&arguments_of(0));
                let mut condition = vec![None];
                condition.extend(self.homes_of(&results(operation)));
                self.control(to, operation, &before.clone(), vec![condition, before])?;
            }
            "scf.yield" | "scf.condition" => {
                let targets = self.targets.last().cloned().unwrap_or_default();
                let list = self.place_each(to, operation, &targets)?;
                to.builder.insert(name(operation), &list, &[], &[]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Rebuilds structured control flow: operands go to the homes of what they initialise, and each
    /// region's terminator gives values at the homes in `targets`.
    fn control(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        operand_targets: &[Option<Layout>],
        region_targets: Vec<Vec<Option<Layout>>>,
    ) -> Result<(), Diagnostic> {
        let list = self.place_each(to, operation, operand_targets)?;
        let mut regions = Vec::new();
        for (index, targets) in region_targets.into_iter().enumerate() {
            let Some(block) = region_block(operation, index) else {
                regions.push(melior::ir::Region::new());
                continue;
            };
            self.targets.push(targets);
            self.blocks.push(block);
            regions.push(to.region_of(self, block)?);
            self.blocks.pop();
            self.targets.pop();
        }
        let types: Vec<_> = results(operation)
            .into_iter()
            .map(|value| self.type_at_home(value))
            .collect();
        let new = to.builder.insert_like(operation, &list, &types, regions);
        to.bind_results(operation, new);
        Ok(())
    }

    /// The operands of an operation, each in its layout if there is one for it.
    fn place_each(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        targets: &[Option<Layout>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let each = operands(operation).into_iter().zip(targets);
        each.map(|(operand, target)| match target {
            Some(layout) => self.place(to, operand, layout),
            None => Ok(to.one(operand)),
        })
        .collect()
    }

    fn homes_of(&self, values: &[Value<'c>]) -> Vec<Option<Layout>> {
        values
            .iter()
            .map(|value| self.homes.home(*value).cloned())
            .collect()
    }
}
