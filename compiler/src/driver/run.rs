//! `tilec run`: compiles a kernel, makes its arguments, runs it and reports.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use tile_runtime::Error;
use tile_runtime::backend::DeviceError;
use tile_runtime::device::Device;
use tile_runtime::launch::LaunchError;
use tile_runtime::manifest::{Dimension, Kernel as KernelManifest, Manifest, Parameter};
use tile_runtime::report::Report;
use tile_runtime::run::RunOptions;

use super::console::{Console, Exit, list};
use super::header::default_call;
use super::interpret::{self, Stopped};
use super::options::{Define, DeviceChoice, RunCommand};
use super::program::Program;
use crate::backend::manifest::{self, VariantFacts};
use crate::compile;
use crate::diagnostic::{Severity, messages};
use crate::dialect;
use crate::passes::VariantRequest;
use crate::target::{DEFAULT, TARGETS, Target};
use crate::typed::Kernel;

/// Runs a kernel as the options say.
pub fn run(console: &Console, command: &RunCommand) -> Result<(), Exit> {
    let program = Program::load(console, &command.file)?;
    let call = Call::of(console, &program, command)?;
    let kernel = match program
        .choose(console, call.options.kernel.as_deref())?
        .as_slice()
    {
        [only] => *only,
        several => {
            let name = several.first().copied().unwrap_or_default();
            console.error(
                &format!(
                    "`{}` has several kernels: {}",
                    program.file_name(),
                    list(several.iter().copied())
                ),
                &[&format!("name one: `--kernel {name}`")],
            );
            return Err(Exit::Call);
        }
    };
    let kernels = program.kernels(console, &[kernel], &call.defines)?;
    let [kernel] = kernels.as_slice() else {
        return Err(Exit::Program);
    };
    let job = Job {
        console,
        command,
        program: &program,
        kernel,
        options: &call.options,
    };
    match open(&command.device) {
        Ok(Place::Gpu(device)) => job.on_gpu(&device),
        Ok(Place::Interpreter(why)) => job.in_interpreter(&why),
        Err(error) => Err(job.failed(&error.into())),
    }
}

/// The arguments from the command line, or if there are none those from the header.
struct Call {
    options: RunOptions,
    defines: Vec<Define>,
}

impl Call {
    fn of(console: &Console, program: &Program, command: &RunCommand) -> Result<Self, Exit> {
        let mut options = command.run.clone();
        let mut defines = Vec::new();
        if options.arguments.is_empty() {
            let call = default_call(
                &program.tree.header,
                options.kernel.as_deref(),
                &command.file,
            )
            .map_err(|problem| {
                console.diagnostics(&[*problem], &program.sources);
                Exit::Program
            })?;
            if let Some(call) = call {
                defines = call.defines.define;
                options.arguments = call.run.arguments;
                options.kernel = options.kernel.or(call.run.kernel);
                options.time = options.time.or(call.run.time);
                if options.grid.is_empty() {
                    options.grid = call.run.grid;
                }
                if options.seed == 0 {
                    options.seed = call.run.seed;
                }
            }
        }
        // The last definition of a name wins.
        defines.extend(command.defines.define.iter().cloned());
        Ok(Self { options, defines })
    }
}

/// Where a kernel runs.
enum Place {
    Gpu(Device),
    /// With the reason, if it was not asked for.
    Interpreter(String),
}

fn open(choice: &DeviceChoice) -> Result<Place, DeviceError> {
    match choice {
        DeviceChoice::Interpreter => Ok(Place::Interpreter(String::new())),
        DeviceChoice::Cuda(name) => Device::parse(name).map(Place::Gpu),
        DeviceChoice::Auto => match Device::auto() {
            Ok(device) => Ok(Place::Gpu(device)),
            Err(DeviceError::NoDriver) => {
                Ok(Place::Interpreter(" (no NVIDIA driver found)".to_owned()))
            }
            Err(DeviceError::NoDevice(_) | DeviceError::NoSuchDevice { .. }) => {
                Ok(Place::Interpreter(" (no GPU found)".to_owned()))
            }
            Err(error) => Err(error),
        },
    }
}

/// A kernel with what it is called with.
struct Job<'a> {
    console: &'a Console,
    command: &'a RunCommand,
    program: &'a Program,
    kernel: &'a Kernel,
    options: &'a RunOptions,
}

impl Job<'_> {
    fn on_gpu(&self, device: &Device) -> Result<(), Exit> {
        let target = match self.command.target {
            Some(target) => target,
            None => self.target_of(&device.properties().architecture)?,
        };
        let compiled = compile::compile(
            &self.program.sources,
            std::slice::from_ref(self.kernel),
            target,
            self.program.file_name(),
        )
        .map_err(|diagnostic| {
            self.console
                .diagnostics(&[diagnostic], &self.program.sources);
            Exit::Program
        })?;
        // Hidden by itself when stderr is no terminal.
        let bar = ProgressBar::no_length().with_message("timing");
        let mut progress = |done: u32, of: u32| {
            bar.set_length(of.into());
            bar.set_position(done.into());
        };
        let result = tile_runtime::run::run(
            &compiled.ptx,
            self.options,
            || Ok(device.clone()),
            &mut progress,
        );
        bar.finish_and_clear();
        let report = result.map_err(|error| self.failed(&error))?;
        self.print(&report, None)
    }

    /// The target that this architecture runs: its own, or the newest that it is compatible with.
    fn target_of(&self, architecture: &str) -> Result<&'static Target, Exit> {
        let number = |name: &str| {
            name.strip_prefix("sm_")
                .and_then(|digits| digits.parse::<u32>().ok())
        };
        let own = TARGETS
            .iter()
            .find(|target| target.name.trim_end_matches('a') == architecture);
        let compatible = || {
            // `sm_90a` runs on nothing else, and so has no number.
            let older = |target: &&Target| {
                number(target.name).is_some_and(|of| Some(of) <= number(architecture))
            };
            TARGETS
                .iter()
                .filter(older)
                .max_by_key(|target| number(target.name))
        };
        own.or_else(compatible).ok_or_else(|| {
            self.console.error(
                &format!("this GPU is {architecture}, older than what Tile compiles for"),
                &[
                    "`--device interp` runs the kernel on the CPU",
                    "`tilec targets` lists the GPUs",
                ],
            );
            Exit::Call
        })
    }

    fn in_interpreter(&self, why: &str) -> Result<(), Exit> {
        if self.options.time.is_some() {
            self.console.warning(
                "`--time` needs a GPU: the interpreter's time says nothing about one",
                &[],
            );
        }
        let manifest = self.decisions();
        let launch = self
            .options
            .prepare(&manifest)
            .map_err(|error| self.failed(&error))?;
        let programs: u64 = launch
            .plan
            .grid
            .iter()
            .map(|&count| u64::from(count))
            .product();
        let spinner = ProgressBar::new_spinner()
            .with_style(ProgressStyle::default_spinner())
            .with_message(format!(
                "interpreting {programs} programs of `{}`",
                self.kernel.name
            ));
        spinner.enable_steady_tick(Duration::from_millis(100));
        let result = interpret::run(self.kernel, &launch, self.options);
        spinner.finish_and_clear();
        match result {
            Ok((mut report, time)) => {
                report.device = format!("interpreter{why}");
                self.print(&report, Some(time))
            }
            Err(Stopped::Kernel(error)) => {
                self.console
                    .diagnostics(&[messages::runtime::stopped(&error)], &self.program.sources);
                Err(Exit::Program)
            }
            Err(Stopped::Launch(error)) => Err(self.failed(&error)),
        }
    }

    /// The manifest with what the compiler decided. What cannot be compiled can still be
    /// interpreted: then the manifest knows the parameters and nothing else.
    fn decisions(&self) -> Manifest {
        let target = self
            .command
            .target
            .or_else(|| Target::named(DEFAULT))
            .unwrap_or(&TARGETS[0]);
        let variants = manifest::default_variants(self.kernel);
        let context = dialect::context();
        let lowered = compile::lower(
            &context,
            &self.program.sources,
            self.kernel,
            target,
            &variants,
            |_, _| true,
        );
        let kernel = lowered
            .map(|lowered| lowered.manifest)
            .unwrap_or_else(|mut problem| {
                problem.severity = Severity::Warning;
                problem = problem.note("the interpreter runs it all the same");
                // It suggests what is being done.
                problem
                    .notes
                    .retain(|note| !note.contains("--device interp"));
                self.console.diagnostics(&[problem], &self.program.sources);
                let any = VariantRequest {
                    entry: self.kernel.name.clone(),
                    divisibility: Vec::new(),
                };
                let nothing = VariantFacts {
                    warps: 0,
                    shared_bytes: 0,
                };
                manifest::kernel(self.kernel, &[(any, nothing)], &[])
            });
        manifest::file(target, self.program.file_name(), vec![kernel])
    }

    /// Says what is wrong with the call or the run.
    fn failed(&self, error: &Error) -> Exit {
        let help = match error {
            Error::Launch(LaunchError::Missing { .. }) => Some(format!(
                "for example: {}",
                example(self.command, &self.manifest())
            )),
            Error::Launch(LaunchError::GridMissing { .. }) => {
                Some("give the programs along x, y and z: `--grid 64` or `--grid 64,2`".to_owned())
            }
            Error::Device(DeviceError::NoDriver | DeviceError::NoDevice(_)) => {
                Some("`--device interp` runs the kernel on the CPU".to_owned())
            }
            _ => None,
        };
        let helps: Vec<&str> = help.iter().map(String::as_str).collect();
        self.console.error(&error.to_string(), &helps);
        if error.is_usage() {
            Exit::Call
        } else {
            Exit::Program
        }
    }

    fn manifest(&self) -> KernelManifest {
        manifest::kernel(self.kernel, &[], &[])
    }

    fn print(&self, report: &Report, on_cpu: Option<Duration>) -> Result<(), Exit> {
        if !self.console.is_text() {
            return self.console.print(&format!("{}\n", json(report, on_cpu)));
        }
        let mut text = format!("{report:#}");
        if let Some(time) = on_cpu {
            let style = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
            let seconds = time.as_secs_f64();
            let time = if seconds < 1.0 {
                format!("{:.0} ms", seconds * 1e3)
            } else {
                format!("{seconds:.1} s")
            };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{style}{:>9}{style:#}  {time} in the interpreter, on the CPU",
                "time"
            );
        }
        self.console.print(&text)
    }
}

/// A call that fits the parameters: every size the same, so that those that must agree do.
fn example(command: &RunCommand, kernel: &KernelManifest) -> String {
    let mut call = format!("tilec run {}", command.file.display());
    for parameter in &kernel.parameters {
        let content = match parameter {
            _ if parameter.is_mutable() => "zeros",
            _ if parameter.element().is_float() => "randn",
            _ => "arange",
        };
        let value = match parameter {
            Parameter::Scalar { element, .. } if element.is_float() => "1.0".to_owned(),
            Parameter::Scalar { .. } => "256".to_owned(),
            Parameter::Pointer { .. } => format!("{content}(256)"),
            Parameter::Tensor { dimensions, .. } => {
                let sizes: Vec<String> = dimensions
                    .iter()
                    .map(|dimension| match dimension {
                        Dimension::Fixed(size) => size.to_string(),
                        Dimension::Named(_) => "256".to_owned(),
                    })
                    .collect();
                format!("{content}({})", sizes.join(","))
            }
        };
        let _ = write!(call, " '{}={value}'", parameter.name());
    }
    call
}

/// The report as one object, for machines. Times are in milliseconds; `time` is `null` in the
/// interpreter, and `interpreter_ms` on a GPU.
fn json(report: &Report, on_cpu: Option<Duration>) -> serde_json::Value {
    let outputs = report.outputs.iter().map(|output| {
        let digest = &output.digest;
        serde_json::json!({
            "name": output.name, "element": output.element.name(), "shape": output.shape,
            "hash": format!("{:016x}", digest.hash), "min": digest.min, "max": digest.max, "mean": digest.mean,
            "nan": digest.nan, "elements": digest.elements,
        })
    });
    serde_json::json!({
        "device": report.device, "kernel": report.kernel, "entry": report.entry, "grid": report.grid,
        "threads": report.threads, "shared_bytes": report.shared_bytes,
        "registers": report.resources.map(|resources| resources.registers),
        "local_bytes": report.resources.map(|resources| resources.local_bytes),
        "decisions": report.decisions,
        "time": report.time.map(|time| serde_json::json!({
            "runs": time.runs, "median_ms": time.median_ms, "min_ms": time.min_ms, "max_ms": time.max_ms,
        })),
        "interpreter_ms": on_cpu.map(|time| time.as_secs_f64() * 1e3),
        "outputs": outputs.collect::<Vec<_>>(),
    })
}
