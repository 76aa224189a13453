//! Makes statements: variables, branches, loops and jumps, and stores of what is left.

use tile_runtime::element::ElementType::{BF16, F16, F32, I1, I32, I64};

use super::generator::{Generator, Limits};
use super::memory;
use super::tree::{Expr, Heading, Name, Program, Statement, Type, Variable, most_exact};

/// Rounds of a loop, at most.
const ROUNDS: i64 = 4;

/// Variables that are stored at the end, at most.
const STORED: usize = 6;

/// Where statements stand.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// How many blocks are around them.
    blocks: usize,
    /// Whether `break` and `continue` mean something.
    in_loop: bool,
    /// Whether a `static for` is around them, which jumps may not leave.
    in_static: bool,
}

/// The program of a seed.
#[must_use]
pub fn program(seed: u64, limits: Limits) -> Program {
    let mut this = Generator::new(seed, limits);
    let mut grid = [1; 3];
    for size in &mut grid {
        if this.choices.chance(50) {
            *size = this.choices.between(1, 3) as usize;
        }
    }
    if grid.iter().product::<usize>() > limits.programs {
        grid = [limits.programs.max(1), 1, 1];
    }
    this.programs = grid.iter().product();
    let warps = match this.choices.chance(60) {
        true => Some(this.choices.pick(&[1, 2, 4, 8, 12])),
        false => None,
    };
    let place = Place {
        blocks: 0,
        in_loop: false,
        in_static: false,
    };
    let count = 2 + this.choices.below(limits.statements);
    let mut body = this.statements(count, place);
    for variable in this.scope.clone().iter().rev().take(STORED) {
        let value = Expr::variable(variable);
        body.extend(memory::store(&mut this, value, 1));
    }
    let approximate = this.choices.chance(15);
    if approximate {
        for _ in 0..2 {
            this.cost = this.cost.max(600);
            let value = this.approximate();
            body.extend(memory::store(&mut this, value, 0));
        }
    }
    if this.choices.chance(8) {
        body.push(memory::atomic(&mut this, 1));
    }
    if this.choices.chance(8) {
        body.extend(memory::scatter(&mut this));
    }
    if this.choices.chance(15) {
        body.extend(memory::interleaved(&mut this, 2));
    }
    Program {
        name: format!("random_{seed}"),
        parameters: this.parameters,
        grid,
        warps,
        body,
        approximate,
        target: if seed % 8 == 7 { "sm_80" } else { "sm_90a" },
    }
}

impl Generator {
    /// A new variable that may be used from here on.
    pub fn declare(&mut self, ty: &Type, mutable: bool) -> Variable {
        let variable = Variable {
            name: Name(self.number()),
            ty: ty.clone(),
            mutable,
        };
        self.scope.push(variable.clone());
        variable
    }

    /// Remembers whether the compiler may know a variable's value.
    fn remember(&mut self, variable: &Variable, known: bool) {
        if known && !variable.mutable {
            self.known.insert(variable.name);
        }
    }

    fn statements(&mut self, count: usize, place: Place) -> Vec<Statement> {
        let mut statements = Vec::new();
        for _ in 0..count {
            self.statement(place, &mut statements);
        }
        statements
    }

    /// The statements of a block; its variables are forgotten after it.
    fn block(&mut self, place: Place) -> Vec<Statement> {
        let known = self.scope.len();
        let count = 1 + self.choices.below(self.limits.statements.min(3));
        let before = self.choices.below(count + 1);
        let mut statements = self.statements(before, place);
        if place.in_loop && !place.in_static && self.choices.chance(20) {
            let condition = self.expr(&Type::scalar(I1), 1);
            let jump = self
                .choices
                .pick(&["break", "continue", "continue", "return"]);
            statements.push(Statement::Block {
                heading: Heading::If(condition),
                body: vec![Statement::Jump(jump)],
                otherwise: Vec::new(),
            });
        }
        statements.extend(self.statements(count - before, place));
        self.scope.truncate(known);
        statements
    }

    fn statement(&mut self, place: Place, to: &mut Vec<Statement>) {
        let depth = self.limits.depth;
        let inside = Place {
            blocks: place.blocks + 1,
            ..place
        };
        let changeable = self.scope.iter().any(|variable| variable.mutable);
        match self.choices.below(100) {
            0..=19 if changeable => self.assign(depth, to),
            20..=27 if place.blocks < 2 => {
                let condition = self.expr(&Type::scalar(I1), depth - 1);
                let body = self.block(inside);
                let otherwise = match self.choices.chance(50) {
                    true => self.block(inside),
                    false => Vec::new(),
                };
                to.push(Statement::Block {
                    heading: Heading::If(condition),
                    body,
                    otherwise,
                });
            }
            28..=39 if place.blocks < 2 => to.push(self.for_loop(inside)),
            40..=43 if place.blocks < 2 => to.push(self.while_loop(inside)),
            44..=47 => {
                let ty = self.ty();
                let value = self.expr(&ty, depth);
                to.extend(memory::store(self, value, 1));
            }
            48..=51 => {
                let (first, second) = (self.ty(), self.ty());
                let operands = vec![self.expr(&first, depth - 1), self.expr(&second, depth - 1)];
                let value = Expr::form(&first, "($0, $1)", operands);
                let mutable = self.choices.chance(40);
                let known = [0, 1].map(|at| self.may_be_known(&value.operands()[at]));
                let targets = vec![self.declare(&first, mutable), self.declare(&second, false)];
                for (target, known) in targets.iter().zip(known) {
                    self.remember(target, known);
                }
                to.push(Statement::Let { targets, value });
            }
            52 if place.blocks == 0 => {
                let condition = self.expr(&Type::scalar(I1), depth - 1);
                to.push(Statement::Block {
                    heading: Heading::If(condition),
                    body: vec![Statement::Jump("return")],
                    otherwise: Vec::new(),
                });
            }
            _ => {
                let ty = self.ty();
                let value = self.expr(&ty, depth);
                let mutable = self.choices.chance(40);
                let known = self.may_be_known(&value);
                let targets = vec![self.declare(&ty, mutable)];
                self.remember(&targets[0], known);
                to.push(Statement::Let { targets, value });
            }
        }
    }

    fn assign(&mut self, depth: usize, to: &mut Vec<Statement>) {
        let mutable: Vec<_> = self
            .scope
            .iter()
            .filter(|variable| variable.mutable)
            .cloned()
            .collect();
        let at = self.choices.below(mutable.len());
        if let Some(target) = mutable.get(at) {
            let value = self.expr(&target.ty, depth);
            let target = target.name;
            to.push(Statement::Assign { target, value });
        }
    }

    fn for_loop(&mut self, place: Place) -> Statement {
        let is_static = self.choices.chance(20);
        let rounds = self.choices.between(0, ROUNDS);
        let step = self.choices.pick(&[1, 1, 1, 2, 3, 7, -1, -2, -5]);
        let low = self.choices.between(-9, 9);
        // The last step may end beyond.
        let high = low + rounds * step - step.signum() * self.choices.between(0, step.abs() - 1);
        let element = match is_static || self.choices.chance(85) {
            true => I32,
            false => I64,
        };
        let mut number = |value: i64| {
            if is_static || self.choices.chance(50) {
                format!("cast({value}, {element})")
            } else {
                memory::scalar_parameter(self, element, &value.to_string())
            }
        };
        let (low, high) = (number(low), number(high));
        let step = match step {
            1 => String::new(),
            _ => format!(", {}", number(step)),
        };
        let range = Expr::form(
            &Type::scalar(element),
            format!("range({low}, {high}{step})"),
            Vec::new(),
        );
        let known = self.scope.len();
        let ty = Type::scalar(element).bounded(Some(60));
        let variable = self.declare(&ty, false);
        self.remember(&variable, is_static);
        let body = self.block(Place {
            in_loop: true,
            in_static: is_static || place.in_static,
            ..place
        });
        self.scope.truncate(known);
        let heading = Heading::For {
            variable,
            range,
            is_static,
        };
        Statement::Block {
            heading,
            body,
            otherwise: Vec::new(),
        }
    }

    fn while_loop(&mut self, place: Place) -> Statement {
        let condition = self.expr(&Type::scalar(I1), 1);
        let known = self.scope.len();
        let ty = Type::scalar(I32).bounded(Some(8));
        let counter = self.declare(&ty, false);
        let body = self.block(Place {
            in_loop: true,
            ..place
        });
        self.scope.truncate(known);
        let rounds = self.choices.between(1, ROUNDS) as usize;
        Statement::Block {
            heading: Heading::While {
                counter,
                rounds,
                condition,
            },
            body,
            otherwise: Vec::new(),
        }
    }

    /// A function whose result is good to a few units in the last place, of a moderate argument.
    fn approximate(&mut self) -> Expr {
        let element = self.choices.pick(&[F32, F32, F16, BF16]);
        let shape = self.shape();
        let ty = Type::of(element, &shape);
        let small = ty.clone().bounded(Some(60.min(most_exact(element))));
        let value = match self.choices.chance(50) {
            true => self.expr(&ty, 2),
            false => self.expr(&small, 2),
        };
        let text = self.choices.pick(&[
            "exp(clamp($0, -10, 10))",
            "exp2(clamp($0, -10, 10))",
            "log(abs(number($0)) + 1)",
            "log2(clamp($0, 1, 100))",
            "rsqrt(clamp($0, 1, 1000))",
            "sin(clamp($0, -50, 50))",
            "cos(clamp($0, -50, 50))",
            "tanh($0)",
            "erf($0)",
            "sigmoid($0)",
            "fast.exp2(clamp($0, -10, 10))",
        ]);
        Expr::form(&ty, text, vec![value])
    }
}
