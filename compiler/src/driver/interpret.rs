//! Runs a kernel in the reference interpreter, with the launch checked as for a GPU.

use std::time::Instant;

use tile_runtime::Error;
use tile_runtime::arguments::HostArgument;
use tile_runtime::manifest::{self, Parameter};
use tile_runtime::report::{Output, Report, Time, Verdict};
use tile_runtime::run::{Expected, HostLaunch, RunOptions};

use crate::interp::spread::Spread;
use crate::interp::{self, Argument, Arguments, InterpError, LastStore};
use crate::typed::Kernel;

/// What stopped a run.
pub enum Stopped {
    /// The kernel did something that is not allowed.
    Kernel(Box<InterpError>),
    /// The call is wrong, or a result cannot be saved.
    Launch(Box<Error>),
}

impl<E: Into<Error>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Launch(Box::new(error.into()))
    }
}

/// Runs the launch; gives a report without `device`. `prints` says whether `print` does.
pub fn run(
    kernel: &Kernel,
    launch: &HostLaunch<'_>,
    options: &RunOptions,
    prints: bool,
) -> Result<Report, Stopped> {
    let mut arguments = arguments(launch);
    let start = Instant::now();
    interpret(kernel, launch, &mut arguments, prints)?;
    let time = start.elapsed();
    let mut outputs = Vec::new();
    for (name, _) in &launch.arguments {
        let Some(tensor) = arguments.tensor(name)? else {
            continue;
        };
        options.save(name, &tensor)?;
        let verdict = match launch.expected(name) {
            Some(expected) => Some(Verdict {
                comparison: expected.compare(&tensor, options)?,
                stored: None,
            }),
            None => None,
        };
        let mutable = parameter(launch.kernel, name).is_some_and(Parameter::is_mutable);
        if mutable || verdict.is_some() {
            outputs.push(Output::new(name, tensor, verdict));
        }
    }
    let variant = &launch.kernel.variants[launch.plan.variant];
    Ok(Report {
        device: String::new(),
        kernel: kernel.name.clone(),
        entry: variant.entry.clone(),
        grid: launch.plan.grid,
        threads: variant.threads,
        shared_bytes: variant.shared_bytes,
        resources: None,
        decisions: variant.decisions.clone(),
        time: Some(Time::Interpreted(time.as_secs_f64() * 1e3)),
        outputs,
        profile: None,
    })
}

/// What a launch should leave, where somebody else says how far it may be off.
pub fn given(outputs: Vec<Output>) -> impl Iterator<Item = Expected> {
    outputs.into_iter().map(|output| Expected {
        name: output.name,
        tensor: output.tensor,
        allowed: None,
    })
}

/// What a launch should leave, and how far each element may be off: a reference's `outputs`, and
/// what [other runs](Spread) show.
pub fn expected(
    kernel: &Kernel,
    launch: &HostLaunch<'_>,
    outputs: Vec<Output>,
) -> Result<Vec<Expected>, Error> {
    let options = interp::Options::default();
    let spread = Spread::of(kernel, launch.plan.grid, &arguments(launch), options);
    let expected = outputs.into_iter().map(|output| {
        Ok(Expected {
            allowed: spread.allowed(&output.name, &output.tensor)?,
            name: output.name,
            tensor: output.tensor,
        })
    });
    expected.collect()
}

/// Who stores an element of a tensor last.
pub fn last_store(
    kernel: &Kernel,
    launch: &HostLaunch<'_>,
    tensor: &str,
    index: &[usize],
) -> Option<LastStore> {
    let mut arguments = arguments(launch);
    arguments.watch(tensor, index);
    interpret(kernel, launch, &mut arguments, false).ok()?;
    arguments.last_store().cloned()
}

fn arguments(launch: &HostLaunch<'_>) -> Arguments {
    let mut arguments = Arguments::new();
    for (name, value) in &launch.arguments {
        match value {
            HostArgument::Scalar(value) => arguments.set(name, Argument::Scalar(*value)),
            HostArgument::Tensor(tensor) => arguments.set_tensor(name, tensor),
        }
    }
    arguments
}

fn interpret(
    kernel: &Kernel,
    launch: &HostLaunch<'_>,
    arguments: &mut Arguments,
    prints: bool,
) -> Result<(), Stopped> {
    let options = interp::Options {
        prints,
        ..interp::Options::default()
    };
    interp::run(kernel, launch.plan.grid, arguments, options).map_err(Stopped::Kernel)
}

fn parameter<'a>(kernel: &'a manifest::Kernel, name: &str) -> Option<&'a Parameter> {
    kernel
        .parameters
        .iter()
        .find(|parameter| parameter.name() == name)
}
