//! Conditions, loops, branches, grids and attributes.

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::typed::{Element, ValueType};

/// `if` or `while` on a tile.
#[must_use]
pub fn tile_condition(what: &str, found: &ValueType, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::TileCondition,
        format!("the condition of `{what}` must be a single `i1`, found `{found}`"),
    )
    .label(span, "one condition per element");
    match what {
        "&&" => diagnostic.help("`&` combines tiles element by element"),
        "||" => diagnostic.help("`|` combines tiles element by element"),
        "while" | "assume" => diagnostic.help("reduce it to one: `any(…)` or `all(…)`"),
        _ => diagnostic
            .help("to choose per element write `where(cond, x, y)`; for one decision `any(cond)` or `all(cond)`"),
    }
}

/// A condition that is no truth value.
#[must_use]
pub fn condition_type(what: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::TypeMismatch,
        format!(
            "the condition of `{what}` must be an `i1`, found {}",
            found.what
        ),
    )
    .label(found.span, "not a truth value");
    if found.what.starts_with("`i") || found.what.starts_with("`u") {
        diagnostic.help("compare it: `x != 0`")
    } else {
        diagnostic
    }
}

/// `break` or `continue` outside of a loop.
#[must_use]
pub fn outside_loop(keyword: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::OutsideLoop, format!("`{keyword}` outside of a loop"))
        .label(span, "no loop around this")
        .note(
            "functions and closures are bodies of their own: a loop around the call does not count",
        )
}

/// `return value;` in a kernel.
#[must_use]
pub fn kernel_returns_value(span: Span) -> Diagnostic {
    Diagnostic::error(Code::TypeMismatch, "a kernel returns nothing")
        .label(span, "nobody receives this")
        .help("results leave a kernel through `store`")
}

/// `for x in something_else`
#[must_use]
pub fn expected_range(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadLoop,
        "expected `range(lo, hi)` or `range(lo, hi, step)`",
    )
    .label(span, "loops count; they do not walk through tiles")
}

/// `for x in static_range(0, 4)`, as in Triton.
#[must_use]
pub fn static_range(span: Span) -> Diagnostic {
    expected_range(span).help("a loop that the compiler unrolls is `static for … in range(lo, hi)`")
}

/// `range` as a value.
#[must_use]
pub fn range_outside_for(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadLoop, "`range` belongs into a `for`")
        .label(span, "")
        .help("a tile of consecutive integers is `arange(lo, hi)`")
}

/// A tuple as loop variable.
#[must_use]
pub fn loop_pattern(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadLoop, "a loop counts with one variable")
        .label(span, "expected a name")
}

/// `range(0, n, 0)`
#[must_use]
pub fn zero_step(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadLoop, "the step of a loop is 0").label(span, "never gets anywhere")
}

/// A `static for` of too many iterations.
#[must_use]
pub fn too_many_rounds(limit: i128, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::EndlessElaboration,
        format!("this `static for` has more than {limit} iterations"),
    )
    .label(span, "unrolled one by one")
    .help("a `for` without `static` runs as many iterations as you like")
}

/// An assignment of another type.
#[must_use]
pub fn variable_changes_type(
    name: &str,
    wanted: &ValueType,
    found: &ValueType,
    span: Span,
    declared: Option<Span>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::VariableChangesType,
        format!("`{name}` is `{wanted}` and cannot become `{found}`"),
    )
    .label(span, format!("this is `{found}`"));
    let diagnostic = match declared {
        Some(declared) => diagnostic.secondary(declared, format!("declared as `{wanted}`")),
        None => diagnostic,
    };
    let halves = |ty: &ValueType| matches!(ty.to_string().as_str(), "f16" | "bf16");
    let is_float =
        |ty: &ValueType| matches!(ty.element, Element::Number(element) if element.is_float());
    let loses_fractions = is_float(found) && !is_float(wanted);
    if loses_fractions && declared.is_some() {
        let start = match found.shape.as_slice() {
            [] => "0.0".to_owned(),
            _ => format!("zeros([…], {})", found.element),
        };
        diagnostic.help(format!(
            "to keep the fraction, let `{name}` begin as a float, such as `{start}`"
        ))
    } else if wanted.shape == found.shape {
        let diagnostic = diagnostic.help(format!("convert it: `… as {}`", wanted.element));
        let wanted = ValueType {
            shape: Vec::new(),
            ..wanted.clone()
        };
        let found = ValueType {
            shape: Vec::new(),
            ..found.clone()
        };
        if halves(&wanted) && found.to_string() == "f32" {
            diagnostic.note("dividing 16-bit floats, or mixing them with `f32`, gives `f32`")
        } else {
            diagnostic
        }
    } else if found.shape.is_empty() {
        diagnostic.help("fill a tile with it: `full([…], value)`")
    } else if wanted.shape.is_empty() {
        diagnostic.help("start with a tile of the right shape: `zeros([…], f32)`")
    } else {
        diagnostic.note("a variable keeps its type, so that loops can carry it")
    }
}

/// Branches whose values have no common type.
#[must_use]
pub fn return_types(first: impl Into<Found>, other: impl Into<Found>) -> Diagnostic {
    let (first, other) = (first.into(), other.into());
    Diagnostic::error(
        Code::BranchesDiffer,
        format!("this function returns {} and {}", first.what, other.what),
    )
    .secondary(first.span, format!("returns {}", first.what))
    .label(other.span, format!("returns {}", other.what))
}

/// An `if` whose branches give different things.
#[must_use]
pub fn branch_types(then: impl Into<Found>, otherwise: impl Into<Found>, span: Span) -> Diagnostic {
    let (then, otherwise) = (then.into(), otherwise.into());
    let missing = otherwise.span == span;
    let is_value = |found: &Found| {
        found.what.starts_with('`')
            || found.what.contains(" number ")
            || found.what.contains(" integer ")
    };
    let is_tile = |found: &Found| found.what.starts_with("`tile");
    let diagnostic = Diagnostic::error(
        Code::BranchesDiffer,
        format!(
            "the branches of this `if` give {} and {}",
            then.what, otherwise.what
        ),
    )
    .secondary(then.span, format!("gives {}", then.what));
    if missing {
        return diagnostic.label(span, "without `else` it gives nothing");
    }
    let diagnostic = diagnostic.label(otherwise.span, format!("gives {}", otherwise.what));
    if !is_value(&then) || !is_value(&otherwise) {
        diagnostic.note("while the kernel runs only numbers, tiles and pointers can be chosen")
    } else if is_tile(&then) != is_tile(&otherwise) {
        diagnostic.help("fill a tile with the single value: `full([…], value)`")
    } else {
        diagnostic.note(
            "which branch runs is known only when the kernel runs, so both give the same type",
        )
    }
}

/// `#[unknown]`
#[must_use]
pub fn unknown_attribute(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::BadAttribute, format!("no attribute `{name}` exists"))
        .label(span, "not found");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar attribute exists"),
        None if name == "unroll" => {
            diagnostic.help("a loop that the compiler unrolls is `static for … in range(lo, hi)`")
        }
        None => diagnostic.help("there are `#[warps(n)]`, `#[stages(n)]` and `#[split(n)]`"),
    }
}

/// `#[warps]`
#[must_use]
pub fn attribute_arguments(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAttribute, format!("`{name}` takes one number"))
        .label(span, format!("write `#[{name}(4)]`"))
}

/// `#[warps(3)]`
#[must_use]
pub fn attribute_value(name: &str, value: i128, span: Span) -> Diagnostic {
    let range = match name {
        "warps" => "12 or a power of two from 1 to 32",
        "split" => "a power of two from 1 to 8",
        _ => "from 1 to 16",
    };
    Diagnostic::error(
        Code::BadAttribute,
        format!("`{name}` must be {range}, found {value}"),
    )
    .label(span, "")
}

/// `#[warps(4)] for …`, `#[stages(2)] while …`
#[must_use]
pub fn attribute_place(name: &str, place: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::BadAttribute,
        format!("`{name}` is no attribute of a `{place}`"),
    );
    match (name, place) {
        ("stages", "while") => diagnostic
            .label(span, "which iterations there will be is not known ahead")
            .help("a `for` can load what its next iterations need"),
        ("stages", _) => diagnostic.label(
            span,
            "this loop is unrolled when it is compiled: it has no iterations",
        ),
        _ => diagnostic
            .label(span, "this is said of a whole kernel")
            .help(format!("write `#[{name}(…)]` before the `kernel`")),
    }
}

/// `#[stages(3)] for … { … break … }`
#[must_use]
pub fn stages_of_loop_that_ends_early(span: Span) -> Diagnostic {
    Diagnostic::warning(
        Code::BadAttribute,
        "`stages` has no effect on a loop that `break` or `return` may end",
    )
    .label(span, "which iterations there will be is not known ahead")
    .help("where the range says how many iterations there are, later ones can be loaded ahead")
}

/// A grid of no or too many axes.
#[must_use]
pub fn grid_axes(axes: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadGrid,
        format!("a grid has 1 to 3 axes, this has {axes}"),
    )
    .label(span, "")
}

/// `grid(0)`
#[must_use]
pub fn grid_size(size: i128, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadGrid,
        format!("a grid cannot have {size} programs along an axis"),
    )
    .label(span, "")
}

/// A grid that needs more than a launcher knows.
#[must_use]
pub fn grid_unknown(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadGrid, "the launcher cannot compute this part of the grid")
        .label(span, "not made of sizes and integers")
        .note("a grid is made of sizes, integer parameters, consts and generics with + - * / % cdiv min max")
}

/// Memory or outer variables touched while combining.
#[must_use]
pub fn effect_in_combiner(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::EffectInCombiner,
        format!("{what} inside the function of a reduction or `map`"),
    )
    .label(span, "not allowed here")
    .note("it may run in any order and any number of times")
}

/// Tiles used while combining.
#[must_use]
pub fn tile_in_combiner(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::EffectInCombiner,
        "a tile inside the function of a reduction or `map`",
    )
    .label(span, "not a scalar")
    .note("it is for single elements: everything in it is a scalar")
}

/// `map` without a tile.
#[must_use]
pub fn map_of_scalars(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongRank,
        "`map` takes tiles, found none among its arguments",
    )
    .label(span, "no elements")
    .help("a function of scalars is called as it is: `f(x)`")
}
