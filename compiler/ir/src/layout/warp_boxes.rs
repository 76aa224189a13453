//! Boxes of a fragment that one warp holds: what a warp can hand to TMA without asking another.
//!
//! In accumulators of `wgmma` a warp holds 16 rows, and in each 2 neighbouring columns in a lane, 8 in 4
//! lanes (see [`Layout::wgmma_accumulator`]). As many columns as 128 bytes hold make a box: a panel that
//! TMA reads from shared memory with a swizzle of 128 bytes. Of transposed accumulators it is the transposed box: as
//! many rows, of 16 columns.

use super::Layout;

/// Rows of a box.
pub const BOX_ROWS: u64 = 16;

/// Bytes of its rows.
pub const BOX_ROW_BYTES: u64 = 128;

/// The corner of a box, as the first lane of the first warp has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpBox {
    /// Its first row.
    pub row: u64,
    /// Its first column.
    pub column: u64,
}

impl Layout {
    /// The boxes that every warp holds, if they are all that it holds and no other warp has them too.
    #[must_use]
    pub fn warp_boxes(&self, element_bytes: u64) -> Option<Vec<WarpBox>> {
        let lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]];
        let is_fragment = self.rank() == 2
            && self.lane_bases().iter().eq(lanes.iter())
            && self.is_thread_coordinate_disjoint()
            && self.owners().are_all_threads()
            && self.covered() == self.shape();
        if !is_fragment {
            return None;
        }
        let columns = BOX_ROW_BYTES / element_bytes;
        let corners: Vec<_> = (0..self.register_count())
            .map(|register| self.register_coordinates(register))
            .filter(|at| at[0] % BOX_ROWS == 0 && at[1] % columns == 0)
            .map(|at| WarpBox {
                row: at[0],
                column: at[1],
            })
            .collect();
        let is_whole = corners.iter().all(|corner| {
            let pairs = (0..columns)
                .step_by(8)
                .flat_map(|column| [column, column + 1]);
            pairs.into_iter().all(|column| {
                [0, 8].iter().all(|row| {
                    let at = [corner.row + row, corner.column + column];
                    self.register_with_coordinates(&at).is_some()
                })
            })
        });
        let elements = corners.len() as u64 * BOX_ROWS * columns / 32;
        (is_whole && elements == self.register_count() as u64).then_some(corners)
    }

    /// The same of a fragment of the transposed tile.
    #[must_use]
    pub fn turned_warp_boxes(&self, element_bytes: u64) -> Option<Vec<WarpBox>> {
        if self.rank() != 2 {
            return None;
        }
        let boxes = self.permute(&[1, 0]).warp_boxes(element_bytes)?;
        let turned = boxes.into_iter().map(|one| WarpBox {
            row: one.column,
            column: one.row,
        });
        Some(turned.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_are_boxes_of_warps() {
        let layout = Layout::wgmma_accumulator([128, 256], [2, 1]);
        let boxes = layout.warp_boxes(2).expect("boxes");
        let columns: Vec<_> = boxes.iter().map(|one| (one.row, one.column)).collect();
        assert_eq!(columns, [(0, 0), (0, 64), (0, 128), (0, 192)]);
        assert_eq!(layout.warp_boxes(4).expect("boxes").len(), 8);
        // Two warpgroups along N: each has half of the columns of both.
        let layout = Layout::wgmma_accumulator([64, 256], [1, 2]);
        assert_eq!(layout.warp_boxes(2).expect("boxes").len(), 2);
    }

    #[test]
    fn transposed_accumulators_are_transposed_boxes() {
        let layout = Layout::wgmma_accumulator([128, 64], [2, 1]).permute(&[1, 0]);
        assert_eq!(layout.warp_boxes(2), None);
        let corner = |row, column| WarpBox { row, column };
        assert_eq!(layout.turned_warp_boxes(2), Some(vec![corner(0, 0)]));
        let halves = vec![corner(0, 0), corner(32, 0)];
        assert_eq!(layout.turned_warp_boxes(4), Some(halves));
    }

    #[test]
    fn narrow_or_shared_fragments_are_not() {
        assert_eq!(
            Layout::wgmma_accumulator([64, 32], [1, 1]).warp_boxes(2),
            None
        );
        assert_eq!(
            Layout::wgmma_accumulator([64, 96], [1, 1]).warp_boxes(2),
            None
        );
        assert_eq!(
            Layout::wgmma_accumulator([64, 64], [2, 1]).warp_boxes(2),
            None
        );
    }
}
