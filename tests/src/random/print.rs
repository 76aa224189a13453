//! The text of a random program, and the words of its call.

use std::fmt::Write;

use super::tree::{Expr, Heading, Kind, Name, Program, Statement};

/// Functions that programs may call; printed where they are.
const FUNCTIONS: &[(&str, &str)] = &[
    ("nonzero", "fn nonzero(x) { where(x == 0, 1, x) }"),
    ("number", "fn number(x) { where(x == x, x, 0) }"),
    ("apply", "fn apply(f, x) { f(x) }"),
    ("twice", "fn twice(f, x) { f(f(x)) }"),
    ("choose", "fn choose(c, x, y) { if c { x } else { y } }"),
    ("both", "fn both(x, y) { (y, x) }"),
    (
        "early",
        "fn early(c, x, y) { if c { return y; } let z = x; z }",
    ),
    (
        "rising",
        "fn rising(x, const n: i32) { if n == 0 { x } else { rising(x, n - 1) + n } }",
    ),
];

/// Whether a text has the name, as a word.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

impl Program {
    /// The source.
    #[must_use]
    pub fn text(&self) -> String {
        let body = self.body_text();
        let mut text = String::new();
        for (name, function) in FUNCTIONS {
            if has_word(&body, name) {
                let _ = writeln!(text, "{function}\n");
            }
        }
        if let Some(warps) = self.warps {
            let _ = writeln!(text, "#[warps({warps})]");
        }
        let _ = writeln!(text, "kernel {}(", self.name);
        for parameter in self.used(&body) {
            let _ = writeln!(text, "    {}: {},", parameter.name, parameter.declaration);
        }
        let [x, y, z] = self.grid;
        let _ = writeln!(text, ") grid({x}, {y}, {z}) {{\n{body}}}");
        text
    }

    /// The words of the call, after the kernel's name.
    #[must_use]
    pub fn call(&self) -> Vec<String> {
        let body = self.body_text();
        let argument = |parameter: &super::tree::Parameter| {
            format!("{}={}", parameter.name, parameter.argument)
        };
        self.used(&body).map(argument).collect()
    }

    fn used<'a>(&'a self, body: &'a str) -> impl Iterator<Item = &'a super::tree::Parameter> {
        self.parameters
            .iter()
            .filter(move |parameter| has_word(body, &parameter.name))
    }

    fn body_text(&self) -> String {
        let mut lines = Printer {
            text: String::new(),
            indent: 1,
        };
        lines.statements(&self.body);
        let [x, y, _] = self.grid;
        let mut start = String::new();
        if has_word(&lines.text, "pid") {
            let mut terms = vec!["program_id(0)".to_owned()];
            if self.grid[1] > 1 {
                terms.push(format!("program_id(1) * {x}"));
            }
            if self.grid[2] > 1 {
                terms.push(format!("program_id(2) * {}", x * y));
            }
            let _ = writeln!(start, "    let pid = {};", terms.join(" + "));
        }
        start + &lines.text
    }
}

struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    fn block(&mut self, body: &[Statement]) {
        self.indent += 1;
        self.statements(body);
        self.indent -= 1;
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let { targets, value } => {
                let value = expression(value);
                let mutable = |mutable| if mutable { "mut " } else { "" };
                if let [target] = &targets[..] {
                    let (name, ty) = (variable(target.name), target.ty.text());
                    self.line(&format!(
                        "let {}{name}: {ty} = {value};",
                        mutable(target.mutable)
                    ));
                } else {
                    let names: Vec<_> = targets
                        .iter()
                        .map(|target| mutable(target.mutable).to_owned() + &variable(target.name))
                        .collect();
                    self.line(&format!("let ({}) = {value};", names.join(", ")));
                }
            }
            Statement::Assign { target, value } => {
                self.line(&format!("{} = {};", variable(*target), expression(value)));
            }
            Statement::Effect(effect) => self.line(&format!("{};", expression(effect))),
            Statement::Jump(jump) => self.line(&format!("{jump};")),
            Statement::Block {
                heading,
                body,
                otherwise,
            } => {
                match heading {
                    Heading::If(condition) => {
                        self.line(&format!("if {} {{", expression(condition)));
                    }
                    Heading::For {
                        variable: counter,
                        range,
                        is_static,
                    } => {
                        let kind = if *is_static { "static for" } else { "for" };
                        let counter = variable(counter.name);
                        self.line(&format!("{kind} {counter} in {} {{", expression(range)));
                    }
                    Heading::While {
                        counter,
                        rounds,
                        condition,
                    } => {
                        let counter = variable(counter.name);
                        let condition = expression(condition);
                        self.line(&format!("let mut {counter}: i32 = 0;"));
                        self.line(&format!("while {counter} < {rounds} && {condition} {{"));
                        self.line(&format!("    {counter} += 1;"));
                    }
                }
                self.block(body);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
        }
    }
}

fn variable(name: Name) -> String {
    format!("v{}", name.0)
}

/// An expression, as written.
#[must_use]
pub fn expression(value: &Expr) -> String {
    match &value.kind {
        Kind::Variable(name) => variable(*name),
        Kind::Form(text, operands) => {
            let mut parts = text.split('$');
            let mut result = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let end = part
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(part.len());
                let (number, rest) = part.split_at(end);
                let operand = number.parse().ok().and_then(|at: usize| operands.get(at));
                result += &operand.map(expression).unwrap_or_default();
                result += rest;
            }
            result
        }
    }
}
