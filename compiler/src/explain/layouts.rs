//! Layouts as data and in words.

use super::data::LayoutData;
use crate::layout::Layout;

/// A layout as data.
#[must_use]
pub fn data(layout: &Layout) -> LayoutData {
    let bases = |list: &[Vec<u32>]| list.to_vec();
    LayoutData {
        shape: layout.shape().to_vec(),
        block: layout.block(),
        repeat: layout.repeat().to_vec(),
        registers: bases(layout.register_bases()),
        lanes: bases(layout.lane_bases()),
        warps: bases(layout.warp_bases()),
        register_count: layout.register_count() as u64,
        copies: copies(layout),
        words: (0..layout.rank()).map(|axis| words(layout, axis)).collect(),
    }
}

/// Threads that hold each element.
fn copies(layout: &Layout) -> u64 {
    let owners = layout.owners();
    1 << (owners.redundant_lane_bits.count_ones() + owners.redundant_warp_bits.count_ones())
}

/// What is side by side along a dimension, from neighbours outwards: `4 elements per thread, 32 lanes,
/// 2 warps, 4 times`.
fn words(layout: &Layout, axis: usize) -> String {
    let mut bits: Vec<(u32, &str)> = Vec::new();
    let kinds = [
        (layout.register_bases(), "registers"),
        (layout.lane_bases(), "lanes"),
        (layout.warp_bases(), "warps"),
    ];
    for (bases, kind) in kinds {
        let along = bases.iter().filter(|basis| basis[axis] != 0);
        bits.extend(along.map(|basis| (basis[axis], kind)));
    }
    // Bits of one size are two ways to the same step: a copy, or a swizzle.
    bits.sort_unstable();
    let mut pieces: Vec<(u64, &str)> = Vec::new();
    for (_, kind) in bits {
        match pieces.last_mut() {
            Some((count, last)) if *last == kind => *count *= 2,
            _ => pieces.push((2, kind)),
        }
    }
    let repeat = layout.repeat()[axis];
    let mut words: Vec<String> = pieces
        .iter()
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    if repeat > 1 {
        words.push(format!("{repeat} times"));
    }
    if words.is_empty() {
        // The whole dimension is in every thread: it has one element.
        words.push("1 element".to_owned());
    }
    words.join(" × ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_an_axis_from_neighbours_outwards() {
        let layout = Layout::blocked(&[64, 64], &[1, 4], &[2, 16], &[4, 1], &[1, 0]);
        let data = data(&layout);
        assert_eq!(data.words[1], "4 registers × 16 lanes");
        assert_eq!(data.words[0], "2 lanes × 4 warps × 8 times");
        assert_eq!((data.copies, data.register_count), (1, 32));
    }

    #[test]
    fn a_row_that_all_warps_hold_has_copies() {
        let layout = Layout::blocked(&[64, 64], &[1, 4], &[2, 16], &[4, 1], &[1, 0]);
        let row = data(&layout.remove_dimension(0));
        assert_eq!(row.words, ["4 registers × 16 lanes"]);
        assert_eq!(row.copies, 8);
    }
}
