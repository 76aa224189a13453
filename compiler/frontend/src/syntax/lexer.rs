//! Text to tokens.
//!
//! Comments end here: `///` lines go to the token behind them, `//!` lines to the file. Every
//! problem is reported once and mended, so that the parser sees a plausible token in its place:
//!
//! ```text
//! let y = x ** 2;    →    let  NAME  =  NAME  *  INT  ;      and E0014: `**` is no operator of Tile
//! ```

use std::collections::HashMap;

use logos::Logos;

use super::ast::HeaderLine;
use super::literal;
use super::token::{Spanned, Token};
use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::FileId;

/// Problems reported per file; the rest of a file of garbage is not worth reading.
pub(crate) const MAXIMUM_ERRORS: usize = 100;

/// A block of `///` lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Docs {
    /// Without marker and leading space.
    pub lines: Vec<String>,
    /// Where.
    pub span: Span,
}

/// A file as tokens.
#[derive(Debug, Clone, Default)]
pub struct Lexed {
    /// In order.
    pub tokens: Vec<Spanned>,
    /// `//!` lines at the top.
    pub header: Vec<HeaderLine>,
    /// `///` blocks by the offset of the token behind them.
    pub docs: HashMap<u32, Docs>,
    /// What is wrong.
    pub errors: Vec<Diagnostic>,
    /// Whether a comment without end hides the rest of the file.
    pub is_cut_off: bool,
}

/// Splits text into tokens. Takes time linear in the text, whatever it is.
#[must_use]
pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        lexed: Lexed::default(),
        pending_docs: None,
        unknown_run: None,
    };
    lexer.run();
    lexer.lexed
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    lexed: Lexed,
    pending_docs: Option<Docs>,
    /// Unknown characters that stand together are one problem.
    unknown_run: Option<Span>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let text = self.text;
        let mut words = Token::lexer(text);
        while let Some(word) = words.next() {
            let range = words.span();
            let span = self.span(range.start, range.end);
            let Ok(token) = word else {
                self.unknown(&mut words, span);
                continue;
            };
            self.flush_unknown();
            let piece = words.slice();
            match token {
                Token::LineComment => self.line_comment(piece, span),
                Token::BlockComment => {
                    let rest = words.remainder();
                    match block_comment_end(rest) {
                        Some(length) => words.bump(length),
                        None => {
                            words.bump(rest.len());
                            self.lexed.is_cut_off = true;
                            self.report(messages::unclosed_comment(span));
                        }
                    }
                }
                Token::Hash if !words.remainder().trim_start().starts_with('[') => {
                    let line = words
                        .remainder()
                        .find('\n')
                        .unwrap_or(words.remainder().len());
                    let text = words.remainder().get(..line).unwrap_or_default();
                    self.report(messages::hash_comment(text, span));
                    words.bump(line);
                }
                _ => self.token(token, piece, span),
            }
        }
        self.flush_unknown();
        if let Some(docs) = self.pending_docs.take() {
            self.report(messages::docs_for_nothing(docs.span));
        }
    }

    fn token(&mut self, token: Token, piece: &str, span: Span) {
        let token = match token {
            Token::Name => {
                if !piece.is_ascii() {
                    self.report(messages::name_not_ascii(piece, span));
                }
                token
            }
            Token::Int => {
                if let Err(problem) = literal::integer(piece) {
                    self.report(messages::bad_number(piece, problem, span));
                }
                token
            }
            Token::Float => {
                if self.follows_dot() && self.split_fields(piece, span) {
                    return;
                }
                if let Err(problem) = literal::float(piece) {
                    self.report(messages::bad_number(piece, problem, span));
                }
                token
            }
            Token::Str => return self.string(piece, span),
            // Two brackets with nothing between.
            Token::Foreign if piece == "<>" && self.takes_angle_brackets() => {
                let middle = span.start + 1;
                self.push(
                    Token::Less,
                    Span {
                        end: middle,
                        ..span
                    },
                );
                self.push(
                    Token::Greater,
                    Span {
                        start: middle,
                        ..span
                    },
                );
                return;
            }
            Token::Foreign => {
                let after = self.after(span);
                let shown = match piece {
                    "::" if after.starts_with('<') => "::<",
                    "::" if !after.starts_with(|c: char| c.is_alphabetic() || c == '_') => "::…",
                    piece => piece,
                };
                self.report(messages::foreign_operator(shown, span));
                native_operator(piece)
            }
            _ => token,
        };
        self.push(token, span);
    }

    /// In `t.0.1` the `0.1` is two fields, no number.
    fn split_fields(&mut self, piece: &str, span: Span) -> bool {
        let Some((first, second)) = piece.split_once('.') else {
            return false;
        };
        if !piece
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return false;
        }
        let dot = span.start + length(first);
        self.push(Token::Int, Span { end: dot, ..span });
        self.push(
            Token::Dot,
            Span {
                start: dot,
                end: dot + 1,
                ..span
            },
        );
        self.push(
            Token::Int,
            Span {
                start: span.end - length(second),
                ..span
            },
        );
        true
    }

    fn takes_angle_brackets(&self) -> bool {
        let tokens = &self.lexed.tokens;
        let token = |back: usize| tokens.len().checked_sub(back).map(|at| tokens[at].token);
        matches!(token(1), Some(Token::Pointer | Token::Tensor | Token::Tile))
            || matches!(token(2), Some(Token::Kernel | Token::Fn))
    }

    fn follows_dot(&self) -> bool {
        self.lexed
            .tokens
            .last()
            .is_some_and(|last| last.token == Token::Dot)
    }

    fn string(&mut self, piece: &str, span: Span) {
        if !literal::is_closed(piece) {
            return self.unclosed_string(piece.trim_end(), span);
        }
        for problem in literal::string(piece).1 {
            let escape = piece.get(problem.range.clone()).unwrap_or_default();
            let range = self.span(
                span.start as usize + problem.range.start,
                span.start as usize + problem.range.end,
            );
            self.report(messages::unknown_escape(escape, range));
        }
        self.push(Token::Str, span);
    }

    /// The brackets at the end of the line were hardly meant to be in the string.
    fn unclosed_string(&mut self, piece: &str, span: Span) {
        let inside = piece.trim_end_matches([')', ']', '}', ';', ',', '{', ' ']);
        let end = span.start + length(inside).max(1);
        let whole = Span {
            end: span.start + length(piece),
            ..span
        };
        self.report(messages::unclosed_string(whole));
        self.push(Token::Str, Span { end, ..span });
        // In `"f(x)` the parenthesis is part of the text.
        let mut open: HashMap<char, usize> = HashMap::new();
        for letter in inside.chars() {
            *open.entry(letter).or_default() += 1;
        }
        let mut inside_out = |opener: char, closer: char| {
            let closed = open.get(&closer).copied().unwrap_or(0);
            let more = open.get(&opener).is_some_and(|&opened| opened > closed);
            if more {
                open.insert(closer, closed + 1);
            }
            more
        };
        for (start, letter) in (end..).zip(piece[(end - span.start) as usize..].chars()) {
            let belongs_inside = match letter {
                ')' => inside_out('(', ')'),
                ']' => inside_out('[', ']'),
                '}' => inside_out('{', '}'),
                _ => false,
            };
            if belongs_inside {
                continue;
            }
            let token = match letter {
                ')' => Token::CloseParen,
                ']' => Token::CloseBracket,
                '}' => Token::CloseBrace,
                '{' => Token::OpenBrace,
                ';' => Token::Semicolon,
                ',' => Token::Comma,
                _ => continue,
            };
            self.push(
                token,
                Span {
                    start,
                    end: start + 1,
                    ..span
                },
            );
        }
    }

    fn line_comment(&mut self, piece: &str, span: Span) {
        let piece = piece.trim_end();
        let span = Span {
            end: span.start + length(piece),
            ..span
        };
        if let Some(header) = piece.strip_prefix("//!") {
            if self.lexed.tokens.is_empty() {
                let text = header.trim().to_owned();
                self.lexed.header.push(HeaderLine { text, span });
            } else {
                self.report(messages::header_not_on_top(span));
            }
        } else if let Some(line) = piece.strip_prefix("///")
            && !line.starts_with('/')
        {
            let line = line.strip_prefix(' ').unwrap_or(line).to_owned();
            match &mut self.pending_docs {
                Some(docs) => {
                    docs.lines.push(line);
                    docs.span = docs.span.to(span);
                }
                None => {
                    self.pending_docs = Some(Docs {
                        lines: vec![line],
                        span,
                    })
                }
            }
        } else if self.follows_value(span) && is_operand(&piece[2..]) {
            self.report(messages::comment_for_division(span));
        }
    }

    /// Whether a value ends right before, on the same line.
    fn follows_value(&self, span: Span) -> bool {
        self.lexed.tokens.last().is_some_and(|last| {
            let between = self.text.get(last.end as usize..span.start as usize);
            let is_value = last.token.is_name()
                || matches!(
                    last.token,
                    Token::Int | Token::Float | Token::CloseParen | Token::CloseBracket
                );
            is_value && between.is_some_and(|between| !between.contains('\n'))
        })
    }

    /// A character that starts no token.
    fn unknown(&mut self, words: &mut logos::Lexer<'_, Token>, span: Span) {
        let piece = words.slice();
        // A string with the quotes of another language, or of a word processor.
        let closers: &[char] = match piece {
            "'" => &['\'', '\n'],
            "\u{201c}" | "\u{201d}" | "\u{201e}" => &['\u{201c}', '\u{201d}', '"', '\n'],
            _ => &[],
        };
        let rest = words.remainder();
        if !closers.is_empty()
            && let Some(inside) = rest.find(closers)
            && let Some(closer) = rest[inside..]
                .chars()
                .next()
                .filter(|&letter| letter != '\n')
        {
            self.flush_unknown();
            words.bump(inside + closer.len_utf8());
            let span = Span {
                end: span.end + length(&rest[..inside + closer.len_utf8()]),
                ..span
            };
            self.report(messages::wrong_quotes(&rest[..inside], span));
            self.push(Token::Str, span);
            return;
        }
        if piece == "@"
            && self.begins_line(span)
            && rest.starts_with(|next: char| next.is_alphabetic())
        {
            self.flush_unknown();
            let line = rest.find('\n').unwrap_or(rest.len());
            words.bump(line);
            self.report(messages::decorator(Span {
                end: span.end + length(&rest[..line]),
                ..span
            }));
            return;
        }
        if let Some((token, _)) = lookalike(piece) {
            self.flush_unknown();
            self.report(messages::lookalike(piece, token, span));
            if let Some(token) = token {
                self.push(token, span);
            }
            return;
        }
        match &mut self.unknown_run {
            Some(run) if run.end == span.start => run.end = span.end,
            _ => {
                self.flush_unknown();
                self.unknown_run = Some(span);
            }
        }
    }

    /// The text behind a span.
    fn after(&self, span: Span) -> &str {
        self.text.get(span.end as usize..).unwrap_or_default()
    }

    /// Whether nothing but blanks stands before it on its line.
    fn begins_line(&self, span: Span) -> bool {
        let before = self.text.get(..span.start as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty()
    }

    fn flush_unknown(&mut self) {
        if let Some(run) = self.unknown_run.take() {
            let piece = self
                .text
                .get(run.start as usize..run.end as usize)
                .unwrap_or_default();
            self.report(messages::unknown_characters(piece, run));
            self.push(Token::Unknown, run);
        }
    }

    fn push(&mut self, token: Token, span: Span) {
        if let Some(docs) = self.pending_docs.take() {
            self.lexed.docs.insert(span.start, docs);
        }
        self.lexed.tokens.push(Spanned {
            token,
            start: span.start,
            end: span.end,
        });
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.lexed.errors.len() <= MAXIMUM_ERRORS {
            self.lexed.errors.push(diagnostic);
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span {
            file: self.file,
            start: clamp(start),
            end: clamp(end),
        }
    }
}

fn length(piece: &str) -> u32 {
    u32::try_from(piece.len()).unwrap_or(u32::MAX)
}

/// Whether the text of a comment looks like what a value is divided by: a number or a name, and what may stand behind that in an
/// expression.
fn is_operand(text: &str) -> bool {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim_start();
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    match rest.chars().next() {
        // One word may well be a comment.
        None => is_number,
        Some(next) => {
            !word.is_empty() && ")];,}+-*".contains(next) && rest.len() <= 40 && !rest.contains(' ')
                || is_number && "+-*".contains(next)
        }
    }
}

/// How far behind `/*` its `*/` ends; comments nest.
fn block_comment_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut depth = 1_usize;
    let mut at = 0;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            (b'/', b'*') => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    None
}

/// What Tile has in place of an operator of another language, so that parsing goes on.
fn native_operator(piece: &str) -> Token {
    match piece {
        "**" => Token::Star,
        "**=" => Token::StarAssign,
        "::" => Token::Dot,
        "===" => Token::EqualEqual,
        "!==" | "<>" => Token::NotEqual,
        ":=" => Token::Assign,
        "&&=" => Token::AndAssign,
        "||=" => Token::OrAssign,
        // `a..b` in place of `range(a, b)`: any infix operator keeps the statement whole.
        _ if piece.starts_with("..") => Token::Plus,
        _ => Token::Unknown,
    }
}

/// Characters that look like one of ours, or are one of another language's: the token meant, if
/// one can be put in place, and how it is written.
pub(crate) fn lookalike(piece: &str) -> Option<(Option<Token>, &'static str)> {
    Some(match piece {
        "−" | "–" | "—" | "‐" => (Some(Token::Minus), "-"),
        "×" | "·" | "∗" | "⋅" => (Some(Token::Star), "*"),
        "÷" | "∕" => (Some(Token::Slash), "/"),
        "≤" | "≦" => (Some(Token::LessEqual), "<="),
        "≥" | "≧" => (Some(Token::GreaterEqual), ">="),
        "≠" => (Some(Token::NotEqual), "!="),
        "¬" | "~" => (Some(Token::Bang), "!"),
        "→" => (Some(Token::Arrow), "->"),
        "@" => (Some(Token::Star), "dot(a, b)"),
        "\u{37e}" | "\u{ff1b}" => (Some(Token::Semicolon), ";"),
        "\u{ff0c}" | "\u{3001}" => (Some(Token::Comma), ","),
        "\u{ff1a}" => (Some(Token::Colon), ":"),
        "\u{ff08}" => (Some(Token::OpenParen), "("),
        "\u{ff09}" => (Some(Token::CloseParen), ")"),
        "\u{201c}" | "\u{201d}" | "\u{201e}" | "«" | "»" => (None, "\""),
        "\u{a0}" | "\u{2007}" | "\u{202f}" | "\u{3000}" | "\u{2003}" | "\u{2009}" => (None, " "),
        "\u{200b}" | "\u{200c}" | "\u{200d}" | "\u{2060}" | "\u{200e}" | "\u{200f}" => (None, ""),
        _ => return None,
    })
}
