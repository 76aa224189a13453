//! Makes expressions: picks a family for what is wanted, which asks for its operands in turn.
//!
//! What is wanted says the element, the shape and perhaps a bound. Everything is exact by
//! construction: floats are only summed where all partial sums are whole numbers that fit.

use std::collections::BTreeSet;

use tile_runtime::element::ElementType::{self, I1, I32};

use super::choices::Choices;
use super::tree::{Expr, Kind, Name, Parameter, Type, Variable, most_exact};
use super::{elementwise, linear, memory, movement, ordering, reduction};

/// How large a program may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Elements of a tile.
    pub elements: usize,
    /// Statements of a block, about.
    pub statements: usize,
    /// How deep expressions nest.
    pub depth: usize,
    /// Elements computed by all expressions together.
    pub cost: usize,
    /// Programs of the grid.
    pub programs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            elements: 320,
            statements: 5,
            depth: 3,
            cost: 6_000,
            programs: 4,
        }
    }
}

impl Limits {
    /// Half of everything, to look for smaller programs.
    #[must_use]
    pub fn halved(self) -> Self {
        Self {
            elements: (self.elements / 2).max(4),
            statements: (self.statements / 2).max(1),
            depth: (self.depth - 1).max(1),
            cost: self.cost / 2,
            programs: 1,
        }
    }
}

/// Sizes of tiles and tensors: powers of two and their neighbours, and odd ones.
const SIZES: &[usize] = &[
    1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 127, 128, 129, 200,
    256, 257, 300,
];

/// A program being made.
#[derive(Debug)]
pub struct Generator {
    /// What decides.
    pub choices: Choices,
    /// How large it may get.
    pub limits: Limits,
    /// The parameters so far.
    pub parameters: Vec<Parameter>,
    /// Tensors that may be read: what they hold.
    pub inputs: Vec<memory::Input>,
    /// Variables that may be used.
    pub scope: Vec<Variable>,
    /// Those whose value the compiler may know.
    pub known: BTreeSet<Name>,
    /// Programs of the grid.
    pub programs: usize,
    /// Sizes this program likes.
    pub sizes: Vec<usize>,
    /// Whether all sizes are multiples of 16, so that the fast variant runs.
    pub aligned: bool,
    /// What expressions may still cost.
    pub cost: usize,
    /// The next variable's number.
    pub next: usize,
}

impl Generator {
    /// Nothing yet.
    #[must_use]
    pub fn new(seed: u64, limits: Limits) -> Self {
        let mut choices = Choices::new(seed);
        let aligned = choices.chance(25);
        let sizes = (0..4)
            .map(|_| match aligned {
                true => choices.pick(&[16, 32, 64, 128]),
                false => choices.pick(SIZES),
            })
            .collect();
        Self {
            choices,
            limits,
            parameters: Vec::new(),
            inputs: Vec::new(),
            scope: Vec::new(),
            known: BTreeSet::new(),
            programs: 1,
            sizes,
            aligned,
            cost: limits.cost,
            next: 0,
        }
    }

    /// Whether the compiler may know the value of an expression, and so refuses what would overflow.
    pub fn may_be_known(&self, value: &Expr) -> bool {
        if !value.ty.shape.is_empty() {
            return false;
        }
        match &value.kind {
            Kind::Variable(name) => self.known.contains(name),
            Kind::Form(text, operands) if operands.is_empty() => {
                text.starts_with("cast(") || text.starts_with('(') && !text.contains("pid")
            }
            Kind::Form(text, operands) => {
                !text.contains("load(") && operands.iter().any(|operand| self.may_be_known(operand))
            }
        }
    }

    /// A number nothing else has.
    pub fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// A size, most often one that the program has.
    pub fn size(&mut self) -> usize {
        if self.choices.chance(75) {
            let at = self.choices.below(self.sizes.len());
            return self.sizes[at];
        }
        if self.choices.chance(50) {
            return self.choices.between(1, 4) as usize;
        }
        self.choices.pick(SIZES)
    }

    /// A shape of a rank that may be a tile.
    pub fn shape_of_rank(&mut self, rank: usize) -> Vec<usize> {
        let mut shape: Vec<usize> = Vec::new();
        for _ in 0..rank {
            let left = self.limits.elements / shape.iter().product::<usize>();
            let size = self.size();
            shape.push(if size > left {
                self.choices.between(1, left.clamp(1, 8) as i64) as usize
            } else {
                size
            });
        }
        shape
    }

    /// Any shape, most often that of a variable.
    pub fn shape(&mut self) -> Vec<usize> {
        if !self.scope.is_empty() && self.choices.chance(50) {
            let at = self.choices.below(self.scope.len());
            return self.scope[at].ty.shape.clone();
        }
        let rank = self
            .choices
            .pick(&[0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4]);
        self.shape_of_rank(rank)
    }

    /// Any element.
    pub fn element(&mut self) -> ElementType {
        self.choices.pick(&ElementType::ALL)
    }

    /// Any type of value.
    pub fn ty(&mut self) -> Type {
        let shape = self.shape();
        let element = self.element();
        let bound = match self
            .choices
            .chance(if element.is_float() { 45 } else { 20 })
        {
            true => Some(self.choices.pick(&[1, 3, 7, 60]).min(most_exact(element))),
            false => None,
        };
        Type::of(element, &shape).bounded(bound)
    }

    /// A shape that stretches to this one: dimensions of size 1, or fewer of them.
    pub fn narrowed(&mut self, shape: &[usize]) -> Vec<usize> {
        match self.choices.below(10) {
            0 => Vec::new(),
            1 => shape[shape.len().min(1)..].to_vec(),
            2 | 3 => {
                let mut narrow = shape.to_vec();
                let at = self.choices.below(shape.len());
                if let Some(size) = narrow.get_mut(at) {
                    *size = 1;
                }
                narrow
            }
            _ => shape.to_vec(),
        }
    }

    /// An expression.
    pub fn expr(&mut self, wanted: &Type, depth: usize) -> Expr {
        if depth == 0
            || self.cost < wanted.elements()
            || wanted.elements() > self.limits.elements * 2
        {
            return self.leaf(wanted);
        }
        self.cost -= wanted.elements();
        for _ in 0..6 {
            let scalar = wanted.shape.is_empty();
            let made = match self.choices.below(21) {
                0..=7 => elementwise::expr(self, wanted, depth - 1),
                8..=11 if !scalar => movement::expr(self, wanted, depth - 1),
                12..=15 => reduction::expr(self, wanted, depth - 1),
                16 | 17 if !scalar => linear::expr(self, wanted, depth - 1),
                20 => ordering::expr(self, wanted, depth - 1),
                18 => Some(memory::load(self, wanted, depth - 1)),
                19 => Some(self.leaf(wanted)),
                _ => None,
            };
            if let Some(made) = made {
                return made;
            }
        }
        self.leaf(wanted)
    }

    /// An expression without much inside.
    pub fn leaf(&mut self, wanted: &Type) -> Expr {
        if self.choices.chance(60) {
            let fitting = |variable: &&Variable| variable.ty.fits(wanted);
            if let Some(found) = self.any_variable(&fitting) {
                return found;
            }
        }
        if self.choices.chance(40) {
            let same = |variable: &&Variable| {
                variable.ty.shape == wanted.shape && elementwise::can_cast(&variable.ty, wanted)
            };
            if let Some(found) = self.any_variable(&same)
                && !elementwise::overflows_known(self, &found, wanted)
            {
                let text = format!("($0 as {})", wanted.element);
                return Expr::form(wanted, text, vec![found]);
            }
        }
        match self.choices.below(10) {
            0..=5 => memory::load(self, wanted, 0),
            6 | 7 => self
                .counted(wanted)
                .unwrap_or_else(|| memory::load(self, wanted, 0)),
            _ => self.constant(wanted),
        }
    }

    fn any_variable(&mut self, is_right: &dyn Fn(&&Variable) -> bool) -> Option<Expr> {
        let right: Vec<_> = self.scope.iter().filter(is_right).collect();
        let at = self.choices.below(right.len());
        right.get(at).map(|variable| Expr::variable(variable))
    }

    /// A constant.
    pub fn constant(&mut self, wanted: &Type) -> Expr {
        let element = wanted.element;
        if element == I1 {
            let value = self.choices.pick(&["true", "false"]);
            return Expr::constant(wanted, value);
        }
        if let Some(bound) = wanted.bound {
            let low = if element.is_float() || element.is_signed() {
                -(bound as i64)
            } else {
                0
            };
            let value = self.choices.between(low, bound as i64);
            return Expr::constant(wanted, &value.to_string());
        }
        let value = if element.is_float() {
            self.choices.pick(&[
                "0.0", "1.0", "-1.0", "0.5", "-2.5", "3.0", "0.1", "7.0", "nan", "-0.0",
            ])
        } else if element.is_signed() {
            self.choices
                .pick(&["0", "1", "-1", "2", "3", "-7", "100", "127", "-128"])
        } else {
            self.choices
                .pick(&["0", "1", "2", "3", "100", "127", "128", "255"])
        };
        Expr::constant(wanted, value)
    }

    /// Numbers that count along a dimension, or from program to program.
    fn counted(&mut self, wanted: &Type) -> Option<Expr> {
        let element = wanted.element;
        let rank = wanted.shape.len();
        if rank == 0 {
            let fits = wanted.bound.is_none_or(|bound| bound >= 64) && element != I1;
            return fits.then(|| Expr::form(wanted, format!("(pid as {element})"), Vec::new()));
        }
        let axis = self.choices.below(rank);
        let size = wanted.shape[axis] as i64;
        let low = if element.is_signed() && self.choices.chance(50) {
            self.choices.between(-size, 0)
        } else {
            self.choices.between(0, 3)
        };
        let largest = low.abs().max((low + size).abs()) as u64;
        if wanted.bound.is_some_and(|bound| bound < largest) || element == I1 {
            return None;
        }
        let indices: Vec<_> = (0..rank)
            .map(|at| if at == axis { ":" } else { "None" })
            .collect();
        let mut text = format!("arange({low}, {})", low + size);
        if rank > 1 {
            text = format!("{text}[{}]", indices.join(", "));
        }
        if wanted.shape.iter().product::<usize>() != wanted.shape[axis] {
            text = format!("broadcast({text}, {:?})", wanted.shape);
        }
        Some(Expr::form(
            wanted,
            format!("({text} as {element})"),
            Vec::new(),
        ))
    }

    /// A scalar `i32`.
    pub fn scalar_i32(&mut self, depth: usize) -> Expr {
        self.expr(&Type::scalar(I32), depth)
    }
}
