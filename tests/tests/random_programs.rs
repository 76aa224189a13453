//! Random programs compute in the simulator, with all checks on, what the interpreter says.

use tile_tests::parallel::in_parallel;
use tile_tests::random::run::{Options, run};
use tile_tests::random::{Limits, files, program};

/// Seeds that are tried. `random-programs` tries others.
const SEEDS: u64 = 80;

/// How many are tried at once.
const THREADS: usize = 2;

#[test]
fn random_programs_compute_what_the_interpreter_says() {
    let told = |seed| {
        let program = program(seed, Limits::default());
        let finding = run(&program, Options::default()).err()?;
        Some(format!("{finding}\n{}", files::listing(&program)))
    };
    let failed: Vec<String> = in_parallel(THREADS, 0..SEEDS, told)
        .into_iter()
        .flatten()
        .collect();
    assert!(
        failed.is_empty(),
        "{} failed:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

#[test]
fn a_seed_always_gives_the_same_program() {
    for seed in 0..50 {
        let text = || program(seed, Limits::default()).text();
        assert_eq!(text(), text());
    }
}
