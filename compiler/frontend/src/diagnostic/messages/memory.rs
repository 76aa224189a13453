//! Loads, stores, views and assignments.

use tile_runtime::element::ElementType;

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::typed::ValueType;

/// A store to a tensor without `mut`.
#[must_use]
pub fn store_to_immutable_tensor(tensor: &str, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::error(
        Code::StoreToImmutable,
        format!("`{tensor}` is stored to but not `mut`"),
    )
    .label(span, "stored to here")
    .secondary(declared, "declared without `mut`")
    .help(format!("declare it as `{tensor}: mut tensor<…>[…]`"))
}

/// A store through a pointer without `mut`; `root` is where the pointer comes from.
#[must_use]
pub fn store_to_immutable_pointer(
    pointee: ElementType,
    span: Span,
    root: Option<(String, Span)>,
) -> Diagnostic {
    match root {
        Some((name, declared)) => Diagnostic::error(
            Code::StoreToImmutable,
            format!("`{name}` is stored through but not `mut`"),
        )
        .label(span, "stored through here")
        .secondary(declared, "declared without `mut`")
        .help(format!("declare it as `{name}: mut ptr<{pointee}>`")),
        None => Diagnostic::error(
            Code::StoreToImmutable,
            "this pointer is stored through but not `mut`",
        )
        .label(
            span,
            format!("made of `ptr<{pointee}>`, not `mut ptr<{pointee}>`"),
        ),
    }
}

/// `x = …` of a name without `mut`; `heading`: of a generic, parameter or size of the kernel.
#[must_use]
pub fn assign_to_immutable(name: &str, span: Span, declared: Span, heading: bool) -> Diagnostic {
    let diagnostic = |what: String| {
        Diagnostic::error(Code::AssignToImmutable, what).label(span, "assigned here")
    };
    if heading {
        return diagnostic(format!(
            "`{name}` keeps its value: it belongs to the heading of the kernel"
        ))
        .secondary(declared, "declared here")
        .help(format!("copy it to a variable: `let mut {name} = {name};`"));
    }
    diagnostic(format!("`{name}` is assigned but not `mut`"))
        .secondary(declared, "declared without `mut`")
        .suggest(declared.before(), "mut ", "make it mutable")
}

/// `N = …` of a const or function.
#[must_use]
pub fn assign_to_item(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::AssignToImmutable,
        format!("`{name}` cannot be assigned"),
    )
    .label(span, "a declaration of the file")
}

/// `x[i] = …`
#[must_use]
pub fn assign_to_element(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::AssignToImmutable,
        "parts of tensors and tiles are not assigned",
    )
    .label(span, "not a variable")
    .help(
        "a part of a tensor is written with `store(x[…], value)`; tiles are values: make a new one",
    )
}

/// `f(x) = …`
#[must_use]
pub fn not_assignable(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AssignToImmutable, "this cannot be assigned")
        .label(span, "expected a variable or a tuple of variables")
}

/// `let mut f = relu;`
#[must_use]
pub fn mutable_compile_time(name: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::NotAValue,
        format!(
            "`{name}` cannot be `mut`: {} exists only at compile time",
            found.what
        ),
    )
    .label(found.span, "no value of the running kernel")
}

/// `load` or `store` of something that is no place.
#[must_use]
pub fn not_loadable(function: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::BadAccess,
        format!(
            "`{function}` needs a pointer or a view of a tensor, found {}",
            found.what
        ),
    )
    .label(found.span, "not a place in memory");
    if matches!(function, "load" | "prefetch") {
        return diagnostic;
    }
    diagnostic.help(format!("the place comes first: `{function}(x[…], value)`"))
}

/// `load(x)` of a whole tensor.
#[must_use]
pub fn whole_tensor(function: &str, tensor: &str, rank: usize, span: Span) -> Diagnostic {
    let positions: Vec<String> = "ijklm"
        .chars()
        .take(rank)
        .map(|index| format!("{index} +: WIDTH"))
        .collect();
    Diagnostic::error(
        Code::BadAccess,
        format!("`{function}` needs a part of the tensor, found all of it"),
    )
    .label(span, "a tensor can be of any size")
    .help(format!(
        "choose a part: `{tensor}[{}]`",
        positions.join(", ")
    ))
}

/// `other` without `mask` on a pointer.
#[must_use]
pub fn other_without_mask(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAccess, "`other` without `mask` is never used")
        .label(span, "for elements where the mask is false")
        .help("add `mask = …`, or use a tensor: its bounds are checked by themselves")
}

/// `other` of a view that is a tile.
#[must_use]
pub fn tile_as_other(found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadAccess,
        format!("`other` of a view is one value for all, found `{found}`"),
    )
    .label(span, "expected a scalar")
}

/// `bounds` on a pointer.
#[must_use]
pub fn bounds_of_pointer(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAccess, "a pointer has no bounds to check")
        .label(span, "only views of tensors have bounds")
        .help("limit the access with `mask = …`")
}

/// A mask that is no truth value.
#[must_use]
pub fn mask_type(found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadAccess,
        format!("a mask must be of `i1`, found `{found}`"),
    )
    .label(span, "not truth values")
    .help("compare: `mask = at < n`")
}

/// An option with an unknown word.
#[must_use]
pub fn bad_word(function: &str, parameter: &str, words: &[&str], span: Span) -> Diagnostic {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let access = function.starts_with("atomic_") || matches!(function, "load" | "store");
    let code = if access {
        Code::BadAccess
    } else {
        Code::WrongArguments
    };
    Diagnostic::error(
        code,
        format!(
            "`{parameter}` of `{function}` is one of {}",
            words.join(", ")
        ),
    )
    .label(span, "not one of them")
}

/// `x[:]` of a size known only at launch.
#[must_use]
pub fn full_of_unknown(tensor: &str, size: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadView,
        format!("`:` takes all of a dimension, but the size `{size}` of `{tensor}` is known only at launch"),
    )
    .label(span, "a tile needs a known size")
    .help("name a start and a width: `0 +: WIDTH` (out of bounds elements are masked)")
}

/// `x[None, …]` of a tensor.
#[must_use]
pub fn new_axis_of_view(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadView,
        "`None` makes a new dimension of a tile, not of a tensor",
    )
    .label(span, "")
    .help("load first: `load(x[…])[:, None]`")
}

/// A tile of positions that cannot gather.
#[must_use]
pub fn gather_index(found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadView,
        format!("a tensor is indexed by integers or a tile of them, found `{found}`"),
    )
    .label(span, "cannot be a position")
}

/// Positions of one dimension that are spread for another's, as in NumPy.
#[must_use]
pub fn crossing_positions(found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadView,
        format!("positions of one of several dimensions are a tile of rank 1, found `{found}`"),
    )
    .label(span, "the view has all combinations of its dimensions' positions")
    .help("write `x[rows, columns]`, not `x[rows[:, None], columns[None, :]]`; for pairs of positions use pointers: `load(p + offsets)`")
}

/// A view of several tiles of positions that is larger than who wrote it may have meant.
#[must_use]
pub fn with_all_combinations(problem: Diagnostic) -> Diagnostic {
    problem
        .note("with positions for several dimensions, the view has all combinations of them")
        .help("for pairs of positions use pointers: `load(p + offsets)`")
}

/// `p[i]` of a pointer.
#[must_use]
pub fn index_of_pointer(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadView, "a pointer has no dimensions to index")
        .label(span, "")
        .help("write `load(p + i)`, or take a `tensor` parameter")
}

/// A view of a view.
#[must_use]
pub fn view_of_view(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadView, "a view cannot be indexed again")
        .label(span, "")
        .help("index the tensor itself, or `load` the view and index the tile")
}

/// `x[i +: 4];`
#[must_use]
pub fn unused_view(span: Span) -> Diagnostic {
    Diagnostic::warning(Code::BadAccess, "this view is neither loaded nor stored to")
        .label(span, "does nothing")
}
