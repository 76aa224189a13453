//! The reference interpreter: what a kernel means, run on the CPU.
//!
//! A [`typed::Kernel`](crate::typed::Kernel), arguments and a grid go in; afterwards the buffers
//! hold what the kernel stored. Program instances run one after another, x fastest. Compiled code
//! is compared with this, so it is written to be read, and this page is the reference of the
//! numeric semantics.
//!
//! ```text
//! v1 : i32[4] = add(broadcast(mul(program_id 0, 4)), arange 0..4)      program (2, 0, 0)
//!   ⇒  v1 = [8, 9, 10, 11]
//! ```
//!
//! # Values
//!
//! A [tile](value::Tile) is the bits of its elements. Everything that only moves elements
//! (`load`, `store`, `where`, `reshape`, `permute`, `bitcast`, …) copies bits. Arithmetic decodes
//! them, computes, and encodes the result; which NaN a NaN result is, is not specified.
//!
//! # Integers
//!
//! - Results wrap at the width of their element; signedness is the element's. `i1` is an unsigned
//!   number of one bit.
//! - `/` rounds to zero and `%` has the sign of the left operand; `MIN / -1` wraps to `MIN` and
//!   `MIN % -1` is 0. A zero divisor is an error, in any element of the tile.
//! - A shift amount is read as unsigned: of the width or more (a negative one is) it gives 0, or
//!   the sign for an arithmetic right shift.
//!
//! # Floats
//!
//! - `+ - * / %`, `sqrt` and `fma` are exact and then rounded once to the element, to nearest even:
//!   IEEE 754 for every type, subnormals included (`arithmetic.rs` tells why computing in `f64` is
//!   enough). A result too large for `f8e4m3` or `f8e5m2` saturates, as a cast does.
//! - The other functions (`exp`, `sin`, `erf`, `rsqrt`, …) are computed in `f64` and rounded to
//!   `f32`; for `f32` that is the correctly rounded value in all but about one case in a billion.
//!   Narrower types are computed in `f32` and then rounded. For `f64` the result is that of the
//!   crate `libm`, within 2 ulp. `fast.exp` and the like are the same functions here: what they may
//!   lose is the target's business.
//! - `min` and `max` are IEEE 754 `minimumNumber` and `maximumNumber`: a NaN loses against a
//!   number, and -0 is smaller than +0. Comparisons with a NaN are false, except `!=`.
//! - `-x` and `abs(x)` act on the sign bit alone.
//!
//! # Conversions
//!
//! The rules of [`tile_runtime::numeric`]: to floats round to nearest even once, overflow to infinity
//! (the 8-bit types: to the largest finite value); float to integer toward zero, saturating, NaN to
//! 0; integer to integer keeps the low bits; to `i1` is `!= 0`. `round = rtz` rounds toward zero
//! instead and so never overflows a finite value.
//!
//! # Reductions and dots
//!
//! Their order is not specified by the language. The interpreter's is fixed, and a comparison with
//! other orders needs a tolerance that grows with the length.
//!
//! - A reduction is a balanced binary tree: the left half of the elements, combined with the right
//!   half. Types narrower than `f32` are combined in `f32` and rounded once at the end, `f32` in
//!   `f32`, `f64` in `f64`; integers wrap.
//! - `argmax` and `argmin` give the first of equals, compare -0 and +0 as equal, and pass over NaN
//!   unless all elements are NaN (then 0).
//! - A `dot` of floats is, per element, the accumulator plus the products in the order of `k`, in
//!   `f64` (where products of all narrower types are exact), rounded once to the accumulator's
//!   type. `precision = tf32` clears the low 13 bits of `f32` operands first. A dot of integers is
//!   exact and wraps at the accumulator's width.
//!
//! # Sorting
//!
//! The order of `sort`, `argsort` and `topk` is total: numbers as they compare, -0 before +0, and NaN
//! above all numbers, whatever its sign and bits. Descending is the reverse. Elements that are equal
//! in it keep their order, both ways. (Which NaN comes out of `sort` is not specified.)
//!
//! A `histogram` counts the elements that are one of its bins; others, negative ones too, and those
//! under a false mask are not counted.
//!
//! `map` runs its function once for every element, in row-major order: a branch that an element does
//! not take is not evaluated for it.
//!
//! # Memory
//!
//! - A pointer is the parameter it came from and an offset in elements. Reading or writing outside
//!   the parameter's buffer is an error, however close another buffer may lie.
//! - An element that is masked out touches no memory; a load gives `other` there, or 0.
//! - A view selects positions per dimension, computed in 64 bits. An element is out of bounds when
//!   any of its positions is negative or not below the tensor's size; it is then masked out. With
//!   `bounds = unchecked` it is an error instead.
//! - When a store writes one place twice, the last element in row-major order wins here; on a GPU
//!   it may be any, and likewise between programs.
//!
//! # Control
//!
//! - `range(lo, hi, step)` counts up or down by the sign of `step` and never wraps; a step of 0 is
//!   an error.
//! - A false `assume` is an error, and so is a false `assert`.
//! - A program instance that goes round its loops more than [`Options::max_rounds`] times is
//!   stopped with an error.

use std::collections::BTreeSet;

use crate::inline_ptx::Runner;
use crate::stack::on_deep_stack;
use crate::typed::{Kernel, walk};

pub mod arguments;
mod arithmetic;
mod asm;
mod cast;
mod combine;
mod debug;
pub mod deviation;
mod dot;
mod expr;
pub mod fault;
mod host;
mod math;
pub mod memory;
mod program;
mod reduce;
mod sort;
pub mod spread;
mod stmt;
pub mod value;
mod view;

#[cfg(test)]
mod tests;

pub use arguments::{Argument, Arguments};
pub use deviation::Deviation;
pub use fault::{Fault, InterpError};
pub use host::{Host, run_host};
pub use memory::{Buffer, BufferId, LastStore};

/// How to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many iterations the loops of one program instance may take, all together.
    pub max_rounds: u64,
    /// Whether `print` writes to stdout; otherwise it does nothing.
    pub prints: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_rounds: 10_000_000,
            prints: false,
        }
    }
}

/// Runs every program instance of `grid` and leaves the results in the buffers of `arguments`.
///
/// # Errors
///
/// The arguments do not fit the parameters, or a program instance did what is not allowed (see
/// [`Fault`]). What was stored before stays stored.
pub fn run(
    kernel: &Kernel,
    grid: [u32; 3],
    arguments: &mut Arguments,
    options: Options,
) -> Result<(), Box<InterpError>> {
    run_with(kernel, grid, arguments, options, None)
}

/// The same, but in another way that the language leaves open.
///
/// # Errors
///
/// As [`run`]. Programs that wait for one another may never end in another order; those of kernels
/// without `while` do.
pub fn run_otherwise(
    kernel: &Kernel,
    grid: [u32; 3],
    arguments: &mut Arguments,
    options: Options,
    deviation: &Deviation,
) -> Result<(), Box<InterpError>> {
    run_with(kernel, grid, arguments, options, Some(deviation))
}

fn run_with(
    kernel: &Kernel,
    grid: [u32; 3],
    arguments: &mut Arguments,
    options: Options,
    deviation: Option<&Deviation>,
) -> Result<(), Box<InterpError>> {
    // Evaluation recurses as deep as expressions nest.
    let run = || run_all(kernel, grid, arguments, options, deviation);
    on_deep_stack(run).unwrap_or_else(|error| {
        Err(Box::new(InterpError {
            fault: Fault::Launch(format!("no thread to run on: {error}")),
            span: kernel.span,
            program_id: None,
            position: None,
        }))
    })
}

fn run_all(
    kernel: &Kernel,
    grid: [u32; 3],
    arguments: &mut Arguments,
    options: Options,
    deviation: Option<&Deviation>,
) -> Result<(), Box<InterpError>> {
    let (variables, mut memory) = arguments.bind(kernel)?;
    let mut asm = Runner::default();
    // The order of programs shows where they add to the same floats. Those that wait keep theirs, as
    // they may wait for the one before.
    let statements = &kernel.body.statements;
    let backward = deviation.is_some_and(Deviation::is_backward)
        && walk::adds_to_shared_floats(statements)
        && !walk::may_wait(statements);
    let reduced = match deviation {
        Some(_) => walk::reduced(statements),
        None => BTreeSet::new(),
    };
    let count: u64 = grid.iter().map(|&count| u64::from(count)).product();
    for number in 0..count {
        let number = if backward { count - 1 - number } else { number };
        let [x, y] = [grid[0], grid[1]].map(u64::from);
        let id = [number % x, number / x % y, number / x / y];
        program::Program {
            kernel,
            memory: &mut memory,
            asm: &mut asm,
            variables: variables.clone(),
            // Each is below a size of the grid.
            id: id.map(|position| position as u32),
            grid,
            rounds: 0,
            max_rounds: options.max_rounds,
            prints: options.prints,
            deviation,
            reduced: &reduced,
            host: None,
        }
        .run()?;
    }
    Ok(())
}
