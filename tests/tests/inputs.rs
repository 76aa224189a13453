//! Every file that is read is answered, whatever is in it.

use proptest::collection::vec;
use proptest::prelude::*;
use tile_tests::inputs::Input;
use tile_tests::inputs::source::{WORDS, examine};
use tile_tests::random::Choices;
use tile_tests::root;

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

/// Changed files of a kind, by seed.
fn changed(input: Input, seeds: u64) {
    let corpus = input.corpus();
    assert!(corpus.len() > 2, "{} files", corpus.len());
    for file in &corpus {
        input
            .examine(file)
            .unwrap_or_else(|problem| panic!("{problem}"));
    }
    for seed in 0..seeds {
        let file = input.changed(&corpus, &mut Choices::new(seed));
        if let Err(problem) = input.examine(&file) {
            panic!("seed {seed}: {problem}\n{}", file.escape_ascii());
        }
    }
}

#[test]
fn changed_sources_are_answered() {
    changed(Input::Source, 600);
}

#[test]
fn changed_artifacts_are_answered() {
    changed(Input::Artifact, 300);
}

#[test]
fn changed_arrays_are_answered() {
    changed(Input::Array, 500);
}

#[test]
fn changed_records_are_answered() {
    changed(Input::Record, 500);
}

#[test]
fn changed_mlir_is_answered() {
    changed(Input::Ir, 200);
}

#[test]
fn files_that_once_failed_are_answered() {
    for input in Input::ALL {
        let folder = root().join("tests/inputs").join(input.name());
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let file = std::fs::read(entry.path()).expect("a file");
            if let Err(problem) = input.examine(&file) {
                panic!("{}: {problem}", entry.path().display());
            }
        }
    }
}
