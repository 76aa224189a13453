//! A GPU in the box: runs PTX on the CPU, and finds what a GPU hides.
//!
//! The simulator takes PTX text, whoever compiled it, and knows nothing of the compiler. It is a
//! second [`Backend`](crate::backend::Backend): what runs on a GPU runs here unchanged.
//!
//! ```text
//!  PTX text ─▶ ptx ─▶ program ─────────────▶ machine ─▶ memory as the kernel leaves it,
//!              tree   decoded instructions,  warps      findings, counters
//!                     registers in slots
//! ```
//!
//! - [`ptx`]: text to a tree; nothing is known of what instructions mean. Errors carry line and
//!   text.
//! - [`program`]: the tree to instructions that run, with registers in slots.
//! - [`registers`]: the register file of a warp. A warp is one vector: each instruction works on
//!   all 32 lanes of its operands at once, under a mask.
//! - [`arithmetic`]: the instructions that go from registers to registers, lane by lane.
//! - [`matrix`]: tensor-core instructions: fragments, descriptors, swizzles.
//! - [`tensor_map`]: what TMA instructions know of a tensor.
//! - [`memory`]: allocations of the device, and what addresses mean.
//! - [`machine`]: warps, blocks, clusters, grids.
//! - [`checks`]: who wrote what, who knows of it, what was never written: races, missing waits and
//!   fences, uninitialised memory.
//! - [`counters`]: transactions, sectors, bank conflicts, by instruction; [`profile`]: by source
//!   line.
//! - `capture`: streams whose work is captured for a graph.
//! - [`device`]: all this as a device.

pub mod arithmetic;
mod capture;
pub mod checks;
pub mod counters;
pub mod device;
pub mod machine;
pub mod matrix;
pub mod memory;
pub mod profile;
pub mod program;
pub mod ptx;
pub mod registers;
pub mod tensor_map;
