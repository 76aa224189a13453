//! What holds of the result of an operation, from what holds of its operands.

use super::{Facts, LARGEST, common_power, greatest_common_divisor};
use crate::dialect::predicates;

/// Equal inputs give equal outputs; nothing else is known.
pub(super) fn constant_runs(a: &Facts, b: &Facts) -> Facts {
    let rank = a.contiguity.len();
    Facts {
        constancy: (0..rank)
            .map(|d| greatest_common_divisor(a.constancy[d], b.constancy[d]))
            .collect(),
        ..Facts::unknown(rank)
    }
}

pub(super) fn sum(a: &Facts, b: &Facts, adds: bool) -> Facts {
    let mut facts = constant_runs(a, b);
    for d in 0..facts.contiguity.len() {
        let mut run = greatest_common_divisor(a.contiguity[d], b.constancy[d]);
        if adds {
            run = run.max(greatest_common_divisor(a.constancy[d], b.contiguity[d]));
        }
        facts.contiguity[d] = run;
        facts.divisibility[d] = common_power(a.divisor_at(d, run), b.divisor_at(d, run));
    }
    facts
}

pub(super) fn pointer_sum(pointer: &Facts, bytes: &Facts, element_bytes: u64) -> Facts {
    let mut facts = constant_runs(pointer, bytes);
    for d in 0..facts.contiguity.len() {
        let run = greatest_common_divisor(bytes.contiguity[d], pointer.constancy[d]).max(
            greatest_common_divisor(bytes.constancy[d], pointer.contiguity[d]),
        );
        facts.contiguity[d] = run;
        facts.divisibility[d] = common_power(
            pointer.byte_divisor_at(d, run, element_bytes),
            bytes.byte_divisor_at(d, run, element_bytes),
        );
    }
    facts
}

pub(super) fn product(a: &Facts, b: &Facts) -> Facts {
    let mut facts = constant_runs(a, b);
    for d in 0..facts.contiguity.len() {
        facts.divisibility[d] = a
            .divisor_at(d, 1)
            .saturating_mul(b.divisor_at(d, 1))
            .min(LARGEST);
    }
    facts
}

pub(super) fn remainder(a: &Facts, b: &Facts, shape: &[u64]) -> Facts {
    let mut facts = constant_runs(a, b);
    for (d, size) in shape.iter().enumerate() {
        if b.constancy[d] == *size {
            let run = greatest_common_divisor(a.contiguity[d], b.divisor_at(d, 1));
            let run = common_power(run, a.divisor_at(d, run));
            if greatest_common_divisor(a.contiguity[d], run) == run {
                facts.contiguity[d] = run;
                facts.divisibility[d] = common_power(a.divisor_at(d, run), b.divisor_at(d, 1));
            }
        }
    }
    facts
}

/// One of two, the same one at `steady` positions (at multiples of that) per dimension.
pub(super) fn chosen(a: &Facts, b: &Facts, steady: &[u64]) -> Facts {
    let mut both = a.meet(b);
    for d in 0..both.contiguity.len() {
        let steady = steady.get(d).copied().unwrap_or(1);
        let contiguity = greatest_common_divisor(both.contiguity[d], steady);
        both.divisibility[d] = both.divisor_at(d, contiguity);
        both.contiguity[d] = contiguity;
        both.constancy[d] = greatest_common_divisor(both.constancy[d], steady);
    }
    both
}

/// A quotient by a power of two: what is divisible by it has no remainder. Rounded down, `divisor` elements of a run have one
/// quotient, if the run starts at a multiple of it.
pub(super) fn quotient(a: &Facts, divisor: u64, rounds_down: bool) -> Facts {
    let rank = a.contiguity.len();
    let mut facts = Facts {
        constancy: a.constancy.clone(),
        ..Facts::unknown(rank)
    };
    for d in 0..rank {
        facts.divisibility[d] = (a.divisor_at(d, 1) / divisor).max(1);
        if rounds_down {
            let steady = common_power(common_power(a.contiguity[d], a.divisibility[d]), divisor);
            facts.constancy[d] = facts.constancy[d].max(steady);
        }
    }
    facts
}

/// A run that starts at a multiple of `g` lies on one side of any bound that is a multiple of `g`.
pub(super) fn comparison(a: &Facts, b: &Facts, predicate: i64) -> Facts {
    use predicates as p;
    let mut facts = constant_runs(a, b);
    let (run, bound) = match predicate {
        p::SLT | p::SGE | p::ULT | p::UGE => (a, b),
        p::SGT | p::SLE | p::UGT | p::ULE => (b, a),
        _ => return facts,
    };
    for d in 0..facts.contiguity.len() {
        let length = greatest_common_divisor(run.contiguity[d], bound.constancy[d]);
        let aligned = common_power(run.divisor_at(d, length), bound.divisor_at(d, length));
        let steady = greatest_common_divisor(length, aligned);
        if steady > facts.constancy[d] {
            facts.constancy[d] = steady;
        }
    }
    facts
}
