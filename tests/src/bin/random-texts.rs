//! `random-texts`: changed programs of this repository, which the front end must answer.

use std::ops::Range;
use std::panic::catch_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Parser;
use tile_tests::front_end::{corpus, examine, mutated};
use tile_tests::random::Choices;

/// Changes programs of this repository at random, and checks that the front end answers each with
/// diagnostics: no panic, no hang, no place outside the text
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// First seed
    #[arg(long, default_value_t = 0)]
    first: u64,

    /// How many
    #[arg(long, default_value_t = 10_000)]
    count: u64,

    /// Threads
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let corpus = corpus();
    let failed = AtomicU64::new(0);
    let part = arguments.count.div_ceil(arguments.threads.max(1) as u64);
    let end = arguments.first + arguments.count;
    let work = |seeds: Range<u64>| {
        let bar = indicatif::ProgressBar::new(seeds.end - seeds.start);
        for seed in bar.wrap_iter(seeds) {
            let text = mutated(&corpus, &mut Choices::new(seed));
            let answer =
                catch_unwind(|| examine(&text)).unwrap_or_else(|_| Err("a panic".to_owned()));
            if let Err(problem) = answer {
                failed.fetch_add(1, Ordering::Relaxed);
                println!("---- seed {seed}: {problem}\n{text}\n");
            }
        }
    };
    std::thread::scope(|scope| {
        let mut first = arguments.first;
        while first < end {
            let seeds = first..(first + part).min(end);
            first = seeds.end;
            scope.spawn(|| work(seeds));
        }
    });
    let failed = failed.into_inner();
    println!("{} texts, {failed} failed", arguments.count);
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
