//! Devices made of software: the part of [`Device`] that needs the simulator.

use std::sync::Arc;

use super::Device;
use crate::backend::DeviceError;
use crate::simulator::device::Simulator;
use crate::simulator::machine::Options;

impl Device {
    /// A simulated GPU, with all checks on.
    #[must_use]
    pub fn sim() -> Self {
        Self::simulated(Options::default())
    }

    /// A simulated GPU that runs as the options say.
    #[must_use]
    pub fn simulated(options: Options) -> Self {
        Self::from_simulator(Simulator::new(options))
    }

    /// A device by name; if it is the simulator it runs as the options say.
    ///
    /// # Errors
    /// If the name is none, or there is no such device.
    pub fn parse_with(name: &str, options: Options) -> Result<Self, DeviceError> {
        Self::named(name, &|error| Ok(Self::instead_of(error, options.clone())))
    }

    /// The simulator, if it is one.
    #[must_use]
    pub fn simulator(&self) -> Option<&Simulator> {
        self.simulator.as_deref()
    }

    /// The simulator, which says why it is taken if that is instead of a GPU.
    pub(super) fn instead_of(error: Option<DeviceError>, options: Options) -> Self {
        let reason = match error {
            None => return Self::simulated(options),
            Some(DeviceError::NoDriver) => "no NVIDIA driver found",
            Some(_) => "no GPU found",
        };
        Self::from_simulator(Simulator::instead(reason, options))
    }

    fn from_simulator(simulator: Simulator) -> Self {
        let simulator = Arc::new(simulator);
        Self {
            backend: simulator.clone(),
            simulator: Some(simulator),
        }
    }
}
