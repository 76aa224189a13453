//! An explanation for the terminal: a heading with what was decided for the whole kernel, then what
//! there is to say at places, in the order of the source, as rustc shows its notes.
//!
//! ```text
//! softmax for sm_90a  (T = f32, WIDTH = 1024)
//!        warps  2 warps per program, for 4096 bytes per access
//!    registers  40 per thread, nothing is spilled
//!    …
//! note: load of x: 16 bytes per lane, coalesced
//!   --> softmax.tile:14:18
//!    |
//! 14 |     let values = load(x[row, 0 +: WIDTH], other = -inf) as f32;
//!    |                  ^^^^ 8 requests of 16 sectors
//! ```
//!
//! Colours are always in it; the stream takes them out where they are not wanted.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::Style;

use super::data::{Explanation, KernelData, Place, SourceText, VariantData};
use super::notes::{self, AtPlace, by_place};
use super::words;
use crate::diagnostic::remark::and;

/// Columns of the names in the heading.
const NAMES: usize = 12;

/// Renders an explanation; `variant` is the entry to show of each kernel, if not the one its call takes.
#[must_use]
pub fn render(explanation: &Explanation, variant: Option<&str>) -> String {
    let mut text = String::new();
    for kernel in &explanation.kernels {
        let shown = match variant {
            Some(entry) => kernel.variants.iter().position(|own| own.entry == entry),
            None => Some(kernel.chosen),
        };
        let Some(shown) = shown else { continue };
        if let Some(variant) = kernel.variants.get(shown) {
            if !text.is_empty() {
                text.push('\n');
            }
            heading(&mut text, explanation, kernel, variant);
            at_places(&mut text, explanation, variant);
            layouts(&mut text, explanation, variant);
            others(&mut text, kernel, shown);
        }
    }
    text
}

/// One line of the heading; several lines of a text are aligned.
fn line(text: &mut String, name: &str, what: &str) {
    let style = Style::new().bold();
    let mut name = name;
    for row in what.lines() {
        let _ = writeln!(text, "{style}{name:>NAMES$}{style:#}  {row}");
        name = "";
    }
}

fn heading(
    text: &mut String,
    explanation: &Explanation,
    kernel: &KernelData,
    variant: &VariantData,
) {
    let style = Style::new().bold();
    let generics: Vec<String> = kernel
        .generics
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let generics = if generics.is_empty() {
        String::new()
    } else {
        format!("  ({})", generics.join(", "))
    };
    let target = &explanation.target;
    let _ = writeln!(
        text,
        "{style}{}{style:#} for {} ({}){generics}",
        kernel.name, target.name, target.gpus
    );
    for (name, what) in words::heading(explanation, kernel, variant) {
        line(text, name, &what);
    }
}

fn at_places(text: &mut String, explanation: &Explanation, variant: &VariantData) {
    for (place, at) in by_place(variant) {
        text.push('\n');
        text.push_str(&note(&explanation.files, place, &at));
    }
}

/// One note; lost opportunities among it make it one.
fn note(files: &[SourceText], place: Option<Place>, at: &AtPlace<'_>) -> String {
    // Remarks alone: the first is the title.
    let first = at.remarks.first().filter(|_| at.title.is_empty());
    let level = match first {
        Some(remark) if remark.missed => Level::WARNING.with_name("missed"),
        _ => Level::NOTE,
    };
    let title = first.map_or(at.title.as_str(), |remark| remark.message.as_str());
    let mut heading = level.primary_title(title);
    if let Some(remark) = first {
        heading = heading.id(remark.code);
    }
    let mut group = Group::with_title(heading);
    let snippet = place.and_then(|place| snippet(files, place, &at.label));
    if let Some(snippet) = snippet {
        group = group.element(snippet);
    }
    for details in &at.details {
        group = group.element(Level::NOTE.message(details.as_str()));
    }
    for timeline in &at.timelines {
        group = group.element(Level::NOTE.message(timeline.drawn.join("\n")));
    }
    let help = first.and_then(|remark| remark.help.as_deref());
    group = group.elements(help.map(|help| Level::HELP.message(help)));
    for remark in at.remarks.iter().skip(usize::from(first.is_some())) {
        let level = if remark.missed {
            Level::WARNING.with_name("missed")
        } else {
            Level::NOTE
        };
        let message = format!("{} [{}]", remark.message, remark.code);
        group = group.element(level.message(message));
        group = group.elements(remark.help.as_deref().map(|help| Level::HELP.message(help)));
    }
    let mut rendered = Renderer::styled().term_width(100).render(&[group]);
    rendered.push('\n');
    rendered
}

/// The lines of a place, of which the place is marked; of a long one the first.
fn snippet<'a>(
    files: &'a [SourceText],
    place: Place,
    label: &'a str,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let file = files.get(place.file as usize)?;
    let (start, end) = (place.start as usize, place.end as usize);
    let before = file.text.get(..start)?;
    let from = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = file.text.get(start..)?;
    let to = rest.find('\n').map_or(file.text.len(), |at| start + at);
    let lines = file.text.get(from..to)?.trim_end_matches('\r');
    let end = end.min(from + lines.len());
    let marked = AnnotationKind::Primary.span(start - from..end - from);
    let marked = if label.is_empty() {
        marked
    } else {
        marked.label(label)
    };
    Some(
        Snippet::source(lines)
            .line_start(place.line as usize)
            .path(file.name.as_str())
            .annotation(marked),
    )
}

/// The tiles and where their elements are.
fn layouts(text: &mut String, explanation: &Explanation, variant: &VariantData) {
    if variant.values.is_empty() {
        return;
    }
    let style = Style::new().bold();
    let rows: Vec<[String; 4]> = variant
        .values
        .iter()
        .map(|value| {
            let line = value.place.map_or_else(String::new, |place| {
                let several = explanation.files.len() > 1 && place.file > 0;
                let name = explanation
                    .files
                    .get(place.file as usize)
                    .map(|file| file.name.as_str());
                match name.filter(|_| several) {
                    Some(name) => format!("{name}:{}", place.line),
                    None => place.line.to_string(),
                }
            });
            let layout = &variant.layouts[value.layout];
            [
                line,
                value.name.clone(),
                value.ty.clone(),
                notes::layout(layout),
            ]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [line_width, name_width, type_width] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let _ = writeln!(
        text,
        "\n{style}tiles{style:#}: who holds what, from neighbouring elements outwards"
    );
    for [line, name, ty, words] in &rows {
        let _ = writeln!(
            text,
            "  {line:>line_width$}  {name:<name_width$}  {ty:<type_width$}  {words}"
        );
    }
}

/// The other variants, in a line each; those for few launches together.
fn others(text: &mut String, kernel: &KernelData, shown: usize) {
    let style = Style::new().bold();
    let all = kernel.variants.iter().enumerate();
    let others = all
        .filter(|(index, _)| *index != shown)
        .map(|(_, other)| other);
    let (narrow, others): (Vec<_>, Vec<_>) = others.partition(|other| other.narrow);
    for other in others {
        let when: Vec<&str> = other.assumptions.iter().map(String::as_str).collect();
        let when = if when.is_empty() {
            "any arguments".to_owned()
        } else {
            and(&when)
        };
        let missed = other.remarks.iter().filter(|remark| remark.missed).count();
        let missed = match missed {
            0 => String::new(),
            1 => "; 1 opportunity is lost there".to_owned(),
            several => format!("; {several} opportunities are lost there"),
        };
        let _ = writeln!(
            text,
            "\n{style}also{style:#}: the variant `{}`, for {when}{missed}: `--variant {}` shows it",
            other.entry, other.entry
        );
    }
    let names: Vec<_> = narrow
        .iter()
        .map(|other| format!("`{}`", other.entry))
        .collect();
    if let [first, ..] = narrow[..] {
        let names = and(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let _ = writeln!(
            text,
            "\n{style}also{style:#}: for some launches {names}: `--variant {}` shows one",
            first.entry
        );
    }
}
