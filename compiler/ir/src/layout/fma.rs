//! Layouts of a matrix product on the ordinary FMA units, for element types without tensor core
//! instructions (f32 that must not be rounded to tf32, f64).
//!
//! Each thread has a tile of the accumulator, and needs for it a column of A and a row of B for
//! every k: a 4 x 4 tile does 16 multiplications with 8 loads. Larger register tiles come from
//! repetitions of the block rather than from a wider box per thread: lanes that read 16 bytes each,
//! side by side, meet no bank conflicts, and lanes that read 32 bytes each do.

use super::distributed::{Basis, Layout, valid};
use super::linear::{Span, bits_for};

/// The bits of a thread's box of the accumulator, lowest first: 4 columns, then 4 rows.
const BOX: [usize; 4] = [1, 1, 0, 0];

impl Layout {
    /// The accumulator, M x N, of a product on FMA units with this many warps.
    ///
    /// Lanes and warps go where the block is narrower, which balances the bytes of A and of B that
    /// they share. A small tile first loses the box per thread, then has copies.
    ///
    /// # Panics
    /// If the number of warps is no power of two.
    pub fn fma_accumulator(shape: [u64; 2], warps: u32) -> Layout {
        assert!(
            warps.is_power_of_two(),
            "the number of warps is a power of two"
        );
        let warp_bits = warps.trailing_zeros();
        let tile_bits = bits_for(shape[0]) + bits_for(shape[1]);
        let box_bits = tile_bits
            .saturating_sub(5 + warp_bits)
            .min(BOX.len() as u32);
        let mut covered = [1u64; 2];
        let mut next = |wanted: Option<usize>| -> Basis {
            let wanted = wanted.unwrap_or(usize::from(covered[1] <= 2 * covered[0]));
            let mut basis = vec![0; 2];
            let room = [wanted, 1 - wanted]
                .into_iter()
                .find(|axis| covered[*axis] < shape[*axis]);
            if let Some(axis) = room {
                basis[axis] = covered[axis] as u32;
                covered[axis] *= 2;
            }
            basis
        };
        let registers = BOX
            .iter()
            .take(box_bits as usize)
            .map(|axis| next(Some(*axis)))
            .collect();
        let lanes = (0..5).map(|_| next(None)).collect();
        let warps = (0..warp_bits).map(|_| next(None)).collect();
        Layout::derived(shape.to_vec(), registers, lanes, warps)
    }

    /// The left operand, M x k, for this accumulator: every thread has all of k of its rows. Up to
    /// four neighbours along k are consecutive registers, to be loaded at once.
    pub fn fma_operand_a(&self, k: u64) -> Layout {
        let along_k = (0..k.trailing_zeros().min(2))
            .map(|bit| vec![0, 1 << bit])
            .collect();
        self.fma_operand(1, k, along_k)
    }

    /// The right operand, k x N, for this accumulator: every thread has all of k of its columns.
    pub fn fma_operand_b(&self, k: u64) -> Layout {
        self.fma_operand(0, k, Vec::new())
    }

    fn fma_operand(&self, k_axis: usize, k: u64, mut registers: Vec<Basis>) -> Layout {
        let without_k = |basis: &Basis| {
            let mut basis = basis.clone();
            basis[k_axis] = 0;
            basis
        };
        let mut reached = Span::default();
        let own = self.register_bases().iter().map(without_k);
        registers.extend(own.filter(|basis| reached.insert(u64::from(basis[1 - k_axis]))));
        let all = |bases: &[Basis]| bases.iter().map(without_k).collect();
        let mut shape = self.shape().to_vec();
        shape[k_axis] = k;
        valid(self.remade(
            shape,
            registers,
            all(self.lane_bases()),
            all(self.warp_bases()),
        ))
    }
}
