//! `ldmatrix`, `stmatrix` and `movmatrix`: matrices between shared memory and the fragments that
//! tensor-core instructions take (PTX ISA, "Warp-level matrix load instruction: ldmatrix" and its
//! neighbours).
//!
//! The machine computes one address per row, from the lanes `0..rows()`, checks each (16 bytes,
//! aligned to 16), and fetches or stores the bytes.
//!
//! ```text
//!  lane 8 j + i: address of row i of matrix j ─▶ rows: [[u8; 16]] ─▶ register j of every lane
//! ```
//!
//! Without `.trans` lane `l` has a row's bytes: those from `4 (l % 4)` of row `l / 4`. With it the
//! lane has a column's elements: those of rows `2 (l % 4)` and `2 (l % 4) + 1` in column `l / 4`.
//! The forms for 8-bit elements, of Blackwell, transpose two matrices of 8 columns each, one beside
//! the other in the rows; where their elements go is as CuTe's copy traits for them say.

use super::opcode::same;
use crate::simulator::registers::{FULL, LANES, Lanes32, Registers, Slot};

/// The bytes of one row in shared memory.
pub type Row = [u8; 16];

/// What is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `m8n8`, 16-bit elements, maybe transposed.
    Pairs { transposed: bool },
    /// `m16n16.trans`, 8-bit elements, loaded: two registers for each matrix of 16 rows.
    BytesOf16,
    /// `m16n8.trans`, 8-bit elements, stored: one register for each matrix, in memory 8 rows.
    BytesOf8,
}

impl Shape {
    /// The row of a byte, and the byte in the row.
    #[inline]
    const fn place(self, lane: usize, register: usize, byte: usize) -> (usize, usize) {
        let (group, quarter) = (lane / 4, lane % 4);
        match self {
            Self::Pairs { transposed: false } => (8 * register + group, 4 * quarter + byte),
            Self::Pairs { transposed: true } => {
                (8 * register + 2 * quarter + byte / 2, 2 * group + byte % 2)
            }
            Self::BytesOf16 => (
                16 * (register / 2) + 4 * quarter + 2 * (register % 2) + byte % 2,
                group + 8 * (byte / 2),
            ),
            Self::BytesOf8 => (
                8 * register + 2 * quarter + byte % 2,
                group + 8 * (byte / 2),
            ),
        }
    }

    const fn name(self) -> [&'static str; 3] {
        match self {
            Self::Pairs { transposed: false } => ["m8n8", "", "b16"],
            Self::Pairs { transposed: true } => ["m8n8", ".trans", "b16"],
            Self::BytesOf16 => ["m16n16", ".trans", "b8"],
            Self::BytesOf8 => ["m16n8", ".trans", "b8"],
        }
    }
}

/// An `ldmatrix` or a `stmatrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Movement {
    shape: Shape,
    matrices: usize,
    space: &'static str,
}

const SPACES: [&str; 3] = ["", ".shared", ".shared::cta"];

impl Movement {
    fn all(mnemonic: &str) -> impl Iterator<Item = Self> {
        let bytes = match mnemonic {
            "ldmatrix" => (Shape::BytesOf16, &[1, 2][..]),
            _ => (Shape::BytesOf8, &[1, 2, 4][..]),
        };
        let pairs = [false, true].map(|transposed| (Shape::Pairs { transposed }, &[1, 2, 4][..]));
        let shapes = pairs.into_iter().chain([bytes]);
        shapes.flat_map(|(shape, numbers)| {
            numbers.iter().flat_map(move |&matrices| {
                SPACES.map(|space| Self {
                    shape,
                    matrices,
                    space,
                })
            })
        })
    }

    fn name(self, mnemonic: &str) -> String {
        let [shape, transposed, kind] = self.shape.name();
        let Self {
            matrices, space, ..
        } = self;
        format!("{mnemonic}.sync.aligned.{shape}.x{matrices}{transposed}{space}.{kind}")
    }

    fn find(mnemonic: &str, parts: &[&str]) -> Option<Self> {
        if parts.first() != Some(&mnemonic) {
            return None;
        }
        Self::all(mnemonic).find(|form| same(parts, &form.name(mnemonic)))
    }

    fn forms(mnemonic: &str) -> Vec<String> {
        Self::all(mnemonic)
            .map(|form| form.name(mnemonic))
            .collect()
    }

    const fn rows(self) -> usize {
        match self.shape {
            Shape::BytesOf16 => 16 * self.matrices,
            _ => 8 * self.matrices,
        }
    }

    const fn registers(self) -> usize {
        match self.shape {
            Shape::BytesOf16 => 2 * self.matrices,
            _ => self.matrices,
        }
    }
}

/// An `ldmatrix` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadMatrix(Movement);

impl LoadMatrix {
    /// The instruction of an opcode's dotted parts, `["ldmatrix", "sync", "aligned", ...]`.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        Movement::find("ldmatrix", parts).map(Self)
    }

    /// Every opcode that [`find`](Self::find) knows.
    #[must_use]
    pub fn forms() -> Vec<String> {
        Movement::forms("ldmatrix")
    }

    /// Whether the address is generic, not one of shared memory (no `.shared` in the opcode).
    #[must_use]
    pub fn generic(&self) -> bool {
        self.0.space.is_empty()
    }

    /// How many rows are read: lane `i < rows()` has the address of row `i`. The addresses of
    /// other lanes are not used.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// How many 32-bit registers each lane receives.
    #[must_use]
    pub fn registers(&self) -> usize {
        self.0.registers()
    }

    /// Gives the rows' elements to the lanes. Rows that are missing read as zeros.
    pub fn run(&self, rows: &[Row], registers: &mut Registers, d: &[Slot]) {
        let mut all = [[0; 16]; LANES];
        for (row, given) in all.iter_mut().zip(rows) {
            *row = *given;
        }
        for (register, slot) in d.iter().enumerate().take(self.registers()) {
            // The choice of the shape is made here, not for every byte.
            let lanes = match self.0.shape {
                Shape::Pairs { transposed: false } => spread(&all, |lane, byte| {
                    Shape::Pairs { transposed: false }.place(lane, register, byte)
                }),
                Shape::Pairs { transposed: true } => spread(&all, |lane, byte| {
                    Shape::Pairs { transposed: true }.place(lane, register, byte)
                }),
                other => spread(&all, |lane, byte| other.place(lane, register, byte)),
            };
            registers.set32(*slot, FULL, lanes);
        }
    }
}

#[inline(always)]
fn spread(rows: &[Row; LANES], place: impl Fn(usize, usize) -> (usize, usize)) -> Lanes32 {
    std::array::from_fn(|lane| {
        u32::from_le_bytes(std::array::from_fn(|byte| {
            let (row, column) = place(lane, byte);
            rows[row % LANES][column % 16]
        }))
    })
}

/// A `stmatrix` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreMatrix(Movement);

impl StoreMatrix {
    /// The instruction of an opcode's dotted parts, `["stmatrix", "sync", "aligned", ...]`.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        Movement::find("stmatrix", parts).map(Self)
    }

    /// Every opcode that [`find`](Self::find) knows.
    #[must_use]
    pub fn forms() -> Vec<String> {
        Movement::forms("stmatrix")
    }

    /// Whether the address is generic, not one of shared memory (no `.shared` in the opcode).
    #[must_use]
    pub fn generic(&self) -> bool {
        self.0.space.is_empty()
    }

    /// How many rows are written: lane `i < rows()` has the address of row `i`.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// How many 32-bit registers each lane gives.
    #[must_use]
    pub fn registers(&self) -> usize {
        self.0.registers()
    }

    /// The rows to be stored, `rows()` of them.
    #[must_use]
    pub fn run(&self, registers: &Registers, source: &[Slot]) -> Vec<Row> {
        let mut rows = vec![[0; 16]; self.rows()];
        for (register, slot) in source.iter().enumerate().take(self.registers()) {
            for (lane, word) in registers.get32(*slot).into_iter().enumerate() {
                for (byte, value) in word.to_le_bytes().into_iter().enumerate() {
                    let (row, column) = self.0.shape.place(lane, register, byte);
                    rows[row][column] = value;
                }
            }
        }
        rows
    }
}

/// The instruction `movmatrix.sync.aligned.m8n8.trans.b16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveMatrix;

impl MoveMatrix {
    /// Its opcode.
    pub const FORM: &'static str = "movmatrix.sync.aligned.m8n8.trans.b16";

    /// The instruction of an opcode's dotted parts.
    #[must_use]
    pub fn find(parts: &[&str]) -> Option<Self> {
        same(parts, Self::FORM).then_some(Self)
    }

    /// Transposes an 8 x 8 matrix of 16-bit elements, one register of each lane.
    pub fn run(self, registers: &mut Registers, d: Slot, a: Slot) {
        let source = registers.get32(a);
        let element = |row: usize, column: usize| {
            source[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff
        };
        let lanes = std::array::from_fn(|lane| {
            let (row, column) = (lane / 4, 2 * (lane % 4));
            element(column, row) | element(column + 1, row) << 16
        });
        registers.set32(d, FULL, lanes);
    }
}
