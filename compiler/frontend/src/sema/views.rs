//! `x[…]`: views of tensors, new dimensions of tiles.

use super::build;
use super::builtins::part;
use super::elaborator::Elaborator;
use super::operand::{Located, Operand, ViewOperand};
use crate::diagnostic::{Diagnostic, Span, messages};
use crate::syntax::ast::{self, Index};
use crate::typed::{
    Dimension, Element, Expr, ExprKind, MOST_DIMENSIONS, Parameter, TensorParameter, View,
    ViewIndex,
};
use tile_runtime::element::ElementType;

/// What was written at one position, elaborated.
enum Position<'a> {
    Full(Span),
    NewAxis(Span),
    Range {
        start: Located<'a>,
        width: Located<'a>,
    },
    At(Located<'a>),
}

impl<'a> Elaborator<'a> {
    pub fn index_expr(
        &mut self,
        base: &'a ast::Expr,
        indices: &'a [Index],
        span: Span,
    ) -> Operand<'a> {
        let base = self.located(base);
        let positions = self.positions(indices);
        match base.operand {
            Operand::Tensor(tensor) => self.view(tensor, positions, span),
            Operand::Value(ref expr)
                if matches!(expr.ty.element, Element::Pointer { .. })
                    && expr.ty.shape.is_empty() =>
            {
                self.error(messages::memory::index_of_pointer(span))
            }
            Operand::Value(expr) => self.tile_index(*expr, &positions, span),
            Operand::List(ref items) => self.list_index(items, &positions, &base, span),
            ref operand if operand.is_poison() => Operand::Error,
            Operand::View(_) => self.error(messages::memory::view_of_view(span)),
            _ => self.error(messages::types::not_indexable(&base)),
        }
    }

    /// Elaborates all parts in order.
    fn positions(&mut self, indices: &'a [Index]) -> Vec<Position<'a>> {
        let exprs = indices.iter().flat_map(|index| match index {
            Index::Full(_) | Index::NewAxis(_) => vec![],
            Index::Range { start, width } => vec![start, width],
            Index::At(at) => vec![at],
        });
        let mut operands = self.operands(exprs).into_iter();
        let mut next = || {
            operands
                .next()
                .unwrap_or_else(|| Operand::Error.at(Span::default()))
        };
        indices
            .iter()
            .map(|index| match index {
                Index::Full(span) => Position::Full(*span),
                Index::NewAxis(span) => Position::NewAxis(*span),
                Index::Range { .. } => Position::Range {
                    start: next(),
                    width: next(),
                },
                Index::At(_) => Position::At(next()),
            })
            .collect()
    }

    pub fn tensor(&self, index: usize) -> Option<&TensorParameter> {
        match self.parameters.get(index) {
            Some(Parameter::Tensor(tensor)) => Some(tensor),
            _ => None,
        }
    }

    pub fn tensor_rank(&self, index: usize) -> usize {
        self.tensor(index)
            .map_or(0, |tensor| tensor.dimensions.len())
    }

    /// The name of a tensor parameter and where it stands.
    pub fn tensor_name(&self, index: usize) -> (String, Span) {
        self.tensor(index).map_or_else(Default::default, |tensor| {
            (tensor.name.clone(), tensor.span)
        })
    }

    fn view(&mut self, tensor: usize, positions: Vec<Position<'a>>, span: Span) -> Operand<'a> {
        let Some(parameter) = self.tensor(tensor) else {
            return Operand::Error;
        };
        let (dimensions, name, declared) = (
            parameter.dimensions.clone(),
            parameter.name.clone(),
            parameter.span,
        );
        let pointer = self
            .variables
            .get(parameter.pointer.0 as usize)
            .map(|variable| variable.ty.element);
        let Some(Element::Pointer { pointee, mutable }) = pointer else {
            return Operand::Error;
        };
        let new_axis = positions.iter().find_map(|position| match position {
            Position::NewAxis(span) => Some(*span),
            _ => None,
        });
        if let Some(span) = new_axis {
            return self.error(messages::memory::new_axis_of_view(span));
        }
        if positions.len() != dimensions.len() {
            return self.error(messages::shapes::index_count(
                &name,
                dimensions.len(),
                positions.len(),
                span,
                declared,
            ));
        }
        let mut indices = Vec::new();
        let mut good = true;
        for (position, dimension) in positions.into_iter().zip(dimensions) {
            match self.view_index(position, dimension, &name) {
                Some(index) => indices.push(index),
                None => good = false,
            }
        }
        if !good {
            return Operand::Error;
        }
        if let Some(problem) = crossing(&indices) {
            return self.error(problem);
        }
        let view = View {
            tensor,
            indices,
            span,
        };
        let rank = view.shape().len();
        if rank > MOST_DIMENSIONS {
            return self.error(messages::shapes::rank_too_high(rank, span));
        }
        if !self.fits(&view.shape()) {
            let positions = |index: &&ViewIndex| matches!(index, ViewIndex::Gather(_));
            let several = view.indices.iter().filter(positions).count() > 1;
            let most = self.maximum_elements();
            let problem = messages::shapes::too_many_elements(&view.shape(), most, span);
            return self.error(match several {
                true => messages::memory::with_all_combinations(problem),
                false => problem,
            });
        }
        Operand::View(Box::new(ViewOperand {
            view,
            element: pointee,
            mutable,
        }))
    }

    fn view_index(
        &mut self,
        position: Position<'a>,
        dimension: Dimension,
        tensor: &str,
    ) -> Option<ViewIndex> {
        match position {
            Position::Full(span) => match dimension {
                Dimension::Fixed(width) => Some(ViewIndex::Range {
                    start: build::integer(0, ElementType::I32, span),
                    width,
                }),
                Dimension::Size(size) => {
                    let name = self
                        .sizes
                        .get(size)
                        .map_or_else(String::new, |(name, _)| name.clone());
                    self.report(messages::memory::full_of_unknown(tensor, &name, span));
                    None
                }
            },
            // Refused before.
            Position::NewAxis(_) => None,
            Position::Range { start, width } => {
                let width = self.size(&width, "the width of a range");
                let start = self.index(&start, "the start of a range")?;
                Some(ViewIndex::Range {
                    start,
                    width: width?,
                })
            }
            Position::At(at) => {
                if let Operand::Value(expr) = &at.operand
                    && !expr.ty.shape.is_empty()
                {
                    return self.gather(&at, expr);
                }
                self.index(&at, "a position in a tensor").map(ViewIndex::At)
            }
        }
    }

    fn gather(&mut self, at: &Located<'a>, positions: &Expr) -> Option<ViewIndex> {
        let integer = matches!(positions.ty.element,
            Element::Number(element) if element.is_integer() && element != ElementType::I1);
        if !integer {
            self.report(messages::memory::gather_index(&positions.ty, at.span));
            return None;
        }
        let wide = matches!(
            positions.ty.element,
            Element::Number(ElementType::I64 | ElementType::U64 | ElementType::U32)
        );
        let element = if wide {
            ElementType::I64
        } else {
            ElementType::I32
        };
        Some(ViewIndex::Gather(build::cast(positions.clone(), element)))
    }

    /// `x[:, None]` of a tile.
    fn tile_index(&mut self, value: Expr, positions: &[Position<'a>], span: Span) -> Operand<'a> {
        let rank = value.ty.shape.len();
        let kept = positions
            .iter()
            .filter(|position| !matches!(position, Position::NewAxis(_)))
            .count();
        if kept != rank {
            return self.error(messages::shapes::tile_index_count(&value.ty, kept, span));
        }
        if positions.len() > MOST_DIMENSIONS {
            return self.error(messages::shapes::rank_too_high(positions.len(), span));
        }
        let mut result = match self.tile_part(value, positions, span) {
            Some(part) => part,
            None => return Operand::Error,
        };
        let positions = positions
            .iter()
            .filter(|position| !matches!(position, Position::At(_)));
        for (axis, position) in positions.enumerate() {
            if matches!(position, Position::NewAxis(_)) {
                result = build::expand(result, axis);
            }
        }
        result.span = span;
        Operand::value(result)
    }

    /// `x[0 +: 64, 3, :]` of a tile: the ranges, and the positions without their dimensions.
    fn tile_part(&mut self, value: Expr, positions: &[Position<'a>], span: Span) -> Option<Expr> {
        let mut starts = Vec::new();
        let mut shape = Vec::new();
        let mut kept = Vec::new();
        let sizes = value.ty.shape.clone();
        for position in positions {
            let size = sizes.get(starts.len()).copied().unwrap_or(1);
            let (start, width) = match position {
                Position::NewAxis(_) => continue,
                Position::Full(_) => (0, size),
                Position::At(at) => (self.known_integer(at, "a position in a tile")?, 1),
                Position::Range { start, width } => (
                    self.known_integer(start, "a position in a tile")?,
                    self.array_size(width, "the width of a range")?,
                ),
            };
            if start < 0 || start + i128::from(width) > i128::from(size) {
                self.report(messages::shapes::part_outside(start, width, size, span));
                return None;
            }
            if !matches!(position, Position::At(_)) {
                kept.push(width);
            }
            starts.push(start);
            shape.push(width);
        }
        if shape == sizes && kept.len() == shape.len() {
            return Some(value);
        }
        let part = part(value, &starts, &shape, span);
        Some(build::reshape(part, kept))
    }

    /// `choices[i]` at compile time.
    fn list_index(
        &mut self,
        items: &[Located<'a>],
        positions: &[Position<'a>],
        base: &Located<'a>,
        span: Span,
    ) -> Operand<'a> {
        let [Position::At(at)] = positions else {
            return self.error(messages::types::not_indexable(base));
        };
        let Some(index) = self.known_integer(at, "the position in a list") else {
            return Operand::Error;
        };
        match usize::try_from(index)
            .ok()
            .and_then(|index| items.get(index))
        {
            Some(item) => item.operand.clone(),
            None => self.error(messages::shapes::list_index(index, items.len(), span)),
        }
    }

    /// `x.shape`: known numbers for a tile; for a tensor its sizes, whatever they are called.
    pub fn sizes_of(&mut self, base: Located<'a>, span: Span) -> Operand<'a> {
        let known = |size: u64| Operand::Int(size.into()).at(span);
        let sizes = match base.operand {
            Operand::Value(expr) => expr.ty.shape.iter().map(|size| known(*size)).collect(),
            Operand::Tensor(index) => {
                let dimensions = self.tensor(index).map(|tensor| tensor.dimensions.clone());
                let sizes = dimensions.unwrap_or_default().into_iter();
                sizes
                    .map(|dimension| match dimension {
                        Dimension::Fixed(size) => known(size),
                        Dimension::Size(index) => match self.sizes.get(index) {
                            Some((_, variable)) => {
                                Operand::value(self.read(*variable, span)).at(span)
                            }
                            None => Operand::Error.at(span),
                        },
                    })
                    .collect()
            }
            _ => return Operand::Error,
        };
        Operand::List(sizes)
    }

    /// `x.T`: the last two dimensions change places.
    pub fn transpose(&mut self, base: Located<'a>, span: Span) -> Operand<'a> {
        let Operand::Value(expr) = base.operand else {
            return Operand::Error;
        };
        let rank = expr.ty.shape.len();
        if rank < 2 {
            return self.error(messages::shapes::transpose_rank(&expr.ty, span));
        }
        let mut permutation: Vec<usize> = (0..rank).collect();
        permutation.swap(rank - 2, rank - 1);
        // Twice is nothing.
        if let ExprKind::Permute {
            operand,
            permutation: inner,
        } = &expr.kind
            && *inner == permutation
        {
            return Operand::value((**operand).clone());
        }
        Operand::value(build::permute(*expr, permutation, span))
    }
}

/// Tiles of positions that are written as in NumPy, where those of several dimensions are broadcast against each other: here each
/// dimension has positions of its own, and the view has all combinations.
fn crossing(indices: &[ViewIndex]) -> Option<Diagnostic> {
    let tiles = indices.iter().filter_map(|index| match index {
        ViewIndex::Gather(positions) => Some(positions),
        _ => None,
    });
    let kept = indices
        .iter()
        .filter(|index| !matches!(index, ViewIndex::At(_)))
        .count();
    let is_spread = |positions: &Expr| {
        let mut kind = &positions.kind;
        while let ExprKind::Cast { operand: inner, .. } = kind {
            kind = &inner.kind;
        }
        matches!(kind, ExprKind::ExpandDimension { .. })
    };
    let mut high = tiles.clone().filter(|tile| tile.ty.shape.len() > 1);
    let first = high.next()?;
    let several = tiles.count() > 1;
    (several || kept > 1 && is_spread(first))
        .then(|| messages::memory::crossing_positions(&first.ty, first.span))
}
