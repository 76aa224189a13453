//! Arrays as arguments of launches: the memory of a variable, or a view of it.
//!
//! ```text
//! x                x is f32[100, 64]       sizes [100, 64]   strides [64, 1]   offset 0
//! x.T                                      sizes [64, 100]   strides [1, 64]   offset 0
//! x[3 +: 90, 1 +: 8]                       sizes [90, 8]     strides [64, 1]   offset 193
//! ```

use crate::sema::elaborator::Elaborator;
use crate::sema::operand::Operand;
use crate::syntax::ast::{self, ExprKind, Index};
use crate::typed::{Element, ExprKind as TypedKind, Stride, ValueType, VariableId};
use tile_runtime::element::ElementType;

/// A view of an array variable.
#[derive(Debug, Clone)]
pub(super) struct ArrayView {
    /// The variable that holds the elements, dense.
    pub variable: VariableId,
    pub element: ElementType,
    /// Sizes of the view.
    pub shape: Vec<u64>,
    /// In elements of the variable, one per size.
    pub strides: Vec<i64>,
    /// The first element of the view.
    pub offset: u64,
}

impl ArrayView {
    /// All of a dense array.
    pub fn whole(variable: VariableId, element: ElementType, shape: &[u64]) -> Self {
        Self {
            variable,
            element,
            shape: shape.to_vec(),
            strides: dense(shape),
            offset: 0,
        }
    }

    /// Its type as a value.
    pub fn ty(&self) -> ValueType {
        ValueType {
            element: Element::Number(self.element),
            shape: self.shape.clone(),
        }
    }

    /// Whether a parameter with these strides takes it. A stride that is never taken may be
    /// anything.
    pub fn suits(&self, strides: &[Stride]) -> bool {
        if self.shape.contains(&0) {
            return true;
        }
        let sizes = self.shape.iter().zip(&self.strides).zip(dense(&self.shape));
        strides
            .iter()
            .zip(sizes)
            .all(|(wanted, ((size, stride), dense))| match wanted {
                Stride::Dense => *size == 1 || *stride == dense,
                Stride::Fixed(fixed) => *size == 1 || stride == fixed,
                Stride::Variable { .. } => true,
            })
    }

    /// A position or a range of the dimension `at`; `None` if it is not inside.
    fn narrow(&mut self, at: usize, start: i128, width: u64) -> Option<()> {
        let (size, stride) = (self.shape.get_mut(at)?, self.strides.get(at)?);
        let start = u64::try_from(start).ok()?;
        if start.checked_add(width)? > *size {
            return None;
        }
        *size = width;
        self.offset += start * u64::try_from(*stride).ok()?;
        Some(())
    }
}

/// Row-major strides.
fn dense(shape: &[u64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at] * i64::try_from(shape[at]).unwrap_or(i64::MAX);
    }
    strides
}

impl<'a> Elaborator<'a> {
    /// The view that an expression is of a variable's memory; `None` if it is a value of its own.
    /// Nothing is reported: the expression is elaborated as a value where it is no view.
    pub(super) fn array_view(&mut self, expr: &'a ast::Expr) -> Option<ArrayView> {
        match &expr.kind {
            ExprKind::Name(name) => {
                let binding = self.scopes.find(self.environment, name)?;
                let Operand::Value(value) = &binding.operand else {
                    return None;
                };
                match (&value.kind, value.ty.element) {
                    (TypedKind::Variable(variable), Element::Number(element))
                        if !value.ty.shape.is_empty() =>
                    {
                        Some(ArrayView::whole(*variable, element, &value.ty.shape))
                    }
                    _ => None,
                }
            }
            ExprKind::Field { base, name } if name.text == "T" => {
                let mut view = self.array_view(base)?;
                let rank = view.shape.len();
                if rank < 2 {
                    return None;
                }
                view.shape.swap(rank - 2, rank - 1);
                view.strides.swap(rank - 2, rank - 1);
                Some(view)
            }
            ExprKind::Index { base, indices } => {
                let view = self.array_view(base)?;
                self.part_of_view(view, indices)
            }
            _ => None,
        }
    }

    fn part_of_view(&mut self, mut view: ArrayView, indices: &'a [Index]) -> Option<ArrayView> {
        let mut at = 0;
        for index in indices {
            match index {
                Index::Full(_) if at < view.shape.len() => at += 1,
                Index::Range { start, width } => {
                    let (start, width) = (self.quiet_integer(start)?, self.quiet_integer(width)?);
                    view.narrow(at, start, u64::try_from(width).ok()?)?;
                    at += 1;
                }
                Index::At(position) => {
                    let position = self.quiet_integer(position)?;
                    view.narrow(at, position, 1)?;
                    view.shape.remove(at);
                    view.strides.remove(at);
                }
                Index::Full(_) | Index::NewAxis(_) => return None,
            }
        }
        (at == view.shape.len() && at > 0).then_some(view)
    }

    /// A known integer, without a word if it is none and without a trace in the program.
    fn quiet_integer(&mut self, expr: &'a ast::Expr) -> Option<i128> {
        let reported = self.diagnostics.len();
        let (operand, block) = self.nested(|this| this.expr(expr));
        let quiet = self.diagnostics.len() == reported && block.statements.is_empty();
        self.diagnostics.truncate(reported);
        operand.integer().filter(|_| quiet)
    }
}
