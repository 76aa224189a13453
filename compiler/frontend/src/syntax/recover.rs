//! Parsing an item that may be wrong, and going on.
//!
//! The parser stops at the first token that does not fit. Then the tokens are mended, at the
//! smallest place that makes sense, and the item is parsed again, until it parses:
//!
//! ```text
//! let a = 1            missing `;` is inserted
//! let in = 2;          the keyword becomes a name
//! let b = * 3;         the statement becomes ⟨broken statement⟩
//! kernel k(x y) { … }  all before `{` becomes ⟨broken heading⟩; the body is still checked
//! ```
//!
//! Each mending is one diagnostic, unless the place was reported already. This is more work than
//! skipping tokens in the parser, but only for wrong programs, and one mistake gives one message.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

use lalrpop_util::ParseError;
use tile_runtime::element::ElementType;

use super::actions::{Context, Never};
use super::expected::Expected;
use super::place::{Place, on_new_line};
use super::token::{Spanned, Token};
use super::{ast, grammar};
use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::source::FileId;

/// Problems reported per item.
const MAXIMUM_ERRORS: usize = 30;

/// Parses items one after another.
pub struct ItemParser<'a> {
    /// Which file.
    pub file: FileId,
    /// Its text.
    pub text: &'a str,
    /// Offsets where something was reported before parsing; rising. An error nearby is a
    /// consequence.
    pub reported: &'a [u32],
    /// Tables of the parser.
    pub parser: grammar::FileParser,
    /// How many more tokens may be parsed again: bounds the time for garbage.
    pub budget: usize,
    /// Keywords that were used as names: said once, not at every use.
    pub disguised: HashSet<String>,
}

/// How to go on after an error.
enum Mending {
    /// Put a token before the one at this index.
    Insert(usize, Token),
    /// Make the token at this index another.
    Become(usize, Token),
    /// Put one token in place of these.
    Replace(Range<usize>, Token),
    /// Leave the item out.
    GiveUp,
}

impl ItemParser<'_> {
    /// The items in some tokens, and what is wrong with them. What is too broken is left out.
    pub fn parse(&mut self, mut tokens: Vec<Spanned>, context: &mut Context<'_>) -> Vec<ast::Item> {
        let before = context.errors.len();
        let mut errors = Vec::new();
        let mut items = Vec::new();
        while errors.len() < MAXIMUM_ERRORS {
            // What actions report, they report again in the next round.
            context.errors.truncate(before);
            let (index, expected) = match self.attempt(&tokens, context) {
                Ok(parsed) => {
                    items = parsed;
                    break;
                }
                Err(problem) => problem,
            };
            let (diagnostic, mending) = self.mend(&tokens, index, &expected);
            errors.extend(diagnostic);
            if !self.apply(&mut tokens, mending) {
                break;
            }
        }
        context.errors.extend(errors);
        items
    }

    /// The index of the first token that does not fit (one past the last: the end) and what would.
    fn attempt(
        &mut self,
        tokens: &[Spanned],
        context: &mut Context<'_>,
    ) -> Result<Vec<ast::Item>, (usize, Expected)> {
        let taken = Cell::new(0);
        let words = tokens.iter().map(|word| {
            taken.set(taken.get() + 1);
            Ok::<_, Never>((word.start, word.token, word.end))
        });
        match self.parser.parse(context, words) {
            Ok(items) => Ok(items),
            Err(ParseError::UnrecognizedToken { expected, .. }) => {
                Err((taken.get() - 1, Expected::new(&expected)))
            }
            Err(ParseError::UnrecognizedEof { expected, .. }) => {
                Err((tokens.len(), Expected::new(&expected)))
            }
            // A `File` takes all tokens, and neither tokens nor actions fail.
            Err(
                ParseError::ExtraToken { .. }
                | ParseError::InvalidToken { .. }
                | ParseError::User { .. },
            ) => Err((taken.get() - 1, Expected::new(&[]))),
        }
    }

    fn apply(&mut self, tokens: &mut Vec<Spanned>, mending: Mending) -> bool {
        match mending {
            Mending::Insert(at, token) => {
                let end = at
                    .checked_sub(1)
                    .and_then(|before| tokens.get(before))
                    .map_or(0, |word| word.end);
                tokens.insert(
                    at,
                    Spanned {
                        token,
                        start: end,
                        end,
                    },
                );
            }
            Mending::Become(at, token) => tokens[at].token = token,
            // It is that token already, and will not fit this time either.
            Mending::Replace(range, token)
                if range.len() == 1 && tokens[range.start].token == token =>
            {
                return false;
            }
            Mending::Replace(range, token) => {
                let (start, end) = (tokens[range.start].start, tokens[range.end - 1].end);
                tokens.splice(range, [Spanned { token, start, end }]);
            }
            Mending::GiveUp => return false,
        }
        self.budget = self.budget.saturating_sub(tokens.len());
        self.budget > 0
    }

    /// What to say about the token at `index`, if anything, and what to do about it.
    fn mend(
        &mut self,
        tokens: &[Spanned],
        index: usize,
        expected: &Expected,
    ) -> (Option<Diagnostic>, Mending) {
        if let Some((diagnostic, mending)) = self.mend_lightly(tokens, index, expected) {
            let repeated = diagnostic.code == Code::KeywordAsName && {
                let keyword = self.source(tokens[index]).to_owned();
                !self.disguised.insert(keyword)
            };
            let silent = repeated || self.is_near_reported(tokens, index);
            return ((!silent).then_some(diagnostic), mending);
        }
        let place = Place::find(self.text, tokens, index);
        let (range, mending) = match place {
            Place::Statement(range) => (
                range.clone(),
                Mending::Replace(range, Token::BrokenStatement),
            ),
            Place::Heading(range) => (range.clone(), Mending::Replace(range, Token::BrokenHeading)),
            Place::Item => (0..tokens.len(), Mending::GiveUp),
        };
        let silent = self.is_near_reported(tokens, index) || self.holds_reported(&tokens[range]);
        (
            (!silent).then(|| self.unexpected(tokens, index, expected)),
            mending,
        )
    }

    /// Mistakes whose meaning is clear.
    fn mend_lightly(
        &self,
        tokens: &[Spanned],
        index: usize,
        expected: &Expected,
    ) -> Option<(Diagnostic, Mending)> {
        let previous = index.checked_sub(1).map(|before| tokens[before]);
        let found = tokens.get(index).copied();
        let complete = expected.operator();
        if let Some(found) = found {
            let span = self.span(found);
            if found.token.is_keyword()
                && expected.name()
                && self.is_name_in_disguise(tokens, index, expected)
            {
                let text = self.source(found);
                return Some((
                    messages::keyword_as_name(text, span),
                    Mending::Become(index, Token::Name),
                ));
            }
            if found.token == Token::OpenParen
                && let Some(word) = previous.filter(|previous| previous.token == Token::Mut)
            {
                return Some((
                    messages::mut_of_several(self.span(word)),
                    Mending::Replace(index - 1..index + 1, Token::OpenParen),
                ));
            }
            if found.token.is_comparison() && complete && !expected.has("<") {
                return Some((
                    messages::chained_comparison(self.source(found), span),
                    Mending::Become(index, Token::AndAnd),
                ));
            }
            if found.token == Token::Assign
                && !expected.has("=")
                // Here no value stands before it: `for i = 0`, `grid = 4`.
                && !expected.has("in")
                && (complete || !expected.has("("))
                && previous.is_some_and(|previous| ends_value(previous.token))
            {
                let place = Place::find(self.text, tokens, index);
                let first = match &place {
                    Place::Statement(range) => tokens[range.start].token,
                    _ => Token::Unknown,
                };
                let diagnostic = match first {
                    Token::If => messages::assignment_in_condition("if", span),
                    Token::While => messages::assignment_in_condition("while", span),
                    _ => messages::assignment_as_value(span),
                };
                return Some((diagnostic, Mending::Become(index, Token::EqualEqual)));
            }
            if found.token == Token::Semicolon
                && expected.has("=")
                && let Some(start) = Place::find(self.text, tokens, index).start()
                && matches!(tokens[start].token, Token::Let | Token::Const)
            {
                let previous = previous.map_or(span, |previous| self.span(previous));
                let whole = self.span(tokens[start]).to(previous);
                let diagnostic = if tokens[start].token == Token::Let {
                    messages::let_without_value(whole, previous.after())
                } else {
                    messages::const_without_value(whole, previous.after())
                };
                let place = Place::find(self.text, tokens, index);
                return Some((
                    diagnostic,
                    match place {
                        Place::Statement(range) => Mending::Replace(range, Token::BrokenStatement),
                        _ => Mending::GiveUp,
                    },
                ));
            }
        }
        let previous = previous?;
        let ends = found.is_none_or(|found| {
            found.token == Token::CloseBrace
                || found.token.starts_statement()
                || self.on_new_line(previous, found)
        });
        if expected.has(";") && ends && !previous.is_virtual() {
            let comment = found.is_some_and(|found| self.divides_with_slashes(previous, found));
            let diagnostic = messages::missing_semicolon(self.span(previous).after(), comment);
            return Some((diagnostic, Mending::Insert(index, Token::Semicolon)));
        }
        None
    }

    /// Whether a keyword was probably meant as a name.
    fn is_name_in_disguise(&self, tokens: &[Spanned], index: usize, expected: &Expected) -> bool {
        let token = tokens[index].token;
        let next = tokens.get(index + 1).map(|word| word.token);
        if token == Token::Underscore
            || next.is_none_or(|next| next.is_name() || next == Token::Mut)
        {
            return false;
        }
        if expected.has("let") {
            // At the start of a statement only what goes on as a value does.
            return matches!(token, Token::In | Token::As | Token::Import | Token::Kernel)
                && next.is_some_and(|next| {
                    matches!(next, Token::Assign | Token::OpenBracket | Token::Dot)
                });
        }
        if expected.expression() {
            return matches!(
                token,
                Token::In
                    | Token::As
                    | Token::Import
                    | Token::Kernel
                    | Token::Static
                    | Token::Const
            );
        }
        index > 0 && !self.on_new_line(tokens[index - 1], tokens[index])
            || !(token.starts_statement()
                || matches!(token, Token::Kernel | Token::Fn | Token::Import))
    }

    /// "Expected X, found Y".
    fn unexpected(&self, tokens: &[Spanned], index: usize, expected: &Expected) -> Diagnostic {
        let wanted = expected.describe();
        let previous = index.checked_sub(1).map(|before| tokens[before]);
        let Some(&found) = tokens.get(index) else {
            let end = previous.map_or(
                Span {
                    file: self.file,
                    start: 0,
                    end: 0,
                },
                |word| self.span(word).after(),
            );
            return messages::unexpected_end(&wanted, end);
        };
        let name = found.token.describe(self.source(found));
        let span = self.span(found);
        if expected.has("for") && expected.has("while") && !expected.has("let") {
            let attribute = previous.map_or(span, |previous| self.span(previous));
            let start = tokens[..index]
                .iter()
                .rfind(|word| word.token == Token::Hash);
            let attribute = start.map_or(attribute, |&start| self.span(start).to(attribute));
            return messages::misplaced_attribute(attribute, &name, span);
        }
        let diagnostic = match previous {
            // The place where something is missing is the end of the line before.
            Some(previous) if self.on_new_line(previous, found) && !expected.has("let") => {
                messages::unexpected_on_next_line(&wanted, &name, self.span(previous).after(), span)
            }
            _ => messages::unexpected(&wanted, &name, span),
        };
        let before = previous.map(|word| (word.token, self.source(word)));
        if let Some(element) = self.cast_of_c(tokens, index) {
            return messages::with_cast_hint(diagnostic, element);
        }
        let last = tokens[..index].last_chunk().copied();
        if last.is_some_and(|[number, point]: [Spanned; 2]| {
            (number.token, point.token) == (Token::Int, Token::Dot)
        }) {
            return messages::with_point_hint(diagnostic);
        }
        messages::with_hint(
            diagnostic,
            (found.token, self.source(found)),
            before,
            expected,
        )
    }

    /// The type in `(f16) x`, where the token at the index is `x`.
    fn cast_of_c(&self, tokens: &[Spanned], index: usize) -> Option<&str> {
        let start = index.checked_sub(3)?;
        let [open, name, close] = tokens.get(start..index)? else {
            return None;
        };
        let tokens = (open.token, name.token, close.token);
        let is_cast = tokens == (Token::OpenParen, Token::Name, Token::CloseParen);
        let element = self.source(*name);
        let types = ["float", "double", "int", "half", "long", "unsigned"];
        let is_type = element.parse::<ElementType>().is_ok() || types.contains(&element);
        (is_cast && is_type).then_some(element)
    }

    fn span(&self, word: Spanned) -> Span {
        Span {
            file: self.file,
            start: word.start,
            end: word.end,
        }
    }

    fn source(&self, word: Spanned) -> &str {
        self.text
            .get(word.start as usize..word.end as usize)
            .unwrap_or_default()
    }

    fn on_new_line(&self, previous: Spanned, found: Spanned) -> bool {
        on_new_line(self.text, previous, found)
    }

    /// `a // b;` on one line: in Python that divides.
    fn divides_with_slashes(&self, previous: Spanned, found: Spanned) -> bool {
        let gap = self
            .text
            .get(previous.end as usize..found.start as usize)
            .unwrap_or_default();
        let comment = gap
            .lines()
            .next()
            .unwrap_or_default()
            .trim()
            .strip_prefix("//");
        comment.is_some_and(|comment| comment.ends_with(';') && !comment.starts_with('/'))
    }

    /// Whether the token at an index or the one before it was reported already.
    fn is_near_reported(&self, tokens: &[Spanned], index: usize) -> bool {
        let near = tokens
            .get(index.saturating_sub(1)..(index + 1).min(tokens.len()))
            .unwrap_or_default();
        near.iter().any(|word| {
            matches!(
                word.token,
                Token::Unknown | Token::BrokenStatement | Token::BrokenHeading
            ) || (word.is_virtual() && word.token != Token::Semicolon)
        })
    }

    fn holds_reported(&self, tokens: &[Spanned]) -> bool {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return false;
        };
        let next = self
            .reported
            .partition_point(|&offset| offset < first.start);
        self.reported
            .get(next)
            .is_some_and(|&offset| offset <= last.end)
    }
}

fn ends_value(token: Token) -> bool {
    token.is_name()
        || matches!(
            token,
            Token::Int | Token::Float | Token::Str | Token::True | Token::False
        )
        || matches!(token, Token::CloseParen | Token::CloseBracket)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::ItemParser;
    use crate::syntax::{actions, brackets, grammar, lexer};

    #[test]
    fn a_mending_that_changes_nothing_is_the_last() {
        let text = "test {(#[)]\nkernel a";
        let lexed = lexer::lex(0, text);
        let balanced = brackets::balance(0, text, &lexed.tokens);
        let mut context = actions::Context::new(0, text, &lexed.docs);
        let budget = 10_000;
        let mut parser = ItemParser {
            file: 0,
            text,
            reported: &balanced.removed,
            parser: grammar::FileParser::new(),
            budget,
            disguised: HashSet::new(),
        };
        parser.parse(balanced.tokens, &mut context);
        assert!(parser.budget > budget - 100, "{} left", parser.budget);
    }
}
