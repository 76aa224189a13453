//! Operands of `mma.sync`: written to shared memory, from where `ldmatrix` reads them one step along K at a time.
//!
//! A tile that products read both as it is and transposed is written once: `ldmatrix` reads its 8 x 8 matrices either way, so
//! the transposed one is another view of the same bytes (`left_turned` and `right_turned` of `dot`).

use melior::ir::ValueLike;

use super::warpgroup::{EITHER_WAY_BYTES, turned};
use super::{Conversions, inside_warps, order_of, product, shared_between};
use crate::build::Rebuilder;
use crate::dialect::ops::{Convert, Dot};
use crate::element_bytes;
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, attributes, key, operands};
use crate::layout::SharedLayout;
use crate::to_llvm::reads_matrices;

impl<'c> Conversions<'_, '_, 'c> {
    /// A product whose operands are fragments in registers, or in shared memory.
    pub(super) fn warp_product(&self, to: &mut Rebuilder<'c>, dot: Dot<'c>) {
        let mut all = attributes(dot.0);
        all.push(("depth", self.depth(to, dot)));
        let sides = [
            (dot.left(), "left_layout", "left_turned"),
            (dot.right(), "right_layout", "right_turned"),
        ];
        for (operand, read, turned) in sides {
            let Some(convert) = self.comes_through_shared(operand) else {
                continue;
            };
            let layout = TileType::of(operand).and_then(TileType::encoding);
            all.push((read, layout.expect("a layout")));
            if self.is_read_transposed(convert) {
                all.push((turned, to.builder.int(1)));
            }
        }
        let list: Vec<_> = operands(dot.0)
            .into_iter()
            .map(|operand| to.one(operand))
            .collect();
        product(to, dot, &list, &all);
    }

    /// Whether products on `mma` take a value from shared memory themselves, and nothing else uses it.
    pub(super) fn feeds_dot(&self, value: Value<'c>) -> bool {
        self.comes_through_shared(value).is_some()
            && self.users[&key(value)].iter().all(|user| {
                Dot::of(*user).is_some_and(|dot| dot.path() == "mma" && dot.accumulator() != value)
            })
    }

    /// Whether a value comes through shared memory to the one operation that uses it.
    fn comes_through_shared(&self, value: Value<'c>) -> Option<Convert<'c>> {
        let convert = defining_operation(value).and_then(Convert::of)?;
        let from = self.encodings.layout(convert.operand());
        let wanted = self.encodings.layout(convert.result());
        let users = self.users.get(&key(value));
        let alone = users.is_some_and(|users| users.len() == 1);
        (alone && inside_warps(&from, &wanted).is_none()).then_some(convert)
    }

    /// The buffer from which a product reads what a conversion gives: one that there is, or a new one.
    pub(super) fn buffer_for_dot(&self, to: &mut Rebuilder<'c>, convert: Convert<'c>) -> Value<'c> {
        let value = convert.operand();
        let source = turned(value).unwrap_or(value);
        if let Some(layout) = self.layout_either_way(source) {
            return self.written_once(to, source, &layout).0;
        }
        let from = self.encodings.layout(value);
        let wanted = self.encodings.layout(convert.result());
        let layout = shared_between(&from, &wanted, element_bytes(value.r#type()), true);
        let value = to.one(value);
        self.write(to, value, &layout)
    }

    /// Whether a conversion brings a transposed tile to a product, which reads what it is the transposed tile of.
    fn is_read_transposed(&self, convert: Convert<'c>) -> bool {
        let source = turned(convert.operand());
        source.is_some_and(|source| self.layout_either_way(source).is_some())
    }

    /// The layout in which all products on `mma` read a tile from shared memory, if some read it as it is, others
    /// transposed, and one layout serves all of them.
    fn layout_either_way(&self, source: Value<'c>) -> Option<SharedLayout> {
        if element_bytes(source.r#type()) != EITHER_WAY_BYTES {
            return None;
        }
        let as_it_is = self.conversions_for_dots(source);
        let transposed = self.transposed_from(source);
        let transposed: Vec<_> = transposed
            .flat_map(|value| self.conversions_for_dots(value))
            .collect();
        let first = as_it_is.first()?;
        transposed.first()?;
        let from = self.encodings.layout(source);
        let mut covered = from.covered();
        let order = order_of(&from, &self.encodings.layout(first.result()));
        for (converts, axes) in [(&as_it_is, [0, 1]), (&transposed, [1, 0])] {
            for convert in converts {
                let wanted = self.encodings.layout(convert.result()).covered();
                for (axis, covered) in axes.into_iter().zip(&mut covered) {
                    *covered = wanted[axis].max(*covered);
                }
            }
        }
        let shared = SharedLayout::for_ldmatrix(&covered, &order, EITHER_WAY_BYTES);
        let other_way = shared.clone().transposed();
        let reads = |convert: &Convert<'c>, from: &SharedLayout| {
            reads_matrices(&self.encodings.layout(convert.result()), from)
        };
        let fits = as_it_is.iter().all(|convert| reads(convert, &shared))
            && transposed.iter().all(|convert| reads(convert, &other_way));
        fits.then_some(shared)
    }

    /// The conversions of a tile that products on `mma` read from shared memory.
    fn conversions_for_dots(&self, value: Value<'c>) -> Vec<Convert<'c>> {
        let users = self.users.get(&key(value)).into_iter().flatten();
        let converts = users.filter_map(|user| Convert::of(*user));
        converts
            .filter(|convert| self.feeds_dot(convert.result()))
            .collect()
    }

    /// Whether an operation brings a transposed tile to a product that reads what it is the transposed tile of.
    pub(super) fn brings_transposed(&self, user: Operation<'c>) -> bool {
        Convert::of(user).is_some_and(|convert| {
            self.feeds_dot(convert.result()) && self.is_read_transposed(convert)
        })
    }
}
