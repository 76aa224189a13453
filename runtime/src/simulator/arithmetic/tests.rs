//! Tests of the families, each against an independent way of computing.
//!
//! `run` computes an instruction for 32 lanes from its name. `exact` rounds rational numbers by
//! looking for the neighbours among the values of a format, with integers of any size; nothing in
//! there shifts or masks bits as the code under test does.

mod bits;
mod comparisons;
mod conversions;
mod exact;
mod forms;
mod halves;
mod ieee;
mod integers;
mod moves;
mod samples;
mod special;

use super::{Form, Kind, find};
use crate::simulator::registers::{FULL, LANES, Lanes64, Registers, Slot};

/// The form of an instruction with so many operands.
fn form(name: &str, destinations: usize, sources: usize) -> Form {
    let parts: Vec<_> = name.split('.').collect();
    find(&parts, destinations, sources).unwrap_or_else(|| panic!("{name} is not known"))
}

/// All destinations of an instruction on these sources. Values lie in the low bits; a predicate is
/// 0 or 1. The carry flag, if there is one, is the last source, and the last result.
fn run_all(name: &str, destinations: usize, sources: &[Lanes64]) -> Vec<Lanes64> {
    let bare = find(
        &name.split('.').collect::<Vec<_>>(),
        destinations,
        sources.len(),
    );
    let form = bare.unwrap_or_else(|| form(name, destinations, sources.len() - 1));
    let mut kinds = form.destinations.clone();
    kinds.extend(&form.sources);
    kinds.extend(form.carry.then_some(Kind::Predicate));
    let mut registers = Registers::new(2 * kinds.len(), kinds.len());
    let slots: Vec<_> = (0..)
        .zip(&kinds)
        .map(|(index, kind)| {
            Slot(if *kind == Kind::Predicate {
                index
            } else {
                2 * index
            })
        })
        .collect();
    for ((kind, slot), values) in kinds.iter().zip(&slots).skip(destinations).zip(sources) {
        match kind.bits() {
            1 => registers.set_predicate(*slot, FULL, mask_of(values)),
            64 => registers.set64(*slot, FULL, *values),
            _ => registers.set32(*slot, FULL, values.map(|value| value as u32)),
        }
    }
    (form.run)(&mut registers, &slots, FULL);
    let carry = form.carry.then_some(kinds.len() - 1);
    (0..destinations)
        .chain(carry)
        .map(|index| match kinds[index].bits() {
            1 => {
                let mask = registers.predicate(slots[index]);
                std::array::from_fn(|lane| u64::from(mask >> lane & 1))
            }
            64 => registers.get64(slots[index]),
            _ => registers.get32(slots[index]).map(u64::from),
        })
        .collect()
}

/// The destination of an instruction that has one.
fn run(name: &str, sources: &[Lanes64]) -> Lanes64 {
    run_all(name, 1, sources)[0]
}

/// The result for operands that are the same in all lanes.
fn run_one(name: &str, sources: &[u64]) -> u64 {
    let sources: Vec<_> = sources.iter().map(|value| [*value; LANES]).collect();
    run(name, &sources)[0]
}

/// The predicate whose lanes are these.
fn mask_of(values: &Lanes64) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | (values[lane] as u32 & 1) << lane)
}

/// Runs an instruction on many operands, and hands each set of them and the result on.
fn for_each(
    name: &str,
    mut operands: impl FnMut() -> Vec<u64>,
    count: usize,
    mut check: impl FnMut(&[u64], u64),
) {
    for _ in 0..count.div_ceil(LANES) {
        let sets: Vec<_> = (0..LANES).map(|_| operands()).collect();
        let sources: Vec<_> = (0..sets[0].len())
            .map(|index| std::array::from_fn(|lane| sets[lane][index]))
            .collect();
        let results = run(name, &sources);
        for (set, result) in sets.iter().zip(results) {
            check(set, result);
        }
    }
}
