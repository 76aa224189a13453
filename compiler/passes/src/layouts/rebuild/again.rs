//! What has no home, because it is cheap: built again in each layout it is wanted in.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Type, ValueLike};

use super::super::{inverse, shape_of};
use super::Place;
use crate::build::Rebuilder;
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::TileOp;
use crate::dialect::ops::Reshape;
use crate::encoding::runs_attribute;
use crate::ffi::defining_operation;
use crate::ir::{Value, attributes, name};
use crate::layout::Layout;

impl<'c> Place<'_, '_, 'c> {
    /// Builds a value without home in the layout it is wanted in, or from one that is brought there.
    pub(super) fn build_again(
        &mut self,
        to: &mut Rebuilder<'c>,
        old: Value<'c>,
        layout: &Layout,
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let operation = defining_operation(old).expect("block arguments have homes");
        if let Some(TileOp::Load(load)) = TileOp::of(operation) {
            return self.load_in(to, load, layout);
        }
        let mut list = attributes(operation);
        // Index arithmetic and masks: once for elements that are known to be the same.
        if name(operation).starts_with("arith.") && is_integer(old) {
            let constancy = self.homes.facts.of(old).constancy;
            list.extend(runs_attribute(&to.builder, &constancy));
        }
        let operand_layout = match TileOp::of(operation) {
            Some(TileOp::Expand(expand)) => layout.remove_dimension(expand.axis() as usize),
            Some(TileOp::Broadcast(broadcast)) => {
                let from = shape_of(broadcast.operand());
                let mut projected = layout.clone();
                for (axis, (small, large)) in from.iter().zip(layout.shape()).enumerate() {
                    if small != large {
                        projected = projected.project(axis);
                    }
                }
                projected
            }
            Some(TileOp::Permute(permute)) => layout.permute(&inverse(&permute.permutation())),
            Some(TileOp::Reshape(reshape)) => {
                let shape = shape_of(reshape.operand());
                match layout.reshape(&shape) {
                    Some(layout) => layout,
                    None => return self.reshape_elsewhere(to, reshape, ty),
                }
            }
            _ if name(operation) == "arith.constant" => {
                let value = operation.attribute("value").ok();
                let text = value.map(|value| value.to_string()).unwrap_or_default();
                let splat = text.split(" : ").next().unwrap_or_default();
                let attribute = to.builder.parse_attribute(&format!("{splat} : {ty}"));
                return Ok(to
                    .builder
                    .value("arith.constant", &[], &[("value", attribute)], ty));
            }
            _ => layout.clone(),
        };
        let new = self.place_operands(to, operation, &operand_layout)?;
        Ok(to.builder.value(name(operation), &new, &list, ty))
    }

    /// Reshapes in a layout that the operand could have, where the one wanted is none of its: a tile
    /// in it may have copies where the operand would have padding.
    fn reshape_elsewhere(
        &mut self,
        to: &mut Rebuilder<'c>,
        reshape: Reshape<'c>,
        ty: Type<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let from = self.homes.home_or_neutral(reshape.operand());
        let Some(reshaped) = from.reshape(&shape_of(reshape.result())) else {
            let span = self.homes.cx.span(reshape.0.location());
            return Err(messages::lowering::not_lowered("this reshape", span));
        };
        let operand = self.place(to, reshape.operand(), &from)?;
        let there = self.typed(reshape.result(), &reshaped);
        let value = to.builder.value("tile.reshape", &[operand], &[], there);
        Ok(if there == ty {
            value
        } else {
            to.builder.value("tile.convert", &[value], &[], ty)
        })
    }
}

/// Whether the elements are integers, which facts are about.
fn is_integer(value: Value<'_>) -> bool {
    crate::ir::element_type(value.r#type()).is_integer()
}
