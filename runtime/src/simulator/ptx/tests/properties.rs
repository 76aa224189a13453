//! Whatever the text is, parsing ends with a tree or an error that can be printed.

use proptest::prelude::*;

use super::super::parse;
use super::files::texts;
use super::kernel;

/// The result does not matter; that there is one does.
fn survives(text: &str) {
    match parse(text) {
        Ok(module) => {
            for body in module
                .functions
                .iter()
                .filter_map(|function| function.body.as_ref())
            {
                for instruction in &body.instructions {
                    assert!(instruction.to_string().ends_with(';'));
                    assert_eq!(body.resolve(instruction.scope, "no such name"), None);
                }
            }
        }
        Err(error) => {
            let lines = text.split('\n').count();
            assert!(
                (1..=lines).contains(&(error.line as usize)),
                "line {}",
                error.line
            );
            let width = error.text.chars().count() + 1;
            assert!(
                (1..=width).contains(&(error.column as usize)),
                "column {}",
                error.column
            );
            assert!(error.to_string().lines().count() == 3, "{error}");
        }
    }
}

/// Pieces of PTX that mean something to the parser.
const WORDS: &[&str] = &[
    ".entry",
    ".func",
    ".reg",
    ".param",
    ".global",
    ".shared",
    ".align",
    ".ptr",
    ".b32",
    ".v4",
    ".loc",
    ".file",
    ".section",
    ".pragma",
    ".branchtargets",
    ".callprototype",
    ".extern",
    ".alias",
    "ld.global.b32",
    "call",
    "call.uni",
    "bra",
    "%r1",
    "%tid.x",
    "L",
    "generic",
    "WARP_SZ",
    "_",
    "1",
    "0x",
    "0xFFU",
    "08",
    "0f3F800000",
    "1.5",
    "1e",
    "\"a\"",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    ",",
    ";",
    ":",
    "@",
    "!",
    "+",
    "-",
    "|",
    "||",
    "/",
    "%",
    "=",
    "?",
    "~",
    "//",
    "/*",
    "*/",
    "\n",
    "é",
    "\u{0}",
    "$",
    ".",
    "::",
];

proptest! {
    #[test]
    fn of_any_characters(text in any::<String>()) {
        survives(&text);
        survives(&kernel(&text));
    }

    #[test]
    fn of_words_of_ptx(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..40)) {
        survives(&words.join(" "));
        survives(&words.concat());
        survives(&kernel(&words.join(" ")));
    }

    #[test]
    fn of_a_file_cut_and_pasted(
        file in any::<proptest::sample::Index>(),
        cuts in proptest::collection::vec((any::<proptest::sample::Index>(), 0..200_usize), 1..6),
        word in proptest::sample::select(WORDS),
    ) {
        let texts = texts();
        let mut text: Vec<char> = file.get(&texts).1.chars().collect();
        // Without the manifest in front, which the parser skips anyway.
        let start = text.windows(8).position(|piece| piece.iter().collect::<String>() == ".version");
        text.drain(..start.unwrap_or(0));
        for (place, length) in cuts {
            let from = place.index(text.len());
            let to = (from + length).min(text.len());
            let piece: Vec<char> = text.splice(from..to, word.chars()).collect();
            let place = place.index(text.len() + 1) / 2;
            text.splice(place..place, piece);
        }
        survives(&text.into_iter().collect::<String>());
    }
}
