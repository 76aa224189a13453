//! How statements may leave the sequence they are in.

use std::collections::BTreeSet;

use crate::typed::{Block, Label, Stmt, StmtKind};

/// How statements may leave their sequence.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Jumps {
    /// With `break`.
    pub stops: bool,
    /// With `continue`.
    pub skips: bool,
    /// With `return`.
    pub returns: bool,
    /// To behind these blocks.
    pub leaves: BTreeSet<Label>,
}

impl Jumps {
    pub fn any(&self) -> bool {
        self.skips || self.leave_loops()
    }

    /// Whether a loop with these in its body may end early.
    pub fn leave_loops(&self) -> bool {
        self.stops || self.returns || !self.leaves.is_empty()
    }

    fn or(mut self, other: Self) -> Self {
        self.stops |= other.stops;
        self.skips |= other.skips;
        self.returns |= other.returns;
        self.leaves.extend(other.leaves);
        self
    }

    pub fn of_block(block: &Block) -> Self {
        let each = block.statements.iter().map(Self::of);
        each.fold(Self::default(), Self::or)
    }

    pub fn of(statement: &Stmt) -> Self {
        let none = Self::default();
        match &statement.kind {
            StmtKind::Break => Self {
                stops: true,
                ..none
            },
            StmtKind::Continue => Self {
                skips: true,
                ..none
            },
            StmtKind::Return => Self {
                returns: true,
                ..none
            },
            StmtKind::Leave(label) => Self {
                leaves: BTreeSet::from([*label]),
                ..none
            },
            StmtKind::If {
                then, otherwise, ..
            } => Self::of_block(then).or(Self::of_block(otherwise)),
            // Its own jumps end at the loop.
            StmtKind::For { body, .. } | StmtKind::While { body, .. } => Self {
                stops: false,
                skips: false,
                ..Self::of_block(body)
            },
            StmtKind::Labelled { label, body } => {
                let mut jumps = Self::of_block(body);
                jumps.leaves.remove(label);
                jumps
            }
            _ => none,
        }
    }
}

/// Whether nothing after the block is ever reached.
pub(super) fn always_jumps(block: &Block) -> bool {
    block
        .statements
        .iter()
        .any(|statement| match &statement.kind {
            StmtKind::Break | StmtKind::Continue | StmtKind::Return | StmtKind::Leave(_) => true,
            StmtKind::If {
                then, otherwise, ..
            } => always_jumps(then) && always_jumps(otherwise),
            _ => false,
        })
}

/// Whether there is a block with a label in it.
pub(super) fn has_labels(block: &Block) -> bool {
    block.statements.iter().any(|statement| {
        matches!(statement.kind, StmtKind::Labelled { .. })
            || statement.blocks().into_iter().any(has_labels)
    })
}
