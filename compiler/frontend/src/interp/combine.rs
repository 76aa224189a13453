//! The user's own functions of elements: reductions, scans and maps, of one tile or several together.

use std::rc::Rc;

use crate::diagnostic::Span;
use crate::typed::{Combine, Element, Expr, MultiKind, MultiOperation, VariableId};

use super::deviation::Deviation;
use super::fault::Fault;
use super::program::{Outcome, Program};
use super::reduce::{Columns, tree};
use super::value::Tile;

impl Program<'_, '_> {
    /// Runs an operation with several results.
    pub(super) fn assign_many(
        &mut self,
        variables: &[VariableId],
        operation: &MultiOperation,
        span: Span,
    ) -> Outcome<()> {
        let MultiOperation {
            kind,
            inputs,
            axis,
            combine,
        } = operation;
        let results = match kind {
            MultiKind::Reduce => self.reduce(inputs, *axis, combine, span)?,
            MultiKind::Scan { reverse } => self.scan(inputs, (*axis, *reverse), combine, span)?,
            MultiKind::Map => self.map(inputs, combine, span)?,
        };
        self.assign_all(variables, results, span)
    }

    /// Reduces tiles of one shape along `axis`.
    fn reduce(
        &mut self,
        inputs: &[Expr],
        axis: usize,
        combine: &Combine,
        span: Span,
    ) -> Outcome<Vec<Rc<Tile>>> {
        let inputs = self.evaluate_all(inputs)?;
        let shape = inputs.first().map_or(&[][..], |input| &input.shape);
        let columns = Columns::new(shape, axis).map_err(|fault| self.error(span, fault))?;
        // Per column, one scalar per input.
        let mut results: Vec<Vec<Rc<Tile>>> = Vec::new();
        for elements in columns.elements() {
            let column: Vec<_> = elements.map(|element| scalars(&inputs, element)).collect();
            let mut step = |left, right| self.combine(combine, left, right, span);
            let result = tree(&column, &mut step)?;
            results.extend(match self.deviation {
                Some(deviation) => {
                    let other = self.fold(deviation, column, combine, span)?;
                    deviation.instead_of(result.as_slice(), other.into_iter().collect())
                }
                None => result.into_iter().collect(),
            });
        }
        self.gather_results(&results, combine, &columns.shape, span)
    }

    /// The same from one end to the other: the elements keep their order, as a combiner may ask for it.
    fn fold(
        &mut self,
        deviation: &Deviation,
        column: Vec<Vec<Rc<Tile>>>,
        combine: &Combine,
        span: Span,
    ) -> Outcome<Option<Vec<Rc<Tile>>>> {
        let mut column = column.into_iter();
        let backward = deviation.is_backward();
        let mut next = || match backward {
            true => column.next_back(),
            false => column.next(),
        };
        let Some(mut sum) = next() else {
            return Ok(None);
        };
        while let Some(value) = next() {
            sum = match backward {
                true => self.combine(combine, value, sum, span)?,
                false => self.combine(combine, sum, value, span)?,
            };
        }
        Ok(Some(sum))
    }

    /// Combines every element with those before it along `axis`, from the first to the last or in reverse.
    fn scan(
        &mut self,
        inputs: &[Expr],
        (axis, reverse): (usize, bool),
        combine: &Combine,
        span: Span,
    ) -> Outcome<Vec<Rc<Tile>>> {
        let inputs = self.evaluate_all(inputs)?;
        let shape = inputs.first().map_or(&[][..], |input| &input.shape);
        let columns = Columns::new(shape, axis).map_err(|fault| self.error(span, fault))?;
        let count = shape.iter().product::<u64>() as usize;
        let mut results: Vec<Vec<Rc<Tile>>> = vec![Vec::new(); count];
        for elements in columns.elements() {
            let mut elements: Vec<usize> = elements.collect();
            if reverse {
                elements.reverse();
            }
            let first = elements.iter().map(|element| scalars(&inputs, *element));
            let mut column: Vec<_> = first.collect();
            let halves = self.deviation.map(|_| column.clone());
            for at in 1..column.len() {
                let (last, new) = (column[at - 1].clone(), column[at].clone());
                column[at] = self.combine(combine, last, new, span)?;
            }
            if let (Some(deviation), Some(mut other)) = (self.deviation, halves) {
                match deviation.is_backward() {
                    true => self.scan_steps(&mut other, combine, span)?,
                    false => self.scan_halves(&mut other, combine, span)?,
                }
                column = deviation.instead_of(&column, other);
            }
            for (element, sum) in elements.into_iter().zip(column) {
                results[element] = sum;
            }
        }
        self.gather_results(&results, combine, shape, span)
    }

    /// The same by halves: the last of the left one is combined with each of the right one.
    fn scan_halves(
        &mut self,
        column: &mut [Vec<Rc<Tile>>],
        combine: &Combine,
        span: Span,
    ) -> Outcome<()> {
        let middle = column.len() / 2;
        if middle == 0 {
            return Ok(());
        }
        let (left, right) = column.split_at_mut(middle);
        self.scan_halves(left, combine, span)?;
        self.scan_halves(right, combine, span)?;
        for sum in right {
            *sum = self.combine(combine, left[middle - 1].clone(), sum.clone(), span)?;
        }
        Ok(())
    }

    /// The same by steps, as lanes do it: each is combined with the one before it, then with that two before it, four, and so on. Neighbours add
    /// in other orders then, and what lies between them is off by both.
    fn scan_steps(
        &mut self,
        column: &mut [Vec<Rc<Tile>>],
        combine: &Combine,
        span: Span,
    ) -> Outcome<()> {
        let mut step = 1;
        while step < column.len() {
            for at in (step..column.len()).rev() {
                let before = column[at - step].clone();
                column[at] = self.combine(combine, before, column[at].clone(), span)?;
            }
            step *= 2;
        }
        Ok(())
    }

    /// Every element by itself.
    fn map(&mut self, inputs: &[Expr], combine: &Combine, span: Span) -> Outcome<Vec<Rc<Tile>>> {
        let inputs = self.evaluate_all(inputs)?;
        let shape = inputs.first().map_or(&[][..], |input| &input.shape);
        let count = shape.iter().product::<u64>() as usize;
        let mut results = Vec::with_capacity(count);
        for element in 0..count {
            let scalars = scalars(&inputs, element);
            results.push(self.combine(combine, scalars, Vec::new(), span)?);
        }
        self.gather_results(&results, combine, shape, span)
    }

    /// Tiles of a shape from one list of scalars per element.
    fn gather_results(
        &self,
        results: &[Vec<Rc<Tile>>],
        combine: &Combine,
        shape: &[u64],
        span: Span,
    ) -> Outcome<Vec<Rc<Tile>>> {
        let gather = |(index, result): (usize, &Expr)| {
            let Element::Number(element) = result.ty.element else {
                return None;
            };
            let scalars: Option<Vec<&Tile>> = results
                .iter()
                .map(|result| result.get(index).map(Rc::as_ref))
                .collect();
            Tile::assembled(element, shape, &scalars?).map(Rc::new)
        };
        let tiles: Option<Vec<_>> = combine.results.iter().enumerate().map(gather).collect();
        tiles.ok_or_else(|| {
            self.error(
                span,
                Fault::Malformed("a combiner whose results are not like its inputs"),
            )
        })
    }

    /// One step: `(left, right) -> results`.
    fn combine(
        &mut self,
        combine: &Combine,
        left: Vec<Rc<Tile>>,
        right: Vec<Rc<Tile>>,
        span: Span,
    ) -> Outcome<Vec<Rc<Tile>>> {
        self.assign_all(&combine.left, left, span)?;
        self.assign_all(&combine.right, right, span)?;
        self.block(&combine.body)?;
        self.evaluate_all(&combine.results)
    }

    /// Gives several variables their values.
    fn assign_all(
        &mut self,
        variables: &[VariableId],
        values: Vec<Rc<Tile>>,
        span: Span,
    ) -> Outcome<()> {
        for (variable, value) in variables.iter().zip(values) {
            self.assign(*variable, value, span)?;
        }
        Ok(())
    }
}

/// One element of each tile, as scalars.
fn scalars(inputs: &[Rc<Tile>], element: usize) -> Vec<Rc<Tile>> {
    let scalar = |input: &Rc<Tile>| Rc::new(input.gathered(&[], &[element]));
    inputs.iter().map(scalar).collect()
}
