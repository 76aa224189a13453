//! `tile-bench`: checks and times compiled kernels on a GPU. Needs NVIDIA's driver, and neither the
//! compiler nor the CUDA toolkit.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tile_benches::check::CheckRow;
use tile_benches::kernels;
use tile_benches::occupancy::{self, Row};
use tile_benches::products;
use tile_benches::session::Settings;
use tile_benches::speed::SpeedRow;
use tile_benches::table::Table;
use tile_benches::worker::{self, Event, Mode};

const NOTES: &str = "\
DIR holds PTX files that tilec compiled: all whose kernels are named add…, softmax… or matmul… are
run, so variants can be compared by putting them side by side.

Exit codes: 0 all is right, 1 a result is wrong or a kernel failed, 2 nothing could be run.";

/// Check the results of compiled kernels, then time them
#[derive(Parser)]
#[command(
    version,
    after_help = NOTES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    both: Options,
}

#[derive(Subcommand)]
enum Command {
    /// Only check results against float64 on the CPU
    Check(Options),
    /// Only time, beside a device-to-device copy of as many bytes
    Speed(Options),
    /// Compare with what the interpreter says: DIR is what tests/gpu.sh makes
    Compare {
        #[command(flatten)]
        options: Options,

        /// How many processes work at once [default: as many as there are cores, up to 8]
        #[arg(short, long, value_name = "N")]
        jobs: Option<usize>,
    },
    /// Compare the occupancy that `tilec explain` computes with the driver's, for all kernels of DIR
    Occupancy {
        /// Where the PTX files are
        #[arg(value_name = "DIR")]
        directory: PathBuf,

        /// Print every comparison, not only what differs
        #[arg(long)]
        all: bool,
    },
    /// Matrix products beside cuBLASLt, in one process; DIR is what benches/matmul.sh makes
    Matmul(products::Options),
    /// Measure files and print each result as a line of JSON
    #[command(hide = true)]
    Worker {
        mode: Mode,
        settings: String,
        files: Vec<PathBuf>,
    },
}

#[derive(Args)]
struct Options {
    /// Where the PTX files are
    // Optional only because a command in front of it takes one of its own.
    #[arg(value_name = "DIR", required = true)]
    directory: Option<PathBuf>,

    /// Only files whose names start like this; may be repeated
    #[arg(long, value_name = "START")]
    only: Vec<String>,

    #[command(flatten)]
    settings: Settings,

    /// Give up on a file when one of its shapes takes longer than this
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    timeout: u64,

    /// Run everything in one process, for tools that watch it; a kernel that faults ends it
    #[arg(long)]
    in_process: bool,

    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Today's date, for the JSON file
    #[arg(long, requires = "json", value_name = "DATE")]
    date: Option<String>,
}

/// All results, as they are written to the JSON file.
#[derive(Default, Serialize)]
struct Results {
    device: String,
    architecture: String,
    driver: String,
    date: Option<String>,
    check: Vec<CheckRow>,
    speed: Vec<SpeedRow>,
    broken: Vec<String>,
    #[serde(skip)]
    no_device: Option<String>,
}

impl Results {
    fn failures(&self) -> usize {
        let wrong = self.check.iter().filter(|row| row.problem.is_some());
        let slow = self.speed.iter().filter(|row| row.problem.is_some());
        wrong.count() + slow.count() + self.broken.len()
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Some(Command::Worker {
            mode,
            settings,
            files,
        }) => match serde_json::from_str(&settings) {
            Ok(settings) => {
                worker::work(mode, &settings, &files, &mut |event| worker::print(&event));
                ExitCode::SUCCESS
            }
            Err(error) => fail(&format!("the settings are no settings: {error}")),
        },
        Some(Command::Check(options)) => run(&options, &[Mode::Check]),
        Some(Command::Speed(options)) => run(&options, &[Mode::Speed]),
        Some(Command::Compare { options, jobs }) => compare(&options, jobs),
        Some(Command::Occupancy { directory, all }) => compare_occupancy(&directory, all),
        Some(Command::Matmul(options)) => match products::run(&options) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(problem) => fail(&problem),
        },
        None => run(&cli.both, &[Mode::Check, Mode::Speed]),
    }
}

fn run(options: &Options, modes: &[Mode]) -> ExitCode {
    let directory = options.directory.as_deref().unwrap_or(Path::new("."));
    let files = match kernels::files(directory, "ptx", &options.only) {
        Ok(files) if files.is_empty() => {
            let directory = directory.display();
            return fail(&format!("{directory} has no such PTX files"));
        }
        Ok(files) => files,
        Err(problem) => return fail(&problem),
    };
    let mut results = Results {
        date: options.date.clone(),
        ..Results::default()
    };
    for &mode in modes {
        if let Err(error) = measure(mode, options, &files, &mut results) {
            return fail(&format!("the results cannot be printed: {error}"));
        }
        if let Some(message) = &results.no_device {
            return fail(message);
        }
    }
    if let Some(path) = &options.json
        && let Err(problem) = write_json(path, &results)
    {
        return fail(&format!("{}: {problem}", path.display()));
    }
    let (checked, timed) = (results.check.len(), results.speed.len());
    let failures = results.failures();
    println!("\n{checked} checked, {timed} timed, {failures} failed");
    match (failures, checked + timed) {
        (0, 0) => fail("none of the kernels is known here"),
        (0, _) => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    }
}

/// Compares occupancies with the driver's.
fn compare_occupancy(directory: &Path, all: bool) -> ExitCode {
    let files = match kernels::files(directory, "ptx", &[]) {
        Ok(files) if files.is_empty() => {
            return fail(&format!("{} has no PTX files", directory.display()));
        }
        Ok(files) => files,
        Err(problem) => return fail(&problem),
    };
    let (device, rows, problems) = match occupancy::compare(&files) {
        Ok(compared) => compared,
        Err(problem) => return fail(&problem),
    };
    println!("{device}");
    let differs = |row: &&Row| row.computed != row.driver;
    let different = rows.iter().filter(differs).count();
    let shown: Vec<&Row> = rows.iter().filter(|row| all || differs(row)).collect();
    let width = shown.iter().map(|row| row.label.chars().count()).max();
    if let Some(width) = width {
        let table = Row::table(width);
        let mut output = std::io::stdout().lock();
        let mut written = table.header(&mut output);
        for row in &shown {
            written = written.and_then(|()| table.row(&mut output, &row.cells()));
        }
        if let Err(error) = written {
            return fail(&format!("the results cannot be printed: {error}"));
        }
    }
    for problem in &problems {
        println!("FAIL {problem}");
    }
    let entries: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row.label.as_str()).collect();
    println!(
        "{} comparisons of {} entry points, {different} differ",
        rows.len(),
        entries.len()
    );
    ExitCode::from(u8::from(different > 0 || !problems.is_empty()))
}

/// The most processes that compare where nobody says how many: each has a context on the GPU, which takes memory.
const MOST_JOBS: usize = 8;

fn bar_style() -> ProgressStyle {
    let template = "comparing calls {bar:30} {pos}/{len} {elapsed} left {eta}";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Compares calls with the interpreter; only what is wrong is printed.
fn compare(options: &Options, jobs: Option<usize>) -> ExitCode {
    let directory = options.directory.as_deref().unwrap_or(Path::new("."));
    let files = match kernels::files(directory, "run", &options.only) {
        Ok(files) if files.is_empty() => {
            return fail(&format!("{} has no such calls", directory.display()));
        }
        Ok(files) => files,
        Err(problem) => return fail(&problem),
    };
    let (mut compared, mut wrong, mut opened) = (0_usize, 0_usize, false);
    let mut no_device = None;
    let bar = ProgressBar::new(files.len() as u64).with_style(bar_style());
    let mut agreement = [(0_u64, 0_u64, 0_u64); 2];
    let mut tell = |event| match event {
        Event::Device {
            name,
            architecture,
            driver,
        } => {
            if !std::mem::replace(&mut opened, true) {
                bar.suspend(|| println!("{name}, {architecture}, {driver}"));
            }
        }
        Event::NoDevice { message } => no_device = Some(message),
        Event::Begin => bar.inc(1),
        Event::Compare(row) => {
            compared += 1;
            if let Some(both) = &row.agreement {
                let of = &mut agreement[usize::from(!both.exact)];
                of.0 += 1;
                of.1 += both.elements;
                of.2 += both.different;
            }
            if let Some(problem) = row.problem {
                wrong += 1;
                let placement = if row.aligned { "" } else { ", shifted" };
                bar.suspend(|| {
                    println!("FAIL {} ({}{placement})", row.label, row.variant);
                    for line in problem.lines() {
                        println!("     {line}");
                    }
                });
            }
        }
        Event::Broken { label, message } => {
            wrong += 1;
            bar.suspend(|| println!("FAIL {label}: {message}"));
        }
        Event::Skipped { .. } | Event::Check(_) | Event::Speed(_) => {}
    };
    if options.in_process {
        worker::work(Mode::Compare, &options.settings, &files, &mut tell);
    } else {
        let silence = Duration::from_secs(options.timeout);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.unwrap_or(cores.min(MOST_JOBS));
        let settings = &options.settings;
        worker::supervise_several(Mode::Compare, settings, &files, silence, jobs, &mut tell);
    }
    bar.finish_and_clear();
    match no_device {
        Some(message) if !opened => return fail(&message),
        Some(message) => {
            wrong += 1;
            println!("FAIL: the device is gone: {message}");
        }
        None => {}
    }
    for ((runs, elements, different), what) in agreement.into_iter().zip([
        "of exact instructions alone",
        "with approximations, tensor cores or atomics",
    ]) {
        if runs > 0 {
            println!(
                "beside the simulator: {runs} runs {what}: {elements} elements, {different} of \
                 other bits"
            );
        }
    }
    println!("{} calls, {compared} runs, {wrong} failed", files.len());
    ExitCode::from(u8::from(wrong > 0))
}

/// Runs one measurement over the files and prints its table as the results come.
fn measure(
    mode: Mode,
    options: &Options,
    files: &[PathBuf],
    results: &mut Results,
) -> std::io::Result<()> {
    let labels = files
        .iter()
        .map(|path| kernels::label(path).chars().count());
    let width = labels.max().unwrap_or(0);
    let table = match mode {
        Mode::Check => CheckRow::table(width),
        Mode::Speed | Mode::Compare => SpeedRow::table(width),
    };
    let mut written = Ok(());
    let mut header = false;
    let mut tell = |event| {
        if written.is_ok() {
            written = show(event, &table, &mut header, results);
        }
    };
    if options.in_process {
        worker::work(mode, &options.settings, files, &mut tell);
    } else {
        let silence = Duration::from_secs(options.timeout);
        worker::supervise(mode, &options.settings, files, silence, &mut tell);
    }
    written
}

fn show(
    event: Event,
    table: &Table,
    header: &mut bool,
    results: &mut Results,
) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    match event {
        Event::Device {
            name,
            architecture,
            driver,
        } => {
            if !std::mem::replace(header, true) {
                writeln!(output, "\n{name}, {architecture}, {driver}\n")?;
                table.header(&mut output)?;
            }
            (results.device, results.architecture, results.driver) = (name, architecture, driver);
        }
        Event::NoDevice { message } if results.device.is_empty() => {
            results.no_device = Some(message);
        }
        Event::NoDevice { message } => {
            writeln!(output, "FAIL: the device is gone: {message}")?;
            results.broken.push(message);
        }
        Event::Begin => {}
        Event::Skipped { message } => writeln!(output, "(left out: {message})")?,
        Event::Broken { label, message } => {
            writeln!(output, "{label}  FAIL: {message}")?;
            results.broken.push(format!("{label}: {message}"));
        }
        Event::Check(row) => {
            table.row(&mut output, &row.cells())?;
            explain(&mut output, row.problem.as_deref())?;
            results.check.push(row);
        }
        Event::Speed(row) => {
            table.row(&mut output, &row.cells())?;
            explain(&mut output, row.problem.as_deref())?;
            results.speed.push(row);
        }
        // Not measured: see `compare`.
        Event::Compare(_) => {}
    }
    Ok(())
}

fn explain(output: &mut dyn Write, problem: Option<&str>) -> std::io::Result<()> {
    for line in problem.unwrap_or_default().lines() {
        writeln!(output, "    {line}")?;
    }
    output.flush()
}

fn write_json(path: &Path, results: &Results) -> Result<(), String> {
    let text = serde_json::to_string_pretty(results).map_err(|error| error.to_string())?;
    std::fs::write(path, text + "\n").map_err(|error| error.to_string())
}

/// Says why nothing could be run.
fn fail(problem: &str) -> ExitCode {
    eprintln!("error: {problem}");
    ExitCode::from(2)
}
