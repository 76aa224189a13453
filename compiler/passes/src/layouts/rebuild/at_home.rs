//! Operations that work at the home of a result or of an operand: reductions, exchanges through shared memory, inline
//! PTX, and effects.

use super::super::{choose, shape_of};
use super::Place;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Asm, Gather, Histogram};
use crate::ir::{Operation, attributes, key, operands, results};
use crate::is_tile;

impl<'c> Place<'_, '_, 'c> {
    pub(super) fn reduce(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let layout = self.homes.working[&key(results(operation)[0])].clone();
        let list = self.place_operands(to, operation, &layout)?;
        let regions = to.regions(self, operation)?;
        let types: Vec<_> = results(operation)
            .into_iter()
            .map(|value| self.type_at_home(value))
            .collect();
        let new = to.builder.insert_like(operation, &list, &types, regions);
        to.bind_results(operation, new);
        Ok(())
    }

    /// Indices where the result is; the operand wherever it is.
    pub(super) fn gather(
        &mut self,
        to: &mut Rebuilder<'c>,
        gather: Gather<'c>,
    ) -> Result<(), Diagnostic> {
        let home = self.homes.home_or_neutral(gather.result());
        if let Some((starts, _)) = self
            .homes
            .part(gather)
            .filter(|(_, layout)| *layout == home)
        {
            let starts = [("starts", to.builder.ints(&starts))];
            let operand = to.one(gather.operand());
            let ty = self.typed(gather.result(), &home);
            let value = to.builder.value("tile.part", &[operand], &starts, ty);
            to.bind(gather.result(), vec![value]);
            return Ok(());
        }
        let from = self.homes.home_or_neutral(gather.operand());
        let mut list = vec![self.place(to, gather.operand(), &from)?];
        for index in gather.indices() {
            list.push(self.place(to, index, &home)?);
        }
        let all = attributes(gather.0);
        let ty = self.typed(gather.result(), &home);
        let value = to.builder.value("tile.gather", &list, &all, ty);
        to.bind(gather.result(), vec![value]);
        Ok(())
    }

    /// Values and mask where the values are.
    pub(super) fn histogram(
        &mut self,
        to: &mut Rebuilder<'c>,
        histogram: Histogram<'c>,
    ) -> Result<(), Diagnostic> {
        let from = self.homes.home_or_neutral(histogram.operand());
        let list = [
            self.place(to, histogram.operand(), &from)?,
            self.place(to, histogram.mask(), &from)?,
        ];
        let home = self.homes.home_or_neutral(histogram.result());
        let ty = self.typed(histogram.result(), &home);
        let value = to.builder.value("tile.histogram", &list, &[], ty);
        to.bind(histogram.result(), vec![value]);
        Ok(())
    }
    pub(super) fn asm(&mut self, to: &mut Rebuilder<'c>, asm: Asm<'c>) -> Result<(), Diagnostic> {
        let home = self.homes.home_or_neutral(asm.result());
        let list = self.place_operands(to, asm.0, &home)?;
        let types: Vec<_> = results(asm.0)
            .into_iter()
            .map(|value| self.typed(value, &home))
            .collect();
        let new = to.builder.insert_like(asm.0, &list, &types, Vec::new());
        to.bind_results(asm.0, new);
        Ok(())
    }

    /// What is done for every element, wherever it is: all tiles where one of them is at home.
    pub(super) fn effect(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<(), Diagnostic> {
        let old = operands(operation);
        let mut list = Vec::new();
        if let Some(first) = old.iter().find(|operand| is_tile(**operand)) {
            let at_home = old
                .iter()
                .find_map(|value| self.homes.home(*value).cloned());
            // One element per thread: neighbours are done by neighbours.
            let layout =
                at_home.unwrap_or_else(|| choose::neutral(&shape_of(*first), 16, self.homes.warps));
            for operand in old {
                list.push(match is_tile(operand) {
                    true => self.place(to, operand, &layout)?,
                    false => to.one(operand),
                });
            }
        } else {
            list.extend(old.into_iter().map(|operand| to.one(operand)));
        }
        to.builder.insert_like(operation, &list, &[], Vec::new());
        Ok(())
    }
}
