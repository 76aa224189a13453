//! Random programs, products, packed products, loops, kernels over rows and through pointers compute in the simulator, with all checks on, what the interpreter says.

use tile_tests::parallel::in_parallel;
use tile_tests::random::loops::looped;
use tile_tests::random::packed::packed;
use tile_tests::random::pointers::pointers;
use tile_tests::random::products::product;
use tile_tests::random::rows::rows;
use tile_tests::random::run::{Options, Subject, run};
use tile_tests::random::{Limits, files, program};

/// Programs that are tried. `random-programs` tries others.
const PROGRAMS: u64 = 80;

/// Products that are tried. `random-programs --products` tries others.
const PRODUCTS: u64 = 60;

/// Products with packed operands that are tried. `random-programs --packed` tries others.
const PACKED: u64 = 60;

/// Loops of several products that are tried. `random-programs --loops` tries others.
const LOOPS: u64 = 200;

/// Kernels over rows that are tried. `random-programs --rows` tries others.
const ROWS: u64 = 120;

/// Kernels through pointers that are tried. `random-programs --pointers` tries others.
const POINTERS: u64 = 150;

/// How many are tried at once.
const THREADS: usize = 2;

/// # Panics
/// If one of them does not compute what it should.
fn try_all(seeds: u64, subject: impl Fn(u64) -> Box<dyn Subject> + Sync) {
    let told = |seed| {
        let subject = subject(seed);
        let finding = run(&*subject, Options::default()).err()?;
        Some(format!("{finding}\n{}", files::listing(&*subject)))
    };
    let failed: Vec<String> = in_parallel(THREADS, 0..seeds, told)
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
fn random_programs_compute_what_the_interpreter_says() {
    try_all(PROGRAMS, |seed| Box::new(program(seed, Limits::default())));
}

#[test]
fn random_products_compute_what_the_interpreter_says() {
    try_all(PRODUCTS, |seed| Box::new(product(seed)));
}

#[test]
fn random_packed_products_compute_what_the_interpreter_says() {
    try_all(PACKED, |seed| Box::new(packed(seed)));
}

#[test]
fn random_loops_compute_what_the_interpreter_says() {
    try_all(LOOPS, |seed| Box::new(looped(seed)));
}

#[test]
fn random_rows_compute_what_the_interpreter_says() {
    try_all(ROWS, |seed| Box::new(rows(seed)));
}

#[test]
fn random_pointers_compute_what_the_interpreter_says() {
    try_all(POINTERS, |seed| Box::new(pointers(seed)));
}

#[test]
fn a_seed_always_gives_the_same_program() {
    for seed in 0..50 {
        let text = || program(seed, Limits::default()).text();
        assert_eq!(text(), text());
    }
}
