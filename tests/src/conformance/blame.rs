//! Whether a diagnostic blames what the source says it must.
//!
//! A line ends with `//~ E0203 a + b` where a diagnostic of that code must point at exactly that
//! text of the line; without a text, at anything that begins on the line.

use tilec::diagnostic::{Diagnostic, Severity};
use tilec::source::SourceMap;

/// What is wrong with the diagnostics of a case that must have exactly one error, of that code.
#[must_use]
pub fn problem(code: &str, diagnostics: &[Diagnostic], sources: &SourceMap) -> Option<String> {
    let errors: Vec<&Diagnostic> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    let told = |diagnostic: &&Diagnostic| told(std::slice::from_ref(*diagnostic), sources);
    let error = match errors[..] {
        [] => return Some(format!("{code} was expected, but nothing is wrong")),
        [error] if error.code.number() == code => error,
        _ => {
            let all: Vec<String> = errors.iter().map(told).collect();
            return Some(format!("{code} alone was expected: {}", all.join("; ")));
        }
    };
    let Some(span) = error.position() else {
        return Some(format!("no place: {}", told(&error)));
    };
    let file = sources.get(span.file)?;
    let start = usize::try_from(span.start).unwrap_or(0);
    let line = line_at(&file.text, start);
    let marker = format!("//~ {code}");
    let Some((_, wanted)) = line.split_once(&marker) else {
        return Some(format!("the line has no `{marker}`: {}", told(&error)));
    };
    let (wanted, found) = (wanted.trim(), sources.text(span));
    (!wanted.is_empty() && wanted != found).then(|| {
        format!(
            "`{found}` is blamed instead of `{wanted}`: {}",
            told(&error)
        )
    })
}

/// Diagnostics in one line.
#[must_use]
pub fn told(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let one = |diagnostic: &Diagnostic| {
        let place = diagnostic.position().map(|span| sources.describe(span));
        let (code, place) = (diagnostic.code, place.unwrap_or_default());
        format!("{code} at {place}: {}", diagnostic.message)
    };
    diagnostics.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    text[start..].lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    fn problem_of(text: &str) -> Option<String> {
        let program = Program::new("a.tile", text);
        let (_, diagnostics) =
            tilec::sema::elaborate_kernel(&program.files, "f", &std::collections::BTreeMap::new());
        problem("E0101", &diagnostics, &program.sources)
    }

    #[test]
    fn the_right_text_on_a_marked_line_is_fine() {
        let text = "kernel f(n: i32) grid(1) {\n    let a = n + missing; //~ E0101 missing\n}\n";
        assert_eq!(problem_of(text), None);
        assert_eq!(problem_of(&text.replace("E0101 missing", "E0101")), None);
    }

    #[test]
    fn everything_else_is_a_problem() {
        let found = |text: &str| problem_of(text).expect("a problem");
        let text = "kernel f(n: i32) grid(1) {\n    let a = n + missing; //~ E0101 n\n}\n";
        assert!(found(text).starts_with("`missing` is blamed instead of `n`"));
        assert!(found(&text.replace("//~", "//")).starts_with("the line has no `//~ E0101`"));
        let right = found(&text.replace("missing", "n"));
        assert_eq!(right, "E0101 was expected, but nothing is wrong");
    }
}
