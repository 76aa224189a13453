//! Kernels of Tile as operations of [candle](candle_core), with gradients: attention, RMS norm, cross entropy, and the routed product
//! of a mixture of experts.
//!
//! ```
//! use candle_core::{Device, Tensor, Var};
//!
//! # fn main() -> candle_core::Result<()> {
//! let x = Var::randn(0f32, 1.0, (3, 100), &Device::Cpu)?;
//! let weight = Tensor::ones(100, candle_core::DType::F32, &Device::Cpu)?;
//! let y = tile_candle::rms_norm(&x, &weight, 1e-6)?;
//! let gradients = y.sqr()?.sum_all()?.backward()?;
//! assert_eq!(gradients.get(&x).unwrap().dims(), [3, 100]);
//! # Ok(())
//! # }
//! ```

mod attention;
mod bridge;
mod cross_entropy;
mod kernels;
mod rms_norm;
mod routed;

pub use attention::attention;
pub use cross_entropy::cross_entropy;
pub use rms_norm::rms_norm;
pub use routed::{Routing, routed_product};

/// The two ways by which candle calls an operation of so many tensors, from one `forward` of its own.
macro_rules! forwards {
    ($($storage:ident $layout:ident),*) => {
        fn cpu_fwd(
            &self,
            $($storage: &candle_core::CpuStorage, $layout: &candle_core::Layout,)*
        ) -> candle_core::Result<(candle_core::CpuStorage, candle_core::Shape)> {
            let inputs = [$(crate::bridge::Input::on_cpu($storage, $layout)),*];
            match self.forward(&*inputs[0].place()?, inputs)?.into_storage()? {
                (candle_core::Storage::Cpu(storage), shape) => Ok((storage, shape)),
                _ => unreachable!("results are where the arguments are"),
            }
        }

        fn cuda_fwd(
            &self,
            $($storage: &candle_core::CudaStorage, $layout: &candle_core::Layout,)*
        ) -> candle_core::Result<(candle_core::CudaStorage, candle_core::Shape)> {
            let inputs = [$(crate::bridge::Input::on_cuda($storage, $layout)),*];
            match self.forward(&*inputs[0].place()?, inputs)?.into_storage()? {
                (candle_core::Storage::Cuda(storage), shape) => Ok((storage, shape)),
                _ => unreachable!("results are where the arguments are"),
            }
        }
    };
}
use forwards;
