//! Programs that take turns: on how many blocks, and what becomes of those that are left over.
//!
//! ```text
//! 800 programs on 132 blocks: 6 turns, 8 programs are left over, each may have 16 of the blocks
//! ```

use super::MapValue;
use crate::manifest::{COUNTERS_BYTES, Variant};

/// The most programs that take turns: their numbers, and the next after the last, are `i32`.
const MOST_TURNS: u64 = 1 << 30;

/// The most blocks that have counters in a workspace.
const MOST_COUNTERS: u32 = COUNTERS_BYTES as u32 / 4;

/// The most blocks that a program is worth.
const MOST_PARTS: u64 = 16;

/// Whether programs can take turns, if the variant wants them to; else what it relies on, and how many there are.
pub(super) fn check(variant: &Variant, grid: [u32; 3]) -> Result<(), (String, String)> {
    let count = grid
        .iter()
        .map(|count| u128::from(*count))
        .product::<u128>();
    match variant.turns && count > u128::from(MOST_TURNS) {
        true => Err((
            format!("at most {MOST_TURNS} programs take turns"),
            format!("there are {count}"),
        )),
        false => Ok(()),
    }
}

/// Bytes of a line of the cache.
const LINE_BYTES: u64 = 128;

/// From how many programs along an axis on it does not matter that one of a pair may have no neighbour.
const MANY: u32 = 16;

/// From how many programs on pairs always pay: the cache is asked for less, and that blocks begin and end together costs
/// little where each has eight programs and more. With fewer of them products lost up to 5 % (see `benches/results`).
const MANY_PROGRAMS: u64 = 1024;

/// Whether programs are to be in pairs: along which axis. Rows of a box that begin somewhere in a line of the cache lie
/// in two of them each, and the cache is asked for so much that half of it is worth waiting for each other (see
/// `benches/results`).
pub(super) fn pair(variant: &Variant, grid: [u32; 3], maps: &[MapValue]) -> Option<u32> {
    let pair = variant.pair.as_ref()?;
    let count = *grid.get(pair.axis as usize)?;
    let is_scattered = |map: &MapValue| {
        let mut places = map.strides.iter().chain([&map.address]);
        places.any(|place| !place.is_multiple_of(LINE_BYTES))
    };
    let mut shared = pair.maps.iter().filter_map(|map| maps.get(*map as usize));
    let have_neighbours = count.is_multiple_of(2) || count >= MANY;
    let all: u64 = grid.iter().map(|count| u64::from(*count)).product();
    let pays = all >= MANY_PROGRAMS || shared.any(is_scattered);
    (have_neighbours && pays).then_some(pair.axis)
}

/// How programs take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turns {
    /// Blocks along x.
    pub(crate) blocks: u32,
    /// The number of the first program that is left over, or of all if none is; of pairs, the pair's.
    pub(crate) first: u32,
    /// The blocks that each of these may have, or pairs of blocks.
    pub(crate) spare: u32,
}

/// What a kernel whose blocks share programs, or count them, takes after the numbers of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// Where blocks may share programs: `first` and `spare` of [`Turns`].
    pub(crate) leftovers: Option<[u32; 2]>,
    /// The address; 0 if nothing is shared.
    pub(crate) address: u64,
}

impl Turns {
    /// On a device of so many multiprocessors that hold so many blocks each: there are no more blocks than run at
    /// once, and than there are programs, of which each has one, or each pair two. Where programs that are left over
    /// may be shared, there are more: two blocks of a multiprocessor are no faster than one, so that each gets so many
    /// multiprocessors.
    pub(crate) fn of(
        variant: &Variant,
        mut grid: [u32; 3],
        pair: Option<u32>,
        resident: u32,
        multiprocessors: u32,
    ) -> Self {
        let in_a_row = grid.iter().filter(|count| **count > 1).count() < 2;
        let mut each = 1;
        if let Some(count) = pair.and_then(|axis| grid.get_mut(axis as usize)) {
            *count = count.div_ceil(2);
            each = 2;
        }
        let units = grid.iter().map(|count| u64::from(*count)).product::<u64>();
        let mut most = resident.max(1).saturating_mul(multiprocessors) / each;
        if variant.part_bytes > 0 {
            most = most.min(MOST_COUNTERS / each);
        }
        let most = u64::from(most.max(1));
        // Programs along one axis alone have an operand each that no other reads: it comes from memory, which half of the
        // multiprocessors keep busy (16 x 8192 x 8192 with all of them: 49.8 us instead of 46.9 on an H200).
        let useful = multiprocessors / each / if in_a_row { 2 } else { 1 };
        let left = units % most;
        let spare = match left {
            0 => 0,
            _ => u64::from(useful) / left,
        };
        let is_shared = variant.part_bytes > 0 && spare > 1;
        let blocks = match is_shared {
            true => most.min(MOST_PARTS * units),
            false => most.min(units),
        };
        // At most `MOST_TURNS`.
        Self {
            blocks: each * blocks as u32,
            first: (units - if is_shared { left } else { 0 }) as u32,
            spare: if is_shared { spare as u32 } else { 0 },
        }
    }

    /// Bytes of the workspace that the blocks need; 0 if they share nothing and count nothing.
    pub(crate) const fn workspace_bytes(self, variant: &Variant) -> usize {
        match self.spare {
            0 if variant.tickets => COUNTERS_BYTES,
            0 => 0,
            _ => COUNTERS_BYTES + self.blocks as usize * variant.part_bytes as usize,
        }
    }
}
