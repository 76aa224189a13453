//! Text that is no Tile program.

mod brackets;
mod header;
mod hints;
mod words;

pub use brackets::*;
pub use header::*;
pub(crate) use hints::*;
pub use words::*;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::Name;
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

/// `let mut (a, b) = …`
#[must_use]
pub fn mut_of_several(word: Span) -> Diagnostic {
    Diagnostic::error(Code::Unexpected, "`mut` belongs to one name")
        .label(word, "expected a name behind it")
        .help("say it of each: `let (mut a, mut b) = …`")
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
    let message = match source {
        "test" => "expected `test NAME { … }`".to_owned(),
        _ => format!("expected {wanted}, found {found}"),
    };
    let diagnostic = Diagnostic::error(Code::Unexpected, message)
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
        "test" => diagnostic.help("a test has a word for a name: `test no_rows { … }`"),
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
