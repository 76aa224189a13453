//! Copies from global to shared memory that leave registers out: which pieces they are made of.

use super::distributed::{Layout, ThreadBit};
use super::shared::SharedLayout;
use super::shared_access::{SharedAccess, SharedGroup, ThreadTerm};

/// Sizes of an asynchronous copy: PTX ISA, "cp.async".
const SIZES: [u64; 3] = [4, 8, 16];

/// How a thread copies what a layout gives it to a buffer: the places in the buffer, and the elements
/// of one copy. `vector` is how many neighbouring registers, from a multiple of it on, are neighbours
/// in global memory.
///
/// `None` if pieces would be smaller than an asynchronous copy can be.
pub fn copies(layout: &Layout, shared: &SharedLayout, vector: u64) -> Option<(SharedAccess, u64)> {
    let access = shared.access(layout)?;
    let width = vector.min(access.vector as u64);
    let together = |piece: &[usize]| {
        piece[0].is_multiple_of(width as usize)
            && piece.windows(2).all(|pair| pair[0] + 1 == pair[1])
    };
    let all = access
        .groups
        .iter()
        .all(|group| group.registers.chunks(width as usize).all(together));
    let fits = SIZES.contains(&(width * shared.element_bytes()));
    (all && fits).then_some((access, width))
}

/// Bytes of the widest copy, and of a slot of [`own_slots`].
pub const SLOT_BYTES: u64 = 16;

/// How a thread keeps for itself, in shared memory, what a layout gives it: each piece of `width` registers has a slot
/// of [`SLOT_BYTES`], and the slots of all threads of the `warps` follow each other, so that no bank is asked twice.
#[must_use]
pub fn own_slots(layout: &Layout, warps: u32, width: u64) -> SharedAccess {
    let term = |bit, bytes| ThreadTerm {
        bit,
        xor: bytes,
        add: 0,
    };
    let lanes = (0..5).map(|bit| term(ThreadBit::Lane(bit), SLOT_BYTES << bit));
    let warp_bits = 0..warps.trailing_zeros();
    let others = warp_bits.map(|bit| term(ThreadBit::Warp(bit), SLOT_BYTES << (5 + bit)));
    let registers: Vec<usize> = (0..layout.register_count()).collect();
    let row = SLOT_BYTES * 32 * u64::from(warps);
    let pieces = registers.chunks(width as usize).zip(0..);
    SharedAccess {
        vector: width as usize,
        thread: lanes.chain(others).collect(),
        groups: pieces
            .map(|(piece, number)| SharedGroup {
                registers: piece.to_vec(),
                xor: 0,
                add: number * row,
            })
            .collect(),
    }
}
