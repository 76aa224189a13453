//! Division of integers.
//!
//! The least integer by -1 wraps around, as it does on the machine and in the interpreter. To LLVM it is undefined, and
//! what it folds it to is whatever a register holds: so nothing is ever divided by -1.

use melior::ir::Type;

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
