//! Instructions whose work goes on after them, and those that wait for it.

use super::{Decoder, Forms, Result};

pub const FORMS: &[Forms] = &[];

/// Whether an opcode is of this family.
pub fn knows(opcode: &str) -> bool {
    FORMS.iter().any(|(name, _)| *name == opcode)
}

impl Decoder<'_> {
    pub fn asynchronous(&mut self, opcode: &str) -> Result<()> {
        let _ = opcode;
        Err(self.unknown())
    }
}
