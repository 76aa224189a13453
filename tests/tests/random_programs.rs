//! Random programs compute in the simulator, with all checks on, what the interpreter says.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tile_tests::random::run::{Options, run};
use tile_tests::random::{Limits, files, program};

/// Seeds that are tried. `random-programs` tries others.
const SEEDS: u64 = 80;

/// How many are tried at once.
const THREADS: usize = 2;

#[test]
fn random_programs_compute_what_the_interpreter_says() {
    let next = AtomicU64::new(0);
    let failed = Mutex::new(Vec::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= SEEDS {
                break;
            }
            let program = program(seed, Limits::default());
            if let Err(finding) = run(&program, Options::default()) {
                let text = format!("{finding}\n{}", files::listing(&program));
                failed.lock().expect("no panic holds it").push(text);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().expect("no panic held it");
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
