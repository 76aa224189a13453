//! Runs what `tilec` compiled.
//!
//! A compiled file is PTX text with a [manifest] in its first comment lines, which says
//! what each kernel takes, how its grid is computed and what its compiled variants rely on. This
//! crate checks a call against the manifest, chooses the variant and launches it. It knows nothing
//! of the compiler: a program that ships compiled kernels links this crate alone, and needs
//! NVIDIA's driver to run but no CUDA to build.
//!
//! ```no_run
//! use tile_runtime::device::{Arg, Device};
//! use tile_runtime::element::ElementType::F32;
//! use tile_runtime::tensor::Tensor;
//!
//! # fn main() -> Result<(), tile_runtime::Error> {
//! let device = Device::auto()?;
//! let program = device.load(include_str!("../tests/add.ptx"))?;
//! let x = device.upload(&Tensor::randn(F32, &[1000], 0)?)?;
//! let y = device.upload(&Tensor::arange(F32, &[1000], 0, 1)?)?;
//! let z = device.zeros(F32, &[1000])?;
//! let add = program.kernel(Some("add"))?;
//! add.launch(&[("x", Arg::Tensor(&x)), ("y", Arg::Tensor(&y)), ("z", Arg::Mut(&z))])?;
//! println!("{:?}", z.download()?);
//! # Ok(())
//! # }
//! ```
//!
//! Without the feature `simulator`, which is on by default, a program that ships kernels links no simulator and builds in a third
//! of the time.
//!
//! # Map
//!
//! What the data is:
//! - [`element`]: the element types; [`numeric`]: their numbers as bits, and every conversion;
//! - [`tensor`]: tensors on the host; [`npy`]: tensors in files.
//!
//! What is run:
//! - [`manifest`]: what the compiler says of a file, and the text form of it;
//! - [`launch`]: named arguments checked against a kernel, giving a plan that any executor can
//!   carry out. No device here.
//!
//! Where it runs:
//! - [`backend`]: what a device must be able to do; `cuda` does it with the CUDA driver, and
//!   `ffi` holds the raw calls: but for `dlpack`, all `unsafe` of the crate that is no promise of its user;
//! - [`simulator`]: a device made of software, with checks that no GPU has;
//! - [`device`]: devices, streams, events, tensors in device memory;
//! - [`program`]: loaded kernels and their launches, checked each time, prepared once, or found again;
//! - [`dlpack`]: tensors of other libraries;
//! - [`graph`]: launches that are captured once and replayed; [`pinned`]: host memory that the device copies by itself;
//! - [`typed`]: tensors and kernels with types that the Rust compiler checks;
//! - [`occupancy`]: how many programs a multiprocessor holds at once, computed without a device.
//!
//! From the command line:
//! - [`arguments`]: `x=randn(512,512)`; [`run`]: one run from options to results;
//!   [`comparison`]: whether a result is what it should be;
//! - [`report`]: what is printed of a run. `tile-run` and `tilec run` are thin shells around these.
//!
//! What is public and not in this documentation (`input`, `output`, `printf`, `problem`, `sources`, `unfinished`) is for these two commands and
//! changes as they do. Errors get new cases in minor versions, so their enums are `non_exhaustive`.

pub mod arguments;
pub mod backend;
pub mod comparison;
mod cuda;
pub mod device;
pub mod dlpack;
pub mod element;
mod error;
mod ffi;
pub mod graph;
#[doc(hidden)]
pub mod input;
pub mod launch;
pub mod manifest;
pub mod npy;
pub mod numeric;
pub mod occupancy;
#[doc(hidden)]
pub mod output;
pub mod pinned;
#[doc(hidden)]
pub mod printf;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod problem;
pub mod program;
#[cfg(feature = "simulator")]
pub mod report;
#[cfg(feature = "simulator")]
pub mod run;
#[cfg(feature = "simulator")]
pub mod simulator;
#[doc(hidden)]
pub mod sources;
mod suggest;
pub mod tensor;
pub mod typed;
#[doc(hidden)]
pub mod unfinished;

pub use error::Error;
