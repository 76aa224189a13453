//! Inline PTX, which the simulator runs.

use std::rc::Rc;

use super::fault::Fault;
use super::program::{Outcome, Program};
use super::value::Tile;
use crate::diagnostic::Span;
use crate::inline_ptx::InlinePtx;
use crate::typed::{Expr, VariableId};

impl Program<'_, '_> {
    pub(super) fn asm(
        &mut self,
        variables: &[VariableId],
        asm: &InlinePtx,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let tiles = self.evaluate_all(arguments)?;
        let columns: Result<Vec<&[u64]>, Fault> = tiles
            .iter()
            .map(|tile| tile.as_numbers().map(|(_, bits)| bits))
            .collect();
        let columns = columns.map_err(|fault| self.error(span, fault))?;
        let shape = tiles.first().map_or(&[][..], |tile| &tile.shape);
        let count = shape.iter().product::<u64>() as usize;
        let results = self.asm.run(asm, &columns, count);
        let results = results.map_err(|problem| self.error(span, Fault::Asm { problem }))?;
        for ((variable, element), bits) in variables.iter().zip(&asm.results).zip(results) {
            let tile = Tile::numbers(*element, shape, bits);
            self.assign(*variable, Rc::new(tile), span)?;
        }
        Ok(())
    }
}
