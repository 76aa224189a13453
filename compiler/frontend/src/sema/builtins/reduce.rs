//! Reductions: along an axis, or of everything.

use tile_runtime::element::ElementType;

use super::arguments::known_bool;
use super::{Call, math, movement};
use crate::diagnostic::{Span, messages};
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Function, Located, Operand, scalar, tile};
use crate::sema::{build, order};
use crate::typed::{
    BinaryOperation, Combine, Constant, Element, Expr, ExprKind, MultiKind, MultiOperation,
    ReduceOperation, StmtKind,
};

/// How many tiles are reduced or scanned together at most.
const MOST_TOGETHER: usize = 5;

/// `max(x, y)` of two, or the largest of one.
pub(super) fn max<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    two_or_reduce(this, call, BinaryOperation::Maximum, ReduceOperation::Max)
}

pub(super) fn min<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    two_or_reduce(this, call, BinaryOperation::Minimum, ReduceOperation::Min)
}

fn two_or_reduce<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    two: BinaryOperation,
    one: ReduceOperation,
) -> Operand<'a> {
    let Some(y) = call.take("y") else {
        return simple(this, call, one);
    };
    if let Some(axis) = call.take("axis") {
        return this.error(messages::shapes::axis_of_two(call.name, axis.span));
    }
    let Some(x) = call.take("x") else {
        return Operand::Error;
    };
    if let (Operand::Value(tile), Operand::Int(number)) = (&x.operand, &y.operand) {
        let rank = tile.ty.shape.len() as i128;
        if rank > 1 && (-rank..rank).contains(number) {
            this.report(messages::shapes::number_or_axis(call.name, *number, y.span));
        }
    }
    math::extreme(this, x, y, two, &call)
}

pub(super) fn sum<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::Sum)
}

pub(super) fn prod<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::Product)
}

pub(super) fn argmax<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::ArgMax)
}

pub(super) fn argmin<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::ArgMin)
}

pub(super) fn any<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::Or)
}

pub(super) fn all<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::And)
}

pub(super) fn xor_sum<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    simple(this, call, ReduceOperation::Xor)
}

/// What is reduced, along which axis, and whether that stays with size 1.
struct Target {
    value: Expr,
    element: ElementType,
    /// `None`: all axes.
    axis: Option<usize>,
    keep: bool,
    span: Span,
}

fn target<'a>(this: &mut Elaborator<'a>, call: &mut Call<'a>) -> Option<Target> {
    let x = call.take("x")?;
    let (value, element) = this.number_value(&x)?;
    if value.ty.shape.is_empty() {
        this.report(messages::shapes::reduce_scalar(
            call.name, &value.ty, x.span,
        ));
        return None;
    }
    let axis = match call.take("axis") {
        Some(axis) => Some(axis_of(this, &axis, &value)?),
        None => None,
    };
    let keep = known_bool(this, call, "keep", false)?;
    Some(Target {
        value,
        element,
        axis,
        keep,
        span: call.span,
    })
}

/// Negative axes count from the end, as in NumPy.
pub(super) fn axis_of<'a>(
    this: &mut Elaborator<'a>,
    axis: &Located<'a>,
    value: &Expr,
) -> Option<usize> {
    let at = this.known_integer(axis, "the axis of a reduction")?;
    let rank = value.ty.shape.len();
    let from_start = if at < 0 {
        at.saturating_add(i128::try_from(rank).ok()?)
    } else {
        at
    };
    match usize::try_from(from_start) {
        Ok(axis) if axis < rank => Some(axis),
        _ => {
            this.report(messages::shapes::bad_axis(at, &value.ty, axis.span));
            None
        }
    }
}

fn simple<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    operation: ReduceOperation,
) -> Operand<'a> {
    let name = call.name;
    let Some(target) = target(this, &mut call) else {
        return Operand::Error;
    };
    let bits = matches!(
        operation,
        ReduceOperation::And | ReduceOperation::Or | ReduceOperation::Xor
    );
    let boolean = target.element == ElementType::I1;
    if matches!(operation, ReduceOperation::And | ReduceOperation::Or) && !boolean {
        return this.error(messages::types::reduce_booleans(
            name,
            &target.value.ty,
            target.value.span,
        ));
    }
    if bits && target.element.is_float() {
        return this.error(messages::types::reduce_integers(
            name,
            &target.value.ty,
            target.value.span,
        ));
    }
    let has_identity = !matches!(
        operation,
        ReduceOperation::Max
            | ReduceOperation::Min
            | ReduceOperation::ArgMax
            | ReduceOperation::ArgMin
    );
    if !has_identity && is_of_nothing(&target.value, target.axis) {
        return this.error(messages::shapes::reduction_of_nothing(
            name,
            &target.value.ty,
            target.value.span,
        ));
    }
    Operand::value(reduced(target, operation))
}

/// Whether an axis, or all of a value, has no elements: arrays in tests may be so.
fn is_of_nothing(value: &Expr, axis: Option<usize>) -> bool {
    match axis {
        Some(axis) => value.ty.shape.get(axis) == Some(&0),
        None => value.ty.shape.contains(&0),
    }
}

/// The reduction with its conversions: narrow integers are widened for it, and back where the
/// result is one of the elements; several axes of a narrow float are rounded once.
fn reduced(target: Target, operation: ReduceOperation) -> Expr {
    use ReduceOperation::{ArgMax, ArgMin, Product, Sum};
    let Target {
        mut value,
        element,
        axis,
        keep,
        span,
    } = target;
    let shape = value.ty.shape.clone();
    let narrow = element.bits() < 32;
    let bits_of_bool = element == ElementType::I1
        && matches!(
            operation,
            ReduceOperation::And | ReduceOperation::Or | ReduceOperation::Xor
        );
    let indices = matches!(operation, ArgMax | ArgMin);
    let several = axis.is_none() && shape.len() > 1;
    let mut back = None;
    if element.is_integer() && narrow && !bits_of_bool {
        let signed = element.is_signed() || element == ElementType::I1;
        value = build::cast(
            value,
            if signed {
                ElementType::I32
            } else {
                ElementType::U32
            },
        );
        back = Some(element).filter(|_| !matches!(operation, Sum | Product) && !indices);
    } else if element.is_float() && narrow && several && !indices {
        value = build::cast(value, ElementType::F32);
        back = Some(element);
    }
    if indices && several {
        // The index counts through the whole tile, row by row.
        let count = shape.iter().product();
        value = build::reshape(value, vec![count]);
    }
    let mut result = match axis {
        Some(axis) => reduce_axis(value, axis, operation, span),
        None => {
            while let Some(axis) = value.ty.shape.len().checked_sub(1) {
                value = reduce_axis(value, axis, operation, span);
            }
            value
        }
    };
    if let Some(element) = back {
        result = build::cast(result, element);
        result.span = span;
    }
    kept(result, axis, keep, shape.len())
}

fn reduce_axis(operand: Expr, axis: usize, operation: ReduceOperation, span: Span) -> Expr {
    let mut ty = operand.ty.clone();
    if axis < ty.shape.len() {
        ty.shape.remove(axis);
    }
    if matches!(operation, ReduceOperation::ArgMax | ReduceOperation::ArgMin) {
        ty.element = Element::Number(ElementType::I32);
    }
    Expr {
        kind: ExprKind::Reduce {
            operand: Box::new(operand),
            axis,
            operation,
        },
        ty,
        span,
    }
}

/// Puts the reduced dimensions back with size 1 if asked for.
fn kept(result: Expr, axis: Option<usize>, keep: bool, rank: usize) -> Expr {
    match axis {
        _ if !keep => result,
        Some(axis) => build::expand(result, axis),
        None => build::broadcast(result, &vec![1; rank]),
    }
}

/// The sum divided by the number of elements, rounded once.
pub(super) fn mean<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Operand<'a> {
    let Some(mut target) = target(this, &mut call) else {
        return Operand::Error;
    };
    let element = target.element;
    if !element.is_float() {
        return this.error(messages::types::mean_of_integers(
            &target.value.ty,
            target.value.span,
        ));
    }
    let shape = &target.value.ty.shape;
    let count: u64 = match target.axis {
        Some(axis) => shape.get(axis).copied().unwrap_or(1),
        None => shape.iter().product(),
    };
    let wide = if element.bits() < 32 {
        ElementType::F32
    } else {
        element
    };
    target.value = build::cast(target.value, wide);
    target.element = wide;
    let sum = reduced(target, ReduceOperation::Sum);
    #[allow(clippy::cast_precision_loss)]
    let count = build::constant(Constant::Float(count as f64), sum.ty.clone(), call.span);
    let mut mean = build::cast(
        build::binary(BinaryOperation::Divide, sum, count, call.span),
        element,
    );
    mean.span = call.span;
    Operand::value(mean)
}

/// `reduce(x, axis, f)` of one tile, or of a tuple of tiles together.
pub(super) fn reduce<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    with_function(this, call, MultiKind::Reduce)
}

/// `scan(x, axis, f, reverse)`: every element combined with those before it.
pub(super) fn scan<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    with_function(this, call, MultiKind::Scan { reverse: false })
}

fn with_function<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    kind: MultiKind,
) -> Operand<'a> {
    let (Some(x), Some(axis), Some(f)) = (call.take("x"), call.take("axis"), call.take("f")) else {
        return Operand::Error;
    };
    let (Some(keep), Some(reverse)) = (
        known_bool(this, &mut call, "keep", false),
        known_bool(this, &mut call, "reverse", false),
    ) else {
        return Operand::Error;
    };
    let Operand::Function(function) = f.operand else {
        return this.error(messages::types::expected(
            &f,
            "a function such as `|a, b| a + b`",
        ));
    };
    let (parts, is_tuple) = match x.operand {
        Operand::Tuple(items) => (items, true),
        operand => (vec![operand], false),
    };
    let mut inputs: Vec<Expr> = Vec::new();
    let mut elements = Vec::new();
    for part in parts {
        let Some((value, element)) = this.number_value(&part.at(x.span)) else {
            return Operand::Error;
        };
        elements.push(element);
        if let Some(first) = inputs.first()
            && first.ty.shape != value.ty.shape
        {
            return this.error(messages::shapes::reduce_tuple(&first.ty, &value.ty, x.span));
        }
        inputs.push(value);
    }
    let Some(first) = inputs.first() else {
        return this.error(messages::types::expected(
            &Operand::UNIT.at(x.span),
            "a tile",
        ));
    };
    if first.ty.shape.is_empty() {
        return this.error(messages::shapes::reduce_scalar(
            call.name, &first.ty, x.span,
        ));
    }
    let Some(axis) = axis_of(this, &axis, first) else {
        return Operand::Error;
    };
    if kind == MultiKind::Reduce && is_of_nothing(first, Some(axis)) {
        let problem = messages::shapes::reduction_of_nothing(call.name, &first.ty, x.span);
        return this.error(problem);
    }
    if inputs.len() > MOST_TOGETHER {
        return this.error(messages::support::not_yet(
            &format!("combining more than {MOST_TOGETHER} tiles together"),
            x.span,
        ));
    }
    if let Some(takes) = parameters_of(&function).filter(|takes| *takes != 2) {
        return this.error(messages::types::combiner_parameters(
            call.name, takes, f.span,
        ));
    }
    // Narrow floats are combined in f32 and rounded once, whatever order they are combined in.
    let widened = |(input, element): (Expr, &ElementType)| {
        if element.is_float() && element.bits() < 32 {
            build::cast(input, ElementType::F32)
        } else {
            input
        }
    };
    let inputs: Vec<Expr> = inputs.into_iter().zip(&elements).map(widened).collect();
    let Some(combine) = combiner(this, function, &inputs, &elements, is_tuple, f.span) else {
        return Operand::Error;
    };
    let target = Combining {
        kind: match kind {
            MultiKind::Scan { .. } => MultiKind::Scan { reverse },
            other => other,
        },
        axis,
        keep,
        span: call.span,
    };
    let results = combined(this, inputs, combine, &target);
    let narrowed = |(result, element)| {
        let mut result = build::cast(result, element);
        result.span = call.span;
        result
    };
    let mut results: Vec<Expr> = results.into_iter().zip(elements).map(narrowed).collect();
    match (is_tuple, results.pop()) {
        (false, Some(result)) => Operand::value(result),
        (_, last) => Operand::Tuple(
            results
                .into_iter()
                .chain(last)
                .map(Operand::value)
                .collect(),
        ),
    }
}

/// How tiles are combined along an axis.
struct Combining {
    kind: MultiKind,
    axis: usize,
    keep: bool,
    span: Span,
}

/// The results of combining tiles along an axis. Tiles whose size is no power of two have padding behind them, which a scan from
/// the end would meet first: it is one of the tiles flipped, and back.
fn combined(
    this: &mut Elaborator<'_>,
    inputs: Vec<Expr>,
    combine: Combine,
    target: &Combining,
) -> Vec<Expr> {
    let Combining {
        mut kind,
        axis,
        keep,
        span,
    } = *target;
    let size = inputs.first().and_then(|first| first.ty.shape.get(axis));
    let has_padding = size.is_some_and(|size| !size.is_power_of_two());
    let flips = has_padding && kind == (MultiKind::Scan { reverse: true });
    if flips {
        kind = MultiKind::Scan { reverse: false };
    }
    let flip = |value: Expr| match flips {
        true => movement::flipped(value, axis, span),
        false => value,
    };
    let inputs: Vec<Expr> = inputs.into_iter().map(flip).collect();
    let rank = inputs.first().map_or(0, |first| first.ty.shape.len());
    let types = inputs.iter().map(|input| {
        let mut ty = input.ty.clone();
        if kind == MultiKind::Reduce && axis < ty.shape.len() {
            ty.shape.remove(axis);
        }
        ty
    });
    let variables: Vec<_> = types.map(|ty| this.temporary(ty, span)).collect();
    let operation = MultiOperation {
        kind,
        inputs,
        axis,
        combine,
    };
    let targets = variables.clone();
    let statement = StmtKind::AssignMany {
        variables: targets,
        operation,
    };
    this.emit(statement, span);
    variables
        .into_iter()
        .map(|variable| {
            let value = this.read(variable, span);
            match kind {
                MultiKind::Reduce => kept(value, Some(axis), keep, rank),
                MultiKind::Scan { .. } | MultiKind::Map => flip(value),
            }
        })
        .collect()
}

pub(super) fn cumsum<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    running(this, call, BinaryOperation::Add)
}

pub(super) fn cumprod<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    running(this, call, BinaryOperation::Multiply)
}

/// A scan with a builtin operation, along the last axis when none is named. As in sums, narrow
/// integers are widened, and narrow floats are summed in f32 and rounded once.
fn running<'a>(
    this: &mut Elaborator<'a>,
    mut call: Call<'a>,
    operation: BinaryOperation,
) -> Operand<'a> {
    let Some(reverse) = known_bool(this, &mut call, "reverse", false) else {
        return Operand::Error;
    };
    let Some(Target {
        mut value,
        element,
        axis,
        span,
        ..
    }) = target(this, &mut call)
    else {
        return Operand::Error;
    };
    let axis = axis.unwrap_or(value.ty.shape.len().saturating_sub(1));
    let narrow = element.bits() < 32;
    let wide = match element {
        _ if !narrow => element,
        _ if element.is_float() => ElementType::F32,
        _ if element.is_signed() || element == ElementType::I1 => ElementType::I32,
        _ => ElementType::U32,
    };
    value = build::cast(value, wide);
    let outer = this.combiner.replace(u32::MAX);
    let mut side = |name: &str| this.variable(name, scalar(wide), span, false);
    let (left, right) = (side("left"), side("right"));
    this.combiner = outer;
    let (a, b) = (this.read(left, span), this.read(right, span));
    let combine = Combine {
        left: vec![left],
        right: vec![right],
        body: crate::typed::Block::default(),
        results: vec![build::binary(operation, a, b, span)],
    };
    let target = Combining {
        kind: MultiKind::Scan { reverse },
        axis,
        keep: false,
        span,
    };
    let result = combined(this, vec![value], combine, &target).pop();
    result.map_or(Operand::Error, |result| {
        let back = if narrow && element.is_float() {
            element
        } else {
            wide
        };
        let mut result = build::cast(result, back);
        result.span = span;
        Operand::value(result)
    })
}

/// How many arguments a function takes, if that is one number.
fn parameters_of(function: &Function<'_>) -> Option<usize> {
    match function {
        Function::Closure { parameters, .. } => Some(parameters.len()),
        Function::Item { function, .. } => {
            let fixed = function.parameters.iter();
            let fixed = fixed.filter(|parameter| parameter.default.is_none());
            let count = function.parameters.len();
            (fixed.count() == count).then_some(count)
        }
        Function::Builtin(_) => None,
    }
}

/// Elaborates the function once, on two scalars (or two tuples of them).
fn combiner<'a>(
    this: &mut Elaborator<'a>,
    function: Function<'a>,
    inputs: &[Expr],
    // Of the tiles as they were given: narrow floats among them are combined as f32.
    elements: &[ElementType],
    is_tuple: bool,
    span: Span,
) -> Option<Combine> {
    let outer = this
        .combiner
        .replace(u32::try_from(this.variables.len()).unwrap_or(u32::MAX));
    let mut side = |name: &str| {
        let variables: Vec<_> = inputs
            .iter()
            .map(|input| {
                let ty = crate::typed::ValueType {
                    element: input.ty.element,
                    shape: Vec::new(),
                };
                this.variable(name, ty, span, false)
            })
            .collect();
        let mut values: Vec<_> = variables
            .iter()
            .map(|variable| Operand::value(this.read(*variable, span)))
            .collect();
        let operand = match (is_tuple, values.pop()) {
            (false, Some(value)) => value,
            (_, last) => {
                values.extend(last);
                Operand::Tuple(values)
            }
        };
        (variables, operand.at(span))
    };
    let ((left, left_operand), (right, right_operand)) = (side("left"), side("right"));
    let (operand, body) =
        this.nested(|this| this.call_with(function, vec![left_operand, right_operand], span));
    this.combiner = outer;
    if let Some(at) = order::find_tile(&body) {
        this.report(messages::control::tile_in_combiner(at));
        return None;
    }
    let wanted = inputs.len();
    let results = match operand {
        Operand::Tuple(items) if is_tuple && items.len() == wanted => items,
        operand if operand.is_poison() => return None,
        Operand::Tuple(items) => {
            this.report(messages::types::combiner_result(
                wanted,
                &Operand::Tuple(items).at(span),
            ));
            return None;
        }
        operand if !is_tuple => vec![operand],
        operand => {
            this.report(messages::types::combiner_result(wanted, &operand.at(span)));
            return None;
        }
    };
    let mut exprs = Vec::new();
    for ((result, input), given) in results.into_iter().zip(inputs).zip(elements) {
        let Element::Number(element) = input.ty.element else {
            return None;
        };
        let mut located = result.at(span);
        // A function may round to the type of the tile by itself.
        if let Operand::Value(value) = &located.operand
            && value.ty == scalar(*given)
        {
            located = Operand::value(build::cast((**value).clone(), element)).at(span);
        }
        let value = this.exactly(&located, element, "the combined elements")?;
        if value.ty == scalar(element)
            && let Some(at) = order::find_tile_expr(&value)
        {
            this.report(messages::control::tile_in_combiner(at));
            return None;
        }
        if value.ty != scalar(element) {
            let wanted = tile(element, Vec::new());
            this.report(messages::types::mismatch(&wanted.to_string(), &located));
            return None;
        }
        exprs.push(value);
    }
    Some(Combine {
        left,
        right,
        body,
        results: exprs,
    })
}
