//! `mma.sync`: D = A B + C by one warp (PTX ISA, "Warp-level Matrix Multiply-Accumulate").

use super::Operand;
use crate::simulator::registers::{Registers, Slot};

/// An `mma.sync` instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mma {}

impl Mma {
    /// The instruction of an opcode's dotted parts, `["mma", "sync", "aligned", "m16n8k16", ...]`.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        let _ = parts;
        todo!()
    }

    /// Every opcode that [`find`](Self::find) knows.
    #[must_use]
    pub fn forms() -> Vec<String> {
        todo!()
    }

    /// The registers of D.
    #[must_use]
    pub fn d(&self) -> Operand {
        todo!()
    }

    /// The registers of A.
    #[must_use]
    pub fn a(&self) -> Operand {
        todo!()
    }

    /// The registers of B.
    #[must_use]
    pub fn b(&self) -> Operand {
        todo!()
    }

    /// The registers of C.
    #[must_use]
    pub fn c(&self) -> Operand {
        todo!()
    }

    /// Runs it for all 32 lanes. The slots are as many as the operands' counts.
    pub fn run(&self, registers: &mut Registers, d: &[Slot], a: &[Slot], b: &[Slot], c: &[Slot]) {
        let _ = (registers, d, a, b, c);
        todo!()
    }
}
