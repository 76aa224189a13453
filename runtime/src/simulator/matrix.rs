//! Tensor-core instructions, and those that move matrices: what they mean.
//!
//! Nothing here knows of the machine that runs them. An instruction is found by the dotted parts of
//! its opcode, says how many registers each operand takes, and works on the register files of whole
//! warps. Shared memory is not touched: the machine is told which bytes to fetch or store, so that
//! it can check bounds, alignment and races as for any other access.
//!
//! ```text
//!  "mma", "sync", "aligned", "m16n8k16", ...  ─▶ Mma ─────────▶ operands, run
//!  "ldmatrix", ...                            ─▶ LoadMatrix ──▶ rows of 16 bytes ─▶ registers
//!  "wgmma", "mma_async", ...                  ─▶ Wgmma ───────▶ operands, tiles, run
//!                         64-bit descriptor   ─▶ Descriptor ──▶ Tile: addresses of 16 bytes each
//! ```
//!
//! - [`mma`]: `mma.sync`, one warp, everything in registers;
//! - [`movement`]: `ldmatrix`, `stmatrix`, `movmatrix`;
//! - [`wgmma`]: `wgmma.mma_async`, four warps, operands in shared memory;
//! - [`descriptor`]: where the elements of such an operand lie;
//! - [`swizzle`]: the permutation of shared memory that descriptors and tensor maps share;
//! - [`fragment`]: which element of a matrix a register of a lane holds.

pub mod descriptor;
pub mod fragment;
pub mod kind;
pub mod mma;
pub mod movement;
mod opcode;
mod product;
pub mod swizzle;
mod volta;
pub mod wgmma;

/// The registers that a lane gives for an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// How many registers.
    pub count: usize,
    /// Bits of each: 32 or 64.
    pub bits: u32,
}

#[cfg(test)]
mod tests;
