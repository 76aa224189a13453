//! `wgmma.mma_async`: D = A B + D by a warpgroup, with B and perhaps A in shared memory
//! (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate").

use super::Operand;
use super::descriptor::{Descriptor, DescriptorError, Major, Tile};
use crate::simulator::registers::{Registers, Slot};

/// A `wgmma.mma_async` instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wgmma {}

/// An immediate after the descriptors and scale-d.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Immediate {
    /// `imm-scale-a`: 1 or -1.
    ScaleA,
    /// `imm-scale-b`: 1 or -1.
    ScaleB,
    /// `imm-trans-a`: 0 or 1.
    TransA,
    /// `imm-trans-b`: 0 or 1.
    TransB,
}

/// What the immediates of an instruction say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Immediates {
    /// A is negated.
    pub negate_a: bool,
    /// B is negated.
    pub negate_b: bool,
    /// How A lies in shared memory.
    pub major_a: Major,
    /// How B lies in shared memory.
    pub major_b: Major,
}

/// Where A comes from.
#[derive(Debug, Clone, Copy)]
pub enum Left<'a> {
    /// Registers of the four warps.
    Registers(&'a [Slot]),
    /// Shared memory.
    Shared(&'a Tile),
}

impl Wgmma {
    /// The instruction of an opcode's dotted parts, `["wgmma", "mma_async", "sync", "aligned", ...]`.
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

    /// The accumulator registers, D.
    #[must_use]
    pub fn d(&self) -> Operand {
        todo!()
    }

    /// The registers of A where it is not given by a descriptor.
    #[must_use]
    pub fn a(&self) -> Operand {
        todo!()
    }

    /// The immediates that follow scale-d, in order.
    #[must_use]
    pub fn immediates(&self, a_in_registers: bool) -> &'static [Immediate] {
        let _ = a_in_registers;
        todo!()
    }

    /// The meaning of the immediates' values; `None` if there are more or fewer than
    /// [`immediates`](Self::immediates), or if a value is not one that is allowed.
    #[must_use]
    pub fn decode(&self, a_in_registers: bool, values: &[i64]) -> Option<Immediates> {
        let _ = (a_in_registers, values);
        todo!()
    }

    /// The chunks of A that the instruction reads, if A is in shared memory.
    ///
    /// # Errors
    /// If the descriptor does not fit the operand.
    pub fn tile_a(&self, descriptor: Descriptor, major: Major) -> Result<Tile, DescriptorError> {
        let _ = (descriptor, major);
        todo!()
    }

    /// The chunks of B that the instruction reads.
    ///
    /// # Errors
    /// If the descriptor does not fit the operand.
    pub fn tile_b(&self, descriptor: Descriptor, major: Major) -> Result<Tile, DescriptorError> {
        let _ = (descriptor, major);
        todo!()
    }

    /// Runs it for a warpgroup. `accumulate` is scale-d; without it D is not read. `read` fetches
    /// 16 bytes of shared memory; each chunk of the tiles is asked for once.
    ///
    /// # Errors
    /// Those of `read`; the registers are as they were then.
    pub fn run<E>(
        &self,
        warps: [&mut Registers; 4],
        immediates: Immediates,
        accumulate: bool,
        (d, a, b): (&[Slot], Left<'_>, &Tile),
        read: impl FnMut(u32, &mut [u8; 16]) -> Result<(), E>,
    ) -> Result<(), E> {
        let _ = (warps, immediates, accumulate, d, a, b, read);
        todo!()
    }
}
