//! Arithmetic on numbers known at compile time.
//!
//! Nothing wraps: a result that does not fit its type is a [`Problem`]. Literals without a type are
//! computed in 128 bits and as `f64`.

use tile_runtime::element::ElementType;

use super::operand::Number;
use crate::diagnostic::messages::consts::Problem;
use crate::diagnostic::messages::types::Misfit;
use crate::syntax::ast::BinaryOperator;
use crate::typed::Constant;

/// The smallest and largest value of an integer type.
pub(super) const fn integer_range(element: ElementType) -> (i128, i128) {
    let bits = element.bits();
    if element.is_signed() {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    }
}

/// The largest finite value of a float type.
pub(super) const fn largest_float(element: ElementType) -> f64 {
    match element {
        ElementType::F16 => 65504.0,
        ElementType::BF16 => 3.389_531_389_251_535_5e38,
        ElementType::F32 => f32::MAX as f64,
        ElementType::F8E4M3 => 448.0,
        ElementType::F8E5M2 => 57344.0,
        _ => f64::MAX,
    }
}

/// Half a unit in the last place of the largest value: what still rounds down to it.
const fn largest_rounding(element: ElementType) -> f64 {
    match element {
        ElementType::F16 => 65520.0,
        ElementType::BF16 => 3.396_178_231_5e38,
        ElementType::F32 => 3.402_823_567_797_336_6e38,
        ElementType::F8E4M3 => 464.0,
        ElementType::F8E5M2 => 61440.0,
        _ => f64::INFINITY,
    }
}

/// The literal as a number of the type.
#[allow(clippy::cast_precision_loss)]
pub(super) fn fit(value: Constant, element: ElementType) -> Result<Constant, Misfit> {
    match value {
        Constant::Int(value) if element.is_integer() => {
            let (low, high) = integer_range(element);
            if (low..=high).contains(&value) {
                Ok(Constant::Int(value))
            } else {
                Err(Misfit::OutOfRange)
            }
        }
        Constant::Int(value) => fit(Constant::Float(value as f64), element),
        Constant::Float(_) if element.is_integer() => Err(Misfit::FloatForInteger),
        Constant::Float(value) if value.is_infinite() && element == ElementType::F8E4M3 => {
            Err(Misfit::OutOfRange)
        }
        Constant::Float(value) if value.is_finite() && value.abs() >= largest_rounding(element) => {
            Err(Misfit::OutOfRange)
        }
        Constant::Float(value) => Ok(Constant::Float(round(value, element))),
    }
}

/// Rounds to the types that compile-time arithmetic is done in; narrower ones are rounded later.
fn round(value: f64, element: ElementType) -> f64 {
    if element == ElementType::F32 {
        f64::from(value as f32)
    } else {
        value
    }
}

/// `value as element`: integers wrap, floats saturate where `as` does.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
pub(super) fn cast(value: Constant, element: ElementType) -> Constant {
    match value {
        Constant::Int(value) if element == ElementType::I1 => Constant::Int(i128::from(value != 0)),
        Constant::Int(value) if element.is_integer() => Constant::Int(wrap(value, element)),
        Constant::Int(value) => cast(Constant::Float(value as f64), element),
        Constant::Float(value) if element == ElementType::I1 => {
            Constant::Int(i128::from(value != 0.0))
        }
        Constant::Float(value) if element.is_integer() => {
            let (low, high) = integer_range(element);
            Constant::Int((value as i128).clamp(low, high))
        }
        Constant::Float(value) if matches!(element, ElementType::F8E4M3 | ElementType::F8E5M2) => {
            let largest = largest_float(element);
            Constant::Float(if value.is_nan() {
                value
            } else {
                value.clamp(-largest, largest)
            })
        }
        Constant::Float(value) => Constant::Float(round(value, element)),
    }
}

fn wrap(value: i128, element: ElementType) -> i128 {
    let modulus = 1_i128 << element.bits();
    let value = value.rem_euclid(modulus);
    let (_, high) = integer_range(element);
    if value > high { value - modulus } else { value }
}

/// An operator on two literals, before they have a type.
#[allow(clippy::cast_precision_loss)]
pub(super) fn literals(
    operator: BinaryOperator,
    left: Constant,
    right: Constant,
) -> Result<Constant, Problem> {
    match (left, right) {
        (Constant::Int(left), Constant::Int(right)) => {
            integers(operator, left, right).map(Constant::Int)
        }
        (left, right) => floats(operator, to_float(left), to_float(right)).map(Constant::Float),
    }
}

/// An operator on two numbers of one type.
pub(super) fn typed(
    operator: BinaryOperator,
    element: ElementType,
    left: Constant,
    right: Constant,
) -> Result<Constant, Problem> {
    let shift = matches!(
        operator,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
    );
    if let (Constant::Int(value), Constant::Int(amount), true) = (left, right, shift) {
        // Amounts of the width or more give 0, or the sign, as at run time.
        let amount = amount.min(i128::from(element.bits()));
        let shifted = integers(operator, value, amount)?;
        return Ok(Constant::Int(wrap(shifted, element)));
    }
    let result = literals(operator, left, right)?;
    fit(result, element).map_err(|_| Problem::Overflow)
}

/// The number as `f64`.
#[allow(clippy::cast_precision_loss)]
pub(super) const fn to_float(value: Constant) -> f64 {
    match value {
        Constant::Int(value) => value as f64,
        Constant::Float(value) => value,
    }
}

fn integers(operator: BinaryOperator, left: i128, right: i128) -> Result<i128, Problem> {
    let result = match operator {
        BinaryOperator::Add => left.checked_add(right),
        BinaryOperator::Subtract => left.checked_sub(right),
        BinaryOperator::Multiply => left.checked_mul(right),
        BinaryOperator::Divide | BinaryOperator::Remainder if right == 0 => {
            return Err(Problem::DivisionByZero);
        }
        BinaryOperator::Divide => left.checked_div(right),
        BinaryOperator::Remainder => left.checked_rem(right),
        BinaryOperator::BitAnd => Some(left & right),
        BinaryOperator::BitOr => Some(left | right),
        BinaryOperator::BitXor => Some(left ^ right),
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if right < 0 => {
            return Err(Problem::NegativeShift);
        }
        BinaryOperator::ShiftLeft if left == 0 => Some(0),
        BinaryOperator::ShiftLeft => u32::try_from(right)
            .ok()
            .filter(|&amount| amount < 127)
            .and_then(|amount| left.checked_mul(1_i128 << amount)),
        BinaryOperator::ShiftRight => Some(left >> right.min(127)),
        _ => return Err(Problem::Undefined),
    };
    result.ok_or(Problem::Overflow)
}

fn floats(operator: BinaryOperator, left: f64, right: f64) -> Result<f64, Problem> {
    match operator {
        BinaryOperator::Add => Ok(left + right),
        BinaryOperator::Subtract => Ok(left - right),
        BinaryOperator::Multiply => Ok(left * right),
        BinaryOperator::Divide => Ok(left / right),
        BinaryOperator::Remainder => Ok(left % right),
        _ => Err(Problem::Undefined),
    }
}

/// `None` when the operator is no comparison.
pub(super) fn compare(operator: BinaryOperator, left: Constant, right: Constant) -> Option<bool> {
    let ordering = match (left, right) {
        (Constant::Int(left), Constant::Int(right)) => Some(left.cmp(&right)),
        (left, right) => to_float(left).partial_cmp(&to_float(right)),
    };
    Some(match operator {
        BinaryOperator::Equal => ordering.is_some_and(std::cmp::Ordering::is_eq),
        BinaryOperator::NotEqual => !ordering.is_some_and(std::cmp::Ordering::is_eq),
        BinaryOperator::Less => ordering.is_some_and(std::cmp::Ordering::is_lt),
        BinaryOperator::LessEqual => ordering.is_some_and(std::cmp::Ordering::is_le),
        BinaryOperator::Greater => ordering.is_some_and(std::cmp::Ordering::is_gt),
        BinaryOperator::GreaterEqual => ordering.is_some_and(std::cmp::Ordering::is_ge),
        _ => return None,
    })
}

/// As the user would write it.
pub(super) fn text(number: Number) -> String {
    match number.value {
        Constant::Int(value) if number.element == ElementType::I1 => (value != 0).to_string(),
        Constant::Int(value) => value.to_string(),
        // The shortest number that rounds to it, as it was probably written.
        #[allow(clippy::cast_possible_truncation)]
        Constant::Float(value) if number.element == ElementType::F32 => {
            format!("{:?}", value as f32)
        }
        Constant::Float(value) => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_must_fit() {
        assert_eq!(
            fit(Constant::Int(255), ElementType::U8),
            Ok(Constant::Int(255))
        );
        assert_eq!(
            fit(Constant::Int(256), ElementType::U8),
            Err(Misfit::OutOfRange)
        );
        assert_eq!(
            fit(Constant::Int(-1), ElementType::U32),
            Err(Misfit::OutOfRange)
        );
        assert_eq!(
            fit(Constant::Float(65504.0), ElementType::F16),
            Ok(Constant::Float(65504.0))
        );
        assert_eq!(
            fit(Constant::Float(1e5), ElementType::F16),
            Err(Misfit::OutOfRange)
        );
        assert_eq!(
            fit(Constant::Float(0.5), ElementType::I32),
            Err(Misfit::FloatForInteger)
        );
    }

    #[test]
    fn nothing_wraps_but_casts_and_shifts() {
        let (one, most) = (Constant::Int(1), Constant::Int(i128::from(i32::MAX)));
        assert_eq!(
            typed(BinaryOperator::Add, ElementType::I32, most, one),
            Err(Problem::Overflow)
        );
        assert_eq!(cast(Constant::Int(300), ElementType::U8), Constant::Int(44));
        assert_eq!(
            cast(Constant::Int(200), ElementType::I8),
            Constant::Int(-56)
        );
        let shifted = typed(
            BinaryOperator::ShiftLeft,
            ElementType::I32,
            one,
            Constant::Int(31),
        );
        assert_eq!(shifted, Ok(Constant::Int(i128::from(i32::MIN))));
        assert_eq!(
            literals(BinaryOperator::Divide, one, Constant::Int(0)),
            Err(Problem::DivisionByZero)
        );
    }
}
