//! Programs without jumps: `break`, `continue`, `return` and leaving a block become conditions on flags, and every
//! loop counts up by a positive constant or is a `while`.
//!
//! ```text
//! for i in range(0, n) {              at = 0; stop = false
//!     if load(x + i) < 0 { break }    while at < n & !stop {
//!     sum = sum + 1              ⇒        i = at
//! }                                       if load(x + i) < 0 { stop = true } else { sum = sum + 1 }
//!                                         at = at + 1
//!                                     }
//! ```
//!
//! What follows an `if` of which one branch always jumps moves into the other branch; what follows
//! any other statement that may jump is done under `if !flag`. Nothing is copied, so the program
//! stays as large as it was. What comes out means the same: the interpreter runs both.
//!
//! Sema promises that a variable is assigned before it is read on every path that gets there. Under
//! a flag that is no longer visible from the form of the program, so variables that such a statement
//! assigns get a value first that is never looked at.

use std::collections::{BTreeMap, BTreeSet};

use tile_runtime::element::ElementType;

use super::walk::{assigned, read};
use super::{
    Block, CompareOperation, Constant, Element, Expr, ExprKind, Kernel, Label, Stmt, StmtKind,
    ValueType, Variable, VariableId,
};
use crate::diagnostic::Span;

mod expressions;
mod jumps;

use expressions::{
    add, assign, both, cast, compare, constant, inside, is_never_zero, multiply, narrow,
    never_zero, not, read_wide, rounds, scalar, set, truth, variable, wide,
};
use jumps::{Jumps, always_jumps, has_labels};

/// Whether a loop with this body may end before its range does: such a `for` becomes a `while`.
#[must_use]
pub fn may_end_early(body: &Block) -> bool {
    Jumps::of_block(body).leave_loops()
}

/// The same program without jumps, and with loops that count up by positive constants.
#[must_use]
pub fn structured(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    let body = std::mem::take(&mut kernel.body);
    let span = kernel.span;
    let mut state = Structure {
        done: None,
        kernel: &mut kernel,
        defined: BTreeSet::new(),
        asked: BTreeSet::new(),
        flags: BTreeSet::new(),
        labels: BTreeMap::new(),
        never_zero: never_zero(&body.statements),
    };
    let places = Places {
        stop: None,
        skip: None,
    };
    let mut statements = state.sequence(&body.statements, places);
    if let Some(done) = state.done {
        statements.insert(0, set(done, false, span));
    }
    let unread: BTreeSet<_> = state.flags.difference(&state.asked).copied().collect();
    forget(&mut statements, &unread);
    kernel.body = Block { statements };
    kernel
}

/// The flags that the jumps of a sequence set; none outside loops.
#[derive(Clone, Copy)]
struct Places {
    stop: Option<VariableId>,
    skip: Option<VariableId>,
}

struct Structure<'k> {
    kernel: &'k mut Kernel,
    /// Set by a `return`, once there is one under a condition.
    done: Option<VariableId>,
    /// Variables that have a value here.
    defined: BTreeSet<VariableId>,
    /// Flags that are made here, and those of them that a condition asks for.
    flags: BTreeSet<VariableId>,
    asked: BTreeSet<VariableId>,
    /// The flags of blocks that are left.
    labels: BTreeMap<Label, VariableId>,
    never_zero: BTreeSet<VariableId>,
}

impl Structure<'_> {
    fn variable(&mut self, name: &str, ty: ValueType, span: Span) -> VariableId {
        let id = VariableId(self.kernel.variables.len() as u32);
        let name = name.to_owned();
        self.kernel.variables.push(Variable { name, ty, span });
        id
    }

    fn flag(&mut self, name: &str, span: Span) -> VariableId {
        let flag = self.variable(name, scalar(ElementType::I1), span);
        self.flags.insert(flag);
        flag
    }

    fn done(&mut self, span: Span) -> VariableId {
        match self.done {
            Some(done) => done,
            None => {
                let done = self.flag("done", span);
                self.done = Some(done);
                done
            }
        }
    }

    /// Whether none of the flags that `jumps` may have set is set.
    fn goes_on(&mut self, jumps: &Jumps, places: Places, span: Span) -> Expr {
        let mut flags = Vec::new();
        flags.extend(places.stop.filter(|_| jumps.stops));
        flags.extend(places.skip.filter(|_| jumps.skips));
        if jumps.returns {
            flags.push(self.done(span));
        }
        flags.extend(
            jumps
                .leaves
                .iter()
                .filter_map(|label| self.labels.get(label)),
        );
        self.asked.extend(&flags);
        let one = |flag| not(variable(flag, scalar(ElementType::I1), span));
        let mut flags = flags.into_iter();
        let first = flags.next().map_or_else(|| truth(true, span), one);
        flags.fold(first, |all, flag| both(all, one(flag)))
    }

    fn sequence(&mut self, statements: &[Stmt], places: Places) -> Vec<Stmt> {
        let outer = self.defined.clone();
        let out = self.statements(statements, places);
        self.defined = outer;
        out
    }

    fn statements(&mut self, statements: &[Stmt], places: Places) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (index, statement) in statements.iter().enumerate() {
            let span = statement.span;
            let rest = &statements[index + 1..];
            let jumps = Jumps::of(statement);
            match &statement.kind {
                StmtKind::Break => out.extend(places.stop.map(|flag| set(flag, true, span))),
                StmtKind::Continue => out.extend(places.skip.map(|flag| set(flag, true, span))),
                StmtKind::Return => {
                    let done = self.done(span);
                    out.push(set(done, true, span));
                }
                StmtKind::Leave(label) => {
                    let flag = self.labels.get(label);
                    out.extend(flag.map(|flag| set(*flag, true, span)));
                }
                StmtKind::Labelled { label, body } => {
                    self.define(&mut out, statement, rest);
                    let flag = self.flag("left", span);
                    self.labels.insert(*label, flag);
                    out.push(set(flag, false, span));
                    out.extend(self.sequence(&body.statements, places));
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    // What follows goes where it is reached from.
                    let (moves_to_then, moves_to_otherwise) =
                        match (always_jumps(then), always_jumps(otherwise)) {
                            (true, _) => (false, true),
                            (false, true) => (true, false),
                            (false, false) => (false, false),
                        };
                    let moved = moves_to_then || moves_to_otherwise;
                    if !moved && jumps.any() {
                        self.define(&mut out, statement, rest);
                    }
                    let mut branch = |block: &Block, takes: bool| {
                        let mut all = block.statements.clone();
                        if takes {
                            all.extend_from_slice(rest);
                        }
                        let statements = self.sequence(&all, places);
                        Block { statements }
                    };
                    let then = branch(then, moves_to_then);
                    let otherwise = branch(otherwise, moves_to_otherwise);
                    let condition = condition.clone();
                    let kind = StmtKind::If {
                        condition,
                        then,
                        otherwise,
                    };
                    out.push(Stmt { kind, span });
                    if moved {
                        return out;
                    }
                }
                StmtKind::For { .. } | StmtKind::While { .. } => {
                    if jumps.any() {
                        self.define(&mut out, statement, rest);
                    }
                    self.one_loop(&mut out, statement);
                }
                StmtKind::AssignMany {
                    variables,
                    operation,
                } => {
                    let mut operation = operation.clone();
                    let none = Places {
                        stop: None,
                        skip: None,
                    };
                    let body = &mut operation.combine.body;
                    let wanted = read(std::slice::from_ref(statement));
                    *body = self.whole(body, &wanted, none, span);
                    let kind = StmtKind::AssignMany {
                        variables: variables.clone(),
                        operation,
                    };
                    out.push(Stmt { kind, span });
                }
                _ => out.push(statement.clone()),
            }
            let jump = matches!(
                statement.kind,
                StmtKind::Break | StmtKind::Continue | StmtKind::Return | StmtKind::Leave(_)
            );
            if jump || rest.is_empty() {
                return out;
            }
            self.defined
                .extend(assigned(std::slice::from_ref(statement)));
            if jumps.any() {
                let condition = self.goes_on(&jumps, places, span);
                let then = Block {
                    statements: self.sequence(rest, places),
                };
                let kind = StmtKind::If {
                    condition,
                    then,
                    otherwise: Block::default(),
                };
                out.push(Stmt { kind, span });
                return out;
            }
        }
        out
    }

    /// The statements of a block whose results are read behind it, in expressions that are no statements.
    fn whole(
        &mut self,
        block: &Block,
        wanted: &BTreeSet<VariableId>,
        places: Places,
        span: Span,
    ) -> Block {
        let outer = self.defined.clone();
        let mut statements = Vec::new();
        if has_labels(block) {
            for id in assigned(&block.statements).intersection(wanted) {
                self.define_variable(&mut statements, *id, span);
            }
        }
        statements.extend(self.sequence(&block.statements, places));
        self.defined = outer;
        Block { statements }
    }

    /// Gives variables that `statement` assigns and `rest` reads a value to start from.
    fn define(&mut self, out: &mut Vec<Stmt>, statement: &Stmt, rest: &[Stmt]) {
        let wanted = read(rest);
        for id in assigned(std::slice::from_ref(statement)) {
            if wanted.contains(&id) {
                self.define_variable(out, id, statement.span);
            }
        }
    }

    fn define_variable(&mut self, out: &mut Vec<Stmt>, id: VariableId, span: Span) {
        // One that has a value must keep it.
        if self.defined.contains(&id) {
            return;
        }
        let ty = self.kernel.variables[id.0 as usize].ty.clone();
        let value = self.anything(&ty, span);
        self.defined.insert(id);
        out.push(assign(id, value));
    }

    /// Some value of a type: zero.
    fn anything(&self, ty: &ValueType, span: Span) -> Expr {
        let ty = ty.clone();
        let (zero, element) = match ty.element {
            Element::Number(element) if element.is_float() => (Constant::Float(0.0), element),
            Element::Number(element) => (Constant::Int(0), element),
            Element::Pointer { .. } => (Constant::Int(0), ElementType::I64),
        };
        let number = Expr {
            kind: ExprKind::Constant(zero),
            ty: ValueType {
                element: Element::Number(element),
                shape: ty.shape.clone(),
            },
            span,
        };
        if number.ty == ty {
            return number;
        }
        let kind = ExprKind::Bitcast(Box::new(number));
        Expr { kind, ty, span }
    }

    fn one_loop(&mut self, out: &mut Vec<Stmt>, statement: &Stmt) {
        let span = statement.span;
        match &statement.kind {
            StmtKind::For {
                variable: counter,
                lo,
                hi,
                step,
                overrides,
                body,
            } => {
                if may_end_early(body) {
                    self.leaving_for(out, *counter, [lo, hi, step], body, span);
                    return;
                }
                let (body, _) = self.loop_body(body, span);
                if constant(step).is_some_and(|step| step > 0) {
                    let kind = StmtKind::For {
                        variable: *counter,
                        lo: lo.clone(),
                        hi: hi.clone(),
                        step: step.clone(),
                        overrides: *overrides,
                        body,
                    };
                    out.push(Stmt { kind, span });
                    return;
                }
                // Iterations are counted, and the variable computed from the iteration.
                let [at, end, by] = self.wide_range(out, [lo, hi, step], span);
                let rounds = rounds(&at, &end, &by);
                let round = self.variable("round", scalar(ElementType::I64), span);
                let moved = multiply(read_wide(round, span), by);
                let value = narrow(add(at, moved), &lo.ty);
                let mut statements = vec![assign(*counter, value)];
                statements.extend(body.statements);
                let kind = StmtKind::For {
                    variable: round,
                    lo: wide(0, span),
                    hi: rounds,
                    step: wide(1, span),
                    overrides: *overrides,
                    body: Block { statements },
                };
                out.push(Stmt { kind, span });
            }
            StmtKind::While {
                condition,
                test,
                body,
            } => self.while_loop(out, condition, test, body, span),
            _ => {}
        }
    }

    /// A `for` that may end early is a `while` that counts in 64 bits, so that the count cannot wrap.
    fn leaving_for(
        &mut self,
        out: &mut Vec<Stmt>,
        counter: VariableId,
        range: [&Expr; 3],
        body: &Block,
        span: Span,
    ) {
        let ty = range[0].ty.clone();
        let [lo, hi, by] = self.wide_range(out, range, span);
        let at = self.variable("at", scalar(ElementType::I64), span);
        out.push(assign(at, lo));
        let (body, goes_on) = self.loop_body_from(body, out, span);
        let inside = inside(&read_wide(at, span), &hi, &by);
        let mut statements = vec![assign(counter, narrow(read_wide(at, span), &ty))];
        statements.extend(body.statements);
        statements.push(assign(at, add(read_wide(at, span), by)));
        let kind = StmtKind::While {
            condition: Block::default(),
            test: both(inside, goes_on),
            body: Block { statements },
        };
        out.push(Stmt { kind, span });
    }

    /// The limits and the step of a loop in 64 bits, computed once. A step that is not known is checked: with one of 0 the
    /// loop would have no end.
    fn wide_range(&mut self, out: &mut Vec<Stmt>, range: [&Expr; 3], span: Span) -> [Expr; 3] {
        let step = range[2];
        let [at, end, by] = range.map(|expr| {
            if let Some(value) = constant(expr) {
                return wide(value, span);
            }
            let value = cast(expr.clone(), ElementType::I64);
            let id = self.variable("limit", scalar(ElementType::I64), span);
            out.push(assign(id, value));
            read_wide(id, span)
        });
        if constant(&by).is_none() && !is_never_zero(step, &self.never_zero) {
            let kind = StmtKind::Assert {
                condition: compare(CompareOperation::NotEqual, by.clone(), wide(0, step.span)),
                message: "the step of a loop is 0".to_owned(),
            };
            out.push(Stmt {
                kind,
                span: step.span,
            });
        }
        [at, end, by]
    }

    fn while_loop(
        &mut self,
        out: &mut Vec<Stmt>,
        condition: &Block,
        test: &Expr,
        body: &Block,
        span: Span,
    ) {
        let none = Places {
            stop: None,
            skip: None,
        };
        let mut wanted = BTreeSet::new();
        test.add_variables(&mut wanted);
        wanted.extend(read(&body.statements));
        let condition = &self.whole(condition, &wanted, none, span);
        let jumps = Jumps::of_block(body);
        if !jumps.leave_loops() {
            let (body, _) = self.loop_body(body, span);
            let kind = StmtKind::While {
                condition: condition.clone(),
                test: test.clone(),
                body,
            };
            out.push(Stmt { kind, span });
            return;
        }
        // What the condition computes for the body is assigned under a flag below.
        let in_body = read(&body.statements);
        for id in assigned(&condition.statements) {
            if in_body.contains(&id) {
                self.define_variable(out, id, span);
            }
        }
        self.defined.extend(assigned(&condition.statements));
        let (body, goes_on) = self.loop_body_from(body, out, span);
        if condition.statements.is_empty() && !test.reads_memory() {
            let kind = StmtKind::While {
                condition: Block::default(),
                test: both(test.clone(), goes_on),
                body,
            };
            out.push(Stmt { kind, span });
            return;
        }
        // The condition may read memory that is not there any more after the last iteration.
        let go = self.variable("go", scalar(ElementType::I1), span);
        let mut asked = condition.statements.clone();
        asked.push(assign(go, test.clone()));
        let guarded = StmtKind::If {
            condition: goes_on,
            then: Block { statements: asked },
            otherwise: Block::default(),
        };
        let statements = vec![
            set(go, false, span),
            Stmt {
                kind: guarded,
                span,
            },
        ];
        let kind = StmtKind::While {
            condition: Block { statements },
            test: variable(go, scalar(ElementType::I1), span),
            body,
        };
        out.push(Stmt { kind, span });
    }

    /// The body of a loop that always runs to its end.
    fn loop_body(&mut self, body: &Block, span: Span) -> (Block, Places) {
        let skip = self.flag("skip", span);
        let places = Places {
            stop: None,
            skip: Some(skip),
        };
        let mut statements = vec![set(skip, false, span)];
        statements.extend(self.sequence(&body.statements, places));
        (Block { statements }, places)
    }

    /// The body of a loop that may end early, and whether it goes on; the flag is cleared before it.
    fn loop_body_from(&mut self, body: &Block, out: &mut Vec<Stmt>, span: Span) -> (Block, Expr) {
        let jumps = Jumps::of_block(body);
        let stop = self.flag("stop", span);
        let skip = self.flag("skip", span);
        if jumps.stops {
            out.push(set(stop, false, span));
        }
        let places = Places {
            stop: Some(stop),
            skip: Some(skip),
        };
        let mut statements = vec![set(skip, false, span)];
        statements.extend(self.sequence(&body.statements, places));
        let leaving = Jumps {
            skips: false,
            ..jumps
        };
        let goes_on = self.goes_on(&leaving, places, span);
        (Block { statements }, goes_on)
    }
}

/// Removes assignments to flags that nothing asks for.
fn forget(statements: &mut Vec<Stmt>, unread: &BTreeSet<VariableId>) {
    statements.retain_mut(|statement| match &mut statement.kind {
        StmtKind::Assign { variable, .. } => !unread.contains(variable),
        StmtKind::For { body, .. } => {
            forget(&mut body.statements, unread);
            true
        }
        StmtKind::While {
            condition, body, ..
        } => {
            forget(&mut condition.statements, unread);
            forget(&mut body.statements, unread);
            true
        }
        StmtKind::If {
            then, otherwise, ..
        } => {
            forget(&mut then.statements, unread);
            forget(&mut otherwise.statements, unread);
            true
        }
        StmtKind::AssignMany { operation, .. } => {
            forget(&mut operation.combine.body.statements, unread);
            true
        }
        _ => true,
    });
}
