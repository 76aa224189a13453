//! Generics of kernels and functions, and their values on the command line.

use tile_runtime::element::ElementType;

use crate::diagnostic::{Code, Diagnostic, Span};

/// Where the generics of a kernel are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// With `-D`.
    CommandLine,
    /// In a launch of a test.
    Launch,
}

impl Bound {
    /// `-D N=64` or `N = 64`
    fn written(self, name: &str, value: &str) -> String {
        match self {
            Self::CommandLine => format!("-D {name}={value}"),
            Self::Launch => format!("{name} = {value}"),
        }
    }

    fn missing(self, name: &str, example: &str) -> String {
        let place = match self {
            Self::CommandLine => "on the command line",
            Self::Launch => "in the launch, behind its arguments",
        };
        format!("give one {place}: `{}`", self.written(name, example))
    }
}

/// A type generic without a value and default.
#[must_use]
pub fn missing_type(name: &str, class: &str, bound: Bound, span: Span) -> Diagnostic {
    let example = if class == "int" { "i32" } else { "f16" };
    Diagnostic::error(
        Code::MissingGeneric,
        format!("the generic `{name}` has no value"),
    )
    .label(span, format!("a type of class `{class}` is needed"))
    .help(bound.missing(name, example))
    .help(format!("or a default: `{name}: {class} = {example}`"))
}

/// A const generic without a value and default.
#[must_use]
pub fn missing_const(name: &str, ty: &str, bound: Bound, span: Span) -> Diagnostic {
    let example = match ty {
        "bool" | "i1" => "true",
        "str" => "text",
        "f32" | "f64" | "f16" | "bf16" => "1.0",
        _ => "64",
    };
    Diagnostic::error(
        Code::MissingGeneric,
        format!("the const `{name}` has no value"),
    )
    .label(span, format!("a value of type `{ty}` is needed"))
    .help(match bound {
        Bound::CommandLine => bound.missing(name, example),
        Bound::Launch => bound.missing(name, &quoted(example, ty)),
    })
    .help(format!(
        "or a default: `const {name}: {ty} = {}`",
        quoted(example, ty)
    ))
}

fn quoted(example: &str, ty: &str) -> String {
    if ty == "str" {
        format!("{example:?}")
    } else {
        example.to_owned()
    }
}

/// `-D` of something the kernel does not have.
#[must_use]
pub fn unknown_binding(
    name: &str,
    kernel: &str,
    span: Span,
    similar: Option<&str>,
    names: &[&str],
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::BadBinding,
        format!("`-D {name}` names no generic of the kernel `{kernel}`"),
    )
    .label(span, "this kernel");
    match (similar, names) {
        (Some(similar), _) => diagnostic.help(format!("did you mean `-D {similar}`?")),
        (None, []) => diagnostic.note("it has no generics"),
        (None, _) => diagnostic.note(format!("its generics are {}", names.join(", "))),
    }
}

/// `-D T=text` that is no type.
#[must_use]
pub fn bad_type_text(
    name: &str,
    text: &str,
    bound: Bound,
    span: Span,
    similar: Option<&str>,
) -> Diagnostic {
    let written = bound.written(name, text);
    let diagnostic = Diagnostic::error(
        Code::BadBinding,
        format!("`{written}`: `{text}` is no element type"),
    )
    .label(span, "bound here");
    match similar {
        Some(similar) => {
            diagnostic.help(format!("did you mean `{}`?", bound.written(name, similar)))
        }
        None => diagnostic,
    }
}

/// `-D N=text` that is no value of the const's type.
#[must_use]
pub fn bad_const_text(name: &str, ty: &str, text: &str, bound: Bound, span: Span) -> Diagnostic {
    let written = bound.written(name, text);
    Diagnostic::error(
        Code::BadBinding,
        format!("`{written}`: `{text}` is no `{ty}`"),
    )
    .label(span, "bound here")
}

/// A type that is not of the class.
#[must_use]
pub fn wrong_class(element: ElementType, class: &str, span: Span) -> Diagnostic {
    let members: Vec<&str> = ElementType::ALL
        .iter()
        .filter(|element| match class {
            "float" => element.is_float(),
            _ => element.is_integer() && **element != ElementType::I1,
        })
        .map(|element| element.name())
        .collect();
    Diagnostic::error(
        Code::BadBinding,
        format!("`{element}` is not of the class `{class}`"),
    )
    .label(span, format!("expected a type of class `{class}`"))
    .note(format!("`{class}` stands for {}", members.join(", ")))
}

/// A class that does not exist.
#[must_use]
pub fn unknown_class(class: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownName,
        format!("no class of types `{class}` exists"),
    )
    .label(span, "not found")
    .help("the classes are `float`, `int` and `any`")
}

/// `const N: tile`
#[must_use]
pub fn unknown_const_type(ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownName,
        format!("a const cannot have the type `{ty}`"),
    )
    .label(
        span,
        "expected `i32`, `f32`, `bool`, `str` or another scalar type",
    )
}

/// A generic of a function that no argument determines.
#[must_use]
pub fn not_inferred(function: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::MissingGeneric,
        format!("the generic `{name}` of `{function}` is not determined by the arguments"),
    )
    .label(span, "declared here")
    .help(format!("name it in the call: `{function}(…, {name} = …)`"))
}

/// `tune` of something the kernel does not have.
#[must_use]
pub fn unknown_tune(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::BadTune, format!("`tune {name}` names no generic"))
        .label(span, "not found");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar generic exists"),
        None => diagnostic.help(format!("declare it: `const {name}: i32`")),
    }
}

/// Two `tune` clauses for one generic.
#[must_use]
pub fn tuned_twice(name: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::BadTune, format!("`{name}` is tuned twice"))
        .label(second, "again here")
        .secondary(first, "first here")
        .help("put all values into one list")
}

/// `tune N in []`
#[must_use]
pub fn empty_tune(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadTune, format!("`tune {name}` has no values"))
        .label(span, "nothing to try")
}
