//! Runs the conformance suite, or writes what a GPU is compared with.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use tile_tests::conformance::emit;
use tile_tests::conformance::runner::{self, Library};
use tile_tests::conformance::unit::{Depth, Unit};
use tile_tests::parallel::in_parallel;
use tile_tests::{Program, root};
use tilec::target::Target;

/// Runs the conformance suite: every case compiled, simulated with all checks on, and compared with
/// the interpreter and its formula
#[derive(Parser)]
#[command(after_help = "Exit codes: 0 all is right, 1 something is wrong, 2 the call is wrong.")]
struct Options {
    /// The folder of `.tile` files [default: tests/conformance]
    folder: Option<PathBuf>,

    /// Only files that start like this
    #[arg(long, default_value = "", value_name = "START")]
    only: String,

    /// Only kernels named like this
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,

    /// Write NAME.ptx, NAME.run and NAME.PARAMETER.npy into a folder and run nothing
    #[arg(long, value_name = "DIR")]
    emit: Option<PathBuf>,

    /// With `--emit`: compile for this GPU [default: what a file says, or sm_90a]
    #[arg(long, value_name = "NAME", value_parser = target)]
    target: Option<&'static Target>,

    /// Stop at the typed program: fast, and finds what is refused wrongly
    #[arg(long)]
    front_end: bool,

    /// Only one of so many units, and at least one of each kernel
    #[arg(long, value_name = "N")]
    sample: Option<u64>,

    /// How many threads work
    #[arg(long, short, default_value_t = 2)]
    jobs: usize,

    /// How many wrong cases are shown
    #[arg(long, default_value_t = 50)]
    shown: usize,
}

fn target(name: &str) -> Result<&'static Target, String> {
    Target::named(name).ok_or_else(|| format!("there is no target `{name}`"))
}

fn main() -> ExitCode {
    let options = Options::parse();
    let folder = options.folder.clone();
    let folder = folder.unwrap_or_else(|| root().join("tests/conformance"));
    let library = match Library::read(&folder, &options.only) {
        Ok(library) => library,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let mut units = match options.sample {
        Some(every) => library.sample(every.max(1), usize::MAX),
        None => library.units(),
    };
    if let Some(kernel) = &options.kernel {
        units.retain(|(unit, _)| unit.kernel() == kernel);
    }
    if units.is_empty() {
        eprintln!("error: there are no cases");
        return ExitCode::from(2);
    }
    match &options.emit {
        Some(into) => {
            let created = std::fs::create_dir_all(into).map_err(|error| error.to_string());
            match created.and_then(|()| emit::clear(into, &folder)) {
                Ok(()) => write(&units, into, &options),
                Err(problem) => {
                    eprintln!("error: {}: {problem}", into.display());
                    ExitCode::from(2)
                }
            }
        }
        None => run(&units, &options),
    }
}

fn bar(length: usize, what: &str) -> ProgressBar {
    // The template is a constant that is right.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    ProgressBar::new(length as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_message(what.to_owned())
}

fn run(units: &[(Unit<'_>, &Program)], options: &Options) -> ExitCode {
    let count: usize = units.iter().map(|(unit, _)| unit.cases.len()).sum();
    let bar = bar(count, "cases");
    let depth = if options.front_end {
        Depth::FrontEnd
    } else {
        Depth::Results
    };
    let shown = AtomicUsize::new(0);
    let outcomes = runner::run(units, depth, options.jobs, |outcomes| {
        bar.inc(outcomes.len() as u64);
        for problem in outcomes.iter().filter_map(runner::told) {
            if shown.fetch_add(1, Ordering::Relaxed) < options.shown {
                bar.suspend(|| eprintln!("{problem}"));
            }
        }
    });
    bar.finish_and_clear();
    let mut output = std::io::stdout().lock();
    let mut wrong = 0;
    for (group, count) in runner::by_group(&outcomes) {
        wrong += count.wrong;
        let right = count.cases - count.wrong;
        // If nobody reads any more, there is nobody to tell.
        let _ = writeln!(output, "{right:>6} of {:>6}  {group}", count.cases);
    }
    let right = outcomes.len() - wrong;
    let kernels = units.len();
    let _ = writeln!(
        output,
        "{right:>6} of {:>6}  in all, {kernels} compiled kernels",
        outcomes.len()
    );
    ExitCode::from(u8::from(wrong > 0))
}

/// Writes the files of all units.
fn write(units: &[(Unit<'_>, &Program)], folder: &Path, options: &Options) -> ExitCode {
    let bar = bar(units.len(), "kernels");
    let written = in_parallel(
        options.jobs,
        units.iter().enumerate(),
        |(number, (unit, program))| {
            let target = options.target.unwrap_or(unit.suite.target);
            let written = emit::emit(unit, program, number, target, folder);
            bar.inc(1);
            written
        },
    );
    bar.finish_and_clear();
    let mut calls = 0;
    let mut is_whole = true;
    for written in written {
        match written {
            Ok(count) => calls += count,
            Err(problem) => {
                eprintln!("{problem}");
                is_whole = false;
            }
        }
    }
    println!("{calls} calls in {}", folder.display());
    ExitCode::from(u8::from(!is_whole))
}
