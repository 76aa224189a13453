//! `tilec run`: compiles a kernel, makes its arguments, runs it and reports.
//!
//! A kernel runs [compiled], on a GPU or in the simulator, or [interpreted]; [`told`] is what is
//! printed of either.

mod compiled;
mod interpreted;
mod told;

use std::fmt::Write as _;
use std::path::Path;

use tile_runtime::Error;
use tile_runtime::arguments::{ArgumentExpr, NamedArgument};
use tile_runtime::backend::DeviceError;
use tile_runtime::device::Device;
use tile_runtime::launch::LaunchError;
use tile_runtime::manifest::{Dimension, Kernel as KernelManifest, Parameter};
use tile_runtime::npy;
use tile_runtime::report::Report;
use tile_runtime::run::RunOptions;

use super::console::{Console, Exit, list};
use super::header::default_call;
use super::options::{Define, DeviceChoice, RunCommand};
use super::output::sources;
use super::program::Program;
use super::tuned::{Tuned, values_of};
use crate::backend::manifest;
use crate::explain;
use crate::target::{DEFAULT, TARGETS, Target};
use crate::typed::Kernel;

/// Runs a kernel as the options say.
pub fn run(console: &Console, command: &RunCommand) -> Result<(), Exit> {
    let program = Program::load(console, &command.file)?;
    let given = &command.defines.define;
    let mut call = Call::of(console, &program, &command.file, &command.run, given)?;
    let kernel = only_kernel(console, &program, call.options.kernel.as_deref())?;
    call.take_elements_of_files(&program, kernel);
    let mut kernels = program.kernels(console, &[kernel], &call.defines)?;
    command.overrides.apply(&mut kernels);
    let [kernel] = kernels.as_slice() else {
        return Err(Exit::Program);
    };
    let job = Job {
        console,
        command,
        program: &program,
        kernel,
        options: &call.options,
        recorded: None,
    };
    let device = job.open()?;
    job.check_options(device.as_ref())?;
    let target = job.target(device.as_ref())?;
    let tuned = Tuned::of(console, &program, &command.file, command.tuned.no_tuned);
    let chosen = tuned.for_sizes(
        kernel,
        target,
        &values_of(&call.defines),
        device.as_ref(),
        || explain::sizes(kernel, &explain::call::Call::of(&call.options)),
    );
    let Some(mut chosen) = chosen else {
        return job.run(device.as_ref(), target);
    };
    command
        .overrides
        .apply(std::slice::from_mut(&mut chosen.kernel));
    let recorded = Job {
        kernel: &chosen.kernel,
        recorded: Some((chosen.words.as_str(), kernel)),
        ..job
    };
    recorded.run(device.as_ref(), target)
}

/// The kernel of that name, or the only one.
pub(super) fn only_kernel<'a>(
    console: &Console,
    program: &'a Program,
    name: Option<&str>,
) -> Result<&'a str, Exit> {
    match program.choose(console, name)?.as_slice() {
        [only] => Ok(*only),
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
            Err(Exit::Call)
        }
    }
}

/// The arguments from the command line, or if there are none those from the header.
pub(super) struct Call {
    pub options: RunOptions,
    pub defines: Vec<Define>,
}

impl Call {
    pub fn of(
        console: &Console,
        program: &Program,
        file: &Path,
        options: &RunOptions,
        given: &[Define],
    ) -> Result<Self, Exit> {
        let mut options = options.clone();
        let mut defines = Vec::new();
        if options.arguments.is_empty() {
            let call = default_call(&program.tree.header, options.kernel.as_deref(), file)
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
        defines.extend(given.iter().cloned());
        Ok(Self { options, defines })
    }

    /// A generic that is the type of an array's elements is that of the array's file, unless it is given. What is wrong with a
    /// file is reported where it is read.
    fn take_elements_of_files(&mut self, program: &Program, kernel: &str) {
        for (parameter, generic) in program.element_generics(kernel) {
            let given = |argument: &&NamedArgument| argument.name == parameter;
            let argument = self.options.arguments.iter().find(given);
            if let Some(ArgumentExpr::File(path)) = argument.map(|argument| &argument.value)
                && self.defines.iter().all(|define| define.name != generic)
                && let Ok(Some(element)) = npy::element(path)
            {
                self.defines.push(Define {
                    name: generic.to_owned(),
                    value: element.to_string(),
                });
            }
        }
    }
}

/// A kernel with what it is called with.
#[derive(Clone, Copy)]
struct Job<'a> {
    console: &'a Console,
    command: &'a RunCommand,
    program: &'a Program,
    kernel: &'a Kernel,
    options: &'a RunOptions,
    /// For recorded values of generics: what is said of them, and the kernel without them.
    recorded: Option<(&'a str, &'a Kernel)>,
}

impl Job<'_> {
    fn run(&self, device: Option<&Device>, target: &'static Target) -> Result<(), Exit> {
        match device {
            Some(device) => self.compiled(device, target),
            None => self.interpreted("", &self.manifest_for_interpreter()),
        }
    }

    /// Refuses what would do nothing, or lose a file.
    fn check_options(&self, device: Option<&Device>) -> Result<(), Exit> {
        let without = match device.map(Device::simulator) {
            None => Some("the interpreter"),
            Some(Some(_)) => Some("the simulator"),
            Some(None) => None,
        };
        if let (Some(_), Some(device)) = (self.command.run.time, without) {
            return Err(self.failed(&Error::NothingToTime(device)));
        }
        let checked = self.options.check_outputs(sources(self.program));
        checked.map_err(|error| self.failed(&error))
    }

    /// A report that says first which record was used.
    fn with_recorded(&self, mut report: Report) -> Report {
        let words = self.recorded.map(|(words, _)| words.to_owned());
        report.decisions.splice(0..0, words);
        report
    }

    /// The target that is asked for, or that of the device.
    fn target(&self, device: Option<&Device>) -> Result<&'static Target, Exit> {
        match (self.command.target, device) {
            (Some(target), _) => Ok(target),
            (None, Some(device)) if device.simulator().is_none() => {
                target_of(self.console, &device.properties().architecture)
            }
            (None, _) => Ok(Target::named(DEFAULT).unwrap_or(&TARGETS[0])),
        }
    }

    /// The device to run on; `None` for the interpreter.
    fn open(&self) -> Result<Option<Device>, Exit> {
        let RunCommand {
            device,
            check,
            simulator,
            ..
        } = self.command;
        let name = match device {
            DeviceChoice::Interpreter => {
                if let Some(option) = simulator.given() {
                    let device = "the interpreter".to_owned();
                    let error = DeviceError::SimulatorOption { option, device };
                    return Err(self.failed(&error.into()));
                }
                if *check {
                    self.console.error(
                        "`--check` compares with the interpreter, so it cannot run there",
                        &["without `--device` it runs in the simulator"],
                    );
                    return Err(Exit::Call);
                }
                return Ok(None);
            }
            DeviceChoice::Auto if *check => "sim",
            DeviceChoice::Auto => "auto",
            DeviceChoice::Named(name) => name,
        };
        let opened = simulator.open(name);
        opened.map(Some).map_err(|error| self.failed(&error.into()))
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
                Some("`--device sim` runs the kernel on the CPU".to_owned())
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
}

/// The target that this architecture runs: its own, or the newest that it is compatible with.
pub(super) fn target_of(console: &Console, architecture: &str) -> Result<&'static Target, Exit> {
    Target::of_architecture(architecture).ok_or_else(|| {
        console.error(
            &format!("this GPU is {architecture}, older than what Tile compiles for"),
            &[
                "`--device sim` runs the kernel on the CPU",
                "`tilec targets` lists the GPUs",
            ],
        );
        Exit::Call
    })
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
