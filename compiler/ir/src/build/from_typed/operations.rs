//! Arithmetic, comparisons and math functions.

use melior::ir::{Attribute, Type, ValueLike};
use tile_runtime::element::ElementType;

use super::Lowering;
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::dialect::predicates;
use crate::ir::{TileType, Value};
use crate::typed::{BinaryOperation, CompareOperation, Element, UnaryOperation};

/// The number type of an element; pointers compare and convert as 64-bit integers.
pub(super) fn number(element: Element) -> ElementType {
    match element {
        Element::Number(number) => number,
        Element::Pointer { .. } => ElementType::U64,
    }
}

impl<'c> Lowering<'_, 'c> {
    pub(super) fn unary(
        &mut self,
        operation: UnaryOperation,
        operand: Value<'c>,
        element: Element,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        let kind = number(element);
        let ty = operand.r#type();
        use UnaryOperation as U;
        if kind.is_integer() {
            return match operation {
                U::Negate => {
                    let zero = self.builder.constant_int(0, ty);
                    Ok(self.builder.binary("arith.subi", zero, operand))
                }
                U::Not => {
                    let ones = self.builder.constant_int(-1, ty);
                    Ok(self.builder.binary("arith.xori", operand, ones))
                }
                U::Abs if kind.is_signed() => {
                    Ok(self.builder.value("math.absi", &[operand], &[], ty))
                }
                U::Abs => Ok(operand),
                _ => Err(messages::lowering::not_lowered(
                    "this function of integers",
                    span,
                )),
            };
        }
        // Exact operations stay in the narrow type; functions are computed in f32.
        let exact = match operation {
            U::Negate => Some("arith.negf"),
            U::Abs => Some("math.absf"),
            _ => None,
        };
        if exact.is_some() && kind.bits() == 8 {
            return Ok(self.sign_bit(operand, element, operation == U::Negate));
        }
        if let Some(name) = exact {
            return Ok(self.builder.value(name, &[operand], &[], ty));
        }
        let name = match operation {
            U::Exp | U::FastExp => "math.exp",
            U::Exp2 | U::FastExp2 => "math.exp2",
            U::Log | U::FastLog => "math.log",
            U::Log2 | U::FastLog2 => "math.log2",
            U::Sqrt => "math.sqrt",
            U::Rsqrt => "math.rsqrt",
            U::Tanh | U::FastTanh => "math.tanh",
            U::Floor => "math.floor",
            U::Ceil => "math.ceil",
            U::Round => "math.roundeven",
            U::Erf => "math.erf",
            U::Sin | U::FastSin => "math.sin",
            U::Cos | U::FastCos => "math.cos",
            U::Asin => "math.asin",
            U::Acos => "math.acos",
            U::Atan => "math.atan",
            U::Tan => "math.tan",
            U::Sinh => "math.sinh",
            U::Cosh => "math.cosh",
            U::Asinh => "math.asinh",
            U::Acosh => "math.acosh",
            U::Atanh => "math.atanh",
            U::Expm1 => "math.expm1",
            U::Log1p => "math.log1p",
            U::Log10 => "math.log10",
            U::Cbrt => "math.cbrt",
            U::Erfc => "math.erfc",
            U::Trunc => "math.trunc",
            U::Sigmoid => return Ok(self.sigmoid(operand, element)),
            U::FastReciprocal => return Ok(self.fast_reciprocal(operand, element)),
            U::Negate | U::Not | U::Abs => unreachable!("handled above"),
        };
        let fast = matches!(
            operation,
            U::FastExp
                | U::FastExp2
                | U::FastLog
                | U::FastLog2
                | U::FastSin
                | U::FastCos
                | U::FastTanh
        );
        let attributes = self.may_approximate(fast);
        Ok(self.in_f32(&[operand], element, |state, list, ty| {
            state.builder.value(name, list, &attributes, ty)
        }))
    }

    /// What says of an operation that it may be approximate.
    fn may_approximate(&self, fast: bool) -> Vec<(&'static str, Attribute<'c>)> {
        let attribute = || self.builder.parse_attribute("#arith.fastmath<afn>");
        fast.then(|| ("fastmath", attribute()))
            .into_iter()
            .collect()
    }

    /// `1 / x` as the instruction for it computes it; of `f64` as any quotient.
    fn fast_reciprocal(&mut self, operand: Value<'c>, element: Element) -> Value<'c> {
        let attributes = self.may_approximate(number(element) != ElementType::F64);
        self.in_f32(&[operand], element, |state, list, ty| {
            let one = state.builder.constant_float(1.0, ty);
            let both = [one, list[0]];
            state.builder.value("arith.divf", &both, &attributes, ty)
        })
    }

    /// `r = 1 / (1 + e)` with `e = exp(-|x|)`, and `e r` for negative numbers: `1 / (1 + exp(-x))` would
    /// become 0 where the power overflows, long before the result is too small.
    fn sigmoid(&mut self, operand: Value<'c>, element: Element) -> Value<'c> {
        self.in_f32(&[operand], element, |state, list, ty| {
            let builder = &mut state.builder;
            let magnitude = builder.value("math.absf", list, &[], ty);
            let opposite = builder.value("arith.negf", &[magnitude], &[], ty);
            let exp = builder.value("math.exp", &[opposite], &[], ty);
            let one = builder.constant_float(1.0, ty);
            let sum = builder.binary("arith.addf", one, exp);
            let reciprocal = builder.binary("arith.divf", one, sum);
            let product = builder.binary("arith.mulf", exp, reciprocal);
            let zero = builder.constant_float(0.0, ty);
            let is_negative = state.compare_float(predicates::OLT, list[0], zero);
            state.builder.select(is_negative, product, reciprocal)
        })
    }

    /// Computes in f32 where the element is narrower (f64 stays f64) and rounds back once.
    pub(super) fn in_f32(
        &mut self,
        operands: &[Value<'c>],
        element: Element,
        compute: impl FnOnce(&mut Self, &[Value<'c>], Type<'c>) -> Value<'c>,
    ) -> Value<'c> {
        if number(element).bits() >= 32 {
            return compute(self, operands, operands[0].r#type());
        }
        let wide = self.with_element(operands[0], Element::Number(ElementType::F32));
        let widened: Vec<_> = operands
            .iter()
            .map(|operand| self.widened(*operand, element))
            .collect();
        let value = compute(self, &widened, wide);
        self.cast_number(value, ElementType::F32, number(element))
    }

    pub(super) fn binary(
        &mut self,
        operation: BinaryOperation,
        left: Value<'c>,
        right: Value<'c>,
        element: Element,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        use BinaryOperation as B;
        let kind = number(element);
        if kind.is_float() {
            if operation == B::Hypot {
                return Ok(self.hypot(left, right, element));
            }
            let name = match operation {
                B::Add => "arith.addf",
                B::Subtract => "arith.subf",
                B::Multiply => "arith.mulf",
                B::Divide => "arith.divf",
                B::Remainder => "arith.remf",
                B::Minimum => "arith.minnumf",
                B::Maximum => "arith.maxnumf",
                B::Power => "math.powf",
                B::Atan2 => "math.atan2",
                B::CopySign => "math.copysign",
                _ => {
                    return Err(messages::lowering::not_lowered(
                        "this operation on floats",
                        span,
                    ));
                }
            };
            // fp8 has no instructions of its own, remainders and functions are computed in f32 and f64 only.
            // Rounding once more changes nothing (24 bits are more than twice as many).
            let is_wide = matches!(operation, B::Remainder | B::Power | B::Atan2 | B::CopySign);
            if kind.bits() == 8 || is_wide {
                return Ok(self.in_f32(&[left, right], element, |state, list, _| {
                    state.builder.binary(name, list[0], list[1])
                }));
            }
            return Ok(self.builder.binary(name, left, right));
        }
        // `i1` counts as unsigned.
        let signed = kind.is_signed();
        let name = match (operation, signed) {
            (B::Power | B::Atan2 | B::Hypot | B::CopySign, _) => {
                return Err(messages::lowering::not_lowered(
                    "this function of integers",
                    span,
                ));
            }
            (B::Add, _) => "arith.addi",
            (B::Subtract, _) => "arith.subi",
            (B::Multiply, _) => "arith.muli",
            (B::Divide, true) => "arith.divsi",
            (B::Divide, false) => "arith.divui",
            (B::CeilDivide, true) => "arith.ceildivsi",
            (B::CeilDivide, false) => "arith.ceildivui",
            (B::Remainder, true) => "arith.remsi",
            (B::Remainder, false) => "arith.remui",
            (B::And, _) => "arith.andi",
            (B::Or, _) => "arith.ori",
            (B::Xor, _) => "arith.xori",
            (B::Minimum, true) => "arith.minsi",
            (B::Minimum, false) => "arith.minui",
            (B::Maximum, true) => "arith.maxsi",
            (B::Maximum, false) => "arith.maxui",
            (B::ShiftLeft | B::ShiftRight, _) => {
                return Ok(self.shift(operation, left, right, kind));
            }
            (B::MultiplyHigh, signed) if kind.bits() == 64 => {
                return Ok(self.high_of_words(left, right, signed));
            }
            (B::MultiplyHigh, signed) => {
                let bits = kind.bits();
                let wide_left = self.builder.int_cast(left, 2 * bits, signed);
                let wide_right = self.builder.int_cast(right, 2 * bits, signed);
                let product = self.builder.multiply(wide_left, wide_right);
                let places = self.builder.constant_int(i64::from(bits), product.r#type());
                let high = self.builder.binary("arith.shrui", product, places);
                return Ok(self.builder.int_cast(high, bits, signed));
            }
        };
        Ok(self.builder.binary(name, left, right))
    }

    /// The upper half of a product of 64 bits, from products of halves: tiles of 128-bit integers have
    /// no place in memory, should they have to move.
    fn high_of_words(&mut self, left: Value<'c>, right: Value<'c>, signed: bool) -> Value<'c> {
        let ty = left.r#type();
        let builder = &mut self.builder;
        let half = builder.constant_int(32, ty);
        let mask = builder.constant_int(0xffff_ffff, ty);
        let mut halves = |value: Value<'c>| {
            let high = builder.binary("arith.shrui", value, half);
            (high, builder.and(value, mask))
        };
        let (left_high, left_low) = halves(left);
        let (right_high, right_low) = halves(right);
        let low = builder.multiply(left_low, right_low);
        let first = builder.multiply(left_low, right_high);
        let second = builder.multiply(left_high, right_low);
        let carried = builder.binary("arith.shrui", low, half);
        let first_low = builder.and(first, mask);
        let second_low = builder.and(second, mask);
        let middle = builder.add(carried, first_low);
        let middle = builder.add(middle, second_low);
        let mut high = builder.multiply(left_high, right_high);
        for part in [first, second, middle] {
            let part = builder.binary("arith.shrui", part, half);
            high = builder.add(high, part);
        }
        if signed {
            // A negative factor is its unsigned number less 2^64.
            let sign = builder.constant_int(63, ty);
            for (factor, other) in [(left, right), (right, left)] {
                let is_negative = builder.binary("arith.shrsi", factor, sign);
                let excess = builder.and(is_negative, other);
                high = builder.binary("arith.subi", high, excess);
            }
        }
        high
    }

    /// `sqrt(x^2 + y^2)`, in f64, where the squares of narrower floats are numbers; those of f64 are scaled.
    fn hypot(&mut self, left: Value<'c>, right: Value<'c>, element: Element) -> Value<'c> {
        let kind = number(element);
        let sides = [left, right].map(|side| {
            let side = self.widened(side, element);
            let from = if kind.bits() < 32 {
                ElementType::F32
            } else {
                kind
            };
            let side = self.cast_number(side, from, ElementType::F64);
            self.builder.value("math.absf", &[side], &[], side.r#type())
        });
        let ty = sides[0].r#type();
        let infinity = self.builder.constant_float(f64::INFINITY, ty);
        let endless = sides.map(|side| self.compare_float(predicates::OEQ, side, infinity));
        let is_endless = self.builder.binary("arith.ori", endless[0], endless[1]);
        let largest = self.builder.binary("arith.maxnumf", sides[0], sides[1]);
        let one = self.builder.constant_float(1.0, ty);
        let mut factors = [one, one];
        for (predicate, limit, power) in [
            (predicates::OLT, 1e-150, 600),
            (predicates::OGT, 1e150, -600),
        ] {
            if kind != ElementType::F64 {
                continue;
            }
            let limit = self.builder.constant_float(limit, ty);
            let is_beyond = self.compare_float(predicate, largest, limit);
            for (factor, power) in factors.iter_mut().zip([power, -power]) {
                let by = self.builder.constant_float(2f64.powi(power), ty);
                *factor = self.builder.select(is_beyond, by, *factor);
            }
        }
        let [x, y] = sides.map(|side| self.builder.binary("arith.mulf", side, factors[0]));
        let square = self.builder.binary("arith.mulf", y, y);
        let sum = self.builder.value("math.fma", &[x, x, square], &[], ty);
        let root = self.builder.value("math.sqrt", &[sum], &[], ty);
        let length = self.builder.binary("arith.mulf", root, factors[1]);
        let length = self.builder.select(is_endless, infinity, length);
        if kind == ElementType::F64 {
            return length;
        }
        let single = self.cast_number(length, ElementType::F64, ElementType::F32);
        self.cast_number(single, ElementType::F32, kind)
    }

    /// Shifts with amounts of the width or more defined: MLIR's are poison there.
    fn shift(
        &mut self,
        operation: BinaryOperation,
        left: Value<'c>,
        right: Value<'c>,
        kind: ElementType,
    ) -> Value<'c> {
        let ty = left.r#type();
        let bits = i64::from(kind.bits());
        let last = self.builder.constant_int(bits - 1, ty);
        let limit = self.builder.constant_int(bits, ty);
        let inside = self.builder.compare_int(predicates::ULT, right, limit);
        let amount = self.builder.binary("arith.minui", right, last);
        match (operation, kind.is_signed()) {
            (BinaryOperation::ShiftRight, true) => self.builder.binary("arith.shrsi", left, amount),
            (BinaryOperation::ShiftRight, false) => {
                let shifted = self.builder.binary("arith.shrui", left, amount);
                let zero = self.builder.constant_int(0, ty);
                self.builder.select(inside, shifted, zero)
            }
            _ => {
                let shifted = self.builder.binary("arith.shli", left, amount);
                let zero = self.builder.constant_int(0, ty);
                self.builder.select(inside, shifted, zero)
            }
        }
    }

    pub(super) fn compare(
        &mut self,
        operation: CompareOperation,
        left: Value<'c>,
        right: Value<'c>,
        element: Element,
        span: Span,
    ) -> Result<Value<'c>, Diagnostic> {
        if matches!(element, Element::Pointer { .. }) {
            return Err(messages::lowering::not_lowered("comparing pointers", span));
        }
        use CompareOperation as C;
        use predicates as p;
        let kind = number(element);
        if kind.is_float() {
            let (left, right) = if kind.bits() == 8 {
                (self.widened(left, element), self.widened(right, element))
            } else {
                (left, right)
            };
            let predicate = match operation {
                C::Equal => p::OEQ,
                C::NotEqual => p::UNE,
                C::Less => p::OLT,
                C::LessEqual => p::OLE,
                C::Greater => p::OGT,
                C::GreaterEqual => p::OGE,
            };
            return Ok(self.compare_float(predicate, left, right));
        }
        let predicate = match (operation, kind.is_signed()) {
            (C::Equal, _) => p::EQ,
            (C::NotEqual, _) => p::NE,
            (C::Less, true) => p::SLT,
            (C::LessEqual, true) => p::SLE,
            (C::Greater, true) => p::SGT,
            (C::GreaterEqual, true) => p::SGE,
            (C::Less, false) => p::ULT,
            (C::LessEqual, false) => p::ULE,
            (C::Greater, false) => p::UGT,
            (C::GreaterEqual, false) => p::UGE,
        };
        Ok(self.builder.compare_int(predicate, left, right))
    }

    pub(super) fn compare_float(
        &mut self,
        predicate: i64,
        left: Value<'c>,
        right: Value<'c>,
    ) -> Value<'c> {
        let i1 = self.builder.int_type(1);
        let ty = TileType::of(left).map_or(i1, |tile| tile.with_element(i1).ty());
        let predicate = self.builder.int(predicate);
        self.builder.value(
            "arith.cmpf",
            &[left, right],
            &[("predicate", predicate)],
            ty,
        )
    }
}
