//! Instructions by which lanes of a warp talk: shuffles, votes, matches, reductions, elections.
//!
//! All of them name the lanes that take part. Lanes that come early wait for the others (PTX ISA,
//! "shfl.sync": the executing threads wait until all named threads have executed it); lanes that
//! have exited are not waited for.

use super::step::{Checked, Flow, Machine};
use super::warp::{Wait, Warp};
use crate::simulator::checks::Defect;
use crate::simulator::program::Instruction;
use crate::simulator::program::op::{Op, Reduction, Shuffle, Vote};
use crate::simulator::registers::{LANES, Lanes32, Mask};

/// The lanes of a mask.
pub fn each(mask: Mask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}

impl Machine<'_> {
    /// Executes one of them, once all lanes are there that it names.
    pub fn communicate(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        mask: Mask,
        active: Mask,
    ) -> Checked<Flow> {
        let slots = instruction.slots(self.launch.entry);
        if let Op::ActiveMask = instruction.op {
            warp.registers.set32(slots[0], active, [mask; LANES]);
            return Ok(Flow::Next);
        }
        let Some((&last, _)) = slots.split_last() else {
            return Ok(Flow::Next);
        };
        let members = warp.registers.get32(last);
        let named = members[active.trailing_zeros() as usize];
        for lane in each(active) {
            if members[lane] >> lane & 1 == 0 || members[lane] != named {
                let defect = Defect::MemberMask {
                    mask: members[lane],
                    others: named,
                };
                return Err(self.finding(warp, pc, lane, defect));
            }
        }
        let missing = named & warp.alive & !active;
        if missing != 0 {
            return Ok(Flow::Wait {
                wait: Wait::Lanes(missing),
                again: true,
            });
        }
        let registers = &mut warp.registers;
        match &instruction.op {
            Op::Shuffle(kind, predicate) => {
                let sources = &slots[1 + usize::from(*predicate)..];
                let values = registers.get32(sources[0]);
                let by = registers.get32(sources[1]);
                let clamp = registers.get32(sources[2]);
                let (from, valid) = shuffle_sources(*kind, &by, &clamp);
                for lane in each(active) {
                    if active >> from[lane] & 1 == 0 && warp.lanes >> from[lane] & 1 == 1 {
                        let from = from[lane];
                        return Err(self.finding(warp, pc, lane, Defect::ShuffleSource { from }));
                    }
                }
                if let Some(poison) = &mut warp.poison {
                    let marks = poison.bits.get32(sources[0]);
                    let marks = from.map(|lane| marks[lane as usize]);
                    poison.bits.set32(slots[0], active, marks);
                }
                registers.set32(slots[0], active, from.map(|lane| values[lane as usize]));
                if *predicate {
                    registers.set_predicate(slots[1], active, valid);
                }
            }
            Op::Vote(vote) => {
                let ballot = registers.predicate(slots[1]) & active;
                let value = match vote {
                    Vote::Ballot => {
                        registers.set32(slots[0], active, [ballot; LANES]);
                        return Ok(Flow::Next);
                    }
                    Vote::All => ballot == active,
                    Vote::Any => ballot != 0,
                    Vote::Uniform => ballot == active || ballot == 0,
                };
                registers.set_predicate(slots[0], active, if value { active } else { 0 });
            }
            Op::Match {
                all,
                wide,
                predicate,
            } => {
                let value = slots[1 + usize::from(*predicate)];
                let values = if *wide {
                    registers.get64(value)
                } else {
                    registers.get32(value).map(u64::from)
                };
                let same = |lane: usize| {
                    each(active)
                        .filter(|&other| values[other] == values[lane])
                        .fold(0, |mask, other| mask | 1 << other)
                };
                let mut result = [0; LANES];
                let mut agree = 0;
                for lane in each(active) {
                    let same: Mask = same(lane);
                    if same == active {
                        agree |= 1 << lane;
                    }
                    result[lane] = if *all && same != active { 0 } else { same };
                }
                registers.set32(slots[0], active, result);
                if *predicate {
                    registers.set_predicate(slots[1], active, agree);
                }
            }
            Op::Reduce(reduction) => {
                let values = registers.get32(slots[1]);
                let value = each(active)
                    .map(|lane| values[lane])
                    .reduce(|a, b| reduction.apply(a, b));
                registers.set32(slots[0], active, [value.unwrap_or(0); LANES]);
            }
            Op::Elect(leader) => {
                let lane = named.trailing_zeros();
                if *leader {
                    registers.set32(slots[0], active, [lane; LANES]);
                }
                registers.set_predicate(slots[usize::from(*leader)], active, 1 << lane);
            }
            Op::WarpBarrier => self.warp_barrier(warp, named),
            _ => {}
        }
        Ok(Flow::Next)
    }
}

/// Which lane each lane reads, and whether that is in its segment (PTX ISA, "shfl.sync").
fn shuffle_sources(kind: Shuffle, by: &Lanes32, clamp: &Lanes32) -> (Lanes32, Mask) {
    let mut from = [0; LANES];
    let mut valid = 0;
    for (lane, from) in (0u32..).zip(&mut from) {
        let b = by[lane as usize] & 31;
        let c = clamp[lane as usize];
        let (bound, segment) = (c & 31, c >> 8 & 31);
        let min_lane = lane & segment;
        let max_lane = min_lane | bound & !segment;
        let (source, inside) = match kind {
            Shuffle::Up => {
                let source = lane.wrapping_sub(b);
                (source, source.cast_signed() >= max_lane.cast_signed())
            }
            Shuffle::Down => (lane + b, lane + b <= max_lane),
            Shuffle::Butterfly => (lane ^ b, lane ^ b <= max_lane),
            Shuffle::Index => {
                let source = min_lane | b & !segment;
                (source, source <= max_lane)
            }
        };
        *from = if inside { source & 31 } else { lane };
        valid |= u32::from(inside) << lane;
    }
    (from, valid)
}

impl Reduction {
    fn apply(self, a: u32, b: u32) -> u32 {
        let signed =
            |pick: fn(i32, i32) -> i32| pick(a.cast_signed(), b.cast_signed()).cast_unsigned();
        match self {
            Self::Add => a.wrapping_add(b),
            Self::MinUnsigned => a.min(b),
            Self::MaxUnsigned => a.max(b),
            Self::MinSigned => signed(i32::min),
            Self::MaxSigned => signed(i32::max),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::MinFloat { abs, nan } => extreme(a, b, abs, nan, true),
            Self::MaxFloat { abs, nan } => extreme(a, b, abs, nan, false),
        }
    }
}

/// The smaller or larger of two f32; NaN gives way unless it is asked for.
fn extreme(a: u32, b: u32, abs: bool, nan: bool, smaller: bool) -> u32 {
    const NAN: u32 = 0x7fff_ffff;
    let [x, y] = [a, b].map(|bits| f32::from_bits(if abs { bits & NAN } else { bits }));
    if nan && (x.is_nan() || y.is_nan()) || x.is_nan() && y.is_nan() {
        return NAN;
    }
    let first = if x.is_nan() || y.is_nan() {
        y.is_nan()
    } else {
        (x.total_cmp(&y) == std::cmp::Ordering::Less) == smaller
    };
    if first { x.to_bits() } else { y.to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_stay_in_their_segment() {
        let full = |value| [value; LANES];
        // Width 8: segment mask 0b11000, clamp 31.
        let (from, valid) = shuffle_sources(Shuffle::Down, &full(3), &full(0x181f));
        assert_eq!(from[..8], [3, 4, 5, 6, 7, 5, 6, 7]);
        assert_eq!(valid & 0xff, 0b1_1111);
        let (from, valid) = shuffle_sources(Shuffle::Up, &full(1), &full(0));
        assert_eq!(from[..3], [0, 0, 1]);
        assert_eq!(valid, !1);
        let (from, _) = shuffle_sources(Shuffle::Butterfly, &full(16), &full(0x1f));
        assert_eq!(from[..2], [16, 17]);
        let (from, _) = shuffle_sources(Shuffle::Index, &full(9), &full(0x181f));
        assert_eq!(from[7..9], [1, 9]);
    }

    #[test]
    fn a_nan_gives_way_unless_asked_for() {
        let bits = f32::to_bits;
        let min = |abs, nan| Reduction::MinFloat { abs, nan };
        assert_eq!(
            min(false, false).apply(bits(f32::NAN), bits(2.0)),
            bits(2.0)
        );
        assert_eq!(
            min(false, true).apply(bits(f32::NAN), bits(2.0)),
            0x7fff_ffff
        );
        assert_eq!(min(true, false).apply(bits(-3.0), bits(2.0)), bits(2.0));
    }
}
