//! Division of integers.
//!
//! Where numbers below 2^31 are divided by one that many elements share, it is multiplied with instead (T. Granlund and P. Montgomery, Division by
//! invariant integers using multiplication, 1994):
//!
//! ```text
//! l = ceil(log2 d);  m = ceil(2^(31 + l) / d);   n / d = (n m) >> 31 >> l
//! ```
//!
//! `m` has 32 bits, as `d > 2^(l - 1)`. `m d` is too large by less than `d`, `n m d` therefore by less than `2^(31 + l)`.
//!
//! The least integer by -1 wraps around, as it does on the machine and in the interpreter. To LLVM it is undefined, and
//! what it folds it to is whatever a register holds: so nothing is ever divided by -1.

use melior::ir::{Type, ValueLike};

use crate::build::Builder;
use crate::dialect::predicates as p;
use crate::facts::constant_of;
use crate::ir::Value;

/// `arith.divsi` or `arith.remsi`.
pub(super) fn divide<'c>(
    builder: &mut Builder<'c>,
    name: &'c str,
    inputs: &[Value<'c>],
    ty: Type<'c>,
) -> Value<'c> {
    let (x, y) = (inputs[0], inputs[1]);
    if constant_of(y).is_some_and(|divisor| divisor != -1) {
        return builder.value(name, inputs, &[], ty);
    }
    let [zero, one, minus_one] = [0, 1, -1].map(|value| builder.constant_int(value, ty));
    let negates = builder.compare_int(p::EQ, y, minus_one);
    let divisor = builder.select(negates, one, y);
    let result = builder.value(name, &[x, divisor], &[], ty);
    if name == "arith.remsi" {
        return result;
    }
    let negative = builder.binary("arith.subi", zero, x);
    builder.select(negates, negative, result)
}

/// `arith.ceildivsi` or `arith.ceildivui`: the quotient, rounded to zero, is one too small where there is a remainder of the
/// divisor's sign.
pub(super) fn divide_up<'c>(
    builder: &mut Builder<'c>,
    name: &str,
    inputs: &[Value<'c>],
    ty: Type<'c>,
) -> Value<'c> {
    let zero = builder.constant_int(0, ty);
    let (quotient, up) = if name == "arith.ceildivui" {
        let quotient = builder.value("arith.divui", inputs, &[], ty);
        let remainder = builder.value("arith.remui", inputs, &[], ty);
        (quotient, builder.compare_int(p::NE, remainder, zero))
    } else {
        let quotient = divide(builder, "arith.divsi", inputs, ty);
        let remainder = divide(builder, "arith.remsi", inputs, ty);
        let positive = builder.compare_int(p::SGT, remainder, zero);
        let up = match constant_of(inputs[1]) {
            Some(1..) => positive,
            _ => {
                let negative = builder.compare_int(p::SLT, remainder, zero);
                let divisor = builder.compare_int(p::SGT, inputs[1], zero);
                builder.select(divisor, positive, negative)
            }
        };
        (quotient, up)
    };
    let one = builder.value("arith.extui", &[up], &[], ty);
    builder.add(quotient, one)
}

/// A number from 1 to 2^31 - 1 that many are divided by.
pub(super) struct Divisor<'c> {
    divisor: Value<'c>,
    /// `i64`.
    multiplier: Value<'c>,
    shift: Value<'c>,
}

impl<'c> Divisor<'c> {
    /// How many quotients must share a divisor before this pays.
    pub const WORTH: usize = 4;

    /// Some thirty instructions, none of them of doubles, of which some GPUs have one for 64 others.
    pub fn new(builder: &mut Builder<'c>, divisor: Value<'c>) -> Self {
        let (ty, wide) = (builder.int_type(32), builder.int_type(64));
        let [one, bits] = [1, 32].map(|value| builder.constant_int(value, ty));
        let [wide_one, more] = [1, 31].map(|value| builder.constant_int(value, wide));
        let less = builder.binary("arith.subi", divisor, one);
        let poison = [("is_zero_poison", builder.parse_attribute("false"))];
        let zeros = builder.value("llvm.intr.ctlz", &[less], &poison, ty);
        let shift = builder.binary("arith.subi", bits, zeros);
        let places = builder.int_cast(shift, 64, false);
        let places = builder.add(places, more);
        let power = builder.binary("arith.shli", wide_one, places);
        let by = builder.int_cast(divisor, 64, false);
        // With a reciprocal of 23 bits, once of all and once of what that leaves: the multiplier is at most two too small then, or one too large.
        let single = Type::float32(builder.context);
        let [exponent, mantissa_bits] = [127 + 31, 23].map(|value| builder.constant_int(value, ty));
        let x = builder.add(shift, exponent);
        let x = builder.binary("arith.shli", x, mantissa_bits);
        let x = builder.value("arith.bitcast", &[x], &[], single);
        let y = builder.value("arith.uitofp", &[divisor], &[], single);
        let unit = builder.constant_float(1.0, single);
        let reciprocal = builder.binary("arith.divf", unit, y);
        let mut multiplier = builder.constant_int(0, wide);
        let mut rest = power;
        for first in [true, false] {
            let of = match first {
                true => x,
                false => builder.value("arith.sitofp", &[rest], &[], single),
            };
            let more = builder.binary("arith.mulf", of, reciprocal);
            let more = builder.value("arith.fptosi", &[more], &[], wide);
            multiplier = builder.add(multiplier, more);
            let product = builder.multiply(more, by);
            rest = builder.binary("arith.subi", rest, product);
        }
        let [zero, minus_one] = [0, -1].map(|value| builder.constant_int(value, wide));
        for _ in 0..2 {
            let is_less = builder.compare_int(p::SGT, rest, zero);
            let more = builder.select(is_less, wide_one, zero);
            multiplier = builder.add(multiplier, more);
            let product = builder.select(is_less, by, zero);
            rest = builder.binary("arith.subi", rest, product);
        }
        let sum = builder.add(rest, by);
        let is_more = builder.compare_int(p::SLE, sum, zero);
        let less = builder.select(is_more, minus_one, zero);
        multiplier = builder.add(multiplier, less);
        Self {
            divisor,
            multiplier,
            shift,
        }
    }

    /// A quotient, or what is left.
    pub fn divide(&self, builder: &mut Builder<'c>, number: Value<'c>, is_rest: bool) -> Value<'c> {
        let wide = builder.int_cast(number, 64, false);
        let product = builder.multiply(wide, self.multiplier);
        let places = builder.constant_int(31, product.r#type());
        let upper = builder.binary("arith.shrui", product, places);
        let upper = builder.int_cast(upper, 32, false);
        let quotient = builder.binary("arith.shrui", upper, self.shift);
        if !is_rest {
            return quotient;
        }
        let product = builder.multiply(quotient, self.divisor);
        builder.binary("arith.subi", number, product)
    }
}
