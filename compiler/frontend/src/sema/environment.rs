//! Names in scope.
//!
//! Scopes are a tree: each binding knows the one before it, an [`Environment`] is its innermost
//! binding. Leaving a scope is going back to the environment of before; a closure keeps the one it
//! was written in, even after the function that made it returned.

use super::operand::Operand;
use crate::diagnostic::Span;

/// What is in scope at a point of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Environment(Option<u32>);

/// A name and what it means.
#[derive(Debug, Clone)]
pub(super) struct Binding<'a> {
    pub name: String,
    pub operand: Operand<'a>,
    pub mutable: bool,
    pub span: Span,
    outer: Environment,
}

/// All bindings made so far.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a> {
    bindings: Vec<Binding<'a>>,
}

impl<'a> Scopes<'a> {
    /// `outer` with one more name.
    pub fn bind(
        &mut self,
        outer: Environment,
        name: &str,
        operand: Operand<'a>,
        mutable: bool,
        span: Span,
    ) -> Environment {
        let index = u32::try_from(self.bindings.len()).ok();
        self.bindings.push(Binding {
            name: name.to_owned(),
            operand,
            mutable,
            span,
            outer,
        });
        Environment(index)
    }

    /// From the innermost outwards.
    pub fn iter(&self, environment: Environment) -> impl Iterator<Item = &Binding<'a>> {
        let get = |environment: Environment| self.bindings.get(environment.0? as usize);
        std::iter::successors(get(environment), move |binding| get(binding.outer))
    }

    pub fn find(&self, environment: Environment, name: &str) -> Option<&Binding<'a>> {
        self.iter(environment).find(|binding| binding.name == name)
    }
}
