//! Constant expressions, computed where they stand (PTX ISA 4.5.4 to 4.5.6).
//!
//! An expression arrives as a chain `a + b * c`, not as a tree: the grammar would otherwise climb
//! through ten levels of precedence for each `16` in the text.

use super::error::Problem;
use super::literal::{Integer, Number};
use super::token::Operator;

/// How tightly an operator binds; C's order.
fn precedence(operator: Operator) -> u8 {
    use Operator as O;
    match operator {
        O::Multiply | O::Divide | O::Remainder => 10,
        O::Add | O::Subtract => 9,
        O::ShiftLeft | O::ShiftRight => 8,
        O::Less | O::LessEqual | O::Greater | O::GreaterEqual => 7,
        O::Equal | O::NotEqual => 6,
        O::And => 5,
        O::ExclusiveOr => 4,
        O::Or => 3,
        O::LogicalAnd => 2,
        O::LogicalOr => 1,
    }
}

/// `first op number op number …`
pub fn chain(first: Number, rest: Vec<(Operator, Number)>) -> Result<Number, Problem> {
    // What waits for its right side; precedences rise, so there are never more than ten.
    let mut waiting: Vec<(Number, Operator)> = Vec::new();
    let mut left = first;
    for (operator, right) in rest {
        while let Some(&(before, above)) = waiting.last()
            && precedence(above) >= precedence(operator)
        {
            left = binary(before, above, left)?;
            waiting.pop();
        }
        waiting.push((left, operator));
        left = right;
    }
    while let Some((before, operator)) = waiting.pop() {
        left = binary(before, operator, left)?;
    }
    Ok(left)
}

/// Whether an operator binds at least as tightly as `+`.
pub fn is_arithmetic(operator: Operator) -> bool {
    precedence(operator) >= precedence(Operator::Add)
}

/// `!` and the like in front of a number.
pub fn unary(operator: char, number: Number) -> Result<Number, Problem> {
    Ok(match (operator, number) {
        ('+', number) => number,
        ('-', Number::Integer(Integer { bits, unsigned })) => Number::Integer(Integer {
            bits: bits.wrapping_neg(),
            unsigned,
        }),
        ('-', Number::Single(bits)) => Number::Single(bits ^ 1 << 31),
        ('-', Number::Double(bits)) => Number::Double(bits ^ 1 << 63),
        ('~', number) => Number::Integer(Integer {
            bits: !integer(number)?.bits,
            unsigned: true,
        }),
        (_, number) => truth(!is_true(number)?),
    })
}

/// `(.s64)` and `(.u64)`: by value for floats, the bits for integers.
pub fn cast(unsigned: bool, number: Number) -> Result<Number, Problem> {
    let bits = match number {
        Number::Integer(Integer { bits, .. }) => bits,
        Number::Double(bits) if unsigned => f64::from_bits(bits) as u64,
        Number::Double(bits) => (f64::from_bits(bits) as i64).cast_unsigned(),
        Number::Single(_) => return Err(Problem::SingleInExpression),
    };
    Ok(Number::Integer(Integer { bits, unsigned }))
}

/// `condition ? yes : no`
pub fn conditional(condition: Number, yes: Number, no: Number) -> Result<Number, Problem> {
    Ok(if is_true(condition)? { yes } else { no })
}

/// Where only an integer makes sense.
pub fn integer(number: Number) -> Result<Integer, Problem> {
    match number {
        Number::Integer(integer) => Ok(integer),
        Number::Single(_) | Number::Double(_) => Err(Problem::NoInteger),
    }
}

fn is_true(number: Number) -> Result<bool, Problem> {
    match number {
        Number::Integer(Integer { bits, .. }) => Ok(bits != 0),
        Number::Double(bits) => Ok(f64::from_bits(bits) != 0.0),
        Number::Single(_) => Err(Problem::SingleInExpression),
    }
}

fn truth(is_true: bool) -> Number {
    Number::Integer(Integer::signed(i64::from(is_true)))
}

fn binary(left: Number, operator: Operator, right: Number) -> Result<Number, Problem> {
    match (operator, left, right) {
        (Operator::LogicalAnd, ..) => Ok(truth(is_true(left)? & is_true(right)?)),
        (Operator::LogicalOr, ..) => Ok(truth(is_true(left)? | is_true(right)?)),
        (_, Number::Single(_), _) | (_, _, Number::Single(_)) => Err(Problem::SingleInExpression),
        (_, Number::Integer(left), Number::Integer(right)) => of_integers(left, operator, right),
        _ => of_floats(double(left), operator, double(right)),
    }
}

fn double(number: Number) -> f64 {
    match number {
        Number::Integer(Integer {
            bits,
            unsigned: true,
        }) => bits as f64,
        Number::Integer(integer) => integer.value() as f64,
        Number::Single(bits) => f64::from(f32::from_bits(bits)),
        Number::Double(bits) => f64::from_bits(bits),
    }
}

fn of_floats(left: f64, operator: Operator, right: f64) -> Result<Number, Problem> {
    use Operator as O;
    let value = match operator {
        O::Multiply => left * right,
        O::Divide => left / right,
        O::Add => left + right,
        O::Subtract => left - right,
        O::Less => return Ok(truth(left < right)),
        O::LessEqual => return Ok(truth(left <= right)),
        O::Greater => return Ok(truth(left > right)),
        O::GreaterEqual => return Ok(truth(left >= right)),
        O::Equal => return Ok(truth(left == right)),
        O::NotEqual => return Ok(truth(left != right)),
        _ => return Err(Problem::NoInteger),
    };
    Ok(Number::Double(value.to_bits()))
}

/// Wraps to 64 bits; unsigned if one side is (PTX ISA 4.5.6, table of result types).
fn of_integers(left: Integer, operator: Operator, right: Integer) -> Result<Number, Problem> {
    use Operator as O;
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (x, y) = (left.value(), right.value());
    let order = if unsigned { a.cmp(&b) } else { x.cmp(&y) };
    let shift = u32::try_from(b).unwrap_or(u32::MAX);
    let bits = match operator {
        O::Multiply => a.wrapping_mul(b),
        O::Divide | O::Remainder if b == 0 => return Err(Problem::DivisionByZero),
        O::Divide if unsigned => a / b,
        O::Divide => x.wrapping_div(y).cast_unsigned(),
        O::Remainder if unsigned => a % b,
        O::Remainder => x.wrapping_rem(y).cast_unsigned(),
        O::Add => a.wrapping_add(b),
        O::Subtract => a.wrapping_sub(b),
        O::And => a & b,
        O::ExclusiveOr => a ^ b,
        O::Or => a | b,
        // The type is that of the left side; all bits may be shifted out.
        O::ShiftLeft => {
            let bits = a.checked_shl(shift).unwrap_or(0);
            return Ok(Number::Integer(Integer { bits, ..left }));
        }
        O::ShiftRight => {
            let bits = if left.unsigned {
                a.checked_shr(shift).unwrap_or(0)
            } else {
                (x >> shift.min(63)).cast_unsigned()
            };
            return Ok(Number::Integer(Integer { bits, ..left }));
        }
        O::Less => return Ok(truth(order.is_lt())),
        O::LessEqual => return Ok(truth(order.is_le())),
        O::Greater => return Ok(truth(order.is_gt())),
        O::GreaterEqual => return Ok(truth(order.is_ge())),
        O::Equal => return Ok(truth(a == b)),
        O::NotEqual => return Ok(truth(a != b)),
        O::LogicalAnd => return Ok(truth(a != 0 && b != 0)),
        O::LogicalOr => return Ok(truth(a != 0 || b != 0)),
    };
    Ok(Number::Integer(Integer { bits, unsigned }))
}
