//! Where an error is: the smallest part of an item that can be left out because of it.
//!
//! ```text
//! fn f(x) { let a = g(x, * 2); a }
//!                        ^ the error
//!           ~~~~~~~~~~~~~~~~~~ its place: a statement
//! ```

use std::ops::Range;

use super::items::{behind_attributes, past};
use super::token::{Spanned, Token};

/// Whether a token is on a later line than the one before it.
pub fn on_new_line(text: &str, previous: Spanned, found: Spanned) -> bool {
    text.get(previous.end as usize..found.start as usize)
        .is_some_and(|gap| gap.contains('\n'))
}

/// The smallest part of an item around an error that can be left out.
pub enum Place {
    /// A statement, or the part of a loop before its body.
    Statement(Range<usize>),
    /// What stands before the body.
    Heading(Range<usize>),
    /// All of it.
    Item,
}

impl Place {
    /// Its first token.
    pub fn start(&self) -> Option<usize> {
        match self {
            Self::Statement(range) => Some(range.start),
            Self::Heading(_) => None,
            Self::Item => Some(0),
        }
    }

    /// The place of the token at `index` among balanced tokens of one item.
    pub fn find(text: &str, tokens: &[Spanned], index: usize) -> Self {
        let partners = partners(tokens);
        let keyword = behind_attributes(tokens, 0);
        let has_body = tokens.get(keyword).is_some_and(|word| {
            matches!(
                word.token,
                Token::Kernel | Token::Fn | Token::Test | Token::BrokenHeading
            )
        });
        // Go outwards until there is a block that holds a statement around the error.
        let mut inside = index;
        while let Some(open) = enclosing_brace(tokens, &partners, inside) {
            if !has_body {
                break;
            }
            let close = partners[open].unwrap_or(tokens.len());
            if let Some(range) = statement(text, tokens, &partners, open, close, index) {
                return Self::Statement(range);
            }
            inside = open;
        }
        // The body is the first brace at or behind the error that no bracket holds.
        let mut at = keyword;
        while has_body && at < tokens.len() {
            if tokens[at].token == Token::OpenBrace && at > 0 {
                // An error behind the heading that no statement could take is in the body itself.
                return if index <= at && keyword < at {
                    Self::Heading(0..at)
                } else {
                    Self::Item
                };
            }
            at = past(tokens, at);
        }
        Self::Item
    }
}

/// For each bracket the index of its partner.
fn partners(tokens: &[Spanned]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut stack = Vec::new();
    for (index, word) in tokens.iter().enumerate() {
        if word.token.closer().is_some() {
            stack.push(index);
        } else if word.token.is_closer()
            && let Some(open) = stack.pop()
        {
            partners[open] = Some(index);
            partners[index] = Some(open);
        }
    }
    partners
}

/// The innermost `{` around a token.
fn enclosing_brace(tokens: &[Spanned], partners: &[Option<usize>], index: usize) -> Option<usize> {
    let mut at = index;
    while let Some(before) = at.checked_sub(1) {
        let token = tokens[before].token;
        at = match partners[before] {
            Some(open) if token.is_closer() => open,
            _ if token == Token::OpenBrace => return Some(before),
            _ => before,
        };
    }
    None
}

/// The statement of the block `open..close` that holds the token at `index`.
fn statement(
    text: &str,
    tokens: &[Spanned],
    partners: &[Option<usize>],
    open: usize,
    close: usize,
    index: usize,
) -> Option<Range<usize>> {
    let close = close.min(tokens.len());
    let mut start = open + 1;
    let mut at = start;
    while at < close {
        let end = partners[at]
            .filter(|&end| end > at)
            .map_or(at + 1, |end| end + 1);
        let next = tokens.get(end).filter(|_| end < close);
        let last = tokens[end - 1];
        let fresh = next.is_some_and(|&next| on_new_line(text, last, next));
        let ends = match (last.token, next.map(|next| next.token)) {
            (Token::Semicolon | Token::BrokenStatement, next) => next != Some(Token::Else),
            (_, None) => true,
            (_, Some(next)) if next.starts_statement() => {
                // `static for` and attributes are part of their loop.
                fresh
                    && !matches!(last.token, Token::Static)
                    && !is_attribute(tokens, partners, end - 1)
            }
            (Token::CloseBrace, Some(next)) => {
                fresh
                    && !matches!(next, Token::Else | Token::Dot | Token::CloseParen)
                    && !is_operator(next)
            }
            _ => false,
        };
        if ends {
            // An error behind a statement that no `;` ends is that it does not end there.
            let unfinished = !matches!(last.token, Token::Semicolon | Token::BrokenStatement);
            let missing = index == end && start < end && next.is_some() && unfinished;
            if index < end || missing || (index >= close && end >= close) {
                return Some(start..shorten_to_heading(tokens, partners, start, end, index));
            }
            start = end;
        }
        at = end;
    }
    None
}

/// The error of a loop is in what comes before its body: the body is still worth checking.
fn shorten_to_heading(
    tokens: &[Spanned],
    partners: &[Option<usize>],
    start: usize,
    end: usize,
    index: usize,
) -> usize {
    let loops = matches!(
        tokens[start].token,
        Token::For | Token::While | Token::Static | Token::Hash
    );
    if !loops || tokens[end - 1].token != Token::CloseBrace {
        return end;
    }
    match partners[end - 1] {
        Some(body) if body > start && index <= body => body,
        _ => end,
    }
}

fn is_attribute(tokens: &[Spanned], partners: &[Option<usize>], close: usize) -> bool {
    tokens[close].token == Token::CloseBracket
        && partners[close]
            .and_then(|open| open.checked_sub(1))
            .is_some_and(|before| tokens[before].token == Token::Hash)
}

fn is_operator(token: Token) -> bool {
    token.is_comparison()
        || matches!(
            token,
            Token::As
                | Token::Plus
                | Token::Star
                | Token::Slash
                | Token::Percent
                | Token::And
                | Token::Or
                | Token::Caret
                | Token::ShiftLeft
                | Token::ShiftRight
                | Token::AndAnd
                | Token::OrOr
        )
}
