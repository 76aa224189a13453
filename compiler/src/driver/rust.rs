//! What `--emit rust` writes: a Rust module with the PTX and a function for each kernel.

use std::collections::HashSet;
use std::fmt::Write;

use tile_runtime::element::ElementType;
use tile_runtime::manifest::{Kernel, Manifest, Parameter};

/// Names that cannot be those of a parameter: strict and reserved words (Rust reference, "Keywords"), and what the functions
/// call their own.
const TAKEN: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "grid", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "stream", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The module.
pub fn module(ptx: &str, manifest: &Manifest) -> String {
    let mut types = HashSet::from(["Kernels".to_owned()]);
    let mut fields = HashSet::new();
    let kernels: Vec<Names<'_>> = manifest
        .kernels
        .iter()
        .map(|kernel| Names {
            kernel,
            ty: unique(camel(&kernel.name), &mut types),
            field: unique(kernel.name.clone(), &mut fields),
        })
        .collect();
    let mut text = format!(
        "// Written by {} (`tilec build {} --emit rust`): changes belong there.\n\n\
         /// The compiled kernels of `{1}`, for `{}` and what runs its code.\n",
        manifest.compiler, manifest.source, manifest.target
    );
    let marks = "#".repeat(longest_marks(ptx) + 1);
    let _ = writeln!(text, "pub const PTX: &str = r{marks}\"{ptx}\"{marks};\n");
    let _ = writeln!(
        text,
        "/// The kernels of `{}`, loaded on a device.\n#[derive(Debug)]\n#[allow(dead_code)]\npub struct Kernels {{",
        manifest.source
    );
    for names in &kernels {
        let signature = names.signature();
        let _ = writeln!(
            text,
            "    /// {signature}\n    pub {}: {},",
            names.field, names.ty
        );
    }
    text.push_str(
        "}\n\nimpl Kernels {\n    /// Loads them.\n    ///\n    /// # Errors\n    /// If the device does not run code of this \
         target, or refuses it.\n    pub fn load(device: &::tile_runtime::device::Device) -> Result<Self, ::tile_runtime::Error> \
         {\n        let program = device.load(PTX)?;\n        Ok(Self {\n",
    );
    for names in &kernels {
        let _ = writeln!(
            text,
            "            {}: {}(::tile_runtime::typed::Kernel::of(&program, {:?})?),",
            names.field, names.ty, names.kernel.name
        );
    }
    text.push_str("        })\n    }\n}\n");
    for names in &kernels {
        text.push_str(&names.definition());
    }
    text
}

/// A kernel with its names in Rust.
struct Names<'a> {
    kernel: &'a Kernel,
    ty: String,
    field: String,
}

impl Names<'_> {
    /// `scale(x: tensor<f32>[n], …)`, as code.
    fn signature(&self) -> String {
        let parameters = self.kernel.parameters.iter().map(Parameter::to_string);
        let parameters: Vec<String> = parameters.collect();
        format!("`{}({})`", self.kernel.name, parameters.join(", "))
    }

    fn definition(&self) -> String {
        let (kernel, ty) = (self.kernel, &self.ty);
        let mut text = String::from("\n");
        for line in kernel.docs.lines() {
            let _ = writeln!(text, "{}", format!("/// {line}").trim_end());
        }
        if !kernel.docs.is_empty() {
            text.push_str("///\n");
        }
        let _ = writeln!(text, "/// {}", self.signature());
        if !kernel.generics.is_empty() {
            let generics = kernel.generics.iter();
            let generics: Vec<String> = generics
                .map(|(name, value)| format!("`{name} = {value}`"))
                .collect();
            let _ = writeln!(text, "///\n/// Compiled with {}.", generics.join(", "));
        }
        let _ = writeln!(
            text,
            "#[derive(Debug)]\npub struct {ty}(::tile_runtime::typed::Kernel);\n\n#[allow(dead_code)]\nimpl {ty} {{"
        );
        text.push_str(
            "    /// Starts it on a stream. What is wrong with the sizes is found before.\n    ///\n    /// # Errors\n    \
             /// If sizes or strides do not suit the kernel, or the device refuses.\n",
        );
        let mut taken = HashSet::new();
        let parameters = kernel.parameters.iter();
        let parameters: Vec<(String, &Parameter)> = parameters
            .map(|parameter| (unique(parameter.name().to_owned(), &mut taken), parameter))
            .collect();
        if parameters.len() + usize::from(kernel.grid.is_none()) > 5 {
            text.push_str("    #[allow(clippy::too_many_arguments)]\n");
        }
        text.push_str("    pub fn launch(\n        &self,\n        stream: &::tile_runtime::device::Stream,\n");
        if kernel.grid.is_none() {
            text.push_str("        grid: &[i64],\n");
        }
        for (name, parameter) in &parameters {
            let _ = writeln!(text, "        {name}: {},", declared(parameter));
        }
        let call = match kernel.grid {
            Some(_) => "launch(stream, ",
            None => "launch_on_grid(stream, grid, ",
        };
        let _ = writeln!(
            text,
            "    ) -> Result<(), ::tile_runtime::Error> {{\n        self.0.{call}&["
        );
        for (name, parameter) in &parameters {
            let argument = match parameter {
                Parameter::Scalar { .. } => {
                    format!("::tile_runtime::typed::Argument::scalar({name})")
                }
                _ if parameter.is_mutable() => format!("{name}.argument_mut()"),
                _ => format!("{name}.argument()"),
            };
            let _ = writeln!(text, "            {argument},");
        }
        text.push_str(
            "        ])\n    }\n\n    /// The kernel without types: its manifest, occupancy, and launches that are prepared.\n    \
             #[must_use]\n    pub const fn untyped(&self) -> &::tile_runtime::program::Kernel {\n        self.0.untyped()\n    }\n}\n",
        );
        text
    }
}

/// The type of a parameter in Rust. A pointer is to the first of any number of elements.
fn declared(parameter: &Parameter) -> String {
    let element = native(parameter.element());
    let reference = if parameter.is_mutable() { "&mut " } else { "&" };
    match parameter {
        Parameter::Scalar { .. } => element.to_owned(),
        Parameter::Pointer { .. } => {
            format!("{reference}::tile_runtime::typed::Tensor<{element}, 1>")
        }
        Parameter::Tensor { dimensions, .. } => format!(
            "{reference}::tile_runtime::typed::Tensor<{element}, {}>",
            dimensions.len()
        ),
    }
}

const fn native(element: ElementType) -> &'static str {
    match element {
        ElementType::I1 => "bool",
        ElementType::I8 => "i8",
        ElementType::I16 => "i16",
        ElementType::I32 => "i32",
        ElementType::I64 => "i64",
        ElementType::U8 => "u8",
        ElementType::U16 => "u16",
        ElementType::U32 => "u32",
        ElementType::U64 => "u64",
        ElementType::F16 => "::tile_runtime::element::f16",
        ElementType::BF16 => "::tile_runtime::element::bf16",
        ElementType::F32 => "f32",
        ElementType::F64 => "f64",
        ElementType::F8E4M3 => "::tile_runtime::tensor::F8E4M3",
        ElementType::F8E5M2 => "::tile_runtime::tensor::F8E5M2",
    }
}

/// `row_max` as `RowMax`.
fn camel(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        format!("{}{rest}", first.to_uppercase())
    });
    let name: String = words.collect();
    match name.starts_with(|first: char| first.is_alphabetic()) {
        true => name,
        false => format!("K{name}"),
    }
}

/// The name, with underscores behind it where it is taken.
fn unique(mut name: String, taken: &mut HashSet<String>) -> String {
    while TAKEN.contains(&name.as_str()) || !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// The most `#` in a row behind a quote, which a raw string must outdo.
fn longest_marks(text: &str) -> usize {
    let behind = text.split('"').skip(1);
    behind
        .map(|rest| rest.bytes().take_while(|byte| *byte == b'#').count())
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_rust() {
        assert_eq!(camel("row_max"), "RowMax");
        assert_eq!(camel("_2d"), "K2d");
        let mut taken = HashSet::new();
        assert_eq!(unique("type".to_owned(), &mut taken), "type_");
        assert_eq!(unique("a".to_owned(), &mut taken), "a");
        assert_eq!(unique("a".to_owned(), &mut taken), "a_");
    }

    #[test]
    fn raw_strings_end_where_they_should() {
        assert_eq!(longest_marks("a#b"), 0);
        assert_eq!(longest_marks("\"##\" \"#"), 2);
    }
}
