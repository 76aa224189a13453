//! What the grammar's actions need beyond the tokens: text, documentation, a place for errors.

use std::collections::{HashMap, HashSet};

use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::FileId;
use crate::syntax::ast::{Argument, Block, Expr, ExprKind, Grid, Name, Stmt, StmtKind, Tune};
use crate::syntax::lexer::Docs;
use crate::syntax::literal;

/// The error that actions do not have: they report to the [`Context`] and go on.
pub type Never = std::convert::Infallible;

/// What stands between the parameters and the body of a kernel.
#[derive(Debug)]
pub enum Clause {
    /// `grid(…)`
    Grid(Grid),
    /// `tune …`
    Tune(Tune),
}

/// What may end a block without `;`.
#[derive(Debug)]
pub enum Tail {
    /// The block's value.
    Value(Expr),
    /// `break`, `continue` or `return`.
    Jump(Stmt),
}

/// The state of one run of the parser.
#[derive(Debug)]
pub struct Context<'a> {
    file: FileId,
    text: &'a str,
    /// `///` blocks by the offset of the token behind them.
    docs: &'a HashMap<u32, Docs>,
    /// Offsets in `docs` that found their item.
    used_docs: HashSet<u32>,
    /// Problems that do not stop the parser.
    pub(crate) errors: Vec<Diagnostic>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(file: FileId, text: &'a str, docs: &'a HashMap<u32, Docs>) -> Self {
        Self {
            file,
            text,
            docs,
            used_docs: HashSet::new(),
            errors: Vec::new(),
        }
    }

    /// Which docs were used, and what is wrong.
    pub(crate) fn finish(self) -> (HashSet<u32>, Vec<Diagnostic>) {
        (self.used_docs, self.errors)
    }

    pub(crate) const fn span(&self, start: u32, end: u32) -> Span {
        // An empty production at the end of a rule may see the next token's start as `@L`.
        Span {
            file: self.file,
            start,
            end: if end < start { start } else { end },
        }
    }

    fn text(&self, start: u32, end: u32) -> &'a str {
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    pub(crate) fn name(&self, start: u32, end: u32) -> Name {
        Name {
            text: self.text(start, end).to_owned(),
            span: self.span(start, end),
        }
    }

    /// The lexer has reported malformed literals already: here they become some value.
    pub(crate) fn integer(&self, start: u32, end: u32) -> ExprKind {
        ExprKind::Int(literal::integer(self.text(start, end)).ok())
    }

    pub(crate) fn float(&self, start: u32, end: u32) -> ExprKind {
        ExprKind::Float(literal::float(self.text(start, end)).unwrap_or(0.0))
    }

    pub(crate) fn string(&self, start: u32, end: u32) -> String {
        literal::string(self.text(start, end)).0
    }

    pub(crate) fn tuple_index(&mut self, start: u32, end: u32) -> u32 {
        let text = self.text(start, end);
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        plain
            .then(|| text.parse().ok())
            .flatten()
            .unwrap_or_else(|| {
                // A malformed number was reported by the lexer; `0x1` and `1_0` are fine as numbers only.
                if literal::integer(text).is_ok() {
                    self.errors
                        .push(messages::bad_tuple_index(text, self.span(start, end)));
                }
                0
            })
    }

    pub(crate) fn docs(&mut self, start: u32) -> Vec<String> {
        self.used_docs.insert(start);
        self.docs
            .get(&start)
            .map(|docs| docs.lines.clone())
            .unwrap_or_default()
    }

    pub(crate) fn clauses(&mut self, clauses: Vec<Clause>) -> (Option<Grid>, Vec<Tune>) {
        let mut grid: Option<Grid> = None;
        let mut tunes = Vec::new();
        for clause in clauses {
            match (clause, &grid) {
                (Clause::Tune(tune), _) => tunes.push(tune),
                (Clause::Grid(new), None) => grid = Some(new),
                (Clause::Grid(new), Some(first)) => {
                    self.errors
                        .push(messages::second_grid(new.span, first.span));
                }
            }
        }
        (grid, tunes)
    }

    pub(crate) fn check_arguments(&mut self, callee: &Expr, arguments: &[Argument]) {
        // Its arguments are claims, `spills = 0` as well as `registers <= 168`, in any order.
        if matches!(&callee.kind, ExprKind::Name(name) if name == "assert_resources") {
            return;
        }
        let named = arguments
            .iter()
            .position(|argument| argument.name.is_some());
        let Some((first, rest)) = named.and_then(|at| arguments[at..].split_first()) else {
            return;
        };
        let Some(name) = &first.name else { return };
        if let Some(late) = rest.iter().find(|argument| argument.name.is_none()) {
            self.errors
                .push(messages::positional_after_named(late.value.span, name));
        }
    }
}

/// A block from its parts. An `if` or `{ … }` that ends it without `;` is its value, as in Rust;
/// an `if` without a last `else` has no value and stays a statement.
pub fn block(mut statements: Vec<Stmt>, tail: Option<Tail>, span: Span) -> Block {
    let tail = match tail {
        Some(Tail::Value(value)) => Some(Box::new(value)),
        Some(Tail::Jump(jump)) => {
            statements.push(jump);
            None
        }
        None => take_value(&mut statements).map(Box::new),
    };
    Block {
        statements,
        tail,
        span,
    }
}

fn take_value(statements: &mut Vec<Stmt>) -> Option<Expr> {
    let last = statements.pop_if(|last| match &last.kind {
        // With a `;` the statement is longer than the expression.
        StmtKind::Expr(value) => last.span.end == value.span.end && has_value(value),
        _ => false,
    })?;
    match last.kind {
        StmtKind::Expr(value) => Some(value),
        _ => None,
    }
}

fn has_value(mut expression: &Expr) -> bool {
    loop {
        match &expression.kind {
            ExprKind::Block(_) => return true,
            ExprKind::If {
                otherwise: None, ..
            } => return false,
            ExprKind::If {
                otherwise: Some(otherwise),
                ..
            } => match &otherwise.tail {
                // `else if`: the block has the span of its `if`, without braces of its own.
                Some(tail) if tail.span == otherwise.span => expression = tail,
                _ => return true,
            },
            _ => return false,
        }
    }
}

/// `first` before `rest`.
pub fn prepend<T>(first: T, mut rest: Vec<T>) -> Vec<T> {
    rest.insert(0, first);
    rest
}
