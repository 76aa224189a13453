//! Runs a kernel in the reference interpreter, with the launch checked as for a GPU.

use std::time::{Duration, Instant};

use tile_runtime::Error;
use tile_runtime::arguments::HostArgument;
use tile_runtime::manifest::{self, Parameter};
use tile_runtime::report::{Output, Report};
use tile_runtime::run::{HostLaunch, RunOptions};

use crate::interp::{self, Argument, Arguments, InterpError};
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

/// Runs the launch; gives a report without `device` and `time`, and the time it took here.
pub fn run(
    kernel: &Kernel,
    launch: &HostLaunch<'_>,
    options: &RunOptions,
) -> Result<(Report, Duration), Stopped> {
    let mut arguments = Arguments::new();
    for (name, value) in &launch.arguments {
        match value {
            HostArgument::Scalar(value) => arguments.set(name, Argument::Scalar(*value)),
            HostArgument::Tensor(tensor) => arguments.set_tensor(name, tensor),
        }
    }
    let start = Instant::now();
    interp::run(
        kernel,
        launch.plan.grid,
        &mut arguments,
        interp::Options::default(),
    )
    .map_err(Stopped::Kernel)?;
    let time = start.elapsed();
    let mut outputs = Vec::new();
    for (name, _) in &launch.arguments {
        let Some(tensor) = arguments.tensor(name)? else {
            continue;
        };
        options.save(name, &tensor)?;
        if parameter(launch.kernel, name).is_some_and(Parameter::is_mutable) {
            outputs.push(Output {
                name: (*name).to_owned(),
                element: tensor.element(),
                shape: tensor.shape().to_vec(),
                digest: tensor.digest(),
            });
        }
    }
    let variant = &launch.kernel.variants[launch.plan.variant];
    let report = Report {
        device: String::new(),
        kernel: kernel.name.clone(),
        entry: variant.entry.clone(),
        grid: launch.plan.grid,
        threads: variant.threads,
        shared_bytes: variant.shared_bytes,
        resources: None,
        decisions: variant.decisions.clone(),
        time: None,
        outputs,
    };
    Ok((report, time))
}

fn parameter<'a>(kernel: &'a manifest::Kernel, name: &str) -> Option<&'a Parameter> {
    kernel
        .parameters
        .iter()
        .find(|parameter| parameter.name() == name)
}
