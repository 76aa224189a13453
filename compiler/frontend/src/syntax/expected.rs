//! "Expected X, found Y" from the parser's list of tokens that could stand here.

use std::collections::BTreeSet;

/// What could stand at the place of an error.
#[derive(Debug)]
pub struct Expected {
    /// Terminals as the grammar spells them, without quotes.
    set: BTreeSet<String>,
}

const EXPRESSION_STARTS: [&str; 17] = [
    "INT", "FLOAT", "STRING", "NAME", "true", "false", "(", "[", "-", "!", "|", "||", "if", "{",
    "_", "mut", "const",
];
const SPECIAL_WORDS: [&str; 7] = ["grid", "ptr", "strides", "tensor", "test", "tile", "tune"];
const ASSIGNMENTS: [&str; 11] = [
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
];
const CONTINUATIONS: [&str; 22] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "==", "!=", "<", "<=", ">",
    ">=", "as", ".", "(", "[",
];

impl Expected {
    /// From the strings of `lalrpop`.
    pub fn new(terminals: &[String]) -> Self {
        let set = terminals
            .iter()
            .map(|terminal| terminal.trim_matches('"').to_owned())
            .filter(|terminal| !terminal.starts_with("BROKEN"))
            .collect();
        Self { set }
    }

    /// Whether this terminal could.
    pub fn has(&self, terminal: &str) -> bool {
        self.set.contains(terminal)
    }

    /// Whether an expression could start.
    pub fn expression(&self) -> bool {
        self.has("INT")
    }

    /// Whether an expression is complete and could go on.
    pub fn operator(&self) -> bool {
        self.has("&&")
    }

    /// Whether a name could, be it as an expression.
    pub fn name(&self) -> bool {
        self.has("NAME")
    }

    /// As "`;`", "an expression or `)`", "a name".
    pub fn describe(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut rest: BTreeSet<&str> = self.set.iter().map(String::as_str).collect();
        if let Some(phrase) = self.phrase() {
            parts.push(phrase.to_owned());
            rest.retain(|word| !EXPRESSION_STARTS.contains(word));
            rest.retain(|word| !SPECIAL_WORDS.contains(word));
            if phrase == "a statement" {
                rest.retain(|&word| word == "}");
            }
        }
        if self.operator() {
            rest.retain(|word| !CONTINUATIONS.contains(word));
            if self.has(";") {
                rest.retain(|&word| word == ";");
            } else {
                rest.retain(|word| !ASSIGNMENTS.contains(word));
            }
            if rest.is_empty() && parts.is_empty() {
                parts.push("an operator".to_owned());
            }
        }
        // Marks that go on before marks that end.
        const LAST: [&str; 6] = ["{", ")", "]", "}", ";", ">"];
        let (ends, others): (Vec<&str>, Vec<&str>) =
            rest.iter().partition(|word| LAST.contains(word));
        parts.extend(others.iter().chain(&ends).map(|word| match *word {
            "INT" => "a number".to_owned(),
            "STRING" => "a string".to_owned(),
            word => format!("`{word}`"),
        }));
        match parts.as_slice() {
            [] => "the end of the file".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        }
    }

    fn phrase(&self) -> Option<&'static str> {
        Some(if self.has("let") {
            "a statement"
        } else if self.expression() {
            "an expression"
        } else if !self.name() {
            return None;
        } else if self.has("_") {
            if self.has("const") {
                "a parameter"
            } else {
                "a name or `(`"
            }
        } else if self.has("mut") {
            "a type"
        } else if self.has("const") {
            "a generic parameter"
        } else {
            "a name"
        })
    }
}
