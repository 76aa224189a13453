//! What holds for any text: no panic, spans inside the file, one tree for one text.

use proptest::prelude::*;

use super::{TOUR, check};
use crate::syntax::lexer::lex;

/// Words that make interesting soup.
const WORDS: &[&str] = &[
    "kernel",
    "fn",
    "const",
    "import",
    "test",
    "let",
    "mut",
    "for",
    "in",
    "while",
    "static",
    "if",
    "else",
    "break",
    "continue",
    "return",
    "as",
    "true",
    "_",
    "grid",
    "tune",
    "strides",
    "ptr",
    "tensor",
    "tile",
    "x",
    "f",
    "None",
    "1",
    "0.5",
    "1e-3",
    "\"s\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    "+:",
    ".",
    "#",
    "->",
    "=",
    "+=",
    "+",
    "-",
    "*",
    "&",
    "|",
    "<<",
    ">>",
    "&&",
    "||",
    "!",
    "==",
    "<",
    ">",
    ">=",
    "\n",
    "\n    ",
    "// c\n",
    "/// d\n",
    "/*",
    "*/",
    "$",
    "**",
    "'",
    "\"",
    "ä",
    "\\",
    "fn f() {",
    "kernel k(x: ptr<f32>) {",
    "let x = 1;",
    "\nfn g() {",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..80)) {
        check(&words.join(" "));
        check(&words.concat());
    }

    #[test]
    fn any_words_in_a_body(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..40)) {
        check(&format!("fn f(x) {{ {} }}\nfn g() {{}}", words.join(" ")));
    }

    #[test]
    fn a_valid_program_with_changes(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, proptest::sample::select(WORDS)), 1..6),
    ) {
        let mut pieces = pieces(TOUR);
        for (at, what, word) in changes {
            if pieces.is_empty() {
                break;
            }
            let at = at.index(pieces.len());
            match what {
                0 => { pieces.remove(at); }
                1 => pieces.insert(at, word),
                2 => pieces[at] = word,
                _ => { let other = (at * 7 + 3) % pieces.len(); pieces.swap(at, other); }
            }
        }
        check(&pieces.concat());
    }

    #[test]
    fn a_valid_program_cut_off(at in 0..TOUR.len()) {
        if let Some(start) = TOUR.get(..at) {
            check(start);
        }
        if let Some(rest) = TOUR.get(at..) {
            check(rest);
        }
    }
}

/// Tokens and what stands between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut end = 0;
    for word in lex(0, text).tokens {
        pieces.push(&text[end..word.start as usize]);
        pieces.push(&text[word.start as usize..word.end as usize]);
        end = word.end as usize;
    }
    pieces.push(&text[end..]);
    pieces
}
