//! From the tree of a module to code that runs.
//!
//! Comes in: what the parser read. Goes out: a [`Program`] in which every name is resolved, every
//! instruction known and every operand of the right width, or the first [`DecodeError`].
//!
//! One file per family of instructions: each has the list of its opcodes' forms, which messages
//! show, and turns an instruction into operations.

mod address;
mod asynchronous;
mod control;
mod error;
mod load_store;
mod matrix;
mod operand;
#[cfg(test)]
mod tests;
mod variable;
mod warp;

use std::collections::HashMap;
use std::sync::Arc;

pub use error::DecodeError;

use super::allocate::{Width, allocate};
use super::op::{Op, Order, Scope, Space};
use super::{Class, Constant, Entry, Guard, Instruction, Program, Propagation};
use crate::simulator::arithmetic::{self, Functions};
use crate::simulator::ptx::ast;
use crate::simulator::ptx::scope::ScopeId;
use crate::simulator::registers::Slot;
use variable::Variables;

type Result<T> = std::result::Result<T, DecodeError>;

/// Decodes a module.
///
/// # Errors
/// If it has something that is not known or cannot be.
pub fn decode(module: &ast::Module<'_>, text: &str, functions: Functions) -> Result<Program> {
    let variables = Variables::of_module(module)?;
    let mut entries = Vec::new();
    for function in module.entries() {
        if let Some(body) = &function.body {
            entries.push(Arc::new(
                Decoder::new(function, body, &variables, functions)?.entry()?,
            ));
        }
    }
    Ok(Program {
        target: module.architecture().to_owned(),
        files: module
            .files
            .iter()
            .map(|file| (file.index, file.name.to_owned()))
            .collect(),
        text: text.lines().map(str::to_owned).collect(),
        entries,
        globals: variables.globals,
    })
}

/// One entry point on its way.
struct Decoder<'a> {
    function: &'a ast::Function<'a>,
    body: &'a ast::Body<'a>,
    variables: Variables,
    code: Vec<Instruction>,
    operands: Vec<Slot>,
    widths: Vec<Width>,
    /// Names and widths of virtual registers. Their numbers are slots until all are known.
    registers: Vec<(String, Width)>,
    /// Registers that are declared, by declaration and index.
    declared: HashMap<(usize, u32), Slot>,
    constants: HashMap<Constant, Slot>,
    /// The code that each instruction of the tree starts at.
    starts: Vec<u32>,
    /// The instruction that is being decoded.
    at: &'a ast::Instruction<'a>,
    guard: Option<Guard>,
    communicates: bool,
    prints: bool,
    /// How approximate functions come out.
    functions: Functions,
}

/// The forms of an opcode.
type Forms = (&'static str, &'static [&'static str]);

/// What all families but the arithmetic know.
const FORMS: &[&[Forms]] = &[
    address::FORMS,
    control::FORMS,
    load_store::FORMS,
    warp::FORMS,
];

fn families() -> impl Iterator<Item = &'static Forms> {
    let families = FORMS.iter().chain(&asynchronous::FAMILIES);
    families.flat_map(|family| family.iter())
}

/// The known forms of an opcode, as PTX manuals write them.
#[must_use]
pub fn forms(opcode: &str) -> Vec<String> {
    let mut forms = arithmetic::forms(opcode);
    forms.extend(matrix::forms(opcode));
    for (_, known) in families().filter(|(name, _)| *name == opcode) {
        forms.extend(known.iter().map(|&form| form.to_owned()));
    }
    forms
}

/// All known opcodes, in order.
#[must_use]
pub fn opcodes() -> Vec<&'static str> {
    let mut opcodes = arithmetic::opcodes();
    opcodes.extend(families().map(|(name, _)| name));
    opcodes.extend(matrix::OPCODES);
    opcodes.sort_unstable();
    opcodes.dedup();
    opcodes
}

const NO_INSTRUCTION: ast::Instruction<'static> = ast::Instruction {
    guard: None,
    opcode: Vec::new(),
    operands: Vec::new(),
    scope: ScopeId::BODY,
    line: 0,
    location: None,
};

impl<'a> Decoder<'a> {
    fn new(
        function: &'a ast::Function<'a>,
        body: &'a ast::Body<'a>,
        variables: &Variables,
        functions: Functions,
    ) -> Result<Self> {
        let mut variables = variables.clone();
        variables.of_entry(function, body)?;
        Ok(Self {
            function,
            body,
            variables,
            functions,
            code: Vec::with_capacity(body.instructions.len()),
            operands: Vec::with_capacity(body.instructions.len() * 4),
            widths: Vec::with_capacity(body.instructions.len() * 4),
            registers: Vec::new(),
            declared: HashMap::new(),
            constants: HashMap::new(),
            starts: Vec::with_capacity(body.instructions.len() + 1),
            at: const { &NO_INSTRUCTION },
            guard: None,
            communicates: false,
            prints: false,
        })
    }

    fn entry(mut self) -> Result<Entry> {
        for instruction in &self.body.instructions {
            self.at = instruction;
            self.starts.push(self.here());
            self.guard = match instruction.guard {
                None => None,
                Some(guard) => Some(Guard {
                    slot: self.register_of(guard.register, Width::Predicate)?,
                    negated: guard.negated,
                }),
            };
            self.instruction()?;
        }
        self.starts.push(self.here());
        // Falling off the end returns (PTX ISA, "ret").
        self.at = const { &NO_INSTRUCTION };
        self.guard = None;
        self.emit(Op::Exit, &[], &[], Class::Control);
        self.link();
        self.finish()
    }

    /// Branches were decoded to instructions of the tree; makes them instructions of the code.
    fn link(&mut self) {
        let start = |target: &mut u32| {
            if let Some(start) = self.starts.get(*target as usize) {
                *target = *start;
            }
        };
        for instruction in &mut self.code {
            match &mut instruction.op {
                Op::Branch(target) => start(target),
                Op::BranchTable(targets) => targets.iter_mut().for_each(start),
                _ => {}
            }
        }
    }

    fn finish(mut self) -> Result<Entry> {
        let widths: Vec<Width> = self.registers.iter().map(|(_, width)| *width).collect();
        let mut constants: Vec<(Slot, Constant)> = self
            .constants
            .iter()
            .map(|(&constant, &slot)| (slot, constant))
            .collect();
        constants.sort_unstable_by_key(|(slot, _)| *slot);
        let allocation = allocate(&mut self.code, &mut self.operands, &widths, &mut constants);
        let name = |&register: &u32| self.registers[register as usize].0.clone();
        let directive = |name: &str| self.function.directive(name);
        let dimensions = |values: &[u64]| -> [u32; 3] {
            std::array::from_fn(|axis| {
                values
                    .get(axis)
                    .map_or(1, |&value| u32::try_from(value).unwrap_or(u32::MAX))
            })
        };
        let number = |name: &str| {
            let first = directive(name)?.first()?;
            Some(u32::try_from(*first).unwrap_or(u32::MAX))
        };
        Ok(Entry {
            name: self.function.name.to_owned(),
            parameters: self.variables.parameters,
            parameter_bytes: self.variables.parameter_bytes,
            static_shared_bytes: self.variables.shared_bytes,
            local_bytes: self.variables.local_bytes.next_multiple_of(16),
            required_threads: directive("reqntid").map(dimensions),
            max_threads: directive("maxntid")
                .map(|values| u32::try_from(values.iter().product::<u64>()).unwrap_or(u32::MAX)),
            required_cluster: directive("reqnctapercluster").map(dimensions),
            code: self.code,
            operands: self.operands,
            widths: self.widths,
            tracked: allocation.tracked.iter().map(name).collect(),
            constants,
            rows: allocation.rows,
            predicates: allocation.predicates,
            communicates: self.communicates,
            prints: self.prints,
            wgmma_registers: allocation.wgmma_registers.iter().map(name).collect(),
            max_registers: number("maxnreg"),
            min_blocks: number("minnctapersm"),
        })
    }

    fn here(&self) -> u32 {
        u32::try_from(self.code.len()).unwrap_or(u32::MAX)
    }

    /// Adds an instruction with the guard of the one that is being decoded.
    fn emit(&mut self, op: Op, destinations: &[Slot], sources: &[Slot], class: Class) {
        let start = self.operands.len();
        self.operands.extend(destinations.iter().chain(sources));
        let width = |slot: &Slot| self.registers[slot.0 as usize].1;
        self.widths
            .extend(destinations.iter().chain(sources).map(width));
        let position = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        self.code.push(Instruction {
            op,
            guard: self.guard,
            operands: (position(start), position(self.operands.len())),
            destinations: position(destinations.len()),
            tracking: None,
            propagation: Propagation::Spread,
            class,
            line: self.at.line,
            location: self
                .at
                .location
                .filter(|location| location.line != 0)
                .map(|location| (location.file, location.line, location.column)),
        });
    }

    fn instruction(&mut self) -> Result<()> {
        let Some(&opcode) = self.at.opcode.first() else {
            return Ok(());
        };
        match opcode {
            _ if asynchronous::knows(&self.at.opcode) => self.asynchronous(opcode),
            "ld" | "ldu" | "st" | "atom" | "red" => self.load_store(opcode),
            "cvta" | "isspacep" | "mapa" | "getctarank" => self.address(opcode),
            "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => self.warp(opcode),
            "bra" | "brx" | "ret" | "exit" | "call" | "trap" | "brkpt" | "bar" | "barrier"
            | "membar" | "nanosleep" | "prefetch" | "prefetchu" | "discard" | "applypriority"
            | "pmevent" => self.control(opcode),
            "fence" => self.control(opcode),
            "mma" | "ldmatrix" | "stmatrix" | "movmatrix" => self.matrix(opcode),
            _ => self.arithmetic(),
        }
    }

    /// Everything that goes from registers to registers.
    fn arithmetic(&mut self) -> Result<()> {
        let at = self.at;
        let Some((first, rest)) = at.operands.split_first() else {
            return Err(self.unknown());
        };
        let destinations = operand::flat(first);
        let sources: Vec<_> = rest.iter().flat_map(operand::flat).collect();
        let count = (destinations.len(), sources.len());
        let form = arithmetic::find_with(&at.opcode, count.0, count.1, self.functions);
        let Some(form) = form else {
            return Err(self.unknown());
        };
        let mut reads = Vec::with_capacity(sources.len() + 1);
        for (source, &kind) in sources.iter().zip(&form.sources) {
            reads.push(self.source(source, kind)?);
        }
        if form.carry {
            reads.push(self.carry());
        }
        let mut writes = Vec::with_capacity(destinations.len());
        let mut extensions = Vec::new();
        for (destination, &kind) in destinations.iter().zip(&form.destinations) {
            let (slot, width) = self.wide_destination(destination, kind)?;
            writes.push(slot);
            if let Some(extend) = arithmetic::extension(kind, width, form.signed) {
                extensions.push((extend, slot));
            }
        }
        let class = Class::from(form.class);
        self.emit(Op::Compute(form.run), &writes, &reads, class);
        if let Some(last) = self.code.last_mut() {
            last.propagation = propagation(&at.opcode);
        }
        for (extend, slot) in extensions {
            self.emit(Op::Compute(extend), &[slot], &[slot], class);
        }
        Ok(())
    }

    /// The carry flag. It is never reported as unset.
    fn carry(&mut self) -> Slot {
        self.constant(Constant::Carry)
    }

    /// Programs talk to each other through what is ordered, unless it is their own.
    fn orders(&mut self, order: Order, space: Space, scope: Scope) {
        let among_programs = space != Space::Shared && scope == Scope::Device;
        self.communicates |= order != Order::Weak && among_programs;
    }
}

/// How what is not known spreads.
fn propagation(opcode: &[&str]) -> Propagation {
    let is_integer = |part: &&str| {
        part.starts_with(['s', 'u', 'b']) && part[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    let types = || {
        opcode
            .iter()
            .filter(|part| part.bytes().any(|byte| byte.is_ascii_digit()))
    };
    match opcode.first().copied().unwrap_or_default() {
        "mov" => Propagation::Move,
        "selp" | "prmt" | "bfi" | "shf" => Propagation::Control(2),
        "shl" | "shr" | "bfe" => Propagation::Control(1),
        "and" => Propagation::And,
        "or" => Propagation::Or,
        "xor" | "not" | "lop3" => Propagation::Bitwise,
        "cvt" if opcode.contains(&"sat") => Propagation::Spread,
        "cvt" if types().all(is_integer) => Propagation::Move,
        "cvt" if opcode.iter().any(|part| part.ends_with("x2")) => Propagation::Pack,
        "cvt" => Propagation::Spread,
        _ if opcode.iter().any(|part| part.ends_with("x2")) => Propagation::Halves,
        _ => Propagation::Spread,
    }
}
