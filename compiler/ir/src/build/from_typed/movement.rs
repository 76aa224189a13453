//! Elements in other places.

use melior::ir::{Type, ValueLike};

use super::Lowering;
use crate::diagnostic::Diagnostic;
use crate::dialect::mixed_segments;
use crate::ir::{TileType, Value};
use crate::typed::Expr;

impl<'c> Lowering<'_, 'c> {
    pub(super) fn gather(
        &mut self,
        operand: &Expr,
        indices: &[Expr],
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let operand = self.expr(operand)?;
        let mut positions = Vec::new();
        for index in indices {
            positions.push(self.expr(index)?);
        }
        Ok(self.gather_at(operand, &positions, ty))
    }

    pub(super) fn gather_at(
        &mut self,
        operand: Value<'c>,
        at: &[Value<'c>],
        ty: Type<'c>,
    ) -> Value<'c> {
        let mut list = vec![operand];
        list.extend(at);
        let mut sizes = vec![1];
        sizes.extend(mixed_segments(at.len()));
        let sizes = self.builder.ints32(&sizes);
        let attributes = [("operandSegmentSizes", sizes)];
        self.builder.value("tile.gather", &list, &attributes, ty)
    }

    /// Same elements in row-major order. Sizes that are powers of two only rename registers; others
    /// mix the bits of coordinates, so that elements move between threads.
    pub(super) fn reshape(
        &mut self,
        operand: Value<'c>,
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        if operand.r#type() == ty {
            return Ok(operand);
        }
        let (from, to) = match (TileType::of(operand), TileType::from_type(ty)) {
            // A scalar as a tile of one element, and back.
            (None, _) => return Ok(self.builder.value("tile.splat", &[operand], &[], ty)),
            (_, None) => return self.single(operand),
            (Some(from), Some(to)) => (from.shape(), to.shape()),
        };
        let without_ones = |shape: &[u64]| -> Vec<u64> {
            shape.iter().copied().filter(|size| *size != 1).collect()
        };
        let is_simple = |shape: &[u64]| shape.iter().all(|size| size.is_power_of_two());
        if is_simple(&from) && is_simple(&to) || without_ones(&from) == without_ones(&to) {
            return Ok(self.builder.value("tile.reshape", &[operand], &[], ty));
        }
        // The row-major number of each element of the result, taken apart into the operand's
        // coordinates.
        let mut number = None;
        for (axis, size) in to.iter().enumerate() {
            let at = self.coordinate(&to, axis);
            number = Some(match number {
                None => at,
                Some(number) => {
                    let size = self.constant_like(*size, at);
                    let scaled = self.builder.multiply(number, size);
                    self.builder.add(scaled, at)
                }
            });
        }
        let Some(mut number) = number else {
            return Ok(operand);
        };
        let mut positions = Vec::new();
        for (axis, size) in from.iter().enumerate().rev() {
            if axis == 0 {
                positions.push(number);
                break;
            }
            let size = self.constant_like(*size, number);
            positions.push(self.builder.binary("arith.remui", number, size));
            number = self.builder.binary("arith.divui", number, size);
        }
        positions.reverse();
        Ok(self.gather_at(operand, &positions, ty))
    }

    pub(super) fn constant_like(&mut self, value: u64, like: Value<'c>) -> Value<'c> {
        self.builder.constant_int(value as i64, like.r#type())
    }

    /// The coordinate along `axis` of every element of a shape, `i32`.
    pub(super) fn coordinate(&mut self, shape: &[u64], axis: usize) -> Value<'c> {
        let narrow = self.builder.int_type(32);
        let row = TileType::new(&[shape[axis]], narrow, None).ty();
        let lo = self.builder.int(0);
        let mut count = self.builder.value("tile.arange", &[], &[("lo", lo)], row);
        let mut sizes = vec![shape[axis]];
        for rank in 2..shape.len() - axis + 1 {
            sizes.resize(rank, 1);
            let expanded = TileType::new(&sizes, narrow, None).ty();
            let axis = self.builder.int(sizes.len() as i64 - 1);
            count = self
                .builder
                .value("tile.expand", &[count], &[("axis", axis)], expanded);
        }
        let full = TileType::new(shape, narrow, None).ty();
        self.broadcast(count, full)
    }
}
