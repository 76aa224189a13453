//! `random-programs`: compiles random programs and compares the simulator with the interpreter.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use tile_tests::parallel::in_parallel;
use tile_tests::random::run::{Finding, Options, expect, run};
use tile_tests::random::shrink::shrink;
use tile_tests::random::tree::Program;
use tile_tests::random::{Limits, files, program};

/// Compiles random programs, simulates them with all checks on, and compares every bit with the
/// interpreter
///
/// The seed decides the program. Exit codes: 0 nothing was found, 1 something was, 2 wrong options.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Seeds to try: FIRST..END, or one
    #[arg(long, value_parser = seeds, default_value = "0..1000")]
    seeds: Range<u64>,

    /// Threads
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,

    /// Save programs that fail here, made small
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    /// Print the program of a seed and do nothing else
    #[arg(long, value_name = "SEED")]
    show: Option<u64>,

    /// Run one seed, make what fails smaller, and print it
    #[arg(long, value_name = "SEED")]
    shrink: Option<u64>,

    /// Save programs with PTX and expected results, as `tile-bench compare` reads them
    #[arg(long, value_name = "DIR")]
    emit: Option<PathBuf>,

    /// Also assemble the PTX with `ptxas`
    #[arg(long)]
    assemble: bool,

    /// Elements of a tile, at most
    #[arg(long)]
    elements: Option<usize>,

    /// Let panics print where they happen
    #[arg(long)]
    panics: bool,
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    match text.split_once("..") {
        Some((first, end)) => Ok(number(first)?..number(end)?),
        None => number(text).map(|seed| seed..seed + 1),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut limits = Limits::default();
    limits.elements = arguments.elements.unwrap_or(limits.elements);
    if let Some(seed) = arguments.show {
        print!("{}", files::listing(&program(seed, limits)));
        return ExitCode::SUCCESS;
    }
    if !arguments.panics {
        // A panic is a finding, told with the others.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let options = Options {
        assemble: arguments.assemble,
    };
    if let Some(seed) = arguments.shrink {
        return shrink_one(seed, limits, options);
    }
    if let Some(folder) = &arguments.emit {
        return emit(&arguments, limits, folder);
    }
    search(&arguments, limits, options)
}

/// The program of a seed that fails, made as small as can be.
fn smallest(seed: u64, limits: Limits, found: &Finding, options: Options) -> (Program, Finding) {
    let mut first = (program(seed, limits), found.clone());
    // A smaller program of the same seed may fail alike.
    let mut half = limits;
    for _ in 0..3 {
        half = half.halved();
        let smaller = program(seed, half);
        if let Some(again) = run(&smaller, options)
            .err()
            .filter(|again| again.is_like(found))
        {
            first = (smaller, again);
        }
    }
    shrink(&first.0, &first.1, options, &mut |_| {})
}

fn shrink_one(seed: u64, limits: Limits, options: Options) -> ExitCode {
    let Err(found) = run(&program(seed, limits), options) else {
        println!("seed {seed} is right");
        return ExitCode::SUCCESS;
    };
    println!("seed {seed}: {found}\n");
    let (program, found) = smallest(seed, limits, &found, options);
    println!("{}\n{found}", files::listing(&program));
    ExitCode::FAILURE
}

/// Calls a function for all seeds, on several threads, and shows how far it is.
fn for_all(arguments: &Arguments, work: impl Fn(u64) + Sync) {
    let seeds = arguments.seeds.end.saturating_sub(arguments.seeds.start);
    let bar = ProgressBar::new(seeds);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {pos}/{len} programs  {per_sec}  {eta} left  {msg}")
    {
        bar.set_style(style);
    }
    in_parallel(arguments.threads, arguments.seeds.clone(), |seed| {
        work(seed);
        bar.inc(1);
    });
    bar.finish_and_clear();
}

fn search(arguments: &Arguments, limits: Limits, options: Options) -> ExitCode {
    let start = Instant::now();
    let findings = Mutex::new(BTreeMap::new());
    let failed = |what: &str| eprintln!("cannot save a program: {what}");
    for_all(arguments, |seed| {
        let program = program(seed, limits);
        // What crashes the process is found here afterwards.
        let running = arguments.keep.as_ref().map(|keep| keep.join("running"));
        if let Some(Err(error)) = running.as_ref().map(|to| files::source(to, &program, None)) {
            failed(&error.to_string());
        }
        if let Err(found) = run(&program, options)
            && let Ok(mut findings) = findings.lock()
        {
            findings.insert(seed, found);
        }
        if let Some(running) = running {
            // Nothing is lost if it stays.
            let _ = std::fs::remove_file(running.join(format!("{}.tile", program.name)));
        }
    });
    let findings = findings.into_inner().unwrap_or_default();
    let seconds = start.elapsed().as_secs_f64();
    for (seed, found) in &findings {
        let text = found.to_string();
        let lines: Vec<_> = text.lines().take(4).collect();
        println!("seed {seed}: {}", lines.join("\n    "));
    }
    if let Some(keep) = &arguments.keep {
        for (seed, found) in &findings {
            let (program, found) = smallest(*seed, limits, found, options);
            if let Err(error) = files::source(keep, &program, Some(&found)) {
                failed(&error.to_string());
            }
        }
    }
    let mut kinds = BTreeMap::new();
    for found in findings.values() {
        *kinds.entry(found.failure).or_insert(0) += 1;
    }
    let seeds = arguments.seeds.end.saturating_sub(arguments.seeds.start);
    println!(
        "{seeds} programs in {seconds:.1} s, {:.0} per second; {} failed",
        seeds as f64 / seconds,
        findings.len()
    );
    for (kind, count) in kinds {
        println!("{count:>6}  {kind}");
    }
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn emit(arguments: &Arguments, limits: Limits, folder: &std::path::Path) -> ExitCode {
    let failed = AtomicU64::new(0);
    for_all(arguments, |seed| {
        let program = program(seed, limits);
        let written = expect(&program)
            .map_err(|finding| finding.to_string())
            .and_then(|expected| {
                files::source(folder, &program, None)
                    .and_then(|()| files::comparison(folder, &program, &expected))
                    .map_err(|error| error.to_string())
            });
        if let Err(problem) = written {
            failed.fetch_add(1, Ordering::Relaxed);
            eprintln!("seed {seed}: {problem}");
        }
    });
    println!(
        "{} programs in {}",
        arguments.seeds.end - arguments.seeds.start,
        folder.display()
    );
    match failed.into_inner() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
