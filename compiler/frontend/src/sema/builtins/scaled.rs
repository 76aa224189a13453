//! `dot_scaled`: products of block-scaled operands, elaborated into conversions and a `dot`.
//!
//! A block is 32 neighbours along K with one scale, a power of two: the byte `s` stands for
//! `2^(s - 127)` (e8m0), and 255 for NaN. Scaled elements are `bf16`, in which all formats but `f16`
//! and all scales are exact; a product of the two is rounded once, and is exact unless it is subnormal
//! in `bf16` (overflow is to infinity). With an operand of `f16` both are `f32`, exact in the same
//! sense, and the product is one of `f32`, off the tensor cores' fast path. Sums are `f32` as in `dot`.
//!
//! ```text
//! dot_scaled(a, sa, b, sb)   ⇒   dot((a as bf16) * scale(sa), (b as bf16) * scale(sb))
//! ```

use tile_runtime::element::ElementType::{self, BF16, F8E4M3, F8E5M2, F16, F32, U8, U16};

use super::{Call, linear};
use crate::diagnostic::{Span, messages};
use crate::sema::build;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Located, Operand};
use crate::typed::{BinaryOperation, CompareOperation, Expr, Precision};

/// Words for `a_format` and `b_format`.
pub(super) const FORMATS: &[&str] = &["e2m1", "e4m3", "e5m2", "bf16", "f16"];

/// Elements along K that share a scale.
const BLOCK: u64 = 32;

/// What the elements of an operand are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    /// A number as it is, or bytes that are its bits.
    Plain(ElementType),
    /// e2m1, two to a byte along K, the first in the low half.
    Packed,
}

/// An operand and its scales, checked.
struct Scaled {
    value: Expr,
    format: Format,
    scale: Expr,
    /// The dimension of `value` that is K.
    inner: usize,
    span: Span,
}

pub(super) fn dot_scaled<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let accumulator = call.take("acc");
    let Some(left) = operand(this, &mut call, ["a", "a_scale", "a_format"], 1) else {
        return Operand::Error;
    };
    let Some(right) = operand(this, &mut call, ["b", "b_scale", "b_format"], 0) else {
        return Operand::Error;
    };
    let has_f16 = [&left, &right]
        .iter()
        .any(|scaled| scaled.format == Format::Plain(F16));
    let element = if has_f16 { F32 } else { BF16 };
    let spans = [left.span, right.span];
    let [left, right] = [left, right].map(|scaled| {
        let value = scaled.decoded(this, element, span);
        this.once(value, None)
    });
    let (&[rows, inner], &[inner_right, columns]) = (&left.ty.shape[..], &right.ty.shape[..])
    else {
        return Operand::Error;
    };
    if inner != inner_right {
        return this.error(messages::shapes::dot_inner(
            (&left.ty, spans[0]),
            (&right.ty, spans[1]),
        ));
    }
    let elements = (element, span, element, span);
    let shape = vec![rows, columns];
    let Some(accumulator) = linear::summed(this, elements, accumulator, shape, span) else {
        return Operand::Error;
    };
    Operand::value(linear::product(
        [left, right, accumulator],
        Precision::Usual,
        span,
    ))
}

/// An operand with its scales and format; `inner` is its dimension K.
fn operand<'a>(
    this: &mut Elaborator<'a>,
    call: &mut Call<'a>,
    [name, scale, format]: [&str; 3],
    inner: usize,
) -> Option<Scaled> {
    let (at, scale, word) = (call.take(name)?, call.take(scale)?, call.word(format));
    let (value, element) = this.number_value(&at)?;
    let format = match word.as_ref().map(|(word, _)| word.as_str()) {
        Some("e2m1") if element == U8 => Format::Packed,
        Some("e4m3") if matches!(element, U8 | F8E4M3) => Format::Plain(F8E4M3),
        Some("e5m2") if matches!(element, U8 | F8E5M2) => Format::Plain(F8E5M2),
        Some("bf16") if element == BF16 => Format::Plain(BF16),
        Some("f16") if element == F16 => Format::Plain(F16),
        Some(word) => {
            let wanted = match word {
                "e2m1" => "a tile of `u8`, two numbers in each",
                "e4m3" => "a tile of `f8e4m3`, or of `u8` with its bits",
                "e5m2" => "a tile of `f8e5m2`, or of `u8` with its bits",
                "bf16" => "a tile of `bf16`",
                _ => "a tile of `f16`",
            };
            this.report(messages::types::expected(&at, wanted));
            return None;
        }
        None if matches!(element, F8E4M3 | F8E5M2 | BF16 | F16) => Format::Plain(element),
        None if element == U8 => {
            let wanted = "a format as well, such as `e2m1`, for bytes";
            let diagnostic = messages::types::expected(&at, wanted);
            this.report(diagnostic.help(format!("write `{format} = e2m1`")));
            return None;
        }
        None => {
            let wanted = "a tile of `f8e4m3`, `f8e5m2`, `bf16`, `f16`, or of `u8` with a format";
            this.report(messages::types::expected(&at, wanted));
            return None;
        }
    };
    let &[rows, columns] = &value.ty.shape[..] else {
        this.report(messages::types::expected(&at, "a tile of rank 2"));
        return None;
    };
    let packed = if format == Format::Packed { 2 } else { 1 };
    let sizes = [rows, columns];
    let (outer, depth) = (sizes[1 - inner], sizes[inner] * packed);
    if depth % BLOCK != 0 {
        let wanted = format!("a multiple of {BLOCK} elements along K, one scale for {BLOCK}");
        this.report(messages::types::expected(&at, &wanted));
        return None;
    }
    let scale = scales(this, &scale, outer, depth / BLOCK)?;
    Some(Scaled {
        value,
        format,
        scale,
        inner,
        span: at.span,
    })
}

/// The scales: `u8`, a row per row of `a` or column of `b`.
fn scales<'a>(
    this: &mut Elaborator<'a>,
    located: &Located<'a>,
    outer: u64,
    blocks: u64,
) -> Option<Expr> {
    let (scale, element) = this.number_value(located)?;
    if element != U8 || scale.ty.shape != [outer, blocks] {
        let wanted = format!("scales `tile<u8>[{outer}, {blocks}]`, one for {BLOCK} along K");
        this.report(messages::types::expected(located, &wanted));
        return None;
    }
    Some(scale)
}

impl Scaled {
    /// The elements times their scales.
    fn decoded(self, this: &mut Elaborator<'_>, element: ElementType, span: Span) -> Expr {
        let inner = self.inner;
        let value = match self.format {
            Format::Plain(format) => build::bitcast(self.value, format),
            Format::Packed => {
                let bytes = this.once(self.value, None);
                let halves = this.once(halves(bytes, inner, span), None);
                e2m1(halves, span)
            }
        };
        let value = build::cast(value, element);
        let scale = this.once(self.scale, None);
        let scale = build::cast(e8m0(scale, span), element);
        // One per block becomes one per element.
        let mut shape = scale.ty.shape.clone();
        shape.push(BLOCK);
        let scale = build::broadcast(build::expand(scale, 2), &shape);
        let scale = build::reshape(scale, vec![shape[0], shape[1] * BLOCK]);
        let scale = if inner == 0 {
            build::permute(scale, vec![1, 0], span)
        } else {
            scale
        };
        build::binary(BinaryOperation::Multiply, value, scale, span)
    }
}

/// The four low bits and the four high bits of every byte, one after the other along `axis`.
fn halves(bytes: Expr, axis: usize, span: Span) -> Expr {
    let mut shape = bytes.ty.shape.clone();
    shape.insert(axis + 1, 2);
    let all = build::broadcast(build::expand(bytes, axis + 1), &shape);
    let constant = |value| build::full(value, U8, &shape, span);
    let low = build::and(all.clone(), constant(15), span);
    let high = build::binary(BinaryOperation::ShiftRight, all, constant(4), span);
    let at = build::coordinate(&shape, axis + 1, span);
    let zero = build::full(0, ElementType::I32, &shape, span);
    let is_low = build::compare(CompareOperation::Equal, at, zero, span);
    let halves = build::select(is_low, low, high, span);
    let size = shape.remove(axis + 1);
    if let Some(along) = shape.get_mut(axis) {
        *along *= size;
    }
    build::reshape(halves, shape)
}

/// Numbers of four bits as `bf16`: sign, two bits of exponent (bias 1), one of mantissa.
fn e2m1(bits: Expr, span: Span) -> Expr {
    let shape = bits.ty.shape.clone();
    let wide = build::cast(bits, U16);
    let constant = |value| build::full(value, U16, &shape, span);
    let shifted = |value, by| build::binary(BinaryOperation::ShiftLeft, value, constant(by), span);
    let equals = |value: &Expr, number| {
        build::compare(
            CompareOperation::Equal,
            value.clone(),
            constant(number),
            span,
        )
    };
    let sign = build::and(wide.clone(), constant(8), span);
    let magnitude = build::and(wide, constant(7), span);
    // Exponent and mantissa stand as they do in bf16; the bias grows by 126.
    let normal = build::binary(
        BinaryOperation::Add,
        shifted(magnitude.clone(), 6),
        constant(126 << 7),
        span,
    );
    let half = build::select(equals(&magnitude, 1), constant(0x3f00), normal, span);
    let value = build::select(equals(&magnitude, 0), constant(0), half, span);
    let all = build::binary(BinaryOperation::Or, shifted(sign, 12), value, span);
    build::bitcast(all, BF16)
}

/// Scales as `bf16`: the exponent alone; 0 is subnormal there, and 255 NaN.
fn e8m0(bytes: Expr, span: Span) -> Expr {
    let shape = bytes.ty.shape.clone();
    let wide = build::cast(bytes, U16);
    let constant = |value| build::full(value, U16, &shape, span);
    let equals = |number| {
        build::compare(
            CompareOperation::Equal,
            wide.clone(),
            constant(number),
            span,
        )
    };
    let exponent = build::binary(BinaryOperation::ShiftLeft, wide.clone(), constant(7), span);
    let not_zero = build::select(equals(0), constant(0x0040), exponent, span);
    let bits = build::select(equals(255), constant(0x7fc0), not_zero, span);
    build::bitcast(bits, BF16)
}
