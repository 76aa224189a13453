//! Conversions between element types.
//!
//! Floats round to nearest even, once. Where the way to the target leads over another format, it is
//! over one that holds the source exactly, or the first step rounds to odd: the last bit then says that
//! something was lost, which is all the second rounding needs to know (Boldo and Melquiond, "Emulation
//! of FMA and correctly rounded sums", 2008).

use melior::ir::{Type, ValueLike};
use tile_runtime::element::ElementType;

use super::{Lowering, operations::number};
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::dialect::predicates;
use crate::ir::Value;
use crate::typed::{Element, Rounding};

/// The largest number of e5m2.
pub const LARGEST_E5M2: f64 = 57344.0;

impl<'c> Lowering<'_, 'c> {
    pub(super) fn cast(
        &mut self,
        operand: Value<'c>,
        from: Element,
        to: Element,
        rounding: Rounding,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        let (Element::Number(source), Element::Number(target)) = (from, to) else {
            let ty = self.with_element(operand, to);
            if ty == operand.r#type() {
                return Ok(operand);
            }
            return Err(messages::lowering::not_lowered("casting pointers", span));
        };
        if source == target {
            return Ok(operand);
        }
        if rounding == Rounding::TowardZero && target.is_float() {
            return Ok(self.cast_toward_zero(operand, source, target));
        }
        Ok(self.cast_number(operand, source, target))
    }

    /// A value of a float type as f32 (f64 as it is), exactly.
    pub(super) fn widened(&mut self, value: Value<'c>, element: Element) -> Value<'c> {
        let kind = number(element);
        if kind.bits() >= 32 {
            return value;
        }
        self.cast_number(value, kind, ElementType::F32)
    }

    /// To nearest even.
    pub(super) fn cast_number(
        &mut self,
        operand: Value<'c>,
        source: ElementType,
        target: ElementType,
    ) -> Value<'c> {
        let ty = self.number_type_like(operand, target);
        if source == target {
            return operand;
        }
        let is_fp8 = |element: ElementType| element.is_float() && element.bits() == 8;
        if is_fp8(source) || is_fp8(target) {
            // fp8 converts from and to f32 alone.
            let narrow = |state: &mut Self, value| {
                let ty = state.number_type_like(value, target);
                let value = match target {
                    ElementType::F8E5M2 => state.within_e5m2(value),
                    _ => value,
                };
                state.builder.value("arith.truncf", &[value], &[], ty)
            };
            return match (source, target) {
                (ElementType::F32, _) => narrow(self, operand),
                (ElementType::F64, _) => {
                    let odd = self.rounded_to_odd(operand);
                    narrow(self, odd)
                }
                (_, ElementType::F32) if is_fp8(source) => {
                    self.builder.value("arith.extf", &[operand], &[], ty)
                }
                _ => {
                    let middle = self.cast_number(operand, source, ElementType::F32);
                    self.cast_number(middle, ElementType::F32, target)
                }
            };
        }
        let one = |state: &mut Self, name, value| state.builder.value(name, &[value], &[], ty);
        match (source.is_float(), target.is_float()) {
            (false, false) if target == ElementType::I1 => self.is_nonzero(operand),
            (false, false) if source.bits() == target.bits() => operand,
            (false, false) => self
                .builder
                .int_cast(operand, target.bits(), source.is_signed()),
            (false, true) if source.is_signed() => one(self, "arith.sitofp", operand),
            (false, true) => one(self, "arith.uitofp", operand),
            (true, false) if target == ElementType::I1 => {
                let zero = self.builder.constant_float(0.0, operand.r#type());
                self.compare_float(predicates::UNE, operand, zero)
            }
            (true, false) if target.is_signed() => one(self, "arith.fptosi", operand),
            (true, false) => one(self, "arith.fptoui", operand),
            (true, true) if source.bits() < target.bits() => one(self, "arith.extf", operand),
            (true, true) if source.bits() > target.bits() => one(self, "arith.truncf", operand),
            // f16 and bf16: through f32, which holds both exactly.
            (true, true) => {
                let wide = self.number_type_like(operand, ElementType::F32);
                let widened = self.builder.value("arith.extf", &[operand], &[], wide);
                one(self, "arith.truncf", widened)
            }
        }
    }

    /// An f32 within the range of e5m2, or NaN. Conversions saturate, but MLIR folds that of an infinite constant to
    /// the infinity of e5m2; on a machine the conversion does both (`to_llvm/fp8.rs`).
    fn within_e5m2(&mut self, value: Value<'c>) -> Value<'c> {
        let largest = self.builder.constant_float(LARGEST_E5M2, value.r#type());
        let least = self.builder.constant_float(-LARGEST_E5M2, value.r#type());
        let value = self.builder.binary("arith.maximumf", value, least);
        self.builder.binary("arith.minimumf", value, largest)
    }

    fn number_type_like(&self, value: Value<'c>, element: ElementType) -> Type<'c> {
        self.with_element(value, Element::Number(element))
    }

    /// The bits of a float as an integer.
    pub(super) fn bits_of(&mut self, value: Value<'c>, element: ElementType) -> Value<'c> {
        let bits = match element.bits() {
            8 => ElementType::U8,
            16 => ElementType::U16,
            32 => ElementType::U32,
            _ => ElementType::U64,
        };
        let ty = self.number_type_like(value, bits);
        self.builder.value("arith.bitcast", &[value], &[], ty)
    }

    fn cast_toward_zero(
        &mut self,
        operand: Value<'c>,
        source: ElementType,
        target: ElementType,
    ) -> Value<'c> {
        // To a float at least as wide as the target, exactly or toward zero itself.
        let (value, source) = match source {
            integer if integer.is_integer() && integer.bits() <= 32 => (
                self.cast_number(operand, integer, ElementType::F64),
                ElementType::F64,
            ),
            integer if integer.is_integer() => (
                self.wide_integer_toward_zero(operand, integer),
                ElementType::F64,
            ),
            narrow if narrow.bits() < 32 => (
                self.cast_number(operand, narrow, ElementType::F32),
                ElementType::F32,
            ),
            wide => (operand, wide),
        };
        if target.bits() >= source.bits() {
            return self.cast_number(value, source, target);
        }
        self.narrowed_toward_zero(value, source, target)
    }

    /// A 64-bit integer as f64, rounded toward zero: its halves are exact, their sum is rounded, and what
    /// was lost says which way (Dekker's fast two-sum).
    fn wide_integer_toward_zero(&mut self, operand: Value<'c>, source: ElementType) -> Value<'c> {
        let ty = operand.r#type();
        let zero = self.builder.constant_int(0, ty);
        let is_negative = source
            .is_signed()
            .then(|| self.builder.compare_int(predicates::SLT, operand, zero));
        let magnitude = match is_negative {
            Some(is_negative) => {
                // The opposite of the smallest wraps to itself, which is right without a sign.
                let opposite = self.builder.binary("arith.subi", zero, operand);
                self.builder.select(is_negative, opposite, operand)
            }
            None => operand,
        };
        let places = self.builder.constant_int(32, ty);
        let mask = self.builder.constant_int(0xffff_ffff, ty);
        let high = self.builder.binary("arith.shrui", magnitude, places);
        let low = self.builder.binary("arith.andi", magnitude, mask);
        let high = self.cast_number(high, ElementType::U64, ElementType::F64);
        let low = self.cast_number(low, ElementType::U64, ElementType::F64);
        let unit = self.builder.constant_float(4_294_967_296.0, high.r#type());
        let high = self.builder.binary("arith.mulf", high, unit);
        let sum = self.builder.binary("arith.addf", high, low);
        let taken = self.builder.binary("arith.subf", sum, high);
        let beyond = self.compare_float(predicates::OGT, taken, low);
        let bits = self.bits_of(sum, ElementType::F64);
        let one = self.builder.constant_int(1, bits.r#type());
        let before = self.builder.binary("arith.subi", bits, one);
        let bits = self.builder.select(beyond, before, bits);
        let value = self
            .builder
            .value("arith.bitcast", &[bits], &[], sum.r#type());
        match is_negative {
            Some(is_negative) => {
                let negative = self
                    .builder
                    .value("arith.negf", &[value], &[], value.r#type());
                self.builder.select(is_negative, negative, value)
            }
            None => value,
        }
    }

    /// The nearest, or the bits before it where that is larger in magnitude: infinity becomes the
    /// largest finite number.
    fn narrowed_toward_zero(
        &mut self,
        value: Value<'c>,
        source: ElementType,
        target: ElementType,
    ) -> Value<'c> {
        let nearest = self.cast_number(value, source, target);
        let back = self.cast_number(nearest, target, source);
        let magnitude = |state: &mut Self, value: Value<'c>| {
            state
                .builder
                .value("math.absf", &[value], &[], value.r#type())
        };
        let (back, exact) = (magnitude(self, back), magnitude(self, value));
        let beyond = self.compare_float(predicates::OGT, back, exact);
        let bits = self.bits_of(nearest, target);
        let one = self.builder.constant_int(1, bits.r#type());
        let before = self.builder.binary("arith.subi", bits, one);
        let bits = self.builder.select(beyond, before, bits);
        let ty = nearest.r#type();
        self.builder.value("arith.bitcast", &[bits], &[], ty)
    }

    /// f64 to f32, rounded to odd.
    fn rounded_to_odd(&mut self, value: Value<'c>) -> Value<'c> {
        let cut = self.narrowed_toward_zero(value, ElementType::F64, ElementType::F32);
        let back = self.cast_number(cut, ElementType::F32, ElementType::F64);
        let lost = self.compare_float(predicates::UNE, back, value);
        let bits = self.bits_of(cut, ElementType::F32);
        let width = ElementType::F32.bits();
        let lost = self.builder.int_cast(lost, width, false);
        let odd = self.builder.binary("arith.ori", bits, lost);
        self.builder
            .value("arith.bitcast", &[odd], &[], cut.r#type())
    }

    /// `a * b + c` of fp8: exact in f64, whose 53 bits hold the largest product and the smallest
    /// number together; then rounded once.
    pub(super) fn fma_of_fp8(&mut self, list: &[Value<'c>], element: ElementType) -> Value<'c> {
        let wide: Vec<_> = list
            .iter()
            .map(|value| self.cast_number(*value, element, ElementType::F64))
            .collect();
        let product = self.builder.binary("arith.mulf", wide[0], wide[1]);
        let sum = self.builder.binary("arith.addf", product, wide[2]);
        self.cast_number(sum, ElementType::F64, element)
    }

    /// The negative or the magnitude of an fp8 value: the sign bit alone changes.
    pub(super) fn sign_bit(
        &mut self,
        operand: Value<'c>,
        element: Element,
        negate: bool,
    ) -> Value<'c> {
        let bits = self.bits_of(operand, number(element));
        let (name, mask) = if negate {
            ("arith.xori", -0x80)
        } else {
            ("arith.andi", 0x7f)
        };
        let mask = self.builder.constant_int(mask, bits.r#type());
        let changed = self.builder.binary(name, bits, mask);
        let ty = operand.r#type();
        self.builder.value("arith.bitcast", &[changed], &[], ty)
    }
}
