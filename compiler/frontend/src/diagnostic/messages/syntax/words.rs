//! Characters and words that are none.

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::literal::NumberProblem;
use crate::syntax::token::Token;

/// Characters that start no token.
#[must_use]
pub fn unknown_characters(piece: &str, span: Span) -> Diagnostic {
    let single = piece.chars().count() == 1;
    let message = match (single, visible(piece)) {
        (true, Some(shown)) => format!("`{shown}` means nothing in Tile"),
        (true, None) => format!(
            "an invisible character, {}, means nothing in Tile",
            code_points(piece)
        ),
        (false, _) => "these characters mean nothing in Tile".to_owned(),
    };
    let diagnostic = Diagnostic::error(Code::UnknownCharacter, message).label(span, "");
    match piece {
        "?" => diagnostic
            .help("a choice is written `if c { a } else { b }`, or `where(c, a, b)` for tiles"),
        "'" => diagnostic.help("strings are written with double quotes: `\"text\"`"),
        "\\" => diagnostic
            .help("a statement ends at `;`, not at the end of its line: `\\` is not needed"),
        _ => diagnostic,
    }
}

/// A character that looks like one of ours, or does its work in another language.
#[must_use]
pub fn lookalike(piece: &str, token: Option<Token>, span: Span) -> Diagnostic {
    let written = crate::syntax::lexer::lookalike(piece).map_or("", |(_, written)| written);
    match piece {
        "@" => {
            return Diagnostic::error(Code::ForeignOperator, "`@` is no operator of Tile")
                .label(span, "")
                .help("a matrix product is written `dot(a, b)`");
        }
        "~" => {
            return Diagnostic::error(Code::ForeignOperator, "`~` is no operator of Tile")
                .label(span, "")
                .suggest(span, "!", "the bitwise complement is written `!`");
        }
        _ => {}
    }
    let code = code_points(piece);
    if token.is_none() && written.trim().is_empty() {
        return Diagnostic::error(
            Code::UnknownCharacter,
            format!("an invisible character, {code}, stands here"),
        )
        .label(span, "")
        .suggest(
            span,
            written,
            if written.is_empty() {
                "remove it"
            } else {
                "write a plain space"
            },
        );
    }
    Diagnostic::error(
        Code::UnknownCharacter,
        format!("`{piece}` ({code}) means nothing in Tile"),
    )
    .label(span, "")
    .suggest(span, written, format!("it looks like `{written}`"))
}

/// An operator of another language.
#[must_use]
pub fn foreign_operator(piece: &str, span: Span) -> Diagnostic {
    let shown = piece.trim_end_matches(['<', '…']);
    let diagnostic = Diagnostic::error(
        Code::ForeignOperator,
        format!("`{shown}` is no operator of Tile"),
    )
    .label(span, "");
    match piece {
        "**" | "**=" => diagnostic.help("a square is written `x * x`, any other power `pow(x, y)`"),
        "..." => diagnostic.help("each dimension has a position of its own: `x[:, :, None]`"),
        ".." | "..=" => diagnostic
            .help("a loop runs over `range(lo, hi)`, `hi` excluded")
            .help("a part of a tile or tensor is written `x[start +: width]`"),
        "++" => diagnostic.help("write `x += 1`"),
        "=>" => diagnostic
            .help("a function without a name is written `|x| x + 1`, a choice `if … { } else { }`"),
        "::<" => diagnostic.help("types are named in the call: `f(x, T = f32)`"),
        "::" => diagnostic.suggest(span, ".", "a name inside another is written with a point"),
        // No name follows.
        "::…" => diagnostic.help(
            "a part is written `x[start +: width]`; for every second element name the positions: `x[arange(0, 32) * 2]`",
        ),
        "===" => diagnostic.suggest(span, "==", "equality is written `==`"),
        "!==" | "<>" => diagnostic.suggest(span, "!=", "inequality is written `!=`"),
        ":=" => diagnostic.help("a new variable is written `let x = …`, an assignment `x = …`"),
        "&&=" => diagnostic.help("write `x = x && y`"),
        "||=" => diagnostic.help("write `x = x || y`"),
        _ => diagnostic,
    }
}

/// `/*` without `*/`.
#[must_use]
pub fn unclosed_comment(span: Span) -> Diagnostic {
    Diagnostic::error(Code::UnclosedComment, "this comment has no end")
        .label(span, "no `*/` for this `/*`")
        .note("comments nest: each `/*` inside needs its own `*/`")
}

/// `# text`, as in Python, or `#define` and the like, as in C; `line` is what follows.
#[must_use]
pub fn hash_comment(line: &str, span: Span) -> Diagnostic {
    let word = line.split_whitespace().next().unwrap_or_default();
    let diagnostic = |what| Diagnostic::error(Code::UnknownCharacter, what).label(span, "");
    match word {
        "include" => diagnostic("there is no preprocessor")
            .help("another file is named by `import \"file.tile\" { name };`"),
        "define" => diagnostic("there is no preprocessor")
            .help("a value is `const NAME: i32 = 1;`, a macro with arguments `fn name(x) { … }`"),
        "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif" | "pragma" | "undef" => {
            diagnostic("there is no preprocessor")
                .help("an `if` on consts and generics is decided at compile time")
        }
        _ => diagnostic("`#` starts no comment in Tile").suggest(
            span,
            "//",
            "a comment starts with `//`",
        ),
    }
}

/// `@triton.jit`
#[must_use]
pub fn decorator(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ForeignOperator, "there are no decorators in Tile")
        .label(span, "")
        .help(
            "a kernel is written `kernel name(x: ptr<f32>, n: i32) { … }`, with nothing before it",
        )
        .help("what a tuner may try is listed behind the parameters: `tune BLOCK in [64, 128]`")
}

/// A doc comment with no item behind it.
#[must_use]
pub fn docs_for_nothing(span: Span) -> Diagnostic {
    Diagnostic::warning(Code::MisplacedComment, "this doc comment documents nothing")
        .label(span, "no kernel, function, constant or test follows")
        .help("a plain comment starts with `//`")
}

/// `a // 2` of Python.
#[must_use]
pub fn comment_for_division(span: Span) -> Diagnostic {
    Diagnostic::warning(
        Code::CommentForDivision,
        "`//` starts a comment: what follows is not computed",
    )
    .label(span, "ignored, to the end of the line")
    .help("integers are divided with `/`, which rounds to zero")
    .help("if it is a comment, put it on a line of its own")
}

/// `//!` further down.
#[must_use]
pub fn header_not_on_top(span: Span) -> Diagnostic {
    Diagnostic::warning(
        Code::MisplacedComment,
        "a `//!` line belongs at the top of the file",
    )
    .label(span, "ignored here")
    .help("a plain comment starts with `//`, documentation of a kernel with `///`")
}

/// A name with letters beyond ASCII.
#[must_use]
pub fn name_not_ascii(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownCharacter,
        format!(
            "the name `{}` has letters that names cannot have",
            shorten(name)
        ),
    )
    .label(
        span,
        "names are made of `a` to `z`, `A` to `Z`, `0` to `9` and `_`",
    )
}

/// A malformed number.
#[must_use]
pub fn bad_number(text: &str, problem: NumberProblem, span: Span) -> Diagnostic {
    let error = |message: String| Diagnostic::error(Code::BadNumber, message);
    let from = |at: usize| Span {
        start: span.start + u32::try_from(at).unwrap_or(0),
        ..span
    };
    let shown = shorten(text);
    match problem {
        NumberProblem::NoDigits => error(format!("`{shown}` has no digits")).label(span, ""),
        NumberProblem::WrongDigit(at) => {
            let tail = &text[at..];
            error(format!(
                "the number `{shown}` goes on with `{}`",
                shorten(tail)
            ))
            .label(from(at), "no part of a number")
        }
        NumberProblem::TypeSuffix(at) => {
            let (number, suffix) = text.split_at(at);
            let suffix = suffix.trim_start_matches('_');
            error(format!("a number has no type of its own: `{shown}`"))
                .label(from(at), "")
                .note("a number takes the type that its context asks for")
                .suggest(
                    span,
                    format!("({number} as {suffix})"),
                    "where there is no context, convert it",
                )
        }
        NumberProblem::LetterSuffix(at) => error(format!("a number ends in no letter: `{shown}`"))
            .label(from(at), "")
            .note("a number takes the type that its context asks for")
            .suggest(from(at), "", "remove it"),
        NumberProblem::TooLarge => {
            error(format!("the number `{shown}` is too large")).label(span, "does not fit 128 bits")
        }
        NumberProblem::Infinite => error(format!("the number `{shown}` is too large"))
            .label(span, "beyond the largest `f64`")
            .help("infinity is written `inf`"),
        NumberProblem::LeadingZero => {
            let plain = text.trim_start_matches(['0', '_']);
            error(format!("the number `{shown}` starts with `0`"))
                .label(span, "decimal or octal?")
                .suggest(
                    span,
                    if plain.is_empty() { "0" } else { plain },
                    "if decimal, drop the zeros",
                )
                .help("octal is written with `0o`")
        }
    }
}

/// A string that does not end on its line.
#[must_use]
pub fn unclosed_string(span: Span) -> Diagnostic {
    Diagnostic::error(Code::UnclosedString, "this string has no closing `\"`")
        .label(span, "a string ends on the line where it starts")
        .help("a line break inside is written `\\n`")
}

/// `\q`
#[must_use]
pub fn unknown_escape(escape: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::UnknownEscape,
        format!("`{escape}` is no escape"),
    )
    .label(span, "")
    .help("escapes are `\\n`, `\\t`, `\\r`, `\\0`, `\\\"`, `\\\\` and `\\u{1f600}`; a backslash itself is `\\\\`")
}

/// `'text'`, `“text”`
#[must_use]
pub fn wrong_quotes(inside: &str, span: Span) -> Diagnostic {
    let replacement = format!("\"{}\"", inside.replace('"', "\\\""));
    Diagnostic::error(
        Code::UnknownCharacter,
        "strings are written with plain double quotes",
    )
    .label(span, "")
    .suggest(span, replacement, "use `\"`")
}

fn code_points(piece: &str) -> String {
    piece
        .chars()
        .map(|letter| format!("U+{:04X}", u32::from(letter)))
        .collect::<Vec<_>>()
        .join(" ")
}

fn visible(piece: &str) -> Option<&str> {
    let shown = !piece
        .chars()
        .any(|letter| letter.is_control() || letter.is_whitespace());
    shown.then_some(piece)
}

pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
