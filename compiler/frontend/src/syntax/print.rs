//! Tokens and syntax trees as text: `--emit tokens` and `--emit ast`.
//!
//! A tree is printed as a Tile program with every operation in parentheses, one statement per line,
//! so the shape of the tree is visible and the text parses to the same tree:
//!
//! ```text
//! let y = a + b * 2 as f32;   →   let y = (a + (b * (2 as f32)));
//! ```

use std::fmt::Write as _;

use super::ast::{
    Argument, Attribute, Block, Expr, ExprKind, File, FunctionParameter, Generic, GenericKind,
    Index, Item, Pattern, Stmt, StmtKind, StrideExpr, TypeExpr, TypeExprKind, UnaryOperator,
};
use super::lexer;
use crate::diagnostic::Span;
use crate::source::{FileId, SourceMap};

/// The tokens of a file, one per line: place, kind, text.
#[must_use]
pub fn tokens(sources: &SourceMap, file: FileId) -> String {
    let Some(source) = sources.get(file) else {
        return String::new();
    };
    let mut out = String::new();
    for word in lexer::lex(file, &source.text).tokens {
        let location = source.location(word.start);
        let place = format!("{}:{}", location.line, location.column);
        let kind = format!("{:?}", word.token);
        let text = sources.text(Span {
            file,
            start: word.start,
            end: word.end,
        });
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{place:<8}{kind:<18}{text}");
    }
    out
}

/// A syntax tree as a program.
#[must_use]
pub fn ast(file: &File) -> String {
    let mut printer = Printer::default();
    for line in &file.header {
        printer.line(&format!("//! {}", line.text));
    }
    for (index, item) in file.items.iter().enumerate() {
        if index > 0 || !file.header.is_empty() {
            printer.text.push('\n');
        }
        printer.item(item);
    }
    printer.text
}

#[derive(Default)]
struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn indent(&mut self) {
        self.text.extend(std::iter::repeat_n("    ", self.depth));
    }

    fn line(&mut self, text: &str) {
        self.indent();
        self.push(text);
        self.push("\n");
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            each(self, item);
        }
    }

    /// A tuple: one element needs its comma.
    fn tuple<T>(&mut self, items: &[T], each: impl FnMut(&mut Self, &T)) {
        self.push("(");
        self.list(items, each);
        self.push(if items.len() == 1 { ",)" } else { ")" });
    }

    // ---- Items ---------------------------------------------------------------------------------

    fn item(&mut self, item: &Item) {
        match item {
            Item::Kernel(kernel) => {
                self.docs(&kernel.docs);
                self.attributes(&kernel.attributes);
                self.push("kernel ");
                self.push(&kernel.name.text);
                self.generics(&kernel.generics);
                self.push("(\n");
                self.depth += 1;
                for parameter in &kernel.parameters {
                    self.indent();
                    self.push(&parameter.name.text);
                    self.push(": ");
                    self.ty(&parameter.ty);
                    self.push(",\n");
                }
                self.depth -= 1;
                self.push(")");
                if let Some(grid) = &kernel.grid {
                    self.push("\n    grid(");
                    self.list(&grid.axes, Self::expression);
                    self.push(")");
                }
                for tune in &kernel.tunes {
                    self.push("\n    tune ");
                    self.push(&tune.name.text);
                    self.push(" in [");
                    self.list(&tune.values, Self::expression);
                    self.push("]");
                }
                self.push("\n");
                self.block(&kernel.body);
            }
            Item::Function(function) => {
                self.docs(&function.docs);
                self.attributes(&function.attributes);
                self.push("fn ");
                self.push(&function.name.text);
                self.generics(&function.generics);
                self.push("(");
                self.list(&function.parameters, Self::parameter);
                self.push(")");
                if let Some(result) = &function.result {
                    self.push(" -> ");
                    self.ty(result);
                }
                self.push(" ");
                self.block(&function.body);
            }
            Item::Const(constant) => {
                self.docs(&constant.docs);
                self.push("const ");
                self.push(&constant.name.text);
                self.annotation(constant.ty.as_ref());
                self.push(" = ");
                self.expression(&constant.value);
                self.push(";");
            }
            Item::Import(import) => {
                self.push("import ");
                self.string(&import.path);
                self.push(" { ");
                self.list(&import.names, |printer, name| printer.push(&name.text));
                self.push(" };");
            }
            Item::Test(test) => {
                self.docs(&test.docs);
                self.attributes(&test.attributes);
                self.push("test ");
                self.push(&test.name.text);
                self.push(" ");
                self.block(&test.body);
            }
        }
        self.push("\n");
    }

    fn docs(&mut self, docs: &[String]) {
        for line in docs {
            self.line(format!("/// {line}").trim_end());
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.push("#[");
            self.push(&attribute.name.text);
            if !attribute.arguments.is_empty() {
                self.push("(");
                self.list(&attribute.arguments, Self::expression);
                self.push(")");
            }
            self.push("]\n");
            self.indent();
        }
    }

    fn generics(&mut self, generics: &[Generic]) {
        if generics.is_empty() {
            return;
        }
        self.push("<");
        self.list(generics, |printer, generic| {
            let (keyword, bound) = match &generic.kind {
                GenericKind::Type { class } => ("", class),
                GenericKind::Const { ty } => ("const ", ty),
            };
            printer.push(keyword);
            printer.push(&generic.name.text);
            printer.push(": ");
            printer.push(&bound.text);
            if let Some(default) = &generic.default {
                printer.push(" = ");
                printer.operand(default);
            }
        });
        self.push(">");
    }

    fn parameter(&mut self, parameter: &FunctionParameter) {
        self.push(if parameter.is_const { "const " } else { "" });
        self.pattern(&parameter.pattern);
        self.annotation(parameter.ty.as_ref());
        if let Some(default) = &parameter.default {
            self.push(" = ");
            self.expression(default);
        }
    }

    // ---- Types ---------------------------------------------------------------------------------

    fn annotation(&mut self, ty: Option<&TypeExpr>) {
        if let Some(ty) = ty {
            self.push(": ");
            self.ty(ty);
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Named(name) => self.push(name),
            TypeExprKind::Field { of, field } => {
                self.push(&of.text);
                self.push(".");
                self.push(&field.text);
            }
            TypeExprKind::Pointer { mutable, element } => {
                self.push(if *mutable { "mut ptr<" } else { "ptr<" });
                self.ty(element);
                self.push(">");
            }
            TypeExprKind::Tensor {
                mutable,
                element,
                dimensions,
                strides,
            } => {
                self.push(if *mutable { "mut tensor<" } else { "tensor<" });
                self.ty(element);
                self.push(">[");
                self.list(dimensions, Self::expression);
                self.push("]");
                if let Some(strides) = strides {
                    self.push(" strides(");
                    self.list(strides, |printer, stride| match stride {
                        StrideExpr::Free(_) => printer.push("_"),
                        StrideExpr::Value(value) => printer.expression(value),
                    });
                    self.push(")");
                }
            }
            TypeExprKind::Tile { element, shape } => {
                self.push("tile<");
                self.ty(element);
                self.push(">[");
                self.list(shape, Self::expression);
                self.push("]");
            }
            TypeExprKind::Tuple(items) => self.tuple(items, Self::ty),
        }
    }

    // ---- Statements ----------------------------------------------------------------------------

    fn block(&mut self, block: &Block) {
        if block.statements.is_empty() && block.tail.is_none() {
            self.push("{}");
            return;
        }
        self.push("{\n");
        self.depth += 1;
        for statement in &block.statements {
            self.indent();
            self.statement(statement);
            self.push("\n");
        }
        if let Some(tail) = &block.tail {
            self.indent();
            self.expression(tail);
            self.push("\n");
        }
        self.depth -= 1;
        self.indent();
        self.push("}");
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Let { pattern, ty, value } => {
                self.push("let ");
                self.pattern(pattern);
                self.annotation(ty.as_ref());
                self.push(" = ");
                self.expression(value);
                self.push(";");
            }
            StmtKind::Assign {
                target,
                operator,
                value,
            } => {
                self.operand(target);
                self.push(" ");
                self.push(operator.map_or("", super::ast::BinaryOperator::symbol));
                self.push("= ");
                self.expression(value);
                self.push(";");
            }
            StmtKind::For {
                attributes,
                is_static,
                pattern,
                range,
                body,
            } => {
                self.attributes(attributes);
                self.push(if *is_static { "static for " } else { "for " });
                self.pattern(pattern);
                self.push(" in ");
                self.operand(range);
                self.push(" ");
                self.block(body);
            }
            StmtKind::While {
                attributes,
                condition,
                body,
            } => {
                self.attributes(attributes);
                self.push("while ");
                self.operand(condition);
                self.push(" ");
                self.block(body);
            }
            StmtKind::Break => self.push("break;"),
            StmtKind::Continue => self.push("continue;"),
            StmtKind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.push(" ");
                    self.expression(value);
                }
                self.push(";");
            }
            StmtKind::Expr(value) => {
                self.expression(value);
                self.push(";");
            }
            StmtKind::Error => self.push("<error>;"),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Name { mutable, name } => {
                self.push(if *mutable { "mut " } else { "" });
                self.push(&name.text);
            }
            Pattern::Wildcard(_) => self.push("_"),
            Pattern::Tuple { items, .. } => self.tuple(items, Self::pattern),
        }
    }

    // ---- Expressions ---------------------------------------------------------------------------

    /// An expression where others follow or precede: closed, whatever it is.
    fn operand(&mut self, expression: &Expr) {
        let open = matches!(
            expression.kind,
            ExprKind::If { .. } | ExprKind::Block(_) | ExprKind::Closure { .. }
        );
        self.push(if open { "(" } else { "" });
        self.expression(expression);
        self.push(if open { ")" } else { "" });
    }

    /// What stands before a point: an integer would become a float there.
    fn field_base(&mut self, base: &Expr) {
        let integer = matches!(base.kind, ExprKind::Int(_));
        self.push(if integer { "(" } else { "" });
        self.operand(base);
        self.push(if integer { ")" } else { "" });
    }

    fn expression(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Int(value) => {
                let shown = value.map_or_else(|| "<number>".to_owned(), |value| value.to_string());
                self.push(&shown);
            }
            ExprKind::Float(value) => self.push(&format!("{value:?}")),
            ExprKind::Bool(value) => self.push(if *value { "true" } else { "false" }),
            ExprKind::Str(value) => self.string(value),
            ExprKind::Name(name) => self.push(name),
            ExprKind::Type(ty) => self.ty(ty),
            ExprKind::Unary { operator, operand } => {
                self.push(match operator {
                    UnaryOperator::Negate => "(-",
                    UnaryOperator::Not => "(!",
                });
                self.operand(operand);
                self.push(")");
            }
            ExprKind::Binary {
                operator,
                left,
                right,
            } => {
                self.push("(");
                self.operand(left);
                self.push(" ");
                self.push(operator.symbol());
                self.push(" ");
                self.operand(right);
                self.push(")");
            }
            ExprKind::Cast { value, ty } => {
                self.push("(");
                self.operand(value);
                self.push(" as ");
                self.ty(ty);
                self.push(")");
            }
            ExprKind::Call { callee, arguments } => {
                self.operand(callee);
                self.push("(");
                self.list(arguments, Self::argument);
                self.push(")");
            }
            ExprKind::Index { base, indices } => {
                self.operand(base);
                self.push("[");
                self.list(indices, Self::index);
                self.push("]");
            }
            ExprKind::Field { base, name } => {
                self.field_base(base);
                self.push(".");
                self.push(&name.text);
            }
            ExprKind::TupleField { base, index } => {
                self.field_base(base);
                self.push(".");
                self.push(&index.to_string());
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.push("if ");
                self.operand(condition);
                self.push(" ");
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.push(" else ");
                    match &otherwise.tail {
                        Some(chained) if chained.span == otherwise.span => self.expression(chained),
                        _ => self.block(otherwise),
                    }
                }
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Tuple(items) => self.tuple(items, Self::expression),
            ExprKind::List(items) => {
                self.push("[");
                self.list(items, Self::expression);
                self.push("]");
            }
            ExprKind::Closure { parameters, body } => {
                self.push("|");
                self.list(parameters, Self::parameter);
                self.push("| ");
                self.expression(body);
            }
            ExprKind::Error => self.push("<error>"),
        }
    }

    fn argument(&mut self, argument: &Argument) {
        if let Some(name) = &argument.name {
            self.push(&name.text);
            self.push(" = ");
        }
        self.expression(&argument.value);
    }

    fn index(&mut self, index: &Index) {
        match index {
            Index::Full(_) => self.push(":"),
            Index::NewAxis(_) => self.push("None"),
            Index::Range { start, width } => {
                self.operand(start);
                self.push(" +: ");
                self.operand(width);
            }
            Index::At(at) => self.expression(at),
        }
    }

    fn string(&mut self, value: &str) {
        self.push("\"");
        for letter in value.chars() {
            match letter {
                '"' => self.push("\\\""),
                '\\' => self.push("\\\\"),
                '\n' => self.push("\\n"),
                '\t' => self.push("\\t"),
                '\r' => self.push("\\r"),
                '\0' => self.push("\\0"),
                _ => self.text.push(letter),
            }
        }
        self.push("\"");
    }
}
