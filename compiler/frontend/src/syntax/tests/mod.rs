//! Tests of the whole way from text to tree.

mod errors;
mod properties;
mod scale;
mod trees;

use super::{ast, parse, print};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::render::{Style, json, text, texts};
use crate::source::SourceMap;

/// Every form of the language.
const TOUR: &str = include_str!("tour.tile");

/// What is reported about a program, as a user sees it.
fn errors(program: &str) -> String {
    let mut sources = SourceMap::new();
    let id = sources.add("a.tile", program);
    let (_, errors) = parse(id, program);
    texts(&errors, &sources, Style::default())
}

/// The tree of a program that is fine, as text.
fn tree(program: &str) -> String {
    let (file, errors) = parse(0, program);
    assert!(errors.is_empty(), "{}", self::errors(program));
    print::ast(&file)
}

/// Checks what holds for any text.
fn check(program: &str) -> (ast::File, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let id = sources.add("a.tile", program);
    let (file, errors) = parse(id, program);
    for error in &errors {
        let spans = error.labels.iter().map(|label| label.span);
        for span in spans.chain(error.suggestion.iter().map(|suggestion| suggestion.span)) {
            let (start, end) = (span.start as usize, span.end as usize);
            assert!(
                program.get(start..end).is_some(),
                "{start}..{end} of {error:?} in {program:?}"
            );
        }
        assert!(
            !text(
                error,
                &sources,
                Style {
                    color: true,
                    width: Some(80)
                }
            )
            .is_empty()
        );
        assert!(json(error, &sources).starts_with('{'));
    }
    let printed = print::ast(&file);
    let printed_tokens = print::tokens(&sources, id);
    assert!(printed_tokens.lines().count() <= program.len());
    if errors.is_empty() {
        assert_eq!(tree(&printed), printed, "of {program:?}");
    }
    (file, errors)
}
