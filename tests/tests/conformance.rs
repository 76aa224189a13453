//! The conformance suite, `tests/conformance/*.tile`: a part of it that is the same every time; all of
//! it with `TILE_CONFORMANCE=all`, or by `tests/conformance.sh`. What a header may say is in
//! [`tile_tests::conformance`].

use tile_tests::conformance::runner::{self, Library};
use tile_tests::conformance::unit::Depth;
use tile_tests::root;

/// One of so many units is run, and one of each kernel.
const EVERY: u64 = 12;

/// So many cases of a unit are run.
const CASES: usize = 3;

/// How many units are tried at once.
const THREADS: usize = 2;

fn library() -> Library {
    Library::read(&root().join("tests/conformance"), "").expect("headers are well formed")
}

fn assert_right(outcomes: &[runner::Outcome<'_>]) {
    let wrong: Vec<String> = outcomes.iter().filter_map(runner::told).collect();
    let count = outcomes.len();
    assert!(
        wrong.is_empty(),
        "{} of {count} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_suite_is_as_large_as_it_says() {
    let library = library();
    let units = library.units();
    let cases: usize = units.iter().map(|(unit, _)| unit.cases.len()).sum();
    assert!(cases >= 3000, "only {cases} cases were found");
    let groups: std::collections::BTreeSet<&str> = units
        .iter()
        .flat_map(|(unit, _)| unit.cases.iter().map(|case| case.group.as_str()))
        .collect();
    assert!(
        groups.len() >= 20,
        "only these groups were found: {groups:?}"
    );
}

#[test]
fn the_front_end_takes_what_is_right_and_refuses_what_is_wrong() {
    let library = library();
    let outcomes = runner::run(&library.units(), Depth::FrontEnd, THREADS, |_| {});
    assert_right(&outcomes);
}

#[test]
fn programs_compute_what_they_must() {
    let library = library();
    let all = std::env::var("TILE_CONFORMANCE").is_ok_and(|depth| depth == "all");
    let units = if all {
        library.units()
    } else {
        library.sample(EVERY, CASES)
    };
    let outcomes = runner::run(&units, Depth::Results, THREADS, |_| {});
    assert_right(&outcomes);
}
