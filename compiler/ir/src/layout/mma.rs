//! Fragments of tensor core instructions: which element each register of a lane is for
//! `mma.sync.m16n8k*` (sm_80 and newer) and `wgmma.m64nNk*` (sm_90a).
//!
//! Sources: PTX ISA, "Matrix Fragments for mma.m16n8k8 (.tf32), .m16n8k16 (16-bit), .m16n8k32
//! (8-bit)" and "Register Fragments for wgmma.mma_async.m64nNk*".
//!
//! With `q = lane % 4` and `g = lane / 4`, and `p` elements in 32 bits (1 for tf32, 2 for 16-bit, 4
//! for 8-bit), an instruction has `K = 8 p`, and element `i` of a lane is
//!
//! | fragment | row | column |
//! |---|---|---|
//! | accumulator, 16 x 8 | `g + 8 (i / 2)` | `2 q + i % 2` |
//! | A, 16 x K | `g + 8 (i / p % 2)` | `p q + i % p + 4 p (i / 2 p)` |
//! | B, K x 8 | `p q + i % p + 4 p (i / p)` | `g` |
//!
//! All of these are linear in the bits of `i` and of the lane. The block of a layout is one
//! instruction for every warp; further instructions are repetitions. Register `i` of the
//! instruction at (row tile, column tile) of a warp is [`Layout::tile_register`]. An instruction is
//! never cut: a tile smaller than it is padded, with zeros along K if the product is to be right.
//!
//! Warps are numbered with those along M lowest; neighbouring warps have neighbouring instruction
//! tiles. A warp that differs only along the dimension that an operand lacks holds a copy. Warps
//! beyond the size of the tile hold copies as well.

use super::distributed::{Basis, Layout, valid};

/// Rows of an `mma.sync` accumulator.
pub const INSTRUCTION_M: u64 = 16;
/// Columns of an `mma.sync` accumulator.
pub const INSTRUCTION_N: u64 = 8;

/// Machine words that a thread has of the left operand of one instruction `mma.sync`, and of its right one.
pub const WORDS: [usize; 2] = [4, 2];

/// The size along K of one instruction for operands of this many bits: 256 bits' worth.
pub fn instruction_k(element_bits: u32) -> u64 {
    256 / u64::from(element_bits)
}

/// Warps of a warpgroup.
pub const WARPGROUP: u32 = 4;
/// Warps of three of them: the only number of warps that is no power of two.
pub const THREE_WARPGROUPS: u32 = 3 * WARPGROUP;
/// Rows of a `wgmma` accumulator.
pub const WARPGROUP_M: u64 = 64;
/// The most columns of a `wgmma` accumulator.
const WARPGROUP_MOST_N: u64 = 256;

/// Columns of each of the instructions that make up `columns` of a warpgroup, as many as possible;
/// `None` if there are none. PTX ISA, "Matrix shape" of `wgmma`: multiples of 8, and of 16 for integers.
pub fn warpgroup_columns(columns: u64, is_integer: bool) -> Option<u64> {
    warpgroup_columns_within(columns, is_integer, WARPGROUP_MOST_N)
}

/// The same of instructions of at most `most` columns.
pub fn warpgroup_columns_within(columns: u64, is_integer: bool, most: u64) -> Option<u64> {
    let step = if is_integer { 16 } else { INSTRUCTION_N };
    let most = WARPGROUP_MOST_N.min(columns).min(most) / step;
    (1..=most)
        .rev()
        .map(|count| count * step)
        .find(|size| columns.is_multiple_of(*size))
}

impl Layout {
    /// The accumulator, M x N, of `mma.sync` with `warps` (along M, along N).
    pub fn mma_accumulator(shape: [u64; 2], warps: [u32; 2]) -> Layout {
        let registers = vec![vec![0, 1], vec![8, 0]];
        let lanes = vec![vec![0, 2], vec![0, 4], vec![1, 0], vec![2, 0], vec![4, 0]];
        let mut warp_bases = warps_along(shape, 0, INSTRUCTION_M, warps[0]);
        warp_bases.extend(warps_along(shape, 1, INSTRUCTION_N, warps[1]));
        Layout::derived(shape.to_vec(), registers, lanes, warp_bases)
    }

    /// The left operand, M x K, of `mma.sync`; also that of `wgmma` from registers, with four times
    /// as many warps along M as there are warpgroups.
    ///
    /// # Panics
    /// If elements have another width than 8, 16 or 32 bits.
    pub fn mma_operand_a(shape: [u64; 2], warps: [u32; 2], element_bits: u32) -> Layout {
        let packed = elements_per_register(element_bits);
        let mut registers = steps(1, packed, |step| vec![0, step]);
        registers.extend([vec![8, 0], vec![0, 4 * packed]]);
        let lanes = vec![
            vec![0, packed],
            vec![0, 2 * packed],
            vec![1, 0],
            vec![2, 0],
            vec![4, 0],
        ];
        let mut warp_bases = warps_along(shape, 0, INSTRUCTION_M, warps[0]);
        warp_bases.extend(copies(warps[1]));
        let layout = Layout::derived(shape.to_vec(), registers, lanes, warp_bases);
        valid(layout.with_warp_count(warps[0] * warps[1]))
    }

    /// The right operand, K x N, of `mma.sync`.
    ///
    /// # Panics
    /// If elements have another width than 8, 16 or 32 bits.
    pub fn mma_operand_b(shape: [u64; 2], warps: [u32; 2], element_bits: u32) -> Layout {
        let packed = elements_per_register(element_bits);
        let mut registers = steps(1, packed, |step| vec![step, 0]);
        registers.push(vec![4 * packed, 0]);
        let lanes = vec![
            vec![packed, 0],
            vec![2 * packed, 0],
            vec![0, 1],
            vec![0, 2],
            vec![0, 4],
        ];
        let mut warp_bases = copies(warps[0]);
        warp_bases.extend(warps_along(shape, 1, INSTRUCTION_N, warps[1]));
        Layout::derived(shape.to_vec(), registers, lanes, warp_bases)
    }

    /// The accumulator, M x N, of `wgmma` with `warpgroups` (along M, along N). With `i` counting
    /// the N/2 registers of an instruction and `w` the warps of a warpgroup, the element is at row
    /// `16 w + lane / 4 + 8 (i / 2 % 2)`, column `8 (i / 4) + 2 (lane % 4) + i % 2`.
    ///
    /// Warpgroups along N have neighbouring halves of the columns, each of which is one or more
    /// instructions wide; for that N has to be a power of two.
    ///
    /// # Panics
    /// If there are several warpgroups along N and N is no power of two, or less than 8 for each.
    pub fn wgmma_accumulator(shape: [u64; 2], warpgroups: [u32; 2]) -> Layout {
        let mut registers = vec![vec![0, 1], vec![8, 0]];
        let lanes = vec![vec![0, 2], vec![0, 4], vec![1, 0], vec![2, 0], vec![4, 0]];
        let mut warps = vec![vec![16, 0], vec![32, 0]];
        warps.extend(warps_along(shape, 0, 64, warpgroups[0]));
        if warpgroups[1] > 1 {
            let columns = shape[1] / u64::from(warpgroups[1]);
            assert!(
                columns.is_power_of_two() && columns >= 8,
                "N is split among warpgroups by bits"
            );
            registers.extend(steps(8, columns as u32, |step| vec![0, step]));
            warps.extend(warps_along(shape, 1, columns, warpgroups[1]));
        }
        let layout = Layout::derived(shape.to_vec(), registers, lanes, warps);
        valid(layout.with_warp_count(WARPGROUP * warpgroups[0] * warpgroups[1]))
    }

    /// The left operand, M x K, of `wgmma` from registers, for a product of `columns` columns.
    ///
    /// # Panics
    /// As [`Layout::mma_operand_a`].
    pub fn wgmma_operand_a(shape: [u64; 2], columns: u64, warps: u32, element_bits: u32) -> Layout {
        let grid = Self::warpgroup_grid([shape[0], columns], warps);
        Self::mma_operand_a(shape, [WARPGROUP * grid[0], grid[1]], element_bits).with_copies(warps)
    }

    /// The grid of warpgroups (along M, along N) of a product on `wgmma`: along M as long as each has 64
    /// rows of its own, since all of them then read the same B; the rest along N, or copies where the
    /// columns cannot be halved. Three warpgroups that have no 64 rows each are as two, and the third holds copies.
    pub fn warpgroup_grid(shape: [u64; 2], warps: u32) -> [u32; 2] {
        let groups = (warps / WARPGROUP).max(1);
        let blocks = shape[0] / WARPGROUP_M;
        if blocks == u64::from(groups) {
            return [groups, 1];
        }
        let groups = 1 << groups.ilog2();
        let along_m = (1 << blocks.trailing_zeros().min(31)).min(groups);
        let along_n = groups / along_m;
        let columns = shape[1] / u64::from(along_n);
        if along_n > 1 && !(shape[1].is_power_of_two() && columns >= 2 * INSTRUCTION_N) {
            return [groups, 1];
        }
        [along_m, along_n]
    }

    /// So many machine words of each thread: `[words, threads]`.
    pub fn machine_words(words: u64, warps: u32) -> Layout {
        let lanes = (0..5).map(|bit| vec![0, 1 << bit]).collect();
        let bits = warps.next_power_of_two().trailing_zeros();
        let warp_bases = (0..bits).map(|bit| vec![0, 32 << bit]).collect();
        let shape = vec![words, 32 * u64::from(warps)];
        let layout = Layout::derived(shape, Vec::new(), lanes, warp_bases);
        valid(layout.with_warp_count(warps))
    }

    /// The register that is element `element` of the instruction tile at this row and column among
    /// those of a warp: (m, n) for an accumulator, (m, k) for A, (k, n) for B. There are
    /// [`repeat`](Self::repeat) of them.
    pub fn tile_register(&self, row_tile: usize, column_tile: usize, element: usize) -> usize {
        (row_tile * self.repeat()[1] as usize + column_tile) * self.block_register_count() + element
    }
}

fn elements_per_register(element_bits: u32) -> u32 {
    assert!(
        matches!(element_bits, 8 | 16 | 32),
        "no fragment has elements of {element_bits} bits"
    );
    32 / element_bits
}

/// A basis vector for each power of two from `first` to below `end`.
fn steps(first: u32, end: u32, basis: impl Fn(u32) -> Basis) -> Vec<Basis> {
    std::iter::successors(Some(first), |step| Some(step * 2))
        .take_while(|step| *step < end)
        .map(basis)
        .collect()
}

fn copies(warps: u32) -> Vec<Basis> {
    vec![vec![0, 0]; warps.next_power_of_two().trailing_zeros() as usize]
}

/// Warps side by side along an axis, each `width` wide, as far as the tile goes; then copies.
fn warps_along(shape: [u64; 2], axis: usize, width: u64, warps: u32) -> Vec<Basis> {
    let mut bases = copies(warps);
    let mut step = width;
    for basis in bases.iter_mut() {
        if step < shape[axis] {
            basis[axis] = step as u32;
            step *= 2;
        }
    }
    bases
}
