//! Fragments: which element of a matrix a register of a lane holds.
//!
//! All fragments but those of the Volta `m8n8k4` are one idea. A matrix is cut into blocks of 8
//! rows; four lanes share a row of a block, and each takes a run of neighbouring elements of it. So
//! lane `4 g + q` has, of row `g`, the columns `run q`, `run q + 1` and so on; then the same of the
//! next block of rows, and then of the next columns. A and the accumulators are cut by rows, B by
//! columns.
//!
//! ```text
//!                 columns 0..run       ..2 run   ..3 run   ..4 run
//!  row 0          lane 0               lane 1    lane 2    lane 3
//!  row 1          lane 4               lane 5    lane 6    lane 7
//!  ...
//!  row 7          lane 28              lane 29   lane 30   lane 31
//! ```
//!
//! Elements fill the registers from the lowest bits up, in that order. A run is what fits a
//! register for A and B, and two elements for the accumulators, whatever their width (PTX ISA,
//! "Matrix Fragments for mma" and "Register Fragments" of `wgmma`).

use super::kind::Kind;
use crate::simulator::registers::LANES;

/// The position of an element in its matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Row.
    pub row: usize,
    /// Column.
    pub column: usize,
}

/// How a matrix is spread over the lanes of a warp. Elements are pieces as in
/// [`Kind::piece_bits`]: single bits count 32 at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment {
    /// Neighbouring elements that a lane holds.
    run: usize,
    /// Blocks of 8 rows.
    blocks: usize,
    /// Rows and columns change places.
    transposed: bool,
}

impl Fragment {
    /// A, of 8 or 16 rows. `wgmma` gives each warp 16 of its 64 rows.
    #[must_use]
    pub const fn a(rows: usize, kind: Kind) -> Self {
        Self {
            run: kind.packed(),
            blocks: rows / 8,
            transposed: false,
        }
    }

    /// B, of 8 columns.
    #[must_use]
    pub const fn b(kind: Kind) -> Self {
        Self {
            run: kind.packed(),
            blocks: 1,
            transposed: true,
        }
    }

    /// C and D, of 8 or 16 rows. `wgmma` gives each warp 16 of its 64 rows.
    #[must_use]
    pub const fn accumulator(rows: usize) -> Self {
        Self {
            run: 2,
            blocks: rows / 8,
            transposed: false,
        }
    }

    /// Where the element `index` of a lane is in the matrix. If `p` elements fit a register, it is
    /// in the register `index / p`, from bit `index % p` times the width of an element.
    #[must_use]
    pub const fn position(self, lane: usize, index: usize) -> Position {
        let (group, quarter) = (lane / 4, lane % 4);
        let run = index / self.run;
        let row = group + 8 * (run % self.blocks);
        let column = self.run * (quarter + 4 * (run / self.blocks)) + index % self.run;
        if self.transposed {
            Position {
                row: column,
                column: row,
            }
        } else {
            Position { row, column }
        }
    }

    /// Where lane 0's element lies in a dense matrix of so many columns, and how far apart the
    /// lanes' elements are: for `group` and for `quarter`.
    fn strides(self, index: usize, columns: usize) -> (usize, usize, usize) {
        let Position { row, column } = self.position(0, index);
        let origin = row * columns + column;
        if self.transposed {
            (origin, 1, self.run * columns)
        } else {
            (origin, columns, self.run)
        }
    }

    /// Puts the lanes' element `index` into a dense matrix.
    #[inline]
    pub(super) fn gather(
        self,
        index: usize,
        values: &[f64; LANES],
        dense: &mut [f64],
        columns: usize,
    ) {
        let (origin, group, quarter) = self.strides(index, columns);
        for (g, values) in values.chunks_exact(4).enumerate() {
            for (q, value) in values.iter().enumerate() {
                if let Some(element) = dense.get_mut(origin + g * group + q * quarter) {
                    *element = *value;
                }
            }
        }
    }

    /// Takes the lanes' element `index` from a dense matrix.
    #[inline]
    pub(super) fn scatter(self, index: usize, dense: &[f64], columns: usize) -> [f64; LANES] {
        let (origin, group, quarter) = self.strides(index, columns);
        std::array::from_fn(|lane| {
            let place = origin + lane / 4 * group + lane % 4 * quarter;
            dense.get(place).copied().unwrap_or_default()
        })
    }
}
