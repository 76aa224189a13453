//! Declarations: what stands between the state space and the name, in whatever order.
//!
//! ```text
//! .shared  .align 16 .v4 .b32          tile[64]   = …
//! .param   .u64 .ptr .global .align 8  x
//! └ space  └ qualifiers                └ declarator
//! ```

use super::ast::{Initializer, Linkage, Pointer, Registers, Variable};
use super::error::{Failure, Fallible, Problem};
use super::literal::Integer;
use super::token::Position;
use super::types::{Space, Type};

/// What was read so far.
#[derive(Debug, Clone, Default)]
pub struct Qualifiers {
    ty: Option<Type>,
    vector: Option<u32>,
    alignment: Option<u64>,
    pointer: Option<Pointer>,
}

impl Qualifiers {
    /// `.b32`, `.v4`
    pub fn word<'text>(
        mut self: Box<Self>,
        start: Position,
        word: &'text str,
        end: Position,
    ) -> Fallible<'text, Box<Self>> {
        let name = &word[1..];
        let fail = |problem| Err(Failure::user(start, end, problem));
        let vector = match name {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        };
        if vector.is_some() {
            if self.vector.is_some() {
                return fail(Problem::Declaration("two vector sizes"));
            }
            self.vector = vector;
        } else {
            let Some(ty) = Type::from_name(name) else {
                return fail(Problem::unknown_type(name));
            };
            if self.ty.is_some() {
                return fail(Problem::Declaration("two types"));
            }
            self.ty = Some(ty);
        }
        Ok(self)
    }

    /// `.align 16`: of what is pointed to behind `.ptr`.
    pub fn align<'text>(
        mut self: Box<Self>,
        start: Position,
        bytes: Integer,
        end: Position,
    ) -> Fallible<'text, Box<Self>> {
        if !bytes.bits.is_power_of_two() {
            return Err(Failure::user(start, end, Problem::Form("a power of two")));
        }
        let place = match &mut self.pointer {
            Some(pointer) => &mut pointer.alignment,
            None => &mut self.alignment,
        };
        if place.replace(bytes.bits).is_some() {
            return Err(Failure::user(
                start,
                end,
                Problem::Declaration("two alignments"),
            ));
        }
        Ok(self)
    }

    /// `.ptr`
    pub fn pointer(mut self: Box<Self>) -> Box<Self> {
        self.pointer.get_or_insert_default();
        self
    }

    /// `.global` behind `.ptr`: where it points.
    pub fn space<'text>(
        mut self: Box<Self>,
        start: Position,
        space: Space,
        end: Position,
    ) -> Fallible<'text, Box<Self>> {
        match &mut self.pointer {
            Some(pointer) if pointer.space.is_none() => {
                pointer.space = Some(space);
                Ok(self)
            }
            _ => Err(Failure::user(
                start,
                end,
                Problem::Declaration("two state spaces"),
            )),
        }
    }

    fn ty<'text>(&self, declarator: &Declarator<'text>) -> Fallible<'text, Type> {
        self.ty.ok_or_else(|| {
            let problem = Problem::Declaration("no type, such as `.b32`");
            Failure::user(declarator.start, declarator.end, problem)
        })
    }

    /// A variable.
    pub fn variable<'text>(
        &self,
        linkage: Linkage,
        space: Space,
        declarator: Declarator<'text>,
    ) -> Fallible<'text, Variable<'text>> {
        let ty = self.ty(&declarator)?;
        if declarator.count.is_some() {
            let problem = Problem::Form("a name without a range: only registers have ranges");
            return Err(Failure::user(declarator.start, declarator.end, problem));
        }
        Ok(Variable {
            linkage,
            space,
            ty,
            vector: self.vector.unwrap_or(1),
            alignment: self.alignment,
            name: declarator.name,
            dimensions: declarator.dimensions,
            pointer: self.pointer,
            initializer: declarator.initializer,
            line: declarator.start.line,
        })
    }

    /// Registers.
    pub fn registers<'text>(
        &self,
        declarator: &Declarator<'text>,
    ) -> Fallible<'text, Registers<'text>> {
        if !declarator.dimensions.is_empty() || declarator.initializer.is_some() {
            let problem = Problem::Form("a register, which is no array and has no initial value");
            return Err(Failure::user(declarator.start, declarator.end, problem));
        }
        Ok(Registers {
            name: declarator.name,
            count: declarator.count,
            ty: self.ty(declarator)?,
            vector: self.vector.unwrap_or(1),
            line: declarator.start.line,
        })
    }
}

/// A name with what it has of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Declarator<'text> {
    /// Of the name.
    pub start: Position,
    /// Of the name.
    pub end: Position,
    /// The name.
    pub name: &'text str,
    /// `<5>`
    pub count: Option<u32>,
    /// `[4][]`
    pub dimensions: Vec<Option<u64>>,
    /// `= …`
    pub initializer: Option<Initializer<'text>>,
}
