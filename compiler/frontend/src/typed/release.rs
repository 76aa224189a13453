//! A program without its debug statements: `print` and `assert` are left out.

use std::collections::BTreeMap;

use super::{Block, Kernel, Stmt, StmtKind};
use crate::diagnostic::Span;

/// What was left out of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many of each function.
    pub counts: BTreeMap<&'static str, usize>,
    /// The first of them.
    pub first: Option<Span>,
}

/// The kernel without `print` and `assert`.
#[must_use]
pub fn release(kernel: &Kernel) -> (Kernel, LeftOut) {
    let mut left_out = LeftOut::default();
    let mut kernel = kernel.clone();
    block(&mut kernel.body, &mut left_out);
    (kernel, left_out)
}

fn block(of: &mut Block, left_out: &mut LeftOut) {
    of.statements.retain(|statement| {
        let Some(name) = debug_function(statement) else {
            return true;
        };
        *left_out.counts.entry(name).or_default() += 1;
        left_out.first.get_or_insert(statement.span);
        false
    });
    for statement in &mut of.statements {
        match &mut statement.kind {
            StmtKind::For { body, .. } => block(body, left_out),
            StmtKind::While {
                condition, body, ..
            } => {
                block(condition, left_out);
                block(body, left_out);
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                block(then, left_out);
                block(otherwise, left_out);
            }
            _ => {}
        }
    }
}

const fn debug_function(statement: &Stmt) -> Option<&'static str> {
    match statement.kind {
        StmtKind::Print { .. } => Some("print"),
        StmtKind::Assert { .. } => Some("assert"),
        _ => None,
    }
}
