//! Decoded PTX: what a warp executes.
//!
//! [`decode`](decode::decode) makes it once per module; after that no name and no text is looked at. Registers
//! have slots ([`allocate`]), immediates and special registers are registers that never change,
//! branches are instruction numbers, and each instruction keeps where it came from.

pub mod allocate;
pub mod decode;
pub mod op;

use std::sync::Arc;

use serde::Serialize;

use crate::simulator::arithmetic;
use crate::simulator::registers::Slot;
use op::Op;

/// A module, ready to run.
#[derive(Debug)]
pub struct Program {
    /// The architecture of its `.target`, such as `sm_90a`.
    pub target: String,
    /// Files that `.loc` names, by number.
    pub files: Vec<(u32, String)>,
    /// The lines of the text, for messages.
    pub text: Vec<String>,
    /// Its entry points.
    pub entries: Vec<Arc<Entry>>,
    /// Variables of `.global` and `.const`: memory of the module.
    pub globals: Vec<Variable>,
}

/// A variable in memory.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its symbol.
    pub name: String,
    /// Bytes it takes.
    pub bytes: u64,
    /// Its first bytes; what is not given is zero.
    pub initial: Vec<u8>,
    /// Whether it is `.const`: kernels may not write to it.
    pub constant: bool,
}

/// An entry point.
#[derive(Debug)]
pub struct Entry {
    /// Its symbol.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Bytes of all parameters, laid out as the driver does.
    pub parameter_bytes: u32,
    /// Bytes of shared variables whose sizes are known.
    pub static_shared_bytes: u32,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// Threads that `.reqntid` asks for.
    pub required_threads: Option<[u32; 3]>,
    /// Threads that `.maxntid` allows.
    pub max_threads: Option<u32>,
    /// Blocks of a cluster that `.reqnctapercluster` asks for.
    pub required_cluster: Option<[u32; 3]>,
    /// What is executed; starts at 0. The last instruction never falls through.
    pub code: Vec<Instruction>,
    /// Slots of all instructions' operands; see [`Instruction::operands`].
    pub operands: Vec<Slot>,
    /// Widths of these registers.
    pub widths: Vec<allocate::Width>,
    /// Names of registers that may be read before they are written, by their number.
    pub tracked: Vec<String>,
    /// Registers that never change, with what they hold. Their rows come first.
    pub constants: Vec<(Slot, Constant)>,
    /// Rows of the register file.
    pub rows: u32,
    /// Predicates of the register file.
    pub predicates: u32,
    /// Whether its programs may talk to each other through global memory: atomics, volatile
    /// accesses or accesses with an order. Their outcome may depend on which runs first.
    pub communicates: bool,
    /// Whether it prints: its lines come in the order of the programs.
    pub prints: bool,
    /// Names of the registers that wgmmas use as D or A, by their number: these are watched.
    pub wgmma_registers: Vec<String>,
    /// Registers of a thread that `.maxnreg` allows.
    pub max_registers: Option<u32>,
    /// Blocks on a multiprocessor that `.minnctapersm` asks for.
    pub min_blocks: Option<u32>,
}

/// A parameter of an entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its symbol.
    pub name: String,
    /// Where it starts in the parameter buffer.
    pub offset: u32,
    /// Bytes it takes.
    pub bytes: u32,
}

/// What a register that never changes holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// 8 to 32 bits, the same in all lanes.
    Bits32(u32),
    /// 64 bits, the same in all lanes.
    Bits64(u64),
    /// A predicate, the same in all lanes.
    Predicate(bool),
    /// The carry flag. It does change, but starts as false.
    Carry,
    /// The address of the module's variable of that number, plus so many bytes.
    Global(u32, i64),
    /// A special register that is known when the block starts.
    Special(op::Special, bool),
}

/// One instruction.
#[derive(Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// The predicate that says which lanes do it.
    pub guard: Option<Guard>,
    /// Its registers: a range of [`Entry::operands`], destinations first.
    pub operands: (u32, u32),
    /// How many of them are destinations.
    pub destinations: u32,
    /// Set if it reads or writes a register that is watched.
    pub tracking: Option<Box<Tracking>>,
    /// How what is not known of its operands spreads to its results.
    pub propagation: Propagation,
    /// What it counts as.
    pub class: Class,
    /// The line of the PTX, from 1.
    pub line: u32,
    /// Where the kernel's source has it: file number, line, column.
    pub location: Option<(u32, u32, u32)>,
}

impl Instruction {
    /// The slots of its registers.
    #[inline]
    #[must_use]
    pub fn slots<'a>(&self, entry: &'a Entry) -> &'a [Slot] {
        &entry.operands[self.operands.0 as usize..self.operands.1 as usize]
    }
}

impl Instruction {
    /// The widths of its registers.
    #[must_use]
    pub fn widths<'a>(&self, entry: &'a Entry) -> &'a [allocate::Width] {
        &entry.widths[self.operands.0 as usize..self.operands.1 as usize]
    }
}

/// How bits of a result depend on bits of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Propagation {
    /// Each on all.
    #[default]
    Spread,
    /// Bits are moved: marks move as they do.
    Move,
    /// Bits are moved as the operands from that one on say.
    Control(u8),
    /// `and`: what is zero is known.
    And,
    /// `or`: what is one is known.
    Or,
    /// Each on those at the same place.
    Bitwise,
    /// Each half of 32 bits on the same halves.
    Halves,
    /// The upper half on the first operand, the lower half on the second.
    Pack,
}

impl Propagation {
    /// How many of the first operands are moved as they are, whatever they hold.
    #[must_use]
    pub const fn moved(self) -> usize {
        match self {
            Self::Move => usize::MAX,
            Self::Control(first) => first as usize,
            _ => 0,
        }
    }
}

/// `@p` or `@!p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub slot: Slot,
    /// Whether lanes act where it is false.
    pub negated: bool,
}

/// Registers of an instruction that are watched at run time.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tracking {
    /// Those it reads that may have no value, as numbers of [`Entry::tracked`].
    pub reads: Vec<u32>,
    /// Those it only moves that may have no value, each with its place among the operands. That is no
    /// defect: compilers fill in a part of a register, and later the rest.
    pub moves: Vec<(u32, u8)>,
    /// Those of [`Entry::tracked`] it writes.
    pub writes: Vec<u32>,
    /// Those of [`Entry::tracked`] that are D of a wgmma, which reads them if scale-d is true, and
    /// writes them.
    pub accumulators: Vec<u32>,
    /// Those it reads, as numbers of [`Entry::wgmma_registers`]; of a wgmma, A.
    pub wgmma_reads: Vec<u32>,
    /// Those of [`Entry::wgmma_registers`] it writes; of a wgmma, D.
    pub wgmma_writes: Vec<u32>,
}

/// What an instruction counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// Branches, returns.
    Control,
    /// Loads and stores.
    Memory,
    /// Atomics.
    Atomic,
    /// Shuffles, votes and the like.
    Warp,
    /// Barriers and fences.
    Barrier,
    /// Tensor cores, and the moves of matrices.
    Matrix,
    /// Copies that go on by themselves, and their barriers.
    Asynchronous,
}

impl Class {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Conversion => "conversion",
            Self::Predicate => "predicate",
            Self::Special => "special",
            Self::Move => "move",
            Self::Control => "control",
            Self::Memory => "memory",
            Self::Atomic => "atomic",
            Self::Warp => "warp",
            Self::Barrier => "barrier",
            Self::Matrix => "matrix",
            Self::Asynchronous => "asynchronous",
        }
    }
}

impl From<arithmetic::Class> for Class {
    fn from(class: arithmetic::Class) -> Self {
        match class {
            arithmetic::Class::Integer => Self::Integer,
            arithmetic::Class::F16 => Self::F16,
            arithmetic::Class::F32 => Self::F32,
            arithmetic::Class::F64 => Self::F64,
            arithmetic::Class::Conversion => Self::Conversion,
            arithmetic::Class::Predicate => Self::Predicate,
            arithmetic::Class::Special => Self::Special,
            arithmetic::Class::Move => Self::Move,
        }
    }
}
