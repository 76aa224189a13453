//! One run from a command line: arguments made, kernel launched, results reported and saved.
//!
//! `tile-run` and `tilec run` share all of it, options included, so that they behave alike.

use crate::arguments::{HostArgument, NamedArgument, SaveArgument};
use crate::backend::DeviceError;
use crate::device::{Arg, Device, DeviceTensor, Stream};
use crate::element::ElementType;
use crate::error::Error;
use crate::launch::{self, Fact, LaunchError, LaunchPlan, TensorFact};
use crate::manifest::{self, Manifest, Parameter};
use crate::npy;
use crate::program::PreparedLaunch;
use crate::report::{Output, Report, Timing};
use crate::suggest;
use crate::tensor::Tensor;

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
    pub save: Vec<SaveArgument>,

    /// Seed of random tensors
    #[cfg_attr(feature = "cli", arg(long, default_value_t = 0))]
    pub seed: u64,

    /// After the run, time N more, each with a cold L2 cache
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
    /// The launch, with made-up addresses.
    pub plan: LaunchPlan,
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
        for SaveArgument { name, .. } in &self.save {
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
            arguments.push((named.name.as_str(), value));
        }
        // Made-up addresses, as far apart and as aligned as those of real memory.
        let facts: Vec<_> = arguments
            .iter()
            .zip(1u64..)
            .map(|((name, value), number)| (*name, fact(value, number << 44)))
            .collect();
        let plan = launch::plan(kernel, &facts, self.grid())?;
        Ok(HostLaunch {
            kernel,
            arguments,
            plan,
        })
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
    let kernel = device.load(ptx)?.kernel(Some(&host.kernel.name))?;
    let mut tensors: Vec<(&str, DeviceTensor)> = Vec::new();
    for (name, value) in &host.arguments {
        if let HostArgument::Tensor(tensor) = value {
            tensors.push((name, device.upload_strided(tensor)?));
        }
    }
    let arguments: Vec<_> = host
        .arguments
        .iter()
        .map(|(name, value)| match value {
            HostArgument::Scalar(value) => (*name, Arg::Scalar(*value)),
            HostArgument::Tensor(_) => {
                let position = tensors.iter().position(|(tensor, _)| tensor == name);
                (*name, Arg::Mut(&tensors[position.unwrap_or_default()].1))
            }
        })
        .collect();
    let stream = device.stream();
    let launch = kernel.prepare_on(&stream, &arguments, options.grid())?;
    let first = elapsed_ms(&stream, &launch)?;
    let mut outputs = Vec::new();
    for (name, tensor) in &tensors {
        let written = parameter(host.kernel, name).is_some_and(Parameter::is_mutable);
        let saved = options.save.iter().any(|save| save.name == *name);
        if !written && !saved {
            continue;
        }
        let tensor = tensor.download()?;
        options.save(name, &tensor)?;
        if written {
            outputs.push(Output {
                name: (*name).to_owned(),
                element: tensor.element(),
                shape: tensor.shape().to_vec(),
                digest: tensor.digest(),
            });
        }
    }
    let time = match options.time {
        Some(runs) if runs > 0 => Timing::of(time(&device, &stream, &launch, runs, progress)?),
        _ => Timing::of(vec![first]),
    };
    let properties = device.properties();
    Ok(Report {
        device: format!(
            "{}, {}, {}",
            properties.name, properties.architecture, properties.driver
        ),
        kernel: host.kernel.name.clone(),
        entry: launch.variant().entry.clone(),
        grid: launch.plan().grid,
        threads: launch.variant().threads,
        shared_bytes: launch.variant().shared_bytes,
        resources: Some(launch.resources()),
        decisions: launch.variant().decisions.clone(),
        time: time.filter(|_| !launch.plan().is_empty()),
        outputs,
    })
}

/// Launches once and waits; milliseconds of device time.
fn elapsed_ms(stream: &Stream, launch: &PreparedLaunch) -> Result<f64, Error> {
    let before = stream.record()?;
    launch.launch()?;
    Ok(before.elapsed_ms(&stream.record()?)?)
}

/// Times runs, each after the L2 cache has been overwritten. That also keeps the device busy until
/// the launch has reached it, so that the host's time to launch is not measured.
fn time(
    device: &Device,
    stream: &Stream,
    launch: &PreparedLaunch,
    runs: u32,
    progress: &mut dyn FnMut(u32, u32),
) -> Result<Vec<f64>, Error> {
    const WARM: u32 = 3;
    let flush_bytes = usize::try_from(device.properties().l2_bytes * 2).unwrap_or(0);
    let flush = device.zeros(ElementType::U8, &[flush_bytes])?;
    for _ in 0..WARM {
        launch.launch()?;
    }
    let mut times = Vec::with_capacity(runs as usize);
    for done in 0..runs {
        flush.fill_bytes(0, stream)?;
        times.push(elapsed_ms(stream, launch)?);
        progress(done + 1, runs);
    }
    Ok(times)
}
