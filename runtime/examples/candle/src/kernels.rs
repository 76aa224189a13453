//! The modules that the build script writes, and all of them loaded.

use tile_runtime::Error;
use tile_runtime::device::Device;

macro_rules! modules {
    ($($module:ident),*) => {
        $(pub mod $module {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($module), ".rs"));
        })*

        /// The kernels of all modules.
        pub struct Kernels {
            $(pub $module: $module::Kernels,)*
        }

        impl Kernels {
            pub fn load(device: &Device) -> Result<Self, Error> {
                Ok(Self { $($module: $module::Kernels::load(device)?,)* })
            }
        }
    };
}

modules!(
    attention,
    causal,
    attention_backward,
    causal_backward,
    rms_norm,
    cross_entropy,
    routed
);
