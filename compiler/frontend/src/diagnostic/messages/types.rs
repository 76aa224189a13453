//! Values of the wrong type, and operators that do not exist for a type.

use tile_runtime::element::ElementType;

use super::Found;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::BinaryOperator;
use crate::typed::{Constant, Element, ValueType};

/// Why an operator does not exist for a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// Bits of floats.
    IntegersOnly,
    /// Sums of truth values.
    NotOnBool,
}

/// Why a literal cannot have a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// Too small or too large.
    OutOfRange,
    /// A number with a point where an integer is expected.
    FloatForInteger,
}

/// Why two types have no common type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPromotion {
    /// `/` and `%` of a signed and an unsigned integer.
    MixedSigns,
    /// fp8 and an integer.
    Fp8AndInteger,
}

/// Something other than what a construct needs; `wanted` as in "a tuple".
#[must_use]
pub fn expected(found: impl Into<Found>, wanted: &str) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::TypeMismatch,
        format!("expected {wanted}, found {}", found.what),
    )
    .label(found.span, format!("expected {wanted}"));
    match found.what.starts_with("the type") && wanted.contains("integer") {
        true => diagnostic.help(GENERIC_NUMBER),
        false => diagnostic,
    }
}

/// `kernel f<N>`: without `const` a generic is a type.
pub(super) const GENERIC_NUMBER: &str =
    "a generic that is a number is declared `const N: i32`; without `const` it is a type";

/// Something other than the type that was declared.
#[must_use]
pub fn mismatch(wanted: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::TypeMismatch,
        format!("expected `{wanted}`, found {}", found.what),
    )
    .label(found.span, format!("expected `{wanted}`"));
    match conversion(wanted, found.what.trim_matches('`')) {
        Some(element) => diagnostic.help(format!("convert it: `… as {element}`")),
        None if found.what.starts_with("`()`") => with_view_help(diagnostic, &found),
        None => diagnostic,
    }
}

/// The element to convert to, if that is all that two types differ in.
fn conversion<'t>(wanted: &'t str, found: &str) -> Option<&'t str> {
    let parts = |ty: &'_ str| -> Option<(usize, usize)> {
        match ty.strip_prefix("tile<") {
            Some(rest) => Some((5, 5 + rest.find('>')?)),
            None => Some((0, ty.len())),
        }
    };
    let ((start, end), (other_start, other_end)) = (parts(wanted)?, parts(found)?);
    let (element, other) = (wanted.get(start..end)?, found.get(other_start..other_end)?);
    let same_shape = wanted.get(end..)? == found.get(other_end..)? && start == other_start;
    let numbers = element.parse::<ElementType>().is_ok() && other.parse::<ElementType>().is_ok();
    (same_shape && numbers).then_some(element)
}

/// Elements of another type where nothing is converted by itself; `what` names what has the wanted
/// element.
#[must_use]
pub fn element_mismatch(
    what: &str,
    wanted: ElementType,
    found: &ValueType,
    span: Span,
) -> Diagnostic {
    let label = if found.shape.is_empty() {
        format!("this is `{found}`")
    } else {
        format!("its elements are `{}`, not `{wanted}`", found.element)
    };
    Diagnostic::error(
        Code::TypeMismatch,
        format!("expected `{wanted}` for {what}, found `{found}`"),
    )
    .label(span, label)
    .help(format!("convert it: `… as {wanted}`"))
}

/// Something that has no value at run time.
#[must_use]
pub fn expected_value(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::NotAValue,
        format!("expected a value, found {}", found.what),
    )
    .label(found.span, "not a value");
    with_view_help(diagnostic, &found)
}

/// Something that is no number.
#[must_use]
pub fn expected_number(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::NotAValue,
        format!(
            "expected a number or a tile of numbers, found {}",
            found.what
        ),
    )
    .label(found.span, "not a number");
    with_view_help(diagnostic, &found)
}

fn with_view_help(diagnostic: Diagnostic, found: &Found) -> Diagnostic {
    match found.what.as_str() {
        what if what.starts_with("a view") => {
            diagnostic.help("a view is a place: read its elements with `load(…)`")
        }
        "a tensor" => diagnostic
            .help("choose a part of it and read that: `load(x[i +: WIDTH])`")
            .help("positions of your own, scalars or tiles, stand in the brackets: `load(x[offsets])`"),
        "`()`, no value" => {
            diagnostic.help("the value of a function is its last expression, without `;`")
        }
        what if what.starts_with("the tuple") => {
            diagnostic.help("take its parts: `let (a, b) = …;`, or `.0` and `.1`")
        }
        what if what.starts_with("the function") => diagnostic.help("call it: `f(…)`"),
        _ => diagnostic,
    }
}

/// A position, limit or axis that is no integer scalar.
#[must_use]
pub fn expected_index(what: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!("{what} must be an integer, found {}", found.what),
    )
    .label(found.span, "not an integer scalar")
}

/// A literal that its type cannot hold; `range` says what it can, as in "-128 to 127".
#[must_use]
pub fn literal_misfit(
    value: Constant,
    element: ElementType,
    misfit: Misfit,
    range: &str,
    span: Span,
) -> Diagnostic {
    let shown = match value {
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
    };
    match misfit {
        Misfit::FloatForInteger => {
            Diagnostic::error(Code::TypeMismatch, format!("`{shown}` is no `{element}`"))
                .label(span, format!("expected an integer of type `{element}`"))
        }
        Misfit::OutOfRange => {
            let diagnostic = Diagnostic::error(
                Code::LiteralOutOfRange,
                format!("`{shown}` does not fit `{element}`"),
            )
            .label(span, "out of range")
            .note(format!("`{element}` holds {range}"));
            match element {
                ElementType::I32 => diagnostic.help("write `… as i64` for a wider integer"),
                ElementType::F32 => diagnostic.help("write `… as f64` for a wider number"),
                _ => diagnostic,
            }
        }
    }
}

/// Two operands that promotion does not bring together.
#[must_use]
pub fn no_common_type(
    what: &str,
    left: impl Into<Found>,
    right: impl Into<Found>,
    problem: NoPromotion,
) -> Diagnostic {
    let (left, right) = (left.into(), right.into());
    let diagnostic = Diagnostic::error(
        Code::NoCommonType,
        format!(
            "`{what}` has no common type for {} and {}",
            left.what, right.what
        ),
    )
    .label(right.span, format!("this is {}", right.what))
    .secondary(left.span, format!("this is {}", left.what));
    match problem {
        NoPromotion::MixedSigns => diagnostic
            .note("division of a signed by an unsigned integer could mean two things")
            .help("convert one side with `as`"),
        NoPromotion::Fp8AndInteger => {
            diagnostic.help("convert one side with `as`, for instance to `f32`")
        }
    }
}

/// An operator that the (common) type does not have.
#[must_use]
pub fn operator_undefined(
    operator: BinaryOperator,
    left: impl Into<Found>,
    right: impl Into<Found>,
    problem: Undefined,
    span: Span,
) -> Diagnostic {
    let (left, right, symbol) = (left.into(), right.into(), operator.symbol());
    let diagnostic = Diagnostic::error(
        Code::OperatorUndefined,
        format!(
            "`{symbol}` does not exist for {} and {}",
            left.what, right.what
        ),
    )
    .label(span, "");
    match problem {
        Undefined::IntegersOnly => {
            diagnostic.help(format!("`{symbol}` works on the bits of integers"))
        }
        Undefined::NotOnBool => diagnostic
            .help("truth values combine with `&`, `|` and `^`; to count them write `… as i32`"),
    }
}

/// `-x` of something that has no sign.
#[must_use]
pub fn negate_undefined(found: impl Into<Found>, span: Span) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::OperatorUndefined,
        format!("`-` does not exist for {}", found.what),
    )
    .label(span, "has no sign");
    if found.what.contains("i1") || found.what.contains("bool") {
        diagnostic.help("the opposite of a truth value is written `!x`")
    } else {
        // One that holds all values of the type, but of `u64`.
        let signed = match found.what.trim_matches('`') {
            of if of.contains("u64") => {
                "convert to a signed type first, where numbers are below 2^63: `-(x as i64)`"
            }
            of if of.contains("u32") => "convert to a signed type first: `-(x as i64)`",
            _ => "convert to a signed type first: `-(x as i32)`",
        };
        diagnostic.help(signed)
    }
}

/// `!x` of floats.
#[must_use]
pub fn not_undefined(found: impl Into<Found>, span: Span) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::OperatorUndefined,
        format!("`!` does not exist for {}", found.what),
    )
    .label(span, "not an integer or truth value")
}

/// An address where a number is needed.
#[must_use]
pub fn pointer_in_arithmetic(what: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::OperatorUndefined,
        format!("`{what}` does not exist for {}", found.what),
    )
    .label(found.span, "an address, not a number")
    .help("read what it points to with `load(…)`")
}

/// An operator on an address other than `+` and `-` of an integer.
#[must_use]
pub fn pointer_operator(
    operator: BinaryOperator,
    left: impl Into<Found>,
    right: impl Into<Found>,
    span: Span,
) -> Diagnostic {
    let (left, right, symbol) = (left.into(), right.into(), operator.symbol());
    Diagnostic::error(
        Code::OperatorUndefined,
        format!(
            "`{symbol}` does not exist for {} and {}",
            left.what, right.what
        ),
    )
    .label(span, "")
    .help(
        "`p + i` and `p - i` count in elements; addresses of one type have an order and a distance, \
         `p - q`",
    )
}

/// An offset that is no integer.
#[must_use]
pub fn pointer_offset(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!(
            "an offset of a pointer must be an integer, found {}",
            found.what
        ),
    )
    .label(found.span, "counts elements")
}

/// A name that is no type.
#[must_use]
pub fn not_a_type(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::TypeMismatch, format!("`{name}` is no type"))
        .label(span, "expected an element type such as `f32`")
}

/// A pointer, tile or tensor type where an element type is needed.
#[must_use]
pub fn expected_element_type(span: Span) -> Diagnostic {
    Diagnostic::error(Code::TypeMismatch, "expected an element type such as `f32`")
        .label(span, "not an element type")
}

/// `tensor<x.dtype>` in a kernel's parameters.
#[must_use]
pub fn element_type_of_parameter(span: Span) -> Diagnostic {
    expected_element_type(span)
        .help("parameters of one type share a generic: `kernel f<T: float>(x: tensor<T>[n], y: mut tensor<T>[n])`")
}

/// `tensor<…>` outside of a kernel's parameters.
#[must_use]
pub fn tensor_type_here(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        "only parameters of kernels have a tensor type",
    )
    .label(span, "not a kernel's parameter")
    .help("leave the type out: functions take tensors and views as they are")
}

/// A kernel parameter of a type that a host cannot pass.
#[must_use]
pub fn parameter_type(name: &str, what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("the parameter `{name}` of a kernel cannot be {what}"),
    )
    .label(span, "expected a scalar, a `ptr` or a `tensor`")
}

/// `as` from something that is no number.
#[must_use]
pub fn cannot_cast(found: impl Into<Found>, element: ElementType) -> Diagnostic {
    let found = found.into();
    let diagnostic = Diagnostic::error(
        Code::InvalidCast,
        format!("{} cannot become `{element}`", found.what),
    )
    .label(found.span, "not a number");
    if found.what.contains("ptr<") {
        return diagnostic.help("an address is 64 bits: `as i64`");
    }
    with_view_help(diagnostic, &found)
}

/// `as ptr<…>` from something that is no address.
#[must_use]
pub fn cannot_become_pointer(wanted: Element, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::InvalidCast,
        format!("{} cannot become `{wanted}`", found.what),
    )
    .label(found.span, "neither an address nor 64 bits")
    .help("addresses come from other addresses, `i64` and `u64`")
}

/// `as mut ptr<…>` from a pointer that is not `mut`.
#[must_use]
pub fn pointer_becomes_mutable(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::InvalidCast,
        format!("{} cannot become `mut`", found.what),
    )
    .label(found.span, "only read through")
    .help("declare the parameter as `mut ptr<…>`")
}

/// `bitcast` between types of different widths.
#[must_use]
pub fn bitcast_width(from: ElementType, to: ElementType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::InvalidCast,
        format!(
            "`bitcast` keeps all bits, but `{from}` has {} and `{to}` has {}",
            from.bits(),
            to.bits()
        ),
    )
    .label(span, "")
    .help(format!("a conversion of the value is written `x as {to}`"))
}

/// A call of something that is no function.
#[must_use]
pub fn not_callable(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::NotCallable,
        format!("{} cannot be called", found.what),
    )
    .label(found.span, "not a function")
}

/// `f32(x)`
#[must_use]
pub fn type_called(element: ElementType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NotCallable,
        format!("the type `{element}` cannot be called"),
    )
    .label(span, "not a function")
    .help(format!("a conversion is written `x as {element}`"))
}

/// `x[…]` of something without parts.
#[must_use]
pub fn not_indexable(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!("{} cannot be indexed", found.what),
    )
    .label(found.span, "expected a tensor or a tile")
}

/// A pattern of several names for something of another number of parts.
#[must_use]
pub fn pattern_mismatch(names: usize, pattern: Span, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!("expected a tuple of {names} parts, found {}", found.what),
    )
    .label(found.span, format!("this is {}", found.what))
    .secondary(pattern, format!("takes {names} parts"))
}

/// `let x = store(…);`
#[must_use]
pub fn binding_of_nothing(span: Span) -> Diagnostic {
    Diagnostic::error(Code::NotAValue, "this has no value to give a name to")
        .label(span, "gives `()`")
}

/// A float function of integers.
#[must_use]
pub fn float_function(function: &str, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!("`{function}` needs floats, found {}", found.what),
    )
    .label(found.span, "not a float")
    .help("convert it: `… as f32`")
}

/// `where(c, …)` whose condition is no truth value.
#[must_use]
pub fn where_condition(found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    Diagnostic::error(
        Code::TypeMismatch,
        format!(
            "the condition of `where` must be of `i1`, found {}",
            found.what
        ),
    )
    .label(found.span, "not a truth value")
    .help("compare: `where(x != 0, …)`")
}

/// `any` or `all` of numbers.
#[must_use]
pub fn reduce_booleans(function: &str, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("`{function}` needs a tile of `i1`, found `{found}`"),
    )
    .label(span, "not truth values")
    .help(format!("compare first: `{function}(x != 0)`"))
}

/// `xor_sum` of floats.
#[must_use]
pub fn reduce_integers(function: &str, found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("`{function}` needs integers, found `{found}`"),
    )
    .label(span, "not integers")
}

/// `mean` of integers.
#[must_use]
pub fn mean_of_integers(found: &ValueType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("`mean` needs floats, found `{found}`"),
    )
    .label(span, "not floats")
    .help("convert first: `mean(x as f32)`")
}

/// An atomic access to elements that hardware has none for.
#[must_use]
pub fn no_atomic(name: &str, element: ElementType, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TypeMismatch,
        format!("`{name}` does not work on `{element}`"),
    )
    .label(span, format!("points to `{element}`"))
    .help("32- and 64-bit numbers can be accessed atomically; `f16` and `bf16` added to; 16 bits compared and exchanged")
}

/// Operands that no tensor core multiplies.
#[must_use]
pub fn dot_elements(
    (left, left_span): (ElementType, Span),
    (right, right_span): (ElementType, Span),
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::NoCommonType,
        format!("`dot` does not multiply `{left}` by `{right}`"),
    )
    .label(right_span, format!("elements are `{right}`"))
    .secondary(left_span, format!("elements are `{left}`"))
    .note("it multiplies f16, bf16, f32, f64 or i8 by the same, and any two fp8 types");
    if left == right {
        diagnostic.help("convert both sides with `as`")
    } else {
        diagnostic.help(format!(
            "convert one side with `as`, for instance `… as {left}`"
        ))
    }
}

/// A combiner of another number of parameters than 2.
#[must_use]
pub fn combiner_parameters(function: &str, takes: usize, span: Span) -> Diagnostic {
    let plural = if takes == 1 { "" } else { "s" };
    Diagnostic::error(
        Code::WrongArguments,
        format!("the function of `{function}` must take 2 arguments, this takes {takes}"),
    )
    .label(span, format!("takes {takes} argument{plural}"))
    .note("it combines two partial results into one: `|a, b| a + b`")
    .help("several tiles are combined as tuples: `|(a, b), (c, d)| (a + c, b + d)`")
}

/// A combiner that gives something else than it takes.
#[must_use]
pub fn combiner_result(wanted: usize, found: impl Into<Found>) -> Diagnostic {
    let found = found.into();
    let parts = if wanted == 1 {
        "one value".to_owned()
    } else {
        format!("a tuple of {wanted} values")
    };
    Diagnostic::error(
        Code::TypeMismatch,
        format!(
            "the function of `reduce` must give {parts}, found {}",
            found.what
        ),
    )
    .label(found.span, format!("must give {parts}"))
    .note("it combines two partial results, which look like its inputs, into one that does too")
}
