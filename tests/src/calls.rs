//! A call of a kernel: words of a header line become arguments, which the interpreter and the
//! simulator run, and what they leave is compared.

use clap::Parser;
use tile_runtime::arguments::HostArgument;
use tile_runtime::comparison::Comparison;
use tile_runtime::device::{Arg, Device};
use tile_runtime::manifest::Manifest;
use tile_runtime::run::{HostLaunch, RunOptions};
use tile_runtime::simulator::machine::Options;
use tile_runtime::tensor::Tensor;
use tilec::compile::Compiled;
use tilec::interp::{self, Argument, Arguments, InterpError};
use tilec::typed::Kernel;

/// A call, parsed.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
pub struct Call {
    /// As the command line takes them.
    #[command(flatten)]
    pub run: RunOptions,
}

impl Call {
    /// Reads the words behind the kernel's name.
    ///
    /// # Errors
    /// In words, what is wrong with them.
    pub fn parse(words: &[String]) -> Result<Self, String> {
        Self::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().to_owned()
        })
    }

    /// The arguments, made and checked.
    ///
    /// # Errors
    /// In words, what is wrong with the call.
    pub fn prepare<'a>(&'a self, manifest: &'a Manifest) -> Result<HostLaunch<'a>, String> {
        self.run
            .prepare(manifest)
            .map_err(|error| error.to_string())
    }
}

/// Runs a launch in the interpreter; the arguments then hold the results.
///
/// # Errors
/// What the kernel did wrong.
pub fn interpret(kernel: &Kernel, launch: &HostLaunch<'_>) -> Result<Arguments, Box<InterpError>> {
    let mut arguments = Arguments::new();
    for (name, value) in &launch.arguments {
        match value {
            HostArgument::Scalar(value) => arguments.set(name, Argument::Scalar(*value)),
            HostArgument::Tensor(tensor) => arguments.set_tensor(name, tensor),
        }
    }
    let options = interp::Options::default();
    interp::run(kernel, launch.plan.grid, &mut arguments, options)?;
    Ok(arguments)
}

/// Multiprocessors that the simulator has unless a file asks for others: few, so that programs take turns where
/// they do.
pub const MULTIPROCESSORS: u32 = 3;

/// Runs a launch in the simulator, with all checks on, `launches` times on the same tensors; gives all of them as they
/// are then.
///
/// # Errors
/// What the simulator refuses or finds.
pub fn simulate(
    ptx: &str,
    launch: &HostLaunch<'_>,
    grid: Option<&[i64]>,
    (multiprocessors, launches): (u32, usize),
) -> Result<Vec<(String, Tensor)>, tile_runtime::Error> {
    let options = Options {
        multiprocessors,
        ..Options::default()
    };
    let device = Device::simulated(options);
    let program = device.load(ptx)?;
    let mut tensors = Vec::new();
    for (name, value) in &launch.arguments {
        if let HostArgument::Tensor(tensor) = value {
            tensors.push((*name, device.upload_strided(tensor)?));
        }
    }
    let mut remaining = tensors.iter();
    let arguments: Vec<_> = launch
        .arguments
        .iter()
        .filter_map(|(name, value)| match value {
            HostArgument::Scalar(value) => Some((*name, Arg::Scalar(*value))),
            HostArgument::Tensor(_) => remaining
                .next()
                .map(|(_, tensor)| (*name, Arg::Mut(tensor))),
        })
        .collect();
    let kernel = program.kernel(Some(&launch.kernel.name))?;
    let prepared = kernel.prepare_on(&device.stream(), &arguments, grid)?;
    for _ in 0..launches {
        prepared.launch()?;
    }
    tensors
        .iter()
        .map(|(name, tensor)| Ok(((*name).to_owned(), tensor.download()?)))
        .collect()
}

/// Runs a call in the interpreter and in the simulator, with so many multiprocessors: they must leave the same.
/// Gives what the interpreter left.
///
/// # Errors
/// In words, where they differ or what stopped them.
pub fn compare(
    kernel: &Kernel,
    compiled: &Compiled,
    call: &Call,
    tolerance: Option<f64>,
    multiprocessors: u32,
) -> Result<Arguments, String> {
    let launch = call.prepare(&compiled.manifest)?;
    let arguments = interpret(kernel, &launch).map_err(|error| error.to_string())?;
    let found = simulate(
        &compiled.ptx,
        &launch,
        call.run.grid(),
        (multiprocessors, 1),
    )
    .map_err(|error| format!("in the simulator: {error}"))?;
    for (name, found) in &found {
        let expected = arguments.tensor(name).map_err(|error| error.to_string())?;
        let Some(expected) = expected else { continue };
        let comparison = Comparison::new(&expected, found, tolerance);
        let comparison = comparison.map_err(|error| error.to_string())?;
        if comparison.wrong > 0 {
            return Err(format!("`{name}`: {comparison}"));
        }
    }
    Ok(arguments)
}
