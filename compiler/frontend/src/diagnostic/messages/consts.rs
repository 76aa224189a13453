//! What must be known at compile time and is not, and compile-time work that goes wrong.

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::syntax::ast::BinaryOperator;

/// Why compile-time arithmetic has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The result does not fit its type.
    Overflow,
    /// `/ 0` or `% 0` of integers.
    DivisionByZero,
    /// A shift by less than nothing.
    NegativeShift,
    /// The operator does not exist for the operands.
    Undefined,
}

/// A run-time value where a known one is needed; `what` as in "the width of a range".
#[must_use]
pub fn not_known(what: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let is_value = found.what.starts_with('`');
    let message = if is_value {
        format!("{what} must be known at compile time")
    } else {
        format!(
            "{what} must be an integer known at compile time, found {}",
            found.what
        )
    };
    let diagnostic = Diagnostic::error(Code::NotConst, message);
    if is_value {
        diagnostic
            .label(
                found.span,
                format!("{}, known only when the kernel runs", found.what),
            )
            .help(
                "use a literal, a `const`, or a generic of the kernel such as `const N: i32 = 64`",
            )
    } else if found.what.starts_with("the type") {
        let help = super::types::GENERIC_NUMBER;
        diagnostic.label(found.span, "").help(help)
    } else {
        diagnostic.label(found.span, "")
    }
}

/// A literal beyond every integer type.
#[must_use]
pub fn literal_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(Code::LiteralOutOfRange, "this number is too large")
        .label(span, "fits no integer type")
}

/// Compile-time arithmetic without a result.
#[must_use]
pub fn arithmetic(
    problem: Problem,
    operator: BinaryOperator,
    left: impl Into<Found>,
    right: impl Into<Found>,
    span: Span,
) -> Diagnostic {
    let (left, right, symbol) = (left.into(), right.into(), operator.symbol());
    match problem {
        Problem::DivisionByZero => division_by_zero(right.span),
        Problem::NegativeShift => negative_shift(right.span),
        Problem::Overflow => Diagnostic::error(
            Code::ConstOverflow,
            format!("the result of this `{symbol}` does not fit its type"),
        )
        .label(span, format!("{} {symbol} {}", left.what, right.what))
        .note("arithmetic at compile time never wraps")
        .help("convert an operand with `as i64` for more room"),
        Problem::Undefined => Diagnostic::error(
            Code::OperatorUndefined,
            format!(
                "`{symbol}` does not exist for {} and {}",
                left.what, right.what
            ),
        )
        .label(span, ""),
    }
}

/// Division of integers by a known zero.
#[must_use]
pub fn division_by_zero(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ConstOverflow, "division by zero").label(span, "this is 0")
}

/// A shift by less than nothing.
#[must_use]
pub fn negative_shift(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ConstOverflow, "the amount of a shift is negative")
        .label(span, "less than 0")
}

/// `static_assert` of something false.
#[must_use]
pub fn assertion_failed(message: Option<&str>, span: Span) -> Diagnostic {
    let text = match message {
        Some(message) => format!("the assertion failed: {message}"),
        None => "the assertion failed".to_owned(),
    };
    Diagnostic::error(Code::AssertionFailed, text).label(span, "this is false")
}

/// `assume` of something false.
#[must_use]
pub fn assumption_false(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::AssertionFailed,
        "this assumption is known to be false",
    )
    .label(span, "always false")
}

/// What `static_print` prints.
#[must_use]
pub fn static_print(text: &str, span: Span) -> Diagnostic {
    let mut diagnostic = Diagnostic::warning(Code::StaticPrint, text).label(span, "printed here");
    diagnostic.severity = Severity::Warning;
    diagnostic
}

/// Calls inside calls beyond the limit.
#[must_use]
pub fn recursion(function: &str, limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::EndlessElaboration,
        format!("`{function}` is called more than {limit} calls deep"),
    )
    .label(span, "one call too many")
    .note("functions are inlined, so a recursion must end at compile time")
    .help("let a `const` parameter shrink with each call, and stop with `if` on it")
}

/// More compile-time work than any sensible program asks for.
#[must_use]
pub fn too_much_work(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::EndlessElaboration,
        "the kernel is too large or nested too deeply",
    )
    .label(span, "gave up here")
    .note("functions are inlined and `static for` is unrolled, which can multiply the code")
    .help("use `for` instead of `static for`, or fewer and smaller calls")
}

/// A tuple with more values than any program needs: tuples of tuples double with each line.
#[must_use]
pub fn large_tuple(most: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::EndlessElaboration,
        format!("this tuple has more than {most} values"),
    )
    .label(span, "gave up here")
}

/// A const defined in terms of itself.
#[must_use]
pub fn cycle(name: &str, declared: Span, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ConstCycle,
        format!("the value of `{name}` depends on itself"),
    )
    .label(span, "needed here again")
    .secondary(declared, "while computing this const")
}
