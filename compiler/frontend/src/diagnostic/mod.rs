//! Diagnostics: one value, one renderer, one place for all English.
//!
//! Every stage reports problems as a [`Diagnostic`]: a [`Code`], one sentence, labelled spans and
//! hints. [`render`] turns them into text for people or JSON for machines; the constructors live in
//! [`messages`], so that wording is changed in one file and tests see it.
//!
//! ```text
//! messages::syntax::missing_semicolon(span)  →  Diagnostic  →  Diagnostics (sorted, no duplicates)
//!                                                                 →  render::text / render::json
//! ```

pub mod codes;
pub mod messages;
pub mod remark;
pub mod render;

pub use codes::Code;

/// A range of bytes in one source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Which file: an index into [`SourceMap`](crate::source::SourceMap).
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both (of the same file; else the first).
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty span just behind this one: where something missing should stand.
    #[must_use]
    pub const fn after(self) -> Self {
        Self {
            file: self.file,
            start: self.end,
            end: self.end,
        }
    }

    /// The empty span just before this one.
    #[must_use]
    pub const fn before(self) -> Self {
        Self {
            file: self.file,
            start: self.start,
            end: self.start,
        }
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing can be built.
    Error,
    /// The program runs, but probably does not do what was meant.
    Warning,
}

impl Severity {
    /// As printed and as in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A piece of source with something to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What; may be empty, then only the source is underlined.
    pub text: String,
    /// Whether this is the place of the problem (`^^^`) or context for it (`---`).
    pub primary: bool,
}

/// An edit that would probably fix the problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What to do, as in "use `where`".
    pub text: String,
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

/// One problem in the user's program.
///
/// ```text
/// Diagnostic::error(Code::UnknownName, "no `accc` is known here")
///     .label(span, "not found")
///     .secondary(other, "`acc` is defined here")
///     .suggest(span, "acc", "a similar name exists")
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of problem.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence without a full stop: what is wrong.
    pub message: String,
    /// Where. The first primary label is the diagnostic's position.
    pub labels: Vec<Label>,
    /// Facts that explain it.
    pub notes: Vec<String>,
    /// What the user could do.
    pub helps: Vec<String>,
    /// An edit that would probably fix it.
    pub suggestion: Option<Box<Suggestion>>,
}

impl Diagnostic {
    /// An error without labels yet.
    #[must_use]
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning without labels yet.
    #[must_use]
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            suggestion: None,
        }
    }

    /// Marks where the problem is. The text may be empty.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: true,
        });
        self
    }

    /// Marks a place that helps to understand the problem.
    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary: false,
        });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// Proposes an edit: `span` is replaced by `replacement`, because of `text`.
    #[must_use]
    pub fn suggest(
        mut self,
        span: Span,
        replacement: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        self.suggestion = Some(Box::new(Suggestion {
            text: text.into(),
            span,
            replacement: replacement.into(),
        }));
        self
    }

    /// Where the problem is: the first primary label, else the first label.
    #[must_use]
    pub fn position(&self) -> Option<Span> {
        self.labels
            .iter()
            .find(|label| label.primary)
            .or_else(|| self.labels.first())
            .map(|label| label.span)
    }
}

/// The problems found in a run.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.list
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether there are none at all, not even warnings.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many errors, duplicates included.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.list
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .count()
    }

    /// Those found so far, in the order they were found.
    #[must_use]
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.list
    }

    /// All of them by position, without duplicates. Inlined functions are checked once per use and
    /// report the same problem each time; the reader wants it once.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(Diagnostic::position);
        let mut seen = std::collections::HashSet::new();
        self.list.retain(|diagnostic| {
            seen.insert((
                diagnostic.code,
                diagnostic.position(),
                diagnostic.message.clone(),
            ))
        });
        self.list
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, iter: I) {
        self.list.extend(iter);
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(list: Vec<Diagnostic>) -> Self {
        Self { list }
    }
}
