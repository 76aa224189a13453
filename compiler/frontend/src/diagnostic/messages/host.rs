//! `test` blocks: what is wrong with a launch or an assertion before it runs.

use std::fmt::Display;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::typed::ValueType;

/// A function of tests in a kernel or a function that a kernel calls.
#[must_use]
pub fn only_in_tests(name: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::OnlyInTests, format!("`{name}` exists in tests only"))
        .label(span, "not in a kernel");
    match name {
        "ones" => diagnostic.help("a tile of ones is `full([64], 1.0)`"),
        _ => diagnostic.help("the host runs it: write it inside `test name { … }`"),
    }
}

/// An array made in a kernel.
#[must_use]
pub fn array_in_kernel(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::OnlyInTests,
        format!("`{name}` of a shape exists in tests only"),
    )
    .label(span, "in a kernel it takes a seed and offsets")
    .help(format!(
        "give each element its own offset: `{name}(seed, arange(0, 64))`"
    ))
}

/// `program_id` in a test.
#[must_use]
pub fn only_in_kernels(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::OnlyInKernels,
        format!("`{name}` exists in kernels only"),
    )
    .label(span, "a test is no program of a grid")
}

/// An attribute that tests do not have.
#[must_use]
pub fn unknown_attribute(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::BadAttribute,
        format!("no attribute of tests is called `{name}`"),
    )
    .label(span, "not found");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic.help("there is `#[ignore]`"),
    }
}

/// `#[ignore(…)]`
#[must_use]
pub fn ignore_argument(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadAttribute, "`#[ignore]` takes no argument").label(span, "not needed")
}

/// A launch of a kernel that has no grid.
#[must_use]
pub fn grid_missing(kernel: &str, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadLaunch,
        format!("`{kernel}` leaves its grid to the host, and this launch gives none"),
    )
    .label(span, "how many programs?")
    .secondary(declared, "has no `grid(…)`")
    .help(format!("write `launch({kernel}, …, grid = (x, y))`"))
}

/// `grid = …` for a kernel that has a grid.
#[must_use]
pub fn grid_twice(kernel: &str, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadLaunch,
        format!("`{kernel}` computes its grid by itself"),
    )
    .label(span, "given here as well")
    .secondary(declared, "has a `grid(…)`")
    .help("leave `grid = …` out")
}

/// A form whose first argument is no kernel.
#[must_use]
pub fn kernel_expected(form: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadLaunch, format!("`{form}` takes a kernel first"))
        .label(span, "expected the name of a kernel")
}

/// `assert_fails` of something that is no launch.
#[must_use]
pub fn launch_expected(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadLaunch, "`assert_fails` takes a launch")
        .label(span, "expected a launch")
        .help("write `assert_fails(kernel(x, y), \"part of the message\")`")
}

/// An argument of a property assertion that says nothing.
#[must_use]
pub fn property_expected(form: &str, span: Span) -> Diagnostic {
    let usage = if form == "assert_ptx" {
        "assert_ptx(kernel, contains = \"wgmma\", lacks = \"st.local\")"
    } else {
        "assert_resources(kernel, registers <= 168, spills == 0)"
    };
    Diagnostic::error(
        Code::WrongArguments,
        format!("`{form}` cannot use this argument"),
    )
    .label(span, "says nothing about the kernel")
    .help(format!("it is called as `{usage}`"))
}

/// An assertion without a claim.
#[must_use]
pub fn nothing_asserted(form: &str, span: Span) -> Diagnostic {
    property_expected(form, span)
}

/// `count = n` without one `contains`.
#[must_use]
pub fn count_of_what(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongArguments,
        "`count` needs exactly one text in `contains`",
    )
    .label(span, "counts what?")
}

/// A resource that does not exist.
#[must_use]
pub fn unknown_resource(
    name: &str,
    span: Span,
    similar: Option<&str>,
    known: &[&str],
) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::UnknownName, format!("no resource is called `{name}`"))
            .label(span, "not found");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic.help(format!("there are `{}`", known.join("`, `"))),
    }
}

/// A target that does not exist.
#[must_use]
pub fn unknown_target(name: &str, span: Span, known: &[&str]) -> Diagnostic {
    Diagnostic::error(Code::UnknownName, format!("no target is called `{name}`"))
        .label(span, "not found")
        .help(format!("there are `{}`", known.join("`, `")))
}

/// An array where a number is wanted.
#[must_use]
pub fn number_expected(of: &str, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("expected a number for {of}, found `{found}`"),
    )
    .label(span, "an array")
}

/// A number where an array is wanted.
#[must_use]
pub fn array_expected(of: &str, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("expected an array for {of}, found `{found}`"),
    )
    .label(span, "no array")
    .help("an array of one element is `full([1], …)`")
}

/// An array without a name for a parameter that is written to.
#[must_use]
pub fn written_value(of: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadLaunch,
        format!("{of} is written to, and what is written here would be lost"),
    )
    .label(span, "not a variable")
    .help("give it a name first: `let z = …;`")
}

/// A view for a dense parameter that is written to.
#[must_use]
pub fn strides_of_written(of: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadLaunch,
        format!("{of} is dense, and this view is not"),
    )
    .label(span, "has other strides")
    .note("what is only read would be copied; this parameter is written to")
    .help("declare the parameter with free strides: `strides(_, _)`")
}

/// Sides of an assertion with different elements.
#[must_use]
pub fn sides_of_other_elements(
    actual: &ValueType,
    expected: &ValueType,
    actual_span: Span,
    expected_span: Span,
) -> Diagnostic {
    let message =
        format!("`assert_equal` compares bits, and `{actual}` has others than `{expected}`");
    let problem = Diagnostic::error(Code::TypeMismatch, message);
    with_sides(problem, actual, expected, actual_span, expected_span)
        .help("convert one side with `as`, or use `assert_close`, which compares numbers")
}

/// Sides of an assertion with different shapes.
#[must_use]
pub fn sides_of_other_shapes(
    actual: &ValueType,
    expected: &ValueType,
    actual_span: Span,
    expected_span: Span,
) -> Diagnostic {
    let message = format!("`{actual}` can never equal `{expected}`");
    let problem = Diagnostic::error(Code::ShapeMismatch, message);
    with_sides(problem, actual, expected, actual_span, expected_span)
}

fn with_sides(
    problem: Diagnostic,
    actual: &ValueType,
    expected: &ValueType,
    actual_span: Span,
    expected_span: Span,
) -> Diagnostic {
    problem
        .label(actual_span, format!("`{actual}`"))
        .secondary(expected_span, format!("`{expected}`"))
}

/// A tolerance below 0, or NaN.
#[must_use]
pub fn bad_tolerance(name: &str, value: f64, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::LiteralOutOfRange,
        format!("`{name}` is an error that is allowed, and {value} is none"),
    )
    .label(span, "0 or more")
}

/// A seed that is no `u64`.
#[must_use]
pub fn bad_seed(seed: i128, span: Span) -> Diagnostic {
    Diagnostic::error(Code::LiteralOutOfRange, format!("{seed} is no seed"))
        .label(span, "from 0 to 18446744073709551615")
}

/// A range of random numbers that holds none.
#[must_use]
pub fn empty_range(low: impl Display, high: impl Display, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::LiteralOutOfRange,
        format!("no number lies from {low} to below {high}"),
    )
    .label(span, "an empty range")
}
