//! Compiled products: what their manifests say of operands, types and layouts.

use std::fmt;
use std::path::Path;

use tile_runtime::element::ElementType;
use tile_runtime::manifest::{self, Dimension, Manifest, Parameter, Stride};

use crate::kernels::label;

/// Types and layouts: products of the same kind compute the same, and are compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// Elements of the left operand.
    pub left: ElementType,
    /// Elements of the right operand.
    pub right: ElementType,
    /// Elements of the result.
    pub out: ElementType,
    /// Whether the left operand is stored by its columns, `[k, m]`.
    pub left_by_columns: bool,
    /// Whether the right operand is stored by its columns, `[n, k]`.
    pub right_by_columns: bool,
    /// What is done to the sums, in this order.
    pub fused: Vec<Fused>,
}

impl fmt::Display for Kind {
    /// `bf16`, `f8e4m3·bᵀ→bf16`, `f16·i8 +bias +relu`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.left)?;
        if self.right != self.left {
            write!(f, "·{}", self.right)?;
        }
        if self.left_by_columns {
            f.write_str(" aᵀ")?;
        }
        if self.right_by_columns {
            f.write_str(" bᵀ")?;
        }
        if self.out != self.left {
            write!(f, "→{}", self.out)?;
        }
        for fused in &self.fused {
            write!(f, " +{}", fused.name())?;
        }
        Ok(())
    }
}

impl Kind {
    /// Products of matrices that it takes.
    #[must_use]
    pub fn products(&self) -> usize {
        1 + usize::from(self.fused.contains(&Fused::Gate))
    }
}

/// What a kernel does to the sums before it stores them; the names are those of parameters, and of a
/// part of the kernel's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fused {
    /// Times `x · sigmoid(x)` of the left operand times another right one: `gate`.
    Gate,
    /// A factor for each row: `row_scale`.
    RowScale,
    /// A factor for each column: `column_scale`.
    ColumnScale,
    /// A term for each column: `bias`.
    Bias,
    /// A term for each element: `residual`.
    Residual,
    /// `max(x, 0)`, by the kernel's name.
    Relu,
}

impl Fused {
    /// The parameters, in the order in which they are applied.
    pub const PARAMETERS: [Self; 5] = [
        Self::Gate,
        Self::RowScale,
        Self::ColumnScale,
        Self::Bias,
        Self::Residual,
    ];

    /// The parameter, or the part of the kernel's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::RowScale => "row_scale",
            Self::ColumnScale => "column_scale",
            Self::Bias => "bias",
            Self::Residual => "residual",
            Self::Relu => "relu",
        }
    }

    /// The shape of the parameter, given that of the right operand as it lies in memory.
    #[must_use]
    pub fn shape(self, m: usize, n: usize, right: &[usize]) -> Vec<usize> {
        match self {
            Self::Gate => right.to_vec(),
            Self::RowScale => vec![m],
            Self::ColumnScale | Self::Bias => vec![n],
            Self::Residual => vec![m, n],
            Self::Relu => Vec::new(),
        }
    }
}

/// A compiled product.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The file's name.
    pub label: String,
    /// The kernel's name.
    pub kernel: String,
    /// What it computes.
    pub kind: Kind,
    /// Its parameters: left, right, result.
    pub names: [String; 3],
    /// Elements of the parameters that are fused, as in [`Kind::fused`].
    pub elements: Vec<ElementType>,
}

impl Subject {
    /// The product of a file with one kernel, `a` by `b` to `c`.
    ///
    /// # Errors
    /// If it is no such kernel, in words.
    pub fn of_file(path: &Path, ptx: &str) -> Result<Self, String> {
        let label = label(path);
        let manifest = Manifest::from_ptx(ptx).map_err(|error| format!("{label}: {error}"))?;
        let [kernel] = manifest.kernels.as_slice() else {
            return Err(format!("{label} has several kernels"));
        };
        Self::of_kernel(&label, kernel).map_err(|why| format!("{label}: {why}"))
    }

    fn of_kernel(label: &str, kernel: &manifest::Kernel) -> Result<Self, String> {
        let parameter = |name: &str| {
            let mut parameters = kernel.parameters.iter();
            parameters.find(|parameter| parameter.name() == name)
        };
        let matrix = |name: &str| match parameter(name) {
            Some(Parameter::Tensor {
                dimensions,
                strides,
                element,
                ..
            }) if strides.iter().all(|stride| *stride == Stride::Dense) => {
                match dimensions.as_slice() {
                    [Dimension::Named(rows), Dimension::Named(columns)] => {
                        Ok((*element, rows.clone(), columns.clone()))
                    }
                    _ => Err(format!("`{name}` is no matrix of two sizes with names")),
                }
            }
            _ => Err(format!("it has no dense matrix `{name}`")),
        };
        let (left, a0, a1) = matrix("a")?;
        let (right, b0, b1) = matrix("b")?;
        let (out, m, n) = matrix("c")?;
        let side = |outer: &str, inner: &str, kept: &str| {
            if outer == kept {
                Ok((inner.to_owned(), false))
            } else if inner == kept {
                Ok((outer.to_owned(), true))
            } else {
                Err(format!("`c` is not `{kept}` of an operand"))
            }
        };
        let (left_k, left_by_columns) = side(&a0, &a1, &m)?;
        // Seen from its columns, B is to N what A is to M.
        let (right_k, right_by_rows) = side(&b0, &b1, &n)?;
        if left_k != right_k {
            return Err(format!("`a` has {left_k} to sum and `b` has {right_k}"));
        }
        let (mut fused, mut elements) = (Vec::new(), Vec::new());
        for one in Fused::PARAMETERS {
            if let Some(parameter) = parameter(one.name()) {
                fused.push(one);
                elements.push(parameter.element());
            }
        }
        if kernel.parameters.len() != 3 + fused.len() {
            return Err("it takes what is not known here".to_owned());
        }
        if kernel.name.contains(Fused::Relu.name()) {
            fused.push(Fused::Relu);
        }
        Ok(Self {
            label: label.to_owned(),
            kernel: kernel.name.clone(),
            kind: Kind {
                left,
                right,
                out,
                left_by_columns,
                right_by_columns: !right_by_rows,
                fused,
            },
            names: ["a", "b", "c"].map(str::to_owned),
            elements,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, parameters: &str) -> manifest::Kernel {
        let text = format!(
            r#"{{"name": "{name}", "parameters": [{parameters}], "arguments": [], "variants": []}}"#
        );
        serde_json::from_str(&text).expect("a kernel")
    }

    fn tensor(name: &str, element: &str, sizes: [&str; 2]) -> String {
        let [rows, columns] = sizes;
        format!(
            r#"{{"kind": "tensor", "name": "{name}", "element": "{element}", "mutable": false,
                "dimensions": [{{"named": "{rows}"}}, {{"named": "{columns}"}}], "strides": ["dense", "dense"]}}"#
        )
    }

    fn product(name: &str, b: [&str; 2], more: &str) -> Result<Subject, String> {
        let a = tensor("a", "bf16", ["m", "k"]);
        let b = tensor("b", "bf16", b);
        let c = tensor("c", "f32", ["m", "n"]);
        Subject::of_kernel("file", &kernel(name, &format!("{a}, {b}, {c}{more}")))
    }

    #[test]
    fn sizes_tell_how_the_operands_lie() {
        let subject = product("mm", ["k", "n"], "").expect("a product");
        assert_eq!(subject.kind.to_string(), "bf16→f32");
        let subject = product("mm", ["n", "k"], "").expect("a product");
        assert_eq!(subject.kind.to_string(), "bf16 bᵀ→f32");
        let why = product("mm", ["n", "m"], "").expect_err("no product");
        assert_eq!(why, "`a` has k to sum and `b` has m");
    }

    #[test]
    fn what_is_fused_is_known_by_name_and_nothing_else_is_taken() {
        let residual = format!(", {}", tensor("residual", "bf16", ["m", "n"]));
        let subject = product("mm_relu", ["k", "n"], &residual).expect("a product");
        assert_eq!(subject.kind.to_string(), "bf16→f32 +residual +relu");
        let other = format!(", {}", tensor("mask", "bf16", ["m", "n"]));
        let why = product("mm", ["k", "n"], &other).expect_err("unknown");
        assert_eq!(why, "it takes what is not known here");
    }
}
