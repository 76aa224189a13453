//! What the passes of the Tile compiler work on.
//!
//! | module | what |
//! |---|---|
//! | [`ir`] | typed handles of MLIR |
//! | [`dialect`] | the `tile` dialect: its operations, and what holds of them |
//! | [`build`] | a builder, the walk that rebuilds a function, and the typed program as a module of the dialect |
//! | [`layout`] | who holds which element: layouts as linear maps over bits |
//! | [`facts`] | what is known of values: divisors, signs, ranges |
//!
//! No pass is known here. `unsafe` code is in [`ir::ffi`] alone.

use tile_frontend::{diagnostic, inline_ptx, source, typed};

pub mod build;
pub mod dialect;
pub mod facts;
pub mod ir;
pub mod layout;

pub use ir::ffi;
