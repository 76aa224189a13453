//! What the parser would have taken, in words.
//!
//! The parser lists every token that may stand at a place, forty of them where an operand may
//! start. A reader wants the few things that those tokens begin.

/// Marks that end something or go on with a list: where one can stand, what else could (an
/// operator, say) is hardly what is missing.
const ENDS: &[&str] = &[",", ";", ")", "]", "}"];

/// Marks within constant expressions.
const OPERATORS: &[&str] = &["+", "-", "!", "~", "|", "<", ">", "?"];

/// Whether a statement or an item of a list may end here.
pub fn ends_something(expected: &[String]) -> bool {
    let tokens = Tokens(expected);
    ENDS.iter().any(|end| tokens.has(end)) && !tokens.starts_statement()
}

/// `` `,` or `;` ``
pub fn in_words(expected: &[String]) -> String {
    let tokens = Tokens(expected);
    let mut words = Vec::new();
    words.extend(tokens.things().iter().map(|&thing| thing.to_owned()));
    let is_end = ENDS.iter().any(|end| tokens.has(end));
    for token in expected.iter().map(|token| token.trim_matches('"')) {
        let is_mark = token.len() == 1 && !token.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_worth_saying = if tokens.starts_statement() {
            token == "}"
        } else if is_end {
            ENDS.contains(&token) || token == "{"
        } else {
            let is_vector = token == "{" && !tokens.has("[");
            !OPERATORS.contains(&token) && (words.is_empty() || is_vector)
        };
        if is_mark && is_worth_saying {
            words.push(format!("`{token}`"));
        }
    }
    match words.as_slice() {
        [] => "something else".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Terminals as the grammar names them; those of fixed text are in quotes.
struct Tokens<'a>(&'a [String]);

impl Tokens<'_> {
    fn has(&self, token: &str) -> bool {
        self.0
            .iter()
            .any(|expected| expected.trim_matches('"') == token)
    }

    fn starts_statement(&self) -> bool {
        self.has("@") || self.has(".version")
    }

    /// What the tokens that are no marks begin.
    fn things(&self) -> &'static [&'static str] {
        let has = |token| self.has(token);
        if has("@") {
            &["an instruction", "a label", "a directive"]
        } else if has(".version") {
            &["a directive such as `.entry` or `.global`"]
        } else if has("CALL") {
            &["an instruction"]
        } else if has(".entry") {
            &["`.entry`", "`.func`", "`.global`", "`.const`", "`.shared`"]
        } else if has(".align") {
            &["a type such as `.b32`", "a name"]
        } else if has("NAME") && has("[") {
            &["an operand"]
        } else if has("COMPONENT") {
            &["a register", "a number"]
        } else if has("NAME") && has("INTEGER") {
            &["a name", "a number"]
        } else if has("NAME") {
            &["a name"]
        } else if has("SINGLE") {
            &["a number"]
        } else if has("INTEGER") {
            &["an integer"]
        } else if has("DECIMAL") {
            &["a version such as `8.0`"]
        } else if has("TEXT") {
            &["a string"]
        } else if has(".reg") {
            &["a parameter, which starts with `.param`"]
        } else if has(".pragma") {
            &["a directive such as `.maxntid`"]
        } else {
            &[]
        }
    }
}
