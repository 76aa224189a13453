//! What kernels are called with, as JSON, before generics are bound: `--emit signatures`. Hosts that compile on first use
//! read it to know which generics the element types of their arrays bind.

use serde::Serialize;

use super::program::Program;
use crate::syntax::ast::{
    Expr, Generic, GenericKind, Item, Kernel, Parameter, TypeExpr, TypeExprKind,
};

#[derive(Serialize)]
struct Signatures<'a> {
    /// The compiler's version: what it writes may change with it.
    compiler: &'static str,
    /// All files that were read, the first of them the one that was named.
    sources: Vec<String>,
    kernels: Vec<Signature<'a>>,
}

#[derive(Serialize)]
struct Signature<'a> {
    name: &'a str,
    docs: String,
    /// From 1, in the file that was named.
    line: u32,
    generics: Vec<GenericText<'a>>,
    parameters: Vec<ParameterText<'a>>,
}

#[derive(Serialize)]
struct GenericText<'a> {
    name: &'a str,
    /// `type` or `const`.
    kind: &'static str,
    /// The class of a type (`float`, `int`, `any`), or the type of a constant.
    of: &'a str,
    default: Option<&'a str>,
}

#[derive(Serialize)]
struct ParameterText<'a> {
    name: &'a str,
    /// `tensor`, `pointer` or `scalar`.
    kind: &'static str,
    /// The element type as written: a type, or a generic.
    element: &'a str,
    mutable: bool,
    /// The sizes of a tensor, as written.
    sizes: Vec<&'a str>,
    /// All of the type, as written.
    text: &'a str,
}

/// The signatures of the file that was named, and what it was read from.
pub fn signatures(program: &Program) -> String {
    let sources = program.sources.iter().filter_map(|(_, file)| {
        let path = file.path.as_deref()?;
        Some(path.display().to_string())
    });
    let kernels = program.tree.items.iter().filter_map(|item| match item {
        Item::Kernel(kernel) => Some(signature(program, kernel)),
        _ => None,
    });
    let all = Signatures {
        compiler: env!("CARGO_PKG_VERSION"),
        sources: sources.collect(),
        kernels: kernels.collect(),
    };
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

fn signature<'a>(program: &'a Program, kernel: &'a Kernel) -> Signature<'a> {
    let file = program.sources.get(kernel.span.file);
    Signature {
        name: &kernel.name.text,
        docs: kernel.docs.join("\n"),
        line: file.map_or(0, |file| file.location(kernel.span.start).line),
        generics: kernel
            .generics
            .iter()
            .map(|one| generic(program, one))
            .collect(),
        parameters: kernel
            .parameters
            .iter()
            .map(|one| parameter(program, one))
            .collect(),
    }
}

fn generic<'a>(program: &'a Program, generic: &'a Generic) -> GenericText<'a> {
    let (kind, of) = match &generic.kind {
        GenericKind::Type { class } => ("type", &class.text),
        GenericKind::Const { ty } => ("const", &ty.text),
    };
    GenericText {
        name: &generic.name.text,
        kind,
        of,
        default: generic.default.as_ref().map(|value| text(program, value)),
    }
}

fn parameter<'a>(program: &'a Program, parameter: &'a Parameter) -> ParameterText<'a> {
    let whole = program.sources.text(parameter.ty.span);
    let of = |ty: &'a TypeExpr| program.sources.text(ty.span);
    let (kind, element, mutable, sizes) = match &parameter.ty.kind {
        TypeExprKind::Tensor {
            mutable,
            element,
            dimensions,
            ..
        } => {
            let sizes = dimensions.iter().map(|size| text(program, size)).collect();
            ("tensor", of(element), *mutable, sizes)
        }
        TypeExprKind::Pointer { mutable, element } => {
            ("pointer", of(element), *mutable, Vec::new())
        }
        _ => ("scalar", whole, false, Vec::new()),
    };
    ParameterText {
        name: &parameter.name.text,
        kind,
        element,
        mutable,
        sizes,
        text: whole,
    }
}

fn text<'a>(program: &'a Program, expression: &Expr) -> &'a str {
    program.sources.text(expression.span)
}
