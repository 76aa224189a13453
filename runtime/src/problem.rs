//! What went wrong with a run, told with places: findings of the simulator, and results that are
//! not what they should be.
//!
//! ```text
//! error[out-of-bounds]: 4 bytes of global memory at 0x3000000f0 are written, outside …
//!  --> scale.tile:4:5
//!   |
//! 4 |     store(y[at +: 64], x);
//!   |     ^^^^^^^^^^^^^^^^^^^^^ program (0, 0, 0), thread 60: warp 1 lane 28
//!   |
//!   = note: PTX line 90: st.global.b32 [%rd3], %r2;
//! ```
//!
//! Where a source is not at hand, the PTX is shown in its place.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::comparison::Mismatch;
use crate::report::{Report, Verdict};
use crate::simulator::checks::{Defect, Finding, Site, Thread};
use crate::sources::{Sources, extent};

/// Something that is wrong, with places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A short, stable name, such as `race`.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// Where; the first is the place of the problem, others help to understand it.
    pub places: Vec<Place>,
    /// Facts that explain it.
    pub notes: Vec<String>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// One past the last.
    pub end_column: u32,
    /// Its line, if it is at hand.
    pub source: Option<String>,
    /// What happened there.
    pub text: String,
}

impl Problem {
    /// A finding of the simulator.
    #[must_use]
    pub fn of_finding(finding: &Finding, sources: &Sources<'_>) -> Self {
        let text = finding.defect.to_string();
        let message = text
            .strip_prefix(finding.code())
            .and_then(|text| text.strip_prefix(": "))
            .unwrap_or(&text);
        let mut problem = Self {
            code: finding.code().to_owned(),
            message: message.to_owned(),
            places: Vec::new(),
            notes: Vec::new(),
        };
        let who = who(finding.program, finding.thread);
        problem.site(&finding.site, who, "", sources);
        if let Some(earlier) = finding.defect.earlier() {
            let verb = earlier.verb().trim_end_matches(" at");
            let who = self::who(earlier.program, earlier.thread);
            let text = format!("{verb} before by {who}");
            problem.site(&earlier.site, text, verb, sources);
        }
        match &finding.defect {
            Defect::Deadlock { waits } => {
                problem.notes.extend(waits.iter().map(ToString::to_string));
            }
            Defect::WgmmaRegisters { other, .. } => {
                problem.site(other, "the other instruction".to_owned(), "", sources);
            }
            _ => {}
        }
        problem
    }

    /// The results of a run that are not what they should be.
    #[must_use]
    pub fn of_report(report: &Report, sources: &Sources<'_>) -> Vec<Self> {
        let wrong = report.wrong().filter_map(|(output, verdict)| {
            let first = verdict.comparison.first.as_ref()?;
            Some(Self::of_mismatch(&output.name, verdict, first, sources))
        });
        wrong.collect()
    }

    /// An element of a tensor that is not what it should be, and who stored it.
    #[must_use]
    pub fn of_mismatch(
        tensor: &str,
        verdict: &Verdict,
        first: &Mismatch,
        sources: &Sources<'_>,
    ) -> Self {
        let Verdict { comparison, stored } = verdict;
        let elements = comparison.elements;
        let allowed = if comparison.element.is_float() {
            format!(
                " by {:.1e} of the largest in their row, where {:.1e} is allowed",
                comparison.largest, comparison.tolerance
            )
        } else {
            String::new()
        };
        // A count is of use while it can be imagined.
        let apart = match first.ulps() {
            Some(1) => ", 1 unit in the last place apart".to_owned(),
            Some(ulps @ 0..10_000) => format!(", {ulps} units in the last place apart"),
            _ => String::new(),
        };
        let what = format!("`{tensor}{:?}` is {}{apart}", first.index, first.values());
        let mut problem = Self {
            code: "mismatch".to_owned(),
            message: format!(
                "{} of {elements} elements of `{tensor}` differ from what is expected{allowed}",
                comparison.wrong
            ),
            places: Vec::new(),
            notes: Vec::new(),
        };
        match stored {
            Some(stored) => {
                problem.site(&stored.site, what, "", sources);
                let who = who(stored.program, stored.thread);
                problem.notes.push(format!("stored by {who}"));
            }
            None => problem.notes.push(what),
        }
        problem
    }

    /// Adds a place and its instruction.
    fn site(&mut self, site: &Site, text: String, verb: &str, sources: &Sources<'_>) {
        if site.ptx_line == 0 {
            self.notes.push(text);
            return;
        }
        let by = |what: String| match verb {
            "" => what,
            verb => format!("{verb} by {what}"),
        };
        let instruction: Vec<_> = site.instruction.split_whitespace().collect();
        let instruction = instruction.join(" ");
        let note = by(format!("PTX line {}: {instruction}", site.ptx_line));
        let source = site
            .file
            .as_deref()
            .and_then(|file| sources.line(file, site.line));
        match (&site.file, source) {
            (Some(file), Some(source)) => {
                let (column, end_column) = extent(&source, site.column);
                self.place(Place {
                    file: file.clone(),
                    line: site.line,
                    column,
                    end_column,
                    source: Some(source),
                    text,
                });
                self.notes.push(note);
            }
            (file, _) => {
                let number = site.ptx_line.saturating_sub(1) as usize;
                let source = sources.ptx.lines().nth(number).map(str::to_owned);
                let (column, end_column) = extent(source.as_deref().unwrap_or_default(), 0);
                self.place(Place {
                    file: sources.ptx_name.clone(),
                    line: site.ptx_line,
                    column,
                    end_column,
                    source,
                    text,
                });
                if file.is_some() {
                    self.notes.push(by(format!("{site}, which is not at hand")));
                }
            }
        }
    }

    /// Adds a place; one that is there twice is told once.
    fn place(&mut self, place: Place) {
        let same = |known: &&mut Place| {
            (&known.file, known.line, known.column) == (&place.file, place.line, place.column)
        };
        match self.places.iter_mut().find(same) {
            Some(known) => {
                known.text = format!("{}; {}", known.text, place.text);
            }
            None => self.places.push(place),
        }
    }

    /// As text for people, with colours if asked for; no line break at the end.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let title = Level::ERROR
            .primary_title(self.message.as_str())
            .id(self.code.as_str());
        let mut group = Group::with_title(title);
        for (number, place) in self.places.iter().enumerate() {
            let kind = if number == 0 {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            group = match &place.source {
                Some(source) => {
                    let at = |column: u32| {
                        let before = source.chars().take(column.saturating_sub(1) as usize);
                        before.map(char::len_utf8).sum::<usize>()
                    };
                    let span = at(place.column)..at(place.end_column);
                    group.element(
                        Snippet::source(source.as_str())
                            .line_start(place.line as usize)
                            .path(place.file.as_str())
                            .annotation(kind.span(span).label(place.text.as_str())),
                    )
                }
                None => group.element(Origin::path(place.file.as_str()).line(place.line as usize)),
            };
        }
        let notes = self.notes.iter();
        let group = group.elements(notes.map(|note| Level::NOTE.message(note.as_str())));
        let renderer = if color {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.render(&[group])
    }
}

/// `program (0, 0, 0), thread 3: warp 0 lane 3`
fn who(program: [u32; 3], thread: Thread) -> String {
    let [x, y, z] = program;
    format!("program ({x}, {y}, {z}), {thread}")
}
