//! What a reader who comes from Python, C or Rust wants to know.

use tile_runtime::element::ElementType;

use crate::diagnostic::Diagnostic;
use crate::syntax::Expected;
use crate::syntax::token::Token;

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
    } else if found == Token::PlusColon {
        diagnostic.help("`start +: width` is a part, in `x[start +: width]`; positions are a tile: `start + arange(0, width)`")
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
        (Token::Static, Token::In) => {
            "a loop that is unrolled is written `static for i in range(lo, hi) { … }`"
        }
        (Token::OpenBracket, Token::Name) if text.parse::<ElementType>().is_ok() => {
            return Some(format!(
                "a part of what is converted is written `(x as {text})[…]`"
            ));
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
