//! Checks and times compiled kernels on a GPU: the library behind `tile-bench`.
//!
//! It links the runtime and not the compiler. Kernels come as PTX files compiled beforehand; what a
//! kernel computes is told by its name (`add…`, `softmax…`, `matmul…`), what it takes by its
//! manifest, so any variant of one can be dropped beside the others and is measured with them.
//!
//! # Map
//!
//! - [`problem`]: the functions, the shapes they are run at, and the limits of their errors;
//! - [`reference`](mod@reference): the same functions in float64 on the CPU, and the comparison;
//! - [`kernels`]: PTX files, and what their manifests say of the functions;
//! - [`session`]: a kernel on a device with random inputs, guards and poisoned outputs;
//! - [`check`], [`speed`]: the two measurements;
//! - [`compare`](mod@compare): any kernel against what the interpreter says;
//! - [`occupancy`]: programs on a multiprocessor as computed and as the driver says;
//! - [`products`]: matrix products beside cuBLASLt;
//! - [`ffi`](mod@ffi), for cuBLASLt;
//! - [`worker`]: runs them in a process that may die, since a kernel that faults or hangs takes its
//!   process with it;
//! - [`table`]: what is printed.

#![allow(clippy::result_large_err)] // the runtime's error is what it is; nothing here is hot

pub mod check;
pub mod compare;
pub mod ffi;
pub mod kernels;
pub mod occupancy;
pub mod problem;
pub mod products;
pub mod reference;
pub mod session;
pub mod speed;
pub mod table;
pub mod worker;
