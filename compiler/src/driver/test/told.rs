//! What is printed of tests.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::{Case, Outcome};
use crate::diagnostic::{Diagnostic, render};
use crate::driver::console::{Console, Exit, count};

/// Tells how tests come out.
pub struct Told<'a> {
    console: &'a Console,
    cases: &'a [Case<'a>],
    /// The failures, for the end.
    failures: Vec<(usize, Vec<Diagnostic>)>,
    passed: usize,
    ignored: usize,
    filtered: usize,
}

/// `--list`: one name per line.
pub fn list(console: &Console, cases: &[Case<'_>]) -> Result<(), Exit> {
    for case in cases {
        if console.is_text() {
            console.print(&format!("{}: test\n", case.full_name))?;
        } else {
            let object = json!({
                "event": "listed", "name": case.full_name, "file": case.suite.name,
                "test": case.name, "ignored": case.ignored,
            });
            console.print(&format!("{object}\n"))?;
        }
    }
    if console.is_text() {
        console.print(&format!("\n{}\n", count(cases.len(), "test")))?;
    }
    Ok(())
}

impl<'a> Told<'a> {
    /// Says how many tests will run.
    pub fn new(console: &'a Console, cases: &'a [Case<'a>], filtered: usize) -> Result<Self, Exit> {
        if console.is_text() {
            console.print(&format!("\nrunning {}\n", count(cases.len(), "test")))?;
        }
        Ok(Self {
            console,
            cases,
            failures: Vec::new(),
            passed: 0,
            ignored: 0,
            filtered,
        })
    }

    /// Tells of a test that is done.
    pub fn outcome(&mut self, number: usize, outcome: Outcome, time: Duration) -> Result<(), Exit> {
        let Some(case) = self.cases.get(number) else {
            return Ok(());
        };
        let (word, color, notes, problems) = match outcome {
            Outcome::Passed(passed) => {
                self.passed += 1;
                ("ok", AnsiColor::Green, passed.notes, Vec::new())
            }
            Outcome::Ignored => {
                self.ignored += 1;
                ("ignored", AnsiColor::Yellow, Vec::new(), Vec::new())
            }
            Outcome::Failed(problems) => ("FAILED", AnsiColor::Red, Vec::new(), problems),
        };
        let failed = word == "FAILED";
        if self.console.is_text() {
            let style = Style::new().fg_color(Some(color.into()));
            let notes: String = notes.iter().map(|note| format!(" ({note})")).collect();
            let name = &case.full_name;
            let line = format!("test {name} ... {style}{word}{style:#}{notes}\n");
            self.console.print(&line)?;
        } else {
            let sources = &case.suite.program.sources;
            // What the renderer makes is JSON.
            let told: Vec<Value> = problems
                .iter()
                .map(|problem| {
                    serde_json::from_str(&render::json(problem, sources)).unwrap_or_default()
                })
                .collect();
            let object = json!({
                "event": "test", "name": case.full_name, "file": case.suite.name, "test": case.name,
                "outcome": word.to_lowercase(), "ms": time.as_secs_f64() * 1e3, "notes": notes,
                "problems": told,
            });
            self.console.print(&format!("{object}\n"))?;
        }
        if failed {
            self.failures.push((number, problems));
        }
        Ok(())
    }

    /// Tells of the failures and the numbers; gives how many failed.
    pub fn summary(self, time: Duration) -> Result<usize, Exit> {
        let failed = self.failures.len();
        let (passed, ignored, filtered) = (self.passed, self.ignored, self.filtered);
        if !self.console.is_text() {
            let object = json!({
                "event": "summary", "passed": passed, "failed": failed, "ignored": ignored,
                "filtered": filtered, "ms": time.as_secs_f64() * 1e3,
            });
            self.console.print(&format!("{object}\n"))?;
            return Ok(failed);
        }
        let mut text = String::new();
        if failed > 0 {
            text.push_str("\nfailures:\n");
        }
        for (number, problems) in &self.failures {
            let Some(case) = self.cases.get(*number) else {
                continue;
            };
            text.push_str(&format!("\n---- {} ----\n", case.full_name));
            for problem in problems {
                // Where stdout is no terminal the stream takes the colours out again.
                let style = render::Style {
                    color: true,
                    width: None,
                };
                text.push_str(&render::text(problem, &case.suite.program.sources, style));
            }
        }
        if failed > 0 {
            text.push_str("\nfailures:\n");
            for (number, _) in &self.failures {
                if let Some(case) = self.cases.get(*number) {
                    text.push_str(&format!("    {}\n", case.full_name));
                }
            }
        }
        let (word, color) = if failed == 0 {
            ("ok", AnsiColor::Green)
        } else {
            ("FAILED", AnsiColor::Red)
        };
        let style = Style::new().fg_color(Some(color.into()));
        text.push_str(&format!(
            "\ntest result: {style}{word}{style:#}. {passed} passed; {failed} failed; {ignored} \
             ignored; {filtered} filtered out; finished in {:.2}s\n\n",
            time.as_secs_f64()
        ));
        self.console.print(&text)?;
        Ok(failed)
    }
}
