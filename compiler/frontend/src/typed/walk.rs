//! Walks through expressions and statements.

use std::collections::BTreeSet;

use super::{
    AtomicOperation, BinaryOperation, Block, CompareOperation, Constant, Dimension, Element, Expr,
    ExprKind, Kernel, MultiKind, Parameter, Stmt, StmtKind, Stride, VariableId, View, ViewIndex,
};
use crate::target::WIDEST_ACCESS;

impl Expr {
    /// The expressions it is made of, in order of evaluation.
    #[must_use]
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Constant(_)
            | ExprKind::Variable(_)
            | ExprKind::ProgramId(_)
            | ExprKind::NumPrograms(_)
            | ExprKind::Arange { .. } => Vec::new(),
            ExprKind::Broadcast(operand)
            | ExprKind::ExpandDimension { operand, .. }
            | ExprKind::Reshape(operand)
            | ExprKind::Permute { operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::Bitcast(operand)
            | ExprKind::Reduce { operand, .. }
            | ExprKind::Sort { operand, .. } => vec![operand],
            ExprKind::Binary { left, right, .. } | ExprKind::Compare { left, right, .. } => {
                vec![left, right]
            }
            ExprKind::PointerOffset { pointer, offset } => vec![pointer, offset],
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => vec![condition, then, otherwise],
            ExprKind::FusedMultiplyAdd { operands } => operands.iter().collect(),
            ExprKind::Gather { operand, indices } => {
                let mut list = vec![&**operand];
                list.extend(indices);
                list
            }
            ExprKind::Histogram { operand, mask } => {
                let mut list = vec![&**operand];
                list.extend(mask.as_deref());
                list
            }
            ExprKind::Dot {
                left,
                right,
                accumulator,
                ..
            } => vec![left, right, accumulator],
            ExprKind::Load {
                pointers,
                mask,
                other,
                ..
            } => {
                let mut list = vec![&**pointers];
                list.extend(mask.as_deref());
                list.extend(other.as_deref());
                list
            }
            ExprKind::LoadView { view, other, .. } => {
                let mut list = view.children();
                list.extend(other.as_deref());
                list
            }
        }
    }

    /// Whether it reads memory: it must not be computed where the program would not.
    #[must_use]
    pub fn reads_memory(&self) -> bool {
        matches!(self.kind, ExprKind::Load { .. } | ExprKind::LoadView { .. })
            || self.children().into_iter().any(Expr::reads_memory)
    }

    /// Whether it is itself a read.
    #[must_use]
    pub const fn is_load(&self) -> bool {
        matches!(self.kind, ExprKind::Load { .. } | ExprKind::LoadView { .. })
    }

    /// The variables whose divisors say something of those of this expression, or of where it changes along a tile.
    fn add_divided(&self, set: &mut BTreeSet<VariableId>) {
        match &self.kind {
            ExprKind::Variable(id) => {
                set.insert(*id);
            }
            ExprKind::Compare {
                operation: CompareOperation::Equal | CompareOperation::NotEqual,
                ..
            } => {}
            _ => {
                for child in self.children() {
                    child.add_divided(set);
                }
            }
        }
    }

    pub(super) fn add_variables(&self, set: &mut BTreeSet<VariableId>) {
        if let ExprKind::Variable(id) = self.kind {
            set.insert(id);
        }
        for child in self.children() {
            child.add_variables(set);
        }
    }
}

impl View {
    fn children(&self) -> Vec<&Expr> {
        self.indices
            .iter()
            .map(|index| match index {
                ViewIndex::At(expr)
                | ViewIndex::Range { start: expr, .. }
                | ViewIndex::Gather(expr) => expr,
            })
            .collect()
    }

    /// The positions that say how vectors of its elements are aligned: from the innermost dimension on, until rows are whole vectors.
    /// Single elements are in none.
    fn places_in_rows(&self, kernel: &Kernel) -> Vec<&Expr> {
        let Some(Parameter::Tensor(tensor)) = kernel.parameters.get(self.tensor) else {
            return self.children();
        };
        if self
            .indices
            .iter()
            .all(|index| matches!(index, ViewIndex::At(_)))
        {
            return Vec::new();
        }
        let is_dense = tensor
            .strides
            .iter()
            .all(|stride| matches!(stride, Stride::Dense));
        let element = kernel.variables[tensor.pointer.0 as usize].ty.element;
        let (true, Element::Pointer { pointee, .. }) = (is_dense, element) else {
            return self.children();
        };
        let mut pitch = u64::from(pointee.bytes());
        let mut places = Vec::new();
        for (place, dimension) in self.children().into_iter().zip(&tensor.dimensions).rev() {
            places.push(place);
            // Of other sizes a variant promises that rows are whole vectors.
            let Dimension::Fixed(size) = dimension else {
                break;
            };
            pitch = pitch.saturating_mul(*size);
            if pitch % WIDEST_ACCESS == 0 {
                break;
            }
        }
        places
    }
}

impl Stmt {
    /// The expressions of the statement itself, without those of the blocks in it.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Assign { value, .. } => vec![value],
            StmtKind::AssignMany { operation, .. } => {
                let results = &operation.combine.results;
                operation.inputs.iter().chain(results).collect()
            }
            StmtKind::Atomic {
                pointers,
                compare,
                value,
                mask,
                ..
            } => {
                let mut list = vec![pointers];
                list.extend(compare);
                list.push(value);
                list.extend(mask);
                list
            }
            StmtKind::Store {
                pointers,
                value,
                mask,
                ..
            } => {
                let mut list = vec![pointers, value];
                list.extend(mask);
                list
            }
            StmtKind::StoreView {
                view, value, mask, ..
            } => {
                let mut list = view.children();
                list.push(value);
                list.extend(mask);
                list
            }
            StmtKind::For { lo, hi, step, .. } => vec![lo, hi, step],
            StmtKind::While { test, .. } => vec![test],
            StmtKind::If { condition, .. }
            | StmtKind::Assume(condition)
            | StmtKind::Assert { condition, .. } => vec![condition],
            StmtKind::Print { values, .. } => values.iter().collect(),
            StmtKind::Asm { arguments, .. } => arguments.iter().collect(),
            StmtKind::Prefetch { pointers, mask, .. } => {
                std::iter::once(pointers).chain(mask).collect()
            }
            StmtKind::Host(step) => step.operands.iter().collect(),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return
            | StmtKind::Labelled { .. }
            | StmtKind::Leave(_) => Vec::new(),
        }
    }

    /// The blocks in the statement.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::AssignMany { operation, .. } => vec![&operation.combine.body],
            StmtKind::For { body, .. } | StmtKind::Labelled { body, .. } => vec![body],
            StmtKind::While {
                condition, body, ..
            } => vec![condition, body],
            StmtKind::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            _ => Vec::new(),
        }
    }
}

/// Statements with all those in blocks inside them, in no particular order.
pub(super) fn with_nested(statements: &[Stmt]) -> Vec<&Stmt> {
    let mut list = Vec::new();
    let mut open: Vec<&Stmt> = statements.iter().collect();
    while let Some(statement) = open.pop() {
        list.push(statement);
        for block in statement.blocks() {
            open.extend(&block.statements);
        }
    }
    list
}

/// All expressions of statements and of the blocks inside them, with those that they are made of.
pub(super) fn expressions(statements: &[Stmt]) -> Vec<&Expr> {
    let mut list = Vec::new();
    for statement in with_nested(statements) {
        let mut open = statement.expressions();
        while let Some(expr) = open.pop() {
            list.push(expr);
            open.extend(expr.children());
        }
    }
    list
}

/// The variables that statements read, in blocks inside them as well.
#[must_use]
pub fn read(statements: &[Stmt]) -> BTreeSet<VariableId> {
    let mut set = BTreeSet::new();
    for expr in with_nested(statements)
        .into_iter()
        .flat_map(Stmt::expressions)
    {
        expr.add_variables(&mut set);
    }
    set
}

/// Which accesses to memory are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accesses {
    /// All.
    All,
    /// All but stores and atomics.
    Loads,
}

/// The variables whose divisors matter to addresses and masks of accesses, and what `asm` takes, in blocks inside statements as
/// well. What only decides whether statements run is none of them, nor what is only asked whether it is equal to something.
#[must_use]
pub fn addressing(kernel: &Kernel, accesses: Accesses) -> BTreeSet<VariableId> {
    let statements = &kernel.body.statements;
    let all = with_nested(statements);
    let mut set = BTreeSet::new();
    let add = |set: &mut BTreeSet<VariableId>, list: Vec<&Expr>| {
        for expr in list {
            expr.add_divided(set);
        }
    };
    for expr in expressions(statements) {
        match &expr.kind {
            ExprKind::Load { pointers, mask, .. } => {
                add(
                    &mut set,
                    std::iter::once(&**pointers)
                        .chain(mask.as_deref())
                        .collect(),
                );
            }
            ExprKind::LoadView { view, .. } => add(&mut set, view.places_in_rows(kernel)),
            _ => {}
        }
    }
    for statement in &all {
        match &statement.kind {
            StmtKind::Store { .. } | StmtKind::Atomic { .. } | StmtKind::StoreView { .. }
                if accesses == Accesses::Loads => {}
            StmtKind::Store { pointers, mask, .. }
            | StmtKind::Prefetch { pointers, mask, .. }
            | StmtKind::Atomic { pointers, mask, .. } => {
                add(&mut set, std::iter::once(pointers).chain(mask).collect());
            }
            StmtKind::StoreView { view, mask, .. } => {
                add(&mut set, view.places_in_rows(kernel));
                add(&mut set, mask.iter().collect());
            }
            StmtKind::Asm { arguments, .. } => add(&mut set, arguments.iter().collect()),
            _ => {}
        }
    }
    loop {
        let before = set.len();
        for statement in &all {
            let gives = match &statement.kind {
                StmtKind::Assign { variable, .. } | StmtKind::For { variable, .. } => {
                    set.contains(variable)
                }
                StmtKind::AssignMany {
                    variables,
                    operation,
                } => {
                    let combine = &operation.combine;
                    let inside = assigned(&combine.body.statements);
                    let mut all = variables.iter().chain(&combine.left).chain(&combine.right);
                    all.any(|variable| set.contains(variable))
                        || inside.iter().any(|variable| set.contains(variable))
                }
                _ => false,
            };
            if gives {
                add(&mut set, statement.expressions());
            }
        }
        if set.len() == before {
            return set;
        }
    }
}

/// The variables that statements assign and that outlive them: not the counters of loops.
#[must_use]
pub fn assigned(statements: &[Stmt]) -> BTreeSet<VariableId> {
    let mut set = BTreeSet::new();
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { variable, .. } => {
                set.insert(*variable);
            }
            StmtKind::AssignMany { variables, .. } | StmtKind::Asm { variables, .. } => {
                set.extend(variables);
            }
            StmtKind::Atomic { variable, .. } => set.extend(variable),
            StmtKind::Host(step) => set.extend(&step.results),
            StmtKind::For { variable, body, .. } => {
                set.extend(assigned(&body.statements));
                set.remove(variable);
            }
            StmtKind::While { .. } | StmtKind::If { .. } | StmtKind::Labelled { .. } => {
                for block in statement.blocks() {
                    set.extend(assigned(&block.statements));
                }
            }
            _ => {}
        }
    }
    set
}

/// The variables that are what a reduction gives, in blocks as well.
#[must_use]
pub fn reduced(statements: &[Stmt]) -> BTreeSet<VariableId> {
    let mut set = BTreeSet::new();
    for statement in with_nested(statements) {
        match &statement.kind {
            StmtKind::Assign { variable, value }
                if matches!(value.kind, ExprKind::Reduce { .. }) =>
            {
                set.insert(*variable);
            }
            StmtKind::AssignMany {
                variables,
                operation,
            } if matches!(operation.kind, MultiKind::Reduce) => set.extend(variables),
            _ => {}
        }
    }
    set
}

/// The views that statements load, in blocks inside them as well.
pub fn loaded_views(statements: &[Stmt]) -> impl Iterator<Item = &View> {
    let all = expressions(statements).into_iter();
    all.filter_map(|expr| match &expr.kind {
        ExprKind::LoadView { view, .. } => Some(view),
        _ => None,
    })
}

/// The views that statements load, or load and store, in blocks inside them as well.
#[must_use]
pub fn views(statements: &[Stmt], accesses: Accesses) -> Vec<&View> {
    let loaded = loaded_views(statements);
    let stored = with_nested(statements)
        .into_iter()
        .filter(|_| accesses == Accesses::All)
        .filter_map(|of| match &of.kind {
            StmtKind::StoreView { view, .. } => Some(view),
            _ => None,
        });
    loaded.chain(stored).collect()
}

/// A row that a kernel goes over block by block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// What counts its elements.
    pub counted: VariableId,
    /// Elements of a block.
    pub elements: i64,
    /// Whether each block is reduced by itself.
    pub is_reduced: bool,
    /// Whether there are several loops over it.
    pub is_repeated: bool,
}

/// The row that a kernel goes over block by block, more than once or with a sum of all blocks, if there is one: a launch with few blocks
/// has nothing to load ahead, and may keep them between the loops.
#[must_use]
pub fn row_in_blocks(kernel: &Kernel) -> Option<Row> {
    let statements = &kernel.body.statements;
    if has_product(statements) {
        return None;
    }
    let statements = with_nested(statements).into_iter();
    let loops: Vec<_> = statements.filter_map(blocks_of_row).collect();
    let others = |of: &Row| {
        let of = (of.counted, of.elements);
        let mut all = loops
            .iter()
            .map(|(row, _)| row)
            .filter(move |row| (row.counted, row.elements) == of);
        let is_reduced = all.clone().any(|row| row.is_reduced);
        (all.nth(1).is_some(), is_reduced)
    };
    let all = loops.iter().map(|(row, carries_tile)| {
        let (is_repeated, is_reduced) = others(row);
        let row = Row {
            is_reduced,
            is_repeated,
            ..*row
        };
        (row, *carries_tile)
    });
    let repeated = all.clone().find(|(row, _)| row.is_repeated);
    let summed = || {
        all.clone()
            .find(|(row, carries_tile)| *carries_tile && !row.is_reduced)
    };
    repeated.or_else(summed).map(|(row, _)| row)
}

/// The same of one statement, if it is a loop over all blocks of a row that loads tiles, and whether it adds to a tile.
fn blocks_of_row(statement: &Stmt) -> Option<(Row, bool)> {
    let StmtKind::For {
        lo, hi, step, body, ..
    } = &statement.kind
    else {
        return None;
    };
    let number = |of: &Expr| match of.kind {
        ExprKind::Constant(Constant::Int(value)) => i64::try_from(value).ok(),
        _ => None,
    };
    let variable = |of: &Expr| match of.kind {
        ExprKind::Variable(variable) => Some(variable),
        _ => None,
    };
    let (counted, elements) = match (&hi.kind, number(step)?) {
        (
            ExprKind::Binary {
                operation: BinaryOperation::CeilDivide,
                left,
                right,
            },
            1,
        ) => (variable(left)?, number(right)?),
        (_, step) => (variable(hi)?, step),
    };
    let inside = expressions(&body.statements);
    let loads = |expr: &&Expr| expr.reads_memory() && !expr.ty.shape.is_empty();
    let reduces = |expr: &&Expr| matches!(expr.kind, ExprKind::Reduce { .. });
    let is_it = number(lo)? == 0 && elements >= SMALLEST_BLOCK && inside.iter().any(loads);
    let adds = |of: &Stmt| match &of.kind {
        StmtKind::Assign { variable, value } => {
            !value.ty.shape.is_empty() && reads(value, *variable)
        }
        _ => false,
    };
    let row = Row {
        counted,
        elements,
        is_reduced: inside.iter().any(reduces),
        is_repeated: false,
    };
    is_it.then(|| (row, body.statements.iter().any(adds)))
}

/// Whether an expression reads a variable.
pub(super) fn reads(expr: &Expr, variable: VariableId) -> bool {
    matches!(expr.kind, ExprKind::Variable(own) if own == variable)
        || expr
            .children()
            .into_iter()
            .any(|child| reads(child, variable))
}

/// Elements of a block of a row at least.
const SMALLEST_BLOCK: i64 = 64;

/// Whether statements have a matrix product, in blocks inside them as well.
#[must_use]
pub fn has_product(statements: &[Stmt]) -> bool {
    let is_product = |expr: &&Expr| matches!(expr.kind, ExprKind::Dot { .. });
    expressions(statements).iter().any(is_product)
}

/// Whether some statement adds to floats in memory that others may add to.
pub fn adds_to_shared_floats(statements: &[Stmt]) -> bool {
    with_nested(statements)
        .iter()
        .any(|statement| match &statement.kind {
            StmtKind::Atomic {
                operation: AtomicOperation::Add,
                value,
                ..
            } => matches!(value.ty.element, Element::Number(element) if element.is_float()),
            _ => false,
        })
}

/// Whether a program may wait for another: for that it repeats something until it holds.
pub fn may_wait(statements: &[Stmt]) -> bool {
    with_nested(statements)
        .iter()
        .any(|statement| matches!(statement.kind, StmtKind::While { .. }))
}
