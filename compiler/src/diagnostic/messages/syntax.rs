//! Text that is no Tile program.

use tile_runtime::element::ElementType;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Expected;
use crate::syntax::ast::Name;
use crate::syntax::literal::NumberProblem;
use crate::syntax::token::Token;

/// `t.0x1`: a tuple field is a plain decimal number.
#[must_use]
pub fn bad_tuple_index(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadNumber,
        format!("`{text}` is no position in a tuple"),
    )
    .label(span, "expected a small decimal number, as in `t.0`")
}

/// Two `grid` clauses.
#[must_use]
pub fn second_grid(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::DuplicateClause, "a kernel has one `grid`")
        .label(second, "second grid")
        .secondary(first, "first grid")
}

/// `f(a = 1, 2)`
#[must_use]
pub fn positional_after_named(span: Span, named: &Name) -> Diagnostic {
    Diagnostic::error(
        Code::PositionalAfterNamed,
        "a positional argument stands after a named one",
    )
    .label(span, "positional")
    .secondary(named.span, format!("`{}` is named here", named.text))
    .help("put positional arguments first, or name this one too")
}

// ---- Characters and words ----------------------------------------------------------------------

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

fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}

// ---- Brackets and nesting ----------------------------------------------------------------------

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

// ---- Grammar -----------------------------------------------------------------------------------

/// The general case.
#[must_use]
pub fn unexpected(wanted: &str, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::Unexpected,
        format!("expected {wanted}, found {found}"),
    )
    .label(span, format!("expected {wanted}"))
}

/// `#[stages(3)] let x = 1;`
#[must_use]
pub fn misplaced_attribute(attribute: Span, found: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::MisplacedAttribute,
        "inside a body attributes stand before loops",
    )
    .label(attribute, "this attribute belongs to no loop")
    .secondary(
        span,
        format!("expected `for`, `while` or `static for`, found {found}"),
    )
}

/// A bracket closed by one of the other kind.
#[must_use]
pub fn mismatched_bracket(open: Token, close: Token, span: Span, end: Span) -> Diagnostic {
    let text = |token: Token| token.text().unwrap_or("");
    let right = open.closer().map_or("", text);
    Diagnostic::error(
        Code::UnclosedBracket,
        format!("`{}` is closed by `{}`", text(open), text(close)),
    )
    .label(end, format!("expected `{right}`"))
    .secondary(span, "opened here")
}

/// The general case where the unexpected token is on a later line.
#[must_use]
pub fn unexpected_on_next_line(wanted: &str, found: &str, end: Span, next: Span) -> Diagnostic {
    Diagnostic::error(
        Code::Unexpected,
        format!("expected {wanted}, found {found}"),
    )
    .label(end, format!("expected {wanted}"))
    .secondary(next, "found this")
}

/// An item that ends too early.
#[must_use]
pub fn unexpected_end(wanted: &str, end: Span) -> Diagnostic {
    Diagnostic::error(
        Code::Unexpected,
        format!("expected {wanted}, but the item ends"),
    )
    .label(end, format!("expected {wanted}"))
}

/// A statement without `;`. `comment`: what was meant as division by `//` ate it.
#[must_use]
pub fn missing_semicolon(end: Span, comment: bool) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::MissingSemicolon, "a `;` is missing").label(end, "expected `;`");
    if comment {
        diagnostic
            .help("`//` starts a comment; integers are divided with `/`, which rounds to zero")
    } else {
        diagnostic.suggest(end, ";", "add `;`")
    }
}

/// `let in = 3;`
#[must_use]
pub fn keyword_as_name(keyword: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::KeywordAsName,
        format!("`{keyword}` is a keyword and cannot be a name"),
    )
    .label(span, "expected a name")
    .suggest(span, format!("{keyword}_"), "choose another name")
}

/// `a < b < c`
#[must_use]
pub fn chained_comparison(operator: &str, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::ChainedComparison, "comparisons cannot be chained")
        .label(
            span,
            format!("`{operator}` would compare the result of a comparison"),
        )
        .help("write `a < b && b < c` for scalars, `(a < b) & (b < c)` for tiles");
    if operator == ">" {
        diagnostic
            .help("if this was meant as `f<T>(x)`: types are named in the call, `f(x, T = f32)`")
    } else {
        diagnostic
    }
}

/// `if a = b { … }`
#[must_use]
pub fn assignment_in_condition(keyword: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::AssignmentInCondition,
        format!("the condition of `{keyword}` is an assignment"),
    )
    .label(span, "`=` assigns")
    .suggest(span, "==", "to compare, write `==`")
}

/// `let x = y = 3;`, `(a = b)`
#[must_use]
pub fn assignment_as_value(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AssignmentInCondition, "an assignment has no value")
        .label(span, "`=` assigns, and a value is expected here")
        .suggest(span, "==", "to compare, write `==`")
}

/// `let x;`
#[must_use]
pub fn let_without_value(whole: Span, end: Span) -> Diagnostic {
    Diagnostic::error(Code::LetWithoutValue, "`let` without a value")
        .label(whole, "")
        .secondary(end, "expected `= value`")
        .note("a variable has a value from the start: that fixes its type")
        .help("for a tile of zeros write `= zeros([M, N], f32)`")
}

/// `const X: i32;`
#[must_use]
pub fn const_without_value(whole: Span, end: Span) -> Diagnostic {
    Diagnostic::error(Code::LetWithoutValue, "`const` without a value")
        .label(whole, "")
        .secondary(end, "expected `= value`")
}

/// Text at file level that starts no item.
#[must_use]
pub fn not_an_item(token: Token, source: &str, span: Span) -> Diagnostic {
    let found = token.describe(source);
    let wanted = "`kernel`, `fn`, `const`, `import` or `test`";
    let diagnostic = Diagnostic::error(
        Code::Unexpected,
        format!("expected {wanted}, found {found}"),
    )
    .label(span, "starts nothing that can stand here");
    match source {
        "let" => diagnostic.help("a value for the whole file is written `const NAME: i32 = 1;`; `let` stands inside a kernel, function or test"),
        "def" | "func" | "function" => diagnostic.help("functions are written `fn name(x) { … }`, kernels `kernel name(…) { … }`"),
        "__global__" | "extern" | "void" | "template" => diagnostic.help("kernels are written `kernel name(x: ptr<f32>, n: i32) { … }`"),
        "f32" | "f64" | "f16" | "i32" | "int" | "float" | "double" | "auto" | "inline" => diagnostic.help("functions are written `fn name(x) { … }`, kernels `kernel name(…) { … }`"),
        "use" | "from" | "include" | "mod" => diagnostic.help("write `import \"file.tile\" { name };`"),
        "struct" | "enum" | "impl" | "trait" | "class" => diagnostic.note("Tile has no types of your own; tuples hold several values together"),
        "pub" | "export" => diagnostic.help("everything in a file can be imported: remove the word"),
        "static" | "var" | "static_assert" => diagnostic.help("a value for the whole file is written `const NAME: i32 = 1;`"),
        "#" => diagnostic.help("attributes stand before a kernel or function"),
        _ => diagnostic,
    }
}

/// More problems than anyone reads.
#[must_use]
pub fn too_many_errors(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::TooManyErrors,
        "too many errors; the rest is not shown",
    )
    .label(span, "the next would be here")
}

/// Adds what a reader who comes from Python, C or Rust wants to know.
#[must_use]
pub(crate) fn with_hint(
    diagnostic: Diagnostic,
    (found, source): (Token, &str),
    before: Option<(Token, &str)>,
    expected: &Expected,
) -> Diagnostic {
    let before_source = before.map_or("", |(_, source)| source);
    let word = |text: &str| match text {
        "elif" => Some("`elif` is written `else if`"),
        "and" => Some("`and` is written `&&` for scalars, `&` for tiles"),
        "or" => Some("`or` is written `||` for scalars, `|` for tiles"),
        "not" => Some("`not` is written `!`"),
        "lambda" => Some("a function without a name is written `|x| x + 1`"),
        "def" => Some("functions are written `fn name(x) { … }` at file level"),
        "var" | "auto" | "int" | "float" | "double" | "unsigned" => {
            Some("a variable is made with `let x = …;`, or `let mut x = …;` if it changes")
        }
        "is" => Some("equality is written `==`"),
        "loop" => Some("an endless loop is written `while true { … }`"),
        "match" | "switch" => Some("choose with `if … { } else if … { }`"),
        "constexpr" => Some("a value known at compile time is a generic `const N: i32`"),
        "do" => {
            Some("a loop that tests at its end is written `while true { … if done { break; } }`")
        }
        "goto" => Some("there is no `goto`: a loop is left with `break`, a kernel with `return`"),
        "__shared__" => {
            Some("shared memory is the compiler's business: a tile is a value, `let x = load(…);`")
        }
        "assert" => Some("an assertion is written `assert(condition, \"text\")`"),
        "print" => Some("values are printed with `print(\"text\", x)`"),
        _ => None,
    };
    if let Some(help) = hint_of_form((found, source), before, expected) {
        return diagnostic.help(help);
    }
    let python_block = found == Token::Colon && expected.has("{");
    let slice = found == Token::Colon && (expected.has("+:") || expected.has("]"));
    if found == Token::Colon && expected.has("->") {
        diagnostic.help("the type of a result is written `fn f(x: f32) -> f32`")
    } else if python_block {
        diagnostic.help("blocks are written in braces: `if c { … } else { … }`")
    } else if slice {
        diagnostic.help("a part of a tile or tensor is written `x[start +: width]`: the second number is the width, not the end")
    } else if found == Token::Int && matches!(before, Some((Token::Colon, _))) && expected.has("]")
    {
        diagnostic.help("a part that begins at 0 is written `x[0 +: width]`")
    } else if found == Token::If && expected.has(";") {
        diagnostic.help("a choice is written `if c { a } else { b }`")
    } else if found == Token::Let && matches!(before, Some((Token::OpenParen, _))) {
        diagnostic.help("a loop is written `for i in range(lo, hi) { … }`")
    } else if found == Token::Let && expected.expression() {
        diagnostic.help("`let` is a statement of its own: there is no `if let`")
    } else if found == Token::Comma && expected.has("in") {
        diagnostic.help("a loop counts with one variable: nest two, or divide: `i / n` and `i % n`")
    } else if found == Token::Bang && expected.has(";") {
        diagnostic.help(format!(
            "there are no macros: functions are called without `!`, as in `{before_source}(…)`"
        ))
    } else if found == Token::Mut && expected.name() {
        diagnostic.help("`mut` belongs to the type of a tensor or pointer: `y: mut ptr<f32>`; to change a number, copy it: `let mut n = n;`")
    } else if expected.has("ptr") && expected.has("tensor") && !expected.name() {
        diagnostic.help(
            "only pointers and tensors are `mut`; to change a number, copy it: `let mut y = y;`",
        )
    } else if found == Token::Arrow && expected.has("grid") && !expected.name() {
        diagnostic.help("a kernel returns nothing: results leave it through `store`")
    } else if expected.has(":")
        && !expected.operator()
        && matches!(
            found,
            Token::Star | Token::CloseParen | Token::Comma | Token::Name
        )
        && before_source != "let"
        && !expected.has("=")
    {
        diagnostic.help("a parameter is written `name: type`, such as `x: ptr<f32>` or `n: i32`")
    } else if found == Token::Dot && expected.expression() {
        diagnostic.help("digits stand on both sides of the point of a number: `0.5`")
    } else if matches!(before, Some((Token::Minus, _))) && found == Token::Semicolon {
        diagnostic.help("there is no `--`: write `x -= 1`")
    } else if found == Token::Else {
        diagnostic.help("`else` follows the `}` of its `if` directly")
    } else if found == Token::Const && expected.has("let") {
        diagnostic.help("in a body write `let`: what can be computed at compile time is; `const` stands at file level")
    } else if matches!(found, Token::Kernel | Token::Fn | Token::Import) && expected.has("let") {
        diagnostic.help("kernels, functions and imports stand at file level; a function inside is written `let f = |x| x + 1;`")
    } else if found == Token::Semicolon && expected.has("let") {
        diagnostic.help("remove this `;`")
    } else if found == Token::GreaterEqual && expected.has(">") {
        diagnostic.help("write `> =`: together they mean greater or equal")
    } else if matches!((before, found), (Some((Token::Let, _)), Token::Const)) {
        diagnostic.help("write `let`, without `const`")
    } else if expected.has("[")
        && !expected.operator()
        && matches!(before, Some((Token::Greater, _)))
    {
        diagnostic.help("sizes are part of the type: `tensor<f32>[m, n]`, `tile<f32>[16, 16]`")
    } else if matches!(before, Some((Token::Import, _))) {
        diagnostic.help("write `import \"file.tile\" { name };`")
    } else if found == Token::Plus && expected.expression() {
        diagnostic.help("there is no `+` in front of a value")
    } else if matches!(found, Token::Star | Token::And) && expected.expression() {
        diagnostic.help("pointers are read with `load(p)` and written with `store(p, value)`; there are no references")
    } else if let Some(hint) = word(source).or_else(|| word(before_source)) {
        diagnostic.help(hint)
    } else {
        diagnostic
    }
}

/// `(f16) x`
#[must_use]
pub(crate) fn with_cast_hint(diagnostic: Diagnostic, element: &str) -> Diagnostic {
    let element = match element {
        "float" => "f32",
        "double" => "f64",
        "half" => "f16",
        "int" => "i32",
        "long" => "i64",
        "unsigned" => "u32",
        element => element,
    };
    diagnostic.help(format!("a conversion is written `x as {element}`"))
}

/// `5.`
#[must_use]
pub(crate) fn with_point_hint(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.help("digits stand on both sides of the point of a number: `5.0`")
}

/// What a form of another language is written as here, told by the two tokens where it goes wrong.
fn hint_of_form(
    (found, source): (Token, &str),
    before: Option<(Token, &str)>,
    expected: &Expected,
) -> Option<String> {
    let (previous, text) = before?;
    let grid = "how many programs run is written `grid(cdiv(n, BLOCK))`, one number per axis";
    let help = match (found, previous) {
        (Token::Assign | Token::OpenBracket, _) if text == "grid" => grid,
        (Token::Assign, _) if expected.has("in") => {
            "a loop is written `for i in range(lo, hi) { … }`"
        }
        (Token::Assign, Token::Name) if expected.has("]") => {
            return Some(format!("the value stands in parentheses: `#[{text}(4)]`"));
        }
        (Token::EqualEqual, _) if expected.has("=") => "a variable gets its value with one `=`",
        (Token::Str, Token::Name) if text.eq_ignore_ascii_case("f") => {
            "a text has no values inside: they stand behind it, as in `print(\"v\", v)`"
        }
        (Token::Comma, Token::Int) if expected.has(";") => "digits are grouped with `_`: `1_000`",
        (Token::Colon, Token::Plus) => "`+:` is one sign, without a space: `x[start +: width]`",
        (Token::Less, Token::ShiftLeft) => {
            "a kernel is launched by calling it, `f(x, y)`: how many programs run is said in its heading"
        }
        (Token::OpenParen, Token::Name)
            if expected.has("{") && !expected.has("if") && !expected.operator() =>
        {
            return Some(format!("a test has no parameters: `test {text} {{ … }}`"));
        }
        (Token::Name, Token::CloseParen) if expected.has("->") => {
            return Some(if source.parse::<ElementType>().is_ok() {
                format!("the type of a result is written `-> {source}`")
            } else {
                "the body of a function stands in braces: `fn f(x) { x + 1 }`".to_owned()
            });
        }
        (Token::Name, _) if expected.has("strides") && expected.has(",") => {
            "parameters are separated by `,`"
        }
        _ => return None,
    };
    Some(help.to_owned())
}

// ---- Header ------------------------------------------------------------------------------------

const RUN_LINE: &str = "a default call is written `//! run: kernel x=randn(16,16) n=3`";

/// `//! run:` and nothing more.
#[must_use]
pub fn run_line_without_kernel(span: Span) -> Diagnostic {
    Diagnostic::error(Code::BadHeader, "the `run:` line names no kernel")
        .label(span, "")
        .help(RUN_LINE)
}

/// Two `//! run:` lines.
#[must_use]
pub fn second_run_line(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::BadHeader, "a file has one default call")
        .label(second, "second `run:` line")
        .secondary(first, "first `run:` line")
}

/// A `run:` line for a kernel that the file does not have.
#[must_use]
pub fn run_line_unknown_kernel(name: &str, span: Span, similar: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::BadHeader,
        format!("the `run:` line names `{name}`, and this file has no such kernel"),
    )
    .label(span, "no such kernel");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic,
    }
}

/// An argument that is not `name=value`.
#[must_use]
pub fn run_line_argument(argument: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadHeader,
        format!("`{}` is not of the form `name=value`", shorten(argument)),
    )
    .label(span, "")
    .help(RUN_LINE)
}

/// Brackets or quotes in a `run:` line that do not match.
#[must_use]
pub fn run_line_bracket(span: Span) -> Diagnostic {
    Diagnostic::error(
        Code::BadHeader,
        "the brackets of the `run:` line do not match",
    )
    .label(span, "no partner for this")
    .help(RUN_LINE)
}
