//! A limit on nesting.
//!
//! Every later stage walks the tree by recursion, and a tree is dropped by recursion. So the tree
//! may not be deep, whatever the text. Counting tokens bounds it before it is built: each level of
//! the tree on the way to a token has an operator, a bracket or a keyword of its own before it that
//! is still in force there.

use super::token::{Spanned, Token};
use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::FileId;

/// Brackets inside brackets.
pub const MAXIMUM_BRACKETS: usize = 200;
/// Levels of the tree, roughly: operators in one chain and in all around it.
pub const MAXIMUM_DEPTH: usize = 500;

/// The first place where balanced tokens nest too deep.
pub fn check(file: FileId, tokens: &[Spanned]) -> Result<(), Box<Diagnostic>> {
    // Per open bracket, what counts on its level since the last `,` or `;`.
    let mut levels = vec![0_usize];
    let mut total = 0;
    for (index, word) in tokens.iter().enumerate() {
        let span = Span {
            file,
            start: word.start,
            end: word.end,
        };
        let level = levels.last_mut();
        let next = tokens.get(index + 1).map(|word| word.token);
        if word.token.closer().is_some() {
            level.into_iter().for_each(|level| *level += 1);
            total += 1;
            levels.push(0);
            if levels.len() > MAXIMUM_BRACKETS {
                return Err(Box::new(messages::too_many_brackets(
                    MAXIMUM_BRACKETS,
                    span,
                )));
            }
        } else if word.token.is_closer() {
            total -= levels.pop().unwrap_or(0);
            if word.token == Token::CloseBrace && !next.is_some_and(continues_behind_brace) {
                total -= levels.last_mut().map_or(0, std::mem::take);
            }
        } else if matches!(word.token, Token::Comma | Token::Semicolon) {
            total -= level.map_or(0, std::mem::take);
        } else if deepens(word.token) {
            level.into_iter().for_each(|level| *level += 1);
            total += 1;
        }
        if total > MAXIMUM_DEPTH {
            return Err(Box::new(messages::too_deep(MAXIMUM_DEPTH, span)));
        }
    }
    Ok(())
}

/// Whether the tree can be a level deeper behind this token.
fn deepens(token: Token) -> bool {
    !matches!(
        token,
        Token::Name
            | Token::Int
            | Token::Float
            | Token::Str
            | Token::True
            | Token::False
            | Token::Colon
    )
}

/// Whether what ends with `}` can go on behind it; else a new statement starts there.
fn continues_behind_brace(token: Token) -> bool {
    let word = token.is_name() || (token.is_keyword() && !matches!(token, Token::Else | Token::As));
    let literal = matches!(token, Token::Int | Token::Float | Token::Str);
    !(word || literal || matches!(token, Token::OpenBrace | Token::CloseBrace | Token::Hash))
}
