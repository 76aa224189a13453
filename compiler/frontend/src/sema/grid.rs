//! `grid(…)`: an expression that the launcher evaluates.
//!
//! It is elaborated as any expression, and the typed expression is read back as a [`SizeExpr`] over
//! sizes and integer parameters. What a launcher cannot know is refused where it stands.

use std::collections::HashMap;

use tile_runtime::element::ElementType;
use tile_runtime::manifest::SizeExpr;

use super::elaborator::Elaborator;
use crate::diagnostic::{Span, messages};
use crate::syntax::ast;
use crate::typed::{Constant, Element, Expr, ExprKind, Parameter, Stmt, StmtKind, VariableId};

/// What variables that never change are.
pub(super) type Lets<'s> = HashMap<VariableId, &'s Expr>;

/// The most parts of an expression that a launcher evaluates. A variable that is used twice stands in it twice, and so on.
const MOST_PARTS: usize = 1000;

/// How far an expression has been read.
pub(super) struct Reading<'s> {
    pub lets: &'s Lets<'s>,
    left: usize,
}

impl<'s> Reading<'s> {
    pub const fn new(lets: &'s Lets<'s>) -> Self {
        Self {
            lets,
            left: MOST_PARTS,
        }
    }

    /// One part more; `None` where there are too many.
    pub fn step(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }
}

impl<'a> Elaborator<'a> {
    /// One to three axes.
    pub fn grid(&mut self, grid: &'a ast::Grid) -> Option<Vec<SizeExpr>> {
        if grid.axes.is_empty() || grid.axes.len() > 3 {
            self.report(messages::control::grid_axes(grid.axes.len(), grid.span));
            return None;
        }
        let axes: Vec<Option<SizeExpr>> =
            grid.axes.iter().map(|axis| self.grid_axis(axis)).collect();
        axes.into_iter().collect()
    }

    fn grid_axis(&mut self, axis: &'a ast::Expr) -> Option<SizeExpr> {
        let (value, block) = self.nested(|this| {
            let located = this.located(axis);
            if let Some(known) = located.operand.integer() {
                return match u32::try_from(known) {
                    Ok(1..) => this.value(&located),
                    _ => {
                        this.report(messages::control::grid_size(known, located.span));
                        None
                    }
                };
            }
            this.index(&located, "a size of the grid")
        });
        let lets = self.lets(&block.statements)?;
        match self.size_expr(&value?, &mut Reading::new(&lets)) {
            Ok(size) => Some(size),
            Err(span) => {
                self.report(messages::control::grid_unknown(span));
                None
            }
        }
    }

    /// What functions used in the grid keep in variables.
    fn lets<'s>(&mut self, statements: &'s [Stmt]) -> Option<Lets<'s>> {
        let mut lets = HashMap::new();
        for statement in statements {
            match &statement.kind {
                StmtKind::Assign { variable, value } if !self.may_change(*variable) => {
                    lets.insert(*variable, value);
                }
                StmtKind::Assume(_) => {}
                _ => {
                    self.report(messages::control::grid_unknown(statement.span));
                    return None;
                }
            }
        }
        Some(lets)
    }

    /// What a launcher computes for an integer of the kernel.
    ///
    /// # Errors
    /// The place of what it cannot know, or of what is too long.
    pub(super) fn size_expr(
        &self,
        expr: &Expr,
        reading: &mut Reading<'_>,
    ) -> Result<SizeExpr, Span> {
        reading.step().ok_or(expr.span)?;
        match &expr.kind {
            ExprKind::Constant(Constant::Int(value)) => i64::try_from(*value)
                .map(SizeExpr::Const)
                .map_err(|_| expr.span),
            ExprKind::Variable(variable) => match reading.lets.get(variable) {
                Some(value) => self.size_expr(value, reading),
                None => self
                    .launch_name(*variable)
                    .map(SizeExpr::Name)
                    .ok_or(expr.span),
            },
            // Only widening conversions are made here by themselves.
            ExprKind::Cast { operand, .. } if is_integer(operand) && widens(operand, expr) => {
                self.size_expr(operand, reading)
            }
            ExprKind::Binary {
                operation,
                left,
                right,
            } => {
                let make = operation.of_sizes().ok_or(expr.span)?;
                Ok(make(
                    self.size_expr(left, reading)?,
                    self.size_expr(right, reading)?,
                ))
            }
            _ => Err(expr.span),
        }
    }

    /// The name of a size or an integer parameter: what a launcher knows.
    fn launch_name(&self, wanted: VariableId) -> Option<String> {
        let size = self.sizes.iter().find(|(_, variable)| *variable == wanted);
        let scalar = self
            .parameters
            .iter()
            .find_map(|parameter| match parameter {
                Parameter::Scalar { name, variable } if *variable == wanted => Some(name),
                _ => None,
            });
        let name = size.map(|(name, _)| name).or(scalar)?;
        let element = self.variables.get(wanted.0 as usize)?.ty.element;
        matches!(element, Element::Number(element) if element.is_integer() && element != ElementType::I1)
            .then(|| name.clone())
    }
}

const fn is_integer(expr: &Expr) -> bool {
    matches!(expr.ty.element, Element::Number(element) if element.is_integer())
}

const fn widens(from: &Expr, to: &Expr) -> bool {
    match (from.ty.element, to.ty.element) {
        (Element::Number(from), Element::Number(to)) => from.bits() <= to.bits() && to.is_integer(),
        _ => false,
    }
}
