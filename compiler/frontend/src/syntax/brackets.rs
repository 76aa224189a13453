//! Brackets are matched before parsing.
//!
//! An LR parser notices a missing `}` at the end of the file, far from where it is missing. Looking
//! at brackets alone, with lines and indentation, finds the place. What comes out is balanced:
//! missing brackets are there as virtual tokens, stray ones are gone.
//!
//! ```text
//! let x = f(a, g(b);   →   let x = f(a, g(b) ⟨)⟩ ;       and E0006 at the `(` of `f`
//! ```

use super::lexer::MAXIMUM_ERRORS;
use super::token::{Spanned, Token};
use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::FileId;

/// Balanced tokens and what was wrong.
#[derive(Debug, Default)]
pub struct Balanced {
    /// In order.
    pub tokens: Vec<Spanned>,
    /// One per missing or stray bracket.
    pub errors: Vec<Diagnostic>,
    /// Offsets of stray brackets, which are not in `tokens`; rising.
    pub removed: Vec<u32>,
}

/// Matches all brackets. Linear in the number of tokens.
pub fn balance(file: FileId, text: &str, tokens: &[Spanned]) -> Balanced {
    let mut balanced = Balanced {
        tokens: Vec::with_capacity(tokens.len()),
        ..Balanced::default()
    };
    let mut start = 0;
    while start < tokens.len() {
        let mut segment = match_segment(text, tokens, start, Trust::Brackets);
        if segment.has_wrong_braces(tokens) {
            // Where braces do not add up, the indentation shows which one is missing.
            segment = match_segment(text, tokens, start, Trust::Indentation);
        }
        rebuild(file, text, tokens, start, &segment, &mut balanced);
        start = segment.end;
    }
    balanced
}

/// What decides where a `{` closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Brackets,
    Indentation,
}

/// Tokens up to where an item certainly starts, with their brackets.
struct Segment {
    /// One past its last token.
    end: usize,
    /// Opening brackets without partner, and before which token they end at the latest.
    unclosed: Vec<(usize, usize)>,
    /// Closing brackets without partner.
    stray: Vec<usize>,
    /// `(` and `]`, `[` and `)`.
    mismatched: Vec<(usize, usize)>,
}

impl Segment {
    fn has_wrong_braces(&self, tokens: &[Spanned]) -> bool {
        let brace = |at: usize| matches!(tokens[at].token, Token::OpenBrace | Token::CloseBrace);
        self.unclosed.iter().any(|&(open, _)| brace(open)) || self.stray.iter().any(|&at| brace(at))
    }
}

/// An open bracket on the stack.
struct Open {
    index: usize,
    closer: Token,
    /// How many `(` and `[` are open here, up to the innermost `{`.
    parens: usize,
    brackets: usize,
}

fn match_segment(text: &str, tokens: &[Spanned], start: usize, trust: Trust) -> Segment {
    let mut segment = Segment {
        end: tokens.len(),
        unclosed: Vec::new(),
        stray: Vec::new(),
        mismatched: Vec::new(),
    };
    let mut stack: Vec<Open> = Vec::new();
    let mut braces = 0_usize;
    for (index, word) in tokens.iter().enumerate().skip(start) {
        if index > start && starts_item(text, tokens, index, &stack) {
            segment.end = before_attributes(tokens, index, start);
            break;
        }
        if word.token == Token::Semicolon {
            // No parenthesis holds a `;`, but for that of `for (…; …; …)` of other languages.
            while let Some(top) = stack.pop_if(|top| {
                let before = top.index.checked_sub(1).map(|before| tokens[before].token);
                top.closer != Token::CloseBrace && before != Some(Token::For)
            }) {
                segment.unclosed.push((top.index, index));
            }
        } else if let Some(closer) = word.token.closer() {
            let (mut parens, mut brackets) = match stack.last() {
                Some(top) if closer != Token::CloseBrace => (top.parens, top.brackets),
                _ => (0, 0),
            };
            match closer {
                Token::CloseParen => parens += 1,
                Token::CloseBracket => brackets += 1,
                _ => braces += 1,
            }
            stack.push(Open {
                index,
                closer,
                parens,
                brackets,
            });
        } else if word.token.is_closer() {
            // `)` and `]` do not reach beyond the innermost `{`; `}` closes whatever is open in it.
            let reachable = match (word.token, stack.last()) {
                (Token::CloseParen, Some(top)) => top.parens > 0,
                (Token::CloseBracket, Some(top)) => top.brackets > 0,
                (_, Some(_)) => braces > 0,
                (_, None) => false,
            };
            if !reachable {
                let closer = stack.last().map_or(Token::CloseBrace, |top| top.closer);
                let next = tokens.get(index + 1).map(|word| word.token);
                let braces = [word.token, closer].contains(&Token::CloseBrace);
                // In `f(a])` the bracket is one too many.
                if braces || next == Some(closer) {
                    segment.stray.push(index);
                } else if let Some(top) = stack.pop() {
                    segment.mismatched.push((top.index, index));
                }
                continue;
            }
            while let Some(top) = stack.pop() {
                if top.closer == Token::CloseBrace {
                    braces -= 1;
                }
                let closes = top.closer == word.token
                    && !(trust == Trust::Indentation
                        && belongs_further_out(text, tokens, index, &top, &stack));
                if closes {
                    break;
                }
                segment.unclosed.push((top.index, index));
            }
        }
    }
    let end = segment.end;
    // A bracket opened by the attributes that were given to the next segment is not ours.
    let left = stack.iter().filter(|open| open.index < end);
    segment.unclosed.extend(left.map(|open| (open.index, end)));
    segment.unclosed.sort_unstable();
    segment
}

/// Whether a new item starts here although brackets are open: at the start of a line, a keyword
/// that no bracket can hold.
fn starts_item(text: &str, tokens: &[Spanned], index: usize, stack: &[Open]) -> bool {
    let word = tokens[index];
    let next = |ahead: usize| tokens.get(index + ahead).map(|word| word.token);
    let in_braces = stack
        .last()
        .is_some_and(|open| open.closer == Token::CloseBrace);
    let keyword = match word.token {
        Token::Kernel | Token::Fn => next(1).is_some_and(Token::is_name),
        Token::Import => next(1) == Some(Token::Str),
        Token::Test => next(1).is_some_and(Token::is_name) && next(2) == Some(Token::OpenBrace),
        // In parentheses `const` is a parameter of a function.
        Token::Const => in_braces,
        _ => false,
    };
    keyword && (word.start == 0 || text.as_bytes().get(word.start as usize - 1) == Some(&b'\n'))
}

/// The first of the attributes directly before an item.
fn before_attributes(tokens: &[Spanned], index: usize, start: usize) -> usize {
    let mut first = index;
    while first > start && tokens[first - 1].token == Token::CloseBracket {
        let group = tokens[start..first].iter().rposition(|word| {
            matches!(
                word.token,
                Token::Hash | Token::Semicolon | Token::OpenBrace | Token::CloseBrace
            )
        });
        match group {
            Some(at) if tokens[start + at].token == Token::Hash && start + at > start => {
                first = start + at
            }
            _ => break,
        }
    }
    first
}

/// Whether a `}` at the start of its line stands under an outer `{` and not under `top`.
fn belongs_further_out(
    text: &str,
    tokens: &[Spanned],
    index: usize,
    top: &Open,
    stack: &[Open],
) -> bool {
    let column = |at: usize| indentation(text, tokens[at].start);
    let Some(close) = column(index) else {
        return false;
    };
    let first_on_line = text[..tokens[index].start as usize]
        .trim_end_matches([' ', '\t'])
        .ends_with('\n');
    first_on_line
        && column(top.index).is_some_and(|open| close < open)
        && stack
            .iter()
            .rev()
            .take(64)
            .any(|outer| outer.closer == Token::CloseBrace && column(outer.index) == Some(close))
}

/// White space at the start of the line of an offset, if the line starts within reach: looking
/// further would take quadratic time on a file of one line.
fn indentation(text: &str, offset: u32) -> Option<usize> {
    const REACH: usize = 400;
    let bytes = text.as_bytes().get(..offset as usize)?;
    let reachable = &bytes[bytes.len().saturating_sub(REACH)..];
    let line = match reachable.iter().rposition(|&byte| byte == b'\n') {
        Some(at) => &reachable[at + 1..],
        None if reachable.len() < REACH => reachable,
        None => return None,
    };
    Some(
        line.iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count(),
    )
}

/// Copies the tokens of a segment with its brackets mended.
fn rebuild(
    file: FileId,
    text: &str,
    tokens: &[Spanned],
    start: usize,
    segment: &Segment,
    balanced: &mut Balanced,
) {
    let span = |word: Spanned| Span {
        file,
        start: word.start,
        end: word.end,
    };
    let mut unclosed = segment.unclosed.iter().peekable();
    let mut stray = segment.stray.iter().peekable();
    let mut mismatched = segment.mismatched.iter().peekable();
    // Open brackets: the one at the given index, and, if it has no partner, where it ends at last.
    let mut stack: Vec<(usize, Token, Option<usize>)> = Vec::new();
    for index in start..=segment.end {
        let word = tokens.get(index).copied().filter(|_| index < segment.end);
        while let Some(&(open, closer, Some(limit))) = stack.last() {
            let previous = tokens[index - 1];
            let here =
                index == limit || word.is_none_or(|word| ends_before(text, closer, previous, word));
            if !here {
                break;
            }
            stack.pop();
            let at = Spanned {
                token: closer,
                start: previous.end,
                end: previous.end,
            };
            balanced.tokens.push(at);
            if balanced.errors.len() <= MAXIMUM_ERRORS {
                let found = tokens.get(index).map(|word| word.token);
                balanced.errors.push(messages::unclosed_bracket(
                    tokens[open].token,
                    closer,
                    found,
                    span(tokens[open]),
                    span(at),
                ));
            }
        }
        let Some(mut word) = word else { break };
        if mismatched.next_if(|&&(_, close)| close == index).is_some()
            && let Some(&(open, closer, _)) = stack.last()
        {
            if balanced.errors.len() <= MAXIMUM_ERRORS {
                let open = tokens[open];
                balanced.errors.push(messages::mismatched_bracket(
                    open.token,
                    word.token,
                    span(open),
                    span(word),
                ));
            }
            word.token = closer;
        }
        if stray.next_if_eq(&&index).is_some() {
            balanced.removed.push(word.start);
            if balanced.errors.len() <= MAXIMUM_ERRORS {
                balanced
                    .errors
                    .push(messages::stray_bracket(word.token, span(word)));
            }
            continue;
        }
        if let Some(closer) = word.token.closer() {
            let limit = unclosed
                .next_if(|&&(open, _)| open == index)
                .map(|&(_, limit)| limit);
            stack.push((index, closer, limit));
        } else if word.token.is_closer() {
            stack.pop();
        }
        balanced.tokens.push(word);
    }
}

/// Whether a parenthesis without partner ends before this token at the latest.
fn ends_before(text: &str, closer: Token, previous: Spanned, word: Spanned) -> bool {
    if closer == Token::CloseBrace {
        return false;
    }
    let gap = text
        .get(previous.end as usize..word.start as usize)
        .unwrap_or_default();
    match word.token {
        Token::Semicolon => true,
        // The body of a loop or kernel, not of a closure or of an `if` used as a value.
        Token::OpenBrace => !matches!(
            previous.token,
            Token::Or | Token::OrOr | Token::Assign | Token::Comma | Token::OpenParen | Token::Else
        ),
        token => token.starts_statement() && gap.contains('\n'),
    }
}
