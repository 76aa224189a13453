//! `tilec tune`: compiles a kernel with all values of its `tune` clauses, finds out which are right and which are the
//! fastest, and records the winner.
//!
//! With `--format json` the result is one object: `outcome` of a configuration is `timed`, `dropped`, `right` (not
//! timed), `skipped` or `wrong`, with a `reason` for the last two; times are in microseconds, `ratio` is over the
//! time of the default.

mod told;

use std::path::PathBuf;
use std::thread;

use indicatif::ProgressBar;
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::Device;
use tile_runtime::program::PreparedLaunch;
use tile_runtime::run::{HostLaunch, RunOptions, Trials};
use tile_runtime::tensor::Tensor;

use super::console::{Console, Exit};
use super::options::{Define, DeviceChoice, TuneOptions};
use super::output::{Output, keep_inputs};
use super::program::Program;
use super::run::{Call, only_kernel, target_of};
use super::schedule;
use super::tuned::{device_name, values_of};
use crate::compile::{self, Compiled};
use crate::diagnostic::{Diagnostic, Severity};
use crate::sema;
use crate::stack::on_deep_stack;
use crate::target::{DEFAULT, TARGETS, Target};
use crate::tuning::record::{self, Record, Winner};
use crate::tuning::space::{Space, SpaceError};
use crate::tuning::{self, Bench, Fault, Outcome, Step, Stopped, Values, winners};
use crate::typed::Kernel;
use told::Told;

/// Tunes as the options say.
pub fn tune(console: &Console, options: &TuneOptions) -> Result<(), Exit> {
    let program = Program::load(console, &options.file)?;
    let wanted = RunOptions {
        arguments: options.arguments.clone(),
        kernel: options.kernel.clone(),
        tolerance: options.tolerance,
        seed: options.seed,
        ..RunOptions::default()
    };
    let given = &options.defines.define;
    let call = Call::of(console, &program, &options.file, &wanted, given)?;
    let name = only_kernel(console, &program, call.options.kernel.as_deref())?;
    let kernels = program.kernels(console, &[name], &call.defines)?;
    let usual = kernels.first().ok_or(Exit::Program)?;
    let space = space(console, &program, usual, &call.defines)?;
    let path = match &options.record {
        _ if options.no_record => None,
        Some(path) => Some(path.clone()),
        None => Some(record::path_of(&options.file)),
    };
    let record = open_record(console, options, path.as_ref())?;
    let device = open(console, options)?;
    let target = match (options.target, device.simulator()) {
        (Some(target), _) => target,
        (None, Some(_)) => Target::named(DEFAULT).unwrap_or(&TARGETS[0]),
        (None, None) => target_of(console, &device.properties().architecture)?,
    };
    let job = Job {
        console,
        program: &program,
        usual,
        space: &space,
        defines: &call.defines,
        target,
    };
    let compiled = job.compile_all()?;
    let first = compiled.first().and_then(|first| first.as_ref().ok());
    let manifest = &first.ok_or(Exit::Program)?.manifest;
    let host = call.options.prepare(manifest);
    let host = host.map_err(|error| failed(console, &error))?;
    let outcomes = job.compete(&host, &device, &compiled, options)?;
    let winner = tuning::winner(&outcomes);
    let entry = winner.and_then(|winner| job.entry(&host, &device, &outcomes, winner));
    let told = Told {
        job: &job,
        device: &device,
        sizes: &host.plan.sizes,
        outcomes: &outcomes,
        winner,
    };
    let recorded = match (&path, &entry) {
        (Some(path), Some(entry)) => {
            let mut record = record;
            record.add(entry.clone());
            Output::File(path.clone()).text(console, &record.text())?;
            Some(path)
        }
        _ => None,
    };
    told.tell(options.format, recorded)?;
    let wrong = outcomes
        .iter()
        .any(|outcome| matches!(outcome, Outcome::Wrong(_)));
    if wrong { Err(Exit::Program) } else { Ok(()) }
}

/// The configurations, or why there are none.
fn space(
    console: &Console,
    program: &Program,
    usual: &Kernel,
    defines: &[Define],
) -> Result<Space, Exit> {
    let name = &usual.name;
    let given = values_of(defines);
    let choices = |bound: &Values| sema::tune_choices(&program.files, name, bound);
    let problem = match Space::of(&given, choices) {
        Ok(space) if usual.grid.is_some() => return Ok(space),
        Ok(_) => (
            format!("`{name}` leaves its grid to the host, which does not know the values"),
            "give it one that is computed from them: `grid(cdiv(n, BLOCK))`",
        ),
        Err(error @ SpaceError::TooLarge) => (
            format!("{error} of `{name}`"),
            "give some of the values: `-D NAME=VALUE`",
        ),
        Err(SpaceError::Empty) if choices(&given).is_some_and(|own| own.tunes.is_empty()) => (
            format!("`{name}` has no `tune` clauses"),
            "what may be tried is listed behind the grid: `tune BLOCK in [64, 128]`",
        ),
        Err(error) => (
            format!("{error} for `{name}`: `-D` gives all that it tunes"),
            "leave out a `-D`",
        ),
    };
    console.error(&problem.0, &[problem.1]);
    Err(Exit::Call)
}

/// What is recorded so far. A file that is no record is not written over.
fn open_record(
    console: &Console,
    options: &TuneOptions,
    path: Option<&PathBuf>,
) -> Result<Record, Exit> {
    let Some(path) = path else {
        return Ok(Record::default());
    };
    keep_inputs(
        console,
        &Output::File(path.clone()),
        [options.file.as_path()],
    )?;
    let record = Record::read(path).map_err(|reason| {
        let message = format!("`{}` is no record of tuning: {reason}", path.display());
        console.error(
            &message,
            &["remove it, or record elsewhere: `--record FILE`"],
        );
        Exit::Call
    })?;
    Ok(record.unwrap_or_default())
}

fn open(console: &Console, options: &TuneOptions) -> Result<Device, Exit> {
    let name = match &options.device {
        DeviceChoice::Named(name) => name.as_str(),
        DeviceChoice::Auto => "cuda:0",
        DeviceChoice::Interpreter => {
            console.error(
                "the interpreter runs no compiled code, of which there would be a fastest",
                &["tuning needs a GPU; `--device sim` checks all combinations and times none"],
            );
            return Err(Exit::Call);
        }
    };
    Device::parse(name).map_err(|error| failed(console, &error.into()))
}

/// Says what is wrong with the call or the device.
fn failed(console: &Console, error: &Error) -> Exit {
    let helps: &[&str] = match error {
        Error::Device(DeviceError::NoDriver | DeviceError::NoDevice(_)) => {
            &["tuning needs a GPU; `--device sim` checks all combinations and times none"]
        }
        _ => &[],
    };
    console.error(&error.to_string(), helps);
    if error.is_usage() {
        Exit::Call
    } else {
        Exit::Program
    }
}

/// A kernel with its configurations.
pub(super) struct Job<'a> {
    console: &'a Console,
    program: &'a Program,
    usual: &'a Kernel,
    space: &'a Space,
    defines: &'a [Define],
    target: &'static Target,
}

impl Job<'_> {
    /// All configurations, in their order; the default must compile.
    fn compile_all(&self) -> Result<Vec<Result<Compiled, String>>, Exit> {
        let configurations = &self.space.configurations;
        let bar = ProgressBar::new(configurations.len() as u64)
            .with_message("compiling")
            .with_style(told::bar());
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let mut compiled = Vec::with_capacity(configurations.len());
        let done = schedule::in_order(
            configurations,
            workers,
            |values| {
                let compiled = on_deep_stack(|| self.compile(values)).unwrap_or_else(|error| {
                    Err(Problem::Other(format!("no thread to compile on: {error}")))
                });
                bar.inc(1);
                compiled
            },
            |number, result| match result {
                Err(problem) if number == 0 => Err(problem),
                result => {
                    compiled.push(result.map_err(|problem| match problem {
                        Problem::Said(diagnostics) => reason(&diagnostics),
                        Problem::Other(reason) => reason,
                    }));
                    Ok(())
                }
            },
        );
        bar.finish_and_clear();
        match done {
            Ok(()) => Ok(compiled),
            Err(Problem::Said(diagnostics)) => {
                let sources = &self.program.sources;
                self.console.diagnostics(&diagnostics, sources);
                Err(Exit::Program)
            }
            Err(Problem::Other(reason)) => {
                self.console.error(&reason, &[]);
                Err(Exit::Program)
            }
        }
    }

    fn compile(&self, values: &Values) -> Result<Compiled, Problem> {
        let mut bindings = values_of(self.defines);
        bindings.extend(values.clone());
        let program = self.program;
        let (kernel, diagnostics) =
            sema::elaborate_kernel(&program.files, &self.usual.name, &bindings);
        let Some(kernel) = kernel else {
            return Err(Problem::Said(diagnostics));
        };
        winners::takes_the_same(self.usual, &kernel)
            .map_err(|reason| Problem::Other(reason.to_owned()))?;
        let kernels = [kernel];
        compile::compile(&program.sources, &kernels, self.target, program.file_name())
            .map_err(|problem| Problem::Said(vec![problem]))
    }

    fn compete(
        &self,
        host: &HostLaunch<'_>,
        device: &Device,
        compiled: &[Result<Compiled, String>],
        options: &TuneOptions,
    ) -> Result<Vec<Outcome>, Exit> {
        let trials = Trials::new(device, host).map_err(|error| failed(self.console, &error))?;
        let mut bench = OnDevice {
            trials,
            clock: device.simulator().is_none(),
        };
        let bar = ProgressBar::new(compiled.len() as u64)
            .with_message("comparing results")
            .with_style(told::bar());
        let progress = |step| match step {
            Step::Compared(done) => bar.set_position(done as u64),
            Step::Round(done) => {
                bar.set_message("timing");
                bar.set_length(options.time.into());
                bar.set_position(done.into());
            }
        };
        let (rounds, tolerance) = (options.time, options.tolerance);
        let outcomes = tuning::compete(&mut bench, compiled, rounds, tolerance, progress);
        bar.finish_and_clear();
        outcomes.map_err(|stopped| self.stopped(&stopped))
    }

    fn stopped(&self, stopped: &Stopped) -> Exit {
        let values = told::values(self.space, stopped.configuration);
        let reason = stopped.fault.reason();
        match stopped.fault {
            Fault::Lost(_) => self.console.error(
                &format!("with {values}: {reason}"),
                &["nothing can run on the GPU after it: leave these values out of the `tune` lists"],
            ),
            _ => self.console.error(
                &format!("with the default, {values}: {reason}"),
                &["the first value of each `tune` list must run: others are compared with it"],
            ),
        }
        Exit::Program
    }

    /// What is recorded of the winner.
    fn entry(
        &self,
        host: &HostLaunch<'_>,
        device: &Device,
        outcomes: &[Outcome],
        winner: usize,
    ) -> Option<Winner> {
        let median = |outcome: &Outcome| match outcome {
            Outcome::Timed(measured) => Some(measured.timing.median_ms),
            _ => None,
        };
        let (time, of_default) = (median(outcomes.get(winner)?)?, median(outcomes.first()?)?);
        Some(Winner {
            kernel: self.usual.name.clone(),
            target: self.target.name.to_owned(),
            device: device_name(&device.properties().name).to_owned(),
            generics: self.space.fixed.clone(),
            sizes: host.plan.sizes.clone(),
            values: self.space.configurations.get(winner)?.clone(),
            time_us: (time * 1e5).round() / 1e2,
            ratio: (time / of_default * 1e3).round() / 1e3,
            compiler: format!("tilec {}", env!("CARGO_PKG_VERSION")),
        })
    }
}

/// Why a configuration was not compiled.
enum Problem {
    Said(Vec<Diagnostic>),
    Other(String),
}

/// The first error, in a line.
fn reason(diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.next().map_or_else(String::new, |error| {
        format!("{}: {}", error.code.number(), error.message)
    })
}

/// A device as a bench.
struct OnDevice<'a> {
    trials: Trials<'a>,
    clock: bool,
}

impl OnDevice<'_> {
    fn fault(&self, error: &Error) -> Fault {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default().to_owned();
        match error {
            Error::Device(DeviceError::Finding(_)) => Fault::Wrong(line),
            _ if self.trials.is_usable() => Fault::Refused(line),
            _ => Fault::Lost(line),
        }
    }
}

impl Bench for OnDevice<'_> {
    type Compiled = Compiled;
    type Program = PreparedLaunch;

    fn prepare(&mut self, compiled: &Compiled) -> Result<PreparedLaunch, Fault> {
        let prepared = self.trials.prepare(&compiled.ptx);
        prepared.map_err(|error| self.fault(&error))
    }

    fn results(&mut self, program: &PreparedLaunch) -> Result<Vec<(String, Tensor)>, Fault> {
        let results = self.trials.results(program);
        let results = results.map_err(|error| self.fault(&error))?.into_iter();
        Ok(results
            .map(|(name, tensor)| (name.to_owned(), tensor))
            .collect())
    }

    fn has_clock(&self) -> bool {
        self.clock
    }

    fn time_ms(&mut self, program: &PreparedLaunch) -> Result<f64, Fault> {
        let time = self.trials.time_ms(program);
        time.map_err(|error| self.fault(&error))
    }
}
