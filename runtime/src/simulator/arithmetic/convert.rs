//! `cvt` (PTX ISA, 9.7.9.21): from any type to any other.
//!
//! - [`integer`]: to and from integers; [`float`]: between floats; [`packed`]: several at once,
//!   and the formats of 8 bits and fewer.

pub(super) mod float;
pub(super) mod integer;
pub(super) mod packed;
