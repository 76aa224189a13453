//! Names that mean nothing, or two things.

use super::Found;
use crate::diagnostic::remark;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::Name;

/// A name that nothing in scope has. `similar` is the closest name that exists.
#[must_use]
pub fn unknown(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::UnknownName, format!("no `{name}` is known here"))
        .label(span, "not found");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic,
    }
}

/// Two definitions of one name in one scope.
#[must_use]
pub fn duplicate(name: &str, second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::DuplicateName, format!("`{name}` is defined twice"))
        .label(second, "defined again here")
        .secondary(first, "first defined here")
}

/// A name of Python, Triton or CUDA that has no one-word translation.
#[must_use]
pub fn foreign(name: &str, span: Span) -> Option<Diagnostic> {
    let help = match name {
        "threadIdx" | "blockDim" | "warp" | "lane" | "warpSize" | "laneId" | "warpId" => {
            "a program works on whole tiles: `program_id(axis)` says which, `arange(0, n)` counts inside"
        }
        "blockIdx" => "which program this is: `program_id(0)`, `program_id(1)`, `program_id(2)`",
        "tl" | "triton" => "functions and types need no prefix: `load`, `f32`",
        "gridDim" => "how many programs there are: `num_programs(0)`",
        "ones" | "ones_like" => "a tile of ones is `full([64], 1.0)`",
        "concatenate" | "concat" | "hstack" | "vstack" => {
            "two tiles one behind the other: `cat(a, b, axis)`"
        }
        "float" | "int" | "double" if span.start != span.end => {
            "a conversion is written `x as f32`; the smallest float is `-inf`"
        }
        "syncthreads" | "__syncthreads" | "debug_barrier" | "barrier" => {
            "there are no barriers: the compiler orders accesses inside a program"
        }
        "None" => "`None` stands only inside an index, as in `x[:, None]`",
        "not" => "the opposite of a truth value is written `!x`",
        "len" => "the sizes of a tensor are the names in its brackets",
        "pid" => "which program this is: `program_id(0)`, `program_id(1)`, `program_id(2)`",
        "block_idx" | "block_id" | "blockIdx_x" => {
            "which program this is: `program_id(0)`, `program_id(1)`, `program_id(2)`"
        }
        "matmul" | "mm" | "bmm" | "einsum" => "a matrix product is written `dot(a, b)`",
        "softmax" => {
            "it is written `let e = exp(x - max(x, axis = 0));` and `e / sum(e, axis = 0)`"
        }
        "transpose" | "trans" => {
            "the transpose is written `x.T`, another order of dimensions `permute(x, [1, 0, 2])`"
        }
        "atomic_inc" | "atomic_dec" | "atomic_sub" => {
            "an atomic sum is written `atomic_add(x[i], 1)`, a difference `atomic_add(x[i], -1)`"
        }
        "math" | "np" | "numpy" | "torch" => {
            "functions and constants need no prefix: `exp(x)`, `inf`"
        }
        "square" => "a square is written `x * x`",
        "var" | "variance" | "std" => {
            "a variance is written `mean(d * d)`, where `d` is `x - mean(x)`"
        }
        "norm" | "vector_norm" => "a norm is written `sqrt(sum(x * x, axis = 0))`",
        "logsumexp" => {
            "it is written `let m = max(x, axis = 0);` and `m + log(sum(exp(x - m), axis = 0))`"
        }
        "reciprocal" | "rcp" | "recip" | "frcp_rn" => {
            "it is written `1.0 / x`, or `fast.reciprocal(x)` where less will do"
        }
        "fdiv" | "fdividef" | "fast_dividef" | "div_rn" => {
            "it is written `x / y`, or `x * fast.reciprocal(y)` where less will do"
        }
        "silu" | "swish" => "it is written `x * sigmoid(x)`",
        "gelu" => "it is written `0.5 * x * (1.0 + erf(x * 0.70710678))`",
        "sign" | "sgn" => "it is written `where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))`",
        "tril" | "triu" => {
            "a mask keeps a triangle: `where(arange(0, 64)[:, None] >= arange(0, 64)[None, :], x, 0.0)`"
        }
        "outer" => "it is written `x[:, None] * y[None, :]`",
        "unsqueeze" | "expand_dims" => "a new dimension is written `x[:, None]`",
        "squeeze" | "view" | "ravel" | "flatten" => {
            "the same elements in another shape: `reshape(x, [64, 32])`"
        }
        "stack" => {
            "two tiles, element by element: `interleave(a, b)`; one behind the other: `cat(a, b, axis)`"
        }
        "astype" | "to" => "a conversion is written `x as f32`",
        "pi" | "PI" | "M_PI" | "LOG2E" | "LOG2_E" | "log2e" | "M_LOG2E" | "LN2" | "LN_2"
        | "M_LN2" => "a constant of a file is written `const PI: f32 = 3.14159265;`",
        "inf32" | "INFINITY" | "infinity" | "HUGE_VAL" => "infinity is written `inf`",
        "add" | "mul" | "multiply" => "operators have no names: `|a, b| a + b` is a function",
        _ => return None,
    };
    Some(
        Diagnostic::error(Code::UnknownName, format!("no `{name}` is known here"))
            .label(span, "not found")
            .help(help),
    )
}

/// An assignment to a name that nothing in scope has.
#[must_use]
pub fn unknown_target(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = unknown(name, span, similar);
    match similar {
        Some(_) => diagnostic,
        None => diagnostic.help(format!("a new variable is made with `let mut {name} = …;`")),
    }
}

/// A type name that does not exist.
#[must_use]
pub fn unknown_type(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::UnknownName, format!("no type `{name}` is known here"))
            .label(span, "not found");
    match name {
        "constexpr" => {
            return diagnostic.help(
                "a value known at compile time is a generic: `kernel f<const BLOCK: i32>(…)`",
            );
        }
        "usize" | "isize" => {
            return diagnostic
                .help("sizes and positions are `i32`, or `i64` where that is too small");
        }
        _ => {}
    }
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar type exists"),
        None => diagnostic.help(
            "element types are i1 i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4m3 f8e5m2",
        ),
    }
}

/// `fast.f` where no such approximate form exists; `known` are those that do.
#[must_use]
pub fn unknown_fast(name: &str, span: Span, similar: Option<&str>, known: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::UnknownName,
        format!("there is no approximate form of `{name}`"),
    )
    .label(span, "not found in `fast`");
    let help = match name {
        "div" | "divide" | "fdividef" | "fdiv" => "it is written `x * fast.reciprocal(y)`",
        "rcp" | "recip" | "inv" => "it is written `fast.reciprocal(x)`",
        "sigmoid" => "it is written `fast.reciprocal(1.0 + fast.exp(-x))`",
        "sqrt" => "it is written `x * rsqrt(x)`, where `x` is not 0",
        "rsqrt" => "`rsqrt(x)` is the instruction of the GPU",
        _ => match similar {
            Some(similar) => return diagnostic.suggest(span, similar, "a similar name exists"),
            None => return diagnostic.help(format!("`fast` has {}", remark::and(known))),
        },
    };
    diagnostic.help(help)
}

/// A kernel of a file that does not have it; there is no place in the source to point at.
#[must_use]
pub fn unknown_kernel(name: &str, similar: Option<&str>, kernels: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::UnknownName,
        format!("the file has no kernel `{name}`"),
    );
    match (similar, kernels) {
        (Some(similar), _) => diagnostic.help(format!("did you mean `{similar}`?")),
        (None, []) => diagnostic.help("the file has no kernels at all"),
        (None, _) => diagnostic.help(format!("it has {}", list(kernels))),
    }
}

/// A kernel where a value or function is expected.
#[must_use]
pub fn kernel_as_value(name: &str, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NotCallable,
        format!("the kernel `{name}` cannot be used inside a program"),
    )
    .label(span, "kernels are launched by the host")
    .secondary(declared, "defined as a kernel here")
    .help("code that several kernels share goes into a `fn`")
}

/// `x.name` that does not exist.
#[must_use]
pub fn unknown_field(base: impl Into<Found>, field: &Name) -> Diagnostic {
    let base = base.into();
    let diagnostic = Diagnostic::error(
        Code::UnknownField,
        format!("{} has no field `{}`", base.what, field.text),
    )
    .label(field.span, "no such field");
    match field.text.as_str() {
        _ if base.what.starts_with("a view") => {
            diagnostic.help("a view is a place: read its elements with `load(…)`")
        }
        "T" if base.what == "a tensor" => diagnostic.help("a tile has a transpose: `load(x[…]).T`"),
        "type" | "element_ty" | "element_type" => {
            diagnostic.suggest(field.span, "dtype", "the type of the elements is written")
        }
        "size" | "sizes" => diagnostic.suggest(field.span, "shape", "the sizes are written"),
        _ if base.what == "a tensor" => diagnostic
            .help("the sizes of a tensor are the names in its brackets, and stand alone: `m`"),
        "t" => diagnostic.suggest(field.span, "T", "the transpose is written"),
        "dtype" => diagnostic.help("name the element type as a generic: `kernel f<T: float>(…)`"),
        _ => diagnostic.help(
            "tiles have `.shape`, their sizes, `.dtype`, the type of their elements, and `.T`, their transpose",
        ),
    }
}

/// `x.to(f16)`: there are functions, no methods.
#[must_use]
pub fn no_methods(name: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::UnknownField, format!("there is no method `{name}`"))
        .label(span, "values have no methods");
    match name {
        "to" | "cast" | "astype" => diagnostic.help("a conversion is written `x as f16`"),
        "trans" | "transpose" => diagnostic.help("the transpose is written `x.T`"),
        "expand_dims" => diagnostic.help("a new dimension is written `x[:, None]`"),
        "load" => diagnostic.help("memory is read with `load(x[…])`"),
        "iter" | "map" => {
            diagnostic.help("there is nothing to walk through: functions work on whole tiles")
        }
        "size" | "len" | "dim" | "numel" | "ndim" => diagnostic
            .help("the sizes of a tensor are the names in its brackets, those of a tile `x.shape`"),
        "item" | "data_ptr" | "contiguous" | "clone" | "copy" | "unwrap" => diagnostic,
        _ => diagnostic.help(format!("functions are called as `{name}(x, …)`")),
    }
}

/// `tl.load`: builtins stand alone.
#[must_use]
pub fn no_namespace(namespace: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::UnknownName, format!("no `{namespace}` is known here"))
        .label(span, "not found")
        .suggest(span, name, "the functions of the language need no prefix")
}

/// `t.3` of a tuple with fewer parts.
#[must_use]
pub fn tuple_field_missing(index: u32, length: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownField,
        format!("the tuple has {length} parts, so there is no part {index}"),
    )
    .label(span, "counted from 0")
}

/// An argument that a function of the program does not take.
#[must_use]
pub fn unknown_argument(
    function: &str,
    argument: &str,
    span: Span,
    similar: Option<&str>,
) -> Diagnostic {
    let function = called(function);
    let diagnostic = Diagnostic::error(
        Code::WrongArguments,
        format!("{function} has no parameter `{argument}`"),
    )
    .label(span, "no such parameter");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar parameter exists"),
        None => diagnostic,
    }
}

/// The same for a function of the language; `usage` shows how it is called.
#[must_use]
pub fn unknown_builtin_argument(
    function: &str,
    argument: &str,
    span: Span,
    similar: Option<&str>,
    usage: &str,
) -> Diagnostic {
    unknown_argument(function, argument, span, similar).help(format!("it is called as `{usage}`"))
}

/// A parameter that got two arguments.
#[must_use]
pub fn argument_twice(function: &str, parameter: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::WrongArguments,
        format!("{} gets the argument `{parameter}` twice", called(function)),
    )
    .label(span, "given before")
}

/// More positional arguments than parameters.
#[must_use]
pub fn too_many_arguments(
    function: &str,
    most: usize,
    span: Span,
    declared: Option<Span>,
) -> Diagnostic {
    let plural = if most == 1 { "" } else { "s" };
    let function = called(function);
    let diagnostic = Diagnostic::error(
        Code::WrongArguments,
        format!("{function} takes {most} argument{plural}, and this is one more"),
    )
    .label(span, "one too many");
    match declared {
        Some(declared) => diagnostic.secondary(declared, "defined here"),
        None => diagnostic,
    }
}

/// A parameter without argument and default.
#[must_use]
pub fn missing_argument(
    function: &str,
    parameter: &str,
    span: Span,
    declared: Option<Span>,
) -> Diagnostic {
    let function = called(function);
    let diagnostic = Diagnostic::error(
        Code::WrongArguments,
        format!("{function} is called without its argument `{parameter}`"),
    )
    .label(span, format!("`{parameter}` is missing"));
    match declared {
        Some(declared) => diagnostic.secondary(declared, "defined here"),
        None => diagnostic,
    }
}

/// A size of a tensor named like a parameter.
#[must_use]
pub fn size_is_parameter(name: &str, span: Span, parameter: Span) -> Diagnostic {
    Diagnostic::error(
        Code::DuplicateName,
        format!("`{name}` is a parameter and a size"),
    )
    .label(span, "a name in the brackets binds a size")
    .secondary(parameter, "also a parameter")
    .help("drop the parameter: the size arrives with the tensor")
}

/// A stride named like a size.
#[must_use]
pub fn stride_is_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::DuplicateName,
        format!("`{name}` is a size and a stride"),
    )
    .label(span, "already the name of a size")
    .help("give the stride a name of its own, or leave `strides` out for a dense tensor")
}

/// A stride named like a parameter.
#[must_use]
pub fn stride_is_parameter(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::DuplicateName,
        format!("`{name}` is a parameter and a stride"),
    )
    .label(span, "a name in `strides` binds a stride")
    .help("drop the parameter: the stride arrives with the tensor")
}

/// What is called: closures have no name.
fn called(function: &str) -> String {
    if function.is_empty() {
        "this closure".to_owned()
    } else {
        format!("`{function}`")
    }
}

/// `a`, `b` and `c`
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
