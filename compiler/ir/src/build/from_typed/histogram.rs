//! Histograms: positions of 32 bits, and a mask that holds only where they are bins.

use melior::ir::{Type, ValueLike};

use super::Lowering;
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::dialect::predicates;
use crate::ir::{TileType, Value};
use crate::typed::{Element, Expr};

impl<'c> Lowering<'_, 'c> {
    pub(super) fn histogram(
        &mut self,
        operand: &Expr,
        mask: Option<&Expr>,
        ty: Type<'c>,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        let Element::Number(element) = operand.ty.element else {
            return Err(messages::lowering::not_lowered("counting pointers", span));
        };
        let value = self.expr(operand)?;
        let mask = mask.map(|mask| self.expr(mask)).transpose()?;
        self.at(span);
        let bins = TileType::from_type(ty)
            .and_then(|tile| tile.shape().first().copied())
            .unwrap_or(0);
        let bits = element.bits().max(32);
        let wide = self.builder.int_cast(value, bits, element.is_signed());
        let limit = self.builder.constant_int(bins as i64, wide.r#type());
        // As unsigned numbers, which negative ones are too large for.
        let is_bin = self.builder.compare_int(predicates::ULT, wide, limit);
        let mask = match mask {
            Some(mask) => self.builder.and(mask, is_bin),
            None => is_bin,
        };
        let at = self.builder.int_cast(wide, 32, false);
        Ok(self.builder.value("tile.histogram", &[at, mask], &[], ty))
    }
}
