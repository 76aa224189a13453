//! Brackets without partners, and too many of them.

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::token::Token;

/// An opening bracket without its partner. `found` stands where the partner should at the latest.
#[must_use]
pub fn unclosed_bracket(
    open: Token,
    closer: Token,
    found: Option<Token>,
    span: Span,
    end: Span,
) -> Diagnostic {
    let (open, closer) = (open.text().unwrap_or(""), closer.text().unwrap_or(""));
    let found = match found {
        Some(
            Token::Kernel | Token::Fn | Token::Const | Token::Import | Token::Test | Token::Hash,
        ) => {
            format!("expected `{closer}` before the next item")
        }
        Some(found) => match found.text() {
            Some(found) => format!("expected `{closer}` before `{found}`"),
            None => format!("expected `{closer}` here at the latest"),
        },
        None => format!("the file ends without `{closer}`"),
    };
    Diagnostic::error(
        Code::UnclosedBracket,
        format!("this `{open}` is never closed"),
    )
    .label(span, "")
    .secondary(end, found)
}

/// A closing bracket without its partner.
#[must_use]
pub fn stray_bracket(token: Token, span: Span) -> Diagnostic {
    let closer = token.text().unwrap_or("");
    Diagnostic::error(
        Code::UnclosedBracket,
        format!("this `{closer}` closes nothing"),
    )
    .label(span, "no bracket is open here that it could close")
}

/// Brackets in brackets in brackets.
#[must_use]
pub fn too_many_brackets(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NestingTooDeep,
        format!("brackets are nested more than {limit} deep"),
    )
    .label(span, "one too many")
    .help("name parts of the expression with `let`, or move them to a function")
}

/// One expression with very many operators, or an `else if` chain without end.
#[must_use]
pub fn too_deep(limit: usize, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::NestingTooDeep,
        format!("more than {limit} operators and brackets hang together here"),
    )
    .label(span, "the limit is reached here")
    .help("name parts of the expression with `let`, or move them to a function")
}
