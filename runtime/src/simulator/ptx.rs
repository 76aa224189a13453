//! PTX text to a tree. Nothing is known here of what instructions mean.

pub mod ast;
pub mod scope;
pub mod types;
