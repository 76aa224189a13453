//! The interpreter against independent oracles: native Rust numbers, exact integers, ndarray.

mod arithmetic;
mod build;
mod casts;
mod control;
mod kernels;
mod math;
mod memory;
mod movement;
mod pointers;
mod reductions;
mod scaled;
mod sorting;
mod sources;
mod spread;
