//! `ldmatrix`, `stmatrix` and `movmatrix`: matrices between shared memory and the fragments that
//! tensor-core instructions take.
//!
//! The machine computes one address per row, from the lanes `0..rows()`, checks each (16 bytes,
//! aligned to 16), and fetches or stores the bytes.

use crate::simulator::registers::{Registers, Slot};

/// The bytes of one row in shared memory.
pub type Row = [u8; 16];

/// An `ldmatrix` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadMatrix {}

impl LoadMatrix {
    /// The instruction of an opcode's dotted parts, `["ldmatrix", "sync", "aligned", ...]`.
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

    /// Whether the address is generic, not one of shared memory (no `.shared` in the opcode).
    #[must_use]
    pub fn generic(&self) -> bool {
        todo!()
    }

    /// How many rows are read: lane `i < rows()` has the address of row `i`. The addresses of
    /// other lanes are not used.
    #[must_use]
    pub fn rows(&self) -> usize {
        todo!()
    }

    /// How many 32-bit registers each lane receives.
    #[must_use]
    pub fn registers(&self) -> usize {
        todo!()
    }

    /// Gives the rows' elements to the lanes. Rows that are missing read as zeros.
    pub fn run(&self, rows: &[Row], registers: &mut Registers, d: &[Slot]) {
        let _ = (rows, registers, d);
        todo!()
    }
}

/// A `stmatrix` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreMatrix {}

impl StoreMatrix {
    /// The instruction of an opcode's dotted parts, `["stmatrix", "sync", "aligned", ...]`.
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

    /// Whether the address is generic, not one of shared memory (no `.shared` in the opcode).
    #[must_use]
    pub fn generic(&self) -> bool {
        todo!()
    }

    /// How many rows are written: lane `i < rows()` has the address of row `i`.
    #[must_use]
    pub fn rows(&self) -> usize {
        todo!()
    }

    /// How many 32-bit registers each lane gives.
    #[must_use]
    pub fn registers(&self) -> usize {
        todo!()
    }

    /// The rows to be stored, `rows()` of them.
    #[must_use]
    pub fn run(&self, registers: &Registers, source: &[Slot]) -> Vec<Row> {
        let _ = (registers, source);
        todo!()
    }
}

/// The instruction `movmatrix.sync.aligned.m8n8.trans.b16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveMatrix;

impl MoveMatrix {
    /// The instruction of an opcode's dotted parts.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        let _ = parts;
        todo!()
    }

    /// Transposes an 8 x 8 matrix of 16-bit elements, one register of each lane.
    pub fn run(self, registers: &mut Registers, d: Slot, a: Slot) {
        let _ = (registers, d, a);
        todo!()
    }
}
