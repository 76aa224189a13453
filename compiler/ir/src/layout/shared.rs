//! [`SharedLayout`]: where an element of a tile lies in shared memory.
//!
//! Elements lie row after row. Shared memory has 32 banks of 4 bytes, so when the lanes of a warp
//! read down a column, rows whose pitch is a multiple of 128 bytes would put them all into one
//! bank. A *swizzle* avoids that without spending memory: the row's number is XORed into the number
//! of the chunk of `vector` elements inside the row,
//!
//! ```text
//! column' = ((column / vector) ^ (row / per_phase % max_phase)) * vector + column % vector
//! ```
//!
//! A tile of one dimension has rows of as many elements as its pitch.
//!
//! With chunks of 16 bytes, (8, 1, 8), (8, 2, 4) and (8, 4, 2) for 16-bit elements are the 128-,
//! 64- and 32-byte swizzles of TMA and wgmma for rows of 128, 64 and 32 bytes. What is wider than
//! such a row lies in *panels*: all rows of the first 128 bytes, then all rows of the next.

/// The permutation of a row's chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Swizzle {
    /// Elements of a chunk, which stay together.
    pub vector: u64,
    /// Neighbouring rows with the same permutation.
    pub per_phase: u64,
    /// Number of different permutations.
    pub max_phase: u64,
}

impl Swizzle {
    /// Every chunk stays in its place.
    pub const NONE: Swizzle = Swizzle {
        vector: 1,
        per_phase: 1,
        max_phase: 1,
    };

    /// The elements of a row that are permuted among themselves.
    pub fn span(self) -> u64 {
        self.vector * self.max_phase
    }

    fn phase(self, row: u64) -> u64 {
        row / self.per_phase % self.max_phase
    }
}

/// Where each element of a tile lies in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SharedLayout {
    shape: Vec<u64>,
    order: Vec<usize>,
    element_bytes: u64,
    swizzle: Swizzle,
    row_pitch: u64,
}

impl SharedLayout {
    /// A tile of this shape, which includes any padding that is to be stored. `order` names the
    /// dimensions, the one whose neighbours lie side by side first. Rows are padded to a multiple
    /// of what the swizzle permutes.
    ///
    /// # Panics
    /// If the element's or the swizzle's sizes are no powers of two, if an element has more than 16
    /// bytes, or `order` is no permutation.
    pub fn new(
        shape: &[u64],
        order: &[usize],
        element_bytes: u64,
        swizzle: Swizzle,
    ) -> SharedLayout {
        let Swizzle {
            vector,
            per_phase,
            max_phase,
        } = swizzle;
        let sizes = [element_bytes, vector, per_phase, max_phase];
        assert!(
            sizes.iter().all(|size| size.is_power_of_two()),
            "bits are XORed"
        );
        assert!(element_bytes <= 16, "no access is wider than 16 bytes");
        let named = (0..shape.len()).all(|axis| order.contains(&axis));
        assert!(
            named && order.len() == shape.len(),
            "order names every dimension once"
        );
        let row = order.first().map_or(1, |axis| shape[*axis]);
        SharedLayout {
            shape: shape.to_vec(),
            order: order.to_vec(),
            element_bytes,
            swizzle,
            row_pitch: row.next_multiple_of(swizzle.span()),
        }
    }

    /// The same with rows further apart: another way around bank conflicts, for rows that are too
    /// short to be swizzled.
    ///
    /// # Panics
    /// If the padding would break the swizzle's period.
    pub fn with_row_padding(mut self, elements: u64) -> SharedLayout {
        assert!(
            elements.is_multiple_of(self.swizzle.span()),
            "rows begin at a multiple of the swizzle's span"
        );
        self.row_pitch += elements;
        self
    }

    /// Rows of 16-byte chunks such that the eight rows of an `ldmatrix` or `stmatrix` matrix lie in
    /// different banks, whatever the length of a row.
    ///
    /// A row of `odd * 2^n` chunks puts rows that are `8 / 2^n` apart into the same banks, so the
    /// `2^n` neighbouring chunks take turns.
    pub fn for_ldmatrix(shape: &[u64], order: &[usize], element_bytes: u64) -> SharedLayout {
        let vector = (16 / element_bytes).max(1);
        let row = order.first().map_or(1, |axis| shape[*axis]);
        let max_phase = 1 << row.div_ceil(vector).trailing_zeros().min(3);
        let swizzle = Swizzle {
            vector,
            per_phase: 8 / max_phase,
            max_phase,
        };
        let mut padded = shape.to_vec();
        if let Some(axis) = order.first() {
            padded[*axis] = row.next_multiple_of(vector);
        }
        SharedLayout::new(&padded, order, element_bytes, swizzle)
    }

    /// Panels of rows of `row_bytes`, each swizzled by as much: what `wgmma` reads and TMA writes (PTX
    /// ISA, "Canonical Layouts" of wgmma and "Swizzling Modes" of tensors).
    ///
    /// # Panics
    /// If `row_bytes` is none of 32, 64 and 128, or the rows are no whole number of them.
    pub fn panels(
        shape: [u64; 2],
        order: [usize; 2],
        element_bytes: u64,
        row_bytes: u64,
    ) -> SharedLayout {
        assert!(
            matches!(row_bytes, 32 | 64 | 128),
            "a swizzle permutes 32, 64 or 128 bytes"
        );
        let row = shape[order[0]] * element_bytes;
        assert!(row.is_multiple_of(row_bytes), "rows are whole panels");
        let swizzle = Swizzle {
            vector: 16 / element_bytes,
            per_phase: 128 / row_bytes,
            max_phase: row_bytes / 16,
        };
        SharedLayout::new(&shape, &order, element_bytes, swizzle)
            .with_row_pitch(row_bytes / element_bytes)
    }

    /// The same with rows of another pitch: a shorter one than the tile's rows makes panels.
    pub fn with_row_pitch(mut self, elements: u64) -> SharedLayout {
        self.row_pitch = elements;
        self
    }

    /// The same bytes as those of the transposed tile, of rank 2.
    #[must_use]
    pub fn transposed(mut self) -> SharedLayout {
        self.shape.reverse();
        self.order.iter_mut().for_each(|axis| *axis = 1 - *axis);
        self
    }

    /// The bytes of the rows that the swizzle makes it panels of, or a single panel, if they are as TMA
    /// writes them.
    pub fn swizzled_row_bytes(&self) -> Option<u64> {
        let row_bytes = self.row_pitch * self.element_bytes;
        let swizzle = Swizzle {
            vector: (16 / self.element_bytes).max(1),
            per_phase: (128 / row_bytes).max(1),
            max_phase: row_bytes / 16,
        };
        let fits = matches!(row_bytes, 32 | 64 | 128) && self.swizzle == swizzle;
        (fits && self.shape.len() == 2).then_some(row_bytes)
    }

    /// Bytes from one panel to the next; `None` if rows are in one piece.
    pub fn panel_bytes(&self) -> Option<u64> {
        let row = *self.order.first().map(|axis| &self.shape[*axis])?;
        (self.row_pitch < row).then(|| self.rows() * self.row_pitch * self.element_bytes)
    }

    fn rows(&self) -> u64 {
        let others = self.order.iter().skip(1);
        others.map(|axis| self.shape[*axis]).product()
    }

    /// The sizes of what is stored.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The dimensions, the one whose neighbours lie side by side first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Bytes of one element.
    pub fn element_bytes(&self) -> u64 {
        self.element_bytes
    }

    /// The permutation of a row's chunks.
    pub fn swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// Elements from the start of one row to that of the next.
    pub fn row_pitch(&self) -> u64 {
        self.row_pitch
    }

    /// Bytes that the tile takes.
    pub fn size_bytes(&self) -> u64 {
        let panels = match (self.panel_bytes(), self.order.first()) {
            (Some(_), Some(axis)) => self.shape[*axis].div_ceil(self.row_pitch),
            _ => 1,
        };
        panels * self.rows() * self.row_pitch * self.element_bytes
    }

    /// The distance in bytes of neighbours along each dimension, swizzle and panels aside.
    pub fn strides_bytes(&self) -> Vec<u64> {
        let mut strides = vec![0; self.shape.len()];
        let mut stride = self.element_bytes;
        for (position, axis) in self.order.iter().enumerate() {
            strides[*axis] = stride;
            stride *= if position == 0 {
                self.row_pitch
            } else {
                self.shape[*axis]
            };
        }
        strides
    }

    /// Whether the elements of one dimension follow each other, as they do in memory.
    #[must_use]
    pub fn is_in_a_row(&self) -> bool {
        let [size] = self.shape[..] else {
            return false;
        };
        self.swizzle == Swizzle::NONE || size <= self.row_pitch
    }

    /// The byte at which the element with these coordinates begins.
    pub fn offset_bytes(&self, coordinates: &[u64]) -> u64 {
        let terms = self.terms(coordinates).into_iter();
        let plain: u64 = terms.map(|(index, stride)| index * stride).sum();
        plain ^ self.swizzle_bytes(coordinates)
    }

    /// What the offset of an element is the sum of, swizzle aside: numbers and their strides in bytes.
    pub(super) fn terms(&self, coordinates: &[u64]) -> Vec<(u64, u64)> {
        let strides = self.strides_bytes().into_iter();
        let mut terms: Vec<_> = coordinates.iter().copied().zip(strides).collect();
        if let (Some(panel), Some(axis)) = (self.panel_bytes(), self.order.first()) {
            let column = coordinates[*axis];
            terms[*axis].0 = column % self.row_pitch;
            terms.push((column / self.row_pitch, panel));
        }
        terms
    }

    /// The bits that the swizzle flips in the byte offset of this element. They depend on the bits
    /// of the row's number linearly over F2.
    pub(super) fn swizzle_bytes(&self, coordinates: &[u64]) -> u64 {
        let row = match self.order.as_slice() {
            // Of what has one row alone, a row is what lies before the next panel.
            [along, ..] if self.rows() == 1 => coordinates[*along] / self.row_pitch,
            [_, rows, ..] => coordinates[*rows],
            _ => 0,
        };
        self.swizzle.phase(row) * self.swizzle.vector * self.element_bytes
    }
}
