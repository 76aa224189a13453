//! Copies from global to shared memory that leave registers out: which pieces they are made of.

use super::distributed::Layout;
use super::shared::SharedLayout;
use super::shared_access::SharedAccess;

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
