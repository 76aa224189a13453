//! The tree as it grows: what the grammar has read is put in its place at once.
//!
//! Statements do not pass through the parser's stack: an instruction is appended to the body that is
//! being read, a `{` opens a scope, `.loc` holds for what follows.

use super::ast::{
    Body, Directive, Function, Guard, Instruction, Linkage, Location, Module, Operand, Prototype,
    Variable,
};
use super::declaration::{Declarator, Qualifiers};
use super::error::{Failure, Fallible, Problem, shorten};
use super::scope::{Named, Range, Scope, ScopeId};
use super::token::Position;
use super::types::Space;

/// The directives between the head of a function and its body (PTX ISA 11.4, 11.8).
const DIRECTIVES: &[&str] = &[
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "noreturn",
    "reqnctapercluster",
    "explicitcluster",
    "maxclusterrank",
    "blocksareclusters",
    "abi_preserve",
    "abi_preserve_control",
];

/// A module, and the function that is being read.
#[derive(Debug, Default)]
pub struct Builder<'text> {
    pub(super) module: Module<'text>,
    function: Option<Function<'text>>,
    body: Body<'text>,
    /// Innermost of the body.
    scope: ScopeId,
    /// The last `.loc`.
    location: Option<Location>,
}

impl<'text> Builder<'text> {
    /// `.version 8.0`
    pub fn version(
        &mut self,
        start: Position,
        version: &'text str,
        end: Position,
    ) -> Fallible<'text, ()> {
        let numbers = version
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let Some(version) = numbers else {
            let problem = Problem::Form("a version, such as `8.0`");
            return Err(Failure::user(start, end, problem));
        };
        self.module.version = version;
        Ok(())
    }

    /// Variables outside functions.
    pub fn variables(
        &mut self,
        linkage: Linkage,
        space: Space,
        qualifiers: &Qualifiers,
        declarators: Vec<Declarator<'text>>,
    ) -> Fallible<'text, ()> {
        for declarator in declarators {
            let variable = qualifiers.variable(linkage, space, declarator)?;
            self.module.variables.push(variable);
        }
        Ok(())
    }

    /// A directive of a function.
    pub fn directive(
        start: Position,
        word: &'text str,
        values: Vec<u64>,
        end: Position,
    ) -> Fallible<'text, Directive<'text>> {
        let name = &word[1..];
        if !DIRECTIVES.contains(&name) {
            let problem = Problem::unknown_directive(name, DIRECTIVES);
            return Err(Failure::user(start, end, problem));
        }
        Ok(Directive { name, values })
    }

    /// A function without a body.
    pub fn declare(&mut self, function: Function<'text>) {
        self.module.functions.push(function);
    }

    /// The `{` of a function, at `brace`, whose head begins at `head`.
    pub fn begin(
        &mut self,
        head: Position,
        function: Function<'text>,
        brace: Position,
        end: Position,
    ) -> Fallible<'text, ()> {
        if function.linkage == Linkage::Extern {
            let problem = Problem::Form("`;`: a function that is `.extern` has no body");
            return Err(Failure::user(brace, end, problem));
        }
        self.body = Body {
            scopes: vec![Scope::default()],
            ..Body::default()
        };
        self.scope = ScopeId::default();
        self.location = None;
        let results = function
            .results
            .iter()
            .enumerate()
            .map(|(at, of)| (of, Named::Result(at)));
        let parameters = function
            .parameters
            .iter()
            .enumerate()
            .map(|(at, of)| (of, Named::Parameter(at)));
        for (variable, named) in results.chain(parameters) {
            let named = match variable.space {
                Space::Register => self.register_of(variable),
                _ => named,
            };
            self.name(head, variable.name, head, variable.line, named)?;
        }
        self.function = Some(function);
        Ok(())
    }

    /// A parameter that is a register.
    fn register_of(&mut self, variable: &Variable<'text>) -> Named {
        let declaration = self.body.registers.len();
        self.body.registers.push(super::ast::Registers {
            name: variable.name,
            count: None,
            ty: variable.ty,
            vector: variable.vector,
            line: variable.line,
        });
        Named::Register {
            declaration,
            index: 0,
        }
    }

    /// The `}` of a function.
    pub fn end(&mut self) {
        if let Some(mut function) = self.function.take() {
            function.body = Some(std::mem::take(&mut self.body));
            self.module.functions.push(function);
        }
    }

    /// The `{` of a scope.
    pub fn open(&mut self) {
        let id = ScopeId(u32::try_from(self.body.scopes.len()).unwrap_or(u32::MAX));
        self.body.scopes.push(Scope {
            parent: Some(self.scope),
            ..Scope::default()
        });
        self.scope = id;
    }

    /// The `}` of a scope.
    pub fn close(&mut self) {
        let parent = self
            .body
            .scopes
            .get(self.scope.index())
            .and_then(|scope| scope.parent);
        self.scope = parent.unwrap_or_default();
    }

    /// `.loc`
    pub fn location(&mut self, file: u32, line: u32, column: u32) {
        self.location = Some(Location { file, line, column });
    }

    /// An instruction.
    pub fn instruction(
        &mut self,
        guard: Option<Guard<'text>>,
        start: Position,
        opcode: Vec<&'text str>,
        operands: Vec<Operand<'text>>,
    ) {
        self.body.instructions.push(Instruction {
            guard,
            opcode,
            operands,
            scope: self.scope,
            line: start.line,
            location: self.location,
        });
    }

    /// `.reg …;`
    pub fn registers(
        &mut self,
        qualifiers: &Qualifiers,
        declarators: &[Declarator<'text>],
    ) -> Fallible<'text, ()> {
        for declarator in declarators {
            let Declarator {
                start, end, name, ..
            } = *declarator;
            let registers = qualifiers.registers(declarator)?;
            let declaration = self.body.registers.len();
            self.body.registers.push(registers);
            let Some(count) = registers.count else {
                let named = Named::Register {
                    declaration,
                    index: 0,
                };
                self.name(start, name, end, start.line, named)?;
                continue;
            };
            let range = Range {
                declaration,
                count,
                line: start.line,
            };
            let before = self
                .body
                .scopes
                .get_mut(self.scope.index())
                .and_then(|scope| scope.ranges.insert(name, range));
            if let Some(before) = before {
                let name = format!("{}<{}>", shorten(name), before.count);
                let problem = Problem::Redeclared {
                    name,
                    line: before.line,
                };
                return Err(Failure::user(start, end, problem));
            }
        }
        Ok(())
    }

    /// Variables inside a function.
    pub fn local_variables(
        &mut self,
        space: Space,
        qualifiers: &Qualifiers,
        declarators: Vec<Declarator<'text>>,
    ) -> Fallible<'text, ()> {
        for declarator in declarators {
            let Declarator {
                start, end, name, ..
            } = declarator;
            let variable = qualifiers.variable(Linkage::Internal, space, declarator)?;
            let named = Named::Variable(self.body.variables.len());
            self.body.variables.push(variable);
            self.name(start, name, end, start.line, named)?;
        }
        Ok(())
    }

    /// `name:`
    pub fn label(
        &mut self,
        start: Position,
        name: &'text str,
        end: Position,
    ) -> Fallible<'text, ()> {
        let named = Named::Label(self.body.instructions.len());
        self.name(start, name, end, start.line, named)
    }

    /// `name: .branchtargets …;`
    pub fn branch_targets(
        &mut self,
        start: Position,
        name: &'text str,
        end: Position,
        targets: Vec<&'text str>,
    ) -> Fallible<'text, ()> {
        let named = Named::BranchTargets(self.body.branch_targets.len());
        self.body.branch_targets.push(targets);
        self.name(start, name, end, start.line, named)
    }

    /// `name: .calltargets …;`
    pub fn call_targets(
        &mut self,
        start: Position,
        name: &'text str,
        end: Position,
        targets: Vec<&'text str>,
    ) -> Fallible<'text, ()> {
        let named = Named::CallTargets(self.body.call_targets.len());
        self.body.call_targets.push(targets);
        self.name(start, name, end, start.line, named)
    }

    /// `name: .callprototype …;`
    pub fn prototype(
        &mut self,
        start: Position,
        name: &'text str,
        end: Position,
        prototype: Prototype<'text>,
    ) -> Fallible<'text, ()> {
        let named = Named::Prototype(self.body.prototypes.len());
        self.body.prototypes.push(prototype);
        self.name(start, name, end, start.line, named)
    }

    /// Declares a name in the innermost scope.
    fn name(
        &mut self,
        start: Position,
        name: &'text str,
        end: Position,
        line: u32,
        named: Named,
    ) -> Fallible<'text, ()> {
        let Some(scope) = self.body.scopes.get_mut(self.scope.index()) else {
            return Ok(());
        };
        let before = scope.line_of(name);
        scope.names.insert(name, (named, line));
        match before {
            Some(line) => {
                let name = shorten(name);
                let problem = Problem::Redeclared { name, line };
                Err(Failure::user(start, end, problem))
            }
            None => Ok(()),
        }
    }
}
