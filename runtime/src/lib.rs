//! placeholder
pub mod element;
pub mod manifest;
pub mod numeric;
pub mod launch;
mod suggest;
pub mod tensor;
