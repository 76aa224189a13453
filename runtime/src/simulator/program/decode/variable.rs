//! Where variables lie: parameters, shared, local and global memory.

use std::collections::HashMap;

use super::super::{Parameter, Variable};
use super::{DecodeError, Result};
use crate::simulator::ptx::ast::{self, Initializer};
use crate::simulator::ptx::types::Space;

/// The largest space of variables that is taken: what a GPU has at most.
const MOST_BYTES: u64 = 1 << 32;

/// Variables by name, or within a body by their number there, and their places.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub globals: Vec<Variable>,
    pub shared: HashMap<String, u32>,
    pub shared_bytes: u32,
    /// Shared variables without a size: they lie behind all others.
    dynamic: Vec<(String, u32)>,
    pub parameters: Vec<Parameter>,
    pub parameter_bytes: u32,
    /// Of the body, by number.
    pub local: HashMap<usize, u32>,
    pub local_bytes: u32,
    /// Of the body, by number.
    pub body_shared: HashMap<usize, u32>,
}

/// Bytes of a variable; `None` if that is said elsewhere.
fn bytes(variable: &ast::Variable<'_>) -> Result<Option<u32>> {
    let element = variable.ty.bytes().max(1) * u64::from(variable.vector.max(1));
    let mut total = element;
    for (number, dimension) in variable.dimensions.iter().enumerate() {
        let size = match (dimension, &variable.initializer) {
            (Some(size), _) => *size,
            (None, Some(Initializer::List(list))) if number == 0 => list.len() as u64,
            (None, _) => return Ok(None),
        };
        total = total
            .checked_mul(size)
            .filter(|&total| total < MOST_BYTES)
            .ok_or_else(|| error(variable, "is larger than memory".to_owned()))?;
    }
    Ok(Some(u32::try_from(total).unwrap_or(u32::MAX)))
}

fn alignment(variable: &ast::Variable<'_>) -> u32 {
    let natural = variable.ty.bytes().max(1) * u64::from(variable.vector.max(1));
    let alignment = variable.alignment.unwrap_or(natural);
    u32::try_from(alignment).unwrap_or(1).clamp(1, 1 << 16)
}

fn error(variable: &ast::Variable<'_>, message: String) -> DecodeError {
    DecodeError {
        line: variable.line,
        text: format!(".{} {}", variable.space.name(), variable.name),
        message: format!("`{}` {message}", variable.name),
        help: Vec::new(),
    }
}

/// The next place after `end` for a variable; moves `end`.
fn place(end: &mut u32, variable: &ast::Variable<'_>, bytes: u32) -> Result<u32> {
    let too_much = || error(variable, "does not fit into its state space".to_owned());
    let start = end
        .checked_next_multiple_of(alignment(variable))
        .ok_or_else(too_much)?;
    *end = start.checked_add(bytes).ok_or_else(too_much)?;
    Ok(start)
}

impl Variables {
    /// Those outside functions.
    pub fn of_module(module: &ast::Module<'_>) -> Result<Self> {
        let mut own = Self::default();
        for variable in &module.variables {
            match variable.space {
                Space::Global | Space::Constant => {
                    let bytes = bytes(variable)?.unwrap_or(0);
                    let mut initial = Vec::new();
                    if let Some(value) = &variable.initializer {
                        let element = usize::try_from(variable.ty.bytes().max(1)).unwrap_or(8);
                        fill(&mut initial, value, variable, element)?;
                    }
                    own.globals.push(Variable {
                        name: variable.name.to_owned(),
                        bytes: u64::from(bytes),
                        initial,
                        constant: variable.space == Space::Constant,
                    });
                }
                Space::Shared => {
                    if let Some(start) = own.shared_variable(variable)? {
                        own.shared.insert(variable.name.to_owned(), start);
                    }
                }
                Space::Register | Space::Parameter | Space::Local => {}
            }
        }
        Ok(own)
    }

    /// Those of an entry point.
    pub fn of_entry(&mut self, function: &ast::Function<'_>, body: &ast::Body<'_>) -> Result<()> {
        for parameter in &function.parameters {
            let bytes = bytes(parameter)?.unwrap_or(0);
            let offset = place(&mut self.parameter_bytes, parameter, bytes)?;
            self.parameters.push(Parameter {
                name: parameter.name.to_owned(),
                offset,
                bytes,
            });
        }
        for (number, variable) in body.variables.iter().enumerate() {
            match variable.space {
                // Arguments of calls are in memory of the thread too.
                Space::Local | Space::Parameter => {
                    let bytes = bytes(variable)?.unwrap_or(0);
                    let start = place(&mut self.local_bytes, variable, bytes)?;
                    self.local.insert(number, start);
                }
                Space::Shared => {
                    if let Some(start) = self.shared_variable(variable)? {
                        self.body_shared.insert(number, start);
                    }
                }
                Space::Register | Space::Global | Space::Constant => {}
            }
        }
        // What has no size starts behind what has.
        for (name, alignment) in std::mem::take(&mut self.dynamic) {
            let start = self.shared_bytes.next_multiple_of(alignment);
            self.shared_bytes = start;
            self.shared.insert(name, start);
        }
        Ok(())
    }

    fn shared_variable(&mut self, variable: &ast::Variable<'_>) -> Result<Option<u32>> {
        match bytes(variable)? {
            Some(bytes) => place(&mut self.shared_bytes, variable, bytes).map(Some),
            None => {
                self.dynamic
                    .push((variable.name.to_owned(), alignment(variable)));
                Ok(None)
            }
        }
    }

    /// Where a parameter of the entry point is.
    pub fn parameter(&self, name: &str) -> Option<u32> {
        let parameter = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name)?;
        Some(parameter.offset)
    }

    /// The number of a variable in global memory.
    pub fn global(&self, name: &str) -> Option<u32> {
        let position = self
            .globals
            .iter()
            .position(|variable| variable.name == name)?;
        u32::try_from(position).ok()
    }
}

/// Appends what a variable holds first.
fn fill(
    bytes: &mut Vec<u8>,
    value: &Initializer<'_>,
    variable: &ast::Variable<'_>,
    element: usize,
) -> Result<()> {
    match value {
        Initializer::Integer(value) => bytes.extend(&value.to_le_bytes()[..element.min(8)]),
        Initializer::Single(bits) if element == 8 => {
            bytes.extend(f64::from(f32::from_bits(*bits)).to_bits().to_le_bytes());
        }
        Initializer::Single(bits) => bytes.extend(&bits.to_le_bytes()[..element.min(4)]),
        Initializer::Double(bits) if element == 8 => bytes.extend(bits.to_le_bytes()),
        #[allow(clippy::cast_possible_truncation)] // rounded to the variable's type
        Initializer::Double(bits) => {
            let single = (f64::from_bits(*bits) as f32).to_bits();
            bytes.extend(&single.to_le_bytes()[..element.min(4)]);
        }
        Initializer::Address { .. } => {
            let message = "holds an address, which is not known here".to_owned();
            return Err(error(variable, message));
        }
        Initializer::List(values) => {
            for value in values {
                fill(bytes, value, variable, element)?;
            }
        }
    }
    Ok(())
}
