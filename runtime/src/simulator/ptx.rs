//! PTX text to a tree. Nothing is known here of what instructions mean.
//!
//! ```text
//! @%p1 ld.global.v2.b32 {%r1, _}, [%rd1+-16];     // from x
//!
//! guard %p1 · opcode ld global v2 b32 · operands Vector[Name %r1, Sink], Address{%rd1, -16}
//! ```
//!
//! What comes in is PTX of any version and compiler: `tilec`, LLVM, nvcc, Triton. What goes out is a
//! [`Module`] whose declarations are well-formed and whose constant expressions are computed, or the
//! first [`ParseError`]. Names are not looked up, except that none is declared twice in a scope;
//! [`ast::Body::resolve`] looks them up.
//!
//! - `lexer` makes `token`s; comments and `.section`s end there;
//! - `grammar.lalrpop` says how tokens form statements, and the `builder` puts them together;
//! - [`ast`] is the tree, `display` prints it, [`types`] and [`scope`] go with it.
//!
//! Any text takes time and memory linear in its length, and a bounded amount of stack.

pub mod ast;
mod builder;
mod constant;
mod declaration;
mod display;
mod error;
mod expected;
mod lexer;
mod literal;
mod operand;
pub mod scope;
#[cfg(test)]
mod tests;
mod token;
pub mod types;

pub use ast::Module;
pub use error::{ParseError, Problem};
pub use literal::NumberProblem;

use builder::Builder;
use error::Failure;
use lexer::Lexer;
use token::Position;

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
    "/simulator/ptx/grammar.rs"
);

/// Reads a module.
///
/// # Errors
///
/// The first thing that is no PTX, with its place.
pub fn parse(text: &str) -> Result<Module<'_>, ParseError> {
    let start = Position { offset: 0, line: 1 };
    let at_start = |problem| Failure::new(start, start, problem).in_text(text);
    if u32::try_from(text.len()).is_err() {
        return Err(at_start(Problem::TooLong(text.len())));
    }
    let mut builder = Builder::default();
    builder.module.address_size = 32;
    let mut lexer = Lexer::new(text);
    grammar::ModuleParser::new()
        .parse(&mut builder, &mut lexer)
        .map_err(|mismatch| Failure::of_mismatch(mismatch, &lexer, text).in_text(text))?;
    let module = builder.module;
    if module.version == (0, 0) {
        return Err(at_start(Problem::Missing(".version")));
    }
    if module.targets.is_empty() {
        return Err(at_start(Problem::Missing(".target")));
    }
    Ok(module)
}
