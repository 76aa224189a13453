//! Inline PTX.

use melior::ir::ValueLike;
use tile_runtime::element::ElementType;

use super::{Lowering, number_type};
use crate::diagnostic::{Diagnostic, Span};
use crate::dialect::{free_segments, several_segments};
use crate::inline_ptx::InlinePtx;
use crate::ir::{TileType, Value, results};
use crate::typed::{Expr, VariableId};

/// Names as an attribute has them.
fn names(elements: &[ElementType]) -> String {
    let names: Vec<&str> = elements.iter().map(|element| element.name()).collect();
    names.join(" ")
}

impl<'c> Lowering<'_, 'c> {
    /// With effects, one of scalars is one of tiles of one element: it happens once, not once per
    /// thread.
    pub(super) fn asm(
        &mut self,
        variables: &[VariableId],
        asm: &InlinePtx,
        arguments: &[Expr],
        span: Span,
    ) -> Result<(), Diagnostic> {
        let mut shape = arguments
            .first()
            .map_or_else(Vec::new, |argument| argument.ty.shape.clone());
        let once = asm.effects && shape.is_empty();
        if once {
            shape = vec![1];
        }
        let mut list: Vec<Value<'c>> = Vec::new();
        for argument in arguments {
            let mut value = self.expr(argument)?;
            self.at(span);
            if once {
                let one = TileType::new(&[1], value.r#type(), None).ty();
                value = self.builder.value("tile.splat", &[value], &[], one);
            }
            list.push(value);
        }
        self.at(span);
        let types: Vec<_> = asm
            .results
            .iter()
            .map(|element| {
                let element = number_type(&self.builder, *element);
                if shape.is_empty() {
                    element
                } else {
                    TileType::new(&shape, element, None).ty()
                }
            })
            .collect();
        let operands: Vec<i32> = free_segments(list.len()).collect();
        let segments: Vec<i32> = several_segments(types.len()).collect();
        let attributes = [
            ("text", self.builder.text(&asm.text)),
            ("argument_types", self.builder.text(&names(&asm.arguments))),
            ("result_types", self.builder.text(&names(&asm.results))),
            ("pack", self.builder.int(i64::from(asm.pack))),
            ("effects", self.builder.int(i64::from(asm.effects))),
            ("operandSegmentSizes", self.builder.ints32(&operands)),
            ("resultSegmentSizes", self.builder.ints32(&segments)),
        ];
        let operation = self.builder.insert("tile.asm", &list, &attributes, &types);
        for (variable, mut value) in variables.iter().zip(results(operation)) {
            if once {
                value = self.single(value)?;
            }
            self.values.insert(*variable, value);
        }
        Ok(())
    }
}
