//! Operations on two or three numbers.
//!
//! Floats are decoded to `f64`, computed there, and rounded to their type. For `+ - * / %` and
//! `sqrt` the two roundings give what one would: the result of `f64` has at least `2p + 2` bits for
//! every narrower format of `p` bits (`p` ≤ 24), which makes double rounding innocuous (Figueroa,
//! "When is double rounding innocuous?", 1995), and results that are subnormal in the narrow
//! format are exact in `f64` (`+ - *`) or keep their distance from a tie (`/`). `fma` lacks this
//! property: it rounds to odd in `f64` first ([`add_to_odd`]).

use tile_runtime::element::ElementType;
use tile_runtime::numeric::divide_up;

use crate::typed::{BinaryOperation, CompareOperation};

use super::deviation::Deviation;
use super::fault::{ElementFault, Fault};
use super::value::Tile;

/// `left operation right`, element by element.
pub(super) fn binary(
    operation: BinaryOperation,
    left: &Tile,
    right: &Tile,
    deviation: Option<&Deviation>,
) -> Result<Tile, ElementFault> {
    let (element, _) = same(left, right)?;
    if element.is_float() {
        let compute = float_operation(operation)?;
        // Functions are rounded to f32 before they are rounded to something narrower.
        let through: fn(f64) -> f64 = match (operation, element.bits()) {
            (BinaryOperation::Power | BinaryOperation::Atan2 | BinaryOperation::Hypot, ..32) => {
                |value| f64::from(value as f32)
            }
            _ => |value| value,
        };
        let pairs = left.floats()?.into_iter().zip(right.floats()?);
        let results = pairs.map(|(left, right)| {
            let result = compute(left, right);
            through(match deviation {
                Some(deviation) => deviation.binary(operation, element, [left, right], result),
                None => result,
            })
        });
        Ok(Tile::from_floats(element, &left.shape, results))
    } else {
        let compute = integer_operation(operation)?;
        let width = element.bits();
        let pairs = left.integers()?.into_iter().zip(right.integers()?);
        let results = pairs.enumerate().map(|(number, (left, right))| {
            compute(left, right, width).map_err(|fault| fault.at(number))
        });
        let results: Vec<i128> = results.collect::<Result<_, _>>()?;
        Ok(Tile::from_integers(
            element,
            &left.shape,
            results.into_iter(),
        ))
    }
}

/// `left operation right` as `i1`.
pub(super) fn compare(
    operation: CompareOperation,
    left: &Tile,
    right: &Tile,
) -> Result<Tile, Fault> {
    let (element, shape) = same(left, right)?;
    let conditions: Vec<u64> = if element.is_float() {
        let holds = comparison::<f64>(operation);
        let pairs = left.floats()?.into_iter().zip(right.floats()?);
        pairs.map(|(l, r)| u64::from(holds(&l, &r))).collect()
    } else {
        let holds = comparison::<i128>(operation);
        let pairs = left.integers()?.into_iter().zip(right.integers()?);
        pairs.map(|(l, r)| u64::from(holds(&l, &r))).collect()
    };
    Ok(Tile::numbers(ElementType::I1, shape, conditions))
}

/// `a * b + c`, rounded once.
pub(super) fn fused_multiply_add([a, b, c]: [&Tile; 3]) -> Result<Tile, Fault> {
    let (element, shape) = same(a, b)?;
    same(b, c)?;
    if element.is_integer() {
        let triples = a
            .integers()?
            .into_iter()
            .zip(b.integers()?)
            .zip(c.integers()?);
        let results = triples.map(|((a, b), c)| a.wrapping_mul(b).wrapping_add(c));
        return Ok(Tile::from_integers(element, shape, results));
    }
    let fma: fn(f64, f64, f64) -> f64 = match element {
        ElementType::F64 => libm::fma,
        // The product of narrower floats is exact.
        _ => |a, b, c| add_to_odd(a * b, c),
    };
    let triples = a.floats()?.into_iter().zip(b.floats()?).zip(c.floats()?);
    let results = triples.map(|((a, b), c)| fma(a, b, c));
    Ok(Tile::from_floats(element, shape, results))
}

/// The common element type and shape.
fn same<'a>(left: &'a Tile, right: &Tile) -> Result<(ElementType, &'a [u64]), Fault> {
    let (element, _) = left.as_numbers()?;
    if right.as_numbers()?.0 != element || left.shape != right.shape {
        return Err(Fault::Malformed("operands of different types"));
    }
    Ok((element, &left.shape))
}

fn comparison<T: PartialOrd>(operation: CompareOperation) -> fn(&T, &T) -> bool {
    match operation {
        CompareOperation::Equal => T::eq,
        CompareOperation::NotEqual => T::ne,
        CompareOperation::Less => T::lt,
        CompareOperation::LessEqual => T::le,
        CompareOperation::Greater => T::gt,
        CompareOperation::GreaterEqual => T::ge,
    }
}

fn float_operation(operation: BinaryOperation) -> Result<fn(f64, f64) -> f64, Fault> {
    Ok(match operation {
        BinaryOperation::Add => |left, right| left + right,
        BinaryOperation::Subtract => |left, right| left - right,
        BinaryOperation::Multiply => |left, right| left * right,
        BinaryOperation::Divide => |left, right| left / right,
        BinaryOperation::Remainder => |left, right| left % right,
        BinaryOperation::Minimum => minimum_number,
        BinaryOperation::Maximum => maximum_number,
        BinaryOperation::Power => libm::pow,
        BinaryOperation::Atan2 => libm::atan2,
        BinaryOperation::Hypot => libm::hypot,
        BinaryOperation::CopySign => f64::copysign,
        BinaryOperation::And
        | BinaryOperation::Or
        | BinaryOperation::Xor
        | BinaryOperation::ShiftLeft
        | BinaryOperation::ShiftRight
        | BinaryOperation::MultiplyHigh
        | BinaryOperation::CeilDivide => {
            return Err(Fault::Malformed("an operation of integers on floats"));
        }
    })
}

/// Takes two numbers and their width in bits; the caller wraps the result.
type IntegerOperation = fn(i128, i128, u32) -> Result<i128, Fault>;

fn integer_operation(operation: BinaryOperation) -> Result<IntegerOperation, Fault> {
    Ok(match operation {
        BinaryOperation::Add => |left, right, _| Ok(left + right),
        BinaryOperation::Subtract => |left, right, _| Ok(left - right),
        BinaryOperation::Multiply => |left, right, _| Ok(left.wrapping_mul(right)),
        BinaryOperation::Divide => |left, right, _| {
            left.checked_div(right).ok_or(Fault::DivisionByZero {
                dividend: left,
                operator: '/',
            })
        },
        BinaryOperation::CeilDivide => |left, right, _| {
            divide_up(left, right).ok_or(Fault::DivisionByZero {
                dividend: left,
                operator: '/',
            })
        },
        BinaryOperation::Remainder => |left, right, _| {
            left.checked_rem(right).ok_or(Fault::DivisionByZero {
                dividend: left,
                operator: '%',
            })
        },
        BinaryOperation::And => |left, right, _| Ok(left & right),
        BinaryOperation::Or => |left, right, _| Ok(left | right),
        BinaryOperation::Xor => |left, right, _| Ok(left ^ right),
        BinaryOperation::ShiftLeft => {
            |left, right, width| Ok(shift_amount(right, width).map_or(0, |amount| left << amount))
        }
        // `left` is extended by its sign, so shifting everything out leaves the sign.
        BinaryOperation::ShiftRight => {
            |left, right, width| Ok(left >> shift_amount(right, width).unwrap_or(127))
        }
        BinaryOperation::Minimum => |left, right, _| Ok(left.min(right)),
        BinaryOperation::Maximum => |left, right, _| Ok(left.max(right)),
        BinaryOperation::MultiplyHigh => |left, right, width| {
            // The product of two u64 needs all 128 bits, where the sign bit then lies: it is lost
            // when the result wraps at 64 bits.
            Ok(left.wrapping_mul(right) >> width)
        },
        BinaryOperation::Power
        | BinaryOperation::Atan2
        | BinaryOperation::Hypot
        | BinaryOperation::CopySign => {
            return Err(Fault::Malformed("an operation of floats on integers"));
        }
    })
}

/// The amount if it is below the width.
fn shift_amount(amount: i128, width: u32) -> Option<u32> {
    u32::try_from(amount).ok().filter(|amount| *amount < width)
}

/// IEEE 754-2019 `minimumNumber`.
pub(super) fn minimum_number(left: f64, right: f64) -> f64 {
    if left.is_nan() || right < left || (left == right && right.is_sign_negative()) {
        right
    } else {
        left
    }
}

/// IEEE 754-2019 `maximumNumber`.
pub(super) fn maximum_number(left: f64, right: f64) -> f64 {
    -minimum_number(-left, -right)
}

/// `left + right` rounded to odd: the exact sum if it is a float, else the neighbour whose last bit
/// is 1. Rounding that to a format at least two bits narrower gives the exact sum rounded once,
/// because the odd bit remembers that something was lost (Boldo and Melquiond, "Emulation of FMA
/// and correctly rounded sums", 2008).
fn add_to_odd(left: f64, right: f64) -> f64 {
    let sum = left + right;
    // Knuth's TwoSum: `sum + lost` is exact.
    let right_part = sum - left;
    let lost = (left - (sum - right_part)) + (right - right_part);
    if !sum.is_finite() || lost == 0.0 || sum.to_bits() & 1 == 1 {
        sum
    } else if lost > 0.0 {
        sum.next_up()
    } else {
        sum.next_down()
    }
}
