//! The instructions that go from registers to registers, lane by lane.
//!
//! In goes the dotted name of an instruction and how many operands it has; out comes a [`Form`]:
//! what its operands are, and a function that computes all lanes of a warp. Nothing here knows of
//! memory or of other lanes, and nothing fails: once found, a form computes.
//!
//! ```
//! use tile_runtime::simulator::arithmetic::{find, forms};
//! use tile_runtime::simulator::registers::{FULL, Registers, Slot};
//!
//! let add = find(&["add", "rn", "f32"], 1, 2).expect("known");
//! let mut registers = Registers::new(3, 0);
//! registers.set32(Slot(1), FULL, [1.5f32.to_bits(); 32]);
//! registers.set32(Slot(2), FULL, [2f32.to_bits(); 32]);
//! (add.run)(&mut registers, &[Slot(0), Slot(1), Slot(2)], FULL);
//! assert_eq!(registers.get32(Slot(0)), [3.5f32.to_bits(); 32]);
//!
//! assert!(find(&["add", "rn", "s32"], 1, 2).is_none());
//! assert!(forms("add").contains(&"add.sat.s32 d, a, b".to_owned()));
//! ```
//!
//! # Map
//!
//! Each family is a file with a table of its instructions on top, and what they compute below.
//!
//! - `pattern`: how an instruction is written, and how opcodes are matched; `table`: how a line of
//!   a table becomes functions; `element`: types in registers; `lanes`: loops over them.
//! - `integer`, `carry`, `bits`: integers and bits.
//! - `ieee` (with `fused`), `half`, `special`: floats of 32 and 64 bits, of 16 bits, and what is
//!   approximate; `float`: what all of them share. Below them `rounding`, `format` and `exact`:
//!   every format and rounding mode, computed with integers.
//! - `compare`, `set` (made of `relation`s): comparisons; `predicate`: their results combined.
//! - `choice`: moves and selections; `convert`: `cvt`.
//!
//! # Where PTX leaves the result open
//!
//! - Divisions by zero: as hardware does, all ones, for quotient and remainder.
//! - NaN: results are `0x7fffffff` (`f32`) and `0x7fff` (`f16`, `bf16`), as on GPUs. `f64` keeps the
//!   payload of its first NaN operand; that it is the first, and that a new NaN is
//!   `0xfff8000000000000`, is how CPUs do it and not documented for GPUs.
//! - `.ftz` looks at the rounded result: what rounds up to the smallest normal number stays.
//! - Approximations (`ex2`, `sin`, `rcp.approx` and so on) are nearly as good as `f32` allows, so
//!   within PTX's bounds, but not the bits of any GPU. On demand they err as far as a GPU's (`measured`).

mod bits;
mod carry;
mod choice;
mod compare;
mod convert;
mod element;
mod exact;
mod float;
mod format;
mod fused;
mod half;
mod ieee;
mod integer;
mod lanes;
mod measured;
mod pattern;
mod predicate;
mod relation;
mod rounding;
mod set;
mod special;
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use pattern::{Parts, Row};

use crate::simulator::registers::{Mask, Registers, Slot};

/// What an operand is: the width of its register, and how a literal in its place is read.
///
/// A literal at a `B…` operand is an integer whose low bits count; at an `F…` operand it is a
/// floating-point number (PTX ISA, 4.5.2), converted to that type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A predicate register.
    Predicate,
    /// 8 bits. Registers of 16 bits and more hold it (PTX ISA, 9.4.1).
    B8,
    /// 16 bits, also the floats of 16 bits, for which there are no literals.
    B16,
    /// 32 bits, also pairs of 16.
    B32,
    /// 64 bits.
    B64,
    /// 32 bits; literals are `f32`.
    F32,
    /// 64 bits; literals are `f64`.
    F64,
}

impl Kind {
    /// Bits of a register of this kind; 1 for predicates.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::B8 => 8,
            Self::B16 => 16,
            Self::B32 | Self::F32 => 32,
            Self::B64 | Self::F64 => 64,
        }
    }
}

/// What an instruction is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Integers and bits.
    Integer,
    /// Floats of 16 bits, `bf16` among them.
    F16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// From one type to another.
    Conversion,
    /// Comparisons, and logic of predicates.
    Predicate,
    /// Approximations: `ex2`, `sin`, `rsqrt` and so on.
    Special,
    /// Moves, packing, choosing.
    Move,
}

/// All lanes of one instruction, of which those of the mask are written.
///
/// Operands are those of PTX in their order, destinations first: a vector such as `{%r1,%r2}` has
/// a slot per element, `%p|%q` has two, and if [`Form::carry`] the condition code follows at the
/// end. A destination may be one of the sources.
pub type Compute = fn(registers: &mut Registers, operands: &[Slot], mask: Mask);

/// A known instruction.
#[derive(Debug, Clone)]
pub struct Form {
    /// Computes it.
    pub run: Compute,
    /// What it writes.
    pub destinations: Vec<Kind>,
    /// What it reads.
    pub sources: Vec<Kind>,
    /// Whether one more operand follows the sources: a predicate register that holds the carry
    /// flag of the condition code `CC`, which the instruction reads or writes (PTX ISA, 9.7.2).
    pub carry: bool,
    /// Whether the destination is a signed integer, so that a wider register gets its sign
    /// (PTX ISA, 9.4.1); see [`extension`].
    pub signed: bool,
    /// What it counts as.
    pub class: Class,
    /// Floating-point operations per lane.
    pub flops: u32,
}

/// Finds the instruction whose dotted parts these are, with so many destinations and sources.
#[must_use]
pub fn find(opcode: &[&str], destinations: usize, sources: usize) -> Option<Form> {
    find_with(opcode, destinations, sources, Functions::Exact)
}

/// The same, where approximate functions are as they are said to be.
#[must_use]
pub fn find_with(
    opcode: &[&str],
    destinations: usize,
    sources: usize,
    functions: Functions,
) -> Option<Form> {
    let (first, modifiers) = opcode.split_first()?;
    let form = |row: &Row| {
        let form = || row.form(&Parts::new(modifiers), destinations, sources);
        row.matches(modifiers).then(form).flatten()
    };
    let measured = match functions {
        Functions::Exact => None,
        Functions::Measured => {
            let mut rows = measured::ROWS.iter().filter(|row| row.opcode() == *first);
            rows.find_map(form)
        }
    };
    let known = || of_opcode(first).iter().copied().find_map(form);
    measured.or_else(known)
}

/// How approximate functions come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Functions {
    /// As near to exact as their type allows.
    #[default]
    Exact,
    /// Off by as much as on a GPU.
    Measured,
}

/// The known forms of an opcode, as the PTX manual writes them; none if it is not known.
#[must_use]
pub fn forms(opcode: &str) -> Vec<String> {
    rows()
        .filter(|row| row.opcode() == opcode)
        .flat_map(Row::listing)
        .collect()
}

/// All known opcodes, in order.
#[must_use]
pub fn opcodes() -> Vec<&'static str> {
    let mut opcodes: Vec<_> = rows().map(Row::opcode).collect();
    opcodes.sort_unstable();
    opcodes.dedup();
    opcodes
}

/// What must run after an instruction that wrote an integer of kind `from` to a register that is
/// wider: operands are the register twice. `None` if the register is not wider.
///
/// `cvt` and `ld` may write to a register wider than their type, which gets the sign or zeros in
/// its upper bits (PTX ISA, 9.4.1).
#[must_use]
pub fn extension(from: Kind, to: Kind, signed: bool) -> Option<Compute> {
    (from.bits() < to.bits()).then_some(())?;
    let name = |kind: Kind| format!("{}{}", if signed { 's' } else { 'u' }, kind.bits());
    find(&["cvt", &name(to), &name(from)], 1, 1).map(|form| form.run)
}

/// The rows of an opcode. Every instruction that is decoded asks for them, so they are found once.
fn of_opcode(opcode: &str) -> &'static [&'static Row] {
    static ROWS: LazyLock<HashMap<&'static str, Vec<&'static Row>>> = LazyLock::new(|| {
        let mut of_opcodes: HashMap<_, Vec<_>> = HashMap::new();
        for row in rows() {
            of_opcodes.entry(row.opcode()).or_default().push(row);
        }
        of_opcodes
    });
    ROWS.get(opcode).map_or(&[], Vec::as_slice)
}

/// Every row of every table.
fn rows() -> impl Iterator<Item = &'static Row> {
    [
        integer::ROWS,
        carry::ROWS,
        bits::ROWS,
        ieee::ROWS,
        half::ROWS,
        special::ROWS,
        compare::ROWS,
        predicate::ROWS,
        set::ROWS,
        choice::ROWS,
        convert::integer::ROWS,
        convert::float::ROWS,
        convert::packed::ROWS,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests;
