//! Atomic accesses.

use melior::ir::ValueLike;

use super::Lowering;
use crate::diagnostic::Diagnostic;
use crate::ir::{TileType, Value};
use crate::typed::{Element, Stmt, StmtKind};

impl<'c> Lowering<'_, 'c> {
    /// A scalar access is one of a tile of one element: it happens once, not once per thread.
    pub(super) fn atomic(&mut self, statement: &Stmt) -> Result<(), Diagnostic> {
        let StmtKind::Atomic {
            variable,
            operation,
            pointers,
            compare,
            value,
            mask,
            order,
            scope,
        } = &statement.kind
        else {
            return Ok(());
        };
        let signed = match value.ty.element {
            Element::Number(element) => element.is_signed(),
            Element::Pointer { .. } => false,
        };
        let is_scalar = pointers.ty.shape.is_empty();
        let pointers = self.expr(pointers)?;
        let compare = compare.as_ref().map(|expr| self.expr(expr)).transpose()?;
        let value = self.expr(value)?;
        let mask = mask.as_ref().map(|expr| self.expr(expr)).transpose()?;
        self.at(statement.span);
        let sizes = [
            1,
            1,
            i32::from(compare.is_some()),
            i32::from(mask.is_some()),
        ];
        let list: Vec<Value<'c>> = [Some(pointers), Some(value), compare, mask]
            .into_iter()
            .flatten()
            .map(|operand| {
                if !is_scalar {
                    return operand;
                }
                let one = TileType::new(&[1], operand.r#type(), None).ty();
                self.builder.value("tile.splat", &[operand], &[], one)
            })
            .collect();
        let attributes = [
            ("operation", self.builder.text(operation.name())),
            ("order", self.builder.text(order.name())),
            ("scope", self.builder.text(scope.name())),
            ("signed", self.builder.int(i64::from(signed))),
            ("operandSegmentSizes", self.builder.ints32(&sizes)),
        ];
        let ty = list[1].r#type();
        let operation = self
            .builder
            .insert("tile.atomic", &list, &attributes, &[ty]);
        let mut old = crate::ir::result(operation, 0);
        if is_scalar {
            old = self.single(old)?;
        }
        if let Some(variable) = variable {
            self.values.insert(*variable, old);
        }
        Ok(())
    }
}
