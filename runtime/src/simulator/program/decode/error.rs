//! What can be wrong with a module that parses.

use super::Decoder;

/// Something in a module that is not known, or cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}\n  {text}{}", known(.help))]
pub struct DecodeError {
    /// The line of the PTX, from 1.
    pub line: u32,
    /// What is there.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
    /// What would be right: forms that are known, or a name that is near.
    pub help: Vec<String>,
}

fn known(lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        [only] => format!("\n  known: {only}"),
        many => format!("\n  known:\n    {}", many.join("\n    ")),
    }
}

impl Decoder<'_> {
    /// An error at the instruction that is being decoded.
    pub fn error(&self, message: impl Into<String>) -> DecodeError {
        DecodeError {
            line: self.at.line,
            text: self.at.to_string(),
            message: message.into(),
            help: Vec::new(),
        }
    }

    /// The instruction is none that is known.
    pub fn unknown(&self) -> DecodeError {
        let opcode = self.at.opcode.first().copied().unwrap_or_default();
        let forms = super::forms(opcode);
        if forms.is_empty() {
            let near = crate::suggest::nearest(opcode, super::opcodes().into_iter());
            return self.error(format!(
                "`{opcode}` is no instruction that is known here{near}"
            ));
        }
        let mut error = self.error(format!(
            "this form of `{opcode}` is not known here: `{}` with {} operands",
            self.at.opcode.join("."),
            self.at.operands.len()
        ));
        error.help = forms;
        error
    }
}
