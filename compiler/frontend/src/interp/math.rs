//! Functions of one number.

use tile_runtime::element::ElementType;

use crate::typed::UnaryOperation;

use super::deviation::Deviation;
use super::fault::Fault;
use super::value::Tile;

/// `operation(operand)`, element by element.
pub(super) fn unary(
    operation: UnaryOperation,
    operand: &Tile,
    deviation: Option<&Deviation>,
) -> Result<Tile, Fault> {
    let (element, bits) = operand.as_numbers()?;
    if element.is_integer() {
        return integer(operation, element, operand);
    }
    let sign = 1 << (element.bits() - 1);
    let of_bits = |compute: &dyn Fn(u64) -> u64| {
        let bits = bits.iter().map(|&bits| compute(bits)).collect();
        Ok(Tile::numbers(element, &operand.shape, bits))
    };
    let compute = match operation {
        UnaryOperation::Negate => return of_bits(&|bits| bits ^ sign),
        UnaryOperation::Abs => return of_bits(&|bits| bits & !sign),
        _ => function(operation)?,
    };
    // Every function is rounded to f32 before it is rounded to something narrower.
    let through = match element {
        ElementType::F64 => |value| value,
        _ => |value| f64::from(value as f32),
    };
    let values = operand.floats()?.into_iter();
    let results = values.map(|value| {
        let result = compute(value);
        through(match deviation {
            Some(deviation) => deviation.unary(operation, element, value, result),
            None => result,
        })
    });
    Ok(Tile::from_floats(element, &operand.shape, results))
}

fn integer(operation: UnaryOperation, element: ElementType, operand: &Tile) -> Result<Tile, Fault> {
    let compute: fn(i128) -> i128 = match operation {
        UnaryOperation::Negate => |value| -value,
        UnaryOperation::Not => |value| !value,
        UnaryOperation::Abs => i128::abs,
        _ => return Err(Fault::Malformed("a function of floats on integers")),
    };
    let values = operand.integers()?.into_iter();
    Ok(Tile::from_integers(
        element,
        &operand.shape,
        values.map(compute),
    ))
}

/// The function in `f64`. From the crate `libm`, so that every host computes the same.
fn function(operation: UnaryOperation) -> Result<fn(f64) -> f64, Fault> {
    use UnaryOperation as U;
    Ok(match operation {
        U::Negate | U::Abs | U::Not => {
            return Err(Fault::Malformed(
                "an operation of bits on the value of a float",
            ));
        }
        U::Exp | U::FastExp => libm::exp,
        U::Exp2 | U::FastExp2 => libm::exp2,
        U::Log | U::FastLog => libm::log,
        U::Log2 | U::FastLog2 => libm::log2,
        U::Sqrt => f64::sqrt,
        U::Rsqrt => |value| 1.0 / value.sqrt(),
        U::Sin | U::FastSin => libm::sin,
        U::Cos | U::FastCos => libm::cos,
        U::Tanh | U::FastTanh => libm::tanh,
        U::FastReciprocal => |value| 1.0 / value,
        U::Erf => libm::erf,
        U::Floor => f64::floor,
        U::Ceil => f64::ceil,
        U::Round => f64::round_ties_even,
        U::Asin => libm::asin,
        U::Acos => libm::acos,
        U::Atan => libm::atan,
        U::Tan => libm::tan,
        U::Sinh => libm::sinh,
        U::Cosh => libm::cosh,
        U::Asinh => libm::asinh,
        U::Acosh => libm::acosh,
        U::Atanh => libm::atanh,
        U::Expm1 => libm::expm1,
        U::Log1p => libm::log1p,
        U::Log10 => libm::log10,
        U::Cbrt => libm::cbrt,
        U::Erfc => libm::erfc,
        U::Trunc => f64::trunc,
        U::Sigmoid => sigmoid,
    })
}

/// `1 / (1 + exp(-value))`, whose power overflows before the result is too small.
fn sigmoid(value: f64) -> f64 {
    let exp = libm::exp(-value.abs());
    let reciprocal = 1.0 / (1.0 + exp);
    if value < 0.0 {
        exp * reciprocal
    } else {
        reciprocal
    }
}
