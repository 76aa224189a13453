//! Products: their operands in the layouts that the instructions read, their sums at home.

use melior::ir::ValueLike;

use super::super::{choose, shape_of};
use super::Place;
use crate::build::Rebuilder;
use crate::conversions::pairs_between;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Dot;
use crate::element_bits;
use crate::ir::{Value, attributes};
use crate::layout::{Conversion, Layout};

impl<'c> Place<'_, '_, 'c> {
    /// An operand of a product, in a layout: what comes from shared memory is not computed with before.
    fn operand(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: Value<'c>,
        layout: &Layout,
    ) -> Result<Value<'c>, Diagnostic> {
        match self.homes.home(old) {
            Some(home) if home != layout => {
                let ty = self.typed(old, layout);
                let at_home = to.one(old);
                Ok(to.builder.value("tile.convert", &[at_home], &[], ty))
            }
            _ => self.place(to, old, layout),
        }
    }

    pub(super) fn dot(&mut self, to: &mut Rebuilder<'c>, dot: Dot<'c>) -> Result<(), Diagnostic> {
        let home = self
            .homes
            .home(dot.result())
            .cloned()
            .expect("a dot is at home");
        let mut brought = None;
        let (left, right) = if dot.path() == "mma" {
            let bits = element_bits(dot.left().r#type()) as u32;
            let (m, n) = (shape_of(dot.left()), shape_of(dot.right()));
            let grid = choose::warp_grid([m[0], n[1]], self.homes.warps);
            let warps = self.homes.warps;
            (
                Layout::mma_operand_a([m[0], m[1]], grid, bits).with_copies(warps),
                Layout::mma_operand_b([n[0], n[1]], grid, bits).with_copies(warps),
            )
        } else if dot.path() == "wgmma" {
            // Both come from shared memory, to which they are written from where they are, unless A is
            // in the right registers already, as the result of another product is.
            let left = self.homes.home_or_neutral(dot.left());
            let (m, n) = (shape_of(dot.left()), shape_of(dot.right()));
            let bits = element_bits(dot.left().r#type()) as u32;
            let fragment = Layout::wgmma_operand_a([m[0], m[1]], n[1], self.homes.warps, bits);
            let stays = matches!(
                Conversion::plan(&left, &fragment),
                Conversion::Identity | Conversion::Registers(_)
            );
            if !stays && pairs_between(&left, &fragment, bits).is_some() {
                let ty = self.typed(dot.left(), &fragment);
                let computed = self.operand(to, dot.left(), &left)?;
                brought = Some(
                    to.builder
                        .value("tile.exchange_pairs", &[computed], &[], ty),
                );
            }
            let left = if stays { fragment } else { left };
            (left, self.homes.home_or_neutral(dot.right()))
        } else {
            (
                self.homes.home_or_neutral(dot.left()),
                self.homes.home_or_neutral(dot.right()),
            )
        };
        let left = match brought {
            Some(fragment) => fragment,
            None => self.operand(to, dot.left(), &left)?,
        };
        let list = [
            left,
            self.operand(to, dot.right(), &right)?,
            self.place(to, dot.accumulator(), &home)?,
        ];
        let all = attributes(dot.0);
        let ty = self.typed(dot.result(), &home);
        let value = to.builder.value("tile.dot", &list, &all, ty);
        to.bind(dot.result(), vec![value]);
        Ok(())
    }
}
