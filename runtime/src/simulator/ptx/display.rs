//! Instructions as PTX again: error messages show them.

use std::fmt::{Display, Formatter, Result};

use super::ast::{Instruction, Operand};

impl Display for Instruction<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        if let Some(guard) = &self.guard {
            let negation = if guard.negated { "!" } else { "" };
            write!(formatter, "@{negation}{} ", guard.register)?;
        }
        list(formatter, &self.opcode, ".")?;
        if !self.operands.is_empty() {
            formatter.write_str(" ")?;
            list(formatter, &self.operands, ", ")?;
        }
        formatter.write_str(";")
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Self::Name(name) => formatter.write_str(name),
            Self::Component(name, component) => write!(formatter, "{name}.{component}"),
            Self::Not(name) => write!(formatter, "!{name}"),
            Self::Sink => formatter.write_str("_"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Single(bits) => write!(formatter, "0f{bits:08X}"),
            Self::Double(bits) => write!(formatter, "0d{bits:016X}"),
            Self::Offset(name, offset) => write!(formatter, "{name}+{offset}"),
            Self::Address {
                base: Some(base),
                offset: 0,
            } => write!(formatter, "[{base}]"),
            Self::Address {
                base: Some(base),
                offset,
            } => write!(formatter, "[{base}+{offset}]"),
            Self::Address { base: None, offset } => write!(formatter, "[{offset}]"),
            Self::Tensor(operands) => bracketed(formatter, "[", operands, "]"),
            Self::Vector(operands) => bracketed(formatter, "{", operands, "}"),
            Self::List(operands) => bracketed(formatter, "(", operands, ")"),
            Self::Pair(operands) => list(formatter, operands.as_slice(), "|"),
        }
    }
}

fn bracketed(
    formatter: &mut Formatter<'_>,
    open: &str,
    operands: &[Operand<'_>],
    close: &str,
) -> Result {
    formatter.write_str(open)?;
    list(formatter, operands, ", ")?;
    formatter.write_str(close)
}

fn list<T: Display>(formatter: &mut Formatter<'_>, items: &[T], separator: &str) -> Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            formatter.write_str(separator)?;
        }
        item.fmt(formatter)?;
    }
    Ok(())
}
