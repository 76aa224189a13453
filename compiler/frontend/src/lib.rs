//! The front end of the Tile compiler: from text to programs that mean something, and what they compute.
//!
//! | stage | module | in → out |
//! |---|---|---|
//! | text | [`source`], [`syntax`] | `.tile` text → tokens → syntax tree |
//! | meaning | [`sema`], [`typed`] | syntax tree + generics → typed program |
//! | reference | [`interp`] | typed program → results on the CPU |
//! | | [`inline_ptx`] | PTX in a program: checked, and run on the CPU |
//!
//! Problems are [`diagnostic`]s at every stage, and [`target`] is what is known of each GPU. Everything here recurses, on
//! threads with a large [`stack`].
//!
//! Nothing here knows LLVM or MLIR: it builds and is tested without them, and whatever works on programs but compiles none
//! (an editor, a checker, a formatter) needs no more than this.

pub mod diagnostic;
pub mod inline_ptx;
pub mod interp;
pub mod sema;
pub mod source;
pub mod stack;
pub mod syntax;
pub mod target;
pub mod typed;
