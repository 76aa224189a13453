//! placeholder
pub mod arguments;
pub mod backend;
mod cuda;
pub mod device;
pub mod element;
mod error;
mod ffi;
pub mod launch;
pub mod manifest;
pub mod npy;
pub mod numeric;
pub mod program;
mod suggest;
pub mod tensor;
pub use error::Error;
