//! Asynchronous instructions on the simulator: small kernels, and what they leave in memory or what
//! is found wrong with them.
//!
//! With `TILE_PTXAS` set to the path of NVIDIA's assembler, each kernel is assembled too.

mod bulk;
mod copies;
mod kernel;
mod mbarriers;
mod tensors;
mod warp_specialised;
mod wgmma;
