//! Blocked layouts: a box of elements per thread, threads side by side in a warp, warps side by
//! side in the block.

use super::distributed::{Basis, Layout};

impl Layout {
    /// The layout in which each thread holds a box of `vector` elements, a warp is a box of `lanes`
    /// threads, and the block is a box of `warps` warps. In each box `order` names the dimensions,
    /// the one in which neighbours have neighbouring numbers first.
    ///
    /// Along a dimension that is smaller than these boxes, first the warps, then the lanes, then
    /// the vector are cut down to the size rounded up to a power of two. Lanes and warps that are
    /// cut hold copies. Along a larger dimension the block is repeated.
    ///
    /// # Panics
    /// If a size is no power of two, the lanes are not 32, or `order` is no permutation.
    pub fn blocked(
        shape: &[u64],
        vector: &[u64],
        lanes: &[u64],
        warps: &[u64],
        order: &[usize],
    ) -> Layout {
        let rank = shape.len();
        assert!(
            [vector.len(), lanes.len(), warps.len(), order.len()] == [rank; 4],
            "one size per dimension"
        );
        assert!(
            vector
                .iter()
                .chain(lanes)
                .chain(warps)
                .all(|size| size.is_power_of_two()),
            "powers of two"
        );
        assert!(lanes.iter().product::<u64>() == 32, "a warp has 32 lanes");
        assert!(
            (0..rank).all(|axis| order.contains(&axis)),
            "order names every dimension"
        );

        let mut covered = vec![1u64; rank];
        let mut bits = |sizes: &[u64]| {
            let mut bases: Vec<Basis> = Vec::new();
            for &axis in order {
                for _ in 0..sizes[axis].trailing_zeros() {
                    let mut basis = vec![0; rank];
                    if covered[axis] < shape[axis] {
                        basis[axis] = covered[axis] as u32;
                        covered[axis] *= 2;
                    }
                    bases.push(basis);
                }
            }
            bases
        };
        let mut registers = bits(vector);
        registers.retain(|basis| basis.iter().any(|step| *step != 0));
        let (lanes, warps) = (bits(lanes), bits(warps));
        Layout::derived(shape.to_vec(), registers, lanes, warps)
    }
}
