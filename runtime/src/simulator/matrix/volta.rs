//! The `mma.sync.m8n8k4` of Volta: four products of 8 x 4 by 4 x 8 at once, each by eight lanes,
//! the quad pair of the lanes `4 p..4 p + 4` and `16 + 4 p..16 + 4 p + 4`
//! (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").

use super::kind::Kind;
use super::product::{COLUMNS, Step};
use crate::simulator::registers::{FULL, LANES, Registers, Slot};

/// Rows of A, C and D.
pub(super) const ROWS: usize = 8;
/// Columns of A and rows of B.
pub(super) const K: usize = 4;
/// Products of a warp.
pub(super) const MATRICES: usize = 4;

/// The layouts of A and B: whether each is `row`, not `col`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layouts {
    a: bool,
    b: bool,
}

impl Layouts {
    pub const ALL: [Self; 4] = [
        Self { a: true, b: true },
        Self { a: true, b: false },
        Self { a: false, b: true },
        Self { a: false, b: false },
    ];

    /// The layouts among the parts of an opcode.
    pub fn find(parts: &[&str]) -> Option<Self> {
        let parts = parts.iter().filter(|part| ["row", "col"].contains(part));
        let [a, b] = parts.collect::<Vec<_>>().try_into().ok()?;
        Some(Self {
            a: *a == "row",
            b: *b == "row",
        })
    }

    /// The qualifiers.
    pub fn names(self) -> [&'static str; 2] {
        [self.a, self.b].map(|row| if row { "row" } else { "col" })
    }

    /// Runs it for all lanes.
    pub fn run(
        self,
        registers: &mut Registers,
        (d, kind_d): (&[Slot], Kind),
        a: &[Slot],
        b: &[Slot],
        (c, kind_c): (&[Slot], Kind),
    ) {
        let a = elements(registers, a, Kind::F16);
        let b = elements(registers, b, Kind::F16);
        let c = elements(registers, c, kind_c);
        let mut result = c.clone();
        for pair in 0..MATRICES {
            let lanes = || (0..LANES).filter(|lane| lane / 4 % MATRICES == pair);
            let mut dense_a = [0.0; ROWS * K];
            let mut dense_b = [[0.0; COLUMNS]; K];
            let mut sums = [[0.0; COLUMNS]; ROWS];
            for lane in lanes() {
                for (i, (a, b)) in a.iter().zip(&b).take(K).enumerate() {
                    let (row, column) = operand(lane, i, self.a);
                    dense_a[row * K + column] = a[lane];
                    // Columns of B are spread as rows of A are, and the layouts are swapped.
                    let (column, row) = operand(lane, i, !self.b);
                    dense_b[row][column] = b[lane];
                }
                for (i, c) in c.iter().take(COLUMNS).enumerate() {
                    let (row, column) = accumulator(lane, i, kind_c);
                    sums[row][column] = c[lane];
                }
            }
            Step::Multiply.accumulate(&dense_a, &dense_b, &mut sums);
            for lane in lanes() {
                for (i, result) in result.iter_mut().take(COLUMNS).enumerate() {
                    let (row, column) = accumulator(lane, i, kind_d);
                    result[lane] = sums[row][column];
                }
            }
        }
        for (slot, values) in d.iter().zip(result.chunks(kind_d.packed())) {
            let mut lanes = [0; LANES];
            for (place, values) in values.iter().enumerate() {
                for (lane, bits) in lanes.iter_mut().zip(kind_d.pack(values, false)) {
                    *lane |= bits << (16 * place);
                }
            }
            registers.set32(*slot, FULL, lanes);
        }
    }
}

/// The elements of an operand, in order, of all lanes.
fn elements(registers: &Registers, slots: &[Slot], kind: Kind) -> Vec<[f64; LANES]> {
    let lanes = slots.iter().map(|slot| registers.get32(*slot));
    lanes
        .flat_map(|lanes| (0..kind.packed()).map(move |place| kind.unpack(&lanes, place)))
        .collect()
}

/// Row and column of element `i` of A; column and row of that of B.
const fn operand(lane: usize, i: usize, contiguous: bool) -> (usize, usize) {
    let high = lane / 16 * 4;
    if contiguous {
        (lane % 4 + high, i)
    } else {
        (i + high, lane % 4)
    }
}

/// Row and column of element `i` of C or D.
const fn accumulator(lane: usize, i: usize, kind: Kind) -> (usize, usize) {
    let high = lane / 16 * 4;
    match kind {
        Kind::F16 => (lane % 4 + high, i),
        _ => ((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)),
    }
}
