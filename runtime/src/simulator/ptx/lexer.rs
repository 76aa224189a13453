//! Text to tokens, one at a time.
//!
//! What the tree has no place for ends here: comments, line ends, and `.section`s, which hold
//! debugging information. Brackets are counted, so that what is built from them later is never
//! deeper than [`MAXIMUM_DEPTH`].

use logos::Logos;

use super::error::{Failure, Problem, shorten};
use super::token::{LexError, Position, Token};

/// Brackets within brackets. Compilers write three or four deep.
pub const MAXIMUM_DEPTH: usize = 200;

/// A token with where it starts and ends, or what is wrong with the text.
type Item<'text> = Result<(Position, Token<'text>, Position), Box<Failure>>;

/// The tokens of a text.
pub struct Lexer<'text> {
    words: logos::Lexer<'text, Token<'text>>,
    line: u32,
    /// Brackets that are open, with their lines.
    open: Vec<(char, u32)>,
    /// End of the token before the last one: where a missing `;` belongs.
    previous: Position,
    last: Position,
}

impl<'text> Lexer<'text> {
    /// Of a text of less than 4 GiB.
    pub fn new(text: &'text str) -> Self {
        let start = Position { offset: 0, line: 1 };
        Self {
            words: Token::lexer(text),
            line: 1,
            open: Vec::new(),
            previous: start,
            last: start,
        }
    }

    /// Where the token before the last one ended.
    pub fn previous_end(&self) -> Position {
        self.previous
    }

    /// Where the last token ended.
    pub fn last_end(&self) -> Position {
        self.last
    }

    /// The innermost bracket that is open, and its line.
    pub fn open_bracket(&self) -> Option<(char, u32)> {
        self.open.last().copied()
    }

    fn at(&self, offset: usize) -> Position {
        Position {
            offset: offset32(offset),
            line: self.line,
        }
    }

    fn fail(&self, problem: Problem) -> Item<'text> {
        let span = self.words.span();
        Err(Failure::new(
            self.at(span.start),
            self.at(span.end),
            problem,
        ))
    }

    fn bad_word(&self, error: LexError) -> Item<'text> {
        let piece = self.words.slice();
        self.fail(match error {
            LexError::Unknown => Problem::Unreadable(shorten(piece)),
            LexError::Number(why) => Problem::Number {
                text: shorten(piece),
                why,
            },
        })
    }

    /// To the end of a comment whose `/*` was read. Comments do not nest.
    fn skip_comment(&mut self) -> Option<()> {
        let rest = self.words.remainder();
        let length = rest.find("*/")? + 2;
        self.line += line_ends(&rest[..length]);
        self.words.bump(length);
        Some(())
    }

    /// To the end of a section whose `.section` was read: `.section .debug_info { … }`. What it
    /// says may not even be PTX.
    fn skip_section(&mut self) -> Result<(), Problem> {
        let line = self.line;
        let mut depth = 0_usize;
        while let Some(word) = self.words.next() {
            match word {
                Ok(Token::NewLine) => self.line += 1,
                Ok(Token::BlockComment) => {
                    self.skip_comment().ok_or(Problem::UnclosedComment)?;
                }
                Ok(Token::OpenBrace) => depth += 1,
                Ok(Token::CloseBrace) if depth <= 1 => return Ok(()),
                Ok(Token::CloseBrace) => depth -= 1,
                Ok(Token::Semicolon) if depth == 0 => return Ok(()),
                _ => {}
            }
        }
        Err(Problem::Unclosed {
            bracket: "the section".to_owned(),
            line,
        })
    }
}

impl<'text> Iterator for Lexer<'text> {
    type Item = Item<'text>;

    fn next(&mut self) -> Option<Item<'text>> {
        loop {
            let token = match self.words.next()? {
                Ok(token) => token,
                Err(error) => return Some(self.bad_word(error)),
            };
            match token {
                Token::NewLine => {
                    self.line += 1;
                    continue;
                }
                Token::LineComment => continue,
                Token::BlockComment => match self.skip_comment() {
                    Some(()) => continue,
                    None => return Some(self.fail(Problem::UnclosedComment)),
                },
                Token::Section => match self.skip_section() {
                    Ok(()) => continue,
                    Err(problem) => return Some(self.fail(problem)),
                },
                Token::UnclosedText => return Some(self.fail(Problem::UnclosedString)),
                Token::OpenBrace => self.open.push(('{', self.line)),
                Token::OpenBracket => self.open.push(('[', self.line)),
                Token::OpenParen => self.open.push(('(', self.line)),
                Token::CloseBrace | Token::CloseBracket | Token::CloseParen => {
                    self.open.pop();
                }
                _ => {}
            }
            if self.open.len() > MAXIMUM_DEPTH {
                return Some(self.fail(Problem::TooDeep));
            }
            let span = self.words.span();
            let (start, end) = (self.at(span.start), self.at(span.end));
            self.previous = self.last;
            self.last = end;
            return Some(Ok((start, token, end)));
        }
    }
}

/// Longer texts are refused before they get here.
fn offset32(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn line_ends(text: &str) -> u32 {
    offset32(text.bytes().filter(|&byte| byte == b'\n').count())
}
