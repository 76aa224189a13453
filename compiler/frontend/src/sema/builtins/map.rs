//! `map`: a function of scalars for every element of tiles.
//!
//! The function is elaborated once, on scalars, and stays a function in the typed program: `if` and
//! loops in it decide for each element by itself.

use super::Call;
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Function, Located, Operand};
use crate::sema::order;
use crate::typed::{Combine, Expr, MultiKind, MultiOperation, StmtKind, ValueType};

/// How many tiles a function takes and gives at most.
const MOST_TOGETHER: usize = 6;

/// `map(f, x, …)`: tiles are broadcast to one shape; what is no tile is the same for all elements.
pub(super) fn map<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some(f) = call.take("f") else {
        return Operand::Error;
    };
    let Operand::Function(function) = f.operand else {
        return this.error(messages::types::expected(
            &f,
            "a function such as `|x| if x < 0.0 { -x } else { x }`",
        ));
    };
    let arguments = call.rest();
    let mut tiles: Vec<(usize, Located<'a>)> = Vec::new();
    let mut values: Vec<Expr> = Vec::new();
    for (position, argument) in arguments.iter().enumerate() {
        if argument.operand.is_poison() {
            return Operand::Error;
        }
        let Operand::Value(value) = &argument.operand else {
            continue;
        };
        if !value.ty.shape.is_empty() {
            let Some((value, _)) = this.number_value(argument) else {
                return Operand::Error;
            };
            values.push(value);
            tiles.push((position, argument.clone()));
        }
    }
    if tiles.is_empty() {
        return this.error(messages::control::map_of_scalars(span));
    }
    if tiles.len() > MOST_TOGETHER {
        return this.error(messages::support::not_yet(
            &format!("`map` of more than {MOST_TOGETHER} tiles"),
            span,
        ));
    }
    let located: Vec<&Located<'a>> = tiles.iter().map(|(_, tile)| tile).collect();
    let Some(inputs) = this.common_shape(values, &located, "map") else {
        return Operand::Error;
    };
    let positions: Vec<usize> = tiles.iter().map(|(position, _)| *position).collect();
    let shape = inputs
        .first()
        .map(|input| input.ty.shape.clone())
        .unwrap_or_default();
    if !this.check_elements(&shape, span) {
        return Operand::Error;
    }
    let Some((combine, is_tuple)) =
        elementwise(this, function, arguments, &positions, &inputs, f.span)
    else {
        return Operand::Error;
    };
    let variables: Vec<_> = combine
        .results
        .iter()
        .map(|result| {
            let ty = ValueType {
                element: result.ty.element,
                shape: shape.clone(),
            };
            this.temporary(ty, span)
        })
        .collect();
    let operation = MultiOperation {
        kind: MultiKind::Map,
        inputs,
        axis: 0,
        combine,
    };
    let targets = variables.clone();
    this.emit(
        StmtKind::AssignMany {
            variables: targets,
            operation,
        },
        span,
    );
    let mut results: Vec<_> = variables
        .into_iter()
        .map(|variable| Operand::value(this.read(variable, span)))
        .collect();
    match results.pop() {
        Some(result) if !is_tuple => result,
        last => {
            results.extend(last);
            Operand::Tuple(results)
        }
    }
}

/// The function elaborated on one scalar per tile, and whether it gives a tuple.
fn elementwise<'a>(
    this: &mut Elaborator<'a>,
    function: Function<'a>,
    mut arguments: Vec<Located<'a>>,
    positions: &[usize],
    inputs: &[Expr],
    span: Span,
) -> Option<(Combine, bool)> {
    // What is the same for all elements is computed before, once.
    for (position, argument) in arguments.iter_mut().enumerate() {
        if !positions.contains(&position) {
            let operand = std::mem::replace(&mut argument.operand, Operand::Error);
            argument.operand = this.once_operand(operand, None);
        }
    }
    let outer = this
        .combiner
        .replace(u32::try_from(this.variables.len()).unwrap_or(u32::MAX));
    let mut left = Vec::new();
    for (position, input) in positions.iter().zip(inputs) {
        let ty = ValueType {
            element: input.ty.element,
            shape: Vec::new(),
        };
        let variable = this.variable("element", ty, span, false);
        let value = Operand::value(this.read(variable, span));
        if let Some(argument) = arguments.get_mut(*position) {
            argument.operand = value;
        }
        left.push(variable);
    }
    let ((operand, results), body) = this.nested(|this| {
        let operand = this.call_with(function, arguments, span);
        let items = match &operand {
            Operand::Tuple(items) => items.clone(),
            operand => vec![operand.clone()],
        };
        let results: Option<Vec<Expr>> = items
            .into_iter()
            .map(|item| this.number_value(&item.at(span)).map(|(value, _)| value))
            .collect();
        (operand, results)
    });
    this.combiner = outer;
    let results = results?;
    let tile = order::find_tile(&body).or_else(|| results.iter().find_map(order::find_tile_expr));
    if let Some(at) = tile {
        this.report(messages::control::tile_in_combiner(at));
        return None;
    }
    let is_tuple = matches!(operand, Operand::Tuple(_));
    if results.is_empty() {
        this.report(messages::types::expected(
            &operand.at(span),
            "a function with a value",
        ));
        return None;
    }
    if results.len() > MOST_TOGETHER {
        this.report(messages::support::not_yet(
            &format!("`map` with more than {MOST_TOGETHER} results"),
            span,
        ));
        return None;
    }
    let combine = Combine {
        left,
        right: Vec::new(),
        body,
        results,
    };
    Some((combine, is_tuple))
}
