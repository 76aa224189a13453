//! `tile-run`: runs compiled kernels from the command line. Needs neither the compiler nor the CUDA
//! toolkit: on a GPU NVIDIA's driver, and without one it simulates.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::Parser;
use indicatif::ProgressBar;
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::input;
use tile_runtime::problem::Problem;
use tile_runtime::report::Report;
use tile_runtime::run::{ProfileFormat, RunOptions, SimulatorOptions, run};
use tile_runtime::sources::Sources;

/// The largest PTX that is read.
const LARGEST_PTX: u64 = 256 << 20;

const EXAMPLES: &str = "\
Values:
  n=1000  alpha=0.5  flag=true           a number
  x=@weights.npy                         a NumPy file of the parameter's element type
  x=[0,37,74]                            a list: a tensor of one dimension
  x=zeros(512,512)  x=ones(64)           constants
  x=full(512,512, 1.5)                   the last item is the value
  x=arange(1000)  x=arange(5, 2; 1000)   0, 1, 2, …; or from 5 in steps of 2
  x=randn(512,512)                       normal: mean 0, deviation 1
  x=rand(512)  x=rand(-1, 1; 512)        uniform in [0, 1), or in [-1, 1)
  x=randint(0, 10; 512)                  integers 0 to 9
  x=randn(64,512).T                      transposed: strides 1 and 512

The simulator runs PTX on the CPU, exactly as a GPU would and some thousand times slower. It stops
at what a GPU hides: accesses out of bounds, races, missing waits, memory that was never written.

Examples:
  Add two vectors and look at the result's digest:
    tile-run add.ptx 'x=randn(1000)' 'y=randn(1000)' 'z=zeros(1000)' n=1000

  Multiply matrices from NumPy, save the product, and time it:
    tile-run matmul.ptx a=@a.npy b=@b.npy 'c=zeros(4096,4096)' --save c=c.npy --time 100

  Compare with a result from elsewhere; if it is wrong, see which line stored it:
    tile-run matmul.ptx a=@a.npy b=@b.npy 'c=zeros(64,64)' --expect c=c.npy --tolerance 1e-3

  See what each line of the kernel costs:
    tile-run add.ptx 'x=randn(1000)' 'y=randn(1000)' 'z=zeros(1000)' --device sim --profile
    tile-run add.ptx … --device sim --profile=json | jq .total.loads

Exit codes: 0 done, 1 the program is wrong or failed, 2 the call is wrong.";

/// Run a kernel that tilec compiled
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Options {
    /// The compiled file
    file: PathBuf,

    #[command(flatten)]
    run: RunOptions,

    /// Where to run: `auto` (the first GPU, or the simulator where there is none), `cuda:N` or
    /// `sim`
    #[arg(long, default_value = "auto")]
    device: String,

    #[command(flatten)]
    simulator: SimulatorOptions,
}

fn main() -> ExitCode {
    let options = Options::parse();
    tile_runtime::unfinished::remove_on_signals();
    let name = options.file.display();
    let ptx = match input::read_text(&options.file, LARGEST_PTX) {
        Ok(ptx) => ptx,
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            return fail(1, format_args!("{name}: no PTX: {error}"));
        }
        Err(error) => return fail(2, format_args!("{name}: {error}")),
    };
    if let Err(error) = options.run.check_outputs([options.file.as_path()]) {
        return fail(2, error);
    }
    // Hidden by itself when the output is no terminal.
    let bar = ProgressBar::no_length().with_message("timing");
    let mut progress = |done: u32, of: u32| {
        bar.set_length(of.into());
        bar.set_position(done.into());
    };
    let open = || options.simulator.open(&options.device);
    let result = run(&ptx, &options.run, open, &mut progress);
    bar.finish_and_clear();
    let sources = Sources::beside(&options.file, &ptx);
    match result {
        Ok(report) => tell(&report, options.simulator.profile, &sources),
        Err(Error::Device(DeviceError::Finding(finding))) => {
            say(&Problem::of_finding(&finding, &sources).render(true));
            ExitCode::from(1)
        }
        Err(error) => fail(if error.is_usage() { 2 } else { 1 }, error),
    }
}

/// Prints what came out; what is not as expected is an error.
fn tell(report: &Report, profile: Option<ProfileFormat>, sources: &Sources<'_>) -> ExitCode {
    let printed = match (&report.profile, profile) {
        (Some(profile), Some(ProfileFormat::Json)) => {
            say(format!("{report:#}").trim_end());
            // Strings and numbers always serialise.
            let json = serde_json::to_string(profile).unwrap_or_default();
            writeln!(anstream::stdout(), "{json}")
        }
        (Some(profile), _) => {
            let table = profile.table(sources, true);
            write!(anstream::stdout(), "{report:#}\n{table}")
        }
        (None, _) => write!(anstream::stdout(), "{report:#}"),
    };
    let mut good = match printed.and_then(|()| std::io::stdout().flush()) {
        Ok(()) => true,
        // Whoever read the output has gone: nobody is left to tell.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => false,
        Err(error) => return fail(1, format_args!("the report cannot be written: {error}")),
    };
    for problem in Problem::of_report(report, sources) {
        say(&problem.render(true));
        good = false;
    }
    ExitCode::from(u8::from(!good))
}

/// Says what is wrong and gives the exit code.
fn fail(code: u8, problem: impl Display) -> ExitCode {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    say(&format!("{style}error{style:#}: {problem}"));
    ExitCode::from(code)
}

/// A line on stderr. One that is closed changes nothing about the exit code.
fn say(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}
