//! Diagnostics as text for people and JSON for machines.
//!
//! Text looks as rustc's does:
//!
//! ```text
//! error[E0009]: a `;` is missing
//!  --> add.tile:2:14
//!   |
//! 2 |     let x = 1
//!   |              ^ expected `;`
//!   |
//! help: add `;`
//!   |
//! 2 |     let x = 1;
//!   |              +
//! ```
//!
//! JSON is one object per line, with these keys, always all of them:
//!
//! | key | value |
//! |---|---|
//! | `code` | `"E0009"` |
//! | `severity` | `"error"` or `"warning"` |
//! | `message` | one sentence |
//! | `file`, `line`, `column` | where the problem is, or `null` for a problem without a place |
//! | `labels` | `[{file, start, end, line, column, end_line, end_column, text, primary}]` |
//! | `notes`, `helps` | `[string]` |
//! | `suggestion` | `{file, start, end, line, column, end_line, end_column, text, replacement}` or `null` |
//!
//! `start` and `end` are byte offsets from 0, `end` exclusive; lines and columns count from 1,
//! columns in characters.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use serde::Serialize;

use super::{Diagnostic, Label, Severity, Span};
use crate::source::{Location, SourceFile, SourceMap};

/// How text is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// With ANSI colours.
    pub color: bool,
    /// Columns of the terminal, if known; long lines are cut to it.
    pub width: Option<usize>,
}

/// Text between two labels beyond which they are shown as two pieces.
const FAR: usize = 16 << 10;
/// Longest span that is shown from start to end.
const LONG_SPAN: usize = 16 << 10;
/// Longest part of a line that is shown to either side of a label.
const LONG_LINE: usize = 1 << 10;

/// A diagnostic as text, with a line break at the end.
#[must_use]
pub fn text(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.number());
    let pieces = pieces(diagnostic, sources);
    let places = pieces.first().map(Piece::places);
    let mut main = Group::with_title(title).elements(pieces.into_iter().map(Piece::snippet));
    main = main.elements(
        diagnostic
            .notes
            .iter()
            .map(|note| Level::NOTE.message(note.as_str())),
    );
    main = main.elements(
        diagnostic
            .helps
            .iter()
            .map(|help| Level::HELP.message(help.as_str())),
    );
    let mut groups = vec![main];
    groups.extend(suggestion(diagnostic, sources));

    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut rendered = renderer
        .term_width(style.width.unwrap_or(140))
        .render(&groups);
    if let Some((shown, true_place)) = places.filter(|(shown, true_place)| shown != true_place) {
        rendered = rendered.replacen(&shown, &true_place, 1);
    }
    rendered.push('\n');
    rendered
}

/// Some diagnostics as text, with an empty line between.
#[must_use]
pub fn texts(diagnostics: &[Diagnostic], sources: &SourceMap, style: Style) -> String {
    let rendered: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| text(diagnostic, sources, style))
        .collect();
    rendered.join("\n")
}

/// A diagnostic as one line of JSON, without a line break.
#[must_use]
pub fn json(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let position = diagnostic.position().map(|span| place(span, sources));
    let whole = JsonDiagnostic {
        code: diagnostic.code.number(),
        severity: diagnostic.severity.name(),
        message: &diagnostic.message,
        file: position.as_ref().map(|place| place.file),
        line: position.as_ref().map(|place| place.line),
        column: position.as_ref().map(|place| place.column),
        labels: diagnostic
            .labels
            .iter()
            .map(|label| JsonLabel {
                place: place(label.span, sources),
                text: &label.text,
                primary: label.primary,
            })
            .collect(),
        notes: &diagnostic.notes,
        helps: &diagnostic.helps,
        suggestion: diagnostic
            .suggestion
            .as_ref()
            .map(|suggestion| JsonSuggestion {
                place: place(suggestion.span, sources),
                text: &suggestion.text,
                replacement: &suggestion.replacement,
            }),
    };
    // Strings and numbers always serialise.
    serde_json::to_string(&whole).unwrap_or_default()
}

// ---- Text --------------------------------------------------------------------------------------

/// Part of a file that is shown, with the labels in it.
struct Piece<'a> {
    file: &'a SourceFile,
    /// Bytes of the file that are covered by labels.
    range: Range<usize>,
    labels: Vec<(&'a Label, Range<usize>)>,
}

/// Files in the order of their labels; the one with the problem first.
fn pieces<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Piece<'a>> {
    let main = diagnostic.position().map_or(0, |span| span.file);
    let mut labels: Vec<&Label> = diagnostic.labels.iter().collect();
    labels.sort_by_key(|label| (label.span.file != main, label.span));
    let mut pieces: Vec<(u32, Piece<'a>)> = Vec::new();
    for label in labels {
        let Some(file) = sources.get(label.span.file) else {
            continue;
        };
        let range = shown_range(file, label.span);
        match pieces.last_mut() {
            Some((id, piece))
                if *id == label.span.file && range.start.saturating_sub(piece.range.end) < FAR =>
            {
                piece.range.end = piece.range.end.max(range.end);
                piece.labels.push((label, range));
            }
            _ => pieces.push((
                label.span.file,
                Piece {
                    file,
                    range: range.clone(),
                    labels: vec![(label, range)],
                },
            )),
        }
    }
    // The piece with the problem leads, because its place is printed on top.
    pieces.sort_by_key(|(_, piece)| !piece.labels.iter().any(|(label, _)| label.primary));
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

/// The bytes of a span, made valid: inside the file, at character boundaries, not too long.
fn shown_range(file: &SourceFile, span: Span) -> Range<usize> {
    let start = file.floor(span.start) as usize;
    let end = (file.floor(span.end.max(span.start)) as usize).max(start);
    if end - start <= LONG_SPAN {
        return start..end;
    }
    let first_line = file.text[start..end].find('\n').unwrap_or(end - start);
    start..file.floor(u32::try_from(start + first_line.min(LONG_LINE)).unwrap_or(span.end)) as usize
}

/// The part of a file to show for some bytes of it: whole lines, as far as they are not too long.
fn window(file: &SourceFile, range: &Range<usize>) -> Range<usize> {
    let text = &file.text;
    let floor = |at: usize| file.floor(u32::try_from(at).unwrap_or(u32::MAX)) as usize;
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |at| range.end + at);
    let start = line_start.max(floor(range.start.saturating_sub(LONG_LINE)));
    let end = line_end.min(floor(range.end + LONG_LINE));
    // The last line has no `\n`, so its `\r` would be shown.
    let carriage_return = end > range.end && text[..end].ends_with('\r');
    start..end - usize::from(carriage_return)
}

impl<'a> Piece<'a> {
    fn snippet(self) -> Snippet<'a, Annotation<'a>> {
        let window = window(self.file, &self.range);
        let start = locate(self.file, window.start);
        let annotations = self.labels.into_iter().map(|(label, range)| {
            let kind = if label.primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            let annotation = kind.span(range.start - window.start..range.end - window.start);
            if label.text.is_empty() {
                annotation
            } else {
                annotation.label(label.text.as_str())
            }
        });
        Snippet::source(&self.file.text[window.clone()])
            .line_start(start.line as usize)
            .path(self.file.name.as_str())
            .annotations(annotations)
    }

    /// The place as the renderer prints it and as it is: of a line that is cut it does not know the
    /// true columns.
    fn places(&self) -> (String, String) {
        let (_, range) = self
            .labels
            .iter()
            .find(|(label, _)| label.primary)
            .unwrap_or(&self.labels[0]);
        let place = locate(self.file, range.start);
        let start = locate(self.file, window(self.file, &self.range).start);
        let shown = if place.line == start.line {
            place.column - start.column + 1
        } else {
            place.column
        };
        let name = &self.file.name;
        (
            format!("{name}:{}:{shown}", place.line),
            format!("{name}:{}:{}", place.line, place.column),
        )
    }
}

fn locate(file: &SourceFile, offset: usize) -> Location {
    file.location(u32::try_from(offset).unwrap_or(u32::MAX))
}

fn suggestion<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Option<Group<'a>> {
    let suggestion = diagnostic.suggestion.as_deref()?;
    let file = sources.get(suggestion.span.file)?;
    let range = shown_range(file, suggestion.span);
    let window = window(file, &range);
    let line = locate(file, window.start).line;
    let patch = Patch::new(
        range.start - window.start..range.end - window.start,
        suggestion.replacement.as_str(),
    );
    let snippet = Snippet::source(&file.text[window])
        .line_start(line as usize)
        .path(file.name.as_str());
    Some(
        Group::with_title(Level::HELP.secondary_title(suggestion.text.as_str()))
            .element(snippet.patch(patch)),
    )
}

// ---- JSON --------------------------------------------------------------------------------------

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    labels: Vec<JsonLabel<'a>>,
    notes: &'a [String],
    helps: &'a [String],
    suggestion: Option<JsonSuggestion<'a>>,
}

#[derive(Serialize)]
struct JsonLabel<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    text: &'a str,
    primary: bool,
}

#[derive(Serialize)]
struct JsonSuggestion<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    text: &'a str,
    replacement: &'a str,
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    start: u32,
    end: u32,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

fn place(span: Span, sources: &SourceMap) -> JsonPlace<'_> {
    let file = sources.get(span.file);
    let locate = |offset| {
        file.map_or((0, 0), |file| {
            let location = file.location(offset);
            (location.line, location.column)
        })
    };
    let ((line, column), (end_line, end_column)) = (locate(span.start), locate(span.end));
    JsonPlace {
        file: file.map_or("<unknown>", |file| file.name.as_str()),
        start: span.start,
        end: span.end,
        line,
        column,
        end_line,
        end_column,
    }
}

#[cfg(test)]
mod tests;
