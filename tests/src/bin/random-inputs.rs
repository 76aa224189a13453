//! `random-inputs`: changed files of every kind that is read, which must be answered.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use tile_tests::inputs::Input;
use tile_tests::random::Choices;
use tile_tests::random::run::{Failure, Finding, caught};
use tile_tests::random::search::{Search, progress, seeds, work};

/// Changes files of this repository at random and checks that their readers answer each
///
/// No panic, no hang, no end of the process, no place outside the text. The seed decides the file. Exit codes: 0 nothing
/// was found, 1 something was, 2 wrong options.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// What is read
    #[arg(long, value_enum, default_value_t = Input::Source)]
    input: Input,

    /// Seeds to try: FIRST..END, or one
    #[arg(long, value_parser = seeds, default_value = "0..10000")]
    seeds: Range<u64>,

    /// Threads
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,

    /// Seconds that a file may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    limit: u64,

    /// Save files that fail here
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,

    /// Write the unchanged files here and do nothing else: what libFuzzer begins with
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// Try the seeds in this process, one after the other, and print a line of JSON before and after each: what the
    /// processes do that are started for them
    #[arg(long)]
    worker: bool,
}

/// Seeds that a process tries.
const CHUNK: u64 = 1000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<ExitCode> {
    let input = arguments.input;
    let corpus = input.corpus();
    let changed = |seed| input.changed(&corpus, &mut Choices::new(seed));
    if let Some(folder) = &arguments.corpus {
        fs::create_dir_all(folder)?;
        for (number, file) in corpus.iter().enumerate() {
            fs::write(folder.join(format!("{number:04}")), file)?;
        }
        println!("{} files in {}", corpus.len(), folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.worker {
        // A panic is a finding, told with the others.
        std::panic::set_hook(Box::new(|_| {}));
        work(arguments.seeds.clone(), |seed| {
            let file = changed(seed);
            let answer = || input.examine(&file);
            caught(|| answer().map_err(|problem| Finding::new(Failure::Answer, problem)))
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let this = std::env::current_exe()?;
    let bar = progress(arguments.seeds.end.saturating_sub(arguments.seeds.start));
    let findings = Search {
        command: &|seeds| worker(&this, input, seeds),
        threads: arguments.threads,
        chunk: CHUNK,
        limit: Duration::from_secs(arguments.limit),
    }
    .run(arguments.seeds.clone(), || bar.inc(1))?;
    bar.finish_and_clear();
    for (seed, found) in &findings {
        println!("seed {seed}: {found}");
        if let Some(folder) = &arguments.keep {
            fs::create_dir_all(folder)?;
            fs::write(folder.join(seed.to_string()), changed(*seed))?;
        }
    }
    let files = arguments.seeds.end.saturating_sub(arguments.seeds.start);
    println!("{files} files, {} failed", findings.len());
    Ok(match findings.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// The process that tries seeds as this one would.
fn worker(this: &Path, input: Input, seeds: Range<u64>) -> Command {
    let mut command = Command::new(this);
    command.arg("--worker");
    command.arg(format!("--seeds={}..{}", seeds.start, seeds.end));
    let value = input.to_possible_value();
    command.args(value.map(|value| format!("--input={}", value.get_name())));
    command
}
