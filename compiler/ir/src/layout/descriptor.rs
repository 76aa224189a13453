//! Operands of `wgmma` in shared memory: which layouts it reads, and the descriptors that say so.
//!
//! PTX ISA, "Matrix Descriptor Format" and "Canonical Layouts" of `wgmma`. An operand has rows along
//! M (of A) or N (of B), and K. It lies in panels of rows of 128, 64 or 32 bytes
//! ([`SharedLayout::panels`]), and what runs along these rows is the *major*: K, for every type, or M or
//! N, for 16-bit types. A descriptor is
//!
//! | bits | field | here |
//! |---|---|---|
//! | 0..14 | start / 16 | of the instruction's part of the operand |
//! | 16..30 | leading offset / 16 | from panel to panel, if M or N is the major; not used otherwise |
//! | 32..46 | stride offset / 16 | from eight rows of a panel to the next eight |
//! | 62..64 | swizzle | 1, 2, 3 for 128, 64, 32 bytes |
//!
//! Patterns of the swizzle begin at multiples of their size, so a buffer must begin at a multiple of
//! [`ALIGNMENT`], and the base offset is 0.

use super::shared::SharedLayout;

/// Bytes that a buffer must begin at a multiple of: the pattern of the 128-byte swizzle.
pub const ALIGNMENT: u64 = 1024;

/// Bytes along K of one instruction, for every type.
pub const STEP_BYTES: u64 = 32;

/// Rows of a panel that the swizzle permutes together.
const PATTERN_ROWS: u64 = 8;

/// The descriptor's bits that do not depend on where the operand begins, and where its parts begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixOperand {
    layout: SharedLayout,
    k_axis: usize,
}

impl MatrixOperand {
    /// The layout for an operand, of which dimension `k_axis` is K. `rows` is how many rows an
    /// instruction takes. With `k_major` elements along K lie side by side; without, those along the
    /// other dimension.
    ///
    /// `None` if there is none: the type is not 16 bits wide and `k_major` is false, or the rows of a
    /// panel would not fit the instruction.
    pub fn new(
        shape: [u64; 2],
        k_axis: usize,
        element_bytes: u64,
        rows: u64,
        k_major: bool,
    ) -> Option<MatrixOperand> {
        let (major, run) = if k_major {
            (k_axis, shape[k_axis])
        } else {
            (1 - k_axis, rows)
        };
        if !k_major && element_bytes != 2 {
            return None;
        }
        let bytes = run * element_bytes;
        let fits = |width: u64| {
            bytes.is_multiple_of(width) && (shape[major] * element_bytes).is_multiple_of(width)
        };
        let width = [128, 64, 32].into_iter().find(|width| fits(*width))?;
        if !shape[1 - major].is_multiple_of(PATTERN_ROWS) {
            return None;
        }
        let layout = SharedLayout::panels(shape, [major, 1 - major], element_bytes, width);
        Some(MatrixOperand { layout, k_axis })
    }

    /// The operand in a buffer that was made for it.
    pub fn of(layout: &SharedLayout, k_axis: usize) -> MatrixOperand {
        let layout = layout.clone();
        MatrixOperand { layout, k_axis }
    }

    /// Where its elements lie.
    pub fn layout(&self) -> &SharedLayout {
        &self.layout
    }

    /// Whether K is the major: `imm-trans` is 0 then.
    pub fn is_k_major(&self) -> bool {
        self.layout.order().first() == Some(&self.k_axis)
    }

    fn row_bytes(&self) -> u64 {
        self.layout.row_pitch() * self.layout.element_bytes()
    }

    /// Bytes from one panel to the next.
    fn panel_bytes(&self) -> u64 {
        let rows = self.layout.order().get(1);
        rows.map_or(0, |axis| self.layout.shape()[*axis]) * self.row_bytes()
    }

    /// The upper half of the descriptor.
    pub fn high_word(&self) -> u32 {
        let swizzle = match self.row_bytes() {
            128 => 1,
            64 => 2,
            _ => 3,
        };
        swizzle << 30 | (PATTERN_ROWS * self.row_bytes() / 16) as u32
    }

    /// The lower half of the descriptor without the start address.
    pub fn leading(&self) -> u32 {
        let offset = if self.is_k_major() {
            16
        } else {
            self.panel_bytes()
        };
        ((offset / 16) as u32 & 0x3fff) << 16
    }

    /// Where the part that begins at this row and this element of K begins, in bytes. A part begins at
    /// multiples of what an instruction takes.
    pub fn part_bytes(&self, row: u64, k: u64) -> u64 {
        let row_bytes = self.row_bytes();
        let (run, across) = if self.is_k_major() {
            (k, row)
        } else {
            (row, k)
        };
        let along = run * self.layout.element_bytes();
        along / row_bytes * self.panel_bytes() + along % row_bytes + across * row_bytes
    }
}
