//! The instructions against independent statements of what they mean.

mod descriptor;
mod isa;
mod kind;
mod layout;
mod matrix;
mod mma;
mod movement;
mod speed;
mod swizzle;
mod wgmma;
