//! `tensor-cores`: how each dot is computed.
//!
//! Products of 16-bit floats, of tf32, of 8-bit integers and of fp8 go to the tensor cores, most of
//! fp8 as f16: to `wgmma` where the target has it and the shape is made of its instructions, else to
//! `mma.sync`; f32 and f64 are sums of fused multiply-adds, which keep their accuracy. A product on `wgmma` whose right
//! operand is computed is turned around ([`turned`]); before all that, what is added to a product becomes what it adds to
//! ([`sums`]), and what such a sum begins with is added in the end ([`initial`]). Programs that multiply once do it in a loop ([`rounds`]).

use melior::ir::{Module, Type, ValueLike};

use super::{
    PassContext, function_name, is_positive_zero, order, reads_product, rebuild_functions_with,
    spelled,
};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::remark::{DotPath, RemarkKind};
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::TileOp;
use crate::dialect::ops::Dot;
use crate::facts::FactAnalysis;
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, attributes, int_attribute};
use crate::layout::descriptor::STEP_BYTES;
use crate::layout::mma::{WARPGROUP_M, warpgroup_columns};
use crate::target::{MOST_ADDED_UP, WIDEST_ACCESS};
use melior::ir::operation::OperationLike;

mod hints;
mod initial;
mod rounds;
mod sums;
mod turned;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let module = sums::run(cx, hints::run(cx, module)?)?;
    let module = initial::run(cx, module)?;
    let module = rebuild_functions_with(cx, &module, |function| {
        let rewrite = TensorCores {
            cx,
            function: function_name(function).to_owned(),
            most_sums: most_sums(cx, function),
            facts: FactAnalysis::new(function),
        };
        let mut attributes = Vec::new();
        if let Some(group) = order::group(function) {
            let span = cx.span(function.location());
            let kind = RemarkKind::GroupedPrograms {
                rows: group.rows as u64,
                axis: group.axis,
            };
            cx.remark(function_name(function), Some(span), kind);
            let top = crate::ffi::block(module.body());
            let builder = Builder::new(cx.context, top, function.location());
            attributes.extend(group.attributes(&builder));
        }
        Ok((rewrite, attributes))
    })?;
    turned::run(cx, rounds::run(cx, module)?)
}

struct TensorCores<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: String,
    most_sums: u64,
    facts: FactAnalysis<'c>,
}

/// Registers of a thread besides the sums of a `wgmma`. `ptxas` refuses a kernel without them ("Insufficient registers"): it spills no sum
/// of an instruction that runs.
const REGISTERS_BESIDE_SUMS: u64 = 26;

/// What multiplies 16 bits where there is no `wgmma`.
const PRODUCTS_OF_16_BITS: &str = "mma.sync.m16n8k16";

/// The most warps that a program with large products is given, if the kernel does not say how many.
const MOST_WARPS: i64 = 16;

/// The sums that a product on `wgmma` may have: what all threads have registers for. None where the target has no `wgmma`, or
/// the program fewer than four warps.
fn most_sums(cx: &PassContext<'_, '_>, function: Operation<'_>) -> u64 {
    let warps = int_attribute(function, "tile.warps").unwrap_or(MOST_WARPS);
    if !cx.target.has_warpgroup_products || warps < 4 {
        return 0;
    }
    let threads = 32 * warps.unsigned_abs();
    let registers = (cx.target.registers_per_program / threads).min(cx.target.registers_per_thread);
    registers.saturating_sub(REGISTERS_BESIDE_SUMS) * threads
}

/// Whether `wgmma` has instructions for a product: 64 rows, 256 bits along K, columns as
/// [`warpgroup_columns`] has them. Other shapes would be mostly padding. And whether its sums fit ([`most_sums`]). Elements are multiplied as
/// numbers of so many bytes.
fn is_for_warpgroups(dot: Dot<'_>, most_sums: u64, bytes: u64) -> bool {
    let shape = |value| TileType::of(value).map(TileType::shape).unwrap_or_default();
    let (left, right) = (shape(dot.left()), shape(dot.right()));
    let ([m, k], [_, n]) = (left.as_slice(), right.as_slice()) else {
        return false;
    };
    let is_i8 = crate::ir::element_type(dot.left().r#type()).to_string() == "i8";
    m * n <= most_sums
        && m.is_multiple_of(WARPGROUP_M)
        && k.is_multiple_of(STEP_BYTES / bytes)
        && warpgroup_columns(*n, is_i8).is_some()
}

/// Whether the elements of a tile are fp8.
fn is_fp8(value: Value<'_>) -> bool {
    let element = crate::ir::element_type(value.r#type());
    element.to_string().starts_with("f8")
}

/// Whether a product of fp8 can stay one: K has to be contiguous in both operands, which for B means that
/// its columns are in memory one after the other, or that it is computed as its transpose. Tensor cores add up its products with about 14 bits. Where f32's accuracy
/// is asked for, no more than a block of them is left to it, and f32 registers add the blocks: those and a
/// part of the block's sums must fit.
fn is_for_fp8<'c>(dot: Dot<'c>, facts: &FactAnalysis<'c>) -> bool {
    let shape = |value| TileType::of(value).map(TileType::shape).unwrap_or_default();
    let (left, right) = (shape(dot.left()), shape(dot.right()));
    let ([m, _], [_, n]) = (left.as_slice(), right.as_slice()) else {
        return false;
    };
    let by_columns = match defining_operation(dot.right()).and_then(TileOp::of) {
        Some(TileOp::Permute(permute)) => permute.permutation() == [1, 0],
        Some(TileOp::Load(load)) => {
            let neighbours = facts.of(load.pointers()).contiguity;
            matches!(neighbours[..], [rows, columns] if rows >= WIDEST_ACCESS && rows > columns)
        }
        _ => false,
    };
    is_fp8(dot.left())
        && is_fp8(dot.right())
        && by_columns
        && (dot.precision() != "full" || m * n <= FP8_SUMS)
}

fn is_load(value: Value<'_>) -> bool {
    matches!(
        defining_operation(value).and_then(TileOp::of),
        Some(TileOp::Load(_))
    )
}

/// Sums of a product of fp8 at most: 128 for each of 256 threads, besides those of a part of a block.
const FP8_SUMS: u64 = 128 * 256;

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
        let element = left.element().to_string();
        let sum = accumulator.element().to_string();
        let tf32 = dot.precision() == "tf32";
        let path = match (element.as_str(), sum.as_str()) {
            ("f16" | "bf16" | "f8E4M3FN" | "f8E5M2", "f32" | "f16") => "mma",
            ("f32", "f32") if tf32 => "mma",
            ("i8", "i32") => "mma",
            ("f32", "f32") | ("f64", "f64") => "fma",
            _ => {
                let what = format!("a dot of `{element}` accumulated in `{sum}`");
                return Err(messages::lowering::not_lowered(&what, span));
            }
        };
        let is_fp8 = is_for_fp8(dot, &self.facts);
        let bytes = match element.as_str() {
            "f32" => 4,
            "i8" => 1,
            _ if is_fp8 => 1,
            _ => 2,
        };
        let groups = path == "mma" && is_for_warpgroups(dot, self.most_sums, bytes);
        let path = if groups { "wgmma" } else { path };
        let native = groups && is_fp8;
        let is_half = matches!(element.as_str(), "f16" | "bf16") && sum == "f32";
        let in_f32 = dot.precision() == "full" && (native || is_half);
        let depth = left.shape().last().copied().unwrap_or(0);
        // What is one block in all is a product that adds to nothing, which can overlap with others.
        let alone = in_f32
            && depth <= MOST_ADDED_UP
            && (!groups || is_positive_zero(dot.accumulator()) || reads_product(dot.left()));
        let apart = in_f32 && groups && !alone;
        let instruction = match element.as_str() {
            _ if native && in_f32 => "wgmma on fp8, whose sums are added in f32",
            _ if groups && in_f32 => "wgmma, whose sums are added in f32",
            _ if native => "wgmma on fp8, which keeps about 14 bits of sums on the way",
            "f32" if groups => "wgmma on operands cut to tf32",
            "f8E4M3FN" | "f8E5M2" if groups => "wgmma on operands widened to f16",
            _ if groups => "wgmma",
            _ if self.most_sums > 0 && is_for_warpgroups(dot, u64::MAX, bytes) => {
                "mma.sync, as no registers are left beside the sums for wgmma: a smaller tile is many times as fast"
            }
            "f32" => "mma.sync.m16n8k8 on operands cut to tf32",
            "i8" => "mma.sync.m16n8k32",
            "f8E4M3FN" | "f8E5M2" => "mma.sync.m16n8k16 on operands widened to f16",
            _ => PRODUCTS_OF_16_BITS,
        };
        // What may be turned yet is said then.
        if path != "mma" || self.most_sums == 0 || !turned::is_narrow(dot) {
            let taken = match path {
                "mma" | "wgmma" => DotPath::TensorCores(instruction),
                _ => DotPath::MultiplyAdds(element.to_string()),
            };
            self.cx
                .remark(&self.function, Some(span), remark(dot, taken));
        }
        // Products of f16 summed in f16 are summed in f32 and rounded once.
        let before = converted(to, dot.accumulator(), "f16", "arith.extf", "f32");
        let operands = if native {
            [to.one(dot.left()), to.one(dot.right()), before]
        } else {
            [to_f16(to, dot.left()), to_f16(to, dot.right()), before]
        };
        let mut list = attributes(operation);
        list.retain(|(name, _)| *name != "path");
        list.push(("path", to.builder.text(path)));
        if apart {
            list.push(("apart", to.builder.int(MOST_ADDED_UP as i64)));
        }
        let ty = operands[2].r#type();
        let product = match alone && !is_positive_zero(dot.accumulator()) {
            true => {
                let [left, right, sums] = operands;
                let zeros = to.builder.constant_float(0.0, ty);
                let block = to
                    .builder
                    .value("tile.dot", &[left, right, zeros], &list, ty);
                to.builder.binary("arith.addf", sums, block)
            }
            false => to.builder.value("tile.dot", &operands, &list, ty),
        };
        let wanted = dot.result().r#type();
        let product = if ty == wanted {
            product
        } else {
            to.builder.value("arith.truncf", &[product], &[], wanted)
        };
        to.bind(dot.result(), vec![product]);
        Ok(true)
    }
}

/// What is said of how a product is computed.
fn remark(dot: Dot<'_>, path: DotPath) -> RemarkKind {
    let is_f32 = crate::ir::element_type(dot.left().r#type()).to_string() == "f32";
    RemarkKind::Dot {
        left: spelled(dot.left().r#type()),
        right: spelled(dot.right().r#type()),
        can_be_tf32: is_f32 && matches!(path, DotPath::MultiplyAdds(_)),
        path,
    }
}

/// fp8 operands as f16, which holds all of them: older GPUs have no products of fp8, and Hopper's need
/// both operands K-major.
fn to_f16<'c>(to: &mut Rebuilder<'c>, old: Value<'c>) -> Value<'c> {
    let value = to.one(old);
    let Some(tile) = TileType::of(value).filter(|_| is_fp8(value)) else {
        return value;
    };
    let context = to.builder.context;
    let wide = tile.with_element(Type::float32(context)).ty();
    let wide = to.builder.value("arith.extf", &[value], &[], wide);
    let half = tile.with_element(Type::float16(context)).ty();
    to.builder.value("arith.truncf", &[wide], &[], half)
}

/// A value converted if its element is `from`.
fn converted<'c>(
    to: &mut Rebuilder<'c>,
    old: Value<'c>,
    from: &str,
    name: &'c str,
    element: &str,
) -> Value<'c> {
    let value = to.one(old);
    let Some(tile) = TileType::of(value).filter(|tile| tile.element().to_string() == from) else {
        return value;
    };
    let element = to.builder.parse_type(element);
    let ty = tile.with_element(element).ty();
    to.builder.value(name, &[value], &[], ty)
}
