//! RMS norm on a GPU: a crate whose kernels come compiled.
//!
//! `src/kernels.rs` is written by `tilec build rms_norm.tile --emit rust` and is part of the crate, so its users need NVIDIA's driver
//! and nothing else. Without a GPU the tests run on the simulator, which also looks for races and accesses out of bounds.

use tile_runtime::Error;
use tile_runtime::device::{Device, Stream};
use tile_runtime::typed::Tensor;

#[rustfmt::skip]
mod kernels;

/// RMS norm with a weight for each column.
#[derive(Debug)]
pub struct RmsNorm {
    kernels: kernels::Kernels,
    weight: Tensor<f32, 1>,
    epsilon: f32,
}

impl RmsNorm {
    /// Loads the kernel and copies the weight to the device.
    ///
    /// # Errors
    /// If the device does not run the kernel's code or has no memory.
    pub fn new(device: &Device, weight: &[f32], epsilon: f32) -> Result<Self, Error> {
        Ok(Self {
            kernels: kernels::Kernels::load(device)?,
            weight: Tensor::from_slice(device, [weight.len()], weight)?,
            epsilon,
        })
    }

    /// Starts `y = x / sqrt(mean(x * x) + epsilon) * weight` on a stream, row by row.
    ///
    /// # Errors
    /// If `x`, `y` and the weight differ in columns: before anything runs.
    pub fn forward(
        &self,
        stream: &Stream,
        x: &Tensor<f32, 2>,
        y: &mut Tensor<f32, 2>,
    ) -> Result<(), Error> {
        let kernel = &self.kernels.rms_norm;
        kernel.launch(stream, x, &self.weight, self.epsilon, y)
    }
}
