//! Balanced tokens to items, each parsed on its own: a problem in one never hides another.

use std::ops::Range;

use super::token::{Spanned, Token};

/// Tokens of one item, or of something that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Which tokens.
    pub range: Range<usize>,
    /// Whether it starts as an item does.
    pub is_item: bool,
}

/// Cuts a file into items. Every token is in exactly one piece.
pub fn split(tokens: &[Spanned]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0;
    while start < tokens.len() {
        let keyword = behind_attributes(tokens, start);
        let (is_item, end) = match tokens.get(keyword).map(|word| word.token) {
            Some(Token::Kernel | Token::Fn) => (true, end_of_body(tokens, keyword)),
            Some(Token::Test) if starts_item(tokens, keyword) => {
                (true, end_of_body(tokens, keyword))
            }
            Some(Token::Const | Token::Import) => (true, end_of_line(tokens, keyword)),
            // Attributes at the end of the file still belong to an item.
            None if keyword > start => (true, tokens.len()),
            _ => (false, end_of_junk(tokens, start)),
        };
        match pieces.last_mut() {
            // Text that is no item is one problem, however long it is.
            Some(last) if !is_item && !last.is_item => last.range.end = end,
            _ => pieces.push(Piece {
                range: start..end,
                is_item,
            }),
        }
        start = end;
    }
    pieces
}

/// Past a token, or past the whole group when it opens one.
pub fn past(tokens: &[Spanned], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, word) in tokens.iter().enumerate().skip(at) {
        if word.token.closer().is_some() {
            depth += 1;
        } else if word.token.is_closer() {
            depth = depth.saturating_sub(1);
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// The first token behind `#[…]`s.
pub fn behind_attributes(tokens: &[Spanned], start: usize) -> usize {
    let token = |at: usize| tokens.get(at).map(|word| word.token);
    let mut at = start;
    while token(at) == Some(Token::Hash) && token(at + 1) == Some(Token::OpenBracket) {
        at = past(tokens, at + 1);
    }
    at
}

/// Whether an item starts at a token outside all brackets.
fn starts_item(tokens: &[Spanned], at: usize) -> bool {
    let token = |at: usize| tokens.get(at).map(|word| word.token);
    match token(at) {
        Some(Token::Kernel | Token::Fn | Token::Import) => true,
        Some(Token::Test) => {
            token(at + 1).is_some_and(Token::is_name) || token(at + 1) == Some(Token::OpenBrace)
        }
        _ => false,
    }
}

/// Behind the first `{ … }`, or where the next item starts.
fn end_of_body(tokens: &[Spanned], keyword: usize) -> usize {
    let mut at = keyword + 1;
    while at < tokens.len() && !starts_item(tokens, at) {
        let brace = tokens[at].token == Token::OpenBrace;
        at = past(tokens, at);
        if brace {
            return at;
        }
    }
    at
}

/// Behind the first `;`, or where the next item starts.
fn end_of_line(tokens: &[Spanned], keyword: usize) -> usize {
    let mut at = keyword + 1;
    while at < tokens.len() && !starts_item(tokens, at) {
        // A `;` was forgotten: a constant holds no other.
        if matches!(tokens[at].token, Token::Const | Token::Hash) {
            break;
        }
        let semicolon = tokens[at].token == Token::Semicolon;
        at = past(tokens, at);
        if semicolon {
            break;
        }
    }
    at
}

fn end_of_junk(tokens: &[Spanned], start: usize) -> usize {
    let mut at = past(tokens, start);
    while at < tokens.len()
        && !starts_item(tokens, at)
        && !matches!(tokens[at].token, Token::Const | Token::Hash)
    {
        at = past(tokens, at);
    }
    at
}
