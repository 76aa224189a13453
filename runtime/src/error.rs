//! The one error type of this crate's high-level calls.

use crate::arguments::ArgumentError;
use crate::backend::DeviceError;
use crate::launch::LaunchError;
use crate::manifest::ManifestError;
use crate::npy::NpyError;
use crate::tensor::TensorError;

/// Anything that can go wrong from PTX to result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The PTX says too little about itself.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The arguments do not suit the kernel.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The device cannot, or failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A tensor cannot be made.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A `.npy` file cannot be read or written.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// An argument on the command line cannot be understood.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
}

impl Error {
    /// Whether the call is at fault (its arguments, names or files) and not the program or the
    /// device: exit code 2 of the command line tools, otherwise 1.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        match self {
            Self::Launch(LaunchError::Inconsistent { .. }) => false,
            Self::Launch(_) | Self::Tensor(_) | Self::Npy(_) | Self::Argument(_) => true,
            Self::Manifest(error) => matches!(
                error,
                ManifestError::NoSuchKernel { .. } | ManifestError::SeveralKernels(_)
            ),
            Self::Device(error) => matches!(
                error,
                DeviceError::Unknown(_)
                    | DeviceError::NoSuchDevice { .. }
                    | DeviceError::SimulatorOption { .. }
            ),
        }
    }
}
