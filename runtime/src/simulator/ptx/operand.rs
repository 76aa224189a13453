//! Operands, from what the grammar finds to what the tree says.

use super::ast::{Initializer, Operand};
use super::constant;
use super::error::{Failure, Fallible, Problem};
use super::literal::{Integer, Number};
use super::token::{Operator, Position};

/// A constant.
pub fn constant(number: Number) -> Operand<'static> {
    match number {
        Number::Integer(integer) => Operand::Integer(integer.value()),
        Number::Single(bits) => Operand::Single(bits),
        Number::Double(bits) => Operand::Double(bits),
    }
}

/// `1.5`
pub fn decimal(text: &str) -> Number {
    // What the lexer takes for a decimal number is one for `parse` too.
    Number::Double(text.parse().unwrap_or(f64::NAN).to_bits())
}

/// `%tid.x`, one word with one dot.
pub fn component(word: &str) -> Operand<'_> {
    match word.split_once('.') {
        Some((name, component)) => Operand::Component(name, component),
        None => Operand::Name(word),
    }
}

/// `ld.global.b32`
pub fn opcode(word: &str) -> Vec<&str> {
    let dots = word.bytes().filter(|&byte| byte == b'.').count();
    let mut parts = Vec::with_capacity(dots + 1);
    parts.extend(word.split('.'));
    parts
}

/// `4 * 2`, behind a name and `+`.
pub fn offset<'text>(
    start: Position,
    first: Number,
    rest: Vec<(Operator, Number)>,
    end: Position,
) -> Fallible<'text, i64> {
    // Nothing that binds less tightly than the `+` in front.
    let is_sum = rest
        .iter()
        .all(|&(operator, _)| constant::is_arithmetic(operator));
    let sum = if is_sum {
        constant::chain(first, rest)
    } else {
        Err(Problem::AddressArithmetic)
    };
    sum.and_then(constant::integer)
        .map(Integer::value)
        .map_err(|problem| Failure::user(start, end, problem))
}

/// `[operand]`
pub fn address<'text>(
    start: Position,
    operand: Operand<'text>,
    end: Position,
) -> Fallible<'text, Operand<'text>> {
    let (base, offset) = match operand {
        Operand::Name(name) => (Some(name), 0),
        Operand::Offset(name, offset) => (Some(name), offset),
        Operand::Integer(offset) => (None, offset),
        _ => {
            let problem = Problem::Form("an address: a register, a variable or a number");
            return Err(Failure::user(start, end, problem));
        }
    };
    Ok(Operand::Address { base, offset })
}

/// A number that must lie in a range.
pub fn between<'text>(
    start: Position,
    integer: Integer,
    end: Position,
    (least, most): (u64, u64),
) -> Fallible<'text, u64> {
    if (least..=most).contains(&integer.bits) {
        Ok(integer.bits)
    } else {
        let problem = Problem::OutOfRange(least, most, integer.value());
        Err(Failure::user(start, end, problem))
    }
}

/// `0xFF00(address)`
pub fn masked(bits: u64, address: Initializer<'_>) -> Initializer<'_> {
    match address {
        Initializer::Address {
            symbol,
            offset,
            generic,
            ..
        } => Initializer::Address {
            symbol,
            offset,
            generic,
            mask: Some(bits),
        },
        other => other,
    }
}
