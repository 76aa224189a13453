//! What the author calls a value: operations carry the place of the expression they come from, and the
//! typed program says which variable that expression is assigned to.

use std::collections::HashMap;

use crate::diagnostic::Span;
use crate::source::SourceMap;
use crate::typed::{Element, Expr, Kernel, Stmt, StmtKind, ValueType, VariableId};

/// Characters of an expression that are shown.
const LONGEST: usize = 40;

/// The expressions of a kernel by their places.
pub struct Names<'a> {
    sources: &'a SourceMap,
    /// Types of the expressions at a place: an expression and its conversion may share it.
    types: HashMap<Span, Vec<ValueType>>,
    /// Variables that the expression at a place is assigned to.
    variables: HashMap<Span, Vec<String>>,
}

impl<'a> Names<'a> {
    /// Those of a kernel.
    #[must_use]
    pub fn of(sources: &'a SourceMap, kernel: &Kernel) -> Self {
        let mut names = Self {
            sources,
            types: HashMap::new(),
            variables: HashMap::new(),
        };
        names.statements(kernel, &kernel.body.statements);
        names
    }

    /// The type, in the language's spelling, of the expression at a place that has this shape and an
    /// element of so many bits; `None` where there is none, as for the addresses of a load.
    #[must_use]
    pub fn type_at(&self, span: Span, shape: &[u64], element: &str) -> Option<String> {
        let types = self.types.get(&span)?;
        let found = types.iter().find(|ty| {
            ty.shape == shape
                && match ty.element {
                    Element::Number(number) => same_element(&number.to_string(), element),
                    Element::Pointer { .. } => element.starts_with("!tile.ptr"),
                }
        })?;
        let Element::Number(number) = found.element else {
            return None;
        };
        Some(tile_type(&number.to_string(), shape))
    }

    /// The variable of the expression at a place, or its text.
    #[must_use]
    pub fn name_at(&self, span: Span) -> String {
        match self.variables.get(&span) {
            Some(names) => names.join(", "),
            None => self.text(span),
        }
    }

    /// The text at a place in one line, cut if it is long.
    #[must_use]
    pub fn text(&self, span: Span) -> String {
        let words: Vec<&str> = self.sources.text(span).split_whitespace().collect();
        let text = words.join(" ");
        if text.chars().count() <= LONGEST {
            return text;
        }
        let mut cut: String = text.chars().take(LONGEST - 1).collect();
        cut.push('…');
        cut
    }

    fn statements(&mut self, kernel: &Kernel, statements: &[Stmt]) {
        for statement in statements {
            for expr in statement.expressions() {
                self.expression(expr);
            }
            match &statement.kind {
                StmtKind::Assign { variable, value } => {
                    self.assigned(kernel, *variable, value.span)
                }
                StmtKind::AssignMany { variables, .. } => {
                    for variable in variables {
                        self.assigned(kernel, *variable, statement.span);
                        let ty = &kernel.variables[variable.0 as usize].ty;
                        let types = self.types.entry(statement.span).or_default();
                        if !types.contains(ty) {
                            types.push(ty.clone());
                        }
                    }
                }
                _ => {}
            }
            for block in statement.blocks() {
                self.statements(kernel, &block.statements);
            }
        }
    }

    fn expression(&mut self, expr: &Expr) {
        let types = self.types.entry(expr.span).or_default();
        if !types.contains(&expr.ty) {
            types.push(expr.ty.clone());
        }
        for child in expr.children() {
            self.expression(child);
        }
    }

    fn assigned(&mut self, kernel: &Kernel, variable: VariableId, span: Span) {
        let name = &kernel.variables[variable.0 as usize].name;
        // Names that the compiler made up.
        if name.starts_with('%') {
            return;
        }
        let names = self.variables.entry(span).or_default();
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}

/// `tile<f32>[64, 64]`
pub fn tile_type(element: &str, shape: &[u64]) -> String {
    let sizes: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("tile<{element}>[{}]", sizes.join(", "))
}

/// Whether an element of the language is this type of MLIR's, whose integers have no sign.
fn same_element(language: &str, mlir: &str) -> bool {
    match language.strip_prefix('u') {
        Some(bits) => mlir.strip_prefix('i') == Some(bits),
        None => language == mlir || spelled(mlir) == language,
    }
}

/// An element type of MLIR's as the language spells it.
#[must_use]
pub fn spelled(mlir: &str) -> String {
    match mlir {
        "f8E4M3FN" => "f8e4m3".to_owned(),
        "f8E5M2" => "f8e5m2".to_owned(),
        other => other.to_owned(),
    }
}
