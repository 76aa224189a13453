//! The Tile compiler: kernels written one tile at a time become PTX.
//!
//! The folders are the pipeline; read them in this order:
//!
//! | stage | module | in → out |
//! |---|---|---|
//! | text | [`source`], [`syntax`] in the [front end](tile_frontend) | `.tile` text → tokens → syntax tree |
//! | meaning | [`sema`], [`typed`] there | syntax tree + generics → typed program |
//! | reference | [`interp`], [`inline_ptx`] there | typed program → results on the CPU |
//! | MLIR | [`dialect`], [`ir`], [`facts`], [`layout`] in a [crate of their own](tile_ir) | typed program → module of the `tile` dialect |
//! | decisions | [`passes`], another | tiles → tiles with layouts → per-thread code |
//! | code | [`backend`] | LLVM dialect → LLVM IR → PTX + manifest |
//! | choice | [`tuning`] | configurations of a kernel → the fastest, recorded; a record → the nearest |
//! | tests | [`testing`] | typed `test` block → passed, or what is wrong |
//! | account | [`explain`] | the module on its way → what was decided, and what it costs |
//! | command | [`driver`] | the `tilec` command line |
//!
//! Problems are [`diagnostic`]s at every stage. All of them recurse, on threads with a large [`stack`]. `unsafe` code is in
//! `backend/ffi.rs` and in [`ir::ffi`] alone.

pub use tile_frontend::{
    diagnostic, inline_ptx, interp, sema, source, stack, syntax, target, typed,
};
use tile_ir::ffi;
pub use tile_ir::{build, dialect, facts, ir, layout};
pub use tile_passes as passes;

pub mod backend;
pub mod compile;
pub mod driver;
pub mod explain;
pub mod testing;
pub mod tuning;
