//! Tests that fail while they run.

use std::fmt::Display;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::typed::host::Limit;

/// What `assert_close` has to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// How many elements there are.
    pub elements: usize,
    /// How many differ by more than the tolerance.
    pub wrong: usize,
    /// The one that exceeds what is allowed by most.
    pub worst: Element,
    /// The first of them.
    pub first: Element,
}

/// An element of two arrays, told.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// Where it is; empty for a single number.
    pub position: Vec<u64>,
    /// What it is.
    pub actual: String,
    /// What it should be.
    pub expected: String,
    /// How far apart they are.
    pub error: f64,
    /// How far they may be.
    pub allowed: f64,
}

/// `assert(cond)` that is false; `sides` are those of a comparison, at the first place that is.
#[must_use]
pub fn assertion_failed(
    message: Option<&str>,
    sides: &[String],
    position: &[u64],
    (wrong, elements): (usize, usize),
    span: Span,
) -> Diagnostic {
    let text = match message {
        Some(message) => format!("assertion failed: {message}"),
        None => "assertion failed".to_owned(),
    };
    let place = if position.is_empty() {
        String::new()
    } else {
        format!(" at {position:?}, the first of {wrong} of {elements}")
    };
    let label = match sides {
        [left, right] => format!("{left} on the left, {right} on the right{place}"),
        _ => format!("this is false{place}"),
    };
    Diagnostic::error(Code::TestFailed, text).label(span, label)
}

/// `assert_close` that does not hold.
#[must_use]
pub fn not_close(difference: &Difference, relative: f64, absolute: f64, span: Span) -> Diagnostic {
    let Difference {
        elements,
        wrong,
        worst,
        first,
    } = difference;
    let tolerance = format!("rtol = {relative:?}, atol = {absolute:?}");
    let message = if worst.position.is_empty() {
        format!("{} is not close to {}", worst.actual, worst.expected)
    } else {
        let verb = if *wrong == 1 { "is" } else { "are" };
        format!("{wrong} of {elements} elements {verb} not close to what is expected")
    };
    let diagnostic =
        Diagnostic::error(Code::TestFailed, message).label(span, element(worst, "worst"));
    let diagnostic = if *wrong > 1 && first.position != worst.position {
        diagnostic.note(element(first, "first"))
    } else {
        diagnostic
    };
    diagnostic.note(format!("allowed with {tolerance}: {:.1e}", worst.allowed))
}

/// As `the worst is [17]: 0.25 instead of 0.5, off by 2.5e-1`.
fn element(element: &Element, which: &str) -> String {
    let Element {
        position,
        actual,
        expected,
        error,
        ..
    } = element;
    let off = if error.is_finite() {
        format!(", off by {error:.1e}")
    } else {
        String::new()
    };
    if position.is_empty() {
        return format!("{actual} instead of {expected}{off}");
    }
    format!("the {which} is {position:?}: {actual} instead of {expected}{off}")
}

/// `assert_equal` that does not hold.
#[must_use]
pub fn not_equal(
    wrong: usize,
    elements: usize,
    position: &[u64],
    actual: &str,
    expected: &str,
    span: Span,
) -> Diagnostic {
    if position.is_empty() {
        return Diagnostic::error(
            Code::TestFailed,
            format!("{actual} is not equal to {expected}"),
        )
        .label(span, "these differ");
    }
    let verb = if wrong == 1 { "is" } else { "are" };
    Diagnostic::error(
        Code::TestFailed,
        format!("{wrong} of {elements} elements {verb} not equal to what is expected"),
    )
    .label(
        span,
        format!("the first is {position:?}: {actual} instead of {expected}"),
    )
}

/// PTX without a text that it must have.
#[must_use]
pub fn ptx_lacks(kernel: &str, text: &str, target: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TestFailed,
        format!("the PTX of `{kernel}` for {target} does not contain `{text}`"),
    )
    .label(span, "not found")
    .help("`tilec build FILE --emit ptx` shows it")
}

/// PTX with a text that it must not have.
#[must_use]
pub fn ptx_contains(kernel: &str, text: &str, target: &str, line: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TestFailed,
        format!("the PTX of `{kernel}` for {target} contains `{text}`"),
    )
    .label(span, "found")
    .note(format!("for example `{line}`"))
}

/// PTX with a text more or less often than said.
#[must_use]
pub fn ptx_count(
    kernel: &str,
    text: &str,
    target: &str,
    (found, wanted): (u64, u64),
    span: Span,
) -> Diagnostic {
    Diagnostic::error(
        Code::TestFailed,
        format!(
            "`{text}` occurs {found} times in the PTX of `{kernel}` for {target}, not {wanted}"
        ),
    )
    .label(span, format!("found {found}"))
}

/// A kernel that takes other resources than said.
#[must_use]
pub fn resource(
    kernel: &str,
    entry: &str,
    limit: Limit,
    found: u64,
    target: &str,
    span: Span,
) -> Diagnostic {
    let resource = limit.resource.name();
    let diagnostic = Diagnostic::error(
        Code::TestFailed,
        format!(
            "`{kernel}` for {target} has {resource} = {found}, not {resource} {} {}",
            limit.relation.symbol(),
            limit.value
        ),
    )
    .label(span, format!("found {found}"));
    if entry == kernel {
        diagnostic
    } else {
        diagnostic.note(format!("in the variant `{entry}`"))
    }
}

/// Assembling that went wrong.
#[must_use]
pub fn not_assembled(error: impl Display, span: Span) -> Diagnostic {
    Diagnostic::error(Code::TestFailed, "the PTX cannot be assembled")
        .label(span, "for this")
        .note(error.to_string())
}

/// A launch that was refused, or a device that failed.
#[must_use]
pub fn launch_failed(reason: impl Display, span: Span) -> Diagnostic {
    Diagnostic::error(Code::LaunchFailed, reason.to_string()).label(span, "this launch")
}

/// What the simulator found.
#[must_use]
pub fn finding(code: &str, message: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::LaunchFailed, format!("{code}: {message}"))
        .secondary(span, "launched here")
}

/// A launch that had to fail and did not.
#[must_use]
pub fn launch_succeeded(span: Span) -> Diagnostic {
    Diagnostic::error(Code::TestFailed, "this launch succeeds, and it should not")
        .label(span, "no error")
}

/// A launch that fails for another reason.
#[must_use]
pub fn other_failure(wanted: &str, found: &Diagnostic, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TestFailed,
        format!("this launch fails, but not because of `{wanted}`"),
    )
    .label(span, "another error")
    .note(format!("it says: {}", found.message))
}

/// An array that cannot be made.
#[must_use]
pub fn array_failed(error: impl Display, span: Span) -> Diagnostic {
    Diagnostic::error(Code::LaunchFailed, error.to_string()).label(span, "this array")
}

/// A typed test that makes no sense.
#[must_use]
pub fn malformed(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::CompilerDefect,
        format!("the compiler made a test that makes no sense here: {what}"),
    )
    .label(span, "")
    .help("this is no fault of the program; please report it together with the program")
}
