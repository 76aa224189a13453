//! Makes a program that fails smaller, as long as it fails alike.
//!
//! Steps are tried from large to small and over again until none helps: statements go, blocks
//! become what is in them, expressions become one of their operands or the simplest constant.

use super::run::{Finding, Options, run};
use super::tree::{Expr, Heading, Kind, Name, Program, Statement, walk};

/// The smallest program found, with what is wrong with it. `tell` hears of each step that helped.
pub fn shrink(
    program: &Program,
    finding: &Finding,
    options: Options,
    tell: &mut dyn FnMut(&Program),
) -> (Program, Finding) {
    let mut best = (program.clone(), finding.clone());
    loop {
        let mut helped = false;
        for step in STEPS {
            let mut at = 0;
            while let Some(smaller) = step(&best.0, at) {
                let found = if smaller == best.0 {
                    None
                } else {
                    run(&smaller, options)
                        .err()
                        .filter(|found| found.is_like(finding))
                };
                // What came next has moved here if the step helped.
                match found {
                    Some(found) => {
                        tell(&smaller);
                        best = (smaller, found);
                        helped = true;
                    }
                    None => at += 1,
                }
            }
        }
        if !helped {
            return best;
        }
    }
}

/// The program with one thing made smaller; `None` when there is no such thing any more.
type Step = fn(&Program, usize) -> Option<Program>;

const STEPS: &[Step] = &[
    simpler_launch,
    without_statement,
    unwrapped,
    as_constant,
    as_operand,
];

fn simpler_launch(program: &Program, at: usize) -> Option<Program> {
    let mut smaller = program.clone();
    match at {
        0 => smaller.grid = [1; 3],
        1 => smaller.warps = None,
        2 => smaller.warps = Some(1),
        3 => smaller.target = "sm_90a",
        _ => return None,
    }
    // Only towards less.
    let warps = |program: &Program| program.warps.map_or(0, |warps| warps);
    if warps(&smaller) > warps(program) {
        return Some(program.clone());
    }
    Some(smaller)
}

fn without_statement(program: &Program, at: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = at;
    let removed = remove(&mut smaller.body, &mut left)?;
    forget(&mut smaller, &removed);
    Some(smaller)
}

/// Takes out the statement with this number.
fn remove(statements: &mut Vec<Statement>, left: &mut usize) -> Option<Statement> {
    let mut at = 0;
    while at < statements.len() {
        if *left == 0 {
            return Some(statements.remove(at));
        }
        *left -= 1;
        if let Some(Statement::Block {
            body, otherwise, ..
        }) = statements.get_mut(at)
        {
            let removed = remove(body, left).or_else(|| remove(otherwise, left));
            if removed.is_some() {
                return removed;
            }
        }
        at += 1;
    }
    None
}

/// Puts constants for the variables of a statement that is gone.
fn forget(program: &mut Program, removed: &Statement) {
    let names: Vec<Name> = match removed {
        Statement::Let { targets, .. } => targets.iter().map(|target| target.name).collect(),
        Statement::Block { heading, .. } => match heading {
            Heading::For { variable, .. } => vec![variable.name],
            Heading::While { counter, .. } => vec![counter.name],
            Heading::If(_) => Vec::new(),
        },
        _ => Vec::new(),
    };
    unassign(&mut program.body, &names);
    walk(&mut program.body, &mut |expression| {
        if let Kind::Variable(name) = expression.kind
            && names.contains(&name)
        {
            *expression = Expr::simplest(&expression.ty);
        }
    });
}

fn unassign(statements: &mut Vec<Statement>, names: &[Name]) {
    statements.retain(
        |statement| !matches!(statement, Statement::Assign { target, .. } if names.contains(target)),
    );
    for statement in statements {
        if let Statement::Block {
            body, otherwise, ..
        } = statement
        {
            unassign(body, names);
            unassign(otherwise, names);
        }
    }
}

/// A block becomes what is in it.
fn unwrapped(program: &Program, at: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = at;
    let heading = unwrap(&mut smaller.body, &mut left)?;
    forget(
        &mut smaller,
        &Statement::Block {
            heading,
            body: Vec::new(),
            otherwise: Vec::new(),
        },
    );
    Some(smaller)
}

fn unwrap(statements: &mut Vec<Statement>, left: &mut usize) -> Option<Heading> {
    let mut at = 0;
    while at < statements.len() {
        if matches!(statements[at], Statement::Block { .. }) {
            if *left == 0 {
                if let Statement::Block {
                    heading,
                    body,
                    otherwise,
                } = statements.remove(at)
                {
                    let inside = body.into_iter().chain(otherwise);
                    statements.splice(at..at, inside);
                    return Some(heading);
                }
                return None;
            }
            *left -= 1;
        }
        if let Some(Statement::Block {
            body, otherwise, ..
        }) = statements.get_mut(at)
        {
            let heading = unwrap(body, left).or_else(|| unwrap(otherwise, left));
            if heading.is_some() {
                return heading;
            }
        }
        at += 1;
    }
    None
}

/// Changes the expression with this number; `None` if there is none.
fn changed(program: &Program, at: usize, change: impl Fn(&mut Expr)) -> Option<Program> {
    let mut smaller = program.clone();
    let mut number = 0;
    walk(&mut smaller.body, &mut |expression| {
        if number == at {
            change(expression);
        }
        number += 1;
    });
    (number > at).then_some(smaller)
}

/// An expression becomes a constant, unless it is what a statement does.
fn as_constant(program: &Program, at: usize) -> Option<Program> {
    changed(program, at, |expression| {
        if !is_statement(expression) {
            *expression = Expr::simplest(&expression.ty);
        }
    })
}

/// An expression becomes one of its operands: the first that fits.
fn as_operand(program: &Program, at: usize) -> Option<Program> {
    changed(program, at, |expression| {
        let fits = |operand: &&Expr| operand.ty.fits(&expression.ty);
        if !is_statement(expression)
            && let Some(operand) = expression.operands().iter().find(fits).cloned()
        {
            *expression = operand;
        }
    })
}

/// Stores, ranges and lists of values are no values.
fn is_statement(expression: &Expr) -> bool {
    match &expression.kind {
        Kind::Variable(_) => false,
        Kind::Form(text, _) => ["store(", "atomic_", "range(", "($0, $1)"]
            .iter()
            .any(|start| text.starts_with(start)),
    }
}
