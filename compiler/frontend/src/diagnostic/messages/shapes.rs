//! Shapes, sizes, ranks and axes that do not fit.

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::typed::ValueType;

/// Two shapes that do not broadcast; `from_end` counts dimensions from the last.
#[must_use]
pub fn no_broadcast(
    what: &str,
    (left, left_span): (&ValueType, Span),
    (right, right_span): (&ValueType, Span),
    from_end: usize,
) -> Diagnostic {
    let size = |ty: &ValueType| ty.shape.iter().rev().nth(from_end).copied().unwrap_or(1);
    let diagnostic = Diagnostic::error(
        Code::ShapeMismatch,
        format!("the shapes of `{left}` and `{right}` do not fit in `{what}`"),
    )
    .label(right_span, format!("this is `{right}`"))
    .secondary(left_span, format!("this is `{left}`"))
    .note(format!(
        "{} has sizes {} and {}; only equal sizes, or a size of 1, fit",
        dimension(from_end),
        size(left),
        size(right)
    ));
    match (&left.shape[..], &right.shape[..]) {
        ([rows, columns], [size]) | ([size], [rows, columns])
            if rows == size && columns != size =>
        {
            diagnostic.help("a tile of one value per row is written `x[:, None]`")
        }
        _ => diagnostic,
    }
}

fn dimension(from_end: usize) -> String {
    match from_end {
        0 => "the last dimension".to_owned(),
        1 => "the last dimension but one".to_owned(),
        more => format!("dimension {} from the end", more + 1),
    }
}

/// A size that is no size.
#[must_use]
pub fn bad_size(what: &str, value: i128, least: u64, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::BadSize, format!("{what} cannot be {value}")).label(span, "");
    if value < i128::from(least) {
        diagnostic.help(format!("sizes are {least} or more"))
    } else {
        diagnostic.note("this is too large")
    }
}

/// A tile with more elements than any program can hold.
#[must_use]
pub fn too_many_elements(shape: &[u64], limit: u64, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadSize,
        format!("a tile of shape {} is too large", list(shape)),
    )
    .label(span, "")
    .note(format!("a tile has at most {limit} elements"))
    .help("let each program compute a smaller tile, or loop over parts of it")
}

/// More than five dimensions.
#[must_use]
pub fn rank_too_high(rank: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        format!("a tile has at most 5 dimensions, this has {rank}"),
    )
    .label(span, "")
}

/// A tensor parameter of no or too many dimensions.
#[must_use]
pub fn tensor_rank(rank: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        format!("a tensor has 1 to 5 dimensions, this has {rank}"),
    )
    .label(span, "")
}

/// `strides(…)` of another length than the sizes.
#[must_use]
pub fn stride_count(tensor: &str, dimensions: usize, strides: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        format!(
            "`{tensor}` has {} but {}",
            count(dimensions, "dimension"),
            count(strides, "stride")
        ),
    )
    .label(span, "needs one stride per dimension")
    .help("`_` leaves a stride free")
}

/// Something else than a shape.
#[must_use]
pub fn expected_shape(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!("expected a shape such as `[64, 32]`, found {}", found.what),
    )
    .label(found.span, "not a shape")
}

/// `arange` of nothing.
#[must_use]
pub fn empty_arange(lo: i128, hi: i128, span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadSize, format!("`arange({lo}, {hi})` is empty"))
        .label(span, "")
        .help("it counts from the first number up to, not including, the second")
}

/// An axis that a tile does not have.
#[must_use]
pub fn bad_axis(axis: i128, found: &ValueType, span: Span) -> Diagnostic {
    let rank = found.shape.len();
    let diagnostic =
        Diagnostic::error(Code::BadAxis, format!("`{found}` has no axis {axis}")).label(span, "");
    match rank {
        0 => diagnostic,
        1 => diagnostic.note("its only axis is 0"),
        2 => diagnostic.note("its axes are 0 and 1"),
        _ => diagnostic.note(format!("its axes are 0 to {}", rank - 1)),
    }
}

/// `max(zeros([0]))` in a test
#[must_use]
pub fn reduction_of_nothing(name: &str, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadSize,
        format!("`{name}` of no elements has no value"),
    )
    .label(span, format!("this is `{found}`"))
}

/// `expand_dims(x, 5)`
#[must_use]
pub fn bad_new_axis(axis: i128, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadAxis,
        format!("no new axis {axis} fits into `{found}`"),
    )
    .label(span, format!("expected 0 to {}", found.shape.len()))
}

/// `reshape(x, [5, -1])` where 5 does not divide, or several sizes of -1.
#[must_use]
pub fn no_remainder(found: &ValueType, several: bool, span: Span) -> Diagnostic {
    let elements: u64 = found.shape.iter().product();
    let message = if several {
        "only one size can be -1".to_owned()
    } else {
        format!("no size in the place of -1 makes {elements} elements")
    };
    Diagnostic::error(Code::ShapeMismatch, message)
        .label(span, "stands for what the other sizes leave")
        .note(format!("`{found}` has {elements} elements"))
}

/// `program_id(3)`
#[must_use]
pub fn bad_program_axis(axis: i128, span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAxis, format!("a grid has no axis {axis}"))
        .label(span, "")
        .note("the axes of a grid are 0, 1 and 2")
}

/// `max(x, y, axis = 0)`
#[must_use]
pub fn axis_of_two(function: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongArguments,
        format!("`{function}` of two values has no axis: it compares them element by element"),
    )
    .label(span, "")
    .help(format!("reduce one of them: `{function}(x, axis = …)`"))
}

/// Another number of positions than dimensions.
#[must_use]
pub fn index_count(
    tensor: &str,
    rank: usize,
    given: usize,
    span: Span,
    declared: Span,
) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        format!(
            "`{tensor}` has {}, indexed with {given}",
            count(rank, "dimension")
        ),
    )
    .label(span, format!("expected {}", count(rank, "position")))
    .secondary(declared, "declared here")
}

/// `x[:]` of a tile of another rank.
#[must_use]
pub fn tile_index_count(found: &ValueType, given: usize, span: Span) -> Diagnostic {
    let rank = found.shape.len();
    Diagnostic::error(
        Code::WrongRank,
        format!(
            "`{found}` has {}, indexed with {given}",
            count(rank, "dimension")
        ),
    )
    .label(span, format!("expected {} `:`", rank))
    .help("`:` keeps a dimension, `None` makes a new one of size 1")
}

/// An index past the end of a list.
#[must_use]
pub fn list_index(index: i128, length: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadAxis,
        format!("there is no item {index} in a list of {length}"),
    )
    .label(span, "counted from 0")
}

/// `x[60 +: 8]` of a tile of 64.
#[must_use]
pub fn part_outside(start: i128, width: u64, size: u64, span: Span) -> Diagnostic {
    let end = start + i128::from(width);
    Diagnostic::error(
        Code::BadAxis,
        format!(
            "positions {start} to {} of a dimension of size {size}",
            end - 1
        ),
    )
    .label(span, "a part of a tile lies inside of it")
}

/// `x.T` of less than two dimensions.
#[must_use]
pub fn transpose_rank(found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        format!("`.T` needs two dimensions, found `{found}`"),
    )
    .label(span, "")
    .help("a column is written `x[:, None]`")
}

/// A list that does not name each axis once.
#[must_use]
pub fn not_a_permutation(found: &ValueType, span: Span) -> Diagnostic {
    let axes: Vec<u64> = (0..).take(found.shape.len()).collect();
    Diagnostic::error(
        Code::BadAxis,
        format!("this does not name each axis of `{found}` once"),
    )
    .label(
        span,
        format!("expected the numbers of {} in some order", list(&axes)),
    )
}

/// A new shape of another number of elements.
#[must_use]
pub fn reshape_elements(found: &ValueType, shape: &[u64], span: Span) -> Diagnostic {
    let before: u64 = found.shape.iter().product();
    let after: u64 = shape.iter().product();
    Diagnostic::error(
        Code::ShapeMismatch,
        format!("`{found}` cannot take the shape {}", list(shape)),
    )
    .label(span, format!("{after} elements instead of {before}"))
}

/// A shape that `broadcast` cannot reach.
#[must_use]
pub fn cannot_stretch(found: &ValueType, shape: &[u64], span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ShapeMismatch,
        format!("`{found}` cannot be broadcast to {}", list(shape)),
    )
    .label(span, format!("this is `{found}`"))
    .note("only dimensions of size 1 and missing leading dimensions are repeated")
}

/// A value, mask or fill that does not have the shape of what is accessed.
#[must_use]
pub fn access_shape(what: &str, found: &ValueType, shape: &[u64], span: Span) -> Diagnostic {
    let wanted = if shape.is_empty() {
        "a single element".to_owned()
    } else {
        format!("shape {}", list(shape))
    };
    let diagnostic = Diagnostic::error(
        Code::ShapeMismatch,
        format!("the access has {wanted}, but its {what} is `{found}`"),
    )
    .label(span, format!("expected {wanted}"));
    if found.shape.len() == shape.len() && found.shape.iter().rev().eq(shape.iter()) {
        return diagnostic.help("the transpose would fit: `x.T`");
    }
    match (&found.shape[..], shape) {
        ([size], [rows, columns]) if size == rows && size != columns => {
            diagnostic.help("a tile of one value per row is written `x[:, None]`")
        }
        _ => diagnostic,
    }
}

/// A reduction of a scalar.
#[must_use]
pub fn reduce_scalar(function: &str, found: &ValueType, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::WrongRank,
        format!("`{function}` reduces a tile, found the scalar `{found}`"),
    )
    .label(span, "has no axes");
    match function {
        "max" | "min" => diagnostic.help(format!("of two values it is `{function}(x, y)`")),
        _ => diagnostic,
    }
}

/// Tiles of different shapes reduced together.
#[must_use]
pub fn reduce_tuple(first: &ValueType, other: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ShapeMismatch,
        format!("`reduce` takes tiles of one shape, found `{first}` and `{other}`"),
    )
    .label(span, "")
}

/// Tiles of different shapes sorted together.
#[must_use]
pub fn sorted_together(keys: &ValueType, other: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ShapeMismatch,
        format!("`sort` takes tiles of one shape, found `{keys}` and `{other}`"),
    )
    .label(span, "all move with the first")
}

/// `topk` of more elements than there are.
#[must_use]
pub fn too_many_of_the_top(k: u64, axis: usize, found: &ValueType, span: Span) -> Diagnostic {
    let size = found.shape.get(axis).copied().unwrap_or(0);
    Diagnostic::error(
        Code::BadSize,
        format!("`k` is {k}, and axis {axis} of `{found}` has {size} elements"),
    )
    .label(span, format!("at most {size}"))
}

/// Operands of `dot` that are no matrices.
#[must_use]
pub fn dot_rank(left: &ValueType, right: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        format!("`dot` multiplies two matrices, found `{left}` and `{right}`"),
    )
    .label(span, "")
    .help("a vector becomes a matrix with `x[:, None]` or `x[None, :]`; a sum of products is `sum(x * y)`")
}

/// Inner sizes that differ.
#[must_use]
pub fn dot_inner(
    (left, left_span): (&ValueType, Span),
    (right, right_span): (&ValueType, Span),
) -> Diagnostic {
    let inner = left.shape.last().copied().unwrap_or(0);
    let other = right.shape.first().copied().unwrap_or(0);
    let diagnostic = Diagnostic::error(
        Code::ShapeMismatch,
        format!("`dot` of `{left}` and `{right}`: the inner sizes {inner} and {other} differ"),
    )
    .label(right_span, format!("has {other} rows"))
    .secondary(left_span, format!("has {inner} columns"));
    if right.shape.last() == Some(&inner) {
        diagnostic.help("the transpose of the right side would fit: `y.T`")
    } else {
        diagnostic
    }
}

/// An accumulator of the wrong type or shape.
#[must_use]
pub fn dot_accumulator(wanted: &ValueType, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ShapeMismatch,
        format!("the accumulator of this `dot` must be `{wanted}`, found `{found}`"),
    )
    .label(span, format!("expected `{wanted}`"))
}

/// `[128, 64]`
fn list(shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

/// `1 dimension`, `2 dimensions`
fn count(number: usize, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}

/// `max(v, 0)`, where `sum(v, 0)` reduces along an axis.
#[must_use]
pub fn number_or_axis(function: &str, number: i128, span: Span) -> Diagnostic {
    let elementwise = if function == "min" {
        "minimum"
    } else {
        "maximum"
    };
    Diagnostic::warning(
        Code::NumberOrAxis,
        format!(
            "`{function}` of two compares each element with {number}, and reduces along no axis"
        ),
    )
    .label(span, "a number, no axis")
    .help(format!(
        "along the axis it is `{function}(…, axis = {number})`"
    ))
    .help(format!(
        "element by element it is `{elementwise}(…, {number})`"
    ))
}
