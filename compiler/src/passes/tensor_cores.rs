//! `tensor-cores`: how each dot is computed.
//!
//! Products of 16-bit floats go to the tensor cores (`mma.sync.m16n8k16`); f32 and the rest are sums of
//! fused multiply-adds, which keep their accuracy.

use melior::ir::{Module, ValueLike};

use super::{PassContext, function_name, rebuild_functions, spelled};
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::TileOp;
use crate::ir::{Operation, Rebuilder, Rewrite, TileType, attributes};
use melior::ir::operation::OperationLike;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions(cx, &module, |function| {
        Ok(TensorCores {
            cx,
            function: function_name(function).to_owned(),
        })
    })
}

struct TensorCores<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: String,
}

impl<'c> Rewrite<'c> for TensorCores<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(TileOp::Dot(dot)) = TileOp::of(operation) else {
            return Ok(false);
        };
        let span = self.cx.span(operation.location());
        let (Some(left), Some(accumulator)) =
            (TileType::of(dot.left()), TileType::of(dot.accumulator()))
        else {
            return Err(messages::lowering::not_lowered("a dot of scalars", span));
        };
        if left.shape().len() != 2 {
            return Err(messages::lowering::not_lowered("a batched dot", span));
        }
        let element = left.element().to_string();
        let sum = accumulator.element().to_string();
        let path = match (element.as_str(), sum.as_str()) {
            ("f16" | "bf16", "f32") => "mma",
            ("f32", "f32") if dot.precision() == "tf32" => {
                return Err(messages::lowering::not_lowered("`precision = tf32`", span));
            }
            ("f32", "f32") | ("f64", "f64") => "fma",
            _ => {
                let what = format!("a dot of `{element}` accumulated in `{sum}`");
                return Err(messages::lowering::not_lowered(&what, span));
            }
        };
        let message = match path {
            "mma" => format!(
                "{} times {} runs on the tensor cores: mma.sync.m16n8k16",
                spelled(dot.left().r#type()),
                spelled(dot.right().r#type())
            ),
            _ => format!(
                "{} times {} runs as fused multiply-adds, to keep {element} accuracy",
                spelled(dot.left().r#type()),
                spelled(dot.right().r#type())
            ),
        };
        self.cx
            .decided("tensor-cores", &self.function, Some(span), message);
        let mut list = attributes(operation);
        list.retain(|(name, _)| name != "path");
        list.push(("path".to_owned(), to.builder.text(path)));
        to.copy_with_attributes(self, operation, &list)?;
        Ok(true)
    }
}
