//! Division of integers.
//!
//! Where numbers below 2^31 are divided by one that many elements share, it is multiplied with instead (T. Granlund and P. Montgomery, Division by
//! invariant integers using multiplication, 1994):
//!
//! ```text
//! l = ceil(log2 d);  m = ceil(2^(31 + l) / d);   n / d = (n m) >> 31 >> l
//! ```
//!
//! `m` has 32 bits, as `d > 2^(l - 1)`. It is too large by less than `d`, all of `n m` therefore by less than `2^(31 + l)`.
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

    pub fn new(builder: &mut Builder<'c>, divisor: Value<'c>) -> Self {
        let (ty, wide) = (builder.int_type(32), builder.int_type(64));
        let double = Type::float64(builder.context);
        let [one, bits] = [1, 32].map(|value| builder.constant_int(value, ty));
        let [wide_one, wide_zero, more] = [1, 0, 31].map(|value| builder.constant_int(value, wide));
        let less = builder.binary("arith.subi", divisor, one);
        let poison = [("is_zero_poison", builder.parse_attribute("false"))];
        let zeros = builder.value("llvm.intr.ctlz", &[less], &poison, ty);
        let shift = builder.binary("arith.subi", bits, zeros);
        let places = builder.int_cast(shift, 64, false);
        let places = builder.add(places, more);
        let power = builder.binary("arith.shli", wide_one, places);
        let wide_divisor = builder.int_cast(divisor, 64, false);
        let [x, y] =
            [power, wide_divisor].map(|value| builder.value("arith.uitofp", &[value], &[], double));
        // Rounded: at most one too large where the quotient is next to a number, which then is what is looked for.
        let quotient = builder.binary("arith.divf", x, y);
        let quotient = builder.value("arith.fptoui", &[quotient], &[], wide);
        let product = builder.multiply(quotient, wide_divisor);
        let rest = builder.binary("arith.subi", power, product);
        let is_less = builder.compare_int(p::SGT, rest, wide_zero);
        let following = builder.add(quotient, wide_one);
        let multiplier = builder.select(is_less, following, quotient);
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
