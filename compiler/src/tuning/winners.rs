//! Which recorded winners suit a kernel as it is now, and which of them is the nearest.

use std::collections::{BTreeMap, BTreeSet};

use tile_runtime::launch::distance;

use super::Values;
use super::record::{Record, Winner};
use crate::backend::manifest;
use crate::sema::Choices;
use crate::typed::Kernel;

/// The winners that suit a kernel whose generics are bound as `given` says, for a target; `choices` tells what there is
/// when more of them are bound. `stale` is told of those that do not suit the kernel any more.
pub fn suitable<'r>(
    record: &'r Record,
    kernel: &str,
    target: &str,
    given: &Values,
    choices: impl Fn(&Values) -> Option<Choices>,
    mut stale: impl FnMut(&Winner, String),
) -> Vec<&'r Winner> {
    let mut suitable = Vec::new();
    for winner in &record.winners {
        if winner.kernel != kernel || winner.target != target {
            continue;
        }
        let mut bound = winner.values.clone();
        bound.extend(given.clone());
        let Some(choices) = choices(&bound) else {
            stale(
                winner,
                "its values do not suit the kernel any more".to_owned(),
            );
            continue;
        };
        if let Some(reason) = outdated(winner, given, &choices) {
            stale(winner, reason);
            continue;
        }
        let known = winner.values.iter().chain(&winner.generics);
        if choices
            .generics
            .iter()
            .eq(known.collect::<BTreeMap<_, _>>())
        {
            suitable.push(winner);
        }
    }
    suitable
}

/// Why a winner does not suit the kernel any more.
fn outdated(winner: &Winner, given: &Values, choices: &Choices) -> Option<String> {
    let known: BTreeSet<&String> = winner.values.keys().chain(winner.generics.keys()).collect();
    let now: BTreeSet<&String> = choices.generics.keys().collect();
    if let Some(gone) = known.difference(&now).next() {
        return Some(format!("the kernel has no generic `{gone}` any more"));
    }
    if let Some(new) = now.difference(&known).next() {
        return Some(format!("the kernel has the generic `{new}` now"));
    }
    for (name, value) in &winner.values {
        let tune = choices.tunes.iter().find(|(tuned, _)| tuned == name);
        let listed = tune.is_some_and(|(_, values)| values.contains(value));
        if !listed && !given.contains_key(name) {
            return Some(format!(
                "`{name} = {value}` is not in a `tune` list any more"
            ));
        }
    }
    None
}

/// The winner of the nearest sizes; of the same device, if there is one. `None` if there is none of the same names.
#[must_use]
pub fn nearest<'r>(
    winners: &[&'r Winner],
    sizes: &BTreeMap<String, i64>,
    device: Option<&str>,
) -> Option<&'r Winner> {
    let near = winners.iter().map(|winner| {
        let elsewhere = device.is_some_and(|device| device != winner.device);
        (elsewhere, distance(&winner.sizes, sizes), *winner)
    });
    near.filter(|(_, distance, _)| distance.is_finite())
        .min_by(|one, other| (one.0.cmp(&other.0)).then(one.1.total_cmp(&other.1)))
        .map(|(_, _, winner)| winner)
}

/// Whether a kernel with values chosen can be launched in the place of the one without.
///
/// # Errors
/// In words, why not.
pub fn takes_the_same(usual: &Kernel, chosen: &Kernel) -> Result<(), &'static str> {
    if usual.grid.is_none() {
        return Err("the host gives its grid, which may depend on the values");
    }
    let [usual, chosen] = [usual, chosen].map(|kernel| manifest::kernel(kernel, &[], &[]));
    let same = usual.parameters == chosen.parameters && usual.arguments == chosen.arguments;
    same.then_some(())
        .ok_or("its parameters are not those of the default")
}

/// Whether values are for the sizes alone that they were measured with: what the kernel assumes or asserts depends on
/// them, and may not hold for others.
#[must_use]
pub fn is_exact(usual: &Kernel, chosen: &Kernel) -> bool {
    let promises = |kernel: &Kernel| {
        let text = kernel.to_string();
        let lines = text.lines().map(str::trim_start);
        let promises =
            lines.filter(|line| line.starts_with("assume(") || line.starts_with("assert("));
        promises.map(str::to_owned).collect::<Vec<_>>()
    };
    promises(usual) != promises(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::record::tests::winner;

    /// `<T = f16, BM>` with `tune BM in [128, 64]`.
    fn choices(bound: &Values) -> Option<Choices> {
        let of = |name: &str, default: &str| {
            let bound = bound.get(name);
            (
                name.to_owned(),
                bound.map_or(default, String::as_str).to_owned(),
            )
        };
        let list = ["128", "64"].map(str::to_owned).to_vec();
        Some(Choices {
            generics: Values::from([of("T", "f16"), of("BM", "128")]),
            tunes: vec![("BM".to_owned(), list)],
        })
    }

    fn record(winners: impl IntoIterator<Item = Winner>) -> Record {
        let mut record = Record::default();
        winners.into_iter().for_each(|winner| record.add(winner));
        record
    }

    /// The sizes of those that suit, and what is said of others.
    fn found(record: &Record, given: &[(&str, &str)]) -> (Vec<i64>, Vec<String>) {
        let given = given.iter();
        let given: Values = given
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut said = Vec::new();
        let stale = |_: &Winner, reason| said.push(reason);
        let found = suitable(record, "matmul", "sm_90a", &given, choices, stale);
        let sizes = found.iter().map(|winner| winner.sizes["m"]).collect();
        (sizes, said)
    }

    #[test]
    fn winners_are_for_the_same_generics() {
        let other = |m, change: fn(&mut Winner)| {
            let mut winner = winner(m, 64);
            change(&mut winner);
            winner
        };
        let record = record([
            winner(512, 64),
            other(1, |winner| winner.target = "sm_80".to_owned()),
            other(2, |winner| winner.kernel = "other".to_owned()),
            other(3, |winner| {
                winner.generics.insert("T".to_owned(), "bf16".to_owned());
            }),
        ]);
        assert_eq!(found(&record, &[]), (vec![512], vec![]));
        assert_eq!(found(&record, &[("T", "bf16")]), (vec![3], vec![]));
        // What is given wins: a winner of another value is not for it.
        assert_eq!(found(&record, &[("BM", "64")]), (vec![512], vec![]));
        assert_eq!(found(&record, &[("BM", "128")]), (vec![], vec![]));
    }

    #[test]
    fn what_is_stale_says_why_and_is_not_used() {
        let unlisted = record([winner(512, 32)]);
        let reason = "`BM = 32` is not in a `tune` list any more".to_owned();
        assert_eq!(found(&unlisted, &[]), (vec![], vec![reason]));
        let mut gone = winner(512, 64);
        gone.values.insert("BK".to_owned(), "8".to_owned());
        let reason = "the kernel has no generic `BK` any more".to_owned();
        assert_eq!(found(&record([gone]), &[]), (vec![], vec![reason]));
        let mut new = winner(512, 64);
        new.generics.clear();
        let reason = "the kernel has the generic `T` now".to_owned();
        assert_eq!(found(&record([new]), &[]), (vec![], vec![reason]));
    }

    #[test]
    fn the_nearest_is_of_the_same_device_if_there_is_one() {
        let (small, large) = (winner(100, 64), winner(10_000, 128));
        let elsewhere = Winner {
            device: "NVIDIA H100".to_owned(),
            ..winner(1000, 64)
        };
        let all = [&small, &large, &elsewhere];
        let near = |m: i64, device| {
            let sizes = BTreeMap::from([("m".to_owned(), m)]);
            nearest(&all, &sizes, device).map(|winner| winner.sizes["m"])
        };
        assert_eq!(near(900, None), Some(1000));
        assert_eq!(near(900, Some("NVIDIA H200")), Some(100));
        assert_eq!(near(1100, Some("NVIDIA H200")), Some(10_000));
        assert_eq!(near(1, Some("NVIDIA B200")), Some(100));
        let other = BTreeMap::from([("n".to_owned(), 1)]);
        assert_eq!(nearest(&all, &other, None), None);
    }
}
