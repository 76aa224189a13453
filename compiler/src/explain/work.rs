//! What a program computes and moves, and where that puts it on the roofline of a card.
//!
//! Bytes are those that programs ask for, masks aside; several programs may be given the same from a
//! cache. With a call, the bytes of its tensors are what memory moves at least, and both are told.

use super::data::{
    Amounts, Bound, CallData, CallRoofline, LoopData, Repeat, RooflineData, RoundData, WorkData,
};
use crate::target::card::{Arithmetic, Card};

/// An operation's share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// How often it is done.
    pub repeat: Repeat,
    /// What it takes each time.
    pub amounts: Amounts,
}

impl Amounts {
    fn add(&mut self, other: &Self, times: u64) {
        for (kind, operations) in &other.operations {
            let sum = self.operations.entry(*kind).or_default();
            *sum = sum.saturating_add(operations.saturating_mul(times));
        }
        let more =
            |sum: &mut u64, bytes: u64| *sum = sum.saturating_add(bytes.saturating_mul(times));
        more(&mut self.loaded_bytes, other.loaded_bytes);
        more(&mut self.stored_bytes, other.stored_bytes);
    }

    /// All operations, of whatever kind.
    #[must_use]
    pub fn all_operations(&self) -> u64 {
        self.operations.values().sum()
    }

    /// Bytes both ways.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.loaded_bytes.saturating_add(self.stored_bytes)
    }

    /// Seconds of each kind at its peak; kinds have units of their own, so the longest counts.
    fn longest(&self, card: &Card) -> Option<(Arithmetic, f64)> {
        self.operations
            .iter()
            .map(|(kind, operations)| (*kind, *operations as f64 / card.peak(*kind)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Adds up.
#[must_use]
pub fn work(
    tasks: &[Task],
    loops: &[LoopData],
    card: Option<&Card>,
    call: Option<&CallData>,
) -> WorkData {
    let mut data = WorkData::default();
    let mut whole = Amounts::default();
    let mut complete = true;
    for task in tasks {
        match task.repeat.times {
            Some(times) => {
                whole.add(&task.amounts, times);
                data.once.add(&task.amounts, times);
            }
            None => {
                complete = false;
                let Some((of_loop, times)) = round(loops, task.repeat.of_loop) else {
                    continue;
                };
                let known = data
                    .rounds
                    .iter()
                    .position(|round| round.of_loop == of_loop);
                let index = known.unwrap_or_else(|| {
                    data.rounds.push(RoundData {
                        of_loop,
                        amounts: Amounts::default(),
                    });
                    data.rounds.len() - 1
                });
                data.rounds[index].amounts.add(&task.amounts, times);
            }
        }
    }
    data.program = complete.then_some(whole);
    data.roofline = card.and_then(|card| roofline(&data, card, call));
    data
}

/// The innermost loop of unknown trip count around an operation, and how often an iteration of that does it.
fn round(loops: &[LoopData], innermost: Option<usize>) -> Option<(usize, u64)> {
    let mut current = innermost?;
    let mut times = 1u64;
    loop {
        let data = loops.get(current)?;
        match data.trips {
            None => return Some((current, times)),
            Some(trips) => times = times.saturating_mul(trips),
        }
        current = data.inside?;
    }
}

/// Where the program, or an iteration of the loop that does most, stands.
fn roofline(data: &WorkData, card: &Card, call: Option<&CallData>) -> Option<RooflineData> {
    let heaviest = data.rounds.iter().max_by_key(|round| {
        let amounts = &round.amounts;
        (amounts.all_operations(), amounts.bytes())
    });
    let (of_loop, amounts) = match (&data.program, heaviest) {
        (Some(whole), _) => (None, whole),
        (None, Some(round)) => (Some(round.of_loop), &round.amounts),
        (None, None) => return None,
    };
    let bytes = amounts.bytes();
    if bytes == 0 {
        return None;
    }
    let longest = amounts.longest(card);
    let memory = bytes as f64 / card.bytes_per_second;
    let compute = longest.map_or(0.0, |(_, seconds)| seconds);
    let intensity = amounts.all_operations() as f64 / bytes as f64;
    // Where compute would equal memory if there were more of the same mix.
    let ridge = if compute > 0.0 {
        intensity * memory / compute
    } else {
        card.peak(Arithmetic::Single) / card.bytes_per_second
    };
    Some(RooflineData {
        of_loop,
        intensity,
        arithmetic: longest.map(|(kind, _)| kind),
        ridge,
        bound: bound(compute, memory),
        call: data
            .program
            .as_ref()
            .zip(call)
            .map(|(program, call)| of_call(program, card, call)),
    })
}

fn of_call(program: &Amounts, card: &Card, call: &CallData) -> CallRoofline {
    let programs = call.programs;
    let compute = program
        .longest(card)
        .map_or(0.0, |(_, seconds)| seconds * programs as f64);
    let memory = call.tensor_bytes as f64 / card.bytes_per_second;
    CallRoofline {
        operations: program.all_operations().saturating_mul(programs),
        moved_bytes: program.bytes().saturating_mul(programs),
        least_bytes: call.tensor_bytes,
        compute_us: compute * 1e6,
        memory_us: memory * 1e6,
        bound: bound(compute, memory),
    }
}

fn bound(compute: f64, memory: f64) -> Bound {
    if compute > memory {
        Bound::Compute
    } else {
        Bound::Memory
    }
}
