//! Registers in slots: the fewest rows that keep apart what lives at the same time, so that a
//! warp's registers stay in the host's cache; and the registers that may be read before they are
//! written, which are then watched while the kernel runs.
//!
//! Comes in: instructions whose operands are virtual registers, numbered. Goes out: the same with
//! slots. A register lives from the first to the last instruction, in the order of the text, where
//! its value is wanted on some path. Lanes of a warp may be at different places, yet each lane
//! follows the paths alone and writes its lane of a row alone, so rows can be shared under
//! divergence too.

use std::collections::HashMap;

use super::op::Op;
use super::op::asynchronous::Multiply;
use super::{Instruction, Tracking};
use crate::simulator::registers::Slot;

/// Room that a register takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// A mask.
    Predicate,
    /// One row: up to 32 bits.
    Row,
    /// Two rows: 64 bits.
    Pair,
}

/// What allocation finds out.
#[derive(Debug, Default)]
pub struct Allocation {
    /// All rows.
    pub rows: u32,
    /// All predicates.
    pub predicates: u32,
    /// The registers that may be read before they are written.
    pub tracked: Vec<u32>,
    /// The registers that wgmmas use.
    pub wgmma_registers: Vec<u32>,
}

/// A set of registers.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(len: usize, value: bool) -> Self {
        Self(vec![if value { u64::MAX } else { 0 }; len.div_ceil(64)])
    }

    fn contains(&self, index: u32) -> bool {
        self.0[index as usize / 64] >> (index % 64) & 1 == 1
    }

    fn insert(&mut self, index: u32) {
        self.0[index as usize / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: u32) {
        self.0[index as usize / 64] &= !(1 << (index % 64));
    }

    fn union(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }

    fn intersect(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own &= other;
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().zip(0u32..).flat_map(|(&word, number)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(number * 64 + bit)
            })
        })
    }
}

/// Instructions that run one after the other, and where control goes then.
struct Stretch {
    start: usize,
    end: usize,
    next: Vec<usize>,
}

fn stretches(code: &[Instruction]) -> Vec<Stretch> {
    let mut starts = vec![0];
    for (index, instruction) in code.iter().enumerate() {
        match &instruction.op {
            Op::Branch(target) => starts.extend([*target as usize, index + 1]),
            Op::BranchTable(targets) => {
                starts.extend(targets.iter().map(|&target| target as usize));
                starts.push(index + 1);
            }
            Op::Exit => starts.push(index + 1),
            _ => {}
        }
    }
    starts.retain(|&start| start < code.len());
    starts.sort_unstable();
    starts.dedup();
    let number = |start: usize| starts.binary_search(&start).ok();
    let ends = starts.iter().skip(1).copied().chain([code.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| {
            let last = &code[end - 1];
            let mut next = Vec::new();
            let mut falls_through = true;
            match &last.op {
                Op::Branch(target) => {
                    next.extend(number(*target as usize));
                    falls_through = last.guard.is_some();
                }
                Op::BranchTable(targets) => {
                    next.extend(targets.iter().filter_map(|&target| number(target as usize)));
                    falls_through = last.guard.is_some();
                }
                Op::Exit => falls_through = last.guard.is_some(),
                _ => {}
            }
            if falls_through {
                next.extend(number(end));
            }
            Stretch { start, end, next }
        })
        .collect()
}

/// The registers that an instruction reads, its guard among them.
fn reads<'a>(instruction: &'a Instruction, operands: &'a [Slot]) -> impl Iterator<Item = u32> + 'a {
    let (start, end) = instruction.operands;
    operands[(start + instruction.destinations) as usize..end as usize]
        .iter()
        .copied()
        .chain(instruction.guard.map(|guard| guard.slot))
        .map(|slot| slot.0)
}

/// Operands that are moved as they are, with their places; and what else is read.
fn moves_and_reads(instruction: &Instruction, operands: &[Slot]) -> (Vec<(u32, u8)>, Vec<u32>) {
    let moved = match instruction.op {
        Op::Compute(_) => instruction.propagation.moved(),
        _ => 0,
    };
    let sources =
        (instruction.operands.1 - instruction.operands.0 - instruction.destinations) as usize;
    let mut read: Vec<u32> = reads(instruction, operands).collect();
    let others = read.split_off(moved.min(sources));
    (read.into_iter().zip(0..).collect(), others)
}

fn writes<'a>(instruction: &Instruction, operands: &'a [Slot]) -> impl Iterator<Item = u32> + 'a {
    let start = instruction.operands.0;
    operands[start as usize..(start + instruction.destinations) as usize]
        .iter()
        .map(|slot| slot.0)
}

/// Replaces the numbers of virtual registers in `code` and `operands` by slots. `widths` has one
/// entry per register; the first `constants` of them never change.
pub fn allocate(
    code: &mut [Instruction],
    operands: &mut [Slot],
    widths: &[Width],
    constants: &mut [(Slot, super::Constant)],
) -> Allocation {
    let stretches = stretches(code);
    let live = live_at_end(&stretches, code, operands, widths.len());
    let mut result = Allocation {
        tracked: watch(&stretches, code, operands, widths.len(), constants),
        wgmma_registers: watch_wgmma(code, operands, constants),
        ..Allocation::default()
    };
    let mut slots = vec![None; widths.len()];

    for (constant, _) in constants.iter_mut() {
        let width = widths[constant.0 as usize];
        let slot = fresh(&mut result, width);
        slots[constant.0 as usize] = Some(slot);
        *constant = slot;
    }

    let mut intervals = intervals(&stretches, &live, code, operands, widths.len());
    intervals.retain(|interval| slots[interval.register as usize].is_none());
    intervals.sort_unstable_by_key(|interval| (interval.first, interval.register));
    let mut free: HashMap<bool, Vec<Slot>> = HashMap::new();
    let mut busy = std::collections::BTreeSet::new();
    for interval in intervals {
        let width = widths[interval.register as usize];
        while let Some(&(last, pair, slot)) = busy.first() {
            if last >= interval.first {
                break;
            }
            busy.pop_first();
            free.entry(pair).or_default().push(Slot(slot));
        }
        let slot = if width == Width::Predicate {
            fresh(&mut result, width)
        } else {
            let pair = width == Width::Pair;
            let slot = free.entry(pair).or_default().pop();
            let slot = slot.unwrap_or_else(|| fresh(&mut result, width));
            busy.insert((interval.last, pair, slot.0));
            slot
        };
        slots[interval.register as usize] = Some(slot);
    }
    // Every register that is an operand has an interval, so nothing is left without a slot.
    for slot in operands.iter_mut() {
        *slot = slots[slot.0 as usize].unwrap_or(*slot);
    }
    for instruction in code {
        if let Some(guard) = &mut instruction.guard {
            guard.slot = slots[guard.slot.0 as usize].unwrap_or(guard.slot);
        }
    }
    result
}

fn fresh(allocation: &mut Allocation, width: Width) -> Slot {
    let (count, size) = match width {
        Width::Predicate => (&mut allocation.predicates, 1),
        Width::Row => (&mut allocation.rows, 1),
        Width::Pair => (&mut allocation.rows, 2),
    };
    let slot = Slot(*count);
    *count += size;
    slot
}

/// Where a register's value is wanted.
struct Interval {
    register: u32,
    first: usize,
    last: usize,
}

fn live_at_end(
    stretches: &[Stretch],
    code: &[Instruction],
    operands: &[Slot],
    registers: usize,
) -> Vec<Set> {
    // What a stretch reads before writing it, and what it writes for certain.
    let local: Vec<_> = stretches
        .iter()
        .map(|stretch| {
            let (mut wanted, mut written) =
                (Set::new(registers, false), Set::new(registers, false));
            for instruction in code[stretch.start..stretch.end].iter().rev() {
                if instruction.guard.is_none() {
                    for register in writes(instruction, operands) {
                        wanted.remove(register);
                        written.insert(register);
                    }
                }
                for register in reads(instruction, operands) {
                    wanted.insert(register);
                }
            }
            (wanted, written)
        })
        .collect();
    let mut at_start: Vec<Set> = local.iter().map(|(wanted, _)| wanted.clone()).collect();
    let mut at_end = vec![Set::new(registers, false); stretches.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (number, stretch) in stretches.iter().enumerate().rev() {
            let mut end = Set::new(registers, false);
            for &next in &stretch.next {
                end.union(&at_start[next]);
            }
            if end == at_end[number] {
                continue;
            }
            changed = true;
            let (wanted, written) = &local[number];
            let mut start = end.clone();
            for (word, written) in start.0.iter_mut().zip(&written.0) {
                *word &= !written;
            }
            start.union(wanted);
            at_start[number] = start;
            at_end[number] = end;
        }
    }
    at_end
}

fn intervals(
    stretches: &[Stretch],
    live: &[Set],
    code: &[Instruction],
    operands: &[Slot],
    registers: usize,
) -> Vec<Interval> {
    let mut range: Vec<Option<(usize, usize)>> = vec![None; registers];
    let mut extend = |register: u32, at: usize| {
        let (first, last) = range[register as usize].get_or_insert((at, at));
        *first = (*first).min(at);
        *last = (*last).max(at);
    };
    for (stretch, live) in stretches.iter().zip(live) {
        let mut now = live.clone();
        for register in now.iter() {
            extend(register, stretch.end - 1);
        }
        for at in (stretch.start..stretch.end).rev() {
            let instruction = &code[at];
            for register in writes(instruction, operands) {
                extend(register, at);
                if instruction.guard.is_none() {
                    now.remove(register);
                }
            }
            for register in reads(instruction, operands) {
                extend(register, at);
                now.insert(register);
            }
        }
        for register in now.iter() {
            extend(register, stretch.start);
        }
    }
    range
        .iter()
        .zip(0..)
        .filter_map(|(range, register)| {
            let (first, last) = (*range)?;
            Some(Interval {
                register,
                first,
                last,
            })
        })
        .collect()
}

/// Marks the instructions that read registers which some path leaves without a value, and those
/// that write them; gives these registers.
fn watch(
    stretches: &[Stretch],
    code: &mut [Instruction],
    operands: &[Slot],
    registers: usize,
    constants: &[(Slot, super::Constant)],
) -> Vec<u32> {
    // Forward: what has a value on all paths to the start of a stretch.
    let mut entry = Set::new(registers, false);
    for (constant, _) in constants {
        entry.insert(constant.0);
    }
    let mut at_start = vec![Set::new(registers, true); stretches.len()];
    if let Some(first) = at_start.first_mut() {
        *first = entry;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (number, stretch) in stretches.iter().enumerate() {
            let mut have = at_start[number].clone();
            for instruction in &code[stretch.start..stretch.end] {
                if instruction.guard.is_none() {
                    writes(instruction, operands).for_each(|register| have.insert(register));
                }
            }
            for &next in &stretch.next {
                let mut met = at_start[next].clone();
                met.intersect(&have);
                if met != at_start[next] {
                    at_start[next] = met;
                    changed = true;
                }
            }
        }
    }
    let mut tracked = Set::new(registers, false);
    for (number, stretch) in stretches.iter().enumerate() {
        let mut have = at_start[number].clone();
        for instruction in &code[stretch.start..stretch.end] {
            for register in reads(instruction, operands) {
                if !have.contains(register) {
                    tracked.insert(register);
                }
            }
            if instruction.guard.is_none() {
                writes(instruction, operands).for_each(|register| have.insert(register));
            }
        }
    }
    let tracked: Vec<u32> = tracked.iter().collect();
    if !tracked.is_empty() {
        let number = |register: u32| tracked.binary_search(&register).ok();
        #[allow(clippy::cast_possible_truncation)] // fewer than registers
        let numbers = |registers: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
            registers
                .filter_map(|r| number(r).map(|n| n as u32))
                .collect()
        };
        for instruction in code {
            let tracking = match instruction.op.wgmma() {
                // D is read if a predicate says so.
                Some(multiply) => Tracking {
                    reads: numbers(&mut after_d(instruction, multiply, operands)),
                    accumulators: numbers(&mut writes(instruction, operands)),
                    ..Tracking::default()
                },
                None => {
                    let (moves, reads) = moves_and_reads(instruction, operands);
                    #[allow(clippy::cast_possible_truncation)] // fewer than registers
                    let moves = moves
                        .into_iter()
                        .filter_map(|(register, place)| Some((number(register)? as u32, place)));
                    Tracking {
                        reads: numbers(&mut reads.into_iter()),
                        moves: moves.collect(),
                        writes: numbers(&mut writes(instruction, operands)),
                        ..Tracking::default()
                    }
                }
            };
            if tracking != Tracking::default() {
                instruction.tracking = Some(Box::new(tracking));
            }
        }
    }
    tracked
}

/// The operands of a wgmma behind D, and its guard.
fn after_d<'a>(
    instruction: &'a Instruction,
    multiply: &Multiply,
    operands: &'a [Slot],
) -> impl Iterator<Item = u32> + use<'a> {
    let (start, end) = instruction.operands;
    let guard = instruction.guard.map(|guard| guard.slot);
    let sources = &operands[start as usize + multiply.a_start()..end as usize];
    sources.iter().copied().chain(guard).map(|slot| slot.0)
}

/// Marks the instructions that read or write registers which some wgmma uses as D or A; gives these
/// registers.
///
/// They may share rows with others: a wgmma has run when it is issued, so that what happens to a
/// row is right in any case. What must not happen to a register is told by its name, not its row.
fn watch_wgmma(
    code: &mut [Instruction],
    operands: &[Slot],
    constants: &[(Slot, super::Constant)],
) -> Vec<u32> {
    let mut registers = Vec::new();
    for instruction in code.iter() {
        if let Some(multiply) = instruction.op.wgmma() {
            let a = after_d(instruction, multiply, operands).take(multiply.a_registers());
            registers.extend(writes(instruction, operands).chain(a));
        }
    }
    registers.sort_unstable();
    registers.dedup();
    registers.retain(|register| {
        constants
            .iter()
            .all(|(constant, _)| constant.0 != *register)
    });
    if registers.is_empty() {
        return registers;
    }
    #[allow(clippy::cast_possible_truncation)] // fewer than registers
    let numbers = |used: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
        used.filter_map(|register| registers.binary_search(&register).ok())
            .map(|number| number as u32)
            .collect()
    };
    for instruction in code {
        let read = match instruction.op.wgmma() {
            Some(multiply) => {
                let a = after_d(instruction, multiply, operands).take(multiply.a_registers());
                numbers(&mut a.into_iter())
            }
            None => numbers(&mut reads(instruction, operands)),
        };
        let written = numbers(&mut writes(instruction, operands));
        if !read.is_empty() || !written.is_empty() {
            let tracking = instruction.tracking.get_or_insert_default();
            (tracking.wgmma_reads, tracking.wgmma_writes) = (read, written);
        }
    }
    registers
}
