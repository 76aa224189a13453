//! Files that cannot be read and imports that lead nowhere.

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::source::LoadError;

/// A file that could not be loaded; `import` is where it was asked for, if by an `import`.
#[must_use]
pub fn not_loaded(error: &LoadError, import: Option<Span>) -> Diagnostic {
    let code = match error {
        LoadError::NotFound { .. } => Code::FileNotFound,
        LoadError::NotUtf8 { .. } => Code::FileNotUtf8,
        LoadError::TooLarge { .. } => Code::FileTooLarge,
        LoadError::Directory { .. } | LoadError::Unreadable { .. } => Code::FileUnreadable,
    };
    let diagnostic = Diagnostic::error(code, error.to_string());
    match import {
        Some(span) => diagnostic.label(span, "imported here"),
        None => diagnostic,
    }
}

/// Files that import each other: `path` starts and ends with the same file.
#[must_use]
pub fn import_cycle(path: &[String], import: Span) -> Diagnostic {
    Diagnostic::error(Code::ImportCycle, "these files import each other")
        .label(import, "this import closes the cycle")
        .note(format!("the cycle is {}", path.join(" → ")))
}

/// A name that the imported file does not define.
#[must_use]
pub fn imported_name_missing(
    name: &str,
    file: &str,
    span: Span,
    similar: Option<&str>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::ImportedNameMissing,
        format!("`{file}` does not define `{name}`"),
    )
    .label(span, "no such name there");
    match similar {
        Some(similar) => diagnostic.suggest(span, similar, "a similar name exists"),
        None => diagnostic,
    }
}

/// A chain of imports longer than `limit` files.
#[must_use]
pub fn imports_too_deep(limit: usize, import: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ImportCycle,
        format!("imports are nested more than {limit} deep"),
    )
    .label(import, "this import is not followed")
}
