//! One run from a command line: arguments made, kernel launched, results reported and saved.
//!
//! `tile-run` and `tilec run` share all of it, options included, so that they behave alike.

mod execution;
mod simulation;
mod trials;

use std::path::Path;

use crate::arguments::{FileArgument, HostArgument, NamedArgument};
use crate::backend::DeviceError;
use crate::comparison::{Comparison, Tolerance};
use crate::device::Device;
use crate::element::ElementType;
use crate::error::Error;
use crate::launch::{self, Fact, LaunchError, LaunchPlan, TensorFact};
use crate::manifest::{self, Manifest, Parameter};
use crate::report::{Output, Report, Time, Timing, Verdict};
use crate::simulator::machine::Stored;
use crate::suggest;
use crate::tensor::{Tensor, TensorError};
use crate::{npy, output};
use execution::Execution;
pub use simulation::{ProfileFormat, SimulatorOptions};
pub use trials::Trials;

/// What to run and how. With the feature `cli` these are the command line options.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct RunOptions {
    /// Arguments of the kernel: numbers, files, or new tensors of the parameter's element type
    #[cfg_attr(feature = "cli", arg(value_name = "NAME=VALUE"))]
    pub arguments: Vec<NamedArgument>,

    /// The kernel to run; may be left out if the file has only one
    #[cfg_attr(feature = "cli", arg(long, short, value_name = "NAME"))]
    pub kernel: Option<String>,

    /// Programs along x, y and z, for a kernel that has no `grid` of its own
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1)
    )]
    pub grid: Vec<i64>,

    /// Save a tensor after the run; may be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME=FILE.npy"))]
    pub save: Vec<FileArgument>,

    /// Fail unless a tensor is this after the run; may be repeated
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME=FILE.npy"))]
    pub expect: Vec<FileArgument>,

    /// How wrong a float may be, relative to the largest in its row [default: with `--check` what the
    /// program's rounding explains, else 4 units in the last place]
    #[cfg_attr(feature = "cli", arg(long, value_name = "ERROR", value_parser = tolerance))]
    pub tolerance: Option<f64>,

    /// Seed of random tensors
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 0))]
    pub seed: u64,

    /// After the run, time N more, each with a cold L2 cache; for GPUs
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub time: Option<u32>,
}

/// Arguments made on the host and checked against a kernel.
#[derive(Debug, Clone)]
pub struct HostLaunch<'a> {
    /// The kernel.
    pub kernel: &'a manifest::Kernel,
    /// Its arguments by name, in the order given.
    pub arguments: Vec<(&'a str, HostArgument)>,
    /// What tensors should be after the run.
    pub expected: Vec<Expected>,
    /// The launch, with made-up addresses.
    pub plan: LaunchPlan,
}

/// What a tensor should be after a run.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The parameter.
    pub name: String,
    /// Its contents.
    pub tensor: Tensor,
    /// How far each element may be off, in row-major order, if that is known.
    pub allowed: Option<Vec<f64>>,
}

impl Expected {
    /// Compares what a run left with it; a tolerance of the options counts before all else.
    ///
    /// # Errors
    /// If element types or shapes differ.
    pub fn compare(&self, found: &Tensor, options: &RunOptions) -> Result<Comparison, TensorError> {
        match (&self.allowed, options.tolerance) {
            (Some(allowed), None) => {
                Comparison::within(&self.tensor, found, Tolerance::Elements(allowed))
            }
            (_, tolerance) => Comparison::new(&self.tensor, found, tolerance),
        }
    }
}

impl HostLaunch<'_> {
    /// What a tensor should be after the run; `None` if anything is good.
    #[must_use]
    pub fn expected(&self, name: &str) -> Option<&Expected> {
        self.expected.iter().find(|expected| expected.name == name)
    }

    /// The element type of a tensor that is an argument.
    fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.arguments
            .iter()
            .find_map(|(found, value)| match value {
                HostArgument::Tensor(tensor) if *found == name => Some(tensor),
                _ => None,
            })
    }
}

impl RunOptions {
    /// Makes the arguments and checks them, all without a device: what is wrong with a call shows
    /// on any machine.
    ///
    /// # Errors
    /// Whatever is wrong with the call.
    pub fn prepare<'a>(&'a self, manifest: &'a Manifest) -> Result<HostLaunch<'a>, Error> {
        let kernel = manifest.kernel(self.kernel.as_deref())?;
        let names: Vec<_> = self
            .arguments
            .iter()
            .map(|named| named.name.as_str())
            .collect();
        launch::check_names(kernel, &names)?;
        for FileArgument { name, .. } in self.save.iter().chain(&self.expect) {
            if !names.contains(&name.as_str()) {
                let parameters = || kernel.parameters.iter().map(Parameter::name);
                return Err(LaunchError::UnknownName {
                    kernel: kernel.name.clone(),
                    name: name.clone(),
                    suggestion: suggest::nearest(name, parameters()),
                    parameters: suggest::list(parameters()),
                }
                .into());
            }
        }
        let mut arguments = Vec::with_capacity(names.len());
        for named in &self.arguments {
            let element =
                parameter(kernel, &named.name).map_or(ElementType::F32, Parameter::element);
            let value = named.evaluate(element, self.seed)?;
            if matches!(value, HostArgument::Scalar(_)) {
                self.refuse_files_of(&named.name)?;
            }
            arguments.push((named.name.as_str(), value));
        }
        // Made-up addresses, as far apart and as aligned as those of real memory.
        let facts: Vec<_> = arguments
            .iter()
            .zip(1u64..)
            .map(|((name, value), number)| (*name, fact(value, number << 44)))
            .collect();
        let plan = launch::plan(kernel, &facts, self.grid())?;
        let mut host = HostLaunch {
            kernel,
            arguments,
            expected: Vec::new(),
            plan,
        };
        for FileArgument { name, path } in &self.expect {
            if let Some(tensor) = host.tensor(name) {
                let expected = npy::read_as(path, tensor.element())?;
                // Shapes that differ are a mistake of the call: told before anything runs.
                Comparison::new(&expected, tensor, None)?;
                host.expected.push(Expected {
                    name: name.clone(),
                    tensor: expected,
                    allowed: None,
                });
            }
        }
        Ok(host)
    }

    /// Refuses to save a number, or to expect one: it would do nothing.
    fn refuse_files_of(&self, name: &str) -> Result<(), Error> {
        for (option, files) in [("--save", &self.save), ("--expect", &self.expect)] {
            if files.iter().any(|file| file.name == name) {
                let name = name.to_owned();
                return Err(Error::NotInFiles { option, name });
            }
        }
        Ok(())
    }

    /// Refuses to save over what this command reads, or two tensors to one file.
    ///
    /// # Errors
    /// Which files these are.
    pub fn check_outputs<'a>(
        &'a self,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Error> {
        let outputs = self.save.iter().map(|file| file.path.as_path());
        Ok(output::check(outputs, inputs)?)
    }

    /// The host's grid, if it gives one.
    #[must_use]
    pub fn grid(&self) -> Option<&[i64]> {
        (!self.grid.is_empty()).then_some(self.grid.as_slice())
    }

    /// Saves a tensor if the options ask for it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, name: &str, tensor: &Tensor) -> Result<(), Error> {
        for save in self.save.iter().filter(|save| save.name == name) {
            npy::write(&save.path, tensor)?;
        }
        Ok(())
    }
}

fn parameter<'a>(kernel: &'a manifest::Kernel, name: &str) -> Option<&'a Parameter> {
    kernel
        .parameters
        .iter()
        .find(|parameter| parameter.name() == name)
}

/// What a launch must know of a host argument; the tensor may be written to, since it is a copy.
fn fact(value: &HostArgument, address: u64) -> Fact<'_> {
    match value {
        HostArgument::Scalar(value) => Fact::Scalar(*value),
        HostArgument::Tensor(tensor) => Fact::Tensor(TensorFact {
            element: tensor.element(),
            shape: tensor.shape(),
            strides: tensor.strides(),
            address: address + (tensor.offset() * tensor.element().bytes() as usize) as u64,
            writable: true,
        }),
    }
}

/// A tolerance on the command line.
#[cfg(feature = "cli")]
fn tolerance(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    match number.is_finite() && number >= 0.0 {
        true => Ok(number),
        false => Err("a tolerance is a number from 0 on, and finite".to_owned()),
    }
}

/// Runs PTX as the options say. The device is opened when the arguments have been checked.
/// `progress` is told of timed runs: how many are done, of how many.
///
/// # Errors
/// Whatever is wrong with the call, the program or the device; see [`Error::is_usage`].
pub fn run(
    ptx: &str,
    options: &RunOptions,
    open: impl FnOnce() -> Result<Device, DeviceError>,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<Report, Error> {
    let manifest = Manifest::from_ptx(ptx)?;
    let host = options.prepare(&manifest)?;
    let device = open()?;
    if options.time.is_some() && device.simulator().is_some() {
        return Err(Error::NothingToTime("the simulator"));
    }
    run_prepared(ptx, options, &host, &device, progress)
}

/// Runs PTX with arguments that have been prepared, and compares with what the launch expects.
///
/// # Errors
/// Whatever is wrong with the program or the device. A result that is not what it should be is no
/// error, but the report's to tell.
pub fn run_prepared(
    ptx: &str,
    options: &RunOptions,
    host: &HostLaunch<'_>,
    device: &Device,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<Report, Error> {
    let execution = Execution::new(device, ptx, host, options.grid())?;
    let first = execution.elapsed_ms()?;
    let profile = device
        .simulator()
        .and_then(|simulator| simulator.take_profiles().pop());
    let mut outputs = Vec::new();
    for (name, tensor) in &execution.tensors {
        let written = parameter(host.kernel, name).is_some_and(Parameter::is_mutable);
        let saved = options.save.iter().any(|save| save.name == *name);
        let expected = host.expected(name);
        if !written && !saved && expected.is_none() {
            continue;
        }
        let tensor = tensor.download()?;
        options.save(name, &tensor)?;
        let verdict = match expected {
            Some(expected) => {
                let comparison = expected.compare(&tensor, options)?;
                let first = comparison.first.as_ref();
                let stored = first
                    .and_then(|first| last_store(ptx, options, host, device, name, &first.index));
                Some(Verdict { comparison, stored })
            }
            None => None,
        };
        if written || verdict.is_some() {
            outputs.push(Output::new(name, tensor, verdict));
        }
    }
    let time = match (options.time, device.simulator()) {
        (_, Some(_)) => Some(Time::Simulated(first)),
        (Some(runs), None) if runs > 0 => {
            Timing::of(execution.time(device, runs, progress)?).map(Time::Device)
        }
        _ => Timing::of(vec![first]).map(Time::Device),
    };
    let launch = &execution.launch;
    Ok(Report {
        device: describe(device),
        kernel: host.kernel.name.clone(),
        entry: launch.variant().entry.clone(),
        grid: launch.plan().grid,
        threads: launch.variant().threads,
        shared_bytes: launch.variant().shared_bytes,
        resources: Some(launch.resources()),
        decisions: launch.variant().decisions.clone(),
        time: time.filter(|_| !launch.plan().is_empty()),
        outputs,
        profile,
    })
}

/// The device in a line. A simulator has no architecture.
fn describe(device: &Device) -> String {
    let properties = device.properties();
    let (name, driver) = (&properties.name, &properties.driver);
    match device.simulator() {
        Some(_) => format!("{name}, {driver}"),
        None => format!("{name}, {}, {driver}", properties.architecture),
    }
}

/// Who stored an element of a tensor last: found out by running once more on a simulator of the
/// same kind, whatever ran before. `None` if nobody stored it, or the simulator cannot run it.
fn last_store(
    ptx: &str,
    options: &RunOptions,
    host: &HostLaunch<'_>,
    device: &Device,
    name: &str,
    index: &[usize],
) -> Option<Stored> {
    let machine = device.simulator().map(|simulator| simulator.options());
    let device = Device::simulated(crate::simulator::machine::Options {
        profile: false,
        ..machine.cloned().unwrap_or_default()
    });
    let execution = Execution::new(&device, ptx, host, options.grid()).ok()?;
    let simulator = device.simulator()?;
    simulator.watch(execution.tensor(name)?.element_addresses(index)?);
    execution.launch.launch().ok()?;
    simulator.take_watched().last
}
