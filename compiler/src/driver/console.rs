//! What is printed: problems and remarks on stderr, results on stdout.
//!
//! With `--message-format json` each problem is one line of JSON. A problem in a program has the keys
//! that [`render::json`] tells of; a problem of the call itself has the same keys, with `code` and
//! everything about places `null`.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};

use crate::diagnostic::{Code, Diagnostic, Severity, render};
use crate::source::SourceMap;

/// How problems are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// Why a command ends early. What there is to say has been said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The program is wrong or its run failed.
    Program,
    /// The call is wrong.
    Call,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Program => Self::from(1),
            Exit::Call => Self::from(2),
        }
    }
}

/// Where things are printed.
#[derive(Debug)]
pub struct Console {
    /// How.
    pub format: MessageFormat,
    /// The code of the first error that was printed.
    first_error: OnceLock<Code>,
}

/// So many problems of a program are shown to people: more than the parser reports.
const MOST_SHOWN: usize = 120;

impl Console {
    /// Prints in this format.
    pub const fn new(format: MessageFormat) -> Self {
        Self {
            format,
            first_error: OnceLock::new(),
        }
    }

    /// Whether people read it.
    pub fn is_text(&self) -> bool {
        self.format == MessageFormat::Text
    }

    /// Problems in a program, an empty line after each. Of very many the first ones are shown to people.
    pub fn diagnostics(&self, diagnostics: &[Diagnostic], sources: &SourceMap) {
        let shown = if self.is_text() {
            MOST_SHOWN
        } else {
            usize::MAX
        };
        for diagnostic in diagnostics.iter().take(shown) {
            if diagnostic.severity == Severity::Error {
                self.first_error.get_or_init(|| diagnostic.code);
            }
            self.say(&match self.format {
                // Where stderr is no terminal the stream takes the colours out again.
                MessageFormat::Text => render::text(
                    diagnostic,
                    sources,
                    render::Style {
                        color: true,
                        width: None,
                    },
                ),
                MessageFormat::Json => render::json(diagnostic, sources),
            });
        }
        let more = diagnostics.len().saturating_sub(shown);
        if more > 0 {
            self.say(&format!("{more} more problems are not shown\n"));
        }
    }

    /// Prints problems; an error among them ends the command.
    pub fn stop_on_errors(
        &self,
        diagnostics: &[Diagnostic],
        sources: &SourceMap,
        exit: Exit,
    ) -> Result<(), Exit> {
        self.diagnostics(diagnostics, sources);
        if diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
        {
            return Err(exit);
        }
        Ok(())
    }

    /// After all errors, for people: where more is said about them.
    pub fn tell_of_explanations(&self) {
        if let (Some(code), true) = (self.first_error.get(), self.is_text()) {
            self.say(&format!("for more: `tilec --explain {code}`"));
        }
    }

    /// A problem that has no place in a program.
    pub fn error(&self, message: &str, helps: &[&str]) {
        self.problem(Severity::Error, AnsiColor::Red, message, helps);
    }

    /// Something that is probably not meant, without a place in a program.
    pub fn warning(&self, message: &str, helps: &[&str]) {
        self.problem(Severity::Warning, AnsiColor::Yellow, message, helps);
    }

    fn problem(&self, severity: Severity, color: AnsiColor, message: &str, helps: &[&str]) {
        let name = severity.name();
        if self.format == MessageFormat::Json {
            let empty: [&str; 0] = [];
            let problem = serde_json::json!({
                "code": null, "severity": name, "message": message, "file": null, "line": null, "column": null,
                "labels": empty, "notes": empty, "helps": helps, "suggestion": null,
            });
            self.say(&problem.to_string());
            return;
        }
        let style = Style::new().bold().fg_color(Some(color.into()));
        let help_style = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        let mut text = format!("{style}{name}{style:#}: {message}");
        for help in helps {
            text.push_str(&format!("\n{help_style}help{help_style:#}: {help}"));
        }
        self.say(&text);
    }

    /// An error that ends the command as a wrong call.
    pub fn wrong_call(&self, message: impl Display) -> Exit {
        self.error(&message.to_string(), &[]);
        Exit::Call
    }

    /// A line that is no problem, for people only: a verb in colour and what was done.
    pub fn status(&self, verb: &str, what: &str) {
        if self.is_text() {
            let style = Style::new().bold().fg_color(Some(AnsiColor::Green.into()));
            self.say(&format!("{style}{verb:>9}{style:#}  {what}"));
        }
    }

    /// A line on stderr.
    pub fn say(&self, line: &str) {
        // Whoever read stderr has gone: nobody is left to tell, and the exit code tells the rest.
        let _ = writeln!(anstream::stderr(), "{line}");
    }

    /// The result, on stdout.
    pub fn print(&self, result: &str) -> Result<(), Exit> {
        let printed = write!(anstream::stdout(), "{result}");
        self.printed(printed.and_then(|()| std::io::stdout().flush()))
    }

    /// What became of writing to stdout.
    pub fn printed(&self, result: std::io::Result<()>) -> Result<(), Exit> {
        result.map_err(|error| {
            // As after `tilec … | head`: the reader has what it wants.
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                self.error(&format!("the result cannot be written: {error}"), &[]);
            }
            Exit::Program
        })
    }
}

/// `` `a`, `b` and `c` ``
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `1 kernel`, `2 kernels`
pub fn count(number: usize, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}
