//! From the llvm dialect to PTX with its manifest.
//!
//! [`llvm`] translates the module, runs LLVM's passes and emits PTX, and [`fatal`] tells what LLVM ends
//! the process for; [`manifest`] writes what a launcher must know in front of the PTX; [`nvidia`] asks
//! NVIDIA's tools.

pub mod fatal;
pub mod llvm;
pub mod manifest;
pub mod nvidia;
