//! What makes operations: a builder with value numbering, the rebuilder that every pass is made of, and the way from the typed program to
//! a module of the dialect.

mod builder;
pub mod from_typed;
mod rebuild;

pub use builder::Builder;
pub use rebuild::{Rebuilder, Rewrite};
