//! The instructions against independent statements of what they mean.

mod speed;
