//! Names inside a function, and what they refer to.
//!
//! A `{ … }` opens a scope: what is declared in it, labels too, is seen in it and in the scopes
//! inside, and hides the same name outside (PTX ISA 11.2 "Control flow directives").

use std::collections::HashMap;

/// Which scope of a function; the first is the function's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ScopeId(pub(super) u32);

impl ScopeId {
    /// The scope of a function's body.
    pub const BODY: Self = Self(0);

    /// Among [`Body::scopes`](super::ast::Body::scopes).
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a name refers to. Numbers count in the list of that kind in the
/// [`Body`](super::ast::Body) or [`Function`](super::ast::Function).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A register of `registers[declaration]`: `%r3` of `%r<5>` has index 3, a name of its own 0.
    Register {
        /// Which declaration.
        declaration: usize,
        /// Which of its range.
        index: u32,
    },
    /// One of the body's variables.
    Variable(usize),
    /// A parameter of the function, not in a register.
    Parameter(usize),
    /// A result of the function, not in a register.
    Result(usize),
    /// Position of the instruction behind the label; the number of instructions at the end.
    Label(usize),
    /// One of the body's branch targets.
    BranchTargets(usize),
    /// One of the body's call targets.
    CallTargets(usize),
    /// One of the body's prototypes.
    Prototype(usize),
}

/// A range of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) declaration: usize,
    pub(super) count: u32,
    pub(super) line: u32,
}

/// The names of one `{ … }`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scope<'text> {
    /// The scope around.
    pub parent: Option<ScopeId>,
    /// By name, with the line of the declaration.
    pub(super) names: HashMap<&'text str, (Named, u32)>,
    /// By what stands before the number.
    pub(super) ranges: HashMap<&'text str, Range>,
}

impl Scope<'_> {
    /// What is declared under a name in this very scope.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Named> {
        if let Some(&(named, _)) = self.names.get(name) {
            return Some(named);
        }
        self.in_range(name).map(|(range, index)| Named::Register {
            declaration: range.declaration,
            index,
        })
    }

    /// Where a name is declared in this very scope.
    pub(super) fn line_of(&self, name: &str) -> Option<u32> {
        match self.names.get(name) {
            Some(&(_, line)) => Some(line),
            None => self.in_range(name).map(|(range, _)| range.line),
        }
    }

    /// `%r12` may be number 12 of `%r`, or number 2 of `%r1`.
    fn in_range(&self, name: &str) -> Option<(Range, u32)> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (1..=digits.min(10)).rev().find_map(|digits| {
            let (prefix, number) = name.split_at(name.len() - digits);
            let range = *self.ranges.get(prefix)?;
            let index = number.parse().ok().filter(|&index| index < range.count)?;
            Some((range, index))
        })
    }
}
