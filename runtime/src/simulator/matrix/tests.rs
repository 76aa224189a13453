//! The instructions against independent statements of what they mean.

mod isa;
mod kind;
mod matrix;
mod mma;
mod movement;
mod speed;
