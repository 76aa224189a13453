//! `random-programs`: compiles random programs and compares the simulator with the interpreter.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use tile_tests::parallel::in_parallel;
use tile_tests::random::loops::looped;
use tile_tests::random::packed::packed;
use tile_tests::random::pointers::pointers;
use tile_tests::random::products::product;
use tile_tests::random::rows::rows;
use tile_tests::random::run::{Failure, Finding, OnGpu, Options, Subject, Variants, expect, run};
use tile_tests::random::search::{Search, progress, seeds, work};
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

    /// Save programs that fail here
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    /// Make them smaller before, which takes minutes for each
    #[arg(long, requires = "keep")]
    smaller: bool,

    /// Seconds that a program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,

    /// Seeds that a process tries before it makes room for the next
    #[arg(long, value_name = "N", default_value_t = 200)]
    chunk: u64,

    /// Run them on this GPU, which must be one of sm_90a, instead of the simulator
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["check", "shrink", "smaller"])]
    gpu: Option<u32>,

    /// Only ask the front end whether it takes the programs
    #[arg(long)]
    check: bool,

    /// How the results are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Products in tiles that run on tensor cores, instead of programs of everything
    #[arg(long, conflicts_with_all = ["shrink", "smaller"])]
    products: bool,

    /// Loops of several products, which are scheduled, instead of programs of everything
    #[arg(long, conflicts_with_all = ["shrink", "smaller", "products"])]
    loops: bool,

    /// Products with an operand that the loop unpacks, instead of programs of everything
    #[arg(long, conflicts_with_all = ["shrink", "smaller", "products", "loops"])]
    packed: bool,

    /// Rows of one tile and in blocks, and programs that go over rows, instead of programs of everything
    #[arg(long, conflicts_with_all = ["shrink", "smaller", "products", "loops", "packed"])]
    rows: bool,

    /// Kernels through pointers whose rows wrap around or come from lists, instead of programs of everything
    #[arg(long, conflicts_with_all = ["shrink", "smaller", "products", "loops", "packed", "rows"])]
    pointers: bool,

    /// Try the seeds in this process, one after the other, and print a line of JSON before and after
    /// each: what the processes do that are started for them
    #[arg(long)]
    worker: bool,

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

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One line of JSON
    Json,
}

impl Arguments {
    /// What a seed stands for.
    fn subject(&self, seed: u64, limits: Limits) -> Box<dyn Subject> {
        let subject: Box<dyn Subject> = if self.products {
            Box::new(product(seed))
        } else if self.packed {
            Box::new(packed(seed))
        } else if self.loops {
            Box::new(looped(seed))
        } else if self.rows {
            Box::new(rows(seed))
        } else if self.pointers {
            Box::new(pointers(seed))
        } else {
            Box::new(program(seed, limits))
        };
        match self.gpu {
            Some(_) => Box::new(OnGpu(subject)),
            None => subject,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut limits = Limits::default();
    limits.elements = arguments.elements.unwrap_or(limits.elements);
    if let Some(seed) = arguments.show {
        print!("{}", files::listing(&*arguments.subject(seed, limits)));
        return ExitCode::SUCCESS;
    }
    if !arguments.panics {
        // A panic is a finding, told with the others.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let options = Options {
        assemble: arguments.assemble,
        check: arguments.check,
        gpu: arguments.gpu,
    };
    if let Some(seed) = arguments.shrink {
        return shrink_one(seed, limits, options);
    }
    if let Some(folder) = &arguments.emit {
        return emit(&arguments, limits, folder);
    }
    if arguments.worker {
        let run = |seed| run(&*arguments.subject(seed, limits), options);
        return match work(arguments.seeds.clone(), run) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    match search(&arguments, limits, options) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("cannot start processes: {error}");
            ExitCode::from(2)
        }
    }
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

/// The process that tries seeds as this one would.
fn worker(arguments: &Arguments, this: &Path, seeds: Range<u64>) -> Command {
    let mut command = Command::new(this);
    command.arg("--worker");
    command.arg(format!("--seeds={}..{}", seeds.start, seeds.end));
    let flags = [
        ("--assemble", arguments.assemble),
        ("--check", arguments.check),
        ("--products", arguments.products),
        ("--packed", arguments.packed),
        ("--loops", arguments.loops),
        ("--rows", arguments.rows),
        ("--pointers", arguments.pointers),
        ("--panics", arguments.panics),
    ];
    command.args(flags.iter().filter(|(_, given)| *given).map(|flag| flag.0));
    command.args(arguments.gpu.map(|number| format!("--gpu={number}")));
    command.args(arguments.elements.map(|most| format!("--elements={most}")));
    command
}

fn search(arguments: &Arguments, limits: Limits, options: Options) -> io::Result<ExitCode> {
    let start = Instant::now();
    let seeds = arguments.seeds.end.saturating_sub(arguments.seeds.start);
    let this = std::env::current_exe()?;
    let bar = progress(seeds);
    let findings = Search {
        command: &|seeds| worker(arguments, &this, seeds),
        threads: arguments.threads,
        chunk: arguments.chunk,
        limit: Duration::from_secs(arguments.limit),
    }
    .run(arguments.seeds.clone(), || bar.inc(1))?;
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    if let Some(keep) = &arguments.keep {
        for (seed, found) in &findings {
            // What ends the process, or never ends, cannot be tried again in this one.
            let again = !matches!(found.failure, Failure::Ended | Failure::OutOfTime);
            let (subject, found): (Box<dyn Subject>, _) = match arguments.smaller && again {
                true => {
                    let (program, found) = smallest(*seed, limits, found, options);
                    (Box::new(program), found)
                }
                false => (arguments.subject(*seed, limits), found.clone()),
            };
            if let Err(error) = files::source(keep, &*subject, Some(&found)) {
                eprintln!("cannot save a program: {error}");
            }
        }
    }
    match arguments.format {
        Format::Text => tell(seeds, seconds, &findings),
        Format::Json => println!("{}", summary(seeds, seconds, &findings)),
    }
    Ok(match findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn kinds(findings: &BTreeMap<u64, Finding>) -> BTreeMap<Failure, u64> {
    let mut kinds = BTreeMap::new();
    for found in findings.values() {
        *kinds.entry(found.failure).or_insert(0) += 1;
    }
    kinds
}

fn tell(seeds: u64, seconds: f64, findings: &BTreeMap<u64, Finding>) {
    for (seed, found) in findings {
        let text = found.to_string();
        let lines: Vec<_> = text.lines().take(4).collect();
        println!("seed {seed}: {}", lines.join("\n    "));
    }
    println!(
        "{seeds} programs in {seconds:.1} s, {:.1} per second; {} failed",
        seeds as f64 / seconds,
        findings.len()
    );
    for (kind, count) in kinds(findings) {
        println!("{count:>6}  {kind}");
    }
}

fn summary(seeds: u64, seconds: f64, findings: &BTreeMap<u64, Finding>) -> serde_json::Value {
    let kinds: BTreeMap<_, _> = kinds(findings)
        .into_iter()
        .map(|(kind, count)| (kind.to_string(), count))
        .collect();
    let findings: Vec<_> = findings
        .iter()
        .map(|(seed, found)| {
            serde_json::json!({
                "seed": seed, "kind": found.failure.to_string(), "text": found.text,
            })
        })
        .collect();
    serde_json::json!({
        "programs": seeds, "seconds": seconds, "failed": findings.len(), "kinds": kinds,
        "findings": findings,
    })
}

fn emit(arguments: &Arguments, limits: Limits, folder: &std::path::Path) -> ExitCode {
    let failed = AtomicU64::new(0);
    let bar = progress(arguments.seeds.end.saturating_sub(arguments.seeds.start));
    in_parallel(arguments.threads, arguments.seeds.clone(), |seed| {
        let subject = arguments.subject(seed, limits);
        let written = expect(&*subject, Variants::All)
            .map_err(|finding| finding.to_string())
            .and_then(|expected| {
                files::source(folder, &*subject, None)
                    .and_then(|()| files::comparison(folder, &*subject, &expected))
                    .map_err(|error| error.to_string())
            });
        if let Err(problem) = written {
            failed.fetch_add(1, Ordering::Relaxed);
            eprintln!("seed {seed}: {problem}");
        }
        bar.inc(1);
    });
    bar.finish_and_clear();
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
