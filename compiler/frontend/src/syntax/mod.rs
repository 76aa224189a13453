//! Text to syntax tree.
//!
//! ```text
//! text ─ lexer ─▶ tokens ─ brackets ─▶ balanced tokens ─ depth ─▶ not too deep
//!      ─ items ─▶ one piece per item ─ recover + grammar ─▶ ast::File
//! ```
//!
//! What comes in is any text. What goes out is a tree and every problem found, each reported once.
//! What holds afterwards: if no error was reported, the tree is all of the file; if one was, broken
//! statements are [`ast::StmtKind::Error`] and broken items are missing, so later stages have no
//! reason to look. Nothing here panics or recurses deeply, and time is linear in the text (a wrong
//! item is parsed once more per mistake, up to a limit).

mod actions;
pub mod ast;
mod brackets;
mod depth;
mod expected;
pub mod header;
mod items;
pub mod lexer;
pub mod literal;
mod place;
pub mod print;
mod recover;
pub mod token;

use std::collections::HashSet;

use crate::diagnostic::messages::syntax as messages;
use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::source::FileId;

pub use depth::{MAXIMUM_BRACKETS, MAXIMUM_DEPTH};
pub(crate) use expected::Expected;

lalrpop_util::lalrpop_mod!(
    #[allow(
        missing_docs,
        unused_imports,
        clippy::all,
        clippy::pedantic,
        clippy::nursery,
        clippy::unwrap_used
    )]
    grammar,
    "/syntax/grammar.rs"
);

/// Problems reported per file.
const MAXIMUM_ERRORS: usize = 100;

/// Tokens that may be parsed again after errors, beside three times the file.
const SPARE_TOKENS: usize = 2_000_000;

/// Parses a file. Reports every problem it finds; the tree holds what could be read.
#[must_use]
pub fn parse(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    let lexed = lexer::lex(file, text);
    if lexed.is_cut_off {
        // Whatever is missing now is probably in the comment.
        return (ast::File::default(), limit(lexed.errors));
    }
    let balanced = brackets::balance(file, text, &lexed.tokens);
    let mut errors = lexed.errors;
    errors.extend(balanced.errors);
    let tokens = balanced.tokens;
    let mut tree = ast::File {
        header: lexed.header,
        items: Vec::new(),
    };

    if let Err(too_deep) = depth::check(file, &tokens) {
        errors.push(*too_deep);
        return (tree, limit(errors));
    }

    let mut context = actions::Context::new(file, text, &lexed.docs);
    let mut parser = recover::ItemParser {
        file,
        text,
        reported: &balanced.removed,
        parser: grammar::FileParser::new(),
        budget: 3 * tokens.len() + SPARE_TOKENS,
        disguised: HashSet::new(),
    };
    for piece in items::split(&tokens) {
        let words = &tokens[piece.range];
        if piece.is_item {
            tree.items
                .extend(parser.parse(words.to_vec(), &mut context));
        } else if let Some(first) = words.first()
            && first.token != token::Token::Unknown
        {
            let span = Span {
                file,
                start: first.start,
                end: first.end,
            };
            let source = text
                .get(first.start as usize..first.end as usize)
                .unwrap_or_default();
            context
                .errors
                .push(messages::not_an_item(first.token, source, span));
        }
        if context.errors.len() > MAXIMUM_ERRORS {
            break;
        }
    }
    let (used, problems) = context.finish();
    errors.extend(problems);
    // Where an item is broken its documentation is not at fault.
    if errors
        .iter()
        .all(|error| error.severity == Severity::Warning)
    {
        let unused = lexed.docs.iter().filter(|(at, _)| !used.contains(at));
        errors.extend(unused.map(|(_, docs)| messages::docs_for_nothing(docs.span)));
    }
    // The error says it where one follows.
    if errors.iter().any(|error| error.severity == Severity::Error) {
        errors.retain(|error| error.code != Code::CommentForDivision);
    }
    without_echoes(&mut errors);
    (tree, limit(errors))
}

/// The operator of another language becomes one of ours, which may not fit where it stands: that is
/// no second mistake.
fn without_echoes(errors: &mut Vec<Diagnostic>) {
    let foreign: Vec<Span> = errors
        .iter()
        .filter(|error| error.code == Code::ForeignOperator)
        .filter_map(Diagnostic::position)
        .collect();
    errors.retain(|error| {
        let at = error.position().map_or(u32::MAX, |span| span.start);
        let touches = |span: &Span| (span.start..=span.end).contains(&at);
        error.code != Code::Unexpected || !foreign.iter().any(touches)
    });
}

/// In order of position; what is beyond the limit becomes one remark.
fn limit(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.sort_by_key(Diagnostic::position);
    if errors.len() > MAXIMUM_ERRORS {
        let last = errors[MAXIMUM_ERRORS].position();
        errors.truncate(MAXIMUM_ERRORS);
        errors.extend(last.map(messages::too_many_errors));
    }
    errors
}

#[cfg(test)]
mod tests;
