//! What can be wrong with PTX text, said as a reader of PTX would say it.

use std::fmt;

use lalrpop_util::ParseError as Mismatch;

use super::expected;
use super::lexer::{Lexer, MAXIMUM_DEPTH};
use super::literal::NumberProblem;
use super::token::{Position, Token};
use crate::suggest;

/// Text that is no PTX, with the place.
///
/// ```text
/// line 12, column 19: expected `,` or `;`, found `%r3`
///    12 |     add.s32 %r1, %r2 %r3;
///       |                      ^^^
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}\n{}", self.excerpt())]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// Characters that are wrong; 0 where something is missing.
    pub width: u32,
    /// The line.
    pub text: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a piece of text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A token where no such token can stand.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// In words.
        expected: String,
        /// As written, in backquotes.
        found: String,
    },
    /// A bracket without its other half at the end of the text.
    #[error("{bracket} opened in line {line} is never closed")]
    Unclosed {
        /// As written, in backquotes.
        bracket: String,
        /// Where.
        line: u32,
    },
    /// `/*` without `*/`.
    #[error("the comment is never closed: `*/` is missing")]
    UnclosedComment,
    /// `"` without another on the line.
    #[error("the string is never closed: `\"` is missing")]
    UnclosedString,
    /// A character of no token.
    #[error("`{0}` means nothing in PTX")]
    Unreadable(String),
    /// Digits that are no number.
    #[error("`{text}` {why}")]
    Number {
        /// As written.
        text: String,
        /// Why.
        why: NumberProblem,
    },
    /// Too many brackets in brackets.
    #[error("brackets are nested more than {MAXIMUM_DEPTH} deep")]
    TooDeep,
    /// 4 GiB or more.
    #[error("the text is {0} bytes long; the most is 4 GiB")]
    TooLong(usize),
    /// A register or variable of no type that PTX has.
    #[error("unknown type `.{name}`{hint}")]
    UnknownType {
        /// Without the dot.
        name: String,
        /// `` (did you mean …?) `` or nothing.
        hint: String,
    },
    /// A declaration that says something twice, or does not say of what type.
    #[error("this declaration has {0}")]
    Declaration(&'static str),
    /// Behind the head of a function.
    #[error("unknown directive `.{name}`{hint}")]
    UnknownDirective {
        /// Without the dot.
        name: String,
        /// `` (did you mean …?) `` or nothing.
        hint: String,
    },
    /// Something that has another form.
    #[error("expected {0}")]
    Form(&'static str),
    /// A name for two things in one scope.
    #[error("`{name}` is declared twice in this scope, first in line {line}")]
    Redeclared {
        /// Which.
        name: String,
        /// Of the first.
        line: u32,
    },
    /// No `.version` or `.target`.
    #[error("the text has no `{0}`: it is no PTX, or its head is cut off")]
    Missing(&'static str),
    /// A float, where an integer must be.
    #[error("expected an integer, found a floating-point number")]
    NoInteger,
    /// A negative number, where a count or a size must be.
    #[error("expected a number from {0} to {1}, found `{2}`")]
    OutOfRange(u64, u64, i64),
    /// `0f…` with an operator.
    #[error("a single-precision constant (`0f…`) takes no part in expressions")]
    SingleInExpression,
    /// In a constant expression.
    #[error("division by zero in a constant expression")]
    DivisionByZero,
    /// `symbol << 2`
    #[error("only a number can be added to an address or subtracted from it")]
    AddressArithmetic,
}

impl Problem {
    /// A type nobody knows.
    pub(super) fn unknown_type(name: &str) -> Self {
        let known = super::types::Type::ALL.iter().map(|ty| ty.name());
        Self::UnknownType {
            name: shorten(name),
            hint: suggest::nearest(name, known),
        }
    }

    /// A directive nobody knows.
    pub(super) fn unknown_directive(name: &str, known: &[&'static str]) -> Self {
        let hint = suggest::nearest(name, known.iter().copied());
        Self::UnknownDirective {
            name: shorten(name),
            hint,
        }
    }
}

/// A problem and the piece of text that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    start: Position,
    end: u32,
    problem: Problem,
}

/// What the grammar's actions may fail with.
pub type Fallible<'text, T> = Result<T, Mismatch<Position, Token<'text>, Box<Failure>>>;

impl Failure {
    /// Of the text between two places.
    pub(super) fn new(start: Position, end: Position, problem: Problem) -> Box<Self> {
        Box::new(Self {
            start,
            end: end.offset,
            problem,
        })
    }

    /// Of the text between two places, for the parser.
    pub(super) fn user<'text>(
        start: Position,
        end: Position,
        problem: Problem,
    ) -> Mismatch<Position, Token<'text>, Box<Self>> {
        Mismatch::User {
            error: Self::new(start, end, problem),
        }
    }

    /// What the parser says, in words.
    pub(super) fn of_mismatch(
        mismatch: Mismatch<Position, Token<'_>, Box<Self>>,
        lexer: &Lexer<'_>,
        text: &str,
    ) -> Box<Self> {
        match mismatch {
            Mismatch::User { error } => error,
            Mismatch::InvalidToken { location } => {
                Self::new(location, location, Problem::Form("a token"))
            }
            Mismatch::ExtraToken {
                token: (start, _, end),
            } => Self::new(start, end, Problem::Form("the end of the text")),
            Mismatch::UnrecognizedEof { expected, .. } => {
                let end = lexer.last_end();
                let problem = match lexer.open_bracket() {
                    Some((bracket, line)) => Problem::Unclosed {
                        bracket: format!("the `{bracket}`"),
                        line,
                    },
                    None => Problem::Unexpected {
                        expected: expected::in_words(&expected),
                        found: "the end of the text".to_owned(),
                    },
                };
                Self::new(end, end, problem)
            }
            Mismatch::UnrecognizedToken {
                token: (start, _, end),
                expected,
            } => {
                let piece = text.get(start.offset as usize..end.offset as usize);
                let mut found = format!("`{}`", shorten(piece.unwrap_or_default()));
                let words = expected::in_words(&expected);
                let previous = lexer.previous_end();
                // What is missing at the end of a line is not the next line's fault.
                if expected::ends_something(&expected) && previous.line < start.line {
                    found.push_str(&format!(" in line {}", start.line));
                    let problem = Problem::Unexpected {
                        expected: words,
                        found,
                    };
                    return Self::new(previous, previous, problem);
                }
                Self::new(
                    start,
                    end,
                    Problem::Unexpected {
                        expected: words,
                        found,
                    },
                )
            }
        }
    }

    /// With the line it is in.
    pub(super) fn in_text(self, text: &str) -> ParseError {
        let start = floor(text, self.start.offset as usize);
        let end = floor(text, self.end as usize).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..]
            .find(['\n', '\r'])
            .map_or(text.len(), |at| start + at);
        let count = |piece: &str| u32::try_from(piece.chars().count()).unwrap_or(u32::MAX);
        ParseError {
            line: self.start.line,
            column: count(&text[line_start..start]).saturating_add(1),
            width: count(&text[start..end.min(line_end)]),
            text: text[line_start..line_end].to_owned(),
            problem: self.problem,
        }
    }
}

/// The last place at or before an offset that is between two characters.
fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Characters of a line that an error message shows.
const EXCERPT: usize = 120;

impl ParseError {
    /// The line with a mark below what is wrong; of a very long line the piece around it.
    fn excerpt(&self) -> impl fmt::Display {
        let column = self.column.saturating_sub(1) as usize;
        let from = column.saturating_sub(EXCERPT / 2);
        let is_long = from > 0 && self.text.chars().count() > EXCERPT;
        let from = if is_long { from } else { 0 };
        let line: String = self.text.chars().skip(from).take(EXCERPT).collect();
        let line = line.replace(char::is_control, " ");
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(column - from);
        let width = (self.width.max(1) as usize).min(EXCERPT);
        let mark = "^".repeat(width);
        format!(
            "  {number} | {}\n  {margin} | {indent}{mark}",
            line.trim_end()
        )
    }
}

/// A piece of the text for the middle of a message.
pub(super) fn shorten(piece: &str) -> String {
    const LONGEST: usize = 60;
    if piece.chars().count() <= LONGEST {
        return piece.to_owned();
    }
    piece.chars().take(LONGEST).chain(['…']).collect()
}
