//! Text to syntax tree.
mod actions;
pub mod ast;
pub mod lexer;
pub mod literal;
pub mod token;

use crate::diagnostic::Diagnostic;
use crate::source::FileId;

lalrpop_util::lalrpop_mod!(
    #[allow(
        missing_docs,
        clippy::all,
        clippy::pedantic,
        clippy::nursery,
        unused_imports
    )]
    grammar,
    "/syntax/grammar.rs"
);

/// Parses a file. Reports every problem it finds; the tree holds what could be read.
#[must_use]
pub fn parse(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    let lexed = lexer::lex(file, text);
    let mut errors = lexed.errors;
    let mut context = actions::Context::new(file, text, &lexed.docs);
    let words = lexed
        .tokens
        .iter()
        .map(|word| Ok((word.start, word.token, word.end)));
    let items = match grammar::FileParser::new().parse(&mut context, words) {
        Ok(items) => items,
        Err(error) => {
            let (at, found) = match &error {
                lalrpop_util::ParseError::UnrecognizedToken { token, .. } => {
                    ((token.0, token.2), format!("{:?}", token.1))
                }
                _ => ((0, 0), "end".to_owned()),
            };
            let span = crate::diagnostic::Span {
                file,
                start: at.0,
                end: at.1,
            };
            errors.push(
                Diagnostic::error(
                    crate::diagnostic::Code::Unexpected,
                    format!("unexpected {found}"),
                )
                .label(span, ""),
            );
            Vec::new()
        }
    };
    errors.extend(context.errors);
    (
        ast::File {
            header: lexed.header,
            items,
        },
        errors,
    )
}
