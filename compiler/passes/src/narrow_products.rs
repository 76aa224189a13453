//! `narrow-products`: products of `f32` whose factors 16 bits hold are products of those.
//!
//! ```text
//! dot(extf(x: bf16), extf(y: bf16), acc)  ⇒  dot(x, y, acc)
//! ```
//!
//! A product of two numbers of 16 bits is exact in `f32`. What is loaded in 16 bits and made `f32` before it is multiplied is then copied
//! as it is, and multiplied by tensor cores. Those cut sums off, so no more than a block of products is added up by them.

use melior::ir::operation::OperationLike;
use melior::ir::{Module, Type, ValueLike};

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::TileOp;
use crate::dialect::ops::Dot;
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, attributes, element_type, name, operand};
use crate::target::MOST_ADDED_UP;
use crate::unused::without_unused;
use crate::{
    PassContext, each_operation, function_name, functions, is_positive_zero, rebuild_functions,
};

/// Operations that a factor is read through.
const DEEPEST: usize = 8;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let mut is_any = false;
    for function in functions(&module) {
        each_operation(function, &mut |operation| {
            is_any |= Dot::of(operation).and_then(held_by).is_some();
        });
    }
    if !is_any {
        return Ok(module);
    }
    let module = rebuild_functions(cx, &module, |function| {
        Ok(NarrowProducts {
            cx,
            function: function_name(function).to_owned(),
        })
    })?;
    without_unused(cx, &module)
}

/// The types of 16 bits that hold each factor of a product of `f32`, of which no more are added up than tensor cores may.
fn held_by(dot: Dot<'_>) -> Option<Held> {
    let is_wide = element_type(dot.left().r#type()).to_string() == "f32";
    let depth = TileType::of(dot.left())?.shape().last().copied()?;
    let is_short = depth <= MOST_ADDED_UP;
    let [left, right] = [dot.left(), dot.right()].map(|side| Held::of(side, 0));
    let held = left.filter(|_| is_wide && is_short)?.and(right?);
    (held.bf16 || held.f16).then_some(held)
}

struct NarrowProducts<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: String,
}

/// The types of 16 bits that hold each element of a tile.
#[derive(Clone, Copy)]
struct Held {
    bf16: bool,
    f16: bool,
}

impl Held {
    const BOTH: Self = Self {
        bf16: true,
        f16: true,
    };

    const fn element(self) -> &'static str {
        if self.bf16 { "bf16" } else { "f16" }
    }

    const fn and(self, other: Self) -> Self {
        Self {
            bf16: self.bf16 && other.bf16,
            f16: self.f16 && other.f16,
        }
    }

    /// By which types an `f32` is held.
    fn of(value: Value<'_>, depth: usize) -> Option<Self> {
        if is_positive_zero(value) {
            return Some(Self::BOTH);
        }
        let operation = defining_operation(value).filter(|_| depth < DEEPEST)?;
        let source = || element_type(operand(operation, 0).r#type()).to_string();
        match name(operation) {
            "arith.extf" => Some(match source().as_str() {
                "bf16" => Self {
                    f16: false,
                    ..Self::BOTH
                },
                "f16" => Self {
                    bf16: false,
                    ..Self::BOTH
                },
                "f8E4M3FN" | "f8E5M2" => Self::BOTH,
                _ => return None,
            }),
            // Eight bits and more are behind the first one.
            "arith.sitofp" | "arith.uitofp" => (source() == "i8").then_some(Self::BOTH),
            "arith.select" => {
                let [one, other] = [1, 2].map(|side| Self::of(operand(operation, side), depth + 1));
                Some(one?.and(other?))
            }
            _ if is_moved(operation) => Self::of(operand(operation, 0), depth + 1),
            _ => None,
        }
    }
}

/// Whether an operation gives the elements of its operand.
fn is_moved(operation: Operation<'_>) -> bool {
    matches!(
        TileOp::of(operation),
        Some(TileOp::Permute(_) | TileOp::Reshape(_) | TileOp::Broadcast(_) | TileOp::Expand(_))
    )
}

/// A factor in a type of 16 bits that holds it.
fn narrowed<'c>(to: &mut Rebuilder<'c>, value: Value<'c>, element: Type<'c>) -> Value<'c> {
    let tile = TileType::of(value).expect("factors are tiles");
    let ty = tile.with_element(element).ty();
    if is_positive_zero(value) {
        return to.builder.constant_float(0.0, ty);
    }
    let operation = defining_operation(value).expect("what is held is computed");
    let first = operand(operation, 0);
    match name(operation) {
        "arith.extf" if element_type(first.r#type()) == element => to.one(first),
        "arith.select" => {
            let condition = to.one(first);
            let [one, other] = [1, 2].map(|side| narrowed(to, operand(operation, side), element));
            to.builder.select(condition, one, other)
        }
        moved if is_moved(operation) => {
            let inside = narrowed(to, first, element);
            to.builder
                .value(moved, &[inside], &attributes(operation), ty)
        }
        _ => {
            let wide = to.one(value);
            to.builder.value("arith.truncf", &[wide], &[], ty)
        }
    }
}

impl<'c> Rewrite<'c> for NarrowProducts<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let found = Dot::of(operation).and_then(|dot| Some((dot, held_by(dot)?)));
        let Some((dot, held)) = found else {
            return Ok(false);
        };
        let element = to.builder.parse_type(held.element());
        let [left, right] = [dot.left(), dot.right()].map(|side| narrowed(to, side, element));
        let sums = to.one(dot.accumulator());
        let mut all = attributes(operation);
        all.retain(|(name, _)| *name != "precision");
        let precision = match dot.precision() {
            "tf32" => "usual",
            _ => "full",
        };
        all.push(("precision", to.builder.text(precision)));
        let ty = dot.result().r#type();
        let product = to.builder.value("tile.dot", &[left, right, sums], &all, ty);
        to.bind(dot.result(), vec![product]);
        let span = Some(self.cx.span(operation.location()));
        let element = held.element().to_owned();
        self.cx
            .remark(&self.function, span, RemarkKind::NarrowProduct { element });
        Ok(true)
    }
}
