//! From the llvm dialect to PTX with its manifest.
//!
//! [`llvm`] translates the module and runs LLVM's O3; [`ptx`] emits the text; [`manifest`] writes what
//! a launcher must know in front of it.

pub mod llvm;
pub mod manifest;
pub mod nvidia;
