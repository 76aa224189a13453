//! Executes decoded programs.
//!
//! Comes in: a [`Launch`]. Goes out: memory as the kernel leaves it, what was counted, or the first
//! defect. Blocks of a cluster run together, on one thread of the host; clusters are spread over
//! all threads, in any order, since nothing passes between them. Kernels whose programs talk to
//! each other through global memory run on one thread, and give way to each other when they wait:
//! what happens is the same on every host.

// An access is who, where, how much and how; most functions here are told all of it.
#![allow(clippy::too_many_arguments)]

mod asynchronous;
mod atomics;
mod barrier;
mod block;
mod call;
mod communicate;
mod delays;
mod global;
mod grid;
mod matrices;
mod memory;
mod order;
mod poison;
mod report;
mod shared;
mod step;
pub mod warp;
mod watch;

pub use communicate::each;
pub use grid::{Launch, Options, run};
pub use order::LaunchChecks;
pub use watch::{Stored, Watched};
