//! The sum of products at the heart of every tensor-core instruction, 8 columns at a time.
//!
//! # Numbers
//!
//! What a tensor core rounds, and when, is not documented: products are exact, and sums are made
//! with "at least single precision" in an unspecified order (PTX ISA, `mma`). Here, for all floats
//! but `f64`: the products are exact, they are added to the accumulator in the order of K in
//! `f64`, and the sum is rounded once to the type of D, to nearest even. The result is thus the
//! correctly rounded one but for errors of 2^-53 of the largest partial sum. Subnormal numbers are
//! numbers. A NaN comes out as `0x7fffffff`, or `0x7fff` in 16 bits.
//!
//! For `f64` it is a chain of fused multiply-adds in the order of K. Integers are exact: they, and
//! sums of them with a 32-bit accumulator, have less than 53 bits.

use super::fragment::Fragment;
use super::kind::Kind;
use crate::simulator::registers::{FULL, Registers, Slot};

/// Columns of a block: N of `mma.sync`, and the step of N in `wgmma`.
pub(super) const COLUMNS: usize = 8;

/// One row of a block, or one row of B.
pub(super) type Line = [f64; COLUMNS];

/// What happens to a pair of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Multiplied and added.
    Multiply,
    /// Multiplied and added with a single rounding.
    Fused,
    /// The bits that both have are counted.
    And,
    /// The bits that differ are counted.
    Xor,
}

impl Step {
    /// Adds A B to the accumulators: A has one row for each of them and a column for each row of B.
    pub(super) fn accumulate(self, a: &[f64], b: &[Line], sums: &mut [Line]) {
        match self {
            Self::Multiply => accumulate(a, b, sums, |sum, a, b| sum + a * b),
            Self::Fused => accumulate(a, b, sums, |sum, a, b| a.mul_add(b, sum)),
            Self::And => accumulate(a, b, sums, |sum, a, b| {
                sum + f64::from((a.to_bits() & b.to_bits()).count_ones())
            }),
            Self::Xor => accumulate(a, b, sums, |sum, a, b| {
                sum + f64::from((a.to_bits() ^ b.to_bits()).count_ones())
            }),
        }
    }
}

#[inline(always)]
fn accumulate(a: &[f64], b: &[Line], sums: &mut [Line], step: impl Fn(f64, f64, f64) -> f64) {
    if b.is_empty() {
        return;
    }
    // Two rows at once: each line of B is fetched once for both, and the sums stay in registers.
    for (a, sums) in a.chunks_exact(2 * b.len()).zip(sums.chunks_exact_mut(2)) {
        let (above, below) = a.split_at(b.len());
        let [mut upper, mut lower] = [sums[0], sums[1]];
        for ((&above, &below), line) in above.iter().zip(below).zip(b) {
            for ((upper, lower), &b) in upper.iter_mut().zip(&mut lower).zip(line) {
                *upper = step(*upper, above, b);
                *lower = step(*lower, below, b);
            }
        }
        sums.copy_from_slice(&[upper, lower]);
    }
}

/// The numbers of an operand, dense.
pub(super) fn gather(
    registers: &Registers,
    slots: &[Slot],
    (fragment, kind): (Fragment, Kind),
    dense: &mut [f64],
    columns: usize,
) {
    for (register, slot) in slots.iter().enumerate() {
        if kind == Kind::F64 {
            let lanes = registers.get64(*slot).map(f64::from_bits);
            fragment.gather(register, &lanes, dense, columns);
            continue;
        }
        let lanes = registers.get32(*slot);
        for place in 0..kind.packed() {
            let values = kind.unpack(&lanes, place);
            fragment.gather(register * kind.packed() + place, &values, dense, columns);
        }
    }
}

/// Rounds sums and gives them to the registers of D.
pub(super) fn scatter(
    registers: &mut Registers,
    slots: &[Slot],
    (fragment, kind): (Fragment, Kind),
    dense: &[f64],
    saturate: bool,
) {
    for (register, slot) in slots.iter().enumerate() {
        let sums = |place| fragment.scatter(register * kind.packed() + place, dense, COLUMNS);
        match kind {
            Kind::F64 => registers.set64(*slot, FULL, sums(0).map(f64::to_bits)),
            Kind::F16 => {
                let [mut low, high] = [0, 1].map(|place| kind.pack(&sums(place), saturate));
                for (low, high) in low.iter_mut().zip(high) {
                    *low |= high << 16;
                }
                registers.set32(*slot, FULL, low);
            }
            _ => registers.set32(*slot, FULL, kind.pack(&sums(0), saturate)),
        }
    }
}
