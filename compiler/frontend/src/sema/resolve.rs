//! Names in code that is not elaborated: branches not taken, functions never called.
//!
//! Only unknown names are reported: types and shapes depend on how the code is used.

use super::elaborator::Elaborator;
use super::expressions::builtin_name;
use super::operand::Operand;
use crate::diagnostic::Span;
use crate::syntax::ast::{self, Block, ExprKind, FunctionParameter, Index, Pattern, StmtKind};

/// Names of options, which are words and not names.
const WORDS: &[&str] = &[
    "cache",
    "evict",
    "bounds",
    "precision",
    "round",
    "order",
    "scope",
];

impl<'a> Elaborator<'a> {
    /// Reports unknown names in an expression that is not evaluated.
    pub fn check_names(&mut self, expr: &'a ast::Expr) {
        self.deeper(expr.span, |this| {
            this.check_expr(expr);
            Operand::UNIT
        });
    }

    /// The same for a block.
    pub fn check_block_names(&mut self, block: &'a Block) {
        self.scoped(|this| this.check_statements(block));
    }

    /// The same for a function that nobody calls.
    pub fn check_function_names(&mut self, function: &'a ast::Function) {
        let outer = std::mem::take(&mut self.environment);
        for generic in &function.generics {
            self.bind(&generic.name.text, Operand::Error, false, generic.name.span);
        }
        self.check_parameters(&function.parameters);
        self.check_block_names(&function.body);
        self.environment = outer;
    }

    /// The same for a kernel that cannot be elaborated without knowing its consts.
    pub fn check_kernel_names(&mut self, kernel: &'a ast::Kernel) {
        let outer = std::mem::take(&mut self.environment);
        for generic in &kernel.generics {
            self.bind(&generic.name.text, Operand::Error, false, generic.name.span);
        }
        for parameter in &kernel.parameters {
            self.bind(
                &parameter.name.text,
                Operand::Error,
                false,
                parameter.name.span,
            );
            if let ast::TypeExprKind::Tensor {
                dimensions,
                strides,
                ..
            } = &parameter.ty.kind
            {
                let strides = strides.iter().flatten().filter_map(|stride| match stride {
                    ast::StrideExpr::Value(expr) => Some(expr),
                    ast::StrideExpr::Free(_) => None,
                });
                for expr in dimensions.iter().chain(strides) {
                    if let ExprKind::Name(name) = &expr.kind {
                        self.bind(name, Operand::Error, false, expr.span);
                    }
                }
            }
        }
        self.check_block_names(&kernel.body);
        self.environment = outer;
    }

    fn check_parameters(&mut self, parameters: &'a [FunctionParameter]) {
        for parameter in parameters {
            if let Some(default) = &parameter.default {
                self.check_names(default);
            }
            self.bind_poison(&parameter.pattern);
        }
    }

    fn check_statements(&mut self, block: &'a Block) {
        for statement in &block.statements {
            match &statement.kind {
                StmtKind::Let { pattern, value, .. } => {
                    self.check_names(value);
                    self.bind_poison(pattern);
                }
                StmtKind::Assign { target, value, .. } => {
                    self.check_names(target);
                    self.check_names(value);
                }
                StmtKind::For {
                    pattern,
                    range,
                    body,
                    ..
                } => {
                    self.check_names(range);
                    self.check_body(Some(pattern), body);
                }
                StmtKind::While {
                    condition, body, ..
                } => {
                    self.check_names(condition);
                    self.check_body(None, body);
                }
                StmtKind::Return(Some(value)) | StmtKind::Expr(value) => self.check_names(value),
                StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) | StmtKind::Error => {
                }
            }
        }
        if let Some(tail) = &block.tail {
            self.check_names(tail);
        }
    }

    fn check_body(&mut self, pattern: Option<&'a Pattern>, body: &'a Block) {
        self.scoped(|this| {
            if let Some(pattern) = pattern {
                this.bind_poison(pattern);
            }
            this.check_statements(body);
        });
    }

    fn check_expr(&mut self, expr: &'a ast::Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Type(_)
            | ExprKind::Error => {}
            ExprKind::Name(name) => self.check_name(name, expr.span),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { value: operand, .. } => {
                self.check_names(operand);
            }
            ExprKind::TupleField { base, .. } => self.check_names(base),
            ExprKind::Field { base, .. } => {
                if !matches!(&base.kind, ExprKind::Name(name) if name == "fast") {
                    self.check_names(base);
                }
            }
            ExprKind::Binary { left, right, .. } => {
                self.check_names(left);
                self.check_names(right);
            }
            ExprKind::Call { callee, arguments } => {
                self.check_names(callee);
                for argument in arguments {
                    let is_word = argument
                        .name
                        .as_ref()
                        .is_some_and(|name| WORDS.contains(&name.text.as_str()));
                    if !is_word {
                        self.check_names(&argument.value);
                    }
                }
            }
            ExprKind::Index { base, indices } => {
                self.check_names(base);
                for index in indices {
                    match index {
                        Index::Full(_) | Index::NewAxis(_) => {}
                        Index::Range { start, width } => {
                            self.check_names(start);
                            self.check_names(width);
                        }
                        Index::At(at) => self.check_names(at),
                    }
                }
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.check_names(condition);
                self.check_block_names(then);
                if let Some(otherwise) = otherwise {
                    self.check_block_names(otherwise);
                }
            }
            ExprKind::Block(block) => self.check_block_names(block),
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                for item in items {
                    self.check_names(item);
                }
            }
            ExprKind::Closure { parameters, body } => self.scoped(|this| {
                this.check_parameters(parameters);
                this.check_names(body);
            }),
        }
    }

    fn check_name(&mut self, name: &str, span: Span) {
        let known = self.scopes.find(self.environment, name).is_some()
            || self.files.find(self.file, name).is_some()
            || self.files.imports(self.file, name)
            || builtin_name(name).is_some()
            || super::host::is_of_tests(name);
        if !known {
            self.unknown_name(name, span);
        }
    }
}
