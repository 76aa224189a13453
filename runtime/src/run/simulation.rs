//! What can be said about the simulator.

use crate::backend::DeviceError;
use crate::device::Device;
use crate::simulator::arithmetic::Functions;
use crate::simulator::machine;

/// Options of the simulator. With the feature `cli` these are the command line options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SimulatorOptions {
    /// Look for no races, missing waits and uninitialised memory; it is faster
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Simulator"))]
    pub no_checks: bool,

    /// Stop a program that executes more than N warp instructions, and a launch that executes a hundred times as many [default:
    /// 200 million]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", help_heading = "Simulator")
    )]
    pub sim_steps: Option<u64>,

    /// Delay programs, and warps of programs, chosen at random by SEED: finds waits that are missing
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "SEED", help_heading = "Simulator")
    )]
    pub delays: Option<u64>,

    /// Let functions such as `exp` and `sin` err as far as on a GPU (by measurements on an H100), not as little as their type
    /// allows
    #[cfg_attr(feature = "cli", arg(long, help_heading = "Simulator"))]
    pub gpu_errors: bool,

    /// Multiprocessors to have; persistent kernels run on as many blocks [default: 132]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", help_heading = "Simulator", value_parser = clap::value_parser!(u32).range(1..))
    )]
    pub multiprocessors: Option<u32>,

    /// After the run, tell by source line what it did: instructions, coalescing, bank conflicts,
    /// divergence; `--profile=json` prints one JSON object and nothing else
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_enum,
            value_name = "FORMAT",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = "text",
            hide_possible_values = true,
            help_heading = "Simulator"
        )
    )]
    pub profile: Option<ProfileFormat>,
}

/// How a profile is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum ProfileFormat {
    /// A table for people
    Text,
    /// One JSON object
    Json,
}

impl SimulatorOptions {
    /// What the simulator is to do.
    #[must_use]
    pub fn machine(&self) -> machine::Options {
        let default = machine::Options::default();
        machine::Options {
            checks: !self.no_checks,
            profile: self.profile.is_some(),
            steps: self.sim_steps.unwrap_or(default.steps),
            delays: self.delays,
            functions: match self.gpu_errors {
                true => Functions::Measured,
                false => Functions::Exact,
            },
            multiprocessors: self.multiprocessors.unwrap_or(default.multiprocessors),
            ..default
        }
    }

    /// Opens a device by name; see [`Device::parse`].
    ///
    /// # Errors
    /// If there is no such device, or options are given and it is no simulator.
    pub fn open(&self, name: &str) -> Result<Device, DeviceError> {
        let device = Device::parse_with(name, self.machine())?;
        match self.given() {
            Some(option) if device.simulator().is_none() => Err(DeviceError::SimulatorOption {
                option,
                device: device.properties().name.clone(),
            }),
            _ => Ok(device),
        }
    }

    /// An option that was given.
    #[must_use]
    pub const fn given(&self) -> Option<&'static str> {
        match self {
            Self {
                profile: Some(_), ..
            } => Some("--profile"),
            Self {
                sim_steps: Some(_), ..
            } => Some("--sim-steps"),
            Self {
                delays: Some(_), ..
            } => Some("--delays"),
            Self {
                gpu_errors: true, ..
            } => Some("--gpu-errors"),
            Self {
                multiprocessors: Some(_),
                ..
            } => Some("--multiprocessors"),
            Self {
                no_checks: true, ..
            } => Some("--no-checks"),
            _ => None,
        }
    }
}
