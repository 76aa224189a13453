//! [`ShufflePlan`]: moving elements between the lanes of a warp.
//!
//! A shuffle lets every lane read one register of another lane, but it is the lane that is read
//! which says which register that is. So a plan has three steps, all of which are XORs of numbers:
//!
//! 1. *before*: every lane permutes its registers, so that what it gives in one round is in the
//!    same slot in all lanes;
//! 2. *rounds*: one shuffle each (none when the lane keeps the element);
//! 3. *after*: every lane permutes what it got. Transpositions need this: lanes then work on
//!    different registers in the same round, so that in each round every lane is read once.
//!
//! The permutations are exchanges: when a bit of the thread's number is set, slot `i` and slot
//! `i ^ mask` change places, two selects on a predicate that is computed once.
//!
//! For example, a 2 x 2 transposition between two registers and two lanes, `a b | c d` to
//! `a c | b d`: before, lane 1 exchanges its registers (`a b | d c`); round 0 keeps slot 0
//! (`a | d`), round 1 reads slot 1 of the other lane (`c | b`); after, lane 1 exchanges again.

use super::convert::{Equations, Slots, Source};
use super::distributed::{LANE_BITS, Layout, ThreadBit};
use super::linear::Span;

/// If `bit` of the thread's number is set, slot `i` takes the value of slot `i ^ mask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The bit.
    pub bit: ThreadBit,
    /// The difference between slots that change places.
    pub mask: usize,
}

/// One shuffle: slot `destination` gets slot `source` of lane `source_lane ^ lane_xor`, where
/// `source_lane` is the plan's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffleRound {
    /// The slot to fill, among those after the rounds.
    pub destination: usize,
    /// The slot to give, among those before the rounds.
    pub source: usize,
    /// The constant part of the lane to read from.
    pub lane_xor: u32,
}

/// How the lanes of a warp exchange the registers of a tile. Generating code for it:
///
/// ```text
/// value[i] = register first_slots[i], or undefined
/// for each exchange in before:  value[i] = select(bit, value[i ^ mask], value[i])
/// for each round:               moved[destination] = shuffle(value[source], source_lane ^ lane_xor)
/// for each exchange in after:   moved[i] = select(bit, moved[i ^ mask], moved[i])
/// register d of the result = moved[result_slots[d]]
/// ```
///
/// A slot that no round fills is undefined. A select of which one side is undefined is the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShufflePlan {
    /// The register whose value each slot has at first; `None` where there is none.
    pub first_slots: Vec<Option<usize>>,
    /// Exchanges before the rounds.
    pub before: Vec<Exchange>,
    /// The thread-dependent part of the lane to read from: the XOR of the masks of all bits that
    /// are set.
    pub source_lane: Vec<(ThreadBit, u32)>,
    /// The shuffles.
    pub rounds: Vec<ShuffleRound>,
    /// The number of slots after the rounds.
    pub last_slots: usize,
    /// Exchanges after the rounds.
    pub after: Vec<Exchange>,
    /// The slot in which each register of the result is at last.
    pub result_slots: Vec<usize>,
}

impl ShufflePlan {
    /// Whether lanes read from lanes at a fixed XOR distance in every round (`shfl.sync.bfly`), and
    /// rounds with a distance of 0 need no shuffle.
    pub fn is_butterfly(&self) -> bool {
        let identity: Vec<_> = (0..LANE_BITS as u32)
            .map(|bit| (ThreadBit::Lane(bit), 1 << bit))
            .collect();
        self.source_lane == identity
    }

    /// The number of shuffle instructions.
    pub fn shuffle_count(&self) -> usize {
        let butterfly = self.is_butterfly();
        self.rounds
            .iter()
            .filter(|round| !butterfly || round.lane_xor != 0)
            .count()
    }

    /// At most this many selects are needed.
    pub fn select_count(&self) -> usize {
        self.before.len() * self.first_slots.len() + self.after.len() * self.last_slots
    }

    /// The plan for solved equations.
    pub(super) fn new(equations: &Equations, from: &Layout, to: &Layout) -> ShufflePlan {
        let (from_slots, to_slots) = (Slots::of(from), Slots::of(to));
        let redundant = to.redundant_register_bits();
        let Movement {
            lanes,
            after,
            slots,
        } = Movement::find(equations, redundant);

        // What lane `l` gives depends on the lane that reads it; as a function of `l` itself:
        let mut columns = Span::of(lanes.iter().map(|source| u64::from(source.lane)));
        (0..LANE_BITS).for_each(|bit| {
            columns.insert(1 << bit);
        });
        let given = |lane: u32| -> usize {
            let readers = columns
                .express(u64::from(lane))
                .expect("all lane bits were inserted");
            let readers = readers as usize & ((1 << LANE_BITS) - 1);
            Source::of_bits(&lanes, readers).slot
        };
        let lane_bits = || (0..LANE_BITS as u32).map(ThreadBit::Lane);
        let warp_bits = || equations.warps.iter().zip((0..).map(ThreadBit::Warp));
        let by_lane = lane_bits().zip((0..LANE_BITS).map(|bit| given(1 << bit)));
        let by_warp = warp_bits().map(|(source, bit)| (bit, source.slot ^ given(source.lane)));
        let exchanges = |masks: &mut dyn Iterator<Item = (ThreadBit, usize)>| -> Vec<Exchange> {
            masks
                .filter(|(_, mask)| *mask != 0)
                .map(|(bit, mask)| Exchange { bit, mask })
                .collect()
        };
        let before = exchanges(&mut by_lane.chain(by_warp));
        let after = exchanges(&mut lane_bits().zip(after));

        let lane_masks = lane_bits().zip(lanes.iter().map(|source| source.lane));
        let warp_masks = warp_bits().map(|(source, bit)| (bit, source.lane));
        let source_lane = lane_masks
            .chain(warp_masks)
            .filter(|(_, mask)| *mask != 0)
            .collect();

        let reaches_register = |slot: usize| {
            let mut reached = vec![slot];
            for exchange in &after {
                reached.extend(reached.clone().iter().map(|slot| slot ^ exchange.mask));
            }
            reached
                .into_iter()
                .any(|slot| to_slots.register(slot).is_some())
        };
        let rounds = (0..1usize << slots.len())
            .filter(|slot| slot & redundant == 0 && reaches_register(*slot))
            .map(|destination| {
                let source = Source::of_bits(&slots, destination);
                ShuffleRound {
                    destination,
                    source: source.slot ^ given(source.lane),
                    lane_xor: source.lane,
                }
            })
            .collect();
        let slots_by_register = to_slots.by_register();
        let result_slots = (0..to.register_count())
            .map(|register| slots_by_register[to.register_representative(register)]);
        ShufflePlan {
            first_slots: (0..1 << from_slots.bits())
                .map(|slot| from_slots.register(slot))
                .collect(),
            before,
            source_lane,
            rounds,
            last_slots: 1 << slots.len(),
            after,
            result_slots: result_slots.collect(),
        }
    }
}

/// From which lane, and from which of its slots, a lane reads in the round of slot 0.
struct Movement {
    /// For each lane bit: the bit of the source lane that it sets, and the slot.
    lanes: Vec<Source>,
    /// For each lane bit: the change of the destination slot in every round.
    after: Vec<usize>,
    /// For each bit of the slots after the rounds: the change of what is read. They are the bits of
    /// the result's slots and some for rounds that only a part of the lanes needs.
    slots: Vec<Source>,
}

impl Movement {
    /// Finds a movement in which lanes that read from the same lane read the same slot.
    ///
    /// Where the equations let two lanes read different slots of one lane, one of them is sent
    /// elsewhere: to another copy of the element, or to work on another register in this round. If
    /// there is neither, the lane is read twice, and its readers choose.
    fn find(equations: &Equations, redundant_slot_bits: usize) -> Movement {
        let mut lanes: Vec<Source> = equations.lanes.clone();
        lanes
            .iter_mut()
            .enumerate()
            .for_each(|(bit, source)| source.lane ^= 1 << bit);
        let mut after = vec![0; LANE_BITS];
        let mut slots = equations.slots.clone();

        let mut read = Span::default();
        let mut colliding = Vec::new();
        for (bit, source) in lanes.iter().enumerate() {
            if let Some(others) = read.express(u64::from(source.lane)) {
                let difference = source.xor(Source::of_bits(&lanes, others as usize));
                colliding.extend((difference.slot != 0).then_some((bit, difference)));
            }
            read.insert(u64::from(source.lane));
        }
        let copies = equations.copies.iter().map(|copy| (*copy, 0));
        let registers = equations
            .slots
            .iter()
            .enumerate()
            .map(|(bit, source)| (*source, 1 << bit));
        let detours: Vec<(Source, usize)> = copies
            .chain(registers.filter(|(_, slot)| slot & redundant_slot_bits == 0))
            .collect();
        for (bit, difference) in colliding {
            let free = detours
                .iter()
                .find(|(detour, _)| !read.contains(u64::from(detour.lane)));
            let (detour, slot) = free.copied().unwrap_or_else(|| {
                slots.push(difference);
                (difference, 1 << (slots.len() - 1))
            });
            lanes[bit] = lanes[bit].xor(detour);
            after[bit] = slot;
            read.insert(u64::from(detour.lane));
        }
        Movement {
            lanes,
            after,
            slots,
        }
    }
}
