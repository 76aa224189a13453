//! The Tile compiler: kernels written one tile at a time become PTX.
//!
//! The folders are the pipeline; read them in this order:
//!
//! | stage | module | in → out |
//! |---|---|---|
//! | text | [`source`], [`syntax`] in the [front end](tile_frontend) | `.tile` text → tokens → syntax tree |
//! | meaning | [`sema`], [`typed`] there | syntax tree + generics → typed program |
//! | reference | [`interp`], [`inline_ptx`] there | typed program → results on the CPU |
//! | MLIR | [`dialect`], [`ir`] | typed program → module of the `tile` dialect |
//! | decisions | [`passes`], [`facts`], [`layout`], [`target`] | tiles → tiles with layouts → per-thread code |
//! | code | [`backend`] | LLVM dialect → LLVM IR → PTX + manifest |
//! | choice | [`tuning`] | configurations of a kernel → the fastest, recorded; a record → the nearest |
//! | tests | [`testing`] | typed `test` block → passed, or what is wrong |
//! | account | [`explain`] | the module on its way → what was decided, and what it costs |
//! | command | [`driver`] | the `tilec` command line |
//!
//! Problems are [`diagnostic`]s at every stage. All of them recurse, on threads with a large [`stack`]. `unsafe` code is in
//! [`ffi`] alone.

pub use tile_frontend::{
    diagnostic, inline_ptx, interp, sema, source, stack, syntax, target, typed,
};

pub mod backend;
pub mod compile;
pub mod dialect;
pub mod driver;
pub mod explain;
pub mod facts;
mod ffi;
pub mod ir;
pub mod layout;
pub mod passes;
pub mod testing;
pub mod tuning;
