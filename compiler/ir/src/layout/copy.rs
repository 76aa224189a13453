//! Copies from global to shared memory that leave registers out: which pieces they are made of.

use super::distributed::{Layout, ThreadBit};
use super::shared::{SharedLayout, Swizzle};
use super::shared_access::{SharedAccess, SharedGroup, ThreadTerm};

/// Sizes of an asynchronous copy, in bytes: PTX ISA, "cp.async".
const SIZES: [u64; 3] = [4, 8, 16];

/// The narrowest of them.
pub const NARROWEST_COPY: u64 = SIZES[0];

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

/// Which runs of pieces of [`SLOT_BYTES`] each thread has of a tile's rows: as long as there are threads for, in different
/// rows for neighbouring lanes, so that accesses to [`piece_rows`] and to swizzled rows meet in no bank.
#[must_use]
pub fn runs_of_pieces([rows, columns]: [u64; 2], element_bytes: u64, warps: u32) -> Layout {
    let piece = SLOT_BYTES / element_bytes;
    let all = rows.next_power_of_two() * (columns / piece).next_power_of_two();
    let run = (all / (32 * u64::from(warps))).max(1);
    let run = run.min(1 << (columns / piece).trailing_zeros());
    let lanes = rows.next_power_of_two().min(32);
    let warps_down = (rows.next_power_of_two() / lanes).min(warps.into());
    Layout::blocked(
        &[rows, columns],
        &[1, run * piece],
        &[lanes, 32 / lanes],
        &[warps_down, u64::from(warps) / warps_down],
        &[0, 1],
    )
}

/// Pieces of [`SLOT_BYTES`] in which a row of so many bytes lies that begins anywhere.
#[must_use]
pub fn pieces(row_bytes: u64) -> u64 {
    row_bytes / SLOT_BYTES + 1
}

/// The buffer for rows that begin anywhere, as they lie in memory from a multiple of [`SLOT_BYTES`] on. Rows are an odd
/// number of pieces apart, so that eight of them lie in different banks.
#[must_use]
pub fn piece_rows([rows, columns]: [u64; 2], element_bytes: u64) -> SharedLayout {
    let columns = (pieces(columns * element_bytes) | 1) * SLOT_BYTES / element_bytes;
    SharedLayout::new(&[rows, columns], &[1, 0], element_bytes, Swizzle::NONE)
}

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
    let warp_bits = 0..warps.next_power_of_two().trailing_zeros();
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
