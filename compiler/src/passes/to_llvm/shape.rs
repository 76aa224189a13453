//! Shape operations: no instructions, only which register holds what.

use melior::ir::ValueLike;

use super::ToLlvm;
use super::threads::int;
use crate::dialect::ops::{Arange, Broadcast, Convert, Expand, Permute, Reshape};
use crate::ir::{Rebuilder, Value};
use crate::layout::Layout;
use crate::passes::conversions::register_moves;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn arange(&mut self, to: &mut Rebuilder<'c>, arange: Arange<'c>) {
        let layout = self.encodings.layout(arange.result());
        let lo = arange.lo();
        let registers = self.per_register(&layout, |register| {
            let coordinate = self.coordinate(&mut to.builder, &layout, 0, register);
            if lo == 0 {
                return coordinate;
            }
            let lo = int(&mut to.builder, lo);
            to.builder.add(coordinate, lo)
        });
        to.bind(arange.result(), registers);
    }

    /// Registers of the result from registers of the operand: `map` gives the coordinates of the
    /// operand's element for those of the result's.
    fn gather(
        &self,
        to: &mut Rebuilder<'c>,
        operand: Value<'c>,
        result: Value<'c>,
        map: impl Fn(&[u64], &Layout) -> Vec<u64>,
    ) {
        let from = self.encodings.layout(operand);
        let wanted = self.encodings.layout(result);
        let source = to.many(operand).to_vec();
        let registers = (0..wanted.register_count())
            .map(|register| {
                let coordinates = map(&wanted.register_coordinates(register), &from);
                let register = from
                    .register_with_coordinates(&coordinates)
                    .expect("layouts gave the operand the layout this operation needs");
                source[register]
            })
            .collect();
        to.bind(result, registers);
    }

    pub(super) fn expand(&mut self, to: &mut Rebuilder<'c>, expand: Expand<'c>) {
        let axis = expand.axis() as usize;
        self.gather(to, expand.operand(), expand.result(), |coordinates, _| {
            let mut coordinates = coordinates.to_vec();
            coordinates.remove(axis);
            coordinates
        });
    }

    pub(super) fn broadcast(&mut self, to: &mut Rebuilder<'c>, broadcast: Broadcast<'c>) {
        self.gather(
            to,
            broadcast.operand(),
            broadcast.result(),
            |coordinates, from| {
                coordinates
                    .iter()
                    .zip(from.shape())
                    .map(|(coordinate, size)| if *size == 1 { 0 } else { *coordinate })
                    .collect()
            },
        );
    }

    pub(super) fn permute(&mut self, to: &mut Rebuilder<'c>, permute: Permute<'c>) {
        let permutation = permute.permutation();
        self.gather(to, permute.operand(), permute.result(), |coordinates, _| {
            let mut original = vec![0; coordinates.len()];
            for (position, axis) in permutation.iter().enumerate() {
                original[*axis as usize] = coordinates[position];
            }
            original
        });
    }

    pub(super) fn reshape(&mut self, to: &mut Rebuilder<'c>, reshape: Reshape<'c>) {
        let from = self.encodings.layout(reshape.operand());
        let wanted = self.encodings.layout(reshape.result());
        let source = to.many(reshape.operand()).to_vec();
        let order = from
            .reshaped_registers(wanted.shape())
            .expect("layouts reshapes what can be");
        to.bind(
            reshape.result(),
            order.into_iter().map(|register| source[register]).collect(),
        );
    }

    pub(super) fn convert(&mut self, to: &mut Rebuilder<'c>, convert: Convert<'c>) {
        let from = self.encodings.layout(convert.operand());
        let wanted = self.encodings.layout(convert.result());
        let moves =
            register_moves(&from, &wanted).expect("other conversions went through shared memory");
        let source = to.many(convert.operand()).to_vec();
        to.bind(
            convert.result(),
            moves.into_iter().map(|register| source[register]).collect(),
        );
        debug_assert!(convert.result().r#type() != convert.operand().r#type());
    }
}
