//! Programs with numbers, which blocks in a row find the place of: how many blocks there are, and what becomes of programs
//! that are left over.
//!
//! ```text
//! 800 programs on 132 blocks: 6 waves, 8 programs are left over, each may have 16 of the blocks
//! 800 programs on a block each, 132 at once: 792 blocks, and for each program that is left over 16 more
//! ```

use super::MapValue;
use crate::manifest::{COUNTERS_BYTES, Variant};

/// The most programs with numbers: these, and the next after the last, are `i32`.
const MOST_PROGRAMS: u64 = 1 << 30;

/// The most blocks that have counters in a workspace.
const MOST_COUNTERS: u32 = COUNTERS_BYTES as u32 / 4;

/// The most blocks that a program is worth.
const MOST_PARTS: u64 = 16;

/// Whether programs can have numbers, if the variant wants them to; else what it relies on, and how many there are.
pub(super) fn check(variant: &Variant, grid: [u32; 3]) -> Result<(), (String, String)> {
    let count = grid
        .iter()
        .map(|count| u128::from(*count))
        .product::<u128>();
    match variant.is_numbered() && count > u128::from(MOST_PROGRAMS) {
        true => Err((
            format!("at most {MOST_PROGRAMS} programs have numbers"),
            format!("there are {count}"),
        )),
        false => Ok(()),
    }
}

/// Bytes of a line of the cache.
const LINE_BYTES: u64 = 128;

/// From how many programs along an axis on it does not matter that one of a pair may have no neighbour.
const MANY: u32 = 16;

/// From how many programs on pairs always pay: the cache is asked for less, and that blocks begin together costs
/// little where each has eight programs and more. With fewer of them products lose 2 to 4 % (see `benches/results`).
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

/// What an entry point takes besides its arguments and maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    Word(u32),
    Address(u64),
}

impl Given {
    /// As it is passed, and in how many bytes.
    pub(super) fn bits(self) -> (u64, usize) {
        match self {
            Self::Word(word) => (word.into(), 4),
            Self::Address(address) => (address, 8),
        }
    }
}

/// How numbers below [`MOST_PROGRAMS`] are divided by a number that is known when a kernel is launched: by a multiplication to
/// 64 bits and a shift to the right (T. Granlund, P. Montgomery, Division by invariant integers using multiplication, 1994). A
/// division takes a GPU twenty instructions, and all must be there before a block's first copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reciprocal {
    pub(crate) multiplier: u32,
    pub(crate) shift: u32,
}

impl Reciprocal {
    /// Of a number that is not 0.
    pub(crate) fn of(divisor: u64) -> Self {
        if divisor > MOST_PROGRAMS {
            // All quotients are 0.
            return Self {
                multiplier: 0,
                shift: 0,
            };
        }
        // With `2^(l - 1) < d <= 2^l`, the multiplier `2^(30 + l) / d`, rounded up, is wrong by less than 1 and at most 2^31; it
        // makes the quotient wrong by less than `n / 2^(30 + l)`, which is less than `1 / d`.
        let shift = MOST_PROGRAMS.ilog2() + divisor.next_power_of_two().ilog2();
        Self {
            multiplier: (1_u64 << shift).div_ceil(divisor) as u32,
            shift,
        }
    }

    fn words(self) -> [Given; 2] {
        [self.multiplier, self.shift].map(Given::Word)
    }
}

/// How blocks find their programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Persistent {
    /// Blocks along x.
    pub(crate) blocks: u32,
    /// Programs of each.
    pub(crate) programs_per_block: u32,
    /// The number of the first program that is left over, or of all if none is; of pairs, the pair's.
    pub(crate) first: u32,
    /// The blocks that each of these may have, or pairs of blocks.
    pub(crate) spare: u32,
    /// How many these are.
    left: u32,
    /// The most parts of programs that are written, if any are.
    parts: u32,
    /// Programs along the axes.
    grid: [u32; 3],
    /// By what their numbers are divided to find their place: programs of a plane of axes 0 and 1, those of a group, and along
    /// its axis those of the last group, if it has fewer rows, or all along axis 0 if there are no groups. Of pairs, half as many.
    divisors: [u64; 3],
}

/// Programs that a block has at most where so many may share one, and `resident` says how many blocks of so many a multiprocessor holds: so that most run at
/// once, and in as few blocks as then can be. Registers of large blocks may not go into those of a multiprocessor.
pub(crate) fn most_per_block<E>(
    most: u32,
    resident: impl Fn(u32) -> Result<Option<u32>, E>,
) -> Result<u32, E> {
    if most <= 1 {
        return Ok(1);
    }
    let (mut best, mut at_once) = (most, 0);
    for count in
        std::iter::successors(Some(most), |count| Some(count / 2)).take_while(|count| *count > 0)
    {
        let programs = resident(count)?.unwrap_or(0) * count;
        if programs > at_once {
            (best, at_once) = (count, programs);
        }
    }
    Ok(best)
}

impl Persistent {
    /// On a device of so many multiprocessors that hold so many blocks each. Of a persistent kernel there are no more
    /// blocks than run at once, and than there are programs, of which each has one, or each pair two. Where programs that are
    /// left over may be shared, there are more: two blocks of a multiprocessor are no faster than one, so that each gets so
    /// many multiprocessors. A block has so many programs at most ([`most_per_block`]).
    pub(crate) fn of(
        variant: &Variant,
        grid: [u32; 3],
        pair: Option<u32>,
        (resident, multiprocessors): (u32, u32),
        most_per_block: u32,
    ) -> Self {
        let programs = grid;
        let mut grid = grid;
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
        let left = if is_shared { left } else { 0 };
        let spare = if is_shared { spare } else { 0 };
        let parts = left * spare.min(MOST_PARTS);
        // Fewer programs than run at once have a block each, so that all multiprocessors have some.
        let programs_per_block = (units / most).clamp(1, most_per_block.max(1).into());
        let blocks = match (variant.turns, is_shared) {
            (true, true) => most.min(MOST_PARTS * units),
            (true, false) => most.min(units),
            (false, _) => (units - left + parts).div_ceil(programs_per_block),
        };
        let axis = variant.group_axis.min(1);
        let [along, across] = [axis, 1 - axis].map(|axis| u64::from(grid[axis as usize]));
        let rows = match u64::from(variant.group) {
            0 => along,
            rows if pair == Some(axis) => (rows / 2).max(1),
            rows => rows,
        };
        let last = match along % rows {
            0 => rows,
            last => last,
        };
        // At most `MOST_PROGRAMS`.
        let first = units - left;
        Self {
            blocks: each * blocks as u32,
            programs_per_block: programs_per_block as u32,
            first: first as u32,
            spare: spare as u32,
            left: left as u32,
            parts: match variant.turns {
                true => each * blocks as u32,
                false => parts as u32,
            },
            grid: programs,
            divisors: [along * across, rows * across, last],
        }
    }

    /// What an entry point takes of all this, and of a workspace; in this order.
    pub(crate) fn given(self, variant: &Variant, workspace: u64) -> Vec<Given> {
        let mut list: Vec<_> = self.grid.into_iter().map(Given::Word).collect();
        let words = |divisor: u64| Reciprocal::of(divisor.max(1)).words();
        list.extend(self.divisors.into_iter().flat_map(words));
        if variant.part_bytes > 0 {
            list.extend([self.first, self.spare].map(Given::Word));
            list.extend(words(self.left.into()));
        }
        if variant.part_bytes > 0 || variant.tickets {
            list.push(Given::Address(workspace));
        }
        list
    }

    /// Bytes of the workspace that the blocks need; 0 if they share nothing and count nothing.
    pub(crate) const fn workspace_bytes(self, variant: &Variant) -> usize {
        match self.spare {
            0 if variant.tickets => COUNTERS_BYTES,
            0 => 0,
            _ => COUNTERS_BYTES + self.parts as usize * variant.part_bytes as usize,
        }
    }
}
