//! The native half of the Python package: compiled kernels as functions of Apache tvm-ffi.
//!
//! Two symbols are exported, which tvm-ffi calls by name: `load(ptx, kernel, device[, order])` gives a function object, whose
//! arguments are those of the kernel in order, and `version()`. Arrays of the host are copied to the simulator and what the
//! kernel writes is copied back; tensors of a GPU are used where they lie, on the current stream of whoever calls.

mod abi;
mod arguments;
mod failure;
mod host;
mod kernel;
