//! Properties of layouts, checked on random ones and against formulas of the PTX ISA.
#![allow(clippy::unwrap_used)]

mod conversions;
mod descriptor;
mod distribution;
mod exchange;
mod fragments;
mod memory;
mod shapes;
mod shared;
mod strategies;
