//! The front end answers every text with diagnostics.

use proptest::collection::vec;
use proptest::prelude::*;
use tile_tests::front_end::{WORDS, corpus, examine, mutated};
use tile_tests::random::Choices;

/// What is said of a text that fails, with the text.
fn check(text: &str) -> Result<(), TestCaseError> {
    examine(text).map_err(|problem| TestCaseError::fail(format!("{problem}\n{text}")))
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        check(&text)?;
    }

    #[test]
    fn any_words_are_answered(words in vec(proptest::sample::select(WORDS), 0..60)) {
        check(&words.join(" "))?;
        let body = format!("kernel k(x: mut ptr<f32>, n: i32) grid(1) {{ {} }}", words.join(" "));
        check(&body)?;
    }

    #[test]
    fn any_statement_is_answered(
        words in vec(proptest::sample::select(WORDS), 1..8),
        more in vec(proptest::sample::select(WORDS), 1..8),
    ) {
        let (first, second) = (words.join(" "), more.join(" "));
        check(&format!(
            "fn f(a, b) {{ {second} }}\nkernel k<T: float, const N: i32 = 4>(x: tensor<T>[m, N], y: mut ptr<f32>) grid(m) {{\n    \
             let v = load(x[0 +: 2, :]);\n    let w = {first};\n    store(y, sum({second}));\n    f(v, w);\n}}\n"
        ))?;
    }
}

#[test]
fn changed_programs_are_answered() {
    let corpus = corpus();
    assert!(corpus.len() > 60, "only {} programs", corpus.len());
    for seed in 0..600 {
        let text = mutated(&corpus, &mut Choices::new(seed));
        if let Err(problem) = examine(&text) {
            panic!("seed {seed}: {problem}\n{text}");
        }
    }
}
