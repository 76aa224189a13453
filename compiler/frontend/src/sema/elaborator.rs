//! The state of an elaboration: what is in scope, what was emitted, what went wrong.

use std::collections::HashMap;

use super::Tuned;
use super::environment::{Environment, Scopes};
use super::files::Files;
use super::host::Host;
use super::leaving::Returning;
use super::operand::{Located, Operand, scalar};
use crate::diagnostic::messages::generics::Bound;
use crate::diagnostic::{Diagnostic, Severity, Span, messages};
use crate::source::FileId;
use crate::typed::{self, Block, Expr, ExprKind, Label, Stmt, StmtKind, ValueType, VariableId};
use tile_runtime::element::ElementType;

/// Expressions evaluated for one kernel, inlining and unrolling included.
const MAXIMUM_WORK: u32 = 500_000;
/// Problems reported for one kernel, repetitions included.
const MAXIMUM_REPORTS: usize = 1_000;
/// Expressions inside expressions, calls included.
const MAXIMUM_DEPTH: u32 = 2_000;
/// Elements of a tile.
const MAXIMUM_ELEMENTS: u64 = 1 << 20;
/// Elements of an array in a test: a few of them fit into memory, at 8 bytes each.
const MAXIMUM_ARRAY: u64 = 1 << 27;

/// Makes one [`typed::Kernel`].
pub(super) struct Elaborator<'a> {
    pub files: &'a Files,
    pub diagnostics: Vec<Diagnostic>,
    pub scopes: Scopes<'a>,
    /// What is in scope here.
    pub environment: Environment,
    /// The file whose declarations are in scope here.
    pub file: FileId,
    pub variables: Vec<typed::Variable>,
    /// Per variable: whether it may be assigned again.
    pub reassignable: Vec<bool>,
    pub parameters: Vec<typed::Parameter>,
    pub sizes: Vec<(String, VariableId)>,
    /// The statements of the block being built.
    pub statements: Vec<Stmt>,
    pub frames: Vec<Frame<'a>>,
    /// Consts of file level by file and item; `None` while being computed.
    pub consts: HashMap<(FileId, usize), Option<Operand<'a>>>,
    /// Variables below this one cannot be assigned: we are in a combiner of a reduction.
    pub combiner: Option<u32>,
    labels: u32,
    /// What a test has beside; `None` in a kernel.
    pub host: Option<Host>,
    /// Who knows values of generics that a test leaves open.
    pub tuned: Option<Tuned<'a>>,
    /// Where the kernel's generics are given.
    pub bound: Bound,
    work: u32,
    depth: u32,
    exhausted: bool,
}

/// A function being inlined, a closure, or the kernel itself.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub kind: FrameKind,
    pub loops: Vec<Loop>,
    /// How many run-time `if`s and loops are open in this frame.
    pub control: u32,
    /// A jump that compile-time control flow still has to take.
    pub jump: Option<Jump<'a>>,
    /// Of a function with `return` in a loop.
    pub returning: Option<Returning<'a>>,
    /// What was called, and where.
    pub call: Option<(&'a str, Span)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    Kernel,
    Function,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loop {
    /// Exists in the running program.
    Running,
    /// Unrolled.
    Static(Unrolled),
}

/// A `static for` being unrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unrolled {
    /// The [`Frame::control`] it is at.
    pub control: u32,
    /// The block around all iterations, and whether the running program may leave it.
    pub rounds: Label,
    pub stops: bool,
    /// The block around this iteration, and whether the running program may leave it.
    pub round: Label,
    pub skips: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Jump<'a> {
    Break,
    Continue,
    Return(Located<'a>),
}

impl<'a> Elaborator<'a> {
    pub fn new(files: &'a Files, file: FileId) -> Self {
        Self {
            files,
            diagnostics: Vec::new(),
            scopes: Scopes::default(),
            environment: Environment::default(),
            file,
            variables: Vec::new(),
            reassignable: Vec::new(),
            parameters: Vec::new(),
            sizes: Vec::new(),
            statements: Vec::new(),
            frames: vec![Frame::new(FrameKind::Kernel)],
            consts: HashMap::new(),
            combiner: None,
            labels: 0,
            host: None,
            tuned: None,
            bound: Bound::CommandLine,
            work: 0,
            depth: 0,
            exhausted: false,
        }
    }

    /// The most elements that a value may have.
    pub const fn maximum_elements(&self) -> u64 {
        if self.host.is_some() {
            MAXIMUM_ARRAY
        } else {
            MAXIMUM_ELEMENTS
        }
    }

    /// How many errors were reported.
    pub fn errors(&self) -> usize {
        let all = self.diagnostics.iter();
        all.filter(|one| one.severity == Severity::Error).count()
    }

    /// Reports a problem; the result is poison.
    pub fn error(&mut self, diagnostic: Diagnostic) -> Operand<'a> {
        self.report(diagnostic);
        Operand::Error
    }

    /// Reports a problem.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        // Once out of work everything fails: only the reason is worth reading.
        if !self.exhausted {
            let diagnostic = self.with_calls(diagnostic);
            self.diagnostics.push(diagnostic);
            // A recursion that goes on after an error reports it over and over.
            self.exhausted = self.diagnostics.len() >= MAXIMUM_REPORTS;
        }
    }

    /// Runs `inside` one level deeper, unless that is too deep or too much.
    pub fn deeper(
        &mut self,
        span: Span,
        inside: impl FnOnce(&mut Self) -> Operand<'a>,
    ) -> Operand<'a> {
        self.work += 1;
        if self.exhausted {
            return Operand::Error;
        }
        if self.work > MAXIMUM_WORK || self.depth >= MAXIMUM_DEPTH {
            self.report(messages::consts::too_much_work(span));
            self.exhausted = true;
            return Operand::Error;
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Shows how the program got to the problem: the innermost call and the one in the kernel.
    fn with_calls(&self, diagnostic: Diagnostic) -> Diagnostic {
        let mut calls: Vec<(&str, Span)> =
            self.frames.iter().filter_map(|frame| frame.call).collect();
        if calls.len() > 2 {
            calls.drain(1..calls.len() - 1);
        }
        let Some(position) = diagnostic.position() else {
            return diagnostic;
        };
        let holds = |outer: Span, inner: Span| {
            outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
        };
        calls
            .into_iter()
            .rev()
            .fold(diagnostic, |diagnostic, (name, call)| {
                if holds(call, position) || holds(position, call) {
                    diagnostic
                } else {
                    match name {
                        "" => diagnostic.secondary(call, "in this call"),
                        name => diagnostic.secondary(call, format!("in this call of `{name}`")),
                    }
                }
            })
    }

    /// Whether an expression here is so deep inside others that it should become a variable.
    pub const fn is_deep(&self) -> bool {
        self.depth > 0 && self.depth.is_multiple_of(64)
    }

    /// Whether elaboration gave up.
    pub const fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub fn emit(&mut self, kind: StmtKind, span: Span) {
        self.statements.push(Stmt { kind, span });
    }

    /// Collects the statements that `inside` emits.
    pub fn nested<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> (R, Block) {
        let outer = std::mem::take(&mut self.statements);
        let result = inside(self);
        let statements = std::mem::replace(&mut self.statements, outer);
        (result, Block { statements })
    }

    /// [`nested`](Self::nested) under a run-time `if` or loop.
    pub fn controlled<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> (R, Block) {
        self.frame().control += 1;
        let result = self.nested(inside);
        self.frame().control -= 1;
        result
    }

    /// The innermost function, closure or kernel.
    pub fn frame(&mut self) -> &mut Frame<'a> {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(FrameKind::Kernel));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Names bound inside are gone afterwards.
    pub fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.environment;
        let result = inside(self);
        self.environment = outer;
        result
    }

    pub fn bind(&mut self, name: &str, operand: Operand<'a>, mutable: bool, span: Span) {
        self.environment = self
            .scopes
            .bind(self.environment, name, operand, mutable, span);
    }

    pub fn variable(
        &mut self,
        name: &str,
        ty: ValueType,
        span: Span,
        reassignable: bool,
    ) -> VariableId {
        let id = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(typed::Variable {
            name: name.to_owned(),
            ty,
            span,
        });
        self.reassignable.push(reassignable);
        id
    }

    /// A variable without a name in the source.
    pub fn temporary(&mut self, ty: ValueType, span: Span) -> VariableId {
        let name = format!("%{}", self.variables.len());
        self.variable(&name, ty, span, false)
    }

    /// A label that no other block has.
    pub const fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Reads a variable.
    pub fn read(&self, variable: VariableId, span: Span) -> Expr {
        let ty = self
            .variables
            .get(variable.0 as usize)
            .map_or_else(|| scalar(ElementType::I32), |variable| variable.ty.clone());
        Expr {
            kind: ExprKind::Variable(variable),
            ty,
            span,
        }
    }

    /// Computes the expression now, once; the result is cheap and means the same anywhere later.
    pub fn once(&mut self, expr: Expr, name: Option<&str>) -> Expr {
        let stable = match &expr.kind {
            ExprKind::Variable(variable) => !self.may_change(*variable),
            ExprKind::Constant(_) | ExprKind::ProgramId(_) | ExprKind::NumPrograms(_) => true,
            _ => false,
        };
        if stable {
            return expr;
        }
        let span = expr.span;
        let variable = match name {
            Some(name) => self.variable(name, expr.ty.clone(), span, false),
            None => self.temporary(expr.ty.clone(), span),
        };
        self.emit(
            StmtKind::Assign {
                variable,
                value: expr,
            },
            span,
        );
        self.read(variable, span)
    }

    pub fn may_change(&self, variable: VariableId) -> bool {
        self.reassignable
            .get(variable.0 as usize)
            .copied()
            .unwrap_or(true)
    }

    /// [`once`](Self::once) for everything in an operand.
    pub fn once_operand(&mut self, operand: Operand<'a>, name: Option<&str>) -> Operand<'a> {
        match operand {
            Operand::Value(expr) => Operand::value(self.once(*expr, name)),
            Operand::Tuple(items) => Operand::Tuple(self.once_all(items)),
            Operand::List(items) => Operand::List(
                items
                    .into_iter()
                    .map(|item| self.once_operand(item.operand, None).at(item.span))
                    .collect(),
            ),
            Operand::View(mut view) => {
                for index in &mut view.view.indices {
                    let expr = match index {
                        typed::ViewIndex::At(expr)
                        | typed::ViewIndex::Range { start: expr, .. }
                        | typed::ViewIndex::Gather(expr) => expr,
                    };
                    *expr = self.once(expr.clone(), None);
                }
                Operand::View(view)
            }
            other => other,
        }
    }

    fn once_all(&mut self, items: Vec<Operand<'a>>) -> Vec<Operand<'a>> {
        items
            .into_iter()
            .map(|item| self.once_operand(item, None))
            .collect()
    }
}

impl Frame<'_> {
    pub const fn new(kind: FrameKind) -> Self {
        Self {
            kind,
            loops: Vec::new(),
            control: 0,
            jump: None,
            returning: None,
            call: None,
        }
    }
}
