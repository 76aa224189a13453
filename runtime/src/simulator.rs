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
//! - `ptx`: text to a tree; nothing is known of what instructions mean. Errors carry line and text.
//! - [`registers`]: the register file of a warp. A warp is one vector: each instruction works on
//!   all 32 lanes of its operands at once, under a mask.
//! - `arithmetic`: the instructions that go from registers to registers, lane by lane.
//! - `matrix`: tensor-core instructions: fragments, descriptors, swizzles.
//! - [`checks`]: who wrote what, who knows of it, what was never written: races, missing waits and
//!   fences, uninitialised memory.

pub mod checks;
pub mod registers;
