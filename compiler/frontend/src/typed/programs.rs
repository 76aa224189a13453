//! Loops of few programs over many independent pieces: each piece is a program of its own.
//!
//! ```text
//! grid(programs) { for row in range(program_id(0), rows, num_programs(0)) { … } }
//!   ⇒  grid(rows) { let row = program_id(0); … }
//! ```
//!
//! Such loops are written so that a GPU is busy from the first moment to the last, which takes as many programs as fit on it at once.
//! How many those are depends on what a program takes of it, which its author does not know; with fewer, memory waits while a program computes.
//! Programs of one iteration follow each other as there is room.
//!
//! That the iterations do not depend on each other must be clear from the form: they carry nothing on, do not read what one of them writes, and
//! nobody else asks which program runs them. A loop with products keeps its form: there tiles are walked over in an order of their own. So does one before which more is loaded than in
//! an iteration: each program would load it.

use std::collections::{BTreeMap, BTreeSet};

use tile_runtime::element::ElementType;
use tile_runtime::manifest::SizeExpr;

use super::walk::{assigned, expressions, has_product, read, with_nested};
use super::{
    Block, Constant, Element, Expr, ExprKind, Kernel, Overrides, Parameter, Stmt, StmtKind,
    VariableId,
};

/// Expressions that one is read through.
const MOST_STEPS: usize = 64;

/// More programs than any loop has iterations.
const MOST_PROGRAMS: i64 = 1 << 31;

/// The kernel with a program for each iteration of its loop over programs, if it has such a loop.
#[must_use]
pub fn one_for_each(kernel: Kernel) -> Kernel {
    spread(&kernel).unwrap_or(kernel)
}

fn spread(kernel: &Kernel) -> Option<Kernel> {
    let [programs, rest @ ..] = kernel.grid.as_deref()? else {
        return None;
    };
    let (last, before) = kernel.body.statements.split_last()?;
    let StmtKind::For {
        variable,
        lo,
        hi,
        step,
        overrides,
        body,
    } = &last.kind
    else {
        return None;
    };
    if *overrides != Overrides::default() {
        return None;
    }
    let sizes = Sizes::of(kernel, before)?;
    let is_first = sizes.is(lo, &ExprKind::ProgramId(0));
    let is_count = sizes.is(step, &ExprKind::NumPrograms(0)) || sizes.read(step)? == *programs;
    let is_it = is_first && is_count && is_word(lo) && asks_once(kernel, lo, step, &sizes);
    let is_cheap = loaded(before) <= loaded(&body.statements) + stored(&body.statements);
    if !is_it || !is_cheap || !is_independent(kernel, before, body) {
        return None;
    }
    let mut iterations = sizes.read(hi)?;
    let has_some = sizes.has_some(programs, &iterations);
    if !sizes.is_natural(&iterations) {
        iterations = SizeExpr::max(iterations, SizeExpr::Const(0));
    }
    // Where no program was launched, none is.
    if !has_some {
        let most = SizeExpr::mul(programs.clone(), SizeExpr::Const(MOST_PROGRAMS));
        iterations = SizeExpr::min(iterations, most);
    }
    let mut statements = before.to_vec();
    statements.push(Stmt {
        kind: StmtKind::Assign {
            variable: *variable,
            value: Expr {
                kind: ExprKind::ProgramId(0),
                ..lo.clone()
            },
        },
        span: last.span,
    });
    statements.extend(body.statements.iter().cloned());
    Some(Kernel {
        grid: Some([&[iterations], rest].concat()),
        spread: Some(last.span),
        body: Block { statements },
        ..kernel.clone()
    })
}

/// What is known of numbers before a launch.
struct Sizes<'a> {
    kernel: &'a Kernel,
    lets: BTreeMap<VariableId, &'a Expr>,
}

impl<'a> Sizes<'a> {
    /// `None` if the statements do anything but name values that are cheap to have.
    fn of(kernel: &'a Kernel, before: &'a [Stmt]) -> Option<Self> {
        let mut lets = BTreeMap::new();
        for statement in before {
            match &statement.kind {
                StmtKind::Assign { variable, value } => {
                    if lets.insert(*variable, value).is_some() {
                        return None;
                    }
                }
                StmtKind::Assume(_) => {}
                _ => return None,
            }
        }
        let is_dear = |expr: &&Expr| {
            matches!(
                expr.kind,
                ExprKind::Reduce { .. }
                    | ExprKind::Sort { .. }
                    | ExprKind::Gather { .. }
                    | ExprKind::Histogram { .. }
                    | ExprKind::Dot { .. }
            )
        };
        (!expressions(before).iter().any(is_dear)).then_some(Self { kernel, lets })
    }

    /// What an expression is, behind names.
    fn behind(&self, expr: &'a Expr) -> &'a Expr {
        match &expr.kind {
            ExprKind::Variable(variable) => match self.lets.get(variable) {
                Some(value) => self.behind(value),
                None => expr,
            },
            _ => expr,
        }
    }

    fn is(&self, expr: &'a Expr, kind: &ExprKind) -> bool {
        self.behind(expr).kind == *kind
    }

    /// A number as a launch computes it.
    fn read(&self, expr: &'a Expr) -> Option<SizeExpr> {
        self.part(expr, &mut MOST_STEPS.clone())
    }

    fn part(&self, expr: &'a Expr, left: &mut usize) -> Option<SizeExpr> {
        *left = left.checked_sub(1)?;
        let expr = self.behind(expr);
        if !is_word(expr) {
            return None;
        }
        let ExprKind::Binary {
            operation,
            left: one,
            right: other,
        } = &expr.kind
        else {
            return match &expr.kind {
                ExprKind::Constant(Constant::Int(value)) => {
                    i64::try_from(*value).ok().map(SizeExpr::Const)
                }
                ExprKind::Variable(variable) => self.name(*variable).map(SizeExpr::Name),
                _ => None,
            };
        };
        let make = operation.of_sizes()?;
        Some(make(self.part(one, left)?, self.part(other, left)?))
    }

    /// What a launch calls a number.
    fn name(&self, wanted: VariableId) -> Option<String> {
        let mut sizes = self.kernel.sizes.iter();
        let size = sizes.find(|(_, variable)| *variable == wanted);
        let mut parameters = self.kernel.parameters.iter();
        let scalar = || {
            parameters.find_map(|parameter| match parameter {
                Parameter::Scalar { name, variable } if *variable == wanted => Some(name.clone()),
                _ => None,
            })
        };
        size.map(|(name, _)| name.clone()).or_else(scalar)
    }

    /// Whether there is a program where there is an iteration.
    fn has_some(&self, programs: &SizeExpr, iterations: &SizeExpr) -> bool {
        match programs {
            SizeExpr::Const(number) => *number > 0,
            SizeExpr::Min(one, other) => {
                self.has_some(one, iterations) && self.has_some(other, iterations)
            }
            _ => programs == iterations,
        }
    }

    /// Whether a number is never negative.
    fn is_natural(&self, number: &SizeExpr) -> bool {
        match number {
            SizeExpr::Const(number) => *number >= 0,
            SizeExpr::Name(name) => self.kernel.sizes.iter().any(|(size, _)| size == name),
            SizeExpr::Add(one, other) | SizeExpr::Mul(one, other) | SizeExpr::Min(one, other) => {
                self.is_natural(one) && self.is_natural(other)
            }
            SizeExpr::Div(one, other) | SizeExpr::CeilDiv(one, other) => {
                self.is_natural(one) && matches!(**other, SizeExpr::Const(1..))
            }
            _ => false,
        }
    }
}

/// Elements that statements load, in blocks inside them as well.
fn loaded(statements: &[Stmt]) -> u64 {
    let all = expressions(statements).into_iter();
    let loads = all.filter(|expr| expr.is_load());
    loads.map(elements).sum()
}

/// Elements that they store.
fn stored(statements: &[Stmt]) -> u64 {
    let values =
        with_nested(statements)
            .into_iter()
            .filter_map(|statement| match &statement.kind {
                StmtKind::Store { value, .. } | StmtKind::StoreView { value, .. } => {
                    Some(elements(value))
                }
                _ => None,
            });
    values.sum()
}

fn elements(of: &Expr) -> u64 {
    of.ty.shape.iter().product()
}

/// Whether it is a number of 32 bits.
fn is_word(expr: &Expr) -> bool {
    expr.ty.shape.is_empty() && expr.ty.element == Element::Number(ElementType::I32)
}

/// Whether the range of the loop is all that says which program runs, and how many there are.
fn asks_once(kernel: &Kernel, lo: &Expr, step: &Expr, sizes: &Sizes<'_>) -> bool {
    let all = expressions(&kernel.body.statements);
    let asked = all.iter().filter(|expr| match expr.kind {
        ExprKind::ProgramId(axis) | ExprKind::NumPrograms(axis) => axis == 0,
        _ => false,
    });
    let own = |expr: &Expr| {
        let is_own = matches!(
            sizes.behind(expr).kind,
            ExprKind::ProgramId(_) | ExprKind::NumPrograms(_)
        );
        usize::from(is_own)
    };
    // Its names are read by nothing else.
    let names = sizes.lets.iter().filter(|(_, value)| own(value) > 0);
    let mut names = names.map(|(variable, _)| variable);
    let reads = |variable: &VariableId| {
        let is_it = |expr: &&&Expr| matches!(&expr.kind, ExprKind::Variable(of) if of == variable);
        all.iter().filter(is_it).count()
    };
    asked.count() == own(lo) + own(step) && names.all(|variable| reads(variable) <= 1)
}

/// Whether iterations carry nothing on, do not read what others write, and end by themselves.
fn is_independent(kernel: &Kernel, before: &[Stmt], body: &Block) -> bool {
    let is_plain = |statement: &&Stmt| {
        matches!(
            statement.kind,
            StmtKind::Assign { .. }
                | StmtKind::AssignMany { .. }
                | StmtKind::Store { .. }
                | StmtKind::StoreView { .. }
                | StmtKind::For { .. }
                | StmtKind::If { .. }
                | StmtKind::Assume(_)
        )
    };
    let (mut given, own) = (assigned(before), assigned(&body.statements));
    given.extend(read(before));
    let carries = own.iter().any(|variable| given.contains(variable));
    let inside = with_nested(&body.statements);
    if carries || has_product(&body.statements) || !inside.iter().all(is_plain) {
        return false;
    }
    let (mut written, mut is_known) = (BTreeSet::new(), true);
    for statement in &inside {
        match &statement.kind {
            StmtKind::Store { pointers, .. } => {
                is_known &= pointed(kernel, pointers, &mut written);
            }
            StmtKind::StoreView { view, .. } => {
                written.insert(view.tensor);
            }
            _ => {}
        }
    }
    let mut loaded = BTreeSet::new();
    for expr in expressions(&kernel.body.statements) {
        match &expr.kind {
            ExprKind::Load { pointers, .. } => is_known &= pointed(kernel, pointers, &mut loaded),
            ExprKind::LoadView { view, .. } => {
                loaded.insert(view.tensor);
            }
            _ => {}
        }
    }
    is_known && written.is_disjoint(&loaded)
}

/// Adds the parameters that pointers may be made of; whether that are all.
fn pointed(kernel: &Kernel, pointers: &Expr, list: &mut BTreeSet<usize>) -> bool {
    let mut values: BTreeMap<VariableId, Vec<&Expr>> = BTreeMap::new();
    for statement in with_nested(&kernel.body.statements) {
        if let StmtKind::Assign { variable, value } = &statement.kind {
            values.entry(*variable).or_default().push(value);
        }
    }
    let of_parameter = |wanted: VariableId| {
        let mut parameters = kernel.parameters.iter();
        parameters.position(|parameter| match parameter {
            Parameter::Pointer { variable, .. } => *variable == wanted,
            _ => false,
        })
    };
    let (mut seen, mut open) = (BTreeSet::new(), vec![pointers]);
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::PointerOffset { pointer, .. } => open.push(pointer),
            ExprKind::Broadcast(operand)
            | ExprKind::ExpandDimension { operand, .. }
            | ExprKind::Reshape(operand)
            | ExprKind::Permute { operand, .. } => open.push(operand),
            ExprKind::Select {
                then, otherwise, ..
            } => open.extend([&**then, otherwise]),
            ExprKind::Variable(variable) => match of_parameter(*variable) {
                Some(number) => {
                    list.insert(number);
                }
                None if !seen.insert(*variable) => {}
                None => match values.get(variable) {
                    Some(values) => open.extend(values),
                    None => return false,
                },
            },
            _ => return false,
        }
    }
    true
}
