//! The tree of a PTX module: what is written, not what it means.
//!
//! Names and opcodes are slices of the text, so a tree lives as long as the text. A function's body
//! is flat: its instructions in order, each with the [`Scope`] it stands in; labels are positions
//! among them. `{ … }` in the text leaves nothing but a scope:
//!
//! ```text
//! add.s32 %a, %b, 1;            instruction 0, scope 0
//! {                             scope 1, parent 0
//!   .reg .b32 %t<4>;            registers in scope 1
//!   L: mov.b32 %t1, %a;         instruction 1, scope 1; label `L` of scope 1 is 1
//! }
//! ```
//!
//! [`Body::resolve`] says what a name is where it stands.

use super::scope::{Named, Scope, ScopeId};
use super::types::{Space, Type};

/// A PTX file (PTX ISA 4.1 "Source format" to 5 "State spaces, types, and variables").
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Module<'text> {
    /// Major and minor of `.version`.
    pub version: (u32, u32),
    /// The words of `.target`: an architecture, maybe `debug` or `texmode_…`.
    pub targets: Vec<&'text str>,
    /// Bits of an address; 32 where the file says nothing (PTX ISA 11.1.3).
    pub address_size: u32,
    /// `.file`: what [`Location::file`] refers to.
    pub files: Vec<File<'text>>,
    /// Variables outside functions, in order.
    pub variables: Vec<Variable<'text>>,
    /// Entries and functions, defined or declared, in order.
    pub functions: Vec<Function<'text>>,
    /// `.alias`, in order.
    pub aliases: Vec<Alias<'text>>,
}

impl<'text> Module<'text> {
    /// The architecture compiled for, such as `sm_90a`.
    #[must_use]
    pub fn architecture(&self) -> &'text str {
        let is_architecture =
            |word: &&&str| word.starts_with("sm_") || word.starts_with("compute_");
        self.targets
            .iter()
            .find(is_architecture)
            .copied()
            .unwrap_or("")
    }

    /// Entries (kernels), in order.
    pub fn entries(&self) -> impl Iterator<Item = &Function<'text>> {
        self.functions.iter().filter(|function| function.is_entry)
    }

    /// The entry (kernel) of this name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Function<'text>> {
        self.entries().find(|entry| entry.name == name)
    }

    /// The function or entry of this name: its definition, or if there is none its declaration.
    /// An alias stands for its function.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function<'text>> {
        let alias = self.aliases.iter().find(|alias| alias.name == name);
        let name = alias.map_or(name, |alias| alias.of);
        let named = || {
            self.functions
                .iter()
                .filter(|function| function.name == name)
        };
        named()
            .find(|function| function.body.is_some())
            .or_else(|| named().next())
    }

    /// The variable of this name, outside functions.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable<'text>> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The name of a source file by the number that `.loc` gives.
    #[must_use]
    pub fn file(&self, index: u32) -> Option<&'text str> {
        self.files
            .iter()
            .find(|file| file.index == index)
            .map(|file| file.name)
    }
}

/// `.file 1 "kernel.tile"`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File<'text> {
    /// What `.loc` calls it.
    pub index: u32,
    /// As written between the quotes.
    pub name: &'text str,
}

/// `.alias name, of;`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias<'text> {
    /// The new name.
    pub name: &'text str,
    /// The function it stands for.
    pub of: &'text str,
}

/// What other modules see of a name (PTX ISA 11.6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Nothing.
    #[default]
    Internal,
    /// `.extern`
    Extern,
    /// `.visible`
    Visible,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// An `.entry` or a `.func`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Function<'text> {
    /// Whether it is an `.entry`: a kernel.
    pub is_entry: bool,
    /// Who sees it.
    pub linkage: Linkage,
    /// Its name.
    pub name: &'text str,
    /// What a `.func` returns.
    pub results: Vec<Variable<'text>>,
    /// What it takes: `.param` variables, or for a `.func` also registers.
    pub parameters: Vec<Variable<'text>>,
    /// `.reqntid 64`, `.maxnreg 128`, `.noreturn`, …
    pub directives: Vec<Directive<'text>>,
    /// Absent in a declaration.
    pub body: Option<Body<'text>>,
    /// Line of its name in the PTX text, from 1.
    pub line: u32,
}

impl Function<'_> {
    /// The numbers behind a directive, if it is there: `directive("reqntid")` is `[64]`.
    #[must_use]
    pub fn directive(&self, name: &str) -> Option<&[u64]> {
        let directive = self
            .directives
            .iter()
            .find(|directive| directive.name == name)?;
        Some(&directive.values)
    }
}

/// A performance or linking directive of a function: name and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive<'text> {
    /// Without the dot.
    pub name: &'text str,
    /// The numbers behind it.
    pub values: Vec<u64>,
}

/// What stands between the braces of a function.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body<'text> {
    /// All of them in order, whatever scope they stand in.
    pub instructions: Vec<Instruction<'text>>,
    /// `.reg` declarations of all scopes, in order; registers among parameters and results first.
    pub registers: Vec<Registers<'text>>,
    /// `.local`, `.shared`, `.param`, … variables of all scopes, in order.
    pub variables: Vec<Variable<'text>>,
    /// `name: .branchtargets a, b;` (PTX ISA 11.3.1) of all scopes.
    pub branch_targets: Vec<Vec<&'text str>>,
    /// `name: .calltargets f, g;` (PTX ISA 11.3.2) of all scopes.
    pub call_targets: Vec<Vec<&'text str>>,
    /// `name: .callprototype …;` (PTX ISA 11.3.3) of all scopes.
    pub prototypes: Vec<Prototype<'text>>,
    /// The function's own scope first; a scope comes after its parent.
    pub scopes: Vec<Scope<'text>>,
}

impl<'text> Body<'text> {
    /// What a name refers to in a scope: the innermost declaration around, wherever in its scope it
    /// stands. Special registers (`%tid`) and names of the module are not found here.
    #[must_use]
    pub fn resolve(&self, scope: ScopeId, name: &str) -> Option<Named> {
        let mut scope = Some(scope);
        while let Some(id) = scope {
            let here = self.scopes.get(id.index())?;
            if let Some(named) = here.find(name) {
                return Some(named);
            }
            scope = here.parent;
        }
        None
    }
}

/// The shape of an indirect call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prototype<'text> {
    /// What the function returns.
    pub results: Vec<Variable<'text>>,
    /// What it takes.
    pub parameters: Vec<Variable<'text>>,
    /// `.noreturn`, …
    pub directives: Vec<Directive<'text>>,
}

/// `.reg .b32 %r<5>;`: one register, or a numbered range of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers<'text> {
    /// The name, of a range the part before the number.
    pub name: &'text str,
    /// `Some(5)` declares `%r0` to `%r4`; `None` the name itself.
    pub count: Option<u32>,
    /// Of each element.
    pub ty: Type,
    /// Elements per register: 1, 2, 4 or 8.
    pub vector: u32,
    /// In the PTX text, from 1.
    pub line: u32,
}

/// A variable, or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable<'text> {
    /// Who sees it.
    pub linkage: Linkage,
    /// Where it lives.
    pub space: Space,
    /// Of each element.
    pub ty: Type,
    /// Elements per vector: 1, 2, 4 or 8.
    pub vector: u32,
    /// `.align`, in bytes: a power of two.
    pub alignment: Option<u64>,
    /// Its name; `_` where a declaration leaves it out.
    pub name: &'text str,
    /// `[4][]`: the sizes of an array. Empty for a scalar.
    pub dimensions: Vec<Option<u64>>,
    /// `.ptr`, of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// What it holds first.
    pub initializer: Option<Initializer<'text>>,
    /// In the PTX text, from 1.
    pub line: u32,
}

/// `.ptr .global .align 16`: what a parameter points to (PTX ISA 5.1.6.2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Generic if absent.
    pub space: Option<Space>,
    /// In bytes.
    pub alignment: Option<u64>,
}

/// What a variable holds first (PTX ISA 5.4.4).
#[derive(Debug, Clone, PartialEq)]
pub enum Initializer<'text> {
    /// Wrapped to 64 bits; its low bits count.
    Integer(i64),
    /// `0f…`: bits of an f32.
    Single(u32),
    /// `0d…` or decimal: bits of an f64.
    Double(u64),
    /// The address of a name.
    Address {
        /// A variable or function.
        symbol: &'text str,
        /// Bytes behind it.
        offset: i64,
        /// `generic(symbol)`: as a generic address, not one of its state space.
        generic: bool,
        /// `0xFF00(symbol)`: only these bits of the address, moved down to bit 0.
        mask: Option<u64>,
    },
    /// `{a, b}`; may be shorter than the array: zeros follow.
    List(Vec<Initializer<'text>>),
}

/// `@!%p1 ld.global.v2.b32 {%r1, %r2}, [%rd1+16];`
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction<'text> {
    /// `@!%p1`
    pub guard: Option<Guard<'text>>,
    /// The parts between the dots: `["ld", "global", "v2", "b32"]`. `::` is inside a part, as in
    /// `shared::cluster`.
    pub opcode: Vec<&'text str>,
    /// In order.
    pub operands: Vec<Operand<'text>>,
    /// Where its names are looked up.
    pub scope: ScopeId,
    /// Line of the opcode in the PTX text, from 1.
    pub line: u32,
    /// Of the source, if `.loc` says so.
    pub location: Option<Location>,
}

/// `@%p1`, `@!%p1`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard<'text> {
    /// Runs where the register is false.
    pub negated: bool,
    /// A predicate.
    pub register: &'text str,
}

/// Where in the source an instruction comes from: `.loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// See [`Module::file`].
    pub file: u32,
    /// From 1; 0 where the compiler did not know.
    pub line: u32,
    /// From 1; 0 where the compiler did not know.
    pub column: u32,
}

/// What an instruction works on.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand<'text> {
    /// A register, variable, function or label: `%r1`, `$L__BB0_2`.
    Name(&'text str),
    /// A part of a register: `%tid.x` is `("%tid", "x")`.
    Component(&'text str, &'text str),
    /// `!%p1`
    Not(&'text str),
    /// `_`: a result nobody wants.
    Sink,
    /// Constant expressions are already computed; wrapped to 64 bits.
    Integer(i64),
    /// `0f3F800000`: bits of an f32.
    Single(u32),
    /// `0d…` or decimal: bits of an f64.
    Double(u64),
    /// `symbol+4` outside brackets: an address.
    Offset(&'text str, i64),
    /// `[base+offset]`
    Address {
        /// A register or variable; absent in `[16]`.
        base: Option<&'text str>,
        /// In bytes.
        offset: i64,
    },
    /// `[descriptor, {%r1, %r2}]`: brackets around several operands.
    Tensor(Vec<Operand<'text>>),
    /// `{%r1, _, 0}`; elements are no vectors.
    Vector(Vec<Operand<'text>>),
    /// `%r1|%p1`: two results.
    Pair(Box<[Operand<'text>; 2]>),
    /// `(%r1, %r2)`: arguments or results of a call.
    List(Vec<Operand<'text>>),
}
