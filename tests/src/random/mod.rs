//! Random programs: well typed, with one right result, from a seed.
//!
//! [`program`] makes the tree of a kernel and a call of it; [`tree::Program::text`] is its source.
//! [`run`] compiles it, runs it in the simulator with all checks on, and compares every bit with
//! the interpreter. [`shrink`] looks for a smaller program that fails alike. [`search`] tries many
//! seeds, in processes that may die.
//!
//! Results are exact by construction, so that no tolerance hides anything: integers wrap, IEEE
//! operations are rounded once, and floats are summed only where every partial sum is a whole
//! number that fits. [`products`], [`packed`], [`loops`], [`rows`] and [`pointers`] are programs of their own. A few programs (one in seven) end with functions that are good to some units
//! in the last place, and are compared so.

mod choices;
mod elementwise;
mod generator;
mod linear;
mod memory;
mod movement;
mod ordering;
mod print;
mod reduction;
mod statements;
mod written;

pub mod files;
pub mod loops;
pub mod packed;
pub mod pointers;
pub mod products;
pub mod rows;
pub mod run;
pub mod search;
pub mod shrink;
pub mod tree;

pub use choices::Choices;
pub use generator::Limits;
pub use statements::program;
pub use written::Written;
