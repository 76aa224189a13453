//! The one error type of this crate's high-level calls.

use crate::arguments::ArgumentError;
use crate::backend::DeviceError;
use crate::launch::LaunchError;
use crate::manifest::ManifestError;
use crate::npy::NpyError;
use crate::output::OutputError;
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
    /// A file is not to be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// `--save` or `--expect` of something that has no elements.
    #[error(
        "`{option} {name}=…`: `{name}` is a number, which a kernel cannot change: only tensors and pointers are in files"
    )]
    NotInFiles {
        /// The option.
        option: &'static str,
        /// The parameter.
        name: String,
    },
    /// `--time` without a GPU.
    #[error("`--time` needs a GPU: the time of {0} is the host's and says nothing about one")]
    NothingToTime(&'static str),
}

impl Error {
    /// Whether the call is at fault (its arguments, names or files) and not the program or the
    /// device: exit code 2 of the command line tools, otherwise 1.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        match self {
            Self::Launch(LaunchError::Inconsistent { .. }) => false,
            Self::Launch(_)
            | Self::Tensor(_)
            | Self::Npy(_)
            | Self::Argument(_)
            | Self::Output(_)
            | Self::NotInFiles { .. }
            | Self::NothingToTime(_) => true,
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
